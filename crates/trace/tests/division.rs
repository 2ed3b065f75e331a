//! Frames by submissions, against a model that counts them in the calls that were written.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use reprise_trace::layout::FileHeader;
use reprise_trace::read::{Ends, Events, Trace};
use reprise_trace::record::{FrameSource, Header, Kind, LEAVES, ORDERED, Record, SEQUENCE};
use reprise_trace::trace_writer::{Progress, TraceWriter};

/// Ends a frame where submissions do.
const SUBMIT: u16 = 6;

/// What a program does, each as some records.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// Does not return.
    Draw,
    /// Returns at once.
    Submit,
    /// A submission of a recording that does not say when it returned.
    Brief,
    /// Another call begins and ends while the submission runs.
    Around,
    /// A frame boundary of the program's own.
    Present,
    /// The next record is of another chunk.
    Chunk,
}

fn record(kind: Kind, method: u16, flags: u8, words: &[u64]) -> Vec<u8> {
    let size = (16 + 8 * words.len()) as u32;
    let mut bytes = Header { size, method, kind: kind as u8, flags, object: 1, ordinal: 0 }.to_bytes().to_vec();
    words.iter().for_each(|word| bytes.extend(word.to_le_bytes()));
    bytes
}

/// The trace, and by the model the frame of each of its records.
fn write(steps: &[Step]) -> (Trace, Vec<u32>) {
    let mut file = TraceWriter::create(Vec::new(), &FileHeader::default(), Default::default()).unwrap();
    let threads = [file.add_thread(0, 1, ""), file.add_thread(1, 2, "")];
    let (mut frames, mut frame, mut sequence) = (Vec::new(), 0, 0);
    let mut number = || {
        sequence += 1;
        sequence
    };
    for step in steps {
        let mut enter = |method, flags| record(Kind::Enter, method, SEQUENCE | flags, &[number(), 1]);
        let leave = |method, number| record(Kind::Leave, method, SEQUENCE, &[number, 0]);
        // Records with their threads.
        let records = match step {
            Step::Draw => vec![(0, record(Kind::Enter, 9, ORDERED, &[3]))],
            Step::Submit => vec![(0, enter(SUBMIT, LEAVES)), (0, leave(SUBMIT, number()))],
            Step::Brief => vec![(0, enter(SUBMIT, 0))],
            Step::Around => {
                let [outer, inner] = [enter(SUBMIT, LEAVES), enter(5, LEAVES)];
                vec![(0, outer), (1, inner), (1, leave(5, number())), (0, leave(SUBMIT, number()))]
            }
            Step::Present => vec![(0, record(Kind::Frame, 0, SEQUENCE, &[number(), 1]))],
            Step::Chunk => {
                file.flush(false, |_| Progress::default()).unwrap();
                continue;
            }
        };
        for (thread, bytes) in &records {
            frames.push(frame);
            file.record(threads[*thread], &Record::parse(bytes).unwrap(), false);
        }
        frame += u32::from(!matches!(step, Step::Draw));
    }
    let bytes = file.finish(vec![], |_| Progress::default(), &|_| Vec::new()).unwrap().0;
    (Trace::from_bytes(bytes).unwrap(), frames)
}

/// Frame, kind and number of each event; how it was asked for must not matter.
fn brief(mut events: Events<'_>, calls_first: bool) -> Vec<(u32, Kind, u64)> {
    let mut found = Vec::new();
    loop {
        // Readers in a hurry ask for calls, and hand back those that they want to see whole.
        if calls_first && events.call().is_some() {
            events.give_back();
        }
        let Some(event) = events.next().unwrap() else { return found };
        found.push((event.frame, event.kind, event.number));
    }
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let one = prop_oneof![
        Just(Step::Draw),
        Just(Step::Submit),
        Just(Step::Brief),
        Just(Step::Around),
        Just(Step::Chunk),
        Just(Step::Chunk)
    ];
    proptest::collection::vec(one, 0..40)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn submissions_end_frames_wherever_reading_begins(steps in steps()) {
        let (trace, frames) = write(&steps);
        let recorded = brief(trace.events(), false);
        prop_assert!(recorded.iter().all(|(frame, ..)| *frame == 0));
        trace.end_frames_by_submissions(SUBMIT);
        let all = brief(trace.events(), false);
        prop_assert_eq!(&brief(trace.events(), true), &all);
        prop_assert_eq!(&trace.events_ahead(|events| brief(events, true)), &all);
        prop_assert_eq!(&brief(trace.events_as_recorded(), false), &recorded);
        // Without the ends of frames these are the records, each in the model's frame.
        let records: Vec<_> = all.iter().filter(|(_, kind, _)| *kind != Kind::Frame).collect();
        prop_assert_eq!(records.iter().map(|(frame, ..)| *frame).collect::<Vec<_>>(), frames);
        prop_assert_eq!(records.len(), recorded.len());
        let ends: Vec<u32> = all.iter().filter(|(_, kind, _)| *kind == Kind::Frame).map(|(frame, ..)| *frame).collect();
        prop_assert_eq!(&ends, &(0..trace.frame_count()).collect::<Vec<_>>());
        for from in 0..=trace.frame_count() {
            for to in [from + 1, u32::MAX] {
                let wanted: Vec<_> = all.iter().filter(|(frame, ..)| (from..to).contains(frame)).copied().collect();
                // A trace that was just opened has counted nothing.
                let (again, _) = write(&steps);
                again.end_frames_by_submissions(SUBMIT);
                prop_assert_eq!(brief(again.frames(from..to), false), wanted);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Frames end with the calls that a reader chose, and not where it was recorded.
    #[test]
    fn chosen_calls_end_frames_wherever_reading_begins(steps in steps(), presents in 0usize..3, wanted: u64) {
        let steps: Vec<Step> = steps.into_iter().flat_map(|step| [step].into_iter().chain([Step::Present; 2].into_iter().take(presents))).collect();
        let (trace, _) = write(&steps);
        let recorded = brief(trace.events(), false);
        let submits: Vec<u64> = submits_of(&trace).into_iter().filter(|call| wanted >> (call % 64) & 1 == 1).collect();
        let ends = Ends { calls: submits.clone(), source: FrameSource::Marker, surface: 0, by: "marker=x".into() };
        prop_assert!(trace.end_frames(ends.clone()));
        prop_assert!(!trace.end_frames(ends.clone()), "the first to say it decides");
        let all = brief(trace.events(), false);
        prop_assert_eq!(&brief(trace.events(), true), &all);
        prop_assert_eq!(&trace.events_ahead(|events| brief(events, true)), &all);
        prop_assert_eq!(&brief(trace.events_as_recorded(), false), &recorded);
        // Without ends of frames these are the same records; each end stands behind its call.
        let calls = |events: &[(u32, Kind, u64)]| events.iter().filter(|(_, kind, _)| *kind != Kind::Frame).map(|(_, kind, number)| (*kind, *number)).collect::<Vec<_>>();
        prop_assert_eq!(calls(&all), calls(&recorded));
        let behind: Vec<u64> = all.windows(2).filter(|pair| pair[1].1 == Kind::Frame).map(|pair| pair[0].2).collect();
        prop_assert_eq!(behind, submits);
        for from in 0..=trace.frame_count() {
            let wanted: Vec<_> = all.iter().filter(|(frame, ..)| (from..from + 1).contains(frame)).copied().collect();
            let (again, _) = write(&steps);
            again.end_frames(ends.clone());
            prop_assert_eq!(brief(again.frames(from..from + 1), false), wanted);
        }
    }
}

/// The calls that submit.
fn submits_of(trace: &Trace) -> Vec<u64> {
    let (mut events, mut found) = (trace.events_as_recorded(), Vec::new());
    while let Some(event) = events.next().unwrap() {
        if event.kind == Kind::Enter && event.method == SUBMIT {
            found.push(event.number);
        }
    }
    found
}

/// The control: with a boundary of the program's own submissions end none.
#[test]
fn a_trace_with_frames_keeps_them() {
    let (trace, _) = write(&[Step::Submit, Step::Chunk, Step::Submit, Step::Present, Step::Draw]);
    let before = brief(trace.events(), false);
    trace.end_frames_by_submissions(SUBMIT);
    assert!(!trace.is_by_submissions());
    assert_eq!((trace.frame_count(), brief(trace.events(), false)), (1, before));
}
