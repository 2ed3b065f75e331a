//! Which calls may be left out, and what of the others depends on them.

use crate::error::{Error, refused};
use crate::language::Edit;
use crate::survey::Survey;
use reprise_codec::{Codec, Value};
use reprise_d3d12::model::{Method, MethodId};
use reprise_trace::read::Event;
use std::collections::HashMap;

/// Dropped calls, as far as the trace has been looked at.
#[derive(Debug, Default)]
pub(crate) struct Dropping {
    /// By object that is not made: the call that would make it, and the edit.
    makers: HashMap<u32, (u64, usize)>,
    /// By dropped call, the edit.
    edits: HashMap<u64, usize>,
    /// By thread: the calls that are open, outermost first, with the last call within.
    open: HashMap<u32, Vec<(u64, Option<u64>)>>,
    /// Begins without their end so far: who begins what, the call, whether it is dropped.
    begun: HashMap<(u32, String), Vec<(u64, bool)>>,
}

/// What begins and ends: both are dropped, or none.
const PAIRS: [(&str, &str); 3] =
    [("BeginRenderPass", "EndRenderPass"), ("BeginQuery", "EndQuery"), ("BeginEvent", "EndEvent")];

/// The beginning of the names of lists' interfaces.
pub(crate) const LISTS: &str = "ID3D12GraphicsCommandList";

/// The name of the interface that a method is of; empty for functions.
pub(crate) fn interface_of(method: &Method) -> &'static str {
    method.interface.map_or("", |interface| interface.get().name)
}

/// Whether lists record it.
pub(crate) fn is_command(method: &Method) -> bool {
    interface_of(method).starts_with(LISTS) && !matches!(method.name, "Close" | "Reset")
}

impl Dropping {
    /// Whether a call may be left out, as far as it says itself.
    ///
    /// # Errors
    /// Why not.
    pub(crate) fn check(
        &self,
        event: &Event<'_>,
        method: &Method,
        made: &[u32],
        survey: &Survey,
        gone: impl Fn(u32) -> bool,
    ) -> Result<(), String> {
        if event.open {
            return Err("the recording ends within it: it cannot be dropped".into());
        }
        if let Some(object) = survey.gives_again.get(&event.number) {
            return Err(format!(
                "it gives out object {object}, which was there before, and counts a reference to it: it cannot be dropped"
            ));
        }
        // What makes objects, and what is done with them, goes if nobody uses them; the rest of the trace says that.
        if !made.is_empty() || gone(event.object) || is_command(method) || has_no_consequence(method) {
            return Ok(());
        }
        let name = method.name;
        Err(match (interface_of(method), name) {
            (list, "Close" | "Reset") if list.starts_with(LISTS) => {
                format!("without {name} what the list records could not be run: drop its commands, or the submission")
            }
            ("IUnknown", _) => {
                "references are counted: it goes only together with the call that makes its object".into()
            }
            (_, "Signal" | "Wait" | "SetEventOnCompletion") => {
                format!("other calls wait for what {name} says, or count on having waited: it cannot be dropped")
            }
            (_, "Map" | "Unmap") => format!("stores to memory count on {name}: it cannot be dropped"),
            (_, "Present" | "Present1") => "it ends a frame: it cannot be dropped".into(),
            (interface, _) => format!(
                "{interface}{}{name} is not one of the calls that can be dropped: commands of lists, submissions, descriptors, names, \
                 questions, and creations that nobody uses",
                if interface.is_empty() { "" } else { "::" }
            ),
        })
    }

    /// A call is left out by this edit.
    pub(crate) fn note(&mut self, call: u64, edit: usize, made: &[u32]) {
        self.edits.insert(call, edit);
        self.makers.extend(made.iter().map(|object| (*object, (call, edit))));
    }

    /// The dropped call that would make an object, and the edit that drops it.
    pub(crate) fn maker(&self, object: u32) -> Option<(u64, usize)> {
        self.makers.get(&object).copied()
    }

    pub(crate) fn edit_of(&self, call: u64) -> usize {
        self.edits.get(&call).copied().unwrap_or(0)
    }

    /// A call begins.
    pub(crate) fn begin(&mut self, event: &Event<'_>, method: &Method) {
        let open = self.open.entry(event.thread).or_default();
        if let Some((_, within)) = open.last_mut() {
            *within = Some(event.number);
        }
        if method.order == reprise_d3d12::model::Order::EnterLeave && !event.open {
            open.push((event.number, None));
        }
    }

    /// A call ends: the last call within it, if it is dropped and there is one.
    pub(crate) fn end(&mut self, event: &Event<'_>, dropped: impl Fn(u64) -> bool) -> Option<u64> {
        let open = self.open.get_mut(&event.thread)?;
        let at = open.iter().rposition(|(call, _)| *call == event.number)?;
        let (call, within) = open.drain(at..).next()?;
        within.filter(|_| dropped(call))
    }

    /// Notes what begins and ends something.
    ///
    /// # Errors
    /// One of the two is dropped, and the other is not.
    pub(crate) fn pair(
        &mut self,
        edits: &[Edit],
        codec: &Codec,
        event: &Event<'_>,
        method: &Method,
        is_dropped: bool,
    ) -> Result<(), Error> {
        let Some((begin, end)) = PAIRS.iter().find(|(begin, end)| [*begin, *end].contains(&method.name)) else {
            return Ok(());
        };
        let key = (event.object, format!("{begin}{}", which(codec, event)));
        if method.name == *begin {
            self.begun.entry(key).or_default().push((event.number, is_dropped));
            return Ok(());
        }
        // Times have no begin, and events may begin before the recording.
        let Some((call, was)) = self.begun.get_mut(&key).and_then(Vec::pop) else { return Ok(()) };
        let (dropped, stays, name) = match (was, is_dropped) {
            (true, false) => (call, event.number, end),
            (false, true) => (event.number, call, begin),
            _ => return Ok(()),
        };
        let what = format!("it cannot be dropped without call {stays} ({name}), which belongs to it");
        Err(refused(&edits[self.edit_of(dropped)], dropped, what))
    }

    /// # Errors
    /// A begin is dropped whose end never came.
    pub(crate) fn finish(&self, edits: &[Edit]) -> Result<(), Error> {
        // The first one, so that the message is always the same.
        let left = self.begun.values().flatten().filter(|(_, dropped)| *dropped).map(|(call, _)| *call).min();
        if let Some(call) = left {
            let what = "it cannot be dropped, because what it begins has no end in the trace";
            return Err(refused(&edits[self.edit_of(call)], call, what));
        }
        Ok(())
    }
}

/// Which of several queries.
fn which(codec: &Codec, event: &Event<'_>) -> String {
    let arguments = codec.decode_enter(MethodId(event.method), event.payload);
    let members = arguments.map(|arguments| arguments.members).unwrap_or_default();
    let named = |name: &str| members.iter().find(|member| member.field.name == name).map(|member| member.value.clone());
    match (named("pQueryHeap"), named("Index")) {
        (Some(Value::Object(heap, _)), Some(Value::Unsigned(index))) => format!(" {heap} {index}"),
        _ => String::new(),
    }
}

/// Calls that others do not count on having been made.
fn has_no_consequence(method: &Method) -> bool {
    let (interface, name) = (interface_of(method), method.name);
    let views = interface.starts_with("ID3D12Device")
        && (name.ends_with("View") && name.starts_with("Create")
            || name.starts_with("CreateSampler")
            || name.starts_with("CopyDescriptors"));
    let queue = interface.starts_with("ID3D12CommandQueue")
        && matches!(name, "ExecuteCommandLists" | "SetMarker" | "BeginEvent" | "EndEvent");
    let names = interface == "ID3D12Object" && matches!(name, "SetName" | "SetPrivateData");
    let asks = interface.starts_with("ID3D12Device") && (name.starts_with("Check") || name.starts_with("Get"));
    views || queue || names || asks
}
