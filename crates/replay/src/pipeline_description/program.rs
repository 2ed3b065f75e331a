//! What a generic program of a state object lists, as the stream of a pipeline state.
//!
//! The two have the same structures under other numbers, and the same defaults (work graphs specification, "Defaults for subobjects missing
//! from a generic program"). Shaders stand in libraries, of which some are of the state object that its own grew from: they come from the trace.

use std::rc::Rc;
use std::sync::Arc;

use reprise_codec::Codec;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{
    D3D12_BLEND_DESC, D3D12_DEPTH_STENCIL_DESC, D3D12_DEPTH_STENCIL_DESC1, D3D12_DEPTH_STENCIL_DESC2,
    D3D12_GENERIC_PROGRAM_DESC, D3D12_INDEX_BUFFER_STRIP_CUT_VALUE, D3D12_INPUT_LAYOUT_DESC,
    D3D12_PIPELINE_STATE_FLAGS, D3D12_PIPELINE_STATE_SUBOBJECT_TYPE as Subobject, D3D12_PRIMITIVE_TOPOLOGY_TYPE,
    D3D12_RASTERIZER_DESC2, D3D12_RT_FORMAT_ARRAY, D3D12_SHADER_BYTECODE, D3D12_STATE_OBJECT_DESC,
    D3D12_STATE_SUBOBJECT, D3D12_STATE_SUBOBJECT_TYPE as Listed, D3D12_STREAM_OUTPUT_DESC, D3D12_VIEW_INSTANCING_DESC,
    DXGI_FORMAT, DXGI_SAMPLE_DESC,
};
use reprise_d3d12::{interface, method};

use super::{Description, Stream, complete};
use crate::runtime::Runtime;
use crate::runtime::replay_objects::create;

const CREATE: MethodId = method("ID3D12Device5", "CreateStateObject");
const ADD: MethodId = method("ID3D12Device7", "AddToStateObject");
const CREATE_ROOT: MethodId = method("ID3D12Device", "CreateRootSignature");

/// What is known of a program beside its description.
#[derive(Clone, Copy)]
pub(crate) struct Parts<'c> {
    pub(crate) name: &'c str,
    /// By stage.
    pub(crate) shaders: &'c [(&'static str, Arc<[u8]>)],
    /// The bytes of its root signature.
    pub(crate) root: Option<&'c [u8]>,
}

impl<'c> Description<'c> {
    /// That of a program of the state object that the program of the trace made by this call.
    ///
    /// # Errors
    /// In words: the call does not describe it, or its root signature cannot be made.
    ///
    /// # Safety
    /// The words are those that the codec rebuilt for this method, and their memory is alive while the description is used.
    pub(crate) unsafe fn of_program(
        (runtime, codec, device): (&'c Runtime, &'c Codec, u64),
        (method, words): (MethodId, &[u64]),
        parts: Parts<'c>,
    ) -> Result<Self, String> {
        if !matches!(method, CREATE | ADD) {
            return Err("its program's state object was made in a way that is not known".into());
        }
        let word = words.first().copied().filter(|word| *word != 0).ok_or("its state object has no description")?;
        let mut stream = Stream::new(codec);
        if let Some(root) = parts.root {
            let class = interface("ID3D12RootSignature");
            let own = create(runtime, device, "a root signature of a program", class, |iid, out| {
                (CREATE_ROOT, vec![0, root.as_ptr() as u64, root.len() as u64, iid, out])
            })?;
            stream.append_far(Subobject::ROOT_SIGNATURE, own.pointer());
            stream._root = Some(Rc::new(own));
        }
        for (stage, code) in parts.shaders {
            let kind = kind_of(stage).ok_or_else(|| format!("its program has a {stage} shader, and draws nothing"))?;
            let shader =
                D3D12_SHADER_BYTECODE { pShaderBytecode: code.as_ptr().cast(), BytecodeLength: code.len() as _ };
            stream.append_far(kind, shader);
        }
        // SAFETY: the caller says that the word leads to such a structure, whose arrays and texts the codec rebuilt.
        unsafe {
            let desc = &*(word as *const D3D12_STATE_OBJECT_DESC);
            let program = find(desc, parts.name).ok_or_else(|| format!("no program {:?} is described", parts.name))?;
            for subobject in array(program.ppSubobjects, program.NumSubobjects) {
                let subobject = subobject.as_ref().filter(|subobject| !subobject.pDesc.is_null());
                append(&mut stream, subobject.ok_or("its program lists a subobject that is nowhere")?)?;
            }
        }
        Ok(Self::Stream(complete(stream)))
    }
}

/// The subobject of a stage's shader.
fn kind_of(stage: &str) -> Option<Subobject> {
    Some(match stage {
        "VS" => Subobject::VS,
        "PS" => Subobject::PS,
        "DS" => Subobject::DS,
        "HS" => Subobject::HS,
        "GS" => Subobject::GS,
        "AS" => Subobject::AS,
        "MS" => Subobject::MS,
        _ => return None,
    })
}

/// The generic program of this name.
///
/// # Safety
/// The description is one that the codec rebuilt.
unsafe fn find<'d>(desc: &'d D3D12_STATE_OBJECT_DESC, name: &str) -> Option<&'d D3D12_GENERIC_PROGRAM_DESC> {
    // SAFETY: the caller says that arrays are as long as they say, that descriptions have their types, and that texts end with zero.
    unsafe {
        let all = array(desc.pSubobjects, desc.NumSubobjects).iter();
        let generic = all.filter(|it| it.Type == Listed::GENERIC_PROGRAM);
        let mut programs = generic.filter_map(|it| it.pDesc.cast::<D3D12_GENERIC_PROGRAM_DESC>().as_ref());
        programs.find(|program| is_named(program.ProgramName, name))
    }
}

/// Whether a text is this one.
///
/// # Safety
/// It is null or ends with zero.
unsafe fn is_named(text: *const u16, name: &str) -> bool {
    // SAFETY: the units up to the zero are there, and none behind the first that differs is read.
    !text.is_null()
        && (0..).zip(name.encode_utf16().chain([0])).all(|(at, unit)| unsafe { text.add(at).read() } == unit)
}

/// # Safety
/// The array is null or as long as it says, and lives as long as the result is used.
unsafe fn array<'a, T>(first: *const T, count: u32) -> &'a [T] {
    if first.is_null() || count == 0 {
        return &[];
    }
    // SAFETY: as the caller says.
    unsafe { core::slice::from_raw_parts(first, count as usize) }
}

/// Adds what a program lists.
///
/// # Safety
/// The description is there, and has the subobject's type.
unsafe fn append(stream: &mut Stream<'_>, subobject: &D3D12_STATE_SUBOBJECT) -> Result<(), String> {
    let desc = subobject.pDesc;
    macro_rules! kinds {
        ($($listed:ident => $kind:ident: $type:ty, $append:ident;)*) => {
            match subobject.Type {
                // SAFETY: the caller says that the description has the type of its kind.
                $(Listed::$listed => stream.$append(Subobject::$kind, unsafe { desc.cast::<$type>().read_unaligned() }),)*
                other => return Err(format!("its program lists a subobject of type {}: not supported", other.0)),
            }
        };
    }
    kinds! {
        STREAM_OUTPUT => STREAM_OUTPUT: D3D12_STREAM_OUTPUT_DESC, append_far;
        BLEND => BLEND: D3D12_BLEND_DESC, append;
        SAMPLE_MASK => SAMPLE_MASK: u32, append;
        RASTERIZER => RASTERIZER2: D3D12_RASTERIZER_DESC2, append;
        DEPTH_STENCIL => DEPTH_STENCIL: D3D12_DEPTH_STENCIL_DESC, append;
        DEPTH_STENCIL1 => DEPTH_STENCIL1: D3D12_DEPTH_STENCIL_DESC1, append;
        DEPTH_STENCIL2 => DEPTH_STENCIL2: D3D12_DEPTH_STENCIL_DESC2, append;
        INPUT_LAYOUT => INPUT_LAYOUT: D3D12_INPUT_LAYOUT_DESC, append_far;
        IB_STRIP_CUT_VALUE => IB_STRIP_CUT_VALUE: D3D12_INDEX_BUFFER_STRIP_CUT_VALUE, append;
        PRIMITIVE_TOPOLOGY => PRIMITIVE_TOPOLOGY: D3D12_PRIMITIVE_TOPOLOGY_TYPE, append;
        RENDER_TARGET_FORMATS => RENDER_TARGET_FORMATS: D3D12_RT_FORMAT_ARRAY, append;
        DEPTH_STENCIL_FORMAT => DEPTH_STENCIL_FORMAT: DXGI_FORMAT, append;
        SAMPLE_DESC => SAMPLE_DESC: DXGI_SAMPLE_DESC, append;
        FLAGS => FLAGS: D3D12_PIPELINE_STATE_FLAGS, append;
        VIEW_INSTANCING => VIEW_INSTANCING: D3D12_VIEW_INSTANCING_DESC, append_far;
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use reprise_codec::Wide;
    use reprise_d3d12::MODEL;

    use super::*;

    fn subobject<T>(kind: Listed, desc: &T) -> D3D12_STATE_SUBOBJECT {
        D3D12_STATE_SUBOBJECT { Type: kind, pDesc: core::ptr::from_ref(desc).cast() }
    }

    /// Structures with pointers lie elsewhere in a stream than those without.
    #[test]
    fn what_is_listed_stands_in_the_stream_and_the_rest_has_its_default() {
        let codec = Codec::new(MODEL, Wide::Bits16);
        let mut stream = Stream::new(&codec);
        let (mask, samples) = (5u32, DXGI_SAMPLE_DESC { Count: 4, Quality: 1 });
        let raster = D3D12_RASTERIZER_DESC2 { DepthBias: 1.5, ..Default::default() };
        let layout = D3D12_INPUT_LAYOUT_DESC { NumElements: 3, pInputElementDescs: 0x1234_5678_9abc as *const _ };
        let depth = D3D12_DEPTH_STENCIL_DESC1 { DepthBoundsTestEnable: 1, ..Default::default() };
        let views = D3D12_VIEW_INSTANCING_DESC { ViewInstanceCount: 2, ..Default::default() };
        let parts = [
            subobject(Listed::SAMPLE_MASK, &mask),
            subobject(Listed::INPUT_LAYOUT, &layout),
            subobject(Listed::RASTERIZER, &raster),
            subobject(Listed::DEPTH_STENCIL1, &depth),
            subobject(Listed::VIEW_INSTANCING, &views),
            subobject(Listed::SAMPLE_DESC, &samples),
        ];
        for part in &parts {
            // SAFETY: the descriptions are there, and have their types.
            unsafe { append(&mut stream, part) }.unwrap();
        }
        let stream = complete(stream);
        assert_eq!(stream.get::<u32>(Subobject::SAMPLE_MASK), Some(5));
        let found = stream.get::<D3D12_INPUT_LAYOUT_DESC>(Subobject::INPUT_LAYOUT).unwrap();
        assert_eq!((found.NumElements, found.pInputElementDescs), (3, layout.pInputElementDescs));
        assert_eq!(stream.get::<D3D12_RASTERIZER_DESC2>(Subobject::RASTERIZER2).unwrap().DepthBias, 1.5);
        let found = stream.get::<D3D12_DEPTH_STENCIL_DESC1>(Subobject::DEPTH_STENCIL1).unwrap();
        assert_eq!((found.DepthBoundsTestEnable, found.DepthEnable), (1, 0));
        let found = stream.get::<D3D12_VIEW_INSTANCING_DESC>(Subobject::VIEW_INSTANCING).unwrap();
        assert_eq!(found.ViewInstanceCount, 2);
        let found = stream.get::<DXGI_SAMPLE_DESC>(Subobject::SAMPLE_DESC).unwrap();
        assert_eq!((found.Count, found.Quality), (4, 1));
        // There is one of each kind, and what is not listed is what the specification says.
        assert!(stream.get::<D3D12_DEPTH_STENCIL_DESC>(Subobject::DEPTH_STENCIL).is_none());
        let blend = stream.get::<D3D12_BLEND_DESC>(Subobject::BLEND).unwrap();
        assert_eq!((blend.RenderTarget[7].RenderTargetWriteMask, blend.RenderTarget[0].BlendEnable), (15, 0));
        let mut stream = Stream::new(&codec);
        // SAFETY: the description is not read.
        let refused = unsafe { append(&mut stream, &subobject(Listed::GLOBAL_ROOT_SIGNATURE, &mask)) };
        assert_eq!(refused.unwrap_err(), "its program lists a subobject of type 1: not supported");
    }

    #[test]
    fn a_program_is_found_by_its_whole_name() {
        let wide = |text: &str| text.encode_utf16().chain([0]).collect::<Vec<u16>>();
        let names = ["pla", "plain", "plainer"].map(wide);
        let programs = names
            .each_ref()
            .map(|name| D3D12_GENERIC_PROGRAM_DESC { ProgramName: name.as_ptr(), ..Default::default() });
        let all = programs.each_ref().map(|program| subobject(Listed::GENERIC_PROGRAM, program));
        let desc = D3D12_STATE_OBJECT_DESC { NumSubobjects: 3, pSubobjects: all.as_ptr(), ..Default::default() };
        // SAFETY: arrays, names and descriptions are those of the test.
        let find = |name| unsafe { find(&desc, name) }.map(core::ptr::from_ref);
        assert_eq!(find("plain"), Some(&raw const programs[1]));
        assert_eq!((find("plai"), find("plainest")), (None, None));
    }
}
