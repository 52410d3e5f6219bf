//! The datasheet that a drive would be judged by, as `verify` finds it, or the reason for which there is none.

use ioproof_core::datasheet::Catalogue;
use ioproof_core::facts::DeviceFacts;
use ioproof_core::text::visible;
use ioproof_core::units::decimal_size;
use serde::Serialize;

/// The answer to which datasheet a drive would be judged by.
#[derive(Debug, Serialize)]
pub struct DatasheetMatch {
    /// Name of the datasheet; `None` where none fits.
    pub name: Option<String>,
    /// Reason for the choice, or for which there is none.
    pub reason: String,
}

/// Looks for the datasheet of a drive; `None` is a drive of which no model is told.
pub fn of(catalogue: &Catalogue, facts: Option<&DeviceFacts>) -> DatasheetMatch {
    let none = |reason: String| DatasheetMatch { name: None, reason };
    let Some((facts, model)) = facts.and_then(|facts| Some((facts, facts.model.as_ref()?.value.as_str()))) else {
        return none("the drive's model is not told".to_owned());
    };
    let Some(matched) = catalogue.match_device(facts) else {
        return none(format!("no datasheet is for model \"{model}\"; `ioproof datasheet list` shows those there are"));
    };
    let by = format!("model \"{model}\" matches \"{}\"", matched.pattern);
    let capacity = match (matched.variant, facts.capacity_bytes.value) {
        (Some(variant), _) => format!(", {}", decimal_size(variant.capacity_bytes)),
        (None, _) if matched.datasheet.variants.is_empty() => String::new(),
        (None, 0) => "; the capacity is not told, so only what holds for all sizes".to_owned(),
        (None, bytes) => format!("; it has no row for {}, so only what holds for all sizes", decimal_size(bytes)),
    };
    DatasheetMatch { name: Some(matched.datasheet.name.clone()), reason: format!("{by}{capacity}") }
}

impl DatasheetMatch {
    /// The line of the summary.
    pub fn line(&self) -> String {
        let reason = visible(&self.reason);
        match &self.name {
            Some(name) => format!("  {:11} {} ({reason})", "datasheet", visible(name)),
            None => format!("  {:11} none: {reason}", "datasheet"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(model: &str, bytes: u64) -> Option<DeviceFacts> {
        let text = format!("NVME Identify Controller:\nsn : S\nmn : {model}\ntnvmcap : {bytes}\n");
        ioproof_pages::paste::facts(&ioproof_pages::paste::read(&text).unwrap())
    }

    #[test]
    fn a_datasheet_is_named_with_the_reason_and_so_is_its_absence() {
        let catalogue = Catalogue::shipped();
        let line = |model: &str, bytes: u64| of(&catalogue, facts(model, bytes).as_ref()).line();
        let p3700 = line("INTEL SSDPEDMD020T4", 2_000_398_934_016);
        assert!(
            p3700.starts_with("  datasheet   intel-dc-p3700 (model \"INTEL SSDPEDMD020T4\" matches \"") && p3700.contains("2 TB"),
            "{p3700}"
        );
        assert!(line("INTEL SSDPEDMD999T9", 77_000_000_000).contains("it has no row for 77 GB"));
        assert!(line("ACME 1", 1).starts_with("  datasheet   none: no datasheet is for model \"ACME 1\""));
        assert_eq!(of(&catalogue, None).line(), "  datasheet   none: the drive's model is not told");
    }
}
