//! `reprise dump`: the calls of a trace, one a line.

use crate::options::selection::Selection;
use crate::terminal::exit::{self, Ended, OrExit};
use crate::terminal::output::Output;
use crate::terminal::progress::Progress;
use crate::trace::open;
use anyhow::Context;
use reprise_view::damage::Met;
use reprise_view::dump::filter::Filter;
use reprise_view::dump::{self, Dump};

const EXAMPLES: &str = "\
Each call is one line: number, frame (from 1), thread, object, arguments by name, result. What a call gave back is under
its parameter's name. Everything else that happened is a line too: bytes the program stored to mapped memory, fence
values it saw, frame boundaries, facts about the program's device, and gaps, where something is missing.

Filters (--frames, --calls, --threads, --methods, --objects) must all agree. What is no call has no method.

Examples:
  reprise dump gears.reprise | less -R                    everything, for people
  reprise dump --frames 3-4 gears.reprise                 two frames
  reprise dump --calls 120-150 --threads 0 gears.reprise
  reprise dump --methods 'Draw*' --methods ID3D12GraphicsCommandList::ResourceBarrier gears.reprise
  reprise dump --objects 12 gears.reprise                 all about one object: from the call that made it to its release
  reprise dump --bytes --objects 12 gears.reprise         the same, with the bytes that the program stored to it
  reprise dump --json gears.reprise | jq -c 'select(.method == \"ID3D12Device::CreateCommittedResource\")'
  reprise dump --json gears.reprise | jq 'select(.returned == false)'
                                                          the calls that never returned: where it hung or crashed

With --json a call has call, thread, frame, time_ns, method, this, args, result (and returned: false instead of result when
it never returned); anything else has event, and after_call, the number of the last call before it. With --bytes memory has
hex.

Exit codes: 0 success, 2 wrong usage, 3 the trace cannot be read or parts of it are damaged.";

/// Print the calls of a trace, one a line
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// One JSON object a line
    #[arg(long)]
    json: bool,
    /// Show the bytes that memory records hold
    #[arg(long)]
    bytes: bool,
    #[command(flatten)]
    selection: Selection,
    #[command(flatten)]
    source: open::Source,
}

pub(crate) fn run(arguments: &Arguments) -> Ended {
    let trace = arguments.source.open()?;
    let mut output = Output::new();
    let filter = Filter::new(&arguments.selection.selected(&trace, &arguments.source)?)?;
    let form = match (arguments.json, output.colour()) {
        (true, _) => dump::for_programs,
        (false, true) => dump::in_colour,
        (false, false) => dump::for_people,
    };
    let (frame, call) = filter.first();
    let mut dump = Dump::new(filter, form).with_bytes(arguments.bytes);
    let mut progress = Progress::over("reading", trace.statistics().calls);
    let mut events = trace.events_known_from(frame, call);
    let place = || arguments.source.trace.display().to_string();
    let mut any = false;
    let mut write = |output: &mut Output, line: &str| {
        any = true;
        output.line(line).context("cannot write to standard output").or_exit(exit::FAILED)
    };
    while let Some(event) = events.next().with_context(place).or_exit(exit::TRACE)? {
        if dump.is_done(&event) {
            break;
        }
        let state = || format!("frame {}", reprise_view::dump::event::frame(&event));
        progress.show_part(event.number, trace.statistics().calls, state);
        dump.event(&event);
        while let Some(line) = dump.next() {
            if !write(&mut output, &line)? {
                return Ok(0);
            }
        }
    }
    while let Some(line) = dump.rest() {
        if !write(&mut output, &line)? {
            return Ok(0);
        }
    }
    output.flush().context("cannot write to standard output").or_exit(exit::FAILED)?;
    if !any {
        arguments.selection.tell_nothing(&trace);
    }
    Met::of(&trace).and_undecoded(dump.damaged()).sound(&arguments.source.trace)?;
    Ok(0)
}
