//! Entry points for fuzzers and other programs that feed arbitrary bytes: everything that reads a payload, once.

use crate::json::Plain;
use crate::rebuild::Resolver;
use crate::{Arena, Codec};
use reprise_d3d12::model::{BlobKind, InterfaceId, MethodId, Role};

/// Decodes `bytes` as calls of the method that their first two bytes name: as an enter payload, and split by the third
/// byte into an enter and a leave payload. Must not panic, whatever the bytes.
pub fn decode(codec: &Codec, bytes: &[u8]) {
    let Some((method, split, payload)) = parts(codec, bytes) else { return };
    if let Ok(arguments) = codec.decode_enter(method, payload) {
        codec.text_call(&arguments, None, &Plain);
    }
    let (enter, leave) = payload.split_at(split);
    if let (Ok(arguments), Ok(outcome)) = (codec.decode_enter(method, enter), codec.decode_leave(method, enter, leave))
    {
        codec.text_call(&arguments, Some(&outcome), &Plain);
    }
}

/// Rebuilds `bytes` as [`decode`] reads them; everything is resolved to itself. Must not panic.
pub fn rebuild(codec: &Codec, bytes: &[u8], arena: &mut Arena) {
    let Some((method, _, payload)) = parts(codec, bytes) else { return };
    arena.clear();
    let _ = codec.rebuild(method, payload, &mut Itself, arena);
}

fn parts<'b>(codec: &Codec, bytes: &'b [u8]) -> Option<(MethodId, usize, &'b [u8])> {
    let (head, payload) = bytes.split_at_checked(3)?;
    let method = u16::from_le_bytes([head[0], head[1]]) as usize % codec.model().methods.len().max(1);
    Some((MethodId(method as u16), (usize::from(head[2]) * 8).min(payload.len()), payload))
}

struct Itself;

impl Resolver for Itself {
    fn object(&mut self, id: u32, _interface: InterfaceId) -> Result<u64, String> {
        Ok(u64::from(id))
    }
    fn word(&mut self, _role: Role, value: u64) -> Result<u64, String> {
        Ok(value)
    }
    fn blob(&mut self, number: u32, _kind: BlobKind) -> Result<&[u8], String> {
        Err(format!("no blob {number}"))
    }
}
