//! The exports of this library where it is a DLL.
//!
//! Programs load `d3d12.dll`, `d3d12core.dll` or `dxgi.dll` of ours, which hold nothing but forwarders to these exports. `names`
//! lists them, `exports` defines them, `attach` hears of the process and its threads,
//! `library` finds the real DLLs, `decision` passes a call on or has it recorded, and `device` adds what
//! a device runs on to the trace.

pub(crate) mod attach;
pub(crate) mod decision;
pub(crate) mod device;
pub(crate) mod exports;
pub(crate) mod library;
pub(crate) mod names;
