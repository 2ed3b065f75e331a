//! What the driver made of the shaders of pipeline states and state objects ([`reprise_d3d12::executables`]).
//!
//! A device is told before its first pipeline is made. A pipeline is asked when its last reference goes, or when the replay ends: only then
//! all the pipelines are there that draws to other targets have made of it.

use std::collections::{BTreeMap, HashSet};

use reprise_d3d12::executables::{self, ID, Value};
use reprise_d3d12::model::MethodId;
use reprise_d3d12::{interface, method};
use reprise_times::{Executable, Silence, Statistic};

use crate::resolve::objects::Objects;
use crate::runtime::Runtime;

const SET: MethodId = method("ID3D12Object", "SetPrivateData");
const GET: MethodId = method("ID3D12Object", "GetPrivateData");
/// What a driver says of a pipeline is not longer, in bytes.
const MOST: u32 = 16 << 20;
const S_FALSE: i32 = 1;
/// Stages by the bits of `VkShaderStageFlagBits`.
const STAGES: [(u32, &str); 14] = [
    (0x1, "vertex"),
    (0x2, "hull"),
    (0x4, "domain"),
    (0x8, "geometry"),
    (0x10, "pixel"),
    (0x20, "compute"),
    (0x40, "amplification"),
    (0x80, "mesh"),
    (0x100, "raygeneration"),
    (0x200, "anyhit"),
    (0x400, "closesthit"),
    (0x800, "miss"),
    (0x1000, "intersection"),
    (0x2000, "callable"),
];

/// What was found, while the replay goes on.
#[derive(Default)]
pub(crate) struct Executables {
    /// Devices that were told.
    devices: HashSet<u32>,
    /// Why one of them has nothing to say.
    silence: Option<Silence>,
    found: BTreeMap<u32, Vec<Executable>>,
}

impl Executables {
    /// Tells a device to keep what the driver says, once.
    pub(crate) fn tell(&mut self, runtime: &Runtime, id: u32, device: u64) {
        if !self.devices.insert(id) {
            return;
        }
        let keep = 1u32;
        let words = [(&raw const ID) as u64, size_of_val(&keep) as u64, (&raw const keep) as u64];
        // SAFETY: the device is alive, because the program calls on it next. The words are an id of private data, a size, and a place of so many bytes.
        let told = unsafe { runtime.call(device, SET, &words) } as i32;
        // A library that does not know the id keeps what it is given, as it does with any.
        let (mut size, mut kept) = (size_of_val(&keep) as u32, 0u32);
        let words = [(&raw const ID) as u64, (&raw mut size) as u64, (&raw mut kept) as u64];
        // SAFETY: the device is alive; an id, a size, and so many bytes.
        let has = unsafe { runtime.call(device, GET, &words) } as i32;
        self.silence = match (told, has) {
            (S_FALSE, _) => Some(Silence::Driver),
            (told, has) if told < 0 || has >= 0 && kept == keep => Some(Silence::Library),
            _ => self.silence,
        };
    }

    /// Why a device has nothing to say of pipelines.
    pub(crate) fn silence(&self) -> Option<Silence> {
        self.silence
    }

    /// Asks an object that is still alive. What is no pipeline has nothing to say.
    pub(crate) fn ask(&mut self, objects: &mut Objects, runtime: &Runtime, id: u32) {
        let Ok(pointer) = objects.pointer(runtime, id, interface("ID3D12Object")) else { return };
        let mut size = 0u32;
        let words = [(&raw const ID) as u64, (&raw mut size) as u64, 0];
        // SAFETY: the object is alive; an id and a size, and no room, so that only the size is told.
        let result = unsafe { runtime.call(pointer, GET, &words) } as i32;
        if result < 0 || size == 0 || size > MOST {
            return;
        }
        let mut bytes = vec![0u8; size as usize];
        let words = [(&raw const ID) as u64, (&raw mut size) as u64, bytes.as_mut_ptr() as u64];
        // SAFETY: the object is alive; an id, a size, and so many bytes.
        let result = unsafe { runtime.call(pointer, GET, &words) } as i32;
        bytes.truncate(size as usize);
        if let Some(all) = (result >= 0).then(|| executables::read(&bytes)).flatten() {
            self.found.insert(id, all.into_iter().map(executable).collect());
        }
    }

    /// What was found, by the ids of pipelines.
    pub(crate) fn into_found(self) -> BTreeMap<u32, Vec<Executable>> {
        self.found
    }
}

fn executable(one: executables::Executable) -> Executable {
    let stages = STAGES.iter().filter(|(bit, _)| one.stages & bit != 0).map(|(_, name)| (*name).to_owned()).collect();
    let number = |value| match value {
        Value::Truth(truth) => f64::from(u8::from(truth)),
        Value::Signed(value) => value as f64,
        Value::Whole(value) => value as f64,
        Value::Real(value) => value,
    };
    let statistics = one.statistics.into_iter();
    let statistics =
        statistics.map(|row| Statistic { name: row.name, about: row.about, value: number(row.value) }).collect();
    Executable { name: one.name, stages, lanes: one.lanes, statistics }
}
