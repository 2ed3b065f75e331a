//! Edits of a call's arguments, as the trace is looked at: values are put in, and what comes of it is checked.

use crate::bundle::Bundles;
use crate::dropping::Dropping;
use crate::error::{Error, refused};
use crate::known::{Here, Sizes};
use crate::language::Edit;
use crate::limits::beyond;
use crate::masks::Masks;
use crate::needed::lacks;
use crate::place::shortened;
use crate::plan::{Changed, Content, Files, Plan};
use crate::replacement::Replacement;
use crate::room::Room;
use crate::survey::Survey;
use reprise_codec::literal::Literal;
use reprise_codec::value::Member;
use reprise_codec::{Arena, BlobSink, Codec, Objects, Place, Placed, Value, wire};
use reprise_d3d12::model::{Field, Len, Method, MethodId, Role, Type};
use reprise_timeline::State;
use reprise_trace::read::{Event, Trace};
use std::collections::HashSet;
use std::sync::Arc;

/// What is known as the trace is looked at, and what of the edits is planned so far.
pub(crate) struct Editor<'p, 'f> {
    pub(crate) trace: &'p Trace,
    /// How many frames it has; one where none ends.
    pub(crate) frames: u32,
    pub(crate) codec: &'static Codec,
    pub(crate) edits: &'p [Edit],
    pub(crate) files: &'p mut Files<'f>,
    /// By edit, how often it did something.
    pub(crate) hits: Vec<u64>,
    /// By edit, how often something was as it says already.
    pub(crate) same: Vec<u64>,
    /// Before the event that is looked at.
    pub(crate) state: State,
    pub(crate) survey: &'p Survey,
    pub(crate) dropping: Dropping,
    pub(crate) room: Room,
    pub(crate) bundles: Bundles,
    pub(crate) masks: Masks,
    /// Other contents, by the edit that says them.
    pub(crate) replacements: Vec<(usize, Replacement)>,
    /// Records of memory so far.
    pub(crate) stores: u64,
    pub(crate) plan: Plan,
}

/// A call as it begins, with its edited arguments.
pub(crate) struct Draft<'e> {
    pub(crate) event: &'e Event<'e>,
    pub(crate) method: MethodId,
    pub(crate) enter: Vec<u8>,
    pub(crate) added: Vec<(u32, Arc<[u8]>)>,
    pub(crate) is_changed: bool,
    /// The last edit that changed it.
    pub(crate) by: usize,
    /// The last edit that repeats it.
    pub(crate) repeated_by: Option<usize>,
    /// The edit that unrolls it.
    pub(crate) unrolled_by: Option<usize>,
    /// Which of the calls behind it are itself once more.
    pub(crate) repeats: Vec<usize>,
}

impl Editor<'_, '_> {
    /// # Errors
    /// An object that nobody makes any more is used.
    pub(crate) fn mentions(&self, object: u32, call: u64, how: &str) -> Result<(), Error> {
        let Some((maker, edit)) = self.dropping.maker(object) else { return Ok(()) };
        let what = format!("it makes object {object}, of which, behind call {call}, {how}: it cannot be dropped");
        Err(refused(&self.edits[edit], maker, what))
    }

    /// # Errors
    /// The call uses an object that nobody makes any more, or more of one than an edit left.
    pub(crate) fn uses(&self, draft: &Draft<'_>) -> Result<(), Error> {
        let call = format!("call {}", draft.event.number);
        let makes = self.survey.makes.get(&draft.event.number).map_or(&[][..], |made| made);
        self.used((draft.method, draft.event.object), &draft.enter, &call, makes)
    }

    /// `makes` are the objects that the call makes.
    ///
    /// # Errors
    /// A call, which `call` names, uses an object that nobody makes any more, or more of one than an edit left.
    pub(crate) fn used(
        &self,
        (method, object): (MethodId, u32),
        enter: &[u8],
        call: &str,
        makes: &[u32],
    ) -> Result<(), Error> {
        let checked = self.room.check(self.codec, &self.state, self.survey, (method, enter), (call, makes));
        checked.map_err(|over| refused(&self.edits[over.by], over.made, over.what))?;
        if self.plan.gone.is_empty() {
            return Ok(());
        }
        let mut used = vec![object];
        let arguments = self.codec.decode_enter(method, enter).map_err(|error| Error::Trace(error.to_string()))?;
        arguments.members.iter().for_each(|member| self.named(&member.value, &mut used));
        let Some((object, (maker, edit))) =
            used.iter().find_map(|object| Some((object, self.dropping.maker(*object)?)))
        else {
            return Ok(());
        };
        let name = self.codec.method_name(method);
        let what = format!(
            "it makes object {object}, which {call} ({name}) uses: it cannot be dropped, unless that call is, too"
        );
        Err(refused(&self.edits[edit], maker, what))
    }

    /// The objects that a value names, itself or by an address or a handle.
    fn named(&self, value: &Value<'_>, used: &mut Vec<u32>) {
        let addresses = &self.state.addresses;
        match value {
            Value::Object(id, _) => used.push(*id),
            Value::Word(role, word) => used.extend(match role {
                Role::CpuDescriptor => addresses.cpu(*word).map(|slot| slot.heap),
                Role::GpuDescriptor => addresses.gpu(*word).map(|slot| slot.heap),
                Role::GpuAddress => addresses.resource(*word).map(|at| at.resource),
                _ => None,
            }),
            Value::Struct(_, members) => members.iter().for_each(|member| self.named(&member.value, used)),
            Value::Array(values) => values.iter().for_each(|value| self.named(value, used)),
            Value::Stream(all) => all.iter().for_each(|(_, value)| self.named(value, used)),
            _ => {}
        }
    }

    /// Puts a value into a call.
    pub(crate) fn set(
        &mut self,
        edit: &Edit,
        index: usize,
        draft: &mut Draft<'_>,
        path: &str,
        value: &Literal,
    ) -> Result<(), Error> {
        let call = draft.event.number;
        let method = draft.method.get();
        let path = spelled(path, method);
        let places = self.codec.places(draft.method, &draft.enter);
        let places = places.map_err(|error| Error::Trace(format!("call {call}: {error}")))?;
        let Some(place) = places.iter().find(|place| place.path == path) else {
            return Err(refused(edit, call, missing(&path, &places, method)));
        };
        let first = draft.event.blobs.iter().map(|(number, _)| *number).max().map_or(1, |most| most.saturating_add(1));
        let next = draft.added.iter().map(|(number, _)| number.saturating_add(1)).max().unwrap_or(0).max(first);
        let mut here = Here::new(&self.state, next).instead_of(self.alone(draft, place));
        let amended = self.codec.amend(draft.method, &draft.enter, place, value, &mut here);
        let amended = amended.map_err(|what| refused(edit, call, format!("{path}: {what}")))?;
        if amended == draft.enter && here.added.is_empty() {
            self.same[index] += 1;
            return Ok(());
        }
        self.hits[index] += 1;
        draft.enter = amended;
        draft.added.append(&mut here.added);
        (draft.is_changed, draft.by) = (true, index);
        Ok(())
    }

    /// The number of the blob that a place names, if nothing else of the call names it. So a blob that comes and goes leaves no trace.
    fn alone(&self, draft: &Draft<'_>, place: &Place) -> Option<u32> {
        let Placed::Pointer(_, child) = &place.what else { return None };
        let child = draft.enter.get(child.clone())?;
        let word = |at: usize| child.get(at..)?.first_chunk().map(|bytes| u64::from_le_bytes(*bytes));
        let number = match wire::parse(word(0)?)? {
            (wire::Kind::Blob, _) => u32::try_from(word(8)?).ok()?,
            _ => return None,
        };
        let arguments = self.codec.decode_enter(draft.method, &draft.enter).ok()?;
        let mut named = Vec::new();
        arguments.members.iter().for_each(|member| blobs(&member.value, &mut named));
        (named.iter().filter(|named| **named == number).count() == 1).then_some(number)
    }

    /// Takes the changed arguments of a call in, if they can be those of a call.
    pub(crate) fn accept(&mut self, draft: Draft<'_>) -> Result<(), Error> {
        let edit = &self.edits[draft.by];
        let call = draft.event.number;
        let blobs = self.sound(draft.method, &draft.enter, draft.event.blobs, &draft.added, Some(draft.event.payload));
        let blobs = blobs.map_err(|what| refused(edit, call, what))?;
        let arguments = (draft.event.payload, &*draft.enter);
        self.room.note((self.codec, self.survey), (call, draft.method), arguments, draft.by);
        // Once more is once more as it is now.
        for at in draft.repeats {
            if let Some(new) = self.plan.after.get_mut(&call).and_then(|after| after.get_mut(at)) {
                (new.enter, new.blobs) = (draft.enter.clone(), blobs.clone());
            }
        }
        self.plan.changed.insert(call, Changed { enter: draft.enter, blobs, by: draft.by });
        Ok(())
    }

    /// The bytes of a payload and the paths in it.
    fn shape(&self, method: MethodId, enter: &[u8]) -> (usize, Vec<String>) {
        let places = self.codec.places(method, enter).unwrap_or_default();
        (enter.len(), places.into_iter().map(|place| place.path).collect())
    }

    /// The shape of the payload that a capture of a call with these arguments would have.
    fn as_recorded(
        &self,
        method: MethodId,
        enter: &[u8],
        recorded: &[(u32, u64)],
        added: &[(u32, Arc<[u8]>)],
    ) -> Result<(usize, Vec<String>), String> {
        let mut arena = Arena::default();
        let mut sizes = Sizes::new(self.trace, recorded, added);
        let rebuilt = self.codec.rebuild(method, enter, &mut sizes, &mut arena).map_err(|error| error.to_string())?;
        let mut again = Vec::new();
        // SAFETY: the words are those that were rebuilt just now, whose pointers lead to the arena; the codec looks through no object.
        unsafe { self.codec.encode_enter(method, &rebuilt.words, &Ids, &mut again, &mut Unkept) };
        Ok(self.shape(method, &again))
    }

    /// Checks that arguments are such as a call can have, and gives the blobs that they name.
    pub(crate) fn sound(
        &self,
        method: MethodId,
        enter: &[u8],
        recorded: &[(u32, u64)],
        added: &[(u32, Arc<[u8]>)],
        before: Option<&[u8]>,
    ) -> Result<Vec<(u32, Content)>, String> {
        let arguments = self.codec.decode_enter(method, enter).map_err(|error| error.to_string())?;
        let shown = |enter: &[u8]| self.as_recorded(method, enter, recorded, added);
        // What could not be checked before cannot be checked now.
        if before.is_none_or(|before| shown(before).is_ok_and(|shown| shown == self.shape(method, before))) {
            let shown = shown(enter).map_err(|error| format!("the call would read what it does not have: {error}"))?;
            if shown != self.shape(method, enter) {
                return Err("a list has more elements than the call's arguments count: set the count, too".into());
            }
        }
        // What a program passed is passed again.
        let passed = before.and_then(|before| self.codec.decode_enter(method, before).ok());
        let wrong = |members: &[Member<'_>]| [lacks(method.get(), members), beyond(method.get(), members)].concat();
        let passed = passed.map(|before| wrong(&before.members)).unwrap_or_default();
        if let Some(lack) = wrong(&arguments.members).into_iter().find(|lack| !passed.contains(lack)) {
            return Err(format!("{} {}", lack.path, lack.what));
        }
        let mut named = Vec::new();
        arguments.members.iter().for_each(|member| blobs(&member.value, &mut named));
        let mut seen = HashSet::new();
        named.retain(|number| seen.insert(*number));
        let content = |number: u32| {
            let new = added.iter().rev().find(|(own, _)| *own == number).map(|(_, bytes)| Content::New(bytes.clone()));
            let old = || recorded.iter().rev().find(|(own, _)| *own == number).map(|(_, id)| Content::Recorded(*id));
            new.or_else(old).ok_or_else(|| format!("it names blob {number}, which is not there"))
        };
        named.into_iter().map(|number| Ok((number, content(number)?))).collect()
    }
}

/// Ids stand for pointers.
struct Ids;

impl Objects for Ids {
    fn id_of(&self, pointer: u64) -> u64 {
        pointer
    }

    fn real_of(&self, pointer: u64) -> u64 {
        pointer
    }
}

/// Blobs of a payload that is only looked at.
struct Unkept;

impl BlobSink for Unkept {
    fn blob(&mut self, _bytes: &[u8]) -> u32 {
        0
    }
}

/// A path that begins with the method's name: `RSSetViewports.pViewports[0].Width`, or `RSSetViewports[0].Width` where the method has one array.
pub(crate) fn spelled(path: &str, method: &Method) -> String {
    let Some(rest) = path.strip_prefix(method.name) else { return path.to_owned() };
    if let Some(rest) = rest.strip_prefix('.') {
        return rest.to_owned();
    }
    let is_array = |param: &&Field| matches!(param.ty, Type::Pointer(pointee) if !matches!(pointee.len, Len::One));
    let mut arrays = method.params.iter().filter(is_array);
    match (rest.starts_with('['), arrays.next(), arrays.next()) {
        (true, Some(array), None) => format!("{}{rest}", array.name),
        _ => path.to_owned(),
    }
}

/// Why a path leads to nothing, with what there is.
pub(crate) fn missing(path: &str, places: &[Place], method: &Method) -> String {
    let path = &*shortened(path);
    // The longest beginning that leads somewhere.
    let ends: Vec<usize> =
        path.char_indices().filter(|(_, c)| matches!(c, '.' | '[')).map(|(at, _)| at).chain([path.len()]).collect();
    let leads = |to: &str| {
        places.iter().any(|place| {
            place.path.strip_prefix(to).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        })
    };
    let known = ends.iter().rev().map(|end| &path[..*end]).find(|to| leads(to));
    let Some(known) = known else {
        let params: Vec<&str> = method.params.iter().map(|param| param.name).collect();
        let name = path.split(['.', '[']).next().unwrap_or(path);
        return match params.contains(&name) {
            true => format!("{name} is an output, or has nothing that can be written"),
            false => format!("{} has no argument {name}: it has {}", method.name, params.join(", ")),
        };
    };
    let mut names: Vec<&str> = Vec::new();
    for place in places {
        let Some(rest) = place.path.strip_prefix(known).filter(|rest| !rest.is_empty()) else { continue };
        let end = rest[1..].find(['.', '[']).map_or(rest.len(), |end| end + 1);
        if !names.contains(&&rest[..end]) {
            names.push(&rest[..end]);
        }
    }
    const FEW: usize = 16;
    let more = if names.len() > FEW { ", …" } else { "" };
    let list = names.iter().take(FEW).copied().collect::<Vec<_>>().join(", ");
    match (known == path, names.is_empty()) {
        (true, _) => format!("{path} is not one value: write to its members {list}{more}"),
        (false, true) => format!("{known} has no members and no elements here"),
        (false, false) => {
            format!("{known} has no {}: it has {list}{more}", path[known.len()..].trim_start_matches('.'))
        }
    }
}

/// The numbers of the blobs that a value names, as often as it names them.
fn blobs(value: &Value<'_>, named: &mut Vec<u32>) {
    match value {
        Value::Blob(number, ..) => named.push(*number),
        Value::Struct(_, members) => members.iter().for_each(|member| blobs(&member.value, named)),
        Value::Array(values) => values.iter().for_each(|value| blobs(value, named)),
        Value::Stream(all) => all.iter().for_each(|(_, value)| blobs(value, named)),
        _ => {}
    }
}
