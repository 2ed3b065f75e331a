//! The object: vtable, two counts, private data, and the class's body.
//!
//! Invariant: an object is freed, and given to the program, by the pointer that its allocation gave (`origin`). A pointer made from
//! a reference may read the object but not free it, so no such pointer is kept.

use core::ffi::c_void;
use core::ops::Deref;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicU32, Ordering, fence};

use reprise_d3d12::interface;
use reprise_d3d12::lookup::by_iid;
use reprise_d3d12::model::{Guid, InterfaceId};

use crate::guard;
use crate::guid::DEBUG_OBJECT_NAME_W;
use crate::notifier::{self, Notifier};
use crate::private::{self, PrivateData};
use crate::result::{E_NOINTERFACE, E_POINTER, S_OK};
use crate::tables::Tables;
use crate::vtable::Slots;
use crate::wide;

/// A class of objects.
pub trait Class: Sized + Send + Sync + 'static {
    /// The newest interface of the class; its vtable serves the older ones.
    const INTERFACE: InterfaceId;
    /// All slots of [`Class::INTERFACE`]: those of a `static` made by [`crate::vtable`] with [`Object::SHARED`].
    const VTABLE: Tables;
    /// Another vtable of all slots, which objects made by [`Object::make_watched`] have: thunks that do something of their own and call
    /// [`Class::VTABLE`]. `None`: all objects have the one.
    const WATCHED: Option<Tables> = None;

    /// Whether objects answer `ID3DDestructionNotifier`: those that the API calls objects.
    const NOTIFIES: bool = Self::INTERFACE.derives_from(interface("ID3D12Object"));

    /// Whether objects answer an interface of the model: their own and its bases. A few classes of the API do not answer
    /// `IUnknown`.
    fn answers(asked: InterfaceId) -> bool {
        Self::INTERFACE.derives_from(asked)
    }

    /// Another interface of the same object: its COM pointer, without a reference taken.
    fn facet(_object: &Object<Self>, _iid: &Guid) -> Option<*mut c_void> {
        None
    }

    /// Whether the runtime may give the object out again after the program's last release. What the program has attached to
    /// such an object stays until the object itself goes.
    fn lasts(_object: &Object<Self>) -> bool {
        false
    }

    /// What `GetPrivateData` answers for an id of the runtime's own, which no program attaches anything to.
    fn own_data(_object: &Object<Self>, _id: &Guid) -> Option<Vec<u8>> {
        None
    }

    /// What `SetPrivateData` does for an id of the runtime's own: the result.
    fn take_data(_object: &Object<Self>, _id: &Guid, _bytes: Option<&[u8]>) -> Option<i32> {
        None
    }

    /// The program has given its last reference back, and what it attached is still there; not called where the object
    /// [`Class::lasts`].
    fn leaving(_object: &Object<Self>) {}

    /// The program has given its last reference back. What is left is internal.
    fn released(_object: &Object<Self>) {}

    /// The COM pointer of the device that `GetDevice` gives; `None` for the device itself and for what has none.
    fn device(&self) -> Option<NonNull<c_void>> {
        None
    }
}

/// An object of a class. The address of an `Object` is its COM pointer.
#[repr(C)]
pub struct Object<T> {
    vtable: *const *const c_void,
    public: AtomicU32,
    internal: AtomicU32,
    /// As `Box::into_raw` made it.
    origin: NonNull<Object<T>>,
    notifier: Notifier,
    private: PrivateData,
    body: T,
}

// What stands before the notifier does not depend on the class.
const _: () = assert!(core::mem::offset_of!(Object<()>, notifier) == notifier::PLACE);

// SAFETY: the vtable and the object's own address are constant; counts and private data are synchronised; the body is `Send` and
// `Sync` by its class.
unsafe impl<T: Send + Sync> Send for Object<T> {}
// SAFETY: the vtable and the object's own address are constant; counts and private data are synchronised; the body is `Sync`.
unsafe impl<T: Send + Sync> Sync for Object<T> {}

impl<T> Deref for Object<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.body
    }
}

impl<T: Class> Object<T> {
    /// The methods of `IUnknown`, `ID3D12Object` and `ID3D12DeviceChild`, to be passed to [`crate::vtable`].
    pub const SHARED: &'static Slots = &[
        ("QueryInterface", query_interface::<T> as *const c_void),
        ("AddRef", add_ref::<T> as *const c_void),
        ("Release", release::<T> as *const c_void),
        ("GetPrivateData", get_private_data::<T> as *const c_void),
        ("SetPrivateData", set_private_data::<T> as *const c_void),
        ("SetPrivateDataInterface", set_private_data_interface::<T> as *const c_void),
        ("SetName", set_name::<T> as *const c_void),
        ("GetDevice", get_device::<T> as *const c_void),
    ];

    /// Where the body lies in an object, for classes with facets: vtables inside the body.
    pub const BODY: usize = core::mem::offset_of!(Object<T>, body);

    /// Makes an object with one public reference.
    #[inline(always)]
    pub fn make(body: T) -> Public<T> {
        Self::make_with(body, T::VTABLE)
    }

    /// The same; its methods go through [`Class::WATCHED`], if the class has that.
    #[cold]
    pub fn make_watched(body: T) -> Public<T> {
        Self::make_with(body, T::WATCHED.unwrap_or(T::VTABLE))
    }

    #[inline(always)]
    fn make_with(body: T, tables: Tables) -> Public<T> {
        // The object is written in its place: bodies are up to hundreds of bytes large, and each copy of them counts.
        let room = Box::into_raw(Box::<Object<T>>::new_uninit()).cast::<Object<T>>();
        // SAFETY: a box is never null.
        let origin = unsafe { NonNull::new_unchecked(room) };
        let object = Object {
            vtable: tables.shown(),
            public: AtomicU32::new(1),
            internal: AtomicU32::new(1),
            origin,
            notifier: Notifier::new(),
            private: PrivateData::default(),
            body,
        };
        // SAFETY: the box has room for the object, and nobody else knows it.
        unsafe { room.write(object) };
        Public(origin)
    }

    /// The object behind a COM pointer of this class; `None` for null and for objects of others.
    ///
    /// # Safety
    /// `pointer` is null or a COM pointer, alive for `'a`.
    pub unsafe fn from_pointer<'a>(pointer: *const c_void) -> Option<&'a Object<T>> {
        if pointer.is_null() {
            return None;
        }
        // SAFETY: a COM pointer begins with its vtable's address; only objects of this class have this class's.
        unsafe {
            let vtable = *pointer.cast::<*const *const c_void>();
            let is_watched = || T::WATCHED.is_some_and(|watched| watched.has(vtable));
            (T::VTABLE.has(vtable) || is_watched()).then(|| &*pointer.cast::<Object<T>>())
        }
    }

    /// `this` of a method.
    ///
    /// # Safety
    /// `this` is the COM pointer of a living object of this class.
    #[inline(always)]
    pub unsafe fn this<'a>(this: *mut c_void) -> &'a Object<T> {
        // SAFETY: the caller passes the COM pointer of a living object of this class, which is the object's address.
        unsafe { &*this.cast::<Object<T>>() }
    }

    /// The pointer that the object is freed by.
    pub fn origin(&self) -> NonNull<Object<T>> {
        self.origin
    }

    /// The COM pointer.
    pub fn pointer(&self) -> *mut c_void {
        self.origin.as_ptr().cast()
    }

    /// What the program has attached.
    pub fn private(&self) -> &PrivateData {
        &self.private
    }

    /// For [`Class::released`]: whether the object goes when that returns, because nobody but the program had it.
    pub fn is_going(&self) -> bool {
        // The count of 1 is the one that the public references hold together.
        self.internal.load(Ordering::Acquire) == 1
    }

    /// An internal reference: keeps the object, unseen by the program.
    pub fn keep(&self) -> Ref<T> {
        self.internal.fetch_add(1, Ordering::Relaxed);
        Ref(self.origin)
    }

    /// `AddRef`.
    pub fn add_ref(&self) -> u32 {
        let count = self.public.fetch_add(1, Ordering::Relaxed) + 1;
        if count == 1 {
            // Given out again after the last release, by the runtime, which holds it.
            self.internal.fetch_add(1, Ordering::Relaxed);
        }
        count
    }

    /// One more public reference, and whether it is the only one: the program had released the object, which the runtime
    /// held.
    pub fn again(&self) -> (Public<T>, bool) {
        let first = self.add_ref() == 1;
        (Public(self.origin), first)
    }

    /// One more public reference, but only while the program still holds one. The caller keeps the memory by other means, for
    /// instance by a lock that [`Class::released`] takes too.
    pub fn again_if_held(&self) -> Option<Public<T>> {
        let more = |count: u32| (count != 0).then(|| count + 1);
        self.public.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).ok().map(|_| Public(self.origin))
    }

    /// `Release`. Takes a pointer, because the object may be gone when this returns.
    ///
    /// # Safety
    /// A public reference is given back; the object is not used through it any more.
    pub unsafe fn release(this: NonNull<Object<T>>) -> u32 {
        // SAFETY: the reference given back keeps the object until `let_go` below.
        let object = unsafe { this.as_ref() };
        let origin = object.origin;
        let count = object.public.fetch_sub(1, Ordering::Release) - 1;
        if count == 0 {
            fence(Ordering::Acquire);
            if !T::lasts(object) {
                T::leaving(object);
                object.notifier.notify();
                object.private.clear();
            }
            T::released(object);
            // SAFETY: the public count as a whole held this one.
            unsafe { Self::let_go(origin) };
        }
        count
    }

    /// # Safety
    /// An internal reference is given back; `this` is the object's origin.
    unsafe fn let_go(this: NonNull<Object<T>>) {
        // SAFETY: alive by the reference given back.
        let internal = unsafe { &this.as_ref().internal };
        // A count of 1 is the caller's own: nobody else can raise it, and nobody else sees it fall.
        if internal.load(Ordering::Acquire) == 1 || internal.fetch_sub(1, Ordering::Release) == 1 {
            fence(Ordering::Acquire);
            // SAFETY: the object lives until the next statement. Functions that an earlier release called are not called again.
            unsafe { this.as_ref() }.notifier.notify();
            // SAFETY: `make` got this pointer from `Box::into_raw`; this was the last reference of any kind.
            drop(unsafe { Box::from_raw(this.as_ptr()) });
        }
    }

    /// `QueryInterface`: the class's own chain of versions, then its facets.
    ///
    /// # Safety
    /// `out` is null or writable.
    pub unsafe fn query(&self, iid: &Guid, out: *mut *mut c_void) -> i32 {
        // SAFETY: `out` is null or writable.
        let code = unsafe { self.find(iid, out) };
        if code == S_OK {
            self.add_ref();
        }
        code
    }

    /// [`Object::query`] without a reference taken.
    ///
    /// # Safety
    /// `out` is null or writable.
    unsafe fn find(&self, iid: &Guid, out: *mut *mut c_void) -> i32 {
        if out.is_null() {
            return E_POINTER;
        }
        let own = asked::<T>(iid).is_some_and(T::answers);
        let facet = if own {
            Some(self.pointer())
        } else if T::NOTIFIES && *iid == interface("ID3DDestructionNotifier").get().iid {
            Some(self.pointer().wrapping_byte_add(notifier::PLACE))
        } else {
            T::facet(self, iid)
        };
        // SAFETY: `out` is writable.
        unsafe { out.write(facet.unwrap_or(core::ptr::null_mut())) };
        if facet.is_some() { S_OK } else { E_NOINTERFACE }
    }
}

/// The interface that is asked for: one of the class's chain, where programs look for most, or any of the model.
fn asked<T: Class>(iid: &Guid) -> Option<InterfaceId> {
    let mut at = Some(T::INTERFACE);
    while let Some(interface) = at {
        if interface.get().iid == *iid {
            return at;
        }
        at = interface.get().base;
    }
    by_iid(iid)
}

impl<T: core::fmt::Debug> core::fmt::Debug for Object<T> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Object").field("public", &self.public).field("body", &self.body).finish_non_exhaustive()
    }
}

/// An internal reference.
#[derive(Debug)]
pub struct Ref<T: Class>(NonNull<Object<T>>);

// SAFETY: `Object<T>` is `Send` and `Sync`, since a class is, and its counts are atomic.
unsafe impl<T: Class> Send for Ref<T> {}
// SAFETY: a shared `Ref` gives out shared references to the object, which is `Sync`.
unsafe impl<T: Class> Sync for Ref<T> {}

impl<T: Class> Ref<T> {
    /// The object's own pointer, for whoever keeps the reference in another form; [`Ref::from_origin`] takes it back.
    pub fn into_origin(self) -> NonNull<Object<T>> {
        core::mem::ManuallyDrop::new(self).0
    }

    /// A reference that [`Ref::into_origin`] gave.
    ///
    /// # Safety
    /// The pointer is an object's own ([`Object::origin`]), and an internal reference of the caller's goes with it.
    pub unsafe fn from_origin(origin: NonNull<Object<T>>) -> Ref<T> {
        Ref(origin)
    }
}

impl<T: Class> Clone for Ref<T> {
    fn clone(&self) -> Self {
        self.keep()
    }
}

impl<T: Class> Deref for Ref<T> {
    type Target = Object<T>;

    fn deref(&self) -> &Object<T> {
        // SAFETY: this reference keeps the object.
        unsafe { self.0.as_ref() }
    }
}

impl<T: Class> Drop for Ref<T> {
    fn drop(&mut self) {
        // SAFETY: the reference is given back once.
        unsafe { Object::let_go(self.0) }
    }
}

/// A public reference that has not reached the program yet.
#[derive(Debug)]
pub struct Public<T: Class>(NonNull<Object<T>>);

impl<T: Class> Public<T> {
    /// Gives the object to the program as the interface that it asked for. When the class does not answer it, or there is
    /// no place for it, the object goes away again. `S_FALSE` is what creation functions give when `out` is null.
    ///
    /// # Safety
    /// `out` is null or writable.
    pub unsafe fn give(self, iid: &Guid, out: *mut *mut c_void) -> i32 {
        if out.is_null() {
            return crate::result::S_FALSE;
        }
        // SAFETY: `out` is writable: the caller says so of all but null.
        let code = unsafe { self.find(iid, out) };
        if code == S_OK {
            // The reference is the program's now.
            core::mem::forget(self);
        }
        code
    }
}

impl<T: Class> Deref for Public<T> {
    type Target = Object<T>;

    fn deref(&self) -> &Object<T> {
        // SAFETY: this reference keeps the object.
        unsafe { self.0.as_ref() }
    }
}

impl<T: Class> Drop for Public<T> {
    fn drop(&mut self) {
        // SAFETY: the reference is given back once.
        unsafe { Object::release(self.0) };
    }
}

unsafe extern "C" fn query_interface<T: Class>(this: *mut c_void, iid: *const Guid, out: *mut *mut c_void) -> i32 {
    guard(E_NOINTERFACE, || {
        if iid.is_null() {
            return E_POINTER;
        }
        // SAFETY: the slot is of this class's vtable, and the program holds the object; `iid` is not null and readable, `out` null or room
        // for a pointer.
        unsafe { Object::<T>::this(this).query(&*iid, out) }
    })
}

unsafe extern "C" fn add_ref<T: Class>(this: *mut c_void) -> u32 {
    // SAFETY: `this` is an object of the class.
    unsafe { Object::<T>::this(this) }.add_ref()
}

unsafe extern "C" fn release<T: Class>(this: *mut c_void) -> u32 {
    // SAFETY: `this` is an object of the class, not null.
    guard(0, || unsafe { Object::<T>::release(NonNull::new_unchecked(this.cast())) })
}

unsafe extern "C" fn get_private_data<T: Class>(
    this: *mut c_void,
    name: *const Guid,
    size: *mut u32,
    data: *mut u8,
) -> i32 {
    // SAFETY: the program calls on an object of this class with a readable GUID; size and data are null or writable.
    guard(E_POINTER, || unsafe {
        let object = Object::<T>::this(this);
        match T::own_data(object, &*name) {
            Some(bytes) => private::answer(&bytes, size.as_mut(), data),
            None => object.private.get(&*name, size.as_mut(), data),
        }
    })
}

unsafe extern "C" fn set_private_data<T: Class>(
    this: *mut c_void,
    name: *const Guid,
    size: u32,
    data: *const u8,
) -> i32 {
    // SAFETY: the slot is of this class's vtable, and the program holds the object; the name is readable, and the data are null or `size`
    // bytes, of which a copy is kept.
    guard(E_POINTER, || unsafe {
        let bytes = (!data.is_null()).then(|| core::slice::from_raw_parts(data, size as usize));
        let object = Object::<T>::this(this);
        T::take_data(object, &*name, bytes).unwrap_or_else(|| object.private.set(&*name, bytes))
    })
}

unsafe extern "C" fn set_private_data_interface<T: Class>(
    this: *mut c_void,
    name: *const Guid,
    data: *mut c_void,
) -> i32 {
    // SAFETY: the slot is of this class's vtable, and the program holds the object; the name is readable, and the interface is null or an
    // object that is held from here on by a reference of its own.
    guard(E_POINTER, || unsafe { Object::<T>::this(this).private.set_interface(&*name, data) })
}

/// The text is kept in the width of the program's convention.
unsafe extern "C" fn set_name<T: Class>(this: *mut c_void, name: *const u16) -> i32 {
    guard(E_POINTER, || {
        if name.is_null() {
            return crate::result::E_INVALIDARG;
        }
        // SAFETY: the text is zero-terminated.
        unsafe {
            let name = wide::Text::new(&wide::units(name, usize::MAX).unwrap_or_default());
            // The zero at its end is part of what is kept.
            Object::<T>::this(this).private.set(&DEBUG_OBJECT_NAME_W, Some(name.bytes()))
        }
    })
}

unsafe extern "C" fn get_device<T: Class>(this: *mut c_void, iid: *const Guid, out: *mut *mut c_void) -> i32 {
    const QUERY: usize = reprise_d3d12::method("IUnknown", "QueryInterface").get().slot as usize;
    // SAFETY: the device outlives its children; its vtable has `QueryInterface` in this slot.
    guard(E_NOINTERFACE, || unsafe {
        let Some(device) = Object::<T>::this(this).device() else { return E_NOINTERFACE };
        type Query = unsafe extern "C" fn(*mut c_void, *const Guid, *mut *mut c_void) -> i32;
        let vtable = *device.as_ptr().cast::<*const *const c_void>();
        let query = core::mem::transmute::<*const c_void, Query>(*vtable.add(QUERY));
        query(device.as_ptr(), iid, out)
    })
}

const _: () = assert!(interface("ID3D12Object").slots() == 7, "the shared methods are those of ID3D12Object");
