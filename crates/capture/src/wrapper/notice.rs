//! The notice of an object's end: the real object holds an interface of ours among its private data, and releases it as it
//! dies.
//!
//! For objects that cannot hold private data the program's references are counted instead ([`COUNTED`]).

use crate::wrapper::object::{COUNTED, Identity, Notice};
use crate::wrapper::table::{bury, shard};
use crate::{Convention, model, real};
use core::ffi::c_void;
use reprise_d3d12::model::{Guid, InterfaceId};
use std::sync::atomic::{AtomicU32, Ordering, fence};

/// Under this id our notice lies among an object's private data.
pub(crate) static NOTICE_GUID: Guid =
    Guid { data1: 0x5b1d_7a60, data2: 0x3f0e, data3: 0x4c52, data4: [0x9e, 0x11, 0x72, 0x65, 0x70, 0x72, 0x69, 0x73] };

impl Identity {
    /// Has the real object hold our notice, or has the references counted where it cannot.
    pub(super) fn ask_for_notice(&self, real: *mut c_void) {
        let Some((base, slot)) = private_data(self.primary.interface) else { return };
        let iid = &model::interface(base).iid;
        // The pointer at hand may be that of an interface below the one needed, as `IUnknown` is.
        // SAFETY: the caller's reference keeps the object alive; an interface asked for here is released below.
        let asked = (!self.primary.has(base)).then(|| unsafe { real::query(self.convention, real, iid) });
        let object = asked.unwrap_or(real);
        if object.is_null() {
            self.flags.fetch_or(COUNTED, Ordering::Relaxed);
            return;
        }
        // SAFETY: the interface has SetPrivateDataInterface in this slot; the object adds a reference of its own.
        let function = unsafe { real::slot(object, slot) };
        let result = real::call!(
            self.convention,
            function,
            (*mut c_void, *const Guid, *const c_void) -> i32,
            (object, &raw const NOTICE_GUID, (&raw const self.notice).cast())
        );
        if result < 0 || self.notice.references.load(Ordering::Relaxed) < 2 {
            self.flags.fetch_or(COUNTED, Ordering::Relaxed);
        } else {
            // Ours; the object's own stays.
            self.notice.references.fetch_sub(1, Ordering::Release);
        }
        if let Some(asked) = asked {
            // SAFETY: the query above gave this reference.
            unsafe { real::release(self.convention, asked) };
        }
    }
}

/// The interface through which a family's objects take private data, and the slot of `SetPrivateDataInterface`.
pub(super) fn private_data(family: Option<InterfaceId>) -> Option<(InterfaceId, usize)> {
    const OBJECT: usize = reprise_d3d12::method("ID3D12Object", "SetPrivateDataInterface").get().slot as usize;
    const DXGI_OBJECT: usize = reprise_d3d12::method("IDXGIObject", "SetPrivateDataInterface").get().slot as usize;
    let (family, known) = (model::interface(family?).family, model::known());
    if model::derives(family, known.object) {
        Some((known.object, OBJECT))
    } else if model::derives(family, known.dxgi_object) {
        Some((known.dxgi_object, DXGI_OBJECT))
    } else {
        None
    }
}

/// The vtable of notices in one convention.
struct NoticeTable([*const c_void; 3]);

// SAFETY: the words are addresses of functions and never change.
unsafe impl Sync for NoticeTable {}

impl Notice {
    /// A notice with one reference, ours; its identity is not known yet.
    pub(super) fn new(convention: Convention) -> Notice {
        let vtable = match convention {
            Convention::Win64 => &WIN64.0,
            Convention::SystemV | Convention::Itanium => &SYSV.0,
        };
        Notice { vtable, references: AtomicU32::new(1), identity: core::ptr::null_mut() }
    }

    fn add(&self) -> u32 {
        self.references.fetch_add(1, Ordering::Relaxed) + 1
    }

    fn release(&self) -> u32 {
        let left = self.references.fetch_sub(1, Ordering::Release) - 1;
        if left == 0 {
            fence(Ordering::Acquire);
            // SAFETY: the notice is a field of its identity, which is freed only after it is buried, here and only once.
            let identity = unsafe { &*self.identity };
            identity.forget(&mut shard(identity.key));
            bury(self.identity);
        }
        left
    }
}

macro_rules! notice_table {
    ($name:ident, $convention:literal, $query:ident, $add:ident, $release:ident) => {
        unsafe extern $convention fn $query(this: *mut Notice, iid: *const Guid, out: *mut *mut c_void) -> i32 {
            // SAFETY: the runtime calls this slot on a notice that it holds; `iid` is null or readable and `out` null or writable,
            // as COM demands.
            unsafe {
                if out.is_null() {
                    return real::E_POINTER;
                }
                if !iid.is_null() && *iid == real::IID_UNKNOWN {
                    (*this).add();
                    *out = this.cast();
                    real::S_OK
                } else {
                    *out = core::ptr::null_mut();
                    real::E_NOINTERFACE
                }
            }
        }
        unsafe extern $convention fn $add(this: *mut Notice) -> u32 {
            // SAFETY: the runtime calls this slot on a notice that it holds.
            unsafe { (*this).add() }
        }
        unsafe extern $convention fn $release(this: *mut Notice) -> u32 {
            // SAFETY: the runtime calls this slot on a notice, for a reference that it holds.
            unsafe { (*this).release() }
        }
        static $name: NoticeTable =
            NoticeTable([$query as *const c_void, $add as *const c_void, $release as *const c_void]);
    };
}

notice_table!(WIN64, "win64", query_win64, add_win64, release_win64);
notice_table!(SYSV, "sysv64", query_sysv, add_sysv, release_sysv);
