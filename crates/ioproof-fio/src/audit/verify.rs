//! Verification that cannot tell, or that nobody asked for.

use super::clones::share_files;
use super::rule::{Check, Found, Grade, Rule, found};
use super::scene::View;
use super::text::many;
use crate::schedule::Instance;
use crate::settings::{Checksum, Verify};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "verify-without-method",
        grade: Grade::Mistake,
        covers: &[],
        about: "options of verification while nothing is verified",
        fires_on: "[a]\nfilename=/data/x\nsize=1g\nrw=write\nverify_fatal=1\n",
        silent_on: "[a]\nfilename=/data/x\nsize=1g\nrw=write\nverify_fatal=1\nverify=crc32c\n",
        check: Check::Job(without_method),
    },
    Rule {
        name: "verify-repeats",
        grade: Grade::Mistake,
        covers: &[],
        about: "verification of offsets that may repeat",
        fires_on: "[a]\nfilename=/data/x\nsize=1g\nrw=randwrite\nverify=crc32c\nnorandommap\n",
        silent_on: "[a]\nfilename=/data/x\nsize=1g\nrw=randwrite\nverify=crc32c\n",
        check: Check::Job(repeats),
    },
    Rule {
        name: "verify-shared-file",
        grade: Grade::Mistake,
        covers: &["same-blocks", "overlapping-clones"],
        about: "verification where clones write over each other",
        fires_on: "[a]\nfilename=/data/x\nsize=1g\nrw=write\nverify=crc32c\nnumjobs=4\n",
        silent_on: "[a]\ndirectory=/data\nsize=1g\nrw=write\nverify=crc32c\nnumjobs=4\n",
        check: Check::Job(shared_file),
    },
];

fn compares(view: &View) -> bool {
    view.set.verify.method.is_some_and(|method| method != Checksum::Null)
}

fn without_method(view: &View) -> Option<Found> {
    let verify = &view.set.verify;
    let options = options_in_use(verify);
    if compares(view) {
        return None;
    }
    if verify.method == Some(Checksum::Null) {
        return Some(found("verify=null reads data back and compares nothing", "use verify=crc32c, or leave out verify"));
    }
    let text = format!("{} without verify=: nothing is verified", options.join(" and "));
    (!options.is_empty()).then(|| found(text, "set verify=crc32c, or leave them out"))
}

fn options_in_use(verify: &Verify) -> Vec<&'static str> {
    let all = [
        ("verify_only", verify.only),
        ("verify_interval", verify.interval_bytes.is_some()),
        ("verify_offset", verify.header_offset_bytes > 0),
        ("verify_fatal", verify.fatal),
        ("verify_dump", verify.dump),
        ("verify_backlog", verify.backlog.is_some()),
        ("verify_backlog_batch", verify.backlog_batch.is_some()),
    ];
    all.into_iter().filter_map(|(option, is_set)| is_set.then_some(option)).collect()
}

fn repeats(view: &View) -> Option<Found> {
    let is = compares(view) && view.writes() && view.is_random() && view.set.random.repeats;
    let text = match view.depth() {
        1 => "norandommap leaves blocks out and writes others several times: some blocks are never verified".to_owned(),
        depth => format!(
            "norandommap lets a block be written several times, with {depth} writes under way at once: which came last is not known"
        ),
    };
    is.then(|| found(text, "leave out norandommap"))
}

fn shared_file(view: &View) -> Option<Found> {
    let is = compares(view) && view.writes() && share_files(view) && !Instance::is_set_apart(view.job);
    let text = format!(
        "{} write the same blocks of the same file and verify them: each finds what another wrote",
        many(view.clone_count(), "clone")
    );
    is.then(|| found(text, "give each its part with offset_increment, or its own file with directory="))
}
