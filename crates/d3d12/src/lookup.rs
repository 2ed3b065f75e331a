//! Finding things in the model: by name when compiling, by interface id or slot at run time.
//!
//! Invariant: the tables are never searched by name at run time on a hot path; names are resolved by the compiler.

use crate::generated::{BY_IID, ENUMS, INTERFACES, METHODS, SELECTS, STRUCTS};
use crate::model::{EnumId, Guid, Interface, InterfaceId, Method, MethodId, Model, Select, StructId};

/// The built-in model.
pub static MODEL: Model =
    Model { interfaces: INTERFACES, methods: METHODS, structs: STRUCTS, enums: ENUMS, selects: SELECTS };

pub(crate) const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut at = 0;
    while at < a.len() {
        if a[at] != b[at] {
            return false;
        }
        at += 1;
    }
    true
}

const fn hash(mut state: u64, bytes: &[u8]) -> u64 {
    // FNV-1a; a byte that is in no name ends each.
    let mut at = 0;
    while at <= bytes.len() {
        let byte = if at < bytes.len() { bytes[at] } else { 0xff };
        state = (state ^ byte as u64).wrapping_mul(0x0100_0000_01b3);
        at += 1;
    }
    state
}

/// A number that two builds have in common when their methods and structures have the same numbers, names and sizes: what
/// one records by number, the other can name.
pub const FINGERPRINT: u64 = {
    let mut state = 0xcbf2_9ce4_8422_2325;
    let mut at = 0;
    while at < METHODS.len() {
        state = hash(state, METHODS[at].name.as_bytes());
        state = hash(state, &METHODS[at].args_size.to_le_bytes());
        at += 1;
    }
    at = 0;
    while at < STRUCTS.len() {
        state = hash(state, STRUCTS[at].name.as_bytes());
        state = hash(state, &(STRUCTS[at].size as u64).to_le_bytes());
        at += 1;
    }
    state
};

/// The interface of this name.
///
/// # Panics
/// When there is none: use it in constants, where that is a compile error.
pub const fn interface(name: &str) -> InterfaceId {
    let mut at = 0;
    while at < INTERFACES.len() {
        if same(INTERFACES[at].name, name) {
            return InterfaceId(at as u16);
        }
        at += 1;
    }
    panic!("no interface of this name in the model")
}

/// The method `name` of an interface, its bases included: `const RESET: MethodId = method("ID3D12Device", "Release");`
///
/// # Panics
/// When there is none: use it in constants, where that is a compile error.
pub const fn method(interface_name: &str, name: &str) -> MethodId {
    let mut interface = Some(interface(interface_name));
    while let Some(id) = interface {
        let own = &INTERFACES[id.0 as usize];
        let mut at = own.first_method.0;
        while at < own.first_method.0 + own.method_count {
            if same(METHODS[at as usize].name, name) {
                return MethodId(at);
            }
            at += 1;
        }
        interface = own.base;
    }
    panic!("no method of this name in the interface or its bases")
}

/// The exported function of this name.
///
/// # Panics
/// When there is none: use it in constants, where that is a compile error.
pub const fn function(name: &str) -> MethodId {
    let mut at = METHODS.len();
    while at > 0 && METHODS[at - 1].interface.is_none() {
        at -= 1;
        if same(METHODS[at].name, name) {
            return MethodId(at as u16);
        }
    }
    panic!("no function of this name in the model")
}

/// The structure of this name.
///
/// # Panics
/// When there is none: use it in constants, where that is a compile error.
pub const fn struct_(name: &str) -> StructId {
    let mut at = 0;
    while at < STRUCTS.len() {
        if same(STRUCTS[at].name, name) {
            return StructId(at as u16);
        }
        at += 1;
    }
    panic!("no structure of this name in the model")
}

/// The enumeration of this name.
///
/// # Panics
/// When there is none: use it in constants, where that is a compile error.
pub const fn enum_(name: &str) -> EnumId {
    let mut at = 0;
    while at < ENUMS.len() {
        if same(ENUMS[at].name, name) {
            return EnumId(at as u16);
        }
        at += 1;
    }
    panic!("no enumeration of this name in the model")
}

/// The interface with this id.
pub fn by_iid(iid: &Guid) -> Option<InterfaceId> {
    let wanted = iid.to_u128();
    let found = BY_IID.binary_search_by_key(&wanted, |at| INTERFACES[usize::from(*at)].iid.to_u128());
    found.ok().map(|at| InterfaceId(BY_IID[at]))
}

/// The table of choices of this name.
pub fn select(name: &str) -> Option<&'static Select> {
    SELECTS.iter().find(|select| select.name == name)
}

impl InterfaceId {
    /// The row of the built-in model.
    pub const fn get(self) -> &'static Interface {
        &INTERFACES[self.0 as usize]
    }

    /// Number of vtable slots, inherited ones included.
    pub const fn slots(self) -> u16 {
        self.get().first_slot + self.get().method_count
    }

    /// The method in a slot, inherited ones included.
    pub const fn slot(self, slot: u16) -> Option<MethodId> {
        let mut interface = self;
        loop {
            let row = interface.get();
            if slot >= row.first_slot {
                let own = slot - row.first_slot;
                return if own < row.method_count { Some(MethodId(row.first_method.0 + own)) } else { None };
            }
            match row.base {
                Some(base) => interface = base,
                None => return None,
            }
        }
    }

    /// The methods of all slots in order.
    pub fn vtable(self) -> impl ExactSizeIterator<Item = MethodId> {
        // Each slot below the count has a method: slots are dense by construction (tested).
        (0..self.slots()).map(move |slot| self.slot(slot).unwrap_or(MethodId(u16::MAX)))
    }

    /// Whether this is `other` or derives from it.
    pub const fn derives_from(self, other: InterfaceId) -> bool {
        let mut at = self;
        loop {
            if at.0 == other.0 {
                return true;
            }
            match at.get().base {
                Some(base) => at = base,
                None => return false,
            }
        }
    }

    /// Newest interface of the same chain of versions.
    pub const fn family(self) -> InterfaceId {
        self.get().family
    }
}

impl MethodId {
    /// The row of the built-in model.
    pub const fn get(self) -> &'static Method {
        &METHODS[self.0 as usize]
    }
}
