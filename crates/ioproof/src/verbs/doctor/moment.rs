//! Two looks at the running machine, a moment apart: who uses its CPUs and its drives while nothing is measured.

use ioproof_core::record::{DeviceCounters, HostLoad};
use ioproof_device::CounterSnapshot;
use ioproof_pages::doctor::DriveWay;
use ioproof_pages::field::{Field, Page, Value};
use ioproof_target::{System, stack};
use std::time::{Duration, Instant};

/// Length of the look. Ticks of `/proc/stat` are 10 ms.
const MOMENT: Duration = Duration::from_millis(300);
/// Looks at the run queue meanwhile.
const LOOKS: u32 = 10;

/// Looks, and adds to each drive what others did with it. Gives the host's page.
pub fn look(system: &System, drives: &mut [DriveWay]) -> Page {
    let stacks: Vec<_> = drives.iter().map(|drive| stack::of_device(system, &drive.name)).collect();
    let take = || stacks.iter().map(|stack| CounterSnapshot::take(system, stack.as_ref())).collect::<Vec<_>>();
    let host = CounterSnapshot::take(system, None);
    let (begun, earlier) = (Instant::now(), take());
    let runnable = run_queue(system);
    let (later, took) = (take(), begun.elapsed());
    for ((drive, earlier), later) in drives.iter_mut().zip(&earlier).zip(&later) {
        let (counted, _) = later.since(earlier);
        drive.pages.extend(counted.iter().find(|device| device.name == drive.name).map(|device| drive_page(device, took)));
    }
    let (_, load) = CounterSnapshot::take(system, None).since(&host);
    host_page(&load, runnable, took)
}

/// The mean number of processes that wanted to run, without this one.
fn run_queue(system: &System) -> Option<f64> {
    let mut sum = 0_u64;
    for _ in 0..LOOKS {
        std::thread::sleep(MOMENT / LOOKS);
        sum += running(&system.proc_text("stat")?)?.saturating_sub(1);
    }
    Some(tenths(sum as f64 / f64::from(LOOKS)))
}

/// `procs_running` of `/proc/stat` (proc_stat(5)).
fn running(stat: &str) -> Option<u64> {
    stat.lines().find_map(|line| line.strip_prefix("procs_running "))?.trim().parse().ok()
}

fn tenths(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

fn host_page(load: &HostLoad, runnable: Option<f64>, took: Duration) -> Page {
    let over = format!("/proc/stat, over {} ms", took.as_millis());
    let share = |share: f64| Value::Real(tenths(share * 100.0));
    let fields = [
        load.cpu_busy.map(|busy| field("cpu_busy_percent", "CPU time that processes here used", share(busy), "percent", &over)),
        load.cpu_steal.map(|steal| field("steal_percent", "CPU time that the hypervisor took (steal)", share(steal), "percent", &over)),
        runnable.map(|mean| field("runnable_others", "other processes that wanted to run", Value::Real(mean), "", &over)),
        Some(field("load_1min", "load over a minute", Value::Real(load.load_1min), "", "/proc/loadavg")),
    ];
    Page { name: "moment".into(), source: over.clone(), fields: fields.into_iter().flatten().collect(), ..Page::default() }
}

fn drive_page(counted: &DeviceCounters, took: Duration) -> Page {
    let over = format!("/sys/class/block/{}/stat, over {} ms", counted.name, took.as_millis());
    let busy = counted.busy_ns as f64 / took.as_nanos().max(1) as f64;
    let number = |key, title, number, unit| field(key, title, Value::Number(number), unit, &over);
    let fields = vec![
        number("foreign_reads", "reads of others", counted.read_ios, ""),
        number("foreign_read_bytes", "read by others", counted.read_bytes, "bytes"),
        number("foreign_writes", "writes of others", counted.write_ios, ""),
        number("foreign_written_bytes", "written by others", counted.write_bytes, "bytes"),
        field("drive_busy_percent", "time with an I/O under way", Value::Real(tenths(busy.min(1.0) * 100.0)), "percent", &over),
    ];
    Page { name: "moment".into(), source: over.clone(), fields, ..Page::default() }
}

fn field(key: &str, title: &str, value: Value, unit: &str, source: &str) -> Field {
    let unit = (!unit.is_empty()).then(|| unit.to_owned());
    Field { key: key.into(), title: title.into(), value, unit, source: source.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_name_how_long_was_looked() {
        let load = HostLoad { load_1min: 1.5, cpu_busy: Some(0.256), cpu_steal: Some(0.0), ..HostLoad::default() };
        let page = host_page(&load, Some(3.0), Duration::from_millis(301));
        assert_eq!(page.field("cpu_busy_percent").unwrap().value, Value::Real(25.6));
        assert_eq!(page.field("runnable_others").unwrap().source, "/proc/stat, over 301 ms");
        let counted = DeviceCounters { name: "sda".into(), read_ios: 7, busy_ns: 150_000_000, ..DeviceCounters::default() };
        let page = drive_page(&counted, Duration::from_millis(300));
        assert_eq!((page.number("foreign_reads"), page.number("foreign_writes")), (Some(7), Some(0)));
        assert_eq!(page.field("drive_busy_percent").unwrap().value, Value::Real(50.0));
    }

    #[test]
    fn this_process_is_not_among_the_others() {
        assert_eq!(running("cpu 1 2\nprocs_running 3\nprocs_blocked 0\n"), Some(3));
        assert_eq!(running("procs_running x\n"), None);
    }
}
