//! Results that depend on a value that is set, or on the time: `eq:0:100:lt:5:200`, as variation modules of snmpsim have it.

use std::cmp::Ordering;

use varbind_codec::smi::ValueRef;

use super::report::LineError;
use super::text::signed;

const FORM: LineError =
    LineError::Value("a list of eq, lt or gt, each with a constant and, if it has one, a result");

/// A constant with which values are compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Constant {
    Number(i128),
    Octets(Vec<u8>),
}

impl Constant {
    /// A constant as it is written for values of a tag of `.snmprec`.
    fn read(tag: &str, text: &str) -> Result<Self, LineError> {
        if matches!(tag, "2" | "65" | "66" | "67" | "70" | "71") {
            return text.trim().parse().map(Self::Number).map_err(|_| FORM);
        }
        Ok(Self::Octets(text.as_bytes().to_vec()))
    }

    /// A value to be compared.
    pub(crate) fn of_value(value: ValueRef<'_>) -> Self {
        match value {
            ValueRef::Integer(number) => Self::Number(number.into()),
            ValueRef::Counter32(number)
            | ValueRef::Gauge32(number)
            | ValueRef::TimeTicks(number) => Self::Number(number.into()),
            ValueRef::Counter64(number) => Self::Number(number.into()),
            ValueRef::OctetString(octets) | ValueRef::Opaque(octets) => {
                Self::Octets(octets.to_vec())
            }
            ValueRef::IpAddress([a, b, c, d]) => Self::Octets(format!("{a}.{b}.{c}.{d}").into()),
            ValueRef::ObjectIdentifier(name) => Self::Octets(name.to_string().into_bytes()),
            _ => Self::Octets(Vec::new()),
        }
    }

    fn compare(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => Some(a.cmp(b)),
            (Self::Octets(a), Self::Octets(b)) => Some(a.cmp(b)),
            _ => None,
        }
    }
}

/// Results of comparisons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Choices<T>(Vec<(Ordering, Constant, T)>);

impl<T> Choices<T> {
    /// No comparisons.
    pub(super) const fn none() -> Self {
        Self(Vec::new())
    }

    /// Reads a list for values of a tag.
    pub(super) fn read(
        text: &str,
        tag: &str,
        result: impl Fn(&str) -> Result<T, LineError>,
    ) -> Result<Self, LineError> {
        let words: Vec<_> = text.split(':').collect();
        let mut choices = Vec::new();
        for triple in words.chunks(3) {
            let [comparison, constant, outcome] = triple else {
                return Err(FORM);
            };
            let ordering = ordering(comparison)?;
            choices.push((ordering, Constant::read(tag, constant)?, result(outcome)?));
        }
        Ok(Self(choices))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The result for a value. Equality counts first, then less, then greater; of several, the last that is written.
    pub(crate) fn of(&self, value: &Constant) -> Option<&T> {
        let kinds = [Ordering::Equal, Ordering::Less, Ordering::Greater];
        kinds.into_iter().find_map(|kind| {
            let mut written = self.0.iter().rev();
            let (.., result) = written.find(|(ordering, constant, _)| {
                *ordering == kind && value.compare(constant) == Some(kind)
            })?;
            Some(result)
        })
    }
}

impl Choices<()> {
    /// Reads a list of comparisons without results, `eq:0:lt:5`.
    pub(super) fn of_pairs(text: &str, tag: &str) -> Result<Self, LineError> {
        let words: Vec<_> = text.split(':').collect();
        let pair = |pair: &[&str]| {
            let [comparison, constant] = pair else {
                return Err(FORM);
            };
            Ok((ordering(comparison)?, Constant::read(tag, constant)?, ()))
        };
        words
            .chunks(2)
            .map(pair)
            .collect::<Result<_, _>>()
            .map(Self)
    }
}

fn ordering(comparison: &str) -> Result<Ordering, LineError> {
    match comparison.trim() {
        "eq" => Ok(Ordering::Equal),
        "lt" => Ok(Ordering::Less),
        "gt" => Ok(Ordering::Greater),
        _ => Err(FORM),
    }
}

/// A whole number, as times and delays are written.
pub(super) fn whole(text: &str) -> Result<i64, LineError> {
    signed(text.trim().as_bytes()).ok_or(FORM)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equality_counts_before_less_and_less_before_greater() {
        let choices = Choices::read("gt:1:30:lt:9:20:eq:5:10:lt:3:21", "2", whole).unwrap();
        let of = |number| choices.of(&Constant::Number(number)).copied();
        assert_eq!(
            [of(5), of(2), of(4), of(20)],
            [Some(10), Some(21), Some(20), Some(30)]
        );
        let texts = Choices::read("eq:up:1", "4", whole).unwrap();
        let up = Constant::of_value(ValueRef::OctetString(b"up"));
        assert_eq!(texts.of(&up), Some(&1));
        assert_eq!(texts.of(&Constant::Number(1)), None);
        for wrong in ["eq:1", "ne:1:2", "eq:x:1", "eq:1:x", ""] {
            assert!(Choices::read(wrong, "2", whole).is_err(), "{wrong}");
        }
    }
}
