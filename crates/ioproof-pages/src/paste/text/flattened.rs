//! Breaks a line that holds all of `nvme smart-log`, as a page prints it that lost the line ends.
//!
//! Only the sequence of the tool's labels is broken, since any other line with several colons may be anything.

/// Labels in the order of the tool, in lower case with blanks for underscores. The number of a sensor counts as part of its label.
#[rustfmt::skip]
const LABELS: [&str; 23] = [
    "critical warning", "temperature", "available spare", "available spare threshold", "percentage used",
    "endurance group critical warning summary", "data units read", "data units written", "host read commands", "host write commands",
    "controller busy time", "power cycles", "power on hours", "unsafe shutdowns", "media errors", "num err log entries",
    "warning temperature time", "critical composite temperature time", "temperature sensor #", "thermal management t1 trans count",
    "thermal management t2 trans count", "thermal management t1 total time", "thermal management t2 total time",
];

/// Labels that must stand one behind the other.
const FIRST_LABELS: usize = 5;
const VALUE_BYTES_MAX: usize = 48;
const HEADING: &str = "Smart Log for NVME device";

/// The lines that the text had; `None` for any other text.
pub(super) fn lines(text: &str) -> Option<Vec<String>> {
    if text.matches(':').take(FIRST_LABELS).count() < FIRST_LABELS {
        return None;
    }
    let plain = text.to_ascii_lowercase().replace('_', " ");
    let first = label_at(&plain, LABELS[0])?;
    let mut places = vec![first];
    let mut label = 0;
    while let Some((next, place)) = next_label(&plain, label, places[places.len() - 1].1) {
        if places.len() < FIRST_LABELS && next != places.len() {
            return None;
        }
        label = next;
        places.push(place);
    }
    if places.len() < FIRST_LABELS {
        return None;
    }
    let before = &text[..first.0];
    let heading = before.find(HEADING).unwrap_or(before.len());
    let ends = places.iter().skip(1).map(|(start, _)| *start);
    let mut found = vec![before[..heading].trim().to_owned(), before[heading..].trim().to_owned()];
    found.extend(places.iter().zip(ends).map(|((start, _), end)| text[*start..end].trim().to_owned()));
    found.extend(places.last().map(|(start, value)| format!("{}{}", &text[*start..*value], last_value(&text[*value..]))));
    found.retain(|line| !line.is_empty());
    Some(found)
}

/// The next label of the order behind a value, and the places of it and of its value.
fn next_label(plain: &str, label: usize, from: usize) -> Option<(usize, (usize, usize))> {
    let end = plain[from..].find(':').map(|at| from + at)?;
    let (start, next) =
        LABELS.iter().enumerate().skip(label).filter_map(|(at, name)| Some((before_colon(plain, from, end, name)?, at))).min()?;
    let is_short = start - from <= VALUE_BYTES_MAX && !plain[from..start].trim().is_empty();
    // Only the label of a sensor repeats.
    (is_short && (next > label || LABELS[next].ends_with('#'))).then_some((next, (start, end + 1)))
}

/// The start of a label that ends at the colon.
fn before_colon(plain: &str, from: usize, end: usize, name: &str) -> Option<usize> {
    let own = plain[from..end].trim_end();
    let own = match name.strip_suffix(" #") {
        Some(name) => own.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end().strip_suffix(name),
        None => own.strip_suffix(name),
    }?;
    own.ends_with(char::is_whitespace).then_some(from + own.len())
}

/// Places of a label and of its value.
fn label_at(plain: &str, name: &str) -> Option<(usize, usize)> {
    let start = plain.find(name)?;
    let rest = plain[start + name.len()..].trim_start();
    rest.starts_with(':').then(|| (start, plain.len() - rest.len() + 1))
}

/// Words may follow the last value.
fn last_value(text: &str) -> String {
    let mut words = text.split_whitespace();
    let figure = words.next().unwrap_or_default();
    let unit = words.next().filter(|word| matches!(*word, "C" | "°C" | "K" | "F" | "Celsius" | "Kelvin")).unwrap_or_default();
    format!(" {figure} {unit}").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str =
        "critical_warning : 0x4 temperature : 36 C available_spare : 0% available_spare_threshold : 10% percentage_used : 255%";

    #[test]
    fn the_sequence_of_labels_is_broken() {
        let head = "# nvme smart-log /dev/nvme1 Smart Log for NVME device:nvme1 namespace-id:ffffffff";
        let text = format!("{head} {HEAD} Data Units Read : 24,617 (12 GB) power_cycles : 204 and so on");
        let read = lines(&text).unwrap_or_default();
        assert_eq!(
            read[..3],
            ["# nvme smart-log /dev/nvme1", "Smart Log for NVME device:nvme1 namespace-id:ffffffff", "critical_warning : 0x4"]
        );
        assert_eq!(
            read[4..],
            [
                "available_spare : 0%",
                "available_spare_threshold : 10%",
                "percentage_used : 255%",
                "Data Units Read : 24,617 (12 GB)",
                "power_cycles : 204"
            ]
        );
        let sensors = lines(&format!("{HEAD} Temperature Sensor 1 : 36 C Temperature Sensor 2 : 40 C x")).unwrap_or_default();
        assert_eq!(sensors[5..], ["Temperature Sensor 1 : 36 C", "Temperature Sensor 2 : 40 C"]);
    }

    #[test]
    fn other_lines_stay() {
        for text in [
            "critical_warning : 0",
            "critical_warning : 0 temperature : 36 C percentage_used : 2% available_spare : 0% available_spare_threshold : 10%",
            "critical_warning : 0 temperature : 36 C available_spare : 0%",
            "critical_warning: a: b: c: d: e: f",
        ] {
            assert_eq!(lines(text), None, "{text}");
        }
    }
}
