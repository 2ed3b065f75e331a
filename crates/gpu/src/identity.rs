//! Which Vulkan device an adapter of DXGI is. Pure.
//!
//! DXVK's adapters have Vulkan's LUIDs. Wine's own have others, and PCI ids from a table that may be wrong; their descriptions still
//! name the device or its vendor.

/// A number that names an adapter on this machine: a locally unique identifier, as two words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Luid {
    /// The low word.
    pub low: u32,
    /// The high word.
    pub high: i32,
}

/// What Vulkan says about a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Its LUID, or one made from its UUID.
    pub luid: Luid,
    /// Its UUID.
    pub uuid: [u8; 16],
    /// The PCI id of its vendor.
    pub vendor: u32,
    /// Its own PCI id.
    pub device: u32,
    /// Its name.
    pub name: String,
}

/// What an adapter of DXGI says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Described {
    /// Its LUID.
    pub luid: Luid,
    /// The UUID of its Vulkan device, where it has one: DXVK's do.
    pub uuid: Option<[u8; 16]>,
    /// The PCI id of its vendor; 0 is none.
    pub vendor: u32,
    /// Its own PCI id.
    pub device: u32,
    /// Its description.
    pub name: String,
}

/// Why a device is assumed to be an adapter, the surest reason first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// Both have one UUID.
    Uuid,
    /// Both have one LUID.
    Luid,
    /// Both have the same PCI ids; of several such devices the first is taken.
    Ids,
    /// One's name is in the other's; of several such devices the first is taken.
    Name,
    /// No other device is of this vendor.
    Vendor,
    /// There is no other device.
    Only,
}

impl Reason {
    /// In words, where the choice could be another.
    pub fn guess(self) -> Option<&'static str> {
        match self {
            Reason::Uuid | Reason::Luid => None,
            Reason::Ids => Some("by its PCI ids"),
            Reason::Name => Some("by its name"),
            Reason::Vendor => Some("as the only one of its vendor"),
            Reason::Only => Some("as the only one"),
        }
    }
}

/// The device that an adapter is, by its place in the list.
pub fn find(adapter: &Described, devices: &[Identity]) -> Option<(usize, Reason)> {
    let first = |is: &dyn Fn(&Identity) -> bool| devices.iter().position(is);
    let only = |is: &dyn Fn(&Identity) -> bool| first(is).filter(|&at| !devices[at + 1..].iter().any(is));
    let name = adapter.name.to_lowercase();
    let is_named = |device: &Identity| {
        let own = device.name.to_lowercase();
        !name.is_empty() && !own.is_empty() && (own.contains(&name) || name.contains(&own))
    };
    let is_of_vendor = |device: &Identity| adapter.vendor != 0 && device.vendor == adapter.vendor;
    let rules = [
        (Reason::Uuid, first(&|device| adapter.uuid == Some(device.uuid))),
        (Reason::Luid, first(&|device| device.luid == adapter.luid)),
        (Reason::Ids, first(&|device| is_of_vendor(device) && device.device == adapter.device)),
        (Reason::Name, first(&is_named)),
        (Reason::Vendor, only(&is_of_vendor)),
        (Reason::Only, only(&|_| true)),
    ];
    rules.into_iter().find_map(|(reason, found)| Some((found?, reason)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(low: u32, vendor: u32, device: u32, name: &str) -> Identity {
        Identity { luid: Luid { low, high: 0 }, uuid: [low as u8; 16], vendor, device, name: name.into() }
    }

    fn adapter(low: u32, vendor: u32, device: u32, name: &str) -> Described {
        Described { luid: Luid { low, high: 0 }, uuid: None, vendor, device, name: name.into() }
    }

    #[test]
    fn the_surest_reason_counts() {
        let devices = [
            device(1, 0x10de, 0x2330, "NVIDIA H100"),
            device(2, 0x10de, 0x2335, "NVIDIA H200"),
            device(3, 0x10005, 0, "llvmpipe (LLVM 19.1.7, 256 bits)"),
        ];
        let found = |adapter: &Described| find(adapter, &devices);
        assert_eq!(found(&adapter(2, 0x10de, 0x2330, "NVIDIA H100")), Some((1, Reason::Luid)));
        let by_uuid = Described { uuid: Some([3; 16]), ..adapter(2, 0x10de, 0x2330, "NVIDIA H100") };
        assert_eq!(found(&by_uuid), Some((2, Reason::Uuid)));
        assert_eq!(found(&adapter(9, 0x10de, 0x2335, "NVIDIA GeForce GTX 470")), Some((1, Reason::Ids)));
        assert_eq!(found(&adapter(9, 0x10de, 7, "nvidia h200")), Some((1, Reason::Name)));
        assert_eq!(found(&adapter(9, 0x10de, 7, "NVIDIA GeForce GTX 470")), None, "two devices are of this vendor");
        assert_eq!(found(&adapter(9, 0x10005, 7, "Software")), Some((2, Reason::Vendor)));
        assert_eq!(found(&adapter(9, 0, 0, "")), None);
    }

    #[test]
    fn a_lone_device_is_every_adapter() {
        let devices = [device(3, 0x10005, 0, "llvmpipe")];
        assert_eq!(find(&adapter(9, 0x10de, 7, "NVIDIA GeForce GTX 470"), &devices), Some((0, Reason::Only)));
        assert_eq!(find(&adapter(9, 0x10de, 7, "NVIDIA GeForce GTX 470"), &[]), None);
    }
}
