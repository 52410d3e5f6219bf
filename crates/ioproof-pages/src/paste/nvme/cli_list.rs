//! `nvme list`, as a table and as JSON, of nvme-cli 1 and 2: a page for each namespace that it lists.
//!
//! The table is read by its words, not by its columns, which mail and forums shift. Its sizes are rounded to two digits behind the point and bear keys of their own.

use crate::paste::page::{
    JsonDocument, JsonOutput, LabelRow, Leaf, LineContext, OutputStart, PageBuilder, PastedLine, TextKind, TextReading, ToolFormat, Value,
    row, size_bytes, whole_u64,
};

pub(crate) const TABLE: ToolFormat = ToolFormat { tool: "nvme list", page: "list", tables: &[], ignored: &["Node "], ..ToolFormat::PLAIN };

pub(crate) const JSON: ToolFormat =
    ToolFormat { tool: "nvme list -o json", page: "list", tables: &[ROWS], finish: sizes, ..ToolFormat::PLAIN };

/// The size in bytes against blocks and block, and what is in use against both. The highest block, by its name, is printed as their number.
fn sizes(builder: &mut PageBuilder) {
    let used = builder.number("namespace_used_bytes").map(|(used, _)| used);
    eightfold(builder, "capacity_bytes", used);
    let (size, blocks, block) =
        (builder.number("capacity_bytes"), builder.number("namespace_size_blocks"), builder.number("logical_block_bytes"));
    if let (Some((size, at)), Some((blocks, first)), Some((block, second))) = (size, blocks, block) {
        let product = blocks.saturating_mul(block);
        if size.abs_diff(product) > block {
            let said = format!("line {at} says {size} bytes, lines {first} and {second} say {blocks} blocks of {block} bytes");
            builder.contradicted("capacity_bytes", &said);
            builder.remove("namespace_size_blocks");
        }
    }
    if let (Some((used, at)), Some((size, first))) = (builder.number("namespace_used_bytes"), size)
        && used > size
    {
        builder.problem(format!("line {at} says {used} bytes of what line {first} says is {size}; the first was left out"));
    }
    builder.remove("namespace_used_bytes");
}

const EIGHTFOLD_BLOCK_BYTES: u64 = 4096;

/// nvme-cli 2.8 counts blocks of 512 bytes where a block has 4096, so that a drive looks eight times as large as it is. What is in use is
/// right there: in most drives all of it. The name of the model may tell the size as well.
fn eightfold(builder: &mut PageBuilder, key: &str, used: Option<u64>) {
    const FOLD: f64 = 8.0;
    let is_affected = builder.number("logical_block_bytes").is_some_and(|(bytes, _)| bytes == EIGHTFOLD_BLOCK_BYTES);
    let Some((size, line)) = builder.number(key).filter(|_| is_affected) else { return };
    let is_fold = |part: f64, margin: f64| part > 0.0 && (size as f64 / (part * FOLD) - 1.0).abs() < margin;
    let named = builder.text("model").and_then(|model| size_in_name(&model));
    if used.is_some_and(|used| is_fold(used as f64, 0.005)) || named.is_some_and(|named| is_fold(named, 0.05)) {
        builder.remove(key);
        builder.remove("namespace_size_blocks");
        builder.problem(format!(
            "line {line}: the size is eight times the drive's, as nvme-cli 2.8 prints it for blocks of 4 KiB; it was left out"
        ));
    }
}

/// `3.84TB` or `500GB` in the name of a model, in bytes.
fn size_in_name(model: &str) -> Option<f64> {
    const UNITS: [(&str, f64); 2] = [("TB", 1e12), ("GB", 1e9)];
    let size = |word: &str| {
        let (figure, factor) = UNITS.iter().find_map(|(unit, factor)| Some((word.strip_suffix(unit)?, *factor)))?;
        figure.parse::<f64>().ok().filter(|figure| figure.is_finite()).map(|figure| figure * factor)
    };
    model.split([' ', '_', '-']).find_map(size)
}

const ROWS: &[LabelRow] = &[
    row("DevicePath", "device_name", TextKind::Device),
    row("NameSpace", "namespace_id", TextKind::Number),
    row("NSID", "namespace_id", TextKind::Number),
    row("SerialNumber", "serial", TextKind::Text),
    row("ModelNumber", "model", TextKind::Text),
    row("Firmware", "firmware", TextKind::Text),
    row("Controller", "device_name", TextKind::Device),
    row("Transport", "transport", TextKind::Text),
    row("SubsystemNQN", "nqn", TextKind::Text),
    row("MaximumLBA", "namespace_size_blocks", TextKind::NumberUnlessZero),
    row("UsedBytes", "namespace_used_bytes", TextKind::Number),
    row("PhysicalSize", "capacity_bytes", TextKind::NumberUnlessZero),
    row("SectorSize", "logical_block_bytes", TextKind::NumberUnlessZero),
];

pub(crate) fn start(context: &LineContext) -> Option<OutputStart> {
    let text = context.line.text.as_str();
    let is_heading = text.starts_with("Node ") && text.contains("SN") && text.contains("FW Rev");
    let is_rule = text.starts_with("----") && context.is_in(TABLE.tool);
    // Some versions leave the folder out.
    let is_row = text.starts_with("/dev/nvme") || text.starts_with("nvme") && context.is_in(TABLE.tool);
    match () {
        () if is_heading => Some(OutputStart::Open(&TABLE)),
        () if is_rule => None,
        () if is_row && drive(text).is_some() => Some(OutputStart::OpenWith(&TABLE, line)),
        () => None,
    }
}

struct ListedDrive<'a> {
    node: &'a str,
    serial: &'a str,
    model: String,
    namespace: u64,
    used_bytes: Option<u64>,
    capacity_bytes: Option<u64>,
    block_bytes: Option<u64>,
    metadata_bytes: Option<u64>,
    firmware: String,
}

/// `/dev/nvme0n1 [/dev/ng0n1] SERIAL MODEL 1 403.76 GB / 1.00 TB 512 B + 0 B FIRMWARE`.
fn drive(text: &str) -> Option<ListedDrive<'_>> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let slash = words.iter().position(|word| *word == "/")?;
    let (before, after) = (words.get(..slash)?, words.get(slash + 1..)?);
    let [size, size_unit, block, block_unit, "+", metadata, "B", firmware @ ..] = after else { return None };
    let [node, named @ .., namespace, used, used_unit] = before else { return None };
    let named = if named.first().is_some_and(|word| word.starts_with("/dev/")) { named.get(1..)? } else { named };
    let (serial, model) = named.split_first()?;
    let size_of = |figure: &str, unit: &str| size_bytes(figure.parse().ok()?, unit, 1000.0);
    Some(ListedDrive {
        node: node.strip_prefix("/dev/").or_else(|| node.starts_with("nvme").then_some(*node))?,
        serial,
        model: model.join(" "),
        namespace: whole_u64(namespace)?,
        used_bytes: size_of(used, used_unit),
        capacity_bytes: size_of(size, size_unit),
        block_bytes: size_of(block, block_unit),
        metadata_bytes: metadata.parse().ok(),
        firmware: firmware.join(" "),
    })
}

fn line(builder: &mut PageBuilder, line: &PastedLine) {
    let Some(drive) = drive(&line.text) else { return };
    let texts = [("device_name", drive.node), ("serial", drive.serial), ("model", &drive.model), ("firmware", &drive.firmware)];
    // Of a serial number and a model one is missing; which is told by nothing but columns.
    let is_told = |key: &str| !drive.model.is_empty() || !matches!(key, "serial" | "model");
    for (key, text) in texts.into_iter().filter(|(key, _)| is_told(key)) {
        if let TextReading::Value(text) = TextKind::Text.read(text) {
            builder.set(key, text, line.number);
        }
    }
    let numbers = [
        ("namespace_id", Some(drive.namespace)),
        ("namespace_used_rounded_bytes", drive.used_bytes),
        ("capacity_rounded_bytes", drive.capacity_bytes.filter(|bytes| *bytes > 0)),
        ("logical_block_bytes", drive.block_bytes.filter(|bytes| *bytes > 0)),
        ("metadata_bytes", drive.metadata_bytes),
    ];
    for (key, number) in numbers.into_iter().filter_map(|(key, number)| Some((key, number?))) {
        builder.set(key, Value::Number(number), line.number);
    }
    eightfold(builder, "capacity_rounded_bytes", drive.used_bytes);
}

pub(crate) fn is_its(document: &JsonDocument) -> bool {
    document.has("Devices")
}

/// A page for each device: a flat object of nvme-cli 1 and early 2, or a controller of a subsystem with its first namespace.
pub(crate) fn read(builders: &mut Vec<PageBuilder>, json: &JsonOutput) {
    let mut open: Option<(String, PageBuilder)> = None;
    for leaf in &json.document.leaves {
        let Some((place, label)) = place(&leaf.path) else { continue };
        if open.as_ref().is_none_or(|(known, _)| known != place) {
            builders.extend(open.take().map(|(_, builder)| builder));
            open = Some((place.to_owned(), JSON.open(json.command, leaf.line + json.line_before)));
        }
        open.iter_mut().for_each(|(_, builder)| value(builder, label, leaf, leaf.line + json.line_before));
    }
    builders.extend(open.map(|(_, builder)| builder));
}

/// Where the object of a drive stands in the document, and what stands in it: `Devices.0`, or `Devices.0.Subsystems.0.Controllers.0`. Subsystems without it say nothing.
fn place(path: &str) -> Option<(&str, &str)> {
    let inner = path.find(".Controllers.").map(|at| at + ".Controllers.".len());
    let start = inner.or_else(|| path.starts_with("Devices.").then_some("Devices.".len()).filter(|_| !path.contains(".Subsystems.")))?;
    let end = start + path.get(start..)?.find('.')?;
    Some((path.get(..end)?, path.get(end + 1..)?))
}

fn value(builder: &mut PageBuilder, label: &str, leaf: &Leaf, line: usize) {
    builder.reaches(line);
    let first = label.strip_prefix("Namespaces.0.");
    // There the name of a namespace stands under the word that stood for its number.
    if first == Some("NameSpace") || label == "NameSpace" && leaf.text.starts_with("nvme") {
        return;
    }
    let label = first.unwrap_or(label);
    if builder.has_row(label) && !builder.take(label, &leaf.text, line) {
        builder.not_understood(&PastedLine { number: line, text: format!("{}: {}", leaf.path, leaf.text), after_gap: false });
    }
}

#[cfg(test)]
mod tests {
    use crate::field::Page;
    use crate::paste::{drives, facts, read};

    fn told(pages: &[Page], key: &str) -> Vec<String> {
        pages.iter().map(|page| page.field(key).map_or_else(String::new, |field| serde_json::to_string(&field.value).unwrap())).collect()
    }

    const ONE: &str = "\
Node             SN                   Model                                    Namespace Usage                      Format           FW Rev
---------------- -------------------- ---------------------------------------- --------- -------------------------- ---------------- --------
/dev/nvme0n1     S4EWNX0R123456       Samsung SSD 970 EVO Plus 1TB             1         403.76  GB /   1.00  TB    512   B +  0 B   2B2QEXM7
/dev/nvme1n1     PHLF7300000X         INTEL SSDPED1K375GA                      1         375.08  GB / 375.08  GB      4 KiB +  8 B   E2010325
";

    const TWO: &str = "\
Node                  Generic               SN                   Model                                    Namespace  Usage                      Format           FW Rev
--------------------- --------------------- -------------------- ---------------------------------------- ---------- -------------------------- ---------------- --------
/dev/nvme0n1          /dev/ng0n1            S4EWNX0R123456       Samsung SSD 970 EVO Plus 1TB             0x1        403.76  GB /   1.00  TB    512   B +  0 B   2B2QEXM7
/dev/nvme1n1          /dev/ng1n1            PHLF7300000X         INTEL SSDPED1K375GA                      0x1        375.08  GB / 375.08  GB      4 KiB +  8 B   E2010325
";

    #[test]
    fn both_tables_say_the_same() {
        for text in [ONE, TWO, &ONE.replace("/dev/", "")] {
            let pages = read(text).unwrap();
            assert_eq!(told(&pages, "device_name"), ["\"nvme0n1\"", "\"nvme1n1\""], "{text}");
            assert_eq!(told(&pages, "serial"), ["\"S4EWNX0R123456\"", "\"PHLF7300000X\""]);
            assert_eq!(told(&pages, "model"), ["\"Samsung SSD 970 EVO Plus 1TB\"", "\"INTEL SSDPED1K375GA\""]);
            assert_eq!(told(&pages, "firmware"), ["\"2B2QEXM7\"", "\"E2010325\""]);
            assert_eq!(
                (told(&pages, "logical_block_bytes"), told(&pages, "metadata_bytes")),
                (vec!["512".into(), "4096".into()], vec!["0".into(), "8".into()])
            );
            assert_eq!(told(&pages, "capacity_rounded_bytes"), ["1000000000000", "375080000000"]);
            assert!(pages.iter().all(|page| page.problems.is_empty()), "{pages:?}");
            assert_eq!(drives(&pages).len(), 2);
            assert_eq!(facts(&pages[1..]).unwrap().capacity_bytes.value, 375_080_000_000);
        }
    }

    fn row(model: &str, usage: &str, format: &str) -> String {
        format!("/dev/nvme0n1  /dev/ng0n1  2318L0000001  {model}  0x1  {usage}  {format} +  0 B   RC610004\n")
    }

    #[test]
    fn a_size_that_is_told_eightfold_is_left_out() {
        let capacity = |text: &str| {
            let pages = read(text).unwrap();
            (pages[0].number("capacity_rounded_bytes"), pages[0].problems.iter().any(|problem| problem.contains("eight times")))
        };
        assert_eq!(capacity(&row("WUS5EA138ESP7E3", "3.83  TB /  30.64  TB", "4 KiB")), (None, true));
        assert_eq!(capacity(&row("Dell NVMe PE8110 RI M.2 3.84TB", "0.00   B /  30.72  TB", "4 KiB")), (None, true));
        assert_eq!(capacity(&row("X 30.72TB", "12.1  TB /  30.72  TB", "4 KiB")), (Some(30_720_000_000_000), false));
        assert_eq!(capacity(&row("X 3.84TB", "3.84  TB /   3.84  TB", "4 KiB")), (Some(3_840_000_000_000), false));
        assert_eq!(capacity(&row("X", "480.00  GB /   3.84  TB", "512   B")), (Some(3_840_000_000_000), false));
        let json = |size: u64, used: u64| {
            format!(
                "{{\"Devices\":[{{\"DevicePath\":\"/dev/nvme0n1\",\"ModelNumber\":\"M\",\"SerialNumber\":\"S\",\"UsedBytes\":{used},\"MaximumLBA\":{},\
                 \"PhysicalSize\":{size},\"SectorSize\":4096}}]}}",
                size / 4096
            )
        };
        let told = |size, used| read(&json(size, used)).unwrap()[0].number("capacity_bytes");
        let size = 3_840_755_982_336;
        assert_eq!((told(8 * size, size), told(size, size), told(size, 0)), (None, Some(size), Some(size)));
    }

    #[test]
    fn several_namespaces_are_one_drive_of_their_size_together() {
        let list = format!(
            "{}{}",
            row("M", "1.00  TB /   1.00  TB", "512   B"),
            row("M", "0.50  TB /   2.00  TB", "512   B").replace("nvme0n1", "nvme0n2").replace("0x1", "0x2")
        );
        let drives = drives(&read(&list).unwrap());
        assert_eq!((drives.len(), facts(&drives[0]).unwrap().capacity_bytes.value), (1, 3_000_000_000_000));
        assert!(facts(&drives[0]).unwrap().capacity_bytes.source.starts_with("2 namespaces together"));
    }

    #[test]
    fn flat_and_nested_json_say_the_same() {
        let flat = r#"{"Devices":[{"NameSpace":1,"DevicePath":"/dev/nvme0n1","Firmware":"F","Index":0,"ModelNumber":"M 1","ProductName":"P","SerialNumber":"S",
            "UsedBytes":1024,"MaximumLBA":8,"PhysicalSize":4096,"SectorSize":512}]}"#;
        let nested = r#"{"Devices":[{"HostNQN":"h","Subsystems":[{"Subsystem":"nvme-subsys0","SubsystemNQN":"q","Controllers":[{"Controller":"nvme0","SerialNumber":"S",
            "ModelNumber":"M 1","Firmware":"F","Transport":"pcie","Address":"0000:01:00.0","Namespaces":[{"NameSpace":"nvme0n1","Generic":"ng0n1","NSID":1,
            "UsedBytes":1024,"MaximumLBA":8,"PhysicalSize":4096,"SectorSize":512},{"NameSpace":"nvme0n2","NSID":2,"PhysicalSize":8192}],"Paths":[]}],"Namespaces":[]}]}]}"#;
        for text in [flat, nested] {
            let pages = read(text).unwrap();
            for (key, value) in
                [("serial", "\"S\""), ("model", "\"M 1\""), ("firmware", "\"F\""), ("namespace_id", "1"), ("capacity_bytes", "4096")]
            {
                assert_eq!(told(&pages, key), [value], "{key}");
            }
        }
    }

    #[test]
    fn what_is_no_list_is_left_alone() {
        for text in ["/dev/nvme0n1 a / b", "/dev/nvme0n1 / 1 TB 512 B + 0 B", "{\"Devices\":[]}"] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
