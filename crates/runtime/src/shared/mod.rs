//! Shared handles: `CreateSharedHandle`, `OpenSharedHandle` and `OpenSharedHandleByName`.
//!
//! A handle is one of the system's ([`crate::handle`]): the program may duplicate it, wait until it is done with it, and close it. To open
//! it on the device that made it gives the object that it was made of. On Linux it also carries what another device needs, of
//! this process or of one that the program hands it to ([`outside`]): such a device gets an object of its own with the same memory, or the same values.
//! Names are known in this process only. Invariant: an object lives while the program holds it or a handle of it; a handle that
//! the program has closed is noticed when the next one is made or opened, or when the program releases an object that can be shared.

#[cfg(unix)]
mod message;
#[cfg(unix)]
mod outside;

use core::ffi::c_void;

use reprise_com::result::{DXGI_ERROR_INVALID_CALL, E_INVALIDARG};
use reprise_com::{Class, Object, Ref, Slots, guard};
use reprise_d3d12::method;
use reprise_d3d12::model::Guid;
use reprise_d3d12::types::{D3D12_HEAP_FLAGS, SECURITY_ATTRIBUTES};

use crate::device::{Child, Device, this};
use crate::error::{code, code_at};
use crate::fence::Fence;
use crate::handle::{Entry, Packet, Token, entries, sweep};
use crate::own::with_own;
use crate::resource::{Heap, Resource};
use crate::wide;
use crate::{Error, Result};

/// The name of the resource is another one's already.
const DXGI_ERROR_NAME_ALREADY_EXISTS: i32 = 0x887a_002c_u32 as i32;

/// An object that handles share. The reference is not the program's.
#[derive(Clone)]
enum Content {
    Resource(Ref<Resource>),
    Heap(Ref<Heap>),
    Fence(Ref<Fence>),
}

impl Content {
    /// What the program wants to share.
    ///
    /// # Safety
    /// `object` is null or a living COM pointer.
    unsafe fn of(object: *mut c_void) -> Option<Content> {
        // SAFETY: the caller passes null or a living COM pointer.
        unsafe {
            with_own::<Resource, _>(object, |object| Content::Resource(object.keep()))
                .or_else(|| with_own::<Heap, _>(object, |object| Content::Heap(object.keep())))
                .or_else(|| with_own::<Fence, _>(object, |object| Content::Fence(object.keep())))
        }
    }

    fn device(&self) -> &Child {
        match self {
            Content::Resource(object) => &object.device,
            Content::Heap(object) => &object.device,
            Content::Fence(object) => &object.device,
        }
    }

    /// Whether it was made to be shared.
    fn may_be_shared(&self) -> bool {
        let flags = match self {
            Content::Resource(object) => object.heap_flags,
            Content::Heap(object) => object.desc.Flags,
            Content::Fence(object) => return object.is_shared(),
        };
        flags.0 & D3D12_HEAP_FLAGS::SHARED.0 != 0
    }

    /// Gives it to the program.
    ///
    /// # Safety
    /// `out` is null or writable.
    unsafe fn give(&self, iid: &Guid, out: *mut *mut c_void) -> i32 {
        // SAFETY: the caller passes a place that is null or writable.
        unsafe {
            match self {
                Content::Resource(object) => give(object, &object.device, iid, out, |object| {
                    // Its last release has taken it from what waits for its first use.
                    let image = object.image().filter(|image| !image.is_begun() && !image.is_placed_target());
                    image.into_iter().for_each(|image| object.device.initialisation.add(image));
                }),
                Content::Heap(object) => give(object, &object.device, iid, out, |_| ()),
                Content::Fence(object) => give(object, &object.device, iid, out, |_| ()),
            }
        }
    }
}

/// Gives an object to the program once more; `first` is for one that it had released.
///
/// # Safety
/// `out` is null or writable.
unsafe fn give<T: Class>(
    object: &Object<T>,
    device: &Child,
    iid: &Guid,
    out: *mut *mut c_void,
    first: impl FnOnce(&Object<T>),
) -> i32 {
    let (again, is_first) = object.again();
    if is_first {
        device.hold();
        first(object);
    }
    // SAFETY: the caller passes a place that is null or writable.
    unsafe { again.give(iid, out) }
}

/// Whether a child is of this device.
fn is_of(child: &Child, device: &Object<Device>) -> bool {
    core::ptr::eq::<Object<Device>>(&**child, device)
}

/// Methods of the device that make or ask about these.
pub(crate) const DEVICE_METHODS: &Slots = &[
    ("CreateSharedHandle", create_shared_handle as *const c_void),
    ("OpenSharedHandle", open_shared_handle as *const c_void),
    ("OpenSharedHandleByName", open_shared_handle_by_name as *const c_void),
];

/// Rights and security are for systems that have them.
unsafe extern "C" fn create_shared_handle(
    device: *mut c_void,
    object: *mut c_void,
    attributes: *const SECURITY_ATTRIBUTES,
    _access: u32,
    name: *const u16,
    out: *mut *mut c_void,
) -> i32 {
    guard(E_INVALIDARG, || {
        if out.is_null() {
            return E_INVALIDARG;
        }
        // SAFETY: a device of ours; the program's object and name; its place is not null.
        unsafe {
            out.write(core::ptr::null_mut());
            let name = if name.is_null() { Ok(None) } else { wide::text(name).map(Some) };
            let inherited = attributes.as_ref().is_some_and(|it| it.bInheritHandle != 0);
            match name.and_then(|name| Ok((name, share(this(device), object)?))) {
                Ok((name, content)) => make(content, name, inherited, &mut *out),
                Err(error) => code_at(Err(error), const { method("ID3D12Device", "CreateSharedHandle") }),
            }
        }
    })
}

/// What is to be shared.
///
/// # Safety
/// `object` is null or a living COM pointer.
unsafe fn share(device: &Object<Device>, object: *mut c_void) -> Result<Content> {
    // SAFETY: the caller passes null or a living COM pointer.
    let Some(content) = (unsafe { Content::of(object) }) else {
        return Err(Error::Invalid("only resources, heaps and fences of this runtime are shared"));
    };
    if !is_of(content.device(), device) {
        return Err(Error::Call("a device shares its own objects only"));
    }
    match content.may_be_shared() {
        true => Ok(content),
        false => Err(Error::Call("an object without the flag SHARED is not shared")),
    }
}

/// What the handle of an object carries.
#[cfg(unix)]
fn packet(content: &Content) -> Result<Packet> {
    outside::packet(content)
}

#[cfg(not(unix))]
fn packet(_content: &Content) -> Result<Packet> {
    Ok(())
}

/// Opens a handle that another device or process made.
///
/// # Safety
/// `out` is null or writable.
#[cfg(unix)]
unsafe fn open_outside(device: &Object<Device>, handle: *mut c_void, iid: &Guid, out: *mut *mut c_void) -> Result<i32> {
    // SAFETY: the caller passes a place that is null or writable.
    unsafe { outside::open(device, handle, iid, out) }
}

/// # Safety
/// None; as on other systems.
#[cfg(not(unix))]
unsafe fn open_outside(_: &Object<Device>, _: *mut c_void, _: &Guid, _: *mut *mut c_void) -> Result<i32> {
    Err(Error::Call("objects of other devices, processes and APIs cannot be opened on this system"))
}

/// Makes the first handle of an object.
fn make(content: Content, name: Option<String>, inherited: bool, out: &mut *mut c_void) -> i32 {
    sweep();
    let packet = packet(&content);
    let mut entries = entries();
    if name.is_some() && entries.iter().any(|entry| entry.name == name) {
        drop(entries);
        return DXGI_ERROR_NAME_ALREADY_EXISTS;
    }
    match packet.and_then(|packet| Token::new(packet, inherited)) {
        Ok((token, handle)) => {
            entries.push(Entry { token, name, content: Box::new(content) });
            *out = handle;
            reprise_com::result::S_OK
        }
        Err(error) => {
            drop(entries);
            code(Err(error))
        }
    }
}

unsafe extern "C" fn open_shared_handle(
    device: *mut c_void,
    handle: *mut c_void,
    iid: *const Guid,
    out: *mut *mut c_void,
) -> i32 {
    guard(E_INVALIDARG, || {
        // SAFETY: `device` is of the vtable that this slot is in; `iid` is null or readable, `out` null or room for a pointer. The handle
        // is compared, or read as the number of a file; it is never looked through.
        unsafe {
            if !out.is_null() {
                out.write(core::ptr::null_mut());
            }
            let Some(iid) = iid.as_ref() else { return E_INVALIDARG };
            sweep();
            let found = entries().iter().find(|entry| entry.token.is(handle)).map(|entry| entry.content::<Content>());
            let device: &Object<Device> = this(device);
            let content = found.flatten();
            if let Some(content) = content.as_ref().filter(|content| is_of(content.device(), device)) {
                return content.give(iid, out);
            }
            match open_outside(device, handle, iid, out) {
                Ok(code) => code,
                Err(error) => {
                    reprise_log::warning(format_args!("ID3D12Device::OpenSharedHandle fails: {error}"));
                    // As before a device's own handles of others.
                    if content.is_some() { DXGI_ERROR_INVALID_CALL } else { E_INVALIDARG }
                }
            }
        }
    })
}

unsafe extern "C" fn open_shared_handle_by_name(
    _device: *mut c_void,
    name: *const u16,
    _access: u32,
    out: *mut *mut c_void,
) -> i32 {
    guard(E_INVALIDARG, || {
        if out.is_null() {
            return E_INVALIDARG;
        }
        // SAFETY: the program's name; its place is not null.
        let name = unsafe {
            out.write(core::ptr::null_mut());
            wide::text(name)
        };
        let name = match name {
            Ok(name) => name,
            Err(error) => return code(Err(error)),
        };
        sweep();
        let mut entries = entries();
        let found = entries.iter_mut().find(|entry| entry.name.as_ref() == Some(&name));
        match found.map(|entry| entry.token.duplicate()) {
            Some(Ok(handle)) => {
                // SAFETY: the place is not null, so it is writable.
                unsafe { out.write(handle) };
                reprise_com::result::S_OK
            }
            Some(Err(error)) => code(Err(error)),
            None => code(Err(Error::Invalid("nothing of this process is shared under this name"))),
        }
    })
}
