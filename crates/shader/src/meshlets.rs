//! Mesh shaders that beside what they do store into memory what they give: counts, vertices, indices and primitives of each group.
//!
//! Each store to an output is doubled by one to memory. A group gets its place when it begins: its first thread counts a counter up, and
//! the others learn the place through memory of the group. The counter lies at an address that is a constant of the module, with the
//! number of places and the address of the first one ([`CONTROL`]). Groups that have no place left, and elements behind the end of an
//! output, go to places that nobody reads: one behind the last place, one element behind the last of each output.
//!
//! A place consists of 32-bit words: the numbers of the group ([`HEAD`]), then the outputs, each an array of elements ([`Output`]). A word
//! that the shader does not store keeps its value.
//!
//! The payload tells which group of the amplification shader started a group: [`with_parent`] puts the numbers of that group in front of it.

mod module;
mod payload;

use crate::TranslateError;
use crate::facts::{BOUND, HEADER, emit, instructions};
use crate::pulled::code::{Code, op};
use module::Module;
use payload::Payload;

/// Words at the address: the counter, the number of places, and the address of the first, its low half first.
pub const CONTROL: u32 = 4;
/// Words that a place begins with: which command of an indirect draw, the group's three numbers, those of the group of the amplification
/// shader, and how many vertices and primitives there are.
pub const HEAD: u32 = 9;

/// Where in a place things lie, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Words of a place.
    pub words: u32,
    /// Most vertices and primitives of a group.
    pub most: [u32; 2],
    /// Vertices of a primitive: 1, 2 or 3.
    pub corners: u32,
    /// All that the shader gives, in the module's order.
    pub outputs: Vec<Output>,
}

/// An output of the shader: an array of elements, each of rows, each of words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// What it is.
    pub port: Port,
    /// It is of primitives, not of vertices.
    pub of_primitives: bool,
    /// The first word of the first element.
    pub first: u32,
    /// Rows of an element.
    pub rows: u32,
    /// Words of a row.
    pub width: u32,
}

/// What an output is for the stage behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Port {
    /// A number of the SPIR-V specification. Truths are 0 and 1.
    BuiltIn(u32),
    /// Location, and the first component there. Further rows have further locations.
    Location(u32, u32),
}

const LOCAL_INDEX: u32 = 29;
const WORKGROUP_ID: u32 = 26;
const DRAW_INDEX: u32 = 4426;
const DRAW_PARAMETERS: u32 = 4427;
const INPUT: u32 = 1;
const OUTPUT: u32 = 3;
const WORKGROUP: u32 = 4;
const PRIVATE: u32 = 6;
const PHYSICAL: u32 = 5349;
const PHYSICAL_64: u32 = 5348;
/// The memory model that asks for marks at shared accesses, and the mark.
const VULKAN: u32 = 3;
const NON_PRIVATE: u32 = 32;
/// Scopes.
const DEVICE: u32 = 1;
const GROUP: u32 = 2;
const QUEUE_FAMILY: u32 = 5;
/// Acquire and release, of a group's memory.
const GROUP_MEMORY: u32 = 0x108;
/// Memory operands: what is accessed begins at a multiple of four.
const ALIGNED: [u32; 2] = [2, 4];
const BLOCK: u32 = 2;
const ARRAY_STRIDE: u32 = 6;
const BUILT_IN: u32 = 11;
const OFFSET: u32 = 35;
/// The first version that makes pointers of pairs of words.
const VERSION: u32 = 0x0001_0500;

fn refused(what: &str) -> TranslateError {
    TranslateError::Rejected { step: "storing what a mesh shader gives", code: 0, log: what.to_owned() }
}

/// The mesh shader that stores what it gives, and where. `control`: the address of [`CONTROL`] words. `parented`: an amplification shader
/// starts it that was given to [`with_parent`].
///
/// # Errors
/// The shader gives what is not of 32-bit numbers, or stores it in a form that is not known, or the module is cut.
pub fn into_memory(words: Vec<u32>, control: u64, parented: bool) -> Result<(Vec<u32>, Layout), TranslateError> {
    if words.len() < HEADER {
        return Err(refused("a module that is cut"));
    }
    let module = Module::read(&words)?;
    let layout = module.layout();
    let mut code = Code::of_module(&words);
    let payload = parented.then(|| Payload::of(&words, &mut code)).transpose()?;
    let writer = Writer::new(&mut code, &module, &layout);
    let behind = code.id();
    writer.begin(&mut code, &module, payload.as_ref(), (control, behind));
    let begin = core::mem::take(&mut code.body);
    let mut body = Vec::new();
    let (mut inside, mut begun, mut first) = (false, false, 0);
    for (opcode, operands) in instructions(&words).skip_while(|(opcode, _)| *opcode != op::FUNCTION) {
        match (opcode, operands) {
            (op::FUNCTION, [_, id, ..]) => inside = *id == module.entry,
            (op::LABEL, [label]) if inside && !begun && first == 0 => first = *label,
            _ => {}
        }
        // The first block begins with its variables.
        if inside && !begun && !matches!(opcode, op::FUNCTION | op::FUNCTION_PARAMETER | op::LABEL | op::VARIABLE) {
            begun = true;
            body.extend(&begin);
        }
        match (opcode, operands) {
            (op::STORE, [place, value, ..]) => writer.store(&mut code, &module, *place, *value)?,
            (module::op::SET_COUNTS, [vertices, primitives]) => writer.counts(&mut code, [*vertices, *primitives]),
            (module::op::COPY_MEMORY, [to, ..]) if module.is_output(*to) => {
                return Err(refused("outputs that are copied whole"));
            }
            _ => {}
        }
        body.append(&mut code.body);
        match (opcode, operands) {
            // What followed the first block follows its last part.
            (module::op::PHI, [..]) if inside => {
                let from = |(at, it): (usize, &u32)| if at > 1 && at % 2 == 1 && *it == first { behind } else { *it };
                let operands: Vec<u32> = operands.iter().enumerate().map(from).collect();
                emit(&mut body, opcode, &operands);
            }
            _ => match &payload {
                Some(payload) => payload.emit(&mut code, &mut body, opcode, operands)?,
                None => emit(&mut body, opcode, operands),
            },
        }
    }
    if !begun {
        return Err(refused("a module without code"));
    }
    Ok((assemble(&words, &code, &body, payload.as_ref()), layout))
}

/// The amplification shader whose payload begins with its group's three numbers.
///
/// # Errors
/// The payload leaves no room, or is used in a form that is not known, or the module is cut.
pub fn with_parent(words: Vec<u32>) -> Result<Vec<u32>, TranslateError> {
    if words.len() < HEADER {
        return Err(refused("a module that is cut"));
    }
    let module = Module::read(&words)?;
    let mut code = Code::of_module(&words);
    let payload = Payload::of(&words, &mut code)?;
    let mut body = Vec::new();
    for (opcode, operands) in instructions(&words).skip_while(|(opcode, _)| *opcode != op::FUNCTION) {
        if let (module::op::START, [x, y, z, ..]) = (opcode, operands) {
            let group = group(&mut code, &module);
            let place = payload.parent(&mut code);
            code.store(place, group);
            body.append(&mut code.body);
            emit(&mut body, opcode, &[*x, *y, *z, payload.variable]);
        } else {
            payload.emit(&mut code, &mut body, opcode, operands)?;
        }
    }
    Ok(assemble(&words, &code, &body, Some(&payload)))
}

/// The numbers of the group.
fn group(code: &mut Code, module: &Module) -> u32 {
    let three = code.of(op::TYPE_VECTOR, &[code.word, 3]);
    let variable = built_in(code, module, WORKGROUP_ID, three);
    code.value(op::LOAD, three, &[variable])
}

/// The variable of a number that Vulkan gives: the module's own, or a new one.
fn built_in(code: &mut Code, module: &Module, which: u32, kind: u32) -> u32 {
    if let Some(variable) = module.input(which) {
        return variable;
    }
    let variable = code.id();
    code.variable(variable, kind, INPUT);
    emit(&mut code.decorations, op::DECORATE, &[variable, BUILT_IN, which]);
    code.variables.push(variable);
    variable
}

/// The module with what the code adds before its functions, and with these.
fn assemble(words: &[u32], code: &Code, body: &[u32], payload: Option<&Payload>) -> Vec<u32> {
    let mut out = words[..HEADER].to_vec();
    out[BOUND] = code.bound;
    out[1] = out[1].max(VERSION);
    let is_global = |opcode: u32| (op::TYPE_VOID..=op::TYPE_FORWARD_POINTER).contains(&opcode);
    let (mut capabilities, mut decorations) = (false, false);
    for (opcode, operands) in instructions(words).take_while(|(opcode, _)| *opcode != op::FUNCTION) {
        if opcode != op::CAPABILITY && !core::mem::replace(&mut capabilities, true) {
            code.capabilities.iter().for_each(|capability| emit(&mut out, op::CAPABILITY, &[*capability]));
        }
        if is_global(opcode) && !core::mem::replace(&mut decorations, true) {
            out.extend(&code.decorations);
        }
        match (opcode, operands) {
            (op::MEMORY_MODEL, [_, model]) => emit(&mut out, opcode, &[PHYSICAL_64, *model]),
            (op::ENTRY_POINT, _) => emit(&mut out, opcode, &[operands, &code.variables].concat()),
            // It is declared again, with what stands in front of it.
            (op::VARIABLE, [_, variable, ..]) if payload.is_some_and(|payload| payload.replaces(*variable)) => {}
            _ => emit(&mut out, opcode, operands),
        }
    }
    out.extend(&code.globals);
    out.extend(body);
    out
}

/// What code needs that stores into a group's place.
struct Writer<'l> {
    layout: &'l Layout,
    /// The pair of words of an address, of this thread and of the group.
    pair: u32,
    own: u32,
    shared: u32,
    /// Pointers to words in memory: to an array of them, and to one.
    block: u32,
    word: u32,
    zero: u32,
    memory: Vec<u32>,
    scope: u32,
}

impl<'l> Writer<'l> {
    fn new(code: &mut Code, module: &Module, layout: &'l Layout) -> Self {
        let pair = code.of(op::TYPE_VECTOR, &[code.word, 2]);
        let (own, shared) = (code.id(), code.id());
        code.variable(own, pair, PRIVATE);
        code.variable(shared, pair, WORKGROUP);
        code.variables.extend([own, shared]);
        let array = code.of(module::op::TYPE_RUNTIME_ARRAY, &[code.word]);
        let structure = code.of(op::TYPE_STRUCT, &[array]);
        emit(&mut code.decorations, op::DECORATE, &[array, ARRAY_STRIDE, 4]);
        emit(&mut code.decorations, op::MEMBER_DECORATE, &[structure, 0, OFFSET, 0]);
        emit(&mut code.decorations, op::DECORATE, &[structure, BLOCK]);
        let block = code.of(op::TYPE_POINTER, &[PHYSICAL, structure]);
        let word = code.of(op::TYPE_POINTER, &[PHYSICAL, code.word]);
        let is_vulkan = module.model == VULKAN;
        let scope = code.constant(if is_vulkan { QUEUE_FAMILY } else { DEVICE });
        let memory = if is_vulkan { vec![NON_PRIVATE] } else { Vec::new() };
        let zero = code.constant(0);
        Writer { layout, pair, own, shared, block, word, zero, memory, scope }
    }

    /// A pointer to the word of this number behind an address.
    fn word(&self, code: &mut Code, block: u32, at: u32) -> u32 {
        code.value(op::ACCESS_CHAIN, self.word, &[block, self.zero, at])
    }

    fn put(&self, code: &mut Code, block: u32, at: u32, value: u32) {
        let place = self.word(code, block, at);
        emit(&mut code.body, op::STORE, &[&[place, value], &ALIGNED[..]].concat());
    }

    /// Where the group's place is.
    fn place(&self, code: &mut Code) -> u32 {
        let pair = code.value(op::LOAD, self.pair, &[self.own]);
        code.value(op::BITCAST, self.block, &[pair])
    }

    /// The first thread gives the group a place, and says there what the group is; the others learn the place. The code ends with the label
    /// `behind`.
    fn begin(&self, code: &mut Code, module: &Module, payload: Option<&Payload>, (control, behind): (u64, u32)) {
        let thread = built_in(code, module, LOCAL_INDEX, code.word);
        let thread = code.value(op::LOAD, code.word, &[thread]);
        let is_first = code.test(op::I_EQUAL, thread, self.zero);
        let inside = code.id();
        emit(&mut code.body, module::op::SELECTION_MERGE, &[behind, 0]);
        emit(&mut code.body, module::op::BRANCH_CONDITIONAL, &[is_first, inside, behind]);
        emit(&mut code.body, op::LABEL, &[inside]);
        let [low, high] = [control as u32, (control >> 32) as u32].map(|half| code.constant(half));
        let pair = code.value(op::COMPOSITE_CONSTRUCT, self.pair, &[low, high]);
        let block = code.value(op::BITCAST, self.block, &[pair]);
        let [one, two, three] = [1, 2, 3].map(|at| code.constant(at));
        let counter = self.word(code, block, self.zero);
        let number = code.value(module::op::ATOMIC_ADD, code.word, &[counter, self.scope, self.zero, one]);
        let [count, low, high] = [one, two, three].map(|at| {
            let place = self.word(code, block, at);
            code.value(op::LOAD, code.word, &[&[place], &ALIGNED[..]].concat())
        });
        let fits = code.test(module::op::U_LESS_THAN, number, count);
        let number = code.value(op::SELECT, code.word, &[fits, number, count]);
        let size = code.constant(4 * self.layout.words);
        let bytes = code.value(op::I_MUL, code.word, &[number, size]);
        let (low, high) = code.further((low, high), bytes);
        let pair = code.value(op::COMPOSITE_CONSTRUCT, self.pair, &[low, high]);
        emit(&mut code.body, op::STORE, &[&[self.shared, pair], &self.memory[..]].concat());
        let block = code.value(op::BITCAST, self.block, &[pair]);
        let command = built_in(code, module, DRAW_INDEX, code.word);
        code.capabilities.push(DRAW_PARAMETERS);
        let command = code.value(op::LOAD, code.word, &[command]);
        self.put(code, block, self.zero, command);
        let own = group(code, module);
        let parent = payload.map(|payload| {
            let place = payload.parent(code);
            let three = code.of(op::TYPE_VECTOR, &[code.word, 3]);
            code.value(op::LOAD, three, &[place])
        });
        for (first, group) in [(1, Some(own)), (4, parent)] {
            for axis in 0..3 {
                let Some(group) = group else { continue };
                let (at, value) = (code.constant(first + axis), code.part(group, axis));
                self.put(code, block, at, value);
            }
        }
        emit(&mut code.body, module::op::BRANCH, &[behind]);
        emit(&mut code.body, op::LABEL, &[behind]);
        let [scope, semantics] = [GROUP, GROUP_MEMORY].map(|value| code.constant(value));
        emit(&mut code.body, module::op::CONTROL_BARRIER, &[scope, scope, semantics]);
        let pair = code.value(op::LOAD, self.pair, &[&[self.shared], &self.memory[..]].concat());
        code.store(self.own, pair);
    }

    /// The same value to memory that is stored to an output.
    fn store(&self, code: &mut Code, module: &Module, to: u32, value: u32) -> Result<(), TranslateError> {
        let Some((output, element)) = module.element(to)? else { return Ok(()) };
        let index = self.index(code, module, element.index, output.count);
        let stride = code.constant(output.place.rows * output.place.width);
        let at = code.value(op::I_MUL, code.word, &[index, stride]);
        let mut first = output.place.first;
        // Within the element, which is bounded by its rows and words.
        let mut further = Vec::new();
        for (index, most, step) in
            [(element.row, output.place.rows, output.place.width), (element.component, output.place.width, 1)]
        {
            match index.map(|index| module.constant(index).ok_or(index)) {
                None => {}
                Some(Ok(number)) => first += number.min(most - 1) * step,
                Some(Err(index)) => further.push((index, most - 1, step)),
            }
        }
        let first = code.constant(first);
        let mut at = code.sum(at, first);
        for (index, most, step) in further {
            let index = self.bounded(code, index, most);
            let step = code.constant(step);
            let words = code.value(op::I_MUL, code.word, &[index, step]);
            at = code.sum(at, words);
        }
        let block = self.place(code);
        let count = if element.is_whole { output.place.width } else { 1 };
        for component in 0..count {
            let value =
                if count == 1 { value } else { code.value(op::COMPOSITE_EXTRACT, output.scalar, &[value, component]) };
            let value = if output.is_truth {
                let one = code.constant(1);
                code.value(op::SELECT, code.word, &[value, one, self.zero])
            } else if output.scalar == code.word {
                value
            } else {
                code.value(op::BITCAST, code.word, &[value])
            };
            let component = code.constant(component);
            let at = code.sum(at, component);
            self.put(code, block, at, value);
        }
        Ok(())
    }

    /// The number of an element: that behind the last one where there is none.
    fn index(&self, code: &mut Code, module: &Module, index: u32, count: u32) -> u32 {
        match module.constant(index) {
            Some(number) => code.constant(number.min(count)),
            None => self.bounded(code, index, count),
        }
    }

    fn bounded(&self, code: &mut Code, index: u32, most: u32) -> u32 {
        // Indices have a sign or not.
        let (index, most) = (code.sum(index, self.zero), code.constant(most));
        let fits = code.test(module::op::U_LESS_THAN, index, most);
        code.value(op::SELECT, code.word, &[fits, index, most])
    }

    fn counts(&self, code: &mut Code, counts: [u32; 2]) {
        let block = self.place(code);
        for (at, count) in [7, 8].into_iter().zip(counts) {
            let at = code.constant(at);
            self.put(code, block, at, count);
        }
    }
}
