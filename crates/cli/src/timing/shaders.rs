//! What pipelines were made of, for rows that stand for shaders.

use crate::terminal::exit::{self, Failure, OrExit};
use anyhow::Context;
use reprise_times::Pipeline;
use reprise_trace::read::Trace;
use reprise_view::shaders;
use std::collections::HashMap;

/// Most shaders of a trace that are looked at for those of a pipeline.
const MOST: usize = 1 << 16;

/// Stage and hash of each shader, as `extract` and `stat` name it.
pub(crate) type Shader = (&'static str, String);

/// The shaders of each pipeline state and state object, by its id.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shaders(HashMap<u32, Vec<Shader>>);

impl Shaders {
    /// # Errors
    /// The trace cannot be read.
    pub(crate) fn of(trace: &Trace) -> Result<Shaders, Failure> {
        let all = shaders::Shaders::of(trace, MOST).context("the trace's shaders").or_exit(exit::TRACE)?;
        let mut of: HashMap<u32, Vec<Shader>> = HashMap::new();
        for shader in &all.list {
            for pipeline in &shader.pipelines {
                of.entry(*pipeline).or_default().push((shader.stage, format!("{:032x}", shader.hash)));
            }
        }
        Ok(Shaders(of))
    }

    /// What a pipeline was made of; nothing where that is not known.
    pub(crate) fn of_pipeline(&self, pipeline: Pipeline) -> &[Shader] {
        let (Pipeline::State(id) | Pipeline::StateObject(id)) = pipeline else { return &[] };
        self.0.get(&id).map(Vec::as_slice).unwrap_or_default()
    }
}
