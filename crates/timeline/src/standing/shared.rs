//! Handles of shared objects, and the calls that gave them out.
//!
//! A handle keeps its object, and any device of the program may open it later. The system tells when the program closes a handle only by
//! giving its number out again, so there are as many as were open at one time.

use super::Number;
use crate::argument;
use crate::argument::{Argument, Out, SharedHandle, Text};
use crate::call::Call;
use std::collections::HashMap;

const MADE: Argument<Out<SharedHandle>> = argument!("ID3D12Device", "CreateSharedHandle", "pHandle");
const MADE_NAME: Argument<Text> = argument!("ID3D12Device", "CreateSharedHandle", "Name");
const FOUND: Argument<Out<SharedHandle>> = argument!("ID3D12Device", "OpenSharedHandleByName", "pNTHandle");
const FOUND_NAME: Argument<Text> = argument!("ID3D12Device", "OpenSharedHandleByName", "Name");
const OPENED: Argument<SharedHandle> = argument!("ID3D12Device", "OpenSharedHandle", "NTHandle");

/// By handle: the call that gave it out, and the name that this call gave to the object.
#[derive(Debug, Default)]
pub(super) struct Handles(HashMap<u64, (Number, Option<String>)>);

impl Handles {
    /// A call gives a handle out. Where it found the object by name, this is the call that gave it that name.
    pub(super) fn given(&mut self, call: &Call<'_>) -> Option<Number> {
        let makes = call.method == MADE.method();
        let (handle, name) = match makes {
            true => (MADE.of(call), MADE_NAME.of(call)),
            false => (FOUND.of(call), FOUND_NAME.of(call)),
        };
        let name = name.ok().flatten();
        let namers = self.0.values().filter(|(_, given)| !makes && given.is_some() && *given == name);
        let namer = namers.map(|(call, _)| *call).max();
        if let Ok(Some(SharedHandle(handle))) = handle {
            self.0.insert(handle, (call.number, name.filter(|_| makes)));
        }
        namer
    }

    /// The call that gave out the handle that a call opens.
    pub(super) fn opened(&self, call: &Call<'_>) -> Option<Number> {
        let SharedHandle(handle) = OPENED.of(call).ok()?;
        self.0.get(&handle).map(|(call, _)| *call)
    }

    pub(super) fn calls(&self) -> impl Iterator<Item = Number> {
        self.0.values().map(|(call, _)| *call)
    }
}
