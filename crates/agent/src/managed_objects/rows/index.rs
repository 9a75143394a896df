//! Indexes of rows as sub-identifiers (RFC 2578 section 7.7).

/// One object of an INDEX clause. Sizes and ranges include both ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IndexPart {
    /// A number in this range.
    Integer(u32, u32),
    /// Octets, so many, behind their number.
    Octets(usize, usize),
    /// UTF-8, so many octets, behind their number.
    Text(usize, usize),
    /// UTF-8, so many octets, to the end (IMPLIED).
    ImpliedText(usize, usize),
    /// A name, behind the number of its sub-identifiers.
    ObjectIdentifier,
    /// A name, to the end (IMPLIED).
    #[cfg_attr(
        not(test),
        allow(dead_code, reason = "the first table with it is snmpNotifyFilterTable")
    )]
    ImpliedObjectIdentifier,
}

/// The value of one object of an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum IndexValue {
    Integer(u32),
    Octets(Vec<u8>),
    ObjectIdentifier(Vec<u32>),
}

impl IndexValue {
    pub(crate) const fn integer(&self) -> Option<u32> {
        match self {
            Self::Integer(number) => Some(*number),
            _ => None,
        }
    }

    pub(crate) fn octets(&self) -> Option<&[u8]> {
        match self {
            Self::Octets(octets) => Some(octets),
            _ => None,
        }
    }

    pub(crate) fn text(&self) -> Option<&str> {
        std::str::from_utf8(self.octets()?).ok()
    }

    pub(crate) fn object_identifier(&self) -> Option<&[u32]> {
        match self {
            Self::ObjectIdentifier(arcs) => Some(arcs),
            _ => None,
        }
    }
}

/// Takes an index apart; `None` if no row can have it.
pub(super) fn split(parts: &[IndexPart], index: &[u32]) -> Option<Vec<IndexValue>> {
    let mut rest = index;
    let mut values = Vec::with_capacity(parts.len());
    for part in parts {
        values.push(match *part {
            IndexPart::Integer(min, max) => {
                let (&number, behind) = rest.split_first()?;
                rest = behind;
                IndexValue::Integer((min..=max).contains(&number).then_some(number)?)
            }
            IndexPart::Octets(min, max) => octets(counted(&mut rest)?, min, max)?,
            IndexPart::Text(min, max) => text(counted(&mut rest)?, min, max)?,
            IndexPart::ImpliedText(min, max) => text(std::mem::take(&mut rest), min, max)?,
            IndexPart::ObjectIdentifier => {
                IndexValue::ObjectIdentifier(counted(&mut rest)?.to_vec())
            }
            IndexPart::ImpliedObjectIdentifier => {
                IndexValue::ObjectIdentifier(std::mem::take(&mut rest).to_vec())
            }
        });
    }
    rest.is_empty().then_some(values)
}

/// So many sub-identifiers as the first one says.
fn counted<'i>(rest: &mut &'i [u32]) -> Option<&'i [u32]> {
    let (&count, behind) = rest.split_first()?;
    let (counted, behind) = behind.split_at_checked(usize::try_from(count).ok()?)?;
    *rest = behind;
    Some(counted)
}

fn octets(arcs: &[u32], min: usize, max: usize) -> Option<IndexValue> {
    if !(min..=max).contains(&arcs.len()) {
        return None;
    }
    let octets = arcs.iter().map(|&arc| u8::try_from(arc).ok());
    octets.collect::<Option<_>>().map(IndexValue::Octets)
}

fn text(arcs: &[u32], min: usize, max: usize) -> Option<IndexValue> {
    octets(arcs, min, max).filter(|value| value.text().is_some())
}

/// Appends octets without their number, for an index that is IMPLIED.
pub(crate) fn append_octets(index: &mut Vec<u32>, octets: &[u8]) {
    index.extend(octets.iter().copied().map(u32::from));
}

/// Appends sub-identifiers behind their number.
pub(crate) fn append_counted(index: &mut Vec<u32>, arcs: impl ExactSizeIterator<Item = u32>) {
    index.push(u32::try_from(arcs.len()).unwrap_or(u32::MAX));
    index.extend(arcs);
}
