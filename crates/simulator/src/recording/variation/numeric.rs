//! Numbers that change with time.

use varbind_codec::smi::ValueRef;

use super::Options;
use crate::random::unit;
use crate::recording::report::LineError;

/// A number as a function of time: `function(t * rate) * scale + offset + initial`, within limits.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Numeric {
    initial: f64,
    rate: f64,
    scale: f64,
    offset: f64,
    deviation: f64,
    minimum: f64,
    maximum: f64,
    wraps: bool,
    is_cumulative: bool,
    function: Function,
    is_clock: bool,
}

/// The functions that recordings use.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Function {
    Identity,
    Sine,
    Cosine,
    Tangent,
    Logarithm,
    Exponential,
    SquareRoot,
    Floor,
    Ceiling,
    Absolute,
}

impl Function {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "sin" => Self::Sine,
            "cos" => Self::Cosine,
            "tan" => Self::Tangent,
            "log" => Self::Logarithm,
            "exp" => Self::Exponential,
            "sqrt" => Self::SquareRoot,
            "floor" => Self::Floor,
            "ceil" => Self::Ceiling,
            "fabs" => Self::Absolute,
            _ => return None,
        })
    }

    fn of(self, x: f64) -> f64 {
        match self {
            Self::Identity => x,
            Self::Sine => x.sin(),
            Self::Cosine => x.cos(),
            Self::Tangent => x.tan(),
            Self::Logarithm => x.ln(),
            Self::Exponential => x.exp(),
            Self::SquareRoot => x.sqrt(),
            Self::Floor => x.floor(),
            Self::Ceiling => x.ceil(),
            Self::Absolute => x.abs(),
        }
    }
}

impl Numeric {
    /// Reads the options of a number with this tag.
    pub(super) fn read(options: &Options<'_>, tag: &str) -> Result<Self, LineError> {
        let largest = match tag {
            "70" => 18_446_744_073_709_551_615.0,
            "2" => 2_147_483_647.0,
            _ => 4_294_967_295.0,
        };
        let minimum = options.number("min", 0.0)?;
        let function = match options.0.get("function") {
            None => Function::Identity,
            Some(name) => Function::named(name.split('%').next().unwrap_or_default())
                .ok_or(LineError::Value("of a known function, as sin or cos"))?,
        };
        let is_set = |name| options.0.contains_key(name);
        Ok(Self {
            initial: options.number("initial", minimum)?,
            rate: options.number("rate", 1.0)?,
            scale: options.number("scale", 1.0)?,
            offset: options.number("offset", 0.0)?,
            deviation: options.number("deviation", 0.0)?,
            minimum,
            maximum: options.number("max", largest)?,
            wraps: is_set("wrap"),
            is_cumulative: is_set("cumulative"),
            is_clock: is_set("atime"),
            function,
        })
    }

    /// The number `seconds` after the start of the device, `clock` seconds after 1970; `draw` is a random number.
    pub(crate) fn at(&self, seconds: f64, clock: f64, draw: u64) -> f64 {
        let time = if self.is_clock { clock } else { seconds };
        let mut value = self.function.of(time * self.rate) * self.scale;
        // A cumulative value is a function of time too: no state is kept between requests.
        value += match self.is_cumulative {
            true => self.offset * seconds * self.rate,
            false => self.offset,
        };
        value += self.deviation * (2.0 * unit(draw) - 1.0);
        if self.is_cumulative {
            value = value.max(0.0);
        }
        value += self.initial;
        if !value.is_finite() || value < self.minimum {
            return self.minimum;
        }
        match value > self.maximum {
            true if self.wraps && self.maximum > 0.0 => value % self.maximum + self.minimum,
            true => self.maximum,
            false => value,
        }
    }

    /// The number as a value of the type of `recorded`.
    pub(crate) fn value(&self, recorded: ValueRef<'_>, number: f64) -> ValueRef<'static> {
        // Conversions of floating point numbers saturate.
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "what is beyond the type takes the nearest value of it"
        )]
        match recorded {
            ValueRef::Counter32(_) => ValueRef::Counter32(number as u32),
            ValueRef::Gauge32(_) => ValueRef::Gauge32(number as u32),
            ValueRef::TimeTicks(_) => ValueRef::TimeTicks(number as u32),
            ValueRef::Counter64(_) => ValueRef::Counter64(number as u64),
            _ => ValueRef::Integer(number as i32),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_follow_their_function_within_their_limits() {
        let numeric = |text| Numeric::read(&Options::read(text), "67").unwrap();
        let ticks = numeric("rate=100,initial=5");
        assert!((ticks.at(2.0, 1e9, 7) - 205.0).abs() < 1e-9);
        let wave = numeric("min=0,scale=95,deviation=2,function=cos,rate=0.001");
        assert!((wave.at(0.0, 0.0, 0) - 93.0).abs() < 1e-9);
        let limited = numeric("max=10");
        assert!((limited.at(25.0, 0.0, 0) - 10.0).abs() < 1e-9);
        let wrapped = numeric("max=10,wrap=1");
        assert!((wrapped.at(25.0, 0.0, 0) - 5.0).abs() < 1e-9);
        assert_eq!(
            ticks.value(ValueRef::TimeTicks(0), 205.7),
            ValueRef::TimeTicks(205)
        );
        assert_eq!(
            ticks.value(ValueRef::Counter32(0), -3.0),
            ValueRef::Counter32(0)
        );
    }
}
