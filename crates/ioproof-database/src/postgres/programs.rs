//! The programs of PostgreSQL: where they are, and which version they are of.

use crate::error::DatabaseError;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The oldest version whose pgbench has the scripts, the log and the figures that are read here.
pub(super) const OLDEST: u32 = 12;
/// A server says its version at once.
const ANSWER: Duration = Duration::from_secs(5);
/// Time between two looks whether it has.
const LOOK: Duration = Duration::from_millis(2);
/// A program that is needed only where its rates are asked for.
pub(super) const PG_TEST_FSYNC: &str = "pg_test_fsync";
/// Programs that are needed, which a package may leave out.
const NEEDED: [&str; 5] = ["postgres", "initdb", "pgbench", "psql", "pg_isready"];
/// Folders of packages: of Debian and its kin, and of PostgreSQL's own for RPM.
const PACKAGES: [(&str, &str); 2] = [("/usr/lib/postgresql", "bin"), ("/usr", "bin")];

/// Where the programs are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Programs {
    folder: PathBuf,
    version: String,
}

impl Programs {
    /// Those in the folder that was named, else the newest that this machine has.
    ///
    /// # Errors
    /// When there are none, one is missing, or they are too old.
    pub fn find(named: Option<&Path>) -> Result<Self, DatabaseError> {
        let folders = named.map_or_else(candidates, |named| vec![named.to_owned()]);
        let found = folders.into_iter().filter_map(|folder| {
            // A link of a distribution stands for programs whose companions are elsewhere.
            let postgres = folder.join("postgres").canonicalize().ok()?;
            Some((version(&postgres)?, postgres.parent()?.to_owned()))
        });
        let Some((version, folder)) = found.max_by_key(|(version, _)| parts(version)) else {
            let text = named
                .map_or_else(|| "PostgreSQL is not found on this machine".into(), |named| format!("{} has no PostgreSQL", named.display()));
            let hint =
                "install it (Debian: postgresql; Fedora: postgresql-server and postgresql-contrib), or name its folder: --db-bin DIR";
            return Err(DatabaseError::hinted(text, hint));
        };
        let (major, _) = parts(&version);
        if major < OLDEST {
            return Err(DatabaseError::hinted(
                format!("PostgreSQL {version} in {} is too old", folder.display()),
                format!("{OLDEST} is the oldest that can be measured; --db-bin DIR names the folder of another"),
            ));
        }
        if let Some(missing) = NEEDED.iter().find(|name| !folder.join(name).is_file()) {
            let text = format!("{} has no {missing}, which PostgreSQL is measured with", folder.display());
            return Err(DatabaseError::hinted(
                text,
                "install the package that has it (postgresql-contrib has pgbench, postgresql-client has psql)",
            ));
        }
        Ok(Self { folder, version })
    }

    /// Their version: `15.14`.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// An error where there is no pg_test_fsync among them, which nothing else needs.
    ///
    /// # Errors
    /// As it says.
    pub fn check_sync_rates(&self) -> Result<(), DatabaseError> {
        let hint = "install the package that has it (Debian: postgresql; Fedora: postgresql-contrib), or leave out --pg-test-fsync";
        let missing = || DatabaseError::hinted(format!("{} has no {}", self.folder.display(), PG_TEST_FSYNC), hint);
        self.path(PG_TEST_FSYNC).is_file().then_some(()).ok_or_else(missing)
    }

    /// The major number of their version.
    pub(super) fn major(&self) -> u32 {
        parts(&self.version).0
    }

    /// The path of one of them.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}

/// Every folder in which they may be.
fn candidates() -> Vec<PathBuf> {
    let of_packages = PACKAGES.iter().flat_map(|(above, bin)| {
        let entries = std::fs::read_dir(above).into_iter().flatten().flatten();
        let is_ours =
            |path: &PathBuf| *above != "/usr" || path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("pgsql-"));
        entries.map(|entry| entry.path()).filter(is_ours).map(|path| path.join(bin)).collect::<Vec<_>>()
    });
    let path = std::env::var_os("PATH").unwrap_or_default();
    of_packages.chain(std::env::split_paths(&path).filter(|folder| folder.is_absolute())).collect()
}

/// The version that a server says it is; none where it is no server.
fn version(postgres: &Path) -> Option<String> {
    let mut command = Command::new(postgres);
    let mut child = command.arg("--version").env_clear().stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
    let began = Instant::now();
    while matches!(child.try_wait(), Ok(None)) {
        if began.elapsed() > ANSWER {
            // It is none of PostgreSQL's, whatever it is.
            let _ = child.kill().and_then(|()| child.wait());
            return None;
        }
        std::thread::sleep(LOOK);
    }
    let mut text = String::new();
    child.stdout?.take(1000).read_to_string(&mut text).ok()?;
    said(&text)
}

/// `15.14` of `postgres (PostgreSQL) 15.14 (Debian 15.14-0+deb12u1)`.
fn said(text: &str) -> Option<String> {
    let version = text.strip_prefix("postgres (PostgreSQL) ")?.split_whitespace().next()?;
    version.starts_with(|c: char| c.is_ascii_digit()).then(|| version.to_owned())
}

/// Major and minor number; of a version under development the minor is 0.
fn parts(version: &str) -> (u32, u32) {
    let digits = |text: &str| text.chars().take_while(char::is_ascii_digit).collect::<String>().parse().unwrap_or(0);
    (digits(version), version.split_once('.').map_or(0, |(_, minor)| digits(minor)))
}

/// A folder of scripts of the shell in the place of these programs; each says this version, and beyond that does what is given.
#[cfg(test)]
pub(super) fn fake(version: &str, names: &[&str], does: &str) -> tempfile::TempDir {
    let (folder, script) = (tempfile::tempdir().unwrap(), tempfile::NamedTempFile::new().unwrap());
    std::fs::write(&script, format!("#!/bin/sh\necho 'postgres (PostgreSQL) {version}'\n{does}\n")).unwrap();
    for name in names {
        // By another process: a child of this one that has a program open to be written would keep it from being run (ETXTBSY).
        let status = Command::new("install").args(["-m", "755"]).arg(script.path()).arg(folder.path().join(name)).status();
        assert!(status.unwrap().success());
    }
    folder
}

/// All that are needed.
#[cfg(test)]
pub(super) fn fakes(does: &str) -> tempfile::TempDir {
    fake("16.1", &NEEDED, &format!("[ \"$1\" = --version ] || {does}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_and_compared_as_numbers() {
        assert_eq!(said("postgres (PostgreSQL) 15.14 (Debian 15.14-0+deb12u1)\n").as_deref(), Some("15.14"));
        assert_eq!(said("postgres (PostgreSQL) 18beta1").as_deref(), Some("18beta1"));
        assert_eq!([said("bash 5"), said(""), said("postgres (PostgreSQL) ")], [None, None, None]);
        assert_eq!([parts("15.14"), parts("18beta1"), parts("9.6.24"), parts("")], [(15, 14), (18, 0), (9, 6), (0, 0)]);
        assert!(parts("15.14") > parts("15.4") && parts("9.6") < parts("12.0"));
    }

    fn programs(version: &str, names: &[&str]) -> tempfile::TempDir {
        fake(version, names, "")
    }

    #[test]
    fn what_is_missing_or_too_old_is_said_with_what_to_do() {
        let find = |folder: &tempfile::TempDir| Programs::find(Some(folder.path()));
        let error = find(&programs("16.1", &[])).unwrap_err();
        assert!(error.text.contains("has no PostgreSQL") && error.hint.unwrap().contains("--db-bin"));
        assert!(find(&programs("11.22", &NEEDED)).unwrap_err().text.contains("11.22"));
        assert!(find(&programs("16.1", &["postgres", "initdb", "psql"])).unwrap_err().text.contains("has no pgbench"));
        let found = find(&programs("16.1", &NEEDED)).unwrap();
        assert_eq!((found.version(), found.major()), ("16.1", 16));
        assert!(found.check_sync_rates().unwrap_err().text.contains("has no pg_test_fsync"));
    }
}
