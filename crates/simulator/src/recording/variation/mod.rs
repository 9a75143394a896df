//! Values that change by themselves: the variation modules of snmpsim.

mod numeric;

use std::collections::HashMap;
use std::time::Duration;

use varbind_codec::pdu::ErrorStatus;
use varbind_codec::smi::ValueRef;

pub(crate) use self::numeric::Numeric;
use super::choice::{Choices, Constant, whole};
use super::multiplex::Subtree;
use super::notification::NotificationVariation;
use super::report::LineError;
use super::text::append_hexadecimal;

/// How a value changes by itself.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Variation {
    /// A number as a function of time.
    Numeric(Box<Numeric>),
    /// It can be set.
    WriteCache(WriteCacheVariation),
    /// The response is delayed.
    Delay(Box<DelayVariation>),
    /// The request fails.
    Error(Box<ErrorVariation>),
    /// The request triggers a notification.
    Notification(Box<NotificationVariation>),
    /// A number below this one chooses what the device plays.
    Choice(i32),
}

/// Objects that can be set.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct WriteCacheVariation {
    /// How requests fail that set one of these values.
    by_value: Choices<Refusal>,
}

impl WriteCacheVariation {
    /// How a request fails that sets a value.
    pub(crate) fn on_set(&self, value: ValueRef<'_>) -> Option<Refusal> {
        match self.by_value.is_empty() {
            true => None,
            false => self.by_value.of(&Constant::of_value(value)).copied(),
        }
    }
}

/// Responses that are delayed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DelayVariation {
    wait: Duration,
    /// How much longer or shorter it may be.
    pub(crate) deviation: Duration,
    /// How long it is instead when one of these values is set.
    by_value: Choices<Duration>,
    /// How long it is instead at these times, in seconds since 1970.
    by_time: Choices<Duration>,
}

impl DelayVariation {
    /// Responses that would be held back for longer are not sent at all.
    pub(crate) const LONGEST: Duration = Duration::from_millis(99_999);

    /// How long the response takes `seconds` after 1970, to a request that sets a value or reads.
    pub(crate) fn wait(&self, set: Option<ValueRef<'_>>, seconds: u64) -> Duration {
        let chosen = match set {
            Some(value) if !self.by_value.is_empty() => {
                self.by_value.of(&Constant::of_value(value))
            }
            _ => self.by_time.of(&Constant::Number(seconds.into())),
        };
        chosen.copied().unwrap_or(self.wait)
    }
}

/// Requests that fail.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ErrorVariation {
    pub(crate) on_read: Option<Refusal>,
    on_set: Option<Refusal>,
    /// How requests fail that set one of these values; those that set another value do not.
    by_value: Choices<Refusal>,
}

impl ErrorVariation {
    /// How a request fails that sets a value.
    pub(crate) fn on_set(&self, value: ValueRef<'_>) -> Option<Refusal> {
        match self.by_value.is_empty() {
            true => self.on_set,
            false => self.by_value.of(&Constant::of_value(value)).copied(),
        }
    }
}

/// How a request fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// There is no such instance.
    NoSuchInstance,
    Status(ErrorStatus),
}

impl Refusal {
    /// By its name in a recording.
    fn named(name: &str) -> Result<Self, LineError> {
        Ok(match name.trim().to_ascii_lowercase().as_str() {
            "nosuchobject" | "nosuchinstance" | "endofmib" => Self::NoSuchInstance,
            name => {
                let status = error_status(name);
                Self::Status(status.ok_or(LineError::Value("of a known error-status"))?)
            }
        })
    }
}

/// The variation that a tag requests.
pub(super) struct Asked {
    pub(super) variation: Option<Variation>,
    /// An option of the tag that is not simulated.
    pub(super) unsupported: Option<String>,
}

/// Reads the options of a variation module, `value=1,wait=100`. The plain value is left in `plain`.
pub(super) fn read(
    module: &str,
    tag: &str,
    text: &[u8],
    plain: &mut Vec<u8>,
) -> Result<Asked, LineError> {
    let text = String::from_utf8_lossy(text);
    let options = Options::read(&text);
    options.plain_value(plain)?;
    let refused = |names: &[&str]| {
        let asked = names.iter().find(|&&name| options.0.contains_key(name));
        asked.map(|name| format!("{module} {name}"))
    };
    let asked = |variation, unsupported| Asked {
        variation: Some(variation),
        unsupported,
    };
    Ok(match module {
        "numeric" => {
            let numeric = Numeric::read(&options, tag)?;
            // The base of the value, which is shown where no time is known.
            plain.clear();
            plain.push(b'0');
            asked(Variation::Numeric(Box::new(numeric)), None)
        }
        "writecache" => {
            let by_value = options.choices("vlist", tag, Refusal::named)?;
            let variation = Variation::WriteCache(WriteCacheVariation { by_value });
            asked(variation, refused(&["file"]))
        }
        "delay" => {
            let delay = options.delay(tag)?;
            asked(Variation::Delay(Box::new(delay)), None)
        }
        "error" => {
            let error = options.error(tag)?;
            asked(Variation::Error(Box::new(error)), None)
        }
        "notification" => {
            let notification = NotificationVariation::read(tag, |name| options.get(name))?;
            let variation = Variation::Notification(Box::new(notification));
            asked(variation, refused(&["bindaddr", "agentaddress"]))
        }
        other => Asked {
            variation: None,
            unsupported: Some(other.to_owned()),
        },
    })
}

/// Reads a line for a whole subtree: what is played there, or the name of what is not simulated.
pub(super) fn read_subtree(
    module: &str,
    root: &[u32],
    text: &[u8],
) -> Result<Result<Subtree, String>, LineError> {
    if module != "multiplex" {
        return Ok(Err(format!("{module} for a subtree")));
    }
    let text = String::from_utf8_lossy(text);
    let options = Options::read(&text);
    Subtree::read(root, |name| options.get(name)).map(Ok)
}

fn duration(milliseconds: f64) -> Duration {
    Duration::try_from_secs_f64(milliseconds / 1000.0).unwrap_or_default()
}

struct Options<'t>(HashMap<&'t str, &'t str>);

impl<'t> Options<'t> {
    fn read(text: &'t str) -> Self {
        let options = text.split(',').filter_map(|option| option.split_once('='));
        Self(options.map(|(name, value)| (name.trim(), value)).collect())
    }

    fn get(&self, name: &str) -> Option<&'t str> {
        self.0.get(name).copied()
    }

    fn plain_value(&self, plain: &mut Vec<u8>) -> Result<(), LineError> {
        plain.clear();
        if let Some(value) = self.0.get("value") {
            plain.extend_from_slice(value.as_bytes());
        } else if let Some(digits) = self.0.get("hexvalue") {
            append_hexadecimal(digits.as_bytes(), |_| false, plain)
                .ok_or(LineError::Value("hexadecimal digits"))?;
        }
        Ok(())
    }

    fn is_hexadecimal(&self) -> bool {
        self.0.contains_key("hexvalue")
    }

    fn number(&self, name: &str, default: f64) -> Result<f64, LineError> {
        let Some(text) = self.0.get(name) else {
            return Ok(default);
        };
        let number: Option<f64> = text.trim().parse().ok();
        number
            .filter(|number| number.is_finite())
            .ok_or(LineError::Value("what the variation module takes: numbers"))
    }

    fn delay(&self, tag: &str) -> Result<DelayVariation, LineError> {
        let milliseconds = |name, default| self.number(name, default).map(duration);
        let result = |text: &str| {
            let milliseconds = whole(text)?.try_into().unwrap_or_default();
            Ok(Duration::from_millis(milliseconds))
        };
        Ok(DelayVariation {
            wait: milliseconds("wait", 500.0)?,
            deviation: milliseconds("deviation", 0.0)?,
            by_value: self.choices("vlist", tag, result)?,
            by_time: self.choices("tlist", "67", result)?,
        })
    }

    fn choices<T>(
        &self,
        name: &str,
        tag: &str,
        result: impl Fn(&str) -> Result<T, LineError>,
    ) -> Result<Choices<T>, LineError> {
        match self.0.get(name) {
            Some(text) => Choices::read(text, tag, result),
            None => Ok(Choices::none()),
        }
    }

    fn error(&self, tag: &str) -> Result<ErrorVariation, LineError> {
        let status = self.0.get("status").map(|name| Refusal::named(name));
        let status = status.transpose()?;
        let operation = self.0.get("op").map_or("any", |operation| operation.trim());
        let of = |name| status.filter(|_| operation == name || matches!(operation, "any" | "*"));
        Ok(ErrorVariation {
            on_read: of("get"),
            on_set: of("set"),
            by_value: self.choices("vlist", tag, Refusal::named)?,
        })
    }
}

/// Whether the plain value is given as octets.
pub(super) fn has_octets(text: &[u8]) -> bool {
    Options::read(&String::from_utf8_lossy(text)).is_hexadecimal()
}

/// The error-status of RFC 3416 by its name without capitals, or as snmpsim has it.
fn error_status(name: &str) -> Option<ErrorStatus> {
    if name == "generror" {
        return Some(ErrorStatus::GenErr);
    }
    (1..=18)
        .map(ErrorStatus::from_code)
        .find(|status| status.to_string().eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(module: &str, tag: &str, text: &str) -> (Option<Variation>, Vec<u8>, Option<String>) {
        let mut plain = Vec::new();
        let asked = read(module, tag, text.as_bytes(), &mut plain).unwrap();
        (asked.variation, plain, asked.unsupported)
    }

    #[test]
    fn delays_depend_on_what_is_set_and_on_the_time() {
        let text = "wait=100,vlist=eq:0:200:gt:5:1000000,tlist=lt:1000:7,value=6";
        let (variation, plain, unsupported) = asked("delay", "2", text);
        let Some(Variation::Delay(delay)) = variation else {
            panic!("{variation:?}");
        };
        assert_eq!((plain, unsupported), (b"6".to_vec(), None));
        let wait = |set, seconds| delay.wait(set, seconds).as_millis();
        assert_eq!((wait(None, 999), wait(None, 1000)), (7, 100));
        let set = |number| wait(Some(ValueRef::Integer(number)), 999);
        assert_eq!((set(0), set(3), set(6)), (200, 100, 1_000_000));
    }

    #[test]
    fn errors_depend_on_the_operation_and_on_what_is_set() {
        let error = |text| match asked("error", "2", text).0 {
            Some(Variation::Error(error)) => {
                let set = |number| error.on_set(ValueRef::Integer(number));
                (error.on_read, set(1), set(3))
            }
            other => panic!("{other:?}"),
        };
        let status = |status| Some(Refusal::Status(status));
        let wrong = status(ErrorStatus::WrongValue);
        assert_eq!(error("vlist=gt:2:wrongvalue,value=1"), (None, None, wrong));
        let no_access = status(ErrorStatus::NoAccess);
        assert_eq!(error("status=noaccess"), (no_access, no_access, no_access));
        assert_eq!(
            error("op=get,status=endOfMib").0,
            Some(Refusal::NoSuchInstance)
        );
        assert_eq!(error("op=set,status=generror").0, None);
        assert_eq!(error("value=1"), (None, None, None));
    }

    #[test]
    fn values_that_a_write_cache_lists_are_refused() {
        let text = "vlist=eq:down:wrongvalue:eq:off:generror,value=up";
        let (variation, plain, unsupported) = asked("writecache", "4", text);
        let Some(Variation::WriteCache(cache)) = variation else {
            panic!("{variation:?}");
        };
        assert_eq!((plain, unsupported), (b"up".to_vec(), None));
        let refusal = |text: &'static [u8]| cache.on_set(ValueRef::OctetString(text));
        let status = |status| Some(Refusal::Status(status));
        assert_eq!(refusal(b"down"), status(ErrorStatus::WrongValue));
        assert_eq!(refusal(b"off"), status(ErrorStatus::GenErr));
        assert_eq!(refusal(b"idle"), None);
        let (variation, ..) = asked("writecache", "2", "value=1");
        let Some(Variation::WriteCache(cache)) = variation else {
            panic!("{variation:?}");
        };
        assert_eq!(cache.on_set(ValueRef::Integer(1)), None);
    }

    #[test]
    fn options_that_are_not_simulated_are_reported() {
        let (variation, plain, unsupported) = asked("sql", "4", "table");
        assert_eq!(
            (variation, plain, unsupported),
            (None, vec![], Some("sql".to_owned()))
        );
        let (_, plain, _) = asked("error", "4", "status=noaccess,hexvalue=00ff");
        assert_eq!(plain, [0, 0xff]);
        let (_, _, unsupported) = asked("writecache", "4", "file=values.dbm,value=b");
        assert_eq!(unsupported, Some("writecache file".to_owned()));
    }

    #[test]
    fn error_statuses_have_the_names_of_the_standard() {
        assert_eq!(error_status("generror"), Some(ErrorStatus::GenErr));
        assert_eq!(
            error_status("commitfailed"),
            Some(ErrorStatus::CommitFailed)
        );
        assert_eq!(
            error_status("authorizationerror"),
            Some(ErrorStatus::AuthorizationError)
        );
        assert_eq!(error_status("nonsense"), None);
    }
}
