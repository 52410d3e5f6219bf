//! A SATA hard disk with sectors that it could not read.

use super::folder::{Folder, padded, page, put};

const PORT: &str = "devices/pci0000:00/0000:00:1f.2/ata1";
const SERIAL: &str = "MADE-0004";
const MODEL: &str = "MADE HDD 4TB";
const FIRMWARE: &str = "MA01";
const SIZE_BYTES: u64 = 4_000_787_030_016;

/// (number, flags, value, worst, raw) of SMART attributes.
const ATTRIBUTES: [(u8, u16, u8, u8, u64); 9] = [
    (1, 0x000f, 117, 99, 143_000_000),
    (5, 0x0033, 98, 98, 56),
    (9, 0x0032, 61, 61, 34_567),
    (12, 0x0032, 100, 100, 88),
    (187, 0x0032, 92, 92, 8),
    (194, 0x0022, 41, 52, 41),
    (197, 0x0012, 100, 100, 24),
    (198, 0x0010, 100, 100, 24),
    (199, 0x003e, 200, 199, 3),
];

/// Text as ATA has it.
fn swapped(text: &str, length: usize) -> Vec<u8> {
    padded(text, length).chunks_exact(2).flat_map(|pair| [pair[1], pair[0]]).collect()
}

/// The last byte makes the sum of all zero.
fn summed(mut bytes: Vec<u8>) -> Vec<u8> {
    let sum = bytes[..511].iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
    bytes[511] = sum.wrapping_neg();
    bytes
}

fn identify() -> Vec<u8> {
    let mut bytes = page("made-identify-hdd");
    put(&mut bytes, 20, &swapped(SERIAL, 20));
    put(&mut bytes, 46, &swapped(FIRMWARE, 8));
    put(&mut bytes, 54, &swapped(MODEL, 40));
    let sectors = (SIZE_BYTES / 512).to_le_bytes();
    put(&mut bytes, 200, &sectors);
    // 512 bytes of 4096, no logs of the general kind, SMART there and on.
    put(&mut bytes, 212, &0x6003_u16.to_le_bytes());
    put(&mut bytes, 234, &[0; 4]);
    for at in [2 * 84, 2 * 87] {
        bytes[at] &= !(1 << 5);
    }
    bytes[2 * 82] |= 1;
    bytes[2 * 85] |= 1;
    let is_summed = bytes[510] == 0xa5;
    if is_summed { summed(bytes) } else { bytes }
}

fn smart() -> Vec<u8> {
    let mut bytes = vec![0; 512];
    bytes[0] = 10;
    for (at, (id, flags, value, worst, raw)) in ATTRIBUTES.into_iter().enumerate() {
        let at = 2 + 12 * at;
        put(&mut bytes, at, &[id]);
        put(&mut bytes, at + 1, &flags.to_le_bytes());
        put(&mut bytes, at + 3, &[value, worst]);
        put(&mut bytes, at + 5, &raw.to_le_bytes()[..6]);
    }
    summed(bytes)
}

fn thresholds() -> Vec<u8> {
    let mut bytes = vec![0; 512];
    bytes[0] = 10;
    for (at, (id, ..)) in ATTRIBUTES.into_iter().enumerate() {
        let least = match id {
            1 => 6,
            5 => 36,
            _ => 0,
        };
        put(&mut bytes, 2 + 12 * at, &[id, least]);
    }
    summed(bytes)
}

fn serial_page() -> Vec<u8> {
    [&[0, 0x80, 0, 20][..], &padded(SERIAL, 20)].concat()
}

fn inquiry() -> Vec<u8> {
    let mut bytes = page("sata-inquiry");
    put(&mut bytes, 16, &padded(MODEL, 16));
    put(&mut bytes, 32, &padded(FIRMWARE, 4));
    bytes
}

fn capacity() -> Vec<u8> {
    let mut bytes = vec![0; 32];
    put(&mut bytes, 0, &(SIZE_BYTES / 512 - 1).to_be_bytes());
    put(&mut bytes, 8, &512_u32.to_be_bytes());
    bytes[13] = 3;
    bytes
}

fn characteristics() -> Vec<u8> {
    let mut bytes = vec![0; 64];
    put(&mut bytes, 0, &[0, 0xb1, 0, 60, 0x17, 0x0c, 0, 2]);
    bytes
}

pub fn pending_sectors() -> Folder {
    let device = format!("{PORT}/host0/target0:0:0/0:0:0:0");
    let mut folder = Folder::new("made-sata-pending-sectors", &format!("{device}/block/sda"), "8:0", SIZE_BYTES);
    folder.link(&format!("sys/{device}/block/sda/device"), "../../../0:0:0:0");
    for (file, text) in [("vendor", "ATA     "), ("model", MODEL), ("rev", FIRMWARE)] {
        folder.text(&format!("sys/{device}/{file}"), text);
    }
    folder.file(&format!("sys/{device}/vpd_pg80"), &serial_page());
    folder.link("sys/class/ata_link/link1", &format!("../../{PORT}/link1/ata_link/link1"));
    folder.text(&format!("sys/{PORT}/link1/ata_link/link1/sata_spd"), "6.0 Gbps");
    folder.text("sys/devices/pci0000:00/0000:00:1f.2/vendor", "0x8086");
    folder.queue(&[
        ("logical_block_size", "512"),
        ("physical_block_size", "4096"),
        ("rotational", "1"),
        ("write_cache", "write back"),
        ("fua", "0"),
        ("scheduler", "[mq-deadline] none"),
        ("nr_requests", "64"),
        ("max_sectors_kb", "1280"),
    ]);
    folder.answer("identify-device-through-ata-pass-through-16", &identify());
    folder.answer("smart-return-status-through-ata-pass-through-16", &page("sata-smart-status-sense"));
    folder.answer("smart-read-data-through-ata-pass-through-16", &smart());
    folder.answer("smart-read-attribute-thresholds-through-ata-pass-through-16", &thresholds());
    folder.answer("inquiry", &inquiry());
    folder.answer("inquiry-vpd-page-00h", &[0, 0, 0, 3, 0, 0x80, 0xb1]);
    folder.answer("read-capacity-16", &capacity());
    folder.answer("inquiry-vpd-page-80h", &serial_page());
    folder.answer("inquiry-vpd-page-b1h", &characteristics());
    folder.answer("mode-sense-10-mode-page-08h", &page("sata-mode-page-8"));
    folder.done()
}
