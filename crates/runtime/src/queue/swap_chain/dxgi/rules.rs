//! What DXGI allows in descriptions, flags and sizes of swap chains. Pure.

use reprise_com::result::{DXGI_ERROR_INVALID_CALL, DXGI_ERROR_UNSUPPORTED, E_INVALIDARG};
use reprise_d3d12::types::{
    DXGI_ALPHA_MODE, DXGI_FORMAT, DXGI_PRESENT_PARAMETERS, DXGI_SCALING, DXGI_SWAP_CHAIN_DESC1, DXGI_SWAP_EFFECT,
};

use crate::queue::swap_chain::chain::Request;

/// `DXGI_SWAP_CHAIN_FLAG_ALLOW_MODE_SWITCH`.
pub(super) const MODE_SWITCH: u32 = 0x2;
/// `DXGI_SWAP_CHAIN_FLAG_GDI_COMPATIBLE`, which chains of the flip model are not.
const GDI: u32 = 0x4;
/// `DXGI_SWAP_CHAIN_FLAG_FOREGROUND_LAYER`, which only windows of the store's programs have.
const FOREGROUND: u32 = 0x80;
/// `DXGI_SWAP_CHAIN_FLAG_FRAME_LATENCY_WAITABLE_OBJECT`.
const WAITABLE: u32 = 0x40;
/// `DXGI_SWAP_CHAIN_FLAG_ALLOW_TEARING`.
const TEARING: u32 = 0x800;
/// Flags that a chain keeps for its life.
const LASTING: u32 = WAITABLE | TEARING;
/// All flags of chains.
const FLAGS: u32 = 0xfff;
/// `DXGI_MAX_SWAP_CHAIN_BUFFERS`.
const BUFFERS: core::ops::RangeInclusive<u32> = 2..=16;
/// Screens that a frame may stay at most.
const INTERVALS: u32 = 4;

/// What flags of a present mean.
pub(super) mod present {
    /// `DXGI_PRESENT_TEST`.
    pub(crate) const TEST: u32 = 0x1;
    /// `DXGI_PRESENT_DO_NOT_SEQUENCE`.
    pub(crate) const AGAIN: u32 = 0x2;
    /// `DXGI_PRESENT_RESTART`: what waits may be dropped; the presenter never lets frames wait that it could drop.
    pub(crate) const RESTART: u32 = 0x4;
    /// `DXGI_PRESENT_DO_NOT_WAIT`.
    pub(crate) const AT_ONCE: u32 = 0x8;
    /// `DXGI_PRESENT_RESTRICT_TO_OUTPUT`.
    pub(crate) const RESTRICT: u32 = 0x40;
    /// `DXGI_PRESENT_ALLOW_TEARING`.
    pub(crate) const TEARING: u32 = 0x200;
}

/// Whether the flip model has buffers of a format.
fn shows(format: DXGI_FORMAT) -> bool {
    [
        DXGI_FORMAT::FORMAT_R16G16B16A16_FLOAT,
        DXGI_FORMAT::FORMAT_R10G10B10A2_UNORM,
        DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM,
        DXGI_FORMAT::FORMAT_B8G8R8A8_UNORM,
    ]
    .contains(&format)
}

/// Whether there can be such a chain on a window of a queue of Direct3D 12.
///
/// # Errors
/// The code that the program gets.
pub(super) fn description(desc: &DXGI_SWAP_CHAIN_DESC1) -> Result<(), i32> {
    if desc.Stereo != 0 {
        return Err(DXGI_ERROR_UNSUPPORTED);
    }
    let flips = [DXGI_SWAP_EFFECT::FLIP_SEQUENTIAL, DXGI_SWAP_EFFECT::FLIP_DISCARD].contains(&desc.SwapEffect);
    let scales = [DXGI_SCALING::STRETCH, DXGI_SCALING::NONE].contains(&desc.Scaling);
    // A window is opaque; other modes are for chains that another program composes.
    let opaque = [DXGI_ALPHA_MODE::UNSPECIFIED, DXGI_ALPHA_MODE::IGNORE].contains(&desc.AlphaMode);
    let counts = BUFFERS.contains(&desc.BufferCount) && desc.SampleDesc.Count == 1 && desc.SampleDesc.Quality == 0;
    let flags = desc.Flags & !FLAGS == 0 && desc.Flags & (GDI | FOREGROUND) == 0;
    let right = flips && scales && opaque && counts && flags && shows(desc.Format);
    right.then_some(()).ok_or(DXGI_ERROR_INVALID_CALL)
}

/// What `ResizeBuffers` asks for; zeros keep what there is, or take the window's size.
#[derive(Clone, Copy, Debug)]
pub(super) struct Resize {
    pub(super) count: u32,
    pub(super) size: [u32; 2],
    pub(super) format: DXGI_FORMAT,
    pub(super) flags: u32,
}

/// The description of a chain after `ResizeBuffers`; `window` is the inner size of the window, in pixels.
///
/// # Errors
/// The code that the program gets.
pub(super) fn resized(
    old: &DXGI_SWAP_CHAIN_DESC1,
    resize: Resize,
    window: [u32; 2],
) -> Result<DXGI_SWAP_CHAIN_DESC1, i32> {
    if (resize.flags ^ old.Flags) & LASTING != 0 {
        return Err(DXGI_ERROR_INVALID_CALL);
    }
    let or = |value: u32, otherwise: u32| if value == 0 { otherwise } else { value };
    let format = if resize.format == DXGI_FORMAT::FORMAT_UNKNOWN { old.Format } else { resize.format };
    let new = DXGI_SWAP_CHAIN_DESC1 {
        BufferCount: or(resize.count, old.BufferCount),
        Width: or(resize.size[0], window[0]),
        Height: or(resize.size[1], window[1]),
        Format: format,
        Flags: resize.flags,
        ..*old
    };
    description(&new).map(|()| new)
}

/// What a present asks for. `flags` are those of the chain, `windowed` whether it is not full screen.
///
/// # Errors
/// The code that the program gets.
pub(super) fn request(interval: u32, wanted: u32, flags: u32, windowed: bool) -> Result<Request, i32> {
    use present::*;
    let known = TEST | AGAIN | RESTART | AT_ONCE | RESTRICT | TEARING;
    let tears = wanted & TEARING != 0;
    let may_tear = interval == 0 && flags & self::TEARING != 0 && windowed;
    if interval > INTERVALS || wanted & !known != 0 || tears && !may_tear {
        return Err(DXGI_ERROR_INVALID_CALL);
    }
    Ok(Request { interval, test: wanted & TEST != 0, again: wanted & AGAIN != 0, at_once: wanted & AT_ONCE != 0 })
}

/// Whether what `Present1` is told of changed parts holds. The parts themselves change nothing: whole frames are shown.
///
/// # Errors
/// The code that the program gets.
pub(super) fn changes(parameters: &DXGI_PRESENT_PARAMETERS) -> Result<(), i32> {
    let rectangles = parameters.DirtyRectsCount == 0 || !parameters.pDirtyRects.is_null();
    let scroll = parameters.pScrollRect.is_null() == parameters.pScrollOffset.is_null();
    (rectangles && scroll).then_some(()).ok_or(E_INVALIDARG)
}

/// Refreshes of a screen until an instant. Both instants are in ticks of the performance counter, of which `frequency` are in a
/// second; the rate is in refreshes per second.
pub(super) fn refreshes(start: u64, at: u64, frequency: u64, rate: u32) -> u32 {
    let elapsed = u128::from(at.saturating_sub(start)) * u128::from(rate);
    (elapsed / u128::from(frequency.max(1))) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use reprise_d3d12::types::DXGI_SAMPLE_DESC;

    fn right() -> DXGI_SWAP_CHAIN_DESC1 {
        DXGI_SWAP_CHAIN_DESC1 {
            Width: 64,
            Height: 48,
            Format: DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM,
            SampleDesc: DXGI_SAMPLE_DESC { Count: 1, Quality: 0 },
            BufferUsage: 0x20,
            BufferCount: 2,
            SwapEffect: DXGI_SWAP_EFFECT::FLIP_DISCARD,
            Flags: WAITABLE,
            ..Default::default()
        }
    }

    #[test]
    fn only_chains_of_the_flip_model_are_made() {
        assert_eq!(description(&right()), Ok(()));
        let wrong = |change: fn(&mut DXGI_SWAP_CHAIN_DESC1)| {
            let mut desc = right();
            change(&mut desc);
            description(&desc)
        };
        let all: [fn(&mut DXGI_SWAP_CHAIN_DESC1); 10] = [
            |desc| desc.SwapEffect = DXGI_SWAP_EFFECT::DISCARD,
            |desc| desc.SwapEffect = DXGI_SWAP_EFFECT::SEQUENTIAL,
            |desc| desc.BufferCount = 1,
            |desc| desc.BufferCount = 17,
            |desc| desc.SampleDesc.Count = 4,
            |desc| desc.Format = DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM_SRGB,
            |desc| desc.Scaling = DXGI_SCALING::ASPECT_RATIO_STRETCH,
            |desc| desc.AlphaMode = DXGI_ALPHA_MODE::PREMULTIPLIED,
            |desc| desc.Flags = GDI,
            |desc| desc.Flags = 0x8000_0000,
        ];
        for (number, change) in all.into_iter().enumerate() {
            assert_eq!(wrong(change), Err(DXGI_ERROR_INVALID_CALL), "{number}");
        }
        assert_eq!(wrong(|desc| desc.Stereo = 1), Err(DXGI_ERROR_UNSUPPORTED));
    }

    #[test]
    fn zeros_keep_what_there_is() {
        let none = Resize { count: 0, size: [0; 2], format: DXGI_FORMAT::FORMAT_UNKNOWN, flags: WAITABLE };
        let same = resized(&right(), none, [70, 50]).expect("nothing is wrong");
        let what = |desc: &DXGI_SWAP_CHAIN_DESC1| (desc.BufferCount, desc.Width, desc.Height, desc.Format);
        assert_eq!(what(&same), (2, 70, 50, right().Format));
        let other = DXGI_FORMAT::FORMAT_B8G8R8A8_UNORM;
        let all = Resize { count: 3, size: [7, 5], format: other, flags: WAITABLE | MODE_SWITCH };
        let new = resized(&right(), all, [70, 50]).expect("nothing is wrong");
        assert_eq!((what(&new), new.Flags), ((3, 7, 5, other), WAITABLE | MODE_SWITCH));
        for wrong in [
            Resize { flags: 0, ..none },
            Resize { flags: WAITABLE | TEARING, ..none },
            Resize { count: 1, ..none },
            Resize { count: 17, ..none },
            Resize { format: DXGI_FORMAT::FORMAT_D32_FLOAT, ..none },
        ] {
            assert!(resized(&right(), wrong, [70, 50]).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn flags_of_presents_are_checked() {
        let plain = request(1, 0, 0, true).expect("nothing is wrong");
        assert_eq!((plain.interval, plain.test, plain.again, plain.at_once), (1, false, false, false));
        let all = request(4, present::TEST | present::AGAIN | present::AT_ONCE, 0, false).expect("nothing is wrong");
        assert!(all.test && all.again && all.at_once);
        assert!(request(0, present::TEARING, TEARING, true).is_ok());
        for (interval, wanted, flags, windowed) in [
            (5, 0, 0, true),
            (0, 0x8000, 0, true),
            (0, 0x10, 0, true),
            (1, present::TEARING, TEARING, true),
            (0, present::TEARING, 0, true),
            (0, present::TEARING, TEARING, false),
        ] {
            let found = request(interval, wanted, flags, windowed);
            assert_eq!(found.err(), Some(DXGI_ERROR_INVALID_CALL), "{interval} {wanted:#x} {flags:#x}");
        }
    }

    #[test]
    fn changed_parts_are_checked() {
        let null = core::ptr::null_mut();
        let none = DXGI_PRESENT_PARAMETERS {
            DirtyRectsCount: 0,
            pDirtyRects: null,
            pScrollRect: null.cast(),
            pScrollOffset: null.cast(),
        };
        assert_eq!(changes(&none), Ok(()));
        assert!(changes(&DXGI_PRESENT_PARAMETERS { DirtyRectsCount: 1, ..none }).is_err());
        let mut rect = Default::default();
        assert!(changes(&DXGI_PRESENT_PARAMETERS { pScrollRect: &raw mut rect, ..none }).is_err());
    }

    #[test]
    fn refreshes_follow_the_clock() {
        assert_eq!(refreshes(1_000, 1_000, 10_000_000, 60), 0);
        assert_eq!(refreshes(0, 10_000_000, 10_000_000, 60), 60);
        assert_eq!(refreshes(5, 1, 0, 60), 0);
        assert_eq!(refreshes(0, u64::MAX, 1, 1), u32::MAX);
    }
}
