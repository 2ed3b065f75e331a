//! `released-in-flight`, `used-after-release`, `allocator-reset`, `list-open`: what the GPU uses lives until it is done.

use crate::rule::{Rule, Severity};
use crate::scene::{Place, Said, Scene};

pub(crate) static IN_FLIGHT: Rule = Rule {
    name: "released-in-flight",
    says: "an object is released only after the program saw a fence that says that the GPU is done with it",
    source: "ID3D12GraphicsCommandList::ResourceBarrier and Residency: \"Direct3D 12 does not defer destruction\"; Work submission in Direct3D 12, \"Object lifetime\"",
};

pub(crate) static AFTER_RELEASE: Rule = Rule {
    name: "used-after-release",
    says: "a list that runs uses nothing that was released since it was recorded",
    source: "Work submission in Direct3D 12: command lists hold no references to the objects that they use",
};

pub(crate) static ALLOCATOR: Rule = Rule {
    name: "allocator-reset",
    says: "an allocator is reset only when no list of it records and the GPU is done with all lists of it",
    source: "ID3D12CommandAllocator::Reset",
};

pub(crate) static OPEN: Rule = Rule {
    name: "list-open",
    says: "a list that runs is closed",
    source: "ID3D12CommandQueue::ExecuteCommandLists; ID3D12GraphicsCommandList::Close",
};

/// A use of an object by a submission.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LastUse {
    pub(crate) queue: u32,
    /// The submission's number on the queue.
    pub(crate) ordinal: u64,
    /// Among all.
    pub(crate) number: u64,
    pub(crate) call: u64,
    pub(crate) list: u32,
    pub(crate) severity: Severity,
}

/// A release while a submission may be running.
pub(crate) fn released(scene: &mut Scene<'_>, call: u64, object: u32, last: LastUse) {
    let place = Place { call, list: Some(last.list), submission: Some((last.number, last.call)) };
    scene.say(Said::error(&IN_FLIGHT, place, object).with(last.severity), "", |scene| {
        let text = format!(
            "the last reference is released, and submission {} on queue {}, which uses it, is not known to have ended; wait for a fence \
             that the queue signals behind that submission first",
            last.number,
            scene.text(last.queue)
        );
        (text, vec![(last.call, "submits a list that uses it".to_owned())])
    });
}

/// A list that runs uses an object that is gone.
pub(crate) fn used(scene: &mut Scene<'_>, place: Place, object: u32, severity: Severity) {
    let Some(gone) = scene.gone.get(&object).map(|gone| gone.call) else { return };
    scene.say(Said::error(&AFTER_RELEASE, place, object).with(severity), place.list, |_| {
        let text = "the list that runs here uses it, and it was released after it was recorded; keep it until the GPU is done, or record \
                    the list again";
        (text.to_owned(), vec![(gone, "released it".to_owned())])
    });
}

/// An allocator is reset too early.
pub(crate) fn reset(scene: &mut Scene<'_>, call: u64, allocator: u32, last: LastUse) {
    let place = Place { call, list: Some(last.list), submission: Some((last.number, last.call)) };
    scene.say(Said::error(&ALLOCATOR, place, allocator), "flight", |scene| {
        let text = format!(
            "the allocator is reset, and submission {} on queue {}, whose list lies in it, is not known to have ended; wait for a fence \
             that the queue signals behind that submission first, or use an allocator for each frame in flight",
            last.number,
            scene.text(last.queue)
        );
        (text, vec![(last.call, "submits a list of it".to_owned())])
    });
}

/// An allocator is reset under a list that records.
pub(crate) fn reset_under(scene: &mut Scene<'_>, call: u64, allocator: u32, list: u32, begun: u64) {
    let place = Place { call, list: Some(list), submission: None };
    scene.say(Said::error(&ALLOCATOR, place, allocator), "open", |_| {
        let text = format!("the allocator is reset while list {list} records into it; close the list first");
        (text, vec![(begun, "begins the recording".to_owned())])
    });
}

/// A list that is not closed is submitted.
pub(crate) fn open(scene: &mut Scene<'_>, place: Place, list: u32, begun: u64) {
    scene.say(Said::error(&OPEN, place, list), "", |_| {
        (
            "the list is submitted while it records; call Close first".to_owned(),
            vec![(begun, "begins the recording".to_owned())],
        )
    });
}
