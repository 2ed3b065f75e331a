//! The layout of a heap on a device whose sizes and alignments differ from the capture's. Pure.
//!
//! A buffer is plain bytes: another resource may overlap it on purpose to share them, and addresses lead from one into the
//! other. So overlapping buffers (and tiles that reserved resources map) form a *body*, which moves as one. The content of a
//! texture has a meaning only for a texture of the same shape in the same place. So textures with one beginning stay together,
//! and all other textures move alone.
//!
//! Invariants: two items that did not overlap at capture do not overlap here. A body keeps its inner offsets. Every item has
//! the alignment of this device. No item moves to the left, and none moves at all if all of a heap fits as recorded. Overlaps
//! of textures are kept if sizes allow it. Otherwise the textures lie apart: that costs memory and no content, and is counted.
//! The order of the items does not matter.

/// Something that lies in a heap.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Item {
    /// Bytes from the start of the heap, at capture.
    pub(crate) offset: u64,
    /// Bytes that it covered at capture, not more; exact for bytes.
    pub(crate) extent: u64,
    /// Bytes that this device wants from its start to the end of the heap, and, for textures, to the next item.
    pub(crate) size: u64,
    /// A power of two.
    pub(crate) alignment: u64,
    /// A buffer or tiles.
    pub(crate) bytes: bool,
}

/// The answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Packed {
    /// Of each item, in the order of the question.
    pub(crate) offsets: Vec<u64>,
    /// The least size of the heap.
    pub(crate) size: u64,
    /// Pairs of items that overlapped at capture and lie apart here.
    pub(crate) parted: u64,
}

/// Heaps end at multiples of this, whatever size was asked for.
const GRANULARITY: u64 = 64 << 10;
/// In bytes. No heap is larger: an offset beyond it is damage.
const LARGEST: u64 = 1 << 40;
/// More items than this are refused: sums of their sizes stay within 64 bits.
const MOST_ITEMS: usize = 1 << 18;

impl Item {
    fn end(&self) -> u64 {
        self.offset + self.extent
    }

    /// Bytes that no other item may touch here.
    fn keep(&self) -> u64 {
        if self.bytes { self.extent } else { self.size }
    }

    fn overlaps(&self, other: &Item) -> bool {
        self.offset < other.end() && other.offset < self.end()
    }
}

/// Places the items of a heap of so many bytes.
///
/// # Errors
/// Numbers that no device has, in words.
pub(crate) fn pack(items: &[Item], heap: u64) -> Result<Packed, String> {
    for item in items {
        let most = [item.offset, item.extent, item.size].into_iter().max().unwrap_or(0);
        if most > LARGEST || item.extent == 0 || !item.alignment.is_power_of_two() || item.alignment > LARGEST {
            return Err(format!(
                "{} bytes (here {}, aligned to {}) at offset {} of a heap are not possible",
                item.extent, item.size, item.alignment, item.offset
            ));
        }
        if item.bytes && !item.offset.is_multiple_of(item.alignment) {
            return Err(format!(
                "this device wants buffers at multiples of {} bytes, and one lies at offset {} of its heap",
                item.alignment, item.offset
            ));
        }
    }
    // Equal items in one place count as one.
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by_key(|&index| items[index]);
    let mut distinct: Vec<Item> = order.iter().map(|&index| items[index]).collect();
    distinct.dedup();
    if distinct.len() > MOST_ITEMS {
        return Err(format!("a heap with {} resources at different places is not possible", distinct.len()));
    }
    if fits(&distinct, heap) {
        return Ok(Packed { offsets: items.iter().map(|item| item.offset).collect(), size: heap, parted: 0 });
    }
    let placed = place(&distinct);
    let mut offsets = vec![0; items.len()];
    let mut at = 0;
    for &index in &order {
        while distinct[at] != items[index] {
            at += 1;
        }
        offsets[index] = placed[at];
    }
    let end = distinct.iter().zip(&placed).map(|(item, offset)| offset + item.size).max().unwrap_or(0);
    Ok(Packed { offsets, size: end.next_multiple_of(GRANULARITY).max(heap), parted: parted(&distinct, &placed) })
}

/// Whether all can stay where they are. The items are sorted by offset.
fn fits(items: &[Item], heap: u64) -> bool {
    let end = heap.checked_next_multiple_of(GRANULARITY).unwrap_or(heap);
    items.iter().all(|item| {
        let next = items.partition_point(|other| other.offset < item.end());
        let free = items.get(next).is_none_or(|next| item.offset + item.keep() <= next.offset);
        free && item.offset.is_multiple_of(item.alignment) && item.offset + item.size <= end
    })
}

/// New offsets of items that are sorted by offset: one group of overlapping items after the other.
fn place(items: &[Item]) -> Vec<u64> {
    let mut placed = vec![0; items.len()];
    let mut floor = 0;
    let mut start = 0;
    while start < items.len() {
        let mut end = items[start].end();
        let mut next = start + 1;
        while next < items.len() && items[next].offset < end {
            end = end.max(items[next].end());
            next += 1;
        }
        floor = place_group(&items[start..next], floor, &mut placed[start..next]);
        start = next;
    }
    placed
}

/// Places a group at or after `floor`; gives where it ends.
fn place_group(group: &[Item], floor: u64, placed: &mut [u64]) -> u64 {
    let units = units(group);
    let whole = [true, false].into_iter().find_map(|together| solve(group, &units, floor, together));
    if let Some(whole) = whole {
        placed.copy_from_slice(&whole);
        return end_of(group, placed);
    }
    // A texture that grew stands between two parts of a body. All that could push a body from within go behind everything.
    let bodies = bodies(group);
    let (out, stay): (Vec<usize>, Vec<usize>) = (0..group.len()).partition(|&index| pushes(&bodies, &group[index]));
    let mut floor = floor;
    for part in [stay, out] {
        let members: Vec<Item> = part.iter().map(|&index| group[index]).collect();
        let units = self::units(&members);
        let found = [true, false].into_iter().find_map(|together| solve(&members, &units, floor, together));
        let found = found.unwrap_or_else(|| one_by_one(&members, &units, floor));
        floor = end_of(&members, &found).max(floor);
        part.iter().zip(found).for_each(|(&index, offset)| placed[index] = offset);
    }
    floor
}

fn end_of(group: &[Item], placed: &[u64]) -> u64 {
    group.iter().zip(placed).map(|(item, offset)| offset + item.keep()).max().unwrap_or(0)
}

/// A run of bytes that overlap: from where to where, and where its last part begins.
struct Body {
    start: u64,
    end: u64,
    last: u64,
}

/// The bodies of a group, from left to right; they do not touch.
fn bodies(group: &[Item]) -> Vec<Body> {
    let mut bodies: Vec<Body> = Vec::new();
    for item in group.iter().filter(|item| item.bytes) {
        match bodies.last_mut() {
            Some(body) if item.offset < body.end => {
                body.end = body.end.max(item.end());
                body.last = item.offset;
            }
            _ => bodies.push(Body { start: item.offset, end: item.end(), last: item.offset }),
        }
    }
    bodies
}

/// Whether a texture lies within a body and left of a part of it.
fn pushes(bodies: &[Body], item: &Item) -> bool {
    let before = bodies.partition_point(|body| body.start < item.end());
    let Some(body) = before.checked_sub(1).and_then(|at| bodies.get(at)) else { return false };
    !item.bytes && body.end > item.offset && body.last >= item.end()
}

/// Units that move as one: the unit of each item, and the alignment by which each unit moves.
struct Units {
    of: Vec<usize>,
    alignment: Vec<u64>,
}

fn units(group: &[Item]) -> Units {
    let mut units = Units { of: Vec::with_capacity(group.len()), alignment: Vec::new() };
    // The last body and where it ends; the last texture and where it begins.
    let mut body: Option<(usize, u64)> = None;
    let mut texture: Option<(usize, u64)> = None;
    for item in group {
        let joined = match item.bytes {
            true => body.filter(|(_, end)| item.offset < *end),
            false => texture.filter(|(_, start)| item.offset == *start),
        };
        let unit = joined.map_or(units.alignment.len(), |(unit, _)| unit);
        if joined.is_none() {
            units.alignment.push(1);
        }
        match item.bytes {
            true => body = Some((unit, joined.map_or(0, |(_, end)| end).max(item.end()))),
            false => texture = Some((unit, item.offset)),
        }
        units.alignment[unit] = units.alignment[unit].max(item.alignment);
        units.of.push(unit);
    }
    units
}

/// How far each unit has moved.
struct Moved<'a> {
    group: &'a [Item],
    units: &'a Units,
    by: Vec<u64>,
}

impl Moved<'_> {
    fn at(&self, index: usize) -> u64 {
        self.group[index].offset + self.by[self.units.of[index]]
    }

    /// Moves the item, and its unit with it, to `least` or behind it; whether that changed anything.
    fn raise(&mut self, index: usize, least: u64) -> bool {
        let (item, unit) = (&self.group[index], self.units.of[index]);
        let alignment = self.units.alignment[unit];
        let least = least.max(item.offset);
        let by = match item.bytes {
            // Its inner offsets are aligned as they were.
            true => (least - item.offset).next_multiple_of(alignment),
            false => least.next_multiple_of(alignment) - item.offset,
        };
        let further = by > self.by[unit];
        if further {
            self.by[unit] = by;
        }
        further
    }
}

/// More rounds are given up; a few are the rule.
const ROUNDS: usize = 64;

/// The least movement to the right that keeps order and distance, and overlaps where they are to stay `together`; `None`
/// where there is none.
fn solve(group: &[Item], units: &Units, floor: u64, together: bool) -> Option<Vec<u64>> {
    let mut moved = Moved { group, units, by: vec![0; units.alignment.len()] };
    let mut by_end: Vec<usize> = (0..group.len()).collect();
    by_end.sort_by_key(|&index| group[index].end());
    let begun: Vec<usize> = group.iter().map(|item| group.partition_point(|other| other.offset < item.end())).collect();
    // No answer goes further than all items in a row.
    let row = group.iter().map(|item| item.keep() + item.alignment).sum::<u64>();
    let limit = floor + row + group.iter().map(Item::end).max().unwrap_or(0);
    for _ in 0..ROUNDS {
        let (mut changed, mut ended, mut frontier) = (false, 0, floor);
        for index in 0..group.len() {
            while let Some(&left) = by_end.get(ended)
                && group[left].end() <= group[index].offset
            {
                frontier = frontier.max(moved.at(left) + group[left].keep());
                ended += 1;
            }
            changed |= moved.raise(index, frontier);
        }
        if together {
            let mut furthest = 0;
            let furthest: Vec<u64> = (0..group.len())
                .map(|index| {
                    furthest = moved.at(index).max(furthest);
                    furthest
                })
                .collect();
            for (index, item) in group.iter().enumerate() {
                changed |= moved.raise(index, (furthest[begun[index] - 1] + 1).saturating_sub(item.keep()));
            }
        }
        let placed = (0..group.len()).map(|index| moved.at(index));
        if !changed {
            return Some(placed.collect());
        }
        if placed.max().is_some_and(|most| most > limit) {
            return None;
        }
    }
    None
}

/// Every unit behind the one before it: always possible, never small.
fn one_by_one(group: &[Item], units: &Units, floor: u64) -> Vec<u64> {
    let mut moved = Moved { group, units, by: vec![0; units.alignment.len()] };
    let mut members = vec![Vec::new(); units.alignment.len()];
    (0..group.len()).for_each(|index| members[units.of[index]].push(index));
    let mut end = floor;
    for unit in members {
        unit.iter().for_each(|&index| _ = moved.raise(index, end));
        end = unit.iter().map(|&index| moved.at(index) + group[index].keep()).max().unwrap_or(end).max(end);
    }
    (0..group.len()).map(|index| moved.at(index)).collect()
}

/// So many pairs are looked at.
const MOST_PAIRS: usize = 1 << 20;

/// Overlaps that are lost.
fn parted(items: &[Item], placed: &[u64]) -> u64 {
    let pairs = items.iter().enumerate().flat_map(|(left, item)| {
        let others = items.iter().enumerate().skip(left + 1);
        others.take_while(|(_, other)| other.offset < item.end()).map(move |(right, _)| (left, right))
    });
    let here = |index: usize| Item { offset: placed[index], extent: items[index].keep(), ..items[index] };
    pairs.take(MOST_PAIRS).filter(|&(left, right)| !here(left).overlaps(&here(right))).count() as u64
}

#[cfg(test)]
mod tests;
