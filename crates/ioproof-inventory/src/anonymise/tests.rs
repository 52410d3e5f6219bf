//! Names in texts, pages and tables; and that words which only look like names stay.

use super::*;
use ioproof_pages::field::{Field, Page, Value};

fn known(unique: &[&str], named: &[&str]) -> Anonymiser {
    let mut known = Anonymiser::default();
    unique.iter().for_each(|text| known.unique(text));
    named.iter().for_each(|text| known.named(text));
    known.sorted()
}

fn text(known: &Anonymiser, file: &str, text: &str) -> String {
    String::from_utf8(known.clean(file, text.as_bytes())).unwrap()
}

const PAGE: &str = "pages/sda/04-inquiry.bin";

#[test]
fn names_in_text_swapped_and_as_bytes() {
    let known = known(&["BTTV4495", "0x55cd2e404b"], &[]);
    assert_eq!(text(&known, "sys/x", "nqn:BTTV4495:bttv4495 INTEL SSDSC2BA800G3"), "nqn:XXXX0000:xxxx0000 INTEL SSDSC2BA800G3");
    assert_eq!(known.clean(PAGE, b"\0.TBVT4459.."), b"\0.XXXX0000..");
    assert_eq!(known.clean(PAGE, b"\0. BTTVT449  5"), b"\0. BTTVT449  5", "another order of letters is another name");
    assert_eq!(known.clean(PAGE, &[7, 0x55, 0xcd, 0x2e, 0x40, 0x4b, 7]), [7, 0, 0, 0, 0, 0, 7]);
    assert_eq!(known.clean(PAGE, &[7, 0x4b, 0x40, 0x2e, 0xcd, 0x55]), [7, 0, 0, 0, 0, 0]);
}

#[test]
fn an_odd_place_in_an_ata_string() {
    let known = known(&["S1234"], &[]);
    // " S1234" and "S1234 " with their pairs swapped.
    assert_eq!(known.clean(PAGE, b"S 2143"), b"X 0000");
    assert_eq!(known.clean(PAGE, b"1S32 4"), b"0X00 0");
}

#[test]
fn a_serial_number_without_digits() {
    let known = known(&["NVME-A"], &[]);
    assert_eq!(text(&known, "sys/serial", "NVME-A\n"), "XXXX-X\n");
    assert_eq!(text(&known, "sys/x", "NVME-AB nvme-a"), "NVME-AB nvme-a");
    assert_eq!(known.clean(PAGE, b"\0\0NVME-AQ"), b"\0\0XXXX-XQ");
    assert_eq!(known.clean(PAGE, b"\0VNEMA-\0"), b"\0XXXXX-\0");
}

#[test]
fn the_bytes_of_a_page_within_json() {
    let known = known(&["BTTV4495"], &[]);
    let json = r#"{"pages":[{"raw":"0042545456343439350a","name":"BTTV4495"}]}"#;
    let cleaned = text(&known, "identify.json", json);
    let value: serde_json::Value = serde_json::from_str(&cleaned).unwrap();
    assert_eq!(value["pages"][0]["raw"], "0058585858303030300a");
    assert_eq!(value["pages"][0]["name"], "XXXX0000");
}

#[test]
fn names_that_somebody_gave_are_whole_words_and_stand_in_their_places() {
    let known = known(&[], &["/srv/size/alice's photos", "rust-box"]);
    assert_eq!(text(&known, "sys/block/sda/queue/x", "size alice"), "size alice");
    assert_eq!(text(&known, "sys/block/dm-0/dm/name", "rust--box-alices"), "xxxa--xxx-alices");
    let mounts = text(&known, "proc/self/mountinfo", "1 2 8:1 / /srv/size/alice's\\040photos rw - ext4 /dev/sda1 rw\n");
    assert!(
        !mounts.contains("alice") && !mounts.contains("photos") && mounts.contains("\\040") && mounts.contains("ext4 /dev/sda1"),
        "{mounts}"
    );
    let json = text(&known, "capture.json", r#"{"what":"ext4 at /srv/size","kind":"size","size":1}"#);
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((value["kind"].as_str(), value["size"].as_u64()), (Some("size"), Some(1)));
    assert!(value["what"].as_str().is_some_and(|what| what.starts_with("ext4 at /srv/") && !what.contains("size")), "{json}");
}

#[test]
fn short_and_uniform_names_stay() {
    let known = known(&["A1", "00000000", "0000000000000000"], &["a", "7", "/boot/efi", "/dev/sda1"]);
    assert_eq!(text(&known, "capture.json", "A1 00000000 a 7 /boot/efi /dev/sda1"), "A1 00000000 a 7 /boot/efi /dev/sda1");
    assert_eq!(known.clean(PAGE, &[0; 16]), [0; 16]);
}

#[test]
fn of_an_nqn_only_what_is_the_drives_own() {
    let field = |key: &str, text: &str| Field {
        key: key.into(),
        title: String::new(),
        value: Value::Text(text.into()),
        unit: None,
        source: String::new(),
    };
    let fields =
        vec![field("model", "Samsung MZVL21T0HCLR"), field("nqn", "nqn.2014-08.org.nvmexpress:144d144dS676NX0R  Samsung MZVL21T0HCLR")];
    let page = Page { fields, ..Page::default() };
    let mut known = Anonymiser::default();
    known.of_pages(&[&page]);
    let known = known.sorted();
    let cleaned = text(&known, "sys/x", "nqn.2014-08.org.nvmexpress:144d144dS676NX0R  Samsung MZVL21T0HCLR");
    assert_eq!(cleaned, "nqn.2014-08.org.nvmexpress:000x000xX000XX0X  Samsung MZVL21T0HCLR");
}

#[test]
fn what_made_a_mapped_device_stays() {
    let mut known = Anonymiser::default();
    known.of_sysfs("LVM-AbCd1234EfGh5678");
    known.of_sysfs("CRYPT-LUKS2-0123456789abcdef0123456789abcdef-cellar");
    let known = known.sorted();
    assert_eq!(text(&known, "sys/block/dm-0/dm/uuid", "LVM-AbCd1234EfGh5678"), "LVM-XxXx0000XxXx0000");
    let crypt = text(&known, "sys/block/dm-1/dm/uuid", "CRYPT-LUKS2-0123456789abcdef0123456789abcdef-cellar");
    assert_eq!(crypt, "CRYPT-LUKS2-00000000000000000000000000000000-xxxxxx");
}
