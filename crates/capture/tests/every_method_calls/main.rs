//! Calls that end in unusual ways are in the trace as such: calls that crash, block, fail, return null, or call back.
//!
//! A crash happens in a child process of this test binary; the test reads the rings that the child left.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, missing_docs, unreachable_pub, dead_code)]

mod program;
#[path = "../every_method/rings.rs"]
mod rings;

use core::ffi::c_void;
use program::{CREATE_FENCE, DRAW, call, create_fence, draw, object};
use reprise_d3d12::abi::Convention;
use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;
use reprise_null as null;
use reprise_null::control::{self, Action};
use reprise_trace::read::Trace;
use reprise_trace::record::{GapReason, Kind, LEAVES};
use reprise_trace::writer_process;
use rings::{Recorded, Rings};
use std::os::unix::process::ExitStatusExt;
use std::process::Command;
use std::sync::{Arc, Mutex};
use tempfile::TempDir;

const CREATE_QUEUE: MethodId = method("ID3D12Device", "CreateCommandQueue");
const VIEWPORTS: MethodId = method("ID3D12GraphicsCommandList", "RSSetViewports");

const CHILD: &str = "REPRISE_TEST_CHILD";

/// One process, one session, one runtime: what is tested here happens one after the other.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> std::sync::MutexGuard<'static, ()> {
    let guard = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    control::clear();
    guard
}

fn rings() -> &'static Mutex<Rings> {
    static RINGS: std::sync::OnceLock<Mutex<Rings>> = std::sync::OnceLock::new();
    RINGS.get_or_init(|| Mutex::new(Rings::start("every-method-calls")))
}

fn take() -> Vec<Recorded> {
    rings().lock().unwrap_or_else(std::sync::PoisonError::into_inner).take()
}

/// Runs `role` of [`no_test_process`] in a process of its own, and gives its rings.
fn die(role: &str) -> Rings {
    Rings::open(folder_of_death(role), RINGS)
}

/// The session of the child, in its folder.
const RINGS: &str = "child.rings";

fn folder_of_death(role: &str) -> TempDir {
    let folder = TempDir::with_prefix(format!("reprise-die-{role}-")).unwrap();
    let status = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "no_test_process", "--ignored"])
        .env(CHILD, role)
        .env("REPRISE_SESSION", folder.path().join(RINGS))
        .output()
        .unwrap()
        .status;
    assert_eq!(status.signal(), Some(libc::SIGSEGV), "the child was to die from a segmentation fault: {status}");
    folder
}

/// Not a test: what [`die`] runs.
#[test]
#[ignore = "run by the tests about crashes, in a process of its own"]
fn no_test_process() {
    let Ok(role) = std::env::var(CHILD) else { return };
    let folder = std::env::var("REPRISE_SESSION").unwrap();
    let config = reprise_trace::session::Config { ring_capacity: 1 << 20, ..Default::default() };
    let session = reprise_trace::session::Session::create(folder.as_ref(), &config).unwrap();
    reprise_capture::session::begin(session);
    let convention = if role.ends_with("sysv") { Convention::SystemV } else { Convention::Win64 };
    if role.starts_with("wild") {
        // Nothing is ever mapped there.
        let wild = 8u64;
        if role.starts_with("wild-light") {
            let list = object(convention, "ID3D12GraphicsCommandList", true);
            call(convention, list, VIEWPORTS, &[1, wild]);
        } else {
            let device = object(convention, "ID3D12Device", true);
            create_fence(convention, device, 1);
            let iid = reprise_d3d12::interface("ID3D12CommandQueue").get().iid;
            let mut out: *mut c_void = core::ptr::null_mut();
            call(convention, device, CREATE_QUEUE, &[wild, &raw const iid as u64, &raw mut out as u64]);
        }
    } else if role.starts_with("heavy") {
        let device = object(convention, "ID3D12Device", true);
        create_fence(convention, device, 1);
        control::on(CREATE_FENCE, 1, Action::Crash);
        create_fence(convention, device, 2);
    } else {
        let list = object(convention, "ID3D12GraphicsCommandList", true);
        if role.starts_with("light") {
            control::on(DRAW, 6, Action::Crash);
        }
        for vertices in 1..=6 {
            draw(convention, list, vertices);
        }
        // "after": the program's own fault, when the runtime has done its work.
        control::crash_here();
    }
}

fn draws(records: &[Recorded]) -> Vec<u64> {
    let of = records.iter().filter(|r| r.kind == Kind::Enter && r.method == DRAW.0);
    of.map(|r| u64::from(u32::from_le_bytes(r.payload[..4].try_into().unwrap()))).collect()
}

#[test]
fn a_call_that_crashes_has_an_enter_and_no_leave() {
    for role in ["heavy-win64", "heavy-sysv"] {
        let records = die(role).take();
        let enters: Vec<_> = records.iter().filter(|r| r.kind == Kind::Enter && r.method == CREATE_FENCE.0).collect();
        let leaves: Vec<_> = records.iter().filter(|r| r.kind == Kind::Leave && r.method == CREATE_FENCE.0).collect();
        assert_eq!((enters.len(), leaves.len()), (2, 1), "{role}");
        assert_eq!(enters[1].payload[..8], 2u64.to_le_bytes(), "{role}: the fatal call's arguments");
        assert!(enters[1].flags & LEAVES != 0 || enters[1].sequence > leaves[0].sequence);
    }
}

#[test]
fn a_light_call_that_crashes_is_told_from_one_that_had_come_back() {
    for (role, inside) in [("light-win64", true), ("light-sysv", true), ("after-win64", false), ("after-sysv", false)] {
        let mut rings = die(role);
        let records = rings.take();
        assert_eq!(draws(&records), [1, 2, 3, 4, 5, 6], "{role}");
        let last = records.iter().rfind(|r| r.kind == Kind::Enter && r.method == DRAW.0).unwrap();
        assert_eq!(
            rings.in_call(last.ring) == last.end,
            inside,
            "{role}: in call {}, last record ends at {}",
            rings.in_call(last.ring),
            last.end
        );
    }
}

/// The recorder itself dies of the program's pointer, before there is a record: the trace names the call all the same.
#[test]
fn a_call_with_a_wild_pointer_is_named() {
    let cases = [
        ("wild-heavy-win64", CREATE_QUEUE),
        ("wild-heavy-sysv", CREATE_QUEUE),
        ("wild-light-win64", VIEWPORTS),
        ("wild-light-sysv", VIEWPORTS),
    ];
    for (role, method) in cases {
        let folder = folder_of_death(role);
        let output = folder.path().join("child.reprise");
        let options = writer_process::Options {
            session: folder.path().join(RINGS),
            output: output.clone(),
            program: None,
            max_bytes: None,
            compression: Default::default(),
            schema: Box::new(|methods| format!("{methods:?}").into_bytes()),
        };
        assert_eq!(writer_process::run(options).unwrap().gaps, 1, "{role}");
        let trace = Trace::open(&output).unwrap();
        let mut events = trace.events();
        let (mut gaps, mut enters) = (Vec::new(), Vec::new());
        while let Some(event) = events.next().unwrap() {
            match event.kind {
                Kind::Gap => gaps.push((event.fact().unwrap().0, event.method, event.object != 0)),
                Kind::Enter => enters.push(event.method),
                _ => assert!(gaps.is_empty(), "{role}: the gap is the last event"),
            }
        }
        assert_eq!(gaps, [(GapReason::UnreadArguments as u32, method.0, true)], "{role}");
        assert!(!enters.contains(&method.0), "{role}: it never reached the runtime");
        let schema = String::from_utf8(trace.schema().to_vec()).unwrap();
        assert!(schema.contains(&method.0.to_string()), "{role}: readers must know the method's name");
    }
}

#[test]
fn a_blocked_call_is_visible_while_it_blocks() {
    let _alone = alone();
    rings();
    for convention in [Convention::Win64, Convention::SystemV, Convention::Itanium] {
        take();
        let device = object(convention, "ID3D12Device", true) as usize;
        control::clear();
        control::on(CREATE_FENCE, 1, Action::Block);
        let thread = std::thread::spawn(move || create_fence(convention, device as *mut c_void, 77).0);
        while control::blocked() == 0 {
            std::thread::yield_now();
        }
        let before = take();
        assert!(before.iter().any(|r| r.kind == Kind::Enter && r.method == CREATE_FENCE.0));
        assert!(!before.iter().any(|r| r.kind == Kind::Leave && r.method == CREATE_FENCE.0));
        control::unblock();
        assert_eq!(thread.join().unwrap(), 0);
        let after = take();
        assert!(after.iter().any(|r| r.kind == Kind::Leave && r.method == CREATE_FENCE.0));
        control::clear();
    }
}

#[test]
fn a_call_that_fails_or_gives_null_says_so() {
    let _alone = alone();
    rings();
    for convention in [Convention::Win64, Convention::SystemV, Convention::Itanium] {
        let device = object(convention, "ID3D12Device", true);
        take();
        control::on(CREATE_FENCE, 1, Action::Fail(0x887a_0005_u32 as i32));
        control::on(CREATE_FENCE, 2, Action::Null);
        assert_eq!(create_fence(convention, device, 1), (0x887a_0005, core::ptr::null_mut()));
        assert_eq!(create_fence(convention, device, 2), (0, core::ptr::null_mut()));
        control::clear();
        let records = take();
        let leaves: Vec<_> = records.iter().filter(|r| r.kind == Kind::Leave && r.method == CREATE_FENCE.0).collect();
        assert_eq!(leaves.len(), 2);
        assert_eq!(leaves[0].payload[..8], 0x887a_0005_u64.to_le_bytes());
        assert_eq!(leaves[1].payload[..8], 0u64.to_le_bytes());
    }
}

/// What the program's message callback does, and on what.
static CALLED_BACK: Mutex<(u64, u64)> = Mutex::new((0, 0));

extern "win64" fn message_win64(_: u32, _: u32, _: u32, _: *const u8, list: *mut c_void) {
    draw(Convention::Win64, list, 1001);
    CALLED_BACK.lock().unwrap().0 += 1;
}

extern "sysv64" fn message_sysv(_: u32, _: u32, _: u32, _: *const u8, list: *mut c_void) {
    draw(Convention::SystemV, list, 1001);
    CALLED_BACK.lock().unwrap().0 += 1;
}

/// Calls the program's message callback as the runtime does, by what it was registered with.
fn call_back(convention: Convention, function: u64, context: u64) {
    // SAFETY: the function is one of this test, of the convention that it was registered with; the text is a literal, and the context
    // is the list that it was registered with, which the test holds.
    unsafe {
        match convention {
            Convention::Win64 => {
                let function: extern "win64" fn(u32, u32, u32, *const u8, *mut c_void) = std::mem::transmute(function);
                function(1, 2, 3, c"message".as_ptr().cast(), context as *mut c_void);
            }
            Convention::SystemV | Convention::Itanium => {
                let function: extern "sysv64" fn(u32, u32, u32, *const u8, *mut c_void) = std::mem::transmute(function);
                function(1, 2, 3, c"message".as_ptr().cast(), context as *mut c_void);
            }
        }
    }
}

#[test]
fn a_call_from_a_callback_lies_between_enter_and_leave() {
    let _alone = alone();
    rings();
    let register = method("ID3D12InfoQueue1", "RegisterMessageCallback");
    for convention in [Convention::Win64, Convention::SystemV, Convention::Itanium] {
        let device = object(convention, "ID3D12Device", true);
        let list = object(convention, "ID3D12GraphicsCommandList", true);
        let queue = object(convention, "ID3D12InfoQueue1", true);
        let function = match convention {
            Convention::Win64 => message_win64 as *const c_void as u64,
            Convention::SystemV | Convention::Itanium => message_sysv as *const c_void as u64,
        };
        null::log::take();
        let mut cookie = 0u32;
        assert_eq!(call(convention, queue, register, &[function, 0, list as u64, &raw mut cookie as u64]), 0);
        let registered = null::log::take();
        let registered = registered.iter().find(|c| c.method == register).unwrap();
        let (given, context) = (registered.words[0], registered.words[2]);
        assert_ne!(given, function, "the runtime gets a stand-in");
        take();
        control::on(CREATE_FENCE, 1, Action::Reenter(Arc::new(move || call_back(convention, given, context))));
        CALLED_BACK.lock().unwrap().0 = 0;
        assert_eq!(create_fence(convention, device, 5).0, 0);
        control::clear();
        assert_eq!(CALLED_BACK.lock().unwrap().0, 1);
        assert_eq!(nesting(&take()), NESTED);
    }
}

#[test]
fn a_call_back_into_a_wrapper_is_nested() {
    let _alone = alone();
    rings();
    for convention in [Convention::Win64, Convention::SystemV, Convention::Itanium] {
        let device = object(convention, "ID3D12Device", true);
        let list = object(convention, "ID3D12GraphicsCommandList", true) as usize;
        null::log::take();
        take();
        let into = Arc::new(move || draw(convention, list as *mut c_void, 9));
        control::on(CREATE_FENCE, 1, Action::Reenter(into));
        assert_eq!(create_fence(convention, device, 5).0, 0);
        control::clear();
        assert!(
            null::log::take().iter().any(|c| c.method == DRAW && c.depth == 1),
            "the inner call reached the runtime"
        );
        assert_eq!(nesting(&take()), NESTED);
    }
}

const NESTED: [(Kind, u16); 3] = [(Kind::Enter, CREATE_FENCE.0), (Kind::Enter, DRAW.0), (Kind::Leave, CREATE_FENCE.0)];

fn nesting(records: &[Recorded]) -> Vec<(Kind, u16)> {
    let calls = records.iter().filter(|r| matches!(r.kind, Kind::Enter | Kind::Leave));
    calls.map(|r| (r.kind, r.method)).filter(|(_, method)| [DRAW.0, CREATE_FENCE.0].contains(method)).collect()
}
