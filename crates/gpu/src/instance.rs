//! The Vulkan loader and one instance per process.

use core::ffi::CStr;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use ash::vk;

use crate::drivers;
use crate::error::{Context, Error, Result};
use crate::settings::Settings;
use crate::validation::Layer;

/// The Vulkan instance.
pub struct Instance {
    /// The loader.
    pub entry: ash::Entry,
    /// The instance's functions.
    pub instance: ash::Instance,
    /// What its maker wanted, also of its devices.
    pub settings: Settings,
    /// The validation layer, when it is asked for.
    pub validation: Option<Layer>,
    /// Whether debuggers can be told names (`VK_EXT_debug_utils`).
    pub marks: bool,
    /// Names of the extensions that are switched on.
    pub extensions: Vec<&'static CStr>,
    /// Functions of surfaces, where the loader knows any.
    pub surfaces: Option<ash::khr::surface::Instance>,
}

/// Extensions for what is shown: every kind of surface that a program may make on this instance.
const SURFACES: &[&CStr] = &[
    ash::khr::surface::NAME,
    ash::khr::xcb_surface::NAME,
    ash::khr::xlib_surface::NAME,
    ash::khr::wayland_surface::NAME,
    ash::khr::win32_surface::NAME,
    ash::ext::headless_surface::NAME,
    ash::ext::swapchain_colorspace::NAME,
];

impl core::fmt::Debug for Instance {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Instance({:?})", self.instance.handle())
    }
}

impl Instance {
    /// The process's instance: the one that is in use, whatever its settings, or else a new one with these. The second one of a process
    /// stays on Linux, unless it is validated: a program that makes devices again and again needs one each time, and drivers do not give
    /// back all that an instance takes (module `drivers`).
    ///
    /// # Errors
    /// There is no Vulkan loader of version 1.3, or validation is wanted and its layer is not installed.
    pub fn shared(settings: &Settings) -> Result<Arc<Instance>> {
        struct Shared {
            instance: Weak<Instance>,
            /// Instances that were made.
            made: u32,
            /// The one that stays.
            kept: Option<Arc<Instance>>,
        }
        static SHARED: Mutex<Shared> = Mutex::new(Shared { instance: Weak::new(), made: 0, kept: None });
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(instance) = shared.instance.upgrade() {
            return Ok(instance);
        }
        let instance = Arc::new(Instance::new(settings)?);
        shared.instance = Arc::downgrade(&instance);
        shared.made += 1;
        if cfg!(target_os = "linux") && shared.made > 1 && instance.validation.is_none() {
            shared.kept = Some(instance.clone());
        }
        Ok(instance)
    }

    fn new(settings: &Settings) -> Result<Instance> {
        keep_renderdoc();
        let entry = loader()?;
        // SAFETY: no arguments.
        let version = unsafe { entry.try_enumerate_instance_version() }.call("vkEnumerateInstanceVersion")?;
        if version.unwrap_or(vk::API_VERSION_1_0) < vk::API_VERSION_1_3 {
            return Err(Error::Device("the Vulkan loader is older than 1.3; install a newer one".into()));
        }
        let application = vk::ApplicationInfo::default().engine_name(c"reprise").api_version(vk::API_VERSION_1_3);
        let info = vk::InstanceCreateInfo::default().application_info(&application);
        let mut validation = Layer::wanted(&entry, settings)?;
        // SAFETY: no layer is asked.
        let there = unsafe { entry.enumerate_instance_extension_properties(None) };
        let there = there.call("vkEnumerateInstanceExtensionProperties")?;
        let utils = ash::ext::debug_utils::NAME;
        // The validation layer has it, and switches it on.
        let marks = validation.is_some() || there.iter().any(|row| row.extension_name_as_c_str() == Ok(utils));
        let has = |name: &CStr| there.iter().any(|row| row.extension_name_as_c_str() == Ok(name));
        // All of them depend on the first.
        let surfaces = SURFACES.iter().filter(|name| has(SURFACES[0]) && has(name));
        let mut extensions: Vec<&'static CStr> = surfaces.copied().collect();
        if marks {
            extensions.push(utils);
        }
        let pointers: Vec<*const i8> = extensions.iter().map(|name| name.as_ptr()).collect();
        let instance = match &mut validation {
            Some(layer) => layer.instance(&entry, info, pointers)?,
            // SAFETY: the structures live until the call returns.
            None => unsafe { entry.create_instance(&info.enabled_extension_names(&pointers), None) }
                .call("vkCreateInstance")?,
        };
        drivers::keep();
        let surfaces = has(SURFACES[0]).then(|| ash::khr::surface::Instance::new(&entry, &instance));
        Ok(Instance { entry, instance, settings: settings.clone(), validation, marks, extensions, surfaces })
    }

    /// All Vulkan devices, in Vulkan's order.
    ///
    /// # Errors
    /// Vulkan cannot list them.
    pub fn devices(&self) -> Result<Vec<vk::PhysicalDevice>> {
        // SAFETY: the instance lives.
        unsafe { self.instance.enumerate_physical_devices() }.call("vkEnumeratePhysicalDevices")
    }
}

/// The Vulkan loader, which stays: it unloads layers with itself, and threads of theirs may still run.
fn loader() -> Result<ash::Entry> {
    static LOADER: OnceLock<ash::Entry> = OnceLock::new();
    if let Some(entry) = LOADER.get() {
        return Ok(entry.clone());
    }
    // Wine's own loader first: DXVK asks the same one, and surfaces must be of the instance that makes them.
    #[cfg(windows)]
    // SAFETY: the Vulkan loader is a well-behaved library.
    let entry = unsafe { ash::Entry::load_from("winevulkan.dll").or_else(|_| ash::Entry::load()) };
    #[cfg(not(windows))]
    // SAFETY: the Vulkan loader is a well-behaved library.
    let entry = unsafe { ash::Entry::load() };
    let entry = entry
        .map_err(|error| Error::Device(format!("the Vulkan loader cannot be loaded ({error}); install libvulkan")))?;
    Ok(LOADER.get_or_init(|| entry).clone())
}

/// Whether RenderDoc's layer is asked for.
pub fn is_renderdoc_wanted() -> bool {
    std::env::var_os("ENABLE_VULKAN_RENDERDOC_CAPTURE").is_some_and(|value| value == "1")
}

/// Keeps RenderDoc's library loaded where its layer is asked for. It starts a thread as soon as it is loaded, and the Vulkan loader
/// unloads it again after questions that need no instance: the thread would then run where its code was. To be called before any
/// use of Vulkan, also by other libraries.
pub fn keep_renderdoc() {
    #[cfg(unix)]
    if is_renderdoc_wanted() {
        // SAFETY: the name is a string; the library is the one that the Vulkan loader is about to load. Where it lies elsewhere
        // this finds nothing.
        unsafe { libc::dlopen(c"librenderdoc.so".as_ptr(), libc::RTLD_NOW | libc::RTLD_NODELETE) };
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        if let Some(layer) = &mut self.validation {
            layer.end();
        }
        // SAFETY: the last user is gone; devices hold the instance.
        unsafe { self.instance.destroy_instance(None) }
    }
}
