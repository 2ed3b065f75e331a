//! The comparison of a call's recorded outcome with the outcome of its replay, value by value.
//!
//! Addresses, handles and objects differ in every run, so they are left out. Invariant: each difference names both values and
//! the field, with the structure that declares the field in the API's documentation.

use reprise_codec::decode::Outcome;
use reprise_codec::{Codec, Value};

use super::Change;
use super::request::in_words;

/// The differences between two outcomes of the same call, so many at most.
pub(crate) fn outcomes(codec: &Codec, recorded: &Outcome<'_>, here: &Outcome<'_>) -> Vec<Change> {
    let mut comparison = Comparison { codec, found: Vec::new() };
    comparison.values("result", &recorded.result, &here.result);
    for member in &recorded.outputs {
        if let Some(other) = here.outputs.iter().find(|other| other.field.name == member.field.name) {
            comparison.values(member.field.name, &member.value, &other.value);
        }
    }
    comparison.found
}

/// So many differences of one call are told: as many as the structures of features have members.
const MOST: usize = 32;

struct Comparison<'c> {
    codec: &'c Codec,
    found: Vec<Change>,
}

impl Comparison<'_> {
    fn values(&mut self, path: &str, recorded: &Value<'_>, here: &Value<'_>) {
        if self.found.len() >= MOST {
            return;
        }
        match (recorded, here) {
            // Without meaning outside the process that made them.
            (Value::Word(..) | Value::Object(..) | Value::Absent(..) | Value::Blob(..), _)
            | (_, Value::Word(..) | Value::Object(..) | Value::Absent(..) | Value::Blob(..)) => {}
            (Value::Struct(id, recorded), Value::Struct(_, here)) => {
                // An outer structure is known by its own name, an inner one by that of its field.
                let outer = !path.contains('.');
                let own = self.codec.model().structs.get(usize::from(id.0)).filter(|_| outer);
                let index = path.find('[').map_or("", |at| &path[at..]);
                let path = own.map_or_else(|| path.to_owned(), |own| format!("{}{index}", own.name));
                for member in recorded {
                    if let Some(other) = here.iter().find(|other| other.field.name == member.field.name) {
                        self.values(&format!("{path}.{}", member.field.name), &member.value, &other.value);
                    }
                }
            }
            (Value::Array(recorded), Value::Array(here)) if recorded.len() == here.len() => {
                let one = recorded.len() == 1;
                for (index, (recorded, here)) in recorded.iter().zip(here).enumerate() {
                    let path = if one { path.to_owned() } else { format!("{path}[{index}]") };
                    self.values(&path, recorded, here);
                }
            }
            (recorded, here) if recorded == here => {}
            (recorded, here) => self.found.push(Change {
                field: path.to_owned(),
                recorded: in_words(self.codec, recorded),
                here: in_words(self.codec, here),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use reprise_codec::Wide;
    use reprise_codec::value::{FieldRef, Member};
    use reprise_d3d12::model::Role;
    use reprise_d3d12::{MODEL, struct_};

    use super::*;

    fn outcome(result: Value<'static>) -> Outcome<'static> {
        Outcome { result, outputs: Vec::new() }
    }

    fn differences(recorded: &Outcome<'_>, here: &Outcome<'_>) -> Vec<String> {
        let codec = Codec::new(MODEL, Wide::Bits16);
        outcomes(&codec, recorded, here).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn differences_are_named_and_addresses_may_differ() {
        let array = |last| outcome(Value::Array(vec![Value::Unsigned(1), Value::Unsigned(last)]));
        assert_eq!(differences(&array(2), &array(2)), Vec::<String>::new());
        assert_eq!(differences(&array(2), &array(3)), ["result[1] was 2, here 3"]);
        let address = |value| outcome(Value::Word(Role::GpuAddress, value));
        assert_eq!(differences(&address(1), &address(2)), Vec::<String>::new());
        let codes = (outcome(Value::Hresult(0)), outcome(Value::Hresult(0x8007_0057)));
        assert_eq!(differences(&codes.0, &codes.1), ["result was S_OK (0x00000000), here E_INVALIDARG (0x80070057)"]);
    }

    /// A structure's field is called as in the documentation, with the names of its values.
    #[test]
    fn fields_are_in_the_spelling_of_the_api() {
        let options = struct_("D3D12_FEATURE_DATA_D3D12_OPTIONS");
        let member = |name: &str, value: u32| {
            let row = MODEL.structs[usize::from(options.0)].fields.iter().find(|field| field.name == name);
            let row = row.unwrap_or_else(|| panic!("no field {name}"));
            let value = match row.ty {
                reprise_d3d12::model::Type::Enum(id) => Value::Enum(id, value),
                _ => Value::Bool(value),
            };
            Member { field: FieldRef(row), value }
        };
        let told = |tier, rovs| {
            let members = vec![member("ResourceHeapTier", tier), member("ROVsSupported", rovs)];
            outcome(Value::Array(vec![Value::Struct(options, members)]))
        };
        assert_eq!(
            differences(&told(2, 1), &told(1, 0)),
            [
                "D3D12_FEATURE_DATA_D3D12_OPTIONS.ResourceHeapTier was D3D12_RESOURCE_HEAP_TIER_2, here D3D12_RESOURCE_HEAP_TIER_1",
                "D3D12_FEATURE_DATA_D3D12_OPTIONS.ROVsSupported was TRUE, here FALSE"
            ]
        );
    }
}
