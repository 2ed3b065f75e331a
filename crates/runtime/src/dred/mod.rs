//! DRED: device-removed extended data. Programs ask for it before they make a device ([`settings`]), and read it once the device is removed
//! ([`data`]).
//!
//! Invariant: what is not known is refused (`DXGI_ERROR_UNSUPPORTED`), never made up.

pub mod data;
pub mod settings;
