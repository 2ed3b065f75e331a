//! The names of all environment variables of Reprise, and the words that they may be set to. A launcher sets them for the processes
//! that it starts, a user for any program of ours.
//!
//! This crate reads no variable. Each reader has one module for that (`session::environment` in the captured program).
//! Invariant: only this crate and tests spell such a name or word; tests do because they act as users.
//!
//! ```
//! use reprise_environment::{FrameBoundary, capture};
//!
//! assert_eq!(capture::FRAME_BOUNDARY, "REPRISE_FRAME_BOUNDARY");
//! assert!(matches!(FrameBoundary::named("present=2"), Ok(FrameBoundary::SwapChain(2))));
//! assert!(FrameBoundary::named("now and then").is_err());
//! ```

mod frame_boundary;
mod path;
mod tracking;

pub use frame_boundary::FrameBoundary;
pub use path::path;
pub use tracking::Tracking;

/// What all names begin with.
pub const PREFIX: &str = "REPRISE_";

/// Read by the capture library in the captured program.
pub mod capture {
    /// The folder in which the session's files are made. Without it nothing is recorded.
    pub const SESSION: &str = "REPRISE_SESSION";
    /// Bytes of each thread's ring; `reprise_trace::ring` states the default.
    pub const RING_BYTES: &str = "REPRISE_RING_BYTES";
    /// How stores to mapped memory are found: a [`Tracking`](crate::Tracking) by its name.
    pub const MEMORY_TRACKING: &str = "REPRISE_MEMORY_TRACKING";
    /// The file of frame hashes to write. Without it no frame is hashed.
    pub const FRAME_HASHES: &str = "REPRISE_FRAME_HASHES";
    /// `FOLDER:FRAMES`: frames that are kept as pictures, such as `1,25,100-102`, counted from 1.
    pub const FRAME_DUMP: &str = "REPRISE_FRAME_DUMP";
    /// The wanted frames, counted from 1: `A`, `A-B`, several with commas between.
    pub const FRAMES: &str = "REPRISE_FRAMES";
    /// Frames are wanted that begin while this file is there.
    pub const TRIGGER_FILE: &str = "REPRISE_TRIGGER_FILE";
    /// 1 where each trigger of the session begins or ends what is wanted.
    pub const TRIGGER: &str = "REPRISE_TRIGGER";
    /// So many frames are wanted from a trigger on.
    pub const TRIGGER_FRAMES: &str = "REPRISE_TRIGGER_FRAMES";
    /// What ends a frame: a [`FrameBoundary`](crate::FrameBoundary) by its name.
    pub const FRAME_BOUNDARY: &str = "REPRISE_FRAME_BOUNDARY";
    /// Which processes of the program are recorded: one of [`WHICH_CHILDREN`].
    pub const CHILDREN: &str = "REPRISE_CHILDREN";
    /// All processes that use Direct3D 12.
    pub const ALL: &str = "all";
    /// Only the process that the launcher started.
    pub const NONE: &str = "none";
    /// The words of [`CHILDREN`], the default first.
    pub const WHICH_CHILDREN: [&str; 2] = [ALL, NONE];
    /// The launcher's process id.
    pub const LAUNCHER: &str = "REPRISE_LAUNCHER";
    /// Only processes of this name are recorded: the file name of the executable or of the first argument.
    pub const PROCESS_NAME: &str = "REPRISE_PROCESS_NAME";
    /// `1`: each operation of a list stands between two markers of the library's own.
    pub const MARKERS: &str = "REPRISE_MARKERS";
    /// The calling convention of a runtime whose library's name does not tell it: [`WIN64`], [`SYSV`] or [`ITANIUM`]. Our runtime
    /// heeds the last of these.
    pub const CONVENTION: &str = "REPRISE_CONVENTION";
    /// Microsoft's convention.
    pub const WIN64: &str = "win64";
    /// System V's convention.
    pub const SYSV: &str = "sysv";
    /// That of C++ for Linux, as Microsoft's headers make it.
    pub const ITANIUM: &str = "itanium";
    /// The trace that is being made, for other libraries in the program.
    pub const OUTPUT: &str = "REPRISE_OUTPUT";
    /// The file to which the library in a Windows program, or our runtime in any, appends what happened: `PID EVENT TEXT` a line, EVENT
    /// one of `loaded`, `device`, `refused`.
    pub const HOST_LOG: &str = "REPRISE_HOST_LOG";
    /// The file that stands for the real `d3d12.dll` and `d3d12core.dll` of a Windows program.
    pub const D3D12_LIBRARY: &str = "REPRISE_D3D12_LIBRARY";
}

/// Read in the processes of a program that `reprise run` started.
pub mod run {
    /// The folder of the run: the processes are known by it.
    pub const FOLDER: &str = "REPRISE_RUN";
}

/// Read by our Direct3D 12 runtime.
pub mod runtime {
    /// A text in the runtime's library, by which launchers know the file.
    pub const LIBRARY_MARK: [u8; 24] = *b"reprise's d3d12 runtime:";
    /// Where upload heaps come from: [`IMPORTED`], or the driver.
    pub const UPLOAD_MEMORY: &str = "REPRISE_UPLOAD_MEMORY";
    /// Ordinary pages of the process, which Vulkan imports and the kernel can watch.
    pub const IMPORTED: &str = "imported";
    /// Addresses of memory that programs know: [`REPEATABLE`], or [`ANY`].
    pub const ADDRESSES: &str = "REPRISE_ADDRESSES";
    /// A later process can have the same again.
    pub const REPEATABLE: &str = "repeatable";
    /// Whatever the driver gives.
    pub const ANY: &str = "any";
    /// An address, in hexadecimal digits, where something lies already, for tests of places that cannot be had.
    pub const TAKEN_ADDRESS: &str = "REPRISE_TAKEN_ADDRESS";
    /// The index of a Vulkan device, or part of its name.
    pub const ADAPTER: &str = "REPRISE_ADAPTER";
    /// `1`: Vulkan's validation layer; `fatal`: it aborts at the first error.
    pub const VALIDATION: &str = "REPRISE_VALIDATION";
    /// Which types of views share a descriptor set, for tests: `views`, `families`, or none with every other text but `0`.
    pub const SEPARATE_SETS: &str = "REPRISE_SEPARATE_SETS";
    /// What shader-visible heaps are in Vulkan, for tests: `sets` or `buffers`.
    pub const DESCRIPTORS: &str = "REPRISE_DESCRIPTORS";
    /// Views that shader-visible heaps have room for, for tests: larger heaps cannot be made.
    pub const HEAP_VIEWS: &str = "REPRISE_HEAP_VIEWS";
    /// Not `0`: the CPU sees no texels of textures; they go through staging buffers, for tests.
    pub const HIDDEN_TEXELS: &str = "REPRISE_HIDDEN_TEXELS";
    /// `reported`: the device reports sample positions of tier 1, also where it cannot move samples.
    pub const SAMPLE_POSITIONS: &str = "REPRISE_SAMPLE_POSITIONS";
    /// The value of [`SAMPLE_POSITIONS`].
    pub const REPORTED: &str = "reported";
    /// Not `0`: cut values of indices end primitives of lists, too, as OpenGL's do.
    pub const LIST_CUTS: &str = "REPRISE_LIST_CUTS";
    /// How images change their layouts, for tests: `unified` or `tracked`.
    pub const LAYOUTS: &str = "REPRISE_LAYOUTS";
    /// Names of rules about drivers that do not act, with commas between them, for tests of new releases (`reprise gpus --rules` lists them).
    pub const DRIVER_RULES_OFF: &str = "REPRISE_DRIVER_RULES_OFF";
    /// Bytes of push constants to use at most, for tests of root arguments that do not fit.
    pub const PUSH_BYTES: &str = "REPRISE_PUSH_BYTES";
    /// `0`: indirect commands change state as on devices without `VK_EXT_device_generated_commands`, for tests.
    pub const GENERATED_COMMANDS: &str = "REPRISE_GENERATED_COMMANDS";
    /// A seed by which sizes and alignments of resources in heaps are larger than they need be, for tests.
    pub const INFLATE: &str = "REPRISE_INFLATE";
    /// An operation of the GPU that never ends, or at which the device is lost: `hang@N`, `lost@N`, `page-fault@N:ADDRESS`; for tests.
    pub const FAULT: &str = "REPRISE_FAULT";
    /// A pipeline state whose draws and dispatches take longer than they would: `N:STEPS`, the N-th that the process makes; for tests.
    pub const SLOW: &str = "REPRISE_SLOW";
    /// Not `0`: lists leave breadcrumbs on the GPU, and released memory is remembered, as a program would ask for by DRED.
    pub const BREADCRUMBS: &str = "REPRISE_BREADCRUMBS";
    /// A file for the dump that a driver makes for its vendor's tools when the device is lost.
    pub const FAULT_DUMP: &str = "REPRISE_FAULT_DUMP";
    /// Shaders look at descriptors before they use them: `1`.
    pub const CHECK_DESCRIPTORS: &str = "REPRISE_CHECK_DESCRIPTORS";
    /// The folder of translated shaders and of the driver's pipelines.
    pub const SHADER_CACHE: &str = "REPRISE_SHADER_CACHE";
    /// A program that translates shaders in a process of its own; empty: this process.
    pub const TRANSLATOR: &str = "REPRISE_TRANSLATOR";
}

/// Read by the Vulkan layer of tests that reorders commands.
pub mod reorder {
    /// A number: which order. 0: backwards, top levels first.
    pub const SEED: &str = "REPRISE_REORDER_SEED";
    /// `1`: barriers that order builds are left out, to show that results depend on them.
    pub const DROP: &str = "REPRISE_REORDER_DROP";
}

/// Read by the Vulkan layer of tests that offers counters.
pub mod counting {
    /// `1`: draws are counted one too many, to show that counts show.
    pub const LIE: &str = "REPRISE_COUNTING_LIE";
    /// A file to which each process adds a line about what the layer did.
    pub const SAID: &str = "REPRISE_COUNTING_SAID";
}

/// Variables of vkd3d-proton's that our runtime heeds where none of its own says the same.
pub mod vkd3d_proton {
    /// What all names begin with.
    pub const PREFIX: &str = "VKD3D_";
    /// The index of a Vulkan device.
    pub const VULKAN_DEVICE: &str = "VKD3D_VULKAN_DEVICE";
    /// A part of the name of a Vulkan device.
    pub const FILTER_DEVICE_NAME: &str = "VKD3D_FILTER_DEVICE_NAME";
    /// The folder of what shaders became; [`NO_CACHE`]: none.
    pub const SHADER_CACHE_PATH: &str = "VKD3D_SHADER_CACHE_PATH";
    /// No folder.
    pub const NO_CACHE: &str = "0";
    /// How much is logged: `none`, `err`, `info`, `fixme`, `warn`, `trace`.
    pub const DEBUG: &str = "VKD3D_DEBUG";
    /// The file of the log.
    pub const LOG_FILE: &str = "VKD3D_LOG_FILE";
    /// The feature level to report, such as `12_1`.
    pub const FEATURE_LEVEL: &str = "VKD3D_FEATURE_LEVEL";
    /// The shader model to report, such as `6_6`.
    pub const SHADER_MODEL: &str = "VKD3D_SHADER_MODEL";
}

/// Read by every process of ours.
pub mod log {
    /// Lines of lower levels are dropped.
    pub const LEVEL: &str = "REPRISE_LOG_LEVEL";
    /// Lines are appended to this file, too.
    pub const FILE: &str = "REPRISE_LOG_FILE";
}

/// Read by the program `reprise`, and by tests and tasks that use what was built.
pub mod command {
    /// The capture library to preload, in place of the one beside the program.
    pub const CAPTURE_LIBRARY: &str = "REPRISE_CAPTURE_LIBRARY";
    /// The folder of the capture libraries for Windows programs, in place of the one beside the program.
    pub const WINDOWS_LIBRARIES: &str = "REPRISE_WINDOWS_LIBRARIES";
    /// Our runtime as a library, in place of the one that is built.
    pub const RUNTIME_LIBRARY: &str = "REPRISE_RUNTIME_LIBRARY";
    /// The test programs, in place of those that are built.
    pub const PROGRAMS: &str = "REPRISE_PROGRAMS";
    /// Microsoft's compiler library.
    pub const DXCOMPILER: &str = "REPRISE_DXCOMPILER";
}

/// Read by the null runtime.
pub mod null {
    /// Rules: which method misbehaves, on which call, and how.
    pub const RULES: &str = "REPRISE_NULL";
    /// The file of the log; [`OFF`]: none.
    pub const LOG: &str = "REPRISE_NULL_LOG";
    /// Leaves nothing but the floor of costs.
    pub const OFF: &str = "off";
}
