//! Where members lie.

use crate::Scalar;
use std::sync::Arc;

/// Bytes of a register of constants.
const REGISTER: u32 = 16;
/// Bytes that a structure may have: more than any buffer's element or constant buffer has, so that sums of offsets cannot overflow.
const MOST_BYTES: u64 = 1 << 20;

/// How deep structures and arrays may lie in each other: reading them takes as many calls in each other.
pub(crate) const DEPTH: usize = 32;
/// Members of a structure.
const MOST_MEMBERS: usize = 4096;

/// The rule by which members are laid out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Packing {
    /// As elements of structured buffers: each scalar at a multiple of its size.
    #[default]
    Structured,
    /// As constant buffers: in registers of 16 bytes, which vectors do not leave, and at whose beginning arrays, matrices and structures
    /// begin.
    Constant,
}

impl std::str::FromStr for Packing {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "structured" => Ok(Self::Structured),
            "constant" => Ok(Self::Constant),
            _ => Err(format!("{text:?} is no packing: write structured or constant")),
        }
    }
}

/// What a member is.
#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    /// One number.
    Scalar(Scalar),
    /// One to four of them.
    Vector(Scalar, u32),
    /// Up to four by four.
    Matrix {
        /// Of each element.
        scalar: Scalar,
        /// One to four.
        rows: u32,
        /// One to four.
        columns: u32,
        /// Whether elements of a row lie beside each other, and not those of a column.
        row_major: bool,
        /// From one of these lines to the next.
        stride: u32,
    },
    /// So many, at this distance.
    Array {
        /// What each is.
        of: Box<Type>,
        /// At least one.
        count: u32,
        /// Bytes from one to the next.
        stride: u32,
    },
    /// Members of its own.
    Structure(Arc<Structure>),
}

/// A member of a structure.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// As declared.
    pub name: String,
    /// What it is.
    pub kind: Type,
    /// Bytes from the structure's beginning.
    pub offset: u32,
}

/// A structure, laid out.
#[derive(Clone, Debug, PartialEq)]
pub struct Structure {
    name: Option<String>,
    members: Vec<Member>,
    packing: Packing,
    bytes: u32,
    alignment: u32,
    /// How deep structures lie in it.
    depth: usize,
}

/// A number within a structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// `lights[2].place.x`; elements of matrices are `m[row][column]`.
    pub path: String,
    /// Of it.
    pub scalar: Scalar,
    /// Bytes from the structure's beginning.
    pub offset: u32,
}

impl Structure {
    pub(crate) fn new(name: Option<String>, packing: Packing) -> Self {
        Self { name, members: Vec::new(), packing, bytes: 0, alignment: 1, depth: 1 }
    }

    /// Puts a member behind the others, or where `packoffset` says.
    pub(crate) fn push(&mut self, name: String, kind: Type, place: Option<u32>) -> Result<(), String> {
        let (bytes, alignment) = (kind.bytes(), kind.alignment(self.packing));
        let mut offset = u64::from(self.bytes).next_multiple_of(alignment.into());
        if self.packing == Packing::Constant && (offset % 16) + bytes > 16 {
            offset = offset.next_multiple_of(REGISTER.into());
        }
        if let Some(place) = place {
            if self.packing == Packing::Structured {
                return Err("packoffset is for constant buffers".into());
            }
            if !u64::from(place).is_multiple_of(alignment.into())
                || (u64::from(place) % 16 != 0 && u64::from(place) % 16 + bytes > 16)
            {
                return Err(format!("packoffset: {name} cannot begin at byte {place}: it would cross a register"));
            }
            offset = place.into();
        }
        let end = offset + bytes;
        if end > MOST_BYTES {
            return Err(format!("{name} ends at byte {end}, and structures may have {MOST_BYTES}"));
        }
        if self.members.len() >= MOST_MEMBERS {
            return Err(format!("{name} is one member too many: structures may have {MOST_MEMBERS}"));
        }
        self.depth = self.depth.max(1 + kind.depth());
        if self.depth > DEPTH {
            return Err(format!("structures lie in {name} more than {DEPTH} deep"));
        }
        self.alignment = self.alignment.max(alignment);
        self.bytes = self.bytes.max(end as u32);
        self.members.push(Member { name, kind, offset: offset as u32 });
        Ok(())
    }

    /// As declared; members alone have none.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// In the order of their declaration.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// The rule of its layout.
    pub fn packing(&self) -> Packing {
        self.packing
    }

    /// Where the last member ends.
    pub fn bytes(&self) -> u32 {
        self.bytes
    }

    /// Bytes from one element of a buffer to the next.
    pub fn stride(&self) -> u32 {
        self.bytes.next_multiple_of(if self.packing == Packing::Constant { REGISTER } else { self.alignment })
    }

    /// All numbers, in the order of their declaration: columns of a table.
    pub fn leaves(&self) -> Vec<Leaf> {
        let mut all = Vec::new();
        self.collect("", 0, &mut all);
        all
    }

    fn collect(&self, path: &str, base: u32, all: &mut Vec<Leaf>) {
        for member in &self.members {
            let dot = if path.is_empty() { "" } else { "." };
            member.kind.collect(&format!("{path}{dot}{}", member.name), base + member.offset, all);
        }
    }
}

impl Type {
    /// Where it ends, from its beginning.
    pub(crate) fn bytes(&self) -> u64 {
        match self {
            Self::Scalar(scalar) => scalar.bytes().into(),
            Self::Vector(scalar, count) => u64::from(scalar.bytes() * count),
            Self::Matrix { scalar, rows, columns, row_major, stride } => {
                let (lines, along) = if *row_major { (rows, columns) } else { (columns, rows) };
                u64::from((lines - 1) * stride + along * scalar.bytes())
            }
            Self::Array { of, count, stride } => u64::from(count - 1) * u64::from(*stride) + of.bytes(),
            Self::Structure(structure) if structure.packing == Packing::Structured => structure.stride().into(),
            Self::Structure(structure) => structure.bytes.into(),
        }
    }

    /// How deep structures lie in it.
    fn depth(&self) -> usize {
        match self {
            Self::Scalar(_) | Self::Vector(..) | Self::Matrix { .. } => 0,
            Self::Array { of, .. } => of.depth(),
            Self::Structure(structure) => structure.depth,
        }
    }

    /// A multiple of what it begins at.
    fn alignment(&self, packing: Packing) -> u32 {
        match (self, packing) {
            (Self::Scalar(scalar) | Self::Vector(scalar, _), _) => scalar.bytes(),
            (_, Packing::Constant) => REGISTER,
            (Self::Matrix { scalar, .. }, Packing::Structured) => scalar.bytes(),
            (Self::Array { of, .. }, Packing::Structured) => of.alignment(packing),
            (Self::Structure(structure), Packing::Structured) => structure.alignment,
        }
    }

    /// A matrix, laid out.
    pub(crate) fn matrix(scalar: Scalar, (rows, columns): (u32, u32), row_major: bool, packing: Packing) -> Self {
        let line = scalar.bytes() * if row_major { columns } else { rows };
        let stride = if packing == Packing::Constant { line.next_multiple_of(REGISTER) } else { line };
        Self::Matrix { scalar, rows, columns, row_major, stride }
    }

    /// An array, laid out.
    pub(crate) fn array(of: Self, count: u32, packing: Packing) -> Result<Self, String> {
        let unit = if packing == Packing::Constant { REGISTER } else { of.alignment(packing) };
        let stride = of.bytes().next_multiple_of(unit.into());
        let array = |stride| Self::Array { of: Box::new(of), count, stride };
        u32::try_from(stride)
            .ok()
            .filter(|stride| u64::from(*stride) * u64::from(count) <= MOST_BYTES)
            .map(array)
            .ok_or_else(|| {
                format!("an array of {count} times {stride} bytes is more than structures may have ({MOST_BYTES})")
            })
    }

    /// Where an element of a matrix lies.
    pub(crate) fn element(&self, row: u32, column: u32) -> u32 {
        let Self::Matrix { scalar, row_major, stride, .. } = self else { return 0 };
        let (line, along) = if *row_major { (row, column) } else { (column, row) };
        line * stride + along * scalar.bytes()
    }

    /// As HLSL writes it, without the counts of arrays: `float3x4`.
    pub fn word(&self) -> String {
        match self {
            Self::Scalar(scalar) => scalar.word().into(),
            Self::Vector(scalar, count) => vector_word(*scalar, &count.to_string()),
            Self::Matrix { scalar, rows, columns, row_major, .. } => {
                let order = if *row_major { "row_major " } else { "" };
                format!("{order}{}", vector_word(*scalar, &format!("{rows}x{columns}")))
            }
            Self::Array { of, .. } => of.word(),
            Self::Structure(structure) => structure.name().unwrap_or("struct").into(),
        }
    }

    fn collect(&self, path: &str, base: u32, all: &mut Vec<Leaf>) {
        let mut push = |path: String, scalar: Scalar, offset: u32| all.push(Leaf { path, scalar, offset });
        match self {
            Self::Scalar(scalar) => push(path.into(), *scalar, base),
            Self::Vector(scalar, count) => {
                for (index, letter) in (0..*count).zip(["x", "y", "z", "w"]) {
                    push(format!("{path}.{letter}"), *scalar, base + index * scalar.bytes());
                }
            }
            Self::Matrix { scalar, rows, columns, .. } => {
                for (row, column) in (0..*rows).flat_map(|row| (0..*columns).map(move |column| (row, column))) {
                    push(format!("{path}[{row}][{column}]"), *scalar, base + self.element(row, column));
                }
            }
            Self::Array { of, count, stride } => {
                (0..*count).for_each(|index| of.collect(&format!("{path}[{index}]"), base + index * stride, all));
            }
            Self::Structure(structure) => structure.collect(path, base, all),
        }
    }
}

/// A scalar's word with the size of a vector or matrix behind it.
fn vector_word(scalar: Scalar, size: &str) -> String {
    format!("{}{size}", scalar.word())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Offsets of the members that a path without a dot names.
    fn offsets(text: &str, packing: Packing) -> Vec<(String, u32)> {
        let found = Structure::parse(text, None, packing).unwrap();
        found.members().iter().map(|it| (it.name.clone(), it.offset)).collect()
    }

    fn table(rows: &[(&str, u32)]) -> Vec<(String, u32)> {
        rows.iter().map(|(name, offset)| ((*name).to_owned(), *offset)).collect()
    }

    /// What fxc 10.1 (d3dcompiler_47) prints of these constants, behind `Offset:`.
    #[test]
    fn constants_lie_where_fxc_puts_them() {
        let text = "struct S { float a; float2 b; };
            struct D { float3 v; S s; float t; };
            cbuffer C : register(b0) {
                float a; float3 b; float c; float2 d; float arr[3]; float e; S s; float f; S ss[2]; float g; float3x4 m; float h;
                row_major float3x2 rm; float i; D dd; float j; float4x4 big; float k; uint2 u[2]; float l; bool bl; int2 ij;
                float2x3 m2[2]; float zz; };";
        let rows = [
            ("a", 0),
            ("b", 4),
            ("c", 16),
            ("d", 20),
            ("arr", 32),
            ("e", 68),
            ("s", 80),
            ("f", 92),
            ("ss", 96),
            ("g", 124),
            ("m", 128),
            ("h", 188),
            ("rm", 192),
            ("i", 232),
            ("dd", 240),
            ("j", 272),
            ("big", 288),
            ("k", 352),
            ("u", 368),
            ("l", 392),
            ("bl", 396),
            ("ij", 400),
            ("m2", 416),
            ("zz", 504),
        ];
        assert_eq!(offsets(text, Packing::Structured), table(&rows));
        let found = Structure::parse(text, None, Packing::Structured).unwrap();
        assert_eq!(found.packing(), Packing::Constant);
        let leaf = |path: &str| found.leaves().into_iter().find(|leaf| leaf.path == path).map(|leaf| leaf.offset);
        assert_eq!((leaf("dd.s.a"), leaf("dd.s.b.x"), leaf("dd.t")), (Some(256), Some(260), Some(268)));
    }

    /// The same of doubles.
    #[test]
    fn constants_of_64_bits_lie_where_fxc_puts_them() {
        let text = "struct E { double d; float q; };
            cbuffer C { float a; double b; float c; double2 d; double3 e; float f; double g[2]; float h; E ee; float i; double3x2 m; float j;
                bool3 k; float l; double d1; float last; };";
        let rows = [
            ("a", 0),
            ("b", 8),
            ("c", 16),
            ("d", 32),
            ("e", 48),
            ("f", 72),
            ("g", 80),
            ("h", 104),
            ("ee", 112),
            ("i", 124),
            ("m", 128),
            ("j", 184),
            ("k", 192),
            ("l", 204),
            ("d1", 208),
            ("last", 216),
        ];
        assert_eq!(offsets(text, Packing::Constant), table(&rows));
    }

    /// What fxc 10.1 prints of an element of this structured buffer, and its stride.
    #[test]
    fn elements_lie_where_fxc_puts_them() {
        let text = "struct S { float a; double b; float c; };
            struct T { float a; float3 b; float2 arr[3]; S s; float f; S ss[2]; float g; float3x4 m; float h; row_major float3x2 rm; bool bl;
                double2 d2; uint u; min16float mf; half hf; float e; double3 d3[2]; int i; };";
        let rows = [
            ("a", 0),
            ("b", 4),
            ("arr", 16),
            ("s", 40),
            ("f", 64),
            ("ss", 72),
            ("g", 120),
            ("m", 124),
            ("h", 172),
            ("rm", 176),
            ("bl", 200),
            ("d2", 208),
            ("u", 224),
            ("mf", 228),
            ("hf", 232),
            ("e", 236),
            ("d3", 240),
            ("i", 288),
        ];
        assert_eq!(offsets(text, Packing::Structured), table(&rows));
        let found = Structure::parse(text, None, Packing::Structured).unwrap();
        assert_eq!((found.bytes(), found.stride()), (292, 296));
        assert_ne!(
            offsets(&text.replace("uint u;", "uint64_t u;"), Packing::Structured),
            table(&rows),
            "the table can fail"
        );
    }

    /// The rules in words: https://learn.microsoft.com/windows/win32/direct3dhlsl/dx-graphics-hlsl-variable-syntax, `packoffset`.
    #[test]
    fn packoffset_says_where() {
        let text = "cbuffer C { float4 a : packoffset(c2); float b : packoffset(c0.w); float2 c : packoffset(c1.y); };";
        assert_eq!(offsets(text, Packing::Constant), table(&[("a", 32), ("b", 12), ("c", 20)]));
        for text in ["cbuffer C { float2 a : packoffset(c0.w); };", "cbuffer C { float4x4 a : packoffset(c0.y); };"] {
            assert!(Structure::parse(text, None, Packing::Constant).unwrap_err().reason.contains("cross a register"));
        }
    }

    #[test]
    fn matrices_lie_in_columns_unless_rows_are_asked_for() {
        let bytes: Vec<u8> = (0..6u32).flat_map(u32::to_le_bytes).collect();
        let rows = |text: &str| Structure::parse(text, None, Packing::Structured).unwrap().read(&bytes).unwrap();
        let list = |values: &[u64]| crate::Value::List(values.iter().map(|it| crate::Value::Unsigned(*it)).collect());
        let matrix = |rows: [&[u64]; 2]| {
            crate::Value::Fields(vec![("m".into(), crate::Value::List(rows.into_iter().map(list).collect()))])
        };
        assert_eq!(rows("uint2x3 m;"), matrix([&[0, 2, 4], &[1, 3, 5]]));
        assert_eq!(rows("row_major uint2x3 m;"), matrix([&[0, 1, 2], &[3, 4, 5]]));
    }
}
