//! Where the instructions of a DXIL shader come from: file, line and variables of HLSL, by the debug information that its container has
//! (part `ILDB`, of `-Zi -Qembed_debug`).
//!
//! Invariant: instructions are those of the part `DXIL`, which is what is translated. Where the two parts do not have the same instructions,
//! but for those of debug information, there is no answer.

use crate::bitcode::{self, Block, Item};
use crate::{Container, Malformed, Part, Tag};
use std::collections::HashMap;

const ILDB: Tag = Tag(*b"ILDB");

// Blocks.
const MODULE: u64 = 8;
const CONSTANTS: u64 = 11;
const FUNCTION: u64 = 12;
const SYMBOLS: u64 = 14;
const METADATA: u64 = 15;
const TYPES: u64 = 17;

/// A place in a source.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// As the compiler was given it.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1; 0: not known.
    pub column: u32,
}

/// What debug information says of a shader with one function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// By the number of the block in the function, and the instruction's number in the block, both from 1.
    pub places: HashMap<(u32, u32), Place>,
    /// The variables that have the result of an instruction.
    pub variables: HashMap<(u32, u32), Vec<String>>,
    /// Texts of files, where they are in the container.
    pub files: HashMap<String, String>,
}

/// An instruction of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Instruction {
    code: u64,
    operands: usize,
    place: Option<(u64, u64, u64)>,
    /// Number of its value.
    value: Option<u64>,
}

/// The instructions of a function, block by block; and by value, the variables that have it.
type Body = (Vec<Vec<Instruction>>, HashMap<u64, Vec<String>>);

/// What debug information says of a container; `None`: it has none.
///
/// # Errors
/// It cannot be read, or is of other instructions.
pub fn source(container: &[u8]) -> Result<Option<Source>, Malformed> {
    let container = Container::parse(container)?;
    let (Some(code), Some(debug)) = (container.part(Tag::DXIL), container.part(ILDB)) else { return Ok(None) };
    let (code, debug) = (Module::of(&code)?, Module::of(&debug)?);
    let (own, _) = code.body()?;
    let (other, names) = debug.body()?;
    let codes = |all: &[Vec<Instruction>]| -> Vec<Vec<(u64, usize)>> {
        all.iter().map(|block| block.iter().map(|it| (it.code, it.operands)).collect()).collect()
    };
    if codes(&own) != codes(&other) {
        return Err(Malformed::new(debug.offset, "the debug information is of other instructions than the shader's"));
    }
    let mut source = Source { files: debug.files(), ..Source::default() };
    for (block, instructions) in (1..).zip(&other) {
        for (number, instruction) in (1..).zip(instructions) {
            if let Some(place) = instruction.place.and_then(|place| debug.place(place)) {
                source.places.insert((block, number), place);
            }
            if let Some(names) = instruction.value.and_then(|value| names.get(&value)) {
                source.variables.insert((block, number), names.clone());
            }
        }
    }
    Ok(Some(source))
}

/// The bitcode of a part, and where it begins in the container: behind the version, size and kind of the program.
fn bitcode_of<'c>(part: &Part<'c>) -> Result<(usize, &'c [u8]), Malformed> {
    const HEADER: usize = 8;
    let word = |at: usize| {
        let bytes = part.data.get(at..).and_then(|bytes| bytes.first_chunk::<4>());
        bytes.map(|bytes| u32::from_le_bytes(*bytes) as usize)
    };
    let header = word(HEADER + 8).zip(word(HEADER + 12));
    let (offset, size) = header.ok_or_else(|| Malformed::new(part.offset, "a part without a header"))?;
    let begin = HEADER.saturating_add(offset);
    let code = part.data.get(begin..).and_then(|rest| rest.get(..size));
    let code = code.ok_or_else(|| Malformed::new(part.offset + HEADER, "a program beyond its part"))?;
    Ok((part.offset + begin, code))
}

/// A module, with what metadata it has.
#[derive(Default)]
pub(crate) struct Module {
    block: Block,
    /// Of each type whether it is nothing; of function types, their result.
    types: Vec<(bool, Option<usize>)>,
    /// Numbers of values of the module.
    values: u64,
    /// The integers among the module's constants, by value.
    integers: HashMap<u64, i64>,
    metadata: Vec<Metadata>,
    named: HashMap<String, Vec<u64>>,
    symbols: HashMap<u64, String>,
    /// Where its bitcode begins in the container.
    offset: usize,
}

/// A node of metadata, by the code of its record.
#[derive(Clone, Debug)]
enum Metadata {
    Text(String),
    Node(u64, Vec<u64>),
}

fn text(characters: &[u64]) -> String {
    let bytes: Vec<u8> = characters.iter().map(|it| *it as u8).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

impl Module {
    /// The module of a part.
    pub(crate) fn of(part: &Part<'_>) -> Result<Module, Malformed> {
        let (offset, bytes) = bitcode_of(part)?;
        let blocks = bitcode::read(bytes).map_err(|error| Malformed { offset: offset + error.offset, ..error })?;
        let block = blocks.into_iter().find(|block| block.id == MODULE);
        let block = block.ok_or_else(|| Malformed::new(offset, "the bitcode has no module"))?;
        let mut module = Module { block, offset, ..Module::default() };
        let block = std::mem::take(&mut module.block);
        for types in block.blocks(TYPES) {
            for record in types.records() {
                match record.code {
                    // The count, and the name of the next one.
                    1 | 19 => {}
                    2 => module.types.push((true, None)),
                    21 => module.types.push((false, record.operands.get(1).map(|it| *it as usize))),
                    _ => module.types.push((false, None)),
                }
            }
        }
        for item in &block.items {
            match item {
                // Variables, functions and aliases.
                Item::Record(record) if matches!(record.code, 7 | 8 | 9 | 14) => module.values += 1,
                Item::Block(inner) if inner.id == CONSTANTS => {
                    let first = module.values;
                    module.integers.extend(integers(inner).map(|(at, integer)| (first + at, integer)));
                    module.values += constants(inner);
                }
                Item::Block(inner) if inner.id == SYMBOLS => {
                    for record in inner.records().filter(|record| record.code == 1) {
                        if let [value, name @ ..] = &record.operands[..] {
                            module.symbols.insert(*value, text(name));
                        }
                    }
                }
                Item::Block(inner) if inner.id == METADATA => {
                    let mut name = None;
                    for record in inner.records() {
                        match record.code {
                            4 => name = Some(text(&record.operands)),
                            10 => {
                                if let Some(name) = name.take() {
                                    module.named.insert(name, record.operands.clone());
                                }
                            }
                            _ => module.metadata.extend(node(record)),
                        }
                    }
                }
                _ => {}
            }
        }
        module.block = block;
        Ok(module)
    }

    /// The operands of each node that a named node lists; `None` where that is no node.
    pub(crate) fn named_nodes(&self, name: &str) -> impl Iterator<Item = Option<&[u64]>> {
        self.named.get(name).into_iter().flatten().map(|number| self.node(number.checked_add(1)?))
    }

    /// The operands of the node that a reference names. Those of plain nodes are references.
    pub(crate) fn node(&self, reference: u64) -> Option<&[u64]> {
        match self.metadata.get(usize::try_from(reference.checked_sub(1)?).ok()?)? {
            Metadata::Node(3, operands) => Some(operands),
            _ => None,
        }
    }

    /// The text that a reference names.
    pub(crate) fn text(&self, reference: u64) -> Option<&str> {
        match self.metadata.get(usize::try_from(reference.checked_sub(1)?).ok()?)? {
            Metadata::Text(text) => Some(text),
            Metadata::Node(..) => None,
        }
    }

    /// The integer that a reference names.
    pub(crate) fn integer(&self, reference: u64) -> Option<i64> {
        match self.metadata.get(usize::try_from(reference.checked_sub(1)?).ok()?)? {
            Metadata::Node(2, value) => self.integers.get(value.get(1)?).copied(),
            _ => None,
        }
    }

    /// The blocks of the one function, without what is there for debug information; and by value, the variables that have it.
    fn body(&self) -> Result<Body, Malformed> {
        let wrong = |what: &str| Malformed::new(self.offset, what);
        let mut bodies = self.block.blocks(FUNCTION);
        let body = bodies.next().ok_or_else(|| wrong("the shader has no function"))?;
        if bodies.next().is_some() {
            return Err(wrong("lines of shaders with several functions are not supported yet"));
        }
        let mut blocks = vec![Vec::new()];
        let mut next = self.values;
        let mut own: Vec<Metadata> = Vec::new();
        let mut names: HashMap<u64, Vec<String>> = HashMap::new();
        let mut last = None;
        // The last instruction belongs to debug information: so does the place behind it.
        let mut hidden = false;
        for item in &body.items {
            let record = match item {
                Item::Block(inner) if inner.id == CONSTANTS => {
                    next += constants(inner);
                    continue;
                }
                Item::Block(inner) if inner.id == METADATA => {
                    own.extend(inner.records().filter_map(node));
                    continue;
                }
                Item::Block(_) => continue,
                Item::Record(record) => record,
            };
            match record.code {
                // The number of blocks.
                1 => continue,
                33 | 35 => {
                    if let (35, [line, column, scope, ..]) = (record.code, &record.operands[..]) {
                        last = Some((*line, *column, *scope));
                    }
                    if !hidden && let Some(instruction) = last_of(&mut blocks) {
                        instruction.place = last;
                    }
                    continue;
                }
                _ => {}
            }
            let called = if record.code == 34 { Some(self.called(&record.operands, next)) } else { None };
            let called = match called {
                Some(None) => return Err(wrong("a call that is not understood")),
                Some(Some(called)) => Some(called),
                None => None,
            };
            hidden = called.as_ref().is_some_and(|(name, ..)| name.starts_with("llvm.dbg."));
            if hidden {
                if let Some((_, _, arguments)) = &called
                    && let Some((value, name)) = self.named_value(arguments, next, &own)
                {
                    let all = names.entry(value).or_default();
                    if !all.contains(&name) {
                        all.push(name);
                    }
                }
                continue;
            }
            // Stores, branches, returns and their kin have no value.
            let nothing = match &called {
                Some((_, nothing, _)) => *nothing,
                None => matches!(record.code, 10 | 11 | 12 | 15 | 31 | 36 | 39 | 44 | 45 | 24 | 42),
            };
            let value = (!nothing).then_some(next);
            next += u64::from(!nothing);
            let instruction = Instruction { code: record.code, operands: record.operands.len(), place: None, value };
            if let Some(block) = blocks.last_mut() {
                block.push(instruction);
            }
            if matches!(record.code, 5 | 10 | 11 | 12 | 15 | 31 | 39) {
                blocks.push(Vec::new());
            }
        }
        blocks.retain(|block| !block.is_empty());
        Ok((blocks, names))
    }

    /// The name of the function that a call calls, whether it gives nothing, and the arguments.
    fn called<'r>(&self, operands: &'r [u64], next: u64) -> Option<(String, bool, &'r [u64])> {
        const EXPLICIT: u64 = 1 << 15;
        let [_, convention, kind, rest @ ..] = operands else { return None };
        let (callee, arguments) = rest.split_first()?;
        if convention & EXPLICIT == 0 {
            return None;
        }
        let (_, result) = *self.types.get(usize::try_from(*kind).ok()?)?;
        let (nothing, _) = *self.types.get(result?)?;
        let callee = u64::from((next as u32).wrapping_sub(*callee as u32));
        Some((self.symbols.get(&callee).cloned().unwrap_or_default(), nothing, arguments))
    }

    /// The value and the variable that `llvm.dbg.value` names: which value, where in it, which variable, which part of the variable.
    fn named_value(&self, arguments: &[u64], next: u64, own: &[Metadata]) -> Option<(u64, String)> {
        let at = |argument: u64| {
            let number = (next as u32).wrapping_sub(argument as u32) as usize;
            self.metadata.get(number).or_else(|| own.get(number.checked_sub(self.metadata.len())?))
        };
        let [value, .., variable, part] = arguments else { return None };
        let Metadata::Node(2, value) = at(*value)? else { return None };
        let Metadata::Node(28 | 27, variable) = at(*variable)? else { return None };
        let mut name = match self.metadata.get(usize::try_from(variable.get(3)?.checked_sub(1)?).ok()?)? {
            Metadata::Text(name) => name.clone(),
            Metadata::Node(..) => return None,
        };
        // `DW_OP_bit_piece`: from which bit on, and how many.
        if let Some(Metadata::Node(29, part)) = at(*part)
            && let [_, 0x9d, bit, _] = part[..]
        {
            match (bit / 32) as usize {
                component @ 0..=3 if bit % 32 == 0 => name = format!("{name}.{}", ["x", "y", "z", "w"][component]),
                _ => name = format!("{name}[bit {bit}]"),
            }
        }
        Some((*value.get(1)?, name))
    }

    fn text_at(&self, reference: u64) -> Option<&str> {
        match self.metadata.get(usize::try_from(reference.checked_sub(1)?).ok()?)? {
            Metadata::Text(text) => Some(text),
            Metadata::Node(..) => None,
        }
    }

    /// The file that a scope is in.
    fn file_of(&self, scope: u64) -> Option<String> {
        let mut scope = scope;
        for _ in 0..64 {
            let Metadata::Node(code, operands) = self.metadata.get(usize::try_from(scope.checked_sub(1)?).ok()?)?
            else {
                return None;
            };
            let file = match code {
                16 => return self.text_at(*operands.get(1)?).map(str::to_owned),
                // Functions, blocks, and blocks in other files.
                21 => operands.get(4),
                22 | 23 => operands.get(2),
                _ => None,
            };
            scope = match file.filter(|file| **file != 0) {
                Some(file) => *file,
                None => *operands.get(1)?,
            };
        }
        None
    }

    fn place(&self, (line, column, scope): (u64, u64, u64)) -> Option<Place> {
        let (line, column) = (u32::try_from(line).ok().filter(|line| *line != 0)?, u32::try_from(column).ok()?);
        Some(Place { file: self.file_of(scope)?, line, column })
    }

    /// Texts of files.
    fn files(&self) -> HashMap<String, String> {
        let mut files = HashMap::new();
        for node in self.named.get("dx.source.contents").into_iter().flatten() {
            let Some(Metadata::Node(_, parts)) = self.metadata.get(*node as usize) else { continue };
            if let [name, text] = parts[..]
                && let (Some(name), Some(text)) = (self.text_at(name), self.text_at(text))
            {
                files.insert(name.to_owned(), text.to_owned());
            }
        }
        files
    }
}

fn last_of(blocks: &mut [Vec<Instruction>]) -> Option<&mut Instruction> {
    blocks.iter_mut().rev().find_map(|block| block.last_mut())
}

/// Values of a block of constants.
fn constants(block: &Block) -> u64 {
    block.records().filter(|record| record.code != 1).count() as u64
}

/// Integers among the constants of a block, by their place among the values there.
fn integers(block: &Block) -> impl Iterator<Item = (u64, i64)> {
    let values = block.records().filter(|record| record.code != 1);
    (0..).zip(values).filter_map(|(at, record)| match (record.code, &record.operands[..]) {
        // Null of any type, and integers, whose sign is the last bit.
        (2, _) => Some((at, 0)),
        (4, [value]) => Some((at, if value & 1 == 0 { (value >> 1) as i64 } else { -((value >> 1) as i64) })),
        _ => None,
    })
}

/// A node, where a record is one.
fn node(record: &bitcode::Record) -> Option<Metadata> {
    match record.code {
        1 => Some(Metadata::Text(text(&record.operands))),
        // Names, and kinds of attachments.
        4 | 6 | 10 | 11 => None,
        code => Some(Metadata::Node(code, record.operands.clone())),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
