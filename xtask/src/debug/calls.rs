//! Which calls of a trace run shaders, and what of them is asked for.

use super::verdict::{Ran, Verdict};
use anyhow::{Context, Result, ensure};
use reprise_testing::program;
use serde_json::Value;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// What is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Compute,
    Vertex,
    Pixel,
}

impl Kind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Kind::Compute => "compute",
            Kind::Vertex => "vertices",
            Kind::Pixel => "pixels",
        }
    }

    /// As descriptions of pipelines call it.
    fn stage(self) -> &'static str {
        match self {
            Kind::Compute => "CS",
            Kind::Vertex => "VS",
            Kind::Pixel => "PS",
        }
    }
}

/// A call that runs a shader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) trace: PathBuf,
    pub(super) call: u64,
    pub(super) kind: Kind,
}

/// Methods that make pipelines, say which one is set, and run its shaders.
const SETS: [&str; 5] = [
    "Create*PipelineState",
    "Load*Pipeline",
    "SetPipelineState",
    "ID3D12GraphicsCommandList::Reset",
    "CreateCommandList*",
];
const RUNS: [(&str, &[Kind]); 4] = [
    ("Dispatch", &[Kind::Compute]),
    ("DrawInstanced", &[Kind::Vertex, Kind::Pixel]),
    ("DrawIndexedInstanced", &[Kind::Vertex, Kind::Pixel]),
    ("ExecuteIndirect", &[Kind::Compute, Kind::Vertex]),
];

/// Where in a draw's own extent pixels are tried.
const PLACES: [(f64, f64); 4] = [(0.4, 0.4), (0.6, 0.3), (0.5, 0.5), (0.1, 0.9)];

/// `reprise`, with the patience that there is for a run.
pub(super) struct Reprise {
    pub(super) program: PathBuf,
    pub(super) patience: Duration,
}

impl Reprise {
    pub(super) fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        // Lavapipe compiles a shader three times as fast where it does not optimise it.
        command.env("MESA_SHADER_CACHE_DISABLE", "true").env("GALLIVM_PERF", "nopt");
        command
    }

    /// Calls of a trace, `most` of each shader.
    pub(super) fn items(&self, trace: &Path, most: usize) -> Result<Vec<Item>> {
        let mut command = self.command();
        command.args(["dump", "--json"]);
        SETS.iter().chain(RUNS.iter().map(|(method, _)| method)).for_each(|method| {
            command.args(["--methods", method]);
        });
        let finished = program::run_quietly(command.arg(trace), self.patience)?;
        // What is damaged is read as far as that goes.
        ensure!(matches!(finished.status.code(), Some(0 | 3)), "{}: {}", trace.display(), finished.errors());
        Ok(chosen(trace, &finished.text(), most))
    }

    /// Runs `reprise debug`.
    pub(super) fn debug(&self, item: &Item, asked: &[&str], disturbed: bool) -> Result<Ran> {
        let mut command = self.command();
        command
            .arg("debug")
            .arg(&item.trace)
            .arg(item.call.to_string())
            .args(["--json", "--fence-timeout=60"])
            .args(asked);
        if disturbed {
            command.arg("--disturbed");
        }
        let finished = program::run_quietly(&mut command, self.patience)?;
        Ok(Ran::of(finished.status.code(), finished.timed_out, &finished.text(), &finished.errors()))
    }

    /// What there is to ask of a call: of the first that is there, the rest is not tried.
    pub(super) fn asked(&self, item: &Item) -> Result<Vec<String>> {
        Ok(match item.kind {
            Kind::Compute => vec!["--thread=0,0,0".to_owned()],
            Kind::Vertex => vec!["--vertex=0".to_owned()],
            Kind::Pixel => self.pixels(item)?,
        })
    }

    /// Pixels that the draw may have fragments at: none where its vertices are not known.
    fn pixels(&self, item: &Item) -> Result<Vec<String>> {
        let call = item.call.to_string();
        let json = |arguments: &[&str]| -> Result<Value> {
            let mut command = self.command();
            command.args(arguments);
            let finished = program::run_quietly(&mut command, self.patience)?;
            Ok(serde_json::from_str(&finished.text()).unwrap_or(Value::Null))
        };
        let trace = item.trace.to_str().context("the trace's name is no UTF-8")?;
        let state = json(&["state", trace, &call, "--json"])?;
        let mesh = json(&["mesh", trace, "--call", &call, "--json"])?;
        let viewport = &state["bound"]["output"]["viewports"]["value"][0];
        if !mesh["least"].is_array() || !viewport.is_array() {
            // What it is refused for is told all the same.
            return Ok(vec!["--pixel=0,0".to_owned()]);
        }
        let number = |of: &Value| of.as_f64().unwrap_or(0.0);
        let along = |share: f64, axis: usize| {
            let (least, greatest) = (number(&mesh["least"][axis]).max(-1.0), number(&mesh["greatest"][axis]).min(1.0));
            let place = least + (greatest - least) * share;
            let place = if axis == 1 { -place } else { place };
            (number(&viewport[axis]) + (place + 1.0) / 2.0 * number(&viewport[axis + 2])) as u32
        };
        let mut all: Vec<String> =
            PLACES.iter().map(|(x, y)| format!("--pixel={},{}", along(*x, 0), along(*y, 1))).collect();
        all.dedup();
        Ok(all)
    }

    /// Runs a call's shader; the control, where it is equal and that is asked for.
    pub(super) fn run(&self, item: &Item, control: bool) -> Result<(Ran, Option<Ran>)> {
        let mut found = Ran { hash: String::new(), verdict: Verdict::Absent, opens: false };
        for asked in self.asked(item)? {
            found = self.debug(item, &[&asked], false)?;
            if found.verdict == Verdict::Absent {
                continue;
            }
            let is_controlled = control && matches!(found.verdict, Verdict::Equal | Verdict::Open(_));
            let other = if is_controlled { Some(self.debug(item, &[&asked], true)?) } else { None };
            return Ok((found, other));
        }
        Ok((found, None))
    }
}

/// What a pipeline has: the contents of its shaders in the trace, by stage.
type Shaders = HashMap<String, u64>;

/// Finds shaders in the description of a pipeline, of either form.
fn shaders(description: &Value, found: &mut Shaders) {
    match description {
        Value::Object(members) => {
            for (name, member) in members {
                match member["pShaderBytecode"]["blob"].as_u64() {
                    Some(blob) => _ = found.insert(name.to_uppercase(), blob),
                    None => shaders(member, found),
                }
            }
        }
        Value::Array(all) => all.iter().for_each(|member| shaders(member, found)),
        _ => {}
    }
}

/// Calls of a dump, `most` of each shader.
fn chosen(trace: &Path, dump: &str, most: usize) -> Vec<Item> {
    let mut made: HashMap<u64, Shaders> = HashMap::new();
    let mut set: HashMap<u64, u64> = HashMap::new();
    let mut counts: HashMap<(&str, &str, u64), usize> = HashMap::new();
    let mut items = Vec::new();
    for call in dump.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        let (Some(number), Some(method)) = (call["call"].as_u64(), call["method"].as_str()) else { continue };
        let name = method.rsplit("::").next().unwrap_or(method);
        let (list, arguments) = (call["this"]["id"].as_u64().unwrap_or(0), &call["args"]);
        let id = |of: &Value| of["id"].as_u64();
        match name {
            "SetPipelineState" => _ = set.insert(list, id(&arguments["pPipelineState"]).unwrap_or(0)),
            "Reset" => _ = set.insert(list, id(&arguments["pInitialState"]).unwrap_or(0)),
            _ if name.starts_with("CreateCommandList") => {
                if let Some(made) = id(&arguments["ppCommandList"]) {
                    set.insert(made, id(&arguments["pInitialState"]).unwrap_or(0));
                }
            }
            _ if name.ends_with("Pipeline") || name.ends_with("PipelineState") => {
                if let Some(pipeline) = id(&arguments["ppPipelineState"]) {
                    shaders(arguments, made.entry(pipeline).or_default());
                }
            }
            _ => {
                let Some((method, kinds)) = RUNS.iter().find(|(method, _)| *method == name) else { continue };
                let pipeline = set.get(&list).copied().unwrap_or(0);
                for kind in *kinds {
                    let shader = made.get(&pipeline).and_then(|shaders| shaders.get(kind.stage())).copied();
                    // Of those whose shader is not told, the pipeline.
                    let shader = shader.unwrap_or(u64::MAX - pipeline);
                    let count = counts.entry((method, kind.stage(), shader)).or_default();
                    *count += 1;
                    if *count <= most {
                        items.push(Item { trace: trace.to_owned(), call: number, kind: *kind });
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

    #[test]
    fn calls_are_chosen_by_their_shaders() {
        let call = |number: u64, list: u64, method: &str, arguments: &str| {
            format!(
                r#"{{"call":{number},"method":"ID3D12GraphicsCommandList::{method}","this":{{"id":{list}}},"args":{arguments}}}"#
            )
        };
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
        let calls = |most| -> Vec<(u64, Kind)> {
            chosen(Path::new("x"), &dump, most).into_iter().map(|item| (item.call, item.kind)).collect()
        };
        let draw = [(6, Kind::Vertex), (6, Kind::Pixel)];
        assert_eq!(calls(1), [&[(2, Kind::Compute), (5, Kind::Compute)][..], &draw].concat());
        let all = [&[2, 3, 5].map(|call| (call, Kind::Compute))[..], &draw, &[(8, Kind::Compute)]].concat();
        assert_eq!(calls(3), all);
        // Pipelines 2 and 3 have one shader: their calls are of the same.
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
        let found = chosen(Path::new("x"), &dump, 1);
        assert_eq!(found.iter().map(|item| item.call).collect::<Vec<_>>(), [2, 6, 6]);
    }
}
