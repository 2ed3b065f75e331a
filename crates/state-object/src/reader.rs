//! Takes down a description, subobject by subobject.
//!
//! Invariants: root signatures are numbers that the caller gives; subobjects of the state object that no association names are defaults.

use std::sync::Arc;

use reprise_dxbc::rdat::{Declared, Library};

use crate::association::{Association, PipelineConfig, Rank, Settings, ShaderConfig, Value};
use crate::plan::{Description, HitGroup, Inherited, Invalid, Own, Rename, exports, own};

/// See the module. Calls come in the order of the subobjects; associations come behind all other subobjects.
#[derive(Debug, Default)]
pub struct Reader {
    description: Description,
    /// Subobjects that can be associated, with their places in the description.
    values: Vec<(usize, Own)>,
    declarations: Vec<Declaration>,
    libraries: usize,
    config: Option<u32>,
}

/// Numbers a root signature that a library declares, by its serialised bytes; `true`: a local one.
pub type Numbers<'n, E> = dyn FnMut(&[u8], bool) -> Result<usize, E> + 'n;

/// A value that a library declares by name.
#[derive(Debug)]
struct Declaration {
    name: String,
    library: usize,
    value: Value,
}

impl Reader {
    /// What the state object that this one grows from says of all exports.
    pub fn grows(&mut self, settings: Settings) {
        let values = [settings.shader.map(Value::Shader), settings.pipeline.map(Value::Pipeline)];
        for value in values.into_iter().flatten() {
            let inherited = Association { rank: Rank::Inherited, library: None, export: None, value };
            self.description.associations.push(inherited);
        }
    }

    /// `D3D12_STATE_OBJECT_CONFIG`.
    pub fn config(&mut self, flags: u32) {
        self.config = Some(flags);
    }

    /// `D3D12_HIT_GROUP_DESC`.
    pub fn hit_group(&mut self, hit_group: HitGroup) {
        self.description.hit_groups.push(hit_group);
    }

    /// What is taken over from a collection, or from the state object that this one grows from.
    pub fn inherit(&mut self, inherited: Inherited) {
        self.description.inherited.push(inherited);
    }

    /// Subobject `place` is something that can be associated.
    pub fn value(&mut self, place: usize, value: Value) {
        self.values.push((place, Own { value, named: false }));
    }

    /// `D3D12_DXIL_LIBRARY_DESC`. `root` numbers the root signatures that the library declares.
    ///
    /// # Errors
    /// The library lacks an export that is wanted, declares something that the API does not allow, or `root` fails.
    pub fn library<E: From<Invalid>>(
        &mut self,
        blob: &Arc<[u8]>,
        found: &Library,
        wanted: &[Rename],
        root: &mut Numbers<'_, E>,
    ) -> Result<(), E> {
        let number = self.libraries;
        self.libraries += 1;
        self.description.shaders.extend(exports(found, blob, number, wanted)?);
        // The names of subobjects are exports, too.
        let names = |name: &str| match wanted.is_empty() {
            true => Some(name.to_owned()),
            false => wanted.iter().find(|rename| rename.from == name).map(|rename| rename.name.clone()),
        };
        let first = self.declarations.len();
        let mut named = Vec::new();
        for subobject in &found.subobjects {
            let Some(name) = names(&subobject.name) else { continue };
            let value = match &subobject.what {
                Declared::StateObjectConfig { flags } => {
                    self.description.flags |= flags;
                    continue;
                }
                Declared::HitGroup { procedural, any_hit, closest_hit, intersection } => {
                    self.description.hit_groups.push(HitGroup {
                        name,
                        procedural: *procedural,
                        imports: [any_hit.clone(), closest_hit.clone(), intersection.clone()],
                        library: Some(number),
                    });
                    continue;
                }
                Declared::Association { subobject, exports } => {
                    named.push((subobject.clone(), exports.clone()));
                    continue;
                }
                Declared::GlobalRootSignature(bytes) => Value::Global(root(bytes, false)?),
                Declared::LocalRootSignature(bytes) => Value::Local(root(bytes, true)?),
                Declared::ShaderConfig { payload, attributes } => shader_config(*payload, *attributes)?,
                Declared::PipelineConfig { depth, flags } => pipeline_config(*depth, *flags)?,
            };
            self.declarations.push(Declaration { name, library: number, value });
        }
        let declared = &self.declarations[first..];
        let own_values: Vec<Own> = declared
            .iter()
            .map(|declaration| {
                let named = named.iter().any(|(subobject, _)| *subobject == declaration.name);
                Own { value: declaration.value, named }
            })
            .collect();
        // Hit groups and the like are associated with nothing that matters here.
        let found = |name: &str| declared.iter().find(|declaration| declaration.name == name).map(|it| it.value);
        let named: Vec<_> =
            named.into_iter().filter_map(|(subobject, exports)| Some((found(&subobject)?, exports))).collect();
        self.description.associations.extend(own(&own_values, Some(number)));
        for (value, exports) in named {
            self.push(value, exports, [Rank::LibraryDefault, Rank::LibraryExplicit], Some(number));
        }
        Ok(())
    }

    /// `D3D12_SUBOBJECT_TO_EXPORTS_ASSOCIATION` of the subobject at a place. `false`: nothing that can be associated is there.
    pub fn associate(&mut self, place: usize, exports: Vec<String>) -> bool {
        let Some((_, own)) = self.values.iter_mut().find(|(at, _)| *at == place) else { return false };
        own.named = true;
        let value = own.value;
        self.associate_value(value, exports);
        true
    }

    /// An association of something that is not among the subobjects.
    pub fn associate_value(&mut self, value: Value, exports: Vec<String>) {
        self.push(value, exports, [Rank::Default, Rank::Explicit], None);
    }

    /// `D3D12_DXIL_SUBOBJECT_TO_EXPORTS_ASSOCIATION`.
    ///
    /// # Errors
    /// No library declares such a subobject.
    pub fn associate_declared(&mut self, name: &str, exports: Vec<String>) -> Result<(), Invalid> {
        let found = self.declarations.iter().find(|declaration| declaration.name == name);
        let found = found.ok_or_else(|| Invalid(format!("an association of {name:?}, which no library declares")))?;
        let (library, value) = (found.library, found.value);
        reprise_log::debug(|| format!("state object: {name:?} of library {library} is associated"));
        self.associate_value(value, exports);
        Ok(())
    }

    /// `D3D12_STATE_OBJECT_FLAGS`, as far as they are told.
    pub fn flags(&self) -> u32 {
        self.config.unwrap_or(self.description.flags)
    }

    /// The description.
    pub fn finish(mut self) -> Description {
        self.description.flags = self.flags();
        let values: Vec<Own> = self.values.into_iter().map(|(_, own)| own).collect();
        self.description.associations.extend(own(&values, None));
        self.description
    }

    /// Adds associations with these exports, or with all where none is named.
    fn push(&mut self, value: Value, exports: Vec<String>, ranks: [Rank; 2], library: Option<usize>) {
        let all = &mut self.description.associations;
        if exports.is_empty() {
            all.push(Association { rank: ranks[0], library, export: None, value });
        }
        let rank = ranks[1];
        all.extend(exports.into_iter().map(|export| Association { rank, library, export: Some(export), value }));
    }
}

/// `D3D12_RAYTRACING_SHADER_CONFIG`.
///
/// # Errors
/// The attributes are too large.
pub fn shader_config(payload: u32, attributes: u32) -> Result<Value, Invalid> {
    /// `D3D12_RAYTRACING_MAX_ATTRIBUTE_SIZE_IN_BYTES`.
    const LARGEST: u32 = 32;
    if attributes > LARGEST {
        return Err(Invalid(format!("a shader config with attributes of {attributes} bytes; the API has {LARGEST}")));
    }
    Ok(Value::Shader(ShaderConfig { payload, attributes }))
}

/// `D3D12_RAYTRACING_PIPELINE_CONFIG1`.
///
/// # Errors
/// The recursion is too deep.
pub fn pipeline_config(depth: u32, flags: u32) -> Result<Value, Invalid> {
    /// `D3D12_RAYTRACING_MAX_DECLARABLE_TRACE_RECURSION_DEPTH`.
    const DEEPEST: u32 = 31;
    if depth > DEEPEST {
        return Err(Invalid(format!("a pipeline config with a recursion of depth {depth}; the API has {DEEPEST}")));
    }
    Ok(Value::Pipeline(PipelineConfig { depth, flags }))
}
