use std::fmt;

use varbind::Value;
use varbind::codec::smi::OpaqueNumber;

/// The value of a sample. 64-bit counters stay exact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// An unsigned integer.
    Unsigned(u64),
    /// A signed integer.
    Signed(i64),
    /// A floating-point number.
    Float(f64),
}

/// Larger integers are not exact in double precision.
const MANTISSA: u64 = 1 << 53;

impl Number {
    /// The number in a value; 0 if the value is not numeric.
    pub(crate) fn of(value: &Value) -> Self {
        match value {
            Value::Integer(number) => Self::Signed((*number).into()),
            Value::Counter32(number) | Value::Gauge32(number) | Value::TimeTicks(number) => {
                Self::Unsigned((*number).into())
            }
            Value::Counter64(number) => Self::Unsigned(*number),
            Value::Opaque(content) => match OpaqueNumber::decode(content) {
                Some(OpaqueNumber::Float(number)) => Self::Float(number.into()),
                Some(OpaqueNumber::Double(number)) => Self::Float(number),
                Some(OpaqueNumber::Signed64(number)) => Self::Signed(number),
                Some(OpaqueNumber::Unsigned64(number)) => Self::Unsigned(number),
                None => Self::Unsigned(0),
            },
            _ => Self::Unsigned(0),
        }
    }

    /// The number times `scale`, if that is not 0, plus `offset`.
    pub(crate) fn scaled(self, scale: f64, offset: f64) -> Self {
        if scale == 0.0 && offset == 0.0 {
            return self;
        }
        let scale = if scale == 0.0 { 1.0 } else { scale };
        Self::Float(self.wrapped() * scale + offset)
    }

    /// The number in double precision. Unsigned integers wrap at 2^53, as in snmp_exporter, so that each is exact: rate
    /// functions take the wrap for a counter reset.
    #[must_use]
    pub fn wrapped(self) -> f64 {
        self.whole_or(|number| number % MANTISSA)
    }

    /// The number in double precision, rounded if necessary.
    #[must_use]
    pub fn as_f64(self) -> f64 {
        self.whole_or(|number| number)
    }

    #[allow(
        clippy::cast_precision_loss,
        reason = "the callers document the rounding"
    )]
    fn whole_or(self, change: impl FnOnce(u64) -> u64) -> f64 {
        match self {
            Self::Unsigned(number) => change(number) as f64,
            Self::Signed(number) => number as f64,
            Self::Float(number) => number,
        }
    }

    /// The integer part.
    #[allow(
        clippy::cast_possible_truncation,
        reason = "casts of floating point numbers saturate"
    )]
    pub(crate) fn as_i64(self) -> i64 {
        match self {
            Self::Unsigned(number) => i64::try_from(number).unwrap_or(i64::MAX),
            Self::Signed(number) => number,
            Self::Float(number) => number as i64,
        }
    }
}

impl fmt::Display for Number {
    /// Writes the exact number in the syntax of Prometheus.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsigned(number) => number.fmt(f),
            Self::Signed(number) => number.fmt(f),
            Self::Float(number) if number.is_nan() => f.write_str("NaN"),
            Self::Float(number) if number.is_infinite() => {
                f.write_str(if *number > 0.0 { "+Inf" } else { "-Inf" })
            }
            Self::Float(number) => number.fmt(f),
        }
    }
}

/// Parses a number as Go does: overflow is an error, and hexadecimal notation is valid.
pub(super) fn parse_float(text: &str) -> Option<f64> {
    let lower = text.to_ascii_lowercase();
    if let Some(number) = hexadecimal(&lower) {
        return Some(number);
    }
    let number: f64 = text.parse().ok()?;
    (number.is_finite() || !lower.bytes().any(|octet| octet.is_ascii_digit())).then_some(number)
}

/// Parses a number such as `0x1.8p3`.
fn hexadecimal(text: &str) -> Option<f64> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    let (mantissa, exponent) = digits.strip_prefix("0x")?.split_once('p')?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let number = u32::from_str_radix(&digits, 16).ok()?;
    let exponent: i32 = exponent.parse().ok()?;
    let exponent = exponent.checked_sub(i32::try_from(fraction.len()).ok()?.checked_mul(4)?)?;
    let number = sign * f64::from(number) * 2.0_f64.powi(exponent);
    number.is_finite().then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_go_reads_them() {
        for (text, number) in [
            ("12.5", Some(12.5)),
            ("-3", Some(-3.0)),
            (".5", Some(0.5)),
            ("1e3", Some(1000.0)),
            ("Inf", Some(f64::INFINITY)),
            ("-infinity", Some(f64::NEG_INFINITY)),
            ("0x1.8p3", Some(12.0)),
            ("0x10", None),
            ("1e999", None),
            ("", None),
            (" 1", None),
            ("1V", None),
        ] {
            assert_eq!(parse_float(text), number, "{text}");
        }
        assert!(parse_float("NaN").unwrap().is_nan());
    }

    #[test]
    fn counters_wrap_before_they_would_be_rounded() {
        let number = Number::of(&Value::Counter64((1 << 53) + 5));
        assert_eq!(number, Number::Unsigned((1 << 53) + 5));
        assert_eq!(number.wrapped(), 5.0);
        assert_eq!(number.scaled(2.0, 1.0), Number::Float(11.0));
    }

    #[test]
    fn values_that_are_no_numbers_are_zero() {
        for value in [
            Value::OctetString(b"12".to_vec()),
            Value::IpAddress([1, 2, 3, 4]),
            Value::Null,
            Value::Opaque(vec![1, 2]),
        ] {
            assert_eq!(Number::of(&value).as_f64(), 0.0, "{value:?}");
        }
    }
}
