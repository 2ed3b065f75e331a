#![allow(clippy::unwrap_used)]
use reprise_dxbc::rdat::{Declared, Subobject};

use super::*;
use crate::association::{PipelineConfig, ShaderConfig};

fn library() -> Library {
    let export = |name: &str, plain: &str, stage| Export { name: name.to_owned(), plain: plain.to_owned(), stage };
    Library {
        exports: vec![
            export("\u{1}?gen@@YAXXZ", "gen", Some(Stage::RayGeneration)),
            export("\u{1}?hit@@A", "hit", Some(Stage::ClosestHit)),
            export("\u{1}?hit@@B", "hit", Some(Stage::ClosestHit)),
            export("\u{1}?any@@", "any", Some(Stage::AnyHit)),
            export("help", "help", None),
            export("mesh", "mesh", Some(Stage::Mesh)),
        ],
        subobjects: vec![Subobject { name: "config".to_owned(), what: Declared::StateObjectConfig { flags: 0 } }],
    }
}

fn rename(name: &str, from: &str) -> Rename {
    Rename { name: name.to_owned(), from: from.to_owned() }
}

fn blob() -> Arc<[u8]> {
    Arc::from(&[1u8, 2][..])
}

fn shader(stage: Stage, entry: &str) -> Shader {
    let (entry, plain) = (entry.to_owned(), entry.to_owned());
    Shader { blob: blob(), entry, plain, stage, library: Some(0), settings: Settings::default() }
}

fn hit_group(name: &str, any: &str, closest: &str) -> HitGroup {
    let imports = [any, closest, ""].map(str::to_owned);
    HitGroup { name: name.to_owned(), procedural: false, imports, library: None }
}

/// Configs for all exports.
fn configs() -> Vec<Association> {
    let values = [
        Value::Shader(ShaderConfig { payload: 8, attributes: 8 }),
        Value::Pipeline(PipelineConfig { depth: 1, flags: 0 }),
    ];
    let own_values = values.map(|value| Own { value, named: false });
    own(&own_values, None).collect()
}

#[test]
fn exports_are_all_or_those_that_are_asked_for() {
    let names = |wanted: &[Rename]| -> Option<Vec<(String, String)>> {
        let found = exports(&library(), &blob(), 0, wanted).ok()?;
        Some(found.into_iter().map(|(name, shader)| (name, shader.entry)).collect())
    };
    let all = names(&[]).unwrap();
    let expected = ["gen", "\u{1}?hit@@A", "\u{1}?hit@@B", "any"];
    assert_eq!(all.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), expected, "twins by their long names");
    assert_eq!(names(&[rename("a", "gen")]), Some(vec![("a".to_owned(), "\u{1}?gen@@YAXXZ".to_owned())]));
    assert_eq!(names(&[rename("a", "gen"), rename("b", "gen")]).unwrap().len(), 2, "twice under two names");
    assert_eq!(names(&[rename("a", "\u{1}?hit@@B")]).unwrap()[0].1, "\u{1}?hit@@B");
    assert_eq!(names(&[rename("a", "hit")]), None, "which one?");
    assert_eq!(names(&[rename("a", "nothing")]), None);
    assert_eq!(names(&[rename("a", "config"), rename("b", "help"), rename("c", "mesh")]), Some(Vec::new()));
}

#[test]
fn names_are_different() {
    let with = |names: [&str; 2]| {
        let shaders = names.map(|name| (name.to_owned(), shader(Stage::Miss, name))).to_vec();
        Plan::new(Description { shaders, associations: configs(), ..Description::default() })
    };
    assert_eq!(with(["a", "b"]).unwrap().groups.len(), 2);
    assert!(with(["a", "a"]).is_err());
    let shaders = vec![("a".to_owned(), shader(Stage::ClosestHit, "a"))];
    let hit_groups = vec![hit_group("a", "", "a")];
    let clash = Description { shaders, hit_groups, associations: configs(), ..Description::default() };
    assert!(Plan::new(clash).is_err(), "a hit group called as its shader");
}

#[test]
fn hit_groups_have_shaders_of_their_kind() {
    let with = |flags, hit_group| {
        let shaders = [(Stage::ClosestHit, "closest"), (Stage::AnyHit, "any"), (Stage::Intersection, "box")];
        let shaders = shaders.map(|(stage, name)| (name.to_owned(), shader(stage, name))).to_vec();
        Plan::new(Description {
            flags,
            shaders,
            hit_groups: vec![hit_group],
            associations: configs(),
            ..Description::default()
        })
    };
    let plan = with(0, hit_group("group", "any", "closest")).unwrap();
    let stages: Vec<Stage> = plan.groups[0].imports.iter().map(|import| import.stage).collect();
    assert_eq!((plan.groups.len(), &stages[..]), (1, &[Stage::AnyHit, Stage::ClosestHit][..]));
    assert!(with(0, hit_group("group", "closest", "any")).is_err(), "the wrong way round");
    assert!(with(0, hit_group("group", "", "nothing")).is_err());
    let waits = with(EXTERNAL, hit_group("group", "", "nothing")).unwrap();
    assert_eq!(waits.groups[0].imports[0].shader, None, "somebody else has it");
    assert!(with(0, hit_group("group", "", "")).is_ok(), "triangles that nothing is done about");
    let procedural = |intersection: &str| HitGroup {
        procedural: true,
        imports: [String::new(), String::new(), intersection.to_owned()],
        ..hit_group("group", "", "")
    };
    assert!(with(0, procedural("box")).is_ok());
    assert!(with(0, procedural("")).is_err());
    assert!(with(0, HitGroup { procedural: false, ..procedural("box") }).is_err());
}

#[test]
fn every_export_needs_its_configs() {
    let all = configs();
    let with = |flags, associations: &[Association]| {
        let shaders = vec![("a".to_owned(), shader(Stage::Miss, "a"))];
        Plan::new(Description { flags, shaders, associations: associations.to_vec(), ..Description::default() })
    };
    assert!(with(0, &all).is_ok());
    assert!(with(0, &all[..1]).is_err() && with(0, &all[1..]).is_err());
    assert!(with(EXTERNAL, &[]).is_ok(), "they may come from elsewhere");
}

#[test]
fn what_is_taken_over_keeps_what_it_has() {
    let local = |root| Own { value: Value::Local(root), named: false };
    let mut miss = shader(Stage::Miss, "miss");
    miss.settings.local = Some(3);
    let import = Import { stage: Stage::Miss, name: "miss".to_owned(), shader: Some(miss.clone()) };
    let group = |origin| Group {
        name: "miss".to_owned(),
        kind: GroupKind::General,
        imports: vec![import.clone()],
        settings: Settings { shader: Some(ShaderConfig { payload: 1, attributes: 2 }), ..Settings::default() },
        origin,
    };
    let closest =
        Shader { settings: Settings { local: Some(9), ..Settings::default() }, ..shader(Stage::ClosestHit, "hit") };
    let with = |origin| {
        let shaders = vec![("miss".to_owned(), miss.clone()), ("hit".to_owned(), closest.clone())];
        let inherited = Inherited { shaders, groups: vec![(5, group(origin))] };
        let mut associations = configs();
        associations.extend(own(&[local(7)], None));
        let hit_groups = vec![hit_group("group", "", "hit")];
        Plan::new(Description { associations, hit_groups, inherited: vec![inherited], ..Description::default() })
            .unwrap()
    };
    let made = &with(Some((0, 0))).groups[0];
    assert_eq!((made.origin, made.settings.local), (Some((0, 5)), None), "made already, as it was described");
    let plan = with(None);
    let waiting = &plan.groups[0];
    assert_eq!(waiting.settings.shader, Some(ShaderConfig { payload: 1, attributes: 2 }), "its own");
    assert_eq!(waiting.settings.pipeline, Some(PipelineConfig { depth: 1, flags: 0 }), "the new state object's");
    assert_eq!(plan.groups[1].settings.local, Some(7), "what the new state object says, before what the shader had");
}

#[test]
fn a_star_is_the_only_export_and_nothing_where_there_are_several() {
    let library = |names: &[&str]| Library {
        exports: names
            .iter()
            .map(|name| Export { name: format!("?{name}"), plain: (*name).into(), stage: None })
            .collect(),
        subobjects: Vec::new(),
    };
    let wanted =
        || vec![Rename { name: "new".into(), from: "*".into() }, Rename { name: "*".into(), from: "*".into() }];
    let mut named = wanted();
    name_lone_export(&library(&["main"]), &mut named).unwrap();
    assert_eq!(named.iter().map(|it| (&*it.name, &*it.from)).collect::<Vec<_>>(), [("new", "main"), ("main", "main")]);
    assert!(name_lone_export(&library(&["main", "other"]), &mut wanted()).is_err());
    assert!(name_lone_export(&library(&[]), &mut wanted()).is_err());
    let mut plain = vec![Rename { name: "new".into(), from: "other".into() }];
    name_lone_export(&library(&["main", "other"]), &mut plain).unwrap();
    assert_eq!(plain[0].from, "other");
}
