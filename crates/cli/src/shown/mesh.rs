//! The vertices of a draw as files and in words: CSV and JSON with all outputs, OBJ with the places on the screen.
//!
//! Places after the division are those of normalised device coordinates: x and y from -1 to 1, y upwards, z from 0 to 1.

use crate::shown::file::write_bytes;
use anyhow::{Result, bail};
use reprise_replay::{Mesh, MeshColumn, MeshKind};
use serde_json::{Value as Json, json};
use std::fmt::Write;
use std::path::Path;

/// `D3D_NAME_POSITION`.
const POSITION: u32 = 1;
const PARTS: [&str; 4] = ["x", "y", "z", "w"];

/// Vertices, or those of one instance.
pub(crate) struct Table<'m> {
    mesh: &'m Mesh,
    bytes: &'m [u8],
    /// The instance of the first vertex.
    instance: u64,
}

/// A value of a vertex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Value {
    Whole(i64),
    Float(f32),
}

impl Value {
    fn text(self) -> String {
        match self {
            Value::Whole(value) => value.to_string(),
            Value::Float(value) => value.to_string(),
        }
    }

    /// JSON has no NaN and no infinity: they are texts there.
    fn json(self) -> Json {
        match self {
            Value::Whole(value) => value.into(),
            Value::Float(value) if value.is_finite() => json!(value),
            Value::Float(value) => value.to_string().into(),
        }
    }
}

impl<'m> Table<'m> {
    /// # Errors
    /// The mesh has no such instance, or instances cannot be told apart.
    pub(crate) fn of(mesh: &'m Mesh, instance: Option<u64>) -> Result<Self> {
        let Some(instance) = instance else { return Ok(Table { mesh, bytes: &mesh.bytes, instance: 0 }) };
        let Some(each) = mesh.per_instance else {
            bail!(
                "instances cannot be told apart here: strips may be cut, a later stage or the GPU decides how many vertices there are"
            );
        };
        let instances = instances(mesh).unwrap_or(0);
        if instance >= instances {
            bail!("there is no instance {instance}: the draw has {instances}, from 0 on");
        }
        let bytes = (each * u64::from(mesh.stride)) as usize;
        let part = mesh.bytes.get(bytes * instance as usize..).and_then(|rest| rest.get(..bytes));
        Ok(Table { mesh, bytes: part.unwrap_or_default(), instance })
    }

    pub(crate) fn bytes(&self) -> &'m [u8] {
        self.bytes
    }

    fn vertices(&self) -> impl Iterator<Item = &'m [u8]> + use<'m> {
        self.bytes.chunks_exact(self.mesh.stride.max(1) as usize)
    }

    pub(crate) fn count(&self) -> u64 {
        self.bytes.len() as u64 / u64::from(self.mesh.stride.max(1))
    }

    /// The instance of a vertex, where it is known.
    fn instance(&self, vertex: u64) -> Option<u64> {
        self.mesh.per_instance.filter(|each| *each > 0).map(|each| self.instance + vertex / each)
    }

    /// Names of all values of a vertex.
    fn heads(&self) -> Vec<String> {
        let mut heads = Vec::new();
        for column in &self.mesh.columns {
            let parts = PARTS.iter().take(column.components as usize);
            heads.extend(parts.map(|part| format!("{}{}.{part}", column.semantic, column.index)));
        }
        heads
    }

    fn position(&self) -> Option<&'m MeshColumn> {
        self.mesh.columns.iter().find(|column| column.system_value == POSITION && column.components == 4)
    }

    /// A vertex after the division, where it has a position.
    fn divided(&self, vertex: &[u8]) -> Option<[f32; 3]> {
        let at = self.position()?.offset as usize;
        let [x, y, z, w] = [0, 1, 2, 3].map(|part| f32::from_bits(word(vertex, at + part * 4)));
        Some([x / w, y / w, z / w])
    }

    /// The least and the greatest place after the division, of vertices before the eye; null where none is.
    fn bounds(&self) -> (Json, Json) {
        let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        let Some(column) = self.position() else { return (Json::Null, Json::Null) };
        for vertex in self.vertices() {
            let w = f32::from_bits(word(vertex, column.offset as usize + 12));
            let Some(place) = self.divided(vertex).filter(|place| w > 0.0 && place.iter().all(|it| it.is_finite()))
            else {
                continue;
            };
            for (axis, value) in place.into_iter().enumerate() {
                (low[axis], high[axis]) = (low[axis].min(value), high[axis].max(value));
            }
        }
        if low[0] > high[0] { (Json::Null, Json::Null) } else { (json!(low), json!(high)) }
    }

    /// A line of heads, then a line for each vertex.
    pub(crate) fn csv(&self, most: u64) -> String {
        let divides = self.position().is_some();
        let mut heads = vec!["vertex".to_owned()];
        heads.extend(self.mesh.per_instance.map(|_| "instance".to_owned()));
        heads.extend(self.heads().iter().map(|head| quoted(head)));
        if divides {
            heads.extend(["ndc.x", "ndc.y", "ndc.z"].map(str::to_owned));
        }
        let mut text = heads.join(",");
        text.push('\n');
        for (number, vertex) in (0..most).zip(self.vertices()) {
            let mut cells = vec![number.to_string()];
            cells.extend(self.instance(number).map(|instance| instance.to_string()));
            cells.extend(values(self.mesh, vertex).into_iter().map(Value::text));
            cells.extend(self.divided(vertex).into_iter().flatten().map(|value| value.to_string()));
            text.push_str(&cells.join(","));
            text.push('\n');
        }
        text
    }

    fn json(&self) -> Json {
        let rows = |values: Vec<Value>| values.into_iter().map(Value::json).collect::<Vec<_>>();
        let vertices: Vec<Json> = self.vertices().map(|vertex| rows(values(self.mesh, vertex)).into()).collect();
        let divided = self.vertices().filter_map(|vertex| self.divided(vertex));
        let divided: Vec<Json> = divided.map(|place| rows(place.map(Value::Float).to_vec()).into()).collect();
        let mut all = self.about();
        all["heads"] = json!(self.heads());
        all["values"] = vertices.into();
        all["ndc"] = if self.position().is_some() { divided.into() } else { Json::Null };
        all
    }

    /// Places after the division, with TEXCOORD0 and NORMAL0 where the shader gives them.
    fn obj(&self) -> Result<String> {
        if self.position().is_none() {
            bail!("the shader gives no SV_Position: write a .csv or .json file");
        }
        let named = |name: &str, least: u32| {
            let is_it = |it: &&MeshColumn| it.semantic.eq_ignore_ascii_case(name) && it.index == 0;
            self.mesh.columns.iter().find(is_it).filter(|it| it.kind == MeshKind::Float && it.components >= least)
        };
        let (texture, normal) = (named("TEXCOORD", 2), named("NORMAL", 3));
        let mut text = String::new();
        let mut line = |name: &str, values: &[f32]| {
            text.push_str(name);
            for value in values {
                // Writing into a text cannot fail.
                let _ = write!(text, " {value}");
            }
            text.push('\n');
        };
        for vertex in self.vertices() {
            let float = |at: u32| f32::from_bits(word(vertex, at as usize));
            line("v", &self.divided(vertex).unwrap_or_default());
            if let Some(it) = texture {
                line("vt", &[float(it.offset), float(it.offset + 4)]);
            }
            if let Some(it) = normal {
                line("vn", &[float(it.offset), float(it.offset + 4), float(it.offset + 8)]);
            }
        }
        let one = u64::from(self.mesh.primitive.unwrap_or(1));
        let element = ["p", "l", "f"].get(one as usize - 1).copied().unwrap_or("p");
        let corner = |number: u64| match (texture, normal) {
            _ if one < 3 => number.to_string(),
            (None, None) => number.to_string(),
            (Some(_), None) => format!("{number}/{number}"),
            (None, Some(_)) => format!("{number}//{number}"),
            (Some(_), Some(_)) => format!("{number}/{number}/{number}"),
        };
        for first in (1..=self.count() / one * one).step_by(one as usize) {
            let corners: Vec<String> = (first..first + one).map(corner).collect();
            text.push_str(&format!("{element} {}\n", corners.join(" ")));
        }
        Ok(text)
    }

    /// Writes a file of the kind that its ending names.
    ///
    /// # Errors
    /// The ending is unknown, the kind cannot hold the vertices, or the file cannot be written.
    pub(crate) fn write(&self, path: &Path) -> Result<()> {
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
        let text = match ending.as_str() {
            "csv" => self.csv(u64::MAX),
            "json" => format!("{}\n", self.json()),
            "obj" => self.obj()?,
            "bin" => return write_bytes(path, self.bytes),
            _ => bail!("{}: files of vertices end in .csv, .json, .obj or .bin", path.display()),
        };
        write_bytes(path, text.as_bytes())
    }

    /// What is said of the vertices.
    pub(crate) fn about(&self) -> Json {
        let mesh = self.mesh;
        let columns = mesh.columns.iter().map(|column| {
            json!({
                "semantic": column.semantic, "index": column.index, "system_value": column.system_value,
                "type": kind(column.kind), "components": column.components, "offset": column.offset,
            })
        });
        let (low, high) = self.bounds();
        json!({
            "submission": mesh.submission,
            "stage": mesh.stage.name(),
            "topology": mesh.topology,
            "vertices_of_primitive": mesh.primitive,
            "vertices": self.count(),
            "instances": instances(mesh),
            "vertices_of_instance": mesh.per_instance,
            "stride": mesh.stride,
            "columns": columns.collect::<Vec<_>>(),
            "position": mesh.columns.iter().position(|column| column.system_value == POSITION),
            "least": low,
            "greatest": high,
            "notes": mesh.notes,
        })
    }
}

/// How many instances there are, where they can be told apart.
fn instances(mesh: &Mesh) -> Option<u64> {
    mesh.per_instance.filter(|each| *each > 0).map(|each| mesh.vertices() / each)
}

fn kind(kind: MeshKind) -> &'static str {
    match kind {
        MeshKind::Unsigned => "u32",
        MeshKind::Signed => "i32",
        MeshKind::Float => "f32",
    }
}

fn word(vertex: &[u8], at: usize) -> u32 {
    vertex.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |word| u32::from_le_bytes(*word))
}

/// All values of a vertex.
fn values(mesh: &Mesh, vertex: &[u8]) -> Vec<Value> {
    let parts = mesh.columns.iter().flat_map(|column| (0..column.components).map(move |part| (column, part)));
    parts
        .map(|(column, part)| {
            let word = word(vertex, (column.offset + part * 4) as usize);
            match column.kind {
                MeshKind::Unsigned => Value::Whole(word.into()),
                MeshKind::Signed => Value::Whole((word as i32).into()),
                MeshKind::Float => Value::Float(f32::from_bits(word)),
            }
        })
        .collect()
}

/// A cell of CSV. Names of outputs are text of the program.
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use reprise_replay::MeshStage;

    fn mesh() -> Mesh {
        let column = |semantic: &str, system_value, kind, components, offset| MeshColumn {
            semantic: semantic.into(),
            index: 0,
            system_value,
            kind,
            components,
            offset,
        };
        let vertex = |x: f32, w: f32, number: i32| {
            let place = [x, 2.0, 1.0, w].into_iter().flat_map(f32::to_le_bytes);
            place.chain(number.to_le_bytes()).collect::<Vec<u8>>()
        };
        Mesh {
            submission: 9,
            stage: MeshStage::Vertex,
            topology: 2,
            primitive: Some(2),
            columns: vec![
                column("SV_Position", POSITION, MeshKind::Float, 4, 0),
                column("a,b", 0, MeshKind::Signed, 1, 16),
            ],
            stride: 20,
            per_instance: Some(2),
            bytes: [vertex(1.0, 2.0, -1), vertex(4.0, 4.0, 2), vertex(0.0, -1.0, 3), vertex(f32::NAN, 1.0, 4)].concat(),
            notes: Vec::new(),
            full: false,
            meshlets: None,
        }
    }

    #[test]
    fn files_say_clip_space_and_what_is_left_after_the_division() {
        let mesh = mesh();
        let all = Table::of(&mesh, None).unwrap();
        let csv = all.csv(u64::MAX);
        let lines: Vec<&str> = csv.lines().collect();
        assert_eq!(
            lines[0],
            "vertex,instance,SV_Position0.x,SV_Position0.y,SV_Position0.z,SV_Position0.w,\"a,b0.x\",ndc.x,ndc.y,ndc.z"
        );
        assert_eq!(lines[1], "0,0,1,2,1,2,-1,0.5,1,0.5");
        assert_eq!(lines[4], "3,1,NaN,2,1,1,4,NaN,2,1");
        // Behind the eye, or no number: no part of the bounds.
        assert_eq!(all.about()["least"], json!([0.5, 0.5, 0.25]));
        assert_eq!(all.json()["values"][3][0], "NaN");
        let second = Table::of(&mesh, Some(1)).unwrap();
        assert!(second.csv(1).ends_with("0,1,0,2,1,-1,3,-0,-2,-1\n"), "{}", second.csv(1));
        assert!(Table::of(&mesh, Some(2)).is_err());
        assert!(Table::of(&Mesh { per_instance: None, ..mesh.clone() }, Some(0)).is_err());
        assert_eq!(all.obj().unwrap().lines().next_back(), Some("l 3 4"));
        assert!(all.write(Path::new("x.png")).unwrap_err().to_string().contains(".obj"));
    }
}
