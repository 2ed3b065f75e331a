//! What a library of shaders says of itself at run time (`RDAT`): its functions, and the root signatures among its subobjects.
//!
//! The part is a version, a count, and offsets of tables; each table has a kind and a size before its contents. Subobjects
//! are records that name a range of the raw bytes and a place among the strings.

use crate::{Bytes, Container, Malformed, Tag, program};

pub(crate) const STRINGS: u32 = 1;
pub(crate) const INDICES: u32 = 2;
pub(crate) const FUNCTIONS: u32 = 4;
pub(crate) const RAW: u32 = 5;
pub(crate) const SUBOBJECTS: u32 = 6;
/// Kinds of subobjects that are root signatures: of a whole state object, and of some of its shaders.
const ROOT_SIGNATURES: [u32; 2] = [1, 2];
/// More tables than any version has.
const MOST_TABLES: u32 = 64;

/// The contents of a table of a kind; nothing if there is none.
pub(crate) fn table<'a>(data: Bytes<'a>, kind: u32) -> Result<&'a [u8], Malformed> {
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
    let mut found = Vec::new();
    for at in places(records)? {
        let [kind, string, offset, size] = records.words(at, "a subobject")?;
        if ROOT_SIGNATURES.contains(&kind) {
            found.push([string, offset, size]);
        }
    }
    Ok(Some(Found { strings, raw, records: found }))
}

/// Where the records of a table begin. Reading a record that lies outside is an error, so a count costs no more than there are
/// bytes.
pub(crate) fn places(records: Bytes<'_>) -> Result<impl Iterator<Item = usize>, Malformed> {
    let [count, stride] = records.words(0, "the head of a table of records")?;
    if stride == 0 && count > 1 {
        return Err(Malformed::new(12, "records without a size"));
    }
    let place = move |index: usize| index.checked_mul(stride as usize).and_then(|at| at.checked_add(8));
    Ok((0..count as usize).map(move |index| place(index).unwrap_or(usize::MAX)))
}

/// A function of a library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// The name as in HLSL.
    pub name: String,
    /// The name in the code, with its types.
    pub mangled: String,
    /// What it runs as, as [`Program::stage`](crate::Program::stage); `library` is no entry point. `None`: a stage that is not known.
    pub stage: Option<&'static str>,
}

/// The functions that a library exports, in its own order. There are none in what is no library.
///
/// # Errors
/// When the bytes are no container, or what it says of itself is impossible.
pub fn functions(library: &[u8]) -> Result<Vec<Function>, Malformed> {
    let Some(part) = Container::parse(library)?.part(Tag::RDAT) else { return Ok(Vec::new()) };
    let data = Bytes(part.data);
    let (strings, records) = (table(data, STRINGS)?, Bytes(table(data, FUNCTIONS)?));
    if records.0.is_empty() {
        return Ok(Vec::new());
    }
    let name = |at: u32| String::from_utf8_lossy(text(strings, at).unwrap_or_default()).into_owned();
    let function = |at: usize| {
        let [mangled, plain, _resources, _dependencies, stage] = records.words(at, "a function")?;
        Ok(Function { name: name(plain), mangled: name(mangled), stage: program::stage(stage) })
    };
    places(records)?.map(function).collect()
}

pub(crate) fn signature(raw: &[u8], offset: u32, size: u32) -> Result<&[u8], Malformed> {
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
pub(crate) fn text(strings: &[u8], offset: u32) -> Option<&[u8]> {
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

    /// Functions lie as in a library of dxc 1.7: 52 bytes each, of which the first five words are read here.
    #[test]
    fn functions_have_names_and_stages() {
        let function = |mangled: u32, plain: u32, stage: u32| {
            let mut record = [u32::MAX; 13];
            (record[0], record[1], record[4]) = (mangled, plain, stage);
            words(&record)
        };
        let strings = b"\0?begin@@YAXXZ\0begin\0help\0";
        let records = [words(&[3, 52]), function(1, 15, 7), function(21, 21, 6), function(21, 21, 99)].concat();
        let head =
            [words(&[0x10, 2, 16, 16 + 8 + strings.len() as u32]), words(&[STRINGS, strings.len() as u32])].concat();
        let tables = [words(&[FUNCTIONS, records.len() as u32]), records].concat();
        let whole = build(&[(Tag::RDAT, &[&head[..], strings, &tables].concat())]);
        let named = |name: &str, mangled: &str, stage| Function { name: name.into(), mangled: mangled.into(), stage };
        let expected = [
            named("begin", "?begin@@YAXXZ", Some("raygeneration")),
            named("help", "help", Some("library")),
            named("help", "help", None),
        ];
        assert_eq!(functions(&whole).unwrap(), expected);
        assert_eq!(functions(&build(&[(Tag::DXIL, b"code")])), Ok(Vec::new()));
        for length in 0..whole.len() {
            let _ = functions(&whole[..length]);
        }
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 0xff;
            let _ = functions(&changed);
        }
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
