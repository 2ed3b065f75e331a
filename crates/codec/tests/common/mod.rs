//! What the tests share: a made-up world of objects and blobs.
#![allow(clippy::unwrap_used, dead_code, missing_docs, unreachable_pub)]

pub mod doctor;
pub mod native;

use reprise_codec::fabricate::{RECORD, Random, TEXELS};
use reprise_codec::rebuild::Resolver;
use reprise_codec::value::{Member, Value};
use reprise_codec::{Arena, BlobSink, Codec, Objects, Texels, Wide};
use reprise_d3d12::MODEL;
use reprise_d3d12::model::{BlobKind, InterfaceId, MethodId, Role};

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
    fn record_bytes(&self, _entry: u32) -> Option<u64> {
        Some(RECORD)
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
    (0..MODEL.methods.len() as u16).step_by(if cfg!(miri) { 23 } else { 1 }).map(MethodId)
}

/// Addresses differ between processes; nothing else may.
fn mask(value: &mut Value<'_>) {
    match value {
        Value::Word(Role::CpuAddress, address) => *address = 1,
        Value::Struct(_, members) => members.iter_mut().for_each(|m| mask(&mut m.value)),
        Value::Array(values) => values.iter_mut().for_each(mask),
        Value::Stream(values) => values.iter_mut().for_each(|v| mask(&mut v.1)),
        _ => {}
    }
}

/// The arguments in a payload, without addresses.
pub fn masked<'a>(codec: &Codec, method: MethodId, payload: &'a [u8]) -> Vec<Member<'a>> {
    let mut arguments = codec.decode_enter(method, payload).unwrap_or_else(|e| panic!("{e}"));
    arguments.members.iter_mut().for_each(|m| mask(&mut m.value));
    arguments.members
}

/// The packed argument block, made without the codec.
pub fn block(method: MethodId, words: &[u64]) -> Vec<u8> {
    let tables = &MODEL.methods[method.0 as usize];
    let mut block = vec![0; tables.args_size.into()];
    for (param, word) in tables.params.iter().zip(words) {
        let (at, size) = (param.offset as usize, param.ty.size(MODEL.structs) as usize);
        match size {
            9.. => {
                // SAFETY: fabricated structures by value are pointers to them.
                let bytes = unsafe { std::slice::from_raw_parts(*word as *const u8, size) };
                block[at..at + size].copy_from_slice(bytes);
            }
            _ => block[at..at + size].copy_from_slice(&word.to_le_bytes()[..size]),
        }
    }
    block
}

/// How many seeds per method: Miri is some thousand times slower.
pub const SEEDS: u64 = if cfg!(miri) { 1 } else { 32 };
