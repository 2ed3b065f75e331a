//! What the process wants of Vulkan. This crate reads no environment: the caller states its wishes here.

/// Settings of an instance and of its devices.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The device to use where the caller names none: its index or a part of its name ([`crate::adapter::is_meant`]).
    pub adapter: Option<String>,
    /// Whether Vulkan's validation layer is loaded.
    pub validation: Validation,
    /// Which of the layer's messages count.
    pub messages: Messages,
    /// Upload memory is ordinary pages of the process, which a capture can watch ([`crate::memory`]).
    pub imported_uploads: bool,
    /// Each type of view has a descriptor set of its own, as on devices without mutable descriptors.
    pub separate_sets: bool,
    /// Bytes of push constants to use at most, as on devices with less room.
    pub push_bytes: Option<u32>,
}

/// Whether Vulkan's validation layer is loaded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Validation {
    /// There is no layer.
    #[default]
    Off,
    /// Messages are printed and counted.
    On,
    /// The process aborts at the first error, so that a debugger or a core file shows the call.
    Fatal,
}

impl Validation {
    /// The setting that a text stands for: `0` or none is off, `fatal` is fatal, everything else is on.
    pub fn of(value: Option<&str>) -> Validation {
        match value {
            None | Some("0") => Validation::Off,
            Some("fatal") => Validation::Fatal,
            Some(_) => Validation::On,
        }
    }
}

/// Which messages count, by parts of their ids, as in `VUID-vkCmdDraw` or `SYNC-HAZARD`.
#[derive(Clone, Debug, Default)]
pub struct Messages {
    /// Messages with one of these parts are neither printed nor counted as errors and warnings.
    pub denied: Vec<String>,
    /// Where this is not empty, only messages with one of these parts count.
    pub allowed: Vec<String>,
}

impl Messages {
    /// Whether a message with this id counts.
    pub fn count(&self, id: &str) -> bool {
        let among = |parts: &[String]| parts.iter().any(|part| id.contains(part.as_str()));
        !among(&self.denied) && (self.allowed.is_empty() || among(&self.allowed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_count_by_parts_of_their_ids() {
        let messages = |denied: &[&str], allowed: &[&str]| Messages {
            denied: denied.iter().map(|&part| part.into()).collect(),
            allowed: allowed.iter().map(|&part| part.into()).collect(),
        };
        const IDS: [&str; 3] =
            ["VUID-vkCmdDraw-None-02699", "SYNC-HAZARD-WRITE-AFTER-READ", "VUID-vkCmdCopyBuffer-size-01"];
        let counted = |messages: &Messages| IDS.map(|id| messages.count(id));
        assert_eq!(counted(&messages(&[], &[])), [true, true, true]);
        assert_eq!(counted(&messages(&["SYNC-HAZARD", "vkCmdCopy"], &[])), [true, false, false]);
        assert_eq!(counted(&messages(&[], &["VUID"])), [true, false, true]);
        assert_eq!(counted(&messages(&["02699"], &["VUID"])), [false, false, true], "denied goes before allowed");
    }

    #[test]
    fn the_variable_has_three_meanings() {
        let given = [None, Some("0"), Some("1"), Some("fatal")];
        let want = [Validation::Off, Validation::Off, Validation::On, Validation::Fatal];
        assert_eq!(given.map(Validation::of), want);
    }
}
