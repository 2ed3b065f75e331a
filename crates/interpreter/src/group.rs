//! A group of lanes at work: who goes next, where control goes, and what waits.
//!
//! The lanes of a wave that stand at the same instruction make it together. Of several places the one comes first that lies first in
//! structured order, so that lanes that went apart meet where the construct ends. A wave works until all of its lanes wait at a barrier or
//! have ended, or for [`TURN`] instructions; then the next one does.

use crate::fault::Fault;
use crate::module::{Instruction, Module, is_of_wave};
use crate::open::{FREE, Lean, Open, RANGED, Range, either};
use crate::pointer::{Place, Pointer};
use crate::rays::{Query, Stand, TracedRay};
use crate::resources::Resources;
use crate::stage::{Emitted, Given, Payload};
use crate::value::{Value, mask};
use rustc_hash::FxHashMap;
use spirv::{BuiltIn, Decoration, Op, StorageClass};
use std::rc::Rc;

/// Instructions of a wave, until another one may go on: one may wait for what another one writes.
const TURN: u64 = 100_000;
/// Values that all lanes of a group may have at once: 1 GiB.
const MOST_REGISTERS: u64 = 1 << 26;
/// Calls in calls.
const DEEPEST: usize = 64;

/// A group that is to run.
#[derive(Clone, Copy, Debug)]
pub struct Task {
    /// Groups of the dispatch, in each direction.
    pub groups: [u32; 3],
    /// The group.
    pub group: [u32; 3],
    /// Lanes of a wave.
    pub wave: u32,
    /// The lane whose steps are kept, by its index in the group.
    pub watched: Option<u32>,
    /// Other groups of the dispatch do not run, so what atomic operations find and leave in resources is open.
    pub alone: bool,
    /// Instructions that all lanes together may make.
    pub budget: u64,
    /// Steps that are kept at most.
    pub most_steps: usize,
}

impl Default for Task {
    fn default() -> Task {
        let budget = 200_000_000;
        Task { groups: [1; 3], group: [0; 3], wave: 32, watched: None, alone: false, budget, most_steps: 1_000_000 }
    }
}

/// An instruction that the watched lane made.
#[derive(Clone, Debug)]
pub struct Step {
    /// Where it is, in words from the module's beginning.
    pub offset: u32,
    /// Its result; 0 without one.
    pub result: u32,
    /// Type of the result.
    pub kind: u32,
    /// The value of the result.
    pub value: Value,
    /// What it wrote, and where.
    pub write: Option<Write>,
    /// What it emitted.
    pub emitted: Option<Emitted>,
    /// The module that it is of, by its number; 0 where there is one.
    pub module: u32,
    /// Calls of shaders that it lies in.
    pub depth: u32,
}

/// A write.
#[derive(Clone, Debug)]
pub struct Write {
    /// Where.
    pub place: Place,
    /// What.
    pub value: Value,
    /// Type of it.
    pub kind: u32,
}

/// An input of a lane.
#[derive(Clone, Debug)]
pub struct Input {
    /// What it is, as SPIR-V calls it.
    pub name: String,
    /// Its value.
    pub value: Value,
    /// Type of it.
    pub kind: u32,
}

/// An operation whose result the API leaves open, and that had such operands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenOperation {
    /// Where the instruction is.
    pub offset: u32,
    /// What it is, and what is open.
    pub what: String,
}

/// Operations whose results are open, over all groups of a dispatch.
#[derive(Clone, Debug, Default)]
pub struct Opens {
    all: Vec<OpenOperation>,
    known: FxHashMap<(u32, u32, &'static str), Open>,
    /// The module that runs, by its number.
    pub(crate) module: u32,
    ranges: Vec<Range>,
    lean: Lean,
}

impl Opens {
    /// All of them.
    pub fn all(&self) -> &[OpenOperation] {
        &self.all
    }

    /// What is open about a value.
    pub fn get(&self, open: Open) -> Option<&OpenOperation> {
        self.all.get(usize::try_from(self.plain(open) & !FREE).ok()?.checked_sub(1)?)
    }

    /// Within which bounds a value is open; `None`: there are none.
    pub fn range(&self, open: Open) -> Option<&Range> {
        if open & RANGED == 0 {
            return None;
        }
        self.ranges.get((open & !(RANGED | FREE)) as usize)
    }

    /// What is open, without bounds: of what is computed of a value they are others.
    pub fn plain(&self, open: Open) -> Open {
        self.range(open).map_or(open & !RANGED, |range| range.open)
    }

    /// A value with bounds.
    pub fn bound(&mut self, range: Range) -> Open {
        let open = self.ranges.len() as Open;
        if open & (RANGED | FREE) != 0 {
            return range.open;
        }
        self.ranges.push(range);
        open | RANGED | range.open & FREE
    }

    /// Names something that no instruction leaves open, and that may be anything.
    pub fn name(&mut self, what: &'static str) -> Open {
        self.near(what) | FREE
    }

    /// Names something of which no instruction leaves the last bits open.
    pub fn near(&mut self, what: &'static str) -> Open {
        self.named(0, what, || what.to_owned())
    }

    fn named(&mut self, offset: u32, what: &'static str, text: impl FnOnce() -> String) -> Open {
        let Opens { all, known, module, .. } = self;
        *known.entry((*module, offset, what)).or_insert_with(|| {
            all.push(OpenOperation { offset, what: text() });
            // Nobody has so many instructions: words of modules are fewer.
            all.len() as Open & !(RANGED | FREE)
        })
    }

    /// Which values the run goes on with, where the last bits are open.
    pub fn lean(&mut self, lean: Lean) {
        self.lean = lean;
    }

    /// Which values the run goes on with.
    pub(crate) fn leans(&self) -> Lean {
        self.lean
    }

    /// Where this run leans, of something open: -1 to less, 1 to more, 0 not at all.
    pub fn side(&self, open: Open) -> f64 {
        self.lean.sign(open)
    }
}

/// What a run of a group gave.
#[derive(Clone, Debug, Default)]
pub struct Ran {
    /// Of the watched lane.
    pub inputs: Vec<Input>,
    /// Of the watched lane.
    pub steps: Vec<Step>,
    /// Whether there were more steps than are kept.
    pub cut: bool,
    /// Instructions that all lanes together made.
    pub instructions: u64,
    /// Rays of the watched lane, in the order in which they begin.
    pub rays: Vec<TracedRay>,
}

/// A call.
#[derive(Clone, Debug)]
struct Frame {
    function: u32,
    /// The block that control came from.
    block: u32,
    /// The block that it is in.
    label: u32,
}

/// A lane.
#[derive(Debug)]
pub(crate) struct Lane {
    pub(crate) registers: Vec<Value>,
    frames: Vec<Frame>,
    /// Of each call, where it is.
    places: Vec<usize>,
    pub(crate) variables: FxHashMap<u32, Value>,
    waits: bool,
    /// What is open about the way that it took.
    pub(crate) way: Open,
    /// What it writes to resources is lost.
    pub(crate) helper: bool,
    /// Its fragment is no more.
    pub(crate) discarded: bool,
    /// What it emitted.
    pub(crate) emitted: Vec<Emitted>,
    /// Its ray queries, by their variables.
    pub(crate) queries: FxHashMap<(u32, Vec<u32>), Query>,
}

/// A group at work.
pub(crate) struct Group<'a> {
    pub(crate) module: &'a Module,
    /// Of a draw what each lane begins with; a compute shader's lanes know where they are.
    given: &'a [Given],
    pub(crate) resources: &'a mut dyn Resources,
    pub(crate) task: Task,
    pub(crate) lanes: Vec<Lane>,
    pub(crate) shared: FxHashMap<u32, Value>,
    pub(crate) ran: Ran,
    pub(crate) opened: &'a mut Opens,
    /// What the instruction wrote that the watched lane makes.
    pub(crate) write: Option<Write>,
    /// What it emitted.
    pub(crate) emitted: Option<Emitted>,
    /// Lanes that make the instruction, by rising index.
    pub(crate) active: Vec<usize>,
    /// Of a shader of rays where it stands.
    pub(crate) stand: Option<Box<Stand>>,
    /// Of an amplification shader the groups that it starts, of a mesh shader its vertices and primitives; and what is open about these.
    pub(crate) asked: Option<([u32; 3], Open)>,
}

/// Whether variables of a class pass values from one shader of a ray to another.
fn is_of_rays(class: StorageClass) -> bool {
    use StorageClass::*;
    matches!(class, RayPayloadKHR | IncomingRayPayloadKHR | CallableDataKHR | IncomingCallableDataKHR | HitAttributeKHR)
}

/// Runs a group of a compute shader.
///
/// # Errors
/// When the module is wrong, has what is unsupported, or runs too long.
pub fn run(module: &Module, task: Task, resources: &mut dyn Resources, opens: &mut Opens) -> Result<Ran, Fault> {
    let mut group = Group::of_shared(module, task, &Payload::new(), resources, opens)?;
    group.run()?;
    Ok(group.ran)
}

impl<'a> Group<'a> {
    /// A wave of a draw.
    pub(crate) fn of_lanes(
        module: &'a Module,
        task: Task,
        given: &'a [Given],
        resources: &'a mut dyn Resources,
        opens: &'a mut Opens,
    ) -> Result<Self, Fault> {
        Group::new(module, task, (given.len() as u64, given), resources, opens, None)
    }

    /// A shader of a ray: one lane.
    pub(crate) fn of_ray(
        module: &'a Module,
        task: Task,
        resources: &'a mut dyn Resources,
        opens: &'a mut Opens,
        stand: Stand,
    ) -> Result<Self, Fault> {
        Group::new(module, task, (1, &[]), resources, opens, Some(Box::new(stand)))
    }

    /// A group that knows where it is.
    pub(crate) fn of_shared(
        module: &'a Module,
        task: Task,
        payload: &Payload,
        resources: &'a mut dyn Resources,
        opens: &'a mut Opens,
    ) -> Result<Self, Fault> {
        let [x, y, z] = module.group;
        let count = u64::from(x) * u64::from(y) * u64::from(z);
        // The most that Direct3D 12 allows.
        if count == 0 || count > 1024 {
            return Err(Fault::Unsupported { offset: 0, what: format!("a group of {x} by {y} by {z} lanes") });
        }
        let mut group = Group::new(module, task, (count, &[]), resources, opens, None)?;
        group.take_payload(payload)?;
        Ok(group)
    }

    fn new(
        module: &'a Module,
        task: Task,
        (count, given): (u64, &'a [Given]),
        resources: &'a mut dyn Resources,
        opens: &'a mut Opens,
        stand: Option<Box<Stand>>,
    ) -> Result<Self, Fault> {
        if count * u64::from(module.bound) > MOST_REGISTERS {
            let what = format!("{count} lanes with {} results each", module.bound);
            return Err(Fault::Unsupported { offset: 0, what });
        }
        let mut group = Group {
            module,
            given,
            resources,
            task: Task { wave: task.wave.clamp(1, 128), ..task },
            lanes: Vec::new(),
            shared: FxHashMap::default(),
            ran: Ran::default(),
            opened: opens,
            write: None,
            emitted: None,
            active: Vec::new(),
            stand,
            asked: None,
        };
        for index in 0..count as u32 {
            let lane = group.lane(index)?;
            group.lanes.push(lane);
        }
        for (id, variable) in &module.variables {
            if module.is_shared(variable.class) {
                let to = group.target(variable.kind, 0)?;
                group.shared.insert(*id, module.zero(to, 0)?);
            }
        }
        Ok(group)
    }

    /// What a type of pointers leads to.
    pub(crate) fn target(&self, pointer: u32, offset: u32) -> Result<u32, Fault> {
        match self.module.kind(pointer, offset)? {
            crate::kind::Kind::Pointer { to, .. } => Ok(*to),
            other => Err(self.module.malformed(offset, format!("{other:?} is no pointer"))),
        }
    }

    fn lane(&mut self, index: u32) -> Result<Lane, Fault> {
        let module = self.module;
        let mut variables = FxHashMap::default();
        for (id, variable) in &module.variables {
            let class = StorageClass::from_u32(variable.class).filter(|_| !module.is_shared(variable.class));
            let value = match class {
                Some(StorageClass::Input) => match self.given.get(index as usize) {
                    Some(given) => self.given_input(*id, given)?,
                    None if self.stand.is_some() => self.ray_input(*id)?,
                    None => self.input(*id, index)?,
                },
                Some(class) if is_of_rays(class) => self.ray_variable(class, variable)?,
                Some(StorageClass::Private | StorageClass::Output) => {
                    let to = self.target(variable.kind, 0)?;
                    match variable.initial.and_then(|initial| module.constants.get(&initial)) {
                        Some((_, initial)) => initial.clone(),
                        None => module.zero(to, 0)?,
                    }
                }
                _ => continue,
            };
            variables.insert(*id, value);
        }
        let first = module.functions.get(&module.entry).and_then(|function| function.instructions.first());
        let frame = Frame { function: module.entry, block: 0, label: first.map_or(0, |label| label.result) };
        let registers = vec![Value::Nothing; module.bound as usize];
        let helper = self.given.get(index as usize).is_some_and(|given| given.helper);
        let (frames, places) = (vec![frame], vec![0]);
        let way = self.stand.as_ref().map_or(0, |stand| stand.way);
        let (waits, discarded, emitted, queries) = (false, false, Vec::new(), FxHashMap::default());
        Ok(Lane { registers, frames, places, variables, waits, way, helper, discarded, emitted, queries })
    }

    /// What an input holds.
    fn input(&self, variable: u32, index: u32) -> Result<Value, Fault> {
        let Task { groups, group, wave, .. } = self.task;
        let [x, y, _] = self.module.group;
        let count = self.module.group.iter().product::<u32>();
        let own = [index % x, index / x % y, index / x / y];
        let number = |number: u32| Value::Number(number.into(), 0);
        let three = |of: [u32; 3]| Value::of_parts(of.iter().map(|it| number(*it)).collect());
        let built_in = self.module.decoration(variable, Decoration::BuiltIn).and_then(BuiltIn::from_u32);
        Ok(match built_in {
            Some(BuiltIn::NumWorkgroups) => three(groups),
            Some(BuiltIn::WorkgroupSize) => three(self.module.group),
            Some(BuiltIn::WorkgroupId) => three(group),
            Some(BuiltIn::LocalInvocationId) => three(own),
            Some(BuiltIn::GlobalInvocationId) => {
                let global = |at: usize| group[at].wrapping_mul(self.module.group[at]).wrapping_add(own[at]);
                three([0, 1, 2].map(global))
            }
            Some(BuiltIn::LocalInvocationIndex) => number(index),
            Some(BuiltIn::SubgroupSize) => number(wave),
            Some(BuiltIn::SubgroupLocalInvocationId) => number(index % wave),
            Some(BuiltIn::SubgroupId) => number(index / wave),
            Some(BuiltIn::NumSubgroups) => number(count.div_ceil(wave)),
            other => {
                let what = match other {
                    Some(other) => format!("the input {other:?}"),
                    None => format!("the input {}", self.module.name(variable)),
                };
                return Err(Fault::Unsupported { offset: 0, what });
            }
        })
    }

    /// Runs all lanes to their ends.
    pub(crate) fn run(&mut self) -> Result<(), Fault> {
        self.keep_inputs();
        let count = self.lanes.len();
        let wave = self.task.wave as usize;
        loop {
            for first in (0..count).step_by(wave) {
                self.turn(first..count.min(first + wave))?;
            }
            let mut live = self.lanes.iter_mut().filter(|lane| !lane.frames.is_empty()).peekable();
            if live.peek().is_none() {
                return Ok(());
            }
            if live.all(|lane| lane.waits) {
                self.open_barrier()?;
            }
        }
    }

    /// Says what the watched lane begins with.
    fn keep_inputs(&mut self) {
        // Those of the first shader.
        if self.stand.as_ref().is_some_and(|stand| stand.depth != 0) {
            return;
        }
        let module = self.module;
        let Some(lane) = self.task.watched.and_then(|lane| self.lanes.get(lane as usize)) else { return };
        let mut inputs: Vec<(u32, Input)> = Vec::new();
        for (id, variable) in &module.variables {
            if variable.class != StorageClass::Input as u32 {
                continue;
            }
            let built_in = module.decoration(*id, Decoration::BuiltIn).and_then(BuiltIn::from_u32);
            let name = built_in.map_or_else(|| module.name(*id), |built_in| format!("{built_in:?}"));
            let kind = self.target(variable.kind, 0).unwrap_or(0);
            let value = lane.variables.get(id).cloned().unwrap_or_default();
            inputs.push((*id, Input { name, value, kind }));
        }
        inputs.sort_by_key(|(id, _)| *id);
        self.ran.inputs = inputs.into_iter().map(|(_, input)| input).collect();
    }

    /// All lanes that have not ended stand at a barrier.
    fn open_barrier(&mut self) -> Result<(), Fault> {
        let place = |lane: &Lane| (lane.frames.last().map(|frame| frame.function), lane.places.last().copied());
        let mut live = self.lanes.iter().filter(|lane| !lane.frames.is_empty());
        let first = live.next().map(place);
        if let Some((Some(function), Some(at))) = first
            && live.any(|lane| Some(place(lane)) != first)
        {
            let offset = self.module.functions[&function].instructions[at].offset;
            return Err(Fault::Barrier { offset });
        }
        for lane in &mut self.lanes {
            if lane.waits {
                lane.waits = false;
                if let Some(place) = lane.places.last_mut() {
                    *place += 1;
                }
            }
        }
        Ok(())
    }

    /// A wave works.
    fn turn(&mut self, wave: std::ops::Range<usize>) -> Result<(), Fault> {
        let mut active = Vec::with_capacity(wave.len());
        for _ in 0..TURN {
            let ready = |lane: &&Lane| !lane.waits && !lane.frames.is_empty();
            let Some(place) = self.lanes[wave.clone()].iter().filter(ready).map(|lane| &lane.places).min() else {
                return Ok(());
            };
            active.clear();
            active.extend(wave.clone().filter(|lane| {
                let lane = &self.lanes[*lane];
                ready(&lane) && lane.places == *place
            }));
            self.ran.instructions += active.len() as u64;
            if self.ran.instructions > self.task.budget {
                return Err(Fault::Budget { steps: self.task.budget });
            }
            self.advance(&active)?;
        }
        Ok(())
    }

    /// Lanes that stand at the same place make the instruction there.
    fn advance(&mut self, active: &[usize]) -> Result<(), Fault> {
        let module = self.module;
        self.active.clear();
        self.active.extend(active);
        let first = &self.lanes[active[0]];
        let (Some(frame), Some(at)) = (first.frames.last(), first.places.last()) else { return Ok(()) };
        let function = &module.functions[&frame.function];
        let instruction = function.instructions.get(*at).ok_or_else(|| {
            let offset = function.instructions.last().map_or(0, |last| last.offset);
            module.malformed(offset, "a block does not end".to_owned())
        })?;
        match instruction.op {
            Op::ControlBarrier => return self.barrier(active, instruction),
            Op::Label | Op::SelectionMerge | Op::LoopMerge | Op::MemoryBarrier => {}
            Op::Branch | Op::BranchConditional | Op::Switch => {
                return active.iter().try_for_each(|lane| self.branch(*lane, instruction));
            }
            Op::Return | Op::ReturnValue => {
                return active.iter().try_for_each(|lane| self.leave(*lane, instruction));
            }
            Op::Kill | Op::TerminateInvocation => {
                active.iter().for_each(|lane| self.discard(*lane, instruction));
                return Ok(());
            }
            Op::IgnoreIntersectionKHR | Op::TerminateRayKHR => {
                self.end_hit(instruction);
                active.iter().for_each(|lane| self.discard(*lane, instruction));
                return Ok(());
            }
            Op::TraceRayKHR | Op::ExecuteCallableKHR => {
                for lane in active {
                    self.note(*lane, instruction, Value::Nothing);
                    self.call_shader(*lane, instruction)?;
                }
            }
            Op::EmitMeshTasksEXT => return self.start_meshes(active, instruction),
            Op::FunctionCall => return active.iter().try_for_each(|lane| self.call(*lane, instruction)),
            Op::Unreachable => return Err(module.malformed(instruction.offset, "OpUnreachable is reached".into())),
            op if is_of_wave(op) => self.wave(active, instruction)?,
            _ => {
                for lane in active {
                    let value = self.compute(*lane, instruction)?;
                    self.give(*lane, instruction, value);
                }
            }
        }
        for lane in active {
            if let Some(place) = self.lanes[*lane].places.last_mut() {
                *place += 1;
            }
        }
        Ok(())
    }

    /// A lane ends in the middle of an instruction.
    pub(crate) fn end_at_report(&mut self, lane: usize) {
        self.lanes[lane].frames.clear();
    }

    /// A lane's fragment is no more, and the lane ends.
    fn discard(&mut self, lane: usize, instruction: &Instruction) {
        self.end(lane, instruction);
        self.lanes[lane].discarded = true;
    }

    /// A lane ends.
    pub(crate) fn end(&mut self, lane: usize, instruction: &Instruction) {
        self.note(lane, instruction, Value::Nothing);
        let lane = &mut self.lanes[lane];
        lane.frames.clear();
        lane.places.clear();
    }

    fn barrier(&mut self, active: &[usize], instruction: &Instruction) -> Result<(), Fault> {
        let scope = self.operand(active[0], instruction, 0)?;
        let Value::Number(scope, _) = scope else { return Err(self.short(instruction)) };
        // Lanes of a wave stand together already.
        let waits = scope != u64::from(spirv::Scope::Subgroup as u32);
        for lane in active {
            self.note(*lane, instruction, Value::Nothing);
            let lane = &mut self.lanes[*lane];
            lane.waits = waits;
            if !waits && let Some(place) = lane.places.last_mut() {
                *place += 1;
            }
        }
        Ok(())
    }

    fn branch(&mut self, lane: usize, instruction: &Instruction) -> Result<(), Fault> {
        let operands = instruction.operands.as_slice();
        let target = match (instruction.op, operands) {
            (Op::Branch, [target]) => *target,
            (_, [selector, ..]) => {
                let Value::Number(bits, open) = *self.register(lane, *selector, instruction)? else {
                    return Err(self.module.malformed(instruction.offset, "a branch by what is no number".to_owned()));
                };
                let way = &mut self.lanes[lane].way;
                *way = either(*way, open);
                match (instruction.op, operands) {
                    (Op::BranchConditional, [_, yes, no, ..]) => {
                        if bits != 0 {
                            *yes
                        } else {
                            *no
                        }
                    }
                    (Op::Switch, [selector, default, cases @ ..]) => {
                        let wide = self.module.is_wide(*selector);
                        let mut cases = cases.chunks_exact(if wide { 3 } else { 2 });
                        let value = |case: &[u32]| u64::from(case[0]) | if wide { u64::from(case[1]) << 32 } else { 0 };
                        let found = cases.find(|case| value(case) & mask(64) == bits);
                        found.map_or(*default, |case| case[case.len() - 1])
                    }
                    _ => return Err(self.short(instruction)),
                }
            }
            _ => return Err(self.short(instruction)),
        };
        self.note(lane, instruction, Value::Nothing);
        self.go(lane, target, instruction)
    }

    /// Control goes to a block, whose phis are given their values all at once.
    fn go(&mut self, lane: usize, label: u32, from: &Instruction) -> Result<(), Fault> {
        let module = self.module;
        let wrong = |what: String| module.malformed(from.offset, what);
        let Some(frame) = self.lanes[lane].frames.last_mut() else { return Ok(()) };
        let function = &module.functions[&frame.function];
        let begin = *function.blocks.get(&label).ok_or_else(|| wrong(format!("there is no block %{label}")))?;
        (frame.block, frame.label) = (frame.label, label);
        let before = frame.block;
        let phis = function.instructions[begin + 1..].iter().take_while(|instruction| instruction.op == Op::Phi);
        let mut values = Vec::new();
        for phi in phis {
            let mut pairs = phi.operands.chunks_exact(2);
            let pair = pairs.find(|pair| pair[1] == before);
            let pair = pair.ok_or_else(|| wrong(format!("a phi has no value from block %{before}")))?;
            values.push((phi, self.register(lane, pair[0], phi)?.clone()));
        }
        let count = values.len();
        for (phi, value) in values {
            self.give(lane, phi, Some(value));
        }
        if let Some(place) = self.lanes[lane].places.last_mut() {
            *place = begin + 1 + count;
        }
        Ok(())
    }

    fn call(&mut self, lane: usize, instruction: &Instruction) -> Result<(), Fault> {
        let module = self.module;
        let (id, arguments) = instruction.operands.split_first().ok_or_else(|| self.short(instruction))?;
        let function = module.functions.get(id);
        let function = function.ok_or_else(|| module.malformed(instruction.offset, format!("no function is %{id}")))?;
        if self.lanes[lane].frames.len() >= DEEPEST || arguments.len() != function.parameters.len() {
            return Err(module.malformed(instruction.offset, "a call that cannot be made".to_owned()));
        }
        for (parameter, argument) in function.parameters.iter().zip(arguments) {
            let value = self.register(lane, *argument, instruction)?.clone();
            self.lanes[lane].registers[*parameter as usize] = value;
        }
        self.note(lane, instruction, Value::Nothing);
        let lane = &mut self.lanes[lane];
        let label = function.instructions.first().map_or(0, |first| first.result);
        lane.frames.push(Frame { function: *id, block: 0, label });
        lane.places.push(0);
        Ok(())
    }

    fn leave(&mut self, lane: usize, instruction: &Instruction) -> Result<(), Fault> {
        let value = match (instruction.op, instruction.operands.first()) {
            (Op::ReturnValue, Some(id)) => self.register(lane, *id, instruction)?.clone(),
            _ => Value::Nothing,
        };
        self.note(lane, instruction, Value::Nothing);
        self.lanes[lane].frames.pop();
        self.lanes[lane].places.pop();
        let module = self.module;
        let (Some(frame), Some(at)) = (self.lanes[lane].frames.last(), self.lanes[lane].places.last()) else {
            return Ok(());
        };
        let call = &module.functions[&frame.function].instructions[*at];
        if call.result != 0 {
            self.lanes[lane].registers[call.result as usize] = value.clone();
        }
        if Some(lane as u32) == self.task.watched && value != Value::Nothing {
            self.note(lane, call, value);
        }
        if let Some(place) = self.lanes[lane].places.last_mut() {
            *place += 1;
        }
        Ok(())
    }

    /// An instruction has a result.
    pub(crate) fn give(&mut self, lane: usize, instruction: &Instruction, value: Option<Value>) {
        let way = self.lanes[lane].way;
        let value = value.map_or(Value::Nothing, |value| value.opened(way));
        if instruction.result != 0 {
            self.lanes[lane].registers[instruction.result as usize] = value.clone();
        }
        if !matches!(instruction.op, Op::Label | Op::SelectionMerge | Op::LoopMerge) {
            self.note(lane, instruction, value);
        }
    }

    /// Keeps a step, if the lane is watched.
    fn note(&mut self, lane: usize, instruction: &Instruction, value: Value) {
        let (write, emitted) = (self.write.take(), self.emitted.take());
        if Some(lane as u32) != self.task.watched {
            return;
        }
        if self.ran.steps.len() >= self.task.most_steps {
            self.ran.cut = true;
            return;
        }
        let Instruction { offset, result, kind, .. } = *instruction;
        let (module, depth) = (self.module.number, self.stand.as_ref().map_or(0, |stand| stand.depth));
        self.ran.steps.push(Step { offset, result, kind, value, write, emitted, module, depth });
    }

    /// A value that an instruction uses.
    pub(crate) fn register(&self, lane: usize, id: u32, instruction: &Instruction) -> Result<&Value, Fault> {
        let value = self.lanes[lane].registers.get(id as usize).filter(|value| **value != Value::Nothing);
        let value = value.or_else(|| self.module.constants.get(&id).map(|(_, value)| value));
        value.ok_or_else(|| self.module.malformed(instruction.offset, format!("%{id} has no value")))
    }

    /// The value of an operand, by its place.
    pub(crate) fn operand(&self, lane: usize, instruction: &Instruction, at: usize) -> Result<Value, Fault> {
        let id = *instruction.operands.get(at).ok_or_else(|| self.short(instruction))?;
        if let Some(variable) = self.module.variables.get(&id) {
            return Ok(Value::Pointer(Rc::new(self.variable(
                id,
                variable.kind,
                variable.class,
                instruction.offset,
            )?)));
        }
        self.register(lane, id, instruction).cloned()
    }

    /// A pointer to a variable of the module.
    fn variable(&self, id: u32, kind: u32, class: u32, offset: u32) -> Result<Pointer, Fault> {
        let to = self.target(kind, offset)?;
        let place = match StorageClass::from_u32(class) {
            Some(StorageClass::PushConstant) => Place::Memory(crate::pointer::Buffer::Root, 0),
            Some(StorageClass::ShaderRecordBufferKHR) => Place::Memory(crate::pointer::Buffer::Record, 0),
            Some(StorageClass::UniformConstant | StorageClass::Uniform | StorageClass::StorageBuffer) => {
                let part = |decoration| self.module.decoration(id, decoration).unwrap_or(0);
                let (set, binding) = (part(Decoration::DescriptorSet), part(Decoration::Binding));
                let descriptor = crate::pointer::Descriptor { set, binding, index: 0 };
                let chosen = !matches!(self.module.kind(to, offset)?, crate::kind::Kind::Array { .. });
                Place::Descriptor { descriptor, chosen }
            }
            _ => Place::Variable { variable: id, shared: self.module.is_shared(class), path: Vec::new() },
        };
        Ok(Pointer { place, to, open: 0 })
    }

    /// Names something that the API leaves open, and that may be anything.
    pub(crate) fn opens(&mut self, instruction: &Instruction, what: &'static str) -> Open {
        self.opens_last_bits(instruction, what) | FREE
    }

    /// Names something whose last bits the API leaves open.
    pub(crate) fn opens_last_bits(&mut self, instruction: &Instruction, what: &'static str) -> Open {
        let label = &self.module.label;
        let of = if label.is_empty() { String::new() } else { format!("{label}: ") };
        self.opened.named(instruction.offset, what, || match what.strip_prefix("Op: ") {
            Some(what) => format!("{of}{:?}: {what}", instruction.op),
            None => format!("{of}{what}"),
        })
    }

    pub(crate) fn short(&self, instruction: &Instruction) -> Fault {
        self.module.malformed(instruction.offset, format!("Op{:?} has too few operands", instruction.op))
    }

    pub(crate) fn unsupported(&self, instruction: &Instruction) -> Fault {
        Fault::Unsupported { offset: instruction.offset, what: format!("Op{:?}", instruction.op) }
    }
}
