//! Tables of calls of a few methods, with their arguments as columns.

use super::{Column, Kind, Table};
use crate::bounds::{Bounds, Objects};
use crate::sink::{Cell, Sink, Stop};
use crate::source::{self, Source};
use crate::{enters, lines};
use reprise_codec::{Codec, Value};
use reprise_d3d12::model::MethodId;
use reprise_trace::read::Event;
use reprise_view::api;
use serde_json::Value as Json;
use std::sync::Arc;

/// A column, and where its value is in a call's line: the first of these places (JSON pointers) that has one.
pub(super) struct Of(Column, &'static [&'static str]);

/// See the module.
pub(super) struct View {
    name: &'static str,
    about: &'static str,
    methods: &'static [&'static str],
    /// The columns that hold objects which the arguments name.
    named: &'static [&'static str],
    /// A method and an argument of it, a list. Such a call has a row for each item, which stands in the line as `item`.
    each: Option<(&'static str, &'static str)>,
    columns: &'static [Of],
}

impl std::fmt::Debug for View {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

const fn number(name: &'static str, about: &'static str, at: &'static [&'static str]) -> Of {
    Of(Column::new(name, Kind::Number, about), at)
}

const fn text(name: &'static str, about: &'static str, at: &'static [&'static str]) -> Of {
    Of(Column::new(name, Kind::Text, about), at)
}

const CALL: Of = number("call", "number of the call", &["/call"]);
const FRAME: Of = number("frame", "the frame, from 1", &["/frame"]);
const THREAD: Of = number("thread", "the thread, from 0", &["/thread"]);
const METHOD: Of = Of(Column::new("method", Kind::Name, "the method, without its interface"), &["/method"]);
const LIST: Of = number("list", "the command list", &["/this/id"]);
const ARGS: Of = text("args", "all arguments, as JSON", &["/args"]);

const VIEWS: &[View] = &[
    View {
        name: "copies",
        about: "copies and resolves",
        methods: &[
            "CopyBufferRegion",
            "CopyTextureRegion",
            "CopyResource",
            "CopyTiles",
            "ResolveSubresource",
            "ResolveSubresourceRegion",
        ],
        named: &["destination", "source"],
        each: None,
        columns: &[
            CALL,
            FRAME,
            THREAD,
            METHOD,
            LIST,
            number(
                "destination",
                "the resource written",
                &[
                    "/written/id",
                    "/args/pDstBuffer/id",
                    "/args/pDst/pResource/id",
                    "/args/pDstResource/id",
                    "/args/pTiledResource/id",
                ],
            ),
            number(
                "source",
                "the resource read",
                &[
                    "/read/id",
                    "/args/pSrcBuffer/id",
                    "/args/pSrc/pResource/id",
                    "/args/pSrcResource/id",
                    "/args/pBuffer/id",
                ],
            ),
            number("destination_offset", "bytes", &["/args/DstOffset"]),
            number("source_offset", "bytes", &["/args/SrcOffset"]),
            number("bytes", "bytes copied; null for textures", &["/args/NumBytes"]),
            ARGS,
        ],
    },
    View {
        name: "descriptors",
        about: "descriptors that were written or copied; CopyDescriptors has a row for each range that it writes",
        methods: &[
            "CreateShaderResourceView",
            "CreateUnorderedAccessView",
            "CreateConstantBufferView",
            "CreateRenderTargetView",
            "CreateDepthStencilView",
            "CreateSampler",
            "CreateSampler2",
            "CopyDescriptors",
            "CopyDescriptorsSimple",
        ],
        named: &["object"],
        each: Some(("CopyDescriptors", "pDestDescriptorRangeStarts")),
        columns: &[
            CALL,
            FRAME,
            THREAD,
            METHOD,
            number(
                "heap",
                "the descriptor heap written",
                &["/args/DestDescriptor/heap", "/args/DestDescriptorRangeStart/heap", "/item/heap"],
            ),
            number(
                "slot",
                "the first slot written",
                &["/args/DestDescriptor/index", "/args/DestDescriptorRangeStart/index", "/item/index"],
            ),
            number(
                "object",
                "the resource that is viewed",
                &["/args/pResource/id", "/args/pDesc/BufferLocation/object"],
            ),
            text("format", "of the view", &["/args/pDesc/Format"]),
            text("dimension", "of the view", &["/args/pDesc/ViewDimension"]),
            ARGS,
        ],
    },
    View {
        name: "pipelines",
        about: "pipelines and state objects that were made",
        methods: &[
            "CreateGraphicsPipelineState",
            "CreateComputePipelineState",
            "CreatePipelineState",
            "CreateStateObject",
            "AddToStateObject",
            "LoadGraphicsPipeline",
            "LoadComputePipeline",
            "LoadPipeline",
        ],
        named: &[],
        each: None,
        columns: &[
            CALL,
            FRAME,
            THREAD,
            METHOD,
            number(
                "object",
                "the pipeline",
                &["/outputs/ppPipelineState/id", "/outputs/ppStateObject/id", "/outputs/ppNewStateObject/id"],
            ),
            number(
                "root_signature",
                "its root signature, where that is named",
                &["/args/pDesc/pRootSignature/id", "/root_signature/id"],
            ),
            number("duration_ns", "nanoseconds that making it took", &["/duration_ns"]),
            text("result", "what the call returned", &["/result"]),
            ARGS,
        ],
    },
];

/// All views.
pub(super) fn all() -> impl Iterator<Item = Arc<dyn Table>> {
    VIEWS.iter().map(|view| Arc::new(view) as Arc<dyn Table>)
}

impl Table for &'static View {
    fn name(&self) -> &str {
        self.name
    }

    fn about(&self) -> &str {
        self.about
    }

    fn columns(&self) -> Vec<Column> {
        self.columns.iter().map(|of| of.0.clone()).collect()
    }

    fn objects(&self) -> Objects {
        Objects {
            of_call: if self.columns.iter().any(|of| of.0.name == "list") { &["list"] } else { &[] },
            named: self.named,
        }
    }

    fn parts(&self, source: &Source, bounds: &Bounds, columns: &[usize]) -> Vec<Bounds> {
        match self.is_plain(|column| columns.contains(&column)) {
            true => bounds.split(source.trace.statistics().calls),
            false => vec![bounds.clone()],
        }
    }

    fn read(&self, source: &Source, bounds: &Bounds, sink: &mut Sink<'_>) -> Result<(), Stop> {
        if self.is_plain(|column| sink.wants(column)) {
            return self.plain(source, bounds, sink);
        }
        lines::each(source, bounds, self.methods, |mut line| {
            lines::plain_method(&mut line);
            name_tiles(&mut line);
            name_root_signature(&mut line);
            for item in self.items(&line) {
                line["item"] = item;
                let mut texts = vec![String::new(); self.columns.len()];
                let cells: Vec<Cell<'_>> =
                    self.columns.iter().zip(&mut texts).map(|(of, text)| of.cell(&line, text)).collect();
                sink.row(&cells)?;
            }
            Ok(())
        })
    }
}

impl View {
    /// Whether all columns that are asked for come from the call's record, without its arguments.
    fn is_plain(&self, wants: impl Fn(usize) -> bool) -> bool {
        let plain = |of: &Of| ["call", "frame", "thread", "method", "list"].contains(&of.0.name.as_ref());
        self.columns.iter().enumerate().all(|(at, of)| plain(of) || !wants(at))
    }

    /// What each row of a call is about: an item of its list, or nothing more than the call.
    fn items(&self, line: &Json) -> Vec<Json> {
        let list = self.each.filter(|(method, _)| line["method"] == *method);
        let items = list.and_then(|(_, argument)| line["args"][argument].as_array()).filter(|items| !items.is_empty());
        items.cloned().unwrap_or_else(|| vec![Json::Null])
    }

    /// As many as [`View::items`], without the line.
    fn rows(&self, event: &Event<'_>, codec: &Codec) -> usize {
        let name = api::method(event.method).map_or("", |method| method.name);
        let Some((_, argument)) = self.each.filter(|(method, _)| *method == name) else { return 1 };
        let call = codec.decode_enter(MethodId(event.method), event.payload).ok();
        let list = call.as_ref().and_then(|call| call.members.iter().find(|member| member.field.name == argument));
        list.map_or(1, |member| if let Value::Array(items) = &member.value { items.len().max(1) } else { 1 })
    }

    fn plain(&self, source: &Source, bounds: &Bounds, sink: &mut Sink<'_>) -> Result<(), Stop> {
        let methods = source::methods(|name| self.methods.contains(&name));
        let codec = api::codec();
        enters::each(source, bounds, &methods, |event| {
            let cell = |of: &Of| match of.0.name.as_ref() {
                "call" => Cell::Number(event.number),
                "frame" => Cell::Number(u64::from(event.frame) + 1),
                "thread" => Cell::Number(event.thread.into()),
                "method" => api::method(event.method).map_or(Cell::None, |method| Cell::Text(method.name)),
                "list" => Cell::object(event.object),
                _ => Cell::None,
            };
            let cells: Vec<Cell<'_>> = self.columns.iter().map(cell).collect();
            (0..self.rows(event, &codec)).try_for_each(|_| sink.row(&cells))
        })
    }
}

impl Of {
    fn cell<'j>(&self, line: &'j Json, text: &'j mut String) -> Cell<'j> {
        let value = self.1.iter().find_map(|at| line.pointer(at).filter(|value| !value.is_null()));
        lines::cell(value, text)
    }
}

/// Says which root signature a stream of subobjects names.
fn name_root_signature(line: &mut Json) {
    let is_one = |subobject: &&Json| {
        subobject["Type"].as_str().is_some_and(|name| name.ends_with("SUBOBJECT_TYPE_ROOT_SIGNATURE"))
    };
    let subobjects = line["args"]["pDesc"]["pPipelineStateSubobjectStream"].as_array();
    if let Some(subobject) = subobjects.and_then(|all| all.iter().find(is_one)) {
        line["root_signature"] = subobject["Value"].clone();
    }
}

/// Says which resource a copy of tiles from a texture to a buffer writes and reads. Without that flag it goes the other way.
fn name_tiles(line: &mut Json) {
    let flags = line["args"]["Flags"].as_str().unwrap_or_default();
    if line["method"] == "CopyTiles" && flags.contains("D3D12_TILE_COPY_FLAG_SWIZZLED_TILED_RESOURCE_TO_LINEAR_BUFFER")
    {
        let (buffer, texture) = (line["args"]["pBuffer"].clone(), line["args"]["pTiledResource"].clone());
        line["written"] = buffer;
        line["read"] = texture;
    }
}
