//! `reprise debug --stage hull|domain|geometry`: the shaders between vertices and the rasteriser.

use super::domain::{self, Place};
use super::draw::Job;
use super::geometry::{self, Primitive};
use super::patches::At;
use super::{Arguments, StageName, hull};
use crate::debug::{Draw, Stage};
use crate::ours::VIEW;
use crate::terminal::exit::{self, Ended, Failure, OrExit};
use anyhow::Context;
use reprise_interpreter::Module;

/// The stage of a primitive that is asked for; `None`: another one, or none.
///
/// # Errors
/// Options that do not go together.
pub(super) fn asked(arguments: &Arguments) -> Result<Option<Stage>, Failure> {
    let wrong = |what: &str| Err(Failure::message(exit::USAGE, what));
    let stage = match arguments.stage {
        Some(StageName::Hull) => Some(Stage::Hull),
        Some(StageName::Domain) => Some(Stage::Domain),
        Some(StageName::Geometry) => Some(Stage::Geometry),
        Some(StageName::Amplification | StageName::Mesh) if arguments.thread.is_none() => {
            return wrong("--stage amplification and --stage mesh name the shader of a thread: add --thread X,Y,Z");
        }
        _ => None,
    };
    let (geometry, domain) = (stage == Some(Stage::Geometry), stage == Some(Stage::Domain));
    if arguments.gs_instance.is_some() && !geometry {
        return wrong("--gs-instance goes with --stage geometry");
    }
    if arguments.location.is_some() && !domain {
        return wrong("--location goes with --stage domain");
    }
    if arguments.point.is_some() && stage.is_none() {
        return wrong("--point goes with --stage hull, domain or geometry");
    }
    match stage {
        None if arguments.primitive.is_some() && arguments.pixel.is_none() => {
            wrong("--primitive goes with --pixel X,Y, or with --stage hull, domain or geometry")
        }
        None => Ok(None),
        Some(_) if arguments.thread.is_some() || arguments.vertex.is_some() || arguments.pixel.is_some() => wrong(
            "--thread, --vertex and --pixel are of other shaders: --stage hull, domain and geometry go with --primitive P",
        ),
        Some(_) if arguments.primitive.is_none() => wrong("name the primitive whose shader runs by --primitive P"),
        Some(_) if domain && arguments.point.is_none() && arguments.location.is_none() => wrong(
            "name the vertex that the domain shader makes by --point I, or its place in the patch by --location U,V",
        ),
        Some(stage) => Ok(Some(stage)),
    }
}

pub(super) fn run(arguments: &Arguments, stage: Stage) -> Ended {
    let _held = arguments.adapter.tell(arguments.runtime.name())?;
    let call = (arguments.call, arguments.submission);
    let mut draw = arguments.find(|trace, index, progress| Draw::of(trace, index, call, stage, progress))?;
    arguments.resolve(&mut draw.shader)?;
    let mut module = Module::read(&draw.shader.command().compiled.words).context("its shader").or_exit(exit::FAILED)?;
    draw.be_of_view(arguments.view(&draw)?);
    module.specialise(VIEW, draw.view);
    let job = Job { arguments, draw: &draw, module: &module };
    let (number, instance) = (arguments.primitive.unwrap_or(0), arguments.instance.unwrap_or(0));
    let at = At { number, instance };
    let is_wrong = match stage {
        Stage::Hull => hull::run(&job, at, arguments.point)?,
        Stage::Domain => {
            let place = match arguments.location {
                Some(location) => Place::Location(location),
                None => Place::Vertex(arguments.point.unwrap_or(0)),
            };
            domain::run(&job, at, place)?
        }
        _ => geometry::run(&job, Primitive { number, instance, own: arguments.gs_instance.unwrap_or(0) })?,
    };
    Ok(arguments.exit(is_wrong))
}
