//! What the pages say, held against the repository.

use anyhow::{Context, Result, ensure};
use reprise_testing::artifact;
use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// All pages in Markdown that the book has.
fn pages() -> Result<Vec<PathBuf>> {
    let root = artifact::workspace();
    let mut pages: Vec<PathBuf> =
        ["README.md", "FORMAT.md", "ARCHITECTURE.md", "TESTING.md", "edge/inspect/API.md", "fuzz/README.md"]
            .iter()
            .map(|name| root.join(name))
            .collect();
    for folder in ["docs", "docs/manual"] {
        for entry in fs::read_dir(root.join(folder))? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "md") {
                pages.push(path);
            }
        }
    }
    pages.extend(readmes()?);
    Ok(pages)
}

/// The README of each part of the code that has one.
fn readmes() -> Result<Vec<PathBuf>> {
    let root = artifact::workspace();
    let mut readmes = vec![root.join("programs/README.md")];
    for folder in ["crates", "edge"] {
        for entry in fs::read_dir(root.join(folder))? {
            readmes.push(entry?.path().join("README.md"));
        }
    }
    readmes.retain(|path| path.exists());
    Ok(readmes)
}

/// Each line outside of blocks.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut block = false;
    text.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        block ^= fence;
        !block && !fence
    })
}

/// The name that a heading has in links.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().to_lowercase();
    let kept = kept.chars().filter(|sign| sign.is_alphanumeric() || matches!(sign, ' ' | '-' | '_'));
    kept.map(|sign| if sign == ' ' { '-' } else { sign }).collect()
}

#[test]
fn every_link_leads_somewhere() -> Result<()> {
    let mut broken = Vec::new();
    for page in pages()? {
        let text = fs::read_to_string(&page)?;
        for line in prose(&text) {
            for link in line.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(link, _)| link) {
                if link.contains("://") || link.contains(' ') {
                    continue;
                }
                let (file, place) = link.split_once('#').unwrap_or((link, ""));
                let target = if file.is_empty() { page.clone() } else { page.with_file_name("").join(file) };
                let there = fs::read_to_string(&target).unwrap_or_default();
                let found = place.is_empty()
                    || prose(&there)
                        .filter_map(|line| line.strip_prefix('#'))
                        .any(|title| anchor(title.trim_start_matches('#')) == place);
                if !target.exists() || !found {
                    broken.push(format!("{}: {link}", page.display()));
                }
            }
        }
    }
    ensure!(broken.is_empty(), "{broken:#?}");
    Ok(())
}

#[test]
fn every_page_is_a_chapter() -> Result<()> {
    let root = artifact::workspace();
    let summary = fs::read_to_string(root.join("book/src/SUMMARY.md"))?;
    for page in pages()? {
        let name = page.strip_prefix(root)?.display().to_string();
        ensure!(summary.contains(&format!("({name})")), "book/src/SUMMARY.md lacks {name}");
    }
    Ok(())
}

#[test]
fn every_change_that_the_manual_shows_applies() -> Result<()> {
    let root = artifact::workspace();
    let text = fs::read_to_string(root.join("docs/manual/change.md"))?;
    let changes: Vec<&str> =
        text.split("```diff\n").skip(1).filter_map(|rest| rest.split_once("```")).map(|(diff, _)| diff).collect();
    ensure!(changes.len() == 4, "{} changes", changes.len());
    for change in changes {
        let mut git = Command::new("git");
        git.args(["apply", "--check", "--unidiff-zero", "-"]).current_dir(root);
        let mut child = git.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().context("cannot run git")?;
        child.stdin.take().context("no input")?.write_all(change.as_bytes())?;
        let ended = child.wait_with_output()?;
        ensure!(ended.status.success(), "docs/manual/change.md: {}\n{change}", String::from_utf8_lossy(&ended.stderr));
    }
    Ok(())
}

/// A row of the glossary.
struct Word {
    word: String,
    /// What other tools and APIs call it.
    also: Vec<String>,
    /// What nothing of ours says in its place.
    not: Vec<String>,
}

/// How heads of the tables begin.
const HEADS: [&str; 3] = ["| word ", "| if ", "| there "];

/// The cells of each row of tables with so many columns, in small letters, without the head.
fn rows(glossary: &str, columns: usize) -> impl Iterator<Item = Vec<String>> + '_ {
    let rows =
        glossary.lines().filter(|line| line.starts_with("| ") && !HEADS.iter().any(|head| line.starts_with(head)));
    let cells = rows.map(|line| {
        let inner = line.trim_start_matches('|').trim_end_matches('|');
        inner.split('|').map(|cell| cell.trim().to_lowercase()).collect::<Vec<_>>()
    });
    cells.filter(move |cells| cells.len() == columns)
}

/// The names in a cell, without what is said of them in brackets.
fn names(cell: &str) -> Vec<String> {
    let names = cell.split([',', ';']).map(|name| name.split(" (").next().unwrap_or_default().trim().to_owned());
    names.filter(|name| !name.is_empty()).collect()
}

fn words(glossary: &str) -> Vec<Word> {
    rows(glossary, 4)
        .map(|cells| Word { word: cells[0].clone(), also: names(&cells[1]), not: names(&cells[3]) })
        .collect()
}

/// The manual's chapters and what the commands say of themselves, in small letters.
fn said() -> Result<String> {
    let root = artifact::workspace();
    let mut said = fs::read_to_string(root.join("docs/commands.md"))?;
    for page in pages()? {
        let is_chapter =
            page.parent().is_some_and(|folder| folder.ends_with("manual")) && !page.ends_with(Path::new("glossary.md"));
        if is_chapter || page == root.join("README.md") || page.ends_with("docs/limits.md") {
            said.push_str(&fs::read_to_string(&page)?);
        }
    }
    Ok(said.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" "))
}

#[test]
fn one_word_for_one_thing() -> Result<()> {
    let glossary = fs::read_to_string(artifact::workspace().join("docs/manual/glossary.md"))?;
    let words = words(&glossary);
    ensure!(words.len() >= 40, "{} words", words.len());
    let once: BTreeSet<&String> = words.iter().map(|row| &row.word).collect();
    ensure!(once.len() == words.len(), "a word has two rows");
    let said = said()?;
    for Word { word, not, .. } in &words {
        ensure!(said.contains(word.as_str()), "{word:?} is used nowhere");
        for other in not {
            ensure!(
                !said.contains(other.as_str()),
                "{other:?} is said where {word:?} is the word: …{}…",
                around(&said, other)
            );
        }
    }
    Ok(())
}

#[test]
fn the_glossary_goes_both_ways() -> Result<()> {
    let glossary = fs::read_to_string(artifact::workspace().join("docs/manual/glossary.md"))?;
    let ours = words(&glossary);
    let there: BTreeSet<(String, String)> =
        ours.iter().flat_map(|row| row.also.iter().map(|also| (also.clone(), row.word.clone()))).collect();
    let back: BTreeSet<(String, String)> = rows(&glossary, 2)
        .flat_map(|cells| names(&cells[0]).into_iter().map(move |also| (also, cells[1].clone())))
        .collect();
    let lacking: Vec<_> = there.symmetric_difference(&back).collect();
    ensure!(there.len() >= 50 && lacking.is_empty(), "in one table only: {lacking:?}");
    Ok(())
}

#[test]
fn commands_beside_other_tools_exist() -> Result<()> {
    let glossary = fs::read_to_string(artifact::workspace().join("docs/manual/glossary.md"))?;
    let commands = fs::read_to_string(artifact::workspace().join("docs/commands.md"))?;
    let table: Vec<_> = rows(&glossary, 3).collect();
    ensure!(table.len() >= 20, "{} rows", table.len());
    for cells in table {
        for named in cells[2].split('`').skip(1).step_by(2).filter_map(|code| code.strip_prefix("reprise ")) {
            let (command, option) = named.split_once(' ').unwrap_or((named, ""));
            let said = commands.split(&format!("## reprise {command}\n")).nth(1);
            let said = said.with_context(|| format!("there is no command {command:?}"))?;
            let said = said.split("\n## ").next().unwrap_or_default();
            ensure!(said.contains(&format!("{option} ")), "reprise {command} has no {option}");
        }
    }
    Ok(())
}

/// Phrases of our own where the field has terms, each with what to write: in no page, no text of `reprise inspect`, and no string or comment.
const OWN: [(&str, &str); 11] = [
    ("refused by name", "unsupported, with the call and the reason"),
    ("asked for less", "a fallback"),
    ("answered otherwise", "a different result"),
    ("became no number", "NaN, infinity"),
    ("leaves something else", "whose result differs"),
    ("where nothing lies", "without a resource"),
    ("takes for null", "treats as null"),
    ("is taken for ", "is treated as, counts as, is assumed to be"),
    ("each other in a circle", "circular imports"),
    ("copied in a circle", "copied back and forth"),
    ("dearer", "more expensive"),
];

#[test]
fn the_terms_of_the_field() -> Result<()> {
    let root = artifact::workspace();
    let mut files = pages()?;
    for folder in ["crates", "edge/inspect", "edge/query/src", "edge/python", "edge/farm", "xtask/src", "benches/src"] {
        texts(&root.join(folder), &mut files)?;
    }
    ensure!(files.len() > 1000, "{} files", files.len());
    let mut found = Vec::new();
    for file in &files {
        // This list itself, and the glossary, which names what is not said.
        if file.ends_with("manual/tests.rs") || file.ends_with("glossary.md") {
            continue;
        }
        // Lines are broken anywhere.
        let text = fs::read_to_string(file)?.to_lowercase();
        let marks = |word: &&str| !matches!(*word, "//" | "///" | "//!" | "\\" | "#" | "*");
        let text = text.split_whitespace().filter(marks).collect::<Vec<_>>().join(" ");
        for (own, term) in OWN.iter().filter(|(own, _)| text.contains(own)) {
            found.push(format!("{}: {own:?}: write {term}: …{}…", file.display(), around(&text, own)));
        }
    }
    ensure!(found.is_empty(), "{found:#?}");
    Ok(())
}

/// Files below a folder in which people read words.
fn texts(folder: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && !["node_modules", "dist", "build", "target"].contains(&name.as_str()) {
            texts(&path, found)?;
        } else if path.extension().is_some_and(|kind| ["rs", "ts", "tsx", "py", "md"].iter().any(|one| kind == *one)) {
            found.push(path);
        }
    }
    Ok(())
}

#[test]
fn every_limit_has_a_consequence() -> Result<()> {
    let limits = fs::read_to_string(artifact::workspace().join("docs/limits.md"))?;
    let table: Vec<_> = rows(&limits, 3).collect();
    ensure!(table.len() > 200, "{} limits", table.len());
    let empty = |cells: &&Vec<String>| cells[1].is_empty() || cells[1] == "–" || cells[2].is_empty();
    let lacking: Vec<_> = table.iter().filter(empty).collect();
    ensure!(
        lacking.is_empty(),
        "without a consequence, or without what to do (– where there is nothing): {lacking:#?}"
    );
    Ok(())
}

fn around<'t>(text: &'t str, word: &str) -> &'t str {
    let at = text.find(word).unwrap_or(0);
    let clip = |place: usize| (0..=place).rev().find(|place| text.is_char_boundary(*place)).unwrap_or(0);
    &text[clip(at.saturating_sub(60))..clip((at + 80).min(text.len()))]
}
