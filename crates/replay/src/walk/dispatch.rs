//! Calls with code of their own, handed to the part that has it: references, devices, handles, mapping, waiting, presenting.
//!
//! Invariant: where the recorded outcome decides (a count that fell to zero, a wait that ended), the call is acted on at
//! its leave. Nothing here blocks longer than the program did, nor without bound.

use reprise_codec::decode::Outcome;
use reprise_d3d12::types::D3D12_META_COMMAND_PARAMETER_STAGE as Stage;
use reprise_trace::read::Event;

use super::Engine;
use crate::call::Called;
use crate::call::decision::Handler;
use crate::call::open_call::{Enter, OpenCall};
use crate::context::Context;
use crate::error::{Error, Place};
use crate::handlers::{
    device, execute_indirect, hosted_heap, meta_command, ray_tracing, render_pass, shared, subresource, work_graph,
};
use crate::input::outcome::succeeded;
use crate::input::source::Blobs;
use crate::input::values::{at, number, number_at, numbers, structure};
use crate::memory::mapped;
use crate::present::Surface;
use crate::results::{self, refusal};

impl Engine<'_, '_> {
    /// At the enter of a call with code of its own. Gives the call where it is made.
    ///
    /// # Errors
    /// The call cannot be honoured.
    pub(super) fn dispatch_enter(&mut self, handler: Handler, enter: Enter<'_, '_>) -> Result<Option<Called>, Error> {
        let Self { context, arguments, presentation, .. } = self;
        let fail = |what: String| enter.fail(what);
        let event = enter.event;
        match handler {
            // Without an event the call blocked at capture: it is waited for at its leave.
            Handler::FenceEvent | Handler::MultipleFenceEvent if enter.number("hEvent").unwrap_or(0) == 0 => Ok(None),
            Handler::FenceEvent | Handler::MultipleFenceEvent | Handler::Increment | Handler::LoadPipeline => {
                arguments.call(context, enter).map(Some)
            }
            Handler::Unmap => {
                let subresource = enter.number("Subresource").unwrap_or(0) as u32;
                mapped::unmap(&mut context.world, event.object, subresource).map_err(fail)?;
                context.count_call();
                Ok(None)
            }
            Handler::ExecuteIndirect => execute_indirect::execute(context, arguments, enter),
            Handler::Hoist => render_pass::hoist(context, arguments, enter),
            Handler::BuildStructure => ray_tracing::build(context, arguments, enter).map(Some),
            Handler::CopyStructure => ray_tracing::copy(context, arguments, enter).map(Some),
            Handler::DispatchRays => ray_tracing::dispatch(context, arguments, enter).map(Some),
            Handler::SetProgram => work_graph::set(context, arguments, enter).map(Some),
            Handler::DispatchGraph => work_graph::dispatch(context, arguments, enter).map(Some),
            Handler::InitializeMetaCommand => {
                meta_command::run(context, arguments, enter, Stage::INITIALIZATION).map(Some)
            }
            Handler::ExecuteMetaCommand => meta_command::run(context, arguments, enter, Stage::EXECUTION).map(Some),
            Handler::Identifier | Handler::ProgramIdentifier => arguments.call(context, enter).map(Some),
            Handler::HostedHeap => hosted_heap::open(context, enter).map(Some),
            Handler::ReadSubresource => Ok(subresource::read(context, arguments, enter)),
            Handler::VkPresent => {
                let arguments = context.codec.decode_enter(enter.id(), event.payload);
                let arguments = arguments.map_err(|error| fail(error.to_string()))?;
                count_skip(context, handler, enter.place);
                if presentation.wants_picture(context) {
                    let only = presentation.only;
                    let wanted = |chain| only.is_none_or(|only| only == Surface::Vulkan(chain));
                    let shown = presentation.chains.vk_shown(&arguments.members, wanted).map_err(fail)?;
                    presentation.show(context, &shown, enter.place)?;
                }
                Ok(None)
            }
            Handler::DxgiPresent => {
                count_skip(context, handler, enter.place);
                presentation.dxgi_present(context, enter)?;
                Ok(None)
            }
            _ => Ok(None),
        }
    }

    /// At the leave of a call with code of its own.
    ///
    /// # Errors
    /// The call succeeded at capture, and cannot be honoured here.
    pub(super) fn dispatch_leave(
        &mut self,
        handler: Handler,
        call: &OpenCall,
        outcome: &Outcome<'_>,
        leave: (&Event<'_>, &dyn Blobs),
    ) -> Result<(), Error> {
        let context = &mut self.context;
        let fail = |what: String| call.fail(what);
        let argument = |name| call.number(name).unwrap_or(0);
        let result = number(&outcome.result).unwrap_or(0);
        match handler {
            Handler::Release => {
                if result == 0 && self.rounds.as_ref().is_none_or(|rounds| !rounds.keeps(call.object)) {
                    // Lists keep nothing alive that they use.
                    context.lists.before_all();
                    context.lists.forget(call.object);
                    self.held_up.forget(&mut context.world, call.object);
                    context.world.gone(call.object, call.number);
                    self.signals.forget(call.object);
                    context.count_call();
                } else {
                    count_skip(context, handler, &call.place);
                }
            }
            Handler::CreateDevice => device::create(context, call, outcome)?,
            Handler::CpuHeapStart | Handler::GpuHeapStart => {
                let told = outcome.outputs.first().map(|member| &member.value).unwrap_or(&outcome.result);
                let start = number(told).unwrap_or(0);
                let gpu = handler == Handler::GpuHeapStart;
                context.world.pair_heap_start(call.object, gpu, start).map_err(fail)?;
                context.count_call();
            }
            Handler::Increment => {
                let kind = argument("DescriptorHeapType") as u32;
                let here = call.called.as_ref().map_or(0, |called| called.result as u32);
                context.world.pair_increments(kind, result as u32, here);
            }
            Handler::GpuAddress => {
                context.world.set_recorded_address(call.object, result, None);
                count_skip(context, handler, &call.place);
            }
            Handler::HostedHeap => results::finish(context, call, outcome, false)?,
            Handler::ReadSubresource if succeeded(outcome) => subresource::compare(context, call, outcome, leave)?,
            Handler::Identifier => ray_tracing::compare_identifier(context, call, outcome),
            Handler::ProgramIdentifier => work_graph::pair_identifier(context, call, outcome),
            Handler::CreateShared if succeeded(outcome) => {
                count_skip(context, handler, &call.place);
                shared::create(context, call, outcome)?;
            }
            Handler::FindShared if succeeded(outcome) => {
                count_skip(context, handler, &call.place);
                shared::find(context, call, outcome)?;
            }
            Handler::OpenShared if succeeded(outcome) => {
                count_skip(context, handler, &call.place);
                shared::open(context, call, outcome)?;
            }
            Handler::LoadPipeline if succeeded(outcome) => results::finish(context, call, outcome, false)?,
            Handler::LoadPipeline => {
                let given = call.called.as_ref().map(|called| called.given.as_slice()).unwrap_or_default();
                results::release_all(&context.world.runtime, given);
            }
            Handler::Map if succeeded(outcome) => {
                let subresource = argument("Subresource") as u32;
                let with_pointer = argument("ppData") != 0;
                let here = mapped::map(&mut context.world, call.object, subresource, with_pointer).map_err(fail)?;
                context.count_call();
                if (here as i32) < 0 {
                    return Err(refusal::error(context, call, 0, here));
                }
            }
            Handler::CompletedValue => {
                count_skip(context, handler, &call.place);
                self.signals.wait_for_seen(context, call.object, result, &call.place)?;
            }
            Handler::FenceEvent | Handler::MultipleFenceEvent if call.called.is_some() => {
                results::finish(context, call, outcome, true)?;
            }
            Handler::FenceEvent if succeeded(outcome) => {
                count_skip(context, handler, &call.place);
                let value = argument("Value");
                self.signals.wait_for_seen(context, call.object, value, &call.place)?;
            }
            Handler::MultipleFenceEvent if succeeded(outcome) => {
                count_skip(context, handler, &call.place);
                self.signals.wait_for_several(context, call)?;
            }
            Handler::VkSwapchainImages => {
                count_skip(context, handler, &call.place);
                let chain = argument("swapchain");
                let images = outcome.outputs.iter().find(|member| member.field.name == "pSwapchainImages");
                let images = images.map(|member| numbers(&member.value)).unwrap_or_default();
                self.presentation.chains.set_vk_images(chain, images);
            }
            Handler::Vkd3dAcquireQueue => {
                count_skip(context, handler, &call.place);
                let queue = argument("queue") as u32;
                self.presentation.chains.set_vk_queue(result, queue);
            }
            Handler::Vkd3dImageResource if succeeded(outcome) => {
                self.presentation.image_resource(context, call, outcome)?
            }
            Handler::DxgiCreateSwapChain if succeeded(outcome) => {
                self.presentation.dxgi_swap_chain(context, call, outcome)?;
                count_skip(context, handler, &call.place);
            }
            Handler::DxgiGetBuffer if succeeded(outcome) => self.presentation.dxgi_buffer(context, call, outcome)?,
            Handler::DxgiResize if succeeded(outcome) => {
                let arguments = call.arguments(&context.codec)?;
                self.presentation.chains.dxgi.resize(&mut context.world, call.object, &arguments.members);
                count_skip(context, handler, &call.place);
            }
            Handler::DxgiChange if succeeded(outcome) => {
                let arguments = call.arguments(&context.codec)?;
                if let Some(desc) = at(&arguments.members, "pDesc").and_then(structure) {
                    self.presentation.chains.dxgi.change(&mut context.world, call.object, desc);
                }
                count_skip(context, handler, &call.place);
            }
            Handler::DxgiSource if succeeded(outcome) => {
                let (width, height) = (argument("Width") as u32, argument("Height") as u32);
                self.presentation.chains.dxgi.set_source(call.object, width, height);
                count_skip(context, handler, &call.place);
            }
            Handler::DxgiDevice if succeeded(outcome) => {
                self.presentation.dxgi_device(context, call, outcome);
                count_skip(context, handler, &call.place);
            }
            Handler::DxgiPresent => self.presentation.end_dxgi_present(context, call, succeeded(outcome))?,
            Handler::DxgiIndex => {
                self.presentation.chains.dxgi.set_index(call.object, result as u32);
                count_skip(context, handler, &call.place);
            }
            Handler::DxgiDesc if succeeded(outcome) => {
                let outputs = &outcome.outputs;
                let size = |name: &str| {
                    let paths = [format!("pDesc.{name}"), format!("pDesc.BufferDesc.{name}")];
                    paths.iter().find_map(|path| number_at(outputs, path)).unwrap_or(0) as u32
                };
                self.presentation.chains.dxgi.set_size(call.object, size("Width"), size("Height"));
                count_skip(context, handler, &call.place);
            }
            // Counted at the enter.
            Handler::VkPresent | Handler::Unmap => {}
            // It failed at capture.
            _ => count_skip(context, handler, &call.place),
        }
        Ok(())
    }
}

/// Counts a call that is not made, with the reason.
fn count_skip(context: &mut Context<'_, '_>, handler: Handler, place: &Place) {
    let reason = match handler {
        Handler::CompletedValue | Handler::FenceEvent | Handler::MultipleFenceEvent => {
            "waits are bounded by the values that the program saw"
        }
        Handler::Release => "references are kept by their outcome",
        Handler::CreateShared | Handler::FindShared | Handler::OpenShared => {
            "replay hands out the shared object itself"
        }
        Handler::GpuAddress => "addresses are asked for where they are used",
        _ => "presentation is headless",
    };
    context.skip(place, reason);
}
