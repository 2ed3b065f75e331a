//! Groups of mesh shaders: a pipeline beside the program's that stores what they give ([`reprise_d3d12::meshlets`]), and vertices and
//! primitives of what is stored. Only our runtime makes such a pipeline.

use reprise_d3d12::meshlets::{COMMAND, COUNTS, GROUP, HEAD, ID, Layout, NOWHERE, PARENT};
use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{
    D3D12_PIPELINE_STATE_SUBOBJECT_TYPE as Subobject, D3D12_SHADER_BYTECODE, D3D12_VIEW_INSTANCING_DESC,
};
use reprise_dxbc::signature::Element;

use super::places::Control;
use super::shader::{bytes, refuse_writes};
use super::views::masked;
use crate::pipeline_description::{Description, Stream};
use crate::report::mesh::{MeshColumn, Meshlet, Meshlets, Outputs};
use crate::runtime::Runtime;

const SET: MethodId = method("ID3D12Object", "SetPrivateData");
const GET: MethodId = method("ID3D12Object", "GetPrivateData");
/// No layout is longer, in bytes: a shader has at most 64 rows of outputs.
const MOST_BYTES: u32 = 1 << 20;

/// What is told of other libraries.
const OURS_ONLY: &str = "what mesh shaders give is told by reprise's own runtime only, not by the library that plays this trace: leave out \
                         --runtime";

/// What draws groups into places of memory. The pointer is a reference held.
#[derive(Clone, Debug)]
pub(super) struct Storer {
    pub(super) pipeline: u64,
    pub(super) control: Control,
    pub(super) layout: Layout,
    vertices: Taken,
    primitives: Taken,
    /// Where a primitive says that it is culled.
    culled: Option<(u32, u32)>,
    pub(super) notes: Vec<String>,
}

/// Columns, and where their words lie in a place: of the first vertex or primitive, and the bytes to the next.
#[derive(Clone, Debug)]
struct Taken {
    columns: Vec<MeshColumn>,
    stride: u32,
    words: Vec<(u32, u32)>,
}

/// Whether a description is of mesh shaders.
pub(super) fn is_of_meshes(stream: &Stream<'_>) -> bool {
    !shader(stream, Subobject::MS).pShaderBytecode.is_null()
}

fn shader(stream: &Stream<'_>, kind: Subobject) -> D3D12_SHADER_BYTECODE {
    stream.get(kind).unwrap_or_default()
}

/// Makes the pipeline that stores for one that the program made. `view`: of several view instances the list's mask leaves one.
///
/// # Errors
/// In words: there is none for this library, or for these shaders.
///
/// # Safety
/// The stream's shaders are where it says.
pub(super) unsafe fn make(
    runtime: &Runtime,
    device: u64,
    mut stream: Stream<'_>,
    view: Option<u32>,
) -> Result<Storer, String> {
    for kind in [Subobject::AS, Subobject::MS] {
        let shader = shader(&stream, kind);
        // SAFETY: as the caller says.
        refuse_writes(unsafe { bytes(&shader) })?;
    }
    let views: Option<D3D12_VIEW_INSTANCING_DESC> = stream.get(Subobject::VIEW_INSTANCING);
    match views.filter(|views| views.ViewInstanceCount > 1) {
        Some(_) if view.is_none() => return Err("its pipeline draws several view instances: not supported".into()),
        Some(views) => {
            stream.put(Subobject::VIEW_INSTANCING, |own: &mut D3D12_VIEW_INSTANCING_DESC| *own = masked(views));
        }
        None => {}
    }
    let control = Control::new(runtime, device)?;
    let address = control.address(runtime);
    let wish = |bytes: u64, data: u64| {
        let words = [(&raw const ID) as u64, bytes, data];
        // SAFETY: the device is alive; an id of private data, a size, and a place of so many bytes, or none.
        unsafe { runtime.call(device, SET, &words) }
    };
    wish(size_of_val(&address) as u64, (&raw const address) as u64);
    let made = Description::Stream(stream).make(runtime, device, "a pipeline that stores what its mesh shader gives");
    // Of a library that keeps what it is given, too.
    wish(0, 0);
    let pipeline = made.map_err(|what| format!("{what}; the log says what its shaders lack"))?;
    let layout = layout(runtime, pipeline).ok_or(OURS_ONLY)?;
    storer(pipeline, control, layout)
}

/// What a pipeline says of itself.
fn layout(runtime: &Runtime, pipeline: u64) -> Option<Layout> {
    let mut size = 0u32;
    let words = [(&raw const ID) as u64, (&raw mut size) as u64, 0];
    // SAFETY: the pipeline is alive; an id and a size, and no room, so that only the size is told.
    let told = unsafe { runtime.call(pipeline, GET, &words) } as i32;
    if told < 0 || size == 0 || size > MOST_BYTES {
        return None;
    }
    let mut bytes = vec![0u8; size as usize];
    let words = [(&raw const ID) as u64, (&raw mut size) as u64, bytes.as_mut_ptr() as u64];
    // SAFETY: the pipeline is alive; an id, a size, and so many bytes.
    let told = unsafe { runtime.call(pipeline, GET, &words) } as i32;
    bytes.truncate(size as usize);
    (told >= 0).then(|| Layout::of(&bytes))?
}

fn storer(pipeline: u64, control: Control, layout: Layout) -> Result<Storer, String> {
    let mut notes = Vec::new();
    let mut culled = None;
    let mut taken = |of_primitives: bool| {
        let (mut rows, mut words) = (Vec::new(), Vec::new());
        for column in layout.columns.iter().filter(|column| column.of_primitives == of_primitives) {
            let name = format!("{}{}", column.semantic, column.index);
            if column.places.contains(&NOWHERE) {
                notes.push(format!("{name} is not told: the translated shader does not give it"));
                continue;
            }
            if column.semantic.eq_ignore_ascii_case("SV_CullPrimitive") {
                culled = column.places.first().map(|place| (*place, column.stride));
                continue;
            }
            words.extend(column.places.iter().map(|place| (*place, column.stride)));
            rows.push(Element {
                semantic: column.semantic.clone(),
                index: column.index,
                system_value: column.system_value,
                component_type: column.component_type,
                register: 0,
                mask: (1u8 << column.places.len().min(4)) - 1,
                stream: 0,
                min_precision: 0,
            });
        }
        let (columns, stride) = MeshColumn::of(&rows).map_err(|what| format!("unsupported: {what}"))?;
        Ok::<_, String>(Taken { columns, stride, words })
    };
    let (vertices, primitives) = (taken(false)?, taken(true)?);
    Ok(Storer { pipeline, control, layout, vertices, primitives, culled, notes })
}

impl Storer {
    /// Reads the groups out of their places, and sorts them by command, by the group that started them, and by group.
    /// `lost`: how many had no place.
    pub(super) fn groups(&self, bytes: &[u8], lost: u64) -> Meshlets {
        let layout = &self.layout;
        let word = |place: &[u8], at: usize| {
            place.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |word| u32::from_le_bytes(*word))
        };
        let mut groups = Vec::new();
        for place in bytes.chunks_exact(layout.bytes.max(4 * HEAD as u32) as usize) {
            let head = |at: usize| word(place, 4 * at);
            let three = |at: usize| [head(at), head(at + 1), head(at + 2)];
            // What says how many there are is a shader's.
            let count = |which: usize| head(COUNTS + which).min(layout.most[which]);
            let all = |taken: &Taken, count: u32| -> Vec<u8> {
                let each = |number: u32| {
                    taken.words.iter().flat_map(move |(first, stride)| {
                        word(place, *first as usize + *stride as usize * number as usize).to_le_bytes()
                    })
                };
                (0..count).flat_map(each).collect()
            };
            let (vertices, primitives) = (count(0), count(1));
            let corners = (0..primitives * layout.corners)
                .map(|at| word(place, layout.indices as usize + 4 * at as usize))
                .collect();
            let culled = |number: u32| {
                self.culled.is_some_and(|(first, stride)| word(place, (first + stride * number) as usize) != 0)
            };
            groups.push(Meshlet {
                command: head(COMMAND),
                parent: layout.parented.then(|| three(PARENT)),
                group: three(GROUP),
                count: vertices,
                vertices: all(&self.vertices, vertices),
                corners,
                primitives: all(&self.primitives, primitives),
                culled: self.culled.map(|_| (0..primitives).map(culled).collect()),
            });
        }
        let number = |[x, y, z]: [u32; 3]| [z, y, x];
        groups.sort_by_key(|it| (it.command, it.parent.map(number), number(it.group)));
        let outputs = |taken: &Taken| Outputs { columns: taken.columns.clone(), stride: taken.stride };
        Meshlets {
            vertices: outputs(&self.vertices),
            primitives: outputs(&self.primitives),
            corners: layout.corners,
            groups,
            lost,
        }
    }
}
