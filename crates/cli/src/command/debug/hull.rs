//! `reprise debug --stage hull`.

use super::draw::{Found, Job};
use super::patches::{At, Tessellated};
use crate::debug::outputs::{self, Compared, Numeral};
use crate::debug::{Store, patch, vertex};
use crate::terminal::exit::Failure;
use reprise_interpreter::{Lean, Left, Patch, Words};
use reprise_replay::{MeshOf, PatchPart};
use serde_json::json;

/// Runs the hull shader: for a point that the patch gets, or for what the patch has itself; and says whether something is wrong.
pub(super) fn run(job: &Job<'_>, at: At, point: Option<u32>) -> Result<bool, Failure> {
    let Job { arguments, draw, module } = job;
    job.refuse_waves(job.earlier()?)?;
    job.has_patch(at)?;
    if let Some(point) = point.filter(|point| *point >= module.points()) {
        return Err(job.asked(format!("there is no point {point}: the hull shader gives {}", module.points())));
    }
    let mut store = Store::new(&draw.shader);
    store.disturbed = arguments.disturbed;
    let watched = point.unwrap_or(0);
    let mut run =
        |lean: Lean| job.whole(&mut store, lean, |store, opens| job.hulled(at, (module, Some(watched)), store, opens));
    let (mut made, opens) = run(Lean::Nearest)?;
    let mut asides = Vec::new();
    if !arguments.no_check && !opens.all().is_empty() {
        for lean in Lean::ASIDE {
            asides.push(run(lean)?.0.gave);
        }
    }
    // Points come first.
    let behind = made.ran.steps.iter().position(|step| module.begins_constants(step.offset));
    let behind = behind.unwrap_or(made.ran.steps.len());
    match point {
        Some(_) => made.ran.steps.truncate(behind),
        None => drop(made.ran.steps.drain(..behind)),
    }
    let (rows, own, beside) = match point {
        Some(point) => {
            let of = |patch: &Patch| patch.points.get(point as usize).cloned().unwrap_or_default();
            let own = of(&made.gave);
            (patch::of_points(&draw.outputs, &own), own, asides.iter().map(of).collect::<Vec<Words>>())
        }
        None => {
            let rows = patch::placed(&draw.constants, draw.shader.command().compiled.patch_location_offset);
            let beside = asides.iter().map(|patch| patch.constants.clone()).collect();
            (rows, made.gave.constants.clone(), beside)
        }
    };
    let compared = match arguments.no_check {
        true => None,
        false => {
            let part = point.map_or(PatchPart::Constants, PatchPart::Point);
            Some(match job.tessellated(at, &[MeshOf::Patches(part)])? {
                Err(untold) => untold.compared(),
                Ok(told) => {
                    let mut compared = dropped(job, (&made.gave, &asides), &told);
                    match told.meshes.first() {
                        // There is nothing to see, which is told.
                        _ if told.locations.is_empty() => {}
                        Some(Ok(mesh)) => {
                            let beside: Vec<&Words> = beside.iter().collect();
                            vertex::put(&mut compared, (&rows, ""), (&own, &beside), (mesh, told.begin));
                        }
                        Some(Err(why)) => compared.unseen.push(why.clone()),
                        None => compared.unseen.push("the replay did not show it".to_owned()),
                    }
                    compared
                }
            })
        }
    };
    let about = json!({
        "primitive": at.number,
        "instance": at.instance,
        "point": point,
        "phase": if point.is_some() { "points" } else { "constants" },
        "gives": patch::json(&rows, &own),
        "view": draw.asked_view(),
    });
    let found = Found { ran: made.ran, left: vec![Left::default()], opens };
    job.tell(&mut store, &found, watched, about, compared.as_ref())
}

/// Whether the patch is dropped, against whether the GPU drops it.
fn dropped(job: &Job<'_>, (own, asides): (&Patch, &[Patch]), told: &Tessellated) -> Compared {
    let mut compared = Compared::default();
    let is_dropped = |patch: &Patch| patch::is_dropped(&patch.constants, &job.draw.constants);
    let (dropped, open) = is_dropped(own);
    let beside: Vec<u64> = asides.iter().map(|it| is_dropped(it).0.into()).collect();
    let found = u32::from(told.locations.is_empty());
    let name = "dropped".to_owned();
    compared.outputs.push(outputs::words(name, Numeral::Unsigned, (dropped.into(), open), &beside, found));
    if told.locations.is_empty() {
        let what = "the GPU drops the patch, so that no domain shader shows what else the hull shader gives";
        compared.notes.push(what.to_owned());
    }
    compared
}
