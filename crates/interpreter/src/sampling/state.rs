//! What a sampler says, and what it has to know of a view.

/// What stands for texels beside a texture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Address {
    /// The texture again.
    #[default]
    Wrap,
    /// The texture mirrored, in turn.
    Mirror,
    /// Its outermost texels.
    Clamp,
    /// The border's colour.
    Border,
    /// Mirrored once, then its outermost texels.
    MirrorOnce,
}

/// Which comparisons give 1: of the reference with the texel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the API's words")]
pub enum Compare {
    Never,
    Less,
    Equal,
    LessEqual,
    Greater,
    NotEqual,
    GreaterEqual,
    Always,
}

impl Compare {
    /// By its number in the API.
    pub fn by_number(number: u32) -> Option<Compare> {
        use Compare::*;
        let all = [Never, Less, Equal, LessEqual, Greater, NotEqual, GreaterEqual, Always];
        all.get(usize::try_from(number).ok()?.checked_sub(1)?).copied()
    }

    /// Whether a reference passes.
    pub fn passes(self, reference: f64, texel: f64) -> bool {
        match self {
            Compare::Never => false,
            Compare::Less => reference < texel,
            Compare::Equal => reference == texel,
            Compare::LessEqual => reference <= texel,
            Compare::Greater => reference > texel,
            Compare::NotEqual => reference != texel,
            Compare::GreaterEqual => reference >= texel,
            Compare::Always => true,
        }
    }
}

/// How texels become one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reduction {
    /// By their weights.
    #[default]
    Average,
    /// The least of those that have a weight.
    Minimum,
    /// The greatest.
    Maximum,
}

/// A sampler.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampler {
    /// Several texels are weighed where the texture is magnified.
    pub magnified: bool,
    /// And where it is minified.
    pub minified: bool,
    /// Two levels are weighed.
    pub levels: bool,
    /// More of them along the direction in which the texture is minified most.
    pub anisotropic: bool,
    /// The greatest ratio of the two directions.
    pub most: u32,
    /// How texels become one.
    pub reduction: Reduction,
    /// Along each axis.
    pub address: [Address; 3],
    /// Added to the level of detail.
    pub bias: f32,
    /// The least level of detail.
    pub least: f32,
    /// The greatest.
    pub greatest: f32,
    /// Of samplers that compare.
    pub compare: Option<Compare>,
    /// Coordinates count texels.
    pub texels: bool,
}

/// A view as a sampler sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surface {
    /// What samples it.
    pub sampler: Sampler,
    /// The border's colour as the view's format and mapping have it; bits as of texels.
    pub border: [u64; 4],
    /// Of each component the steps from 0 to 1, of formats of fixed point; `None` for floats and integers.
    pub steps: [Option<f64>; 4],
    /// Components that are encoded as sRGB has them, as the view maps them.
    pub srgb: [bool; 4],
    /// Texels are integers, with a sign or without.
    pub integer: bool,
    /// The least level of detail that the view has.
    pub least: f32,
}
