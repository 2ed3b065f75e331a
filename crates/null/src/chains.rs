//! Which interfaces an object answers: its own chain of versions, and the chains beside it.

use reprise_d3d12::model::{Guid, InterfaceId};
use std::collections::HashMap;
use std::sync::LazyLock;

/// Chains that an object of a class answers beside its own, by name: what real runtimes with every layer loaded do.
/// Names that the model does not have are passed over.
const BESIDE: &[(&str, &[&str])] = &[
    (
        "ID3D12Device",
        &[
            "ID3D12DebugDevice",
            "ID3D12InfoQueue",
            "ID3D12DeviceConfiguration",
            "ID3D12DeviceTools",
            "ID3D12CompatibilityDevice",
            "ID3D12VideoDevice",
            "ID3D12ManualWriteTrackingResource",
        ],
    ),
    ("ID3D12CommandQueue", &["ID3D12DebugCommandQueue", "ID3D12SharingContract", "ID3D12CompatibilityQueue"]),
    ("ID3D12GraphicsCommandList", &["ID3D12DebugCommandList"]),
    ("ID3D12StateObject", &["ID3D12StateObjectProperties", "ID3D12WorkGraphProperties"]),
    ("ID3D12Debug", &["ID3D12DeviceRemovedExtendedDataSettings"]),
    ("ID3D12DeviceFactory", &["ID3D12DeviceConfiguration"]),
    ("ID3D12LifetimeTracker", &["ID3D12SwapChainAssistant"]),
];

static BY_IID: LazyLock<HashMap<Guid, InterfaceId>> = LazyLock::new(|| {
    let interfaces = crate::model().interfaces.iter().enumerate();
    interfaces.map(|(i, interface)| (interface.iid, InterfaceId(i as u16))).collect()
});

static FAMILIES: LazyLock<Vec<Vec<InterfaceId>>> = LazyLock::new(|| {
    let model = crate::model();
    let named = |name: &str| model.interfaces.iter().position(|i| i.name == name).map(|i| model.interfaces[i].family);
    let beside: Vec<(InterfaceId, Vec<InterfaceId>)> = BESIDE
        .iter()
        .filter_map(|(class, others)| Some((named(class)?, others.iter().filter_map(|o| named(o)).collect())))
        .collect();
    let of = |class: usize| {
        let own = model.interfaces[class].family;
        let mut families = vec![own];
        if let Some((_, others)) = beside.iter().find(|(of, _)| *of == own) {
            families.extend(others.iter().filter(|f| **f != own));
        }
        families
    };
    (0..model.interfaces.len()).map(of).collect()
});

/// The interface with this id.
pub fn interface(iid: &Guid) -> Option<InterfaceId> {
    BY_IID.get(iid).copied()
}

/// The chains an object of `class` answers, its own first.
pub fn families(class: InterfaceId) -> &'static [InterfaceId] {
    &FAMILIES[class.0 as usize]
}

/// Whether `family` is `base` or derives from it.
pub fn derives(family: InterfaceId, base: InterfaceId) -> bool {
    let interfaces = crate::model().interfaces;
    let mut at = Some(family);
    while let Some(id) = at {
        if id == base {
            return true;
        }
        at = interfaces[id.0 as usize].base;
    }
    false
}
