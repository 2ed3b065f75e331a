//! Adapter and driver: of the capture, read from the trace; of the replay, read from its device.

use std::fmt;

use serde_json::Value;

use crate::runtime::Runtime;

/// An adapter and its driver.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Machine {
    /// The adapter's name; empty where it is not known.
    pub adapter: String,
    /// The driver's name and version.
    pub driver: String,
    /// What ran the program of a trace where that was not this system: Wine or Windows, with its version.
    pub host: String,
}

impl Machine {
    /// The machine of the capture, as the trace says.
    pub fn recorded(meta: &Value) -> Self {
        // A trace's text must not drive a terminal.
        let text = |name: &str| {
            let text = meta.get(name).and_then(Value::as_str).unwrap_or_default();
            text.chars().filter(|c| !c.is_control()).take(256).collect()
        };
        Self { adapter: text("adapter"), driver: text("driver"), host: text("host") }
    }

    /// The machine of the device that plays; `None` for runtimes that are not known to tell it.
    #[cfg(target_os = "linux")]
    pub(crate) fn of_device(runtime: &Runtime, device: u64) -> Option<Self> {
        let physical = runtime.symbol("vkd3d_get_vk_physical_device");
        let known = ["vkd3d-proton", "reprise_d3d12"].iter().any(|name| runtime.name.contains(name));
        if physical.is_none() && !known && runtime.name != "ours" {
            return None;
        }
        let device = device as *mut core::ffi::c_void;
        // SAFETY: the runtime's own device, which is alive, and the function that it exports under this name.
        let found = unsafe { reprise_d3d12::adapter::of_device(runtime.convention.abi(), device, physical) }?;
        Some(Self { adapter: found.name, driver: found.driver, host: String::new() })
    }

    /// Elsewhere no runtime tells it.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn of_device(_runtime: &Runtime, _device: u64) -> Option<Self> {
        None
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.adapter.is_empty(), self.driver.is_empty()) {
            (true, _) => f.write_str("an adapter that is not known"),
            (_, true) => f.write_str(&self.adapter),
            _ => write!(f, "{}, driver {}", self.adapter, self.driver),
        }?;
        if self.host.is_empty() { Ok(()) } else { write!(f, ", under {}", self.host) }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_not_said_is_not_known() {
        let full = Machine::recorded(&json!({ "adapter": "A\u{1b}[2J 1", "driver": "D 2" }));
        assert_eq!(full.to_string(), "A[2J 1, driver D 2");
        assert_eq!(Machine::recorded(&json!({ "adapter": "A" })).to_string(), "A");
        let wine = Machine::recorded(&json!({ "adapter": "A", "host": "Wine 8.0" }));
        assert_eq!(wine.to_string(), "A, under Wine 8.0");
        assert_eq!(Machine::recorded(&Value::Null), Machine::default());
        assert_eq!(Machine::default().to_string(), "an adapter that is not known");
    }
}
