//! The runtime as a part of this program.

use crate::ours::finding::Finding;
use crate::ours::gpu_line::{DriverRule, GpuLine};
use crate::ours::spirv;
use crate::ours::translated::Translated;
use anyhow::{Context, bail};
use reprise_d3d12::abi;
use reprise_d3d12::model::MethodId;
use reprise_gpu::adapter::{Adapter, adapters, is_meant};
use reprise_gpu::descriptor::expected;
use reprise_gpu::rules::Rule;
use reprise_gpu::settings::{Messages, Validation};
use reprise_gpu::{Instance, adapter, counters, validation};
use reprise_replay::{Convention, ExpectedHeaps, LinkedRuntime};
use reprise_runtime::{checks, environment};
use reprise_shader::Stage;
use reprise_shader::checks::layout::{Kind, types};
use std::sync::Arc;

pub(crate) use reprise_gpu::validation::Said;

/// What `--runtime ours` is.
pub(crate) const RUNTIME: Option<LinkedRuntime> = Some(LinkedRuntime { name: "ours", call, heaps: Some(HEAPS) });
const HEAPS: ExpectedHeaps = ExpectedHeaps { matter: heaps_matter, expect: expected::expect };

fn heaps_matter() -> bool {
    // What is wrong with Vulkan or its devices is said when a device is made.
    let matters = Instance::shared(&environment::settings().gpu).and_then(|instance| expected::matters(&instance));
    matters.unwrap_or(false)
}

/// Whether what the user named can play in this build.
///
/// # Errors
/// Never here.
pub(crate) fn check(_runtime: Option<&str>) -> anyhow::Result<()> {
    Ok(())
}

/// Whether a message of the validation layer says nothing about our runtime.
pub(crate) fn is_excused(id: &str, text: &str) -> bool {
    validation::is_excused(id, text)
}

/// What is kept until a replay is over, so that the validation layer begins and ends once.
pub(crate) type Held = Arc<Instance>;

/// Lets RenderDoc into a process that may use Vulkan, by whatever runtime.
pub(crate) fn keep_renderdoc() {
    reprise_gpu::instance::keep_renderdoc();
}

/// Shaders of this process look at descriptors before they use them, and what they find is kept for [`findings`]. Gives what the runtime
/// wants to be told: the number of each call before it is made.
///
/// # Errors
/// Never here.
pub(crate) fn check_descriptors() -> anyhow::Result<fn(u64)> {
    environment::check_descriptors();
    checks::collect();
    Ok(checks::at_call)
}

/// What shaders found of descriptors, and how many findings there were beside, which nobody kept.
pub(crate) fn findings() -> (Vec<Finding>, u64) {
    let some = |call: u64| (call != 0).then_some(call);
    let (taken, left_out) = checks::take();
    let told = taken.into_iter().map(|found| {
        let fault = &found.fault;
        Finding {
            what: match fault.kind {
                Kind::Index => "index",
                Kind::Unwritten => "unwritten",
                Kind::Type => "type",
                Kind::Gone => "gone",
                Kind::Heap => "heap",
                Kind::Root => "root",
            },
            wrong: found.wrong(),
            call: found.call,
            operation: found.operation,
            stage: fault.stage.map_or("", |stage| stage_name(stage)),
            shader: format!("{:016x}", fault.shader),
            parameter: found.parameter,
            register: found.register.map(|register| register.to_string()),
            index: fault.index,
            table: found.parameter.filter(|_| found.root.is_none()).map(|_| found.start),
            heap: some(found.heap.call),
            descriptors: found.heap.count,
            address: found.root.map(|root| root.address),
            expected: types::in_words(fault.wanted),
            found: types::in_words(fault.found),
            other: (fault.kind == Kind::Heap).then(|| some(found.other.call)).flatten(),
            made: some(found.made),
            copied: some(found.copied),
            released: some(found.released),
        }
    });
    let mut told: Vec<Finding> = told.collect();
    told.sort_by_key(|it| (it.call, it.what, it.index));
    (told, left_out)
}

fn stage_name(stage: Stage) -> &'static str {
    match stage {
        Stage::Vertex => "VS",
        Stage::Hull => "HS",
        Stage::Domain => "DS",
        Stage::Geometry => "GS",
        Stage::Pixel => "PS",
        Stage::Compute => "CS",
        Stage::Amplification => "AS",
        Stage::Mesh => "MS",
        Stage::RayGeneration => "ray generation",
        Stage::Intersection => "intersection",
        Stage::AnyHit => "any hit",
        Stage::ClosestHit => "closest hit",
        Stage::Miss => "miss",
        Stage::Callable => "callable",
    }
}

/// Devices of this process can have memory at recorded addresses.
pub(crate) fn give_addresses() {
    environment::give_addresses();
}

/// Tells the runtime which device plays, by index or name, and whether the validation layer checks it; of its messages some may be left
/// out.
///
/// # Errors
/// The runtime is in use, no device is meant, or the layer is not installed.
pub(crate) fn choose(wanted: Option<&str>, validate: bool, [denied, allowed]: [&[String]; 2]) -> anyhow::Result<Held> {
    let messages = Messages { denied: denied.to_vec(), allowed: allowed.to_vec() };
    if !environment::override_with(wanted.map(str::to_owned), validate, messages) {
        bail!("--gpu and --validate come too late: the runtime is in use");
    }
    let instance = Instance::shared(&environment::settings().gpu)?;
    let Some(wanted) = wanted else { return Ok(instance) };
    let all = adapters(&instance)?;
    let meant = all.iter().enumerate().any(|(index, one)| is_meant(wanted, (index, all.len()), &one.name));
    if meant {
        return Ok(instance);
    }
    let lines: Vec<String> = gpu_lines(&all).iter().map(ToString::to_string).collect();
    bail!("--gpu {wanted} fits none of the Vulkan devices:\n{}", lines.join("\n"))
}

/// The devices, as `--gpu` counts them.
///
/// # Errors
/// There is no Vulkan.
pub(crate) fn devices() -> anyhow::Result<Vec<GpuLine>> {
    let instance = Instance::shared(&environment::settings().gpu)?;
    Ok(gpu_lines(&adapters(&instance)?))
}

/// Counters of the driver of the device that plays; `None` where it has none.
///
/// # Errors
/// There is no Vulkan, or no device that can play.
pub(crate) fn driver_counters() -> anyhow::Result<Option<Vec<reprise_d3d12::counters::Counter>>> {
    let instance = Instance::shared(&environment::settings().gpu)?;
    Ok(counters::offered(&instance, adapter::pick(&instance)?)?)
}

/// How many passes these of them need together.
///
/// # Errors
/// As [`driver_counters`].
pub(crate) fn driver_passes(places: &[u32]) -> anyhow::Result<u32> {
    let instance = Instance::shared(&environment::settings().gpu)?;
    Ok(counters::passes(&instance, adapter::pick(&instance)?, places)?)
}

/// Devices of this process count these; said before the runtime is used.
pub(crate) fn count_by_driver(places: Vec<u32>) {
    environment::count(places);
}

fn driver_rule(rule: &Rule) -> DriverRule {
    let Rule { name, does, so, .. } = rule;
    let seen = rule.seen.iter().map(|(major, minor)| format!("{major}.{minor}")).collect();
    DriverRule { name, seen, does, so }
}

fn gpu_lines(all: &[Adapter]) -> Vec<GpuLine> {
    let line = |(index, one): (usize, &Adapter)| GpuLine {
        index,
        name: one.name.clone(),
        kind: one.kind.to_string(),
        lacks: one.lacks.as_ref().map(ToString::to_string),
        driver: one.driver.clone(),
        rules: one.rules.iter().map(|rule| driver_rule(rule)).collect(),
    };
    all.iter().enumerate().map(line).collect()
}

/// Whether the validation layer checks the runtime.
pub(crate) fn validates() -> bool {
    environment::settings().gpu.validation != Validation::Off
}

/// What the layer said.
pub(crate) fn said() -> Said {
    validation::said()
}

/// Translates shaders for another process until that is gone.
///
/// # Errors
/// The pipe breaks.
pub(crate) fn translate() -> anyhow::Result<()> {
    reprise_shader::worker::serve().context("the replay is gone")
}

/// Limits what this process may use for the shader of a stranger.
pub(crate) fn limit() {
    reprise_shader::worker::limit();
}

/// A shader in the notation of LLVM.
///
/// # Errors
/// What the translator says.
pub(crate) fn disassemble(shader: &[u8]) -> anyhow::Result<String> {
    Ok(reprise_shader::disassemble(shader)?)
}

/// The SPIR-V of a shader; of a library that of each shader, or of the one of this name.
///
/// # Errors
/// What the translator says, or what the container lacks.
pub(crate) fn translated(shader: &[u8], entry: Option<&str>) -> anyhow::Result<Vec<Translated>> {
    spirv::of(shader, entry)
}

/// Calls a function of the runtime by the name under which its library exports it.
///
/// # Safety
/// The words are valid arguments of the function.
unsafe fn call(convention: Convention, name: &str, method: MethodId, words: &[u64]) -> Option<u64> {
    let native = abi::Convention::SystemV;
    let function = reprise_runtime::export::function(name).filter(|_| convention == Convention::SysV)?;
    // SAFETY: the name leads to a function with the shape of the method; the words are the caller's promise.
    Some(unsafe { abi::call(native, function, None, words, method.get()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The identity of nothing: the function is reached, and answers by itself.
    #[test]
    fn functions_are_called() {
        let mut out = 7u64;
        let iid = [0u8; 16];
        let words = [iid.as_ptr() as u64, &raw mut out as u64];
        let method = reprise_d3d12::function("D3D12GetDebugInterface");
        // SAFETY: an identity and a place, as the function wants them.
        let result = unsafe { call(Convention::SysV, "D3D12GetDebugInterface", method, &words) };
        assert_eq!((result.map(|code| code as u32), out), (Some(0x8000_4002), 0));
        // SAFETY: there is no such function.
        assert_eq!(unsafe { call(Convention::SysV, "D3D12CreateDeviceVKD3D", method, &words) }, None);
    }
}
