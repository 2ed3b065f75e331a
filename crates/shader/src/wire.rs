//! Requests and results as bytes: what goes through the worker's pipes, what the cache stores, what keys are hashed from.
//!
//! Everything is 32-bit little-endian words; strings and blobs are their length in bytes and the bytes, zero-padded to a
//! word. A reader checks every count against what is left, so allocation is bounded by the input.

use crate::{
    Binding, Class, Heaps, Interface, Link, Passed, Place, Slot, Spirv, Stage, StreamOutput, Target, TranslateError,
    Varying, ViewInstances,
};

/// Writes words.
#[derive(Default)]
pub(crate) struct Writer(pub(crate) Vec<u8>);

impl Writer {
    fn word(&mut self, word: u32) {
        self.0.extend(word.to_le_bytes());
    }

    fn words(&mut self, words: &[u32]) {
        self.word(words.len() as u32);
        words.iter().for_each(|word| self.word(*word));
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.word(bytes.len() as u32);
        self.0.extend(bytes);
        self.0.resize(self.0.len().next_multiple_of(4), 0);
    }

    fn slot(&mut self, slot: Slot) {
        self.word(slot.set);
        self.word(slot.binding);
    }
}

/// Reads words; `None` is an input that nobody wrote.
pub(crate) struct Reader<'a>(pub(crate) &'a [u8]);

impl<'a> Reader<'a> {
    fn word(&mut self) -> Option<u32> {
        let (word, rest) = self.0.split_first_chunk::<4>()?;
        self.0 = rest;
        Some(u32::from_le_bytes(*word))
    }

    fn words(&mut self) -> Option<Vec<u32>> {
        let count = self.word()? as usize;
        let (words, rest) = self.0.split_at_checked(count.checked_mul(4)?)?;
        self.0 = rest;
        Some(words.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect())
    }

    fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = self.word()? as usize;
        let (bytes, rest) = self.0.split_at_checked(length.checked_next_multiple_of(4)?)?;
        self.0 = rest;
        bytes.get(..length)
    }

    fn text(&mut self) -> Option<String> {
        String::from_utf8(self.bytes()?.to_vec()).ok()
    }

    fn slot(&mut self) -> Option<Slot> {
        Some(Slot { set: self.word()?, binding: self.word()? })
    }

    fn flag(&mut self) -> Option<bool> {
        self.word().filter(|word| *word <= 1).map(|word| word == 1)
    }
}

fn write_place(out: &mut Writer, place: Place) {
    let words = match place {
        Place::Table { word, offset } => [0, word, offset],
        Place::Address(index) => [1, index, 0],
        Place::Constants(word) => [2, word, 0],
        Place::Fixed(slot) => [3, slot.set, slot.binding],
    };
    words.iter().for_each(|word| out.word(*word));
}

fn read_place(from: &mut Reader<'_>) -> Option<Place> {
    let [kind, first, second] = [from.word()?, from.word()?, from.word()?];
    Some(match kind {
        0 => Place::Table { word: first, offset: second },
        1 => Place::Address(first),
        2 => Place::Constants(first),
        3 => Place::Fixed(Slot { set: first, binding: second }),
        _ => return None,
    })
}

/// The slots of the heaps, in the order of the wire.
fn heap_slots(heaps: &mut Heaps) -> [&mut Slot; 9] {
    let Heaps {
        sampled_image,
        storage_image,
        uniform_texel,
        storage_texel,
        uniform_buffer,
        storage_buffer,
        sampler,
        addresses,
        offsets,
    } = heaps;
    [
        sampled_image,
        storage_image,
        uniform_texel,
        storage_texel,
        uniform_buffer,
        storage_buffer,
        sampler,
        addresses,
        offsets,
    ]
}

/// Writes all that a translation depends on, except the shader.
pub(crate) fn write_question(out: &mut Writer, stage: Stage, interface: &Interface, link: &Link, target: &Target) {
    out.word(stage as u32);
    out.word(interface.root_descriptors);
    out.word(interface.root_words);
    out.word(interface.overflow.is_some().into());
    out.slot(interface.overflow.unwrap_or_default());
    let mut heaps = interface.heaps;
    heap_slots(&mut heaps).into_iter().for_each(|slot| out.slot(*slot));
    out.word(interface.direct_resources.into());
    out.word(interface.direct_samplers.into());
    out.word(interface.bindings.len() as u32);
    for binding in &interface.bindings {
        out.word(binding.class as u32);
        [binding.space, binding.register, binding.count, binding.visibility].iter().for_each(|word| out.word(*word));
        write_place(out, binding.place);
    }
    out.word(link.entry.is_some().into());
    out.bytes(link.entry.as_deref().unwrap_or_default().as_bytes());
    out.word(link.dual_source.into());
    out.words(&link.swizzles);
    out.word(link.samples);
    out.word(link.patch_location_offset);
    out.word(link.stream_outputs.len() as u32);
    for output in &link.stream_outputs {
        out.bytes(output.semantic.as_bytes());
        [output.index, output.offset, output.stride, output.buffer].iter().for_each(|word| out.word(*word));
    }
    out.word(link.varyings.len() as u32);
    for varying in &link.varyings {
        out.bytes(varying.semantic.as_bytes());
        [varying.index, varying.location, varying.component, varying.primitive.into()]
            .iter()
            .for_each(|word| out.word(*word));
    }
    out.word(link.passed.len() as u32);
    for passed in &link.passed {
        [passed.built_in, passed.location, passed.component].iter().for_each(|word| out.word(*word));
    }
    let views = link.views.map_or([0; 3], |views| [1, views.last.into(), views.viewports.into()]);
    views.iter().for_each(|word| out.word(*word));
    out.words(&target.words());
}

/// What [`write_question`] wrote.
pub(crate) type Question = (Stage, Interface, Link, Target);

/// The reverse of [`write_question`].
pub(crate) fn read_question(from: &mut Reader<'_>) -> Option<Question> {
    let stage = Stage::from_number(from.word()?)?;
    let mut interface = Interface { root_descriptors: from.word()?, root_words: from.word()?, ..Interface::default() };
    let overflows = from.flag()?;
    interface.overflow = Some(from.slot()?).filter(|_| overflows);
    for slot in heap_slots(&mut interface.heaps) {
        *slot = from.slot()?;
    }
    interface.direct_resources = from.flag()?;
    interface.direct_samplers = from.flag()?;
    for _ in 0..from.word()? {
        interface.bindings.push(Binding {
            class: Class::from_number(from.word()?)?,
            space: from.word()?,
            register: from.word()?,
            count: from.word()?,
            visibility: from.word()?,
            place: read_place(from)?,
        });
    }
    let named = from.flag()?;
    let mut link = Link { entry: Some(from.text()?).filter(|_| named), ..Link::default() };
    link.dual_source = from.flag()?;
    link.swizzles = from.words()?;
    link.samples = from.word()?;
    link.patch_location_offset = from.word()?;
    for _ in 0..from.word()? {
        link.stream_outputs.push(StreamOutput {
            semantic: from.text()?,
            index: from.word()?,
            offset: from.word()?,
            stride: from.word()?,
            buffer: from.word()?,
        });
    }
    for _ in 0..from.word()? {
        link.varyings.push(Varying {
            semantic: from.text()?,
            index: from.word()?,
            location: from.word()?,
            component: from.word()?,
            primitive: from.flag()?,
        });
    }
    for _ in 0..from.word()? {
        link.passed.push(Passed { built_in: from.word()?, location: from.word()?, component: from.word()? });
    }
    let has_views = from.flag()?;
    link.views = Some(ViewInstances { last: from.flag()?, viewports: from.flag()? }).filter(|_| has_views);
    Some((stage, interface, link, Target::from_words(&from.words()?)?))
}

/// A request to the worker: the question and the shader.
pub(crate) fn request(blob: &[u8], stage: Stage, interface: &Interface, link: &Link, target: &Target) -> Vec<u8> {
    let mut out = Writer::default();
    write_question(&mut out, stage, interface, link, target);
    out.bytes(blob);
    out.0
}

/// The reverse of [`request`].
pub(crate) fn read_request(bytes: &[u8]) -> Option<(Question, &[u8])> {
    let mut from = Reader(bytes);
    let question = read_question(&mut from)?;
    let blob = from.bytes()?;
    from.0.is_empty().then_some((question, blob))
}

/// A translated shader as bytes.
pub(crate) fn write_spirv(out: &mut Writer, spirv: &Spirv) {
    out.word(spirv.stage as u32);
    out.bytes(spirv.entry.as_bytes());
    spirv.group.iter().chain(&spirv.wave).for_each(|word| out.word(*word));
    out.word(spirv.uses_wave_size.into());
    out.word(spirv.patch_vertices);
    out.word(spirv.patch_location_offset);
    out.words(&spirv.words);
}

/// The reverse of [`write_spirv`].
pub(crate) fn read_spirv(from: &mut Reader<'_>) -> Option<Spirv> {
    Some(Spirv {
        stage: Stage::from_number(from.word()?)?,
        entry: from.text()?,
        group: [from.word()?, from.word()?, from.word()?],
        wave: [from.word()?, from.word()?, from.word()?],
        uses_wave_size: from.flag()?,
        patch_vertices: from.word()?,
        patch_location_offset: from.word()?,
        words: from.words()?,
    })
}

/// Steps that an error can name: they are `&'static str`, so the wire has their number.
const STEPS: [&str; 7] = [
    "a step that has no name here",
    "parsing",
    "creating a converter",
    "setting an option",
    "converting",
    "reading the result",
    "reading the entry point",
];

/// An answer of the worker.
pub(crate) fn answer(result: &Result<Spirv, TranslateError>) -> Vec<u8> {
    let mut out = Writer::default();
    let error = match result {
        Ok(spirv) => {
            out.word(0);
            write_spirv(&mut out, spirv);
            return out.0;
        }
        Err(error) => error,
    };
    let (kind, words, text) = match error {
        TranslateError::Container(text) => (1, [0; 3], text.as_str()),
        TranslateError::Checksum => (2, [0; 3], ""),
        TranslateError::NoShader => (3, [0; 3], ""),
        TranslateError::Stage { wanted, found } => (4, [*wanted as u32, *found, 0], ""),
        TranslateError::Unbound { class, space, register } => (5, [*class as u32, *space, *register], ""),
        TranslateError::Rejected { step, code, log } => {
            let step = STEPS.iter().position(|known| known == step).unwrap_or(0) as u32;
            (6, [step, *code as u32, 0], log.as_str())
        }
        TranslateError::Panicked => (7, [0; 3], ""),
        TranslateError::Worker(text) => (8, [0; 3], text.as_str()),
    };
    out.word(kind);
    words.iter().for_each(|word| out.word(*word));
    out.bytes(text.as_bytes());
    out.0
}

/// The reverse of [`answer`].
pub(crate) fn read_answer(bytes: &[u8]) -> Option<Result<Spirv, TranslateError>> {
    let mut from = Reader(bytes);
    let kind = from.word()?;
    if kind == 0 {
        return Some(Ok(read_spirv(&mut from)?));
    }
    let [first, second, third] = [from.word()?, from.word()?, from.word()?];
    let text = from.text()?;
    Some(Err(match kind {
        1 => TranslateError::Container(text),
        2 => TranslateError::Checksum,
        3 => TranslateError::NoShader,
        4 => TranslateError::Stage { wanted: Stage::from_number(first)?, found: second },
        5 => TranslateError::Unbound { class: Class::from_number(first)?, space: second, register: third },
        6 => TranslateError::Rejected { step: STEPS.get(first as usize)?, code: second as i32, log: text },
        7 => TranslateError::Panicked,
        8 => TranslateError::Worker(text),
        _ => return None,
    }))
}
