//! The translator's questions about registers, and our answers.
//!
//! One [`Context`] answers all of them; it is what every callback gets as its user data. A callback never unwinds into the
//! C++ that called it: a panic is kept and answered with "no".

use std::ffi::{CStr, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

use dxil_spirv_sys as sys;

use crate::streamed;
use crate::{Binding, Class, Interface, Link, Place, Slot, Stage, StreamOutput};

/// Most bytes of the translator's messages that are kept.
const LOG_LIMIT: usize = 4096;

/// What the callbacks of one translation know and find out.
#[repr(C)]
pub(crate) struct Context<'a> {
    pub(crate) interface: &'a Interface,
    pub(crate) link: &'a Link,
    pub(crate) stage: Stage,
    /// The first register that no binding covers.
    pub(crate) unbound: Option<(Class, u32, u32)>,
    pub(crate) panicked: bool,
    pub(crate) log: String,
    /// The outputs that go to buffers, in the order in which the translator asked for them.
    pub(crate) streamed: Vec<streamed::Asked>,
}

/// How the arrays of a heap are asked for a kind of resource.
struct Array {
    slot: Slot,
    kind: sys::dxil_spv_vulkan_descriptor_type,
}

const IDENTITY: u32 = sys::dxil_spv_vulkan_descriptor_type_DXIL_SPV_VULKAN_DESCRIPTOR_TYPE_IDENTITY;
const SSBO: u32 = sys::dxil_spv_vulkan_descriptor_type_DXIL_SPV_VULKAN_DESCRIPTOR_TYPE_SSBO;
const TEXEL: u32 = sys::dxil_spv_vulkan_descriptor_type_DXIL_SPV_VULKAN_DESCRIPTOR_TYPE_TEXEL_BUFFER;
const ADDRESS: u32 = sys::dxil_spv_vulkan_descriptor_type_DXIL_SPV_VULKAN_DESCRIPTOR_TYPE_BUFFER_DEVICE_ADDRESS;
const UBO: u32 = sys::dxil_spv_vulkan_descriptor_type_DXIL_SPV_VULKAN_DESCRIPTOR_TYPE_UBO;

const PER_PRIMITIVE: u32 = sys::dxil_spv_vulkan_shader_stage_io_flags_DXIL_SPV_SHADER_STAGE_IO_PER_PRIMITIVE;

const TYPED: u32 = sys::dxil_spv_resource_kind_DXIL_SPV_RESOURCE_KIND_TYPED_BUFFER;
const RAW: u32 = sys::dxil_spv_resource_kind_DXIL_SPV_RESOURCE_KIND_RAW_BUFFER;
const STRUCTURED: u32 = sys::dxil_spv_resource_kind_DXIL_SPV_RESOURCE_KIND_STRUCTURED_BUFFER;
const TBUFFER: u32 = sys::dxil_spv_resource_kind_DXIL_SPV_RESOURCE_KIND_TBUFFER;
const ACCELERATION: u32 = sys::dxil_spv_resource_kind_DXIL_SPV_RESOURCE_KIND_RT_ACCELERATION_STRUCTURE;

/// What a register leads to, before the translator's structures.
enum Found {
    /// In the heap, at a word of the root block (or none, for direct access) and an offset.
    Heap { word: u32, offset: u32 },
    /// A root descriptor.
    Address(u32),
    /// Root constants.
    Constants(u32),
    /// A descriptor of its own.
    Fixed(Slot),
}

impl<'a> Context<'a> {
    pub(crate) fn new(interface: &'a Interface, link: &'a Link, stage: Stage) -> Self {
        Context { interface, link, stage, unbound: None, panicked: false, log: String::new(), streamed: Vec::new() }
    }
}

impl Context<'_> {
    fn find(&mut self, class: Class, asked: &sys::dxil_spv_d3d_binding) -> Option<Found> {
        let (space, register) = (asked.register_space, asked.register_index);
        if (space, register, asked.range_size) == (u32::MAX, u32::MAX, u32::MAX) {
            let allowed = match class {
                Class::Sampler => self.interface.direct_samplers,
                _ => self.interface.direct_resources,
            };
            if !allowed {
                self.unbound.get_or_insert((class, space, register));
            }
            return allowed.then_some(Found::Heap { word: u32::MAX, offset: 0 });
        }
        let interface = self.interface;
        // An array whose size is known lies in one range as a whole, even if the next range goes on where it ends.
        let whole = |count: u32, behind: u32| {
            count == u32::MAX || asked.range_size == u32::MAX || asked.range_size <= count - behind
        };
        if let Some(local) = &self.link.local {
            if let Some(slot) = local.sampler(class, space, register) {
                return Some(Found::Fixed(slot));
            }
            // The translator knows where in the heap, and asks for the heap alone.
            if local.has_in_table(class, space, register) {
                return Some(Found::Heap { word: 0, offset: 0 });
            }
        }
        let found = interface.find(self.stage, class, space, register);
        let Some((Binding { place, .. }, behind)) = found.filter(|(found, behind)| whole(found.count, *behind)) else {
            self.unbound.get_or_insert((class, space, register));
            return None;
        };
        let single = asked.range_size == 1;
        match *place {
            Place::Table { word, offset } => Some(Found::Heap { word, offset: offset.wrapping_add(behind) }),
            // Of an unbounded range the translator asks again with one register.
            Place::Address(index) => single.then_some(Found::Address(index)),
            // Asked for all that begins here, the translator wants to know whether these are constants, because it lays
            // them out as an array where a shader indexes them.
            Place::Constants(word) => (single || asked.range_size == u32::MAX).then_some(Found::Constants(word)),
            Place::Fixed(slot) => single.then_some(Found::Fixed(slot)),
        }
    }

    fn buffer_or_image(&self, class: Class, kind: u32) -> Array {
        let heaps = &self.interface.heaps;
        let written = class == Class::Uav;
        match kind {
            RAW | STRUCTURED => Array { slot: heaps.storage_buffer, kind: SSBO },
            TYPED | TBUFFER if written => Array { slot: heaps.storage_texel, kind: TEXEL },
            TYPED | TBUFFER => Array { slot: heaps.uniform_texel, kind: TEXEL },
            // The address is read from a storage buffer, not through a descriptor of an acceleration structure.
            ACCELERATION => Array { slot: heaps.addresses, kind: SSBO },
            _ if written => Array { slot: heaps.storage_image, kind: IDENTITY },
            _ => Array { slot: heaps.sampled_image, kind: IDENTITY },
        }
    }
}

fn heap(array: &Array, word: u32, offset: u32) -> sys::dxil_spv_vulkan_binding {
    let mut binding = fixed(array.slot, array.kind);
    binding.__bindgen_anon_1.root_constant_index = word;
    binding.bindless.heap_root_offset = offset;
    binding.bindless.use_heap = 1;
    binding
}

fn fixed(slot: Slot, kind: u32) -> sys::dxil_spv_vulkan_binding {
    sys::dxil_spv_vulkan_binding {
        set: slot.set,
        binding: slot.binding,
        descriptor_type: kind,
        ..sys::dxil_spv_vulkan_binding::default()
    }
}

fn address(index: u32) -> sys::dxil_spv_vulkan_binding {
    let mut binding = fixed(Slot::default(), ADDRESS);
    binding.__bindgen_anon_1.root_constant_index = index;
    binding
}

/// Calls a closure with the context behind `data`, and says no where it panics.
///
/// # Safety
/// `data` is the pointer to a `Context` given to the translator, of which no reference is alive.
unsafe fn answer(data: *mut c_void, call: impl FnOnce(&mut Context<'_>) -> Option<()>) -> sys::dxil_spv_bool {
    // SAFETY: as the caller says; the translator calls back one at a time, and only within `translate`.
    let context = unsafe { &mut *data.cast::<Context<'_>>() };
    match catch_unwind(AssertUnwindSafe(|| call(context))) {
        Ok(answer) => u8::from(answer.is_some()),
        Err(_) => {
            context.panicked = true;
            0
        }
    }
}

pub(crate) unsafe extern "C" fn srv(
    data: *mut c_void,
    asked: *const sys::dxil_spv_d3d_binding,
    out: *mut sys::dxil_spv_srv_vulkan_binding,
) -> sys::dxil_spv_bool {
    // SAFETY: the translator gives the context's pointer, a valid question, and room for the answer.
    unsafe {
        answer(data, |context| {
            let asked = &*asked;
            let array = context.buffer_or_image(Class::Srv, asked.kind);
            let buffer_binding = match context.find(Class::Srv, asked)? {
                Found::Heap { word, offset } => heap(&array, word, offset),
                Found::Address(index) => address(index),
                Found::Constants(_) => return None,
                Found::Fixed(slot) => fixed(slot, array.kind),
            };
            let offset_binding = fixed(context.interface.heaps.offsets, SSBO);
            *out = sys::dxil_spv_srv_vulkan_binding { buffer_binding, offset_binding };
            Some(())
        })
    }
}

pub(crate) unsafe extern "C" fn uav(
    data: *mut c_void,
    asked: *const sys::dxil_spv_uav_d3d_binding,
    out: *mut sys::dxil_spv_uav_vulkan_binding,
) -> sys::dxil_spv_bool {
    // SAFETY: as in `srv`.
    unsafe {
        answer(data, |context| {
            let asked = &*asked;
            let array = context.buffer_or_image(Class::Uav, asked.d3d_binding.kind);
            let addresses = Array { slot: context.interface.heaps.addresses, kind: IDENTITY };
            let (buffer_binding, counter_binding) = match context.find(Class::Uav, &asked.d3d_binding)? {
                Found::Heap { word, offset } => (heap(&array, word, offset), heap(&addresses, word, offset)),
                // A root UAV has no counter.
                Found::Address(index) if asked.has_counter == 0 => (address(index), fixed(Slot::default(), IDENTITY)),
                Found::Address(_) | Found::Constants(_) => return None,
                Found::Fixed(slot) => (fixed(slot, array.kind), fixed(Slot::default(), IDENTITY)),
            };
            let offset_binding = fixed(context.interface.heaps.offsets, SSBO);
            *out = sys::dxil_spv_uav_vulkan_binding { buffer_binding, counter_binding, offset_binding };
            Some(())
        })
    }
}

pub(crate) unsafe extern "C" fn cbv(
    data: *mut c_void,
    asked: *const sys::dxil_spv_d3d_binding,
    out: *mut sys::dxil_spv_cbv_vulkan_binding,
) -> sys::dxil_spv_bool {
    // SAFETY: as in `srv`.
    unsafe {
        answer(data, |context| {
            let array = Array { slot: context.interface.heaps.uniform_buffer, kind: UBO };
            let mut answer = sys::dxil_spv_cbv_vulkan_binding::default();
            match context.find(Class::Cbv, &*asked)? {
                Found::Heap { word, offset } => answer.vulkan.uniform_binding = heap(&array, word, offset),
                Found::Address(index) => answer.vulkan.uniform_binding = address(index),
                Found::Constants(word) => {
                    answer.push_constant = 1;
                    answer.vulkan.push_constant.offset_in_words = word;
                }
                Found::Fixed(slot) => answer.vulkan.uniform_binding = fixed(slot, UBO),
            }
            *out = answer;
            Some(())
        })
    }
}

pub(crate) unsafe extern "C" fn sampler(
    data: *mut c_void,
    asked: *const sys::dxil_spv_d3d_binding,
    out: *mut sys::dxil_spv_vulkan_binding,
) -> sys::dxil_spv_bool {
    // SAFETY: as in `srv`.
    unsafe {
        answer(data, |context| {
            let array = Array { slot: context.interface.heaps.sampler, kind: IDENTITY };
            *out = match context.find(Class::Sampler, &*asked)? {
                Found::Heap { word, offset } => heap(&array, word, offset),
                Found::Fixed(slot) => fixed(slot, IDENTITY),
                Found::Address(_) | Found::Constants(_) => return None,
            };
            Some(())
        })
    }
}

pub(crate) unsafe extern "C" fn stream_output(
    data: *mut c_void,
    asked: *const sys::dxil_spv_d3d_stream_output,
    out: *mut sys::dxil_spv_vulkan_stream_output,
) -> sys::dxil_spv_bool {
    // SAFETY: as in `srv`; the semantic is a string that ends with zero.
    unsafe {
        answer(data, |context| {
            let asked = &*asked;
            let semantic = text(asked.semantic);
            let of = |output: &StreamOutput| output.semantic.eq_ignore_ascii_case(&semantic);
            let mut answer = sys::dxil_spv_vulkan_stream_output::default();
            if context.link.stream_outputs.iter().any(of) {
                answer.enable = 1;
                answer.offset = streamed::MARK | context.streamed.len() as u32;
                context.streamed.push((semantic, asked.semantic_index));
            }
            *out = answer;
            Some(())
        })
    }
}

pub(crate) unsafe extern "C" fn varying(
    data: *mut c_void,
    asked: *const sys::dxil_spv_d3d_shader_stage_io,
    out: *mut sys::dxil_spv_vulkan_shader_stage_io,
) -> sys::dxil_spv_bool {
    // SAFETY: as in `srv`; the semantic is a string that ends with zero.
    unsafe {
        answer(data, |context| {
            let asked = &*asked;
            let semantic = text(asked.semantic);
            let found = context.link.varyings.iter().find(|varying| {
                varying.index == asked.semantic_index && varying.semantic.eq_ignore_ascii_case(&semantic)
            })?;
            *out = sys::dxil_spv_vulkan_shader_stage_io {
                location: found.location,
                component: found.component,
                flags: if found.primitive { PER_PRIMITIVE } else { 0 },
            };
            Some(())
        })
    }
}

pub(crate) unsafe extern "C" fn log(data: *mut c_void, level: sys::dxil_spv_log_level, message: *const c_char) {
    if level == sys::dxil_spv_log_level_DXIL_SPV_LOG_LEVEL_DEBUG {
        return;
    }
    // SAFETY: as in `srv`; the message is a string that ends with zero.
    unsafe {
        answer(data, |context| {
            let room = LOG_LIMIT.saturating_sub(context.log.len());
            context.log.extend(text(message).chars().take(room));
            Some(())
        });
    }
}

/// A copy of a string of the translator's.
///
/// # Safety
/// `pointer` is null or points to a string that ends with zero.
unsafe fn text(pointer: *const c_char) -> String {
    if pointer.is_null() {
        return String::new();
    }
    // SAFETY: as the caller says.
    unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned()
}
