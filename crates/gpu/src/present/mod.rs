//! Frames on the screen: a surface of the program's, Vulkan's swap chain on it, and the copy of each frame into that.
//!
//! The program renders to ordinary images; the swap chain is the [`Presenter`]'s own, so it may be made anew at any frame: the
//! window was resized, or the program wants another pace. Invariants: everything of a presenter but its making happens on the
//! queue's thread or while the queue is idle; Vulkan's swap chain goes before its surface, and both after the queue's last use.

mod blit;
mod chain;
mod choice;
mod picture;
mod presenter;
mod surface;
#[cfg(windows)]
mod window;

pub use picture::{Hdr, Part, Picture};
pub use presenter::Presenter;
pub use surface::Surface;
#[cfg(windows)]
pub use window::surface as surface_of_window;
