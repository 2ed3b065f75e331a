//! What the device can do, as far as generated code depends on it.

macro_rules! target {
    ($($(#[$doc:meta])* $name:ident: $kind:ty = $default:expr,)*) => {
        /// What the device can do, as far as generated code depends on it.
        ///
        /// The default is the least that the runtime asks of a device.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct Target {
            $($(#[$doc])* pub $name: $kind,)*
        }

        impl Default for Target {
            fn default() -> Target {
                Target { $($name: $default,)* }
            }
        }

        impl Target {
            /// The fields as words, in their order.
            pub(crate) fn words(&self) -> Vec<u32> {
                vec![$(u32::from(self.$name),)*]
            }

            /// The reverse of [`Target::words`].
            pub(crate) fn from_words(words: &[u32]) -> Option<Target> {
                let mut words = words.iter().copied();
                let target = Target { $($name: <$kind as Word>::from_word(words.next()?)?,)* };
                words.next().is_none().then_some(target)
            }
        }
    };
}

/// A field that is one word.
trait Word: Sized {
    fn from_word(word: u32) -> Option<Self>;
}

impl Word for u32 {
    fn from_word(word: u32) -> Option<u32> {
        Some(word)
    }
}

impl Word for bool {
    fn from_word(word: u32) -> Option<bool> {
        (word <= 1).then_some(word == 1)
    }
}

target! {
    /// `minStorageBufferOffsetAlignment`, a power of two, in bytes: raw views that are not so aligned are corrected by the
    /// offset buffer.
    storage_alignment: u32 = 16,
    /// Typed buffer views are corrected by the offset buffer, too.
    typed_offsets: bool = true,
    /// `shaderStorageImageReadWithoutFormat`.
    read_without_format: bool = false,
    /// `shaderInputOutput16`: 16-bit values between stages.
    stage_io_16bit: bool = false,
    /// Minimum-precision types become real 16-bit types.
    native_min_precision: bool = false,
    /// `shaderIntegerDotProduct`.
    integer_dot: bool = false,
    /// `scalarBlockLayout` and storage of any width: raw buffers are read in vectors.
    scalar_layout: bool = false,
    /// Robustness of such vectors is per component.
    robust_components: bool = false,
    /// `VK_KHR_fragment_shader_barycentric`.
    barycentrics: bool = false,
    /// Denormals of 16-bit floats can be kept.
    denorm_16: bool = false,
    /// Denormals of 64-bit floats can be kept.
    denorm_64: bool = false,
    /// `VK_KHR_compute_shader_derivatives`.
    compute_derivatives: bool = false,
    /// `VK_NV_compute_shader_derivatives`.
    compute_derivatives_nv: bool = false,
    /// `shaderQuadControl`.
    quad_control: bool = false,
    /// `shaderMaximalReconvergence`.
    maximal_reconvergence: bool = false,
    /// `VK_NV_raw_access_chains`.
    raw_access_chains: bool = false,
    /// `VK_NV_shader_subgroup_partitioned`.
    subgroup_partitioned: bool = false,
    /// Ray flags that cull by kind of primitive.
    ray_primitive_culling: bool = false,
    /// `VK_EXT_opacity_micromap`.
    micromaps: bool = false,
    /// Smallest subgroup.
    subgroup_min: u32 = 4,
    /// Largest subgroup.
    subgroup_max: u32 = 128,
    /// What mesh shaders give is stored in whole vectors only: the driver loses stores to single components.
    whole_mesh_stores: bool = false,
    /// Stages without operations of subgroups, a bit for each [`Stage`](crate::Stage).
    lone_stages: u32 = 0,
    /// The set of records, where shaders look at descriptors before they use them ([`crate::checks`]); 0: they do not.
    check_set: u32 = 0,
    /// Samplers that every array of them has. Indices stay within the bound heaps ([`crate::bounds`]); 0: they are used as they are.
    samplers: u32 = 0,
    /// Where samplers begin in these arrays that read what others compare with ([`crate::plain`]); 0: the driver asks the instruction.
    plain_samplers: u32 = 0,
    /// `VkDriverId`; the translator works around faults of some.
    driver_id: u32 = 0,
    /// The driver's own version number.
    driver_version: u32 = 0,
}
