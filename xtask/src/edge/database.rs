//! What a program of `edge` is built of, by the lock file: a database engine is most of the time that a build takes, so only what asks in SQL
//! has one.

use anyhow::{Context, Result, ensure};
use reprise_testing::artifact;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// The engine, the parser of SQL, and files of columns. Rows of `arrow` are in the Python module, too, as types alone.
const DATABASES: &[&str] = &["datafusion", "sqlparser", "parquet"];
/// Programs that are to have none of these.
const WITHOUT: &[&str] = &["reprise-inspect", "reprise-python"];

/// Fails where a program that asks nothing in SQL depends on a database crate.
pub(super) fn check() -> Result<()> {
    let path = artifact::workspace().join("edge/Cargo.lock");
    let lock = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    for program in WITHOUT {
        let found = databases(&lock, program)?;
        ensure!(found.is_empty(), "{program} depends on {found:?}: only reprise-query is to have a database engine");
    }
    Ok(())
}

/// The database crates that a package needs, however far away.
fn databases(lock: &str, program: &str) -> Result<Vec<&'static str>> {
    let needs = needs(lock);
    ensure!(needs.contains_key(program), "edge/Cargo.lock has no {program}");
    let (mut seen, mut next) = (BTreeSet::new(), vec![program]);
    while let Some(name) = next.pop() {
        if seen.insert(name) {
            next.extend(needs.get(name).into_iter().flatten());
        }
    }
    Ok(DATABASES.iter().copied().filter(|name| seen.contains(name)).collect())
}

/// What each package needs, by name; versions of one package are one.
fn needs(lock: &str) -> BTreeMap<&str, Vec<&str>> {
    let mut needs: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for package in lock.split("[[package]]").skip(1) {
        let name = package.lines().find_map(|line| line.strip_prefix("name = "));
        let Some(name) = name.map(|name| name.trim_matches('"')) else { continue };
        let listed = package.split_once("dependencies = [").map_or("", |(_, rest)| rest);
        let listed = listed.split(']').next().unwrap_or_default().lines();
        // An entry is a name, with its version where there are several.
        let names = listed.filter_map(|line| line.split('"').nth(1)?.split(' ').next());
        needs.entry(name).or_default().extend(names);
    }
    needs
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn only_what_asks_in_sql_has_a_database_engine() {
        check().unwrap();
        let lock = fs::read_to_string(artifact::workspace().join("edge/Cargo.lock")).unwrap();
        assert_eq!(databases(&lock, "reprise-query").unwrap(), DATABASES);
        assert!(databases(&lock, "reprise-none").is_err());
        // One step of a way that leads there.
        let led = lock.replacen(
            "name = \"reprise-inspect\"\nversion = \"0.1.0\"\ndependencies = [\n",
            "name = \"reprise-inspect\"\nversion = \"0.1.0\"\ndependencies = [\n \"datafusion-common\",\n",
            1,
        );
        assert_ne!(led, lock);
        assert!(databases(&led, "reprise-inspect").unwrap().contains(&"sqlparser"));
    }
}
