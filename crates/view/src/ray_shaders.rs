//! The shaders of state objects of ray tracing: their exports, the shaders of each, and which library has the code of each.

use crate::api;
use reprise_dxbc::Stage;
use reprise_timeline::state_objects::{StateObject, StateObjects};
use reprise_timeline::{At, Call, Interests, Pass, Walk};
use reprise_trace::read::{ReadError, Trace, content_hash};
use serde::Serialize;
use std::collections::HashMap;

/// A state object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RayShaders {
    /// The call that made it.
    pub call: u64,
    /// What of its description cannot be read; the exports are then those that could be found.
    pub problem: Option<String>,
    /// What has an identifier, in the order of the description.
    pub exports: Vec<RayExport>,
}

/// What has an identifier.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RayExport {
    /// Its name.
    pub name: String,
    /// `raygeneration`, `miss`, `callable`, or of hit groups `triangles`, `procedural`.
    pub kind: &'static str,
    /// One, or those of a hit group.
    pub shaders: Vec<RayShader>,
}

/// A shader of an export.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RayShader {
    /// Its stage.
    pub stage: &'static str,
    /// The name by which the export has it.
    pub name: String,
    /// Its name in the code of its library, as a disassembly has it; `None` where no library of the state object has it.
    pub entry: Option<String>,
    /// XXH3-128 of its library, in 32 hex digits, likewise.
    pub library: Option<String>,
}

/// Those of all state objects of a trace, by their ids.
///
/// # Errors
/// The trace cannot be read.
pub fn of(trace: &Trace) -> Result<HashMap<u32, RayShaders>, ReadError> {
    let mut collect = Collect { trace, objects: StateObjects::with_code() };
    let mut walk = Walk::new_as(api::model(), &[&mut collect]);
    walk.run(&mut trace.events().without_pages(), 0, &mut [&mut collect])?;
    walk.finish(&mut [&mut collect]);
    // A library has many shaders, and many state objects have it: its bytes are hashed once.
    let mut hashes: HashMap<*const u8, String> = HashMap::new();
    let mut hash = |library: &[u8]| {
        hashes.entry(library.as_ptr()).or_insert_with(|| format!("{:032x}", content_hash(library))).clone()
    };
    Ok(collect.objects.iter().map(|(id, object)| (id, shaders(object, &mut hash))).collect())
}

fn shaders(object: &StateObject, hash: &mut impl FnMut(&[u8]) -> String) -> RayShaders {
    let mut exports = Vec::new();
    for export in object.exports() {
        let imports = object.group(&export.name).map_or(&[][..], |group| &group.imports);
        let shaders = imports.iter().map(|import| RayShader {
            stage: Stage::name(import.stage),
            name: import.name.clone(),
            // LLVM marks names that are to stay as they are by a byte before them, which its text leaves out.
            entry: import.shader.as_ref().map(|shader| shader.entry.trim_start_matches('\u{1}').to_owned()),
            library: import.shader.as_ref().map(|shader| hash(&shader.blob)),
        });
        exports.push(RayExport { name: export.name.clone(), kind: export.kind.name(), shaders: shaders.collect() });
    }
    RayShaders { call: object.call, problem: object.problem.clone(), exports }
}

struct Collect<'t> {
    trace: &'t Trace,
    objects: StateObjects,
}

impl Pass for Collect<'_> {
    fn interests(&self) -> Interests {
        StateObjects::interests()
    }

    fn call(&mut self, call: &Call<'_>, _at: &At) {
        // A state object that cannot be read is not among them, and whoever asks for it is told so.
        let _ = self.objects.call(call, &mut |place| self.trace.blob_by_id(place).map_err(|error| error.to_string()));
    }
}
