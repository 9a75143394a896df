//! Users of SNMPv3 on an agent, by SET requests to usmUserTable (RFC 3414).

mod column;
mod keys;
mod passwords;
mod table;

use clap::{Args, Subcommand};
use varbind::codec::smi::{Oid, Value, VarBind};
use varbind_terminal::Failure;

use crate::arguments::SessionArguments;
use crate::fleet;
pub(crate) use column::{Column, RowStatus};
pub(crate) use keys::{Change, Protocols, UserKeys};
use passwords::PasswordArguments;
use table::Rows;

const AFTER: &str = "\
Passwords come from the terminal, from files or from environment variables, never from the command line.
varbind table TARGET usmUserTable lists the users.";

#[derive(Args, Debug)]
#[command(after_help = AFTER)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Change the passwords of a user, by KeyChange: neither old nor new keys go over the wire
    Passwd(Passwd),
    /// Create a user with the protocols of another one, and with passwords of its own
    Create(Create),
    /// Delete a user
    Delete(Named),
    /// Let a user in again
    Activate(Named),
    /// Keep a user out, without deleting it
    Deactivate(Named),
}

#[derive(Args, Debug)]
struct Named {
    #[command(flatten)]
    session: SessionArguments,

    /// User
    #[arg(value_name = "USER")]
    subject: String,
}

#[derive(Args, Debug)]
struct Passwd {
    #[command(flatten)]
    session: SessionArguments,

    /// User [default: the one of -u, whose old passwords are those of the session]
    #[arg(value_name = "USER")]
    subject: Option<String>,

    #[command(flatten)]
    passwords: PasswordArguments,
}

#[derive(Args, Debug)]
struct Create {
    #[command(flatten)]
    session: SessionArguments,

    /// User
    #[arg(value_name = "USER")]
    subject: String,

    /// User whose protocols the new one has; its passwords are the old ones
    #[arg(long, value_name = "USER")]
    from: String,

    #[command(flatten)]
    passwords: PasswordArguments,
}

impl Arguments {
    fn session(&mut self) -> &mut SessionArguments {
        match &mut self.action {
            Action::Passwd(arguments) => &mut arguments.session,
            Action::Create(arguments) => &mut arguments.session,
            Action::Delete(arguments)
            | Action::Activate(arguments)
            | Action::Deactivate(arguments) => &mut arguments.session,
        }
    }

    pub(crate) fn find_host(&mut self) -> Result<(), Failure> {
        fleet::find_one_host(self.session())
    }

    pub(crate) fn run(&self) -> Result<(), Failure> {
        match &self.action {
            Action::Passwd(arguments) => arguments.run(),
            Action::Create(arguments) => arguments.run(),
            Action::Delete(arguments) => arguments.run(RowStatus::Destroy, "is deleted"),
            Action::Activate(arguments) => arguments.run(RowStatus::Active, "is active"),
            Action::Deactivate(arguments) => arguments.run(RowStatus::NotInService, "is kept out"),
        }
    }
}

impl Named {
    fn run(&self, status: RowStatus, what: &str) -> Result<(), Failure> {
        let mut rows = Rows::open(&self.session)?;
        // Agents destroy rows that are not there without a word.
        rows.protocols(&self.subject)?;
        let row = rows.status(&self.subject, status)?;
        rows.set(&[row])?;
        rows.print_result(&self.subject, what)
    }
}

impl Passwd {
    fn run(&self) -> Result<(), Failure> {
        let own = self.session.user.name.as_deref();
        let Some(name) = self.subject.as_deref().or(own) else {
            return Err(Failure::Usage(
                "whose passwords? Name the user behind the target, or with -u".to_owned(),
            ));
        };
        let is_own = own == Some(name);
        let mut rows = Rows::open(&self.session)?;
        let protocols = rows.protocols(name)?;
        let old = match is_own {
            true => UserKeys::of_session(&self.session, rows.engine())?,
            false => self.passwords.old(name, protocols, rows.engine())?,
        };
        let new = self.passwords.new_keys(name, protocols, rows.engine())?;
        let changes = Change::between(&old, &new, protocols)?;
        if changes.is_empty() {
            return Err(Failure::Usage(format!(
                "user {name} has no passwords: it uses neither authentication nor privacy"
            )));
        }
        let objects = rows.key_changes(name, &changes, is_own)?;
        rows.set_locked(objects)?;
        rows.print_result(name, "has new passwords")
    }
}

impl Create {
    fn run(&self) -> Result<(), Failure> {
        let (name, from) = (&self.subject, &self.from);
        let mut rows = Rows::open(&self.session)?;
        if rows.has(name)? {
            let target = &self.session.target;
            return Err(Failure::Usage(format!(
                "{target}: user {name} exists already: varbind usm passwd changes its passwords, varbind usm delete deletes it"
            )));
        }
        let protocols = rows.protocols(from)?;
        let is_own = self.session.user.name.as_ref() == Some(from);
        let old = match is_own {
            true => UserKeys::of_session(&self.session, rows.engine())?,
            false => self.passwords.old(from, protocols, rows.engine())?,
        };
        let new = self.passwords.new_keys(name, protocols, rows.engine())?;
        let changes = Change::between(&old, &new, protocols)?;
        let template = rows.pointer(from)?;
        rows.set(&[
            rows.status(name, RowStatus::CreateAndWait)?,
            VarBind::new(rows.clone_from(name)?, Value::from(&template)),
        ])?;
        // The passwords of another one must not work for this user, not even for a moment.
        let completed = self.complete(&mut rows, &changes);
        if let Err(failure) = completed {
            let undo = rows.status(name, RowStatus::Destroy)?;
            let _ = rows.set(&[undo]);
            return Err(failure);
        }
        rows.print_result(
            name,
            "is created; access rights come with a group: varbind vacm",
        )
    }

    fn complete(&self, rows: &mut Rows<'_>, changes: &[Change]) -> Result<(), Failure> {
        if !changes.is_empty() {
            let objects = rows.key_changes(&self.subject, changes, false)?;
            rows.set_locked(objects)?;
        }
        let active = rows.status(&self.subject, RowStatus::Active)?;
        rows.set(&[active])
    }
}

/// The name of a column, and the index behind it.
fn instance(column: &[u32], index: &[u32]) -> Result<Oid, Failure> {
    Oid::new(&[column, index].concat()).map_err(|error| Failure::Usage(error.to_string()))
}
