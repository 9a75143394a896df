//! The tables of SNMP-VIEW-BASED-ACM-MIB (RFC 3415 section 4).

use varbind_codec::smi::{Oid, Value};
use varbind_engine::access_control::{
    AccessEntry, ContextMatch, VacmBuilder, ViewMask, ViewTreeFamily,
};
use varbind_engine::security::{SecurityLevel, SecurityModel, SecurityName};

use super::rows::{
    Column, Constant, IndexPart, IndexValue, Row, RowRules, RowSet, StorageType, Syntax,
    TableDescription, append_counted,
};

pub(crate) const VACM_VIEW_SPIN_LOCK: &[u32] = &[1, 3, 6, 1, 6, 3, 16, 1, 5, 1];

const MAX_INTEGER: u32 = i32::MAX.unsigned_abs();
const EMPTY: Constant = Constant::Octets(b"");
const NAME: Syntax = Syntax::AdminString(0, 32);

/// vacmContextTable: managers cannot make contexts.
pub(crate) static VACM_CONTEXT_TABLE: TableDescription = TableDescription {
    name: "vacmContextTable",
    entry: &[1, 3, 6, 1, 6, 3, 16, 1, 1, 1],
    index: &[IndexPart::Text(0, 32)],
    columns: &[Column::read_only(1, NAME)],
    capacity: 0,
};

pub(crate) static VACM_SECURITY_TO_GROUP_TABLE: TableDescription = TableDescription {
    name: "vacmSecurityToGroupTable",
    entry: &[1, 3, 6, 1, 6, 3, 16, 1, 2, 1],
    index: &[IndexPart::Integer(1, MAX_INTEGER), IndexPart::Text(1, 32)],
    columns: &[
        Column::required(3, Syntax::AdminString(1, 32)),
        Column::storage_type(4),
        Column::row_status(5),
    ],
    capacity: 500,
};

pub(crate) static VACM_ACCESS_TABLE: TableDescription = TableDescription {
    name: "vacmAccessTable",
    entry: &[1, 3, 6, 1, 6, 3, 16, 1, 4, 1],
    index: &[
        IndexPart::Text(1, 32),
        IndexPart::Text(0, 32),
        IndexPart::Integer(0, MAX_INTEGER),
        IndexPart::Integer(1, 3),
    ],
    columns: &[
        Column::with_default(
            4,
            Syntax::Enumeration(&[EXACT, PREFIX]),
            Constant::Integer(EXACT),
        ),
        Column::with_default(5, NAME, EMPTY),
        Column::with_default(6, NAME, EMPTY),
        Column::with_default(7, NAME, EMPTY),
        Column::storage_type(8),
        Column::row_status(9),
    ],
    capacity: 500,
};

pub(crate) static VACM_VIEW_TREE_FAMILY_TABLE: TableDescription = TableDescription {
    name: "vacmViewTreeFamilyTable",
    entry: &[1, 3, 6, 1, 6, 3, 16, 1, 5, 2, 1],
    index: &[IndexPart::Text(1, 32), IndexPart::ObjectIdentifier],
    columns: &[
        Column::with_default(3, Syntax::Octets(0, 16), EMPTY),
        Column::with_default(
            4,
            Syntax::Enumeration(&[INCLUDED, EXCLUDED]),
            Constant::Integer(INCLUDED),
        ),
        Column::storage_type(5),
        Column::row_status(6),
    ],
    capacity: 500,
};

const EXACT: i32 = 1;
const PREFIX: i32 = 2;
const INCLUDED: i32 = 1;
const EXCLUDED: i32 = 2;

/// SnmpSecurityModel (RFC 3411); 0 is any.
const MODELS: [(u32, SecurityModel); 4] = [
    (1, SecurityModel::SnmpV1),
    (2, SecurityModel::SnmpV2c),
    (3, SecurityModel::UserBased),
    (4, SecurityModel::Transport),
];
/// SnmpSecurityLevel (RFC 3411).
const LEVELS: [(u32, SecurityLevel); 3] = [
    (1, SecurityLevel::NoAuthNoPriv),
    (2, SecurityLevel::AuthNoPriv),
    (3, SecurityLevel::AuthPriv),
];

fn model_number(model: SecurityModel) -> u32 {
    let row = MODELS.iter().find(|(_, known)| *known == model);
    row.map_or(0, |(number, _)| *number)
}

fn model(number: u32) -> Option<SecurityModel> {
    let row = MODELS.iter().find(|(known, _)| *known == number)?;
    Some(row.1)
}

fn level_number(level: SecurityLevel) -> u32 {
    let row = LEVELS.iter().find(|(_, known)| *known == level);
    row.map_or(0, |(number, _)| *number)
}

fn level(number: u32) -> Option<SecurityLevel> {
    let row = LEVELS.iter().find(|(known, _)| *known == number)?;
    Some(row.1)
}

fn text(text: &str) -> Value {
    Value::OctetString(text.as_bytes().to_vec())
}

fn append_text(index: &mut Vec<u32>, text: &str) {
    append_counted(
        index,
        text.bytes().map(u32::from).collect::<Vec<_>>().into_iter(),
    );
}

/// What is peculiar to vacmViewTreeFamilyTable.
pub(crate) struct FamilyRules;

impl RowRules for FamilyRules {
    fn allows_index(&self, index: &[IndexValue]) -> bool {
        let subtree = index.get(1).and_then(IndexValue::object_identifier);
        subtree.is_some_and(|arcs| Oid::new(arcs).is_ok())
    }
}

/// The rows that the configuration file says.
pub(crate) struct ConfiguredRows {
    pub(crate) contexts: Vec<Row>,
    pub(crate) groups: Vec<Row>,
    pub(crate) access: Vec<Row>,
    pub(crate) families: Vec<Row>,
}

impl ConfiguredRows {
    pub(crate) fn new(tables: &VacmBuilder) -> Self {
        Self {
            contexts: tables.contexts().map(context_row).collect(),
            groups: tables.groups().map(group_row).collect(),
            access: tables.access_entries().iter().map(access_row).collect(),
            families: tables
                .families()
                .map(|(view, family)| family_row(view, family))
                .collect(),
        }
    }
}

fn context_row(name: &str) -> Row {
    let mut index = Vec::new();
    append_text(&mut index, name);
    Row::configured(&VACM_CONTEXT_TABLE, index, [(1, text(name))])
}

fn group_row((model, name, group): (SecurityModel, &SecurityName, &str)) -> Row {
    let mut index = vec![model_number(model)];
    append_text(&mut index, name.as_str());
    Row::configured(&VACM_SECURITY_TO_GROUP_TABLE, index, [(3, text(group))])
}

fn access_row(entry: &AccessEntry) -> Row {
    let mut index = Vec::new();
    append_text(&mut index, &entry.group);
    append_text(&mut index, &entry.context_prefix);
    index.push(entry.security_model.map_or(0, model_number));
    index.push(level_number(entry.security_level));
    let context_match = match entry.context_match {
        ContextMatch::Exact => EXACT,
        ContextMatch::Prefix => PREFIX,
    };
    let values = [
        (4, Value::Integer(context_match)),
        (5, text(&entry.read_view)),
        (6, text(&entry.write_view)),
        (7, text(&entry.notify_view)),
    ];
    Row::configured(&VACM_ACCESS_TABLE, index, values)
}

fn family_row(view: &str, family: &ViewTreeFamily) -> Row {
    let mut index = Vec::new();
    append_text(&mut index, view);
    append_counted(&mut index, family.subtree.arcs().iter().copied());
    let family_type = if family.included { INCLUDED } else { EXCLUDED };
    let mask = family.mask.octets().to_vec();
    let values = [
        (3, Value::OctetString(mask)),
        (4, Value::Integer(family_type)),
    ];
    Row::configured(&VACM_VIEW_TREE_FAMILY_TABLE, index, values)
}

/// The rows that managers made, and that are in use.
fn made(rows: &RowSet) -> impl Iterator<Item = &Row> {
    let rows = rows.active().map(|row| &**row);
    rows.filter(|row| row.storage_type() != StorageType::ReadOnly)
}

/// The tables of the configuration file with the rows that managers made.
pub(crate) fn with_made_rows(
    configured: VacmBuilder,
    groups: &RowSet,
    access: &RowSet,
    families: &RowSet,
) -> VacmBuilder {
    let tables = made(groups)
        .filter_map(group)
        .fold(configured, |tables, (model, name, group)| {
            tables.group(model, name, group)
        });
    let tables = made(families)
        .filter_map(family)
        .fold(tables, |tables, (view, family)| tables.view(view, family));
    made(access)
        .filter_map(access_entry)
        .fold(tables, |tables, mut entry| {
            // RFC 3415 3.2 (4): a view that does not exist is noSuchView, when somebody asks.
            for view in [
                &mut entry.read_view,
                &mut entry.write_view,
                &mut entry.notify_view,
            ] {
                if !tables.has_view(view) {
                    view.clear();
                }
            }
            tables.access(entry)
        })
}

fn group(row: &Row) -> Option<(SecurityModel, SecurityName, String)> {
    let index = row.index_values()?;
    let model = model(index.first()?.integer()?)?;
    let name = SecurityName::new(index.get(1)?.text()?);
    Some((model, name, row.text(3)?.to_owned()))
}

fn family(row: &Row) -> Option<(String, ViewTreeFamily)> {
    let index = row.index_values()?;
    let view = index.first()?.text()?.to_owned();
    let family = ViewTreeFamily {
        subtree: Oid::new(index.get(1)?.object_identifier()?).ok()?,
        mask: ViewMask::new(row.octets(3)?.to_vec()),
        included: row.integer(4)? == INCLUDED,
    };
    Some((view, family))
}

fn access_entry(row: &Row) -> Option<AccessEntry> {
    let index = row.index_values()?;
    let number = index.get(2)?.integer()?;
    let security_model = match number {
        0 => None,
        number => Some(model(number)?),
    };
    Some(AccessEntry {
        group: index.first()?.text()?.to_owned(),
        context_prefix: index.get(1)?.text()?.to_owned(),
        context_match: match row.integer(4)? {
            PREFIX => ContextMatch::Prefix,
            _ => ContextMatch::Exact,
        },
        security_model,
        security_level: level(index.get(3)?.integer()?)?,
        read_view: row.text(5)?.to_owned(),
        write_view: row.text(6)?.to_owned(),
        notify_view: row.text(7)?.to_owned(),
    })
}
