//! Making one call: its arguments rebuilt for the runtime, the call itself, and what lies in its outputs.
//!
//! Invariant: the runtime gets only what the codec rebuilt and checked; an argument that cannot be honoured ends the
//! replay before the call.

pub(crate) mod decision;
pub(crate) mod unportable;

use std::path::PathBuf;

use reprise_codec::arena::Arena;
use reprise_codec::outputs::Before;
use reprise_codec::rebuild::{Output, RebuildError};
use reprise_d3d12::lookup::by_iid;
use reprise_d3d12::model::{Guid, InterfaceId, Method, MethodId, Type};
use reprise_d3d12::types::{
    D3D12_COMMAND_LIST_TYPE, D3D12_COMMAND_SIGNATURE_DESC, D3D12_DESCRIPTOR_HEAP_DESC, D3D12_HEAP_DESC,
    D3D12_HEAP_PROPERTIES, D3D12_RESOURCE_DESC,
};
use reprise_d3d12::{interface, struct_};
use reprise_trace::read::Event;

use crate::arguments::lookup::Lookup;
use crate::call::unportable::CachedBlob;
use crate::indirect::{Layout, ListMade};
use crate::input::source::Blobs;
use crate::input::values;
use crate::report::HresultName;
use crate::resolve::objects::Com;
use crate::runtime::Runtime;
use crate::runtime::owned::{self, Owned};
use crate::walk::Engine;
use crate::world::{Made, World};
use crate::{Error, Place};

/// A call that was made.
pub(crate) struct Called {
    pub(crate) words: Vec<u64>,
    pub(crate) result: u64,
    pub(crate) before: Before,
    pub(crate) given: Vec<Given>,
    pub(crate) made: Made,
    /// Left out of the arguments.
    pub(crate) cached: Option<CachedBlob>,
    /// Where the arguments and outputs are.
    pub(crate) arena: Arena,
}

/// An object that came out of a call, with a reference.
pub(crate) struct Given {
    /// Index of the parameter and of the element.
    pub(crate) slot: (usize, usize),
    pub(crate) interface: InterfaceId,
    /// Null where nothing came out.
    pub(crate) pointer: u64,
}

const NOT_IMPLEMENTED: u32 = 0x8000_4001;

/// A call whose arguments are there.
pub(crate) struct Ready {
    this: u64,
    method: MethodId,
    words: Vec<u64>,
    outputs: Vec<Output>,
    before: Before,
    made: Made,
    /// Files with shaders of the user's among the arguments.
    replaced: Vec<PathBuf>,
    /// Left out of the arguments.
    cached: Option<CachedBlob>,
    /// Where the arguments and outputs are.
    arena: Arena,
}

// SAFETY: the pointers lead to the arena, which goes with them, and to objects of the runtime, which any thread may use.
unsafe impl Send for Ready {}

impl Engine<'_, '_> {
    /// Rebuilds the arguments of a call and makes it.
    pub(crate) fn call(
        &mut self,
        event: &Event<'_>,
        method: &'static Method,
        place: &Place,
        blobs: &dyn Blobs,
    ) -> Result<Called, Error> {
        let ready = self.ready(event, method, place, blobs, &mut None)?;
        if self.options.create_dummy_allocations {
            // SAFETY: the objects that it is passed are alive.
            self.world.dummies.extend(unsafe { ready.allocate_before(&self.world.runtime) });
        }
        // SAFETY: as above.
        let called = unsafe { ready.make(&self.world.runtime) };
        let called = called.map_err(|what| Error::Call { place: place.clone(), what })?;
        self.world.indirect.note(&self.world.runtime, &event.call(), &called.words);
        self.report.replayed += 1;
        Ok(called)
    }

    /// Rebuilds the arguments of a call. Objects that it is passed are added to `used`, if they are wanted.
    pub(crate) fn ready(
        &mut self,
        event: &Event<'_>,
        method: &'static Method,
        place: &Place,
        blobs: &dyn Blobs,
        used: &mut Option<Vec<u64>>,
    ) -> Result<Ready, Error> {
        let fail = |what: String| Error::Call { place: place.clone(), what };
        let this = match method.interface {
            Some(interface) => self.world.pointer(event.object, interface).map_err(fail)?,
            None => 0,
        };
        let id = MethodId(event.method);
        let mut arena = self.arenas.pop().unwrap_or_default();
        arena.clear();
        let mut lookup = Lookup {
            lists: self.lists.are_on().then_some(&mut self.lists),
            replacements: self.replacements.as_mut(),
            used: used.take(),
            ..Lookup::new(&mut self.world, blobs, event)
        };
        let rebuilt = self.codec.rebuild(id, event.payload, &mut lookup, &mut arena);
        *used = lookup.used;
        used.iter_mut().for_each(|used| used.push(this));
        let rebuilt = rebuilt.map_err(|error| fail(refused_argument(&error)))?;
        let mut words = rebuilt.words;
        // SAFETY: the codec rebuilt them for this method, in memory of our own.
        let cached = unsafe {
            let cached = unportable::arguments(&self.codec, method, &mut words);
            self.replan(event, method, &mut words, &mut arena, place);
            cached
        };
        let made = made_by(&self.world, method, event.payload, &words);
        // SAFETY: the codec rebuilt valid arguments of this method.
        let before = unsafe { self.codec.outputs_before(id, &words) };
        let replaced = self.replacements.as_mut().map(|replacements| replacements.recent()).unwrap_or_default();
        Ok(Ready { this, method: id, words, outputs: rebuilt.outputs, before, made, replaced, cached, arena })
    }
}

impl Ready {
    /// Makes a call that allocates memory once more, before it is made; gives what came out, with its reference.
    ///
    /// # Safety
    /// As [`Ready::make`].
    unsafe fn allocate_before(&self, runtime: &Runtime) -> Option<u64> {
        let name = self.method.get().name;
        if !["CreateCommittedResource", "CreateHeap"].iter().any(|start| name.starts_with(start)) {
            return None;
        }
        let place = self.outputs.iter().find(|output| matches!(output.ty, Type::Object(_)))?.pointer.cast::<u64>();
        // SAFETY: by contract; the codec made storage for a pointer there.
        unsafe {
            runtime.call(self.this, self.method, &self.words);
            let pointer = place.replace(0);
            (pointer != 0).then_some(pointer)
        }
    }

    /// Makes the call, and finds what came out.
    ///
    /// # Safety
    /// `this` and the objects among the arguments are alive.
    pub(crate) unsafe fn make(self, runtime: &Runtime) -> Result<Called, String> {
        let Self { this, method: id, words, outputs, before, made, replaced, cached, arena } = self;
        let method = id.get();
        // SAFETY: `this` is alive and has the interface that declares the method; the codec rebuilt valid arguments, whose
        // memory is the arena's.
        let result = unsafe {
            match (method.interface, unportable::pipeline_creation(id)) {
                (Some(_), Some(create)) => Some(create_pipeline(runtime, this, create, &words)?),
                (Some(_), None) => Some(runtime.call(this, id, &words)),
                (None, _) => runtime.call_function(id, &words),
            }
        };
        // As if the runtime had it and did not know what to do.
        let missing = matches!(method.result, Type::Hresult).then_some(u64::from(NOT_IMPLEMENTED));
        let result = result.or(missing).ok_or_else(|| format!("the runtime {} does not export it", runtime.name))?;
        if !replaced.is_empty() && (result as i32) < 0 {
            return Err(refused(&replaced, result as u32));
        }
        let mut given = Vec::new();
        for output in &outputs {
            let Type::Object(stated) = output.ty else { continue };
            let interface = asked_for(output.field.iid, &words).or(output.field.class).unwrap_or(stated);
            for element in 0..output.count as usize {
                // SAFETY: the codec made storage for `count` pointers there.
                let pointer = unsafe { output.pointer.cast::<u64>().add(element).read_unaligned() };
                given.push(Given { slot: (output.param, element), interface, pointer });
            }
        }
        if let Type::Object(stated) = method.result {
            given.push(Given { slot: (usize::MAX, 0), interface: stated, pointer: result });
        }
        Ok(Called { words, result, before, given, made, cached, arena })
    }
}

/// What to say of an argument that cannot be honoured.
pub(crate) fn refused_argument(error: &RebuildError) -> String {
    format!("argument {}, byte {} of the payload: {}", error.path, error.offset, error.what)
}

/// What to say of a creation that failed with shaders of the user's.
fn refused(files: &[PathBuf], result: u32) -> String {
    let files: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    format!(
        "the runtime refuses it with {}, with {} in the place of the program's: their inputs, outputs and resources have to \
         match the pipeline's other stages and its root signature (our runtime says with --log-level debug what does not)",
        HresultName(result),
        files.join(", ")
    )
}

/// Makes a pipeline from its description, which the program took from a library by name.
///
/// # Safety
/// `library` is alive; the words are valid arguments of a method that loads a pipeline: those of `create`, after a name.
unsafe fn create_pipeline(runtime: &Runtime, library: u64, create: MethodId, words: &[u64]) -> Result<u64, String> {
    let device = owned::of_pointer(runtime, library)?;
    let interface = create.get().interface.map_or(interface("ID3D12Device"), |interface| interface);
    let newer = runtime.query(device.pointer(), &interface.get().iid).and_then(|newer| Owned::new(runtime, newer));
    let newer = newer.ok_or_else(|| format!("the runtime does not offer {}", interface.get().name))?;
    // SAFETY: the device has this interface; the rest is the caller's promise.
    Ok(unsafe { runtime.call(newer.pointer(), create, words.get(1..).unwrap_or_default()) })
}

/// What the arguments of a creation say of its object.
fn made_by(world: &World, method: &Method, enter: &[u8], words: &[u64]) -> Made {
    let mut heap_type = None;
    let mut desc = None;
    if method.name.starts_with("CreateCommandList") {
        let number = |name| values::argument(method, enter, name).unwrap_or(0);
        return Made::List(ListMade {
            bundle: number("type") == D3D12_COMMAND_LIST_TYPE::BUNDLE.0 as u64,
            allocator: number("pCommandAllocator") as u32,
            pipeline: number("pInitialState") as u32,
        });
    }
    for (field, &word) in method.params.iter().zip(words) {
        let Type::Pointer(pointee) = field.ty else { continue };
        let Type::Struct(id) = pointee.ty else { continue };
        if word == 0 || !method.name.starts_with("Create") {
            continue;
        }
        // SAFETY: the codec rebuilt a structure of this type behind the word; longer versions begin with the shorter one.
        unsafe {
            if id == struct_("D3D12_HEAP_PROPERTIES") {
                heap_type = Some((*(word as *const D3D12_HEAP_PROPERTIES)).Type.0 as u32);
            } else if id == struct_("D3D12_RESOURCE_DESC") || id == struct_("D3D12_RESOURCE_DESC1") {
                desc = Some(*(word as *const D3D12_RESOURCE_DESC));
            } else if id == struct_("D3D12_HEAP_DESC") {
                return Made::Heap { heap_type: (*(word as *const D3D12_HEAP_DESC)).Properties.Type.0 as u32 };
            } else if id == struct_("D3D12_COMMAND_SIGNATURE_DESC") {
                let desc = &*(word as *const D3D12_COMMAND_SIGNATURE_DESC);
                let count = if desc.pArgumentDescs.is_null() { 0 } else { desc.NumArgumentDescs as usize };
                let arguments = (0..count).map(|index| *desc.pArgumentDescs.add(index));
                return Made::Signature { addresses: Layout::of(desc.ByteStride, arguments) };
            } else if id == struct_("D3D12_COMMAND_QUEUE_DESC") {
                return Made::Queue;
            } else if id == struct_("D3D12_DESCRIPTOR_HEAP_DESC") {
                let desc = &*(word as *const D3D12_DESCRIPTOR_HEAP_DESC);
                return Made::DescriptorHeap { kind: desc.Type.0 as u32, count: desc.NumDescriptors };
            }
        }
    }
    let Some(desc) = desc else { return Made::Other };
    let placed =
        values::argument(method, enter, "pHeap").and_then(|heap| world.heap_types.get(&(heap as u32)).copied());
    Made::Resource { desc, heap_type: heap_type.or(placed).unwrap_or(0) }
}

/// The interface that the id among the arguments names.
fn asked_for(parameter: Option<u8>, words: &[u64]) -> Option<InterfaceId> {
    let pointer = *words.get(usize::from(parameter?))? as *const Guid;
    if pointer.is_null() {
        return None;
    }
    // SAFETY: the codec rebuilt an interface id behind the word.
    by_iid(&unsafe { pointer.read_unaligned() })
}
