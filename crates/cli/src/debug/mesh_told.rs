//! A run of an amplification or a mesh shader as JSON, and as lines for people.

use super::check::Check;
use super::mesh::{Drawn, Meshes, Watched};
use super::outputs::Compared;
use super::outputs_told;
use super::store::Store;
use super::told::{self, Run, text};
use reprise_dxbc::signature::Element;
use reprise_interpreter::Open;
use serde_json::{Map, Value as Json, json};

/// Vertices, and primitives, that are listed in text.
const SOME: usize = 8;

/// Two comparisons: of what the shaders wrote, and of what a group of the mesh shader gave.
pub(crate) struct Checks {
    pub(crate) written: Check,
    pub(crate) given: Compared,
}

impl Checks {
    /// Whether all is equal that was compared; `None`: nothing was.
    fn equal(&self) -> Option<bool> {
        let Checks { written, given } = self;
        let is_wrong = !written.is_empty() && written.is_wrong()
            || !given.is_empty() && given.is_wrong()
            || !written.unseen.is_empty()
            || !given.unseen.is_empty();
        (!written.is_empty() || !given.is_empty()).then_some(!is_wrong)
    }

    /// Whether something differs that nothing open explains, or nothing was compared.
    pub(crate) fn is_wrong(&self) -> bool {
        self.equal() != Some(true)
    }
}

/// All of a run.
pub(crate) fn json(
    run: &Run<'_>,
    store: &mut Store<'_>,
    (meshes, drawn, watched): (&Meshes, &Drawn, Watched),
    checks: Option<&Checks>,
) -> Json {
    let mut told = run.json(store, checks.map(|checks| &checks.written));
    if let Some(checks) = checks {
        let check = &mut told["check"];
        check["equal"] = json!(checks.equal());
        check["left_out"] = json!(checks.written.left_out || checks.given.left_out);
        check["outputs"] = checks.given.outputs.iter().map(|it| outputs_told::json(run, it)).collect();
        check["notes"] = json!(checks.given.notes);
        let unseen = checks.given.unseen.iter().map(|why| json!({ "error": why }));
        if let Some(all) = check["unseen"].as_array_mut() {
            all.extend(unseen);
        }
    }
    let stage = if watched.of_amplification { "amplification" } else { "mesh" };
    told["shader"]["stage"] = json!(stage);
    told["groups"] = json!(drawn.groups);
    told["parent"] = json!(drawn.parent);
    if watched.of_amplification {
        let started = drawn.started.iter().find(|(group, _)| *group == watched.group);
        told["starts"] = started.map_or(Json::Null, |(_, started)| {
            json!({
                "groups": started.groups,
                "payload": started.payload.iter().map(|(bits, _)| format!("{bits:#x}")).collect::<Vec<_>>(),
                "open": run.open(started.open),
            })
        });
        return told;
    }
    let given = drawn.given.iter().find(|given| given.group == watched.group && given.parent == drawn.parent);
    told["gives"] = given.map_or(Json::Null, |given| {
        let open = |open: Open| run.open(open);
        let vertices = given.meshlet.vertices.iter().map(|words| values(meshes.named(words, false)));
        let primitives = given.meshlet.primitives.iter().map(|shape| {
            json!({ "corners": shape.corners, "open": open(shape.open), "values": values(meshes.named(&shape.words, true)) })
        });
        json!({
            "vertices": vertices.collect::<Vec<_>>(),
            "primitives": primitives.collect::<Vec<_>>(),
            "open": open(given.meshlet.open),
        })
    });
    told
}

/// Values by what the shader calls them.
pub(super) fn values<'w>(named: impl Iterator<Item = (&'w Element, Vec<(u64, Open)>)>) -> Json {
    let value = |(row, words): (&Element, Vec<(u64, Open)>)| {
        let number = |(bits, _): &(u64, Open)| match row.component_type {
            2 => json!(*bits as i32),
            3 => {
                let float = f32::from_bits(*bits as u32);
                if float.is_finite() { json!(float) } else { json!(float.to_string()) }
            }
            _ => json!(bits),
        };
        (format!("{}{}", row.semantic, row.index), words.iter().map(number).collect::<Json>())
    };
    Json::Object(named.map(value).collect::<Map<_, _>>())
}

/// What a JSON object of [`json`] says, in lines.
pub(crate) fn lines(told: &Json, listed: (usize, usize), is_listed: impl Fn(&Json) -> bool) -> Vec<String> {
    let stage = text(&told["shader"]["stage"]);
    let all = |of: &Json| of.as_array().into_iter().flatten().map(text).collect::<Vec<_>>().join(",");
    let started = match &told["parent"] {
        Json::Null => String::new(),
        parent => format!(" that the amplification shader's group {} starts", all(parent)),
    };
    let mut lines = vec![
        format!(
            "call {}: thread {} of the {stage} shader is lane {} of group {}, of {} groups of {} threads{started}",
            told["call"],
            all(&told["thread"]),
            told["lane"],
            all(&told["group"]),
            all(&told["groups"]),
            all(&told["threads_of_group"])
        ),
        format!("  {stage} shader {}, run by call {}", text(&told["shader"]["hash"]), told["submission"]),
    ];
    told::listing(told, listed, is_listed, &mut lines);
    if let starts @ Json::Object(_) = &told["starts"] {
        let numbers = starts["payload"].as_array().map_or(0, Vec::len);
        let groups = all(&starts["groups"]);
        lines.push(format!(
            "  the group starts {groups} groups of the mesh shader, with a payload of {numbers} numbers"
        ));
    }
    if let gives @ Json::Object(_) = &told["gives"] {
        list(gives, &mut lines);
    }
    let check = &told["check"];
    if check["bytes_compared"] != 0 || check["outputs"].as_array().is_none_or(Vec::is_empty) {
        told::check(check, &told["groups_run"], &mut lines);
    }
    if check["outputs"].as_array().is_some_and(|all| !all.is_empty()) {
        outputs_told::lines(check, &mut lines);
    }
    for note in check["notes"].as_array().into_iter().flatten() {
        lines.push(format!("  {}", text(note)));
    }
    lines
}

fn list(gives: &Json, lines: &mut Vec<String>) {
    let of = |name: &str| gives[name].as_array().map_or(&[][..], Vec::as_slice);
    let (vertices, primitives) = (of("vertices"), of("primitives"));
    lines.push(format!("  the group gives {} vertices and {} primitives", vertices.len(), primitives.len()));
    let said = |values: &Json| {
        let one = |(name, value): (&String, &Json)| {
            let parts: Vec<String> = value.as_array().into_iter().flatten().map(text).collect();
            format!("{name} ({})", parts.join(", "))
        };
        values.as_object().into_iter().flatten().map(one).collect::<Vec<_>>().join(", ")
    };
    for (number, vertex) in vertices.iter().enumerate().take(SOME) {
        lines.push(format!("    vertex {number}: {}", said(vertex)));
    }
    for (number, primitive) in primitives.iter().enumerate().take(SOME) {
        let corners: Vec<String> = primitive["corners"].as_array().into_iter().flatten().map(text).collect();
        lines.push(format!("    primitive {number}: vertices {}; {}", corners.join(" "), said(&primitive["values"])));
    }
    let more = vertices.len().saturating_sub(SOME) + primitives.len().saturating_sub(SOME);
    if more != 0 {
        lines.push(format!("    {more} more: --json has all"));
    }
}
