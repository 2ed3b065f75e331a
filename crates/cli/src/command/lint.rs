//! `reprise lint`: what is wrong in what the program did.

use crate::terminal::exit::{self, Ended, OrExit};
use crate::terminal::output::{self, Output, Paint, painted};
use crate::terminal::progress::Progress;
use crate::trace::boundary::Boundary;
use crate::trace::open;
use anyhow::Context;
use reprise_lint::{Finding, Linter, Named, Rule, Severity};
use reprise_timeline::walk::{At, Interests, Pass};
use reprise_timeline::{Call, walk};
use reprise_view::damage::Met;
use reprise_view::finding;
use std::collections::BTreeMap;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Needs no GPU: it reads the recording once, follows what each list does when it runs, and holds it against the API's rules: states
and barriers, orders between queues, lifetimes, descriptors, memory that nothing initialised. --rules lists them, each with its source.

How sure a finding is:
  error   the recording proves it
  likely  wrong unless a shader leaves out an access that it is made for, or something outside the recording helps
  hint    allowed, and hardly meant

A finding names the call that is wrong and the calls that matter to it (who set the state, who released), by their numbers in `dump`. The
same mistake again is counted, and its first place shown. No findings do not mean that there is nothing wrong: what the rules cannot see
is in docs/lint.md.

Examples:
  reprise lint game.reprise                               the findings, rule by rule
  reprise lint --all --severity error game.reprise        everything that is proved
  reprise lint --rule queue-race --rule state-use game.reprise
  reprise lint --format json game.reprise | jq -r '[.rule, .call, .text] | @tsv'
  reprise state game.reprise 1234                         what was bound at a call that a finding names

Exit codes: 0 no findings, 5 findings (of those asked for), 2 wrong usage, 3 the trace cannot be read or is damaged.";

/// How findings are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// For people, by rule
    Text,
    /// A JSON object a line
    Json,
}

/// The least certain findings that are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Least {
    /// What is proved
    Error,
    /// And what is likely
    Likely,
    /// And what is allowed, and hardly meant
    Hint,
}

/// Find what the program did wrong, from the recording alone
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The folder with the rings of a capture whose writer died [default: TRACE.rings, if it is there]
    #[arg(long, value_name = "DIR")]
    rings: Option<PathBuf>,
    #[command(flatten)]
    boundary: Boundary,
    /// The trace
    #[arg(value_name = "TRACE", required_unless_present = "rules")]
    trace: Option<PathBuf>,
    /// Only this rule, by its name; repeatable
    #[arg(long, value_name = "NAME", value_parser = name)]
    rule: Vec<String>,
    /// Only findings that are at least as sure
    #[arg(long, value_name = "HOW", value_enum, default_value = "hint")]
    severity: Least,
    /// All findings, not only what fits into 40 lines
    #[arg(long)]
    all: bool,
    /// How to write them
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// One JSON object a line; the same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// List the rules: what each says, and where the API's documents say it
    #[arg(long)]
    rules: bool,
}

/// Lines of text without `--all`.
const LINES: usize = 40;

/// The name of a rule.
fn name(text: &str) -> Result<String, String> {
    match reprise_lint::rules().iter().any(|rule| rule.name == text) {
        true => Ok(text.to_owned()),
        false => {
            let names: Vec<_> = reprise_lint::rules().iter().map(|rule| rule.name).collect();
            Err(format!("there is no such rule; there are {}", names.join(", ")))
        }
    }
}

/// Says on a terminal how far the reading is, at each submission and closed list.
struct Watch<'p> {
    line: &'p mut Progress,
    calls: u64,
}

impl Pass for Watch<'_> {
    fn interests(&self) -> Interests {
        Interests::new().calls(&[
            reprise_d3d12::method("ID3D12CommandQueue", "ExecuteCommandLists"),
            reprise_d3d12::method("ID3D12GraphicsCommandList", "Close"),
        ])
    }

    fn call(&mut self, call: &Call<'_>, _: &At) {
        self.line.show_part(call.number, self.calls, || format!("call {} of {}", call.number, self.calls));
    }
}

pub(crate) fn run(arguments: &Arguments) -> Ended {
    let Some(trace) = arguments.trace.as_ref().filter(|_| !arguments.rules) else { return list() };
    let source = open::Source::new(trace.clone(), arguments.rings.clone()).by(&arguments.boundary);
    let trace = source.open_to_count()?;
    let mut linter = Linter::new(&trace);
    let mut line = Progress::new("reading");
    let mut watch = Watch { line: &mut line, calls: trace.statistics().calls };
    let place = || source.trace.display().to_string();
    walk(&trace, &mut [&mut linter, &mut watch]).with_context(place).or_exit(exit::TRACE)?;
    drop(line);
    let (mut findings, left_out) = linter.finish();
    let least = match arguments.severity {
        Least::Error => Severity::Error,
        Least::Likely => Severity::Likely,
        Least::Hint => Severity::Hint,
    };
    let asked = |rule: &Rule| arguments.rule.is_empty() || arguments.rule.iter().any(|name| name == rule.name);
    findings.retain(|finding| finding.severity <= least && asked(finding.rule));
    let mut output = Output::new();
    let format = if arguments.json { Format::Json } else { arguments.format };
    let lines = match format {
        Format::Json => findings.iter().map(|found| finding::json(found).to_string()).collect(),
        Format::Text => text(&findings, left_out, arguments.all, output.colour()),
    };
    write(&mut output, &lines)?;
    Met::of(&trace).sound(&source.trace)?;
    Ok(if findings.is_empty() { 0 } else { exit::FOUND })
}

/// Writes lines until nobody reads any more.
fn write(output: &mut Output, lines: &[String]) -> Result<(), exit::Failure> {
    for line in lines {
        if !output.line(line).context("cannot write to standard output").or_exit(exit::FAILED)? {
            return Ok(());
        }
    }
    output.flush().context("cannot write to standard output").or_exit(exit::FAILED)?;
    Ok(())
}

/// The rules.
fn list() -> Ended {
    let mut output = Output::new();
    let colour = output.colour();
    let mut lines = Vec::new();
    for rule in reprise_lint::rules() {
        lines.push(painted(colour, Paint::Name, rule.name));
        lines.push(format!("  {}", rule.says));
        lines.push(format!("  {} {}", painted(colour, Paint::Field, "source:"), rule.source));
    }
    write(&mut output, &lines)?;
    Ok(0)
}

/// `ID3D12Resource(7) "its name"`. The name is escaped: it is the program's text.
fn object(named: &Named) -> String {
    let name = named.name.as_ref().map_or_else(String::new, |name| format!(" {name:?}"));
    format!("{}({}){name}", named.class, named.id)
}

/// Findings by rule, in the order of the rules; as many as fit, unless all are wanted.
fn text(findings: &[Finding], left_out: u64, all: bool, colour: bool) -> Vec<String> {
    if findings.is_empty() {
        return vec!["no findings".to_owned()];
    }
    let mut counts: BTreeMap<Severity, usize> = BTreeMap::new();
    findings.iter().for_each(|finding| *counts.entry(finding.severity).or_default() += 1);
    let counts: Vec<_> = counts.iter().map(|(severity, count)| format!("{count} {severity}")).collect();
    let head = format!("{}: {}", output::plural(findings.len() as u64, "finding"), counts.join(", "));
    let groups: Vec<(&Rule, Vec<&Finding>)> = reprise_lint::rules()
        .iter()
        .map(|rule| (*rule, findings.iter().filter(|finding| finding.rule.name == rule.name).collect::<Vec<_>>()))
        .filter(|(_, group)| !group.is_empty())
        .collect();
    // A line for each rule, and one about what is left out; the rest is shared among the rules.
    let room = if all { usize::MAX } else { LINES.saturating_sub(2 + 2 * groups.len()) };
    let share = (room / groups.len()).max(2);
    let mut lines = vec![head];
    let mut hidden = 0;
    for (rule, group) in groups {
        // Many rules at once: those that do not fit are counted.
        if !all && lines.len() + 4 > LINES - 1 {
            hidden += group.len();
            continue;
        }
        let times: u64 = group.iter().map(|finding| finding.times).sum();
        lines.push(format!(
            "{} ({}, seen {}): {}",
            painted(colour, Paint::Name, rule.name),
            output::plural(group.len() as u64, "finding"),
            output::plural(times, "time"),
            rule.says
        ));
        lines.push(format!("  {} {}", painted(colour, Paint::Field, "source:"), rule.source));
        let mut used = 0;
        for finding in group {
            let own = lines_of(finding, colour);
            let full = !all && lines.len() + own.len() > LINES - 1;
            if full || (used + own.len() > share && used > 0) {
                hidden += 1;
                continue;
            }
            used += own.len();
            lines.extend(own);
        }
    }
    if hidden > 0 {
        lines.push(format!("… {hidden} more: --all has all, --rule NAME those of one rule"));
    }
    if left_out > 0 {
        lines.push(format!("not kept: {}", output::plural(left_out, "more finding")));
    }
    lines
}

/// A finding: where, what, and the calls that matter to it.
fn lines_of(finding: &Finding, colour: bool) -> Vec<String> {
    let mut place = format!("call {}", finding.call);
    if let Some(list) = finding.list {
        place += &format!(", list {list}");
    }
    if let Some((number, call)) = finding.submission {
        place += &format!(", submission {number} (call {call})");
    }
    let paint = if finding.severity == Severity::Hint { Paint::Field } else { Paint::Alarm };
    let object = finding.object.as_ref().map_or_else(String::new, |it| format!("{}: ", object(it)));
    let times = if finding.times > 1 { format!(" ({} times)", finding.times) } else { String::new() };
    let mut lines = vec![format!(
        "  {} {}: {object}{}{times}",
        painted(colour, paint, finding.severity.name()),
        painted(colour, Paint::Place, &place),
        finding.text
    )];
    let related: Vec<_> = finding.related.iter().map(|(call, what)| format!("call {call} {what}")).collect();
    if !related.is_empty() {
        lines.push(format!("      {}", related.join("; ")));
    }
    lines
}
