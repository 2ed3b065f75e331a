//! `IDXGIVkSwapChainFactory` and what it makes, by DXVK's rules.

pub(crate) mod factory;
mod methods;
