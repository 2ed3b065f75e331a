//! Generic programs: graphics pipelines of executable state objects (work graphs specification, "Generic programs").
//!
//! A program is a pipeline state of the runtime's own. Its shaders are exports of libraries that hold one shader each, and its state is what
//! its description lists. Invariant: an identifier leads to its program for as long as a state
//! object has it; lists keep its pipeline state.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use reprise_com::wide::Text;
use reprise_com::{Object, Ref};
use reprise_d3d12::types::{D3D12_GENERIC_PROGRAM_DESC, D3D12_STATE_OBJECT_DESC, D3D12_STATE_SUBOBJECT_TYPE};
use reprise_dxbc::Container;
use reprise_dxbc::Program as Code;
use reprise_shader::Stage;
use reprise_state_object::association::{Association, Settings, Subject};
use reprise_state_object::plan::Rename;

use super::invalid;
use super::layout::same;
use crate::device::Device;
use crate::pipeline::{Description, PipelineState};
use crate::root::RootSignature;
use crate::wide::text;
use crate::{Error, Result};

/// A program as described.
pub struct Described {
    name: String,
    exports: Vec<String>,
    /// What it lists. Its pointers are the program's, and valid during its call.
    state: Description<'static>,
}

/// Reads the programs of a description.
///
/// # Errors
/// What the API does not allow; the log says which subobject it is.
///
/// # Safety
/// `pSubobjects` is null or leads to `NumSubobjects` subobjects. Of those that are generic programs, `pDesc` is null or leads to a program's
/// description: its names are null or end with zero, its arrays are null or as long as it says, and the subobjects that it lists are as
/// [`Description::from_program`] asks. These stay so while the result is used, which points to them.
pub(super) unsafe fn read(desc: &D3D12_STATE_OBJECT_DESC) -> Result<Vec<Described>> {
    // SAFETY: the caller promises an array of this length.
    let all = unsafe { array(desc.pSubobjects, desc.NumSubobjects) };
    let programs = all.iter().enumerate().filter(|(_, it)| it.Type == D3D12_STATE_SUBOBJECT_TYPE::GENERIC_PROGRAM);
    let each = programs.map(|(number, subobject)| {
        // SAFETY: the type is a generic program's, so the caller promises null or a program's description.
        let described = unsafe {
            let program = subobject.pDesc.cast::<D3D12_GENERIC_PROGRAM_DESC>().as_ref();
            program.ok_or(Error::Invalid("a generic program without a description")).and_then(|it| read_one(it))
        };
        described.inspect_err(|error| {
            reprise_log::warning(format!("state object: subobject {number}, a generic program: {error}"));
        })
    });
    each.collect()
}

/// # Safety
/// As [`read`].
unsafe fn read_one(desc: &D3D12_GENERIC_PROGRAM_DESC) -> Result<Described> {
    // SAFETY: the caller promises names that end with zero, and arrays as long as they say.
    unsafe {
        let exports = array(desc.pExports.cast_const(), desc.NumExports).iter().map(|name| text(*name));
        Ok(Described {
            name: text(desc.ProgramName)?,
            exports: exports.collect::<Result<_>>()?,
            state: Description::from_program(array(desc.ppSubobjects, desc.NumSubobjects))?,
        })
    }
}

/// # Safety
/// The array is null or as long as it says.
unsafe fn array<'a, T>(first: *const T, count: u32) -> &'a [T] {
    if first.is_null() || count == 0 {
        return &[];
    }
    // SAFETY: the caller promises an array of this length.
    unsafe { core::slice::from_raw_parts(first, count as usize) }
}

/// A shader that programs may name, by the name of its export.
#[derive(Clone, Debug)]
pub(super) struct Export {
    pub(super) name: String,
    stage: Stage,
    blob: Arc<[u8]>,
    root: Option<Ref<RootSignature>>,
}

/// The stage of a container with one shader; `None` for a library of shaders.
pub(super) fn stage(blob: &[u8]) -> Result<Option<Stage>> {
    let code = Container::parse(blob).and_then(|container| Code::of(&container));
    let code = code.map_err(|error| invalid(format!("a library without code: {error}")))?;
    Ok(match code.stage {
        "vertex" => Some(Stage::Vertex),
        "hull" => Some(Stage::Hull),
        "domain" => Some(Stage::Domain),
        "geometry" => Some(Stage::Geometry),
        "pixel" => Some(Stage::Pixel),
        "compute" => Some(Stage::Compute),
        "amplification" => Some(Stage::Amplification),
        "mesh" => Some(Stage::Mesh),
        _ => None,
    })
}

/// The exports of a description's libraries that hold one shader each; `libraries` come with what is wanted of them.
pub(super) fn exports(
    libraries: &[(Arc<[u8]>, Vec<Rename>)],
    associations: &[Association],
    roots: &[Ref<RootSignature>],
) -> Result<Vec<Export>> {
    let mut all = Vec::new();
    for (number, (blob, wanted)) in libraries.iter().enumerate() {
        let Some(stage) = stage(blob)? else { continue };
        for rename in wanted {
            let subject = Subject { names: vec![&rename.name, &rename.from], library: Some(number) };
            let global = Settings::resolve(associations, &[subject]).global;
            let root = global.and_then(|root| roots.get(root)).cloned();
            all.push(Export { name: rename.name.clone(), stage, blob: blob.clone(), root });
        }
    }
    Ok(all)
}

/// A program of a state object.
#[derive(Debug)]
pub struct Program {
    /// Its name, as the API gives it.
    pub(super) name: Text,
    /// Its number among all that this process has made.
    number: u64,
    /// The pipeline that lists draw with.
    pub pipeline: Ref<PipelineState>,
}

/// What is in the program, told by identifiers.
static PROGRAMS: Mutex<BTreeMap<u64, Weak<Program>>> = Mutex::new(BTreeMap::new());

/// The first of an identifier's words: "REPPROGR".
const MARK: u64 = u64::from_le_bytes(*b"REPPROGR");

impl Program {
    /// Makes a program.
    ///
    /// # Errors
    /// What the API does not allow, a shader that cannot be translated, or Vulkan fails.
    pub(super) fn new(device: &Object<Device>, described: Described, known: &[Export]) -> Result<Arc<Program>> {
        let Described { name, exports, state } = described;
        let made = pipeline(device, state, &exports, known).inspect_err(|error| {
            reprise_log::warning(format!("state object: generic program {name:?}: {error}"));
        })?;
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        // The runtime's own: no program sees the object.
        let program = Arc::new(Program { name: name.as_str().into(), number, pipeline: Object::make(made).keep() });
        PROGRAMS.lock().unwrap_or_else(PoisonError::into_inner).insert(number, Arc::downgrade(&program));
        Ok(program)
    }

    /// Its identifier.
    pub(super) fn identifier(&self) -> [u64; 4] {
        [MARK, self.number, 0, 0]
    }

    /// The program of an identifier.
    pub fn of(identifier: [u64; 4]) -> Option<Arc<Program>> {
        let [MARK, number, 0, 0] = identifier else { return None };
        PROGRAMS.lock().unwrap_or_else(PoisonError::into_inner).get(&number)?.upgrade()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        PROGRAMS.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.number);
    }
}

/// The pipeline of a program's state and its exports.
fn pipeline<'e>(
    device: &Object<Device>,
    mut description: Description<'e>,
    exports: &[String],
    known: &'e [Export],
) -> Result<PipelineState> {
    let mut root: Option<&Ref<RootSignature>> = None;
    for name in exports {
        let found = known.iter().find(|export| export.name == *name);
        let export = found.ok_or_else(|| invalid(format!("export {name:?} is no shader of one stage")))?;
        if export.stage == Stage::Compute || description.shader(export.stage).is_some() {
            let what = if export.stage == Stage::Compute { "a compute" } else { "a second" };
            return Err(invalid(format!("export {name:?} is {what} shader of a generic program")));
        }
        description.stages.push((export.stage, &export.blob));
        match (root, &export.root) {
            (Some(known), Some(own)) if !same(known, own) => {
                return Err(invalid(format!("export {name:?} has another root signature than those before it")));
            }
            (None, Some(own)) => root = Some(own),
            _ => {}
        }
    }
    if description.shader(Stage::Vertex).is_some() && description.topology.0 == 0 {
        return Err(Error::Invalid("a generic program without a primitive topology"));
    }
    // Without an associated one, a shader may have its own.
    description.root = root.map_or(core::ptr::null_mut(), |root| root.pointer());
    PipelineState::new(device, &description)
}
