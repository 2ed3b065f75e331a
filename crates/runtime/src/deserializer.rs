//! Root signatures read back for programs.

use core::ffi::c_void;

use reprise_com::result::{E_INVALIDARG, S_OK};
use reprise_com::{Class, Object, Tables, Vtable, guard, vtable};
use reprise_d3d12::interface;
use reprise_d3d12::model::InterfaceId;
use reprise_d3d12::types::{
    D3D_ROOT_SIGNATURE_VERSION, D3D12_ROOT_SIGNATURE_DESC, D3D12_VERSIONED_ROOT_SIGNATURE_DESC,
};
use reprise_dxbc::root_signature::Version;
use reprise_dxbc::{Container, RootSignature, Tag};

use crate::description::Description;
use crate::{Error, Result};

/// `D3D12_ROOT_SIGNATURE_FLAG_LOCAL_ROOT_SIGNATURE`.
pub(crate) const LOCAL: u32 = 0x80;

const OLD: InterfaceId = interface("ID3D12RootSignatureDeserializer");
const VERSIONED: InterfaceId = interface("ID3D12VersionedRootSignatureDeserializer");

/// Reads a root signature out of a container: its own, or the one global root signature that a library of shaders declares.
///
/// # Errors
/// When the bytes are not a container, or the container has no root signature, which is another error to programs.
pub fn parse(bytes: &[u8]) -> Result<(RootSignature, Version)> {
    RootSignature::from_container(bytes).or_else(|malformed| {
        reprise_log::debug(|| format!("root signature: {malformed}"));
        match Container::parse(bytes) {
            Ok(container) if container.part(Tag::RTS0).is_none() => {
                of_library(bytes)?.ok_or(Error::Fail("the container has no root signature"))
            }
            _ => Err(Error::Invalid("the bytes are no container with a root signature")),
        }
    })
}

/// The global root signature among a library's subobjects.
fn of_library(bytes: &[u8]) -> Result<Option<(RootSignature, Version)>> {
    let all = reprise_dxbc::library::root_signatures(bytes);
    let all = all.map_err(|_| Error::Invalid("the bytes are no library of shaders"))?;
    let read = |(_, part)| RootSignature::from_container(&reprise_dxbc::container::build(&[(Tag::RTS0, part)]));
    let mut globals = all.into_iter().filter_map(|one| read(one).ok()).filter(|(root, _)| root.flags & LOCAL == 0);
    match (globals.next(), globals.next()) {
        (Some(_), Some(_)) => Err(Error::Invalid("a library of shaders declares several global root signatures")),
        (one, _) => Ok(one),
    }
}

/// The container of a root signature that is a subobject of a library of shaders.
///
/// # Errors
/// When the bytes are no library, or it has no root signature of this name.
///
/// # Safety
/// `name` is null or leads to UTF-16 that ends with 0.
pub unsafe fn subobject(library: &[u8], name: *const u16) -> Result<Vec<u8>> {
    // SAFETY: the caller promises: `name` is null or leads to UTF-16 that ends with 0.
    let name = unsafe { crate::wide::text(name) }?;
    let found = reprise_dxbc::library::root_signature(library, &name).map_err(|malformed| {
        reprise_log::debug(|| format!("root signature {name:?} of a library: {malformed}"));
        Error::Invalid("the bytes are no library of shaders")
    })?;
    let found = found.ok_or(Error::Invalid("the library has no root signature of this name"))?;
    Ok(reprise_dxbc::container::build(&[(Tag::RTS0, found)]))
}

/// Gives version 1.0, whatever the container has.
#[derive(Debug)]
pub struct Deserializer(Description);

impl Deserializer {
    /// Reads the container.
    ///
    /// # Errors
    /// As [`parse`].
    pub fn new(bytes: &[u8]) -> Result<Deserializer> {
        let (signature, _) = parse(bytes)?;
        Ok(Deserializer(Description::new(&signature, Version::V1_0)))
    }
}

static OLD_VTABLE: Vtable<{ OLD.slots() as usize }> =
    vtable(OLD, Object::<Deserializer>::SHARED, &[("GetRootSignatureDesc", get_desc as *const c_void)]);

impl Class for Deserializer {
    const INTERFACE: InterfaceId = OLD;
    const VTABLE: Tables = OLD_VTABLE.tables();

    fn answers(asked: InterfaceId) -> bool {
        asked == OLD
    }
}

unsafe extern "C" fn get_desc(this: *mut c_void) -> *const D3D12_ROOT_SIGNATURE_DESC {
    // SAFETY: an object of ours; its description is of version 1.0.
    unsafe { &raw const Object::<Deserializer>::this(this).0.get().Anonymous.Desc_1_0 }
}

/// Gives any version.
#[derive(Debug)]
pub struct VersionedDeserializer {
    /// As the container has it.
    own: Version,
    /// Versions 1.0, 1.1 and 1.2.
    versions: [Description; 3],
}

impl VersionedDeserializer {
    /// Reads the container.
    ///
    /// # Errors
    /// As [`parse`].
    pub fn new(bytes: &[u8]) -> Result<VersionedDeserializer> {
        let (signature, own) = parse(bytes)?;
        let versions =
            [Version::V1_0, Version::V1_1, Version::V1_2].map(|version| Description::new(&signature, version));
        Ok(VersionedDeserializer { own, versions })
    }

    fn get(&self, version: Version) -> *const D3D12_VERSIONED_ROOT_SIGNATURE_DESC {
        self.versions[version as usize - Version::V1_0 as usize].get()
    }
}

static VERSIONED_VTABLE: Vtable<{ VERSIONED.slots() as usize }> = vtable(
    VERSIONED,
    Object::<VersionedDeserializer>::SHARED,
    &[
        ("GetRootSignatureDescAtVersion", get_desc_at_version as *const c_void),
        ("GetUnconvertedRootSignatureDesc", get_unconverted_desc as *const c_void),
    ],
);

impl Class for VersionedDeserializer {
    const INTERFACE: InterfaceId = VERSIONED;
    const VTABLE: Tables = VERSIONED_VTABLE.tables();

    fn answers(asked: InterfaceId) -> bool {
        asked == VERSIONED
    }
}

unsafe extern "C" fn get_desc_at_version(
    this: *mut c_void,
    version: D3D_ROOT_SIGNATURE_VERSION,
    out: *mut *const D3D12_VERSIONED_ROOT_SIGNATURE_DESC,
) -> i32 {
    guard(E_INVALIDARG, || {
        let Some(version) = Version::from_number(version.0 as u32) else { return E_INVALIDARG };
        if out.is_null() {
            return E_INVALIDARG;
        }
        // SAFETY: an object of ours; the place is the caller's.
        unsafe { out.write(Object::<VersionedDeserializer>::this(this).get(version)) };
        S_OK
    })
}

unsafe extern "C" fn get_unconverted_desc(this: *mut c_void) -> *const D3D12_VERSIONED_ROOT_SIGNATURE_DESC {
    // SAFETY: an object of ours.
    let this = unsafe { Object::<VersionedDeserializer>::this(this) };
    this.get(this.own)
}
