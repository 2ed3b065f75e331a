//! A finding of lint, for programs.

use reprise_lint::Finding;
use serde_json::{Value as Json, json};

/// The object that `reprise lint --format json` prints.
pub fn json(finding: &Finding) -> Json {
    let related: Vec<_> = finding.related.iter().map(|(call, what)| json!({ "call": call, "what": what })).collect();
    json!({
        "rule": finding.rule.name,
        "severity": finding.severity.name(),
        "call": finding.call,
        "object": finding.object.as_ref().map(|it| json!({ "id": it.id, "class": it.class, "name": it.name })),
        "list": finding.list,
        "submission": finding.submission.map(|(number, call)| json!({ "number": number, "call": call })),
        "text": finding.text,
        "related": related,
        "times": finding.times,
        "source": finding.rule.source,
    })
}
