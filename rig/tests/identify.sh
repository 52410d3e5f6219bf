# What `ioproof identify` says of every drive, field by field beside what nvme-cli, smartctl, hdparm, sg3-utils and lsblk say of it. Then the same
# drive through its other nodes, as a user without rights, and what is no drive at all.
#
# The tables below are jq programs: one row a field, with the tool, its field, our page and key, and what becomes of the tool's figure. A field
# of a tool's JSON that no row names fails its case, so that what a further release of a tool tells cannot pass unseen.

. /share/lib.sh

# `row` compares; `skip` says why not; the rest turns a tool's figure into ours. The input holds `t`, the tools' output by name, and `ours`, our
# fields by `page key`.
cat >/tmp/rows.jq <<'END'
def number: if type == "string" then tonumber else . end;
def bits($low; $count): (number / pow(2; $low) | floor) % pow(2; $count);
def flag($bit): bits($bit; 1) == 1;
def absent: "absent";
def unless($none): if number == $none then absent else number end;
def times($factor): unless(0) | if . == absent then . else . * $factor end;
def from_zero: number + 1;
def kelvin: if number == 0 then absent else number - 273 end;
def power_of_two: pow(2; number);
def names($list): . as $number | [range(0; 32) | . as $bit | select($number | flag($bit)) | $list[$bit] // "bit \($bit)"];
def one_of($list): $list[number] // "reserved (\(.))";
def trim: gsub("^[ .\u0000]+|[ .\u0000]+$"; "") | if . == "" then absent else . end;
def digits($count): . as $number | [range(0; $count) | ($number / pow(16; .) | floor) % 16 | "0123456789abcdef"[.:. + 1]] | reverse | "0x" + add;
def hexadecimal: gsub("-"; "") | if test("[1-9a-f]") then . else absent end;
def at($path): getpath($path | split(".") | map(tonumber? // .));

def row($tool; $field; $page; $key; turned):
    .ours["\($page) \($key)"] as $got
    | (.t[$tool] | at($field)) as $told
    | {tool: $tool, field: $field, page: $page, key: $key, told: ($told != null), want: (if $told == null then null else $told | turned end),
       got: (if $got == null then absent else $got end)};
def row($tool; $field; $page; $key): row($tool; $field; $page; $key; .);
# A figure that counts on: what the tool said before ours and after it.
def counter($tool; $field; $page; $key; turned):
    (.t[$tool + " before"] | at($field) | number | turned) as $before
    | row($tool; $field; $page; $key; {least: $before, most: (number | turned)});
def skip($tool; $pattern; $reason): {tool: $tool, pattern: ("^(" + $pattern + ")$"), reason: $reason};

def agrees: if .want | type == "object" then (.got | type) == "number" and .want.least <= .got and .got <= .want.most else .want == .got end;
# Fields of the tools that no row names.
def unseen($rows):
    ([$rows[] | select(.field) | {key: "\(.tool) \(.field)", value: true}] | from_entries) as $named | [$rows[] | select(.pattern)] as $skips
    | .t | to_entries[] | select(.key | endswith(" before") | not) | .key as $tool
    | .value | paths(type != "object" and type != "array") | map(tostring) | join(".") as $field
    | select($named["\($tool) \($field)"] or any($skips[]; .tool == $tool and (.pattern as $pattern | $field | test($pattern))) | not)
    | "\($tool) \($field)";
# `pages` are those that the rows are about, of which the rest is what no tool has.
def report($pages; rows):
    [rows] as $rows | [$rows[] | select(.told)] as $compared
    | {compared: ($compared | length), differing: [$compared[] | select(agrees | not) | "\(.page) \(.key): \(.tool) \(.field) \(.want | tojson), ours \(.got | tojson)"],
       skipped: [$rows[] | select(.reason)] | length, unseen: [unseen($rows)],
       only_ours: ([.ours | keys[] | select(test("^(kernel|pcie-path|queue|interrupts|smartctl) ") == ($pages == "the kernel"))] - [$compared[] | "\(.page) \(.key)"])};
END

cat >/tmp/nvme.jq <<'END'
include "rows" {search: "/tmp"};

def controller:
    def c($field; $key; turned): row("id-ctrl"; $field; "identify-controller"; $key; turned);
    def c($field; $key): c($field; $key; number);
    def none($field; $key): c($field; $key; unless(0));
    c("vid"; "vendor_id"), c("ssvid"; "subsystem_vendor_id"), c("sn"; "serial"; trim), c("mn"; "model"; trim), c("fr"; "firmware"; trim),
    c("rab"; "arbitration_burst_commands"; power_of_two), c("ieee"; "ieee_oui"; digits(6)),
    c("cmic"; "multipath"; names(["several ports", "several controllers", "SR-IOV virtual function", "asymmetric access"])),
    c("mdts"; "max_transfer_bytes"; if . == 0 then absent else power_of_two * 4096 end), c("cntlid"; "controller_id"),
    c("ver"; "nvme_version"; "\(bits(16; 16)).\(bits(8; 8)).\(bits(0; 8))"), none("rtd3r"; "resume_microseconds"), none("rtd3e"; "suspend_microseconds"),
    c("oaes"; "asynchronous_events"; names([null, null, null, null, null, null, null, null, "namespace attributes", "firmware activation", null,
        "asymmetric access change", "predictable latency", "LBA status", "endurance groups", "normal shutdown"])),
    c("ctratt"; "controller_attributes"; names(["128-bit host identifier", "non-operational power state permissive mode", "NVM sets", "read recovery levels",
        "endurance groups", "predictable latency mode", "traffic based keep alive", "namespace granularity", "submission queue associations", "UUID list",
        "multiple domains", "fixed capacity management", "variable capacity management", "delete endurance group", "delete NVM set", "extended LBA formats"])),
    c("rrls"; "read_recovery_levels"; names([])), c("cntrltype"; "controller_type"; if . == 0 then absent else one_of([null, "I/O", "discovery", "administrative"]) end),
    c("fguid"; "fru_guid"; hexadecimal), c("crdt1"; "retry_delay_1_milliseconds"; times(100)), c("crdt2"; "retry_delay_2_milliseconds"; times(100)),
    c("crdt3"; "retry_delay_3_milliseconds"; times(100)), c("nvmsr"; "subsystem"; names(["storage device", "enclosure"])),
    c("vwci"; "vpd_write_cycles_left"; if flag(7) then bits(0; 7) else absent end), c("mec"; "management_endpoints"; names(["SMBus", "PCI Express"])),
    c("oacs"; "admin_commands"; names(["Security Send and Receive", "Format NVM", "Firmware Commit and Image Download", "Namespace Management", "Device Self-test",
        "Directives", "NVMe-MI Send and Receive", "Virtualization Management", "Doorbell Buffer Config", "Get LBA Status", "Command and Feature Lockdown"])),
    c("acl"; "abort_commands"; from_zero), c("aerl"; "event_requests"; from_zero), c("frmw"; "firmware_slots"; bits(1; 3)),
    c("frmw"; "firmware_slot_1_read_only"; flag(0)), c("frmw"; "firmware_activation_without_reset"; flag(4)), c("frmw"; "firmware_overlap_detection"; flag(5)),
    c("lpa"; "log_attributes"; names(["SMART per namespace", "commands supported and effects", "extended data", "telemetry", "persistent events",
        "supported log pages", "telemetry data area 4"])),
    c("elpe"; "error_log_capacity_entries"; from_zero), c("npss"; "power_states"; from_zero), c("avscc"; "vendor_commands_standard_format"; flag(0)),
    c("apsta"; "autonomous_power_states"; flag(0)), c("wctemp"; "warning_temperature_celsius"; kelvin), c("cctemp"; "critical_temperature_celsius"; kelvin),
    c("mtfa"; "firmware_activation_milliseconds"; times(100)), c("hmpre"; "host_memory_preferred_bytes"; . * 4096),
    c("hmmin"; "host_memory_min_bytes"; times(4096)), none("tnvmcap"; "total_capacity_bytes"),
    (.t["id-ctrl"].tnvmcap as $total | c("unvmcap"; "unallocated_capacity_bytes"; if $total | number == 0 then absent else number end)),
    c("rpmbs"; "rpmb_units"; bits(0; 3)), none("edstt"; "extended_self_test_minutes"), c("dsto"; "one_self_test_at_a_time"; flag(0)),
    c("fwug"; "firmware_granularity_bytes"; if . == 255 then absent else times(4096) end), c("kas"; "keep_alive_granularity_milliseconds"; times(100)),
    c("hctma"; "host_thermal_management"; flag(0)), c("mntmt"; "thermal_management_min_celsius"; kelvin), c("mxtmt"; "thermal_management_max_celsius"; kelvin),
    c("sanicap"; "sanitize"; bits(0; 30) | names(["crypto erase", "block erase", "overwrite"])), c("hmminds"; "host_memory_entry_min_bytes"; times(4096)),
    none("hmmaxd"; "host_memory_entries_max"), none("nsetidmax"; "nvm_set_max"), none("endgidmax"; "endurance_group_max"),
    none("anatt"; "asymmetric_transition_seconds"),
    c("anacap"; "asymmetric_access"; names(["optimized", "non-optimized", "inaccessible", "persistent loss", "change", null, "group does not change", "group may be given"])),
    none("anagrpmax"; "asymmetric_group_max"), none("nanagrpid"; "asymmetric_groups"), c("pels"; "persistent_event_log_max_bytes"; times(65536)),
    none("domainid"; "domain"), none("megcap"; "endurance_group_max_bytes"),
    c("sqes"; "submission_entry_bytes"; bits(0; 4) | power_of_two), c("sqes"; "submission_entry_max_bytes"; bits(4; 4) | power_of_two),
    c("cqes"; "completion_entry_bytes"; bits(0; 4) | power_of_two), c("cqes"; "completion_entry_max_bytes"; bits(4; 4) | power_of_two),
    none("maxcmd"; "queue_commands_max"), c("nn"; "namespace_id_max"),
    c("oncs"; "io_commands"; names(["Compare", "Write Uncorrectable", "Dataset Management", "Write Zeroes", "Save and Select of features", "reservations",
        "Timestamp", "Verify", "Copy"])),
    c("oncs"; "trim_supported"; flag(2)), c("fuses"; "fused_compare_and_write"; flag(0)),
    c("fna"; "format"; names(["formats all namespaces together", "erases all namespaces together", "cryptographic erase", "not for all namespaces by one command"])),
    c("vwc"; "volatile_write_cache"; flag(0)), c("vwc"; "flush_all_namespaces"; bits(1; 2) | one_of(["not said", null, "not supported", "supported"])),
    c("awun"; "atomic_write_blocks"; from_zero), c("awupf"; "atomic_write_power_fail_blocks"; from_zero),
    c("icsvscc"; "vendor_io_commands_standard_format"; flag(0)), c("nwpc"; "write_protection"; names(["write protect", "until power cycle", "permanent"])),
    (.t["id-ctrl"].fuses as $fuses | c("acwu"; "atomic_compare_and_write_blocks"; if $fuses | flag(0) then from_zero else absent end)),
    c("ocfs"; "copy_formats"; names(["format 0", "format 1", "format 2", "format 3"])),
    c("sgls"; "scatter_gather_lists"; bits(0; 2) | one_of(["not supported", "any alignment", "aligned to 4 bytes"])), none("mnan"; "namespaces_max"),
    none("maxdna"; "domain_attachments_max"), none("maxcna"; "controller_attachments_max"), c("subnqn"; "nqn"; trim),
    c("ioccsz"; "capsule_command_bytes"; times(16)), c("iorcsz"; "capsule_response_bytes"; times(16)), c("icdoff"; "capsule_data_offset_bytes"; times(16)),
    c("fcatt"; "static_controllers"; if flag(0) then true else absent end), none("msdbd"; "capsule_descriptors_max"),
    (if .t["id-ctrl"].ioccsz == 0 then skip("id-ctrl"; "ofcs"; "a word of fabrics, which this drive is not on") else c("ofcs"; "disconnects"; if flag(0) then true else absent end) end),
    (range(0; .t["id-ctrl"].psds | length) as $n
        | .t["id-ctrl"].psds[$n] as $state
        | def p($field; $key; turned): c("psds.\($n).\($field)"; "power_state_\($n)_\($key)"; turned);
          def watts($scale): if . == 0 or $scale == 0 then absent elif $scale == 1 then . / 10000 else . / 100 end;
          p("max_power"; "max_watts"; watts(if $state.flags | flag(0) then 1 else 2 end)), p("flags"; "operational"; flag(1) | not),
          p("entry_lat"; "entry_microseconds"; unless(0)), p("exit_lat"; "exit_microseconds"; unless(0)),
          p("read_tput"; "read_throughput_rank"; .), p("read_lat"; "read_latency_rank"; .), p("write_tput"; "write_throughput_rank"; .),
          p("write_lat"; "write_latency_rank"; .), p("idle_power"; "idle_watts"; watts($state.idle_scale)),
          p("active_power"; "active_watts"; watts($state.active_scale)),
          p("active_power_work"; "workload"; if . == 0 then absent else one_of([null, "workload 1: random writes in bursts", "workload 2: heavy sequential writes"]) end)),
    skip("id-ctrl"; "psds\\..*_scale"; "the units of its neighbours, with which they are compared");

def namespace:
    def s($field; $key; turned): row("id-ns"; $field; "identify-namespace"; $key; turned);
    def s($field; $key): s($field; $key; number);
    .t["id-ns"] as $ns | ($ns.nsfeat // 0) as $feat | ($ns.flbas // 0 | bits(0; 4) + 16 * bits(5; 2)) as $format
    | def own($bit; turned): if $feat | flag($bit) then turned else absent end;
    s("nsze"; "namespace_size_blocks"), s("ncap"; "namespace_capacity_blocks"), s("nuse"; "namespace_used_blocks"),
    s("nsfeat"; "namespace_features"; names(["thin provisioning", "atomic units of its own", "deallocated or unwritten block error", "identifiers are never reused",
        "preferred write and deallocate sizes"])),
    s("nlbaf"; "lba_formats"; from_zero), s("flbas"; "metadata_in_block"; flag(4)), s("flbas"; "lba_format_current"; $format),
    s("mc"; "metadata_places"; names(["at the end of the block", "in a buffer of its own"])),
    s("dpc"; "protection_abilities"; names(["type 1", "type 2", "type 3", "first in the metadata", "last in the metadata"])),
    s("dps"; "protection"; bits(0; 3) | one_of(["none", "type 1", "type 2", "type 3"])), s("dps"; "protection_first"; if bits(0; 3) == 0 then absent else flag(3) end),
    s("nmic"; "shared_namespace"; flag(0)),
    s("rescap"; "reservations"; names(["persist through power loss", "write exclusive", "exclusive access", "write exclusive, registrants only",
        "exclusive access, registrants only", "write exclusive, all registrants", "exclusive access, all registrants", "ignore existing key as of 1.3"])),
    s("fpi"; "format_left_percent"; if flag(7) then bits(0; 7) else absent end),
    s("dlfeat"; "deallocated_reads_as"; bits(0; 3) | one_of(["not said", "zeros", "ones"])), s("dlfeat"; "write_zeroes_deallocates"; flag(3)),
    s("dlfeat"; "deallocated_guard_is_crc"; flag(4)), s("nawun"; "namespace_atomic_write_blocks"; own(1; from_zero)),
    s("nawupf"; "namespace_atomic_write_power_fail_blocks"; own(1; from_zero)), s("nacwu"; "namespace_atomic_compare_and_write_blocks"; own(1; from_zero)),
    s("nabsn"; "atomic_boundary_blocks"; if . == 0 then absent else from_zero end), s("nabo"; "atomic_boundary_offset_blocks"; if $ns.nabsn == 0 then absent else . end),
    s("nabspf"; "atomic_boundary_power_fail_blocks"; if . == 0 then absent else from_zero end), s("noiob"; "optimal_boundary_blocks"; unless(0)),
    s("nvmcap"; "namespace_nvm_bytes"; unless(0)), s("nsattr"; "write_protected"; flag(0)), s("nvmsetid"; "nvm_set"; unless(0)),
    s("npwg"; "preferred_write_blocks"; own(4; from_zero)), s("npwa"; "preferred_write_alignment_blocks"; own(4; from_zero)),
    s("npdg"; "preferred_trim_blocks"; own(4; from_zero)), s("npda"; "preferred_trim_alignment_blocks"; own(4; from_zero)),
    s("nows"; "optimal_write_blocks"; own(4; from_zero)), s("mssrl"; "copy_range_max_blocks"; unless(0)), s("mcl"; "copy_max_blocks"; unless(0)),
    s("msrc"; "copy_ranges_max"; if $ns.mcl == 0 then absent else from_zero end), s("nulbaf"; "lba_formats_unique"; unless(0)),
    s("anagrpid"; "asymmetric_group"; unless(0)), s("endgid"; "endurance_group"; unless(0)), s("eui64"; "eui64"; hexadecimal), s("nguid"; "nguid"; hexadecimal),
    s("lbafs.\($format).ds"; "logical_block_bytes"; power_of_two), s("lbafs.\($format).ms"; "metadata_bytes"),
    s("nsze"; "capacity_bytes"; . * ($ns.lbafs[$format].ds | power_of_two)),
    (range(0; $ns.lbafs | length) as $n | ($ns.lbafs[$n].ds == 0) as $unused
        | s("lbafs.\($n).ds"; "lba_format_\($n)_data_bytes"; if $unused then absent else power_of_two end),
          s("lbafs.\($n).ms"; "lba_format_\($n)_metadata_bytes"; if $unused then absent else . end),
          s("lbafs.\($n).rp"; "lba_format_\($n)_performance"; if $unused then absent else one_of(["best", "better", "good", "degraded"]) end)),
    row("list"; "NSID"; "identify-namespace"; "namespace_id"), row("list"; "PhysicalSize"; "identify-namespace"; "capacity_bytes"),
    row("list"; "SectorSize"; "identify-namespace"; "logical_block_bytes"), row("list"; "MaximumLBA"; "identify-namespace"; "namespace_size_blocks"),
    row("list"; "UsedBytes"; "identify-namespace"; "namespace_used_blocks"; . / ($ns.lbafs[$format].ds | power_of_two)),
    skip("list"; "NameSpace"; "the name by which it was asked for"),
    row("list-ns"; "nsid_list"; "active-namespaces"; "namespace_ids"; map(.nsid | tostring)), row("list-ns"; "nsid_list"; "active-namespaces"; "namespaces"; length),
    skip("list-ns"; "nsid_list\\..*"; "compared as a list");

def descriptors:
    def d($kind; $key; turned): .t["ns-descs"]["ns-descs"] as $all | first(range(0; $all | length) as $n | select($all[$n].type == $kind)
        | row("ns-descs"; "ns-descs.\($n).\($kind)"; "namespace-descriptors"; $key; turned));
    d("eui64"; "eui64"; hexadecimal), d("nguid"; "nguid"; hexadecimal), d("uuid"; "uuid"; .), d("csi"; "command_set"; number | one_of(["NVM", "key value", "zoned namespaces"])),
    skip("ns-descs"; "ns-descs\\..*\\.(loc|nidt|nidl|type)"; "how the list is built"),
    (def f($field; $key; turned): row("nvm-id-ctrl"; $field; "identify-controller-nvm"; $key; turned);
     def pages: if . == 0 then absent else power_of_two * 4096 end;
     f("vsl"; "verify_max_bytes"; pages), f("wzsl"; "write_zeroes_max_bytes"; pages), f("wusl"; "write_uncorrectable_max_bytes"; pages),
     f("dmrl"; "trim_max_ranges"; unless(0)), f("dmrsl"; "trim_max_range_blocks"; unless(0)), f("dmsl"; "trim_max_blocks"; unless(0))),
    (def f($field; $key; turned): row("nvm-id-ns"; $field; "identify-namespace-nvm"; $key; turned);
     f("lbstm"; "storage_tag_mask"; if . == 0 then absent else digits(16) end),
     f("pic"; "protection_formats"; names(["a storage tag beside a guard of 16 bits", "a mask of that tag", "a check of the tag when read"])),
     (.t["nvm-id-ns"].elbafs as $formats | range(0; $formats | length) as $n
         | def told(turned): if $formats[$n].sts == 0 and $formats[$n].pif == 0 then absent else turned end;
           f("elbafs.\($n).sts"; "lba_format_\($n)_storage_tag_bits"; told(.)),
           f("elbafs.\($n).pif"; "lba_format_\($n)_guard"; told(one_of(["16 bits", "32 bits", "64 bits"])))));

def health:
    def h($field; $key; turned): row("smart-log"; $field; "smart-log"; $key; turned);
    def h($field; $key): h($field; $key; number);
    def n($field; $key; $factor): counter("smart-log"; $field; "smart-log"; $key; . * $factor);
    def warnings: names(["available spare below its threshold", "temperature beyond its threshold", "reliability degraded by media or internal errors",
        "media is read only", "volatile memory backup failed", "persistent memory region is read only or unreliable"]);
    h("critical_warning"; "critical_warnings"; warnings), h("critical_warning"; "smart_passed"; . == 0), h("temperature"; "temperature_celsius"; kelvin),
    h("avail_spare"; "available_spare_percent"), h("spare_thresh"; "available_spare_threshold_percent"), h("percent_used"; "percentage_used_percent"),
    h("endurance_grp_critical_warning_summary"; "endurance_group_warnings"; names(["available spare below its threshold", null,
        "reliability degraded by media or internal errors", "read only"])),
    n("data_units_read"; "data_read_bytes"; 512000), n("data_units_written"; "data_written_bytes"; 512000), n("host_read_commands"; "host_read_commands"; 1),
    n("host_write_commands"; "host_write_commands"; 1), n("controller_busy_time"; "controller_busy_minutes"; 1), h("power_cycles"; "power_cycles"),
    n("power_on_hours"; "power_on_hours"; 1), h("unsafe_shutdowns"; "unsafe_shutdowns"), h("media_errors"; "media_errors"),
    n("num_err_log_entries"; "error_log_entries"; 1), h("warning_temp_time"; "warning_temperature_minutes"), h("critical_comp_time"; "critical_temperature_minutes"),
    h("thm_temp1_trans_count"; "thermal_transitions_1"), h("thm_temp2_trans_count"; "thermal_transitions_2"), h("thm_temp1_total_time"; "thermal_time_1_seconds"),
    h("thm_temp2_total_time"; "thermal_time_2_seconds"),
    (range(1; 9) | . as $n | "temperature_sensor_\($n)") as $sensor | h($sensor; $sensor + "_celsius"; kelvin);

def logs:
    row("error-log"; "errors"; "error-log"; "error_log_used_entries"; map(select(.error_count != 0)) | length),
    (.t["error-log"].errors as $all | range(0; $all | length) as $n
        | def e($field; $key; turned): row("error-log"; "errors.\($n).\($field)"; "error-log"; "error_\($n)_\($key)"; turned);
          if $all[$n].error_count == 0 then skip("error-log"; "errors\\.\($n)\\..*"; "an entry without an error") else
          e("error_count"; "count"; .), e("sqid"; "queue"; unless(65535)), e("cmdid"; "command"; unless(65535)), e("lba"; "block"; .), e("nsid"; "namespace"; unless(0)),
          e("status_field"; "do_not_retry"; flag(14)),
          e("parm_error_location"; "parameter_byte"; if . == 65535 then absent else bits(0; 8) end),
          e("parm_error_location"; "parameter_bit"; if . == 65535 then absent else bits(8; 3) end),
          e("vs"; "vendor_log"; if . == 0 then absent else digits(2) end), e("trtype"; "transport"; if . == 0 then absent else {"1": "RDMA", "2": "Fibre Channel", "3": "TCP", "254": "within the host"}[tostring] end),
          e("cs"; "command_specific"; if . == 0 then absent else digits(16) end), e("trtype_spec_info"; "transport_specific"; if . == 0 then absent else digits(4) end),
          skip("error-log"; "errors\\.\($n)\\.phase_tag"; "belongs to the queue, not to the error") end),
    (def f($field; $key; turned): row("fw-log"; $field; "firmware-log"; $key; turned);
     f("Active Firmware Slot (afi)"; "firmware_slot_active"; bits(0; 3)), f("Active Firmware Slot (afi)"; "firmware_slot_next"; bits(4; 3) | unless(0)),
     (range(1; 8) | . as $n | "Firmware Rev Slot \($n)") as $slot
        | f($slot; "firmware_slot_\($slot[18:])_revision"; sub("^[0-9]+ \\("; "") | sub("\\)$"; "") | trim)),
    (def t($field; $key; turned): row("self-test-log"; $field; "self-test-log"; $key; turned);
     t("Current Device Self-Test Operation"; "self_test_running"; bits(0; 4) | one_of(["none", "short", "extended"])),
     skip("self-test-log"; "Current Device Self-Test Completion|List of Valid Reports.*"; "no test was run here"));

def features:
    def g($number; $page; $key; turned): row("features"; $number; $page; $key; turned);
    g("02h"; "feature-power-management"; "power_state"; bits(0; 5)), g("04h"; "feature-temperature-over"; "temperature_over_celsius"; bits(0; 16) | kelvin),
    g("06h"; "feature-volatile-write-cache"; "write_cache_enabled"; flag(0)), g("07h"; "feature-queues"; "submission_queues"; bits(0; 16) | from_zero),
    g("07h"; "feature-queues"; "completion_queues"; bits(16; 16) | from_zero), g("10h"; "feature-thermal-management"; "thermal_management_2_celsius"; bits(0; 16) | kelvin),
    g("10h"; "feature-thermal-management"; "thermal_management_1_celsius"; bits(16; 16) | kelvin),
    skip("primary-ctrl-caps"; ".*"; "what a physical function could lend to virtual ones"),
    skip("effects-log"; ".*"; "what commands may change; ioproof sends none that changes anything"),
    skip("list-ctrl"; ".*"; "the neighbours of a controller, which sysfs names"),
    skip("features"; "01h|08h|09h|0ah|0bh"; "arbitration, interrupts and events: what the driver chose, and no property of the drive");

def smartctl:
    def c($field; $key): row("smartctl"; $field; "identify-controller"; $key; .);
    def s($field; $key; turned): row("smartctl"; $field; "identify-namespace"; $key; turned);
    def s($field; $key): s($field; $key; .);
    def h($field; $key): row("smartctl"; "nvme_smart_health_information_log." + $field; "smart-log"; $key; .);
    def n($field; $key; $factor): counter("smartctl"; "nvme_smart_health_information_log." + $field; "smart-log"; $key; . * $factor);
    c("model_name"; "model"), c("serial_number"; "serial"), c("firmware_version"; "firmware"), c("nvme_pci_vendor.id"; "vendor_id"),
    c("nvme_pci_vendor.subsystem_id"; "subsystem_vendor_id"), row("smartctl"; "nvme_ieee_oui_identifier"; "identify-controller"; "ieee_oui"; digits(6)),
    c("nvme_controller_id"; "controller_id"), c("nvme_number_of_namespaces"; "namespace_id_max"),
    row("smartctl"; "nvme_version.value"; "identify-controller"; "nvme_version"; "\(bits(16; 16)).\(bits(8; 8)).\(bits(0; 8))"),
    c("nvme_total_capacity"; "total_capacity_bytes"), c("nvme_unallocated_capacity"; "unallocated_capacity_bytes"),
    s("nvme_namespaces.0.id"; "namespace_id"), s("nvme_namespaces.0.size.blocks"; "namespace_size_blocks"), s("nvme_namespaces.0.size.bytes"; "capacity_bytes"),
    s("nvme_namespaces.0.capacity.blocks"; "namespace_capacity_blocks"), s("nvme_namespaces.0.utilization.blocks"; "namespace_used_blocks"),
    s("nvme_namespaces.0.formatted_lba_size"; "logical_block_bytes"), (.t.smartctl.nvme_namespaces[0].eui64.ext_id? // 0) as $rest
        | s("nvme_namespaces.0.eui64.oui"; "eui64"; digits(6)[2:] + ($rest | digits(10)[2:])),
    s("user_capacity.bytes"; "capacity_bytes"), s("user_capacity.blocks"; "namespace_size_blocks"), s("logical_block_size"; "logical_block_bytes"),
    row("smartctl"; "smart_status.passed"; "smart-log"; "smart_passed"), row("smartctl"; "smart_status.nvme.value"; "smart-log"; "smart_passed"; . == 0),
    h("temperature"; "temperature_celsius"), h("available_spare"; "available_spare_percent"), h("available_spare_threshold"; "available_spare_threshold_percent"),
    h("percentage_used"; "percentage_used_percent"), n("data_units_read"; "data_read_bytes"; 512000), n("data_units_written"; "data_written_bytes"; 512000),
    n("host_reads"; "host_read_commands"; 1), n("host_writes"; "host_write_commands"; 1), n("controller_busy_time"; "controller_busy_minutes"; 1),
    h("power_cycles"; "power_cycles"), n("power_on_hours"; "power_on_hours"; 1), h("unsafe_shutdowns"; "unsafe_shutdowns"), h("media_errors"; "media_errors"),
    n("num_err_log_entries"; "error_log_entries"; 1), h("warning_temp_time"; "warning_temperature_minutes"), h("critical_comp_time"; "critical_temperature_minutes"),
    row("smartctl"; "temperature.current"; "smart-log"; "temperature_celsius"), row("smartctl"; "power_cycle_count"; "smart-log"; "power_cycles"),
    counter("smartctl"; "power_on_time.hours"; "smart-log"; "power_on_hours"; .),
    skip("smartctl"; "(json_format_version|smartctl|local_time|device)\\..*"; "about the tool and its run"),
    skip("smartctl"; "nvme_version.string|nvme_smart_health_information_log.critical_warning"; "the number that is compared"),
    skip("smartctl"; "nvme_namespaces\\..*\\.bytes|nvme_namespaces\\.0\\.eui64\\.ext_id"; "its blocks, or its other part, are compared"),
    skip("smartctl"; "smart_support\\..*"; "always true for NVMe"),
    skip("smartctl"; "nvme_error_information_log.*"; "compared as nvme-cli reads it"),
    skip("smartctl"; "nvme_smart_health_information_log\\.temperature_sensors.*"; "compared as nvme-cli reads them");

report("the drive"; controller, namespace, descriptors, health, logs, features, smartctl)
END

cat >/tmp/ata.jq <<'END'
include "rows" {search: "/tmp"};

def smartctl:
    def i($field; $key; turned): row("smartctl"; $field; "identify-device"; $key; turned);
    def i($field; $key): i($field; $key; .);
    def s($field; $key; turned): row("smartctl"; "ata_smart_data." + $field; "smart-data"; $key; turned);
    .t.smartctl as $told
    | i("model_name"; "model"), i("serial_number"; "serial"), i("firmware_version"; "firmware"), i("user_capacity.blocks"; "capacity_blocks"),
    i("user_capacity.bytes"; "capacity_bytes"), i("logical_block_size"; "logical_block_bytes"), i("physical_block_size"; "physical_block_bytes"),
    i("rotation_rate"; "rotation_rate_rpm"), i("trim.supported"; "trim_supported"),
    i("trim.deterministic"; "trim_kind"; if $told.trim.zeroed then "reads zeros (RZAT)" elif . then "reads the same (DRAT)" else "reads anything" end),
    i("trim.zeroed"; "trim_kind"; if . then "reads zeros (RZAT)" elif $told.trim.deterministic then "reads the same (DRAT)" else "reads anything" end),
    i("ata_version.string"; "ata_version"; split(",")[0]), i("smart_support.available"; "smart_supported"), i("smart_support.enabled"; "smart_enabled"),
    i("write_cache.enabled"; "write_cache_enabled"), i("read_lookahead.enabled"; "look_ahead_enabled"),
    i("interface_speed.current.units_per_second"; "link_speed_gbit_per_s"; . / 10), i("interface_speed.max.units_per_second"; "link_speed_max_gbit_per_s"; . / 10),
    row("smartctl"; "smart_status.passed"; "smart-status"; "smart_passed"),
    s("offline_data_collection.status.value"; "offline_collection_status"; bits(0; 7) | one_of(["never started", null, "completed without error", "in progress",
        "suspended by a command", "aborted by a command", "aborted by an error of the drive"])),
    s("offline_data_collection.status.value"; "offline_collection_automatic"; flag(7)),
    s("offline_data_collection.completion_seconds"; "offline_collection_seconds"; .),
    s("self_test.status.value"; "self_test_status"; bits(4; 4) | one_of(["completed without error, or never run", "aborted by the host", "interrupted by a reset"])),
    s("self_test.polling_minutes.short"; "short_self_test_minutes"; .), s("self_test.polling_minutes.extended"; "extended_self_test_minutes"; .),
    s("self_test.polling_minutes.conveyance"; "conveyance_self_test_minutes"; .),
    s("capabilities.conveyance_self_test_supported"; "conveyance_self_test_minutes"; if . then $told.ata_smart_data.self_test.polling_minutes.conveyance else absent end),
    s("capabilities.values.0"; "offline_capabilities"; names(["EXECUTE OFF-LINE IMMEDIATE", null, "aborts on a command", "surface scan", "short and extended self-test",
        "conveyance self-test", "selective self-test"])),
    s("capabilities.values.1"; "smart_capabilities"; names(["saves before power saving", "autosave"])),
    s("capabilities.error_logging_supported"; "smart_error_log_supported"; .),
    i("ata_smart_data.capabilities.gp_logging_supported"; "general_purpose_logging_supported"),
    ($told.ata_smart_attributes.table as $all | range(0; $all | length) as $n
        | def a($field; $page; $figure): row("smartctl"; "ata_smart_attributes.table.\($n).\($field)"; $page; "attribute_\($all[$n].id)_\($figure)");
          a("value"; "smart-data"; "value"), a("worst"; "smart-data"; "worst"), a("raw.value"; "smart-data"; "raw"), a("thresh"; "smart-thresholds"; "threshold")),
    row("smartctl"; "ata_smart_attributes.table"; "smart-thresholds"; "attributes_failing"; map(select(.when_failed == "now"))),
    row("smartctl"; "ata_smart_attributes.table"; "smart-thresholds"; "attributes_failed"; map(select(.when_failed != ""))),
    (({"5": "reallocated_sectors", "197": "pending_sectors", "198": "uncorrectable_sectors", "199": "crc_errors"} | to_entries[]) as $usual
        | ($told.ata_smart_attributes.table | map(.id == ($usual.key | tonumber)) | index(true)) as $n | select($n != null)
        | row("smartctl"; "ata_smart_attributes.table.\($n).raw.value"; "smart-data"; $usual.value));

def rest:
    row("smartctl"; "power_on_time.hours"; "smart-data"; "power_on_hours"), row("smartctl"; "power_cycle_count"; "smart-data"; "power_cycles"),
    row("smartctl"; "temperature.current"; "smart-data"; "temperature_celsius"),
    skip("smartctl"; "(json_format_version|smartctl|local_time|device)\\..*|in_smartctl_database"; "about the tool and its run"),
    skip("smartctl"; "ata_version\\.(major|minor)_value"; "the number of the words that are compared"),
    skip("smartctl"; "ata_smart_data\\..*\\.(string|passed)"; "words for the number that is compared"),
    skip("smartctl"; "ata_smart_data\\.capabilities\\..*_(supported|cmd|enabled)"; "the bits that are compared as a list"),
    skip("smartctl"; "ata_smart_attributes\\.(revision|table\\..*\\.(id|name|when_failed|raw\\.string))"; "the maker's name and reading, which ioproof takes from smartctl itself"),
    skip("smartctl"; "ata_smart_attributes\\.table\\..*\\.flags\\..*"; "told only of an attribute that reached its threshold"),
    skip("smartctl"; "ata_smart_(error|self_test)_log\\..*"; "a log that ioproof does not read"),
    (def h($field; $key; turned): row("hdparm"; $field; "identify-device"; $key; turned);
     def counted: split(" ")[0] | tonumber;
     h("Model Number"; "model"; trim), h("Serial Number"; "serial"; trim), h("Firmware Revision"; "firmware"; trim), h("LBA48  user addressable sectors"; "capacity_blocks"; counted),
     h("Logical  Sector size"; "logical_block_bytes"; counted), h("Physical Sector size"; "physical_block_bytes"; counted), h("Queue depth"; "ncq_depth"; counted),
     h("features"; "features_enabled"; map({"SMART feature set": "SMART", "Write cache": "volatile write cache", "NOP cmd": "NOP", "48-bit Address feature set": "48-bit addresses",
         "Mandatory FLUSH_CACHE": "FLUSH CACHE", "FLUSH_CACHE_EXT": "FLUSH CACHE EXT", "Native Command Queueing (NCQ)": null}[.] // empty)),
     h("features"; "ncq_supported"; index("Native Command Queueing (NCQ)") != null),
     skip("hdparm"; ".*"; "geometry and transfer modes that no standard since ACS-2 has, or the words of other rows"));
END

cat >/tmp/scsi.jq <<'END'
include "rows" {search: "/tmp"};

# `4194303 blocks`, `0x3fffc0 blocks`, `0 [not reported]`.
def counted: split(" ")[0] | if startswith("0x") then reduce (.[2:] | explode[]) as $digit (0; . * 16 + ($digit | if . > 90 then . - 87 else . - 48 end)) else tonumber end;

def smartctl:
    def s($field; $page; $key; turned): row("smartctl"; $field; $page; $key; turned);
    def s($field; $page; $key): s($field; $page; $key; .);
    s("scsi_vendor"; "inquiry"; "vendor"), s("scsi_product"; "inquiry"; "model"), s("scsi_revision"; "inquiry"; "firmware"), s("scsi_version"; "inquiry"; "scsi_version"),
    s("user_capacity.blocks"; "read-capacity-16"; "capacity_blocks"), s("user_capacity.bytes"; "read-capacity-16"; "capacity_bytes"),
    s("logical_block_size"; "read-capacity-16"; "logical_block_bytes"), s("physical_block_size"; "read-capacity-16"; "physical_block_bytes"),
    s("scsi_lb_provisioning.value"; "vpd-b2"; "provisioning_type"; one_of(["not told, or full", "resource", "thin"])),
    # smartctl 7.3 prints the bit as -1.
    s("scsi_lb_provisioning.management_enabled.value"; "read-capacity-16"; "provisioning_managed"; . != 0),
    s("scsi_lb_provisioning.read_zeros.value"; "read-capacity-16"; "provisioning_reads_zeros"; flag(0)),
    s("form_factor.scsi_value"; "vpd-b1"; "form_factor"; one_of([null, "5.25 inch", "3.5 inch", "2.5 inch", "1.8 inch", "less than 1.8 inch"])),
    s("logical_unit_id"; "vpd-83"; "wwn"; sub("^0x"; "")), s("serial_number"; "vpd-80"; "serial"),
    s("device_type.scsi_value"; "inquiry"; "peripheral_type"; one_of(["disk", "tape"])),
    s("scsi_transport_protocol.value"; "vpd-83"; "scsi_transport"; one_of([null, null, null, null, null, null, "SAS"])),
    s("temperature.current"; "log-0d"; "temperature_celsius"; unless(0)), s("scsi_temperature.drive_trip"; "log-0d"; "warning_temperature_celsius"; unless(0)),
    s("smart_status.passed"; "log-2f"; "smart_passed"),
    skip("smartctl"; "(json_format_version|smartctl|local_time|device)\\..*"; "about the tool and its run"),
    skip("smartctl"; "scsi_model_name"; "maker and model, which are compared one by one"),
    skip("smartctl"; "(scsi_lb_provisioning\\.|form_factor\\.|device_type\\.|scsi_transport_protocol\\.).*(name|terminology)"; "words for the number that is compared"),
    skip("smartctl"; "rotation_rate"; "0 is both none and not told; compared with sg_vpd instead"),
    skip("smartctl"; "(smart_support|temperature_warning)\\..*"; "the mode page of informational exceptions, which ioproof does not read"),
    skip("smartctl"; "scsi_environmental_reports\\..*"; "a subpage of log page 0Dh, which ioproof does not read");

def generic:
    def i($field; $key; turned): row("sg_inq"; $field; "inquiry"; $key; turned);
    def c($field; $key; turned): row("sg_readcap"; $field; "read-capacity-16"; $key; turned);
    def l($field; $key; turned): row("sg_vpd"; $field; "vpd-b0"; $key; turned);
    def p($field; $key; turned): row("sg_vpd"; $field; "vpd-b2"; $key; turned);
    def m($byte; $key; turned): row("sg_modes"; $byte; "mode-page-8"; $key; turned);
    def yes: . != "0";
    i("Vendor identification"; "vendor"; trim), i("Product identification"; "model"; trim), i("Product revision level"; "firmware"; trim), i("RMB"; "removable_medium"; yes),
    i("PQual"; "peripheral_qualifier"; tonumber), i("Protect"; "protection_supported"; yes), i("3PC"; "third_party_copy_supported"; yes),
    i("MultiP"; "multiple_ports"; yes), i("CmdQue"; "command_queuing_supported"; yes), i("PDT"; "peripheral_type"; tonumber | one_of(["disk", "tape"])),
    row("sg_inq"; "Unit serial number"; "vpd-80"; "serial"; trim),
    c("Last LBA"; "last_block"; counted), c("Number of logical blocks"; "capacity_blocks"; counted), c("Logical block length"; "logical_block_bytes"; counted),
    c("prot_en"; "protection_enabled"; yes), c("lbpme"; "provisioning_managed"; yes), c("lbprz"; "provisioning_reads_zeros"; yes),
    c("Logical blocks per physical block exponent"; "logical_blocks_per_physical_block"; counted | power_of_two), c("Lowest aligned LBA"; "lowest_aligned_block"; counted),
    c("Device size"; "capacity_bytes"; counted),
    l("Maximum compare and write length"; "max_compare_and_write_blocks"; counted | unless(0)),
    l("Optimal transfer length granularity"; "optimal_transfer_granularity_blocks"; counted | unless(0)),
    l("Maximum transfer length"; "max_transfer_blocks"; counted | unless(0)), l("Optimal transfer length"; "optimal_transfer_blocks"; counted | unless(0)),
    l("Maximum prefetch transfer length"; "max_prefetch_blocks"; counted | unless(0)),
    # All ones are no limit.
    l("Maximum unmap LBA count"; "max_unmap_blocks"; if startswith("-1") then absent else counted end),
    l("Maximum unmap block descriptor count"; "max_unmap_descriptors"; if startswith("-1") then absent else counted end),
    l("Optimal unmap granularity"; "unmap_granularity_blocks"; counted | unless(0)), l("Maximum write same length"; "max_write_same_blocks"; counted | unless(0)),
    l("Maximum atomic transfer length"; "max_atomic_write_blocks"; counted | unless(0)), l("Atomic alignment"; "atomic_write_alignment_blocks"; counted | unless(0)),
    l("Atomic transfer length granularity"; "atomic_write_granularity_blocks"; counted | unless(0)),
    l("Maximum atomic transfer length with atomic boundary"; "max_atomic_boundary_write_blocks"; counted | unless(0)),
    l("Maximum atomic boundary size"; "max_atomic_boundary_blocks"; counted | unless(0)),
    row("sg_vpd"; "Medium rotation rate"; "vpd-b1"; "rotation_rate_rpm"; if test("not report") then absent elif test("[Nn]on-rotating") then 0 else counted end),
    p("Unmap command supported (LBPU)"; "unmap_supported"; yes), p("Write same (16) with unmap bit supported (LBPWS)"; "write_same_16_unmap_supported"; yes),
    p("Write same (10) with unmap bit supported (LBPWS10)"; "write_same_10_unmap_supported"; yes), p("Anchored LBAs supported (ANC_SUP)"; "anchor_supported"; yes),
    p("Provisioning type"; "provisioning_type"; counted | one_of(["not told, or full", "resource", "thin"])), p("Threshold exponent"; "provisioning_threshold_exponent"; counted | unless(0)),
    m("byte_2"; "write_cache_enabled"; flag(2)), m("byte_2"; "read_cache_enabled"; flag(0) | not), m("byte_12"; "look_ahead_enabled"; flag(5) | not),
    m("byte_12"; "nonvolatile_cache_disabled"; flag(0)), m("WP"; "write_protected"; yes), m("DpoFua"; "fua_supported"; yes),
    skip("sg_inq"; ".*"; "bits of parallel SCSI, and words for numbers that are compared"), skip("sg_readcap"; ".*"; "the same"), skip("sg_modes"; ".*"; "the header"),
    skip("sg_vpd"; ".*"; "write-same of anything but zeros, percentages of thresholds, and what concerns host-aware zones");
END

# Of an ATA drive behind a translator both tables are compared together.
cat >/tmp/block.jq <<'END'
include "rows" {search: "/tmp"};

def lsblk:
    def q($field; $key; turned): row("lsblk"; $field; "queue"; $key; turned);
    def q($field; $key): q($field; $key; .);
    q("maj:min"; "device_number"), q("log-sec"; "logical_block_bytes"), q("phy-sec"; "physical_block_bytes"), q("min-io"; "minimum_io_bytes"),
    q("opt-io"; "optimal_io_bytes"), q("ra"; "read_ahead_bytes"; . * 1024), q("rq-size"; "nr_requests"), q("sched"; "scheduler"),
    (if .t.lsblk.name // "" | startswith("vd") then skip("lsblk"; "rota"; "what the kernel takes any virtual disk for") else q("rota"; "rotational") end),
    q("disc-gran"; "discard_granularity_bytes"), q("disc-max"; "discard_max_bytes"), q("zoned"; "zoned"),
    row("lsblk"; "size"; "kernel"; "capacity_bytes"), row("lsblk"; "model"; "kernel"; "model"; trim), row("lsblk"; "rev"; "kernel"; "firmware"; trim),
    row("lsblk"; "serial"; "kernel"; "serial"; trim),
    (if .t.lsblk.vendor // "" | startswith("0x") then row("lsblk"; "vendor"; "pcie-path"; "function_0_vendor")
     elif .t.lsblk.vendor // "" | startswith("ATA ") then skip("lsblk"; "vendor"; "a word of the translator, not the maker")
     else row("lsblk"; "vendor"; "kernel"; "vendor"; trim) end),
    skip("lsblk"; "name|kname|path|pkname|type|tran|subsystems|hctl|mode|owner|group|state|hotplug|rm|ro|rand|dax"; "the kernel's name, place and rights of the node"),
    skip("lsblk"; "children.*|fs.*|label|part.*|pt.*|uuid|wwn|mountpoint.*"; "what stands on it, which is told elsewhere, or asks udev, which is not here"),
    skip("lsblk"; "alignment|disc-aln|disc-zero|wsame|start|zone-.*"; "always 0 in kernels since 4.12 or in drives without zones");

# Straight from sysfs.
def sysfs:
    def q($field; $key; turned): row("sysfs"; $field; "queue"; $key; turned);
    def q($field; $key): q($field; $key; tonumber);
    row("sysfs"; "serial"; "kernel"; "serial"; trim), row("sysfs"; "size"; "kernel"; "capacity_bytes"; tonumber * 512),
    q("queue/write_cache"; "write_cache"; .), q("queue/write_cache"; "kernel_flushes"; . == "write back"), q("queue/fua"; "fua"; . == "1"), q("queue/nomerges"; "nomerges"),
    q("queue/rq_affinity"; "rq_affinity"), q("queue/io_poll"; "io_poll"; . == "1"), q("queue/wbt_lat_usec"; "wbt_latency_us"),
    q("queue/max_sectors_kb"; "max_request_bytes"; tonumber * 1024), q("queue/max_hw_sectors_kb"; "max_request_hardware_bytes"; tonumber * 1024),
    q("queue/max_segments"; "max_segments"), q("queue/dma_alignment"; "dma_alignment_mask_bytes"), q("queue/iostats"; "iostats"; . == "1"),
    q("queue/scheduler"; "schedulers"; trim), q("mq"; "hardware_queues");

report("the kernel"; lsblk, sysfs)
END
# The two tables of SCSI commands are put together below; jq includes by file.
sed '1d' /tmp/scsi.jq >/tmp/scsi.rows
{ cat /tmp/ata.jq /tmp/scsi.rows; echo 'report("the drive"; smartctl_of_ata, rest, generic)'; } | awk '/^def smartctl:/ { sub("smartctl", ++seen == 1 ? "smartctl_of_ata" : "smartctl_of_scsi") } { print }' >/tmp/sata.jq
echo 'report("the drive"; smartctl, generic)' >>/tmp/scsi.jq

compared=0
skipped=0
only_ours=0

# told TOOL COMMAND...: the tool's JSON, kept as a fact in /tmp/t. A tool that does not know the drive tells nothing.
told() {
    tool=$1
    shift
    "$@" >"/tmp/t/$tool.json" 2>/dev/null </dev/null
    first=
    read -r first <"/tmp/t/$tool.json"
    case $first in
    '{'* | '['*) ;;
    *) rm "/tmp/t/$tool.json" ;;
    esac
}

# Forgets what tools told.
forget() {
    rm -rf /tmp/t
    mkdir /tmp/t
}

# Text of `label: value` and `name=value` as JSON.
labels() {
    "$@" 2>/dev/null </dev/null | jq -Rn '[inputs | (capture("^[\\s>]*(?<key>[A-Za-z][^:=]*?)\\s*:\\s*(?<value>[^:]+)$")?),
        (capture("(?<key>Last LBA)=(?<value>[0-9]+)")?), (capture("(?<key>Number of logical blocks)=(?<value>[0-9]+)")?), (capture("(?<key>Logical block length)=(?<value>[0-9]+)")?),
        (capture("(?<key>Logical blocks per physical block exponent|Lowest aligned LBA)=(?<value>[0-9]+)")?),
        (capture("(?<key>Medium rotation rate) is (?<value>.*)")?), (capture("(?<key>Non-rotating)(?<value>) medium") | {key: "Medium rotation rate", value: "non-rotating"})?,
        (scan("([A-Z3a-z_]+)=([0-9]+)") | {key: .[0], value: .[1]})] | from_entries'
}

sg_vpd_json() {
    for page in bl bdc lbpv; do labels sg_vpd -p $page "$1"; done | jq -s add
}

hdparm_json() {
    hdparm -I "$1" 2>/dev/null </dev/null | jq -Rn '[inputs] | (map(capture("^\\s*(?<key>[A-Z][^:]*?):\\s+(?<value>.*)$")? // empty) | from_entries)
        + {features: map(capture("^\\s+\\*\\s+(?<name>.*)$")? // empty | .name)}'
}

# The caching mode page of sg_modes is hexadecimal digits.
sg_modes_json() {
    sg_modes -p 8 "$1" 2>/dev/null </dev/null | jq -Rn 'def hex: explode | map(if . > 90 then . - 87 else . - 48 end) | .[0] * 16 + .[1];
        [inputs] | (map(scan("(WP|DpoFua)=([0-9])") | {key: .[0], value: .[1]}) | from_entries)
        + (map(select(test("^ (00|10)  "))) | .[1:] | map(scan(" ([0-9a-f]{2})(?= |$)")[0]) | .[1:] | map(select(. != null)) | {bytes: .})
        | . + {byte_2: (.bytes[2] | hex), byte_12: (.bytes[12] | hex)} | del(.bytes)'
}

features_json() {
    for number in 01 02 04 06 07 08 09 0a 0b 10; do
        nvme get-feature "$1" -n 0 -f 0x$number 2>/dev/null </dev/null | sed -n "s/.*Current value: *\(0x\)\{0,1\}\([0-9a-f]*\).*/${number}h \2/p"
    done | jq -Rn 'def hex: reduce explode[] as $digit (0; . * 16 + ($digit | if . > 90 then . - 87 else . - 48 end));
        [inputs | split(" ") | {key: .[0], value: (.[1] | hex)}] | from_entries'
}

sysfs_json() {
    (
        cd "/sys/block/${1##*/}" || exit
        printf 'serial\t%s\n' "$(serial_of "${1##*/}")"
        printf 'mq\t%s\n' "$(ls mq | wc -l)"
        for file in size queue/write_cache queue/fua queue/nomerges queue/rq_affinity queue/io_poll queue/wbt_lat_usec queue/max_sectors_kb queue/max_hw_sectors_kb \
            queue/max_segments queue/dma_alignment queue/iostats queue/scheduler; do
            [ -r $file ] && printf '%s\t%s\n' $file "$(cat $file)"
        done
    ) | jq -Rn '[inputs | split("\t") | select(.[1] != "" and . != ["mq", "0"]) | {key: .[0], value: .[1]}] | from_entries'
}

# What ioproof says of a node, in /tmp/ours.json; the case fails where it ends with anything but 0.
ours() {
    ioproof identify "$1" --json >/tmp/ours.json 2>/tmp/ours.err </dev/null
    status=$?
    [ $status -eq 0 ] && jq -e '.drives | length == 1' /tmp/ours.json >/dev/null
}

# verdict CASE TABLE LEAST: compares /tmp/ours.json (of pages of one name the first, which is about the node itself) with the facts; fewer compared fields than LEAST would mean that the tools told nothing.
verdict() {
    jq -n --slurpfile ours /tmp/ours.json \
        '{t: ([inputs | {key: (input_filename | ltrimstr("/tmp/t/") | rtrimstr(".json")), value: .}] | from_entries), ours: (reduce $ours[0].drives[0].pages[] as $page ({}; .[$page.name] //= $page.fields) | [to_entries[]
            | .key as $page | .value[] | {key: "\($page) \(.key)", value: .value}] | reverse | from_entries)}' /tmp/t/*.json >/tmp/facts.json
    if ! jq -f "/tmp/$2.jq" /tmp/facts.json >/tmp/verdict.json 2>/tmp/jq.err; then
        fail "$1: the table cannot be read: $(head -n 1 /tmp/jq.err)"
        return
    fi
    count=$(jq .compared /tmp/verdict.json) left=$(jq .skipped /tmp/verdict.json) only=$(jq '.only_ours | length' /tmp/verdict.json)
    compared=$((compared + count)) skipped=$((skipped + left)) only_ours=$((only_ours + only))
    jq -r '(.differing[] | "    differs: " + .), (.unseen[] | "    no row for: " + .)' /tmp/verdict.json >/tmp/differing
    if [ -s /tmp/differing ]; then
        fail "$1: differs"
        cat /tmp/differing
    elif [ "$count" -lt "$3" ]; then
        fail "$1: only $count fields were compared"
    else
        pass "$1: $count fields agree, $left reasons not to compare, $only that no tool has"
    fi
}

# Without the name around it.
slots() {
    nvme fw-log "$1" -o json | jq '.[]'
}

# A namespace in the list of all.
listed() {
    nvme list -v -o json | jq --arg name "$1" '[.. | objects | select(.NameSpace? == $name)][0]'
}

lsblk_json() {
    lsblk -J -b -d -O "$1" | jq '.blockdevices[0]'
}

# block_facts DEVICE
block_facts() {
    forget
    told lsblk lsblk_json "$1"
    told sysfs sysfs_json "$1"
}

# nvme_case NAME DEVICE LEAST: all are asked through the namespace's node, which may be one of several paths.
nvme_case() {
    forget
    # Before ours, because what ours asks in vain becomes an error in the log.
    told error-log nvme error-log "$2" -o json
    told "smart-log before" nvme smart-log "$2" -o json
    told "smartctl before" smartctl -x -j "$2"
    if ! ours "$2"; then
        fail "$1: ioproof ended with $status: $(head -n 1 /tmp/ours.err)"
        return
    fi
    for what in id-ctrl id-ns smart-log list-ns ns-descs nvm-id-ctrl nvm-id-ns self-test-log primary-ctrl-caps effects-log list-ctrl; do
        told $what nvme $what "$2" -o json
    done
    told fw-log slots "$2"
    told features features_json "$2"
    told list listed "${2##*/}"
    told smartctl smartctl -x -j "$2"
    verdict "$1, nvme-cli and smartctl" nvme "$3"
    block_facts "$2"
    verdict "$1, the kernel" block 25
}

scsi_case() {
    if ! ours "$2"; then
        fail "$1: ioproof ended with $status: $(head -n 1 /tmp/ours.err)"
        return
    fi
    forget
    told smartctl smartctl -x -j "$2"
    [ "$3" != sata ] || told hdparm hdparm_json "$2"
    told sg_inq labels sg_inq "$2"
    told sg_readcap labels sg_readcap -l "$2"
    told sg_vpd sg_vpd_json "$2"
    told sg_modes sg_modes_json "$2"
    verdict "$1, smartctl and the tools of its bus" "$3" "$4"
    block_facts "$2"
    verdict "$1, the kernel" block 25
}

# A few reads and writes, so that the counters are not all 0. What comes first is left alone.
nvme=$(drive NVME-A)
must dd if=/dev/zero of="$nvme" bs=1M seek=16 count=8 oflag=direct
must dd if="$nvme" of=/dev/null bs=1M count=8 iflag=direct
must mkdir -p /mnt/a
must modprobe scsi_debug dev_size_mb=8 physblk_exp=3 lbpu=1 lbpws=1 unmap_max_blocks=8192 unmap_granularity=8 opt_xferlen_exp=6
debug=
for folder in /sys/block/sd*; do
    if grep -q scsi_debug "$folder/device/model"; then debug=/dev/${folder##*/}; fi
done

nvme_case NVME-A "$nvme" 250
nvme_case "NVME-B, second namespace" "$(drive NVME-B 2)" 250
nvme_case "NVME-F, blocks of 4096 bytes" "$(drive NVME-F 2)" 250
nvme_case "NVME-F, blocks with metadata" "$(drive NVME-F 3)" 250
nvme_case "NVME-M, two controllers" "$(drive NVME-M)" 250
nvme_case "NVME-P, behind a port" "$(drive NVME-P)" 250
scsi_case SATA-A "$(drive SATA-A)" sata 110
scsi_case SCSI-A "$(drive SCSI-A)" scsi 55
scsi_case scsi_debug "$debug" scsi 60
virtio=$(drive VIRTIO-A)
if ours "$virtio"; then
    block_facts "$virtio"
    verdict VIRTIO-A block 25
else
    fail "VIRTIO-A: ioproof ended with $status"
fi
echo "in all: $compared fields compared, $skipped reasons not to compare, $only_ours fields that no tool has"

# The block format that is in use is a thing to get right: what the kernel took of it, too.
format() {
    ours "$1" && jq -e --argjson block "$2" --argjson metadata "$3" '[.drives[0].pages[] | select(.name == "identify-namespace")][0].fields
        | map({key, value}) | from_entries | .logical_block_bytes == $block and .metadata_bytes == $metadata and .capacity_bytes == .namespace_size_blocks * $block' \
        /tmp/ours.json >/dev/null
}
if format "$(drive NVME-F 2)" 4096 0; then pass "a namespace of 4096 bytes a block"; else fail "a namespace of 4096 bytes a block"; fi
if format "$(drive NVME-F 3)" 512 8; then pass "a namespace with 8 bytes of metadata a block"; else fail "a namespace with 8 bytes of metadata a block"; fi

# What a drive says without what counts on by itself, and without where it was read.
said() {
    jq -S '[.drives[0].pages[] | select(.name != "interrupts") | {name, problems,
        fields: [.fields[] | select(.key | test("^(data_|host_(read|write)_|controller_busy|power_on_hours|error_log_entries|temperature)") | not) | {key, value}]}]' /tmp/ours.json
}

# same CASE NODE: says the same as the node in /tmp/said.
same() {
    if ! ours "$2"; then
        fail "$1: ended with $status: $(head -n 1 /tmp/ours.err)"
    elif said | cmp -s - /tmp/said; then
        pass "$1"
    else
        fail "$1: says something else"
        said | diff - /tmp/said | head -n 12
    fi
}

must sh -c "printf 'label: gpt\nsize=16M\n' | sfdisk --no-reread $nvme"
blockdev --rereadpt "$nvme" 2>/dev/null
usleep 300000
controller=${nvme%n1}
ours "$nvme"
said >/tmp/said
same "$controller, the controller's node, says the same" "$controller"
same "/dev/ng${nvme#/dev/nvme}, the generic node, says the same" "/dev/ng${nvme#/dev/nvme}"
same "${nvme}p1, a partition, says the same of its drive" "${nvme}p1"
must mkdir -p /dev/disk/by-id
must ln -s "../../${nvme##*/}" /dev/disk/by-id/nvme-rig
same "a link as udev makes them says the same" /dev/disk/by-id/nvme-rig
must mkfs.ext4 -q "${nvme}p1"
must mount "${nvme}p1" /mnt/a
must touch /mnt/a/file
same "a file on the drive's filesystem says the same of its drive" /mnt/a/file
same "a directory there says the same of its drive" /mnt/a
must umount /mnt/a

sata=$(drive SATA-A)
ours "$sata"
said >/tmp/said
for node in "/sys/block/${sata##*/}"/device/scsi_generic/*; do
    same "/dev/${node##*/}, the generic node of SATA-A, says the same" "/dev/${node##*/}"
done

# What is captured says the same when it is read again, without a drive. Both come from the same answers, so that nothing counts on in between.
number=0
replays() {
    number=$((number + 1))
    ioproof identify "$2" --json --capture "/tmp/capture-$number" >/tmp/ours.json 2>/tmp/ours.err
    status=$?
    said >/tmp/said
    if [ $status -ne 0 ]; then
        fail "$1: the capture ended with $status: $(head -n 1 /tmp/ours.err)"
        return
    fi
    ioproof identify --from "/tmp/capture-$number" --json >/tmp/ours.json 2>/tmp/ours.err
    status=$?
    if [ $status -eq 0 ] && said | cmp -s - /tmp/said; then
        pass "$1"
    else
        fail "$1: the replay ended with $status and says something else"
        head -n 3 /tmp/ours.err
        said | diff - /tmp/said | head -n 12
    fi
}
for node in "$nvme" "$(drive NVME-M)" "$sata" "$(drive SCSI-A)" "$virtio"; do
    replays "$node captured and replayed says the same" "$node"
done
if ioproof identify --from /tmp/capture-1 >/tmp/text 2>/tmp/talk && grep -q NVME-A /tmp/text; then
    pass "a capture is shown as the drive is"
else
    fail "a capture is shown as the drive is"
    head -n 3 /tmp/talk
fi

# One path of two, each with a controller of its own, and the name over both.
many=$(drive NVME-M)
ours "$many"
said >/tmp/said
same "/dev/ng${many#/dev/nvme}, the generic node over two controllers, says the same" "/dev/ng${many#/dev/nvme}"
seen=
for folder in /sys/class/nvme/nvme*; do
    [ "$(tr -d ' ' <"$folder/serial")" = NVME-M ] || continue
    ours "/dev/${folder##*/}"
    id=$(jq '[.drives[0].pages[].fields[] | select(.key == "controller_id")][0].value' /tmp/ours.json)
    seen="$seen $id=$(cat "$folder/cntlid")"
done
case $seen in
' 0=0 1=1' | ' 1=1 0=0') pass "each of two controllers answers for itself" ;;
*) fail "each of two controllers answers for itself:$seen" ;;
esac

# A user without rights.
user() {
    setpriv --reuid=65534 --regid=65534 --clear-groups "$@" </dev/null
}

# poor CASE NODE: facts of sysfs, one line of what root would add, and no page of the drive's own.
poor() {
    ours "$2"
    jq -S '[.drives[0].pages[] | select(.name == "kernel" or .name == "queue") | .fields[] | {key, value}]' /tmp/ours.json >/tmp/rich
    user ioproof identify "$2" --json >/tmp/ours.json 2>/tmp/ours.err
    status=$?
    user ioproof identify "$2" >/tmp/text 2>&1
    if [ $status -ne 0 ]; then
        fail "$1: ended with $status: $(head -n 1 /tmp/ours.err)"
    elif ! jq -S '[.drives[0].pages[] | select(.name == "kernel" or .name == "queue") | .fields[] | {key, value}]' /tmp/ours.json | cmp -s - /tmp/rich; then
        fail "$1: the kernel's facts are others than root's"
    elif [ "$(grep -c '^root would add' /tmp/text)" -ne 1 ] || ! jq -e .root_would_add /tmp/ours.json >/dev/null; then
        fail "$1: not one line that says what root would add"
        grep -i root /tmp/text
    elif jq -e '[.drives[0].pages[].name] | any(test("^(identify|smart|inquiry|vpd|log-)"))' /tmp/ours.json >/dev/null; then
        fail "$1: pages of a drive that may not be opened"
    else
        pass "$1"
    fi
}
for node in "$nvme" "$controller" "/dev/ng${nvme#/dev/nvme}" "${nvme}p1" /dev/disk/by-id/nvme-rig "$sata" "$(drive SCSI-A)" "$virtio"; do
    poor "a user without rights: $node" "$node"
done

# Who may read the node gets what its kernel lets him ask, and is told about the rest.
scsi=$(drive SCSI-A)
for node in "$sata" "$scsi" "$nvme"; do
    must chmod 644 "$node"
    user ioproof identify "$node" --json >/tmp/ours.json 2>/tmp/ours.err
    status=$?
    told=$(jq '[.drives[0].pages[] | select(.name | test("^(inquiry|vpd|read-cap|identify)")) | .fields[]] | length' /tmp/ours.json)
    case $node in
    "$nvme") least=0 ;;
    *) least=20 ;;
    esac
    if [ $status -eq 0 ] && [ "$told" -ge $least ] && { [ "$node" = "$scsi" ] || grep -q 'root would add' /tmp/ours.json /tmp/ours.err; }; then
        pass "a user who may read $node gets $told fields of the drive's own"
    else
        fail "a user who may read $node (exit status $status, $told fields)"
        head -n 3 /tmp/ours.err
    fi
    must chmod 600 "$node"
done

# refused CASE STATUS WORDS ARGUMENT...: nothing on the standard output, an error with these words and a hint.
refused() {
    name=$1 wanted=$2 words=$3
    shift 3
    ioproof identify "$@" >/tmp/text 2>/tmp/talk </dev/null
    status=$?
    if [ $status -eq "$wanted" ] && [ ! -s /tmp/text ] && head -n 1 /tmp/talk | grep -q "^error: .*$words" && ! grep -qi panic /tmp/talk; then
        pass "$name: $(head -n 1 /tmp/talk)"
    else
        fail "$name (exit status $status)"
        head -n 3 /tmp/talk
    fi
}
echo nothing >/tmp/file
must ln -s /dev/nowhere /tmp/dangling
must mkfifo /tmp/pipe
refused "a file in memory" 2 "no drive" /tmp/file
refused "a directory in memory" 2 "no drive" /tmp
refused "a file of procfs" 2 "no drive" /proc/cpuinfo
refused "/dev/null" 2 "no drive" /dev/null
refused "a terminal" 2 "no drive" /dev/tty
refused "a pipe" 2 "pipe" /tmp/pipe
refused "a path that is not there" 2 "no such target" /dev/nowhere
refused "a link to nowhere" 2 "where nothing is" /tmp/dangling
refused "a path through a file" 2 "/tmp/file/below" /tmp/file/below
refused "an empty path" 2 "a value is required" ""

# A controller that knows fewer settings than others: the kernel's own target. What it refuses is named, the rest comes.
must modprobe nvmet-tcp
must mount -t configfs config /sys/kernel/config
must modprobe nvme-tcp
must ip link set lo up
target=/sys/kernel/config/nvmet
must dd if=/dev/zero of=/tmp/target.img bs=1M count=4
must mkdir "$target/subsystems/rig" "$target/subsystems/rig/namespaces/1" "$target/ports/1"
backing=$(losetup -f --show /tmp/target.img)
must sh -c "cd $target/subsystems/rig && echo 1 >attr_allow_any_host && echo TARGET >attr_serial && echo $backing >namespaces/1/device_path && echo 1 >namespaces/1/enable"
must sh -c "cd $target/ports/1 && echo tcp >addr_trtype && echo ipv4 >addr_adrfam && echo 127.0.0.1 >addr_traddr && echo 4420 >addr_trsvcid && ln -s $target/subsystems/rig subsystems/rig"
must nvme connect -t tcp -a 127.0.0.1 -s 4420 -n rig
fabric=$(drive TARGET)
# Its log then holds the errors of what was asked in vain.
ours "$fabric"
nvme_case "the kernel's target over TCP" "$fabric" 200
if jq -e '[.drives[0].pages[].problems // [] | .[] | select(startswith("the drive refused: "))] | length > 0' /tmp/ours.json >/dev/null; then
    pass "what a controller does not know is named: $(jq -r '[.drives[0].pages[].problems // [] | .[] | select(startswith("the drive refused: "))][0]' /tmp/ours.json)"
else
    fail "what a controller does not know is named"
    jq -c '[.drives[0].pages[] | {name, problems}]' /tmp/ours.json
fi
must nvme disconnect -n rig

finish
