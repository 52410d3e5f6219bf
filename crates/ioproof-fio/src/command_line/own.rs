//! ioproof's own flags on fio's command line. They are written out in full.

use super::kind::Kind;
use super::takes::Takes;

/// The names, and how they take their value.
pub const OWN: [(&str, Takes); 12] = [
    ("destroy", Takes::Value),
    ("destroy-unknown-content", Takes::Nothing),
    ("destroy-unseen-users", Takes::Nothing),
    ("overwrite", Takes::Value),
    ("overwrite-all-in", Takes::Value),
    ("allow-exec", Takes::Nothing),
    ("strict", Takes::Nothing),
    ("dry-run", Takes::Nothing),
    ("json", Takes::Nothing),
    ("live", Takes::Nothing),
    ("baseline", Takes::Value),
    ("fail-if", Takes::Value),
];

/// Flags of ioproof itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Own {
    /// `--destroy SERIAL`: drives whose content may be destroyed.
    pub destroy: Vec<String>,
    /// `--destroy-unknown-content`: also where nothing is known of the content.
    pub destroy_unknown_content: bool,
    /// `--destroy-unseen-users`: also where processes that use a file cannot be seen.
    pub destroy_unseen_users: bool,
    /// `--overwrite FILE`: files that may be overwritten.
    pub overwrite: Vec<String>,
    /// `--overwrite-all-in DIR`: folders whose files may be overwritten.
    pub overwrite_all_in: Vec<String>,
    /// `--allow-exec`: commands of the job files may be run.
    pub allow_exec: bool,
    /// `--strict`: mistakes that the audit finds are errors.
    pub strict: bool,
    /// `--dry-run`: say what would be done.
    pub dry_run: bool,
    /// `--json`: ioproof's own JSON.
    pub json: bool,
    /// `--live`: a full screen of the run.
    pub live: bool,
    /// `--baseline RUN`: the run that this one is held against as it ends.
    pub baseline: Option<String>,
    /// `--fail-if ANSWER`: where that is so, the exit status says it.
    pub fail_if: Option<String>,
}

impl Own {
    pub(super) fn set(&mut self, name: &str, value: Option<&str>) {
        let given = value.map(str::to_owned);
        match name {
            "destroy" => self.destroy.extend(given),
            "destroy-unknown-content" => self.destroy_unknown_content = true,
            "destroy-unseen-users" => self.destroy_unseen_users = true,
            "overwrite" => self.overwrite.extend(given),
            "overwrite-all-in" => self.overwrite_all_in.extend(given),
            "allow-exec" => self.allow_exec = true,
            "strict" => self.strict = true,
            "dry-run" => self.dry_run = true,
            "live" => self.live = true,
            "baseline" => self.baseline = given,
            "fail-if" => self.fail_if = given,
            _ => self.json = true,
        }
    }
}

/// `--overwrite=0` and `--overwrite=1` are fio's option of that name; anything else after it is a file (`./1` for one that is called 1).
pub(super) fn or_fio<'a>(kind: Kind<'a>, value: Option<&str>) -> Kind<'a> {
    match (kind, value) {
        (Kind::Own("overwrite"), Some("0" | "1")) => Kind::Job("overwrite"),
        _ => kind,
    }
}
