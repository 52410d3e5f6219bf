//! Checks of a job against its engine: trims are for devices, except those of falloc, and engines that move no data take none of the options of data.

use super::by_name;
use crate::region::Existing;
use crate::settings::{EngineName, JobSettings, OpenSync};
use crate::values::Mode;

const TWO_SIZES: &str =
    "a block is trimmed and then written, and blocks of trims and of writes differ: give one size (bs=) or the same sizes for both";

const NO_VERIFY: &str = "what is trimmed and then written is not verified: leave out verify=, or write and verify by a job of its own";

const NO_TRIM: &str = "trim is for devices, as in fio, and this is an ordinary file: name a device, or a loop device on the file (losetup)";

/// Refuses a job whose options or files do not fit its engine.
pub(super) fn check(settings: &JobSettings, existing: &[Existing]) -> Result<(), String> {
    let engine = settings.engine.name;
    if settings.access.rw.mode == Mode::TrimWrite {
        let blocks = &settings.blocks;
        let writes = (blocks.size.write, blocks.range.write, &blocks.splits.write);
        if writes != (blocks.size.trim, blocks.range.trim, &blocks.splits.trim) {
            return Err(TWO_SIZES.into());
        }
        if settings.verify.method.is_some() {
            return Err(NO_VERIFY.into());
        }
    }
    let is_file = |file: &Existing| !file.is_device && !file.is_endless;
    if !engine.has_data() {
        let is_device = || !existing.iter().all(is_file);
        let reason = options(settings).or_else(|| by_name::refusal(settings, existing.len() as u64));
        let reason = reason.or_else(|| is_device().then_some("works on ordinary files, and this is a device"));
        return reason.map_or(Ok(()), |reason| Err(format!("the engine {} {reason}", engine.word())));
    }
    if matches!(settings.access.rw.mode, Mode::Trim | Mode::TrimWrite) && existing.iter().any(is_file) {
        return Err(NO_TRIM.into());
    }
    Ok(())
}

/// Reason for which the options do not fit an engine that moves no data.
fn options(settings: &JobSettings) -> Option<&'static str> {
    let (engine, syncs, mode) = (settings.engine.name, &settings.syncs, settings.access.rw.mode);
    let syncs_between = syncs.fsync_every > 0 || syncs.fdatasync_every > 0 || syncs.range_every > 0 || syncs.open != OpenSync::None;
    match () {
        () if settings.verify.method.is_some() => Some("moves no data, so nothing can be verified: leave out verify="),
        () if syncs_between => Some("has no syncs, as in fio: leave out fsync=, fdatasync=, sync_file_range= and sync="),
        () if engine == EngineName::Ftruncate && mode != Mode::Write => Some("only writes, as in fio: set rw=write or rw=randwrite"),
        () if engine != EngineName::Falloc && (syncs.end_fsync || engine.is_by_name() && syncs.fsync_on_close) => {
            Some("has no syncs, as in fio: leave out end_fsync=")
        }
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::rw;

    fn of(engine: EngineName, word: &str, file: Existing, change: fn(&mut JobSettings)) -> Result<(), String> {
        let mut settings = JobSettings::default();
        settings.engine.name = engine;
        settings.access.rw = rw(word, &Default::default()).unwrap();
        change(&mut settings);
        check(&settings, &[file])
    }

    const FILE: Existing = Existing { bytes: 0, is_device: false, is_endless: false };
    const DEVICE: Existing = Existing { bytes: 1 << 20, is_device: true, is_endless: false };

    #[test]
    fn files_are_trimmed_by_falloc_alone_and_devices_by_all_others() {
        assert_eq!(of(EngineName::Falloc, "trim", FILE, |_| {}), Ok(()));
        assert!(of(EngineName::Falloc, "trim", DEVICE, |_| {}).unwrap_err().contains("ordinary files"));
        assert!(of(EngineName::Psync, "trim", FILE, |_| {}).unwrap_err().starts_with("trim is for devices"));
        assert_eq!(of(EngineName::Psync, "trim", DEVICE, |_| {}), Ok(()));
        assert!(of(EngineName::Psync, "trimwrite", FILE, |_| {}).unwrap_err().starts_with("trim is for devices"));
        assert_eq!(of(EngineName::Falloc, "randtrimwrite", FILE, |_| {}), Ok(()));
    }

    #[test]
    fn a_block_is_trimmed_as_large_as_it_is_written_and_not_verified() {
        let refused = |change| of(EngineName::Psync, "trimwrite", DEVICE, change).is_err();
        assert!(!refused(|_| {}) && refused(|s| s.blocks.size.trim = 8192));
        assert!(refused(|s| s.verify.method = Some(crate::settings::Checksum::Header("md5"))));
    }

    #[test]
    fn options_of_data_are_refused_where_none_is_moved() {
        let refused = |engine, word, change: fn(&mut JobSettings)| of(engine, word, FILE, change).is_err();
        assert!(refused(EngineName::Falloc, "write", |s| s.syncs.fsync_every = 1));
        assert!(refused(EngineName::Falloc, "write", |s| s.verify.method = Some(crate::settings::Checksum::Pattern)));
        assert!(!refused(EngineName::Falloc, "write", |s| s.syncs.end_fsync = true));
        assert!(refused(EngineName::Ftruncate, "write", |s| s.syncs.end_fsync = true));
        assert!(["read", "rw", "trim"].iter().all(|word| refused(EngineName::Ftruncate, word, |_| {})));
        assert!(!refused(EngineName::Ftruncate, "randwrite", |_| {}));
    }
}
