//! Imports inside a crate: between the modules that stand side by side in a folder they point one way, so that no knot is larger than a folder.
//!
//! A module and those below it count as one; what they take from one another is no arrow.

use super::Failure;
use super::tree::{File, Tree};
use std::collections::{BTreeMap, BTreeSet};

/// Modules of a crate by their path from its root; the root is the empty path.
pub type Path = Vec<String>;

/// One crate: the code of its modules, and what each gives on under a name of its own.
struct Modules<'a> {
    code: BTreeMap<Path, &'a File>,
    given_on: BTreeMap<(Path, String), Path>,
}

type Arrows<'a> = BTreeMap<Path, BTreeMap<Path, &'a str>>;

pub fn check(tree: &Tree) -> Vec<Failure> {
    let crates: BTreeSet<&str> = tree.rust().filter(|file| source(file).is_some()).map(File::crate_name).collect();
    crates.into_iter().flat_map(|name| knots(&Modules::of(tree, name))).collect()
}

/// The part of a product file's path below `src/`, without its ending.
fn source(file: &File) -> Option<&str> {
    let (_, inside) = file.path.split_once("/src/")?;
    inside.strip_suffix(".rs").filter(|_| !file.product_code.is_empty())
}

/// Files of one folder may be a knot; one that reaches into a folder may not. It is told at an arrow whose end leads back to its begin.
fn knots(modules: &Modules) -> Vec<Failure> {
    let arrows = modules.arrows();
    let is_knot =
        |from: &Path, to: &Path| (modules.has_children(from) || modules.has_children(to)) && from < to && leads(&arrows, to, from);
    let text =
        |from: &Path, to: &Path| format!("{} and {} import each other: move what both need below them", from.join("::"), to.join("::"));
    let all = arrows.iter().flat_map(|(from, to)| to.iter().map(move |(to, file)| (from, to, file)));
    all.filter(|(from, to, _)| is_knot(from, to)).map(|(from, to, file)| Failure::new(file, 1, text(from, to))).collect()
}

fn leads(arrows: &Arrows, from: &Path, to: &Path) -> bool {
    let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(at) = open.pop() {
        if seen.insert(at) {
            open.extend(arrows.get(at).into_iter().flat_map(BTreeMap::keys));
        }
    }
    seen.contains(to)
}

impl<'a> Modules<'a> {
    fn of(tree: &'a Tree, name: &str) -> Self {
        let files = tree.rust().filter(|file| file.crate_name() == name);
        let code: BTreeMap<Path, &File> = files.filter_map(|file| Some((module(source(file)?), file))).collect();
        let mut modules = Self { code, given_on: BTreeMap::new() };
        for (path, file) in &modules.code {
            let given_on = uses(&file.product_code).into_iter().filter(|used| used.is_public);
            let given_on = given_on.filter_map(|used| Some(((path.clone(), used.name), modules.absolute(path, &used.path)?)));
            modules.given_on.extend(given_on.collect::<Vec<_>>());
        }
        modules
    }

    fn has_children(&self, module: &Path) -> bool {
        self.code.keys().any(|other| other.len() > module.len() && other.starts_with(module))
    }

    /// The path from the crate's root; `None` for names of other crates and for what is in the module itself.
    fn absolute(&self, module: &Path, path: &[String]) -> Option<Path> {
        let (first, rest) = path.split_first()?;
        match first.as_str() {
            "crate" => Some(rest.to_vec()),
            "self" => Some([module, rest].concat()),
            "super" => {
                let ups = path.iter().take_while(|part| *part == "super").count();
                let base = module.get(..module.len().checked_sub(ups)?)?;
                Some([base, &path[ups..]].concat())
            }
            _ => {
                let inside = [module.as_slice(), std::slice::from_ref(first)].concat();
                self.code.contains_key(&inside).then(|| [module, path].concat())
            }
        }
    }

    fn holder(&self, path: &[String], depth: usize) -> Option<Path> {
        let mut best = None;
        for length in 1..=path.len() {
            let (inside, name) = (&path[..length - 1], &path[length - 1]);
            if self.code.contains_key(&path[..length]) {
                best = Some(path[..length].to_vec());
            } else if let Some(target) = self.given_on.get(&(inside.to_vec(), name.clone())).filter(|_| depth < 8) {
                return self.holder(&[target, &path[length..]].concat(), depth + 1).or(best);
            } else {
                break;
            }
        }
        best
    }

    fn arrows(&self) -> Arrows<'a> {
        let mut arrows = Arrows::new();
        for (from, file) in &self.code {
            let paths = uses(&file.product_code).into_iter().map(|used| used.path).chain(written_paths(&file.product_code));
            let holders = paths.filter_map(|path| self.holder(&self.absolute(from, &path)?, 0));
            for to in holders {
                let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
                if common < from.len() && common < to.len() {
                    let (a, b) = (from[..=common].to_vec(), to[..=common].to_vec());
                    arrows.entry(a).or_default().entry(b).or_insert(&file.path);
                }
            }
        }
        arrows
    }
}

/// `judge/limit/mod` and `judge/limit` are the module `judge::limit`; `lib` and `main` are the root.
fn module(source: &str) -> Path {
    let parts: Path = source.split('/').map(str::to_owned).collect();
    match parts.split_last() {
        Some((last, [])) if matches!(last.as_str(), "lib" | "main") => Vec::new(),
        Some((last, folder)) if last == "mod" => folder.to_vec(),
        _ => parts,
    }
}

pub struct Used {
    pub path: Path,
    name: String,
    is_public: bool,
}

pub fn uses(code: &str) -> Vec<Used> {
    let mut used = Vec::new();
    let mut rest = code;
    while let Some(at) = rest.find("use ") {
        let (before, after) = (&rest[..at], &rest[at + 4..]);
        let line = before.rsplit('\n').next().unwrap_or_default().trim();
        let Some(end) = after.find(';') else { break };
        if line.is_empty() || line.starts_with("pub") {
            let tree = after[..end].split_whitespace().collect::<Vec<_>>().join(" ");
            branches(&tree, &[], &mut |path, name| used.push(Used { path, name, is_public: line.starts_with("pub") }));
        }
        rest = &after[end..];
    }
    used
}

/// Each path of a `use` tree, with the name that it gets.
fn branches(tree: &str, before: &[String], found: &mut impl FnMut(Path, String)) {
    for part in top_level(tree) {
        let (path, inside) = part.split_once('{').map_or((part, None), |(path, inside)| (path, inside.strip_suffix('}')));
        let (path, other) = path.split_once(" as ").map_or((path, None), |(path, name)| (path, Some(name.trim())));
        let mut whole: Path = before.to_vec();
        whole.extend(path.split("::").map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned));
        match inside {
            Some(inside) => branches(inside, &whole, found),
            None => {
                if whole.len() > 1 && whole.last().is_some_and(|name| name == "self") {
                    whole.pop();
                }
                let name = other.map_or_else(|| whole.last().cloned().unwrap_or_default(), str::to_owned);
                found(whole, name);
            }
        }
    }
}

/// The parts of a list between its commas, of which those within braces are none.
fn top_level(list: &str) -> Vec<&str> {
    let mut depth = 0;
    let is_comma = |letter: char| {
        depth += i32::from(letter == '{') - i32::from(letter == '}');
        letter == ',' && depth == 0
    };
    list.split(is_comma).map(str::trim).filter(|part| !part.is_empty()).collect()
}

pub fn written_paths(code: &str) -> Vec<Path> {
    let is_of_path = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | ':');
    let words = code.split(|letter: char| !is_of_path(letter)).filter(|word| word.contains("::"));
    words.map(|word| word.split("::").filter(|name| !name.is_empty()).map(str::to_owned).collect()).collect()
}
