//! A quad of pixels, in a module that is put together here: derivatives, pixels that are discarded, and lanes that are there for them alone.

#![allow(clippy::unwrap_used)]

use reprise_interpreter::{
    Buffer, BuiltIn, Fault, Given, Handle, Lean, Left, Module, Open, Opens, Port, Resources, Size, Task, Texel,
    is_free, run_lanes,
};
use spirv::Op;

/// How often a word was written.
#[derive(Default)]
struct Writes(Vec<u32>);

impl Resources for Writes {
    fn read(&mut self, _: Buffer, _: u64, bytes: &mut [u8]) -> Result<Open, String> {
        bytes.fill(0);
        Ok(0)
    }

    fn write(&mut self, _: Buffer, _: u64, bytes: &[u8], _: Open) -> Result<(), String> {
        self.0.push(u32::from_le_bytes(bytes.try_into().map_err(|_| "no word")?));
        Ok(())
    }

    fn length(&mut self, _: Buffer) -> Result<u64, String> {
        Err("no views".to_owned())
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

// Numbers of results.
const VOID: u32 = 1;
const FUNCTION: u32 = 2;
const FLOAT: u32 = 3;
const BOOL: u32 = 4;
const WORD: u32 = 5;
const INPUT: u32 = 6;
const OUTPUT: u32 = 7;
const ARRAY: u32 = 8;
const BLOCK: u32 = 9;
const TO_BLOCK: u32 = 10;
const TO_WORD: u32 = 11;
const IN: u32 = 12;
const OUT: u32 = 13;
const BUFFER: u32 = 14;
const MAIN: u32 = 15;
const ZERO: u32 = 16;
const LIMIT: u32 = 17;
const VALUE: u32 = 20;
const RESULT: u32 = 30;

fn add(words: &mut Vec<u32>, op: Op, operands: &[u32]) {
    words.push((operands.len() as u32 + 1) << 16 | op as u32);
    words.extend(operands);
}

/// A pixel shader that reads a float from location 2, component 1, and gives [`RESULT`] to the first target.
fn module(body: impl FnOnce(&mut Vec<u32>)) -> Module {
    let mut words = vec![0x0723_0203, 0x0001_0600, 0, 200, 0];
    let (location, component, offset, stride) = (30, 31, 35, 6);
    let (input, output, storage) = (1, 3, 12);
    add(&mut words, Op::EntryPoint, &[4, MAIN, 0, IN, OUT]);
    add(&mut words, Op::Decorate, &[IN, location, 2]);
    add(&mut words, Op::Decorate, &[IN, component, 1]);
    add(&mut words, Op::Decorate, &[OUT, location, 0]);
    add(&mut words, Op::Decorate, &[ARRAY, stride, 4]);
    add(&mut words, Op::MemberDecorate, &[BLOCK, 0, offset, 0]);
    add(&mut words, Op::TypeVoid, &[VOID]);
    add(&mut words, Op::TypeFunction, &[FUNCTION, VOID]);
    add(&mut words, Op::TypeFloat, &[FLOAT, 32]);
    add(&mut words, Op::TypeBool, &[BOOL]);
    add(&mut words, Op::TypeInt, &[WORD, 32, 0]);
    add(&mut words, Op::Constant, &[WORD, ZERO, 0]);
    add(&mut words, Op::Constant, &[FLOAT, LIMIT, 4f32.to_bits()]);
    add(&mut words, Op::TypePointer, &[INPUT, input, FLOAT]);
    add(&mut words, Op::TypePointer, &[OUTPUT, output, FLOAT]);
    add(&mut words, Op::TypeRuntimeArray, &[ARRAY, WORD]);
    add(&mut words, Op::TypeStruct, &[BLOCK, ARRAY]);
    add(&mut words, Op::TypePointer, &[TO_BLOCK, storage, BLOCK]);
    add(&mut words, Op::TypePointer, &[TO_WORD, storage, WORD]);
    add(&mut words, Op::Variable, &[INPUT, IN, input]);
    add(&mut words, Op::Variable, &[OUTPUT, OUT, output]);
    add(&mut words, Op::Variable, &[TO_BLOCK, BUFFER, storage]);
    add(&mut words, Op::Function, &[VOID, MAIN, 0, FUNCTION]);
    add(&mut words, Op::Label, &[100]);
    add(&mut words, Op::Load, &[FLOAT, VALUE, IN]);
    body(&mut words);
    add(&mut words, Op::Store, &[OUT, RESULT]);
    add(&mut words, Op::Return, &[]);
    add(&mut words, Op::FunctionEnd, &[]);
    Module::read(&words).unwrap()
}

const PORT: Port = Port::Location { location: 2, component: 1, source: 0 };

/// Runs the quad with these inputs; the lanes but this one are helpers.
fn quad(module: &Module, own: usize, inputs: [f32; 4]) -> Result<(Vec<Left>, Vec<u32>, Opens), Fault> {
    leaning(module, own, inputs, (Opens::default(), 0))
}

/// The same, with what is open about the inputs.
fn leaning(
    module: &Module,
    own: usize,
    inputs: [f32; 4],
    (mut opens, open): (Opens, Open),
) -> Result<(Vec<Left>, Vec<u32>, Opens), Fault> {
    let given = inputs.iter().enumerate().map(|(lane, input)| Given {
        words: [(PORT, (u64::from(input.to_bits()), open))].into(),
        helper: lane != own,
        ..Given::default()
    });
    let given: Vec<Given> = given.collect();
    let mut writes = Writes::default();
    let task = Task { wave: 4, watched: Some(own as u32), budget: 1000, ..Task::default() };
    let (_, left) = run_lanes(module, task, &given, &mut writes, &mut opens)?;
    Ok((left, writes.0, opens))
}

/// What each lane gives to the target, and what is open about it.
fn given(left: &[Left]) -> Vec<(f32, Open)> {
    let port = Port::Location { location: 0, component: 0, source: 0 };
    left.iter().map(|left| left.words[&port]).map(|(bits, open)| (f32::from_bits(bits as u32), open)).collect()
}

/// The upper row goes from 1 to 3, the lower one from 6 to 10.
const SLOPE: [f32; 4] = [1.0, 3.0, 6.0, 10.0];

#[test]
fn fine_derivatives_are_of_the_own_row_and_column() {
    for (op, expected) in [
        (Op::DPdxFine, [2.0, 2.0, 4.0, 4.0]),
        (Op::DPdyFine, [5.0, 7.0, 5.0, 7.0]),
        (Op::FwidthFine, [7.0, 9.0, 9.0, 11.0]),
    ] {
        let module = module(|words| add(words, op, &[FLOAT, RESULT, VALUE]));
        let (left, ..) = quad(&module, 0, SLOPE).unwrap();
        assert_eq!(given(&left), expected.map(|value| (value, 0)), "{op:?}");
    }
}

/// A coarse derivative is one of the quad's, and which one is open where they differ.
#[test]
fn coarse_derivatives_are_the_same_in_the_whole_quad() {
    for (op, expected) in [(Op::DPdx, 2.0), (Op::DPdyCoarse, 5.0), (Op::Fwidth, 7.0)] {
        let module = module(|words| add(words, op, &[FLOAT, RESULT, VALUE]));
        let (left, _, opens) = quad(&module, 0, SLOPE).unwrap();
        for (value, open) in given(&left) {
            assert_eq!(value, expected, "{op:?}");
            assert!(opens.get(open).unwrap().what.contains("of which row and column"), "{op:?}");
        }
        let plane = [1.0, 3.0, 6.0, 8.0];
        let (left, ..) = quad(&module, 0, plane).unwrap();
        assert_eq!(given(&left), [(expected, 0); 4], "{op:?}");
    }
}

/// Pixels of less than 4 go away: what the others see of them is open.
/// Runs that lean go to the other row where that is open, and to the sides of a quotient whose last bits are; what may be anything stays
/// apart from both, whichever comes first.
#[test]
fn runs_that_lean_show_what_the_last_bits_make() {
    let runs = |module: &Module, name: fn(&mut Opens) -> Open| {
        [Lean::Nearest, Lean::Less, Lean::More].map(|lean| {
            let mut opens = Opens::default();
            opens.lean(lean);
            let open = name(&mut opens);
            let (left, ..) = leaning(module, 0, SLOPE, (opens, open)).unwrap();
            given(&left)[0]
        })
    };
    let exact: fn(&mut Opens) -> Open = |_| 0;
    let near: fn(&mut Opens) -> Open = |opens| opens.near("interpolated");
    let free: fn(&mut Opens) -> Open = |opens| opens.name("anything");
    let derivative = module(|words| add(words, Op::DPdx, &[FLOAT, RESULT, VALUE]));
    for name in [exact, near] {
        let found = runs(&derivative, name);
        assert_eq!(found.map(|(value, _)| value), [2.0, 2.0, 4.0]);
        assert!(found.iter().all(|(_, open)| *open != 0 && !is_free(*open)), "{found:?}");
    }
    assert!(runs(&derivative, free).iter().all(|(_, open)| is_free(*open)));
    let quotient = module(|words| add(words, Op::FDiv, &[FLOAT, RESULT, LIMIT, VALUE]));
    for (name, stays_free) in [(exact, false), (near, false), (free, true)] {
        let [(own, open), (less, _), (more, _)] = runs(&quotient, name);
        assert_eq!(own, 4.0);
        assert!(less < own && own < more && more - less < 1e-4, "{less}, {more}");
        assert!(open != 0 && is_free(open) == stays_free, "{open:#x}");
    }
}

#[test]
fn a_discarded_pixel_ends_and_is_missed_by_its_quad() {
    let discard = |words: &mut Vec<u32>, op: Op| {
        add(words, Op::FOrdLessThan, &[BOOL, 21, VALUE, LIMIT]);
        add(words, Op::SelectionMerge, &[102, 0]);
        add(words, Op::BranchConditional, &[21, 101, 102]);
        add(words, Op::Label, &[101]);
        add(words, op, &[]);
        if op == Op::DemoteToHelperInvocation {
            add(words, Op::Branch, &[102]);
        }
        add(words, Op::Label, &[102]);
        add(words, Op::AccessChain, &[TO_WORD, 22, BUFFER, ZERO, ZERO]);
        add(words, Op::Bitcast, &[WORD, 23, VALUE]);
        add(words, Op::Store, &[22, 23]);
        add(words, Op::DPdxFine, &[FLOAT, RESULT, VALUE]);
    };
    for op in [Op::Kill, Op::TerminateInvocation, Op::DemoteToHelperInvocation] {
        let module = module(|words| discard(words, op));
        let demotes = op == Op::DemoteToHelperInvocation;
        for own in 0..4 {
            let (left, writes, opens) = quad(&module, own, SLOPE).unwrap();
            assert_eq!(left.iter().map(|left| left.discarded).collect::<Vec<_>>(), [true, true, false, false]);
            // Helpers write nothing, and what is discarded is one.
            let written: Vec<u32> = [own].into_iter().filter(|own| *own > 1).map(|own| SLOPE[own].to_bits()).collect();
            assert_eq!(writes, written, "{op:?}, lane {own}");
            let given = given(&left);
            assert_eq!(given[2..], [(4.0, 0), (4.0, 0)]);
            if demotes {
                assert_eq!(given[..2], [(2.0, 0), (2.0, 0)]);
            }
            assert!(opens.all().is_empty());
        }
        // Of a row in which one is left.
        let (left, _, opens) = quad(&module, 3, [6.0, 7.0, 1.0, 10.0]).unwrap();
        let (value, open) = given(&left)[3];
        match demotes {
            true => assert_eq!((value, open), (9.0, 0)),
            false => assert!(opens.get(open).unwrap().what.contains("does not take part"), "{op:?}"),
        }
    }
}

/// What other lanes of the quad have, each reads; the wave beyond it is none of a draw's.
#[test]
fn lanes_of_a_quad_read_each_other() {
    for (direction, expected) in [(0, [3.0, 1.0, 10.0, 6.0]), (1, [6.0, 10.0, 1.0, 3.0]), (2, [10.0, 6.0, 3.0, 1.0])] {
        let module = module(|words| {
            add(words, Op::IAdd, &[WORD, 24, ZERO, ZERO]);
            for _ in 0..direction {
                // Less what all bits set are: one more.
                add(words, Op::Not, &[WORD, 25, ZERO]);
                add(words, Op::ISub, &[WORD, 24, 24, 25]);
            }
            add(words, Op::GroupNonUniformQuadSwap, &[FLOAT, RESULT, ZERO, VALUE, 24]);
        });
        assert!(!module.uses_more_than_quads());
        let (left, ..) = quad(&module, 0, SLOPE).unwrap();
        assert_eq!(given(&left), expected.map(|value| (value, 0)));
    }
    let reduce = spirv::GroupOperation::Reduce as u32;
    let whole = module(|words| add(words, Op::GroupNonUniformFAdd, &[FLOAT, RESULT, ZERO, reduce, VALUE]));
    assert!(whole.uses_more_than_quads());
}

#[test]
fn inputs_are_declared_where_they_are_and_a_missing_one_is_named() {
    let module = module(|words| add(words, Op::DPdx, &[FLOAT, RESULT, VALUE]));
    let inputs = module.inputs().unwrap();
    assert_eq!(inputs.iter().map(|input| (input.port, input.is_float)).collect::<Vec<_>>(), [(PORT, true)]);
    assert_eq!(module.stage(), "Fragment");
    let task = Task { wave: 1, ..Task::default() };
    let other = Given {
        words: [(Port::BuiltIn(BuiltIn::FragCoord as u32, 0), (0, 0))].into(),
        helper: false,
        ..Given::default()
    };
    let ran = run_lanes(&module, task, &[other], &mut Writes::default(), &mut Opens::default());
    assert!(matches!(&ran, Err(Fault::Unsupported { what, .. }) if what == "the input %12"), "{ran:?}");
}
