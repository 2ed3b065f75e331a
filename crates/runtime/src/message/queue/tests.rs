#![allow(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::message::filter::Filter;
use reprise_d3d12::types::{D3D12_INFO_QUEUE_FILTER, D3D12_INFO_QUEUE_FILTER_DESC};

type Category = D3D12_MESSAGE_CATEGORY;
type Severity = D3D12_MESSAGE_SEVERITY;

fn kind(category: Category, severity: Severity, id: i32) -> Kind {
    Kind { category, severity, id: D3D12_MESSAGE_ID(id) }
}

const ERROR: Kind = Kind { category: Category::EXECUTION, severity: Severity::ERROR, id: D3D12_MESSAGE_ID(1) };
const WARNING: Kind = Kind { category: Category::SHADER, severity: Severity::WARNING, id: D3D12_MESSAGE_ID(2) };
const INFO: Kind = Kind { category: Category::CLEANUP, severity: Severity::INFO, id: D3D12_MESSAGE_ID(3) };

/// A filter as programs write it.
fn filter(deny: bool, categories: &mut [Category], severities: &mut [Severity], ids: &mut [i32]) -> Filter {
    let list = D3D12_INFO_QUEUE_FILTER_DESC {
        NumCategories: categories.len() as u32,
        pCategoryList: categories.as_mut_ptr(),
        NumSeverities: severities.len() as u32,
        pSeverityList: severities.as_mut_ptr(),
        NumIDs: ids.len() as u32,
        pIDList: ids.as_mut_ptr().cast(),
    };
    let mut filter = D3D12_INFO_QUEUE_FILTER::default();
    *if deny { &mut filter.DenyList } else { &mut filter.AllowList } = list;
    // SAFETY: the arrays are as long as they say.
    unsafe { Filter::read(&filter) }.unwrap()
}

/// Which of the three messages pass.
fn passing(filter: &Filter) -> [bool; 3] {
    [ERROR, WARNING, INFO].map(|kind| filter.passes(&kind))
}

#[test]
fn lists_allow_and_deny() {
    assert_eq!(passing(&Filter::default()), [true; 3]);
    assert_eq!(passing(&filter(true, &mut [], &mut [Severity::INFO], &mut [])), [true, true, false]);
    assert_eq!(passing(&filter(true, &mut [Category::EXECUTION], &mut [], &mut [2])), [false, false, true]);
    assert_eq!(
        passing(&filter(false, &mut [], &mut [Severity::ERROR, Severity::WARNING], &mut [])),
        [true, true, false]
    );
    assert_eq!(passing(&filter(false, &mut [Category::SHADER], &mut [Severity::ERROR], &mut [])), [false; 3]);
    let mut both = filter(false, &mut [], &mut [Severity::ERROR], &mut []);
    both.add(filter(true, &mut [], &mut [], &mut [1]));
    assert_eq!(passing(&both), [false; 3], "what is denied is not allowed");
}

#[test]
fn a_filter_is_read_as_it_was_written() {
    let mut written = filter(true, &mut [Category::SHADER], &mut [Severity::INFO, Severity::ERROR], &mut [7, 8, 9]);
    written.add(filter(false, &mut [Category::CLEANUP], &mut [], &mut []));
    assert_eq!(written.size(), 96 + 4 * 7);
    let mut room = vec![0u64; written.size().div_ceil(8) + 1];
    *room.last_mut().unwrap() = 0x5a5a;
    let place = room.as_mut_ptr().cast::<D3D12_INFO_QUEUE_FILTER>();
    // SAFETY: the room is large enough; what was written is a filter.
    let read = unsafe {
        written.write(place);
        Filter::read(&*place)
    };
    assert_eq!((read, room.last()), (Some(written), Some(&0x5a5a)));
    let broken = D3D12_INFO_QUEUE_FILTER {
        DenyList: D3D12_INFO_QUEUE_FILTER_DESC { NumIDs: 1, ..Default::default() },
        ..Default::default()
    };
    // SAFETY: the missing array is null.
    assert_eq!(unsafe { Filter::read(&broken) }, None);
}

#[test]
fn new_messages_push_old_ones_out() {
    let queue = Queue::default();
    assert_eq!(queue.limit(), 1024);
    queue.set_limit(2);
    ["a", "b", "c"].iter().for_each(|text| queue.add(ERROR, text));
    assert_eq!(queue.message(0).unwrap().text.to_str(), Ok("b"));
    let counts = queue.counts();
    assert_eq!((counts.stored, counts.allowed, counts.discarded), (2, 3, 1));
    queue.set_limit(u64::MAX);
    (0..2000).for_each(|_| queue.add(ERROR, "more"));
    assert_eq!(queue.counts().stored, 2002);
    queue.clear();
    assert_eq!((queue.counts().stored, queue.message(0).is_none()), (0, true));
}

#[test]
fn the_top_of_each_stack_is_in_force() {
    let queue = Queue::default();
    queue.filters(Which::Storage, |stack| stack.push(filter(true, &mut [], &mut [Severity::INFO], &mut [])));
    [ERROR, WARNING, INFO].iter().for_each(|kind| queue.add(*kind, "first"));
    queue.filters(Which::Storage, |stack| stack.push(Filter::default()));
    queue.add(INFO, "second");
    queue.filters(Which::Storage, Vec::pop);
    queue.add(INFO, "third");
    let counts = queue.counts();
    assert_eq!((counts.stored, counts.allowed, counts.denied), (3, 3, 2));
    queue.filters(Which::Retrieval, |stack| stack.push(filter(false, &mut [], &mut [Severity::INFO], &mut [])));
    assert_eq!((queue.counts().stored, queue.counts().seen), (3, 1));
    assert_eq!(queue.message(0).unwrap().text.to_str(), Ok("second"));
    assert!(queue.message(1).is_none());
}

#[test]
fn breaks_are_kept_by_kind() {
    let queue = Queue::default();
    let on = Break::Severity(Severity::ERROR);
    queue.set_break(on, true);
    assert!(queue.breaks(on) && !queue.breaks(Break::Category(Category::MISCELLANEOUS)));
    queue.set_break(on, false);
    assert!(!queue.breaks(on));
}

struct Heard {
    queue: Queue,
    severities: Mutex<Vec<i32>>,
}

unsafe extern "C" fn hear(
    _: Category,
    severity: Severity,
    _: D3D12_MESSAGE_ID,
    text: *const core::ffi::c_char,
    context: *mut c_void,
) {
    // SAFETY: the test's own, which outlives the callback.
    let heard = unsafe { &*context.cast::<Heard>() };
    // SAFETY: a message's text.
    assert_eq!(unsafe { CStr::from_ptr(text) }.to_str(), Ok("text"));
    heard.severities.lock().unwrap().push(severity.0);
    // Neither blocks nor comes back here.
    heard.queue.add(kind(Category::CLEANUP, Severity::MESSAGE, 0), "inner");
}

#[test]
fn callbacks_hear_what_passes_or_all() {
    for (all, expected) in [(false, vec![1]), (true, vec![1, 3])] {
        let heard = Heard { queue: Queue::default(), severities: Mutex::default() };
        let context = core::ptr::from_ref(&heard).cast_mut().cast();
        heard.queue.filters(Which::Storage, |stack| stack.push(filter(true, &mut [], &mut [Severity::INFO], &mut [])));
        let cookie = heard.queue.register(Callback { function: hear, context, all });
        assert_ne!(cookie, 0);
        heard.queue.add(ERROR, "text");
        heard.queue.add(INFO, "text");
        assert!(heard.queue.unregister(cookie) && !heard.queue.unregister(cookie));
        heard.queue.add(ERROR, "nobody hears it");
        assert_eq!(*heard.severities.lock().unwrap(), expected);
        assert_eq!(heard.queue.message(1).unwrap().text.to_str(), Ok("inner"), "it is stored all the same");
    }
}
