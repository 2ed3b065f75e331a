//! What the shaders before the one that is looked at make of a primitive's vertices, and what that one is given of them.

use super::before::Before;
use super::draw::Draw;
use super::store::Store;
use super::told;
use super::vertex::Vertex;
use reprise_interpreter::{BuiltIn, Given, Opens, Port, Task, Words, run_lanes};

/// What the vertex shader makes of these places of an instance. `None` where contents are not here, which is noted.
///
/// # Errors
/// In words: what goes in is not known, or the shader ends early.
pub(crate) fn vertices(
    before: &Before,
    draw: &Draw,
    (places, instance, budget): (&[u32], u32, u64),
    store: &mut Store<'_>,
    opens: &mut Opens,
) -> Result<Option<Vec<Words>>, String> {
    let (mut all, mut is_whole) = (Vec::new(), true);
    for at in places {
        let vertex = Vertex { at: *at, instance };
        let given = vertex.given(draw, (&before.vertex, &before.inputs), store, opens)?;
        let Some(given) = given else {
            is_whole = false;
            continue;
        };
        let task = Task { wave: 1, alone: true, budget, ..Task::default() };
        let ran = run_lanes(&before.vertex, task, &[given], store, opens);
        let (_, left) = ran.map_err(|fault| format!("its vertex shader: {}", told::fault(&before.vertex, &fault)))?;
        all.extend(left.into_iter().next().map(|left| left.words));
    }
    Ok(is_whole.then_some(all))
}

/// What a primitive's shader is given: its vertices, and what the API has names for.
pub(crate) fn given(draw: &Draw, vertices: Vec<Words>, named: &[(BuiltIn, u32)]) -> Given {
    let mut given = Given { vertices, ..Given::default() };
    let view = [(BuiltIn::ViewIndex, draw.view)];
    for (built_in, value) in named.iter().chain(&view) {
        given.words.insert(Port::BuiltIn(*built_in as u32, 0), (u64::from(*value), 0));
    }
    given
}
