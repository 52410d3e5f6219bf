//! Where the names are found: in the fields of the pages, in the facts, in sysfs, and in what uses the devices.

use crate::anonymise::Anonymiser;
use crate::inventory::Inventory;
use ioproof_pages::field::{Page, Value};
use ioproof_target::{Holder, System};

/// Keys of fields that tell one drive from all others.
const UNIQUE: [&str; 11] =
    ["serial", "wwn", "eui64", "nguid", "nqn", "uuid", "wwid", "sas_address", "world_wide", "designator", "target_port"];
/// Keys of fields that many drives have in common; a name among their words is none.
const COMMON: [&str; 4] = ["model", "vendor", "firmware", "product"];
/// Prefixes of device-mapper's UUIDs, which say what made the device.
const MAPPERS: [&str; 12] =
    ["LVM", "CRYPT", "LUKS1", "LUKS2", "PLAIN", "VERITY", "BITLK", "mpath", "DMRAID", "TCRYPT", "SUBDEV", "INTEGRITY"];
impl Anonymiser {
    /// Learns all names of what was learned and of the captured devices.
    pub fn gather(system: &System, inventory: &Inventory, devices: &[String]) -> Self {
        let mut known = Self::default();
        let pages: Vec<&Page> = inventory.drives.iter().flat_map(|drive| &drive.pages).chain(&inventory.layers).collect();
        known.of_pages(&pages);
        for drive in &inventory.drives {
            drive.facts.serial.iter().for_each(|serial| known.unique(&serial.value));
        }
        for name in devices {
            unique_names(system, name).iter().for_each(|text| known.of_sysfs(text));
        }
        inventory.above.iter().for_each(|above| known.of_uses(above));
        known.of_target(inventory);
        known.of_tables(system);
        known.sorted()
    }

    pub(crate) fn of_pages(&mut self, pages: &[&Page]) {
        let fields = || pages.iter().flat_map(|page| &page.fields);
        let is = |key: &str, keys: &[&str]| keys.iter().any(|part| key.contains(part));
        let texts = |value: &Value| match value {
            Value::Text(text) => vec![text.clone()],
            Value::List(texts) => texts.clone(),
            _ => Vec::new(),
        };
        let common: Vec<String> = fields().filter(|field| is(&field.key, &COMMON)).flat_map(|field| texts(&field.value)).collect();
        for field in fields().filter(|field| is(&field.key, &UNIQUE) && !is(&field.key, &COMMON)) {
            for text in texts(&field.value) {
                let own = text.strip_prefix("nqn.").and_then(|nqn| nqn.split_once(':')).map_or(text.as_str(), |(_, own)| own);
                let parts = own.split([' ', ':', '"']).filter(|part| !common.iter().any(|common| common.contains(part)));
                parts.for_each(|part| self.unique(part));
            }
        }
    }

    /// A name of device-mapper begins with what made the device, which a replay must still see.
    pub(crate) fn of_sysfs(&mut self, text: &str) {
        let own = text.strip_prefix("nqn.").and_then(|nqn| nqn.split_once(':')).map_or(text, |(_, own)| own);
        if own.split('-').next().is_some_and(|first| MAPPERS.contains(&first) || first.starts_with("part")) {
            own.split('-').skip(1).filter(|part| !MAPPERS.contains(part)).for_each(|part| self.unique(part));
        } else {
            own.split(' ').filter(|part| !["ATA", "QEMU", "naa", "t10", "nvme", "uuid"].contains(part)).for_each(|part| self.unique(part));
        }
    }

    fn of_uses(&mut self, above: &Holder) {
        above.label.iter().for_each(|label| self.named(label));
        for used in &above.uses {
            match used.kind {
                "signature" | "lvm" | "luks" | "crypt" | "multipath" | "dmraid" | "partition" => {}
                "mount" => self.named(used.what.split_once(" at ").map_or("", |(_, path)| path)),
                "content" => self.of_content(&used.what),
                _ => self.of_words(&used.what),
            }
        }
        above.holders.iter().for_each(|upper| self.of_uses(upper));
    }

    /// `holds ext4 "LABEL" UUID`.
    fn of_content(&mut self, what: &str) {
        let rest = what.splitn(3, ' ').nth(2).unwrap_or_default();
        match rest.rsplit_once('"') {
            Some((label, uuid)) => {
                self.named(label);
                self.unique(uuid);
            }
            None => self.unique(rest),
        }
    }

    /// Learns the words of a use: those of the form of a UUID are unique, the rest are names.
    fn of_words(&mut self, what: &str) {
        for part in what.split([' ', '(', ')', ',', ';', '"']) {
            if part.len() == 36 && part.bytes().filter(|b| *b == b'-').count() == 4 {
                self.unique(part);
            } else {
                self.named(part);
            }
        }
    }

    fn of_target(&mut self, inventory: &Inventory) {
        self.named(&inventory.given);
        self.named(&inventory.named.resolved.display().to_string());
        if let Some(filesystem) = &inventory.named.filesystem {
            self.named(&filesystem.mount_point);
            self.named(&filesystem.source);
        }
        let files = inventory.under.iter().flat_map(backing_files);
        files.for_each(|file| self.named(&file));
    }

    /// Swap files, the cgroup, and the paths of every mount of the captured devices.
    fn of_tables(&mut self, system: &System) {
        for line in system.proc_text("swaps").unwrap_or_default().lines().skip(1) {
            self.named(line.split_whitespace().next().unwrap_or_default());
        }
        for line in system.proc_text("self/cgroup").unwrap_or_default().lines() {
            self.named(line.splitn(3, ':').nth(2).unwrap_or_default());
        }
        let text = system.proc_text("self/mountinfo").unwrap_or_default();
        for fields in text.lines().map(|line| line.split(' ').collect::<Vec<_>>()) {
            let on_a_device = fields.get(2).is_some_and(|number| !number.starts_with("0:"));
            let paths = fields.get(3).into_iter().chain(fields.get(4)).filter(|_| on_a_device);
            paths.for_each(|path| self.named(path));
        }
        let host = system.proc_text("sys/kernel/hostname").unwrap_or_default();
        if !host.is_empty() && host != "localhost" {
            self.named(&host);
        }
    }
}

fn backing_files(node: &ioproof_core::facts::StackNode) -> Vec<String> {
    node.backing_file.iter().cloned().chain(node.under.iter().flat_map(backing_files)).collect()
}

/// Unique names of a device that sysfs shows beside the serial number.
fn unique_names(system: &System, name: &str) -> Vec<String> {
    let files = [
        "wwid",
        "device/wwid",
        "serial",
        "device/serial",
        "nguid",
        "uuid",
        "eui",
        "device/subsysnqn",
        "device/hostnqn",
        "device/hostid",
        "device/sas_address",
        "dm/uuid",
    ];
    files.iter().filter_map(|file| system.sys_text(&format!("class/block/{name}/{file}"))).collect()
}
