//! What replay costs per call, beside the program that made the calls.
//!
//! Runs itself as child processes, in turn: the program bare (the draw mix of [`reprise_benches::mix`], and as many light
//! calls of each kind), the program under `reprise capture`, and the replay of that trace on the same runtime, with each
//! number of threads asked for. All figures are CPU time of the whole process, reading and decompressing the trace
//! included, in runs of two lengths; the difference is divided by the difference in calls, so that start-up and the making
//! of objects are not in it. On the null runtime the program's own figure is that of calls that do nothing: what replay
//! takes beyond it is what replay adds. On a real runtime the ratio of the two is what counts.
//!
//! The mix of structures is measured in another way and has a table of its own ([`structures`]).

mod structures;

use anyhow::{Result, ensure};
use clap::Parser;
use reprise_benches::com::Library;
use reprise_benches::dxbc;
use reprise_benches::figures::spread;
use reprise_benches::make::Maker;
use reprise_benches::mix::{CALLS, LISTS};
use reprise_benches::stage::Stage;
use reprise_benches::{child, clock, crew};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

/// Measures the cost of replay per call.
#[derive(Parser)]
struct Options {
    /// Rounds; each runs every configuration once.
    #[arg(long, default_value_t = 5)]
    rounds: u32,
    /// Frames of the longer runs; the shorter ones have a third.
    #[arg(long, default_value_t = 60)]
    frames: u32,
    /// The runtimes: null, or the path of a System V library.
    #[arg(long, value_delimiter = ',', default_value = "null,ours")]
    runtimes: Vec<String>,
    /// The mixes: draws, lists (eight of them, each with an allocator of its own), light, pipelines (each with a shader of its own, none used; a call is a pipeline),
    /// crew (eight threads record 200 lists a frame, which are executed; not on the null runtime), structures (acceleration structures that
    /// are built, updated and compacted; not on the null runtime).
    #[arg(long, value_delimiter = ',', default_value = "draws,light")]
    mixes: Vec<String>,
    /// Threads of the replay; that of structures has the greatest of these numbers.
    #[arg(long, value_delimiter = ',', default_value = "1")]
    threads: Vec<usize>,
    /// The `reprise` program; without it the one beside this program.
    #[arg(long)]
    reprise: Option<PathBuf>,
    /// How the traces are compressed, as `reprise capture --compression` takes it.
    #[arg(long, default_value = "zstd")]
    compression: String,
    /// Where traces go while they are measured, and stay if it is stated; the temporary folder if not.
    #[arg(long)]
    keep: Option<PathBuf>,
    /// Is the measured program: library and mix.
    #[arg(long, hide = true, num_args = 2)]
    program: Vec<String>,
    /// Ends with 1 when a goal is missed.
    #[arg(long)]
    goals: bool,
    /// Is the measured replay: trace, library and threads.
    #[arg(long, hide = true, num_args = 3)]
    replay: Vec<String>,
    /// Is the measured replay of structures: trace, library, `recorded` or `moved` addresses, and threads.
    #[arg(long, hide = true, num_args = 4)]
    structures: Vec<String>,
}

/// Calls of one kind in a frame of the light mix: seven kinds.
const LIGHT: u32 = 5_000;

/// Pipelines that a frame makes.
const PIPELINES: u32 = 20;

fn main() -> Result<ExitCode> {
    let options = Options::parse();
    match (options.program.as_slice(), options.replay.as_slice(), options.structures.as_slice()) {
        ([library, mix], ..) if mix == structures::MIX => structures::program(library, options.frames)?,
        ([library, mix], ..) => program(library, mix, options.frames)?,
        (_, [trace, library, threads], _) => replay(Path::new(trace), library, threads.parse()?)?,
        (.., [trace, library, addresses, threads]) => {
            structures::replay(Path::new(trace), library, addresses, threads.parse()?)?;
        }
        _ => return parent(&options),
    }
    Ok(ExitCode::SUCCESS)
}

/// All that is asked for.
fn parent(options: &Options) -> Result<ExitCode> {
    let calls: Vec<&str> = options.mixes.iter().map(String::as_str).filter(|mix| *mix != structures::MIX).collect();
    if !calls.is_empty() {
        per_call(options, &calls)?;
    }
    let met = calls.len() == options.mixes.len() || structures::per_frame(options)?;
    Ok(if met || !options.goals { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The measured program: prints one line of JSON.
fn program(library: &str, mix: &str, frames: u32) -> Result<()> {
    let library = Library::shared(library)?;
    let (cpu, start) = (clock::process(), Instant::now());
    // SAFETY: a System V library, just loaded.
    unsafe {
        let stage = Stage::new::<false>(library, false)?;
        let make = Maker::<false>::of(library, stage.device);
        let mut lists = Vec::new();
        if mix == "crew" {
            crew::run(&stage, &make, frames)?;
        }
        for _ in 0..if mix == "lists" { LISTS } else { 0 } {
            let allocator = make.create("CreateCommandAllocator", "ID3D12CommandAllocator", 0)?;
            lists.push((allocator, make.list(allocator, stage.pipeline)?));
        }
        for frame in 0..if mix == "crew" { 0 } else { frames } {
            stage.begin::<false>();
            match mix {
                "lists" => stage.lists::<false>(&lists, frame),
                "draws" => drop(stage.draws::<false>(frame)),
                "light" => drop(stage.light::<false>(LIGHT)),
                "pipelines" => {
                    for number in frame * PIPELINES..(frame + 1) * PIPELINES {
                        make.pipeline_of(stage.root_signature, false, &dxbc::numbered_shader(number))?;
                    }
                }
                other => anyhow::bail!("no mix {other}: draws, lists, light, pipelines, crew or structures"),
            }
        }
    }
    say(cpu, start);
    // Objects are left to the system: tearing them down is not measured.
    std::process::exit(0)
}

/// The measured replay: prints one line of JSON.
fn replay(trace: &Path, library: &str, threads: usize) -> Result<()> {
    let mut options = reprise_replay::Options {
        runtime: Some(library.to_owned()),
        convention: Some(reprise_replay::Convention::SysV),
        threads,
        recorders: threads.saturating_sub(1),
        ..reprise_replay::Options::default()
    };
    let (cpu, start) = (clock::process(), Instant::now());
    let report = reprise_replay::replay(trace, &mut options)?;
    say(cpu, start);
    ensure!(report.difference_count == 0, "the replay differs: {:?}", report.differences.first());
    Ok(())
}

fn say(cpu: u64, start: Instant) {
    println!(
        "{}",
        json!({ "cpu": clock::passed(cpu, clock::process()), "wall": start.elapsed().as_nanos() as u64, "walk": clock::thread() })
    );
}

/// CPU and wall nanoseconds of one run.
#[derive(Clone, Copy)]
struct Cost {
    cpu: f64,
    wall: f64,
}

fn run(command: &mut Command) -> Result<Cost> {
    let ran = child::run(command.env("REPRISE_NULL_LOG", "off"))?;
    Ok(Cost { cpu: ran.number("cpu")?, wall: ran.number("wall")? })
}

/// One runtime and mix, with its two traces.
struct Case {
    runtime: String,
    library: PathBuf,
    mix: String,
    traces: [(u32, PathBuf); 2],
    /// Calls that the longer run has more.
    calls: f64,
}

/// The library of a runtime.
fn library(runtime: &str) -> Result<PathBuf> {
    let this = std::env::current_exe()?;
    Ok(match runtime {
        "null" => this.with_file_name("libreprise_null_sysv.so"),
        "ours" => this.with_file_name("libreprise_d3d12.so"),
        path => PathBuf::from(path),
    })
}

fn case(options: &Options, runtime: &str, mix: &str) -> Result<Case> {
    let this = std::env::current_exe()?;
    let library = library(runtime)?;
    let folder = options.keep.clone().unwrap_or_else(std::env::temp_dir);
    let reprise = options.reprise.clone().unwrap_or_else(|| this.with_file_name("reprise"));
    let capture = |frames: u32| -> Result<(u32, PathBuf)> {
        let short = Path::new(runtime).file_stem().unwrap_or_default().to_string_lossy();
        let trace = folder.join(format!("replay_cost.{}.{short}.{mix}.{frames}.reprise", std::process::id()));
        let mut command = Command::new(&reprise);
        command.args(["capture", "--compression", &options.compression]).arg("-o").arg(&trace).arg("--").arg(&this);
        command.args(["--frames", &frames.to_string(), "--program"]).arg(&library).arg(mix);
        run(&mut command)?;
        Ok((frames, trace))
    };
    let (short, long) = (options.frames.div_ceil(3), options.frames);
    let per_frame = match mix {
        "light" => LIGHT * 7,
        "pipelines" => PIPELINES,
        "crew" => crew::CALLS,
        _ => CALLS,
    };
    Ok(Case {
        runtime: runtime.to_owned(),
        mix: mix.to_owned(),
        traces: [capture(short)?, capture(long)?],
        library,
        calls: f64::from(per_frame) * f64::from(long - short),
    })
}

/// What a call costs: the longer run less the shorter one.
fn slope(case: &Case, run: impl Fn(&(u32, PathBuf)) -> Result<Cost>) -> Result<Cost> {
    let (short, long) = (run(&case.traces[0])?, run(&case.traces[1])?);
    Ok(Cost { cpu: (long.cpu - short.cpu) / case.calls, wall: (long.wall - short.wall) / case.calls })
}

fn per_call(options: &Options, mixes: &[&str]) -> Result<()> {
    ensure!(options.frames > 1, "--frames: at least 2");
    let this = std::env::current_exe()?;
    let mut cases = Vec::new();
    for runtime in &options.runtimes {
        for mix in mixes {
            cases.push(case(options, runtime, mix)?);
        }
    }
    let mut programs: Vec<Vec<f64>> = cases.iter().map(|_| Vec::new()).collect();
    let mut replays: Vec<Vec<Vec<Cost>>> = cases.iter().map(|_| vec![Vec::new(); options.threads.len()]).collect();
    for round in 0..options.rounds {
        for (at, case) in cases.iter().enumerate() {
            eprintln!("round {round}: {} {}", case.runtime, case.mix);
            let bare = slope(case, |(frames, _)| {
                let frames = frames.to_string();
                run(Command::new(&this).args(["--frames", &frames, "--program"]).arg(&case.library).arg(&case.mix))
            })?;
            programs[at].push(bare.cpu);
            for (of, threads) in options.threads.iter().enumerate() {
                let threads = threads.to_string();
                let cost = slope(case, |(_, trace)| {
                    run(Command::new(&this).arg("--replay").arg(trace).arg(&case.library).arg(&threads))
                })?;
                replays[at][of].push(cost);
            }
        }
    }
    println!("ns of CPU per call, median [min-max] of {} rounds of {} frames", options.rounds, options.frames);
    println!(
        "{:<8} {:<9} {:>20} {:>7} {:>20} {:>8} {:>6} {:>20}",
        "runtime", "mix", "program", "threads", "replay", "added", "ratio", "replay, wall"
    );
    for ((case, program), replays) in cases.iter().zip(&programs).zip(&replays) {
        let bare = spread(program);
        for (threads, costs) in options.threads.iter().zip(replays) {
            let cpu = spread(&costs.iter().map(|cost| cost.cpu).collect::<Vec<_>>());
            let wall = spread(&costs.iter().map(|cost| cost.wall).collect::<Vec<_>>());
            let runtime = Path::new(&case.runtime).file_stem().unwrap_or_default().to_string_lossy();
            println!(
                "{runtime:<8} {:<9} {:>20} {threads:>7} {:>20} {:>8.1} {:>6.2} {:>20}",
                case.mix,
                bare.to_string(),
                cpu.to_string(),
                cpu.median - bare.median,
                cpu.median / bare.median,
                wall.to_string()
            );
        }
    }
    if options.keep.is_none() {
        for (_, trace) in cases.iter().flat_map(|case| &case.traces) {
            std::fs::remove_file(trace)?;
        }
    }
    Ok(())
}
