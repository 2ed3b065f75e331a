//! What a state object consists of, once names and associations are resolved. Pure.
//!
//! Invariants: names of exports are different; a group's shaders are of the stages that its kind has.

use std::collections::BTreeMap;
use std::sync::Arc;

use reprise_dxbc::Stage;
use reprise_dxbc::rdat::{Export, Library};

use crate::association::{Association, Rank, Settings, Subject, Value};

/// `D3D12_STATE_OBJECT_FLAG_ALLOW_LOCAL_DEPENDENCIES_ON_EXTERNAL_DEFINITIONS`: what is missing may come from elsewhere.
pub const EXTERNAL: u32 = 1;
/// `D3D12_STATE_OBJECT_FLAG_ALLOW_STATE_OBJECT_ADDITIONS`.
pub const ADDITIONS: u32 = 4;

/// What a description says that the API does not allow.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Invalid(pub String);

/// Results of this crate.
pub type Result<T> = core::result::Result<T, Invalid>;

fn invalid(what: String) -> Invalid {
    Invalid(what)
}

/// An export that a program asks for: what it is called, and what it is called where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rename {
    /// The new name.
    pub name: String,
    /// The old one.
    pub from: String,
}

/// A shader of a library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shader {
    /// The library's container.
    pub blob: Arc<[u8]>,
    /// Its name in the module.
    pub entry: String,
    /// Its name in HLSL.
    pub plain: String,
    /// Its stage.
    pub stage: Stage,
    /// The library, by its number in the description it is from. Numbers of other descriptions are not kept.
    pub library: Option<usize>,
    /// What is associated with it where it is from; hit groups elsewhere may name it.
    pub settings: Settings,
}

/// Shaders that have an identifier together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupKind {
    /// One shader: ray generation, miss or callable.
    General,
    /// A hit group of triangles.
    Triangles,
    /// A hit group of boxes of the program's own.
    Procedural,
}

/// A shader that a group names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// What it must be.
    pub stage: Stage,
    /// The export's name.
    pub name: String,
    /// The shader; `None` while nobody has it.
    pub shader: Option<Shader>,
}

/// What has an identifier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The export's name.
    pub name: String,
    /// Its kind.
    pub kind: GroupKind,
    /// Its shaders.
    pub imports: Vec<Import>,
    /// What is associated with it.
    pub settings: Settings,
    /// Where it is made already: a number of the description's inherited state objects, and of a group in it.
    pub origin: Option<(usize, usize)>,
}

/// A hit group as described.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HitGroup {
    /// The export's name.
    pub name: String,
    /// For boxes of the program's own.
    pub procedural: bool,
    /// Any-hit, closest-hit and intersection shader; empty where there is none.
    pub imports: [String; 3],
    /// The library that declares it.
    pub library: Option<usize>,
}

/// What a state object takes over from another.
#[derive(Clone, Debug, Default)]
pub struct Inherited {
    /// Its shaders by name.
    pub shaders: Vec<(String, Shader)>,
    /// Its groups, with their numbers there.
    pub groups: Vec<(usize, Group)>,
}

/// A state object as described.
#[derive(Clone, Debug, Default)]
pub struct Description {
    /// `D3D12_STATE_OBJECT_FLAGS`.
    pub flags: u32,
    /// Shaders of its libraries, by the names under which they are exported.
    pub shaders: Vec<(String, Shader)>,
    /// Its hit groups.
    pub hit_groups: Vec<HitGroup>,
    /// Its associations.
    pub associations: Vec<Association>,
    /// Of collections, and of the state object that this one grows from.
    pub inherited: Vec<Inherited>,
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// `D3D12_STATE_OBJECT_FLAGS`.
    pub flags: u32,
    /// All shaders by name.
    pub shaders: BTreeMap<String, Shader>,
    /// All groups.
    pub groups: Vec<Group>,
}

/// Gives the only export of a library its name, where a program calls it `*` (work graphs specification, `D3D12_EXPORT_DESC`).
///
/// # Errors
/// There is not one export, but none or several.
pub fn name_lone_export(library: &Library, wanted: &mut [Rename]) -> Result<()> {
    for rename in wanted.iter_mut().filter(|rename| rename.from == ANY) {
        let [only] = &library.exports[..] else {
            return Err(invalid(format!("a library of {} exports is asked for the only one", library.exports.len())));
        };
        rename.from.clone_from(&only.plain);
        if rename.name == ANY {
            rename.name.clone_from(&only.plain);
        }
    }
    Ok(())
}

/// What stands for the name of a library's only export.
const ANY: &str = "*";

/// The shaders of a library that a program asks for: all of them if it names none.
///
/// # Errors
/// The library does not have one that is asked for.
pub fn exports(library: &Library, blob: &Arc<[u8]>, number: usize, wanted: &[Rename]) -> Result<Vec<(String, Shader)>> {
    let shader = |index: usize, stage: Stage| Shader {
        blob: blob.clone(),
        entry: library.exports[index].name.clone(),
        plain: library.exports[index].plain.clone(),
        stage,
        library: Some(number),
        settings: Settings::default(),
    };
    let known = || {
        let stages = library.exports.iter().enumerate().map(|(index, export)| (index, export, export.stage));
        // Other stages are other programs' business; ray tracing does not name them.
        stages.filter_map(|(index, export, stage)| Some((index, export, stage.filter(|stage| stage.is_ray_tracing())?)))
    };
    if wanted.is_empty() {
        let twice = |plain: &str| known().filter(|(_, export, _)| export.plain == plain).count() > 1;
        let name = |export: &Export| match twice(&export.plain) {
            true => export.name.clone(),
            false => export.plain.clone(),
        };
        return Ok(known().map(|(index, export, stage)| (name(export), shader(index, stage))).collect());
    }
    let find = |rename: &Rename| {
        let mut all = known().filter(|(_, export, _)| export.plain == rename.from || export.name == rename.from);
        let found = all.next();
        match (found, all.next()) {
            (Some((index, _, stage)), None) => Ok(Some((rename.name.clone(), shader(index, stage)))),
            (Some(_), Some(_)) => Err(invalid(format!("a library has several exports {:?}", rename.from))),
            // A function or subobject that is no shader of ray tracing.
            (None, _) if has_other(library, &rename.from) => Ok(None),
            (None, _) => Err(invalid(format!("a library has no export {:?}", rename.from))),
        }
    };
    Ok(wanted.iter().map(find).collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
}

fn has_other(library: &Library, name: &str) -> bool {
    library.exports.iter().any(|export| export.plain == name || export.name == name)
        || library.subobjects.iter().any(|subobject| subobject.name == name)
}

impl Plan {
    /// Resolves a description.
    ///
    /// # Errors
    /// What the API does not allow.
    pub fn new(description: Description) -> Result<Plan> {
        match Plan::resolve(description) {
            (plan, None) => Ok(plan),
            (_, Some(wrong)) => Err(wrong),
        }
    }

    /// Resolves a description as far as it goes, and says what about it the API does not allow. Readers of traces go on with the plan: the
    /// runtime that was recorded may have allowed more.
    pub fn resolve(description: Description) -> (Plan, Option<Invalid>) {
        let Description { flags, shaders: mut own, hit_groups, associations, inherited } = description;
        let mut wrong = None;
        for (name, shader) in &mut own {
            let names = vec![name.as_str(), shader.entry.as_str()];
            shader.settings = Settings::resolve(&associations, &[Subject { names, library: shader.library }]);
        }
        let mut shaders = BTreeMap::new();
        let taken = inherited.iter().flat_map(|other| other.shaders.iter().cloned());
        for (name, shader) in taken.chain(own.iter().cloned()) {
            if shaders.contains_key(&name) {
                wrong = wrong.or_else(|| Some(invalid(format!("two exports are called {name:?}"))));
                continue;
            }
            shaders.insert(name, shader);
        }
        let mut groups = Vec::new();
        for (number, other) in inherited.into_iter().enumerate() {
            for (index, mut group) in other.groups {
                group.origin = group.origin.map(|_| (number, index));
                if group.origin.is_none() {
                    find_imports(&mut group, &shaders);
                    group.settings = group.settings.or(settings(&associations, &group, None));
                }
                groups.push(group);
            }
        }
        for (name, shader) in own {
            if !matches!(shader.stage, Stage::RayGeneration | Stage::Miss | Stage::Callable) {
                continue;
            }
            let imports = vec![Import { stage: shader.stage, name: name.clone(), shader: Some(shader) }];
            let mut group =
                Group { name, kind: GroupKind::General, imports, settings: Settings::default(), origin: None };
            group.settings = settings(&associations, &group, None);
            groups.push(group);
        }
        for hit_group in hit_groups {
            let library = hit_group.library;
            let mut group = of_hit_group(hit_group);
            find_imports(&mut group, &shaders);
            group.settings = settings(&associations, &group, library);
            groups.push(group);
        }
        // Names are different from here on, so that what is taken over again and again does not grow without end.
        let mut names = std::collections::BTreeSet::new();
        groups.retain(|group| {
            let is_new = names.insert(group.name.clone());
            if !is_new && wrong.is_none() {
                wrong = Some(invalid(format!("two exports are called {:?}", group.name)));
            }
            is_new
        });
        let plan = Plan { flags, shaders, groups };
        let wrong = wrong.or_else(|| plan.check().err());
        (plan, wrong)
    }

    fn check(&self) -> Result<()> {
        let mut names = std::collections::BTreeSet::new();
        for group in &self.groups {
            let clash = group.kind != GroupKind::General && self.shaders.contains_key(&group.name);
            if clash || !names.insert(&group.name) {
                return Err(invalid(format!("two exports are called {:?}", group.name)));
            }
            let intersects = group.imports.iter().any(|import| import.stage == Stage::Intersection);
            if group.kind != GroupKind::General && (group.kind == GroupKind::Procedural) != intersects {
                let has = if intersects { "is of triangles, and has" } else { "lacks" };
                return Err(invalid(format!("hit group {:?} {has} an intersection shader", group.name)));
            }
            for import in &group.imports {
                match &import.shader {
                    Some(shader) if shader.stage != import.stage => {
                        return Err(invalid(format!(
                            "hit group {:?} names {:?} as its {:?} shader, which is a {:?} shader",
                            group.name, import.name, import.stage, shader.stage
                        )));
                    }
                    None if self.flags & EXTERNAL == 0 => {
                        return Err(invalid(format!(
                            "hit group {:?} names {:?}, which is nowhere",
                            group.name, import.name
                        )));
                    }
                    _ => {}
                }
            }
            if self.flags & EXTERNAL == 0 && group.origin.is_none() {
                if group.settings.shader.is_none() {
                    return Err(invalid(format!("export {:?} has no shader config", group.name)));
                }
                if group.settings.pipeline.is_none() {
                    return Err(invalid(format!("export {:?} has no pipeline config", group.name)));
                }
            }
        }
        Ok(())
    }
}

fn find_imports(group: &mut Group, shaders: &BTreeMap<String, Shader>) {
    for import in group.imports.iter_mut().filter(|import| import.shader.is_none()) {
        let by_source = || {
            let mut all = shaders.values().filter(|shader| shader.entry == import.name);
            all.next().filter(|_| all.next().is_none())
        };
        import.shader = shaders.get(&import.name).or_else(by_source).cloned();
    }
}

fn settings(associations: &[Association], group: &Group, library: Option<usize>) -> Settings {
    let mut subjects = Vec::with_capacity(1 + group.imports.len());
    if group.kind != GroupKind::General {
        subjects.push(Subject { names: vec![group.name.as_str()], library });
    }
    for import in &group.imports {
        let mut names = vec![import.name.as_str()];
        if group.kind == GroupKind::General {
            names.push(&group.name);
        }
        names.extend(import.shader.as_ref().map(|shader| shader.entry.as_str()));
        subjects.push(Subject { names, library: import.shader.as_ref().and_then(|shader| shader.library) });
    }
    let shaders = group.imports.iter().filter_map(|import| import.shader.as_ref());
    let own = Settings::resolve(associations, &subjects);
    shaders.fold(own, |settings, shader| settings.or(shader.settings))
}

fn of_hit_group(hit_group: HitGroup) -> Group {
    let HitGroup { name, procedural, imports, .. } = hit_group;
    let [any, closest, intersection] = imports;
    let stages = [(Stage::AnyHit, any), (Stage::ClosestHit, closest), (Stage::Intersection, intersection)];
    let imports = stages.into_iter().filter(|(_, name)| !name.is_empty());
    let imports = imports.map(|(stage, name)| Import { stage, name, shader: None }).collect();
    let kind = if procedural { GroupKind::Procedural } else { GroupKind::Triangles };
    Group { name, kind, imports, settings: Settings::default(), origin: None }
}

/// What another state object takes over from one: these exports, or all where none is named. `numbers` are the other's numbers of this
/// one's root signatures; `groups` come with whether they are complete, so that nothing is added to them.
///
/// # Errors
/// There is no such export. What there is comes with the error.
pub fn give<'a>(
    shaders: impl Iterator<Item = (&'a String, &'a Shader)>,
    groups: impl Iterator<Item = (&'a Group, bool)>,
    wanted: &[Rename],
    numbers: &[usize],
) -> (Inherited, Option<Invalid>) {
    let names = |name: &str| -> Vec<String> {
        match wanted.is_empty() {
            true => vec![name.to_owned()],
            false => wanted.iter().filter(|it| it.from == name).map(|it| it.name.clone()).collect(),
        }
    };
    let mut all = Inherited::default();
    let renumbered = |settings: &mut Settings| {
        for root in [&mut settings.global, &mut settings.local] {
            *root = root.and_then(|root| numbers.get(root).copied());
        }
    };
    let without_library = |shader: &Shader| {
        let mut shader = Shader { library: None, ..shader.clone() };
        renumbered(&mut shader.settings);
        shader
    };
    for (name, shader) in shaders {
        all.shaders.extend(names(name).into_iter().map(|name| (name, without_library(shader))));
    }
    for (index, (group, complete)) in groups.enumerate() {
        for name in names(&group.name) {
            let mut group = Group { name, ..group.clone() };
            for import in &mut group.imports {
                import.shader = import.shader.as_ref().map(without_library);
            }
            renumbered(&mut group.settings);
            group.origin = complete.then_some((0, index));
            all.groups.push((index, group));
        }
    }
    let lacks = |rename: &&Rename| {
        !all.shaders.iter().any(|(name, _)| *name == rename.name)
            && !all.groups.iter().any(|(_, group)| group.name == rename.name)
    };
    let missing = wanted.iter().find(lacks);
    let missing = missing.map(|missing| invalid(format!("a collection has no export {:?}", missing.from)));
    (all, missing)
}

/// A subobject of the state object itself, for [`own`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Own {
    /// What it is.
    pub value: Value,
    /// An association names it.
    pub named: bool,
}

/// Subobjects that no association names are defaults.
pub fn own(values: &[Own], library: Option<usize>) -> impl Iterator<Item = Association> {
    let rank = if library.is_some() { Rank::LibraryImplicit } else { Rank::Implicit };
    let free = values.iter().filter(|own| !own.named);
    free.map(move |own| Association { rank, library, export: None, value: own.value })
}

#[cfg(test)]
mod tests;
