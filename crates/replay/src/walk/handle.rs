//! The calls with code of their own: references, devices, handles, mapping, waiting, presenting.
//!
//! Invariant: where the recorded outcome decides (a count that fell to zero, a wait that ended), the call is acted on at
//! its leave; nothing here blocks longer than the program did, nor without bound.

use reprise_codec::decode::Outcome;
use reprise_d3d12::lookup::by_iid;
use reprise_d3d12::model::{Guid, Method, MethodId};
use reprise_d3d12::{function, interface, method};
use reprise_trace::read::Event;

use crate::call::Called;
use crate::call::decision::Handler;
use crate::input::source::Blobs;
use crate::input::values::{argument, at, guid, number, number_at, numbers, structure};
use crate::memory::mapped;
use crate::picture::readback;
use crate::present::{Shown, stand_in, texture_of_image};
use crate::resolve::objects::Virtual;
use crate::results::{recorded_id, succeeded};
use crate::walk::{Engine, Open};
use crate::{Error, Frame, Place};

const WAIT_ANY: u64 = 1;
const PRESENT_TEST: u64 = 1;
const FEATURE_LEVEL_11_0: u64 = 0xb000;

impl Engine<'_, '_> {
    /// At the enter of a call with code of its own.
    pub(crate) fn handle_enter(
        &mut self,
        handler: Handler,
        event: &Event<'_>,
        method: &'static Method,
        place: &Place,
        blobs: &dyn Blobs,
    ) -> Result<Option<Called>, Error> {
        let fail = |what: String| Error::Call { place: place.clone(), what };
        match handler {
            // What blocked at capture is waited for at its leave.
            Handler::FenceEvent | Handler::MultipleFenceEvent => {
                if argument(method, event.payload, "hEvent").unwrap_or(0) == 0 {
                    return Ok(None);
                }
                self.plain(event, method, place, blobs)
            }
            Handler::Unmap => {
                let subresource = argument(method, event.payload, "Subresource").unwrap_or(0) as u32;
                mapped::unmap(&mut self.world, event.object, subresource).map_err(fail)?;
                self.count_call();
                Ok(None)
            }
            Handler::Increment | Handler::LoadPipeline => self.plain(event, method, place, blobs),
            Handler::ExecuteIndirect => self.execute_indirect(event, method, place, blobs),
            Handler::HostedHeap => self.open_hosted_heap(event, method, place).map(Some),
            Handler::VkPresent => {
                let arguments = self.codec.decode_enter(MethodId(event.method), event.payload);
                let arguments = arguments.map_err(|error| fail(error.to_string()))?;
                self.count_skip(handler);
                if self.wants_picture() {
                    let shown = self.presentation.vk_shown(&arguments.members).map_err(fail)?;
                    self.show(&shown, place)?;
                }
                Ok(None)
            }
            Handler::DxgiPresent => {
                self.count_skip(handler);
                let flags = ["Flags", "PresentFlags"].iter().find_map(|name| argument(method, event.payload, name));
                if flags.unwrap_or(0) & PRESENT_TEST == 0 {
                    let shown = self.presentation.dxgi_shown(event.object);
                    if self.wants_picture() {
                        self.show(&[shown.map_err(fail)?], place)?;
                    }
                }
                Ok(None)
            }
            _ => Ok(None),
        }
    }

    /// At the leave of a call with code of its own.
    pub(crate) fn handle_leave(&mut self, handler: Handler, open: &Open, outcome: &Outcome<'_>) -> Result<(), Error> {
        let place = &open.place;
        let fail = |what: String| Error::Call { place: place.clone(), what };
        let row = open.method.get();
        let result = number(&outcome.result).unwrap_or(0);
        match handler {
            Handler::Release => {
                if result == 0 && self.rounds.as_ref().is_none_or(|rounds| !rounds.keeps(open.object)) {
                    // Lists keep nothing alive that they use.
                    self.lists.before_all();
                    self.lists.forget(open.object);
                    self.world.gone(open.object);
                    self.signals.remove(&open.object);
                    self.count_call();
                } else {
                    self.count_skip(handler);
                }
            }
            Handler::CreateDevice => self.create_device(open, outcome)?,
            Handler::CpuHeapStart | Handler::GpuHeapStart => {
                let told = outcome.outputs.first().map(|member| &member.value).unwrap_or(&outcome.result);
                let start = number(told).unwrap_or(0);
                let gpu = handler == Handler::GpuHeapStart;
                self.world.heap_start_told(open.object, gpu, start).map_err(fail)?;
                self.count_call();
            }
            Handler::Increment => {
                let kind = argument(row, &open.enter, "DescriptorHeapType").unwrap_or(0) as u32;
                let here = open.called().map_or(0, |called| called.result as u32);
                self.world.increment_told(kind, result as u32, here);
            }
            Handler::GpuAddress => {
                self.world.address_told(open.object, result, None);
                self.count_skip(handler);
            }
            Handler::HostedHeap => self.settle(open, outcome, false)?,
            Handler::LoadPipeline if succeeded(outcome) => self.settle(open, outcome, false)?,
            Handler::LoadPipeline => {
                let given = open.called().map(|called| called.given.as_slice()).unwrap_or_default();
                self.release_all(given);
            }
            Handler::Map if succeeded(outcome) => {
                let subresource = argument(row, &open.enter, "Subresource").unwrap_or(0) as u32;
                let with_pointer = argument(row, &open.enter, "ppData").unwrap_or(0) != 0;
                let here = mapped::map(&mut self.world, open.object, subresource, with_pointer).map_err(fail)?;
                self.count_call();
                if (here as i32) < 0 {
                    return Err(self.refusal(open, 0, here));
                }
            }
            Handler::CompletedValue => {
                self.count_skip(handler);
                self.wait_for_seen(open.object, result, place)?;
            }
            Handler::FenceEvent | Handler::MultipleFenceEvent if open.called().is_some() => {
                self.settle(open, outcome, true)?;
            }
            Handler::FenceEvent if succeeded(outcome) => {
                self.count_skip(handler);
                let value = argument(row, &open.enter, "Value").unwrap_or(0);
                self.wait_for_seen(open.object, value, place)?;
            }
            Handler::MultipleFenceEvent if succeeded(outcome) => self.wait_for_several(open)?,
            Handler::VkSwapchainImages => {
                self.count_skip(handler);
                let chain = argument(row, &open.enter, "swapchain").unwrap_or(0);
                let images = outcome.outputs.iter().find(|member| member.field.name == "pSwapchainImages");
                let images = images.map(|member| numbers(&member.value)).unwrap_or_default();
                self.presentation.vk_images_told(chain, images);
            }
            Handler::Vkd3dAcquireQueue => {
                self.count_skip(handler);
                let queue = argument(row, &open.enter, "queue").unwrap_or(0) as u32;
                self.presentation.vk_queue_lent(result, queue);
            }
            Handler::Vkd3dImageResource if succeeded(outcome) => self.image_resource(open, outcome)?,
            Handler::DxgiCreateSwapChain if succeeded(outcome) => self.dxgi_swap_chain(open, outcome)?,
            Handler::DxgiGetBuffer if succeeded(outcome) => {
                let index = argument(row, &open.enter, "Buffer").unwrap_or(0) as u32;
                let id = outcome
                    .outputs
                    .iter()
                    .flat_map(|member| crate::input::values::ids(&member.value))
                    .find(|&id| id != 0);
                let id = id.ok_or_else(|| fail("the buffer's object is not in the trace".into()))?;
                self.presentation.dxgi_buffer(&mut self.world, open.object, index, id).map_err(fail)?;
                self.count_call();
            }
            Handler::DxgiResize if succeeded(outcome) => {
                let arguments =
                    self.codec.decode_enter(open.method, &open.enter).map_err(|error| fail(error.to_string()))?;
                self.presentation.dxgi_resized(open.object, &arguments.members);
                self.count_skip(handler);
            }
            Handler::DxgiIndex => {
                self.presentation.dxgi_index_told(open.object, result as u32);
                self.count_skip(handler);
            }
            Handler::DxgiDesc if succeeded(outcome) => {
                let outputs = &outcome.outputs;
                let size = |name: &str| {
                    let paths = [format!("pDesc.{name}"), format!("pDesc.BufferDesc.{name}")];
                    paths.iter().find_map(|path| number_at(outputs, path)).unwrap_or(0) as u32
                };
                self.presentation.dxgi_size_told(open.object, size("Width"), size("Height"));
                self.count_skip(handler);
            }
            // Presented at the enter, or failed at capture.
            _ => self.count_skip_failed(handler),
        }
        Ok(())
    }

    fn count_skip_failed(&mut self, handler: Handler) {
        if !matches!(handler, Handler::VkPresent | Handler::DxgiPresent | Handler::Unmap) {
            self.count_skip(handler);
        }
    }

    /// A fact or a query told a heap's recorded increment: asks this runtime for its own.
    pub(crate) fn increment_of_heap(&mut self, heap: u32, recorded: u32, place: &Place) -> Result<(), Error> {
        let fail = |what: String| Error::Call { place: place.clone(), what };
        let Some(kind) = self.world.descriptor_heap_kind(heap) else { return Ok(()) };
        if recorded == 0 || self.world.knows_increment(kind) {
            return Ok(());
        }
        const GET: MethodId = method("ID3D12Device", "GetDescriptorHandleIncrementSize");
        let here = {
            let device = crate::runtime::owned::of_child(&mut self.world, heap).map_err(fail)?;
            // SAFETY: the device is alive; the argument is a number.
            unsafe { device.runtime().call(device.pointer(), GET, &[u64::from(kind)]) as u32 }
        };
        self.world.increment_told(kind, recorded, here);
        Ok(())
    }

    /// Makes the device through whichever function the runtime has.
    fn create_device(&mut self, open: &Open, outcome: &Outcome<'_>) -> Result<(), Error> {
        let place = &open.place;
        let fail = |what: String| Error::Call { place: place.clone(), what };
        let arguments = self.codec.decode_enter(open.method, &open.enter).map_err(|error| fail(error.to_string()))?;
        let members = &arguments.members;
        let levels =
            ["MinimumFeatureLevel", "FeatureLevel", "minimum_feature_level", "create_info.minimum_feature_level"];
        let level = levels.iter().find_map(|path| number_at(members, path)).unwrap_or(FEATURE_LEVEL_11_0);
        let iid: Guid = ["riid", "iid"]
            .iter()
            .find_map(|name| guid(at(members, name)?))
            .unwrap_or(interface("ID3D12Device").get().iid);
        let wanted =
            outcome.outputs.iter().flat_map(|member| crate::input::values::ids(&member.value)).find(|&id| id != 0);
        let mut device = 0u64;
        let out = if wanted.is_some() { core::ptr::from_mut(&mut device) as u64 } else { 0 };
        let iid_pointer = core::ptr::from_ref(&iid) as u64;
        let runtime = &self.world.runtime;
        // The adapter is this machine's choice. SAFETY: the arguments are numbers and memory of ours.
        let here = unsafe {
            if runtime.vkd3d_create_device() {
                let newest = 2; // VKD3D_API_VERSION_1_2
                let version = number_at(members, "api_version").unwrap_or(newest);
                runtime.call_function(function("D3D12CreateDeviceVKD3D"), &[0, level, iid_pointer, out, version])
            } else {
                runtime.call_function(function("D3D12CreateDevice"), &[0, level, iid_pointer, out])
            }
        };
        let here = here.ok_or_else(|| fail(format!("the runtime {} makes no devices", runtime.name)))? as u32;
        self.count_call();
        let recorded = number(&outcome.result).unwrap_or(0) as u32;
        match wanted {
            Some(id) if device != 0 => {
                let class = by_iid(&iid).unwrap_or(interface("ID3D12Device"));
                let world = &mut self.world;
                world.objects.given(&world.runtime, id, class, device);
                if self.report.replayed_on.is_none() {
                    self.report.replayed_on = crate::Machine::of_device(&self.world.runtime, device);
                }
            }
            Some(id) => return Err(self.refusal(open, id, here)),
            None if recorded != here => self.differ_in_result(open, recorded, here),
            None => {}
        }
        Ok(())
    }

    fn wait_for_several(&mut self, open: &Open) -> Result<(), Error> {
        let fail = |what: String| Error::Call { place: open.place.clone(), what };
        let arguments = self.codec.decode_enter(open.method, &open.enter).map_err(|error| fail(error.to_string()))?;
        let ids = at(&arguments.members, "ppFences").map(crate::input::values::ids).unwrap_or_default();
        let values = at(&arguments.members, "pFenceValues").map(numbers).unwrap_or_default();
        let any = number_at(&arguments.members, "Flags").unwrap_or(0) & WAIT_ANY != 0;
        self.count_skip(Handler::MultipleFenceEvent);
        // Which of them woke the program is not known; what it saw later is, by what it observed.
        if any {
            return Ok(());
        }
        for (id, value) in ids.into_iter().zip(values) {
            self.wait_for_seen(id, value, &open.place)?;
        }
        Ok(())
    }

    fn image_resource(&mut self, open: &Open, outcome: &Outcome<'_>) -> Result<(), Error> {
        let fail = |what: String| Error::Call { place: open.place.clone(), what };
        let arguments = self.codec.decode_enter(open.method, &open.enter).map_err(|error| fail(error.to_string()))?;
        let desc = texture_of_image(&arguments.members).map_err(fail)?;
        let image = number_at(&arguments.members, "create_info.vk_image").unwrap_or(0);
        let device = argument(open.method.get(), &open.enter, "device").unwrap_or(0) as u32;
        let id = outcome.outputs.iter().flat_map(|member| crate::input::values::ids(&member.value)).find(|&id| id != 0);
        let id = id.ok_or_else(|| fail("the resource's object is not in the trace".into()))?;
        stand_in(&mut self.world, device, id, &desc).map_err(fail)?;
        self.presentation.vk_resource_made(image, id);
        self.count_call();
        Ok(())
    }

    fn dxgi_swap_chain(&mut self, open: &Open, outcome: &Outcome<'_>) -> Result<(), Error> {
        let fail = |what: String| Error::Call { place: open.place.clone(), what };
        let arguments = self.codec.decode_enter(open.method, &open.enter).map_err(|error| fail(error.to_string()))?;
        let desc = at(&arguments.members, "pDesc").and_then(structure);
        let desc = desc.ok_or_else(|| fail("the swap chain's description is not in the trace".into()))?;
        let queue = argument(open.method.get(), &open.enter, "pDevice").unwrap_or(0) as u32;
        let params = open.method.get().params.len();
        let slot = (0..params).map(|param| recorded_id(open.method, outcome, (param, 0))).find(|&id| id != 0);
        let id = slot.ok_or_else(|| fail("the swap chain's object is not in the trace".into()))?;
        self.world.objects.given_virtual(id, Virtual::SwapChain);
        self.presentation.dxgi_made(id, queue, desc);
        self.count_skip(Handler::DxgiCreateSwapChain);
        Ok(())
    }

    /// Whether the frame under way is to be hashed, written or passed on.
    fn wants_picture(&self) -> bool {
        let number = self.frames() + 1;
        let wanted = self.options.frames.is_none_or(|(first, last)| (first..=last).contains(&number));
        wanted
            && self.wanted.as_ref().is_none_or(|frames| frames.contains(number))
            && (self.options.frame_hashes
                || self.options.on_picture.is_some()
                || self.options.screenshots.wants(number))
    }

    /// Reads back what is presented now.
    fn show(&mut self, shown: &[Shown], place: &Place) -> Result<(), Error> {
        let fail = |what: String| Error::Call { place: place.clone(), what };
        let Some(&first) = shown.first() else { return Ok(()) };
        if shown.len() > 1 || self.shown.is_some() {
            self.differ(place, "several swap chains are presented in this frame; the first one is its picture".into());
        }
        if self.shown.is_some() {
            return Ok(());
        }
        let start = std::time::Instant::now();
        // Reading it back is a list of replay's own.
        self.lists.before_all();
        let resource = self.world.resources.get(&first.resource);
        let desc =
            resource.ok_or_else(|| fail(format!("the presented resource {} is not alive here", first.resource)))?.desc;
        let size = (u32::try_from(desc.Width).unwrap_or(u32::MAX), desc.Height, desc.Format.0 as u32);
        let texture = self.world.pointer(first.resource, interface("ID3D12Resource")).map_err(fail)?;
        let queue = self.world.pointer(first.queue, interface("ID3D12CommandQueue")).map_err(fail)?;
        let timeout = self.options.fence_wait_timeout;
        let picture = readback::read(&mut self.world, texture, queue, size, timeout).map_err(fail)?;
        let number = self.frames() + 1;
        if self.options.screenshots.wants(number) {
            self.options.screenshots.write(number, &picture)?;
            self.report.screenshots += 1;
        }
        if let Some(take) = &mut self.options.on_picture {
            take(number, &picture).map_err(|error| fail(format!("the picture cannot be passed on: {error}")))?;
        }
        let hash = self.options.frame_hashes.then(|| picture.hash());
        let (width, height, format) = size;
        self.shown = Some(Frame { number, width, height, format, hash });
        self.report.timings.read_back += start.elapsed();
        Ok(())
    }
}
