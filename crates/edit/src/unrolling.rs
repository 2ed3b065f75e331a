//! Bundles that are unrolled: the commands of one stand in the list in the place of the call that runs it.
//!
//! Tools that copy, count or draw beside a single command cannot do that within a bundle, and can beside the commands of a list.

use crate::editor::{Draft, Editor};
use crate::error::{Error, refused};
use crate::known::{Here, fits};
use crate::language::Edit;
use crate::masks::MASK;
use crate::plan::New;
use reprise_codec::Value;
use reprise_codec::literal::Literal;
use reprise_d3d12::method;
use reprise_d3d12::model::{Method, MethodId, Order};
use reprise_timeline::state::lists::RESET;
use reprise_trace::read::Event;

/// What sets the pipeline state that a bundle begins with.
const SET: MethodId = method("ID3D12GraphicsCommandList", "SetPipelineState");

/// A call that runs a bundle is to be unrolled: once all edits of it are known.
pub(crate) fn unroll(
    editor: &mut Editor<'_, '_>,
    edit: &Edit,
    index: usize,
    draft: &mut Draft<'_>,
    method: &Method,
) -> Result<(), Error> {
    let event = draft.event;
    let wrong = |what: &str| refused(edit, event.number, what);
    if method.name != "ExecuteBundle" {
        return Err(wrong(&format!("{} runs no bundle: only ExecuteBundle can be unrolled", method.name)));
    }
    if editor.plan.dropped.contains(&event.number) {
        return Err(wrong("another edit drops or unrolls the call already"));
    }
    draft.unrolled_by = Some(index);
    editor.hits[index] += 1;
    editor.plan.dropped.insert(event.number);
    editor.bundles.unrolled.insert(event.number);
    editor.dropping.note(event.number, index, &[]);
    Ok(())
}

/// Puts the commands of a bundle where a list runs it, as all edits leave them: right before the call, behind all that is inserted before it.
pub(crate) fn put(editor: &mut Editor<'_, '_>, index: usize, event: &Event<'_>) -> Result<(), Error> {
    let edit = &editor.edits[index];
    let wrong = |what: String| refused(edit, event.number, what);
    let arguments = editor.codec.decode_enter(MethodId(event.method), event.payload);
    let arguments = arguments.map_err(|error| Error::Trace(format!("call {}: {error}", event.number)))?;
    let named = arguments.members.iter().find_map(|member| match member.value {
        Value::Object(id, _) => Some(id),
        _ => None,
    });
    let id = named.filter(|id| *id != 0).ok_or_else(|| wrong("it runs no bundle".into()))?;
    let closed = editor.state.lists.get(id).filter(|list| list.is_bundle());
    let closed = closed.ok_or_else(|| wrong(format!("the trace does not have bundle {id}")))?;
    let mut all = Vec::new();
    let composed = |method: MethodId, word: u32| {
        let mut here = Here::new(&editor.state, 1);
        let enter = editor.codec.compose(method, &[Literal::Word(word.to_string())], &mut here).map_err(wrong)?;
        Ok::<New, Error>(New { method, object: event.object, enter, blobs: Vec::new(), by: index })
    };
    // A bundle inherits no mask of view instances: it begins with none, and the list has its own again.
    let mask = editor.masks.before(editor.codec, &editor.state, &editor.bundles, &editor.plan, event);
    if mask != 0 {
        all.push(composed(MASK, 0)?);
    }
    if let Some(bundle) = editor.bundles.of(id, closed.begun) {
        if let Some(pipeline) = initial(editor, id, closed.begun).unwrap_or(bundle.pipeline) {
            all.push(composed(SET, pipeline)?);
        }
        all.extend(bundle.planned(&editor.plan));
    }
    if mask != 0 && all.iter().filter(|new| new.method == MASK).count() == 1 {
        all.push(composed(MASK, mask)?);
    }
    let class = editor.state.objects.get(event.object).map(|object| object.interface());
    for new in &mut all {
        let method = new.method.get();
        if method.order == Order::EnterLeave {
            return Err(wrong(format!("{} of bundle {id} gives something back: it cannot be unrolled", method.name)));
        }
        if let (Some(class), Some(of)) = (class, method.interface)
            && !fits(class, of)
        {
            return Err(wrong(format!("list {} is {}, which has no {}", event.object, class.get().name, method.name)));
        }
        (new.object, new.by) = (event.object, index);
    }
    for new in &all {
        let call = format!("the bundle that call {} runs", event.number);
        editor.used((new.method, new.object), &new.enter, &call, &[])?;
    }
    editor.plan.before.entry(event.number).or_default().extend(all);
    Ok(())
}

/// The pipeline state with which a recording begins, where an edit changes the call that begins it.
fn initial(editor: &Editor<'_, '_>, id: u32, begun: u64) -> Option<Option<u32>> {
    let changed = editor.plan.changed.get(&begun)?;
    let made = editor.survey.made.get(&id).filter(|made| made.call == begun);
    let arguments = editor.codec.decode_enter(made.map_or(RESET, |made| made.method), &changed.enter).ok()?;
    let state = arguments.members.iter().find(|member| member.field.name == "pInitialState")?;
    let Value::Object(pipeline, _) = state.value else { return Some(None) };
    Some((pipeline != 0).then_some(pipeline))
}
