//! `reprise steps`: a replay that goes on from stop to stop as the process that started it says, for the Python module.
//!
//! Whoever starts it gives it a socket for standard input, and both sides speak through it: a request is a line of JSON, and so is its
//! answer. `run` goes on to a call, `look` asks for what is looked at there or later, `get` gives one of these with its bytes behind the line.
//! Invariant: each request has one answer, and an answer is of the place that was asked for, or an error.

use super::{pictures, replay};
use crate::options::adapter;
use crate::shown::answer::answer;
use crate::shown::wish::Wish;
use crate::terminal::exit::{self, Ended, OrExit};
use crate::trace::open;
use anyhow::{Context, Result, anyhow, bail};
use reprise_replay::{Leader, Order, Shot, ShotContents, ShotPart, Stand, Why};
use serde_json::{Value as Json, json};
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Lines, Write};

/// Play a trace from stop to stop (internal)
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    runtime: replay::Runtime,
    #[command(flatten)]
    adapter: adapter::Choice,
    #[command(flatten)]
    source: open::Source,
}

pub(crate) fn run(arguments: &Arguments) -> Ended {
    let calls = arguments.source.open()?.statistics().calls;
    let pipe = pictures::pipe().context("there is no pipe").or_exit(exit::USAGE)?;
    let mut player = Player::new(pipe, calls).context("there is no pipe").or_exit(exit::USAGE)?;
    let played = arguments.adapter.tell(arguments.runtime.name()).and_then(|_held| {
        let mut options = arguments.runtime.options()?;
        options.leader = Some(&mut player);
        let report = replay::play_quietly(&arguments.source, options)?;
        replay::sound(&report, &arguments.source)
    });
    player.rest(match &played {
        Ok(()) => json!({ "ended": true }),
        Err(failure) => json!({ "ended": true, "error": failure.to_string(), "code": failure.code() }),
    });
    Ok(0)
}

/// A request that the replay has to go on for.
#[derive(Clone, Debug)]
enum Pending {
    Run(Moment),
    Get(Box<Wish>),
}

/// Right before a call, or right after it; in the order of the replay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Moment {
    call: u64,
    is_after: bool,
}

impl Moment {
    fn of(shot: &Shot) -> Moment {
        Moment { call: shot.call, is_after: !shot.before }
    }
}

/// Does what the other process asks.
struct Player {
    lines: Lines<BufReader<File>>,
    writer: BufWriter<File>,
    calls: u64,
    /// Given, and not passed by the stops yet.
    shown: HashMap<Shot, Result<ShotContents, String>>,
    /// Asked for, and not given yet.
    open: HashSet<Shot>,
    pending: Option<Pending>,
    /// Where the other process takes the replay to be.
    stop: Moment,
    /// Where it is.
    place: Moment,
    has_begun: bool,
    /// Nobody asks any more.
    has_left: bool,
    /// What is said where it is over.
    ended: Option<Json>,
}

impl Player {
    fn new(pipe: File, calls: u64) -> std::io::Result<Player> {
        let lines = BufReader::new(pipe.try_clone()?).lines();
        let (shown, open, pending) = (HashMap::new(), HashSet::new(), None);
        let (stop, place, ended) = (Moment::default(), Moment::default(), None);
        let writer = BufWriter::new(pipe);
        Ok(Player { lines, writer, calls, shown, open, pending, stop, place, has_begun: false, has_left: false, ended })
    }

    /// The next request; `None` where nobody asks any more.
    fn request(&mut self) -> Option<Json> {
        if self.has_left {
            return None;
        }
        let line = self.lines.next().and_then(Result::ok);
        let request = line.map(|line| serde_json::from_str(&line).unwrap_or(Json::Null));
        let request = request.filter(|request| request["do"] != "end");
        self.has_left = request.is_none();
        request
    }

    /// Whether somebody reads what is said.
    fn say(&mut self, said: &Json, bytes: &[u8]) -> bool {
        let written = writeln!(self.writer, "{said}").and_then(|()| self.writer.write_all(bytes));
        written.and_then(|()| self.writer.flush()).is_ok()
    }

    /// Gives what was asked for, if it is there.
    fn give(&mut self, wish: &Wish) -> Option<bool> {
        let shown = self.shown.get(&wish.shot)?;
        let told = match shown {
            Ok(contents) => answer(wish, contents).map(|about| (about, contents)).map_err(|what| format!("{what:#}")),
            Err(what) => Err(what.clone()),
        };
        let (said, bytes) = match told {
            Ok((mut about, contents)) => {
                let (ShotPart::Texels { bytes, .. } | ShotPart::Bytes { bytes, .. }) = &contents.part;
                let bytes = bytes.clone();
                about["moved"] = json!(contents.moved);
                about["follows"] = json!(bytes.len());
                (about, bytes)
            }
            Err(what) => (json!({ "error": what }), Vec::new()),
        };
        Some(self.say(&said, &bytes))
    }

    /// Takes a request; the order that it leads to, if the replay is needed for it.
    fn take(&mut self, request: &Json) -> Result<Option<Order>> {
        match request["do"].as_str() {
            Some("run") => {
                let call = request["call"].as_u64().context("call: missing")?;
                let to = Moment { call, is_after: request["before"] != true };
                if call == 0 || call > self.calls {
                    bail!("there is no call {call}: calls have numbers from 1 to {}", self.calls);
                }
                if to <= self.stop {
                    self.say(&json!({ "passed": self.stop.call }), &[]);
                    return Ok(None);
                }
                self.stop = to;
                self.shown.retain(|shot, _| Moment::of(shot) >= to);
                if to <= self.place {
                    let here = to == self.place && self.ended.is_none();
                    self.say(&json!({ "stop": { "call": call }, "here": here }), &[]);
                    return Ok(None);
                }
                if let Some(ended) = self.ended.clone() {
                    self.say(&ended, &[]);
                    return Ok(None);
                }
                self.pending = Some(Pending::Run(to));
                Ok(Some(Order::Run { call, before: !to.is_after }))
            }
            Some("look") => {
                let wishes = request["of"].as_array().context("of: no list")?;
                let shots = wishes.iter().map(|wish| Ok(Wish::of_json(&wish.to_string())?.shot));
                let shots = shots.collect::<Result<Vec<Shot>>>()?;
                let shots: Vec<Shot> = shots.into_iter().filter(|shot| self.is_to_come(shot)).collect();
                self.say(&json!({ "looked": shots.len() }), &[]);
                self.open.extend(shots.iter().cloned());
                Ok((!shots.is_empty()).then_some(Order::Look(shots)))
            }
            Some("get") => {
                let wish = Wish::of_json(&request["wish"].to_string())?;
                if self.give(&wish).is_some() {
                    return Ok(None);
                }
                if self.open.contains(&wish.shot) && self.ended.is_none() {
                    self.pending = Some(Pending::Get(Box::new(wish.clone())));
                    return Ok(Some(Order::Await(wish.shot)));
                }
                if self.is_to_come(&wish.shot) {
                    self.open.insert(wish.shot.clone());
                    self.pending = Some(Pending::Get(Box::new(wish.clone())));
                    return Ok(Some(Order::Look(vec![wish.shot])));
                }
                let passed = json!({ "passed": self.place.call });
                let said = self.ended.clone().filter(|ended| !ended["error"].is_null()).unwrap_or(passed);
                self.say(&said, &[]);
                Ok(None)
            }
            _ => Err(anyhow!("no such request: {request}")),
        }
    }

    /// Whether a shot can still be taken, and was not asked for.
    fn is_to_come(&self, shot: &Shot) -> bool {
        self.ended.is_none()
            && Moment::of(shot) >= self.place
            && !self.open.contains(shot)
            && !self.shown.contains_key(shot)
    }

    /// Takes requests until the replay has to go on; `None` where nobody asks any more.
    fn requests(&mut self) -> Option<Order> {
        loop {
            let request = self.request()?;
            match self.take(&request) {
                Ok(Some(order)) => return Some(order),
                Ok(None) => {}
                Err(what) => {
                    self.say(&json!({ "error": format!("{what:#}") }), &[]);
                }
            }
        }
    }

    /// The replay is over, or failed: what is asked from here on is answered with what there is.
    fn rest(&mut self, ended: Json) {
        match self.pending.take() {
            Some(Pending::Get(wish)) if self.give(&wish).is_some() => {}
            Some(_) => {
                self.say(&ended, &[]);
            }
            None => {}
        }
        self.ended = Some(ended);
        while self.requests().is_some() {}
    }
}

impl Leader for Player {
    fn order(&mut self, stand: &Stand) -> Order {
        // It begins anew where addresses are not to be had: on to where it was.
        if stand.is_new && std::mem::replace(&mut self.has_begun, true) && !self.open.is_empty() {
            return Order::Look(self.open.iter().cloned().collect());
        }
        self.place = Moment { call: stand.call, is_after: !stand.before };
        match self.pending.take() {
            Some(Pending::Run(to)) if stand.why == Why::Beginning => {
                self.pending = Some(Pending::Run(to));
                return Order::Run { call: to.call, before: !to.is_after };
            }
            Some(Pending::Run(to)) => {
                let stop = json!({ "call": to.call, "before": stand.before });
                let said = match stand.why {
                    Why::NotMade => json!({
                        "error": format!("call {} is not made in this replay: it failed at capture, or what it is made on is not here", to.call)
                    }),
                    _ => json!({ "stop": stop, "here": true, "damaged": stand.damaged }),
                };
                self.say(&said, &[]);
            }
            Some(Pending::Get(wish)) if self.give(&wish).is_none() => {
                let shot = wish.shot.clone();
                self.pending = Some(Pending::Get(wish));
                return Order::Await(shot);
            }
            Some(Pending::Get(_)) | None => {}
        }
        self.requests().unwrap_or(Order::End)
    }

    fn shown(&mut self, shot: &Shot, shown: Result<ShotContents, String>) {
        self.open.remove(shot);
        // What stops have passed is not asked for any more.
        if Moment::of(shot) >= self.stop {
            self.shown.insert(shot.clone(), shown);
        }
    }
}
