//! Why a run ends early.

/// Why a run ends early. Offsets are of words from the module's beginning.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The module breaks SPIR-V's rules.
    #[error("word {offset} of the SPIR-V module: {what}")]
    Malformed {
        /// Where the instruction begins.
        offset: u32,
        /// What is wrong.
        what: String,
    },
    /// The module has what the interpreter cannot run.
    #[error("unsupported: {what}, at word {offset} of the SPIR-V module")]
    Unsupported {
        /// Where the instruction begins.
        offset: u32,
        /// What it is.
        what: String,
    },
    /// A resource cannot be read or written.
    #[error("word {offset} of the SPIR-V module: {what}")]
    Resource {
        /// Where the instruction begins.
        offset: u32,
        /// What is wrong.
        what: String,
    },
    /// The shader runs longer than it may here.
    #[error(
        "the shader still runs after {steps} instructions of one group: does a loop of it end? --budget allows more"
    )]
    Budget {
        /// Instructions that all lanes of the group made.
        steps: u64,
    },
    /// Lanes wait for each other for good.
    #[error("word {offset} of the SPIR-V module: lanes wait at a barrier that other lanes never reach")]
    Barrier {
        /// Where the barrier is.
        offset: u32,
    },
}
