//! `--memory-limit`: how little a run may have to work at all, and the control group in which it has no more.

use super::db::Db;
use crate::layers::request::LayersRequest;
use anyhow::Result;
use ioproof_core::units::binary_size;
use ioproof_database::postgres::SHARED_BUFFERS_BYTES;
use ioproof_device::MemoryGroup;
use ioproof_process::complaint::complaint;
use ioproof_target::System;

/// Memory of the programs themselves, beside the caches of databases. Bytes.
const PROGRAMS_BYTES: u64 = 128 << 20;

/// Refuses a limit within which databases and their clients would be killed for want of memory.
///
/// # Errors
/// When it is less than they need.
pub fn check(limit_bytes: Option<u64>, cache_bytes: Option<u64>, databases: &[Db], most_clients: u32) -> Result<()> {
    // The usual cache of SQLite is small enough to go with the programs.
    let of = |db: &Db| match db {
        Db::Postgres => cache_bytes.unwrap_or(SHARED_BUFFERS_BYTES),
        _ => cache_bytes.unwrap_or(0).saturating_mul(most_clients.into()),
    };
    let needed = databases.iter().map(of).fold(PROGRAMS_BYTES, u64::saturating_add);
    match limit_bytes.filter(|limit| *limit < needed) {
        None => Ok(()),
        Some(limit) => Err(complaint(
            format!(
                "--memory-limit {} is less than the {} that programs and caches of databases need",
                binary_size(limit),
                binary_size(needed)
            ),
            "give more, or the databases a smaller --db-cache",
        )),
    }
}

/// Has the whole run work within its limit, where it has one, for as long as the group lives.
///
/// # Errors
/// When there are no control groups for memory, or none may be made.
pub fn enter(request: &LayersRequest, system: &System) -> Result<Option<MemoryGroup>> {
    let Some(limit) = request.memory_limit_bytes else { return Ok(None) };
    MemoryGroup::enter(system, limit).map(Some).map_err(|error| {
        let hint = format!(
            "run it as root, or have systemd do it: systemd-run --user --scope -p MemoryMax={limit} ioproof layers ..., without this flag"
        );
        complaint(format!("--memory-limit: no control group can be made: {error}"), hint)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn databases_must_have_room_for_their_caches() {
        let check = |limit_mib: u64, cache_mib: Option<u64>, db: Db| check(Some(limit_mib << 20), cache_mib.map(|mib| mib << 20), &[db], 4);
        assert!(check(256, None, Db::Postgres).is_ok() && check(255, None, Db::Postgres).is_err());
        assert!(check(128, None, Db::None).is_ok() && check(127, None, Db::None).is_err());
        let sqlite = Db::Sqlite(Default::default());
        assert!(check(168, Some(10), sqlite).is_ok() && check(167, Some(10), sqlite).is_err());
        assert!(super::check(None, Some(u64::MAX), &[sqlite], 256).is_ok());
    }
}
