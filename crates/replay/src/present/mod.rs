//! Presentation without a window: swap chains in place of the program's, and the picture of each frame.
//!
//! Invariant: the picture of a frame is that of the first texture presented in it. Only frames that are wanted are read back.

pub(crate) mod swap_chains;

use std::time::Instant;

use reprise_codec::decode::Outcome;
use reprise_d3d12::interface;
use reprise_trace::wanted_frames::WantedFrames;

use crate::call::open_call::OpenCall;
use crate::context::Context;
use crate::error::{Error, Place};
use crate::input::outcome::recorded_id;
use crate::input::values::{at, ids, number_at, structure};
use crate::picture::readback;
use crate::report::Frame;
use crate::resolve::objects::Virtual;
use swap_chains::{Shown, SwapChains, stand_in, texture_of_image};

/// Swap chains, and the picture of the frame under way.
#[derive(Default)]
pub(crate) struct Presentation {
    pub(crate) chains: SwapChains,
    /// The picture of the frame under way, once presented.
    shown: Option<Frame>,
    /// The frames that were wanted at capture. Earlier ones are played, because later ones build on them, and give no pictures.
    pub(crate) wanted: Option<WantedFrames>,
}

impl Presentation {
    /// Takes the picture of the frame under way.
    pub(crate) fn take_shown(&mut self) -> Option<Frame> {
        self.shown.take()
    }

    /// Whether the frame under way is to be hashed, written or passed on.
    pub(crate) fn wants_picture(&self, context: &Context<'_, '_>) -> bool {
        let (number, options) = (context.frames() + 1, &context.options);
        options.frames.is_none_or(|(first, last)| (first..=last).contains(&number))
            && self.wanted.as_ref().is_none_or(|frames| frames.contains(number))
            && (options.frame_hashes || options.on_picture.is_some() || options.screenshots.wants(number))
    }

    /// Reads back the texture that is presented now.
    ///
    /// # Errors
    /// The texture cannot be read back, or the picture cannot be written or passed on.
    pub(crate) fn show(&mut self, context: &mut Context<'_, '_>, shown: &[Shown], place: &Place) -> Result<(), Error> {
        let fail = |what: String| place.fail(what);
        let Some(&first) = shown.first() else { return Ok(()) };
        if shown.len() > 1 || self.shown.is_some() {
            context.differ(place, "several swap chains are presented in this frame; the first one is its picture");
        }
        if self.shown.is_some() {
            return Ok(());
        }
        let start = Instant::now();
        // Reading it back is a list of replay's own.
        context.lists.before_all();
        let number = context.frames() + 1;
        let Context { world, options, report, .. } = context;
        let resource = world.resources.get(&first.resource);
        let desc =
            resource.ok_or_else(|| fail(format!("the presented resource {} is not alive here", first.resource)))?.desc;
        let size = (u32::try_from(desc.Width).unwrap_or(u32::MAX), desc.Height, desc.Format.0 as u32);
        let texture = world.pointer(first.resource, interface("ID3D12Resource")).map_err(fail)?;
        let queue = world.pointer(first.queue, interface("ID3D12CommandQueue")).map_err(fail)?;
        let timeout = options.fence_wait_timeout;
        let picture = readback::read(&mut world.reader, &world.runtime, texture, queue, size, timeout).map_err(fail)?;
        if options.screenshots.wants(number) {
            options.screenshots.write(number, &picture)?;
            report.screenshots += 1;
        }
        if let Some(take) = &mut options.on_picture {
            take(number, &picture).map_err(|error| fail(format!("the picture cannot be passed on: {error}")))?;
        }
        let hash = options.frame_hashes.then(|| picture.hash());
        let (width, height, format) = size;
        self.shown = Some(Frame { number, width, height, format, hash });
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

    /// A DXGI swap chain was made; it stays within replay.
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
        let desc = at(&arguments.members, "pDesc").and_then(structure);
        let desc = desc.ok_or_else(|| call.fail("the swap chain's description is not in the trace"))?;
        // A factory of Vulkan swap chains is an interface of the queue.
        let queue = call.number("pDevice").map_or(call.object, |queue| queue as u32);
        let params = call.method.get().params.len();
        let slot = (0..params).map(|param| recorded_id(call.method, outcome, (param, 0))).find(|&id| id != 0);
        let id = slot.ok_or_else(|| call.fail("the swap chain's object is not in the trace"))?;
        context.world.objects.given_virtual(id, Virtual::SwapChain);
        self.chains.add_dxgi(id, queue, desc);
        Ok(())
    }
}
