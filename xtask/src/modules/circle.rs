//! Circles among the modules of each folder.

use super::source::{ModulePath, Tree};
use std::collections::{BTreeMap, BTreeSet};

/// Imports between the modules of one folder, with the files that make each.
type Edges = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

/// Every circle: the paths of its modules in alphabetic order, and a line for each import in it.
pub(crate) fn find(tree: &Tree) -> Vec<(Vec<String>, Vec<String>)> {
    let mut folders: BTreeMap<ModulePath, Edges> = BTreeMap::new();
    for (from, to) in tree.imports() {
        let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
        // One of them lies within the other: one room.
        let (Some(a), Some(b)) = (from.get(shared), to.get(shared)) else { continue };
        let edges = folders.entry(from[..shared].to_vec()).or_default();
        let made = format!("{} -> {}", from.join("::"), to.join("::"));
        edges.entry(a.clone()).or_default().entry(b.clone()).or_default().insert(made);
    }
    folders.iter().flat_map(|(folder, edges)| circles(folder, edges)).collect()
}

fn circles(folder: &[String], edges: &Edges) -> Vec<(Vec<String>, Vec<String>)> {
    let reached: BTreeMap<&String, BTreeSet<&String>> = edges.keys().map(|from| (from, reach(edges, from))).collect();
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for (start, reachable) in &reached {
        if !reachable.contains(*start) || seen.contains(*start) {
            continue;
        }
        // All that `start` reaches and that reaches `start`.
        let members: BTreeSet<&String> =
            reachable.iter().copied().filter(|other| reached.get(other).is_some_and(|r| r.contains(*start))).collect();
        seen.extend(members.iter().copied());
        let path = |name: &String| folder.iter().chain([name]).cloned().collect::<Vec<_>>().join("::");
        let lines = members.iter().flat_map(|from| {
            let targets = edges.get(*from).into_iter().flatten();
            targets.filter(|(to, _)| members.contains(to)).flat_map(|(_, made)| made.iter().cloned())
        });
        found.push((members.iter().map(|name| path(name)).collect(), lines.collect()));
    }
    found
}

/// Everything that imports lead to from a module, itself only where they lead back.
fn reach<'e>(edges: &'e Edges, from: &String) -> BTreeSet<&'e String> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<&String> = edges.get(from).into_iter().flat_map(|to| to.keys()).collect();
    while let Some(next) = open.pop() {
        if reached.insert(next) {
            open.extend(edges.get(next).into_iter().flat_map(|to| to.keys()));
        }
    }
    reached
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::path::Path;

    /// Writes a crate of these files and gives its circles.
    fn circles_of(files: &[(&str, &str)]) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let file = folder.path().join(name);
            std::fs::create_dir_all(file.parent().unwrap_or(Path::new("."))).unwrap();
            std::fs::write(file, text).unwrap();
        }
        find(&Tree::read(folder.path()).unwrap()).into_iter().map(|(modules, _)| modules.join(" ")).collect()
    }

    #[test]
    fn modules_that_import_each_other_are_a_circle() {
        let files =
            [("lib.rs", "mod a; mod b;"), ("a.rs", "use crate::b::B;"), ("b.rs", "pub struct B; use super::a;")];
        assert_eq!(circles_of(&files), ["a b"]);
    }

    #[test]
    fn a_path_in_code_and_in_a_macro_counts() {
        let files = [
            ("lib.rs", ""),
            ("a.rs", "fn f() { crate::b::g() }"),
            ("b.rs", "fn g() { println!(\"{}\", crate::c::H) }"),
            ("c.rs", "const H: u32 = { super::a::f(); 1 };"),
        ];
        assert_eq!(circles_of(&files), ["a b c"]);
    }

    #[test]
    fn a_name_that_is_passed_on_belongs_to_its_definer() {
        // `c` takes `B` from the folder's own file; that is an import of `b`, beside it.
        let folder = "mod b; mod c; pub use b::B;";
        let files = [("lib.rs", ""), ("a/mod.rs", folder), ("a/b.rs", "pub struct B; use super::c::C;")];
        let with = |text| [files[0], files[1], files[2], ("a/c.rs", text)];
        assert_eq!(circles_of(&with("pub struct C; use crate::a::B;")), ["a::b a::c"]);
        assert_eq!(circles_of(&with("pub struct C; use crate::a::D;")), [""; 0]);
    }

    #[test]
    fn a_folder_stands_for_all_below_it() {
        let files = [("lib.rs", ""), ("a/mod.rs", ""), ("a/deep.rs", "use crate::b::B;"), ("b.rs", "use crate::a::A;")];
        assert_eq!(circles_of(&files), ["a b"]);
    }

    #[test]
    fn parents_children_and_tests_make_no_circle() {
        let files = [
            ("lib.rs", "use a::A;"),
            ("a/mod.rs", "mod b; use b::B; pub struct A;"),
            ("a/b.rs", "use super::A; use crate::Root; #[cfg(test)] mod tests { use crate::c::C; }"),
            ("c.rs", "use crate::a::A;"),
        ];
        assert_eq!(circles_of(&files), [""; 0]);
    }
}
