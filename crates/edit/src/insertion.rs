//! Calls that are put beside others: commands that lists record.

use crate::dropping::{LISTS, is_command};
use crate::editor::{Draft, Editor};
use crate::error::{Error, refused};
use crate::known::{Here, fits};
use crate::language::{Edit, Insert, is_named};
use crate::plan::{Content, New};
use reprise_codec::literal::Literal;
use reprise_d3d12::MODEL;
use reprise_d3d12::model::{Method, MethodId, Order};
use reprise_trace::read::Event;

/// Whether a command can be put anywhere in a list.
///
/// # Errors
/// Why not.
fn insertable(method: &Method) -> Result<(), String> {
    let name = method.name;
    if !is_command(method) || method.order == Order::EnterLeave {
        return Err(format!("{name} is no command that a list records: nothing else can be inserted"));
    }
    if name.starts_with("Begin") || name.starts_with("End") {
        return Err(format!("{name} is one half of a pair, and cannot be inserted"));
    }
    Ok(())
}

/// Puts a call behind itself once more: with the arguments that all edits leave it.
pub(crate) fn repeat(
    editor: &mut Editor<'_, '_>,
    edit: &Edit,
    index: usize,
    draft: &mut Draft<'_>,
    method: &Method,
) -> Result<(), Error> {
    let event = draft.event;
    insertable(method).map_err(|what| refused(edit, event.number, what))?;
    let id = MethodId(event.method);
    let blobs = event.blobs.iter().map(|(number, id)| (*number, Content::Recorded(*id))).collect();
    editor.hits[index] += 1;
    let new = New { method: id, object: event.object, enter: event.payload.to_vec(), blobs, by: index };
    let after = editor.plan.after.entry(event.number).or_default();
    draft.repeats.push(after.len());
    draft.repeated_by = Some(index);
    after.push(new);
    Ok(())
}

/// Puts a call beside another one.
pub(crate) fn insert(
    editor: &mut Editor<'_, '_>,
    (index, edit): (usize, &Edit),
    insert: &Insert,
    event: &Event<'_>,
    beside: &Method,
) -> Result<(), Error> {
    let wrong = |what: String| refused(edit, event.number, what);
    let in_list = beside.interface.is_some_and(|interface| interface.get().name.starts_with(LISTS));
    let (side, edge) = if insert.after { ("after", "Close") } else { ("before", "Reset") };
    if !in_list || beside.name == edge {
        return Err(wrong(format!(
            "nothing can be inserted {side} {}: only beside the commands of a list, while it records",
            beside.name
        )));
    }
    if insert.after && event.open {
        return Err(wrong("the recording ends within it: nothing can be inserted after it".into()));
    }
    if let Some(object) = insert.object.filter(|object| *object != event.object) {
        return Err(wrong(format!("it is a command of list {}, not of {object}", event.object)));
    }
    let mut named = (0u16..).zip(MODEL.methods).filter(|(_, method)| is_named(method, &insert.method));
    let found = named.find(|(_, method)| method.interface.is_some_and(|it| it.get().name.starts_with(LISTS)));
    let Some((number, method)) = found else {
        return Err(wrong(format!(
            "{} is no command that a list records: nothing else can be inserted",
            insert.method
        )));
    };
    insertable(method).map_err(wrong)?;
    let object = editor.state.objects.get(event.object).map(|object| object.interface());
    if let (Some(class), Some(of)) = (object, method.interface)
        && !fits(class, of)
    {
        return Err(wrong(format!("list {} is {}, which has no {}", event.object, class.get().name, method.name)));
    }
    let arguments = ordered(method, &insert.arguments).map_err(wrong)?;
    let id = MethodId(number);
    let mut here = Here::new(&editor.state, 1);
    let enter = editor.codec.compose(id, &arguments, &mut here).map_err(wrong)?;
    let added = std::mem::take(&mut here.added);
    let blobs = editor.sound(id, &enter, &[], &added, None).map_err(wrong)?;
    let call = format!("the call that is inserted {side} call {}", event.number);
    editor.used((id, event.object), &enter, &call, &[])?;
    let plan = &mut editor.plan;
    let side = if insert.after { &mut plan.after } else { &mut plan.before };
    side.entry(event.number).or_default().push(New { method: id, object: event.object, enter, blobs, by: index });
    Ok(())
}

/// Arguments in the order of the parameters; all with names, or none.
fn ordered(method: &Method, arguments: &[(Option<String>, Literal)]) -> Result<Vec<Literal>, String> {
    if arguments.iter().all(|(name, _)| name.is_none()) {
        return Ok(arguments.iter().map(|(_, value)| value.clone()).collect());
    }
    if arguments.iter().any(|(name, _)| name.is_none()) {
        return Err("all arguments have names, or none has".into());
    }
    let names: Vec<&str> = method.params.iter().map(|param| param.name).collect();
    let of = |wanted: &str| arguments.iter().filter(|(name, _)| name.as_deref() == Some(wanted)).collect::<Vec<_>>();
    if let Some((Some(name), _)) =
        arguments.iter().find(|(name, _)| name.as_deref().is_some_and(|name| !names.contains(&name)))
    {
        return Err(format!("{} has no argument {name}: it has {}", method.name, names.join(", ")));
    }
    names
        .iter()
        .map(|name| match &of(name)[..] {
            [(_, value)] => Ok(value.clone()),
            [] => Err(format!("{name} is missing: {} takes {}", method.name, names.join(", "))),
            _ => Err(format!("{name} is there twice")),
        })
        .collect()
}
