//! Hints in the name of a load about its order, direction, sizes, depth and engine: `random-read-4k`, `seq128k_write`, `qd32`.

/// That which a name tells.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct NameHints {
    pub(super) random: bool,
    pub(super) sequential: bool,
    pub(super) reads: bool,
    pub(super) writes: bool,
    pub(super) mixed: bool,
    /// Sizes: the number, and 10 for kilobytes or 20 for megabytes.
    pub(super) sizes: Vec<(u64, u32)>,
    pub(super) depths: Vec<u64>,
    /// Backends, by fio's names.
    pub(super) engines: Vec<&'static str>,
    /// Words after which the name tells of more than one thing or of a part among others.
    pub(super) hedged: bool,
}

const HEDGES: &[&str] = &[
    "after",
    "and",
    "background",
    "before",
    "bg",
    "during",
    "fg",
    "fill",
    "foreground",
    "heavy",
    "init",
    "layout",
    "mostly",
    "noise",
    "noisy",
    "or",
    "plus",
    "pre",
    "precondition",
    "prep",
    "prepare",
    "reader",
    "readers",
    "then",
    "verify",
    "versus",
    "victim",
    "vs",
    "warmup",
    "while",
    "with",
    "writer",
    "writers",
];

pub(super) fn hints(name: &str) -> NameHints {
    let lower = name.to_ascii_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let mut hints = NameHints::default();
    for (at, word) in words.iter().enumerate() {
        let next = words.get(at + 1).copied();
        hints.word(word, next);
    }
    hints
}

impl NameHints {
    fn word(&mut self, word: &str, next: Option<&str>) {
        if HEDGES.contains(&word) {
            self.hedged = true;
        } else if let Some(engine) = engine(word, next) {
            self.engines.push(engine);
        } else if let Some(depth) = depth(word, next) {
            self.depths.push(depth);
        } else if let Some(size) = size(word).filter(|_| next != Some("iops")) {
            self.sizes.push(size);
        } else if let Some((is_random, rest)) = order(word) {
            self.ordered(is_random, rest);
        } else {
            self.direction(word);
        }
    }

    /// `randread` and `seq128k` are two words in one; `sequence` is neither.
    fn ordered(&mut self, is_random: bool, rest: &str) {
        let is_known = rest.is_empty() || self.direction(rest) || size(rest).is_some();
        self.random |= is_random && is_known;
        self.sequential |= !is_random && is_known;
        self.mixed |= rest == "rw";
        self.sizes.extend(size(rest));
    }

    fn direction(&mut self, word: &str) -> bool {
        match word {
            "read" | "reads" => self.reads = true,
            "write" | "writes" => self.writes = true,
            "readwrite" | "mixed" | "mix" => self.mixed = true,
            _ => return word == "rw",
        }
        true
    }

    /// True where it tells one workload from another.
    pub(super) fn names_a_workload(&self) -> bool {
        !self.hedged && (self.random || self.sequential || self.reads || self.writes || self.mixed || !self.sizes.is_empty())
    }
}

/// The order at the beginning of a word, and what follows.
fn order(word: &str) -> Option<(bool, &str)> {
    let known = [("random", true), ("rand", true), ("rnd", true), ("sequential", false), ("seq", false)];
    known.into_iter().find_map(|(prefix, is_random)| word.strip_prefix(prefix).map(|rest| (is_random, rest)))
}

/// `4k`, `128kb`, `1m`, `bs4k`.
fn size(word: &str) -> Option<(u64, u32)> {
    let word = word.strip_prefix("bs").unwrap_or(word);
    let end = word.find(|c: char| !c.is_ascii_digit())?;
    let bits = match &word[end..] {
        "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        _ => return None,
    };
    word[..end].parse().ok().filter(|number| (1..=65536).contains(number)).map(|number| (number, bits))
}

/// `qd32`, `q32`, `q32t4`, `iodepth32`, or `qd` with the number as the next word.
fn depth(word: &str, next: Option<&str>) -> Option<u64> {
    let rest = ["iodepth", "depth", "qd", "q"].into_iter().find_map(|prefix| word.strip_prefix(prefix))?;
    let digits = rest.split_once('t').map_or(rest, |(depth, threads)| if threads.parse::<u32>().is_ok() { depth } else { rest });
    let digits = if digits.is_empty() && word != "q" { next? } else { digits };
    digits.parse().ok()
}

fn engine(word: &str, next: Option<&str>) -> Option<&'static str> {
    match (word, next) {
        ("libaio" | "aio", _) => Some("libaio"),
        ("uring" | "iouring", _) | ("io", Some("uring")) => Some("io_uring"),
        ("psync", _) => Some("psync"),
        ("posixaio", _) => Some("posixaio"),
        ("mmap", _) => Some("mmap"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order_of(name: &str) -> (bool, bool) {
        let hints = hints(name);
        (hints.random, hints.sequential)
    }

    #[test]
    fn order_and_direction() {
        assert_eq!(
            ["random-read-4k", "RandWrite", "rnd4k", "seq128k", "sequence", "randy"].map(order_of),
            [(true, false), (true, false), (true, false), (false, true), (false, false), (false, false)]
        );
        let directions = |name| (hints(name).reads, hints(name).writes, hints(name).mixed);
        assert_eq!(directions("seq-read"), (true, false, false));
        assert_eq!(directions("randwrite"), (false, true, false));
        assert_eq!(directions("randrw"), (false, false, true));
        assert_eq!(directions("readahead"), (false, false, false));
        assert_eq!(directions("rw"), (false, false, false), "rw is random write to some");
    }

    #[test]
    fn sizes_depths_and_engines() {
        assert_eq!(hints("seq128k_write").sizes, [(128, 10)]);
        assert_eq!(hints("bs4kb-1M").sizes, [(4, 10), (1, 20)]);
        assert!(hints("100k-iops").sizes.is_empty() && hints("4").sizes.is_empty() && hints("k").sizes.is_empty());
        for (name, depth) in [
            ("qd32", Some(32)),
            ("rand-q8t4", Some(8)),
            ("qd_16", Some(16)),
            ("iodepth=4", Some(4)),
            ("q", None),
            ("quick", None),
            ("t4", None),
        ] {
            assert_eq!(hints(name).depths.first().copied(), depth, "{name}");
        }
        assert_eq!(hints("randread-io_uring").engines, ["io_uring", "io_uring"]);
        assert!(hints("write-then-read").hedged && !hints("write").hedged);
    }
}
