//! Acceleration structures as lists run: where each lies, and the steps that make it again.
//!
//! The part makes a structure by the builds that made it: for a top level, the last build; for a bottom level, the first build, each
//! compaction, and the last update between two of these. A copy has the steps of its source. Invariant: steps are in the order in which
//! lists ran. If a step cannot be repeated, a sentence that says why stands in the place of the steps.

use crate::error::Error;
use crate::inputs::{BUILD, Described};
use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{
    D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_DESC as Desc,
    D3D12_RAYTRACING_ACCELERATION_STRUCTURE_COPY_MODE as Mode,
};
use reprise_timeline::argument::{Argument, GpuAddress, One};
use reprise_timeline::state::addresses::Addresses;
use reprise_timeline::{Call, argument};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

const BUILT: Argument<One<Desc>> =
    argument!("ID3D12GraphicsCommandList4", "BuildRaytracingAccelerationStructure", "pDesc");
pub(crate) const COPY: MethodId = method("ID3D12GraphicsCommandList4", "CopyRaytracingAccelerationStructure");
const TO: Argument<GpuAddress> =
    argument!("ID3D12GraphicsCommandList4", "CopyRaytracingAccelerationStructure", "DestAccelerationStructureData");
const FROM: Argument<GpuAddress> =
    argument!("ID3D12GraphicsCommandList4", "CopyRaytracingAccelerationStructure", "SourceAccelerationStructureData");
const MODE: Argument<Mode> = argument!("ID3D12GraphicsCommandList4", "CopyRaytracingAccelerationStructure", "Mode");

/// A buffer and an offset in it.
pub(crate) type Spot = (u32, u64);

/// A build that a list records.
#[derive(Debug)]
pub(crate) struct Build {
    pub(crate) call: u64,
    pub(crate) list: u32,
    pub(crate) enter: Box<[u8]>,
    pub(crate) is_top: bool,
    pub(crate) updates: bool,
    /// Where instances are named by pointers: what addresses mean there. What pointers lead to is no part of `reads`.
    pub(crate) by_pointers: Option<Box<Addresses>>,
    to: Spot,
    source: Option<Spot>,
    /// What it reads, each address once.
    pub(crate) reads: Vec<Read>,
    cannot: Option<String>,
}

/// Inputs of a build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Read {
    /// As the program names it.
    pub(crate) address: u64,
    pub(crate) resource: u32,
    pub(crate) offset: u64,
    pub(crate) bytes: u64,
}

/// A command of a list.
#[derive(Clone, Debug)]
enum Command {
    Build(Rc<Build>),
    Copy {
        call: u64,
        to: Spot,
        from: Spot,
        mode: Mode,
    },
    /// One of which not even the place is known.
    Lost,
}

/// A step that makes a structure.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// A build, or an update of what is there, and the run of it that counts.
    Build(Rc<Build>, u64),
    /// A copy that is as small as the driver can make it.
    Compact,
}

/// A structure.
#[derive(Clone, Debug)]
pub(crate) struct Structure {
    /// The call that made it last.
    pub(crate) call: u64,
    /// Its place among all that ran.
    pub(crate) run: u64,
    pub(crate) is_top: bool,
    pub(crate) steps: Result<Vec<Step>, String>,
}

/// All structures, as far as lists have run.
#[derive(Debug, Default)]
pub(crate) struct Structures {
    lists: HashMap<u32, Vec<Command>>,
    /// By call of a submission that has not run.
    submitted: HashMap<u64, Vec<Command>>,
    all: BTreeMap<Spot, Structure>,
    /// Serialised ones, by where they lie.
    serialised: HashMap<Spot, Structure>,
    /// By call: the last run of a build.
    runs: HashMap<u64, u64>,
    run: u64,
    /// Something was built whose place is not known: by this call.
    pub(crate) lost: Option<u64>,
}

impl Build {
    /// What a call describes; `None` where it names places that no buffer has.
    fn of(call: &Call<'_>, addresses: &Addresses) -> Option<Build> {
        let spot = |address: u64| addresses.resource(address).map(|at| (at.resource, at.offset));
        let mut build = Build {
            call: call.number,
            list: call.object,
            enter: call.enter.bytes.into(),
            is_top: false,
            updates: false,
            by_pointers: None,
            to: (0, 0),
            source: None,
            reads: Vec::new(),
            cannot: None,
        };
        let mut described = match Described::of(call.enter.bytes) {
            Ok(described) => described,
            Err(what) => {
                build.to = spot(BUILT.of(call).ok()??.DestAccelerationStructureData)?;
                build.cannot = Some(what);
                return Some(build);
            }
        };
        let (to, source) = described.places();
        (build.is_top, build.updates) = (described.is_top(), described.updates());
        build.by_pointers = described.by_pointers().then(|| Box::new(addresses.clone()));
        build.to = spot(to)?;
        build.source = if build.updates { spot(source) } else { None };
        let (reads, cannot) = (&mut build.reads, &mut build.cannot);
        described.each(|address, bytes| {
            if bytes == 0 {
                return;
            }
            let lies = addresses.resource(*address).and_then(|at| Some((at, addresses.of_resource(at.resource)?.1)));
            let Some((at, size)) = lies.filter(|(at, size)| at.offset < *size) else {
                cannot.get_or_insert_with(|| "it reads memory that no buffer of the trace has".into());
                return;
            };
            let bytes = bytes.min(size - at.offset);
            match reads.iter_mut().find(|read| read.address == *address) {
                Some(read) => read.bytes = read.bytes.max(bytes),
                None => reads.push(Read { address: *address, resource: at.resource, offset: at.offset, bytes }),
            }
        });
        Some(build)
    }
}

impl Structures {
    /// A list begins to record.
    pub(crate) fn begin(&mut self, list: u32) {
        self.lists.remove(&list);
    }

    /// A list records a build or a copy.
    ///
    /// # Errors
    /// The call cannot be read.
    pub(crate) fn record(&mut self, call: &Call<'_>, addresses: &Addresses) -> Result<(), Error> {
        let spot = |address: GpuAddress| addresses.resource(address.0).map(|at| (at.resource, at.offset));
        let command = if call.method == BUILD {
            Build::of(call, addresses).map(|build| Command::Build(Rc::new(build)))
        } else {
            let (to, from, mode) = (TO.of(call)?, FROM.of(call)?, MODE.of(call)?);
            let both = spot(to).zip(spot(from));
            both.map(|(to, from)| Command::Copy { call: call.number, to, from, mode })
        };
        let command = command.unwrap_or(Command::Lost);
        if matches!(command, Command::Lost) {
            self.lost.get_or_insert(call.number);
        }
        self.lists.entry(call.object).or_default().push(command);
        Ok(())
    }

    /// Lists are given to a queue by a call.
    pub(crate) fn submit(&mut self, call: u64, lists: &[u32]) {
        let commands: Vec<Command> = lists.iter().filter_map(|list| self.lists.get(list)).flatten().cloned().collect();
        if !commands.is_empty() {
            self.submitted.insert(call, commands);
        }
    }

    /// A submission runs.
    pub(crate) fn ran(&mut self, call: u64) {
        for command in self.submitted.remove(&call).into_iter().flatten() {
            self.run += 1;
            match command {
                Command::Build(build) => self.build(&build),
                Command::Copy { call, to, from, mode } => self.copy(call, to, from, mode),
                Command::Lost => {}
            }
        }
    }

    fn build(&mut self, build: &Rc<Build>) {
        let step = Step::Build(build.clone(), self.run);
        self.runs.insert(build.call, self.run);
        let steps = match (&build.cannot, build.updates) {
            (Some(what), _) => Err(what.clone()),
            (None, false) => Ok(vec![step]),
            (None, true) => {
                let source = build.source.and_then(|source| self.all.get(&source));
                match source.map(|source| &source.steps) {
                    None => Err("it updates a structure that the trace does not make".into()),
                    Some(Err(what)) => Err(what.clone()),
                    Some(Ok(steps)) => updated(steps, step, build.is_top),
                }
            }
        };
        let made = Structure { call: build.call, run: self.run, is_top: build.is_top, steps };
        self.all.insert(build.to, made);
    }

    fn copy(&mut self, call: u64, to: Spot, from: Spot, mode: Mode) {
        let unknown = |what: &str| Structure { call, run: 0, is_top: false, steps: Err(what.into()) };
        let source = match mode {
            Mode::DESERIALIZE => {
                self.serialised.get(&from).cloned().unwrap_or_else(|| {
                    unknown("it was deserialised, and no call of the trace serialised what lay there")
                })
            }
            _ => {
                self.all.get(&from).cloned().unwrap_or_else(|| unknown("it is a copy of what the trace does not make"))
            }
        };
        let mut made = Structure { call, run: self.run, ..source };
        match mode {
            Mode::SERIALIZE => return drop(self.serialised.insert(to, made)),
            Mode::CLONE | Mode::DESERIALIZE => {}
            Mode::COMPACT => {
                let is_compact = |steps: &Vec<Step>| steps.iter().any(|step| matches!(step, Step::Compact));
                // Of an updated top level only the last build is kept, and that may become larger.
                let is_changed =
                    |steps: &Vec<Step>| steps.iter().any(|step| matches!(step, Step::Build(it, _) if it.updates));
                made.steps = match made.steps {
                    Ok(steps) if is_compact(&steps) => Ok(steps),
                    Ok(steps) if made.is_top && is_changed(&steps) => Err(CHANGED_TOP.into()),
                    Ok(steps) => Ok(steps.into_iter().chain([Step::Compact]).collect()),
                    Err(what) => Err(what),
                };
            }
            // A form for tools is no structure.
            _ => return,
        }
        self.all.insert(to, made);
    }

    /// What was serialised to a place.
    pub(crate) fn serialised(&self, at: Spot) -> Option<&Structure> {
        self.serialised.get(&at)
    }

    /// The structures of a buffer, by offset.
    pub(crate) fn of(&self, buffer: u32) -> impl Iterator<Item = (u64, &Structure)> {
        self.all.range((buffer, 0)..=(buffer, u64::MAX)).map(|((_, offset), made)| (*offset, made))
    }

    /// Buffers that have structures.
    pub(crate) fn buffers(&self) -> impl Iterator<Item = u32> {
        self.all.keys().map(|(buffer, _)| *buffer)
    }

    /// Why a structure cannot be made again, if so.
    pub(crate) fn cannot(&self, made: &Structure) -> Option<String> {
        match &made.steps {
            Err(what) => Some(what.clone()),
            Ok(steps) => steps.iter().find_map(|step| match step {
                Step::Build(build, run) if self.runs.get(&build.call) != Some(run) => {
                    Some(format!("the list with call {} ran again since, on inputs of that time", build.call))
                }
                _ => None,
            }),
        }
    }
}

const CHANGED_TOP: &str = "it is a top level that was compacted and updated";

/// Whether commands of a method name structures that are there before them.
pub(crate) fn needs_structures(of: MethodId) -> bool {
    const ASK: MethodId = method("ID3D12GraphicsCommandList4", "EmitRaytracingAccelerationStructurePostbuildInfo");
    [BUILD, COPY, ASK].contains(&of)
}

/// Where a call reads a serialised structure, if it does.
///
/// # Errors
/// The call cannot be read.
pub(crate) fn deserialises(call: &Call<'_>) -> Result<Option<u64>, Error> {
    let reads = call.method == COPY && MODE.of(call)? == Mode::DESERIALIZE;
    Ok(if reads { Some(FROM.of(call)?.0) } else { None })
}

/// The steps of a structure that is updated.
fn updated(steps: &[Step], update: Step, is_top: bool) -> Result<Vec<Step>, String> {
    let mut steps = steps.to_vec();
    if is_top {
        // Instances of the first build may name structures that are gone.
        return match steps.iter().any(|step| matches!(step, Step::Compact)) {
            true => Err(CHANGED_TOP.into()),
            false => Ok(vec![update]),
        };
    }
    if matches!(steps.last(), Some(Step::Build(last, _)) if last.updates) {
        steps.pop();
    }
    steps.push(update);
    Ok(steps)
}
