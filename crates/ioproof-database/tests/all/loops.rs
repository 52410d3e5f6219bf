//! Databases in a folder that takes no more: what failed is said with what to do, and nothing goes on. Needs root, to mount a filesystem in memory, and PostgreSQL.

use ioproof_core::record::Mix;
use ioproof_database::postgres::{self, OtherUser, Programs};
use ioproof_database::{DatabaseError, Spec, sqlite};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;

/// A filesystem in memory, unmounted when dropped.
struct SmallFilesystem {
    _folder: tempfile::TempDir,
    at: PathBuf,
}

impl SmallFilesystem {
    fn new(size: &str) -> Self {
        let folder = tempfile::tempdir_in("/tmp").unwrap();
        let at = folder.path().join("small");
        std::fs::create_dir(&at).unwrap();
        let done = Command::new("mount").args(["-t", "tmpfs", "-o", &format!("mode=0755,size={size}"), "none"]).arg(&at).status().unwrap();
        assert!(done.success());
        Self { _folder: folder, at }
    }

    /// A folder in it for a database.
    fn place(&self) -> PathBuf {
        let place = self.at.join("place");
        std::fs::create_dir(&place).unwrap();
        place
    }
}

impl Drop for SmallFilesystem {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.at).status();
    }
}

fn spec(size_bytes: u64) -> Spec {
    Spec { target: 0, mix: Mix::TpcbLike, clients: 1, size_bytes, page_bytes: 4096, cache_bytes: None }
}

fn says_what_to_do(error: &DatabaseError) {
    let hint = error.hint.as_deref().unwrap_or_default();
    assert!(hint.contains("make room") && hint.contains("--size"), "{error}: {hint}");
}

#[test]
fn sqlite_says_that_there_is_no_room() {
    let small = SmallFilesystem::new("12m");
    let error =
        sqlite::make(&small.place(), &spec(40 << 20), sqlite::SqliteSettings::default(), &AtomicBool::new(false), &mut |_| {}).unwrap_err();
    says_what_to_do(&error);
}

fn makes_postgres(place: &Path, size_bytes: u64) -> DatabaseError {
    let account = OtherUser::choose(place, Some("nobody")).unwrap();
    postgres::make(place, &spec(size_bytes), &Programs::find(None).unwrap(), account, &[], &[], &AtomicBool::new(false)).unwrap_err()
}

#[test]
fn postgres_says_that_there_is_no_room_whichever_of_its_programs_finds_none() {
    for size in ["20m", "120m"] {
        let small = SmallFilesystem::new(size);
        let place = small.place();
        says_what_to_do(&makes_postgres(&place, 300 << 20));
        let place = place.to_str().unwrap();
        let lines =
            std::fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| std::fs::read_to_string(entry.path().join("cmdline")).ok());
        assert_eq!(lines.filter(|line| line.contains(place)).count(), 0, "{size}: a server goes on");
    }
}

#[test]
fn somebody_who_cannot_enter_is_told_so() {
    let folder = tempfile::tempdir_in("/tmp").unwrap();
    let inner = folder.path().join("closed/place");
    std::fs::create_dir_all(&inner).unwrap();
    std::fs::set_permissions(folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    let error = makes_postgres(&inner, 0);
    assert!(error.hint.as_deref().unwrap_or_default().contains("able to enter"), "{error}");
}
