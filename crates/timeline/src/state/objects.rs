//! The objects that exist, and how each came to be.
//!
//! Two counts keep an object alive. The outside count holds the references that the program was given or took itself: a
//! runtime's own count says little about who forgot to release. The inner count holds the live objects that need this
//! one: a device is needed by what it made, a heap by the resources placed in it, a swap chain's queue by the chain, the chain's
//! buffers by the chain.
//!
//! Invariant: an object exists from the leave of the call that first gave it out to the enter of the release that takes the
//! last reference.

use crate::argument;
use crate::argument::{Argument, Bytes, Content, Damaged, ObjectId, One, Text};
use crate::call::{Call, Outcome, Payload};
use crate::given::Given;
use crate::walk::Interests;
use reprise_d3d12::model::{Guid, InterfaceId, MethodId};
use reprise_d3d12::{interface, method};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// `WKPDID_D3DDebugObjectName` and `WKPDID_D3DDebugObjectNameW`: names that are set as private data (d3dcommon.h).
const NAME: Guid = Guid::from_u128(0x429b8c22_9188_4b0c_8742_acb0bf85c200);
const WIDE_NAME: Guid = Guid::from_u128(0x4cca5fd8_921f_42c8_8566_70caf2a9b741);

const ADD_REF: MethodId = method("IUnknown", "AddRef");
const RELEASE: MethodId = method("IUnknown", "Release");
const SET_NAME: Argument<Text> = argument!("ID3D12Object", "SetName", "Name");
const DATA_KIND: Argument<One<Guid>> = argument!("ID3D12Object", "SetPrivateData", "guid");
const DATA: Argument<Bytes> = argument!("ID3D12Object", "SetPrivateData", "pData");

/// Parameters that name what the created object needs as long as it lives.
const NEEDS: &[Argument<ObjectId>] = &[
    argument!("ID3D12Device", "CreatePlacedResource", "pHeap"),
    argument!("ID3D12Device8", "CreatePlacedResource1", "pHeap"),
    argument!("ID3D12Device10", "CreatePlacedResource2", "pHeap"),
    argument!("IDXGIFactory", "CreateSwapChain", "pDevice"),
    argument!("IDXGIFactory2", "CreateSwapChainForHwnd", "pDevice"),
    argument!("IDXGIFactory2", "CreateSwapChainForCoreWindow", "pDevice"),
    argument!("IDXGIFactory2", "CreateSwapChainForComposition", "pDevice"),
];

/// Interfaces whose methods give out objects that need the object they were called on.
const MAKERS: [InterfaceId; 4] = [
    interface("ID3D12Device"),
    interface("IDXGISwapChain"),
    // An interface of the queue.
    interface("IDXGIVkSwapChainFactory"),
    interface("IDXGIVkSwapChain"),
];

/// The objects that exist.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Objects {
    live: BTreeMap<u32, Object>,
    /// Objects that existed and are gone.
    gone: u64,
}

/// An object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Object {
    /// The interface that it was first given out as, by number.
    interface: u16,
    /// Number of the call that gave it out first.
    pub call: u64,
    /// That call's method, by number.
    method: u16,
    /// The object that the call was made on: the device of most objects; 0 for functions.
    pub parent: u32,
    /// What it needs as long as it lives.
    needs: Vec<u32>,
    /// As the program named it last.
    pub name: Option<Name>,
    /// References that the program holds.
    pub outside: u32,
    /// Live objects that need it.
    pub inner: u32,
    /// The arguments of its creation.
    enter: Box<[u8]>,
    blobs: Box<[(u32, u64)]>,
}

/// A name that the program gave to an object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Name {
    /// The name.
    Text(String),
    /// The bytes of a name that are in a blob of the trace, wide or narrow.
    Blob {
        /// Place of the blob in the trace.
        blob: u64,
        /// UTF-16, not bytes.
        wide: bool,
    },
}

impl Name {
    /// The name in these bytes of private data: bytes or UTF-16 units, with or without a zero at the end.
    pub fn text(bytes: &[u8], wide: bool) -> String {
        let text = if wide {
            let units: Vec<u16> = bytes.as_chunks::<2>().0.iter().map(|unit| u16::from_le_bytes(*unit)).collect();
            String::from_utf16_lossy(&units)
        } else {
            String::from_utf8_lossy(bytes).into_owned()
        };
        text.trim_end_matches('\0').to_owned()
    }
}

impl Object {
    /// What it needs as long as it lives.
    pub fn needs(&self) -> &[u32] {
        &self.needs
    }

    /// The interface that it was first given out as.
    pub fn interface(&self) -> InterfaceId {
        InterfaceId(self.interface)
    }

    /// The method that gave it out first.
    pub fn method(&self) -> MethodId {
        MethodId(self.method)
    }

    /// The call that gave it out first, with its arguments and without its outcome: accessors read the description there.
    pub fn creation(&self) -> Call<'_> {
        Call {
            number: self.call,
            thread: 0,
            frame: 0,
            time_ns: 0,
            method: self.method(),
            object: self.parent,
            enter: Payload { bytes: &self.enter, blobs: &self.blobs },
            outcome: Outcome::Nothing,
        }
    }
}

impl Objects {
    /// The calls that change it.
    pub(crate) fn interests() -> Interests {
        let gives = |method| crate::codec().traits(method).output_objects;
        Interests::new()
            .enters(&[ADD_REF, RELEASE, SET_NAME.method(), DATA.method()])
            .calls(&[RELEASE])
            .calls_where(gives)
    }

    /// The object with this id, if it exists.
    pub fn get(&self, id: u32) -> Option<&Object> {
        self.live.get(&id)
    }

    /// All objects, by rising id.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &Object)> {
        self.live.iter().map(|(id, object)| (*id, object))
    }

    /// How many objects exist.
    pub fn len(&self) -> usize {
        self.live.len()
    }

    /// Whether none exists.
    pub fn is_empty(&self) -> bool {
        self.live.is_empty()
    }

    /// How many objects existed and are gone.
    pub fn gone(&self) -> u64 {
        self.gone
    }

    /// A call begins. Adds the objects that are gone from here on to `gone`.
    ///
    /// # Errors
    /// When an argument cannot be read.
    pub(crate) fn enter(&mut self, call: &Call<'_>, gone: &mut Vec<u32>) -> Result<(), Damaged> {
        match call.method {
            ADD_REF => {
                if let Some(object) = self.live.get_mut(&call.object) {
                    object.outside = object.outside.saturating_add(1);
                }
            }
            RELEASE => self.let_go(call.object, 1, gone),
            method if method == SET_NAME.method() => {
                if let Some(name) = SET_NAME.of(call)? {
                    self.name(call.object, Name::Text(name));
                }
            }
            method if method == DATA.method() => {
                let wide = match DATA_KIND.of(call)? {
                    Some(NAME) => false,
                    Some(WIDE_NAME) => true,
                    _ => return Ok(()),
                };
                match DATA.of(call)? {
                    Some(Content::Inline(bytes)) => self.name(call.object, Name::Text(Name::text(bytes, wide))),
                    Some(Content::Blob(blob, _)) => self.name(call.object, Name::Blob { blob, wide }),
                    Some(Content::Absent(_)) | None => {}
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// A call is complete. Adds the objects that are gone from here on to `gone`.
    ///
    /// # Errors
    /// When its outcome cannot be read.
    pub(crate) fn call(&mut self, call: &Call<'_>, gone: &mut Vec<u32>) -> Result<(), Damaged> {
        if call.method == RELEASE {
            // The runtime says that nobody holds it any more, whatever was counted here.
            if call.result() == Some(0) {
                self.let_go(call.object, u32::MAX, gone);
            }
            return Ok(());
        }
        for given in call.given()? {
            self.give(call, given);
        }
        Ok(())
    }

    fn give(&mut self, call: &Call<'_>, given: Given) {
        if let Some(object) = self.live.get_mut(&given.object) {
            object.outside = object.outside.saturating_add(1);
            return;
        }
        let through = call.method.get().interface;
        let makes = through.is_some_and(|through| MAKERS.iter().any(|maker| through.derives_from(*maker)));
        let parent = makes.then_some(call.object);
        let needed = NEEDS.iter().filter(|needs| needs.method() == call.method).filter_map(|needs| needs.of(call).ok());
        let mut needs: Vec<u32> = parent.into_iter().chain(needed.map(|id| id.0)).collect();
        needs.retain(|id| *id != given.object && self.live.contains_key(id));
        for id in &needs {
            self.live.entry(*id).and_modify(|needed| needed.inner = needed.inner.saturating_add(1));
        }
        let object = Object {
            interface: given.interface.0,
            call: call.number,
            method: call.method.0,
            parent: call.object,
            needs,
            name: None,
            outside: 1,
            inner: 0,
            enter: call.enter.bytes.into(),
            blobs: call.enter.blobs.into(),
        };
        self.live.insert(given.object, object);
    }

    fn name(&mut self, id: u32, name: Name) {
        if let Some(object) = self.live.get_mut(&id) {
            object.name = Some(name);
        }
    }

    /// The program gives up so many references to an object.
    fn let_go(&mut self, id: u32, references: u32, gone: &mut Vec<u32>) {
        let Some(object) = self.live.get_mut(&id) else { return };
        object.outside = object.outside.saturating_sub(references);
        let mut stack = vec![id];
        while let Some(id) = stack.pop() {
            if self.live.get(&id).is_none_or(|object| object.outside > 0 || object.inner > 0) {
                continue;
            }
            let Some(object) = self.live.remove(&id) else { continue };
            self.gone += 1;
            gone.push(id);
            for needed in object.needs {
                if let Some(object) = self.live.get_mut(&needed) {
                    object.inner = object.inner.saturating_sub(1);
                    stack.push(needed);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_private_data_are_narrow_or_wide() {
        assert_eq!(Name::text(b"shadow map", false), "shadow map");
        assert_eq!(Name::text(b"a\0b\0\0\0", true), "ab");
        assert_eq!(Name::text(b"a\0b", true), "a", "half a unit is none");
    }
}
