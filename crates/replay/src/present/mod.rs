//! Presentation without a window: swap chains in place of the program's, and the picture of each frame.
//!
//! Invariant: the picture of a frame is that of the first texture presented in it, or where frames are shown by other means than the
//! API, the last one that the program read back (`read_back`). Only frames that are wanted are read back.

mod dxgi;
pub(crate) mod read_back;
mod stand_in;
pub(crate) mod swap_chains;

use std::collections::HashMap;
use std::time::Instant;

use reprise_codec::decode::Outcome;
use reprise_d3d12::lookup::by_iid;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::{interface, method};
use reprise_trace::wanted_frames::WantedFrames;

use crate::call::open_call::{Enter, OpenCall};
use crate::context::Context;
use crate::error::{Error, Place};
use crate::input::outcome::recorded_id;
use crate::input::values::{at, guid, ids, number_at, structure};
use crate::memory::mapped;
use crate::picture::{Picture, readback};
use crate::report::Frame;
use crate::resolve::back_buffers::BackBuffer;
use crate::resolve::objects::Virtual;
use crate::results;
use crate::runtime::com::Com;
use crate::runtime::reference;
use dxgi::Presented;
use read_back::{ReadBacks, Seen};
use stand_in::stand_in;
use swap_chains::{Shown, SwapChains, texture_of_image};

/// The factory is an interface of the queue that presents.
const CREATE_VULKAN: MethodId = method("IDXGIVkSwapChainFactory", "CreateSwapChain");
/// `DXGI_PRESENT_TEST`.
const PRESENT_TEST: u64 = 1;
/// `DXGI_PRESENT_DO_NOT_SEQUENCE`.
const PRESENT_DO_NOT_SEQUENCE: u64 = 2;

/// A swap chain: an object's id, or a handle of Vulkan's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Surface {
    Object(u32),
    Vulkan(u64),
}

/// Swap chains, and the picture of the frame under way.
#[derive(Default)]
pub(crate) struct Presentation {
    pub(crate) chains: SwapChains,
    /// The picture of the frame under way, once presented.
    shown: Option<Frame>,
    /// The picture of a present that has not returned, and its call: a present that fails shows nothing.
    pending: Option<(u64, Picture)>,
    /// What the program reads back, and the last picture of it by thread, since the thread's last frame.
    pub(crate) read_backs: ReadBacks,
    read: HashMap<u32, Picture>,
    /// The swap chain whose presents alone end frames, as the user chose at capture or for the replay.
    pub(crate) only: Option<Surface>,
    /// The first whole frame of a flight recorder. Presents that are kept of older ones show nothing.
    pub(crate) first: u64,
    /// The frames that were wanted at capture. Earlier ones are played, because later ones build on them, and give no pictures.
    pub(crate) wanted: Option<WantedFrames>,
}

impl Presentation {
    /// Takes the picture of the frame under way.
    pub(crate) fn take_shown(&mut self) -> Option<Frame> {
        self.shown.take()
    }

    /// Takes the picture of a present that the trace ends in: the program died before it returned.
    pub(crate) fn take_unfinished(&mut self, context: &Context<'_, '_>) -> Option<Frame> {
        let pending = self.pending.take().map(|(_, picture)| frame_of(context, &picture));
        self.shown.take().or(pending)
    }

    /// A call has ended: a picture that it mapped is the thread's last one.
    pub(crate) fn look(&mut self, context: &mut Context<'_, '_>) {
        let Some(Seen { thread, buffer, picture }) = self.read_backs.take() else { return };
        self.read.remove(&thread);
        if !self.wants_picture(context) {
            return;
        }
        let start = Instant::now();
        // The program knew by its own means that the GPU was done, and those may leave no trace.
        context.lists.before_all();
        let Context { world, options, report, .. } = context;
        let rows = world
            .drain(options.fence_wait_timeout)
            .then(|| mapped::load(world, buffer, 0, picture.offset, picture.bytes() as usize))
            .flatten();
        let (size, pitch) = ((picture.width, picture.height, picture.format), picture.pitch as usize);
        let read = rows.and_then(|rows| Picture::from_rows(size, &rows, pitch).ok());
        self.read.extend(read.map(|picture| (thread, picture)));
        report.timings.read_back += start.elapsed();
    }

    /// A frame ends that a thread shows by other means than the API: its picture is the last one that was read back.
    ///
    /// # Errors
    /// It cannot be written or passed on.
    pub(crate) fn show_read_back(
        &mut self,
        context: &mut Context<'_, '_>,
        thread: u32,
        place: &Place,
    ) -> Result<(), Error> {
        let read = self.read.remove(&thread);
        if self.shown.is_some() || !self.read_backs.are_followed() || !self.wants_picture(context) {
            return Ok(());
        }
        let Some(picture) = read else {
            const WHY: &str = "the program read back no picture before the buffers were swapped: the frame has none";
            context.differ(place, WHY);
            return Ok(());
        };
        self.publish(context, &picture, place)
    }

    /// Whether the frame under way is to be hashed, written or passed on.
    pub(crate) fn wants_picture(&self, context: &Context<'_, '_>) -> bool {
        let (number, options) = (context.frames() + 1, &context.options);
        let first = options.frames.map_or(1, |(first, _)| first);
        let is_given = options.on_picture.is_some()
            && number.checked_sub(first).is_some_and(|at| at.is_multiple_of(options.picture_interval.max(1)));
        !options.check
            && number >= self.first
            && options.frames.is_none_or(|(first, last)| (first..=last).contains(&number))
            && self.wanted.as_ref().is_none_or(|frames| frames.contains(number))
            && (options.frame_hashes || is_given || options.screenshots.wants(number))
    }

    /// Reads back the textures of Vulkan images that are presented now.
    ///
    /// # Errors
    /// The texture cannot be read back, or the picture cannot be written or passed on.
    pub(crate) fn show(&mut self, context: &mut Context<'_, '_>, shown: &[Shown], place: &Place) -> Result<(), Error> {
        let fail = |what: String| place.fail(what);
        let Some(&first) = shown.first() else { return Ok(()) };
        if shown.len() > 1 {
            several(context, place);
        }
        let world = &mut context.world;
        let resource = world.resources.get(&first.resource);
        let desc =
            resource.ok_or_else(|| fail(format!("the presented resource {} is not alive here", first.resource)))?.desc;
        let pointer = world.pointer(first.resource, interface("ID3D12Resource")).map_err(fail)?;
        let size = (u32::try_from(desc.Width).unwrap_or(u32::MAX), desc.Height);
        let shown = Presented { buffer: BackBuffer { pointer, desc }, size, queue: first.queue };
        match self.read(context, &shown, place)? {
            Some(picture) => self.publish(context, &picture, place),
            None => Ok(()),
        }
    }

    /// Reads back the texture that is presented now; `None` where the frame has its picture already.
    ///
    /// # Errors
    /// The texture cannot be read back.
    fn read(&self, context: &mut Context<'_, '_>, shown: &Presented, place: &Place) -> Result<Option<Picture>, Error> {
        let fail = |what: String| place.fail(what);
        if self.shown.is_some() {
            several(context, place);
            return Ok(None);
        }
        let start = Instant::now();
        // Reading it back is a list of replay's own.
        context.lists.before_all();
        let Context { world, options, report, .. } = context;
        let BackBuffer { pointer: texture, desc } = shown.buffer;
        let size = (u32::try_from(desc.Width).unwrap_or(u32::MAX), desc.Height, desc.Format.0 as u32);
        let queue = world.pointer(shown.queue, interface("ID3D12CommandQueue")).map_err(fail)?;
        let timeout = options.fence_wait_timeout;
        let picture = readback::read(&mut world.reader, &world.runtime, texture, queue, size, timeout).map_err(fail)?;
        report.timings.read_back += start.elapsed();
        Ok(Some(picture.cut(shown.size)))
    }

    /// Hashes, writes and passes on the picture of the frame under way.
    ///
    /// # Errors
    /// It cannot be written or passed on.
    fn publish(&mut self, context: &mut Context<'_, '_>, picture: &Picture, place: &Place) -> Result<(), Error> {
        let start = Instant::now();
        let frame = frame_of(context, picture);
        let number = frame.number;
        let Context { options, report, .. } = context;
        if options.screenshots.wants(number) {
            options.screenshots.write(number, picture)?;
            report.screenshots += 1;
        }
        if let Some(take) = &mut options.on_picture {
            take(number, picture).map_err(|error| place.fail(format!("the picture cannot be passed on: {error}")))?;
        }
        self.shown = Some(frame);
        report.timings.read_back += start.elapsed();
        Ok(())
    }

    /// `vkd3d_create_image_resource`: makes the texture that stands for a Vulkan image.
    ///
    /// # Errors
    /// The image is not described in the trace, or the texture cannot be made.
    pub(crate) fn image_resource(
        &mut self,
        context: &mut Context<'_, '_>,
        call: &OpenCall,
        outcome: &Outcome<'_>,
    ) -> Result<(), Error> {
        let fail = |what: String| call.fail(what);
        let arguments = call.arguments(&context.codec)?;
        let desc = texture_of_image(&arguments.members).map_err(fail)?;
        let image = number_at(&arguments.members, "create_info.vk_image").unwrap_or(0);
        let device = call.number("device").unwrap_or(0) as u32;
        let id = outcome.outputs.iter().flat_map(|member| ids(&member.value)).find(|&id| id != 0);
        let id = id.ok_or_else(|| call.fail("the resource's object is not in the trace"))?;
        stand_in(&mut context.world, device, id, &desc).map_err(fail)?;
        self.chains.set_vk_resource(image, id);
        context.count_call();
        Ok(())
    }

    /// A DXGI swap chain was made; it stays within replay. One that presents for another API than Direct3D 12 is left out.
    ///
    /// # Errors
    /// The chain is not described in the trace.
    pub(crate) fn dxgi_swap_chain(
        &mut self,
        context: &mut Context<'_, '_>,
        call: &OpenCall,
        outcome: &Outcome<'_>,
    ) -> Result<(), Error> {
        let arguments = call.arguments(&context.codec)?;
        let desc = ["pDesc", "desc"].iter().find_map(|name| at(&arguments.members, name)).and_then(structure);
        let desc = desc.ok_or_else(|| call.fail("the swap chain's description is not in the trace"))?;
        // A factory of Vulkan swap chains is an interface of the queue.
        let queue = call.number("pDevice").map_or(call.object, |queue| queue as u32);
        let params = call.method.get().params.len();
        let slot = (0..params).map(|param| recorded_id(call.method, outcome, (param, 0))).find(|&id| id != 0);
        let id = slot.ok_or_else(|| call.fail("the swap chain's object is not in the trace"))?;
        context.world.objects.given_virtual(id, Virtual::SwapChain);
        if context.world.pointer(queue, interface("ID3D12CommandQueue")).is_ok() {
            self.chains.dxgi.add(id, queue, desc, call.method == CREATE_VULKAN);
        }
        Ok(())
    }

    /// A DXGI present begins: its picture is taken as long as the buffer is what it was.
    ///
    /// # Errors
    /// As [`Presentation::show`].
    pub(crate) fn dxgi_present(&mut self, context: &mut Context<'_, '_>, enter: Enter<'_, '_>) -> Result<(), Error> {
        let (id, place) = (enter.event.object, enter.place);
        let flags = ["Flags", "PresentFlags"].iter().find_map(|name| enter.number(name)).unwrap_or(0);
        if flags & PRESENT_TEST != 0 || !self.chains.dxgi.has(id) {
            return Ok(());
        }
        let moves = flags & PRESENT_DO_NOT_SEQUENCE == 0;
        let presented = self.chains.dxgi.present(&context.world, id, enter.event.number, moves);
        let is_of_frame = self.only.is_none_or(|only| only == Surface::Object(id));
        if !is_of_frame || !self.wants_picture(context) {
            return Ok(());
        }
        match presented {
            Some(presented) => {
                let picture = self.read(context, &presented, place)?;
                self.pending = picture.map(|picture| (enter.event.number, picture));
                Ok(())
            }
            None => {
                context.differ(place, "a buffer is presented that the program never took: there is no picture of it");
                Ok(())
            }
        }
    }

    /// A DXGI present has returned. A failed one showed nothing.
    ///
    /// # Errors
    /// The picture cannot be written or passed on.
    pub(crate) fn end_dxgi_present(
        &mut self,
        context: &mut Context<'_, '_>,
        call: &OpenCall,
        shown: bool,
    ) -> Result<(), Error> {
        self.chains.dxgi.end_present(call.object, call.number, shown);
        match self.pending.take_if(|(number, _)| *number == call.number) {
            Some((_, picture)) if shown => self.publish(context, &picture, &call.place),
            _ => Ok(()),
        }
    }

    /// `GetBuffer`.
    ///
    /// # Errors
    /// The texture that stands for the buffer cannot be made.
    pub(crate) fn dxgi_buffer(
        &mut self,
        context: &mut Context<'_, '_>,
        call: &OpenCall,
        outcome: &Outcome<'_>,
    ) -> Result<(), Error> {
        if !self.chains.dxgi.has(call.object) {
            results::leave_out(context, call, outcome);
            return Ok(());
        }
        let index = call.number("Buffer").or_else(|| call.number("BufferId")).unwrap_or(0) as u32;
        let id = outcome.outputs.iter().flat_map(|member| ids(&member.value)).find(|&id| id != 0);
        let id = id.ok_or_else(|| call.fail("the buffer's object is not in the trace"))?;
        if !context.world.objects.contains(id) {
            let world = &mut context.world;
            self.chains.dxgi.give_buffer(world, call.object, index, id).map_err(|what| call.fail(what))?;
            context.count_call();
        }
        Ok(())
    }

    /// `GetDevice` of a swap chain: its queue, or the device of that. Objects that are known already need no look.
    pub(crate) fn dxgi_device(&mut self, context: &mut Context<'_, '_>, call: &OpenCall, outcome: &Outcome<'_>) {
        let slot = call.method.get().params.len().saturating_sub(1);
        let id = recorded_id(call.method, outcome, (slot, 0));
        let world = &mut context.world;
        if id == 0 || world.objects.contains(id) {
            return;
        }
        let asked = call.arguments(&context.codec).ok();
        let iid = asked.and_then(|arguments| at(&arguments.members, "riid").and_then(guid));
        let class = iid.as_ref().and_then(by_iid);
        let queue = self.chains.dxgi.queue(call.object);
        let queue = queue.and_then(|queue| world.pointer(queue, interface("ID3D12CommandQueue")).ok());
        let found = class.zip(queue).and_then(|(class, queue)| {
            let device = || reference::device_of(&world.runtime, queue).ok();
            let found = world.runtime.query(queue, &class.get().iid);
            found.or_else(|| world.runtime.query(device()?.pointer(), &class.get().iid)).map(|pointer| (class, pointer))
        });
        match found {
            Some((class, pointer)) => _ = world.objects.given(&world.runtime, id, class, pointer),
            None => world.objects.given_virtual(id, Virtual::Dxgi),
        }
    }
}

/// The frame under way, with this picture.
fn frame_of(context: &Context<'_, '_>, picture: &Picture) -> Frame {
    let hash = context.options.frame_hashes.then(|| picture.hash());
    let &Picture { width, height, format, .. } = picture;
    Frame { number: context.frames() + 1, width, height, format, hash }
}

/// Several pictures were presented in one frame.
fn several(context: &mut Context<'_, '_>, place: &Place) {
    context.differ(place, "several pictures are presented in this frame; the first one is its picture");
}
