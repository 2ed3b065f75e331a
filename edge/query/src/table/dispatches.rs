//! `dispatches`: dispatches of compute shaders, rays and work graphs with their arguments, and what their lists have set.

use super::commands::{
    Commands, HEAPS, MARKER, PIPELINE, RECORDING, ROOT_ARGUMENTS, Texts, indirect, pipeline, roots, text,
};
use super::{Column, Kind, Table};
use crate::bounds::{Bounds, LIST, Objects};
use crate::sink::{Cell, Sink, Stop};
use crate::source::Source;
use reprise_d3d12::operation::Operation;
use reprise_d3d12::types::D3D12_DISPATCH_RAYS_DESC;
use reprise_timeline::argument::{Argument, Damaged, One};
use reprise_timeline::state::lists::{Action, List, action};
use reprise_timeline::{Call, State, argument};

/// See the module.
#[derive(Debug)]
pub(super) struct Dispatches;

const COMMANDS: Commands =
    Commands { arguments: &ARGUMENTS, set: &SET, is_row: Operation::dispatches, of_arguments: arguments, of_set: set };

const ARGUMENTS: [Column; 7] = [
    Column::new("x", Kind::Number, "groups, or width in rays"),
    Column::new("y", Kind::Number, "groups, or height in rays"),
    Column::new("z", Kind::Number, "groups, or depth in rays"),
    Column::new("signature", Kind::Number, "the command signature, where it is one of ExecuteIndirect"),
    Column::new("most_commands", Kind::Number, "commands at most"),
    Column::new("argument_buffer", Kind::Number, "the buffer with the arguments"),
    Column::new("count_buffer", Kind::Number, "the buffer with the count"),
];

const SET: [Column; 6] = [
    RECORDING,
    MARKER,
    PIPELINE,
    Column::new("root_signature", Kind::Number, "the root signature of dispatches"),
    HEAPS,
    ROOT_ARGUMENTS,
];

impl Table for Dispatches {
    fn name(&self) -> &str {
        "dispatches"
    }

    fn about(&self) -> &str {
        "dispatches of compute shaders, rays and work graphs, also by ExecuteIndirect, with what their lists have set; in a bundle null is what the list that runs it has set"
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
    macro_rules! groups {
        ($interface:literal, $method:literal) => {{
            const X: Argument<u32> = argument!($interface, $method, "ThreadGroupCountX");
            const Y: Argument<u32> = argument!($interface, $method, "ThreadGroupCountY");
            const Z: Argument<u32> = argument!($interface, $method, "ThreadGroupCountZ");
            [X.of(call)?, Y.of(call)?, Z.of(call)?]
        }};
    }
    const RAYS: Argument<One<D3D12_DISPATCH_RAYS_DESC>> =
        argument!("ID3D12GraphicsCommandList4", "DispatchRays", "pDesc");
    let numbers = match action(call.method) {
        Some(Action::Dispatch) => groups!("ID3D12GraphicsCommandList", "Dispatch"),
        Some(Action::DispatchRays) => match RAYS.of(call)? {
            Some(desc) => [desc.Width, desc.Height, desc.Depth],
            None => return Ok(Vec::new()),
        },
        Some(Action::Indirect) => {
            let none = [Cell::None, Cell::None, Cell::None];
            return Ok(none.into_iter().chain(indirect(call)?).collect());
        }
        _ => return Ok(Vec::new()),
    };
    Ok(numbers.map(|number| Cell::Number(number.into())).into())
}

/// What is set, in the order of the columns.
fn set<'t>(_: &Call<'_>, _: &State, list: &List, texts: &'t Texts) -> Vec<Cell<'t>> {
    vec![
        Cell::Number(list.begun),
        text(&texts.marker),
        pipeline(list),
        roots(list, false).signature.map_or(Cell::None, |signature| Cell::object(signature.value)),
        text(&texts.heaps),
        text(&texts.root_arguments),
    ]
}
