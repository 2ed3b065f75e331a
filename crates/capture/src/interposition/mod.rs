//! Functions that the program finds in this library before it finds them in the runtime's.
//!
//! Natively (`exports`) the dynamic linker binds them to us, every export asks `decision`, and `lookup` answers programs that look
//! functions up by name; `gl` ends frames where OpenGL programs swap buffers. For Windows, `windows` has the same in the form of a DLL's
//! exports. `recorded_process` decides whether the process is recorded. `private_interfaces` knows what is passed on unseen.

#[cfg(target_os = "linux")]
pub(crate) mod decision;
#[cfg(target_os = "linux")]
pub(crate) mod exports;
#[cfg(target_os = "linux")]
pub(crate) mod gl;
#[cfg(target_os = "linux")]
pub(crate) mod lookup;
pub(crate) mod private_interfaces;
pub(crate) mod recorded_process;
#[cfg(windows)]
pub(crate) mod windows;
