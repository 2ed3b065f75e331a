//! Shading rates that change between draws: recorded, and nothing more.

use super::{Operation, WIN64};
use crate::call;
use crate::com::slot;
use crate::make::Maker;
use crate::stage::Stage;
use anyhow::Result;
use reprise_d3d12::types::*;

const DRAWS: u32 = 10_000;
const RATES: [D3D12_SHADING_RATE; 2] = [D3D12_SHADING_RATE::RATE_1X1, D3D12_SHADING_RATE::RATE_2X2];

pub(super) unsafe fn all(stage: &'static Stage, make: &Maker<WIN64>) -> Result<Vec<Operation>> {
    // SAFETY: a runtime's device, by the caller's promise; so below.
    let options = unsafe { make.feature::<D3D12_FEATURE_DATA_D3D12_OPTIONS6>(D3D12_FEATURE::D3D12_OPTIONS6)? };
    let tier = options.map_or(D3D12_VARIABLE_SHADING_RATE_TIER::TIER_NOT_SUPPORTED, |it| it.VariableShadingRateTier);
    if tier < D3D12_VARIABLE_SHADING_RATE_TIER::TIER_1 {
        return Ok(Vec::new());
    }
    // SAFETY: the stage's list is a list of the device.
    let Some(list) = (unsafe { make.query(stage.list, "ID3D12GraphicsCommandList5")? }) else {
        return Ok(Vec::new());
    };
    let rate = slot("ID3D12GraphicsCommandList5", "RSSetShadingRate")?;
    let slots = &stage.slots;
    Ok(vec![
        Operation::new("RSSetShadingRate of two in turn + draw", DRAWS, move |number| {
            let combiners = [D3D12_SHADING_RATE_COMBINER::PASSTHROUGH; 2];
            for i in 0..number {
                let value = RATES[i as usize % RATES.len()].0;
                // SAFETY: the list is open and has what the pipeline needs.
                unsafe {
                    call!(WIN64, list, rate, (i32, *const D3D12_SHADING_RATE_COMBINER) -> (), (value, combiners.as_ptr()));
                    call!(WIN64, list, slots.draw, (u32, u32, u32, u32) -> (), (3, 1, 0, 0));
                }
            }
        })
        // SAFETY: the list is closed or open, its allocator not in use.
        .after(move || unsafe { stage.begin::<WIN64>() }),
    ])
}
