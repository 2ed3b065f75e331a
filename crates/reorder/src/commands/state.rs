//! Commands that change what dispatches read.

use std::ffi::c_void;

use ash::vk;

use super::commands;
use crate::waiting;

/// Commands that are recorded at once, behind dispatches that wait.
macro_rules! states {
    ($($own:ident [$($name:literal),+] ($($argument:ident: $kind:ty),* $(,)?);)+) => {
        commands! {
            $($own [$($name),+] ($($argument: $kind),*) |buffer, below| {
                waiting::state(buffer);
                // SAFETY: the arguments of this call.
                unsafe { below(buffer, $($argument),*) };
            })+
        }
    };
}

states! {
    pipeline [c"vkCmdBindPipeline"] (point: vk::PipelineBindPoint, pipeline: vk::Pipeline);
    sets [c"vkCmdBindDescriptorSets"] (
        point: vk::PipelineBindPoint, layout: vk::PipelineLayout, first: u32, count: u32,
        sets: *const vk::DescriptorSet, offsets: u32, all: *const u32,
    );
    sets2 [c"vkCmdBindDescriptorSets2KHR", c"vkCmdBindDescriptorSets2"] (info: *const c_void);
    constants [c"vkCmdPushConstants"] (
        layout: vk::PipelineLayout, stages: vk::ShaderStageFlags, offset: u32, size: u32, values: *const c_void,
    );
    constants2 [c"vkCmdPushConstants2KHR", c"vkCmdPushConstants2"] (info: *const c_void);
    pushed [c"vkCmdPushDescriptorSetKHR", c"vkCmdPushDescriptorSet"] (
        point: vk::PipelineBindPoint, layout: vk::PipelineLayout, set: u32, count: u32,
        writes: *const vk::WriteDescriptorSet<'static>,
    );
    pushed2 [c"vkCmdPushDescriptorSet2KHR", c"vkCmdPushDescriptorSet2"] (info: *const c_void);
    template [c"vkCmdPushDescriptorSetWithTemplateKHR", c"vkCmdPushDescriptorSetWithTemplate"] (
        template: vk::DescriptorUpdateTemplate, layout: vk::PipelineLayout, set: u32, data: *const c_void,
    );
    template2 [c"vkCmdPushDescriptorSetWithTemplate2KHR", c"vkCmdPushDescriptorSetWithTemplate2"] (info: *const c_void);
    buffers [c"vkCmdBindDescriptorBuffersEXT"] (
        count: u32, buffers: *const vk::DescriptorBufferBindingInfoEXT<'static>,
    );
    offsets [c"vkCmdSetDescriptorBufferOffsetsEXT"] (
        point: vk::PipelineBindPoint, layout: vk::PipelineLayout, first: u32, count: u32, indices: *const u32,
        offsets: *const vk::DeviceSize,
    );
    offsets2 [c"vkCmdSetDescriptorBufferOffsets2EXT"] (info: *const c_void);
    samplers [c"vkCmdBindDescriptorBufferEmbeddedSamplersEXT"] (
        point: vk::PipelineBindPoint, layout: vk::PipelineLayout, set: u32,
    );
    samplers2 [c"vkCmdBindDescriptorBufferEmbeddedSamplers2EXT"] (info: *const c_void);
    shaders [c"vkCmdBindShadersEXT"] (
        count: u32, stages: *const vk::ShaderStageFlags, shaders: *const vk::ShaderEXT,
    );
    stack [c"vkCmdSetRayTracingPipelineStackSizeKHR"] (size: u32);
    generated [c"vkCmdExecuteGeneratedCommandsEXT"] (preprocessed: vk::Bool32, info: *const c_void);
    mask [c"vkCmdSetDeviceMask", c"vkCmdSetDeviceMaskKHR"] (mask: u32);
    predicate [c"vkCmdBeginConditionalRenderingEXT"] (info: *const c_void);
    end_predicate [c"vkCmdEndConditionalRenderingEXT"] ();
    query [c"vkCmdBeginQuery"] (pool: vk::QueryPool, query: u32, flags: vk::QueryControlFlags);
    end_query [c"vkCmdEndQuery"] (pool: vk::QueryPool, query: u32);
    query_of_stream [c"vkCmdBeginQueryIndexedEXT"] (
        pool: vk::QueryPool, query: u32, flags: vk::QueryControlFlags, stream: u32,
    );
    end_query_of_stream [c"vkCmdEndQueryIndexedEXT"] (pool: vk::QueryPool, query: u32, stream: u32);
}
