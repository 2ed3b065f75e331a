//! Questions about the model of the API: by interface id, by ancestry, by name.
//!
//! Invariant: this folder states no facts of the API. It names only what capture treats specially: interfaces in [`Known`],
//! methods in [`special`].

pub(crate) mod codec;
pub(crate) mod special;

use reprise_d3d12::model::{Interface, InterfaceId, Method, MethodId, Model, Order};
use std::sync::LazyLock;

/// The built-in tables.
pub(crate) fn tables() -> &'static Model {
    &reprise_d3d12::MODEL
}

/// An interface of the model.
pub(crate) fn interface(id: InterfaceId) -> &'static Interface {
    &tables().interfaces[id.0 as usize]
}

/// A method of the model.
pub(crate) fn method(id: MethodId) -> &'static Method {
    &tables().methods[id.0 as usize]
}

pub(crate) use reprise_d3d12::lookup::by_iid;

/// The interface with this name.
pub(crate) fn by_name(name: &str) -> Option<InterfaceId> {
    tables().interfaces.iter().position(|interface| interface.name == name).map(|index| InterfaceId(index as u16))
}

/// Slots of the whole vtable.
pub(crate) fn slots(id: InterfaceId) -> u16 {
    id.slots()
}

/// Whether `id` is `ancestor` or derives from it.
pub(crate) fn derives(id: InterfaceId, ancestor: InterfaceId) -> bool {
    ancestor.0 != u16::MAX && id.derives_from(ancestor)
}

/// Whether the interface is a COM interface at all (those of shader reflection are not).
pub(crate) fn has_unknown(id: InterfaceId) -> bool {
    derives(id, known().unknown)
}

/// Interfaces that capture knows by name.
pub(crate) struct Known {
    pub(crate) unknown: InterfaceId,
    pub(crate) object: InterfaceId,
    pub(crate) dxgi_object: InterfaceId,
    pub(crate) device: InterfaceId,
    pub(crate) fence: InterfaceId,
    pub(crate) resource: InterfaceId,
    pub(crate) heap: InterfaceId,
    pub(crate) descriptor_heap: InterfaceId,
    pub(crate) state_object: InterfaceId,
    pub(crate) factory: InterfaceId,
    pub(crate) adapter: InterfaceId,
    pub(crate) output: InterfaceId,
    pub(crate) swap_chain: InterfaceId,
    pub(crate) vk_swap_chain: InterfaceId,
    /// Asked of a wrapper, it wants the runtime's own object.
    pub(crate) own_object: InterfaceId,
}

/// See [`Known`].
pub(crate) fn known() -> &'static Known {
    static KNOWN: LazyLock<Known> = LazyLock::new(|| {
        // A name that the model does not have stands for nothing: no interface derives from it.
        let id = |name| by_name(name).unwrap_or(InterfaceId(u16::MAX));
        Known {
            unknown: id("IUnknown"),
            object: id("ID3D12Object"),
            dxgi_object: id("IDXGIObject"),
            device: id("ID3D12Device"),
            fence: id("ID3D12Fence"),
            resource: id("ID3D12Resource"),
            heap: id("ID3D12Heap"),
            descriptor_heap: id("ID3D12DescriptorHeap"),
            state_object: id("ID3D12StateObject"),
            factory: id("IDXGIFactory"),
            adapter: id("IDXGIAdapter"),
            output: id("IDXGIOutput"),
            swap_chain: id("IDXGISwapChain"),
            vk_swap_chain: id("IDXGIVkSwapChain"),
            own_object: id("ID3D12ExtDummyInterface"),
        }
    });
    &KNOWN
}

/// Whether the API leaves the order of the method's calls on its object to the program: those of interfaces with methods
/// that are ordered by the object alone (command lists).
pub(crate) fn ordered(id: MethodId) -> bool {
    static ORDERED: LazyLock<Box<[bool]>> = LazyLock::new(|| {
        let model = tables();
        let family = |method: &Method| method.interface.map(|id| interface(id).family);
        let mut families = vec![false; model.interfaces.len()];
        for method in model.methods.iter().filter(|method| method.order == Order::Object) {
            if let Some(family) = family(method) {
                families[family.0 as usize] = true;
            }
        }
        model.methods.iter().map(|method| family(method).is_some_and(|family| families[family.0 as usize])).collect()
    });
    ORDERED[id.0 as usize]
}
