//! The API model that this program speaks, and the codec for it.

use reprise_codec::translate::Extended;
use reprise_codec::{Codec, Wide};
use reprise_d3d12::MODEL;
use reprise_d3d12::model::{EnumId, Guid, InterfaceId, Method, MethodId, Model};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// More traces of builds with methods of their own no process opens.
const MOST: usize = 256;
/// Today's tables, with those behind them that the first trace brought, then with those of a second one, and so on.
static BROUGHT: [OnceLock<Extended>; MOST] = [const { OnceLock::new() }; MOST];
/// How many there are.
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// The tables in use: the built-in ones, and behind them what traces of other builds alone know.
pub fn tables() -> &'static Extended {
    static BUILT_IN: OnceLock<Extended> = OnceLock::new();
    let last = COUNT.load(Ordering::Acquire).checked_sub(1);
    let brought = last.and_then(|last| BROUGHT.get(last)?.get());
    brought.unwrap_or_else(|| BUILT_IN.get_or_init(|| Extended::new(MODEL)))
}

/// Nobody else brings tables while this is held: those that a trace brings begin with those in use.
pub(crate) fn bring() -> MutexGuard<'static, ()> {
    static HELD: Mutex<()> = Mutex::new(());
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Uses these tables from here on; whether there was room for them. [`bring`] has been held since they were made.
pub(crate) fn set_tables(tables: &Extended) -> bool {
    if std::ptr::eq(tables.model().methods, self::tables().model().methods) {
        // The trace has no methods of its own.
        return true;
    }
    let count = COUNT.load(Ordering::Acquire);
    let is_set = BROUGHT.get(count).is_some_and(|place| place.set(tables.clone()).is_ok());
    if is_set {
        COUNT.store(count + 1, Ordering::Release);
    }
    is_set
}

/// The model of [`tables`].
pub fn model() -> &'static Model {
    tables().model()
}

/// The codec for [`tables`]. The width of native text does not matter here: nothing native is read or made.
pub fn codec() -> Codec {
    Codec::extended(tables(), Wide::Bits16)
}

/// The method with this number, if this model has it.
pub fn method(number: u16) -> Option<&'static Method> {
    model().methods.get(usize::from(number))
}

/// `Interface::Method`, or the name of a function; a number that the model does not have says so.
pub fn name(method: MethodId) -> String {
    match self::method(method.0) {
        Some(method) => match method.interface.and_then(|id| model().interfaces.get(usize::from(id.0))) {
            Some(interface) => format!("{}::{}", interface.name, method.name),
            None => method.name.to_owned(),
        },
        None => format!("method {} (not in this program's model)", method.0),
    }
}

/// The name of a method without its interface.
pub fn plain(name: &str) -> &str {
    name.rsplit("::").next().unwrap_or(name)
}

/// The interface with this id, if this model has it.
pub fn by_iid(iid: &Guid) -> Option<InterfaceId> {
    let index = model().interfaces.iter().position(|own| own.iid == *iid)?;
    u16::try_from(index).ok().map(InterfaceId)
}

/// The name of an interface.
pub fn class(interface: reprise_d3d12::model::InterfaceId) -> &'static str {
    model().interfaces.get(usize::from(interface.0)).map_or("IUnknown", |interface| interface.name)
}

/// The name of a value of an enumeration, or the number where it has none.
pub fn enum_name(enumeration: &str, value: u32) -> String {
    let members = model().enums.iter().find(|own| own.name == enumeration).map_or(&[][..], |own| own.members);
    let member = members.iter().find(|(_, number)| *number == i64::from(value));
    member.map_or_else(|| value.to_string(), |(name, _)| (*name).to_owned())
}

/// The name of a value of an enumeration, as in dumps: of flags all that are set.
pub fn value_name(codec: &Codec, enumeration: &str, value: u32) -> String {
    let place = model().enums.iter().position(|own| own.name == enumeration);
    match place.and_then(|place| u16::try_from(place).ok()) {
        Some(place) => codec.enum_name(EnumId(place), value),
        None => value.to_string(),
    }
}
