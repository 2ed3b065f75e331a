//! `vertices`: vertices from four buffers with strides of their own, by vertex, by instance and by every second instance, drawn
//! with and without indices of 16 and 32 bits, with a base vertex and a first instance; the picture has what the shader saw.

use super::Program;
use super::shapes::{Draw, FORMAT, Order, SIZE, Shapes};
use crate::digest::Digest;
use crate::failure::Failure;
use crate::list::List;
use crate::picture::Picture;
use crate::stage::Stage;
use crate::target::Target;

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
