//! Mapped memory: repeats the program's mappings, and stores the program's bytes where the program stored them.
//!
//! Invariant: no byte is written outside a mapped subresource, whatever the trace says. Bytes that the GPU wrote (readback
//! memory) are never written back.

use std::ops::Range;

use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{D3D12_HEAP_TYPE, D3D12_RANGE, D3D12_RESOURCE_DIMENSION};
use reprise_d3d12::{interface, method};

use crate::world::World;

const MAP: MethodId = method("ID3D12Resource", "Map");
const UNMAP: MethodId = method("ID3D12Resource", "Unmap");

/// The program mapped a subresource; `with_pointer` is whether it asked for the address.
pub(crate) fn map(world: &mut World, id: u32, subresource: u32, with_pointer: bool) -> Result<u32, String> {
    let pointer = world.pointer(id, interface("ID3D12Resource"))?;
    let mut address = 0u64;
    let out = if with_pointer { core::ptr::from_mut(&mut address) as u64 } else { 0 };
    // SAFETY: the table's pointer is alive and has this interface; the out pointer is memory of ours or null.
    let result = unsafe { world.runtime.call(pointer, MAP, &[u64::from(subresource), 0, out]) } as u32;
    if result as i32 >= 0
        && let Some(resource) = world.resources.get_mut(&id)
    {
        let entry = resource.mapped.entry(subresource).or_insert((0, 0));
        entry.0 = if address == 0 { entry.0 } else { address };
        entry.1 = entry.1.saturating_add(1);
    }
    Ok(result)
}

/// The program unmapped a subresource.
pub(crate) fn unmap(world: &mut World, id: u32, subresource: u32) -> Result<(), String> {
    let pointer = world.pointer(id, interface("ID3D12Resource"))?;
    let Some(resource) = world.resources.get_mut(&id) else {
        return Err(format!("object {id} is no resource that could be unmapped"));
    };
    // Without a mapping of ours there is nothing to undo: runtimes differ in their answer to such a call.
    let Some(entry) = resource.mapped.get_mut(&subresource) else { return Ok(()) };
    entry.1 -= 1;
    if entry.1 == 0 {
        resource.mapped.remove(&subresource);
    }
    // SAFETY: the table's pointer is alive and mapped; a null range is allowed.
    unsafe { world.runtime.call(pointer, UNMAP, &[u64::from(subresource), 0]) };
    Ok(())
}

/// Stores bytes that the program had stored. `Ok(false)`: they are the GPU's own and were left alone.
pub(crate) fn store(world: &mut World, id: u32, subresource: u32, offset: u64, bytes: &[u8]) -> Result<bool, String> {
    let resource = world.resources.get(&id).ok_or_else(|| format!("object {id} is no resource that is alive here"))?;
    if resource.heap_type == D3D12_HEAP_TYPE::READBACK.0 as u32 {
        return Ok(false);
    }
    let size = size_of_subresource(world, id, subresource)?;
    let end = offset.checked_add(bytes.len() as u64).filter(|&end| end <= size).ok_or_else(|| {
        format!(
            "{} bytes at offset {offset} do not fit into subresource {subresource} of resource {id}, which has {size}",
            bytes.len()
        )
    })?;
    let mapped = world.resources.get(&id).and_then(|resource| resource.mapped.get(&subresource)).copied();
    match mapped {
        Some((address, _)) if address != 0 => {
            copy(address, offset, bytes);
            Ok(true)
        }
        _ => store_unmapped(world, id, subresource, (offset, end), bytes).map(|()| true),
    }
}

/// The bytes of mapped memory; `None` where it is not mapped.
pub(crate) fn load(world: &World, id: u32, subresource: u32, offset: u64, len: usize) -> Option<Vec<u8>> {
    let address = mapped_bytes(world, id, subresource, offset, len)?;
    // SAFETY: `mapped_bytes` says that the range is mapped; the GPU does not write to upload memory.
    Some(unsafe { core::slice::from_raw_parts(address as *const u8, len) }.to_vec())
}

/// The bytes of a buffer in an upload heap, mapped or not; `None` of other memory.
pub(crate) fn read_upload(world: &mut World, id: u32, offset: u64, len: usize) -> Option<Vec<u8>> {
    let resource = world.resources.get(&id)?;
    if resource.heap_type != D3D12_HEAP_TYPE::UPLOAD.0 as u32 {
        return None;
    }
    if mapped_bytes(world, id, 0, offset, len).is_some() {
        return load(world, id, 0, offset, len);
    }
    map(world, id, 0, true).ok().filter(|result| (*result as i32) >= 0)?;
    let bytes = load(world, id, 0, offset, len);
    unmap(world, id, 0).ok()?;
    bytes
}

/// How bytes that the program saw the GPU write compare with those here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Comparison {
    Equal,
    /// From this offset on, and so many.
    Differ(u64, usize),
    /// They cannot be looked at without disturbing the program's own mappings.
    Unseen,
}

impl Comparison {
    /// How many differ.
    pub(crate) fn count(&self) -> usize {
        if let Self::Differ(_, count) = self { *count } else { 0 }
    }

    /// Of two parts.
    pub(crate) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Unseen, _) | (_, Self::Unseen) => Self::Unseen,
            (Self::Equal, other) => other,
            (differ, Self::Equal) => differ,
            (Self::Differ(first, count), Self::Differ(other, more)) => Self::Differ(first.min(other), count + more),
        }
    }
}

/// Compares bytes that the program saw the GPU write with those here. They may be so many steps apart.
pub(crate) fn compare(
    world: &World,
    id: u32,
    subresource: u32,
    (offset, bytes): (u64, &[u8]),
    steps: u8,
) -> Comparison {
    let Some(address) = mapped_bytes(world, id, subresource, offset, bytes.len()) else { return Comparison::Unseen };
    let (mut here, mut first, mut count) = ([0; PART], None, 0);
    for (part, there) in bytes.chunks(PART).enumerate() {
        let (start, here) = (part * PART, &mut here[..there.len()]);
        // SAFETY: `mapped_bytes` says that the range is mapped, of which this is a part.
        unsafe { read(address + start as u64, here) };
        if here == there {
            continue;
        }
        let differs = |index: &usize| here[*index].abs_diff(there[*index]) > steps;
        first = first.or_else(|| (0..there.len()).find(differs).map(|index| offset + (start + index) as u64));
        count += (0..there.len()).filter(differs).count();
    }
    first.map_or(Comparison::Equal, |first| Comparison::Differ(first, count))
}

/// So many bytes are compared at a time.
const PART: usize = 4096;

/// Copies mapped memory, which the GPU may be writing: each byte is read once, as it is, and most of them eight at a time.
///
/// # Safety
/// So many bytes are mapped at the address.
unsafe fn read(address: u64, into: &mut [u8]) {
    const WORD: usize = size_of::<u64>();
    // Words lie at multiples of their size.
    let (head, rest) = into.split_at_mut(into.len().min((address as usize).wrapping_neg() % WORD));
    let byte = |at: usize| (address as *const u8).wrapping_add(at);
    for (at, to) in head.iter_mut().enumerate() {
        // SAFETY: the byte is mapped, as the caller says.
        *to = unsafe { byte(at).read_volatile() };
    }
    let words = address + head.len() as u64;
    let (whole, tail) = rest.as_chunks_mut::<WORD>();
    for (at, to) in whole.iter_mut().enumerate() {
        // SAFETY: the word is mapped, as the caller says, and aligned, because the first one is.
        *to = unsafe { (words as *const u64).wrapping_add(at).read_volatile() }.to_ne_bytes();
    }
    let tail_at = head.len() + whole.len() * WORD;
    for (at, to) in tail.iter_mut().enumerate() {
        // SAFETY: the byte is mapped, as the caller says.
        *to = unsafe { byte(tail_at + at).read_volatile() };
    }
}

/// XXH3-128 of so many bytes that the program saw the GPU write, as they are here, but for parts that count as zeros; `None`
/// where they cannot be looked at.
pub(crate) fn hash(
    world: &World,
    id: u32,
    subresource: u32,
    offset: u64,
    len: usize,
    zeros: &[Range<u64>],
) -> Option<u128> {
    let address = mapped_bytes(world, id, subresource, offset, len)?;
    let mut here = vec![0; len];
    // SAFETY: `mapped_bytes` says that the range is mapped.
    unsafe { read(address, &mut here) };
    for part in zeros {
        let place = part.start.checked_sub(offset).zip(part.end.checked_sub(offset));
        let place = place.and_then(|(from, to)| here.get_mut(from as usize..to as usize));
        place.into_iter().for_each(|part| part.fill(0));
    }
    Some(reprise_trace::read::content_hash(&here))
}

/// Where a range of a buffer is mapped here, if it is.
fn mapped_bytes(world: &World, id: u32, subresource: u32, offset: u64, len: usize) -> Option<u64> {
    let resource = world.resources.get(&id)?;
    if resource.desc.Dimension != D3D12_RESOURCE_DIMENSION::BUFFER || subresource != 0 {
        return None;
    }
    offset.checked_add(len as u64).filter(|&end| end <= resource.desc.Width)?;
    let (address, _) = *resource.mapped.get(&subresource).filter(|mapped| mapped.0 != 0)?;
    Some(address + offset)
}

/// For bytes that were found after the program unmapped.
fn store_unmapped(world: &mut World, id: u32, subresource: u32, range: (u64, u64), bytes: &[u8]) -> Result<(), String> {
    let pointer = world.pointer(id, interface("ID3D12Resource"))?;
    let nothing = D3D12_RANGE::default();
    let written = D3D12_RANGE { Begin: range.0, End: range.1 };
    let mut address = 0u64;
    let words =
        [u64::from(subresource), core::ptr::from_ref(&nothing) as u64, core::ptr::from_mut(&mut address) as u64];
    // SAFETY: the table's pointer is alive and has this interface; the arguments are memory of ours.
    let result = unsafe { world.runtime.call(pointer, MAP, &words) } as u32;
    if (result as i32) < 0 || address == 0 {
        return Err(format!("resource {id} cannot be mapped here: {}", crate::hresult::HresultName(result)));
    }
    copy(address, range.0, bytes);
    // SAFETY: mapped just now.
    unsafe { world.runtime.call(pointer, UNMAP, &[u64::from(subresource), core::ptr::from_ref(&written) as u64]) };
    Ok(())
}

fn copy(address: u64, offset: u64, bytes: &[u8]) {
    // SAFETY: the runtime mapped the subresource at this address, `store` compared the range with its size, and the
    // trace's bytes lie in memory of our own.
    unsafe {
        let target = (address as *mut u8).add(offset as usize);
        core::ptr::copy_nonoverlapping(bytes.as_ptr(), target, bytes.len());
    }
}

/// Bytes that a mapped subresource has.
fn size_of_subresource(world: &mut World, id: u32, subresource: u32) -> Result<u64, String> {
    let resource = world.resources.get(&id).ok_or("no such resource")?;
    if resource.desc.Dimension == D3D12_RESOURCE_DIMENSION::BUFFER {
        return if subresource == 0 {
            Ok(resource.desc.Width)
        } else {
            Err(format!("a buffer has no subresource {subresource}"))
        };
    }
    let desc = resource.desc;
    let device = world.device_of(id)?;
    let mut total = 0u64;
    let words = [
        core::ptr::from_ref(&desc) as u64,
        u64::from(subresource),
        1,
        0,
        0,
        0,
        0,
        core::ptr::from_mut(&mut total) as u64,
    ];
    const FOOTPRINTS: MethodId = method("ID3D12Device", "GetCopyableFootprints");
    // SAFETY: the device is alive; the arguments are memory of ours, the optional outputs null.
    unsafe { device.runtime().call(device.pointer(), FOOTPRINTS, &words) };
    match total {
        0 | u64::MAX => Err(format!("resource {id} has no subresource {subresource}")),
        total => Ok(total),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_read_from_any_place() {
        let memory: Vec<u64> = (0..64).map(|word: u64| word.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
        let bytes: Vec<u8> = memory.iter().flat_map(|word| word.to_ne_bytes()).collect();
        for from in 0..24 {
            for len in [0, 1, 2, 7, 8, 9, 15, 16, 17, 100] {
                let mut into = vec![0xa5; len];
                // SAFETY: the range lies in `memory`.
                unsafe { read(memory.as_ptr() as u64 + from as u64, &mut into) };
                assert_eq!(into, bytes[from..from + len], "{len} bytes from {from}");
            }
        }
    }
}
