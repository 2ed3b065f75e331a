//! Layouts of images within a list: what of them is not at rest, and the transitions that wait for the next barrier.
//!
//! Nothing happens here for images that stay in one layout ([`crate::image::Discipline::General`]).

use std::sync::Arc;

use ash::vk;

use crate::encoder::uses::{Range, Uses};
use crate::encoder::{Dirty, Encoder};
use crate::image::{Image, Use};
use crate::scope::{Gathered, Scope};
use crate::settings;

type Stages = vk::PipelineStageFlags2;
type Access = vk::AccessFlags2;

/// The images of a list that are not at rest.
#[derive(Debug, Default)]
pub(super) struct Layouts {
    /// Held so that the list can end in the right layouts, whatever the program lets go before.
    away: Vec<(Arc<Image>, Uses)>,
    /// Transitions for the next barrier.
    pub(super) waiting: Vec<vk::ImageMemoryBarrier2<'static>>,
}

impl Layouts {
    /// Forgets everything, as the list of a command buffer that is not used any more.
    pub(super) fn clear(&mut self) {
        self.away.clear();
        self.waiting.clear();
    }

    /// Whether a transition waits for subresources of a range.
    fn waits(&self, image: &Image, range: &Range) -> bool {
        let same = |one: &vk::ImageMemoryBarrier2<'_>| one.image == image.image;
        self.waiting.iter().any(|one| same(one) && Range::new(image, &one.subresource_range).meets(range))
    }

    /// The uses of an image's subresources, if they are not all at rest.
    fn known(&self, image: &Arc<Image>) -> Option<&Uses> {
        self.away.iter().rev().find(|(known, _)| Arc::ptr_eq(known, image)).map(|(_, uses)| uses)
    }

    /// The uses of an image's subresources.
    fn of(&mut self, image: &Arc<Image>) -> &mut Uses {
        let known = self.away.iter().rposition(|(known, _)| Arc::ptr_eq(known, image));
        let at = known.unwrap_or_else(|| {
            self.away.push((image.clone(), Uses::new(image)));
            self.away.len() - 1
        });
        &mut self.away[at].1
    }
}

/// Stages and kinds of access of a use; nothing for images at rest.
fn scope(image: &Image, of: Use) -> Scope {
    let colour = image.usage.contains(vk::ImageUsageFlags::COLOR_ATTACHMENT);
    match of {
        Use::Rest => Scope::default(),
        Use::Target if colour => Scope {
            stages: Stages::COLOR_ATTACHMENT_OUTPUT,
            access: Access::COLOR_ATTACHMENT_READ | Access::COLOR_ATTACHMENT_WRITE,
        },
        Use::Target => Scope {
            stages: Stages::EARLY_FRAGMENT_TESTS | Stages::LATE_FRAGMENT_TESTS,
            access: Access::DEPTH_STENCIL_ATTACHMENT_READ | Access::DEPTH_STENCIL_ATTACHMENT_WRITE,
        },
        Use::Source => Scope { stages: Stages::ALL_TRANSFER, access: Access::TRANSFER_READ },
        Use::Destination | Use::Copy => {
            Scope { stages: Stages::ALL_TRANSFER, access: Access::TRANSFER_READ | Access::TRANSFER_WRITE }
        }
    }
}

/// What a transition waits for and what waits for it, where the program has no barrier for it.
fn scopes(image: &Image, from: Use, to: Use) -> [Scope; 2] {
    let before = match (from, to) {
        // The API lets shaders and copies read at the same time.
        (Use::Rest, Use::Source | Use::Copy) => Scope { stages: Stages::ALL_COMMANDS, access: Access::empty() },
        // It wants a barrier before a write: the transition has to follow that.
        (Use::Rest, _) => Scope { stages: scope(image, to).stages, access: Access::empty() },
        _ => scope(image, from),
    };
    [before, if to == Use::Rest { Scope::ALL } else { scope(image, to) }]
}

impl Encoder {
    /// Whether layouts are tracked on this device.
    #[inline(always)]
    pub fn tracks_layouts(&self) -> bool {
        self.logical.layouts == settings::Layouts::Tracked
    }

    /// Subresources are used so by the next commands: transitions wait for the next barrier, which the caller makes.
    pub fn ready(&mut self, image: &Arc<Image>, range: vk::ImageSubresourceRange, to: Use) {
        self.ready_between(image, range, to, [Scope::default(); 2]);
    }

    /// As [`Encoder::ready`], for a barrier of the program between these scopes.
    pub fn ready_between(
        &mut self,
        image: &Arc<Image>,
        range: vk::ImageSubresourceRange,
        to: Use,
        [before, after]: [Scope; 2],
    ) {
        if !image.discipline.is_tracked() {
            return;
        }
        let range = Range::new(image, &range);
        if self.layouts.waits(image, &range) {
            self.barriers(&Gathered::default());
        }
        let role = self.role;
        let mut told = Vec::new();
        self.layouts.of(image).change(&range, to, |range, from| {
            if image.discipline.layout(from) == image.discipline.layout(to) {
                return;
            }
            let [earlier, later] = scopes(image, from, to);
            told.push(image.transition(
                range.vk(),
                [from, to],
                [before.or(earlier).on(role), after.or(later).on(role)],
            ));
        });
        self.layouts.waiting.append(&mut told);
    }

    /// Subresources are copied from or to by the next command, which the caller records behind a barrier of its own. Draws and
    /// dispatches find them at rest again.
    pub fn ready_copy(&mut self, image: &Arc<Image>, range: vk::ImageSubresourceRange, to: Use) {
        if image.discipline.is_tracked() {
            self.ready(image, range, to);
            self.dirty.set(Dirty::LAYOUTS);
        }
    }

    /// Contents of subresources are let go: what lies in the memory may be another resource's. Commands between the scopes use
    /// them so next; the transition waits for the next barrier.
    pub fn let_go(&mut self, image: &Arc<Image>, range: vk::ImageSubresourceRange, to: Use, scopes: [Scope; 2]) {
        if image.discipline.is_tracked() {
            // Whatever lay there before rests, so that the list's end does not touch the memory.
            self.rest_where(|other| !Arc::ptr_eq(other, image) && other.shares_memory(image));
            self.barriers(&Gathered::default());
            self.layouts.of(image).change(&Range::new(image, &range), to, |_, _| {});
        }
        let scopes = scopes.map(|scope| scope.on(self.role));
        self.layouts.waiting.push(image.let_go(range, to, scopes));
    }

    /// Whether some of these subresources are ready to be rendered to.
    pub fn is_target(&self, image: &Arc<Image>, range: vk::ImageSubresourceRange) -> bool {
        self.layouts.known(image).is_some_and(|uses| uses.any(&Range::new(image, &range), Use::Target))
    }

    /// Images that are placed in heaps rest, because another resource uses their memory next: `next`, or any.
    pub fn rest_placed(&mut self, next: Option<&Arc<Image>>) {
        self.rest_where(|image| match next {
            Some(next) => !Arc::ptr_eq(image, next) && image.shares_memory(next),
            None => image.is_placed_target(),
        });
    }

    /// What copies have used rests, for draws and dispatches.
    pub fn rest_copied(&mut self) {
        self.rest_uses(|_| true, &[Use::Source, Use::Destination, Use::Copy]);
    }

    /// All images rest, as the next list expects them.
    pub fn rest_all(&mut self) {
        self.rest_where(|_| true);
        self.layouts.away.clear();
    }

    fn rest_where(&mut self, which: impl Fn(&Arc<Image>) -> bool) {
        self.rest_uses(which, &[Use::Target, Use::Source, Use::Destination, Use::Copy]);
    }

    /// Makes subresources rest that are ready for some uses, by a barrier of its own.
    fn rest_uses(&mut self, which: impl Fn(&Arc<Image>) -> bool, of: &[Use]) {
        if self.layouts.away.is_empty() {
            return;
        }
        self.barriers(&Gathered::default());
        let (role, Layouts { away, waiting }) = (self.role, &mut self.layouts);
        for (image, uses) in away.iter_mut().filter(|(image, uses)| which(image) && of.iter().any(|of| uses.has(*of))) {
            let mut back = Vec::new();
            let alike = |from| image.discipline.layout(from) == image.discipline.layout(Use::Rest);
            uses.change(&uses.whole(), Use::Rest, |range, from| match of.contains(&from) {
                true if alike(from) => {}
                true => {
                    let scopes = scopes(image, from, Use::Rest).map(|scope| scope.on(role));
                    waiting.push(image.transition(range.vk(), [from, Use::Rest], scopes));
                }
                false => back.push((range, from)),
            });
            // What is used otherwise stays so.
            for (range, from) in back {
                uses.change(&range, from, |_, _| {});
            }
        }
        away.retain(|(_, uses)| !uses.is_resting());
        self.barriers(&Gathered::default());
    }
}
