//! The commands of a frame that may change a picture, each with the shot that shows it.
//!
//! A frame's commands are those of the lists that its submissions run, in their order; a list that a frame runs twice counts once.

use reprise_d3d12::MODEL;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::operation::{self, Operation};
use reprise_d3d12::types::{D3D12_RESOURCE_DESC1, D3D12_RESOURCE_DIMENSION};
use reprise_timeline::argument::{Argument, Many, ObjectId};
use reprise_timeline::state::lists::{RESET, records};
use reprise_timeline::state::memory;
use reprise_timeline::{At, Call, Interests, Pass, Recorded, State, argument};
use reprise_trace::read::Trace;

use super::pass::{self, Passes};
use super::shot::{Shot, ShotOf};
use super::views::{self, named};
use crate::input::source::walk;

const SUBMITTED: Argument<Many<ObjectId>> = argument!("ID3D12CommandQueue", "ExecuteCommandLists", "ppCommandLists");

/// A command that may change a picture.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DrawShot {
    /// Its method, as in `DrawInstanced`.
    pub method: &'static str,
    /// What to look at right after it: the first target where it draws or clears one, where a render pass resolves to as it ends, and otherwise that of the
    /// command before.
    pub shot: Shot,
    /// Its resource.
    pub resource: u32,
    /// Bytes that the shot takes, about.
    pub bytes: u64,
}

/// The commands that the submissions of a frame run. With `only`, what is looked at is this texture, whatever is bound.
///
/// # Errors
/// The trace cannot be read, or has no such frame.
pub fn draws_of_frame(trace: &Trace, frame: u64, only: Option<u32>) -> Result<Vec<DrawShot>, String> {
    let mut finder = Finder { frame, only, ..Finder::default() };
    // A frame's number in events counts from 0.
    walk(&mut trace.events().without_pages(), &mut [&mut finder], |event| u64::from(event.frame) >= frame)?;
    let frames = u64::from(trace.frame_count());
    if frame == 0 || frame > frames.max(1) {
        return Err(format!("there is no frame {frame}: the trace has {frames}"));
    }
    Ok(finder.found)
}

#[derive(Default)]
struct Finder {
    frame: u64,
    only: Option<u32>,
    state: State,
    /// Commands of each list since it was reset.
    lists: Recorded<Command>,
    passes: Passes,
    /// What was looked at last.
    last: Option<(u32, views::Part)>,
    found: Vec<DrawShot>,
}

struct Command {
    call: u64,
    method: &'static str,
    /// What it draws to, clears or resolves to.
    target: Option<(u32, views::Part, ShotOf)>,
    bytes: u64,
}

impl Pass for Finder {
    fn interests(&self) -> Interests {
        self.state.interests().and(&Interests::new().calls_where(records).calls(&[RESET]).enters(&[SUBMITTED.method()]))
    }

    fn within(&mut self) -> Option<&mut dyn Pass> {
        Some(&mut self.state)
    }

    fn enter(&mut self, call: &Call<'_>, at: &At) {
        self.state.enter(call, at);
        if call.method == SUBMITTED.method() && u64::from(at.frame) + 1 == self.frame {
            let lists = SUBMITTED.of(call).map(|lists| lists.iter().collect::<Vec<_>>());
            lists.into_iter().flatten().for_each(|list| self.submit(list.0, call.number));
        }
    }

    fn call(&mut self, call: &Call<'_>, at: &At) {
        self.note(call);
        self.passes.call(call);
        self.state.call(call, at);
    }
}

impl Finder {
    fn note(&mut self, call: &Call<'_>) {
        if self.lists.call(call) {
            return;
        }
        let Some(row) = MODEL.methods.get(usize::from(call.method.0)) else { return };
        let target = match call.method {
            pass::BEGIN => {
                let (colours, depth) = pass::cleared(call);
                if colours.is_empty() && depth.is_none() {
                    return;
                }
                let slot = colours.first().map(|(slot, _)| *slot);
                let of = slot.map(|slot| ShotOf::Target { slot, slice: 0, sample: 0 });
                of.and_then(|of| named(&self.state, call, &of)?.ok().map(|(resource, part)| (resource, part, of)))
            }
            pass::END => {
                let Some(first) = self.passes.ended(call).first() else { return };
                let of = first.shot(&self.state);
                of.and_then(|of| Some((first.destination, views::Part::of(&of)?, of)))
            }
            method if !changes(method) => return,
            _ => {
                let of = ShotOf::Target { slot: 0, slice: 0, sample: 0 };
                let draws = matches!(operation::of(row), Some(Operation::Draw | Operation::Indirect));
                let view = match named(&self.state, call, &of) {
                    Some(view) => view.ok(),
                    None if draws => self.bound(call.object, &of),
                    None => None,
                };
                view.map(|(resource, part)| (resource, part, of))
            }
        };
        let bytes = target.as_ref().and_then(|(resource, part, _)| self.bytes(*resource, *part));
        let bytes = bytes.unwrap_or(DEFAULT_BYTES);
        let command = Command { call: call.number, method: row.name, target, bytes };
        self.lists.push(call.object, command);
    }

    /// The first target that a list has bound.
    fn bound(&self, list: u32, of: &ShotOf) -> Option<(u32, views::Part)> {
        let bound = &self.state.lists.get(list)?.bound;
        let target = bound.targets.as_ref()?.value.colours.first()?;
        views::part(&target.descriptor.as_ref()?.view, of).ok()
    }

    /// Bytes of a part of a texture, about.
    fn bytes(&self, resource: u32, part: views::Part) -> Option<u64> {
        let made: D3D12_RESOURCE_DESC1 = memory::resource(&self.state.objects.get(resource)?.creation()).ok()??;
        let depth =
            if made.Dimension == D3D12_RESOURCE_DIMENSION::TEXTURE3D { u64::from(made.DepthOrArraySize) } else { 1 };
        let row = (made.Width >> part.mip.min(63)).max(1);
        row.checked_mul((u64::from(made.Height) >> part.mip.min(63)).max(1))?.checked_mul(16)?.checked_mul(depth)
    }

    fn submit(&mut self, list: u32, submission: u64) {
        for command in self.lists.take(list) {
            let (shown, of) = match (self.only, command.target) {
                (Some(resource), _) => {
                    (Some((resource, None)), ShotOf::Texture { resource, mip: 0, slice: 0, plane: 0, sample: 0 })
                }
                (None, Some((resource, part, of))) => (Some((resource, Some(part))), of),
                (None, None) => match self.last {
                    // The picture of before, as long as there is one.
                    Some((resource, part)) if self.state.objects.get(resource).is_some() => {
                        let views::Part { mip, slice, plane, sample, .. } = part;
                        (Some((resource, Some(part))), ShotOf::Texture { resource, mip, slice, plane, sample })
                    }
                    _ => continue,
                },
            };
            let Some((resource, part)) = shown else { continue };
            self.last = part.map(|part| (resource, part));
            let shot = Shot { call: command.call, before: false, submission: Some(submission), of };
            self.found.push(DrawShot { method: command.method, shot, resource, bytes: command.bytes });
        }
    }
}

/// Where the size is not known: a back buffer.
const DEFAULT_BYTES: u64 = 16 << 20;

/// Whether a command may change a picture.
fn changes(method: MethodId) -> bool {
    use Operation::{Barrier, Build, Discard, Write};
    operation::of_number(method.0).is_some_and(|operation| !matches!(operation, Barrier | Build | Discard | Write))
}
