//! Unsafe code: the crates and files in which it may stand, and the attribute by which the compiler forbids it everywhere else.
//!
//! CONTRIBUTING.md tells the same list to people; a test below holds the two together.

use super::Failure;
use super::rust::{find_word, line_of};
use super::tree::{File, Tree};

/// Crates that talk to the kernel in ways that the compiler cannot check: opening and ioctls, rings and buffers.
const UNSAFE_CRATES: [&str; 3] = ["ioproof-target", "ioproof-engine", "ioproof-nvme"];

/// Single files of other crates that do so: each sends an ioctl out of a closed list of commands that read.
const UNSAFE_FILES: [&str; 2] = ["crates/ioproof-device/src/transport/ioctl.rs", "crates/ioproof-device/src/transport/scsi/sg_io.rs"];

const FORBID: &str = "#![forbid(unsafe_code)]";

/// Attribute of a crate with such a file: the file can then expect the lint, and no other does without this check seeing it.
const DENY: &str = "#![deny(unsafe_code)]";

pub fn unsafe_only_where_allowed(tree: &Tree) -> Vec<Failure> {
    let files = tree.rust().filter(|f| !UNSAFE_CRATES.contains(&f.crate_name()) && !UNSAFE_FILES.contains(&f.path.as_str()));
    let text =
        format!("unsafe code belongs into {}; offer a safe function there", [&UNSAFE_CRATES[..], &UNSAFE_FILES].concat().join(" or "));
    files.flat_map(|f| find_word(&f.code, "unsafe").map(|at| Failure::new(&f.path, line_of(&f.code, at), &text))).collect()
}

pub fn forbidden_where_it_has_no_business(tree: &Tree) -> Vec<Failure> {
    let packages = tree.packages.iter().filter(|p| !UNSAFE_CRATES.contains(&p.name.as_str()));
    let files = packages.flat_map(|p| &p.roots).filter_map(|root| tree.file(root)).map(|f| (f, wanted(f)));
    let open = files.filter(|(f, wanted)| !f.code.contains(wanted));
    open.map(|(f, wanted)| Failure::new(&f.path, 1, format!("add {wanted} after the opening comment"))).collect()
}

fn wanted(root: &File) -> &'static str {
    let folder = format!("crates/{}/", root.crate_name());
    if UNSAFE_FILES.iter().any(|path| path.starts_with(&folder)) { DENY } else { FORBID }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contributors_are_told_the_same_list() {
        let guide = std::fs::read_to_string(crate::workspace_root().join("CONTRIBUTING.md")).unwrap();
        let crates = UNSAFE_CRATES.iter().map(|name| name.trim_start_matches("ioproof-"));
        let files = UNSAFE_FILES.iter().filter_map(|path| Some(path.split_once("/src/")?.1));
        let rule = guide.split("\n- ").find(|rule| rule.contains("SAFETY")).unwrap_or_default();
        for name in crates.chain(files) {
            assert!(rule.contains(&format!("`{name}`")), "CONTRIBUTING.md does not name {name}");
        }
    }
}
