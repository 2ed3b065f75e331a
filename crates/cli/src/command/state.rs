//! `reprise state`: the state as a call found it.

use crate::terminal::exit::{self, Ended, Failure, OrExit};
use crate::terminal::output::Output;
use crate::terminal::progress::Progress;
use crate::trace::open;
use anyhow::Context;
use reprise_timeline::index::{Cache, Index};
use reprise_view::damage::Met;
use reprise_view::state::{self, Refused};
use reprise_view::uses;

const EXAMPLES: &str = "\
The state is what the call finds: all calls that had ended when it began have had their effect, and the call itself has not.

At a draw or dispatch it has the pipeline with the hashes of its shaders (the names of their files in `extract`), root
arguments down to the slots of descriptor tables and the resources in them, targets, buffers and everything else that is
set; at a dispatch of rays its shader tables, as far as the program stored them itself, with the export and the arguments of each
record; at any call of a list its markers, and the submission that will run it; at any call the values of fences. Descriptors are those
of the moment: a program may write others before the list runs. A draw of a bundle is shown in the first list that runs it.

--object shows one object as of the call: the slots of a descriptor heap, what is placed where in a heap, where a resource is placed and
its views, the history of a fence or queue, the parameters of a root signature. Of placed resources that share memory it says which is
active, so holds contents, and which call made it so: a use when its list ran, or an aliasing barrier. Where a shader picked one of
several by an index, it says so: ambiguous.

Of a resource it says in which state or layout each mip, layer and plane is, the last write before the call and the next one behind it, and
what the call itself does with it: as the call finds it when its list runs first, so between the draws of a list, too. All uses of all
resources are the table `uses` of `reprise query`.

Long traces get an index, made once and kept in $XDG_CACHE_HOME/reprise (or ~/.cache/reprise); deleting it is harmless.

Examples:
  reprise dump --methods 'Draw*' gears.reprise            which calls draw
  reprise state gears.reprise 1234                        what is bound at that draw
  reprise state gears.reprise 1234 --json | jq '.bound.graphics.arguments'
  reprise state gears.reprise 1234 --object 12            what a heap holds then

Exit codes: 0 success, 2 wrong usage (there is no such call, or no such object then), 3 the trace cannot be read or the call
is in a part of it that is damaged.";

/// Show what is bound at a call, and the state of any object
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    source: open::Source,
    /// The call, by its number in `dump`
    #[arg(value_name = "CALL", value_parser = clap::value_parser!(u64).range(1..))]
    call: u64,
    /// Show this object, by its number in `dump`
    #[arg(long, value_name = "ID", value_parser = clap::value_parser!(u32).range(1..))]
    object: Option<u32>,
    /// One JSON object
    #[arg(long)]
    json: bool,
    /// Neither look for an index of the trace nor keep one
    #[arg(long)]
    no_index: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Ended {
    let trace = arguments.source.open()?;
    let place = || arguments.source.trace.display().to_string();
    let calls = trace.statistics().calls;
    let mut line = Progress::new("reading");
    let mut progress = |call: u64| line.show_part(call, calls, || format!("call {call} of {calls}"));
    let cache = Cache::user().filter(|_| !arguments.no_index);
    let mut index = Index::open(&trace, cache, &mut progress).with_context(place).or_exit(exit::TRACE)?;
    let report = state::report(&trace, &mut index, arguments.call, arguments.object, &mut progress);
    let mut report = match report {
        Ok(report) => report,
        Err(Refused::Asked(text)) => return Err(Failure::message(exit::USAGE, format!("{}: {text}", place()))),
        Err(Refused::Trace(error)) => return Err(error).with_context(place).or_exit(exit::TRACE),
    };
    if let Some(object) = arguments.object {
        let asked = uses::Asked::of(&trace, &mut index, arguments.call, object);
        if let Some(asked) = asked.with_context(place).or_exit(exit::TRACE)? {
            let mut go_on = |call| {
                progress(call);
                true
            };
            report.usage = Some(uses::around(&trace, asked, &mut go_on).with_context(place).or_exit(exit::TRACE)?);
        }
    }
    drop(line);
    let mut output = Output::new();
    let lines = match arguments.json {
        true => vec![serde_json::to_string(&report).context("cannot write JSON").or_exit(exit::FAILED)?],
        false => state::write(&report, output.colour()),
    };
    for line in lines {
        if !output.line(&line).context("cannot write to standard output").or_exit(exit::FAILED)? {
            return Ok(0);
        }
    }
    output.flush().context("cannot write to standard output").or_exit(exit::FAILED)?;
    Met::of(&trace).sound(&arguments.source.trace)?;
    Ok(0)
}
