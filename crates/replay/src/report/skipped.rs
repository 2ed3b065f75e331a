//! Calls that were not made, by reason and by method.

use std::collections::BTreeMap;

use crate::error::Subject;

/// Calls and records that one reason kept from being replayed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Skipped {
    /// How many there were, records included.
    pub count: u64,
    /// The calls among them, by method as in `IDXGIFactory::EnumAdapters`.
    pub methods: BTreeMap<String, u64>,
}

/// Counts them while the replay goes on, at the cost of a look into an array.
#[derive(Default)]
pub(crate) struct Skips {
    /// By method: each reason, with its calls. A method has one reason, or few.
    calls: Vec<Vec<(&'static str, u64)>>,
    records: BTreeMap<&'static str, u64>,
}

impl Skips {
    /// A call is not made, or a record left alone.
    pub(crate) fn add(&mut self, subject: &Subject, reason: &'static str) {
        let Subject::Method(number) = subject else {
            *self.records.entry(reason).or_default() += 1;
            return;
        };
        let at = usize::from(*number);
        if self.calls.len() <= at {
            self.calls.resize_with(at + 1, Vec::new);
        }
        match self.calls[at].iter_mut().find(|(known, _)| *known == reason) {
            Some((_, count)) => *count += 1,
            None => self.calls[at].push((reason, 1)),
        }
    }

    /// By reason.
    pub(crate) fn by_reason(&self) -> BTreeMap<String, Skipped> {
        let mut reasons: BTreeMap<String, Skipped> = BTreeMap::new();
        for (reason, count) in &self.records {
            reasons.entry((*reason).to_owned()).or_default().count += count;
        }
        for (number, calls) in (0u16..).zip(&self.calls) {
            for (reason, count) in calls {
                let skipped = reasons.entry((*reason).to_owned()).or_default();
                skipped.count += count;
                skipped.methods.insert(Subject::Method(number).to_string(), *count);
            }
        }
        reasons
    }
}

#[cfg(test)]
mod tests {
    use reprise_d3d12::method;
    use reprise_trace::record::Kind;

    use super::*;

    #[test]
    fn calls_are_counted_by_reason_and_method() {
        let mut skips = Skips::default();
        let [first, second] = [method("IUnknown", "AddRef"), method("ID3D12Object", "SetPrivateData")];
        for (method, reason) in [(first, "a"), (second, "a"), (first, "b"), (first, "a")] {
            skips.add(&Subject::Method(method.0), reason);
        }
        skips.add(&Subject::Record(Kind::Memory, 7), "a");
        let reasons = skips.by_reason();
        let of = |reason: &str| {
            let skipped = &reasons[reason];
            let methods: Vec<(&str, u64)> =
                skipped.methods.iter().map(|(name, &count)| (name.as_str(), count)).collect();
            (skipped.count, methods)
        };
        assert_eq!(of("a"), (4, vec![("ID3D12Object::SetPrivateData", 1), ("IUnknown::AddRef", 2)]));
        assert_eq!(of("b"), (1, vec![("IUnknown::AddRef", 1)]));
    }
}
