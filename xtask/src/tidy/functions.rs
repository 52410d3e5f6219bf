//! The length of functions: at most a screen, with a ratchet for those that are longer.

use super::Failure;
use super::rust::{closing_brace, find_word, is_ident, line_of};
use super::tree::{File, Tree};

/// A screen.
const FUNCTION_LINES_MAX: usize = 70;

/// Longer functions that the tree may hold. Only ever lower it.
const LONG_FUNCTIONS_MAX: usize = 0;

struct Function {
    name: String,
    line: usize,
    lines: usize,
}

pub fn check(tree: &Tree) -> Vec<Failure> {
    let failures: Vec<Failure> = tree.rust().flat_map(long_functions).collect();
    if failures.len() > LONG_FUNCTIONS_MAX { failures } else { Vec::new() }
}

fn long_functions(file: &File) -> Vec<Failure> {
    let long = functions(&file.code).into_iter().filter(|f| f.lines > FUNCTION_LINES_MAX);
    let text = |f: &Function| {
        format!("{} has {} lines, at most {FUNCTION_LINES_MAX} ({LONG_FUNCTIONS_MAX} exceptions); divide it", f.name, f.lines)
    };
    long.map(|f| Failure::new(&file.path, f.line, text(&f))).collect()
}

/// Every function with a body, in blanked code.
fn functions(code: &str) -> Vec<Function> {
    find_word(code, "fn").filter_map(|at| function(code, at)).collect()
}

fn function(code: &str, at: usize) -> Option<Function> {
    let rest = code[at + 2..].trim_start();
    let name: String = rest.bytes().take_while(|b| is_ident(*b)).map(char::from).collect();
    // A function pointer's type has no name.
    if name.is_empty() {
        return None;
    }
    let open = body(code.as_bytes(), at)?;
    let (line, last) = (line_of(code, at), line_of(code, closing_brace(code.as_bytes(), open)));
    Some(Function { name, line, lines: last - line + 1 })
}

/// The brace that opens the body; none where a semicolon ends a declaration. Array types hold semicolons inside brackets.
fn body(code: &[u8], at: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (offset, byte) in code[at..].iter().enumerate() {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth = depth.saturating_sub(1),
            b'{' if depth == 0 => return Some(at + offset),
            b';' if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::tree::testing::one_file;
    use super::*;

    fn sizes(code: &str) -> Vec<(String, usize, usize)> {
        functions(code).into_iter().map(|f| (f.name, f.line, f.lines)).collect()
    }

    #[test]
    fn lines_run_from_the_name_to_the_closing_brace() {
        assert_eq!(sizes("\nfn a() {\n    {}\n}\nfn b() {}\n"), [("a".into(), 2, 3), ("b".into(), 5, 1)]);
    }

    #[test]
    fn signatures_over_lines_count() {
        assert_eq!(sizes("fn a(\n    x: [u8; 4],\n) -> u8 {\n    0\n}\n"), [("a".into(), 1, 5)]);
    }

    #[test]
    fn declarations_and_pointers_are_no_functions() {
        assert_eq!(sizes("trait T { fn a(&self) -> [u8; 2]; }\nstruct S { f: fn(u8) -> u8 }\nlet fnord = 1;"), []);
    }

    #[test]
    fn the_limit_itself_is_allowed() {
        let source = |lines: usize| format!("fn a() {{\n{}}}\n", "    x();\n".repeat(lines - 2));
        assert!(long_functions(&one_file("a.rs", &source(FUNCTION_LINES_MAX)).files[0]).is_empty());
        let failures = long_functions(&one_file("a.rs", &source(FUNCTION_LINES_MAX + 1)).files[0]);
        assert!(failures[0].text.starts_with("a has 71 lines"), "{failures:?}");
    }
}
