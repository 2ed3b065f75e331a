//! What capture costs a program that stores to mapped memory, in each mode of finding the stores.
//!
//! Runs itself as child processes on a runtime, bare and under `reprise capture` in each mode in turn. A frame stores 8 bytes to
//! each of some pages, chosen at random, of one upload buffer that stays mapped, then submits one empty list and a signal, each of
//! which makes capture look for stores. "Thread" is the CPU time of that thread over a frame, all of it: faults, the search, and
//! the copies into its ring; "added" is that less the bare run's; "elapsed" is the time on the clock, in which the thread
//! also waits where the writer is slower than it ("waits" are part of it on a machine with few processors). "Writer" is the CPU
//! time of all processes less the program's own, in runs of two lengths, the difference per frame. Frames with no
//! stores are the idle cost.

use anyhow::{Context, Result, ensure};
use clap::Parser;
use core::ffi::c_void;
use reprise_benches::com::{Library, iid, slot};
use reprise_benches::figures::{Spread, spread};
use reprise_benches::make::{self, Maker, check};
use reprise_benches::{call, child, clock};
use reprise_d3d12::model::Guid;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Measures what mapped memory costs under capture.
#[derive(Parser)]
struct Options {
    /// Rounds; each runs every configuration once.
    #[arg(long, default_value_t = 3)]
    rounds: u32,
    /// Frames of the longer runs.
    #[arg(long, default_value_t = 60)]
    frames: u32,
    /// Mapped mebibytes.
    #[arg(long, default_value_t = 64)]
    size: usize,
    /// How many of a thousand pages each frame stores to.
    #[arg(long, value_delimiter = ',', default_value = "0,10,100,1000")]
    dirty: Vec<u32>,
    /// The modes that are measured.
    #[arg(long, value_delimiter = ',', default_value = "pages,mprotect,compare")]
    modes: Vec<String>,
    /// Milliseconds that the program sleeps between frames, as one that is not the bottleneck does; not measured.
    #[arg(long, default_value_t = 0)]
    rest: u64,
    /// The runtime, with System V functions; without it `libreprise_d3d12.so` beside this program.
    #[arg(long)]
    library: Option<PathBuf>,
    /// Writes all figures here as JSON.
    #[arg(long)]
    json: Option<PathBuf>,
    /// The `reprise` program; without it the one beside this program.
    #[arg(long)]
    reprise: Option<PathBuf>,
    /// Where traces go while they are measured; the temporary folder if not stated.
    #[arg(long)]
    scratch: Option<PathBuf>,
    /// Is the measured program.
    #[arg(long, hide = true)]
    child: bool,
}

const PAGE: usize = 4096;
/// Lists that may be under way at a time.
const LISTS: usize = 4;
/// Frames that are not counted: they touch memory for the first time.
const WARM: usize = 5;

fn main() -> Result<()> {
    let options = Options::parse();
    if !options.child {
        return parent(&options);
    }
    let library = options.library.as_ref().context("--child needs --library")?;
    let library = Library::shared(&library.to_string_lossy())?;
    // SAFETY: the library of this convention was just loaded.
    let figures = unsafe { child(library, &options)? };
    println!("{figures}");
    // Objects are left to the system.
    std::process::exit(0)
}

/// xorshift64*: the same pages in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        ((self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % end as u64) as usize
    }
}

/// The measured program.
///
/// # Safety
/// The library is a D3D12 runtime whose functions and methods are System V.
unsafe fn child(library: Library, options: &Options) -> Result<Value> {
    let size = options.size << 20;
    let pages = size / PAGE;
    let count = pages * options.dirty.first().copied().unwrap_or(0).min(1000) as usize / 1000;
    // SAFETY: all calls follow the API, on objects that they made.
    unsafe {
        let make = Maker::<false>::new(library)?;
        let buffer = make.resource(2, &make::buffer_desc(size as u64))?;
        let mut memory: *mut u8 = core::ptr::null_mut();
        let none = [0usize; 2];
        let result = call!(false, buffer, slot("ID3D12Resource", "Map")?,
            (u32, *const [usize; 2], *mut *mut u8) -> i32, (0, &raw const none, &raw mut memory));
        check("Map", result)?;
        let queue = queue(&make)?;
        let fence = fence(&make)?;
        let close = slot("ID3D12GraphicsCommandList", "Close")?;
        let mut lists = [core::ptr::null_mut(); LISTS];
        for list in &mut lists {
            let allocator = make.create("CreateCommandAllocator", "ID3D12CommandAllocator", 0)?;
            *list = make.list(allocator, core::ptr::null_mut())?;
            check("Close", call!(false, *list, close, () -> i32, ()))?;
        }
        let execute = slot("ID3D12CommandQueue", "ExecuteCommandLists")?;
        let signal = slot("ID3D12CommandQueue", "Signal")?;
        let completed = slot("ID3D12Fence", "GetCompletedValue")?;
        let mut random = Random(88_172_645_463_325_252);
        let mut order: Vec<usize> = (0..pages).collect();
        let (mut thread, mut elapsed) = (Vec::new(), Vec::new());
        for frame in 1..=u64::from(options.frames) {
            // The list of so many frames ago must be done.
            while call!(false, fence, completed, () -> u64, ()) + (LISTS as u64) < frame {
                std::thread::sleep(Duration::from_micros(50));
            }
            for at in 0..count {
                order.swap(at, at + random.below(pages - at));
            }
            std::thread::sleep(Duration::from_millis(options.rest));
            let (started, cpu) = (Instant::now(), clock::thread());
            for page in &order[..count] {
                memory.add(page * PAGE + 64).cast::<u64>().write_volatile(frame.wrapping_mul(*page as u64 + 1));
            }
            let list = &raw const lists[frame as usize % LISTS];
            call!(false, queue, execute, (u32, *const *mut c_void) -> (), (1, list));
            check("Signal", call!(false, queue, signal, (*mut c_void, u64) -> i32, (fence, frame)))?;
            thread.push(clock::passed(cpu, clock::thread()) as f64 / 1e6);
            elapsed.push(started.elapsed().as_secs_f64() * 1e3);
        }
        let warm = WARM.min(thread.len() - 1);
        let of = |times: &[f64]| spread(&times[warm..]).median;
        Ok(json!({ "thread": of(&thread), "elapsed": of(&elapsed), "process": clock::process() }))
    }
}

/// # Safety
/// As [`Maker::new`].
unsafe fn queue(make: &Maker<false>) -> Result<*mut c_void> {
    let desc = [0u32; 4];
    let (id, mut out) = (iid("ID3D12CommandQueue")?, core::ptr::null_mut());
    // SAFETY: zeros describe a direct queue; pointers are ours.
    let result = unsafe {
        call!(false, make.device, slot("ID3D12Device", "CreateCommandQueue")?,
            (*const [u32; 4], *const Guid, *mut *mut c_void) -> i32, (&raw const desc, &raw const id, &raw mut out))
    };
    check("CreateCommandQueue", result)?;
    Ok(out)
}

/// # Safety
/// As [`Maker::new`].
unsafe fn fence(make: &Maker<false>) -> Result<*mut c_void> {
    let (id, mut out) = (iid("ID3D12Fence")?, core::ptr::null_mut());
    // SAFETY: pointers are ours.
    let result = unsafe {
        call!(false, make.device, slot("ID3D12Device", "CreateFence")?,
            (u64, i32, *const Guid, *mut *mut c_void) -> i32, (0, 0, &raw const id, &raw mut out))
    };
    check("CreateFence", result)?;
    Ok(out)
}

/// The figures of one run, in milliseconds.
struct Run {
    thread: f64,
    elapsed: f64,
    /// CPU time of all processes less what the program counted of its own before its end.
    others: f64,
    bytes: f64,
}

fn run(options: &Options, mode: Option<&str>, dirty: u32, frames: u32) -> Result<Run> {
    let trace = child::trace(options.scratch.as_deref());
    let captured = mode.map(|mode| ["--quiet", "--force", "--memory-tracking", mode]);
    let captured = captured.as_ref().map(|options| (trace.as_path(), &options[..]));
    let mut command = child::program(captured, options.reprise.as_deref())?;
    let beside = std::env::current_exe()?.with_file_name("libreprise_d3d12.so");
    let library = options.library.clone().unwrap_or(beside);
    command.args(["--child", "--frames", &frames.to_string(), "--dirty", &dirty.to_string()]);
    command.args(["--size", &options.size.to_string(), "--rest", &options.rest.to_string()]);
    command.arg("--library").arg(library);
    let ran = child::run(&mut command)?;
    let bytes = if mode.is_some() {
        let bytes = std::fs::metadata(&trace)?.len() as f64;
        std::fs::remove_file(&trace)?;
        bytes
    } else {
        0.0
    };
    Ok(Run { thread: ran.number("thread")?, elapsed: ran.number("elapsed")?, others: ran.others()? / 1e6, bytes })
}

/// Samples of one configuration over the rounds.
#[derive(Default)]
struct Samples {
    thread: Vec<f64>,
    elapsed: Vec<f64>,
    writer: Vec<f64>,
    megabytes: Vec<f64>,
}

fn parent(options: &Options) -> Result<()> {
    let (long, short) = (options.frames, (options.frames / 3).max(WARM as u32 + 1));
    ensure!(long > short, "--frames must be more than {short}");
    let modes: Vec<Option<&str>> =
        std::iter::once(None).chain(options.modes.iter().map(|mode| Some(mode.as_str()))).collect();
    let configurations: Vec<(u32, Option<&str>)> =
        options.dirty.iter().flat_map(|dirty| modes.iter().map(move |mode| (*dirty, *mode))).collect();
    let mut samples: Vec<Samples> = configurations.iter().map(|_| Samples::default()).collect();
    for round in 0..options.rounds {
        for ((dirty, mode), samples) in configurations.iter().zip(&mut samples) {
            eprintln!("round {round}: {} of 1000 pages, {}", dirty, mode.unwrap_or("bare"));
            let (few, many) = (run(options, *mode, *dirty, short)?, run(options, *mode, *dirty, long)?);
            let frames = f64::from(long - short);
            samples.thread.push(many.thread);
            samples.elapsed.push(many.elapsed);
            samples.writer.push((many.others - few.others) / frames);
            samples.megabytes.push((many.bytes - few.bytes) / frames / 1e6);
        }
    }
    println!(
        "{} MiB mapped; ms per frame, median [min-max] of {} rounds of {long} frames",
        options.size, options.rounds
    );
    println!(
        "{:>6} {:<9} {:>18} {:>8} {:>18} {:>18} {:>9}",
        "pages", "mode", "thread", "added", "elapsed", "writer", "MB/frame"
    );
    let mut report = Vec::new();
    let mut bare = Spread::default();
    for ((dirty, mode), samples) in configurations.iter().zip(&samples) {
        let [thread, elapsed, writer, size] =
            [&samples.thread, &samples.elapsed, &samples.writer, &samples.megabytes].map(|values| spread(values));
        if mode.is_none() {
            bare = thread;
        }
        let added = thread.median - bare.median;
        let name = mode.unwrap_or("bare");
        let show = |spread: Spread| format!("{:.3} [{:.2}-{:.2}]", spread.median, spread.min, spread.max);
        println!(
            "{:>5}% {name:<9} {:>18} {added:>8.3} {:>18} {:>18} {:>9.2}",
            f64::from(*dirty) / 10.0,
            show(thread),
            show(elapsed),
            show(writer),
            size.median,
        );
        report.push(json!({
            "mode": name, "dirty_per_mille": dirty, "mebibytes": options.size, "thread": thread.to_json(),
            "added": added, "elapsed": elapsed.to_json(), "writer": writer.to_json(), "megabytes": size.to_json(),
        }));
    }
    if let Some(path) = &options.json {
        std::fs::write(path, serde_json::to_string_pretty(&report)?)?;
    }
    Ok(())
}
