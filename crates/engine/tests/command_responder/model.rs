//! Random agents, random views and random requests, compared with a sorted map of all instances.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use proptest::prelude::*;
use varbind_codec::message::Version;
use varbind_codec::pdu::{ErrorStatus, PduType, var_bind_length};
use varbind_codec::smi::{Oid, Value, ValueRef, VarBind};
use varbind_engine::access_control::{ViewMask, ViewTreeFamily};
use varbind_engine::instrumentation::{
    Registry, RegistryBuilder, RequestContext, Rows, Scalar, Table, TableSource,
};
use varbind_engine::message_processing::HEADER_OCTETS;
use varbind_engine::transport::ResponseLimits;
use varbind_testkit::command_responder::CommunityAgent;
use varbind_testkit::message::Message;

const COLUMN_SETS: [&[u32]; 4] = [&[1], &[2, 3], &[1, 2, 3, 4], &[0, 2, 5]];

/// An object to be registered at 1.3.6.1 and one more sub-identifier.
#[derive(Clone, Debug)]
enum Plan {
    Scalar(Value),
    Table {
        columns: &'static [u32],
        rows: BTreeMap<Vec<u32>, Vec<Option<Value>>>,
    },
}

type Plans = BTreeMap<u32, Plan>;
type Model = BTreeMap<Vec<u32>, Value>;

fn root(at: u32) -> Oid {
    Oid::new(&[1, 3, 6, 1, at]).unwrap()
}

fn entry(at: u32) -> Oid {
    Oid::new(&[1, 3, 6, 1, at, 1]).unwrap()
}

fn any_value() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<i32>().prop_map(Value::Integer),
        any::<u64>().prop_map(Value::Counter64),
        proptest::collection::vec(any::<u8>(), 0..40).prop_map(Value::OctetString),
    ]
}

fn any_plans() -> impl Strategy<Value = Plans> {
    let rows = |columns: usize| {
        proptest::collection::btree_map(
            proptest::collection::vec(0_u32..4, 1..=2),
            proptest::collection::vec(proptest::option::weighted(0.8, any_value()), columns),
            0..5,
        )
    };
    let table = (0..COLUMN_SETS.len()).prop_flat_map(move |set| {
        let columns = COLUMN_SETS[set];
        rows(columns.len()).prop_map(move |rows| Plan::Table { columns, rows })
    });
    let plan = prop_oneof![any_value().prop_map(Plan::Scalar), table];
    proptest::collection::btree_map(0_u32..6, plan, 0..6)
}

fn any_family() -> impl Strategy<Value = ViewTreeFamily> {
    let subtree =
        (2_usize..=4, proptest::collection::vec(0_u32..6, 0..4)).prop_map(|(length, behind)| {
            let arcs = if length < 4 {
                [1, 3, 6, 1][..length].to_vec()
            } else {
                [vec![1, 3, 6, 1], behind].concat()
            };
            Oid::new(&arcs).unwrap()
        });
    let mask = prop_oneof![
        3 => Just(Vec::new()),
        1 => proptest::collection::vec(any::<u8>(), 1..=2),
        // One sub-identifier is free.
        1 => (4_u32..8).prop_map(|at| vec![!(0x80 >> at)]),
    ];
    (subtree, mask, any::<bool>()).prop_map(|(subtree, mask, included)| ViewTreeFamily {
        subtree,
        mask: ViewMask::new(mask),
        included,
    })
}

fn any_view() -> impl Strategy<Value = Vec<ViewTreeFamily>> {
    (any::<bool>(), proptest::collection::vec(any_family(), 1..4)).prop_map(
        |(has_all, mut families)| {
            if has_all {
                families.push(ViewTreeFamily {
                    subtree: Oid::new(&[1, 3]).unwrap(),
                    mask: ViewMask::default(),
                    included: true,
                });
            }
            // vacmViewTreeFamilyTable has one row for each subtree of a view; a later one replaces an earlier one.
            let rows = families.into_iter().map(|row| (row.subtree.clone(), row));
            let rows: BTreeMap<_, _> = rows.collect();
            rows.into_values().collect()
        },
    )
}

fn any_name() -> impl Strategy<Value = Oid> {
    prop_oneof![
        8 => proptest::collection::vec(0_u32..6, 0..5)
            .prop_map(|behind| Oid::new(&[vec![1, 3, 6, 1], behind].concat()).unwrap()),
        1 => Just(Oid::new(&[0, 0]).unwrap()),
        1 => Just(Oid::new(&[1, 3, 7]).unwrap()),
    ]
}

fn any_names() -> impl Strategy<Value = Vec<Oid>> {
    proptest::collection::vec(any_name(), 0..5)
}

fn any_version() -> impl Strategy<Value = Version> {
    prop_oneof![Just(Version::V1), Just(Version::V2c)]
}

struct Cells(Arc<CellRows>);

struct CellRows {
    columns: &'static [u32],
    rows: Vec<(Vec<u32>, Vec<Option<Value>>)>,
}

impl TableSource for Cells {
    type Rows = CellRows;

    fn with_rows<T>(&self, _request: &RequestContext, look: impl FnOnce(&CellRows) -> T) -> T {
        look(&self.0)
    }
}

impl Rows for CellRows {
    fn len(&self) -> usize {
        self.rows.len()
    }

    fn index(&self, row: usize) -> &[u32] {
        &self.rows[row].0
    }

    fn value(&self, row: usize, column: u32) -> Option<ValueRef<'_>> {
        let at = self.columns.iter().position(|&other| other == column)?;
        self.rows[row].1[at].as_ref().map(Value::as_value_ref)
    }
}

fn objects(plans: &Plans) -> RegistryBuilder {
    plans
        .iter()
        .fold(Registry::builder(), |objects, (&at, plan)| match plan {
            Plan::Scalar(value) => {
                let value = value.clone();
                let scalar = Scalar::new(&root(at), move |_| Some(value.clone()));
                objects.register(root(at), Arc::new(scalar))
            }
            Plan::Table { columns, rows } => {
                let rows = rows.iter().map(|(index, row)| (index.clone(), row.clone()));
                let cells = Cells(Arc::new(CellRows {
                    columns,
                    rows: rows.collect(),
                }));
                objects.register(root(at), Arc::new(Table::new(entry(at), *columns, cells)))
            }
        })
}

/// All instances that a requester can see.
fn model(plans: &Plans, view: &[ViewTreeFamily], version: Version) -> Model {
    let mut model = Model::new();
    for (&at, plan) in plans {
        match plan {
            Plan::Scalar(value) => {
                model.insert(root(at).child(&[0]).unwrap().arcs().to_vec(), value.clone());
            }
            Plan::Table { columns, rows } => {
                for (index, row) in rows {
                    for (column, value) in columns.iter().zip(row) {
                        let name = [entry(at).arcs(), &[*column], index].concat();
                        model.extend(value.clone().map(|value| (name, value)));
                    }
                }
            }
        }
    }
    model.retain(|name, value| {
        let is_known = version != Version::V1 || !matches!(value, Value::Counter64(_));
        is_known && is_in_view(view, name)
    });
    model
}

/// RFC 3415 section 4 in its own words: of the families that match, the one with the most sub-identifiers decides,
/// among those the lexicographically greatest.
fn is_in_view(view: &[ViewTreeFamily], name: &[u32]) -> bool {
    let is_significant = |mask: &ViewMask, at: usize| {
        let octet = mask.octets().get(at / 8).copied().unwrap_or(0xff);
        octet >> (7 - at % 8) & 1 == 1
    };
    let matches = |family: &&ViewTreeFamily| {
        let subtree = family.subtree.arcs();
        subtree.len() <= name.len()
            && (0..subtree.len())
                .all(|at| !is_significant(&family.mask, at) || subtree[at] == name[at])
    };
    view.iter()
        .filter(matches)
        .max_by(|one, other| {
            let key =
                |family: &ViewTreeFamily| (family.subtree.arcs().len(), family.subtree.clone());
            key(one).cmp(&key(other))
        })
        .is_some_and(|family| family.included)
}

fn next(model: &Model, name: &[u32]) -> Option<VarBind> {
    model
        .range::<[u32], _>((Bound::Excluded(name), Bound::Unbounded))
        .next()
        .map(|(name, value)| VarBind::new(Oid::new(name).unwrap(), value.clone()))
}

/// What a GetBulk would answer without limit (RFC 3416 section 4.2.3).
fn bulk(model: &Model, request: &Message) -> Vec<VarBind> {
    let names: Vec<Oid> = request
        .bindings
        .iter()
        .map(|binding| binding.name.clone())
        .collect();
    let step = |name: &Oid| {
        next(model, name.arcs()).unwrap_or(VarBind::new(name.clone(), Value::EndOfMibView))
    };
    let count = usize::try_from(request.error_status)
        .unwrap_or(0)
        .min(names.len());
    let (non_repeaters, repeaters) = names.split_at(count);
    let mut answer: Vec<_> = non_repeaters.iter().map(step).collect();
    let mut repeaters = repeaters.to_vec();
    for _ in 0..request.error_index {
        let row: Vec<_> = repeaters.iter().map(step).collect();
        let has_ended = row.iter().all(|object| object.value == Value::EndOfMibView);
        repeaters = row.iter().map(|object| object.name.clone()).collect();
        answer.extend(row);
        if has_ended {
            break;
        }
    }
    answer
}

/// What a Get is answered with (RFC 3416 section 4.2.1).
fn get(plans: &Plans, view: &[ViewTreeFamily], model: &Model, name: &Oid) -> Value {
    if let Some(value) = model.get(name.arcs()) {
        return value.clone();
    }
    let object = match name.arcs() {
        [1, 3, 6, 1, at, ..] if is_in_view(view, name.arcs()) => plans.get(at),
        _ => None,
    };
    let exists = match (object, name.arcs()) {
        (Some(Plan::Scalar(_)), _) => true,
        (Some(Plan::Table { columns, .. }), [_, _, _, _, _, 1, column, ..]) => {
            columns.contains(column)
        }
        _ => false,
    };
    if exists {
        Value::NoSuchInstance
    } else {
        Value::NoSuchObject
    }
}

/// Asks as `public`.
fn ask(plans: &Plans, view: &[ViewTreeFamily], limit: usize, request: Message) -> Message {
    CommunityAgent::new(objects(plans))
        .with_view(view)
        .with_limit(limit)
        .ask(request)
}

const NO_LIMIT: usize = 65_507;

/// Octets of a message with these bindings, its headers at their largest.
fn message_length(bindings: &[VarBind]) -> usize {
    let length = |VarBind { name, value }: &VarBind| {
        var_bind_length(name.arcs(), &value.as_value_ref()).unwrap()
    };
    HEADER_OCTETS + "public".len() + bindings.iter().map(length).sum::<usize>()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn get_reads_what_the_model_has(
        plans in any_plans(),
        view in any_view(),
        names in any_names(),
    ) {
        let model = model(&plans, &view, Version::V2c);
        let response = ask(&plans, &view, NO_LIMIT, Message::of_names(PduType::GetRequest, &names));
        prop_assert_eq!(response.error(), (ErrorStatus::NoError, 0));
        let expected: Vec<_> = names
            .iter()
            .map(|name| VarBind::new(name.clone(), get(&plans, &view, &model, name)))
            .collect();
        prop_assert_eq!(response.bindings, expected);
    }

    #[test]
    fn get_of_what_exists_reads_it_in_both_versions(
        plans in any_plans(),
        view in any_view(),
        version in any_version(),
    ) {
        let model = model(&plans, &view, version);
        let names: Vec<_> = model.keys().map(|name| Oid::new(name).unwrap()).collect();
        let request = Message::of_names(PduType::GetRequest, &names).with_version(version);
        let response = ask(&plans, &view, NO_LIMIT, request);
        prop_assert_eq!(response.error(), (ErrorStatus::NoError, 0));
        let values: Vec<_> = response.bindings.into_iter().map(|binding| binding.value).collect();
        prop_assert_eq!(values, model.into_values().collect::<Vec<_>>());
    }

    #[test]
    fn get_next_steps_as_the_model_does(
        plans in any_plans(),
        view in any_view(),
        version in any_version(),
        names in any_names(),
    ) {
        let model = model(&plans, &view, version);
        let request = Message::of_names(PduType::GetNextRequest, &names).with_version(version);
        let response = ask(&plans, &view, NO_LIMIT, request);
        let steps: Vec<_> = names.iter().map(|name| next(&model, name.arcs())).collect();
        let missing = steps.iter().position(Option::is_none);
        if let (Version::V1, Some(at)) = (version, missing) {
            prop_assert_eq!(response.status(), ErrorStatus::NoSuchName);
            prop_assert_eq!(usize::try_from(response.error_index), Ok(at + 1));
            return Ok(());
        }
        prop_assert_eq!(response.error(), (ErrorStatus::NoError, 0));
        let expected: Vec<_> = steps
            .into_iter()
            .zip(names)
            .map(|(step, name)| step.unwrap_or(VarBind::new(name, Value::EndOfMibView)))
            .collect();
        prop_assert_eq!(response.bindings, expected);
    }

    #[test]
    fn get_bulk_steps_as_the_model_does_up_to_the_limit(
        plans in any_plans(),
        view in any_view(),
        names in any_names(),
        non_repeaters in -2_i32..6,
        max_repetitions in -2_i32..12,
        message in prop_oneof![60_usize..600, Just(NO_LIMIT)],
        bulk_message in prop_oneof![60_usize..600, Just(NO_LIMIT)],
    ) {
        let request = Message {
            error_status: non_repeaters,
            error_index: max_repetitions,
            ..Message::of_names(PduType::GetBulkRequest, &names)
        };
        let expected = bulk(&model(&plans, &view, Version::V2c), &request);
        let mut agent = CommunityAgent::new(objects(&plans)).with_view(&view);
        agent.limits = ResponseLimits { message, bulk: bulk_message };
        let response = agent.ask(request);
        if response.status() == ErrorStatus::TooBig {
            prop_assert_eq!(response.error_index, 0);
            prop_assert_eq!(response.bindings, []);
            prop_assert!(message_length(&expected[..1]) > message);
            return Ok(());
        }
        prop_assert_eq!(response.error(), (ErrorStatus::NoError, 0));
        let count = response.bindings.len();
        prop_assert_eq!(&response.bindings, &expected[..count]);
        let limit = message.min(bulk_message);
        prop_assert!(count == 1 || message_length(&response.bindings) <= limit);
        if let Some(cut) = expected.get(..=count) {
            prop_assert!(message_length(cut) > limit, "{count} bindings, but more would fit");
        }
    }

    #[test]
    fn a_response_that_does_not_fit_is_too_big(
        plans in any_plans(),
        view in any_view(),
        names in any_names(),
        is_next in any::<bool>(),
        limit in 50_usize..300,
    ) {
        let pdu_type = if is_next { PduType::GetNextRequest } else { PduType::GetRequest };
        let request = Message::of_names(pdu_type, &names);
        let whole = ask(&plans, &view, NO_LIMIT, request.clone());
        let response = ask(&plans, &view, limit, request);
        if message_length(&whole.bindings) <= limit {
            prop_assert_eq!(response.bindings, whole.bindings);
        } else {
            prop_assert_eq!(response.error(), (ErrorStatus::TooBig, 0));
            prop_assert_eq!(response.bindings, []);
        }
    }
}
