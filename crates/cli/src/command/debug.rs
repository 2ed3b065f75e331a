//! `reprise debug`: a shader step by step, off the GPU.

mod domain;
mod draw;
mod geometry;
mod hull;
mod mesh;
mod outcome;
mod patches;
mod replayed;
mod stages;
mod writers;

pub(super) use writers::writers;

use super::replay;
use super::structures::{self, Asked};
use crate::debug::check::{self, Check};
use crate::debug::lines::Lines;
use crate::debug::mesh::Meshes;
use crate::debug::patch::Location;
use crate::debug::prompt::Prompt;
use crate::debug::told::{self, Run};
use crate::debug::until::Until;
use crate::debug::{Command, Draw, Invocation, Key, Refused, Stage, Store, dispatch, draws_meshes};
use crate::options::adapter;
use crate::shown::wish;
use crate::terminal::exit::{self, Ended, Failure, OrExit};
use crate::terminal::progress::Progress;
use crate::trace::open;
use anyhow::Context;
use reprise_d3d12::types::{D3D12_FEATURE, D3D12_FEATURE_DATA_D3D12_OPTIONS1};
use reprise_interpreter::{Lean, Module, Opens, Ran, Task, TracedRay, run as run_group, run_rays};
use reprise_replay::{Capabilities, Shot, ShotContents};
use reprise_timeline::argument::Element as _;
use reprise_timeline::index::{Cache, Index};
use reprise_trace::read::Trace;
use reprise_view::damage::Met;
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

const EXAMPLES: &str = "\
The shader is translated as for our runtime, and what the translator makes of it (SPIR-V) runs on the processor: of a dispatch all threads of the group, in waves,
with what a replay finds in the resources right before the call. Steps are those of the thread that is asked for. What it writes is
compared with what the GPU left after the call: where all groups run, every byte of what is bound, and otherwise what the group wrote.
Results that the API leaves open, like the last bits of sin, are named, and may differ. docs/debug.md says what is supported.

A vertex is compared bit for bit with what the GPU's vertex shader gives. A pixel runs with its quad. Interpolation is open in its last bits, so
the outputs of a pixel are compared within what such bits change. Draws of bundles and of ExecuteIndirect are made by themselves for that.
Of a dispatch of rays the thread runs with all shaders that its rays come to; rays are listed with what they hit.
Threads of amplification and mesh shaders say what their groups give; what a mesh shader's group gives is compared with the GPU's.
--stage hull, domain and geometry run the shaders between vertices and pixels for a primitive; the GPU says where it makes vertices of a patch.
Unsupported yet: forced samples.

Examples:
  reprise debug game.reprise 1234 --thread 5,0,0                  what it reads and writes, and whether the GPU's result is the same
  reprise debug game.reprise 1234 --thread 5,0,0 --steps 1-40     the first 40 instructions with their values
  reprise debug game.reprise 1234 --thread 5,0,0 --until nan      the steps up to the first one that gives a NaN
  reprise debug game.reprise 1234 --thread 5,0,0 --until line=40  up to line 40 of HLSL (of DXIL, where there is no debug information)
  reprise debug game.reprise 1234 --thread 5,0,0 --interactive    step by commands; `h` lists them
  reprise debug game.reprise 1234 --thread 5,0,0 --json           all steps, for scripts
  reprise debug game.reprise 1240 --vertex 7 --instance 2         the vertex that the eighth index names, in the third instance
  reprise debug game.reprise 1240 --pixel 400,300                 the last fragment that passes there
  reprise debug game.reprise 1240 --pixel 400,300 --sample 2      the same in the third sample
  reprise debug game.reprise 1240 --stage geometry --primitive 5  what the geometry shader emits for the sixth primitive
  reprise debug game.reprise 1242 --stage domain --primitive 5 --point 7       the eighth vertex that the GPU makes of the patch
  reprise debug game.reprise 1243 --stage geometry --primitive 5 --point 7     the primitive of it, where a geometry shader follows
  reprise debug game.reprise 1242 --stage hull --primitive 5      the factors of the patch; with --point 0 its first point
  reprise debug game.reprise 1260 --thread 400,300,0              of DispatchRays: its rays, what each hits, what it writes
  reprise debug game.reprise 1250 --vertex 7 --command 3          of ExecuteIndirect the fourth command
  reprise debug game.reprise 1260 --thread 0,0,0                  of DispatchMesh the mesh shader's first thread, and what its group gives
  reprise debug game.reprise 1260 --thread 0,0,0 --stage amplification

Exit codes: 0 equal to the GPU's result, but for what the API leaves open; 1 something differs (it says what), is unsupported or cannot be read, or the
replay failed; 2 wrong usage, or there is no such call, thread, vertex or fragment; 3 the trace cannot be read or is damaged.";

/// Why nothing is compared with a call whose pipeline state the library that plays refuses.
const NO_PIPELINE: &str = "the call is left out here, because its pipeline state was not made";

/// Run a shader of a call step by step on the processor, and compare with the GPU
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    source: open::Source,
    /// The call, by its number in `dump`
    #[arg(value_name = "CALL", value_parser = clap::value_parser!(u64).range(1..))]
    call: u64,
    /// The thread of a dispatch, as SV_DispatchThreadID or DispatchRaysIndex counts
    #[arg(long, value_name = "X,Y,Z", value_parser = thread)]
    thread: Option<[u32; 3]>,
    /// The vertex that a draw reads, counted from 0; of an indexed draw the one that its I-th index names
    #[arg(long, value_name = "I", conflicts_with = "thread")]
    vertex: Option<u32>,
    /// Of a draw by mesh shaders the shader whose thread is named [default: mesh]; of other draws the shader that --primitive runs
    #[arg(long, value_name = "STAGE")]
    stage: Option<StageName>,
    /// Of a thread of a mesh shader the group of the amplification shader that starts its group [default: the first that starts such a group]
    #[arg(long, value_name = "X,Y,Z", value_parser = thread, requires = "thread")]
    parent: Option<[u32; 3]>,
    /// The instance of the vertex or the primitive [default: 0], or of the pixel's fragment, counted from 0
    #[arg(long, value_name = "K", conflicts_with = "thread")]
    instance: Option<u32>,
    /// The view instance of a draw, where its pipeline has several [default: the first that the list's mask leaves; of a pixel the first that covers it]
    #[arg(long, value_name = "V", value_parser = clap::value_parser!(u32).range(..4))]
    view: Option<u32>,
    /// The pixel of a draw's targets
    #[arg(long, value_name = "X,Y", value_parser = wish::pixel, conflicts_with_all = ["thread", "vertex"])]
    pixel: Option<(u32, u32)>,
    /// With --stage hull, domain and geometry the primitive or patch that the shader takes; of the draw's fragments at the pixel the last one of this primitive
    /// [default: the last one that passes]. As SV_PrimitiveID counts
    #[arg(long, value_name = "P")]
    primitive: Option<u32>,
    /// Of a geometry shader with several instances the one that runs, as SV_GSInstanceID counts [default: 0]
    #[arg(long, value_name = "G")]
    gs_instance: Option<u32>,
    /// The sample of the pixel, where targets have several [default: the first that the draw covers]
    #[arg(long, value_name = "S", requires = "pixel", conflicts_with_all = ["thread", "vertex"])]
    sample: Option<u32>,
    /// With --stage hull the point that the patch gets [default: the shader's other part, for what the patch has itself]; with --stage domain
    /// one of the vertices that the GPU makes of the patch; with --stage geometry behind tessellation the primitive that this vertex is of
    /// [default: the first]. Counted from 0
    #[arg(long, value_name = "I")]
    point: Option<u32>,
    /// With --stage domain the place in the patch, as SV_DomainLocation has it
    #[arg(long, value_name = "U,V[,W]", value_parser = Location::parse, conflicts_with = "point")]
    location: Option<Location>,
    /// Of a list that is submitted several times: the ExecuteCommandLists whose run is debugged [default: the first]
    #[arg(long, value_name = "N")]
    submission: Option<u64>,
    /// Of an indirect call: which of its commands is debugged, counted from 0 [default: 0]
    #[arg(long, value_name = "N")]
    command: Option<usize>,
    /// List these steps, counted from 1: A-B, A- or N [default: those that write to resources]
    #[arg(long, value_name = "A-B", value_parser = crate::options::range::steps, conflicts_with = "json")]
    steps: Option<crate::options::range::Range>,
    /// List the steps up to the first one that gives a NaN or writes to a resource, that is of a line of the source, or of a word of the
    /// SPIR-V
    #[arg(long, value_name = "nan|write|line=N|WORD", value_parser = Until::parse, conflicts_with_all = ["steps", "json"])]
    until: Option<Until>,
    /// Step through the thread by commands from the terminal or a pipe: h lists them
    #[arg(long, conflicts_with_all = ["json", "steps", "until"])]
    interactive: bool,
    /// Run this thread's group alone, however few there are
    #[arg(long, conflicts_with_all = ["vertex", "pixel"])]
    one_group: bool,
    /// Lanes of a wave, for shaders whose results depend on it [default: what the device says]
    #[arg(long, value_name = "LANES", value_parser = wave, conflicts_with_all = ["vertex", "pixel"])]
    wave: Option<u32>,
    /// Instructions of all threads of a group at most
    #[arg(long, value_name = "N", default_value_t = BUDGET)]
    budget: u64,
    /// A bit of all that the shader reads is another one: for tests of the comparison
    #[arg(long, hide = true)]
    disturbed: bool,
    /// Samples lie on the other side of their pixel's middle: for tests of the comparison
    #[arg(long, hide = true, requires = "pixel")]
    turned_samples: bool,
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

/// A shader of a draw that is neither of a vertex nor of a pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum StageName {
    Hull,
    Domain,
    Geometry,
    Amplification,
    Mesh,
}

fn wave(text: &str) -> Result<u32, String> {
    let lanes = text.parse().ok().filter(|lanes: &u32| (4..=128).contains(lanes) && lanes.is_power_of_two());
    lanes.ok_or_else(|| "a wave has 4, 8, 16, 32, 64 or 128 lanes".to_owned())
}

pub(super) fn thread(text: &str) -> Result<[u32; 3], String> {
    let parts: Result<Vec<u32>, _> = text.split(',').map(str::parse).collect();
    let wrong = || "three numbers with commas between them, as in 5,0,0".to_owned();
    parts.ok().and_then(|parts| parts.try_into().ok()).ok_or_else(wrong)
}

/// Instructions of a group, where nothing else is said.
const BUDGET: u64 = 200_000_000;
/// All groups run if they take no more instructions than these, as far as the first one tells.
const MANY: u64 = 20_000_000;
/// Replays that fetch what a shader turns out to read.
const ROUNDS: usize = 16;

pub(crate) fn run(arguments: &Arguments) -> Ended {
    if let Some(stage) = stages::asked(arguments)? {
        return stages::run(arguments, stage);
    }
    if arguments.vertex.is_some() || arguments.pixel.is_some() {
        return draw::run(arguments);
    }
    let Some(thread) = arguments.thread else {
        let what = "name a thread by --thread X,Y,Z, a vertex by --vertex I, a pixel by --pixel X,Y, or a primitive by --stage geometry --primitive P";
        return Err(Failure::message(exit::USAGE, what));
    };
    let _held = arguments.adapter.tell(arguments.runtime.name())?;
    let mut dispatch = match arguments.threads()? {
        Threads::Dispatch(dispatch) => *dispatch,
        Threads::Meshes(mut draw) => {
            arguments.resolve(&mut draw.shader)?;
            let view = arguments.view(&draw)?;
            draw.be_of_view(view);
            let is_wrong = mesh::run(arguments, &draw, (thread, view))?;
            return Ok(arguments.exit(is_wrong));
        }
    };
    if arguments.stage.is_some() || arguments.parent.is_some() || arguments.view.is_some() {
        let what = format!("call {}: --stage, --parent and --view are for draws by mesh shaders", arguments.call);
        return Err(Failure::message(exit::USAGE, what));
    }
    arguments.resolve(&mut dispatch)?;
    let dispatch = dispatch;
    let modules = modules(&dispatch)?;
    let module = &*modules[dispatch.chosen];
    let (group, lane) = spot(&dispatch, module, thread)?;
    let wave = match arguments.wave {
        Some(wave) => wave,
        None if module.uses_waves() => arguments.lanes()?,
        None => 32,
    };
    let of = |command: &Command| command.groups().into_iter().map(u64::from).fold(1, u64::saturating_mul);
    let count = dispatch.commands.iter().map(of).fold(0, u64::saturating_add);
    let mut job = Job {
        arguments,
        dispatch: &dispatch,
        modules: &modules,
        group,
        lane,
        wave,
        all_groups: count == 1,
        lean: Lean::Nearest,
    };
    let mut store = Store::new(&dispatch);
    store.disturbed = arguments.disturbed;
    let (mut ran, mut opens) = job.run(&mut store)?;
    // What one group takes tells what all of them will.
    if count > 1 && !arguments.one_group && ran.instructions.saturating_mul(count) <= MANY {
        job.all_groups = true;
        (ran, opens) = job.run(&mut store)?;
    }
    store.settle(&mut opens);
    let check = if arguments.no_check { None } else { Some(job.check(&mut store, &opens)?) };
    let all_groups = job.all_groups;
    let groups = if all_groups { count } else { 1 };
    store.begin(dispatch.chosen);
    let (dispatch, ran, opens) = (&dispatch, &ran, &opens);
    // Of the shaders of a library, lines are not told apart.
    let lines = if dispatch.rays.is_some() { &Lines::default() } else { &Lines::of(&dispatch.command().container) };
    let shaders = store.shaders();
    let invocation = dispatch;
    let told = Run { invocation, module, thread, group, lane, wave, groups, all_groups, ran, opens, lines, shaders };
    let json = told.json(&mut store, check.as_ref());
    if arguments.json {
        replay::print(&json.to_string())?;
    } else if arguments.interactive {
        let text = told::lines(&json, (1, 0), |_| false);
        text.iter().try_for_each(|line| replay::print(line))?;
        Prompt::new(&json).run(&mut std::io::stdin().lock(), &mut std::io::stdout()).or_exit(exit::FAILED)?;
    } else {
        arguments.lines(&told, &json).iter().try_for_each(|line| replay::print(line))?;
    }
    Ok(arguments.exit(check.is_some_and(|check| check.is_wrong())))
}

/// What has the threads of a call.
enum Threads {
    Dispatch(Box<Invocation>),
    Meshes(Box<Draw>),
}

/// Lanes of a wave, where results of one of the shaders may depend on them.
fn waves(arguments: &Arguments, meshes: &Meshes) -> Result<u32, Failure> {
    let mut modules = [Some(&meshes.mesh), meshes.amplification.as_ref()].into_iter().flatten();
    match arguments.wave {
        Some(wave) => Ok(wave),
        None if modules.any(Module::uses_waves) => arguments.lanes(),
        None => Ok(32),
    }
}

/// The group of a thread, and its lane there.
///
/// # Errors
/// There is no such thread.
fn spot(dispatch: &Invocation, module: &Module, thread: [u32; 3]) -> Result<([u32; 3], u32), Failure> {
    let (chosen, threads) = (&dispatch.commands[dispatch.chosen], module.group());
    let behind = |axis: usize| u64::from(chosen.groups()[axis]) * u64::from(threads[axis].max(1));
    if let Some(axis) = (0..3).find(|axis| u64::from(thread[*axis]) >= behind(*axis)) {
        let what = format!(
            "call {}: there is no thread {}: in this direction there are {} groups of {} threads",
            dispatch.call,
            thread[axis],
            chosen.groups()[axis],
            threads[axis].max(1)
        );
        return Err(Failure::message(exit::USAGE, what));
    }
    let group = [0, 1, 2].map(|axis| thread[axis] / threads[axis].max(1));
    let own = [0, 1, 2].map(|axis| thread[axis] % threads[axis].max(1));
    let lane = own[0] + threads[0] * (own[1] + threads[1] * own[2]);
    Ok((group, lane))
}

/// What a command of another name has for a replay.
type Given<'a> = (&'a open::Source, &'a replay::Runtime, &'a adapter::Choice);

/// The rays that a thread traces. Its group runs alone, and nothing is compared.
pub(super) fn rays(given: Given<'_>, call: u64, thread: [u32; 3]) -> Result<Vec<TracedRay>, Failure> {
    let arguments = &Arguments { thread: Some(thread), ..Arguments::plain(given, call) };
    let Threads::Dispatch(mut dispatch) = arguments.threads()? else {
        let what = format!("call {call}: rays of mesh shaders are not drawn: `reprise debug` lists them");
        return Err(Failure::message(exit::FAILED, what));
    };
    arguments.resolve(&mut dispatch)?;
    let modules = modules(&dispatch)?;
    let module = &*modules[dispatch.chosen];
    let (group, lane) = spot(&dispatch, module, thread)?;
    let wave = if module.uses_waves() { arguments.lanes()? } else { 32 };
    let (all_groups, lean) = (false, Lean::Nearest);
    let job = Job { arguments, dispatch: &dispatch, modules: &modules, group, lane, wave, all_groups, lean };
    Ok(job.run(&mut Store::new(&dispatch))?.0.rays)
}

/// The modules of all commands. Those of the same shader are one.
fn modules(dispatch: &Invocation) -> Result<Vec<Rc<Module>>, Failure> {
    let mut known: HashMap<&[u32], Rc<Module>> = HashMap::new();
    let mut all = Vec::new();
    for command in &dispatch.commands {
        if dispatch.rays.is_some() {
            // The shaders are those of records.
            all.push(Rc::default());
            continue;
        }
        let words = command.compiled.words.as_slice();
        let module = match known.get(words) {
            Some(module) => Rc::clone(module),
            None => {
                let module = Rc::new(Module::read(words).context("its shader").or_exit(exit::FAILED)?);
                known.insert(words, Rc::clone(&module));
                module
            }
        };
        all.push(module);
    }
    Ok(all)
}

impl Arguments {
    /// Those of a call of which one group runs, and nothing is compared.
    fn plain((source, runtime, adapter): Given<'_>, call: u64) -> Arguments {
        Arguments {
            source: source.clone(),
            call,
            thread: None,
            vertex: None,
            stage: None,
            parent: None,
            instance: None,
            view: None,
            pixel: None,
            primitive: None,
            gs_instance: None,
            point: None,
            location: None,
            sample: None,
            submission: None,
            command: None,
            steps: None,
            until: None,
            interactive: false,
            one_group: true,
            wave: None,
            budget: BUDGET,
            disturbed: false,
            turned_samples: false,
            no_check: true,
            json: false,
            runtime: runtime.clone(),
            adapter: adapter.clone(),
        }
    }

    fn threads(&self) -> Result<Threads, Failure> {
        let call = (self.call, self.submission);
        let stage = if self.stage == Some(StageName::Amplification) { Stage::Amplification } else { Stage::Mesh };
        self.find(|trace, index, progress| {
            let moment = index.at(trace, self.call, progress)?;
            if draws_meshes(&moment.call.call(), &moment.state) {
                let draw = Draw::of(trace, index, call, stage, progress)?;
                return Ok(Threads::Meshes(Box::new(draw)));
            }
            Ok(Threads::Dispatch(Box::new(dispatch::of(trace, index, call, progress)?)))
        })
    }

    /// The view instance that is looked at.
    fn view(&self, draw: &Draw) -> Result<u32, Failure> {
        let view = self.view.or_else(|| draw.views().first().copied()).unwrap_or(0);
        match draw.lacks(view) {
            None => Ok(view),
            Some(what) => Err(Failure::message(exit::USAGE, format!("call {}: {what}", self.call))),
        }
    }

    fn exit(&self, is_wrong: bool) -> u8 {
        match (is_wrong, self.adapter.is_wrong()) {
            (true, _) => exit::FAILED,
            (false, true) => exit::VALIDATION,
            (false, false) => 0,
        }
    }

    /// Runs something until nothing that it reads is missing.
    fn complete<T>(
        &self,
        invocation: &Invocation,
        store: &mut Store<'_>,
        lean: Lean,
        mut run: impl FnMut(&mut Store<'_>, &mut Opens) -> T,
    ) -> Result<(T, Opens), Failure> {
        let failed = |what: String| Failure::message(exit::FAILED, format!("call {}: {what}", invocation.call));
        for _ in 0..ROUNDS {
            store.rewind();
            let mut opens = Opens::default();
            opens.lean(lean);
            let ran = run(store, &mut opens);
            let missing = store.take_missing().map_err(failed)?;
            let scenes = store.take_missing_scenes();
            if missing.is_empty() && scenes.is_empty() {
                return Ok((ran, opens));
            }
            for (key, contents) in self.shoot(invocation, &missing, true)? {
                store.put(key, contents.map_err(|reason| failed(format!("resource {}: {reason}", key.resource)))?);
            }
            store.put_scenes(self.scenes(invocation, &scenes)?);
        }
        Err(failed(format!("after {ROUNDS} replays the shader still reads what was not fetched")))
    }

    /// What the trace says of the call.
    fn find<T>(
        &self,
        find: impl FnOnce(&Trace, &mut Index, &mut dyn FnMut(u64)) -> Result<T, Refused>,
    ) -> Result<T, Failure> {
        let trace = self.source.open()?;
        let place = || self.source.trace.display().to_string();
        let calls = trace.statistics().calls;
        let mut line = Progress::new("reading");
        let mut progress = |call: u64| line.show_part(call, calls, || format!("call {call} of {calls}"));
        let mut index = Index::open(&trace, Cache::user(), &mut progress).with_context(place).or_exit(exit::TRACE)?;
        let found = find(&trace, &mut index, &mut progress);
        drop(line);
        // What is missing may be what cannot be read.
        if found.is_err() {
            Met::of(&trace).sound(&self.source.trace)?;
        }
        match found {
            Ok(found) => Ok(found),
            Err(Refused::Asked(what)) => Err(Failure::message(exit::USAGE, format!("{}: {what}", place()))),
            Err(Refused::Unsupported(what)) => Err(Failure::message(exit::FAILED, format!("{}: {what}", place()))),
            Err(Refused::Trace(error)) => Err(error).with_context(place).or_exit(exit::TRACE),
        }
    }

    /// Reads the commands of an indirect call, by a replay.
    fn resolve(&self, invocation: &mut Invocation) -> Result<(), Failure> {
        let place = || self.source.trace.display().to_string();
        let Some(indirect) = &invocation.indirect else {
            if self.command.is_some_and(|command| command != 0) {
                let what = format!("{}: call {}: --command is for indirect calls", place(), self.call);
                return Err(Failure::message(exit::USAGE, what));
            }
            return Ok(());
        };
        let commands = Key::buffer(indirect.commands.0);
        let count = indirect.count.map(|(buffer, _)| Key::buffer(buffer));
        let keys: Vec<Key> = [Some(commands), count].into_iter().flatten().collect();
        let mut found = self.shoot(invocation, &keys, true)?;
        let mut bytes = |key: Key| match found.get(&key) {
            Some(Ok(contents)) => Ok(Key::bytes_of(contents.clone()).0),
            Some(Err(reason)) => Err(Failure::message(exit::FAILED, format!("resource {}: {reason}", key.resource))),
            None => {
                Err(Failure::message(exit::FAILED, format!("resource {}: the replay did not show it", key.resource)))
            }
        };
        let commands = bytes(commands)?;
        let count = count.map(&mut bytes).transpose()?;
        found.clear();
        match invocation.resolve(&commands, count.as_deref(), self.command.unwrap_or(0)) {
            Ok(()) => Ok(()),
            Err(Refused::Asked(what)) => Err(Failure::message(exit::USAGE, format!("{}: {what}", place()))),
            Err(Refused::Unsupported(what)) => Err(Failure::message(exit::FAILED, format!("{}: {what}", place()))),
            Err(Refused::Trace(error)) => Err(error).with_context(place).or_exit(exit::TRACE),
        }
    }

    /// Contents right before or after the call, by a replay.
    fn shoot(
        &self,
        invocation: &Invocation,
        keys: &[Key],
        before: bool,
    ) -> Result<BTreeMap<Key, Result<ShotContents, String>>, Failure> {
        let mut found = BTreeMap::new();
        if keys.is_empty() {
            return Ok(found);
        }
        let shots = keys.iter().map(|key| Shot {
            call: invocation.seen,
            before,
            submission: Some(invocation.submission),
            of: key.shot(),
        });
        let (source, runtime) = (&self.source, &self.runtime);
        let report = replay::shoot(source, runtime, shots.collect(), |at, shown| {
            found.insert(keys[at], shown);
        })?;
        replay::sound(&report, source)?;
        let is_left_out = [invocation.call, invocation.seen].iter().any(|call| report.left_out_work.has(*call));
        if is_left_out && !before {
            // All is as it was before, and not as the shader leaves it.
            found = keys.iter().map(|key| (*key, Err(NO_PIPELINE.to_owned()))).collect();
        }
        for key in keys {
            found.entry(*key).or_insert_with(|| Err("the replay did not show it".to_owned()));
        }
        Ok(found)
    }

    /// What rays of the call can be asked of, by replays.
    fn scenes(&self, invocation: &Invocation, addresses: &[u64]) -> Result<BTreeMap<u64, Asked>, Failure> {
        match addresses {
            [] => Ok(BTreeMap::new()),
            _ => structures::scenes((&self.source, &self.runtime), invocation.seen, addresses),
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
        let write = told::writes;
        let (range, all) = self.listed(run, told, write);
        told::lines(told, range, |step| all || write(step))
    }

    /// The first and the last step that are listed, and whether all between them are, or only those that are of interest.
    fn listed(&self, run: &Run<'_>, told: &Json, write: impl Fn(&Json) -> bool) -> ((usize, usize), bool) {
        let steps = run.ran.steps.len();
        let at = |index: Option<usize>| index.map_or(steps, |index| index + 1);
        let all = told["steps"].as_array().map_or(&[][..], Vec::as_slice);
        match (&self.steps, self.until) {
            (Some(range), _) => {
                let bound = |step: u64| usize::try_from(step).unwrap_or(usize::MAX);
                if bound(range.0) > steps {
                    let steps = crate::terminal::output::plural(steps as u64, "step");
                    reprise_log::warning(format_args!(
                        "--steps begins behind the end: there are {steps}, and none is listed"
                    ));
                }
                ((bound(range.0), bound(range.1)), true)
            }
            (None, Some(until)) => {
                let last = all.iter().position(|step| until.is(step, &write));
                if last.is_none() {
                    reprise_log::info(format_args!("no step does that: all are listed"));
                }
                ((1, at(last)), true)
            }
            (None, None) => ((1, steps), false),
        }
    }
}

/// A dispatch with what is asked of it.
struct Job<'j> {
    arguments: &'j Arguments,
    dispatch: &'j Invocation,
    modules: &'j [Rc<Module>],
    group: [u32; 3],
    lane: u32,
    wave: u32,
    all_groups: bool,
    lean: Lean,
}

impl Job<'_> {
    /// Runs the groups, until nothing that they read is missing.
    fn run(&self, store: &mut Store<'_>) -> Result<(Ran, Opens), Failure> {
        let call = self.dispatch.call;
        let failed = |what: String| Failure::message(exit::FAILED, format!("call {call}: {what}"));
        // What is bound for writing is looked at, also where the interpreter writes nothing.
        let mut bound = BTreeSet::new();
        let commands = if self.arguments.no_check { 0 } else { self.dispatch.commands.len() };
        for command in 0..commands {
            store.begin(command);
            bound.extend(store.writable());
        }
        store.begin(self.dispatch.chosen);
        let absent: Vec<Key> = bound.into_iter().filter(|key| !store.contents.contains_key(key)).collect();
        for (key, contents) in self.arguments.shoot(self.dispatch, &absent, true)? {
            match contents {
                Ok(contents) => store.put(key, contents),
                Err(reason) => _ = store.unfetched.insert(key, reason),
            }
        }
        let mut at = self.dispatch.chosen;
        let run = |store: &mut Store<'_>, opens: &mut Opens| {
            at = self.dispatch.chosen;
            self.groups(store, opens, &mut at)
        };
        let (ran, opens) = self.arguments.complete(self.dispatch, store, self.lean, run)?;
        ran.map(|ran| (ran, opens)).map_err(|fault| failed(told::fault(&self.modules[at], &fault)))
    }

    /// Runs the groups of all commands, or one alone. `at` is the command that runs.
    fn groups(
        &self,
        store: &mut Store<'_>,
        opens: &mut Opens,
        at: &mut usize,
    ) -> Result<Ran, reprise_interpreter::Fault> {
        let mut found = Ran::default();
        let chosen = self.dispatch.chosen;
        for (number, command) in self.dispatch.commands.iter().enumerate() {
            if !self.all_groups && number != chosen {
                continue;
            }
            (*at, _) = (number, store.begin(number));
            let groups = command.groups();
            let all =
                (0..groups[2]).flat_map(|z| (0..groups[1]).flat_map(move |y| (0..groups[0]).map(move |x| [x, y, z])));
            for group in all.filter(|group| self.all_groups || *group == self.group) {
                let watched = (group == self.group && number == chosen).then_some(self.lane);
                let (wave, budget) = (self.wave, self.arguments.budget);
                store.begin_group();
                let alone = !self.all_groups;
                let task = Task { groups, group, wave, watched, alone, budget, ..Task::default() };
                let ran = match &self.dispatch.rays {
                    Some(rays) => run_rays(task, rays.most_rays, store, opens)?,
                    None => run_group(&self.modules[number], task, store, opens)?,
                };
                if watched.is_some() {
                    found = ran;
                }
            }
        }
        store.begin(chosen);
        Ok(found)
    }

    /// Contents right before or after the call, by a replay.
    fn shoot(&self, keys: &[Key], before: bool) -> Result<BTreeMap<Key, Result<ShotContents, String>>, Failure> {
        self.arguments.shoot(self.dispatch, keys, before)
    }

    fn check(&mut self, store: &mut Store<'_>, opens: &Opens) -> Result<Check, Failure> {
        let keys: Vec<Key> = store.contents.keys().copied().collect();
        let bytes = |shown: Result<ShotContents, String>| shown.map(|contents| Key::bytes_of(contents).0);
        let after = self.shoot(&keys, false)?.into_iter().map(|(key, shown)| (key, bytes(shown))).collect();
        let how = (self.all_groups, self.dispatch.predicated);
        let check = check::compare(store, &after, how, opens, &[]);
        if !check.wants_asides {
            return Ok(check);
        }
        // How far results go whose last bits are open, the same groups show that lean to one side there.
        let (contents, scattered) = (store.contents.clone(), store.scattered.clone());
        let mut asides = Vec::new();
        for lean in Lean::ASIDE {
            self.lean = lean;
            self.run(store)?;
            asides.push(store.left());
        }
        self.lean = Lean::Nearest;
        (store.contents, store.scattered) = (contents, scattered);
        Ok(check::compare(store, &after, how, opens, &asides))
    }
}
