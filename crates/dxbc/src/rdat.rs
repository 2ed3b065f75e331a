//! What a DXIL library holds: its shaders, and the subobjects of state objects that it declares (`RDAT`, the part that compilers write
//! for runtimes).
//!
//! The layout is that of DirectXShaderCompiler's `DxilRuntimeReflection`: tables by kind; a function's record begins with the places of its
//! two names and has its shader kind as fifth word; a subobject's record is its kind, the place of its name, and four words by kind. Lists of
//! names are in the table of indices: a count, then places of strings.

use core::cell::Cell;

use crate::library::{FUNCTIONS, INDICES, RAW, STRINGS, SUBOBJECTS, places, signature, table, text};
use crate::{Bytes, Container, Malformed, Stage, Tag};

/// What a library holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Library {
    /// Its shaders, in the library's order.
    pub exports: Vec<Export>,
    /// Its subobjects, in the library's order.
    pub subobjects: Vec<Subobject>,
}

/// A shader of a library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Export {
    /// The name in the module, with its types: translators take this one.
    pub name: String,
    /// The name as in HLSL.
    pub plain: String,
    /// Its stage; `None` for a stage that is not translated (nodes of work graphs), and for functions that are no entry points.
    pub stage: Option<Stage>,
}

/// A subobject that a library declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subobject {
    /// Its name in HLSL.
    pub name: String,
    /// What it says.
    pub what: Declared,
}

/// What a subobject says. Numbers are those of `D3D12_STATE_SUBOBJECT_TYPE`'s structures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Declared {
    /// `D3D12_STATE_OBJECT_FLAGS`.
    StateObjectConfig {
        /// The flags.
        flags: u32,
    },
    /// A serialised root signature for all shaders of a dispatch.
    GlobalRootSignature(Vec<u8>),
    /// A serialised root signature whose arguments lie in shader records.
    LocalRootSignature(Vec<u8>),
    /// A subobject is for these exports.
    Association {
        /// The subobject's name.
        subobject: String,
        /// Names of exports; none makes it the default.
        exports: Vec<String>,
    },
    /// Sizes, in bytes.
    ShaderConfig {
        /// Of payloads.
        payload: u32,
        /// Of attributes.
        attributes: u32,
    },
    /// `D3D12_RAYTRACING_PIPELINE_CONFIG1`.
    PipelineConfig {
        /// Most calls of `TraceRay` within each other.
        depth: u32,
        /// `D3D12_RAYTRACING_PIPELINE_FLAGS`.
        flags: u32,
    },
    /// Shaders for what a ray hits. A name is empty where there is no shader.
    HitGroup {
        /// For boxes of the program's own, not triangles.
        procedural: bool,
        /// The any-hit shader.
        any_hit: String,
        /// The closest-hit shader.
        closest_hit: String,
        /// The intersection shader.
        intersection: String,
    },
}

/// Reads what a library holds. What has no such part holds nothing.
///
/// # Errors
/// When the bytes are no container, or what it says of itself is impossible.
pub fn library(blob: &[u8]) -> Result<Library, Malformed> {
    let Some(part) = Container::parse(blob)?.part(Tag::RDAT) else { return Ok(Library::default()) };
    let data = Bytes(part.data);
    let tables = Tables {
        strings: table(data, STRINGS)?,
        indices: Bytes(table(data, INDICES)?),
        raw: table(data, RAW)?,
        left: Cell::new(blob.len().saturating_mul(REPEATED).saturating_add(LEAST)),
    };
    let mut found = Library::default();
    let functions = Bytes(table(data, FUNCTIONS)?);
    if !functions.0.is_empty() {
        for at in places(functions)? {
            let [mangled, plain, _resources, _dependencies, kind] = functions.words(at, "a function")?;
            let (name, plain) = (tables.name(mangled)?, tables.name(plain)?);
            found.exports.push(Export { name, plain, stage: Stage::of_kind(kind) });
        }
    }
    let subobjects = Bytes(table(data, SUBOBJECTS)?);
    if !subobjects.0.is_empty() {
        for at in places(subobjects)? {
            let [kind, name, words @ ..]: [u32; 6] = subobjects.words(at, "a subobject")?;
            found.subobjects.push(Subobject { name: tables.name(name)?, what: tables.declared(at, kind, words)? });
        }
    }
    Ok(found)
}

/// Many records may name one place. What is read of a library may have so many times its bytes, and these: compilers name a place a few times.
const REPEATED: usize = 64;
const LEAST: usize = 1 << 16;

/// What records name places in.
struct Tables<'a> {
    strings: &'a [u8],
    indices: Bytes<'a>,
    raw: &'a [u8],
    /// Bytes that may still be read.
    left: Cell<usize>,
}

impl Tables<'_> {
    /// Something of so many bytes is read.
    fn spend(&self, place: usize, bytes: usize) -> Result<(), Malformed> {
        let left = self.left.get().checked_sub(bytes.saturating_add(size_of::<String>()));
        let left = left.ok_or_else(|| Malformed::new(place, "the library names the same places too often"))?;
        self.left.set(left);
        Ok(())
    }

    fn signature(&self, offset: u32, size: u32) -> Result<Vec<u8>, Malformed> {
        let bytes = signature(self.raw, offset, size)?;
        self.spend(offset as usize, bytes.len())?;
        Ok(bytes.to_vec())
    }

    fn name(&self, place: u32) -> Result<String, Malformed> {
        let wrong = |what: &str| Malformed::new(place as usize, format!("a name in the library {what}"));
        let bytes = text(self.strings, place).ok_or_else(|| wrong("is outside its strings"))?;
        self.spend(place as usize, bytes.len())?;
        Ok(core::str::from_utf8(bytes).map_err(|_| wrong("is not UTF-8"))?.to_owned())
    }

    /// The names of a list.
    fn names(&self, place: u32) -> Result<Vec<String>, Malformed> {
        let at = (place as usize).saturating_mul(4);
        let count = self.indices.u32(at, "a list of the library")? as usize;
        let list = self.indices.slice(at.saturating_add(4), count.saturating_mul(4), "a list of the library")?;
        (0..count).map(|index| self.name(Bytes(list).u32(index * 4, "a list of the library")?)).collect()
    }

    fn declared(&self, at: usize, kind: u32, [a, b, c, d]: [u32; 4]) -> Result<Declared, Malformed> {
        Ok(match kind {
            0 => Declared::StateObjectConfig { flags: a },
            1 => Declared::GlobalRootSignature(self.signature(a, b)?),
            2 => Declared::LocalRootSignature(self.signature(a, b)?),
            8 => Declared::Association { subobject: self.name(a)?, exports: self.names(b)? },
            9 => Declared::ShaderConfig { payload: a, attributes: b },
            10 => Declared::PipelineConfig { depth: a, flags: 0 },
            12 => Declared::PipelineConfig { depth: a, flags: b },
            11 => Declared::HitGroup {
                procedural: a != 0,
                any_hit: self.name(b)?,
                closest_hit: self.name(c)?,
                intersection: self.name(d)?,
            },
            kind => return Err(Malformed::new(at, format!("a subobject is of kind {kind}, which is not known"))),
        })
    }
}

#[cfg(test)]
mod tests;
