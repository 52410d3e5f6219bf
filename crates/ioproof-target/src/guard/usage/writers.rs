//! The clauses about processes that write to the device, or to the file behind a loop device. `users.rs` looks for them.

use super::super::{Reason, Subject};
use crate::block::users::{Found, Wanted};
use crate::block::{self, character, is_loop, loops};
use std::path::Path;

/// A process has it open for writing, as virtual machines and databases on raw devices do.
pub(crate) fn writers(subject: &Subject<'_>) -> Vec<Reason> {
    subject.users(|| find(subject)).users.iter().map(Reason::new).collect()
}

/// A user of the device may be among processes that cannot be seen: that takes a consent of its own.
pub(crate) fn unseen_users(subject: &Subject<'_>) -> Vec<Reason> {
    let reason = || unseen(&subject.name, subject.users(|| find(subject)));
    (!subject.consent.in_use_unseen).then(reason).flatten().into_iter().collect()
}

/// The reason against writing that lies in what could not be seen.
pub(crate) fn unseen(name: &str, found: &Found) -> Option<Reason> {
    let first = found.unseen.first()?;
    let more = match found.unseen.len() {
        1 => String::new(),
        count => format!(" (and {} more reasons)", count - 1),
    };
    let hint = "run as root and outside of containers, or, if you know that nothing else uses it, add --destroy-unseen-users";
    Some(Reason::new(format!("whether something writes to {name} cannot be told: {first}{more}")).hint(hint))
}

fn find(subject: &Subject<'_>) -> Found {
    let (system, names) = (subject.system(), subject.family());
    let numbers = names.iter().filter_map(|name| block::number(system, name)).map(|(major, minor)| rustix::fs::makedev(major, minor));
    let behind = is_loop(&subject.name).then(|| loops::backing(system, &subject.name)).flatten();
    let file = behind.and_then(Result::ok).filter(|backing| backing.device.is_none()).map(|backing| backing.id);
    let characters = names.iter().filter_map(|name| character::name_beside(name));
    let nodes = names.iter().cloned().chain(characters).map(|name| Path::new("/dev").join(name)).collect();
    let wanted = Wanted { system, nodes, numbers: numbers.collect(), file, mounts: &subject.ground.mounts };
    wanted.find(subject.opened.then(std::process::id))
}

#[cfg(test)]
mod tests {
    use crate::block::tree::Tree;
    use crate::guard::testing::{clauses, reasons};
    use std::os::unix::fs::symlink;

    fn process(tree: &Tree, pid: &str, opens: &str, flags: &str) {
        tree.folder(&format!("proc/{pid}/fd"));
        symlink(opens, tree.path(&format!("proc/{pid}/fd/7"))).unwrap();
        tree.write(&format!("proc/{pid}/fdinfo/7"), &format!("pos:\t0\nflags:\t{flags}\n"));
        tree.write(&format!("proc/{pid}/comm"), "qemu\n");
    }

    fn drive() -> Tree {
        let tree = Tree::new();
        tree.disk("vdb", "254:16", 1 << 30);
        tree.write("sys/block/vdb/serial", "S1\n");
        tree
    }

    #[test]
    fn a_process_that_writes_is_seen_and_one_that_reads_is_not() {
        let tree = drive();
        process(&tree, "41", "/dev/vdb", "0100000");
        process(&tree, "42", "/dev/vdb", "02100002");
        assert_eq!(reasons(&tree, "vdb", Some("S1")), ["/dev/vdb is open for writing in process 42 (qemu) "]);
    }

    #[test]
    fn a_process_that_writes_past_the_block_layer_is_seen_too() {
        let tree = Tree::new();
        tree.nvme("nvme0", &[("nvme0n1", "259:0", 1)], "S1");
        process(&tree, "42", "/dev/ng0n1", "0100002");
        assert_eq!(reasons(&tree, "nvme0n1", Some("S1")), ["/dev/ng0n1 is open for writing in process 42 (qemu) "]);
    }

    #[test]
    fn flags_that_cannot_be_read_may_be_a_writer() {
        let tree = drive();
        process(&tree, "42", "/dev/vdb", "what");
        assert_eq!(clauses(&tree, "vdb", Some("S1")), ["writers"]);
        std::fs::remove_file(tree.path("proc/42/fdinfo/7")).unwrap();
        assert_eq!(clauses(&tree, "vdb", Some("S1")), [] as [&str; 0], "it was closed");
    }

    #[test]
    fn what_cannot_be_seen_takes_a_consent_of_its_own() {
        let tree = drive();
        tree.write("proc/43/fd", "no folder");
        assert_eq!(clauses(&tree, "vdb", Some("S1")), ["unseen-users"]);
        assert!(reasons(&tree, "vdb", Some("S1"))[0].contains("--destroy-unseen-users"));
        let tree = drive();
        std::fs::remove_file(tree.path("proc/self/ns/pid")).unwrap();
        symlink("pid:[4026532001]", tree.path("proc/self/ns/pid")).unwrap();
        assert_eq!(clauses(&tree, "vdb", Some("S1")), ["unseen-users"]);
        let consent = crate::Consent { destroy: Some("S1".into()), in_use_unseen: true, ..crate::Consent::default() };
        assert_eq!(crate::guard::testing::with(&tree, "vdb", &consent), [] as [&str; 0]);
        process(&tree, "42", "/dev/vdb", "02100002");
        assert_eq!(crate::guard::testing::with(&tree, "vdb", &consent), ["writers"], "who is seen is no unseen user");
    }

    #[test]
    fn the_file_behind_a_loop_device_is_watched() {
        let tree = Tree::new();
        tree.disk("loop0", "7:0", 1 << 20);
        process(&tree, "41", tree.path("srv/loop0.img").to_str().unwrap(), "0100000");
        assert_eq!(clauses(&tree, "loop0", Some("loop0")), [] as [&str; 0]);
        process(&tree, "42", tree.path("srv/loop0.img").to_str().unwrap(), "02100002");
        assert_eq!(clauses(&tree, "loop0", Some("loop0")), ["writers"]);
    }
}
