//! The merge against a model of a program: threads that take numbers, publish, and synchronise with each other, while a
//! reader looks at their streams at arbitrary instants.
//!
//! The model runs the program step by step and remembers what happened before what; it knows nothing of the merge's rules.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use reprise_trace::merge::{Item, Merge, Resolved};
use reprise_trace::record::{AFTER, HEADER, Header, Kind, ORDERED, SEQUENCE};

/// One step of a thread of the program.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// Takes what its next record needs (numbers, the look at the counter); the record is written but not published.
    Begin { sequenced: bool, object: Option<u8> },
    /// Publishes it.
    Publish,
    /// Waits for everything that the other thread has done so far.
    Join(u8),
    /// The reader looks at one stream.
    Look,
}

fn step() -> impl Strategy<Value = (u8, Step)> {
    let begin =
        (any::<bool>(), prop::option::of(0..3u8)).prop_map(|(sequenced, object)| Step::Begin { sequenced, object });
    let kinds =
        prop_oneof![4 => begin, 4 => Just(Step::Publish), 1 => (0..4u8).prop_map(Step::Join), 2 => Just(Step::Look)];
    (0..4u8, kinds)
}

#[derive(Clone, Debug)]
struct Made {
    thread: usize,
    sequence: u64,
    object: Option<(u8, u32)>,
    /// How many records of each thread happened before this one: a vector clock.
    before: [usize; 4],
}

#[derive(Default)]
struct Thread {
    bytes: Vec<u8>,
    published: usize,
    /// Records published.
    count: usize,
    pending: Option<usize>,
    seen: u64,
    /// Of each thread, how many records have happened before now.
    clock: [usize; 4],
}

struct Program {
    threads: Vec<Thread>,
    made: Vec<Made>,
    next_sequence: u64,
    /// Who works on an object, its next ordinal, and all that happened before its last call.
    objects: Vec<(Option<usize>, u32, [usize; 4])>,
}

impl Program {
    fn new() -> Program {
        Program {
            threads: (0..4).map(|_| Thread::default()).collect(),
            made: Vec::new(),
            next_sequence: 1,
            objects: vec![(None, 0, [0; 4]); 3],
        }
    }

    fn begin(&mut self, t: usize, sequenced: bool, object: Option<u8>) {
        if self.threads[t].pending.is_some() {
            return;
        }
        // The program owes the API external synchronisation on an object: nobody else may be inside, and who comes next
        // comes after.
        let mut flags = 0;
        let mut ordered = None;
        if let Some(o) = object {
            let (owner, next, clock) = &mut self.objects[o as usize];
            if owner.is_some() {
                return;
            }
            *owner = Some(t);
            ordered = Some((o, *next));
            *next += 1;
            flags |= ORDERED;
            let clock = *clock;
            join(&mut self.threads[t].clock, &clock);
        }
        let thread = &mut self.threads[t];
        let mut words = Vec::new();
        let mut sequence = 0;
        if sequenced {
            flags |= SEQUENCE;
            sequence = self.next_sequence;
            self.next_sequence += 1;
            thread.seen = sequence + 1;
            words.push(sequence);
        } else if thread.seen != self.next_sequence {
            flags |= AFTER;
            thread.seen = self.next_sequence;
            words.push(self.next_sequence);
        }
        words.push(self.made.len() as u64);
        let (object, ordinal) = ordered.map_or((0, 0), |(o, n)| (u32::from(o) + 1, n));
        let size = (HEADER + 8 * words.len()) as u32;
        let kind = if self.made.len().is_multiple_of(5) { Kind::Observe } else { Kind::Enter } as u8;
        thread.bytes.extend(Header { size, method: 0, kind, flags, object, ordinal }.to_bytes());
        words.iter().for_each(|w| thread.bytes.extend(w.to_le_bytes()));
        thread.pending = Some(self.made.len());
        self.made.push(Made { thread: t, sequence, object: ordered, before: thread.clock });
    }

    fn publish(&mut self, t: usize) {
        let thread = &mut self.threads[t];
        let Some(made) = thread.pending.take() else { return };
        thread.published = thread.bytes.len();
        thread.count += 1;
        thread.clock[t] = thread.count;
        if let Some((o, _)) = self.made[made].object {
            self.objects[o as usize].0 = None;
            self.objects[o as usize].2 = thread.clock;
        }
    }
}

fn join(clock: &mut [usize; 4], other: &[usize; 4]) {
    clock.iter_mut().zip(other).for_each(|(c, o)| *c = (*c).max(*o));
}

fn drain(merge: &mut Merge, streams: &mut [Vec<u8>], order: &mut Vec<usize>) {
    loop {
        // As the writer does: the short way where it goes, one at a time or many.
        let mut most = 1 + order.len() % 3;
        merge.take_light(streams, |_, whole| {
            order.push(u64::from_le_bytes(*whole[HEADER..].first_chunk().unwrap()) as usize);
            most -= 1;
            most > 0
        });
        let Some(item) = merge.next(streams) else { return };
        let Item::Record { record, late, .. } = item else { panic!("{item:?}") };
        assert!(!late);
        order.push(u64::from_le_bytes(*record.payload.first_chunk().unwrap()) as usize);
    }
}

/// Runs the program, the reader looking at one stream per `Look`, round after round; gives the order found.
fn run(steps: &[(u8, Step)]) -> (Program, Vec<usize>) {
    let mut program = Program::new();
    let mut merge = Merge::default();
    (0..4).for_each(|_| assert!(merge.add_stream(0) < 4));
    let (mut order, mut looking, mut heads) = (Vec::new(), 0, [0u64; 4]);
    for &(t, step) in steps {
        let t = usize::from(t);
        match step {
            Step::Begin { sequenced, object } => program.begin(t, sequenced, object),
            Step::Publish => program.publish(t),
            Step::Join(other) => {
                let clock = program.threads[usize::from(other)].clock;
                join(&mut program.threads[t].clock, &clock);
            }
            Step::Look => {
                heads[looking] = program.threads[looking].published as u64;
                looking += 1;
                if looking == 4 {
                    looking = 0;
                    heads.iter().enumerate().for_each(|(i, h)| merge.advance(i, *h));
                    let mut streams: Vec<_> = program.threads.iter().map(|t| t.bytes.clone()).collect();
                    drain(&mut merge, &mut streams, &mut order);
                }
            }
        }
    }
    (0..4).for_each(|t| program.publish(t));
    let mut streams: Vec<_> = program.threads.iter().map(|t| t.bytes.clone()).collect();
    for _ in 0..2 {
        streams.iter().enumerate().for_each(|(i, s)| merge.advance(i, s.len() as u64));
        drain(&mut merge, &mut streams, &mut order);
    }
    assert!(merge.is_drained(), "with all records there, nothing waits");
    (program, order)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn whatever_happened_before_a_call_stands_before_it(steps in prop::collection::vec(step(), 0..160)) {
        let (program, order) = run(&steps);
        let mut place = vec![usize::MAX; program.made.len()];
        for (at, made) in order.iter().enumerate() {
            prop_assert_eq!(place[*made], usize::MAX, "given twice");
            place[*made] = at;
        }
        prop_assert_eq!(order.len(), program.made.len(), "every record, once");
        let sequences: Vec<u64> = order.iter().map(|&m| program.made[m].sequence).filter(|&s| s != 0).collect();
        prop_assert_eq!(&sequences, &(1..program.next_sequence).collect::<Vec<_>>());
        for object in 0..3 {
            let ordinals: Vec<u32> =
                order.iter().filter_map(|&m| program.made[m].object).filter(|o| o.0 == object).map(|o| o.1).collect();
            prop_assert_eq!(&ordinals, &(0..ordinals.len() as u32).collect::<Vec<_>>());
        }
        // Two calls without a number on different objects know nothing of each other; everything else is in the order in
        // which it happened.
        let mut of_thread: [Vec<usize>; 4] = Default::default();
        program.made.iter().enumerate().for_each(|(i, m)| of_thread[m.thread].push(i));
        for (i, made) in program.made.iter().enumerate() {
            for (t, records) in of_thread.iter().enumerate() {
                for &earlier in &records[..made.before[t]] {
                    let e = &program.made[earlier];
                    let same = made.object.is_some() && made.object.map(|o| o.0) == e.object.map(|o| o.0);
                    if made.sequence != 0 || e.sequence != 0 || same || e.thread == made.thread {
                        prop_assert!(place[earlier] < place[i], "{:?} before {:?}", e, made);
                    }
                }
            }
        }
    }

    /// A crash: the last, unpublished record of each thread never appears, and some threads lose more. Everything that is
    /// there is given once, and what is missing is named.
    #[test]
    fn after_a_crash_everything_that_is_left_is_given(
        steps in prop::collection::vec(step(), 0..160),
        keep in prop::array::uniform4(0..30usize),
    ) {
        let mut program = Program::new();
        for &(t, step) in &steps {
            match step {
                Step::Begin { sequenced, object } => program.begin(usize::from(t), sequenced, object),
                Step::Publish => program.publish(usize::from(t)),
                Step::Join(_) | Step::Look => {}
            }
        }
        let mut merge = Merge::default();
        let mut left = 0;
        let mut streams = Vec::new();
        for (thread, keep) in program.threads.iter().zip(keep) {
            let mut end = 0;
            for _ in 0..keep {
                if end < thread.published {
                    end += u32::from_le_bytes(*thread.bytes[end..].first_chunk().unwrap()) as usize;
                    left += 1;
                }
            }
            merge.add_stream(0);
            streams.push(thread.bytes[..end].to_vec());
        }
        let mut given = Vec::new();
        let mut missing = 0;
        for _ in 0..2 {
            streams.iter().enumerate().for_each(|(i, s)| merge.advance(i, s.len() as u64));
        }
        loop {
            while let Some(item) = merge.next(&mut streams[..]) {
                let Item::Record { record, .. } = item else { panic!("{item:?}") };
                given.push(u64::from_le_bytes(*record.payload.first_chunk().unwrap()) as usize);
            }
            match merge.resolve(&mut streams[..]) {
                Resolved::Nothing => break,
                Resolved::Ready => {}
                Resolved::Gap(gap) => missing += gap.count,
            }
        }
        prop_assert!(merge.is_drained());
        prop_assert_eq!(given.len(), left);
        let sequences: Vec<u64> = given.iter().map(|&m| program.made[m].sequence).filter(|&s| s != 0).collect();
        prop_assert!(sequences.is_sorted(), "even then in order: {:?}", sequences);
        let last = sequences.last().copied().unwrap_or(0);
        prop_assert!(last - sequences.len() as u64 <= missing, "what is missing is named");
        given.sort_unstable();
        given.dedup();
        prop_assert_eq!(given.len(), left, "once");
    }

    /// Streams of arbitrary bytes: no panic, no endless loop, and the rest of the streams is given.
    #[test]
    fn damaged_streams_end_with_a_gap(mut streams in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..200), 1..4)) {
        let mut good = Vec::new();
        for i in 0..10u64 {
            good.extend(Header { size: 24, kind: Kind::Observe as u8, ..Header::default() }.to_bytes());
            good.extend(i.to_le_bytes());
        }
        streams.push(good);
        let mut merge = Merge::default();
        let last = streams.len() - 1;
        streams.iter().for_each(|_| { merge.add_stream(0); });
        for _ in 0..2 {
            streams.iter().enumerate().for_each(|(i, s)| merge.advance(i, s.len() as u64));
        }
        let (mut count, mut rounds) = (0, 0);
        loop {
            while let Some(item) = merge.next(&mut streams[..]) {
                count += usize::from(matches!(item, Item::Record { stream, .. } if stream == last));
                rounds += 1;
                prop_assert!(rounds < 1000);
            }
            rounds += 1;
            prop_assert!(rounds < 1000);
            if merge.resolve(&mut streams[..]) == Resolved::Nothing {
                break;
            }
        }
        prop_assert_eq!(count, 10);
        prop_assert!(merge.is_drained());
    }
}
