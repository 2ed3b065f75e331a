#![allow(clippy::unwrap_used)]

use super::*;
use crate::state::lists::RootArgument;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::{MODEL, method};
use reprise_trace::layout::FileHeader;
use reprise_trace::record::{Header, LEAVES, ORDERED, Record, SEQUENCE};
use reprise_trace::trace_writer::{Progress, TraceWriter};

const LIST: u32 = 5;
const CALLS: u64 = 5000;
const EVERY: u64 = 900;

fn record(kind: Kind, method: MethodId, flags: u8, words: &[u64]) -> Vec<u8> {
    let size = (16 + 8 * words.len()) as u32;
    let header = Header { size, method: method.0, kind: kind as u8, flags, object: LIST, ordinal: 0 };
    let mut bytes = header.to_bytes().to_vec();
    words.iter().for_each(|word| bytes.extend(word.to_le_bytes()));
    bytes
}

/// A list that sets a root constant to the number of the call, again and again; within one call that takes very long.
fn trace() -> Trace {
    let mut file = TraceWriter::create(Vec::new(), &FileHeader::default(), Default::default()).unwrap();
    let threads = [file.add_thread(0, 1, ""), file.add_thread(1, 2, "")];
    let mut put = |thread: usize, bytes: Vec<u8>| file.record(threads[thread], &Record::parse(&bytes).unwrap(), false);
    // Waits from call 1 to the end.
    put(1, record(Kind::Enter, method("ID3D12Fence", "SetEventOnCompletion"), SEQUENCE | LEAVES, &[1, 77, 0]));
    let set = method("ID3D12GraphicsCommandList", "SetGraphicsRoot32BitConstant");
    for number in 2..CALLS {
        // Parameter and word, then the offset of the word.
        put(0, record(Kind::Enter, set, ORDERED, &[number << 32, number % 7]));
    }
    put(1, record(Kind::Leave, method("ID3D12Fence", "SetEventOnCompletion"), SEQUENCE, &[2, 0]));
    put(0, record(Kind::Enter, set, ORDERED, &[CALLS << 32, 0]));
    let schema = |methods: &[u16]| reprise_codec::schema::of(&MODEL, methods);
    let (bytes, _) = file.finish(vec![], |_| Progress::default(), &schema).unwrap();
    Trace::from_bytes(bytes).unwrap()
}

/// What the list has set, and what the fence that the program waits for is known to have reached.
fn seen(moment: &Moment) -> (Vec<Option<u32>>, Option<u64>) {
    let list = moment.state.lists.get(LIST);
    let words = list.and_then(|list| match &list.bound.graphics.arguments.first()?.as_ref()?.value {
        RootArgument::Constants(words) => Some(words.clone()),
        _ => None,
    });
    (words.unwrap_or_default(), moment.state.queues.fence(LIST).map(|fence| fence.reached))
}

/// What must be set when call `call` begins.
fn expected(call: u64) -> Vec<Option<u32>> {
    let mut words = vec![None; 7];
    for number in (2..call.min(CALLS)).rev().take(7) {
        words[(number % 7) as usize].get_or_insert(number as u32);
    }
    let set = words.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
    words.truncate(set);
    words
}

/// After each snapshot, among others.
const ASKED: [u64; 11] = [1, 2, 3, 899, 900, 901, 1801, 2701, 3601, 4999, CALLS];

fn check(index: &mut Index, trace: &Trace, place: &str) {
    for call in ASKED {
        let moment = index.at(trace, call, &mut |_| {}).unwrap();
        assert_eq!(moment.call.number, call, "{place}");
        let reached = if call == CALLS { Some(77) } else { None };
        assert_eq!(seen(&moment), (expected(call), reached), "{place}: call {call}");
    }
}

#[test]
fn the_state_at_any_call_is_that_of_the_walk_there() {
    let (trace, folder) = (trace(), tempfile::tempdir().unwrap());
    let cache = || Some(Cache::new(folder.path().join("made"), 1 << 30));
    let mut index = Index::open_every(EVERY, &trace, cache(), &mut |_| {}).unwrap();
    assert!(index.was_made());
    assert_eq!(index.snapshots().collect::<Vec<_>>(), [900, 1800, 2700, 3600, 4500]);
    check(&mut index, &trace, "made");
    let mut index = Index::open_every(EVERY, &trace, cache(), &mut |_| {}).unwrap();
    assert!(!index.was_made());
    check(&mut index, &trace, "found");
    let waits: Vec<_> =
        index.chronicle().fence_before(LIST, CALLS + 1).map(|event| (event.call, event.value)).collect();
    assert_eq!(waits, [(1, 77)]);
}

#[test]
fn what_is_not_there_is_said() {
    let trace = trace();
    let mut index = Index::open(&trace, None, &mut |_| {}).unwrap();
    for call in [0, CALLS + 1, u64::MAX] {
        assert!(matches!(index.at(&trace, call, &mut |_| {}), Err(IndexError::NoCall { last: CALLS, .. })), "{call}");
    }
}

/// Each flipped byte of a file leads to the same states, by whatever way.
#[test]
fn a_damaged_file_is_made_again() {
    let (trace, folder) = (trace(), tempfile::tempdir().unwrap());
    let cache = Cache::new(folder.path().to_owned(), 1 << 30);
    Index::open_every(EVERY, &trace, Some(cache.clone()), &mut |_| {}).unwrap();
    let path = cache.path(trace.identity(), Kept::Index);
    let whole = std::fs::read(&path).unwrap();
    let (mut made, mut found) = (0, 0);
    for at in (0..whole.len()).step_by(whole.len() / 97 + 1).chain(0..64) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x10;
        std::fs::write(&path, bytes).unwrap();
        let mut index = Index::open_every(EVERY, &trace, Some(cache.clone()), &mut |_| {}).unwrap();
        check(&mut index, &trace, &format!("byte {at}"));
        *if index.was_made() { &mut made } else { &mut found } += 1;
    }
    assert_eq!(found, 0, "every byte matters to one of the calls; {made} times it was made again");
    // A file that was cut, an empty one, and one of another program.
    for bytes in [&whole[..whole.len() / 2], &whole[..10], &[], &[0xff; 4096]] {
        std::fs::write(&path, bytes).unwrap();
        let mut index = Index::open_every(EVERY, &trace, Some(cache.clone()), &mut |_| {}).unwrap();
        assert!(index.was_made());
        check(&mut index, &trace, "cut");
    }
}

#[test]
fn a_cache_that_cannot_be_written_is_no_error() {
    let (trace, folder) = (trace(), tempfile::tempdir().unwrap());
    let file = folder.path().join("file");
    std::fs::write(&file, b"no folder").unwrap();
    let mut index = Index::open_every(EVERY, &trace, Some(Cache::new(file, 1 << 30)), &mut |_| {}).unwrap();
    check(&mut index, &trace, "not written");
}

/// What was used longest ago goes first; what another left unfinished goes when it is old.
#[test]
fn a_cache_is_bounded() {
    let (trace, folder) = (trace(), tempfile::tempdir().unwrap());
    let (cache, other) = (Cache::new(folder.path().to_owned(), 20_000), folder.path().join("00.index"));
    std::fs::write(&other, vec![0; 20_000]).unwrap();
    let file = std::fs::File::options().write(true).open(&other).unwrap();
    file.set_modified(std::time::SystemTime::now() - std::time::Duration::from_secs(60)).unwrap();
    let stranger = folder.path().join("notes.txt");
    std::fs::write(&stranger, b"not ours").unwrap();
    Index::open_every(EVERY, &trace, Some(cache.clone()), &mut |_| {}).unwrap();
    assert!(cache.path(trace.identity(), Kept::Index).exists() && stranger.exists());
    assert!(!other.exists());
}
