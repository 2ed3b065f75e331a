//! `uninitialised`: placed and reserved targets are cleared, discarded or copied to before anything else.
//!
//! A use that writes makes what shares its memory inactive; an inactive target counts as new. Transitions alone activate
//! nothing.

use crate::recording::Use;
use crate::rule::Rule;
use crate::scene::{Place, Said, Scene};
use crate::states::Access;
use crate::subresource::Subresources;
use crate::world::{Tracked, World};

pub(crate) static RULE: Rule = Rule {
    name: "uninitialised",
    says: "a placed or reserved render target or depth target is cleared, discarded or copied to first: after it is made, after an aliasing \
           barrier to it, and after something else was written to its memory",
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
            scene.say(Said::error(&RULE, place, resource).with(it.severity), it.access, |_| {
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
