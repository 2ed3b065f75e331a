//! Acceleration structures. Each build of a call waits for itself.

use ash::vk;

use super::{TRANSFER, array, commands};
use crate::waiting::{self, About, Stages};

type Geometry = vk::AccelerationStructureGeometryKHR<'static>;
type Range = vk::AccelerationStructureBuildRangeInfoKHR;
type Info = vk::AccelerationStructureBuildGeometryInfoKHR<'static>;

const BUILD: Stages = Stages::ACCELERATION_STRUCTURE_BUILD_KHR;
/// Copies of structures: the stage of builds has them, too.
const COPY: Stages =
    Stages::from_raw(BUILD.as_raw() | Stages::ACCELERATION_STRUCTURE_COPY_KHR.as_raw() | TRANSFER.as_raw());

/// Geometries of a build.
///
/// # Safety
/// The structure is the program's.
unsafe fn geometries(info: &Info) -> Vec<Geometry> {
    if info.p_geometries.is_null() && info.geometry_count != 0 {
        // SAFETY: there are so many, by pointers.
        return unsafe { array(info.geometry_count, info.pp_geometries).iter().map(|one| **one).collect() };
    }
    // SAFETY: there are so many.
    unsafe { array(info.geometry_count, info.p_geometries) }
}

/// Whether a geometry names more memory of the program's by a chain, such as opacity micromaps.
fn is_chained(geometry: &Geometry) -> bool {
    // SAFETY: the type says which arm of the union is set.
    let chain = unsafe {
        match geometry.geometry_type {
            vk::GeometryTypeKHR::TRIANGLES => geometry.geometry.triangles.p_next,
            vk::GeometryTypeKHR::AABBS => geometry.geometry.aabbs.p_next,
            _ => geometry.geometry.instances.p_next,
        }
    };
    !chain.is_null() || !geometry.p_next.is_null()
}

commands! {
    build [c"vkCmdBuildAccelerationStructuresKHR"] (
        count: u32, infos: *const Info, ranges: *const *const Range,
    ) |buffer, below| {
        // SAFETY: there are so many of both.
        let (all, of_ranges) = unsafe { (array(count, infos), array(count, ranges)) };
        // SAFETY: the program's structures.
        let all: Vec<(Info, Vec<Geometry>)> = all.into_iter().map(|one| unsafe { (one, geometries(&one)) }).collect();
        let chained = |one: &(Info, Vec<Geometry>)| !one.0.p_next.is_null() || one.1.iter().any(is_chained);
        if all.iter().any(chained) {
            waiting::pass(buffer);
            // SAFETY: the arguments of this call.
            return unsafe { below(buffer, count, infos, ranges) };
        }
        for ((info, geometries), ranges) in all.into_iter().zip(of_ranges) {
            // SAFETY: a range for each geometry.
            let ranges = unsafe { array(info.geometry_count, ranges) };
            let is_top = info.ty == vk::AccelerationStructureTypeKHR::TOP_LEVEL;
            waiting::wait(buffer, About { stages: BUILD, is_top, ..About::default() }, move || {
                let info = Info { p_geometries: geometries.as_ptr(), pp_geometries: std::ptr::null(), ..info };
                // SAFETY: a build of the program's, whose arrays live until the call returns.
                unsafe { below(buffer, 1, &info, &ranges.as_ptr()) };
            });
        }
    }
    copy [c"vkCmdCopyAccelerationStructureKHR"] (
        info: *const vk::CopyAccelerationStructureInfoKHR<'static>,
    ) |buffer, below| {
        // SAFETY: the program's structure, to which nothing can be chained.
        let info = unsafe { *info };
        // SAFETY: the argument of this call.
        waiting::wait(buffer, About { stages: COPY, ..About::default() }, move || unsafe { below(buffer, &info) });
    }
    write [c"vkCmdCopyAccelerationStructureToMemoryKHR"] (
        info: *const vk::CopyAccelerationStructureToMemoryInfoKHR<'static>,
    ) |buffer, below| {
        // SAFETY: the program's structure, to which nothing can be chained.
        let info = unsafe { *info };
        // SAFETY: the argument of this call.
        waiting::wait(buffer, About { stages: COPY, ..About::default() }, move || unsafe { below(buffer, &info) });
    }
    read [c"vkCmdCopyMemoryToAccelerationStructureKHR"] (
        info: *const vk::CopyMemoryToAccelerationStructureInfoKHR<'static>,
    ) |buffer, below| {
        // SAFETY: the program's structure, to which nothing can be chained.
        let info = unsafe { *info };
        // SAFETY: the argument of this call.
        waiting::wait(buffer, About { stages: COPY, ..About::default() }, move || unsafe { below(buffer, &info) });
    }
    ask [c"vkCmdWriteAccelerationStructuresPropertiesKHR"] (
        count: u32, structures: *const vk::AccelerationStructureKHR, kind: vk::QueryType,
        pool: vk::QueryPool, first: u32,
    ) |buffer, below| {
        // SAFETY: there are so many.
        let structures = unsafe { array(count, structures) };
        waiting::wait(buffer, About { stages: BUILD, pool, ..About::default() }, move || {
            // SAFETY: the arguments of this call; the array lives until it returns.
            unsafe { below(buffer, count, structures.as_ptr(), kind, pool, first) };
        });
    }
}
