//! A small class, called the way a program does: through its vtable. Runs under Miri.
#![allow(clippy::unwrap_used)]

use core::ffi::c_void;
use core::ptr::{null, null_mut};
use core::sync::atomic::{AtomicU32, Ordering};
use std::sync::Arc;

use reprise_d3d12::interface;
use reprise_d3d12::model::{Guid, InterfaceId};

use crate::result::*;
use crate::{Class, Object, Tables, Vtable, vtable};

/// Counts what happens to it.
struct Heap {
    released: Arc<AtomicU32>,
    dropped: Arc<AtomicU32>,
}

static HEAP: Vtable<10> =
    vtable(interface("ID3D12Heap1"), Object::<Heap>::SHARED, &[("GetProtectedResourceSession", own as *const c_void)]);

unsafe extern "C" fn own(_this: *mut c_void, _iid: *const Guid, _out: *mut *mut c_void) -> i32 {
    77
}

impl Class for Heap {
    const INTERFACE: InterfaceId = interface("ID3D12Heap1");
    const VTABLE: Tables = HEAP.tables();

    fn released(object: &Object<Heap>) {
        object.released.fetch_add(1, Ordering::Relaxed);
    }
}

impl Drop for Heap {
    fn drop(&mut self) {
        self.dropped.fetch_add(1, Ordering::Relaxed);
    }
}

/// A heap that the program holds, and the two counters.
fn heap() -> (*mut c_void, Arc<AtomicU32>, Arc<AtomicU32>) {
    let (released, dropped) = <(Arc<AtomicU32>, Arc<AtomicU32>)>::default();
    let mut out = null_mut();
    let made = Object::make(Heap { released: released.clone(), dropped: dropped.clone() });
    // SAFETY: `out` is writable.
    assert_eq!(unsafe { made.give(&interface("ID3D12Pageable").get().iid, &mut out) }, S_OK);
    (out, released, dropped)
}

/// A slot's function as the type that a C program sees.
///
/// # Safety
/// `F` is the function's type.
unsafe fn slot<F: Copy>(this: *mut c_void, name: &str) -> F {
    let interface = interface("ID3D12Heap1");
    let at = (0..interface.slots()).find(|&at| interface.slot(at).unwrap().get().name == name).unwrap();
    // SAFETY: a COM pointer begins with its vtable.
    let function = unsafe { *(*this.cast::<*const *const c_void>()).add(at.into()) };
    // SAFETY: the caller states the type of the function in this slot.
    unsafe { core::mem::transmute_copy(&function) }
}

type Count = unsafe extern "C" fn(*mut c_void) -> u32;
type Query = unsafe extern "C" fn(*mut c_void, *const Guid, *mut *mut c_void) -> i32;
type Get = unsafe extern "C" fn(*mut c_void, *const Guid, *mut u32, *mut u8) -> i32;
type Set = unsafe extern "C" fn(*mut c_void, *const Guid, u32, *const u8) -> i32;
type SetInterface = unsafe extern "C" fn(*mut c_void, *const Guid, *mut c_void) -> i32;

#[test]
fn counts_are_the_programs_and_memory_is_ours() {
    let (heap, released, dropped) = heap();
    // SAFETY: calls as a program makes them.
    unsafe {
        let (add, release): (Count, Count) = (slot(heap, "AddRef"), slot(heap, "Release"));
        assert_eq!((add(heap), add(heap), release(heap)), (2, 3, 2));
        let kept = Object::<Heap>::this(heap).keep();
        assert_eq!((release(heap), release(heap)), (1, 0));
        assert_eq!((released.load(Ordering::Relaxed), dropped.load(Ordering::Relaxed)), (1, 0));
        // Given out again, as a swap chain does with its buffers.
        assert_eq!((kept.add_ref(), release(heap)), (1, 0));
        assert_eq!((released.load(Ordering::Relaxed), dropped.load(Ordering::Relaxed)), (2, 0));
        drop(kept);
        assert_eq!(dropped.load(Ordering::Relaxed), 1);
    }
}

#[test]
fn answers_its_chain_and_nothing_else() {
    let (heap, ..) = heap();
    // SAFETY: calls as a program makes them.
    unsafe {
        let (query, release): (Query, Count) = (slot(heap, "QueryInterface"), slot(heap, "Release"));
        for name in ["IUnknown", "ID3D12Object", "ID3D12DeviceChild", "ID3D12Pageable", "ID3D12Heap", "ID3D12Heap1"] {
            let mut out = null_mut();
            assert_eq!(query(heap, &interface(name).get().iid, &mut out), S_OK, "{name}");
            assert_eq!(out, heap, "one identity");
            release(heap);
        }
        let mut out = heap;
        assert_eq!(query(heap, &interface("ID3D12Resource").get().iid, &mut out), E_NOINTERFACE);
        assert!(out.is_null(), "the place is cleared");
        assert_eq!(query(heap, &interface("IUnknown").get().iid, null_mut()), E_POINTER);
        assert_eq!(query(heap, null(), &mut out), E_POINTER);
        assert!(Object::<Heap>::from_pointer(heap).is_some());
        assert_eq!(release(heap), 0);
    }
}

#[test]
fn private_data_is_kept_and_let_go() {
    let (object, ..) = heap();
    let (other, ..) = heap();
    let name = interface("ID3D12Fence").get().iid;
    // SAFETY: calls as a program makes them.
    unsafe {
        let (get, set): (Get, Set) = (slot(object, "GetPrivateData"), slot(object, "SetPrivateData"));
        let attach: SetInterface = slot(object, "SetPrivateDataInterface");
        let (add, release): (Count, Count) = (slot(object, "AddRef"), slot(object, "Release"));
        let mut size = 8;
        assert_eq!(get(object, &name, &mut size, null_mut()), DXGI_ERROR_NOT_FOUND);
        assert_eq!((size, set(object, &name, 0, null())), (0, S_FALSE));
        assert_eq!(set(object, &name, 3, [1u8, 2, 3].as_ptr()), S_OK);
        let mut buffer = [9u8; 8];
        size = 2;
        assert_eq!((get(object, &name, &mut size, buffer.as_mut_ptr()), size), (DXGI_ERROR_MORE_DATA, 3));
        size = 8;
        assert_eq!((get(object, &name, &mut size, buffer.as_mut_ptr()), size), (S_OK, 3));
        assert_eq!(buffer, [1, 2, 3, 9, 9, 9, 9, 9]);
        assert_eq!(attach(object, &name, other), S_OK);
        assert_eq!(add(other), 3, "held by the private data");
        size = 8;
        assert_eq!((get(object, &name, &mut size, buffer.as_mut_ptr()), size), (S_OK, 8));
        assert_eq!(usize::from_ne_bytes(buffer), other as usize);
        let mut nothing = other;
        let second = interface("ID3D12Heap").get().iid;
        assert_eq!(attach(object, &second, null_mut()), S_OK, "null is a value");
        size = 16;
        assert_eq!((get(object, &second, &mut size, (&raw mut nothing).cast()), size), (S_OK, 8));
        assert!(nothing.is_null());
        assert_eq!((set(object, &second, u32::MAX, null()), set(object, &second, u32::MAX, null())), (S_OK, S_FALSE));
        assert_eq!((release(other), release(other), release(object)), (3, 2, 0));
        assert_eq!(release(other), 0, "let go with the object");
    }
}

#[test]
fn slots_that_nobody_implements_fail_by_name() {
    assert_eq!(HEAP.tables().native()[9], own as *const c_void);
    let (heap, ..) = heap();
    // SAFETY: calls as a program makes them; `GetDesc` returns its structure's place.
    unsafe {
        type Desc = unsafe extern "C" fn(*mut c_void, *mut [u64; 6]) -> *mut [u64; 6];
        let desc: Desc = slot(heap, "GetDesc");
        let mut place = [7; 6];
        assert_eq!(desc(heap, &mut place), &raw mut place);
        assert_eq!(place, [0; 6]);
        let release: Count = slot(heap, "Release");
        release(heap);
    }
}

#[test]
fn the_last_release_is_told_once_and_newest_first() {
    type Register =
        unsafe extern "C" fn(*mut c_void, Option<unsafe extern "C" fn(*mut c_void)>, *mut c_void, *mut u32) -> i32;
    type Unregister = unsafe extern "C" fn(*mut c_void, u32) -> i32;
    static TOLD: AtomicU32 = AtomicU32::new(0);
    unsafe extern "C" fn tell(data: *mut c_void) {
        TOLD.store(TOLD.load(Ordering::Relaxed) * 10 + data as u32, Ordering::Relaxed);
    }
    let (heap, ..) = heap();
    let iid = interface("ID3DDestructionNotifier").get().iid;
    // SAFETY: calls as a program makes them.
    unsafe {
        let (query, release): (Query, Count) = (slot(heap, "QueryInterface"), slot(heap, "Release"));
        let mut notifier = null_mut();
        assert_eq!(query(heap, &iid, &mut notifier), S_OK);
        assert_ne!(notifier, heap);
        let function = |at: usize| *(*notifier.cast::<*const *const c_void>()).add(at);
        let register: Register = core::mem::transmute(function(3));
        let unregister: Unregister = core::mem::transmute(function(4));
        let mut ids = [0; 3];
        for (number, id) in ids.iter_mut().enumerate() {
            assert_eq!(register(notifier, Some(tell), (number + 1) as *mut c_void, id), S_OK);
        }
        assert_eq!((unregister(notifier, ids[1]), unregister(notifier, ids[1])), (S_OK, DXGI_ERROR_NOT_FOUND));
        assert_eq!(register(notifier, None, null_mut(), null_mut()), DXGI_ERROR_INVALID_CALL);
        assert_eq!(register(notifier, Some(tell), 4 as *mut c_void, null_mut()), S_OK);
        assert_eq!((ids, unregister(notifier, 0)), ([1, 2, 3], DXGI_ERROR_NOT_FOUND));
        // The same object: counts are shared, and it answers from here.
        let again: Query = core::mem::transmute(function(0));
        let mut back = null_mut();
        assert_eq!((again(notifier, &interface("IUnknown").get().iid, &mut back), back), (S_OK, heap));
        let let_go: Count = core::mem::transmute(function(2));
        assert_eq!((let_go(notifier), release(heap), TOLD.load(Ordering::Relaxed)), (2, 1, 0));
        assert_eq!((release(heap), TOLD.load(Ordering::Relaxed)), (0, 431));
    }
}

/// A class whose methods give structures of both sizes.
struct Structures;

const STRUCTURED: InterfaceId = interface("ID3D12Device12");
static STRUCTURES: Vtable<{ STRUCTURED.slots() as usize }> = vtable(
    STRUCTURED,
    Object::<Structures>::SHARED,
    &[
        ("GetAdapterLuid", small as *const c_void),
        ("GetCustomHeapProperties", large as *const c_void),
        ("GetResourceAllocationInfo3", many as *const c_void),
    ],
);

impl Class for Structures {
    const INTERFACE: InterfaceId = STRUCTURED;
    const VTABLE: Tables = STRUCTURES.tables();
}

unsafe extern "C" fn small(this: *mut c_void, out: *mut u64) -> *mut u64 {
    // SAFETY: the out pointer has room for the structure.
    unsafe { out.write(this as u64 + 1) };
    out
}

unsafe extern "C" fn large(this: *mut c_void, out: *mut [u32; 5], mask: u32, heap: i32) -> *mut [u32; 5] {
    // SAFETY: the out pointer has room for the structure.
    unsafe { out.write([this as u32, 2, mask, heap as u32, 5]) };
    out
}

unsafe extern "C" fn many(
    this: *mut c_void,
    out: *mut [u64; 2],
    mask: u32,
    count: u32,
    descs: u64,
    counts: u64,
    formats: u64,
    infos: u64,
) -> *mut [u64; 2] {
    // SAFETY: the out pointer has room for the structure.
    unsafe { out.write([this as u64, u64::from(mask + count) + descs + counts + formats + infos]) };
    out
}

/// Called as a C++ program for Linux calls it: both tables lead to the same functions, whatever was called before.
#[test]
#[cfg(not(windows))]
fn structures_reach_programs_of_either_convention() {
    use reprise_d3d12::abi::{Convention, call};

    let [luid, heap, info] = ["GetAdapterLuid", "GetCustomHeapProperties", "GetResourceAllocationInfo3"].map(|name| {
        let at = (0..STRUCTURED.slots()).find(|&at| STRUCTURED.slot(at).unwrap().get().name == name).unwrap();
        STRUCTURED.slot(at).unwrap()
    });
    for (convention, table) in
        [(Convention::SystemV, STRUCTURES.tables().native()), (Convention::Itanium, STRUCTURES.tables().itanium())]
    {
        let object = [table.as_ptr()];
        let this = object.as_ptr() as *mut c_void;
        // SAFETY: the object begins with its table, whose functions look at nothing else of it; the out pointers have room.
        let ask = |method: reprise_d3d12::model::MethodId, words: &[u64]| unsafe {
            call(convention, table[usize::from(method.get().slot)], Some(this), words, method.get())
        };
        let mut small = 0u64;
        let out = &raw mut small as u64;
        assert_eq!((ask(luid, &[out]), small), (out, this as u64 + 1), "{convention:?}");
        let mut large = [0u32; 6];
        ask(heap, &[&raw mut large as u64, 3, 4]);
        assert_eq!(large, [this as u32, 2, 3, 4, 5, 0], "{convention:?}");
        let mut many = [0u64; 3];
        ask(info, &[&raw mut many as u64, 1, 2, 30, 400, 5000, 60000]);
        assert_eq!(many, [this as u64, 65433, 0], "{convention:?}");
    }
}

/// Programs made with Microsoft's headers for Linux pass characters of four bytes, whatever the convention of their calls is.
#[test]
#[cfg(all(unix, not(miri)))]
fn names_of_both_widths_are_kept_whole() {
    let heap = Object::make(Heap { released: Arc::default(), dropped: Arc::default() });
    let slot = usize::from(reprise_d3d12::method("ID3D12Object", "SetName").get().slot);
    let long: Vec<u32> = "abc".chars().map(u32::from).chain([0]).collect();
    let short: Vec<u16> = "def".encode_utf16().chain([0]).collect();
    for (text, expected) in [(long.as_ptr().cast(), "abc"), (short.as_ptr(), "def")] {
        // SAFETY: the object's own method; the texts have zeros.
        let result = unsafe {
            let table = *heap.pointer().cast::<*const *const c_void>();
            let name: unsafe extern "C" fn(*mut c_void, *const u16) -> i32 = core::mem::transmute(*table.add(slot));
            name(heap.pointer(), text)
        };
        assert_eq!((result, heap.private().name().as_deref()), (S_OK, Some(expected)));
    }
}
