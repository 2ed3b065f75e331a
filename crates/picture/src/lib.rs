//! Texels as values, as pictures, and as files: any format of Direct3D's textures, of one subresource or slice.
//!
//! Invariant: bytes are judged before they are read. A format that is not understood, or too few bytes for the size, is an error that
//! names it. A value is what the bits mean in the format, exactly; only a picture rounds.

pub mod dds;
pub mod exr;
mod font;
mod format;
mod heat;
mod image;
pub mod samples;
mod sheet;
mod shrink;
mod texels;
mod view;

pub use format::{Kind, Layout, file_format, format_name, format_number};
pub use heat::heat;
pub use image::Image;
pub use sheet::{Tile, sheet, write_animation};
pub use texels::{Statistics, Texels};
pub use view::{Channels, Mapping};
