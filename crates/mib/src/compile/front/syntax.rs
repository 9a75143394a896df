//! Syntaxes as facts.

use crate::compile::definition::SyntaxFacts;
use crate::syntax::BaseType;

pub(super) fn syntax_of_object(object: mib_rs::Object<'_>) -> Option<SyntaxFacts> {
    let of = object.ty()?;
    let base = base_type(of.effective_base())?;
    Some(SyntaxFacts {
        base,
        convention: convention_name(of),
        hint: object.effective_display_hint().to_owned(),
        ranges: ranges(base, object.effective_sizes(), object.effective_ranges()),
        named_numbers: named_numbers(base, object.effective_enums(), object.effective_bits()),
    })
}

pub(super) fn syntax_of_type(of: mib_rs::Type<'_>) -> Option<SyntaxFacts> {
    let base = base_type(of.effective_base())?;
    Some(SyntaxFacts {
        base,
        convention: convention_name(of),
        hint: of.effective_display_hint().to_owned(),
        ranges: ranges(base, of.effective_sizes(), of.effective_ranges()),
        named_numbers: named_numbers(base, of.effective_enums(), of.effective_bits()),
    })
}

/// The name of the first type that is not one of SMI itself.
pub(super) fn convention_name(of: mib_rs::Type<'_>) -> String {
    let mut at = Some(of);
    while let Some(of) = at {
        let is_of_smi = of.module().is_none_or(|module| {
            matches!(module.name(), "SNMPv2-SMI" | "RFC1155-SMI" | "RFC1065-SMI")
        });
        if !of.name().is_empty() && !is_of_smi {
            return of.name().to_owned();
        }
        at = of.parent();
    }
    String::new()
}

fn ranges(
    base: BaseType,
    sizes: &[mib_rs::mib::Range],
    values: &[mib_rs::mib::Range],
) -> Vec<(i64, i64)> {
    use mib_rs::mib::RangeBound;
    let bound = |bound: &RangeBound| match bound {
        RangeBound::Signed(number) => Some(*number),
        RangeBound::Unsigned(number) => Some(i64::try_from(*number).unwrap_or(i64::MAX)),
        RangeBound::Min => Some(i64::MIN),
        RangeBound::Max => Some(i64::MAX),
        RangeBound::Raw(_) => None,
    };
    let all = match base {
        BaseType::OctetString | BaseType::Opaque => sizes,
        BaseType::Bits | BaseType::ObjectIdentifier | BaseType::IpAddress => &[],
        _ => values,
    };
    let known = all
        .iter()
        .map(|range| Some((bound(&range.min)?, bound(&range.max)?)));
    // What is not known in full restricts nothing, and neither does all that the type can hold.
    let known: Vec<_> = known.collect::<Option<_>>().unwrap_or_default();
    let all = match base {
        BaseType::Integer32 => (i64::from(i32::MIN), i64::from(i32::MAX)),
        BaseType::Counter64 => (0, i64::MAX),
        _ => (0, i64::from(u32::MAX)),
    };
    if known == [all] { Vec::new() } else { known }
}

fn named_numbers(
    base: BaseType,
    enumeration: &[mib_rs::mib::NamedValue],
    bits: &[mib_rs::mib::NamedValue],
) -> Vec<(String, i32)> {
    let all = if base == BaseType::Bits {
        bits
    } else {
        enumeration
    };
    all.iter()
        .filter_map(|value| Some((value.label.clone(), i32::try_from(value.value).ok()?)))
        .collect()
}

const fn base_type(base: mib_rs::BaseType) -> Option<BaseType> {
    Some(match base {
        mib_rs::BaseType::Integer32 => BaseType::Integer32,
        mib_rs::BaseType::Unsigned32 => BaseType::Unsigned32,
        mib_rs::BaseType::Counter32 => BaseType::Counter32,
        mib_rs::BaseType::Counter64 => BaseType::Counter64,
        mib_rs::BaseType::Gauge32 => BaseType::Gauge32,
        mib_rs::BaseType::TimeTicks => BaseType::TimeTicks,
        mib_rs::BaseType::IpAddress => BaseType::IpAddress,
        mib_rs::BaseType::OctetString => BaseType::OctetString,
        mib_rs::BaseType::ObjectIdentifier => BaseType::ObjectIdentifier,
        mib_rs::BaseType::Bits => BaseType::Bits,
        mib_rs::BaseType::Opaque => BaseType::Opaque,
        _ => return None,
    })
}
