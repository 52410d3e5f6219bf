//! Names that are several files, and `size=` that does not fit the device or the block size.

use super::context::{CloneContext, JobContext};
use super::facts::FileKind;
use super::rule::{LanguageCheck, LanguageFinding, LanguageRule, found, rule};
use super::words::size;
use crate::values::Amount;
use ioproof_core::finding::{Evidence, Severity, Unit};

pub(super) const RULES: &[LanguageRule] = &[
    rule("colon-in-name", Severity::Warn, LanguageCheck::Job(colon_in_name))
        .about("a colon in filename that makes several files of one name")
        .fires_on("[a]\nfilename=/dev/disk/by-path/pci-0000:00:1f.2-ata-1\nrw=read\n")
        .silent_on("[a]\nfilename=/data/a:/data/b\nsize=1g\nrw=read\n"),
    rule("size-beyond-device", Severity::Warn, LanguageCheck::Job(beyond_device))
        .about("more asked for than the device has")
        .fires_on("[a]\nfilename=/dev/nvme0n1\nsize=2t\nrw=read\nbs=1m\ndirect=1\nruntime=60\ntime_based\n")
        .silent_on("[a]\nfilename=/dev/nvme0n1\nsize=100g\nrw=read\nbs=1m\ndirect=1\nruntime=60\ntime_based\n"),
    rule("size-not-whole-blocks", Severity::Info, LanguageCheck::Job(not_whole_blocks))
        .about("random I/O on a size that is no multiple of the block size")
        .fires_on("[a]\nfilename=/data/x\nsize=1000000\nrw=randread\nbs=64k\n")
        .silent_on("[a]\nfilename=/data/x\nsize=1m\nrw=randread\nbs=64k\n"),
];

/// A path from the root, then parts that are none: so nobody names two files.
fn colon_in_name(job: &JobContext) -> Option<LanguageFinding> {
    let names = &job.set.files.names;
    let is_split = names.first()?.starts_with('/') && names.len() > 1 && names[1..].iter().all(|name| !name.starts_with('/'));
    let title = format!("filename is taken for {} files, since a colon parts names: {}", names.len(), names.join(", "));
    let escaped = format!("write filename={}", names.join("\\:"));
    is_split.then(|| found(title, vec![Evidence::number("files", names.len() as f64, Unit::Count)], escaped))
}

fn beyond_device(job: &JobContext) -> Option<LanguageFinding> {
    let Some(Amount::Bytes(bytes)) = job.set.region.size else { return None };
    let cut = |clone: &CloneContext| {
        let wanted = bytes / (clone.files.len().max(1) as u64);
        let spans = clone.places.as_ref()?.spans.iter().zip(&clone.files);
        let least = job.set.blocks.least_bytes().max(1);
        spans
            .filter(|(span, file)| file.kind == FileKind::Device && span.length_bytes < wanted / least * least)
            .map(|(span, _)| span.length_bytes)
            .min()
    };
    let there = job.clones.iter().filter_map(cut).min()?;
    let title = format!("size={} is more than the device has there: {} are used", size(bytes), size(there));
    let figures = vec![Evidence::number("size asked for", bytes as f64, Unit::Bytes).against(there as f64)];
    Some(found(title, figures, "set size=100%, or use a larger device"))
}

fn not_whole_blocks(job: &JobContext) -> Option<LanguageFinding> {
    let Some(Amount::Bytes(bytes)) = job.set.region.size else { return None };
    let files = job.clones.first().map_or(1, |clone| clone.files.len().max(1) as u64);
    let (of_each, block) = (bytes / files, job.block_sizes().into_iter().max().filter(|block| *block > 0)?);
    let rest = of_each % block;
    if !job.set.access.rw.random || rest == 0 {
        return None;
    }
    let unused = if rest == 1 { "the last byte is".to_owned() } else { format!("the last {rest} bytes are") };
    let title = format!("each file has {of_each} bytes, which is no multiple of bs={}: {unused} never used", size(block));
    let figures = vec![Evidence::number("never used", rest as f64, Unit::Bytes), Evidence::number("block", block as f64, Unit::Bytes)];
    Some(found(title, figures, format!("set size={}", (of_each - rest).max(block).saturating_mul(files))))
}
