//! Where unsafe code may stand, and that everywhere else the compiler forbids it.

use super::Failure;
use super::rust::{find_word, line_of};
use super::tree::Tree;

/// Crates that talk to the kernel in ways that the compiler cannot check: opening and ioctls, rings and buffers.
const UNSAFE_CRATES: [&str; 2] = ["ioproof-target", "ioproof-engine"];

const FORBID: &str = "#![forbid(unsafe_code)]";

pub fn unsafe_only_where_allowed(tree: &Tree) -> Vec<Failure> {
    let files = tree.rust().filter(|f| !UNSAFE_CRATES.contains(&f.crate_name()));
    let text = format!("unsafe code belongs into {}; offer a safe function there", UNSAFE_CRATES.join(" or "));
    files.flat_map(|f| find_word(&f.code, "unsafe").map(|at| Failure::new(&f.path, line_of(&f.code, at), &text))).collect()
}

pub fn forbidden_where_it_has_no_business(tree: &Tree) -> Vec<Failure> {
    let packages = tree.packages.iter().filter(|p| !UNSAFE_CRATES.contains(&p.name.as_str()));
    let roots = packages.flat_map(|p| &p.targets).filter(|t| matches!(t.kind.as_str(), "lib" | "bin"));
    let files = roots.filter_map(|t| tree.file(&t.source));
    let open = files.filter(|f| !f.code.contains(FORBID));
    open.map(|f| Failure::new(&f.path, 1, format!("add {FORBID} after the opening comment"))).collect()
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
    fn the_unsafe_crates_need_not_forbid() {
        let mut tree = one_file("crates/ioproof-engine/src/lib.rs", "//! X.\n");
        tree.packages.push(package("ioproof-engine", &[]));
        assert!(forbidden_where_it_has_no_business(&tree).is_empty());
    }
}
