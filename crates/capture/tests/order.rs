//! Order between threads, calls within calls, blocking calls and forked children.
#![allow(clippy::unwrap_used, clippy::undocumented_unsafe_blocks, missing_docs)]

mod fake;

use core::ffi::c_void;
use fake::{Object, Recording, call};
use reprise_capture::{Convention, entry, tracking};
use reprise_d3d12::model::MethodId;
use reprise_d3d12::{interface, method};
use reprise_trace::record::Kind;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, Mutex};

const HERE: Convention = Convention::SystemV;

/// A pointer that tests hand to threads.
#[derive(Clone, Copy)]
struct Shared(usize);

impl Shared {
    fn attach(object: *mut Object, name: &str) -> Shared {
        Shared(unsafe { entry::attach((*object).face(0), interface(name), HERE) } as usize)
    }

    fn call(self, owner: &str, name: &str, words: &[u64]) -> u64 {
        // Names are resolved when the program runs here, which a test may.
        let found = reprise_d3d12::MODEL
            .methods
            .iter()
            .find(|m| m.name == name && m.interface.is_some_and(|id| interface(owner).derives_from(id)));
        unsafe { call(HERE, self.0 as *mut c_void, found.unwrap().slot as usize, words) }
    }
}

#[test]
fn submissions_are_recorded_in_the_order_in_which_the_runtime_saw_them() {
    let recording = Recording::begin();
    let queue = Object::make(HERE, &["ID3D12CommandQueue"]);
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&seen);
    *unsafe { &*queue }.hook.lock().unwrap() = Some(Arc::new(move |called, words: &[u64]| {
        assert!(called == method("ID3D12CommandQueue", "Signal").0 || called == method("ID3D12CommandQueue", "Wait").0);
        log.lock().unwrap().push(words[1]);
    }));
    let queue = Shared::attach(queue, "ID3D12CommandQueue");
    let threads: Vec<_> = (0..4u64)
        .map(|number| {
            std::thread::spawn(move || {
                for at in 0..500 {
                    let name = if at % 3 == 0 { "Wait" } else { "Signal" };
                    queue.call("ID3D12CommandQueue", name, &[0, number << 32 | at]);
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    let mut entered: Vec<(u64, u64)> = (0..recording.rings())
        .flat_map(|ring| recording.ring(ring))
        .filter(|r| r.kind == Kind::Enter as u8)
        .map(|r| (r.sequence, u64::from_le_bytes(*r.payload[8..].first_chunk::<8>().unwrap())))
        .collect();
    entered.sort_unstable();
    let recorded: Vec<u64> = entered.into_iter().map(|(_, value)| value).collect();
    assert_eq!(recorded.len(), 2000);
    assert_eq!(recorded, *seen.lock().unwrap());
}

#[test]
fn a_wait_that_blocks_lets_the_signal_through() {
    let recording = Recording::begin();
    let object = Object::make(HERE, &["ID3D12Fence"]);
    let (signalled, wait) = mpsc::channel();
    let (begun, waiting) = mpsc::channel();
    let wait = Mutex::new(wait);
    *unsafe { &*object }.hook.lock().unwrap() = Some(Arc::new(move |called, _: &[u64]| {
        if called == method("ID3D12Fence", "SetEventOnCompletion").0 {
            begun.send(()).unwrap();
            wait.lock().unwrap().recv_timeout(std::time::Duration::from_secs(20)).expect("the signal comes through");
        } else {
            signalled.send(()).unwrap();
        }
    }));
    let fence = Shared::attach(object, "ID3D12Fence");
    let waiter = std::thread::spawn(move || fence.call("ID3D12Fence", "SetEventOnCompletion", &[1, 0]));
    waiting.recv().unwrap();
    fence.call("ID3D12Fence", "Signal", &[1]);
    waiter.join().unwrap();
    let mut order: Vec<(u64, Kind, &str)> = (0..recording.rings())
        .flat_map(|ring| recording.ring(ring))
        .map(|r| (r.sequence, Kind::from_u8(r.kind).unwrap(), MethodId(r.method).get().name))
        .collect();
    order.sort_by_key(|(sequence, ..)| *sequence);
    let firsts: Vec<_> = order.iter().take(2).map(|(_, kind, name)| (*kind, *name)).collect();
    assert_eq!(firsts, [(Kind::Enter, "SetEventOnCompletion"), (Kind::Enter, "Signal")]);
    assert_eq!(order.len(), 4);
}

#[test]
fn what_the_program_does_in_a_callback_is_recorded_within_the_call() {
    let recording = Recording::begin();
    let queue = Object::make(HERE, &["ID3D12InfoQueue1"]);
    let list = Object::make(HERE, &["ID3D12GraphicsCommandList"]);
    static LIST: AtomicUsize = AtomicUsize::new(0);
    static CONTEXT: AtomicU64 = AtomicU64::new(0);
    unsafe extern "sysv64" fn message(_: u32, _: u32, id: u32, _: *const u8, context: u64) {
        assert!(!entry::inside());
        CONTEXT.store(context << 32 | u64::from(id), Ordering::Relaxed);
        let list = Shared(LIST.load(Ordering::Relaxed));
        list.call("ID3D12GraphicsCommandList", "Close", &[]);
    }
    // The runtime keeps what it was given, and calls it back in a later call.
    let kept = Arc::new(Mutex::new((0u64, 0u64)));
    let keeps = Arc::clone(&kept);
    *unsafe { &*queue }.hook.lock().unwrap() = Some(Arc::new(move |called, words: &[u64]| {
        assert!(entry::inside());
        if called == method("ID3D12InfoQueue1", "RegisterMessageCallback").0 {
            *keeps.lock().unwrap() = (words[0], words[2]);
        } else {
            let (function, context) = *keeps.lock().unwrap();
            unsafe {
                let function: unsafe extern "sysv64" fn(u32, u32, u32, *const u8, u64) =
                    core::mem::transmute(function as usize);
                function(1, 2, 3, core::ptr::null(), context);
            }
        }
    }));
    let (queue, list) = (Shared::attach(queue, "ID3D12InfoQueue1"), Shared::attach(list, "ID3D12GraphicsCommandList"));
    LIST.store(list.0, Ordering::Relaxed);
    let mut cookie = 0u32;
    let words = [message as *const () as u64, 0, 77, (&raw mut cookie) as u64];
    queue.call("ID3D12InfoQueue1", "RegisterMessageCallback", &words);
    assert_ne!(kept.lock().unwrap().0, message as *const () as u64);
    queue.call("ID3D12InfoQueue1", "ClearStoredMessages", &[]);
    assert_eq!(CONTEXT.load(Ordering::Relaxed), 77 << 32 | 3);
    let names: Vec<_> =
        (recording.ring(0).iter()).map(|r| (Kind::from_u8(r.kind).unwrap(), MethodId(r.method).get().name)).collect();
    let expected = [
        (Kind::Enter, "RegisterMessageCallback"),
        (Kind::Leave, "RegisterMessageCallback"),
        (Kind::Enter, "ClearStoredMessages"),
        (Kind::Enter, "Close"),
        (Kind::Leave, "Close"),
    ];
    assert_eq!(names, expected);
}

#[test]
fn a_forked_child_leaves_its_parents_rings_alone() {
    let recording = Recording::begin();
    let list = Shared::attach(Object::make(HERE, &["ID3D12GraphicsCommandList"]), "ID3D12GraphicsCommandList");
    let draw = || list.call("ID3D12GraphicsCommandList", "DrawInstanced", &[1, 2, 3, 4]);
    draw();
    unsafe {
        let child = libc::fork();
        if child == 0 {
            draw();
            libc::_exit(7);
        }
        let mut status = 0;
        assert_eq!(libc::waitpid(child, &raw mut status, 0), child);
        assert_eq!(libc::WEXITSTATUS(status), 7);
    }
    draw();
    let records = recording.ring(0);
    assert_eq!(records.len(), 2);
    assert_eq!(records.iter().map(|r| r.ordinal).collect::<Vec<_>>(), [0, 1]);
    assert_eq!(recording.rings(), 1);
}

/// Emits one run at each flush, and notes which flushes there were.
struct Flushes;

/// Only its own test is to see it.
static ON: AtomicBool = AtomicBool::new(false);
static FLUSHED: AtomicUsize = AtomicUsize::new(0);
static BYTES: [u8; 24] = [9; 24];

impl tracking::MappedMemory for Flushes {
    fn on_map(&self, _: &tracking::Mapping) -> tracking::Watched {
        tracking::Watched::Nothing
    }
    fn on_unmap(&self, object: u32, _: u32, emit: &mut dyn FnMut(&tracking::Written)) {
        emit(&written(object));
    }
    fn on_destroy(&self, _: u32) {}
    fn flush(&self, emit: &mut dyn FnMut(&tracking::Written)) {
        if ON.load(Ordering::Relaxed) {
            FLUSHED.fetch_add(1, Ordering::Relaxed);
            emit(&written(99));
        }
    }
}

fn written(object: u32) -> tracking::Written {
    let (bytes, len) = (BYTES.as_ptr(), BYTES.len());
    tracking::Written { object, subresource: 0, offset: 8, bytes, len, observed: false }
}

#[test]
fn stores_stand_before_what_may_read_them() {
    let recording = Recording::begin();
    assert!(tracking::install(&Flushes));
    ON.store(true, Ordering::Relaxed);
    let queue = Shared::attach(Object::make(HERE, &["ID3D12CommandQueue"]), "ID3D12CommandQueue");
    let real = Object::make(HERE, &["ID3D12Fence"]);
    let fence = Shared::attach(real, "ID3D12Fence");
    let buffer = Shared::attach(Object::make(HERE, &["ID3D12Resource"]), "ID3D12Resource");
    let signal = || {
        queue.call("ID3D12CommandQueue", "Signal", &[fence.0 as u64, 1]);
        fence.call("ID3D12Fence", "Signal", &[1]);
    };
    let before = FLUSHED.load(Ordering::Relaxed);
    queue.call("ID3D12CommandQueue", "ExecuteCommandLists", &[0, 0]);
    // Nothing that is submitted waits.
    signal();
    queue.call("ID3D12CommandQueue", "Wait", &[fence.0 as u64, 1]);
    // What is submitted behind the wait reads what is stored before the signal.
    signal();
    *unsafe { &*real }.answer.lock().unwrap() = 1;
    // The fence has reached the value.
    signal();
    queue.call("ID3D12CommandQueue", "Wait", &[fence.0 as u64, 1]);
    signal();
    assert_eq!(FLUSHED.load(Ordering::Relaxed) - before, 3);
    // Below what the fence was found at when a queue was told to wait, which may not have got there: it waits for this then.
    fence.call("ID3D12Fence", "Signal", &[0]);
    *unsafe { &*real }.answer.lock().unwrap() = 0;
    fence.call("ID3D12Fence", "Signal", &[1]);
    assert_eq!(FLUSHED.load(Ordering::Relaxed) - before, 5);
    buffer.call("ID3D12Resource", "Unmap", &[0, 0]);
    ON.store(false, Ordering::Relaxed);
    let order: Vec<(Kind, String)> = (recording.ring(0).iter())
        .filter(|r| [Kind::Enter as u8, Kind::Memory as u8].contains(&r.kind))
        .map(|r| {
            let kind = Kind::from_u8(r.kind).unwrap();
            (kind, if kind == Kind::Enter { MethodId(r.method).get().name.into() } else { "bytes".into() })
        })
        .collect();
    let expected: Vec<(Kind, String)> =
        "bytes ExecuteCommandLists Signal Signal Wait bytes Signal bytes Signal Signal Signal Wait Signal Signal \
         bytes Signal bytes Signal bytes Unmap"
            .split(' ')
            .map(|name| (if name == "bytes" { Kind::Memory } else { Kind::Enter }, name.into()))
            .collect();
    assert_eq!(order, expected);
}

const ANOTHER: &str = "REPRISE_TEST_SHARED_FENCE";

/// Not a test: another process, where nothing else was awaited.
#[test]
#[ignore = "started by the other test"]
fn no_test_process() {
    if std::env::var_os(ANOTHER).is_none() {
        return;
    }
    let _recording = Recording::begin();
    assert!(tracking::install(&Flushes));
    ON.store(true, Ordering::Relaxed);
    let queue = Shared::attach(Object::make(HERE, &["ID3D12CommandQueue"]), "ID3D12CommandQueue");
    let make = || {
        let real = Object::make(HERE, &["ID3D12Fence"]);
        (real, Shared::attach(real, "ID3D12Fence"))
    };
    let (reached, shared, other) = (make(), make(), make());
    for (_, fence) in [reached, shared] {
        queue.call("ID3D12CommandQueue", "Wait", &[fence.0 as u64, 1]);
    }
    let signal = || {
        let before = FLUSHED.load(Ordering::Relaxed);
        other.1.call("ID3D12Fence", "Signal", &[1]);
        FLUSHED.load(Ordering::Relaxed) - before
    };
    // One is signalled through its shared handle, and gone; the other is still awaited.
    *unsafe { &*shared.0 }.answer.lock().unwrap() = 1;
    assert_eq!(shared.1.call("IUnknown", "Release", &[]), 0);
    assert_eq!(signal(), 1);
    *unsafe { &*reached.0 }.answer.lock().unwrap() = 1;
    assert_eq!(signal(), 0);
    // Here the handle is signalled later.
    queue.call("ID3D12CommandQueue", "Wait", &[reached.1.0 as u64, 2]);
    assert_eq!(reached.1.call("IUnknown", "Release", &[]), 0);
    assert_eq!(signal(), 1);
}

#[test]
fn a_fence_that_is_gone_may_be_awaited_still() {
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    command.args(["--ignored", "--exact", "no_test_process"]).env(ANOTHER, "1");
    let ended = command.output().unwrap();
    assert!(
        ended.status.success(),
        "{}{}",
        String::from_utf8_lossy(&ended.stdout),
        String::from_utf8_lossy(&ended.stderr)
    );
}
