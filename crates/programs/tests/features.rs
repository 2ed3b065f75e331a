//! `docs/features.md` names every option of the model, no other, and proofs that there are.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::path::Path;

use reprise_d3d12::{MODEL, feature};

/// The cells of each row.
fn rows(text: &str) -> Vec<Vec<&str>> {
    let rows = text.lines().filter(|line| line.starts_with("| `"));
    rows.map(|line| line.trim_matches('|').split(" | ").map(str::trim).collect()).collect()
}

#[test]
fn the_table_of_features_is_whole_and_its_proofs_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = std::fs::read_to_string(root.join("docs/features.md")).unwrap();
    let expected = std::fs::read_to_string(root.join("crates/programs/expected.txt")).unwrap();
    let programs: BTreeSet<&str> = expected.lines().filter_map(|line| line.split(' ').next()).collect();
    let rows = rows(&text);
    let named: BTreeSet<String> = rows.iter().map(|row| row[0].replace('`', "")).collect();

    assert_eq!(named.len(), rows.len(), "an option has two rows");

    // What is asked without a question, and every member of its answer.
    let mut options = BTreeSet::new();
    // The one that is asked with a list of what it may answer.
    options.insert("FEATURE_LEVELS.MaxSupportedFeatureLevel".to_owned());
    // Questions that `reprise features` puts one by one.
    let questions = ["FEATURE_LEVELS.MaxSupportedFeatureLevel", "SHADER_MODEL.HighestShaderModel"];
    let mut asked: BTreeSet<String> = questions.map(String::from).into();
    feature::answers(
        |_| true,
        |_, _, _| true,
        |number, _, _| {
            let feature = MODEL.enums.iter().find(|own| own.name == "D3D12_FEATURE").unwrap();
            let (name, _) = feature.members.iter().find(|member| member.1 == i64::from(number)).unwrap();
            // What every library refuses has no row.
            for field in feature::structure(number).unwrap().fields {
                let name = format!("{}.{}", name.trim_start_matches("D3D12_FEATURE_"), field.name);
                let refused =
                    ["PREDICATION", "HARDWARE_COPY", "SHADER_CACHE_ABI"].iter().any(|it| name.starts_with(it));
                asked.insert(name.clone());
                assert!(refused || named.contains(&name), "docs/features.md lacks {name}");
                options.insert(name);
            }
        },
    );
    assert!(options.len() > 100, "{}", options.len());
    let gone: Vec<_> = named.difference(&options).collect();
    assert!(gone.is_empty(), "docs/features.md has rows of options that there are not: {gone:?}");
    let gone: Vec<&String> = named.iter().filter(|name| !asked.contains(*name)).collect();
    assert!(gone.is_empty(), "docs/features.md names what is no option: {gone:?}");

    let mut proofs = 0;
    for row in &rows {
        assert_eq!(row.len(), 6, "{row:?}");
        for proof in row[5].split(", ").filter(|proof| *proof != "—") {
            let proof = proof.trim_matches('`');
            assert!(programs.contains(proof) || root.join(proof).is_file(), "{}: there is no {proof}", row[0]);
            proofs += 1;
        }
    }
    assert!(proofs > 90, "{proofs}");
}
