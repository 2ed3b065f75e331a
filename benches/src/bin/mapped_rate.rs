//! How fast a program under capture can store to mapped memory.
//!
//! Runs itself as child processes on a runtime, bare and under `reprise capture` in turn, once for each kind of content. A frame stores all
//! bytes of one upload buffer that stays mapped, then submits one empty list and a signal. "Program" is the time on the clock from the
//! first store to the end of the last submission, in which the program waits where the writer is slower than it; "all" is that of the
//! whole command, until the trace is finished. "CPU" is that of all processes.

use anyhow::{Context, Result, ensure};
use clap::{Parser, ValueEnum};
use core::ffi::c_void;
use reprise_benches::com::{Library, iid, slot};
use reprise_benches::figures::{Spread, spread};
use reprise_benches::make::{self, Maker, check};
use reprise_benches::{call, child, clock};
use reprise_d3d12::model::Guid;
use reprise_trace::read::Trace;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Instant;

/// Measures how fast mapped memory is captured.
#[derive(Parser)]
struct Options {
    /// Rounds; each runs every configuration once.
    #[arg(long, default_value_t = 3)]
    rounds: u32,
    /// Frames, each of which stores all bytes.
    #[arg(long, default_value_t = 20)]
    frames: u32,
    /// Mapped mebibytes.
    #[arg(long, default_value_t = 64)]
    size: usize,
    /// What is stored.
    #[arg(long, value_enum, value_delimiter = ',', default_value = "constant,counter,structures,texture,random")]
    contents: Vec<Content>,
    /// Options of `reprise capture`, as one word each.
    #[arg(long, value_delimiter = ',', allow_hyphen_values = true)]
    capture: Vec<String>,
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

/// What a frame stores, 8 bytes at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Content {
    /// One value all over, another one each frame: all pages are equal.
    Constant,
    /// The place, and the frame.
    Counter,
    /// Rows of 64 bytes: four words stay, a place, a flag, and two numbers that nothing predicts.
    Structures,
    /// Pixels of a slope with two bits of noise in each channel.
    Texture,
    /// What no compressor makes smaller.
    Random,
}

impl Content {
    /// The word at a place.
    fn word(self, frame: u64, at: u64) -> u64 {
        // A multiplication that mixes upwards, and a shift that mixes downwards.
        let mixed = (at ^ frame << 40).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mixed = (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let row = at / 8;
        match (self, at % 8) {
            (Content::Constant, _) => frame.wrapping_mul(0x0101_0101_0101_0101),
            (Content::Counter, _) => frame << 32 | at,
            (Content::Structures, 0) => row,
            (Content::Structures, 1) => frame,
            (Content::Structures, 2 | 5) => mixed >> 40,
            (Content::Structures, field) => field.wrapping_mul(0x3f80_0000_3f80_0000),
            (Content::Texture, _) => {
                let slope = (at / 64 + frame) & 0x3f;
                slope * 0x0101_0101_0101_0101 + (mixed & 0x0303_0303_0303_0303)
            }
            (Content::Random, _) => mixed ^ mixed >> 32,
        }
    }

    fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

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

/// The measured program.
///
/// # Safety
/// The library is a D3D12 runtime whose functions and methods are System V.
unsafe fn child(library: Library, options: &Options) -> Result<Value> {
    let content = *options.contents.first().context("no content")?;
    let size = options.size << 20;
    // SAFETY: all calls follow the API, on objects that they made.
    unsafe {
        let make = Maker::<false>::new(library)?;
        let buffer = make.resource(2, &make::buffer_desc(size as u64))?;
        let mut memory: *mut u64 = core::ptr::null_mut();
        let none = [0usize; 2];
        let result = call!(false, buffer, slot("ID3D12Resource", "Map")?,
            (u32, *const [usize; 2], *mut *mut u64) -> i32, (0, &raw const none, &raw mut memory));
        check("Map", result)?;
        // No frame pays for memory that is touched for the first time.
        memory.cast::<u8>().write_bytes(0xff, size);
        let [queue, fence] = queue_and_fence(&make)?;
        let allocator = make.create("CreateCommandAllocator", "ID3D12CommandAllocator", 0)?;
        let list = make.list(allocator, core::ptr::null_mut())?;
        let close = slot("ID3D12GraphicsCommandList", "Close")?;
        check("Close", call!(false, list, close, () -> i32, ()))?;
        let execute = slot("ID3D12CommandQueue", "ExecuteCommandLists")?;
        let signal = slot("ID3D12CommandQueue", "Signal")?;
        let event = slot("ID3D12Fence", "SetEventOnCompletion")?;
        let started = Instant::now();
        for frame in 1..=u64::from(options.frames) {
            for at in 0..size as u64 / 8 {
                memory.add(at as usize).write(content.word(frame, at));
            }
            call!(false, queue, execute, (u32, *const *mut c_void) -> (), (1, &raw const list));
            check("Signal", call!(false, queue, signal, (*mut c_void, u64) -> i32, (fence, frame)))?;
            // A null event blocks.
            let code = call!(false, fence, event, (u64, *mut c_void) -> i32, (frame, core::ptr::null_mut()));
            check("SetEventOnCompletion", code)?;
        }
        Ok(json!({ "elapsed": started.elapsed().as_secs_f64(), "process": clock::process() }))
    }
}

/// # Safety
/// As [`Maker::new`].
unsafe fn queue_and_fence(make: &Maker<false>) -> Result<[*mut c_void; 2]> {
    let desc = [0u32; 4];
    let [mut queue, mut fence] = [core::ptr::null_mut(); 2];
    // SAFETY: zeros describe a direct queue; pointers are ours.
    unsafe {
        let id = iid("ID3D12CommandQueue")?;
        let code = call!(false, make.device, slot("ID3D12Device", "CreateCommandQueue")?,
            (*const [u32; 4], *const Guid, *mut *mut c_void) -> i32, (&raw const desc, &raw const id, &raw mut queue));
        check("CreateCommandQueue", code)?;
        let id = iid("ID3D12Fence")?;
        let code = call!(false, make.device, slot("ID3D12Device", "CreateFence")?,
            (u64, i32, *const Guid, *mut *mut c_void) -> i32, (0, 0, &raw const id, &raw mut fence));
        check("CreateFence", code)?;
    }
    Ok([queue, fence])
}

/// What one run takes.
#[derive(Default)]
struct Run {
    program: f64,
    all: f64,
    cpu: f64,
    /// How long threads waited for the writer, together.
    waited: f64,
    bytes: f64,
}

fn run(options: &Options, content: Content, captured: bool) -> Result<Run> {
    let trace = child::trace(options.scratch.as_deref());
    let words: Vec<&str> =
        ["--quiet", "--force"].into_iter().chain(options.capture.iter().map(String::as_str)).collect();
    let mut command = child::program(captured.then_some((trace.as_path(), &words[..])), options.reprise.as_deref())?;
    let beside = std::env::current_exe()?.with_file_name("libreprise_d3d12.so");
    let library = options.library.clone().unwrap_or(beside);
    command.args(["--child", "--frames", &options.frames.to_string(), "--size", &options.size.to_string()]);
    command.args(["--contents", &content.name(), "--library"]).arg(library);
    let started = Instant::now();
    let ran = child::run(&mut command)?;
    let all = started.elapsed().as_secs_f64();
    let mut run = Run { program: ran.number("elapsed")?, all, cpu: ran.cpu / 1e9, ..Run::default() };
    if captured {
        run.waited = Trace::open(&trace)?.meta()["ring_waits"]["ns"].as_f64().unwrap_or(0.0) / 1e9;
        run.bytes = std::fs::metadata(&trace)?.len() as f64 / 1e6;
        std::fs::remove_file(&trace)?;
    }
    Ok(run)
}

fn parent(options: &Options) -> Result<()> {
    ensure!(options.rounds > 0 && !options.contents.is_empty(), "no rounds, no medians");
    let configurations: Vec<(Content, bool)> =
        options.contents.iter().flat_map(|content| [(*content, false), (*content, true)]).collect();
    let mut samples: Vec<Vec<Run>> = configurations.iter().map(|_| Vec::new()).collect();
    for round in 0..options.rounds {
        for ((content, captured), runs) in configurations.iter().zip(&mut samples) {
            eprintln!("round {round}: {}{}", content.name(), if *captured { ", captured" } else { "" });
            runs.push(run(options, *content, *captured)?);
        }
    }
    let stored = f64::from(options.frames) * (options.size << 20) as f64 / 1e6;
    println!("{stored:.0} MB stored in {} frames; medians [min-max] of {} rounds", options.frames, options.rounds);
    println!(
        "{:<20} {:>18} {:>8} {:>18} {:>8} {:>8} {:>9}",
        "", "program, s", "MB/s", "all, s", "CPU, s", "waited", "trace, MB"
    );
    let mut report = Vec::new();
    for ((content, captured), runs) in configurations.iter().zip(&samples) {
        let of = |what: fn(&Run) -> f64| spread(&runs.iter().map(what).collect::<Vec<_>>());
        let (program, all) = (of(|run| run.program), of(|run| run.all));
        let [cpu, waited, bytes] = [of(|run| run.cpu), of(|run| run.waited), of(|run| run.bytes)];
        let show = |spread: Spread| format!("{:.2} [{:.2}-{:.2}]", spread.median, spread.min, spread.max);
        let name = format!("{}{}", content.name(), if *captured { ", captured" } else { "" });
        println!(
            "{name:<20} {:>18} {:>8.0} {:>18} {:>8.2} {:>8.2} {:>9.1}",
            show(program),
            stored / program.median,
            show(all),
            cpu.median,
            waited.median,
            bytes.median
        );
        report.push(json!({
            "content": content.name(), "captured": captured, "megabytes": stored, "program": program.to_json(),
            "all": all.to_json(), "cpu": cpu.to_json(), "waited": waited.to_json(), "trace": bytes.to_json(),
        }));
    }
    if let Some(path) = &options.json {
        std::fs::write(path, serde_json::to_string_pretty(&report)?)?;
    }
    Ok(())
}
