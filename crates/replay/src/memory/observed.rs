//! Bytes that the program saw the GPU write, compared with those of the GPU here.
//!
//! Invariant: times of the GPU's clock, and sizes of acceleration structures that are other ones here, are counted and not compared.

use std::ops::Range;
use std::time::Duration;

use reprise_trace::read::Event;

use super::clock::{Clocks, Marks};
use super::gpu_writes::GpuWrites;
use super::mapped::{self, Comparison};
use super::spans;
use crate::context::Context;
use crate::error::Place;
use crate::options::Read;
use crate::world::World;

/// Compares memory that the program read back.
#[derive(Default)]
pub(crate) struct Observed<'t> {
    /// Follows times of the GPU's clock and sizes of structures, where the trace asks for some.
    pub(crate) clocks: Option<Clocks<'t>>,
    /// Follows what submitted work writes.
    pub(crate) gpu: GpuWrites,
}

impl Observed<'_> {
    /// Compares the `bytes` of a record, which begin at `offset` of its resource, and passes on the hash of the bytes here.
    pub(crate) fn compare(
        &mut self,
        context: &mut Context<'_, '_>,
        event: &Event<'_>,
        (offset, bytes): (u64, &[u8]),
        place: &Place,
    ) {
        let Some(differs) = self.compare_bytes(context, event, (offset, bytes), place) else { return };
        if context.options.on_read.is_none() {
            return;
        }
        let marks = self.marks_among(event, offset, bytes.len());
        let all = offset..offset + bytes.len() as u64;
        // Of some of the bytes: the others count as zeros.
        let hash = |zeros: &[Range<u64>]| {
            mapped::hash(&context.world, event.object, event.ordinal, offset, bytes.len(), zeros)
        };
        let others: Vec<Range<u64>> = spans::between(all.clone(), &marks.answers).collect();
        let answers = if marks.answers.is_empty() { None } else { hash(&others) };
        let apart = marks.in_order();
        let values = spans::between(all, &apart).next().and_then(|_| hash(&apart));
        let Some(hash) = hash(&marks.times) else { return };
        let (call, frame, resource) = (event.number, place.frame, event.object);
        if let Some(take) = &mut context.options.on_read {
            take(&Read { call, frame, resource, offset, hash, answers, values, differs });
        }
    }

    /// Which of these bytes are times of the GPU's clock, which are sizes of acceleration structures, and which are answers of queries.
    fn marks_among(&mut self, event: &Event<'_>, offset: u64, len: usize) -> Marks {
        let bytes = offset..offset.saturating_add(len as u64);
        self.clocks.as_mut().map(|clocks| clocks.among(event, bytes)).unwrap_or_default()
    }

    /// Compares them, and says whether they differ; `None` where the program looked before it could know what it would see.
    fn compare_bytes(
        &mut self,
        context: &mut Context<'_, '_>,
        event: &Event<'_>,
        (offset, bytes): (u64, &[u8]),
        place: &Place,
    ) -> Option<bool> {
        let (id, subresource) = (event.object, event.ordinal);
        let steps = context.options.read_steps;
        let look = |world: &World, part: &Range<u64>, steps: u8| {
            let (from, to) = ((part.start - offset) as usize, (part.end - offset) as usize);
            mapped::compare(world, id, subresource, (part.start, &bytes[from..to]), steps)
        };
        let all = offset..offset + bytes.len() as u64;
        let mut comparison = look(&context.world, &all, 0);
        let mut near = 0;
        let mut marks = Marks::default();
        if matches!(comparison, Comparison::Differ(..)) {
            // Times are never those of the capture, and sizes are the driver's; other bytes may differ because work is still under way here.
            marks = self.marks_among(event, offset, bytes.len());
            marks.answers.clear();
            let mut apart = marks.in_order();
            let texels = if steps > 0 { std::mem::take(&mut marks.texels) } else { Vec::new() };
            apart.extend_from_slice(&texels);
            apart.sort_unstable_by_key(|part| part.start);
            let look_at_texels = |world: &World, steps: u8| {
                texels.iter().fold(Comparison::Equal, |sum, part| sum.and(look(world, part, steps)))
            };
            let look_at_rest = |world: &World| {
                let others = spans::between(all.clone(), &apart);
                others.fold(look_at_texels(world, steps), |sum, part| sum.and(look(world, &part, 0)))
            };
            comparison = look_at_rest(&context.world);
            if matches!(comparison, Comparison::Differ(..)) {
                context.world.drain(Duration::from_secs(1));
                comparison = look_at_rest(&context.world);
            }
            let [unlike, beyond] = [0, steps].map(|steps| look_at_texels(&context.world, steps).count());
            near = unlike.saturating_sub(beyond) as u64;
        }
        let is_early = comparison != Comparison::Unseen
            && self.gpu.is_under_way(id, &all)
            // Equal bytes may be those that neither GPU has written yet. What the work leaves here tells.
            && (comparison != Comparison::Equal
                || !context.world.drain(Duration::from_secs(1))
                || look(&context.world, &all, 0) != Comparison::Equal);
        if is_early {
            // A later record shows what the work left, or the bytes count as written and never seen.
            context.report.early_bytes += bytes.len() as u64;
            return None;
        }
        context.report.near_bytes += near;
        if comparison != Comparison::Unseen {
            let apart = marks.in_order();
            let compared = spans::between(all.clone(), &apart);
            context.report.gpu_written_bytes += compared.map(|part| self.gpu.written(id, &part)).sum::<u64>();
            self.gpu.seen(id, &all);
            let [time_bytes, size_bytes] =
                [&marks.times, &marks.sizes].map(|parts| parts.iter().map(|part| part.end - part.start).sum::<u64>());
            context.report.time_bytes += time_bytes;
            context.report.size_bytes += size_bytes;
            context.report.compared_bytes += bytes.len() as u64 - time_bytes - size_bytes;
        }
        if let Comparison::Differ(first, count) = comparison {
            context.report.different_bytes += count as u64;
            let what = format!(
                "{count} of {} bytes that the GPU wrote differ from what the program saw, the first at offset {first} of resource {id}",
                bytes.len()
            );
            context.differ(place, what);
            return Some(true);
        }
        Some(false)
    }
}
