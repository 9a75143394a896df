use std::collections::BTreeMap;
use std::sync::Arc;

use regex::Regex;
use varbind::Oid;

use super::date_time::DateTimePattern;
use super::error::Reason;
use super::rows::Rows;
use super::syntax::Syntax;
use super::{document, expression, oid};

/// A metric: its objects, and how they become samples.
#[derive(Debug)]
pub struct Metric {
    /// The name of the objects, without the index.
    pub oid: Oid,
    pub(crate) kind: Kind,
    /// The labels of the rows that the objects are in.
    pub(crate) rows: Arc<Rows>,
    /// Metrics with the same `rows` have the same group.
    pub(crate) group: usize,
    pub(crate) scale: f64,
    pub(crate) offset: f64,
    pub(crate) enum_values: BTreeMap<i64, Arc<str>>,
    pub(crate) display_hint: Option<Box<str>>,
    /// The place of its first family among those of the module.
    pub(crate) first_family: usize,
    /// The label with the name of the metric, for kinds that have one.
    pub(crate) own_label: Option<OwnLabel>,
}

/// A label besides those of the row.
#[derive(Debug)]
pub(crate) struct OwnLabel {
    /// All label names, sorted.
    pub(crate) names: Arc<[Arc<str>]>,
    /// Its place among them.
    pub(crate) at: usize,
}

/// How values become samples.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Gauge,
    Counter,
    DateAndTime,
    ParseDateAndTime(DateTimePattern),
    NtpTimeStamp,
    EnumAsInfo,
    EnumAsStateSet,
    Bits,
    /// A text: the value of a label.
    Text(Syntax),
    /// A text that contains numbers.
    Extracts(Syntax, Vec<Vec<Extract>>),
}

/// How to extract a number from a text.
#[derive(Clone, Debug)]
pub(crate) struct Extract {
    pub(crate) regex: Regex,
    pub(crate) value: String,
}

/// The type of a family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FamilyKind {
    /// It goes up and down.
    Gauge,
    /// It only grows, until it wraps.
    Counter,
}

impl FamilyKind {
    /// Its name in Prometheus' text format.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Gauge => "gauge",
            Self::Counter => "counter",
        }
    }
}

/// Series with one name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Family {
    /// The name.
    pub name: Arc<str>,
    /// The help text.
    pub help: String,
    /// Its type.
    pub kind: FamilyKind,
}

/// The kinds with numbers as values.
const KINDS: [(&str, Kind); 9] = [
    ("gauge", Kind::Gauge),
    ("counter", Kind::Counter),
    ("Float", Kind::Gauge),
    ("Double", Kind::Gauge),
    ("DateAndTime", Kind::DateAndTime),
    ("NTPTimeStamp", Kind::NtpTimeStamp),
    ("EnumAsInfo", Kind::EnumAsInfo),
    ("EnumAsStateSet", Kind::EnumAsStateSet),
    ("Bits", Kind::Bits),
];

/// The kinds with texts as values.
const TEXTS: [(&str, Syntax); 8] = [
    ("DisplayString", Syntax::DisplayString),
    ("OctetString", Syntax::OctetString),
    ("PhysAddress48", Syntax::PhysAddress48),
    ("InetAddress", Syntax::InetAddress),
    ("InetAddressMissingSize", Syntax::InetAddressMissingSize),
    ("InetAddressIPv4", Syntax::InetAddressIpv4),
    ("InetAddressIPv6", Syntax::InetAddressIpv6),
    ("LldpPortId", Syntax::LldpPortId),
];

const PARSE_DATE_AND_TIME: &str = "ParseDateAndTime";

impl Kind {
    fn new(document: &document::Metric) -> Result<Self, Reason> {
        let kind = document.kind.as_str();
        if let Some((_, kind)) = KINDS.iter().find(|(name, _)| *name == kind) {
            return Ok(kind.clone());
        }
        let place = || format!("metric {}", document.name);
        if kind == PARSE_DATE_AND_TIME {
            let text = document.datetime_pattern.clone().unwrap_or_default();
            let pattern = DateTimePattern::new(&text);
            return pattern
                .map(Self::ParseDateAndTime)
                .map_err(|reason| Reason::DateTimePattern {
                    place: place(),
                    text,
                    reason,
                });
        }
        let Some((_, syntax)) = TEXTS.iter().find(|(name, _)| *name == kind) else {
            let kinds = KINDS.iter().map(|(name, _)| *name);
            let known = kinds.chain(TEXTS.iter().map(|(name, _)| *name));
            let known: Vec<_> = known.chain([PARSE_DATE_AND_TIME]).collect();
            return Err(Reason::Type {
                place: place(),
                kind: kind.to_owned(),
                known: known.join(", "),
            });
        };
        match document
            .regex_extracts
            .as_ref()
            .filter(|map| !map.is_empty())
        {
            None => Ok(Self::Text(*syntax)),
            Some(extracts) => {
                let extracts = extracts.values();
                let extracts: Result<_, _> = extracts.map(|list| compiled(list, &place)).collect();
                Ok(Self::Extracts(*syntax, extracts?))
            }
        }
    }

    /// The families of a metric: name suffix, type, and help suffix.
    fn families(&self, document: &document::Metric) -> Vec<(String, FamilyKind, &'static str)> {
        let gauge = FamilyKind::Gauge;
        let (suffix, kind, help) = match self {
            Self::Extracts(..) => {
                let names = document.regex_extracts.iter().flatten();
                return names
                    .map(|(name, _)| (name.clone(), gauge, " (regex extracted)"))
                    .collect();
            }
            Self::Counter => ("", FamilyKind::Counter, ""),
            Self::EnumAsInfo => ("_info", gauge, " (EnumAsInfo)"),
            Self::EnumAsStateSet => ("", gauge, " (EnumAsStateSet)"),
            Self::Bits => ("", gauge, " (Bits)"),
            Self::Gauge
            | Self::DateAndTime
            | Self::ParseDateAndTime(_)
            | Self::NtpTimeStamp
            | Self::Text(_) => ("", gauge, ""),
        };
        vec![(suffix.to_owned(), kind, help)]
    }

    /// Whether the metric has a label with its own name.
    const fn has_own_label(&self) -> bool {
        matches!(
            self,
            Self::EnumAsInfo | Self::EnumAsStateSet | Self::Bits | Self::Text(_)
        )
    }
}

fn compiled(
    list: &[document::Extract],
    place: &dyn Fn() -> String,
) -> Result<Vec<Extract>, Reason> {
    let compile = |extract: &document::Extract| {
        let regex = expression::whole(&extract.regex).map_err(|source| Reason::Expression {
            place: place(),
            text: extract.regex.clone(),
            source,
        })?;
        let value = extract.value.clone().unwrap_or_else(|| "$1".to_owned());
        Ok(Extract { regex, value })
    };
    list.iter().map(compile).collect()
}

impl Metric {
    /// Compiles a metric and adds its families to those of its module.
    pub(super) fn new(
        document: &document::Metric,
        rows: Arc<Rows>,
        group: usize,
        families: &mut Vec<Family>,
    ) -> Result<Self, Reason> {
        let place = format!("metric {}", document.name);
        check_name(&document.name, &place)?;
        let kind = Kind::new(document)?;
        let first_family = families.len();
        for (suffix, family, help) in kind.families(document) {
            let name = format!("{}{suffix}", document.name);
            check_name(&name, &place)?;
            families.push(Family {
                name: name.into(),
                help: format!("{}{help}", document.help),
                kind: family,
            });
        }
        let own_label = match kind.has_own_label() {
            true => OwnLabel::new(&document.name, &rows.names),
            false => None,
        };
        let enum_values = document.enum_values.iter().flatten();
        Ok(Self {
            oid: oid(&document.oid, &place)?,
            kind,
            rows,
            group,
            scale: document.scale.unwrap_or_default(),
            offset: document.offset.unwrap_or_default(),
            enum_values: enum_values
                .map(|(value, name)| (*value, name.as_str().into()))
                .collect(),
            display_hint: document.display_hint.as_deref().map(Into::into),
            first_family,
            own_label,
        })
    }
}

impl OwnLabel {
    /// `None` if the rows already have this label.
    fn new(name: &str, names: &[Arc<str>]) -> Option<Self> {
        let at = names.binary_search_by(|known| (**known).cmp(name)).err()?;
        let mut names = names.to_vec();
        names.insert(at, name.into());
        Some(Self {
            names: names.into(),
            at,
        })
    }
}

/// Refuses names that Prometheus does not accept for a metric or label.
pub(super) fn check_name(name: &str, place: &str) -> Result<(), Reason> {
    let is_letter = |octet: u8| octet.is_ascii_alphabetic() || octet == b'_' || octet == b':';
    let mut octets = name.bytes();
    let begins = octets.next().is_some_and(is_letter);
    if begins && octets.all(|octet| is_letter(octet) || octet.is_ascii_digit()) {
        return Ok(());
    }
    Err(Reason::Name {
        place: place.to_owned(),
        name: name.to_owned(),
    })
}
