//! What the pass adds to a module: types, variables, and the code that a shader begins with.

use std::collections::HashMap;

use super::{BASE_INSTANCE, DRAW, DRAW_PARAMETERS, INPUT, PHYSICAL_ADDRESSES, PRIVATE, VECTORS};
use crate::Slot;
use crate::facts::{BOUND, emit, instructions};

/// Numbers of the SPIR-V specification.
pub(crate) mod op {
    pub(crate) const EXT_INST_IMPORT: u32 = 11;
    pub(crate) const EXT_INST: u32 = 12;
    pub(crate) const MEMORY_MODEL: u32 = 14;
    pub(crate) const ENTRY_POINT: u32 = 15;
    pub(crate) const CAPABILITY: u32 = 17;
    pub(crate) const TYPE_VOID: u32 = 19;
    pub(crate) const TYPE_BOOL: u32 = 20;
    pub(crate) const TYPE_INT: u32 = 21;
    pub(crate) const TYPE_FLOAT: u32 = 22;
    pub(crate) const TYPE_VECTOR: u32 = 23;
    pub(crate) const TYPE_ARRAY: u32 = 28;
    pub(crate) const TYPE_STRUCT: u32 = 30;
    pub(crate) const TYPE_POINTER: u32 = 32;
    pub(crate) const TYPE_FORWARD_POINTER: u32 = 39;
    pub(crate) const CONSTANT: u32 = 43;
    pub(crate) const FUNCTION: u32 = 54;
    pub(crate) const FUNCTION_PARAMETER: u32 = 55;
    pub(crate) const VARIABLE: u32 = 59;
    pub(crate) const LOAD: u32 = 61;
    pub(crate) const STORE: u32 = 62;
    pub(crate) const ACCESS_CHAIN: u32 = 65;
    pub(crate) const IN_BOUNDS_ACCESS_CHAIN: u32 = 66;
    pub(crate) const DECORATE: u32 = 71;
    pub(crate) const MEMBER_DECORATE: u32 = 72;
    pub(crate) const COMPOSITE_CONSTRUCT: u32 = 80;
    pub(crate) const COMPOSITE_EXTRACT: u32 = 81;
    pub(crate) const CONVERT_S_TO_F: u32 = 111;
    pub(crate) const CONVERT_U_TO_F: u32 = 112;
    pub(crate) const BITCAST: u32 = 124;
    pub(crate) const I_ADD: u32 = 128;
    pub(crate) const I_SUB: u32 = 130;
    pub(crate) const I_MUL: u32 = 132;
    pub(crate) const U_DIV: u32 = 134;
    pub(crate) const F_DIV: u32 = 136;
    pub(crate) const I_ADD_CARRY: u32 = 149;
    pub(crate) const LOGICAL_AND: u32 = 167;
    pub(crate) const SELECT: u32 = 169;
    pub(crate) const I_EQUAL: u32 = 170;
    pub(crate) const U_LESS_THAN_EQUAL: u32 = 178;
    pub(crate) const SHIFT_RIGHT: u32 = 194;
    pub(crate) const SHIFT_LEFT: u32 = 196;
    pub(crate) const OR: u32 = 197;
    pub(crate) const AND: u32 = 199;
    pub(crate) const FIELD_SIGNED: u32 = 202;
    pub(crate) const FIELD: u32 = 203;
    pub(crate) const LABEL: u32 = 248;
}
/// Decorations.
const BLOCK: u32 = 2;
const ARRAY_STRIDE: u32 = 6;
const BUILT_IN: u32 = 11;
const BINDING: u32 = 33;
const DESCRIPTOR_SET: u32 = 34;
const OFFSET: u32 = 35;
/// Storage classes.
const UNIFORM: u32 = 2;
const PHYSICAL: u32 = 5349;
/// `GLSL.std.450`, with the zero behind it.
const EXTENDED: [u32; 4] = [0x4c53_4c47, 0x6474_732e, 0x3035_342e, 0];

/// An address: its low and its high half.
pub(crate) type Place = (u32, u32);

/// The additions, as far as they are made.
pub(crate) struct Code {
    pub(crate) bound: u32,
    /// Types and constants by what they are.
    known: HashMap<(u32, Vec<u32>), u32>,
    pub(crate) capabilities: Vec<u32>,
    /// The import of extended instructions, where the module has none.
    pub(crate) import: Option<Vec<u32>>,
    extended: u32,
    pub(crate) decorations: Vec<u32>,
    pub(crate) globals: Vec<u32>,
    pub(crate) body: Vec<u32>,
    /// New variables, which the entry point names.
    pub(crate) variables: Vec<u32>,
    built_ins: HashMap<u32, u32>,
    views: HashMap<u32, u32>,
    /// Types of values.
    kinds: HashMap<u32, u32>,
    pub(crate) word: u32,
    pub(crate) float: u32,
    signed: u32,
    block: u32,
}

impl Code {
    /// Begins, with the uniform buffer that has the views.
    pub(crate) fn new(words: &[u32], block: Slot) -> Code {
        let mut code = Code::of_module(words);
        if code.extended == 0 {
            code.extended = code.id();
            let mut import = Vec::new();
            emit(&mut import, op::EXT_INST_IMPORT, &[&[code.extended], &EXTENDED[..]].concat());
            code.import = Some(import);
        }
        code.declare(block);
        code
    }

    /// Begins, with no uniform buffer, and without extended instructions.
    pub(crate) fn of_module(words: &[u32]) -> Code {
        let (mut known, mut kinds) = (HashMap::new(), HashMap::new());
        let (mut capabilities, mut extended) = (vec![PHYSICAL_ADDRESSES], 0);
        for (opcode, operands) in instructions(words) {
            match (opcode, operands) {
                (op::CAPABILITY, [it]) => capabilities.retain(|capability| capability != it),
                (op::EXT_INST_IMPORT, [id, name @ ..]) if *name == EXTENDED => extended = *id,
                (
                    op::TYPE_BOOL | op::TYPE_INT | op::TYPE_FLOAT | op::TYPE_VECTOR | op::TYPE_POINTER,
                    [id, rest @ ..],
                ) => {
                    known.entry((opcode, rest.to_vec())).or_insert(*id);
                }
                (op::CONSTANT, [kind, id, value]) => {
                    known.insert((opcode, vec![*kind, *value]), *id);
                    kinds.insert(*id, *kind);
                }
                (op::FUNCTION, _) => break,
                _ => {}
            }
        }
        let bound = words.get(BOUND).copied().unwrap_or(1);
        let mut code = Code {
            bound,
            known,
            capabilities,
            import: None,
            extended,
            decorations: Vec::new(),
            globals: Vec::new(),
            body: Vec::new(),
            variables: Vec::new(),
            built_ins: HashMap::new(),
            views: HashMap::new(),
            kinds,
            word: 0,
            float: 0,
            signed: 0,
            block: 0,
        };
        code.word = code.of(op::TYPE_INT, &[32, 0]);
        code.signed = code.of(op::TYPE_INT, &[32, 1]);
        code.float = code.of(op::TYPE_FLOAT, &[32]);
        code
    }

    /// The uniform buffer: an array of vectors.
    fn declare(&mut self, slot: Slot) {
        let vector = self.of(op::TYPE_VECTOR, &[self.word, 4]);
        let length = self.constant(VECTORS);
        let array = self.of(op::TYPE_ARRAY, &[vector, length]);
        let structure = self.of(op::TYPE_STRUCT, &[array]);
        let pointer = self.of(op::TYPE_POINTER, &[UNIFORM, structure]);
        self.block = self.id();
        emit(&mut self.globals, op::VARIABLE, &[pointer, self.block, UNIFORM]);
        self.variables.push(self.block);
        let set = [
            &[array, ARRAY_STRIDE, 16][..],
            &[structure, BLOCK],
            &[self.block, DESCRIPTOR_SET, slot.set],
            &[self.block, BINDING, slot.binding],
        ];
        set.iter().for_each(|decoration| emit(&mut self.decorations, op::DECORATE, decoration));
        emit(&mut self.decorations, op::MEMBER_DECORATE, &[structure, 0, OFFSET, 0]);
    }

    pub(crate) fn id(&mut self) -> u32 {
        self.bound += 1;
        self.bound - 1
    }

    /// A type of these operands.
    pub(crate) fn of(&mut self, opcode: u32, operands: &[u32]) -> u32 {
        if let Some(id) = self.known.get(&(opcode, operands.to_vec())) {
            return *id;
        }
        let id = self.id();
        emit(&mut self.globals, opcode, &[&[id], operands].concat());
        self.known.insert((opcode, operands.to_vec()), id);
        id
    }

    /// The type of pointers of a class to a type, where there is one.
    pub(crate) fn pointer_to(&self, class: u32, kind: u32) -> Option<u32> {
        self.known.get(&(op::TYPE_POINTER, vec![class, kind])).copied()
    }

    fn constant_of(&mut self, kind: u32, value: u32) -> u32 {
        if let Some(id) = self.known.get(&(op::CONSTANT, vec![kind, value])) {
            return *id;
        }
        let id = self.id();
        emit(&mut self.globals, op::CONSTANT, &[kind, id, value]);
        self.kinds.insert(id, kind);
        self.known.insert((op::CONSTANT, vec![kind, value]), id);
        id
    }

    /// A word.
    pub(crate) fn constant(&mut self, value: u32) -> u32 {
        self.constant_of(self.word, value)
    }

    /// A number of 32 bits.
    pub(crate) fn float(&mut self, value: f32) -> u32 {
        self.constant_of(self.float, value.to_bits())
    }

    /// A variable of the module, in a storage class.
    pub(crate) fn variable(&mut self, id: u32, kind: u32, class: u32) {
        let pointer = self.of(op::TYPE_POINTER, &[class, kind]);
        emit(&mut self.globals, op::VARIABLE, &[pointer, id, class]);
    }

    /// A number that Vulkan gives and the module does not take.
    pub(crate) fn built_in(&mut self, which: u32) -> u32 {
        let variable = match self.built_ins.get(&which) {
            Some(variable) => *variable,
            None => {
                let id = self.id();
                self.variable(id, self.word, INPUT);
                emit(&mut self.decorations, op::DECORATE, &[id, BUILT_IN, which]);
                self.variables.push(id);
                self.built_ins.insert(which, id);
                if which == BASE_INSTANCE && !self.capabilities.contains(&DRAW_PARAMETERS) {
                    self.capabilities.push(DRAW_PARAMETERS);
                }
                id
            }
        };
        self.value(op::LOAD, self.word, &[variable])
    }

    /// The result of an instruction.
    pub(crate) fn value(&mut self, opcode: u32, kind: u32, operands: &[u32]) -> u32 {
        let id = self.id();
        self.kinds.insert(id, kind);
        emit(&mut self.body, opcode, &[&[kind, id], operands].concat());
        id
    }

    pub(crate) fn store(&mut self, place: u32, value: u32) {
        emit(&mut self.body, op::STORE, &[place, value]);
    }

    /// Where a row of a variable of the module's own lies.
    pub(crate) fn element(&mut self, variable: u32, kind: u32, row: u32) -> u32 {
        let (pointer, row) = (self.of(op::TYPE_POINTER, &[PRIVATE, kind]), self.constant(row));
        self.value(op::ACCESS_CHAIN, pointer, &[variable, row])
    }

    /// A vector of the uniform buffer.
    pub(crate) fn view(&mut self, at: u32) -> u32 {
        if let Some(view) = self.views.get(&at) {
            return *view;
        }
        let vector = self.of(op::TYPE_VECTOR, &[self.word, 4]);
        let pointer = self.of(op::TYPE_POINTER, &[UNIFORM, vector]);
        let (zero, number) = (self.constant(0), self.constant(at));
        let place = self.value(op::ACCESS_CHAIN, pointer, &[self.block, zero, number]);
        let view = self.value(op::LOAD, vector, &[place]);
        self.views.insert(at, view);
        view
    }

    /// A word of what the buffer says of the draw.
    pub(crate) fn draw(&mut self, at: u32) -> u32 {
        let draw = self.view(DRAW);
        self.part(draw, at)
    }

    pub(crate) fn part(&mut self, vector: u32, at: u32) -> u32 {
        self.value(op::COMPOSITE_EXTRACT, self.word, &[vector, at])
    }

    pub(crate) fn sum(&mut self, a: u32, b: u32) -> u32 {
        self.value(op::I_ADD, self.word, &[a, b])
    }

    pub(crate) fn test(&mut self, opcode: u32, a: u32, b: u32) -> u32 {
        let boolean = self.of(op::TYPE_BOOL, &[]);
        self.value(opcode, boolean, &[a, b])
    }

    /// Whether a type is a number of 32 bits.
    pub(crate) fn is_word(&self, kind: u32) -> bool {
        [self.word, self.float, self.signed].contains(&kind)
    }

    /// The bits of a value as another type of 32 bits.
    pub(crate) fn cast(&mut self, value: u32, kind: u32) -> u32 {
        match self.kinds.get(&value) == Some(&kind) {
            true => value,
            false => self.value(op::BITCAST, kind, &[value]),
        }
    }

    /// An extended instruction.
    pub(crate) fn extended(&mut self, number: u32, kind: u32, operands: &[u32]) -> u32 {
        let all = [&[self.extended, number], operands].concat();
        self.value(op::EXT_INST, kind, &all)
    }

    /// Where so many bytes from a place of a view on lie; zeros where they are not inside of it.
    pub(crate) fn place(&mut self, view: u32, start: u32, bytes: u32) -> Place {
        let [low, high, size] = [0, 1, 2].map(|at| self.part(view, at));
        let fits = self.test(op::U_LESS_THAN_EQUAL, bytes, size);
        let left = self.value(op::I_SUB, self.word, &[size, bytes]);
        let begins = self.test(op::U_LESS_THAN_EQUAL, start, left);
        let inside = self.test(op::LOGICAL_AND, fits, begins);
        let (low, high) = self.further((low, high), start);
        let [no_low, no_high] = [2, 3].map(|at| self.draw(at));
        let low = self.value(op::SELECT, self.word, &[inside, low, no_low]);
        (low, self.value(op::SELECT, self.word, &[inside, high, no_high]))
    }

    /// An address that is so many bytes further.
    pub(crate) fn further(&mut self, (low, high): Place, bytes: u32) -> Place {
        let pair = self.of(op::TYPE_STRUCT, &[self.word; 2]);
        let sum = self.value(op::I_ADD_CARRY, pair, &[low, bytes]);
        let [low, carry] = [0, 1].map(|at| self.part(sum, at));
        (low, self.sum(high, carry))
    }

    /// The bits from an address on, which may be any: so many bytes of them count.
    pub(crate) fn load(&mut self, place: Place, bytes: u32) -> u32 {
        let first = self.word_of(place);
        let [three, zero, all] = [3, 0, 32].map(|value| self.constant(value));
        let byte = self.value(op::AND, self.word, &[place.0, three]);
        let behind = self.value(op::SHIFT_LEFT, self.word, &[byte, three]);
        let low = self.value(op::SHIFT_RIGHT, self.word, &[first, behind]);
        if bytes == 1 {
            return low;
        }
        // The word of the last byte, which is the same one where nothing crosses its end.
        let last = self.constant(bytes - 1);
        let last = self.further(place, last);
        let second = self.word_of(last);
        let left = self.value(op::I_SUB, self.word, &[all, behind]);
        let high = self.value(op::SHIFT_LEFT, self.word, &[second, left]);
        let both = self.value(op::OR, self.word, &[low, high]);
        let whole = self.test(op::I_EQUAL, behind, zero);
        self.value(op::SELECT, self.word, &[whole, first, both])
    }

    /// The word that an address lies in.
    fn word_of(&mut self, (low, high): Place) -> u32 {
        /// Memory operands: what is read begins at a multiple.
        const ALIGNED: u32 = 2;
        let whole = self.constant(!3);
        let low = self.value(op::AND, self.word, &[low, whole]);
        let address = self.of(op::TYPE_VECTOR, &[self.word, 2]);
        let address = self.value(op::COMPOSITE_CONSTRUCT, address, &[low, high]);
        let pointer = self.of(op::TYPE_POINTER, &[PHYSICAL, self.word]);
        let pointer = self.value(op::BITCAST, pointer, &[address]);
        self.value(op::LOAD, self.word, &[pointer, ALIGNED, 4])
    }

    /// Bits of a word: the first, and how many.
    pub(crate) fn bits(&mut self, word: u32, (first, count): (u32, u32), signed: bool) -> u32 {
        let [first, count] = [first, count].map(|value| self.constant(value));
        let opcode = if signed { op::FIELD_SIGNED } else { op::FIELD };
        self.value(opcode, self.word, &[word, first, count])
    }
}
