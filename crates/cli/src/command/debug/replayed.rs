//! What a replay tells of a draw's vertices.

use super::{Arguments, replay};
use crate::debug::Draw;
use crate::terminal::exit::Failure;
use reprise_replay::{LoneDraw, Mesh, MeshOf, MeshWish};

/// Several meshes of a draw, of itself or with other counts, by a replay.
pub(super) fn meshes(
    arguments: &Arguments,
    draw: &Draw,
    wishes: Vec<(MeshOf, Option<LoneDraw>)>,
) -> Result<Vec<Result<Mesh, String>>, Failure> {
    let mut options = arguments.runtime.options()?;
    let shader = &draw.shader;
    let (call, submission, view) = (shader.seen, Some(shader.submission), draw.asked_view());
    let count = wishes.len();
    let wish = |(of, lone)| MeshWish { call, submission, of, view, lone };
    options.meshes = wishes.into_iter().map(wish).collect();
    let mut report = replay::play_quietly(&arguments.source, options)?;
    replay::sound(&report, &arguments.source)?;
    report.meshes.resize_with(count, || Err("the replay did not show it".to_owned()));
    Ok(report.meshes)
}
