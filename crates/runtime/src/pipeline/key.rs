//! The name of a description's content: the same content has the same name, wherever it lies.

use xxhash_rust::xxh3::Xxh3;

use super::Description;
use crate::description::array;

impl Description<'_> {
    /// Names the shaders, the state and the serialised root signature, for cached blobs: the same gives the same name.
    pub fn key(&self, root: &[u8]) -> [u8; 16] {
        let mut hash = Xxh3::new();
        hash.update(&(root.len() as u64).to_le_bytes());
        hash.update(root);
        for (stage, blob) in &self.stages {
            hash.update(&(*stage as u32).to_le_bytes());
            hash.update(&(blob.len() as u64).to_le_bytes());
            hash.update(blob);
        }
        let mut words = vec![self.sample_mask, self.flags, self.samples.Count, self.samples.Quality];
        words.extend(self.views.words());
        words.extend([self.topology.0, self.strip_cut.0, self.depth_format.0].map(|number| number as u32));
        words.extend(self.targets.RTFormats.map(|format| format.0 as u32));
        words.push(self.targets.NumRenderTargets);
        for target in &self.blend.RenderTarget {
            words.extend(
                [
                    target.BlendEnable,
                    target.LogicOpEnable,
                    target.SrcBlend.0,
                    target.DestBlend.0,
                    target.BlendOp.0,
                    target.SrcBlendAlpha.0,
                    target.DestBlendAlpha.0,
                    target.BlendOpAlpha.0,
                    target.LogicOp.0,
                    target.RenderTargetWriteMask.into(),
                ]
                .map(|number| number as u32),
            );
        }
        let (raster, depth) = (&self.rasterizer, &self.depth_stencil);
        words.extend([raster.DepthBias, raster.DepthBiasClamp, raster.SlopeScaledDepthBias].map(f32::to_bits));
        words.extend(
            [
                self.blend.AlphaToCoverageEnable,
                self.blend.IndependentBlendEnable,
                raster.FillMode.0,
                raster.CullMode.0,
                raster.FrontCounterClockwise,
                raster.DepthClipEnable,
                raster.LineRasterizationMode.0,
                raster.ForcedSampleCount as i32,
                raster.ConservativeRaster.0,
                depth.DepthEnable,
                depth.DepthWriteMask.0,
                depth.DepthFunc.0,
                depth.StencilEnable,
                depth.DepthBoundsTestEnable,
            ]
            .map(|number| number as u32),
        );
        for face in [&depth.FrontFace, &depth.BackFace] {
            let ops = [face.StencilFailOp, face.StencilDepthFailOp, face.StencilPassOp];
            words.extend(ops.map(|op| op.0 as u32));
            words.extend([face.StencilFunc.0 as u32, face.StencilReadMask.into(), face.StencilWriteMask.into()]);
        }
        words.iter().for_each(|word| hash.update(&word.to_le_bytes()));
        self.hash_arrays(&mut hash);
        hash.digest128().to_le_bytes()
    }

    /// What the description points to: vertex attributes and stream output.
    fn hash_arrays(&self, hash: &mut Xxh3) {
        let name = |hash: &mut Xxh3, name: *const u8| {
            if !name.is_null() {
                // SAFETY: whoever made the description has promised its strings, which end with zero.
                hash.update(unsafe { core::ffi::CStr::from_ptr(name.cast()) }.to_bytes_with_nul());
            }
        };
        let (layout, stream) = (&self.input_layout, &self.stream_output);
        // SAFETY: whoever made the description has promised its strings, which end with zero; of the arrays.
        let (elements, entries, strides) = unsafe {
            (
                array(layout.pInputElementDescs, layout.NumElements).unwrap_or_default(),
                array(stream.pSODeclaration, stream.NumEntries).unwrap_or_default(),
                array(stream.pBufferStrides, stream.NumStrides).unwrap_or_default(),
            )
        };
        let words = |hash: &mut Xxh3, words: &[u32]| {
            words.iter().for_each(|word| hash.update(&word.to_le_bytes()));
        };
        words(hash, &[layout.NumElements, stream.NumEntries, stream.RasterizedStream, stream.NumStrides]);
        for element in elements {
            name(hash, element.SemanticName);
            let numbers =
                [element.SemanticIndex, element.Format.0 as u32, element.InputSlot, element.AlignedByteOffset];
            words(hash, &numbers);
            words(hash, &[element.InputSlotClass.0 as u32, element.InstanceDataStepRate]);
        }
        for entry in entries {
            name(hash, entry.SemanticName);
            words(hash, &[entry.Stream, entry.SemanticIndex, u32::from(entry.SemanticName.is_null())]);
            hash.update(&[entry.StartComponent, entry.ComponentCount, entry.OutputSlot]);
        }
        words(hash, strides);
    }
}
