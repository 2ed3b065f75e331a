//! Memory watched by protection, in a program: system calls that store there, threads that fault together, and the program's
//! own faults, which must have their usual effect.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use std::os::fd::{AsRawFd, FromRawFd, IntoRawFd};
use std::os::unix::net::UnixDatagram;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};
use std::sync::{Barrier, Mutex, MutexGuard};

use reprise_capture::memory::userfault::PAGE;
use reprise_capture::memory::{mapping::Key, tracker::Tracker};
use reprise_capture::tracking::Watched;
use reprise_environment::Tracking;
use reprise_testing::missing;

/// Memory of a device, as far as the tracker can tell: shared, and mapped for the whole test.
struct Armed {
    start: *mut u8,
    len: usize,
    tracker: Mutex<Tracker>,
}

// SAFETY: plain memory; the tests store to it with atomic bytes and through system calls.
unsafe impl Sync for Armed {}

impl Armed {
    fn new(pages: usize) -> Self {
        let (prot, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_ANONYMOUS);
        // SAFETY: new memory at a place of the kernel's choice.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), pages * PAGE, prot, flags, -1, 0) };
        assert_ne!(start, libc::MAP_FAILED);
        let mut tracker = Tracker::new(Tracking::Mprotect);
        // SAFETY: never unmapped.
        let watched = unsafe { tracker.map(Key { object: 1, subresource: 0 }, start.cast(), pages * PAGE, false) };
        assert_eq!(watched, Watched::Mprotect, "{:?}", tracker.refused());
        Self { start: start.cast(), len: pages * PAGE, tracker: Mutex::new(tracker) }
    }

    fn at(&self, offset: usize) -> &AtomicU8 {
        assert!(offset < self.len);
        // SAFETY: within the mapping, which is never unmapped; all access of the tests is atomic.
        unsafe { AtomicU8::from_ptr(self.start.add(offset)) }
    }

    fn tracker(&self) -> MutexGuard<'_, Tracker> {
        self.tracker.lock().unwrap()
    }

    /// The pages that a flush reports.
    fn flushed(&self) -> Vec<usize> {
        let mut pages = Vec::new();
        self.tracker().flush(&mut |written| {
            let offset = written.offset as usize;
            pages.extend((offset..offset + written.len).step_by(PAGE).map(|at| at / PAGE));
        });
        pages
    }

    /// What is there while nobody stores.
    fn bytes(&self, from: usize, len: usize) -> Vec<u8> {
        (from..from + len).map(|at| self.at(at).load(Ordering::SeqCst)).collect()
    }
}

const BYTES: usize = 3 * PAGE;
/// Over a page's border, so that each call stores to four pages.
const FROM: usize = 2 * PAGE - 100;

fn pattern(seed: u8) -> Vec<u8> {
    (0..BYTES).map(|at| (at as u8).wrapping_mul(31).wrapping_add(seed)).collect()
}

/// A descriptor that gives the bytes to whoever reads it.
fn source(bytes: &[u8]) -> std::fs::File {
    // SAFETY: a terminated name; the descriptor is the file's from here on.
    let file = unsafe { std::fs::File::from_raw_fd(libc::memfd_create(c"source".as_ptr(), libc::MFD_CLOEXEC)) };
    std::os::unix::fs::FileExt::write_all_at(&file, bytes, 0).unwrap();
    file
}

#[test]
fn calls_that_store_for_the_program_succeed_and_are_reported() {
    let memory = Armed::new(8);
    // SAFETY: within the mapping.
    let to = unsafe { memory.start.add(FROM) }.cast::<libc::c_void>();
    let (half, rest) = (BYTES / 2, BYTES - BYTES / 2);
    let later = to.wrapping_byte_add(half);
    let list = [libc::iovec { iov_base: to, iov_len: half }, libc::iovec { iov_base: later, iov_len: rest }];
    let (sender, receiver) = UnixDatagram::pair().unwrap();
    let socket = receiver.as_raw_fd();
    type Call<'a> = (&'a str, Box<dyn Fn(libc::c_int) -> isize + 'a>);
    // SAFETY: every call stores at most `BYTES` bytes to `to`, where so many are mapped; descriptors are open.
    let calls: Vec<Call<'_>> = unsafe {
        vec![
            ("read", Box::new(|file| libc::read(file, to, BYTES))),
            ("pread", Box::new(|file| libc::pread(file, to, BYTES, 0))),
            ("pread64", Box::new(|file| libc::pread64(file, to, BYTES, 0))),
            ("readv", Box::new(|file| libc::readv(file, list.as_ptr(), 2))),
            ("preadv", Box::new(|file| libc::preadv(file, list.as_ptr(), 2, 0))),
            ("preadv2", Box::new(|file| libc::preadv2(file, list.as_ptr(), 2, 0, 0))),
            ("recv", Box::new(|_| libc::recv(socket, to, BYTES, 0))),
            (
                "recvfrom",
                Box::new(|_| libc::recvfrom(socket, to, BYTES, 0, std::ptr::null_mut(), std::ptr::null_mut())),
            ),
            (
                "recvmsg",
                Box::new(|_| {
                    let mut message: libc::msghdr = std::mem::zeroed();
                    (message.msg_iov, message.msg_iovlen) = (list.as_ptr().cast_mut(), 2);
                    libc::recvmsg(socket, &raw mut message, 0)
                }),
            ),
            (
                "fread",
                Box::new(|file| {
                    let stream = libc::fdopen(libc::dup(file), c"rb".as_ptr());
                    let count = libc::fread(to, 1, BYTES, stream);
                    libc::fclose(stream);
                    count as isize
                }),
            ),
        ]
    };
    for (seed, (name, call)) in calls.iter().enumerate() {
        let expected = pattern(seed as u8);
        let file = source(&expected);
        if name.starts_with("recv") {
            sender.send(&expected).unwrap();
        }
        assert_eq!(call(file.as_raw_fd()), BYTES as isize, "{name}: {}", std::io::Error::last_os_error());
        assert_eq!(memory.bytes(FROM, BYTES), expected, "{name}");
        assert_eq!(memory.flushed(), [1, 2, 3, 4], "{name}");
        assert_eq!(memory.flushed(), [0; 0], "{name}: once only");
    }
    // SAFETY: the mapping has room for so many bytes.
    assert_eq!(unsafe { libc::getrandom(to, BYTES, 0) }, BYTES as isize);
    assert_eq!(memory.flushed(), [1, 2, 3, 4]);
}

/// A call that blocks is under way while memory is flushed: it stores later, and still neither fails nor is missed.
#[test]
fn a_flush_does_not_break_a_call_that_waits() {
    let memory = Armed::new(8);
    let (sender, receiver) = UnixDatagram::pair().unwrap();
    for round in 0..50 {
        let expected = pattern(round);
        std::thread::scope(|scope| {
            let (memory, receiver) = (&memory, &receiver);
            let reader = scope.spawn(move || {
                // SAFETY: within the mapping.
                unsafe { libc::recv(receiver.as_raw_fd(), memory.start.add(FROM).cast(), BYTES, 0) }
            });
            while memory.flushed().is_empty() {
                std::thread::yield_now();
            }
            // The call has pinned its target, and each flush has to report that again.
            assert_eq!(memory.flushed(), [1, 2, 3, 4]);
            sender.send(&expected).unwrap();
            assert_eq!(reader.join().unwrap(), BYTES as isize);
        });
        assert_eq!(memory.flushed(), [1, 2, 3, 4], "what was stored since the last report");
        assert_eq!(memory.flushed(), [0; 0]);
        assert_eq!(memory.bytes(FROM, BYTES), expected);
    }
}

/// Sixteen threads fault on the same pages at once, again and again, while another takes reports: a byte that was stored before
/// a flush began is reported by it.
#[test]
fn many_threads_fault_together() {
    const THREADS: usize = 16;
    const PAGES: usize = 64;
    let memory = Armed::new(PAGES);
    let (barrier, stop) = (Barrier::new(THREADS + 1), AtomicBool::new(false));
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (memory, barrier, stop) = (&memory, &barrier, &stop);
            scope.spawn(move || {
                // As worker threads of drivers do.
                // SAFETY: the thread's own mask.
                unsafe {
                    let mut all: libc::sigset_t = std::mem::zeroed();
                    libc::sigfillset(&raw mut all);
                    libc::pthread_sigmask(libc::SIG_BLOCK, &raw const all, std::ptr::null_mut());
                }
                for round in 0.. {
                    barrier.wait();
                    if stop.load(Ordering::SeqCst) {
                        return;
                    }
                    for page in 0..PAGES {
                        // Every page but each eighth, by every thread, in an order of its own.
                        let page = (page * 37 + thread * 11 + round) % PAGES;
                        if page % 8 != 7 {
                            memory.at(page * PAGE + thread).store(round as u8, Ordering::SeqCst);
                        }
                    }
                    barrier.wait();
                }
            });
        }
        let expected: Vec<usize> = (0..PAGES).filter(|page| page % 8 != 7).collect();
        for round in 0..100 {
            barrier.wait();
            let mut seen = std::collections::BTreeSet::new();
            // While they store; what is reported then is not missing later only because a thread stored again.
            for _ in 0..round % 5 {
                seen.extend(memory.flushed());
            }
            barrier.wait();
            seen.extend(memory.flushed());
            assert_eq!(seen.into_iter().collect::<Vec<_>>(), expected, "round {round}");
        }
        stop.store(true, Ordering::SeqCst);
        barrier.wait();
    });
}

/// The number of mappings that a process may have is limited, and every other page stored to needs one of its own.
#[test]
fn more_pages_than_mappings() {
    const PAGES: usize = 70_000;
    let memory = Armed::new(PAGES);
    for page in (0..PAGES).step_by(2) {
        memory.at(page * PAGE).store(1, Ordering::SeqCst);
    }
    let flushed = memory.flushed();
    let seen: std::collections::BTreeSet<usize> = flushed.into_iter().collect();
    assert!((0..PAGES).step_by(2).all(|page| seen.contains(&page)));
    memory.at(5 * PAGE).store(1, Ordering::SeqCst);
    assert_eq!(memory.flushed(), [5]);
}

/// A resource that dies gives its memory back as it was.
#[test]
fn what_is_unmapped_or_dead_is_writable_for_all() {
    let memory = Armed::new(4);
    let store = |at: usize| {
        let file = source(&[7]);
        // SAFETY: within the mapping. The bare call, which nothing stands before.
        unsafe { libc::syscall(libc::SYS_read, file.as_raw_fd(), memory.start.add(at), 1) }
    };
    assert_eq!(store(0), -1, "protected: the kernel is refused");
    memory.tracker().dying(1);
    assert_eq!(store(0), 1);
    // It lives on: all of it may be new.
    assert_eq!(memory.flushed(), [0, 1, 2, 3]);
    assert_eq!(store(0), -1);
    memory.tracker().dying(1);
    memory.tracker().forget(1);
    assert_eq!(store(PAGE), 1);
    assert_eq!(memory.flushed(), [0; 0]);
}

/// When the recording is over the program's memory is as it was without us.
#[test]
fn what_is_not_watched_any_more_is_writable() {
    let memory = Armed::new(4);
    memory.at(PAGE).store(1, Ordering::SeqCst);
    *memory.tracker() = Tracker::new(Tracking::Compare);
    for page in 0..4 {
        let file = source(&[7]);
        // SAFETY: within the mapping. The bare call, which nothing stands before.
        let done = unsafe { libc::syscall(libc::SYS_read, file.as_raw_fd(), memory.start.add(page * PAGE), 1) };
        assert_eq!(done, 1, "page {page}");
    }
}

#[test]
fn a_forked_child_stores_as_it_did() {
    let memory = Armed::new(4);
    memory.at(0).store(1, Ordering::SeqCst);
    // SAFETY: the child stores to memory and leaves.
    let status = unsafe {
        let child = libc::fork();
        if child == 0 {
            memory.at(0).store(2, Ordering::SeqCst);
            memory.at(PAGE).store(2, Ordering::SeqCst);
            libc::_exit(3);
        }
        let mut status = 0;
        assert_eq!(libc::waitpid(child, &raw mut status, 0), child);
        ExitStatus::from_raw(status)
    };
    assert_eq!(status.code(), Some(3), "{status}");
    assert_eq!(memory.flushed(), [0]);
}

/// Set in the processes that the tests below make of this program, to die in.
const CASE: &str = "REPRISE_TEST_FAULT";

/// Runs one case in a process of its own.
fn dies(case: &str) -> ExitStatus {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "no_test_process", "--ignored", "--nocapture"]).env(CASE, case);
    let output = command.output().unwrap();
    println!("{case}: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr));
    output.status
}

#[test]
fn a_fault_of_the_program_ends_it_as_before() {
    assert_eq!(dies("default").signal(), Some(libc::SIGSEGV));
    assert_eq!(dies("ignored").signal(), Some(libc::SIGSEGV), "a fault cannot be ignored");
    assert_eq!(dies("sent").signal(), Some(libc::SIGSEGV));
    assert_eq!(dies("sent-ignored").code(), Some(40));
    assert_eq!(dies("reset").signal(), Some(libc::SIGSEGV), "the second time");
}

/// A resource is unmapped when no mapping can be divided any more: its memory is the program's all the same.
#[test]
fn what_is_unmapped_at_the_limit_of_mappings_is_writable() {
    match dies("limit").code() {
        Some(NO_LIMIT) => missing::kernel_lacks("a limit of mappings that a process can reach (vm.max_map_count)"),
        code => assert_eq!(code, Some(41)),
    }
}

/// Exit code where there is no limit to reach.
const NO_LIMIT: i32 = 42;

/// Ends with code 41. In a process of its own: at the limit other tests cannot have memory.
fn unmap_at_the_limit() {
    // Two resources side by side in one mapping: making the first one's memory writable divides it.
    let memory = Armed::new(2);
    *memory.tracker() = Tracker::new(Tracking::Mprotect);
    for object in [1, 2] {
        let start = memory.at((object as usize - 1) * PAGE).as_ptr();
        // SAFETY: never unmapped.
        let watched = unsafe { memory.tracker().map(Key { object, subresource: 0 }, start, PAGE, false) };
        assert_eq!(watched, Watched::Mprotect);
    }
    let limit = std::fs::read_to_string("/proc/sys/vm/max_map_count").unwrap();
    // Some systems allow more than memory holds: there is nothing to reach then.
    let pages = limit.trim().parse::<usize>().unwrap().min(1 << 21) + 2;
    // SAFETY: new memory at a place of the kernel's choice, which nothing touches.
    unsafe {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        let start = libc::mmap(std::ptr::null_mut(), pages * PAGE, libc::PROT_NONE, flags, -1, 0);
        assert_ne!(start, libc::MAP_FAILED);
        let divide = |page: usize| libc::mprotect(start.add(page * PAGE), PAGE, libc::PROT_READ) == 0;
        if (1..pages).step_by(2).all(divide) {
            libc::_exit(NO_LIMIT);
        }
    }
    memory.tracker().unmap(Key { object: 1, subresource: 0 }, &mut |_| {});
    memory.at(0).store(1, Ordering::SeqCst);
    memory.at(PAGE).store(1, Ordering::SeqCst);
    // SAFETY: the end of the case.
    unsafe { libc::_exit(41) };
}

#[test]
fn a_handler_of_the_program_is_called_as_before() {
    for case in ["earlier", "later", "signal", "nested", "repaired", "asked", "own-stack"] {
        assert_eq!(dies(case).code(), Some(41), "{case}");
    }
}

/// Memory of the program's own that it may not store to, and where its handler was told of.
static FORBIDDEN: AtomicUsize = AtomicUsize::new(0);
static CALLS: AtomicUsize = AtomicUsize::new(0);
static ARMED: AtomicUsize = AtomicUsize::new(0);

extern "C" fn leave(_: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // A handler may store to memory that is watched, where the signal is not blocked in it.
    // SAFETY: the kernel's structure; ending the process is what the handler is for.
    unsafe {
        let right = (*info).si_addr() as usize == FORBIDDEN.load(Ordering::SeqCst) + 8;
        libc::_exit(if right { 41 } else { 42 })
    }
}

extern "C" fn leave_simply(_: libc::c_int) {
    // SAFETY: ending the process is what the handler is for.
    unsafe { libc::_exit(41) }
}

extern "C" fn count(_: libc::c_int, _: *mut libc::siginfo_t, _: *mut libc::c_void) {
    CALLS.fetch_add(1, Ordering::SeqCst);
}

extern "C" fn repair(_: libc::c_int, _: *mut libc::siginfo_t, _: *mut libc::c_void) {
    let start = FORBIDDEN.load(Ordering::SeqCst);
    // SAFETY: a page of the program's own; `ARMED` is a byte of watched memory, or 0.
    unsafe {
        if let Some(byte) = (ARMED.load(Ordering::SeqCst) as *mut u8).as_mut() {
            *byte = 9;
        }
        libc::mprotect(start as *mut _, PAGE, libc::PROT_READ | libc::PROT_WRITE);
    }
}

fn act(handler: usize, flags: libc::c_int) -> libc::sigaction {
    // SAFETY: structures of numbers; the handlers are functions of this file.
    unsafe {
        let (mut new, mut old): (libc::sigaction, libc::sigaction) = std::mem::zeroed();
        new.sa_sigaction = handler;
        new.sa_flags = flags;
        assert_eq!(libc::sigaction(libc::SIGSEGV, &raw const new, &raw mut old), 0);
        old
    }
}

fn fault() {
    // SAFETY: the page is readable, and not writable: the point of the test.
    unsafe { ((FORBIDDEN.load(Ordering::SeqCst) + 8) as *mut u8).write_volatile(1) };
}

/// Not a test: what the tests above run, chosen by the environment.
#[test]
#[ignore = "slow: run by other tests, in a process that dies"]
fn no_test_process() {
    let Ok(case) = std::env::var(CASE) else { return };
    // SAFETY: new memory at a place of the kernel's choice; limits are the process's own.
    unsafe {
        let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        libc::setrlimit(libc::RLIMIT_CORE, &raw const none);
        let (prot, flags) = (libc::PROT_READ, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        FORBIDDEN.store(libc::mmap(std::ptr::null_mut(), PAGE, prot, flags, -1, 0) as usize, Ordering::SeqCst);
    }
    if case == "earlier" {
        act(leave as *const () as usize, libc::SA_SIGINFO);
    }
    let memory = Armed::new(4);
    memory.at(0).store(1, Ordering::SeqCst);
    match case.as_str() {
        "default" => {
            act(libc::SIG_DFL, 0);
            fault();
        }
        "ignored" => {
            act(libc::SIG_IGN, 0);
            fault();
        }
        "sent" => {
            act(libc::SIG_DFL, 0);
            // SAFETY: a signal to this process.
            unsafe { libc::raise(libc::SIGSEGV) };
        }
        "sent-ignored" => {
            act(libc::SIG_IGN, 0);
            // SAFETY: a signal to this process, then its end.
            unsafe {
                libc::raise(libc::SIGSEGV);
                memory.at(PAGE).store(1, Ordering::SeqCst);
                libc::_exit(40);
            }
        }
        "reset" => {
            act(count as *const () as usize, libc::SA_SIGINFO | libc::SA_RESETHAND);
            fault();
        }
        "earlier" => fault(),
        "later" => {
            act(leave as *const () as usize, libc::SA_SIGINFO | libc::SA_ONSTACK);
            memory.at(2 * PAGE).store(1, Ordering::SeqCst);
            fault();
        }
        "signal" => {
            // SAFETY: a handler of this file.
            unsafe { libc::signal(libc::SIGSEGV, leave_simply as *const () as usize) };
            memory.at(2 * PAGE).store(1, Ordering::SeqCst);
            fault();
        }
        "nested" => {
            // The handler itself stores to watched memory, which SA_NODEFER lets it.
            ARMED.store(memory.at(3 * PAGE).as_ptr() as usize, Ordering::SeqCst);
            act(repair as *const () as usize, libc::SA_SIGINFO | libc::SA_NODEFER);
            fault();
            assert_eq!(memory.flushed(), [0, 3]);
            // SAFETY: the end of the case.
            unsafe { libc::_exit(41) };
        }
        "repaired" => {
            act(repair as *const () as usize, libc::SA_SIGINFO);
            fault();
            // SAFETY: the end of the case.
            unsafe { libc::_exit(41) };
        }
        "asked" => {
            let rusts = act(leave as *const () as usize, libc::SA_SIGINFO | libc::SA_NODEFER);
            let ours = act(rusts.sa_sigaction, rusts.sa_flags);
            assert_eq!(ours.sa_sigaction, leave as *const () as usize);
            assert_eq!(ours.sa_flags & (libc::SA_SIGINFO | libc::SA_NODEFER), libc::SA_SIGINFO | libc::SA_NODEFER);
            act(ours.sa_sigaction, ours.sa_flags);
            fault();
        }
        "limit" => unmap_at_the_limit(),
        "own-stack" => {
            // A handler on the thread's alternate stack; the thread's own has no room left for it to matter.
            // SAFETY: new memory for a stack; the end of the case is in the handler.
            unsafe {
                let (prot, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
                let place = libc::mmap(std::ptr::null_mut(), 16 * PAGE, prot, flags, -1, 0);
                let stack = libc::stack_t { ss_sp: place, ss_flags: 0, ss_size: 16 * PAGE };
                assert_eq!(libc::sigaltstack(&raw const stack, std::ptr::null_mut()), 0);
            }
            act(leave as *const () as usize, libc::SA_SIGINFO | libc::SA_ONSTACK);
            memory.at(2 * PAGE).store(1, Ordering::SeqCst);
            fault();
        }
        other => panic!("no case {other}"),
    }
    let _ = source(&[0]).into_raw_fd();
}
