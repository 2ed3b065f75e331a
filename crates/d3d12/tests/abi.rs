//! Words that go out through [`abi::call`] come in through a thunk as the same words, for every method and function of the
//! model in all conventions. The two sides are independent: thunks get their arguments from the compiler's own knowledge
//! of the conventions, `call` from ours.

use core::ffi::c_void;
use reprise_d3d12::abi::{self, Abi, Convention, Direct, Handler, Itanium, Returned, SystemV, Thunks, Vtables, Win64};
use reprise_d3d12::generated::{INTERFACES, METHODS, STRUCTS};
use reprise_d3d12::model::{InterfaceId, Method, Type};
use std::cell::RefCell;

#[derive(Clone, Debug, PartialEq)]
struct Seen {
    convention: Convention,
    method: u16,
    this: Option<usize>,
    /// A 16-byte argument as what its word points to.
    words: Vec<(u64, u64)>,
}

thread_local! {
    static SEEN: RefCell<Vec<Seen>> = const { RefCell::new(Vec::new()) };
}

struct Recorder;

fn is_big(ty: Type) -> bool {
    ty.size(STRUCTS) == 16
}

/// What the handler gives back: different for each method, with every byte in use.
fn answer(method: u16) -> u64 {
    0x8877_6655_4433_0000 | u64::from(method)
}

fn record<A: Abi, const M: u16>(this: Option<*mut c_void>, words: &[u64]) -> u64 {
    let params = METHODS[usize::from(M)].params;
    let words = words.iter().zip(params).map(|(word, param)| match is_big(param.ty) {
        // SAFETY: the word of a 16-byte parameter points to 16 bytes during the call.
        true => unsafe { (*word as *const (u64, u64)).read_unaligned() },
        false => (*word, 0),
    });
    let words = words.collect();
    let seen = Seen { convention: A::CONVENTION, method: M, this: this.map(|this| this as usize), words };
    SEEN.with_borrow_mut(|all| all.push(seen));
    answer(M)
}

impl Handler for Recorder {
    unsafe fn method<A: Abi, const M: u16, const N: usize>(this: *mut c_void, words: [u64; N]) -> u64 {
        record::<A, M>(Some(this), &words)
    }
    unsafe fn function<A: Abi, const M: u16, const N: usize>(words: [u64; N]) -> u64 {
        record::<A, M>(None, &words)
    }
}

/// Words with every byte in use and different from each other, and what the handler must see of them.
fn arguments(at: usize, method: &Method, big: &mut [(u64, u64)]) -> (Vec<u64>, Vec<(u64, u64)>) {
    let mut out = Vec::new();
    let mut expected = Vec::new();
    for (position, param) in method.params.iter().enumerate() {
        let word = 0x9ab1_c2d3_e4f5_0687u64.rotate_left(position as u32 * 7) ^ (at as u64) << 5 ^ position as u64;
        if is_big(param.ty) {
            big[position] = (word, !word);
            out.push(&raw const big[position] as u64);
            expected.push(big[position]);
            continue;
        }
        out.push(word);
        let bits = param.ty.size(STRUCTS) * 8;
        expected.push((if bits == 64 { word } else { word & ((1 << bits) - 1) }, 0));
    }
    (out, expected)
}

/// The convention of one call: Itanium's is System V's where no structure is returned.
fn seen_as<A: Abi>(method: &Method) -> Convention {
    match A::CONVENTION {
        Convention::Itanium if !method.returns_structure => Convention::SystemV,
        convention => convention,
    }
}

fn result_of(method: &Method, at: u16, words: &[u64]) -> u64 {
    let whole = if method.returns_structure { words[0] } else { answer(at) };
    match method.result.size(STRUCTS) {
        0 => 0,
        8 => whole,
        size => whole & ((1 << (size * 8)) - 1),
    }
}

fn round_trip<A: Thunks<Recorder>>() {
    // A structure in registers needs an out pointer that is one: see `structures`.
    let round = |method: &Method| A::CONVENTION != Convention::Itanium || !method.returns_structure;
    for (at, method) in METHODS.iter().enumerate().filter(|(_, method)| round(method)) {
        let mut big = [(0, 0); 16];
        let (words, expected) = arguments(at, method, &mut big);
        let this = method.interface.map(|_| (0x1000 + at * 8) as *mut c_void);
        let at = at as u16;
        // SAFETY: the thunk has the signature of its method, and the handler only looks at words.
        let result = unsafe { abi::call(A::CONVENTION, A::ALL[usize::from(at)], this, &words, method) };
        let seen = SEEN.with_borrow_mut(|all| all.pop()).expect("the handler was called");
        let want = Seen {
            convention: seen_as::<A>(method),
            method: at,
            this: this.map(|this| this as usize),
            words: expected,
        };
        assert_eq!(seen, want, "{}", method.name);
        assert_eq!(result, result_of(method, at, &words), "{}", method.name);
    }
    let floats = METHODS.iter().filter(|m| m.params.iter().any(|p| matches!(p.ty, Type::F32))).count();
    let big = METHODS.iter().filter(|m| m.params.iter().any(|p| is_big(p.ty))).count();
    let stack = METHODS.iter().filter(|m| m.params.len() > 6).count();
    assert!(floats >= 3 && big >= 40 && stack >= 20, "{floats} {big} {stack}: the shapes that are hard must occur");
}

/// The same for calls that go out directly, through the table of an object that is nothing else.
fn direct<A: Thunks<Recorder>>() {
    let mut number = 0;
    for (at, method) in METHODS.iter().enumerate() {
        let (Some(interface), Some(direct)) = (method.interface, Direct::new(method)) else { continue };
        let vtable = Vtables::<Recorder, A>::of(interface);
        let object = vtable.as_ptr();
        let this = (&raw const object).cast_mut().cast::<c_void>();
        let (words, expected) = arguments(at, method, &mut [(0, 0); 16]);
        // SAFETY: the object begins with its table, and the handler only looks at words.
        unsafe { direct.call(A::CONVENTION, this, &words) };
        let seen = SEEN.with_borrow_mut(|all| all.pop()).expect("the handler was called");
        let (convention, method_id) = (seen_as::<A>(method), at as u16);
        let want = Seen { convention, method: method_id, this: Some(this as usize), words: expected };
        assert_eq!(seen, want, "{}", method.name);
        number += 1;
    }
    assert!(number >= 100, "{number} methods");
}

#[test]
fn direct_calls_arrive_as_others_do() {
    direct::<Win64>();
    direct::<SystemV>();
    direct::<Itanium>();
}

#[test]
fn every_method_round_trips_in_win64() {
    round_trip::<Win64>();
}

#[test]
fn every_method_round_trips_in_system_v() {
    round_trip::<SystemV>();
}

#[test]
fn every_method_round_trips_in_itanium() {
    round_trip::<Itanium>();
}

/// Structures as [`Itanium`] returns them: what the handler wrote arrives at the caller's place, all of it and nothing beside it.
mod structures {
    use super::*;

    struct Writer;

    impl Handler for Writer {
        unsafe fn method<A: Abi, const M: u16, const N: usize>(this: *mut c_void, words: [u64; N]) -> u64 {
            record::<A, M>(Some(this), &words);
            for at in 0..size(&METHODS[usize::from(M)]) {
                // SAFETY: the out pointer has room for the structure.
                unsafe { (words[0] as *mut u8).add(at).write(pattern(M, at)) };
            }
            answer(M)
        }
        unsafe fn function<A: Abi, const M: u16, const N: usize>(words: [u64; N]) -> u64 {
            record::<A, M>(None, &words)
        }
    }

    fn pattern(method: u16, at: usize) -> u8 {
        (method as u8).wrapping_mul(31).wrapping_add(at as u8) | 1
    }

    /// Bytes of the structure that a method returns; 0 where it returns none.
    fn size(method: &Method) -> usize {
        match method.params.first().map(|out| out.ty) {
            Some(Type::Pointer(pointee)) if method.returns_structure => pointee.ty.size(STRUCTS) as usize,
            _ => 0,
        }
    }

    fn has_floats(ty: Type) -> bool {
        let Type::Struct(id) = ty else { return matches!(ty, Type::F32 | Type::F64) };
        STRUCTS[usize::from(id.0)].fields.iter().any(|field| has_floats(field.ty))
    }

    #[test]
    fn every_structure_arrives_whole_in_every_convention() {
        every::<Win64>();
        every::<SystemV>();
        every::<Itanium>();
    }

    fn every<A: Thunks<Writer>>() {
        let mut ways = [0; 2];
        for (at, method) in METHODS.iter().enumerate().filter(|(_, method)| method.returns_structure) {
            let mut room = [0u8; 256];
            let (mut words, mut expected) = arguments(at, method, &mut [(0, 0); 16]);
            words[0] = (&raw mut room) as u64;
            let this = (0x1000 + at * 8) as *mut c_void;
            let id = at as u16;
            // SAFETY: the thunk has the signature of its method; the out pointer has room for any structure.
            let result = unsafe { abi::call(A::CONVENTION, A::ALL[at], Some(this), &words, method) };
            assert_eq!(result, words[0], "{}", method.name);
            let seen = SEEN.with_borrow_mut(|all| all.pop()).expect("the handler was called");
            // The out pointer of a structure in registers is the thunk's own.
            expected[0] = seen.words[0];
            assert_eq!((seen.this, seen.words), (Some(this as usize), expected), "{}", method.name);
            for (byte, value) in room.iter().enumerate() {
                let wanted = if byte < size(method) { pattern(id, byte) } else { 0 };
                assert_eq!(*value, wanted, "{} byte {byte}", method.name);
            }
            match abi::returned(method) {
                Returned::Registers => ways[0] += 1,
                Returned::Memory => ways[1] += 1,
                Returned::Nothing => panic!("{} returns a structure", method.name),
            }
        }
        assert!(ways[0] >= 5 && ways[1] >= 10, "{ways:?}");
    }

    /// The registers are RAX and RDX; a structure with floats would be returned in others.
    #[test]
    fn no_structure_in_registers_has_floats() {
        for method in METHODS.iter().filter(|method| abi::returned(method) == Returned::Registers) {
            let Type::Pointer(pointee) = method.params[0].ty else { panic!("{}", method.name) };
            assert!(!has_floats(pointee.ty), "{}", method.name);
        }
    }
}

fn vtables<A: Thunks<Recorder>>() {
    for (at, row) in INTERFACES.iter().enumerate() {
        let id = InterfaceId(at as u16);
        let vtable = Vtables::<Recorder, A>::of(id);
        assert_eq!(vtable.len(), usize::from(id.slots()), "{}", row.name);
        for (slot, method) in id.vtable().enumerate() {
            assert_eq!(vtable[slot], A::ALL[usize::from(method.0)], "{} slot {slot}", row.name);
        }
    }
}

#[test]
fn vtables_hold_their_methods_in_slot_order() {
    vtables::<Win64>();
    vtables::<SystemV>();
    vtables::<Itanium>();
}

/// Capture builds on this: a method's row is a constant inside a handler.
#[test]
fn a_method_row_is_a_constant() {
    struct Row<const M: u16>;
    impl<const M: u16> Row<M> {
        const METHOD: &'static Method = &METHODS[M as usize];
        const PARAMS: usize = Self::METHOD.params.len();
        const SIZE: usize = METHODS[M as usize].args_size as usize;
    }
    assert_eq!(Row::<0>::METHOD.name, "QueryInterface");
    let block = [0u8; Row::<0>::SIZE];
    assert_eq!((Row::<0>::PARAMS, block.len()), (2, 16));
}

/// Both conventions at once through one C function of each kind: what `export!` makes is callable by name.
mod exported {
    use super::Recorder;
    reprise_d3d12::export!(Recorder, win64, D3D12CreateDeviceVKD3D);
    reprise_d3d12::export!(Recorder, sysv64, vkAcquireNextImageKHR);
}

#[test]
fn exported_functions_reach_the_handler() {
    // SAFETY: the handler only looks at words.
    let result = unsafe { exported::D3D12CreateDeviceVKD3D(1, 2 | 0xf << 40, 3, 4, 5) };
    let seen = SEEN.with_borrow_mut(|all| all.pop()).expect("called");
    assert_eq!(seen.words, [(1, 0), (2, 0), (3, 0), (4, 0), (5, 0)]);
    assert_eq!((seen.convention, seen.this), (Convention::Win64, None));
    assert_eq!(METHODS[usize::from(seen.method)].name, "D3D12CreateDeviceVKD3D");
    assert_eq!(result, answer(seen.method));
    // SAFETY: the handler only looks at words.
    unsafe { exported::vkAcquireNextImageKHR(1, 2, 3, 4, 5, 6) };
    let seen = SEEN.with_borrow_mut(|all| all.pop()).expect("called");
    assert_eq!(seen.words.len(), 6);
    assert_eq!(seen.convention, Convention::SystemV);
}
