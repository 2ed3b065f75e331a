//! Our own Direct3D 12 runtime, linked into this program: `--runtime ours` loads no library.

use reprise_d3d12::abi;
use reprise_d3d12::model::MethodId;
use reprise_replay::{Convention, LinkedRuntime};

/// What `--runtime ours` is.
pub(crate) const OURS: LinkedRuntime = LinkedRuntime { name: "ours", call };

/// Calls a function of the runtime by the name under which its library exports it.
///
/// # Safety
/// The words are valid arguments of the function.
unsafe fn call(convention: Convention, name: &str, method: MethodId, words: &[u64]) -> Option<u64> {
    let native = abi::Convention::SystemV;
    let function = reprise_runtime::export::function(name).filter(|_| convention == Convention::SysV)?;
    // SAFETY: the name leads to a function with the shape of the method; the words are the caller's promise.
    Some(unsafe { abi::call(native, function, None, words, method.get()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The identity of nothing: the function is reached, and answers by itself.
    #[test]
    fn functions_are_called() {
        let mut out = 7u64;
        let iid = [0u8; 16];
        let words = [iid.as_ptr() as u64, &raw mut out as u64];
        let method = reprise_d3d12::function("D3D12GetDebugInterface");
        // SAFETY: an identity and a place, as the function wants them.
        let result = unsafe { call(Convention::SysV, "D3D12GetDebugInterface", method, &words) };
        assert_eq!((result.map(|code| code as u32), out), (Some(0x8000_4002), 0));
        // SAFETY: there is no such function.
        assert_eq!(unsafe { call(Convention::SysV, "D3D12CreateDeviceVKD3D", method, &words) }, None);
    }
}
