//! The labels that a series has outside its poll: those of its row, and those of the target.

use super::poll::Poll;
use crate::scrape::LabelSet;

/// The label with the name of the target.
pub(super) const INSTANCE: &str = "instance";
/// What becomes of a label of a row with that name, as in Prometheus.
const EXPORTED_INSTANCE: &str = "exported_instance";

/// Labels in order. Those of the row go before those of the target; labels without a value are left out, since to Prometheus and InfluxDB
/// they do not exist.
pub(super) fn of_row<'p>(poll: &'p Poll, row: &'p LabelSet) -> Vec<(&'p str, &'p str)> {
    let row = row.iter().map(|(name, value)| {
        let is_instance = name == INSTANCE;
        (if is_instance { EXPORTED_INSTANCE } else { name }, value)
    });
    merged(row.collect(), poll)
}

/// Labels of series about the poll itself.
pub(super) fn of_poll(poll: &Poll) -> Vec<(&str, &str)> {
    merged(vec![("module", &*poll.module)], poll)
}

fn merged<'p>(mut labels: Vec<(&'p str, &'p str)>, poll: &'p Poll) -> Vec<(&'p str, &'p str)> {
    labels.push((INSTANCE, &poll.target.name));
    let of_target = poll.target.labels.iter();
    labels.extend(of_target.map(|(name, value)| (&**name, &**value)));
    // The sort is stable: the first of a name is the one that counts.
    labels.sort_by_key(|(name, _)| *name);
    labels.dedup_by_key(|(name, _)| *name);
    labels.retain(|(_, value)| !value.is_empty());
    labels
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::output::fixtures::poll;

    #[test]
    fn labels_of_rows_go_before_those_of_the_target() {
        let mut poll = (*poll("r", 0)).clone();
        let labels = [
            ("ifIndex", "9"),
            ("instance", "x"),
            ("module", "y"),
            ("rack", ""),
            ("site", "a"),
        ];
        Arc::make_mut(&mut poll.target).labels = labels
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .to_vec();
        let names = ["ifIndex", "instance"].map(Arc::from);
        let row = LabelSet::new(Arc::new(names), vec!["1".into(), "2".into()]);
        assert_eq!(
            of_row(&poll, &row),
            [
                ("exported_instance", "2"),
                ("ifIndex", "1"),
                ("instance", "r"),
                ("module", "y"),
                ("site", "a")
            ]
        );
        assert_eq!(
            of_poll(&poll),
            [
                ("ifIndex", "9"),
                ("instance", "r"),
                ("module", "if_mib"),
                ("site", "a")
            ]
        );
    }
}
