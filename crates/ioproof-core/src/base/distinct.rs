//! Values without those that came before.

/// The values, each once, in the order in which they first come.
pub(crate) fn distinct<T: PartialEq>(values: impl IntoIterator<Item = T>) -> Vec<T> {
    distinct_by(values, T::eq)
}

/// The same, where this tells which are alike.
pub(crate) fn distinct_by<T>(values: impl IntoIterator<Item = T>, are_alike: impl Fn(&T, &T) -> bool) -> Vec<T> {
    let mut all: Vec<T> = Vec::new();
    for value in values {
        if !all.iter().any(|known| are_alike(known, &value)) {
            all.push(value);
        }
    }
    all
}
