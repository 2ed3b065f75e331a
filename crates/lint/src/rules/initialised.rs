//! `uninitialised`: placed and reserved targets are cleared, discarded or copied to before anything else, and textures that only copies fill
//! are copied to again before they are read, once something else had their memory.
//!
//! A use that writes takes the contents of what shares its memory; a target counts as new then. Transitions alone take nothing.

use crate::recording::Use;
use crate::rule::{Rule, Severity};
use crate::scene::{Place, Said, Scene};
use crate::states::Access;
use crate::subresource::Subresources;
use crate::world::{Tracked, World};

pub(crate) static RULE: Rule = Rule {
    name: "uninitialised",
    says: "a placed or reserved render target or depth target is cleared, discarded or copied to first: after it is made, after an aliasing \
           barrier to it, and after something else was written to its memory; a texture that only copies fill is copied to again after these",
    source: "ID3D12Device::CreatePlacedResource, \"Notes on the required resource initialization\"; ID3D12GraphicsCommandList::ResourceBarrier, aliasing",
};

/// A clear, a discard or a copy of all texels.
pub(crate) fn fill(world: &mut World, resource: u32, subresources: &Subresources) {
    if let Some(tracked) = world.resources.get_mut(&resource) {
        fill_one(tracked, subresources);
    }
}

/// The same.
pub(crate) fn fill_one(tracked: &mut Tracked, subresources: &Subresources) {
    if !tracked.blank.is_empty() {
        let blank = &mut tracked.blank;
        subresources.each(tracked.shape.count(), |index| _ = blank.remove(&index));
    }
}

/// A use of a resource.
pub(crate) fn used(scene: &mut Scene<'_>, place: Place, resource: u32, tracked: &mut Tracked, it: &Use) {
    if tracked.blank.is_empty() {
        return;
    }
    // Copies count as initialising, whatever they cover; so do resolves. Unordered writes may cover everything.
    if !matches!(it.access, Access::CopyTo | Access::ResolveTo | Access::Unordered) {
        let mut first = None;
        let blank = &tracked.blank;
        it.subresources.each(tracked.shape.count(), |index| {
            if let Some(since) = blank.get(&index) {
                first.get_or_insert((index, *since));
            }
        });
        if let Some((index, since)) = first {
            let (what, shape) = (it.access.words(), tracked.shape);
            // A target's first use is a rule of the API. What another texture holds then is left open, and may be of no matter.
            let severity = if tracked.is_target() { it.severity } else { it.severity.max(Severity::Likely) };
            scene.say(Said::error(&RULE, place, resource).with(severity), it.access, |_| {
                let text = format!(
                    "{} is used as {what} before anything initialised it; clear, discard or copy all of it first",
                    shape.words(index)
                );
                (text, vec![(since, "since then it has no contents".to_owned())])
            });
        }
    }
    // Once is enough.
    fill_one(tracked, &it.subresources);
}
