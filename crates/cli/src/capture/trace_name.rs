//! Names of traces with parts that are known only when a capture starts: `%n`, `%p`, `%t`.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// What the parts stand for.
pub(crate) struct Parts<'a> {
    /// `%n`: the program's file name.
    pub(crate) program: &'a OsStr,
    /// `%p`: the process id of this `reprise`; the program's own is not known before its trace has a name.
    pub(crate) process: u32,
    /// `%t`: when the capture began, local time, as [`now`] writes it.
    pub(crate) time: String,
}

impl Parts<'_> {
    /// The name that `pattern` stands for; `%%` is a percent sign.
    ///
    /// # Errors
    /// In words, where a part has no meaning.
    pub(crate) fn fill(&self, pattern: &Path) -> Result<PathBuf, String> {
        let mut name = Vec::new();
        let mut bytes = pattern.as_os_str().as_bytes().iter();
        while let Some(byte) = bytes.next() {
            match (byte, if *byte == b'%' { bytes.next() } else { None }) {
                (b'%', Some(b'n')) => name.extend(self.program.as_bytes()),
                (b'%', Some(b'p')) => name.extend(self.process.to_string().bytes()),
                (b'%', Some(b't')) => name.extend(self.time.bytes()),
                (b'%', Some(b'%')) => name.push(b'%'),
                (b'%', other) => {
                    let other = other.map_or(String::new(), |byte| char::from(*byte).to_string());
                    return Err(format!(
                        "{}: %{other} stands for nothing; %n is the program, %p our process id, %t the time, %% a percent sign",
                        pattern.display()
                    ));
                }
                (byte, _) => name.push(*byte),
            }
        }
        Ok(OsString::from_vec(name).into())
    }
}

/// `a/b.reprise` to `a/b-TIME.reprise`.
pub(crate) fn stamped(path: &Path, time: &str) -> PathBuf {
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(format!("-{time}"));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

/// Local time as `20261120-135959`.
pub(crate) fn now() -> String {
    // SAFETY: both calls take and fill structures of their own; zero is valid for every field of `tm`.
    let time = unsafe {
        let seconds = libc::time(std::ptr::null_mut());
        let mut time: libc::tm = std::mem::zeroed();
        libc::localtime_r(&raw const seconds, &raw mut time);
        time
    };
    let (year, month) = (time.tm_year + 1900, time.tm_mon + 1);
    format!("{year:04}{month:02}{:02}-{:02}{:02}{:02}", time.tm_mday, time.tm_hour, time.tm_min, time.tm_sec)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_filled_in() {
        let parts = Parts { program: "game".as_ref(), process: 12, time: "T".into() };
        let fill = |pattern: &str| parts.fill(pattern.as_ref()).map(|path| path.display().to_string());
        assert_eq!(fill("a/%n-%p-%t.reprise").unwrap(), "a/game-12-T.reprise");
        assert_eq!(fill("100%%.reprise").unwrap(), "100%.reprise");
        assert_eq!(fill("plain").unwrap(), "plain");
        assert!(fill("%x").is_err() && fill("%").is_err());
    }

    #[test]
    fn a_time_comes_before_the_extension() {
        assert_eq!(stamped("a/b.reprise".as_ref(), "T"), Path::new("a/b-T.reprise"));
        assert_eq!(stamped("b".as_ref(), "T"), Path::new("b-T"));
        assert_eq!(now().len(), "20261120-135959".len());
    }
}
