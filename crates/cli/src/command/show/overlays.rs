//! `reprise show --overlay`: what overlays need from replays, and what they say.

use super::{Arguments, print};
use crate::command::replay;
use crate::overlay::{Evidence, Found, Kind, Rectangles, colours_of, in_words, layers_of, told};
use crate::shown::wish::Wish;
use crate::shown::{is_file, is_folder};
use crate::terminal::exit::{self, Ended, Failure};
use crate::terminal::output::Output;
use reprise_replay::{Mesh, MeshOf, MeshWish, Overlay, OverlayWish, Shot, ShotContents, ShotOf};
use reprise_timeline::index::{Cache, Index};
use reprise_view::state::{self, Report};
use serde_json::{Value as Json, json};
use std::collections::HashMap;
use std::path::PathBuf;

/// What draws reach, by number of the wish.
type Layers = HashMap<(usize, Kind), Result<Overlay, String>>;
/// What a replay showed, by what was asked for.
type Shots = HashMap<Shot, Result<ShotContents, String>>;

/// The pictures that are to be written.
pub(super) fn files(arguments: &Arguments, wishes: &[Wish]) -> Vec<PathBuf> {
    let several = wishes.len() * arguments.overlay.len() > 1;
    let all = wishes.iter().flat_map(|wish| arguments.overlay.iter().map(move |kind| (wish, *kind)));
    all.filter_map(|(wish, kind)| file(arguments, wish, kind, several)).collect()
}

pub(super) fn run(arguments: &Arguments, wishes: &[Wish]) -> Ended {
    let kinds = &arguments.overlay;
    let several = wishes.len() * kinds.len() > 1;
    if let Some(path) = arguments.output.as_ref().filter(|path| several && is_file(path)) {
        let what = format!(
            "{}: {} are asked for: name a folder, with / at its end",
            path.display(),
            wishes.len() * kinds.len()
        );
        return Err(Failure::message(exit::USAGE, what));
    }
    let mut wanted: Vec<Shot> = wishes.iter().map(|wish| wish.shot.clone()).collect();
    if kinds.iter().any(|kind| kind.needs_before()) {
        wanted.extend(wishes.iter().map(before));
    }
    let mut shots = Shots::new();
    let asked = wanted.clone();
    let report = replay::shoot(&arguments.source, &arguments.runtime, wanted, |number, shown| {
        if let Some(shot) = asked.get(number) {
            shots.insert(shot.clone(), shown);
        }
    })?;
    let mut layers = layers(arguments, wishes)?;
    let meshes = meshes(arguments, wishes)?;
    let mut output = Output::new();
    let mut failed = false;
    let mut states = HashMap::new();
    for (request, wish) in wishes.iter().enumerate() {
        for kind in kinds {
            if kind.needs_state() && !states.contains_key(&wish.shot.call) {
                states.insert(wish.shot.call, rectangles(arguments, wish.shot.call)?);
            }
            let drawn = layers.remove(&(request, *kind));
            let mesh = meshes.get(&request).filter(|_| kind.needs_mesh());
            let mesh = mesh.map(|mesh| mesh.as_ref().map_err(Clone::clone));
            let rectangles = states.get(&wish.shot.call).cloned();
            let said = drawn.transpose().and_then(|overlay| {
                let found = Found { rectangles, overlay, mesh: mesh.transpose()? };
                say(arguments, (wish, *kind), (&shots, found), several)
            });
            failed |= said.is_err();
            let named = |said: Result<Json, String>| match (said, arguments.json) {
                // A script knows by it what failed.
                (Err(error), true) => Ok(json!({
                    "call": wish.shot.call, "what": wish.shot.of.to_string(), "overlay": kind.to_string(), "error": error,
                })),
                (Err(error), false) => Err(format!("overlay {kind}: {error}")),
                (said, _) => said,
            };
            print(arguments, &mut output, (request, wish), named(said), in_words)?;
        }
    }
    replay::sound(&report, &arguments.source)?;
    Ok(match (failed, arguments.adapter.is_wrong()) {
        (true, _) => exit::FAILED,
        (false, true) => exit::VALIDATION,
        (false, false) => 0,
    })
}

fn before(wish: &Wish) -> Shot {
    Shot { before: true, ..wish.shot.clone() }
}

fn say(
    arguments: &Arguments,
    (wish, kind): (&Wish, Kind),
    (shots, found): (&Shots, Found<'_>),
    several: bool,
) -> Result<Json, String> {
    let shot = |shot: &Shot| match shots.get(shot) {
        Some(shown) => shown.as_ref().map_err(Clone::clone),
        None => Err("the replay did not come there".to_owned()),
    };
    let after = shot(&wish.shot)?;
    let earlier = if kind.needs_before() { Some(shot(&before(wish))?) } else { None };
    let say = move || {
        let evidence = Evidence::new(&wish.look, after, earlier, found)?;
        told(wish, kind, &evidence, after, file(arguments, wish, kind, several).as_deref())
    };
    say().map_err(|error| format!("{error:#}"))
}

/// What draws reach with some of their tests, for the kinds that are made of that, by number of the wish; in a replay of its own.
fn layers(arguments: &Arguments, wishes: &[Wish]) -> Result<Layers, Failure> {
    let mut found = HashMap::new();
    let (mut asked, mut places) = (Vec::new(), Vec::new());
    for (request, wish) in wishes.iter().enumerate() {
        for kind in &arguments.overlay {
            let layers = layers_of(*kind);
            if layers.is_empty() {
                continue;
            }
            let slot = match wish.shot.of {
                ShotOf::Target { slot, .. } => Some(slot),
                ShotOf::Depth { .. } => None,
                _ => {
                    let reason = "of a draw: name --target, --depth or --stencil".to_owned();
                    found.insert((request, *kind), Err(reason));
                    continue;
                }
            };
            let colours = colours_of(*kind).filter(|_| slot.is_some());
            let (call, submission) = (wish.shot.call, wish.shot.submission);
            asked.push(OverlayWish { call, submission, slot, layers, colours });
            places.push((request, *kind));
        }
    }
    if !asked.is_empty() {
        let mut options = arguments.runtime.options()?;
        options.overlays = asked;
        let mut report = replay::play_quietly(&arguments.source, options)?;
        found.extend(places.into_iter().zip(std::mem::take(&mut report.overlays)));
        replay::sound(&report, &arguments.source)?;
    }
    Ok(found)
}

/// The vertices of draws, for the kinds that are made of them, by number of the wish; in a replay of its own.
fn meshes(arguments: &Arguments, wishes: &[Wish]) -> Result<HashMap<usize, Result<Mesh, String>>, Failure> {
    if !arguments.overlay.iter().any(|kind| kind.needs_mesh()) {
        return Ok(HashMap::new());
    }
    let mut options = arguments.runtime.options()?;
    let wish = |wish: &Wish| MeshWish {
        call: wish.shot.call,
        submission: wish.shot.submission,
        of: MeshOf::Rasteriser,
        view: None,
        lone: None,
    };
    options.meshes = wishes.iter().map(wish).collect();
    let mut report = replay::play_quietly(&arguments.source, options)?;
    let meshes = std::mem::take(&mut report.meshes);
    replay::sound(&report, &arguments.source)?;
    Ok(meshes.into_iter().enumerate().collect())
}

/// Where the picture goes.
fn file(arguments: &Arguments, wish: &Wish, kind: Kind, several: bool) -> Option<PathBuf> {
    let name = format!("{}_{}.png", wish.name(), kind.file_name());
    match &arguments.output {
        Some(path) if !several && !is_folder(path) => Some(path.clone()),
        Some(folder) => Some(folder.join(name)),
        None if arguments.json => None,
        None => Some(name.into()),
    }
}

/// Wishes of a target are of the depth buffer where the draw has no target.
pub(super) fn place(arguments: &Arguments, wishes: &mut [Wish]) -> Result<(), Failure> {
    for wish in wishes {
        let has_depth_alone = state_at(arguments, wish.shot.call, |report| {
            let output = report.bound?.output?;
            Some(output.targets.is_none_or(|set| set.value.is_empty()) && output.depth.is_some())
        })?;
        if let ShotOf::Target { slice, sample, .. } = wish.shot.of
            && has_depth_alone == Ok(true)
        {
            wish.shot.of = ShotOf::Depth { stencil: false, slice, sample };
        }
    }
    Ok(())
}

/// The viewports and scissors that are set at a call.
fn rectangles(arguments: &Arguments, call: u64) -> Result<Result<Rectangles, String>, Failure> {
    state_at(arguments, call, |report| {
        let output = report.bound?.output?;
        Some(Rectangles {
            viewports: output.viewports.map(|set| set.value).unwrap_or_default(),
            scissors: output.scissors.map(|set| set.value).unwrap_or_default(),
        })
    })
}

/// Something of what is bound at a draw.
fn state_at<T>(
    arguments: &Arguments,
    call: u64,
    of: impl FnOnce(Report) -> Option<T>,
) -> Result<Result<T, String>, Failure> {
    let trace = arguments.source.open()?;
    let mut quiet = |_: u64| {};
    let mut index = match Index::open(&trace, Cache::user(), &mut quiet) {
        Ok(index) => index,
        Err(error) => return Ok(Err(error.to_string())),
    };
    let report = state::report(&trace, &mut index, call, None, &mut quiet).map_err(|refused| refused.to_string());
    Ok(report.and_then(|report| {
        let method = report.call.method.clone();
        of(report).ok_or_else(|| format!("{method} draws nothing: nothing of a draw is bound there"))
    }))
}
