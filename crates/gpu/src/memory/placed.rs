//! Memory at the places of an earlier process.
//!
//! Chunks that slices of the earlier process shared are made at their addresses once, and slices are taken at their offsets. Nothing else
//! is ever taken from them, so the order of creations does not matter. Invariant: a place that cannot be had is an error, and the caller
//! has memory elsewhere; nothing that lies somewhere is replaced.

use std::sync::{Arc, PoisonError, Weak};

use crate::error::{Error, Result};
use crate::memory::allocation::{Allocation, Owner, Slice};
use crate::memory::area;
use crate::memory::chunk::Taken;
use crate::memory::create::{self, Wanted};
use crate::memory::pages::Pages;
use crate::memory::place::{Place, Way};
use crate::memory::pools::{CHUNK_OF_BUFFERS, Memory, PlacedChunks};
use crate::memory::request::{Purpose, Request};

/// Allocations of one slice have no more bytes than that beside it: what rounding needs.
const SLACK: u64 = 4 << 20;

/// Memory as asked for, at a place.
///
/// # Errors
/// The place does not fit the request, or something lies there.
pub(super) fn take(memory: &Memory, request: &Request, place: &Place) -> Result<Slice> {
    check(memory, request, place)?;
    let class = place.origin.class;
    let mut chunks = memory.placed.lock().unwrap_or_else(PoisonError::into_inner);
    if !class.shared {
        let made = make(memory, place, &mut chunks)?;
        let owner = Owner::Whole(Arc::new(made));
        return Ok(Slice { owner, offset: place.offset, size: place.size, fresh: true, filled: false });
    }
    let known = chunks.all.get(&place.base).and_then(Weak::upgrade).filter(|chunk| is_of(chunk, place));
    let chunk = match known {
        Some(chunk) => chunk,
        None => {
            let made = Arc::new(make(memory, place, &mut chunks)?);
            chunks.all.retain(|_, chunk| chunk.strong_count() > 0);
            chunks.all.insert(place.base, Arc::downgrade(&made));
            chunks.newest = Some(made.clone());
            made
        }
    };
    let free = chunk.free.as_ref().ok_or(Error::Failed("a chunk without a list of what is free"))?;
    let taken = free.lock().unwrap_or_else(PoisonError::into_inner).take_at(place.offset, place.size);
    let Taken { offset, fresh } = taken.ok_or(Error::Unsupported("another heap or buffer still lies at this place"))?;
    Ok(Slice { owner: Owner::Chunk(chunk), offset, size: place.size, fresh, filled: false })
}

/// Whether a chunk is the one that a place lies in.
fn is_of(chunk: &Allocation, place: &Place) -> bool {
    chunk.origin == Some(place.origin) && (chunk.size, chunk.type_index) == (place.allocated, place.type_index)
}

/// The allocation of a place.
fn make(memory: &Memory, place: &Place, chunks: &mut PlacedChunks) -> Result<Allocation> {
    allocation(memory, place).or_else(|error| {
        // What is kept for those to come may be in the way.
        let kept = chunks.newest.take().ok_or(error)?;
        drop(kept);
        allocation(memory, place)
    })
}

fn allocation(memory: &Memory, place: &Place) -> Result<Allocation> {
    let Place { origin, type_index, base, allocated, .. } = *place;
    let class = origin.class;
    match origin.way {
        Way::Pages => {
            let pages = Pages::at(base, usize::try_from(allocated).map_err(|_| Error::Memory)?)?;
            create::of_pages(memory, pages, allocated, class)
        }
        Way::Opaque { .. } => create::allocation(
            memory,
            &Wanted {
                size: allocated,
                index: type_index,
                addressed: true,
                chunk: class.shared,
                mapped: class.mappable,
                origin: Some(origin),
                base,
                ..Wanted::default()
            },
        ),
    }
}

/// Whether a place is one for this request. A trace may say anything.
fn check(memory: &Memory, request: &Request, place: &Place) -> Result<()> {
    let Place { origin, type_index, base, allocated, offset, size } = *place;
    let class = origin.class;
    let (heaps, images) = match request.purpose {
        Purpose::Buffer => (false, false),
        Purpose::Heap { buffers: true, images } => (true, images),
        Purpose::Heap { .. } | Purpose::Image => return Err(Error::Unsupported("places for what has no address")),
    };
    if size != request.size {
        return Err(Error::Unsupported("it has another size than in the earlier process"));
    }
    if (class.heaps, class.mappable) != (heaps, request.access.is_mappable()) {
        return Err(Error::Invalid("the place is one for other uses"));
    }
    let aligned = if heaps { offset } else { place.address() };
    if !aligned.is_multiple_of(request.alignment) {
        return Err(Error::Invalid("the place is not aligned"));
    }
    let bounded = if class.shared { allocated == CHUNK_OF_BUFFERS } else { allocated - size <= SLACK };
    if !bounded {
        return Err(Error::Invalid("the place lies in an allocation of a size that this runtime does not make"));
    }
    match origin.way {
        Way::Pages => {
            let rounded = [base, allocated].iter().all(|it| it.is_multiple_of(create::alignment(memory)));
            if images || !rounded || !area::holds(base, allocated) {
                return Err(Error::Invalid("the place is none of pages"));
            }
        }
        Way::Opaque { .. } => {
            let logical = memory.logical();
            if !logical.caps.repeats_addresses() {
                return Err(Error::Unsupported("the device was made without opaque capture addresses"));
            }
            let types = &logical.caps.memory;
            let known = type_index < types.memory_type_count && memory.buffer_types() & (1 << type_index) != 0;
            let suits = known && types.memory_types[type_index as usize].property_flags.contains(request.wish.required);
            if !suits {
                return Err(Error::Invalid("the place is of a memory type that does not serve here"));
            }
        }
    }
    Ok(())
}
