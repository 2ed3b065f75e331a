//! Requests and results as bytes: what goes through the worker's pipes, what the cache stores, what keys are hashed from.
//!
//! Everything is 32-bit little-endian words; strings and blobs are their length in bytes and the bytes, zero-padded to a
//! word. A reader checks every count against what is left, so allocation is bounded by the input.

use crate::node::{GridField, Id, Launch, Node, Output};
use crate::{
    Binding, Class, Declared, Export, Heaps, Interface, Library, Link, Local, LocalParameter, LocalRange, Passed,
    Place, Slot, Spirv, Stage, StreamOutput, Subobject, Target, TranslateError, Varying, ViewInstances,
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
fn heap_slots(heaps: &mut Heaps) -> [&mut Slot; 11] {
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
        wide_image,
        wide_texel,
        // Behind the slots.
        wide_count: _,
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
        wide_image,
        wide_texel,
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
    out.word(heaps.wide_count);
    out.word(interface.direct_resources.into());
    out.word(interface.direct_samplers.into());
    out.word(interface.bindings.len() as u32);
    interface.bindings.iter().for_each(|binding| write_binding(out, binding));
    out.word(link.entry.is_some().into());
    out.bytes(link.entry.as_deref().unwrap_or_default().as_bytes());
    out.word(link.dual_source.into());
    out.words(&link.swizzles);
    out.word(link.samples);
    out.word(link.patch_location_offset);
    out.word(link.stream_outputs.len() as u32);
    for output in &link.stream_outputs {
        out.bytes(output.semantic.as_bytes());
        let StreamOutput { index, stream, first, count, offset, stride, buffer, .. } = *output;
        [index, stream, first, count, offset, stride, buffer].into_iter().for_each(|word| out.word(word));
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
    out.word(link.local.is_some().into());
    if let Some(local) = &link.local {
        write_local(out, local);
    }
    out.word(link.micromaps.into());
    out.words(&target.words());
}

fn write_binding(out: &mut Writer, binding: &Binding) {
    out.word(binding.class as u32);
    [binding.space, binding.register, binding.count, binding.visibility].iter().for_each(|word| out.word(*word));
    write_place(out, binding.place);
}

fn read_binding(from: &mut Reader<'_>) -> Option<Binding> {
    Some(Binding {
        class: Class::from_number(from.word()?)?,
        space: from.word()?,
        register: from.word()?,
        count: from.word()?,
        visibility: from.word()?,
        place: read_place(from)?,
    })
}

fn write_local(out: &mut Writer, local: &Local) {
    out.word(local.resource_size_log2);
    out.word(local.sampler_size_log2);
    out.word(local.parameters.len() as u32);
    for parameter in &local.parameters {
        match parameter {
            LocalParameter::Constants { space, register, words } => {
                [0, *space, *register, *words].iter().for_each(|word| out.word(*word));
            }
            LocalParameter::Descriptor { class, space, register } => {
                [1, *class as u32, *space, *register].iter().for_each(|word| out.word(*word));
            }
            LocalParameter::Table(ranges) => {
                out.word(2);
                out.word(ranges.len() as u32);
                for range in ranges {
                    [range.class as u32, range.space, range.register, range.count, range.offset]
                        .iter()
                        .for_each(|word| out.word(*word));
                }
            }
        }
    }
    out.word(local.samplers.len() as u32);
    local.samplers.iter().for_each(|binding| write_binding(out, binding));
}

fn read_local(from: &mut Reader<'_>) -> Option<Local> {
    let mut local = Local { resource_size_log2: from.word()?, sampler_size_log2: from.word()?, ..Local::default() };
    for _ in 0..from.word()? {
        local.parameters.push(match from.word()? {
            0 => LocalParameter::Constants { space: from.word()?, register: from.word()?, words: from.word()? },
            1 => LocalParameter::Descriptor {
                class: Class::from_number(from.word()?)?,
                space: from.word()?,
                register: from.word()?,
            },
            2 => {
                let mut ranges = Vec::new();
                for _ in 0..from.word()? {
                    ranges.push(LocalRange {
                        class: Class::from_number(from.word()?)?,
                        space: from.word()?,
                        register: from.word()?,
                        count: from.word()?,
                        offset: from.word()?,
                    });
                }
                LocalParameter::Table(ranges)
            }
            _ => return None,
        });
    }
    for _ in 0..from.word()? {
        local.samplers.push(read_binding(from)?);
    }
    Some(local)
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
    interface.heaps.wide_count = from.word()?;
    interface.direct_resources = from.flag()?;
    interface.direct_samplers = from.flag()?;
    for _ in 0..from.word()? {
        interface.bindings.push(read_binding(from)?);
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
            stream: from.word()?,
            first: from.word()?,
            count: from.word()?,
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
    if from.flag()? {
        link.local = Some(read_local(from)?);
    }
    link.micromaps = from.flag()?;
    Some((stage, interface, link, Target::from_words(&from.words()?)?))
}

/// What the worker is asked.
pub(crate) enum Request<'a> {
    /// Translate a shader.
    Translate(Box<Question>, &'a [u8]),
    /// Say what a library holds.
    Library(&'a [u8]),
    /// Say which nodes of work graphs a library holds.
    Nodes(&'a [u8]),
}

/// A request for a translation: the question and the shader.
pub(crate) fn request(blob: &[u8], stage: Stage, interface: &Interface, link: &Link, target: &Target) -> Vec<u8> {
    let mut out = Writer::default();
    out.word(0);
    write_question(&mut out, stage, interface, link, target);
    out.bytes(blob);
    out.0
}

/// A request to read a library.
pub(crate) fn library_request(blob: &[u8]) -> Vec<u8> {
    let mut out = Writer::default();
    out.word(1);
    out.bytes(blob);
    out.0
}

/// A request to read the nodes of a library.
pub(crate) fn nodes_request(blob: &[u8]) -> Vec<u8> {
    let mut out = Writer::default();
    out.word(2);
    out.bytes(blob);
    out.0
}

/// The reverse of [`request`], [`library_request`] and [`nodes_request`].
pub(crate) fn read_request(bytes: &[u8]) -> Option<Request<'_>> {
    let mut from = Reader(bytes);
    let request = match from.word()? {
        0 => {
            let question = read_question(&mut from)?;
            Request::Translate(Box::new(question), from.bytes()?)
        }
        1 => Request::Library(from.bytes()?),
        2 => Request::Nodes(from.bytes()?),
        _ => return None,
    };
    from.0.is_empty().then_some(request)
}

fn write_library(out: &mut Writer, library: &Library) {
    out.word(library.exports.len() as u32);
    for export in &library.exports {
        out.bytes(export.name.as_bytes());
        out.bytes(export.plain.as_bytes());
        out.word(export.stage.map_or(0, |stage| stage as u32));
    }
    out.word(library.subobjects.len() as u32);
    for subobject in &library.subobjects {
        out.bytes(subobject.name.as_bytes());
        let (kind, words, bytes, names): (u32, [u32; 2], &[u8], Vec<&String>) = match &subobject.what {
            Declared::StateObjectConfig { flags } => (0, [*flags, 0], &[], Vec::new()),
            Declared::GlobalRootSignature(bytes) => (1, [0; 2], bytes, Vec::new()),
            Declared::LocalRootSignature(bytes) => (2, [0; 2], bytes, Vec::new()),
            Declared::Association { subobject, exports } => {
                (8, [0; 2], &[], core::iter::once(subobject).chain(exports).collect())
            }
            Declared::ShaderConfig { payload, attributes } => (9, [*payload, *attributes], &[], Vec::new()),
            Declared::PipelineConfig { depth, flags } => (12, [*depth, *flags], &[], Vec::new()),
            Declared::HitGroup { procedural, any_hit, closest_hit, intersection } => {
                (11, [u32::from(*procedural), 0], &[], vec![any_hit, closest_hit, intersection])
            }
        };
        out.word(kind);
        words.iter().for_each(|word| out.word(*word));
        out.bytes(bytes);
        out.word(names.len() as u32);
        names.iter().for_each(|name| out.bytes(name.as_bytes()));
    }
}

fn read_library(from: &mut Reader<'_>) -> Option<Library> {
    let mut library = Library::default();
    for _ in 0..from.word()? {
        library.exports.push(Export {
            name: from.text()?,
            plain: from.text()?,
            stage: Stage::from_number(from.word()?),
        });
    }
    for _ in 0..from.word()? {
        let name = from.text()?;
        let (kind, first, second, bytes) = (from.word()?, from.word()?, from.word()?, from.bytes()?.to_vec());
        let mut names = Vec::new();
        for _ in 0..from.word()? {
            names.push(from.text()?);
        }
        let mut names = names.into_iter();
        let what = match kind {
            0 => Declared::StateObjectConfig { flags: first },
            1 => Declared::GlobalRootSignature(bytes),
            2 => Declared::LocalRootSignature(bytes),
            8 => Declared::Association { subobject: names.next()?, exports: names.collect() },
            9 => Declared::ShaderConfig { payload: first, attributes: second },
            12 => Declared::PipelineConfig { depth: first, flags: second },
            11 => Declared::HitGroup {
                procedural: first != 0,
                any_hit: names.next()?,
                closest_hit: names.next()?,
                intersection: names.next()?,
            },
            _ => return None,
        };
        library.subobjects.push(Subobject { name, what });
    }
    Some(library)
}

fn write_id(out: &mut Writer, id: &Id) {
    out.bytes(id.name.as_bytes());
    out.word(id.index);
}

fn read_id(from: &mut Reader<'_>) -> Option<Id> {
    Some(Id { name: from.text()?, index: from.word()? })
}

fn write_nodes(out: &mut Writer, nodes: &Vec<Node>) {
    out.word(nodes.len() as u32);
    for node in nodes {
        out.bytes(node.entry.as_bytes());
        out.bytes(node.plain.as_bytes());
        write_id(out, &node.id);
        let GridField { offset, components, narrow } = node.field;
        let [x, y, z] = node.grid;
        let words = [node.launch as u32, node.stride, node.tracked.into(), offset, components, narrow.into(), x, y, z];
        words.iter().for_each(|word| out.word(*word));
        let words = [node.dynamic.into(), node.coalesced, node.recursions, node.shares.is_some().into()];
        words.iter().for_each(|word| out.word(*word));
        write_id(out, node.shares.as_ref().unwrap_or(&Id::default()));
        let words =
            [node.table.is_some().into(), node.table.unwrap_or(0), node.begins.into(), node.outputs.len() as u32];
        words.iter().for_each(|word| out.word(*word));
        for output in &node.outputs {
            write_id(out, &output.to);
            let words = [output.count, output.sparse.into(), output.records, output.constant];
            words.iter().for_each(|word| out.word(*word));
        }
    }
}

fn read_nodes(from: &mut Reader<'_>) -> Option<Vec<Node>> {
    let mut nodes = Vec::new();
    for _ in 0..from.word()? {
        let mut node = Node {
            entry: from.text()?,
            plain: from.text()?,
            id: read_id(from)?,
            launch: Launch::from_number(from.word()?)?,
            stride: from.word()?,
            tracked: from.flag()?,
            field: GridField { offset: from.word()?, components: from.word()?, narrow: from.flag()? },
            grid: [from.word()?, from.word()?, from.word()?],
            dynamic: from.flag()?,
            coalesced: from.word()?,
            recursions: from.word()?,
            ..Node::default()
        };
        let has = from.flag()?;
        node.shares = Some(read_id(from)?).filter(|_| has);
        let has = from.flag()?;
        node.table = Some(from.word()?).filter(|_| has);
        node.begins = from.flag()?;
        for _ in 0..from.word()? {
            node.outputs.push(Output {
                to: read_id(from)?,
                count: from.word()?,
                sparse: from.flag()?,
                records: from.word()?,
                constant: from.word()?,
            });
        }
        nodes.push(node);
    }
    Some(nodes)
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
const STEPS: [&str; 13] = [
    "a step that has no name here",
    "parsing",
    "creating a converter",
    "setting an option",
    "converting",
    "reading the result",
    "reading the entry point",
    "reading the exports",
    "declaring local root arguments",
    "sampler feedback",
    "reading the nodes",
    "checks of descriptors",
    "looking through a newer shader",
];

/// An answer of the worker to a request for a translation.
pub(crate) fn answer(result: &Result<Spirv, TranslateError>) -> Vec<u8> {
    write_answer(result, write_spirv)
}

/// An answer of the worker to a request to read a library.
pub(crate) fn library_answer(result: &Result<Library, TranslateError>) -> Vec<u8> {
    write_answer(result, write_library)
}

/// An answer of the worker to a request to read the nodes of a library.
pub(crate) fn nodes_answer(result: &Result<Vec<Node>, TranslateError>) -> Vec<u8> {
    write_answer(result, write_nodes)
}

/// The reverse of [`nodes_answer`].
pub(crate) fn read_nodes_answer(bytes: &[u8]) -> Option<Result<Vec<Node>, TranslateError>> {
    read_answer_of(bytes, read_nodes)
}

fn write_answer<T>(result: &Result<T, TranslateError>, write: fn(&mut Writer, &T)) -> Vec<u8> {
    let mut out = Writer::default();
    let error = match result {
        Ok(value) => {
            out.word(0);
            write(&mut out, value);
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
    read_answer_of(bytes, read_spirv)
}

/// The reverse of [`library_answer`].
pub(crate) fn read_library_answer(bytes: &[u8]) -> Option<Result<Library, TranslateError>> {
    read_answer_of(bytes, read_library)
}

fn read_answer_of<T>(bytes: &[u8], read: fn(&mut Reader<'_>) -> Option<T>) -> Option<Result<T, TranslateError>> {
    let mut from = Reader(bytes);
    let kind = from.word()?;
    if kind == 0 {
        return Some(Ok(read(&mut from)?));
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
