//! A diagnosis for programs. Numbers of calls are those of `dump`; addresses are text in hexadecimal.

use super::Told;
use reprise_replay::diagnosis::{Operation, QueueProgress, Recorded, Standing, State};
use serde_json::{Value as Json, json};

/// The report as one object.
pub(crate) fn as_json(told: &Told) -> Json {
    let diagnosis = &told.diagnosis;
    let fault = diagnosis.fault.as_ref().map(|fault| {
        let owner = fault.owner.map(|owner| {
            json!({
                "resource": owner.range.resource,
                "offset": owner.offset,
                "bytes": owner.range.bytes,
                "released": owner.range.released,
            })
        });
        json!({ "address": format!("{:#x}", fault.address), "owner": owner })
    });
    json!({
        "reason": diagnosis.reason,
        "call": diagnosis.place.call,
        "frame": diagnosis.place.frame,
        "removed": diagnosis.removed,
        "queues": diagnosis.queues.iter().map(|it| queue(told, it)).collect::<Vec<_>>(),
        "suspects": diagnosis.suspects(),
        "fault": fault,
        "bound": told.bound.as_ref().map(|(_, report)| report),
        "thread": told.thread.iter().map(|call| told.calls.get(call)).collect::<Vec<_>>(),
        "unmarked": diagnosis.unmarked,
        "serial": diagnosis.serial.map(|(first, last)| [first, last]),
        "untold": told.untold,
    })
}

fn queue(told: &Told, queue: &QueueProgress) -> Json {
    let mut json = json!({
        "queue": told.objects.get(&queue.queue),
        "id": queue.queue,
        "submissions": queue.submissions,
        "completed": queue.completed,
    });
    match &queue.at {
        Standing::Idle => json["at"] = "idle".into(),
        Standing::Wait { call, fence, value, reached, signaller } => {
            json["at"] = "wait".into();
            json["wait"] = json!({
                "call": call,
                "fence": fence,
                "value": value,
                "reached": reached,
                "signaller": signaller.map(|it| json!({ "queue": it.queue, "call": it.call })),
            });
        }
        Standing::Submission { call, lists } => {
            json["at"] = "submission".into();
            json["submission"] =
                json!({ "call": call, "lists": lists.iter().map(|it| list(told, it)).collect::<Vec<_>>() });
        }
    }
    json
}

fn list(told: &Told, list: &Recorded) -> Json {
    json!({
        "list": told.objects.get(&list.list),
        "id": list.list,
        "operations": list.operations,
        "calls": list.calls.map(|(first, last)| [first, last]),
        "reached": list.progress.map(|progress| progress.reached),
        "completed": list.progress.map(|progress| progress.completed),
        "around": list.around.iter().map(|it| operation(told, it)).collect::<Vec<_>>(),
    })
}

fn operation(told: &Told, operation: &Operation) -> Json {
    let state = match operation.progress {
        State::Completed => "completed",
        State::Begun => "begun",
        State::NotBegun => "not_begun",
    };
    json!({
        "number": operation.number,
        "call": operation.call,
        "state": state,
        "what": told.calls.get(&operation.call),
    })
}
