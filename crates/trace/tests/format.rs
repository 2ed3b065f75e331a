//! The bytes in the examples of `FORMAT.md` are those that the writer writes.
#![allow(clippy::unwrap_used)]

use reprise_trace::chunk::{self, ChunkHeader, ChunkKind};
use reprise_trace::clock::Instant3;
use reprise_trace::layout::FileHeader;
use reprise_trace::record::{Header, Kind, LEAVES, ORDERED, Record, SEQUENCE, TICKS};
use reprise_trace::trace_writer::{Progress, TraceWriter};

fn record(kind: Kind, method: u16, flags: u8, object: u32, ordinal: u32, words: &[u64]) -> Vec<u8> {
    let size = (16 + 8 * words.len()) as u32;
    let mut bytes = Header { size, method, kind: kind as u8, flags, object, ordinal }.to_bytes().to_vec();
    words.iter().for_each(|w| bytes.extend(w.to_le_bytes()));
    bytes
}

fn example() -> Vec<u8> {
    let start = Instant3 { ticks: 1000, realtime_ns: 1_700_000_000_000_000_000, monotonic_ns: 5_000_000_000 };
    let header = FileHeader { api_version: 1, api_hash: 0x0123_4567_89ab_cdef, start };
    let mut file = TraceWriter::create(Vec::new(), &header, Default::default()).unwrap();
    file.set_end(Instant3 { ticks: 4000, realtime_ns: start.realtime_ns + 1000, monotonic_ns: 5_000_001_000 });
    let main = file.add_thread(0, 4711, "main");
    let records = [
        record(Kind::Enter, 5, SEQUENCE | TICKS | LEAVES, 1, 0, &[1, 1600, 0x0a]),
        record(Kind::Leave, 5, SEQUENCE, 1, 0, &[2, 0]),
        record(Kind::Enter, 9, ORDERED, 2, 7, &[0x24, 1]),
    ];
    records.iter().for_each(|r| file.record(main, &Record::parse(r).unwrap(), false));
    let (bytes, _) = file.finish(vec![], |_| Progress { stored_to: 112, open: vec![] }, &|_| Vec::new()).unwrap();
    bytes
}

/// Lines of `place: bytes  meaning`.
fn lines(bytes: &[u8], base: usize, fields: &[(usize, &str)]) -> String {
    let (mut at, mut text) = (0, String::new());
    for (len, meaning) in fields {
        let hex: Vec<String> = bytes[at..at + len].iter().map(|b| format!("{b:02x}")).collect();
        text += &format!("{:04x}: {:<24} {meaning}\n", base + at, hex.join(" "));
        at += len;
    }
    assert_eq!(at, bytes.len(), "every byte is explained");
    text
}

fn chunk_header(bytes: &[u8], base: usize, meanings: [&str; 6]) -> String {
    let [kind, first, sequence, frame, count, records] = meanings;
    let fields = [
        (4, "magic"),
        (1, kind),
        (1, "1: compressed"),
        (2, "reserved"),
        (4, "bytes stored"),
        (4, "bytes decompressed"),
        (8, "checksum of the bytes stored"),
        (8, first),
        (8, sequence),
        (4, frame),
        (4, count),
        (4, records),
        (1, "–"),
        (1, "no differences"),
        (2, "reserved"),
        (8, "checksum of this header"),
    ];
    lines(bytes, base, &fields)
}

fn annotated(bytes: &[u8]) -> String {
    let file = [
        (8, "magic"),
        (2, "version"),
        (2, "size of the header"),
        (4, "version of the API model"),
        (8, "hash of the API model"),
        (8, "began: ticks 1000"),
        (8, "began: ns since 1970"),
        (8, "began: monotonic ns"),
        (8, "reserved"),
        (8, "checksum of this header"),
    ];
    let mut text = lines(&bytes[..64], 0, &file);
    let meta = ["kind: meta", "–", "–", "–", "–", "–"];
    text += "\n";
    text += &chunk_header(&bytes[64..128], 64, meta);
    let mut at = 64;
    loop {
        let header = ChunkHeader::from_bytes(bytes[at..].first_chunk().unwrap()).unwrap();
        let end = at + chunk::HEADER + header.stored as usize;
        if header.kind != ChunkKind::Events {
            at = end;
            continue;
        }
        let payload = header.decode(bytes[at + chunk::HEADER..end].to_vec()).unwrap();
        text += "\nThe chunk of events, decompressed:\n";
        let fields = [
            (4, "4 bytes of codes"),
            (4, "4 bytes of masks"),
            (4, "28 bytes of lanes"),
            (4, "32 bytes of forms"),
            (4, "no bytes as they are"),
            (1, "code 1: the first form, new"),
            (1, "code 2, new"),
            (1, "code 3, new"),
            (1, "code 4, new"),
            (1, "record 1: as predicted: thread 0"),
            (1, "record 2: lanes 0, 4, 6"),
            (1, "record 3: lane 0"),
            (1, "record 4: lanes 0, 2, 4"),
            (4, "object 1"),
            (4, "ticks 1600 - 0; sequence number 1, as expected: 0"),
            (4, "argument"),
            (4, "object 1; sequence number 2, as expected: 0; result 0"),
            (4, "object 2; ordinal 7, left out: 0"),
            (4, "argument"),
            (4, "argument"),
            (4, "form 1: 16 bytes"),
            (4, "Thread"),
            (4, "form 2: 40 bytes"),
            (2, "method 5"),
            (1, "Enter"),
            (1, "SEQUENCE, TICKS, LEAVES"),
            (4, "form 3: 32 bytes"),
            (2, "method 5"),
            (1, "Leave"),
            (1, "SEQUENCE"),
            (4, "form 4: 32 bytes"),
            (2, "method 9"),
            (1, "Enter"),
            (1, "ORDERED"),
            (8, "state: closed at ticks 4000"),
            (8, "ns since 1970"),
            (8, "monotonic ns"),
            (8, "one thread"),
            (4, "thread 0"),
            (4, "no open calls"),
            (8, "its ring is stored to position 112"),
            (8, "no ticks yet"),
        ];
        return text + &lines(&payload, 0, &fields);
    }
}

#[test]
fn the_example_is_what_is_written() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../FORMAT.md");
    let page = std::fs::read_to_string(path).unwrap();
    let (begin, end) = ("<!-- example: begin -->\n", "<!-- example: end -->");
    let (before, rest) = page.split_once(begin).unwrap();
    let (shown, after) = rest.split_once(end).unwrap();
    let made = format!(
        "```\n{}```\n",
        annotated(&example()).lines().map(|l| format!("{}\n", l.trim_end())).collect::<String>()
    );
    if std::env::var_os("REPRISE_BLESS").is_some() {
        std::fs::write(path, format!("{before}{begin}{made}{end}{after}")).unwrap();
        return;
    }
    assert_eq!(shown, made, "set REPRISE_BLESS=1 if the format was meant to change");
}
