//! "No errors after power loss" without the count of cuts: a count of zero bounds a rate only by how often it was tried.

use crate::checks::{Findings, Reading};

pub(super) fn check(reading: &Reading, findings: &mut Findings) {
    let uses = reading.commands.iter().any(|command| command.tool == "diskchecker.pl")
        || reading.measured.iter().any(|measured| measured.tool == "diskchecker.pl");
    if !uses {
        return;
    }
    for paragraph in &reading.prose.paragraphs {
        let text = paragraph.text.to_lowercase();
        let is_none =
            ["no power loss error", "no errors", "0 errors", "zero errors", "no power-loss error"].iter().any(|words| text.contains(words));
        if !is_none || !text.contains("power") {
            continue;
        }
        let is_counted = ["cuts", "times", "cycles", "runs", "attempts"].iter().any(|word| {
            paragraph
                .figures
                .iter()
                .any(|figure| paragraph.text[figure.at..].split_whitespace().nth(1).is_some_and(|next| next.starts_with(word)))
        });
        if is_counted {
            continue;
        }
        let title = "no error in an unknown count of power cuts proves little: the count is missing".to_owned();
        let others = unreported(reading, &paragraph.text);
        let because = format!("0 of n cuts bounds the rate of loss to 3/n at 95 %: to 10 % with 30 cuts, to nothing with one{others}");
        findings
            .doubt("power-loss", reading.at(paragraph.line), title, because)
            .mend("say how often it was cut, and the result of each drive");
    }
}

/// Drives of the same list that the paragraph does not name.
fn unreported(reading: &Reading, text: &str) -> String {
    let models = |text: &str| -> Vec<String> {
        let is_model = |word: &&str| {
            word.len() >= 3 && word.chars().filter(char::is_ascii_digit).count() >= 3 && word.chars().all(char::is_alphanumeric)
        };
        text.split(|c: char| !c.is_alphanumeric()).filter(is_model).map(str::to_owned).collect()
    };
    let own = models(text);
    let listed: Vec<(&str, Vec<String>)> = reading
        .prose
        .paragraphs
        .iter()
        .filter(|paragraph| paragraph.text.len() < 200 && (paragraph.text.contains("GB") || paragraph.text.contains("TB")))
        .map(|paragraph| (paragraph.text.as_str(), models(&paragraph.text)))
        .collect();
    if !listed.iter().any(|(_, models)| models.iter().any(|model| own.contains(model))) {
        return String::new();
    }
    let missing: Vec<String> = listed
        .iter()
        .filter(|(_, models)| !models.is_empty() && !models.iter().any(|model| own.contains(model)))
        .map(|(_, models)| models[0].clone())
        .collect();
    if missing.is_empty() { String::new() } else { format!("; nothing is said of {}", missing.join(", ")) }
}
