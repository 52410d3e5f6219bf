//! I/O in zones, and zoned devices.

use super::kind::Kind;
use super::row::{Row, approximated, honoured, no_effect, put, refused_unless_off};
use crate::settings::Settings;
use crate::values::{Amount, Mode};

const WHY: &str = "zoned devices are not tested; zonemode=strided goes through zones of any file or device";
const ONLY: &str = "it bears on zonemode=zbd only, which is refused";

pub(super) const ROWS: &[Row] = &[
    approximated(
        "zonemode",
        Kind::Word(&["none", "strided", "zbd"]),
        "each file, and of a mixed job each direction, goes through the zones by itself, and those that lie beyond size are left out, where fio goes on to the end of the file or device; random offsets may repeat in a zone, and a job goes on until it has moved all of its size, where fio may end earlier; within zones there are no \
         distributions",
        "Whether I/O goes from zone to zone, sequential or random within each; `none` by default. zbd is refused, because zoned devices are not tested.",
        |s, v| match v.text()? {
            "zbd" => Err("zoned devices are not tested; zonemode=strided goes through zones of any file or device".into()),
            mode => {
                s.region.zones.strided = mode == "strided";
                Ok(())
            }
        },
    )
    .only_when(differs),
    honoured("zonesize", Kind::Size(0), "Bytes of I/O in a zone before the next one, of zonemode=strided; 0 by default.", |s, v| {
        put(&mut s.region.zones.io_bytes, v.size())
    }),
    honoured("zonerange", Kind::Size(0), "Bytes of a zone, of zonemode=strided; zonesize by default.", |s, v| {
        put(&mut s.region.zones.range_bytes, v.size())
    }),
    honoured("zoneskip", Kind::Amount, "Bytes between two zones, of zonemode=strided; 0 by default.", |s, v| match v.amount()? {
        Amount::Bytes(bytes) => put(&mut s.region.zones.skip_bytes, Ok(bytes)),
        _ => Err("give the bytes between two zones; a share of the file means something else in each version of fio".into()),
    }),
    refused_unless_off("zonecapacity", Kind::Size(0), WHY, "Bytes of a zone that can be written; 0 by default."),
    no_effect("read_beyond_wp", Kind::Bool, ONLY, "Reads may go beyond what was written of a zone; 0 by default."),
    no_effect("max_open_zones", Kind::Whole(0, 4096), ONLY, "Zones that are written at once by all jobs; 0, no limit, by default."),
    no_effect("job_max_open_zones", Kind::Whole(0, 4096), ONLY, "Zones that are written at once by a clone; 0, no limit, by default."),
    no_effect("ignore_zone_limits", Kind::Bool, ONLY, "The device's own limit is not looked at; 0 by default."),
    no_effect("zone_reset_threshold", Kind::Number(0.0, 1.0), ONLY, "Share of written data above which zones are reset."),
    no_effect("zone_reset_frequency", Kind::Number(0.0, 1.0), ONLY, "How often zones are reset then, for each write."),
];

/// True where zones are gone through otherwise than by fio.
fn differs(settings: &Settings) -> bool {
    let mixed = settings.access.rw.mode == Mode::ReadWrite;
    let files = settings.files.names.len() > 1 || settings.files.count > 1;
    settings.region.zones.strided && (mixed || files || settings.access.rw.random && !settings.random.repeats)
}
