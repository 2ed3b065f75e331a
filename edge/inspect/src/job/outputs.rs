//! The vertices of a draw behind its last stage before rasterisation, as `reprise mesh` makes them.

use super::picture::BYTES;
use super::store::Store;
use super::{Job, replay};
use crate::answer::Refused;
use crate::subject::Subject;
use serde_json::{Value as Json, json};

/// The vertices of one instance where instances can be told apart, else of all.
pub(super) fn run(job: &Job, subject: &Subject, call: u64, instance: u64, store: &Store) -> Result<Json, Refused> {
    let question = json!({ "kind": "mesh", "stage": "vertex", "call": call, "instance": instance });
    let key = Store::key(subject, &question);
    if let Some(known) = store.answer(&key) {
        return Ok(known);
    }
    let raw = store.beside("raw")?;
    let said = ask(job, subject, call, &raw.display().to_string());
    let bytes = said.as_ref().ok().map(|_| std::fs::read(&raw));
    let mut about = raw.clone().into_os_string();
    about.push(".json");
    for path in [raw.as_os_str(), &about] {
        // Where the replay failed there is none.
        let _ = std::fs::remove_file(path);
    }
    let said = said?;
    let bytes = bytes.transpose().map_err(|error| Refused::unavailable(format!("the vertices: {error}")))?;
    let answer = answer(&said, &bytes.unwrap_or_default(), instance, store, &key)?;
    store.keep(&key, &answer)?;
    Ok(answer)
}

/// What `reprise mesh` says, having written the vertices.
fn ask(job: &Job, subject: &Subject, call: u64, raw: &str) -> Result<Json, Refused> {
    let (mut said, mut refused) = (None, None);
    let number = call.to_string();
    let ended = replay::lines(job, subject, &["mesh", "--json", "--call", &number, "--raw", raw], None, |line| {
        let answer: Json = serde_json::from_str(line).map_err(Refused::unavailable)?;
        match answer["error"].as_str() {
            Some(why) => refused = Some(Refused::missing(why)),
            None => said = Some(answer),
        }
        Ok(())
    });
    match (refused, ended, said) {
        (Some(why), ..) => Err(why),
        (None, Err(why), _) => Err(why),
        (None, Ok(()), Some(said)) => Ok(said),
        (None, Ok(()), None) => Err(Refused::unavailable("the replay ended before it came to the call")),
    }
}

fn answer(said: &Json, bytes: &[u8], instance: u64, store: &Store, key: &str) -> Result<Json, Refused> {
    let stride = said["stride"].as_u64().unwrap_or(0).max(1);
    let each = said["vertices_of_instance"].as_u64();
    let instances = said["instances"].as_u64().unwrap_or(1);
    let mut notes: Vec<Json> = said["notes"].as_array().cloned().unwrap_or_default();
    let part = match each {
        Some(_) if instance >= instances => {
            let why = format!("there is no instance {instance}: the draw has {instances}, from 0 on");
            return Err(Refused::missing(why));
        }
        Some(each) => {
            let length = (each * stride) as usize;
            bytes.get(length * instance as usize..).and_then(|rest| rest.get(..length)).unwrap_or_default()
        }
        // Mesh shaders have no instances.
        None if said["stage"] == "mesh" => bytes,
        None => {
            notes.push("the vertices of all instances, which cannot be told apart here".into());
            bytes
        }
    };
    if part.len() as u64 > BYTES {
        let why = format!("{} bytes of vertices are more than the page shows ({BYTES})", part.len());
        return Err(Refused::unavailable(why));
    }
    let columns = said["columns"].as_array().into_iter().flatten().map(|column| {
        json!({
            "name": column["semantic"], "index": column["index"], "type": column["type"],
            "components": column["components"], "offset": column["offset"], "per_instance": false,
        })
    });
    let topology = match said["vertices_of_primitive"].as_u64() {
        Some(2) => "D3D_PRIMITIVE_TOPOLOGY_LINELIST",
        Some(3) => "D3D_PRIMITIVE_TOPOLOGY_TRIANGLELIST",
        _ => "D3D_PRIMITIVE_TOPOLOGY_POINTLIST",
    };
    let file = store.put_bytes(part, &format!("{key}.bin"))?;
    Ok(json!({
        "topology": topology, "stage": "vertex", "behind": said["stage"], "vertices": part.len() as u64 / stride,
        "first_vertex": 0, "columns": columns.collect::<Vec<_>>(), "stride": stride, "file": file, "indices": null,
        "position": said["position"], "notes": notes, "error": null,
    }))
}
