//! Objects that arguments of barriers, copies and the making of views name.
//!
//! Invariant: every object is found that a dump names there: by its id, or by an address in a buffer. What cannot be read may name any.

use crate::codec;
use reprise_codec::Value;
use reprise_d3d12::model::{MethodId, Role};
use reprise_d3d12::{MODEL, method};
use reprise_trace::fact;
use reprise_trace::read::Event;
use reprise_trace::record::Kind;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// The methods whose arguments are looked through.
const NAMING: [MethodId; 17] = [
    of_list("ResourceBarrier"),
    method("ID3D12GraphicsCommandList7", "Barrier"),
    of_list("CopyBufferRegion"),
    of_list("CopyTextureRegion"),
    of_list("CopyResource"),
    of_list("CopyTiles"),
    of_list("ResolveSubresource"),
    method("ID3D12GraphicsCommandList1", "ResolveSubresourceRegion"),
    of_device("CreateShaderResourceView"),
    of_device("CreateUnorderedAccessView"),
    of_device("CreateConstantBufferView"),
    of_device("CreateRenderTargetView"),
    of_device("CreateDepthStencilView"),
    of_device("CreateSampler"),
    method("ID3D12Device11", "CreateSampler2"),
    of_device("CopyDescriptors"),
    of_device("CopyDescriptorsSimple"),
];

const fn of_list(name: &str) -> MethodId {
    method("ID3D12GraphicsCommandList", name)
}

const fn of_device(name: &str) -> MethodId {
    method("ID3D12Device", name)
}

/// Whether the arguments of a method, by number, are looked through.
pub(super) fn is_naming(number: usize) -> bool {
    static IS: OnceLock<Vec<bool>> = OnceLock::new();
    let all = || {
        let mut all = vec![false; MODEL.methods.len()];
        NAMING.iter().for_each(|method| all[usize::from(method.0)] = true);
        all
    };
    IS.get_or_init(all).get(number).is_some_and(|is| *is)
}

/// What an event says of names.
pub(super) enum Named {
    Nothing,
    /// A buffer: its address, bytes, and id.
    Buffer((u64, u64, u32)),
    /// Ids, and addresses.
    Objects(Vec<u32>, Vec<u64>),
    Anything,
}

impl Named {
    pub(super) fn of(event: &Event<'_>) -> Named {
        match event.kind {
            Kind::Fact => match event.fact() {
                Some((fact::ADDRESS_RANGE, bytes)) => match bytes.as_chunks::<8>().0 {
                    [start, bytes, ..] => {
                        Named::Buffer((u64::from_le_bytes(*start), u64::from_le_bytes(*bytes), event.object))
                    }
                    _ => Named::Nothing,
                },
                _ => Named::Nothing,
            },
            Kind::Enter if is_naming(event.method.into()) => {
                let (mut ids, mut addresses) = (Vec::new(), Vec::new());
                match codec().decode_enter(MethodId(event.method), event.payload) {
                    Ok(arguments) => {
                        let members = &arguments.members;
                        members.iter().for_each(|member| look(&member.value, &mut ids, &mut addresses));
                        Named::Objects(ids, addresses)
                    }
                    Err(_) => Named::Anything,
                }
            }
            _ => Named::Nothing,
        }
    }
}

fn look(value: &Value<'_>, ids: &mut Vec<u32>, addresses: &mut Vec<u64>) {
    match value {
        Value::Object(id, _) if *id != 0 => ids.push(*id),
        Value::Word(Role::GpuAddress, address) if *address != 0 => addresses.push(*address),
        Value::Struct(_, members) => members.iter().for_each(|member| look(&member.value, ids, addresses)),
        Value::Array(values) => values.iter().for_each(|value| look(value, ids, addresses)),
        Value::Stream(subobjects) => subobjects.iter().for_each(|(_, value)| look(value, ids, addresses)),
        _ => {}
    }
}

/// Where buffers lie, as a dump knows it: by first address, the address behind the last byte, and the buffer. None overlap: a later one takes
/// the place of those that it meets.
#[derive(Default)]
pub(super) struct Ranges(BTreeMap<u64, (u64, u32)>);

impl Ranges {
    pub(super) fn insert(&mut self, (start, bytes, buffer): (u64, u64, u32)) {
        let Some(end) = start.checked_add(bytes).filter(|_| start != 0 && bytes != 0) else { return };
        let met = |(first, (own, _)): (&u64, &(u64, u32))| (*own > start).then_some(*first);
        let stale: Vec<u64> = self.0.range(..end).rev().map_while(met).collect();
        stale.iter().for_each(|first| _ = self.0.remove(first));
        self.0.insert(start, (end, buffer));
    }

    /// The buffer that has an address.
    pub(super) fn at(&self, address: u64) -> Option<u32> {
        let (_, (end, buffer)) = self.0.range(..=address).next_back()?;
        (address < *end).then_some(*buffer)
    }
}
