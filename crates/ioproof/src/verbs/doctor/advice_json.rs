//! The form of a finding in `doctor --json`: the finding, and the keys that it had before findings were data.

use ioproof_core::finding::{Effect, Evidence, Finding, Severity, Subject};
use serde::Serialize;

#[derive(Debug, Serialize)]
pub struct AdviceJson<'a> {
    rule: &'a str,
    severity: Severity,
    subject: &'a Subject,
    /// Kernel name of the drive or layer that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    drive: Option<&'a str>,
    title: &'a str,
    evidence: Vec<EvidenceJson<'a>>,
    effect: Effect,
    remedy: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    mend: Option<&'a str>,
}

/// A figure as data, and in words with its source.
#[derive(Debug, Serialize)]
struct EvidenceJson<'a> {
    #[serde(flatten)]
    figure: &'a Evidence,
    value: String,
}

impl<'a> AdviceJson<'a> {
    pub fn new(finding: &'a Finding) -> Self {
        let Finding { rule, severity, subject, title, evidence, effect, remedy } = finding;
        Self {
            rule,
            severity: *severity,
            subject,
            drive: if let Subject::Drive(name) = subject { Some(name) } else { None },
            title,
            evidence: evidence.iter().map(|figure| EvidenceJson { figure, value: figure.describe() }).collect(),
            effect: *effect,
            remedy,
            mend: Some(remedy.as_str()).filter(|remedy| !remedy.is_empty()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ioproof_core::finding::Unit;
    use serde_json::{Value, json, to_value};

    fn document(subject: Subject, remedy: &str) -> Value {
        let evidence = vec![Evidence::number("spare memory", 4096.0, Unit::BinaryBytes).read_at("/proc/x")];
        let finding = Finding {
            rule: "r".into(),
            severity: Severity::Warn,
            subject,
            title: "t".into(),
            evidence,
            effect: Effect::None,
            remedy: remedy.into(),
        };
        to_value(AdviceJson::new(&finding)).unwrap()
    }

    #[test]
    fn the_keys_of_before_are_there_and_figures_are_data() {
        let of_drive = document(Subject::Drive("sda".into()), "echo 1");
        assert_eq!((&of_drive["drive"], &of_drive["mend"], &of_drive["remedy"]), (&json!("sda"), &json!("echo 1"), &json!("echo 1")));
        let figure =
            json!({ "name": "spare memory", "number": 4096.0, "unit": "binary_bytes", "source": "/proc/x", "value": "4 KiB (/proc/x)" });
        assert_eq!(of_drive["evidence"], json!([figure]));
        let of_host = document(Subject::Host, "");
        assert_eq!((of_host.get("drive"), of_host.get("mend"), &of_host["subject"]), (None, None, &json!("host")));
    }
}
