//! The words that a schema uses for scalar types, lengths, roles, directions and orders. FORMAT.md, "Schema", lists them.
//!
//! Invariant: each value has one word and each word one value, so what is written is read back as it was. A word never
//! changes its meaning: new values get new words.

use reprise_d3d12::model::{BlobKind, Direction, Order, Role, Rule, Type};

/// The functions from values to words and back, from one list.
macro_rules! words {
    ($to:ident, $from:ident, $type:ty, { $($value:pat => $make:expr, $word:literal;)* } $(, else $other:pat => $default:expr)?) => {
        pub(super) fn $to(value: $type) -> &'static str {
            match value {
                $($value => $word,)*
                $($other => $default,)?
            }
        }
        pub(super) fn $from(word: &str) -> Option<$type> {
            match word {
                $($word => Some($make),)*
                _ => None,
            }
        }
    };
    ($to:ident, $from:ident, $type:ident, { $($value:ident = $word:literal;)* }) => {
        words!($to, $from, $type, { $($type::$value => $type::$value, $word;)* });
    };
}

words!(scalar, scalar_of, Type, {
    Type::Void => Type::Void, "void";
    Type::U8 => Type::U8, "u8";
    Type::I8 => Type::I8, "i8";
    Type::U16 => Type::U16, "u16";
    Type::I16 => Type::I16, "i16";
    Type::U32 => Type::U32, "u32";
    Type::I32 => Type::I32, "i32";
    Type::U64 => Type::U64, "u64";
    Type::I64 => Type::I64, "i64";
    Type::F32 => Type::F32, "f32";
    Type::F64 => Type::F64, "f64";
    Type::Bool => Type::Bool, "bool";
    Type::Hresult => Type::Hresult, "hresult";
    Type::Guid => Type::Guid, "guid";
    Type::Word => Type::Word, "word";
}, else Type::Enum(_) | Type::Struct(_) | Type::Object(_) | Type::Pointer(_) => "");

words!(order, order_of, Order, {
    Object = "object";
    Enter = "enter";
    EnterLeave = "leave";
});

words!(direction, direction_of, Direction, {
    In = "in";
    Out = "out";
    InOut = "inout";
});

words!(role, role_of, Role, {
    Role::Plain => Role::Plain, "plain";
    Role::CpuDescriptor => Role::CpuDescriptor, "cpu-descriptor";
    Role::GpuDescriptor => Role::GpuDescriptor, "gpu-descriptor";
    Role::GpuAddress => Role::GpuAddress, "gpu-address";
    Role::Size => Role::Size, "size";
    Role::Event => Role::Event, "event";
    Role::SharedHandle => Role::SharedHandle, "shared-handle";
    Role::Callback => Role::Callback, "callback";
    Role::Context => Role::Context, "context";
    Role::Text => Role::Text, "text";
    Role::Blob(BlobKind::Bytes) => Role::Blob(BlobKind::Bytes), "bytes";
    Role::Blob(BlobKind::Shader) => Role::Blob(BlobKind::Shader), "shader";
    Role::Blob(BlobKind::RootSignature) => Role::Blob(BlobKind::RootSignature), "root-signature";
    Role::Blob(BlobKind::CachedPipeline) => Role::Blob(BlobKind::CachedPipeline), "cached-pipeline";
    Role::Blob(BlobKind::PrivateData) => Role::Blob(BlobKind::PrivateData), "private-data";
    Role::Blob(BlobKind::Marker) => Role::Blob(BlobKind::Marker), "marker";
    Role::Blob(BlobKind::Texels) => Role::Blob(BlobKind::Texels), "texels";
    Role::Iid => Role::Iid, "iid";
    Role::CpuAddress => Role::CpuAddress, "cpu-address";
    Role::Foreign => Role::Foreign, "foreign";
    Role::Reserved => Role::Reserved, "reserved";
    Role::Color => Role::Color, "color";
});

words!(rule, rule_of, Rule, {
    Rule::PipelineStream => Rule::PipelineStream, "pipeline-stream";
    Rule::StateSubobject => Rule::StateSubobject, "state-subobject";
    Rule::StateSubobjectReference => Rule::StateSubobjectReference, "state-subobject-reference";
    Rule::FeatureData => Rule::FeatureData, "feature-data";
    Rule::RenderTargets => Rule::RenderTargets, "render-targets";
    Rule::SubresourceData => Rule::SubresourceData, "subresource-data";
    Rule::Mapping => Rule::Mapping, "mapping";
    Rule::CastableFormats => Rule::CastableFormats, "castable-formats";
    Rule::CalleeOwned => Rule::CalleeOwned, "callee-owned";
    Rule::ElementsLayout => Rule::ElementsLayout, "elements-layout";
    Rule::Named("OneInBuffer") => Rule::Named("OneInBuffer"), "one-in-buffer";
    Rule::Named("SamplePositions") => Rule::Named("SamplePositions"), "sample-positions";
    Rule::Named("NodeRecords") => Rule::Named("NodeRecords"), "node-records";
    Rule::Named("NodeInputs") => Rule::Named("NodeInputs"), "node-inputs";
    Rule::Named("ExperimentalConfiguration") => Rule::Named("ExperimentalConfiguration"), "experimental-configuration";
    Rule::Named("QueryData") => Rule::Named("QueryData"), "query-data";
    Rule::Named("VkNext") => Rule::Named("VkNext"), "vk-next";
}, else Rule::Named(_) => UNKNOWN_RULE);

/// Stands for a rule that has no word. No reader takes it, so a test finds it before a trace is written with it.
pub(super) const UNKNOWN_RULE: &str = "unknown";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::named::NAMES;

    #[test]
    fn each_named_rule_has_a_word() {
        for name in NAMES {
            let word = rule(Rule::Named(name));
            assert_eq!(rule_of(word), Some(Rule::Named(name)), "{name}");
        }
    }

    #[test]
    fn words_are_read_back_and_no_other() {
        for kind in [BlobKind::Bytes, BlobKind::Shader, BlobKind::Texels, BlobKind::Marker] {
            assert_eq!(role_of(role(Role::Blob(kind))), Some(Role::Blob(kind)));
        }
        assert_eq!(role_of("Plain"), None);
        assert_eq!(order_of(order(Order::EnterLeave)), Some(Order::EnterLeave));
        assert_eq!(direction_of("In"), None);
        assert!(matches!(scalar_of("u16"), Some(Type::U16)));
        assert!(scalar_of("").is_none());
        assert_eq!(rule_of(UNKNOWN_RULE), None);
    }
}
