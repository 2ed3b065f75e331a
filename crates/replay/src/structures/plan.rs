//! All acceleration structures of a trace: where each is put, and what comes to lie there. Known before the first one is built.
//!
//! One pass over the trace finds them. It runs only if the trace's schema has a call that builds one. Invariant: an unreadable call is left
//! out here; its replay reports the error. Memory grows with different structures and their inputs, not with builds.

use std::collections::{BTreeMap, HashMap};

use reprise_codec::arena::Arena;
use reprise_codec::rebuild::AsRecorded;
use reprise_codec::{Codec, Wide};
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{
    D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_DESC as Build,
    D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS as Description,
    D3D12_RAYTRACING_ACCELERATION_STRUCTURE_COPY_MODE as Mode,
    D3D12_RAYTRACING_ACCELERATION_STRUCTURE_PREBUILD_INFO as Sizes,
};
use reprise_d3d12::{MODEL, method};
use reprise_timeline::argument::{Argument, GpuAddress, Out};
use reprise_timeline::{At, Call, Interests, Pass, argument};
use reprise_trace::fact;
use reprise_trace::read::Event;

use super::ALIGNMENT;
use super::inputs::Inputs;
use crate::input::source::{Source, walk};
use crate::resolve::address::{AddressMap, Location};

/// What a structure comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Origin {
    /// A build of these inputs: an index into [`Plan::inputs`].
    Built(usize),
    /// A copy of a structure that keeps its size.
    Cloned(Location),
    /// A copy of a structure that is made as small as the driver can.
    Compacted(Location),
}

/// The structures of a trace.
#[derive(Default)]
pub(crate) struct Plan {
    /// Structures by resource and offset, with all that ever comes to lie there.
    pub(crate) structures: HashMap<u32, BTreeMap<u64, Vec<Origin>>>,
    /// Different inputs.
    pub(crate) inputs: Vec<Inputs>,
    /// What the program was told of them.
    pub(crate) told: HashMap<Inputs, Sizes>,
    numbers: HashMap<Inputs, usize>,
    /// Bytes of each buffer.
    bytes: HashMap<u32, u64>,
}

/// What a device needs for structures.
#[derive(Default)]
pub(crate) struct Needs {
    /// Bytes by index of the plan's inputs.
    pub(crate) results: Vec<u64>,
    /// Adapter and driver are those of the capture: what they compact gets as small as it did.
    pub(crate) same_machine: bool,
}

/// Copies of copies that are followed. Structures that are copied to each other's places in turn make a circle.
const LONGEST_CHAIN: u32 = 16;

/// Whether the trace's schema names a method that builds structures; one without a schema may have it.
pub(crate) fn are_in(schema: &[u8]) -> bool {
    const BUILDS: &[u8] = b"::BuildRaytracingAccelerationStructure";
    schema.is_empty() || schema.windows(BUILDS.len()).any(|window| window == BUILDS)
}

const BUILD: MethodId = method("ID3D12GraphicsCommandList4", "BuildRaytracingAccelerationStructure");
const ASK: MethodId = method("ID3D12Device5", "GetRaytracingAccelerationStructurePrebuildInfo");
const TOLD: Argument<Out<Sizes>> =
    argument!("ID3D12Device5", "GetRaytracingAccelerationStructurePrebuildInfo", "pInfo");
const COPY_TO: Argument<GpuAddress> =
    argument!("ID3D12GraphicsCommandList4", "CopyRaytracingAccelerationStructure", "DestAccelerationStructureData");
const COPY_FROM: Argument<GpuAddress> =
    argument!("ID3D12GraphicsCommandList4", "CopyRaytracingAccelerationStructure", "SourceAccelerationStructureData");
const COPY_MODE: Argument<Mode> =
    argument!("ID3D12GraphicsCommandList4", "CopyRaytracingAccelerationStructure", "Mode");

impl Plan {
    /// Walks over the events until `stop` says that no more are played.
    pub(crate) fn of(source: &mut dyn Source, wide: Wide, stop: impl Fn(&Event<'_>) -> bool) -> Plan {
        let mut finder = Finder {
            codec: Codec::new(MODEL, wide),
            arena: Arena::default(),
            addresses: AddressMap::default(),
            serialised: HashMap::new(),
            found: Plan::default(),
        };
        // Damage ends the walk as it ends the replay, which says so.
        let _ = walk(source, &mut [&mut finder], stop);
        finder.found
    }

    /// The structures of a buffer that do not fit between their places and what follows: offset, and the bytes that each needs, a multiple
    /// of [`ALIGNMENT`].
    pub(crate) fn larger(&self, resource: u32, needs: &Needs) -> Vec<(u64, u64)> {
        let offsets = self.structures.get(&resource).into_iter().flat_map(|all| all.keys());
        let places = offsets.map(|&offset| Location { resource, offset });
        let larger = places.map(|at| (at, self.needed(at, needs, LONGEST_CHAIN)));
        let larger = larger.filter(|(at, need)| *need > self.room(*at));
        larger.map(|(at, need)| (at.offset, need.next_multiple_of(ALIGNMENT))).collect()
    }

    /// Bytes from a structure's place to the next one, or to the buffer's end.
    fn room(&self, at: Location) -> u64 {
        let all = self.structures.get(&at.resource);
        let next = all.and_then(|all| all.range(at.offset + 1..).next()).map(|(next, _)| *next);
        let end = next.or_else(|| self.bytes.get(&at.resource).copied()).unwrap_or(u64::MAX);
        end.saturating_sub(at.offset)
    }

    /// Bytes that a structure needs; 0 where it needs no more than at capture.
    fn needed(&self, at: Location, needs: &Needs, chain: u32) -> u64 {
        let Some(chain) = chain.checked_sub(1) else { return 0 };
        let origins = self.structures.get(&at.resource).and_then(|all| all.get(&at.offset));
        let need = |origin: &Origin| match origin {
            Origin::Built(inputs) => needs.results.get(*inputs).copied().unwrap_or(0),
            Origin::Cloned(from) => self.needed(*from, needs, chain),
            Origin::Compacted(from) => match self.needed(*from, needs, chain) {
                need if needs.same_machine && need <= self.room(*from) => 0,
                need => need,
            },
        };
        origins.into_iter().flatten().map(need).max().unwrap_or(0)
    }

    fn number(&mut self, inputs: Inputs) -> usize {
        let all = &mut self.inputs;
        *self.numbers.entry(inputs).or_insert_with_key(|inputs| {
            all.push(inputs.clone());
            all.len() - 1
        })
    }

    fn add(&mut self, at: Location, origin: Origin) {
        let origins = self.structures.entry(at.resource).or_default().entry(at.offset).or_default();
        if !origins.contains(&origin) {
            origins.push(origin);
        }
    }
}

/// The pass that finds them.
struct Finder {
    codec: Codec,
    arena: Arena,
    addresses: AddressMap,
    /// The structure that was serialised to each place.
    serialised: HashMap<(u32, u64), Location>,
    found: Plan,
}

impl Pass for Finder {
    fn interests(&self) -> Interests {
        Interests::new().enters(&[BUILD, COPY_TO.method()]).calls(&[ASK]).facts()
    }

    fn fact(&mut self, object: u32, kind: u32, bytes: &[u8], _at: &At) {
        let word = |at: usize| bytes.get(at..).and_then(|rest| rest.first_chunk()).map(|it| u64::from_le_bytes(*it));
        if let (fact::ADDRESS_RANGE, Some(start), Some(size)) = (kind, word(0), word(8)) {
            self.addresses.insert(object, start, size);
            self.found.bytes.insert(object, size);
        }
    }

    fn enter(&mut self, call: &Call<'_>, _at: &At) {
        let _ = if call.method == BUILD { self.build(call) } else { self.copy(call) };
    }

    fn call(&mut self, call: &Call<'_>, _at: &At) {
        let _ = self.told(call);
    }
}

impl Finder {
    /// The first argument of a call, rebuilt with the numbers that the program gave.
    fn first<T>(&mut self, call: &Call<'_>) -> Option<&T> {
        self.arena.clear();
        let rebuilt = self.codec.rebuild(call.method, call.enter.bytes, &mut AsRecorded, &mut self.arena).ok()?;
        let first = *rebuilt.words.first()? as *const T;
        // SAFETY: null, or the structure that the parameter leads to, which the codec rebuilt in the arena. `T` is that structure's
        // type by the model: both callers name it.
        unsafe { first.as_ref() }
    }

    fn build(&mut self, call: &Call<'_>) -> Option<()> {
        let desc: &Build = self.first(call)?;
        let to = desc.DestAccelerationStructureData;
        // SAFETY: the codec rebuilt the description with all that its pointers lead to.
        let inputs = unsafe { Inputs::of(&desc.Inputs) }?;
        let at = self.addresses.resolve(to)?;
        let origin = Origin::Built(self.found.number(inputs));
        self.found.add(at, origin);
        Some(())
    }

    fn told(&mut self, call: &Call<'_>) -> Option<()> {
        let sizes = TOLD.of(call).ok()??;
        let desc: &Description = self.first(call)?;
        // SAFETY: the codec rebuilt the description with all that its pointers lead to.
        let inputs = unsafe { Inputs::of(desc) }?;
        self.found.told.insert(inputs, sizes);
        Some(())
    }

    fn copy(&mut self, call: &Call<'_>) -> Option<()> {
        let place = |address: GpuAddress| self.addresses.resolve(address.0);
        let (to, from) = (place(COPY_TO.of(call).ok()?)?, place(COPY_FROM.of(call).ok()?)?);
        match COPY_MODE.of(call).ok()? {
            Mode::CLONE => self.found.add(to, Origin::Cloned(from)),
            Mode::COMPACT => self.found.add(to, Origin::Compacted(from)),
            Mode::SERIALIZE => drop(self.serialised.insert((to.resource, to.offset), from)),
            Mode::DESERIALIZE => {
                let origin = *self.serialised.get(&(from.resource, from.offset))?;
                self.found.add(to, Origin::Cloned(origin));
            }
            _ => {}
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(resource: u32, offset: u64) -> Location {
        Location { resource, offset }
    }

    /// Two structures side by side, and a copy of each.
    fn plan() -> Plan {
        let mut plan = Plan::default();
        plan.bytes.extend([(1, 0x1000), (2, 0x1000)]);
        plan.add(at(1, 0), Origin::Built(0));
        plan.add(at(1, 0x400), Origin::Built(1));
        plan.add(at(2, 0), Origin::Compacted(at(1, 0)));
        plan.add(at(2, 0x100), Origin::Cloned(at(1, 0x400)));
        plan
    }

    #[test]
    fn what_fits_stays() {
        let needs = |results: [u64; 2], same_machine| Needs { results: results.to_vec(), same_machine };
        let (plan, none) = (plan(), Vec::new());
        let same = needs([0x400, 0xc00], true);
        assert_eq!((plan.larger(1, &same), plan.larger(2, &same)), (none.clone(), none.clone()));
        // Another driver may compact less.
        let other = needs([0x400, 0xc00], false);
        assert_eq!((plan.larger(1, &other), plan.larger(2, &other)), (none.clone(), vec![(0, 0x400)]));
        // The first reaches into the second, so this driver's sizes are not the capture's.
        let larger = needs([0x401, 0xc00], true);
        assert_eq!((plan.larger(1, &larger), plan.larger(2, &larger)), (vec![(0, 0x500)], vec![(0, 0x500)]));
        let last = needs([0x400, 0x1000], true);
        assert_eq!((plan.larger(1, &last), plan.larger(2, &last)), (vec![(0x400, 0x1000)], vec![(0x100, 0x1000)]));
        assert_eq!(plan.larger(3, &last), none);
    }

    #[test]
    fn structures_copied_in_a_circle_end() {
        let mut plan = plan();
        plan.add(at(1, 0), Origin::Cloned(at(2, 0)));
        plan.add(at(1, 0), Origin::Compacted(at(1, 0)));
        let needs = Needs { results: vec![0x300, 0x300], same_machine: false };
        assert_eq!(
            plan.larger(2, &needs),
            [(0, 0x300), (0x100, 0x300)].into_iter().filter(|it| it.0 == 0).collect::<Vec<_>>()
        );
    }

    proptest! {
        /// Whatever is built where: what stays has the room that it needs, before the next one begins.
        #[test]
        fn what_stays_has_room(
            built in prop::collection::vec((0..32u64, 0..6usize), 1..24),
            results in prop::collection::vec(1..0x2000u64, 6),
        ) {
            let mut plan = Plan::default();
            plan.bytes.insert(1, 0x2000);
            built.iter().for_each(|(place, inputs)| plan.add(at(1, place * 0x100), Origin::Built(*inputs)));
            let needs = Needs { results: results.clone(), same_machine: true };
            let larger: BTreeMap<u64, u64> = plan.larger(1, &needs).into_iter().collect();
            for (place, inputs) in &built {
                let (start, need) = (place * 0x100, results[*inputs]);
                match larger.get(&start) {
                    Some(room) => prop_assert!(*room >= need && room.is_multiple_of(ALIGNMENT)),
                    None => {
                        prop_assert!(start + need <= 0x2000);
                        for (other, _) in &built {
                            let other = other * 0x100;
                            prop_assert!(other <= start || start + need <= other);
                        }
                    }
                }
            }
        }
    }
}
