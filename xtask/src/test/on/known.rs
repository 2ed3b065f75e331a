//! What is known to be wrong on a system, and why it is not ours to mend.

/// Something that is known.
pub(super) struct Known {
    pub(super) systems: &'static [&'static str],
    /// The check; all of them if empty.
    pub(super) checks: &'static [&'static str],
    /// What fails in it: a program or a test.
    pub(super) what: &'static str,
    pub(super) reason: &'static str,
}

const MESA_26: &[&str] = &["trixie-backports", "sid"];

pub(super) static KNOWN: &[Known] = &[Known {
    systems: MESA_26,
    checks: &[],
    what: "doubles",
    reason: "lavapipe 26 flushes denormals of 64-bit floats, and says that it cannot keep them (shaderDenormPreserveFloat64); the API \
             wants them kept",
}];

/// Why something that is wrong is not ours.
pub(super) fn reason(system: &str, check: &str, what: &str) -> Option<&'static str> {
    let explains = |known: &&Known| {
        known.systems.contains(&system)
            && (known.checks.is_empty() || known.checks.contains(&check))
            && known.what == what
    };
    KNOWN.iter().find(explains).map(|known| known.reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_of_its_systems_and_its_programs() {
        assert!(reason("sid", "programs", "doubles").is_some());
        assert_eq!(reason("bookworm", "programs", "doubles"), None);
        assert_eq!(reason("sid", "programs", "blending"), None);
    }
}
