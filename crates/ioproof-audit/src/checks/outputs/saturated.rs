//! Workers that use all of their CPU: the host is measured, not the drive.

use crate::checks::{Findings, Reading, show};

pub(super) fn check(reading: &Reading, findings: &mut Findings) {
    const FULL: f64 = 95.0;
    for measured in &reading.measured {
        let Some((user, system)) = measured.cpu_percent.filter(|(user, system)| user + system >= FULL) else { continue };
        let workers = measured.load.workers.unwrap_or(1);
        let cpus = (user + system) / 100.0 * workers as f64;
        let figure = show::quoted(measured).map_or(String::new(), |(_, figure)| format!(": {figure} are the host's limit"));
        let title = format!("each of {workers} workers used {:.1} % of a CPU{figure}", user + system);
        let because = format!("{user} % user + {system} % system, x {workers} = {cpus:.1} CPUs; fio's figures are for each worker");
        findings.doubt("generator-saturated", reading.at(measured.first), title, because);
    }
}
