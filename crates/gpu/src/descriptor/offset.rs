//! Offset entries: how shaders find the exact bytes of a buffer view.
//!
//! Vulkan wants buffer descriptors to begin at multiples of a device alignment; views of the API begin at any element. So
//! descriptors begin earlier, and each has an entry of 16 bytes that translated shaders add and check against:
//! byte offset and byte count for raw access, element offset and element count for typed access.
//!
//! Invariant: offset + count of an entry never leaves what the Vulkan descriptor covers, so a check against the entry is as
//! good as the device's own.

/// An entry. In shaders two `uvec2`: raw first, then typed.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// Bytes from the raw descriptor's beginning to the view's.
    pub byte_offset: u32,
    /// Bytes of the view.
    pub byte_count: u32,
    /// Elements from the texel buffer's beginning to the view's.
    pub element_offset: u32,
    /// Elements of the view.
    pub element_count: u32,
}

/// Bytes of an entry.
pub const ENTRY: u64 = 16;
/// Bytes of a counter's address.
pub const COUNTER: u64 = 8;

/// A range of a Vulkan buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// Bytes from the buffer's beginning.
    pub offset: u64,
    /// Bytes.
    pub size: u64,
}

/// Whole elements of `bytes` bytes, not zero, in `size` bytes. Few elements are no power of two, and to divide is slow.
#[inline(always)]
pub fn elements(size: u64, bytes: u64) -> u64 {
    if bytes.is_power_of_two() { size >> bytes.trailing_zeros() } else { size / bytes }
}

/// The raw window of the view `[start, start + size)`, aligned to `alignment` (a power of two) and at most `limit` bytes,
/// and offset and count in it.
#[inline]
pub fn raw(start: u64, size: u64, alignment: u64, limit: u64) -> (Window, u32, u32) {
    let offset = start & !(alignment - 1);
    let lead = start - offset;
    let size = size.min(limit.saturating_sub(lead)).min(u64::from(u32::MAX) - lead);
    (Window { offset, size: lead + size }, lead as u32, size as u32)
}

/// Elements: a multiple of so many begins at a place that every device can address.
const ALIGNED: u64 = 256;

/// The texel window of a view: `count` elements of `bytes` bytes from `first` on, in a resource of `size` bytes. The
/// windows of a resource begin at multiples of half of `limit` elements, so all views of a resource and format share few
/// texel buffers, one in most cases. The window's offset counts from the resource's beginning.
#[inline]
pub fn typed(first: u64, count: u64, bytes: u64, size: u64, limit: u64) -> (Window, u32, u32) {
    let whole = elements(size, bytes);
    let first = first.min(whole);
    let count = count.min(whole - first);
    let step = (limit / 2).max(1);
    let begin = match first % step + count {
        _ if whole <= limit => 0,
        covered if covered <= limit => first / step * step,
        // Views that do not fit have a window of their own, at a place that any device can address. Devices have more elements
        // than their limit says; what they do not have reads as zero.
        _ => first / ALIGNED * ALIGNED,
    };
    let end = whole.min((begin + limit).max(first + count));
    (Window { offset: begin * bytes, size: (end - begin) * bytes }, (first - begin) as u32, count as u32)
}

/// The texel window of a view that shares it with none: it begins with the view, or a few elements before it at a multiple of
/// `unit` bytes (a power of two), as the resource does.
#[inline]
pub fn typed_alone(first: u64, count: u64, bytes: u64, size: u64, unit: u64) -> (Window, u32, u32) {
    let whole = elements(size, bytes);
    let first = first.min(whole);
    let count = count.min(whole - first);
    // After so many elements, a power of two, the next one is at a multiple again.
    let step = (unit / (bytes & bytes.wrapping_neg())).max(1);
    let begin = first & !(step - 1);
    let lead = first - begin;
    (Window { offset: begin * bytes, size: (lead + count) * bytes }, lead as u32, count as u32)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn raw_entries_name_the_views_bytes(start in 0u64..1 << 40, size in 0u64..1 << 34, log2 in 1u32..9, limit in 1u64 << 27..1 << 32) {
            let alignment = 1u64 << log2;
            let (window, offset, count) = raw(start, size, alignment, limit);
            prop_assert_eq!(window.offset % alignment, 0);
            prop_assert_eq!(window.offset + u64::from(offset), start, "the first byte is the view's");
            prop_assert_eq!(u64::from(offset) + u64::from(count), window.size);
            prop_assert!(window.size <= limit);
            // Short of the device's limit the view is whole.
            prop_assert!(u64::from(count) == size || window.size == limit || window.size == u64::from(u32::MAX));
        }

        #[test]
        fn windows_of_their_own_begin_with_their_views(first in 0u64..5000, count in 0u64..5000, bytes in 1u64..=16, size in 0u64..40_000, log2 in 0u32..9) {
            let unit = 1u64 << log2;
            let (window, offset, len) = typed_alone(first, count, bytes, size, unit);
            prop_assert_eq!(u64::from(len), (size / bytes).saturating_sub(first).min(count), "all of the view that is in the resource");
            prop_assert_eq!(window.offset % unit, 0);
            prop_assert_eq!(window.offset + u64::from(offset) * bytes, first.min(size / bytes) * bytes);
            prop_assert_eq!(window.size, (u64::from(offset) + u64::from(len)) * bytes);
            prop_assert!(u64::from(offset) < unit, "no more before it than the device asks for");
            prop_assert!(window.offset + window.size <= size);
        }

        #[test]
        fn typed_entries_name_the_views_elements(first in 0u64..5000, count in 0u64..5000, bytes in 1u64..=16, size in 0u64..40_000, limit in 4u64..3000) {
            let (window, offset, len) = typed(first, count, bytes, size, limit);
            prop_assert!(window.offset + window.size <= size);
            let inside = (size / bytes).saturating_sub(first).min(count);
            prop_assert!(window.size / bytes <= limit.max(inside + ALIGNED));
            prop_assert_eq!(window.size % bytes, 0);
            prop_assert!(window.offset / bytes % (limit / 2).max(1) == 0 || window.offset / bytes % ALIGNED == 0);
            prop_assert!((u64::from(offset) + u64::from(len)) * bytes <= window.size);
            // The model: the byte of each element that a shader can reach.
            for element in [0, u64::from(len).saturating_sub(1)] {
                if element < u64::from(len) {
                    let byte = window.offset + (u64::from(offset) + element) * bytes;
                    prop_assert_eq!(byte, (first + element) * bytes);
                }
            }
            prop_assert_eq!(u64::from(len), inside, "all of the view that is in the resource");
        }
    }
}
