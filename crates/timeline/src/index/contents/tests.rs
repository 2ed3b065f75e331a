#![allow(clippy::unwrap_used)]

use super::*;
use proptest::prelude::*;
use reprise_d3d12::{MODEL, method};
use reprise_trace::layout::FileHeader;
use reprise_trace::record::{Header, LEAVES, Record, SEQUENCE, TICKS};
use reprise_trace::trace_writer::{Progress, TraceWriter};

/// Calls of a chunk.
const CHUNK: usize = 16;

/// A call: its method, its object, ticks since the one before, and whether it waits until some calls later to leave.
type Made = (u8, u32, u16, bool);

fn methods() -> [u16; 5] {
    ["Close", "Reset", "DrawInstanced", "Dispatch", "CopyResource"]
        .map(|name| method("ID3D12GraphicsCommandList", name).0)
}

fn trace(calls: &[Made]) -> Trace {
    trace_with(calls, |number| vec![number as u64])
}

/// A trace of calls with these arguments, by the number of the call from 0.
fn trace_with(calls: &[Made], words: impl Fn(usize) -> Vec<u64>) -> Trace {
    let mut file = TraceWriter::create(Vec::new(), &FileHeader::default(), Default::default()).unwrap();
    let threads = [file.add_thread(0, 1, ""), file.add_thread(1, 2, "")];
    let (mut sequence, mut waiting) = (0, None);
    for (number, (kind, object, ticks, leaves)) in calls.iter().enumerate() {
        let method = methods()[usize::from(*kind)];
        let mut record = |thread: usize, kind: Kind, flags: u8, method: u16, words: &[u64]| {
            sequence += 1;
            let flags = flags | SEQUENCE | TICKS;
            let size = (32 + 8 * words.len()) as u32;
            let header = Header { size, method, kind: kind as u8, flags, object: *object, ordinal: 0 };
            let mut bytes = header.to_bytes().to_vec();
            bytes.extend(u64::to_le_bytes(sequence));
            bytes.extend(u64::to_le_bytes(1000 * number as u64 + u64::from(*ticks)));
            words.iter().for_each(|word| bytes.extend(word.to_le_bytes()));
            file.record(threads[thread], &Record::parse(&bytes).unwrap(), false);
        };
        // A long call runs on a thread of its own.
        if *leaves {
            if let Some(method) = waiting.take() {
                record(1, Kind::Leave, 0, method, &[0]);
            }
            record(1, Kind::Enter, LEAVES, method, &[0]);
            waiting = Some(method);
        } else {
            record(0, Kind::Enter, 0, method, &words(number));
        }
        if number % CHUNK == CHUNK - 1 {
            assert!(file.flush(false, |_| Progress::default()).unwrap());
        }
    }
    let schema = |methods: &[u16]| reprise_codec::schema::of(&MODEL, methods);
    let (bytes, _) = file.finish(vec![], |_| Progress::default(), &schema).unwrap();
    Trace::from_bytes(bytes).unwrap()
}

/// Kind, number, method, object and time of the events that are sought.
fn sought_in(mut events: reprise_trace::read::Events<'_>, sought: &Sought<'_>) -> Vec<(u8, u64, u16, u32, u64)> {
    let mut found = Vec::new();
    while let Some(event) = events.next().unwrap() {
        let method = sought.methods.is_none_or(|methods| methods[usize::from(event.method)]);
        let object = sought.objects.is_none_or(|objects| objects.contains(&event.object));
        let is_call = matches!(event.kind, Kind::Enter | Kind::Leave);
        let time = event.kind == Kind::Leave || sought.times.contains(&event.time_ns);
        // A leave has no time that is sought: it is looked for by method and object.
        let by_time = *sought.times.start() > 0 || *sought.times.end() < u64::MAX;
        if is_call && method && object && time && !(by_time && event.kind == Kind::Leave) {
            found.push((event.kind as u8, event.number, event.method, event.object, event.time_ns));
        }
    }
    found
}

fn cache() -> (tempfile::TempDir, Cache) {
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::new(folder.path().to_owned(), 1 << 30);
    (folder, cache)
}

fn calls() -> impl Strategy<Value = Vec<Made>> {
    // Stretches of calls of one method on one object, so that chunks differ.
    let stretch = (0u8..4, 1u32..5, 0u16..900, 1usize..60, prop::bool::weighted(0.2));
    let calls = |(method, object, ticks, count, leaves)| {
        (0..count).map(move |at| (method, object, ticks, leaves && at == 0)).collect::<Vec<Made>>()
    };
    prop::collection::vec(stretch.prop_map(calls), 1..14).prop_map(|all| all.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever is sought: what is found in the chunks that may have it is what is found in all.
    #[test]
    fn no_chunk_is_left_out_that_has_what_is_sought(
        calls in calls(),
        questions in prop::collection::vec((0u8..16, prop::collection::btree_set(1u32..6, 0..3), 0.0..1.0, 0.0..1.0, 0u8..8), 8),
    ) {
        let trace = trace(&calls);
        let (_folder, cache) = cache();
        let contents = [Contents::open(&trace, &cache).unwrap(), Contents::open(&trace, &cache).unwrap()];
        prop_assert_eq!(&contents[0], &contents[1], "what was kept is what was made");
        prop_assert!(Contents::find(&trace, &cache).is_some());
        let last = trace.statistics().duration_ns.max(1) as f64;
        for (some, objects, from, length, parts) in questions {
            let mut methods = vec![false; MODEL.methods.len()];
            methods.iter_mut().enumerate().for_each(|(at, wanted)| {
                let known = methods_at(at as u16);
                *wanted = known.is_some_and(|known| some >> known & 1 != 0);
            });
            let from = (from * last) as u64;
            let sought = Sought {
                methods: (parts & 1 != 0).then_some(&methods[..]),
                objects: (parts & 2 != 0).then_some(&objects),
                named: &[],
                times: if parts & 4 != 0 { from..=from + (length * last / 4.0) as u64 } else { 0..=u64::MAX },
            };
            let chosen = contents[0].stretches(&sought);
            prop_assert_eq!(sought_in(trace.events().only(chosen), &sought), sought_in(trace.events(), &sought));
        }
    }
}

/// Which of [`methods`] has this number.
fn methods_at(number: u16) -> Option<usize> {
    methods().iter().position(|method| *method == number)
}

#[test]
fn chunks_without_a_method_are_left_out() {
    let calls: Vec<Made> = (0..400).map(|at| (u8::from(at >= 200), 7, 0, false)).collect();
    let trace = trace(&calls);
    let contents = Contents::of(&trace).unwrap();
    let mut wanted = vec![false; MODEL.methods.len()];
    wanted[usize::from(methods()[1])] = true;
    let sought = Sought { methods: Some(&wanted), objects: None, named: &[], times: 0..=u64::MAX };
    let chosen = contents.stretches(&sought);
    let half = 200usize.div_ceil(CHUNK);
    assert_eq!(chosen.iter().filter(|wanted| **wanted).count(), half, "{chosen:?}");
    assert_eq!(chosen.len(), 2 * half - 1);
}

/// The first half copies 11 to 10, the second one 21 to 20.
#[test]
fn chunks_whose_copies_name_other_objects_are_left_out() {
    const COPY: u8 = 4;
    let half = 12 * CHUNK;
    let calls: Vec<Made> = (0..2 * half).map(|_| (COPY, 7, 0, false)).collect();
    let trace = trace_with(&calls, |number| if number < half { vec![10, 11] } else { vec![20, 21] });
    let contents = Contents::of(&trace).unwrap();
    let mut copies = vec![false; MODEL.methods.len()];
    copies[usize::from(methods()[usize::from(COPY)])] = true;
    let mut more = copies.clone();
    more[usize::from(methods()[0])] = true;
    let chosen = |methods: Option<&[bool]>, named: &[&[u32]]| {
        let named: Vec<BTreeSet<u32>> = named.iter().map(|ids| ids.iter().copied().collect()).collect();
        let sought = Sought { methods, objects: None, named: &named, times: 0..=u64::MAX };
        let chosen = contents.stretches(&sought);
        assert_eq!(chosen.len(), 24);
        (chosen[..12].iter().filter(|is| **is).count(), chosen[12..].iter().filter(|is| **is).count())
    };
    assert_eq!(chosen(Some(&copies), &[&[20]]), (0, 12));
    assert_eq!(chosen(Some(&copies), &[&[10, 99]]), (12, 0));
    assert_eq!(chosen(Some(&copies), &[&[10], &[11]]), (12, 0));
    assert_eq!(chosen(Some(&copies), &[&[10], &[21]]), (0, 0));
    assert_eq!(chosen(Some(&copies), &[&[99]]), (0, 0));
    // Of other methods it is not known what they name.
    assert_eq!(chosen(Some(&more), &[&[20]]), (12, 12));
    assert_eq!(chosen(None, &[&[20]]), (12, 12));
}

#[test]
fn a_chunk_of_which_not_all_is_known_may_have_anything() {
    let last = MODEL.methods.len();
    let seen = |method: usize, object: u32, damage: bool| {
        let method = Some(method as u16);
        Seen { method, object, named: Named::Nothing, time_ns: Some(5), damage }
    };
    let mut taker = Taker::default();
    (0..=MOST_OBJECTS as u32).for_each(|at| taker.take(&seen(0, 1 + at, false), 1));
    taker.take(&seen(last, 1, false), 2);
    // The third stretch has no event.
    taker.take(&seen(0, 1, true), 4);
    let contents = taker.finish();
    let objects = [BTreeSet::from([1]), BTreeSet::from([1 << 20])];
    let mut foreign = vec![false; last + 1];
    foreign[last] = true;
    let too_many = Sought { methods: None, objects: Some(&objects[1]), named: &[], times: 0..=u64::MAX };
    assert_eq!(contents.stretches(&too_many), [true, false, false, true]);
    let unknown = Sought { methods: Some(&foreign[..]), objects: Some(&objects[0]), named: &[], times: 0..=u64::MAX };
    assert_eq!(contents.stretches(&unknown), [false, true, false, true]);
}

/// A file that is damaged, of another trace, or of another source is made anew: the answers stay.
#[test]
fn a_hostile_file_is_not_believed() {
    let (trace, other) = (trace(&[(0, 1, 0, false); 200]), trace(&[(2, 3, 0, false); 300]));
    let (_folder, cache) = cache();
    let contents = Contents::open(&trace, &cache).unwrap();
    let path = cache.path(trace.identity(), Kept::Contents);
    let whole = std::fs::read(&path).unwrap();
    Contents::open(&other, &cache).unwrap();
    let stranger = std::fs::read(cache.path(other.identity(), Kept::Contents)).unwrap();
    let flipped = (0..whole.len()).map(|at| {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x21;
        bytes
    });
    let cut = [0, 10, 64, whole.len() - 1].map(|length| whole[..length].to_vec());
    let mut index = whole.clone();
    index[..8].copy_from_slice(b"RPRSTATE");
    for bytes in flipped.chain(cut).chain([stranger, index, [&whole[..], &[0]].concat()]) {
        std::fs::write(&path, &bytes).unwrap();
        assert_eq!(Contents::find(&trace, &cache), None);
        assert_eq!(Contents::open(&trace, &cache).unwrap(), contents);
    }
}
