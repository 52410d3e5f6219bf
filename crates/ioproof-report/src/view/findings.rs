//! Findings: the subject of each, its evidence in words, its weight.

use super::{Conditions, each_once};
use ioproof_core::finding::{Effect, Finding, Severity, Subject};
use ioproof_core::record::RunRecord;
use ioproof_core::text::visible;

/// Something that explains or invalidates a number.
pub(crate) struct FindingView {
    pub rule: String,
    pub severity: Severity,
    /// A short name of the job, drive or target that it is about; none for the whole run.
    pub subject: Option<String>,
    /// The same in full.
    pub subject_in_full: String,
    /// The queue depth at the end of that, where it is about a job.
    depth: Option<String>,
    pub title: String,
    pub evidence: Vec<(String, String)>,
    pub effect: Effect,
    pub remedy: String,
}

impl FindingView {
    pub(crate) fn new(finding: &Finding, record: &RunRecord) -> Self {
        let (subject, subject_in_full, depth) = describe_subject(&finding.subject, record);
        Self {
            rule: visible(&finding.rule),
            severity: finding.severity,
            subject,
            subject_in_full,
            depth,
            title: visible(&finding.title),
            evidence: finding.evidence.iter().map(|e| (visible(&e.name), visible(&e.describe()))).collect(),
            effect: finding.effect,
            remedy: visible(&finding.remedy),
        }
    }

    /// The subject in full, and the bearing on verdicts.
    pub(crate) fn about(&self) -> String {
        match self.effect.describe_alone() {
            "" => self.subject_in_full.clone(),
            effect => format!("{}: {effect}", self.subject_in_full),
        }
    }

    /// The bearing on verdicts in words; empty for none.
    pub(crate) fn effect_text(&self) -> &'static str {
        self.effect.describe_alone()
    }

    /// The severity in a word.
    pub(crate) fn weight(&self) -> &'static str {
        match self.severity {
            Severity::Block => "invalid",
            Severity::Warn => "doubt",
            Severity::Info => "note",
        }
    }

    /// `bytes at the device 0.3 %, page cache grew 1.2 GB`.
    pub(crate) fn evidence_text(&self) -> String {
        self.evidence.iter().map(|(name, value)| format!("{name} {value}")).collect::<Vec<_>>().join(", ")
    }
}

/// The subject for a line of the summary and in full, and the queue depth that the latter ends with.
fn describe_subject(subject: &Subject, record: &RunRecord) -> (Option<String>, String, Option<String>) {
    let both = |text: String| (Some(text.clone()), text, None);
    match subject {
        Subject::Run => (None, "whole run".to_owned(), None),
        Subject::Host => both("host".to_owned()),
        Subject::Drive(name) => both(format!("drive {}", visible(name))),
        Subject::Target(path) => both(format!("target {}", visible(path))),
        Subject::Named(name) => both(visible(name)),
        Subject::Job(job) => match Conditions::of_job(*job, record) {
            Some(of) => {
                let depth = of.depth_formula();
                (Some(of.shortest()), format!("{}, {depth}", of.full_title()), Some(depth))
            }
            None => both(format!("job {job}")),
        },
    }
}

/// Findings of one rule and weight, which are shown together: the first at length, the others by their subjects or behind it.
pub(crate) struct FindingGroup<'a> {
    pub first: &'a FindingView,
    pub others: Vec<&'a FindingView>,
}

/// Subjects that are named beside that of the first finding of a group.
const MOST_SUBJECTS: usize = 12;

impl<'a> FindingGroup<'a> {
    /// All findings, those of one rule and weight together. Of the whole run each stands by itself.
    pub(crate) fn of(findings: &'a [FindingView]) -> Vec<Self> {
        let mut groups: Vec<Self> = Vec::new();
        for finding in findings {
            let is_alike = |first: &FindingView| first.rule == finding.rule && first.severity == finding.severity;
            match groups.iter_mut().find(|group| is_alike(group.first) && finding.subject.is_some()) {
                Some(group) => group.others.push(finding),
                None => groups.push(Self { first: finding, others: Vec::new() }),
            }
        }
        groups
    }

    /// The other subjects in short: `also a, b`, or where several have one name `also 5 more: a, b`; none where there are no others.
    pub(crate) fn also(&self) -> Option<String> {
        let own = self.first.subject.as_deref();
        let names = each_once(self.others.iter().filter_map(|other| other.subject.as_deref()).filter(|name| Some(*name) != own));
        let more = self.others.len();
        match (more, names.len()) {
            (0, _) => None,
            (_, 0) => Some(format!("also {more} more")),
            (_, named) if named == more => Some(format!("also {}", names.join(", "))),
            _ => Some(format!("also {more} more: {}", names.join(", "))),
        }
    }

    /// All subjects in full, those that differ in the queue depth alone together: `random read 4 KiB, 1 x 1 = 1; and 2 more: random read 4 KiB at 1 x 2 = 2, 1 x 4 = 4`.
    pub(crate) fn subjects(&self) -> String {
        let mut places: Vec<(&str, Vec<&str>)> = Vec::new();
        for other in self.others.iter().take(MOST_SUBJECTS) {
            let depth = other.depth.as_deref();
            let title =
                depth.and_then(|depth| other.subject_in_full.strip_suffix(depth)?.strip_suffix(", ")).unwrap_or(&other.subject_in_full);
            match places.iter_mut().find(|(known, _)| *known == title) {
                Some((_, depths)) => depths.extend(depth),
                None => places.push((title, depth.into_iter().collect())),
            }
        }
        let at = |(title, depths): &(&str, Vec<&str>)| match depths.len() {
            0 => (*title).to_owned(),
            _ => format!("{title} at {}", depths.join(", ")),
        };
        let named = places.iter().map(at).collect::<Vec<_>>().join("; ");
        let rest = self.others.len().saturating_sub(MOST_SUBJECTS);
        let rest = if rest > 0 { format!("; and {rest} more") } else { String::new() };
        match self.others.len() {
            0 => self.first.about(),
            more => format!("{}; and {more} more: {named}{rest}", self.first.about()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_cell(rule: &str, name: &str, depth: u32) -> FindingView {
        let depth = format!("1 x {depth} = {depth}");
        FindingView {
            rule: rule.into(),
            severity: Severity::Warn,
            subject: Some(name.into()),
            subject_in_full: format!("{name}, {depth}"),
            depth: Some(depth),
            title: "busy".into(),
            evidence: Vec::new(),
            effect: Effect::None,
            remedy: String::new(),
        }
    }

    #[test]
    fn findings_of_a_rule_are_one_group_that_names_its_cells() {
        let of_run = || FindingView { subject: None, subject_in_full: "whole run".into(), depth: None, ..of_cell("run", "", 1) };
        let mut all: Vec<FindingView> = [1, 2, 4].map(|depth| of_cell("cpu", "read by psync", depth)).into();
        all.extend([of_run(), of_cell("stalls", "read by psync", 1), of_cell("cpu", "read by libaio", 8), of_run()]);
        let groups = FindingGroup::of(&all);
        assert_eq!(
            groups.iter().map(|group| group.others.len()).collect::<Vec<_>>(),
            [3, 0, 0, 0],
            "findings of the whole run stand alone"
        );
        assert_eq!(groups[0].also().unwrap(), "also 3 more: read by libaio");
        let subjects = "read by psync, 1 x 1 = 1; and 3 more: read by psync at 1 x 2 = 2, 1 x 4 = 4; read by libaio at 1 x 8 = 8";
        assert_eq!(groups[0].subjects(), subjects);
        assert_eq!((groups[2].also(), groups[2].subjects().as_str()), (None, "read by psync, 1 x 1 = 1"));
    }

    #[test]
    fn many_cells_are_counted() {
        let all: Vec<FindingView> = (1..=30).map(|depth| of_cell("cpu", "read", depth)).collect();
        let group = &FindingGroup::of(&all)[0];
        assert_eq!(group.also().unwrap(), "also 29 more");
        assert!(group.subjects().ends_with("1 x 13 = 13; and 17 more"), "{}", group.subjects());
        let two = [of_cell("cpu", "read", 1), of_cell("cpu", "write", 1)];
        assert_eq!(FindingGroup::of(&two)[0].also().unwrap(), "also write");
    }
}
