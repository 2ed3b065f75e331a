//! `reprise debug`: a shader step by step, off the GPU.

use super::replay;
use crate::debug::check::{self, Check};
use crate::debug::told::{self, Run};
use crate::debug::{Dispatch, Key, Refused, Store};
use crate::options::adapter;
use crate::terminal::exit::{self, Ended, Failure, OrExit};
use crate::terminal::progress::Progress;
use crate::trace::open;
use anyhow::Context;
use reprise_d3d12::types::{D3D12_FEATURE, D3D12_FEATURE_DATA_D3D12_OPTIONS1};
use reprise_interpreter::{Module, Opens, Ran, Task, run as run_group};
use reprise_replay::{Capabilities, Shot, ShotContents};
use reprise_timeline::argument::Element as _;
use reprise_timeline::index::{Cache, Index};
use reprise_view::damage::Met;
use serde_json::Value as Json;
use std::collections::BTreeMap;

const EXAMPLES: &str = "\
The shader is translated as for our runtime, and what the translator makes of it (SPIR-V) runs on the processor: all threads of the group, in waves,
with what a replay finds in the resources right before the call. Steps are those of the thread that is asked for. What it writes is
compared with what the GPU left after the call: where all groups run, every byte of what is bound, and otherwise what the group wrote.
Results that the API leaves open, like the last bits of sin, are named, and may differ. docs/debug.md says what is supported.

Unsupported yet: --vertex and --pixel, indirect dispatches, bundles, state objects, samplers, lines of HLSL.

Examples:
  reprise debug game.reprise 1234 --thread 5,0,0                  what it reads and writes, and whether the GPU's result is the same
  reprise debug game.reprise 1234 --thread 5,0,0 --steps 1-40     the first 40 instructions with their values
  reprise debug game.reprise 1234 --thread 5,0,0 --until nan      the steps up to the first one that gives a NaN
  reprise debug game.reprise 1234 --thread 5,0,0 --json           all steps, for scripts

Exit codes: 0 equal to the GPU's result, but for what the API leaves open; 1 something differs (it says what), is unsupported or cannot be read, or the
replay failed; 2 wrong usage, or there is no such call or thread; 3 the trace cannot be read or is damaged.";

/// Run a shader of a call step by step on the processor, and compare with the GPU
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    source: open::Source,
    /// The call, by its number in `dump`
    #[arg(value_name = "CALL", value_parser = clap::value_parser!(u64).range(1..))]
    call: u64,
    /// The thread of a dispatch, as SV_DispatchThreadID counts
    #[arg(long, value_name = "X,Y,Z", value_parser = thread)]
    thread: Option<[u32; 3]>,
    /// The vertex of a draw; not supported yet
    #[arg(long, value_name = "I", conflicts_with = "thread")]
    vertex: Option<u64>,
    /// The pixel of a draw; not supported yet
    #[arg(long, value_name = "X,Y", conflicts_with_all = ["thread", "vertex"])]
    pixel: Option<String>,
    /// Of a list that is submitted several times: the ExecuteCommandLists whose run is debugged [default: the first]
    #[arg(long, value_name = "N")]
    submission: Option<u64>,
    /// List these steps, counted from 1: A-B, A- or N [default: those that write to resources]
    #[arg(long, value_name = "A-B", value_parser = crate::options::range::calls)]
    steps: Option<crate::options::range::Range>,
    /// List the steps up to the first one that gives a NaN or writes to a resource, or to a word of the SPIR-V
    #[arg(long, value_name = "nan|write|WORD", value_parser = until, conflicts_with = "steps")]
    until: Option<Until>,
    /// Run this thread's group alone, however few there are
    #[arg(long)]
    one_group: bool,
    /// Lanes of a wave, for shaders whose results depend on it [default: what the device says]
    #[arg(long, value_name = "LANES", value_parser = clap::value_parser!(u32).range(4..=128))]
    wave: Option<u32>,
    /// Instructions of all threads of a group at most
    #[arg(long, value_name = "N", default_value_t = 200_000_000)]
    budget: u64,
    /// A bit of all that the shader reads is another one: for tests of the comparison
    #[arg(long, hide = true)]
    disturbed: bool,
    /// Do not compare with the GPU
    #[arg(long)]
    no_check: bool,
    /// Print all steps as one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    runtime: replay::Runtime,
    #[command(flatten)]
    adapter: adapter::Choice,
}

/// Where listed steps end.
#[derive(Clone, Copy, Debug)]
enum Until {
    Nan,
    Write,
    Word(u32),
}

fn until(text: &str) -> Result<Until, String> {
    match text {
        "nan" => Ok(Until::Nan),
        "write" => Ok(Until::Write),
        word => word.parse().map(Until::Word).map_err(|_| "nan, write or the number of a word".to_owned()),
    }
}

fn thread(text: &str) -> Result<[u32; 3], String> {
    let parts: Result<Vec<u32>, _> = text.split(',').map(str::parse).collect();
    let wrong = || "three numbers with commas between them, as in 5,0,0".to_owned();
    parts.ok().and_then(|parts| parts.try_into().ok()).ok_or_else(wrong)
}

/// All groups run if they take no more instructions than these, as far as the first one tells.
const MANY: u64 = 20_000_000;
/// Replays that fetch what a shader turns out to read.
const ROUNDS: usize = 16;

pub(crate) fn run(arguments: &Arguments) -> Ended {
    if arguments.vertex.is_some() || arguments.pixel.is_some() {
        let what = "--vertex and --pixel are not supported yet: only threads of dispatches are run (--thread X,Y,Z)";
        return Err(Failure::message(exit::USAGE, what));
    }
    let Some(thread) = arguments.thread else {
        return Err(Failure::message(exit::USAGE, "name the thread by --thread X,Y,Z"));
    };
    let _held = arguments.adapter.tell(arguments.runtime.name())?;
    let dispatch = arguments.dispatch()?;
    let module = Module::read(&dispatch.compiled.words).context("its shader").or_exit(exit::FAILED)?;
    let threads = module.group();
    let behind = |axis: usize| u64::from(dispatch.groups[axis]) * u64::from(threads[axis].max(1));
    if let Some(axis) = (0..3).find(|axis| u64::from(thread[*axis]) >= behind(*axis)) {
        let what = format!(
            "call {}: there is no thread {}: in this direction there are {} groups of {} threads",
            dispatch.call, thread[axis], dispatch.groups[axis], threads[axis]
        );
        return Err(Failure::message(exit::USAGE, what));
    }
    let group = [0, 1, 2].map(|axis| thread[axis] / threads[axis].max(1));
    let own = [0, 1, 2].map(|axis| thread[axis] % threads[axis].max(1));
    let lane = own[0] + threads[0] * (own[1] + threads[1] * own[2]);
    let wave = match arguments.wave {
        Some(wave) => wave,
        None if module.uses_waves() => arguments.lanes()?,
        None => 32,
    };
    let count = dispatch.groups.iter().map(|it| u64::from(*it)).product::<u64>();
    let mut job = Job { arguments, dispatch: &dispatch, module: &module, group, lane, wave, all_groups: count == 1 };
    let mut store = Store::new(&dispatch);
    store.disturbed = arguments.disturbed;
    let (mut ran, mut opens) = job.run(&mut store)?;
    // What one group takes tells what all of them will.
    if count > 1 && !arguments.one_group && ran.instructions.saturating_mul(count) <= MANY {
        job.all_groups = true;
        (ran, opens) = job.run(&mut store)?;
    }
    let check = if arguments.no_check { None } else { Some(job.check(&store, &opens)?) };
    let all_groups = job.all_groups;
    let groups = if all_groups { count } else { 1 };
    let (dispatch, module, ran, opens) = (&dispatch, &module, &ran, &opens);
    let told = Run { dispatch, module, thread, group, lane, wave, groups, all_groups, ran, opens };
    let json = told.json(&mut store, check.as_ref());
    if arguments.json {
        replay::print(&json.to_string())?;
    } else {
        arguments.lines(&told, &json).iter().try_for_each(|line| replay::print(line))?;
    }
    Ok(match (check.is_some_and(|check| check.is_wrong()), arguments.adapter.is_wrong()) {
        (true, _) => exit::FAILED,
        (false, true) => exit::VALIDATION,
        (false, false) => 0,
    })
}

impl Arguments {
    fn dispatch(&self) -> Result<Dispatch, Failure> {
        let trace = self.source.open()?;
        let place = || self.source.trace.display().to_string();
        let calls = trace.statistics().calls;
        let mut line = Progress::new("reading");
        let mut progress = |call: u64| line.show_part(call, calls, || format!("call {call} of {calls}"));
        let mut index = Index::open(&trace, Cache::user(), &mut progress).with_context(place).or_exit(exit::TRACE)?;
        let found = Dispatch::of(&trace, &mut index, self.call, self.submission, &mut progress);
        drop(line);
        // What is missing may be what cannot be read.
        if found.is_err() {
            Met::of(&trace).sound(&self.source.trace)?;
        }
        match found {
            Ok(dispatch) => Ok(dispatch),
            Err(Refused::Asked(what)) => Err(Failure::message(exit::USAGE, format!("{}: {what}", place()))),
            Err(Refused::Unsupported(what)) => Err(Failure::message(exit::FAILED, format!("{}: {what}", place()))),
            Err(Refused::Trace(error)) => Err(error).with_context(place).or_exit(exit::TRACE),
        }
    }

    /// Lanes of the device's waves.
    fn lanes(&self) -> Result<u32, Failure> {
        let told = Capabilities::of(&self.runtime.options()?).or_exit(exit::FAILED)?;
        let options = told.answers.iter().find(|(number, _)| *number == D3D12_FEATURE::D3D12_OPTIONS1.0 as u32);
        let options = options.and_then(|(_, bytes)| D3D12_FEATURE_DATA_D3D12_OPTIONS1::from_bytes(bytes));
        match options.filter(|options| options.WaveLaneCountMin == options.WaveLaneCountMax) {
            Some(options) if options.WaveLaneCountMin != 0 => Ok(options.WaveLaneCountMin),
            _ => Err(Failure::message(
                exit::FAILED,
                "the shader's results depend on how many lanes a wave has, which the device does not say: name it by --wave",
            )),
        }
    }

    fn lines(&self, run: &Run<'_>, told: &Json) -> Vec<String> {
        let steps = run.ran.steps.len();
        let write = |step: &Json| step["write"].is_object() && step["write"]["variable"].is_null();
        let at = |index: Option<usize>| index.map_or(steps, |index| index + 1);
        let all = told["steps"].as_array().map_or(&[][..], Vec::as_slice);
        match (&self.steps, self.until) {
            (Some(range), _) => {
                let listed =
                    |step: &Json| step["step"].as_u64().is_some_and(|step| (range.0..=range.1).contains(&step));
                told::lines(told, (1, steps), listed)
            }
            (None, Some(until)) => {
                let last = match until {
                    Until::Nan => run.first_nan(),
                    Until::Write => all.iter().position(write),
                    Until::Word(word) => run.ran.steps.iter().position(|step| step.offset == word),
                };
                if last.is_none() {
                    reprise_log::info(format_args!("no step does that: all are listed"));
                }
                told::lines(told, (1, at(last)), |_| true)
            }
            (None, None) => told::lines(told, (1, steps), write),
        }
    }
}

/// A dispatch with what is asked of it.
struct Job<'j> {
    arguments: &'j Arguments,
    dispatch: &'j Dispatch,
    module: &'j Module,
    group: [u32; 3],
    lane: u32,
    wave: u32,
    all_groups: bool,
}

impl Job<'_> {
    /// Runs the groups, until nothing that they read is missing.
    fn run(&self, store: &mut Store<'_>) -> Result<(Ran, Opens), Failure> {
        let call = self.dispatch.call;
        let failed = |what: String| Failure::message(exit::FAILED, format!("call {call}: {what}"));
        // What is bound for writing is looked at, also where the interpreter writes nothing.
        let bound: Vec<Key> = if self.arguments.no_check { Vec::new() } else { store.writable().into_iter().collect() };
        let absent: Vec<Key> = bound.into_iter().filter(|key| !store.contents.contains_key(key)).collect();
        for (key, contents) in self.shoot(&absent, true)? {
            if let Ok(contents) = contents {
                store.put(key, contents);
            }
        }
        for _ in 0..ROUNDS {
            store.rewind();
            let mut opens = Opens::default();
            let ran = self.groups(store, &mut opens);
            let missing = store.take_missing().map_err(failed)?;
            if missing.is_empty() {
                return ran.map(|ran| (ran, opens)).map_err(|fault| failed(told::fault(self.module, &fault)));
            }
            for (key, contents) in self.shoot(&missing, true)? {
                store.put(key, contents.map_err(|reason| failed(format!("resource {}: {reason}", key.resource)))?);
            }
        }
        Err(failed(format!("after {ROUNDS} replays the shader still reads what was not fetched")))
    }

    fn groups(&self, store: &mut Store<'_>, opens: &mut Opens) -> Result<Ran, reprise_interpreter::Fault> {
        let groups = self.dispatch.groups;
        let all = (0..groups[2]).flat_map(|z| (0..groups[1]).flat_map(move |y| (0..groups[0]).map(move |x| [x, y, z])));
        let mut found = Ran::default();
        for group in all.filter(|group| self.all_groups || *group == self.group) {
            let watched = (group == self.group).then_some(self.lane);
            let (wave, budget) = (self.wave, self.arguments.budget);
            let ran = run_group(
                self.module,
                Task { groups, group, wave, watched, alone: !self.all_groups, budget, ..Task::default() },
                store,
                opens,
            )?;
            if watched.is_some() {
                found = ran;
            }
        }
        Ok(found)
    }

    /// Contents right before or after the call, by a replay.
    fn shoot(&self, keys: &[Key], before: bool) -> Result<BTreeMap<Key, Result<ShotContents, String>>, Failure> {
        let mut found = BTreeMap::new();
        if keys.is_empty() {
            return Ok(found);
        }
        let shots = keys.iter().map(|key| Shot {
            call: self.dispatch.call,
            before,
            submission: Some(self.dispatch.submission),
            of: key.shot(),
        });
        let (source, runtime) = (&self.arguments.source, &self.arguments.runtime);
        let report = replay::shoot(source, runtime, shots.collect(), |at, shown| {
            found.insert(keys[at], shown);
        })?;
        replay::sound(&report, source)?;
        for key in keys {
            found.entry(*key).or_insert_with(|| Err("the replay did not show it".to_owned()));
        }
        Ok(found)
    }

    fn check(&self, store: &Store<'_>, opens: &Opens) -> Result<Check, Failure> {
        let keys: Vec<Key> = store.contents.keys().copied().collect();
        let bytes = |shown: Result<ShotContents, String>| shown.map(|contents| Key::bytes_of(contents).0);
        let after = self.shoot(&keys, false)?.into_iter().map(|(key, shown)| (key, bytes(shown)));
        Ok(check::compare(store, &after.collect(), self.all_groups, self.dispatch.predicated, opens))
    }
}
