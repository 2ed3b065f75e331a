//! What every program begins with: a device, a direct queue, and how it was asked to run.

use crate::arguments::Options;
use crate::device::Device;
use crate::failure::Failure;
use crate::queue::Queue;
use crate::runtime::Runtime;
use crate::shader::{Kind, Shader};
use reprise_d3d12::types::{D3D_SHADER_MODEL, D3D12_COMMAND_LIST_TYPE, D3D12_FEATURE};
use std::path::{Path, PathBuf};

/// Handed to a program.
pub(crate) struct Stage {
    pub(crate) device: Device,
    /// A direct queue; programs that need others make them.
    pub(crate) queue: Queue,
    shaders: Kind,
    frames: Option<u32>,
    memory_log: Option<PathBuf>,
}

impl Stage {
    /// Loads the library and makes the device; fails where the library takes no shaders of the kind that is wanted.
    pub(crate) fn new(options: &Options) -> Result<Self, Failure> {
        let device = Device::new(Runtime::load(&options.library)?)?;
        if options.shaders == Kind::Dxil {
            let mut highest = D3D_SHADER_MODEL::SHADER_MODEL_6_0;
            let known = device.feature(D3D12_FEATURE::SHADER_MODEL, &mut highest);
            if !known || highest < D3D_SHADER_MODEL::SHADER_MODEL_6_0 {
                return Err(Failure::Cannot("the library takes no DXIL (shader model 6.0)".into()));
            }
        }
        let queue = Queue::new(&device, D3D12_COMMAND_LIST_TYPE::DIRECT)?;
        let memory_log = options.memory_log.clone();
        Ok(Self { device, queue, shaders: options.shaders, frames: options.frames, memory_log })
    }

    /// The same on another device.
    pub(crate) fn on(&self, device: Device) -> Result<Self, Failure> {
        let queue = Queue::new(&device, D3D12_COMMAND_LIST_TYPE::DIRECT)?;
        Ok(Self { device, queue, shaders: self.shaders, frames: self.frames, memory_log: self.memory_log.clone() })
    }

    /// The form of a shader that this run gives to the library.
    pub(crate) fn shader(&self, shader: &Shader) -> &'static [u8] {
        shader.bytes(self.shaders)
    }

    /// Fails unless this run gives the library DXIL, of this shader model at least.
    pub(crate) fn needs_model(&self, model: D3D_SHADER_MODEL) -> Result<(), Failure> {
        let text = format!("{}.{}", model.0 >> 4, model.0 & 15);
        if self.shaders == Kind::Dxbc {
            return Err(Failure::Cannot(format!("DXBC has no shader model {text}")));
        }
        let mut highest = model;
        if !self.device.feature(D3D12_FEATURE::SHADER_MODEL, &mut highest) || highest < model {
            return Err(Failure::Cannot(format!("the library has no shader model {text}")));
        }
        Ok(())
    }

    /// Fails unless the library answers a feature, and its answer has what the program is about.
    pub(crate) fn needs<T: Copy + Default>(
        &self,
        feature: D3D12_FEATURE,
        what: &str,
        has: impl FnOnce(&T) -> bool,
    ) -> Result<(), Failure> {
        let mut answer = T::default();
        match self.device.feature(feature, &mut answer) && has(&answer) {
            true => Ok(()),
            false => Err(Failure::Cannot(format!("the library reports no {what}"))),
        }
    }

    /// How many frames to run: what the user asked for, or what the program thinks right.
    pub(crate) fn frames(&self, usual: u32) -> u32 {
        self.frames.unwrap_or(usual)
    }

    /// Where to write down what mapped memory holds at each submission.
    pub(crate) fn memory_log(&self) -> Option<&Path> {
        self.memory_log.as_deref()
    }
}
