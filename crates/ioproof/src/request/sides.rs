//! Several targets of one run: each with the consent to write that is its own. Consent is never guessed: what names none of them, or some and not the others, is
//! refused.

use crate::cli::Verify;
use crate::compared::FailIf;
use anyhow::Result;
use ioproof_core::text::visible;
use ioproof_process::complaint::complaint;
use std::path::PathBuf;

/// The most targets of one run.
const MOST: usize = 64;

/// Several targets.
#[derive(Debug, Clone)]
pub struct Several {
    /// The targets; of two in turns the one to compare with first.
    pub sides: Vec<Side>,
    /// True where all are measured at once too; else two take turns and are compared.
    pub at_once: bool,
    /// The answer at which the run fails.
    pub fail_if: Option<FailIf>,
}

/// One of the targets.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Side {
    /// The target.
    pub target: PathBuf,
    /// Serial number of the device that may be destroyed.
    pub destroy: Option<String>,
    /// The file that may be overwritten.
    pub overwrite: Option<PathBuf>,
}

impl Several {
    /// The targets with their consents, where several were named.
    ///
    /// # Errors
    /// When there are too many, a consent cannot be told to be of one of them, or what was asked for cannot be done with several.
    pub fn settle(args: &Verify) -> Result<Option<Self>> {
        let at_once = args.interleave.is_empty();
        if let (true, Some(_), None) = (at_once, args.baseline.fail_if, &args.baseline.baseline) {
            return Err(complaint("--fail-if is about a baseline, and none is named", "add --baseline RUN"));
        }
        let targets: Vec<&PathBuf> =
            if at_once { args.target.iter().chain(&args.more).collect() } else { args.interleave.iter().collect() };
        if targets.len() < 2 {
            return Ok(None);
        }
        if targets.len() > MOST {
            let text = format!("{} targets are named, and {MOST} are the most of one run", targets.len());
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
        let mut sides: Vec<Side> = targets.into_iter().map(|target| Side { target: target.clone(), ..Side::default() }).collect();
        for file in &args.overwrite {
            let side = sides.iter_mut().find(|side| side.target == *file && side.overwrite.is_none());
            let Some(side) = side else {
                let text = format!("--overwrite {} names none of the targets", visible(&file.to_string_lossy()));
                return Err(complaint(text, "write the file as it is written as a target"));
            };
            side.overwrite = Some(file.clone());
        }
        destroyed(&mut sides, &args.destroy)?;
        Ok(Some(Self { sides, at_once, fail_if: args.baseline.fail_if }))
    }
}

/// Gives each device its serial number: one for each target that is no directory and not overwritten, in their order.
fn destroyed(sides: &mut [Side], serials: &[String]) -> Result<()> {
    if serials.is_empty() {
        return Ok(());
    }
    let takers: Vec<&mut Side> = sides.iter_mut().filter(|side| side.overwrite.is_none() && !side.target.is_dir()).collect();
    if takers.len() != serials.len() {
        let text = format!("--destroy is given for {} of {} devices", serials.len(), takers.len());
        return Err(complaint(text, "all targets are measured alike: name each by its own --destroy SERIAL, in their order, or none"));
    }
    takers.into_iter().zip(serials).for_each(|(side, serial)| side.destroy = Some(serial.clone()));
    Ok(())
}

/// The one value of a flag of a single target.
///
/// # Errors
/// When it is given more than once.
pub fn only<T>(flag: &str, mut values: Vec<T>) -> Result<Option<T>> {
    match values.len() {
        0 | 1 => Ok(values.pop()),
        _ => Err(complaint(format!("{flag} is given more than once, and there is one target"), "name what is to be written once")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli;

    fn settled(words: &str) -> Result<Option<Several>> {
        let words = format!("ioproof verify {words}");
        match cli::parse(words.split(' ').map(Into::into)) {
            Ok(cli::Verb::Verify(args)) => Several::settle(&args),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn each_side_has_the_consent_that_names_it() {
        let sides = settled("--interleave /x/a /x/b --overwrite /x/b --destroy S1").unwrap().unwrap().sides;
        assert_eq!((sides[0].destroy.as_deref(), sides[1].destroy.as_deref()), (Some("S1"), None));
        assert_eq!((&sides[0].overwrite, sides[1].overwrite.as_deref()), (&None, Some(std::path::Path::new("/x/b"))));
        let sides = settled("--interleave /x/a /x/b --destroy S1 --destroy S2").unwrap().unwrap().sides;
        assert_eq!(sides.into_iter().map(|side| side.destroy.unwrap()).collect::<Vec<_>>(), ["S1", "S2"]);
        assert!(settled("/x/a").unwrap().is_none());
    }

    #[test]
    fn targets_beside_each_other_are_measured_at_once() {
        let several = settled("/x/a /x/b /x/c --overwrite /x/b --destroy S1 --destroy S3").unwrap().unwrap();
        let consents = several.sides.iter().map(|side| (side.destroy.as_deref(), side.overwrite.is_some()));
        assert_eq!(consents.collect::<Vec<_>>(), [(Some("S1"), false), (None, true), (Some("S3"), false)]);
        assert!(several.at_once && !settled("--interleave /x/a /x/b").unwrap().unwrap().at_once);
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
        assert!(only("--destroy", vec![1, 2]).is_err());
        assert_eq!((only("--destroy", vec![1]).unwrap(), only::<u8>("--destroy", vec![]).unwrap()), (Some(1), None));
    }
}
