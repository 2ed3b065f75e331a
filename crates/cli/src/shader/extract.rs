//! The shaders and root signatures of a trace, each content once, with the calls that use it.
//!
//! Invariant: a file's name is made of the hash of its content and words of this program; nothing in a trace names a file.

use crate::shader::disassembly::{self, Form};
use crate::shader::state_objects;
use crate::terminal::exit::{self, Failure, OrExit};
use crate::terminal::whole_file;
use anyhow::Context;
use reprise_codec::value::Member;
use reprise_codec::{Codec, Value};
use reprise_d3d12::model::{BlobKind, MethodId, Role};
use reprise_dxbc::root_signature::Version;
use reprise_dxbc::{Container, Program, RootSignature, Tag, Validation, library};
use reprise_timeline::{At, Call, Interests, Pass, StateObjects};
use reprise_trace::read::{self, ReadError, Trace};
use reprise_view::api;
use reprise_view::root_signature;
use serde_json::{Value as Json, json};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

/// Collects contents into a folder.
pub(crate) struct Extract<'t> {
    trace: &'t Trace,
    codec: Codec,
    folder: PathBuf,
    disassemble: Vec<Form>,
    places: HashMap<(What, u128), usize>,
    found: Vec<Found>,
    /// State objects of ray tracing, with what lies in the records of their exports.
    objects: StateObjects,
    /// What could not be read, in words.
    problems: Vec<String>,
    /// Why a file could not be written; nothing more is written then.
    failure: Option<Failure>,
}

/// What a content is used as; the same bytes can be both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum What {
    Shader,
    RootSignature,
}

/// A content.
struct Found {
    what: What,
    hash: u128,
    file: String,
    /// The members of its entry in the index that its bytes say.
    facts: Json,
    uses: Vec<Use>,
}

struct Use {
    call: u64,
    method: MethodId,
    argument: String,
    exports: Vec<Named>,
}

/// A function that a call takes out of a library.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Named {
    /// What it is called from then on.
    name: String,
    /// What it is called in the library, where that is another name.
    renamed: Option<String>,
}

/// An argument that is one of these, before its bytes are at hand.
struct Mention<'a> {
    what: What,
    argument: String,
    value: &'a Value<'a>,
    /// Of a library: the functions that are taken; none where all are.
    exports: Vec<Named>,
}

impl<'t> Extract<'t> {
    /// Extracts from this trace into this folder, which exists; `disassemble` are the forms in which the code of shaders is
    /// wanted as text.
    pub(crate) fn new(trace: &'t Trace, folder: PathBuf, disassemble: Vec<Form>) -> Extract<'t> {
        Extract {
            trace,
            codec: api::codec(),
            folder,
            disassemble,
            places: HashMap::new(),
            found: Vec::new(),
            objects: StateObjects::default(),
            problems: Vec::new(),
            failure: None,
        }
    }

    /// Takes what a call is given.
    ///
    /// # Errors
    /// When a file cannot be written; what is wrong with the trace goes to [`Extract::problems`].
    fn take(&mut self, call: &Call<'_>) -> Result<(), Failure> {
        let arguments = match self.codec.decode_enter(call.method, call.enter.bytes) {
            Ok(arguments) => arguments,
            Err(error) => {
                self.problems.push(format!("call {}: {error}", call.number));
                return Ok(());
            }
        };
        let mut mentions = Vec::new();
        self.members(&arguments.members, &mut Vec::new(), &mut mentions);
        for Mention { what, argument, value, exports } in mentions {
            let used = Use { call: call.number, method: call.method, argument, exports };
            match value {
                Value::Blob(number, ..) => match self.blob(call, *number) {
                    Ok(bytes) => self.keep(what, &bytes, used)?,
                    Err(error) => self.problems.push(format!("call {}: {}: {error}", used.call, used.argument)),
                },
                Value::Bytes(bytes) => self.keep(what, bytes, used)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn blob(&self, call: &Call<'_>, number: u32) -> Result<Arc<[u8]>, ReadError> {
        let unbound = ReadError::Unbound { call: call.number, number };
        self.trace.blob_by_id(call.enter.blob(number).ok_or(unbound)?)
    }

    /// Finds contents among members; `path` leads to them.
    fn members<'a>(&self, members: &'a [Member<'a>], path: &mut Vec<String>, mentions: &mut Vec<Mention<'a>>) {
        for member in members {
            path.push(member.field.name.to_owned());
            let what = match member.field.role {
                Role::Blob(BlobKind::Shader) => Some(What::Shader),
                Role::Blob(BlobKind::RootSignature) => Some(What::RootSignature),
                _ => None,
            };
            match (what, &member.value) {
                (Some(what), value @ (Value::Blob(..) | Value::Bytes(_))) => {
                    mentions.push(Mention { what, argument: path.join("."), value, exports: Vec::new() });
                }
                (_, value) => self.value(value, path, mentions),
            }
            path.pop();
        }
    }

    fn value<'a>(&self, value: &'a Value<'a>, path: &mut Vec<String>, mentions: &mut Vec<Mention<'a>>) {
        let mut step = |step: String, value: &'a Value<'a>| {
            path.push(step);
            self.value(value, path, mentions);
            path.pop();
        };
        match value {
            Value::Struct(_, members) => {
                let before = mentions.len();
                self.members(members, path, mentions);
                let exports = members.iter().find(|member| member.field.name == "pExports").map(exports);
                if let (Some(exports), Some(mention)) = (exports, mentions.get_mut(before)) {
                    mention.exports = exports;
                }
            }
            Value::Array(values) => values.iter().enumerate().for_each(|(index, value)| step(index.to_string(), value)),
            Value::Stream(subobjects) => {
                subobjects.iter().for_each(|(number, value)| step(self.codec.subobject_name(*number), value));
            }
            _ => {}
        }
    }

    fn keep(&mut self, what: What, bytes: &[u8], used: Use) -> Result<(), Failure> {
        let hash = read::content_hash(bytes);
        let place = match self.places.get(&(what, hash)) {
            Some(place) => *place,
            None => {
                let found = self.write(what, hash, bytes)?;
                self.found.push(found);
                self.places.insert((what, hash), self.found.len() - 1);
                self.found.len() - 1
            }
        };
        self.found[place].uses.push(used);
        Ok(())
    }

    /// Writes a content that is new.
    fn write(&self, what: What, hash: u128, bytes: &[u8]) -> Result<Found, Failure> {
        let name = format!("{hash:032x}");
        let (ending, mut facts) = match what {
            What::Shader => {
                let (ending, mut facts) = shader(bytes);
                self.embedded(&name, bytes, &mut facts)?;
                functions(bytes, &mut facts);
                if facts.get("error").is_none() {
                    self.disassembled(&name, bytes, &mut facts)?;
                }
                (ending, facts)
            }
            What::RootSignature => match RootSignature::from_container(bytes) {
                Ok(signature) => ("root_signature.dxbc".to_owned(), self.decoded(&name, signature)?),
                Err(error) => ("root_signature.bin".to_owned(), json!({ "error": error.to_string() })),
            },
        };
        let file = format!("{name}.{ending}");
        self.put(&file, bytes)?;
        facts["bytes"] = bytes.len().into();
        Ok(Found { what, hash, file, facts, uses: Vec::new() })
    }

    /// Writes a root signature as JSON and as HLSL, beside what it was found in.
    fn decoded(&self, name: &str, (signature, version): (RootSignature, Version)) -> Result<Json, Failure> {
        let decoded = root_signature::json(&self.codec, &signature, version);
        let files = [format!("{name}.root_signature.json"), format!("{name}.root_signature.hlsl")];
        self.put(&files[0], pretty(&decoded).as_bytes())?;
        self.put(&files[1], signature.hlsl(version).as_bytes())?;
        Ok(json!({ "version": decoded["version"], "decoded": files[0], "hlsl": files[1] }))
    }

    /// The root signatures in a shader: its own, and those among the subobjects of a library.
    fn embedded(&self, name: &str, bytes: &[u8], facts: &mut Json) -> Result<(), Failure> {
        let Ok(container) = Container::parse(bytes) else { return Ok(()) };
        let own = container.part(Tag::RTS0).map(|part| (None, part.data));
        let subobjects = library::root_signatures(bytes).unwrap_or_else(|error| {
            facts["library_error"] = error.to_string().into();
            Vec::new()
        });
        let mut found = Vec::new();
        for (subobject, part) in own.into_iter().chain(subobjects.into_iter().map(|(name, part)| (Some(name), part))) {
            // A shader may have one of its own and any number of subobjects: all but the first are told apart by number.
            let file = if found.is_empty() { name.to_owned() } else { format!("{name}.{}", found.len() + 1) };
            let parsed = RootSignature::parse(part);
            let mut entry = match parsed {
                Ok(signature) => self.decoded(&file, signature)?,
                Err(error) => json!({ "error": error.to_string() }),
            };
            if let Some(subobject) = subobject {
                entry["subobject"] = subobject.into();
            }
            found.push(entry);
        }
        if !found.is_empty() {
            facts["root_signatures"] = found.into();
        }
        Ok(())
    }

    /// Writes a shader's code as text. What cannot be read is a fact of the shader, and no failure.
    fn disassembled(&self, name: &str, bytes: &[u8], facts: &mut Json) -> Result<(), Failure> {
        for &form in &self.disassemble {
            let (written, failed) = form.members();
            match disassembly::of(bytes, form) {
                Ok(text) => {
                    let stage = facts["stage"].as_str().unwrap_or("unknown");
                    let file = format!("{name}.{stage}.{}", form.ending());
                    self.put(&file, &text)?;
                    facts[written] = file.into();
                }
                Err(error) => facts[failed] = format!("{error:#}").into(),
            }
        }
        Ok(())
    }

    fn put(&self, name: &str, bytes: &[u8]) -> Result<(), Failure> {
        let path = self.folder.join(name);
        whole_file::write(&path, bytes)
            .with_context(|| format!("cannot write {}", path.display()))
            .or_exit(exit::FAILED)
    }

    /// Writes the index: what was found, and which calls use it.
    ///
    /// # Errors
    /// When it, or a file before it, cannot be written.
    pub(crate) fn finish(&mut self) -> Result<Json, Failure> {
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        let of = |what: What| self.found.iter().filter(|found| found.what == what).map(Found::json).collect::<Json>();
        let index = json!({
            "shaders": of(What::Shader),
            "root_signatures": of(What::RootSignature),
            "state_objects": state_objects::json(&self.objects),
            "problems": self.problems,
        });
        self.put("index.json", pretty(&index).as_bytes())?;
        Ok(index)
    }

    /// What could not be read, in words.
    pub(crate) fn problems(&self) -> &[String] {
        &self.problems
    }
}

impl Pass for Extract<'_> {
    fn interests(&self) -> Interests {
        // Only pointers lead to contents.
        let all = (0..u16::try_from(api::model().methods.len()).unwrap_or(u16::MAX)).map(MethodId);
        let leads: Vec<MethodId> = all.filter(|method| self.codec.traits(*method).enter_children).collect();
        Interests::new().enters(&leads).and(&StateObjects::interests())
    }

    fn call(&mut self, call: &Call<'_>, _at: &At) {
        let read =
            self.objects.call(call, &mut |place| self.trace.blob_by_id(place).map_err(|error| error.to_string()));
        // A creation is also an enter that leads to contents, whose error is told already; so is this one's.
        if let Err(error) = read {
            let problem = format!("call {}: {error}", call.number);
            if !self.problems.contains(&problem) {
                self.problems.push(problem);
            }
        }
    }

    fn enter(&mut self, call: &Call<'_>, _at: &At) {
        if self.failure.is_none() {
            self.failure = self.take(call).err();
        }
    }
}

impl Named {
    fn json(&self) -> Json {
        match &self.renamed {
            Some(renamed) => json!({ "name": self.name, "renamed": renamed }),
            None => json!({ "name": self.name }),
        }
    }
}

/// The functions that a description of a library names.
fn exports(member: &Member<'_>) -> Vec<Named> {
    let Value::Array(all) = &member.value else { return Vec::new() };
    let text = |members: &[Member<'_>], name: &str| match members.iter().find(|member| member.field.name == name) {
        Some(Member { value: Value::Text(text), .. }) => Some(text.clone()),
        _ => None,
    };
    let named = |value: &Value<'_>| match value {
        Value::Struct(_, members) => {
            Some(Named { name: text(members, "Name")?, renamed: text(members, "ExportToRename") })
        }
        _ => None,
    };
    all.iter().filter_map(named).collect()
}

/// Adds the entry points of a library to its facts.
fn functions(bytes: &[u8], facts: &mut Json) {
    if facts["stage"] != "library" {
        return;
    }
    match library::functions(bytes) {
        Ok(functions) => {
            let entries = functions.iter().filter(|function| function.stage != Some("library"));
            let entries: Vec<Json> =
                entries.map(|it| json!({ "name": it.name, "mangled": it.mangled, "stage": it.stage })).collect();
            facts["exports"] = entries.into();
        }
        Err(error) => facts["library_error"] = error.to_string().into(),
    }
}

impl Found {
    fn json(&self) -> Json {
        let mut json = json!({ "hash": format!("{:032x}", self.hash), "file": self.file });
        for (name, fact) in self.facts.as_object().into_iter().flatten() {
            json[name] = fact.clone();
        }
        let call = |used: &Use| {
            let mut json = json!({ "call": used.call, "method": api::name(used.method), "argument": used.argument });
            if !used.exports.is_empty() {
                json["exports"] = used.exports.iter().map(Named::json).collect();
            }
            json
        };
        json["uses"] = self.uses.iter().map(call).collect();
        json
    }
}

/// How a shader's file name ends, and what is known of the shader. Bytes that are no shader are kept, with the reason.
fn shader(bytes: &[u8]) -> (String, Json) {
    let parsed = Container::parse(bytes).and_then(|container| Ok((Program::of(&container)?, container)));
    match parsed {
        Ok((program, container)) => {
            let kind = if program.tag == Tag::DXIL { "dxil" } else { "dxbc" };
            let model = format!("{}.{}", program.model.0, program.model.1);
            let mut facts = json!({
                "stage": program.stage, "code": kind, "model": model, "checksum": container.checksum().word(),
                "root_signature": container.part(Tag::RTS0).is_some(),
            });
            if let Some(said) = Validation::of(&container) {
                let known = [
                    ("entry", said.entry().map(Json::from)),
                    ("threads", said.threads().map(Json::from)),
                    ("group_shared_bytes", said.group_shared().filter(|bytes| *bytes != 0).map(Json::from)),
                ];
                for (name, fact) in known {
                    if let Some(fact) = fact {
                        facts[name] = fact;
                    }
                }
            }
            (format!("{}.{kind}", program.stage), facts)
        }
        Err(error) => ("unknown.bin".to_owned(), json!({ "error": error.to_string() })),
    }
}

fn pretty(json: &Json) -> String {
    // Values without maps by other things than text can always be written.
    serde_json::to_string_pretty(json).unwrap_or_default() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use reprise_codec::value::FieldRef;

    /// Of `crates/shader/tests/shaders/rays.hlsl`.
    #[test]
    fn libraries_are_told_with_their_entry_points() {
        let library = include_bytes!("../../../shader/tests/shaders/rays.dxil");
        let (ending, mut facts) = shader(library);
        assert_eq!(ending, "library.dxil");
        functions(library, &mut facts);
        let exports = facts["exports"].as_array().unwrap();
        let told: Vec<_> = exports.iter().map(|export| export["stage"].as_str().unwrap()).collect();
        assert_eq!(told, ["raygeneration", "miss", "closesthit", "anyhit", "intersection", "callable"]);
        assert_eq!(exports[0]["name"], "begin");
        assert_eq!(exports[0]["mangled"], "\u{1}?begin@@YAXXZ");
    }

    /// A container as DXC 1.9 makes it for a model that is not final.
    #[test]
    fn newer_shaders_are_told_with_what_the_validator_said() {
        let mut blob = include_bytes!("../../../programs/shaders/compute.main.dxil").to_vec();
        let code = Container::parse(&blob).unwrap().part(Tag::DXIL).unwrap().offset;
        blob[code] = 0x6a;
        blob[4..20].fill(2);
        let (ending, facts) = shader(&blob);
        let expected = json!({
            "stage": "compute", "code": "dxil", "model": "6.10", "checksum": "preview", "root_signature": false,
            "entry": "main", "threads": [64, 1, 1], "group_shared_bytes": 256,
        });
        assert_eq!((ending.as_str(), facts), ("compute.dxil", expected));
        blob[4..20].fill(1);
        assert_eq!(shader(&blob).1["checksum"], "bypass");
    }

    #[test]
    fn names_that_a_call_gives_to_functions_are_its_uses() {
        let member = |structure: &str, name: &str, value| {
            let fields = api::model().structs[usize::from(reprise_d3d12::struct_(structure).0)].fields;
            let field = fields.iter().find(|field| field.name == name).unwrap();
            Member { field: FieldRef(field), value }
        };
        let export = |name: &str, renamed: Value<'static>| {
            let of = "D3D12_EXPORT_DESC";
            let name = member(of, "Name", Value::Text(name.to_owned()));
            Value::Struct(reprise_d3d12::struct_(of), vec![name, member(of, "ExportToRename", renamed)])
        };
        let all = vec![export("far", Value::Text("miss".to_owned())), export("begin", Value::Null)];
        let found = exports(&member("D3D12_DXIL_LIBRARY_DESC", "pExports", Value::Array(all)));
        let far = Named { name: "far".to_owned(), renamed: Some("miss".to_owned()) };
        assert_eq!(found, [far, Named { name: "begin".to_owned(), renamed: None }]);
        assert_eq!(found[0].json(), json!({ "name": "far", "renamed": "miss" }));
    }

    #[test]
    fn what_is_no_shader_is_kept_and_named() {
        let (ending, facts) = shader(b"no container at all");
        assert_eq!(ending, "unknown.bin");
        assert!(facts["error"].as_str().is_some_and(|error| error.contains("tag")), "{facts}");
        let mut container = reprise_dxbc::container::build(&[(Tag::DXIL, &[0x60, 0, 6, 0])]);
        let (ending, facts) = shader(&container);
        assert_eq!((ending.as_str(), &facts["checksum"]), ("library.dxil", &"valid".into()));
        assert_eq!(facts["model"], "6.0");
        container[4] ^= 1;
        assert_eq!(shader(&container).1["checksum"], "wrong");
        container.pop();
        assert_eq!(shader(&container).0, "unknown.bin");
    }
}
