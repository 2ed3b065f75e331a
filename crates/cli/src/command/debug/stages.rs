//! `reprise debug --stage hull|domain|geometry`: the shaders between vertices and the rasteriser.

use super::domain::{self, Place};
use super::draw::Job;
use super::geometry::{self, Primitive};
use super::patches::At;
use super::{Arguments, StageName, hull};
use crate::debug::before::Before;
use crate::debug::{Draw, Stage};
use crate::ours::VIEW;
use crate::terminal::exit::{self, Ended, Failure, OrExit};
use anyhow::Context;
use reprise_interpreter::Module;

/// Why nothing comes of a primitive.
pub(super) enum Why {
    /// There is no such primitive.
    Asked(String),
    Failed(String),
}

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

impl Job<'_> {
    /// What comes of a primitive.
    ///
    /// # Errors
    /// Nothing does, or something is missing that no replay fetched.
    pub(super) fn there<T>(&self, made: Result<Option<T>, Why>) -> Result<T, Failure> {
        match made {
            Ok(Some(made)) => Ok(made),
            Ok(None) => Err(self.failed("inputs are missing that nothing asks for")),
            Err(Why::Asked(what)) => Err(self.asked(what)),
            Err(Why::Failed(what)) => Err(self.failed(what)),
        }
    }

    /// # Errors
    /// What lanes of other primitives have may count.
    pub(super) fn refuse_waves(&self, before: &Before) -> Result<(), Failure> {
        if self.module.uses_waves() || before.use_waves() {
            let what = "the shader's results depend on which lanes share a wave, which the API leaves open for draws";
            return Err(self.failed(format!("unsupported: {what}")));
        }
        Ok(())
    }

    /// # Errors
    /// The draw has no such instance.
    pub(super) fn has_instance(&self, instance: u32) -> Result<(), Failure> {
        match self.draw.counts().instances {
            count if instance >= count => {
                Err(self.asked(format!("there is no instance {instance}: the draw has {count}")))
            }
            _ => Ok(()),
        }
    }
}
