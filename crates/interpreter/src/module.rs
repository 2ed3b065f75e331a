//! A module, read: types, constants, variables, and functions whose blocks stand in structured order.
//!
//! Invariant: an instruction of a function stands behind all that structured control flow leads through before it, but for the branches
//! back to the heads of loops. So lanes that went apart meet again where the lane that is the furthest behind always goes first
//! ([`crate::group`]).

use crate::fault::Fault;
use crate::gives::Gives;
use crate::kind::{Image, Kind};
use crate::value::{Value, mask};
use rustc_hash::{FxHashMap, FxHashSet};
use spirv::{BuiltIn, Decoration, Op};

/// Words before the instructions.
const HEADER: usize = 5;
const MAGIC: u32 = 0x0723_0203;
/// The most results that SPIR-V allows (2.17, "Universal Limits").
const MOST_RESULTS: u32 = 4_194_303;
/// Types in types, calls in calls.
const DEEPEST: usize = 64;
/// Elements of an array of constants or of a variable.
pub(crate) const MOST_ELEMENTS: u32 = 1 << 20;

/// An instruction of a function.
#[derive(Clone, Debug)]
pub struct Instruction {
    /// Words from the module's beginning.
    pub offset: u32,
    /// What it does.
    pub op: Op,
    /// Type of its result; 0 without one.
    pub kind: u32,
    /// Its result; 0 without one.
    pub result: u32,
    /// What else it says.
    pub operands: Vec<u32>,
}

/// A function.
#[derive(Clone, Debug, Default)]
pub(crate) struct Function {
    pub(crate) parameters: Vec<u32>,
    pub(crate) instructions: Vec<Instruction>,
    /// By label, where the block begins.
    pub(crate) blocks: FxHashMap<u32, usize>,
}

/// A variable.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Variable {
    /// Type of the pointer to it.
    pub(crate) kind: u32,
    pub(crate) class: u32,
    pub(crate) initial: Option<u32>,
}

/// Rules for denormals of 32-bit floats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Denormals {
    /// The API lets both be.
    #[default]
    Open,
    /// They are kept.
    Kept,
    /// They are 0.
    Zero,
}

/// A module.
#[derive(Clone, Debug, Default)]
pub struct Module {
    pub(crate) kinds: FxHashMap<u32, Kind>,
    pub(crate) constants: FxHashMap<u32, (u32, Value)>,
    pub(crate) variables: FxHashMap<u32, Variable>,
    pub(crate) functions: FxHashMap<u32, Function>,
    names: FxHashMap<u32, String>,
    /// By target and decoration, what it says first.
    decorations: FxHashMap<(u32, u32), u32>,
    members: FxHashMap<(u32, u32, u32), u32>,
    /// Imports of `GLSL.std.450`.
    pub(crate) extended: FxHashSet<u32>,
    /// The function of the first entry point.
    pub(crate) entry: u32,
    /// `ExecutionModel` of SPIR-V.
    pub(crate) model: u32,
    /// Lanes of a group.
    pub(crate) group: [u32; 3],
    pub(crate) denormals: Denormals,
    /// Quads of a group have two rows of it, and are not four lanes that follow each other.
    pub(crate) quads_of_rows: bool,
    tests_early: bool,
    /// Of geometry, hull and domain shaders.
    pub(crate) gives: Gives,
    pub(crate) bound: u32,
    /// Types of the results of functions.
    results: FxHashMap<u32, u32>,
    /// By word, the line and column of the source that an instruction is of.
    lines: FxHashMap<u32, (u32, u32)>,
    /// Of what is read.
    line: Option<(u32, u32)>,
    /// Among several modules of a pipeline: its number from 1, and what its shader is called.
    pub(crate) number: u32,
    pub(crate) label: String,
}

/// Whether an instruction has a type and a result.
fn shape(op: Op) -> (bool, bool) {
    use Op::*;
    match op {
        Store
        | CopyMemory
        | Branch
        | BranchConditional
        | Switch
        | SelectionMerge
        | LoopMerge
        | Return
        | ReturnValue
        | Kill
        | TerminateInvocation
        | Unreachable
        | ControlBarrier
        | MemoryBarrier
        | ImageWrite
        | AtomicStore
        | FunctionEnd
        | Nop
        | Line
        | NoLine
        | EmitVertex
        | EndPrimitive
        | EmitStreamVertex
        | EndStreamPrimitive
        | DemoteToHelperInvocation
        | RayQueryInitializeKHR
        | RayQueryTerminateKHR
        | RayQueryGenerateIntersectionKHR
        | RayQueryConfirmIntersectionKHR
        | TraceRayKHR
        | ExecuteCallableKHR
        | IgnoreIntersectionKHR
        | TerminateRayKHR
        | EmitMeshTasksEXT
        | SetMeshOutputsEXT
        | BeginInvocationInterlockEXT
        | EndInvocationInterlockEXT
        | LifetimeStart
        | LifetimeStop => (false, false),
        Label => (false, true),
        _ => (true, true),
    }
}

/// Whether an instruction is of a wave.
pub(crate) fn is_of_wave(op: Op) -> bool {
    const FIRST: u32 = Op::GroupNonUniformElect as u32;
    const LAST: u32 = Op::GroupNonUniformQuadSwap as u32;
    // Those of extensions have numbers elsewhere, and are unsupported.
    (FIRST..=LAST).contains(&(op as u32))
        || matches!(op, Op::GroupNonUniformPartitionEXT | Op::GroupNonUniformRotateKHR)
}

/// The text that words begin with, and how many words it takes.
fn text(words: &[u32]) -> String {
    let bytes = words.iter().flat_map(|word| word.to_le_bytes()).take_while(|byte| *byte != 0);
    String::from_utf8_lossy(&bytes.collect::<Vec<_>>()).into_owned()
}

impl Module {
    /// Reads a module.
    ///
    /// # Errors
    /// When it breaks SPIR-V's rules, or has what the interpreter cannot run at all.
    pub fn read(words: &[u32]) -> Result<Module, Fault> {
        let malformed = |offset: usize, what: &str| Fault::Malformed { offset: offset as u32, what: what.to_owned() };
        if words.len() < HEADER || words[0] != MAGIC {
            return Err(malformed(0, "this is no SPIR-V"));
        }
        let mut module = Module { bound: words[3], group: [1; 3], ..Module::default() };
        if module.bound > MOST_RESULTS {
            return Err(malformed(3, "more results than SPIR-V allows"));
        }
        let mut at = HEADER;
        // The function that is read: its number, and its blocks.
        let mut function: Option<(u32, Function, Vec<Block>)> = None;
        while at < words.len() {
            let (length, code) = ((words[at] >> 16) as usize, words[at] & 0xffff);
            let instruction = words.get(at..at + length).filter(|words| !words.is_empty());
            let instruction = instruction.ok_or_else(|| malformed(at, "an instruction goes beyond the end"))?;
            let op = Op::from_u32(code).ok_or_else(|| malformed(at, &format!("instruction {code} is unknown")))?;
            let operands = &instruction[1..];
            module.take(&mut function, at as u32, op, operands)?;
            at += length;
        }
        if function.is_some() {
            return Err(malformed(at, "a function does not end"));
        }
        if !module.functions.contains_key(&module.entry) {
            return Err(malformed(at, "there is no entry point"));
        }
        Ok(module)
    }

    /// The same, as one of several of a pipeline: its number from 1, and what its shader is called.
    pub fn called(self, number: u32, label: String) -> Module {
        Module { number, label, ..self }
    }

    /// Which of several it is; 0: it is alone.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// What its shader is called, where it is one of several.
    pub fn label(&self) -> &str {
        &self.label
    }

    fn take(
        &mut self,
        function: &mut Option<(u32, Function, Vec<Block>)>,
        offset: u32,
        op: Op,
        operands: &[u32],
    ) -> Result<(), Fault> {
        let short = || Fault::Malformed { offset, what: format!("Op{op:?} has too few operands") };
        if let (Some(_), Op::FunctionEnd) = (&function, op) {
            if let Some((id, mut whole, blocks)) = function.take() {
                arrange(&mut whole, blocks, offset, &|selector| self.is_wide(selector))?;
                self.functions.insert(id, whole);
            }
            return Ok(());
        }
        if let Some((_, whole, blocks)) = function {
            let (has_kind, has_result) = shape(op);
            let taken = usize::from(has_kind) + usize::from(has_result);
            let (before, after) = operands.split_at_checked(taken).ok_or_else(short)?;
            let kind = if has_kind { before[0] } else { 0 };
            let result = if has_result { before[taken - 1] } else { 0 };
            if result >= self.bound.max(1) {
                return Err(self.malformed(offset, format!("result {result} is not below the bound")));
            }
            if has_kind {
                self.results.insert(result, kind);
            }
            let instruction = Instruction { offset, op, kind, result, operands: after.to_vec() };
            match (op, &instruction.operands[..]) {
                (Op::Line, [_, line, column]) => self.line = Some((*line, *column)),
                (Op::Line | Op::NoLine | Op::Label, _) => self.line = None,
                _ => _ = self.line.map(|line| self.lines.insert(offset, line)),
            }
            match (op, blocks.last_mut()) {
                (Op::FunctionParameter, _) => whole.parameters.push(result),
                (Op::Line | Op::NoLine | Op::Nop, _) => {}
                (Op::Label, _) => blocks.push(Block { label: result, instructions: vec![instruction] }),
                (_, Some(block)) => block.instructions.push(instruction),
                (_, None) => return Err(self.malformed(offset, format!("Op{op:?} stands before the first block"))),
            }
            return Ok(());
        }
        match (op, operands) {
            (Op::Function, [_, id, ..]) => *function = Some((*id, Function::default(), Vec::new())),
            (Op::ExtInstImport, [id, name @ ..]) => {
                if text(name) == "GLSL.std.450" {
                    self.extended.insert(*id);
                }
            }
            (Op::EntryPoint, [model, id, ..]) => {
                if self.entry == 0 {
                    (self.entry, self.model) = (*id, *model);
                }
            }
            (Op::ExecutionMode, [_, mode, values @ ..]) => self.mode(*mode, values),
            (Op::Name, [id, name @ ..]) => _ = self.names.insert(*id, text(name)),
            (Op::Decorate, [id, decoration, values @ ..]) => {
                self.decorations.insert((*id, *decoration), values.first().copied().unwrap_or(1));
            }
            (Op::MemberDecorate, [id, member, decoration, values @ ..]) => {
                self.members.insert((*id, *member, *decoration), values.first().copied().unwrap_or(1));
            }
            (Op::Variable, [kind, id, class, initial @ ..]) => {
                let variable = Variable { kind: *kind, class: *class, initial: initial.first().copied() };
                self.variables.insert(*id, variable);
            }
            _ if self.take_kind(offset, op, operands)? => {}
            _ => self.take_constant(offset, op, operands)?,
        }
        Ok(())
    }

    fn mode(&mut self, mode: u32, values: &[u32]) {
        const LOCAL_SIZE: u32 = spirv::ExecutionMode::LocalSize as u32;
        const PRESERVE: u32 = spirv::ExecutionMode::DenormPreserve as u32;
        const FLUSH: u32 = spirv::ExecutionMode::DenormFlushToZero as u32;
        const QUADS: u32 = spirv::ExecutionMode::DerivativeGroupQuadsKHR as u32;
        const EARLY: u32 = spirv::ExecutionMode::EarlyFragmentTests as u32;
        match (mode, values) {
            (LOCAL_SIZE, [x, y, z]) => self.group = [*x, *y, *z],
            (PRESERVE, [32]) => self.denormals = Denormals::Kept,
            (FLUSH, [32]) => self.denormals = Denormals::Zero,
            (QUADS, _) => self.quads_of_rows = true,
            (EARLY, _) => self.tests_early = true,
            _ => self.gives.mode(mode, values),
        }
    }

    /// Takes in a type; false for other instructions.
    fn take_kind(&mut self, offset: u32, op: Op, operands: &[u32]) -> Result<bool, Fault> {
        let kind = match (op, operands) {
            (Op::TypeVoid, [_]) => Kind::Void,
            (Op::TypeBool, [_]) => Kind::Bool,
            (Op::TypeInt, [_, width @ (8 | 16 | 32 | 64), signed]) => {
                Kind::Integer { width: *width, signed: *signed != 0 }
            }
            (Op::TypeFloat, [_, width @ (16 | 32 | 64)]) => Kind::Float { width: *width },
            (Op::TypeVector, [_, of, count @ 2..=16]) => Kind::Vector { of: *of, count: *count, matrix: false },
            (Op::TypeMatrix, [_, of, count @ 2..=4]) => Kind::Vector { of: *of, count: *count, matrix: true },
            (Op::TypeArray, [_, of, length]) => {
                let count = match self.constants.get(length) {
                    Some((_, Value::Number(count, _))) => u32::try_from(*count).ok(),
                    _ => None,
                };
                let count = count.ok_or_else(|| self.malformed(offset, "the length of an array is no constant".into()));
                Kind::Array { of: *of, count: Some(count?) }
            }
            (Op::TypeRuntimeArray, [_, of]) => Kind::Array { of: *of, count: None },
            (Op::TypeStruct, [_, members @ ..]) => Kind::Structure { members: members.to_vec() },
            (Op::TypePointer, [_, class, to]) => Kind::Pointer { class: *class, to: *to },
            (Op::TypeImage, [_, texel, dimension, _, arrayed, multisampled, sampled, ..]) => Kind::Image(Image {
                texel: *texel,
                dimension: *dimension,
                arrayed: *arrayed != 0,
                multisampled: *multisampled != 0,
                storage: *sampled == 2,
            }),
            (Op::TypeSampler, [_]) => Kind::Sampler,
            (Op::TypeSampledImage, [_, image]) => Kind::SampledImage { image: *image },
            (Op::TypeFunction, [_, ..]) => Kind::Opaque("a function"),
            (Op::TypeAccelerationStructureKHR, [_]) => Kind::Acceleration,
            (Op::TypeRayQueryKHR, [_]) => Kind::RayQuery,
            (Op::TypeForwardPointer, _) => return Ok(true),
            _ if format!("{op:?}").starts_with("Type") => {
                return Err(Fault::Unsupported { offset, what: format!("Op{op:?} {operands:?}") });
            }
            _ => return Ok(false),
        };
        self.kinds.insert(operands[0], kind);
        Ok(true)
    }

    fn take_constant(&mut self, offset: u32, op: Op, operands: &[u32]) -> Result<(), Fault> {
        let (kind, id, values) = match operands {
            [kind, id, values @ ..] => (*kind, *id, values),
            _ => return Ok(()),
        };
        let value = match op {
            Op::ConstantTrue | Op::SpecConstantTrue => Value::Number(1, 0),
            Op::ConstantFalse | Op::SpecConstantFalse => Value::Number(0, 0),
            Op::Constant | Op::SpecConstant => {
                let low = u64::from(values.first().copied().unwrap_or(0));
                let bits = low | u64::from(values.get(1).copied().unwrap_or(0)) << 32;
                let width = match self.kind(kind, offset)? {
                    Kind::Integer { width, .. } | Kind::Float { width } => *width,
                    other => return Err(self.malformed(offset, format!("a constant that is {other:?}"))),
                };
                // Signed ones of few bits come with their sign in all.
                Value::Number(bits & mask(width), 0)
            }
            Op::ConstantNull | Op::Undef => self.zero(kind, offset)?,
            Op::ConstantComposite | Op::SpecConstantComposite => {
                let part = |id: &u32| self.constants.get(id).map(|(_, value)| value.clone());
                let parts: Option<Vec<Value>> = values.iter().map(part).collect();
                Value::of_parts(parts.ok_or_else(|| self.malformed(offset, "a constant of what is none".into()))?)
            }
            Op::SpecConstantOp => {
                return Err(Fault::Unsupported { offset, what: "OpSpecConstantOp".to_owned() });
            }
            _ => return Ok(()),
        };
        self.constants.insert(id, (kind, value));
        Ok(())
    }

    /// Gives a constant that may be specialised a value: a word. Nothing changes where the module has no such constant.
    pub fn specialise(&mut self, number: u32, word: u32) {
        for (id, (_, value)) in &mut self.constants {
            if self.decorations.get(&(*id, Decoration::SpecId as u32)) == Some(&number) {
                *value = Value::Number(word.into(), 0);
            }
        }
    }

    /// The line and the column of the source that the instruction at a word is of, where the module says them.
    pub fn line_at(&self, word: u32) -> Option<(u32, u32)> {
        self.lines.get(&word).copied()
    }

    /// The value of a type whose bits are all 0.
    pub(crate) fn zero(&self, kind: u32, offset: u32) -> Result<Value, Fault> {
        self.zero_within(kind, offset, 0)
    }

    fn zero_within(&self, kind: u32, offset: u32, depth: usize) -> Result<Value, Fault> {
        if depth > DEEPEST {
            return Err(self.malformed(offset, "a type has itself in it".to_owned()));
        }
        Ok(match self.kind(kind, offset)? {
            Kind::Bool | Kind::Integer { .. } | Kind::Float { .. } | Kind::Acceleration | Kind::RayQuery => {
                Value::Number(0, 0)
            }
            Kind::Vector { of, count, .. } | Kind::Array { of, count: Some(count) } => {
                if *count > MOST_ELEMENTS {
                    let what = format!("an array of {count} elements outside of buffers");
                    return Err(Fault::Unsupported { offset, what });
                }
                Value::of_parts(vec![self.zero_within(*of, offset, depth + 1)?; *count as usize])
            }
            Kind::Structure { members } => {
                let members = members.iter().map(|member| self.zero_within(*member, offset, depth + 1));
                Value::of_parts(members.collect::<Result<_, _>>()?)
            }
            Kind::Opaque(what) => return Err(Fault::Unsupported { offset, what: (*what).to_owned() }),
            other => return Err(self.malformed(offset, format!("{other:?} has no zero"))),
        })
    }

    /// The type of a number.
    pub(crate) fn kind(&self, id: u32, offset: u32) -> Result<&Kind, Fault> {
        self.kinds.get(&id).ok_or_else(|| self.malformed(offset, format!("%{id} is no type")))
    }

    /// The type of a result, a constant or a variable; 0 where there is none.
    pub fn kind_of(&self, id: u32) -> u32 {
        let known = self.results.get(&id).or_else(|| self.constants.get(&id).map(|(kind, _)| kind));
        known.copied().or_else(|| Some(self.variables.get(&id)?.kind)).unwrap_or(0)
    }

    /// Whether the values of a selector's cases have two words each.
    pub(crate) fn is_wide(&self, selector: u32) -> bool {
        matches!(self.kinds.get(&self.kind_of(selector)), Some(Kind::Integer { width: 64, .. }))
    }

    pub(crate) fn malformed(&self, offset: u32, what: String) -> Fault {
        Fault::Malformed { offset, what }
    }

    pub(crate) fn decoration(&self, id: u32, decoration: Decoration) -> Option<u32> {
        self.decorations.get(&(id, decoration as u32)).copied()
    }

    pub(crate) fn stride(&self, kind: u32) -> u32 {
        self.decoration(kind, Decoration::ArrayStride).unwrap_or(0)
    }

    pub(crate) fn member_offset(&self, kind: u32, member: u32) -> u64 {
        u64::from(self.members.get(&(kind, member, Decoration::Offset as u32)).copied().unwrap_or(0))
    }

    /// The name of a result: `%12`, or what the module calls it.
    pub fn name(&self, id: u32) -> String {
        match self.names.get(&id) {
            Some(name) if !name.is_empty() => format!("%{name}"),
            _ => format!("%{id}"),
        }
    }

    /// Lanes of a group in each direction.
    pub fn group(&self) -> [u32; 3] {
        self.group
    }
    /// Whether its fragments are tested before it runs.
    pub fn tests_early(&self) -> bool {
        self.tests_early
    }

    /// Whether what it gives may depend on how many lanes a wave has.
    pub fn uses_waves(&self) -> bool {
        let mut instructions = self.functions.values().flat_map(|it| &it.instructions);
        self.knows_waves() || instructions.any(|it| is_of_wave(it.op) && !self.names_structure(it))
    }

    /// Whether what a pixel gives may depend on lanes beside its quad.
    pub fn uses_more_than_quads(&self) -> bool {
        let is_of_quad = |op| matches!(op, Op::GroupNonUniformQuadBroadcast | Op::GroupNonUniformQuadSwap);
        let mut instructions = self.functions.values().flat_map(|it| &it.instructions);
        self.knows_waves()
            || instructions.any(|it| is_of_wave(it.op) && !is_of_quad(it.op) && !self.names_structure(it))
    }

    /// Whether an instruction takes one lane's descriptor of an acceleration structure for all lanes of the wave. The translator makes one for
    /// each, because the API wants all lanes to have the same.
    fn names_structure(&self, instruction: &Instruction) -> bool {
        if instruction.op != Op::GroupNonUniformBroadcastFirst {
            return false;
        }
        let uses = |id: u32| {
            let all = self.functions.values().flat_map(|it| &it.instructions);
            all.filter(move |it| it.operands.contains(&id)).collect::<Vec<_>>()
        };
        let each = |id: u32, op: Op| {
            let all = uses(id);
            (!all.is_empty() && all.iter().all(|it| it.op == op))
                .then(|| all.iter().map(|it| it.result).collect::<Vec<_>>())
        };
        let loads = |chain: &u32| each(*chain, Op::Load);
        let converts = |load: &u32| each(*load, Op::ConvertUToAccelerationStructureKHR).is_some();
        let of_chain = |chain: &u32| loads(chain).is_some_and(|all| all.iter().all(converts));
        each(instruction.result, Op::AccessChain).is_some_and(|chains| chains.iter().all(of_chain))
    }

    /// Whether an input says which lane of which wave it is.
    fn knows_waves(&self) -> bool {
        const OF_WAVES: [BuiltIn; 4] =
            [BuiltIn::SubgroupSize, BuiltIn::SubgroupLocalInvocationId, BuiltIn::SubgroupId, BuiltIn::NumSubgroups];
        let input = |id: &u32| self.decoration(*id, Decoration::BuiltIn).and_then(BuiltIn::from_u32);
        self.variables.keys().filter_map(input).any(|built_in| OF_WAVES.contains(&built_in))
    }

    /// The instruction of a function at an offset.
    pub fn instruction(&self, offset: u32) -> Option<&Instruction> {
        self.functions.values().flat_map(|it| &it.instructions).find(|instruction| instruction.offset == offset)
    }

    /// A type.
    pub fn kind_by_id(&self, id: u32) -> Option<&Kind> {
        self.kinds.get(&id)
    }

    /// All instructions of functions, by rising offset: what a debugger lists.
    pub fn instructions(&self) -> Vec<&Instruction> {
        let mut all: Vec<&Instruction> =
            self.functions.values().flat_map(|function| function.instructions.iter()).collect();
        all.sort_by_key(|instruction| instruction.offset);
        all
    }
}

/// A block as it is read.
struct Block {
    label: u32,
    instructions: Vec<Instruction>,
}

impl Block {
    /// Where control may go on: what must come last first.
    fn next(&self, wide: &dyn Fn(u32) -> bool) -> Vec<u32> {
        let mut next = Vec::new();
        for instruction in &self.instructions {
            match (instruction.op, instruction.operands.as_slice()) {
                (Op::LoopMerge, [merge, onward, ..]) => next.extend([*merge, *onward]),
                (Op::SelectionMerge, [merge, ..]) => next.push(*merge),
                (Op::Branch, [target]) => next.push(*target),
                (Op::BranchConditional, [_, first, second, ..]) => next.extend([*second, *first]),
                (Op::Switch, [selector, default, cases @ ..]) => {
                    next.push(*default);
                    next.extend(labels(cases, wide(*selector)).rev());
                }
                _ => {}
            }
        }
        next
    }
}

/// The labels of a switch's cases.
fn labels(cases: &[u32], wide: bool) -> impl DoubleEndedIterator<Item = u32> {
    cases.chunks_exact(if wide { 3 } else { 2 }).map(|case| case[case.len() - 1])
}

/// Puts a function's blocks into structured order: where a construct ends, and where a loop goes on, behind all that is in it. Blocks
/// that nothing leads to are left out.
fn arrange(function: &mut Function, blocks: Vec<Block>, offset: u32, wide: &dyn Fn(u32) -> bool) -> Result<(), Fault> {
    let places: FxHashMap<u32, usize> = blocks.iter().enumerate().map(|(place, block)| (block.label, place)).collect();
    let mut seen = vec![false; blocks.len()];
    let mut last_first = Vec::new();
    let mut path: Vec<(usize, Vec<u32>)> = Vec::new();
    match blocks.first() {
        Some(first) => path.push((0, first.next(wide))),
        None => return Err(Fault::Unsupported { offset, what: "a function without a body".to_owned() }),
    }
    seen[0] = true;
    while let Some((block, next)) = path.last_mut() {
        if next.is_empty() {
            last_first.push(*block);
            path.pop();
            continue;
        }
        let label = next.remove(0);
        if let Some(place) = places.get(&label).copied().filter(|place| !seen[*place]) {
            seen[place] = true;
            path.push((place, blocks[place].next(wide)));
        }
    }
    let mut blocks: Vec<Option<Block>> = blocks.into_iter().map(Some).collect();
    for place in last_first.into_iter().rev() {
        let Some(block) = blocks[place].take() else { continue };
        function.blocks.insert(block.label, function.instructions.len());
        function.instructions.extend(block.instructions);
    }
    Ok(())
}
