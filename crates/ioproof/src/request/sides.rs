//! Two targets that take turns: each with the consent to write that is its own. Consent is never guessed: what names neither target, or one of two, is refused.

use crate::cli::{FailIf, Verify};
use crate::complaint::complaint;
use crate::plain::plain;
use anyhow::Result;
use std::path::PathBuf;

/// Two targets in turns.
#[derive(Debug, Clone)]
pub struct Interleave {
    /// The targets, the one to compare with first.
    pub sides: [Side; 2],
    /// The answer at which the run fails.
    pub fail_if: Option<FailIf>,
}

/// One of both targets.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Side {
    /// The target.
    pub target: PathBuf,
    /// Serial number of the device that may be destroyed.
    pub destroy: Option<String>,
    /// The file that may be overwritten.
    pub overwrite: Option<PathBuf>,
}

impl Interleave {
    /// Both targets with their consents, where two were named.
    ///
    /// # Errors
    /// When a consent cannot be told to be of one of both, or what was asked for cannot be done in turns.
    pub fn settle(args: &Verify) -> Result<Option<Self>> {
        let [first, second] = args.interleave.as_slice() else {
            return match (args.baseline.fail_if, &args.baseline.baseline) {
                (Some(_), None) => Err(complaint("--fail-if is about a baseline, and none is named", "add --baseline RUN")),
                _ => Ok(None),
            };
        };
        let unfit = [
            ("--precondition", args.precondition),
            ("--latency-target", args.load.latency_target.is_some()),
            ("--check", args.load.check),
            ("--buffered", args.load.buffered),
            ("--files", args.load.files.is_some()),
            ("--write-to", !args.load.write_to.is_empty()),
            ("--backend null", args.load.is_null()),
        ];
        if let Some((flag, _)) = unfit.into_iter().find(|(_, given)| *given) {
            return Err(complaint(format!("{flag} does not go with --interleave"), "measure each target by itself with it"));
        }
        let mut sides = [first, second].map(|target| Side { target: target.clone(), ..Side::default() });
        for file in &args.overwrite {
            let side = sides.iter_mut().find(|side| side.target == *file && side.overwrite.is_none());
            let Some(side) = side else {
                let text = format!("--overwrite {} names neither target", plain(&file.to_string_lossy()));
                return Err(complaint(text, "write the file as it is written behind --interleave"));
            };
            side.overwrite = Some(file.clone());
        }
        destroyed(&mut sides, &args.destroy)?;
        Ok(Some(Self { sides, fail_if: args.baseline.fail_if }))
    }
}

/// Gives each device its serial number: one for each target that is no directory and not overwritten, in their order.
fn destroyed(sides: &mut [Side; 2], serials: &[String]) -> Result<()> {
    if serials.is_empty() {
        return Ok(());
    }
    let takers: Vec<&mut Side> = sides.iter_mut().filter(|side| side.overwrite.is_none() && !side.target.is_dir()).collect();
    if takers.len() != serials.len() {
        let text = format!("--destroy is given for {} of {} devices", serials.len(), takers.len());
        return Err(complaint(text, "both targets are measured alike: name each by its own --destroy SERIAL, in their order, or none"));
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

    fn settled(words: &str) -> Result<Option<Interleave>> {
        let words = format!("ioproof verify {words}");
        match cli::parse(words.split(' ').map(Into::into)) {
            Ok(cli::Verb::Verify(args)) => Interleave::settle(&args),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn each_side_has_the_consent_that_names_it() {
        let sides = settled("--interleave /x/a /x/b --overwrite /x/b --destroy S1").unwrap().unwrap().sides;
        assert_eq!((sides[0].destroy.as_deref(), sides[1].destroy.as_deref()), (Some("S1"), None));
        assert_eq!((&sides[0].overwrite, sides[1].overwrite.as_deref()), (&None, Some(std::path::Path::new("/x/b"))));
        let sides = settled("--interleave /x/a /x/b --destroy S1 --destroy S2").unwrap().unwrap().sides;
        assert_eq!(sides.map(|side| side.destroy.unwrap()), ["S1", "S2"]);
        assert!(settled("/x/a").unwrap().is_none());
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
        ] {
            assert!(settled(words).is_err(), "{words}");
        }
        assert!(only("--destroy", vec![1, 2]).is_err());
        assert_eq!((only("--destroy", vec![1]).unwrap(), only::<u8>("--destroy", vec![]).unwrap()), (Some(1), None));
    }
}
