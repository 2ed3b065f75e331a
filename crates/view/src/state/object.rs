//! One object, as a report: its life, and what it holds.

use super::report::{
    DescriptorHeapReport, FenceEventReport, HeapReport, MappedReport, ObjectReport, OverlapReport, PlacedReport,
    QueueHistoryReport, ResourceReport, SlotReport, TilesReport, ViewedReport,
};
use super::scene::{Scene, submission};
use crate::api;
use crate::root_signature;
use reprise_codec::Value;
use reprise_codec::value::Member;
use reprise_d3d12::model::MethodId;
use reprise_timeline::index::Life;
use reprise_timeline::state::bindings;
use reprise_timeline::state::memory::{Content, Place};
use reprise_timeline::state::queues::Happening;

/// Lives of an object that are listed.
const LIVES: usize = 8;

/// Why there is no report of an object: in words, with what to do.
pub(super) type Refused = String;

/// Why an object does not exist at a call, and when it does.
fn absent(id: u32, call: u64, lives: &[Life]) -> String {
    let Some(first) = lives.first() else {
        return format!("the trace has no object {id}: `reprise dump` names them");
    };
    if first.created >= call {
        return format!(
            "object {id} does not exist yet at call {call}: call {} makes it; ask at a later one",
            first.created
        );
    }
    // It finds the object at its own release, and not at its own creation.
    if lives.iter().any(|life| life.created < call && life.released.is_none_or(|released| released >= call)) {
        return format!("object {id} cannot be told at call {call}: part of the trace is missing");
    }
    let one = |life: &Life| match life.released {
        Some(released) => format!("from call {} to call {released}", life.created),
        None => format!("from call {} on", life.created),
    };
    let told: Vec<String> = lives.iter().take(LIVES).map(one).collect();
    let more = match lives.len().saturating_sub(LIVES) {
        0 => String::new(),
        more => format!(", and {more} times more"),
    };
    let any_more =
        if lives.last().is_some_and(|life| life.released.is_some_and(|it| it < call)) { " any more" } else { "" };
    format!(
        "object {id} does not exist{any_more} at call {call}: it lives {}{more}; ask at a call of these",
        told.join(", ")
    )
}

impl Scene<'_> {
    /// All about an object.
    ///
    /// # Errors
    /// When it does not exist here; the message says when it does.
    pub(super) fn about(&self, id: u32) -> Result<ObjectReport, Refused> {
        let lives = self.index.chronicle().lives_of(id);
        let Some(object) = self.state.objects.get(id) else {
            return Err(absent(id, self.call, lives));
        };
        let life = lives.iter().find(|life| life.created == object.call);
        let creation = object.creation();
        let method = MethodId(creation.method.0);
        let arguments = self.codec.decode_enter(method, creation.enter.bytes).ok();
        let is_pipeline = arguments
            .as_ref()
            .is_some_and(|arguments| !self.shaders(&arguments.members, creation.enter.blobs).is_empty());
        let signature = bindings::root_signature(|place| self.stored(place), self.state, id).ok();
        Ok(ObjectReport {
            object: self.known(id),
            created: object.call,
            created_by: api::name(method),
            parent: self.object(object.parent),
            released: life.and_then(|life| life.released),
            references: object.outside,
            needed_by: object.inner,
            creation: self.arguments(method, creation.enter.bytes, creation.enter.blobs),
            descriptor_heap: self.descriptor_heap(id),
            heap: self.heap(id),
            resource: self.resource(id),
            fence: self.state.queues.fence(id).map(|_| self.fence_history(id)),
            queue: self
                .state
                .queues
                .queue(id)
                .map(|queue| QueueHistoryReport { now: self.queue(id, queue), history: self.submissions_of(id) }),
            list: self.state.lists.get(id).map(|list| self.list(id, list)),
            pipeline: is_pipeline.then(|| self.pipeline(id, "pipeline", object.call)),
            root_signature: signature.map(|(signature, version)| root_signature::json(self.codec, &signature, version)),
        })
    }

    fn submissions_of(&self, queue: u32) -> Vec<super::report::SubmissionReport> {
        let all = self.index.chronicle().submissions.iter();
        all.filter(|one| one.queue == queue && one.call < self.call).map(submission).collect()
    }

    fn fence_history(&self, fence: u32) -> Vec<FenceEventReport> {
        let events = self.index.chronicle().fence_before(fence, self.call);
        events
            .map(|event| {
                let (name, queue) = match event.happening {
                    Happening::Made => ("made", None),
                    Happening::Signalled { queue } => ("signalled", Some(queue)),
                    Happening::Set => ("set", None),
                    Happening::QueueWaits { queue } => ("queue_waits", Some(queue)),
                    Happening::ProgramWaits => ("program_waits", None),
                    Happening::Seen => ("seen", None),
                };
                FenceEventReport { call: event.call, value: event.value, event: name, queue }
            })
            .collect()
    }

    fn descriptor_heap(&self, id: u32) -> Option<DescriptorHeapReport> {
        let heap = self.state.descriptors.heap(id)?;
        let slot = |(slot, descriptor)| SlotReport { register: None, slot, descriptor: self.descriptor(descriptor) };
        Some(DescriptorHeapReport {
            kind: self.name("D3D12_DESCRIPTOR_HEAP_TYPE", heap.kind as u32),
            count: heap.count,
            slots: heap.slots().map(slot).collect(),
        })
    }

    fn heap(&self, id: u32) -> Option<HeapReport> {
        let heap = self.state.memory.heap(id)?;
        let contents = self.state.memory.in_heap(id);
        let overlaps = |content: &Content| {
            let meets = |other: &&Content| other.resource != content.resource && other.meets(content);
            let mut others: Vec<u32> = contents.iter().filter(meets).map(|other| other.resource).collect();
            others.dedup();
            others
        };
        let placed = |content: &Content| PlacedReport {
            offset: content.offset,
            bytes: content.bytes,
            resource: self.known(content.resource),
            tile: content.tile,
            overlaps: overlaps(content),
            activity: self.active(content.resource),
        };
        Some(HeapReport {
            bytes: heap.size,
            resident: self.state.memory.is_resident(id),
            contents: contents.iter().map(placed).collect(),
        })
    }

    fn resource(&self, id: u32) -> Option<ResourceReport> {
        let memory = &self.state.memory;
        let resource = memory.resource(id)?;
        let (place, heap, offset) = match resource.place {
            Place::Committed { .. } => ("committed", None, None),
            Place::Placed { heap, offset } => ("placed", self.object(heap), Some(offset)),
            Place::Reserved => ("reserved", None, None),
        };
        let tiles = memory.tiles(id).into_iter().flat_map(|tiles| tiles.runs());
        let mapped = memory.mapped().filter(|(owner, ..)| *owner == id);
        let mut views = Vec::new();
        for (heap, slots) in self.state.descriptors.heaps() {
            for (slot, descriptor) in slots.slots() {
                if descriptor.view.resource == id || descriptor.view.second == id {
                    views.push(ViewedReport {
                        heap,
                        slot,
                        view: self.descriptor(descriptor).view,
                        call: descriptor.call,
                    });
                }
            }
        }
        Some(ResourceReport {
            place,
            heap,
            offset,
            bytes: resource.size,
            address: self.state.addresses.of_resource(id).map(|(address, _)| format!("{address:#x}")),
            resident: memory.is_resident(id),
            tiles: tiles
                .map(|(first, run)| TilesReport {
                    first,
                    count: run.count,
                    heap: run.heap,
                    tile: run.tile,
                    call: run.call,
                })
                .collect(),
            mapped: mapped
                .map(|(_, subresource, mapping)| MappedReport {
                    subresource,
                    address: format!("{:#x}", mapping.address),
                    bytes: mapping.bytes,
                    maps: mapping.maps,
                })
                .collect(),
            overlaps: memory
                .overlaps(id)
                .into_iter()
                .map(|(heap, _, other)| OverlapReport {
                    resource: self.known(other.resource),
                    heap,
                    offset: other.offset,
                    bytes: other.bytes,
                })
                .collect(),
            activity: self.active(id),
            views,
        })
    }
}

/// The root signature among the arguments of a pipeline's creation.
pub(super) fn root_signature_of(members: &[Member<'_>]) -> Option<u32> {
    let of = |value: &Value<'_>| match value {
        Value::Object(id, interface) if api::class(*interface) == "ID3D12RootSignature" => Some(*id),
        Value::Struct(_, members) => root_signature_of(members),
        Value::Stream(subobjects) => subobjects.iter().find_map(|(_, value)| match value {
            Value::Object(id, interface) if api::class(*interface) == "ID3D12RootSignature" => Some(*id),
            _ => None,
        }),
        _ => None,
    };
    members.iter().find_map(|member| of(&member.value)).filter(|id| *id != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_that_lives_several_times_is_told_so() {
        let life = |created, released| Life { created, released };
        let lives = [life(27, Some(50)), life(105, Some(128)), life(200, None)];
        let said = absent(8, 57, &lives);
        assert!(said.contains("from call 27 to call 50, from call 105 to call 128, from call 200 on"), "{said}");
        assert!(!said.contains("any more"), "it comes back: {said}");
        assert!(absent(8, 140, &lives[..2]).contains("any more"));
        assert!(absent(8, 20, &lives).contains("call 27 makes it"));
        assert!(absent(8, 110, &lives).contains("missing"), "it should exist there");
        assert!(absent(8, 20, &[]).contains("no object 8"));
    }
}
