//! What the process wants of Vulkan. This crate reads no environment: the caller states its wishes here.

use ash::vk;

/// Settings of an instance and of its devices.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The device to use where the caller names none: its index or a part of its name ([`crate::adapter::is_meant`]).
    pub adapter: Option<String>,
    /// The device to use where neither the caller nor `adapter` names one, if it is there.
    pub preferred: Option<Preferred>,
    /// Whether Vulkan's validation layer is loaded.
    pub validation: Validation,
    /// Which of the layer's messages count.
    pub messages: Messages,
    /// Upload memory is ordinary pages of the process, which a capture can watch ([`crate::memory`]).
    pub imported_uploads: bool,
    /// Which types of views share an array of descriptors, where the device allows it; `None` chooses what fits the device.
    pub sharing: Option<Sharing>,
    /// What shader-visible heaps are in Vulkan, where the device can; `None`: sets.
    pub descriptors: Option<Descriptors>,
    /// Views that shader-visible heaps have room for at most; larger ones cannot be made. What the device reports stays. Lavapipe fills
    /// the room of a million in each process that makes a heap, whatever its size: hundreds of megabytes.
    pub heap_views: Option<u32>,
    /// The CPU sees no texels of any image, as on devices whose images are laid out in rows for few uses.
    pub hidden_texels: bool,
    /// Bytes of push constants to use at most, as on devices with less room.
    pub push_bytes: Option<u32>,
    /// `VK_EXT_device_generated_commands` is left alone, as on devices that lack it.
    pub no_generated_commands: bool,
    /// Indices end primitives of lists, too, where the device has that. Direct3D 11.3's functional specification (8.12) says so of every
    /// topology, and Mesa's OpenGL driver relies on it; vkd3d-proton's tests, which follow Windows' drivers, end strips alone.
    pub list_cuts: bool,
    /// How images change their layouts; `None` chooses what fits the device.
    pub layouts: Option<Layouts>,
    /// Drivers make dumps for their vendor's tools when the device is lost ([`crate::fault`]).
    pub fault_dumps: bool,
    /// Shaders look at descriptors before they use them. The value: bytes before the bits of what is alive
    /// ([`crate::descriptor::checks`]).
    pub descriptor_checks: Option<usize>,
    /// Counters of the driver that queries of the process's devices count, by their places ([`crate::counters`]); none: devices are made without.
    pub counters: Vec<u32>,
    /// Names of rules about drivers that do not act ([`crate::rules`]).
    pub rules_off: Vec<String>,
    /// What addresses memory has.
    pub addresses: Addresses,
    /// An address where something lies already, for tests of places that cannot be had.
    pub taken: Option<u64>,
}

/// What addresses memory has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Addresses {
    /// Whatever the driver gives.
    #[default]
    Any,
    /// Those of an earlier process, where they are asked for; all else as [`Addresses::Any`].
    Given,
    /// Such as a later process can have again, for what programs know the addresses of.
    Repeatable,
}

impl Addresses {
    /// The setting that a text stands for: `repeatable` or `any`.
    pub fn of(text: &str) -> Option<Addresses> {
        match text {
            "repeatable" => Some(Addresses::Repeatable),
            "any" => Some(Addresses::Any),
            _ => None,
        }
    }
}

/// A device that is better than others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Preferred {
    /// By its index in Vulkan's order.
    Index(usize),
    /// By a part of its name.
    Name(String),
}

/// How images change their layouts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layouts {
    /// All images stay in one layout.
    Unified,
    /// Lists put targets into the layout of each use ([`crate::image::Discipline`]).
    Tracked,
}

impl Layouts {
    /// The setting that a text stands for: `unified` or `tracked`.
    pub fn of(text: &str) -> Option<Layouts> {
        match text {
            "unified" => Some(Layouts::Unified),
            "tracked" => Some(Layouts::Tracked),
            _ => None,
        }
    }
}

/// Which types of views share an array of descriptors. Elements of a shared array take any of its types
/// (`VK_EXT_mutable_descriptor_type`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// Textures and typed buffers share one array; constant buffers have one of their own, raw and structured buffers another.
    Views,
    /// Textures share one array, typed buffers another, raw and constant buffers the third. A shader that takes a typed buffer
    /// for a texture reads null, where drivers would read a descriptor of another shape.
    Families,
    /// Each type has an array of its own, as on devices without shared arrays.
    Nothing,
}

impl Sharing {
    /// The setting that a text stands for: `0` or none leaves the choice to the device, `views` and `families` name one, and
    /// everything else separates all types.
    pub fn of(value: Option<&str>) -> Option<Sharing> {
        match value {
            None | Some("0") => None,
            Some("views") => Some(Sharing::Views),
            Some("families") => Some(Sharing::Families),
            Some(_) => Some(Sharing::Nothing),
        }
    }
}

/// What shader-visible heaps are in Vulkan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Descriptors {
    /// Descriptor sets, which Vulkan writes.
    #[default]
    Sets,
    /// Bytes in mapped memory (`VK_EXT_descriptor_buffer`), which the CPU copies.
    Buffers,
}

impl Descriptors {
    /// What set layouts are made with.
    pub fn layout_flags(self) -> vk::DescriptorSetLayoutCreateFlags {
        match self {
            Descriptors::Sets => vk::DescriptorSetLayoutCreateFlags::empty(),
            Descriptors::Buffers => vk::DescriptorSetLayoutCreateFlags::DESCRIPTOR_BUFFER_EXT,
        }
    }

    /// What pipelines are made with.
    pub fn pipeline_flags(self) -> vk::PipelineCreateFlags {
        match self {
            Descriptors::Sets => vk::PipelineCreateFlags::empty(),
            Descriptors::Buffers => vk::PipelineCreateFlags::DESCRIPTOR_BUFFER_EXT,
        }
    }

    /// The setting that a text stands for: `sets` or `buffers`.
    pub fn of(text: &str) -> Option<Descriptors> {
        match text {
            "sets" => Some(Descriptors::Sets),
            "buffers" => Some(Descriptors::Buffers),
            _ => None,
        }
    }
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
    fn texts_name_how_layouts_change() {
        let given = ["", "0", "unified", "tracked"];
        assert_eq!(given.map(Layouts::of), [None, None, Some(Layouts::Unified), Some(Layouts::Tracked)]);
    }

    #[test]
    fn texts_name_what_addresses_are() {
        let given = ["", "0", "any", "repeatable", "given"];
        assert_eq!(given.map(Addresses::of), [None, None, Some(Addresses::Any), Some(Addresses::Repeatable), None]);
    }

    #[test]
    fn texts_name_what_shares_an_array() {
        let given = [None, Some("0"), Some("1"), Some("views"), Some("families")];
        let want = [None, None, Some(Sharing::Nothing), Some(Sharing::Views), Some(Sharing::Families)];
        assert_eq!(given.map(Sharing::of), want);
    }

    #[test]
    fn texts_name_what_heaps_are() {
        let given = ["", "0", "sets", "buffers"];
        let want = [None, None, Some(Descriptors::Sets), Some(Descriptors::Buffers)];
        assert_eq!(given.map(Descriptors::of), want);
    }

    #[test]
    fn the_variable_has_three_meanings() {
        let given = [None, Some("0"), Some("1"), Some("fatal")];
        let want = [Validation::Off, Validation::Off, Validation::On, Validation::Fatal];
        assert_eq!(given.map(Validation::of), want);
    }
}
