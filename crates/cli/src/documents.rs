//! The commands that documents show, held against the command line: an option that went, or was never there, is found.

use clap::{CommandFactory, Parser};
use std::path::{Path, PathBuf};

/// Words of a line as a shell has them, up to what is not the command's: a pipe, a redirection, a comment.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for sign in line.chars() {
        match (quote, sign) {
            (Some(open), sign) if sign == open => quote = None,
            (Some(_), sign) => word.get_or_insert_default().push(sign),
            (None, '\'' | '"') => {
                quote = Some(sign);
                word.get_or_insert_default();
            }
            (None, '#') if word.is_none() => break,
            (None, '|' | '>' | ';' | '&') => break,
            (None, ' ') => words.extend(word.take()),
            (None, sign) => word.get_or_insert_default().push(sign),
        }
    }
    words.extend(word);
    words
}

/// Lines of blocks that call the program, with what stands before it cut off.
fn commands(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let (mut inside, mut block) = (false, false);
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            inside = !inside;
            block = inside && !["text", "toml", "rust"].iter().any(|kind| line.contains(kind));
            continue;
        }
        let line = line.trim_start().trim_start_matches("$ ");
        let call = line.split_once("reprise ").filter(|(before, _)| before.is_empty() || before.ends_with(' '));
        // Variables may stand before it, words may not.
        let call = call.filter(|(before, _)| before.split_whitespace().all(|word| word.contains('=')));
        if let (true, Some((_, rest))) = (block, call) {
            found.push(rest.to_owned());
        }
    }
    found
}

fn documents() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = |name: &str| std::fs::read_dir(root.join(name)).unwrap().map(|entry| entry.unwrap().path());
    let all = folder("docs").chain(folder("docs/manual")).chain([root.join("README.md"), root.join("TESTING.md")]);
    // That page is what the program itself prints.
    all.filter(|path| path.extension().is_some_and(|kind| kind == "md") && !path.ends_with("commands.md")).collect()
}

#[test]
fn every_command_that_documents_show_is_one() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for document in documents() {
        let text = std::fs::read_to_string(&document).unwrap();
        for line in commands(&text) {
            let mut words = words(&line);
            // What a reader puts in, and what the page leaves out.
            if words.iter().any(|word| word.contains('…') || word.contains("...") || word.starts_with('$')) {
                continue;
            }
            // Where the line goes on in the next one, options may be missing.
            if words.last().is_some_and(|word| word == "\\") {
                continue;
            }
            count += 1;
            words.insert(0, "reprise".to_owned());
            let error = crate::Arguments::try_parse_from(&words).err();
            let error = error.filter(clap::Error::use_stderr);
            if let Some(error) = error {
                let name = document.file_name().unwrap_or_default().to_string_lossy().into_owned();
                wrong.push(format!("{name}: reprise {line}: {}", error.to_string().lines().next().unwrap_or_default()));
            }
        }
    }
    assert!(count > 50, "{count} commands");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn lines_are_read_as_a_shell_reads_them() {
    assert_eq!(words("query a.reprise 'SELECT 1 > 0' | wc  # so many"), ["query", "a.reprise", "SELECT 1 > 0"]);
    assert_eq!(
        commands("```\n$ A=1 reprise info x\nreprise dump x\nthe reprise way\n```\nreprise gpus\n"),
        ["info x", "dump x"]
    );
    // A block that is left out ends where it ends.
    assert_eq!(commands("```toml\nreprise x\n```\nreprise y\n```\nreprise info z\n```\n"), ["info z"]);
}

#[test]
fn the_command_line_is_sound() {
    crate::Arguments::command().debug_assert();
}
