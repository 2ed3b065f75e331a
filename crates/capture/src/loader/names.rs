//! The names of the runtime's functions that this library exports.

use core::ffi::CStr;

/// How a function is declared by the libraries that have it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Declared {
    /// Takes the convention of the runtime's world.
    Direct3d,
    /// System V always; its objects are of the runtime's world.
    Vkd3d,
    /// System V, no objects.
    Vulkan,
}

/// An export, as its library has it.
pub(crate) struct Export {
    pub(crate) name: &'static CStr,
    pub(crate) declared: Declared,
}

/// Calls a macro with every export: its name, and how it is declared.
macro_rules! each_export {
    ($callback:ident) => {
        $callback! {
            D3D12CreateDevice Direct3d;
            D3D12CreateDeviceVKD3D Direct3d;
            D3D12GetDebugInterface Direct3d;
            D3D12GetInterface Direct3d;
            D3D12EnableExperimentalFeatures Direct3d;
            D3D12SerializeRootSignature Direct3d;
            D3D12SerializeVersionedRootSignature Direct3d;
            D3D12CreateRootSignatureDeserializer Direct3d;
            D3D12CreateVersionedRootSignatureDeserializer Direct3d;
            D3D12CreateVersionedRootSignatureDeserializerFromSubobjectInLibrary Direct3d;
            CreateDXGIFactory Direct3d;
            CreateDXGIFactory1 Direct3d;
            CreateDXGIFactory2 Direct3d;
            DXGIGetDebugInterface1 Direct3d;
            vkd3d_create_instance Vkd3d;
            vkd3d_instance_decref Vkd3d;
            vkd3d_instance_get_vk_instance Vkd3d;
            vkd3d_instance_incref Vkd3d;
            vkd3d_create_device Vkd3d;
            vkd3d_get_device_parent Vkd3d;
            vkd3d_get_vk_device Vkd3d;
            vkd3d_get_vk_physical_device Vkd3d;
            vkd3d_instance_from_device Vkd3d;
            vkd3d_get_vk_queue_family_index Vkd3d;
            vkd3d_acquire_vk_queue Vkd3d;
            vkd3d_release_vk_queue Vkd3d;
            vkd3d_create_image_resource Vkd3d;
            vkd3d_resource_decref Vkd3d;
            vkd3d_resource_incref Vkd3d;
            vkd3d_serialize_root_signature Vkd3d;
            vkd3d_create_root_signature_deserializer Vkd3d;
            vkd3d_get_vk_format Vkd3d;
            vkd3d_get_dxgi_format Vkd3d;
            vkd3d_serialize_versioned_root_signature Vkd3d;
            vkd3d_create_versioned_root_signature_deserializer Vkd3d;
            vkd3d_create_event Vkd3d;
            vkd3d_signal_event Vkd3d;
            vkd3d_wait_event Vkd3d;
            vkd3d_destroy_event Vkd3d;
            vkCreateXcbSurfaceKHR Vulkan;
            vkCreateXlibSurfaceKHR Vulkan;
            vkCreateWaylandSurfaceKHR Vulkan;
            vkDestroySurfaceKHR Vulkan;
            vkGetPhysicalDeviceSurfaceSupportKHR Vulkan;
            vkGetPhysicalDeviceSurfaceCapabilitiesKHR Vulkan;
            vkGetPhysicalDeviceSurfaceFormatsKHR Vulkan;
            vkGetPhysicalDeviceSurfacePresentModesKHR Vulkan;
            vkCreateFence Vulkan;
            vkDestroyFence Vulkan;
            vkResetFences Vulkan;
            vkWaitForFences Vulkan;
            vkCreateSwapchainKHR Vulkan;
            vkDestroySwapchainKHR Vulkan;
            vkGetSwapchainImagesKHR Vulkan;
            vkAcquireNextImageKHR Vulkan;
            vkAcquireNextImage2KHR Vulkan;
            vkQueuePresentKHR Vulkan;
        }
    };
}
pub(crate) use each_export;

macro_rules! table {
    ($($name:ident $declared:ident;)*) => {
        /// Numbers of the exports.
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        #[derive(Clone, Copy)]
        pub(crate) enum Index { $($name,)* }

        /// All exports, by number.
        pub(crate) static EXPORTS: [Export; COUNT] = [$(Export {
            // SAFETY: a literal without inner zeros, and one at the end.
            name: unsafe { CStr::from_bytes_with_nul_unchecked(concat!(stringify!($name), "\0").as_bytes()) },
            declared: Declared::$declared,
        }),*];

        /// How many there are.
        pub(crate) const COUNT: usize = [$(Index::$name),*].len();
    };
}

each_export!(table);

/// The number of the export of this name.
pub(crate) fn index_of(name: &CStr) -> Option<usize> {
    let bytes = name.to_bytes();
    // Nearly all lookups are of something else.
    if !matches!(bytes.first(), Some(b'D' | b'C' | b'v')) {
        return None;
    }
    EXPORTS.iter().position(|export| export.name == name)
}
