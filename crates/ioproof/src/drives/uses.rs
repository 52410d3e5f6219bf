//! What uses a drive: short for a line of a list, complete as JSON.

use crate::complaint::describe;
use ioproof_target::{Above, System, TargetError, Use};
use serde_json::{Value, json};

/// Everything that uses a drive in a few words each, the drive's own uses first. What a device holds is left out where it is mounted.
pub fn short_uses(above: &Above) -> Vec<String> {
    let all = above.all_uses();
    let mounted = |name: &str| all.iter().any(|(other, used)| *other == name && matches!(used.kind, "mount" | "swap"));
    let told = all.iter().filter(|(name, used)| !matches!(used.kind, "content" | "lvm" | "luks" | "crypt") || !mounted(name));
    told.map(|(name, used)| short(above, name, used)).collect()
}

fn short(above: &Above, name: &str, used: &Use) -> String {
    let what = if used.kind == "swap" { "swap" } else { used.what.as_str() };
    if name == above.name { what.to_owned() } else { format!("{name} {what}") }
}

/// The tree as JSON.
pub fn above_json(above: &Above) -> Value {
    let uses: Vec<Value> = above.uses.iter().map(|used| json!({ "kind": used.kind, "what": used.what, "source": used.source })).collect();
    json!({
        "name": above.name,
        "kind": above.kind,
        "size_bytes": above.size_bytes,
        "label": above.label,
        "uses": uses,
        "on_it": above.on_it.iter().map(above_json).collect::<Vec<_>>(),
    })
}

/// Adds what the devices hold by their own content: reads the places where signatures lie. Gives back what could not be read, the first of each kind.
pub fn add_traces(system: &System, above: &mut Above) -> Option<String> {
    let node = ioproof_target::node_of(system, &above.name);
    let own = node.filter(|_| above.size_bytes > 0).and_then(|node| match ioproof_target::traces(system, &node) {
        Ok(traces) => {
            let what = |trace: &ioproof_target::signature::Trace| format!("signature of {} at byte {}", trace.name, trace.offset_bytes);
            above.uses.extend(traces.iter().map(|trace| Use { kind: "signature", what: what(trace), source: node.display().to_string() }));
            None
        }
        Err(error) => Some(unread(error)),
    });
    let others: Vec<String> = above.on_it.iter_mut().filter_map(|upper| add_traces(system, upper)).collect();
    own.or_else(|| others.into_iter().next())
}

fn unread(error: TargetError) -> String {
    format!("what it holds could not be read: {}", describe(&error.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(name: &str, uses: &[(&'static str, &str)], on_it: Vec<Above>) -> Above {
        let uses = uses.iter().map(|(kind, what)| Use { kind, what: (*what).into(), source: "x".into() }).collect();
        Above { name: name.into(), kind: "disk", size_bytes: 1, label: None, uses, on_it }
    }

    #[test]
    fn content_counts_where_nothing_else_is_known() {
        let part = node("sda1", &[("mount", "ext4 at /"), ("content", "holds ext4")], vec![]);
        let other = node("sda2", &[("content", "holds LVM2_member")], vec![]);
        let disk = node("sda", &[("swap", "swap (/dev/sda)")], vec![part, other]);
        assert_eq!(short_uses(&disk), ["swap", "sda1 ext4 at /", "sda2 holds LVM2_member"]);
        assert_eq!(above_json(&disk)["on_it"][0]["uses"][0]["kind"], "mount");
    }
}
