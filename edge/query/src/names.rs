//! Names of methods and interfaces, and how columns have names.

use datafusion::arrow::array::{ArrayRef, DictionaryArray, StringArray, UInt16Array};
use datafusion::arrow::datatypes::{DataType, UInt16Type};
use datafusion::common::DataFusionError;
use reprise_d3d12::model::Method;
use reprise_view::api;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

/// The type of names of methods and interfaces.
pub(crate) fn of_methods() -> DataType {
    DataType::Dictionary(Box::new(DataType::UInt16), Box::new(DataType::Utf8))
}

/// The type of other names that take few values.
pub(crate) fn of_few() -> DataType {
    DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8))
}

/// The methods with these numbers, by their names without the interface.
pub(crate) fn methods(numbers: impl Iterator<Item = u16>) -> Result<ArrayRef, DataFusionError> {
    let names = Names::all();
    Names::of(numbers.map(|method| names.method(method)).collect())
}

/// The interfaces of the methods with these numbers.
pub(crate) fn interfaces(numbers: impl Iterator<Item = u16>) -> Result<ArrayRef, DataFusionError> {
    let names = Names::all();
    Names::of(numbers.map(|method| names.interface(method)).collect())
}

/// The names of all methods and interfaces, each once. All columns of such names share the list.
pub(crate) struct Names {
    values: ArrayRef,
    places: HashMap<&'static str, u16>,
    /// For each method's number, the places of its name and of its interface's name among the values.
    keys: Vec<(Option<u16>, Option<u16>)>,
}

impl Names {
    /// The list.
    pub(crate) fn all() -> &'static Names {
        static NAMES: OnceLock<Names> = OnceLock::new();
        NAMES.get_or_init(|| {
            let mut places = HashMap::<&'static str, u16>::new();
            let mut values: Vec<&'static str> = Vec::new();
            let mut place = |name: &'static str| {
                if let Some(place) = places.get(name) {
                    return Some(*place);
                }
                let place = u16::try_from(values.len()).ok()?;
                values.push(name);
                places.insert(name, place);
                Some(place)
            };
            let key = |method: &'static Method| {
                let name = place(method.name);
                (name, method.interface.and_then(|id| place(api::class(id))))
            };
            let keys = api::model().methods.iter().map(key).collect();
            Names { values: Arc::new(StringArray::from(values)), places, keys }
        })
    }

    /// The place of a method's name, without the interface.
    pub(crate) fn method(&self, method: u16) -> Option<u16> {
        self.keys.get(usize::from(method))?.0
    }

    /// The place of the name of a method's interface.
    pub(crate) fn interface(&self, method: u16) -> Option<u16> {
        self.keys.get(usize::from(method))?.1
    }

    /// Whether these values are the list itself.
    pub(crate) fn are(values: &ArrayRef) -> bool {
        std::ptr::addr_eq(Arc::as_ptr(values), Arc::as_ptr(&Names::all().values))
    }

    /// The place of a name in the list.
    pub(crate) fn number(name: &str) -> Option<u16> {
        Names::all().places.get(name).copied()
    }

    /// The names at these places of the list.
    pub(crate) fn of(places: UInt16Array) -> Result<ArrayRef, DataFusionError> {
        let values = Arc::clone(&Names::all().values);
        Ok(Arc::new(DictionaryArray::<UInt16Type>::try_new(places, values)?))
    }
}
