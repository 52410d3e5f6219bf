//! Words and tables that name another block size than the commands and outputs below and above them.

use crate::checks::{Figure, Findings, Kind, Measured, Paragraph, Reading, Table, block_size, figures};

const NAME: &str = "text-against-command";
/// Lines between the words and the first command that they announce, at most.
const REACH: u32 = 3;

pub(super) fn check(reading: &Reading, findings: &mut Findings) {
    for (at, paragraph) in reading.prose.paragraphs.iter().enumerate() {
        let end = reading.prose.paragraphs.get(at + 1).map_or(u32::MAX, |next| next.line);
        announced(reading, paragraph, end, findings);
    }
    reading.prose.tables.iter().for_each(|table| tabled(reading, table, findings));
}

/// A paragraph names a block size, and no command up to the next paragraph has it.
fn announced(reading: &Reading, paragraph: &Paragraph, end: u32, findings: &mut Findings) {
    const BYTES_MAX: usize = 300;
    const OTHERS: [&str; 6] = [" not ", "instead", "rather than", "unlike", "compared", "previous"];
    let lower = paragraph.text.to_lowercase();
    if paragraph.text.len() > BYTES_MAX || OTHERS.iter().any(|word| lower.contains(word)) {
        return;
    }
    let last = paragraph.starts.last().map_or(paragraph.line, |(_, line)| *line);
    let below: Vec<_> = reading.commands.iter().filter(|command| command.line > last && command.line < end && !command.is_loop).collect();
    let Some(first) = below.first().filter(|first| first.line - last <= REACH && !is_preparation(&lower, &first.text)) else { return };
    let [said] = sizes(&paragraph.text)[..] else { return };
    // Of two sizes the other one may be the command's.
    if figures(&paragraph.text).iter().filter_map(|figure| block(&figure.text)).any(|size| size != said) {
        return;
    }
    let typed: Vec<Option<u64>> =
        below.iter().filter(|command| !matches!(command.tool, "" | "cat")).map(|command| command.block_bytes()).collect();
    let Some(Some(other)) = typed.first() else { return };
    if typed.iter().any(|size| size.is_none_or(|size| size == said)) {
        return;
    }
    let title = format!("the text says blocks of {}, the command below it has {}", block_size(said), block_size(*other));
    let because = format!("line {}: {}", first.line, first.text.chars().take(100).collect::<String>());
    findings.doubt(NAME, reading.at(paragraph.line), title, because);
}

/// True for a command that writes what the text is going to read.
fn is_preparation(said: &str, command: &str) -> bool {
    let writes = ["write", "of=", "prep", "fill", "precond", "layout"].iter().any(|word| command.contains(word));
    writes && !said.contains("writ")
}

/// A row of a table that names a block size, with a figure of an output that has another one.
fn tabled(reading: &Reading, table: &Table, findings: &mut Findings) {
    let only = |mut all: Vec<u64>| {
        all.sort_unstable();
        all.dedup();
        if let [size] = all[..] { Some(size) } else { None }
    };
    let head = only(table.header.iter().chain([&table.caption]).flat_map(|text| sizes(text)).collect());
    for row in &table.rows {
        let of_row = sizes(&row.label);
        let Some(said) = (if of_row.is_empty() { head } else { only(of_row) }) else { continue };
        if reading.measured.iter().any(|measured| measured.load.block_bytes.is_none_or(|block| block == said)) {
            continue;
        }
        for figure in row.cells.iter().flatten() {
            let Some((measured, block)) = sole_output(reading, figure) else { continue };
            let title = format!("{} is called one of {}, its output has {}", figure.text, block_size(said), block_size(block));
            let because = format!("the output at line {} prints it, with blocks of {}", measured.first, block_size(block));
            findings.doubt(NAME, reading.at(row.line), title, because);
            return;
        }
    }
}

/// The only output that gives a figure, with its block size.
fn sole_output<'a>(reading: &'a Reading, figure: &Figure) -> Option<(&'a Measured, u64)> {
    const DIGITS: usize = 3;
    let gives = |measured: &&Measured| {
        let (iops, rate) = measured.total();
        let value = match figure.kind {
            Kind::Iops | Kind::Plain => iops,
            Kind::BytesPerSecond => rate,
            _ => None,
        };
        figure.digits >= DIGITS && value.is_some_and(|value| figure.number.rounds(value))
    };
    let mut all = reading.measured.iter().filter(gives);
    let found = all.next().filter(|_| all.next().is_none())?;
    Some((found, found.load.block_bytes?))
}

/// Block sizes that a text names as such, each once: `4k random reads`, `blocks of 64 KiB`, `bs=4k`.
fn sizes(text: &str) -> Vec<u64> {
    #[rustfmt::skip]
    const BEHIND: [&str; 16] = [
        "random", "rand", "sequential", "seq", "read", "reads", "write", "writes", "block", "blocks", "randread", "randwrite", "i/o",
        "i/os", "ios", "io",
    ];
    const BEFORE: [&str; 9] = ["block", "blocks", "blocksize", "bs", "randread", "randwrite", "random", "read", "write"];
    let lower = text.to_lowercase();
    if !lower.contains(['k', 'm']) {
        return Vec::new();
    }
    let is_word = |word: &str, all: &[&str]| all.contains(&word.trim_matches(|c: char| !(c.is_ascii_alphanumeric() || c == '/')));
    let mut found = Vec::new();
    for figure in figures(text) {
        let Some(size) = block(&figure.text) else { continue };
        let behind = text.get(figure.at + figure.text.len()..).unwrap_or_default();
        let before = text.get(..figure.at).unwrap_or_default();
        let behind = behind.trim_start_matches(['-', ' ']).to_lowercase();
        let next = behind.split([' ', '-']).next().unwrap_or_default();
        let mut earlier = before.split([' ', '=', ':']).rev().filter(|word| !word.is_empty()).map(str::to_lowercase);
        let previous = earlier.next().unwrap_or_default();
        let previous = if matches!(previous.as_str(), "of" | "size" | "is") { earlier.next().unwrap_or_default() } else { previous };
        if (is_word(next, &BEHIND) || is_word(&previous, &BEFORE)) && !behind.starts_with('/') && !found.contains(&size) {
            found.push(size);
        }
    }
    found
}

/// Bytes of `4k`, `4 KiB`, `64KB`, `1M`: powers of two from a sector to 16 MiB.
fn block(written: &str) -> Option<u64> {
    let text: String = written.split_whitespace().collect();
    let size = crate::command::size(&text).filter(|_| text.ends_with(|c: char| c.is_ascii_alphabetic()))?;
    (size.is_power_of_two() && (512..=16 << 20).contains(&size)).then_some(size)
}

#[cfg(test)]
mod tests {
    use crate::Reading;

    fn said(text: &str) -> usize {
        crate::audit(&[Reading::new("a", text.as_bytes())]).found.iter().filter(|found| found.check == super::NAME).count()
    }

    #[test]
    fn a_command_has_the_block_size_that_the_text_announces() {
        let text = |words: &str, size: &str| {
            format!(
                "{words}\n\n    $ fio --name=a --rw=randread --bs={size} --direct=1 --filename=/dev/sdb --runtime=60 \
                --time_based\n\nThat is all.\n"
            )
        };
        assert_eq!(said(&text("The test of 4k random reads:", "64k")), 1);
        for (words, size) in [
            ("The test of 4k random reads:", "4k"),
            ("The test of 4k and 64k random reads:", "128k"),
            ("It reads at 4k IOPS:", "64k"),
            ("Blocks of 64k and not 4k reads:", "64k"),
            ("The drive has a cache of 64M, and reads well:", "4k"),
            ("The test of 4k random reads:", "${size}"),
            ("The test of 4k random reads:", "1m --rw=write"),
        ] {
            assert_eq!(said(&text(words, size)), 0, "{words} {size}");
        }
    }

    #[test]
    fn a_table_of_one_size_has_an_output_of_it() {
        let text = |label: &str| {
            format!(
                "a: (g=0): rw=randread, bs=(R) 64.0KiB-64.0KiB, (W) 64.0KiB-64.0KiB, ioengine=libaio, iodepth=32\nfio-3.28\n\
                 a: (groupid=0, jobs=1): err= 0: pid=1: \
                 Mon Mar 30 23:42:25 2015\n  read: IOPS=3000, BW=188MiB/s (197MB/s)(11.0GiB/60000msec)\n\n\
                 | test | A | B |\n|---|---|---|\n| {label} | 3000 | 3000 |\n| other | 1 | 2 |\n"
            )
        };
        assert_eq!((said(&text("4k randread")), said(&text("64k randread")), said(&text("randread"))), (1, 0, 0));
    }
}
