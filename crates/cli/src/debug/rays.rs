//! The rays of a thread as JSON, and as lines for people.

use super::words::text;
use reprise_interpreter::{RayHit, TracedRay};
use serde_json::{Value as Json, json};

/// Rays that are listed in text.
const SOME: usize = 32;
/// Flags of rays, by their bits, as HLSL has them behind `RAY_FLAG_`.
const FLAGS: [&str; 11] = [
    "FORCE_OPAQUE",
    "FORCE_NON_OPAQUE",
    "ACCEPT_FIRST_HIT_AND_END_SEARCH",
    "SKIP_CLOSEST_HIT_SHADER",
    "CULL_BACK_FACING_TRIANGLES",
    "CULL_FRONT_FACING_TRIANGLES",
    "CULL_OPAQUE",
    "CULL_NON_OPAQUE",
    "SKIP_TRIANGLES",
    "SKIP_PROCEDURAL_PRIMITIVES",
    "FORCE_OMM_2_STATE",
];

/// Flags by their names.
fn flags(bits: u32) -> String {
    let known = FLAGS.iter().enumerate().filter(|(bit, _)| bits >> bit & 1 != 0).map(|(_, name)| (*name).to_owned());
    let rest = bits >> FLAGS.len() << FLAGS.len();
    known.chain((rest != 0).then(|| format!("{rest:#x}"))).collect::<Vec<_>>().join("|")
}

/// A ray. Distances that are not finite are words: JSON has no number for them.
pub(crate) fn json(ray: &TracedRay) -> Json {
    let number = |of: f32| if of.is_finite() { json!(of) } else { json!(format!("{of}")) };
    let three = |of: [f32; 3]| of.iter().map(|it| number(*it)).collect::<Json>();
    let hit = |hit: &RayHit| {
        json!({
            "kind": if hit.triangle { "triangle" } else { "box" },
            "instance": hit.instance,
            "id": hit.id,
            "geometry": hit.geometry,
            "primitive": hit.primitive,
            "distance": hit.distance,
            "barycentrics": hit.barycentrics,
            "front": hit.triangle.then_some(hit.front),
            "hit_group": hit.record,
        })
    };
    json!({
        "word": ray.offset,
        "depth": ray.depth,
        "structure": format!("{:#x}", ray.structure),
        "origin": three(ray.origin),
        "direction": three(ray.direction),
        "least": number(ray.least),
        "greatest": number(ray.greatest),
        "flags": flags(ray.flags),
        "mask": ray.mask,
        "candidates": ray.candidates,
        "hit": ray.hit.as_ref().map(hit),
        "record": ray.record.map(|(table, index)| json!({ "table": table, "index": index })),
        "shader": ray.shader,
        "open": ray.open,
    })
}

/// The rays of a JSON object, in lines.
pub(crate) fn lines(told: &Json, lines: &mut Vec<String>) {
    let all = told["rays"].as_array().map_or(&[][..], Vec::as_slice);
    for (number, ray) in all.iter().enumerate().take(SOME) {
        lines.push(line(number, ray));
    }
    if all.len() > SOME {
        lines.push(format!("  {} more rays: --json has all", all.len() - SOME));
    }
}

fn line(number: usize, ray: &Json) -> String {
    let three = |of: &Json| format!("({}, {}, {})", text(&of[0]), text(&of[1]), text(&of[2]));
    let flags = match text(&ray["flags"]) {
        none if none.is_empty() => none,
        flags => format!(", {flags}"),
    };
    let found = match &ray["hit"] {
        Json::Null => "hits nothing".to_owned(),
        hit => format!(
            "hits {} {} of geometry {} of instance {} (id {}) at {}",
            text(&hit["kind"]),
            hit["primitive"],
            hit["geometry"],
            hit["instance"],
            hit["id"],
            hit["distance"].as_f64().unwrap_or(0.0) as f32,
        ),
    };
    let barycentrics = match &ray["hit"]["barycentrics"] {
        Json::Array(both) => {
            let part = |at: usize| both.get(at).and_then(Json::as_f64).unwrap_or(0.0) as f32;
            let side = if ray["hit"]["front"] == true { "front" } else { "back" };
            format!(", barycentrics {} {}, {side}", part(0), part(1))
        }
        _ => String::new(),
    };
    let candidates = match ray["candidates"].as_u64() {
        Some(0) | None => String::new(),
        Some(count) => format!(", {}", crate::terminal::output::plural(count, "candidate")),
    };
    let record = match (&ray["record"], &ray["shader"]) {
        (Json::Null, _) => String::new(),
        (record, shader) => {
            let shader = shader.as_str().map(|name| format!(" ({name})")).unwrap_or_default();
            format!(", {} record {}{shader}", text(&record["table"]), record["index"])
        }
    };
    let open = ray["open"].as_str().map(|open| format!(", open: {open}")).unwrap_or_default();
    format!(
        "  ray {number} at word {}: from {} along {}, {} to {}, mask {:#x}{flags}: {found}{barycentrics}{candidates}{record}{open}",
        ray["word"],
        three(&ray["origin"]),
        three(&ray["direction"]),
        text(&ray["least"]),
        text(&ray["greatest"]),
        ray["mask"].as_u64().unwrap_or(0),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_have_the_names_of_hlsl() {
        assert_eq!(flags(0), "");
        assert_eq!(flags(0x14), "ACCEPT_FIRST_HIT_AND_END_SEARCH|CULL_BACK_FACING_TRIANGLES");
        assert_eq!(flags(0x1001), "FORCE_OPAQUE|0x1000");
    }
}
