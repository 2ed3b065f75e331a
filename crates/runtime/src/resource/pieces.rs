//! Texels of reserved buffers on a driver that loses those of sparse buffers.
//!
//! Mesa's lavapipe (25.0) reads 0 through texel views of sparse buffers and loses stores; raw views are right, and so are texel views of
//! the buffers that the mapped memory lies in (findings/lavapipe-sparse-texels.sh). A typed view of tiles that are mapped to one piece of a
//! heap is therefore made of the heap's buffer. It shows what is mapped when it is made, by the calls so far: DirectML, which keeps all
//! its tensors in reserved buffers, maps each once, before its views.
//!
//! Invariant: a piece, and with it the memory of its views, lives as long as the resource.

use std::sync::{Arc, Mutex, PoisonError};

use ash::vk;
use reprise_gpu::descriptor::view::Views;
use reprise_gpu::logical::Logical;
use reprise_gpu::memory::Slice;
use reprise_gpu::sparse::Mapping;

use crate::resource::tiling::TILE;

/// What a reserved buffer's tiles are mapped to by the calls so far, and the memory that views show.
#[derive(Debug)]
pub struct Pieces {
    table: Mutex<Table>,
}

#[derive(Debug)]
struct Table {
    mapped: Vec<Option<Mapping>>,
    pieces: Vec<Arc<Piece>>,
}

/// An allocation that tiles of the buffer are, or were, mapped to.
#[derive(Debug)]
struct Piece {
    // Before the memory that they show.
    views: Views,
    slice: Arc<Slice>,
}

/// Tiles side by side that lie side by side in memory.
#[derive(Clone, Debug)]
pub struct Run {
    piece: Arc<Piece>,
    /// The first byte within the reserved buffer.
    pub start: u64,
    /// Bytes.
    pub size: u64,
    /// The first byte within the Vulkan buffer.
    pub offset: u64,
}

impl Run {
    /// Views of the memory.
    pub fn views(&self) -> &Views {
        &self.piece.views
    }

    /// The Vulkan buffer of the memory.
    pub fn buffer(&self) -> vk::Buffer {
        self.piece.slice.allocation().buffer
    }
}

impl Pieces {
    /// Nothing is mapped.
    pub fn new(tiles: u32) -> Pieces {
        Pieces { table: Mutex::new(Table { mapped: vec![None; tiles as usize], pieces: Vec::new() }) }
    }

    /// A call maps tiles. Says whether this moves a tile of memory that views were made of.
    pub fn map(&self, changes: impl IntoIterator<Item = (u32, Option<Mapping>)>) -> bool {
        let table = &mut *self.table.lock().unwrap_or_else(PoisonError::into_inner);
        let mut moves = false;
        for (tile, mapping) in changes {
            let before = core::mem::replace(&mut table.mapped[tile as usize], mapping);
            moves |= before.is_some_and(|before| table.pieces.iter().any(|piece| is_of(piece, &before)));
        }
        moves
    }

    /// What a tile is mapped to.
    pub fn mapping(&self, tile: u32) -> Option<Mapping> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner).mapped[tile as usize].clone()
    }

    /// The longest run of tiles that holds so many bytes; `None` where they are not all mapped, or not side by side.
    pub fn run(&self, logical: &Arc<Logical>, start: u64, size: u64) -> Option<Run> {
        let table = &mut *self.table.lock().unwrap_or_else(PoisonError::into_inner);
        let tile = usize::try_from(start / TILE).ok()?;
        let first = table.mapped.get(tile)?.clone()?;
        let (begin, end) = bounds(&table.mapped, tile)?;
        if start.checked_add(size)? > end as u64 * TILE {
            return None;
        }
        let piece = table.pieces.iter().find(|piece| is_of(piece, &first)).cloned().unwrap_or_else(|| {
            let piece = Arc::new(Piece { views: Views::new(logical), slice: first.slice.clone() });
            table.pieces.push(piece.clone());
            piece
        });
        let before = (tile - begin) as u64 * TILE;
        Some(Run {
            piece,
            start: begin as u64 * TILE,
            size: (end - begin) as u64 * TILE,
            offset: first.offset - before,
        })
    }
}

/// The tiles around one, from the first to the one behind the last, that lie side by side in one allocation.
fn bounds(mapped: &[Option<Mapping>], tile: usize) -> Option<(usize, usize)> {
    let place = |at: usize| mapped.get(at)?.as_ref().map(|mapping| (mapping.slice.allocation().memory, mapping.offset));
    let (memory, offset) = place(tile)?;
    let lies = |at: usize| place(at) == Some((memory, (offset + at as u64 * TILE).wrapping_sub(tile as u64 * TILE)));
    let begin = (0..tile).rev().take_while(|at| lies(*at)).last().unwrap_or(tile);
    let end = (tile..mapped.len()).take_while(|at| lies(*at)).last()? + 1;
    Some((begin, end))
}

fn is_of(piece: &Piece, mapping: &Mapping) -> bool {
    piece.slice.allocation().memory == mapping.slice.allocation().memory
}
