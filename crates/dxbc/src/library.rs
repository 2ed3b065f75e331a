//! What a library of shaders says of itself at run time (`RDAT`): here, the root signatures among its subobjects.
//!
//! The part is a version, a count, and offsets of tables; each table has a kind and a size before its contents. Subobjects
//! are records that name a range of the raw bytes and a place among the strings.

use crate::{Bytes, Container, Malformed, Tag};

const STRINGS: u32 = 1;
const RAW: u32 = 5;
const SUBOBJECTS: u32 = 6;
/// Kinds of subobjects that are root signatures: of a whole state object, and of some of its shaders.
const ROOT_SIGNATURES: [u32; 2] = [1, 2];
/// More tables than any version has.
const MOST_TABLES: u32 = 64;

/// The contents of a table of a kind; nothing if there is none.
fn table<'a>(data: Bytes<'a>, kind: u32) -> Result<&'a [u8], Malformed> {
    let [_version, count] = data.words(0, "the library's header")?;
    if count > MOST_TABLES {
        return Err(Malformed::new(4, format!("{count} tables of a library are more than {MOST_TABLES}")));
    }
    for index in 0..count as usize {
        let offset = data.u32(8 + index * 4, "the library's tables")? as usize;
        let [found, size] = data.words(offset, "a table of the library")?;
        if found == kind {
            return data.slice(offset.saturating_add(8), size as usize, "a table of the library");
        }
    }
    Ok(&[])
}

/// The subobjects that are root signatures.
struct Found<'a> {
    strings: &'a [u8],
    raw: &'a [u8],
    /// Where the name begins; offset and size among the raw bytes.
    records: Vec<[u32; 3]>,
}

fn find(library: &[u8]) -> Result<Option<Found<'_>>, Malformed> {
    let Some(part) = Container::parse(library)?.part(Tag::RDAT) else { return Ok(None) };
    let data = Bytes(part.data);
    let (strings, raw, records) = (table(data, STRINGS)?, table(data, RAW)?, Bytes(table(data, SUBOBJECTS)?));
    if records.0.is_empty() {
        return Ok(None);
    }
    let [count, stride] = records.words(0, "the table of subobjects")?;
    if stride == 0 && count > 1 {
        return Err(Malformed::new(12, "subobjects without a size"));
    }
    let mut found = Vec::new();
    for index in 0..count as usize {
        // A record that lies outside ends the loop, so that a count costs no more than there are bytes.
        let at = index.checked_mul(stride as usize).and_then(|at| at.checked_add(8)).unwrap_or(usize::MAX);
        let [kind, string, offset, size] = records.words(at, "a subobject")?;
        if ROOT_SIGNATURES.contains(&kind) {
            found.push([string, offset, size]);
        }
    }
    Ok(Some(Found { strings, raw, records: found }))
}

fn signature(raw: &[u8], offset: u32, size: u32) -> Result<&[u8], Malformed> {
    Bytes(raw).slice(offset as usize, size as usize, "a subobject's root signature")
}

/// The root signature that a library's subobject of this name holds, serialised as in a container's own part; `None` if the
/// library has none of this name.
///
/// # Errors
/// When the bytes are no container, or what it says of itself is impossible.
pub fn root_signature<'a>(library: &'a [u8], name: &str) -> Result<Option<&'a [u8]>, Malformed> {
    let Some(Found { strings, raw, records }) = find(library)? else { return Ok(None) };
    let named = records.into_iter().find(|[string, ..]| text(strings, *string) == Some(name.as_bytes()));
    named.map(|[_, offset, size]| signature(raw, offset, size)).transpose()
}

/// All root signatures that a library holds, each with its name, as [`root_signature`] gives them.
///
/// # Errors
/// As [`root_signature`].
pub fn root_signatures(library: &[u8]) -> Result<Vec<(String, &[u8])>, Malformed> {
    let Some(Found { strings, raw, records }) = find(library)? else { return Ok(Vec::new()) };
    let named = |[string, offset, size]: [u32; 3]| {
        let name = String::from_utf8_lossy(text(strings, string).unwrap_or_default()).into_owned();
        Ok((name, signature(raw, offset, size)?))
    };
    records.into_iter().map(named).collect()
}

/// A text that ends with a zero byte.
fn text(strings: &[u8], offset: u32) -> Option<&[u8]> {
    let from = strings.get(offset as usize..)?;
    from.split(|byte| *byte == 0).next()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::container::build;

    fn words(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    /// A library as a compiler makes it: strings, raw bytes, subobjects, each table behind its kind and size.
    fn library(strings: &[u8], raw: &[u8], subobjects: &[[u32; 6]]) -> Vec<u8> {
        let mut records = words(&[subobjects.len() as u32, 24]);
        records.extend(subobjects.iter().flat_map(|record| words(record)));
        let (mut offsets, mut tables) = (Vec::new(), Vec::new());
        for (kind, contents) in [(STRINGS, strings), (RAW, raw), (SUBOBJECTS, &records)] {
            offsets.push((8 + 3 * 4 + tables.len()) as u32);
            tables.extend(words(&[kind, contents.len() as u32]));
            tables.extend(contents);
        }
        let data = [words(&[0x10, 3]), words(&offsets), tables].concat();
        build(&[(Tag::RDAT, &data)])
    }

    #[test]
    fn root_signatures_are_found_by_name() {
        let subobjects = [[0, 1, 0, 8, 0, 0], [1, 1, 0, 4, 0, 0], [2, 5, 4, 4, 0, 0], [1, 9, 6, 4, 0, 0]];
        let whole = library(b"\0grs\0lrs\0bad\0\0\0\0", b"abcdefgh", &subobjects);
        assert_eq!(root_signature(&whole, "grs"), Ok(Some(&b"abcd"[..])), "and not the state of the same name");
        assert_eq!(root_signature(&whole, "lrs"), Ok(Some(&b"efgh"[..])));
        assert_eq!(root_signature(&whole, "none"), Ok(None));
        assert_eq!(root_signature(&whole, ""), Ok(None));
        assert!(root_signature(&whole, "bad").is_err(), "beyond the raw bytes");
        assert!(root_signatures(&whole).is_err());
        let sound = library(b"\0grs\0lrs\0", b"abcdefgh", &subobjects[..3]);
        let named = [("grs".to_owned(), &b"abcd"[..]), ("lrs".to_owned(), &b"efgh"[..])];
        assert_eq!(root_signatures(&sound).unwrap(), named);
        assert_eq!(root_signature(&build(&[(Tag::DXIL, b"code")]), "grs"), Ok(None));
        // Nothing that is cut or changed is more than an error.
        for length in 0..whole.len() {
            let _ = root_signature(&whole[..length], "grs");
            let _ = root_signatures(&whole[..length]);
        }
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 0xff;
            let _ = root_signature(&changed, "grs");
            let _ = root_signatures(&changed);
        }
    }
}
