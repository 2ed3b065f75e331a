//! The acceleration structures that a call makes or can reach, as their inputs.
//!
//! A structure at an address was made by the last build or copy to that address that the recording has before the call. Instances are read from
//! the bytes that the program stored through mapped memory, up to the submission that runs the build. What only the GPU wrote is not known here, and said
//! to be so.

use super::report::{
    AddressRef, BoundReport, ContentReport, FieldValue, HandleRef, InstanceReport, InstancesReport, MadeReport,
    StructureReport, TableReport,
};
use super::scene::Scene;
use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{
    D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_DESC as Build, D3D12_ELEMENTS_LAYOUT as Layout,
    D3D12_RAYTRACING_ACCELERATION_STRUCTURE_BUILD_FLAGS as Flags,
    D3D12_RAYTRACING_ACCELERATION_STRUCTURE_COPY_MODE as Mode, D3D12_RAYTRACING_ACCELERATION_STRUCTURE_TYPE as Type,
    D3D12_RAYTRACING_INSTANCE_DESC as Instance,
};
use reprise_timeline::argument::{Argument, GpuAddress, One};
use reprise_timeline::index::Entered;
use reprise_timeline::state::memory::Contents;
use reprise_timeline::walk::Memory;
use reprise_timeline::{At, Call, Interests, Pass, Walk, argument};
use reprise_trace::fact;
use reprise_trace::read::{ReadError, Trace};
use std::collections::{BTreeMap, BTreeSet};

const BUILD: MethodId = method("ID3D12GraphicsCommandList4", "BuildRaytracingAccelerationStructure");
const DESC: Argument<One<Build>> =
    argument!("ID3D12GraphicsCommandList4", "BuildRaytracingAccelerationStructure", "pDesc");
const COPY: MethodId = method("ID3D12GraphicsCommandList4", "CopyRaytracingAccelerationStructure");
const TO: Argument<GpuAddress> =
    argument!("ID3D12GraphicsCommandList4", "CopyRaytracingAccelerationStructure", "DestAccelerationStructureData");
const FROM: Argument<GpuAddress> =
    argument!("ID3D12GraphicsCommandList4", "CopyRaytracingAccelerationStructure", "SourceAccelerationStructureData");
const MODE: Argument<Mode> = argument!("ID3D12GraphicsCommandList4", "CopyRaytracingAccelerationStructure", "Mode");

/// Instances of one structure that are told.
const MOST_INSTANCES: u64 = 4096;
/// Structures that are told.
const MOST: usize = 1024;
/// Copies of copies that are followed.
const LONGEST_CHAIN: u32 = 16;
/// By which way a call reaches what it makes itself.
const OWN: &str = "made here";
/// Bytes of an instance, as the API lays it out.
const INSTANCE: u64 = size_of::<Instance>() as u64;

/// What a structure comes from.
#[derive(Clone, Copy, Debug)]
enum Origin {
    Built {
        top: bool,
        update: bool,
        count: u32,
        by_pointers: bool,
        /// Where instances lie: buffer and offset, which may be gone later.
        instances: Option<(u32, u64)>,
        source: u64,
    },
    Copied {
        mode: Mode,
        from: u64,
    },
}

/// A structure that a call put somewhere.
#[derive(Clone, Copy, Debug)]
struct Made {
    call: u64,
    list: u32,
    origin: Origin,
}

impl Made {
    /// By a call on a list, and where; `None` for other calls, and for what cannot be read.
    fn by(call: &Call<'_>, lies: impl Fn(u64) -> Option<(u32, u64)>) -> Option<(u64, Made)> {
        let (to, origin) = if call.method == BUILD {
            let desc = DESC.of(call).ok()??;
            let inputs = &desc.Inputs;
            let top = inputs.Type == Type::TOP_LEVEL;
            // SAFETY: builds of top levels have the instances' address in the union; all of its arms are plain numbers as recorded.
            let instances = if top { lies(unsafe { inputs.Anonymous.InstanceDescs }) } else { None };
            let update = inputs.Flags.0 & Flags::PERFORM_UPDATE.0 != 0;
            let by_pointers = inputs.DescsLayout == Layout::ARRAY_OF_POINTERS;
            let source = if update { desc.SourceAccelerationStructureData } else { 0 };
            let count = inputs.NumDescs;
            (desc.DestAccelerationStructureData, Origin::Built { top, update, count, by_pointers, instances, source })
        } else if call.method == COPY {
            (TO.of(call).ok()?.0, Origin::Copied { mode: MODE.of(call).ok()?, from: FROM.of(call).ok()?.0 })
        } else {
            return None;
        };
        Some((to, Made { call: call.number, list: call.object, origin }))
    }

    fn how(&self) -> &'static str {
        match self.origin {
            Origin::Built { update: true, .. } => "updated",
            Origin::Built { .. } => "built",
            Origin::Copied { mode: Mode::CLONE, .. } => "cloned",
            Origin::Copied { mode: Mode::COMPACT, .. } => "compacted",
            Origin::Copied { mode: Mode::SERIALIZE, .. } => "serialised",
            Origin::Copied { mode: Mode::DESERIALIZE, .. } => "deserialised",
            Origin::Copied { .. } => "copied for tools",
        }
    }
}

/// All structures that were made before a call.
#[derive(Default)]
struct Structures {
    /// By recorded address: each that ever came to lie there, in the order of the calls.
    all: BTreeMap<u64, Vec<Made>>,
    /// Buffers by their first address: its length, and the buffer.
    buffers: BTreeMap<u64, (u64, u32)>,
}

impl Pass for Structures {
    fn interests(&self) -> Interests {
        Interests::new().enters(&[BUILD, COPY]).facts()
    }

    fn fact(&mut self, object: u32, kind: u32, bytes: &[u8], _at: &At) {
        let word = |at: usize| bytes.get(at..).and_then(|rest| rest.first_chunk()).map(|it| u64::from_le_bytes(*it));
        if let (fact::ADDRESS_RANGE, Some(start), Some(size)) = (kind, word(0), word(8)) {
            let end = start.saturating_add(size);
            // What lay there is gone.
            let over: Vec<u64> = self
                .buffers
                .range(..end)
                .rev()
                .map(|(at, (size, _))| (*at, at.saturating_add(*size)))
                .take_while(|(_, end)| *end > start)
                .map(|(at, _)| at)
                .collect();
            self.buffers.retain(|at, _| !over.contains(at));
            self.buffers.insert(start, (size, object));
        }
    }

    fn enter(&mut self, call: &Call<'_>, _at: &At) {
        if let Some((to, made)) = Made::by(call, |address| self.lies(address)) {
            self.all.entry(to).or_default().push(made);
        }
    }
}

impl Structures {
    /// The buffer that an address lies in, and where.
    fn lies(&self, address: u64) -> Option<(u32, u64)> {
        let (start, (size, buffer)) = self.buffers.range(..=address).next_back()?;
        (address - start < *size).then_some((*buffer, address - start))
    }

    /// What lay at an address before a call.
    fn at(&self, address: u64, before: u64) -> Option<Made> {
        self.all.get(&address)?.iter().rev().find(|made| made.call < before).copied()
    }

    /// The build that a structure goes back to.
    fn built(&self, made: Made) -> Option<Made> {
        let mut made = made;
        for _ in 0..LONGEST_CHAIN {
            match made.origin {
                Origin::Built { .. } => return Some(made),
                Origin::Copied { from, .. } => made = self.at(from, made.call)?,
            }
        }
        None
    }
}

/// What lies at addresses where a call finds them, as calls were recorded.
pub struct KnownStructures {
    all: Structures,
    call: u64,
}

/// The build that a structure goes back to, through copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StructureBuild {
    /// The call.
    pub call: u64,
    /// A top level, and not a bottom level.
    pub top: bool,
    /// Instances, or geometries.
    pub count: u32,
    /// Instances are named by pointers.
    pub by_pointers: bool,
    /// Where instances, or pointers to them, lie: buffer and offset.
    pub instances: Option<(u32, u64)>,
}

impl KnownStructures {
    /// # Errors
    /// The trace cannot be read.
    pub fn before(trace: &Trace, call: u64) -> Result<KnownStructures, ReadError> {
        let mut all = Structures::default();
        if are_in(trace.schema()) {
            let mut walk = Walk::new(&[&mut all]);
            walk.run(&mut trace.events().without_pages(), call, &mut [&mut all])?;
        }
        Ok(KnownStructures { all, call })
    }

    /// The build of what lies at an address.
    ///
    /// # Errors
    /// In words: there is no structure, or the trace does not have its build.
    pub fn build(&self, address: u64) -> Result<StructureBuild, String> {
        let made = self.all.at(address, self.call);
        let made = made.ok_or_else(|| format!("no call makes an acceleration structure at {address:#x}"))?;
        let build = self.all.built(made);
        match build.map(|build| (build.call, build.origin)) {
            Some((call, Origin::Built { top, count, by_pointers, instances, .. })) => {
                Ok(StructureBuild { call, top, count, by_pointers, instances })
            }
            _ => {
                Err(format!("the structure at {address:#x} was {}, and the trace does not have its build", made.how()))
            }
        }
    }

    /// The buffer that an address lies in, and where.
    pub fn lies(&self, address: u64) -> Option<(u32, u64)> {
        self.all.lies(address)
    }
}

/// Reads the instances of builds: for each, by its call, until when stores count and where they lie.
#[derive(Default)]
struct Stores {
    builds: BTreeMap<u64, Stored>,
}

struct Stored {
    until: u64,
    resource: u32,
    offset: u64,
    bytes: u64,
    contents: Contents,
    any: bool,
}

impl Pass for Stores {
    fn interests(&self) -> Interests {
        Interests::new().memory_if(true)
    }

    fn memory(&mut self, memory: &Memory<'_>, at: &At) {
        for stored in self.builds.values_mut().filter(|it| it.resource == memory.resource && at.call < it.until) {
            // Of a large buffer only what lies there is kept.
            let (start, end) = (stored.offset, stored.offset.saturating_add(stored.bytes));
            let first = memory.offset.max(start);
            let last = memory.offset.saturating_add(memory.bytes.len() as u64).min(end);
            if first < last {
                let part = (first - memory.offset) as usize..(last - memory.offset) as usize;
                stored.contents.store(memory.resource, memory.subresource, first, &memory.bytes[part]);
                stored.any = true;
            }
        }
    }
}

/// Whether the trace's schema names a call that builds structures; a trace without a schema may have it.
fn are_in(schema: &[u8]) -> bool {
    const BUILDS: &[u8] = b"::BuildRaytracingAccelerationStructure";
    schema.is_empty() || schema.windows(BUILDS.len()).any(|window| window == BUILDS)
}

impl Scene<'_> {
    /// The structures that a call makes, copies, or reaches through what is bound and through shader tables; then those of their instances.
    ///
    /// # Errors
    /// The trace cannot be read.
    pub(super) fn structures(
        &self,
        call: &Entered,
        bound: Option<&BoundReport>,
        tables: Option<&[TableReport]>,
    ) -> Result<Vec<StructureReport>, ReadError> {
        if !are_in(self.trace.schema()) {
            return Ok(Vec::new());
        }
        let entered = call.call();
        let lies = |address| self.state.addresses.resource(address).map(|at| (at.resource, at.offset));
        let own = Made::by(&entered, lies);
        let mut uses = self.uses(bound.filter(|bound| bound.action.is_some()), tables.unwrap_or_default());
        if let Some((to, made)) = own {
            uses.push((OWN.to_owned(), to));
            match made.origin {
                Origin::Built { source, .. } if source != 0 && source != to => uses.push(("source".to_owned(), source)),
                Origin::Copied { from, .. } => uses.push(("source".to_owned(), from)),
                Origin::Built { .. } => {}
            }
        }
        if uses.is_empty() {
            return Ok(Vec::new());
        }
        let mut found = Structures::default();
        let mut walk = Walk::new(&[&mut found]);
        walk.run(&mut self.trace.events().without_pages(), self.call, &mut [&mut found])?;
        if let Some((to, made)) = own {
            found.all.entry(to).or_default().push(made);
        }
        let mut told: Vec<(String, u64, Made)> = Vec::new();
        for (using, address) in uses {
            // What this call makes was not there before it.
            let before = if using == OWN { call.number + 1 } else { call.number };
            if let Some(made) = found.at(address, before).filter(|made| self.is_alive(address, made.call)) {
                told.push((using, address, made));
            }
        }
        let mut tops = BTreeMap::new();
        for (_, _, made) in &told {
            if let Some(build) = found.built(*made) {
                self.wanted(&build, &mut tops);
            }
        }
        let mut stores = Stores { builds: tops };
        if let Some(last) = stores.builds.values().map(|stored| stored.until).max() {
            let mut walk = Walk::new(&[&mut stores]);
            walk.run(&mut self.trace.events(), last, &mut [&mut stores])?;
        }
        let mut reports = Vec::new();
        let mut known: BTreeSet<u64> = told.iter().map(|(_, address, _)| *address).collect();
        let mut below = Vec::new();
        for (using, address, made) in told.iter().take(MOST) {
            let report = self.structure_of(using, *address, made, &found, &stores);
            for instance in report.instances.iter().flat_map(|all| &all.list) {
                if known.insert(instance.at)
                    && let Some(made) = found.at(instance.at, call.number)
                {
                    below.push((format!("instance {} of {address:#x}", instance.index), instance.at, made));
                }
            }
            reports.push(report);
        }
        let room = MOST.saturating_sub(reports.len());
        reports.extend(
            below
                .iter()
                .take(room)
                .map(|(using, address, made)| self.structure_of(using, *address, made, &found, &stores)),
        );
        Ok(reports)
    }

    /// Whether what lies at an address now was there at a call.
    fn is_alive(&self, address: u64, call: u64) -> bool {
        let resource = self.state.addresses.resource(address).and_then(|at| self.state.objects.get(at.resource));
        resource.is_none_or(|object| object.call < call)
    }

    /// Addresses that a call's shaders may take for structures, and by which way.
    fn uses(&self, bound: Option<&BoundReport>, tables: &[TableReport]) -> Vec<(String, u64)> {
        let mut uses = Vec::new();
        let roots = bound.into_iter().flat_map(|bound| [&bound.graphics, &bound.compute]).flatten();
        for argument in roots.flat_map(|roots| &roots.arguments) {
            let parameter = argument.parameter;
            match &argument.content {
                ContentReport::Descriptor { view: "srv", location: Some(at), .. } => {
                    uses.extend(number(at).map(|at| (format!("root parameter {parameter}"), at)));
                }
                ContentReport::Table { ranges, .. } => {
                    for slot in ranges.iter().flat_map(|range| &range.slots) {
                        let at = slot.descriptor.location.as_ref().filter(|_| slot.descriptor.view == "srv");
                        let way = format!("root parameter {parameter}, slot {}", slot.slot);
                        uses.extend(at.and_then(number).map(|at| (way, at)));
                    }
                }
                _ => {}
            }
        }
        for table in tables {
            for record in &table.records {
                for field in &record.arguments {
                    let way =
                        || format!("{} record {}, +{}", table.table.replace('_', " "), record.index, field.offset);
                    match &field.value {
                        FieldValue::Address(Some(at)) => uses.extend(number(at).map(|at| (way(), at))),
                        FieldValue::Table(handle) => uses.extend(self.structure_in(handle).map(|at| (way(), at))),
                        _ => {}
                    }
                }
            }
        }
        uses
    }

    /// The structure that the descriptor of a handle is a view of.
    fn structure_in(&self, handle: &HandleRef) -> Option<u64> {
        let heap = self.state.descriptors.heap(handle.heap.as_ref()?.id)?;
        let (_, descriptor) = heap.slots().find(|(slot, _)| Some(*slot) == handle.slot)?;
        self.descriptor(descriptor).location.as_ref().and_then(number)
    }

    /// Where a build's instances lie, and until when what the program stores is what the build reads.
    fn wanted(&self, build: &Made, all: &mut BTreeMap<u64, Stored>) {
        let Origin::Built { top: true, count, by_pointers: false, instances: Some((resource, offset)), .. } =
            build.origin
        else {
            return;
        };
        let submissions = &self.index.chronicle().submissions;
        let first = submissions.partition_point(|submission| submission.call < build.call);
        let runs = submissions[first..]
            .iter()
            .find(|submission| submission.lists.iter().any(|ran| ran.list == build.list && ran.begun <= build.call));
        let until = runs.map_or(self.call, |submission| submission.call);
        let bytes = u64::from(count).min(MOST_INSTANCES) * INSTANCE;
        let contents = Contents::default();
        all.insert(build.call, Stored { until, resource, offset, bytes, contents, any: false });
    }

    fn structure_of(
        &self,
        using: &str,
        address: u64,
        made: &Made,
        found: &Structures,
        stores: &Stores,
    ) -> StructureReport {
        let from = match made.origin {
            Origin::Built { source, .. } => source,
            Origin::Copied { from, .. } => from,
        };
        let build = found.built(*made);
        let (level, geometries, instances) = match build.map(|build| (build, build.origin)) {
            Some((build, Origin::Built { top: true, count, by_pointers, .. })) => {
                ("top", None, Some(self.instances(&build, count, by_pointers, found, stores)))
            }
            Some((_, Origin::Built { count, .. })) => ("bottom", Some(count), None),
            _ => ("unknown", None, None),
        };
        StructureReport {
            used_by: using.to_owned(),
            location: self.known_address(address),
            made: MadeReport { call: made.call, how: made.how(), from: self.address(from) },
            build: build.map(|build| build.call),
            level,
            geometries,
            instances,
        }
    }

    fn instances(
        &self,
        build: &Made,
        count: u32,
        by_pointers: bool,
        found: &Structures,
        stores: &Stores,
    ) -> InstancesReport {
        let mut report = InstancesReport { count, list: Vec::new(), unknown: None };
        if count == 0 {
            return report;
        }
        let stored = stores.builds.get(&build.call).filter(|stored| stored.any);
        let Some(stored) = stored else {
            report.unknown = Some(match by_pointers {
                true => "they are named by pointers, which are not followed",
                false => "contents not known without a GPU",
            });
            return report;
        };
        for index in 0..u64::from(count).min(MOST_INSTANCES) {
            let mut bytes = [0; INSTANCE as usize];
            let Some(offset) = stored.offset.checked_add(index * INSTANCE) else { break };
            stored.contents.read(stored.resource, 0, offset, &mut bytes);
            let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
            let transform =
                core::array::from_fn(|row| core::array::from_fn(|of| f32::from_bits(word((row * 4 + of) * 4))));
            let at = u64::from(word(56)) | u64::from(word(60)) << 32;
            report.list.push(InstanceReport {
                index,
                id: word(48) & 0xff_ffff,
                mask: word(48) >> 24,
                hit_group: word(52) & 0xff_ffff,
                flags: word(52) >> 24,
                transform,
                structure: self.address(at),
                made: found.at(at, build.call).map(|made| made.call),
                at,
            });
        }
        report
    }
}

/// The address as a number again.
fn number(at: &AddressRef) -> Option<u64> {
    u64::from_str_radix(at.address.strip_prefix("0x")?, 16).ok()
}
