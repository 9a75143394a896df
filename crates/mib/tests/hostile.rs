//! Whatever an agent sends or a user types, nothing panics.
#![cfg(test)]

use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any};
use proptest::sample::{select, subsequence};
use proptest::{prop_assert, prop_oneof, proptest};

use varbind_codec::smi::{Oid, Value};
use varbind_mib::{MachineVarBind, Mib, OutputOptions, RangeCheck, format_var_bind, parse_value};

fn values() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<i32>().prop_map(Value::Integer),
        any::<u32>().prop_map(Value::Gauge32),
        any::<u32>().prop_map(Value::TimeTicks),
        any::<u64>().prop_map(Value::Counter64),
        vec(any::<u8>(), 0..64).prop_map(Value::OctetString),
        vec(any::<u8>(), 0..16).prop_map(Value::Opaque),
        vec(any::<u32>(), 0..20).prop_map(|arcs| {
            let arcs = [vec![1, 3], arcs].concat();
            Value::from(&Oid::new(&arcs).expect("a valid beginning"))
        }),
        Just(Value::Null),
        Just(Value::EndOfMibView),
    ]
}

/// A known object, or one near to it, with numbers behind it.
fn names() -> impl Strategy<Value = Vec<u32>> {
    let known: Vec<Vec<u32>> = Mib::builtin()
        .subtree(&[1])
        .map(|object| object.oid().to_vec())
        .collect();
    let number = prop_oneof![0_u32..20, any::<u32>()];
    (select(known), vec(number, 0..30)).prop_map(|(known, behind)| [known, behind].concat())
}

fn letters() -> impl Strategy<Value = String> {
    let all: Vec<char> = OutputOptions::LETTERS.chars().collect();
    subsequence(all, 0..6)
        .prop_shuffle()
        .prop_map(|letters| letters.into_iter().collect())
}

proptest! {
    #[test]
    fn every_variable_binding_can_be_shown(name in names(), value in values(), letters in letters()) {
        let mib = Mib::builtin();
        let options = OutputOptions::parse(&letters).expect("known letters");
        let mut out = String::new();
        format_var_bind(&mib, &options, &name, value.as_value_ref(), &mut out);
        prop_assert!(!out.contains('\x1b') || out.is_empty());
        let machine = MachineVarBind::new(&mib, &name, value.as_value_ref());
        prop_assert!(!machine.oid.is_empty() && !machine.shown.contains('\x1b'));
    }

    #[test]
    fn every_text_is_read_or_refused(
        name in names(),
        start in select(vec!["", ".", "IF-MIB::", "ifDescr.", "vacmGroupName.3.\"", "ipAdEntAddr.", "1.3."]),
        text in ".{0,24}",
        letter in select("iucCtaosxdbnIUFD=?".chars().collect::<Vec<_>>()),
    ) {
        let mib = Mib::builtin();
        if let Err(error) = mib.resolve(&format!("{start}{text}")) {
            prop_assert!(!error.to_string().is_empty());
        }
        if let Err(error) = parse_value(&mib, &name, letter, &text, RangeCheck::Enforce) {
            prop_assert!(!error.to_string().is_empty());
        }
    }
}
