//! Jobs of filecreate, filestat and filedelete: one operation a file. For the engine the names are blocks, one after the other, of the size that an operation
//! counts as.

use crate::settings::{EngineName, JobSettings, RandomSettings, Region, Service, ServiceOrder, Zones};
use crate::values::{Amount, Mode, Suffix};

/// Reason for which the options do not fit an engine that takes names, of `count` files.
pub(super) fn refusal(settings: &JobSettings, count: u64) -> Option<&'static str> {
    let JobSettings { access, files, region, engine, .. } = settings;
    if !engine.name.is_by_name() {
        return None;
    }
    let makes = engine.name == EngineName::Filecreate;
    let is_part = region.offset != Amount::Bytes(0) || region.offset_increment != Amount::Bytes(0) || files.append;
    let is_in_order = access.rw.suffix == Suffix::None && region.zones == Zones::default() && !region.zbd.is_set;
    match () {
        () if !matches!(access.rw.mode, Mode::Read | Mode::Write) => {
            Some("counts its operations as reads or as writes: set rw=read or rw=write")
        }
        () if is_part => Some("works on whole files: leave out offset=, offset_increment= and file_append="),
        () if !is_in_order => Some("takes one file after the other: leave out the number after rw and zonemode="),
        () if !is_one_a_file(settings, count) => {
            Some("does one operation a file, and fio counts one for each bs of it: set filesize= and bs= to the same size")
        }
        () if !matches!(files.service.order, ServiceOrder::RoundRobin | ServiceOrder::Sequential | ServiceOrder::Random) => {
            Some("takes each file once a pass: set file_service_type to roundrobin, sequential or random")
        }
        () if files.pre_read => Some("reads nothing: leave out pre_read="),
        () if makes && !files.may_create => Some("makes files, and allow_file_create=0 forbids it: leave out one of them"),
        () if !makes && files.create_on_open => Some("needs its files before it begins: leave out create_on_open="),
        () => None,
    }
}

/// True where each file is as large as one block. Without any size a file that is made counts as one.
fn is_one_a_file(settings: &JobSettings, count: u64) -> bool {
    let JobSettings { files, region, engine, .. } = settings;
    let Some(block) = settings.blocks.one_size() else { return false };
    match (files.size_bytes, region.size) {
        (Some((least, most)), _) => least == block && most == block,
        (None, Some(Amount::Bytes(bytes))) => bytes / count.max(1) == block,
        (None, None) => engine.name == EngineName::Filecreate,
        (None, Some(_)) => false,
    }
}

/// The settings of a job over `count` names; none where its engine takes open files.
pub(super) fn settings(settings: &JobSettings, count: usize) -> Result<Option<JobSettings>, String> {
    if !settings.engine.name.is_by_name() {
        return Ok(None);
    }
    let block = block(settings);
    let all = block.saturating_mul(count as u64);
    let size = match settings.region.size {
        Some(Amount::Bytes(bytes)) => bytes.min(all) / block * block,
        _ => all,
    };
    if size == 0 {
        return Err(format!("size= leaves no operation: one counts as {block} bytes"));
    }
    let mut names = settings.clone();
    names.region = Region { size: Some(Amount::Bytes(size)), ..settings.region };
    names.access.rw.random = settings.files.service.order == ServiceOrder::Random;
    (names.files.size_bytes, names.files.service) = (None, Service::default());
    let RandomSettings { same_offsets, same_everything, seed, .. } = settings.random;
    names.random = RandomSettings { same_offsets, same_everything, seed, ..RandomSettings::default() };
    Ok(Some(names))
}

/// Bytes of each file before the job begins; one that is to be made has none.
pub(super) fn needs_bytes(settings: &JobSettings, count: usize) -> Vec<u64> {
    let bytes = if settings.engine.name == EngineName::Filecreate { 0 } else { block(settings) };
    vec![bytes; count]
}

fn block(settings: &JobSettings) -> u64 {
    settings.blocks.one_size().unwrap_or(1).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::{Compiled, compile};
    use crate::region::Existing;
    use ioproof_core::job::Until;
    use ioproof_core::workload::Pattern;

    fn of(engine: EngineName, count: usize, change: impl FnOnce(&mut JobSettings)) -> Result<Compiled, String> {
        let mut settings = JobSettings::default();
        settings.engine.name = engine;
        settings.files.size_bytes = Some((4096, 4096));
        change(&mut settings);
        compile(&settings, 0, 1, &vec![Existing::default(); count], 1)
    }

    // Counts of fio 3.33.
    #[test]
    fn each_file_is_one_operation_a_pass() {
        let operations = |change: fn(&mut JobSettings)| match of(EngineName::Filecreate, 20, change).unwrap().spec.until {
            Until::Bytes(bytes) => bytes / 4096,
            Until::Ios(ios) => ios,
            other => panic!("{other:?}"),
        };
        assert_eq!(operations(|_| {}), 20);
        assert_eq!(operations(|s| s.files.size_bytes = None), 20);
        assert_eq!(operations(|s| s.region.size = Some(Amount::Bytes(40_960))), 10);
        assert_eq!(operations(|s| s.region.io_size = Some(Amount::Bytes(20_480))), 5);
        assert_eq!(operations(|s| s.region.ios = Some(7)), 7);
        assert_eq!(operations(|s| s.time.loops = 2), 40);
    }

    #[test]
    fn names_are_blocks_in_order_or_at_random() {
        let made = of(EngineName::Filecreate, 3, |s| s.access.rw.random = true).unwrap();
        let seen = (made.spec.span.length_bytes, made.spec.workload.pattern, made.needs_bytes);
        assert_eq!(seen, (3 * 4096, Pattern::Sequential, vec![0; 3]));
        let removed = of(EngineName::Filedelete, 3, |s| s.files.service.order = ServiceOrder::Random).unwrap();
        assert_eq!((removed.spec.workload.pattern, &removed.needs_bytes, removed.writes()), (Pattern::Random, &vec![4096; 3], true));
        let looked_up = of(EngineName::Filestat, 3, |s| s.access.rw.mode = Mode::Write).unwrap();
        assert!(!looked_up.writes(), "whatever it counts as");
    }

    #[test]
    fn what_fio_counts_otherwise_than_it_does_is_refused() {
        let refused = |engine, change: fn(&mut JobSettings)| of(engine, 3, change).unwrap_err();
        assert!(refused(EngineName::Filecreate, |s| s.files.size_bytes = Some((65536, 65536))).contains("one operation a file"));
        assert!(refused(EngineName::Filestat, |s| s.files.size_bytes = None).contains("one operation a file"));
        for mode in [Mode::ReadWrite, Mode::Trim] {
            let mut settings = JobSettings::default();
            (settings.engine.name, settings.access.rw.mode) = (EngineName::Filecreate, mode);
            assert!(refusal(&settings, 1).is_some_and(|why| why.contains("rw=read or rw=write")));
        }
        assert!(refused(EngineName::Filedelete, |s| s.files.create_on_open = true).contains("create_on_open"));
        assert!(refused(EngineName::Filecreate, |s| s.files.may_create = false).contains("allow_file_create"));
        assert!(refused(EngineName::Filecreate, |s| s.region.offset = Amount::Bytes(4096)).contains("whole files"));
        assert!(refused(EngineName::Filecreate, |s| s.region.size = Some(Amount::Bytes(100))).contains("no operation"));
    }
}
