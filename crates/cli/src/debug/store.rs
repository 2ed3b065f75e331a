//! The contents of resources while a shader runs: as a replay found them, and as the interpreter leaves them.

mod content;
mod control;
mod records;
mod resources;
mod texel;
mod watch;

use super::Invocation;
use super::feedback::{Map, Mark};
pub(crate) use super::key::Key;
use super::region::{Region, Texture};
use super::sampler;
use crate::ours::Slots;
pub(crate) use content::Content;
use content::{RACED, ROUNDED};
use control::turned;
use records::ShaderKey;
use reprise_d3d12::types::{D3D12_SHADER_RESOURCE_VIEW_DESC, D3D12_SRV_DIMENSION};
use reprise_interpreter::{
    Buffer, Descriptor, Handle, Module, Open, Opens, Record, Sampler, Scene, Table, Texel, either,
};
use reprise_replay::ShotContents;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;
pub(super) use texel::decode;
pub(crate) use watch::{Watch, Written};

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
    /// The static samplers of their local root signatures, by their bindings.
    local_samplers: Vec<(Sampler, sampler::Border)>,
    /// Those that are used and not here.
    missing_scenes: BTreeSet<u64>,
    /// By map of sampler feedback, slice, column and row of its image: bits that the shader set.
    feedback: HashMap<(u32, u32, [u32; 2]), u32>,
    /// The group that runs, and its lane that writes.
    group: u32,
    lane: u32,
    /// The texel whose writers are asked for.
    pub(crate) watch: Option<Watch>,
    /// What was read last, and nothing was since.
    last_read: Option<(Key, u64)>,
    /// A bit of all that is read is another one: the comparison with the GPU has to notice.
    pub(crate) disturbed: bool,
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
            local_samplers: Vec::new(),
            missing_scenes: BTreeSet::new(),
            feedback: HashMap::new(),
            group: 0,
            lane: 0,
            watch: None,
            last_read: None,
            disturbed: false,
        }
    }

    /// Another command runs: what its descriptors and records are is found anew.
    pub(crate) fn begin(&mut self, command: usize) {
        self.invocation.begin(command);
        self.regions.clear();
        self.samplers.clear();
        self.records.clear();
    }

    /// Another group runs.
    pub(crate) fn begin_group(&mut self) {
        self.group = self.group.wrapping_add(1);
        self.last_read = None;
    }

    /// Names what is open about bytes that several groups wrote, and about texels that do not hold all of a number.
    pub(crate) fn settle(&mut self, opens: &mut Opens) {
        let mut name = |open: &mut Open| match *open {
            RACED => *open = opens.name("Store: several groups write there, and which one is the last"),
            ROUNDED => *open = opens.near("ImageWrite: how a number is rounded to a float of the texel"),
            _ => {}
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

    /// Whether something was used that is not here, so that what comes of it is nothing.
    pub(crate) fn is_incomplete(&self) -> bool {
        !(self.missing.is_empty() && self.missing_scenes.is_empty())
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
