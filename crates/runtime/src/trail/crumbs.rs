//! Breadcrumbs of one recording: which operations it has, by number from 1, and what its markers say.

use reprise_com::wide::Text;
use reprise_d3d12::breadcrumb;
use reprise_d3d12::types::D3D12_AUTO_BREADCRUMB_OP as Op;
use reprise_gpu::encoder::Encoder;
use reprise_gpu::progress::Words;

use super::Wishes;

/// What a method of lists leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crumb {
    /// An operation that the GPU works at.
    Work(Op),
    /// A call that sets something and leaves a breadcrumb all the same: done when everything before it is.
    Setting(Op),
    /// A marker, or the begin or the end of an event: done when everything before it is.
    Mark(Op),
}

/// What a method of lists leaves, by its name; nothing for most. The API has no operations for render passes and discards: clears and
/// resolves of passes count with what stands beside them.
pub fn of_method(name: &str) -> Option<Crumb> {
    let op = breadcrumb::of_method(name)?;
    Some(crumb(op))
}

fn crumb(op: Op) -> Crumb {
    match op {
        Op::SETMARKER | Op::BEGINEVENT | Op::ENDEVENT => Crumb::Mark(op),
        Op::SETPROTECTEDRESOURCESESSION | Op::SETPIPELINESTATE1 | Op::SETPROGRAM => Crumb::Setting(op),
        _ => Crumb::Work(op),
    }
}

/// Breadcrumbs of a recording.
#[derive(Debug)]
pub struct Crumbs {
    words: Words,
    wishes: Wishes,
    ops: Vec<Op>,
    /// The number of the last operation that the GPU writes a word for.
    last: u32,
    /// What markers and events say, by the index of each.
    contexts: Vec<(u32, Text)>,
}

impl Crumbs {
    /// None yet.
    pub(super) fn new(words: Words, wishes: Wishes) -> Crumbs {
        Crumbs { words, wishes, ops: Vec::new(), last: 0, contexts: Vec::new() }
    }

    /// A call leaves a breadcrumb, and is recorded next. Gives the number that [`Crumbs::end`] takes, where the GPU writes one; `text` is
    /// what a marker says.
    pub(crate) fn begin(
        &mut self,
        crumb: Crumb,
        encoder: &mut Encoder,
        text: impl FnOnce() -> Option<String>,
    ) -> Option<u32> {
        let (op, writes) = match crumb {
            Crumb::Work(op) => (op, true),
            Crumb::Setting(op) => (op, false),
            Crumb::Mark(op) => (op, self.wishes.marks_only),
        };
        if self.wishes.marks_only && !matches!(crumb, Crumb::Mark(_)) {
            return None;
        }
        let index = u32::try_from(self.ops.len()).ok().filter(|index| *index < u32::MAX)?;
        if self.wishes.contexts
            && let Some(text) = text()
        {
            self.contexts.push((index, text.as_str().into()));
        }
        self.ops.push(op);
        if !writes {
            return None;
        }
        self.last = index + 1;
        encoder.begin_crumb(&self.words, index + 1);
        Some(index + 1)
    }

    /// The call of this number is recorded.
    pub(crate) fn end(&self, number: u32, encoder: &mut Encoder) {
        encoder.end_crumb(&self.words, number);
    }

    /// The list ends.
    pub(crate) fn finish(&self, encoder: &mut Encoder) {
        if self.writes() {
            encoder.last_crumb(&self.words, self.last);
        }
    }

    /// Whether the GPU writes anything.
    pub(super) fn writes(&self) -> bool {
        self.last != 0
    }

    /// The recording is given to the GPU anew.
    pub(super) fn restart(&self) {
        self.words.clear();
    }

    /// Whether the GPU is done with it.
    pub(super) fn is_done(&self) -> bool {
        self.words.read()[1] >= self.last
    }

    /// How many operations the GPU has begun and done. Those without a word of their own are done with what stands before them, once the
    /// list has begun.
    pub(super) fn reached(&self) -> [u32; 2] {
        let [begun, done] = self.words.read();
        if begun == 0 {
            return [0; 2];
        }
        let done = settled(&self.ops, done, self.wishes.marks_only);
        [begun.max(done), done]
    }

    /// All operations.
    pub fn ops(&self) -> &[Op] {
        &self.ops
    }

    /// What markers and events say, by the index of each, each text with a zero at its end.
    pub fn contexts(&self) -> &[(u32, Text)] {
        &self.contexts
    }

    /// The first few operations after the `done` first, up to the one of number `begun`.
    pub(super) fn between(&self, done: u32, begun: u32) -> String {
        let range = done as usize..(begun as usize).min(self.ops.len());
        let all = self.ops.get(range).unwrap_or_default();
        let first: Vec<String> =
            all.iter().zip(done..).take(4).map(|(op, index)| format!("#{index} {}", breadcrumb::name(*op))).collect();
        format!("{}{}", first.join(", "), if all.len() > 4 { ", …" } else { "" })
    }

    /// The events that are open at the operation of a number, outermost first.
    pub(super) fn within(&self, number: u32) -> Vec<String> {
        let mut open = Vec::new();
        for (op, index) in self.ops.iter().zip(0u32..number.max(1)) {
            match *op {
                Op::BEGINEVENT => open.push(index),
                Op::ENDEVENT => drop(open.pop()),
                _ => {}
            }
        }
        let text = |index: u32| {
            let at = self.contexts.binary_search_by_key(&index, |(at, _)| *at).ok()?;
            Some(format!("\"{}\"", self.contexts[at].1.text()))
        };
        open.into_iter().filter_map(text).collect()
    }
}

/// How many operations are done where the GPU has written `done`: calls behind it that it writes nothing for are done, too. Pure.
fn settled(ops: &[Op], done: u32, marks_only: bool) -> u32 {
    let writes = |op: &Op| matches!(crumb(*op), Crumb::Work(_)) || marks_only;
    let behind = ops.get(done as usize..).unwrap_or_default();
    done + behind.iter().take_while(|op| !writes(op)).count() as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use reprise_d3d12::MODEL;
    use reprise_d3d12::operation::is_operation;

    /// Every operation of lists leaves a breadcrumb, but those that the API has no number for.
    #[test]
    fn all_operations_leave_breadcrumbs() {
        let without = ["DiscardResource", "EndRenderPass"];
        for method in MODEL.methods.iter().filter(|method| is_operation(method)) {
            let interface = method.interface.map(|interface| interface.get().name).unwrap_or_default();
            if interface.contains("ListExt") || interface.contains("CommandListPreview") {
                continue;
            }
            let leaves = matches!(of_method(method.name), Some(Crumb::Work(_)));
            assert_eq!(leaves, !without.contains(&method.name), "{interface}::{}", method.name);
        }
        assert_eq!(of_method("SetPipelineState"), None);
    }

    #[test]
    fn markers_are_done_with_what_stands_before_them() {
        let ops = [Op::BEGINEVENT, Op::DRAWINSTANCED, Op::SETMARKER, Op::ENDEVENT, Op::DISPATCH, Op::SETMARKER];
        assert_eq!([0, 1, 2, 4, 5, 6].map(|done| settled(&ops, done, false)), [1, 1, 4, 4, 6, 6]);
        assert_eq!(settled(&ops[..1], 0, true), 0, "they have words of their own there");
        assert_eq!(settled(&ops, 99, false), 99);
    }
}
