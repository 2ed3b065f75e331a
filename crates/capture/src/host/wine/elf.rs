//! The way from a function pointer of Wine's native side to a `syscall` instruction of the C library.
//!
//! Wine's `ntdll.dll` holds addresses in its native half, `ntdll.so`. That half's tables of imported functions lead to the C
//! library, whose code has `syscall; ret`. Layouts are those of ELF-64 (System V ABI, AMD64 supplement). Invariant: everything is read
//! through [`Reader`], so a table that is not as expected ends the search and nothing else.

use super::peek::Reader;

const PAGE: usize = 4096;
/// No library's code is further from its header.
const FAR: usize = 64 << 20;
const ELF_MAGIC: u64 = 0x464c_457f;
const PT_LOAD: u32 = 1;
const PT_DYNAMIC: u32 = 2;
const PF_X: u32 = 1;
const DT_STRTAB: u64 = 5;
const DT_PLTRELSZ: u64 = 2;
const DT_RELA: u64 = 7;
const DT_RELASZ: u64 = 8;
const DT_SONAME: u64 = 14;
const DT_JMPREL: u64 = 23;
const R_X86_64_GLOB_DAT: u64 = 6;
const R_X86_64_JUMP_SLOT: u64 = 7;
/// `syscall; ret`.
const SYSCALL_RET: [u8; 3] = [0x0f, 0x05, 0xc3];

/// A library that is loaded, by its ELF header.
struct Library<'a> {
    reader: &'a Reader,
    base: usize,
    /// Bytes from `base` to the end of its last segment.
    len: usize,
    code: Vec<(usize, usize)>,
    dynamic: Vec<(u64, u64)>,
}

impl<'a> Library<'a> {
    /// The library that an address lies in.
    fn around(reader: &'a Reader, address: usize) -> Option<Self> {
        let mut page = address & !(PAGE - 1);
        let least = address.saturating_sub(FAR);
        while reader.word(page)? & 0xffff_ffff != ELF_MAGIC {
            page = page.checked_sub(PAGE).filter(|page| *page > least)?;
        }
        Self::at(reader, page).filter(|library| (page..page + library.len).contains(&address))
    }

    fn at(reader: &'a Reader, base: usize) -> Option<Self> {
        let headers = base + reader.word(base + 0x20)? as usize;
        let sizes = reader.word(base + 0x36)?;
        let (size, count) = ((sizes & 0xffff) as usize, (sizes >> 16 & 0xffff) as usize);
        if size != 56 || count > 64 {
            return None;
        }
        let mut library = Self { reader, base, len: 0, code: Vec::new(), dynamic: Vec::new() };
        let mut place = None;
        for header in (0..count).map(|index| headers + index * size) {
            let word = reader.word(header)?;
            let (kind, flags) = (word as u32, (word >> 32) as u32);
            let (start, len) = (reader.word(header + 16)? as usize, reader.word(header + 40)? as usize);
            match kind {
                PT_LOAD => {
                    library.len = library.len.max(start.checked_add(len)?);
                    if flags & PF_X != 0 {
                        library.code.push((base + start, len));
                    }
                }
                PT_DYNAMIC => place = Some(base + start),
                _ => {}
            }
        }
        let place = place?;
        for entry in (0..256).map(|index| place + index * 16) {
            match (reader.word(entry)?, reader.word(entry + 8)?) {
                (0, _) => break,
                entry => library.dynamic.push(entry),
            }
        }
        Some(library)
    }

    /// A value of the dynamic section.
    fn value(&self, tag: u64) -> Option<usize> {
        self.dynamic.iter().find(|(found, _)| *found == tag).map(|(_, value)| *value as usize)
    }

    /// An address of the dynamic section: glibc has added the base to it, others have not.
    fn address(&self, tag: u64) -> Option<usize> {
        self.value(tag).map(|value| if value < self.base { self.base + value } else { value })
    }

    /// Whether the library calls itself so.
    fn is_named(&self, name: &[u8]) -> bool {
        let (Some(strings), Some(at)) = (self.address(DT_STRTAB), self.value(DT_SONAME)) else { return false };
        let mut found = [0; 16];
        self.reader.bytes(strings + at, &mut found) && found.starts_with(name)
    }

    /// What the library's slots for imported symbols hold: addresses elsewhere, once they are resolved.
    fn imports(&self) -> Vec<usize> {
        let tables = [(DT_JMPREL, DT_PLTRELSZ), (DT_RELA, DT_RELASZ)];
        let tables = tables.into_iter().filter_map(|(at, size)| Some((self.address(at)?, self.value(size)?)));
        let entries = tables.flat_map(|(at, size)| (at..at + size.min(1 << 20)).step_by(24));
        let slots = entries.filter_map(|entry| {
            let kind = self.reader.word(entry + 8)? & 0xffff_ffff;
            matches!(kind, R_X86_64_GLOB_DAT | R_X86_64_JUMP_SLOT).then(|| self.reader.word(entry))?
        });
        let values = slots.filter_map(|slot| Some(self.reader.word(self.base + slot as usize)? as usize));
        values.filter(|value| *value > PAGE && !(self.base..self.base + self.len).contains(value)).collect()
    }

    /// The address of the first `syscall; ret` in the code.
    fn syscall(&self) -> Option<usize> {
        for &(start, len) in &self.code {
            let mut piece = [0; PAGE];
            let mut at = start;
            while at < start + len {
                let whole = piece.len().min(start + len - at) & !7;
                if whole == 0 || !self.reader.bytes(at, &mut piece[..whole]) {
                    break;
                }
                if let Some(found) = piece[..whole].windows(3).position(|bytes| bytes == SYSCALL_RET) {
                    return Some(at + found);
                }
                // The last word again: an instruction may lie across the boundary.
                at += if whole > 8 { whole - 8 } else { whole };
                if whole < piece.len() {
                    break;
                }
            }
        }
        None
    }
}

/// The address of a `syscall; ret` of the C library, from an address inside Wine's native code.
pub(super) fn find_syscall(native: usize) -> Option<usize> {
    let reader = Reader::open()?;
    let wine = Library::around(&reader, native)?;
    let mut others: Vec<(usize, usize)> = Vec::new();
    for import in wine.imports() {
        if others.iter().any(|(base, len)| (*base..base + len).contains(&import)) {
            continue;
        }
        let Some(library) = Library::around(&reader, import) else { continue };
        if library.is_named(b"libc.so.6\0") {
            return library.syscall();
        }
        others.push((library.base, library.len));
    }
    None
}
