//! `--patch-guess`: bytes that the program stored to buffers and that look like addresses which moved.
//!
//! What no call describes cannot be typed: a program may keep addresses in buffers of its own, for shaders that follow them. Under this
//! option a value of 8 bytes at a multiple of 8 that lies in a live buffer of the capture is treated as an address. Invariants: only what
//! the processor stored is looked at, so a copy by the GPU has what was made of it; every change is reported; and no value is made that a
//! typed reader (`indirect`) could take for a recorded address and move once more, because what lies where the capture ever had a buffer
//! is left as it was.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use reprise_d3d12::types::D3D12_RESOURCE_DIMENSION;
use reprise_trace::fact;
use reprise_trace::read::Event;
use reprise_trace::record::Kind;

use super::mapped;
use crate::context::Context;
use crate::error::{Error, Place};
use crate::input::source::Source;
use crate::report::Guess;
use crate::world::World;

/// Bytes of an address.
const WORD: u64 = 8;

/// What was guessed so far.
#[derive(Default)]
pub(crate) struct Guesses {
    /// Where the capture ever had buffers: rising, without overlap.
    told: Vec<Range<u64>>,
    /// By buffer and offset: the recorded value of what was changed.
    changed: HashMap<u32, BTreeMap<u64, u64>>,
}

/// What a value is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Meaning {
    /// No address, or one that did not move.
    Plain,
    /// An address, which is this one here.
    Moved(u64),
    /// An address whose new value lies where the capture had a buffer.
    Unclear,
}

impl Guesses {
    /// Looks ahead for where the capture had buffers, up to where `stop` says that nothing is played.
    pub(crate) fn find(source: &mut dyn Source, stop: impl Fn(&Event<'_>) -> bool) -> Guesses {
        let mut told = Vec::new();
        // Damage ends the walk as it ends the replay, which says so.
        while let Ok(Some(event)) = source.next() {
            if stop(&event) {
                break;
            }
            if event.kind == Kind::Fact
                && let Some((fact::ADDRESS_RANGE, bytes)) = event.fact()
                && let Some((start, size)) = bytes.first_chunk::<16>().map(|both| {
                    let (start, size) = both.split_at(8);
                    (number(start), number(size))
                })
            {
                told.push(start..start.saturating_add(size));
            }
        }
        Guesses { told: merged(told), changed: HashMap::new() }
    }

    /// Whether the capture ever had a buffer there.
    fn has_told(&self, address: u64) -> bool {
        let behind = self.told.partition_point(|range| range.start <= address);
        behind.checked_sub(1).and_then(|at| self.told.get(at)).is_some_and(|range| range.contains(&address))
    }

    fn meaning(&self, world: &mut World, value: u64) -> Meaning {
        if !self.has_told(value) {
            return Meaning::Plain;
        }
        let Some(location) = world.addresses.resolve(value) else { return Meaning::Plain };
        // The address behind a buffer's last byte is nobody's.
        if world.resources.get(&location.resource).is_none_or(|resource| location.offset >= resource.desc.Width) {
            return Meaning::Plain;
        }
        match world.address_of(location) {
            Ok(here) if here == value => Meaning::Plain,
            Ok(here) if self.has_told(here) => Meaning::Unclear,
            Ok(here) => Meaning::Moved(here),
            Err(_) => Meaning::Plain,
        }
    }

    /// Looks at bytes that have just been stored at an offset of a resource, and changes those that are taken for addresses.
    ///
    /// # Errors
    /// The buffer cannot be written.
    pub(crate) fn look(
        &mut self,
        context: &mut Context<'_, '_>,
        event: &Event<'_>,
        (offset, bytes): (u64, &[u8]),
        place: &Place,
    ) -> Result<(), Error> {
        let (id, subresource) = (event.object, event.ordinal);
        let Some(resource) = context.world.resources.get(&id) else { return Ok(()) };
        if resource.desc.Dimension != D3D12_RESOURCE_DIMENSION::BUFFER || subresource != 0 {
            return Ok(());
        }
        let end = offset + bytes.len() as u64;
        let last = end.next_multiple_of(WORD).min(resource.desc.Width / WORD * WORD);
        for at in (offset / WORD * WORD..last).step_by(WORD as usize) {
            let Some(recorded) = self.recorded(&context.world, id, at, (offset, bytes)) else { continue };
            let known = self.changed.get(&id).is_some_and(|all| all.contains_key(&at));
            let meaning = self.meaning(&mut context.world, recorded);
            let Some(report) = &mut context.report.guesses else { return Ok(()) };
            let value = match meaning {
                Meaning::Moved(here) => {
                    self.changed.entry(id).or_default().insert(at, recorded);
                    let (call, frame) = (event.number, place.frame);
                    report.all.push(Guess { call, frame, resource: id, offset: at, recorded, here });
                    here
                }
                other => {
                    report.left += u64::from(other == Meaning::Unclear);
                    if !known {
                        continue;
                    }
                    // Of a changed value a part was stored over.
                    self.changed.entry(id).or_default().remove(&at);
                    recorded
                }
            };
            mapped::store(&mut context.world, id, subresource, at, &value.to_le_bytes())
                .map_err(|what| place.fail(what))?;
        }
        Ok(())
    }

    /// The word at an offset as the program has it, of which some bytes have just been stored; `None` where the others cannot be seen.
    fn recorded(&self, world: &World, id: u32, at: u64, (offset, bytes): (u64, &[u8])) -> Option<u64> {
        let end = offset + bytes.len() as u64;
        if at >= offset && at + WORD <= end {
            return bytes.get((at - offset) as usize..).and_then(<[u8]>::first_chunk).map(|it| u64::from_le_bytes(*it));
        }
        let known = self.changed.get(&id).and_then(|all| all.get(&at));
        let mut word = match known {
            Some(value) => value.to_le_bytes(),
            None => *mapped::load(world, id, 0, at, WORD as usize)?.first_chunk()?,
        };
        for (byte, place) in word.iter_mut().zip(at..) {
            if let Some(stored) = place.checked_sub(offset).and_then(|place| bytes.get(place as usize)) {
                *byte = *stored;
            }
        }
        Some(u64::from_le_bytes(word))
    }
}

fn number(bytes: &[u8]) -> u64 {
    bytes.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

/// Ranges in rising order, each as long as possible.
fn merged(mut ranges: Vec<Range<u64>>) -> Vec<Range<u64>> {
    ranges.sort_unstable_by_key(|range| range.start);
    let mut merged: Vec<Range<u64>> = Vec::new();
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_was_ever_told_or_not() {
        let guesses = Guesses { told: merged(vec![64..128, 16..32, 128..192, 20..24]), changed: HashMap::new() };
        assert_eq!(guesses.told, [16..32, 64..192]);
        let told = [15, 16, 31, 32, 63, 64, 128, 191, 192].map(|address| guesses.has_told(address));
        assert_eq!(told, [false, true, true, false, false, true, true, true, false]);
    }
}
