//! Directions, order, sizes of I/Os and random offsets.

use super::kind::ValueKind;
use super::row::{OptionRow, approximated, flag, honoured, no_effect, put, put_some, refused_unless_off, switch};
use super::value::OptionValue;
use crate::settings::{Generator, JobSettings, Sequencer};
use crate::values::{Distribution, Mode, PerDirection, Suffix, distribution, rw, splits};

pub(super) const ACCESS: &[OptionRow] = &[
    honoured("rw", ValueKind::Form("read, write, trim, randread, randwrite, randtrim, rw, readwrite, randrw, trimwrite or randtrimwrite, `:` and a number"), set_rw)
        .says("Directions and order; `read` by default. A number after a random order lets so many I/Os follow each other, after a sequential one it is the \
         gap after each, a multiple of 512 bytes. A gap below 0 goes backwards. A job with gaps ends where the gap leads past the end of a part of a file; over whole \
         files it goes on from the start until size is done, unless an I/O ends exactly where the file does. trimwrite trims each block and then writes it; fsync and its like hold there too, where fio does not sync. Trims have no asynchronous call, so one I/O is outstanding whatever iodepth says. Trims are for devices, as in \
         fio, and refused on files.")
        .or(&["readwrite"]),
    honoured("rw_sequencer", ValueKind::Word(&["sequential", "identical"]), |s, v| put(&mut s.access.sequencer, v.text().map(|text| if text == "identical" { Sequencer::Identical } else { Sequencer::Sequential })))
        .says("Whether the number of a random rw repeats a block or goes on to the next; `sequential` by default."),
    honoured("rwmixread", ValueKind::Whole(0, 100), |s, v| put(&mut s.access.read_percent, v.whole_as()))
        .says("Share of reads where reads and writes are mixed, percent; 50 by default."),
    honoured("rwmixwrite", ValueKind::Whole(0, 100), |s, v| {
        s.access.read_percent = 100u8.saturating_sub(v.whole_as()?);
        Ok(())
    })
        .says("Share of writes where reads and writes are mixed, percent; 50 by default."),
    switch("direct", |s| &mut s.access.direct).says("Past the page cache (O_DIRECT); 0 by default."),
    honoured("buffered", ValueKind::Bool, |s, v| {
        s.access.direct = !v.bool()?;
        Ok(())
    })
        .says("Through the page cache, the opposite of direct; 1 by default."),
    refused_unless_off("atomic", ValueKind::Bool, "Linux never had O_ATOMIC; direct=1 with sync=dsync makes each write durable")
        .says("Atomic I/O past the page cache; 0 by default."),
    honoured("fadvise_hint", ValueKind::Word(&["0", "1", "random", "sequential"]), |s, v| put(&mut s.access.advice, v.owned()))
        .says("What the kernel is told about the order of buffered I/O; 1, the default, is what rw says."),
    no_effect("write_hint", ValueKind::Word(&["none", "short", "medium", "long", "extreme"]), "since Linux 5.18 the kernel keeps such hints from drives")
        .says("How long written data is expected to live; `none` by default."),
];

fn set_rw(settings: &mut JobSettings, value: &OptionValue<'_>) -> Result<(), String> {
    let asked = rw(value.text()?, value.context)?;
    settings.access.rw = asked;
    Ok(())
}

pub(super) const BLOCKS: &[OptionRow] = &[
    honoured("bs", ValueKind::Sizes(1), |s, v| put(&mut s.blocks.size, v.sizes().map(|n| n.over(PerDirection::all(4096)))))
        .says("Bytes of an I/O: of all, or of reads, writes and trims; 4096 by default.")
        .or(&["blocksize"]),
    honoured("bsrange", ValueKind::Ranges, set_range)
        .says("Least and most bytes of an I/O, of which multiples of the least are drawn; it goes before bs. Random I/O comes to each of the least blocks once a pass, for \
         which it is cut short before a block that was visited (see norandommap).")
        .or(&["blocksize_range"]),
    honoured("bssplit", ValueKind::Form("size/percent between colons, lists for reads, writes and trims between commas"), |s, v| {
        s.blocks.splits = splits(v.text()?, v.context)?;
        s.blocks.range = PerDirection::all(None);
        Ok(())
    })
        .says("Sizes and the share of each, percent; it goes before bs. Random I/O comes to each of the smallest blocks once a pass, for which it is cut short before a \
         block that was visited (see norandommap)."),
    refused_unless_off("bs_unaligned", ValueKind::Flag, "sizes that are not a multiple of the smallest one are not supported; list them in bssplit")
        .says("Any size within bsrange; 0 by default.")
        .or(&["blocksize_unaligned"]),
    refused_unless_off("bs_is_seq_rand", ValueKind::Bool, "sizes go by direction, not by order; write one job for sequential and one for random I/O")
        .says("The size for reads is that of sequential I/O, the size for writes that of random I/O; 0 by default."),
    approximated("ba", ValueKind::Sizes(1), |s, v| put(&mut s.blocks.align, v.sizes()))
        .differs("in a job that reads and writes, the value of reads holds for both; with a number after rw or a distribution it is not kept")
        .says("What random offsets are a multiple of, bytes, counted from where I/O begins; offsets then repeat as with norandommap. The block size by default.")
        .only_when(|s| {
        let align = &s.blocks.align;
        let drawn = s.access.rw.suffix == Suffix::None && s.random.distribution.read == Distribution::Random && s.random.random_percent.read == 100;
        s.access.rw.random && (!drawn || s.access.rw.mode == Mode::ReadWrite && align.read != align.write)
    })
        .or(&["blockalign"]),
];

fn set_range(settings: &mut JobSettings, value: &OptionValue<'_>) -> Result<(), String> {
    put(&mut settings.blocks.range, value.ranges())?;
    settings.blocks.splits = PerDirection::all(Vec::new());
    Ok(())
}

pub(super) const RANDOM: &[OptionRow] = &[
    approximated("random_distribution", ValueKind::Form("random, zipf:theta, pareto:power, normal:deviation, zoned:percent/percent:... or zoned_abs:percent/size:..."), set_distribution)
        .differs("the same shares of I/Os go to the same shares of the blocks, but which blocks are the busy ones differs, but for the busiest of zipf and pareto \
         with a centre (`zipf:1.2:0.25`); normal has the deviation that is asked for and its busy blocks lie about its centre, where fio 3.33 scatters them and has a deviation of 6 to 9 percent whatever is asked; the distribution of reads is used for all directions")
        .says("Which blocks random offsets prefer; `random`, none, by default."),
    honoured("percentage_random", ValueKind::Wholes(0, 100), |s, v| put(&mut s.random.random_percent, v.wholes().map(|n| n.over(PerDirection::all(100)))))
        .says("Share of the I/Os of a random order whose offset is drawn, percent; the rest follow the last one. 100 by default. That of reads holds for all directions. \
         Of I/Os that differ in size, those that are drawn are cut short before a block that was drawn."),
    flag("norandommap", |s| &mut s.random.repeats)
        .says("Offsets are drawn freely, so that some come often and some never; without it, each block comes once a pass, and I/Os that differ in size are cut short \
         before a block that was visited. Where the smallest read and the smallest write of a job differ, blocks come with repetition in any case."),
    switch("softrandommap", |s| &mut s.random.map_optional)
        .says("Whether blocks may come with repetition where there is no memory for a map of them, which only I/Os that differ in size take here; 0 by default."),
    approximated("random_generator", ValueKind::Word(&["tausworthe", "lfsr", "tausworthe64"]), |s, v| {
        s.random.generator = match v.text()? {
            "lfsr" => Generator::Lfsr,
            "tausworthe64" => Generator::Tausworthe64,
            _ => Generator::Tausworthe,
        };
        Ok(())
    })
        .differs("offsets come from ioproof's own generator and permutation; they are as random, but not fio's")
        .says("The generator of offsets; `tausworthe` by default."),
    switch("randrepeat", |s| &mut s.random.same_offsets).says("The same offsets in every run; they are not those of fio. 1 by default."),
    switch("allrandrepeat", |s| &mut s.random.same_everything).says("Everything that is drawn is the same in every run; 0 by default."),
    honoured("randseed", ValueKind::Whole(0, i64::MAX), |s, v| put_some(&mut s.random.seed, v.whole_as()))
        .says("Seed of all that is drawn: offsets, sizes, and which I/O of a mix reads. fio draws others, so that the shares of a short mix differ by chance."),
];

fn set_distribution(settings: &mut JobSettings, value: &OptionValue<'_>) -> Result<(), String> {
    put(&mut settings.random.distribution, distribution(value.text()?, value.context))
}
