//! The first word of doc comments: a verb or a noun of the trade, never a question.
//!
//! All crates are held to it.

use super::Failure;
use super::tree::{File, Tree};

/// Starts of the paths of files that are held to it.
const IN_FORCE: [&str; 2] = ["crates/", "xtask/"];

/// Words that make a noun phrase out of a question, so that a reader has to find out what is meant.
const QUESTIONS: [&str; 5] = ["What", "Whether", "How", "Who", "Why"];

pub fn begins_with_no_question(tree: &Tree) -> Vec<Failure> {
    tree.rust().filter(|file| is_held(&file.path)).flat_map(questions).collect()
}

fn is_held(path: &str) -> bool {
    IN_FORCE.iter().any(|start| path.starts_with(start))
}

fn questions(file: &File) -> Vec<Failure> {
    let text = |word: &str| format!("a doc comment begins with `{word}`; begin it with a verb or a noun of the trade");
    first_lines(&file.text).filter_map(|(line, comment)| Some(Failure::new(&file.path, line, text(question(comment)?)))).collect()
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

fn question(comment: &str) -> Option<&'static str> {
    let word = comment.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    QUESTIONS.into_iter().find(|question| *question == word)
}
