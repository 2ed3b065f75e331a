//! Where a shader of a ray stands: what it is called with, and what it leaves.

use super::record::Record;
use super::scene::InstancePlace;
use super::traverse::{Meeting, Ray};
use crate::open::Open;
use std::rc::Rc;

/// Numbers of a payload, of attributes, or of callable data, with what is open about each.
pub(crate) type Numbers = Vec<(u64, Open)>;

/// How an any-hit shader ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum End {
    /// The hit counts.
    #[default]
    Accepted,
    /// It does not.
    Ignored,
    /// It does, and the search is over.
    Last,
}

/// What is hit, as the shader sees it.
#[derive(Clone, Debug)]
pub(crate) struct Struck {
    pub(crate) meeting: Meeting,
    pub(crate) instance: InstancePlace,
    /// `HitKind`.
    pub(crate) kind: (u32, Open),
    /// Of a box the distance that its shader reported.
    pub(crate) given: Option<(u64, Open)>,
    pub(crate) attributes: Numbers,
}

/// What an intersection shader reports to.
#[derive(Clone, Debug)]
pub(crate) struct Reports {
    /// The end of the ray's range: the nearest hit so far.
    pub(crate) end: f64,
    pub(crate) committed: Option<Struck>,
    /// The search is over.
    pub(crate) over: bool,
    pub(crate) payload: Numbers,
}

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct Stand {
    /// `DispatchRaysIndex` and `DispatchRaysDimensions`.
    pub(crate) launch: [[u32; 3]; 2],
    pub(crate) record: Rc<Record>,
    /// Rays that this shader is within, and calls of shaders, rays or not.
    pub(crate) rays: u32,
    pub(crate) depth: u32,
    /// Rays in rays that the pipeline allows.
    pub(crate) most_rays: u32,
    pub(crate) ray: Option<Ray>,
    pub(crate) struck: Option<Struck>,
    pub(crate) reports: Option<Reports>,
    /// Payload or callable data, before and after.
    pub(crate) incoming: Numbers,
    /// What is open about whether it is called.
    pub(crate) way: Open,
    pub(crate) end: End,
}
