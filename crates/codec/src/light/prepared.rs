//! The words of a call, kept for the next one.
//!
//! Programs call a method again and again with nearly the same arguments. What did not change since the last call is neither read
//! nor translated again. Invariant: after [`Light::prepare`] the words are those of the call that it was given, whatever was
//! kept before.

use reprise_d3d12::model::render_target_handles;

use super::{Alike, Count, Finder, Known, Light, MOST_WORDS, NotLight, Site, Translation, What, Word, lanes};
use crate::Arena;
use crate::wire::{self, Kind};

/// The words of the last call of some method, and what they lead to.
#[derive(Debug)]
pub struct Prepared {
    words: [u64; MOST_WORDS],
    /// Bytes of the payload that they were made of.
    size: usize,
    /// Bits of the payload's lanes that decide more than one word: where one of them changes, all words are made again.
    whole: u64,
    leads: Vec<Lead>,
    /// Elements in which something is translated, and those that lay unaligned: at their places in the payload.
    memory: Vec<u64>,
}

/// A word that is a pointer.
#[derive(Clone, Copy, Debug)]
struct Lead {
    word: usize,
    /// Where its elements are in the payload, and how many bytes.
    at: usize,
    bytes: usize,
    /// They are in the memory of [`Prepared`], not in the payload itself.
    owned: bool,
}

impl Default for Prepared {
    fn default() -> Prepared {
        Prepared { words: [0; MOST_WORDS], size: 0, whole: u64::MAX, leads: Vec::new(), memory: Vec::new() }
    }
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
    /// Makes `prepared` the words of the call with this payload. `changed` has a bit for each lane of 4 bytes, from the payload's first
    /// on. It says which lanes may differ from the payload for which `prepared` was made last. `None` where that is not known, where
    /// another method made it, or where a number that was found then may stand for something else now.
    ///
    /// # Errors
    /// The payload is not as plain as the plan expects; [`Codec::rebuild`](crate::Codec::rebuild) takes it, or says what is wrong.
    /// `prepared` must then be made from the beginning.
    #[inline(always)]
    pub fn prepare(
        &self,
        enter: &[u8],
        changed: Option<u64>,
        finder: &mut impl Finder,
        known: &mut Known,
        prepared: &mut Prepared,
    ) -> Result<(), NotLight> {
        let translate = &mut Remembering(finder, known);
        match changed {
            Some(changed) if changed & prepared.whole == 0 && enter.len() == prepared.size => {
                self.renew(enter, changed & self.alone, translate, prepared)
            }
            _ => self.begin(enter, translate, prepared),
        }
    }

    /// Makes the words that lie in these lanes again.
    #[inline(always)]
    fn renew(
        &self,
        enter: &[u8],
        mut changed: u64,
        translate: &mut Remembering<'_, impl Finder>,
        prepared: &mut Prepared,
    ) -> Result<(), NotLight> {
        let block = enter.as_chunks().0;
        while changed != 0 {
            let at = self.of_lane.get(changed.trailing_zeros() as usize).copied().unwrap_or(0);
            let word = self.words.get(usize::from(at)).ok_or(NotLight)?;
            changed &= !word.lanes;
            let value = word.of(block);
            let place = prepared.words.get_mut(usize::from(at)).ok_or(NotLight)?;
            *place = match &word.what {
                What::Site(site, what) if value != 0 => translate.translate(*site, *what, value).ok_or(NotLight)?,
                _ => value,
            };
        }
        Ok(())
    }

    /// Makes all words; none lead anywhere where they cannot be made.
    #[inline(never)]
    fn begin(
        &self,
        enter: &[u8],
        translate: &mut Remembering<'_, impl Finder>,
        prepared: &mut Prepared,
    ) -> Result<(), NotLight> {
        let made = self.all(enter, translate, prepared);
        if made.is_err() {
            prepared.leads.clear();
        }
        made
    }

    fn all(
        &self,
        enter: &[u8],
        translate: &mut Remembering<'_, impl Finder>,
        prepared: &mut Prepared,
    ) -> Result<(), NotLight> {
        let mut at = self.block;
        let block = enter.get(..at).ok_or(NotLight)?.as_chunks().0;
        prepared.leads.clear();
        (prepared.size, prepared.whole) = (enter.len(), self.other);
        for (number, plan) in self.words.iter().enumerate() {
            let value = plan.of(block);
            let word = match &plan.what {
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
                    let owned = !sites.is_empty() || !elements.as_ptr().addr().is_multiple_of(8);
                    prepared.leads.push(Lead { word: number, at: start, bytes, owned });
                    prepared.whole |= lanes(at, 8);
                    if owned {
                        // What lies in memory of its own has to be copied again with every change.
                        prepared.whole |= lanes(start, bytes);
                        prepared.own(start, elements, *size, sites, translate)?;
                    }
                    at = start + bytes.next_multiple_of(8);
                    // Where it leads to is told with each call.
                    0
                }
            };
            *prepared.words.get_mut(number).ok_or(NotLight)? = word;
        }
        if at == enter.len() { Ok(()) } else { Err(NotLight) }
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

impl Prepared {
    /// Copies the elements that are at `at` in the payload, and translates them.
    fn own(
        &mut self,
        at: usize,
        elements: &[u8],
        size: usize,
        sites: &[Site],
        translate: &mut Remembering<'_, impl Finder>,
    ) -> Result<(), NotLight> {
        // Children lie at multiples of 8 bytes.
        let words = (at + elements.len()).div_ceil(8);
        if self.memory.len() < words {
            self.memory.resize(words, 0);
        }
        let place = self.memory.get_mut(at / 8..).ok_or(NotLight)?.as_mut_ptr().cast::<u8>();
        // SAFETY: there are words for all bytes of the elements from this one on. Of the elements each has the size that the sites
        // lie in.
        unsafe {
            place.copy_from_nonoverlapping(elements.as_ptr(), elements.len());
            elements_of(place, elements.len(), size, sites, translate)
        }
    }

    /// The words of the method with this plan, leading to the call's payload or to memory that stays until the next call is prepared.
    #[inline(always)]
    pub fn words(&mut self, plan: &Light, enter: &[u8]) -> &[u64] {
        for lead in &self.leads {
            let elements = match lead.owned {
                true => self.memory.as_ptr().cast::<u8>(),
                false => enter.as_ptr(),
            };
            if let Some(word) = self.words.get_mut(lead.word) {
                *word = elements.wrapping_add(lead.at) as u64;
            }
        }
        self.words.get(..plan.words.len()).unwrap_or(&[])
    }

    /// The same, leading to copies in `arena` alone.
    #[inline]
    pub fn kept_words(&mut self, plan: &Light, enter: &[u8], arena: &mut Arena) -> &[u64] {
        for lead in &self.leads {
            let range = lead.at..lead.at + lead.bytes;
            let elements = match lead.owned {
                // SAFETY: `own` made the memory so long that the elements lie in it; where it did not, there are no leads.
                true => unsafe { arena.copy(self.memory.as_ptr().cast::<u8>().add(lead.at), lead.bytes) },
                false => arena.bytes(enter.get(range).unwrap_or(&[])),
            };
            if let Some(word) = self.words.get_mut(lead.word) {
                *word = elements as u64;
            }
        }
        self.words.get(..plan.words.len()).unwrap_or(&[])
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
