//! Wire bytes to argument words for the calls that most of a trace consists of: numbers, handles, objects, and arrays
//! of structures that hold nothing else.
//!
//! What [`Codec::rebuild`] works out for each call is worked out once per method here. [`Prepared`] keeps the words of a call for the
//! next one, which is often nearly the same. Invariant: the words, and what they lead to, are those that `rebuild` gives.
//! Calls that `rebuild` would refuse, or would report something about, are refused here without a reason, so that the caller asks
//! `rebuild` (a test compares the two for every light method).

mod prepared;

use crate::Codec;
use crate::codec::StepArm;
use crate::decode::is_translated;
use reprise_d3d12::model::{Direction, Field, InterfaceId, Len, MethodId, Role, Rule, StructId, Type};

pub use prepared::Prepared;

/// Most parameters of a light method.
pub const MOST_WORDS: usize = 10;
/// Most objects and translated numbers in one element.
const MOST_SITES: usize = 16;

/// How the arguments of one method are rebuilt.
#[derive(Debug)]
pub struct Light {
    /// Bytes of the packed block.
    block: usize,
    words: Box<[Word]>,
    /// Places where something is translated.
    sites: usize,
    /// By 4 bytes of the packed block: the word that lies there alone.
    of_lane: [u8; LANES],
    /// Bits of the lanes in which one word lies alone.
    alone: u64,
    /// Bits of all other lanes of the block: several words share them, or they say where a word leads to and how far.
    other: u64,
}

/// Lanes of 4 bytes in the longest packed block.
const LANES: usize = 2 * MOST_WORDS;

#[derive(Debug)]
struct Word {
    /// Which 8 bytes of the packed block hold it, how far up, and which bits are its own.
    at: usize,
    shift: u32,
    mask: u64,
    /// Bits of the 4 bytes of the block in which it lies.
    lanes: u64,
    what: What,
}

#[derive(Debug)]
enum What {
    /// Its own bytes.
    Number,
    /// Not as recorded, unless it is null. It is the site with this number.
    Site(usize, Translation),
    /// A pointer to elements.
    Elements { size: usize, count: Count, sites: Box<[Site]> },
}

#[derive(Clone, Copy, Debug)]
enum Translation {
    Object(InterfaceId),
    Number(Role),
}

/// Where in an element something is translated.
#[derive(Debug)]
struct Site {
    number: usize,
    offset: usize,
    what: Translation,
    /// All of them must be active.
    arms: Box<[StepArm]>,
}

/// How many elements the callee looks at; numbers are parameters.
#[derive(Clone, Copy, Debug)]
enum Count {
    Exactly(u64),
    Parameter(usize),
    /// So many bytes.
    Bytes(usize),
    /// As [`Rule::RenderTargets`] says.
    Targets,
}

/// Arguments that cannot be rebuilt this way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotLight;

impl Codec {
    /// The plan for a method; `None` where some argument is more than this path understands.
    pub fn light(&self, method: MethodId) -> Option<Light> {
        let tables = self.model.methods.get(usize::from(method.0))?;
        if tables.params.len() > MOST_WORDS {
            return None;
        }
        let mut sites = 0;
        let words: Box<[Word]> =
            tables.params.iter().map(|field| self.light_word(field, &mut sites)).collect::<Option<_>>()?;
        let block = usize::from(tables.args_size);
        if block > 4 * LANES {
            return None;
        }
        let mut other = 0;
        for word in &words {
            if let What::Elements { count, .. } = word.what {
                let parameter = |at: usize| words.get(at).map_or(0, |word| word.lanes);
                other |= word.lanes;
                other |= match count {
                    Count::Exactly(_) => 0,
                    Count::Parameter(at) | Count::Bytes(at) => parameter(at),
                    Count::Targets => parameter(0) | parameter(2),
                };
            }
        }
        let (mut of_lane, mut alone) = ([0; LANES], 0);
        for (at, word) in words.iter().enumerate() {
            other |= alone & word.lanes;
            alone |= word.lanes;
            (0..LANES).filter(|lane| word.lanes >> lane & 1 != 0).for_each(|lane| of_lane[lane] = at as u8);
        }
        // A word of two lanes, one of which it shares, does not lie alone in the other one.
        words.iter().filter(|word| word.lanes & other != 0).for_each(|word| alone &= !word.lanes);
        Some(Light { block, words, sites, of_lane, alone, other: other | !alone & lanes(0, block) })
    }

    fn light_word(&self, field: &'static Field, number: &mut usize) -> Option<Word> {
        let size = self.size_of(field.ty) as usize;
        if field.count > 1 || field.arm.is_some() || field.direction != Direction::In || !(1..=8).contains(&size) {
            return None;
        }
        let what = match field.ty {
            Type::Pointer(to) => {
                let count = match to.len {
                    Len::One => Count::Exactly(1),
                    Len::Const(count) => Count::Exactly(count.into()),
                    Len::Field(at) => Count::Parameter(at.into()),
                    Len::Bytes(at) => Count::Bytes(at.into()),
                    Len::Rule(Rule::RenderTargets) => Count::Targets,
                    _ => return None,
                };
                let ty = crate::shape::element(to.ty);
                // Void pointers to one thing, and lists, are not arrays.
                let linked = matches!(ty, Type::Struct(id) if self.struct_plan(id).next.is_some());
                if linked || matches!((to.ty, to.len), (Type::Void, Len::One)) {
                    return None;
                }
                let mut sites = Vec::new();
                self.sites(ty, field.role, 0, &[], &mut sites)?;
                for site in &mut sites {
                    site.number = *number;
                    *number += 1;
                }
                What::Elements { size: self.size_of(ty) as usize, count, sites: sites.into() }
            }
            ty => {
                let mut sites = Vec::new();
                self.sites(ty, field.role, 0, &[], &mut sites)?;
                match sites.as_slice() {
                    [] => What::Number,
                    [Site { offset: 0, what, arms, .. }] if arms.is_empty() && size == 8 => {
                        *number += 1;
                        What::Site(*number - 1, *what)
                    }
                    _ => return None,
                }
            }
        };
        let (at, low) = (field.offset as usize / 8, field.offset as usize % 8);
        let mask = u64::MAX >> (64 - 8 * size as u32);
        let lanes = lanes(field.offset as usize, size);
        // Parameters are aligned to their size, so none lies across two words.
        (low + size <= 8).then_some(Word { at, shift: 8 * low as u32, mask, lanes, what })
    }

    /// What is translated in a value of this type; `None` where that cannot be said by places.
    fn sites(&self, ty: Type, role: Role, at: usize, arms: &[StepArm], sites: &mut Vec<Site>) -> Option<()> {
        let mut add = |what| {
            sites.push(Site { number: 0, offset: at, what, arms: arms.into() });
            (sites.len() <= MOST_SITES).then_some(())
        };
        match ty {
            Type::Pointer(_) => None,
            Type::Object(interface) => add(Translation::Object(interface)),
            _ if is_translated(role) && self.size_of(ty) == 8 => add(Translation::Number(role)),
            Type::Struct(id) => self.fields(id, at, arms, sites),
            _ => Some(()),
        }
    }

    fn fields(&self, id: StructId, at: usize, arms: &[StepArm], sites: &mut Vec<Site>) -> Option<()> {
        if !self.struct_plan(id).rebuilt {
            return Some(());
        }
        let fields = self.model.structs.get(usize::from(id.0))?.fields;
        for field in fields {
            let own = field.arm.as_ref().map(|arm| StepArm::new(arm, fields, self.model.structs));
            let own = match own {
                Some(own) => Some(own?.moved(at)),
                None => None,
            };
            let arms: Vec<StepArm> = arms.iter().copied().chain(own).collect();
            let size = self.size_of(field.ty) as usize;
            for index in 0..usize::from(field.count.max(1)) {
                self.sites(field.ty, field.role, at + field.offset as usize + index * size, &arms, sites)?;
            }
        }
        Some(())
    }
}

/// Numbers that are translated alike: those at multiples of a step within a range.
#[derive(Clone, Copy, Debug)]
pub struct Alike {
    first: u64,
    /// Of the range.
    size: u64,
    /// Bits that are not set in the distance of such a number from the first one.
    between: u64,
    /// What the first one stands for.
    to: u64,
    /// A step in the recording and here, each as a power of two.
    steps: (u8, u8),
}

impl Alike {
    /// No number.
    pub const NOTHING: Alike = Alike { first: 0, size: 0, between: 0, to: 0, steps: (0, 0) };

    /// One number.
    #[inline]
    pub fn only(number: u64, to: u64) -> Alike {
        Alike { first: number, size: 1, to, ..Self::NOTHING }
    }

    /// The numbers in a range, which stays in one piece.
    #[inline]
    pub fn range(first: u64, size: u64, to: u64) -> Alike {
        Alike { first, size, to, ..Self::NOTHING }
    }

    /// The numbers in a range at multiples of a step, which is another one here; `None` where these are no powers of two.
    #[inline]
    pub fn steps(first: u64, size: u64, to: u64, recorded: u32, here: u32) -> Option<Alike> {
        let fit = recorded.is_power_of_two() && here.is_power_of_two();
        let steps = (recorded.trailing_zeros() as u8, here.trailing_zeros() as u8);
        fit.then(|| Alike { first, size, between: u64::from(recorded) - 1, to, steps })
    }

    /// What a number stands for, if it is one of these.
    #[inline(always)]
    pub fn of(&self, number: u64) -> Option<u64> {
        let distance = number.wrapping_sub(self.first);
        let is_one = distance < self.size && distance & self.between == 0;
        is_one.then(|| self.to.wrapping_add(distance >> (self.steps.0 & 63) << (self.steps.1 & 63)))
    }
}

/// What was last found for each translated place of a method's arguments. Whoever keeps it forgets it when anything else
/// may be found.
#[derive(Debug)]
pub struct Known(Box<[Alike]>);

impl Known {
    /// Nothing is known any more.
    pub fn forget(&mut self) {
        self.0.fill(Alike::NOTHING);
    }
}

/// Translates recorded values, and says which others are translated alike. `None` where the long way is to be asked.
pub trait Finder {
    /// As [`Resolver::object`](crate::rebuild::Resolver::object).
    fn object(&mut self, id: u32, interface: InterfaceId) -> Option<u64>;

    /// As [`Resolver::word`](crate::rebuild::Resolver::word): numbers among which is `value`.
    fn word(&mut self, role: Role, value: u64) -> Option<Alike>;
}

impl Light {
    /// Nothing, of what may come to be known of calls of this method.
    pub fn nothing_known(&self) -> Known {
        Known(vec![Alike::NOTHING; self.sites].into())
    }
}

/// Bits of the 4-byte lanes in which so many bytes lie from `at` on, as far as there are bits for them.
fn lanes(at: usize, bytes: usize) -> u64 {
    let below = |end: usize| 1u64.checked_shl(end as u32).map_or(u64::MAX, |bit| bit - 1);
    below((at + bytes).div_ceil(4)) & !below(at / 4)
}
