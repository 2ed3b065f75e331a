//! What objects, handles and addresses are where a call is: the state's answers to what an edit names.

use reprise_codec::literal::Known;
use reprise_codec::rebuild::Resolver;
use reprise_d3d12::model::{BlobKind, InterfaceId, Role};
use reprise_timeline::State;
use reprise_trace::read::Trace;
use std::collections::HashMap;
use std::sync::Arc;

/// The state before a call, and the blobs that edits of the call add.
pub(crate) struct Here<'s> {
    state: &'s State,
    /// The number of a blob that goes.
    free: Option<u32>,
    /// The call's blobs have lower numbers.
    next: u32,
    pub(crate) added: Vec<(u32, Arc<[u8]>)>,
}

impl<'s> Here<'s> {
    /// `next` is a number that no blob of the call has, nor any number above it.
    pub(crate) fn new(state: &'s State, next: u32) -> Here<'s> {
        Here { state, free: None, next, added: Vec::new() }
    }

    /// The same; the first new blob gets the number of the one that it takes the place of.
    pub(crate) fn instead_of(self, number: Option<u32>) -> Here<'s> {
        Here { free: number, ..self }
    }
}

/// Whether an object that was given out as one interface can stand where another one is wanted. What other interfaces it has is known by the
/// family: a device that was made as `ID3D12Device` may well be asked for its newest interface.
pub(crate) fn fits(given: InterfaceId, wanted: InterfaceId) -> bool {
    let unknown = given.get().base.is_none();
    unknown || given.derives_from(wanted) || given.get().family.derives_from(wanted)
}

impl Known for Here<'_> {
    fn object(&mut self, id: u32, interface: InterfaceId) -> Result<(), String> {
        let Some(object) = self.state.objects.get(id) else {
            return Err(format!("names object {id}, which does not exist there"));
        };
        if fits(object.interface(), interface) {
            return Ok(());
        }
        let (is, wanted) = (object.interface().get().name, interface.get().name);
        Err(format!("names object {id}, which is {is}, not {wanted}"))
    }

    fn word(&mut self, role: Role, value: u64) -> Result<(), String> {
        let addresses = &self.state.addresses;
        let (known, what) = match role {
            Role::CpuDescriptor => (addresses.cpu(value).is_some(), "a descriptor of a heap"),
            Role::GpuDescriptor => (addresses.gpu(value).is_some(), "a descriptor of a heap that shaders see"),
            Role::GpuAddress => (addresses.resource(value).is_some(), "an address in a buffer"),
            _ => return Err("is a handle or an address in the program, and only null can be written there".into()),
        };
        if known { Ok(()) } else { Err(format!("is {value:#x}, which is not {what} there")) }
    }

    fn descriptor(&mut self, role: Role, heap: u32, index: u64) -> Result<u64, String> {
        let addresses = &self.state.addresses;
        let Some((cpu, increment)) = addresses.heap_start(heap) else {
            return Err(format!("names heap {heap}, which is no descriptor heap there"));
        };
        let start = match role {
            Role::GpuDescriptor => addresses.gpu_heap_start(heap),
            _ => Some(cpu),
        };
        let start = start.ok_or_else(|| format!("names heap {heap}, which shaders do not see"))?;
        let place = |index: u64| u64::from(increment).checked_mul(index).and_then(|bytes| start.checked_add(bytes));
        let slot =
            |handle: u64| if role == Role::GpuDescriptor { addresses.gpu(handle) } else { addresses.cpu(handle) };
        // The handle just past the end is known, too.
        let behind = place(index.saturating_add(1)).and_then(slot).filter(|slot| slot.heap == heap && slot.index != 0);
        match (place(index), behind) {
            (Some(handle), Some(_)) => Ok(handle),
            _ => Err(format!("names heap {heap}[{index}], and the heap has fewer descriptors")),
        }
    }

    fn address(&mut self, resource: u32, offset: u64) -> Result<u64, String> {
        let Some((start, bytes)) = self.state.addresses.of_resource(resource) else {
            return Err(format!("names resource {resource}, which is no buffer with an address there"));
        };
        if offset >= bytes {
            return Err(format!("names byte {offset:#x} of resource {resource}, which has {bytes:#x} bytes"));
        }
        Ok(start + offset)
    }

    fn blob(&mut self, bytes: &[u8]) -> u32 {
        let number = self.free.take().unwrap_or(self.next);
        self.next = self.next.max(number.saturating_add(1));
        self.added.push((number, bytes.into()));
        number
    }
}

/// Answers for a check of sizes: ids and numbers as they are, and the contents of blobs.
pub(crate) struct Sizes<'t> {
    trace: &'t Trace,
    recorded: HashMap<u32, u64>,
    added: HashMap<u32, Arc<[u8]>>,
    read: Arc<[u8]>,
}

impl<'t> Sizes<'t> {
    pub(crate) fn new(trace: &'t Trace, recorded: &[(u32, u64)], added: &[(u32, Arc<[u8]>)]) -> Sizes<'t> {
        let recorded = recorded.iter().copied().collect();
        Sizes { trace, recorded, added: added.iter().cloned().collect(), read: Arc::from([]) }
    }
}

impl Resolver for Sizes<'_> {
    fn object(&mut self, id: u32, _interface: InterfaceId) -> Result<u64, String> {
        Ok(id.into())
    }

    fn word(&mut self, _role: Role, value: u64) -> Result<u64, String> {
        Ok(value)
    }

    fn blob(&mut self, number: u32, _kind: BlobKind) -> Result<&[u8], String> {
        if let Some(bytes) = self.added.get(&number) {
            return Ok(bytes);
        }
        let id = self.recorded.get(&number).ok_or("it names a blob that is not there")?;
        self.read = self.trace.blob_by_id(*id).map_err(|error| error.to_string())?.to_vec().into();
        Ok(&self.read)
    }
}
