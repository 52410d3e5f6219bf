//! The self-test of the load generator before a run. The cost of its loop is kept for a day: it changes only with program, kernel, boot and CPU.
//!
//! The time that the host takes away at the moment, and I/O that the target makes io_uring hand to kernel threads, are looked at every time.

use crate::clock::clock_choice;
use ioproof_core::record::{RunRecord, SelfTest};
use ioproof_process::folders;
use ioproof_target::output_file::store;
use ioproof_target::{Handle, System, read_own};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// Time for which a result holds. Seconds.
const HOLDS_S: u64 = 24 * 60 * 60;

/// No result is larger. Bytes.
const MOST_BYTES: u64 = 1 << 20;

/// Everything that a result depends on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct SelfTestKey {
    program_version: String,
    kernel: String,
    boot_id: String,
    cpu_model: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct CachedSelfTest {
    key: SelfTestKey,
    /// When it was measured, since 1970. Seconds.
    measured_at_s: u64,
    self_test: SelfTest,
}

/// Measures, or takes the result of today. `target` is looked at too, if there is one. A file that cannot be read or written is no reason not to run.
pub fn run(system: &System, record: &RunRecord, target: Option<&Handle>) -> SelfTest {
    let key = key(system, record);
    let file = folders::state().ok().map(|folder| folder.join("self-test.json"));
    let known = file.as_deref().and_then(|file| kept(file, &key, now_s()));
    let measured = ioproof_engine::self_test(clock_choice(system), target, known.as_ref());
    if let (None, Some(file)) = (known, file) {
        keep(&file, key, &measured);
    }
    measured
}

fn key(system: &System, record: &RunRecord) -> SelfTestKey {
    SelfTestKey {
        program_version: record.program_version.clone(),
        kernel: record.host.kernel.value.clone(),
        boot_id: system.proc_text("sys/kernel/random/boot_id").unwrap_or_default(),
        cpu_model: record.host.cpu_model.value.clone(),
    }
}

fn now_s() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// The result in the file, where it is of this machine and of today.
fn kept(file: &Path, key: &SelfTestKey, now_s: u64) -> Option<SelfTest> {
    let kept: CachedSelfTest = serde_json::from_slice(&read_own(file, MOST_BYTES).ok()?).ok()?;
    // A clock that was set back makes a result of the future, whose age nobody knows.
    let age_s = now_s.checked_sub(kept.measured_at_s)?;
    (kept.key == *key && age_s < HOLDS_S).then_some(SelfTest { punts: None, ..kept.self_test })
}

fn keep(file: &Path, key: SelfTestKey, measured: &SelfTest) {
    let kept = CachedSelfTest { key, measured_at_s: now_s(), self_test: SelfTest { punts: None, ..measured.clone() } };
    if let Ok(bytes) = serde_json::to_vec_pretty(&kept) {
        let _ = store(file, &bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key_of(boot_id: &str) -> SelfTestKey {
        SelfTestKey { program_version: "1".into(), kernel: "6.1".into(), boot_id: boot_id.into(), cpu_model: "CPU".into() }
    }

    #[test]
    fn a_result_holds_for_a_day_on_the_same_machine() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("self-test.json");
        assert_eq!(kept(&file, &key_of("a"), now_s()), None, "no file yet");
        let measured = SelfTest { loop_ns_per_io: 80.5, punts: Some(true), ..SelfTest::default() };
        keep(&file, key_of("a"), &measured);
        let without_target = SelfTest { punts: None, ..measured };
        assert_eq!(kept(&file, &key_of("a"), now_s()), Some(without_target));
        assert_eq!(kept(&file, &key_of("b"), now_s()), None, "another boot");
        assert_eq!(kept(&file, &key_of("a"), now_s() + HOLDS_S + 1), None, "too old");
        assert_eq!(kept(&file, &key_of("a"), now_s() - 100), None, "of the future");
    }

    #[test]
    fn a_broken_file_is_as_none() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("self-test.json");
        for broken in ["", "{", "[]", "{\"key\":1}", "\u{0}\u{0}"] {
            std::fs::write(&file, broken).unwrap();
            assert_eq!(kept(&file, &key_of("a"), now_s()), None, "{broken:?}");
        }
        keep(&folder.path().join("no/such/folder/x.json"), key_of("a"), &SelfTest::default());
    }
}
