//! The vertices of a draw behind its last stage before rasterisation: what is asked for, and what is told.

use crate::report::lone_draw::LoneDraw;
use reprise_dxbc::signature::Element;

/// A draw whose vertices are wanted.
#[derive(Clone, Debug)]
pub struct MeshWish {
    /// The call that draws, by the numbers of `reprise dump`.
    pub call: u64,
    /// The call that submits its list; `None`: the first that does.
    pub submission: Option<u64>,
    /// Which of its vertices.
    pub of: MeshOf,
    /// The view instance whose vertices are wanted, of a pipeline that has several.
    pub view: Option<u32>,
    /// One of the draws that the call makes; `None`: the call is a draw, or all that an indirect call makes are wanted.
    pub lone: Option<LoneDraw>,
}

/// Which vertices of a draw are wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum MeshOf {
    /// What comes to the rasteriser.
    #[default]
    Rasteriser,
    /// What the vertex shader gives, without the stages behind it. It is a list of points: each vertex of each instance once, in the order in
    /// which the draw reads them.
    VertexShader,
    /// What the geometry shader gives to a stream.
    Stream(u32),
    /// What the domain shader gives. A geometry shader behind it is left out.
    DomainShader,
    /// As many vertices, with something of their patches.
    Patches(PatchPart),
}

/// What of patches is wanted, in the place of what the domain shader gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PatchPart {
    /// Where the vertex lies (`LOCATION`, as `SV_DomainLocation` has it), and which patch it is of (`PRIMITIVE`).
    Locations,
    /// What the hull shader gives of a point.
    Point(u32),
    /// What the hull shader gives of the patch itself.
    Constants,
}

/// The vertices that a draw gives to the rasteriser, as lists of primitives: strips are taken apart.
#[derive(Clone, Debug)]
pub struct Mesh {
    /// The call that submitted the list.
    pub submission: u64,
    /// The stage that gives them.
    pub stage: MeshStage,
    /// `D3D_PRIMITIVE_TOPOLOGY` of what the draw reads.
    pub topology: u32,
    /// Vertices of a primitive: 1, 2 or 3; `None` where the shader does not say it.
    pub primitive: Option<u32>,
    /// What a vertex has, in the order in which it lies in `bytes`.
    pub columns: Vec<MeshColumn>,
    /// Bytes from one vertex to the next.
    pub stride: u32,
    /// Vertices of each instance, where all have the same number and no strip is cut.
    pub per_instance: Option<u64>,
    /// The vertices, words of 32 bits, little endian.
    pub bytes: Vec<u8>,
    /// Remarks on what the vertices are.
    pub notes: Vec<String>,
    /// There was no room for all of them.
    pub full: bool,
    /// Of mesh shaders: the groups that the primitives come of.
    pub meshlets: Option<Meshlets>,
}

/// What the groups of a mesh shader give.
#[derive(Clone, Debug)]
pub struct Meshlets {
    /// What a vertex has.
    pub vertices: Outputs,
    /// What a primitive has, but for whether it is culled.
    pub primitives: Outputs,
    /// Vertices of a primitive.
    pub corners: u32,
    /// In the order in which they are numbered: by command, by the group that started them, by group.
    pub groups: Vec<Meshlet>,
    /// Groups for which there was no room.
    pub lost: u64,
}

/// What a vertex or a primitive has.
#[derive(Clone, Debug)]
pub struct Outputs {
    /// In the order in which it lies in memory.
    pub columns: Vec<MeshColumn>,
    /// Bytes from one to the next.
    pub stride: u32,
}

/// A group of a mesh shader.
#[derive(Clone, Debug)]
pub struct Meshlet {
    /// The number of the command of an indirect call; else 0.
    pub command: u32,
    /// The amplification shader's group that started it.
    pub parent: Option<[u32; 3]>,
    /// Which group it is.
    pub group: [u32; 3],
    /// How many vertices it has.
    pub count: u32,
    /// These, words of 32 bits, little endian.
    pub vertices: Vec<u8>,
    /// Vertices of its primitives, one primitive behind the other.
    pub corners: Vec<u32>,
    /// Its primitives, as vertices are.
    pub primitives: Vec<u8>,
    /// Of each primitive whether the shader culls it, where the shader says that of primitives.
    pub culled: Option<Vec<bool>>,
}

impl Mesh {
    /// How many vertices there are.
    pub fn vertices(&self) -> u64 {
        self.bytes.len() as u64 / u64::from(self.stride.max(1))
    }
}

/// The last stage before rasterisation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MeshStage {
    /// A vertex shader.
    Vertex,
    /// A domain shader, behind tessellation.
    Domain,
    /// A geometry shader.
    Geometry,
    /// A mesh shader, on our own runtime.
    Mesh,
}

impl MeshStage {
    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Vertex => "vertex",
            Self::Domain => "domain",
            Self::Geometry => "geometry",
            Self::Mesh => "mesh",
        }
    }
}

/// An output of the shader.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MeshColumn {
    /// Its semantic, as the shader writes it.
    pub semantic: String,
    /// Its semantic index.
    pub index: u32,
    /// `D3D_NAME`: which system value it is; 0 is none.
    pub system_value: u32,
    /// What its words are.
    pub kind: MeshKind,
    /// Words, 1 to 4.
    pub components: u32,
    /// Bytes from the beginning of a vertex.
    pub offset: u32,
}

impl MeshColumn {
    /// The columns of rows of a signature, each behind the one before, and the bytes of all.
    ///
    /// # Errors
    /// In words: a row is not of words.
    pub fn of<'r>(rows: impl IntoIterator<Item = &'r Element>) -> Result<(Vec<MeshColumn>, u32), String> {
        let (mut columns, mut words) = (Vec::new(), 0);
        for row in rows {
            let kind = match row.component_type {
                1 => MeshKind::Unsigned,
                2 => MeshKind::Signed,
                3 => MeshKind::Float,
                other => {
                    let what = "has components that are not of 32 bits (D3D_REGISTER_COMPONENT_TYPE";
                    return Err(format!("the output {}{} {what} {other})", row.semantic, row.index));
                }
            };
            let components = row.mask.count_ones();
            columns.push(MeshColumn {
                semantic: row.semantic.clone(),
                index: row.index,
                system_value: row.system_value,
                kind,
                components,
                offset: words * 4,
            });
            words += components;
        }
        Ok((columns, words * 4))
    }
}

/// What a word of a vertex is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MeshKind {
    /// A whole number without a sign.
    Unsigned,
    /// A whole number.
    Signed,
    /// A float.
    Float,
}
