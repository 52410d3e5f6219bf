//! elbencho's file of CSV: a head with the names of the columns, and a row for each phase.

use super::elbencho::direction;
use super::{Context, Latency, Load, Measured, Number, Order, Output, Side, figure};

const MIB: f64 = 1_048_576.0;

pub(super) fn read(context: &Context) -> Option<Output> {
    let head = context.line().text.trim();
    if !(head.contains(",operation,") && head.contains(",MiB/s [last],")) {
        return None;
    }
    let names: Vec<&str> = head.split(',').collect();
    let mut measured = Vec::new();
    let mut end = context.at + 1;
    for (at, line) in context.block(5000).skip(1) {
        let values: Vec<&str> = line.text.trim().split(',').collect();
        if values.len() != names.len() {
            break;
        }
        measured.extend(phase(line.number, &Row { names: &names, values: &values }));
        end = at + 1;
    }
    (!measured.is_empty()).then_some(Output { measured, end, ..Output::default() })
}

struct Row<'a> {
    names: &'a [&'a str],
    values: &'a [&'a str],
}

impl Row<'_> {
    fn text(&self, name: &str) -> Option<&str> {
        let at = self.names.iter().position(|own| *own == name)?;
        self.values.get(at).copied().filter(|value| !value.is_empty())
    }

    fn number(&self, name: &str) -> Option<Number> {
        figure(self.text(name)?)
    }

    fn count(&self, name: &str) -> Option<u64> {
        self.text(name)?.parse().ok()
    }

    fn flag(&self, name: &str) -> Option<bool> {
        self.text(name).map(|value| value == "1")
    }
}

/// A phase that moved data; one that made folders has no rate.
fn phase(line: u32, row: &Row) -> Option<Measured> {
    let word = row.text("operation")?;
    let rate = row.number("MiB/s [last]")?.times(MIB);
    let lat = |what: &str| row.number(&format!("IO lat us [{what}]")).map(|number| number.times(1e3));
    let latency = Latency { line, mean: lat("avg"), min: lat("min"), max: lat("max"), ..Latency::default() };
    let bytes = row.number("MiB [last]").map(|number| number.times(MIB));
    let load = Load {
        word: word.to_ascii_lowercase(),
        order: row.flag("random").map(|random| if random { Order::Random } else { Order::Sequential }),
        block_bytes: row.count("block size"),
        depth: row.count("IO depth"),
        workers: row.count("threads").map(|threads| threads.saturating_mul(row.count("hosts").unwrap_or(1))),
        direct: row.flag("direct IO"),
        ..Load::default()
    };
    let iops = row.number("IOPS [last]");
    let side = Side { direction: direction(word), iops, bytes_per_s: Some(rate), bytes, latency, ..Side::default() };
    let seconds = row.number("time ms [last]").map(|ms| ms.times(1e-3));
    Some(Measured { seconds, ..Measured::row("elbencho", line, word, load, side) })
}

#[cfg(test)]
mod tests {
    use crate::Reading;

    const HEAD: &str = "ISO date,label,path type,paths,hosts,threads,dirs,files,file size,block size,direct IO,random,random \
    aligned,IO depth,\
        shared paths,truncate,operation,time ms [first],time ms [last],\
        entries/s [first],entries/s [last],IOPS [first],IOPS [last],MiB/s [first],\
        MiB/s [last],CPU% [first],CPU% [last],entries [first],entries [last],MiB [first],MiB [last],Ent lat us [min],Ent lat us [avg],\
        Ent lat us [max],IO lat us [min],IO lat us [avg],IO lat us [max]\n";

    #[test]
    fn rows_have_the_columns_of_their_head() {
        let rows = "2026-05-22T16:09:38,,dir,1,1,8,1,4,268435456,1048576,1,0,,4,1,0,MKDIRS,2,5,3277,1466,,,,,8,7,8,8,,,812,1068,1378,,,\n\
                    2026-05-22T16:09:39,,dir,1,1,8,1,4,268435456,1048576,1,0,,4,1,0,WRITE,2134,2784,\
                    11,11,3494,2941,3494,2941,10,9,25,32,7460,8192,\
                    290635,609112,867164,1661,9383,120903\n";
        let measured = Reading::new("a", format!("{HEAD}{rows}").as_bytes()).measured;
        let [write] = &measured[..] else { panic!("{measured:#?}") };
        assert_eq!(
            (write.load.block_bytes, write.load.workers, write.load.depth, write.load.direct),
            (Some(1 << 20), Some(8), Some(4), Some(true))
        );
        assert_eq!((write.total().0, write.seconds.map(|seconds| (seconds.value * 1e3).round())), (Some(2941.0), Some(2784.0)));
        assert!(Reading::new("a", format!("{HEAD}a,b\n").as_bytes()).measured.is_empty());
    }
}
