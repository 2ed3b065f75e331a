//! `messages`: the debug layer, as programs use it that look at its messages: filters, limits, sizes, callbacks, and a refused call.
//!
//! What is expected is Microsoft's documentation of `ID3D12InfoQueue`, `D3D12_INFO_QUEUE_FILTER` and the specification of message callbacks.

use core::ffi::{CStr, c_char, c_void};
use core::sync::atomic::{AtomicU32, Ordering};

use super::Program;
use crate::com::{Com, attempt, call};
use crate::device::Device;
use crate::digest::Digest;
use crate::failure::Failure;
use crate::queue::Queue;
use crate::runtime::Runtime;
use crate::stage::Stage;
use reprise_d3d12::abi::Convention;
use reprise_d3d12::model::{InterfaceId, MethodId};
use reprise_d3d12::types::*;
use reprise_d3d12::{function, interface};

pub(super) const PROGRAM: Program =
    Program { name: "messages", about: "the debug layer: filters, limits and callbacks of its messages", run };

const QUEUE: InterfaceId = interface("ID3D12InfoQueue1");
const DEFAULT_LIMIT: u64 = 1024;
const S_FALSE: u64 = 1;
type Severity = D3D12_MESSAGE_SEVERITY;

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let runtime = stage.device.com.runtime();
    let layer = layer(runtime)?;
    for newer in ["ID3D12Debug1", "ID3D12Debug2", "ID3D12Debug3", "ID3D12Debug4", "ID3D12Debug5", "ID3D12Debug6"] {
        let class = interface(newer);
        Failure::unless(layer.query(class).is_some(), || format!("the debug layer is no {newer}"))?;
    }
    Failure::unless(stage.device.com.query(QUEUE).is_none(), || "a device without the layer has messages".into())?;
    call!(layer, "ID3D12Debug", "EnableDebugLayer");
    Failure::unless(stage.device.com.query(QUEUE).is_none(), || "a device has got the layer later".into())?;
    let device = Device::beside(runtime)?;
    let messages = device.com.query(QUEUE);
    let messages = Messages(messages.ok_or_else(|| Failure::Cannot("devices have no ID3D12InfoQueue1".into()))?);
    neighbours(&device)?;
    messages.clear();
    stored(&messages)?;
    filtered(&messages)?;
    limited(&messages)?;
    settings(&messages)?;
    heard(&messages, runtime.convention)?;
    let refused = refused(&messages, &device)?;
    Failure::unless(stage.device.com.query(QUEUE).is_none(), || "a device has got the layer later".into())?;
    // A device without the layer again, for whoever comes next.
    if let Some(layer) = layer.query(interface("ID3D12Debug4")) {
        call!(layer, "ID3D12Debug4", "DisableDebugLayer");
        let device = Device::beside(runtime)?;
        Failure::unless(device.com.query(QUEUE).is_none(), || "the layer is off, and a device has it".into())?;
    }
    let mut digest = Digest::new();
    digest.add(&refused.to_le_bytes());
    Ok(digest)
}

fn layer(runtime: &'static Runtime) -> Result<Com, Failure> {
    const GET: MethodId = function("D3D12GetDebugInterface");
    const CLASS: InterfaceId = interface("ID3D12Debug");
    let mut made: *mut c_void = core::ptr::null_mut();
    // SAFETY: the words are those of the function: an interface id, and a place of ours.
    let answer = unsafe { runtime.call(GET, &[(&raw const CLASS.get().iid).into(), (&raw mut made).into()]) }?;
    // SAFETY: where the call succeeded, this is an object with a reference for us; else null.
    let layer = unsafe { Com::new(runtime, CLASS, made) }.filter(|_| answer as i32 >= 0);
    layer.ok_or_else(|| Failure::Cannot("the library has no debug layer".into()))
}

/// Interfaces of debugging that the device and its queues have, too.
fn neighbours(device: &Device) -> Result<(), Failure> {
    let debug = device.com.query(interface("ID3D12DebugDevice"));
    let debug = debug.ok_or_else(|| Failure::Wrong("a device of the debug layer is no ID3D12DebugDevice".into()))?;
    attempt!(debug, "ID3D12DebugDevice", "SetFeatureMask", D3D12_DEBUG_FEATURE::NONE.0)?;
    let queue = Queue::new(device, D3D12_COMMAND_LIST_TYPE::DIRECT)?;
    let queue = queue.com.query(interface("ID3D12DebugCommandQueue"));
    Failure::unless(queue.is_some(), || "a queue of the debug layer is no ID3D12DebugCommandQueue".into())
}

/// A message that was read.
#[derive(PartialEq, Debug)]
struct Message {
    category: i32,
    severity: i32,
    id: i32,
    text: String,
}

/// The information queue.
struct Messages(Com);

macro_rules! count {
    ($messages:expr, $method:literal, $expected:expr) => {{
        let count = call!($messages.0, "ID3D12InfoQueue", $method);
        Failure::unless(count == $expected, || format!("{} is {count} instead of {}", $method, $expected))
    }};
}

impl Messages {
    fn clear(&self) {
        call!(self.0, "ID3D12InfoQueue", "ClearStoredMessages");
    }

    fn add(&self, severity: Severity, text: &CStr) -> Result<(), Failure> {
        attempt!(self.0, "ID3D12InfoQueue", "AddApplicationMessage", severity.0, text.as_ptr().cast::<u8>())
    }

    /// The message of this place, by the two calls of the documentation; `None` where a call fails.
    fn get(&self, index: u64) -> Result<Option<Message>, Failure> {
        let mut size = 0u64;
        let none = core::ptr::null_mut::<D3D12_MESSAGE>();
        let answer = call!(self.0, "ID3D12InfoQueue", "GetMessage", index, none, &raw mut size);
        if (answer as i32) < 0 {
            return Ok(None);
        }
        Failure::unless(answer == S_FALSE, || format!("a size is told with {answer:#x}"))?;
        let header = size_of::<D3D12_MESSAGE>() as u64;
        Failure::unless(size > header, || format!("a message has {size} bytes"))?;
        let mut room = vec![0u64; size.div_ceil(8) as usize + 1];
        let place = room.as_mut_ptr().cast::<D3D12_MESSAGE>();
        let mut small = size - 1;
        let answer = call!(self.0, "ID3D12InfoQueue", "GetMessage", index, place, &raw mut small);
        Failure::unless((answer as i32) < 0, || "a message is put where it has no room".into())?;
        attempt!(self.0, "ID3D12InfoQueue", "GetMessage", index, place, &raw mut size)?;
        // SAFETY: the call succeeded, so the room has a message.
        let message = unsafe { &*place };
        let at = (message.pDescription as u64).wrapping_sub(place as u64);
        let end = at.wrapping_add(message.DescriptionByteLength);
        Failure::unless(at >= header && end <= size, || format!("a text lies in {at}..{end} of {size} bytes"))?;
        // SAFETY: the text lies in the room, which ends with zeros.
        let text = unsafe { CStr::from_ptr(message.pDescription.cast::<c_char>()) };
        let text = text.to_string_lossy().into_owned();
        let length = text.len() as u64 + 1;
        Failure::unless(message.DescriptionByteLength == length, || {
            format!("{} bytes instead of {length}, with the zero", message.DescriptionByteLength)
        })?;
        let (category, severity, id) = (message.Category.0, message.Severity.0, message.ID.0);
        Ok(Some(Message { category, severity, id, text }))
    }

    fn expect(&self, index: u64, expected: Option<Message>) -> Result<(), Failure> {
        let got = self.get(index)?;
        Failure::unless(got == expected, || format!("message {index} is {got:?} instead of {expected:?}"))
    }
}

fn own(severity: Severity, text: &str) -> Option<Message> {
    let category = D3D12_MESSAGE_CATEGORY::APPLICATION_DEFINED.0;
    let id = D3D12_MESSAGE_ID::STRING_FROM_APPLICATION.0;
    Some(Message { category, severity: severity.0, id, text: text.to_owned() })
}

/// Messages of the program's own come back as they were.
fn stored(messages: &Messages) -> Result<(), Failure> {
    count!(messages, "GetMessageCountLimit", DEFAULT_LIMIT)?;
    count!(messages, "GetNumStoredMessages", 0)?;
    messages.expect(0, None)?;
    messages.add(Severity::WARNING, c"first")?;
    let kind = (D3D12_MESSAGE_CATEGORY::SHADER.0, Severity::ERROR.0, D3D12_MESSAGE_ID::COMMAND_LIST_CLOSED.0);
    let text = c"second".as_ptr().cast::<u8>();
    attempt!(messages.0, "ID3D12InfoQueue", "AddMessage", kind.0, kind.1, kind.2, text)?;
    count!(messages, "GetNumStoredMessages", 2)?;
    messages.expect(0, own(Severity::WARNING, "first"))?;
    let (category, severity, id) = kind;
    messages.expect(1, Some(Message { category, severity, id, text: "second".into() }))?;
    messages.expect(2, None)?;
    messages.clear();
    count!(messages, "GetNumStoredMessages", 0)
}

/// A filter that denies a severity and a number.
fn denial(severity: &mut Severity, id: &mut D3D12_MESSAGE_ID) -> D3D12_INFO_QUEUE_FILTER {
    let list = D3D12_INFO_QUEUE_FILTER_DESC {
        NumSeverities: 1,
        pSeverityList: severity,
        NumIDs: 1,
        pIDList: id,
        ..Default::default()
    };
    D3D12_INFO_QUEUE_FILTER { DenyList: list, ..Default::default() }
}

/// What the filter on top of each stack denies is not stored, or not seen.
fn filtered(messages: &Messages) -> Result<(), Failure> {
    let (mut severity, mut id) = (Severity::INFO, D3D12_MESSAGE_ID::COMMAND_LIST_CLOSED);
    let filter = denial(&mut severity, &mut id);
    let depth = call!(messages.0, "ID3D12InfoQueue", "GetStorageFilterStackSize");
    let denied = call!(messages.0, "ID3D12InfoQueue", "GetNumMessagesDeniedByStorageFilter");
    attempt!(messages.0, "ID3D12InfoQueue", "PushStorageFilter", &raw const filter)?;
    count!(messages, "GetStorageFilterStackSize", depth + 1)?;
    messages.add(Severity::INFO, c"denied")?;
    messages.add(Severity::ERROR, c"allowed")?;
    count!(messages, "GetNumMessagesDeniedByStorageFilter", denied + 1)?;
    messages.expect(0, own(Severity::ERROR, "allowed"))?;
    // The filter comes back: its size, then its bytes.
    let mut size = 0u64;
    let none = core::ptr::null_mut::<D3D12_INFO_QUEUE_FILTER>();
    attempt!(messages.0, "ID3D12InfoQueue", "GetStorageFilter", none, &raw mut size)?;
    let expected = size_of::<D3D12_INFO_QUEUE_FILTER>() as u64 + 8;
    Failure::unless(size == expected, || format!("a filter has {size} bytes instead of {expected}"))?;
    let mut room = vec![0u64; size.div_ceil(8) as usize];
    let place = room.as_mut_ptr().cast::<D3D12_INFO_QUEUE_FILTER>();
    attempt!(messages.0, "ID3D12InfoQueue", "GetStorageFilter", place, &raw mut size)?;
    // SAFETY: the call succeeded, so the room has a filter, and its lists.
    let (severities, ids) = unsafe { (&*(*place).DenyList.pSeverityList, &*(*place).DenyList.pIDList) };
    Failure::unless((*severities, *ids) == (severity, id), || format!("denied are {severities:?} and {ids:?}"))?;
    attempt!(messages.0, "ID3D12InfoQueue", "PushEmptyStorageFilter")?;
    messages.add(Severity::INFO, c"all pass")?;
    call!(messages.0, "ID3D12InfoQueue", "PopStorageFilter");
    attempt!(messages.0, "ID3D12InfoQueue", "PushCopyOfStorageFilter")?;
    messages.add(Severity::INFO, c"denied again")?;
    call!(messages.0, "ID3D12InfoQueue", "PopStorageFilter");
    call!(messages.0, "ID3D12InfoQueue", "ClearStorageFilter");
    messages.add(Severity::INFO, c"cleared")?;
    call!(messages.0, "ID3D12InfoQueue", "PopStorageFilter");
    count!(messages, "GetStorageFilterStackSize", depth)?;
    count!(messages, "GetNumStoredMessages", 3)?;
    attempt!(messages.0, "ID3D12InfoQueue", "PushRetrievalFilter", &raw const filter)?;
    count!(messages, "GetNumStoredMessages", 3)?;
    count!(messages, "GetNumStoredMessagesAllowedByRetrievalFilter", 1)?;
    messages.expect(0, own(Severity::ERROR, "allowed"))?;
    messages.expect(1, None)?;
    call!(messages.0, "ID3D12InfoQueue", "PopRetrievalFilter");
    messages.expect(1, own(Severity::INFO, "all pass"))?;
    messages.expect(2, own(Severity::INFO, "cleared"))?;
    messages.clear();
    Ok(())
}

/// New messages push old ones out.
fn limited(messages: &Messages) -> Result<(), Failure> {
    let discarded = call!(messages.0, "ID3D12InfoQueue", "GetNumMessagesDiscardedByMessageCountLimit");
    attempt!(messages.0, "ID3D12InfoQueue", "SetMessageCountLimit", 2u64)?;
    count!(messages, "GetMessageCountLimit", 2)?;
    for text in [c"a", c"b", c"c"] {
        messages.add(Severity::MESSAGE, text)?;
    }
    count!(messages, "GetNumStoredMessages", 2)?;
    count!(messages, "GetNumMessagesDiscardedByMessageCountLimit", discarded + 1)?;
    messages.expect(0, own(Severity::MESSAGE, "b"))?;
    attempt!(messages.0, "ID3D12InfoQueue", "SetMessageCountLimit", DEFAULT_LIMIT)?;
    messages.clear();
    Ok(())
}

/// Breaks and the muting are kept. With a break on messages, a debugger would stop the program: none is set that could come.
fn settings(messages: &Messages) -> Result<(), Failure> {
    let severity = Severity::CORRUPTION.0;
    count!(messages, "GetMuteDebugOutput", 0)?;
    call!(messages.0, "ID3D12InfoQueue", "SetMuteDebugOutput", 1i32);
    count!(messages, "GetMuteDebugOutput", 1)?;
    for on in [1i32, 0] {
        attempt!(messages.0, "ID3D12InfoQueue", "SetBreakOnSeverity", severity, on)?;
        let breaks = call!(messages.0, "ID3D12InfoQueue", "GetBreakOnSeverity", severity);
        Failure::unless(breaks == on as u64, || format!("a break is {breaks} instead of {on}"))?;
    }
    call!(messages.0, "ID3D12InfoQueue", "SetMuteDebugOutput", 0i32);
    Ok(())
}

/// What callbacks add up to, in the context that they are given: messages in the low half, severities in the high one.
static HEARD: AtomicU32 = AtomicU32::new(0);

fn hear(severity: i32, context: *const AtomicU32) {
    // SAFETY: the context is the counter above.
    unsafe { &*context }.fetch_add(1 + ((severity as u32) << 16), Ordering::Relaxed);
}

macro_rules! callback {
    ($convention:literal, $name:ident) => {
        unsafe extern $convention fn $name(
            _category: i32,
            severity: i32,
            _id: i32,
            _text: *const c_char,
            context: *const AtomicU32,
        ) {
            hear(severity, context);
        }
    };
}

callback!("win64", hear_win64);
callback!("sysv64", hear_sysv64);

/// Callbacks hear what the storage filter allows, or everything.
fn heard(messages: &Messages, convention: Convention) -> Result<(), Failure> {
    let function = match convention {
        Convention::Win64 => hear_win64 as *const c_void as u64,
        Convention::SystemV | Convention::Itanium => hear_sysv64 as *const c_void as u64,
    };
    let (mut severity, mut id) = (Severity::INFO, D3D12_MESSAGE_ID::COMMAND_LIST_CLOSED);
    let filter = denial(&mut severity, &mut id);
    attempt!(messages.0, "ID3D12InfoQueue", "PushStorageFilter", &raw const filter)?;
    for (flags, expected) in [
        (D3D12_MESSAGE_CALLBACK_FLAGS::FLAG_NONE, 1 | 2 << 16),
        (D3D12_MESSAGE_CALLBACK_FLAGS::IGNORE_FILTERS, 2 | 5 << 16),
    ] {
        HEARD.store(0, Ordering::Relaxed);
        let mut cookie = 0u32;
        let context = &raw const HEARD as u64;
        attempt!(
            messages.0,
            "ID3D12InfoQueue1",
            "RegisterMessageCallback",
            function,
            flags.0,
            context,
            &raw mut cookie
        )?;
        Failure::unless(cookie != 0, || "a callback has the cookie 0".into())?;
        messages.add(Severity::WARNING, c"heard")?;
        messages.add(Severity::INFO, c"heard without filters")?;
        attempt!(messages.0, "ID3D12InfoQueue1", "UnregisterMessageCallback", cookie)?;
        messages.add(Severity::WARNING, c"nobody hears it")?;
        let heard = HEARD.load(Ordering::Relaxed);
        Failure::unless(heard == expected, || format!("callbacks heard {heard:#x} instead of {expected:#x}"))?;
    }
    call!(messages.0, "ID3D12InfoQueue", "PopStorageFilter");
    messages.clear();
    Ok(())
}

/// A call that the API does not allow is told of: how many errors there are.
fn refused(messages: &Messages, device: &Device) -> Result<u64, Failure> {
    let desc = D3D12_HEAP_DESC {
        SizeInBytes: 0,
        Properties: D3D12_HEAP_PROPERTIES { Type: D3D12_HEAP_TYPE::DEFAULT, ..Default::default() },
        ..Default::default()
    };
    let made = crate::com::create!(device.com, "ID3D12Device", "CreateHeap", &raw const desc; "ID3D12Heap");
    Failure::unless(made.is_err(), || "a heap of no bytes is made".into())?;
    let stored = call!(messages.0, "ID3D12InfoQueue", "GetNumStoredMessages");
    let mut errors = 0;
    for index in 0..stored {
        let message = messages.get(index)?;
        let creation = D3D12_MESSAGE_CATEGORY::STATE_CREATION.0;
        errors += u64::from(message.is_some_and(|it| it.severity == Severity::ERROR.0 && it.category == creation));
    }
    Failure::unless(errors == 1, || format!("a refused call has {errors} messages"))?;
    Ok(errors)
}
