//! The shaders of a draw that run before the one that is looked at.

use super::indirect::Work;
use super::invocation::Command;
use super::pipeline::Pipeline;
use super::rows::rows;
use super::stage::Stage;
use crate::ours::{Compiled, Linked, VIEW};
use anyhow::{Context, anyhow};
use reprise_dxbc::signature::Element;
use reprise_interpreter::Module;
use reprise_timeline::State;
use reprise_timeline::state::lists::Bound;
use reprise_trace::read::{Trace, content_hash};
use std::sync::Arc;

/// The shaders before a hull, domain or geometry shader.
pub(crate) struct Before {
    pub(super) vertex: Module,
    /// Rows of what the vertex shader takes in.
    pub(super) inputs: Vec<Element>,
    /// Of domain shaders, and of geometry shaders behind them.
    pub(crate) hull: Option<Module>,
    /// Of geometry shaders behind tessellation.
    pub(crate) domain: Option<Module>,
}

impl Before {
    /// What the domain shader is linked by.
    ///
    /// # Errors
    /// The hull shader cannot be translated, or there is none.
    pub(super) fn offset(
        trace: &Trace,
        state: &State,
        bound: &Bound,
        work: Work,
        pipeline: &Pipeline,
    ) -> anyhow::Result<u32> {
        let hull = pipeline.shaders.get("HS").cloned().ok_or_else(|| anyhow!("its pipeline has no hull shader"))?;
        let code = (content_hash(&hull), hull);
        let command = Command::of(trace, state, (bound.clone(), work), code, Linked::default());
        Ok(command.context("its hull shader")?.compiled.patch_location_offset)
    }

    /// The shaders of a pipeline that come before a stage, as the command has its root arguments.
    ///
    /// # Errors
    /// One cannot be translated or read.
    pub(super) fn of(command: &Command, pipeline: &Pipeline, stage: Stage) -> anyhow::Result<Before> {
        let code = |short: &str| pipeline.shaders.get(short);
        let read = |container: &Arc<[u8]>, name: &'static str, linked: Linked| -> anyhow::Result<(Compiled, Module)> {
            let compiled = command.compile(container, linked).with_context(|| format!("its {name} shader"))?;
            let module = Module::read(&compiled.words).with_context(|| format!("its {name} shader"))?;
            Ok((compiled, module))
        };
        let vertex = code("VS").ok_or_else(|| anyhow!("its pipeline has no vertex shader"))?;
        let (inputs, _) = rows(vertex).context("its vertex shader")?;
        let number = |module: Module, number: u32, name: &str| module.called(number, format!("{name} shader"));
        let mut before = Before {
            vertex: number(read(vertex, "vertex", Linked::default())?.1, 1, "vertex"),
            inputs,
            hull: None,
            domain: None,
        };
        if stage == Stage::Hull {
            return Ok(before);
        }
        let Some(hull) = code("HS") else { return Ok(before) };
        let (compiled, hull) = read(hull, "hull", Linked::default())?;
        before.hull = Some(number(hull, 2, "hull"));
        if let Some(domain) = code("DS").filter(|_| stage == Stage::Geometry) {
            let patch_location_offset = compiled.patch_location_offset;
            let linked = Linked { patch_location_offset, ..Linked::default() };
            before.domain = Some(number(read(domain, "domain", linked)?.1, 3, "domain"));
        }
        Ok(before)
    }

    /// They are of a view instance.
    pub(crate) fn be_of_view(&mut self, view: u32) {
        let others = [&mut self.hull, &mut self.domain];
        self.vertex.specialise(VIEW, view);
        others.into_iter().flatten().for_each(|module| module.specialise(VIEW, view));
    }

    /// Whether one of their results may depend on which lanes share a wave.
    pub(crate) fn use_waves(&self) -> bool {
        [Some(&self.vertex), self.hull.as_ref(), self.domain.as_ref()].into_iter().flatten().any(Module::uses_waves)
    }
}
