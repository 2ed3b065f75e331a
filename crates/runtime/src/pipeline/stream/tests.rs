//! Streams against what the API's helper structures put into memory, and cut at every length.
#![allow(clippy::unwrap_used)]

use super::*;

/// Writes subobjects as a C++ compiler lays them out: `struct alignas(void*) { type; T; }`.
#[derive(Default)]
struct Stream {
    bytes: Vec<u8>,
    /// Where the content of each subobject ends.
    ends: Vec<usize>,
}

impl Stream {
    fn put<T: Copy>(&mut self, kind: u32, content: T) -> &mut Stream {
        #[repr(C)]
        struct Subobject<T> {
            kind: u32,
            content: T,
        }
        let begin = self.bytes.len().next_multiple_of(8);
        let offset = core::mem::offset_of!(Subobject<T>, content);
        self.bytes.resize(begin + size_of::<Subobject<T>>(), 0);
        self.bytes[begin..begin + 4].copy_from_slice(&kind.to_le_bytes());
        // SAFETY: room was made above; the bytes of `T` are copied as they are.
        unsafe { self.bytes.as_mut_ptr().add(begin + offset).cast::<T>().write_unaligned(content) };
        self.ends.push(begin + offset + size_of::<T>());
        self
    }
}

fn parsed(stream: &Stream) -> Result<Description<'static>> {
    // SAFETY: the shaders below are statics.
    unsafe { parse(&stream.bytes) }
}

static VERTEX: [u8; 5] = *b"vertx";
static PIXEL: [u8; 3] = *b"pix";

fn code(bytes: &'static [u8]) -> D3D12_SHADER_BYTECODE {
    D3D12_SHADER_BYTECODE { pShaderBytecode: bytes.as_ptr().cast(), BytecodeLength: bytes.len() as u64 }
}

fn sample() -> Stream {
    let mut stream = Stream::default();
    let mut targets = D3D12_RT_FORMAT_ARRAY { NumRenderTargets: 2, ..Default::default() };
    targets.RTFormats[1] = DXGI_FORMAT(28);
    let depth = D3D12_DEPTH_STENCIL_DESC {
        StencilEnable: 1,
        StencilReadMask: 0x12,
        StencilWriteMask: 0x34,
        DepthFunc: D3D12_COMPARISON_FUNC(5),
        ..Default::default()
    };
    let raster = D3D12_RASTERIZER_DESC { DepthBias: -7, MultisampleEnable: 1, ..Default::default() };
    stream
        .put(9, 0xabcd_u32)
        .put(1, code(&VERTEX))
        .put(14, D3D12_PRIMITIVE_TOPOLOGY_TYPE(3))
        .put(2, code(&PIXEL))
        .put(15, targets)
        .put(17, DXGI_SAMPLE_DESC { Count: 4, Quality: 0 })
        .put(11, depth)
        .put(0, 0x1234_usize)
        .put(10, raster)
        .put(16, DXGI_FORMAT(40));
    stream
}

#[test]
fn subobjects_are_found_at_their_places() {
    let found = parsed(&sample()).unwrap();
    assert_eq!(found.sample_mask, 0xabcd);
    assert_eq!(found.stages, [(Stage::Vertex, &VERTEX[..]), (Stage::Pixel, &PIXEL[..])]);
    assert_eq!((found.topology.0, found.samples.Count, found.depth_format.0), (3, 4, 40));
    assert_eq!((found.targets.NumRenderTargets, found.targets.RTFormats[1].0), (2, 28));
    assert_eq!(found.root as usize, 0x1234);
    let face = &found.depth_stencil.BackFace;
    assert_eq!((face.StencilReadMask, face.StencilWriteMask, found.depth_stencil.DepthFunc.0), (0x12, 0x34, 5));
    assert_eq!((found.rasterizer.DepthBias, found.rasterizer.LineRasterizationMode.0), (-7.0, 2));
    // What the stream does not name has its default.
    assert_eq!((found.blend.RenderTarget[7].RenderTargetWriteMask, found.flags), (0xf, 0));
}

#[test]
fn streams_that_are_cut_or_wrong_are_refused() {
    let whole = sample();
    for length in 0..whole.bytes.len() {
        let cut = Stream { bytes: whole.bytes[..length].to_vec(), ends: Vec::new() };
        // A cut between subobjects is a shorter stream; it has a shader from the second one on.
        let between = |end: &usize| (*end..=end.next_multiple_of(8)).contains(&length);
        assert_eq!(parsed(&cut).is_ok(), whole.ends[1..].iter().any(between), "cut to {length}");
    }
    assert!(parsed(sample().put(9, 1_u32)).is_err(), "twice");
    assert!(parsed(sample().put(77, 1_u32)).is_err(), "not known");
    assert!(parsed(sample().put(6, code(&PIXEL))).is_err(), "compute and graphics");
    let both = parsed(Stream::default().put(2, code(&PIXEL)).put(6, code(&VERTEX))).unwrap();
    assert_eq!(both.stages, [(Stage::Compute, &VERTEX[..])], "a pixel shader alone begins nothing");
    assert!(parsed(Stream::default().put(9, 1_u32)).is_err(), "no shader");
}

#[test]
fn old_structures_and_streams_say_the_same() {
    let mut old = D3D12_GRAPHICS_PIPELINE_STATE_DESC { VS: code(&VERTEX), PS: code(&PIXEL), ..Default::default() };
    let from_stream = parsed(&sample()).unwrap();
    old.SampleMask = 0xabcd;
    old.PrimitiveTopologyType = D3D12_PRIMITIVE_TOPOLOGY_TYPE(3);
    old.NumRenderTargets = 2;
    old.RTVFormats[1] = DXGI_FORMAT(28);
    old.SampleDesc.Count = 4;
    old.DSVFormat = DXGI_FORMAT(40);
    old.BlendState = from_stream.blend;
    old.DepthStencilState = D3D12_DEPTH_STENCIL_DESC {
        StencilEnable: 1,
        StencilReadMask: 0x12,
        StencilWriteMask: 0x34,
        DepthFunc: D3D12_COMPARISON_FUNC(5),
        ..Default::default()
    };
    old.RasterizerState = D3D12_RASTERIZER_DESC { DepthBias: -7, MultisampleEnable: 1, ..Default::default() };
    // SAFETY: the shaders are statics.
    let key =
        |old: &D3D12_GRAPHICS_PIPELINE_STATE_DESC| unsafe { Description::from_graphics(old) }.unwrap().key(b"root");
    assert_eq!(key(&old), from_stream.key(b"root"));
    old.DepthStencilState.StencilReadMask = 0x13;
    assert_ne!(key(&old), from_stream.key(b"root"));
}
