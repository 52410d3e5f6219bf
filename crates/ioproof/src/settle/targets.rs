//! The targets of a run, each with the consent to write that is its own. Consent is never guessed: what names none of them, or some and not the others, is
//! refused.

use crate::flags::verify::VerifyFlags;
use anyhow::Result;
use ioproof_core::text::visible;
use ioproof_process::complaint::complaint;
use ioproof_session::request::{RunKind, TargetRequest};
use ioproof_target::Consent;
use std::path::PathBuf;

const MOST: usize = 64;

/// Targets with their consents, and the way in which they are measured.
///
/// # Errors
/// When there are too many, a consent cannot be told to be of one of them, or what was asked for cannot be done with several.
pub fn settle(args: &VerifyFlags) -> Result<(Vec<TargetRequest>, RunKind)> {
    let at_once = args.interleave.is_empty();
    if let (true, Some(_), None) = (at_once, args.baseline.fail_if, &args.baseline.baseline) {
        return Err(complaint("--fail-if is about a baseline, and none is named", "add --baseline RUN"));
    }
    let consent =
        Consent { destroy_unknown_content: args.destroy_unknown_content, in_use_unseen: args.destroy_unseen_users, ..Consent::default() };
    let named: Vec<&PathBuf> = if at_once { args.target.iter().chain(&args.more).collect() } else { args.interleave.iter().collect() };
    if named.len() < 2 {
        let (destroy, overwrite) = (only("--destroy", &args.destroy)?, only("--overwrite", &args.overwrite)?);
        let consent = Consent { destroy, overwrite: overwrite.into_iter().collect(), ..consent };
        return Ok((vec![TargetRequest { path: args.target.clone(), dir: args.dir.clone(), consent }], RunKind::Verify));
    }
    if named.len() > MOST {
        let text = format!("{} targets are named, and {MOST} are the most of one run", named.len());
        return Err(complaint(text, "measure them in groups, such as those of one adapter"));
    }
    let unfit = [
        ("--baseline", args.baseline.baseline.is_some()),
        ("--precondition", args.precondition),
        ("--latency-target", args.load.latency_target.is_some()),
        ("--check", args.load.check),
        ("--buffered", args.load.buffered),
        ("--files", args.load.files.is_some()),
        ("--write-to", !args.load.write_to.is_empty()),
        ("--backend null", args.load.is_null()),
    ];
    if let Some((flag, _)) = unfit.into_iter().find(|(_, given)| *given) {
        let with = if at_once { "several targets" } else { "--interleave" };
        return Err(complaint(format!("{flag} does not go with {with}"), "measure each target by itself with it"));
    }
    let target = |path: &PathBuf| TargetRequest { path: Some(path.clone()), dir: None, consent: consent.clone() };
    let mut targets: Vec<TargetRequest> = named.into_iter().map(target).collect();
    for file in &args.overwrite {
        let is_it = |target: &&mut TargetRequest| target.path.as_ref() == Some(file) && target.consent.overwrite.is_empty();
        let Some(target) = targets.iter_mut().find(is_it) else {
            let text = format!("--overwrite \"{}\" names none of the targets", visible(&file.to_string_lossy()));
            return Err(complaint(text, "write the file as it is written as a target"));
        };
        target.consent.overwrite.push(file.clone());
    }
    destroyed(&mut targets, &args.destroy)?;
    Ok((targets, if at_once { RunKind::AtOnce } else { RunKind::InTurns }))
}

/// Gives each device its serial number: one for each target that is no directory and not overwritten, in their order.
fn destroyed(targets: &mut [TargetRequest], serials: &[String]) -> Result<()> {
    if serials.is_empty() {
        return Ok(());
    }
    let is_device =
        |target: &&mut TargetRequest| target.consent.overwrite.is_empty() && !target.path.as_ref().is_some_and(|path| path.is_dir());
    let takers: Vec<&mut TargetRequest> = targets.iter_mut().filter(is_device).collect();
    if takers.len() != serials.len() {
        let text = format!("--destroy is given for {} of {} devices", serials.len(), takers.len());
        return Err(complaint(text, "all targets are measured alike: name each by its own --destroy SERIAL, in their order, or none"));
    }
    takers.into_iter().zip(serials).for_each(|(target, serial)| target.consent.destroy = Some(serial.clone()));
    Ok(())
}

/// The one value of a flag of a single target.
///
/// # Errors
/// When it is given more than once.
fn only<T: Clone>(flag: &str, values: &[T]) -> Result<Option<T>> {
    match values {
        [] => Ok(None),
        [one] => Ok(Some(one.clone())),
        _ => Err(complaint(format!("{flag} is given more than once, and there is one target"), "name what is to be written once")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flags;

    fn settled(words: &str) -> Result<(Vec<TargetRequest>, RunKind)> {
        let args = flags::read(format!("verify {words}").split(' ')).unwrap_or_else(|| panic!("{words}"));
        settle(&args)
    }

    fn consents(words: &str) -> Vec<(Option<String>, Vec<PathBuf>)> {
        settled(words).unwrap().0.into_iter().map(|target| (target.consent.destroy, target.consent.overwrite)).collect()
    }

    #[test]
    fn each_target_has_the_consent_that_names_it() {
        let (serial, file) = (|name: &str| Some(name.to_owned()), |name: &str| vec![PathBuf::from(name)]);
        assert_eq!(consents("--interleave /x/a /x/b --overwrite /x/b --destroy S1"), [(serial("S1"), vec![]), (None, file("/x/b"))]);
        assert_eq!(consents("--interleave /x/a /x/b --destroy S1 --destroy S2"), [(serial("S1"), vec![]), (serial("S2"), vec![])]);
        assert_eq!(
            consents("/x/a /x/b /x/c --overwrite /x/b --destroy S1 --destroy S3"),
            [(serial("S1"), vec![]), (None, file("/x/b")), (serial("S3"), vec![])]
        );
    }

    #[test]
    fn targets_beside_each_other_are_measured_at_once() {
        assert!(matches!(settled("/x/a").unwrap(), (targets, RunKind::Verify) if targets.len() == 1));
        assert!(matches!(settled("/x/a /x/b /x/c").unwrap(), (targets, RunKind::AtOnce) if targets.len() == 3));
        assert!(matches!(settled("--interleave /x/a /x/b").unwrap(), (targets, RunKind::InTurns) if targets.len() == 2));
        let named = |count: usize| settled(&(0..count).map(|at| format!("/x/{at}")).collect::<Vec<_>>().join(" "));
        assert!(named(MOST).is_ok() && named(MOST + 1).is_err());
    }

    #[test]
    fn consent_is_never_guessed() {
        for words in [
            "--interleave /x/a /x/b --destroy S1",
            "--interleave /x/a /x/b --overwrite /x/c",
            "--interleave /x/a /x/b --overwrite /x/a --overwrite /x/a",
            "--interleave / /x/b --destroy S1 --destroy S2",
            "--interleave /x/a /x/b --check --rw randwrite",
            "--interleave /x/a /x/b --precondition",
            "--interleave /x/a /x/b --backend null",
            "/x/a --fail-if worse",
            "/x/a /x/b --fail-if worse",
            "/x/a /x/b --baseline last",
            "/x/a /x/b --destroy S1",
            "/x/a /x/b --overwrite /x/c",
            "/x/a /x/b --precondition",
            "/x/a /x/b --latency-target p99:1ms --rw randread",
        ] {
            assert!(settled(words).is_err(), "{words}");
        }
        assert!(only("--destroy", &[1, 2]).is_err());
        assert_eq!((only("--destroy", &[1]).unwrap(), only::<u8>("--destroy", &[]).unwrap()), (Some(1), None));
    }
}
