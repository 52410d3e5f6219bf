//! Habits of whole files and folders.

use super::Failure;
use super::tree::{File, Tree};
use std::collections::BTreeMap;

/// A longer file holds more than one idea.
const FILE_LINES_MAX: usize = 800;

/// More files than this in a folder are more than one theme.
const FOLDER_FILES_MAX: usize = 20;

/// Folders in which each file is a row of a table: whoever adds one must find out how. A folder that moves is to be named here by its new path.
pub const TABLE_FOLDERS: [&str; 15] = [
    "crates/ioproof-core/src/findings",
    "crates/ioproof-core/src/method",
    "crates/ioproof-engine/src/backend",
    "crates/ioproof-fio/src/audit",
    "crates/ioproof-fio/src/options",
    "crates/ioproof-fio/src/print",
    "crates/ioproof-pages/src/doctor",
    "crates/ioproof-report/src/formats",
    "crates/ioproof-target/src/guard",
    "crates/ioproof-session/src/sources",
    "crates/ioproof/src/verbs",
    "datasheets",
    "xtask/src/attack",
    "xtask/src/bench",
    "xtask/src/causes",
];

/// Paths that exist on somebody's machine only. Written in two parts, so that this file does not hold them.
const FORBIDDEN_WORDS: [&str; 3] = [concat!("/wo", "rk/"), concat!("/fa", "rm/"), concat!("../sha", "red")];

pub fn opens_with_a_comment(tree: &Tree) -> Vec<Failure> {
    let files = tree.rust().filter(|f| !f.text.starts_with("//!"));
    files
        .map(|f| Failure::new(&f.path, 1, "open the file with `//!`: what it is for, its neighbours, what is deliberately absent"))
        .collect()
}

pub fn is_not_too_long(tree: &Tree) -> Vec<Failure> {
    let long = tree.rust().filter(|f| f.text.lines().count() > FILE_LINES_MAX);
    let text = |f: &File| format!("{} lines, at most {FILE_LINES_MAX}; divide it by ideas", f.text.lines().count());
    long.map(|f| Failure::new(&f.path, FILE_LINES_MAX + 1, text(f))).collect()
}

pub fn folder_is_not_too_full(tree: &Tree) -> Vec<Failure> {
    let mut folders: BTreeMap<&str, usize> = BTreeMap::new();
    for (folder, _) in tree.rust().filter_map(|file| file.path.rsplit_once('/')) {
        *folders.entry(folder).or_default() += 1;
    }
    let full = folders.into_iter().filter(|(_, files)| *files > FOLDER_FILES_MAX);
    full.map(|(folder, files)| Failure::new(folder, 1, format!("{files} Rust files, at most {FOLDER_FILES_MAX}; group them by theme")))
        .collect()
}

pub fn ignores_no_test(tree: &Tree) -> Vec<Failure> {
    let mark = concat!("#[ign", "ore");
    let text = "a test that does not run proves nothing: mend it, or name its file so that `cargo xtask test` knows what it needs";
    tree.rust().flat_map(|f| lines_with(&f.code, mark).map(|line| Failure::new(&f.path, line, text))).collect()
}

pub fn has_no_forbidden_word(tree: &Tree) -> Vec<Failure> {
    let found = |f: &File, word: &str| -> Vec<Failure> {
        let text = format!("`{word}` is a path of one machine; name only what every clone has");
        lines_with(&f.text, word).map(|line| Failure::new(&f.path, line, &text)).collect()
    };
    tree.files.iter().flat_map(|f| FORBIDDEN_WORDS.iter().flat_map(move |word| found(f, word))).collect()
}

pub fn folders_with_a_table_explain_it(tree: &Tree) -> Vec<Failure> {
    TABLE_FOLDERS.iter().filter_map(|folder| unexplained(tree, folder)).collect()
}

/// The failure of a folder that is gone or has no README.
fn unexplained(tree: &Tree, folder: &str) -> Option<Failure> {
    let readme = format!("{folder}/README.md");
    let is_in = |f: &File| f.path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
    match tree.file(&readme) {
        Some(_) => None,
        None if tree.files.iter().any(is_in) => {
            Some(Failure::new(&readme, 1, "write it: what one file of this folder is, and how to add one"))
        }
        None => Some(Failure::new(folder, 1, "there is no such folder: mend TABLE_FOLDERS of xtask/src/tidy/files.rs")),
    }
}

pub fn changelog_has_an_unreleased_section(tree: &Tree) -> Vec<Failure> {
    let is_heading = |line: &str| matches!(line.trim_end(), "## Unreleased" | "## [Unreleased]");
    match tree.file("CHANGELOG.md") {
        Some(file) if file.text.lines().any(is_heading) => Vec::new(),
        Some(_) => vec![Failure::new("CHANGELOG.md", 1, "add a section `## Unreleased` for what users will notice")],
        None => vec![Failure::new("CHANGELOG.md", 1, "write it, with a section `## Unreleased`")],
    }
}

fn lines_with<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    text.lines().enumerate().filter(move |(_, line)| line.contains(word)).map(|(index, _)| index + 1)
}

#[cfg(test)]
mod tests {
    use super::super::tree::testing::{one_file, with_file};
    use super::*;

    #[test]
    fn the_opening_comment_is_the_first_thing() {
        assert!(opens_with_a_comment(&one_file("a.rs", "//! A.\n")).is_empty());
        assert_eq!(opens_with_a_comment(&one_file("a.rs", "\n//! A.\n")).len(), 1);
        assert_eq!(opens_with_a_comment(&one_file("a.rs", "/// A.\n")).len(), 1);
        assert!(opens_with_a_comment(&one_file("a.md", "A")).is_empty());
    }

    #[test]
    fn the_limit_itself_is_allowed() {
        assert!(is_not_too_long(&one_file("a.rs", &"x\n".repeat(FILE_LINES_MAX))).is_empty());
        assert_eq!(is_not_too_long(&one_file("a.rs", &"x\n".repeat(FILE_LINES_MAX + 1))).len(), 1);
    }

    #[test]
    fn every_forbidden_word_is_found_with_its_line_in_any_file() {
        for word in FORBIDDEN_WORDS {
            let failures = has_no_forbidden_word(&one_file("docs/a.md", &format!("x\nsee {word}y\n")));
            assert_eq!((failures.len(), failures[0].line), (1, 2), "{word}");
        }
        assert!(has_no_forbidden_word(&one_file("a.md", "the work/share of a job\n")).is_empty());
    }

    #[test]
    fn an_ignored_test_is_seen_in_code_only() {
        assert_eq!(ignores_no_test(&one_file("a.rs", concat!("#[test]\n#[ign", "ore = \"slow\"]\nfn f() {}\n")))[0].line, 2);
        assert!(ignores_no_test(&one_file("a.rs", concat!("// #[ign", "ore]\n"))).is_empty());
    }

    #[test]
    fn tables_need_a_readme_and_a_folder_that_has_moved_is_noticed() {
        let failure = |tree: &Tree| unexplained(tree, "datasheets").map(|f| f.path);
        let tree = one_file("datasheets/x.toml", "");
        assert_eq!(failure(&tree).as_deref(), Some("datasheets/README.md"));
        assert_eq!(failure(&with_file(tree, "datasheets/README.md", "")), None);
        assert_eq!(failure(&one_file("datasheets2/x.toml", "")).as_deref(), Some("datasheets"));
        assert_eq!(folders_with_a_table_explain_it(&Tree::default()).len(), TABLE_FOLDERS.len());
    }

    #[test]
    fn the_changelog_must_be_there_and_open() {
        assert_eq!(changelog_has_an_unreleased_section(&Tree::default()).len(), 1);
        assert_eq!(changelog_has_an_unreleased_section(&one_file("CHANGELOG.md", "Unreleased\n")).len(), 1);
        assert!(changelog_has_an_unreleased_section(&one_file("CHANGELOG.md", "# C\n\n## [Unreleased]\n")).is_empty());
    }
}
