//! Pipelines that mark fragments, for overlays.

use reprise_codec::Codec;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{D3D12_CULL_MODE, D3D12_RT_FORMAT_ARRAY, D3D12_SHADER_BYTECODE, DXGI_FORMAT};

use super::{Given, Own, Variant, change, changed};
use crate::pipeline_description::Description;
use crate::pipeline_origin::Origin;
use crate::pixel::probe_shader;
use crate::report::overlay::{OverlayCull, OverlayWish};
use crate::runtime::Runtime;

/// How a fragment shows in a target of replay's own, whatever the pixel shader gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// The blender makes 0 of it, in a target of `R8_UNORM` in this slot that was 1.
    Blended(usize),
    /// What the shader gives, whole numbers in a target of this `DXGI_FORMAT`: it may be what was there, so that it shows against another
    /// value only.
    Given(usize, u32),
}

/// `DXGI_FORMAT_R8_UNORM`.
const R8: u32 = 61;

impl Mark {
    /// Slot and `DXGI_FORMAT` of the target.
    pub(crate) fn target(self) -> (usize, u32) {
        match self {
            Self::Blended(slot) => (slot, R8),
            Self::Given(slot, format) => (slot, format),
        }
    }

    /// The formats of targets: that of the mark, behind none.
    pub(super) fn targets(self) -> D3D12_RT_FORMAT_ARRAY {
        let (slot, format) = self.target();
        let mut targets = D3D12_RT_FORMAT_ARRAY::default();
        targets.RTFormats[slot] = DXGI_FORMAT(format as _);
        targets.NumRenderTargets = slot as u32 + 1;
        targets
    }
}

/// Pipelines that mark fragments, for layers of an overlay. Pointers are references held.
pub(crate) struct Marking {
    /// For each layer.
    pub(crate) layers: Vec<(u64, Mark)>,
    /// That which writes colours.
    pub(crate) colours: Option<Result<u64, String>>,
    /// The program tests depth; stencil.
    pub(crate) tests: (bool, bool),
    /// Faces that the program culls, and whether those that are counter-clockwise are front faces.
    pub(crate) cull: (OverlayCull, bool),
    /// Remarks on what is marked.
    pub(crate) notes: Vec<String>,
}

/// Makes, of a pipeline that the program made by this call, one for each layer. Marks are made of what the pixel shader gives for the wish's slot,
/// if that can be.
///
/// # Safety
/// The words are those that the codec rebuilt for this method, and their memory is alive.
pub(crate) unsafe fn marking(
    runtime: &Runtime,
    codec: &Codec,
    device: u64,
    (origin, arguments): (&Origin, (MethodId, &[u64])),
    wish: &OverlayWish,
) -> Result<Marking, String> {
    // SAFETY: as the caller says.
    let description = unsafe { origin.description((runtime, codec, device), arguments) }?;
    // SAFETY: the codec rebuilt the bytes of the description's shaders behind its pointers, and they live as long as the words.
    let given = unsafe {
        match &description {
            Description::Whole(desc) => Given::of_desc(desc),
            Description::Stream(stream) => Given::of_stream(stream),
        }
    }?;
    let colour = probe_shader::colour();
    let colour = D3D12_SHADER_BYTECODE { pShaderBytecode: colour.as_ptr().cast(), BytecodeLength: colour.len() as _ };
    // All samples are drawn, and no probe.
    let own = Own { bit: u32::MAX, probe: colour, nothing: colour, of_one_view: false, locations: Default::default() };
    let mut notes = Vec::new();
    let mark = given.mark(wish.slot).unwrap_or_else(|note| {
        notes.extend(note);
        None
    });
    if mark.is_none() && given.gives_stencil && given.stencil && wish.layers.iter().any(|layer| layer.stencil) {
        return Err("its pixel shader gives the stencil reference, and no colour by which fragments are marked: the stencil cannot be tested".into());
    }
    let needs_shader = wish.layers.iter().any(|layer| layer.shader);
    let make = |variant: &Variant| {
        let mut description = description.clone();
        match &mut description {
            Description::Whole(desc) => **desc = changed(**desc, variant, &own),
            Description::Stream(stream) => change(stream, variant, &own),
        }
        description.make(runtime, device, "a pipeline for an overlay")
    };
    let made = wish.layers.iter().map(|layer| {
        let shader = layer.shader && mark.is_some();
        let mark = mark.filter(|_| shader).unwrap_or(Mark::Blended(0));
        Ok((make(&Variant { shader, mark: Some(mark), ..Variant::of_layer(layer) })?, mark))
    });
    let layers = made.collect::<Result<_, String>>()?;
    let colours = wish.colours.map(|asked| {
        let slot = wish.slot.map(|slot| slot as usize).ok_or("a depth buffer has no colours")?;
        let format = given.formats.get(slot).copied().filter(|format| *format != 0);
        format.ok_or("its pipeline gives nothing for this target")?;
        if !given.has_shader {
            return Err("it has no pixel shader, so it gives no colours".to_owned());
        }
        if given.shader_writes {
            return Err("its pixel shader writes through unordered views, and is not run again".into());
        }
        let colours = Some((slot, asked.blend));
        make(&Variant { shader: true, colours, ..Variant::of_layer(&asked.layer) })
    });
    if colours.as_ref().is_some_and(Result::is_ok) && given.depth_writes {
        notes.push("the draw writes depth, and does not here: of its fragments that pass, the last one shows".into());
    }
    let tests = (given.depth, given.stencil);
    let cull = match given.cull {
        D3D12_CULL_MODE::FRONT => OverlayCull::FrontFaces,
        D3D12_CULL_MODE::BACK => OverlayCull::BackFaces,
        _ => OverlayCull::Nothing,
    };
    let cull = (cull, given.counter_clockwise);
    Ok(Marking { layers, colours, tests, cull, notes: if needs_shader { notes } else { Vec::new() } })
}
