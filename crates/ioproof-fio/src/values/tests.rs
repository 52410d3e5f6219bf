//! No text makes a reader of values panic, and an error always says something.

use super::*;
use proptest::prelude::*;

fn holds<T>(outcome: Result<T, String>) -> Result<(), TestCaseError> {
    prop_assert!(outcome.err().is_none_or(|error| error.len() > 8));
    Ok(())
}

fn all_kinds(text: &str) -> Result<(), TestCaseError> {
    let context = ValueContext { cpus: 0, memory_bytes: u64::MAX, ..ValueContext::default() };
    holds(integer(text, &context))?;
    holds(amount(text, &context))?;
    holds(duration_range_ns(text, TimeUnit::Seconds, &context))?;
    holds(flag(Some(text)))?;
    holds(boolean(Some(text)))?;
    holds(floats(text, 3))?;
    holds(ranges_per_direction(text, |one| range(one, &context)))?;
    holds(per_direction(text, |one| size(one, &context)))?;
    holds(files(text))?;
    holds(word(text, &["read", "write"]))?;
    holds(cpus(text))?;
    holds(cpu_mask(text, &context))?;
    holds(pattern(text))?;
    holds(rw(text, &context))?;
    holds(splits(text, &context))?;
    holds(distribution(text, &context))?;
    holds(keywords(text, &context))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn any_text(text in any::<String>()) {
        all_kinds(&text)?;
    }

    #[test]
    fn text_of_values(text in "(rw|read|zipf|zoned|0x|\\$ncpus|\\$mb_memory|%o|\"|'|[0-9]{1,20}|[kmgtpibsz%:/,+*^()\\-. \\\\])*") {
        all_kinds(&text)?;
    }

    #[test]
    fn sizes_come_back(number in 0u64..1 << 40) {
        prop_assert_eq!(size(&format!("{number}"), &ValueContext::default()), Ok(number));
        prop_assert_eq!(size(&format!("{number:#x}"), &ValueContext::default()), Ok(number));
        prop_assert_eq!(size(&format!("({number}*2)"), &ValueContext::default()), Ok(number * 2));
    }
}
