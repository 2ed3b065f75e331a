//! What ends a frame, where somebody who reads a trace says it: presents, presents to one swap chain, submissions or markers. The words and what
//! they mean are those of `reprise capture --frame-boundary`.
//!
//! Invariant: a trace that was captured with a boundary and one that is read with it have the same frames, but for calls of other threads that ran
//! while the frame ended.

use crate::argument;
use crate::argument::{Argument, ObjectId, Out};
use crate::call::Call;
use crate::damaged::Damaged;
use crate::state::lists::{MARKERS, RESET, any_marker, begins_anew};
use crate::state::queues::executed;
use crate::walk::{At, Interests, Pass, walk};
use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;
pub use reprise_environment::FrameBoundary;
use reprise_trace::read::{Ends, ReadError, Trace};
use reprise_trace::record::FrameSource;
use std::collections::HashSet;

/// Why a trace does not have such frames.
#[derive(Debug, thiserror::Error)]
pub enum NoFrames {
    /// It cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A call that would tell cannot be read.
    #[error("call {call} would tell where frames end, and cannot be read: {error}")]
    Damaged {
        /// The call.
        call: u64,
        /// What is wrong.
        error: Damaged,
    },
    /// Nothing in it ends such a frame: what there is instead.
    #[error("{0}")]
    Nothing(String),
}

/// Has the frames of a trace end where the user says, whatever ended them when it was recorded. To be called once, before events are read that are
/// to have these frames, and after its calls are in today's numbers.
///
/// # Errors
/// Nothing ends such a frame, or the trace cannot be read.
pub fn end_by(trace: &Trace, boundary: &FrameBoundary) -> Result<(), NoFrames> {
    let recorded = trace.statistics().frames;
    let by_presents = trace.meta().get("frame_boundary").is_none();
    if matches!(boundary, FrameBoundary::Presents) && by_presents && recorded > 0 {
        return Ok(());
    }
    if trace.meta().get("flight_recorder").is_some() {
        let what = format!(
            "{boundary} is nothing for what a flight recorder kept: frames are left out, and it knows only how many it recorded"
        );
        return Err(NoFrames::Nothing(what));
    }
    let mut survey = Survey::new(trace, boundary);
    walk(trace, &mut [&mut survey])?;
    if let Some((call, error)) = survey.damaged {
        return Err(NoFrames::Damaged { call, error });
    }
    if survey.ends.is_empty() {
        return Err(NoFrames::Nothing(survey.instead()));
    }
    // Of several threads, one may have returned later than another that began later.
    survey.ends.sort_unstable();
    let source = match boundary {
        FrameBoundary::Presents | FrameBoundary::SwapChain(_) => FrameSource::Present,
        FrameBoundary::Markers(_) => FrameSource::Marker,
        FrameBoundary::Submissions => FrameSource::Submission,
    };
    let surface = match boundary {
        FrameBoundary::SwapChain(number) => survey.chains.get(*number as usize - 1).copied().unwrap_or(0),
        _ => 0,
    };
    trace.end_frames(Ends { calls: survey.ends, source, surface, by: boundary.to_string() });
    Ok(())
}

const EXECUTE: MethodId = method("ID3D12CommandQueue", "ExecuteCommandLists");
/// Calls that present, with their flags.
const PRESENTS: [Argument<u32>; 3] = [
    argument!("IDXGISwapChain", "Present", "Flags"),
    argument!("IDXGISwapChain1", "Present1", "PresentFlags"),
    argument!("IDXGIVkSwapChain", "Present", "PresentFlags"),
];
/// `DXGI_PRESENT_TEST`: nothing is shown.
const TEST: u32 = 1;
/// Calls that make swap chains.
const CHAINS: [Argument<Out<ObjectId>>; 5] = [
    argument!("IDXGIFactory", "CreateSwapChain", "ppSwapChain"),
    argument!("IDXGIFactory2", "CreateSwapChainForHwnd", "ppSwapChain"),
    argument!("IDXGIFactory2", "CreateSwapChainForCoreWindow", "ppSwapChain"),
    argument!("IDXGIFactory2", "CreateSwapChainForComposition", "ppSwapChain"),
    argument!("IDXGIVkSwapChainFactory", "CreateSwapChain", "ppSwapChain"),
];
/// Texts of markers that are named where none matches.
const NAMED: usize = 3;

/// Looks for the calls that end frames.
struct Survey<'b> {
    boundary: &'b FrameBoundary,
    trace: &'b Trace,
    ends: Vec<u64>,
    /// In the order in which they were made.
    chains: Vec<u32>,
    /// Lists with a marker that ends a frame.
    marked: HashSet<u32>,
    /// Some texts of markers that end none.
    others: Vec<String>,
    presents: u64,
    damaged: Option<(u64, Damaged)>,
}

impl<'b> Survey<'b> {
    fn new(trace: &'b Trace, boundary: &'b FrameBoundary) -> Survey<'b> {
        Survey {
            boundary,
            trace,
            ends: Vec::new(),
            chains: Vec::new(),
            marked: HashSet::new(),
            others: Vec::new(),
            presents: 0,
            damaged: None,
        }
    }

    /// Whether a frame ends with a call.
    fn ends(&mut self, call: &Call<'_>) -> Result<bool, Damaged> {
        if call.method == EXECUTE {
            return Ok(match self.boundary {
                FrameBoundary::Submissions => true,
                FrameBoundary::Markers(_) => executed(call)?.iter().any(|list| self.marked.contains(list)),
                _ => false,
            });
        }
        if let Some(flags) = PRESENTS.iter().find(|flags| flags.method() == call.method) {
            let shows = call.succeeded() && flags.of(call)? & TEST == 0;
            self.presents += u64::from(shows);
            return Ok(shows
                && match self.boundary {
                    FrameBoundary::Presents => true,
                    FrameBoundary::SwapChain(number) => self.chains.get(*number as usize - 1) == Some(&call.object),
                    _ => false,
                });
        }
        if let Some(chain) = CHAINS.iter().find(|chain| chain.method() == call.method) {
            let made = if call.succeeded() { chain.of(call)? } else { None };
            self.chains.extend(made.map(|chain| chain.0).filter(|chain| *chain != 0));
            return Ok(false);
        }
        let (FrameBoundary::Markers(pattern), Some((marker, of_list))) = (self.boundary, any_marker(call)?) else {
            return Ok(false);
        };
        let text = marker.resolved(self.trace).text;
        if !pattern.is_match(&text) {
            if self.others.len() < NAMED && !self.others.contains(&text) {
                self.others.push(text);
            }
            return Ok(false);
        }
        if of_list {
            // A list does nothing before a submission runs it.
            self.marked.insert(call.object);
        }
        Ok(!of_list)
    }

    /// What there is, where nothing ends such a frame.
    fn instead(&self) -> String {
        let boundary = self.boundary;
        match boundary {
            FrameBoundary::Markers(_) if self.others.is_empty() && self.marked.is_empty() => {
                format!("{boundary} ends no frame: the trace has no markers")
            }
            FrameBoundary::Markers(_) if self.others.is_empty() => {
                format!("{boundary} ends no frame: no submission runs a list with such a marker")
            }
            FrameBoundary::Markers(_) => {
                let others: Vec<String> = self.others.iter().map(|text| format!("{text:?}")).collect();
                format!("{boundary} ends no frame: the trace has markers such as {}", others.join(", "))
            }
            FrameBoundary::Submissions => format!("{boundary} end no frame: the trace has no ExecuteCommandLists"),
            FrameBoundary::SwapChain(_) | FrameBoundary::Presents if !self.chains.is_empty() => {
                let (chains, presents) = (self.chains.len(), self.presents);
                let chains = if chains == 1 { "one swap chain".to_owned() } else { format!("{chains} swap chains") };
                format!("{boundary} ends no frame: the trace makes {chains} and presents {presents} times")
            }
            FrameBoundary::SwapChain(_) | FrameBoundary::Presents => format!(
                "{boundary} ends no frame: the trace has no swap chain of the API (presents of Vulkan and OpenGL are told apart by `reprise \
                 capture --frame-boundary` alone)"
            ),
        }
    }
}

impl Pass for Survey<'_> {
    fn interests(&self) -> Interests {
        let all = Interests::new();
        match self.boundary {
            FrameBoundary::Submissions => all.calls(&[EXECUTE]),
            FrameBoundary::Markers(_) => all.calls(&MARKERS).calls(&[EXECUTE, RESET]),
            FrameBoundary::Presents | FrameBoundary::SwapChain(_) => {
                all.calls(&PRESENTS.map(|it| it.method())).calls(&CHAINS.map(|it| it.method()))
            }
        }
    }

    fn call(&mut self, call: &Call<'_>, _: &At) {
        if begins_anew(call) {
            self.marked.remove(&call.object);
        }
        match self.ends(call) {
            Ok(true) => self.ends.push(call.number),
            Ok(false) => {}
            Err(error) => _ = self.damaged.get_or_insert((call.number, error)),
        }
    }
}
