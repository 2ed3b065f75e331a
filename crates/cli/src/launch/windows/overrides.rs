//! `WINEDLLOVERRIDES`: which of a program's libraries Wine takes from files, and which it has built in.
//!
//! The text is a list of `NAME,NAME=ORDER` with semicolons between; of two entries for one name the later counts.

/// A file first, then what is built in: where our files are not, everything is as without us.
const ORDER: &str = "n,b";

/// The overrides of a run, with what was set already.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Merged {
    pub(crate) value: String,
    /// Entries for our libraries that do not count in this run, as they were written.
    pub(crate) replaced: Vec<String>,
}

/// Adds `ours` to a list; entries for other libraries stay as they are.
pub(crate) fn merge(existing: &str, ours: &[&str]) -> Merged {
    let mut entries = Vec::new();
    let mut replaced = Vec::new();
    for entry in existing.split(';').map(str::trim).filter(|entry| !entry.is_empty()) {
        // Without `=`, Wine takes nothing from an entry.
        let Some((names, order)) = entry.split_once('=') else {
            entries.push(entry.to_owned());
            continue;
        };
        let (known, others): (Vec<&str>, Vec<&str>) = names.split(',').partition(|name| is_one(name, ours));
        let asks_for_files = order.trim().starts_with('n');
        if !asks_for_files {
            replaced.extend(known.iter().map(|name| format!("{}={order}", name.trim())));
        }
        if !others.is_empty() {
            entries.push(format!("{}={order}", others.join(",")));
        }
    }
    entries.push(format!("{}={ORDER}", ours.join(",")));
    Merged { value: entries.join(";"), replaced }
}

fn is_one(name: &str, ours: &[&str]) -> bool {
    let name = name.trim().trim_start_matches('*').to_ascii_lowercase();
    ours.contains(&name.strip_suffix(".dll").unwrap_or(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OURS: [&str; 3] = ["d3d12", "dxgi", "d3d12core"];

    #[test]
    fn other_libraries_keep_their_order() {
        let ours = "d3d12,dxgi,d3d12core=n,b";
        for (existing, value) in [
            ("", ours.to_owned()),
            (";;", ours.to_owned()),
            ("winmm=n,b", format!("winmm=n,b;{ours}")),
            ("mscoree,mshtml=", format!("mscoree,mshtml=;{ours}")),
            ("dxgi=n;d3d11,dxgi=n,b;*version=b", format!("d3d11=n,b;*version=b;{ours}")),
            ("odd;a=b", format!("odd;a=b;{ours}")),
        ] {
            assert_eq!(merge(existing, &OURS), Merged { value, replaced: vec![] }, "{existing}");
        }
    }

    #[test]
    fn what_does_not_count_is_told() {
        let merged = merge("DXGI.dll=b;*d3d12=;x=n", &OURS);
        assert_eq!(merged.value, "x=n;d3d12,dxgi,d3d12core=n,b");
        assert_eq!(merged.replaced, ["DXGI.dll=b", "*d3d12="]);
        // What is not placed is left alone.
        assert_eq!(merge("dxgi=b", &["d3d12"]).value, "dxgi=b;d3d12=n,b");
        // Once more changes nothing.
        assert_eq!(merge(&merged.value, &OURS), Merged { value: merged.value.clone(), replaced: vec![] });
    }
}
