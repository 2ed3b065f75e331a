//! Dumps: contents of resources at chosen points of a replay, as files.
//!
//! A pass over the trace before the replay (`plan`) finds where each copy has to go: after which call, into which list, in
//! which states the resource is then, and which submission makes it. While the trace plays, `take` puts the copies there
//! and writes the files when the GPU is done. Invariant: a dump holds the contents that the call left, or states why there are
//! none; the program's own calls are made as recorded. A point (`Point`) is a dump that is looked at instead of written; a
//! shot (`Shot`) is given to the caller.

mod bindings;
mod contents;
mod copy;
mod draws;
mod files;
mod pass;
mod plan;
mod samples;
mod shot;
mod snapshot;
mod states;
mod take;
#[cfg(test)]
mod tests;
mod transfers;
mod views;

use std::path::PathBuf;
use std::str::FromStr;

pub use draws::{DrawShot, draws_of_frame};
pub(crate) use plan::plan;
pub(crate) use samples::Samples;
pub use shot::{OnShot, Shot, ShotContents, ShotOf, ShotPart};
pub use snapshot::{BuildInputs, OnGiven, ResourceContents, Snapshot, SnapshotPart, WantedBuild, WantedContents};
pub(crate) use snapshot::{give as give_snapshot, points as points_of};
pub(crate) use states::States;
pub(crate) use take::{Dumps, own_samples, signal, stencil_of};
pub(crate) use views::{Part, has_slices, part as part_of_view, slices, unknown_view};

/// Dumps that are asked for, and their folder.
#[derive(Clone, Debug)]
pub struct ResourceDumps {
    /// Single resources.
    pub requests: Vec<DumpRequest>,
    /// Draws, dispatches, copies, resolves and clears, by call: everything bound there, or that they read and write.
    pub draws: Vec<u64>,
    /// As it was right before each call, instead of right after it.
    pub before: bool,
    /// A list that is submitted several times: as its first submission of this frame or a later one leaves it; frames count from 1.
    pub from_frame: u64,
    /// Folder for the files, made if absent.
    pub dir: PathBuf,
    /// Contents that are given to the caller, and not written.
    pub shots: Vec<Shot>,
    /// Contents that are looked at for NaN and infinity, and not written.
    pub(crate) points: Vec<Point>,
}

/// A place in a list where contents are looked at.
#[derive(Clone, Debug)]
pub(crate) struct Point {
    pub(crate) list: u32,
    /// The copy stands right before or right after this call.
    pub(crate) call: u64,
    pub(crate) before: bool,
    pub(crate) resource: u32,
    pub(crate) subresource: Option<u32>,
    /// Offset and number of bytes of a buffer.
    pub(crate) bytes: Option<(u64, u64)>,
    /// `DXGI_FORMAT` of the view that writes there; `None`: the bytes are kept until the end, as the last run of the list left them.
    pub(crate) format: Option<u32>,
}

/// A resource at a point of the replay.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DumpRequest {
    /// Its id in the trace.
    pub resource: u32,
    /// One subresource, counted as the API does; `None` for all.
    pub subresource: Option<u32>,
    /// Offset and number of bytes of a buffer; `None` for all.
    pub bytes: Option<(u64, u64)>,
    /// When.
    pub at: DumpAt,
}

/// A point of the replay.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DumpAt {
    /// At this call, by the numbers of `reprise dump`.
    Call(u64),
    /// At the end of this frame; frames count from 1.
    Frame(u64),
}

impl Default for ResourceDumps {
    fn default() -> Self {
        Self {
            requests: Vec::new(),
            draws: Vec::new(),
            before: false,
            from_frame: 1,
            dir: PathBuf::from("."),
            shots: Vec::new(),
            points: Vec::new(),
        }
    }
}

impl ResourceDumps {
    /// Nothing is dumped.
    pub fn is_empty(&self) -> bool {
        self.are_shots_only() && self.shots.is_empty()
    }
}

impl ResourceDumps {
    /// Nothing but shots is wanted.
    fn are_shots_only(&self) -> bool {
        self.requests.is_empty() && self.draws.is_empty() && self.points.is_empty()
    }
}

impl FromStr for DumpRequest {
    type Err = String;

    /// `12@345`, `12:3@345` (a subresource), `12[256+64]@345` (bytes of a buffer), `12@frame7`.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "{text:?} names no resource at a point: write it like 12@345 (resource 12 at call 345), 12:3@345 (its \
                 subresource 3), 12[256+64]@345 (64 bytes from 256 on) or 12@frame7 (at the end of frame 7)"
            )
        };
        let (what, at) = text.split_once('@').ok_or_else(wrong)?;
        let at = match at.strip_prefix("frame") {
            Some(frame) => DumpAt::Frame(number(frame.trim()).filter(|&frame| frame > 0).ok_or_else(wrong)?),
            None => DumpAt::Call(number(at).filter(|&call| call > 0).ok_or_else(wrong)?),
        };
        let (what, bytes) = match what.split_once('[') {
            Some((what, range)) => {
                let (offset, size) =
                    range.strip_suffix(']').and_then(|range| range.split_once('+')).ok_or_else(wrong)?;
                (what, Some(number(offset).zip(number(size).filter(|&size| size > 0)).ok_or_else(wrong)?))
            }
            None => (what, None),
        };
        let (id, subresource) = match what.split_once(':') {
            Some((id, subresource)) => (id, Some(number(subresource).and_then(small).ok_or_else(wrong)?)),
            None => (what, None),
        };
        let resource = number(id).and_then(small).filter(|&id| id > 0).ok_or_else(wrong)?;
        Ok(Self { resource, subresource, bytes, at })
    }
}

fn small(number: u64) -> Option<u32> {
    u32::try_from(number).ok()
}

/// Decimal, or hexadecimal after `0x`.
fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}
