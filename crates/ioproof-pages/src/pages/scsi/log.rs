//! Log pages: temperature, wear, errors, hours (SPC-5, SBC-4).
//!
//! A log page is a list of parameters, each with a code and a length of its own. A page here is the table of the codes that are read.

use super::phys::phys;
use super::{SPC, refused, two, within};
use crate::pages::sense::additional;
use crate::pages::{Field, FieldKind, FieldRow, Page, PageTable, Value, decode, decode_fields, field, place, row};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogPage {
    Supported,
    WriteErrors,
    ReadErrors,
    Temperature,
    StartStop,
    SolidState,
    BackgroundScan,
    ProtocolPort,
    InformationalExceptions,
}

impl LogPage {
    pub const ALL: [Self; 8] = [
        Self::InformationalExceptions,
        Self::Temperature,
        Self::SolidState,
        Self::BackgroundScan,
        Self::StartStop,
        Self::WriteErrors,
        Self::ReadErrors,
        Self::ProtocolPort,
    ];

    pub const fn code(self) -> u8 {
        self.layout().0
    }

    pub const fn name(self) -> &'static str {
        self.layout().1
    }

    const fn layout(self) -> (u8, &'static str, &'static str, &'static [Parameter]) {
        match self {
            Self::Supported => (0x00, "log-00", "Supported Log Pages log page", &[]),
            Self::WriteErrors => (0x02, "log-02", "Write Error Counters log page", WRITE_ERRORS),
            Self::ReadErrors => (0x03, "log-03", "Read Error Counters log page", READ_ERRORS),
            Self::Temperature => (0x0d, "log-0d", "Temperature log page", TEMPERATURE),
            Self::StartStop => (0x0e, "log-0e", "Start-Stop Cycle Counter log page", START_STOP),
            Self::SolidState => (0x11, "log-11", "Solid State Media log page", SOLID_STATE),
            Self::BackgroundScan => (0x15, "log-15", "Background Scan log page", BACKGROUND_SCAN),
            Self::ProtocolPort => (0x18, "log-18", "Protocol Specific Port log page", &[]),
            Self::InformationalExceptions => (0x2f, "log-2f", "Informational Exceptions log page", EXCEPTIONS),
        }
    }
}

type Parameter = (u16, ParameterShape);

#[derive(Clone, Copy)]
enum ParameterShape {
    /// Fields at fixed places, counted from the start of the parameter's header.
    Fields(PageTable),
    Counter(&'static str, &'static str, &'static str),
}

const fn fields(least: usize, rows: &'static [FieldRow]) -> ParameterShape {
    ParameterShape::Fields(PageTable { rows, least, ..SPC }.checked())
}

const TEMPERATURE: &[Parameter] = &[
    (0, fields(6, &[row("temperature_celsius", "temperature", place(5, 1), FieldKind::Unsigned).unit("celsius").unless(0xff)])),
    (
        1,
        fields(
            6,
            &[row("warning_temperature_celsius", "reference temperature", place(5, 1), FieldKind::Unsigned).unit("celsius").unless(0xff)],
        ),
    ),
];

const EXCEPTIONS: &[Parameter] = &[(
    0,
    fields(
        6,
        &[
            row("informational_exception", "informational exception (additional sense)", place(4, 2), FieldKind::HexNumber),
            row("temperature_celsius", "temperature", place(6, 1), FieldKind::Unsigned).unit("celsius").unless(0xff),
        ],
    ),
)];

const SOLID_STATE: &[Parameter] =
    &[(1, fields(8, &[row("percentage_used_percent", "endurance used", place(7, 1), FieldKind::Unsigned).unit("percent")]))];

const BACKGROUND_SCAN: &[Parameter] = &[(
    0,
    fields(
        12,
        &[
            row("power_on_minutes", "time powered on", place(4, 4), FieldKind::Unsigned).unit("minutes"),
            row("background_scan_status", "background scan", place(9, 1), FieldKind::OneOf(SCAN)),
            row("background_scans", "background scans done", place(10, 2), FieldKind::Unsigned).unit("scans"),
        ],
    ),
)];

const SCAN: &[(u128, &str)] = &[
    (0, "idle"),
    (1, "scanning the medium"),
    (2, "scanning before use"),
    (3, "halted by a fatal error"),
    (4, "halted by a pattern of errors"),
    (5, "halted, formatted without a primary defect list"),
    (6, "halted, the maker's cause"),
    (7, "halted by the temperature"),
    (8, "waiting for its interval"),
];

const START_STOP: &[Parameter] = &[
    (3, ParameterShape::Counter("start_stop_cycles_specified", "start-stop cycles it is made for", "cycles")),
    (4, ParameterShape::Counter("start_stop_cycles", "start-stop cycles", "cycles")),
    (5, ParameterShape::Counter("load_cycles_specified", "load-unload cycles it is made for", "cycles")),
    (6, ParameterShape::Counter("load_cycles", "load-unload cycles", "cycles")),
];

const WRITE_ERRORS: &[Parameter] = &[
    (3, ParameterShape::Counter("write_errors_corrected", "write errors that were corrected", "errors")),
    (5, ParameterShape::Counter("data_written_bytes", "data written", "bytes")),
    (6, ParameterShape::Counter("write_errors_uncorrected", "write errors that were not corrected", "errors")),
];

const READ_ERRORS: &[Parameter] = &[
    (3, ParameterShape::Counter("read_errors_corrected", "read errors that were corrected", "errors")),
    (5, ParameterShape::Counter("data_read_bytes", "data read", "bytes")),
    (6, ParameterShape::Counter("media_errors", "read errors that were not corrected", "errors")),
];

pub fn log(which: LogPage, bytes: &[u8], source: impl Into<String>) -> Page {
    let (code, name, title, parameters) = which.layout();
    let table = PageTable { name, title, clause: title, ..SPC };
    let (own, short) = two(bytes, 2).map_or((bytes, None), |length| within(bytes, 4 + length));
    let mut page = decode(&table, own, source);
    let Some(([first, ..], body)) = own.split_first_chunk::<4>() else { return page };
    if first & 0x3f != code {
        return refused(page, format!("answers with log page {:02X}h", first & 0x3f));
    }
    page.problems.extend(short);
    match which {
        LogPage::Supported => page.fields.push(supported(body)),
        LogPage::ProtocolPort => page.fields.extend(phys(body)),
        _ => read(&mut page, title, parameters, body),
    }
    page.fields.extend(derived(&page));
    page.problems.extend(exception(&page));
    page
}

fn supported(codes: &[u8]) -> Field {
    let names = codes.iter().map(|code| format!("{:02X}h", code & 0x3f)).collect();
    field("log_pages", "log pages", Value::List(names), "", source("Supported Log Pages log page", "from byte 4"))
}

fn read(page: &mut Page, title: &'static str, known: &[Parameter], mut rest: &[u8]) {
    while let [high, low, _, length, ..] = *rest {
        let (code, end) = (u16::from_be_bytes([high, low]), 4 + usize::from(length));
        let Some(own) = rest.get(..end) else {
            page.problems.push(format!("parameter {code:04X}h is cut"));
            return;
        };
        if let Some((_, shape)) = known.iter().find(|(known, _)| *known == code) {
            let (fields, problems) = parameter(shape, title, code, own);
            page.problems.extend(problems);
            let new = fields.into_iter().filter(|field| page.field(&field.key).is_none()).collect::<Vec<_>>();
            page.fields.extend(new);
        }
        rest = &rest[end..];
    }
}

fn parameter(shape: &ParameterShape, title: &'static str, code: u16, own: &[u8]) -> (Vec<Field>, Vec<String>) {
    let place = format!("parameter {code:04X}h");
    match shape {
        ParameterShape::Fields(table) => {
            let (mut fields, problems) = decode_fields(&PageTable { title, clause: title, ..*table }, own);
            fields.iter_mut().for_each(|field| field.source = format!("{place}: {}", field.source));
            (fields, problems.into_iter().map(|problem| format!("{place} {problem}")).collect())
        }
        ParameterShape::Counter(key, name, unit) => {
            match own[4..].iter().try_fold(0_u64, |sum, byte| Some(sum.checked_mul(256)? + u64::from(*byte))) {
                // A counter of all ones has none (SPC-5, log parameters with a bounded data counter).
                Some(count) if own.len() > 4 && !own[4..].iter().all(|byte| *byte == 0xff) => {
                    (vec![field(key, name, Value::Number(count), unit, source(title, &place))], vec![])
                }
                Some(_) => (vec![], vec![]),
                None => (vec![], vec![format!("{place} is larger than any counter")]),
            }
        }
    }
}

fn source(title: &str, place: &str) -> String {
    format!("{title} {place} ({})", SPC.document)
}

fn derived(page: &Page) -> Vec<Field> {
    let hours = page.field("power_on_minutes").zip(page.number("power_on_minutes"));
    let hours =
        hours.map(|(field_, minutes)| field("power_on_hours", "power-on hours", Value::Number(minutes / 60), "hours", &*field_.source));
    let passed = page.field("informational_exception").zip(exception_codes(page)).and_then(|(field_, (asc, _))| {
        // A warning (0Bh) is no failure, and no health either: the problem names it.
        let passed = match asc {
            0 => true,
            0x5d => false,
            _ => return None,
        };
        Some(field("smart_passed", "the drive's own verdict", Value::Flag(passed), "", &*field_.source))
    });
    hours.into_iter().chain(passed).collect()
}

fn exception_codes(page: &Page) -> Option<(u8, u8)> {
    let codes = u16::from_str_radix(page.text("informational_exception")?.trim_start_matches("0x"), 16).ok()?;
    let [asc, ascq] = codes.to_be_bytes();
    Some((asc, ascq))
}

fn exception(page: &Page) -> Option<String> {
    let (asc, ascq) = exception_codes(page)?;
    let words = additional(asc, ascq).unwrap_or("see the additional sense codes of SPC-5");
    (asc != 0).then(|| format!("the drive reports {asc:02X}h/{ascq:02X}h: {words}"))
}
