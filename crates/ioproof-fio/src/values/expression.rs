//! Calculations: numbers with units, `+ - * / % ^` and parentheses.
//!
//! A value in parentheses is calculated exactly and cut to a whole number at its end; where a keyword such as `$ncpus` brings the calculation about,
//! each division is cut.

const MOST_DEPTH: u32 = 64;

const EXACT: f64 = 9_007_199_254_740_992.0;

pub(super) type UnitOf<'a> = &'a dyn Fn(&str) -> Option<u64>;

pub(super) fn whole(text: &str, unit_of: UnitOf<'_>) -> Result<i64, String> {
    let outcome = Calculation { rest: text, unit_of, cut: false, depth: 0 }.finish()?;
    as_whole(outcome).map_err(|why| format!("\"{text}\": {why}"))
}

pub(super) fn of_whole_numbers(text: &str) -> Result<i64, String> {
    as_whole(Calculation { rest: text, unit_of: &|_| None, cut: true, depth: 0 }.finish()?)
}

fn as_whole(outcome: f64) -> Result<i64, String> {
    if outcome.is_finite() && outcome.abs() <= EXACT { Ok(outcome.trunc() as i64) } else { Err("the outcome is too large".to_owned()) }
}

struct Calculation<'a> {
    rest: &'a str,
    unit_of: UnitOf<'a>,
    cut: bool,
    depth: u32,
}

impl Calculation<'_> {
    fn finish(mut self) -> Result<f64, String> {
        let outcome = self.sum()?;
        match self.peek() {
            None => Ok(outcome),
            Some(_) => Err(format!("\"{}\" is too much", self.rest)),
        }
    }

    fn peek(&mut self) -> Option<char> {
        self.rest = self.rest.trim_start();
        self.rest.chars().next()
    }

    fn take(&mut self, one_of: &[char]) -> Option<char> {
        let found = self.peek().filter(|c| one_of.contains(c))?;
        self.rest = self.rest.strip_prefix(found)?;
        Some(found)
    }

    fn sum(&mut self) -> Result<f64, String> {
        let mut total = self.product()?;
        while let Some(sign) = self.take(&['+', '-']) {
            let next = self.product()?;
            total = if sign == '+' { total + next } else { total - next };
        }
        Ok(total)
    }

    fn product(&mut self) -> Result<f64, String> {
        let mut total = self.power()?;
        while let Some(sign) = self.take(&['*', '/', '%']) {
            let next = self.power()?;
            total = match sign {
                '*' => total * next,
                _ if next == 0.0 => return Err("a division by zero".to_owned()),
                '/' if self.cut => (total / next).trunc(),
                '/' => total / next,
                _ => total % next,
            };
        }
        Ok(total)
    }

    /// A power binds its right side first: `2^3^2` is `2^9`.
    fn power(&mut self) -> Result<f64, String> {
        let base = self.signed()?;
        match self.take(&['^']) {
            Some(_) => self.deeper(Self::power).map(|exponent| base.powf(exponent)),
            None => Ok(base),
        }
    }

    fn signed(&mut self) -> Result<f64, String> {
        match self.take(&['-', '+']) {
            Some('-') => self.deeper(Self::signed).map(|number| -number),
            Some(_) => self.deeper(Self::signed),
            None if self.take(&['(']).is_some() => self.parenthesised(),
            None => self.number(),
        }
    }

    fn parenthesised(&mut self) -> Result<f64, String> {
        let inner = self.deeper(Self::sum)?;
        match self.take(&[')']) {
            Some(_) => Ok(inner),
            None => Err("a ) is missing".to_owned()),
        }
    }

    fn deeper(&mut self, part: fn(&mut Self) -> Result<f64, String>) -> Result<f64, String> {
        self.depth += 1;
        if self.depth > MOST_DEPTH {
            return Err("too many parentheses inside each other".to_owned());
        }
        let outcome = part(self);
        self.depth -= 1;
        outcome
    }

    fn number(&mut self) -> Result<f64, String> {
        let _ = self.peek();
        let missing = || format!("a number is expected where \"{}\" stands", self.rest);
        let (number, rest) = leading(self.rest).ok_or_else(missing)?;
        let end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
        let (unit, rest) = rest.split_at(end);
        self.rest = rest;
        if unit.is_empty() {
            return Ok(number);
        }
        (self.unit_of)(unit).map(|factor| number * factor as f64).ok_or_else(|| format!("\"{unit}\" is no unit here"))
    }
}

fn leading(text: &str) -> Option<(f64, &str)> {
    if let Some(hex) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        let end = hex.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(hex.len());
        let (digits, rest) = hex.split_at(end);
        return u64::from_str_radix(digits, 16).ok().map(|number| (number as f64, rest));
    }
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    digits.parse().ok().map(|number| (number, rest))
}

#[cfg(test)]
mod tests {
    use super::super::{ValueContext, units};
    use super::*;

    #[test]
    fn calculations_with_units() {
        let context = ValueContext::default();
        let unit_of = |unit: &str| units::bytes_of(unit, &context);
        #[rustfmt::skip]
        let cases = [
            ("(2*100)", 200), ("( 2k * 3 )", 6144), ("((1+2)*100)", 300), ("(1+2*3)", 7), ("(2^10)", 1024), ("(2^3^2)", 512),
            ("(1000%300)", 100), ("(7/2*100)", 350), ("(1.5m)", 1_572_864), ("(0x10*20)", 320), ("(-5+2)", -3), ("(1kib)", 1000),
            ("(7/2)", 3),
        ];
        for (text, outcome) in cases {
            assert_eq!(whole(text, &unit_of), Ok(outcome), "{text}");
        }
        for text in ["(2*3", "(1/0)", "(2**3)", "(200)k", "()", "(1x)", "(2^9999)", "(1..2)", ")"] {
            assert!(whole(text, &unit_of).is_err(), "{text}");
        }
    }

    #[test]
    fn deep_ones_are_refused() {
        for deep in ["(".repeat(100_000), "-".repeat(100_000), "2^".repeat(100_000)] {
            assert!(of_whole_numbers(&format!("{deep}1")).is_err());
        }
    }
}
