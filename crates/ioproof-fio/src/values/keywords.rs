//! `$ncpus`, `$mb_memory` and `$pagesize` in a value.
//!
//! fio replaces them in every value of a job file, and if the value then has one of `+ - * /` in it, the whole of it is calculated in whole numbers, each
//! division cut towards zero: `10/4*$ncpus` of two processors is 4. Nothing else of such a value may be text, so `filename=/data/$ncpus` is an error.

use super::context::ValueContext;
use super::expression;

/// The value with its keywords replaced and, where it asks for it, calculated. Other values come back as they are.
pub fn replace(text: &str, context: &ValueContext) -> Result<String, String> {
    if !text.contains('$') {
        return Ok(text.to_owned());
    }
    let put = [("$ncpus", context.cpus), ("$mb_memory", context.memory_bytes >> 20), ("$pagesize", context.page_bytes)];
    let filled = put.iter().fold(text.to_owned(), |text, (word, number)| text.replace(word, &number.to_string()));
    if filled == text || !filled.contains(['+', '-', '*', '/']) {
        return Ok(filled);
    }
    expression::of_whole_numbers(&filled).map(|number| number.to_string()).map_err(|why| {
        format!("\"{text}\": with $ncpus, $mb_memory or $pagesize and one of + - * / in it the whole value is calculated, and \"{filled}\" is no calculation: {why}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_fio_replaces() {
        let context = ValueContext { kb_base: 1024, cpus: 2, memory_bytes: 24105 << 20, page_bytes: 4096, ..ValueContext::default() };
        #[rustfmt::skip]
        let cases = [
            ("$ncpus", "2"), ("x$ncpus", "x2"), ("$ncpusk", "2k"), ("$ncpus k", "2 k"), ("$ncpus$ncpus", "22"),
            ("$FOO $ncpus x", "$FOO 2 x"), ("$pagesize,8k", "4096,8k"), ("$pagesize-$mb_memory", "-20009"), ("($ncpus+3)*2", "10"),
            ("7/$ncpus", "3"), ("10/4*$ncpus", "4"), ("$ncpus * 10", "20"), ("-$ncpus", "-2"), ("2^$ncpus", "2^2"),
            ("$mb_memory*1024*1024", "25275924480"), ("$jobname.$jobnum", "$jobname.$jobnum"), ("a-b", "a-b"),
        ];
        for (text, meant) in cases {
            assert_eq!(replace(text, &context).as_deref(), Ok(meant), "{text}");
        }
        for text in ["4k*$ncpus", "/tmp/$ncpus.x", "($ncpus*200)k", "1/($ncpus-2)"] {
            assert!(replace(text, &context).is_err(), "{text}");
        }
    }
}
