//! Identify Controller (CNS 01h): who made the drive and what it can do.

use super::power::POWER_STATES;
use super::{BASE, MEMORY_PAGE_BYTES, words};
use crate::pages::{ByteOrder, FieldKind, FieldRow, PageTable, PlaceCondition, bit, bits, is, is_not, place, row, table};

pub const CONTROLLER: PageTable = PageTable {
    rows: ROWS,
    groups: &[POWER_STATES],
    ..table(ByteOrder::Little, "identify-controller", "Identify Controller", BASE, "clause 5.17.2.1", 4096)
}
.checked();

/// (number) x 100 ms.
const TENTHS_OF_A_SECOND: FieldKind = FieldKind::Scaled { plus: 0, times: 100, over: 1 };

/// (number) x 4 KiB.
const OF_4_KIB: FieldKind = FieldKind::Scaled { plus: 0, times: 4096, over: 1 };

const FROM_ZERO: FieldKind = FieldKind::Scaled { plus: 1, times: 1, over: 1 };

/// (number) x 16 bytes.
const OF_16_BYTES: FieldKind = FieldKind::Scaled { plus: 0, times: 16, over: 1 };

const WANTS_HOST_MEMORY: PlaceCondition = is_not(place(272, 4), 0);

const TELLS_CAPACITY: PlaceCondition = is_not(place(280, 16), 0);

const HAS_RPMB: PlaceCondition = is_not(bits(312, 0, 3), 0);

const CAN_SANITIZE: PlaceCondition = is_not(bits(328, 0, 3), 0);

const CAN_FUSE: PlaceCondition = is(bit(522, 0), 1);

const ROWS: &[FieldRow] = &[
    row("vendor_id", "PCI vendor", place(0, 2), FieldKind::Unsigned),
    row("subsystem_vendor_id", "PCI subsystem vendor", place(2, 2), FieldKind::Unsigned),
    row("serial", "serial number", place(4, 20), FieldKind::Ascii),
    row("model", "model", place(24, 40), FieldKind::Ascii),
    row("firmware", "firmware", place(64, 8), FieldKind::Ascii),
    row("arbitration_burst_commands", "recommended arbitration burst", place(72, 1), FieldKind::PowerOfTwo { times: 1 }).unit("commands"),
    row("ieee_oui", "IEEE organisation", place(73, 3), FieldKind::HexNumber),
    row("multipath", "paths and sharing", place(76, 1), FieldKind::Bits(words::MULTIPATH)),
    row(
        "max_transfer_bytes",
        "largest transfer, with memory pages of 4 KiB",
        place(77, 1),
        FieldKind::PowerOfTwo { times: MEMORY_PAGE_BYTES },
    )
    .unit("bytes")
    .unless(0),
    row("controller_id", "controller", place(78, 2), FieldKind::Unsigned),
    row("nvme_version", "NVMe version", place(80, 4), FieldKind::Version).unless(0),
    row("resume_microseconds", "resume from runtime D3", place(84, 4), FieldKind::Unsigned).unit("microseconds").unless(0),
    row("suspend_microseconds", "entry into runtime D3", place(88, 4), FieldKind::Unsigned).unit("microseconds").unless(0),
    row("asynchronous_events", "optional asynchronous events", place(92, 4), FieldKind::Bits(words::EVENTS)),
    row("controller_attributes", "controller attributes", place(96, 4), FieldKind::Bits(words::ATTRIBUTES)),
    row("read_recovery_levels", "read recovery levels", place(100, 2), FieldKind::Bits(&[])),
    row("controller_type", "controller type", place(111, 1), FieldKind::OneOf(words::CONTROLLER_TYPES)).unless(0),
    row("fru_guid", "field replaceable unit", place(112, 16), FieldKind::Hex),
    row("retry_delay_1_milliseconds", "command retry delay 1", place(128, 2), TENTHS_OF_A_SECOND).unit("milliseconds").unless(0),
    row("retry_delay_2_milliseconds", "command retry delay 2", place(130, 2), TENTHS_OF_A_SECOND).unit("milliseconds").unless(0),
    row("retry_delay_3_milliseconds", "command retry delay 3", place(132, 2), TENTHS_OF_A_SECOND).unit("milliseconds").unless(0),
    row("subsystem", "part of", place(253, 1), FieldKind::Bits(words::SUBSYSTEM)),
    row("vpd_write_cycles_left", "VPD write cycles left", bits(254, 0, 7), FieldKind::Unsigned).when(is(bit(254, 7), 1)),
    row("management_endpoints", "management endpoints", place(255, 1), FieldKind::Bits(words::MANAGEMENT_ENDPOINTS)),
    row("admin_commands", "optional admin commands", place(256, 2), FieldKind::Bits(words::ADMIN_COMMANDS)),
    row("abort_commands", "abort commands at once", place(258, 1), FROM_ZERO).unit("commands"),
    row("event_requests", "asynchronous event requests at once", place(259, 1), FROM_ZERO).unit("commands"),
    row("firmware_slots", "firmware slots", bits(260, 1, 3), FieldKind::Unsigned),
    row("firmware_slot_1_read_only", "firmware slot 1 is read only", bit(260, 0), FieldKind::Flag),
    row("firmware_activation_without_reset", "firmware is activated without a reset", bit(260, 4), FieldKind::Flag),
    row("firmware_overlap_detection", "overlapping firmware updates are detected", bit(260, 5), FieldKind::Flag),
    row("log_attributes", "log page attributes", place(261, 1), FieldKind::Bits(words::LOG_ATTRIBUTES)),
    row("error_log_capacity_entries", "error log holds", place(262, 1), FROM_ZERO).unit("entries"),
    row("power_states", "power states", place(263, 1), FROM_ZERO),
    row("vendor_commands_standard_format", "vendor commands have the standard format", bit(264, 0), FieldKind::Flag),
    row("autonomous_power_states", "changes power states by itself", bit(265, 0), FieldKind::Flag),
    row("warning_temperature_celsius", "warning temperature", place(266, 2), FieldKind::Kelvin),
    row("critical_temperature_celsius", "critical temperature", place(268, 2), FieldKind::Kelvin),
    row("firmware_activation_milliseconds", "longest pause for firmware activation", place(270, 2), TENTHS_OF_A_SECOND)
        .unit("milliseconds")
        .unless(0),
    row("host_memory_preferred_bytes", "host memory buffer preferred", place(272, 4), OF_4_KIB).unit("bytes"),
    row("host_memory_min_bytes", "host memory buffer at least", place(276, 4), OF_4_KIB).unit("bytes").when(WANTS_HOST_MEMORY),
    row("total_capacity_bytes", "NVM capacity of the subsystem", place(280, 16), FieldKind::Unsigned).unit("bytes").unless(0),
    row("unallocated_capacity_bytes", "NVM capacity without a namespace", place(296, 16), FieldKind::Unsigned)
        .unit("bytes")
        .when(TELLS_CAPACITY),
    row("rpmb_units", "replay protected memory blocks", bits(312, 0, 3), FieldKind::Unsigned),
    row("rpmb_bytes", "size of each", place(312, 4).bits(16, 8), FieldKind::Scaled { plus: 1, times: 128 << 10, over: 1 })
        .unit("bytes")
        .when(HAS_RPMB),
    row("rpmb_access_bytes", "access size", place(312, 4).bits(24, 8), FieldKind::Scaled { plus: 1, times: 512, over: 1 })
        .unit("bytes")
        .when(HAS_RPMB),
    row("extended_self_test_minutes", "extended self-test takes", place(316, 2), FieldKind::Unsigned).unit("minutes").unless(0),
    row("one_self_test_at_a_time", "one self-test at a time", bit(318, 0), FieldKind::Flag),
    row("firmware_granularity_bytes", "firmware update granularity", place(319, 1), OF_4_KIB)
        .unit("bytes")
        .unless(0)
        .when(is_not(place(319, 1), 0xff)),
    row("keep_alive_granularity_milliseconds", "keep alive granularity", place(320, 2), TENTHS_OF_A_SECOND).unit("milliseconds").unless(0),
    row("host_thermal_management", "the host may set throttling temperatures", bit(322, 0), FieldKind::Flag),
    row("thermal_management_min_celsius", "lowest throttling temperature", place(324, 2), FieldKind::Kelvin),
    row("thermal_management_max_celsius", "highest throttling temperature", place(326, 2), FieldKind::Kelvin),
    row("sanitize", "sanitize operations", place(328, 4).bits(0, 30), FieldKind::Bits(words::SANITIZE)),
    row("sanitize_modifies_media", "media after sanitize without deallocation", bits(331, 6, 2), FieldKind::OneOf(words::SANITIZE_MEDIA))
        .when(CAN_SANITIZE),
    row("host_memory_entry_min_bytes", "host memory buffer's smallest entry", place(332, 4), OF_4_KIB).unit("bytes").unless(0),
    row("host_memory_entries_max", "host memory buffer's entries at most", place(336, 2), FieldKind::Unsigned).unless(0),
    row("nvm_set_max", "highest NVM set", place(338, 2), FieldKind::Unsigned).unless(0),
    row("endurance_group_max", "highest endurance group", place(340, 2), FieldKind::Unsigned).unless(0),
    row("asymmetric_transition_seconds", "asymmetric access changes within", place(342, 1), FieldKind::Unsigned).unit("seconds").unless(0),
    row("asymmetric_access", "asymmetric access states", place(343, 1), FieldKind::Bits(words::ASYMMETRIC_ACCESS)),
    row("asymmetric_group_max", "highest asymmetric access group", place(344, 4), FieldKind::Unsigned).unless(0),
    row("asymmetric_groups", "asymmetric access groups", place(348, 4), FieldKind::Unsigned).unless(0),
    row(
        "persistent_event_log_max_bytes",
        "persistent event log at most",
        place(352, 4),
        FieldKind::Scaled { plus: 0, times: 64 << 10, over: 1 },
    )
    .unit("bytes")
    .unless(0),
    row("domain", "domain", place(356, 2), FieldKind::Unsigned).unless(0),
    row("endurance_group_max_bytes", "largest endurance group", place(368, 16), FieldKind::Unsigned).unit("bytes").unless(0),
    row("submission_entry_bytes", "submission queue entry", bits(512, 0, 4), FieldKind::PowerOfTwo { times: 1 }).unit("bytes"),
    row("submission_entry_max_bytes", "submission queue entry at most", bits(512, 4, 4), FieldKind::PowerOfTwo { times: 1 }).unit("bytes"),
    row("completion_entry_bytes", "completion queue entry", bits(513, 0, 4), FieldKind::PowerOfTwo { times: 1 }).unit("bytes"),
    row("completion_entry_max_bytes", "completion queue entry at most", bits(513, 4, 4), FieldKind::PowerOfTwo { times: 1 }).unit("bytes"),
    row("queue_commands_max", "commands at once in a queue", place(514, 2), FieldKind::Unsigned).unit("commands").unless(0),
    row("namespace_id_max", "highest namespace", place(516, 4), FieldKind::Unsigned),
    row("io_commands", "optional I/O commands", place(520, 2), FieldKind::Bits(words::IO_COMMANDS)),
    row("trim_supported", "deallocates (Dataset Management)", bit(520, 2), FieldKind::Flag),
    row("fused_compare_and_write", "fused Compare and Write", bit(522, 0), FieldKind::Flag),
    row("format", "Format NVM", place(524, 1), FieldKind::Bits(words::FORMAT)),
    row("volatile_write_cache", "volatile write cache is present", bit(525, 0), FieldKind::Flag),
    row("flush_all_namespaces", "flush of all namespaces by one command", bits(525, 1, 2), FieldKind::OneOf(words::FLUSH_ALL)),
    row("atomic_write_blocks", "atomic write", place(526, 2), FROM_ZERO).unit("blocks"),
    row("atomic_write_power_fail_blocks", "atomic write at power failure", place(528, 2), FROM_ZERO).unit("blocks"),
    row("vendor_io_commands_standard_format", "vendor I/O commands have the standard format", bit(530, 0), FieldKind::Flag),
    row("write_protection", "namespace write protection", place(531, 1), FieldKind::Bits(words::WRITE_PROTECTION)),
    row("atomic_compare_and_write_blocks", "atomic fused Compare and Write", place(532, 2), FROM_ZERO).unit("blocks").when(CAN_FUSE),
    row("copy_formats", "copy descriptor formats", place(534, 2), FieldKind::Bits(words::COPY_FORMATS)),
    row("scatter_gather_lists", "scatter gather lists", bits(536, 0, 2), FieldKind::OneOf(words::SCATTER_GATHER)),
    row("namespaces_max", "namespaces at most", place(540, 4), FieldKind::Unsigned).unless(0),
    row("domain_attachments_max", "namespace attachments in the domain at most", place(544, 16), FieldKind::Unsigned).unless(0),
    row("controller_attachments_max", "namespaces attached to this controller at most", place(560, 4), FieldKind::Unsigned).unless(0),
    row("nqn", "subsystem name (NQN)", place(768, 256), FieldKind::Ascii),
    row("capsule_command_bytes", "I/O command capsule (fabrics)", place(1792, 4), OF_16_BYTES).unit("bytes").unless(0),
    row("capsule_response_bytes", "I/O response capsule (fabrics)", place(1796, 4), OF_16_BYTES).unit("bytes").unless(0),
    row("capsule_data_offset_bytes", "data in the capsule from (fabrics)", place(1800, 2), OF_16_BYTES).unit("bytes").unless(0),
    row("static_controllers", "static controller model (fabrics)", bit(1802, 0), FieldKind::Flag).unless(0),
    row("capsule_descriptors_max", "data descriptors in a capsule (fabrics)", place(1803, 1), FieldKind::Unsigned).unless(0),
    row("disconnects", "Disconnect command (fabrics)", bit(1804, 0), FieldKind::Flag).unless(0),
    row("discovery_type", "discovery controller type", place(1806, 1), FieldKind::OneOf(words::DISCOVERY_TYPES)).unless(0),
];
