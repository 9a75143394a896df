/// `; did you mean NAME?` for the known name that is nearest to a wrong one, if one is near; else an empty text.
pub fn did_you_mean<'n>(written: &str, known: impl IntoIterator<Item = &'n str>) -> String {
    let nearest = nearest(written, known);
    nearest.map_or_else(String::new, |nearest| format!("; did you mean {nearest}?"))
}

/// The known name that is nearest to a wrong one, if one is near.
pub(crate) fn nearest<'n>(
    written: &str,
    known: impl IntoIterator<Item = &'n str>,
) -> Option<&'n str> {
    let limit = (written.chars().count() / 3).clamp(1, 3);
    let distances = known
        .into_iter()
        .map(|known| (strsim::osa_distance(written, known), known));
    let nearest = distances.min().filter(|(distance, _)| *distance <= limit);
    nearest.map(|(_, nearest)| nearest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_suggested_and_far_ones_are_not() {
        let known = ["community", "context", "user"];
        assert_eq!(did_you_mean("comunity", known), "; did you mean community?");
        assert_eq!(did_you_mean("usre", known), "; did you mean user?");
        assert_eq!(did_you_mean("location", known), "");
    }
}
