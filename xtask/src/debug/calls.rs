//! Which calls of a trace run shaders, by what `reprise dump` says.

use super::kind::{Item, Kind};
use serde_json::Value;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

/// Methods that make pipelines and signatures of commands, and say which pipeline is set.
const SETS: [&str; 8] = [
    "Create*PipelineState",
    "Load*Pipeline",
    "CreateCommandSignature",
    "SetPipelineState",
    "SetPipelineState1",
    "SetProgram",
    "ID3D12GraphicsCommandList::Reset",
    "CreateCommandList*",
];
const DISPATCHES: &[Kind] = &[Kind::Compute];
const DRAWS: &[Kind] = &[Kind::Vertex, Kind::Hull, Kind::Domain, Kind::Geometry, Kind::Pixel];
const MESHES: &[Kind] = &[Kind::Amplification, Kind::Mesh, Kind::Pixel];
const RAYS: &[Kind] = &[Kind::Rays];
const INDIRECT: &str = "ExecuteIndirect";
/// Methods that run shaders.
const RUNS: [(&str, &[Kind]); 5] = [
    ("Dispatch", DISPATCHES),
    ("DrawInstanced", DRAWS),
    ("DrawIndexedInstanced", DRAWS),
    ("DispatchMesh", MESHES),
    ("DispatchRays", RAYS),
];

/// The methods whose calls [`chosen`] reads.
pub(super) fn methods() -> impl Iterator<Item = &'static str> {
    SETS.into_iter().chain(RUNS.into_iter().map(|(method, _)| method)).chain([INDIRECT])
}

/// What commands of a signature run, by the last of its arguments.
fn of_signature(description: &Value) -> &'static [Kind] {
    const TYPES: [(&str, &[Kind]); 5] = [
        ("_DISPATCH", DISPATCHES),
        ("_DRAW", DRAWS),
        ("_DRAW_INDEXED", DRAWS),
        ("_DISPATCH_MESH", MESHES),
        ("_DISPATCH_RAYS", RAYS),
    ];
    // The description stands by itself, or in a list of one.
    let description = if description.is_array() { &description[0] } else { description };
    let last = description["pArgumentDescs"].as_array().and_then(|all| all.last());
    let name = last.and_then(|last| last["Type"].as_str()).unwrap_or_default();
    let name = name.trim_start_matches("D3D12_INDIRECT_ARGUMENT_TYPE");
    TYPES.iter().find(|(known, _)| *known == name).map_or(&[], |(_, kinds)| kinds)
}

/// What a pipeline has: the contents of its shaders in the trace, by stage.
type Shaders = HashMap<String, u64>;

/// By which a shader is known again: its blob; short ones stand in the call itself.
fn content(shader: &Value) -> Option<u64> {
    shader["blob"].as_u64().or_else(|| shader["begins"].is_string().then(|| told_apart(shader)))
}

/// Finds shaders in the description of a pipeline, of either form.
fn shaders(description: &Value, found: &mut Shaders) {
    match description {
        Value::Object(members) => {
            // A subobject of a stream says its stage beside its shader.
            let stage = members.get("Type").and_then(Value::as_str).and_then(|name| name.rsplit('_').next());
            for (name, member) in members {
                match content(&member["pShaderBytecode"]) {
                    Some(content) => {
                        let stage = stage.filter(|_| name == "Value").unwrap_or(name);
                        found.insert(stage.to_uppercase(), content);
                    }
                    None => shaders(member, found),
                }
            }
        }
        Value::Array(all) => all.iter().for_each(|member| shaders(member, found)),
        _ => {}
    }
}

/// A number for what tells programs, or shaders of a table, apart.
fn told_apart(by: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    by.to_string().hash(&mut hasher);
    hasher.finish()
}

/// What a list has set.
#[derive(Clone, Copy, Default)]
enum Set {
    #[default]
    Nothing,
    Pipeline(u64),
    /// A state object, or a program of one.
    Program(u64),
}

/// Calls of a dump, `most` of each shader.
pub(super) fn chosen(trace: &Path, dump: &str, most: usize) -> Vec<Item> {
    let mut made: HashMap<u64, Shaders> = HashMap::new();
    let mut signatures: HashMap<u64, &'static [Kind]> = HashMap::new();
    let mut set: HashMap<u64, Set> = HashMap::new();
    let mut counts: HashMap<(&str, &str, u64), usize> = HashMap::new();
    let mut items = Vec::new();
    for call in dump.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        let (Some(number), Some(method)) = (call["call"].as_u64(), call["method"].as_str()) else { continue };
        let name = method.rsplit("::").next().unwrap_or(method);
        let (list, arguments) = (call["this"]["id"].as_u64().unwrap_or(0), &call["args"]);
        let id = |of: &Value| of["id"].as_u64();
        let pipeline = |of: &Value| id(of).map_or(Set::Nothing, Set::Pipeline);
        match name {
            "SetPipelineState" => _ = set.insert(list, pipeline(&arguments["pPipelineState"])),
            "SetPipelineState1" => {
                set.insert(list, Set::Program(id(&arguments["pStateObject"]).unwrap_or(0)));
            }
            "SetProgram" => _ = set.insert(list, Set::Program(told_apart(&arguments["pDesc"]))),
            "Reset" => _ = set.insert(list, pipeline(&arguments["pInitialState"])),
            "CreateCommandSignature" => {
                if let Some(made) = id(&arguments["ppvCommandSignature"]) {
                    signatures.insert(made, of_signature(&arguments["pDesc"]));
                }
            }
            _ if name.starts_with("CreateCommandList") => {
                if let Some(made) = id(&arguments["ppCommandList"]) {
                    set.insert(made, pipeline(&arguments["pInitialState"]));
                }
            }
            _ if name.ends_with("Pipeline") || name.ends_with("PipelineState") => {
                if let Some(pipeline) = id(&arguments["ppPipelineState"]) {
                    shaders(arguments, made.entry(pipeline).or_default());
                }
            }
            _ => {
                let (method, kinds) = match name {
                    INDIRECT => {
                        let signature = id(&arguments["pCommandSignature"]).unwrap_or(0);
                        (INDIRECT, signatures.get(&signature).copied().unwrap_or(&[Kind::Compute, Kind::Vertex]))
                    }
                    _ => match RUNS.iter().find(|(method, _)| *method == name) {
                        Some(run) => *run,
                        None => continue,
                    },
                };
                let own = set.get(&list).copied().unwrap_or_default();
                for kind in kinds {
                    let stage = kind.stage().unwrap_or_default();
                    // Of those whose shader is not told, the pipeline; of rays the record that they begin with, too.
                    let shader = match own {
                        Set::Pipeline(pipeline) => match made.get(&pipeline).filter(|shaders| !shaders.is_empty()) {
                            Some(shaders) => match shaders.get(stage) {
                                Some(shader) => *shader,
                                // It has no such shader.
                                None => continue,
                            },
                            None => u64::MAX - pipeline,
                        },
                        Set::Program(program) => {
                            let record = &arguments["pDesc"]["RayGenerationShaderRecord"]["StartAddress"];
                            program ^ told_apart(record)
                        }
                        Set::Nothing => u64::MAX,
                    };
                    let count = counts.entry((method, kind.name(), shader)).or_default();
                    *count += 1;
                    if *count <= most {
                        let of_meshes = kinds.contains(&Kind::Mesh);
                        items.push(Item { trace: trace.to_owned(), call: number, kind: *kind, of_meshes });
                    }
                }
            }
        }
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(number: u64, list: u64, method: &str, arguments: &str) -> String {
        format!(
            r#"{{"call":{number},"method":"ID3D12GraphicsCommandList::{method}","this":{{"id":{list}}},"args":{arguments}}}"#
        )
    }

    fn calls(dump: &str, most: usize) -> Vec<(u64, Kind)> {
        chosen(Path::new("x"), dump, most).into_iter().map(|item| (item.call, item.kind)).collect()
    }

    #[test]
    fn calls_are_chosen_by_their_shaders() {
        let lines = [
            call(1, 9, "CreateCommandList", r#"{"ppCommandList":{"id":5},"pInitialState":{"id":2}}"#),
            call(2, 5, "Dispatch", "{}"),
            call(3, 5, "Dispatch", "{}"),
            call(4, 5, "SetPipelineState", r#"{"pPipelineState":{"id":3}}"#),
            call(5, 5, "Dispatch", "{}"),
            call(6, 5, "DrawInstanced", "{}"),
            call(7, 5, "Reset", r#"{"pInitialState":{"id":2}}"#),
            call(8, 5, "Dispatch", "{}"),
            call(9, 5, "Close", "{}"),
        ];
        let dump = lines.join("\n") + "\nno line of JSON";
        let draw: Vec<_> = DRAWS.iter().map(|kind| (6, *kind)).collect();
        assert_eq!(calls(&dump, 1), [&[(2, Kind::Compute), (5, Kind::Compute)][..], &draw].concat());
        let all = [&[2, 3, 5].map(|call| (call, Kind::Compute))[..], &draw, &[(8, Kind::Compute)]].concat();
        assert_eq!(calls(&dump, 3), all);
        // Pipelines 2 and 3 have one shader: their calls are of the same. They draw nothing.
        let make = |number, pipeline: u64| {
            let shader = r#"{"Desc":[{"CS":{"pShaderBytecode":{"blob":7}}}]}"#;
            call(
                number,
                1,
                "CreateComputePipelineState",
                &format!(r#"{{"pDesc":{shader},"ppPipelineState":{{"id":{pipeline}}}}}"#),
            )
        };
        let dump = [make(1, 2), make(1, 3), dump].join("\n");
        assert_eq!(calls(&dump, 1), [(2, Kind::Compute)]);
    }

    /// Short shaders are no blobs, and are told apart by how they begin.
    #[test]
    fn shaders_that_stand_in_the_call_count() {
        let make = |number, pipeline: u64, begins: &str| {
            let hull = format!(r#""HS":{{"pShaderBytecode":{{"bytes":100,"begins":"{begins}"}}}}"#);
            let other = r#""GS":{"pShaderBytecode":null},"VS":{"pShaderBytecode":{"blob":1}}"#;
            let made = format!(r#"{{"pDesc":[{{{hull},{other}}}],"ppPipelineState":{{"id":{pipeline}}}}}"#);
            call(number, 1, "CreateGraphicsPipelineState", &made)
        };
        let set = |number, pipeline: u64| {
            call(number, 5, "SetPipelineState", &format!(r#"{{"pPipelineState":{{"id":{pipeline}}}}}"#))
        };
        let draw = |number| call(number, 5, "DrawInstanced", "{}");
        let dump = [make(1, 2, "44ae"), make(2, 3, "44ae"), make(3, 4, "44af")];
        let dump = [&dump[..], &[set(4, 2), draw(5), set(6, 3), draw(7), set(8, 4), draw(9)]].concat();
        let hulls = [(5, Kind::Hull), (9, Kind::Hull)];
        assert_eq!(calls(&dump.join("\n"), 1), [&[(5, Kind::Vertex)][..], &hulls].concat());
    }

    /// A stream says the stage beside the shader, and a null shader is none.
    #[test]
    fn draws_by_mesh_shaders_are_of_the_stages_that_the_stream_has() {
        let subobject = |stage: &str, shader: &str| {
            format!(
                r#"{{"Type":"D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_{stage}","Value":{{"pShaderBytecode":{shader}}}}}"#
            )
        };
        let stream = [subobject("AS", "null"), subobject("MS", r#"{"blob":4}"#), subobject("PS", r#"{"blob":5}"#)];
        let stream = format!(r#"{{"pPipelineStateSubobjectStream":[{}]}}"#, stream.join(","));
        let dump = [
            call(1, 1, "CreatePipelineState", &format!(r#"{{"pDesc":{stream},"ppPipelineState":{{"id":3}}}}"#)),
            call(2, 5, "SetPipelineState", r#"{"pPipelineState":{"id":3}}"#),
            call(3, 5, "DispatchMesh", "{}"),
        ];
        assert_eq!(calls(&dump.join("\n"), 1), [(3, Kind::Mesh), (3, Kind::Pixel)]);
    }

    /// Tables may begin with another shader for each dispatch.
    #[test]
    fn dispatches_of_rays_are_of_their_first_record() {
        let rays = |number, address: &str| {
            let record = format!(r#"{{"RayGenerationShaderRecord":{{"StartAddress":{{"address":"{address}"}}}}}}"#);
            call(number, 5, "DispatchRays", &format!(r#"{{"pDesc":{record}}}"#))
        };
        let set =
            |number, object| call(number, 5, "SetPipelineState1", &format!(r#"{{"pStateObject":{{"id":{object}}}}}"#));
        let dump = [set(1, 3), rays(2, "0x40"), rays(3, "0x40"), rays(4, "0x80"), set(5, 4), rays(6, "0x40")];
        assert_eq!(calls(&dump.join("\n"), 1), [2, 4, 6].map(|call| (call, Kind::Rays)));
    }

    #[test]
    fn commands_are_of_what_their_signature_says() {
        let make = |number, signature, kind: &str| {
            let kind = format!("D3D12_INDIRECT_ARGUMENT_TYPE_{kind}");
            let arguments = format!(r#"[{{"Type":"D3D12_INDIRECT_ARGUMENT_TYPE_CONSTANT"}},{{"Type":"{kind}"}}]"#);
            let signature = format!(r#""ppvCommandSignature":{{"id":{signature}}}"#);
            call(
                number,
                1,
                "CreateCommandSignature",
                &format!(r#"{{"pDesc":{{"pArgumentDescs":{arguments}}},{signature}}}"#),
            )
        };
        let execute =
            |number, signature| call(number, 5, INDIRECT, &format!(r#"{{"pCommandSignature":{{"id":{signature}}}}}"#));
        let dump =
            [make(1, 2, "DISPATCH_RAYS"), make(2, 3, "DRAW"), make(3, 4, "DISPATCH"), execute(4, 2), execute(5, 3)];
        let dump = dump.join("\n") + "\n" + &execute(6, 4);
        let draw: Vec<_> = DRAWS.iter().map(|kind| (5, *kind)).collect();
        assert_eq!(calls(&dump, 1), [&[(4, Kind::Rays)][..], &draw, &[(6, Kind::Compute)]].concat());
    }
}
