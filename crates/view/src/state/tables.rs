//! The shader tables of a dispatch of rays, with what their records mean.
//!
//! What lies in a table is what the program stored to it through mapped memory, as of the submission that runs the list. What only the GPU
//! wrote, copies included, is not known here, and said to be so.

use super::report::{FieldReport, FieldValue, RecordReport, TableReport};
use super::scene::Scene;
use reprise_codec::json::hex;
use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::D3D12_DISPATCH_RAYS_DESC;
use reprise_timeline::argument::{Argument, One};
use reprise_timeline::index::Entered;
use reprise_timeline::state::lists::{Bound, Pipeline};
use reprise_timeline::state::memory::Contents;
use reprise_timeline::state::{Addresses, State};
use reprise_timeline::state_objects::{Export, StateObjects};
use reprise_timeline::walk::Memory;
use reprise_timeline::{At, Call, Damaged, Interests, Pass, Walk, argument};
use reprise_trace::read::{ReadError, Trace};
use std::collections::BTreeSet;

use reprise_state_object::{Field, IDENTIFIER};

const DISPATCH: MethodId = method("ID3D12GraphicsCommandList4", "DispatchRays");
const DESC: Argument<One<D3D12_DISPATCH_RAYS_DESC>> = argument!("ID3D12GraphicsCommandList4", "DispatchRays", "pDesc");
/// Records of one table that are told.
const MOST_RECORDS: u64 = 4096;
/// Most bytes of a record: `D3D12_RAYTRACING_MAX_SHADER_RECORD_STRIDE`.
const LARGEST: u64 = 4096;

/// A table as the call names it.
#[derive(Clone, Copy, Debug)]
struct Range {
    name: &'static str,
    start: u64,
    bytes: u64,
    /// 0: there is one record.
    stride: u64,
}

/// What a dispatch of rays names, and what the trace says about it.
pub(super) struct Tables {
    ranges: [Range; 4],
    objects: StateObjects,
    contents: Contents,
    /// Resources that something was stored to.
    stored: BTreeSet<u32>,
}

/// Collects it from the trace.
struct Collect<'t> {
    trace: &'t Trace,
    /// Resources in which tables lie.
    wanted: BTreeSet<u32>,
    tables: Tables,
}

/// The tables of a call; `None` for calls that are no dispatch of rays. `until` is the call as of which memory is read.
///
/// # Errors
/// When the trace cannot be read.
pub(super) fn collect(trace: &Trace, call: &Entered, state: &State, until: u64) -> Result<Option<Tables>, ReadError> {
    let Some(Ok(ranges)) = (call.method == DISPATCH.0).then(|| ranges(call)) else { return Ok(None) };
    let wanted = ranges.iter().filter_map(|range| state.addresses.resource(range.start)).map(|it| it.resource);
    let tables =
        Tables { ranges, objects: StateObjects::default(), contents: Contents::default(), stored: BTreeSet::new() };
    let mut collect = Collect { trace, wanted: wanted.collect(), tables };
    let mut walk = Walk::new(&[&mut collect]);
    walk.run(&mut trace.events(), until, &mut [&mut collect])?;
    Ok(Some(collect.tables))
}

fn ranges(call: &Entered) -> Result<[Range; 4], Damaged> {
    let call = call.call();
    let desc = DESC.of(&call)?.unwrap_or_default();
    let one = desc.RayGenerationShaderRecord;
    let many = [("miss", desc.MissShaderTable), ("hit", desc.HitGroupTable), ("callable", desc.CallableShaderTable)];
    let [miss, hit, callable] = many.map(|(name, table)| Range {
        name,
        start: table.StartAddress,
        bytes: table.SizeInBytes,
        stride: table.StrideInBytes,
    });
    let first = Range { name: "ray_generation", start: one.StartAddress, bytes: one.SizeInBytes, stride: 0 };
    Ok([first, miss, hit, callable])
}

impl Pass for Collect<'_> {
    fn interests(&self) -> Interests {
        StateObjects::interests().memory_if(true)
    }

    fn call(&mut self, call: &Call<'_>, _at: &At) {
        // What cannot be read is among the state's damage, which the report has.
        let _ = self
            .tables
            .objects
            .call(call, &mut |place| self.trace.blob_by_id(place).map_err(|error| error.to_string()));
    }

    fn memory(&mut self, memory: &Memory<'_>, _at: &At) {
        if self.wanted.contains(&memory.resource) {
            self.tables.contents.store(memory.resource, memory.subresource, memory.offset, memory.bytes);
            self.tables.stored.insert(memory.resource);
        }
    }
}

impl Scene<'_> {
    /// The tables of a dispatch, for what is bound there.
    pub(super) fn tables(&self, tables: &Tables, bound: Option<&Bound>) -> Vec<TableReport> {
        let pipeline = bound.and_then(|bound| bound.pipeline.as_ref()).map(|setting| &setting.value);
        let object = match pipeline {
            Some(Pipeline::StateObject(id)) => tables.objects.get(*id),
            _ => None,
        };
        let ranges = tables.ranges.iter().filter(|range| range.start != 0 || range.bytes != 0);
        let table = |range: &Range| {
            let location = self.state.addresses.resource(range.start);
            let mut report = TableReport {
                table: range.name,
                location: self.address(range.start),
                bytes: range.bytes,
                stride: range.stride,
                records: Vec::new(),
                more: 0,
                unknown: None,
            };
            let Some(location) = location else {
                report.unknown = Some("no resource is known to lie at the address");
                return report;
            };
            if !tables.stored.contains(&location.resource) {
                report.unknown = Some("contents not known without a GPU");
                return report;
            }
            let count = if range.stride == 0 { range.bytes.min(1) } else { range.bytes.div_ceil(range.stride) };
            report.more = count.saturating_sub(MOST_RECORDS);
            for index in 0..count.min(MOST_RECORDS) {
                let at = index * range.stride;
                let step = if range.stride == 0 { range.bytes } else { range.stride };
                let mut bytes = vec![0; (range.bytes - at).min(step).min(LARGEST) as usize];
                let Some(offset) = location.offset.checked_add(at) else { break };
                tables.contents.read(location.resource, 0, offset, &mut bytes);
                let export = bytes.first_chunk::<IDENTIFIER>().and_then(|identifier| {
                    let own = object.and_then(|object| object.by_identifier(identifier));
                    own.or_else(|| tables.objects.find(identifier))
                });
                report.records.push(self.record(index, &bytes, export));
            }
            report
        };
        ranges.map(table).collect()
    }

    fn record(&self, index: u64, bytes: &[u8], export: Option<&Export>) -> RecordReport {
        let identifier = bytes.get(..IDENTIFIER).unwrap_or(bytes);
        let fields = export.map_or(&[][..], |export| &export.record.fields);
        RecordReport {
            index,
            identifier: hex(identifier),
            null: identifier.iter().all(|byte| *byte == 0),
            export: export.map(|export| export.name.clone()),
            kind: export.map(|export| export.kind.name()),
            arguments: fields.iter().map(|(offset, field)| self.field(bytes, *offset, *field)).collect(),
        }
    }

    fn field(&self, bytes: &[u8], offset: u32, field: Field) -> FieldReport {
        let from = bytes.get(offset as usize..).unwrap_or_default();
        let long = from.first_chunk().map(|bytes| u64::from_le_bytes(*bytes));
        let value = match (field, long) {
            (Field::Constants(count), _) => {
                let words = from.as_chunks().0.iter().take(count as usize).map(|word| u32::from_le_bytes(*word));
                FieldValue::Constants(words.collect())
            }
            (Field::Address, Some(address)) => FieldValue::Address(self.address(address)),
            (Field::Table, Some(handle)) => FieldValue::Table(self.table_handle(handle)),
            (_, None) => FieldValue::Outside,
        };
        FieldReport { offset, value }
    }

    fn table_handle(&self, handle: u64) -> super::report::HandleRef {
        let addresses: &Addresses = &self.state.addresses;
        self.handle(handle, addresses.gpu(handle))
    }
}
