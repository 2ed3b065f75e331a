//! What a call does, by its method. The page gives rows a colour by it.

use reprise_d3d12::operation::{self, Operation};
use reprise_view::api;
use std::sync::OnceLock;

/// What a call does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub(crate) enum Kind {
    Draw,
    Dispatch,
    Rays,
    Mesh,
    Indirect,
    Bundle,
    Copy,
    Resolve,
    Clear,
    Discard,
    Barrier,
    Marker,
    Query,
    Build,
    Set,
    List,
    Submit,
    Signal,
    Wait,
    Present,
    Queue,
    Create,
    Map,
    View,
    Release,
    Get,
    Other,
}

/// All kinds, in the order of their numbers, with the words of the interface.
const NAMES: [(Kind, &str); 27] = [
    (Kind::Draw, "draw"),
    (Kind::Dispatch, "dispatch"),
    (Kind::Rays, "rays"),
    (Kind::Mesh, "mesh"),
    (Kind::Indirect, "indirect"),
    (Kind::Bundle, "bundle"),
    (Kind::Copy, "copy"),
    (Kind::Resolve, "resolve"),
    (Kind::Clear, "clear"),
    (Kind::Discard, "discard"),
    (Kind::Barrier, "barrier"),
    (Kind::Marker, "marker"),
    (Kind::Query, "query"),
    (Kind::Build, "build"),
    (Kind::Set, "set"),
    (Kind::List, "list"),
    (Kind::Submit, "submit"),
    (Kind::Signal, "signal"),
    (Kind::Wait, "wait"),
    (Kind::Present, "present"),
    (Kind::Queue, "queue"),
    (Kind::Create, "create"),
    (Kind::Map, "map"),
    (Kind::View, "view"),
    (Kind::Release, "release"),
    (Kind::Get, "get"),
    (Kind::Other, "other"),
];

/// A set of kinds: a bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Kinds(u32);

impl Kinds {
    /// Of these.
    pub(crate) fn of(kinds: &[Kind]) -> Kinds {
        kinds.iter().fold(Kinds::default(), |all, kind| all.with(*kind))
    }

    /// And this one.
    pub(crate) fn with(self, kind: Kind) -> Kinds {
        Kinds(self.0 | 1 << kind as u8)
    }

    /// All that are in either.
    pub(crate) fn and(self, other: Kinds) -> Kinds {
        Kinds(self.0 | other.0)
    }

    /// Whether it is in the set.
    pub(crate) fn has(self, kind: Kind) -> bool {
        self.0 >> kind as u8 & 1 != 0
    }

    /// Whether any kind is in both.
    pub(crate) fn meets(self, other: Kinds) -> bool {
        self.0 & other.0 != 0
    }

    /// The kinds that a word names: a kind, or `action` for all that make the GPU do something.
    pub(crate) fn named(word: &str) -> Option<Kinds> {
        match word {
            "action" => Some(actions()),
            word => NAMES.iter().find(|(_, name)| *name == word).map(|(kind, _)| Kinds::of(&[*kind])),
        }
    }
}

/// What makes the GPU do something.
pub(crate) fn actions() -> Kinds {
    use Kind::{Build, Clear, Copy, Discard, Dispatch, Draw, Indirect, Mesh, Rays, Resolve};
    Kinds::of(&[Draw, Dispatch, Rays, Mesh, Indirect, Copy, Resolve, Clear, Discard, Build])
}

impl Kind {
    /// In the words of the interface.
    pub(crate) fn name(self) -> &'static str {
        NAMES[self as usize].1
    }

    /// Whether it uses what is bound: draws and dispatches.
    pub(crate) fn draws(self) -> bool {
        matches!(self, Kind::Draw | Kind::Dispatch | Kind::Rays | Kind::Mesh | Kind::Indirect)
    }
}

/// What a method is for. Methods that only the trace's own model has are among them.
pub(crate) fn of(method: u16) -> Kind {
    static KINDS: OnceLock<Vec<Kind>> = OnceLock::new();
    let kinds = KINDS.get_or_init(|| {
        let model = api::model();
        let interface = |row: &reprise_d3d12::model::Method| {
            row.interface.and_then(|id| model.interfaces.get(usize::from(id.0))).map_or("", |interface| interface.name)
        };
        model.methods.iter().map(|row| by_name(interface(row), row.name)).collect()
    });
    kinds.get(usize::from(method)).copied().unwrap_or(Kind::Other)
}

fn by_name(interface: &str, method: &str) -> Kind {
    let is_list = interface.starts_with("ID3D12GraphicsCommandList");
    let is_queue = interface.starts_with("ID3D12CommandQueue");
    let begins = |words: &[&str]| words.iter().any(|word| method.starts_with(word));
    match method {
        "AddRef" | "Release" => return Kind::Release,
        "BeginEvent" | "EndEvent" | "SetMarker" => return Kind::Marker,
        "Present" | "Present1" => return Kind::Present,
        _ => {}
    }
    if is_list {
        return match (operation::of_name(method), method) {
            (Some(Operation::Draw), "DispatchMesh") => Kind::Mesh,
            (Some(Operation::Draw), _) => Kind::Draw,
            // The page has no colour of its own for work graphs and meta commands.
            (Some(Operation::Dispatch | Operation::Graph | Operation::Meta), _) => Kind::Dispatch,
            (Some(Operation::Rays), _) => Kind::Rays,
            (Some(Operation::Indirect), _) => Kind::Indirect,
            (Some(Operation::Bundle), _) => Kind::Bundle,
            (Some(Operation::Barrier), _) => Kind::Barrier,
            (Some(Operation::Query), _) | (_, "BeginQuery" | "EndQuery") => Kind::Query,
            (Some(Operation::Discard), _) => Kind::Discard,
            (Some(Operation::Copy | Operation::Write), _) => Kind::Copy,
            (Some(Operation::Build), _) => Kind::Build,
            (Some(Operation::Resolve), _) => Kind::Resolve,
            (Some(Operation::Clear), _) => Kind::Clear,
            (_, "Close" | "Reset") => Kind::List,
            _ if begins(&["Get"]) => Kind::Get,
            _ => Kind::Set,
        };
    }
    if is_queue {
        return match method {
            "ExecuteCommandLists" => Kind::Submit,
            "Signal" => Kind::Signal,
            "Wait" => Kind::Wait,
            _ if begins(&["Get"]) => Kind::Get,
            _ => Kind::Queue,
        };
    }
    match (interface, method) {
        (fence, "Signal") if fence.starts_with("ID3D12Fence") => Kind::Signal,
        (_, "SetEventOnCompletion" | "SetEventOnMultipleFenceCompletion" | "vkd3d_wait_event") => Kind::Wait,
        (_, "Map" | "Unmap" | "WriteToSubresource" | "ReadFromSubresource") => Kind::Map,
        (_, "Reset") if interface.starts_with("ID3D12CommandAllocator") => Kind::List,
        (_, "CopyDescriptors" | "CopyDescriptorsSimple") => Kind::View,
        _ if begins(&["Create"]) && (method.ends_with("View") || method.starts_with("CreateSampler")) => Kind::View,
        _ if begins(&["Create", "D3D12Create", "Open"]) || method.contains("Serialize") => Kind::Create,
        _ if begins(&["Get", "Check", "Query"]) => Kind::Get,
        _ => Kind::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_in_the_order_of_the_numbers() {
        assert!(NAMES.iter().enumerate().all(|(number, (kind, _))| *kind as usize == number));
    }

    #[test]
    fn methods_are_told_apart() {
        let of_name = |name: &str| {
            let count = u16::try_from(api::model().methods.len()).unwrap_or(u16::MAX);
            let number = (0..count).find(|number| api::name(reprise_d3d12::model::MethodId(*number)) == name);
            number.map(of)
        };
        for (name, kind) in [
            ("ID3D12GraphicsCommandList::DrawInstanced", Kind::Draw),
            ("ID3D12GraphicsCommandList::ClearState", Kind::Set),
            ("ID3D12GraphicsCommandList::ResolveSubresource", Kind::Resolve),
            ("ID3D12GraphicsCommandList::ResolveQueryData", Kind::Query),
            ("ID3D12GraphicsCommandList::CopyResource", Kind::Copy),
            ("ID3D12GraphicsCommandList::Reset", Kind::List),
            ("ID3D12CommandQueue::ExecuteCommandLists", Kind::Submit),
            ("ID3D12Device::CreateRenderTargetView", Kind::View),
            ("ID3D12Device::CreateCommittedResource", Kind::Create),
            ("ID3D12Resource::Map", Kind::Map),
            ("ID3D12Fence::GetCompletedValue", Kind::Get),
            ("IUnknown::Release", Kind::Release),
        ] {
            assert_eq!(of_name(name), Some(kind), "{name}");
        }
    }
}
