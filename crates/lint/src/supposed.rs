//! The state that a subresource must have had at a point where it is not known, by what lists did with it since.
//!
//! A program that is right uses a subresource as its state allows, and its first barrier names that state, or one that uses promoted it to.
//! So the state is one that fits all uses up to the first barrier, and that barrier.

use crate::standing::Standing;
use crate::states::{Access, Kind, layout as layouts, legacy};

/// What is supposed of a subresource.
#[derive(Clone, Debug)]
pub(crate) struct Supposed {
    kind: Kind,
    uses: Vec<Access>,
    /// What the first barrier names, or [`Standing::Unknown`] where nobody knows it.
    before: Option<Standing>,
}

impl Supposed {
    /// Nothing was done with a subresource of this kind.
    pub(crate) fn nothing(kind: Kind) -> Supposed {
        Supposed { kind, uses: Vec::new(), before: None }
    }

    /// It is used, in the state that it still has.
    pub(crate) fn uses(&mut self, access: Access) {
        if self.before.is_none() && !self.uses.contains(&access) {
            self.uses.push(access);
        }
    }

    /// A barrier moves it from there.
    pub(crate) fn moves(&mut self, before: Standing) {
        self.before.get_or_insert(before);
    }

    /// The state; `None` where no one fits.
    pub(crate) fn standing(&self) -> Option<Standing> {
        let before = match self.before {
            Some(Standing::State(before)) => Some(before),
            None | Some(Standing::Layout(layouts::UNDEFINED)) => None,
            Some(Standing::Unknown) => return None,
            Some(Standing::Layout(layout)) => {
                let fits = self.uses.iter().all(|access| layouts::allows(self.kind, layout, *access));
                return fits.then_some(Standing::Layout(layout));
            }
            Some(split @ Standing::Split { .. }) => return self.uses.is_empty().then_some(split),
        };
        let fits = |state: &u32| {
            let state = legacy::State::of(*state);
            self.uses.iter().all(|access| legacy::used(self.kind, state, *access).is_some())
                && before.is_none_or(|before| legacy::matches(self.kind, state, before))
        };
        let needs = self.uses.iter().map(|access| access.state());
        let all = needs.clone().fold(0, |all, need| all | need);
        // Common comes before other states that uses need: it allows reads that are not followed, too.
        let candidates = before.into_iter().chain([legacy::COMMON, all]).chain(needs);
        candidates.filter(|state| !legacy::malformed(*state)).find(fits).map(Standing::State)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expected states follow Microsoft's "Using Resource Barriers": COMMON is promoted to some states by a use, a barrier has to make
    /// the others, and some uses allow no one state.
    #[test]
    fn a_state_fits_all_uses_and_the_barrier_behind_them() {
        const RENDER_TARGET: u32 = 0x4;
        const DEPTH_WRITE: u32 = 0x10;
        const DEPTH_READ: u32 = 0x20;
        const PIXEL_SHADER_RESOURCE: u32 = 0x80;
        const COPY_DEST: u32 = 0x400;
        let state = |uses: &[Access], before: Option<u32>| {
            let mut supposed = Supposed::nothing(Kind::Texture);
            uses.iter().for_each(|access| supposed.uses(*access));
            before.into_iter().for_each(|before| supposed.moves(Standing::State(before)));
            supposed.standing()
        };
        for (uses, before, expected) in [
            (&[][..], None, legacy::COMMON),
            (&[], Some(COPY_DEST), COPY_DEST),
            (&[Access::Pixel, Access::NonPixel], None, legacy::COMMON),
            (&[Access::Pixel], Some(PIXEL_SHADER_RESOURCE), PIXEL_SHADER_RESOURCE),
            // Copied to and read, without a barrier: promoted, decayed on a copy queue, and promoted again.
            (&[Access::CopyTo, Access::Pixel], Some(PIXEL_SHADER_RESOURCE), legacy::COMMON),
            (&[Access::Target], None, RENDER_TARGET),
            (&[Access::DepthWrite, Access::DepthRead], None, DEPTH_WRITE),
            (&[Access::DepthRead, Access::Pixel], None, DEPTH_READ | PIXEL_SHADER_RESOURCE),
        ] {
            assert_eq!(state(uses, before), Some(Standing::State(expected)), "{uses:?} {before:?}");
        }
        assert_eq!(state(&[Access::Target, Access::Pixel], None), None);
        assert_eq!(state(&[Access::Target], Some(PIXEL_SHADER_RESOURCE)), None);
    }

    #[test]
    fn only_what_comes_before_the_first_barrier_counts() {
        let mut supposed = Supposed::nothing(Kind::Texture);
        supposed.moves(Standing::Layout(2));
        supposed.moves(Standing::Layout(6));
        supposed.uses(Access::Pixel);
        assert_eq!(supposed.standing(), Some(Standing::Layout(2)));
        let mut lost = Supposed::nothing(Kind::Texture);
        lost.moves(Standing::Unknown);
        assert_eq!(lost.standing(), None);
    }
}
