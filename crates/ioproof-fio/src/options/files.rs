//! Which files a job uses, and how they are made.

use super::kind::{COUNT, ValueKind};
use super::row::{OptionRow, approximated, honoured, ignored, no_effect, put, refused, switch};
use super::value::OptionValue;
use crate::settings::{Fallocate, JobSettings, Service, ServiceOrder};
use crate::values::float;

pub(super) const FILES: &[OptionRow] = &[
    honoured("filename", ValueKind::Files, |s, v| {
        s.files.names.extend(v.files()?);
        Ok(())
    })
        .says("Files or devices, between colons (`\\:` is a colon of a name). Given more than once, in `[global]` and in a job or on the command line, all \
         of them are used. Folders in a name that are not there are made. Without it, names are made for each clone."),
    honoured("directory", ValueKind::Files, |s, v| put(&mut s.files.directories, v.files()))
        .says("Where the files are, a directory that is there; several between colons are given to the clones in turn. The current one by default."),
    honoured("filename_format", ValueKind::Text, |s, v| put(&mut s.files.format, v.owned()))
        .says("How names of files are made, of `$jobname`, `$jobnum` (the clone, from 0), `$filenum` and text; `$jobname.$jobnum.$filenum` by default."),
    no_effect("unique_filename", ValueKind::Bool, "it bears on jobs of other machines only, and ioproof runs jobs here")
        .says("Whether names bear the address of the client; 1 by default."),
    honoured("nrfiles", COUNT, |s, v| put(&mut s.files.count, v.whole_as()))
        .says("Files of each clone, where names are made; 1 by default.")
        .or(&["nr_files"]),
    ignored("openfiles", COUNT, "").differs("all files of a job are open at once").says("How many files are open at once; all by default."),
    approximated("file_service_type", ValueKind::Form("random, roundrobin, sequential, zipf, pareto, normal or gauss, `:` and a number"), set_service)
        .differs("with zipf, pareto and normal every file is equally likely to be drawn, and random draws one for each I/O")
        .says("Which file comes next, and after how many I/Os; `roundrobin` by default.")
        .only_when(|s| {
        !matches!(
            (s.files.service.order, s.files.service.every),
            (ServiceOrder::RoundRobin | ServiceOrder::Sequential, _) | (ServiceOrder::Random, 1)
        )
    }),
    honoured("lockfile", ValueKind::Word(&["none", "exclusive", "readwrite"]), |s, v| put(&mut s.files.locked, v.text().map(|word| word != "none")))
        .says("Whether I/O to a file locks it, which changes nothing where every clone has files of its own; a job whose files others may use is refused, because files are not locked. `none` by default."),
    refused("opendir", ValueKind::Text, "folders are not searched for files; name the files in filename=")
        .says("A folder all of whose files are used."),
];

fn set_service(settings: &mut JobSettings, value: &OptionValue<'_>) -> Result<(), String> {
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

fn every(number: Option<&str>) -> Result<u32, String> {
    number.map_or(Ok(1), |text| text.parse().map_err(|_| format!("{text} is no number of I/Os")))
}

pub(super) const CREATION: &[OptionRow] = &[
    honoured("fallocate", ValueKind::Word(&["none", "native", "posix", "keep", "truncate", "0", "1"]), |s, v| {
        s.files.fallocate = match v.text()? {
            "native" => Fallocate::Native,
            "posix" | "1" => Fallocate::Posix,
            "keep" => Fallocate::Keep,
            "truncate" => Fallocate::Truncate,
            _ => Fallocate::None,
        };
        Ok(())
    })
        .says("How space is set aside when a file is made; `native` by default."),
    switch("overwrite", |s| &mut s.files.overwrite)
        .says("Files are filled before they are written, so that only existing blocks are written; 0 by default."),
    no_effect("create_serialize", ValueKind::Bool, "files are always made one after the other, before any job starts")
        .says("Whether files are made one after the other; 1 by default."),
    switch("create_fsync", |s| &mut s.files.create_fsync).says("Whether a file is synced after it was filled; 1 by default."),
    approximated("create_on_open", ValueKind::Bool, |s, v| put(&mut s.files.create_on_open, v.bool()))
        .differs("files are made before the first job starts: empty where they are only written; files that are read get content, without which fio's job fails")
        .says("Files are made when I/O comes to them, not before; 0 by default."),
    switch("create_only", |s| &mut s.files.create_only).says("Files are made and nothing else is done; 0 by default."),
    switch("allow_file_create", |s| &mut s.files.may_create).says("Whether missing files are made; 1 by default."),
    ignored("allow_mounted_write", ValueKind::Bool, "0")
        .differs("it has no effect: a device that holds a mounted file system is never written to; write to a file on it instead")
        .says("Whether a device that is mounted may be written to; 0 by default."),
    honoured("pre_read", ValueKind::Bool, |s, v| {
        s.files.pre_read = v.bool()?;
        s.files.invalidate &= !s.files.pre_read;
        Ok(())
    })
        .says("Files are read into the page cache first; 0 by default."),
    approximated("invalidate", ValueKind::Bool, |s, v| put(&mut s.files.invalidate, v.bool()))
        .differs("pages are dropped once, before the job begins, and not again before each pass over the files (loops, time_based)")
        .says("Cached pages of the files are dropped first; 1 by default."),
    switch("unlink", |s| &mut s.files.unlink).says("Files are removed when the job has ended, those that ioproof made; 0 by default."),
    ignored("unlink_each_loop", ValueKind::Bool, "0")
        .differs("the files stay between the passes, so that each pass but the first writes what is there already")
        .says("Files are removed after each pass of loops but the last; 0 by default.")
        .only_when(|_| false),
];
