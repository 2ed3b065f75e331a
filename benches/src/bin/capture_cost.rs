//! What capture costs per call: on the calling thread, in all with the writer, and in bytes of trace.
//!
//! Runs itself as child processes, bare and under `reprise capture` in turn, on each runtime: the null runtime in both
//! conventions (the floor: calls that do nothing) and Debian's libvkd3d (real calls). See [`reprise_benches::mix`] for the
//! calls. "Thread" is the CPU time of the thread that records, over the measured calls only. "Writer" is the CPU time of
//! all processes less the program's own, in runs of two lengths, the difference divided by the difference in calls, so
//! that start-up is not in it, less the same of the bare run, in which it is the program's own end; "total" is what the
//! thread's time grew by and the writer's. Bytes per call: of the trace file, by the same difference. "Floor" is what the same thread
//! takes to store 48 bytes into a ring that another one reads ([`reprise_benches::floor`]), measured in the same processes: what a
//! light call adds is given as a multiple of it, too.

use anyhow::{Context, Result, ensure};
use clap::Parser;
use reprise_benches::com::Library;
use reprise_benches::figures::{Spread, spread};
use reprise_benches::floor::{self, Floor};
use reprise_benches::mix::CALLS;
use reprise_benches::stage::Stage;
use reprise_benches::{child, clock};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Measures the cost of capture per call.
#[derive(Parser)]
struct Options {
    /// Rounds; each runs every configuration once.
    #[arg(long, default_value_t = 5)]
    rounds: u32,
    /// Frames of the longer runs.
    #[arg(long, default_value_t = 60)]
    frames: u32,
    /// Writes all figures here as JSON.
    #[arg(long)]
    json: Option<PathBuf>,
    /// The `reprise` program; without it the one beside this program.
    #[arg(long)]
    reprise: Option<PathBuf>,
    /// Measures these runtimes only: null-sysv, null-win64, vkd3d, null-wine.
    #[arg(long, value_delimiter = ',', default_value = "null-sysv,null-win64,vkd3d")]
    runtimes: Vec<String>,
    /// Measures bare runs only.
    #[arg(long)]
    bare: bool,
    /// The folder with this program and the null runtime for Windows, `capture_cost.exe` and `d3d12.dll`, for null-wine.
    #[arg(long)]
    windows: Option<PathBuf>,
    /// Where traces go while they are measured; the temporary folder if not stated.
    #[arg(long)]
    scratch: Option<PathBuf>,
    /// Is the measured program: convention and library.
    #[arg(long, hide = true, num_args = 2)]
    child: Vec<String>,
}

/// Bursts of the floor.
const BURSTS: u32 = 8;
/// Calls of each kind in a run of light calls.
const LIGHT: u32 = 200_000;

// Starts on Wine before 8.13.
#[cfg(windows)]
use reprise_windows_start as _;

fn main() -> Result<()> {
    let options = Options::parse();
    match options.child.as_slice() {
        [] => parent(&options),
        [convention, library] => child(convention, library, options.frames),
        _ => anyhow::bail!("--child CONVENTION LIBRARY"),
    }
}

/// The measured program: prints one line of JSON.
fn child(convention: &str, library: &str, frames: u32) -> Result<()> {
    let library = Library::shared(library)?;
    match convention {
        "win64" => measure::<true>(library, frames),
        "sysv" => measure::<false>(library, frames),
        other => anyhow::bail!("no convention {other}"),
    }
}

fn measure<const WIN64: bool>(library: Library, frames: u32) -> Result<()> {
    // SAFETY: the library of this convention was just loaded.
    let (draws, light) = unsafe {
        let stage = Stage::new::<WIN64>(library, false)?;
        let mut draws = Vec::new();
        for frame in 0..frames {
            stage.begin::<WIN64>();
            draws.push(stage.draws::<WIN64>(frame) as f64 / f64::from(CALLS));
        }
        stage.begin::<WIN64>();
        stage.light::<WIN64>(1000);
        (draws, stage.light::<WIN64>(LIGHT))
    };
    let light: serde_json::Map<String, Value> =
        light.iter().map(|(name, ns)| ((*name).to_owned(), json!(*ns as f64 / f64::from(LIGHT)))).collect();
    // The first frames touch memory for the first time.
    let steady = &draws[draws.len().min(3)..];
    let Floor { store, stamped } = floor::measure(BURSTS, 1);
    let floor = [store, stamped];
    println!(
        "{}",
        json!({ "thread": spread(steady).median, "light": light, "floor": floor, "process": clock::process() })
    );
    // Objects are left to the system: tearing them down is not measured, and not all runtimes like it from here.
    std::process::exit(0)
}

/// The figures of one run.
struct Run {
    thread: f64,
    light: Vec<(String, f64)>,
    /// CPU nanoseconds of all processes less what the program counted of its own before its end.
    others: f64,
    bytes: f64,
    floor: Floor,
}

fn run(options: &Options, runtime: &Runtime, captured: bool, frames: u32) -> Result<Run> {
    let trace = child::trace(options.scratch.as_deref());
    let mut command =
        child::program_of(&runtime.command, captured.then_some((&trace, &[])), options.reprise.as_deref())?;
    if runtime.command.len() > 1 {
        command.env("WINEDLLOVERRIDES", "d3d12=n,b").env("WINEDEBUG", "-all");
    }
    command.args(["--frames", &frames.to_string(), "--child", runtime.convention]).arg(&runtime.library);
    let ran = child::run(&mut command)?;
    let bytes = if captured {
        let size = std::fs::metadata(&trace).with_context(|| format!("no trace at {}", trace.display()))?.len();
        std::fs::remove_file(&trace)?;
        size as f64
    } else {
        0.0
    };
    let light =
        ran.said["light"].as_object().map(|m| m.iter().map(|(k, v)| (k.clone(), v.as_f64().unwrap_or(0.0))).collect());
    let floor = |at: usize| ran.said["floor"][at].as_f64().context("no floor among the figures");
    let floor = Floor { store: floor(0)?, stamped: floor(1)? };
    Ok(Run { thread: ran.number("thread")?, light: light.unwrap_or_default(), others: ran.others()?, bytes, floor })
}

struct Runtime {
    name: String,
    convention: &'static str,
    library: PathBuf,
    /// The words that start the measured program.
    command: Vec<PathBuf>,
}

fn runtime(name: &str, windows: Option<&Path>) -> Result<Runtime> {
    let beside = |file: &str| -> Result<PathBuf> { Ok(std::env::current_exe()?.with_file_name(file)) };
    if name == "null-wine" {
        let folder = windows.context("null-wine wants --windows FOLDER")?;
        let wine =
            ["/usr/lib/wine/wine64", "/usr/bin/wine64"].map(PathBuf::from).into_iter().find(|path| path.exists());
        let command = vec![wine.context("wine64 is missing")?, folder.join("capture_cost.exe")];
        return Ok(Runtime { name: name.to_owned(), convention: "win64", library: "d3d12.dll".into(), command });
    }
    let command = vec![std::env::current_exe()?];
    let (convention, library) = match name {
        "null-sysv" => ("sysv", beside("libreprise_null_sysv.so")?),
        "null-win64" => ("win64", beside("libreprise_null_win64.so")?),
        "vkd3d" => ("win64", PathBuf::from("libvkd3d-utils.so.1")),
        other => anyhow::bail!("no runtime {other}: null-sysv, null-win64, vkd3d or null-wine"),
    };
    ensure!(
        library.parent() == Some(Path::new("")) || library.exists(),
        "{} is missing: build it first",
        library.display()
    );
    Ok(Runtime { name: name.to_owned(), convention, library, command })
}

/// Samples of one configuration over the rounds.
#[derive(Default)]
struct Samples {
    thread: Vec<f64>,
    others: Vec<f64>,
    bytes: Vec<f64>,
    light: Vec<Vec<(String, f64)>>,
    store: Vec<f64>,
    stamped: Vec<f64>,
}

impl Samples {
    fn add(&mut self, short: Run, long: Run, calls: f64) {
        self.thread.push(long.thread);
        self.others.push((long.others - short.others) / calls);
        self.bytes.push((long.bytes - short.bytes) / calls);
        self.light.push(long.light);
        self.store.extend([short.floor.store, long.floor.store]);
        self.stamped.extend([short.floor.stamped, long.floor.stamped]);
    }

    fn light(&self) -> Vec<(String, Spread)> {
        let Some(first) = self.light.first() else { return Vec::new() };
        let of = |at: usize| spread(&self.light.iter().filter_map(|l| l.get(at).map(|x| x.1)).collect::<Vec<_>>());
        first.iter().enumerate().map(|(at, (name, _))| (name.clone(), of(at))).collect()
    }
}

fn parent(options: &Options) -> Result<()> {
    let runtimes =
        options.runtimes.iter().map(|name| runtime(name, options.windows.as_deref())).collect::<Result<Vec<_>>>()?;
    let (long, short) = (options.frames, options.frames / 3);
    let calls = f64::from(CALLS) * f64::from(long - short);
    let mut samples: Vec<[Samples; 2]> = runtimes.iter().map(|_| Default::default()).collect();
    for round in 0..options.rounds {
        for (runtime, samples) in runtimes.iter().zip(&mut samples) {
            for (captured, samples) in samples.iter_mut().enumerate().take(if options.bare { 1 } else { 2 }) {
                eprintln!("round {round}: {}{}", runtime.name, if captured == 1 { ", captured" } else { "" });
                let short = run(options, runtime, captured == 1, short)?;
                let long = run(options, runtime, captured == 1, long)?;
                samples.add(short, long, calls);
            }
        }
    }
    let mut report = Vec::new();
    println!("draw mix, ns per call, median [min-max] of {} rounds of {long} frames", options.rounds);
    println!(
        "{:<10} {:>20} {:>20} {:>8} {:>20} {:>8} {:>12}",
        "runtime", "thread, bare", "captured", "added", "writer", "total", "bytes/call"
    );
    for (runtime, [bare, captured]) in runtimes.iter().zip(&samples) {
        let (b, c) = (spread(&bare.thread), spread(&captured.thread));
        if options.bare {
            println!("{:<12} {:>24}", runtime.name, b.to_string());
            bare.light().iter().for_each(|(name, one)| println!("    {name:<34} {:>20}", one.to_string()));
            continue;
        }
        let writer: Vec<f64> = captured.others.iter().zip(&bare.others).map(|(with, without)| with - without).collect();
        let (writer, bytes) = (spread(&writer), spread(&captured.bytes));
        let added = c.median - b.median;
        println!(
            "{:<10} {:>20} {:>20} {added:>8.1} {:>20} {:>8.1} {:>12.1}",
            runtime.name,
            b.to_string(),
            c.to_string(),
            writer.to_string(),
            added + writer.median,
            bytes.median
        );
        let mut light = serde_json::Map::new();
        for (at, (name, bare)) in bare.light().into_iter().enumerate() {
            let captured = captured.light().get(at).map(|l| l.1).unwrap_or_default();
            light.insert(name, json!({ "bare": bare.to_json(), "captured": captured.to_json() }));
        }
        report.push(json!({
            "runtime": runtime.name, "convention": runtime.convention, "rounds": options.rounds, "frames": long,
            "thread": { "bare": b.to_json(), "captured": c.to_json(), "added": added },
            "writer": writer.to_json(), "total_added": added + writer.median, "bytes_per_call": bytes.to_json(), "light": light,
            "floor": { "store": spread(&bare.store).to_json(), "stamped": spread(&bare.stamped).to_json() },
        }));
    }
    if options.bare {
        return Ok(());
    }
    println!(
        "\nlight calls alone, ns per call on the thread: bare, captured, added, and that as a multiple of the floor"
    );
    for (runtime, [bare, captured]) in runtimes.iter().zip(&samples) {
        let both = |of: fn(&Samples) -> &Vec<f64>| spread(&[of(bare).as_slice(), of(captured)].concat());
        let (store, stamped) = (both(|samples| &samples.store), both(|samples| &samples.stamped));
        println!("{:<12} floor: 48 bytes stored {store}, with a time stamp {stamped}", runtime.name);
        for (at, (name, b)) in bare.light().into_iter().enumerate() {
            let c = captured.light().get(at).map(|l| l.1).unwrap_or_default();
            println!(
                "{:<12} {name:<34} {:>20} {:>20} {:>8.1} {:>6.2}",
                runtime.name,
                b.to_string(),
                c.to_string(),
                c.median - b.median,
                (c.median - b.median) / store.median
            );
        }
    }
    if let Some(path) = &options.json {
        std::fs::write(path, serde_json::to_string_pretty(&report)?)?;
    }
    Ok(())
}
