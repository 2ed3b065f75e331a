//! Which part of a texture is looked at.

/// A level, a slice, a plane and a sample.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct TexturePart {
    /// Level of detail of the texture [default: 0]
    #[arg(long, value_name = "M")]
    pub(crate) mip: Option<u32>,
    /// Slice of an array, face of a cube, or slice of a volume's depth; of a bound target counted from its view's first [default: 0]
    #[arg(long, value_name = "S")]
    pub(crate) slice: Option<u32>,
    /// Plane of the texture: 0 depth or luma, 1 stencil or chroma [default: 0]
    #[arg(long, value_name = "P")]
    pub(crate) plane: Option<u32>,
    /// Sample of a multisampled texture
    #[arg(long, value_name = "I", default_value_t = 0)]
    pub(crate) sample: u32,
}
