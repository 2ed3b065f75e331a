//! The COM pointers of all live objects, so that an address can be told from a stranger's without touching it.

use crate::lock::lock;
use crate::value::Value;
use std::collections::BTreeMap;
use std::sync::{LazyLock, Mutex};

/// Address of a facet to its object's serial number.
pub(crate) static LIVE: LazyLock<Mutex<BTreeMap<u64, u64>>> = LazyLock::new(|| Mutex::new(BTreeMap::new()));

/// What the log says of a COM pointer.
pub(crate) fn value(address: u64) -> Value {
    match address {
        0 => Value::Null,
        _ => lock(&LIVE).get(&address).map_or(Value::Foreign(address), |&serial| Value::Object(serial)),
    }
}

/// The serial number of the live object that this address is a facet of.
pub fn serial_of(address: u64) -> Option<u64> {
    lock(&LIVE).get(&address).copied()
}

/// Number of live objects of the runtime.
pub fn live() -> usize {
    lock(&LIVE).values().collect::<std::collections::BTreeSet<_>>().len()
}
