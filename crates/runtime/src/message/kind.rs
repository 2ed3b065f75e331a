//! What a message is about: its category, severity and number.

use reprise_d3d12::types::{D3D12_MESSAGE_CATEGORY, D3D12_MESSAGE_ID, D3D12_MESSAGE_SEVERITY};
use reprise_log::Level;

type Category = D3D12_MESSAGE_CATEGORY;
type Id = D3D12_MESSAGE_ID;
type Severity = D3D12_MESSAGE_SEVERITY;

/// Category, severity and number, by which filters choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kind {
    pub(crate) category: Category,
    pub(crate) severity: Severity,
    pub(crate) id: Id,
}

/// Beginnings of methods' names, and what a call of such a method is about.
const CATEGORIES: &[(&str, Category)] = &[
    ("Create", Category::STATE_CREATION),
    ("Open", Category::STATE_CREATION),
    ("Load", Category::STATE_CREATION),
    ("Store", Category::STATE_CREATION),
    ("AddToStateObject", Category::STATE_CREATION),
    ("Map", Category::RESOURCE_MANIPULATION),
    ("Write", Category::RESOURCE_MANIPULATION),
    ("Read", Category::RESOURCE_MANIPULATION),
    ("Get", Category::STATE_GETTING),
    ("Check", Category::STATE_GETTING),
    ("Set", Category::STATE_SETTING),
    ("Close", Category::EXECUTION),
    ("Reset", Category::EXECUTION),
    ("Execute", Category::EXECUTION),
    ("Signal", Category::EXECUTION),
    ("Wait", Category::EXECUTION),
];

/// Beginnings of methods' names, and the numbers of messages that their arguments or a lack of memory cause.
const NUMBERS: &[(&str, Id, Id)] = &[
    (
        "CreateCommittedResource",
        Id::CREATERESOURCEANDHEAP_INVALIDARG_RETURN,
        Id::CREATERESOURCEANDHEAP_OUTOFMEMORY_RETURN,
    ),
    ("CreatePlacedResource", Id::CREATERESOURCE_INVALIDARG_RETURN, Id::CREATERESOURCE_OUTOFMEMORY_RETURN),
    ("CreateReservedResource", Id::CREATERESOURCE_INVALIDARG_RETURN, Id::CREATERESOURCE_OUTOFMEMORY_RETURN),
    ("CreateHeap", Id::CREATEHEAP_INVALIDARG_RETURN, Id::CREATEHEAP_OUTOFMEMORY_RETURN),
    ("CreateRootSignature", Id::CREATE_ROOT_SIGNATURE_DESERIALIZE_FAILED, Id::UNKNOWN),
    ("Map", Id::MAP_INVALIDARG_RETURN, Id::MAP_OUTOFMEMORY_RETURN),
    ("OpenExistingHeap", Id::OPENEXISTINGHEAP_INVALIDARG_RETURN, Id::OPENEXISTINGHEAP_OUTOFMEMORY_RETURN),
    ("CreateSharedHandle", Id::DEVICE_CREATE_SHARED_HANDLE_INVALIDARG, Id::UNKNOWN),
];

impl Kind {
    /// A program's own message.
    pub(crate) fn of_application(severity: Severity) -> Kind {
        Kind { category: Category::APPLICATION_DEFINED, severity, id: Id::STRING_FROM_APPLICATION }
    }

    /// A line of the log.
    pub(crate) fn of_line(level: Level) -> Kind {
        let severity = match level {
            Level::Debug => Severity::MESSAGE,
            Level::Info => Severity::INFO,
            Level::Warning => Severity::WARNING,
            Level::Error | Level::Fatal => Severity::ERROR,
        };
        Kind { category: Category::MISCELLANEOUS, severity, id: Id::UNKNOWN }
    }

    /// A refused call of a method of this name, or of names that begin so; `memory`: for want of memory.
    pub(crate) fn of_call(name: &str, memory: bool) -> Kind {
        let category = CATEGORIES.iter().find(|(beginning, _)| name.starts_with(beginning));
        let number = NUMBERS.iter().find(|(beginning, ..)| name.starts_with(beginning));
        Kind {
            category: category.map_or(Category::MISCELLANEOUS, |(_, category)| *category),
            severity: Severity::ERROR,
            id: number.map_or(Id::UNKNOWN, |(_, argument, no_memory)| if memory { *no_memory } else { *argument }),
        }
    }

    /// A command that a list does not take.
    pub(crate) const OF_COMMAND: Kind =
        Kind { category: Category::EXECUTION, severity: Severity::ERROR, id: Id::UNKNOWN };
}
