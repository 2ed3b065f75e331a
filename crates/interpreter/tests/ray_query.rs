//! A ray query in a module that is put together here: three triangles behind each other, each of which the shader is asked about. Which one is
//! committed depends on no order; how often the shader is asked does.

#![allow(clippy::unwrap_used)]

use reprise_interpreter::{
    Bottom, Buffer, Geometry, Handle, InstancePlace, Lean, Module, Open, Opens, Primitives, Resources, Scene, Size,
    Task, Texel, is_free, run,
};
use spirv::Op;
use std::rc::Rc;

/// Where the structure lies.
const ADDRESS: u32 = 0x1000;
/// How far away the triangles are, by their numbers.
const FAR: [f64; 3] = [2.0, 1.0, 3.0];

/// The words that the shader stores to, what is open about each, and the scene.
struct Kept(Vec<(u32, Open)>, Rc<Scene>);

impl Resources for Kept {
    fn read(&mut self, _: Buffer, offset: u64, bytes: &mut [u8]) -> Result<Open, String> {
        let (word, open) = self.0.get(offset as usize / 4).ok_or("beyond the end")?;
        bytes.copy_from_slice(&word.to_le_bytes()[..bytes.len()]);
        Ok(*open)
    }

    fn write(&mut self, _: Buffer, offset: u64, bytes: &[u8], open: Open) -> Result<(), String> {
        let place = self.0.get_mut(offset as usize / 4).ok_or("beyond the end")?;
        *place = (u32::from_le_bytes(bytes.try_into().map_err(|_| "no word")?), open);
        Ok(())
    }

    fn scene(&mut self, address: u64) -> Result<Rc<Scene>, String> {
        if address == u64::from(ADDRESS) { Ok(Rc::clone(&self.1)) } else { Err("another address".to_owned()) }
    }

    fn length(&mut self, _: Buffer) -> Result<u64, String> {
        Err("no length".to_owned())
    }

    fn texel(&mut self, _: &Handle, _: Texel) -> Result<([u64; 4], Open), String> {
        Err("no texels".to_owned())
    }

    fn set_texel(&mut self, _: &Handle, _: Texel, _: [u64; 4], _: [Open; 4]) -> Result<(), String> {
        Err("no texels".to_owned())
    }

    fn size(&mut self, _: &Handle, _: u32) -> Result<Size, String> {
        Err("no texels".to_owned())
    }
}

fn add(words: &mut Vec<u32>, op: Op, operands: &[u32]) {
    words.push((operands.len() as u32 + 1) << 16 | op as u32);
    words.extend(operands);
}

/// Counts in the first word how often the shader is asked, commits each time, and stores the kind, the number and the distance of what is
/// committed at last behind it.
fn module(flags: u32) -> Vec<u32> {
    let mut words = vec![0x0723_0203, 0x0001_0600, 0, 200, 0];
    let w = &mut words;
    let [void, function, word, boolean, float, point, pair, array, block, to_block, to_word] =
        [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
    let [structure, query, to_query, out, ray, main] = [12, 13, 14, 15, 16, 17];
    let (storage, private) = (12, 6);
    add(w, Op::EntryPoint, &[5, main, 0]);
    add(w, Op::ExecutionMode, &[main, 17, 1, 1, 1]);
    add(w, Op::Decorate, &[array, 6, 4]);
    add(w, Op::MemberDecorate, &[block, 0, 35, 0]);
    add(w, Op::TypeVoid, &[void]);
    add(w, Op::TypeFunction, &[function, void]);
    add(w, Op::TypeInt, &[word, 32, 0]);
    add(w, Op::TypeBool, &[boolean]);
    add(w, Op::TypeFloat, &[float, 32]);
    add(w, Op::TypeVector, &[point, float, 3]);
    add(w, Op::TypeVector, &[pair, word, 2]);
    add(w, Op::TypeRuntimeArray, &[array, word]);
    add(w, Op::TypeStruct, &[block, array]);
    add(w, Op::TypePointer, &[to_block, storage, block]);
    add(w, Op::TypePointer, &[to_word, storage, word]);
    add(w, Op::TypeAccelerationStructureKHR, &[structure]);
    add(w, Op::TypeRayQueryKHR, &[query]);
    add(w, Op::TypePointer, &[to_query, private, query]);
    for number in 0..4 {
        add(w, Op::Constant, &[word, 20 + number, number]);
    }
    let [address, flag, mask, zero, one, much] = [30, 31, 32, 33, 34, 35];
    add(w, Op::Constant, &[word, address, ADDRESS]);
    add(w, Op::Constant, &[word, flag, flags]);
    add(w, Op::Constant, &[word, mask, 0xff]);
    for (id, value) in [(zero, 0f32), (one, 1.0), (much, 10.0)] {
        add(w, Op::Constant, &[float, id, value.to_bits()]);
    }
    add(w, Op::ConstantComposite, &[pair, 36, address, 20]);
    add(w, Op::ConstantComposite, &[point, 37, zero, zero, zero]);
    add(w, Op::ConstantComposite, &[point, 38, zero, zero, one]);
    add(w, Op::Variable, &[to_block, out, storage]);
    add(w, Op::Variable, &[to_query, ray, private]);
    add(w, Op::Function, &[void, main, 0, function]);
    add(w, Op::Label, &[100]);
    add(w, Op::ConvertUToAccelerationStructureKHR, &[structure, 40, 36]);
    add(w, Op::RayQueryInitializeKHR, &[ray, 40, flag, mask, 37, zero, 38, much]);
    add(w, Op::AccessChain, &[to_word, 41, out, 20, 20]);
    add(w, Op::Branch, &[101]);
    add(w, Op::Label, &[101]);
    add(w, Op::LoopMerge, &[105, 104, 0]);
    add(w, Op::Branch, &[102]);
    add(w, Op::Label, &[102]);
    add(w, Op::RayQueryProceedKHR, &[boolean, 42, ray]);
    add(w, Op::BranchConditional, &[42, 103, 105]);
    add(w, Op::Label, &[103]);
    add(w, Op::Load, &[word, 43, 41]);
    add(w, Op::IAdd, &[word, 44, 43, 21]);
    add(w, Op::Store, &[41, 44]);
    add(w, Op::RayQueryConfirmIntersectionKHR, &[ray]);
    add(w, Op::Branch, &[104]);
    add(w, Op::Label, &[104]);
    add(w, Op::Branch, &[101]);
    add(w, Op::Label, &[105]);
    add(w, Op::RayQueryGetIntersectionTypeKHR, &[word, 50, ray, 21]);
    add(w, Op::RayQueryGetIntersectionPrimitiveIndexKHR, &[word, 51, ray, 21]);
    add(w, Op::RayQueryGetIntersectionTKHR, &[float, 52, ray, 21]);
    add(w, Op::Bitcast, &[word, 53, 52]);
    for (at, value) in [(1, 50), (2, 51), (3, 53)] {
        add(w, Op::AccessChain, &[to_word, 60 + at, out, 20, 20 + at]);
        add(w, Op::Store, &[60 + at, value]);
    }
    add(w, Op::Return, &[]);
    add(w, Op::FunctionEnd, &[]);
    words
}

fn scene() -> Rc<Scene> {
    let at = |z: f64| [[-1.0, -1.0, z], [0.0, 2.0, z], [1.0, -1.0, z]];
    let triangles = (0..).zip(FAR).map(|(number, far)| (number, at(far))).collect();
    let bottom = Bottom::new(vec![Geometry { opaque: false, primitives: Primitives::Triangles(triangles) }]);
    let identity = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
    Rc::new(Scene { instances: vec![InstancePlace::new([0, 1, 0, 0], identity, Some(Rc::new(bottom)))] })
}

fn ran(flags: u32, lean: Lean) -> Vec<(u32, Open)> {
    let module = Module::read(&module(flags)).unwrap();
    let mut kept = Kept(vec![(0, 0); 4], scene());
    let mut opens = Opens::default();
    opens.lean(lean);
    let task = Task { watched: Some(0), budget: 10_000, ..Task::default() };
    let found = run(&module, task, &mut kept, &mut opens).unwrap();
    let hit = found.rays[0].hit.unwrap();
    assert_eq!((hit.primitive, hit.front, found.rays[0].candidates), (kept.0[2].0, true, kept.0[0].0));
    kept.0
}

#[test]
fn what_the_order_of_candidates_makes_shows_in_runs_that_lean() {
    // From near to far the first one hides the others; from far to near none is hidden; by their numbers one is.
    for (lean, asked) in [(Lean::Nearest, 1), (Lean::Less, 3), (Lean::More, 2), (Lean::InTurn, 2)] {
        let found = ran(0, lean);
        assert_eq!((found[0].0, found[1].0, found[2].0), (asked, 1, 1), "{lean:?}");
        let distance = f32::from_bits(found[3].0);
        assert!((distance - 1.0).abs() < 1e-4 && (lean == Lean::Nearest) == (distance == 1.0), "{lean:?}: {distance}");
        // The order is open, and no more than that.
        assert!(found[..3].iter().all(|(_, open)| *open != 0 && !is_free(*open)), "{found:?}");
    }
}

#[test]
fn which_hit_is_the_first_is_open() {
    let found = ran(4, Lean::Nearest);
    assert_eq!((found[0].0, found[1].0), (1, 1));
    assert!(!is_free(found[1].1) && is_free(found[2].1) && is_free(found[3].1), "{found:?}");
    // Of opaque triangles nobody is asked, and nothing is open but the last bits of the distance.
    let found = ran(1, Lean::Nearest);
    assert_eq!((found[0], found[1], found[2]), ((0, 0), (1, 0), (1, 0)));
    assert!(found[3].1 != 0 && !is_free(found[3].1));
}
