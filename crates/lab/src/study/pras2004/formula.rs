//! The paper's formulas for octets at the level of messages, with headers of 25 octets, the community `public`, and n objects of
//! ifTable, whose names have a length of 11.

/// Octets of values: more than 90 % had from 1 to 6 (section IV.B, Figure 5).
pub(super) const SMALL: f64 = 1.0;
pub(super) const LARGE: f64 = 6.0;

/// A GetRequest and its response (equation 13).
pub(super) fn get(objects: f64, value: f64) -> f64 {
    54.0 + objects * (32.0 + value)
}

/// A GetBulkRequest and its response (equation 14).
pub(super) fn bulk(objects: f64, value: f64) -> f64 {
    70.0 + objects * (16.0 + value)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Equations 8 and 9 make both of them: the request of a GetBulk has one name, and no value.
    #[test]
    fn the_formulas_are_those_of_messages() {
        const NAME: f64 = 11.0;
        let message = |objects: f64, value: f64| 27.0 + objects * (5.0 + NAME + value);
        for objects in [1.0, 22.0, 270.0] {
            for value in [SMALL, 3.0, LARGE] {
                let response = message(objects, value);
                assert_eq!(get(objects, value), message(objects, 0.0) + response);
                assert_eq!(bulk(objects, value), message(1.0, 0.0) + response);
            }
        }
    }
}
