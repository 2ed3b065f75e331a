//! One call on the runtime: its arguments, the call itself, the objects that came out.
//!
//! Invariant: the runtime gets only arguments that the codec rebuilt and checked.

pub(crate) mod creation;
pub(crate) mod decision;
pub(crate) mod dispensable;
pub(crate) mod open_call;
pub(crate) mod unportable;

use std::path::PathBuf;

use reprise_codec::arena::Arena;
use reprise_codec::outputs::Before;
use reprise_codec::rebuild::Output;
use reprise_d3d12::interface;
use reprise_d3d12::lookup::by_iid;
use reprise_d3d12::model::{Guid, InterfaceId, MethodId, Type};

use crate::hresult::HresultName;
use crate::runtime::Runtime;
use crate::runtime::com::Com;
use crate::runtime::reference::{self, Reference};
use creation::MadeObject;
use unportable::CachedBlob;

/// A call that was made.
pub(crate) struct Called {
    pub(crate) words: Vec<u64>,
    pub(crate) result: u64,
    pub(crate) before: Before,
    pub(crate) given: Vec<Given>,
    pub(crate) made: MadeObject,
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
    /// The object that the method is called on; 0 for functions.
    pub(crate) this: u64,
    pub(crate) method: MethodId,
    pub(crate) words: Vec<u64>,
    pub(crate) outputs: Vec<Output>,
    pub(crate) before: Before,
    pub(crate) made: MadeObject,
    /// Files with shaders of the user's among the arguments.
    pub(crate) replaced: Vec<PathBuf>,
    /// Left out of the arguments.
    pub(crate) cached: Option<CachedBlob>,
    /// Where the arguments and outputs are.
    pub(crate) arena: Arena,
}

// SAFETY: the pointers lead to the arena, which goes with them, and to objects of the runtime, which any thread may use.
unsafe impl Send for Ready {}

impl Ready {
    /// Makes a call that allocates memory, descriptors or shaders' identifiers once more, before it is made; gives the object that came out,
    /// with its reference.
    ///
    /// # Safety
    /// As [`Ready::make`].
    pub(crate) unsafe fn allocate_before(&self, runtime: &Runtime) -> Option<u64> {
        let name = self.method.get().name;
        const TWICE: [&str; 4] = ["CreateCommittedResource", "CreateHeap", "CreateDescriptorHeap", "CreateStateObject"];
        if !TWICE.iter().any(|start| name.starts_with(start)) {
            return None;
        }
        let place = self.outputs.iter().find(|output| matches!(output.ty, Type::Object(_)))?.pointer.cast::<u64>();
        // SAFETY: `this` and the objects among the arguments are alive, says the caller; the codec made storage for a pointer.
        unsafe {
            runtime.call(self.this, self.method, &self.words);
            let pointer = place.replace(0);
            (pointer != 0).then_some(pointer)
        }
    }

    /// Makes the call, and finds the objects that came out.
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
        // As if the runtime had the function, without an implementation.
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

/// The error for a creation that failed with shaders of the user's.
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
    let device = reference::device_of(runtime, library)?;
    let interface = create.get().interface.map_or(interface("ID3D12Device"), |interface| interface);
    let newer = runtime.query(device.pointer(), &interface.get().iid).and_then(|newer| Reference::new(runtime, newer));
    let newer = newer.ok_or_else(|| format!("the runtime does not offer {}", interface.get().name))?;
    // SAFETY: the device has the interface of `create`, whose arguments follow the name, says the caller.
    Ok(unsafe { runtime.call(newer.pointer(), create, words.get(1..).unwrap_or_default()) })
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
