//! Facts of the machine without which nobody can repeat a measurement.

use crate::checks::{Findings, Reading};

/// Facts that a document should state, each with the words that show that it does.
const FACTS: [(&str, &[&str]); 7] = [
    (
        "operating system and its version",
        &[
            "kernel",
            "ubuntu",
            "debian",
            "centos",
            "fedora",
            "rhel",
            "linux 4",
            "linux 5",
            "linux 6",
            "windows 1",
            "windows server",
            "-generic",
            ".el7",
            ".el8",
            "freebsd 1",
            "freebsd-1",
        ],
    ),
    ("processor", &["xeon", "epyc", "ryzen", "core i", "(i3-", "(i5-", "(i7-", "(i9-", "cpu model", "model name", "graviton", "opteron"]),
    ("link of the drive", &["lnksta", "pcie 3", "pcie 4", "pcie 5", "pcie gen", "6 gb", "600.000mb/s", "sata 3", "gt/s"]),
    ("frequency governor", &["governor", "cpupower", "cpufreq", "turbo"]),
    ("firmware of the board", &["bios", "uefi", "microcode"]),
    ("temperature", &["temperature", "celsius", "°c"]),
    ("repetitions", &["repeated", "repetition", "three runs", "3 runs", "5 runs", "five runs", "standard deviation", "confidence"]),
];

pub(super) fn check(reading: &Reading, findings: &mut Findings) {
    const LINES_MAX: usize = 50_000;
    if reading.measured.len() < 2 && reading.prose.tables.is_empty()
        || reading.prose.paragraphs.len() < 5
        || reading.document.lines.len() > LINES_MAX
    {
        return;
    }
    let text = reading.document.lines.iter().map(|line| line.text.to_lowercase()).collect::<Vec<_>>().join("\n");
    let missing: Vec<&str> =
        FACTS.iter().filter(|(_, words)| !words.iter().any(|word| text.contains(word))).map(|(fact, _)| *fact).collect();
    if missing.len() >= 3 {
        let title = format!("{} of {} facts of the machine and the method are missing", missing.len(), FACTS.len());
        findings.note("machine-record", reading.at(1), title, format!("missing: {}", missing.join(", ")));
    }
}
