//! usmUserTable (RFC 3414 section 5).

use std::sync::Arc;

use arc_swap::ArcSwap;
use varbind_codec::smi::{EncodedOid, OidRef, OidScratch, Value};
use varbind_engine::engine_id::EngineId;
use varbind_engine::instrumentation::SetError;
use varbind_engine::security::usm::{
    AuthenticationKey, AuthenticationProtocol, InvalidKey, LocalizedKey, PrivacyKey,
    PrivacyProtocol, UserSecurity, UserTable, UsmUser,
};
use varbind_engine::security::{SecurityModel, SecurityName};

use super::rows::{
    Assignment, Cell, Column, Constant, IndexPart, IndexValue, Row, RowRules, RowSet, StorageType,
    Syntax, TableDescription, append_counted,
};
use crate::configuration::ConfiguredUser;

pub(crate) const USM_USER_SPIN_LOCK: &[u32] = &[1, 3, 6, 1, 6, 3, 15, 1, 2, 1];
const USM_USER_ENTRY: &[u32] = &[1, 3, 6, 1, 6, 3, 15, 1, 2, 2, 1];
const NO_AUTH_PROTOCOL: &[u32] = &[1, 3, 6, 1, 6, 3, 10, 1, 1, 1];
const NO_PRIV_PROTOCOL: &[u32] = &[1, 3, 6, 1, 6, 3, 10, 1, 2, 1];

const SECURITY_NAME: u32 = 3;
const CLONE_FROM: u32 = 4;
const AUTH_PROTOCOL: u32 = 5;
const AUTH_KEY_CHANGE: u32 = 6;
const OWN_AUTH_KEY_CHANGE: u32 = 7;
const PRIV_PROTOCOL: u32 = 8;
const PRIV_KEY_CHANGE: u32 = 9;
const OWN_PRIV_KEY_CHANGE: u32 = 10;
const PUBLIC: u32 = 11;
/// The localised keys.
const AUTH_KEY: u32 = 101;
const PRIV_KEY: u32 = 102;
/// There if the row was cloned.
const IS_CLONED: u32 = 103;
/// There if a key is the user's own, and not the one of the user that it was cloned from.
const HAS_OWN_AUTH_KEY: u32 = 104;
const HAS_OWN_PRIV_KEY: u32 = 105;
const YES: i32 = 1;

/// Twice the longest key.
const KEY_CHANGE: Syntax = Syntax::Octets(0, 128);
const EMPTY: Constant = Constant::Octets(b"");

pub(crate) static USM_USER_TABLE: TableDescription = TableDescription {
    name: "usmUserTable",
    entry: USM_USER_ENTRY,
    index: &[IndexPart::Octets(5, 32), IndexPart::Text(1, 32)],
    columns: &[
        Column::read_only(SECURITY_NAME, Syntax::AdminString(0, 255)),
        Column::optional(CLONE_FROM, Syntax::ObjectIdentifier)
            .shown_as(Constant::ObjectIdentifier(&[0, 0])),
        Column::with_default(
            AUTH_PROTOCOL,
            Syntax::ObjectIdentifier,
            Constant::ObjectIdentifier(NO_AUTH_PROTOCOL),
        ),
        Column::optional(AUTH_KEY_CHANGE, KEY_CHANGE).shown_as(EMPTY),
        Column::optional(OWN_AUTH_KEY_CHANGE, KEY_CHANGE).shown_as(EMPTY),
        Column::with_default(
            PRIV_PROTOCOL,
            Syntax::ObjectIdentifier,
            Constant::ObjectIdentifier(NO_PRIV_PROTOCOL),
        ),
        Column::optional(PRIV_KEY_CHANGE, KEY_CHANGE).shown_as(EMPTY),
        Column::optional(OWN_PRIV_KEY_CHANGE, KEY_CHANGE).shown_as(EMPTY),
        Column::with_default(PUBLIC, Syntax::Octets(0, 32), EMPTY),
        Column::storage_type(12),
        Column::row_status(13),
        Column::secret(AUTH_KEY),
        Column::secret(PRIV_KEY),
        Column::hidden(IS_CLONED, Syntax::Integer(YES, YES)),
        Column::hidden(HAS_OWN_AUTH_KEY, Syntax::Integer(YES, YES)),
        Column::hidden(HAS_OWN_PRIV_KEY, Syntax::Integer(YES, YES)),
    ],
    capacity: 500,
};

/// The row of a user of the configuration file.
pub(crate) fn configured_row(user: &ConfiguredUser, engine_id: &EngineId) -> Row {
    let authentication = user.authentication.as_ref();
    let privacy = authentication.and_then(|authentication| authentication.privacy.as_ref());
    let auth_protocol = authentication.map_or(NO_AUTH_PROTOCOL, |authentication| {
        authentication.protocol.object_identifier()
    });
    let priv_protocol = privacy.map_or(NO_PRIV_PROTOCOL, |privacy| {
        privacy.protocol.object_identifier()
    });
    let security_name = Value::OctetString(user.name.clone().into_bytes());
    let names = [
        (AUTH_PROTOCOL, auth_protocol),
        (PRIV_PROTOCOL, priv_protocol),
    ];
    let protocols = names.into_iter().filter_map(|(column, arcs)| {
        let value = Constant::ObjectIdentifier(arcs).value()?;
        Some((column, value))
    });
    Row::configured(
        &USM_USER_TABLE,
        index(engine_id, &user.name),
        protocols.chain([(SECURITY_NAME, security_name)]),
    )
}

fn index(engine_id: &EngineId, user_name: &str) -> Vec<u32> {
    let mut index = Vec::new();
    for octets in [engine_id.as_octets(), user_name.as_bytes()] {
        append_counted(&mut index, octets.iter().copied().map(u32::from));
    }
    index
}

/// The users whom managers made, as the engine takes them.
pub(crate) fn users(rows: &RowSet) -> impl Iterator<Item = UsmUser> {
    let made = rows
        .active()
        .filter(|row| row.storage_type() != StorageType::ReadOnly);
    made.filter_map(|row| {
        let name = user_name(&row.index_values()?)?.to_owned();
        let security = security(row)
            .inspect_err(|error| log::error!("user {name:?} of usmUserTable: {error}"))
            .ok()?;
        UsmUser::new(SecurityName::new(name), security).ok()
    })
}

fn user_name(index: &[IndexValue]) -> Option<&str> {
    index.get(1)?.text()
}

fn security(row: &Row) -> Result<UserSecurity, InvalidKey> {
    let key = |column| LocalizedKey::from_octets(row.secret(column).unwrap_or_default());
    let Some(protocol) = auth_protocol(row) else {
        return Ok(UserSecurity::NoAuthNoPriv);
    };
    let authentication = AuthenticationKey::new(protocol, key(AUTH_KEY))?;
    Ok(match priv_protocol(row) {
        None => UserSecurity::AuthNoPriv(authentication),
        Some(protocol) => {
            UserSecurity::AuthPriv(authentication, PrivacyKey::new(protocol, key(PRIV_KEY))?)
        }
    })
}

fn is_name(name: OidRef<'_>, arcs: &[u32]) -> bool {
    name.arcs().eq(arcs.iter().copied())
}

/// The authentication protocol of a row; none if it is usmNoAuthProtocol.
fn auth_protocol(row: &Row) -> Option<AuthenticationProtocol> {
    let name = row.object_identifier(AUTH_PROTOCOL)?;
    let mut protocols = AuthenticationProtocol::ALL.into_iter();
    protocols.find(|protocol| is_name(name, protocol.object_identifier()))
}

/// The privacy protocol of a row; none if it is usmNoPrivProtocol.
fn priv_protocol(row: &Row) -> Option<PrivacyProtocol> {
    let name = row.object_identifier(PRIV_PROTOCOL)?;
    let mut protocols = PrivacyProtocol::ALL.into_iter();
    protocols.find(|protocol| is_name(name, protocol.object_identifier()))
}

/// What is peculiar to usmUserTable.
pub(crate) struct UsmUserRules {
    pub(crate) engine_id: EngineId,
    /// The users of the configuration file, whose keys are not in their rows.
    pub(crate) configured: Arc<ArcSwap<UserTable>>,
}

impl RowRules for UsmUserRules {
    fn allows_index(&self, index: &[IndexValue]) -> bool {
        let engine_id = index.first().and_then(IndexValue::octets);
        engine_id == Some(self.engine_id.as_octets())
    }

    fn create(&self, row: &mut Row) {
        let index = row.index_values().unwrap_or_default();
        let name = user_name(&index).unwrap_or_default();
        let name = Value::OctetString(name.as_bytes().to_vec());
        row.put(SECURITY_NAME, Some(Cell::Value(name)));
    }

    fn assign(
        &self,
        row: &mut Row,
        assignment: &Assignment,
        rows: &RowSet,
    ) -> Result<(), SetError> {
        let existing = rows.with_index(row.index());
        match assignment.column {
            CLONE_FROM => self.clone_from(row, assignment, rows),
            AUTH_PROTOCOL | PRIV_PROTOCOL => set_protocol(row, assignment, existing.is_some()),
            AUTH_KEY_CHANGE | PRIV_KEY_CHANGE => change_key(row, assignment),
            OWN_AUTH_KEY_CHANGE | OWN_PRIV_KEY_CHANGE => {
                check_owner(row, assignment)?;
                if existing.is_none_or(|row| !row.is_active()) {
                    return Err(SetError::InconsistentValue);
                }
                change_key(row, assignment)
            }
            _ => {
                assignment.put_into(row);
                Ok(())
            }
        }
    }

    /// "if any privacy protocol is used, then you must also use an authentication protocol"
    fn is_consistent(&self, row: &Row) -> bool {
        auth_protocol(row).is_some() || priv_protocol(row).is_none()
    }

    /// "cannot be made active until the corresponding usmUserCloneFrom and usmUserAuthKeyChange have been set": until
    /// then, another user knows the keys.
    fn is_ready(&self, row: &Row) -> bool {
        let has_own = |key, is_own| row.secret(key).is_some() && row.cell(is_own).is_some();
        let is_auth_ready = auth_protocol(row).is_none() || has_own(AUTH_KEY, HAS_OWN_AUTH_KEY);
        let is_priv_ready = priv_protocol(row).is_none() || has_own(PRIV_KEY, HAS_OWN_PRIV_KEY);
        is_auth_ready && is_priv_ready
    }
}

impl UsmUserRules {
    fn clone_from(
        &self,
        row: &mut Row,
        assignment: &Assignment,
        rows: &RowSet,
    ) -> Result<(), SetError> {
        // "Subsequent writes are successful but invoke no action"
        if row.cell(IS_CLONED).is_some() {
            return Ok(());
        }
        let Value::ObjectIdentifier(pointer) = &assignment.value else {
            return Err(SetError::WrongType);
        };
        let source = pointed_to(pointer)
            .and_then(|index| rows.with_index(&index).cloned())
            .filter(|source| source.is_active())
            .ok_or(SetError::InconsistentName)?;
        for column in [AUTH_PROTOCOL, PRIV_PROTOCOL] {
            row.put(column, source.cell(column).cloned());
        }
        let (auth_key, priv_key) = self.keys(&source);
        row.put(AUTH_KEY, auth_key);
        row.put(PRIV_KEY, priv_key);
        row.put(HAS_OWN_AUTH_KEY, None);
        row.put(HAS_OWN_PRIV_KEY, None);
        row.put_integer(IS_CLONED, YES);
        Ok(())
    }

    /// The keys of a user, wherever they are.
    fn keys(&self, row: &Row) -> (Option<Cell>, Option<Cell>) {
        if row.storage_type() != StorageType::ReadOnly {
            return (row.cell(AUTH_KEY).cloned(), row.cell(PRIV_KEY).cloned());
        }
        let secret = |key: &LocalizedKey| Some(Cell::Secret(key.expose_octets().to_vec().into()));
        let index = row.index_values().unwrap_or_default();
        let users = self.configured.load();
        let user = user_name(&index).and_then(|name| users.find(name.as_bytes()));
        match user.map(UsmUser::security) {
            None | Some(UserSecurity::NoAuthNoPriv) => (None, None),
            Some(UserSecurity::AuthNoPriv(key)) => (secret(key.key()), None),
            Some(UserSecurity::AuthPriv(key, privacy)) => {
                (secret(key.key()), secret(privacy.key()))
            }
        }
    }
}

/// The index of the row that a RowPointer names by its first column that can be read (RFC 2579).
fn pointed_to(pointer: &EncodedOid) -> Option<Vec<u32>> {
    let mut name = OidScratch::new();
    let (column, index) = pointer
        .as_oid_ref()
        .decode_into(&mut name)
        .strip_prefix(USM_USER_ENTRY)?
        .split_first()?;
    (*column == SECURITY_NAME).then(|| index.to_vec())
}

/// "can only be changed via a set operation to the value of the usmNoAuthProtocol", and likewise for privacy.
fn set_protocol(row: &mut Row, assignment: &Assignment, is_existing: bool) -> Result<(), SetError> {
    let column = assignment.column;
    let Value::ObjectIdentifier(wanted) = &assignment.value else {
        return Err(SetError::WrongType);
    };
    let wanted = wanted.as_oid_ref();
    let (none, key, is_own, is_known) = if column == AUTH_PROTOCOL {
        let mut known = AuthenticationProtocol::ALL.into_iter();
        let is_known = known.any(|protocol| is_name(wanted, protocol.object_identifier()));
        (NO_AUTH_PROTOCOL, AUTH_KEY, HAS_OWN_AUTH_KEY, is_known)
    } else {
        let mut known = PrivacyProtocol::ALL.into_iter();
        let is_known = known.any(|protocol| is_name(wanted, protocol.object_identifier()));
        (NO_PRIV_PROTOCOL, PRIV_KEY, HAS_OWN_PRIV_KEY, is_known)
    };
    let is_fixed = is_existing || row.cell(IS_CLONED).is_some();
    if is_name(wanted, none) {
        row.put(key, None);
        row.put(is_own, None);
    } else if !is_known {
        return Err(SetError::WrongValue);
    } else if is_fixed && row.object_identifier(column) != Some(wanted) {
        return Err(SetError::InconsistentValue);
    }
    row.put(column, Some(Cell::Value(assignment.value.clone())));
    Ok(())
}

/// "the usmUserName of the operation requester must match the usmUserName that indexes the row"
fn check_owner(row: &Row, assignment: &Assignment) -> Result<(), SetError> {
    let index = row.index_values().unwrap_or_default();
    let is_owner = match &assignment.requester {
        Some((SecurityModel::UserBased, name)) => user_name(&index) == Some(name.as_str()),
        _ => false,
    };
    if is_owner {
        Ok(())
    } else {
        Err(SetError::NoAccess)
    }
}

/// KeyChange (RFC 3414 section 5).
fn change_key(row: &mut Row, assignment: &Assignment) -> Result<(), SetError> {
    let is_authentication = matches!(assignment.column, AUTH_KEY_CHANGE | OWN_AUTH_KEY_CHANGE);
    let (key, is_own) = if is_authentication {
        (AUTH_KEY, HAS_OWN_AUTH_KEY)
    } else {
        (PRIV_KEY, HAS_OWN_PRIV_KEY)
    };
    // "When creating a new user, it is an 'inconsistentName' error [..] unless [..] usmUserCloneFrom"
    if row.cell(IS_CLONED).is_none() && !row.is_active() {
        return Err(SetError::InconsistentName);
    }
    let has_protocol = is_authentication || priv_protocol(row).is_some();
    let key_change = assignment.octets().unwrap_or_default();
    let Some(protocol) = auth_protocol(row).filter(|_| has_protocol && !key_change.is_empty())
    else {
        // "When the value of the corresponding usmUserAuthProtocol is usmNoAuthProtocol, then a set is successful, but
        // effectively is a no-op."
        return Ok(());
    };
    let present = row.secret(key).ok_or(SetError::InconsistentName)?;
    let changed = LocalizedKey::from_octets(present)
        .changed(protocol, key_change)
        .map_err(|_| SetError::WrongLength)?;
    let octets = changed.expose_octets().to_vec();
    row.put(key, Some(Cell::Secret(octets.into())));
    row.put_integer(is_own, YES);
    Ok(())
}
