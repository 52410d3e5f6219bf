//! Every key that a paste can give, with its title and unit: the same as where the fact is read from bytes.

/// (key, title, unit); `#` stands for a number.
const KEYS: &[(&str, &str, &str)] = &[
    ("ata_version", "ATA version", ""),
    ("attribute_#_flags", "attribute # (flags)", ""),
    ("attribute_#_raw", "attribute # (raw)", ""),
    ("attribute_#_reading", "attribute # (as smartctl reads it)", ""),
    ("attribute_#_threshold", "attribute # (threshold)", ""),
    ("attribute_#_value", "attribute # (normalised)", ""),
    ("attribute_#_worst", "attribute # (worst)", ""),
    ("attribute_blocks_read", "blocks read, in the maker's unit", ""),
    ("attribute_blocks_written", "blocks written, in the maker's unit", ""),
    ("attributes_failed", "attributes that were at their threshold", ""),
    ("attributes_failing", "attributes at their threshold", ""),
    ("available_spare_percent", "available spare", "percent"),
    ("available_spare_threshold_percent", "available spare's threshold", "percent"),
    ("blocks_read", "logical sectors read", "blocks"),
    ("blocks_written", "logical sectors written", "blocks"),
    ("capacity_blocks", "user addressable sectors", "blocks"),
    ("capacity_bytes", "capacity", "bytes"),
    ("capacity_mib", "capacity, rounded down", "mebibytes"),
    ("capacity_rounded_bytes", "capacity, rounded", "bytes"),
    ("caution_by_host", "what the host's tool warns of", ""),
    ("controller_busy_minutes", "busy with I/O", "minutes"),
    ("controller_errors", "reads and writes that failed, by the controller's count", "errors"),
    ("controller_faults", "what the controller says against the drive", ""),
    ("controller_id", "controller", ""),
    ("crc_errors", "interface CRC errors", "errors"),
    ("critical_temperature_celsius", "critical temperature", "celsius"),
    ("critical_temperature_minutes", "above the critical temperature", "minutes"),
    ("critical_warnings", "critical warnings", ""),
    ("data_read_bytes", "read by the host", "bytes"),
    ("data_written_bytes", "written by the host", "bytes"),
    ("device_errors", "errors in the drive's log, over its life", "errors"),
    ("device_name", "device", ""),
    ("end_to_end_errors", "errors on the way through the drive", "errors"),
    ("error_log_entries", "errors logged over its life", ""),
    ("eui64", "EUI-64", ""),
    ("failing_by_host", "what the host's tool calls bad", ""),
    ("firmware", "firmware", ""),
    ("form_factor", "form factor", ""),
    ("health_lines_unread", "lines on health that could not be read", ""),
    ("host_memory_min_bytes", "host memory buffer at least", "bytes"),
    ("host_memory_preferred_bytes", "host memory buffer preferred", "bytes"),
    ("host_read_commands", "read commands", "commands"),
    ("host_write_commands", "write commands", "commands"),
    ("kernel_medium_errors", "reads that the kernel saw fail on the medium", "errors"),
    ("lba_format_#_data_bytes", "LBA format #: data of a block", "bytes"),
    ("lba_format_#_metadata_bytes", "LBA format #: metadata of a block", "bytes"),
    ("lba_format_current", "LBA format in use", ""),
    ("life_left_percent", "life left", "percent"),
    ("link_speed_gbit_per_s", "link speed", "gbit_per_s"),
    ("link_speed_max_gbit_per_s", "link speed at most", "gbit_per_s"),
    ("logged_missing_sectors", "sectors in the drive's log that were not found", "errors"),
    ("logged_uncorrectable_reads", "reads in the drive's log that could not be corrected", "errors"),
    ("logical_block_bytes", "logical block", "bytes"),
    ("look_ahead_enabled", "read look-ahead on", ""),
    ("max_transfer_bytes", "largest transfer, with memory pages of 4 KiB", "bytes"),
    ("media_errors", "media and data integrity errors", "errors"),
    ("media_wearout_left_percent", "media wearout", "percent"),
    ("metadata_bytes", "metadata of a block", "bytes"),
    ("model", "model", ""),
    ("model_family", "family of models", ""),
    ("namespace_capacity_blocks", "namespace capacity", "blocks"),
    ("namespace_id", "namespace", ""),
    ("namespace_id_max", "highest namespace", ""),
    ("namespace_size_blocks", "namespace size", "blocks"),
    ("namespace_used_blocks", "namespace utilization", "blocks"),
    ("namespace_used_bytes", "namespace utilization, in bytes", "bytes"),
    ("namespace_used_rounded_bytes", "namespace utilization, rounded", "bytes"),
    ("ncq_depth", "NCQ depth", "commands"),
    ("ncq_supported", "native command queuing", ""),
    ("nguid", "NGUID", ""),
    ("non_medium_errors", "errors not of the medium", "errors"),
    ("nqn", "subsystem name (NQN)", ""),
    ("nvme_version", "NVMe version", ""),
    ("pending_sectors", "pending sectors", "sectors"),
    ("percentage_used_percent", "life used", "percent"),
    ("physical_block_bytes", "physical block", "bytes"),
    ("power_cycles", "power cycles", "cycles"),
    ("power_on_hours", "powered on", "hours"),
    ("predicted_failures", "failures that the drive foretold", "failures"),
    ("protocol", "protocol", ""),
    ("reallocated_sectors", "reallocated sectors", "sectors"),
    ("reallocation_events", "reallocation events", "events"),
    ("rotation_rate_rpm", "rotation rate", "rpm"),
    ("sata_version", "SATA version", ""),
    ("scan_unreadable_sectors", "sectors that a background scan could not read", "sectors"),
    ("scsi_version", "SCSI version", ""),
    ("self_tests_failed", "self-tests that failed", ""),
    ("serial", "serial number", ""),
    ("smart_enabled", "SMART on", ""),
    ("smart_passed", "the drive's own verdict", ""),
    ("smart_supported", "SMART", ""),
    ("start_stop_cycles", "start and stop count", "cycles"),
    ("subsystem_vendor_id", "PCI subsystem vendor", ""),
    ("temperature_celsius", "temperature", "celsius"),
    ("temperature_sensor_#_celsius", "temperature sensor #", "celsius"),
    ("temperature_threshold_celsius", "temperature that warns", "celsius"),
    ("thermal_time_1_seconds", "throttled lightly for", "seconds"),
    ("thermal_time_2_seconds", "throttled heavily for", "seconds"),
    ("thermal_transitions_1", "throttled lightly", ""),
    ("thermal_transitions_2", "throttled heavily", ""),
    ("total_capacity_bytes", "NVM capacity of the subsystem", "bytes"),
    ("transport", "transport", ""),
    ("trim_supported", "TRIM", ""),
    ("unallocated_capacity_bytes", "NVM capacity without a namespace", "bytes"),
    ("uncorrectable_read_age_hours", "since the last read that could not be corrected", "hours"),
    ("uncorrectable_read_hours", "powered on at the last read that could not be corrected", "hours"),
    ("uncorrectable_sectors", "uncorrectable sectors", "sectors"),
    ("unsafe_shutdowns", "unsafe shutdowns", ""),
    ("vendor", "vendor", ""),
    ("vendor_id", "PCI vendor", ""),
    ("volatile_write_cache", "volatile write cache is present", ""),
    ("warning_temperature_celsius", "warning temperature", "celsius"),
    ("warning_temperature_minutes", "above the warning temperature", "minutes"),
    ("write_cache_enabled", "write cache on", ""),
    ("wwn", "world wide name", ""),
];

pub(crate) fn about(key: &str) -> (String, Option<&'static str>) {
    let known = |wanted: &str| KEYS.iter().find(|(known, ..)| *known == wanted);
    let number = key.split('_').find(|part| part.parse::<u64>().is_ok());
    let general = || number.map(|number| key.split('_').map(|part| if part == number { "#" } else { part }).collect::<Vec<_>>().join("_"));
    let Some((_, title, unit)) = known(key).or_else(|| general().and_then(|general| known(&general))) else {
        return (key.replace('_', " "), None);
    };
    (title.replace('#', number.unwrap_or_default()), Some(*unit).filter(|unit| !unit.is_empty()))
}

#[cfg(test)]
pub(crate) fn is_known(key: &str) -> bool {
    KEYS.iter().any(|(known, ..)| *known == key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_is_there_once_and_in_order() {
        let out_of_order = KEYS.windows(2).find(|pair| pair[0].0 >= pair[1].0);
        assert_eq!(out_of_order, None);
    }

    #[test]
    fn titles_and_units() {
        assert_eq!(about("power_on_hours"), ("powered on".to_owned(), Some("hours")));
        assert_eq!(about("temperature_sensor_3_celsius"), ("temperature sensor 3".to_owned(), Some("celsius")));
        assert_eq!(about("thermal_time_1_seconds").0, "throttled lightly for");
        assert_eq!(about("unheard_of"), ("unheard of".to_owned(), None));
    }

    /// A key has one unit, whether another tool's output or the drive's own bytes bear it.
    #[test]
    fn units_are_those_of_the_pages() {
        use crate::pages::{ata, decode, nvme, scsi};
        let bytes = [0x11; 4096];
        let nvme = [nvme::smart_log(&bytes, ""), nvme::namespace(&bytes, ""), decode(&nvme::CONTROLLER, &bytes, "")];
        let mut attributes = [0; 512];
        for (entry, id) in attributes[2..].chunks_exact_mut(12).zip([5, 9, 12, 187, 194, 196, 197, 198, 199, 231, 233, 241, 242]) {
            entry.copy_from_slice(&[id, 0, 0, 50, 50, 1, 0, 0, 0, 0, 0, 0]);
        }
        let statistics = |which: ata::Statistics| {
            let mut page = [0xc1; 512];
            page[2] = which.number();
            ata::device_statistics(which, &page, Some(512), "")
        };
        let ata = [ata::identify_device(&bytes[..512], ""), ata::smart_data(&attributes, "")];
        let scsi = [scsi::read_capacity_16(&bytes[..32], ""), scsi::inquiry(&bytes[..96], "")];
        let pages = nvme.into_iter().chain(ata).chain(scsi).chain(ata::Statistics::ALL.map(statistics));
        let fields: Vec<_> = pages.flat_map(|page| page.fields).collect();
        let known = |key: &str| KEYS.iter().any(|(known, ..)| *known == key);
        let shared: Vec<_> = fields.iter().filter(|field| known(&field.key)).collect();
        assert!(shared.len() > 50, "{}", shared.len());
        let differing: Vec<_> =
            shared.iter().filter(|field| about(&field.key).1 != field.unit.as_deref()).map(|field| &field.key).collect();
        assert!(differing.is_empty(), "{differing:?}");
    }
}
