//! Layers of overlays: which texels of a target a draw reaches with some of its tests.

/// A draw whose layers are wanted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OverlayWish {
    /// The call that draws, by the numbers of `reprise dump`.
    pub call: u64,
    /// The call that submits its list; `None`: the first that does.
    pub submission: Option<u64>,
    /// The slot of the target whose texels are meant; `None`: the depth buffer's.
    pub slot: Option<u32>,
    /// With which tests.
    pub layers: Vec<OverlayLayer>,
    /// What the target would have, had the draw these tests; its pixel shader runs in any case.
    pub colours: Option<OverlayColours>,
}

/// How a draw is made in a copy of its target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OverlayColours {
    /// Its tests.
    pub layer: OverlayLayer,
    /// What it gives is blended as the program has it, and not written as it is.
    pub blend: bool,
}

/// Faces that are culled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OverlayCull {
    /// None.
    Nothing,
    /// Back faces.
    BackFaces,
    /// Front faces.
    FrontFaces,
    /// Those that the program culls.
    Program,
}

/// The tests of the program's that a draw keeps in a layer. A layer writes neither depth nor stencil, so each fragment is tested against what was
/// there before the draw.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OverlayLayer {
    /// Its scissor rectangles; without them, none.
    pub scissor: bool,
    /// Faces that are culled.
    pub cull: OverlayCull,
    /// Its clip of depth.
    pub depth_clip: bool,
    /// Its mask of samples.
    pub sample_mask: bool,
    /// Its pixel shader, with what it discards.
    pub shader: bool,
    /// Its depth bounds.
    pub depth_bounds: bool,
    /// Its stencil test.
    pub stencil: bool,
    /// Its depth test.
    pub depth: bool,
    /// Edges of primitives alone.
    pub wireframe: bool,
}

impl OverlayLayer {
    /// All that primitives cover, without any test.
    pub const COVERAGE: Self = Self {
        scissor: false,
        cull: OverlayCull::Nothing,
        depth_clip: false,
        sample_mask: false,
        shader: false,
        depth_bounds: false,
        stencil: false,
        depth: false,
        wireframe: false,
    };
    /// What the draw reaches with all of its tests.
    pub const WHOLE: Self = Self {
        scissor: true,
        cull: OverlayCull::Program,
        depth_clip: true,
        sample_mask: true,
        shader: true,
        depth_bounds: true,
        stencil: true,
        depth: true,
        wireframe: false,
    };
}

/// What a draw reaches.
#[derive(Clone, Debug)]
pub struct Overlay {
    /// The call that submitted the list.
    pub submission: u64,
    /// In texels, of the target.
    pub width: u32,
    /// In texels, of the target.
    pub height: u32,
    /// Of a texel.
    pub samples: u32,
    /// The program's pipeline tests depth: without that, all fragments pass.
    pub tests_depth: bool,
    /// The same of stencil.
    pub tests_stencil: bool,
    /// Faces that the program's pipeline culls.
    pub cull: OverlayCull,
    /// Its front faces are those that are counter-clockwise.
    pub counter_clockwise: bool,
    /// For each layer, whether the draw reaches a texel in any of its samples, row by row.
    pub layers: Vec<Vec<bool>>,
    /// What the target would have, where that was asked for: texels in the format of its view, for each sample; or why there are none.
    pub colours: Option<Result<Vec<Vec<u8>>, String>>,
    /// Remarks on what the layers are.
    pub notes: Vec<String>,
}
