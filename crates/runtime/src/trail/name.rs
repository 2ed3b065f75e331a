//! Names of objects, as programs give them, for structures of C.

use reprise_com::PrivateData;
use reprise_com::guid::{DEBUG_OBJECT_NAME, DEBUG_OBJECT_NAME_W};
use reprise_com::result::S_OK;
use reprise_com::wide::{Text, decode};

/// A name in both encodings, each with a zero at its end; empty where there is none. One that was given in one encoding is there in both,
/// since programs ask for either.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Name {
    ansi: Vec<u8>,
    wide: Text,
}

impl Name {
    /// The name of an object.
    pub fn of(private: &PrivateData) -> Name {
        let wide = decode(&bytes(private, &DEBUG_OBJECT_NAME_W)).into_iter().take_while(|unit| *unit != 0).collect();
        let ansi: Vec<u8> = bytes(private, &DEBUG_OBJECT_NAME).into_iter().take_while(|unit| *unit != 0).collect();
        Name::new(ansi, wide)
    }

    /// A name of what was given of it, without zeroes.
    fn new(mut ansi: Vec<u8>, mut wide: Vec<u16>) -> Name {
        if ansi.is_empty() {
            ansi = String::from_utf16_lossy(&wide).into_bytes();
        } else if wide.is_empty() {
            wide = String::from_utf8_lossy(&ansi).encode_utf16().collect();
        }
        if !ansi.is_empty() {
            ansi.push(0);
        }
        Name { ansi, wide: Text::new(&wide) }
    }

    /// For messages.
    pub fn text(&self) -> Option<String> {
        (!self.ansi.is_empty()).then(|| self.wide.text())
    }

    /// The pointers of a structure: null where there is no name. They hold while the name does.
    pub(super) fn pointers(&self) -> (*const i8, *const u16) {
        match self.ansi.is_empty() {
            true => (core::ptr::null(), core::ptr::null()),
            false => (self.ansi.as_ptr().cast(), self.wide.as_ptr()),
        }
    }
}

/// What is attached under a name; nothing where there is nothing.
fn bytes(private: &PrivateData, id: &reprise_d3d12::model::Guid) -> Vec<u8> {
    let mut size = 0;
    // SAFETY: no buffer is passed; the size is asked for.
    let found = unsafe { private.get(id, Some(&mut size), core::ptr::null_mut()) };
    let mut bytes = vec![0; size as usize];
    // SAFETY: the buffer holds `size` bytes.
    let read = found == S_OK && unsafe { private.get(id, Some(&mut size), bytes.as_mut_ptr()) } == S_OK;
    if !read {
        return Vec::new();
    }
    bytes.truncate(size as usize);
    bytes
}

#[cfg(test)]
mod tests {
    use super::Name;

    #[test]
    fn a_name_in_one_encoding_is_there_in_both() {
        let wide: Vec<u16> = "näme".encode_utf16().collect();
        let both = Name::new(Vec::new(), wide.clone());
        assert_eq!(both, Name::new("näme".into(), Vec::new()));
        assert_eq!(both.text().as_deref(), Some("näme"));
        assert_eq!(Name::new("a".into(), wide).text().as_deref(), Some("näme"), "each as it was given");
        let (ansi, wide) = Name::default().pointers();
        assert!(ansi.is_null() && wide.is_null() && Name::default().text().is_none());
    }
}
