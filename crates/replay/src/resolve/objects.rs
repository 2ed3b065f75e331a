//! The runtime's objects behind the ids of a trace.
//!
//! Replay does not repeat the program's AddRef and Release, but their outcome: an object goes when the program's last reference
//! went. Invariant: each pointer in the table is one reference that replay holds. A pointer that a call gives out is kept here or
//! released at once.

use std::collections::HashMap;

use reprise_d3d12::model::InterfaceId;

use crate::runtime::com::Com;

/// Why an id cannot be passed on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ObjectError {
    /// No object with this id is alive here.
    Dangling(u32),
    /// Replay keeps the object to itself.
    Virtual(u32, Virtual),
    /// The runtime's object lacks the interface.
    NoInterface(u32, InterfaceId),
}

/// Objects that exist in replay only: nothing of them reaches the runtime.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Virtual {
    /// A DXGI factory, adapter, output or device.
    Dxgi,
    /// A swap chain; its buffers are ordinary textures.
    SwapChain,
    /// A buffer of a swap chain whose size is not known yet.
    BackBuffer,
    /// Given out by a call that is not replayed.
    LeftOut,
}

/// One object; nothing where both members are.
#[derive(Debug, Default)]
struct Object {
    /// Empty for virtual objects.
    pointers: Vec<(InterfaceId, u64)>,
    virtual_kind: Option<Virtual>,
    /// The interface that was asked for last, and its pointer.
    recent: Option<(InterfaceId, u64)>,
}

/// The objects by id.
///
/// A capture gives ids in turn, so that an array serves nearly all lookups. Ids that are far beyond the number of objects
/// so far, as only a damaged trace has them, are kept apart: an id cannot make the array grow at will.
#[derive(Default)]
pub(crate) struct Objects {
    near: Vec<Object>,
    far: HashMap<u32, Object>,
    /// Objects that ever were.
    made: usize,
    /// Objects that went.
    gone: u64,
}

impl Objects {
    /// Ids up to this, and up to four times the number of objects made, are near.
    const NEAR: usize = 1 << 12;

    #[inline]
    fn get(&self, id: u32) -> Option<&Object> {
        let object = match self.near.get(id as usize) {
            Some(object) if object.exists() => Some(object),
            _ => self.far.get(&id),
        };
        object.filter(|object| object.exists())
    }

    #[inline]
    fn get_mut(&mut self, id: u32) -> Option<&mut Object> {
        match self.near.get_mut(id as usize) {
            Some(object) if object.exists() => Some(object),
            _ => self.far.get_mut(&id),
        }
    }

    /// The object with this id, or the place for it.
    fn entry(&mut self, id: u32) -> &mut Object {
        self.made += usize::from(self.get(id).is_none());
        let at = id as usize;
        if self.far.contains_key(&id) || at > Self::NEAR.max(self.made.saturating_mul(4)) {
            return self.far.entry(id).or_default();
        }
        if self.near.len() <= at {
            self.near.resize_with(at + 1, Object::default);
        }
        &mut self.near[at]
    }

    pub(crate) fn contains(&self, id: u32) -> bool {
        self.get(id).is_some()
    }

    pub(crate) fn virtual_kind(&self, id: u32) -> Option<Virtual> {
        self.get(id).and_then(|object| object.virtual_kind)
    }

    /// A call gave out `pointer`, with a reference, where the capture had `id`. `true` if the object is new here.
    pub(crate) fn given(&mut self, com: &impl Com, id: u32, interface: InterfaceId, pointer: u64) -> bool {
        let object = self.entry(id);
        let new = !object.exists();
        if object.virtual_kind.is_some() || object.pointers.iter().any(|&(held, _)| held.derives_from(interface)) {
            com.release(pointer);
        } else {
            object.pointers.push((interface, pointer));
        }
        new
    }

    /// An object that stays within replay.
    pub(crate) fn given_virtual(&mut self, id: u32, kind: Virtual) {
        let object = self.entry(id);
        if !object.exists() {
            object.virtual_kind = Some(kind);
        }
    }

    /// The pointer through which a method of `interface` is called, or that is passed where it is asked for.
    #[inline]
    pub(crate) fn pointer(&mut self, com: &impl Com, id: u32, interface: InterfaceId) -> Result<u64, ObjectError> {
        let object = self.get_mut(id).ok_or(ObjectError::Dangling(id))?;
        match object.recent {
            Some((asked, pointer)) if asked == interface => Ok(pointer),
            _ => object.find(com, id, interface),
        }
    }

    /// Rises where a pointer that was found may not be the right one any more.
    #[inline]
    pub(crate) fn version(&self) -> u64 {
        self.gone
    }

    /// The program's last reference went.
    pub(crate) fn gone(&mut self, com: &impl Com, id: u32) -> bool {
        self.gone += 1;
        let Some(object) = self.get_mut(id).map(core::mem::take) else { return false };
        self.far.remove(&id);
        object.pointers.iter().rev().for_each(|&(_, pointer)| com.release(pointer));
        true
    }

    /// Releases everything, children (larger ids) first.
    pub(crate) fn clear(&mut self, com: &impl Com) {
        let mut ids = self.ids();
        ids.sort_unstable();
        while let Some(id) = ids.pop() {
            self.gone(com, id);
        }
    }

    /// Ids that are alive, in no order.
    pub(crate) fn ids(&self) -> Vec<u32> {
        let near = (0u32..).zip(&self.near).filter(|(_, object)| object.exists());
        near.map(|(id, _)| id).chain(self.far.keys().copied()).collect()
    }
}

impl Object {
    #[inline]
    fn exists(&self) -> bool {
        !self.pointers.is_empty() || self.virtual_kind.is_some()
    }

    /// As [`Objects::pointer`], and kept as the most recent answer.
    fn find(&mut self, com: &impl Com, id: u32, interface: InterfaceId) -> Result<u64, ObjectError> {
        if let Some(kind) = self.virtual_kind {
            return Err(ObjectError::Virtual(id, kind));
        }
        let held = self.pointers.iter().find(|&&(held, _)| held.derives_from(interface));
        let pointer = match held {
            Some(&(_, pointer)) => pointer,
            None => {
                let found = self.pointers.first().and_then(|&(_, pointer)| com.query(pointer, &interface.get().iid));
                let pointer = found.ok_or(ObjectError::NoInterface(id, interface))?;
                self.pointers.push((interface, pointer));
                pointer
            }
        };
        self.recent = Some((interface, pointer));
        Ok(pointer)
    }
}

impl ObjectError {
    /// The error in words, with a remedy.
    pub(crate) fn text(self) -> String {
        match self {
            Self::Dangling(id) => {
                format!(
                    "object {id} is not alive here: the trace is damaged, or the call that made it was not replayed"
                )
            }
            Self::Virtual(id, Virtual::LeftOut) => {
                format!("object {id} is of a kind that replay leaves out, so that it cannot be passed on")
            }
            Self::Virtual(id, Virtual::BackBuffer) => format!(
                "object {id} is a buffer of a swap chain as large as its window, whose size is not in the trace: capture it \
                 with a newer build"
            ),
            Self::Virtual(id, _) => format!("object {id} is a DXGI object, which replay does not pass on"),
            Self::NoInterface(id, interface) => format!(
                "the runtime's object {id} does not offer {}; use a newer runtime (--runtime)",
                interface.get().name
            ),
        }
    }
}

#[cfg(test)]
mod tests;
