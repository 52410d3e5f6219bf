//! Writes on a drive that the words call new: figures of a fresh drive, which no used one keeps.

use crate::checks::{Findings, Reading};

pub(super) fn check(reading: &Reading, findings: &mut Findings) {
    let is_prepared = |text: &str| ["precondition", "steady state", "steady-state"].iter().any(|word| text.to_lowercase().contains(word));
    if !reading.measured.iter().any(|measured| measured.load.word.contains("write"))
        || reading.prose.paragraphs.iter().any(|paragraph| is_prepared(&paragraph.text))
    {
        return;
    }
    for paragraph in &reading.prose.paragraphs {
        let text = paragraph.text.to_lowercase();
        let is_new = text.contains("available spare") && text.contains("used")
            || ["new ssd", "new drive", "brand new", "fresh out of"].iter().any(|words| text.contains(words)) && text.contains("result");
        if is_new {
            let writes = reading.measured.iter().filter(|measured| measured.load.word.contains("write")).count();
            let title = "a new drive without preconditioning: its writes are those of a fresh drive".to_owned();
            findings
                .doubt(
                    "fresh-drive",
                    reading.at(paragraph.line),
                    title,
                    format!("{writes} outputs of writes, and no word of preconditioning or a steady state"),
                )
                .mend("fill the drive twice, and run until the rate is steady");
            return;
        }
    }
}
