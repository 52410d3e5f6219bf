//! Habits of whole files, of folders and of doc comments; the length of sentences on the pages that a newcomer reads (code, tables' borders and headings are
//! none).

use super::Failure;
use super::tree::{File, Tree};
use std::collections::BTreeMap;

const FILE_LINES_MAX: usize = 800;

/// More files than this in a folder are more than one theme.
const FOLDER_FILES_MAX: usize = 20;

/// Folders in which each file is a row of a table: whoever adds one must find out how. A folder that moves is to be named here by its new path.
pub const TABLE_FOLDERS: &str = "
    crates/ioproof-audit/src/checks crates/ioproof-audit/src/readers crates/ioproof-core/src/findings crates/ioproof-core/src/method
    crates/ioproof-engine/src/backend crates/ioproof-fio/src/audit crates/ioproof-fio/src/options crates/ioproof-fio/src/print
    crates/ioproof-pages/src/doctor crates/ioproof-report/src/formats crates/ioproof-target/src/guard
    crates/ioproof-session/src/sources crates/ioproof/src/verbs datasheets xtask/src/attack xtask/src/bench xtask/src/causes";

/// Paths that exist on somebody's machine only. Written in two parts, so that this file does not hold them.
const FORBIDDEN_WORDS: [&str; 3] = [concat!("/wo", "rk/"), concat!("/fa", "rm/"), concat!("../sha", "red")];

pub fn opens_with_a_comment(tree: &Tree) -> Vec<Failure> {
    let text = "open the file with `//!`: what it is for, its neighbours, what is deliberately absent";
    tree.rust().filter(|f| !f.text.starts_with("//!")).map(|f| Failure::new(&f.path, 1, text)).collect()
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
    let unexplained = |folder: &str| {
        let (readme, inside) = (format!("{folder}/README.md"), format!("{folder}/"));
        let is_there = tree.files.iter().any(|f| f.path.starts_with(&inside));
        match tree.file(&readme) {
            Some(_) => None,
            None if is_there => Some(Failure::new(&readme, 1, "write it: what one file of this folder is, and how to add one")),
            None => Some(Failure::new(folder, 1, "there is no such folder: mend TABLE_FOLDERS of xtask/src/tidy/files.rs")),
        }
    };
    TABLE_FOLDERS.split_whitespace().filter_map(unexplained).collect()
}

pub fn changelog_has_an_unreleased_section(tree: &Tree) -> Vec<Failure> {
    let is_heading = |line: &str| matches!(line.trim_end(), "## Unreleased" | "## [Unreleased]");
    let has_one = tree.file("CHANGELOG.md").is_some_and(|file| file.text.lines().any(is_heading));
    let failure = || Failure::new("CHANGELOG.md", 1, "add a section `## Unreleased` for what users will notice");
    (!has_one).then(failure).into_iter().collect()
}

fn lines_with<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    text.lines().enumerate().filter(move |(_, line)| line.contains(word)).map(|(index, _)| index + 1)
}

/// Words that make a noun phrase out of a question, so that a reader has to find out what is meant.
const QUESTIONS: [&str; 5] = ["What", "Whether", "How", "Who", "Why"];

pub fn begins_with_no_question(tree: &Tree) -> Vec<Failure> {
    let text = |word: &str| format!("a doc comment begins with `{word}`; begin it with a verb or a noun of the trade");
    let question = |comment: &str| {
        let word = comment.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        QUESTIONS.into_iter().find(|question| *question == word)
    };
    let failure = |file: &File, line, comment: &str| Some(Failure::new(&file.path, line, text(question(comment)?)));
    let held = tree.rust().filter(|file| file.path.starts_with("crates/") || file.path.starts_with("xtask/"));
    held.flat_map(|file| first_lines(&file.text).filter_map(move |(line, comment)| failure(file, line, comment))).collect()
}

fn first_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut before = None;
    text.lines().enumerate().filter_map(move |(index, line)| {
        let comment = mark(line).map(|mark| (mark, line.trim_start()[mark.len()..].trim_start()));
        let is_first = comment.is_some_and(|(mark, _)| before != Some(mark));
        before = comment.map(|(mark, _)| mark);
        comment.filter(|_| is_first).map(|(_, comment)| (index + 1, comment))
    })
}

/// `//!` or `///`, unless more slashes follow, which make an ordinary comment.
fn mark(line: &str) -> Option<&'static str> {
    let line = line.trim_start();
    ["//!", "///"].into_iter().find(|mark| line.starts_with(mark)).filter(|_| !line.starts_with("////"))
}

/// Words of the median sentence of a page, of nine in ten, and of any.
const MEDIAN_WORDS: usize = 14;
const MOST_WORDS: usize = 25;
const LONGEST_WORDS: usize = 35;
const FEWEST_SENTENCES: usize = 10;

pub fn has_short_sentences(tree: &Tree) -> Vec<Failure> {
    let is_read_first = |path: &str| path == "README.md" || path == "ARCHITECTURE.md" || path.starts_with("docs/guide/");
    let pages = tree.files.iter().filter(|file| is_read_first(&file.path));
    pages.flat_map(|file| of_page(&file.path, &file.text)).collect()
}

fn of_page(path: &str, text: &str) -> Vec<Failure> {
    let sentences = sentences(text);
    let mut words: Vec<usize> = sentences.iter().map(|(_, words)| *words).collect();
    words.sort_unstable();
    let long = sentences.iter().filter(|(_, words)| *words > LONGEST_WORDS);
    let mut failures: Vec<Failure> =
        long.map(|(line, words)| Failure::new(path, *line, format!("a sentence of {words} words; two facts are two sentences"))).collect();
    if words.len() >= FEWEST_SENTENCES {
        let (median, most) = (words[words.len() / 2], words[words.len() * 9 / 10]);
        if median > MEDIAN_WORDS || most > MOST_WORDS {
            let text =
                format!("sentences of {median} words at the median, {most} at the ninth decile; at most {MEDIAN_WORDS} and {MOST_WORDS}");
            failures.push(Failure::new(path, 1, text));
        }
    }
    failures
}

/// Each sentence's first line and its words. A cell of a table, an item of a list and a paragraph end one too.
fn sentences(text: &str) -> Vec<(usize, usize)> {
    let (mut all, mut words, mut first, mut is_code) = (Vec::new(), 0, 0, false);
    for (at, line) in text.lines().enumerate() {
        is_code ^= line.starts_with("```");
        let is_prose = !is_code && !["#", "```", "    "].iter().any(|begin| line.starts_with(begin));
        if !is_prose || line.trim().is_empty() || line.trim_start().starts_with(['-', '|']) {
            all.push((first, std::mem::take(&mut words)));
        }
        for word in line.split_whitespace().filter(|_| is_prose) {
            if words == 0 {
                first = at + 1;
            }
            words += usize::from(word.chars().any(char::is_alphanumeric));
            if word.ends_with(['.', ':', '!', '?', '|']) {
                all.push((first, std::mem::take(&mut words)));
            }
        }
    }
    all.push((first, words));
    all.retain(|(_, words)| *words > 2);
    all
}
