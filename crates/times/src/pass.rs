//! Where passes begin among the operations of a list.
//!
//! A pass is what follows each other in a list with the same targets, or of the same kind where it has none. Invariant: replay, which stamps where
//! passes begin, and tables, which put the operations of a pass together, ask the same walker.

use reprise_d3d12::operation::Operation as Kindred;

/// What stays the same within a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassKind {
    /// Draws and clears, by the call that set their targets.
    Targets(u64),
    /// Dispatches, of rays and graphs too.
    Compute,
    /// Copies and resolves.
    Copies,
    /// Builds of acceleration structures.
    Builds,
    /// What belongs to whatever pass it stands in, before the first of these.
    Other,
}

/// Goes over the operations of one list.
#[derive(Clone, Copy, Debug, Default)]
pub struct Passes {
    open: Option<PassKind>,
}

impl PassKind {
    /// That of an operation with these targets; `None` for what belongs to whatever pass it stands in.
    #[must_use]
    pub fn of(operation: Kindred, targets: u64) -> Option<Self> {
        Some(match operation {
            Kindred::Draw | Kindred::Clear | Kindred::Bundle | Kindred::PassEnd => Self::Targets(targets),
            Kindred::Dispatch | Kindred::Rays | Kindred::Graph | Kindred::Meta => Self::Compute,
            Kindred::Copy | Kindred::Resolve => Self::Copies,
            Kindred::Build => Self::Builds,
            Kindred::Indirect | Kindred::Barrier | Kindred::Discard | Kindred::Query | Kindred::Write => {
                return None;
            }
        })
    }
}

impl Passes {
    /// The list's next operation: the kind of its pass where it begins one.
    pub fn begins(&mut self, operation: Option<Kindred>, targets: u64) -> Option<PassKind> {
        let kind = operation.and_then(|operation| PassKind::of(operation, targets));
        let begun = match (kind, self.open) {
            (Some(kind), Some(open)) if kind == open => None,
            (Some(kind), _) => Some(kind),
            (None, Some(_)) => None,
            (None, None) => Some(PassKind::Other),
        };
        self.open = begun.or(self.open);
        begun
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_belongs_together_begins_once() {
        let mut passes = Passes::default();
        let all = [
            (Kindred::Barrier, 0),
            (Kindred::Clear, 5),
            (Kindred::Draw, 5),
            (Kindred::Barrier, 5),
            (Kindred::Draw, 7),
            (Kindred::Dispatch, 7),
            (Kindred::Copy, 7),
        ];
        let begun: Vec<Option<PassKind>> =
            all.iter().map(|(operation, targets)| passes.begins(Some(*operation), *targets)).collect();
        let wanted = [
            Some(PassKind::Other),
            Some(PassKind::Targets(5)),
            None,
            None,
            Some(PassKind::Targets(7)),
            Some(PassKind::Compute),
            Some(PassKind::Copies),
        ];
        assert_eq!(begun, wanted);
    }
}
