//! Arrays that a program gives as a pointer and a number.

/// The program's array; empty without pointer or number.
///
/// # Safety
/// `first` is null or the first of `count`.
pub(super) unsafe fn array<'a, T>(first: *const T, count: u32) -> &'a [T] {
    if first.is_null() || count == 0 {
        return &[];
    }
    // SAFETY: the caller promises: `first` is null or the first of `count`.
    unsafe { core::slice::from_raw_parts(first, count as usize) }
}
