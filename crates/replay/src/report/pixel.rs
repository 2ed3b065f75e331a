//! The history of a pixel: what is asked for, and what is told.

use std::collections::BTreeMap;

use crate::report::lone_draw::LoneDraw;

/// A pixel of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PixelWish {
    /// Frames count from 1; 1 also for a trace without frames.
    pub frame: u64,
    /// Column and row, counted from 0 at the upper left.
    pub at: (u32, u32),
    /// The texture; `None`: what the frame shows.
    pub resource: Option<u32>,
    /// Level of detail; `None`: 0, and of what the frame shows the one that it writes. So of a slice and a plane.
    pub mip: Option<u32>,
    /// Of an array, or of a volume's depth.
    pub slice: Option<u32>,
    /// 0 for depth, 1 for stencil; 0 where there is only one.
    pub plane: Option<u32>,
    /// Of a multisampled texture.
    pub sample: u32,
}

/// Why there is no history.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoPixelHistory {
    /// The trace cannot be read.
    Unread(String),
    /// There is no such frame, texture, part of it or pixel.
    Wrong(String),
    /// No call is known to write it.
    Nothing(String),
}

impl std::fmt::Display for NoPixelHistory {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (Self::Unread(what) | Self::Wrong(what) | Self::Nothing(what)) = self;
        out.write_str(what)
    }
}

/// A texel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PixelPlace {
    /// Its resource's id in the trace.
    pub resource: u32,
    /// Level of detail.
    pub mip: u32,
    /// Of an array, or of a volume's depth.
    pub slice: u32,
    /// 0 for depth, 1 for stencil; 0 where there is only one.
    pub plane: u32,
    /// Column and row.
    pub at: (u32, u32),
}

/// What may have changed a pixel, in order.
#[derive(Clone, Debug)]
pub struct PixelHistory {
    /// The texel whose history it is.
    pub place: PixelPlace,
    /// Samples of its texture.
    pub samples: u32,
    /// `DXGI_FORMAT` of the first view that draws to or clears it; 0: that of the resource.
    pub format: u32,
    /// Bytes that a copy of its subresource takes, about.
    pub bytes: u64,
    /// Copies and resolves that were followed back, from what the frame shows: the call, the texel that it wrote and the one that it read,
    /// and samples of what it read.
    pub followed: Vec<(u64, PixelPlace, PixelPlace, u32)>,
    /// In the order of the submissions.
    pub events: Vec<PixelEvent>,
    /// Calls of the frame of which it is not known what they write, or not all of it: how many, by reason.
    pub left_out: BTreeMap<String, u64>,
}

/// A call that touched the pixel, or could have.
#[derive(Clone, Debug)]
pub struct PixelEvent {
    /// The call that submits its list.
    pub submission: u64,
    /// The list.
    pub list: u32,
    /// Its number.
    pub call: u64,
    /// As in `DrawInstanced`.
    pub method: &'static str,
    /// How it touches the pixel.
    pub touch: PixelTouch,
    /// What is looked at is the stencil.
    pub is_stencil: bool,
    /// The pixel lies outside of its rectangles, or of its box.
    pub is_outside: bool,
    /// The call that runs its bundle.
    pub bundle: Option<u64>,
    /// The call that begins its render pass, within which nothing can be copied.
    pub pass: Option<u64>,
    /// The depth buffer beside the target, where it draws, and whether it has a stencil.
    pub depth: Option<(PixelPlace, bool)>,
    /// Whether what is before and what is after it can be copied at its place.
    pub can_be_shown: [bool; 2],
    /// It draws.
    pub draws: bool,
    /// Slices of the view that it draws to, among which shaders choose.
    pub slices: u32,
    /// A dispatch of rays whose size the call itself says.
    pub rays: Option<PixelRays>,
}

/// A dispatch of rays, which may write the pixel by any of its threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PixelRays {
    /// How many threads it has in each direction.
    pub threads: [u32; 3],
    /// The thread that has the pixel's place as its index, where there is one for each texel. Which texel a thread writes is its shader's
    /// matter: nearly all write that of their index.
    pub thread: Option<[u32; 3]>,
}

/// How a call touches a pixel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PixelTouch {
    /// Clears it.
    Clear,
    /// Draws to it, as the target of this slot.
    Target(u32),
    /// Draws with it as depth buffer.
    Depth,
    /// Has an unordered view of it bound.
    Unordered,
    /// Copies to it.
    Copy,
    /// Resolves to it.
    Resolve,
    /// Begins a render pass with it.
    PassBegin,
    /// Ends a render pass.
    PassEnd,
    /// Runs a bundle.
    Bundle,
    /// Gives its contents up.
    Discard,
}

impl PixelTouch {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Clear => "clear",
            Self::Target(_) => "target",
            Self::Depth => "depth",
            Self::Unordered => "unordered",
            Self::Copy => "copy",
            Self::Resolve => "resolve",
            Self::PassBegin => "pass_begin",
            Self::PassEnd => "pass_end",
            Self::Bundle => "bundle",
            Self::Discard => "discard",
        }
    }
}

/// Draws whose tests are wanted.
#[derive(Clone, Debug)]
pub struct PixelDraws {
    /// The pixel in the draws' targets.
    pub at: (u32, u32),
    /// The sample that is looked at.
    pub sample: u32,
    /// The draws.
    pub draws: Vec<PixelDraw>,
    /// Whether a primitive covers the sample is all that is wanted.
    pub coverage_only: bool,
    /// Fragments are wanted with what pixel shaders give for all targets, and not for that of the slot alone, and of targets of several samples, too.
    pub in_full: bool,
    /// The view instance whose fragments are wanted, of pipelines that have several; `None`: all are.
    pub view: Option<u32>,
}

/// A draw whose tests are wanted.
#[derive(Clone, Debug)]
pub struct PixelDraw {
    /// The call that submits its list.
    pub submission: u64,
    /// Its number.
    pub call: u64,
    /// Slot of the target.
    pub slot: Option<u32>,
    /// The plane of the depth buffer, where that is looked at. Neither this nor a slot: what is written is told by nothing of the pipeline.
    pub plane: Option<u32>,
    /// One of the draws that the call makes; `None`: the call is a draw, or all that an indirect call makes are one.
    pub lone: Option<LoneDraw>,
}

/// What was found of a draw at a pixel, by submission and call.
pub type PixelTests = BTreeMap<(u64, u64), Result<DrawTests, String>>;

/// How many fragments of a draw at the pixel's sample pass each test and those before it.
#[derive(Clone, Debug, Default)]
pub struct DrawTests {
    /// How many pass, in the order of the tests in the pipeline. The first is how many the primitives cover, without any test.
    pub left: Vec<(PixelTest, u64)>,
    /// Of the first: front faces and back faces.
    pub faces: Option<(u64, u64)>,
    /// The pipeline writes nothing of a fragment that passes: its write mask takes nothing, or depth or stencil are not written.
    pub masked: bool,
    /// The pixel lies outside of all viewports.
    pub is_outside: bool,
    /// The fragments that come there without any test, in their order; the first few.
    pub fragments: Vec<Fragment>,
    /// `DXGI_FORMAT` of their outputs.
    pub output_format: u32,
    /// Remarks.
    pub notes: Vec<String>,
}

/// A fragment of a draw.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fragment {
    /// Its primitive, counted from 0 in each instance.
    pub primitive: Option<u32>,
    /// Its instance, counted from 0.
    pub instance: Option<u32>,
    /// Whether it is of the front face.
    pub front: Option<bool>,
    /// Its depth, in the viewport's range; that of the pixel shader where it gives one.
    pub depth: Option<f32>,
    /// What the pixel shader gives for the target, as the target's texels lie.
    pub output: Option<Vec<u8>>,
    /// The same of all targets that are told: by slot, `DXGI_FORMAT` and texel.
    pub outputs: BTreeMap<u32, (u32, Vec<u8>)>,
}

/// A test that a fragment can fail.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum PixelTest {
    /// None: the primitive covers the sample.
    Coverage,
    /// The scissor rectangle.
    Scissor,
    /// Culling of front or back faces.
    Cull,
    /// The near and far plane.
    DepthClip,
    /// The pipeline's sample mask.
    SampleMask,
    /// The pixel shader's discard, or its coverage.
    Discard,
    /// The bounds of what the depth buffer holds.
    DepthBounds,
    /// Stencil.
    Stencil,
    /// Depth.
    Depth,
    /// The predicate.
    Predicate,
}

impl PixelTest {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Coverage => "coverage",
            Self::Scissor => "scissor",
            Self::Cull => "cull",
            Self::DepthClip => "depth_clip",
            Self::SampleMask => "sample_mask",
            Self::Discard => "discard",
            Self::DepthBounds => "depth_bounds",
            Self::Stencil => "stencil",
            Self::Depth => "depth",
            Self::Predicate => "predicate",
        }
    }
}
