//! The paper's formulas for octets at the level of messages (section on bandwidth): headers of 25 octets, the community
//! `public`, objects with names of `name` octets and values of `value` octets.

/// A GetRequest and its response for n objects.
pub(super) fn get(objects: f64, name: f64, value: f64) -> f64 {
    54.0 + objects * (10.0 + 2.0 * name + value)
}

/// A GetBulkRequest and its response for n objects of one column.
pub(super) fn bulk(objects: f64, name: f64, value: f64) -> f64 {
    54.0 + 5.0 * objects + objects * value + (objects + 1.0) * name
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The paper's own form of both for ifTable, with names of 11 octets.
    #[test]
    fn the_formulas_of_if_table_are_the_general_ones() {
        for objects in [1.0, 22.0, 270.0] {
            for value in [1.0, 3.0, 6.0] {
                assert_eq!(get(objects, 11.0, value), 54.0 + objects * (32.0 + value));
                // The paper adds the name of the request, and rounds its headers up by 5.
                let theirs = 70.0 + 16.0 * objects + objects * value;
                assert!((bulk(objects, 11.0, value) - theirs).abs() <= 5.0);
            }
        }
    }
}
