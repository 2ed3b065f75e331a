//! What is packed in a hurry while the program waits is packed anew afterwards, and says the same.
#![allow(clippy::unwrap_used)]

mod common;

use common::*;
use proptest::prelude::*;
use reprise_trace::chunk::{ChunkHeader, ChunkKind, Compression, Packing};
use reprise_trace::clock::Instant3;
use reprise_trace::layout::{self, FileHeader, Footer};
use reprise_trace::read::Trace;
use reprise_trace::record::{Header, Kind, Record, SEQUENCE};
use reprise_trace::trace_writer::repack::repack;
use reprise_trace::trace_writer::{FileOutput, Progress, TraceWriter};
use std::path::Path;

/// A trace with a blob of each length and content, and a call that names it; written in a hurry where that is said. Gives what is to be
/// packed anew, and the footer.
fn record(path: &Path, blobs: &[(Vec<u8>, bool)], compression: Compression) -> (Vec<u64>, Footer) {
    let out = FileOutput::create(path).unwrap();
    let mut file = TraceWriter::create(out, &FileHeader::default(), Default::default()).unwrap();
    file.set_compression(compression);
    file.set_compressors(1);
    // Instants would be as many bytes as they like.
    file.set_end(Instant3 { ticks: 1, realtime_ns: 2, monotonic_ns: 3 });
    let thread = file.add_thread(0, 7, "a thread");
    for (number, (blob, hurries)) in blobs.iter().enumerate() {
        file.blob(thread, 4, blob);
        let header = Header { kind: Kind::Enter as u8, flags: SEQUENCE, method: 3, object: 9, ..Header::default() };
        let payload = (number as u64).to_le_bytes();
        let sequence = number as u64 + 1;
        file.record(
            thread,
            &Record { header, kind: Kind::Enter, sequence, ticks: 0, after: 0, payload: &payload },
            false,
        );
        file.set_hurry(*hurries);
        file.flush(false, |_| Progress::default()).unwrap();
    }
    let (mut out, totals) =
        file.finish(Vec::new(), |_| Progress::default(), &|methods| format!("{methods:?}").into_bytes()).unwrap();
    let hurried = out.take_hurried();
    out.finish().unwrap();
    (hurried, totals)
}

/// Everything that a reader learns: records and the contents of blobs.
fn said(path: &Path) -> (Vec<String>, Vec<Vec<u8>>) {
    let trace = Trace::open(path).unwrap();
    sound(&trace);
    let mut events = trace.events();
    let mut all = Vec::new();
    while let Some(event) = events.next().unwrap() {
        all.push(format!("{event:?}"));
    }
    let blobs = trace.blob_ids().map(|id| trace.blob_by_id(id).unwrap().to_vec()).collect();
    (all, blobs)
}

fn packings(path: &Path) -> Vec<Packing> {
    let bytes = std::fs::read(path).unwrap();
    let (mut place, mut all) = (layout::HEADER, Vec::new());
    while let Some(Ok(header)) = bytes[place..].first_chunk().map(ChunkHeader::from_bytes) {
        all.extend((header.kind == ChunkKind::Blobs).then_some(header.packing));
        place += header.total() as usize;
    }
    all
}

/// Numbers that rise now and then: LZ4 makes them much smaller, too, but less so than zstd.
fn numbers(count: u32) -> Vec<u8> {
    (0..count).flat_map(|at| (at / 50).to_le_bytes()).collect()
}

/// Letters of few kinds without order: zstd makes them smaller, LZ4 does not.
fn letters(seed: u64, count: usize) -> Vec<u8> {
    noise(seed, count).into_iter().map(|byte| byte & 0x1f).collect()
}

#[test]
fn a_hurry_packs_fast_what_shrinks_and_packing_anew_undoes_that() {
    let folder = Folder::new();
    let blobs: Vec<(Vec<u8>, bool)> = vec![
        (numbers(100_000), true),
        (noise(1, 300_000), true),
        (letters(2, 300_000), true),
        (numbers(90_000), false),
        (vec![1; 100], true),
    ];
    let (hasty, calm) = (folder.join("hasty.reprise"), folder.join("calm.reprise"));
    let (hurried, totals) = record(&hasty, &blobs, Compression::Usual);
    let at_leisure: Vec<(Vec<u8>, bool)> = blobs.iter().map(|(blob, _)| (blob.clone(), false)).collect();
    assert!(record(&calm, &at_leisure, Compression::Usual).0.is_empty());
    // Noise does not shrink, so nothing is to be done again; what is short takes no time.
    let is = packings(&hasty);
    assert_eq!(is[..4], [Packing::Lz4, Packing::None, Packing::None, Packing::Zstd]);
    assert_eq!(hurried.len(), 2, "the numbers and the letters");
    let before = said(&hasty);
    assert!(before.1.iter().eq(blobs.iter().map(|(blob, _)| blob)));
    let larger = std::fs::metadata(&hasty).unwrap().len();
    let bytes = repack(&hasty, &hurried, totals, 1, &|| ()).unwrap().unwrap();
    assert_eq!(bytes, std::fs::metadata(&hasty).unwrap().len());
    assert!(bytes < larger, "{bytes} of {larger}");
    assert!(said(&hasty) == before);
    assert_eq!(packings(&hasty), packings(&calm));
    assert_eq!(bytes, std::fs::metadata(&calm).unwrap().len(), "as if there had been time");
}

#[test]
fn a_compression_that_was_asked_for_is_not_hurried() {
    let folder = Folder::new();
    for compression in [Compression::Level(3), Compression::Lz4, Compression::None] {
        let path = folder.join("asked.reprise");
        let (hurried, _) = record(&path, &[(numbers(100_000), true)], compression);
        assert!(hurried.is_empty(), "{compression}");
    }
}

#[test]
fn a_trace_that_cannot_be_packed_anew_stays_as_it_is() {
    let folder = Folder::new();
    let path = folder.join("cut.reprise");
    let (hurried, totals) = record(&path, &[(numbers(100_000), true), (numbers(50_000), true)], Compression::Usual);
    let whole = std::fs::read(&path).unwrap();
    // Damage in a chunk that is decoded, in one that is copied, and a file that is cut off.
    for damaged in [
        [&whole[..hurried[1] as usize + 100], &[0xff; 8], &whole[hurried[1] as usize + 108..]].concat(),
        [&whole[..hurried[0] as usize + 4], &[0xff; 8], &whole[hurried[0] as usize + 12..]].concat(),
        whole[..whole.len() / 2].to_vec(),
        b"no trace".to_vec(),
    ] {
        std::fs::write(&path, &damaged).unwrap();
        assert!(repack(&path, &hurried, totals.clone(), 1, &|| ()).is_err());
        assert_eq!(std::fs::read(&path).unwrap(), damaged);
        assert_eq!(std::fs::read_dir(folder.join("")).unwrap().count(), 1, "nothing is left");
    }
    // Removed while it was being packed: it stays away.
    std::fs::write(&path, &whole).unwrap();
    let gone = std::cell::Cell::new(false);
    let remove = || {
        if !gone.replace(true) {
            std::fs::remove_file(&path).unwrap();
        }
    };
    assert_eq!(repack(&path, &hurried, totals, 1, &remove).unwrap(), None);
    assert!(!path.exists());
}

/// A thread that stores faster than the writer packs: what was packed in the hurry is packed anew when the trace is finished.
#[test]
fn a_writer_that_was_behind_leaves_no_haste_in_the_trace() {
    let folder = Folder::new();
    let path = folder.join("behind.reprise");
    let session = session(&path);
    let mut producer = session.create_ring("a thread").unwrap();
    // Sixteen times what the ring holds.
    let stored = letters(5, 8 << 20);
    let writer = std::thread::spawn({
        let path = path.clone();
        move || write(&path)
    });
    for (number, piece) in (0u64..).zip(stored.chunks(8 * 4096)) {
        let place = [number * 8 * 4096, piece.len() as u64].map(u64::to_le_bytes).concat();
        assert!(producer.record(Kind::Memory, 0, SEQUENCE, 9, 0, &[&place, piece]));
    }
    session.close();
    let summary = writer.join().unwrap();
    assert!(summary.hurried > 0 && summary.unpacked.is_none(), "{summary:?}");
    assert_eq!(summary.bytes, std::fs::metadata(&path).unwrap().len());
    assert!(said(&path).1.concat() == stored);
    let is = packings(&path);
    assert!(is.len() > 4 && is.iter().all(|packing| *packing == Packing::Zstd), "{is:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn whatever_was_hurried_says_the_same_when_it_is_packed_anew(
        kinds in proptest::collection::vec((0u8..4, 1usize..200_000, any::<bool>()), 1..8),
    ) {
        let folder = Folder::new();
        let path = folder.join("any.reprise");
        let blobs: Vec<(Vec<u8>, bool)> = kinds
            .iter()
            .enumerate()
            .map(|(number, &(kind, length, hurries))| {
                let bytes = match kind {
                    0 => noise(number as u64, length),
                    1 => letters(number as u64, length),
                    2 => numbers((length / 4) as u32),
                    _ => vec![number as u8; length],
                };
                (bytes, hurries)
            })
            .collect();
        let (hurried, totals) = record(&path, &blobs, Compression::Usual);
        let before = said(&path);
        repack(&path, &hurried, totals, 2, &|| ()).unwrap().unwrap();
        prop_assert!(said(&path) == before);
    }
}
