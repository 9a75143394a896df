use std::io::Write;

use varbind::codec::pdu::ErrorStatus;
use varbind::codec::smi::{Oid, OidScratch, Value, VarBind};
use varbind::engine::applications::command_generator::Command;
use varbind::engine::engine_id::EngineId;
use varbind::engine::security::usm::{AuthenticationProtocol, PrivacyProtocol};
use varbind_mib::{Mib, OutputOptions};
use varbind_terminal::Failure;

use super::column::{Column, RowStatus};
use super::instance;
use super::keys::{Change, Protocols};
use crate::arguments::SessionArguments;
use crate::session::{self, Session};

/// usmUserSpinLock.0, which managers set with a change of keys so that no two change at the same time.
const SPIN_LOCK: [u32; 10] = [1, 3, 6, 1, 6, 3, 15, 1, 2, 1];
/// snmpEngineID.0
const ENGINE_ID: [u32; 11] = [1, 3, 6, 1, 6, 3, 10, 2, 1, 1, 0];

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
        let reported = response.var_binds.first().map(|object| &object.value);
        let reported = match reported {
            Some(Value::OctetString(octets)) => EngineId::new(octets).ok(),
            _ => None,
        };
        let known = session.remote_engine().map(|engine| *engine.id());
        let engine = reported.or(known).ok_or_else(|| {
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

    fn cell(&self, column: Column, user: &str) -> Result<Oid, Failure> {
        column.cell(&self.engine, user)
    }

    /// The RowPointer to a user.
    pub(super) fn pointer(&self, user: &str) -> Result<Oid, Failure> {
        self.cell(Column::SecurityName, user)
    }

    pub(super) fn clone_from(&self, user: &str) -> Result<Oid, Failure> {
        self.cell(Column::CloneFrom, user)
    }

    pub(super) fn status(&self, user: &str, status: RowStatus) -> Result<VarBind, Failure> {
        Ok(VarBind::new(
            self.cell(Column::Status, user)?,
            Value::Integer(status as i32),
        ))
    }

    /// Whether a user exists.
    pub(super) fn has(&mut self, user: &str) -> Result<bool, Failure> {
        let values = self.get(&[self.cell(Column::Status, user)?])?;
        Ok(matches!(values.as_slice(), [Value::Integer(_)]))
    }

    /// What a user authenticates and encrypts with.
    pub(super) fn protocols(&mut self, user: &str) -> Result<Protocols, Failure> {
        let names = [
            self.cell(Column::AuthProtocol, user)?,
            self.cell(Column::PrivProtocol, user)?,
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
            let column = change.column(is_own);
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

    /// Prints what was done.
    pub(super) fn print_result(&self, user: &str, what: &str) -> Result<(), Failure> {
        let target = &self.arguments.target;
        writeln!(std::io::stdout(), "{target}: user {user} {what}")?;
        Ok(())
    }
}
