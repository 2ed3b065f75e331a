//! Full screen: a window that covers its output, and the way back.

use std::sync::{Mutex, MutexGuard, PoisonError};

use reprise_com::result::{DXGI_ERROR_INVALID_CALL, S_OK};
use reprise_d3d12::types::{DXGI_FORMAT, DXGI_MODE_DESC, DXGI_SWAP_CHAIN_DESC1, DXGI_SWAP_CHAIN_FULLSCREEN_DESC};

use crate::queue::swap_chain::dxgi::foreign::Foreign;
use crate::queue::swap_chain::dxgi::rules::MODE_SWITCH;
use crate::queue::swap_chain::dxgi::window::{Look, Window};
use crate::queue::swap_chain::dxgi::{display, output};

/// `DXGI_ERROR_NOT_CURRENTLY_AVAILABLE`.
pub(super) const NOT_NOW: i32 = 0x887a_0022_u32 as i32;
/// `DXGI_STATUS_MODE_CHANGE_IN_PROGRESS`: a thread is changing the window. The change sends messages, and a handler of the program's may
/// call the chain from within one.
const IN_PROGRESS: i32 = 0x087a_0008;

/// The state of one chain.
pub(super) struct FullScreen {
    window: Window,
    state: Mutex<State>,
}

struct State {
    /// As the program described it; `Windowed` follows the calls.
    desc: DXGI_SWAP_CHAIN_FULLSCREEN_DESC,
    /// Full screen only.
    covers: Option<Covers>,
    /// A thread changes the window.
    changing: bool,
    /// What it is about to cover.
    target: Option<Foreign>,
}

/// What a window covers.
struct Covers {
    output: Foreign,
    look: Look,
    /// The display's mode was changed.
    switched: bool,
}

impl FullScreen {
    /// Of a new chain, which is in its window.
    pub(super) fn new(window: Window, desc: &DXGI_SWAP_CHAIN_FULLSCREEN_DESC) -> FullScreen {
        let desc = DXGI_SWAP_CHAIN_FULLSCREEN_DESC { Windowed: 1, ..*desc };
        FullScreen { window, state: Mutex::new(State { desc, covers: None, changing: false, target: None }) }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// As `GetFullscreenDesc` gives it.
    pub(super) fn desc(&self) -> DXGI_SWAP_CHAIN_FULLSCREEN_DESC {
        self.lock().desc
    }

    /// Whether the chain is in its window.
    pub(super) fn is_windowed(&self) -> bool {
        self.lock().desc.Windowed != 0
    }

    /// The output that is covered, or about to be.
    pub(super) fn output(&self) -> Option<Foreign> {
        let state = self.lock();
        state.target.as_ref().or(state.covers.as_ref().map(|covers| &covers.output)).cloned()
    }

    /// Covers an output, or another one. Where the chain may switch modes, the display gets the one that is next to the buffers'
    /// size.
    pub(super) fn enter(&self, target: Foreign, chain: &DXGI_SWAP_CHAIN_DESC1) -> i32 {
        let Some(before) = output::desc(&target) else { return NOT_NOW };
        let mut state = self.lock();
        if state.changing {
            return IN_PROGRESS;
        }
        let desc = state.desc;
        (state.changing, state.desc.Windowed) = (true, 0);
        state.target = Some(target.clone());
        let old = state.covers.take();
        drop(state);
        let mut switched = false;
        if let Some(old) = old.as_ref().filter(|old| old.switched) {
            // The mode stays on the same output, and another one gets its own back.
            switched = output::desc(&old.output).is_some_and(|desc| desc.DeviceName == before.DeviceName);
            if !switched {
                give_back(&old.output);
            }
        }
        if chain.Flags & MODE_SWITCH != 0 {
            let wanted = DXGI_MODE_DESC {
                Width: chain.Width,
                Height: chain.Height,
                RefreshRate: desc.RefreshRate,
                Format: chain.Format,
                ScanlineOrdering: desc.ScanlineOrdering,
                Scaling: desc.Scaling,
            };
            switched |= switch(&target, &wanted);
        }
        let place = output::desc(&target).unwrap_or(before).DesktopCoordinates;
        let look = match old {
            Some(old) => {
                self.window.cover_again(&place);
                old.look
            }
            None => self.window.cover(&place),
        };
        let mut state = self.lock();
        (state.covers, state.changing, state.target) = (Some(Covers { output: target, look, switched }), false, None);
        S_OK
    }

    /// Gives the window back what it was like, and the display its mode.
    pub(super) fn leave(&self) -> i32 {
        let mut state = self.lock();
        if state.changing {
            return IN_PROGRESS;
        }
        let Some(covers) = state.covers.take() else { return S_OK };
        (state.changing, state.desc.Windowed) = (true, 1);
        drop(state);
        if covers.switched {
            give_back(&covers.output);
        }
        self.window.restore(&covers.look);
        self.lock().changing = false;
        S_OK
    }

    /// `ResizeTarget`: the window's inside gets the mode's size; full screen, the display gets the mode.
    pub(super) fn resize(&self, mode: &DXGI_MODE_DESC, chain: &DXGI_SWAP_CHAIN_DESC1) -> i32 {
        if self.lock().changing {
            return IN_PROGRESS;
        }
        if mode.Width == 0 || mode.Height == 0 {
            return DXGI_ERROR_INVALID_CALL;
        }
        let Some(target) = self.output() else {
            self.window.resize([mode.Width, mode.Height]);
            return S_OK;
        };
        if chain.Flags & MODE_SWITCH != 0 {
            let format = if mode.Format == DXGI_FORMAT::FORMAT_UNKNOWN { chain.Format } else { mode.Format };
            if !switch(&target, &DXGI_MODE_DESC { Format: format, ..*mode }) {
                return NOT_NOW;
            }
            if let Some(covers) = &mut self.lock().covers {
                covers.switched = true;
            }
        }
        if let Some(desc) = output::desc(&target) {
            self.window.cover_again(&desc.DesktopCoordinates);
        }
        S_OK
    }
}

/// Switches a display to the mode that it has next to the wanted one. Says whether it did, and the log says so where not.
fn switch(target: &Foreign, wanted: &DXGI_MODE_DESC) -> bool {
    let closest = output::closest(target, wanted).zip(output::desc(target));
    let switched = closest.is_some_and(|(mode, desc)| display::switch(&desc, Some(&mode)));
    if !switched {
        let (width, height) = (wanted.Width, wanted.Height);
        reprise_log::warning(format_args!("the display stays in its mode: it cannot be set to {width} by {height}"));
    }
    switched
}

/// Gives a display its own mode back.
fn give_back(target: &Foreign) {
    if !output::desc(target).is_some_and(|desc| display::switch(&desc, None)) {
        reprise_log::warning("a display does not get its own mode back");
    }
}
