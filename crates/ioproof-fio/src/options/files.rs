//! Which files a job uses.

use super::kind::{COUNT, Kind};
use super::row::{Row, approximated, honoured, no_effect, put, put_some, refused, refused_unless_off};
use super::value::Value;
use crate::settings::{Service, ServiceOrder, Settings};
use crate::values::float;

pub(super) const ROWS: &[Row] = &[
    honoured(
        "filename",
        Kind::Files,
        "Files or devices, between colons (`\\:` is a colon of a name). Given more than once, in `[global]` and in a job or on the command line, all \
         of them are used. Folders in a name that are not there are made. Without it, names are made for each clone.",
        |s, v| {
            s.files.names.extend(v.files()?);
            Ok(())
        },
    ),
    honoured(
        "directory",
        Kind::Files,
        "Where the files are, a directory that is there; several between colons are given to the clones in turn. The current one by default.",
        |s, v| put(&mut s.files.directories, v.files()),
    ),
    honoured(
        "filename_format",
        Kind::Text,
        "How names of files are made, of `$jobname`, `$jobnum` (the clone, from 0), `$filenum` and text; `$jobname.$jobnum.$filenum` by default.",
        |s, v| put(&mut s.files.format, v.owned()),
    ),
    no_effect(
        "unique_filename",
        Kind::Bool,
        "it bears on jobs of other machines only, and ioproof runs jobs here",
        "Whether names bear the address of the client; 1 by default.",
    ),
    honoured("nrfiles", COUNT, "Files of each clone, where names are made; 1 by default.", |s, v| put(&mut s.files.count, v.whole_as()))
        .or(&["nr_files"]),
    approximated("openfiles", COUNT, "all files of a job are open at once", "How many files are open at once; all by default.", |s, v| {
        put_some(&mut s.files.open_at_once, v.whole_as())
    }),
    approximated(
        "file_service_type",
        Kind::Form("random, roundrobin, sequential, zipf, pareto, normal or gauss, `:` and a number"),
        "with zipf, pareto and normal every file is equally likely to be drawn, and random draws one for each I/O",
        "Which file comes next, and after how many I/Os; `roundrobin` by default.",
        set_service,
    )
    .only_when(|s| {
        !matches!(
            (s.files.service.order, s.files.service.every),
            (ServiceOrder::RoundRobin | ServiceOrder::Sequential, _) | (ServiceOrder::Random, 1)
        )
    }),
    refused_unless_off(
        "lockfile",
        Kind::Word(&["none", "exclusive", "readwrite"]),
        "files are not locked around I/O; give each job files of its own, or run the jobs one after the other with stonewall",
        "Whether I/O to a file locks it; `none` by default.",
    ),
    refused(
        "opendir",
        Kind::Text,
        "folders are not searched for files; name the files in filename=",
        "A folder all of whose files are used.",
    ),
];

fn set_service(settings: &mut Settings, value: &Value<'_>) -> Result<(), String> {
    let text = value.text()?;
    let (word, number) = text.split_once(':').map_or((text, None), |(word, number)| (word, Some(number)));
    let fraction = |default: f64| number.map_or(Ok(default), float);
    let plain = |order| every(number).map(|every| Service { order, every });
    let drawn = |order| Ok(Service { order, every: 1 });
    settings.files.service = match word {
        "roundrobin" => plain(ServiceOrder::RoundRobin),
        "sequential" => plain(ServiceOrder::Sequential),
        "random" => plain(ServiceOrder::Random),
        "zipf" => drawn(ServiceOrder::Zipf(fraction(1.1)?)),
        "pareto" => drawn(ServiceOrder::Pareto(fraction(0.2)?)),
        "normal" | "gauss" => drawn(ServiceOrder::Normal(fraction(0.0)?)),
        _ => Err(format!("{word} is no order of files; random, roundrobin, sequential, zipf, pareto and normal are")),
    }?;
    Ok(())
}

/// I/Os of a file before the next.
fn every(number: Option<&str>) -> Result<u32, String> {
    number.map_or(Ok(1), |text| text.parse().map_err(|_| format!("{text} is no number of I/Os")))
}
