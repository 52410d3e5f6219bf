//! Values that mean something other than they seem to.

use super::context::{AuditContext, JobContext};
use super::rule::{LanguageCheck, LanguageFinding, LanguageRule, rule};
use super::words::size;
use crate::complaint::SourcePlace;
use crate::options::{self, ValueKind};
use crate::values::{ValueContext, per_direction, size as read_size, surprises};
use ioproof_core::finding::{Evidence, Severity};

pub(super) const RULES: &[LanguageRule] = &[
    rule("kib-is-1000", Severity::Warn, LanguageCheck::All(|context| each_option(context, kib)))
        .about("KiB and its kin, which are powers of 1000 with kb_base=1024")
        .fires_on("[a]\nfilename=/data/x\nsize=64g\nbs=4KiB\n")
        .silent_on("[a]\nfilename=/data/x\nsize=64g\nbs=4k\n")
        .covers(&["unaligned", "size-not-whole-blocks", "name-against-size"]),
    rule("range-as-list", Severity::Warn, LanguageCheck::All(|context| each_option(context, range_as_list)))
        .about("a range where sizes for reads and writes are expected")
        .fires_on("[a]\nfilename=/data/x\nsize=64g\nbs=4k-16k\n")
        .silent_on("[a]\nfilename=/data/x\nsize=64g\nbsrange=4k-16k\n")
        .covers(&["name-against-size"]),
    rule("kb-base-unsaid", Severity::Info, LanguageCheck::All(|context| each_option(context, kb_base)))
        .about("KB, MB or GB without saying whether k is 1000 or 1024")
        .fires_on("[a]\nfilename=/data/x\nsize=10GB\n")
        .silent_on("[a]\nfilename=/data/x\nsize=10GB\nkb_base=1024\n"),
    rule("bits-or-bytes", Severity::Warn, LanguageCheck::All(|context| each_option(context, bits)))
        .about("Kb, Mb or Gb, which are bytes all the same")
        .fires_on("[a]\nfilename=/data/x\nsize=64g\nrate=100Mb\n")
        .silent_on("[a]\nfilename=/data/x\nsize=64g\nrate=100m\n"),
];

struct TypedSize<'a> {
    key: &'a str,
    value: &'a str,
    kind: ValueKind,
    context: ValueContext,
    says_base: bool,
    place: Option<SourcePlace>,
}

/// Looks at every option of bytes of every job, and at those that several jobs took over with the first of them.
fn each_option(context: &AuditContext, check: fn(&TypedSize) -> Option<(String, String)>) -> Vec<(usize, LanguageFinding)> {
    let mut all = Vec::new();
    let mut seen: Vec<(&str, &str)> = Vec::new();
    for job in &context.jobs {
        for (is_own, (key, value)) in of_job(job) {
            let typed = typed(job, key, value);
            let Some((text, remedy)) = typed.as_ref().and_then(check) else { continue };
            if is_own || !seen.contains(&(key, value)) {
                let place = typed.and_then(|typed| typed.place);
                all.push((job.at, LanguageFinding { place, title: text, evidence: vec![Evidence::text(key, value)], remedy }));
            }
            seen.push((key, value));
        }
    }
    all
}

fn of_job<'a>(job: &JobContext<'a>) -> Vec<(bool, (&'a str, &'a str))> {
    let job = job.job;
    let own = job.typed.iter().map(|pair| (true, pair));
    let all: Vec<_> = job.globals.iter().map(|pair| (false, pair)).chain(own).collect();
    let is_last = |at: usize, key: &str| all.iter().skip(at + 1).all(|(_, (other, _))| other != key);
    let holds = all.iter().enumerate().filter(|(at, (_, (key, _)))| is_last(*at, key));
    holds.map(|(_, (is_own, (key, value)))| (*is_own, (key.as_str(), value.as_str()))).collect()
}

fn typed<'a>(job: &JobContext, key: &'a str, value: &'a str) -> Option<TypedSize<'a>> {
    let row = options::find(key).filter(|row| row.kind.is_size())?;
    let context = ValueContext { kb_base: job.set.kb_base(), ..ValueContext::default() };
    let place = job.job.notes.iter().find(|note| note.option == row.name).map(|note| note.place.clone());
    Some(TypedSize { key: row.name, value, kind: row.kind, context, says_base: job.typed("kb_base").is_some(), place })
}

fn read_as(typed: &TypedSize) -> Option<u64> {
    read_size(typed.value, &typed.context).ok()
}

fn kib(typed: &TypedSize) -> Option<(String, String)> {
    let TypedSize { key, value, .. } = typed;
    let is = match read_as(typed) {
        Some(bytes) => format!("{bytes} bytes"),
        None => "powers of 1000".into(),
    };
    let text = format!("{key}={value} is {is}: with kb_base=1024, the default, KiB is 1000 bytes and k, kB and Ki are 1024");
    surprises(value, &typed.context).then(|| (text, "write k, m or g for powers of 1024".into()))
}

fn range_as_list(typed: &TypedSize) -> Option<(String, String)> {
    let TypedSize { key, value, context, .. } = typed;
    if !matches!(typed.kind, ValueKind::Sizes(_)) || value.contains([',', '(']) || !value.contains(['-', ':']) {
        return None;
    }
    let both = per_direction(value, |one| read_size(one, context)).ok()?;
    let text = format!("{key}={value} is no range: reads take {}, writes and trims {}", size(both.read?), size(both.write?));
    let remedy = if *key == "bs" {
        format!("write bsrange={value} for a range, or bs with a comma")
    } else {
        "write a comma between the two".into()
    };
    Some((text, remedy))
}

fn unit_with_b(value: &str) -> Option<&str> {
    let is_unit =
        |unit: &str| unit.len() == 2 && unit[..1].contains(['k', 'm', 'g', 't', 'K', 'M', 'G', 'T']) && unit[1..].contains(['b', 'B']);
    let parts = value.split([',', ':', '-', '/']).map(|part| part.trim_start_matches(|c: char| c.is_ascii_digit()));
    parts.filter(|unit| unit.is_ascii()).find(|unit| is_unit(unit))
}

/// Rates are given in bits elsewhere; a size in `Gb` is one in bytes to everybody.
fn is_bits(key: &str, unit: &str) -> bool {
    key.starts_with("rate") && unit.ends_with('b') && unit.starts_with(|c: char| c.is_ascii_uppercase())
}

fn kb_base(typed: &TypedSize) -> Option<(String, String)> {
    let TypedSize { key, value, .. } = typed;
    let unit = unit_with_b(value).filter(|unit| !typed.says_base && !is_bits(key, unit))?;
    let is = read_as(typed).map_or_else(|| format!("in powers of {}", typed.context.kb_base), |bytes| format!("{bytes} bytes"));
    let text = format!("{key}={value} is {is}, though {unit} is a power of 1000 elsewhere: kb_base is not given");
    let remedy = format!("write {} for powers of 1024, or set kb_base=1000 or 1024", &unit[..1].to_ascii_lowercase());
    Some((text, remedy))
}

fn bits(typed: &TypedSize) -> Option<(String, String)> {
    let TypedSize { key, value, .. } = typed;
    let unit = unit_with_b(value).filter(|unit| is_bits(key, unit))?;
    let is = read_as(typed).map_or_else(|| "bytes".into(), |bytes| format!("{bytes} bytes"));
    let text = format!("{key}={value} is {is}: {unit} is not bits here, and small and large letters are the same");
    Some((text, "divide by eight and write k, m or g if you mean bits".into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_found_wherever_they_stand() {
        for (value, unit) in [
            ("10GB", Some("GB")),
            ("4k,8kb", Some("kb")),
            ("4kb/50:8k/50", Some("kb")),
            ("4k", None),
            ("4KiB", None),
            ("b", None),
            ("µB", None),
        ] {
            assert_eq!(unit_with_b(value), unit, "{value}");
        }
        assert!(is_bits("rate", "Mb") && !is_bits("rate", "mb") && !is_bits("rate", "MB") && !is_bits("size", "Gb"));
    }
}
