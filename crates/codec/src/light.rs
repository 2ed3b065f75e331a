//! Wire bytes to argument words for the calls that most of a trace consists of: numbers, handles, objects, and arrays
//! of structures that hold nothing else.
//!
//! What [`Codec::rebuild`] works out for each call is worked out once per method here. Invariant: the words, and what they
//! lead to, are those that `rebuild` gives; whatever it would refuse, or would need to say more about, is refused here
//! without a word, so that the caller asks `rebuild` (a test compares the two for every light method).

use crate::codec::StepArm;
use crate::decode::is_translated;
use crate::rebuild::Resolver;
use crate::wire::{self, Kind};
use crate::{Arena, Codec};
use reprise_d3d12::model::{Direction, Field, InterfaceId, Len, MethodId, Role, Rule, StructId, Type};

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
    /// Not as recorded, unless it is null.
    Site(Translation),
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
        let words = tables.params.iter().map(|field| self.light_word(field)).collect::<Option<Box<[Word]>>>()?;
        Some(Light { block: usize::from(tables.args_size), words })
    }

    fn light_word(&self, field: &'static Field) -> Option<Word> {
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
                What::Elements { size: self.size_of(ty) as usize, count, sites: sites.into() }
            }
            ty => {
                let mut sites = Vec::new();
                self.sites(ty, field.role, 0, &[], &mut sites)?;
                match sites.as_slice() {
                    [] => What::Number,
                    [Site { offset: 0, what, arms }] if arms.is_empty() && size == 8 => What::Site(*what),
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
            sites.push(Site { offset: at, what, arms: arms.into() });
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

impl Light {
    /// Writes the argument words of a call to `words` and gives those that it has. What they lead to is in `arena`, or, for
    /// arrays in which nothing is translated, in `enter` itself, unless they are to be `kept`.
    pub fn rebuild<'w>(
        &self,
        enter: &[u8],
        resolver: &mut impl Resolver,
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
                What::Site(translation) => translation.of(value, resolver)?,
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
                        unsafe { translate(copy, bytes, *size, sites, resolver)? };
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
            Count::Targets if parameter(2) != 0 => parameter(0).min(1),
            Count::Targets => parameter(0),
        }
    }
}

impl Translation {
    #[inline]
    fn of(self, value: u64, resolver: &mut impl Resolver) -> Result<u64, NotLight> {
        let translated = match self {
            Self::Object(interface) => u32::try_from(value).ok().and_then(|id| resolver.quick_object(id, interface)),
            Self::Number(role) => resolver.quick_word(role, value),
        };
        translated.ok_or(NotLight)
    }
}

/// Translates the elements at `copy` in place.
///
/// # Safety
/// `copy` holds `bytes` bytes, whole elements of `size` bytes, in which the sites lie.
unsafe fn translate(
    copy: *mut u8,
    bytes: usize,
    size: usize,
    sites: &[Site],
    resolver: &mut impl Resolver,
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
                    place.write_unaligned(site.what.of(value, resolver)?);
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
