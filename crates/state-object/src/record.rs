//! Shader records: an identifier, and behind it the arguments of a local root signature. Pure.
//!
//! Programs write records themselves, so the layout is the API's (DXR specification, "Shader record"): arguments in the order of the
//! parameters, constants as words of 4 bytes, addresses and handles as 8 bytes at multiples of 8.

use reprise_dxbc::root_signature::{Content, RootSignature};

/// Bytes of an identifier: `D3D12_SHADER_IDENTIFIER_SIZE_IN_BYTES`.
pub const IDENTIFIER: usize = 32;
/// Most bytes of a record: `D3D12_RAYTRACING_MAX_SHADER_RECORD_STRIDE`.
const LARGEST: u32 = 4096;

/// What lies at a place of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// Address of a buffer or an acceleration structure, 8 bytes.
    Address,
    /// Handle of a table, 8 bytes.
    Table,
    /// So many words of constants.
    Constants(u32),
}

/// What lies where in a record, in bytes from its beginning. A replay finds every address and handle of a table of shaders by it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordLayout {
    /// Fields by offset.
    pub fields: Vec<(u32, Field)>,
    /// Bytes in all.
    pub size: u32,
}

impl RecordLayout {
    /// The records of shaders with a local root signature, or with none.
    pub fn new(signature: Option<&RootSignature>) -> RecordLayout {
        let mut layout = RecordLayout { fields: Vec::new(), size: IDENTIFIER as u32 };
        for parameter in signature.iter().flat_map(|signature| &signature.parameters) {
            let (field, align, size) = match &parameter.content {
                Content::Constants(constants) => {
                    (Field::Constants(constants.count), 4, constants.count.saturating_mul(4))
                }
                Content::Descriptor(_) => (Field::Address, 8, 8),
                Content::Table(_) => (Field::Table, 8, 8),
            };
            // Signatures may be hostile: behind more constants than there are numbers, everything is at the end of all numbers.
            let offset = layout.size.checked_next_multiple_of(align).unwrap_or(u32::MAX);
            layout.fields.push((offset, field));
            layout.size = offset.saturating_add(size);
        }
        layout
    }

    /// Whether the API allows records that are so large.
    pub fn is_allowed(&self) -> bool {
        self.size <= LARGEST
    }
}

#[cfg(test)]
mod tests {
    use reprise_dxbc::root_signature::{APPEND, Constants, Descriptor, Kind, Parameter, Range};

    use super::*;

    fn signature() -> RootSignature {
        let range = |kind, count, offset| Range { kind, count, register: 3, space: 1, flags: 0, offset };
        let contents = [
            Content::Constants(Constants { register: 0, space: 0, count: 3 }),
            Content::Descriptor(Descriptor { kind: Kind::Uav, register: 1, space: 0, flags: 0 }),
            Content::Table(vec![range(Kind::Srv, 4, 2), range(Kind::Uav, 1, APPEND)]),
            Content::Constants(Constants { register: 1, space: 0, count: 1 }),
            Content::Descriptor(Descriptor { kind: Kind::Srv, register: 2, space: 0, flags: 0 }),
        ];
        let parameters = contents.map(|content| Parameter { visibility: 0, content });
        RootSignature { flags: 0x80, parameters: parameters.to_vec(), samplers: vec![Default::default(); 2] }
    }

    /// Offsets by the rules of the specification: 32, three words, padding, 8, 8, a word, padding, 8.
    #[test]
    fn arguments_lie_as_programs_write_them() {
        let layout = RecordLayout::new(Some(&signature()));
        let fields = [
            (32, Field::Constants(3)),
            (48, Field::Address),
            (56, Field::Table),
            (64, Field::Constants(1)),
            (72, Field::Address),
        ];
        assert_eq!((&layout.fields[..], layout.size), (&fields[..], 80));
        assert_eq!(RecordLayout::new(None), RecordLayout { fields: Vec::new(), size: 32 });
        let large = |count| {
            let content = Content::Constants(Constants { register: 0, space: 0, count });
            let signature = RootSignature { parameters: vec![Parameter { visibility: 0, content }], ..signature() };
            RecordLayout::new(Some(&signature)).is_allowed()
        };
        assert!(large(1016) && !large(1017) && !large(u32::MAX));
        let content = Content::Constants(Constants { register: 0, space: 0, count: u32::MAX });
        let mut hostile = signature();
        hostile.parameters.insert(0, Parameter { visibility: 0, content });
        assert!(!RecordLayout::new(Some(&hostile)).is_allowed());
    }
}
