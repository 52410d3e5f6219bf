//! CrystalDiskInfo's text report (Edit > Copy): a block of labels and a table of S.M.A.R.T. for each drive.
//!
//! The labels are English in every language; units, names of attributes and the health are not. The health is the program's own judgement,
//! not the drive's verdict. Sizes of hosts' reads and writes are rounded and not read. Deliberately absent: the dumps of IDENTIFY and of
//! SMART in hexadecimal digits.

use super::crystaldiskinfo_attributes as attributes;
use crate::paste::page::{
    LabelRow, LineContext, OutputStart, PageBuilder, PastedLine, TextKind, ToolFormat, Value, labelled, real, row, skipped, whole_u64,
};

pub(crate) const REPORT: ToolFormat = ToolFormat {
    tool: "CrystalDiskInfo",
    page: "crystaldiskinfo",
    tables: &[ROWS, ROWS_SKIPPED],
    special: line,
    finish,
    ..ToolFormat::PLAIN
};

/// Parts of a block.
const ATA: &str = "ATA attributes";
const NVME: &str = "NVMe health";
const DUMP: &str = "dump";

const ROWS: &[LabelRow] =
    &[row("Model", "model", TextKind::Text), row("Firmware", "firmware", TextKind::Text), row("Serial Number", "serial", TextKind::Text)];

#[rustfmt::skip]
const ROWS_SKIPPED: &[LabelRow] = &skipped([
    "Buffer Size", "NV Cache Size", "Major Version", "Minor Version", "Standard", "Host Reads", "Host Writes", "NAND Writes",
    "GBytes Erased", "WAF", "Wear Level Count", "APM Level", "AAM Level", "Drive Letter", "Enclosure",
]);

/// The program's words for a healthy drive, one to watch and a bad one, in its languages.
#[rustfmt::skip]
const GOOD: &[&str] = &[
    "Good", "Bo", "Bom", "Bon", "Bra", "Bueno", "Bun", "Buono", "Correcte", "Dobro", "Dobrý", "Gerai", "God", "Goed", "Gut", "Hyvä", "Jó",
    "Mabuti", "Saudável", "Tốt", "Yaxşı", "dobry", "İyi", "Καλή", "Добар", "Добрий", "Добро", "Хорошо", "Լավ", "תקין", "جيدة", "خوب", "ดี",
    "正常", "良好", "좋음",
];
#[rustfmt::skip]
const CAUTION: &[&str] = &[
    "Caution", "A rischio", "Advarsel", "Alerta", "Atenție", "Atsargiai", "Cảnh báo", "Dikkat", "Diqqət!", "Figyelmeztetés", "Oprez",
    "Pag-iingat", "Pozor", "Pozor!", "Precaució", "Prudence", "Riesgo", "Risco", "Varning", "Varoitus", "Vorsicht", "Waarschuwing", "uwaga",
    "Προσοχή", "Застереження!", "Пажња", "Тревога!", "Տագնապ", "זהירות", "احتیاط", "تحذير", "ระวัง", "注意", "警告", "주의",
];
#[rustfmt::skip]
const BAD: &[&str] = &[
    "Bad", "Blogai", "Crítico", "Defect", "Dolent", "Dålig", "Dårlig", "Huono", "Kötü", "Loše", "Malo", "Masama", "Mauvais", "Pericolo",
    "Pis", "Rossz", "Schlecht", "Slabo", "Slecht", "Xấu", "Zlý", "zły", "Špatný", "Χαλασμένος", "Лоше", "Лошо", "Плохо", "Поганий", "Վատ",
    "בעייתי", "افتضاح", "سيئة", "ไม่ดี", "不良", "異常", "나쁨",
];
const UNKNOWN: &[&str] = &["Unknown", "Unbekannt", "Inconnu", "Desconocido", "Sconosciuto", "Неизвестно", "不明", "未知"];

/// Sectors are counted in these, whatever the drive's blocks are; the rounded size says which.
const SECTOR_BYTES: u64 = 512;
const GIGABYTE: f64 = 1e9;

pub(crate) fn start(context: &LineContext) -> Option<OutputStart> {
    let text = context.line.text.as_str();
    let is_here = context.is_in(REPORT.tool);
    // Programs of RAID controllers have the same labels, padded to one width.
    let is_block = text.starts_with("Model : ") && context.next.is_some_and(|next| next.text.starts_with("Firmware : "));
    match () {
        () if is_block => Some(OutputStart::Open(&REPORT)),
        () if is_here && is_heading_of_drive(text) => Some(OutputStart::Close),
        () if !is_here && table(text).is_some() => Some(OutputStart::Open(&REPORT)),
        () => None,
    }
}

/// ` (02) WDC WD40EFRX-68N32N0` above the rule of a block.
fn is_heading_of_drive(text: &str) -> bool {
    let number = text.strip_prefix('(').and_then(|rest| rest.split_once(") ")).map(|(number, _)| number);
    number.is_some_and(|number| matches!(number.len(), 1..=2) && number.bytes().all(|digit| digit.is_ascii_digit()))
}

/// The part that the heading of a table begins. Tables of 7 and 8 bytes are those of old makers, whose columns are their own.
fn table(text: &str) -> Option<&'static str> {
    let is_table = text.starts_with("ID ") && text.contains("Raw") && text.ends_with("Attribute Name");
    match () {
        () if !is_table => None,
        () if text.starts_with("ID Cur Wor") && text.contains("(6)") => Some(ATA),
        () if text.starts_with("ID RawValues(6)") => Some(NVME),
        () => Some(DUMP),
    }
}

fn line(builder: &mut PageBuilder, line: &PastedLine) -> bool {
    let text = line.text.as_str();
    if let Some(part) = table(text) {
        builder.part = part;
        return true;
    }
    if text.starts_with("-- ") {
        builder.part = DUMP;
        return true;
    }
    match builder.part {
        ATA => attributes::ata(builder, line) || !builder.knows(text),
        NVME => attributes::nvme(builder, line) || !builder.knows(text),
        DUMP => true,
        _ => labelled(text, ':').is_some_and(|(label, value)| told(builder, label, value, line)),
    }
}

fn told(builder: &mut PageBuilder, label: &str, value: &str, line: &PastedLine) -> bool {
    let at = line.number;
    let number = |builder: &mut PageBuilder, key: &str| {
        builder.set_number(key, whole_u64(value).filter(|_| !value.contains("(?)")), at);
    };
    match label {
        "Disk Size" => size(builder, value, at),
        "# of Sectors" => number(builder, "capacity_blocks"),
        "Queue Depth" => number(builder, "ncq_depth"),
        "Power On Hours" => number(builder, "power_on_hours"),
        "Power On Count" => number(builder, "power_cycles"),
        "Rotation Rate" if value.ends_with("(SSD)") => builder.set_number("rotation_rate_rpm", 0, at),
        "Rotation Rate" => number(builder, "rotation_rate_rpm"),
        "Interface" => interface(builder, value, at),
        "Transfer Mode" => transfer_mode(builder, value, at),
        "Temperature" => builder.set_celsius(whole_u64(value), at),
        "Health Status" => health(builder, value, line),
        "Features" => features(builder, value, at),
        _ => return false,
    }
    true
}

/// `500.1 GB (8.4/137.4/500.1/500.1)`: of several ways to count, the first is the program's own; some languages write `500,1`.
fn size(builder: &mut PageBuilder, value: &str, line: usize) {
    let gigabytes = value.split_once(" GB").and_then(|(figure, _)| real(figure)).filter(|figure| (1.0..1e6).contains(figure));
    builder.set_number("capacity_rounded_bytes", gigabytes.map(|figure| (figure * GIGABYTE).round() as u64), line);
}

fn interface(builder: &mut PageBuilder, value: &str, line: usize) {
    let protocol = match () {
        () if value.contains("NVM") => "NVMe",
        () if value.contains("ATA") => "ATA",
        () => return,
    };
    builder.set_text("protocol", protocol, line);
}

/// `SATA/300 | SATA/600`: now, and at most.
fn transfer_mode(builder: &mut PageBuilder, value: &str, line: usize) {
    let speed = |text: &str| match text.trim() {
        "SATA/150" => Some(1.5),
        "SATA/300" => Some(3.0),
        "SATA/600" => Some(6.0),
        _ => None,
    };
    let Some((now, most)) = value.split_once('|') else { return };
    for (key, text) in [("link_speed_gbit_per_s", now), ("link_speed_max_gbit_per_s", most)] {
        builder.set_some(key, speed(text).map(Value::Real), line);
    }
}

fn features(builder: &mut PageBuilder, value: &str, line: usize) {
    const KEYS: [(&str, &str); 4] = [
        ("S.M.A.R.T.", "smart_supported"),
        ("NCQ", "ncq_supported"),
        ("TRIM", "trim_supported"),
        ("VolatileWriteCache", "volatile_write_cache"),
    ];
    let told = value.split(',').filter_map(|word| KEYS.iter().find(|(known, _)| *known == word.trim()));
    told.for_each(|(_, key)| builder.set_if_new(key, Value::Flag(true), line));
}

/// `Good (98 %)`: the program's judgement, and the life that it works out from the maker's attribute or from NVMe's percentage used.
fn health(builder: &mut PageBuilder, value: &str, line: &PastedLine) {
    let (word, life) = value.rsplit_once(" (").filter(|(_, life)| life.ends_with("%)")).unwrap_or((value, ""));
    let is_in = |words: &[&str]| words.contains(&word.split(" (").next().unwrap_or_default().trim());
    let (failing, caution) = match () {
        () if is_in(GOOD) => (None, None),
        () if is_in(CAUTION) => (None, Some("caution, by CrystalDiskInfo")),
        () if is_in(BAD) => (Some("bad, by CrystalDiskInfo"), None),
        () if is_in(UNKNOWN) => return,
        () => return builder.unread_health(line),
    };
    builder.add_word("failing_by_host", failing, line.number);
    builder.add_word("caution_by_host", caution, line.number);
    let life = whole_u64(life).filter(|life| *life <= 100 && builder.text("protocol").as_deref() == Some("ATA"));
    builder.set_number("life_left_percent", life, line.number);
}

/// Sectors are as many as the rounded size says; else their size is another one.
fn finish(builder: &mut PageBuilder) {
    let (Some((sectors, first)), Some((rounded, second))) = (builder.number("capacity_blocks"), builder.number("capacity_rounded_bytes"))
    else {
        return;
    };
    let bytes = sectors.saturating_mul(SECTOR_BYTES);
    if bytes.abs_diff(rounded) as f64 <= 0.1 * GIGABYTE {
        builder.derive("capacity_bytes", Value::Number(bytes), (first, second));
    }
}

#[cfg(test)]
mod tests {
    use crate::field::{Page, Value};
    use crate::health::{HealthState, judge};
    use crate::paste::read;

    const SSD: &str =
        "Model : X 500GB\nFirmware : F\nSerial Number : S\nRotation Rate : ---- (SSD)\nInterface : Serial ATA\nHealth Status : WORD\n";

    fn drive(word: &str, rows: &str) -> Vec<Page> {
        read(&format!("{}\n{rows}", SSD.replace("WORD", word))).unwrap()
    }

    fn state(word: &str, rows: &str) -> HealthState {
        judge("", &drive(word, rows)).state
    }

    #[test]
    fn the_word_on_health_counts_in_every_language() {
        for (word, expected) in [
            ("Good (98 %)", HealthState::OkAsFarAsTold),
            ("正常 (100 %)", HealthState::OkAsFarAsTold),
            ("Gut", HealthState::OkAsFarAsTold),
            ("Caution (9 %)", HealthState::Worn),
            ("注意", HealthState::Watch),
            ("Bad (0 %)", HealthState::Failing),
            ("Schlecht", HealthState::Failing),
            ("Xấu (Không ổn)", HealthState::Failing),
            ("Unknown", HealthState::Unknown),
            ("Zzz", HealthState::Unknown),
        ] {
            assert_eq!(state(word, ""), expected, "{word}");
        }
        assert_eq!(drive("Good (98 %)", "")[0].number("life_left_percent"), Some(98));
    }

    const HEADING: &str = "ID Cur Wor Thr RawValues(6) Attribute Name\n";

    #[test]
    fn names_say_what_a_number_is_and_strange_ones_take_the_good_word_away() {
        let rows = |row: &str| format!("{HEADING}{row}\n");
        for (row, key, expected) in [
            ("05 100 100 _10 000100000003 Reallocated NAND Blocks", "reallocated_sectors", Some(3)),
            ("BB 100 100 __0 000000000011 Uncorrectable Error Count", "media_errors", Some(17)),
            ("BB 100 100 __0 000000000011 Total Erase Count", "media_errors", None),
            ("C6 100 100 __0 000000000011 Vendor Specific", "uncorrectable_sectors", None),
            ("05 100 100 _10 FFFFFFFFFFFF Reallocated Sectors Count", "reallocated_sectors", None),
            ("C5 100 100 --- 000000000011 Current Pending Sector Count", "pending_sectors", Some(17)),
        ] {
            assert_eq!(drive("Good", &rows(row))[0].number(key), expected, "{row}");
        }
        assert_eq!(state("Good", &rows("C6 100 100 __0 000000000011 Vendor Specific")), HealthState::OkAsFarAsTold);
        assert_eq!(state("Good", &rows("C5 100 100 __0 000000000011 Etwas anderes")), HealthState::Unknown);
        assert_eq!(state("Good", &rows("C5 100 100 __0 0000")), HealthState::Unknown, "a row that is cut");
        assert_eq!(state("Good", &rows("AA __9 100 _10 000000000000 Available Reserved Space")), HealthState::Failing);
        assert_eq!(state("Good", &rows("BE _40 _40 _45 00000000003C Airflow Temperature")), HealthState::Worn);
    }

    #[test]
    fn without_thresholds_none_is_known_to_be_kept() {
        let field = |rows: &str| drive("Good", rows)[0].field("attributes_failing").map(|field| field.value.clone());
        assert_eq!(field(&format!("{HEADING}0C 100 100 --- 000000000001 Power Cycle Count\n")), None);
        assert_eq!(field(&format!("{HEADING}0C 100 100 __0 000000000001 Power Cycle Count\n")), Some(Value::List(vec![])));
    }

    #[test]
    fn a_table_alone_and_tables_of_other_widths() {
        let nvme = "ID RawValues(6) Attribute Name\n01 000000000001 Critical Warning\n03 000000000005 Available Spare\n04 00000000000A X\n";
        assert_eq!(judge("", &read(nvme).unwrap()).state, HealthState::Failing);
        let old = "ID Raw Values (8)   Attribute Name\n01 0000000000000007 Vendor Specific\nC6 00000002E79FE332 Vendor Specific\n";
        assert_eq!(drive("Good", old)[0].fields.iter().filter(|field| field.key.starts_with("attribute")).count(), 0);
        assert!(read(old).is_err());
    }

    #[test]
    fn padded_labels_are_of_other_programs() {
        assert!(read("Model                 : ST31000640SS\nFirmware              : 0001\nHealth Status : Good\n").is_err());
    }

    #[test]
    fn sectors_of_another_size_are_no_bytes() {
        let size = |sectors: &str| {
            let text = format!("Model : X\nFirmware : F\nDisk Size : 500.1 GB (8.4/137.4/500.1/500.1)\n# of Sectors : {sectors}\n");
            read(&text).unwrap()[0].number("capacity_bytes")
        };
        assert_eq!((size("976773168"), size("122096646")), (Some(500_107_862_016), None));
    }
}
