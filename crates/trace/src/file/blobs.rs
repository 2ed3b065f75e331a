//! The payload of a chunk of blobs: a table of hashes and lengths, then the contents.

use std::ops::Range;

use xxhash_rust::xxh3::xxh3_128;

/// Size of a blob's entry in the table, in bytes: its XXH3-128 and its length.
pub(crate) const ENTRY: usize = 24;

/// Finds blob `index` of `count` in the payload of a chunk of blobs: its hash and bytes.
pub(crate) fn find(payload: &[u8], count: u32, index: u32) -> Option<(u128, &[u8])> {
    let (table, data) = payload.split_at_checked((count as usize).checked_mul(ENTRY)?)?;
    let entries = table.as_chunks::<ENTRY>().0;
    let len_of = |e: &[u8; ENTRY]| e.last_chunk::<8>().map(|w| u64::from_le_bytes(*w));
    let mut start = 0u64;
    for entry in entries.get(..index as usize)? {
        start = start.checked_add(len_of(entry)?)?;
    }
    let entry = entries.get(index as usize)?;
    let hash = u128::from_le_bytes(*entry.first_chunk::<16>()?);
    let end = start.checked_add(len_of(entry)?)?;
    Some((hash, data.get(usize::try_from(start).ok()?..usize::try_from(end).ok()?)?))
}

/// Finds up to `most` blobs of this size from `index` on in the payload of a chunk of `count` blobs. They lie side by side: where. The
/// range is empty where the first one has another size.
pub(crate) fn side_by_side(
    payload: &[u8],
    count: u32,
    (index, most): (u32, usize),
    size: usize,
) -> Option<Range<usize>> {
    let (_, first) = find(payload, count, index)?;
    let table = (count as usize).checked_mul(ENTRY)?;
    // `find` took a slice of the payload behind its table.
    let start = first.as_ptr().addr() - payload.as_ptr().addr();
    let entries = payload.get(..table)?.as_chunks::<ENTRY>().0.get(index as usize..)?;
    let alike = entries.iter().take(most).take_while(|entry| entry.ends_with(&(size as u64).to_le_bytes())).count();
    let end = alike.checked_mul(size).and_then(|len| start.checked_add(len)).filter(|&end| end <= payload.len())?;
    Some(start..end)
}

/// Compares the table with the contents.
///
/// # Errors
/// In words: the table is cut off, a content has another hash, or the contents are shorter or longer than the table says.
pub(crate) fn check(payload: &[u8], count: u32) -> Result<(), String> {
    let table = (count as usize).checked_mul(ENTRY).and_then(|len| payload.split_at_checked(len));
    let (table, mut data) = table.ok_or_else(|| format!("the table of its {count} blobs is cut off"))?;
    for (index, entry) in table.as_chunks::<ENTRY>().0.iter().enumerate() {
        let (hash, len) = entry.split_at(16);
        let len = len.first_chunk().map_or(u64::MAX, |len| u64::from_le_bytes(*len));
        let content = usize::try_from(len).ok().and_then(|len| data.split_at_checked(len));
        let (content, rest) = content.ok_or_else(|| format!("its blob {index} of {len} bytes is cut off"))?;
        if xxh3_128(content).to_le_bytes() != hash {
            return Err(format!("its blob {index} has another hash than its table says"));
        }
        data = rest;
    }
    if data.is_empty() { Ok(()) } else { Err(format!("{} bytes follow its blobs", data.len())) }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn payload(blobs: &[&[u8]]) -> Vec<u8> {
        let mut payload = Vec::new();
        for blob in blobs {
            payload.extend(xxh3_128(blob).to_le_bytes());
            payload.extend((blob.len() as u64).to_le_bytes());
        }
        blobs.iter().for_each(|blob| payload.extend_from_slice(blob));
        payload
    }

    #[test]
    fn blobs_of_one_size_are_found_side_by_side_up_to_the_first_other() {
        let payload = payload(&[b"ab", b"four", b"FOUR", b"x", b"last"]);
        let of = |index, most| side_by_side(&payload, 5, (index, most), 4).map(|range| &payload[range]);
        assert_eq!(of(1, 9).unwrap(), b"fourFOUR");
        assert_eq!(of(1, 1).unwrap(), b"four");
        assert_eq!(of(2, 9).unwrap(), b"FOUR");
        assert_eq!(of(4, 9).unwrap(), b"last");
        assert!(of(0, 9).unwrap().is_empty() && of(3, 9).unwrap().is_empty());
        assert_eq!(of(5, 1), None);
        assert_eq!(side_by_side(&payload[..payload.len() - 1], 5, (4, 1), 4), None, "cut off");
        assert_eq!(side_by_side(&payload[..30], 5, (0, 1), 2), None, "the table is cut off");
        let mut longer = payload.clone();
        longer[4 * ENTRY + 16..5 * ENTRY].fill(0xff);
        assert_eq!(side_by_side(&longer, 5, (4, 1), 4), None);
    }
}
