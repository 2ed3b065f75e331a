//! How long the objects of a program live: which call gave each out first, its name, and the references that the program holds.
//!
//! References are those the program was given or took itself, not those that a runtime counts: objects hold each other, so
//! a runtime's count says little about who forgot to release. Invariant: an object is alive while the program holds one.

use crate::api;
use crate::dump::names::Names;
use reprise_codec::{Codec, Value};
use reprise_d3d12::model::{Guid, MethodId};
use reprise_timeline::state::objects::Name;
use reprise_timeline::{At, Call, Interests, Pass};
use reprise_trace::read::{ReadError, Trace};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// `WKPDID_D3DDebugObjectName` and `WKPDID_D3DDebugObjectNameW`: names that are set as private data.
const NAME: Guid =
    Guid { data1: 0x429b_8c22, data2: 0x9188, data3: 0x4b0c, data4: [0x87, 0x42, 0xac, 0xb0, 0xbf, 0x85, 0xc2, 0x00] };
const WIDE_NAME: Guid =
    Guid { data1: 0x4cca_5fd8, data2: 0x921f, data3: 0x42c8, data4: [0x85, 0x66, 0x70, 0xca, 0xf2, 0xa9, 0xb7, 0x41] };

/// What is known of an object.
#[derive(Clone, Debug, Default)]
pub struct Life {
    /// The call that gave it out first, and its method.
    pub call: u64,
    /// That call's method, by number.
    pub method: u16,
    /// As the program named it last.
    pub name: Option<String>,
    /// References that the program holds.
    pub held: u64,
}

/// Objects of one class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Class {
    /// How many there were.
    pub created: u64,
    /// How many are alive.
    pub alive: u64,
    /// Most that were alive at once.
    pub most: u64,
}

/// All objects of a trace, up to the call taken last.
pub struct Lives<'t> {
    trace: &'t Trace,
    codec: Codec,
    names: Names,
    methods: Methods,
    lives: BTreeMap<u32, Life>,
    classes: BTreeMap<&'static str, Class>,
    /// Calls that could not be decoded.
    damaged: u64,
}

/// The methods that change references or names, by their numbers in the trace's model.
struct Methods {
    add_ref: Option<MethodId>,
    release: Option<MethodId>,
    set_name: Option<MethodId>,
    set_private_data: Option<MethodId>,
}

impl<'t> Lives<'t> {
    /// Of this trace, whose blobs some names are in.
    pub fn new(trace: &'t Trace) -> Lives<'t> {
        let count = u16::try_from(api::model().methods.len()).unwrap_or(u16::MAX);
        let method = |name: &str| (0..count).map(MethodId).find(|method| api::name(*method) == name);
        let methods = Methods {
            add_ref: method("IUnknown::AddRef"),
            release: method("IUnknown::Release"),
            set_name: method("ID3D12Object::SetName"),
            set_private_data: method("ID3D12Object::SetPrivateData"),
        };
        Lives {
            trace,
            codec: api::codec(),
            names: Names::default(),
            methods,
            lives: BTreeMap::new(),
            classes: BTreeMap::new(),
            damaged: 0,
        }
    }

    /// The program has one more reference; to objects that nothing gave out it has none that counts.
    fn hold(&mut self, id: u32) {
        let Some(life) = self.lives.get_mut(&id) else { return };
        life.held += 1;
        if life.held == 1 {
            let class = self.classes.entry(self.names.class(id).unwrap_or("IUnknown")).or_default();
            class.alive += 1;
            class.most = class.most.max(class.alive);
        }
    }

    /// The program has one reference less, or none because the object is gone.
    fn let_go(&mut self, id: u32, gone: bool) {
        let Some(life) = self.lives.get_mut(&id).filter(|life| life.held > 0) else { return };
        life.held = if gone { 0 } else { life.held - 1 };
        if life.held == 0 {
            let class = self.classes.entry(self.names.class(id).unwrap_or("IUnknown")).or_default();
            class.alive = class.alive.saturating_sub(1);
        }
    }

    fn name(&mut self, call: &Call<'_>) {
        let Some(life) = self.lives.get_mut(&call.object) else { return };
        let Ok(arguments) = self.codec.decode_enter(call.method, call.enter.bytes) else {
            self.damaged += 1;
            return;
        };
        let value =
            |name: &str| arguments.members.iter().find(|member| member.field.name == name).map(|member| &member.value);
        if let Some(Value::Text(name)) = value("Name") {
            life.name = Some(name.clone());
            return;
        }
        let wide = match value("guid") {
            Some(Value::Guid(guid)) if *guid == NAME => false,
            Some(Value::Guid(guid)) if *guid == WIDE_NAME => true,
            _ => return,
        };
        let name = match value("pData") {
            Some(Value::Bytes(bytes)) => Name::text(bytes, wide),
            Some(Value::Blob(number, ..)) => {
                let unbound = ReadError::Unbound { call: call.number, number: *number };
                let blob = call.enter.blob(*number).ok_or(unbound).and_then(|id| self.trace.blob_by_id(id));
                blob.map_or_else(|error| error.to_string(), |bytes| Name::text(&bytes, wide))
            }
            _ => return,
        };
        life.name = Some(name);
    }

    /// Objects by class, as they were first given out.
    pub fn classes(&self) -> impl Iterator<Item = (&'static str, Class)> + '_ {
        self.classes.iter().map(|(name, class)| (*name, *class))
    }

    /// The objects that are alive, in the order of their ids: id, class, and what is known of each.
    pub fn alive(&self) -> impl Iterator<Item = (u32, &'static str, &Life)> + '_ {
        let alive = self.lives.iter().filter(|(_, life)| life.held > 0);
        alive.map(|(id, life)| (*id, self.names.class(*id).unwrap_or("IUnknown"), life))
    }

    /// All objects that were given out, in the order of their ids: id, class, and what is known of each.
    pub fn all(&self) -> impl Iterator<Item = (u32, &'static str, &Life)> + '_ {
        self.lives.iter().map(|(id, life)| (*id, self.names.class(*id).unwrap_or("IUnknown"), life))
    }

    /// Every object whose class is known, also those that nothing but a structure named; in no order.
    pub fn named(&self) -> impl Iterator<Item = (u32, &'static str)> + '_ {
        self.names.classes()
    }

    /// The interface that an object was first given out as.
    pub fn class(&self, id: u32) -> &'static str {
        self.names.class(id).unwrap_or("IUnknown")
    }

    /// As the program named an object last.
    pub fn name_of(&self, id: u32) -> Option<&str> {
        self.lives.get(&id)?.name.as_deref()
    }

    /// How many calls could not be decoded.
    pub fn damaged(&self) -> u64 {
        self.damaged
    }
}

impl Pass for Lives<'_> {
    fn interests(&self) -> Interests {
        let Methods { add_ref, release, set_name, set_private_data } = self.methods;
        let changes: Vec<MethodId> = [add_ref, release, set_name, set_private_data].into_iter().flatten().collect();
        let all = (0..u16::try_from(api::model().methods.len()).unwrap_or(u16::MAX)).map(MethodId);
        let gives: Vec<MethodId> = all.filter(|method| self.codec.traits(*method).output_objects).collect();
        Interests::new().enters(&changes).calls(&gives).calls(release.as_slice())
    }

    fn enter(&mut self, call: &Call<'_>, _at: &At) {
        let method = Some(call.method);
        if method == self.methods.add_ref {
            self.hold(call.object);
        } else if method == self.methods.release {
            self.let_go(call.object, false);
        } else {
            self.name(call);
        }
    }

    fn call(&mut self, call: &Call<'_>, _at: &At) {
        let Some(leave) = call.leave() else { return };
        let (method, enter) = (call.method, call.enter.bytes);
        let given = self.codec.decode_leave(method, enter, leave.bytes).and_then(|outcome| {
            self.names.learn_given(&self.codec, method, enter, &outcome);
            let last = Some(method) == self.methods.release && outcome.result == Value::Unsigned(0);
            Ok((self.codec.output_ids(method, enter, leave.bytes)?, last))
        });
        let Ok((ids, last)) = given else {
            self.damaged += 1;
            return;
        };
        if last {
            self.let_go(call.object, true);
        }
        for id in ids.into_iter().filter(|id| *id != 0) {
            if let Entry::Vacant(unknown) = self.lives.entry(id) {
                unknown.insert(Life { call: call.number, method: method.0, ..Life::default() });
                self.classes.entry(self.names.class(id).unwrap_or("IUnknown")).or_default().created += 1;
            }
            self.hold(id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use reprise_trace::layout::FileHeader;
    use reprise_trace::trace_writer::{Progress, TraceWriter};

    fn empty() -> Trace {
        let file = TraceWriter::create(Vec::new(), &FileHeader::default(), serde_json::Map::new());
        let bytes = file.and_then(|file| file.finish(Vec::new(), |_| Progress::default(), &|_| Vec::new()));
        let trace = bytes
            .map_err(|error| error.to_string())
            .and_then(|(bytes, _)| Trace::from_bytes(bytes).map_err(|error| error.to_string()));
        trace.unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn references_are_those_of_the_program() {
        let trace = empty();
        let mut lives = Lives::new(&trace);
        lives.hold(7);
        assert_eq!(lives.alive().count(), 0, "nothing gave it out");
        lives.lives.insert(7, Life::default());
        lives.hold(7);
        lives.hold(7);
        lives.let_go(7, false);
        let all = |lives: &Lives<'_>| lives.classes().next();
        assert_eq!(all(&lives), Some(("IUnknown", Class { created: 0, alive: 1, most: 1 })));
        lives.let_go(7, false);
        lives.let_go(7, true);
        assert_eq!(all(&lives), Some(("IUnknown", Class { created: 0, alive: 0, most: 1 })));
    }
}
