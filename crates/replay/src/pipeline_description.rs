//! The description of a graphics pipeline that the program made, to be changed and made once more.
//!
//! The API has two forms of it: one structure, and a stream of subobjects. A stream may leave out subobjects that have a default. What a generic
//! program of a state object lists becomes a stream, too (`program.rs`).
//!
//! Invariant: a stream has all subobjects that a variant may change, each where it has to lie. Its memory is replay's.

use std::rc::Rc;

use reprise_codec::Codec;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{
    D3D12_BLEND_DESC, D3D12_CACHED_PIPELINE_STATE, D3D12_COMPARISON_FUNC, D3D12_CULL_MODE, D3D12_DEPTH_STENCIL_DESC,
    D3D12_DEPTH_WRITE_MASK, D3D12_FILL_MODE, D3D12_GRAPHICS_PIPELINE_STATE_DESC, D3D12_PIPELINE_STATE_STREAM_DESC,
    D3D12_PIPELINE_STATE_SUBOBJECT_TYPE as Subobject, D3D12_RASTERIZER_DESC, D3D12_RENDER_TARGET_BLEND_DESC,
    D3D12_RT_FORMAT_ARRAY, D3D12_SHADER_BYTECODE, DXGI_FORMAT,
};
use reprise_d3d12::{interface, method};

use crate::runtime::Runtime;
use crate::runtime::reference::Reference;
use crate::runtime::replay_objects::create;

mod program;

pub(crate) use program::Parts;

const CREATE_GRAPHICS: MethodId = method("ID3D12Device", "CreateGraphicsPipelineState");
const CREATE_STREAM: MethodId = method("ID3D12Device2", "CreatePipelineState");
const LOAD_GRAPHICS: MethodId = method("ID3D12PipelineLibrary", "LoadGraphicsPipeline");
const LOAD_STREAM: MethodId = method("ID3D12PipelineLibrary1", "LoadPipeline");

/// What the program gave. Shaders and names in it are the call's memory: it is of use while the call is open.
#[derive(Clone)]
pub(crate) enum Description<'c> {
    Whole(Box<D3D12_GRAPHICS_PIPELINE_STATE_DESC>),
    Stream(Stream<'c>),
}

impl<'c> Description<'c> {
    /// That of a pipeline that the program made by this call.
    ///
    /// # Errors
    /// In words that go on from "draws whose pipeline cannot be changed": the call is not known, or gives none.
    ///
    /// # Safety
    /// The words are those that the codec rebuilt for this method, and their memory is alive.
    pub(crate) unsafe fn of(codec: &'c Codec, (method, words): (MethodId, &[u64])) -> Result<Self, String> {
        let at = match method {
            CREATE_GRAPHICS | CREATE_STREAM => 0,
            LOAD_GRAPHICS | LOAD_STREAM => 1,
            _ => return Err("its pipeline was made in a way that is not known".into()),
        };
        let word = words.get(at).copied().filter(|word| *word != 0).ok_or("its pipeline has no description")?;
        if matches!(method, CREATE_GRAPHICS | LOAD_GRAPHICS) {
            // SAFETY: the caller says that the word leads to such a structure.
            return Ok(Self::Whole(Box::new(unsafe { *(word as *const D3D12_GRAPHICS_PIPELINE_STATE_DESC) })));
        }
        // SAFETY: the caller says that the word leads to such a structure, and that the stream is where it says.
        let bytes = unsafe {
            let stream = *(word as *const D3D12_PIPELINE_STATE_STREAM_DESC);
            core::slice::from_raw_parts(stream.pPipelineStateSubobjectStream.cast::<u8>(), stream.SizeInBytes as usize)
        };
        Ok(Self::Stream(whole(codec, bytes)))
    }

    /// Makes the pipeline, without what a driver keeps of the program's. The pointer is a reference held.
    ///
    /// # Errors
    /// The device refuses it.
    pub(crate) fn make(mut self, runtime: &Runtime, device: u64, what: &str) -> Result<u64, String> {
        let class = interface("ID3D12PipelineState");
        let made = match &mut self {
            Self::Whole(desc) => {
                desc.CachedPSO = D3D12_CACHED_PIPELINE_STATE::default();
                let desc = core::ptr::from_ref(&**desc) as u64;
                create(runtime, device, what, class, |iid, out| (CREATE_GRAPHICS, vec![desc, iid, out]))?
            }
            Self::Stream(stream) => {
                stream.put(Subobject::CACHED_PSO, |cached: &mut D3D12_CACHED_PIPELINE_STATE| {
                    *cached = D3D12_CACHED_PIPELINE_STATE::default();
                });
                let desc = D3D12_PIPELINE_STATE_STREAM_DESC {
                    SizeInBytes: (stream.words.len() * size_of::<u64>()) as _,
                    pPipelineStateSubobjectStream: stream.words.as_mut_ptr().cast(),
                };
                let desc = core::ptr::from_ref(&desc) as u64;
                create(runtime, device, what, class, |iid, out| (CREATE_STREAM, vec![desc, iid, out]))?
            }
        };
        Ok(made.into_pointer())
    }
}

/// The subobjects of a pipeline, as words, so that they lie as they have to.
#[derive(Clone)]
pub(crate) struct Stream<'c> {
    codec: &'c Codec,
    words: Vec<u64>,
    /// A root signature of replay's own that the words name.
    _root: Option<Rc<Reference<'c>>>,
}

/// A stream of the program's, completed.
fn whole<'c>(codec: &'c Codec, bytes: &[u8]) -> Stream<'c> {
    let mut stream = Stream { codec, words: vec![0; bytes.len().div_ceil(size_of::<u64>())], _root: None };
    // SAFETY: the words have room for the bytes.
    unsafe {
        core::ptr::copy_nonoverlapping(bytes.as_ptr(), stream.words.as_mut_ptr().cast::<u8>(), bytes.len());
    }
    complete(stream)
}

/// The same with all subobjects that a variant changes; those that the program left out have the API's defaults.
fn complete(mut stream: Stream<'_>) -> Stream<'_> {
    let missing = |kinds: &[Subobject]| -> bool { kinds.iter().all(|kind| stream.find(*kind).is_none()) };
    let rasterizer = missing(&[Subobject::RASTERIZER, Subobject::RASTERIZER1, Subobject::RASTERIZER2]);
    let depth = missing(&[Subobject::DEPTH_STENCIL, Subobject::DEPTH_STENCIL1, Subobject::DEPTH_STENCIL2]);
    let (blend, mask) = (missing(&[Subobject::BLEND]), missing(&[Subobject::SAMPLE_MASK]));
    let missing_shader = missing(&[Subobject::PS]);
    let (targets, format) = (missing(&[Subobject::RENDER_TARGET_FORMATS]), missing(&[Subobject::DEPTH_STENCIL_FORMAT]));
    if missing_shader {
        stream.append_far(Subobject::PS, D3D12_SHADER_BYTECODE::default());
    }
    if targets {
        stream.append(Subobject::RENDER_TARGET_FORMATS, D3D12_RT_FORMAT_ARRAY::default());
    }
    if format {
        stream.append(Subobject::DEPTH_STENCIL_FORMAT, DXGI_FORMAT::default());
    }
    if rasterizer {
        let desc = D3D12_RASTERIZER_DESC {
            FillMode: D3D12_FILL_MODE::SOLID,
            CullMode: D3D12_CULL_MODE::BACK,
            DepthClipEnable: 1,
            ..Default::default()
        };
        stream.append(Subobject::RASTERIZER, desc);
    }
    if depth {
        let desc = D3D12_DEPTH_STENCIL_DESC {
            DepthEnable: 1,
            DepthWriteMask: D3D12_DEPTH_WRITE_MASK::ALL,
            DepthFunc: D3D12_COMPARISON_FUNC::LESS,
            ..Default::default()
        };
        stream.append(Subobject::DEPTH_STENCIL, desc);
    }
    if blend {
        let target = D3D12_RENDER_TARGET_BLEND_DESC { RenderTargetWriteMask: 15, ..Default::default() };
        stream.append(Subobject::BLEND, D3D12_BLEND_DESC { RenderTarget: [target; 8], ..Default::default() });
    }
    if mask {
        stream.append(Subobject::SAMPLE_MASK, u32::MAX);
    }
    stream
}

impl<'c> Stream<'c> {
    /// One without subobjects.
    pub(crate) fn new(codec: &'c Codec) -> Self {
        Self { codec, words: Vec::new(), _root: None }
    }
}

impl Stream<'_> {
    fn find(&self, kind: Subobject) -> Option<usize> {
        let length = self.words.len() * size_of::<u64>();
        // SAFETY: the words are a stream of this length.
        unsafe { self.codec.subobject_in_stream(self.words.as_ptr().cast(), length, kind.0 as u32) }
    }

    /// The subobject of this kind, by its type.
    pub(crate) fn get<T: Copy>(&self, kind: Subobject) -> Option<T> {
        let at = self.find(kind)?;
        // SAFETY: the codec found a subobject of this kind there; callers name the type that it has.
        Some(unsafe { self.words.as_ptr().cast::<u8>().add(at).cast::<T>().read_unaligned() })
    }

    /// Changes the subobject of this kind.
    pub(crate) fn put<T: Copy>(&mut self, kind: Subobject, change: impl FnOnce(&mut T)) {
        let Some(at) = self.find(kind) else { return };
        // SAFETY: the codec found a subobject of this kind in the words, which are ours alone; callers name the type that it has.
        unsafe {
            let place = self.words.as_mut_ptr().cast::<u8>().add(at).cast::<T>();
            let mut value = place.read_unaligned();
            change(&mut value);
            place.write_unaligned(value);
        }
    }

    /// Adds a subobject whose type has members of four bytes at most.
    pub(crate) fn append<T: Copy>(&mut self, kind: Subobject, value: T) {
        let at = self.words.len();
        self.words.resize(at + (size_of::<u32>() + size_of::<T>()).div_ceil(size_of::<u64>()), 0);
        self.words[at] = u64::from(kind.0 as u32);
        self.put(kind, |place| *place = value);
    }

    /// The same of a type with members of eight bytes.
    pub(crate) fn append_far<T: Copy>(&mut self, kind: Subobject, value: T) {
        let at = self.words.len();
        self.words.resize(at + 1 + size_of::<T>().div_ceil(size_of::<u64>()), 0);
        self.words[at] = u64::from(kind.0 as u32);
        self.put(kind, |place| *place = value);
    }
}
