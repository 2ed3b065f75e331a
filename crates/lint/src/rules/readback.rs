//! `readback-early`: what the GPU writes is read once a fence says that it is there.

use super::lifetime::LastUse;
use crate::rule::{Rule, Severity};
use crate::scene::{Place, Said, Scene};

pub(crate) static RULE: Rule = Rule {
    name: "readback-early",
    says: "memory of a readback heap is mapped for reading and unmapped only after the program saw a fence behind the submission that wrote it",
    source: "ID3D12Resource::Map; Readback heap: the CPU reads after it has waited for the GPU",
};

/// A resource is unmapped that the program mapped to read, and the GPU may not have written it yet.
pub(crate) fn early(scene: &mut Scene<'_>, call: u64, resource: u32, mapped: u64, last: LastUse) {
    let place = Place { call, list: Some(last.list), submission: Some((last.number, last.call)) };
    scene.say(Said::error(&RULE, place, resource).with(Severity::Likely), "", |scene| {
        let text = format!(
            "it was mapped to be read and is unmapped here, and submission {} on queue {}, which writes it, is not known to have ended; \
             wait for a fence behind that submission first",
            last.number,
            scene.text(last.queue)
        );
        (text, vec![(mapped, "maps it".to_owned()), (last.call, "submits a list that writes it".to_owned())])
    });
}
