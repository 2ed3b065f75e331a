//! What the API refuses of a root signature that can be written down.

use super::{Content, Kind, RootSignature, UNBOUNDED};

/// Why a root signature is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Fault {
    /// More than 64 dwords.
    #[error("the root arguments take {0} dwords, 64 are allowed")]
    Cost(u64),
    /// A table of samplers and of something else.
    #[error("parameter {0}: samplers and other descriptors cannot be in one table")]
    MixedTable(usize),
    /// No such stage.
    #[error("parameter {0}: shader visibility {1} is not known")]
    Visibility(usize, u32),
    /// A range of no descriptors, or one that goes beyond the last register.
    #[error("parameter {0}, range {1}: {2} registers from register {3} on do not exist")]
    Registers(usize, usize, u32, u32),
    /// A range of descriptors that goes beyond the last that a table can have.
    #[error("parameter {0}, range {1}: the table is longer than tables can be")]
    Offsets(usize, usize),
    /// A register space that belongs to the system.
    #[error("parameter or sampler of register space {0:#x}: spaces from {RESERVED:#x} on are the system's")]
    Reserved(u32),
    /// A range behind one without an end, without an offset of its own.
    #[error("parameter {0}, range {1}: lies behind a range without an end")]
    Behind(usize, usize),
    /// Two parameters or samplers claim one register for one stage.
    #[error("{kind:?} register {register} of space {space} is claimed twice")]
    Overlap {
        /// What is claimed.
        kind: Kind,
        /// The first register that both claim.
        register: u32,
        /// Its space.
        space: u32,
    },
}

/// Registers that one parameter or sampler claims.
#[derive(Clone, Copy)]
struct Claim {
    kind: Kind,
    space: u32,
    first: u32,
    /// Inclusive.
    last: u32,
    visibility: u32,
}

/// `D3D12_SHADER_VISIBILITY_MESH`, the last.
const LAST_VISIBILITY: u32 = 7;
const ALL_STAGES: u32 = 0;
/// From here on register spaces are the system's.
const RESERVED: u32 = 0xffff_fff0;

impl RootSignature {
    /// Finds the first thing for which a root signature is not made.
    ///
    /// # Errors
    /// That thing.
    pub fn check(&self) -> Result<(), Fault> {
        if self.cost() > 64 {
            return Err(Fault::Cost(self.cost()));
        }
        overlap(self.claims()?)
    }

    /// Finds the first thing for which a root signature is not written down. Its cost is none: compilers write what no runtime makes. Spaces
    /// of the system's are, though tools make root signatures that have them.
    ///
    /// # Errors
    /// That thing.
    pub fn check_written(&self) -> Result<(), Fault> {
        let claims = self.claims()?;
        if let Some(claim) = claims.iter().find(|claim| claim.space >= RESERVED) {
            return Err(Fault::Reserved(claim.space));
        }
        overlap(claims)
    }

    /// The registers that parameters and samplers claim.
    fn claims(&self) -> Result<Vec<Claim>, Fault> {
        let mut claims = Vec::new();
        for (index, parameter) in self.parameters.iter().enumerate() {
            let visibility = parameter.visibility;
            if visibility > LAST_VISIBILITY {
                return Err(Fault::Visibility(index, visibility));
            }
            match &parameter.content {
                Content::Table(ranges) => {
                    if ranges.iter().any(|r| (r.kind == Kind::Sampler) != (ranges[0].kind == Kind::Sampler)) {
                        return Err(Fault::MixedTable(index));
                    }
                    // Where the next range begins, unless it says so itself.
                    let mut next = 0;
                    for (at, range) in ranges.iter().enumerate() {
                        let start = if range.offset == super::APPEND { next } else { u64::from(range.offset) };
                        if start > u64::from(u32::MAX) {
                            return Err(Fault::Behind(index, at));
                        }
                        let endless = range.count == UNBOUNDED;
                        next = if endless { 1 << 32 } else { start + u64::from(range.count) };
                        let last = if endless { Some(u32::MAX) } else { end(range.register, range.count) };
                        let Some(last) = last else {
                            return Err(Fault::Registers(index, at, range.count, range.register));
                        };
                        if next > 1 << 32 {
                            return Err(Fault::Offsets(index, at));
                        }
                        let (kind, space, first) = (range.kind, range.space, range.register);
                        claims.push(Claim { kind, space, first, last, visibility });
                    }
                }
                Content::Constants(c) => claims.push(Claim::one(Kind::Cbv, c.space, c.register, visibility)),
                Content::Descriptor(d) => claims.push(Claim::one(d.kind, d.space, d.register, visibility)),
            }
        }
        claims.extend(self.samplers.iter().map(|s| Claim::one(Kind::Sampler, s.space, s.register, s.visibility)));
        Ok(claims)
    }
}

impl Claim {
    fn one(kind: Kind, space: u32, register: u32, visibility: u32) -> Claim {
        Claim { kind, space, first: register, last: register, visibility }
    }
}

fn end(first: u32, count: u32) -> Option<u32> {
    count.checked_sub(1).and_then(|more| first.checked_add(more))
}

fn overlap(mut claims: Vec<Claim>) -> Result<(), Fault> {
    claims.sort_by_key(|claim| (claim.kind, claim.space, claim.first));
    for (index, claim) in claims.iter().enumerate() {
        let same = |other: &&Claim| other.kind == claim.kind && other.space == claim.space && other.first <= claim.last;
        for other in claims[index + 1..].iter().take_while(same) {
            let meet = |a: u32, b: u32| a == ALL_STAGES || b == ALL_STAGES || a == b;
            if meet(claim.visibility, other.visibility) {
                return Err(Fault::Overlap { kind: claim.kind, register: other.first, space: claim.space });
            }
        }
    }
    Ok(())
}
