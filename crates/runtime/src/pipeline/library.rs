//! `ID3D12PipelineLibrary`: pipeline states by name.
//!
//! A library holds the pipeline states that were stored in it or loaded from it, and gives the same object again, also after
//! the program has released it. As bytes it holds names and cached blobs; states are made of them when they are asked for.

use core::ffi::c_void;
use core::ptr::NonNull;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use reprise_com::result::{E_INVALIDARG, E_NOTIMPL, S_FALSE, S_OK};
use reprise_com::{Class, Object, Public, Ref, Tables, Vtable, guard, vtable};
use reprise_d3d12::interface;
use reprise_d3d12::model::{Guid, InterfaceId};
use reprise_d3d12::types::{
    D3D12_COMPUTE_PIPELINE_STATE_DESC, D3D12_GRAPHICS_PIPELINE_STATE_DESC, D3D12_PIPELINE_STATE_STREAM_DESC,
};
use xxhash_rust::xxh3::xxh3_64;

use super::{Description, PipelineState};
use crate::device::{Child, Device, give, this};
use crate::wide::units;
use crate::{Error, Result, error};
use reprise_gpu::cache::Blob;

/// First bytes of a serialised library, with the number of its layout.
const MAGIC: [u8; 8] = *b"RPSPLIB1";

/// A name, in UTF-16.
type Name = Vec<u16>;

/// A pipeline state of a library: one of the two is always there.
#[derive(Debug)]
struct Entry {
    /// The object, once it was stored or loaded.
    state: Option<Ref<PipelineState>>,
    /// What it is made of until then.
    blob: Blob,
}

/// The body of `ID3D12PipelineLibrary`.
#[derive(Debug)]
pub(super) struct Library {
    device: Child,
    entries: Mutex<BTreeMap<Name, Entry>>,
}

impl Library {
    /// A library of serialised bytes; empty without bytes.
    ///
    /// # Errors
    /// When the bytes are of another driver or version, or damaged.
    fn new(device: &Object<Device>, bytes: &[u8]) -> Result<Library> {
        let entries = match bytes.is_empty() {
            true => BTreeMap::new(),
            false => read(bytes, &device.caps.identity)?,
        };
        let entries = entries.into_iter().map(|(name, blob)| (name, Entry { state: None, blob })).collect();
        Ok(Library { device: Child::new(device), entries: Mutex::new(entries) })
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Name, Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stores a pipeline state.
    ///
    /// # Errors
    /// When the name is taken.
    fn store(&self, name: Name, state: &Object<PipelineState>) -> Result<()> {
        let mut entries = self.lock();
        if entries.contains_key(&name) {
            return Err(Error::Invalid("a pipeline library has a state of this name"));
        }
        state.stays();
        let blob = Blob { key: state.key, content: Vec::new() };
        entries.insert(name, Entry { state: Some(state.keep()), blob });
        Ok(())
    }

    /// The pipeline state of a name, with a public reference.
    ///
    /// # Errors
    /// When there is none, or it is of another description.
    fn load(&self, name: &[u16], description: &Description<'_>) -> Result<Public<PipelineState>> {
        let mut entries = self.lock();
        let entry = entries.get_mut(name).ok_or(Error::Invalid("a pipeline library has no state of this name"))?;
        let root = super::root(&self.device, description)?;
        if entry.blob.key != super::key(&root, description) {
            return Err(Error::Invalid("a pipeline library has a state of this name that is of another description"));
        }
        if let Some(state) = &entry.state {
            let (state, first) = state.again();
            if first {
                state.device.hold();
            }
            return Ok(state);
        }
        let state = PipelineState::with_cache(&self.device, root, description, &entry.blob.content)?;
        let state = Object::make(state);
        state.stays();
        entry.state = Some(state.keep());
        Ok(state)
    }

    /// All names and blobs.
    fn serialise(&self) -> Vec<u8> {
        let entries = self.lock();
        let blobs = entries.iter().map(|(name, entry)| {
            let content = entry.state.as_ref().map(|state| state.blob().content);
            (name, Blob { key: entry.blob.key, content: content.unwrap_or_else(|| entry.blob.content.clone()) })
        });
        write(blobs, &self.device.caps.identity)
    }
}

/// Names and blobs as bytes: magic, the driver's identity, hash of the rest; for each entry the number of units of its name
/// (u32), the name, the key, the number of bytes of the content (u32), the content.
fn write<'a>(blobs: impl Iterator<Item = (&'a Name, Blob)>, identity: &[u8; 16]) -> Vec<u8> {
    let mut rest = Vec::new();
    for (name, blob) in blobs {
        rest.extend((name.len() as u32).to_le_bytes());
        rest.extend(name.iter().flat_map(|unit| unit.to_le_bytes()));
        rest.extend(blob.key);
        rest.extend((blob.content.len() as u32).to_le_bytes());
        rest.extend(blob.content);
    }
    [&MAGIC[..], identity, &xxh3_64(&rest).to_le_bytes(), &rest].concat()
}

/// The reverse of [`write`].
fn read(bytes: &[u8], identity: &[u8; 16]) -> Result<BTreeMap<Name, Blob>> {
    let rest = bytes.strip_prefix(&MAGIC).and_then(|rest| rest.strip_prefix(identity));
    let rest = rest.ok_or(reprise_gpu::Error::DriverMismatch)?;
    let damaged = || Error::Invalid("a serialised pipeline library is damaged");
    let (hash, mut rest) = rest.split_at_checked(8).ok_or_else(damaged)?;
    if hash != xxh3_64(rest).to_le_bytes() {
        return Err(damaged());
    }
    let mut entries = BTreeMap::new();
    while !rest.is_empty() {
        let mut take = |count: usize| -> Result<&[u8]> {
            let (taken, left) = rest.split_at_checked(count).ok_or_else(damaged)?;
            rest = left;
            Ok(taken)
        };
        let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |number, byte| number << 8 | usize::from(*byte));
        let units = number(take(4)?);
        let name = take(units.saturating_mul(2))?;
        let name = name.chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]])).collect();
        let key = take(16)?.try_into().map_err(|_| damaged())?;
        let size = number(take(4)?);
        entries.insert(name, Blob { key, content: take(size)?.to_vec() });
    }
    Ok(entries)
}

const INTERFACE: InterfaceId = interface("ID3D12PipelineLibrary1");

static VTABLE: Vtable<{ INTERFACE.slots() as usize }> = vtable(
    INTERFACE,
    Object::<Library>::SHARED,
    &[
        ("StorePipeline", store_pipeline as *const c_void),
        ("LoadGraphicsPipeline", load_graphics as *const c_void),
        ("LoadComputePipeline", load_compute as *const c_void),
        ("GetSerializedSize", get_serialized_size as *const c_void),
        ("Serialize", serialize as *const c_void),
        ("LoadPipeline", load_from_stream as *const c_void),
    ],
);

impl Class for Library {
    const INTERFACE: InterfaceId = INTERFACE;
    const VTABLE: Tables = VTABLE.tables();

    fn released(object: &Object<Library>) {
        object.device.release();
    }

    fn device(&self) -> Option<NonNull<c_void>> {
        Some(self.device.pointer())
    }
}

/// `CreatePipelineLibrary`.
pub(super) unsafe extern "C" fn create(
    device: *mut c_void,
    bytes: *const c_void,
    size: usize,
    iid: *const Guid,
    out: *mut *mut c_void,
) -> i32 {
    guard(E_NOTIMPL, || {
        if size != 0 && bytes.is_null() {
            return E_INVALIDARG;
        }
        // SAFETY: the slot is of a device's vtable; the bytes are not null where there are any, and the library copies what it keeps of
        // them; `iid` is readable, `out` null or room for a pointer.
        unsafe {
            let bytes = if size == 0 { &[][..] } else { core::slice::from_raw_parts(bytes.cast::<u8>(), size) };
            let made = Library::new(this(device), bytes);
            // Without a place for it the call only asks.
            if out.is_null() && made.is_ok() {
                return S_FALSE;
            }
            give(made, iid, out)
        }
    })
}

unsafe extern "C" fn store_pipeline(library: *mut c_void, name: *const u16, state: *mut c_void) -> i32 {
    // SAFETY: a library of ours, the program's name and pipeline state.
    guard(E_NOTIMPL, || unsafe {
        let library = Object::<Library>::this(library);
        let Some(state) = Object::<PipelineState>::from_pointer(state) else { return E_INVALIDARG };
        error::code(units(name).and_then(|name| library.store(name, state)))
    })
}

/// # Safety
/// A library of ours, the program's name and places; what the description points to is valid.
unsafe fn load(
    library: *mut c_void,
    name: *const u16,
    description: Result<Description<'_>>,
    iid: *const Guid,
    out: *mut *mut c_void,
) -> i32 {
    // SAFETY: the caller promises: a library of ours, the program's name and places; what the description points to is
    // valid.
    unsafe {
        let library = Object::<Library>::this(library);
        let loaded = units(name).and_then(|name| library.load(&name, &description?));
        match (loaded, iid.as_ref()) {
            (Ok(state), Some(iid)) => state.give(iid, out),
            (Ok(_), None) => E_INVALIDARG,
            (Err(error), _) => {
                if !out.is_null() {
                    out.write(core::ptr::null_mut());
                }
                error::code(Err(error))
            }
        }
    }
}

unsafe extern "C" fn load_graphics(
    library: *mut c_void,
    name: *const u16,
    desc: *const D3D12_GRAPHICS_PIPELINE_STATE_DESC,
    iid: *const Guid,
    out: *mut *mut c_void,
) -> i32 {
    // SAFETY: the slot is of a library's vtable; the name ends with a zero, the description is readable with all that it names until the
    // call returns, `iid` is readable, `out` null or room for a pointer.
    guard(E_NOTIMPL, || unsafe { load(library, name, Description::from_graphics(&*desc), iid, out) })
}

unsafe extern "C" fn load_compute(
    library: *mut c_void,
    name: *const u16,
    desc: *const D3D12_COMPUTE_PIPELINE_STATE_DESC,
    iid: *const Guid,
    out: *mut *mut c_void,
) -> i32 {
    // SAFETY: the slot is of a library's vtable; the name ends with a zero, the description is readable with its bytecode until the call
    // returns, `iid` is readable, `out` null or room for a pointer.
    guard(E_NOTIMPL, || unsafe { load(library, name, Description::from_compute(&*desc), iid, out) })
}

unsafe extern "C" fn load_from_stream(
    library: *mut c_void,
    name: *const u16,
    desc: *const D3D12_PIPELINE_STATE_STREAM_DESC,
    iid: *const Guid,
    out: *mut *mut c_void,
) -> i32 {
    // SAFETY: the slot is of a library's vtable; the name ends with a zero, the stream has as many bytes as it says, `iid` is readable,
    // `out` null or room for a pointer.
    guard(E_NOTIMPL, || unsafe { load(library, name, Description::from_stream(&*desc), iid, out) })
}

unsafe extern "C" fn get_serialized_size(library: *mut c_void) -> usize {
    // SAFETY: a library of ours.
    guard(0, || unsafe { Object::<Library>::this(library) }.serialise().len())
}

unsafe extern "C" fn serialize(library: *mut c_void, bytes: *mut c_void, size: usize) -> i32 {
    guard(E_NOTIMPL, || {
        // SAFETY: a library of ours.
        let all = unsafe { Object::<Library>::this(library) }.serialise();
        if bytes.is_null() || size < all.len() {
            return E_INVALIDARG;
        }
        // SAFETY: the program's place is as large as it says.
        unsafe { core::ptr::copy_nonoverlapping(all.as_ptr(), bytes.cast(), all.len()) };
        S_OK
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn what_is_written_is_read_and_nothing_else() {
        let mine = [7; 16];
        let blob = |key: u8, content: &[u8]| Blob { key: [key; 16], content: content.to_vec() };
        let all = BTreeMap::from([("A".encode_utf16().collect(), blob(1, b"one")), (Name::new(), blob(2, b""))]);
        let bytes = write(all.iter().map(|(name, blob)| (name, blob.clone())), &mine);
        assert_eq!(read(&bytes, &mine).unwrap(), all);
        assert_eq!(read(&bytes, &[8; 16]), Err(reprise_gpu::Error::DriverMismatch.into()));
        for length in 0..bytes.len() {
            assert!(read(&bytes[..length], &mine).is_err(), "{length}");
        }
        for bit in 0..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(read(&flipped, &mine).is_err(), "bit {bit}");
        }
        // Lengths that lead outside, with a hash that is right.
        for at in (32..bytes.len()).step_by(4) {
            let mut wrong = bytes.clone();
            wrong.get_mut(at..at + 4).into_iter().for_each(|word| word.fill(0xff));
            let hash = xxh3_64(&wrong[32..]).to_le_bytes();
            wrong[24..32].copy_from_slice(&hash);
            let _ = read(&wrong, &mine);
        }
    }
}
