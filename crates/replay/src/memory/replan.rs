//! Heaps with a new layout, for devices whose sizes or alignments differ from the capture's.
//!
//! A heap is planned when it is made, with everything that the trace ever places in it (`placements`, `pack`). Later calls that
//! place or map something in it get the new offsets. Invariant: where everything fits as recorded, every argument stays as
//! recorded.

use std::collections::HashMap;

use reprise_codec::arena::Arena;
use reprise_d3d12::description;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{D3D12_HEAP_DESC, D3D12_RESOURCE_ALLOCATION_INFO, D3D12_RESOURCE_DESC};
use reprise_d3d12::{interface, method};
use reprise_timeline::Pass;
use reprise_trace::read::Event;

use super::pack::{self, Item};
use super::placements::{self, Asked, ContentKind, Heap, Interest, Key, Placements, TILE};
use crate::call::dispensable;
use crate::call::open_call::Enter;
use crate::context::Context;
use crate::error::Place;
use crate::input::source::Source;
use crate::world::World;

/// The plans of heaps.
#[derive(Default)]
pub(crate) struct Replan {
    pub(crate) placements: Placements,
    /// Heaps that are not as recorded, by the call that makes each. A frame that is repeated makes its heaps again.
    heaps: HashMap<u64, PlannedHeap>,
    /// Answers of this device, by description.
    requirements: HashMap<(Key, u64, Vec<i32>), Requirement>,
}

/// A heap that is not as it was.
struct PlannedHeap {
    size: u64,
    /// Something in it wants more than the usual alignment.
    coarse: bool,
    /// New offsets of its contents.
    offsets: Vec<u64>,
}

/// Size and alignment that this device wants for a resource.
#[derive(Clone, Copy)]
struct Requirement {
    /// Size and alignment; `None` where it has no such resources.
    answer: Option<(u64, u64)>,
    /// It does not grant the alignment that the program asked for.
    refused: bool,
}

/// Resources lie at multiples of this unless they say otherwise.
const ALIGNMENT: u64 = 64 << 10;
/// The largest alignment of a heap.
const LARGEST: u64 = 4 << 20;

impl Replan {
    /// Looks ahead for everything that the events, up to where the replay ends, place into heaps. `other` looks for what it wants in
    /// the same pass over the trace.
    pub(crate) fn find_placements(&mut self, context: &Context<'_, '_>, source: &mut dyn Source, other: &mut dyn Pass) {
        self.placements = Placements::of(source, other, context.end());
    }

    /// Puts new places into the arguments of a call.
    ///
    /// # Safety
    /// The words are rebuilt arguments of this method; the memory behind them is the arena's and may be written.
    pub(crate) unsafe fn apply(
        &mut self,
        context: &mut Context<'_, '_>,
        enter: Enter<'_, '_>,
        words: &mut [u64],
        arena: &mut Arena,
    ) {
        let Enter { event, method, place, .. } = enter;
        let index = |name: &str| method.params.iter().position(|field| field.name == name);
        // SAFETY: each pointer among the words is null or leads to what the parameter states, in memory that may be written.
        unsafe {
            match placements::interest(event.method) {
                Interest::Heap => {
                    let Some(desc) = index("pDesc").and_then(|at| (words[at] as *mut D3D12_HEAP_DESC).as_mut()) else {
                        return;
                    };
                    self.plan_heap(context, event, desc, place);
                }
                Interest::Placed => {
                    // A call that failed at capture is not changed.
                    if !self.placements.places.contains_key(&event.number) {
                        return;
                    }
                    let new = self.new_offsets(event.number).and_then(|offsets| offsets.first().copied().flatten());
                    if let (Some(at), Some(new)) = (index("HeapOffset"), new) {
                        words[at] = new;
                    }
                    let Some(desc) = index("pDesc").and_then(|at| (words[at] as *mut D3D12_RESOURCE_DESC).as_mut())
                    else {
                        return;
                    };
                    let refused = placements::asked(method, words).is_some_and(|asked| {
                        desc.Alignment != 0 && self.requirement(context, event.object, &asked).refused
                    });
                    if refused {
                        let what = format!("this device does not grant the alignment of {} bytes", desc.Alignment);
                        context.differ(place, format!("{what}; the resource is made with the usual one"));
                        // Both forms of the description begin alike.
                        desc.Alignment = 0;
                    }
                }
                Interest::Tiles => {
                    let Some(new) = self.new_offsets(event.number) else { return };
                    let Some(at) = index("pHeapRangeStartOffsets") else { return };
                    if index("NumRanges").is_none_or(|count| words[count] != new.len() as u64) {
                        return;
                    }
                    if words[at] == 0 {
                        words[at] = arena.zeroed(new.len() * size_of::<u32>()) as u64;
                    }
                    for (range, offset) in new.into_iter().enumerate() {
                        let Some(offset) = offset else { continue };
                        (words[at] as *mut u32).add(range).write((offset / TILE) as u32);
                    }
                }
                Interest::Sizes | Interest::None => {}
            }
        }
    }

    /// The offsets here of all that a call places; `None` where nothing of its heap moves.
    fn new_offsets(&self, call: u64) -> Option<Vec<Option<u64>>> {
        let (heap, contents) = self.placements.places.get(&call)?;
        let planned = self.heaps.get(heap)?;
        Some(contents.iter().map(|content| content.and_then(|at| planned.offsets.get(at).copied())).collect())
    }

    /// Puts the size and alignment of a heap that is not as it was into its description.
    fn plan_heap(
        &mut self,
        context: &mut Context<'_, '_>,
        event: &Event<'_>,
        desc: &mut D3D12_HEAP_DESC,
        place: &Place,
    ) {
        if let Some(heap) = self.placements.heaps.remove(&event.number)
            && let Some(planned) = self.lay_out(context, event.object, &heap, desc.Alignment, place)
        {
            self.heaps.insert(event.number, planned);
        }
        if let Some(planned) = self.heaps.get(&event.number) {
            desc.SizeInBytes = planned.size;
            if planned.coarse {
                desc.Alignment = LARGEST;
            }
        }
    }

    /// Lays out a heap for this device; `None` where it stays as it was.
    fn lay_out(
        &mut self,
        context: &mut Context<'_, '_>,
        device: u32,
        heap: &Heap,
        alignment: u64,
        place: &Place,
    ) -> Option<PlannedHeap> {
        let mut items = Vec::with_capacity(heap.contents.len());
        for content in &heap.contents {
            let (offset, extent) = (content.offset, content.extent);
            items.push(match &content.kind {
                ContentKind::Tiles => Item { offset, extent, size: extent, alignment: TILE, bytes: true },
                ContentKind::Resource(asked) => {
                    // A resource that this device does not have fails at its own call.
                    let (size, alignment) = self.requirement(context, device, asked).answer.unwrap_or((extent, 1));
                    Item { offset, extent, size, alignment, bytes: asked.is_buffer() }
                }
            });
        }
        let packed = match pack::pack(&items, heap.size) {
            Ok(packed) => packed,
            Err(why) => {
                context.differ(place, format!("the heap stays as it was, whatever this device wants: {why}"));
                return None;
            }
        };
        let moved = items.iter().zip(&packed.offsets).filter(|(item, offset)| item.offset != **offset).count();
        let largest = items.iter().map(|item| item.alignment).max().unwrap_or(0);
        let coarse = largest > alignment.max(ALIGNMENT);
        if moved == 0 && packed.size == heap.size && !coarse {
            return None;
        }
        let parted = match packed.parted {
            0 => String::new(),
            count => format!(", and {count} pairs that overlapped lie apart"),
        };
        let (size, count) = (packed.size, items.len());
        context.differ(
            place,
            format!(
                "this device wants other sizes or alignments: the heap has {size} bytes instead of {}, and {moved} of the \
                 {count} resources in it lie elsewhere{parted}",
                heap.size
            ),
        );
        let replanned = &mut context.report.replanned;
        replanned.heaps += 1;
        replanned.resources += moved as u64;
        replanned.recorded_bytes += heap.size;
        replanned.bytes += size;
        replanned.parted += packed.parted;
        Some(PlannedHeap { size, coarse, offsets: packed.offsets })
    }

    /// Asks this device what a resource wants.
    fn requirement(&mut self, context: &mut Context<'_, '_>, device: u32, asked: &Asked) -> Requirement {
        let Context { world, codec, .. } = context;
        let casts = asked.casts.iter().map(|format| format.0).collect();
        let key = (placements::key(&asked.desc), asked.desc.Alignment, casts);
        if let Some(requirement) = self.requirements.get(&key) {
            return *requirement;
        }
        let wanted = asked.desc.Alignment;
        let granted = |answer: &(u64, u64)| wanted == 0 || answer.1 <= wanted;
        let requirement = match ask(world, device, asked).filter(granted) {
            None => {
                let mut less = asked.clone();
                dispensable::take_out_of_resource(codec, &mut less.desc);
                match ask(world, device, &less).filter(granted) {
                    None if wanted != 0 => {
                        less.desc.Alignment = 0;
                        let answer = ask(world, device, &less);
                        Requirement { answer, refused: answer.is_some() }
                    }
                    answer => Requirement { answer, refused: false },
                }
            }
            answer => Requirement { answer, refused: false },
        };
        self.requirements.insert(key, requirement);
        requirement
    }
}

/// Size and alignment of a resource; `None` where the device has no such resources or does not say.
fn ask(world: &mut World, device: u32, asked: &Asked) -> Option<(u64, u64)> {
    const OLDER: MethodId = method("ID3D12Device", "GetResourceAllocationInfo");
    const NEWER: MethodId = method("ID3D12Device8", "GetResourceAllocationInfo2");
    const CASTS: MethodId = method("ID3D12Device12", "GetResourceAllocationInfo3");
    let mut answer = D3D12_RESOURCE_ALLOCATION_INFO::default();
    let out = core::ptr::from_mut(&mut answer) as u64;
    let pointer = world.pointer(device, interface("ID3D12Device")).ok()?;
    let newest = world.pointer(device, interface("ID3D12Device12")).ok().filter(|_| !asked.casts.is_empty());
    let older = description::older(&asked.desc);
    let desc = core::ptr::from_ref(&asked.desc) as u64;
    let (count, casts) = (asked.casts.len() as u32, asked.casts.as_ptr());
    let (count, casts) = (core::ptr::from_ref(&count) as u64, core::ptr::from_ref(&casts) as u64);
    // SAFETY: the pointers are alive and have these interfaces; the arguments are of this function, one description long.
    unsafe {
        if let Some(device) = newest {
            world.runtime.call(device, CASTS, &[out, 0, 1, desc, count, casts, 0]);
        } else if asked.older {
            world.runtime.call(pointer, OLDER, &[out, 0, 1, core::ptr::from_ref(&older) as u64]);
        } else {
            let device = world.pointer(device, interface("ID3D12Device8")).ok()?;
            world.runtime.call(device, NEWER, &[out, 0, 1, desc, 0]);
        }
    }
    let known = answer.SizeInBytes != u64::MAX && answer.SizeInBytes > 0 && answer.Alignment.is_power_of_two();
    known.then_some((answer.SizeInBytes, answer.Alignment))
}
