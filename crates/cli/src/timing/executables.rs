//! What the driver made of shaders, for people and as JSON.

use crate::timing::shaders::Shaders;
use reprise_times::{Executable, Pipeline, Silence, Statistic};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

/// By the ids of pipeline states and state objects.
pub(crate) type Executables = BTreeMap<u32, Vec<Executable>>;

/// A line for each executable below one for its pipeline; what is 0 is left out, but for what is all there is.
pub(crate) fn lines(executables: &Executables, silence: Option<Silence>, shaders: &Shaders) -> Vec<String> {
    if executables.is_empty() {
        let why = match silence {
            Some(Silence::Driver) => "the driver lacks VK_KHR_pipeline_executable_properties",
            Some(Silence::Library) => "the runtime is not ours, and does not tell: --runtime ours does",
            None => "no pipeline of these frames has any",
        };
        return vec![String::new(), format!("no shaders are told: {why}")];
    }
    let mut lines = vec![String::new(), "what the driver made of shaders".to_owned()];
    for (id, all) in executables {
        let made = shaders.of_pipeline(Pipeline::State(*id)).iter();
        let made: Vec<String> = made.map(|(stage, hash)| format!("{stage} {hash}")).collect();
        lines.push(format!("  pipeline {id}: {}", made.join(", ")));
        lines.extend(all.iter().map(|one| format!("    {}", in_words(one))));
    }
    lines
}

fn in_words(one: &Executable) -> String {
    let lanes = if one.lanes == 0 { String::new() } else { format!(", waves of {}", one.lanes) };
    let stages = if one.stages.is_empty() { one.name.clone() } else { one.stages.join(" and ") };
    let told = |all: bool| one.statistics.iter().filter(move |row| all || row.value != 0.0);
    let rows: Vec<String> =
        told(told(false).next().is_none()).map(|row| format!("{} {}", row.name, number(row.value))).collect();
    let rows = if rows.is_empty() { "the driver gives no numbers".to_owned() } else { rows.join(", ") };
    format!("{stages}{lanes}: {rows}")
}

fn number(value: f64) -> String {
    if value.fract() == 0.0 { format!("{value:.0}") } else { format!("{value:.3}") }
}

/// An element for each executable.
pub(crate) fn json(executables: &Executables) -> Json {
    let row = |row: &Statistic| json!({ "name": row.name, "about": row.about, "value": row.value });
    let one = |id: &u32, one: &Executable| {
        json!({
            "pipeline": id, "name": one.name, "stages": one.stages, "lanes": one.lanes,
            "statistics": one.statistics.iter().map(row).collect::<Json>(),
        })
    };
    executables.iter().flat_map(|(id, all)| all.iter().map(move |it| one(id, it))).collect()
}
