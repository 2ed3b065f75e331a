//! Descriptors as the program wrote them, by recorded CPU handle; where heaps lie; the entries of descriptor tables.
//!
//! Invariant: a descriptor that no call wrote is absent.

use std::collections::HashMap;

use reprise_codec::value::Member;
use reprise_dxbc::RootSignature;
use reprise_dxbc::root_signature::{APPEND, Content, Kind};

use crate::input::values::{at, number_at, numbers};

/// Descriptors that are looked at in one range of a table, which may have no end.
const MOST: u32 = 64;

/// Descriptors of one copy at most, in all its ranges: as many as the largest heaps have.
const COPIED: usize = 1 << 20;

/// The resource of a descriptor.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum View {
    Resource(u32),
    /// Address and size of constants.
    Constants(u64, u64),
}

/// A descriptor heap: its first CPU and GPU handle, descriptors, bytes between them.
#[derive(Clone, Copy)]
struct Heap {
    cpu: u64,
    gpu: u64,
    count: u64,
    increment: u64,
}

/// A range of a descriptor table: a letter for its kind, first register, descriptors from the table's beginning, and how many.
#[derive(Clone, Copy)]
struct Range {
    kind: char,
    register: u32,
    space: u32,
    offset: u32,
    count: u32,
}

/// Descriptors, heaps and root signatures.
#[derive(Default)]
pub(super) struct Views {
    views: HashMap<u64, View>,
    increments: HashMap<u32, u64>,
    heaps: HashMap<u32, Heap>,
    /// By root signature, the ranges of each parameter.
    signatures: HashMap<u32, Vec<Vec<Range>>>,
}

impl Views {
    /// A view was made.
    pub(super) fn made(&mut self, handle: u64, resource: u32) {
        self.write(handle, (resource != 0).then_some(View::Resource(resource)));
    }

    /// A view of constants was made.
    pub(super) fn constants(&mut self, handle: u64, address: u64, size: u64) {
        self.write(handle, (address != 0).then_some(View::Constants(address, size)));
    }

    fn write(&mut self, handle: u64, view: Option<View>) {
        match view {
            Some(view) => _ = self.views.insert(handle, view),
            None => _ = self.views.remove(&handle),
        }
    }

    /// A heap lies here: the words of a fact.
    pub(super) fn heap(&mut self, id: u32, cpu: u64, gpu: u64, (increment, count): (u32, u32)) {
        self.heaps.insert(id, Heap { cpu, gpu, count: count.into(), increment: increment.into() });
    }

    /// A root signature was made of these bytes.
    pub(super) fn signature(&mut self, id: u32, bytes: &[u8]) {
        let Ok((signature, _)) = RootSignature::from_container(bytes) else { return };
        let parameters = signature.parameters.iter().map(|parameter| match &parameter.content {
            Content::Table(ranges) => {
                let mut end = 0;
                let ranges = ranges.iter().map(|range| {
                    let offset = if range.offset == APPEND { end } else { range.offset };
                    end = offset.saturating_add(range.count);
                    let kind = match range.kind {
                        Kind::Srv => 't',
                        Kind::Uav => 'u',
                        Kind::Cbv => 'b',
                        Kind::Sampler => 's',
                    };
                    Range { kind, register: range.register, space: range.space, offset, count: range.count }
                });
                ranges.filter(|range| range.kind != 's').collect()
            }
            _ => Vec::new(),
        });
        self.signatures.insert(id, parameters.collect());
    }

    /// What a table names that begins at a GPU handle: by register, as in `t3` or `u0_space2`.
    pub(super) fn table(&self, signature: u32, parameter: u32, base: u64) -> Vec<(String, View)> {
        let ranges = self.signatures.get(&signature).and_then(|all| all.get(parameter as usize));
        let heap =
            self.heaps.values().find(|heap| heap.gpu != 0 && base.wrapping_sub(heap.gpu) < heap.count * heap.increment);
        let (Some(ranges), Some(heap)) = (ranges, heap) else { return Vec::new() };
        let mut found = Vec::new();
        for range in ranges {
            for index in 0..range.count.min(MOST) {
                let step = u64::from(range.offset.saturating_add(index)) * heap.increment;
                let handle = heap.cpu.wrapping_add(base.wrapping_sub(heap.gpu)).wrapping_add(step);
                let Some(&view) = self.views.get(&handle) else { continue };
                let space = if range.space == 0 { String::new() } else { format!("_space{}", range.space) };
                found.push((format!("{}{}{space}", range.kind, range.register.saturating_add(index)), view));
            }
        }
        found
    }

    /// Descriptors of this type of heap lie so far apart.
    pub(super) fn increment(&mut self, kind: u32, bytes: u64) {
        self.increments.insert(kind, bytes);
    }

    /// `CopyDescriptors` or `CopyDescriptorsSimple`.
    pub(super) fn copied(&mut self, arguments: &[Member<'_>]) {
        let all = |names: [&str; 2]| names.iter().find_map(|name| at(arguments, name)).map(numbers).unwrap_or_default();
        let kind = ["DescriptorHeapsType"].iter().find_map(|name| number_at(arguments, name)).unwrap_or(0) as u32;
        let Some(&step) = self.increments.get(&kind) else { return };
        let simple = number_at(arguments, "NumDescriptors");
        let sizes = |names| all(names).into_iter().chain(std::iter::repeat(simple.unwrap_or(1)));
        let to = all(["pDestDescriptorRangeStarts", "DestDescriptorRangeStart"]);
        let to = handles(to, sizes(["pDestDescriptorRangeSizes"; 2]), step);
        let from = all(["pSrcDescriptorRangeStarts", "SrcDescriptorRangeStart"]);
        let from = handles(from, sizes(["pSrcDescriptorRangeSizes"; 2]), step);
        for (to, from) in to.into_iter().zip(from) {
            self.write(to, self.views.get(&from).copied());
        }
    }

    /// The resource that a view of a target is of.
    pub(super) fn resource(&self, handle: u64) -> Option<u32> {
        match self.views.get(&handle) {
            Some(&View::Resource(resource)) => Some(resource),
            _ => None,
        }
    }

    /// Bytes between descriptors of this type of heap.
    pub(super) fn step(&self, kind: u32) -> Option<u64> {
        self.increments.get(&kind).copied()
    }
}

/// The handles in ranges that begin at these.
fn handles(starts: Vec<u64>, sizes: impl IntoIterator<Item = u64>, step: u64) -> Vec<u64> {
    let each = |(start, size): (u64, u64)| (0..size).map(move |index| start.wrapping_add(index.wrapping_mul(step)));
    starts.into_iter().zip(sizes).flat_map(each).take(COPIED).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Not each range for itself: a damaged trace has as many as it likes.
    #[test]
    fn a_copy_has_an_end() {
        assert_eq!(handles(vec![100, 400], vec![2, 1], 32), [100, 132, 400]);
        let step = u64::MAX / 2;
        assert_eq!(handles(vec![u64::MAX, 8], vec![u64::from(u32::MAX); 2], step).len(), COPIED);
    }

    /// As facts of a damaged trace may have it.
    #[test]
    fn heaps_at_the_end_of_addresses_are_harmless() {
        let mut views = Views::default();
        views.heap(1, u64::MAX - 8, u64::MAX - 8, (u32::MAX, u32::MAX));
        let range = Range { kind: 't', register: 3, space: 0, offset: u32::MAX, count: 2 };
        views.signatures.insert(2, vec![vec![range, Range { offset: 0, count: 1, ..range }]]);
        views.made(u64::MAX - 8, 7);
        let found = views.table(2, 0, u64::MAX - 8);
        assert!(found == [("t3".to_owned(), View::Resource(7))]);
        assert!(views.table(2, 0, 4).is_empty());
    }
}
