//! `ioproof sync --show-loss`: the real program in a directory that lives on.

use crate::common::Sandbox;

#[test]
fn steps_are_written_in_a_folder_of_its_own_and_without_a_cut_nothing_is_told() {
    let sandbox = Sandbox::new();
    std::fs::write(sandbox.path("bystander"), "of somebody else").unwrap();
    for number in 1..=2 {
        let said = sandbox.run(&["sync", "--show-loss", ".", "--time", "300ms", "--json"]);
        let document = said.json();
        assert_eq!((said.status, &document["folder"]), (0, &format!("./ioproof-show-loss-{number}").into()), "{said:?}");
        assert!(
            said.stderr.contains("cut the power now, or whenever you like; when it is back: ioproof sync --show-loss --after ."),
            "{said:?}"
        );
        assert!(document["done"].as_u64().unwrap() > 0 && document["done"] == document["buffered"], "{document}");
    }
    let said = sandbox.run(&["sync", "--show-loss", "--after", "."]);
    assert_eq!(said.status, 3, "{said:?}");
    assert!(said.stdout.contains("ioproof-show-loss-2: ") && said.stdout.contains("nothing was cut"), "{said:?}");
    let file = std::fs::OpenOptions::new().write(true).open(sandbox.path("ioproof-show-loss-2/fsynced")).unwrap();
    file.set_len(0).unwrap();
    let harmed = sandbox.run(&["sync", "--show-loss", "--after", ".", "--json"]);
    assert_eq!((harmed.status, &harmed.json()["fsynced"], &harmed.json()["was_cut"]), (3, &0.into(), &false.into()), "{harmed:?}");
    let first = sandbox.run(&["sync", "--show-loss", "--after", "ioproof-show-loss-1", "--json"]);
    assert_eq!((first.status, &first.json()["folder"]), (3, &"ioproof-show-loss-1".into()), "{first:?}");
    std::fs::write(sandbox.path("ioproof-show-loss-2/boot_id"), "").unwrap();
    let unknown = sandbox.run(&["sync", "--show-loss", "--after", "."]);
    assert!(unknown.status == 3 && unknown.stdout.contains("cannot be told") && !unknown.stdout.contains("lied"), "{unknown:?}");
    assert_eq!(std::fs::read(sandbox.path("bystander")).unwrap(), b"of somebody else");
}

#[test]
fn the_synced_file_tells_of_a_lost_write_of_what_was_done() {
    let sandbox = Sandbox::new();
    let written = sandbox.run(&["sync", "--show-loss", ".", "--time", "1s", "--json"]).json();
    let steps = written["fsynced"].as_u64().unwrap();
    assert!(steps > 2, "{written}");
    let at = |name: &str| sandbox.path(&format!("ioproof-show-loss-1/{name}"));
    // As if booted anew, on a drive that had lost each write of that file.
    std::fs::write(at("boot_id"), "00000000-1111-2222-3333-444444444444").unwrap();
    std::fs::write(at("done"), [0; 512]).unwrap();
    let said = sandbox.run(&["sync", "--show-loss", "--after", "."]);
    let gone = format!("done      bears step 0, and the {} behind it are GONE: fsync had promised them", steps - 1);
    assert!(said.status == 1 && said.stdout.contains(&gone), "{said:?}");
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let status = sandbox.command(&["sync", "--show-loss", "--after", "."]).stdout(full).status().unwrap();
    assert_eq!(status.code(), Some(1));
}

#[test]
fn what_makes_no_sense_is_refused_with_what_to_do() {
    let sandbox = Sandbox::new();
    sandbox.file("file", 4096);
    sandbox.run(&["sync", "--show-loss", "file"]).refuses(&["is no directory", "name a directory"]);
    sandbox.run(&["sync", "--show-loss", "--after", "."]).refuses(&["there is no ioproof-show-loss-1", "ioproof sync --show-loss ."]);
    for flags in [&["--after", "."][..], &["--show-loss", ".", "--bs", "4KiB"], &["--show-loss", ".", "--as", "etcd"]] {
        let said = sandbox.run(&[&["sync"], flags].concat());
        assert!(said.status == 2 && said.stderr.contains("--show-loss"), "{said:?}");
    }
    assert_eq!(sandbox.left_behind(), ["file"]);
}

#[test]
fn names_of_somebody_else_are_left_out_in_writing_and_in_looking() {
    let sandbox = Sandbox::new();
    sandbox.file("ioproof-show-loss-1", 4096);
    std::os::unix::fs::symlink("elsewhere", sandbox.path("ioproof-show-loss-2")).unwrap();
    let written = sandbox.run(&["sync", "--show-loss", ".", "--time", "300ms", "--json"]);
    assert_eq!(written.json()["folder"], "./ioproof-show-loss-3", "{written:?}");
    let said = sandbox.run(&["sync", "--show-loss", "--after", "."]);
    assert!(said.status == 3 && said.stdout.contains("ioproof-show-loss-3: "), "{said:?}");
}
