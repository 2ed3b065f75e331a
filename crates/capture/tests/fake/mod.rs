//! A hand-made runtime of one kind of object, as the reference for the wrappers.
//!
//! Each [`Object`] has faces (one COM pointer per interface family), counts references, and keeps interfaces as private data.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::missing_safety_doc,
    clippy::unwrap_used,
    clippy::undocumented_unsafe_blocks
)]

use core::ffi::c_void;
use reprise_capture::session;
use reprise_d3d12::abi::{Abi, Convention, Handler, Itanium, SystemV, Vtables, Win64};
use reprise_d3d12::model::{Guid, InterfaceId};
use reprise_d3d12::{interface, method};
use reprise_trace::record::Record;
use reprise_trace::session::{Config, Session};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard};
use tempfile::TempDir;

pub const UNKNOWN: Guid = Guid { data1: 0xdead_beef, data2: 1, data3: 2, data4: [3; 8] };

#[repr(C)]
pub struct Face {
    vtable: *const *const c_void,
    pub owner: *const Object,
    interface: Option<InterfaceId>,
}

pub struct Object {
    pub references: AtomicU32,
    pub dead: AtomicBool,
    faces: Mutex<Vec<*mut Face>>,
    private: Mutex<Vec<(Guid, *mut c_void)>>,
    pub calls: Mutex<Vec<(u16, Vec<u64>)>>,
    pub answer: Mutex<u64>,
    /// Runs inside each call, after it is logged.
    pub hook: Mutex<Option<Hook>>,
    convention: Convention,
}

/// What a call does besides: the method's number and the words.
pub type Hook = std::sync::Arc<dyn Fn(u16, &[u64]) + Send + Sync>;

pub struct Fake;

impl Object {
    /// An object with one reference and a face for each interface; the first is what the program gets.
    pub fn make(convention: Convention, interfaces: &[&str]) -> *mut Object {
        let object = Box::into_raw(Box::new(Object {
            references: AtomicU32::new(1),
            dead: AtomicBool::new(false),
            faces: Mutex::new(Vec::new()),
            private: Mutex::new(Vec::new()),
            calls: Mutex::new(Vec::new()),
            answer: Mutex::new(0),
            hook: Mutex::new(None),
            convention,
        }));
        for name in interfaces {
            unsafe { (*object).add_face(Some(interface(name))) };
        }
        object
    }

    pub unsafe fn add_face(&self, interface: Option<InterfaceId>) {
        let vtable = match (interface, self.convention) {
            (Some(id), Convention::Win64) => Vtables::<Fake, Win64>::of(id.family()).as_ptr(),
            (Some(id), Convention::SystemV) => Vtables::<Fake, SystemV>::of(id.family()).as_ptr(),
            (Some(id), Convention::Itanium) => Vtables::<Fake, Itanium>::of(id.family()).as_ptr(),
            // Any interface will do as one that the wrappers cannot know.
            (None, Convention::Win64) => Vtables::<Fake, Win64>::of(reprise_d3d12::interface("ID3D12Device")).as_ptr(),
            (None, Convention::SystemV | Convention::Itanium) => {
                Vtables::<Fake, SystemV>::of(reprise_d3d12::interface("ID3D12Device")).as_ptr()
            }
        };
        let face = Box::into_raw(Box::new(Face { vtable, owner: self, interface }));
        self.faces.lock().unwrap().push(face);
    }

    pub fn face(&self, index: usize) -> *mut c_void {
        self.faces.lock().unwrap()[index].cast()
    }

    fn find(&self, iid: &Guid) -> Option<*mut Face> {
        let faces = self.faces.lock().unwrap();
        if *iid == interface("IUnknown").get().iid {
            return faces.first().copied();
        }
        faces.iter().copied().find(|face| match unsafe { (**face).interface } {
            None => *iid == UNKNOWN,
            Some(own) => reprise_d3d12::lookup::by_iid(iid).is_some_and(|asked| own.derives_from(asked)),
        })
    }

    fn release(&self) -> u32 {
        let left = self.references.fetch_sub(1, Ordering::AcqRel) - 1;
        if left == 0 {
            for (_, data) in std::mem::take(&mut *self.private.lock().unwrap()) {
                unsafe { release(self.convention, data) };
            }
            self.dead.store(true, Ordering::Release);
        }
        left
    }
}

impl Handler for Fake {
    unsafe fn method<A: Abi, const M: u16, const N: usize>(this: *mut c_void, words: [u64; N]) -> u64 {
        unsafe {
            let object = &*(*this.cast::<Face>()).owner;
            if const { M == method("IUnknown", "AddRef").0 } {
                return (object.references.fetch_add(1, Ordering::AcqRel) + 1).into();
            }
            if const { M == method("IUnknown", "Release").0 } {
                return object.release().into();
            }
            if const { M == method("IUnknown", "QueryInterface").0 } {
                let out = words[1] as *mut *mut c_void;
                return match object.find(&*(words[0] as *const Guid)) {
                    Some(face) => {
                        object.references.fetch_add(1, Ordering::AcqRel);
                        *out = face.cast();
                        0
                    }
                    None => {
                        *out = core::ptr::null_mut();
                        0x8000_4002
                    }
                };
            }
            if const { M == method("ID3D12Object", "SetPrivateDataInterface").0 } {
                let data = words[1] as *mut c_void;
                add_ref(object.convention, data);
                object.private.lock().unwrap().push((*(words[0] as *const Guid), data));
                return 0;
            }
            if const { M == method("ID3D12Object", "GetPrivateData").0 } {
                let wanted = *(words[0] as *const Guid);
                let found = object.private.lock().unwrap().iter().find(|(guid, _)| *guid == wanted).copied();
                return match found {
                    Some((_, data)) => {
                        add_ref(object.convention, data);
                        *(words[1] as *mut u32) = 8;
                        *(words[2] as *mut *mut c_void) = data;
                        0
                    }
                    None => 0x887a_0002,
                };
            }
            object.calls.lock().unwrap().push((M, words.to_vec()));
            let hook = object.hook.lock().unwrap().clone();
            if let Some(hook) = hook {
                hook(M, &words);
            }
            *object.answer.lock().unwrap()
        }
    }

    unsafe fn function<A: Abi, const M: u16, const N: usize>(_words: [u64; N]) -> u64 {
        0
    }
}

/// Calls slot `slot` with integer words.
pub unsafe fn call(convention: Convention, object: *mut c_void, slot: usize, words: &[u64]) -> u64 {
    unsafe {
        let function = *(*object.cast::<*const *const c_void>()).add(slot);
        let w = |at: usize| words.get(at).copied().unwrap_or(0);
        type Win = unsafe extern "win64" fn(*mut c_void, u64, u64, u64, u64, u64) -> u64;
        type Sys = unsafe extern "sysv64" fn(*mut c_void, u64, u64, u64, u64, u64) -> u64;
        match convention {
            Convention::Win64 => {
                core::mem::transmute::<*const c_void, Win>(function)(object, w(0), w(1), w(2), w(3), w(4))
            }
            Convention::SystemV | Convention::Itanium => {
                core::mem::transmute::<*const c_void, Sys>(function)(object, w(0), w(1), w(2), w(3), w(4))
            }
        }
    }
}

pub unsafe fn query(convention: Convention, object: *mut c_void, iid: &Guid) -> (i32, *mut c_void) {
    let mut out = 0x1234usize as *mut c_void;
    let result = unsafe { call(convention, object, 0, &[core::ptr::from_ref(iid) as u64, (&raw mut out) as u64]) };
    (result as i32, out)
}

pub unsafe fn query_name(convention: Convention, object: *mut c_void, name: &str) -> (i32, *mut c_void) {
    unsafe { query(convention, object, &interface(name).get().iid) }
}

pub unsafe fn add_ref(convention: Convention, object: *mut c_void) -> u32 {
    unsafe { call(convention, object, 1, &[]) as u32 }
}

pub unsafe fn release(convention: Convention, object: *mut c_void) -> u32 {
    unsafe { call(convention, object, 2, &[]) as u32 }
}

/// A record read back: kind, method, flags, object, ordinal, sequence, payload.
#[derive(Clone, PartialEq, Debug)]
pub struct Read {
    pub kind: u8,
    pub method: u16,
    pub flags: u8,
    pub object: u32,
    pub ordinal: u32,
    pub sequence: u64,
    pub payload: Vec<u8>,
}

/// The session all tests of one program record into, and the way to read the calling thread's records.
pub struct Recording {
    reader: Session,
    _folder: TempDir,
    _one: MutexGuard<'static, ()>,
}

static ONE: Mutex<()> = Mutex::new(());

impl Recording {
    /// Begins a new session; tests that record run one after another.
    pub fn begin() -> Recording {
        let one = ONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let folder = TempDir::with_prefix("reprise-fake-").unwrap();
        let rings = folder.path().join("fake.rings");
        let made = Session::create(&rings, &Config::default()).unwrap();
        let reader = Session::open(&rings).unwrap();
        session::begin(made);
        // The first ring is the calling thread's.
        Recording { reader, _folder: folder, _one: one }
    }

    /// Everything that ring `index` holds.
    pub fn ring(&self, index: u32) -> Vec<Read> {
        let Some(ring) = self.reader.open_ring(index).unwrap() else { return Vec::new() };
        let (mut records, mut bytes) = (Vec::new(), Vec::new());
        assert!(ring.copy(ring.tail(), ring.head(), &mut bytes));
        let mut rest = &bytes[..];
        while !rest.is_empty() {
            let record = Record::parse(rest).unwrap();
            rest = &rest[record.header.size as usize..];
            if record.kind as u8 != 0 {
                records.push(Read {
                    kind: record.kind as u8,
                    method: record.header.method,
                    flags: record.header.flags,
                    object: record.header.object,
                    ordinal: record.header.ordinal,
                    sequence: record.sequence,
                    payload: record.payload.to_vec(),
                });
            }
        }
        records
    }

    /// As [`Recording::ring`], and makes room for more.
    pub fn take(&self, index: u32) -> Vec<Read> {
        let records = self.ring(index);
        if let Some(mut ring) = self.reader.open_ring(index).unwrap() {
            let head = ring.head();
            ring.release(head);
        }
        records
    }

    /// Whether the thread of ring `index` has ended.
    pub fn closed(&self, index: u32) -> bool {
        self.reader.open_ring(index).unwrap().unwrap().is_closed()
    }

    /// How many threads have recorded.
    pub fn rings(&self) -> u32 {
        self.reader.ring_count()
    }
}
