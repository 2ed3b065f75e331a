//! What drivers have made of pipelines, kept for the next time: in a [`Storage`] for the device, or in blobs for callers.
//!
//! All pipelines of a device share one of Vulkan's caches, which makes a known pipeline cheap (NVIDIA H100, driver 580.159: a
//! graphics pipeline takes 20 us in place of 400 us with a cache of its own). With a storage it is kept there, and blobs only name
//! their pipeline. Without one a blob has the bytes of a cache of its own: its pipeline is made once more for them.
//!
//! Invariant: Vulkan sees only bytes whose hash is right and that the same driver has given to the same version of this crate.
//! Other bytes of a storage count as none; other blobs are refused.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use ash::vk;
use xxhash_rust::xxh3::xxh3_64;

use crate::error::{Error, Result};
use crate::logical::Logical;

/// Pipelines after which the device's cache is stored for the first time; then whenever there are twice as many.
const FIRST: u32 = 16;
/// Largest content of a blob, in bytes. Larger content is left out: it would cost more than it saves.
const LIMIT: usize = 16 << 20;

/// Keeps the bytes of a cache from one process to the next. Checks that they come back as they were.
pub trait Storage: core::fmt::Debug + Send + Sync {
    /// The bytes that were last put under a name; `None` if there are none or they are damaged.
    fn get(&self, name: &[u8; 16]) -> Option<Vec<u8>>;
    /// Puts bytes under a name. What fails is not said: pipelines are slower, nothing else.
    fn put(&self, name: &[u8; 16], bytes: &[u8]);
}

/// The cache of a device, which its storage keeps if it has one.
#[derive(Debug)]
pub struct DeviceCache {
    logical: Arc<Logical>,
    handle: vk::PipelineCache,
    storage: Option<Box<dyn Storage>>,
    /// Pipelines that were made with it.
    made: AtomicU32,
    /// The value of `made` when the cache was last stored.
    stored: AtomicU32,
}

impl DeviceCache {
    /// The cache of a device, with what its storage has.
    pub(crate) fn open(logical: &Arc<Logical>, storage: Option<Box<dyn Storage>>) -> DeviceCache {
        let (made, stored) = (AtomicU32::new(0), AtomicU32::new(0));
        let bytes = storage.as_ref().and_then(|storage| storage.get(&logical.caps.identity)).unwrap_or_default();
        // Without a cache pipelines are slower, nothing else.
        let handle = create(&logical.vk, &bytes).unwrap_or_default();
        DeviceCache { logical: logical.clone(), handle, storage, made, stored }
    }

    /// Vulkan's handle, for one more pipeline.
    fn another(&self) -> vk::PipelineCache {
        let made = self.made.fetch_add(1, Ordering::Relaxed) + 1;
        if self.storage.is_some() && made >= FIRST && made.is_power_of_two() {
            self.store();
        }
        self.handle
    }

    fn store(&self) {
        let made = self.made.load(Ordering::Relaxed);
        if self.stored.swap(made, Ordering::Relaxed) == made {
            return;
        }
        if let (Some(disk), Some(bytes)) = (&self.storage, bytes(&self.logical.vk, self.handle)) {
            disk.put(&self.logical.caps.identity, &bytes);
        }
    }
}

impl Drop for DeviceCache {
    fn drop(&mut self) {
        self.store();
        // SAFETY: made by this device; pipelines do not need their cache once they are made. Null is passed over.
        unsafe { self.logical.vk.destroy_pipeline_cache(self.handle, None) };
    }
}

/// The cache that one pipeline is made with.
#[derive(Debug)]
pub struct Cache {
    /// Keeps the shared cache.
    device: Arc<DeviceCache>,
    handle: vk::PipelineCache,
    own: bool,
}

impl Cache {
    /// The device's, or a new one with what an earlier blob holds.
    pub fn new(device: &Arc<DeviceCache>, content: &[u8]) -> Cache {
        let shared = device.another();
        if content.is_empty() || device.storage.is_some() {
            return Cache { device: device.clone(), handle: shared, own: false };
        }
        Cache::own(device, content)
    }

    fn own(device: &Arc<DeviceCache>, content: &[u8]) -> Cache {
        let handle = create(&device.logical.vk, content).unwrap_or_default();
        Cache { device: device.clone(), handle, own: true }
    }

    /// Vulkan's handle; may be null.
    pub fn handle(&self) -> vk::PipelineCache {
        self.handle
    }

    /// What a blob holds of the pipeline. `make` makes it once more, with a cache that holds nothing else.
    pub fn content<E>(&self, make: impl FnOnce(vk::PipelineCache) -> core::result::Result<vk::Pipeline, E>) -> Vec<u8> {
        let vk = &self.device.logical.vk;
        let content = match self {
            Cache { own: true, handle, .. } => bytes(vk, *handle),
            Cache { device, .. } if device.storage.is_some() => None,
            Cache { device, .. } => {
                let alone = Cache::own(device, &[]);
                make(alone.handle).ok().and_then(|pipeline| {
                    let bytes = bytes(vk, alone.handle);
                    // SAFETY: just made, and used by nothing.
                    unsafe { vk.destroy_pipeline(pipeline, None) };
                    bytes
                })
            }
        };
        content.filter(|bytes| bytes.len() <= LIMIT).unwrap_or_default()
    }
}

impl Drop for Cache {
    fn drop(&mut self) {
        if self.own {
            // SAFETY: pipelines do not need their cache once they are made; null is allowed.
            unsafe { self.device.logical.vk.destroy_pipeline_cache(self.handle, None) };
        }
    }
}

fn create(vk: &ash::Device, bytes: &[u8]) -> core::result::Result<vk::PipelineCache, vk::Result> {
    let info = vk::PipelineCacheCreateInfo::default().initial_data(bytes);
    // SAFETY: bytes that this driver has given, or none.
    unsafe { vk.create_pipeline_cache(&info, None) }
}

fn bytes(vk: &ash::Device, cache: vk::PipelineCache) -> Option<Vec<u8>> {
    if cache == vk::PipelineCache::null() {
        return None;
    }
    // SAFETY: the cache is alive, and synchronises itself.
    unsafe { vk.get_pipeline_cache_data(cache) }.ok()
}

/// A cached pipeline as bytes: what it is of, and what the driver has made of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blob {
    /// The key of the description, by its maker.
    pub key: [u8; 16],
    /// [`Cache::content`].
    pub content: Vec<u8>,
}

/// First bytes of a blob, with the number of its layout.
const MAGIC: [u8; 8] = *b"RPSPIPE2";

impl Blob {
    /// As bytes: magic, the driver's identity, hash of the rest, key, content.
    pub fn write(&self, identity: &[u8; 16]) -> Vec<u8> {
        let rest = [&self.key[..], &self.content].concat();
        [&MAGIC[..], identity, &xxh3_64(&rest).to_le_bytes(), &rest].concat()
    }

    /// The reverse of [`Blob::write`].
    ///
    /// # Errors
    /// [`Error::DriverMismatch`] for what is no blob of this driver and version, [`Error::Invalid`] for what is damaged.
    pub fn read(bytes: &[u8], identity: &[u8; 16]) -> Result<Blob> {
        let rest = bytes.strip_prefix(&MAGIC).and_then(|rest| rest.strip_prefix(identity));
        let rest = rest.ok_or(Error::DriverMismatch)?;
        let damaged = Error::Invalid("a cached blob is damaged");
        let (hash, rest) = rest.split_at_checked(8).ok_or(damaged.clone())?;
        let (key, content) = rest.split_first_chunk::<16>().ok_or(damaged.clone())?;
        if hash != xxh3_64(rest).to_le_bytes() {
            return Err(damaged);
        }
        Ok(Blob { key: *key, content: content.to_vec() })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn damaged_blobs_are_refused_and_others_are_of_another_driver() {
        let (mine, other) = ([7; 16], [8; 16]);
        let blob = Blob { key: [1; 16], content: vec![1, 2, 3] };
        let bytes = blob.write(&mine);
        assert_eq!(Blob::read(&bytes, &mine).unwrap(), blob);
        assert_eq!(Blob::read(&bytes, &other), Err(Error::DriverMismatch));
        for length in 0..bytes.len() {
            assert!(Blob::read(&bytes[..length], &mine).is_err(), "{length}");
        }
        for bit in 0..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(Blob::read(&flipped, &mine).is_err(), "bit {bit}");
        }
    }
}
