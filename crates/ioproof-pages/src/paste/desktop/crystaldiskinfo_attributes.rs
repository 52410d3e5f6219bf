//! The two tables of CrystalDiskInfo: attributes of ATA drives, and the health log of NVMe in numbered rows. Raw values are hexadecimal.
//!
//! Names of attributes are those of the program's language. An English name is believed; another one on a disk that turns has the number's
//! usual meaning. On an SSD the number may be anything, so a count above 0 under a name that is not known takes the good word away. Hours
//! are read from the block of labels, where the unit is known.

use crate::health::ENDS_EARLY;
use crate::paste::ata::tables::{PastedAttribute, attribute_fields};
use crate::paste::page::{PageBuilder, PastedLine, TextKind};

const RAW_DIGITS: usize = 12;

/// (number, words of which the English name has one, smartctl's name, bits of the raw value that are the count).
const USUAL: &[(u64, &[&str], &str, u32)] = &[
    (5, &["allocat", "re-assigned", "reassigned", "retired", "bad block"], "Reallocated_Sector_Ct", 16),
    (9, &["power"], "Power_On_Hours", 0),
    (12, &["power"], "Power_Cycle_Count", 48),
    (184, &["end-to-end", "end to end"], "End-to-End_Error", 48),
    (187, &["uncorrectable error", "unc error", "uncorrectable ecc error"], "Reported_Uncorrect", 48),
    (190, &["temperature"], "Airflow_Temperature_Cel", 8),
    (194, &["temperature"], "Temperature_Celsius", 8),
    (196, &["reallocat", "re-allocat"], "Reallocated_Event_Count", 16),
    (197, &["pending"], "Current_Pending_Sector", 48),
    (198, &["uncorrectable sector", "uncorrectable error"], "Offline_Uncorrectable", 48),
    (199, &["crc"], "UDMA_CRC_Error_Count", 48),
];

/// Attributes that tell of lost or endangered data.
const LOSSES: [u64; 4] = [5, 187, 197, 198];

/// Names by which an SSD's maker means something else, or that say nothing: they are no counts of errors.
#[rustfmt::skip]
const OTHERS: &[&str] = &[
    "vendor specific", "total", "host ", "read failure block", "erase failure", "later bad", "percentage used", "uecc count",
    "herstellerspezifisch", "спецификации производителя", "ベンダ固有", "由厂商定义", "特定廠商", "proveedor específico",
    "spécifique au constructeur", "specifico del produttore", "específico do fabricante",
];

/// Attributes of age, use and surroundings: their threshold foretells no failure.
const AGED: [u64; 16] = [4, 9, 12, 169, 173, 177, 190, 192, 193, 194, 202, 231, 232, 233, 240, 241];

/// Some makers have a threshold there that is none.
const TEMPERATURE: u64 = 194;

/// `05 100 100 _10 000000000000 Reallocated Sectors Count`. A row that is not whole says nothing; where it matters, that is said.
pub(super) fn ata(builder: &mut PageBuilder, line: &PastedLine) -> bool {
    let words: Vec<&str> = line.text.split_whitespace().collect();
    let Some(id) = words.first().and_then(|word| id(word)) else { return false };
    let whole = match words.as_slice() {
        [_, value, worst, threshold, raw, name @ ..] => {
            figures([value, worst, threshold]).zip(hexadecimal(raw)).map(|(figures, raw)| (figures, raw, name.join(" ")))
        }
        _ => None,
    };
    let Some(([value, worst, threshold], raw, name)) = whole else {
        if LOSSES.contains(&id) {
            builder.unread_health(line);
        } else {
            builder.problem(format!("line {}: {ENDS_EARLY}, in a row of the attributes", line.number));
        }
        return true;
    };
    let usual = usual(builder, id, &name);
    if usual.is_none() && LOSSES.contains(&id) && raw > 0 && is_strange(&name) {
        builder.unread_health(line);
    }
    let attribute = PastedAttribute {
        id,
        name: usual.map_or_else(|| name.replace(' ', "_"), |(.., name, _)| (*name).to_owned()),
        value,
        worst,
        threshold,
        raw: Some(raw),
        figure: usual.and_then(|(.., bits)| figure(raw, *bits)),
        reading: String::new(),
        flags: None,
        prefailure: !AGED.contains(&id),
        failing: failing(value, worst, threshold).filter(|_| id != TEMPERATURE),
        line: line.number,
    };
    put(builder, &attribute);
    true
}

/// Without thresholds nothing is known of those that were reached.
fn put(builder: &mut PageBuilder, attribute: &PastedAttribute) {
    const LISTS: [&str; 2] = ["attributes_failing", "attributes_failed"];
    let is_new = LISTS.map(|key| builder.field(key).is_none());
    // The life in the block of labels is worked out with the maker's own rules.
    let life = builder.field("life_left_percent").is_some();
    let is_life = life && matches!(attribute.id, 169 | 202 | 231 | 245 | 248);
    let unnamed = PastedAttribute { name: "Life".to_owned(), ..attribute.clone() };
    attribute_fields(builder, if is_life { &unnamed } else { attribute });
    if attribute.threshold.is_none() {
        LISTS.iter().zip(is_new).filter(|(_, is_new)| *is_new).for_each(|(key, _)| builder.remove(key));
    }
}

fn id(word: &str) -> Option<u64> {
    let is_id = word.len() == 2 && word.bytes().all(|digit| digit.is_ascii_digit() || digit.is_ascii_uppercase());
    u64::from_str_radix(word, 16).ok().filter(|id| is_id && *id > 0)
}

/// Value, worst value and threshold, padded by `_`; `---` for a threshold that the drive does not give.
fn figures(words: [&str; 3]) -> Option<[Option<u64>; 3]> {
    let figure = |word: &str| match word.trim_start_matches('_') {
        "---" => Some(None),
        digits if !digits.is_empty() && digits.len() <= 3 => digits.parse::<u64>().ok().map(Some),
        _ => None,
    };
    Some([figure(words[0])?, figure(words[1])?, figure(words[2])?])
}

fn hexadecimal(word: &str) -> Option<u64> {
    (word.len() == RAW_DIGITS).then(|| u64::from_str_radix(word, 16).ok()).flatten()
}

type UsualRow = (u64, &'static [&'static str], &'static str, u32);

/// The row of the table whose meaning the attribute has.
fn usual(builder: &PageBuilder, id: u64, name: &str) -> Option<&'static UsualRow> {
    let row = USUAL.iter().find(|(known, ..)| *known == id)?;
    let plain = name.to_lowercase();
    let turns = builder.number("rotation_rate_rpm").is_some_and(|(rate, _)| rate > 0);
    let is_named = row.1.iter().any(|word| plain.contains(word)) && !is_other(&plain);
    (is_named || turns && !is_other(&plain)).then_some(row)
}

fn is_other(plain: &str) -> bool {
    OTHERS.iter().any(|start| plain.starts_with(start))
}

/// True for a name that is neither known nor known to be something else, as those of other languages.
fn is_strange(name: &str) -> bool {
    !is_other(&name.to_lowercase())
}

/// The count in the lower bits: above it some makers keep other figures. All ones are no count.
fn figure(raw: u64, bits: u32) -> Option<u64> {
    let figure = raw & ((1 << bits) - 1);
    (bits > 0 && raw & 0xffff_ffff != 0xffff_ffff).then_some(figure)
}

/// True where the threshold is reached, false where it once was (SFF-8035i 2.0). Threshold 0 is never reached.
fn failing(value: Option<u64>, worst: Option<u64>, threshold: Option<u64>) -> Option<bool> {
    let threshold = threshold.filter(|threshold| *threshold > 0)?;
    let reaches = |figure: Option<u64>| figure.is_some_and(|figure| figure <= threshold);
    if reaches(value) { Some(true) } else { reaches(worst).then_some(false) }
}

/// Rows of the SMART / Health Information log, with the bytes that each is of (NVM Express Base Specification 2.0c, clause 5.16.1.3).
const NVME: &[(u64, &str, TextKind)] = &[
    (0x01, "critical_warnings", TextKind::Warnings),
    (0x02, "temperature_celsius", TextKind::Kelvin),
    (0x03, "available_spare_percent", TextKind::Number),
    (0x04, "available_spare_threshold_percent", TextKind::Number),
    (0x05, "percentage_used_percent", TextKind::Number),
    (0x06, "data_read_bytes", TextKind::Times(512_000)),
    (0x07, "data_written_bytes", TextKind::Times(512_000)),
    (0x08, "host_read_commands", TextKind::Number),
    (0x09, "host_write_commands", TextKind::Number),
    (0x0a, "controller_busy_minutes", TextKind::Number),
    (0x0b, "power_cycles", TextKind::Number),
    (0x0c, "power_on_hours", TextKind::Number),
    (0x0d, "unsafe_shutdowns", TextKind::Number),
    (0x0e, "media_errors", TextKind::Number),
    (0x0f, "error_log_entries", TextKind::Number),
];

/// Rows that a good drive has 0 or little in: without one of them nothing speaks for it.
const NVME_HEALTH: [u64; 5] = [0x01, 0x03, 0x04, 0x05, 0x0e];

/// `02 00000000012F Composite Temperature`. The number says which row it is; names are in the program's language.
pub(super) fn nvme(builder: &mut PageBuilder, line: &PastedLine) -> bool {
    let mut words = line.text.split_whitespace();
    let Some(id) = words.next().and_then(id) else { return false };
    let known = NVME.iter().find(|(known, ..)| *known == id);
    match (known, words.next().and_then(hexadecimal)) {
        (Some((_, key, kind)), Some(raw)) => {
            // The block of labels says the same hours; the table is the drive's own.
            if matches!(*key, "power_on_hours" | "power_cycles" | "temperature_celsius") {
                builder.remove(key);
            }
            builder.set_text("protocol", "NVMe", line.number);
            builder.take_as(*kind, (key, key), &raw.to_string(), line.number)
        }
        (None, Some(_)) => true,
        _ if NVME_HEALTH.contains(&id) => {
            builder.unread_health(line);
            true
        }
        _ => false,
    }
}
