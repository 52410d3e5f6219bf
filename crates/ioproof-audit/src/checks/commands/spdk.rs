//! Command lines of `spdk_nvme_perf`: its order, its depth of each core, and the address of the drive.

use super::shell_loop::{values, variables};
use crate::checks::{Command, Findings, Reading, show};

pub(super) fn check(reading: &Reading, findings: &mut Findings) {
    let commands: Vec<&Command> = reading.commands.iter().filter(|command| command.tool == "spdk_nvme_perf").collect();
    let Some(first) = commands.first() else { return };
    let plain = commands.iter().find(|command| matches!(command.option(&["-w"]), Some("write" | "read" | "rw")));
    if let Some(command) = plain {
        let word = command.option(&["-w"]).unwrap_or_default();
        let title = format!("-w {word} is sequential: its IOPS are no random-{word} IOPS");
        let best = reading
            .measured
            .iter()
            .filter(|measured| measured.tool == "spdk_nvme_perf")
            .filter_map(|measured| Some((measured.total().0?, measured.total().1?, measured.first)));
        let best = best.max_by(|a, b| a.0.total_cmp(&b.0)).map_or(String::new(), |(iops, rate, line)| {
            format!("; {} (line {line}) are {} of one stream", show::iops(iops), show::rate(rate))
        });
        let because = format!("perf is random only with randread, randwrite and randrw{best}");
        findings.doubt("spdk-sequential", reading.at(command.line), title, because);
    }
    for command in &commands {
        cores(reading, command, findings);
    }
    address(reading, first, findings);
}

/// Cores of the masks of a command, the largest depth of each, and what several cores do to a sequential load.
fn cores(reading: &Reading, command: &Command, findings: &mut Findings) {
    let variables = variables(command);
    let masks = command.option(&["-c"]).map(|mask| values(mask, &variables)).unwrap_or_default();
    let count = |mask: &String| u64::from_str_radix(mask.trim_start_matches("0x"), 16).ok().map(|mask| u64::from(mask.count_ones()));
    let most = masks.iter().filter_map(count).max().unwrap_or(1);
    let depths = command.option(&["-q"]).map(|depth| values(depth, &variables)).unwrap_or_default();
    let Some(depth) = depths.iter().filter_map(|depth| depth.parse::<u64>().ok()).max() else { return };
    if most < 2 {
        return;
    }
    let place = reading.at(command.line);
    let all = most.saturating_mul(depth);
    let title = format!("-q is the depth of each core: {most} cores with {depth} keep {all} I/Os outstanding");
    findings
        .note("depth-per-core", place, title, format!("{most} x {depth} = {all}; masks {}", masks.join(", ")))
        .mend("state the depth of each core and in total");
    if matches!(command.option(&["-w"]), Some("write" | "read")) {
        let title = format!("each of {most} cores begins its own stream at LBA 0: they go over the same blocks");
        let because = format!("-w {} with masks {}", command.option(&["-w"]).unwrap_or_default(), masks.join(", "));
        findings.doubt("same-blocks", place, title, because);
    }
}

/// A domain of more than 16 bits is one of VMD; and huge pages that were not there.
fn address(reading: &Reading, first: &Command, findings: &mut Findings) {
    let address = first.option(&["-r"]).and_then(|text| text.split("traddr:").nth(1));
    let domain = address
        .and_then(|address| address.split(':').next())
        .filter(|domain| domain.len() > 4 && domain.bytes().all(|c| c.is_ascii_hexdigit()));
    let hugepages = reading.document.lines.iter().find(|line| line.text.contains("No free") && line.text.contains("hugepages"));
    if let Some(domain) = domain {
        let also = hugepages.map_or(String::new(), |line| format!("; line {}: {}", line.number, line.text.trim()));
        let title = "the drive sits behind VMD, which the text does not say".to_owned();
        let words = reading.prose.paragraphs.iter().any(|paragraph| paragraph.text.contains("VMD"));
        if !words {
            findings.note("unsaid-path", reading.at(first.line), title, format!("PCI domain {domain} has more than 16 bits{also}"));
        }
    }
}
