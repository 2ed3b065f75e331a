//! A build for Windows, without the runtime: traces play on the system's library.

use crate::ours::compiled::{Compiled, Linked};
use crate::ours::finding::Finding;
use crate::ours::gpu_line::GpuLine;
use crate::ours::translated::Translated;
use anyhow::bail;
use reprise_replay::LinkedRuntime;

/// There is none.
pub(crate) const RUNTIME: Option<LinkedRuntime> = None;

/// What a replay would keep.
#[derive(Debug)]
pub(crate) enum Held {}

/// What the validation layer would have said.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Said {
    pub(crate) errors: u64,
    pub(crate) warnings: u64,
    pub(crate) excused: u64,
}

const ABSENT: &str = "our own runtime is not part of reprise.exe: traces play on the system's Direct3D 12 (--runtime windows), or on \
    Linux on ours";

/// # Errors
/// It is ours that is named.
pub(crate) fn check(runtime: Option<&str>) -> anyhow::Result<()> {
    if runtime == Some("ours") { bail!("{ABSENT}") } else { Ok(()) }
}

pub(crate) fn keep_renderdoc() {}

pub(crate) fn give_addresses() {}

/// # Errors
/// Always.
pub(crate) fn choose(_wanted: Option<&str>, _validate: bool, _messages: [&[String]; 2]) -> anyhow::Result<Held> {
    bail!("--gpu and --validate are for our own runtime, and {ABSENT}")
}

/// # Errors
/// Always.
pub(crate) fn devices() -> anyhow::Result<Vec<GpuLine>> {
    bail!("{ABSENT}")
}

/// # Errors
/// Always.
pub(crate) fn driver_counters() -> anyhow::Result<Option<Vec<reprise_d3d12::counters::Counter>>> {
    bail!("--counters=NAME asks our own runtime, and {ABSENT}")
}

/// # Errors
/// Always.
pub(crate) fn driver_passes(_places: &[u32]) -> anyhow::Result<u32> {
    driver_counters().map(|_| 0)
}

pub(crate) fn count_by_driver(_places: Vec<u32>) {}

/// # Errors
/// Always.
pub(crate) fn check_descriptors() -> anyhow::Result<fn(u64)> {
    bail!("--check-descriptors is for our own runtime, and {ABSENT}")
}

/// # Errors
/// Always.
pub(crate) fn compile(
    _shader: &[u8],
    _signature: &reprise_dxbc::RootSignature,
    _linked: Linked,
) -> anyhow::Result<Compiled> {
    bail!("debug reads shaders with our own translator, and {ABSENT}")
}

/// # Errors
/// Always.
pub(crate) fn compile_roots(signature: &reprise_dxbc::RootSignature) -> anyhow::Result<Compiled> {
    compile(&[], signature, Linked::default())
}

/// # Errors
/// Always.
pub(crate) fn compile_ray(
    _library: &[u8],
    _shader: (reprise_dxbc::Stage, &str),
    global: &reprise_dxbc::RootSignature,
    _local: Option<(&reprise_dxbc::RootSignature, u32)>,
) -> anyhow::Result<Vec<u32>> {
    compile(&[], global, Linked::default()).map(|compiled| compiled.words)
}

pub(crate) fn findings() -> (Vec<Finding>, u64) {
    (Vec::new(), 0)
}

pub(crate) fn validates() -> bool {
    false
}

pub(crate) fn said() -> Said {
    Said::default()
}

/// # Errors
/// Always.
pub(crate) fn translate() -> anyhow::Result<()> {
    bail!("{ABSENT}")
}

pub(crate) fn limit() {}

/// # Errors
/// Always.
pub(crate) fn disassemble(_shader: &[u8]) -> anyhow::Result<String> {
    bail!(
        "our translator of shaders is not part of reprise.exe: extract them on Linux, or read the containers with dxc"
    )
}

/// # Errors
/// Always.
pub(crate) fn translated(shader: &[u8], _entry: Option<&str>) -> anyhow::Result<Vec<Translated>> {
    disassemble(shader).map(|_| Vec::new())
}
