//! Bytes that a clone moves in all, once the parts that it covers are known. The number of passes over them, and the end of the
//! last one, depend on passes that end by themselves, as those do in which each block comes once.

use super::parts::Existing;
use crate::settings::JobSettings;
use crate::values::{Amount, Distribution, Mode, Rw, Suffix};

/// `size` of a device, which may be larger than the device; `None` where no more than the device is used.
pub(super) fn beyond(settings: &JobSettings, file: Existing, count: u64) -> Option<u64> {
    match settings.region.size {
        Some(Amount::Bytes(bytes)) if file.is_device && settings.files.size_bytes.is_none() && !passes_end(settings) => Some(bytes / count),
        _ => None,
    }
}

/// As often as `loops` says, all that is covered, or `asked` for of a device, or `io_size`. As fio has it, where a pass ends by itself there are no more
/// than `loops` of them once there was `io_size` of I/O.
pub(super) fn total(settings: &JobSettings, covered: u64, asked: u64, passes: u64) -> u64 {
    let asked_for = match settings.region.io_size {
        Some(Amount::Bytes(bytes)) => bytes,
        Some(Amount::Percent(percent)) => share(covered, percent),
        Some(Amount::Blocks(_)) | None => 0,
    };
    let io_size = match asked_for {
        0 if passes_end(settings) => covered,
        0 => asked,
        bytes => bytes,
    };
    // As in fio a file grows by no more than `size`, whatever goes on.
    if settings.files.append {
        let goes_on = settings.time.time_based && settings.time.runtime_ns > 0;
        return if goes_on { covered } else { io_size.saturating_mul(settings.time.loops.max(1).into()).min(covered) };
    }
    // Where each block is trimmed and written, fio counts both to see whether another pass is due.
    let of_pass = if settings.access.rw.mode == Mode::TrimWrite { covered.saturating_mul(2) } else { covered };
    let ended = passes.max(io_size.div_ceil(of_pass.max(1)));
    let most = if passes_end(settings) { covered.saturating_mul(ended) } else { u64::MAX };
    io_size.saturating_mul(passes).min(most)
}

pub(super) fn share(bytes: u64, percent: u8) -> u64 {
    u64::try_from(u128::from(bytes) * u128::from(percent) / 100).unwrap_or(u64::MAX)
}

/// True where each block comes once a pass, and then the next pass begins.
fn passes_end(settings: &JobSettings) -> bool {
    let JobSettings { access, random, region, blocks, .. } = settings;
    let Rw { mode, random: at_random, suffix } = access.rw;
    let aligned = [blocks.align.read, blocks.align.write, blocks.align.trim].iter().any(Option::is_some);
    let drawn_once = || !random.repeats && random.distribution.read == Distribution::Random && random.random_percent.read == 100;
    match at_random {
        _ if region.zones.strided => false,
        true => matches!(suffix, Suffix::None | Suffix::Every(..=1)) && !aligned && drawn_once(),
        false => matches!(suffix, Suffix::None | Suffix::Skip(0)) && mode != Mode::ReadWrite,
    }
}
