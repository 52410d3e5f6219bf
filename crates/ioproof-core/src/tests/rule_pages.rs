//! Pages of the rules in `docs/rules`, held against what the rules say today: the title of the firing example, which `UPDATE_GOLDEN=1` writes anew, and words.
//!
//! Each crate with a table of rules has this file among its tests, since only there the examples of its rules can be run.

use std::path::{Path, PathBuf};

/// Beginning of the line that shows the title of the firing example.
const SHOWN: &str = "  > ";

/// Fails where the page of a rule, given by its name, shows another title than this one.
pub(crate) fn hold<'a>(titles: impl Iterator<Item = (&'a str, String)>) {
    let differ: Vec<String> = titles.filter_map(|(name, title)| differs(&page_of(name), &title)).collect();
    assert!(differ.is_empty(), "{}\nUPDATE_GOLDEN=1 writes them anew", differ.join("\n"));
}

/// Fails where the page of a rule, given by its name, does not have these words.
pub(crate) fn say<'a>(words: impl Iterator<Item = (&'a str, &'a str)>) {
    for (name, words) in words {
        let page = std::fs::read_to_string(page_of(name)).unwrap_or_default();
        assert!(page.contains(words), "docs/rules/{name}.md does not say `{words}`");
    }
}

fn page_of(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/rules").join(format!("{name}.md"))
}

/// The difference in words, unless it was mended.
fn differs(path: &Path, title: &str) -> Option<String> {
    let Ok(page) = std::fs::read_to_string(path) else { return Some(format!("{}: there is no such page", path.display())) };
    let shown = page.lines().filter_map(|line| line.strip_prefix(SHOWN)).next();
    let Some(shown) = shown else { return Some(format!("{}: no line begins with `{SHOWN}`", path.display())) };
    if shown == title {
        return None;
    }
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(path, page.replacen(&format!("{SHOWN}{shown}\n"), &format!("{SHOWN}{title}\n"), 1)).unwrap();
        return None;
    }
    Some(format!("{}: the page shows `{shown}`, the rule says `{title}`", path.display()))
}
