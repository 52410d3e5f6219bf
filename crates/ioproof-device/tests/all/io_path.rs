//! The ways to drives: captured machines and this one, each fact with a source that is there, and what `doctor`'s rules make of them.
use ioproof_device::{host_page, io_path_pages};
use ioproof_pages::doctor::{DriveWay, HostPicture, examine};
use ioproof_pages::field::{Page, Value, find};
use ioproof_target::System;
use std::path::{Path, PathBuf};

fn fixtures() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/devices");
    let folders = std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path());
    folders.filter(|path| path.is_dir()).collect()
}

fn picture(system: &System) -> HostPicture {
    let way = |name: String| DriveWay { pages: io_path_pages(system, &name), name };
    HostPicture { host: vec![host_page(system)], drives: system.sys_list("block").into_iter().map(way).collect(), ..HostPicture::default() }
}

fn pages(picture: &HostPicture) -> impl Iterator<Item = &Page> {
    picture.host.iter().chain(picture.drives.iter().flat_map(|drive| &drive.pages))
}

/// A source that is one path, without patterns and words.
fn is_path(source: &str) -> bool {
    source.starts_with('/') && !source.contains(['*', ' '])
}

#[test]
fn every_source_is_a_file_of_the_tree() {
    for folder in fixtures() {
        let picture = picture(&System::captured(&folder));
        let fields = pages(&picture).flat_map(|page| &page.fields).filter(|field| is_path(&field.source));
        let mut sources: Vec<&str> = fields.map(|field| field.source.as_str()).collect();
        // The limit of locked memory is asked of the kernel where a tree has no file of it.
        sources.retain(|source| *source != "/proc/self/limits" && *source != "/proc/self/status");
        assert!(!sources.is_empty(), "{}", folder.display());
        sources.iter().for_each(|source| assert!(folder.join(&source[1..]).exists(), "{}: {source}", folder.display()));
    }
}

#[test]
fn keys_are_there_once_a_page() {
    let machines = fixtures().into_iter().map(|folder| System::captured(&folder)).chain([System::host()]);
    for picture in machines.map(|system| picture(&system)) {
        for page in pages(&picture) {
            let mut keys: Vec<&str> = page.fields.iter().map(|field| field.key.as_str()).collect();
            keys.sort_unstable();
            let all = keys.len();
            keys.dedup();
            assert_eq!(keys.len(), all, "{}: {keys:?}", page.source);
        }
    }
}

#[test]
fn a_drive_behind_a_switch() {
    let folder = fixtures().into_iter().find(|folder| folder.ends_with("nvme-p3700-behind-switch")).unwrap();
    let picture = picture(&System::captured(&folder));
    let pages = &picture.drives.iter().find(|drive| drive.name == "nvme0n1").unwrap().pages;
    let number = |key: &str| find(pages, key).map(|field| field.value.clone());
    assert_eq!(number("function_0_aer_correctable"), Some(Value::Number(3)));
    assert_eq!(number("interrupt_count"), Some(Value::Number(410_233 + 398_871)));
    assert_eq!(number("io_interrupts"), Some(Value::List(vec!["46".into(), "47".into()])));
    assert_eq!(number("interrupt_effective_affinity"), Some(Value::List(vec!["46: 3".into(), "47: 17".into()])));
    assert_eq!(number("hardware_queues"), Some(Value::Number(2)));
    assert_eq!(number("iommu_group_type"), Some(Value::Text("DMA-FQ".into())));
    let advice = examine(&picture);
    let told: Vec<&str> = advice.iter().map(|advice| advice.rule.as_str()).collect();
    assert_eq!(told, ["link-below-capability", "link-errors", "iommu"], "{advice:#?}");
    assert!(
        advice[0].title.contains("the link of 0000:02:00.0 runs at 8.0 GT/s x2, and both ends can do 8.0 GT/s x8"),
        "{}",
        advice[0].title
    );
}

#[test]
fn an_emulated_drive_has_no_link_to_complain_of() {
    let folder = fixtures().into_iter().find(|folder| folder.ends_with("nvme-emulated")).unwrap();
    let advice = examine(&picture(&System::captured(&folder)));
    assert!(!advice.iter().any(|advice| advice.rule.starts_with("link") || advice.rule == "narrow-bridge"), "{advice:#?}");
}
