//! What a driver says of a fault once the device is lost (`VK_EXT_device_fault`).

use core::ops::RangeInclusive;
use std::ffi::{CStr, c_char};

use ash::vk;

use crate::logical::Logical;

/// What the driver said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// In the driver's words.
    pub description: String,
    /// Addresses that the GPU could not reach, or instructions that it stopped at.
    pub addresses: Vec<Address>,
    /// In the vendor's words: a text, a code and a number that says more.
    pub vendor: Vec<(String, u64, u64)>,
    /// A dump for the vendor's tools; empty where none was asked for or made.
    pub binary: Vec<u8>,
}

/// An address of a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// What happened there.
    pub kind: Kind,
    /// The address that was reported.
    pub reported: u64,
    /// All that it may have been: drivers know it to a page, say.
    pub range: RangeInclusive<u64>,
}

/// What happened at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A read of memory that is not there.
    Read,
    /// A write there.
    Write,
    /// Instructions that are not there.
    Execute,
    /// An instruction that the GPU stopped at.
    Instruction,
    /// The driver does not say.
    Unknown,
}

impl Kind {
    fn of(kind: vk::DeviceFaultAddressTypeEXT) -> Kind {
        use vk::DeviceFaultAddressTypeEXT as Type;
        match kind {
            Type::READ_INVALID => Kind::Read,
            Type::WRITE_INVALID => Kind::Write,
            Type::EXECUTE_INVALID => Kind::Execute,
            Type::INSTRUCTION_POINTER_UNKNOWN | Type::INSTRUCTION_POINTER_INVALID | Type::INSTRUCTION_POINTER_FAULT => {
                Kind::Instruction
            }
            _ => Kind::Unknown,
        }
    }

    /// Whether the address is one of memory that a shader or a fixed unit wanted.
    pub fn is_access(self) -> bool {
        matches!(self, Kind::Read | Kind::Write | Kind::Execute)
    }
}

/// All that an address may have been that is known to a `precision`: a power of two, which a driver that knows better gives as 0 or 1.
pub fn range(address: u64, precision: u64) -> RangeInclusive<u64> {
    let mask = precision.checked_sub(1).filter(|_| precision.is_power_of_two()).unwrap_or(0);
    address & !mask..=address | mask
}

impl Report {
    /// The address that the fault is about: the first access, or what else there is.
    pub fn address(&self) -> Option<&Address> {
        self.addresses.iter().find(|address| address.kind.is_access())
    }
}

/// A text of Vulkan's, which ends at its first zero or with its room.
fn text(room: &[c_char]) -> String {
    let bytes: Vec<u8> = room.iter().map(|unit| *unit as u8).chain([0]).collect();
    CStr::from_bytes_until_nul(&bytes).unwrap_or_default().to_string_lossy().into_owned()
}

/// Asks the driver. `None` where it has nothing to ask, or where the device is not lost to Vulkan: a question then is not allowed.
pub fn read(logical: &Logical) -> Option<Report> {
    let get = logical.ext.device_fault.as_ref()?.fp().get_device_fault_info_ext;
    let mut counts = vk::DeviceFaultCountsEXT::default();
    // SAFETY: the device has the extension and is lost, as the caller knows; the structure lives until the call returns.
    let counted = unsafe { get(logical.vk.handle(), &raw mut counts, core::ptr::null_mut()) };
    if counted != vk::Result::SUCCESS && counted != vk::Result::INCOMPLETE {
        return None;
    }
    let mut addresses = vec![vk::DeviceFaultAddressInfoEXT::default(); counts.address_info_count as usize];
    let mut vendor = vec![vk::DeviceFaultVendorInfoEXT::default(); counts.vendor_info_count as usize];
    if logical.caps.features.fault.device_fault_vendor_binary == 0 {
        counts.vendor_binary_size = 0;
    }
    let mut binary = vec![0; usize::try_from(counts.vendor_binary_size).ok()?];
    let mut info = vk::DeviceFaultInfoEXT {
        p_address_infos: addresses.as_mut_ptr(),
        p_vendor_infos: vendor.as_mut_ptr(),
        p_vendor_binary_data: if binary.is_empty() { core::ptr::null_mut() } else { binary.as_mut_ptr().cast() },
        ..Default::default()
    };
    // SAFETY: the device has the extension and is lost, as the caller knows; the arrays have room for as many elements as the counts say.
    let read = unsafe { get(logical.vk.handle(), &raw mut counts, &raw mut info) };
    // Incomplete: more has happened since the question for the counts. What there was room for is there.
    if read != vk::Result::SUCCESS && read != vk::Result::INCOMPLETE {
        return None;
    }
    addresses.truncate(counts.address_info_count as usize);
    vendor.truncate(counts.vendor_info_count as usize);
    binary.truncate(usize::try_from(counts.vendor_binary_size).unwrap_or(0));
    let address = |info: &vk::DeviceFaultAddressInfoEXT| Address {
        kind: Kind::of(info.address_type),
        reported: info.reported_address,
        range: range(info.reported_address, info.address_precision),
    };
    let said =
        |info: &vk::DeviceFaultVendorInfoEXT| (text(&info.description), info.vendor_fault_code, info.vendor_fault_data);
    Some(Report {
        description: text(&info.description),
        addresses: addresses
            .iter()
            .filter(|info| info.address_type != vk::DeviceFaultAddressTypeEXT::NONE)
            .map(address)
            .collect(),
        vendor: vendor.iter().map(said).collect(),
        binary,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_precision_is_a_power_of_two_and_no_exponent() {
        assert_eq!(range(0x1_2345, 0x1000), 0x1_2000..=0x1_2fff);
        assert_eq!(range(0x1_2345, 1), 0x1_2345..=0x1_2345);
        assert_eq!(range(0x1_2345, 0), 0x1_2345..=0x1_2345);
        // Not what Vulkan allows: nothing better than the address itself is known then.
        assert_eq!(range(0x1_2345, 12), 0x1_2345..=0x1_2345);
        assert_eq!(range(u64::MAX, 1 << 63), 1 << 63..=u64::MAX);
    }

    #[test]
    fn an_access_goes_before_an_instruction() {
        let at = |kind, reported| Address { kind, reported, range: range(reported, 1) };
        let mut report = Report { addresses: vec![at(Kind::Instruction, 1), at(Kind::Write, 2)], ..Report::default() };
        assert_eq!(report.address().unwrap().reported, 2);
        report.addresses.pop();
        assert_eq!(report.address(), None);
        assert_eq!(Kind::of(vk::DeviceFaultAddressTypeEXT::READ_INVALID), Kind::Read);
        assert_eq!(Kind::of(vk::DeviceFaultAddressTypeEXT::NONE), Kind::Unknown);
    }

    #[test]
    fn texts_end_at_their_zero_or_with_their_room() {
        assert_eq!(text(&[65, 66, 0, 67]), "AB");
        assert_eq!(text(&[65, 66]), "AB");
    }

    proptest! {
        #[test]
        fn the_range_is_the_block_that_the_address_lies_in(address: u64, shift in 0u32..64) {
            let range = range(address, 1 << shift);
            prop_assert!(range.contains(&address));
            prop_assert_eq!(range.start() % (1 << shift), 0);
            prop_assert_eq!(range.end() - range.start(), (1u64 << shift) - 1);
        }
    }
}
