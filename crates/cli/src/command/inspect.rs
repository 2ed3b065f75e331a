//! The options of a replay that look at single calls, or stop at them.

use reprise_replay::Options;

/// What happens around single calls.
#[derive(Debug, clap::Args)]
pub(crate) struct Inspecting {
    /// Stop in the debugger right before these calls, by the numbers of `reprise dump`; without one, say how and stop
    #[arg(long, value_name = "CALL,CALL", value_delimiter = ',', value_parser = clap::value_parser!(u64).range(1..))]
    break_at: Vec<u64>,
}

impl Inspecting {
    /// Puts what is asked for into the options of a replay.
    pub(crate) fn apply(&self, options: &mut Options<'_>) {
        options.break_at = self.break_at.iter().copied().collect();
    }
}
