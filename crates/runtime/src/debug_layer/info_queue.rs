//! `ID3D12InfoQueue1`: how programs read, filter and add messages ([`crate::message`]).

use core::ffi::{CStr, c_char, c_void};
use core::mem::offset_of;

use reprise_com::result::{E_INVALIDARG, S_FALSE, S_OK};
use reprise_com::{Facet, Faceted, Object, Vtable, facet, guard, vtable};
use reprise_d3d12::interface;
use reprise_d3d12::model::InterfaceId;
use reprise_d3d12::types::{
    BOOL, D3D12_INFO_QUEUE_FILTER, D3D12_MESSAGE, D3D12_MESSAGE_CALLBACK_FLAGS, D3D12_MESSAGE_CATEGORY,
    D3D12_MESSAGE_ID, D3D12_MESSAGE_SEVERITY,
};

use crate::device::{Device, Facets};
use crate::message::{Break, Callback, Filter, Kind, Queue, Which};
use crate::own::is_of;

const INTERFACE: InterfaceId = interface("ID3D12InfoQueue1");

/// The facet's number.
const NUMBER: usize = 5;

/// The two stacks of filters, as parameters of methods that both have.
const STORAGE: bool = false;
const RETRIEVAL: bool = true;

static VTABLE: Vtable<{ INTERFACE.slots() as usize }> = vtable(
    INTERFACE,
    <Device as Faceted<NUMBER>>::UNKNOWN,
    &[
        ("SetMessageCountLimit", set_message_count_limit as *const c_void),
        ("ClearStoredMessages", clear_stored_messages as *const c_void),
        ("GetMessage", get_message as *const c_void),
        ("GetNumMessagesAllowedByStorageFilter", allowed as *const c_void),
        ("GetNumMessagesDeniedByStorageFilter", denied as *const c_void),
        ("GetNumStoredMessages", stored as *const c_void),
        ("GetNumStoredMessagesAllowedByRetrievalFilter", seen as *const c_void),
        ("GetNumMessagesDiscardedByMessageCountLimit", discarded as *const c_void),
        ("GetMessageCountLimit", get_message_count_limit as *const c_void),
        ("AddStorageFilterEntries", add_entries::<STORAGE> as *const c_void),
        ("GetStorageFilter", get_filter::<STORAGE> as *const c_void),
        ("ClearStorageFilter", clear_filter::<STORAGE> as *const c_void),
        ("PushEmptyStorageFilter", push_empty::<STORAGE> as *const c_void),
        ("PushCopyOfStorageFilter", push_copy::<STORAGE> as *const c_void),
        ("PushStorageFilter", push::<STORAGE> as *const c_void),
        ("PopStorageFilter", pop::<STORAGE> as *const c_void),
        ("GetStorageFilterStackSize", stack_size::<STORAGE> as *const c_void),
        ("AddRetrievalFilterEntries", add_entries::<RETRIEVAL> as *const c_void),
        ("GetRetrievalFilter", get_filter::<RETRIEVAL> as *const c_void),
        ("ClearRetrievalFilter", clear_filter::<RETRIEVAL> as *const c_void),
        ("PushEmptyRetrievalFilter", push_empty::<RETRIEVAL> as *const c_void),
        ("PushCopyOfRetrievalFilter", push_copy::<RETRIEVAL> as *const c_void),
        ("PushRetrievalFilter", push::<RETRIEVAL> as *const c_void),
        ("PopRetrievalFilter", pop::<RETRIEVAL> as *const c_void),
        ("GetRetrievalFilterStackSize", stack_size::<RETRIEVAL> as *const c_void),
        ("AddMessage", add_message as *const c_void),
        ("AddApplicationMessage", add_application_message as *const c_void),
        ("SetBreakOnCategory", set_break_on_category as *const c_void),
        ("SetBreakOnSeverity", set_break_on_severity as *const c_void),
        ("SetBreakOnID", set_break_on_id as *const c_void),
        ("GetBreakOnCategory", get_break_on_category as *const c_void),
        ("GetBreakOnSeverity", get_break_on_severity as *const c_void),
        ("GetBreakOnID", get_break_on_id as *const c_void),
        ("SetMuteDebugOutput", set_mute_debug_output as *const c_void),
        ("GetMuteDebugOutput", get_mute_debug_output as *const c_void),
        ("RegisterMessageCallback", register_message_callback as *const c_void),
        ("UnregisterMessageCallback", unregister_message_callback as *const c_void),
    ],
);

// SAFETY: the field of this offset is a facet with the vtable of this module.
unsafe impl Faceted<NUMBER> for Device {
    const PLACE: usize = offset_of!(Device, facets) + offset_of!(Facets, info_queue);
}

/// The facet of a new device.
pub(crate) fn new_facet() -> Facet {
    Facet::new(VTABLE.tables())
}

/// The facet, where it is asked for.
pub(super) fn answer(object: &Object<Device>, asked: InterfaceId) -> Option<*mut c_void> {
    is_of(INTERFACE, asked).then(|| facet::pointer::<Device, NUMBER>(object))
}

/// # Safety
/// `this` is the facet of a living device.
unsafe fn queue<'a>(this: *mut c_void) -> &'a Queue {
    // SAFETY: as the caller promises.
    unsafe { &facet::object::<Device, NUMBER>(this).messages }
}

unsafe extern "C" fn set_message_count_limit(this: *mut c_void, limit: u64) -> i32 {
    // SAFETY: a facet of a device of ours.
    unsafe { queue(this) }.set_limit(limit);
    S_OK
}

unsafe extern "C" fn get_message_count_limit(this: *mut c_void) -> u64 {
    // SAFETY: a facet of a device of ours.
    unsafe { queue(this) }.limit()
}

unsafe extern "C" fn clear_stored_messages(this: *mut c_void) {
    // SAFETY: a facet of a device of ours.
    unsafe { queue(this) }.clear();
}

/// The message and its text behind it. Without a place for it only its size is told, and the answer is `S_FALSE`.
unsafe extern "C" fn get_message(this: *mut c_void, index: u64, out: *mut D3D12_MESSAGE, bytes: *mut usize) -> i32 {
    guard(E_INVALIDARG, || {
        // SAFETY: a facet of a device of ours; the program's place is null or writable.
        let (Some(message), Some(bytes)) = (unsafe { queue(this) }.message(index), unsafe { bytes.as_mut() }) else {
            return E_INVALIDARG;
        };
        let text = message.text.as_bytes_with_nul();
        let size = size_of::<D3D12_MESSAGE>() + text.len();
        let room = core::mem::replace(bytes, size);
        if out.is_null() {
            return S_FALSE;
        }
        if room < size {
            return E_INVALIDARG;
        }
        let Kind { category, severity, id } = message.kind;
        // SAFETY: the program has room for that many bytes.
        unsafe {
            let place = out.add(1).cast::<u8>();
            place.copy_from_nonoverlapping(text.as_ptr(), text.len());
            out.write(D3D12_MESSAGE {
                Category: category,
                Severity: severity,
                ID: id,
                pDescription: place.cast(),
                DescriptionByteLength: text.len() as u64,
            });
        }
        S_OK
    })
}

unsafe extern "C" fn allowed(this: *mut c_void) -> u64 {
    // SAFETY: a facet of a device of ours.
    unsafe { queue(this) }.counts().allowed
}

unsafe extern "C" fn denied(this: *mut c_void) -> u64 {
    // SAFETY: a facet of a device of ours.
    unsafe { queue(this) }.counts().denied
}

unsafe extern "C" fn stored(this: *mut c_void) -> u64 {
    // SAFETY: a facet of a device of ours.
    unsafe { queue(this) }.counts().stored
}

unsafe extern "C" fn seen(this: *mut c_void) -> u64 {
    // SAFETY: a facet of a device of ours.
    unsafe { queue(this) }.counts().seen
}

unsafe extern "C" fn discarded(this: *mut c_void) -> u64 {
    // SAFETY: a facet of a device of ours.
    unsafe { queue(this) }.counts().discarded
}

/// # Safety
/// `this` is the facet of a living device.
unsafe fn stack<const RETRIEVED: bool, R>(this: *mut c_void, act: impl FnOnce(&mut Vec<Filter>) -> R) -> R {
    let which = if RETRIEVED { Which::Retrieval } else { Which::Storage };
    // SAFETY: as the caller promises.
    unsafe { queue(this) }.filters(which, act)
}

/// Takes a filter of the program's into a stack.
///
/// # Safety
/// `this` is the facet of a living device; the filter is null or readable, and its arrays are null or as long as it says.
unsafe fn take<const RETRIEVED: bool>(
    this: *mut c_void,
    filter: *const D3D12_INFO_QUEUE_FILTER,
    act: impl FnOnce(&mut Vec<Filter>, Filter),
) -> i32 {
    guard(E_INVALIDARG, || {
        // SAFETY: as the caller promises.
        unsafe {
            let Some(filter) = filter.as_ref().and_then(|filter| Filter::read(filter)) else { return E_INVALIDARG };
            stack::<RETRIEVED, ()>(this, |stack| act(stack, filter));
        }
        S_OK
    })
}

/// To the filter in force, or to a first one.
unsafe extern "C" fn add_entries<const RETRIEVED: bool>(
    this: *mut c_void,
    filter: *const D3D12_INFO_QUEUE_FILTER,
) -> i32 {
    let add = |stack: &mut Vec<Filter>, filter| match stack.last_mut() {
        Some(top) => top.add(filter),
        None => stack.push(filter),
    };
    // SAFETY: a facet of a device of ours; the program's filter.
    unsafe { take::<RETRIEVED>(this, filter, add) }
}

unsafe extern "C" fn push<const RETRIEVED: bool>(this: *mut c_void, filter: *const D3D12_INFO_QUEUE_FILTER) -> i32 {
    // SAFETY: a facet of a device of ours; the program's filter.
    unsafe { take::<RETRIEVED>(this, filter, |stack, filter| stack.push(filter)) }
}

/// The filter in force, and its arrays behind it. Without a place for it only its size is told.
unsafe extern "C" fn get_filter<const RETRIEVED: bool>(
    this: *mut c_void,
    out: *mut D3D12_INFO_QUEUE_FILTER,
    bytes: *mut usize,
) -> i32 {
    guard(E_INVALIDARG, || {
        // SAFETY: a facet of a device of ours; the program's place is null or writable.
        let (filter, bytes) = unsafe {
            let filter = stack::<RETRIEVED, Filter>(this, |stack| stack.last().cloned().unwrap_or_default());
            let Some(bytes) = bytes.as_mut() else { return E_INVALIDARG };
            (filter, bytes)
        };
        let room = core::mem::replace(bytes, filter.size());
        if out.is_null() {
            return S_OK;
        }
        if room < filter.size() {
            return E_INVALIDARG;
        }
        // SAFETY: the program has room for that many bytes.
        unsafe { filter.write(out) };
        S_OK
    })
}

/// All messages pass the filter in force, which stays on the stack.
unsafe extern "C" fn clear_filter<const RETRIEVED: bool>(this: *mut c_void) {
    let clear = |stack: &mut Vec<Filter>| {
        if let Some(top) = stack.last_mut() {
            *top = Filter::default();
        }
    };
    // SAFETY: a facet of a device of ours.
    unsafe { stack::<RETRIEVED, ()>(this, clear) };
}

unsafe extern "C" fn push_empty<const RETRIEVED: bool>(this: *mut c_void) -> i32 {
    // SAFETY: a facet of a device of ours.
    unsafe { stack::<RETRIEVED, ()>(this, |stack| stack.push(Filter::default())) };
    S_OK
}

unsafe extern "C" fn push_copy<const RETRIEVED: bool>(this: *mut c_void) -> i32 {
    // SAFETY: a facet of a device of ours.
    unsafe { stack::<RETRIEVED, ()>(this, |stack| stack.push(stack.last().cloned().unwrap_or_default())) };
    S_OK
}

unsafe extern "C" fn pop<const RETRIEVED: bool>(this: *mut c_void) {
    // SAFETY: a facet of a device of ours.
    unsafe { stack::<RETRIEVED, ()>(this, |stack| drop(stack.pop())) };
}

unsafe extern "C" fn stack_size<const RETRIEVED: bool>(this: *mut c_void) -> u32 {
    // SAFETY: a facet of a device of ours.
    unsafe { stack::<RETRIEVED, u32>(this, |stack| stack.len() as u32) }
}

/// Adds a program's message. The log has it as a debug line, unless it is muted.
///
/// # Safety
/// `this` is the facet of a living device, `text` null or a text that ends with zero.
unsafe fn add(this: *mut c_void, kind: Kind, text: *const c_char) -> i32 {
    guard(E_INVALIDARG, || {
        if text.is_null() {
            return E_INVALIDARG;
        }
        // SAFETY: as the caller promises.
        let (queue, text) = unsafe { (queue(this), CStr::from_ptr(text).to_string_lossy()) };
        if !queue.is_muted() {
            reprise_log::debug(|| format!("the program says: {text}"));
        }
        queue.add(kind, &text);
        S_OK
    })
}

unsafe extern "C" fn add_message(
    this: *mut c_void,
    category: D3D12_MESSAGE_CATEGORY,
    severity: D3D12_MESSAGE_SEVERITY,
    id: D3D12_MESSAGE_ID,
    text: *const c_char,
) -> i32 {
    // SAFETY: a facet of a device of ours; the program's text.
    unsafe { add(this, Kind { category, severity, id }, text) }
}

unsafe extern "C" fn add_application_message(
    this: *mut c_void,
    severity: D3D12_MESSAGE_SEVERITY,
    text: *const c_char,
) -> i32 {
    // SAFETY: a facet of a device of ours; the program's text.
    unsafe { add(this, Kind::of_application(severity), text) }
}

unsafe extern "C" fn set_break_on_category(this: *mut c_void, on: D3D12_MESSAGE_CATEGORY, enable: BOOL) -> i32 {
    // SAFETY: a facet of a device of ours.
    unsafe { queue(this) }.set_break(Break::Category(on), enable != 0);
    S_OK
}

unsafe extern "C" fn get_break_on_category(this: *mut c_void, on: D3D12_MESSAGE_CATEGORY) -> BOOL {
    // SAFETY: a facet of a device of ours.
    unsafe { queue(this) }.breaks(Break::Category(on)).into()
}

unsafe extern "C" fn set_break_on_severity(this: *mut c_void, on: D3D12_MESSAGE_SEVERITY, enable: BOOL) -> i32 {
    // SAFETY: a facet of a device of ours.
    unsafe { queue(this) }.set_break(Break::Severity(on), enable != 0);
    S_OK
}

unsafe extern "C" fn get_break_on_severity(this: *mut c_void, on: D3D12_MESSAGE_SEVERITY) -> BOOL {
    // SAFETY: a facet of a device of ours.
    unsafe { queue(this) }.breaks(Break::Severity(on)).into()
}

unsafe extern "C" fn set_break_on_id(this: *mut c_void, on: D3D12_MESSAGE_ID, enable: BOOL) -> i32 {
    // SAFETY: a facet of a device of ours.
    unsafe { queue(this) }.set_break(Break::Id(on), enable != 0);
    S_OK
}

unsafe extern "C" fn get_break_on_id(this: *mut c_void, on: D3D12_MESSAGE_ID) -> BOOL {
    // SAFETY: a facet of a device of ours.
    unsafe { queue(this) }.breaks(Break::Id(on)).into()
}

unsafe extern "C" fn set_mute_debug_output(this: *mut c_void, mute: BOOL) {
    // SAFETY: a facet of a device of ours.
    unsafe { queue(this) }.mute(mute != 0);
}

unsafe extern "C" fn get_mute_debug_output(this: *mut c_void) -> BOOL {
    // SAFETY: a facet of a device of ours.
    unsafe { queue(this) }.is_muted().into()
}

/// The cookie is zero where the registration fails.
unsafe extern "C" fn register_message_callback(
    this: *mut c_void,
    function: *const c_void,
    flags: D3D12_MESSAGE_CALLBACK_FLAGS,
    context: *mut c_void,
    cookie: *mut u32,
) -> i32 {
    guard(E_INVALIDARG, || {
        // SAFETY: the program's place is null or writable.
        let Some(cookie) = (unsafe { cookie.as_mut() }) else { return E_INVALIDARG };
        *cookie = 0;
        if function.is_null() {
            return E_INVALIDARG;
        }
        let all = flags.0 & D3D12_MESSAGE_CALLBACK_FLAGS::IGNORE_FILTERS.0 != 0;
        // SAFETY: `this` is the facet of a device that the program holds; the function is not null, is code of the program that takes a
        // message's arguments, and stays loaded until it is unregistered.
        unsafe {
            let function = core::mem::transmute::<*const c_void, crate::message::Function>(function);
            *cookie = queue(this).register(Callback { function, context, all });
        }
        S_OK
    })
}

unsafe extern "C" fn unregister_message_callback(this: *mut c_void, cookie: u32) -> i32 {
    // SAFETY: a facet of a device of ours.
    if unsafe { queue(this) }.unregister(cookie) { S_OK } else { E_INVALIDARG }
}
