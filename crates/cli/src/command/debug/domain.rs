//! `reprise debug --stage domain`.

use super::draw::{Found, Job};
use super::patches::{At, Tessellated, Untold};
use crate::debug::outputs::Compared;
use crate::debug::patch::{self, Location};
use crate::debug::{Store, vertex};
use crate::terminal::exit::Failure;
use reprise_interpreter::{Lean, Left, Words};
use reprise_replay::MeshOf;
use serde_json::json;

/// What of a patch the domain shader runs for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// One of the vertices that the GPU makes.
    Vertex(u32),
    Location(Location),
}

/// Runs the domain shader at a place, and says whether something is wrong.
pub(super) fn run(job: &Job<'_>, at: At, place: Place) -> Result<bool, Failure> {
    let Job { arguments, draw, .. } = job;
    job.refuse_waves(job.earlier()?)?;
    job.has_patch(at)?;
    let is_told = !arguments.no_check || matches!(place, Place::Vertex(_));
    let told = if is_told { Some(job.tessellated(at, &[MeshOf::DomainShader])?) } else { None };
    let count = told.as_ref().and_then(|told| told.as_ref().ok()).map(|told| told.locations.len());
    // The GPU's vertex, and where it lies.
    let (number, location) = match (place, &told) {
        (Place::Vertex(number), Some(Ok(told))) => match told.locations.get(number as usize) {
            Some(location) => (Some(number), *location),
            None if told.locations.is_empty() => {
                let what =
                    "the GPU makes no vertices of the patch: --location U,V runs the shader at a place all the same";
                return Err(job.asked(what));
            }
            None => {
                let what = format!("there is no point {number}: the GPU makes {} of the patch", told.locations.len());
                return Err(job.asked(what));
            }
        },
        (Place::Vertex(_), told) => {
            let why = told.as_ref().and_then(|told| told.as_ref().err()).map_or("nothing is told", Untold::say);
            let what = format!("where its points lie the GPU does not tell ({why}): name a place by --location U,V");
            return Err(job.failed(what));
        }
        (Place::Location(asked), Some(Ok(told))) => match patch::nearest(&told.locations, asked) {
            Some((number, location)) => (Some(number), location),
            None => (None, patch::completed(asked, job.is_of_triangles())),
        },
        (Place::Location(asked), _) => (None, patch::completed(asked, job.is_of_triangles())),
    };
    let mut store = Store::new(&draw.shader);
    store.disturbed = arguments.disturbed;
    let mut run = |lean: Lean| {
        job.whole(&mut store, lean, |store, opens| {
            let Some(patch) = job.patch(at, store, opens)? else { return Ok(None) };
            job.placed((at, &patch), (job.module, true), location, store, opens).map(Some)
        })
    };
    let (made, opens) = run(Lean::Nearest)?;
    let mut asides = Vec::new();
    if !arguments.no_check && !opens.all().is_empty() {
        for lean in Lean::ASIDE {
            asides.push(run(lean)?.0.gave.words);
        }
    }
    let compared = match told.filter(|_| !arguments.no_check) {
        None => None,
        Some(Err(untold)) => Some(untold.compared()),
        Some(Ok(told)) => Some(against_vertex(job, &told, number, (&made.gave, &asides))),
    };
    let about = json!({
        "primitive": at.number,
        "instance": at.instance,
        "point": number,
        "points": count,
        "location": location.json(),
        "view": draw.asked_view(),
    });
    let found = Found { ran: made.ran, left: vec![made.gave], opens };
    job.tell(&mut store, &found, 0, about, compared.as_ref())
}

/// What the domain shader gave against the GPU's vertex there.
fn against_vertex(
    job: &Job<'_>,
    told: &Tessellated,
    number: Option<u32>,
    (left, asides): (&Left, &[Words]),
) -> Compared {
    let mut compared = Compared::default();
    let number = match number {
        Some(number) => u64::from(number),
        None => {
            let what = format!("the GPU has no vertex at this place: it makes {} of the patch", told.locations.len());
            compared.unseen.push(what);
            return compared;
        }
    };
    match told.meshes.first() {
        Some(Ok(mesh)) => {
            let rows = vertex::placed(&job.draw.outputs);
            let asides: Vec<&Words> = asides.iter().collect();
            vertex::put(&mut compared, (&rows, ""), (&left.words, &asides), (mesh, told.begin + number));
        }
        Some(Err(why)) => compared.unseen.push(why.clone()),
        None => compared.unseen.push("the replay did not show it".to_owned()),
    }
    compared
}
