//! An audit as text for people: what is wrong, what is doubtful, what is sound, and what was not understood.

use crate::claims::ClaimRow;
use crate::finding::{Findings, Found, Weight};
use crate::reading::Reading;
use crate::show::place;
use ioproof_core::text::visible;
use std::collections::BTreeMap;

/// Lines that are quoted at most of those that no reader knows.
const UNKNOWN_SHOWN: usize = 10;

/// The report in lines of at most `width` characters, where words allow it.
#[must_use]
pub fn lines(readings: &[Reading], findings: &Findings, claims: &[ClaimRow], width: usize) -> Vec<String> {
    let mut page = Page { width: width.max(40), is_sole: readings.len() == 1, lines: Vec::new() };
    readings.iter().for_each(|reading| page.head(reading));
    for weight in [Weight::Wrong, Weight::Doubt, Weight::Note] {
        let all: Vec<&Found> = findings.found.iter().filter(|found| found.weight == weight).collect();
        page.section(weight.title(), all.len());
        all.into_iter().for_each(|found| page.found(found));
    }
    page.section("sound", findings.sound.len());
    for sound in &findings.sound {
        page.item(&sound.file, sound.line, &sound.text);
    }
    page.claims(claims);
    readings.iter().for_each(|reading| page.unknown(reading));
    page.lines
}

struct Page {
    width: usize,
    /// True for one document, which no line needs to name.
    is_sole: bool,
    lines: Vec<String>,
}

impl Page {
    fn head(&mut self, reading: &Reading) {
        let mut tools: BTreeMap<&str, usize> = BTreeMap::new();
        reading.measured.iter().for_each(|measured| *tools.entry(measured.tool).or_default() += 1);
        let list = tools.iter().map(|(tool, count)| format!("{tool} {count}")).collect::<Vec<_>>().join(", ");
        let outputs = if tools.is_empty() { "no output of a tool that is known".to_owned() } else { format!("measurements: {list}") };
        let jobs = reading.jobs.iter().map(|file| file.jobs.len()).sum::<usize>();
        let jobs = if jobs > 0 { format!("; fio jobs {jobs}") } else { String::new() };
        self.wrap(&format!("{}: {outputs}{jobs}", visible(reading.file())), 0, 2);
    }

    fn section(&mut self, heading: &str, count: usize) {
        if count > 0 {
            self.lines.push(String::new());
            self.lines.push(format!("{heading}: {count}"));
        }
    }

    fn item(&mut self, file: &str, line: u32, text: &str) {
        self.wrap(&format!("{}: {}", self.place(file, line), visible(text)), 2, 4);
    }

    fn place(&self, file: &str, line: u32) -> String {
        place(self.is_sole, file, line)
    }

    fn found(&mut self, found: &Found) {
        self.item(&found.file, found.line, &found.title);
        self.wrap(&visible(&found.because), 6, 6);
        if !found.remedy.is_empty() {
            self.wrap(&format!("mend: {}", visible(&found.remedy)), 6, 6);
        }
        self.lines.push(format!("      [{}]", found.check));
    }

    fn claims(&mut self, rows: &[ClaimRow]) {
        let mut sheet = "";
        let load = rows.iter().map(|row| row.load.chars().count()).max().unwrap_or(0);
        for row in rows {
            if row.datasheet != sheet {
                sheet = &row.datasheet;
                self.lines.push(String::new());
                self.lines.push(format!("datasheet {}: load, claimed, measured, match, verdict", visible(sheet)));
            }
            let Some(answer) = &row.answer else {
                self.lines.push(format!("  {:load$}  {:>10}  not measured", row.load, row.claimed));
                continue;
            };
            let verdict = answer.verdict.title();
            self.lines.push(format!(
                "  {:load$}  {:>10}  {:>12}  {:>7}  {verdict}",
                row.load,
                row.claimed,
                answer.measured,
                percent(answer.share)
            ));
            let others =
                answer.others.iter().map(|(line, share)| format!("line {line}: {}", percent(*share))).collect::<Vec<_>>().join(", ");
            let others = if others.is_empty() { String::new() } else { format!("; also {others}") };
            self.wrap(&format!("{}: {}{others}", self.place(&answer.file, answer.line), answer.reasons.join("; ")), 6, 6);
        }
    }

    fn unknown(&mut self, reading: &Reading) {
        let all: Vec<(u32, String)> = reading.not_understood().collect();
        self.section("not understood", all.len());
        for (line, text) in all.iter().take(UNKNOWN_SHOWN) {
            self.item(reading.file(), *line, text);
        }
        if all.len() > UNKNOWN_SHOWN {
            self.lines.push(format!("  and {} more", all.len() - UNKNOWN_SHOWN));
        }
    }

    /// Breaks at blanks; a word that is longer than a line stands alone.
    fn wrap(&mut self, text: &str, first: usize, more: usize) {
        let mut line = " ".repeat(first);
        let mut is_empty = true;
        for word in text.split(' ').filter(|word| !word.is_empty()) {
            if !is_empty && line.chars().count() + 1 + word.chars().count() > self.width {
                self.lines.push(std::mem::replace(&mut line, " ".repeat(more)));
                is_empty = true;
            }
            if !is_empty {
                line.push(' ');
            }
            line.push_str(word);
            is_empty = false;
        }
        if !is_empty {
            self.lines.push(line);
        }
    }
}

fn percent(share: f64) -> String {
    if share >= 1.0 { format!("{:.0} %", share * 100.0) } else { format!("{:.1} %", share * 100.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_fit_eighty_columns_and_show_no_control_character() {
        let text = "# T\n\nfio measures 84,647 IOPS\n\n```\na: (g=0): rw=randread, bs=4K-4K/4K-4K/4K-4K, ioengine=libaio, iodepth=32\nfio-2.1.9\n\
            a: (groupid=0, jobs=1): err= 0: pid=1: Mon Mar 30 23:42:25 2015\n  read : io=10216MB, bw=348685KB/s, iops=87171, runt= 30002msec\n```\n";
        let readings = [Reading::new("a\u{1b}b.md", text.as_bytes())];
        let findings = crate::audit(&readings);
        let lines = lines(&readings, &findings, &[], 80);
        assert!(lines.iter().any(|line| line.contains("84,647 IOPS is in no output")), "{lines:#?}");
        assert!(lines.iter().all(|line| line.chars().count() <= 80 && !line.contains('\u{1b}')), "{lines:#?}");
    }
}
