//! Which subobject is for which export (DXR specification, "Subobject association behavior").
//!
//! Invariant: what an association says counts for an export unless one of a higher [`Rank`] says something else.

use reprise_log::warning;

/// Sizes that `TraceRay` and its shaders exchange, in bytes: `D3D12_RAYTRACING_SHADER_CONFIG`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShaderConfig {
    /// Of payloads.
    pub payload: u32,
    /// Of attributes.
    pub attributes: u32,
}

/// `D3D12_RAYTRACING_PIPELINE_CONFIG1`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PipelineConfig {
    /// Most calls of `TraceRay` within each other.
    pub depth: u32,
    /// `D3D12_RAYTRACING_PIPELINE_FLAGS`.
    pub flags: u32,
}

/// What can be associated. A root signature is its number in the description's table; equal ones have one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// Root signature of a whole dispatch.
    Global(usize),
    /// Root signature of a shader's record.
    Local(usize),
    /// Sizes.
    Shader(ShaderConfig),
    /// Depth of recursion.
    Pipeline(PipelineConfig),
}

/// How much an association counts, least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// The state object that this one grows from says so.
    Inherited,
    /// Another library's default.
    Foreign,
    /// A library declares one subobject of the kind that it associates with nothing.
    LibraryImplicit,
    /// A library associates the subobject with no export by name.
    LibraryDefault,
    /// A library associates the subobject with the export.
    LibraryExplicit,
    /// The state object has the subobject, and associates it with nothing.
    Implicit,
    /// The state object associates it with no export by name.
    Default,
    /// The state object associates it with the export.
    Explicit,
}

/// An association.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Association {
    /// How much it counts.
    pub rank: Rank,
    /// The library that says so; `None` for the state object.
    pub library: Option<usize>,
    /// The export; `None` is all of them.
    pub export: Option<String>,
    /// The subobject.
    pub value: Value,
}

/// What an export is called, and where it is from.
#[derive(Clone, Debug)]
pub struct Subject<'a> {
    /// Its names: the export's, the source's, and the mangled one.
    pub names: Vec<&'a str>,
    /// Its library.
    pub library: Option<usize>,
}

/// What is associated with an export, one of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Root signature of a whole dispatch.
    pub global: Option<usize>,
    /// Root signature of the record.
    pub local: Option<usize>,
    /// Sizes.
    pub shader: Option<ShaderConfig>,
    /// Depth of recursion.
    pub pipeline: Option<PipelineConfig>,
    /// Local root signatures of the same right cancel each other. `local` may be one of lower right from elsewhere then.
    pub ambiguous: bool,
}

impl Settings {
    /// What associations say about an export that consists of these: a hit group and its shaders, or one shader.
    pub fn resolve(associations: &[Association], subjects: &[Subject<'_>]) -> Settings {
        let find = |kind: &'static str, wanted: fn(&Value) -> bool| find(associations, subjects, kind, wanted);
        let mut all = Settings::default();
        type Kind = (&'static str, fn(&Value) -> bool);
        let kinds: [Kind; 4] = [
            ("global root signatures", |value| matches!(value, Value::Global(_))),
            ("local root signatures", |value| matches!(value, Value::Local(_))),
            ("shader configs", |value| matches!(value, Value::Shader(_))),
            ("pipeline configs", |value| matches!(value, Value::Pipeline(_))),
        ];
        for (kind, wanted) in kinds {
            match find(kind, wanted) {
                Found::One(Value::Global(root)) => all.global = Some(root),
                Found::One(Value::Local(root)) => all.local = Some(root),
                Found::One(Value::Shader(config)) => all.shader = Some(config),
                Found::One(Value::Pipeline(config)) => all.pipeline = Some(config),
                Found::Several(Value::Local(_)) => all.ambiguous = true,
                Found::Several(_) | Found::Nothing => {}
            }
        }
        all
    }

    /// These, and the other's where there are none.
    #[must_use]
    pub fn or(self, other: Settings) -> Settings {
        Settings {
            global: self.global.or(other.global),
            local: self.local.or(other.local),
            shader: self.shader.or(other.shader),
            pipeline: self.pipeline.or(other.pipeline),
            ambiguous: self.ambiguous || (self.local.is_none() && other.ambiguous),
        }
    }
}

/// What counts for an export.
enum Found {
    /// Nothing is associated.
    Nothing,
    /// This value.
    One(Value),
    /// Different ones, of which this is one.
    Several(Value),
}

/// The value that counts. Different ones of the same rank cancel each other.
fn find(
    associations: &[Association],
    subjects: &[Subject<'_>],
    kind: &'static str,
    wanted: fn(&Value) -> bool,
) -> Found {
    let mut best: Option<(Rank, Value)> = None;
    let mut conflict = None;
    for association in associations.iter().filter(|association| wanted(&association.value)) {
        for subject in subjects {
            let Some(rank) = rank(association, subject) else { continue };
            match best {
                Some((known, _)) if known > rank => {}
                Some((known, value)) if known == rank && value != association.value => conflict = Some(rank),
                _ => best = Some((rank, association.value)),
            }
        }
    }
    let Some((rank, value)) = best else { return Found::Nothing };
    if conflict == Some(rank) {
        let name = subjects.first().and_then(|subject| subject.names.first()).copied().unwrap_or_default();
        warning(format!("state object: export {name:?} has several {kind} of the same right, so it has none"));
        return Found::Several(value);
    }
    Found::One(value)
}

/// How much an association counts for an export, if at all.
fn rank(association: &Association, subject: &Subject<'_>) -> Option<Rank> {
    let home = association.library.is_none() || association.library == subject.library;
    match &association.export {
        Some(name) => (home && subject.names.contains(&name.as_str())).then_some(association.rank),
        None if home => Some(association.rank),
        None => Some(Rank::Foreign),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(associations: &[(Rank, Option<usize>, Option<&str>, usize)], name: &str, library: usize) -> Option<usize> {
        let all: Vec<Association> = associations
            .iter()
            .map(|(rank, library, export, root)| Association {
                rank: *rank,
                library: *library,
                export: export.map(str::to_owned),
                value: Value::Local(*root),
            })
            .collect();
        Settings::resolve(&all, &[Subject { names: vec![name], library: Some(library) }]).local
    }

    #[test]
    fn the_more_explicit_association_counts() {
        use Rank::*;
        let all = [
            (LibraryDefault, Some(0), None, 1),
            (LibraryExplicit, Some(0), Some("a"), 2),
            (Default, None, None, 3),
            (Explicit, None, Some("b"), 4),
        ];
        assert_eq!(of(&all, "a", 0), Some(3), "the state object's default, over what its library says");
        assert_eq!(of(&all, "b", 0), Some(4));
        assert_eq!(of(&all[..2], "a", 0), Some(2));
        assert_eq!(of(&all[..2], "b", 0), Some(1));
        assert_eq!(of(&all[1..2], "a", 1), None, "another library's export of the same name");
        assert_eq!(of(&all[..1], "c", 1), Some(1), "a default of another library, where nothing else is");
        assert_eq!(of(&[], "a", 0), None);
    }

    #[test]
    fn equal_ones_are_one_and_different_ones_cancel_each_other() {
        use Rank::*;
        let same = [(Implicit, None, None, 1), (Implicit, None, None, 1)];
        assert_eq!(of(&same, "a", 0), Some(1));
        let other = [(Implicit, None, None, 1), (Implicit, None, None, 2)];
        assert_eq!(of(&other, "a", 0), None);
        let decided = [(Implicit, None, None, 1), (Implicit, None, None, 2), (Default, None, None, 2)];
        assert_eq!(of(&decided, "a", 0), Some(2));
        let decided = [(Default, None, None, 2), (Implicit, None, None, 1), (Implicit, None, None, 3)];
        assert_eq!(of(&decided, "a", 0), Some(2), "in any order");
    }

    #[test]
    fn local_root_signatures_that_cancel_each_other_are_remembered() {
        let local = |rank, root| Association { rank, library: None, export: None, value: Value::Local(root) };
        let subject = [Subject { names: vec!["a"], library: None }];
        let none = Settings::resolve(&[local(Rank::Implicit, 1), local(Rank::Implicit, 2)], &subject);
        assert!(none.ambiguous && none.local.is_none());
        let outer = Settings { local: Some(3), ..Settings::default() };
        assert!(none.or(outer).ambiguous, "what is elsewhere does not decide it");
        assert!(!outer.or(none).ambiguous && Settings::default().or(none).ambiguous);
        let global = |root| Association { value: Value::Global(root), ..local(Rank::Implicit, 0) };
        assert!(!Settings::resolve(&[global(1), global(2)], &subject).ambiguous, "of another kind");
    }

    #[test]
    fn a_hit_group_has_what_one_of_its_shaders_has() {
        let explicit = |export: &str, root| Association {
            rank: Rank::Explicit,
            library: None,
            export: Some(export.to_owned()),
            value: Value::Local(root),
        };
        let subject = |name| Subject { names: vec![name], library: None };
        let group = [subject("group"), subject("closest"), subject("any")];
        assert_eq!(Settings::resolve(&[explicit("any", 7)], &group).local, Some(7));
        assert_eq!(Settings::resolve(&[explicit("group", 8)], &group).local, Some(8));
        let sizes = Value::Shader(ShaderConfig { payload: 4, attributes: 8 });
        let all = [Association { rank: Rank::Implicit, library: None, export: None, value: sizes }];
        let found = Settings::resolve(&all, &group);
        assert_eq!((found.shader.map(|it| it.attributes), found.local, found.pipeline), (Some(8), None, None));
        let outer = Settings { local: Some(3), shader: Some(ShaderConfig::default()), ..Settings::default() };
        assert_eq!(found.or(outer), Settings { local: Some(3), ..found });
    }
}
