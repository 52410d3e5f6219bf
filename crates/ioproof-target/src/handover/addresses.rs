//! Hosts on which a drive's addresses are others than those that the kernel tells this program, or on which the drive reads other bytes there.
//! Without an IOMMU it would take whatever it reads for commands.

use crate::system::System;
use ioproof_nvme::physical;

/// The reason why no drive can be driven without an IOMMU here; `None` where one can.
pub(super) fn why_not(system: &System) -> Option<&'static str> {
    if !physical::IS_SUPPORTED {
        return Some("on this processor a drive's addresses may be others than its own");
    }
    let xen = |file: &str| system.sys_text(&format!("hypervisor/{file}"));
    if xen("type").as_deref() == Some("xen") && xen("guest_type").as_deref() != Some("HVM") {
        return Some("under Xen a drive's addresses are others than the kernel's");
    }
    is_encrypted(system).then_some("the memory here is encrypted, so the drive would not read what was written")
}

/// True where the processor encrypts memory: SME on a host, SEV or TDX in a virtual machine.
fn is_encrypted(system: &System) -> bool {
    let has_word = |text: &str, word: &str| text.split_whitespace().any(|own| own == word);
    let processor = system.proc_text("cpuinfo").unwrap_or_default();
    let flags = processor.lines().find(|line| line.starts_with("flags")).unwrap_or_default();
    let is_guest = has_word(flags, "hypervisor");
    let by_host = ["sev", "sev_es", "sev_snp", "tdx_guest"].iter().any(|flag| has_word(flags, flag));
    // The flag `sme` alone says that the firmware allows it.
    is_guest && by_host || has_word(flags, "sme") && has_word(&system.proc_text("cmdline").unwrap_or_default(), "mem_encrypt=on")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::tree::Tree;

    #[test]
    fn a_plain_host_is_good_and_others_say_why_they_are_not() {
        let tree = Tree::new();
        let of = |flags: &str, line: &str| {
            tree.write("proc/cpuinfo", &format!("processor\t: 0\nflags\t\t: fpu {flags}\nbugs\t\t: sev\n"));
            tree.write("proc/cmdline", line);
            why_not(&tree.system())
        };
        let good = [("sme sev", "ro quiet"), ("hypervisor", "ro"), ("", "ro mem_encrypt=on")];
        let encrypted = [("sme sev", "ro mem_encrypt=on"), ("hypervisor sev_snp", "ro"), ("tdx_guest hypervisor", "ro")];
        if !physical::IS_SUPPORTED {
            return assert!(of("", "").is_some());
        }
        assert!(good.iter().all(|(flags, line)| of(flags, line).is_none()));
        assert!(encrypted.iter().all(|(flags, line)| of(flags, line).is_some_and(|why| why.contains("encrypted"))));
        of("", "");
        tree.write("sys/hypervisor/type", "xen\n");
        assert!(why_not(&tree.system()).unwrap().contains("Xen"));
        tree.write("sys/hypervisor/guest_type", "HVM\n");
        assert_eq!(why_not(&tree.system()), None);
    }
}
