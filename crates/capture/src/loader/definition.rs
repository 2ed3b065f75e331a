//! A search for definitions in the loaded libraries that does not use the loader's own search, because that one finds our
//! exports.
//!
//! It reads the dynamic tables that the loader has mapped. Invariant: only memory that those tables name is read.

use core::ffi::{CStr, c_int, c_void};
use std::ops::Range;

/// The first definition of a function in the libraries that follow the one which holds `ours`, in the loader's order.
pub(crate) fn after(name: &CStr, ours: *const c_void) -> Option<*const c_void> {
    let mut search = Search { name, ours: ours as usize, passed: false, found: None };
    // SAFETY: the callback takes the search it is given, and does not keep it.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut search).cast()) };
    search.found
}

struct Search<'a> {
    name: &'a CStr,
    ours: usize,
    passed: bool,
    found: Option<*const c_void>,
}

/// # Safety
/// Called by the loader with a library's description and the search of [`after`].
unsafe extern "C" fn visit(info: *mut libc::dl_phdr_info, _size: usize, search: *mut c_void) -> c_int {
    // SAFETY: the loader passes a description that is valid during the call, whose table has `dlpi_phnum` headers, and the search
    // that it was given.
    let (info, search, headers) = unsafe {
        let info = &*info;
        if info.dlpi_phdr.is_null() {
            return 0;
        }
        (info, &mut *search.cast::<Search<'_>>(), core::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()))
    };
    let base = info.dlpi_addr as usize;
    let place = |header: &libc::Elf64_Phdr| -> Range<usize> {
        let start = base + header.p_vaddr as usize;
        start..start + header.p_memsz as usize
    };
    let loaded = headers.iter().filter(|header| header.p_type == libc::PT_LOAD);
    if loaded.map(place).any(|range| range.contains(&search.ours)) {
        search.passed = true;
        return 0;
    }
    if !search.passed {
        return 0;
    }
    let Some(dynamic) = headers.iter().find(|header| header.p_type == libc::PT_DYNAMIC) else { return 0 };
    // SAFETY: a library's dynamic table ends with a null entry and names its own tables.
    search.found = unsafe { defined(base, place(dynamic).start as *const Entry, search.name) };
    c_int::from(search.found.is_some())
}

/// An entry of a dynamic table.
#[repr(C)]
#[derive(Clone, Copy)]
struct Entry {
    tag: i64,
    value: usize,
}

const DT_STRTAB: i64 = 5;
const DT_SYMTAB: i64 = 6;
const DT_GNU_HASH: i64 = 0x6fff_fef5;
/// `STT_FUNC` and `STT_GNU_IFUNC`; of these only the first is a function as it stands.
const FUNCTION: u8 = 2;

/// A definition of the function in one library, by its GNU hash table, which every library of these systems has.
///
/// # Safety
/// `dynamic` is the dynamic table of a library that is loaded at `base`.
unsafe fn defined(base: usize, dynamic: *const Entry, name: &CStr) -> Option<*const c_void> {
    let (mut strings, mut symbols, mut hashes) = (0, 0, 0);
    let mut entry = dynamic;
    // SAFETY: up to and with the null entry, the table is there.
    unsafe {
        while (*entry).tag != 0 {
            // Most loaders relocate these addresses in place.
            let value = (*entry).value;
            let address = if value < base { base + value } else { value };
            match (*entry).tag {
                DT_STRTAB => strings = address,
                DT_SYMTAB => symbols = address,
                DT_GNU_HASH => hashes = address,
                _ => {}
            }
            entry = entry.add(1);
        }
    }
    if strings == 0 || symbols == 0 || hashes == 0 {
        return None;
    }
    let table = hashes as *const u32;
    // SAFETY: the layout of a GNU hash table: four words, a filter of 64-bit words, buckets, and a chain for each.
    unsafe {
        let (buckets, first, filter) = (*table, *table.add(1), *table.add(2));
        if buckets == 0 {
            return None;
        }
        let bucket = table.add(4 + 2 * filter as usize);
        let chain = bucket.add(buckets as usize);
        let wanted = hash(name);
        let mut index = *bucket.add((wanted % buckets) as usize);
        if index < first {
            return None;
        }
        loop {
            let entry = *chain.add((index - first) as usize);
            let symbol = &*(symbols as *const libc::Elf64_Sym).add(index as usize);
            let named = || CStr::from_ptr((strings + symbol.st_name as usize) as *const _) == name;
            if entry | 1 == wanted | 1 && symbol.st_shndx != 0 && symbol.st_info & 15 == FUNCTION && named() {
                return Some((base + symbol.st_value as usize) as *const c_void);
            }
            if entry & 1 != 0 {
                return None;
            }
            index += 1;
        }
    }
}

fn hash(name: &CStr) -> u32 {
    name.to_bytes().iter().fold(5381, |hash: u32, byte| hash.wrapping_mul(33).wrapping_add(u32::from(*byte)))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_same_definitions_as_the_loaders() {
        // Of this program, which is the first in the loader's order.
        let ours = after as *const c_void;
        for name in [c"dlsym", c"dlvsym", c"getpid", c"pthread_create"] {
            let found = after(name, ours).unwrap();
            let mut info = core::mem::MaybeUninit::<libc::Dl_info>::uninit();
            // SAFETY: any address may be asked about; what is read was filled in.
            let told = unsafe {
                assert_ne!(libc::dladdr(found, info.as_mut_ptr()), 0, "{name:?}");
                info.assume_init()
            };
            assert_eq!(told.dli_saddr.cast_const(), found, "{name:?} is where a function begins");
            // SAFETY: the loader's own terminated name.
            let library = unsafe { CStr::from_ptr(told.dli_fname) }.to_string_lossy().into_owned();
            assert!(
                library.contains("libc.so") || library.contains("libpthread") || library.contains("libdl"),
                "{library}"
            );
        }
        assert_eq!(after(c"no_such_function_anywhere", ours), None);
    }
}
