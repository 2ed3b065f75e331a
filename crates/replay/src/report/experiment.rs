//! A frame without some of its work: what is taken out, and what became of that.

use std::collections::BTreeMap;

/// What is taken out of frames.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Experiment {
    /// Draws have a pixel shader that does nothing, and leave colours alone.
    PixelShader,
    /// Draws reach one pixel; their viewports stay.
    Scissor,
    /// Shaders read textures of one texel.
    Textures,
    /// Draws leave depth alone.
    DepthWrites,
    /// The depth tests of draws pass.
    DepthTest,
    /// Draws write over what their targets have.
    Blending,
    /// Nothing is drawn.
    Draws,
    /// Nothing is dispatched: compute shaders, rays, work graphs.
    Dispatches,
    /// Nothing is copied or resolved.
    Copies,
    /// Nothing is cleared.
    Clears,
}

/// What is taken out, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExperimentWish {
    /// What.
    pub what: Experiment,
    /// Of these frames, first and last; frames count from 1.
    pub frames: (u64, u64),
    /// Only of operations of these numbers of calls, first and last of each range; empty: of all.
    pub calls: Vec<(u64, u64)>,
}

/// What became of it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ExperimentReport {
    /// How many operations, or views, were changed.
    pub changed: u64,
    /// Calls that could not be changed, by reason.
    pub unchanged: BTreeMap<String, Vec<u64>>,
}

impl Experiment {
    /// All of them.
    pub const ALL: [Experiment; 10] = [
        Experiment::Draws,
        Experiment::PixelShader,
        Experiment::Scissor,
        Experiment::Textures,
        Experiment::Blending,
        Experiment::DepthTest,
        Experiment::DepthWrites,
        Experiment::Dispatches,
        Experiment::Copies,
        Experiment::Clears,
    ];

    /// As command lines and JSON name it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Experiment::PixelShader => "pixel-shader",
            Experiment::Scissor => "scissor",
            Experiment::Textures => "textures",
            Experiment::DepthWrites => "depth-writes",
            Experiment::DepthTest => "depth-test",
            Experiment::Blending => "blending",
            Experiment::Draws => "draws",
            Experiment::Dispatches => "dispatches",
            Experiment::Copies => "copies",
            Experiment::Clears => "clears",
        }
    }

    /// What the frame is then, in words.
    #[must_use]
    pub fn in_words(self) -> &'static str {
        match self {
            Experiment::PixelShader => "a pixel shader that does nothing, and no colours",
            Experiment::Scissor => "a scissor of one pixel",
            Experiment::Textures => "textures of one texel",
            Experiment::DepthWrites => "no writes of depth",
            Experiment::DepthTest => "depth tests that pass",
            Experiment::Blending => "no blending",
            Experiment::Draws => "no draws",
            Experiment::Dispatches => "no dispatches",
            Experiment::Copies => "no copies and resolves",
            Experiment::Clears => "no clears",
        }
    }

    /// What is counted as changed: one, and several.
    #[must_use]
    pub fn counts(self) -> [&'static str; 2] {
        match self {
            Experiment::Textures => ["view", "views"],
            Experiment::Dispatches => ["dispatch", "dispatches"],
            Experiment::Copies => ["copy", "copies"],
            Experiment::Clears => ["clear", "clears"],
            _ => ["draw", "draws"],
        }
    }
}
