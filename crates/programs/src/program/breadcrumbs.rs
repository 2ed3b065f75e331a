//! `breadcrumbs`: a program that prepares for the loss of its device, as crash handlers do: it switches DRED on, gives names to its objects, and
//! writes markers of its own around its operations.
//!
//! As it is, nothing is lost, and DRED says that it has nothing to say. With `REPRISE_FAULT` (our own runtime's) an operation of the list
//! `Frame` never ends, or the device is lost there: then the program reads what DRED and its own markers say, checks that against what it
//! has recorded, prints it, and looks at what calls answer after the loss (the specification of WriteBufferImmediate, §4.3).

use core::ffi::CStr;
use core::time::Duration;
use std::time::Instant;

use super::Program;
use crate::buffer::{Buffer, bytes_of};
use crate::com::{Com, Null, attempt, call, create};
use crate::device::Device;
use crate::digest::Digest;
use crate::failure::Failure;
use crate::fence::Fence;
use crate::list::List;
use crate::pipeline::Pipeline;
use crate::queue::Queue;
use crate::root::{Parameter, RootSignature};
use crate::runtime::Runtime;
use crate::shader::shader;
use crate::stage::Stage;
use reprise_d3d12::model::{InterfaceId, MethodId};
use reprise_d3d12::types::*;
use reprise_d3d12::{function, interface};

pub(super) const PROGRAM: Program =
    Program { name: "breadcrumbs", about: "DRED, set up as crash handlers do; with REPRISE_FAULT, what it says", run };

const SETTINGS: InterfaceId = interface("ID3D12DeviceRemovedExtendedDataSettings1");
const DATA: InterfaceId = interface("ID3D12DeviceRemovedExtendedData2");
const WRITER: InterfaceId = interface("ID3D12GraphicsCommandList2");
/// Operations with work in each list.
const OPERATIONS: u32 = 12;
/// Bytes of each buffer that is copied.
const SIZE: u64 = 1 << 16;
const NOT_AVAILABLE: u64 = 0x887a_0022;
const REMOVED: u64 = 0x887a_0005;
const HUNG: u64 = 0x887a_0006;
/// How long a loss may take: the processor may be busy.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long what never ends is waited for.
const SHORTLY: Duration = Duration::from_millis(1500);

/// What is to happen, as the runtime reads it.
struct Seeded {
    kind: String,
    /// The operation's number, from 1.
    operation: u32,
}

impl Seeded {
    fn read() -> Option<Seeded> {
        let text = std::env::var("REPRISE_FAULT").ok()?;
        let (kind, place) = text.split_once('@')?;
        let number = place.split(':').next()?;
        Some(Seeded { kind: kind.to_owned(), operation: number.parse().ok()? })
    }
}

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let runtime = stage.device.com.runtime();
    switch_on(runtime)?;
    // Settings count for devices that are made after them.
    let device = Device::beside(runtime)?;
    let stage = &stage.on(device)?;
    let data = stage.device.com.query(DATA);
    let data = data.ok_or_else(|| Failure::Cannot("devices have no ID3D12DeviceRemovedExtendedData2".into()))?;
    let queue = Queue::new(&stage.device, D3D12_COMMAND_LIST_TYPE::DIRECT)?;
    name(&queue.com, "Main");
    let seeded = Seeded::read();
    let lists = [Recorded::new(stage, "Before")?, Recorded::new(stage, "Frame")?, Recorded::new(stage, "Behind")?];
    // What is released last is where a seeded fault lies.
    let doomed = Buffer::copied(&stage.device, SIZE)?;
    name(&doomed.com, "Doomed");
    let address = doomed.address;
    drop(doomed);
    nothing_yet(&data)?;
    let fence = Fence::new(&stage.device, 0)?;
    // At once: what a queue is given when the device is lost already is nowhere.
    queue.execute(&lists.each_ref().map(|recorded| &recorded.list));
    let signalled = queue.signal(&fence, 1);
    let Some(seeded) = seeded else {
        signalled?;
        fence.wait(1)?;
        nothing_yet(&data)?;
        let mut digest = Digest::new();
        for list in &lists {
            Failure::unless_equal(list.name, &list.markers()?, &[OPERATIONS; 2])?;
            digest.add(&bytes_of(&list.markers()?));
        }
        return Ok(digest);
    };
    let place = Place::of(&seeded);
    match seeded.kind.as_str() {
        "hang" => {
            signalled?;
            std::thread::sleep(SHORTLY);
            Failure::unless(fence.completed() == 0, || "an operation that never ends ended".into())?;
            nothing_yet(&data)?;
            place.check_markers(&lists)?;
            println!("operation {} of {} never ends", place.operation, lists[place.list].name);
            // The GPU stands still: nothing is to wait for it.
            std::process::exit(0);
        }
        kind => {
            let reason = if kind == "lost" { HUNG } else { REMOVED };
            let address = (kind == "page-fault").then_some(address);
            lost(&stage.device, &queue, &fence, reason)?;
            place.check_markers(&lists)?;
            place.check_breadcrumbs(&data, &lists, &queue)?;
            check_fault(&data, address)?;
        }
    }
    // Lost devices wait for nothing, and what they leave is the system's.
    std::process::exit(0);
}

/// Asks for DRED, as programs do before they make a device.
fn switch_on(runtime: &'static Runtime) -> Result<(), Failure> {
    const GET: MethodId = function("D3D12GetDebugInterface");
    let mut made: *mut core::ffi::c_void = core::ptr::null_mut();
    // SAFETY: the words are those of the function: an interface id, and a place of ours.
    let answer = unsafe { runtime.call(GET, &[(&raw const SETTINGS.get().iid).into(), (&raw mut made).into()]) }?;
    // SAFETY: where the call succeeded, this is an object with a reference for us; else null.
    let settings = unsafe { Com::new(runtime, SETTINGS, made) }.filter(|_| answer as i32 >= 0);
    let settings = settings.ok_or_else(|| Failure::Cannot("the library has no DRED".into()))?;
    let on = D3D12_DRED_ENABLEMENT::FORCED_ON.0;
    call!(settings, "ID3D12DeviceRemovedExtendedDataSettings", "SetAutoBreadcrumbsEnablement", on);
    call!(settings, "ID3D12DeviceRemovedExtendedDataSettings", "SetPageFaultEnablement", on);
    call!(settings, "ID3D12DeviceRemovedExtendedDataSettings", "SetWatsonDumpEnablement", on);
    call!(settings, "ID3D12DeviceRemovedExtendedDataSettings1", "SetBreadcrumbContextEnablement", on);
    Ok(())
}

fn name(com: &Com, name: &str) {
    let wide: Vec<u16> = name.encode_utf16().chain([0]).collect();
    call!(com, "ID3D12Object", "SetName", wide.as_ptr());
}

/// While the device is there, DRED has nothing to say.
fn nothing_yet(data: &Com) -> Result<(), Failure> {
    let mut crumbs = D3D12_DRED_AUTO_BREADCRUMBS_OUTPUT1::default();
    let mut fault = D3D12_DRED_PAGE_FAULT_OUTPUT1::default();
    let answers = [
        call!(data, "ID3D12DeviceRemovedExtendedData1", "GetAutoBreadcrumbsOutput1", &raw mut crumbs),
        call!(data, "ID3D12DeviceRemovedExtendedData1", "GetPageFaultAllocationOutput1", &raw mut fault),
        call!(data, "ID3D12DeviceRemovedExtendedData2", "GetDeviceState"),
    ];
    let expected = [NOT_AVAILABLE, NOT_AVAILABLE, D3D12_DRED_DEVICE_STATE::UNKNOWN.0 as u64];
    Failure::unless_equal("DRED of a device that works", &answers, &expected)
}

type Op = D3D12_AUTO_BREADCRUMB_OP;

/// A list, and what it is known to have recorded.
struct Recorded {
    name: &'static str,
    list: List,
    history: Vec<Op>,
    contexts: Vec<(u32, String)>,
    /// Where in the history the work is.
    work: Vec<usize>,
    /// Words for begun and done work.
    words: Buffer,
    #[allow(dead_code, reason = "held for the GPU")]
    held: (Buffer, Buffer, Buffer, RootSignature, Pipeline),
}

impl Recorded {
    fn new(stage: &Stage, named: &'static str) -> Result<Recorded, Failure> {
        let device = &stage.device;
        let parameters = [Parameter::Constants { register: 0, count: 6 }, Parameter::Uav(0)];
        let root = RootSignature::compute(device, &parameters)?;
        let pipeline = Pipeline::compute(stage, &root, &shader!("indirect.draws"))?;
        let (from, to, drawn) =
            (Buffer::copied(device, SIZE)?, Buffer::copied(device, SIZE)?, Buffer::writable(device, 512)?);
        let words = Buffer::readback(device, 64)?;
        let mut list = List::direct(device)?;
        name(&list.com, named);
        list.set_compute_root(&root);
        list.set_pipeline(&pipeline);
        list.compute_constants(0, &[0; 6]);
        list.compute_uav(1, drawn.address);
        let writer = list.com.query(WRITER);
        let writer = writer.ok_or_else(|| Failure::Cannot("lists have no ID3D12GraphicsCommandList2".into()))?;
        let held = (from, to, drawn, root, pipeline);
        let mut this =
            Recorded { name: named, list, history: Vec::new(), contexts: Vec::new(), work: Vec::new(), words, held };
        for number in 1..=OPERATIONS {
            match number % 4 {
                1 => this.says(Op::BEGINEVENT, &format!("{named} part {number}")),
                3 => this.says(Op::SETMARKER, &format!("näher {number}")),
                _ => {}
            }
            this.marker(&writer, 0, number, D3D12_WRITEBUFFERIMMEDIATE_MODE::MARKER_IN);
            this.work(number);
            this.marker(&writer, 4, number, D3D12_WRITEBUFFERIMMEDIATE_MODE::MARKER_OUT);
            if number % 4 == 0 {
                call!(this.list.com, "ID3D12GraphicsCommandList", "EndEvent");
                this.history.push(Op::ENDEVENT);
            }
        }
        this.list.close()?;
        Ok(this)
    }

    /// An event in one encoding, a marker in the other.
    fn says(&mut self, op: Op, text: &str) {
        self.contexts.push((self.history.len() as u32, text.to_owned()));
        self.history.push(op);
        if op == Op::SETMARKER {
            let wide: Vec<u16> = text.encode_utf16().chain([0]).collect();
            let size = 2 * wide.len() as u32;
            call!(self.list.com, "ID3D12GraphicsCommandList", "SetMarker", 0u32, wide.as_ptr(), size);
        } else {
            let bytes: Vec<u8> = text.bytes().chain([0]).collect();
            let size = bytes.len() as u32;
            call!(self.list.com, "ID3D12GraphicsCommandList", "BeginEvent", 1u32, bytes.as_ptr(), size);
        }
    }

    fn marker(&mut self, writer: &Com, offset: u64, value: u32, mode: D3D12_WRITEBUFFERIMMEDIATE_MODE) {
        let word = D3D12_WRITEBUFFERIMMEDIATE_PARAMETER { Dest: self.words.address + offset, Value: value };
        let (word, mode) = (&raw const word, &raw const mode);
        call!(writer, "ID3D12GraphicsCommandList2", "WriteBufferImmediate", 1u32, word, mode);
        self.history.push(Op::WRITEBUFFERIMMEDIATE);
    }

    fn work(&mut self, number: u32) {
        let (from, to, drawn, ..) = &self.held;
        // A barrier is an operation, too, and none that faults count.
        if number.is_multiple_of(3) {
            self.list.uav_barrier(&drawn.com);
            self.history.push(Op::RESOURCEBARRIER);
        }
        self.work.push(self.history.len());
        match number.is_multiple_of(2) {
            true => {
                self.list.dispatch(1, 1, 1);
                self.history.push(Op::DISPATCH);
            }
            false => {
                self.list.copy_bytes(to, 0, from, 0, SIZE);
                self.history.push(Op::COPYBUFFERREGION);
            }
        }
    }

    /// The words of its own markers: work that was begun, and work that was done.
    fn markers(&self) -> Result<[u32; 2], Failure> {
        let words = self.words.read_u32()?;
        Ok([words[0], words[1]])
    }
}

/// The device is lost as the API says: its reason, its fences, and calls that fail.
fn lost(device: &Device, queue: &Queue, fence: &Fence, reason: u64) -> Result<(), Failure> {
    let start = Instant::now();
    while fence.completed() != u64::MAX {
        Failure::unless(start.elapsed() < PATIENCE, || "the device is not lost".into())?;
        std::thread::sleep(Duration::from_millis(1));
    }
    Failure::unless_equal("the reason", &[call!(device.com, "ID3D12Device", "GetDeviceRemovedReason")], &[reason])?;
    // A wait for what never comes is over, and so is one that begins now.
    attempt!(fence.com, "ID3D12Fence", "SetEventOnCompletion", 77u64, Null)?;
    let signals = call!(queue.com, "ID3D12CommandQueue", "Signal", &fence.com, 2u64);
    let waits = call!(queue.com, "ID3D12CommandQueue", "Wait", &fence.com, 2u64);
    Failure::unless_equal("Signal and Wait of a lost device's queue", &[signals, waits], &[REMOVED; 2])?;
    let desc = D3D12_COMMAND_QUEUE_DESC::default();
    let made = create!(device.com, "ID3D12Device", "CreateCommandQueue", &raw const desc; "ID3D12CommandQueue");
    Failure::unless(made.is_err(), || "a lost device makes a queue".into())?;
    println!("removed    {reason:#x}");
    Ok(())
}

/// Which of the lists has the fault, and at which operation.
struct Place {
    list: usize,
    operation: u32,
}

impl Place {
    fn of(seeded: &Seeded) -> Place {
        let before = seeded.operation - 1;
        Place { list: (before / OPERATIONS) as usize, operation: before % OPERATIONS + 1 }
    }

    /// Markers of ours behind the operation are not written, and those before it are.
    fn check_markers(&self, lists: &[Recorded]) -> Result<(), Failure> {
        for (at, list) in lists.iter().enumerate() {
            let expected = match at.cmp(&self.list) {
                core::cmp::Ordering::Less => [OPERATIONS; 2],
                core::cmp::Ordering::Equal => [self.operation, self.operation - 1],
                core::cmp::Ordering::Greater => [0; 2],
            };
            Failure::unless_equal(&format!("markers of {}", list.name), &list.markers()?, &expected)?;
        }
        println!("markers    work {} of {} was begun, {} done", self.operation, OPERATIONS, self.operation - 1);
        Ok(())
    }

    /// DRED tells of the list with the fault and those behind it, operation by operation.
    fn check_breadcrumbs(&self, data: &Com, lists: &[Recorded], queue: &Queue) -> Result<(), Failure> {
        let mut output = D3D12_DRED_AUTO_BREADCRUMBS_OUTPUT1::default();
        let mut older = D3D12_DRED_AUTO_BREADCRUMBS_OUTPUT::default();
        attempt!(data, "ID3D12DeviceRemovedExtendedData1", "GetAutoBreadcrumbsOutput1", &raw mut output)?;
        attempt!(data, "ID3D12DeviceRemovedExtendedData", "GetAutoBreadcrumbsOutput", &raw mut older)?;
        let (mut at, mut same) = (output.pHeadAutoBreadcrumbNode, older.pHeadAutoBreadcrumbNode);
        for (number, list) in lists.iter().enumerate().skip(self.list) {
            // SAFETY: nodes of DRED live as long as the device, and point to what lives as long.
            let (Some(node), Some(other)) = (unsafe { at.as_ref() }, unsafe { same.as_ref() }) else {
                return Err(Failure::Wrong(format!("DRED does not tell of {}", list.name)));
            };
            let done = if number == self.list { list.work[self.operation as usize - 1] } else { 0 };
            list.check_node(node, queue, done as u32)?;
            // SAFETY: both point to words of DRED, which live as long as the nodes.
            let (one, two) = unsafe { (*node.pLastBreadcrumbValue, *other.pLastBreadcrumbValue) };
            Failure::unless(one == two && other.BreadcrumbCount == node.BreadcrumbCount, || {
                "the older nodes differ".into()
            })?;
            (at, same) = (node.pNext, other.pNext);
        }
        Failure::unless(at.is_null() && same.is_null(), || "DRED tells of a list that was done".into())
    }
}

impl Recorded {
    fn check_node(&self, node: &D3D12_AUTO_BREADCRUMB_NODE1, queue: &Queue, done: u32) -> Result<(), Failure> {
        // SAFETY: names of nodes end with a zero, and arrays are as long as the node says.
        let (names, last, history, contexts) = unsafe {
            let names = [node.pCommandListDebugNameW, node.pCommandQueueDebugNameW].map(|name| wide(name));
            let narrow = [node.pCommandListDebugNameA, node.pCommandQueueDebugNameA].map(|name| ansi(name));
            Failure::unless_equal("names in both encodings", &names, &narrow)?;
            let history = core::slice::from_raw_parts(node.pCommandHistory, node.BreadcrumbCount as usize);
            let contexts = match node.BreadcrumbContextsCount as usize {
                0 => &[][..],
                count => core::slice::from_raw_parts(node.pBreadcrumbContexts, count),
            };
            let contexts: Vec<(u32, String)> =
                contexts.iter().map(|context| (context.BreadcrumbIndex, wide(context.pContextString))).collect();
            (names, *node.pLastBreadcrumbValue, history, contexts)
        };
        Failure::unless_equal("names", &names, &[self.name.to_owned(), "Main".to_owned()])?;
        let objects = [node.pCommandList, node.pCommandQueue];
        Failure::unless_equal("objects", &objects, &[self.list.com.as_ptr(), queue.com.as_ptr()])?;
        let numbers = |ops: &[Op]| ops.iter().map(|op| op.0).collect::<Vec<_>>();
        Failure::unless_equal("the history", &numbers(history), &numbers(&self.history))?;
        Failure::unless_equal("contexts", &contexts, &self.contexts)?;
        Failure::unless_equal(&format!("operations of {} that are done", self.name), &[last], &[done])?;
        println!("list       {} on {}: {last} of {} operations are done", names[0], names[1], history.len());
        let Some(before) = last.checked_sub(1) else {
            println!("not begun");
            return Ok(());
        };
        println!("last done  #{before} {}", word(history[before as usize]));
        println!("in flight  #{last} {}", word(history[last as usize]));
        if let Some((_, text)) = contexts.iter().rfind(|(index, _)| *index < last) {
            println!("behind     {text:?}");
        }
        Ok(())
    }
}

/// An operation in a word.
fn word(op: Op) -> &'static str {
    match op {
        Op::BEGINEVENT => "BeginEvent",
        Op::SETMARKER => "SetMarker",
        Op::ENDEVENT => "EndEvent",
        Op::RESOURCEBARRIER => "ResourceBarrier",
        Op::WRITEBUFFERIMMEDIATE => "WriteBufferImmediate",
        Op::DISPATCH => "Dispatch",
        Op::COPYBUFFERREGION => "CopyBufferRegion",
        _ => "another operation",
    }
}

/// The address of the fault, where there is one, is in the buffer that was released, and in nothing else.
fn check_fault(data: &Com, released: Option<u64>) -> Result<(), Failure> {
    let mut fault = D3D12_DRED_PAGE_FAULT_OUTPUT2::default();
    attempt!(data, "ID3D12DeviceRemovedExtendedData2", "GetPageFaultAllocationOutput2", &raw mut fault)?;
    let state = call!(data, "ID3D12DeviceRemovedExtendedData2", "GetDeviceState") as i32;
    // SAFETY: nodes of DRED live as long as the device; their names end with a zero.
    let freed = unsafe { fault.pHeadRecentFreedAllocationNode.as_ref() };
    let Some(address) = released else {
        Failure::unless_equal("the state", &[state], &[D3D12_DRED_DEVICE_STATE::HUNG.0])?;
        return Failure::unless(fault.PageFaultVA == 0 && freed.is_none(), || "a fault that was none".into());
    };
    Failure::unless_equal("the state", &[state], &[D3D12_DRED_DEVICE_STATE::PAGEFAULT.0])?;
    let inside = (address..address + SIZE).contains(&fault.PageFaultVA);
    Failure::unless(inside, || format!("a fault at {:#x}, not in {address:#x}", fault.PageFaultVA))?;
    let freed = freed.ok_or_else(|| Failure::Wrong("no released object at the address".into()))?;
    // SAFETY: the name is of a node, and ends with a zero.
    let name = unsafe { wide(freed.ObjectNameW) };
    Failure::unless_equal("the released object", &[name.as_str()], &["Doomed"])?;
    Failure::unless_equal("its type", &[freed.AllocationType.0], &[D3D12_DRED_ALLOCATION_TYPE::RESOURCE.0])?;
    println!("fault      at {} of {name:?}, which is released", fault.PageFaultVA - address);
    Ok(())
}

/// # Safety
/// The text is null or ends with a zero.
unsafe fn wide(text: *const u16) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: as the caller promises.
    let units = (0..).map(|at| unsafe { *text.add(at) }).take_while(|unit| *unit != 0);
    String::from_utf16_lossy(&units.collect::<Vec<u16>>())
}

/// # Safety
/// As [`wide`].
unsafe fn ansi(text: *const i8) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: as the caller promises.
    unsafe { CStr::from_ptr(text.cast()) }.to_string_lossy().into_owned()
}
