//! Wire bytes to argument words for the calls that most of a trace consists of: numbers, handles, objects, and arrays
//! of structures that hold nothing else.
//!
//! What [`Codec::rebuild`] works out for each call is worked out once per method here. Invariant: the words, and what they
//! lead to, are those that `rebuild` gives; whatever it would refuse, or would need to say more about, is refused here
//! without a word, so that the caller asks `rebuild` (a test compares the two for every light method).

use crate::codec::StepArm;
use crate::decode::is_translated;
use crate::wire::{self, Kind};
use crate::{Arena, Codec};
use reprise_d3d12::model::{
    Direction, Field, InterfaceId, Len, MethodId, Role, Rule, StructId, Type, render_target_handles,
};

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
}

#[derive(Debug)]
struct Word {
    /// Which 8 bytes of the packed block hold it, how far up, and which bits are its own.
    at: usize,
    shift: u32,
    mask: u64,
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
        let words = tables.params.iter().map(|field| self.light_word(field, &mut sites)).collect::<Option<_>>()?;
        Some(Light { block: usize::from(tables.args_size), words, sites })
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
        // Parameters are aligned to their size, so none lies across two words.
        (low + size <= 8).then_some(Word { at, shift: 8 * low as u32, mask, what })
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

/// Asks where a value is not among those that are known.
struct Remembering<'r, F>(&'r mut F, &'r mut Known);

impl<F: Finder> Remembering<'_, F> {
    #[inline(always)]
    fn translate(&mut self, site: usize, what: Translation, value: u64) -> Option<u64> {
        let known = self.1.0.get_mut(site)?;
        match known.of(value) {
            Some(found) => Some(found),
            None => ask(self.0, known, what, value),
        }
    }
}

#[inline(never)]
fn ask(finder: &mut impl Finder, known: &mut Alike, what: Translation, value: u64) -> Option<u64> {
    *known = match what {
        Translation::Object(interface) => Alike::only(value, finder.object(u32::try_from(value).ok()?, interface)?),
        Translation::Number(role) => finder.word(role, value)?,
    };
    known.of(value)
}

impl Light {
    /// Nothing, of what may come to be known of calls of this method.
    pub fn nothing_known(&self) -> Known {
        Known(vec![Alike::NOTHING; self.sites].into())
    }

    /// Writes the argument words of a call to `words` and gives those that it has. What they lead to is in `arena`, or, for
    /// arrays in which nothing is translated, in `enter` itself, unless they are to be `kept`.
    ///
    /// # Errors
    /// The payload is not as plain as the plan expects; [`Codec::rebuild`](crate::Codec::rebuild) takes it, or says what is wrong.
    #[inline]
    pub fn rebuild<'w>(
        &self,
        enter: &[u8],
        finder: &mut impl Finder,
        known: &mut Known,
        arena: &mut Arena,
        kept: bool,
        words: &'w mut [u64; MOST_WORDS],
    ) -> Result<&'w [u64], NotLight> {
        self.words(enter, &mut Remembering(finder, known), arena, kept, words)
    }

    #[inline(always)]
    fn words<'w>(
        &self,
        enter: &[u8],
        translate: &mut Remembering<'_, impl Finder>,
        arena: &mut Arena,
        kept: bool,
        words: &'w mut [u64; MOST_WORDS],
    ) -> Result<&'w [u64], NotLight> {
        let mut at = self.block;
        let block = enter.get(..at).ok_or(NotLight)?.as_chunks().0;
        for (word, plan) in words.iter_mut().zip(&self.words) {
            let value = plan.of(block);
            *word = match &plan.what {
                What::Number => value,
                _ if value == 0 => 0,
                What::Site(site, what) => translate.translate(*site, *what, value).ok_or(NotLight)?,
                What::Elements { size, count, sites } => {
                    let (form, stored) = header(enter, at).ok_or(NotLight)?;
                    let needed = self.count(*count, *size, block);
                    let exact = matches!(count, Count::Exactly(_));
                    if form != Kind::Inline || needed > stored || (exact && needed != stored) {
                        return Err(NotLight);
                    }
                    let bytes = usize::try_from(stored).ok().and_then(|count| count.checked_mul(*size));
                    let bytes = bytes.ok_or(NotLight)?;
                    let start = at + 8;
                    let elements = enter.get(start..).and_then(|rest| rest.get(..bytes)).ok_or(NotLight)?;
                    at = start + bytes.next_multiple_of(8);
                    if sites.is_empty() && !kept && elements.as_ptr().addr().is_multiple_of(8) {
                        elements.as_ptr() as u64
                    } else {
                        let copy = arena.bytes(elements);
                        // SAFETY: the copy is as long as the elements, of which each has the size that the sites lie in.
                        unsafe { elements_of(copy, bytes, *size, sites, translate)? };
                        copy as u64
                    }
                }
            };
        }
        if at == enter.len() { words.get(..self.words.len()).ok_or(NotLight) } else { Err(NotLight) }
    }

    /// How many elements the callee looks at.
    #[inline]
    fn count(&self, count: Count, size: usize, block: &[[u8; 8]]) -> u64 {
        let parameter = |at: usize| self.words.get(at).map_or(u64::MAX, |word| word.of(block));
        match count {
            Count::Exactly(count) => count,
            Count::Parameter(at) => parameter(at),
            Count::Bytes(at) => parameter(at) / size as u64,
            Count::Targets => render_target_handles(parameter(0), parameter(2) != 0),
        }
    }
}

/// Translates the elements at `copy` in place.
///
/// # Safety
/// `copy` holds `bytes` bytes, whole elements of `size` bytes, in which the sites lie.
unsafe fn elements_of(
    copy: *mut u8,
    bytes: usize,
    size: usize,
    sites: &[Site],
    translate: &mut Remembering<'_, impl Finder>,
) -> Result<(), NotLight> {
    if sites.is_empty() {
        return Ok(());
    }
    for start in (0..bytes).step_by(size.max(1)) {
        for site in sites {
            // SAFETY: the element lies within the copy, the site and its selectors within the element.
            unsafe {
                let element = copy.add(start);
                let place = element.add(site.offset).cast::<u64>();
                let value = place.read_unaligned();
                if value != 0 && site.arms.iter().all(|arm| arm.active(element)) {
                    place.write_unaligned(translate.translate(site.number, site.what, value).ok_or(NotLight)?);
                }
            }
        }
    }
    Ok(())
}

impl Word {
    /// Its value in a packed block, zero-extended.
    #[inline]
    fn of(&self, block: &[[u8; 8]]) -> u64 {
        block.get(self.at).map_or(0, |bytes| u64::from_le_bytes(*bytes) >> self.shift & self.mask)
    }
}

/// The child header at `at`.
#[inline]
fn header(enter: &[u8], at: usize) -> Option<(Kind, u64)> {
    wire::parse(u64::from_le_bytes(*enter.get(at..)?.first_chunk()?))
}
