//! Scripts of the user's own in place of the standard transaction: read once, checked, and run from a copy that nobody changes meanwhile.
//!
//! pgbench runs commands of the shell where a script says so (its manual, "Meta Commands": `\shell`, `\setshell`), and a superuser's SQL reaches files and programs. So the
//! former are refused, and scripts run as a role that owns the tables and is allowed nothing else.

use super::calls::Calls;
use crate::error::DatabaseError;
use ioproof_core::record::ScriptRecord;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The role that runs scripts.
pub(super) const ROLE: &str = "client";
/// The largest script that is taken. Bytes.
pub const SCRIPT_BYTES_MAX: u64 = 64 << 10;
/// A script whose one transaction takes longer gives no figure in any usual round.
const TRIAL: Duration = Duration::from_secs(30);
/// Meta commands of pgbench that run a command of the shell, however their letters are written.
const SHELLS: [&str; 2] = ["shell", "setshell"];

/// A script of pgbench that may be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PgbenchScript {
    record: ScriptRecord,
    text: String,
}

impl PgbenchScript {
    /// Takes a script with this content.
    ///
    /// # Errors
    /// When it is no text, empty, too long, or may run a command of the shell; in words that follow its name.
    pub fn new(record: ScriptRecord, bytes: Vec<u8>) -> Result<Self, String> {
        if bytes.len() as u64 > SCRIPT_BYTES_MAX {
            return Err(format!("is longer than {} KiB", SCRIPT_BYTES_MAX >> 10));
        }
        let text = String::from_utf8(bytes).map_err(|_| "is no text in UTF-8".to_owned())?;
        if text.contains('\0') {
            return Err("is no text: it has a byte of zero".to_owned());
        }
        if text.trim().is_empty() {
            return Err("is empty".to_owned());
        }
        match shell_line(&text) {
            Some(line) => Err(format!("line {line} has \\shell or \\setshell, which run a command of the shell")),
            None if !has_sql(&text) => Err("has no statement of SQL, so its transactions would ask nothing of the server".to_owned()),
            None => Ok(Self { record, text }),
        }
    }

    /// Its description for the record.
    #[must_use]
    pub fn record(&self) -> &ScriptRecord {
        &self.record
    }
}

/// Number of the line where a backslash stands before the name of such a command, also with spaces or further backslashes between, or in the name itself: one at the end of a line
/// goes on in the next (pgbench's manual, "Custom Scripts"). Comments are not told apart: better one refused too many.
fn shell_line(text: &str) -> Option<usize> {
    let is_shell = |at: &usize| {
        let rest = text[at + 1..].trim_start_matches(|c: char| c == '\\' || c.is_whitespace());
        let word = rest.chars().filter(|c| !matches!(c, '\\' | '\r' | '\n'));
        SHELLS.iter().any(|name| word.clone().take(name.len()).collect::<String>().eq_ignore_ascii_case(name))
    };
    let at = text.match_indices('\\').map(|(at, _)| at).find(is_shell)?;
    Some(text[..at].matches('\n').count() + 1)
}

/// True where something is left beside meta commands, which begin a line with a backslash, and comments.
fn has_sql(text: &str) -> bool {
    let joined = text.replace("\\\r\n", " ").replace("\\\n", " ");
    let begins = joined.split("/*").enumerate();
    // Behind the first, each part begins within a comment.
    let rest: String =
        begins.filter_map(|(at, part)| if at == 0 { Some(part) } else { part.split_once("*/").map(|(_, rest)| rest) }).collect();
    let statements = rest.lines().filter(|line| !line.trim_start().starts_with('\\'));
    statements.filter_map(|line| line.split("--").next()).any(|line| line.contains(char::is_alphanumeric))
}

/// Copies of scripts in the folder of the database.
#[derive(Debug, Default)]
pub(super) struct ScriptCopies(Vec<(ScriptRecord, PathBuf)>);

impl ScriptCopies {
    /// Makes them while the folder is still ours alone: in a folder of somebody else a name may be anything.
    pub(super) fn make(scripts: &[PgbenchScript], folder: &Path) -> Result<Self, DatabaseError> {
        let copy = |(at, script): (usize, &PgbenchScript)| {
            let path = folder.join(format!("script-{at}.sql"));
            let mut file = std::fs::File::create_new(&path)?;
            file.write_all(script.text.as_bytes())?;
            file.set_permissions(PermissionsExt::from_mode(0o444))?;
            Ok((script.record.clone(), path))
        };
        let made: std::io::Result<Vec<_>> = scripts.iter().enumerate().map(copy).collect();
        made.map(Self).map_err(|error| DatabaseError::new(format!("{} takes no copy of a script: {error}", folder.display())))
    }

    pub(super) fn records(&self) -> Vec<ScriptRecord> {
        self.0.iter().map(|(record, _)| record.clone()).collect()
    }

    /// Words that have pgbench run them in proportion to their weights; none where there are none. Without `-s` a script would see a scale of 1.
    pub(super) fn words(&self, scale: u32) -> Option<Vec<String>> {
        let each = self.0.iter().flat_map(|(record, path)| ["-f".to_owned(), format!("{}@{}", path.display(), record.weight)]);
        (!self.0.is_empty()).then(|| ["-s".to_owned(), scale.to_string()].into_iter().chain(each).collect())
    }

    /// The calls by which clients run the transaction: with scripts as the role that is allowed little, and each is tried once.
    pub(super) fn clients(&self, calls: &Calls, scale: u32, stop: &AtomicBool) -> Result<Calls, DatabaseError> {
        if self.0.is_empty() {
            return Ok(calls.clone());
        }
        let tables = ["accounts", "branches", "history", "tellers"].map(|table| format!("ALTER TABLE pgbench_{table} OWNER TO {ROLE};"));
        calls.ask(&format!("CREATE ROLE {ROLE} LOGIN; {}", tables.concat()), stop)?;
        let clients = calls.as_role(ROLE);
        self.0.iter().try_for_each(|(record, path)| attempt(&clients, record, path, scale, TRIAL, stop))?;
        Ok(clients)
    }
}

/// Runs a script twice, so that one that fails, does not end, or takes away what it needs ends the run before anything is measured.
fn attempt(calls: &Calls, record: &ScriptRecord, path: &Path, scale: u32, limit: Duration, stop: &AtomicBool) -> Result<(), DatabaseError> {
    let (scale, file) = (scale.to_string(), format!("{}@1", path.display()));
    let words = ["-n", "-t", "2", "-c", "1", "-s", &scale, "-f", &file, "postgres"];
    let failed = |error: DatabaseError| match error.is_interrupted {
        true => error,
        false => DatabaseError::hinted(
            format!("script {} fails: {}", record.name, error.text),
            "a script runs on the tables of pgbench, as a role that owns these and is allowed nothing else; it is tried twice, since each transaction must find what it needs after the one before",
        ),
    };
    calls.run_within(Some(limit), "pgbench", words.map(AsRef::as_ref), stop).map(drop).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: impl Into<Vec<u8>>) -> Result<PgbenchScript, String> {
        PgbenchScript::new(ScriptRecord { name: "a.sql".into(), weight: 1, sha256: "00".into() }, text.into())
    }

    #[test]
    fn sql_and_other_meta_commands_are_taken() {
        for text in ["SELECT 1;", "\\set a random(1, 9)\nSELECT :a;\n", "\\sleep 1 ms\nSELECT 'shell';", "SELECT '\\she';", "-- é\nEND;"] {
            assert_eq!(read(text).unwrap().text, text);
        }
    }

    #[test]
    fn commands_of_the_shell_are_refused_however_they_are_written() {
        let of_one = [
            "\\shell ls",
            "\\SHELL ls",
            "  \\setshell a ls",
            "\\ shell ls",
            "\\\t\\Shell ls",
            "\\sleep 1 \\shell",
            "-- \\shell",
            "\\\u{b}shell",
        ];
        let of_several = ["\\\\\nshell ls", "\\ \\\r\n shell ls", "\\\\\n\\\n\tsetshell a ls", "\\she\\\nll ls"];
        for line in of_one.iter().chain(&of_several) {
            let error = read(format!("SELECT 1;\n{line}\n")).unwrap_err();
            assert!(error.starts_with("line 2 has \\shell"), "{line}: {error}");
        }
    }

    #[test]
    fn a_script_that_asks_nothing_is_refused() {
        for text in ["\\set x 1", "-- SELECT 1;\n;\n", "\\sleep \\\n1 ms\n", "/* SELECT 1; */ \\set a 1", " \\set a 1\r\n;"] {
            assert!(read(text).unwrap_err().contains("no statement of SQL"), "{text}");
        }
        for text in ["/* a */ SELECT 1;", "\\set x 1\nSELECT '/*';", "END", "\\set a \\\n 1\nSELECT :a -- one\n;"] {
            assert!(read(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn no_text_is_refused_and_none_makes_it_panic() {
        assert!(read("").unwrap_err().contains("empty") && read(" \n\t").unwrap_err().contains("empty"));
        assert!(read([0xff]).unwrap_err().contains("UTF-8") && read("a\0").unwrap_err().contains("zero"));
        assert!(read(vec![b'a'; SCRIPT_BYTES_MAX as usize]).is_ok());
        assert!(read(vec![b'a'; SCRIPT_BYTES_MAX as usize + 1]).unwrap_err().contains("64 KiB"));
        const PIECES: [&str; 8] = ["\\", "shell", "SETSHELL", "é", " ", "\n", "\u{85}", "s"];
        let mut state = 3;
        for _ in 0..5000 {
            let piece = |state: &mut u64| PIECES[(ioproof_core::splitmix::next(state) % PIECES.len() as u64) as usize];
            let text: String = (0..12).map(|_| piece(&mut state)).collect();
            let is_naive = text.to_lowercase().contains("\\shell") || text.to_lowercase().contains("\\setshell");
            assert!(!is_naive || read(text.as_str()).is_err(), "{text}");
        }
    }

    #[test]
    fn a_script_that_does_not_end_is_named_before_anything_is_measured() {
        let folder = super::super::programs::fakes("exec sleep 600");
        let programs = super::super::Programs::find(Some(folder.path())).unwrap();
        let record = ScriptRecord { name: "slow.sql".into(), weight: 1, sha256: String::new() };
        let tried = attempt(&Calls::new(programs, None), &record, Path::new("slow.sql"), 1, Duration::ZERO, &AtomicBool::new(false));
        assert!(tried.unwrap_err().text.contains("script slow.sql fails: pgbench of PostgreSQL had not ended"));
    }

    #[test]
    fn pgbench_is_told_weights_and_scale() {
        let record = |name: &str, weight| ScriptRecord { name: name.into(), weight, sha256: String::new() };
        let scripts = [("a", 3), ("b", 1)].map(|(name, weight)| PgbenchScript::new(record(name, weight), b"SELECT 1;".to_vec()).unwrap());
        let folder = tempfile::tempdir().unwrap();
        let copies = ScriptCopies::make(&scripts, folder.path()).unwrap();
        let path = |at: u32, weight: u32| format!("{}/script-{at}.sql@{weight}", folder.path().display());
        assert_eq!(copies.words(7).unwrap(), ["-s", "7", "-f", &path(0, 3), "-f", &path(1, 1)]);
        assert_eq!(ScriptCopies::default().words(7), None);
        assert!(ScriptCopies::make(&scripts, folder.path()).is_err(), "a name that is taken is not written to");
    }
}
