//! What it costs that a replay which is led from stop to stop is a process of its own.
//!
//! Method: the target of each draw of a trace is asked for and taken as bytes, by a leader in this process, which gets them as values, and by
//! `reprise steps`, which sends them through a socket. Both play the same trace on our runtime, in turns; the first turn fills caches and does not
//! count. The medians are printed, for all draws and for one, with what the process takes to start.

#[cfg(unix)]
fn main() -> anyhow::Result<()> {
    measured::main()
}

#[cfg(not(unix))]
fn main() {
    eprintln!("step_cost measures on Unix only");
}

#[cfg(unix)]
mod measured {
    use anyhow::{Context, Result, ensure};
    use clap::Parser;
    use reprise_d3d12::MODEL;
    use reprise_replay::{Leader, Options, Order, Shot, ShotContents, ShotOf, ShotPart, Stand, Why};
    use reprise_trace::read::Trace;
    use reprise_trace::record::Kind;
    use serde_json::{Value as Json, json};
    use std::collections::{HashMap, VecDeque};
    use std::io::{BufRead, BufReader, Read, Write};
    use std::os::fd::OwnedFd;
    use std::os::unix::net::UnixStream;
    use std::path::{Path, PathBuf};
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    /// Measures a replay that is led in this process, and one in a process of its own.
    #[derive(Parser)]
    struct Arguments {
        /// The trace
        trace: PathBuf,
        /// The program `reprise`
        #[arg(long)]
        reprise: PathBuf,
        /// Our runtime, as a library
        #[arg(long)]
        library: PathBuf,
        /// The draws, by the numbers of `reprise dump` [default: all draws of a trace of this build]
        #[arg(long, value_delimiter = ',')]
        calls: Vec<u64>,
        /// Turns of each
        #[arg(long, default_value_t = 7)]
        runs: usize,
    }

    /// What a turn took, in all and from the first question on, and the bytes that it got.
    struct Turn {
        all: Duration,
        asking: Duration,
        bytes: usize,
        targets: usize,
    }

    struct Taker {
        begun: Option<Instant>,
        asked: VecDeque<Shot>,
        shown: HashMap<Shot, Option<Vec<u8>>>,
    }

    impl Leader for Taker {
        fn order(&mut self, stand: &Stand) -> Order {
            if stand.why == Why::Beginning && self.begun.is_none() {
                self.begun = Some(Instant::now());
                return Order::Look(self.asked.iter().cloned().collect());
            }
            while let Some(shot) = self.asked.front() {
                if !self.shown.contains_key(shot) {
                    return Order::Await(shot.clone());
                }
                self.asked.pop_front();
            }
            Order::End
        }

        fn shown(&mut self, shot: &Shot, shown: Result<ShotContents, String>) {
            let bytes = shown.ok().map(|contents| match contents.part {
                ShotPart::Texels { bytes, .. } | ShotPart::Bytes { bytes, .. } => bytes,
            });
            self.shown.insert(shot.clone(), bytes);
        }
    }

    fn here(arguments: &Arguments, draws: &[u64]) -> Result<Turn> {
        let shot = |call: &u64| {
            let of = ShotOf::Target { slot: 0, slice: 0, sample: 0 };
            Shot { call: *call, before: false, submission: None, of }
        };
        let mut taker = Taker { begun: None, asked: draws.iter().map(shot).collect(), shown: HashMap::new() };
        let start = Instant::now();
        let library = arguments.library.display().to_string();
        let convention = Some(reprise_replay::Convention::SysV);
        let mut options =
            Options { runtime: Some(library), convention, leader: Some(&mut taker), ..Options::default() };
        reprise_replay::replay(&arguments.trace, &mut options)?;
        drop(options);
        let all = start.elapsed();
        let begun = taker.begun.context("the replay made no call")?;
        let got: Vec<&Vec<u8>> = taker.shown.values().flatten().collect();
        Ok(Turn { all, asking: begun.elapsed(), bytes: got.iter().map(|it| it.len()).sum(), targets: got.len() })
    }

    fn apart(arguments: &Arguments, draws: &[u64]) -> Result<Turn> {
        let start = Instant::now();
        let (own, other) = UnixStream::pair()?;
        let mut command = Command::new(&arguments.reprise);
        command.args(["steps", "--runtime"]).arg(&arguments.library).args(["--convention", "sysv"]);
        let mut child = command.arg(&arguments.trace).stdin(Stdio::from(OwnedFd::from(other))).spawn()?;
        // Else the socket stays open on this side.
        drop(command);
        let (mut writer, mut reader) = (own.try_clone()?, BufReader::with_capacity(1 << 20, own));
        let mut ask = |request: Json| -> Result<(Json, Vec<u8>)> {
            writeln!(writer, "{request}")?;
            let mut line = String::new();
            reader.read_line(&mut line)?;
            let answer: Json = serde_json::from_str(&line).context("the process said nothing")?;
            let mut bytes = vec![0; answer["follows"].as_u64().unwrap_or(0) as usize];
            reader.read_exact(&mut bytes)?;
            Ok((answer, bytes))
        };
        let wish = |call: &u64| json!({ "call": call, "target": 0 });
        ask(json!({ "do": "look", "of": draws.iter().map(wish).collect::<Vec<_>>() }))?;
        let begun = Instant::now();
        let (mut bytes, mut targets) = (0, 0);
        for draw in draws {
            let (answer, data) = ask(json!({ "do": "get", "wish": wish(draw) }))?;
            bytes += data.len();
            targets += usize::from(answer["error"].is_null());
        }
        let asking = begun.elapsed();
        drop((writer, reader));
        child.wait()?;
        Ok(Turn { all: start.elapsed(), asking, bytes, targets })
    }

    fn draws_of(path: &Path) -> Result<Vec<u64>> {
        let trace = Trace::open(path)?;
        let (mut events, mut draws) = (trace.events().without_pages(), Vec::new());
        while let Some(event) = events.next()? {
            let name = MODEL.methods.get(usize::from(event.method)).map_or("", |method| method.name);
            if event.kind == Kind::Enter && ["DrawInstanced", "DrawIndexedInstanced"].contains(&name) {
                draws.push(event.number);
            }
        }
        Ok(draws)
    }

    fn median(mut values: Vec<f64>) -> f64 {
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
    }

    pub(super) fn main() -> Result<()> {
        let arguments = Arguments::parse();
        let draws = if arguments.calls.is_empty() { draws_of(&arguments.trace)? } else { arguments.calls.clone() };
        ensure!(!draws.is_empty(), "the trace has no draw");
        let mut turns: [Vec<Turn>; 2] = [Vec::new(), Vec::new()];
        for run in 0..=arguments.runs {
            for (kind, turns) in turns.iter_mut().enumerate() {
                let turn = if kind == 0 { here(&arguments, &draws) } else { apart(&arguments, &draws) }?;
                if run > 0 {
                    turns.push(turn);
                }
            }
        }
        for (name, turns) in ["in this process", "in a process of its own"].iter().zip(&turns) {
            let ms =
                |of: fn(&Turn) -> Duration| median(turns.iter().map(|turn| of(turn).as_secs_f64() * 1e3).collect());
            let last = turns.last().context("no turn")?;
            println!(
                "{name}: {:.1} ms in all, {:.1} ms from the first question on; {} targets, {} bytes, {:.2} ms each",
                ms(|turn| turn.all),
                ms(|turn| turn.asking),
                last.targets,
                last.bytes,
                ms(|turn| turn.asking) / last.targets.max(1) as f64,
            );
        }
        Ok(())
    }
}
