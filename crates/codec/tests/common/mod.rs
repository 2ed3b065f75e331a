//! What the tests share: a made-up world of objects and blobs.
#![allow(clippy::unwrap_used, dead_code, missing_docs, unreachable_pub)]

use reprise_codec::fabricate::{Random, TEXELS};
use reprise_codec::rebuild::Resolver;
use reprise_codec::{Arena, BlobSink, Codec, Objects, Texels, Wide};
use reprise_d3d12::MODEL;
use reprise_d3d12::model::{BlobKind, Field, InterfaceId, Len, MethodId, Pointee, Role, Type};

/// Program-visible pointers lie here, the runtime's own elsewhere; neither is ever looked through.
pub const WRAPPERS: u64 = 0x7000_0000;
pub const REALS: u64 = 0x6000_0000;

pub fn codec(wide: Wide) -> Codec {
    Codec::new(MODEL, wide)
}

/// Objects 1 to 255 at 16 bytes each.
pub struct World {
    base: u64,
}

impl World {
    pub fn wrappers() -> World {
        World { base: WRAPPERS }
    }
    pub fn reals() -> World {
        World { base: REALS }
    }
}

impl Objects for World {
    fn id_of(&self, pointer: u64) -> u64 {
        match pointer.checked_sub(self.base) {
            Some(offset) if offset < 4096 => offset / 16,
            _ => 0,
        }
    }
    fn real_of(&self, pointer: u64) -> u64 {
        match self.id_of(pointer) {
            0 => pointer,
            id => REALS + id * 16,
        }
    }
    fn texels(&self, _subresource: u32) -> Option<Texels> {
        Some(TEXELS)
    }
}

#[derive(Default)]
pub struct Blobs(pub Vec<Vec<u8>>);

impl BlobSink for Blobs {
    fn blob(&mut self, bytes: &[u8]) -> u32 {
        self.0.push(bytes.to_vec());
        self.0.len() as u32
    }
}

/// Resolves objects to wrappers and leaves all else as it is.
pub struct Same<'b>(pub &'b Blobs);

impl Resolver for Same<'_> {
    fn object(&mut self, id: u32, _interface: InterfaceId) -> Result<u64, String> {
        Ok(WRAPPERS + u64::from(id) * 16)
    }
    fn word(&mut self, _role: Role, value: u64) -> Result<u64, String> {
        Ok(value)
    }
    fn blob(&mut self, number: u32, _kind: BlobKind) -> Result<&[u8], String> {
        let index = (number as usize).checked_sub(1).ok_or("no blob 0")?;
        self.0.0.get(index).map(Vec::as_slice).ok_or_else(|| format!("no blob {number}"))
    }
    fn texels(&self, _subresource: u32) -> Option<Texels> {
        Some(TEXELS)
    }
}

pub struct Call {
    pub method: MethodId,
    pub words: Vec<u64>,
    pub enter: Vec<u8>,
    pub blobs: Blobs,
}

pub fn call(codec: &Codec, method: MethodId, seed: u64, arena: &mut Arena) -> Call {
    let mut random = Random::new(seed);
    let mut next = Random::new(!seed);
    let mut object = |_: InterfaceId| match next.below(5) {
        0 => 0,
        _ => WRAPPERS + (1 + next.below(255)) * 16,
    };
    let words = codec.fabricate(method, &mut random, &mut object, arena);
    let mut call = Call { method, words, enter: Vec::new(), blobs: Blobs::default() };
    call.enter = enter(codec, method, &call.words, &World::wrappers(), &mut call.blobs);
    call
}

pub fn enter(codec: &Codec, method: MethodId, words: &[u64], world: &World, blobs: &mut Blobs) -> Vec<u8> {
    let mut out = Vec::new();
    // SAFETY: the words were fabricated for this method, or rebuilt from such.
    unsafe { codec.encode_enter(method, words, world, &mut out, blobs) };
    out
}

pub fn methods() -> impl Iterator<Item = MethodId> {
    (0..MODEL.methods.len() as u16).map(MethodId).filter(|m| {
        let params = MODEL.methods[m.0 as usize].params;
        params.iter().all(|p| ambiguous(p.ty, 8).is_none())
    })
}

/// A pointer that shares its place with another member of a union, without an arm to tell which is in use.
pub fn ambiguous(ty: Type, depth: u32) -> Option<&'static str> {
    match ty {
        Type::Pointer(p) if depth > 0 => ambiguous(p.ty, depth - 1),
        Type::Struct(id) if depth > 0 => {
            let layout = &MODEL.structs[id.0 as usize];
            let deep = |f: &&Field| match f.ty {
                Type::Pointer(Pointee { len: Len::Rule(_), .. }) => false,
                Type::Pointer(_) | Type::Object(_) => f.arm.is_none(),
                Type::Struct(s) => f.arm.is_none() && !MODEL.structs[s.0 as usize].flat,
                _ => false,
            };
            for field in layout.fields.iter().filter(deep) {
                let shares = |f: &&Field| f.offset == field.offset && !std::ptr::eq(*f, field);
                if layout.fields.iter().any(|f| shares(&f)) {
                    return Some(layout.name);
                }
            }
            layout.fields.iter().find_map(|f| ambiguous(f.ty, depth - 1))
        }
        _ => None,
    }
}

/// How many seeds per method: Miri is some thousand times slower.
pub const SEEDS: u64 = if cfg!(miri) { 1 } else { 8 };
