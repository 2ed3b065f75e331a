//! The program's pipeline, with ever more of its tests, and without all that it writes.
//!
//! Invariant: no variant writes a target, depth or stencil of the program's, and none has a shader that writes through unordered views. Those
//! that tell fragments apart (`single`), leave marks (`mark`) and give colours (`colours`) write targets of replay's own, which are set for
//! them.

use reprise_codec::Codec;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{
    D3D12_BLEND, D3D12_BLEND_DESC, D3D12_BLEND_OP, D3D12_COMPARISON_FUNC, D3D12_CULL_MODE, D3D12_DEPTH_STENCIL_DESC,
    D3D12_DEPTH_STENCIL_DESC1, D3D12_DEPTH_STENCIL_DESC2, D3D12_DEPTH_STENCILOP_DESC, D3D12_DEPTH_STENCILOP_DESC1,
    D3D12_DEPTH_WRITE_MASK, D3D12_FILL_MODE, D3D12_GRAPHICS_PIPELINE_STATE_DESC,
    D3D12_PIPELINE_STATE_SUBOBJECT_TYPE as Subobject, D3D12_PRIMITIVE_TOPOLOGY_TYPE, D3D12_RASTERIZER_DESC,
    D3D12_RASTERIZER_DESC1, D3D12_RASTERIZER_DESC2, D3D12_RT_FORMAT_ARRAY, D3D12_SHADER_BYTECODE, D3D12_STENCIL_OP,
    D3D12_VIEW_INSTANCE_LOCATION, D3D12_VIEW_INSTANCING_DESC, D3D12_VIEW_INSTANCING_FLAGS, DXGI_FORMAT,
    DXGI_SAMPLE_DESC,
};
use reprise_dxbc::container::Tag;
use reprise_dxbc::early::tests_early;
use reprise_dxbc::{Container, signature};

mod marking;

pub(crate) use marking::{Mark, Marking, marking};

use super::probe_shader;
use crate::overdraw::writes;
use crate::pipeline_description::{Description, Stream};
use crate::pipeline_origin::Origin;
use crate::report::overlay::{OverlayCull, OverlayLayer};
use crate::report::pixel::PixelTest;
use crate::runtime::Runtime;
use crate::view_mask::MOST_VIEWS;

/// `DXGI_FORMAT_R32G32B32A32_SINT`; that without a sign is [`WORDS`].
const SIGNED_WORDS: u32 = 4;

/// Which variants are wanted.
#[derive(Clone, Copy, Debug)]
pub(super) enum Wanted {
    /// That without any test.
    Coverage,
    /// All, and those that write single fragments of the target in this slot; `in_full`: of all targets, and of one sample of several, too.
    All { slot: Option<u32>, in_full: bool },
}

/// What of the program's pipeline a variant has.
#[derive(Clone, Copy, Debug, Default)]
struct Variant {
    cull: Cull,
    depth_clip: bool,
    sample_mask: bool,
    shader: bool,
    depth_bounds: bool,
    stencil: bool,
    depth: bool,
    /// Whose fragments are written one by one, into targets of replay's own.
    single: Option<Single>,
    /// Whose fragments leave a mark in a target of replay's own.
    mark: Option<Mark>,
    /// Alpha takes no samples.
    whole: bool,
    /// What it gives for the target of a slot is written, and blended if that is so.
    colours: Option<(usize, bool)>,
    /// Edges of primitives alone.
    wireframe: bool,
}

impl Variant {
    /// With the tests of a layer.
    fn of_layer(layer: &OverlayLayer) -> Self {
        Self {
            cull: match layer.cull {
                OverlayCull::Nothing => Cull::Nothing,
                OverlayCull::BackFaces => Cull::BackFaces,
                OverlayCull::FrontFaces => Cull::FrontFaces,
                OverlayCull::Program => Cull::Program,
            },
            depth_clip: layer.depth_clip,
            sample_mask: layer.sample_mask,
            shader: layer.shader,
            depth_bounds: layer.depth_bounds,
            stencil: layer.stencil,
            depth: layer.depth,
            wireframe: layer.wireframe,
            ..Self::default()
        }
    }
}

/// What of a fragment is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Single {
    /// Its primitive and face.
    Identity,
    /// What the program's pixel shader gives for the target of a slot.
    Output(usize),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Cull {
    #[default]
    Nothing,
    /// Back faces, whatever the program culls.
    BackFaces,
    /// Front faces, whatever the program culls.
    FrontFaces,
    Program,
}

/// What the program's pipeline does.
#[derive(Clone, Debug, Default)]
struct Given {
    culls: bool,
    cull: D3D12_CULL_MODE,
    /// Counter-clockwise faces are front faces.
    counter_clockwise: bool,
    depth_clip: bool,
    sample_mask: u32,
    has_shader: bool,
    shader_writes: bool,
    /// The pixel shader asks for the tests before it runs: devices may count what it discards.
    tests_early: bool,
    /// The pixel shader gives the stencil reference (`SV_StencilRef`), in the place of the list's.
    gives_stencil: bool,
    depth_bounds: bool,
    stencil: bool,
    depth: bool,
    triangles: bool,
    /// Of the targets.
    masks: [u8; 8],
    depth_writes: bool,
    stencil_writes: bool,
    /// `DXGI_FORMAT` of the targets.
    formats: [u32; 8],
    /// Samples of the targets, and their quality.
    samples: (u32, u32),
    /// The last stage before the rasteriser says which primitive it is: no number of the draw's.
    counts_itself: bool,
    /// What the pixel shader gives for targets.
    outputs: Vec<ShaderOutput>,
}

/// What a pixel shader gives for the target of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ShaderOutput {
    slot: usize,
    kind: OutputKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OutputKind {
    Unsigned,
    Signed,
    Float,
}

/// A pipeline of the program's in its variants. Pointers are references held.
#[derive(Clone, Debug)]
pub(super) struct Variants {
    /// With ever more tests.
    pub(super) tests: Vec<(PixelTest, u64)>,
    /// Front faces alone, of what the first of these counts; `None`: there are no faces.
    pub(super) front: Option<u64>,
    pub(super) singles: Result<Singles, String>,
    given: Given,
    pub(super) notes: Vec<String>,
}

/// Pipelines that write one fragment of a draw, chosen by the reference of the stencil test. Pointers are references held.
#[derive(Clone, Debug)]
pub(super) struct Singles {
    /// Writes its primitive and face, as four words.
    pub(super) identity: u64,
    pub(super) has_primitives: bool,
    /// Samples of the targets, and their quality.
    pub(super) samples: (u32, u32),
    /// Without any test but the shader's discard: counts the fragments that have outputs.
    pub(super) counting: Option<u64>,
    /// What the program's pixel shader gives for targets, that of the asked slot first. None: it gives nothing, or that cannot be told.
    pub(super) outputs: Vec<Output>,
}

/// A pipeline with the program's pixel shader. The pointer is a reference held.
#[derive(Clone, Copy, Debug)]
pub(super) struct Output {
    pub(super) slot: usize,
    /// Writes the output of one fragment.
    pub(super) writing: u64,
    /// `DXGI_FORMAT` of what is written.
    pub(super) format: u32,
}

/// `DXGI_FORMAT_R32G32B32A32_UINT`.
pub(super) const WORDS: u32 = 3;
/// `DXGI_FORMAT_D32_FLOAT_S8X24_UINT`.
pub(super) const DEPTH: u32 = 20;

const CHOSEN: D3D12_DEPTH_STENCILOP_DESC = D3D12_DEPTH_STENCILOP_DESC {
    StencilFailOp: D3D12_STENCIL_OP::INCR_SAT,
    StencilDepthFailOp: D3D12_STENCIL_OP::INCR_SAT,
    StencilPassOp: D3D12_STENCIL_OP::INCR_SAT,
    StencilFunc: D3D12_COMPARISON_FUNC::EQUAL,
};
const CHOSEN1: D3D12_DEPTH_STENCILOP_DESC1 = D3D12_DEPTH_STENCILOP_DESC1 {
    StencilFailOp: D3D12_STENCIL_OP::INCR_SAT,
    StencilDepthFailOp: D3D12_STENCIL_OP::INCR_SAT,
    StencilPassOp: D3D12_STENCIL_OP::INCR_SAT,
    StencilFunc: D3D12_COMPARISON_FUNC::EQUAL,
    StencilReadMask: 0xff,
    StencilWriteMask: 0xff,
};

impl Variants {
    /// Whether it draws to several samples a pixel.
    pub(super) fn are_multisampled(&self) -> bool {
        self.given.samples.0 > 1
    }

    /// Whether nothing of a fragment that passes is written.
    pub(super) fn are_masked(&self, slot: Option<u32>, plane: Option<u32>) -> bool {
        match (slot, plane) {
            (Some(slot), _) => self.given.masks.get(slot as usize).is_none_or(|mask| *mask == 0),
            (None, Some(0)) => !self.given.depth_writes,
            (None, Some(_)) => !self.given.stencil_writes,
            (None, None) => false,
        }
    }
}

/// Takes from a rasterizer state of any version what a variant does not have.
macro_rules! rasterizer {
    ($desc:expr, $variant:expr) => {{
        match $variant.cull {
            Cull::Nothing => $desc.CullMode = D3D12_CULL_MODE::NONE,
            Cull::BackFaces => $desc.CullMode = D3D12_CULL_MODE::BACK,
            Cull::FrontFaces => $desc.CullMode = D3D12_CULL_MODE::FRONT,
            Cull::Program => {}
        }
        if !$variant.depth_clip {
            $desc.DepthClipEnable = 0;
        }
        if $variant.wireframe {
            $desc.FillMode = D3D12_FILL_MODE::WIREFRAME;
        }
    }};
}

/// The same of a depth-stencil state. `$bounds`: it has depth bounds; `$mask`: it has one mask for both faces.
macro_rules! depth_stencil {
    ($desc:expr, $variant:expr, bounds: $bounds:tt, mask: $mask:tt) => {
        if $variant.single.is_some() {
            $desc.DepthEnable = 1;
            $desc.DepthWriteMask = D3D12_DEPTH_WRITE_MASK::ALL;
            $desc.DepthFunc = D3D12_COMPARISON_FUNC::ALWAYS;
            $desc.StencilEnable = 1;
            depth_stencil!(@bounds $desc, $variant, $bounds);
            depth_stencil!(@chosen $desc, $mask);
        } else {
            depth_stencil!(@tested $desc, $variant, $bounds, $mask);
        }
    };
    (@chosen $desc:expr, true) => {{
        ($desc.StencilReadMask, $desc.StencilWriteMask) = (0xff, 0xff);
        ($desc.FrontFace, $desc.BackFace) = (CHOSEN, CHOSEN);
    }};
    (@chosen $desc:expr, false) => {
        ($desc.FrontFace, $desc.BackFace) = (CHOSEN1, CHOSEN1)
    };
    (@tested $desc:expr, $variant:expr, $bounds:tt, $mask:tt) => {{
        if !$variant.depth {
            $desc.DepthEnable = 0;
        }
        if !$variant.stencil {
            $desc.StencilEnable = 0;
        }
        $desc.DepthWriteMask = D3D12_DEPTH_WRITE_MASK::ZERO;
        depth_stencil!(@bounds $desc, $variant, $bounds);
        depth_stencil!(@mask $desc, $mask);
    }};
    (@bounds $desc:expr, $variant:expr, true) => {
        if !$variant.depth_bounds {
            $desc.DepthBoundsTestEnable = 0;
        }
    };
    (@bounds $desc:expr, $variant:expr, false) => {};
    (@mask $desc:expr, true) => {
        $desc.StencilWriteMask = 0
    };
    (@mask $desc:expr, false) => {{
        $desc.FrontFace.StencilWriteMask = 0;
        $desc.BackFace.StencilWriteMask = 0;
    }};
}

/// Makes the variants of a pipeline that the program made by this call, for a sample of its targets, and for one of its view instances, which the list's
/// mask says.
///
/// # Safety
/// The words are those that the codec rebuilt for this method, and their memory is alive.
pub(super) unsafe fn make(
    runtime: &Runtime,
    codec: &Codec,
    device: u64,
    (origin, arguments): (&Origin, (MethodId, &[u64])),
    (sample, of_one_view): (u32, bool),
    wanted: Wanted,
) -> Result<Variants, String> {
    let what = "a pipeline with fewer tests";
    // SAFETY: as the caller says.
    let description = unsafe { origin.description((runtime, codec, device), arguments) }?;
    let bit = 1u32.checked_shl(sample).ok_or("there is no such sample")?;
    let shaders = [probe_shader::make(true), probe_shader::make(false), probe_shader::nothing()];
    let [probe, face, nothing] = shaders.each_ref().map(|shader| D3D12_SHADER_BYTECODE {
        pShaderBytecode: shader.as_ptr().cast(),
        BytecodeLength: shader.len() as _,
    });
    let mut own = Own { bit, probe, nothing, of_one_view, locations: Default::default() };
    if let (true, Description::Stream(stream)) = (of_one_view, &description) {
        own.locations = in_first_slice(&stream.get(Subobject::VIEW_INSTANCING).unwrap_or_default());
    }
    // SAFETY: the codec rebuilt the bytes of the description's shaders behind its pointers, and they live as long as the words.
    let given = unsafe {
        match &description {
            Description::Whole(desc) => Given::of_desc(desc),
            Description::Stream(stream) => Given::of_stream(stream),
        }
    }?;
    own.probe = if given.counts_itself { face } else { probe };
    given.variants(wanted, |variant| {
        let mut description = description.clone();
        match &mut description {
            Description::Whole(desc) => **desc = changed(**desc, variant, &own),
            Description::Stream(stream) => change(stream, variant, &own),
        }
        description.make(runtime, device, what)
    })
}

/// What variants have of replay's own.
struct Own {
    /// Of the sample that is looked at.
    bit: u32,
    /// The shader that tells which primitive a fragment is of.
    probe: D3D12_SHADER_BYTECODE,
    /// One that gives nothing, in the place of the program's; for marks one that gives a colour.
    nothing: D3D12_SHADER_BYTECODE,
    /// The list's mask chooses among view instances, whether or not it does so for the program's pipeline.
    of_one_view: bool,
    locations: [D3D12_VIEW_INSTANCE_LOCATION; MOST_VIEWS],
}

/// Where views are drawn to in targets of replay's own, which have one slice: the viewports are those of the program.
fn in_first_slice(views: &D3D12_VIEW_INSTANCING_DESC) -> [D3D12_VIEW_INSTANCE_LOCATION; MOST_VIEWS] {
    let count = (views.ViewInstanceCount as usize).min(MOST_VIEWS);
    let mut locations = [D3D12_VIEW_INSTANCE_LOCATION::default(); MOST_VIEWS];
    if !views.pViewInstanceLocations.is_null() {
        // SAFETY: the codec rebuilt so many of them behind the pointer.
        let own = unsafe { core::slice::from_raw_parts(views.pViewInstanceLocations, count) };
        for (to, from) in locations.iter_mut().zip(own) {
            to.ViewportArrayIndex = from.ViewportArrayIndex;
        }
    }
    locations
}

/// A description with what a variant has.
fn changed(
    mut desc: D3D12_GRAPHICS_PIPELINE_STATE_DESC,
    variant: &Variant,
    own: &Own,
) -> D3D12_GRAPHICS_PIPELINE_STATE_DESC {
    rasterizer!(desc.RasterizerState, variant);
    depth_stencil!(desc.DepthStencilState, variant, bounds: false, mask: true);
    blend(&mut desc.BlendState, variant);
    desc.SampleMask = if variant.sample_mask { desc.SampleMask & own.bit } else { own.bit };
    pixel_shader(&mut desc.PS, variant, own);
    if let Some((slot, _)) = variant.colours {
        let targets = Single::Output(slot).targets(&desc.RTVFormats);
        (desc.RTVFormats, desc.NumRenderTargets) = (targets.RTFormats, targets.NumRenderTargets);
    }
    if let Some(mark) = variant.mark {
        let targets = mark.targets();
        (desc.RTVFormats, desc.NumRenderTargets) = (targets.RTFormats, targets.NumRenderTargets);
    }
    if let Some(single) = variant.single {
        let targets = single.targets(&desc.RTVFormats);
        (desc.RTVFormats, desc.NumRenderTargets) = (targets.RTFormats, targets.NumRenderTargets);
        desc.DSVFormat = DXGI_FORMAT(DEPTH as _);
    }
    desc
}

fn pixel_shader(shader: &mut D3D12_SHADER_BYTECODE, variant: &Variant, own: &Own) {
    match variant.single {
        Some(Single::Identity) => *shader = own.probe,
        Some(Single::Output(_)) => {}
        None if variant.shader => {}
        None => *shader = own.nothing,
    }
}

impl Single {
    /// The formats of its targets, of the program's.
    fn targets(self, formats: &[DXGI_FORMAT; 8]) -> D3D12_RT_FORMAT_ARRAY {
        let mut targets = D3D12_RT_FORMAT_ARRAY::default();
        let slot = match self {
            Self::Identity => 0,
            Self::Output(slot) => slot,
        };
        targets.RTFormats[slot] = match self {
            Self::Identity => DXGI_FORMAT(WORDS as _),
            Self::Output(slot) => formats[slot],
        };
        targets.NumRenderTargets = slot as u32 + 1;
        targets
    }
}

/// Nothing is written, or a single fragment as it is.
fn blend(desc: &mut D3D12_BLEND_DESC, variant: &Variant) {
    if let Some((_, blends)) = variant.colours {
        for target in desc.RenderTarget.iter_mut().filter(|_| !blends) {
            (target.BlendEnable, target.LogicOpEnable) = (0, 0);
        }
        return;
    }
    for target in &mut desc.RenderTarget {
        let writes = variant.single.is_some() || variant.mark.is_some();
        target.RenderTargetWriteMask = if writes { 15 } else { 0 };
        if writes {
            (target.BlendEnable, target.LogicOpEnable) = (0, 0);
        }
        if matches!(variant.mark, Some(Mark::Blended(_))) {
            target.BlendEnable = 1;
            (target.SrcBlend, target.DestBlend, target.BlendOp) =
                (D3D12_BLEND::ZERO, D3D12_BLEND::ZERO, D3D12_BLEND_OP::ADD);
            (target.SrcBlendAlpha, target.DestBlendAlpha, target.BlendOpAlpha) =
                (D3D12_BLEND::ZERO, D3D12_BLEND::ZERO, D3D12_BLEND_OP::ADD);
        }
    }
    if !variant.shader || variant.whole {
        desc.AlphaToCoverageEnable = 0;
    }
}

impl Given {
    /// # Safety
    /// The shaders are where the description says.
    unsafe fn of_desc(desc: &D3D12_GRAPHICS_PIPELINE_STATE_DESC) -> Result<Self, String> {
        let before = [desc.VS, desc.HS, desc.DS, desc.GS];
        // SAFETY: the caller says that all shaders of the description are where it says, and these are some of them.
        unsafe { Self::check(&before) }?;
        let has_depth = desc.DSVFormat != DXGI_FORMAT(0);
        let state = &desc.DepthStencilState;
        Ok(Self {
            culls: desc.RasterizerState.CullMode != D3D12_CULL_MODE::NONE,
            cull: desc.RasterizerState.CullMode,
            counter_clockwise: desc.RasterizerState.FrontCounterClockwise != 0,
            depth_clip: desc.RasterizerState.DepthClipEnable != 0,
            sample_mask: desc.SampleMask,
            has_shader: !desc.PS.pShaderBytecode.is_null(),
            // SAFETY: the caller says that the description's pixel shader is where it says.
            shader_writes: unsafe { writes(desc.PS) },
            // SAFETY: the caller says that the description's pixel shader is where it says.
            tests_early: unsafe { asks_for_early_tests(desc.PS) },
            // SAFETY: the caller says that the description's pixel shader is where it says.
            gives_stencil: gives_stencil(&unsafe { given_rows(desc.PS) }),
            depth_bounds: false,
            stencil: has_depth && state.StencilEnable != 0,
            depth: has_depth && state.DepthEnable != 0 && state.DepthFunc != D3D12_COMPARISON_FUNC::ALWAYS,
            triangles: !matches!(
                desc.PrimitiveTopologyType,
                D3D12_PRIMITIVE_TOPOLOGY_TYPE::POINT | D3D12_PRIMITIVE_TOPOLOGY_TYPE::LINE
            ),
            masks: masks(&desc.BlendState),
            depth_writes: has_depth && state.DepthEnable != 0 && state.DepthWriteMask == D3D12_DEPTH_WRITE_MASK::ALL,
            stencil_writes: has_depth && state.StencilEnable != 0 && state.StencilWriteMask != 0,
            formats: formats(&desc.RTVFormats, desc.NumRenderTargets),
            samples: (desc.SampleDesc.Count, desc.SampleDesc.Quality),
            counts_itself: !desc.GS.pShaderBytecode.is_null(),
            // SAFETY: the caller says that the description's pixel shader is where it says.
            outputs: outputs(&unsafe { given_rows(desc.PS) }),
        })
    }

    /// # Safety
    /// The shaders are where the stream says.
    unsafe fn of_stream(stream: &Stream<'_>) -> Result<Self, String> {
        let shader = |kind| stream.get::<D3D12_SHADER_BYTECODE>(kind).unwrap_or_default();
        let before =
            [Subobject::VS, Subobject::HS, Subobject::DS, Subobject::GS, Subobject::AS, Subobject::MS].map(shader);
        // SAFETY: the caller says that all shaders of the stream are where it says, and these are some of them.
        unsafe { Self::check(&before) }?;
        let pixel = shader(Subobject::PS);
        let format = stream.get::<DXGI_FORMAT>(Subobject::DEPTH_STENCIL_FORMAT).unwrap_or_default();
        let topology = stream.get::<D3D12_PRIMITIVE_TOPOLOGY_TYPE>(Subobject::PRIMITIVE_TOPOLOGY);
        let targets = stream.get::<D3D12_RT_FORMAT_ARRAY>(Subobject::RENDER_TARGET_FORMATS);
        let mut given = Self {
            sample_mask: stream.get(Subobject::SAMPLE_MASK).unwrap_or(u32::MAX),
            has_shader: !pixel.pShaderBytecode.is_null(),
            // SAFETY: the caller says that the stream's pixel shader is where it says.
            shader_writes: unsafe { writes(pixel) },
            // SAFETY: the caller says that the stream's pixel shader is where it says.
            tests_early: unsafe { asks_for_early_tests(pixel) },
            // SAFETY: the caller says that the stream's pixel shader is where it says.
            gives_stencil: gives_stencil(&unsafe { given_rows(pixel) }),
            // SAFETY: the caller says that the stream's pixel shader is where it says.
            outputs: outputs(&unsafe { given_rows(pixel) }),
            triangles: topology.is_none_or(|topology| {
                !matches!(topology, D3D12_PRIMITIVE_TOPOLOGY_TYPE::POINT | D3D12_PRIMITIVE_TOPOLOGY_TYPE::LINE)
            }),
            masks: stream.get(Subobject::BLEND).map_or([15; 8], |desc| masks(&desc)),
            formats: targets.map_or([0; 8], |it| formats(&it.RTFormats, it.NumRenderTargets)),
            samples: stream
                .get::<DXGI_SAMPLE_DESC>(Subobject::SAMPLE_DESC)
                .map_or((1, 0), |desc| (desc.Count, desc.Quality)),
            counts_itself: [Subobject::GS, Subobject::MS].map(shader).iter().any(|it| !it.pShaderBytecode.is_null()),
            ..Self::default()
        };
        macro_rules! rasterizer_of {
            ($($kind:ident: $type:ty),*) => {$(
                if let Some(desc) = stream.get::<$type>(Subobject::$kind) {
                    given.culls = desc.CullMode != D3D12_CULL_MODE::NONE;
                    given.cull = desc.CullMode;
                    given.counter_clockwise = desc.FrontCounterClockwise != 0;
                    given.depth_clip = desc.DepthClipEnable != 0;
                }
            )*};
        }
        rasterizer_of!(
            RASTERIZER: D3D12_RASTERIZER_DESC,
            RASTERIZER1: D3D12_RASTERIZER_DESC1,
            RASTERIZER2: D3D12_RASTERIZER_DESC2
        );
        macro_rules! depth_of {
            ($($kind:ident: $type:ty, |$desc:ident| $bounds:expr, $mask:expr);*) => {$(
                if let Some($desc) = stream.get::<$type>(Subobject::$kind) {
                    given.depth = $desc.DepthEnable != 0 && $desc.DepthFunc != D3D12_COMPARISON_FUNC::ALWAYS;
                    given.depth_writes = $desc.DepthEnable != 0 && $desc.DepthWriteMask == D3D12_DEPTH_WRITE_MASK::ALL;
                    given.stencil = $desc.StencilEnable != 0;
                    given.stencil_writes = given.stencil && $mask != 0;
                    given.depth_bounds = $bounds != 0;
                }
            )*};
        }
        depth_of!(
            DEPTH_STENCIL: D3D12_DEPTH_STENCIL_DESC, |desc| 0, desc.StencilWriteMask;
            DEPTH_STENCIL1: D3D12_DEPTH_STENCIL_DESC1, |desc| desc.DepthBoundsTestEnable, desc.StencilWriteMask;
            DEPTH_STENCIL2: D3D12_DEPTH_STENCIL_DESC2, |desc| desc.DepthBoundsTestEnable,
                desc.FrontFace.StencilWriteMask | desc.BackFace.StencilWriteMask
        );
        if format == DXGI_FORMAT(0) {
            (given.depth, given.stencil, given.depth_bounds) = (false, false, false);
            (given.depth_writes, given.stencil_writes) = (false, false);
        }
        Ok(given)
    }

    /// # Safety
    /// The shaders are where they say.
    unsafe fn check(shaders: &[D3D12_SHADER_BYTECODE]) -> Result<(), String> {
        // SAFETY: the caller says that each of these shaders is where it says.
        if shaders.iter().any(|shader| unsafe { writes(*shader) }) {
            return Err("its shaders before the rasteriser write through unordered views, and would twice".into());
        }
        Ok(())
    }

    /// How fragments of the program's pixel shader are marked, by what it gives for this slot if that can be; `None`: there is no pixel shader.
    ///
    /// # Errors
    /// It cannot be run for that: what is wrong about fragments that are marked without it.
    fn mark(&self, slot: Option<u32>) -> Result<Option<Mark>, Option<String>> {
        if !self.has_shader {
            return Ok(None);
        }
        if self.shader_writes {
            return Err(Some(
                "its pixel shader writes through unordered views, so it is not run again: what it discards counts as drawn".into(),
            ));
        }
        let mut all: Vec<&ShaderOutput> = self.outputs.iter().collect();
        all.sort_by_key(|it| (it.kind != OutputKind::Float, Some(it.slot as u32) != slot, it.slot));
        let first = all.first().ok_or_else(|| {
            Some("its pixel shader gives no colour, by which fragments are marked: what it discards counts as drawn, and depth is that of the triangle".to_owned())
        })?;
        Ok(Some(match first.kind {
            OutputKind::Float => Mark::Blended(first.slot),
            OutputKind::Unsigned => Mark::Given(first.slot, WORDS),
            OutputKind::Signed => Mark::Given(first.slot, SIGNED_WORDS),
        }))
    }

    /// All variants, each with one test more than the one before it.
    fn variants(
        self,
        wanted: Wanted,
        mut make: impl FnMut(&Variant) -> Result<u64, String>,
    ) -> Result<Variants, String> {
        let mut variant = Variant::default();
        let first = make(&variant)?;
        let (slot, in_full) = match wanted {
            Wanted::All { slot, in_full } => (slot, in_full),
            Wanted::Coverage => {
                let tests = vec![(PixelTest::Coverage, first)];
                let singles = Err("not asked for".to_owned());
                return Ok(Variants { tests, front: None, singles, given: self, notes: Vec::new() });
            }
        };
        let front = match self.triangles {
            true => Some(make(&Variant { cull: Cull::BackFaces, ..variant })?),
            false => None,
        };
        let mut tests = vec![(PixelTest::Coverage, first), (PixelTest::Scissor, first)];
        let mut notes = Vec::new();
        let mut add = |test, variant: &Variant| -> Result<(), String> {
            tests.push((test, make(variant)?));
            Ok(())
        };
        variant.cull = Cull::Program;
        if self.culls {
            add(PixelTest::Cull, &variant)?;
        }
        variant.depth_clip = true;
        if self.depth_clip {
            add(PixelTest::DepthClip, &variant)?;
        }
        variant.sample_mask = true;
        if self.sample_mask != u32::MAX {
            add(PixelTest::SampleMask, &variant)?;
        }
        if self.has_shader && self.shader_writes {
            notes.push(
                "its pixel shader writes through unordered views, so it is not run again: what it discards is not known"
                    .to_owned(),
            );
        } else if self.tests_early && !in_full {
            notes.push(
                "its pixel shader asks for the tests before it runs, and devices may count what it discards: that is not known"
                    .to_owned(),
            );
        } else if self.has_shader {
            variant.shader = true;
            add(PixelTest::Discard, &variant)?;
        }
        variant.depth_bounds = true;
        if self.depth_bounds {
            add(PixelTest::DepthBounds, &variant)?;
        }
        variant.stencil = true;
        if self.stencil {
            add(PixelTest::Stencil, &variant)?;
        }
        variant.depth = true;
        if self.depth {
            add(PixelTest::Depth, &variant)?;
        }
        if self.gives_stencil {
            notes.push(
                "its pixel shader gives the stencil reference, by which fragments are told apart: what else it gives is not known"
                    .to_owned(),
            );
        }
        let singles = self.singles((slot, in_full), make);
        Ok(Variants { tests, front, singles, given: self, notes })
    }

    /// Pipelines that write single fragments.
    fn singles(
        &self,
        (slot, in_full): (Option<u32>, bool),
        mut make: impl FnMut(&Variant) -> Result<u64, String>,
    ) -> Result<Singles, String> {
        if self.samples.0 > 1 && !in_full {
            return Err("fragments of multisampled targets are counted, and not shown one by one".into());
        }
        let plain = Variant::default();
        let identity = make(&Variant { single: Some(Single::Identity), ..plain })?;
        // What is discarded leaves what was there, which is no output. A debugger knows which of them are.
        let is_known = !self.tests_early || in_full;
        let can_run = self.has_shader && !self.shader_writes && !self.gives_stencil && is_known;
        let slot = slot.map(|slot| slot as usize);
        let others = self.outputs.iter().map(|it| it.slot).filter(|it| in_full && Some(*it) != slot);
        let format = |slot: usize| self.formats.get(slot).copied().filter(|format| *format != 0);
        let targets = slot.into_iter().chain(others).filter(|_| can_run).filter_map(|slot| Some((slot, format(slot)?)));
        let shading = Variant { shader: true, whole: true, ..plain };
        let mut outputs = Vec::new();
        for (slot, format) in targets {
            let writing = make(&Variant { single: Some(Single::Output(slot)), ..shading })?;
            outputs.push(Output { slot, writing, format });
        }
        let counting = if outputs.is_empty() { None } else { Some(make(&shading)?) };
        let (has_primitives, samples) = (!self.counts_itself, self.samples);
        Ok(Singles { identity, has_primitives, samples, counting, outputs })
    }
}

/// Whether a pixel shader asks for the tests before it runs. One that cannot be read does not.
///
/// # Safety
/// The bytecode is where the structure says.
unsafe fn asks_for_early_tests(shader: D3D12_SHADER_BYTECODE) -> bool {
    // SAFETY: the caller says that the bytecode is there.
    unsafe { code(&shader) }.is_some_and(|bytes| tests_early(bytes).unwrap_or(false))
}

/// The bytes of a shader, where there is one.
///
/// # Safety
/// The bytecode is where the structure says, and is not written while the bytes are read.
unsafe fn code(shader: &D3D12_SHADER_BYTECODE) -> Option<&[u8]> {
    let length = shader.BytecodeLength as usize;
    // SAFETY: the caller says that there are so many bytes at this place, where it is not null.
    (!shader.pShaderBytecode.is_null())
        .then(|| unsafe { core::slice::from_raw_parts(shader.pShaderBytecode.cast::<u8>(), length) })
}

/// What a pixel shader gives: the rows of its output signature. None where it cannot be read.
///
/// # Safety
/// The bytecode is where the structure says.
unsafe fn given_rows(shader: D3D12_SHADER_BYTECODE) -> Vec<signature::Element> {
    // SAFETY: the caller says that the bytecode is there; it is not written while this runs.
    let Some(bytes) = (unsafe { code(&shader) }) else { return Vec::new() };
    let Ok(container) = Container::parse(bytes) else { return Vec::new() };
    let part = [*b"OSG1", *b"OSGN"].into_iter().find_map(|tag| container.part(Tag(tag)));
    part.and_then(|part| signature::parse(&part).ok()).unwrap_or_default()
}

/// Whether a pixel shader gives the stencil reference.
fn gives_stencil(rows: &[signature::Element]) -> bool {
    rows.iter().any(|row| row.semantic.eq_ignore_ascii_case("SV_StencilRef"))
}

/// What it gives for targets.
fn outputs(rows: &[signature::Element]) -> Vec<ShaderOutput> {
    let targets = rows.iter().filter(|row| row.semantic.eq_ignore_ascii_case("SV_Target") && row.index < 8);
    let kind = |row: &signature::Element| {
        // `D3D_REGISTER_COMPONENT_TYPE`, whose numbers of 16 bits follow those of 32.
        Some(match row.component_type {
            1 | 4 => OutputKind::Unsigned,
            2 | 5 => OutputKind::Signed,
            3 | 6 => OutputKind::Float,
            _ => return None,
        })
    };
    targets.filter_map(|row| Some(ShaderOutput { slot: row.index as usize, kind: kind(row)? })).collect()
}

fn formats(formats: &[DXGI_FORMAT; 8], count: u32) -> [u32; 8] {
    std::array::from_fn(|at| if (at as u32) < count { formats[at].0 as u32 } else { 0 })
}

/// The write masks of targets.
fn masks(desc: &D3D12_BLEND_DESC) -> [u8; 8] {
    let of = |at: usize| if desc.IndependentBlendEnable != 0 { at } else { 0 };
    std::array::from_fn(|at| desc.RenderTarget[of(at)].RenderTargetWriteMask & 15)
}

/// Takes away what a variant does not have.
fn change(stream: &mut Stream<'_>, variant: &Variant, own: &Own) {
    stream.put(Subobject::RASTERIZER, |desc: &mut D3D12_RASTERIZER_DESC| rasterizer!(desc, variant));
    stream.put(Subobject::RASTERIZER1, |desc: &mut D3D12_RASTERIZER_DESC1| rasterizer!(desc, variant));
    stream.put(Subobject::RASTERIZER2, |desc: &mut D3D12_RASTERIZER_DESC2| rasterizer!(desc, variant));
    stream.put(Subobject::DEPTH_STENCIL, |desc: &mut D3D12_DEPTH_STENCIL_DESC| {
        depth_stencil!(desc, variant, bounds: false, mask: true);
    });
    stream.put(Subobject::DEPTH_STENCIL1, |desc: &mut D3D12_DEPTH_STENCIL_DESC1| {
        depth_stencil!(desc, variant, bounds: true, mask: true);
    });
    stream.put(Subobject::DEPTH_STENCIL2, |desc: &mut D3D12_DEPTH_STENCIL_DESC2| {
        depth_stencil!(desc, variant, bounds: true, mask: false);
    });
    stream.put(Subobject::BLEND, |desc: &mut D3D12_BLEND_DESC| blend(desc, variant));
    if own.of_one_view {
        stream.put(Subobject::VIEW_INSTANCING, |desc: &mut D3D12_VIEW_INSTANCING_DESC| {
            desc.Flags = D3D12_VIEW_INSTANCING_FLAGS::ENABLE_VIEW_INSTANCE_MASKING;
            if variant.single.is_some() {
                desc.pViewInstanceLocations = own.locations.as_ptr();
            }
        });
    }
    stream.put(Subobject::SAMPLE_MASK, |mask: &mut u32| {
        *mask = if variant.sample_mask { *mask & own.bit } else { own.bit };
    });
    stream.put(Subobject::PS, |shader: &mut D3D12_SHADER_BYTECODE| pixel_shader(shader, variant, own));
    if let Some((slot, _)) = variant.colours {
        stream.put(Subobject::RENDER_TARGET_FORMATS, |targets: &mut D3D12_RT_FORMAT_ARRAY| {
            *targets = Single::Output(slot).targets(&targets.RTFormats);
        });
    }
    if let Some(mark) = variant.mark {
        stream.put(Subobject::RENDER_TARGET_FORMATS, |targets: &mut D3D12_RT_FORMAT_ARRAY| *targets = mark.targets());
    }
    if let Some(single) = variant.single {
        stream.put(Subobject::RENDER_TARGET_FORMATS, |targets: &mut D3D12_RT_FORMAT_ARRAY| {
            *targets = single.targets(&targets.RTFormats);
        });
        stream.put(Subobject::DEPTH_STENCIL_FORMAT, |format: &mut DXGI_FORMAT| *format = DXGI_FORMAT(DEPTH as _));
    }
}
