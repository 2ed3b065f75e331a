//! Generic programs of executable state objects: which one an identifier means, and what it is made of.
//!
//! Lists set a program by an identifier that the program of the trace was told. What it is made of stands in the description of a state
//! object, or of one that this grew from. Shaders are read when somebody asks: a walk needs no blobs.
//!
//! Invariant: the description of a program is there as long as a state object lives that has the program.

use crate::argument::Damaged;
use crate::call::{Call, Entered};
use crate::codec::codec;
use crate::decoded::{member, members, object, renames, text};
use crate::state_objects::Blobs;
use crate::walk::Interests;
use reprise_codec::Value;
use reprise_codec::value::Member;
use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{D3D12_STATE_OBJECT_TYPE, D3D12_STATE_SUBOBJECT_TYPE as Type};
use reprise_dxbc::entry::entry;
use reprise_dxbc::{Container, Program as Code};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

const CREATE: MethodId = method("ID3D12Device5", "CreateStateObject");
const ADD: MethodId = method("ID3D12Device7", "AddToStateObject");
const ASKED: MethodId = method("ID3D12StateObjectProperties1", "GetProgramIdentifier");

/// What stands for the name of the only export of a library: that of its entry point.
const ANY: &str = "*";

/// What a program is set by.
pub type Identifier = [u64; 4];

/// The programs that there are.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Programs {
    /// By the calls that made them: executable state objects that live, and those that they grew from.
    made: BTreeMap<u64, Made>,
    /// Of the objects that live, the calls that made them.
    living: BTreeMap<u32, u64>,
    /// The call that describes the program, and its name.
    told: BTreeMap<Identifier, (u64, String)>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Made {
    creation: Entered,
    /// The call that made what it grew from.
    grown: Option<u64>,
}

/// Shaders by stage, as arguments name it: `VS`.
pub type Shaders = Vec<(&'static str, Arc<[u8]>)>;

/// A generic program.
#[derive(Clone, Copy, Debug)]
pub struct Program<'p> {
    all: &'p Programs,
    /// The call that made the state object that describes it.
    pub call: u64,
    /// Its name there.
    pub name: &'p str,
}

impl Programs {
    /// The calls that change it.
    pub(crate) fn interests() -> Interests {
        Interests::new().calls(&[CREATE, ADD, ASKED])
    }

    /// The program of an identifier.
    ///
    /// # Errors
    /// In words: the trace does not tell which one it is.
    pub fn get(&self, identifier: &Identifier) -> Result<Program<'_>, String> {
        let told = self.told.get(identifier);
        let (call, name) = told.ok_or(
            "no state object of this trace that lives was asked for the identifier of the program that is set",
        )?;
        Ok(Program { all: self, call: *call, name })
    }

    /// A call is complete.
    ///
    /// # Errors
    /// When its arguments or its outcome cannot be read.
    pub(crate) fn call(&mut self, call: &Call<'_>) -> Result<(), Damaged> {
        match call.method {
            CREATE | ADD if call.succeeded() => self.make(call),
            ASKED => self.tell(call),
            _ => Ok(()),
        }
    }

    fn make(&mut self, call: &Call<'_>) -> Result<(), Damaged> {
        let arguments = codec().decode_enter(call.method, call.enter.bytes);
        let arguments = arguments.map_err(|error| Damaged::new(call.method, error))?;
        let kind = description(&arguments.members).and_then(|desc| number(desc, "Type"));
        if kind != Some(D3D12_STATE_OBJECT_TYPE::EXECUTABLE.0 as u32) {
            return Ok(());
        }
        let Some(given) = call.given()?.first().map(|given| given.object) else { return Ok(()) };
        let grown = member(&arguments.members, "pStateObjectToGrowFrom").and_then(object);
        let grown = grown.and_then(|id| self.living.get(&id)).copied();
        self.made.insert(call.number, Made { creation: Entered::of_call(call), grown });
        self.living.insert(given, call.number);
        Ok(())
    }

    fn tell(&mut self, call: &Call<'_>) -> Result<(), Damaged> {
        let (Some(asked), Some(leave)) = (self.living.get(&call.object), call.leave()) else { return Ok(()) };
        let damaged = |error| Damaged::new(call.method, error);
        let arguments = codec().decode_enter(call.method, call.enter.bytes).map_err(damaged)?;
        let outcome = codec().decode_leave(call.method, call.enter.bytes, leave.bytes).map_err(damaged)?;
        let Some(name) = member(&arguments.members, "pProgramName").and_then(text) else { return Ok(()) };
        let told = outcome.outputs.iter().find_map(|output| identifier(&output.value));
        let told = told.or_else(|| identifier(&outcome.result));
        // Zeros stand for a name that there is not.
        let Some(identifier) = told.filter(|words| *words != [0; 4]) else { return Ok(()) };
        if let Some(described) = self.described(*asked, &name)? {
            self.told.insert(identifier, (described, name));
        }
        Ok(())
    }

    /// The calls that made a state object and those that it grew from, itself first.
    fn line(&self, call: u64) -> impl Iterator<Item = (u64, &Made)> {
        let of = |call: u64| self.made.get(&call).map(|made| (call, made));
        std::iter::successors(of(call), move |(_, made)| made.grown.and_then(of))
    }

    /// The call whose description has this program.
    fn described(&self, asked: u64, name: &str) -> Result<Option<u64>, Damaged> {
        for (call, made) in self.line(asked) {
            let creation = made.creation.call();
            let arguments = codec().decode_enter(creation.method, creation.enter.bytes);
            let arguments = arguments.map_err(|error| Damaged::new(creation.method, error))?;
            if programs(&arguments.members)
                .any(|desc| member(desc, "ProgramName").and_then(text).as_deref() == Some(name))
            {
                return Ok(Some(call));
            }
        }
        Ok(None)
    }

    /// An object is gone.
    pub(crate) fn gone(&mut self, object: u32) {
        if self.living.remove(&object).is_none() {
            return;
        }
        let needed: BTreeSet<u64> =
            self.living.values().flat_map(|call| self.line(*call)).map(|(call, _)| call).collect();
        self.made.retain(|call, _| needed.contains(call));
        self.told.retain(|_, (call, _)| needed.contains(call));
    }
}

impl Program<'_> {
    /// Gives `each` the type and the description of every subobject that the program lists.
    ///
    /// # Errors
    /// In words: they cannot be read.
    pub fn state(&self, each: &mut dyn FnMut(Type, &Value<'_>)) -> Result<(), String> {
        self.within(|desc, all| {
            let Some(Value::Array(listed)) = member(desc, "ppSubobjects") else { return Ok(()) };
            for listed in listed {
                let place = match listed {
                    Value::Reference(Some(place)) => usize::try_from(*place).ok(),
                    _ => None,
                };
                let subobject = place.and_then(|place| all.get(place)).map(members);
                let subobject = subobject.ok_or("it lists a subobject that is not among those of its state object")?;
                let kind = number(subobject, "Type").ok_or("it lists a subobject without a type")?;
                let desc = member(subobject, "pDesc").filter(|desc| !matches!(desc, Value::Null));
                each(Type(kind as i32), desc.ok_or("it lists a subobject without a description")?);
            }
            Ok(())
        })
    }

    /// Its shaders. `blob` reads a blob of the trace by its place.
    ///
    /// # Errors
    /// In words: one cannot be read.
    pub fn shaders(&self, blob: &mut Blobs<'_>) -> Result<Shaders, String> {
        let mut names = Vec::new();
        self.within(|desc, _| {
            let Some(Value::Array(exports)) = member(desc, "pExports") else { return Ok(()) };
            names.extend(exports.iter().filter_map(text));
            Ok(())
        })?;
        let mut known = Vec::new();
        for (_, made) in self.all.line(self.call) {
            exports(&made.creation.call(), blob, &mut known)?;
        }
        let shader = |name: &String| {
            let found = known.iter().find(|export| export.0 == *name).map(|(_, stage, code)| (*stage, code.clone()));
            found.ok_or_else(|| format!("export {name:?} is no shader of one stage that the trace holds"))
        };
        names.iter().map(shader).collect::<Result<_, _>>().map_err(|what| self.named(&what))
    }

    fn named(&self, what: &str) -> String {
        format!("generic program {:?} of call {}: {what}", self.name, self.call)
    }

    /// Reads its description, and the subobjects of the state object that has it.
    fn within(&self, read: impl FnOnce(&[Member<'_>], &[Value<'_>]) -> Result<(), &'static str>) -> Result<(), String> {
        let made = self.all.made.get(&self.call).ok_or_else(|| self.named("its state object is gone"))?;
        let creation = made.creation.call();
        let arguments = codec().decode_enter(creation.method, creation.enter.bytes);
        let arguments = arguments.map_err(|error| self.named(&error.to_string()))?;
        let named = |desc: &&[Member<'_>]| member(desc, "ProgramName").and_then(text).as_deref() == Some(self.name);
        let desc = programs(&arguments.members).find(named);
        let desc = desc.ok_or_else(|| self.named("its state object does not describe it"))?;
        read(desc, subobjects(&arguments.members)).map_err(|what| self.named(what))
    }
}

/// Adds the exports of libraries that hold one shader each: name, stage and code.
fn exports(
    creation: &Call<'_>,
    blob: &mut Blobs<'_>,
    known: &mut Vec<(String, &'static str, Arc<[u8]>)>,
) -> Result<(), String> {
    let arguments = codec().decode_enter(creation.method, creation.enter.bytes).map_err(|error| error.to_string())?;
    let libraries = subobjects(&arguments.members).iter().map(members);
    for library in libraries.filter(|it| number(it, "Type") == Some(Type::DXIL_LIBRARY.0 as u32)) {
        let desc = member(library, "pDesc").map(members).unwrap_or_default();
        let code = member(desc, "DXILLibrary").map(members).unwrap_or_default();
        let code: Arc<[u8]> = match member(code, "pShaderBytecode") {
            Some(Value::Bytes(bytes)) => Arc::from(&**bytes),
            Some(Value::Blob(number, ..)) => {
                let place = creation.enter.blob(*number);
                blob(place.ok_or_else(|| format!("blob {number} of call {} is missing", creation.number))?)?
            }
            _ => continue,
        };
        let stage = Container::parse(&code).and_then(|container| Code::of(&container)).map(|code| code.stage);
        // Libraries of several shaders are for rays and graphs.
        let Some(stage) = stage.ok().and_then(short) else { continue };
        let mut names: Vec<String> = renames(desc).into_iter().map(|wanted| wanted.name).collect();
        if names.is_empty() {
            names.push(ANY.to_owned());
        }
        for name in names {
            let name = match &*name {
                ANY => entry(&code).map_err(|error| format!("a library of call {}: {error}", creation.number))?,
                _ => Some(name),
            };
            known.extend(name.map(|name| (name, stage, code.clone())));
        }
    }
    Ok(())
}

/// The name that arguments have for a stage.
fn short(stage: &str) -> Option<&'static str> {
    Some(match stage {
        "vertex" => "VS",
        "hull" => "HS",
        "domain" => "DS",
        "geometry" => "GS",
        "pixel" => "PS",
        "compute" => "CS",
        "amplification" => "AS",
        "mesh" => "MS",
        _ => return None,
    })
}

/// The description among a creation's arguments: the two methods name it otherwise.
fn description<'v, 'a>(arguments: &'v [Member<'a>]) -> Option<&'v [Member<'a>]> {
    member(arguments, "pDesc").or_else(|| member(arguments, "pAddition")).map(members)
}

fn subobjects<'v, 'a>(arguments: &'v [Member<'a>]) -> &'v [Value<'a>] {
    match description(arguments).and_then(|desc| member(desc, "pSubobjects")) {
        Some(Value::Array(all)) => all,
        _ => &[],
    }
}

/// The descriptions of generic programs.
fn programs<'v, 'a>(arguments: &'v [Member<'a>]) -> impl Iterator<Item = &'v [Member<'a>]> {
    let all = subobjects(arguments).iter().map(members);
    let generic = all.filter(|it| number(it, "Type") == Some(Type::GENERIC_PROGRAM.0 as u32));
    generic.filter_map(|it| member(it, "pDesc").map(members))
}

/// The identifier in what a call is given or gives.
pub(super) fn identifier(value: &Value<'_>) -> Option<Identifier> {
    members(value).iter().find_map(|member| match (member.field.name, &member.value) {
        ("OpaqueData", Value::Array(words)) => {
            let words: Vec<u64> = words.iter().filter_map(Value::number).collect();
            Identifier::try_from(words).ok()
        }
        (_, inner) => identifier(inner),
    })
}

fn number(members: &[Member<'_>], name: &str) -> Option<u32> {
    member(members, name).and_then(Value::number).map(|number| number as u32)
}
