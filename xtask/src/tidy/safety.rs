//! Unsafe code: the crates and files in which it may stand, and the attribute by which the compiler forbids it everywhere else.
//!
//! CONTRIBUTING.md tells the same list to people; a test below holds the two together.

use super::Failure;
use super::rust::{find_word, line_of};
use super::tree::{File, Tree};

/// Crates that talk to the kernel in ways that the compiler cannot check: opening and ioctls, rings and buffers.
const UNSAFE_CRATES: [&str; 2] = ["ioproof-target", "ioproof-engine"];

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
    let roots = packages.flat_map(|p| &p.targets).filter(|t| matches!(t.kind.as_str(), "lib" | "bin"));
    let files = roots.filter_map(|t| tree.file(&t.source)).map(|f| (f, wanted(f)));
    let open = files.filter(|(f, wanted)| !f.code.contains(wanted));
    open.map(|(f, wanted)| Failure::new(&f.path, 1, format!("add {wanted} after the opening comment"))).collect()
}

/// Attribute that a crate's root must have.
fn wanted(root: &File) -> &'static str {
    let folder = format!("crates/{}/", root.crate_name());
    if UNSAFE_FILES.iter().any(|path| path.starts_with(&folder)) { DENY } else { FORBID }
}

#[cfg(test)]
mod tests {
    use super::super::tree::testing::{one_file, package};
    use super::*;

    #[test]
    fn unsafe_is_seen_in_code_and_not_in_words() {
        let source = "//! unsafe here\n#![forbid(unsafe_code)]\nconst X: &str = \"unsafe\";\n";
        assert!(unsafe_only_where_allowed(&one_file("crates/ioproof-core/src/x.rs", source)).is_empty());
        let failures = unsafe_only_where_allowed(&one_file("crates/ioproof-device/src/x.rs", "fn f() {\n    unsafe { g() }\n}\n"));
        assert_eq!((failures.len(), failures[0].line), (1, 2));
        assert!(unsafe_only_where_allowed(&one_file("crates/ioproof-engine/src/x.rs", "unsafe fn f() {}")).is_empty());
    }

    #[test]
    fn a_remark_does_not_forbid_anything() {
        let mut tree = one_file("crates/ioproof-core/src/lib.rs", "//! X.\n// #![forbid(unsafe_code)]\n");
        tree.packages.push(package("ioproof-core", &[]));
        assert_eq!(forbidden_where_it_has_no_business(&tree).len(), 1);
        tree.add("crates/ioproof-core/src/lib.rs", "//! X.\n#![forbid(unsafe_code)]\n");
        assert!(forbidden_where_it_has_no_business(&tree).is_empty());
    }

    #[test]
    fn a_single_file_may_and_its_crate_denies() {
        let path = UNSAFE_FILES[0];
        assert!(unsafe_only_where_allowed(&one_file(path, "unsafe fn f() {}")).is_empty());
        assert_eq!(unsafe_only_where_allowed(&one_file("crates/ioproof-device/src/transport/node.rs", "unsafe fn f() {}")).len(), 1);
        let root = |text: &str| {
            let mut tree = one_file("crates/ioproof-device/src/lib.rs", text);
            tree.packages.push(package("ioproof-device", &[]));
            forbidden_where_it_has_no_business(&tree).len()
        };
        assert_eq!([root("//! X.\n#![deny(unsafe_code)]\n"), root("//! X.\n")], [0, 1]);
    }

    #[test]
    fn the_files_that_may_are_there() {
        let root = crate::workspace_root();
        assert!(UNSAFE_FILES.iter().all(|path| root.join(path).is_file()));
    }

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

    #[test]
    fn the_unsafe_crates_need_not_forbid() {
        let mut tree = one_file("crates/ioproof-engine/src/lib.rs", "//! X.\n");
        tree.packages.push(package("ioproof-engine", &[]));
        assert!(forbidden_where_it_has_no_business(&tree).is_empty());
    }
}
