//! `vertices`: vertices from four buffers with strides of their own, by vertex, by instance and by every second instance, drawn
//! with and without indices of 16 and 32 bits, with a base vertex and a first instance; the picture has what the shader saw.
//! `indirect-vertices`: the same draws by commands that set some of these buffers.

use super::Program;
use super::shapes::{Draw, FORMAT, Order, SIZE, Shapes};
use crate::buffer::Buffer;
use crate::digest::Digest;
use crate::failure::Failure;
use crate::list::List;
use crate::picture::Picture;
use crate::signature::{CommandSignature, argument, vertex_buffer};
use crate::stage::Stage;
use crate::target::Target;
use reprise_d3d12::types::{
    D3D12_INDEX_BUFFER_VIEW, D3D12_INDIRECT_ARGUMENT_TYPE as Argument, D3D12_VERTEX_BUFFER_VIEW,
};

pub(super) const INDIRECT: Program = Program {
    name: "indirect-vertices",
    about: "vertex and index buffers that commands set, beside those of the list",
    run: indirect,
};

pub(super) const PROGRAM: Program =
    Program { name: "vertices", about: "vertex and index buffers: slots, strides, steps, bases and instances", run };

/// Each with indices of 32 bits, or 16.
const DRAWS: [(Draw, bool); 6] = [
    (Draw { order: Order::Strip, shape: 0, first_instance: 0, instances: 3 }, false),
    (Draw { order: Order::Strip, shape: 2, first_instance: 3, instances: 2 }, false),
    (Draw { order: Order::Lower, shape: 1, first_instance: 5, instances: 3 }, false),
    (Draw { order: Order::Lower, shape: 3, first_instance: 8, instances: 1 }, true),
    (Draw { order: Order::Upper, shape: 2, first_instance: 9, instances: 3 }, true),
    (Draw { order: Order::Upper, shape: 0, first_instance: 12, instances: 4 }, false),
];

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let shapes = Shapes::new(stage)?;
    let target = Target::new(&stage.device, FORMAT, SIZE, SIZE)?;
    let mut list = List::direct(&stage.device)?;
    let mut expected = Picture::new(SIZE, SIZE, [0; 4]);
    shapes.set(&mut list);
    list.targets(&[&target], None);
    list.square(SIZE);
    list.clear_target(&target, [0.0; 4], &[]);
    for (draw, wide) in DRAWS {
        shapes.set_order(&mut list, draw.order, wide);
        draw.record(&mut list);
        draw.expect(&mut expected);
    }
    let mut digest = Digest::new();
    target.check(stage, &mut list, "what the vertices had", &expected, &mut digest)?;
    Ok(digest)
}

fn indirect(stage: &Stage) -> Result<Digest, Failure> {
    let shapes = Shapes::new(stage)?;
    let device = &stage.device;
    let target = Target::new(device, FORMAT, SIZE, SIZE)?;
    let mut list = List::direct(device)?;
    let mut expected = Picture::new(SIZE, SIZE, [0; 4]);
    let mut kept = Vec::new();
    list.targets(&[&target], None);
    list.square(SIZE);
    list.clear_target(&target, [0.0; 4], &[]);
    // Slots that commands set, and whether they set the index buffer: buffers that step by vertex, and such that step by instance.
    let sets: [(&[u32], bool); 6] =
        [(&[0, 5], false), (&[2], false), (&[1], false), (&[], true), (&[5, 2, 0, 1], true), (&[1], true)];
    for ((draw, wide), (slots, indices)) in DRAWS.into_iter().zip(sets) {
        let indices = (draw.order != Order::Strip && indices).then_some(wide);
        let action = if draw.order == Order::Strip { Argument::DRAW } else { Argument::DRAW_INDEXED };
        let mut parts: Vec<_> = slots.iter().map(|slot| vertex_buffer(*slot)).collect();
        parts.extend(indices.map(|_| argument(Argument::INDEX_BUFFER_VIEW)));
        parts.push(argument(action));
        let words = [shapes.views(slots, indices), draw.words()].concat();
        let signature = CommandSignature::new(device, None, &parts, 4 * words.len() as u32)?;
        let command = Buffer::uploaded(device, &words)?;
        shapes.set(&mut list);
        shapes.set_order(&mut list, draw.order, wide);
        // What commands set is not the list's.
        slots.iter().for_each(|slot| list.vertex_buffers(*slot, &[D3D12_VERTEX_BUFFER_VIEW::default()]));
        if indices.is_some() {
            list.index_buffer(&D3D12_INDEX_BUFFER_VIEW::default());
        }
        list.execute_indirect(&signature, 1, (&command, 0), None);
        draw.expect(&mut expected);
        kept.push((signature, command));
    }
    let mut digest = Digest::new();
    target.check(stage, &mut list, "what the vertices had", &expected, &mut digest)?;
    Ok(digest)
}
