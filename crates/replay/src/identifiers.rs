//! Identifiers of shaders, as the program got them and as this runtime gives them, and what the records behind them hold.
//!
//! Layouts of records come from a pass over the whole trace before it plays. Identifiers of this runtime come while it plays, when replay
//! repeats the program's questions. The same bytes may mean another shader in another state object, so everything is kept by state object.

use std::collections::HashMap;

use reprise_state_object::Field as Held;
use reprise_timeline::{At, Call, Interests, Pass, StateObjects};
use reprise_trace::read::Event;

use crate::indirect::{Field, IDENTIFIER, Identifier};
use crate::input::source::{Blobs, Source, walk};

/// Bytes of an identifier.
pub(crate) type Bytes = [u8; IDENTIFIER];

/// Identifiers that the program asked for, with the fields of a record; `None` where the trace does not tell them.
type Layouts = Vec<(Bytes, Option<Vec<Field>>)>;

/// What is known of identifiers.
#[derive(Default)]
pub(crate) struct Identifiers {
    /// By state object.
    layouts: HashMap<u32, Layouts>,
    /// Of this runtime, by the object that was asked and the recorded bytes.
    here: HashMap<(u32, Bytes), Bytes>,
    /// The same, whoever was asked last.
    anywhere: HashMap<Bytes, Bytes>,
    /// Identifiers of programs, which are no shaders': recorded ones and those here.
    programs: HashMap<[u64; 4], [u64; 4]>,
    version: u64,
}

/// Whether the trace's schema names a method that asks for identifiers; one without a schema may have it.
pub(crate) fn are_in(schema: &[u8]) -> bool {
    const ASKS: &[u8] = b"::GetShaderIdentifier";
    schema.is_empty() || schema.windows(ASKS.len()).any(|window| window == ASKS)
}

/// The pass that finds layouts.
struct Finder<'b> {
    found: StateObjects,
    blobs: &'b dyn Blobs,
}

impl Pass for Finder<'_> {
    fn interests(&self) -> Interests {
        StateObjects::interests()
    }

    fn call(&mut self, call: &Call<'_>, _at: &At) {
        // What cannot be read is left out; a dispatch with such records says so.
        let _ = self.found.call(call, &mut |place| self.blobs.at(place));
    }
}

/// The records of a state object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Known {
    /// Its identifiers, as far as they were asked for until now.
    All(Vec<Identifier>),
    /// The trace does not tell what some of its records hold.
    InPart,
    /// The program asked for no identifier of it.
    Nothing,
}

impl Identifiers {
    /// Walks over the events until `stop` says that no more are played.
    pub(crate) fn find(source: &mut dyn Source, blobs: &dyn Blobs, stop: impl Fn(&Event<'_>) -> bool) -> Identifiers {
        let mut finder = Finder { found: StateObjects::default(), blobs };
        // Damage ends the walk as it ends the replay, which says so.
        let _ = walk(source, &mut [&mut finder], stop);
        let field = |(offset, held): &(u32, Held)| match held {
            Held::Address => Some(Field { word: offset / 4, handle: false }),
            Held::Table => Some(Field { word: offset / 4, handle: true }),
            Held::Constants(_) => None,
        };
        let layouts = finder.found.iter().map(|(id, object)| {
            // What could not be read may be what some of the records hold.
            let whole = object.problem.is_none();
            let layout = |of: &reprise_timeline::state_objects::Export| {
                whole.then(|| of.record.fields.iter().filter_map(field).collect())
            };
            (id, object.identifiers().map(|(bytes, export)| (*bytes, layout(export))).collect())
        });
        Identifiers::new(layouts.collect())
    }

    /// Knows the layouts of a trace.
    pub(crate) fn new(layouts: HashMap<u32, Layouts>) -> Identifiers {
        Identifiers { layouts, ..Identifiers::default() }
    }

    /// The runtime was asked what the program asked.
    pub(crate) fn answered(&mut self, asked: u32, recorded: Bytes, here: Bytes) {
        if self.here.insert((asked, recorded), here) != Some(here) {
            self.anywhere.insert(recorded, here);
            self.version += 1;
        }
    }

    /// A state object was asked for a program's identifier.
    pub(crate) fn program(&mut self, recorded: [u64; 4], here: [u64; 4]) {
        self.programs.insert(recorded, here);
    }

    /// The identifier here of a program.
    pub(crate) fn program_of(&self, recorded: &[u64; 4]) -> Option<[u64; 4]> {
        self.programs.get(recorded).copied()
    }

    /// Rises with every change of shaders' identifiers.
    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    /// The records of a state object.
    pub(crate) fn of(&self, state_object: u32) -> Known {
        let Some(all) = self.layouts.get(&state_object).filter(|all| !all.is_empty()) else { return Known::Nothing };
        let mut found = Vec::with_capacity(all.len());
        for (recorded, fields) in all {
            // Those that are asked for later are in no record yet.
            let Some(here) = self.here.get(&(state_object, *recorded)).or_else(|| self.anywhere.get(recorded)) else {
                continue;
            };
            let Some(fields) = fields else { return Known::InPart };
            found.push(Identifier { recorded: *recorded, here: *here, fields: fields.clone() });
        }
        Known::All(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_bytes_may_be_different_shaders() {
        let fields = vec![Field { word: 8, handle: false }];
        let (one, two) = ([1; IDENTIFIER], [2; IDENTIFIER]);
        let layouts = [
            (5, vec![(one, Some(fields.clone()))]),
            (6, vec![(one, Some(vec![])), (two, Some(vec![]))]),
            (7, vec![(two, None)]),
        ];
        let mut known = Identifiers::new(layouts.into());
        assert_eq!((known.of(5), known.of(9)), (Known::All(vec![]), Known::Nothing));
        known.answered(5, one, [11; IDENTIFIER]);
        known.answered(6, one, [12; IDENTIFIER]);
        let before = known.version();
        known.answered(6, one, [12; IDENTIFIER]);
        assert_eq!(known.version(), before);
        let identifier = |here, fields: &[Field]| Identifier { recorded: one, here, fields: fields.to_vec() };
        assert_eq!(known.of(5), Known::All(vec![identifier([11; IDENTIFIER], &fields)]));
        assert_eq!(known.of(6), Known::All(vec![identifier([12; IDENTIFIER], &[])]));
        assert_eq!(known.of(7), Known::All(vec![]), "not asked for yet");
        known.answered(7, two, two);
        assert_eq!(known.of(7), Known::InPart);
    }
}
