//! The length of sentences on the pages that a newcomer reads: README, the guide, ARCHITECTURE.md. Code, tables' borders and headings are no sentences.

use super::Failure;
use super::tree::Tree;

/// Words of the median sentence of a page, of nine in ten, and of any.
const MEDIAN_WORDS: usize = 14;
const MOST_WORDS: usize = 25;
const LONGEST_WORDS: usize = 35;

const FEWEST_SENTENCES: usize = 10;

pub fn are_short(tree: &Tree) -> Vec<Failure> {
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
