//! Commands of lists with their arguments, and what their lists have set: what `draws` and `dispatches` are made of.
//!
//! Arguments are decoded only for columns of arguments, and the timeline's state is followed only for columns of what is set.

use super::{Column, Kind};
use crate::bounds::Bounds;
use crate::enters;
use crate::sink::{Cell, Sink, Stop};
use crate::source::Source;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::operation::{self, Operation};
use reprise_timeline::argument::{Argument, Damaged, ObjectId};
use reprise_timeline::call::entered;
use reprise_timeline::index::Snapshot;
use reprise_timeline::state::lists::{List, Pipeline, RootArgument, RootView, Roots, Target};
use reprise_timeline::{At, Call, Interests, Outcome, Pass, State, Walk, argument};
use reprise_trace::read::Trace;
use reprise_trace::record::Kind as Record;
use reprise_view::api;
use serde_json::{Value as Json, json};

/// Columns of the call itself.
pub(super) const HEAD: [Column; 5] = [
    Column::new("call", Kind::Number, "number of the call"),
    Column::new("frame", Kind::Number, "the frame, from 1"),
    Column::new("thread", Kind::Number, "the thread, from 0"),
    Column::new("method", Kind::Method, "the method, without its interface"),
    Column::new("list", Kind::Number, "the command list or bundle"),
];

pub(super) const RECORDING: Column = Column::new(
    "recording",
    Kind::Number,
    "the call with which the list's recording began, as in lists and submissions",
);
pub(super) const MARKER: Column = Column::new("marker", Kind::Text, "the innermost marker that is open in the list");
pub(super) const PIPELINE: Column = Column::new("pipeline", Kind::Number, "the pipeline or state object");
pub(super) const HEAPS: Column = Column::new("heaps", Kind::Name, "the descriptor heaps, with commas between");
pub(super) const ROOT_ARGUMENTS: Column = Column::new(
    "root_arguments",
    Kind::Text,
    "root arguments by parameter, as JSON: constants, cbv, srv or uav with resource and offset in bytes, table with heap and index",
);

/// A table of commands.
pub(super) struct Commands {
    /// The columns of the arguments, behind [`HEAD`].
    pub(super) arguments: &'static [Column],
    /// The columns of what is set, behind those.
    pub(super) set: &'static [Column],
    /// Whether an operation is a row. Indirect commands are what their signature ends with.
    pub(super) is_row: fn(Operation) -> bool,
    /// The cells of the arguments.
    pub(super) of_arguments: fn(&Call<'_>) -> Result<Vec<Cell<'static>>, Damaged>,
    /// The cells of what is set.
    pub(super) of_set: for<'t> fn(&Call<'_>, &State, &List, &'t Texts) -> Vec<Cell<'t>>,
}

impl Commands {
    /// All columns.
    pub(super) fn columns(&self) -> Vec<Column> {
        HEAD.iter().chain(self.arguments).chain(self.set).cloned().collect()
    }

    /// Whether calls of a method may be rows.
    fn may_be(&self, method: MethodId) -> bool {
        let stated = operation::of_number(method.0);
        stated.is_some_and(|operation| operation == Operation::Indirect || (self.is_row)(operation))
    }

    /// As [`Table::parts`](super::Table::parts).
    pub(super) fn parts(&self, source: &Source, bounds: &Bounds, columns: &[usize]) -> Vec<Bounds> {
        match columns.iter().any(|column| *column >= HEAD.len() + self.arguments.len()) {
            true => vec![bounds.clone()],
            false => bounds.split(source.trace.statistics().calls),
        }
    }

    /// As [`Table::read`](super::Table::read).
    pub(super) fn read(&self, source: &Source, bounds: &Bounds, sink: &mut Sink<'_>) -> Result<(), Stop> {
        let first = HEAD.len() + self.arguments.len();
        let wants = |from: usize, count: usize| (from..from + count).any(|column| sink.wants(column));
        let (arguments, states) = (wants(HEAD.len(), self.arguments.len()), wants(first, self.set.len()));
        let asked = |(at, column): (usize, &'static Column)| sink.wants(first + at).then_some(column.name.as_ref());
        let texts = self.set.iter().enumerate().filter_map(asked).collect();
        let rows = Rows { of: self, source, bounds, arguments, texts, undecoded: 0, sink };
        match states {
            true => with_state(source, rows),
            false => alone(source, rows),
        }
    }
}

/// Reads the calls alone.
fn alone(source: &Source, mut rows: Rows<'_, '_>) -> Result<(), Stop> {
    let methods: Vec<bool> =
        (0..).map(MethodId).take(api::model().methods.len()).map(|method| rows.of.may_be(method)).collect();
    let bounds = rows.bounds;
    // Commands of lists give nothing back.
    enters::each(source, bounds, &methods, |event| rows.row(&entered(event, Outcome::Nothing), None))?;
    source.note_undecoded(rows.undecoded);
    Ok(())
}

/// Reads the calls and follows the state to each of them.
fn with_state(source: &Source, rows: Rows<'_, '_>) -> Result<(), Stop> {
    let (calls, frames) = (rows.bounds.calls, rows.bounds.frames);
    let Snapshot { events, state, pairing } = source.snapshot(rows.bounds).map_err(Stop::Trace)?;
    let mut events = events.without_pages();
    let mut pass = Following { state, rows, ended: Ok(()) };
    let mut walk = Walk::resume(&[&mut pass], pairing);
    while pass.ended.is_ok() {
        while let Some(call) = events.call() {
            if walk.wants(call.method) || call.number > calls.1 {
                events.give_back();
                break;
            }
        }
        let Some(event) = events.next().map_err(|error| Stop::Trace(error.to_string()))? else { break };
        let past = event.number > calls.1 || u64::from(event.frame) + 1 > frames.1;
        if event.kind == Record::Enter && past {
            break;
        }
        walk.event(&event, &mut [&mut pass]);
    }
    source.note_undecoded(pass.rows.undecoded.max(pass.state.damaged.calls));
    pass.ended
}

/// The state, and the rows that are made of it.
struct Following<'r, 's> {
    state: State,
    rows: Rows<'r, 's>,
    /// Why no more rows are made.
    ended: Result<(), Stop>,
}

impl Pass for Following<'_, '_> {
    fn interests(&self) -> Interests {
        self.state.interests()
    }

    fn within(&mut self) -> Option<&mut dyn Pass> {
        Some(&mut self.state)
    }

    fn call(&mut self, call: &Call<'_>, at: &At) {
        if self.rows.of.may_be(call.method) && self.ended.is_ok() {
            self.ended = self.rows.row(call, Some(&self.state));
        }
        self.state.call(call, at);
    }
}

/// Makes rows.
struct Rows<'r, 's> {
    of: &'r Commands,
    source: &'r Source,
    bounds: &'r Bounds,
    /// A column needs arguments.
    arguments: bool,
    /// The columns of what is set that are asked for.
    texts: Vec<&'static str>,
    /// Calls whose arguments cannot be decoded.
    undecoded: u64,
    sink: &'r mut Sink<'s>,
}

impl Rows<'_, '_> {
    fn row(&mut self, call: &Call<'_>, state: Option<&State>) -> Result<(), Stop> {
        let frame = u64::from(call.frame) + 1;
        let within = |range: (u64, u64), number: u64| (range.0..=range.1).contains(&number);
        if !within(self.bounds.calls, call.number) || !within(self.bounds.frames, frame) {
            return Ok(());
        }
        let operation = self.source.operation(call).map_err(Stop::Trace)?;
        if !operation.is_some_and(self.of.is_row) {
            return Ok(());
        }
        let mut cells = vec![
            Cell::Number(call.number),
            Cell::Number(frame),
            Cell::Number(call.thread.into()),
            Cell::Of(call.method.0),
            Cell::object(call.object),
        ];
        let arguments = match self.arguments {
            true => (self.of.of_arguments)(call).ok(),
            false => Some(Vec::new()),
        };
        self.undecoded += u64::from(arguments.is_none());
        cells.extend(arguments.unwrap_or_default());
        cells.resize(HEAD.len() + self.of.arguments.len(), Cell::None);
        let list = state.and_then(|state| Some((state, state.lists.get(call.object)?)));
        let wanted = |name: &str| self.texts.contains(&name);
        let draws = operation.is_some_and(Operation::draws);
        let texts = list.map(|(state, list)| Texts::of(state, list, &self.source.trace, draws, wanted));
        if let (Some((state, list)), Some(texts)) = (list, &texts) {
            cells.extend((self.of.of_set)(call, state, list, texts));
        }
        self.sink.row(&cells)
    }
}

/// The cells that are text, where their columns are asked for.
#[derive(Default)]
pub(super) struct Texts {
    pub(super) marker: Option<String>,
    pub(super) heaps: Option<String>,
    pub(super) topology: Option<String>,
    pub(super) index_format: Option<String>,
    pub(super) targets: Option<String>,
    pub(super) root_arguments: Option<String>,
}

impl Texts {
    /// `draws`: the command uses the root arguments of draws.
    fn of(state: &State, list: &List, trace: &Trace, draws: bool, wanted: impl Fn(&str) -> bool) -> Texts {
        let bound = &list.bound;
        let joined = |ids: &mut dyn Iterator<Item = u32>| ids.map(|id| id.to_string()).collect::<Vec<_>>().join(",");
        let mut texts = Texts::default();
        if wanted("marker") {
            texts.marker = list.markers.last().map(|marker| marker.resolved(trace).text);
        }
        if wanted("heaps") {
            texts.heaps = bound.heaps.as_ref().map(|heaps| joined(&mut heaps.value.iter().copied()));
        }
        if wanted("topology") {
            texts.topology = bound.topology.map(|topology| api::enum_name("D3D_PRIMITIVE_TOPOLOGY", topology.value));
        }
        if wanted("index_format") {
            let index = bound.index.and_then(|index| index.value);
            texts.index_format = index.map(|index| api::enum_name("DXGI_FORMAT", index.format));
        }
        if wanted("targets") {
            let colours = bound.targets.as_ref().map(|targets| targets.value.colours.iter().map(resource));
            texts.targets = colours.map(|mut colours| joined(&mut colours));
        }
        if wanted("root_arguments") {
            let own = roots(list, draws);
            texts.root_arguments = own.signature.is_some().then(|| root_arguments(state, own).to_string());
        }
        texts
    }
}

/// What a command uses: the root signature and arguments of draws or of dispatches.
pub(super) fn roots(list: &List, draws: bool) -> &Roots {
    if draws { &list.bound.graphics } else { &list.bound.compute }
}

/// The arguments of `ExecuteIndirect`: command signature, commands at most, the buffers with arguments and count.
pub(super) fn indirect(call: &Call<'_>) -> Result<[Cell<'static>; 4], Damaged> {
    const SIGNATURE: Argument<ObjectId> =
        argument!("ID3D12GraphicsCommandList", "ExecuteIndirect", "pCommandSignature");
    const MOST: Argument<u32> = argument!("ID3D12GraphicsCommandList", "ExecuteIndirect", "MaxCommandCount");
    const ARGUMENTS: Argument<ObjectId> = argument!("ID3D12GraphicsCommandList", "ExecuteIndirect", "pArgumentBuffer");
    const COUNT: Argument<ObjectId> = argument!("ID3D12GraphicsCommandList", "ExecuteIndirect", "pCountBuffer");
    let object = |argument: Argument<ObjectId>| Ok::<_, Damaged>(Cell::object(argument.of(call)?.0));
    Ok([object(SIGNATURE)?, Cell::Number(MOST.of(call)?.into()), object(ARGUMENTS)?, object(COUNT)?])
}

/// Root arguments by parameter; null for one that is not set.
fn root_arguments(state: &State, roots: &Roots) -> Json {
    let value = |argument: &RootArgument| match argument {
        RootArgument::Constants(words) => json!({ "constants": words }),
        RootArgument::View(view, address) => {
            let kind = match view {
                RootView::Constants => "cbv",
                RootView::Read => "srv",
                RootView::Write => "uav",
            };
            match state.addresses.resource(*address) {
                Some(at) => json!({ kind: { "object": at.resource, "offset": at.offset } }),
                None => json!({ kind: { "address": format!("{address:#x}") } }),
            }
        }
        RootArgument::Table(handle) => match state.addresses.gpu(*handle) {
            Some(slot) => json!({ "table": { "heap": slot.heap, "index": slot.index } }),
            None => json!({ "table": { "handle": format!("{handle:#x}") } }),
        },
    };
    roots.arguments.iter().map(|set| set.as_ref().map_or(Json::Null, |set| value(&set.value))).collect()
}

/// The resource that a target shows; 0 where the trace does not tell.
pub(super) fn resource(target: &Target) -> u32 {
    target.descriptor.as_ref().map_or(0, |descriptor| descriptor.view.resource)
}

/// What a list runs.
pub(super) fn pipeline(list: &List) -> Cell<'static> {
    match list.bound.pipeline.map(|pipeline| pipeline.value) {
        Some(Pipeline::State(id) | Pipeline::StateObject(id)) => Cell::object(id),
        _ => Cell::None,
    }
}

/// A text that was asked for.
pub(super) fn text(text: &Option<String>) -> Cell<'_> {
    text.as_deref().map_or(Cell::None, Cell::Text)
}
