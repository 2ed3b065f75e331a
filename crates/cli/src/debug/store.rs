//! The contents of resources while a shader runs: as a replay found them, and as the interpreter leaves them.

use super::Invocation;
use super::feedback::{Map, Mark};
pub(crate) use super::key::Key;
use super::region::{Region, Texture};
use super::sampler;
use crate::ours::{self, Slots};
use reprise_d3d12::types::{D3D12_SHADER_RESOURCE_VIEW_DESC, D3D12_SRV_DIMENSION};
use reprise_dxbc::{RootSignature, Stage};
use reprise_interpreter::{
    Buffer, Descriptor, Handle, Module, Open, Opens, Record, Resources, Sampler, Scene, Size, Surface, Table, Texel,
    either, half, is_free,
};
use reprise_picture::{Kind, Layout, Texels, srgb};
use reprise_replay::ShotContents;
use reprise_state_object::plan::Shader;
use reprise_state_object::{Field, IDENTIFIER};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;

/// Contents.
#[derive(Clone, Debug, Default)]
pub(crate) struct Content {
    /// As the call found them.
    pub(crate) before: Vec<u8>,
    /// As they are now.
    pub(crate) bytes: Vec<u8>,
    /// By byte, what is open about what the shader wrote there; `None` where it wrote nothing.
    pub(crate) written: BTreeMap<u64, Open>,
    /// By byte, the group that wrote it last.
    writers: BTreeMap<u64, u32>,
    /// Columns and rows.
    size: (u32, u32),
    /// Texels of blocks, by format and plane.
    blocks: Option<((u32, u32), Rc<Texels>)>,
    /// By their first bytes, texels that were written: their format, and what is open about each component.
    pub(crate) texels: BTreeMap<u64, (u32, [Open; 4])>,
}

/// Bytes of the largest texel.
const LARGEST: u64 = 16;

impl Content {
    /// Texels of blocks, decoded once.
    fn blocks(&mut self, format: u32, plane: u32) -> Result<Rc<Texels>, String> {
        if let Some((of, known)) = &self.blocks
            && *of == (format, plane)
        {
            return Ok(Rc::clone(known));
        }
        let texels = Rc::new(Texels::new(format, plane, self.size, self.bytes.clone())?);
        self.blocks = Some(((format, plane), Rc::clone(&texels)));
        Ok(texels)
    }

    fn open(&self, from: usize, count: usize) -> Open {
        let (from, to) = (from as u64, (from + count) as u64);
        self.written.range(from..to).map(|(_, open)| *open).fold(0, either)
    }

    /// Groups run at once on a GPU: where several write other bytes to one place, and none of them has just read it, as atomic operations do,
    /// which of them is the last is open.
    fn write(&mut self, at: usize, bytes: &[u8], open: Open, (group, was_read): (u32, bool)) {
        let Some(place) = self.bytes.get_mut(at..).and_then(|all| all.get_mut(..bytes.len())) else { return };
        // What lies there is no texel any more.
        if !self.texels.is_empty() {
            let (from, to) = (at as u64, (at + bytes.len()) as u64);
            let cut = self.texels.range(from.saturating_sub(LARGEST - 1)..to).map(|(first, texel)| (*first, texel.0));
            let size = |format: u32| Layout::of(format, 0).map_or(LARGEST, |layout| u64::from(layout.bytes()));
            let cut: Vec<u64> = cut.filter(|(first, format)| first + size(*format) > from).map(|it| it.0).collect();
            cut.iter().for_each(|first| _ = self.texels.remove(first));
        }
        for ((at, own), byte) in (at as u64..).zip(place).zip(bytes) {
            let other = self.writers.insert(at, group).is_some_and(|other| other != group);
            let raced = self.written.get(&at) == Some(&RACED) || other && !was_read && own != byte;
            self.written.insert(at, if raced && !is_free(open) { RACED } else { open });
            *own = *byte;
        }
    }
}

/// What is open about bytes that several groups write, until [`Store::settle`] names it.
const RACED: Open = Open::MAX >> 1;

/// All contents.
pub(crate) struct Store<'d> {
    invocation: &'d Invocation,
    pub(crate) contents: BTreeMap<Key, Content>,
    /// What is used and not here.
    missing: BTreeSet<Key>,
    /// What is bound for writing and could not be fetched, and why. What the shader uses of it ends the run.
    pub(crate) unfetched: BTreeMap<Key, String>,
    /// Where it is written in these comes of something open.
    pub(crate) scattered: BTreeMap<u32, Open>,
    regions: HashMap<Descriptor, Region>,
    samplers: HashMap<Descriptor, (Sampler, sampler::Border)>,
    /// By address, what rays can be asked of.
    scenes: BTreeMap<u64, Result<Rc<Scene>, String>>,
    /// Records of shader tables, and their shaders by library, entry and the bytes of the local root signature.
    records: HashMap<(Table, u64), Result<Rc<Record>, String>>,
    shaders: Vec<(ShaderKey, Rc<Module>)>,
    /// Those that are used and not here.
    missing_scenes: BTreeSet<u64>,
    /// By map of sampler feedback, slice, column and row of its image: bits that the shader set.
    feedback: HashMap<(u32, u32, [u32; 2]), u32>,
    /// The group that runs.
    group: u32,
    /// What was read last, and nothing was since.
    last_read: Option<(Key, u64)>,
    /// A bit of all that is read is another one: the comparison with the GPU has to notice.
    pub(crate) disturbed: bool,
}

/// What a control makes of a word: of a float the half, which shows also where it is rounded to a target of eight bits, and which formats of numbers up to 1
/// have, too; of all others the lowest bit is another one, because they may be indices and counts.
fn turned(word: u64) -> u64 {
    let exponent = word >> 23 & 0xff;
    // From 2^-40 to 2^40.
    if (87..=167).contains(&exponent) { word - (1 << 23) } else { word ^ 1 }
}

/// Bytes of a buffer that are fetched at most.
const MOST_BYTES: u64 = 1 << 30;
/// Slices of a view that are looked at although the shader does not use them.
const MOST_SLICES: u32 = 64;

impl<'d> Store<'d> {
    pub(crate) fn new(invocation: &'d Invocation) -> Store<'d> {
        Store {
            invocation,
            contents: BTreeMap::new(),
            missing: BTreeSet::new(),
            unfetched: BTreeMap::new(),
            scattered: BTreeMap::new(),
            regions: HashMap::new(),
            samplers: HashMap::new(),
            scenes: BTreeMap::new(),
            records: HashMap::new(),
            shaders: Vec::new(),
            missing_scenes: BTreeSet::new(),
            feedback: HashMap::new(),
            group: 0,
            last_read: None,
            disturbed: false,
        }
    }

    /// Another command runs: what its descriptors are is found anew.
    pub(crate) fn begin(&mut self, command: usize) {
        self.invocation.begin(command);
        self.regions.clear();
        self.samplers.clear();
    }

    /// Another group runs.
    pub(crate) fn begin_group(&mut self) {
        self.group = self.group.wrapping_add(1);
        self.last_read = None;
    }

    /// Names what is open about bytes that several groups wrote.
    pub(crate) fn settle(&mut self, opens: &mut Opens) {
        let mut name = |open: &mut Open| {
            if *open == RACED {
                *open = opens.name("Store: several groups write there, and which one is the last");
            }
        };
        for content in self.contents.values_mut() {
            content.written.values_mut().for_each(&mut name);
            content.texels.values_mut().flat_map(|(_, opens)| opens).for_each(&mut name);
        }
    }

    /// All as the call found it.
    pub(crate) fn rewind(&mut self) {
        self.scattered.clear();
        self.feedback.clear();
        for content in self.contents.values_mut() {
            content.bytes.clone_from(&content.before);
            content.written.clear();
            content.writers.clear();
            content.blocks = None;
            content.texels.clear();
        }
    }

    /// Where a resource is written comes of something open.
    fn scatter(&mut self, resource: u32, open: Open) {
        let known = self.scattered.entry(resource).or_insert(0);
        *known = either(*known, open);
    }

    /// All bytes as they are now.
    pub(crate) fn left(&self) -> BTreeMap<Key, Vec<u8>> {
        self.contents.iter().map(|(key, content)| (*key, content.bytes.clone())).collect()
    }

    /// What was used since the last time and is not here.
    ///
    /// # Errors
    /// In words: a buffer that is too large.
    pub(crate) fn take_missing(&mut self) -> Result<Vec<Key>, String> {
        let missing: Vec<Key> = std::mem::take(&mut self.missing).into_iter().collect();
        match missing.iter().find(|key| self.is_too_large(**key)) {
            Some(key) => Err(format!(
                "buffer {} is larger than {} MiB: too large to be fetched whole",
                key.resource,
                MOST_BYTES >> 20
            )),
            None => Ok(missing),
        }
    }

    /// Turns a bit of each word, for controls.
    fn disturb(&self, bytes: &mut [u8]) {
        for word in bytes.chunks_mut(4).filter(|_| self.disturbed) {
            match word.first_chunk_mut::<4>() {
                Some(whole) => *whole = (turned(u64::from(u32::from_le_bytes(*whole))) as u32).to_le_bytes(),
                None => word[0] ^= 1,
            }
        }
    }

    /// The addresses of structures that were used since the last time and are not here.
    pub(crate) fn take_missing_scenes(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.missing_scenes).into_iter().collect()
    }

    /// Takes what rays can be asked of.
    pub(crate) fn put_scenes(&mut self, scenes: BTreeMap<u64, Result<Rc<Scene>, String>>) {
        self.scenes.extend(scenes);
    }

    /// Bytes at an offset of a buffer that an address leads to. `None`, and noted, where they are not here.
    ///
    /// # Errors
    /// In words: the address is in no buffer.
    pub(super) fn bytes_at(&mut self, address: u64, offset: u64, count: usize) -> Result<Option<Vec<u8>>, String> {
        let found = self.invocation.located(address);
        let (resource, from) = found.ok_or_else(|| format!("address {address:#x} is in no buffer"))?;
        let Some(content) = self.content(Key::buffer(resource)) else { return Ok(None) };
        let from = usize::try_from(from.saturating_add(offset)).unwrap_or(usize::MAX);
        let bytes = content.before.get(from..).and_then(|all| all.get(..count));
        let bytes = bytes.ok_or_else(|| format!("buffer {resource} ends before byte {from}"))?;
        Ok(Some(bytes.to_vec()))
    }

    /// The same for what a control turns a bit of.
    ///
    /// # Errors
    /// As [`bytes_at`](Store::bytes_at).
    pub(super) fn inputs_at(&mut self, address: u64, offset: u64, count: usize) -> Result<Option<Vec<u8>>, String> {
        let mut bytes = self.bytes_at(address, offset, count)?;
        bytes.iter_mut().for_each(|bytes| self.disturb(bytes));
        Ok(bytes)
    }

    fn is_too_large(&self, key: Key) -> bool {
        key.part.is_none() && self.invocation.made(key.resource).is_ok_and(|made| made.Width > MOST_BYTES)
    }

    /// The resources of all bound unordered views. The shader may not use one that the GPU wrote to all the same.
    pub(crate) fn writable(&mut self) -> BTreeSet<Key> {
        let (views, buffers) = self.invocation.writable();
        let mut keys: BTreeSet<Key> = buffers.into_iter().map(Key::buffer).collect();
        for view in views {
            match self.region(view) {
                Ok(Region::Bytes { resource, .. } | Region::Elements { resource, .. }) => {
                    keys.insert(Key::buffer(resource));
                }
                Ok(Region::Texture(texture)) => {
                    let Ok(made) = self.invocation.made(texture.resource) else { continue };
                    let (_, slices) = texture.counts(&made);
                    let (first, count) = texture.depth_of(texture.mips.0).unwrap_or((texture.slices.0, slices));
                    for slice in (0..count.min(MOST_SLICES)).map(|slice| first.saturating_add(slice)) {
                        let part = Some([texture.mips.0, slice, texture.plane, 0]);
                        keys.insert(Key { resource: texture.resource, part });
                    }
                }
                Ok(Region::Feedback(map)) => keys.extend(map.keys()),
                _ => {}
            }
        }
        keys.retain(|key| !self.is_too_large(*key) && self.invocation.made(key.resource).is_ok());
        keys
    }

    /// Takes what a replay found.
    pub(crate) fn put(&mut self, key: Key, contents: ShotContents) {
        let (bytes, size) = Key::bytes_of(contents);
        self.contents.insert(key, Content { before: bytes.clone(), bytes, size, ..Content::default() });
    }

    /// Contents; `None`, and noted, where they are not here.
    fn content(&mut self, key: Key) -> Option<&mut Content> {
        if !self.contents.contains_key(&key) {
            self.missing.insert(key);
        }
        self.contents.get_mut(&key)
    }

    /// A texel of the image that a map of sampler feedback is to shaders: column, row and slice.
    fn feedback_texel(map: &Map, view: &Handle, at: Texel) -> Option<(u32, u32, [u32; 2])> {
        let [x, y, z] = at.at.map(|at| u32::try_from(at).ok());
        let slice = if view.image?.arrayed { z? } else { 0 };
        let [width, height] = map.extent();
        (x? < width && y? < height && slice < map.slices).then_some((map.resource, slice, [x?, y?]))
    }

    /// Sets bits of a map of sampler feedback, and what they decode to.
    fn set_feedback(&mut self, map: &Map, texel: (u32, u32, [u32; 2]), bits: u32, open: Open) {
        let known = self.feedback.entry(texel).or_insert(0);
        let added = bits & !*known;
        *known |= bits;
        let (_, slice, at) = texel;
        let by = (self.group, true);
        for Mark { key, at: [column, row], most, value } in map.marks(at, slice, added) {
            let Some(content) = self.content(key) else { continue };
            let place = row as usize * content.size.0 as usize + column as usize;
            let is_here = column < content.size.0;
            let Some(old) = content.bytes.get(place).copied().filter(|_| is_here) else { continue };
            let value = if most.is_some_and(|most| old < most) { old } else { value };
            content.write(place, &[value], open, by);
        }
    }

    /// What a descriptor leads to, if that is known.
    pub(crate) fn region_of(&mut self, descriptor: Descriptor) -> Option<Region> {
        self.region(descriptor).ok()
    }

    fn region(&mut self, descriptor: Descriptor) -> Result<Region, String> {
        if let Some(known) = self.regions.get(&descriptor) {
            return Ok(*known);
        }
        let named = |what: String| {
            let register = self.invocation.register(descriptor).unwrap_or_else(|| descriptor.to_string());
            format!("{register}: {what}")
        };
        let view = self.invocation.view(descriptor).map_err(named)?;
        let region = view.map_or(Ok(Region::Null), |view| Region::of(self.invocation, view)).map_err(named)?;
        self.regions.insert(descriptor, region);
        Ok(region)
    }

    /// Where bytes are: the buffer, the offset in it, and how many follow there that may be used. `None`: nowhere.
    fn place(&mut self, buffer: Buffer, offset: u64) -> Result<Option<(u32, u64, u64)>, String> {
        match buffer {
            Buffer::Root | Buffer::Record => Ok(None),
            Buffer::Address => {
                let found = self.invocation.located(offset);
                let (resource, at) = found.ok_or_else(|| format!("address {offset:#x} is in no buffer"))?;
                Ok(Some((resource, at, u64::MAX)))
            }
            Buffer::View(descriptor) => match self.region(descriptor)? {
                Region::Bytes { resource, offset: first, bytes } => {
                    Ok(Some((resource, first.saturating_add(offset), bytes.saturating_sub(offset))))
                }
                Region::Null => Ok(None),
                other => Err(format!("{descriptor} is {other:?}, which the shader uses as a buffer of bytes")),
            },
        }
    }

    /// The address of the counter of a view, or of the structure that it is of, as a table of 64 bits each.
    fn counter(&self, index: u32) -> Result<u64, String> {
        use reprise_d3d12::types::D3D12_UNORDERED_ACCESS_VIEW_DESC as Desc;
        let descriptor = Descriptor { set: Slots::HEAPS, binding: Slots::ADDRESSES, index };
        let view = self.invocation.view(descriptor)?;
        if let Some(read) = view.and_then(|view| view.desc::<D3D12_SHADER_RESOURCE_VIEW_DESC>())
            && read.ViewDimension == D3D12_SRV_DIMENSION::RAYTRACING_ACCELERATION_STRUCTURE
        {
            // SAFETY: views of structures have an address in the union; all of its arms are plain numbers as recorded.
            return Ok(unsafe { read.Anonymous.RaytracingAccelerationStructure.Location });
        }
        let counted = view.filter(|view| view.second != 0).and_then(|view| Some((view.second, view.desc::<Desc>()?)));
        let Some((resource, desc)) = counted else { return Err(format!("descriptor {index} has no counter")) };
        // SAFETY: views with counters are of buffers; all members are numbers.
        let offset = unsafe { desc.Anonymous.Buffer.CounterOffsetInBytes };
        let begin = self.invocation.address_of(resource);
        begin.map(|begin| begin + offset).ok_or_else(|| format!("the address of buffer {resource} is not known"))
    }

    /// The texel of a texture: its content, and where it lies there; `None` beyond the view.
    fn texel_of(&mut self, texture: &Texture, view: &Handle, at: Texel) -> Result<Option<(Key, u32, u32)>, String> {
        let made = self.invocation.made(texture.resource)?;
        let (levels, slices) = texture.counts(&made);
        let shape = view.image.ok_or("a sampler is no texture")?;
        let level = u32::try_from(at.level).ok().filter(|level| *level < levels);
        let Some(level) = level else { return Ok(None) };
        let mip = texture.mips.0 + level;
        let [width, height, _] = texture.size_of(mip);
        // Coordinates that the dimension lacks are behind those that it has.
        let plain = match shape.dimension {
            0 => 1,
            2 => 3,
            _ => 2,
        };
        let [x, y, z] = at.at;
        let (row, slice) = match (plain, shape.arrayed || shape.dimension == 3) {
            (1, true) => (0, y),
            (1, false) => (0, 0),
            (2, true) => (y, z),
            (2, false) => (y, 0),
            _ => (y, z),
        };
        let (first, count) = match texture.depth_of(mip) {
            Some(depth) => depth,
            None => (texture.slices.0, slices),
        };
        let within = |at: i64, size: u32| u32::try_from(at).ok().filter(|at| *at < size);
        let (Some(x), Some(row), Some(slice)) = (within(x, width), within(row, height), within(slice, count)) else {
            return Ok(None);
        };
        if at.sample >= texture.samples.max(1) {
            return Ok(None);
        }
        let part = [mip, first.saturating_add(slice), texture.plane, at.sample];
        Ok(Some((Key { resource: texture.resource, part: Some(part) }, x, row)))
    }
}

/// What a channel that a format lacks reads as: 0, and 1 for alpha.
fn absent(kind: Kind) -> u64 {
    if matches!(kind, Kind::Uint | Kind::Sint) { 1 } else { u64::from(1f32.to_bits()) }
}

/// Whether colours are encoded as sRGB has them.
fn is_encoded(layout: Layout) -> bool {
    matches!(layout, Layout::Packed { srgb: true, .. } | Layout::Blocks { srgb: true, .. })
}

/// Whether the second plane of a format is a stencil.
fn is_stencil(format: u32) -> bool {
    reprise_picture::format_name(format).is_some_and(|name| name.contains("G8X24") || name.contains("G8_UINT"))
}

/// The components of a texel of one format.
pub(super) fn decode(format: u32, plane: u32, bytes: &[u8]) -> Result<[u64; 4], String> {
    let layout = Layout::of(format, plane)?;
    let mut texel = [0, 0, 0, absent(layout.kind())];
    if let Layout::Packed { channels, .. } = layout
        && channels.iter().all(|(_, width)| matches!(width, 0 | 32))
    {
        for (to, (bit, width)) in texel.iter_mut().zip(channels) {
            let word = bytes.get(usize::from(bit / 8)..).and_then(|bytes| bytes.first_chunk::<4>());
            if let (32, Some(word)) = (width, word) {
                *to = u32::from_le_bytes(*word).into();
            }
        }
        return Ok(texel);
    }
    let values = Texels::new(format, plane, (1, 1), bytes.to_vec())?.at(0, 0).ok_or("a texel is cut")?;
    Ok(components(layout, values))
}

/// Numbers as a shader has them.
fn components(layout: Layout, mut values: [f64; 4]) -> [u64; 4] {
    if is_encoded(layout) {
        values[..3].iter_mut().for_each(|value| *value = srgb::linear(*value));
    }
    let mut texel = values.map(|value| match layout.kind() {
        Kind::Uint => value as u32 as u64,
        Kind::Sint => u64::from(value as i32 as u32),
        _ => u64::from((value as f32).to_bits()),
    });
    if !layout.channels()[3] {
        texel[3] = absent(layout.kind());
    }
    texel
}

/// The bytes of a texel of one format.
fn encode(format: u32, components: [u64; 4]) -> Result<Vec<u8>, String> {
    let layout = Layout::of(format, 0)?;
    let unsupported = || {
        let name = reprise_picture::format_name(format).unwrap_or("an unknown format");
        format!("writes to texels of {name} are not supported yet")
    };
    let Layout::Packed { bytes, channels, kind, srgb: false } = layout else { return Err(unsupported()) };
    let mut word = 0u128;
    for ((bit, width), component) in channels.into_iter().zip(components) {
        if width == 0 {
            continue;
        }
        let mask = (1u64 << width) - 1;
        let real = f64::from(f32::from_bits(component as u32));
        let steps = |most: f64| {
            let value = if real.is_nan() { 0.0 } else { real * most };
            // Half a step goes away from 0.
            value.abs().mul_add(1.0, 0.5).floor().copysign(value)
        };
        let field = match (kind, width) {
            // More than fits is the greatest.
            (Kind::Uint, _) => component.min(mask),
            (Kind::Sint, 32) => component,
            (Kind::Sint, _) => {
                let most = (1i64 << (width - 1)) - 1;
                i64::from(component as u32 as i32).clamp(-most - 1, most) as u64 & mask
            }
            (Kind::Float, 32) => component,
            (Kind::Float, 16) => u64::from(half(f32::from_bits(component as u32))),
            (Kind::Unorm, _) => steps(mask as f64).clamp(0.0, mask as f64) as u64,
            (Kind::Snorm, _) => {
                let most = ((1i64 << (width - 1)) - 1) as f64;
                steps(most).clamp(-most, most) as i64 as u64 & mask
            }
            _ => return Err(unsupported()),
        };
        word |= u128::from(field & mask) << bit;
    }
    Ok(word.to_le_bytes()[..bytes as usize].to_vec())
}

/// Which shader it is: its library, its entry point, and what lies in its records.
type ShaderKey = (Arc<[u8]>, String, Option<Arc<RootSignature>>);

impl Store<'_> {
    /// The shaders of records that were called, by their numbers.
    pub(crate) fn shaders(&self) -> BTreeMap<u32, Rc<Module>> {
        self.shaders.iter().map(|(_, module)| (module.number(), Rc::clone(module))).collect()
    }

    /// A record, as the call finds it; `None`, and noted, where its bytes are not here.
    fn read_record(&mut self, table: Table, index: u64) -> Result<Option<Record>, String> {
        let rays = self.invocation.rays.as_ref().ok_or("the call traces no rays")?;
        let Some((address, size)) = rays.place(table, index)? else { return Ok(Some(Record::default())) };
        let Some(bytes) = self.bytes_at(address, 0, size)? else { return Ok(None) };
        let (identifier, rest) = bytes.split_at(IDENTIFIER.min(bytes.len()));
        if identifier.iter().all(|byte| *byte == 0) {
            return Ok(Some(Record::default()));
        }
        let named = || format!("record {index} of the {} table", table.name().replace('_', " "));
        let known = rays.export(identifier).cloned();
        let known = known.ok_or_else(|| format!("{} has an identifier that the program was not told", named()))?;
        let mut record = Record { name: Some(known.name.clone()), arguments: rest.to_vec(), ..Record::default() };
        for (offset, field) in &known.layout.fields {
            let at = *offset as usize - IDENTIFIER;
            let place = record.arguments.get_mut(at..).and_then(|rest| rest.first_chunk_mut::<8>());
            // Handles are those of the capture.
            if let (Field::Table, Some(place)) = (field, place) {
                let slot = self.invocation.slot_of(u64::from_le_bytes(*place));
                let slot = slot.ok_or_else(|| format!("{} + {offset} is no handle of a table", named()))?;
                *place = (u64::from(slot.index) << Slots::HANDLE_SHIFT).to_le_bytes();
            }
        }
        for (stage, shader) in &known.shaders {
            let module =
                self.shader(*stage, shader, known.local.as_ref()).map_err(|why| format!("{}: {why}", named()))?;
            match stage {
                Stage::ClosestHit => record.closest_hit = Some(module),
                Stage::AnyHit => record.any_hit = Some(module),
                Stage::Intersection => record.intersection = Some(module),
                _ => record.general = Some(module),
            }
        }
        Ok(Some(record))
    }

    fn shader(
        &mut self,
        stage: Stage,
        shader: &Shader,
        local: Option<&Arc<RootSignature>>,
    ) -> Result<Rc<Module>, String> {
        let same = |(library, entry, own): &ShaderKey| {
            Arc::ptr_eq(library, &shader.blob) && *entry == shader.entry && own.as_ref() == local
        };
        if let Some((_, module)) = self.shaders.iter().find(|(key, _)| same(key)) {
            return Ok(Rc::clone(module));
        }
        let global = self.invocation.signature();
        let named = |why: String| format!("shader {}: {why}", shader.plain);
        let words = ours::compile_ray(&shader.blob, (stage, &shader.entry), global, local.map(|it| &**it));
        let module =
            Module::read(&words.map_err(|why| named(format!("{why:#}")))?).map_err(|why| named(why.to_string()))?;
        if module.uses_waves() {
            return Err(named("its results depend on which rays share a wave, which the API leaves open".to_owned()));
        }
        let number = self.shaders.len() as u32 + 1;
        let module = Rc::new(module.called(number, shader.plain.clone()));
        let key = (Arc::clone(&shader.blob), shader.entry.clone(), local.cloned());
        self.shaders.push((key, Rc::clone(&module)));
        Ok(module)
    }
}

impl Resources for Store<'_> {
    fn record(&mut self, table: Table, index: u64) -> Result<Rc<Record>, String> {
        if let Some(known) = self.records.get(&(table, index)) {
            return known.clone();
        }
        let record = match self.read_record(table, index) {
            // The shaders run anew, once its bytes are here.
            Ok(None) => return Ok(Rc::default()),
            Ok(Some(record)) => Ok(Rc::new(record)),
            Err(why) => Err(why),
        };
        self.records.insert((table, index), record.clone());
        record
    }

    fn scene(&mut self, address: u64) -> Result<Rc<Scene>, String> {
        match self.scenes.get(&address) {
            Some(Ok(known)) if self.disturbed => {
                // Rays hit what they did not, and do not hit what they did.
                let mut other = (**known).clone();
                other.instances.iter_mut().for_each(|instance| instance.mask ^= 0xff);
                Ok(Rc::new(other))
            }
            Some(known) => known.clone(),
            None => {
                self.missing_scenes.insert(address);
                Ok(Rc::default())
            }
        }
    }

    fn read(&mut self, buffer: Buffer, offset: u64, bytes: &mut [u8]) -> Result<Open, String> {
        if buffer == Buffer::Root {
            let command = self.invocation.command();
            let root = command.root.get(offset as usize..).unwrap_or_default();
            bytes.iter_mut().zip(root).for_each(|(to, from)| *to = *from);
            // Addresses and tables of another bit lead nowhere.
            let words = (offset..).step_by(4).zip(bytes.chunks_mut(4));
            words.filter(|(at, _)| command.is_constant(*at)).for_each(|(_, word)| self.disturb(word));
            return Ok(0);
        }
        if let Buffer::View(Descriptor { binding: Slots::ADDRESSES, set: Slots::HEAPS, .. }) = buffer {
            let address = self.counter(u32::try_from(offset / 8).unwrap_or(u32::MAX))?.to_le_bytes();
            let from = address.get(offset as usize % 8..).unwrap_or_default();
            bytes.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
            return Ok(0);
        }
        let Some((resource, at, room)) = self.place(buffer, offset)? else { return Ok(0) };
        let by_address = buffer == Buffer::Address;
        let Some(content) = self.content(Key::buffer(resource)) else { return Ok(0) };
        let there = (content.bytes.len() as u64).saturating_sub(at);
        if by_address && there < bytes.len() as u64 {
            return Err(format!("address {offset:#x} is behind the end of buffer {resource}"));
        }
        // Words that lie within the view; those beyond it are 0.
        let count = room.min(there).min(bytes.len() as u64) as usize;
        let count = if count < bytes.len() { count / 4 * 4 } else { count };
        if count == 0 {
            return Ok(0);
        }
        let at = at as usize;
        bytes[..count].copy_from_slice(&content.bytes[at..at + count]);
        let open = content.open(at, count);
        self.last_read = Some((Key::buffer(resource), at as u64));
        self.disturb(bytes);
        Ok(open)
    }

    fn write(&mut self, buffer: Buffer, offset: u64, bytes: &[u8], open: Open) -> Result<(), String> {
        let Some((resource, at, room)) = self.place(buffer, offset)? else {
            return if buffer == Buffer::Root { Err("root arguments are not written".to_owned()) } else { Ok(()) };
        };
        let by_address = buffer == Buffer::Address;
        let by = (self.group, self.last_read.take() == Some((Key::buffer(resource), at)));
        let Some(content) = self.content(Key::buffer(resource)) else { return Ok(()) };
        let there = (content.bytes.len() as u64).saturating_sub(at);
        if by_address && there < bytes.len() as u64 {
            return Err(format!("address {offset:#x} is behind the end of buffer {resource}"));
        }
        let count = room.min(there).min(bytes.len() as u64) as usize;
        let count = if count < bytes.len() { count / 4 * 4 } else { count };
        if count != 0 {
            content.write(at as usize, &bytes[..count], open, by);
        }
        Ok(())
    }

    fn scattered(&mut self, buffer: Buffer, open: Open) {
        let place = match buffer {
            Buffer::Root | Buffer::Record => return,
            // Anywhere: every resource.
            Buffer::Address => {
                let all: Vec<u32> = self.contents.keys().map(|key| key.resource).collect();
                all.into_iter().for_each(|resource| self.scatter(resource, open));
                return;
            }
            Buffer::View(descriptor) => self.region(descriptor),
        };
        if let Ok(Region::Bytes { resource, .. }) = place {
            self.scatter(resource, open);
        }
    }

    fn scattered_texels(&mut self, view: &Handle, open: Open) {
        let region = self.region(view.descriptor);
        if let Ok(
            Region::Elements { resource, .. }
            | Region::Texture(Texture { resource, .. })
            | Region::Feedback(Map { resource, .. }),
        ) = region
        {
            self.scatter(resource, open);
        }
    }

    fn length(&mut self, buffer: Buffer) -> Result<u64, String> {
        match buffer {
            Buffer::View(descriptor) => match self.region(descriptor)? {
                Region::Bytes { bytes, .. } => Ok(bytes),
                Region::Null => Ok(0),
                other => Err(format!("{descriptor} is {other:?}, which the shader uses as a buffer of bytes")),
            },
            _ => Err("what has no view has no length".to_owned()),
        }
    }

    fn texel(&mut self, view: &Handle, at: Texel) -> Result<([u64; 4], Open), String> {
        let ((format, plane), mapping, key, from, open_count) = match self.region(view.descriptor)? {
            Region::Null => return Ok(([0; 4], 0)),
            Region::Feedback(map) => {
                // Of what was set before nobody asks.
                let texel = Self::feedback_texel(&map, view, at);
                let bits = texel.and_then(|texel| self.feedback.get(&texel)).copied().unwrap_or(0);
                return Ok(([bits.into(), 0, 0, 1], 0));
            }
            other @ Region::Bytes { .. } => {
                return Err(format!("{view} is {other:?}, which the shader uses as texels"));
            }
            Region::Elements { resource, offset, count, format } => {
                let layout = Layout::of(format, 0)?;
                let index = u64::try_from(at.at[0]).ok().filter(|index| *index < count);
                let beyond = components(layout, [0.0; 4]);
                let Some(index) = index else { return Ok((beyond, 0)) };
                let size = u64::from(layout.bytes());
                ((format, 0), None, Key::buffer(resource), offset.saturating_add(index.saturating_mul(size)), size)
            }
            Region::Texture(texture) => {
                let layout = Layout::of(texture.format, texture.plane)?;
                let beyond = components(layout, [0.0; 4]);
                let found = self.texel_of(&texture, view, at)?;
                let Some((key, x, y)) = found else { return Ok((mapped(beyond, texture.mapping, layout), 0)) };
                if matches!(layout, Layout::Blocks { .. }) {
                    let Some(content) = self.content(key) else { return Ok(([0; 4], 0)) };
                    let texels = content.blocks(texture.format, texture.plane)?;
                    let values = texels.at(x, y).ok_or("a texel is cut")?;
                    let mut texel = components(layout, values);
                    texel = texel.map(|word| if self.disturbed { turned(word) } else { word });
                    return Ok((mapped(texel, texture.mapping, layout), 0));
                }
                let Some(content) = self.content(key) else { return Ok(([0; 4], 0)) };
                let size = u64::from(layout.bytes());
                let from = (u64::from(y) * u64::from(content.size.0) + u64::from(x)) * size;
                ((texture.format, texture.plane), Some((texture.mapping, layout)), key, from, size)
            }
        };
        let Some(content) = self.content(key) else { return Ok(([0; 4], 0)) };
        let bytes = content.bytes.get(from as usize..).and_then(|all| all.get(..open_count as usize));
        let Some(bytes) = bytes else { return Ok((components(Layout::of(format, plane)?, [0.0; 4]), 0)) };
        let mut texel = decode(format, plane, bytes)?;
        // Stencils are the second component of views, in both formats that have them beside depth.
        if plane == 1 && is_stencil(format) {
            texel = [0, texel[0], 0, 1];
        }
        let open = content.open(from as usize, open_count as usize);
        self.last_read = Some((key, from));
        texel = texel.map(|word| if self.disturbed { turned(word) } else { word });
        Ok((mapping.map_or(texel, |(mapping, layout)| mapped(texel, mapping, layout)), open))
    }

    fn set_texel(&mut self, view: &Handle, at: Texel, components: [u64; 4], opens: [Open; 4]) -> Result<(), String> {
        let (format, place) = match self.region(view.descriptor)? {
            Region::Null => return Ok(()),
            Region::Feedback(map) => {
                if let Some(texel) = Self::feedback_texel(&map, view, at) {
                    self.set_feedback(&map, texel, components[0] as u32, opens[0]);
                }
                return Ok(());
            }
            Region::Elements { resource, offset, count, format } => {
                let index = u64::try_from(at.at[0]).ok().filter(|index| *index < count);
                let size = u64::from(Layout::of(format, 0)?.bytes());
                let place = |index: u64| (Key::buffer(resource), offset.saturating_add(index.saturating_mul(size)));
                (format, index.map(place))
            }
            Region::Texture(texture) => {
                let found = self.texel_of(&texture, view, at)?;
                let size = u64::from(Layout::of(texture.format, texture.plane)?.bytes());
                let offset = |columns: u32, x: u32, y: u32| (u64::from(y) * u64::from(columns) + u64::from(x)) * size;
                let place = found.and_then(|(key, x, y)| {
                    let columns = self.content(key)?.size.0;
                    Some((key, offset(columns, x, y)))
                });
                (texture.format, place)
            }
            other @ Region::Bytes { .. } => {
                return Err(format!("{view} is {other:?}, which the shader uses as texels"));
            }
        };
        let bytes = encode(format, components)?;
        let channels = match Layout::of(format, 0)? {
            Layout::Packed { channels, .. } => channels,
            _ => [(0, 0); 4],
        };
        let last = self.last_read.take();
        let group = self.group;
        if let Some((key, from)) = place
            && let Some(content) = self.content(key)
        {
            let by = (group, last == Some((key, from)));
            for (index, byte) in (0u64..).zip(&bytes) {
                // What is open about a byte is open about one of the components in it.
                let bits = index as u32 * 8..index as u32 * 8 + 8;
                let own = channels.iter().zip(opens).filter(|((bit, width), _)| {
                    u32::from(*bit) < bits.end && u32::from(bit + width) > bits.start && *width != 0
                });
                let open = own.map(|(_, open)| open).fold(0, either);
                content.write((from + index) as usize, &[*byte], open, by);
            }
            let is_raced = content.written.range(from..from + bytes.len() as u64).any(|(_, open)| *open == RACED);
            content.texels.insert(from, (format, if is_raced { [RACED; 4] } else { opens }));
        }
        Ok(())
    }

    fn surface(&mut self, view: &Handle, descriptor: Descriptor) -> Result<Option<Surface>, String> {
        let texture = match self.region(view.descriptor)? {
            Region::Null => return Ok(None),
            Region::Texture(texture) => texture,
            other => return Err(format!("{view} is {other:?}, which the shader samples")),
        };
        let (sampler, border) = match self.samplers.get(&descriptor) {
            Some(known) => *known,
            None => {
                let found = self.invocation.sampler(descriptor).map_err(|what| format!("{descriptor}: {what}"))?;
                self.samplers.insert(descriptor, found);
                found
            }
        };
        let layout = Layout::of(texture.format, texture.plane)?;
        let mapping = texture.mapping;
        let steps = sampler::steps(layout);
        let own = |from: u32| steps.get(from as usize).copied().flatten();
        Ok(Some(Surface {
            sampler,
            border: mapped(border.of(layout), mapping, layout),
            steps: mapping.map(own),
            srgb: self.encoded(view),
            integer: matches!(layout.kind(), Kind::Uint | Kind::Sint),
            least: texture.least - texture.mips.0 as f32,
        }))
    }

    fn encoded(&mut self, view: &Handle) -> [bool; 4] {
        match self.region(view.descriptor) {
            Ok(Region::Texture(texture)) if Layout::of(texture.format, texture.plane).is_ok_and(is_encoded) => {
                texture.mapping.map(|from| from < 3)
            }
            _ => [false; 4],
        }
    }

    fn resident(&mut self, view: &Handle) -> Result<(), String> {
        let resource = match self.region(view.descriptor)? {
            // Of what is not there nothing is missing.
            Region::Null => return Ok(()),
            Region::Bytes { resource, .. } | Region::Elements { resource, .. } => resource,
            Region::Texture(texture) => texture.resource,
            Region::Feedback(map) => map.resource,
        };
        if self.invocation.is_reserved(resource) {
            return Err(format!("which tiles of resource {resource} are in memory is not known"));
        }
        Ok(())
    }

    fn size(&mut self, view: &Handle, level: u32) -> Result<Size, String> {
        match self.region(view.descriptor)? {
            Region::Null => Ok(Size::default()),
            Region::Feedback(map) => {
                let [width, height] = map.extent();
                Ok(Size { texels: [width, height, 1], slices: map.slices, levels: 1, samples: 1 })
            }
            Region::Elements { count, .. } => {
                let count = u32::try_from(count).unwrap_or(u32::MAX);
                Ok(Size { texels: [count, 1, 1], slices: 1, levels: 1, samples: 1 })
            }
            Region::Texture(texture) => {
                let made = self.invocation.made(texture.resource)?;
                let (levels, slices) = texture.counts(&made);
                if level >= levels {
                    return Ok(Size { levels, ..Size::default() });
                }
                let mip = texture.mips.0 + level;
                let mut texels = texture.size_of(mip);
                if let Some((_, depth)) = texture.depth_of(mip) {
                    texels[2] = depth;
                }
                Ok(Size { texels, slices, levels, samples: texture.samples })
            }
            other @ Region::Bytes { .. } => Err(format!("{view} is {other:?}, which the shader uses as texels")),
        }
    }
}

/// Components where a view's mapping puts them.
fn mapped(texel: [u64; 4], mapping: [u32; 4], layout: Layout) -> [u64; 4] {
    mapping.map(|from| match from {
        0..=3 => texel[from as usize],
        5 => absent(layout.kind()),
        _ => 0,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use reprise_d3d12::types::DXGI_FORMAT;

    /// What a control turns shows in a target of eight bits; numbers that count stay near.
    #[test]
    fn a_turned_bit_shows_behind_rounding() {
        let unorm = |value: f32| (value.clamp(0.0, 1.0) * 255.0).round() as u8;
        for value in [1.0f32, 0.75, 0.5, 0.2, 0.1, 0.02] {
            let bits = u64::from(value.to_bits());
            let other = f32::from_bits(turned(bits) as u32);
            assert!(unorm(value) != unorm(other), "{value} {other}");
        }
        assert_eq!([0u64, 1, 7, 4096, u64::from(u32::MAX)].map(turned), [1, 0, 6, 4097, u64::from(u32::MAX) - 1]);
    }

    /// Direct3D's rules for conversions (Direct3D 11.3 functional specification, 3.2.3).
    #[test]
    fn texels_are_as_the_rules_for_conversions_have_them() {
        let reals = |values: [f32; 4]| values.map(|it| u64::from(it.to_bits()));
        let unorm = DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM.0 as u32;
        assert_eq!(encode(unorm, reals([0.0, 1.0, 0.5, 7.0])).unwrap(), [0, 255, 128, 255]);
        assert_eq!(encode(unorm, reals([-1.0, f32::NAN, 0.001, 0.998])).unwrap(), [0, 0, 0, 254]);
        let snorm = DXGI_FORMAT::FORMAT_R8_SNORM.0 as u32;
        assert_eq!(encode(snorm, reals([-1.0, 0.0, 0.0, 0.0])).unwrap(), [0x81]);
        let words = DXGI_FORMAT::FORMAT_R16G16_UINT.0 as u32;
        assert_eq!(encode(words, [70_000, 5, 0, 0]).unwrap(), [0xff, 0xff, 5, 0]);
        assert_eq!(decode(words, 0, &[1, 2, 3, 4]).unwrap(), [0x201, 0x403, 0, 1]);
        let signed = DXGI_FORMAT::FORMAT_R8_SINT.0 as u32;
        assert_eq!(encode(signed, [u64::from(-200i32 as u32), 0, 0, 0]).unwrap(), [0x80]);
        assert_eq!(decode(signed, 0, &[0xff]).unwrap(), [0xffff_ffff, 0, 0, 1]);
        let single = DXGI_FORMAT::FORMAT_R32_FLOAT.0 as u32;
        let nan = 0x7f80_0001u32;
        assert_eq!(decode(single, 0, &nan.to_le_bytes()).unwrap(), [nan.into(), 0, 0, 0x3f80_0000]);
    }

    #[test]
    fn which_of_several_groups_writes_last_is_open() {
        let mut content = Content { bytes: vec![0; 8], ..Content::default() };
        content.write(0, &[1, 1, 1, 1], 0, (1, false));
        content.write(0, &[1, 2, 2, 2], 0, (2, false));
        // One group's own writes have an order, and so have additions, which read what is there.
        content.write(4, &[1, 1], 0, (1, false));
        content.write(4, &[2, 2], 0, (1, false));
        content.write(6, &[1], 0, (1, true));
        content.write(6, &[2], 0, (2, true));
        content.write(7, &[1], 5, (1, false));
        content.write(7, &[2], 5, (2, false));
        assert_eq!(content.bytes, [1, 2, 2, 2, 2, 2, 2, 2]);
        let opens: Vec<Open> = content.written.values().copied().collect();
        // Also where last bits are open, which is less.
        assert_eq!(opens, [0, RACED, RACED, RACED, 0, 0, 0, RACED]);
        // What follows does not settle it.
        content.write(1, &[3], 0, (2, false));
        assert_eq!(content.written[&1], RACED);
    }

    #[test]
    fn texels_that_are_written_over_are_texels_no_more() {
        let mut content = Content { bytes: vec![0; 16], ..Content::default() };
        let format = DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM.0 as u32;
        let texels = |content: &Content| content.texels.keys().copied().collect::<Vec<u64>>();
        content.texels = [(0, (format, [0; 4])), (4, (format, [0; 4])), (8, (format, [0; 4]))].into();
        content.write(3, &[1], 0, (1, false));
        assert_eq!(texels(&content), [4, 8]);
        content.write(12, &[1; 4], 0, (1, false));
        assert_eq!(texels(&content), [4, 8]);
        content.write(6, &[1; 4], 0, (1, false));
        assert_eq!(texels(&content), [0; 0]);
    }
}
