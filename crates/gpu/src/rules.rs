//! What is known of drivers beside what they say of themselves: one rule for each thing that is wrong, or right and not said.
//!
//! A rule names the releases that it was seen on, and those that were seen to be right. It acts on releases that nobody has seen, too,
//! unless the way without it is the safe one there. `REPRISE_DRIVER_RULES_OFF` switches rules off by name, for tests of new releases.

use std::sync::Once;

use ash::vk;

use crate::settings::Settings;

/// A driver's release: the first two numbers of its version.
pub type Release = (u32, u32);

/// Something about a driver.
#[derive(PartialEq, Eq, Debug)]
pub struct Rule {
    /// By which it is listed and switched off.
    pub name: &'static str,
    /// Whose it is.
    drivers: &'static [vk::DriverId],
    /// Where it was seen.
    pub seen: &'static [Release],
    /// The last release that was seen to be right before it came; earlier ones are, too.
    pub before: Option<Release>,
    /// The first release of each line that was seen to be without it; later ones are, too.
    pub right: &'static [Release],
    /// Whether it acts on releases that nobody has seen.
    pub unseen: bool,
    /// What the driver does.
    pub does: &'static str,
    /// What comes of it here.
    pub so: &'static str,
}

const LAVAPIPE: &[vk::DriverId] = &[vk::DriverId::MESA_LLVMPIPE];
const NVIDIA: &[vk::DriverId] = &[vk::DriverId::NVIDIA_PROPRIETARY];
const BOTH: &[vk::DriverId] = &[vk::DriverId::MESA_LLVMPIPE, vk::DriverId::NVIDIA_PROPRIETARY];
const MESA_HARDWARE: &[vk::DriverId] =
    &[vk::DriverId::MESA_RADV, vk::DriverId::MESA_TURNIP, vk::DriverId::INTEL_OPEN_SOURCE_MESA];

macro_rules! rules {
    ($($constant:ident = $rule:expr;)*) => {
        $(#[doc = concat!("See the rule's own words: `", stringify!($constant), "`.")] pub static $constant: Rule = $rule;)*

        /// All rules.
        pub static ALL: &[&Rule] = &[$(&$constant),*];
    };
}

rules! {
    ASPECTS_TOGETHER = Rule {
        name: "aspects-together",
        drivers: LAVAPIPE,
        seen: &[(25, 0)],
        before: None,
        right: &[],
        unseen: true,
        does: "a copy of depth takes the stencil of an image along, and the other way round",
        so: "the other aspect is brought back",
    };
    TWO_STEPS_OF_BIAS = Rule {
        name: "two-steps-of-bias",
        drivers: BOTH,
        seen: &[(25, 0), (580, 159)],
        before: None,
        right: &[],
        unseen: true,
        does: "a unit of depth bias is two steps of a UNORM format, as Vulkan allows and the API does not",
        so: "steps are asked for exactly where Vulkan can be told, and constant biases are halved elsewhere",
    };
    SAMPLES_OF_PIPELINES = Rule {
        name: "samples-of-pipelines",
        drivers: LAVAPIPE,
        seen: &[(25, 0)],
        before: None,
        right: &[],
        unseen: false,
        does: "a pipeline of one sample covers all samples of targets of several, which Vulkan forbids to ask for",
        so: "pipeline states that force one sample are made so",
    };
    HALF_A_STEP_OF_BIAS = Rule {
        name: "half-a-step-of-bias",
        drivers: LAVAPIPE,
        seen: &[(26, 1), (26, 2)],
        before: Some((25, 0)),
        right: &[],
        unseen: true,
        does: "depth biases of UNORM formats are larger by half a step",
        so: "half a step less is asked for",
    };
    TILES_IN_BLOCKS = Rule {
        name: "tiles-in-blocks",
        drivers: LAVAPIPE,
        seen: &[(25, 0)],
        before: None,
        right: &[],
        unseen: true,
        does: "tiles of sparse images of blocks are stated in blocks, and bound and read in texels",
        so: "sizes of tiles are taken for texels",
    };
    TEXELS_OF_TILES = Rule {
        name: "texels-of-tiles",
        drivers: LAVAPIPE,
        seen: &[(25, 0)],
        before: None,
        right: &[(26, 1)],
        unseen: true,
        does: "texel views of sparse buffers read 0 and lose stores",
        so: "such views are made of the words of the buffer",
    };
    FREE_LAYOUTS = Rule {
        name: "free-layouts",
        drivers: BOTH,
        seen: &[(25, 0), (580, 159)],
        before: None,
        right: &[],
        unseen: true,
        does: "images may stay in one layout at no cost, and versions before the feature do not say so",
        so: "images stay in one layout",
    };
    DESCRIPTORS_ARE_CODE = Rule {
        name: "descriptors-are-code",
        drivers: LAVAPIPE,
        seen: &[(25, 0)],
        before: None,
        right: &[],
        unseen: true,
        does: "shaders call functions whose addresses are in descriptors: a read through a descriptor of another type ends the process",
        so: "types of views keep arrays of their own",
    };
    ARRAY_VIEWS = Rule {
        name: "array-views",
        drivers: NVIDIA,
        seen: &[(580, 159)],
        before: None,
        right: &[],
        unseen: true,
        does: "array views are read right under either declaration, other views under their own only",
        so: "textures are shown as arrays of one layer",
    };
    PLAIN_VIEWS = Rule {
        name: "plain-views",
        drivers: LAVAPIPE,
        seen: &[(25, 0)],
        before: None,
        right: &[],
        unseen: true,
        does: "views that are no arrays are read right under either declaration, array views under their own only",
        so: "arrays of one layer are shown as textures that are no arrays",
    };
    RAW_ALIGNMENT = Rule {
        name: "raw-alignment",
        drivers: NVIDIA,
        seen: &[(580, 159)],
        before: None,
        right: &[],
        unseen: true,
        does: "raw buffers begin at multiples of 2 bytes, whatever the limit says",
        so: "views need no offset in shaders",
    };
    ANY_MEMORY = Rule {
        name: "any-memory",
        drivers: NVIDIA,
        seen: &[(580, 159)],
        before: None,
        right: &[],
        unseen: true,
        does: "sparse buffers are bound to memory of every type, and the driver names its own only",
        so: "tiles of upload heaps are bound",
    };
    RENDERED_ROWS = Rule {
        name: "rendered-rows",
        drivers: NVIDIA,
        seen: &[(580, 159)],
        before: None,
        right: &[],
        unseen: true,
        does: "clears of single texels of a target in rows are not in the rows that the CPU reads",
        so: "targets are not laid out in rows",
    };
    DENORMALS = Rule {
        name: "denormals",
        drivers: NVIDIA,
        seen: &[(580, 159)],
        before: None,
        right: &[],
        unseen: true,
        does: "told to keep denormals of 16 or 64 bits, it keeps those of 32 bits, too",
        so: "shaders do not say what becomes of denormals",
    };
    POINTS = Rule {
        name: "points",
        drivers: MESA_HARDWARE,
        seen: &[],
        before: None,
        right: &[],
        unseen: true,
        does: "point samplers round the coordinate to 1/256 of a texel first",
        so: "exact points are not reported",
    };
    COMPARING_SAMPLERS = Rule {
        name: "comparing-samplers",
        drivers: LAVAPIPE,
        seen: &[(25, 0)],
        before: None,
        right: &[],
        unseen: true,
        does: "the sampler says whether a read compares, not the instruction",
        so: "samplers are made in both kinds",
    };
    UNROLLED_LOOPS = Rule {
        name: "unrolled-loops",
        drivers: LAVAPIPE,
        seen: &[(25, 0)],
        before: None,
        right: &[],
        unseen: true,
        does: "nested loops with known numbers of iterations are unrolled, and compiled for seconds where they read buffers",
        so: "such loops are to stay loops",
    };
    MESH_OUTPUTS = Rule {
        name: "mesh-outputs",
        drivers: LAVAPIPE,
        seen: &[(25, 0)],
        before: None,
        right: &[],
        unseen: true,
        does: "stores of mesh shaders to single components of what they give are lost",
        so: "shaders store whole vectors",
    };
    MESH_SHADERS = Rule {
        name: "mesh-shaders",
        drivers: LAVAPIPE,
        seen: &[(26, 1), (26, 2)],
        before: Some((25, 0)),
        right: &[],
        unseen: true,
        does: "mesh shaders that give much end the process in the compiler, or draw other pixels with narrow vectors",
        so: "mesh shaders are not reported",
    };
    QUADS = Rule {
        name: "quads",
        drivers: LAVAPIPE,
        seen: &[(25, 0)],
        before: None,
        right: &[],
        unseen: true,
        does: "pixels of a quad stay together, and no feature says so",
        so: "quad operations are reported",
    };
    ROWS_OF_LANES = Rule {
        name: "rows-of-lanes",
        drivers: LAVAPIPE,
        seen: &[(25, 0)],
        before: None,
        right: &[],
        unseen: true,
        does: "lanes of a wave are threads of a group in a row, and no feature says so",
        so: "derivatives in compute shaders are differences between lanes",
    };
    COMPUTED_OFFSETS = Rule {
        name: "computed-offsets",
        drivers: LAVAPIPE,
        seen: &[(25, 0)],
        before: None,
        right: &[],
        unseen: true,
        does: "shaders may compute offsets of texture reads, and no feature says so",
        so: "advanced texture operations are reported",
    };
    RECONVERGENCE = Rule {
        name: "reconvergence",
        drivers: LAVAPIPE,
        seen: &[(25, 0)],
        before: None,
        right: &[],
        unseen: true,
        does: "lanes come together again where the source says, and no feature says so",
        so: "shader models from 6.7 on are reported",
    };
    MORE_GROUPS = Rule {
        name: "more-groups",
        drivers: LAVAPIPE,
        seen: &[(25, 0)],
        before: None,
        right: &[],
        unseen: true,
        does: "more groups of a dispatch run than the limits say",
        so: "such dispatches are passed on",
    };
    GROUP_HANDLES = Rule {
        name: "group-handles",
        drivers: LAVAPIPE,
        seen: &[(25, 0)],
        before: None,
        right: &[],
        unseen: true,
        does: "shader groups keep their handles in pipelines of libraries, and no feature says so",
        so: "handles are taken from libraries",
    };
    LINKED_CONSTANTS = Rule {
        name: "linked-constants",
        drivers: LAVAPIPE,
        seen: &[(25, 0)],
        before: None,
        right: &[],
        unseen: true,
        does: "shaders see no push constants where all ray generation shaders of a pipeline are from libraries",
        so: "one of them is the pipeline's own",
    };
    LINEAR_CONSTANTS = Rule {
        name: "linear-constants",
        drivers: LAVAPIPE,
        seen: &[(26, 1), (26, 2)],
        before: Some((25, 0)),
        right: &[],
        unseen: true,
        does: "pixel shaders of upright rectangles on 8-bit targets read other push constants than those that were set",
        so: "root arguments of draws lie in a uniform buffer",
    };
    ABSENT_STAGES = Rule {
        name: "absent-stages",
        drivers: LAVAPIPE,
        seen: &[(25, 0)],
        before: None,
        right: &[],
        unseen: true,
        does: "a draw of a pipeline without a stage takes the push constants for told that this stage has not seen",
        so: "root arguments are told again before a pipeline with a stage that the last one had not",
    };
    NO_TARGETS = Rule {
        name: "no-targets",
        drivers: LAVAPIPE,
        seen: &[(25, 0)],
        before: None,
        right: &[],
        unseen: true,
        does: "behind a pipeline without colour attachments, pipelines whose attachments have different write masks or blending use those of the first",
        so: "pipelines without colour targets have one without a format",
    };
    RAYS_AFTER_COMPUTE = Rule {
        name: "rays-after-compute",
        drivers: LAVAPIPE,
        seen: &[(25, 0)],
        before: None,
        right: &[],
        unseen: false,
        does: "the second dispatch of rays of a command buffer crashes behind a compute shader",
        so: "predicates are left to the driver, which applies them to rays",
    };
    STRUCTURE_SIZES = Rule {
        name: "structure-sizes",
        drivers: LAVAPIPE,
        seen: &[(25, 0)],
        before: None,
        right: &[],
        unseen: true,
        does: "the size of an acceleration structure is taken from Vulkan's object, not from what was built there",
        so: "objects have the size that is asked for",
    };
    ZEROED_MEMORY = Rule {
        name: "zeroed-memory",
        drivers: NVIDIA,
        seen: &[(580, 159)],
        before: None,
        right: &[],
        unseen: true,
        does: "memory is zero when the driver gives it, and Vulkan does not promise it",
        so: "memory is not cleared again",
    };
    ROOM_OF_LAYOUTS = Rule {
        name: "room-of-layouts",
        drivers: LAVAPIPE,
        seen: &[(25, 0)],
        before: None,
        right: &[],
        unseen: true,
        does: "a descriptor set takes the memory that its layout has room for",
        so: "sets are kept for the next heap, and layouts have the room that a trace needs",
    };
}

impl Rule {
    /// Whether it is about this driver.
    pub(crate) fn is_of(&self, driver: vk::DriverId) -> bool {
        self.drivers.contains(&driver)
    }

    /// Whether it acts on a driver of this release, if that is known.
    fn acts(&self, driver: vk::DriverId, release: Option<Release>) -> bool {
        let of = |releases: &[Release]| release.is_some_and(|release| releases.contains(&release));
        let is_right = release.is_some_and(|release| {
            self.right.iter().any(|first| *first <= release) || self.before.is_some_and(|last| release <= last)
        });
        self.is_of(driver) && !is_right && (self.unseen || of(self.seen))
    }
}

/// Those that act on a driver, by what it says of its version.
pub fn acting(driver: vk::DriverId, info: &str, settings: &Settings) -> Vec<&'static Rule> {
    static TOLD: Once = Once::new();
    let is_unknown = |name: &&String| !ALL.iter().any(|rule| rule.name == **name);
    if let Some(name) = settings.rules_off.iter().find(is_unknown) {
        TOLD.call_once(|| {
            reprise_log::warning(format_args!(
                "REPRISE_DRIVER_RULES_OFF: there is no rule {name:?}; `reprise gpus --rules` lists those that act"
            ));
        });
    }
    let release = release(info);
    let is_on = |rule: &&Rule| !settings.rules_off.iter().any(|name| name == rule.name);
    ALL.iter().copied().filter(|rule| rule.acts(driver, release)).filter(is_on).collect()
}

/// The first two numbers of a version in a driver's words: "Mesa 25.0.7-2 (LLVM 15.0.6)", "580.159.03".
fn release(info: &str) -> Option<Release> {
    let begins = info.find(|letter: char| letter.is_ascii_digit())?;
    let mut numbers = info[begins..].split(|letter: char| !letter.is_ascii_digit());
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MESA: vk::DriverId = vk::DriverId::MESA_LLVMPIPE;

    fn names(driver: vk::DriverId, info: &str, off: &[&str]) -> Vec<&'static str> {
        let settings =
            Settings { rules_off: off.iter().map(|name| (*name).to_owned()).collect(), ..Settings::default() };
        acting(driver, info, &settings).iter().map(|rule| rule.name).collect()
    }

    #[test]
    fn releases_are_read_from_the_drivers_words() {
        assert_eq!(release("Mesa 25.0.7-2~bpo12+1 (LLVM 15.0.6)"), Some((25, 0)));
        assert_eq!(release("Mesa 26.2.0-devel (git-0123456789)"), Some((26, 2)));
        assert_eq!(release("580.159.03"), Some((580, 159)));
        assert_eq!((release(""), release("Mesa"), release("7")), (None, None, None));
    }

    /// Whoever has no known release is served the safe way: predicates on dispatches of rays are applied by us.
    #[test]
    fn rays_are_predicated_on_releases_that_nobody_has_seen() {
        let rule = RAYS_AFTER_COMPUTE.name;
        assert!(names(MESA, "Mesa 25.0.7 (LLVM 15.0.6)", &[]).contains(&rule));
        for info in ["Mesa 25.1.0", "Mesa 26.1.6", "Mesa 26.2.6", "Mesa 27.0.0", "no version"] {
            assert!(!names(MESA, info, &[]).contains(&rule), "{info}");
        }
    }

    #[test]
    fn what_was_mended_stays_mended() {
        let rule = TEXELS_OF_TILES.name;
        for (info, acts) in
            [("Mesa 25.0.7", true), ("Mesa 25.3.1", true), ("Mesa 26.1.6", false), ("Mesa 27.0.0", false)]
        {
            assert_eq!(names(MESA, info, &[]).contains(&rule), acts, "{info}");
        }
    }

    #[test]
    fn what_came_later_is_not_seen_before() {
        let rule = LINEAR_CONSTANTS.name;
        for (info, acts) in
            [("Mesa 24.3.1", false), ("Mesa 25.0.7", false), ("Mesa 25.1.0", true), ("Mesa 26.1.6", true)]
        {
            assert_eq!(names(MESA, info, &[]).contains(&rule), acts, "{info}");
        }
        assert!(names(MESA, "no version", &[]).contains(&rule));
    }

    /// A hint that costs other drivers what unrolling gains is given to the one that takes seconds alone.
    #[test]
    fn loops_are_kept_on_one_driver_alone() {
        let keeps = |driver, info| names(driver, info, &[]).contains(&UNROLLED_LOOPS.name);
        assert!(keeps(MESA, "Mesa 25.0.7") && keeps(MESA, "Mesa 27.0.0"));
        assert!(!keeps(vk::DriverId::NVIDIA_PROPRIETARY, "580.159.03"));
        assert!(!keeps(vk::DriverId::MESA_RADV, "Mesa 25.0.7"));
    }

    #[test]
    fn rules_are_of_their_drivers_and_can_be_switched_off() {
        let nvidia = names(vk::DriverId::NVIDIA_PROPRIETARY, "580.159.03", &[]);
        assert!(nvidia.contains(&"array-views") && !nvidia.contains(&"quads"));
        assert_eq!(names(vk::DriverId::AMD_PROPRIETARY, "1.2", &[]), Vec::<&str>::new());
        let all = names(MESA, "Mesa 25.0.7", &[]);
        let without = names(MESA, "Mesa 25.0.7", &["quads"]);
        assert!(all.contains(&"quads") && !without.contains(&"quads"));
        assert_eq!(without.len() + 1, all.len());
    }

    #[test]
    fn names_are_unlike_each_other() {
        for (at, rule) in ALL.iter().enumerate() {
            assert!(ALL[at + 1..].iter().all(|other| other.name != rule.name), "{}", rule.name);
        }
    }
}
