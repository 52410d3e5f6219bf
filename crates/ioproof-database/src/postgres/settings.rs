//! Settings of the server that a user may choose: its log of writes, its checkpoints, its memory, and when a commit is one. Deliberately absent is
//! every setting that names a file, a folder, a command, a library or an address, or lets anybody in: a server of ours is reached by its socket alone and touches its cluster alone.

/// Settings that reach no further than the cluster (PostgreSQL's manual, "Server Configuration"), each known to one version or another.
const ALLOWED: [&str; 42] = [
    // Commits.
    "fsync",
    "synchronous_commit",
    "commit_delay",
    "commit_siblings",
    // Log.
    "full_page_writes",
    "wal_buffers",
    "wal_compression",
    "wal_init_zero",
    "wal_log_hints",
    "wal_recycle",
    "wal_skip_threshold",
    "wal_sync_method",
    "wal_writer_delay",
    "wal_writer_flush_after",
    "max_wal_size",
    "min_wal_size",
    // Checkpoints and what is written between them.
    "checkpoint_completion_target",
    "checkpoint_flush_after",
    "checkpoint_timeout",
    "backend_flush_after",
    "bgwriter_delay",
    "bgwriter_flush_after",
    "bgwriter_lru_maxpages",
    "bgwriter_lru_multiplier",
    "autovacuum",
    "autovacuum_naptime",
    "autovacuum_vacuum_cost_delay",
    "autovacuum_vacuum_cost_limit",
    // Memory.
    "autovacuum_work_mem",
    "effective_cache_size",
    "hash_mem_multiplier",
    "huge_pages",
    "logical_decoding_work_mem",
    "maintenance_work_mem",
    "temp_buffers",
    "work_mem",
    // I/O.
    "effective_io_concurrency",
    "io_combine_limit",
    "io_max_concurrency",
    "io_method",
    "io_workers",
    "maintenance_io_concurrency",
];

/// Those to which the log grows, which the room for it is taken by.
const OF_LOG: [&str; 2] = ["max_wal_size", "min_wal_size"];
/// Units of sizes, case and all (PostgreSQL's manual, "Parameter Names and Values"). A size of the log without one is in MB.
const UNITS: [(&str, u64); 5] = [("kB", 1 << 10), ("MB", 1 << 20), ("GB", 1 << 30), ("TB", 1 << 40), ("", 1 << 20)];
/// Size to which the log grows unless it is set, as `server` has it. Bytes.
const LOG_BYTES: u64 = 1 << 30;

/// Words of a setting that is on or off.
const SWITCH: [&str; 8] = ["on", "off", "true", "false", "yes", "no", "1", "0"];
/// Settings whose values are words, and those beside on and off.
const WORDS: [(&str, &[&str]); 11] = [
    ("fsync", &[]),
    ("full_page_writes", &[]),
    ("wal_init_zero", &[]),
    ("wal_log_hints", &[]),
    ("wal_recycle", &[]),
    ("autovacuum", &[]),
    ("synchronous_commit", &["local", "remote_write", "remote_apply"]),
    ("wal_compression", &["pglz", "lz4", "zstd"]),
    ("huge_pages", &["try"]),
    ("wal_sync_method", &["open_datasync", "fdatasync", "fsync", "open_sync"]),
    ("io_method", &["sync", "worker", "io_uring"]),
];
/// Those that cannot be on or off.
const WORDS_ALONE: [&str; 2] = ["wal_sync_method", "io_method"];

/// Settings that flags of their own decide.
const BY_FLAGS: [(&str, &str); 2] = [("shared_buffers", "--db-cache sets it"), ("max_connections", "--clients decides it")];

/// A setting that the server is started with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    name: &'static str,
    value: String,
}

impl Setting {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }
}

impl std::fmt::Display for Setting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}={}", self.name, self.value)
    }
}

impl std::str::FromStr for Setting {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) = text.split_once('=').ok_or_else(|| format!("`{text}` is no NAME=VALUE, such as fsync=off"))?;
        if let Some((_, how)) = BY_FLAGS.iter().find(|(other, _)| *other == name) {
            return Err(format!("`{name}` is not set so: {how}"));
        }
        let name = ALLOWED.into_iter().find(|allowed| *allowed == name).ok_or_else(|| refused(name))?;
        if value.is_empty() || !value.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-')) {
            return Err(format!("`{value}` is no value of {name}: a word or a number with its unit, such as on, 30s or 64MB"));
        }
        if let Some(words) = words_of(name).filter(|words| !words.contains(&value)) {
            return Err(format!("`{value}` is no value of {name}: one of {}", words.join(", ")));
        }
        if OF_LOG.contains(&name) && size(value).is_none() {
            return Err(format!("`{value}` is no size of the log: a whole number with kB, MB, GB or TB behind it, such as 64MB"));
        }
        Ok(Self { name, value: value.to_owned() })
    }
}

/// The words that a setting takes; none of one that takes numbers.
fn words_of(name: &str) -> Option<Vec<&'static str>> {
    let (_, words) = WORDS.iter().find(|(of, _)| *of == name)?;
    let switch = if WORDS_ALONE.contains(&name) { &[][..] } else { &SWITCH };
    Some([switch, words].concat())
}

/// Size to which the log of a server with these settings grows. Bytes.
#[must_use]
pub fn log_bytes(settings: &[Setting]) -> u64 {
    let size_of = |name: &str| settings.iter().find(|setting| setting.name == name).and_then(|setting| size(&setting.value));
    let [most, least] = OF_LOG.map(size_of);
    most.unwrap_or(LOG_BYTES).max(least.unwrap_or(0))
}

fn size(value: &str) -> Option<u64> {
    let digits = value.find(|c: char| !c.is_ascii_digit()).unwrap_or(value.len());
    let (number, unit) = value.split_at(digits);
    let (_, unit_bytes) = UNITS.iter().find(|(name, _)| *name == unit)?;
    number.parse::<u64>().ok()?.checked_mul(*unit_bytes)
}

fn refused(name: &str) -> String {
    format!("`{name}` is none of the settings that cannot reach beyond the server's own cluster: {}", ALLOWED.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Setting, String> {
        text.parse()
    }

    #[test]
    fn what_reaches_no_further_than_the_cluster_is_taken() {
        for text in
            ["fsync=off", "checkpoint_timeout=30s", "max_wal_size=64MB", "checkpoint_completion_target=0.9", "autovacuum_work_mem=-1"]
        {
            assert_eq!(read(text).unwrap().to_string(), text);
        }
        assert_eq!(read("fsync=off").unwrap().name(), "fsync");
    }

    #[test]
    fn whatever_names_a_place_or_lets_somebody_in_is_refused_with_what_may_be_set() {
        let places = ["data_directory", "hba_file", "config_file", "unix_socket_directories", "stats_temp_directory", "temp_tablespaces"];
        let commands = ["archive_command", "archive_library", "restore_command", "shared_preload_libraries", "ssl_passphrase_command"];
        let ways_in = ["listen_addresses", "port", "primary_conninfo", "unix_socket_permissions", "log_directory", "FSYNC", "fsync ", ""];
        for name in places.into_iter().chain(commands).chain(ways_in) {
            let error = read(&format!("{name}=on")).unwrap_err();
            assert!(error.contains("beyond the server's own cluster") && error.contains("max_wal_size"), "{name}: {error}");
        }
        assert!(read("shared_buffers=1GB").unwrap_err().contains("--db-cache"));
        assert!(read("max_connections=5").unwrap_err().contains("--clients"));
    }

    #[test]
    fn a_value_is_one_word() {
        for wrong in ["fsync=", "fsync=off -c port=1", "fsync='off'", "wal_sync_method=/tmp/x", "work_mem=1\n2"] {
            assert!(read(wrong).unwrap_err().contains("is no value of"), "{wrong}");
        }
        assert!(read("fsync").unwrap_err().contains("NAME=VALUE"));
    }

    #[test]
    fn the_room_for_the_log_is_that_of_its_settings() {
        let of = |texts: &[&str]| log_bytes(&texts.iter().map(|text| read(text).unwrap()).collect::<Vec<_>>());
        assert_eq!([of(&[]), of(&["fsync=off"]), of(&["max_wal_size=64MB"])], [1 << 30, 1 << 30, 64 << 20]);
        assert_eq!([of(&["max_wal_size=8GB", "min_wal_size=80"]), of(&["min_wal_size=2097152kB"])], [8 << 30, 2 << 30]);
        for wrong in ["8gb", "1e3", "0x10", "1.5GB", "GB", "99999999999999999TB", "on"] {
            assert!(read(&format!("max_wal_size={wrong}")).unwrap_err().contains("is no size of the log"), "{wrong}");
        }
    }

    #[test]
    fn words_are_those_of_the_setting() {
        for text in ["fsync=true", "huge_pages=try", "wal_compression=lz4", "wal_sync_method=open_datasync", "synchronous_commit=off"] {
            assert_eq!(read(text).unwrap().to_string(), text);
        }
        for wrong in ["fsync=maybe", "fsync=local", "wal_sync_method=on", "huge_pages=64MB"] {
            assert!(read(wrong).unwrap_err().contains("one of o"), "{wrong}: {}", read(wrong).unwrap_err());
        }
        assert!(WORDS.iter().all(|(name, _)| ALLOWED.contains(name)));
    }

    #[test]
    fn each_is_there_once() {
        for (at, name) in ALLOWED.iter().enumerate() {
            assert!(!ALLOWED[..at].contains(name) && BY_FLAGS.iter().all(|(other, _)| other != name), "{name}");
        }
    }
}
