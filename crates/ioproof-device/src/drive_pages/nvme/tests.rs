//! Drives as scripts: which commands go out for which drive, in every field, and what becomes of the answers. The pages are those of the rig's emulated drive.

use super::*;
use crate::transport::scripted::{Scripted, Step, step};
use ioproof_pages::field::find;

const CONTROLLER: &[u8] = include_bytes!("../../../../../fixtures/pages/nvme-qemu-identify-controller.bin");
const NAMESPACE: &[u8] = include_bytes!("../../../../../fixtures/pages/nvme-qemu-identify-namespace.bin");
const LIST: &[u8] = include_bytes!("../../../../../fixtures/pages/nvme-qemu-namespace-list.bin");
const DESCRIPTORS: &[u8] = include_bytes!("../../../../../fixtures/pages/nvme-qemu-namespace-descriptors.bin");
const SMART: &[u8] = include_bytes!("../../../../../fixtures/pages/nvme-qemu-smart-log.bin");
const ERRORS: &[u8] = include_bytes!("../../../../../fixtures/pages/nvme-qemu-error-log.bin");
const FIRMWARE: &[u8] = include_bytes!("../../../../../fixtures/pages/nvme-qemu-firmware-log.bin");
const LIMITS: &[u8] = include_bytes!("../../../../../fixtures/pages/nvme-qemu-identify-controller-nvm.bin");

const ALL: u32 = 0xffff_ffff;
const INVALID_FIELD: NvmeRefusal = NvmeRefusal::Status(0x4002);

fn identify(namespace: u32, cns: u32, page: &[u8]) -> Step {
    step(0x06, namespace, [cns, 0], 4096, 0, page)
}

/// The emulated controller has extended formats (CTRATT bit 15).
fn namespace(id: u32) -> [Step; 3] {
    [identify(id, 0, NAMESPACE), identify(id, 3, DESCRIPTORS), identify(id, 5, &[0; 4096])]
}

/// The limits of the command set that the descriptors name.
fn limits() -> [Step; 1] {
    [identify(0, 6, LIMITS)]
}

fn logs() -> [Step; 3] {
    [
        step(0x02, ALL, [0x007f_0002, 0], 512, 0, SMART),
        step(0x02, ALL, [0x000f_0001, 0], 64, 0, ERRORS),
        step(0x02, ALL, [0x007f_0003, 0], 512, 0, FIRMWARE),
    ]
}

fn setting(number: u32, cdw11: u32, result: u32) -> Step {
    step(0x0a, 0, [number, cdw11], 0, result, &[])
}

fn settings() -> [Step; 5] {
    [setting(2, 0, 0), setting(4, 0, 0x157), setting(4, 1 << 20, 0), setting(6, 0, 1), setting(7, 0, 0x003f_003f)]
}

/// The emulated controller with two namespaces, as it is asked from its own node.
fn script() -> Vec<Step> {
    let first = [identify(0, 1, CONTROLLER), identify(0, 2, LIST)];
    first.into_iter().chain(namespace(1)).chain(namespace(2)).chain(limits()).chain(logs()).chain(settings()).collect()
}

fn run(own: Option<u32>, script: Vec<Step>) -> Result<Vec<Page>, ReadError> {
    let mut drive = Scripted::new(own, script);
    let pages = nvme_pages_over(&mut drive);
    assert!(drive.is_over(), "commands did not come: {drive:?}");
    pages
}

/// The steps with the one at this place refused.
fn refuse(mut script: Vec<Step>, at: usize, refusal: NvmeRefusal) -> Vec<Step> {
    let step = script.remove(at).refused(refusal);
    script.insert(at, step);
    script
}

/// An Identify Controller page with these bytes put into that of the emulated drive.
fn controller_with(places: &[(usize, u8)]) -> Vec<u8> {
    let mut page = CONTROLLER.to_vec();
    for (at, byte) in places {
        page[*at] = *byte;
    }
    page
}

fn names(pages: &[Page]) -> Vec<&str> {
    pages.iter().map(|page| page.name.as_str()).collect()
}

#[test]
fn a_controller_is_asked_for_all_that_it_has_and_nothing_more() {
    let pages = run(None, script()).unwrap();
    let expected = [
        "identify-controller",
        "active-namespaces",
        "identify-namespace",
        "namespace-descriptors",
        "identify-namespace-nvm",
        "identify-namespace",
        "namespace-descriptors",
        "identify-namespace-nvm",
        "identify-controller-nvm",
        "smart-log",
        "error-log",
        "firmware-log",
        "feature-power-management",
        "feature-temperature-over",
        "feature-temperature-under",
        "feature-volatile-write-cache",
        "feature-queues",
    ];
    assert_eq!(names(&pages), expected);
    assert!(pages.iter().all(|page| page.problems.is_empty()), "{pages:?}");
    assert!(pages.iter().all(|page| page.source.ends_with(" of /dev/nvme7") && !page.raw.is_empty()));
    let number = |key: &str| find(&pages, key).map(|field| field.value.clone());
    assert_eq!(number("namespaces"), Some(Value::Number(2)));
    assert_eq!(number("temperature_celsius"), Some(Value::Number(50)));
    assert_eq!(number("temperature_over_celsius"), Some(Value::Number(70)));
    assert_eq!((number("write_cache_enabled"), number("submission_queues")), (Some(Value::Flag(true)), Some(Value::Number(64))));
}

#[test]
fn the_namespace_of_the_node_comes_first() {
    let mut script = script();
    let other: Vec<Step> = script.drain(2..5).collect();
    script.splice(5..5, other);
    let pages = run(Some(2), script).unwrap();
    let ids: Vec<u64> = pages.iter().filter_map(|page| page.number("namespace_id")).collect();
    assert_eq!(ids, [2, 2, 2, 1, 1, 1]);
}

/// Every command in turn fails; all other pages are what they were.
#[test]
fn one_failed_command_costs_its_own_page_only() {
    let whole = run(None, script()).unwrap();
    // Without the controller or the list, fewer commands follow; those cases are below.
    for at in 2..script().len() {
        let pages = run(None, refuse(script(), at, INVALID_FIELD)).unwrap();
        assert_eq!(names(&pages), names(&whole));
        for (index, (page, whole)) in pages.iter().zip(&whole).enumerate() {
            if index == at {
                assert_eq!(page.problems, ["the drive refused: invalid field in command (status 0x002)"]);
                assert!(page.fields.is_empty() && page.raw.is_empty());
            } else {
                assert_eq!(page, whole);
            }
        }
    }
}

#[test]
fn without_its_identity_the_controller_is_asked_for_what_every_one_has() {
    let first = [identify(0, 1, &[]).refused(NvmeRefusal::System("Input/output error".into())), identify(0, 2, LIST)];
    let namespaces = [identify(1, 0, NAMESPACE), identify(2, 0, NAMESPACE)];
    let features = [setting(2, 0, 0), setting(4, 0, 0x157), setting(7, 0, 0x003f_003f)];
    let pages = run(None, first.into_iter().chain(namespaces).chain(logs()).chain(features).collect()).unwrap();
    assert_eq!(pages[0].problems, ["could not be read: Input/output error"]);
    assert_eq!(find(&pages, "capacity_bytes").map(|field| field.value.clone()), Some(Value::Number(32 << 20)));
}

#[test]
fn without_a_list_the_namespace_of_the_node_is_still_there() {
    let first = [identify(0, 1, &controller_with(&[(516, 2), (517, 0)])), identify(0, 2, &[]).refused(INVALID_FIELD)];
    let script = first.into_iter().chain(namespace(2)).chain(namespace(1)).chain(limits()).chain(logs()).chain(settings()).collect();
    let pages = run(Some(2), script).unwrap();
    assert_eq!(pages.iter().filter(|page| page.name == "identify-namespace").count(), 2);
}

#[test]
fn an_old_drive_is_not_asked_for_what_came_later() {
    let old = controller_with(&[(97, 0), (80, 0), (81, 0), (82, 0), (83, 0), (516, 1), (517, 0), (525, 0)]);
    let features = [setting(2, 0, 0), setting(4, 0, 0x157), setting(7, 0, 0)];
    let script = [identify(0, 1, &old), identify(1, 0, NAMESPACE)].into_iter().chain(logs()).chain(features).collect();
    assert_eq!(run(None, script).unwrap().len(), 8);
}

/// Version 2.0, supported log pages (LPA bit 5), self-test, host memory buffer, throttling temperatures, 64 errors, transfers of 8 KiB.
#[test]
fn a_new_drive_is_asked_for_what_it_announces() {
    let new = controller_with(&[(81, 0), (82, 2), (256, 0x10), (261, 0x20), (262, 255), (272, 1), (322, 1), (77, 1)]);
    let mut supported = [0; 1024];
    supported[4 * 6] = 1;
    let mut script: Vec<Step> = [identify(0, 1, &new), identify(0, 2, LIST)].into_iter().chain(namespace(1)).chain(namespace(2)).collect();
    script.push(identify(0, 6, LIMITS));
    script.push(step(0x02, ALL, [0x00ff_0000, 0], 1024, 0, &supported));
    let [smart, _, firmware] = logs();
    script.push(smart);
    script.push(step(0x02, ALL, [0x07ff_0001, 0], 8192, 0, &[0; 8192]));
    script.push(firmware);
    script.push(step(0x02, ALL, [0x008c_0006, 0], 564, 0, &[0; 564]));
    let [power, over, under, cache, queues] = settings();
    script.extend([power, over, under, cache, queues]);
    script.push(step(0x0a, 0, [0x0d, 0], 4096, 1, &[1; 4096]));
    script.push(setting(0x10, 0, 0x0160_0166));
    let pages = run(None, script).unwrap();
    assert_eq!(find(&pages, "thermal_management_1_celsius").map(|field| field.value.clone()), Some(Value::Number(79)));
    assert_eq!(find(&pages, "host_memory_buffer_bytes").map(|field| field.value.clone()), Some(Value::Number(0x0101_0101 * 4096)));
    assert!(find(&pages, "self_test_running").is_some() && find(&pages, "verify_max_bytes").is_some());
    assert!(pages.iter().all(|page| page.problems.is_empty()), "{pages:?}");
}

/// The list of log pages is the later word: without 06h there, the self-tests are not asked for.
#[test]
fn a_log_page_that_is_not_listed_is_not_asked_for() {
    let new = controller_with(&[(256, 0x10), (261, 0x20)]);
    let mut script = script();
    script[0] = identify(0, 1, &new);
    script.insert(9, step(0x02, ALL, [0x00ff_0000, 0], 1024, 0, &[0; 1024]));
    let pages = run(None, script).unwrap();
    assert!(names(&pages).contains(&"supported-logs") && !names(&pages).contains(&"self-test-log"));
}

#[test]
fn who_may_ask_nothing_is_told_what_root_would_add() {
    let denied = |step: Step| step.refused(NvmeRefusal::NotPermitted);
    let script = [identify(0, 1, &[]), identify(0, 2, &[]), identify(3, 0, &[])].into_iter().chain(logs());
    let script = script.chain([setting(2, 0, 0), setting(4, 0, 0), setting(7, 0, 0)]).map(denied).collect();
    let error = run(Some(3), script).unwrap_err();
    assert_eq!(error, ReadError::NotPermitted("/dev/nvme7".into()));
    assert!(error.to_string().contains("root would add"), "{error}");
}

#[test]
fn who_may_ask_some_gets_it_and_one_line_about_the_rest() {
    let mut script = script();
    for at in [9, 10, 11] {
        script = refuse(script, at, NvmeRefusal::NotPermitted);
    }
    let pages = run(None, script).unwrap();
    assert_eq!(pages[0].problems, ["this user may not read all of /dev/nvme7; root would add smart-log, error-log, firmware-log"]);
    assert!(pages[1..].iter().all(|page| page.problems.is_empty()) && !names(&pages).contains(&"smart-log"));
}

/// A page that is shorter than it should be is decoded as far as it goes.
#[test]
fn a_short_answer_is_named() {
    let mut script = script();
    script[9] = step(0x02, ALL, [0x007f_0002, 0], 512, 0, &SMART[..100]);
    let pages = run(None, script).unwrap();
    assert!(
        pages[9].problems[0].starts_with("has 100 bytes instead of 512; missing are: controller_busy_minutes"),
        "{:?}",
        pages[9].problems
    );
    assert_eq!(pages[9].number("temperature_celsius"), Some(50));
}
