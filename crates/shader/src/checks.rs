//! Shaders that look at descriptors before they use them.
//!
//! The translator has checks of its own (`DESCRIPTOR_QA`): it calls a function with the index in the heap, the types that would be right, and a
//! number of the place, before each use of a view in a heap, and moves handles to where they are used. What its function does
//! serves one device with one place for a fault. Here the function gets another body, which writes into a record of the draw or
//! dispatch; samplers are looked at, too; and the place says which word of the root arguments holds the table.
//!
//! Invariant: a shader that finds nothing wrong uses the index that it would use without checks. Otherwise the first fault of each
//! kind is written down, and the index is that of the heap's last element, which is null.

pub mod layout;
mod trace;

use std::collections::{HashMap, HashSet};

use crate::facts::{BOUND, HEADER, emit, instructions};
use crate::{Interface, Place, Stage, TranslateError};
use layout::{FAULT_WORDS, Kind, NO_WORD, word};
use trace::Tables;

/// The hash by which findings name a shader: the upper half of XXH3-128 of its container.
#[must_use]
pub fn hash(container: &[u8]) -> u64 {
    (xxhash_rust::xxh3::xxh3_128(container) >> 64) as u64
}

/// Numbers of the SPIR-V specification.
mod op {
    pub(super) const NAME: u32 = 5;
    pub(super) const MEMORY_MODEL: u32 = 14;
    pub(super) const ENTRY_POINT: u32 = 15;
    pub(super) const CAPABILITY: u32 = 17;
    pub(super) const TYPE_BOOL: u32 = 20;
    pub(super) const TYPE_INT: u32 = 21;
    pub(super) const TYPE_VECTOR: u32 = 23;
    pub(super) const TYPE_POINTER: u32 = 32;
    pub(super) const CONSTANT: u32 = 43;
    pub(super) const FUNCTION: u32 = 54;
    pub(super) const FUNCTION_PARAMETER: u32 = 55;
    pub(super) const FUNCTION_END: u32 = 56;
    pub(super) const FUNCTION_CALL: u32 = 57;
    pub(super) const VARIABLE: u32 = 59;
    pub(super) const LOAD: u32 = 61;
    pub(super) const STORE: u32 = 62;
    pub(super) const ACCESS_CHAIN: u32 = 65;
    pub(super) const IN_BOUNDS_ACCESS_CHAIN: u32 = 66;
    pub(super) const DECORATE: u32 = 71;
    pub(super) const COMPOSITE_CONSTRUCT: u32 = 80;
    pub(super) const COMPOSITE_EXTRACT: u32 = 81;
    pub(super) const BITCAST: u32 = 124;
    pub(super) const LOGICAL_AND: u32 = 167;
    pub(super) const SELECT: u32 = 169;
    pub(super) const I_EQUAL: u32 = 170;
    pub(super) const I_NOT_EQUAL: u32 = 171;
    pub(super) const U_LESS_THAN: u32 = 176;
    pub(super) const SHIFT_RIGHT: u32 = 194;
    pub(super) const BITWISE_OR: u32 = 197;
    pub(super) const BITWISE_AND: u32 = 199;
    pub(super) const MEMORY_BARRIER: u32 = 225;
    pub(super) const ATOMIC_EXCHANGE: u32 = 229;
    pub(super) const I_MUL: u32 = 132;
    pub(super) const I_ADD: u32 = 128;
    pub(super) const PHI: u32 = 245;
    pub(super) const SELECTION_MERGE: u32 = 247;
    pub(super) const LABEL: u32 = 248;
    pub(super) const BRANCH: u32 = 249;
    pub(super) const BRANCH_CONDITIONAL: u32 = 250;
    pub(super) const RETURN_VALUE: u32 = 254;
}
const BINDING: u32 = 33;
const DESCRIPTOR_SET: u32 = 34;
const NON_UNIFORM: u32 = 5300;
const STORAGE_BUFFER: u32 = 12;
const PHYSICAL_STORAGE_BUFFER: u32 = 5349;
/// The addressing model and the capability of pointers that are addresses.
const PHYSICAL_64: u32 = 5348;
const ADDRESSES: u32 = 5347;
const VULKAN_MEMORY_MODEL: u32 = 5345;
const ALIGNED: u32 = 2;
const NON_PRIVATE: u32 = 0x20;
/// Scopes: a device, and a queue's family, which is what the memory model of Vulkan has without asking for more.
const DEVICE: u32 = 1;
const QUEUE_FAMILY: u32 = 5;
/// Acquire and release, for memory of buffers.
const SEMANTICS: u32 = 0x8 | 0x40;
/// Members of the translator's buffers ([`layout`] has where they lie).
const GLOBAL_WORDS: u32 = 10;
const HEAP_COUNT: u32 = 0;
const HEAP_INFO: u32 = 2;

/// What errors call this.
const STEP: &str = "checks of descriptors";

/// What a shader says of itself in its faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Author {
    /// A hash of its container.
    pub(crate) hash: u64,
    pub(crate) stage: Stage,
    /// Of shader model 5 or an earlier one.
    pub(crate) legacy: bool,
}

/// The translator's own parts, by their numbers.
#[derive(Clone, Copy, Debug, Default)]
struct Parts {
    check: u32,
    report: u32,
    global: u32,
    heap: u32,
    global_type: u32,
    heap_type: u32,
    word: u32,
    boolean: u32,
    pair: Option<u32>,
    triple: Option<u32>,
}

/// Gives numbers to results, and to constants one each.
struct Ids {
    bound: u32,
    constants: HashMap<u32, u32>,
}

impl Ids {
    fn id(&mut self) -> u32 {
        self.bound += 1;
        self.bound - 1
    }

    /// A constant word.
    fn word(&mut self, value: u32) -> u32 {
        if let Some(known) = self.constants.get(&value) {
            return *known;
        }
        let id = self.id();
        self.constants.insert(value, id);
        id
    }
}

/// What the pass must know of a module before it writes.
#[derive(Default)]
struct Module {
    parts: Parts,
    /// Variables that are arrays of samplers of the heap.
    samplers: HashSet<u32>,
    /// Types of pointers, and what they point to.
    pointers: HashMap<u32, u32>,
    /// Results that differ from lane to lane.
    apart: HashSet<u32>,
    addressed: bool,
    vulkan_memory: bool,
    /// Values of constant words.
    constants: HashMap<u32, u32>,
}

fn read(words: &[u32], interface: &Interface) -> Module {
    let mut module = Module::default();
    let mut names: HashMap<Vec<u8>, u32> = HashMap::new();
    let mut places: HashMap<u32, [Option<u32>; 2]> = HashMap::new();
    for (opcode, operands) in instructions(words) {
        match (opcode, operands) {
            (op::NAME, [it, name @ ..]) => {
                let bytes = name.iter().flat_map(|word| word.to_le_bytes()).take_while(|byte| *byte != 0);
                names.insert(bytes.collect(), *it);
            }
            (op::CAPABILITY, [ADDRESSES]) => module.addressed = true,
            (op::CAPABILITY, [VULKAN_MEMORY_MODEL]) => module.vulkan_memory = true,
            (op::DECORATE, [it, NON_UNIFORM]) => drop(module.apart.insert(*it)),
            (op::DECORATE, [it, DESCRIPTOR_SET, set]) => places.entry(*it).or_default()[0] = Some(*set),
            (op::DECORATE, [it, BINDING, binding]) => places.entry(*it).or_default()[1] = Some(*binding),
            (op::TYPE_BOOL, [it]) => module.parts.boolean = *it,
            (op::TYPE_INT, [it, 32, 0]) => module.parts.word = *it,
            (op::TYPE_VECTOR, [it, of, 2]) if *of == module.parts.word => module.parts.pair = Some(*it),
            (op::TYPE_VECTOR, [it, of, 3]) if *of == module.parts.word => module.parts.triple = Some(*it),
            (op::TYPE_POINTER, [it, _, to]) => drop(module.pointers.insert(*it, *to)),
            (op::CONSTANT, [kind, it, value]) if *kind == module.parts.word => {
                module.constants.insert(*it, *value);
            }
            (op::VARIABLE, [_, it, ..]) => {
                let slot = interface.heaps.sampler;
                if places.get(it) == Some(&[Some(slot.set), Some(slot.binding)]) {
                    module.samplers.insert(*it);
                }
            }
            _ => {}
        }
    }
    let named = |name: &str| names.get(name.as_bytes()).copied().unwrap_or(0);
    let parts = &mut module.parts;
    parts.check = named("descriptor_qa_check");
    parts.report = named("descriptor_qa_report_fault");
    parts.global = named("QAGlobalData");
    parts.heap = named("QAHeapData");
    parts.global_type = named("DescriptorHeapGlobalQAData");
    parts.heap_type = named("DescriptorHeapQAData");
    module
}

/// The module with checks that write into records; as it is where the translator made none, because nothing of a heap is used.
///
/// # Errors
/// The translator's checks are not made as here they must be: they would write where nobody reads.
pub(crate) fn with_records(words: Vec<u32>, interface: &Interface, author: Author) -> Result<Vec<u32>, TranslateError> {
    if words.len() < HEADER {
        return Ok(words);
    }
    let module = read(&words, interface);
    let parts = module.parts;
    let own = [parts.check, parts.report, parts.global, parts.heap, parts.global_type, parts.heap_type];
    if own == [0; 6] {
        return Ok(words);
    }
    let other = |log: &str| TranslateError::Rejected { step: STEP, code: 0, log: log.to_owned() };
    if own.contains(&0) || parts.word == 0 || parts.boolean == 0 {
        return Err(other("the translator's checks lack a part by the name that it had"));
    }
    let tables = Tables::read(&words, interface, &module.constants);
    let mut ids = Ids { bound: words[BOUND], constants: HashMap::new() };
    let pair = parts.pair.unwrap_or_else(|| ids.id());
    let triple = parts.triple.unwrap_or_else(|| ids.id());
    let types = Types {
        pair,
        triple,
        word_pointer: ids.id(),
        heap_pointer: ids.id(),
        global_pointer: ids.id(),
        heap_word: ids.id(),
        heap_triple: ids.id(),
    };
    // Annotations stand before all types, and constants before all functions, so the functions come first.
    let (mut functions, mut apart) = (Vec::new(), Vec::new());
    let mut all = instructions(&words).skip_while(|(opcode, _)| *opcode != op::FUNCTION);
    // What nobody defines any more has neither names nor decorations.
    let mut removed = HashSet::from([parts.heap]);
    // Samplers' places have numbers of their own.
    let mut samplers = 0u32;
    while let Some((opcode, operands)) = all.next() {
        match (opcode, operands) {
            (op::FUNCTION, [_, it, ..]) if *it == parts.report => {
                removed.insert(*it);
                for (opcode, operands) in all.by_ref() {
                    match (opcode, operands) {
                        (op::FUNCTION_PARAMETER, [_, it]) => drop(removed.insert(*it)),
                        (op::FUNCTION_END, _) => break,
                        _ => {}
                    }
                }
            }
            (op::FUNCTION, [_, it, ..]) if *it == parts.check => {
                emit(&mut functions, opcode, operands);
                let mut parameters = Vec::new();
                for (opcode, operands) in all.by_ref() {
                    match (opcode, operands) {
                        (op::FUNCTION_PARAMETER, [_, it]) => {
                            parameters.push(*it);
                            emit(&mut functions, opcode, operands);
                        }
                        (op::FUNCTION_END, _) => break,
                        _ => {}
                    }
                }
                let [index, wanted, place] = parameters[..] else {
                    return Err(other("the translator's check has other parameters"));
                };
                let mut body = Body { out: &mut functions, ids: &mut ids, parts, types, module: &module };
                body.write([index, wanted, place], author);
                emit(&mut functions, op::FUNCTION_END, &[]);
            }
            (op::FUNCTION_CALL, [kind, it, called, index, wanted, place]) if *called == parts.check => {
                let number = module.constants.get(place).copied().unwrap_or(0).min(layout::MOST_SITES);
                let place = ids.word(layout::place(number, tables.word_of(*index)));
                emit(&mut functions, opcode, &[*kind, *it, *called, *index, *wanted, place]);
            }
            (op::ACCESS_CHAIN | op::IN_BOUNDS_ACCESS_CHAIN, [kind, it, variable, index])
                if module.samplers.contains(variable) =>
            {
                samplers += 1;
                let wanted = ids.word(layout::types::SAMPLER);
                let place = ids.word(layout::place(samplers.min(layout::MOST_SITES), tables.word_of(*index)));
                let checked = ids.id();
                emit(&mut functions, op::FUNCTION_CALL, &[parts.word, checked, parts.check, *index, wanted, place]);
                emit(&mut functions, opcode, &[*kind, *it, *variable, checked]);
                if module.apart.contains(it) || module.apart.contains(index) {
                    apart.push(checked);
                }
            }
            _ => emit(&mut functions, opcode, operands),
        }
    }
    let mut out = words[..HEADER].to_vec();
    let mut declared = false;
    let mut annotated = false;
    for (opcode, operands) in instructions(&words).take_while(|(opcode, _)| *opcode != op::FUNCTION) {
        // Types begin behind all annotations.
        if !annotated && (19..=39).contains(&opcode) {
            annotated = true;
            apart.iter().for_each(|it| emit(&mut out, op::DECORATE, &[*it, NON_UNIFORM]));
        }
        match (opcode, operands) {
            (op::MEMORY_MODEL, [_, model]) => emit(&mut out, opcode, &[PHYSICAL_64, *model]),
            (op::CAPABILITY, _) if !declared && !module.addressed => {
                declared = true;
                emit(&mut out, op::CAPABILITY, &[ADDRESSES]);
                emit(&mut out, opcode, operands);
            }
            (op::ENTRY_POINT, _) => emit(&mut out, opcode, &entry_point(operands, parts.heap)),
            (op::NAME | op::DECORATE, [it, ..]) if removed.contains(it) => {}
            (op::VARIABLE, [_, it, ..]) if *it == parts.heap => {}
            _ => emit(&mut out, opcode, operands),
        }
    }
    declare(&mut out, &module, &types, &ids);
    out.extend(functions);
    out[BOUND] = ids.bound;
    Ok(out)
}

/// An entry point without one of the variables that it names.
fn entry_point(operands: &[u32], without: u32) -> Vec<u32> {
    let name = operands.iter().skip(2).position(|word| word.to_le_bytes().contains(&0));
    let variables = name.map_or(operands.len(), |at| at + 3).min(operands.len());
    let (head, named) = operands.split_at(variables);
    head.iter().chain(named.iter().filter(|it| **it != without)).copied().collect()
}

/// Types that the function's body uses, by their numbers.
#[derive(Clone, Copy, Debug)]
struct Types {
    pair: u32,
    triple: u32,
    /// The pointer to a word of the record.
    word_pointer: u32,
    /// Pointers by address: to the facts of a heap, and to the table of what is alive.
    heap_pointer: u32,
    global_pointer: u32,
    heap_word: u32,
    heap_triple: u32,
}

/// Types and constants, before the first function.
fn declare(out: &mut Vec<u32>, module: &Module, types: &Types, ids: &Ids) {
    let parts = &module.parts;
    if parts.pair.is_none() {
        emit(out, op::TYPE_VECTOR, &[types.pair, parts.word, 2]);
    }
    if parts.triple.is_none() {
        emit(out, op::TYPE_VECTOR, &[types.triple, parts.word, 3]);
    }
    emit(out, op::TYPE_POINTER, &[types.word_pointer, STORAGE_BUFFER, parts.word]);
    emit(out, op::TYPE_POINTER, &[types.heap_pointer, PHYSICAL_STORAGE_BUFFER, parts.heap_type]);
    emit(out, op::TYPE_POINTER, &[types.global_pointer, PHYSICAL_STORAGE_BUFFER, parts.global_type]);
    emit(out, op::TYPE_POINTER, &[types.heap_word, PHYSICAL_STORAGE_BUFFER, parts.word]);
    emit(out, op::TYPE_POINTER, &[types.heap_triple, PHYSICAL_STORAGE_BUFFER, types.triple]);
    let mut constants: Vec<(u32, u32)> = ids.constants.iter().map(|(value, id)| (*id, *value)).collect();
    constants.sort_unstable();
    for (id, value) in constants {
        emit(out, op::CONSTANT, &[parts.word, id, value]);
    }
}

/// Writes the function's body.
struct Body<'m> {
    out: &'m mut Vec<u32>,
    ids: &'m mut Ids,
    parts: Parts,
    types: Types,
    module: &'m Module,
}

impl Body<'_> {
    /// An instruction with a result.
    fn result(&mut self, opcode: u32, kind: u32, operands: &[u32]) -> u32 {
        let id = self.ids.id();
        emit(self.out, opcode, &[&[kind, id], operands].concat());
        id
    }

    fn of_words(&mut self, opcode: u32, operands: &[u32]) -> u32 {
        self.result(opcode, self.parts.word, operands)
    }

    fn condition(&mut self, opcode: u32, operands: &[u32]) -> u32 {
        self.result(opcode, self.parts.boolean, operands)
    }

    fn word(&mut self, value: u32) -> u32 {
        self.ids.word(value)
    }

    fn label(&mut self, label: u32) {
        emit(self.out, op::LABEL, &[label]);
    }

    /// The end of a block: to `yes` or to `after`, where both come together.
    fn branch(&mut self, condition: u32, yes: u32, after: u32) {
        emit(self.out, op::SELECTION_MERGE, &[after, 0]);
        emit(self.out, op::BRANCH_CONDITIONAL, &[condition, yes, after]);
    }

    /// The pointer to the record's word with this number.
    fn record(&mut self, number: u32) -> u32 {
        let member = self.word(GLOBAL_WORDS);
        self.result(op::ACCESS_CHAIN, self.types.word_pointer, &[self.parts.global, member, number])
    }

    fn read(&mut self, number: u32) -> u32 {
        let place = self.record(number);
        self.of_words(op::LOAD, &[place])
    }

    /// Two words of the record as a pointer, and whether it is none of null.
    fn pointer(&mut self, kind: u32, low: u32, high: u32) -> (u32, u32) {
        let zero = self.word(0);
        let (low, high) = (self.read(low), self.read(high));
        let both = self.of_words(op::BITWISE_OR, &[low, high]);
        let there = self.condition(op::I_NOT_EQUAL, &[both, zero]);
        let pair = self.result(op::COMPOSITE_CONSTRUCT, self.types.pair, &[low, high]);
        (self.result(op::BITCAST, kind, &[pair]), there)
    }

    fn select(&mut self, condition: u32, yes: u32, no: u32) -> u32 {
        self.of_words(op::SELECT, &[condition, yes, no])
    }

    fn write(&mut self, [index, wanted, place]: [u32; 3], author: Author) {
        let [entry, with_heap, inside, after_inside, after_heap, faulty, first, after_first, end] =
            core::array::from_fn(|_| self.ids.id());
        let [zero, one] = [0, 1].map(|value| self.word(value));
        let kind = |kind: Kind| kind as u32;

        self.label(entry);
        let sampler = self.word(layout::types::SAMPLER);
        let of_sampler = self.condition(op::I_EQUAL, &[wanted, sampler]);
        let [views, samplers] = [word::VIEWS, word::SAMPLERS].map(|at| [at, at + 1].map(|at| self.word(at)));
        let low = self.select(of_sampler, samplers[0], views[0]);
        let high = self.select(of_sampler, samplers[1], views[1]);
        let (heap, there) = self.pointer(self.types.heap_pointer, low, high);
        // The table's word may be among those of another heap than the one that is set.
        let (sixteen, five, low_five) = (self.word(16), self.word(5), self.word(31));
        let table = self.of_words(op::SHIFT_RIGHT, &[place, sixteen]);
        let part = self.of_words(op::SHIFT_RIGHT, &[table, five]);
        let known = {
            let most = self.word(64);
            self.condition(op::U_LESS_THAN, &[table, most])
        };
        let part = self.select(known, part, zero);
        let others = self.word(word::OTHERS);
        let at = self.of_words(op::I_ADD, &[others, part]);
        let bits = self.read(at);
        let shift = self.of_words(op::BITWISE_AND, &[table, low_five]);
        let bits = self.of_words(op::SHIFT_RIGHT, &[bits, shift]);
        let bit = self.of_words(op::BITWISE_AND, &[bits, one]);
        let bit = self.condition(op::I_NOT_EQUAL, &[bit, zero]);
        let other = self.condition(op::LOGICAL_AND, &[bit, known]);
        self.branch(there, with_heap, after_heap);

        self.label(with_heap);
        let member = self.word(HEAP_COUNT);
        let chain = self.result(op::ACCESS_CHAIN, self.types.heap_word, &[heap, member]);
        let count = self.of_words(op::LOAD, &[chain, ALIGNED, 4]);
        let fits = self.condition(op::U_LESS_THAN, &[index, count]);
        self.branch(fits, inside, after_inside);

        self.label(inside);
        let member = self.word(HEAP_INFO);
        let chain = self.result(op::ACCESS_CHAIN, self.types.heap_triple, &[heap, member, index]);
        let info = self.result(op::LOAD, self.types.triple, &[chain, ALIGNED, 4]);
        let cookie = self.of_words(op::COMPOSITE_EXTRACT, &[info, 0]);
        let found = self.of_words(op::COMPOSITE_EXTRACT, &[info, 2]);
        let written = self.of_words(op::COMPOSITE_EXTRACT, &[info, 1]);
        let unwritten = self.condition(op::I_EQUAL, &[found, zero]);
        let common = self.of_words(op::BITWISE_AND, &[found, wanted]);
        let wrong = self.condition(op::I_NOT_EQUAL, &[common, wanted]);
        let [low, high] = [word::LIVE, word::LIVE + 1].map(|at| self.word(at));
        let (live, _) = self.pointer(self.types.global_pointer, low, high);
        let member = self.word(GLOBAL_WORDS);
        let row = self.of_words(op::SHIFT_RIGHT, &[cookie, five]);
        let chain = self.result(op::ACCESS_CHAIN, self.types.heap_word, &[live, member, row]);
        let row = self.of_words(op::LOAD, &[chain, ALIGNED, 4]);
        let shift = self.of_words(op::BITWISE_AND, &[cookie, low_five]);
        let row = self.of_words(op::SHIFT_RIGHT, &[row, shift]);
        let alive = self.of_words(op::BITWISE_AND, &[row, one]);
        let dead = self.condition(op::I_EQUAL, &[alive, zero]);
        let [is_unwritten, is_wrong, is_dead] = [Kind::Unwritten, Kind::Type, Kind::Gone].map(|it| self.word(kind(it)));
        let fault = self.select(dead, is_dead, zero);
        let fault = self.select(wrong, is_wrong, fault);
        let seen = self.select(unwritten, is_unwritten, fault);
        emit(self.out, op::BRANCH, &[after_inside]);

        self.label(after_inside);
        let beyond = self.word(kind(Kind::Index));
        let here = self.of_words(op::PHI, &[beyond, with_heap, seen, inside]);
        let cookie_here = self.of_words(op::PHI, &[zero, with_heap, cookie, inside]);
        let written_here = self.of_words(op::PHI, &[zero, with_heap, written, inside]);
        let found_here = self.of_words(op::PHI, &[zero, with_heap, found, inside]);
        emit(self.out, op::BRANCH, &[after_heap]);

        self.label(after_heap);
        let fault = self.of_words(op::PHI, &[beyond, entry, here, after_inside]);
        let null = self.of_words(op::PHI, &[zero, entry, count, after_inside]);
        let cookie = self.of_words(op::PHI, &[zero, entry, cookie_here, after_inside]);
        let found = self.of_words(op::PHI, &[zero, entry, found_here, after_inside]);
        let written = self.of_words(op::PHI, &[zero, entry, written_here, after_inside]);
        let is_other = self.word(kind(Kind::Heap));
        let fault = self.select(other, is_other, fault);
        let bad = self.condition(op::I_NOT_EQUAL, &[fault, zero]);
        self.branch(bad, faulty, end);

        self.label(faulty);
        let stride = self.word(FAULT_WORDS);
        let at = self.of_words(op::I_MUL, &[fault, stride]);
        let claimed = self.record(at);
        let scope = self.word(if self.module.vulkan_memory { QUEUE_FAMILY } else { DEVICE });
        let was = self.of_words(op::ATOMIC_EXCHANGE, &[claimed, scope, zero, one]);
        let won = self.condition(op::I_EQUAL, &[was, zero]);
        self.branch(won, first, after_first);

        self.label(first);
        let hash = [author.hash as u32, (author.hash >> 32) as u32, author.stage as u32].map(|it| self.word(it));
        let said = [index, wanted, cookie, found, place, null, hash[0], hash[1], hash[2], written];
        for (number, value) in (layout::FIRST_SAID..).zip(said) {
            self.store(at, number, value);
        }
        // Who sees that it is done sees the rest.
        let semantics = self.word(SEMANTICS);
        emit(self.out, op::MEMORY_BARRIER, &[scope, semantics]);
        self.store(at, layout::DONE, one);
        emit(self.out, op::BRANCH, &[after_first]);

        self.label(after_first);
        emit(self.out, op::BRANCH, &[end]);

        self.label(end);
        let used = self.select(bad, null, index);
        emit(self.out, op::RETURN_VALUE, &[used]);
    }

    fn store(&mut self, base: u32, number: u32, value: u32) {
        let number = self.word(number);
        let at = self.of_words(op::I_ADD, &[base, number]);
        let place = self.record(at);
        match self.module.vulkan_memory {
            true => emit(self.out, op::STORE, &[place, value, NON_PRIVATE]),
            false => emit(self.out, op::STORE, &[place, value]),
        }
    }
}

/// Words of the root arguments that hold where tables begin.
fn table_words(interface: &Interface) -> HashSet<u32> {
    interface
        .bindings
        .iter()
        .filter_map(|binding| match binding.place {
            Place::Table { word, .. } if word < NO_WORD => Some(word),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests;
