//! Answers the codec's questions while it rebuilds one call: objects, numbers, blobs, shaders.

use std::sync::Arc;

use reprise_codec::Texels;
use reprise_codec::rebuild::Resolver;
use reprise_d3d12::method;
use reprise_d3d12::model::{BlobKind, InterfaceId, MethodId, Role};
use reprise_trace::read::Event;

use super::instead::{Found, Named};
use crate::debug::replace::Replacements;
use crate::input::source::Blobs;
use crate::lists::Lists;
use crate::stead::{Missing, Stead};
use crate::world::{World, any_or};

const EXECUTE: MethodId = method("ID3D12CommandQueue", "ExecuteCommandLists");

/// Answers the codec while it rebuilds the arguments of `event`.
pub(crate) struct Lookup<'a, 'e> {
    pub(crate) world: &'a mut World,
    pub(crate) blobs: &'a dyn Blobs,
    pub(crate) event: &'a Event<'e>,
    /// The blob handed out last.
    pub(crate) held: Option<Arc<[u8]>>,
    /// Shaders that the user put in the place of the program's.
    pub(crate) replacements: Option<&'a mut Replacements>,
    /// Lists that have to be recorded before they are passed on.
    pub(crate) lists: Option<&'a mut Lists>,
    /// Objects that were passed on, if they are wanted.
    pub(crate) used: Option<Vec<u64>>,
    /// Arguments that name what is not there, where something else may be passed for it. The last one may be without anything else: then
    /// the call cannot be made.
    pub(crate) missing: Option<Vec<Found>>,
}

impl<'a, 'e> Lookup<'a, 'e> {
    #[inline]
    pub(crate) fn new(world: &'a mut World, blobs: &'a dyn Blobs, event: &'a Event<'e>) -> Self {
        Self { world, blobs, event, held: None, replacements: None, lists: None, used: None, missing: None }
    }
}

impl Lookup<'_, '_> {
    /// What is passed for an argument that cannot be resolved.
    fn instead(&mut self, named: Named, why: String) -> Result<u64, String> {
        let Some(missing) = &mut self.missing else { return Err(why) };
        match named.instead(self.world, (self.event.object, MethodId(self.event.method))) {
            Some(Ok((given, found))) => {
                missing.push(found);
                Ok(given)
            }
            Some(Err(found)) => {
                missing.push(found);
                Err(why)
            }
            None => Err(why),
        }
    }
}

impl Resolver for Lookup<'_, '_> {
    fn object(&mut self, id: u32, interface_id: InterfaceId) -> Result<u64, String> {
        if let Some(lists) = &mut self.lists {
            lists.before_use(id);
        }
        if self.world.stale.unclosed.contains(&id) && self.event.method == EXECUTE.0 {
            let what = format!("list {id} did not close at capture, so that nothing of it ran");
            if let Some(missing) = &mut self.missing {
                missing.push(Found { missing: Missing::Object, what, stead: Stead::TakenOut });
                return Ok(0);
            }
        }
        let pointer = match self.world.pointer(id, any_or(interface_id)) {
            Ok(pointer) => pointer,
            Err(why) => return self.instead(Named::Object(id, interface_id), why),
        };
        self.used.iter_mut().for_each(|used| used.push(pointer));
        Ok(pointer)
    }

    fn word(&mut self, role: Role, value: u64) -> Result<u64, String> {
        self.world.replayed_number(role, value).or_else(|why| self.instead(Named::Number(role, value), why))
    }

    fn blob(&mut self, number: u32, _kind: BlobKind) -> Result<&[u8], String> {
        self.held = Some(self.blobs.blob(self.event, number)?);
        Ok(self.held.as_deref().unwrap_or_default())
    }

    fn shader(&mut self, recorded: &[u8]) -> Option<&[u8]> {
        self.replacements.as_mut()?.get(recorded)
    }

    fn texels(&self, subresource: u32) -> Option<Texels> {
        Texels::of(&self.world.resources.get(&self.event.object)?.desc, subresource)
    }
}
