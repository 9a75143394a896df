use std::io::Write;

use varbind::codec::pdu::ErrorStatus;
use varbind::codec::smi::{Oid, OidScratch, Value, VarBind};
use varbind::engine::applications::command_generator::Command;
use varbind::engine::engine_id::EngineId;
use varbind::engine::security::usm::{AuthenticationProtocol, PrivacyProtocol};
use varbind_mib::{Mib, OutputOptions};
use varbind_terminal::Failure;

use super::instance;
use super::keys::{Change, Kind, Protocols};
use crate::arguments::SessionArguments;
use crate::session::{self, Session};

/// usmUserEntry (RFC 3414 section 5).
const ENTRY: [u32; 11] = [1, 3, 6, 1, 6, 3, 15, 1, 2, 2, 1];
/// usmUserSpinLock.0, which managers set with a change of keys so that no two change at the same time.
const SPIN_LOCK: [u32; 10] = [1, 3, 6, 1, 6, 3, 15, 1, 2, 1];
/// snmpEngineID.0
const ENGINE_ID: [u32; 11] = [1, 3, 6, 1, 6, 3, 10, 2, 1, 1, 0];

/// Columns of usmUserTable.
const SECURITY_NAME: u32 = 3;
const CLONE_FROM: u32 = 4;
const AUTH_PROTOCOL: u32 = 5;
const AUTH_KEY_CHANGE: u32 = 6;
const OWN_AUTH_KEY_CHANGE: u32 = 7;
const PRIV_PROTOCOL: u32 = 8;
const PRIV_KEY_CHANGE: u32 = 9;
const OWN_PRIV_KEY_CHANGE: u32 = 10;
const STATUS: u32 = 13;

/// What a manager may make of a row (RFC 2579).
#[derive(Clone, Copy, Debug)]
pub(super) enum RowStatus {
    Active = 1,
    NotInService = 2,
    CreateAndWait = 5,
    Destroy = 6,
}

/// The rows of usmUserTable on one agent.
pub(super) struct Rows<'a> {
    arguments: &'a SessionArguments,
    session: Session,
    engine: EngineId,
    mib: Mib,
}

impl<'a> Rows<'a> {
    /// Opens a session, and asks the agent for its engine ID, which names of rows contain.
    pub(super) fn open(arguments: &'a SessionArguments) -> Result<Self, Failure> {
        let mut session = session::open(arguments)?;
        let name = instance(&ENGINE_ID, &[])?;
        let response = session.request(Command::Get(&[name]))?;
        let told = response.var_binds.first().map(|object| &object.value);
        let told = match told {
            Some(Value::OctetString(octets)) => EngineId::new(octets).ok(),
            _ => None,
        };
        let known = session.remote_engine().map(|engine| *engine.id());
        let engine = told.or(known).ok_or_else(|| {
            let target = &arguments.target;
            Failure::ErrorStatus(format!(
                "{target}: the agent does not tell its engine ID (snmpEngineID.0): ask over SNMPv3, with -v3 -u USER"
            ))
        })?;
        Ok(Self {
            arguments,
            session,
            engine,
            mib: Mib::builtin(),
        })
    }

    pub(super) const fn engine(&self) -> &EngineId {
        &self.engine
    }

    fn cell(&self, column: u32, user: &str) -> Result<Oid, Failure> {
        let mut index = vec![column];
        for octets in [self.engine.as_octets(), user.as_bytes()] {
            index.push(u32::try_from(octets.len()).unwrap_or(u32::MAX));
            index.extend(octets.iter().copied().map(u32::from));
        }
        instance(&ENTRY, &index)
    }

    /// The RowPointer to a user.
    pub(super) fn pointer(&self, user: &str) -> Result<Oid, Failure> {
        self.cell(SECURITY_NAME, user)
    }

    pub(super) fn clone_from(&self, user: &str) -> Result<Oid, Failure> {
        self.cell(CLONE_FROM, user)
    }

    pub(super) fn status(&self, user: &str, status: RowStatus) -> Result<VarBind, Failure> {
        Ok(VarBind::new(
            self.cell(STATUS, user)?,
            Value::Integer(status as i32),
        ))
    }

    /// Whether a user exists.
    pub(super) fn has(&mut self, user: &str) -> Result<bool, Failure> {
        let values = self.get(&[self.cell(STATUS, user)?])?;
        Ok(matches!(values.as_slice(), [Value::Integer(_)]))
    }

    /// What a user authenticates and encrypts with.
    pub(super) fn protocols(&mut self, user: &str) -> Result<Protocols, Failure> {
        let names = [
            self.cell(AUTH_PROTOCOL, user)?,
            self.cell(PRIV_PROTOCOL, user)?,
        ];
        let values = self.get(&names)?;
        let [
            Value::ObjectIdentifier(authentication),
            Value::ObjectIdentifier(privacy),
        ] = values.as_slice()
        else {
            let target = &self.arguments.target;
            return Err(Failure::ErrorStatus(format!(
                "{target}: usmUserTable shows no user {user} of engine {}: varbind table {target} usmUserTable lists those that \
                 you may see",
                self.engine
            )));
        };
        let (mut scratch, mut other) = (OidScratch::new(), OidScratch::new());
        let authentication = authentication.as_oid_ref().decode_into(&mut scratch);
        let privacy = privacy.as_oid_ref().decode_into(&mut other);
        let mut known = AuthenticationProtocol::ALL.into_iter();
        let authentication = known.find(|known| known.object_identifier() == authentication);
        let mut known = PrivacyProtocol::ALL.into_iter();
        Ok(Protocols {
            authentication,
            privacy: known.find(|known| known.object_identifier() == privacy),
        })
    }

    /// The objects that change keys.
    pub(super) fn key_changes(
        &self,
        user: &str,
        changes: &[Change],
        is_own: bool,
    ) -> Result<Vec<VarBind>, Failure> {
        let object = |change: &Change| {
            let column = match (change.kind, is_own) {
                (Kind::Authentication, false) => AUTH_KEY_CHANGE,
                (Kind::Authentication, true) => OWN_AUTH_KEY_CHANGE,
                (Kind::Privacy, false) => PRIV_KEY_CHANGE,
                (Kind::Privacy, true) => OWN_PRIV_KEY_CHANGE,
            };
            let value = Value::OctetString(change.octets.clone());
            Ok(VarBind::new(self.cell(column, user)?, value))
        };
        changes.iter().map(object).collect()
    }

    /// Sets with usmUserSpinLock in front, if the agent has it.
    pub(super) fn set_locked(&mut self, objects: Vec<VarBind>) -> Result<(), Failure> {
        let lock = instance(&SPIN_LOCK, &[0])?;
        let value = self.get(std::slice::from_ref(&lock))?.into_iter().next();
        let mut all = Vec::new();
        if let Some(value @ Value::Integer(_)) = value {
            all.push(VarBind::new(lock, value));
        }
        all.extend(objects);
        self.set(&all)
    }

    pub(super) fn set(&mut self, objects: &[VarBind]) -> Result<(), Failure> {
        let response = self.session.request(Command::Set(objects))?;
        if response.error_status == ErrorStatus::NoError {
            return Ok(());
        }
        let options = OutputOptions::default();
        let names = objects.iter().map(|object| &object.name);
        let text = session::error_text(self.arguments, &self.mib, &options, &response, names);
        Err(Failure::ErrorStatus(text))
    }

    fn get(&mut self, names: &[Oid]) -> Result<Vec<Value>, Failure> {
        let response = self.session.request(Command::Get(names))?;
        if response.error_status != ErrorStatus::NoError {
            let options = OutputOptions::default();
            let arguments = self.arguments;
            let text = session::error_text(arguments, &self.mib, &options, &response, names.iter());
            return Err(Failure::ErrorStatus(text));
        }
        let objects = response.var_binds.into_iter();
        Ok(objects.map(|object| object.value).collect())
    }

    /// Tells what was done.
    pub(super) fn tell(&self, user: &str, what: &str) -> Result<(), Failure> {
        let target = &self.arguments.target;
        writeln!(std::io::stdout(), "{target}: user {user} {what}")?;
        Ok(())
    }
}
