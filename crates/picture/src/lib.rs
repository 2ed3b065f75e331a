//! Texels as values, as pictures, and as files: any format of Direct3D's textures, of one subresource or slice.
//!
//! Invariant: bytes are judged before they are read. A format that is not understood, or too few bytes for the size, is an error that
//! names it. A value is what the bits mean in the format, exactly; only a picture rounds.
//!
//! ```
//! use reprise_picture::{Texels, format_number};
//!
//! let format = format_number("R8G8B8A8_UNORM").expect("a format of the API");
//! let red = Texels::new(format, 0, (1, 1), vec![255, 0, 0, 255])?;
//! assert_eq!(red.at(0, 0), Some([1.0, 0.0, 0.0, 1.0]));
//! assert!(Texels::new(format, 0, (2, 2), vec![0; 3]).is_err());
//! # Ok::<(), String>(())
//! ```

pub mod dds;
pub mod exr;
mod font;
mod format;
mod heat;
mod histogram;
mod image;
pub mod samples;
mod sheet;
mod shrink;
pub mod srgb;
mod texels;
mod view;

pub use format::{Kind, Layout, file_format, format_name, format_number};
pub use heat::heat;
pub use histogram::{Histogram, PERCENTILES};
pub use image::Image;
pub use sheet::{Tile, sheet, write_animation};
pub use texels::{Statistics, Texels};
pub use view::{Channels, Mapping};
