//! What state objects of ray tracing mean: their exports, what lies in the records of each, and which identifier the program was told.
//!
//! [`StateObjects`] is fed call by call, by a pass ([`StateObjects::interests`]) or by whoever walks a trace by other means. It needs
//! neither a GPU nor the runtime of the capture: what is in a record follows from the description (`reprise_state_object`).
//!
//! Invariant: a state object is known from the call that made it until [`StateObjects::gone`]; identifiers are those that the trace
//! has, never made up.

mod read;

use crate::argument;
use crate::argument::{Argument, Bytes, Content, Text};
use crate::call::Call;
use crate::codec::codec;
use crate::damaged::Damaged;
use crate::walk::Interests;
use reprise_codec::Value;
use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;
use reprise_dxbc::{RootSignature, Stage, library};
use reprise_state_object::plan::{EXTERNAL, Group, GroupKind, Plan};
use reprise_state_object::{IDENTIFIER, RecordLayout};
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

/// An identifier of a shader or hit group, as the program was told.
pub type Identifier = [u8; IDENTIFIER];

const CREATE: MethodId = method("ID3D12Device5", "CreateStateObject");
const ADD: MethodId = method("ID3D12Device7", "AddToStateObject");
const ROOT: Argument<Bytes> = argument!("ID3D12Device", "CreateRootSignature", "pBlobWithRootSignature");
const DECLARED: Argument<Bytes> =
    argument!("ID3D12Device14", "CreateRootSignatureFromSubobjectInLibrary", "pLibraryBlob");
const DECLARED_NAME: Argument<Text> =
    argument!("ID3D12Device14", "CreateRootSignatureFromSubobjectInLibrary", "subobjectName");
const ASKED: Argument<Text> = argument!("ID3D12StateObjectProperties", "GetShaderIdentifier", "pExportName");

/// All calls that matter here.
const METHODS: [MethodId; 5] = [CREATE, ADD, ROOT.method(), DECLARED.method(), ASKED.method()];

/// Reads a blob of the trace by its place.
pub type Blobs<'b> = dyn FnMut(u64) -> Result<Arc<[u8]>, String> + 'b;

/// The state objects that exist. See the module.
#[derive(Clone, Debug, Default)]
pub struct StateObjects {
    objects: HashMap<u32, Arc<StateObject>>,
    roots: Roots,
    /// Shaders have the containers of their libraries.
    keeps_code: bool,
}

/// Root signatures: the bytes of each by its object, and those that state objects name, each once.
#[derive(Clone, Debug, Default)]
struct Roots {
    bytes: HashMap<u32, Result<Arc<[u8]>, String>>,
    /// By number, as associations name them.
    known: Vec<Arc<RootSignature>>,
}

/// A state object.
#[derive(Debug)]
pub struct StateObject {
    /// Number of the call that made it.
    pub call: u64,
    /// A number of `D3D12_STATE_OBJECT_TYPE`.
    pub kind: u32,
    /// What of its description cannot be read, or is not as the API demands: the first such thing. The exports are then those that could
    /// be found.
    pub problem: Option<String>,
    exports: Vec<Export>,
    names: HashMap<String, usize>,
    plan: Plan,
}

/// An export that has an identifier.
#[derive(Debug)]
pub struct Export {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: ExportKind,
    /// Its shaders: one, or those of a hit group.
    pub shaders: Vec<ExportShader>,
    /// What lies in its records.
    pub record: RecordLayout,
    /// The local root signature that says so.
    pub local: Option<Arc<RootSignature>>,
    /// The root signature of whole dispatches that it is made for.
    pub global: Option<Arc<RootSignature>>,
    /// Nothing more is said about it by those who take it over.
    complete: bool,
    told: Arc<Told>,
}

/// What has an identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportKind {
    /// A ray generation shader.
    RayGeneration,
    /// A miss shader.
    Miss,
    /// A callable shader.
    Callable,
    /// A hit group of triangles.
    Triangles,
    /// A hit group of boxes of the program's own.
    Procedural,
}

impl ExportKind {
    /// Its name, as tools print it.
    pub fn name(self) -> &'static str {
        match self {
            ExportKind::RayGeneration => "raygeneration",
            ExportKind::Miss => "miss",
            ExportKind::Callable => "callable",
            ExportKind::Triangles => "triangles",
            ExportKind::Procedural => "procedural",
        }
    }
}

/// A shader of an export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportShader {
    /// Its stage.
    pub stage: Stage,
    /// The name by which the export has it.
    pub name: String,
    /// Its name in its library; `None` where no library of the state object has it (yet).
    pub entry: Option<String>,
}

/// An identifier, once the program has asked for it.
#[derive(Debug, Default)]
struct Told {
    own: OnceLock<Identifier>,
    /// That of the export that this one was taken over from.
    from: Option<Arc<Told>>,
}

impl Told {
    fn all(&self) -> impl Iterator<Item = &Identifier> {
        let chain = std::iter::successors(Some(self), |told| told.from.as_deref());
        chain.filter_map(|told| told.own.get())
    }
}

impl Export {
    /// The identifier that the program was told; `None` where it never asked this state object, nor the one that it grew from, nor the
    /// collection that the export is from.
    pub fn identifier(&self) -> Option<&Identifier> {
        self.told.all().next()
    }

    /// Whether an identifier of the program is this export's.
    pub fn is(&self, identifier: &Identifier) -> bool {
        self.told.all().any(|told| told == identifier)
    }
}

impl StateObject {
    /// Exports that have identifiers, in the order of the description.
    pub fn exports(&self) -> &[Export] {
        &self.exports
    }

    /// The export of this name.
    pub fn export(&self, name: &str) -> Option<&Export> {
        self.exports.get(*self.names.get(name)?)
    }

    /// What the description says of the export of this name.
    pub fn group(&self, name: &str) -> Option<&Group> {
        self.plan.groups.iter().find(|group| group.name == name)
    }

    /// The export that an identifier is of.
    pub fn by_identifier(&self, identifier: &Identifier) -> Option<&Export> {
        self.exports.iter().find(|export| export.is(identifier))
    }

    /// All identifiers that the program was told of its exports. An export may have two: a collection's and a pipeline's.
    pub fn identifiers(&self) -> impl Iterator<Item = (&Identifier, &Export)> {
        self.exports.iter().flat_map(|export| export.told.all().map(move |identifier| (identifier, export)))
    }
}

impl StateObjects {
    /// The same, where shaders are asked for their code: it is that of whole libraries.
    pub fn with_code() -> StateObjects {
        StateObjects { keeps_code: true, ..StateObjects::default() }
    }

    /// The calls that change it, complete.
    pub fn interests() -> Interests {
        Interests::new().calls(&METHODS)
    }

    /// Whether calls of a method change it.
    #[inline]
    pub fn concerns(method: MethodId) -> bool {
        METHODS.contains(&method)
    }

    /// The state object with this id.
    pub fn get(&self, id: u32) -> Option<&StateObject> {
        self.objects.get(&id).map(|object| &**object)
    }

    /// All state objects, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &StateObject)> {
        self.objects.iter().map(|(id, object)| (*id, &**object))
    }

    /// All identifiers that the program was told of a state object's exports.
    pub fn identifiers(&self, id: u32) -> impl Iterator<Item = (&Identifier, &Export)> {
        self.get(id).into_iter().flat_map(StateObject::identifiers)
    }

    /// The export of any state object that an identifier is of. Identifiers are of shaders, not of state objects, so a program may use one
    /// that another state object told it.
    pub fn find(&self, identifier: &Identifier) -> Option<&Export> {
        let newest = self.objects.iter().filter_map(|(id, object)| Some((*id, object.by_identifier(identifier)?)));
        newest.max_by_key(|(id, _)| *id).map(|(_, export)| export)
    }

    /// An object is gone. Those that took its exports over keep what they need.
    pub fn gone(&mut self, object: u32) {
        self.objects.remove(&object);
        self.roots.bytes.remove(&object);
    }

    /// A call is complete. Calls that do not matter here, and those that failed, change nothing; a call that comes again makes its object
    /// anew. `blob` reads a blob of the trace by its place.
    ///
    /// # Errors
    /// When the call's arguments or outcome cannot be read. What is wrong within a description is [`StateObject::problem`].
    pub fn call(&mut self, call: &Call<'_>, blob: &mut Blobs<'_>) -> Result<(), Damaged> {
        match call.method {
            CREATE | ADD => self.make(call, blob),
            method if method == ASKED.method() => self.told(call),
            method if method == ROOT.method() => {
                let bytes = content(ROOT.of(call)?, blob);
                self.keep_root(call, bytes)
            }
            method if method == DECLARED.method() => {
                let name = DECLARED_NAME.of(call)?.unwrap_or_default();
                let bytes = content(DECLARED.of(call)?, blob).and_then(|library| {
                    let found = library::root_signature(&library, &name).map_err(|error| error.to_string())?;
                    let part = found.ok_or_else(|| format!("the library declares no root signature {name:?}"))?;
                    Ok(Arc::from(as_container(part)))
                });
                self.keep_root(call, bytes)
            }
            _ => Ok(()),
        }
    }

    fn keep_root(&mut self, call: &Call<'_>, bytes: Result<Arc<[u8]>, String>) -> Result<(), Damaged> {
        if !call.succeeded() {
            return Ok(());
        }
        for given in call.given()? {
            self.roots.bytes.insert(given.object, bytes.clone());
        }
        Ok(())
    }

    fn make(&mut self, call: &Call<'_>, blob: &mut Blobs<'_>) -> Result<(), Damaged> {
        // A call that fails may leave anything where its output would be.
        if !call.succeeded() {
            return Ok(());
        }
        let given = call.given()?;
        let Some(made) = given.first() else { return Ok(()) };
        let arguments = codec().decode_enter(call.method, call.enter.bytes);
        let arguments = arguments.map_err(|error| Damaged::new(call.method, error))?;
        let object = read::state_object(self, call, &arguments.members, blob);
        self.objects.insert(made.object, Arc::new(object));
        Ok(())
    }

    fn told(&mut self, call: &Call<'_>) -> Result<(), Damaged> {
        let (Some(name), Some(leave)) = (ASKED.of(call)?, call.leave()) else { return Ok(()) };
        let Some(export) = self.get(call.object).and_then(|object| object.export(&name)) else { return Ok(()) };
        let outcome = codec().decode_leave(call.method, call.enter.bytes, leave.bytes);
        let outcome = outcome.map_err(|error| Damaged::new(call.method, error))?;
        if let Value::Bytes(bytes) = outcome.result
            && let Ok(identifier) = Identifier::try_from(&*bytes)
        {
            // The same answer comes again whenever it is asked for again.
            let _ = export.told.own.set(identifier);
        }
        Ok(())
    }
}

impl Roots {
    /// The number of the root signature of an object.
    fn of_object(&mut self, id: u32) -> Result<usize, String> {
        let bytes = self.bytes.get(&id).ok_or_else(|| format!("root signature {id} is not in the trace"))?;
        let bytes = bytes.clone()?;
        self.of_container(&bytes)
    }

    fn of_container(&mut self, bytes: &[u8]) -> Result<usize, String> {
        let (signature, _) = RootSignature::from_container(bytes).map_err(|error| error.to_string())?;
        Ok(self.number(signature))
    }

    fn of_part(&mut self, bytes: &[u8]) -> Result<usize, String> {
        let (signature, _) = RootSignature::parse(bytes).map_err(|error| error.to_string())?;
        Ok(self.number(signature))
    }

    fn number(&mut self, signature: RootSignature) -> usize {
        let known = self.known.iter().position(|known| **known == signature);
        known.unwrap_or_else(|| {
            self.known.push(Arc::new(signature));
            self.known.len() - 1
        })
    }
}

impl StateObject {
    fn new(
        (call, kind): (u64, u32),
        plan: Plan,
        problem: Option<String>,
        roots: &Roots,
        told: impl Fn(&Group) -> Arc<Told>,
    ) -> Self {
        let export = |group: &Group| {
            let root = |number: Option<usize>| number.and_then(|number| roots.known.get(number)).cloned();
            let (local, global) = (root(group.settings.local), root(group.settings.global));
            let shaders = group.imports.iter().map(|import| ExportShader {
                stage: import.stage,
                name: import.name.clone(),
                entry: import.shader.as_ref().map(|shader| shader.entry.clone()),
            });
            let settings = &group.settings;
            let found = group.imports.iter().all(|import| import.shader.is_some());
            let set = settings.shader.is_some() && settings.pipeline.is_some();
            let rooted = settings.local.is_some() && settings.global.is_some();
            Export {
                name: group.name.clone(),
                kind: kind_of(group),
                shaders: shaders.collect(),
                record: RecordLayout::new(local.as_deref()),
                local,
                global,
                // Where definitions may come from elsewhere, an association may, too.
                complete: found && set && (rooted || plan.flags & EXTERNAL == 0),
                told: told(group),
            }
        };
        let exports: Vec<Export> = plan.groups.iter().map(export).collect();
        let names = exports.iter().zip(0..).map(|(export, at)| (export.name.clone(), at)).collect();
        StateObject { call, kind, problem, exports, names, plan }
    }
}

fn kind_of(group: &Group) -> ExportKind {
    match (group.kind, group.imports.first().map(|import| import.stage)) {
        (GroupKind::Triangles, _) => ExportKind::Triangles,
        (GroupKind::Procedural, _) => ExportKind::Procedural,
        (GroupKind::General, Some(Stage::Miss)) => ExportKind::Miss,
        (GroupKind::General, Some(Stage::Callable)) => ExportKind::Callable,
        (GroupKind::General, _) => ExportKind::RayGeneration,
    }
}

fn content(content: Option<Content<'_>>, blob: &mut Blobs<'_>) -> Result<Arc<[u8]>, String> {
    match content {
        Some(Content::Inline(bytes)) => Ok(bytes.into()),
        Some(Content::Blob(place, _)) => blob(place),
        Some(Content::Absent(_)) | None => Err("the recording does not have its bytes".to_owned()),
    }
}

fn as_container(part: &[u8]) -> Vec<u8> {
    reprise_dxbc::container::build(&[(reprise_dxbc::Tag::RTS0, part)])
}
