//! What the header of a Windows program says: for which processor it is, and which libraries it asks for.
//!
//! The only place that reads PE files, through the crate `object`. A file is read in pieces: games have programs of hundreds of
//! megabytes.

use object::LittleEndian as LE;
use object::pe::{
    COMIMAGE_FLAGS_32BITPREFERRED, COMIMAGE_FLAGS_32BITREQUIRED, IMAGE_DIRECTORY_ENTRY_COM_DESCRIPTOR, IMAGE_FILE_DLL,
    IMAGE_FILE_MACHINE_AMD64, IMAGE_FILE_MACHINE_ARM64, IMAGE_FILE_MACHINE_I386, ImageCor20Header, ImageNtHeaders32,
    ImageNtHeaders64,
};
use object::read::pe::{ImageNtHeaders, PeFile};
use object::read::{FileKind, ReadCache, ReadRef};
use std::fs::File;
use std::path::Path;

/// For which processor a program is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Machine {
    /// x86-64, or .NET code without a processor, which runs as such.
    Bits64,
    /// x86 of 32 bits.
    Bits32,
    /// ARM64.
    Arm64,
    /// Another, by its number in the header.
    Other(u16),
}

/// A program of Windows, by its header.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Executable {
    pub(crate) machine: Machine,
    /// The libraries that it is linked with, in lower case, also those that are loaded at the first call.
    pub(crate) imports: Vec<String>,
}

impl Executable {
    /// Reads the header of a file; `None` where it is no Windows program (a library is none).
    pub(crate) fn read(path: &Path) -> Option<Executable> {
        let cache = ReadCache::new(File::open(path).ok()?);
        match FileKind::parse(&cache).ok()? {
            FileKind::Pe64 => read::<ImageNtHeaders64, _>(&cache),
            FileKind::Pe32 => read::<ImageNtHeaders32, _>(&cache),
            _ => None,
        }
    }

    /// Whether it is linked with Direct3D 12. Others may load it late, also those that are linked with DXGI.
    pub(crate) fn asks_for_direct3d(&self) -> bool {
        self.imports.iter().any(|name| name == "d3d12.dll")
    }
}

/// Whether a name is that of a Windows program.
pub(crate) fn is_executable_name(name: &str) -> bool {
    name.len() > 4 && name.get(name.len() - 4..).is_some_and(|end| end.eq_ignore_ascii_case(".exe"))
}

fn read<'data, Pe: ImageNtHeaders, R: ReadRef<'data>>(data: R) -> Option<Executable> {
    let file = PeFile::<Pe, R>::parse(data).ok()?;
    let header = file.nt_headers().file_header();
    if header.characteristics.get(LE).contains(IMAGE_FILE_DLL) {
        return None;
    }
    let machine = match header.machine.get(LE) {
        IMAGE_FILE_MACHINE_AMD64 => Machine::Bits64,
        IMAGE_FILE_MACHINE_ARM64 => Machine::Arm64,
        IMAGE_FILE_MACHINE_I386 if needs_no_32_bits(&file) => Machine::Bits64,
        IMAGE_FILE_MACHINE_I386 => Machine::Bits32,
        other => Machine::Other(other.0),
    };
    Some(Executable { machine, imports: imports(&file) })
}

/// Whether this is .NET code that runs with as many bits as the system has.
fn needs_no_32_bits<'data, Pe: ImageNtHeaders, R: ReadRef<'data>>(file: &PeFile<'data, Pe, R>) -> bool {
    let directory = file.data_directory(IMAGE_DIRECTORY_ENTRY_COM_DESCRIPTOR);
    let bytes = directory.and_then(|directory| directory.data(file.data(), &file.section_table()).ok());
    let header = bytes.and_then(|bytes| object::pod::from_bytes::<ImageCor20Header>(bytes).ok());
    header.is_some_and(|(header, _)| {
        let flags = header.flags.get(LE);
        !flags.contains(COMIMAGE_FLAGS_32BITREQUIRED) && !flags.contains(COMIMAGE_FLAGS_32BITPREFERRED)
    })
}

/// A damaged table has no imports: the program will tell itself.
fn imports<'data, Pe: ImageNtHeaders, R: ReadRef<'data>>(file: &PeFile<'data, Pe, R>) -> Vec<String> {
    let mut names = Vec::new();
    let mut push = |name: &[u8]| names.push(String::from_utf8_lossy(name).to_ascii_lowercase());
    if let Ok(Some(table)) = file.import_table()
        && let Ok(mut descriptors) = table.descriptors()
    {
        while let Ok(Some(descriptor)) = descriptors.next() {
            table.name(descriptor.name.get(LE)).into_iter().for_each(&mut push);
        }
    }
    if let Ok(Some(table)) = file.delay_load_import_table()
        && let Ok(mut descriptors) = table.descriptors()
    {
        while let Ok(Some(descriptor)) = descriptors.next() {
            table.name(descriptor.dll_name_rva.get(LE)).into_iter().for_each(&mut push);
        }
    }
    names
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
pub(super) mod tests {
    use super::*;

    /// A header with nothing behind it: the smallest file that is a program for this processor.
    pub(crate) fn header(machine: u16, wide: bool) -> Vec<u8> {
        let mut bytes = vec![0; 0x400];
        bytes[..2].copy_from_slice(b"MZ");
        bytes[0x3c] = 0x80;
        bytes[0x80..0x84].copy_from_slice(b"PE\0\0");
        bytes[0x84..0x86].copy_from_slice(&machine.to_le_bytes());
        // The optional header's size, and that the file is executable.
        let (size, magic): (u16, u16) = if wide { (0xf0, 0x20b) } else { (0xe0, 0x10b) };
        bytes[0x94..0x96].copy_from_slice(&size.to_le_bytes());
        bytes[0x96] = 2;
        bytes[0x98..0x9a].copy_from_slice(&magic.to_le_bytes());
        // Sixteen data directories, all empty.
        let count = 0x98 + usize::from(size) - 16 * 8 - 4;
        bytes[count] = 16;
        bytes
    }

    #[test]
    fn processors_are_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.exe");
        let read = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            Executable::read(&path).map(|executable| executable.machine)
        };
        assert_eq!(read(&header(0x8664, true)), Some(Machine::Bits64));
        assert_eq!(read(&header(0x14c, false)), Some(Machine::Bits32));
        assert_eq!(read(&header(0xaa64, true)), Some(Machine::Arm64));
        assert_eq!(read(&header(0x1c0, false)), Some(Machine::Other(0x1c0)));
        for none in [&b""[..], b"MZ", b"#!/bin/sh\n", b"\x7fELF"] {
            assert_eq!(read(none), None);
        }
        let mut library = header(0x8664, true);
        library[0x97] |= 0x20;
        assert_eq!(read(&library), None);
        for cut in [0x82, 0x90, 0xa0] {
            assert_eq!(read(&header(0x8664, true)[..cut]), None, "{cut}");
        }
        assert_eq!(Executable::read(Path::new("/nowhere.exe")), None);
    }
}
