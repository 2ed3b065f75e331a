//! `draws`: draws with their arguments, and what their lists have set.
//!
//! Arguments are decoded only for columns of arguments, and the timeline's state is followed only for columns of what is set.

use super::{Column, Kind, Table};
use crate::bounds::{Bounds, OnObject};
use crate::enters;
use crate::sink::{Cell, Sink, Stop};
use crate::source::Source;
use reprise_d3d12::model::MethodId;
use reprise_timeline::argument::{Argument, Damaged, ObjectId};
use reprise_timeline::call::entered;
use reprise_timeline::index::Snapshot;
use reprise_timeline::state::lists::{Action, List, Pipeline, Target, action};
use reprise_timeline::{At, Call, Interests, Outcome, Pass, State, Walk, argument};
use reprise_trace::read::Trace;
use reprise_trace::record::Kind as Record;
use reprise_view::api;

/// See the module.
#[derive(Debug)]
pub(super) struct Draws;

/// Columns of the call itself.
const HEAD: usize = 5;
/// Columns of its arguments.
const ARGUMENTS: usize = 9;
/// Columns of what is set.
const STATE: usize = 24;

const COLUMNS: [Column; HEAD + ARGUMENTS + STATE] = [
    Column::new("call", Kind::Number, "number of the call"),
    Column::new("frame", Kind::Number, "the frame, from 1"),
    Column::new("thread", Kind::Number, "the thread, from 0"),
    Column::new("method", Kind::Method, "the method, without its interface"),
    Column::new("list", Kind::Number, "the command list or bundle"),
    Column::new("vertices", Kind::Number, "vertices or indices of an instance"),
    Column::new("instances", Kind::Number, "instances"),
    Column::new("first", Kind::Number, "the first vertex or index"),
    Column::new("base_vertex", Kind::Number, "added to each index"),
    Column::new("first_instance", Kind::Number, "the first instance"),
    Column::new("signature", Kind::Number, "the command signature"),
    Column::new("most_commands", Kind::Number, "commands at most"),
    Column::new("argument_buffer", Kind::Number, "the buffer with the arguments"),
    Column::new("count_buffer", Kind::Number, "the buffer with the count"),
    Column::new(
        "recording",
        Kind::Number,
        "the call with which the list's recording began, as in lists and submissions",
    ),
    Column::new("marker", Kind::Text, "the innermost marker that is open in the list"),
    Column::new("pipeline", Kind::Number, "the pipeline or state object"),
    Column::new("root_signature", Kind::Number, "the root signature of draws"),
    Column::new("heaps", Kind::Name, "the descriptor heaps, with commas between"),
    Column::new("topology", Kind::Name, "the primitive topology"),
    Column::new("index_buffer", Kind::Number, "the index buffer"),
    Column::new("index_offset", Kind::Number, "its first byte in that buffer"),
    Column::new("index_format", Kind::Name, "the format of an index"),
    Column::new("vertex_buffer", Kind::Number, "the vertex buffer of slot 0"),
    Column::new("vertex_offset", Kind::Number, "its first byte in that buffer"),
    Column::new("vertex_stride", Kind::Number, "bytes from one vertex to the next"),
    Column::new("target", Kind::Number, "the resource that is render target 0"),
    Column::new(
        "targets",
        Kind::Name,
        "the resources that are render targets, by slot, with commas between; 0 for none",
    ),
    Column::new("depth_target", Kind::Number, "the resource that is the depth-stencil target"),
    Column::new("viewport_left", Kind::Real, "left edge of viewport 0, in pixels"),
    Column::new("viewport_top", Kind::Real, "its upper edge, in pixels"),
    Column::new("viewport_width", Kind::Real, "its width, in pixels"),
    Column::new("viewport_height", Kind::Real, "its height, in pixels"),
    Column::new("scissor_left", Kind::Number, "left edge of scissor rectangle 0, in pixels"),
    Column::new("scissor_top", Kind::Number, "its upper edge, in pixels"),
    Column::new("scissor_right", Kind::Number, "its right edge, in pixels"),
    Column::new("scissor_bottom", Kind::Number, "its lower edge, in pixels"),
    Column::new("stencil_ref", Kind::Number, "the stencil reference of front faces"),
];

impl Table for Draws {
    fn name(&self) -> &str {
        "draws"
    }

    fn about(&self) -> &str {
        "draws, and what ExecuteIndirect runs, with what their lists have set; in a bundle null is what the list that runs it has set"
    }

    fn columns(&self) -> Vec<Column> {
        COLUMNS.to_vec()
    }

    fn on_object(&self) -> OnObject {
        &["list"]
    }

    fn parts(&self, source: &Source, bounds: &Bounds, columns: &[usize]) -> Vec<Bounds> {
        match columns.iter().any(|column| *column >= HEAD + ARGUMENTS) {
            true => vec![bounds.clone()],
            false => bounds.split(source.trace.statistics().calls),
        }
    }

    fn read(&self, source: &Source, bounds: &Bounds, sink: &mut Sink<'_>) -> Result<(), Stop> {
        let wants = |from: usize, count: usize| (from..from + count).any(|column| sink.wants(column));
        let (arguments, states) = (wants(HEAD, ARGUMENTS), wants(HEAD + ARGUMENTS, STATE));
        let texts = ["marker", "heaps", "topology", "index_format", "targets"].into_iter().filter(|name| {
            let place = COLUMNS.iter().position(|column| column.name == *name);
            place.is_some_and(|place| sink.wants(place))
        });
        let rows = Rows { trace: &source.trace, bounds, arguments, texts: texts.collect(), undecoded: 0, sink };
        match states {
            true => with_state(source, rows),
            false => alone(source, rows),
        }
    }
}

/// Whether a method draws.
fn draws(method: MethodId) -> bool {
    action(method).is_some_and(|action| action.draws() || action == Action::Indirect)
}

/// Reads the calls alone.
fn alone(source: &Source, mut rows: Rows<'_, '_>) -> Result<(), Stop> {
    let methods: Vec<bool> = (0..).map(MethodId).take(api::model().methods.len()).map(draws).collect();
    let bounds = rows.bounds;
    // Draws give nothing back.
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
        if draws(call.method) && self.ended.is_ok() {
            self.ended = self.rows.row(call, Some(&self.state));
        }
        self.state.call(call, at);
    }
}

/// Makes rows.
struct Rows<'r, 's> {
    trace: &'r Trace,
    bounds: &'r Bounds,
    /// A column needs arguments.
    arguments: bool,
    /// The columns of the state that are text and asked for.
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
        let mut cells = vec![
            Cell::Number(call.number),
            Cell::Number(frame),
            Cell::Number(call.thread.into()),
            Cell::Of(call.method.0),
            Cell::object(call.object),
        ];
        let arguments = match self.arguments {
            true => arguments(call),
            false => Ok([Cell::None; ARGUMENTS]),
        };
        self.undecoded += u64::from(arguments.is_err());
        cells.extend(arguments.unwrap_or([Cell::None; ARGUMENTS]));
        let list = state.and_then(|state| Some((state, state.lists.get(call.object)?)));
        let texts = list.map(|(_, list)| Texts::of(list, self.trace, |name| self.texts.contains(&name)));
        if let (Some((state, list)), Some(texts)) = (list, &texts) {
            cells.extend(set(state, list, texts));
        }
        self.sink.row(&cells)
    }
}

/// The arguments, in the order of the columns.
fn arguments(call: &Call<'_>) -> Result<[Cell<'static>; ARGUMENTS], Damaged> {
    macro_rules! number {
        ($type:ty, $method:literal, $parameter:literal) => {{
            const OF: Argument<$type> = argument!("ID3D12GraphicsCommandList", $method, $parameter);
            Cell::Signed(OF.of(call)?.into())
        }};
    }
    macro_rules! object {
        ($parameter:literal) => {{
            const OF: Argument<ObjectId> = argument!("ID3D12GraphicsCommandList", "ExecuteIndirect", $parameter);
            Cell::object(OF.of(call)?.0)
        }};
    }
    let none = Cell::None;
    Ok(match action(call.method) {
        Some(Action::Draw) => [
            number!(u32, "DrawInstanced", "VertexCountPerInstance"),
            number!(u32, "DrawInstanced", "InstanceCount"),
            number!(u32, "DrawInstanced", "StartVertexLocation"),
            none,
            number!(u32, "DrawInstanced", "StartInstanceLocation"),
            none,
            none,
            none,
            none,
        ],
        Some(Action::DrawIndexed) => [
            number!(u32, "DrawIndexedInstanced", "IndexCountPerInstance"),
            number!(u32, "DrawIndexedInstanced", "InstanceCount"),
            number!(u32, "DrawIndexedInstanced", "StartIndexLocation"),
            number!(i32, "DrawIndexedInstanced", "BaseVertexLocation"),
            number!(u32, "DrawIndexedInstanced", "StartInstanceLocation"),
            none,
            none,
            none,
            none,
        ],
        Some(Action::Indirect) => [
            none,
            none,
            none,
            none,
            none,
            object!("pCommandSignature"),
            number!(u32, "ExecuteIndirect", "MaxCommandCount"),
            object!("pArgumentBuffer"),
            object!("pCountBuffer"),
        ],
        _ => [none; ARGUMENTS],
    })
}

/// The cells that are text, where their columns are asked for.
#[derive(Default)]
struct Texts {
    marker: Option<String>,
    heaps: Option<String>,
    topology: Option<String>,
    index_format: Option<String>,
    targets: Option<String>,
}

impl Texts {
    fn of(list: &List, trace: &Trace, wanted: impl Fn(&str) -> bool) -> Texts {
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
        texts
    }
}

/// The resource that a target shows; 0 where the trace does not tell.
fn resource(target: &Target) -> u32 {
    target.descriptor.as_ref().map_or(0, |descriptor| descriptor.view.resource)
}

/// What is set, in the order of the columns.
fn set<'t>(state: &State, list: &List, texts: &'t Texts) -> [Cell<'t>; STATE] {
    let bound = &list.bound;
    let text = |text: &'t Option<String>| text.as_deref().map_or(Cell::None, Cell::Text);
    let place = |address: Option<u64>| match address.and_then(|address| state.addresses.resource(address)) {
        Some(at) => [Cell::object(at.resource), Cell::Number(at.offset)],
        None => [Cell::None; 2],
    };
    let [index_buffer, index_offset] = place(bound.index.and_then(|index| index.value).map(|index| index.address));
    let vertices = bound.vertices.first().copied().flatten().and_then(|vertices| vertices.value);
    let [vertex_buffer, vertex_offset] = place(vertices.map(|vertices| vertices.address));
    let targets = bound.targets.as_ref().map(|targets| &targets.value);
    let viewport = bound.viewports.as_ref().and_then(|viewports| viewports.value.first());
    let viewport = |at: usize| viewport.map_or(Cell::None, |viewport| Cell::Real(viewport[at].into()));
    let scissor = bound.scissors.as_ref().and_then(|scissors| scissors.value.first());
    let scissor = |at: usize| scissor.map_or(Cell::None, |scissor| Cell::Signed(scissor[at].into()));
    [
        Cell::Number(list.begun),
        text(&texts.marker),
        match bound.pipeline.map(|pipeline| pipeline.value) {
            Some(Pipeline::State(id) | Pipeline::StateObject(id)) => Cell::object(id),
            _ => Cell::None,
        },
        bound.graphics.signature.map_or(Cell::None, |signature| Cell::object(signature.value)),
        text(&texts.heaps),
        text(&texts.topology),
        index_buffer,
        index_offset,
        text(&texts.index_format),
        vertex_buffer,
        vertex_offset,
        Cell::some(vertices.map(|vertices| vertices.stride.into())),
        targets.and_then(|targets| targets.colours.first()).map_or(Cell::None, |target| Cell::object(resource(target))),
        text(&texts.targets),
        targets.and_then(|targets| targets.depth.as_ref()).map_or(Cell::None, |target| Cell::object(resource(target))),
        viewport(0),
        viewport(1),
        viewport(2),
        viewport(3),
        scissor(0),
        scissor(1),
        scissor(2),
        scissor(3),
        Cell::some(bound.stencil_ref.map(|stencil| stencil.value[0].into())),
    ]
}
