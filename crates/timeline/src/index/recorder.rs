//! The pass that makes an index: the state, and the chronicle beside it.

use super::chronicle::Chronicle;
use crate::call::Call;
use crate::state::State;
use crate::walk::{At, Interests, Memory, Pass};
use reprise_trace::read::Event;

/// A state whose histories are written down.
#[derive(Debug)]
pub(super) struct Recorder {
    pub(super) state: State,
    chronicle: Chronicle,
}

impl Default for Recorder {
    fn default() -> Recorder {
        let mut state = State::default();
        state.note_gone();
        Recorder { state, chronicle: Chronicle::default() }
    }
}

impl Recorder {
    /// The histories, at the end.
    pub(super) fn chronicle(self) -> Chronicle {
        self.chronicle
    }

    /// A call begins, wanted or not.
    pub(super) fn count(&mut self, call: u64) {
        self.chronicle.calls = call;
    }

    fn gone(&mut self, call: u64) {
        for object in self.state.take_gone() {
            self.chronicle.gone(object, call);
        }
    }
}

impl Pass for Recorder {
    fn interests(&self) -> Interests {
        self.state.interests()
    }

    fn enter(&mut self, call: &Call<'_>, at: &At) {
        self.state.enter(call, at);
        self.gone(call.number);
    }

    fn call(&mut self, call: &Call<'_>, at: &At) {
        self.state.call(call, at);
        self.gone(call.number);
        if crate::codec().traits(call.method).output_objects {
            // The state counts what cannot be read.
            for given in call.given().unwrap_or_default() {
                self.chronicle.given(given.object, call.number);
            }
        }
        let _ = self.chronicle.call(call, &self.state);
    }

    fn fact(&mut self, object: u32, kind: u32, bytes: &[u8], at: &At) {
        self.state.fact(object, kind, bytes, at);
    }

    fn memory(&mut self, memory: &Memory<'_>, at: &At) {
        self.state.memory(memory, at);
    }

    fn damaged(&mut self, event: &Event<'_>, at: &At) {
        self.state.damaged(event, at);
    }

    fn observe(&mut self, fence: u32, value: u64, at: &At) {
        self.state.observe(fence, value, at);
        self.chronicle.observe(fence, value, at.call);
    }

    fn frame(&mut self, at: &At) {
        self.state.frame(at);
    }
}
