//! Power states as nvme-cli prints them, put into the bytes of Identify Controller that they came from (NVM Express Base Specification 2.0c, clause 5.17.2.1, power state
//! descriptor).

use crate::paste::page::{JsonDocument, PageBuilder, whole};

const FIRST: usize = 2048;
const STRIDE: usize = 32;
const MOST: u64 = 32;

const NUMBERS: &[(&str, &str, usize, usize)] = &[
    ("enlat", "entry_lat", 4, 4),
    ("exlat", "exit_lat", 8, 4),
    ("rrt", "read_tput", 12, 1),
    ("rrl", "read_lat", 13, 1),
    ("rwt", "write_tput", 14, 1),
    ("rwl", "write_lat", 15, 1),
];

const WORKLOADS: &[(&str, u128)] = &[("1MiB 32 RW", 1), ("80K 128KiB SW", 2)];

/// `ps 0 : mp:25.00W operational enlat:16 exlat:4 rrt:0 rrl:0` and the lines that go on with it; false where a line is not one of these.
pub(crate) fn line(builder: &mut PageBuilder, text: &str, line: usize) -> bool {
    let words = match text.strip_prefix("ps ").and_then(|rest| rest.split_once(':')) {
        Some((index, rest)) => {
            let Some(index) = index.trim().parse::<u64>().ok().filter(|index| *index < MOST) else { return false };
            builder.tally = index + 1;
            rest
        }
        None if ["rwt:", "rwl:", "idle_power:", "active_power"].iter().any(|start| text.starts_with(start)) => text,
        None => return false,
    };
    if let Some(at) = descriptor(builder.tally) {
        words_of(builder, words, at, line);
    }
    true
}

fn descriptor(count: u64) -> Option<usize> {
    let index = count.checked_sub(1).filter(|index| *index < MOST)?;
    Some(FIRST + STRIDE * usize::try_from(index).ok()?)
}

fn words_of(builder: &mut PageBuilder, words: &str, at: usize, line: usize) {
    if let Some((_, workload)) = words.split_once("active_power_workload:") {
        let known = WORKLOADS.iter().find(|(start, _)| workload.trim().starts_with(start)).map_or(0, |(_, number)| *number);
        let scale = u128::from(builder.structure.byte(at + 22) & 0xc0);
        builder.structure.put(at + 22, 1, known | scale, line);
        return;
    }
    let is_idle_state = words.contains("non-operational");
    for (label, value) in words.split_whitespace().filter_map(|word| word.split_once(':')) {
        match label {
            "mp" => most(builder, value, is_idle_state, at, line),
            "idle_power" => scaled(builder, value, at + 16, line),
            "active_power" => scaled(builder, value, at + 20, line),
            _ => number(builder, NUMBERS.iter().find(|(text, ..)| *text == label), value, at, line),
        }
    }
}

fn number(builder: &mut PageBuilder, place: Option<&(&str, &str, usize, usize)>, value: &str, at: usize, line: usize) {
    if let (Some((_, _, from, length)), Some(number)) = (place, whole(value)) {
        builder.structure.put(at + from, *length, number, line);
    }
}

/// `25.00W` counts in hundredths of a watt, `0.0800W` in ten-thousandths.
fn most(builder: &mut PageBuilder, value: &str, is_idle_state: bool, at: usize, line: usize) {
    if let Some((number, digits)) = watts(value) {
        let flags = u128::from(digits == 4) | u128::from(is_idle_state) << 1;
        builder.structure.put(at, 2, number, line);
        builder.structure.put(at + 3, 1, flags, line);
    }
}

/// The power when idle or active, and two bytes on its scale; `-` is none.
fn scaled(builder: &mut PageBuilder, value: &str, at: usize, line: usize) {
    let (number, scale) = match watts(value) {
        Some((number, 4)) => (number, 1),
        Some((number, _)) => (number, 2),
        None => (0, 0),
    };
    builder.structure.put(at, 2, number, line);
    builder.structure.put(at + 2, 1, scale << 6, line);
}

fn watts(value: &str) -> Option<(u128, usize)> {
    let (before, after) = value.strip_suffix('W')?.split_once('.')?;
    let digits = [before, after].concat();
    let is_number = matches!(after.len(), 2 | 4) && digits.bytes().all(|digit| digit.is_ascii_digit());
    Some((digits.parse().ok().filter(|_| is_number)?, after.len()))
}

/// `psds` is a list of objects; `flags` has the two lowest bits of byte 3.
pub(crate) fn json(builder: &mut PageBuilder, document: &JsonDocument, line_before: usize) {
    for leaf in &document.leaves {
        let Some((index, name)) = leaf.path.strip_prefix("psds.").and_then(|rest| rest.split_once('.')) else { continue };
        let at = index.parse::<u64>().ok().and_then(|index| descriptor(index.checked_add(1)?));
        let (Some(at), Some(value)) = (at, whole(&leaf.text)) else { continue };
        let line = leaf.line + line_before;
        let put = |builder: &mut PageBuilder, from, length, number| builder.structure.put(at + from, length, number, line);
        match name {
            "max_power" => put(builder, 0, 2, value),
            "flags" => put(builder, 3, 1, value & 3),
            "max_power_scale" => put(builder, 3, 1, u128::from(builder.structure.byte(at + 3)) & 2 | value & 1),
            "non-operational_state" => put(builder, 3, 1, u128::from(builder.structure.byte(at + 3)) & 1 | (value & 1) << 1),
            "idle_power" => put(builder, 16, 2, value),
            "idle_scale" => put(builder, 18, 1, scale(value)),
            "active_power" => put(builder, 20, 2, value),
            "active_power_work" | "active_work" | "active_power_workload" => {
                put(builder, 22, 1, u128::from(builder.structure.byte(at + 22)) & 0xc0 | value & 7)
            }
            "active_scale" => put(builder, 22, 1, u128::from(builder.structure.byte(at + 22)) & 7 | scale(value)),
            _ => {
                number(builder, NUMBERS.iter().find(|(_, json, ..)| *json == name), &leaf.text, at, line);
                true
            }
        };
    }
}

/// Some versions print the two bits by themselves, others the byte with them.
fn scale(value: u128) -> u128 {
    if value <= 3 { value << 6 } else { value & 0xc0 }
}

#[cfg(test)]
mod tests {
    use crate::paste::read;

    const TEXT: &str = "NVME Identify Controller:\nmn : A\nnpss : 1\nps 0 : mp:8.25W operational enlat:0 exlat:0 rrt:0 rrl:1\n\
        rwt:2 rwl:3 idle_power:0.0400W active_power:7.50W\nactive_power_workload:80K 128KiB SW\n\
        ps 1 : mp:0.0050W non-operational enlat:5000 exlat:45000 rrt:4 rrl:4\nrwt:4 rwl:4 idle_power:- active_power:-\nactive_power_workload:-\n";

    #[test]
    fn states_of_the_text_are_those_of_the_bytes() {
        let pages = read(TEXT).unwrap();
        let told = |key: &str| pages[0].field(key).map(|field| serde_json::to_string(&field.value).unwrap()).unwrap_or_default();
        let states = ["0_max_watts", "0_idle_watts", "0_active_watts", "0_workload", "0_write_latency_rank"]
            .map(|key| told(&format!("power_state_{key}")));
        assert_eq!(states, ["8.25", "0.04", "7.5", "\"workload 2: heavy sequential writes\"", "3"]);
        let states = ["1_max_watts", "1_idle_watts", "1_operational", "1_exit_microseconds"].map(|key| told(&format!("power_state_{key}")));
        assert_eq!(states, ["0.005", "", "false", "45000"]);
        assert_eq!(pages[0].field("power_state_1_max_watts").unwrap().source, "nvme id-ctrl, line 7");
        assert!(pages[0].problems.is_empty(), "{:?}", pages[0].problems);
    }

    #[test]
    fn json_says_the_same() {
        let json = r#"{"vid":1,"mn":"A","npss":0,"psds":[{"max_power":50,"flags":3,"entry_lat":5000,"exit_lat":1,"read_tput":4,"read_lat":4,
            "write_tput":4,"write_lat":4,"idle_power":400,"idle_scale":64,"active_power":750,"active_power_work":2,"active_scale":128}]}"#;
        let pages = read(json).unwrap();
        let told = |key: &str| pages[0].field(&format!("power_state_0_{key}")).map(|field| serde_json::to_string(&field.value).unwrap());
        let expected =
            [("max_watts", "0.005"), ("operational", "false"), ("idle_watts", "0.04"), ("active_watts", "7.5"), ("exit_microseconds", "1")];
        for (key, value) in expected {
            assert_eq!(told(key).as_deref(), Some(value), "{key}");
        }
    }
}
