//! Every method of the model, in both conventions, through the wrappers onto the null runtime: what the runtime logged is
//! compared with what the trace decodes to, argument by argument, results and outputs included.
//!
//! The two sides share the model's tables and nothing else: the runtime reads native memory with code of its own.
#![allow(clippy::unwrap_used, missing_docs, unreachable_pub)]

mod compare;
mod rings;

use compare::Comparison;
use core::ffi::c_void;
use reprise_capture::entry;
use reprise_codec::fabricate::Random;
use reprise_codec::{Arena, Codec, Wide};
use reprise_d3d12::abi::{self, Convention, Itanium, SystemV, Thunks, Win64};
use reprise_d3d12::model::{Direction, InterfaceId, MethodId, Order, Role, Type};
use reprise_d3d12::{MODEL, method};
use reprise_null as null;
use reprise_trace::record::Kind;
use rings::{Recorded, Rings};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Calls of each method in each convention.
const SEEDS: u64 = 12;

/// The call under way, for [`name_the_call`].
static CURRENT: std::sync::Mutex<String> = std::sync::Mutex::new(String::new());

/// A crash inside a call must say which call it was.
extern "C" fn name_the_call(signal: i32) {
    if let Ok(name) = CURRENT.try_lock() {
        // SAFETY: writes bytes that nobody changes: the only thread that does is here.
        unsafe {
            libc::write(2, name.as_ptr().cast(), name.len());
            libc::write(2, b" crashed\n".as_ptr().cast(), 9);
        }
    }
    // SAFETY: ends the process.
    unsafe { libc::_exit(128 + signal) }
}

/// Wrappers to pass as arguments and to call, one an interface.
struct Pool {
    convention: Convention,
    wrappers: HashMap<InterfaceId, u64>,
}

impl Pool {
    fn get(&mut self, interface: InterfaceId) -> u64 {
        let convention = self.convention;
        *self.wrappers.entry(interface).or_insert_with(|| {
            let real = null::new_object(convention, interface);
            // SAFETY: a fresh object of this interface; its reference goes to the wrapper.
            unsafe { entry::attach(real, interface, convention) as u64 }
        })
    }
}

struct Test {
    rings: Rings,
    codec: Codec,
    seeds: u64,
    comparison: Comparison,
    failures: Vec<String>,
    covered: BTreeSet<u16>,
    compared: u64,
    /// The call under way returns a structure in registers: program and runtime have no place in common for it. Its members are compared
    /// with the outputs.
    is_in_registers: bool,
}

impl Test {
    /// One call of a method through its wrapper, or of a function through the capture layer, and the comparison.
    fn call(&mut self, pool: &mut Pool, family: Option<InterfaceId>, id: MethodId, seed: u64, failing: bool) {
        let model = id.get();
        let convention = pool.convention;
        let manner = if failing { ", failing" } else { "" };
        let name = format!("{} ({convention:?}, seed {seed}{manner})", null::full_name(id));
        CURRENT.lock().unwrap().clone_from(&name);
        let mut arena = Arena::new();
        let mut random = Random::new(seed * 65_537 + u64::from(id.0));
        let this = family.map_or(0, |family| pool.get(family));
        let words = self.codec.fabricate(id, &mut random, &mut |interface| pool.get(interface), &mut arena);
        null::log::take();
        self.rings.take();
        // SAFETY: the wrapper is live and has this slot, the function is the model's; the arguments are well-formed.
        let result = unsafe {
            if family.is_some() {
                let slot = *(*(this as *const *const *const c_void)).add(model.slot as usize);
                abi::call(convention, slot, Some(this as *mut c_void), &words, model)
            } else {
                let function = match convention {
                    Convention::Win64 => <Win64 as Thunks<null::Null>>::ALL[id.0 as usize],
                    Convention::SystemV => <SystemV as Thunks<null::Null>>::ALL[id.0 as usize],
                    Convention::Itanium => <Itanium as Thunks<null::Null>>::ALL[id.0 as usize],
                };
                entry::call_function(convention, id, function, &words)
            }
        };
        let records = self.rings.take();
        let calls = null::log::take();
        let (mut object, mut serial) = (0, 0);
        if family.is_some() {
            // SAFETY: the wrapper is live.
            unsafe {
                object = entry::object_id(this as *mut c_void);
                serial = null::serial_of(entry::unwrap(this as *mut c_void) as u64).unwrap_or(0);
            }
            if !self.comparison.object(object, serial) {
                self.failures.push(format!("{name}: object {object} is not serial {serial}"));
            }
        }
        self.is_in_registers = convention == Convention::Itanium && abi::returned(model) == abi::Returned::Registers;
        match self.compare(id, object, serial, result, &records, &calls) {
            Ok(()) => {
                self.covered.insert(id.0);
                self.compared += 1;
            }
            Err(what) => self.failures.push(format!("{name}: {what}")),
        }
        release_outputs(convention, id, &words, result);
    }

    /// All seeds of one method.
    fn calls(&mut self, pool: &mut Pool, family: Option<InterfaceId>, id: MethodId) {
        // Functions return no structures: their thunks are System V's own, and would have the null runtime make objects of that convention.
        if excluded(id).is_some() || family.is_none() && pool.convention == Convention::Itanium {
            return;
        }
        for seed in 0..self.seeds {
            self.call(pool, family, id, seed, false);
        }
        if matches!(id.get().result, Type::Hresult) {
            null::control::on(id, 0, null::control::Action::Fail(0x8007_0057_u32 as i32));
            self.call(pool, family, id, self.seeds, true);
            null::control::clear();
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn compare(
        &mut self,
        id: MethodId,
        object: u32,
        serial: u64,
        result: u64,
        records: &[Recorded],
        calls: &[null::log::Call],
    ) -> Result<(), String> {
        let model = id.get();
        let call = calls.iter().rfind(|c| c.method == id && c.this == serial).ok_or("the runtime was not called")?;
        let mut enters = records.iter().filter(|r| r.kind == Kind::Enter && r.method == id.0 && r.object == object);
        let enter = enters.next().ok_or_else(|| {
            let had: Vec<_> = records.iter().map(|r| (r.kind, null::full_name(MethodId(r.method)), r.object)).collect();
            format!("no enter record of object {object} among {had:?}; lost: {:?}", self.rings.lost())
        })?;
        if enters.next().is_some() {
            return Err("two enter records".into());
        }
        let (given, object_id) = match model.result {
            // SAFETY: a result that is an object is a live wrapper or null.
            Type::Object(_) => unsafe {
                (entry::unwrap(result as *mut c_void) as u64, entry::object_id(result as *mut c_void))
            },
            _ => (result, 0),
        };
        if matches!(model.result, Type::Object(_)) && given != 0 && object_id == 0 {
            return Err("the program got the runtime's own object".into());
        }
        if call.result != given && !self.is_in_registers {
            return Err(format!("the runtime returned {:#x}, the program got {result:#x}", call.result));
        }
        let arguments = self.codec.decode_enter(id, &enter.payload).map_err(|e| e.to_string())?;
        if arguments.members.len() != call.inputs.len() {
            return Err(format!("{} arguments decoded", arguments.members.len()));
        }
        for (seen, member) in call.inputs.iter().zip(&arguments.members).skip(usize::from(self.is_in_registers)) {
            // Callbacks are replaced by our own, which call the program's.
            if matches!(member.field.role, Role::Callback | Role::Context) {
                continue;
            }
            self.comparison.value(member.field.name, seen, &member.value, &self.rings.blobs)?;
        }
        let leave = records.iter().find(|r| r.kind == Kind::Leave && r.method == id.0);
        if model.order != Order::EnterLeave {
            return if leave.is_none() { Ok(()) } else { Err("a leave record of a call that returns nothing".into()) };
        }
        let leave = leave.ok_or("no leave record")?;
        if leave.sequence <= enter.sequence {
            return Err("the leave's sequence is not above the enter's".into());
        }
        let outcome = self.codec.decode_leave(id, &enter.payload, &leave.payload).map_err(|e| e.to_string())?;
        let size = model.result.size(MODEL.structs) as u8;
        let bits = null::Value::Bits { bits: result, size };
        let returned = match model.result {
            Type::Pointer(_) | Type::Object(_) if !model.returns_structure => &call.returned,
            _ => &bits,
        };
        if !model.returns_structure && size > 0 {
            self.comparison.value("result", returned, &outcome.result, &self.rings.blobs)?;
        }
        let failed = matches!(model.result, Type::Hresult) && (result as i32) < 0;
        for (index, field) in model.params.iter().enumerate() {
            let Some(seen) = call.outputs.get(index).and_then(Option::as_ref) else { continue };
            let traced = outcome.outputs.iter().find(|m| m.field.name == field.name);
            match (seen, traced) {
                (null::Value::Null, None) => {}
                (_, None) if failed => {}
                (seen, Some(traced)) => {
                    let path = format!("{} after", field.name);
                    self.comparison.value(&path, seen, &traced.value, &self.rings.blobs)?;
                }
                (seen, None) => {
                    return Err(format!("{} after: no output in the trace, the runtime gave {seen:?}", field.name));
                }
            }
        }
        Ok(())
    }
}

/// Gives back what the program was given, so that the runtime does not fill up.
fn release_outputs(convention: Convention, id: MethodId, words: &[u64], result: u64) {
    let model = id.get();
    if matches!(model.result, Type::Hresult) && (result as i32) < 0 {
        return;
    }
    for (field, word) in model.params.iter().zip(words) {
        let Type::Pointer(pointee) = field.ty else { continue };
        if field.direction == Direction::In || *word == 0 || !matches!(pointee.ty, Type::Object(_)) {
            continue;
        }
        // SAFETY: an output slot; what it holds is null or a wrapper whose reference is ours.
        unsafe {
            let held = *(*word as *const u64);
            if held != 0 && entry::object_id(held as *mut c_void) != 0 {
                let release = *(*(held as *const *const *const c_void)).add(2);
                abi::call(convention, release, Some(held as *mut c_void), &[], method("IUnknown", "Release").get());
            }
        }
    }
}

/// Pointers that the runtime does not follow, with the reason.
const UNFOLLOWED: &[(&str, &str)] = &[
    ("pSrcData", "texels: their extent is the resource's; what the trace has is compared with what lies there"),
    ("pDstData", "as pSrcData"),
    ("pResolvedQueryData", "the results' size is the query heap's; compared with what lies there"),
    ("pRecords", "with a stride of 0 one record stands for all, and no graph is there that knows its size"),
    ("pSubresourceTilingsForNonPackedMips", "its count is passed as null: nobody can know the length"),
];

/// Methods that another test compares, with the reason.
fn excluded(id: MethodId) -> Option<&'static str> {
    let name = null::full_name(id);
    match name.as_str() {
        "IUnknown::QueryInterface" | "IUnknown::AddRef" | "IUnknown::Release" => Some("identity: see every_method_com"),
        "vkd3d_signal_event" | "vkd3d_wait_event" | "vkd3d_destroy_event" => {
            Some("the null runtime's events are real: a made-up one would be somebody's file")
        }
        _ => None,
    }
}

#[test]
fn every_method_decodes_to_what_the_runtime_saw() {
    let handler = name_the_call as extern "C" fn(i32) as usize;
    // SAFETY: the handler only writes and ends the process.
    unsafe {
        libc::signal(libc::SIGSEGV, handler);
        libc::signal(libc::SIGTERM, handler);
    }
    // For a developer: one interface only.
    let only = std::env::var("EVERY_METHOD_OF").ok();
    null::control::set_logging(true);
    let seeds = std::env::var("EVERY_METHOD_SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(SEEDS);
    let mut test = Test {
        rings: Rings::start("every-method"),
        codec: Codec::new(MODEL, Wide::Bits16),
        seeds,
        comparison: Comparison::default(),
        failures: Vec::new(),
        covered: BTreeSet::new(),
        compared: 0,
        is_in_registers: false,
    };
    let mut families: BTreeSet<InterfaceId> = MODEL.interfaces.iter().map(|i| i.family).collect();
    families.retain(|f| only.as_ref().is_none_or(|only| f.get().name == only));
    let mut functions: BTreeSet<u16> = (0..MODEL.methods.len() as u16).collect();
    functions.retain(|&f| only.is_none() && MethodId(f).get().interface.is_none());
    for (convention, wide) in [
        (Convention::Win64, Wide::Bits16),
        (Convention::SystemV, Wide::Bits16),
        (Convention::Itanium, Wide::Bits32),
        // Debian's libvkd3d has Linux's own wide characters.
        (Convention::Win64, Wide::Bits32),
    ] {
        reprise_capture::set_wide(wide);
        test.codec = Codec::new(MODEL, wide);
        null::set_wide(if wide == Wide::Bits16 { 2 } else { 4 });
        let mut pool = Pool { convention, wrappers: HashMap::new() };
        for &family in &families {
            for id in family.vtable() {
                test.calls(&mut pool, Some(family), id);
            }
        }
        for &function in &functions {
            test.calls(&mut pool, None, MethodId(function));
        }
    }
    let methods: BTreeSet<u16> =
        families.iter().flat_map(|f| f.vtable()).map(|m| m.0).chain(functions.iter().copied()).collect();
    let missing: Vec<String> = methods
        .iter()
        .map(|&m| MethodId(m))
        .filter(|&m| !test.covered.contains(&m.0) && excluded(m).is_none())
        .map(null::full_name)
        .collect();
    println!(
        "{} calls compared, {} values, {} of {} methods; unfollowed: {:?}",
        test.compared,
        test.comparison.values,
        test.covered.len(),
        methods.len(),
        test.comparison.unfollowed
    );
    let mut by_method: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for failure in &test.failures {
        let key = failure.split(" (").next().unwrap_or("").to_owned();
        by_method.entry(key).or_insert((0, failure.clone())).0 += 1;
    }
    for (number, first) in by_method.values() {
        println!("{number} times: {}", first.chars().take(600).collect::<String>());
    }
    assert!(test.failures.is_empty(), "{} calls differ", test.failures.len());
    assert!(missing.is_empty(), "methods not compared: {missing:?}");
    let reasons = |path: &String| {
        let field = path.trim_end_matches(" after").rsplit('.').next();
        UNFOLLOWED.iter().any(|(name, _)| field == Some(*name))
    };
    let unreasoned: Vec<_> = test.comparison.unfollowed.keys().filter(|path| !reasons(path)).collect();
    assert!(unreasoned.is_empty(), "pointers that the runtime did not follow, without a reason: {unreasoned:?}");
}
