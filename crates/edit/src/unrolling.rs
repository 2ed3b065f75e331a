//! Bundles that are unrolled: the commands of one stand in the list in the place of the call that runs it.
//!
//! Tools that copy, count or draw beside a single command cannot do that within a bundle, and can beside the commands of a list.

use crate::editor::Editor;
use crate::error::{Error, refused};
use crate::known::{Here, fits};
use crate::language::Edit;
use crate::plan::New;
use reprise_codec::Value;
use reprise_codec::literal::Literal;
use reprise_d3d12::method;
use reprise_d3d12::model::{Method, MethodId, Order};
use reprise_trace::read::Event;

/// What sets the mask of view instances.
const MASK: MethodId = method("ID3D12GraphicsCommandList1", "SetViewInstanceMask");
/// What sets the pipeline state that a bundle begins with.
const SET: MethodId = method("ID3D12GraphicsCommandList", "SetPipelineState");

/// Puts the commands of a bundle where a list runs it: as all edits leave them.
pub(crate) fn unroll(
    editor: &mut Editor<'_, '_>,
    edit: &Edit,
    index: usize,
    event: &Event<'_>,
    method: &Method,
) -> Result<(), Error> {
    let wrong = |what: String| refused(edit, event.number, what);
    if method.name != "ExecuteBundle" {
        return Err(wrong(format!("{} runs no bundle: only ExecuteBundle can be unrolled", method.name)));
    }
    if editor.plan.dropped.contains(&event.number) {
        return Err(wrong("another edit drops or unrolls the call already".into()));
    }
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
    // A bundle inherits no mask of view instances: it begins with none, and the list has its own again.
    let list = editor.state.lists.get(event.object);
    let mask = list.and_then(|list| list.bound.view_instances.as_ref()).map_or(0, |set| set.value);
    let masked = |editor: &Editor<'_, '_>, mask: u32| {
        let mut here = Here::new(&editor.state, 1);
        let enter = editor.codec.compose(MASK, &[Literal::Word(mask.to_string())], &mut here)?;
        Ok(New { method: MASK, object: event.object, enter, blobs: Vec::new(), by: index })
    };
    if mask != 0 {
        all.push(masked(editor, 0).map_err(wrong)?);
    }
    if let Some(bundle) = editor.bundles.of(id, closed.begun) {
        if let Some(pipeline) = bundle.pipeline {
            let mut here = Here::new(&editor.state, 1);
            let enter = editor.codec.compose(SET, &[Literal::Word(pipeline.to_string())], &mut here).map_err(wrong)?;
            all.push(New { method: SET, object: event.object, enter, blobs: Vec::new(), by: index });
        }
        let plan = &editor.plan;
        for (call, command) in &bundle.commands {
            all.extend(plan.before.get(call).into_iter().flatten().cloned());
            match plan.changed.get(call) {
                _ if plan.dropped.contains(call) => {}
                Some(changed) => {
                    let (enter, blobs) = (changed.enter.clone(), changed.blobs.clone());
                    all.push(New { enter, blobs, ..command.clone() });
                }
                None => all.push(command.clone()),
            }
            all.extend(plan.after.get(call).into_iter().flatten().cloned());
        }
    }
    if mask != 0 && all.iter().filter(|new| new.method == MASK).count() == 1 {
        all.push(masked(editor, mask).map_err(wrong)?);
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
    editor.hits[index] += 1;
    editor.plan.dropped.insert(event.number);
    editor.bundles.unrolled.insert(event.number);
    editor.dropping.note(event.number, index, &[]);
    editor.plan.before.entry(event.number).or_default().extend(all);
    Ok(())
}
