//! `no-pipeline`, `root-signature`, `root-arguments`, `input-buffers`, `topology`: a draw or dispatch finds set what it needs.

use super::tables::register;
use crate::pipeline::Want;
use crate::rule::{Rule, Severity};
use crate::scene::{Place, Said, Scene};

pub(crate) static PIPELINE: Rule = Rule {
    name: "no-pipeline",
    says: "a draw or dispatch runs a pipeline of its kind",
    source: "ID3D12GraphicsCommandList::SetPipelineState; ID3D12GraphicsCommandList::Reset, pInitialState",
};

pub(crate) static SIGNATURE: Rule = Rule {
    name: "root-signature",
    says: "the root signature that is set is the one that the pipeline was made with",
    source: "ID3D12GraphicsCommandList::SetGraphicsRootSignature; Using a root signature",
};

pub(crate) static ARGUMENTS: Rule = Rule {
    name: "root-arguments",
    says: "every root parameter that the shaders use is set since the root signature was",
    source: "Using a root signature; Root signature limits and behaviour",
};

pub(crate) static INPUT: Rule = Rule {
    name: "input-buffers",
    says: "the vertex buffers that the input layout names, and the index buffer of an indexed draw, are set",
    source: "ID3D12GraphicsCommandList::IASetVertexBuffers; ID3D12GraphicsCommandList::IASetIndexBuffer",
};

pub(crate) static TOPOLOGY: Rule = Rule {
    name: "topology",
    says: "a draw of vertices has a primitive topology set, in each list and bundle anew",
    source: "ID3D12GraphicsCommandList::IASetPrimitiveTopology",
};

/// There is no pipeline, or one of the other kind.
pub(crate) fn no_pipeline(scene: &mut Scene<'_>, place: Place, pipeline: u32, dispatches: bool) {
    scene.say(Said::error(&PIPELINE, place, pipeline), (place.list, dispatches), |_| {
        let text = match (pipeline, dispatches) {
            (0, _) => "no pipeline is set in this list; a Reset takes it back to its pInitialState",
            (_, true) => "this dispatches, and the pipeline that is set draws",
            (_, false) => "this draws, and the pipeline that is set dispatches",
        };
        (text.to_owned(), Vec::new())
    });
}

/// There is no root signature, or another one than the pipeline's.
pub(crate) fn signature(
    scene: &mut Scene<'_>,
    place: Place,
    pipeline: (u32, u64),
    wanted: u32,
    set: Option<(u32, u64)>,
) {
    let (pipeline, pipeline_set) = pipeline;
    scene.say(Said::error(&SIGNATURE, place, pipeline), set.map(|(id, _)| id), |scene| {
        let mut related = vec![(pipeline_set, "sets the pipeline".to_owned())];
        let text = match set {
            None => "no root signature of this kind is set in this list; a Reset takes it away".to_owned(),
            Some((set, call)) => {
                related.push((call, "sets the root signature".to_owned()));
                format!(
                    "the pipeline was made with root signature {}, and {}, which differs, is set",
                    scene.text(wanted),
                    scene.text(set)
                )
            }
        };
        (text, related)
    });
}

/// A root parameter that shaders use is not set.
pub(crate) fn argument(scene: &mut Scene<'_>, place: Place, pipeline: u32, signature: (u32, u64), want: &Want) {
    let said = Said::error(&ARGUMENTS, place, pipeline).with(Severity::Likely);
    scene.say(said, (signature.0, want.parameter), |scene| {
        let text = format!(
            "the shaders use {}, which is root parameter {} of root signature {}, and nothing is set there since the root signature was",
            register(want.kind, want.register, want.space),
            want.parameter,
            scene.text(signature.0)
        );
        (text, vec![(signature.1, "sets the root signature".to_owned())])
    });
}

/// A vertex buffer is missing.
pub(crate) fn vertices(scene: &mut Scene<'_>, place: Place, pipeline: u32, slot: u32) {
    scene.say(Said::error(&INPUT, place, pipeline).with(Severity::Hint), slot, |_| {
        let text = format!(
            "the input layout reads from slot {slot}, and no vertex buffer is set there: its values read as zero"
        );
        (text, Vec::new())
    });
}

/// The index buffer is missing.
pub(crate) fn indices(scene: &mut Scene<'_>, place: Place, pipeline: u32) {
    scene.say(Said::error(&INPUT, place, pipeline).with(Severity::Likely), "index", |_| {
        ("this draws by indices, and no index buffer is set: all indices read as zero".to_owned(), Vec::new())
    });
}

/// The topology is missing.
pub(crate) fn topology(scene: &mut Scene<'_>, place: Place, pipeline: u32) {
    scene.say(Said::error(&TOPOLOGY, place, pipeline), place.list, |_| {
        ("no primitive topology is set in this list; call IASetPrimitiveTopology".to_owned(), Vec::new())
    });
}
