//! Three NVMe drives: without a volatile write cache, worn, and with several formats.

use super::folder::{Folder, padded, page, put};

const FUNCTION: &str = "devices/pci0000:00/0000:00:01.0/0000:01:00.0";

/// Parts in which the three drives differ.
struct Drive {
    folder: &'static str,
    vendor: u16,
    model: &'static str,
    serial: &'static str,
    firmware: &'static str,
    size_bytes: u64,
    has_write_cache: bool,
    /// Bytes of a block, as a power of two.
    block: u8,
}

impl Drive {
    fn folder(&self) -> Folder {
        let controller = format!("{FUNCTION}/nvme/nvme0");
        let mut folder = Folder::new(self.folder, &format!("{controller}/nvme0n1"), "259:0", self.size_bytes);
        for (file, text) in [("model", self.model), ("serial", self.serial), ("firmware_rev", self.firmware), ("transport", "pcie")] {
            folder.text(&format!("sys/{controller}/{file}"), text);
        }
        folder.link(&format!("sys/{controller}/nvme0n1/device"), "../../nvme0");
        folder.text(&format!("sys/{controller}/hwmon1/name"), "nvme");
        folder.text(&format!("sys/{controller}/hwmon1/temp1_input"), "38850");
        let block = (1_u64 << self.block).to_string();
        folder.queue(&[
            ("logical_block_size", &block),
            ("physical_block_size", &block),
            ("rotational", "0"),
            ("write_cache", if self.has_write_cache { "write back" } else { "write through" }),
            ("fua", if self.has_write_cache { "1" } else { "0" }),
            ("scheduler", "[none] mq-deadline"),
            ("nr_requests", "1023"),
            ("max_sectors_kb", "128"),
        ]);
        links(&mut folder, self.vendor);
        folder
    }

    fn controller(&self) -> Vec<u8> {
        let mut bytes = page("nvme-qemu-identify-controller");
        put(&mut bytes, 0, &self.vendor.to_le_bytes());
        put(&mut bytes, 2, &self.vendor.to_le_bytes());
        put(&mut bytes, 4, &padded(self.serial, 20));
        put(&mut bytes, 24, &padded(self.model, 40));
        put(&mut bytes, 64, &padded(self.firmware, 8));
        // Version 1.3, so that the namespace describes itself.
        put(&mut bytes, 80, &0x0001_0300_u32.to_le_bytes());
        // No self-tests, one namespace, no log of supported pages.
        put(&mut bytes, 256, &[0, 0]);
        put(&mut bytes, 261, &[0]);
        put(&mut bytes, 266, &(273_u16 + 77).to_le_bytes());
        put(&mut bytes, 268, &(273_u16 + 84).to_le_bytes());
        put(&mut bytes, 280, &u128::from(self.size_bytes).to_le_bytes());
        put(&mut bytes, 516, &1_u32.to_le_bytes());
        put(&mut bytes, 525, &[u8::from(self.has_write_cache)]);
        put(&mut bytes, 768, &[0; 256]);
        put(&mut bytes, 768, format!("nqn.2014-08.org.nvmexpress:{:04x}{:04x}{}", self.vendor, self.vendor, self.serial).as_bytes());
        bytes
    }

    /// `formats` are (metadata bytes, power of two of the data, relative performance), the one in use the first of its size without metadata.
    fn namespace(&self, formats: &[(u16, u8, u8)]) -> Vec<u8> {
        let mut bytes = vec![0; 4096];
        let blocks = (self.size_bytes >> self.block).to_le_bytes();
        for at in [0, 8, 16] {
            put(&mut bytes, at, &blocks);
        }
        let used = formats.iter().position(|(metadata, block, _)| (*metadata, *block) == (0, self.block)).unwrap();
        bytes[25] = formats.len() as u8 - 1;
        bytes[26] = used as u8;
        put(&mut bytes, 48, &u128::from(self.size_bytes).to_le_bytes());
        for (at, (metadata, block, performance)) in formats.iter().enumerate() {
            let [low, high] = metadata.to_le_bytes();
            put(&mut bytes, 128 + 4 * at, &[low, high, *block, *performance]);
        }
        put(&mut bytes, 120, &EUI64);
        bytes
    }

    fn answers(&self, folder: &mut Folder, formats: &[(u16, u8, u8)], smart: &[u8]) {
        folder.answer("identify-cns-01h", &self.controller());
        let mut list = vec![0; 4096];
        list[0] = 1;
        folder.answer("identify-cns-02h", &list);
        folder.answer("identify-cns-00h-namespace-1", &self.namespace(formats));
        let mut descriptors = vec![0; 4096];
        put(&mut descriptors, 0, &[1, 8, 0, 0]);
        put(&mut descriptors, 4, &EUI64);
        folder.answer("identify-cns-03h-namespace-1", &descriptors);
        folder.answer("get-log-page-02h", smart);
        folder.answer("get-log-page-01h", &page("nvme-qemu-error-log"));
        let mut firmware = vec![0; 512];
        firmware[0] = 1;
        put(&mut firmware, 8, &padded(self.firmware, 8));
        folder.answer("get-log-page-03h", &firmware);
        let mut feature = |name: &str, value: u32| folder.answer(name, &value.to_le_bytes());
        feature("get-features-02h", 0);
        feature("get-features-04h-over", 273 + 77);
        feature("get-features-04h-under", 1 << 20);
        if self.has_write_cache {
            feature("get-features-06h", 1);
        }
        feature("get-features-07h", 0x001f_001f);
    }
}

const EUI64: [u8; 8] = [0x5c, 0xd2, 0xe4, 0x00, 0x00, 0x00, 0x00, 0x01];

fn links(folder: &mut Folder, vendor: u16) {
    let port = "devices/pci0000:00/0000:00:01.0";
    for (function, vendor) in [(port, 0x8086), (FUNCTION, vendor)] {
        for (file, text) in [("vendor", format!("0x{vendor:04x}").as_str()), ("numa_node", "0")] {
            folder.text(&format!("sys/{function}/{file}"), text);
        }
        for (file, text) in [("current_link_speed", "8.0 GT/s PCIe"), ("max_link_speed", "8.0 GT/s PCIe")] {
            folder.text(&format!("sys/{function}/{file}"), text);
        }
        for file in ["current_link_width", "max_link_width"] {
            folder.text(&format!("sys/{function}/{file}"), "4");
        }
    }
}

/// A log of health: (place, bytes).
fn smart(places: &[(usize, &[u8])]) -> Vec<u8> {
    let mut bytes = vec![0; 512];
    put(&mut bytes, 1, &(273_u16 + 39).to_le_bytes());
    put(&mut bytes, 3, &[100, 10, 0]);
    // Units read and written, commands, cycles, hours: each of 16 bytes.
    for (at, value) in
        [(32, 1_234_567_u64), (48, 2_345_678), (64, 34_567_890), (80, 45_678_901), (96, 321), (112, 17), (128, 8760), (144, 3)]
    {
        put(&mut bytes, at, &value.to_le_bytes());
    }
    places.iter().for_each(|(at, value)| put(&mut bytes, *at, value));
    bytes
}

pub fn without_write_cache() -> Folder {
    let drive = Drive {
        folder: "made-nvme-no-write-cache",
        vendor: 0x8086,
        model: "MADE NVME PLP",
        serial: "MADE00000000000001",
        firmware: "8DV10171",
        size_bytes: 800_166_076_416,
        has_write_cache: false,
        block: 9,
    };
    let mut folder = drive.folder();
    drive.answers(&mut folder, &[(0, 9, 0)], &smart(&[]));
    folder.done()
}

/// All warnings but that of a failed backup of memory; more than its rated writes; the spare blocks below their threshold.
pub fn worn() -> Folder {
    let drive = Drive {
        folder: "made-nvme-worn",
        vendor: 0x144d,
        model: "MADE NVME WORN",
        serial: "MADE00000000000002",
        firmware: "2B4QEXM7",
        size_bytes: 512_110_190_592,
        has_write_cache: true,
        block: 9,
    };
    let mut folder = drive.folder();
    let errors = 12_u64.to_le_bytes();
    let smart = smart(&[(0, &[0b0000_1101]), (3, &[4, 10, 104]), (160, &errors), (176, &errors)]);
    drive.answers(&mut folder, &[(0, 9, 0)], &smart);
    folder.done()
}

pub fn with_formats() -> Folder {
    let drive = Drive {
        folder: "made-nvme-formats",
        vendor: 0x1344,
        model: "MADE NVME DC",
        serial: "MADE00000000000003",
        firmware: "E2MU200",
        size_bytes: 3_840_755_982_336,
        has_write_cache: false,
        block: 12,
    };
    let mut folder = drive.folder();
    let formats = [(0, 9, 2), (8, 9, 3), (0, 12, 0), (8, 12, 1), (64, 12, 1)];
    drive.answers(&mut folder, &formats, &smart(&[(5, &[1])]));
    folder.done()
}
