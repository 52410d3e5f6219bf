//! Command lines, with what fio 3.33 makes of them.

use super::*;
use proptest::prelude::*;

#[rustfmt::skip]
const OPTIONS: [(&str, Takes); 9] = [
    ("name", Takes::Value), ("bs", Takes::Value), ("bssplit", Takes::Value), ("direct", Takes::Value),
    ("group_reporting", Takes::Optional), ("iodepth", Takes::Value), ("iodepth_batch", Takes::Value), ("nice", Takes::Value),
    ("overwrite", Takes::Value),
];

fn read(arguments: &str) -> Result<CommandLine, Vec<Complaint>> {
    let all: Vec<String> = arguments.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect();
    parse(&all, &OPTIONS)
}

fn parts(arguments: &str) -> String {
    let typed = |all: &[TypedOption]| {
        let word = |one: &TypedOption| one.value.as_ref().map_or_else(|| one.key.clone(), |value| format!("{}={value}", one.key));
        all.iter().map(word).collect::<Vec<_>>().join(" ")
    };
    let part = |part: &CommandPart| match part {
        CommandPart::Defaults(all) => format!("{{{}}}", typed(all)),
        CommandPart::File { name } => name.clone(),
        CommandPart::Job(section) => format!("{}({})", section.name, typed(&section.options)),
    };
    match read(arguments) {
        Ok(line) => line.parts.iter().map(part).collect::<Vec<_>>().join(" "),
        Err(all) => all.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "),
    }
}

#[test]
fn parts_stand_in_fios_order() {
    for (typed, meant) in [
        ("--bs=16k a.fio", "{bs=16k} a.fio"),
        ("a.fio --bs=16k b.fio --iodepth 4", "{bs=16k iodepth=4} a.fio b.fio"),
        ("a.fio --name=x --bs=1k --name=y", "x(bs=1k) y() a.fio"),
        ("--bs=2k --name=x --bs=1k -", "{bs=2k} x(bs=1k) -"),
        ("--name=x --name=global --bs=64k --name=y", "x() {bs=64k} y()"),
        ("--group_reporting 0", "{group_reporting} 0"),
        ("--group_reporting=0 --nice -5", "{group_reporting=0 nice=-5}"),
        ("-bs=8k --group_rep --bss 4k", "{bs=8k group_reporting bssplit=4k}"),
        ("-- --bs=8k -", "--bs=8k -"),
        ("", ""),
    ] {
        assert_eq!(parts(typed), meant, "{typed}");
    }
}

#[test]
fn wrong_ones_are_named_together() {
    let problems = parts("--iodep=3 --iodpeth=4 --direct= --minimal=x --client=h --output-format=json,xml --eta=foo --bs");
    for part in
        ["more than one option: --iodepth, --iodepth_batch", "--iodepth is perhaps meant", "--direct= stands without", "takes no value"]
    {
        assert!(problems.contains(part), "{part}: {problems}");
    }
    for part in ["--client: not supported: ioproof runs on one machine", "\"xml\" is none of", "\"foo\" is none of", "--bs needs a value"] {
        assert!(problems.contains(part), "{part}: {problems}");
    }
    assert_eq!(problems.matches("command line: ").count(), 8, "{problems}");
}

#[test]
fn general_flags() {
    let general = read("--output-format=json+,normal,json+ -o out.json --section=a --section b,c --status-interval=500ms --eta=never")
        .unwrap()
        .general;
    assert_eq!(general.formats, [OutputFormat::JsonPlus, OutputFormat::Normal]);
    assert_eq!((general.output.as_deref(), general.sections), (Some("out.json"), vec!["a".to_owned(), "b,c".to_owned()]));
    assert_eq!((general.status_interval_ms, general.eta, general.eta_interval_ms), (Some(500), Eta::Never, 1000));
    let general = read("-mr -V4 --append-terse --cmdhelp=bs --enghelp --debug=io --max-jobs=10").unwrap().general;
    assert_eq!(
        (general.formats, general.terse_version, general.readonly, general.max_jobs),
        (vec![OutputFormat::Terse], 4, true, Some(10))
    );
    assert_eq!((general.cmdhelp, general.enghelp), (Some(Some("bs".to_owned())), Some(None)));
    assert!(general.notes.len() == 1 && general.notes[0].starts_with("--debug is without effect"));
    #[rustfmt::skip]
    let cases = [
        "--terse-version=9", "--max-jobs=x", "--eta-interval=10ms", "--status-interval=x", "--section=global", "--output-format=", "-q",
        "-mq",
    ];
    for wrong in cases {
        assert!(read(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn own_flags() {
    let line =
        read("--destroy S1 --destroy=S2 --overwrite f --overwrite=./1 --overwrite-all-in d --allow-exec --strict --dry-run --json --live")
            .unwrap();
    let of = |all: &[&str]| all.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>();
    assert_eq!((line.own.destroy, line.own.overwrite, line.own.overwrite_all_in), (of(&["S1", "S2"]), of(&["f", "./1"]), of(&["d"])));
    assert!(
        line.own.allow_exec && line.own.strict && line.own.dry_run && line.own.json && line.own.live && !line.own.destroy_unknown_content
    );
    assert_eq!(parts("--overwrite=1 --overwrite 0"), "{overwrite=1 overwrite=0}");
    let own = read("--baseline last --fail-if=worse").unwrap().own;
    assert_eq!((own.baseline.as_deref(), own.fail_if.as_deref()), (Some("last"), Some("worse")));
    assert!(read("--destr=S1").is_err(), "own flags are written out");
}

#[test]
fn names_and_letters_are_unique() {
    let names: std::collections::HashSet<&str> = FLAGS.iter().map(|flag| flag.name).chain(OWN.iter().map(|(name, _)| *name)).collect();
    let letters: std::collections::HashSet<char> = FLAGS.iter().filter_map(|flag| flag.letter).collect();
    assert_eq!((names.len(), letters.len()), (FLAGS.len() + OWN.len(), FLAGS.len()));
}

proptest! {
    #[test]
    fn any_arguments(all in prop::collection::vec("(--?)?(name|bs|output|o|m|x|destroy)?(=)?[a-z,\u{e9}=-]{0,6}", 0..6)) {
        match parse(&all, &OPTIONS) {
            Ok(line) => prop_assert!(line.parts.len() <= all.len()),
            Err(problems) => prop_assert!(!problems.is_empty()),
        }
    }
}
