//! Where an index comes from: the word of the root arguments that holds the beginning of its table.

use std::collections::{HashMap, HashSet};

use super::{op, table_words};
use crate::Interface;
use crate::facts::instructions;

/// Instructions that an index is followed through.
const DEEPEST: usize = 16;
const UNIFORM: u32 = 2;
const PUSH_CONSTANT: u32 = 9;
const COPY_OBJECT: u32 = 83;
const BROADCAST_FIRST: u32 = 338;

/// How indices are made.
pub(super) struct Tables {
    /// What each result that matters is made of.
    made: HashMap<u32, Made>,
    /// Words that are tables.
    words: HashSet<u32>,
}

/// What a result is made of.
enum Made {
    /// Of other results.
    Of(Vec<u32>),
    /// A word of the root arguments.
    Word(u32),
}

impl Tables {
    /// Reads how a module makes its indices. `constants`: the values of its constant words.
    pub(super) fn read(words: &[u32], interface: &Interface, constants: &HashMap<u32, u32>) -> Tables {
        let (mut blocks, mut chains, mut made) = (HashSet::new(), HashMap::new(), HashMap::new());
        let value = |id: &u32| constants.get(id).copied();
        let first = interface.root_descriptors;
        for (opcode, operands) in instructions(words) {
            match (opcode, operands) {
                (op::VARIABLE, [_, it, PUSH_CONSTANT, ..]) => drop(blocks.insert(*it)),
                (op::VARIABLE, [_, it, UNIFORM, ..]) if interface.overflow.is_some() => drop(blocks.insert(*it)),
                (op::ACCESS_CHAIN | op::IN_BOUNDS_ACCESS_CHAIN, [_, it, base, members @ ..])
                    if blocks.contains(base) =>
                {
                    // One member a word, or one member that is an array of them all.
                    let word = match members {
                        [member] => value(member).and_then(|member| member.checked_sub(first)),
                        [member, at] if value(member) == Some(first) => value(at),
                        _ => None,
                    };
                    chains.extend(word.map(|word| (*it, word)));
                }
                (op::LOAD, [_, it, from, ..]) => {
                    made.extend(chains.get(from).map(|word| (*it, Made::Word(*word))));
                }
                (op::I_ADD, [_, it, left, right]) => drop(made.insert(*it, Made::Of(vec![*left, *right]))),
                (COPY_OBJECT, [_, it, of]) | (op::BITCAST, [_, it, of]) => drop(made.insert(*it, Made::Of(vec![*of]))),
                (BROADCAST_FIRST, [_, it, _, of]) => drop(made.insert(*it, Made::Of(vec![*of]))),
                _ => {}
            }
        }
        Tables { made, words: table_words(interface) }
    }

    /// The word of the table that an index begins with.
    pub(super) fn word_of(&self, index: u32) -> Option<u32> {
        self.follow(index, 0)
    }

    fn follow(&self, id: u32, depth: usize) -> Option<u32> {
        if depth == DEEPEST {
            return None;
        }
        match self.made.get(&id)? {
            Made::Word(word) => self.words.contains(word).then_some(*word),
            Made::Of(parts) => parts.iter().find_map(|part| self.follow(*part, depth + 1)),
        }
    }
}
