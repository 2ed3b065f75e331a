//! `draws`: draws with their arguments, and what their lists have set.

use super::commands::{
    Commands, HEAPS, MARKER, PIPELINE, RECORDING, ROOT_ARGUMENTS, Texts, indirect, pipeline, resource, text,
};
use super::{Column, Kind, Table};
use crate::bounds::{Bounds, LIST, Objects};
use crate::sink::{Cell, Sink, Stop};
use crate::source::Source;
use reprise_d3d12::operation::Operation;
use reprise_timeline::argument::{Argument, Damaged};
use reprise_timeline::state::lists::{Action, List, action};
use reprise_timeline::{Call, State, argument};

/// See the module.
#[derive(Debug)]
pub(super) struct Draws;

const COMMANDS: Commands =
    Commands { arguments: &ARGUMENTS, set: &SET, is_row: Operation::draws, of_arguments: arguments, of_set: set };

const ARGUMENTS: [Column; 12] = [
    Column::new("vertices", Kind::Number, "vertices or indices of an instance"),
    Column::new("instances", Kind::Number, "instances"),
    Column::new("first", Kind::Number, "the first vertex or index"),
    Column::new("base_vertex", Kind::Number, "added to each index"),
    Column::new("first_instance", Kind::Number, "the first instance"),
    Column::new("signature", Kind::Number, "the command signature"),
    Column::new("most_commands", Kind::Number, "commands at most"),
    Column::new("argument_buffer", Kind::Number, "the buffer with the arguments"),
    Column::new("count_buffer", Kind::Number, "the buffer with the count"),
    Column::new("groups_x", Kind::Number, "groups of mesh shaders, or of amplification shaders, across"),
    Column::new("groups_y", Kind::Number, "down"),
    Column::new("groups_z", Kind::Number, "in depth"),
];

const SET: [Column; 25] = [
    RECORDING,
    MARKER,
    PIPELINE,
    Column::new("root_signature", Kind::Number, "the root signature of draws"),
    HEAPS,
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
    ROOT_ARGUMENTS,
];

impl Table for Draws {
    fn name(&self) -> &str {
        "draws"
    }

    fn about(&self) -> &str {
        "draws, also with mesh shaders and by ExecuteIndirect, with what their lists have set; in a bundle null is what the list that runs it has set"
    }

    fn columns(&self) -> Vec<Column> {
        COMMANDS.columns()
    }

    fn objects(&self) -> Objects {
        LIST
    }

    fn parts(&self, source: &Source, bounds: &Bounds, columns: &[usize]) -> Vec<Bounds> {
        COMMANDS.parts(source, bounds, columns)
    }

    fn read(&self, source: &Source, bounds: &Bounds, sink: &mut Sink<'_>) -> Result<(), Stop> {
        COMMANDS.read(source, bounds, sink)
    }
}

/// The arguments, in the order of the columns.
fn arguments(call: &Call<'_>) -> Result<Vec<Cell<'static>>, Damaged> {
    macro_rules! number {
        ($type:ty, $method:literal, $parameter:literal) => {{
            const OF: Argument<$type> = argument!("ID3D12GraphicsCommandList", $method, $parameter);
            Cell::Signed(OF.of(call)?.into())
        }};
    }
    macro_rules! groups {
        ($parameter:literal) => {{
            const OF: Argument<u32> = argument!("ID3D12GraphicsCommandList6", "DispatchMesh", $parameter);
            Cell::Number(OF.of(call)?.into())
        }};
    }
    let none = Cell::None;
    Ok(match action(call.method) {
        Some(Action::Draw) => vec![
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
        Some(Action::DrawIndexed) => vec![
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
        Some(Action::Indirect) => {
            let unknown = [none, none, none, none, none];
            unknown.into_iter().chain(indirect(call)?).collect()
        }
        Some(Action::DrawMesh) => {
            let groups = [groups!("ThreadGroupCountX"), groups!("ThreadGroupCountY"), groups!("ThreadGroupCountZ")];
            std::iter::repeat_n(none, 9).chain(groups).collect()
        }
        _ => Vec::new(),
    })
}

/// What is set, in the order of the columns.
fn set<'t>(_: &Call<'_>, state: &State, list: &List, texts: &'t Texts) -> Vec<Cell<'t>> {
    let bound = &list.bound;
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
    vec![
        Cell::Number(list.begun),
        text(&texts.marker),
        pipeline(list),
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
        text(&texts.root_arguments),
    ]
}
