//! LLVM's bitstream: blocks of records, as DXIL is written in.
//!
//! Invariant: what is read is within the bytes, and a record has no more operands than bits that it came of.

use crate::Malformed;
use std::collections::HashMap;

/// A record: its code, and its operands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) code: u64,
    pub(crate) operands: Vec<u64>,
}

/// What a block holds, in order.
#[derive(Clone, Debug)]
pub(crate) enum Item {
    Block(Block),
    Record(Record),
}

/// A block.
#[derive(Clone, Debug, Default)]
pub(crate) struct Block {
    pub(crate) id: u64,
    pub(crate) items: Vec<Item>,
}

/// How an operand is written.
#[derive(Clone, Copy, Debug)]
enum Encoding {
    Literal(u64),
    Fixed(u64),
    Variable(u64),
    Array,
    Character,
    Blob,
}

type Abbreviation = Vec<Encoding>;

struct Reader<'a> {
    bytes: &'a [u8],
    /// In bits.
    at: usize,
    /// Abbreviations that blocks of a number begin with.
    shared: HashMap<u64, Vec<Abbreviation>>,
    items: usize,
}

/// Blocks in blocks, and records and blocks in all.
const DEEPEST: usize = 16;
const MOST_ITEMS: usize = 1 << 24;
const CHARACTERS: &[u8; 64] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";

/// Reads the blocks of a bitstream that begins with `BC 0xC0DE`.
pub(crate) fn read(bytes: &[u8]) -> Result<Vec<Block>, Malformed> {
    if bytes.get(..4) != Some(b"BC\xc0\xde") {
        return Err(Malformed::new(0, "this is no bitcode of LLVM"));
    }
    let mut reader = Reader { bytes, at: 32, shared: HashMap::new(), items: 0 };
    let mut blocks = Vec::new();
    // Bits of less than a word behind the last block are none.
    while reader.at + 32 <= bytes.len() * 8 {
        if reader.fixed(2)? != 1 {
            break;
        }
        blocks.push(reader.block(0)?);
    }
    Ok(blocks)
}

impl Reader<'_> {
    fn wrong(&self, what: &str) -> Malformed {
        Malformed::new(self.at / 8, what)
    }

    fn fixed(&mut self, width: u64) -> Result<u64, Malformed> {
        if width > 64 {
            return Err(self.wrong("a number of more than 64 bits"));
        }
        let mut value = 0;
        for bit in 0..width {
            let byte = self.bytes.get(self.at / 8).ok_or_else(|| self.wrong("the bitcode ends too early"))?;
            value |= u64::from(byte >> (self.at % 8) & 1) << bit;
            self.at += 1;
        }
        Ok(value)
    }

    fn variable(&mut self, width: u64) -> Result<u64, Malformed> {
        if !(2..=32).contains(&width) {
            return Err(self.wrong("a number of an impossible width"));
        }
        let (mut value, mut shift) = (0u64, 0);
        loop {
            let part = self.fixed(width)?;
            let more = part >> (width - 1) & 1 != 0;
            value |= (part & ((1 << (width - 1)) - 1)).checked_shl(shift).unwrap_or(0);
            shift += width as u32 - 1;
            if !more {
                return Ok(value);
            }
        }
    }

    fn align(&mut self) {
        self.at = self.at.next_multiple_of(32);
    }

    /// A block whose `ENTER_SUBBLOCK` was read.
    fn block(&mut self, depth: usize) -> Result<Block, Malformed> {
        if depth > DEEPEST {
            return Err(self.wrong("blocks in too many blocks"));
        }
        let id = self.variable(8)?;
        let width = self.variable(4)?;
        self.align();
        self.fixed(32)?;
        let mut own = self.shared.get(&id).cloned().unwrap_or_default();
        let mut block = Block { id, items: Vec::new() };
        // In the block that says what others begin with: which one is told of.
        let mut told = None;
        loop {
            self.items += 1;
            if self.items > MOST_ITEMS {
                return Err(self.wrong("more records than are read"));
            }
            match self.fixed(width)? {
                0 => {
                    self.align();
                    return Ok(block);
                }
                1 => {
                    let inner = self.block(depth + 1)?;
                    block.items.push(Item::Block(inner));
                }
                2 => {
                    let abbreviation = self.abbreviation()?;
                    match told {
                        Some(other) if id == 0 => self.shared.entry(other).or_default().push(abbreviation),
                        _ => own.push(abbreviation),
                    }
                }
                3 => {
                    let code = self.variable(6)?;
                    let count = self.variable(6)?;
                    let mut operands = Vec::new();
                    for _ in 0..count {
                        operands.push(self.variable(6)?);
                    }
                    if id == 0 && code == 1 {
                        told = operands.first().copied();
                    }
                    block.items.push(Item::Record(Record { code, operands }));
                }
                number => {
                    let abbreviation = usize::try_from(number - 4).ok().and_then(|at| own.get(at)).cloned();
                    let abbreviation = abbreviation.ok_or_else(|| self.wrong("an abbreviation that is none"))?;
                    block.items.push(Item::Record(self.record(&abbreviation)?));
                }
            }
        }
    }

    fn abbreviation(&mut self) -> Result<Abbreviation, Malformed> {
        let count = self.variable(5)?;
        let mut all = Vec::new();
        for _ in 0..count {
            all.push(if self.fixed(1)? == 1 {
                Encoding::Literal(self.variable(8)?)
            } else {
                match self.fixed(3)? {
                    1 => Encoding::Fixed(self.variable(5)?),
                    2 => Encoding::Variable(self.variable(5)?),
                    3 => Encoding::Array,
                    4 => Encoding::Character,
                    5 => Encoding::Blob,
                    _ => return Err(self.wrong("an encoding that is none")),
                }
            });
        }
        Ok(all)
    }

    fn one(&mut self, encoding: Encoding) -> Result<u64, Malformed> {
        match encoding {
            Encoding::Literal(value) => Ok(value),
            Encoding::Fixed(width) => self.fixed(width),
            // Of no bits, it is 0.
            Encoding::Variable(0) => Ok(0),
            Encoding::Variable(width) => self.variable(width),
            Encoding::Character => Ok(CHARACTERS[self.fixed(6)? as usize].into()),
            Encoding::Array | Encoding::Blob => Err(self.wrong("an array in an array")),
        }
    }

    fn record(&mut self, abbreviation: &[Encoding]) -> Result<Record, Malformed> {
        let mut values = Vec::new();
        let mut encodings = abbreviation.iter();
        while let Some(encoding) = encodings.next() {
            match encoding {
                Encoding::Array => {
                    let element = *encodings.next().ok_or_else(|| self.wrong("an array of nothing"))?;
                    if matches!(element, Encoding::Literal(_) | Encoding::Fixed(0) | Encoding::Variable(0)) {
                        return Err(self.wrong("an array whose elements take no bits"));
                    }
                    for _ in 0..self.variable(6)? {
                        values.push(self.one(element)?);
                    }
                }
                Encoding::Blob => {
                    let count = self.variable(6)?;
                    self.align();
                    for _ in 0..count {
                        values.push(self.fixed(8)?);
                    }
                    self.align();
                }
                other => values.push(self.one(*other)?),
            }
        }
        let mut values = values.into_iter();
        let code = values.next().ok_or_else(|| self.wrong("a record without a code"))?;
        Ok(Record { code, operands: values.collect() })
    }
}

impl Block {
    pub(crate) fn blocks(&self, id: u64) -> impl Iterator<Item = &Block> {
        self.items.iter().filter_map(move |item| match item {
            Item::Block(block) if block.id == id => Some(block),
            _ => None,
        })
    }

    pub(crate) fn records(&self) -> impl Iterator<Item = &Record> {
        self.items.iter().filter_map(|item| match item {
            Item::Record(record) => Some(record),
            Item::Block(_) => None,
        })
    }
}
