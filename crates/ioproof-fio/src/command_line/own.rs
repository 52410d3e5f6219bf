//! ioproof's own flags on fio's command line. They are written out in full.

use super::general::{OptionOwner, Takes};

#[rustfmt::skip]
pub const OWN: [(&str, Takes); 12] = [
    ("destroy", Takes::Value), ("destroy-unknown-content", Takes::Nothing), ("destroy-unseen-users", Takes::Nothing),
    ("overwrite", Takes::Value), ("overwrite-all-in", Takes::Value), ("allow-exec", Takes::Nothing), ("strict", Takes::Nothing),
    ("dry-run", Takes::Nothing), ("json", Takes::Nothing), ("live", Takes::Nothing), ("baseline", Takes::Value),
    ("fail-if", Takes::Value),
];

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OwnFlags {
    pub destroy: Vec<String>,
    pub destroy_unknown_content: bool,
    pub destroy_unseen_users: bool,
    pub overwrite: Vec<String>,
    pub overwrite_all_in: Vec<String>,
    pub allow_exec: bool,
    pub strict: bool,
    pub dry_run: bool,
    pub json: bool,
    pub live: bool,
    pub baseline: Option<String>,
    pub fail_if: Option<String>,
}

impl OwnFlags {
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
pub(super) fn or_fio<'a>(kind: OptionOwner<'a>, value: Option<&str>) -> OptionOwner<'a> {
    match (kind, value) {
        (OptionOwner::Own("overwrite"), Some("0" | "1")) => OptionOwner::Job("overwrite"),
        _ => kind,
    }
}
