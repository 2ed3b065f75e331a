//! `reprise diagnose`: where the GPU stopped when the program was recorded.

use crate::diagnosis::recorded::{Reader, Said};
use crate::diagnosis::{as_json, lines, tell_recorded};
use crate::terminal::exit::{self, Ended, OrExit};
use crate::terminal::output::Output;
use crate::terminal::progress::Progress;
use crate::trace::boundary::Boundary;
use crate::trace::open;
use anyhow::Context;
use reprise_timeline::walk;
use reprise_view::damage::Met;
use serde_json::json;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Needs no GPU: it reads what the recording has of the crash that happened. The calls tell what each queue was given, and the values that
the program saw its fences at tell what was done. Where a device was removed, the recording has the reason, and with breadcrumbs how
far each list was, to the operation. `capture --breadcrumbs` asks the runtime for them: ours has them, and Windows' own.

`capture --markers` has the same from any runtime whose lists have ID3D12GraphicsCommandList2 (libvkd3d, vkd3d-proton, Wine's), also of a
program that hung and was killed.

Without either the report names the first submission that is not known to be done. `reprise replay --diagnose` plays the trace
again with markers of its own, which finds the operation where the fault shows again.

Examples:
  reprise capture --breadcrumbs -- ./game      record with breadcrumbs
  reprise capture --markers -- ./game          record with markers of capture's own
  reprise diagnose game.reprise                what the GPU was at when the device was removed
  reprise diagnose --json game.reprise | jq .diagnosis.suspects

Exit codes: 0 nothing stopped, 6 the GPU stopped or its device was removed, 2 wrong usage, 3 the trace cannot be read or is damaged.";

/// Tell where the GPU stopped when the program was recorded
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The folder with the rings of a capture whose writer died [default: TRACE.rings, if it is there]
    #[arg(long, value_name = "DIR")]
    rings: Option<PathBuf>,
    #[command(flatten)]
    boundary: Boundary,
    /// The trace
    #[arg(value_name = "TRACE")]
    trace: PathBuf,
    /// The report as one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Ended {
    let source = open::Source::new(arguments.trace.clone(), arguments.rings.clone()).by(&arguments.boundary);
    let trace = source.open()?;
    let mut reader = Reader::default();
    let line = Progress::new("reading");
    let place = || source.trace.display().to_string();
    walk(&trace, &mut [&mut reader]).with_context(place).or_exit(exit::TRACE)?;
    drop(line);
    let mut output = Output::new();
    let marked = reader.has_markers();
    let (report, code) = match reader.finish() {
        Said::Stopped(diagnosis) => {
            let told = tell_recorded(&trace, *diagnosis, marked);
            let report = if arguments.json {
                vec![json!({ "diagnosis": as_json(&told) }).to_string()]
            } else {
                lines(&told, &source.trace, output.colour())
            };
            (report, exit::STOPPED)
        }
        Said::Nothing { unknown, still } => {
            let report = match (arguments.json, unknown) {
                (true, _) => {
                    json!({ "diagnosis": null, "unknown_submissions": unknown, "still_seconds": still }).to_string()
                }
                (false, _) if still.is_some() => format!(
                    "nothing moved for {} s, and nothing says that the GPU stopped: the program waits for no fence that the GPU is to reach",
                    still.unwrap_or(0)
                ),
                (false, 0) => {
                    "nothing stopped: no device was removed, and all submissions are known to be done".to_owned()
                }
                (false, 1) => "nothing says that the GPU stopped: no device was removed; the program did not look whether its last \
                               submission was done"
                    .to_owned(),
                (false, _) => format!(
                    "nothing says that the GPU stopped: no device was removed; the program did not look whether its last {unknown} \
                     submissions were done"
                ),
            };
            (vec![report], 0)
        }
    };
    for line in &report {
        if !output.line(line).context("cannot write to standard output").or_exit(exit::FAILED)? {
            return Ok(code);
        }
    }
    output.flush().context("cannot write to standard output").or_exit(exit::FAILED)?;
    Met::of(&trace).sound(&source.trace)?;
    Ok(code)
}
