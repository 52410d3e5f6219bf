//! A SAS hard disk with the log pages that an emulated one has not.

use super::folder::{Folder, padded, page, put};

const SERIAL: &str = "MADE0005";
const SIZE_BYTES: u64 = 1_200_243_695_616;

fn inquiry() -> Vec<u8> {
    let mut bytes = page("scsi-debug-inquiry");
    put(&mut bytes, 8, &padded("MADE", 8));
    put(&mut bytes, 16, &padded("SAS HDD 15K", 16));
    put(&mut bytes, 32, &padded("SN02", 4));
    put(&mut bytes, 36, &[0; 20]);
    bytes
}

/// A designator: the drive's own name, NAA 5.
fn identification() -> Vec<u8> {
    let name = [0x50, 0x00, 0xc5, 0x00, 0x00, 0x00, 0x00, 0x05];
    [&[0, 0x83, 0, 12, 1, 3, 0, 8][..], &name].concat()
}

fn serial_page() -> Vec<u8> {
    [&[0, 0x80, 0, 8][..], SERIAL.as_bytes()].concat()
}

fn capacity() -> Vec<u8> {
    let mut bytes = vec![0; 32];
    put(&mut bytes, 0, &(SIZE_BYTES / 512 - 1).to_be_bytes());
    put(&mut bytes, 8, &512_u32.to_be_bytes());
    bytes
}

pub fn drive() -> Folder {
    let adapter = "devices/pci0000:00/0000:00:02.0/0000:03:00.0";
    let device = format!("{adapter}/host1/port-1:1/end_device-1:1/target1:0:1/1:0:1:0");
    let mut folder = Folder::new("made-sas-hdd", &format!("{device}/block/sdc"), "8:32", SIZE_BYTES);
    folder.link(&format!("sys/{device}/block/sdc/device"), "../../../1:0:1:0");
    for (file, text) in [("vendor", "MADE    "), ("model", "SAS HDD 15K     "), ("rev", "SN02")] {
        folder.text(&format!("sys/{device}/{file}"), text);
    }
    folder.file(&format!("sys/{device}/vpd_pg80"), &serial_page());
    folder.text(&format!("sys/{adapter}/vendor"), "0x1000");
    folder.text(&format!("sys/{adapter}/numa_node"), "0");
    folder.queue(&[
        ("logical_block_size", "512"),
        ("physical_block_size", "512"),
        ("rotational", "1"),
        ("write_cache", "write through"),
        ("fua", "0"),
        ("scheduler", "[mq-deadline] none"),
        ("nr_requests", "254"),
        ("max_sectors_kb", "512"),
    ]);
    folder.answer("inquiry", &inquiry());
    folder.answer("inquiry-vpd-page-00h", &[0, 0, 0, 5, 0, 0x80, 0x83, 0x86, 0xb1]);
    folder.answer("read-capacity-16", &capacity());
    folder.answer("inquiry-vpd-page-80h", &serial_page());
    folder.answer("inquiry-vpd-page-83h", &identification());
    folder.answer("inquiry-vpd-page-86h", &page("made-vpd-86"));
    folder.answer("inquiry-vpd-page-b1h", &page("made-vpd-b1-sas-hdd"));
    folder.answer("mode-sense-10-mode-page-08h", &page("scsi-debug-mode-page-8"));
    let logs = [0x00, 0x02, 0x03, 0x0d, 0x0e, 0x15, 0x18];
    folder.answer("log-sense-log-page-00h", &[&[0, 0, 0, logs.len() as u8][..], &logs].concat());
    folder.answer("log-sense-log-page-0dh", &page("scsi-debug-log-0d"));
    for code in ["15", "0e", "02", "03", "18"] {
        folder.answer(&format!("log-sense-log-page-{code}h"), &page(&format!("made-log-{code}")));
    }
    folder.done()
}
