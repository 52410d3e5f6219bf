//! Zoned devices.

use super::kind::Kind;
use super::row::{Row, no_effect, refused_unless_off};

const WHY: &str =
    "zoned devices and I/O that stays in zones are not there; rw=read:64k leaves gaps, offset and size bound a part of the device";
const ONLY: &str = "it bears on zonemode=zbd only, which is refused";

pub(super) const ROWS: &[Row] = &[
    refused_unless_off("zonemode", Kind::Word(&["none", "strided", "zbd"]), WHY, "Whether I/O stays in zones; `none` by default."),
    refused_unless_off("zonesize", Kind::Size(0), WHY, "Bytes of I/O in a zone; 0 by default."),
    refused_unless_off("zonerange", Kind::Size(0), WHY, "Bytes of a zone; 0 by default."),
    refused_unless_off("zoneskip", Kind::Amount, WHY, "Bytes between two zones; 0 by default."),
    refused_unless_off("zonecapacity", Kind::Size(0), WHY, "Bytes of a zone that can be written; 0 by default."),
    no_effect("read_beyond_wp", Kind::Bool, ONLY, "Reads may go beyond what was written of a zone; 0 by default."),
    no_effect("max_open_zones", Kind::Whole(0, 4096), ONLY, "Zones that are written at once by all jobs; 0, no limit, by default."),
    no_effect("job_max_open_zones", Kind::Whole(0, 4096), ONLY, "Zones that are written at once by a clone; 0, no limit, by default."),
    no_effect("ignore_zone_limits", Kind::Bool, ONLY, "The device's own limit is not looked at; 0 by default."),
    no_effect("zone_reset_threshold", Kind::Number(0.0, 1.0), ONLY, "Share of written data above which zones are reset."),
    no_effect("zone_reset_frequency", Kind::Number(0.0, 1.0), ONLY, "How often zones are reset then, for each write."),
];
