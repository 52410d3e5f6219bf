//! JSON as people paste it.

use super::*;
use proptest::prelude::*;

fn leaves(text: &str) -> Vec<(String, String, usize)> {
    document(text).leaves.into_iter().map(|leaf| (leaf.path, leaf.text, leaf.line)).collect()
}

fn leaf(path: &str, text: &str, line: usize) -> (String, String, usize) {
    (path.to_owned(), text.to_owned(), line)
}

#[test]
fn paths_and_lines() {
    let read = document("{ \"a\": 1,\n \"b\": {\"c\": [true, {\"d\": \"x\\\"y\"}],\n \"e\": null},\"f\":[]}tail");
    assert_eq!(read.problem, None);
    let expected = [leaf("a", "1", 1), leaf("b.c.0", "true", 2), leaf("b.c.1.d", "x\"y", 2), leaf("b.e", "null", 3)];
    assert_eq!(read.leaves.iter().map(|l| (l.path.clone(), l.text.clone(), l.line)).collect::<Vec<_>>(), expected);
    assert_eq!((read.get("b.e"), read.get("b"), read.has("b"), read.has("x")), (Some("null"), None, true, false));
}

#[test]
fn only_the_object_is_taken() {
    let text = "{\"a\":{\"b\":1}}, {\"c\":2}";
    assert_eq!(&text[document(text).length..], ", {\"c\":2}");
}

#[test]
fn a_text_that_was_cut_gives_what_it_has() {
    let read = document("{\"a\": 1,\n\"b\": [2, 3");
    // The last may be 3 or 3000.
    assert_eq!(read.leaves.iter().map(|leaf| leaf.path.as_str()).collect::<Vec<_>>(), ["a", "b.0"]);
    assert_eq!(read.problem, Some((2, "the text ends early, before its last brace".to_owned())));
}

#[test]
fn words_are_wrapped_and_quotes_bent() {
    assert_eq!(leaves("{“mn”: “SAMSUNG\nMZ”,\n“fr”:“1”}"), [leaf("mn", "SAMSUNG MZ", 1), leaf("fr", "1", 3)]);
}

#[test]
fn what_was_shortened_is_skipped() {
    let read = document("{\"a\": 1,\n  ...\n\"b\": 2,\n...,\n\"c\":[1,\n…\n]}");
    assert_eq!(read.leaves.iter().map(|l| l.path.as_str()).collect::<Vec<_>>(), ["a", "b", "c.0"]);
    assert_eq!(read.problem, Some((2, "`.` is not expected there".to_owned())));
}

#[test]
fn prose_and_code_are_given_up() {
    let text = format!("{{\n{}", "int main;\n".repeat(1000));
    let read = document(&text);
    assert!(read.leaves.is_empty() && read.length < 60, "{}", read.length);
}

#[test]
fn numbers_with_fractions_are_not_groups_of_thousands() {
    assert_eq!(
        leaves("{\"a\":2.28744653e8,\"b\":6932144.000000,\"c\":36.5,\"d\":1.125}").into_iter().map(|l| l.1).collect::<Vec<_>>(),
        ["228744653", "6932144", "36.5", "1.1250"]
    );
}

#[test]
fn hostile_text_stays_small() {
    assert!(document(&"{\"a\":".repeat(100_000)).leaves.is_empty());
    assert_eq!(document(&format!("{{\"a\":[{}", "1,".repeat(100_000))).leaves.len(), LEAVES_MAX);
}

proptest! {
    #[test]
    fn nothing_panics(text in "[{}\\[\\]\",:\\\\a1\\n “é]{0,60}") {
        let text = format!("{{{text}");
        let read = document(&text);
        prop_assert!(text.is_char_boundary(read.length));
    }

    #[test]
    fn well_formed_objects_are_read_whole(numbers in proptest::collection::vec(any::<u32>(), 0..8)) {
        let text = serde_json::to_string(&serde_json::json!({ "list": numbers, "z": { "y": "x" } })).unwrap();
        let read = document(&text);
        prop_assert_eq!((read.length, read.leaves.len(), read.problem), (text.len(), numbers.len() + 1, None));
    }
}
