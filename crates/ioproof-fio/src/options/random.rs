//! Drawing of random offsets.

use super::kind::Kind;
use super::row::{Row, approximated, honoured, put, put_some};
use super::value::Value;
use crate::settings::{Generator, Settings};
use crate::values::{PerDirection, distribution};

pub(super) const ROWS: &[Row] = &[
    approximated(
        "random_distribution",
        Kind::Form("random, zipf:theta, pareto:power, normal:deviation, zoned:percent/percent:... or zoned_abs:percent/size:..."),
        "the same shares of I/Os go to the same shares of the blocks, but which blocks are the busy ones differs, but for the busiest of zipf and pareto \
         with a centre (`zipf:1.2:0.25`); normal has the deviation that is asked for and its busy blocks lie about its centre, where fio 3.33 scatters them and has a deviation of 6 to 9 percent whatever is asked; the distribution of reads is used for all directions",
        "Which blocks random offsets prefer; `random`, none, by default.",
        set_distribution,
    ),
    honoured(
        "percentage_random",
        Kind::Wholes(0, 100),
        "Share of the I/Os of a random order whose offset is drawn, percent; the rest follow the last one. 100 by default. That of reads holds for all directions. \
         Of I/Os that differ in size, those that are drawn are cut short before a block that was drawn.",
        |s, v| {
            s.random.random_percent = v.wholes()?.over(PerDirection::all(100));
            Ok(())
        },
    ),
    honoured(
        "norandommap",
        Kind::Flag,
        "Offsets are drawn freely, so that some come often and some never; without it, each block comes once a pass, and I/Os that differ in size are cut short \
         before a block that was visited. Where the smallest read and the smallest write of a job differ, blocks come with repetition in any case.",
        |s, v| put(&mut s.random.repeats, v.flag()),
    ),
    honoured(
        "softrandommap",
        Kind::Bool,
        "Whether blocks may come with repetition where there is no memory for a map of them, which only I/Os that differ in size take here; 0 by default.",
        |s, v| put(&mut s.random.map_optional, v.bool()),
    ),
    approximated(
        "random_generator",
        Kind::Word(&["tausworthe", "lfsr", "tausworthe64"]),
        "offsets come from ioproof's own generator and permutation; they are as random, but not fio's",
        "The generator of offsets; `tausworthe` by default.",
        |s, v| {
            s.random.generator = match v.text()? {
                "lfsr" => Generator::Lfsr,
                "tausworthe64" => Generator::Tausworthe64,
                _ => Generator::Tausworthe,
            };
            Ok(())
        },
    ),
    honoured("randrepeat", Kind::Bool, "The same offsets in every run; they are not those of fio. 1 by default.", |s, v| {
        put(&mut s.random.same_offsets, v.bool())
    }),
    honoured("allrandrepeat", Kind::Bool, "Everything that is drawn is the same in every run; 0 by default.", |s, v| {
        put(&mut s.random.same_everything, v.bool())
    }),
    honoured("randseed", Kind::Whole(0, i64::MAX), "Seed of all that is drawn.", |s, v| put_some(&mut s.random.seed, v.whole_as())),
];

fn set_distribution(settings: &mut Settings, value: &Value<'_>) -> Result<(), String> {
    put(&mut settings.random.distribution, distribution(value.text()?, value.context))
}
