//! `IWineDXGISwapChainFactory` and the `IDXGISwapChain4` that it makes.
//!
//! Wine's dxgi asks a queue for this factory before it takes the queue for one of Wine's own, and passes the arguments of
//! `CreateSwapChainForHwnd` on. What the program gets otherwise (factory, adapters, outputs) stays Wine's: the chain holds the
//! factory and asks it. Invariant: no lock is held while the window is changed, because its thread may be in a call to the chain.

#[cfg(windows)]
mod display;
#[cfg(windows)]
pub(crate) mod factory;
#[cfg(windows)]
mod foreign;
#[cfg(windows)]
mod full_screen;
#[cfg(windows)]
mod methods;
#[cfg(windows)]
mod object;
#[cfg(windows)]
mod output;
mod rules;
#[cfg(windows)]
mod window;
