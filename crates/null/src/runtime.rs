//! What a call does: log, misbehave if told, do the little that is real, fill the outputs.
//!
//! Real are: identity, counts, private data, parents, fences, mapped memory, blobs, descriptions, and which buffer of a swap chain
//! is next. Everything else comes back with made-up values. Invariant: whatever a call gives out is deterministic in the number of the call, and an
//! address or handle of an object is the same every time it is asked for.

use crate::context::{Context, S_OK};
use crate::control::{self, Action};
use crate::lock::lock;
use crate::log;
use crate::make::{Arena, Maker, store};
use crate::object::Object;
use crate::outputs;
use crate::read::{Reader, Scope, Side, mask};
use crate::special;
use crate::value::Value;
use core::cell::Cell;
use core::ffi::c_void;
use core::sync::atomic::{AtomicU64, Ordering};
use reprise_d3d12::abi::Convention;
use reprise_d3d12::model::{Direction, InterfaceId, Method, MethodId, Role, Type};
use std::sync::Mutex;

/// Memory that results and outputs point into; it stays, as a caller may keep the pointer.
static OWNED: Mutex<Vec<Arena>> = Mutex::new(Vec::new());
static CALL: AtomicU64 = AtomicU64::new(1);

thread_local! {
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// Does one call.
///
/// # Safety
/// `this` is null (functions) or a facet of a live object; the words are valid arguments of `id`.
pub(crate) unsafe fn call(convention: Convention, id: MethodId, this: *mut c_void, words: &[u64]) -> u64 {
    let method = &crate::model().methods[id.0 as usize];
    // SAFETY: a `this` that is not null is one of our facets.
    let object = (!this.is_null()).then(|| unsafe { Object::from_facet(this) });
    // A thunk tells the convention of its call, which is System V's for most methods of `Itanium`.
    let convention = object.map_or(convention, |object| object.convention);
    let number = CALL.fetch_add(1, Ordering::Relaxed);
    let context = Context { convention, id, method, object, words, number };
    let reader = Reader { model: crate::model() };
    let entry = control::logging().then(|| {
        // SAFETY: the caller's arguments.
        let inputs = (0..method.params.len()).map(|i| unsafe { reader.param(method, words, i, Side::Before) });
        let depth = DEPTH.get();
        log::enter(log::Call {
            method: id,
            this: object.map_or(0, |o| o.serial),
            thread: thread(),
            depth,
            words: words.to_vec(),
            inputs: inputs.map(|v| v.unwrap_or(Value::Null)).collect(),
            outputs: Vec::new(),
            result: 0,
            returned: Value::Null,
            done: false,
        })
    });
    DEPTH.set(DEPTH.get() + 1);
    // SAFETY: the words are the caller's valid arguments of this method, on a live object.
    let result = unsafe { act(&context, control::action(id)) };
    DEPTH.set(DEPTH.get() - 1);
    if let Some(entry) = entry {
        // SAFETY: the words are valid arguments, and the call has filled what they lead to.
        let outputs =
            (0..method.params.len()).map(|i| unsafe { reader.param(method, words, i, Side::After) }).collect();
        // SAFETY: a result that is a pointer points to what we just made.
        let returned = unsafe { returned(&reader, object, method, words, result) };
        log::leave(entry, outputs, result, returned);
    }
    result
}

/// # Safety
/// As for [`call`].
unsafe fn act(context: &Context<'_>, action: Option<Action>) -> u64 {
    match action {
        Some(Action::Crash) => control::crash(),
        Some(Action::Block) => control::block(),
        Some(Action::Reenter(into)) => into(),
        Some(Action::Fail(code)) => {
            // SAFETY: passed on.
            unsafe { context.objects_null() };
            return if matches!(context.method.result, Type::Hresult) { u64::from(code as u32) } else { 0 };
        }
        Some(Action::Null) => {
            // SAFETY: passed on.
            unsafe { context.objects_null() };
            return 0;
        }
        None => {}
    }
    // SAFETY: passed on.
    unsafe {
        match special::of(context.id) {
            Some(special) => special(context).unwrap_or_else(|| fill(context)),
            None => fill(context),
        }
    }
}

/// What the log says of a result that is more than a number.
///
/// # Safety
/// The result must be of a finished call.
unsafe fn returned(
    reader: &Reader,
    object: Option<&Object>,
    method: &'static Method,
    words: &[u64],
    result: u64,
) -> Value {
    match method.result {
        Type::Object(_) => crate::live::value(result),
        Type::Pointer(pointee) if result != 0 && !method.returns_structure => {
            let scope = Scope::Call(method, words);
            // SAFETY: the pointer is one we made, with what the model says behind it.
            unsafe { outputs::read_result(reader, object, pointee, result, &scope) }
        }
        _ => Value::Null,
    }
}

#[cfg(target_os = "linux")]
fn thread() -> u64 {
    // SAFETY: takes and touches nothing.
    unsafe { libc::gettid() as u64 }
}

#[cfg(not(target_os = "linux"))]
fn thread() -> u64 {
    0
}

/// Fills every output and returns the result, for a call that nothing special is known of.
///
/// # Safety
/// As for [`call`].
unsafe fn fill(context: &Context<'_>) -> u64 {
    let method = context.method;
    let has_outputs = method.params.iter().any(|p| p.direction != Direction::In && matches!(p.ty, Type::Pointer(_)));
    if !has_outputs && matches!(method.result, Type::Void | Type::Hresult) {
        return u64::from(S_OK);
    }
    let mut status = S_OK;
    let mut arena = Arena::default();
    let mut make = |interface: InterfaceId| context.create(interface);
    let mut maker = Maker::new(&mut arena, &mut make, context.number);
    for (index, field) in method.params.iter().enumerate() {
        let Type::Pointer(pointee) = field.ty else { continue };
        let at = context.words[index] as *mut u8;
        if field.direction == Direction::In || at.is_null() {
            continue;
        }
        // SAFETY: an output that is not null has room for what the call says, see `room`.
        unsafe {
            if let Type::Object(interface) = pointee.ty {
                let Some(count) = context.room(pointee.len, 8) else { continue };
                for i in 0..count as usize {
                    let (object, code) = context.output_object(field, interface);
                    status = status.max(code);
                    store(at.add(i * 8), 8, object);
                }
                continue;
            }
            if outputs::fill(&mut maker, context, field, at) {
                continue;
            }
            if field.direction == Direction::InOut && context.counts_something(index) {
                continue; // What the caller had room for is what it gets.
            }
            let size = pointee.ty.size(maker.model.structs).max(1);
            let Some(count) = context.room(pointee.len, u64::from(size)) else { continue };
            if field.direction == Direction::Out && context.counts_something(index) {
                store(at, size, 1);
                continue;
            }
            core::ptr::write_bytes(at, 0, count as usize * size as usize);
            for i in 0..count as usize {
                let at = at.add(i * size as usize);
                match pointee.ty {
                    Type::Void | Type::U8 => at.write((maker.next() % 255 + 1) as u8),
                    Type::Pointer(inner) => {
                        let address = outputs::owned(&mut maker, field, inner);
                        store(at, 8, address);
                    }
                    Type::Word if field.role == Role::CpuAddress => {
                        let address = maker.arena.bytes(4096) as u64;
                        store(at, 8, address);
                    }
                    ty => maker.element(ty, field, at),
                }
            }
        }
    }
    let result = match method.result {
        Type::Void => 0,
        Type::Hresult => u64::from(status),
        _ if method.returns_structure => context.words[0],
        Type::Object(interface) => {
            drop(maker);
            return context.create(interface);
        }
        Type::Pointer(pointee) => outputs::owned_result(&mut maker, pointee),
        Type::Bool => 1,
        ty => maker.scalar(ty, Role::Plain) & mask(ty.size(maker.model.structs)),
    };
    drop(maker);
    lock(&OWNED).push(arena);
    result
}
