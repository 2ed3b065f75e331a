//! Compute shaders of this crate, for what the API has as one command and Vulkan does not.
//!
//! The sources lie beside this file (`*.comp`); `build.sh` makes the SPIR-V that is built in. All kernels share a pipeline
//! layout: where the device has push descriptors, an image that is written and one that is read (set 0, bindings 0 and 1);
//! and [`ROOM`] bytes of push constants. Invariant: a pipeline is made at its first use and lives as long as the device.

use std::io::Cursor;
use std::sync::{Arc, OnceLock};

use ash::vk;

use crate::error::{Context, Error, Result};
use crate::logical::Logical;
use crate::settings::Descriptors;

/// Bytes of push constants.
pub const ROOM: u32 = 64;

macro_rules! kernels {
    ($($name:ident $file:literal $what:literal;)*) => {
        /// A kernel.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Kernel {
            $(#[doc = $what] $name,)*
        }

        impl Kernel {
            /// Every kernel.
            pub const ALL: &[Kernel] = &[$(Kernel::$name),*];

            /// SPIR-V, as bytes.
            fn code(self) -> &'static [u8] {
                match self {
                    $(Kernel::$name => include_bytes!($file),)*
                }
            }
        }
    };
}

kernels! {
    Fill "fill.spv" "Bytes of a buffer with a pattern.";
    Gather "gather.spv" "Adds up 64-bit counts.";
    Commands "commands.spv" "Indirect commands, as many as count.";
    Expand "expand.spv" "Indirect commands that change root arguments, as blocks of all root arguments and commands that change none.";
    Paint1d "paint_1d.spv" "A box of a one-dimensional image's layers with one texel.";
    Paint2d "paint_2d.spv" "A box of a two-dimensional image's layers with one texel.";
    Paint3d "paint_3d.spv" "A box of a volume with one texel.";
    ResolveFloat "resolve_float.spv" "One texel of the samples of each: floating point, also depth.";
    ResolveUint "resolve_uint.spv" "The same of unsigned integers, also stencil.";
    ResolveInt "resolve_int.spv" "The same of signed integers.";
    ResolveUnorm24 "resolve_unorm24.spv" "The same of depth, stored as 24 bits.";
    Decode "decode.spv" "Sampler feedback as bytes.";
    Encode "encode.spv" "Bytes as sampler feedback.";
    NodeInputs "node_inputs.spv" "Records that a program gives a work graph.";
    NodeGroups "node_groups.spv" "How many groups the nodes of a level have.";
    NodeRecords "node_records.spv" "Where the records of a level lie.";
    Inflate "inflate.spv" "Decompresses streams of GDeflate.";
    Spin "spin.spv" "Steps of one thread that lead nowhere, for tests of what measures time.";
}

/// The kernels of a device.
#[derive(Debug)]
pub struct Kernels {
    logical: Arc<Logical>,
    flags: vk::PipelineCreateFlags,
    set: vk::DescriptorSetLayout,
    /// Of all kernels.
    pub layout: vk::PipelineLayout,
    made: [OnceLock<vk::Pipeline>; Kernel::ALL.len()],
}

impl Kernels {
    /// Makes the layout, as one beside heaps that are such `descriptors`; no pipeline yet.
    ///
    /// # Errors
    /// Vulkan cannot make it.
    pub(crate) fn new(logical: &Arc<Logical>, descriptors: Descriptors) -> Result<Kernels> {
        let mut made = Kernels {
            logical: logical.clone(),
            flags: descriptors.pipeline_flags(),
            set: vk::DescriptorSetLayout::null(),
            layout: vk::PipelineLayout::null(),
            made: Default::default(),
        };
        let binding = |number: u32, kind: vk::DescriptorType| {
            vk::DescriptorSetLayoutBinding::default()
                .binding(number)
                .descriptor_type(kind)
                .descriptor_count(1)
                .stage_flags(vk::ShaderStageFlags::COMPUTE)
        };
        let bindings = [binding(0, vk::DescriptorType::STORAGE_IMAGE), binding(1, vk::DescriptorType::SAMPLED_IMAGE)];
        let set = vk::DescriptorSetLayoutCreateInfo::default()
            .flags(vk::DescriptorSetLayoutCreateFlags::PUSH_DESCRIPTOR_KHR | descriptors.layout_flags())
            .bindings(&bindings);
        let constants = [vk::PushConstantRange::default().stage_flags(vk::ShaderStageFlags::COMPUTE).size(ROOM)];
        // SAFETY: the structures live until the calls return; push descriptors are only asked for where they are switched on.
        unsafe {
            let mut info = vk::PipelineLayoutCreateInfo::default().push_constant_ranges(&constants);
            let sets;
            if logical.ext.push_descriptor.is_some() {
                made.set = logical.vk.create_descriptor_set_layout(&set, None).call("vkCreateDescriptorSetLayout")?;
                sets = [made.set];
                info = info.set_layouts(&sets);
            }
            made.layout = logical.vk.create_pipeline_layout(&info, None).call("vkCreatePipelineLayout")?;
        }
        Ok(made)
    }

    /// A kernel's pipeline.
    ///
    /// # Errors
    /// When Vulkan fails.
    pub fn pipeline(&self, kernel: Kernel) -> Result<vk::Pipeline> {
        let place = &self.made[kernel as usize];
        if let Some(pipeline) = place.get() {
            return Ok(*pipeline);
        }
        let pipeline = self.make(kernel)?;
        if let Err(mine) = place.set(pipeline) {
            // Another thread was faster.
            // SAFETY: nobody has seen this one.
            unsafe { self.logical.vk.destroy_pipeline(mine, None) };
        }
        place.get().copied().ok_or(Error::Failed("a kernel's pipeline"))
    }

    fn make(&self, kernel: Kernel) -> Result<vk::Pipeline> {
        let device = &self.logical;
        let code = ash::util::read_spv(&mut Cursor::new(kernel.code()));
        let code = code.map_err(|_| Error::Failed("a kernel that is not SPIR-V"))?;
        let info = vk::ShaderModuleCreateInfo::default().code(&code);
        // SAFETY: the structures live until the calls return; the pipeline does not need the module any more.
        unsafe {
            let module = device.check("vkCreateShaderModule", device.vk.create_shader_module(&info, None))?;
            let stage = vk::PipelineShaderStageCreateInfo::default()
                .stage(vk::ShaderStageFlags::COMPUTE)
                .module(module)
                .name(c"main");
            let info = vk::ComputePipelineCreateInfo::default().flags(self.flags).stage(stage).layout(self.layout);
            let made = device.vk.create_compute_pipelines(vk::PipelineCache::null(), &[info], None);
            device.vk.destroy_shader_module(module, None);
            let made = device.check("vkCreateComputePipelines", made.map_err(|(_, error)| error))?;
            made.first().copied().ok_or(Error::Failed("Vulkan made no pipeline"))
        }
    }
}

impl Drop for Kernels {
    fn drop(&mut self) {
        let vk = &self.logical.vk;
        // SAFETY: made by this device; recordings hold the device's shared parts, so no list uses them any more. Null handles are
        // passed over.
        unsafe {
            for pipeline in self.made.iter_mut().filter_map(OnceLock::take) {
                vk.destroy_pipeline(pipeline, None);
            }
            vk.destroy_pipeline_layout(self.layout, None);
            vk.destroy_descriptor_set_layout(self.set, None);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_kernel_is_spirv_with_an_entry_point() {
        for kernel in Kernel::ALL {
            let words = ash::util::read_spv(&mut Cursor::new(kernel.code())).unwrap();
            assert_eq!(words[0], 0x0723_0203, "{kernel:?}");
            // OpEntryPoint (15) GLCompute (5).
            let mut at = 5;
            let mut found = false;
            while at < words.len() {
                found |= words[at] & 0xffff == 15 && words[at + 1] == 5;
                at += (words[at] >> 16) as usize;
            }
            assert!(found, "{kernel:?}");
        }
    }
}
