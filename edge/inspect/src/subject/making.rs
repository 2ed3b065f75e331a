//! What resources and heaps were made as, and where they were placed.

use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::D3D12_COMMAND_QUEUE_DESC;
use reprise_timeline::argument;
use reprise_timeline::argument::{Argument, One};
use reprise_timeline::state::memory::{heap, makes_resource, placement, resource};
use reprise_timeline::{At, Call, Interests, Pass};
use reprise_trace::fact;
use reprise_view::dump::names::Names;
use std::collections::HashMap;

/// A description of a queue, as an argument.
type QueueDesc = Argument<One<D3D12_COMMAND_QUEUE_DESC>>;

/// What makes queues, and from what.
const QUEUES: [(MethodId, QueueDesc); 2] = [
    (method("ID3D12Device", "CreateCommandQueue"), argument!("ID3D12Device", "CreateCommandQueue", "pDesc")),
    (method("ID3D12Device9", "CreateCommandQueue1"), argument!("ID3D12Device9", "CreateCommandQueue1", "pDesc")),
];

/// What an object was made as.
#[derive(Clone, Debug, Default)]
pub(crate) struct Made {
    /// Of a resource: its description.
    pub(crate) resource: Option<Description>,
    /// The heap that it was placed in, and the offset.
    pub(crate) place: Option<(u32, u64)>,
    /// Bytes that it takes.
    pub(crate) bytes: u64,
}

/// A resource's description, as far as lists show it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Description {
    /// `D3D12_RESOURCE_DIMENSION`.
    pub(crate) dimension: i32,
    pub(crate) width: u64,
    pub(crate) height: u32,
    pub(crate) depth: u16,
    pub(crate) mips: u16,
    pub(crate) samples: u32,
    /// `DXGI_FORMAT`.
    pub(crate) format: i32,
}

/// Collects what objects were made as.
#[derive(Default)]
pub(crate) struct Making {
    pub(crate) made: HashMap<u32, Made>,
    /// `DIRECT` and so on, by queue.
    pub(crate) queues: HashMap<u32, String>,
    /// Objects that are named only in structures: the lists and queues in what a removed device tells (DRED).
    pub(crate) names: Names,
    codec: Option<reprise_codec::Codec>,
}

impl Making {
    fn given(&mut self, call: &Call<'_>) -> Option<u32> {
        let codec = self.codec.get_or_insert_with(reprise_view::api::codec);
        let leave = call.leave()?;
        codec.output_ids(call.method, call.enter.bytes, leave.bytes).ok()?.into_iter().find(|id| *id != 0)
    }
}

/// The description that a method makes a queue from.
fn queue(method: MethodId) -> Option<&'static QueueDesc> {
    QUEUES.iter().find(|(own, _)| *own == method).map(|(_, desc)| desc)
}

/// Whether a method tells what a removed device was doing.
fn of_removal(method: MethodId) -> bool {
    reprise_view::api::name(method).starts_with("ID3D12DeviceRemovedExtendedData")
}

impl Pass for Making {
    fn interests(&self) -> Interests {
        let heaps = |method: MethodId| {
            let row = reprise_d3d12::MODEL.methods.get(usize::from(method.0));
            row.is_some_and(|row| row.name == "CreateHeap" || row.name == "CreateHeap1")
        };
        Interests::new()
            .calls_where(|method| {
                of_removal(method) || makes_resource(method) || heaps(method) || queue(method).is_some()
            })
            .facts()
    }

    fn call(&mut self, call: &Call<'_>, _at: &At) {
        if of_removal(call.method) {
            let codec = self.codec.get_or_insert_with(reprise_view::api::codec);
            if let Some(leave) = call.leave()
                && let Ok(outcome) = codec.decode_leave(call.method, call.enter.bytes, leave.bytes)
            {
                self.names.learn_given(codec, call.method, call.enter.bytes, &outcome);
            }
            return;
        }
        if let Some(desc) = queue(call.method) {
            if let (Ok(Some(desc)), Some(id)) = (desc.of(call), self.given(call)) {
                let name = reprise_view::api::enum_name("D3D12_COMMAND_LIST_TYPE", desc.Type.0 as u32);
                self.queues.insert(id, name.trim_start_matches("D3D12_COMMAND_LIST_TYPE_").to_owned());
            }
            return;
        }
        if let Ok(Some(desc)) = resource(call) {
            let Some(id) = self.given(call) else { return };
            let made = self.made.entry(id).or_default();
            made.resource = Some(Description {
                dimension: desc.Dimension.0,
                width: desc.Width,
                height: desc.Height,
                depth: desc.DepthOrArraySize,
                mips: desc.MipLevels,
                samples: desc.SampleDesc.Count,
                format: desc.Format.0,
            });
            made.place = placement(call).ok().flatten();
            if made.bytes == 0 && desc.Dimension.0 == 1 {
                made.bytes = desc.Width;
            }
        } else if let Ok(Some(desc)) = heap(call) {
            let Some(id) = self.given(call) else { return };
            self.made.entry(id).or_default().bytes = desc.SizeInBytes;
        }
    }

    fn fact(&mut self, object: u32, kind: u32, bytes: &[u8], _at: &At) {
        if let (fact::ALLOCATION, Some(bytes)) = (kind, bytes.first_chunk()) {
            self.made.entry(object).or_default().bytes = u64::from_le_bytes(*bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of every method of devices that makes queues the description is read.
    #[test]
    fn all_that_make_queues_are_known() {
        let methods = reprise_view::api::model().methods.iter().zip(0u16..);
        let making = methods.filter(|(method, _)| method.name.starts_with("CreateCommandQueue"));
        let numbers: Vec<u16> = making.map(|(_, number)| number).collect();
        assert!(numbers.len() >= 2);
        for number in numbers {
            assert!(queue(MethodId(number)).is_some(), "{}", reprise_view::api::name(MethodId(number)));
        }
    }
}
