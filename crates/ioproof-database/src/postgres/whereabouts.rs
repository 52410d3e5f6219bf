//! The place of the files of a server that was given. Only where they lie on the filesystem that is measured are the counters of its drives, and its durable writes, those of the database.
//!
//! It is proved and not believed: a process of the server runs here, in the folder that the server says is its own; the table of ours is there, as long as the server says it is; and it and the log lie on the filesystem. An
//! address proves nothing, since a tunnel or a container may stand behind it.

use super::calls::Calls;
use super::uri::Uri;
use crate::error::DatabaseError;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// Length of a file of a table, of which a longer one has several (PostgreSQL's manual, "Database File Layout"). Bytes.
const SEGMENT_BYTES: u64 = 1 << 30;

/// A server's own account of where its files are.
#[derive(Debug, PartialEq, Eq)]
struct Told {
    /// Number of a process that runs as long as the server.
    pid: u32,
    /// Size of the table of ours. Bytes.
    table_bytes: u64,
    /// Its file, from the folder of the server.
    table: PathBuf,
    /// The folder of the server.
    folder: PathBuf,
}

/// The reason for which the files of the tables in a schema are not known to lie on the filesystem of a directory; none where they do.
///
/// # Errors
/// When the server does not answer.
pub(super) fn apart(calls: &Calls, uri: &Uri, schema: &str, directory: &Path, stop: &AtomicBool) -> Result<Option<String>, DatabaseError> {
    if !uri.is_local() {
        return Ok(Some(format!("the server at {} is not known to run on this machine", uri.address())));
    }
    let table = format!("'{schema}.pgbench_accounts'");
    // Of both, a role with few rights is told nothing.
    let pid = "(SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer')";
    let folder = "(SELECT setting FROM pg_settings WHERE name = 'data_directory')";
    let query = format!("SELECT {pid}, pg_relation_size({table}), pg_relation_filepath({table}), {folder}");
    let answer = calls.ask(&query, stop)?;
    let Some(told) = read(answer.trim_end_matches('\n')) else {
        return Ok(Some("the role may not ask the server where its files are; a superuser, or one with pg_monitor, may".to_owned()));
    };
    Ok(proved(&told, Path::new("/proc"), directory).err())
}

/// The answer of the server: `321|13434880|base/16384/16399|/var/lib/postgresql/15/main`; none where a part is left out.
fn read(answer: &str) -> Option<Told> {
    let mut parts = answer.splitn(4, '|');
    let mut part = || parts.next().filter(|part| !part.is_empty());
    Some(Told { pid: part()?.parse().ok()?, table_bytes: part()?.parse().ok()?, table: part()?.into(), folder: part()?.into() })
}

fn proved(told: &Told, proc: &Path, directory: &Path) -> Result<(), String> {
    let place = |of: &std::fs::Metadata| (of.dev(), of.ino());
    let running = std::fs::metadata(proc.join(told.pid.to_string()).join("cwd"));
    let running =
        running.map_err(|_| "no process of the server can be seen here; root or the user who runs it may see it on its own machine")?;
    let folder = std::fs::metadata(&told.folder).map_err(|error| format!("{}: {error}", told.folder.display()))?;
    if place(&folder) != place(&running) {
        return Err("the server runs on another machine or in a container: the folder that it names is another one here".to_owned());
    }
    let within = |name: &Path| {
        let path = told.folder.join(name);
        std::fs::metadata(&path).map_err(|error| format!("{}: {error}", path.display()))
    };
    let (table, log) = (within(&told.table)?, within(Path::new("pg_wal"))?);
    if table.len() != told.table_bytes.min(SEGMENT_BYTES) {
        return Err("the table of ours is not found in the folder that the server names".to_owned());
    }
    let here = std::fs::metadata(directory).map_err(|error| format!("{}: {error}", directory.display()))?;
    match () {
        () if table.dev() != here.dev() => Err(format!("its files lie on another filesystem, in {}", told.folder.display())),
        () if log.dev() != here.dev() => Err(format!("its log lies on another filesystem than its files in {}", told.folder.display())),
        () => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read_where_it_is_whole() {
        let told = read("321|8192|base/5/16399|/var/lib/a|b").unwrap();
        assert_eq!((told.pid, told.table_bytes, told.folder.as_path()), (321, 8192, Path::new("/var/lib/a|b")));
        assert_eq!(["", "|8192|base/5/1|/x", "1|8192|base/5/1|", "1|8192|base/5/1", "x|1|b|/x"].map(read), [const { None }; 5]);
    }

    /// A server's folder with a table of 3 bytes, and the folder of the kernel in which it runs as 7.
    fn server() -> (tempfile::TempDir, Told) {
        let all = tempfile::tempdir().unwrap();
        let folder = all.path().join("data");
        std::fs::create_dir_all(folder.join("pg_wal")).unwrap();
        std::fs::write(folder.join("table"), "abc").unwrap();
        std::fs::create_dir_all(all.path().join("proc/7")).unwrap();
        std::os::unix::fs::symlink(&folder, all.path().join("proc/7/cwd")).unwrap();
        (all, Told { pid: 7, table_bytes: 3, table: "table".into(), folder })
    }

    #[test]
    fn files_are_here_where_process_table_and_log_are() {
        let (all, told) = server();
        let proved = |told: &Told, directory: &Path| super::proved(told, &all.path().join("proc"), directory);
        assert_eq!(proved(&told, all.path()), Ok(()));
        let is_not = |told: Told, directory: &Path, why: &str| {
            let error = proved(&told, directory).unwrap_err();
            assert!(error.contains(why), "{error}");
        };
        let another = || Told { table: told.table.clone(), folder: told.folder.clone(), ..told };
        is_not(Told { pid: 8, ..another() }, all.path(), "no process");
        is_not(Told { folder: all.path().into(), ..another() }, all.path(), "in a container");
        is_not(Told { table_bytes: 4, ..another() }, all.path(), "not found");
        is_not(Told { table: "none".into(), ..another() }, all.path(), "none");
        is_not(another(), Path::new("/proc"), "on another filesystem");
        std::fs::remove_dir(told.folder.join("pg_wal")).unwrap();
        std::os::unix::fs::symlink("/proc", told.folder.join("pg_wal")).unwrap();
        is_not(another(), all.path(), "its log");
    }
}
