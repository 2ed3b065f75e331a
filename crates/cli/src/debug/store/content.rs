//! The contents of one resource, or of one of its subresources: as the call found them, and as the interpreter leaves them.

use reprise_interpreter::{Open, either, is_free};
use reprise_picture::{Layout, Texels};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Contents.
#[derive(Clone, Debug, Default)]
pub(crate) struct Content {
    /// As the call found them.
    pub(crate) before: Vec<u8>,
    /// As they are now.
    pub(crate) bytes: Vec<u8>,
    /// By byte, what is open about what the shader wrote there; `None` where it wrote nothing.
    pub(crate) written: BTreeMap<u64, Open>,
    /// By byte, the group that wrote it last.
    pub(super) writers: BTreeMap<u64, u32>,
    /// Columns and rows.
    pub(super) size: (u32, u32),
    /// Texels of blocks, by format and plane.
    pub(super) blocks: Option<((u32, u32), Rc<Texels>)>,
    /// By their first bytes, texels that were written: their format, and what is open about each component.
    pub(crate) texels: BTreeMap<u64, (u32, [Open; 4])>,
}

/// Bytes of the largest texel.
const LARGEST: u64 = 16;

impl Content {
    /// Texels of blocks, decoded once.
    pub(super) fn blocks(&mut self, format: u32, plane: u32) -> Result<Rc<Texels>, String> {
        if let Some((of, known)) = &self.blocks
            && *of == (format, plane)
        {
            return Ok(Rc::clone(known));
        }
        let texels = Rc::new(Texels::new(format, plane, self.size, self.bytes.clone())?);
        self.blocks = Some(((format, plane), Rc::clone(&texels)));
        Ok(texels)
    }

    pub(super) fn open(&self, from: usize, count: usize) -> Open {
        let (from, to) = (from as u64, (from + count) as u64);
        self.written.range(from..to).map(|(_, open)| *open).fold(0, either)
    }

    /// Groups run at once on a GPU: where several write other bytes to one place, and none of them has just read it, as atomic operations do,
    /// which of them is the last is open.
    pub(super) fn write(&mut self, at: usize, bytes: &[u8], open: Open, (group, was_read): (u32, bool)) {
        let Some(place) = self.bytes.get_mut(at..).and_then(|all| all.get_mut(..bytes.len())) else { return };
        // What lies there is no texel any more.
        if !self.texels.is_empty() {
            let (from, to) = (at as u64, (at + bytes.len()) as u64);
            let cut = self.texels.range(from.saturating_sub(LARGEST - 1)..to).map(|(first, texel)| (*first, texel.0));
            let size = |format: u32| Layout::of(format, 0).map_or(LARGEST, |layout| u64::from(layout.bytes()));
            let cut: Vec<u64> = cut.filter(|(first, format)| first + size(*format) > from).map(|it| it.0).collect();
            cut.iter().for_each(|first| _ = self.texels.remove(first));
        }
        for ((at, own), byte) in (at as u64..).zip(place).zip(bytes) {
            let other = self.writers.insert(at, group).is_some_and(|other| other != group);
            let raced = self.written.get(&at) == Some(&RACED) || other && !was_read && own != byte;
            self.written.insert(at, if raced && !is_free(open) { RACED } else { open });
            *own = *byte;
        }
    }
}

/// What is open about bytes that several groups write, until [`super::Store::settle`] names it.
pub(super) const RACED: Open = Open::MAX >> 1;
/// That a texel has fewer bits than the number that is written, until it is named as well.
pub(super) const ROUNDED: Open = Open::MAX >> 2;

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use reprise_d3d12::types::DXGI_FORMAT;

    #[test]
    fn which_of_several_groups_writes_last_is_open() {
        let mut content = Content { bytes: vec![0; 8], ..Content::default() };
        content.write(0, &[1, 1, 1, 1], 0, (1, false));
        content.write(0, &[1, 2, 2, 2], 0, (2, false));
        // One group's own writes have an order, and so have additions, which read what is there.
        content.write(4, &[1, 1], 0, (1, false));
        content.write(4, &[2, 2], 0, (1, false));
        content.write(6, &[1], 0, (1, true));
        content.write(6, &[2], 0, (2, true));
        content.write(7, &[1], 5, (1, false));
        content.write(7, &[2], 5, (2, false));
        assert_eq!(content.bytes, [1, 2, 2, 2, 2, 2, 2, 2]);
        let opens: Vec<Open> = content.written.values().copied().collect();
        // Also where last bits are open, which is less.
        assert_eq!(opens, [0, RACED, RACED, RACED, 0, 0, 0, RACED]);
        // What follows does not settle it.
        content.write(1, &[3], 0, (2, false));
        assert_eq!(content.written[&1], RACED);
    }

    #[test]
    fn texels_that_are_written_over_are_texels_no_more() {
        let mut content = Content { bytes: vec![0; 16], ..Content::default() };
        let format = DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM.0 as u32;
        let texels = |content: &Content| content.texels.keys().copied().collect::<Vec<u64>>();
        content.texels = [(0, (format, [0; 4])), (4, (format, [0; 4])), (8, (format, [0; 4]))].into();
        content.write(3, &[1], 0, (1, false));
        assert_eq!(texels(&content), [4, 8]);
        content.write(12, &[1; 4], 0, (1, false));
        assert_eq!(texels(&content), [4, 8]);
        content.write(6, &[1; 4], 0, (1, false));
        assert_eq!(texels(&content), [0; 0]);
    }
}
