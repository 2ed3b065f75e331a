//! What is bound at the draws whose layers are wanted.

use reprise_timeline::state::memory;
use reprise_timeline::{Call, State};

use crate::input::source::{Blobs, Source};
use crate::opened;
use crate::pixel::Draw as Bound;
use crate::report::overlay::OverlayWish;
use crate::resource_dump::{Part, ShotOf, has_slices, part_of_view, unknown_view};
use crate::wished::{self, Drawn};

/// A draw whose layers are wanted.
#[derive(Clone, Debug)]
pub(crate) struct Draw {
    pub(crate) bound: Bound,
    /// The part of a texture whose texels are meant.
    pub(crate) target: (u32, Part),
    /// The call that set the targets.
    pub(crate) set: u64,
}

impl Drawn for Draw {
    fn made(&self) -> u64 {
        self.bound.origin.call
    }
}

/// All draws that are wanted.
pub(crate) type Plan = wished::Plan<Draw>;

/// # Errors
/// The trace cannot be read.
pub(crate) fn plan(source: &mut dyn Source, blobs: &dyn Blobs, wishes: &[OverlayWish]) -> Result<Plan, String> {
    let wanted: Vec<wished::Wish> = wishes.iter().map(|wish| (wish.call, wish.submission)).collect();
    wished::plan(source, &wanted, &mut |index, state, call| draw(state, blobs, call, wishes[index].slot))
}

/// A draw with what is bound there, or why its layers cannot be had.
fn draw(state: &State, blobs: &dyn Blobs, call: &Call<'_>, slot: Option<u32>) -> Result<Draw, String> {
    use reprise_timeline::state::lists::{Action, action};
    if !matches!(action(call.method), Some(Action::Indirect)) && !action(call.method).is_some_and(|it| it.draws()) {
        return Err(wished::no_draw(call.method));
    }
    let bound = Bound::of(state, blobs, call, slot, None)?;
    if opened::is_closed(&bound.bound) {
        return Err("it is in a render pass that cannot be opened, so that other targets cannot be set".into());
    }
    let targets = bound.bound.targets.as_ref().ok_or("it has no targets")?;
    let of = match slot {
        Some(slot) => ShotOf::Target { slot, slice: 0, sample: 0 },
        None => ShotOf::Depth { stencil: false, slice: 0, sample: 0 },
    };
    let target = match slot {
        Some(slot) => targets.value.colours.get(slot as usize),
        None => targets.value.depth.as_ref(),
    };
    let none = || match slot {
        Some(slot) => format!("no target {slot} is bound"),
        None => "no depth buffer is bound".to_owned(),
    };
    let view = target.ok_or_else(none)?.descriptor.as_ref().ok_or_else(|| unknown_view(slot))?;
    let made = state.objects.get(view.view.resource).and_then(|it| memory::resource(&it.creation()).ok()?);
    if has_slices(&view.view, made.map_or(1, |made| u32::from(made.DepthOrArraySize))) {
        return Err("it draws to several slices, among which shaders choose".into());
    }
    let (target, set) = (part_of_view(&view.view, &of)?, targets.call);
    Ok(Draw { bound, target, set })
}
