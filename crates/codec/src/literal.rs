//! Values that people write, and the bytes of those that are numbers, objects and handles.

use crate::Codec;
use reprise_d3d12::model::{EnumId, Guid, InterfaceId, Role, Type};

/// A value as it is written.
#[derive(Clone, PartialEq, Debug)]
pub enum Literal {
    /// `null`.
    Null,
    /// A number, or names of an enumeration: `640`, `-inf`, `0x10`, `D3D12_CULL_MODE_BACK`, `A|B`.
    Word(String),
    /// `"text"`.
    Text(String),
    /// Bytes, as of a file.
    Bytes(Vec<u8>),
    /// `[1, 2]`.
    List(Vec<Literal>),
    /// `{Width = 1, Height = 2}`; what is left out is zero.
    Members(Vec<(String, Literal)>),
    /// `ID3D12Resource(12)`.
    Object(u32),
    /// `heap 12[3]`.
    Descriptor {
        /// Id of the heap.
        heap: u32,
        /// Of the descriptor.
        index: u64,
    },
    /// `resource 12+0x40`.
    Address {
        /// Id of the resource.
        resource: u32,
        /// In bytes.
        offset: u64,
    },
}

/// Says what objects, handles and addresses are where the call is. An error says why there is no such thing.
pub trait Known {
    /// Checks that the object is there and has the interface.
    ///
    /// # Errors
    /// It is not, or has not.
    fn object(&mut self, id: u32, interface: InterfaceId) -> Result<(), String>;
    /// Checks a number of a role that a replay translates.
    ///
    /// # Errors
    /// It means nothing.
    fn word(&mut self, role: Role, value: u64) -> Result<(), String>;
    /// The handle of a descriptor.
    ///
    /// # Errors
    /// There is none.
    fn descriptor(&mut self, role: Role, heap: u32, index: u64) -> Result<u64, String>;
    /// The address of a byte.
    ///
    /// # Errors
    /// There is none.
    fn address(&mut self, resource: u32, offset: u64) -> Result<u64, String>;
    /// Takes bytes that go into a blob, and gives the number that the payload names it by.
    fn blob(&mut self, bytes: &[u8]) -> u32;
}

impl Codec {
    /// The bytes of a number, an object or a handle.
    ///
    /// # Errors
    /// The value is not of the type. The text says what is expected.
    pub fn scalar(&self, ty: Type, role: Role, value: &Literal, known: &mut dyn Known) -> Result<Vec<u8>, String> {
        let size = ty.size(self.model.structs) as usize;
        let mut bytes = self.number(ty, role, value, known)?.to_le_bytes().to_vec();
        bytes.resize(size, 0);
        Ok(bytes)
    }

    fn number(&self, ty: Type, role: Role, value: &Literal, known: &mut dyn Known) -> Result<u128, String> {
        if let Type::Object(interface) = ty {
            let id = match value {
                Literal::Null => 0,
                Literal::Object(id) => *id,
                Literal::Word(word) => {
                    whole(word).and_then(|id| u32::try_from(id).ok()).ok_or_else(|| wrong(value, "an object's id"))?
                }
                _ => return Err(wrong(value, "an object's id, or null")),
            };
            if id != 0 {
                known.object(id, interface)?;
            }
            return Ok(id.into());
        }
        let translated = crate::decode::is_translated(role) && ty.size(self.model.structs) == 8;
        if translated {
            let word = match value {
                Literal::Null => 0,
                Literal::Descriptor { heap, index } if matches!(role, Role::CpuDescriptor | Role::GpuDescriptor) => {
                    known.descriptor(role, *heap, *index)?
                }
                Literal::Address { resource, offset } if role == Role::GpuAddress => {
                    known.address(*resource, *offset)?
                }
                Literal::Word(word) => whole(word)
                    .and_then(|word| u64::try_from(word).ok())
                    .ok_or_else(|| wrong(value, "a number of 64 bits"))?,
                _ if role == Role::GpuAddress => return Err(wrong(value, "`resource ID+OFFSET`, a number, or null")),
                _ if matches!(role, Role::CpuDescriptor | Role::GpuDescriptor) => {
                    return Err(wrong(value, "`heap ID[INDEX]`, a number, or null"));
                }
                _ => return Err(wrong(value, "a number of 64 bits")),
            };
            if word != 0 {
                known.word(role, word)?;
            }
            return Ok(word.into());
        }
        let Literal::Word(word) = value else {
            return Err(wrong(value, self.expected(ty)));
        };
        let range = |low: i128, high: i128| match whole(word) {
            Some(number) if (low..=high).contains(&number) => Ok(number as u128),
            Some(_) => Err(format!("{word} is out of range: {low} to {high}")),
            None => Err(wrong(value, self.expected(ty))),
        };
        match ty {
            Type::U8 => range(0, u8::MAX.into()),
            Type::U16 => range(0, u16::MAX.into()),
            Type::U32 => range(0, u32::MAX.into()),
            Type::U64 | Type::Word => range(0, u64::MAX.into()),
            Type::I8 => range(i8::MIN.into(), i8::MAX.into()),
            Type::I16 => range(i16::MIN.into(), i16::MAX.into()),
            Type::I32 => range(i32::MIN.into(), i32::MAX.into()),
            Type::I64 => range(i64::MIN.into(), i64::MAX.into()),
            Type::F32 => float32(word).map(u128::from),
            Type::F64 => float64(word).map(u128::from),
            Type::Bool => match &**word {
                "false" => Ok(0),
                "true" => Ok(1),
                _ => range(0, u32::MAX.into()),
            },
            Type::Hresult => range(0, u32::MAX.into()),
            Type::Enum(id) => self.enumerator(id, word).map(u128::from),
            Type::Guid => self.guid(word).map(|guid| {
                let mut bytes = [0; 16];
                bytes[..4].copy_from_slice(&guid.data1.to_le_bytes());
                bytes[4..6].copy_from_slice(&guid.data2.to_le_bytes());
                bytes[6..8].copy_from_slice(&guid.data3.to_le_bytes());
                bytes[8..].copy_from_slice(&guid.data4);
                u128::from_le_bytes(bytes)
            }),
            Type::Void | Type::Object(_) | Type::Pointer(_) | Type::Struct(_) => Err(wrong(value, self.expected(ty))),
        }
    }

    fn expected(&self, ty: Type) -> &'static str {
        match ty {
            Type::F32 | Type::F64 => "a number: 1.5, inf, -inf, NaN",
            Type::Bool => "true, false, or a number",
            Type::Hresult => "a result code, as a number",
            Type::Enum(id) => match self.model.enums.get(usize::from(id.0)) {
                Some(of) if of.flags => "names with | between them, or a number",
                _ => "a name of the enumeration, or a number",
            },
            Type::Guid => "the name of an interface, or a GUID",
            Type::Object(_) => "an object's id, or null",
            Type::Struct(_) => "members: {NAME = VALUE, …}",
            _ => "a whole number",
        }
    }

    /// The value of an enumeration or a set of flags, as a dump names it.
    fn enumerator(&self, id: EnumId, text: &str) -> Result<u32, String> {
        let Some(of) = self.model.enums.get(usize::from(id.0)) else {
            return Err("the model has no such enumeration".into());
        };
        let mut bits = 0;
        let mut parts = 0;
        for part in text.split('|') {
            parts += 1;
            let named = of.members.iter().find(|(name, _)| *name == part).map(|(_, value)| *value as u32);
            // Some enumerations have negative values.
            let number = whole(part).and_then(|number| {
                u32::try_from(number).ok().or_else(|| i32::try_from(number).ok().map(|number| number as u32))
            });
            bits |= named.or(number).ok_or_else(|| {
                let few: Vec<&str> = of.members.iter().map(|(name, _)| *name).take(FEW).collect();
                let more = if of.members.len() > FEW { ", …" } else { "" };
                format!("{part} is not of {}: {}{more}", of.name, few.join(", "))
            })?;
        }
        if parts > 1 && !of.flags {
            return Err(format!("{} has one value, not several: {text}", of.name));
        }
        Ok(bits)
    }

    fn guid(&self, text: &str) -> Result<Guid, String> {
        if let Some(interface) = self.model.interfaces.iter().find(|interface| interface.name == text) {
            return Ok(interface.iid);
        }
        let parts: Vec<usize> = text.split('-').map(str::len).collect();
        let digits: String = text.split('-').collect();
        let digits = (parts == [8, 4, 4, 4, 12]).then(|| u128::from_str_radix(&digits, 16).ok()).flatten();
        digits.map(Guid::from_u128).ok_or_else(|| {
            let text = shortened(text);
            format!("{text} is no interface of the model, and no GUID: xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx")
        })
    }
}

/// Names that an error lists.
const FEW: usize = 12;

/// The beginning of what somebody wrote, where it is long.
fn shortened(text: &str) -> String {
    const MOST: usize = 60;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{} …", &text[..end]),
        None => text.to_owned(),
    }
}

/// "X, where Y is expected".
pub(crate) fn wrong(value: &Literal, expected: &str) -> String {
    let what = match value {
        Literal::Null => "null".to_owned(),
        Literal::Word(word) => shortened(word),
        Literal::Text(text) => format!("{:?}", shortened(text)),
        Literal::Bytes(bytes) => format!("a file of {} bytes", bytes.len()),
        Literal::List(_) => "a list".to_owned(),
        Literal::Members(_) => "members".to_owned(),
        Literal::Object(id) => format!("object {id}"),
        Literal::Descriptor { heap, index } => format!("heap {heap}[{index}]"),
        Literal::Address { resource, offset } => format!("resource {resource}+{offset:#x}"),
    };
    format!("{what} stands where {expected} is expected")
}

/// A whole number, decimal or hexadecimal.
fn whole(text: &str) -> Option<i128> {
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
    let number = match digits.strip_prefix("0x") {
        Some(hex) if hex.len() <= 16 && !hex.starts_with('+') => i128::from_str_radix(hex, 16).ok()?,
        Some(_) => return None,
        None if digits.bytes().all(|byte| byte.is_ascii_digit()) => digits.parse().ok()?,
        None => return None,
    };
    Some(sign * number)
}

/// As a dump spells it; of what is no number, the bits.
fn float32(text: &str) -> Result<u32, String> {
    if let Some(bits) = text.strip_prefix("NaN(").and_then(|rest| rest.strip_suffix(')')) {
        let bits = whole(bits).and_then(|bits| u32::try_from(bits).ok());
        return bits
            .filter(|bits| f32::from_bits(*bits).is_nan())
            .ok_or_else(|| format!("{text} is no NaN of 32 bits"));
    }
    let number: f32 = text.parse().map_err(|_| wrong(&Literal::Word(text.into()), "a number: 1.5, inf, -inf, NaN"))?;
    if number.is_infinite() && !text.contains("inf") {
        return Err(format!("{text} is beyond what 32 bits hold"));
    }
    Ok(number.to_bits())
}

fn float64(text: &str) -> Result<u64, String> {
    let number: f64 = text.parse().map_err(|_| wrong(&Literal::Word(text.into()), "a number: 1.5, inf, -inf, NaN"))?;
    if number.is_infinite() && !text.contains("inf") {
        return Err(format!("{text} is beyond what 64 bits hold"));
    }
    Ok(number.to_bits())
}
