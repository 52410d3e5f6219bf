//! Each expectation was seen in what fio 3.33 did with such files.

use super::*;
use crate::grammar::Loader;
use crate::settings::EngineName;
use crate::values::Amount;

struct Texts<'a>(&'a [(&'a str, &'a str)]);

impl Loader for Texts<'_> {
    fn include(&self, name: &str, _from: &str) -> Result<String, String> {
        self.job_file(name)
    }
}

impl JobFileTexts for Texts<'_> {
    fn job_file(&self, name: &str) -> Result<String, String> {
        let text = self.0.iter().find(|(known, _)| *known == name).map(|(_, text)| (*text).to_owned());
        text.ok_or_else(|| "no such file".into())
    }
}

fn typed(words: &[&str]) -> Vec<TypedOption> {
    let one = |word: &&str| {
        let (key, value) = word.split_once('=').map_or((*word, None), |(key, value)| (key, Some(value.to_owned())));
        TypedOption { key: key.into(), value, place: SourcePlace::command_line() }
    };
    words.iter().map(one).collect()
}

fn all(parts: Vec<CommandPart>, texts: &[(&str, &str)]) -> Result<Vec<FioJob>, Vec<Complaint>> {
    jobs(&CommandLine { parts, ..CommandLine::default() }, &ValueContext::default(), &Texts(texts))
}

fn file(name: &str) -> CommandPart {
    CommandPart::File { name: name.into() }
}

fn of_text(text: &str) -> Result<Vec<FioJob>, Vec<Complaint>> {
    all(vec![file("a.fio")], &[("a.fio", text)])
}

fn good(text: &str) -> Vec<FioJob> {
    of_text(text).unwrap_or_else(|wrong| panic!("{wrong:?}"))
}

fn complaints(text: &str) -> Vec<String> {
    of_text(text).expect_err("this job file is wrong").iter().map(ToString::to_string).collect()
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

#[test]
fn globals_bear_on_the_sections_below_them() {
    let jobs = good("[a]\nrw=read\n[global]\nbs=8k\n[b]\nrw=write\n[global]\nbs=16k\n[c]\nbs=1k\n");
    let sizes: Vec<_> = jobs.iter().map(|job| job.settings.blocks.size.read).collect();
    assert_eq!(sizes, [4096, 8192, 1024]);
    assert_eq!(jobs[2].globals, pairs(&[("bs", "8k"), ("bs", "16k")]));
}

#[test]
fn globals_end_with_their_file_and_a_file_begins_behind_a_stonewall() {
    let texts = [("1", "[global]\nbs=8k\n[a]\nrw=read\n"), ("2", "[b]\nrw=read\n[c]\nrw=read\n")];
    let jobs = all(vec![file("1"), file("2")], &texts).unwrap();
    assert_eq!(jobs[1].settings.blocks.size.read, 4096);
    assert_eq!(jobs.iter().map(|job| job.settings.start.stonewall).collect::<Vec<_>>(), [false, true, false]);
    assert_eq!(jobs.iter().map(|job| job.file_number).collect::<Vec<_>>(), [Some(0), Some(1), Some(1)]);
}

#[test]
fn the_file_wins_over_the_command_line() {
    let texts = [("f", "[b]\nrw=read\n[c]\nbs=4k\n")];
    let jobs = all(vec![CommandPart::Defaults(typed(&["bs=16k"])), file("f")], &texts).unwrap();
    assert_eq!(jobs.iter().map(|job| job.settings.blocks.size.read).collect::<Vec<_>>(), [16384, 4096]);
}

#[test]
fn jobs_of_the_command_line_come_before_those_of_files() {
    let section = JobSection { name: "z".into(), place: SourcePlace::command_line(), options: typed(&["size=16k", "thread"]) };
    let jobs = all(vec![file("f"), CommandPart::Job(section)], &[("f", "[global]\nbs=8k\n[b]\nrw=read\n")]).unwrap();
    assert_eq!(jobs.iter().map(|job| job.name.as_str()).collect::<Vec<_>>(), ["z", "b"]);
    assert_eq!(jobs[0].typed, pairs(&[("name", "z"), ("size", "16k")]), "bare flags are not shown");
    assert_eq!(jobs[0].settings.blocks.size.read, 4096, "the globals of the file are not its");
    assert!(!jobs[1].settings.start.stonewall);
}

#[test]
fn units_come_first_wherever_they_stand_in_a_section_of_a_file() {
    let jobs = good("[a]\nbs=4k\nsize=1m\nkb_base=1000\n[b]\nbs=4k\n");
    assert_eq!((jobs[0].settings.blocks.size.read, jobs[0].settings.region.size), (4000, Some(Amount::Bytes(1_000_000))));
    assert_eq!(jobs[0].typed, pairs(&[("kb_base", "1000"), ("bs", "4k"), ("size", "1m")]));
    assert_eq!(jobs[1].settings.blocks.size.read, 4096);
    let of_line =
        |words: &[&str]| CommandPart::Job(JobSection { name: "j".into(), place: SourcePlace::command_line(), options: typed(words) });
    let jobs = all(vec![of_line(&["bs=4k", "kb_base=1000"]), of_line(&["kb_base=1000", "bs=4k"])], &[]).unwrap();
    assert_eq!(jobs.iter().map(|job| job.settings.blocks.size.read).collect::<Vec<_>>(), [4096, 4000], "the command line keeps its order");
}

#[test]
fn the_last_wins_but_files_add_up() {
    let jobs = good("[global]\nfilename=ga\n[a]\nbs=8k\nblocksize=4k\nfilename=x\nfilename=y\n[b]\nrw=read\n");
    assert_eq!(jobs[0].settings.blocks.size.read, 4096);
    assert_eq!(jobs[0].settings.files.names, ["ga", "x", "y"]);
    assert_eq!(jobs[0].typed[..2], pairs(&[("bs", "8k"), ("bs", "4k")]), "under its first name");
    let note = &jobs[0].notes[0];
    assert_eq!((note.option, note.place.line), ("filename", 7));
    assert!(note.text.contains("also ga"));
    assert!(jobs[1].notes.is_empty());
}

#[test]
fn ranges_and_splits_go_before_sizes_and_the_last_of_them_wins() {
    let jobs = good("[a]\nbssplit=32k/100\nbsrange=16k-16k\nbs=8k\n[b]\nbsrange=16k-16k\nbssplit=32k/100\n");
    assert!(jobs[0].settings.blocks.splits.read.is_empty() && jobs[0].settings.blocks.range.read == Some((16384, 16384)));
    assert!(jobs[1].settings.blocks.splits.read.len() == 1 && jobs[1].settings.blocks.range.read.is_none());
}

#[test]
fn a_name_is_for_the_report_and_the_section_for_files() {
    let jobs = good("[global]\nname=g\n[a]\nname=x\n[b]\nrw=read\n");
    assert_eq!((jobs[0].name.as_str(), jobs[0].section.as_str()), ("x", "a"));
    assert_eq!(jobs[1].name, "b");
}

#[test]
fn only_the_sections_that_are_asked_for_are_run() {
    let mut line = CommandLine { parts: vec![file("f")], ..CommandLine::default() };
    line.general.sections = vec!["x".into()];
    let texts = Texts(&[("f", "[global]\nbs=2k\n[x]\nrw=read\n[y]\nrw=read\n[x]\nbs=16k\n")]);
    let jobs = jobs(&line, &ValueContext::default(), &texts).unwrap();
    assert_eq!(jobs.iter().map(|job| job.settings.blocks.size.read).collect::<Vec<_>>(), [2048, 16384]);
}

#[test]
fn a_section_that_is_not_there_names_those_that_are() {
    let mut line = CommandLine { parts: vec![file("f"), file("g")], ..CommandLine::default() };
    line.general.sections = vec!["nope".into()];
    let texts = Texts(&[("f", "[global]\nbs=2k\n[x]\nrw=read\n"), ("g", "[y]\nrw=read\n")]);
    let wrong = jobs(&line, &ValueContext::default(), &texts).unwrap_err();
    assert_eq!(wrong[0].to_string(), "command line: --section=nope: there is no such section (the sections are x, y)");
    line.general.sections = vec!["y".into(), "nope".into()];
    assert_eq!(jobs(&line, &ValueContext::default(), &texts).unwrap().len(), 1, "as in fio, one of them is enough");
}

#[test]
fn a_queue_that_no_engine_can_make_names_its_line() {
    let of = |engine: &str, depth: u32| of_text(&format!("[a]\nrw=read\niodepth={depth}\nioengine={engine}\n")).err();
    for (engine, most) in [("io_uring", 32_768), ("io_uring_cmd", 32_768), ("libaio", 65_536), ("null", 65_536)] {
        assert_eq!(of(engine, most), None, "{engine}");
        let wrong = of(engine, most + 1).unwrap();
        assert_eq!(wrong[0].place, Some(SourcePlace::new("a.fio", 3)), "{engine}");
        assert!(wrong[0].text.contains(&format!("at most {most}")), "{wrong:?}");
    }
    assert_eq!(of("psync", 100_000), None, "it keeps one outstanding whatever is asked for");
    let global = complaints("[global]\niodepth=100000\nioengine=libaio\n[a]\nrw=read\n[b]\nioengine=psync\n");
    assert!(global.len() == 1 && global[0].starts_with("a.fio:4: iodepth=100000 of job a: "), "{global:?}");
}

#[test]
fn only_so_many_mistakes_get_a_hint() {
    let all = complaints(&format!("[a]\nrw=read\n{}", "iodpeth=4\n".repeat(1_000)));
    assert_eq!((all.len(), all.iter().filter(|text| text.contains("did you mean")).count()), (1_000, 100));
}

#[test]
fn an_unknown_option_is_named_with_its_place_and_the_nearest_known_one() {
    assert_eq!(complaints("[a]\nrw=read\niodpeth=4\n"), ["a.fio:3: the option iodpeth is not known (did you mean iodepth?)"]);
}

#[test]
fn everything_that_is_wrong_comes_at_once() {
    let wrong = complaints("[global]\ndirect=2\n[a]\nrw=rr\ncgroup=x\n");
    assert_eq!(wrong.len(), 3, "{wrong:?}");
    assert!(wrong[0].starts_with("a.fio:2: direct=2: "));
    assert!(wrong[2].starts_with("a.fio:5: cgroup=x is not honoured: ") && wrong[2].contains("systemd-run"));
}

#[test]
fn options_of_an_engine_need_that_engine_in_any_order() {
    let jobs = good("[a]\nhipri=1\nioengine=io_uring\n");
    assert!(jobs[0].settings.engine.polled && jobs[0].settings.engine.name == EngineName::IoUring);
    let wrong = complaints("[a]\nhipri=1\nioengine=libaio\n");
    assert_eq!(wrong, ["a.fio:2: hipri is an option of pvsync2, io_uring, io_uring_cmd, but the job's ioengine is libaio"]);
    assert_eq!(complaints("[global]\nhipri=1\n[a]\nioengine=io_uring\n").len(), 1);
    let jobs = good("[global]\nioengine=io_uring\nhipri=1\n[a]\nioengine=libaio\n");
    assert!(!jobs[0].settings.engine.polled);
}

#[test]
fn what_differs_is_noted_with_its_place_until_it_is_taken_back() {
    let jobs = good("[global]\nverify=md5\n[a]\nrw=write\n[b]\nverify=0\n");
    assert_eq!(jobs[0].notes.iter().map(|note| (note.option, note.place.line)).collect::<Vec<_>>(), [("verify", 2)]);
    assert!(jobs[1].notes.is_empty());
}

#[test]
fn the_unit_that_is_not_what_it_says_is_noted() {
    let jobs = good("[a]\nbs=4KiB\n[b]\nbs=4k\n");
    assert_eq!(jobs[0].settings.blocks.size.read, 4000);
    assert!(jobs[0].notes[0].text.contains("1000 bytes"));
    assert!(jobs[1].notes.is_empty());
}

#[test]
fn a_job_waits_only_for_one_that_is_there_before_it() {
    assert!(good("[a]\nrw=read\n[b]\nwait_for=a\n").len() == 2);
    assert!(good("[a]\nname=x\n[b]\nwait_for=x\n").len() == 2);
    for (text, what) in [
        ("[a]\nwait_for=b\n[b]\nrw=read\n", "no job of this name comes before it"),
        ("[a]\nwait_for=a\n", "cannot wait for itself"),
        ("[b]\nrw=read\n[b]\nrw=read\n[a]\nwait_for=b\n", "2 jobs before it"),
    ] {
        assert!(complaints(text)[0].contains(what), "{text}");
    }
}

#[test]
fn words_for_the_machine_are_shown_as_numbers() {
    let job = &good("[a]\nbs=$pagesize\nnumjobs=2*$ncpus\n")[0];
    assert_eq!(job.typed, pairs(&[("bs", "4096"), ("numjobs", "2")]));
    assert_eq!((job.settings.blocks.size.read, job.settings.start.clones), (4096, 2));
}

#[test]
fn no_job_at_all_is_an_error() {
    assert!(complaints("[global]\nbs=4k\n")[0].contains("no job is defined"));
    for (text, is_good) in [("[global]\nbs=4k\n", true), ("", true), ("[global]\nbs=4x\n", false)] {
        let mut line = CommandLine { parts: vec![file("j")], ..CommandLine::default() };
        line.general.parse_only = true;
        let read = jobs(&line, &ValueContext::default(), &Texts(&[("j", text)]));
        assert_eq!(read.map(|jobs| jobs.len()).ok(), is_good.then_some(0), "--parse-only of {text:?}, as fio 3.33");
    }
    let wrong = all(vec![file("gone")], &[]).expect_err("there is no such file");
    assert!(wrong[0].text.contains("the job file gone cannot be read"));
}

#[test]
fn common_options_are_those_of_the_last_file_only() {
    let texts = [("1", "[global]\nbs=8k\n[a]\nrw=read\n"), ("2", "[global]\nsize=4k\n[b]\nrw=read\n")];
    let with = |parts: Vec<CommandPart>| globals_shown(&all(parts, &texts).unwrap());
    assert_eq!(
        with(vec![CommandPart::Defaults(typed(&["thread", "ioengine=null"])), file("1")]),
        pairs(&[("ioengine", "null"), ("bs", "8k")])
    );
    assert_eq!(with(vec![CommandPart::Defaults(typed(&["ioengine=null"])), file("1"), file("2")]), pairs(&[("size", "4k")]));
}

#[test]
fn what_asks_for_more_than_there_may_be_is_refused_before_it_is_made() {
    let wrong = |text: &str| all(vec![file("j")], &[("j", text)]).unwrap_err().remove(0);
    let clones = wrong("[a]\nsize=1m\n[b]\nsize=1m\nnumjobs=4294967295\n");
    assert_eq!(clones.place, Some(SourcePlace::new("j", 3)), "{clones:?}");
    assert!(clones.text.contains("4294967296 clones") && clones.text.contains("16384 are the most"), "{clones:?}");
    assert!(wrong("[a]\nnrfiles=4294967295\n").text.contains("(nrfiles, filename)"));
    assert!(wrong("[a]\nnumjobs=16000\nnrfiles=100\n").text.contains("1600000 files"));
    let long = "n".repeat(30_000);
    assert!(wrong(&format!("[a]\nnumjobs=16000\nfilename={long}\n")).text.contains("bytes of names"));
    assert!(
        wrong(&format!("[{long}{long}]\nfilename_format={}\n", "$jobname".repeat(8000))).text.contains("bytes of names"),
        "names that are made"
    );
    assert!(wrong("[a]\nnumjobs=8000\n[b]\nwait_for=a\nnumjobs=8000\n").text.contains("64000000 pairs"));
    let many = wrong(&"[a]\n".repeat(1_000_000));
    assert_eq!((many.place, many.text.contains("more than 16384 sections")), (Some(SourcePlace::new("j", 16_385)), true));
    let global = format!("[global]\n{}{}", "filename=/some/where/with/a/name\n".repeat(5000), "[a]\n".repeat(5000));
    assert!(wrong(&global).text.contains("take more than 256 MiB"));
    assert!(all(vec![file("j")], &[("j", "[a]\nsize=1m\nnumjobs=16384\n")]).is_ok());
}

#[test]
fn a_depth_of_other_threads_is_taken_with_queues_and_refused_with_calls() {
    let of = |engine: &str, depth: u32| of_text(&format!("[a]\nioengine={engine}\niodepth={depth}\nio_submit_mode=offload\n"));
    let queued = of("libaio", 8).unwrap();
    assert!(queued[0].notes.iter().any(|note| note.option == "io_submit_mode"), "{:?}", queued[0].notes);
    assert!(of("psync", 1).is_ok());
    let wrong = of("psync", 8).unwrap_err();
    assert_eq!(wrong.len(), 1, "{wrong:?}");
    assert!(wrong[0].to_string().starts_with("a.fio:4: io_submit_mode=offload of job a: with ioengine=psync"), "{}", wrong[0]);
    assert!(of_text("[a]\nio_submit_mode=inline\niodepth=8\n").unwrap()[0].notes.is_empty());
}

#[test]
fn a_lock_is_needed_only_where_files_may_be_shared() {
    let of = |options: &str| of_text(&format!("[a]\nlockfile=readwrite\nsize=1m\nnumjobs=2\n{options}\n"));
    assert!(of("nrfiles=2").is_ok() && of("filename=f\nlockfile=none").is_ok());
    for shared in ["filename=f", "filename_format=f.$filenum"] {
        let wrong = of(shared).unwrap_err();
        assert!(wrong[0].to_string().starts_with("a.fio:2: lockfile= of job a: files are not locked"), "{}", wrong[0]);
    }
}

#[test]
fn a_job_has_its_part_of_a_flow() {
    let read = of_text("[global]\nflow_id=2\nflow_sleep=500\n[a]\nflow=3\n[b]\n[c]\nflow=0\n").unwrap();
    let flows: Vec<_> =
        read.iter().map(|job| &job.settings.start).map(|start| (start.flow_weight, start.flow_id, start.flow_sleep_ns)).collect();
    assert_eq!(flows, [(3, 2, 500_000), (0, 2, 500_000), (0, 2, 500_000)]);
    let notes: Vec<_> = read.iter().map(|job| job.notes.iter().filter(|note| note.option == "flow").count()).collect();
    assert_eq!(notes, [1, 0, 0], "only a job with a part differs");
    let old = of_text("[a]\nflow=-8\n[b]\nflow=1\n").unwrap();
    assert_eq!(old.iter().map(|job| job.settings.start.flow_weight).collect::<Vec<_>>(), [-8, 1]);
    assert!(of_text("[a]\nflow=-1001\n").is_err());
}
