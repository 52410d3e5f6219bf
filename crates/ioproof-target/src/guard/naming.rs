//! The clause about consent: the user names the drive itself, not a path that may mean another drive tomorrow.
//!
//! A refusal never prints the name that would have been right: a command that can be pasted back is no consent.

use super::{Reason, Subject};
use crate::block;
use crate::block::serial;
use crate::system::System;

/// `--destroy` names this drive and no other.
pub(crate) fn consent(subject: &Subject<'_>) -> Vec<Reason> {
    let given = subject.consent.destroy.as_deref();
    if block::is_loop(&subject.name) { loop_name(subject, given) } else { by_serial(subject, given) }
}

/// True where this name is consent to write a drive: its serial number, with the namespace where the controller has several; of a loop device its kernel name.
pub(crate) fn is_name_of(system: &System, device: &str, given: &str) -> bool {
    if block::is_loop(device) {
        return given == device;
    }
    let Some(own) = serial::serial(system, device) else { return false };
    let with_namespace = serial::namespace_id(system, device).map(|id| format!("{}:{id}", own.value));
    with_namespace.as_deref() == Some(given) || given == own.value && serial::siblings(system, device).is_empty()
}

fn loop_name(subject: &Subject<'_>, given: Option<&str>) -> Vec<Reason> {
    let hint = "a loop device is named by its kernel name, as losetup shows it but without `/dev/`";
    match given {
        Some(name) if is_name_of(subject.system(), &subject.name, name) => Vec::new(),
        Some(name) => vec![Reason::new(format!("--destroy \"{name}\" does not name /dev/{}", subject.name)).hint(hint)],
        None => vec![Reason::new(format!("{} is written only with --destroy", subject.name)).hint(hint)],
    }
}

fn by_serial(subject: &Subject<'_>, given: Option<&str>) -> Vec<Reason> {
    let system = subject.system();
    if serial::serial(system, &subject.name).is_none() {
        return vec![
            Reason::new(format!("{} has no serial number that the kernel knows, so it cannot be named", subject.name))
                .hint("make a filesystem on it and give a directory there for a scratch file"),
        ];
    }
    let mut reasons = shared(subject);
    reasons.extend(named(subject, given));
    reasons
}

/// The same serial twice names nothing.
fn shared(subject: &Subject<'_>) -> Vec<Reason> {
    let system = subject.system();
    let mut others = serial::namesakes(system, &subject.name);
    let own = serial::namespace_id(system, &subject.name);
    let twins = serial::siblings(system, &subject.name).into_iter().filter(|s| serial::namespace_id(system, s) == own);
    others.extend(twins);
    if others.is_empty() {
        return Vec::new();
    }
    let hint = "detach the others first; the same drive seen over two paths counts as two";
    vec![Reason::new(format!("{} bears the same serial number as {}", subject.name, others.join(", "))).hint(hint)]
}

fn named(subject: &Subject<'_>, given: Option<&str>) -> Option<Reason> {
    let system = subject.system();
    let several = !serial::siblings(system, &subject.name).is_empty();
    let form = if several { "SERIAL:NAMESPACE, since its controller has several namespaces" } else { "SERIAL" };
    let hint = format!("the name is {form}; `ioproof list` shows the serial number: compare it with the label on the drive");
    match given {
        Some(name) if is_name_of(system, &subject.name, name) => None,
        Some(name) => Some(Reason::new(format!("--destroy \"{name}\" does not name /dev/{}", subject.name)).hint(hint)),
        None => Some(Reason::new(format!("{} is written only with --destroy", subject.name)).hint(hint)),
    }
}

#[cfg(test)]
mod tests {
    use crate::block::tree::Tree;
    use crate::guard::testing::{clauses, reasons};

    const NONE: [&str; 0] = [];

    fn drive() -> Tree {
        let tree = Tree::new();
        tree.disk("sda", "8:0", 1 << 30);
        tree.write_bytes("sys/block/sda/device/vpd_pg80", b"\0\x80\0\x08WD-12345");
        tree
    }

    #[test]
    fn only_the_serial_itself_is_consent() {
        let tree = drive();
        assert_eq!(clauses(&tree, "sda", Some("WD-12345")), NONE);
        for wrong in ["WD-1234", "WD-123456", "wd-12345", "WD-12345:1", "sda", "/dev/sda", ""] {
            assert_eq!(clauses(&tree, "sda", Some(wrong)), ["consent"], "{wrong:?}");
        }
        assert_eq!(clauses(&tree, "sda", None), ["consent"]);
    }

    #[test]
    fn a_refusal_does_not_give_the_serial_away() {
        let tree = drive();
        for given in [None, Some("nope")] {
            let text = reasons(&tree, "sda", given).join("\n");
            assert!(!text.contains("WD-12345"), "{text}");
            assert!(text.contains("ioproof list"), "{text}");
        }
    }

    #[test]
    fn no_serial_no_write() {
        let tree = Tree::new();
        tree.disk("zram0", "253:0", 1 << 30);
        assert_eq!(clauses(&tree, "zram0", Some("zram0")), ["consent"]);
        assert_eq!(clauses(&tree, "zram0", Some("")), ["consent"]);
    }

    #[test]
    fn one_serial_on_two_drives_names_neither() {
        let tree = drive();
        tree.disk("sdb", "8:16", 1 << 30);
        tree.write_bytes("sys/block/sdb/device/vpd_pg80", b"\0\x80\0\x08WD-12345");
        assert_eq!(clauses(&tree, "sda", Some("WD-12345")), ["consent"]);
        assert!(reasons(&tree, "sda", Some("WD-12345"))[0].contains("same serial number as sdb"));
    }

    #[test]
    fn several_namespaces_want_the_namespace() {
        let tree = Tree::new();
        tree.nvme("nvme0", &[("nvme0n1", "259:0", 1), ("nvme0n2", "259:1", 2)], "S1");
        assert_eq!(clauses(&tree, "nvme0n2", Some("S1:2")), NONE);
        for wrong in ["S1", "S1:1", "S1:", "S1:02"] {
            assert_eq!(clauses(&tree, "nvme0n2", Some(wrong)), ["consent"], "{wrong}");
        }
        let single = Tree::new();
        single.nvme("nvme0", &[("nvme0n1", "259:0", 1)], "S1");
        assert_eq!(clauses(&single, "nvme0n1", Some("S1")), NONE);
        assert_eq!(clauses(&single, "nvme0n1", Some("S1:1")), NONE);
    }

    #[test]
    fn one_namespace_through_two_controllers_is_refused() {
        let tree = Tree::new();
        tree.nvme("nvme0", &[("nvme0n1", "259:0", 1)], "S1");
        tree.nvme("nvme1", &[("nvme1n1", "259:1", 1)], "S1");
        for controller in ["nvme0", "nvme1"] {
            tree.write(&format!("sys/devices/{controller}/subsysnqn"), "nqn.example:s1\n");
        }
        assert_eq!(clauses(&tree, "nvme0n1", Some("S1:1")), ["consent"]);
    }

    #[test]
    fn a_loop_device_goes_by_its_name_and_nothing_else_does() {
        let tree = Tree::new();
        tree.disk("loop7", "7:7", 1 << 20);
        assert_eq!(clauses(&tree, "loop7", Some("loop7")), NONE);
        for wrong in [None, Some("loop"), Some("loop71"), Some("/dev/loop7")] {
            assert_eq!(clauses(&tree, "loop7", wrong), ["consent"]);
        }
        let refusal = reasons(&tree, "loop7", Some("loop8")).join(" ");
        assert!(refusal.contains("--destroy \"loop8\" does not name /dev/loop7"), "{refusal}");
        assert!(refusal.split_whitespace().all(|word| word != "loop7"), "no word of it is the consent: {refusal}");
    }
}
