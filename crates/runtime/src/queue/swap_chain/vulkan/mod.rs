//! `IDXGIVkSwapChainFactory` and what it makes, by DXVK's rules.

pub(super) mod factory;
mod methods;
