//! Textures that stand for images of swap chains.

use reprise_d3d12::interface;
use reprise_d3d12::types::{
    D3D12_HEAP_TYPE, D3D12_RESOURCE_DESC, D3D12_RESOURCE_DIMENSION, D3D12_RESOURCE_FLAGS, D3D12_RESOURCE_STATES,
    DXGI_FORMAT, DXGI_SAMPLE_DESC,
};

use crate::call::creation::MadeObject;
use crate::runtime::com::Com;
use crate::runtime::reference::Reference;
use crate::runtime::replay_objects;
use crate::world::World;

/// A texture that can be presented.
pub(super) fn texture(width: u32, height: u32, format: u32) -> D3D12_RESOURCE_DESC {
    let mut desc = D3D12_RESOURCE_DESC {
        Dimension: D3D12_RESOURCE_DIMENSION::TEXTURE2D,
        Width: u64::from(width),
        Height: height,
        DepthOrArraySize: 1,
        MipLevels: 1,
        Format: DXGI_FORMAT(format as _),
        SampleDesc: DXGI_SAMPLE_DESC { Count: 1, Quality: 0 },
        ..Default::default()
    };
    desc.Flags = D3D12_RESOURCE_FLAGS::ALLOW_RENDER_TARGET;
    desc
}

/// Makes a committed texture, in the state of a presented image, that has the id of an image of the swap chain.
/// `child` is the device itself or anything it made.
pub(crate) fn stand_in(world: &mut World, child: u32, id: u32, desc: &D3D12_RESOURCE_DESC) -> Result<(), String> {
    let pointer = {
        let device = match world.pointer(child, interface("ID3D12Device")) {
            Ok(device) => {
                let again = world.runtime.query(device, &interface("ID3D12Device").get().iid);
                Reference::new(&world.runtime, again.unwrap_or(0)).ok_or("the device does not know itself")?
            }
            Err(_) => world.device_of(child)?,
        };
        replay_objects::committed(
            device.runtime(),
            device.pointer(),
            D3D12_HEAP_TYPE::DEFAULT,
            desc,
            D3D12_RESOURCE_STATES::PRESENT,
        )?
        .into_pointer()
    };
    if world.objects.given(&world.runtime, id, interface("ID3D12Resource"), pointer) {
        world
            .made(id, MadeObject::Resource { desc: *desc, heap_type: D3D12_HEAP_TYPE::DEFAULT.0 as u32, placed: None });
    }
    Ok(())
}
