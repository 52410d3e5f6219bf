//! `identify --from FOLDER`: every captured drive is shown as expected, and a damaged capture says what is wrong with it and still shows the rest.
//!
//! A folder that is added to `fixtures/devices` is found by itself. `IOPROOF_BLESS=1 cargo test -p ioproof --test identify_replay` writes what is said as what is expected,
//! to be looked through before it is kept.
use crate::common;
use crate::common::{ProgramOutput, Sandbox};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

fn fixtures() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/devices");
    let mut folders: Vec<PathBuf> = fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

fn is_blessed() -> bool {
    let is_blessed = std::env::var_os("IOPROOF_BLESS").is_some();
    assert!(!(is_blessed && std::env::var_os("CI").is_some()), "IOPROOF_BLESS rewrites what is expected and has no place in CI");
    is_blessed
}

fn identify(sandbox: &Sandbox, folder: &Path, further: &[&str]) -> ProgramOutput {
    let folder = folder.display().to_string();
    let said = sandbox.run(&[&["identify", "--from", &folder], further].concat());
    assert!(!said.stderr.contains("panicked"), "{said:?}");
    said
}

/// Text as a terminal would show it, and the JSON.
fn both(sandbox: &Sandbox, folder: &Path) -> (String, Value) {
    let text = identify(sandbox, folder, &[]);
    assert_eq!(text.status, 0, "{}: {text:?}", folder.display());
    assert!(!text.stdout.contains('\x1b'), "{}", text.stdout);
    (text.stdout + &text.stderr, identify(sandbox, folder, &["--json"]).json())
}

fn expected(folder: &Path, file: &str) -> String {
    fs::read_to_string(folder.join(file)).unwrap_or_default()
}

#[test]
fn every_captured_drive_is_shown_as_expected() {
    let (sandbox, is_blessed) = (Sandbox::new(), is_blessed());
    let mut differing = Vec::new();
    for folder in fixtures() {
        let (text, json) = both(&sandbox, &folder);
        let is_as_expected = text == expected(&folder, "expected.txt")
            && serde_json::from_str::<Value>(&expected(&folder, "identify.json")).is_ok_and(|expected| expected == json);
        if is_as_expected {
            continue;
        }
        if is_blessed {
            fs::write(folder.join("expected.txt"), &text).unwrap();
            fs::write(folder.join("identify.json"), serde_json::to_string_pretty(&json).unwrap() + "\n").unwrap();
        } else {
            differing.push(format!("{} differs; it says:\n{text}", folder.display()));
        }
    }
    assert!(differing.is_empty(), "{}\nIOPROOF_BLESS=1 makes this what is expected", differing.join("\n"));
}

#[test]
fn raw_pages_are_the_files_of_the_capture() {
    let sandbox = Sandbox::new();
    let mut compared = 0;
    for folder in fixtures().into_iter().filter(|folder| folder.join("pages").is_dir()) {
        let json = identify(&sandbox, &folder, &["--json", "--raw"]).json();
        let raw: Vec<&str> = json["drives"]
            .as_array()
            .unwrap()
            .iter()
            .flat_map(|drive| drive["pages"].as_array().unwrap())
            .filter_map(|page| page["raw"].as_str())
            .collect();
        let text = identify(&sandbox, &folder, &["--raw"]).stdout;
        for (name, bytes) in answers(&folder) {
            let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            assert!(raw.contains(&digits.as_str()), "{}: {name}", folder.display());
            assert!(text.contains(&digits[..digits.len().min(64)]), "{}: {name}", folder.display());
            compared += 1;
        }
    }
    assert!(compared > 40, "{compared}");
}

fn answers(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let drives = fs::read_dir(folder.join("pages")).unwrap().map(|entry| entry.unwrap().path());
    let files = drives.flat_map(|drive| fs::read_dir(drive).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>());
    let bytes = files.filter(|file| file.extension().is_some_and(|end| end == "bin"));
    bytes.map(|file| (file.display().to_string(), fs::read(&file).unwrap())).collect()
}

/// A copy of a captured drive that may be damaged.
fn copy_of(sandbox: &Sandbox, name: &str) -> PathBuf {
    fn copy(from: &Path, to: &Path) {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(from).unwrap().map(|entry| entry.unwrap()) {
            let (kind, to) = (entry.file_type().unwrap(), to.join(entry.file_name()));
            if kind.is_symlink() {
                symlink(fs::read_link(entry.path()).unwrap(), to).unwrap();
            } else if kind.is_dir() {
                copy(&entry.path(), &to);
            } else {
                fs::copy(entry.path(), to).unwrap();
            }
        }
    }
    let from = fixtures().into_iter().find(|folder| folder.ends_with(name)).unwrap();
    let to = sandbox.work().join(name);
    copy(&from, &to);
    to
}

/// The path of the answer whose name contains this.
fn answer(folder: &Path, name: &str) -> PathBuf {
    let found = answers(folder).into_iter().find(|(path, _)| path.contains(name));
    found.unwrap_or_else(|| panic!("no {name}")).0.into()
}

const WORN: &str = "made-nvme-worn";

#[test]
fn a_page_that_is_missing_is_named_and_the_rest_is_shown() {
    let sandbox = Sandbox::new();
    let folder = copy_of(&sandbox, WORN);
    fs::remove_file(answer(&folder, "get-log-page-02h")).unwrap();
    let said = identify(&sandbox, &folder, &[]);
    assert_eq!(said.status, 0, "{said:?}");
    assert!(said.stderr.contains("the capture lacks pages/nvme0n1/08-get-log-page-02h.bin"), "{}", said.stderr);
    assert!(said.stdout.contains("MADE NVME WORN") && said.stdout.contains("firmware-log"), "{}", said.stdout);
}

#[test]
fn without_the_page_that_leads_to_others_these_are_named() {
    let sandbox = Sandbox::new();
    let folder = copy_of(&sandbox, "made-sas-hdd");
    fs::remove_file(answer(&folder, "log-sense-log-page-00h")).unwrap();
    let said = identify(&sandbox, &folder, &[]);
    assert!(said.status == 0 && said.stderr.contains("were not read") && said.stderr.contains("log-sense-log-page-0dh"), "{said:?}");
    assert!(said.stdout.contains("vpd-b1"), "{}", said.stdout);
}

#[test]
fn a_page_that_is_cut_is_read_as_far_as_it_goes() {
    let sandbox = Sandbox::new();
    let folder = copy_of(&sandbox, WORN);
    let file = answer(&folder, "get-log-page-02h");
    fs::write(&file, &fs::read(&file).unwrap()[..40]).unwrap();
    let said = identify(&sandbox, &folder, &[]);
    assert!(said.status == 0 && said.stdout.contains("has 40 bytes instead of 512"), "{said:?}");
    assert!(said.stdout.contains("104 %"), "{}", said.stdout);
}

#[test]
fn garbage_and_nothing_in_the_pages_never_fail() {
    let sandbox = Sandbox::new();
    for name in [WORN, "made-sas-hdd", "made-sata-pending-sectors"] {
        let folder = copy_of(&sandbox, name);
        for (at, (file, _)) in answers(&folder).into_iter().enumerate() {
            let length = [0, 1, 7, 512, 4096, 70_000][at % 6];
            fs::write(file, common::noise(length)).unwrap();
        }
        let said = identify(&sandbox, &folder, &[]);
        assert!(said.status == 0 && said.stdout.contains("drive "), "{said:?}");
        assert_eq!(identify(&sandbox, &folder, &["--json", "--raw"]).status, 0);
    }
}

#[test]
fn files_of_ours_that_are_damaged_are_named() {
    let sandbox = Sandbox::new();
    let folder = copy_of(&sandbox, WORN);
    fs::write(folder.join("capture.json"), "{\"devices\": 7").unwrap();
    fs::write(folder.join("pages/nvme0n1/99-get-log-page-05h.json"), "[]").unwrap();
    fs::write(folder.join("pages/nvme0n1/notes"), "x").unwrap();
    let said = identify(&sandbox, &folder, &[]);
    assert_eq!(said.status, 0, "{said:?}");
    for words in
        ["capture.json is not understood", "99-get-log-page-05h.json is left out: it holds no page", "pages/nvme0n1/notes is left out"]
    {
        assert!(said.stderr.contains(words), "`{words}` is missing in {}", said.stderr);
    }
    assert!(said.stdout.contains("failing"), "expected.json leads to the drive: {}", said.stdout);
}

#[test]
fn entries_of_sysfs_that_are_missing_are_not_needed() {
    let sandbox = Sandbox::new();
    let folder = copy_of(&sandbox, WORN);
    fs::remove_dir_all(folder.join("sys/devices")).unwrap();
    fs::remove_dir_all(folder.join("proc")).unwrap();
    let said = identify(&sandbox, &folder, &[]);
    assert_eq!(said.status, 0, "{said:?}");
    assert!(said.stderr.contains("sys/block/nvme0n1 is left out") && said.stderr.contains("lacks proc/self/mountinfo"), "{}", said.stderr);
    assert!(said.stdout.contains("critical warning"), "the drive's own answers are there: {}", said.stdout);
}

#[test]
fn a_link_that_leaves_the_folder_is_refused_and_not_followed() {
    let sandbox = Sandbox::new();
    let folder = copy_of(&sandbox, WORN);
    fs::write(sandbox.work().join("outside"), "SECRET OF ANOTHER FILE").unwrap();
    let model = folder.join("sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0/nvme/nvme0/model");
    fs::remove_file(&model).unwrap();
    symlink(sandbox.work().join("outside"), &model).unwrap();
    let page = answer(&folder, "identify-cns-01h");
    fs::remove_file(&page).unwrap();
    symlink("../../../outside", &page).unwrap();
    symlink("/", folder.join("sys/class")).unwrap();
    let said = identify(&sandbox, &folder, &["--raw"]);
    assert_eq!(said.status, 0, "{said:?}");
    assert!(!said.stdout.contains("SECRET") && !said.stdout.contains("5345435245"), "{}", said.stdout);
    assert_eq!(said.stderr.matches("the link leads out of the folder").count(), 3, "{}", said.stderr);
    assert!(said.stdout.contains("104 %"), "{}", said.stdout);
}

#[test]
fn what_is_no_capture_is_refused_with_a_way_on() {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.work().join("empty")).unwrap();
    identify(&sandbox, Path::new("empty"), &[]).refuses(&["empty is no capture: it has no folder `sys`", "--capture"]);
    fs::create_dir(sandbox.work().join("file")).unwrap();
    fs::write(sandbox.work().join("file/sys"), "x").unwrap();
    identify(&sandbox, Path::new("file"), &[]).refuses(&["its `sys` is no folder"]);
    fs::create_dir_all(sandbox.work().join("bare/sys")).unwrap();
    identify(&sandbox, Path::new("bare"), &[]).refuses(&["bare tells of no device"]);
}

#[test]
fn a_file_where_a_folder_is_expected_is_no_more_than_missing() {
    let sandbox = Sandbox::new();
    let folder = copy_of(&sandbox, WORN);
    fs::remove_dir_all(folder.join("pages")).unwrap();
    fs::write(folder.join("pages"), "x").unwrap();
    let said = identify(&sandbox, &folder, &[]);
    assert!(said.status == 0 && said.stdout.contains("MADE NVME WORN") && said.stderr.contains("the capture lacks pages/"), "{said:?}");
}

/// Root alone may send commands; anybody may read sysfs.
#[test]
fn without_root_the_kernels_facts_are_shown_and_one_line_says_what_root_would_add() {
    use std::os::unix::process::CommandExt;
    let sandbox = Sandbox::new();
    let listed = sandbox.run(&["list", "--json"]).json();
    let name = listed["drives"][0]["name"].as_str().expect("this machine has no drive, and identify is about drives").to_owned();
    // A program that anybody may run, in a place that anybody may enter.
    let public = tempfile::tempdir().unwrap();
    fs::set_permissions(public.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let program = public.path().join("ioproof");
    common::copy_program(&program);
    let mut command = std::process::Command::new(program);
    command.args(["identify", &node_of(&name, public.path())]).current_dir(public.path());
    if rustix::process::geteuid().is_root() {
        command.uid(65534).gid(65534);
    }
    let output = command.output().unwrap();
    let said = common::said(output);
    assert!(said.status == 0 && said.stdout.contains("kernel ["), "{said:?}");
    assert_eq!(said.stderr.matches("root would add").count(), 1, "{}", said.stderr);
}

/// The node of a drive that only root may open; a container may have none, and gets one.
fn node_of(name: &str, folder: &Path) -> String {
    let node = format!("/dev/{name}");
    if Path::new(&node).exists() {
        return node;
    }
    let number = fs::read_to_string(format!("/sys/class/block/{name}/dev")).unwrap();
    let (major, minor) = number.trim().split_once(':').unwrap();
    let made = folder.join(name);
    let device = rustix::fs::makedev(major.parse().unwrap(), minor.parse().unwrap());
    rustix::fs::mknodat(rustix::fs::CWD, &made, rustix::fs::FileType::BlockDevice, rustix::fs::Mode::RUSR, device).unwrap();
    made.display().to_string()
}
