//! Command lines of `sysbench fileio`: sizes that were prepared and not run, syncs of all files, and options of older versions.

use crate::checks::{Command, Figure, Findings, Measured, Reading, Table, binary_size, show};

pub(super) fn check(reading: &Reading, findings: &mut Findings) {
    let all: Vec<&Command> =
        reading.commands.iter().filter(|command| command.tool == "sysbench" && command.text.contains("fileio")).collect();
    let runs: Vec<&&Command> = all.iter().filter(|command| command.has("run")).collect();
    let Some(first) = runs.first() else { return };
    sizes(reading, &all, &runs, findings);
    let place = reading.at(first.line);
    let counted = |command: &Command| command.option(&["--max-requests", "--events"]).is_some_and(|count| count != "0");
    let took = |measured: &Measured| {
        measured.tool == "sysbench"
            && (measured.seconds.is_some_and(|seconds| seconds.value > 11.0)
                || measured.version.as_deref().is_some_and(|version| version.starts_with("0.")))
    };
    let is_longer = reading.measured.iter().any(took);
    if !is_longer && runs.iter().all(|command| command.option(&["--time", "--max-time"]).is_none() && !counted(command)) {
        let title = "without --time each run takes 10 s";
        let because = "sysbench's default; 0.4 ends after 10,000 requests instead";
        findings.note("sysbench-time", place, title, because);
    }
    if runs.iter().all(|command| command.option(&["--file-extra-flags"]).is_none_or(|flags| !flags.contains("direct"))) {
        let title = "without --file-extra-flags=direct sysbench goes through the page cache";
        findings.doubt("sysbench-cached", place, title, "no run has the flag").mend("--file-extra-flags=direct");
    }
    for command in &runs {
        syncs(reading, command, findings);
    }
    deprecated(reading, &all, findings);
}

/// A run without a size takes the default, whatever was prepared.
fn sizes(reading: &Reading, all: &[&Command], runs: &[&&Command], findings: &mut Findings) {
    let size = |command: &Command| command.option(&["--file-total-size"]).map(str::to_owned);
    let Some(prepared) = all.iter().filter(|command| command.has("prepare")).find_map(|command| size(command)) else { return };
    if let Some(run) = runs.iter().find(|run| size(run).is_none()) {
        let title = format!("{prepared} were prepared, but the run touches 2 GiB: --file-total-size is missing");
        let because = "sysbench's default is 2G in 128 files of 16 MiB, and it only asks that the files are large enough".to_owned();
        findings.wrong("sysbench-size", reading.at(run.line), title, because).mend("give --file-total-size to run as well");
    }
}

/// `--file-fsync-freq=1` syncs each of the files after each write.
fn syncs(reading: &Reading, command: &Command, findings: &mut Findings) {
    let number = |name: &str, default: f64| command.option(&[name]).map_or(Some(default), |value| value.parse().ok());
    let (Some(every), Some(files)) = (number("--file-fsync-freq", 100.0), number("--file-num", 128.0)) else { return };
    if every == 0.0 || every > 10.0 || files < 2.0 {
        return;
    }
    let title = format!(
        "--file-fsync-freq={every} syncs all {files} files after every {}: {:.0} syncs a write",
        if every == 1.0 { "write".into() } else { format!("{every} requests") },
        files / every
    );
    let block = command.option(&["--file-block-size"]).and_then(|size| ioproof_core::units::parse_size_bytes(size).ok()).unwrap_or(16384);
    let table = reading.prose.tables.iter().find(|table| table.line > command.line);
    let rates = table.map_or(String::new(), |table| rates(table, block, files / every));
    findings
        .doubt("sysbench-syncs", reading.at(command.line), title, format!("{files} files / {every}{rates}"))
        .mend("--file-num=1, or --file-fsync-mode with one file");
}

/// Writes and syncs a second of the table's rows with syncs.
fn rates(table: &Table, block: u64, syncs: f64) -> String {
    let row = table.rows.iter().find(|row| {
        let label = row.label.to_lowercase();
        label.contains("sync") && !label.contains("without") && ["writ", "record"].iter().any(|word| label.contains(word))
    });
    let Some(row) = row else { return String::new() };
    let one = |figure: &Figure| {
        let writes = figure.number.value / block as f64;
        format!("; {} / {} = {}/s writes, {} syncs/s", figure.text, binary_size(block), show::whole(writes), show::whole(writes * syncs))
    };
    row.cells.iter().flatten().map(one).collect()
}

fn deprecated(reading: &Reading, all: &[&Command], findings: &mut Findings) {
    const OLD: [(&str, &str); 4] =
        [("--test=", "the test's name alone"), ("--num-threads", "--threads"), ("--max-time", "--time"), ("--max-requests", "--events")];
    let is_new = |text: &str| text.contains("sysbench 1.") || text.contains("Sysbench 1.");
    let version = reading.prose.paragraphs.iter().any(|paragraph| is_new(&paragraph.text))
        || reading
            .measured
            .iter()
            .any(|measured| measured.tool == "sysbench" && measured.version.as_deref().is_some_and(|version| version.starts_with('1')));
    if !version {
        return;
    }
    let found: Vec<&(&str, &str)> =
        OLD.iter().filter(|(old, _)| all.iter().any(|command| command.arguments.iter().any(|word| word.starts_with(old)))).collect();
    if let (Some(first), false) = (all.first(), found.is_empty()) {
        let list = found.iter().map(|(old, new)| format!("{old} ({new})")).collect::<Vec<_>>().join(", ");
        findings.note("sysbench-options", reading.at(first.line), "options of sysbench 0.4 that 1.0 takes with a warning", list);
    }
}
