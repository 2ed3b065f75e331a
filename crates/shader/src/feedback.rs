//! Sampler feedback without 64-bit atomics on images.
//!
//! The translator keeps what a region of a texture was read for in a texel of 64 bits: four bits for each mip level. They are the
//! region itself and its neighbours to the right, below, and both. It sets them by one 64-bit atomic, which few drivers have. Here
//! such a texel is two texels of 32 bits side by side, the low half first. Every device has atomics on those.
//!
//! The translator asks for the size of the texture's level that each thread reads. Mesa's lavapipe (25.0) answers all threads of a
//! vector for the level of the first. Here the size of level 0 is asked for, and halved as often as the level says.

use std::collections::{HashMap, HashSet};

use crate::TranslateError;
use crate::facts::{BOUND, HEADER, emit, instructions};

/// Numbers of the SPIR-V specification.
mod op {
    pub(super) const EXTENSION: u32 = 10;
    pub(super) const EXT_INST_IMPORT: u32 = 11;
    pub(super) const EXT_INST: u32 = 12;
    pub(super) const CAPABILITY: u32 = 17;
    pub(super) const TYPE_INT: u32 = 21;
    pub(super) const TYPE_VECTOR: u32 = 23;
    pub(super) const TYPE_IMAGE: u32 = 25;
    pub(super) const TYPE_ARRAY: u32 = 28;
    pub(super) const TYPE_RUNTIME_ARRAY: u32 = 29;
    pub(super) const TYPE_POINTER: u32 = 32;
    pub(super) const CONSTANT: u32 = 43;
    pub(super) const CONSTANT_COMPOSITE: u32 = 44;
    pub(super) const FUNCTION: u32 = 54;
    pub(super) const FUNCTION_PARAMETER: u32 = 55;
    pub(super) const IMAGE_TEXEL_POINTER: u32 = 60;
    pub(super) const LOAD: u32 = 61;
    pub(super) const DECORATE: u32 = 71;
    pub(super) const IMAGE_READ: u32 = 98;
    pub(super) const IMAGE_WRITE: u32 = 99;
    pub(super) const COMPOSITE_CONSTRUCT: u32 = 80;
    pub(super) const IMAGE_QUERY_SIZE_LOD: u32 = 103;
    pub(super) const U_CONVERT: u32 = 113;
    pub(super) const I_ADD: u32 = 128;
    pub(super) const I_MUL: u32 = 132;
    pub(super) const SHIFT_RIGHT_LOGICAL: u32 = 194;
    pub(super) const SHIFT_RIGHT_ARITHMETIC: u32 = 195;
    pub(super) const ATOMIC_OR: u32 = 241;
}
/// The greater of two signed integers, in the instructions of this name.
const S_MAX: u32 = 42;
const S_MAX_OF: &str = "GLSL.std.450";
const INT64_IMAGES: u32 = 5016;
const INT64_IMAGES_EXTENSION: &str = "SPV_EXT_shader_image_int64";
const NON_UNIFORM: u32 = 5300;
/// The storage class of pointers to texels.
const IMAGE: u32 = 11;
const R32UI: u32 = 33;
/// `R64ui` and `R64i`.
const WIDE: [u32; 2] = [40, 41];

/// A texel that feedback goes to.
#[derive(Clone, Copy)]
struct Texel {
    image: u32,
    coordinate: u32,
    sample: u32,
    /// The pointer to the high half.
    high: u32,
}

/// What the pass must know of a module, by the numbers of its results.
#[derive(Default)]
struct Module {
    /// Unsigned integers of 32 bits.
    word: Option<u32>,
    /// Signed integers of 32 bits.
    int: Option<u32>,
    /// The instructions with [`S_MAX`].
    extended: Option<u32>,
    /// Numbers that are the same for all threads.
    constants: HashSet<u32>,
    /// Types of images: all that is said of them.
    images: HashMap<u32, Vec<u32>>,
    /// Vectors: component and number of components.
    vectors: HashMap<u32, (u32, u32)>,
    /// Pointers: what they lead to.
    pointers: HashMap<u32, u32>,
    /// Parameters of functions: their types.
    parameters: HashMap<u32, u32>,
    /// Types of images that are maps of feedback.
    maps: HashSet<u32>,
    /// Texels that feedback goes to.
    texels: HashMap<u32, Texel>,
}

/// The translator reaches textures of the program in place. Only its own function for feedback takes an image as a parameter.
fn read(words: &[u32], id: &mut impl FnMut() -> u32) -> Module {
    let mut module = Module::default();
    for (opcode, operands) in instructions(words) {
        match (opcode, operands) {
            (op::TYPE_INT, [it, 32, 0]) => module.word = Some(*it),
            (op::TYPE_INT, [it, 32, 1]) => module.int = Some(*it),
            (op::CONSTANT, [_, it, ..]) => drop(module.constants.insert(*it)),
            (op::EXT_INST_IMPORT, [it, name @ ..]) if is_text(name, S_MAX_OF) => module.extended = Some(*it),
            (op::TYPE_VECTOR, [it, of, count]) => drop(module.vectors.insert(*it, (*of, *count))),
            (op::TYPE_IMAGE, [it, rest @ ..]) => drop(module.images.insert(*it, rest.to_vec())),
            (op::TYPE_POINTER, [it, _, of]) => drop(module.pointers.insert(*it, *of)),
            (op::FUNCTION_PARAMETER, [kind, it]) => drop(module.parameters.insert(*it, *kind)),
            (op::IMAGE_TEXEL_POINTER, [_, it, image, coordinate, sample]) => {
                let kind = module.parameters.get(image).and_then(|kind| module.pointers.get(kind));
                let format = kind.and_then(|kind| module.images.get(kind)?.get(6));
                if let (Some(kind), Some(40)) = (kind, format) {
                    module.maps.insert(*kind);
                    let texel = Texel { image: *image, coordinate: *coordinate, sample: *sample, high: id() };
                    module.texels.insert(*it, texel);
                }
            }
            _ => {}
        }
    }
    module
}

/// Whether textures of the program have the type of the maps, so that one cannot change without the other.
fn shares(words: &[u32], module: &Module) -> bool {
    let (mut wide, mut pointers, mut loaded) = (HashSet::new(), HashSet::new(), HashSet::new());
    instructions(words).any(|(opcode, operands)| {
        match (opcode, operands) {
            (op::TYPE_INT, [it, 64, _]) => drop(wide.insert(*it)),
            (op::TYPE_POINTER, [it, IMAGE, of]) if wide.contains(of) => drop(pointers.insert(*it)),
            (op::LOAD, [kind, it, ..]) if module.maps.contains(kind) => drop(loaded.insert(*it)),
            (op::IMAGE_READ, [_, _, image, ..]) | (op::IMAGE_WRITE, [image, ..]) => return loaded.contains(image),
            (op::IMAGE_TEXEL_POINTER, [kind, it, ..]) => {
                return pointers.contains(kind) && !module.texels.contains_key(it);
            }
            _ => {}
        }
        false
    })
}

/// Types and constants of the halves.
struct Halves {
    word: u32,
    /// To a texel of 32 bits.
    pointer: u32,
    /// The number 32.
    half: u32,
    /// By the type of a coordinate: what it is multiplied with, and what is added for the high half.
    steps: HashMap<u32, [u32; 2]>,
    /// By the type of a size: how large a level is at least.
    sizes: HashMap<u32, Least>,
}

/// The least size of a level, the number zero, and how many numbers a size has.
#[derive(Clone, Copy)]
struct Least {
    one: u32,
    zero: u32,
    count: u32,
}

/// The module with two texels for each; as it is where it gives no feedback.
///
/// # Errors
/// The shader also has textures of 64-bit texels.
pub(crate) fn in_halves(words: Vec<u32>) -> Result<Vec<u32>, TranslateError> {
    let Some(header) = words.get(..HEADER) else { return Ok(words) };
    let mut bound = header[BOUND];
    let mut id = || {
        bound += 1;
        bound - 1
    };
    let module = read(&words, &mut id);
    if module.texels.is_empty() {
        return Ok(words);
    }
    if shares(&words, &module) {
        return Err(TranslateError::Rejected {
            step: "sampler feedback",
            code: 0,
            log: "a shader that also writes textures of 64-bit texels is not supported".to_owned(),
        });
    }
    let word = module.word.unwrap_or_else(&mut id);
    let mut halves = Halves { word, pointer: id(), half: id(), steps: HashMap::new(), sizes: HashMap::new() };
    let narrow = |image: &[u32]| {
        let mut image = image.to_vec();
        (image[0], image[6]) = (word, R32UI);
        image
    };
    // A type is declared once: a map takes the place of an equal type that the module has.
    let mut equal = HashMap::new();
    for map in &module.maps {
        let narrow = narrow(&module.images[map]);
        if let Some((it, _)) = module.images.iter().find(|(_, image)| **image == narrow) {
            equal.insert(*map, *it);
        }
    }
    let keeps_wide = module
        .images
        .iter()
        .any(|(it, image)| !module.maps.contains(it) && image.get(6).is_some_and(|format| WIDE.contains(format)));
    let own = |kind: &u32| *equal.get(kind).unwrap_or(kind);
    let mut declared = HashSet::new();
    let mut begun = false;
    let mut out = header.to_vec();
    for (opcode, operands) in instructions(&words) {
        if opcode == op::FUNCTION && !begun {
            begun = true;
            declare(&mut out, &mut id, &module, &mut halves);
        }
        match (opcode, operands) {
            (op::CAPABILITY, [INT64_IMAGES]) if !keeps_wide => {}
            (op::EXTENSION, name) if !keeps_wide && is_text(name, INT64_IMAGES_EXTENSION) => {}
            (op::TYPE_INT, [it, ..]) if *it == word => {
                if declared.insert(word) {
                    emit(&mut out, opcode, operands);
                }
            }
            (op::TYPE_IMAGE, [it, image @ ..]) => {
                let (it, image) = match module.maps.contains(it) {
                    true => (own(it), narrow(image)),
                    false => (*it, image.to_vec()),
                };
                if image[0] == word && declared.insert(word) {
                    emit(&mut out, op::TYPE_INT, &[word, 32, 0]);
                }
                if declared.insert(it) {
                    emit(&mut out, opcode, &[&[it], &image[..]].concat());
                }
            }
            (op::TYPE_POINTER, [it, class, of]) => emit(&mut out, opcode, &[*it, *class, own(of)]),
            (op::TYPE_ARRAY | op::TYPE_RUNTIME_ARRAY, [it, of, rest @ ..]) => {
                emit(&mut out, opcode, &[&[*it, own(of)], rest].concat());
            }
            (op::LOAD, [kind, rest @ ..]) => emit(&mut out, opcode, &[&[own(kind)], rest].concat()),
            (op::DECORATE, [it, NON_UNIFORM]) => {
                emit(&mut out, opcode, operands);
                if let Some(texel) = module.texels.get(it) {
                    emit(&mut out, opcode, &[texel.high, NON_UNIFORM]);
                }
            }
            (op::IMAGE_TEXEL_POINTER, [_, it, ..]) if module.texels.contains_key(it) => {}
            (op::IMAGE_QUERY_SIZE_LOD, [kind, it, image, level]) if !module.constants.contains(level) => {
                match (halves.sizes.get(kind), module.extended) {
                    (Some(size), Some(extended)) => {
                        shrink(&mut out, &mut id, (*kind, *size), extended, [*it, *image, *level]);
                    }
                    // A question of the program's own.
                    _ => emit(&mut out, opcode, operands),
                }
            }
            (op::ATOMIC_OR, [wide, it, low, scope, order, value]) if module.texels.contains_key(low) => {
                let kind = module.parameters.get(&module.texels[low].coordinate);
                let Some(steps) = kind.and_then(|kind| Some((*kind, *halves.steps.get(kind)?))) else {
                    return Err(TranslateError::Rejected {
                        step: "sampler feedback",
                        code: 0,
                        log: "feedback at a place that is no parameter".to_owned(),
                    });
                };
                let texel = (*low, module.texels[low]);
                set(&mut out, &mut id, &halves, steps, texel, [*wide, *it, *scope, *order, *value]);
            }
            _ => emit(&mut out, opcode, operands),
        }
    }
    out[BOUND] = bound;
    Ok(out)
}

/// Whether operands are a text of SPIR-V.
fn is_text(operands: &[u32], text: &str) -> bool {
    let bytes = operands.iter().flat_map(|word| word.to_le_bytes());
    bytes.take_while(|byte| *byte != 0).eq(text.bytes())
}

/// Types and constants, before the first function.
fn declare(out: &mut Vec<u32>, id: &mut impl FnMut() -> u32, module: &Module, halves: &mut Halves) {
    emit(out, op::TYPE_POINTER, &[halves.pointer, IMAGE, halves.word]);
    emit(out, op::CONSTANT, &[halves.word, halves.half, 32]);
    let kinds = module.texels.values().filter_map(|texel| module.parameters.get(&texel.coordinate));
    let mut kinds: Vec<u32> = kinds.copied().collect();
    kinds.sort_unstable();
    kinds.dedup();
    for kind in kinds {
        let Some((component, count)) = module.vectors.get(&kind).copied() else { continue };
        let [zero, one, two, times, more] = core::array::from_fn(|_| id());
        for (it, value) in [(zero, 0), (one, 1), (two, 2)] {
            emit(out, op::CONSTANT, &[component, it, value]);
        }
        for (it, first, rest) in [(times, two, one), (more, one, zero)] {
            let mut operands = vec![kind, it, first];
            operands.resize(count as usize + 2, rest);
            emit(out, op::CONSTANT_COMPOSITE, &operands);
        }
        halves.steps.insert(kind, [times, more]);
    }
    // Sizes of the translator's own questions are signed, those of the program's are not.
    let mut sizes: Vec<(u32, u32)> =
        module.vectors.iter().filter(|(_, it)| Some(it.0) == module.int).map(|(kind, it)| (*kind, it.1)).collect();
    sizes.sort_unstable();
    for (kind, count) in sizes {
        let (component, [zero, one, least]) = (module.vectors[&kind].0, core::array::from_fn(|_| id()));
        emit(out, op::CONSTANT, &[component, zero, 0]);
        emit(out, op::CONSTANT, &[component, one, 1]);
        let mut operands = vec![kind, least];
        operands.resize(count as usize + 2, one);
        emit(out, op::CONSTANT_COMPOSITE, &operands);
        halves.sizes.insert(kind, Least { one: least, zero, count });
    }
}

/// The size of a level that is each thread's own: width and height, and maybe layers.
fn shrink(
    out: &mut Vec<u32>,
    id: &mut impl FnMut() -> u32,
    (kind, least): (u32, Least),
    extended: u32,
    [result, image, level]: [u32; 3],
) {
    let (whole, times, size) = (id(), id(), id());
    let mut powers = vec![kind, times, level, level];
    powers.resize(least.count as usize + 2, least.zero);
    emit(out, op::IMAGE_QUERY_SIZE_LOD, &[kind, whole, image, least.zero]);
    emit(out, op::COMPOSITE_CONSTRUCT, &powers);
    emit(out, op::SHIFT_RIGHT_ARITHMETIC, &[kind, size, whole, times]);
    emit(out, op::EXT_INST, &[kind, result, extended, S_MAX, size, least.one]);
}

/// Sets the bits of both halves.
fn set(
    out: &mut Vec<u32>,
    id: &mut impl FnMut() -> u32,
    halves: &Halves,
    (kind, [times, more]): (u32, [u32; 2]),
    (low, texel): (u32, Texel),
    [wide, result, scope, order, value]: [u32; 5],
) {
    let (first, second, shifted, bits, high_bits) = (id(), id(), id(), id(), id());
    let Halves { word, pointer, half, .. } = *halves;
    emit(out, op::I_MUL, &[kind, first, texel.coordinate, times]);
    emit(out, op::I_ADD, &[kind, second, first, more]);
    emit(out, op::U_CONVERT, &[word, bits, value]);
    emit(out, op::SHIFT_RIGHT_LOGICAL, &[wide, shifted, value, half]);
    emit(out, op::U_CONVERT, &[word, high_bits, shifted]);
    emit(out, op::IMAGE_TEXEL_POINTER, &[pointer, low, texel.image, first, texel.sample]);
    emit(out, op::ATOMIC_OR, &[word, result, low, scope, order, bits]);
    emit(out, op::IMAGE_TEXEL_POINTER, &[pointer, texel.high, texel.image, second, texel.sample]);
    emit(out, op::ATOMIC_OR, &[word, id(), texel.high, scope, order, high_bits]);
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const WORD: u32 = 1;
    const LONG: u32 = 2;
    const MAP: u32 = 3;
    const OTHER: u32 = 4;
    const INT: u32 = 5;
    const PLACE: u32 = 6;
    const POINTER: u32 = 7;
    const TEXEL: u32 = 8;

    /// A module whose function, of parameters 20 (map), 21 (place) and 22 (bits), sets bits of texel 23. `after`: instructions behind.
    fn module(after: &[(u32, &[u32])]) -> Vec<u32> {
        let mut words = vec![0x0723_0203, 0x0001_0600, 0, 40, 0];
        let extension: Vec<u32> = INT64_IMAGES_EXTENSION
            .as_bytes()
            .chunks(4)
            .map(|part| part.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte)))
            .chain([0])
            .collect();
        emit(&mut words, op::CAPABILITY, &[1]);
        emit(&mut words, op::CAPABILITY, &[INT64_IMAGES]);
        emit(&mut words, op::EXTENSION, &extension);
        emit(&mut words, op::EXT_INST_IMPORT, &[39, 0x4c53_4c47, 0x6474_732e, 0x3035_342e, 0]);
        emit(&mut words, op::DECORATE, &[23, NON_UNIFORM]);
        emit(&mut words, op::TYPE_INT, &[LONG, 64, 0]);
        emit(&mut words, op::TYPE_IMAGE, &[MAP, LONG, 1, 0, 0, 0, 2, 40]);
        emit(&mut words, op::TYPE_POINTER, &[POINTER, 0, MAP]);
        emit(&mut words, op::TYPE_INT, &[WORD, 32, 0]);
        emit(&mut words, op::TYPE_IMAGE, &[OTHER, WORD, 1, 0, 0, 0, 2, R32UI]);
        emit(&mut words, op::TYPE_INT, &[INT, 32, 1]);
        emit(&mut words, op::TYPE_VECTOR, &[PLACE, INT, 2]);
        emit(&mut words, op::TYPE_POINTER, &[TEXEL, IMAGE, LONG]);
        emit(&mut words, op::FUNCTION, &[9, 19, 0, 10]);
        emit(&mut words, op::FUNCTION_PARAMETER, &[POINTER, 20]);
        emit(&mut words, op::FUNCTION_PARAMETER, &[PLACE, 21]);
        emit(&mut words, op::FUNCTION_PARAMETER, &[LONG, 22]);
        emit(&mut words, op::IMAGE_TEXEL_POINTER, &[TEXEL, 23, 20, 21, 11]);
        emit(&mut words, op::ATOMIC_OR, &[LONG, 24, 23, 12, 11, 22]);
        emit(&mut words, op::LOAD, &[MAP, 25, 26]);
        after.iter().for_each(|(opcode, operands)| emit(&mut words, *opcode, operands));
        words
    }

    #[test]
    fn a_texel_is_two_of_half_its_size() {
        let words = in_halves(module(&[])).unwrap();
        let all: Vec<(u32, &[u32])> = instructions(&words).collect();
        assert_eq!(
            all[..8],
            [
                (op::CAPABILITY, &[1][..]),
                (op::EXT_INST_IMPORT, &[39, 0x4c53_4c47, 0x6474_732e, 0x3035_342e, 0]),
                (op::DECORATE, &[23, NON_UNIFORM]),
                (op::DECORATE, &[40, NON_UNIFORM]),
                (op::TYPE_INT, &[LONG, 64, 0]),
                // The equal type that the module has is declared where the map's was, behind its component.
                (op::TYPE_INT, &[WORD, 32, 0]),
                (op::TYPE_IMAGE, &[OTHER, WORD, 1, 0, 0, 0, 2, R32UI]),
                (op::TYPE_POINTER, &[POINTER, 0, OTHER]),
            ]
        );
        let declared = |opcode: u32, operands: &[u32]| all.iter().filter(|it| **it == (opcode, operands)).count();
        assert_eq!((declared(op::TYPE_INT, &[WORD, 32, 0]), declared(op::LOAD, &[OTHER, 25, 26])), (1, 1));
        assert_eq!(declared(op::CONSTANT_COMPOSITE, &[PLACE, 46, 45, 44]), 1, "x twice");
        assert_eq!(declared(op::CONSTANT_COMPOSITE, &[PLACE, 47, 44, 43]), 1, "and one more");
        let first = all.iter().position(|it| it.0 == op::I_MUL).unwrap();
        assert_eq!(
            all[first..first + 9],
            [
                (op::I_MUL, &[PLACE, 51, 21, 46][..]),
                (op::I_ADD, &[PLACE, 52, 51, 47]),
                (op::U_CONVERT, &[WORD, 54, 22]),
                (op::SHIFT_RIGHT_LOGICAL, &[LONG, 53, 22, 42]),
                (op::U_CONVERT, &[WORD, 55, 53]),
                (op::IMAGE_TEXEL_POINTER, &[41, 23, 20, 51, 11]),
                (op::ATOMIC_OR, &[WORD, 24, 23, 12, 11, 54]),
                (op::IMAGE_TEXEL_POINTER, &[41, 40, 20, 52, 11]),
                (op::ATOMIC_OR, &[WORD, 56, 40, 12, 11, 55]),
            ]
        );
        assert_eq!(words[BOUND], 57);
    }

    #[test]
    fn a_level_of_each_thread_is_level_0_made_smaller() {
        let words = in_halves(module(&[(op::IMAGE_QUERY_SIZE_LOD, &[PLACE, 30, 31, 32])])).unwrap();
        let all: Vec<(u32, &[u32])> = instructions(&words).collect();
        assert_eq!(
            all[all.len() - 4..],
            [
                (op::IMAGE_QUERY_SIZE_LOD, &[PLACE, 57, 31, 48][..]),
                (op::COMPOSITE_CONSTRUCT, &[PLACE, 58, 32, 32]),
                (op::SHIFT_RIGHT_ARITHMETIC, &[PLACE, 59, 57, 58]),
                (op::EXT_INST, &[PLACE, 30, 39, S_MAX, 59, 50]),
            ]
        );
        let own = (op::IMAGE_QUERY_SIZE_LOD, &[18, 30, 31, 32][..]);
        let words = in_halves(module(&[own])).unwrap();
        assert_eq!(instructions(&words).last(), Some(own), "of unsigned numbers: the program's own");
    }

    #[test]
    fn textures_of_the_same_type_are_refused() {
        let refused = |after: &[(u32, &[u32])]| in_halves(module(after)).is_err();
        assert!(!refused(&[]));
        assert!(refused(&[(op::IMAGE_WRITE, &[25, 21, 22])]), "a store");
        assert!(refused(&[(op::IMAGE_TEXEL_POINTER, &[TEXEL, 30, 31, 21, 11])]), "an atomic");
        assert!(!refused(&[(op::IMAGE_WRITE, &[33, 21, 22])]), "a store elsewhere");
    }

    #[test]
    fn whatever_is_cut_off_harms_nobody() {
        let whole = module(&[]);
        for length in 0..whole.len() {
            drop(in_halves(whole[..length].to_vec()));
        }
        // Without feedback nothing changes.
        let none = whole[..HEADER + 4].to_vec();
        assert_eq!(in_halves(none.clone()), Ok(none));
    }
}
