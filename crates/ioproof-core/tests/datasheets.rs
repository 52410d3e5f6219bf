//! The datasheet files themselves: the fixtures read as expected, the shipped ones are all readable, all shipped and match their drives.

#![expect(clippy::unwrap_used, reason = "a test that cannot read its files has failed")]

use ioproof_core::claim::{Claim, Confidence, Metric, Statistic};
use ioproof_core::datasheet::{Catalogue, Matched, Problem, parse, parse_beside, superseded};
use ioproof_core::workload::Pattern;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// File name and text of every TOML file in a folder, in the order of names.
fn files(folder: &str) -> Vec<(PathBuf, String, String)> {
    let mut paths: Vec<_> = fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "toml"));
    paths.sort();
    assert!(!paths.is_empty(), "{folder} has no files");
    let read = |path: PathBuf| (path.clone(), path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read_to_string(&path).unwrap());
    paths.into_iter().map(read).collect()
}

fn told(problems: &[Problem]) -> String {
    problems.iter().map(|problem| format!("{problem}\n")).collect()
}

#[test]
fn valid_fixtures_have_no_problems() {
    for (_, name, text) in files("fixtures/datasheets/valid") {
        let sheet = parse(&name, &text).unwrap_or_else(|problems| panic!("{}", told(&problems)));
        assert!(!sheet.claims.is_empty(), "{name}");
    }
}

#[test]
fn invalid_fixtures_have_exactly_the_expected_problems() {
    for (path, name, text) in files("fixtures/datasheets/invalid") {
        let expected =
            fs::read_to_string(path.with_extension("expected")).unwrap_or_else(|e| panic!("{name} has no .expected beside it: {e}"));
        let problems = parse_beside(&name, &text, &Catalogue::shipped()).expect_err(&name);
        assert_eq!(told(&problems), expected, "{name}");
    }
}

#[test]
fn every_shipped_file_is_readable_and_part_of_the_program() {
    let mut names = BTreeSet::new();
    let catalogue = Catalogue::shipped();
    for (_, name, text) in files("datasheets") {
        names.insert(parse_beside(&name, &text, &catalogue).unwrap_or_else(|problems| panic!("{}", told(&problems))).name);
    }
    let shipped: BTreeSet<_> = catalogue.iter().map(|sheet| sheet.name.clone()).collect();
    assert_eq!(shipped, names, "what is part of the program and the folder datasheets/ differ");
    assert!(names.len() >= 110);
}

#[test]
fn a_shipped_drive_is_matched_by_one_file_only() {
    let catalogue = Catalogue::shipped();
    for sheet in catalogue.iter() {
        for pattern in &sheet.models {
            let model = pattern.replace(['*', '?'], "0");
            let found = catalogue.match_drive(&model, 0).unwrap_or_else(|| panic!("{pattern}"));
            assert_eq!(found.datasheet.name, sheet.name, "{model}");
        }
    }
}

/// Models as the drives report them, with the capacity in bytes, the datasheet and the nominal capacity in GB.
const DRIVES: [(&str, u64, &str, Option<u64>); 20] = [
    ("INTEL SSDPEDMD020T4", 2_000_398_934_016, "intel-dc-p3700", Some(2000)),
    ("INTEL SSDPE2MD016T4", 1_600_321_314_816, "intel-dc-p3700", Some(1600)),
    ("INTEL SSDPE2ME400G4", 400_088_457_216, "intel-dc-p3600", Some(400)),
    ("INTEL SSDSC2BA800G3", 800_166_076_416, "intel-dc-s3700", Some(800)),
    ("INTEL SSDSC2KB480G7", 480_103_981_056, "intel-dc-s4500", Some(480)),
    ("INTEL SSDSC2KG960G7", 960_197_124_096, "intel-dc-s4600", Some(960)),
    ("INTEL SSDPE2KX020T7", 2_000_398_934_016, "intel-dc-p4500", Some(2000)),
    ("Samsung SSD 970 EVO Plus 500GB", 500_107_862_016, "samsung-970-evo-plus", Some(500)),
    ("Samsung SSD 980 1TB", 1_000_204_886_016, "samsung-980", Some(1000)),
    ("Samsung SSD 980 PRO 1TB", 1_000_204_886_016, "samsung-980-pro", Some(1000)),
    ("SAMSUNG MZWLJ3T8HBLS-00007", 3_840_755_982_336, "samsung-pm1733", Some(3840)),
    ("SAMSUNG MZQL23T8HCLS-00A07", 3_840_755_982_336, "samsung-pm9a3-u2", Some(3840)),
    ("SAMSUNG MZWLL3T2HMJP-00003", 3_200_631_791_616, "samsung-pm1725a-u2", Some(3200)),
    ("Micron_9200_MTFDHAL3T2TCU", 3_200_631_791_616, "micron-9200", Some(3200)),
    ("Micron_7400_MTFDKCB960TDZ", 960_197_124_096, "micron-7400-u3", None),
    ("KCD61LUL3T84", 3_840_755_982_336, "kioxia-cd6-r", None),
    ("KIOXIA KCM61RUL3T84", 3_840_755_982_336, "kioxia-cm6-r", None),
    ("SOLIDIGM SBFPF2BV0P12", 122_880_000_000_000, "solidigm-d5-p5336", None),
    ("INTEL SSDPE21K375GA", 375_083_212_800, "intel-optane-p4800x", Some(375)),
    ("KINGSTON SEDC600M960G", 960_197_124_096, "kingston-dc600m", Some(960)),
];

#[test]
fn drives_find_their_datasheet_and_capacity() {
    let catalogue = Catalogue::shipped();
    for (model, bytes, name, nominal_gb) in DRIVES {
        let found = catalogue.match_drive(model, bytes).unwrap_or_else(|| panic!("{model}"));
        let nominal = found.variant.map(|variant| variant.capacity_bytes / 1_000_000_000);
        assert_eq!((found.datasheet.name.as_str(), nominal), (name, nominal_gb), "{model}");
    }
}

#[test]
fn relatives_with_other_figures_do_not_match() {
    let catalogue = Catalogue::shipped();
    // S3700 and S3710, S4500 and S4510, P4500 and P4510, P5500 and P5520, PM1733 and PM1735, PM1725a and PM1725b, 970 EVO and EVO Plus.
    let relatives = [
        ("INTEL SSDSC2BA800G4", "intel-dc-s3710"),
        ("INTEL SSDSC2KB480G8", "intel-d3-s4510"),
        ("INTEL SSDPE2KX020T8", "intel-dc-p4510"),
        ("INTEL SSDPF2KX038T1", "solidigm-d7-p5520"),
        ("SAMSUNG MZWLJ3T2HBLS-00007", "samsung-pm1735-u2"),
        ("SAMSUNG MZWLL3T2HAJQ-00005", "samsung-pm1725b"),
        ("Samsung SSD 970 EVO 500GB", "samsung-970-evo"),
    ];
    for (model, expected) in relatives {
        let found = catalogue.match_drive(model, 0).map_or("-", |found| found.datasheet.name.as_str());
        assert_eq!(found, expected, "{model}");
    }
}

#[test]
fn models_of_public_reports_find_their_family_and_no_other() {
    let catalogue = Catalogue::shipped();
    let text = fs::read_to_string(root().join("fixtures/datasheets/models.txt")).unwrap();
    let lines: Vec<_> = text.lines().filter(|line| !line.starts_with('#')).collect();
    let (mut known, mut unknown) = (0, 0);
    for line in lines {
        let (model, expected) = line.split_once(" | ").unwrap();
        let found = catalogue.match_drive(model, 0).map_or("-", |found| found.datasheet.name.as_str());
        assert_eq!(found, expected, "{model}");
        *if expected == "-" { &mut unknown } else { &mut known } += 1;
    }
    assert!(known >= 500 && unknown >= 60, "{known} {unknown}");
}

/// Rows of the README's table: families and figures by maker, and how well the figures are backed.
fn families_by_maker() -> String {
    let catalogue = Catalogue::shipped();
    let makers: BTreeSet<_> = catalogue.iter().map(|sheet| sheet.vendor.as_str()).collect();
    let row = |name: &str, of: Option<&str>| {
        let sheets: Vec<_> = catalogue.iter().filter(|sheet| of.is_none_or(|vendor| sheet.vendor == vendor)).collect();
        let figures = |of: &[Confidence]| sheets.iter().flat_map(|s| &s.claims).filter(|c| of.contains(&c.confidence)).count();
        let (high, medium, low) = (figures(&[Confidence::High]), figures(&[Confidence::Medium]), figures(&[Confidence::Low]));
        let with_figures = sheets.iter().filter(|sheet| !sheet.claims.is_empty()).count();
        format!("| {name} | {} | {with_figures} | {} | {high} | {medium} | {low} |\n", sheets.len(), high + medium + low)
    };
    makers.iter().map(|maker| row(maker, Some(maker))).chain([row("all", None)]).collect()
}

#[test]
fn the_readme_counts_the_families_by_maker() {
    let readme = fs::read_to_string(root().join("datasheets/README.md")).unwrap();
    let rows = families_by_maker();
    assert!(readme.contains(&rows), "put this into datasheets/README.md:\n{rows}");
}

fn find(model: &str, bytes: u64, look: impl Fn(Matched)) {
    look(Catalogue::shipped().match_drive(model, bytes).unwrap());
}

/// The values in force on the matched drive for a metric under given conditions.
fn promised(found: Matched, metric: Metric, pattern: Pattern, read_percent: u8, block_kib: u32) -> Vec<f64> {
    let nominal = found.variant.map(|variant| variant.capacity_bytes);
    let applies = |claim: &Claim| claim.capacities_bytes.is_empty() || nominal.is_some_and(|n| claim.capacities_bytes.contains(&n));
    let asked = |c: &Claim| (c.metric, c.pattern, c.read_percent, c.block_bytes) == (metric, pattern, read_percent, block_kib << 10);
    let claims = found.datasheet.claims.iter().enumerate();
    let kept = claims.filter(|(index, claim)| asked(claim) && applies(claim) && !superseded(found.datasheet, *index, nominal));
    kept.map(|(_, claim)| claim.value).collect()
}

#[test]
fn the_2_tb_p3700_is_promised_what_its_specification_says() {
    find("INTEL SSDPEDMD020T4", 2_000_398_934_016, |p3700| {
        let throughput = |reads| promised(p3700, Metric::Throughput, Pattern::Sequential, reads, 128);
        let random = |reads, block_kib| promised(p3700, Metric::Iops, Pattern::Random, reads, block_kib);
        assert_eq!((throughput(100), throughput(0)), (vec![2800e6], vec![2000e6]));
        assert_eq!((random(100, 4), random(0, 4), random(70, 4)), (vec![450e3], vec![175e3], vec![265e3]));
        assert_eq!((random(100, 8), random(0, 8)), (vec![295e3], vec![90e3]));
        assert_eq!(p3700.datasheet.plp, Some(true));
        assert_eq!(p3700.variant.unwrap().endurance_bytes, Some(36_500_000_000_000_000));
    });
}

#[test]
fn the_sata_drives_are_promised_their_random_figures_at_queue_depth_32() {
    for (model, bytes, read, write) in
        [("INTEL SSDSC2BA800G3", 800_166_076_416, 75e3, 36e3), ("INTEL SSDSC2KB480G7", 480_103_981_056, 72e3, 33e3)]
    {
        find(model, bytes, |sata| {
            assert_eq!(promised(sata, Metric::Iops, Pattern::Random, 100, 4), [read]);
            assert_eq!(promised(sata, Metric::Iops, Pattern::Random, 0, 4), [write]);
            assert!(sata.datasheet.claims.iter().filter(|c| c.metric == Metric::Iops).all(|c| c.queue_depth_total == Some(32)));
        });
    }
}

#[test]
fn the_970_evo_plus_is_promised_less_once_its_cache_is_used_up() {
    find("Samsung SSD 970 EVO Plus 500GB", 500_107_862_016, |evo| {
        assert_eq!(promised(evo, Metric::Throughput, Pattern::Sequential, 0, 128), [3200e6, 900e6]);
        assert_eq!(promised(evo, Metric::Iops, Pattern::Random, 100, 4), [480e3, 19e3]);
        assert_eq!(promised(evo, Metric::Iops, Pattern::Random, 0, 4), [550e3, 200e3, 60e3]);
        assert_eq!((evo.datasheet.plp, evo.variant.unwrap().endurance_bytes), (Some(false), Some(300_000_000_000_000)));
    });
}

#[test]
fn doubtful_figures_of_the_pm1733_are_marked_so() {
    find("SAMSUNG MZWLJ3T8HBLS-00007", 3_840_755_982_336, |pm1733| {
        let random_writes = pm1733.datasheet.claims.iter().filter(|c| c.metric == Metric::Iops && c.read_percent == 0);
        assert!(random_writes.clone().count() > 0 && random_writes.clone().all(|c| c.confidence == Confidence::Low && c.note.is_some()));
        assert_eq!(promised(pm1733, Metric::Throughput, Pattern::Sequential, 0, 128), [3800e6]);
    });
}

#[test]
fn percentiles_of_the_optane_are_bounds() {
    find("INTEL SSDPE21K375GA", 375_083_212_800, |optane| {
        let tail = optane.datasheet.claims.iter().filter(|c| c.statistic == Some(Statistic::P99999));
        let bounds: Vec<_> = tail.map(|c| (c.queue_depth_total, c.value)).collect();
        assert_eq!(bounds, [(Some(1), 60_000.0), (Some(16), 150_000.0)]);
    });
}

#[test]
fn the_example_of_the_readme_is_valid() {
    let readme = fs::read_to_string(root().join("datasheets/README.md")).unwrap();
    let example = readme.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    parse("acme-one.toml", example).unwrap_or_else(|problems| panic!("{}", told(&problems)));
}
