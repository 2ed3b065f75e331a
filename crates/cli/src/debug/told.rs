//! A run as JSON, and as lines for people.

use super::check::{Check, Difference};
use super::lines::Lines;
use super::rays;
use super::store::Key;
pub(crate) use super::words::text;
use super::{Invocation, Region, Store};
use reprise_interpreter::{
    Buffer, Descriptor, Fault, Input, Kind, Module, Open, Opens, Place, Ran, Step, Value, Write,
};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::rc::Rc;

/// What was run.
pub(crate) struct Run<'r> {
    pub(crate) invocation: &'r Invocation,
    pub(crate) module: &'r Module,
    pub(crate) thread: [u32; 3],
    pub(crate) group: [u32; 3],
    pub(crate) lane: u32,
    pub(crate) wave: u32,
    /// Groups that ran.
    pub(crate) groups: u64,
    pub(crate) all_groups: bool,
    pub(crate) ran: &'r Ran,
    pub(crate) opens: &'r Opens,
    pub(crate) lines: &'r Lines,
    /// The shaders of rays, by their numbers.
    pub(crate) shaders: BTreeMap<u32, Rc<Module>>,
}

/// What is open about a value.
pub(super) fn open(opens: &Opens, open: Open) -> Json {
    let Some(what) = opens.get(open) else { return Json::Null };
    let mut told = json!({ "word": what.offset, "operation": what.what });
    if let Some(range) = opens.range(open) {
        told["bounds"] = json!([range.least, range.greatest]);
    }
    told
}

/// Differences that are listed in text.
const SOME: usize = 12;

impl Run<'_> {
    fn place(&self, module: &Module, place: &Place, store: &mut Store<'_>) -> Json {
        let named = |descriptor: Descriptor, store: &mut Store<'_>| {
            let register = self.invocation.register(descriptor);
            let region = store.region_of(descriptor);
            (register, region)
        };
        match place {
            Place::Memory(Buffer::View(descriptor), at) => {
                let (register, region) = named(*descriptor, store);
                let (resource, offset) = match region {
                    Some(Region::Bytes { resource, offset, .. }) => (Some(resource), Some(offset.saturating_add(*at))),
                    _ => (None, None),
                };
                json!({ "register": register, "resource": resource, "offset": offset, "offset_in_view": at })
            }
            Place::Memory(Buffer::Address, address) => {
                let found = self.invocation.located(*address);
                let (resource, offset) = found.unzip();
                json!({ "address": format!("{address:#x}"), "resource": resource, "offset": offset })
            }
            Place::Texel(texel) => {
                let (handle, at) = &**texel;
                let (register, region) = named(handle.descriptor, store);
                let resource = match region {
                    Some(Region::Elements { resource, .. }) => Some(resource),
                    Some(Region::Texture(texture)) => Some(texture.resource),
                    Some(Region::Feedback(map)) => Some(map.resource),
                    _ => None,
                };
                let coordinates = handle.image.map_or(1, |image| image.coordinates()).min(3);
                json!({ "register": register, "resource": resource, "texel": at.at[..coordinates] })
            }
            other => json!({ "variable": module.place(other) }),
        }
    }

    fn bits(value: &Value) -> Json {
        value.numbers().iter().map(|bits| format!("{bits:#x}")).collect()
    }

    pub(super) fn open(&self, open: Open) -> Json {
        self::open(self.opens, open)
    }

    /// The module that a step is of.
    fn module_of(&self, step: &Step) -> &Module {
        self.shaders.get(&step.module).map_or(self.module, |module| module)
    }

    fn step(&self, index: usize, step: &Step, store: &mut Store<'_>) -> Json {
        let module = self.module_of(step);
        let instruction = module.instruction(step.offset);
        let mut told = json!({
            "step": index + 1,
            "word": step.offset,
            "instruction": instruction.map(|it| module.line(it)),
        });
        if !module.label().is_empty() {
            told["shader"] = json!(module.label());
            told["depth"] = json!(step.depth);
        }
        if step.value != Value::Nothing {
            told["value"] = json!(module.text(&step.value, step.kind));
            told["bits"] = Self::bits(&step.value);
            if step.value.open() != 0 {
                told["open"] = self.open(step.value.open());
            }
        }
        if let Some(at) = module.line_at(step.offset).filter(|_| step.module == 0) {
            told["dxil"] = self.lines.code(at);
            told["line"] = self.lines.source(at);
            // An instruction may have become several, of which the last one has its result.
            let next = self.ran.steps.get(index + 1).and_then(|next| self.module.line_at(next.offset));
            if let Some(names) = self.lines.variables(at)
                && step.value != Value::Nothing
                && next != Some(at)
            {
                told["variables"] = json!(names);
            }
        }
        if is_nan(module, &step.value, step.kind) {
            told["nan"] = json!(true);
        }
        if let Some(Write { place, value, kind }) = &step.write {
            let mut write = self.place(module, place, store);
            write["value"] = json!(module.text(value, *kind));
            write["bits"] = Self::bits(value);
            if value.open() != 0 {
                write["open"] = self.open(value.open());
            }
            told["write"] = write;
        }
        told
    }

    fn difference(&self, of: &Difference) -> Json {
        json!({
            "resource": of.key.resource,
            "subresource": subresource(of.key),
            "offset": of.offset,
            "expected": hex(&of.expected),
            "found": hex(&of.found),
            "written": of.written,
            "open": self.open(of.open),
            "bounds": of.bounds,
            "beyond": of.beyond,
            "unbounded": of.unbounded,
        })
    }

    /// All of it.
    pub(crate) fn json(&self, store: &mut Store<'_>, check: Option<&Check>) -> Json {
        let Run { invocation, module, ran, .. } = self;
        let first = ran.steps.first().map_or(*module, |step| self.module_of(step));
        let input = |Input { name, value, kind }: &Input| json!({ "name": name, "value": first.text(value, *kind) });
        let shader = match &invocation.rays {
            None => json!({ "stage": "compute", "hash": format!("{:032x}", invocation.command().hash) }),
            Some(_) => json!({ "stage": "raygeneration", "name": first.label() }),
        };
        let libraries = store.libraries();
        let called = self.shaders.iter().map(|(number, module)| {
            let library = libraries.get(number).map(|hash| format!("{hash:032x}"));
            json!({ "name": module.label(), "library": library })
        });
        let called: Vec<Json> = called.collect();
        let threads = if invocation.rays.is_some() { [1; 3] } else { module.group() };
        let steps: Vec<Json> =
            ran.steps.iter().enumerate().map(|(index, step)| self.step(index, step, store)).collect();
        json!({
            "call": invocation.call,
            "command": invocation.indirect.as_ref().map(|_| invocation.number),
            "lines_wanting": self.lines.wanting,
            "dxil_wanting": self.lines.unprinted,
            "submission": invocation.submission,
            "shader": shader,
            "shaders": invocation.rays.is_some().then_some(called),
            "groups": invocation.command().groups(),
            "threads_of_group": threads,
            "thread": self.thread,
            "group": self.group,
            "lane": self.lane,
            "wave": if module.uses_waves() { json!(self.wave) } else { Json::Null },
            "groups_run": self.groups,
            "inputs": ran.inputs.iter().map(input).collect::<Vec<_>>(),
            "steps": steps,
            "steps_cut": ran.cut,
            "rays": ran.rays.iter().map(rays::json).collect::<Vec<_>>(),
            "open": self.opens.all().iter().map(|open| json!({ "word": open.offset, "operation": open.what }))
                .collect::<Vec<_>>(),
            "check": check.map(|check| json!({
                "equal": (!check.is_empty()).then(|| !check.is_wrong()),
                "left_out": check.left_out,
                "whole": self.all_groups,
                "bytes_written": check.written,
                "bytes_compared": check.compared,
                "differences": check.differences.iter().map(|it| self.difference(it)).collect::<Vec<_>>(),
                "unseen": check.unseen.iter().map(|(key, why)| json!({
                    "resource": key.resource, "subresource": subresource(*key), "error": why,
                })).collect::<Vec<_>>(),
                "unfetched": store.unfetched.iter().map(|(key, why)| json!({
                    "resource": key.resource, "subresource": subresource(*key), "error": why,
                })).collect::<Vec<_>>(),
            })),
        })
    }
}

fn is_nan(module: &Module, value: &Value, kind: u32) -> bool {
    match (value, module.kind_by_id(kind)) {
        (Value::Number(bits, _), Some(Kind::Float { width: 64 })) => f64::from_bits(*bits).is_nan(),
        (Value::Number(bits, _), Some(Kind::Float { width: 16 })) => bits & 0x7fff > 0x7c00,
        (Value::Number(bits, _), Some(Kind::Float { .. })) => f32::from_bits(*bits as u32).is_nan(),
        (Value::Composite(parts), Some(Kind::Vector { of, .. } | Kind::Array { of, .. })) => {
            parts.iter().any(|part| is_nan(module, part, *of))
        }
        _ => false,
    }
}

fn subresource(key: Key) -> Json {
    let part =
        |[mip, slice, plane, sample]: [u32; 4]| json!({ "mip": mip, "slice": slice, "plane": plane, "sample": sample });
    key.part.map_or(Json::Null, part)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn three(of: &Json) -> String {
    of.as_array().into_iter().flatten().map(text).collect::<Vec<_>>().join(",")
}

/// A place of JSON as people read it.
pub(crate) fn place(write: &Json) -> String {
    let resource = |name: &str| match &write["resource"] {
        Json::Null => String::new(),
        id => format!("{name} {id}"),
    };
    let register = write["register"].as_str().map(|it| format!("{it} ")).unwrap_or_default();
    if write["texel"].is_array() {
        return format!("{register}({}) texel {}", resource("resource"), three(&write["texel"]));
    }
    match (&write["offset"], &write["variable"]) {
        (_, Json::String(name)) => name.clone(),
        (Json::Null, _) => format!("{register}{}", text(&write["address"])),
        (offset, _) => format!("{register}({} + {offset})", resource("buffer")),
    }
}

/// The line of the source that a step is of: of HLSL where it is known, else of DXIL.
pub(crate) fn line_of(step: &Json) -> &Json {
    if step["line"].is_null() { &step["dxil"] } else { &step["line"] }
}

/// Whether two steps' lines are one, whatever their columns.
pub(crate) fn is_same(one: &Json, other: &Json) -> bool {
    (&one["file"], &one["line"]) == (&other["file"], &other["line"])
}

/// The line that a step is of, where the step before was of another one.
pub(crate) fn heading(step: &Json, last: &mut Option<Json>) -> Option<String> {
    let line = line_of(step);
    if line.is_null() || last.as_ref().is_some_and(|last| is_same(last, line)) {
        return None;
    }
    *last = Some(line.clone());
    let file = line["file"].as_str().unwrap_or("DXIL");
    let said = line["text"].as_str().unwrap_or("(the container does not have its text)");
    Some(format!("{file}:{}  {said}", line["line"]))
}

/// Whether a step writes to a resource.
pub(crate) fn writes(step: &Json) -> bool {
    step["write"].is_object() && step["write"]["variable"].is_null()
}

/// A step as people read it.
pub(crate) fn step(step: &Json) -> String {
    let (number, word) = (text(&step["step"]), text(&step["word"]));
    let within = match (step["shader"].as_str(), step["depth"].as_u64()) {
        (Some(shader), Some(depth)) => format!("{}{shader}: ", "  ".repeat(depth as usize)),
        _ => String::new(),
    };
    let mut line = format!("{number:>6}  word {word:<5} {within}{}", text(&step["instruction"]));
    if !step["value"].is_null() {
        line.push_str(&format!("  -> {}", text(&step["value"])));
        if let Json::Array(names) = &step["variables"] {
            line.push_str(&format!(" ({})", names.iter().map(text).collect::<Vec<_>>().join(", ")));
        }
    }
    if let write @ Json::Object(_) = &step["write"] {
        line.push_str(&format!("  writes {} to {}", text(&write["value"]), place(write)));
    }
    if let emits @ Json::Object(_) = &step["emits"] {
        line.push_str(&super::emitted_told::line(emits));
    }
    if let open @ Json::Object(_) = &step["open"] {
        line.push_str(&format!("  (open: {} at word {})", text(&open["operation"]), open["word"]));
    }
    line
}

/// What a JSON object of [`Run::json`] says, in lines. `listed`: the steps that are listed, counted from 1.
pub(crate) fn lines(told: &Json, listed: (usize, usize), is_listed: impl Fn(&Json) -> bool) -> Vec<String> {
    let mut lines = Vec::new();
    let (groups, threads) = (three(&told["groups"]), three(&told["threads_of_group"]));
    let of_rays = told["shader"]["stage"] == "raygeneration";
    lines.push(match of_rays {
        true => format!("call {}: thread {} of {groups} of a dispatch of rays", told["call"], three(&told["thread"])),
        false => format!(
            "call {}: thread {} is lane {} of group {}, of {groups} groups of {threads} threads",
            told["call"],
            three(&told["thread"]),
            told["lane"],
            three(&told["group"])
        ),
    });
    let wave = told["wave"].as_u64().map(|wave| format!(", waves of {wave} lanes")).unwrap_or_default();
    let shader = &told["shader"];
    let shader = if of_rays { text(&shader["name"]) } else { text(&shader["hash"]) };
    lines.push(format!("  shader {shader}, run by call {}{wave}", told["submission"]));
    listing(told, listed, is_listed, &mut lines);
    check(&told["check"], &told["groups_run"], &mut lines);
    lines
}

/// Inputs, steps and what is open.
pub(super) fn listing(told: &Json, listed: (usize, usize), is_listed: impl Fn(&Json) -> bool, lines: &mut Vec<String>) {
    if let Json::String(what) = &told["dxil_wanting"] {
        lines.push(format!("  steps have no lines of DXIL: {what}"));
    }
    for input in told["inputs"].as_array().into_iter().flatten() {
        lines.push(format!("  {} = {}", text(&input["name"]), text(&input["value"])));
    }
    let steps = told["steps"].as_array().map_or(&[][..], Vec::as_slice);
    lines.push(format!(
        "  {} steps{}",
        steps.len(),
        if told["steps_cut"] == true { ", and more that are not kept" } else { "" }
    ));
    let shown = steps.iter().filter(|step| {
        let index = step["step"].as_u64().unwrap_or(0) as usize;
        (listed.0..=listed.1).contains(&index) && is_listed(step)
    });
    let mut last = None;
    for one in shown {
        lines.extend(heading(one, &mut last));
        lines.push(step(one));
    }
    rays::lines(told, lines);
    for open in told["open"].as_array().into_iter().flatten() {
        lines.push(format!("  open: {}", operation(open)));
    }
}

/// Something open as people read it. What no instruction does is at no word.
pub(super) fn operation(open: &Json) -> String {
    let at = match open["word"].as_u64() {
        Some(0) | None => String::new(),
        Some(word) => format!(" at word {word}"),
    };
    format!("{}{at}", text(&open["operation"]))
}

pub(super) fn check(check: &Json, groups: &Json, lines: &mut Vec<String>) {
    if check.is_null() {
        lines.push("not compared with the GPU".to_owned());
        return;
    }
    let all = check["differences"].as_array().map_or(&[][..], Vec::as_slice);
    let ran = match (check["whole"] == true, groups.as_u64() == Some(1)) {
        (true, true) => "the one group".to_owned(),
        (true, false) => format!("all {groups} groups"),
        (false, _) => "this group alone".to_owned(),
    };
    let (written, compared) = (&check["bytes_written"], &check["bytes_compared"]);
    if check["left_out"] == true {
        lines.push("the GPU changed nothing: the predicate that is set left the call out".to_owned());
        return;
    }
    let result = match (all.is_empty(), check["equal"] == true) {
        _ if check["equal"].is_null() && check["notes"].as_array().is_some_and(|notes| !notes.is_empty()) => {
            "nothing was compared".to_owned()
        }
        _ if check["equal"].is_null() => {
            "nothing was compared, because nothing is bound for writing or written".to_owned()
        }
        (true, true) => "equal to what the GPU left".to_owned(),
        (false, true) => {
            format!("{} words differ from what the GPU left, where the API leaves the result open", all.len())
        }
        (true, false) => "equal as far as it was looked at".to_owned(),
        (false, false) => format!("{} words differ from what the GPU left", all.len()),
    };
    lines.push(format!("{ran}, {written} bytes written, {compared} compared: {result}"));
    for difference in all.iter().take(SOME) {
        let part = match &difference["subresource"] {
            Json::Null => String::new(),
            part => format!(" level {} slice {}", part["mip"], part["slice"]),
        };
        let why = match &difference["open"] {
            Json::Null if difference["written"] == true => String::new(),
            Json::Null => ", and the shader wrote nothing there".to_owned(),
            open => {
                let bounds = match (&difference["bounds"], difference["beyond"] == true) {
                    (Json::Array(both), true) => format!(", but BEYOND {} to {}", both[0], both[1]),
                    (Json::Array(both), false) => format!(", within {} to {}", both[0], both[1]),
                    (_, true) => ", but BEYOND what its last bits make".to_owned(),
                    _ if difference["unbounded"] == true => ", not bounded".to_owned(),
                    _ => String::new(),
                };
                format!(", open: {} at word {}{bounds}", text(&open["operation"]), open["word"])
            }
        };
        lines.push(format!(
            "  resource {}{part} + {}: interpreter {}, GPU {}{why}",
            difference["resource"],
            difference["offset"],
            text(&difference["expected"]),
            text(&difference["found"])
        ));
    }
    if check["whole"] == false && check["equal"] == false {
        lines.push("  other groups did not run here, and may have written there, too".to_owned());
    }
    if all.len() > SOME {
        lines.push(format!("  {} more: --json has all", all.len() - SOME));
    }
    for other in check["unfetched"].as_array().into_iter().flatten() {
        lines.push(format!(
            "  resource {} is bound for writing, and was not compared: {}",
            other["resource"],
            text(&other["error"])
        ));
    }
    for unseen in check["unseen"].as_array().into_iter().flatten() {
        lines.push(match &unseen["resource"] {
            Json::Null => format!("  not compared: {}", text(&unseen["error"])),
            resource => format!("  resource {resource} could not be looked at: {}", text(&unseen["error"])),
        });
    }
}

/// A fault as people read it: with the instruction.
pub(crate) fn fault(module: &Module, fault: &Fault) -> String {
    let at = match fault {
        Fault::Malformed { offset, .. }
        | Fault::Unsupported { offset, .. }
        | Fault::Resource { offset, .. }
        | Fault::Barrier { offset } => module.instruction(*offset),
        Fault::Budget { .. } => None,
    };
    match at {
        Some(instruction) => format!("{fault}: {}", module.line(instruction)),
        None => fault.to_string(),
    }
}
