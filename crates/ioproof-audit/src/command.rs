//! Command lines in a document: which measuring tool was called, with which options and on what.

use crate::document::Document;
use std::ops::Range;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    pub line: u32,
    /// As typed, without the prompt, with continued lines joined.
    pub text: String,
    /// Name of the tool as readers have it; empty: another program.
    pub tool: &'static str,
    /// Arguments of the tool, quotes removed.
    pub arguments: Vec<String>,
    /// True where a loop of the shell calls it several times.
    pub is_loop: bool,
}

const TOOLS: &[(&str, &str)] = &[
    ("fio", "fio"),
    ("nvmecontrol", "nvmecontrol"),
    ("spdk_nvme_perf", "spdk_nvme_perf"),
    ("perf", "spdk_nvme_perf"),
    ("sysbench", "sysbench"),
    ("pgbench", "pgbench"),
    ("pg_test_fsync", "pg_test_fsync"),
    ("diskchecker.pl", "diskchecker.pl"),
    ("dd", "dd"),
    ("hdparm", "hdparm"),
    ("ioping", "ioping"),
    ("iostat", "iostat"),
    ("elbencho", "elbencho"),
    ("bonnie++", "bonnie++"),
    ("cat", "cat"),
];

/// Programs that only begin others.
const PREFIXES: [&str; 12] = ["sudo", "doas", "time", "nice", "ionice", "taskset", "numactl", "exec", "do", "then", "env", "nohup"];

const PROMPT_CHARS_MAX: usize = 80;

impl Command {
    /// The command on this line and the lines that it goes on in, where there is one.
    pub(crate) fn read(document: &Document, at: usize) -> Option<(Self, usize)> {
        let line = &document.lines[at];
        let (typed, is_prompted) = typed(&line.text)?;
        let mut text = typed.to_owned();
        let mut end = at + 1;
        while text.ends_with('\\') && end < document.lines.len() && end - at < 40 {
            text.pop();
            text.push(' ');
            text.push_str(document.lines[end].text.trim().trim_start_matches("> "));
            end += 1;
        }
        while end < document.lines.len()
            && text.starts_with("fio ") | text.contains(" fio ")
            && document.lines[end].text.trim().starts_with("--")
            && end - at < 40
        {
            // An option on a line of its own is the rest of a command that mail has wrapped.
            text.push(' ');
            text.push_str(document.lines[end].text.trim());
            end += 1;
        }
        if !is_prompted && !may_call(&text) {
            return None;
        }
        let words = words(&text);
        let place = tool_at(&words);
        if place.is_none() && !is_prompted {
            return None;
        }
        let (tool, range) = place.unwrap_or(("", 0..0));
        let arguments: Vec<String> = words[range].to_vec();
        if !is_prompted && !is_call(tool, &arguments) {
            return None;
        }
        let is_loop = text.starts_with("for ") || text.contains("; do ");
        Some((Self { line: line.number, text: text.trim().to_owned(), tool, arguments, is_loop }, end))
    }

    /// The value of an option: `-q 1`, `-q1`, `--size=4k`, `--size 4k`, or `size=4k` where the tool writes so.
    #[must_use]
    pub fn option(&self, names: &[&str]) -> Option<&str> {
        let mut found = None;
        for (at, word) in self.arguments.iter().enumerate() {
            for name in names {
                let next = || self.arguments.get(at + 1).map(String::as_str).filter(|next| !next.starts_with("--"));
                if word == name {
                    found = next().or(found);
                } else if let Some(rest) = word.strip_prefix(name) {
                    if let Some(value) = rest.strip_prefix('=') {
                        found = Some(value);
                    } else if !name.starts_with("--") && name.len() == 2 && name.starts_with('-') {
                        found = Some(rest);
                    }
                }
            }
        }
        found
    }

    /// Its block size in bytes; `None` where it has none, several, or a range.
    #[must_use]
    pub fn block_bytes(&self) -> Option<u64> {
        let names: &[&str] = match self.tool {
            "fio" => &["--bs", "-bs", "--blocksize", "-blocksize"],
            "sysbench" => &["--file-block-size"],
            "spdk_nvme_perf" => &["-o", "--io-size"],
            "elbencho" => &["-b", "--block"],
            "ioping" => &["-s"],
            "dd" => &["bs"],
            _ => return None,
        };
        let typed = self.option(names)?;
        let is_again =
            |word: &&String| names.iter().any(|name| *word == name || word.strip_prefix(name).is_some_and(|rest| rest.starts_with('=')));
        let is_sole = self.arguments.iter().filter(is_again).count() <= 1;
        size(typed).filter(|_| is_sole)
    }

    #[must_use]
    pub fn has(&self, word: &str) -> bool {
        self.arguments.iter().any(|argument| argument == word)
    }
}

/// A size as tools take it: `4k`, `64KB` and `1M` count in 1024, a number alone in bytes. dd alone takes `kB` for 1000.
pub(crate) fn size(typed: &str) -> Option<u64> {
    let digits = typed.find(|c: char| !c.is_ascii_digit()).unwrap_or(typed.len());
    let (number, unit) = typed.split_at(digits);
    let factor = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kb" | "kib" => 1 << 10,
        "m" | "mb" | "mib" => 1 << 20,
        "g" | "gb" | "gib" => 1 << 30,
        "t" | "tb" | "tib" => 1 << 40,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(factor)
}

/// True where the first word is the name of a tool, or the start of one. This sorts out most lines at little cost.
fn may_call(text: &str) -> bool {
    let word = text.split_whitespace().next().unwrap_or_default().trim_matches('"');
    let name = word.rsplit('/').next().unwrap_or_default();
    let begins = PREFIXES.contains(&name) || word == "for" || word.contains('=') || text.contains("&& ");
    begins || TOOLS.iter().any(|(typed, _)| *typed == name)
}

/// The text after a prompt, and true where there was one.
fn typed(line: &str) -> Option<(&str, bool)> {
    // elbencho's file of results has its command so.
    let text = line.trim().trim_start_matches("COMMAND LINE: ");
    if text.is_empty() || text.len() > 16 << 10 || text.starts_with('|') || text.starts_with("##") {
        return None;
    }
    let bare = text.trim_matches('`').trim();
    if let Some(after) = after_prompt(bare).or_else(|| after_short_prompt(bare)) {
        return Some((after, true));
    }
    Some((bare.trim_start_matches(['#', '$', '%']).trim(), false))
}

fn after_prompt(text: &str) -> Option<&str> {
    for (at, sign) in text.char_indices().filter(|(_, c)| matches!(c, '#' | '$' | '%' | '>')) {
        if at > PROMPT_CHARS_MAX {
            return None;
        }
        let rest = &text[at + 1..];
        if !rest.is_empty() && !rest.starts_with(' ') {
            continue;
        }
        let before = text[..at].trim_end();
        let is_prompt = before.contains('@') && !before.trim_start().contains(", ")
            || before.is_empty() && sign == '$'
            || before.ends_with(['~', ']', '/']) && before.len() < 40 && !before.contains("](")
            || sign == '>' && before.contains(":\\");
        if is_prompt {
            return Some(rest.trim());
        }
        if before.is_empty() {
            return None;
        }
    }
    None
}

/// The call of a tool behind a prompt of any form: `sh-4.2# sysbench ...`, `user:> sudo dd ...`.
fn after_short_prompt(text: &str) -> Option<&str> {
    const CHARS_MAX: usize = 32;
    let (at, _) = text.char_indices().take(CHARS_MAX).find(|(_, c)| matches!(c, '#' | '$' | '%' | '>'))?;
    let rest = text[at + 1..].strip_prefix(' ')?.trim();
    let words = words(rest);
    let (tool, range) = tool_at(&words)?;
    let is_first = range.start <= 2 && !text[..at].contains(' ');
    (is_first && is_call(tool, &words[range])).then_some(rest)
}

/// Words as a shell splits them, without its other meanings.
fn words(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    let (mut word, mut quote, mut is_open) = (String::new(), None, false);
    for c in text.chars() {
        match quote {
            Some(mark) if c == mark => quote = None,
            Some(_) => word.push(c),
            None if c == '\'' || c == '"' => {
                quote = Some(c);
                is_open = true;
            }
            None if c.is_whitespace() || c == ';' => {
                if is_open || !word.is_empty() {
                    all.push(std::mem::take(&mut word));
                }
                is_open = false;
                if c == ';' {
                    all.push(";".into());
                }
            }
            None => word.push(c),
        }
    }
    if !word.is_empty() {
        all.push(word);
    }
    all
}

/// The tool among the words of a line, and the range of its arguments.
fn tool_at(words: &[String]) -> Option<(&'static str, Range<usize>)> {
    let end_of = |from: usize| {
        let is_end = |word: &String| matches!(word.as_str(), ";" | "|" | "&&" | "||" | "&" | ">" | "2>&1" | ">>" | "done");
        words[from..].iter().position(is_end).map_or(words.len(), |length| from + length)
    };
    let mut is_start = true;
    let mut after_prefix = false;
    for (at, word) in words.iter().enumerate() {
        let name = word.rsplit('/').next().unwrap_or_default();
        let known = TOOLS.iter().find(|(typed, _)| *typed == name);
        if let Some((_, tool)) = known.filter(|_| is_start || after_prefix) {
            return Some((tool, at + 1..end_of(at + 1)));
        }
        let is_prefix = PREFIXES.contains(&name) || word.contains('=') && !word.starts_with('-');
        after_prefix =
            is_prefix && (is_start || after_prefix) || after_prefix && (word.starts_with('-') || word.chars().all(|c| c.is_ascii_digit()));
        is_start = matches!(word.as_str(), ";" | "|" | "&&" | "do" | "then");
    }
    None
}

/// True where words without a prompt can only be a call of the tool.
fn is_call(tool: &str, arguments: &[String]) -> bool {
    let has = |start: &str| arguments.iter().any(|word| word.starts_with(start));
    match tool {
        "" | "cat" => false,
        "dd" => has("if=") || has("of="),
        "iostat" | "hdparm" | "ioping" | "pgbench" | "bonnie++" | "pg_test_fsync" | "spdk_nvme_perf" => {
            arguments.first().is_some_and(|word| word.starts_with('-'))
        }
        "nvmecontrol" => has("perftest"),
        "diskchecker.pl" => has("-s") || has("-l"),
        "sysbench" => has("--") || has("fileio"),
        "fio" => {
            has("--") && arguments.iter().take(3).any(|word| word.starts_with('-') || word.ends_with(".fio"))
                || arguments.iter().any(|word| word.ends_with(".fio")) && arguments.len() <= 4
        }
        "elbencho" => has("-"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<Command> {
        Command::read(&Document::new("a", text.as_bytes()), 0).map(|found| found.0)
    }

    #[test]
    fn commands_have_a_prompt_or_cannot_be_anything_else() {
        let fio = read("root@s4l-zfs:~/oberstet # fio --filename=/dev/nvd7 control.fio").unwrap();
        assert_eq!((fio.tool, fio.option(&["--filename"])), ("fio", Some("/dev/nvd7")));
        let perf = read("#  spdk_nvme_perf -V -r 'trtype:PCIe traddr:e20005:04:00.0' -q 1 -o 4096 -w write -c 0x1 -t 60").unwrap();
        assert_eq!((perf.option(&["-q"]), perf.option(&["-r"])), (Some("1"), Some("trtype:PCIe traddr:e20005:04:00.0")));
        assert_eq!(read("sysbench --num-threads=16 --test=fileio run").map(|c| c.tool), Some("sysbench"));
        assert_eq!(read("[root@host fio]$ sudo dd if=/dev/zero of=x bs=1M \\\n  count=5 oflag=direct").unwrap().arguments.len(), 5);
        assert!(read("# for i in `seq 8`; do echo $i; spdk_nvme_perf -q $((2**$i)) -w write; done").unwrap().is_loop);
    }

    #[test]
    fn words_are_no_commands() {
        for text in [
            "FIO measures 84,647 IOPS.",
            "fio is a tool",
            "# Background",
            "#### Performance",
            "dd: 5 records",
            "* fio is > 4 here",
            "fio-2.1.9",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
