//! Memory of checks of descriptors in shaders: facts about heaps, which resources are alive, and records that shaders write.
//!
//! What lies in records is the caller's business; this module says where they are. Invariant: without
//! [`Settings::descriptor_checks`](crate::settings::Settings::descriptor_checks) there is none of this.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ash::vk;

use crate::descriptor::mapped::Mapped;
use crate::error::Result;
use crate::logical::Logical;

/// Bytes from a record to the next. Vulkan lets no device ask for a larger multiple of offsets than 256.
pub const RECORD: usize = 512;
/// Records of a chunk.
pub const RECORDS: u32 = 256;
/// Cookies of a device. Resources beyond have none, and are alive for ever.
const COOKIES: u32 = 1 << 23;
/// Copies of descriptors of which it is known what was copied. Later ones are known by the copy alone.
const COPIES: usize = 1 << 24;
/// In [`Info::written`]: the rest is the number of a copy.
const IS_COPY: u32 = 1 << 31;
/// Allocations to look back for the one that an address lies in: placed buffers may overlap.
const LOOK_BACK: usize = 64;

/// What is known of a descriptor.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Info {
    /// The cookie of its resource; 0 is none.
    pub cookie: u32,
    /// What the caller calls the writing of it ([`Checks::writing`]), or a copy ([`Checks::copied`]).
    pub written: u32,
    /// What it is good for, one bit each; 0 where it was never written.
    pub types: u32,
}

/// Facts about a heap that shaders see: a word with the number of descriptors, one with the heap's number, then an [`Info`] each.
#[derive(Debug)]
pub struct HeapFacts {
    mapped: Mapped,
    count: u32,
}

impl HeapFacts {
    /// Bytes before the first descriptor's.
    const BEFORE: usize = 8;

    /// About a heap in which nothing was written.
    ///
    /// # Errors
    /// Vulkan is out of memory.
    pub fn new(logical: &Arc<Logical>, count: u32, number: u32) -> Result<HeapFacts> {
        let size = HeapFacts::BEFORE + (count as usize + 1) * size_of::<Info>();
        let usage = vk::BufferUsageFlags::STORAGE_BUFFER | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
        let mapped = Mapped::new(logical, size as u64, usage)?;
        // SAFETY: the mapping has so many bytes, is aligned for words, and nobody else has it.
        unsafe {
            core::ptr::write_bytes(mapped.bytes, 0, size);
            mapped.bytes.cast::<[u32; 2]>().write([count, number]);
        }
        Ok(HeapFacts { mapped, count })
    }

    /// The address for shaders.
    pub fn address(&self) -> u64 {
        self.mapped.address
    }

    /// The facts about the first descriptor; those of the others follow.
    pub fn first(&self) -> *mut Info {
        self.mapped.bytes.wrapping_add(HeapFacts::BEFORE).cast()
    }

    /// Descriptors that shaders may use.
    pub fn count(&self) -> u32 {
        self.count
    }
}

/// Records, and the descriptor set that shows one of them at a time.
#[derive(Debug)]
pub struct Chunk {
    checks: Arc<Checks>,
    mapped: Mapped,
    pool: vk::DescriptorPool,
    /// The set; its only buffer has an offset, a multiple of [`RECORD`].
    pub set: vk::DescriptorSet,
}

impl Chunk {
    fn new(checks: &Arc<Checks>) -> Result<Chunk> {
        let logical = &checks.logical;
        let size = RECORD * RECORDS as usize;
        let mapped = Mapped::read(logical, size as u64, vk::BufferUsageFlags::STORAGE_BUFFER)?;
        let sizes = [vk::DescriptorPoolSize { ty: vk::DescriptorType::STORAGE_BUFFER_DYNAMIC, descriptor_count: 1 }];
        let info = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
        let vk = &logical.vk;
        let mut chunk =
            Chunk { checks: checks.clone(), mapped, pool: vk::DescriptorPool::null(), set: vk::DescriptorSet::null() };
        // SAFETY: the structures live until the calls return; what is made before a failure goes with `chunk`; the mapping has so many
        // bytes.
        unsafe {
            core::ptr::write_bytes(chunk.mapped.bytes, 0, size);
            chunk.pool = logical.check("vkCreateDescriptorPool", vk.create_descriptor_pool(&info, None))?;
            let layouts = [checks.layout];
            let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(chunk.pool).set_layouts(&layouts);
            chunk.set = logical
                .check("vkAllocateDescriptorSets", vk.allocate_descriptor_sets(&info))?
                .first()
                .copied()
                .unwrap_or_default();
            let buffers = [vk::DescriptorBufferInfo { buffer: chunk.mapped.buffer, offset: 0, range: RECORD as u64 }];
            let write = vk::WriteDescriptorSet::default()
                .dst_set(chunk.set)
                .descriptor_type(vk::DescriptorType::STORAGE_BUFFER_DYNAMIC)
                .buffer_info(&buffers);
            vk.update_descriptor_sets(&[write], &[]);
        }
        Ok(chunk)
    }

    /// The words of a record, which the GPU may write meanwhile; none beyond the last record.
    pub fn words(&self, record: u32) -> &[AtomicU32] {
        if record >= RECORDS {
            return &[];
        }
        // SAFETY: the mapping has so many records of whole words, and lives as long as this; both sides write whole words.
        unsafe {
            let first = self.mapped.bytes.add(record as usize * RECORD);
            core::slice::from_raw_parts(first.cast(), RECORD / 4)
        }
    }

    /// Makes a record's words zero.
    pub fn clear(&self, record: u32) {
        self.words(record).iter().for_each(|word| word.store(0, Ordering::Relaxed));
    }
}

impl Drop for Chunk {
    fn drop(&mut self) {
        // SAFETY: no list that uses the set is left.
        unsafe { self.checks.logical.vk.destroy_descriptor_pool(self.pool, None) };
    }
}

/// Where buffers lie, by first address and cookie: the address behind the last byte.
type Ranges = BTreeMap<(u64, u32), u64>;

/// Buffers that were released and are remembered, with the addresses of their first byte and behind their last one.
const REMEMBERED: usize = 65_536;

/// What lies at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occupant {
    /// This buffer, by its cookie.
    Live(u32),
    /// Several buffers, which share memory.
    Shared,
    /// This buffer lay there last, from and up to these addresses.
    Released(u32, u64, u64),
    /// No buffer that is known lies or lay there.
    Nothing,
}

/// What checks of a device share.
#[derive(Debug)]
pub struct Checks {
    logical: Arc<Logical>,
    layout: vk::DescriptorSetLayout,
    /// A bit a cookie.
    live: Mapped,
    /// Bytes before the bits.
    before: usize,
    next: AtomicU32,
    ranges: Mutex<Ranges>,
    /// Where buffers lay that were released, the last one last: cookie, first address, address behind the last byte.
    freed: Mutex<VecDeque<(u32, u64, u64)>>,
    /// What the caller calls the releases of resources, by cookie, where it calls them something.
    releases: Mutex<HashMap<u32, u64>>,
    /// What the caller calls the making of a view, and a copy of it.
    copies: Mutex<Vec<[u32; 2]>>,
}

impl Checks {
    /// For a device. The bits of what is alive begin behind `before` bytes.
    ///
    /// # Errors
    /// Vulkan is out of memory.
    pub(super) fn new(logical: &Arc<Logical>, before: usize) -> Result<Checks> {
        let size = before + COOKIES as usize / 8;
        let usage = vk::BufferUsageFlags::STORAGE_BUFFER | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
        let live = Mapped::new(logical, size as u64, usage)?;
        // SAFETY: the mapping has so many bytes, and nobody else has it.
        unsafe { core::ptr::write_bytes(live.bytes, 0, size) };
        let bindings = [vk::DescriptorSetLayoutBinding::default()
            .descriptor_type(vk::DescriptorType::STORAGE_BUFFER_DYNAMIC)
            .descriptor_count(1)
            .stage_flags(logical.caps.stages())];
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        // SAFETY: the structures live until the call returns.
        let layout = unsafe { logical.vk.create_descriptor_set_layout(&info, None) };
        let layout = logical.check("vkCreateDescriptorSetLayout", layout)?;
        let checks = Checks {
            logical: logical.clone(),
            layout,
            live,
            before,
            next: AtomicU32::new(1),
            ranges: Mutex::default(),
            freed: Mutex::default(),
            releases: Mutex::default(),
            copies: Mutex::default(),
        };
        // What has no cookie is alive.
        checks.mark(0, true);
        Ok(checks)
    }

    /// The layout of the set of records.
    pub(super) fn layout(&self) -> vk::DescriptorSetLayout {
        self.layout
    }

    /// The address of the table of what is alive, for shaders.
    pub fn live(&self) -> u64 {
        self.live.address
    }

    /// New records.
    ///
    /// # Errors
    /// Vulkan is out of memory.
    pub fn chunk(self: &Arc<Checks>) -> Result<Chunk> {
        Chunk::new(self)
    }

    fn ranges(&self) -> MutexGuard<'_, Ranges> {
        self.ranges.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The cookie of a new resource; of a buffer, also where it lies: address and bytes.
    pub fn cookie(&self, range: Option<(u64, u64)>) -> u32 {
        let cookie = self.next.fetch_add(1, Ordering::Relaxed);
        if cookie >= COOKIES {
            self.next.store(COOKIES, Ordering::Relaxed);
            return 0;
        }
        self.mark(cookie, true);
        if let Some((address, bytes)) = range.filter(|(address, _)| *address != 0) {
            self.ranges().insert((address, cookie), address.saturating_add(bytes));
        }
        cookie
    }

    /// A resource is gone; `address` is that of a buffer. `release` is what the caller calls it, 0 is nothing.
    pub fn gone(&self, cookie: u32, address: u64, release: u64) {
        if cookie != 0 {
            if release != 0 {
                self.releases.lock().unwrap_or_else(PoisonError::into_inner).insert(cookie, release);
            }
            self.mark(cookie, false);
            if let Some(end) = self.ranges().remove(&(address, cookie)) {
                let mut freed = self.freed.lock().unwrap_or_else(PoisonError::into_inner);
                if freed.len() == REMEMBERED {
                    freed.pop_front();
                }
                freed.push_back((cookie, address, end));
            }
        }
    }

    /// What lies at an address.
    pub fn at(&self, address: u64) -> Occupant {
        {
            let ranges = self.ranges();
            let mut before = ranges.range(..=(address, u32::MAX)).rev();
            let near = before.by_ref().take(LOOK_BACK).filter(|(_, end)| address < **end);
            match near.map(|((_, cookie), _)| *cookie).collect::<Vec<_>>().as_slice() {
                [only] => return Occupant::Live(*only),
                // A large one may begin far before.
                [] => {
                    if let Some(((_, cookie), _)) = before.find(|(_, end)| address < **end) {
                        return Occupant::Live(*cookie);
                    }
                }
                _ => return Occupant::Shared,
            }
        }
        let freed = self.freed.lock().unwrap_or_else(PoisonError::into_inner);
        let was = freed.iter().rev().find(|(_, start, end)| (*start..*end).contains(&address));
        was.map_or(Occupant::Nothing, |(cookie, start, end)| Occupant::Released(*cookie, *start, *end))
    }

    /// Whether the resource of a cookie is there.
    pub fn is_alive(&self, cookie: u32) -> bool {
        self.word(cookie).load(Ordering::Relaxed) & bit(cookie) != 0
    }

    /// The cookie of the buffer at an address; 0 where there is none, or where buffers overlap.
    pub fn cookie_at(&self, address: u64) -> u32 {
        let ranges = self.ranges();
        let before = ranges.range(..=(address, u32::MAX)).rev().take(LOOK_BACK);
        let mut found = before.filter(|(_, end)| address < **end).map(|((_, cookie), _)| *cookie);
        match (found.next(), found.next()) {
            (Some(only), None) => only,
            _ => 0,
        }
    }

    /// What the caller called the release of a resource; 0 is nothing.
    pub fn released(&self, cookie: u32) -> u64 {
        self.releases.lock().unwrap_or_else(PoisonError::into_inner).get(&cookie).copied().unwrap_or(0)
    }

    fn copies(&self) -> MutexGuard<'_, Vec<[u32; 2]>> {
        self.copies.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What [`Info::written`] is after a copy, which the caller calls `copy`, not 0, of what `written` says.
    pub fn copied(&self, written: u32, copy: u32) -> u32 {
        let [made, _] = self.writing(written);
        let mut copies = self.copies();
        if copies.len() >= COPIES {
            return copy & !IS_COPY;
        }
        copies.push([made, copy]);
        (copies.len() as u32 - 1) | IS_COPY
    }

    /// What the caller calls the making of a view, and the last copy of it, 0 where there was none.
    pub fn writing(&self, written: u32) -> [u32; 2] {
        match written & IS_COPY {
            0 => [written, 0],
            _ => self.copies().get((written & !IS_COPY) as usize).copied().unwrap_or_default(),
        }
    }

    fn mark(&self, cookie: u32, alive: bool) {
        let (word, bit) = (self.word(cookie), bit(cookie));
        match alive {
            true => word.fetch_or(bit, Ordering::Relaxed),
            false => word.fetch_and(!bit, Ordering::Relaxed),
        };
    }

    /// The word with a cookie's bit.
    fn word(&self, cookie: u32) -> &AtomicU32 {
        // SAFETY: the mapping has a bit for each cookie, is aligned for words, and lives as long as this; all sides use whole words.
        unsafe {
            let first = self.live.bytes.add(self.before).cast::<AtomicU32>();
            &*first.add((cookie.min(COOKIES - 1) / 32) as usize)
        }
    }
}

/// A cookie's bit in its word.
fn bit(cookie: u32) -> u32 {
    1 << (cookie % 32)
}

impl Drop for Checks {
    fn drop(&mut self) {
        // SAFETY: all chunks and pipeline layouts are gone.
        unsafe { self.logical.vk.destroy_descriptor_set_layout(self.layout, None) };
    }
}
