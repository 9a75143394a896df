//! snmpCommunityTable (RFC 3584 section 5.2).

use varbind_codec::smi::Value;
use varbind_engine::engine_id::EngineId;
use varbind_engine::instrumentation::SetError;
use varbind_engine::security::{Community, SecurityName, SourceAddresses};

use super::notification_tables::address;
use super::notification_tables::transport_domain::source_filter;
use super::rows::{
    Assignment, Cell, Column, Constant, IndexPart, Row, RowRules, RowSet, StorageType, Syntax,
    TableDescription, append_octets, is_tag_delimiter,
};

const NAME: u32 = 2;
const SECURITY_NAME: u32 = 3;
const CONTEXT_ENGINE_ID: u32 = 4;
const CONTEXT_NAME: u32 = 5;
const TRANSPORT_TAG: u32 = 6;
const EMPTY: Constant = Constant::Octets(b"");

pub(crate) static SNMP_COMMUNITY_TABLE: TableDescription = TableDescription {
    name: "snmpCommunityTable",
    entry: &[1, 3, 6, 1, 6, 3, 18, 1, 1, 1],
    index: &[IndexPart::ImpliedText(1, 32)],
    columns: &[
        Column::required(NAME, Syntax::Octets(0, 255)),
        Column::required(SECURITY_NAME, Syntax::AdminString(1, 32)),
        Column::required(CONTEXT_ENGINE_ID, Syntax::Octets(5, 32)),
        Column::with_default(CONTEXT_NAME, Syntax::AdminString(0, 32), EMPTY),
        Column::with_default(TRANSPORT_TAG, Syntax::TagValue, EMPTY),
        Column::storage_type(7),
        Column::row_status(8),
    ],
    capacity: 500,
};

/// The row of a community of the configuration file, by its number there. The addresses from which it may be used are
/// said in the file alone: where they are limited, its tag is one that no address has.
pub(crate) fn configured_row(number: usize, community: &Community, engine_id: &EngineId) -> Row {
    let name = format!("community-{number}");
    let mut index = Vec::new();
    append_octets(&mut index, name.as_bytes());
    let tag = match community.sources {
        SourceAddresses::Any => String::new(),
        SourceAddresses::Within(_) => name,
    };
    let octets = |octets: &[u8]| Value::OctetString(octets.to_vec());
    let values = [
        (NAME, octets(&community.name)),
        (
            SECURITY_NAME,
            octets(community.security_name.as_str().as_bytes()),
        ),
        (CONTEXT_ENGINE_ID, octets(engine_id.as_octets())),
        (CONTEXT_NAME, octets(community.context_name.as_bytes())),
        (TRANSPORT_TAG, octets(tag.as_bytes())),
    ];
    Row::configured(&SNMP_COMMUNITY_TABLE, index, values)
}

/// The communities that managers made, as the engine takes them.
///
/// `addresses` are the rows of snmpTargetAddrTable, for their tags.
pub(crate) fn communities(rows: &RowSet, addresses: &RowSet) -> impl Iterator<Item = Community> {
    let made = rows
        .active()
        .filter(|row| row.storage_type() != StorageType::ReadOnly);
    made.filter_map(move |row| {
        Some(Community {
            name: row.octets(NAME)?.to_vec(),
            security_name: SecurityName::new(row.text(SECURITY_NAME)?),
            context_name: row.text(CONTEXT_NAME)?.to_owned(),
            sources: sources(row.octets(TRANSPORT_TAG)?, addresses),
        })
    })
}

/// The addresses with a tag; a community without one may be used from everywhere.
fn sources(tag: &[u8], addresses: &RowSet) -> SourceAddresses {
    if tag.is_empty() {
        return SourceAddresses::Any;
    }
    let tagged = addresses.active().filter(|row| {
        let tags = row.octets(address::TAG_LIST).unwrap_or_default();
        tags.split(is_tag_delimiter).any(|other| other == tag)
    });
    SourceAddresses::Within(tagged.filter_map(|row| source_filter(row)).collect())
}

/// What is peculiar to snmpCommunityTable.
pub(crate) struct SnmpCommunityRules {
    pub(crate) engine_id: EngineId,
}

impl RowRules for SnmpCommunityRules {
    /// "The default value is the snmpEngineID of the entity in which this object is instantiated."
    fn create(&self, row: &mut Row) {
        let id = Value::OctetString(self.engine_id.as_octets().to_vec());
        row.put(CONTEXT_ENGINE_ID, Some(Cell::Value(id)));
    }

    fn assign(
        &self,
        row: &mut Row,
        assignment: &Assignment,
        _rows: &RowSet,
    ) -> Result<(), SetError> {
        // There are no contexts of other engines here.
        let is_foreign = assignment.column == CONTEXT_ENGINE_ID
            && assignment.octets() != Some(self.engine_id.as_octets());
        if is_foreign {
            return Err(SetError::WrongValue);
        }
        assignment.put_into(row);
        Ok(())
    }
}
