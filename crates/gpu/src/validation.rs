//! Vulkan's validation layer: what it checks, and what happens to its messages.
//!
//! Invariant: every message is counted, except those that [`EXCEPTIONS`] names with a reason and those that the user leaves
//! out. The first few of each kind are printed. The layer also validates synchronisation.

use core::ffi::{CStr, c_void};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use ash::vk;
use reprise_environment::runtime::VALIDATION;
use reprise_log::Level;

use crate::error::{Context, Error, Result};
use crate::settings::{Messages, Settings, Validation};

const LAYER: &CStr = c"VK_LAYER_KHRONOS_validation";

/// Messages of one kind that are printed.
const PRINTED: u32 = 3;

/// What the messages about a pipeline's samples say of one that has one.
const ONE_SAMPLE: &str = "count (VK_SAMPLE_COUNT_1_BIT)";
const OF_PIPELINES: &str = "lavapipe covers all samples of targets by the middle of a pixel where the pipeline has one, as pipeline states ask that force \
                            one sample; elsewhere such pipelines have the samples of the targets";

/// Messages that say nothing about this crate's use of Vulkan: part of the id, part of the text, and the reason.
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    (
        "VUID-VkBufferViewCreateInfo-format-08779",
        "was created with usage",
        "layer 1.4.309 looks at the buffer's usage although the view has its own (maintenance5); without that extension no \
         driver minds",
    ),
    (
        "VUID-VkBufferViewCreateInfo-buffer-00934",
        "must be supported for storage texel buffers",
        "a layer that does not know maintenance5 looks at the buffer's usage, where the view of three words is only read",
    ),
    (
        "UNASSIGNED-CoreValidation-Shader-InconsistentSpirv",
        "VUID-PrimitiveShadingRateKHR-PrimitiveShadingRateKHR-04486",
        "layer 1.3.239 knows no shading rates of mesh shaders, which have one for each primitive",
    ),
    ("Undefined-Value-ShaderOutputNotConsumed", "", "the API lets pixel shaders write targets that are not bound"),
    (
        "Undefined-Value-ShaderFragmentOutputMismatch",
        "",
        "the API lets pixel shaders write other numbers than the target has, and leaves open what comes out",
    ),
    (
        "UNASSIGNED-CoreValidation-Shader-InterfaceTypeMismatch",
        "does not match fragment shader output type",
        "an older layer's name of the two before",
    ),
    (
        "VUID-VkGraphicsPipelineCreateInfo-Vertex-07722",
        "",
        "only with a layer that does not know maintenance5, which makes points one texel large: the driver has it",
    ),
    (
        "VUID-vkCmdBindVertexBuffers2-pStrides-06209",
        "",
        "the API lets vertices overlap, and drivers read them where the stride says",
    ),
    (
        "VUID-VkGraphicsPipelineCreateInfo-Input-08733",
        "",
        "the API only warns of attributes that are other numbers than the shader's, and leaves open what it reads",
    ),
    (
        "UNASSIGNED-CoreValidation-Shader-InterfaceTypeMismatch",
        "does not match vertex shader input type",
        "an older layer's name of the one before",
    ),
    (
        "VUID-vkCmdDispatch-groupCountX-00386",
        "",
        "lavapipe runs more groups than its limit says, as programs expect; elsewhere such dispatches are left out",
    ),
    ("-colorAttachmentCount-06188", ONE_SAMPLE, OF_PIPELINES),
    ("-pDepthAttachment-06189", ONE_SAMPLE, OF_PIPELINES),
    ("-pStencilAttachment-06190", ONE_SAMPLE, OF_PIPELINES),
    ("-multisampledRenderToSingleSampled-07285", ONE_SAMPLE, OF_PIPELINES),
    ("-multisampledRenderToSingleSampled-07286", ONE_SAMPLE, OF_PIPELINES),
    ("-multisampledRenderToSingleSampled-07287", ONE_SAMPLE, OF_PIPELINES),
];

/// Extensions that came after the oldest layer that is in use (1.3.239, of Debian 12), with the version of Vulkan's headers
/// that brought them. A layer reads structures and commands that it does not know as something else, or crashes on them.
const NEWER: &[(&CStr, u32)] = &[
    (c"VK_EXT_image_sliced_view_of_3d", vk::make_api_version(0, 1, 3, 241)),
    (c"VK_EXT_pipeline_library_group_handles", vk::make_api_version(0, 1, 3, 245)),
    (c"VK_EXT_dynamic_rendering_unused_attachments", vk::make_api_version(0, 1, 3, 251)),
    (c"VK_KHR_maintenance5", vk::make_api_version(0, 1, 3, 260)),
    (c"VK_KHR_maintenance6", vk::make_api_version(0, 1, 3, 274)),
    (c"VK_KHR_maintenance8", vk::make_api_version(0, 1, 4, 305)),
    (c"VK_KHR_shader_maximal_reconvergence", vk::make_api_version(0, 1, 3, 274)),
    (c"VK_KHR_shader_quad_control", vk::make_api_version(0, 1, 3, 276)),
    (c"VK_KHR_compute_shader_derivatives", vk::make_api_version(0, 1, 3, 296)),
    (c"VK_EXT_legacy_vertex_attributes", vk::make_api_version(0, 1, 3, 278)),
    (c"VK_EXT_device_generated_commands", vk::make_api_version(0, 1, 3, 296)),
];

/// What the process's layers have said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// Errors.
    pub errors: u64,
    /// Warnings.
    pub warnings: u64,
    /// Messages that [`EXCEPTIONS`] excuses, or that the user left out.
    pub excused: u64,
}

static ERRORS: AtomicU64 = AtomicU64::new(0);
static WARNINGS: AtomicU64 = AtomicU64::new(0);
static EXCUSED: AtomicU64 = AtomicU64::new(0);

/// What has been said so far.
pub fn said() -> Said {
    let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    Said { errors: read(&ERRORS), warnings: read(&WARNINGS), excused: read(&EXCUSED) }
}

/// The layer, as an instance uses it.
pub struct Layer {
    /// The version of Vulkan's headers that it was made with.
    version: u32,
    messenger: Option<(ash::ext::debug_utils::Instance, vk::DebugUtilsMessengerEXT)>,
    /// The layer's callback reads this until the instance is destroyed, so it keeps its address.
    filter: Box<Filter>,
}

/// What the callback does with messages.
struct Filter {
    messages: Messages,
    fatal: bool,
}

impl Layer {
    fn new(version: u32, settings: &Settings) -> Layer {
        let fatal = settings.validation == Validation::Fatal;
        Layer { version, messenger: None, filter: Box::new(Filter { messages: settings.messages.clone(), fatal }) }
    }

    /// The layer when it is asked for.
    ///
    /// # Errors
    /// When it is asked for and not installed.
    pub fn wanted(entry: &ash::Entry, settings: &Settings) -> Result<Option<Layer>> {
        if settings.validation == Validation::Off {
            return Ok(None);
        }
        // SAFETY: no arguments.
        let there =
            unsafe { entry.enumerate_instance_layer_properties() }.call("vkEnumerateInstanceLayerProperties")?;
        let found = there.iter().find(|layer| layer.layer_name_as_c_str() == Ok(LAYER));
        let version = found.map(|layer| layer.spec_version);
        match version {
            Some(version) => Ok(Some(Layer::new(version, settings))),
            // Wine passes no layer on, wherever one is installed.
            None if cfg!(windows) => Err(Error::Device(format!(
                "{VALIDATION} wants Vulkan's layer for it, which Wine hides from programs: use reprise run --validate"
            ))),
            None => Err(Error::Device(format!(
                "{VALIDATION} or --validate wants Vulkan's layer for it; install vulkan-validationlayers"
            ))),
        }
    }

    /// Makes an instance with the layer, and with these extensions beside the layer's own. `VK_EXT_debug_utils` is among them.
    ///
    /// # Errors
    /// Vulkan cannot make the instance, or the layer's messenger.
    pub fn instance(
        &mut self,
        entry: &ash::Entry,
        info: vk::InstanceCreateInfo<'_>,
        mut extensions: Vec<*const i8>,
    ) -> Result<ash::Instance> {
        let enabled = [vk::ValidationFeatureEnableEXT::SYNCHRONIZATION_VALIDATION];
        let mut features = vk::ValidationFeaturesEXT::default().enabled_validation_features(&enabled);
        // Chained, it also hears what is said while the instance is made and destroyed.
        let mut first = messenger(&self.filter);
        let layers = [LAYER.as_ptr()];
        extensions.push(ash::ext::validation_features::NAME.as_ptr());
        let info = info
            .enabled_layer_names(&layers)
            .enabled_extension_names(&extensions)
            .push_next(&mut features)
            .push_next(&mut first);
        // SAFETY: the structures live until the call returns.
        let instance = unsafe { entry.create_instance(&info, None) }.call("vkCreateInstance")?;
        let utils = ash::ext::debug_utils::Instance::new(entry, &instance);
        // SAFETY: the structure lives until the call returns; the filter lives as long as the instance.
        match unsafe { utils.create_debug_utils_messenger(&messenger(&self.filter), None) } {
            Ok(messenger) => self.messenger = Some((utils, messenger)),
            Err(error) => {
                // SAFETY: nobody has the instance.
                unsafe { instance.destroy_instance(None) };
                return Err(Error::Vulkan("vkCreateDebugUtilsMessengerEXT", error));
            }
        }
        let (_, major, minor, patch) = parts(self.version);
        reprise_log::info(format_args!(
            "Vulkan is validated by the Khronos layer {major}.{minor}.{patch}, synchronisation included"
        ));
        Ok(instance)
    }

    /// Whether the layer knows an extension. Devices are made without the others, as if they lacked them.
    pub fn knows(&self, extension: &CStr) -> bool {
        NEWER.iter().all(|(name, since)| *name != extension || *since <= self.version)
    }

    /// Ends the layer's messages before the instance is destroyed, and prints how many there were.
    pub fn end(&mut self) {
        let Said { errors, warnings, excused } = said();
        if let Some((utils, messenger)) = self.messenger.take() {
            // SAFETY: the instance still lives; nobody else has the messenger.
            unsafe { utils.destroy_debug_utils_messenger(messenger, None) };
            reprise_log::info(format_args!(
                "Vulkan validation: {errors} errors, {warnings} warnings, {excused} excused"
            ));
        }
    }
}

/// Variant, major, minor, patch of a version.
fn parts(version: u32) -> (u32, u32, u32, u32) {
    (
        vk::api_version_variant(version),
        vk::api_version_major(version),
        vk::api_version_minor(version),
        vk::api_version_patch(version),
    )
}

/// A messenger that gives messages to [`hear`]. The filter must live as long as the messenger and the instance.
fn messenger(filter: &Filter) -> vk::DebugUtilsMessengerCreateInfoEXT<'static> {
    type Severity = vk::DebugUtilsMessageSeverityFlagsEXT;
    vk::DebugUtilsMessengerCreateInfoEXT::default()
        .message_severity(Severity::WARNING | Severity::ERROR)
        .message_type(vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION)
        .pfn_user_callback(Some(hear))
        .user_data(core::ptr::from_ref(filter).cast_mut().cast())
}

/// Whether a message says nothing about this crate's use of Vulkan.
pub fn is_excused(id: &str, text: &str) -> bool {
    EXCEPTIONS.iter().any(|(name, part, _)| id.contains(name) && text.contains(part))
}

/// The layer has a message.
unsafe extern "system" fn hear(
    severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    _kind: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    user: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: the filter that `messenger` was given, which outlives the instance.
    let filter = unsafe { &*user.cast::<Filter>() };
    let heard = std::panic::catch_unwind(|| {
        // SAFETY: the layer's own data, alive until this returns; its texts are null or end with zero.
        let (number, id, text) = unsafe {
            let Some(data) = data.as_ref() else { return vk::FALSE };
            let text = |text: Option<&CStr>| text.unwrap_or_default().to_string_lossy().into_owned();
            (data.message_id_number, text(data.message_id_name_as_c_str()), text(data.message_as_c_str()))
        };
        if is_excused(&id, &text) || !filter.messages.count(&id) {
            EXCUSED.fetch_add(1, Ordering::Relaxed);
            return vk::FALSE;
        }
        let error = severity.contains(vk::DebugUtilsMessageSeverityFlagsEXT::ERROR);
        if error { &ERRORS } else { &WARNINGS }.fetch_add(1, Ordering::Relaxed);
        static KINDS: Mutex<Option<HashMap<i32, u32>>> = Mutex::new(None);
        let mut kinds = KINDS.lock().unwrap_or_else(PoisonError::into_inner);
        let count = kinds.get_or_insert_default().entry(number).or_default();
        *count += 1;
        if *count <= PRINTED {
            let more = if *count == PRINTED { " (the next ones are only counted)" } else { "" };
            let level = if error { Level::Error } else { Level::Warning };
            reprise_log::say(level, format_args!("Vulkan validation {level}: {id}: {text}{more}"));
        }
        if error && filter.fatal {
            std::process::abort();
        }
        vk::FALSE
    });
    // Nothing unwinds into the layer. A message that cannot be printed is no reason to stop.
    heard.unwrap_or(vk::FALSE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_layer_is_spared_what_it_does_not_know() {
        let old = Layer::new(vk::make_api_version(0, 1, 3, 239), &Settings::default());
        let new = Layer::new(vk::make_api_version(0, 1, 4, 309), &Settings::default());
        for (name, known) in
            [(c"VK_KHR_maintenance5", false), (c"VK_KHR_maintenance6", false), (c"VK_EXT_robustness2", true)]
        {
            assert_eq!(old.knows(name), known, "{name:?}");
            assert!(new.knows(name));
        }
        let between = Layer::new(vk::make_api_version(0, 1, 3, 260), &Settings::default());
        assert!(between.knows(c"VK_KHR_maintenance5") && !between.knows(c"VK_KHR_maintenance6"));
    }
}
