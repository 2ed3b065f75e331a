//! What a shader reads and writes outside of its own variables.

use crate::open::Open;
use crate::pointer::{Buffer, Descriptor, Handle, Texel};
use crate::rays::{Record, Scene, Table};
use crate::sampling::Surface;
use std::rc::Rc;

/// The size of a view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Columns, rows, slices of a volume; of a buffer, elements in the first.
    pub texels: [u32; 3],
    /// Slices of an array; of cubes six each.
    pub slices: u32,
    /// Levels of the view.
    pub levels: u32,
    /// Samples a texel.
    pub samples: u32,
}

/// The buffers, textures and samplers that a shader sees. An error is a reason why there is nothing to read or write, which ends the run;
/// what the API defines beyond the end of a view (zeros, and no write) is no error.
pub trait Resources {
    /// Reads bytes, and says what is open about them.
    ///
    /// # Errors
    /// In words, when there is no such buffer.
    fn read(&mut self, buffer: Buffer, offset: u64, bytes: &mut [u8]) -> Result<Open, String>;

    /// Writes bytes.
    ///
    /// # Errors
    /// In words, when there is no such buffer.
    fn write(&mut self, buffer: Buffer, offset: u64, bytes: &[u8], open: Open) -> Result<(), String>;

    /// Where it is written comes of something open: anything there may differ.
    fn scattered(&mut self, _buffer: Buffer, _open: Open) {}

    /// The same of an image.
    fn scattered_texels(&mut self, _view: &Handle, _open: Open) {}

    /// Bytes of a view of a buffer.
    ///
    /// # Errors
    /// In words, when there is no such buffer.
    fn length(&mut self, buffer: Buffer) -> Result<u64, String>;

    /// The four components of a texel: bits of 32-bit numbers. A number of 64 bits is the first two.
    ///
    /// # Errors
    /// In words, when there is no such view.
    fn texel(&mut self, view: &Handle, at: Texel) -> Result<([u64; 4], Open), String>;

    /// Writes a texel; what is open about each component beside it.
    ///
    /// # Errors
    /// In words, when there is no such view.
    fn set_texel(&mut self, view: &Handle, at: Texel, components: [u64; 4], opens: [Open; 4]) -> Result<(), String>;

    /// The lane that writes from here on, by its index in the group.
    fn writer(&mut self, _lane: u32) {}

    /// The size of a view at a level, counted from its first.
    ///
    /// # Errors
    /// In words, when there is no such view.
    fn size(&mut self, view: &Handle, level: u32) -> Result<Size, String>;

    /// A view as a sampler sees it; `None`: a null view, of which every sample is 0.
    ///
    /// # Errors
    /// In words, when there is no such view or sampler.
    fn surface(&mut self, view: &Handle, _sampler: Descriptor) -> Result<Option<Surface>, String> {
        Err(format!("no sampler is bound for {view}"))
    }

    /// What rays go through that a structure at an address has.
    ///
    /// # Errors
    /// In words, when there is no such structure, or it is not known.
    fn scene(&mut self, address: u64) -> Result<Rc<Scene>, String> {
        Err(format!("no acceleration structure is known at {address:#x}"))
    }

    /// A record of a table of the dispatch of rays.
    ///
    /// # Errors
    /// In words, when there is none, or it cannot be read.
    fn record(&mut self, table: Table, index: u64) -> Result<Rc<Record>, String> {
        Err(format!("there is no record {index} of {}", table.name()))
    }

    /// Which components of a view's texels are encoded as sRGB has them: the least that a device may give for them lies below, and the
    /// greatest above.
    fn encoded(&mut self, _view: &Handle) -> [bool; 4] {
        [false; 4]
    }

    /// Whether a texel of a view lies in memory; without one whether all do that a sampler may read there.
    ///
    /// # Errors
    /// In words, when it is not known.
    fn resident(&mut self, view: &Handle, _: Option<Texel>) -> Result<bool, String> {
        Err(format!("whether {view} is in memory is not known"))
    }
}

/// No resources.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nothing;

impl Resources for Nothing {
    fn read(&mut self, buffer: Buffer, _: u64, _: &mut [u8]) -> Result<Open, String> {
        Err(format!("nothing is bound to {buffer}"))
    }

    fn write(&mut self, buffer: Buffer, _: u64, _: &[u8], _: Open) -> Result<(), String> {
        Err(format!("nothing is bound to {buffer}"))
    }

    fn length(&mut self, buffer: Buffer) -> Result<u64, String> {
        Err(format!("nothing is bound to {buffer}"))
    }

    fn texel(&mut self, view: &Handle, _: Texel) -> Result<([u64; 4], Open), String> {
        Err(format!("nothing is bound to {view}"))
    }

    fn set_texel(&mut self, view: &Handle, _: Texel, _: [u64; 4], _: [Open; 4]) -> Result<(), String> {
        Err(format!("nothing is bound to {view}"))
    }

    fn size(&mut self, view: &Handle, _: u32) -> Result<Size, String> {
        Err(format!("nothing is bound to {view}"))
    }
}
