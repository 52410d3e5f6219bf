//! `--polled`: a target whose queues the kernel does not poll is refused before anything is opened, by a run and by its rehearsal alike. What only a
//! filesystem refuses shows when the first I/O is made, which `sources::plan` looks at.

use crate::request::LoadRequest;
use crate::sources::plan::NOT_POLLED;
use anyhow::Result;
use ioproof_core::facts::{StackNode, TargetFacts};
use ioproof_process::complaint::complaint;
use ioproof_target::System;

/// Asks the queue of every device under the target.
///
/// # Errors
/// When polling was asked for and one of them cannot be polled.
pub fn check(system: &System, load: &LoadRequest, target: &TargetFacts) -> Result<()> {
    let asked = load.generate.polled && !load.is_null();
    let refused = asked && target.stack.as_ref().is_some_and(|stack| !can_poll(system, stack));
    if refused { Err(complaint(NOT_POLLED.0, NOT_POLLED.1)) } else { Ok(()) }
}

/// A device that does not say anything of it, as a partition, is as what it lies on.
fn can_poll(system: &System, node: &StackNode) -> bool {
    let said = system.sys_text(&format!("block/{}/queue/io_poll", node.name));
    said.as_deref() != Some("0") && node.under.iter().all(|under| can_poll(system, under))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(name: &str, under: Vec<StackNode>) -> StackNode {
        StackNode { under, ..StackNode::disk(name) }
    }

    #[test]
    fn one_queue_that_cannot_be_polled_is_enough() {
        let tree = tempfile::tempdir().unwrap();
        for (name, said) in [("sda", "0"), ("nvme0n1", "1")] {
            let folder = tree.path().join(format!("sys/block/{name}/queue"));
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join("io_poll"), format!("{said}\n")).unwrap();
        }
        let system = System::captured(tree.path());
        assert!(can_poll(&system, &node("nvme0n1p1", vec![node("nvme0n1", vec![])])));
        assert!(!can_poll(&system, &node("md0", vec![node("nvme0n1", vec![]), node("sda", vec![])])));
        assert!(can_poll(&system, &node("unknown", vec![])), "the first I/O will tell");
    }
}
