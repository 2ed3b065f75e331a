//! `IDXGISwapChain4` as an object.

use core::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use reprise_com::Object;
use reprise_com::result::{DXGI_ERROR_INVALID_CALL, S_OK};
use reprise_d3d12::types::{
    D3D12_COMMAND_LIST_TYPE, DXGI_FRAME_STATISTICS, DXGI_MODE_DESC, DXGI_SWAP_CHAIN_DESC,
    DXGI_SWAP_CHAIN_FULLSCREEN_DESC,
};
use reprise_gpu::clock::{frequency, ticks};

use crate::error::code;
use crate::queue::object::CommandQueue;
use crate::queue::swap_chain::chain::{Chain, Presented};
use crate::queue::swap_chain::dxgi::foreign::Foreign;
use crate::queue::swap_chain::dxgi::full_screen::{FullScreen, NOT_NOW};
use crate::queue::swap_chain::dxgi::rules::{self, Resize};
use crate::queue::swap_chain::dxgi::window::Window;
use crate::queue::swap_chain::dxgi::{display, output};

/// `DXGI_ERROR_WAS_STILL_DRAWING`.
const STILL_DRAWING: i32 = 0x887a_000a_u32 as i32;

/// The body of `IDXGISwapChain4`.
pub(super) struct SwapChain {
    pub(super) chain: Chain,
    pub(super) window: Window,
    pub(super) full_screen: FullScreen,
    /// The program's, which made the chain.
    pub(super) factory: Foreign,
    /// The output that the program wants the frames on: full screen takes it first. Other outputs show them, too.
    pub(super) restricted: Option<Foreign>,
    /// When it was made, in ticks of the performance counter: refreshes are counted from here.
    start: u64,
    /// The monitor that was asked last, and its refreshes in a second: to ask takes a walk through all outputs.
    rate: Mutex<Option<(usize, u32)>>,
    /// The last reference was given back. Handlers of window messages may take one more while full screen ends.
    gone: AtomicBool,
}

impl SwapChain {
    /// In its window.
    pub(super) fn new(
        chain: Chain,
        window: Window,
        full_screen: &DXGI_SWAP_CHAIN_FULLSCREEN_DESC,
        factory: Foreign,
        restricted: Option<Foreign>,
    ) -> SwapChain {
        let full_screen = FullScreen::new(window, full_screen);
        SwapChain {
            chain,
            window,
            full_screen,
            factory,
            restricted,
            start: ticks(),
            rate: Mutex::default(),
            gone: AtomicBool::new(false),
        }
    }

    /// `Present` and `Present1`. A frame that nobody can see is done at once: chains of the flip model never answer
    /// `DXGI_STATUS_OCCLUDED` (Microsoft's page "DXGI_STATUS"), and Wine's own answer S_OK, too.
    pub(super) fn present(&self, interval: u32, flags: u32) -> i32 {
        let desc = self.chain.desc();
        let request = match rules::request(interval, flags, desc.Flags, self.full_screen.is_windowed()) {
            Ok(request) => request,
            Err(wrong) => return wrong,
        };
        if !self.window.is_there() {
            return DXGI_ERROR_INVALID_CALL;
        }
        let presented = match self.window.is_minimised() {
            true => Ok(self.chain.occluded(request)),
            false => self.chain.present(request),
        };
        match presented {
            Ok(Presented::Shown) => S_OK,
            Ok(Presented::Occluded) => {
                self.chain.pass(request);
                S_OK
            }
            Ok(Presented::Busy) => STILL_DRAWING,
            Err(error) => code(Err(error)),
        }
    }

    /// `ResizeBuffers`.
    pub(super) fn resize(&self, resize: Resize) -> i32 {
        let new = match rules::resized(&self.chain.desc(), resize, self.window.inside()) {
            Ok(new) => new,
            Err(wrong) => return wrong,
        };
        let changed = self.chain.change(&new);
        if changed.is_ok() {
            self.chain.rewind();
        }
        code(changed)
    }

    /// Whether the queues that `ResizeBuffers1` names for the buffers are the chain's.
    ///
    /// # Safety
    /// Each is null or a living COM object.
    pub(super) unsafe fn presents_on(&self, queues: &[*mut c_void]) -> Result<(), i32> {
        let own = |&queue: &*mut c_void| {
            // SAFETY: null or a living COM object, as the caller says.
            let queue = unsafe { Object::<CommandQueue>::from_pointer(queue) }.ok_or(DXGI_ERROR_INVALID_CALL)?;
            if queue.desc.Type != D3D12_COMMAND_LIST_TYPE::DIRECT {
                return Err(DXGI_ERROR_INVALID_CALL);
            }
            if queue.pointer() != self.chain.queue.pointer() {
                reprise_log::error("ResizeBuffers1: a queue other than the one that the swap chain was made for");
                return Err(reprise_com::result::E_NOTIMPL);
            }
            Ok(())
        };
        queues.iter().try_for_each(own)
    }

    /// The output that shows most of the window.
    pub(super) fn containing(&self) -> Option<Foreign> {
        self.full_screen.output().or_else(|| output::of_monitor(&self.factory, self.window.monitor()))
    }

    /// `SetFullscreenState`; without a target the output that shows the window.
    pub(super) fn set_full_screen(&self, wanted: bool, target: Option<Foreign>) -> i32 {
        if !wanted {
            return if target.is_some() { DXGI_ERROR_INVALID_CALL } else { self.full_screen.leave() };
        }
        if target.is_none() && !self.full_screen.is_windowed() {
            return S_OK;
        }
        let target = target.or_else(|| self.restricted.clone()).or_else(|| self.containing());
        let Some(target) = target else { return NOT_NOW };
        self.full_screen.enter(target, &self.chain.desc())
    }

    /// As `GetDesc` gives it.
    pub(super) fn desc(&self) -> DXGI_SWAP_CHAIN_DESC {
        let (desc, full_screen) = (self.chain.desc(), self.full_screen.desc());
        DXGI_SWAP_CHAIN_DESC {
            BufferDesc: DXGI_MODE_DESC {
                Width: desc.Width,
                Height: desc.Height,
                RefreshRate: full_screen.RefreshRate,
                Format: desc.Format,
                ScanlineOrdering: full_screen.ScanlineOrdering,
                Scaling: full_screen.Scaling,
            },
            SampleDesc: desc.SampleDesc,
            BufferUsage: desc.BufferUsage,
            BufferCount: desc.BufferCount,
            OutputWindow: self.window.0,
            Windowed: full_screen.Windowed,
            SwapEffect: desc.SwapEffect,
            Flags: desc.Flags,
        }
    }

    /// As `GetFrameStatistics` gives it. Vulkan does not count refreshes: they are those of the display's rate since the chain
    /// was made.
    pub(super) fn statistics(&self) -> DXGI_FRAME_STATISTICS {
        let (count, at) = self.chain.latency.done();
        if count == 0 {
            return DXGI_FRAME_STATISTICS::default();
        }
        let refreshes = rules::refreshes(self.start, at, frequency(), self.rate());
        DXGI_FRAME_STATISTICS {
            PresentCount: count as u32,
            PresentRefreshCount: refreshes,
            SyncRefreshCount: refreshes,
            SyncQPCTime: at as i64,
            SyncGPUTime: 0,
        }
    }

    /// Refreshes in a second of the monitor that shows the window.
    fn rate(&self) -> u32 {
        let monitor = self.window.monitor() as usize;
        let known = *self.rate.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, rate)) = known.filter(|(of, _)| *of == monitor) {
            return rate;
        }
        let output = self.containing().and_then(|output| output::desc(&output));
        let rate = display::rate(output.as_ref());
        *self.rate.lock().unwrap_or_else(PoisonError::into_inner) = Some((monitor, rate));
        rate
    }

    /// The program has given its last reference back.
    pub(super) fn release(&self) {
        if self.gone.swap(true, Ordering::AcqRel) {
            return;
        }
        self.full_screen.leave();
        self.chain.release();
    }
}
