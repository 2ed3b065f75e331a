//! `reprise`: what it is asked of a call, and what it says.

use super::calls;
use super::kind::{Item, Kind};
use super::verdict::{Ran, Verdict};
use anyhow::{Context, Result, ensure};
use reprise_testing::program;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

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
        calls::methods().for_each(|method| {
            command.args(["--methods", method]);
        });
        let finished = program::run_quietly(command.arg(trace), self.patience)?;
        // What is damaged is read as far as that goes.
        ensure!(matches!(finished.status.code(), Some(0 | 3)), "{}: {}", trace.display(), finished.errors());
        Ok(calls::chosen(trace, &finished.text(), most))
    }

    /// Runs `reprise debug`.
    fn debug(&self, item: &Item, asked: &[String], disturbed: bool) -> Result<Ran> {
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
    fn asked(&self, item: &Item) -> Result<Vec<Vec<String>>> {
        let one = |words: &[&str]| vec![words.iter().map(|word| (*word).to_owned()).collect()];
        Ok(match item.kind {
            Kind::Compute | Kind::Rays => one(&["--thread=0,0,0"]),
            Kind::Vertex => one(&["--vertex=0"]),
            Kind::Hull => one(&["--stage=hull", "--primitive=0"]),
            // A patch may be dropped.
            Kind::Domain => ["0", "1", "2"].into_iter().flat_map(domain).collect(),
            Kind::Geometry => one(&["--stage=geometry", "--primitive=0"]),
            Kind::Mesh => one(&["--thread=0,0,0", "--stage=mesh"]),
            Kind::Amplification => one(&["--thread=0,0,0", "--stage=amplification"]),
            Kind::Pixel => self.pixels(item)?.into_iter().map(|pixel| vec![pixel]).collect(),
        })
    }

    /// What a command prints as JSON; null where it fails.
    fn json(&self, arguments: &[&str]) -> Result<Value> {
        let mut command = self.command();
        command.args(arguments);
        let finished = program::run_quietly(&mut command, self.patience)?;
        Ok(serde_json::from_str(&finished.text()).unwrap_or(Value::Null))
    }

    /// Pixels that the draw may have fragments at: one where its vertices are not known.
    fn pixels(&self, item: &Item) -> Result<Vec<String>> {
        let call = item.call.to_string();
        let trace = item.trace.to_str().context("the trace's name is no UTF-8")?;
        let state = self.json(&["state", trace, &call, "--json"])?;
        let extent = match item.of_meshes {
            true => of_group(&self.json(&["debug", trace, &call, "--thread=0,0,0", "--no-check", "--json"])?),
            false => of_mesh(&self.json(&["mesh", trace, "--call", &call, "--json"])?),
        };
        let viewport = &state["bound"]["output"]["viewports"]["value"][0];
        let (Some([least, greatest]), true) = (extent, viewport.is_array()) else {
            // What it is refused for is told all the same.
            return Ok(vec!["--pixel=0,0".to_owned()]);
        };
        let along = |share: f64, axis: usize| {
            let (least, greatest) = (least[axis].max(-1.0), greatest[axis].min(1.0));
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
        let mut found = Ran { shaders: Vec::new(), verdict: Verdict::Absent, opens: false };
        for asked in self.asked(item)? {
            found = self.debug(item, &asked, false)?;
            if found.verdict == Verdict::Absent {
                continue;
            }
            let is_controlled = control && matches!(found.verdict, Verdict::Equal | Verdict::Open(_));
            let other = if is_controlled { Some(self.debug(item, &asked, true)?) } else { None };
            return Ok((found, other));
        }
        Ok((found, None))
    }
}

/// A vertex that a patch is divided into: the second, which does not lie in a corner of each patch.
fn domain(patch: &str) -> Vec<Vec<String>> {
    let asked =
        |point: &str| vec!["--stage=domain".to_owned(), format!("--primitive={patch}"), format!("--point={point}")];
    vec![asked("1"), asked("0")]
}

fn number(of: &Value) -> f64 {
    of.as_f64().unwrap_or(0.0)
}

/// The least and the greatest place of a draw's vertices, behind the division by `w`.
type Extent = [[f64; 2]; 2];

/// By what `reprise mesh` says.
fn of_mesh(mesh: &Value) -> Option<Extent> {
    let both = |of: &Value| of.is_array().then(|| [0, 1].map(|axis| number(&of[axis])));
    Some([both(&mesh["least"])?, both(&mesh["greatest"])?])
}

/// By what the group of a mesh shader gives, as `reprise debug` says.
fn of_group(told: &Value) -> Option<Extent> {
    let vertices = told["gives"]["vertices"].as_array()?;
    let place = |vertex: &Value| {
        let position = &vertex["SV_Position0"];
        let w = number(&position[3]);
        (w > 0.0).then(|| [0, 1].map(|axis| number(&position[axis]) / w))
    };
    let places = vertices.iter().filter_map(place);
    places.fold(None, |extent: Option<Extent>, place| {
        let [mut least, mut greatest] = extent.unwrap_or([place; 2]);
        for axis in 0..2 {
            (least[axis], greatest[axis]) = (least[axis].min(place[axis]), greatest[axis].max(place[axis]));
        }
        Some([least, greatest])
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn pixels_are_tried_where_the_group_draws() {
        let told = json!({ "gives": { "vertices": [
            { "SV_Position0": [-1.0, 4.0, 0.0, 2.0] },
            { "SV_Position0": [3.0, -1.0, 0.0, 1.0] },
            // Behind the eye.
            { "SV_Position0": [9.0, 9.0, 0.0, -1.0] },
        ] } });
        assert_eq!(of_group(&told), Some([[-0.5, -1.0], [3.0, 2.0]]));
        assert_eq!(of_group(&json!({ "gives": { "vertices": [] } })), None);
        assert_eq!(of_mesh(&json!({ "least": [0, 1, 0], "greatest": [2, 3, 0] })), Some([[0.0, 1.0], [2.0, 3.0]]));
        assert_eq!(of_mesh(&Value::Null), None);
    }
}
