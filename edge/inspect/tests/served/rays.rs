//! The shaders of a dispatch of rays: exports and their shaders as `reprise extract` lists them, the code as `reprise disassemble` has it.

use crate::page::{Page, lines, reprise, traced};
use serde_json::{Value as Json, json};

/// What SPIR-V calls a stage, without the ending that is of an extension.
fn model(stage: &str) -> &str {
    match stage {
        "raygeneration" => "RayGeneration",
        "intersection" => "Intersection",
        "anyhit" => "AnyHit",
        "closesthit" => "ClosestHit",
        "miss" => "Miss",
        "callable" => "Callable",
        other => panic!("{other}"),
    }
}

/// The program `rays` has hit groups in a collection, which the state object of its dispatches takes over.
#[test]
fn the_shaders_of_a_dispatch_of_rays_are_those_of_its_state_object() {
    let folder = tempfile::tempdir().unwrap();
    let trace = traced(folder.path(), "rays");
    let extracted = folder.path().join("extracted");
    reprise(&["extract", trace.to_str().unwrap(), "-o", extracted.to_str().unwrap()]);
    let index = std::fs::read_to_string(extracted.join("index.json")).unwrap();
    let index: Json = serde_json::from_str(&index).unwrap();
    let call = lines(&["dump", "--json", "--methods", "DispatchRays", trace.to_str().unwrap()])[0]["call"].clone();
    let page = Page::of(&trace);
    let pipeline = page.get(&format!("0/state?call={call}"))["bound"]["pipeline"].clone();
    assert_eq!(pipeline["kind"], "state_object");
    let object = &pipeline["object"]["id"];
    let told = page.get(&format!("0/ray_shaders?object={object}"));
    let expected = index["state_objects"].as_array().unwrap().iter().find(|one| one["id"] == *object).unwrap();
    assert_eq!((&told["call"], &told["problem"]), (&expected["call"], &Json::Null));
    let kinds: Vec<_> = told["exports"].as_array().unwrap().iter().map(|one| one["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["triangles", "procedural", "raygeneration", "miss", "callable"]);
    let library = std::fs::read_dir(&extracted).unwrap().find_map(|file| {
        let name = file.unwrap().file_name().into_string().unwrap();
        Some(name.strip_suffix(".library.dxil")?.to_owned())
    });
    let library = library.unwrap();
    let whole = page.get(&format!("0/shader?hash={library}"));
    // The byte that marks a name to stay as it is.
    let text = whole["disassembly"].as_str().unwrap().replace('\u{1}', "");
    assert_eq!(whole["entry"], Json::Null);
    let (mut exports, mut functions) = (Vec::new(), Vec::new());
    for export in expected["exports"].as_array().unwrap() {
        let mut shaders = Vec::new();
        for shader in export["shaders"].as_array().unwrap() {
            let entry = shader["entry"].as_str().unwrap().trim_start_matches('\u{1}');
            shaders
                .push(json!({ "stage": shader["stage"], "name": shader["name"], "entry": entry, "library": library }));
            let encoded: String = entry.bytes().map(|byte| format!("%{byte:02X}")).collect();
            let one = page.get(&format!("0/shader?hash={library}&entry={encoded}"));
            assert_eq!(one["entry"], entry);
            let own = one["disassembly"].as_str().unwrap_or_else(|| panic!("{}", one["disassembly_error"]));
            // One function, whole, and the one that is asked for.
            assert!(text.contains(own) && own.ends_with("\n}\n") && own.matches("\ndefine ").count() == 0, "{own}");
            assert!(own.lines().next().unwrap().contains(&format!("@{entry}(")), "{own}");
            functions.push(own.to_owned());
            // Its SPIR-V is of the one stage alone.
            let missing = || one["spirv_error"].as_str().unwrap().contains("spirv-dis");
            let model = model(shader["stage"].as_str().unwrap());
            let of_model = |text: &str| {
                text.matches("OpEntryPoint ").count() == 1 && text.contains(&format!("OpEntryPoint {model}"))
            };
            assert!(one["spirv"].as_str().map_or_else(missing, of_model), "{one}");
        }
        exports.push(json!({ "name": export["name"], "kind": export["kind"], "shaders": shaders }));
    }
    assert_eq!(told["exports"], Json::Array(exports));
    assert_eq!(functions.len(), 7);
    functions.sort_unstable();
    functions.dedup();
    assert_eq!(functions.len(), 7, "each shader has code of its own");
    let none = page.get(&format!("0/shader?hash={library}&entry=nobody"));
    assert_eq!(none["disassembly"], Json::Null);
    assert!(none["disassembly_error"].as_str().unwrap().contains("no function \"nobody\""), "{none}");
    let no_such = |why: &str| why.contains("\"nobody\"") || why.contains("spirv-dis");
    assert!(none["spirv"].is_null() && no_such(none["spirv_error"].as_str().unwrap()), "{none}");
    // Without a name all of them, each behind its own; one of them is in no table of the dispatch.
    let all = whole["exports"].as_array().unwrap();
    assert_eq!(all.len(), 8);
    let of_all = |text: &str| {
        let named = |export: &Json| text.lines().any(|line| line == format!("; {}", export["name"].as_str().unwrap()));
        text.matches("OpEntryPoint ").count() == all.len() && all.iter().all(named)
    };
    let missing = || whole["spirv_error"].as_str().unwrap().contains("spirv-dis");
    assert!(whole["spirv"].as_str().map_or_else(missing, of_all), "{whole}");
    assert_eq!(page.ask("0/ray_shaders?object=1").0, 404);
    assert_eq!(page.ask("0/ray_shaders").0, 400);
}
