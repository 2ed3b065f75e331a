//! Records of shader tables, and the shaders that they name.

use super::super::{indirect::Work, sampler};
use super::Store;
use crate::ours::{self, Slots};
use reprise_dxbc::{RootSignature, Stage};
use reprise_interpreter::{Module, Record, Table};
use reprise_state_object::plan::Shader;
use reprise_state_object::{Field, IDENTIFIER};
use reprise_trace::read::content_hash;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

/// Which shader it is: its library, its entry point, and what lies in its records.
pub(super) type ShaderKey = (Arc<[u8]>, String, Option<Arc<RootSignature>>);

impl Store<'_> {
    /// The XXH3-128 of the libraries of these, by the same numbers.
    pub(crate) fn libraries(&self) -> BTreeMap<u32, u128> {
        self.shaders.iter().map(|((library, ..), module)| (module.number(), content_hash(library))).collect()
    }

    /// The shaders of records that were called, by their numbers.
    pub(crate) fn shaders(&self) -> BTreeMap<u32, Rc<Module>> {
        self.shaders.iter().map(|(_, module)| (module.number(), Rc::clone(module))).collect()
    }

    /// A record, as the call finds it; `None`, and noted, where its bytes are not here.
    pub(super) fn read_record(&mut self, table: Table, index: u64) -> Result<Option<Record>, String> {
        let (Some(shaders), Work::Rays(rays)) = (&self.invocation.rays, self.invocation.command().work) else {
            return Err("the call traces no rays".to_owned());
        };
        let Some((address, size)) = rays.place(table, index)? else { return Ok(Some(Record::default())) };
        let Some(bytes) = self.bytes_at(address, 0, size)? else { return Ok(None) };
        let (identifier, rest) = bytes.split_at(IDENTIFIER.min(bytes.len()));
        if identifier.iter().all(|byte| *byte == 0) {
            return Ok(Some(Record::default()));
        }
        let named = || format!("record {index} of the {} table", table.name().replace('_', " "));
        let known = shaders.export(identifier).cloned();
        let known = known.ok_or_else(|| format!("{} has an identifier that the program was not told", named()))?;
        if known.global.as_ref().is_some_and(|global| **global != *self.invocation.signature()) {
            let what =
                "is made for another global root signature than the list has, so that what it reads is undefined";
            return Err(format!("{}: {} {what}", named(), known.name));
        }
        let mut record = Record { name: Some(known.name.clone()), arguments: rest.to_vec(), ..Record::default() };
        for (offset, field) in &known.layout.fields {
            let at = *offset as usize - IDENTIFIER;
            let place = record.arguments.get_mut(at..).and_then(|rest| rest.first_chunk_mut::<8>());
            // Handles are those of the capture.
            if let (Field::Table, Some(place)) = (field, place) {
                let slot = self.invocation.slot_of(u64::from_le_bytes(*place));
                let slot = slot.ok_or_else(|| format!("{} + {offset} is no handle of a table", named()))?;
                *place = (u64::from(slot.index) << Slots::HANDLE_SHIFT).to_le_bytes();
            }
        }
        for (stage, shader) in &known.shaders {
            let module =
                self.shader(*stage, shader, known.local.as_ref()).map_err(|why| format!("{}: {why}", named()))?;
            match stage {
                Stage::ClosestHit => record.closest_hit = Some(module),
                Stage::AnyHit => record.any_hit = Some(module),
                Stage::Intersection => record.intersection = Some(module),
                _ => record.general = Some(module),
            }
        }
        Ok(Some(record))
    }

    fn shader(
        &mut self,
        stage: Stage,
        shader: &Shader,
        local: Option<&Arc<RootSignature>>,
    ) -> Result<Rc<Module>, String> {
        let same = |(library, entry, own): &ShaderKey| {
            Arc::ptr_eq(library, &shader.blob) && *entry == shader.entry && own.as_ref() == local
        };
        if let Some((_, module)) = self.shaders.iter().find(|(key, _)| same(key)) {
            return Ok(Rc::clone(module));
        }
        let global = self.invocation.signature();
        let named = |why: String| format!("shader {}: {why}", shader.plain);
        let own = local.map(|local| (&**local, self.local_samplers.len() as u32));
        let words = ours::compile_ray(&shader.blob, (stage, &shader.entry), global, own);
        let module =
            Module::read(&words.map_err(|why| named(format!("{why:#}")))?).map_err(|why| named(why.to_string()))?;
        if module.uses_waves() {
            return Err(named("its results depend on which rays share a wave, which the API leaves open".to_owned()));
        }
        self.local_samplers.extend(local.iter().flat_map(|local| &local.samplers).map(sampler::of_static));
        let number = self.shaders.len() as u32 + 1;
        let module = Rc::new(module.called(number, shader.plain.clone()));
        let key = (Arc::clone(&shader.blob), shader.entry.clone(), local.cloned());
        self.shaders.push((key, Rc::clone(&module)));
        Ok(module)
    }
}
