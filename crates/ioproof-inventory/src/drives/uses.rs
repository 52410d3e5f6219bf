//! Uses of a drive: short for a line of a list, complete as JSON.

use ioproof_process::complaint::describe;
use ioproof_target::{Holder, System, TargetError, Use};
use serde::Serialize;

/// Kinds of use that tell what a device holds or was made by, which says less than its use by something else.
const CONTENT: [&str; 5] = ["content", "signature", "lvm", "luks", "crypt"];

/// Everything that uses a drive in a few words each, the drive's own uses first. What a device holds is left out where it is mounted or
/// where what it holds is there as devices; a device that lies on it counts as a use even where nothing is known of it.
pub fn short_uses(above: &Holder) -> Vec<String> {
    let mut told = Vec::new();
    gather(above, above, &mut told);
    told
}

fn gather(disk: &Holder, node: &Holder, told: &mut Vec<String>) {
    let before = told.len();
    let mounted = node.uses.iter().any(|used| matches!(used.kind, "mount" | "swap"));
    let signed = node.uses.iter().any(|used| used.kind == "signature");
    let says_more = |used: &&Use| match used.kind {
        "signature" | "content" if !node.holders.is_empty() => false,
        "content" => !mounted && !signed,
        kind => !mounted || !CONTENT.contains(&kind),
    };
    told.extend(node.uses.iter().filter(says_more).map(|used| short(disk, &node.name, used)));
    node.holders.iter().for_each(|upper| gather(disk, upper, told));
    if told.len() == before && node.name != disk.name {
        let label = node.label.as_deref().unwrap_or(node.kind);
        told.push(format!("{} ({label})", node.name));
    }
}

fn short(disk: &Holder, name: &str, used: &Use) -> String {
    let signature = used.what.strip_prefix("signature of ").and_then(|rest| Some(rest.rsplit_once(" at byte ")?.0));
    let what = match (used.kind, signature) {
        ("swap", _) => "swap".to_owned(),
        (_, Some(name)) => format!("holds {name}"),
        _ => used.what.clone(),
    };
    if name == disk.name { what } else { format!("{name} {what}") }
}

#[derive(Debug, Serialize)]
pub struct HolderJson<'a> {
    name: &'a str,
    kind: &'a str,
    size_bytes: u64,
    label: Option<&'a str>,
    uses: Vec<UseJson<'a>>,
    on_it: Vec<HolderJson<'a>>,
}

#[derive(Debug, Serialize)]
struct UseJson<'a> {
    kind: &'a str,
    what: &'a str,
    source: &'a str,
}

impl<'a> HolderJson<'a> {
    /// The tree from this device upwards.
    pub fn new(above: &'a Holder) -> Self {
        Self {
            name: &above.name,
            kind: above.kind,
            size_bytes: above.size_bytes,
            label: above.label.as_deref(),
            uses: above.uses.iter().map(|used| UseJson { kind: used.kind, what: &used.what, source: &used.source }).collect(),
            on_it: above.holders.iter().map(Self::new).collect(),
        }
    }
}

/// Adds what the devices hold by their own content: reads the places where signatures lie. Gives back what could not be read, the first of each kind.
pub fn add_traces(system: &System, above: &mut Holder) -> Option<String> {
    let node = ioproof_target::node_of(system, &above.name);
    let own = node.filter(|_| above.size_bytes > 0).and_then(|node| match ioproof_target::traces(system, &node) {
        Ok(traces) => {
            let what = |trace: &ioproof_target::signature::Trace| format!("signature of {} at byte {}", trace.name, trace.offset_bytes);
            above.uses.extend(traces.iter().map(|trace| Use { kind: "signature", what: what(trace), source: node.display().to_string() }));
            None
        }
        Err(error) => Some(unread(error)),
    });
    let others: Vec<String> = above.holders.iter_mut().filter_map(|upper| add_traces(system, upper)).collect();
    own.or_else(|| others.into_iter().next())
}

fn unread(error: TargetError) -> String {
    format!("what it holds could not be read: {}", describe(&error.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(name: &str, uses: &[(&'static str, &str)], on_it: Vec<Holder>) -> Holder {
        let uses = uses.iter().map(|(kind, what)| Use { kind, what: (*what).into(), source: "x".into() }).collect();
        Holder { name: name.into(), kind: "disk", size_bytes: 1, label: None, uses, holders: on_it }
    }

    #[test]
    fn content_counts_where_nothing_else_is_known() {
        let part = node("sda1", &[("mount", "ext4 at /"), ("content", "holds ext4")], vec![]);
        let other = node("sda2", &[("content", "holds LVM2_member")], vec![]);
        let disk = node("sda", &[("swap", "swap (/dev/sda)")], vec![part, other]);
        assert_eq!(short_uses(&disk), ["swap", "sda1 ext4 at /", "sda2 holds LVM2_member"]);
        assert_eq!(serde_json::to_value(HolderJson::new(&disk)).unwrap()["on_it"][0]["uses"][0]["kind"], "mount");
    }

    #[test]
    fn a_drive_that_is_taken_says_by_what() {
        let signed = node("sda", &[("signature", "signature of LUKS at byte 0"), ("content", "holds crypto_LUKS")], vec![]);
        assert_eq!(short_uses(&signed), ["holds LUKS"]);
        let mut upper = node("loop3", &[], vec![]);
        upper.label = Some("/dev/sda".into());
        assert_eq!(short_uses(&node("sda", &[], vec![upper])), ["loop3 (/dev/sda)"]);
        let parted = node("sda", &[("signature", "signature of GPT partition table at byte 512")], vec![node("sda1", &[], vec![])]);
        assert_eq!(short_uses(&parted), ["sda1 (disk)"]);
        assert!(short_uses(&node("sda", &[], vec![])).is_empty());
    }
}
