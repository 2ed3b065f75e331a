//! What rays use: their shader tables, and the acceleration structures that the global root signature shows.
//!
//! Shaders of state objects are not read. So the structures are those in root descriptors and in ranges of tables that do not leave their
//! length open, whether or not a shader traces them.

use crate::draw::Drawing;
use crate::nested::{self, Number};
use crate::record::Context;
use crate::recording::{Use, What};
use crate::states::Access;
use reprise_dxbc::root_signature::{APPEND, Content, Kind, Range};
use reprise_timeline::call::Call;
use reprise_timeline::state::addresses::Slot;
use reprise_timeline::state::lists::{Bound, Pipeline, RootArgument, RootView};

/// Most descriptors of a range that are looked through: longer ranges are arrays that shaders pick from.
const MOST: u32 = 256;

/// Records a dispatch of rays.
pub(crate) fn record(drawing: &mut Drawing<'_, '_>, call: &Call<'_>, bound: &Bound) {
    let place = drawing.place.call;
    if let Some(Pipeline::StateObject(id)) = bound.pipeline.map(|setting| setting.value) {
        drawing.recording.needs.insert(id);
    }
    for it in nested::all(call) {
        if let Number::Address(address) = it.number {
            drawing.context().address(place, address, Access::NonPixel);
        }
    }
    drawing.possible(bound, true);
    let signature = bound.compute.signature.and_then(|set| drawing.signature(set.value));
    for (parameter, argument) in bound.compute.arguments.iter().enumerate() {
        match argument.as_ref().map(|argument| &argument.value) {
            Some(RootArgument::View(RootView::Read, address)) => structure(&mut drawing.context(), place, *address),
            Some(RootArgument::Table(handle)) => {
                let content = signature.as_ref().and_then(|signature| signature.parameters.get(parameter));
                let Some(Content::Table(ranges)) = content.map(|parameter| &parameter.content) else { continue };
                let Some(first) = drawing.scene.state.addresses.gpu(*handle) else { continue };
                drawing.recording.needs.insert(first.heap);
                for (offset, count) in shown(ranges) {
                    let first = Slot { index: first.index.saturating_add(offset), ..first };
                    drawing.recording.push(place, What::Traced(first, count));
                }
            }
            _ => {}
        }
    }
}

/// Where the ranges of shader resources lie in their table, and how many descriptors each has.
fn shown(ranges: &[Range]) -> Vec<(u32, u32)> {
    let mut end = 0u32;
    let mut all = Vec::new();
    for range in ranges {
        let offset = if range.offset == APPEND { end } else { range.offset };
        end = offset.saturating_add(range.count);
        if range.kind == Kind::Srv && range.count <= MOST {
            all.push((offset, range.count));
        }
    }
    all
}

/// A root descriptor of shaders of rays: a use where it is of an acceleration structure.
fn structure(context: &mut Context<'_>, call: u64, address: u64) {
    let Some(place) = context.place(address).filter(|(resource, _)| context.world.has_structures(*resource)) else {
        return;
    };
    context.recording.push(call, What::Use(Use::traced(place)));
}
