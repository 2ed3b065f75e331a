//! The runtime's side at a point of the trace: the live objects, and the meaning of recorded numbers.
//!
//! Invariant: state that belongs to an object goes with the object. Recorded numbers are resolved against live objects only.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use reprise_codec::light::{Alike, Finder};
use reprise_d3d12::model::{Guid, InterfaceId, MethodId, Role};
use reprise_d3d12::types::{D3D12_RESOURCE_DESC, D3D12_RESOURCE_DIMENSION};
use reprise_d3d12::{interface, method};

use crate::call::creation::MadeObject;

use crate::executables::Executables;
use crate::identifiers::{Identifiers, Known};
use crate::indirect::{Facts, Heap, Indirect, Layout, Passes};
use crate::jobs::creations::Creations;
use crate::opened::player::OpenedPasses;
use crate::picture::readback::Reader;
use crate::resolve::address::{AddressMap, Location};
use crate::resolve::back_buffers::BackBuffers;
use crate::resolve::descriptor::{HandleMap, HeapHandles};
use crate::resolve::event::Events;
use crate::resolve::freed::Freed;
use crate::resolve::ids::IdMap;
use crate::resolve::objects::{ObjectError, Objects};
use crate::resolve::shared::SharedObjects;
use crate::runtime::Runtime;
use crate::runtime::com::Com;
use crate::runtime::host_memory::HostMemory;
use crate::runtime::reference::{self, Reference};
use crate::runtime::replay_objects;
use crate::stale::Remains;
use crate::stale::ranges::Placed;
use crate::structures::Structures;

/// A resource that is alive.
pub(crate) struct Resource {
    pub(crate) desc: D3D12_RESOURCE_DESC,
    /// `D3D12_HEAP_TYPE`; 0 for reserved resources.
    pub(crate) heap_type: u32,
    /// Id of the heap that it is placed in, and where.
    placed: Option<(u32, u64)>,
    /// Its address here, once asked for.
    address: Option<u64>,
    /// By subresource: where it is mapped here, and how often the program mapped it.
    pub(crate) mapped: HashMap<u32, (u64, u32)>,
}

struct DescriptorHeap {
    kind: u32,
    count: u32,
    /// Recorded and replayed first handle.
    cpu: Option<(u64, u64)>,
    gpu: Option<(u64, u64)>,
}

/// The runtime's side.
pub(crate) struct World {
    // Dropped in this order: objects use events, both use the runtime.
    pub(crate) objects: Objects,
    pub(crate) events: Events,
    pub(crate) addresses: AddressMap,
    pub(crate) cpu: HandleMap,
    pub(crate) gpu: HandleMap,
    pub(crate) resources: IdMap<Resource>,
    pub(crate) heap_types: HashMap<u32, u32>,
    descriptor_heaps: HashMap<u32, DescriptorHeap>,
    queues: BTreeSet<u32>,
    /// Whether all queues have ended, once the replay is over and that is known.
    pub(crate) is_idle: Option<bool>,
    /// Command signatures whose arguments hold addresses.
    pub(crate) addressing: HashMap<u32, Result<Layout, &'static str>>,
    /// The numbers of meta commands.
    pub(crate) meta_commands: HashMap<u32, Guid>,
    pub(crate) indirect: Indirect,
    /// Render passes with commands that read addresses in memory.
    pub(crate) passes: Passes,
    /// Where a replay looks at calls: render passes are played as what they are made of.
    pub(crate) opened: Option<OpenedPasses>,
    /// Where calls of the trace put serialised acceleration structures: resource and offset.
    pub(crate) serialised: HashSet<(u32, u64)>,
    /// Acceleration structures, and those of them that lie in memory of replay's own.
    pub(crate) structures: Structures,
    pub(crate) identifiers: Identifiers,
    /// Facts by state object, with their version.
    known_facts: HashMap<u32, (u64, Arc<Facts>)>,
    /// Whether an identifier of a shader is another one than at capture.
    pub(crate) other_identifiers: bool,
    /// Whether the runtime is asked to put heaps and buffers where they lay at capture.
    pub(crate) placed: bool,
    /// Objects behind the program's shared handles.
    pub(crate) shared: SharedObjects,
    /// Buffers of the program's DXGI swap chains.
    pub(crate) back_buffers: BackBuffers,
    /// Buffers that are gone, where a diagnosis wants them.
    pub(crate) freed: Option<Freed>,
    /// What was there, and what is passed for it.
    pub(crate) stale: Remains,
    /// Allocations that only take room.
    pub(crate) dummies: Vec<u64>,
    /// By type of heap: recorded and replayed increment.
    increments: HashMap<u32, (u32, u32)>,
    /// Reads presented pictures back, once one was wanted.
    pub(crate) reader: Option<Reader>,
    /// Numbers mean the same on both sides: for tests that record on the runtime that they play on.
    #[cfg(test)]
    pub(crate) same_numbers: bool,
    /// Where what drivers make of shaders is wanted.
    pub(crate) executables: Option<Executables>,
    /// Pipelines that other threads make.
    pub(crate) creations: Creations,
    pub(crate) runtime: Arc<Runtime>,
    /// Memory in which heaps lie.
    pub(crate) hosted: Vec<HostMemory>,
}

impl World {
    pub(crate) fn new(runtime: Runtime) -> Self {
        Self {
            objects: Objects::default(),
            events: Events::new(&runtime),
            addresses: AddressMap::default(),
            cpu: HandleMap::default(),
            gpu: HandleMap::default(),
            resources: IdMap::default(),
            heap_types: HashMap::new(),
            descriptor_heaps: HashMap::new(),
            queues: BTreeSet::new(),
            is_idle: None,
            addressing: HashMap::new(),
            meta_commands: HashMap::new(),
            indirect: Indirect::default(),
            passes: Passes::default(),
            opened: None,
            serialised: HashSet::new(),
            structures: Structures::default(),
            identifiers: Identifiers::default(),
            known_facts: HashMap::new(),
            other_identifiers: false,
            placed: false,
            shared: SharedObjects::default(),
            back_buffers: BackBuffers::default(),
            freed: None,
            stale: Remains::default(),
            dummies: Vec::new(),
            hosted: Vec::new(),
            increments: HashMap::new(),
            reader: None,
            #[cfg(test)]
            same_numbers: false,
            executables: None,
            creations: Creations::default(),
            runtime: Arc::new(runtime),
        }
    }

    /// The pointer to pass for an object.
    pub(crate) fn pointer(&mut self, id: u32, interface: InterfaceId) -> Result<u64, String> {
        let mut found = self.objects.pointer(&self.runtime, id, interface);
        if found == Err(ObjectError::Dangling(id)) && self.creations.finish(id, &mut self.objects, &self.runtime) {
            found = self.objects.pointer(&self.runtime, id, interface);
        }
        found.map_err(|error| error.text())
    }

    /// The device that made an object.
    pub(crate) fn device_of(&mut self, id: u32) -> Result<Reference<'_>, String> {
        let child = self.pointer(id, interface("ID3D12DeviceChild"))?;
        reference::device_of(&self.runtime, child)
    }

    /// An object came into being.
    pub(crate) fn made(&mut self, id: u32, made: MadeObject) {
        match made {
            MadeObject::Resource { desc, heap_type, placed } => {
                let resource = Resource { desc, heap_type, placed, address: None, mapped: HashMap::new() };
                self.resources.insert(id, resource);
            }
            MadeObject::Heap { heap_type } => {
                self.heap_types.insert(id, heap_type);
            }
            MadeObject::DescriptorHeap { kind, count } => {
                self.descriptor_heaps.insert(id, DescriptorHeap { kind, count, cpu: None, gpu: None });
            }
            MadeObject::Queue => {
                self.queues.insert(id);
            }
            MadeObject::Signature { addresses } => {
                if let Some(layout) = addresses {
                    self.addressing.insert(id, layout);
                }
            }
            MadeObject::List(made) => self.indirect.made(id, made),
            MadeObject::MetaCommand { command } => {
                self.meta_commands.insert(id, command);
            }
            MadeObject::Other => {}
        }
    }

    /// The program's last reference went, by this call; 0 where none of its calls did it.
    pub(crate) fn gone(&mut self, id: u32, call: u64) {
        self.creations.finish(id, &mut self.objects, &self.runtime);
        self.note_freed(id);
        self.note_stale(id, call);
        self.addresses.remove(id);
        self.structures.gone(&self.runtime, id);
        self.cpu.remove(id);
        self.gpu.remove(id);
        self.resources.remove(&id);
        self.heap_types.remove(&id);
        self.descriptor_heaps.remove(&id);
        self.queues.remove(&id);
        self.addressing.remove(&id);
        self.meta_commands.remove(&id);
        self.known_facts.remove(&id);
        self.serialised.retain(|(resource, _)| *resource != id);
        self.indirect.gone(&self.runtime, id);
        self.back_buffers.forget(&self.runtime, id);
        if let Some(executables) = &mut self.executables {
            executables.ask(&mut self.objects, &self.runtime, id);
        }
        self.objects.gone(&self.runtime, id);
    }

    /// Ids and sizes in bytes of buffers that are alive.
    pub(crate) fn buffers(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        let buffers =
            self.resources.iter().filter(|(_, resource)| resource.desc.Dimension == D3D12_RESOURCE_DIMENSION::BUFFER);
        buffers.map(|(&id, resource)| (id, resource.desc.Width))
    }

    /// Keeps where a buffer lies that goes, where a diagnosis wants to know.
    fn note_freed(&mut self, id: u32) {
        let is_buffer = |resource: &&Resource| resource.desc.Dimension == D3D12_RESOURCE_DIMENSION::BUFFER;
        let Some(bytes) = self.resources.get(&id).filter(is_buffer).map(|resource| resource.desc.Width) else { return };
        if self.freed.is_some()
            && let Ok(address) = self.base_address(id)
            && let Some(freed) = &mut self.freed
        {
            freed.add(id, address, bytes);
        }
    }

    /// Keeps what an object was that goes: the program may name it later.
    fn note_stale(&mut self, id: u32, call: u64) {
        if self.objects.contains(id) {
            self.stale.departed.add(id, call);
        }
        if self.heap_types.contains_key(&id) {
            self.stale.stand_ins.heap_went(&self.runtime, id);
        }
        if let Some(range) = self.cpu.of(id) {
            self.stale.handles.add(id, range, call, None);
        }
        if let (Some(range), Some(resource)) = (self.addresses.of(id), self.resources.get(&id)) {
            let (flags, heap_type) = (resource.desc.Flags.0, resource.heap_type);
            let placed = resource.placed.map(|(heap, offset)| Placed { heap, offset, flags, heap_type });
            self.stale.ranges.add(id, range, call, placed);
        }
    }

    /// A recorded number of a role that is translated, as it is here.
    pub(crate) fn replayed_number(&mut self, role: Role, value: u64) -> Result<u64, String> {
        #[cfg(test)]
        if self.same_numbers {
            return Ok(value);
        }
        match role {
            Role::CpuDescriptor => self.cpu.replayed(value).map_err(|error| error.to_string()),
            Role::GpuDescriptor => self.gpu.replayed(value).map_err(|error| error.to_string()),
            Role::GpuAddress => self.replayed_address(value),
            Role::Event => self.events.replayed(value),
            // The program's callbacks are not here to be called.
            Role::Callback | Role::Context => Ok(0),
            Role::SharedHandle => {
                Err(format!("the shared handle 0x{value:x} means nothing outside the captured program"))
            }
            Role::CpuAddress => Err(format!("0x{value:x} is an address in the captured program's own memory")),
            Role::Foreign => {
                Err(format!("the window or Vulkan handle 0x{value:x} means nothing outside the captured program"))
            }
            _ => Ok(value),
        }
    }

    /// A recorded GPU virtual address, as it is here.
    pub(crate) fn replayed_address(&mut self, address: u64) -> Result<u64, String> {
        let location = self.addresses.resolve(address).ok_or_else(|| {
            format!(
                "the GPU virtual address 0x{address:x} lies in no resource that is alive here; \
                 the program kept it beyond its resource, or its resource is not in the trace"
            )
        })?;
        self.address_of(location)
    }

    /// The same, and all that are moved alike; `None` where it cannot be said.
    fn alike_addresses(&mut self, address: u64) -> Option<Alike> {
        let whole = self.addresses.whole(address);
        if let Some((resource, ..)) = whole {
            self.place_structures(resource).ok()?;
        }
        match whole {
            Some((resource, first, size)) if !self.structures.have_moved(resource) => {
                Some(Alike::range(first, size, self.base_address(resource).ok()?))
            }
            _ => Some(Alike::only(address, self.replayed_address(address).ok()?)),
        }
    }

    /// Rises where an answer for a recorded number may not be right any more.
    #[inline]
    pub(crate) fn version(&self) -> u64 {
        self.objects.version() + self.addresses.version() + self.cpu.version() + self.gpu.version()
    }

    /// Rises where buffers, or what stands in for those that are gone, may lie elsewhere than before.
    pub(crate) fn moved_version(&self) -> u64 {
        self.addresses.version() + self.stale.stand_ins.version()
    }

    /// The address of a resource here.
    pub(crate) fn base_address(&mut self, id: u32) -> Result<u64, String> {
        if let Some(address) = self.resources.get(&id).and_then(|resource| resource.address) {
            return Ok(address);
        }
        const GET: MethodId = method("ID3D12Resource", "GetGPUVirtualAddress");
        let pointer = self.pointer(id, interface("ID3D12Resource"))?;
        // SAFETY: the table's pointer is alive and has this interface; there are no arguments.
        let address = unsafe { self.runtime.call(pointer, GET, &[]) };
        if address == 0 {
            return Err(format!("resource {id} has no GPU virtual address here"));
        }
        if let Some(resource) = self.resources.get_mut(&id) {
            resource.address = Some(address);
        }
        Ok(address)
    }

    /// The address here of a place in a resource.
    ///
    /// # Errors
    /// The resource is gone, has no address here, or its acceleration structures find no room.
    pub(crate) fn address_of(&mut self, at: Location) -> Result<u64, String> {
        self.place_structures(at.resource)?;
        match self.structures.find(at) {
            Some(address) => Ok(address),
            None => Ok(self.base_address(at.resource)?.wrapping_add(at.offset)),
        }
    }

    /// Gives those acceleration structures of a buffer memory that do not fit in it here.
    ///
    /// # Errors
    /// The buffer is gone, or the device has no room for them.
    pub(crate) fn place_structures(&mut self, resource: u32) -> Result<(), String> {
        if !self.structures.are_to_place(resource) {
            return Ok(());
        }
        let device = self.device_of(resource)?.into_pointer();
        let placed = self.structures.place(&self.runtime, device, resource);
        self.runtime.release(device);
        placed
    }

    /// Notes the recorded address of a resource, which has so many `bytes`, or as many as its description says.
    pub(crate) fn set_recorded_address(&mut self, id: u32, address: u64, bytes: Option<u64>) {
        let size = bytes.or_else(|| self.resources.get(&id).map(|resource| resource.desc.Width));
        // An address without a resource cannot be used: the call that uses it gets the error.
        if let Some(size) = size {
            self.addresses.insert(id, address, size);
        }
    }

    /// Pairs the recorded first CPU or GPU handle of a heap with the one here.
    pub(crate) fn pair_heap_start(&mut self, id: u32, gpu: bool, recorded: u64) -> Result<(), String> {
        const CPU: MethodId = method("ID3D12DescriptorHeap", "GetCPUDescriptorHandleForHeapStart");
        const GPU: MethodId = method("ID3D12DescriptorHeap", "GetGPUDescriptorHandleForHeapStart");
        if recorded == 0 {
            return Ok(());
        }
        let pointer = self.pointer(id, interface("ID3D12DescriptorHeap"))?;
        let mut start = 0u64;
        // SAFETY: the table's pointer is alive and has this interface; the result is stored to memory of ours.
        unsafe { self.runtime.call(pointer, if gpu { GPU } else { CPU }, &[core::ptr::from_mut(&mut start) as u64]) };
        let heap = self.descriptor_heaps.get_mut(&id).ok_or_else(|| format!("object {id} is no descriptor heap"))?;
        *(if gpu { &mut heap.gpu } else { &mut heap.cpu }) = Some((recorded, start));
        self.register_heap(id);
        Ok(())
    }

    /// The handle here of a descriptor, by its heap and its place there; nothing where the program never asked where the heap begins.
    pub(crate) fn descriptor(&self, heap: u32, index: u32) -> Option<u64> {
        let heap = self.descriptor_heaps.get(&heap)?;
        let (_, start) = heap.cpu?;
        // Without an increment only the first descriptor can be meant, as in `register_heap`.
        let increment = if index == 0 { 0 } else { self.increments.get(&heap.kind)?.1 };
        Some(start + u64::from(index) * u64::from(increment))
    }

    /// Descriptor heaps that shaders see, as shader records name them.
    fn heaps(&self) -> Vec<Heap> {
        let heap = |heap: &DescriptorHeap| {
            let (start, here) = heap.gpu?;
            // Without an increment only the first descriptor can be meant, as in `register_heap`.
            let known = self.increments.get(&heap.kind).map(|&increments| (heap.count, increments));
            let (count, (increment, replayed)) = known.unwrap_or((1, (1, 1)));
            let end = start.saturating_add(u64::from(count) * u64::from(increment));
            Some(Heap { start, end, here, increments: [increment, replayed] })
        };
        self.descriptor_heaps.values().filter_map(heap).collect()
    }

    /// What the records of a state object's shaders hold; `None` where the trace does not tell it.
    pub(crate) fn facts(&mut self, state_object: u32) -> Option<Arc<Facts>> {
        let version = self.facts_version();
        if let Some((_, facts)) = self.known_facts.get(&state_object).filter(|(known, _)| *known == version) {
            return Some(facts.clone());
        }
        let facts = match self.identifiers.of(state_object) {
            Known::All(identifiers) => Arc::new(Facts::new(identifiers, self.heaps())),
            Known::InPart | Known::Nothing => return None,
        };
        self.known_facts.insert(state_object, (version, facts.clone()));
        Some(facts)
    }

    /// Whether shader tables that a state object reads hold what is right here, but for addresses; the second: whether they may hold
    /// addresses.
    pub(crate) fn tables_are_as_recorded(&mut self, state_object: u32) -> (bool, bool) {
        match self.facts(state_object) {
            Some(facts) => (facts.are_as_recorded(), facts.have_addresses()),
            // Nobody knows what is in the tables, so that everything has to be as it was.
            None => (!self.other_identifiers && self.descriptors_lie_as_recorded(), true),
        }
    }

    /// Rises with every change to what [`World::facts`] tells.
    pub(crate) fn facts_version(&self) -> u64 {
        self.identifiers.version() + self.gpu.version()
    }

    /// Whether shaders find descriptors by the handles of the capture.
    pub(crate) fn descriptors_lie_as_recorded(&self) -> bool {
        let starts = self.descriptor_heaps.values().filter_map(|heap| heap.gpu);
        starts.into_iter().all(|(recorded, here)| recorded == here)
            && self.increments.values().all(|(recorded, here)| recorded == here)
    }

    /// Pairs the recorded distance between descriptors of heaps of this type, in bytes, with the one here.
    pub(crate) fn pair_increments(&mut self, kind: u32, recorded: u32, replayed: u32) {
        if self.increments.insert(kind, (recorded, replayed)) != Some((recorded, replayed)) {
            let heaps: Vec<u32> =
                self.descriptor_heaps.iter().filter(|(_, heap)| heap.kind == kind).map(|(&id, _)| id).collect();
            heaps.into_iter().for_each(|id| self.register_heap(id));
        }
    }

    /// The type of a descriptor heap.
    pub(crate) fn descriptor_heap_kind(&self, id: u32) -> Option<u32> {
        self.descriptor_heaps.get(&id).map(|heap| heap.kind)
    }

    /// Whether the increment of this type of heap is known.
    pub(crate) fn knows_increment(&self, kind: u32) -> bool {
        self.increments.contains_key(&kind)
    }

    fn register_heap(&mut self, id: u32) {
        let Some(heap) = self.descriptor_heaps.get(&id) else { return };
        let known = self.increments.get(&heap.kind).copied();
        for (map, starts) in [(&mut self.cpu, heap.cpu), (&mut self.gpu, heap.gpu)] {
            let Some((start, replayed_start)) = starts else { continue };
            // Without an increment only the first descriptor can be meant: a program that uses another one asked for the
            // increment, and the trace has the answer.
            let (count, (increment, replayed_increment)) = match known {
                Some(increments) => (heap.count, increments),
                None => (1, (1, 1)),
            };
            map.insert(HeapHandles { heap: id, count, start, increment, replayed_start, replayed_increment });
        }
    }
}

/// A parameter that any object may be passed for takes whichever pointer there is.
pub(crate) fn any_or(interface_id: InterfaceId) -> InterfaceId {
    if interface_id.0 == u16::MAX { interface("IUnknown") } else { interface_id }
}

impl Finder for World {
    fn object(&mut self, id: u32, interface: InterfaceId) -> Option<u64> {
        self.objects.pointer(&self.runtime, id, any_or(interface)).ok()
    }

    fn word(&mut self, role: Role, value: u64) -> Option<Alike> {
        #[cfg(test)]
        if self.same_numbers {
            return Some(Alike::only(value, value));
        }
        let inside = match role {
            Role::CpuDescriptor => self.cpu.alike(value),
            Role::GpuDescriptor => self.gpu.alike(value),
            Role::GpuAddress => return self.alike_addresses(value),
            _ => None,
        };
        inside.or_else(|| Some(Alike::only(value, self.replayed_number(role, value).ok()?)))
    }
}

impl World {
    /// Waits for the work of all queues; whether it is done in time.
    pub(crate) fn drain(&mut self, timeout: Duration) -> bool {
        self.drain_but(timeout, |_| false)
    }

    /// The same, of all queues but some.
    pub(crate) fn drain_but(&mut self, timeout: Duration, left_out: impl Fn(u32) -> bool) -> bool {
        let queues: Vec<u32> = self.queues().filter(|queue| !left_out(*queue)).collect();
        queues.into_iter().all(|id| match self.pointer(id, interface("ID3D12CommandQueue")) {
            Ok(queue) => replay_objects::drain(&self.runtime, queue, timeout).is_ok(),
            Err(_) => true,
        })
    }

    /// Waits for all pipelines that other threads make.
    pub(crate) fn finish_creations(&mut self) {
        while let Some(id) = self.creations.oldest() {
            self.creations.finish(id, &mut self.objects, &self.runtime);
        }
    }

    /// Ids of all queues that are alive.
    pub(crate) fn queues(&self) -> impl Iterator<Item = u32> + '_ {
        self.queues.iter().copied()
    }

    /// For work that is left when replay ends.
    const LAST_WAIT: Duration = Duration::from_secs(5);
}

impl Drop for World {
    fn drop(&mut self) {
        self.finish_creations();
        // Objects that work still uses must not go: where the work does not end, they are left to the end of the process.
        if self.is_idle.unwrap_or_else(|| self.drain(Self::LAST_WAIT)) {
            if let Some(reader) = self.reader.take() {
                reader.release(&self.runtime);
            }
            self.indirect.release(&self.runtime);
            self.structures.release(&self.runtime);
            self.stale.release(&self.runtime);
            self.dummies.drain(..).for_each(|pointer| self.runtime.release(pointer));
            self.shared.release(&self.runtime);
            self.back_buffers.release(&self.runtime);
            self.objects.clear(&self.runtime);
        } else {
            self.events.leak();
            core::mem::forget(core::mem::take(&mut self.hosted));
        }
    }
}
