//! The pass that makes an index: the state, and the chronicle beside it.

use super::chronicle::Chronicle;
use crate::call::Call;
use crate::state::State;
use crate::walk::{At, Interests, Pass};

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

    fn within(&mut self) -> Option<&mut dyn Pass> {
        Some(&mut self.state)
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

    fn observe(&mut self, fence: u32, value: u64, at: &At) {
        self.state.observe(fence, value, at);
        self.chronicle.observe(fence, value, at.call);
    }
}
