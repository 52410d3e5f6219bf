//! `verify_state_save` and `verify_state_load`: how far a job came that wrote and did not read back, for a later one that verifies what it wrote.
//!
//! fio's file of that name is not documented, so this one has its own form: text, a fact a line.

use crate::request::FioRequest;
use ioproof_core::job::{JobSpec, Until};
use ioproof_core::record::Round;
use ioproof_core::text::visible;
use ioproof_fio::compile::Compiled;
use ioproof_fio::jobs::FioJob;
use std::path::{Path, PathBuf};

/// Largest file of a state. Bytes.
const MOST_BYTES: u64 = 16 << 20;

const FIRST_LINE: &str = "ioproof verify state 1";

/// The file of the state of a clone, named as fio names it.
pub fn path(request: &FioRequest, job: &FioJob, clone: u32) -> PathBuf {
    let file = format!("local-{}-{clone}-verify.state", job.name.replace('/', "."));
    request.line.general.aux_path.as_ref().map_or_else(|| PathBuf::from(&file), |folder| Path::new(folder).join(&file))
}

/// True where a clone leaves a state behind: it writes what can be verified and does not read it back by itself.
pub fn is_left(job: &FioJob, compiled: &Compiled) -> bool {
    let spec = &compiled.spec;
    let is_whole = spec.ramp_ns == 0;
    job.settings.verify.state_save && spec.workload.shape.data.checked && compiled.writes() && !compiled.reads_back && is_whole
}

/// The state of a job with this measurement.
pub fn text(spec: &JobSpec, round: &Round) -> String {
    let ios = round.ios().saturating_add(round.errors.total());
    format!("{FIRST_LINE}\nios {ios}\nseed {}\nload {}\n", spec.seed, load_of(spec))
}

/// Where a load goes, in one line: two jobs of the same go to the same places in the same order, if one reads and the other writes.
fn load_of(spec: &JobSpec) -> String {
    let shape = &spec.workload.shape;
    let sizes =
        if spec.workload.read_percent == 100 { (&shape.read_sizes, shape.read_range) } else { (&shape.write_sizes, shape.write_range) };
    let placement = &spec.placement;
    format!(
        "{:?} {} {:?} {sizes:?} {:?} {:?} {:?}",
        spec.workload.pattern, spec.workload.block_bytes, shape.order, spec.span, placement.target_spans, placement.turns
    )
}

/// Has a job that only verifies go as far as the state of an earlier one says.
///
/// # Errors
/// When there is no such state, or it is that of another load.
pub fn load(request: &FioRequest, job: &FioJob, clone: u32, compiled: &mut Compiled) -> Result<(), String> {
    let checks = compiled.spec.workload.shape.data.checked && !compiled.writes();
    if !job.settings.verify.state_load || !checks {
        return Ok(());
    }
    let path = path(request, job, clone);
    let wrong = |why: &str| format!("verify_state_load: {}: {why}", visible(&path.to_string_lossy()));
    let bytes = ioproof_target::read_input(&path, MOST_BYTES).map_err(|error| wrong(&error.to_string()))?;
    let (ios, seed) = read(&bytes, &load_of(&compiled.spec)).map_err(|why| wrong(&why))?;
    let spec = &mut compiled.spec;
    (spec.seed, spec.until) = (seed, Until::Ios(ios));
    if ios == 0 { Err(wrong("nothing was written, so there is nothing to verify")) } else { Ok(()) }
}

/// I/Os and seed of a state that fits the load.
fn read(bytes: &[u8], load: &str) -> Result<(u64, u64), String> {
    let text = std::str::from_utf8(bytes).ok().filter(|text| text.lines().next() == Some(FIRST_LINE));
    let text = text.ok_or("it is no state that ioproof saved; fio's own are not read")?;
    let value = |key: &str| text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(' '));
    let number = |key: &str| value(key).and_then(|value| value.parse().ok()).ok_or_else(|| format!("it has no number of {key:?}"));
    if value("load") != Some(load) {
        return Err("the job that it is of went to other places: size, bs, rw, files and order must be the same".into());
    }
    Ok((number("ios")?, number("seed")?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ioproof_core::job::Span;
    use ioproof_core::record::Direction;
    use ioproof_core::workload::{Pattern, Workload};

    fn spec(read_percent: u8) -> JobSpec {
        let span = Span { offset_bytes: 0, length_bytes: 1 << 20 };
        JobSpec { seed: 7, ..JobSpec::plain(Workload::plain(Pattern::Random, read_percent, 4096, 1, 4), span, Until::SpanCovered) }
    }

    #[test]
    fn a_reader_goes_as_far_as_the_writer_came() {
        let round = Round { write: Direction { ios: 93, ..Direction::default() }, ..Round::default() };
        let text = text(&spec(0), &round);
        assert_eq!(read(text.as_bytes(), &load_of(&spec(100))), Ok((93, 7)));
        let other = JobSpec { span: Span { offset_bytes: 0, length_bytes: 1 << 21 }, ..spec(100) };
        assert!(read(text.as_bytes(), &load_of(&other)).is_err_and(|why| why.contains("other places")));
    }

    #[test]
    fn what_is_no_state_is_refused() {
        let load = load_of(&spec(0));
        for bytes in [&b""[..], b"\x03\0\0\0\0\0\0\0\xd8\xff", b"ioproof verify state 2\n", b"ioproof verify state 1\nios 4\n"] {
            assert!(read(bytes, &load).is_err());
        }
        assert!(read(format!("{FIRST_LINE}\nios x\nseed 1\nload {load}\n").as_bytes(), &load).is_err());
    }
}
