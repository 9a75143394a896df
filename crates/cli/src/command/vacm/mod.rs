//! Access rights on an agent, by SET requests to the tables of the view-based access control model (RFC 3415).

mod row;

use std::io::Write;

use clap::{Args, Subcommand, ValueEnum};
use varbind::codec::pdu::ErrorStatus;
use varbind::codec::smi::Value;
use varbind::engine::applications::command_generator::Command;
use varbind::engine::security::SecurityLevel;
use varbind_mib::{Mib, OutputOptions};
use varbind_terminal::{Failure, object_names};

use crate::arguments::{SessionArguments, security_level};
use crate::{credentials, fleet, session};
pub(crate) use row::Row;

const AFTER: &str = "\
A user has the rights of its group; a group reads and writes what views contain.
varbind table TARGET vacmAccessTable (vacmSecurityToGroupTable, vacmViewTreeFamilyTable) lists what there is.";

#[derive(Args, Debug)]
#[command(after_help = AFTER)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Put a name into a group
    CreateGroup(Group),
    /// Take a name out of its group
    DeleteGroup(Member),
    /// Add a subtree to a view, or take one out of it
    CreateView(View),
    /// Remove a subtree of a view
    DeleteView(Subtree),
    /// Give a group views to read, write and be notified of
    CreateAccess(Access),
    /// Take the views of a group away
    DeleteAccess(Right),
}

/// A security model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Model {
    Any = 0,
    V1 = 1,
    V2c = 2,
    Usm = 3,
    Tsm = 4,
}

#[derive(Args, Debug)]
struct Member {
    #[command(flatten)]
    session: SessionArguments,

    /// Security model
    model: Model,

    /// User, community or name of a certificate
    #[arg(value_name = "NAME")]
    who: String,
}

#[derive(Args, Debug)]
struct Group {
    #[command(flatten)]
    member: Member,

    /// Group
    #[arg(value_name = "GROUP")]
    group: String,
}

#[derive(Args, Debug)]
struct Subtree {
    #[command(flatten)]
    session: SessionArguments,

    /// View
    #[arg(value_name = "VIEW")]
    view: String,

    /// Subtree, as ifTable or 1.3.6.1.2.1
    #[arg(value_name = "OID")]
    subtree: String,
}

#[derive(Args, Debug)]
struct View {
    #[command(flatten)]
    subtree: Subtree,

    /// The subtree is not part of the view
    #[arg(long)]
    excluded: bool,

    /// Mask of sub-identifiers that count, in hexadecimal, as ff:a0 [default: all]
    #[arg(
        long,
        value_name = "HEX",
        default_value = "",
        hide_default_value = true
    )]
    mask: String,
}

#[derive(Args, Debug)]
struct Right {
    #[command(flatten)]
    session: SessionArguments,

    /// Group
    #[arg(value_name = "GROUP")]
    group: String,

    /// Security model
    #[arg(long, value_enum, default_value = "usm", help_heading = "Access")]
    model: Model,

    /// Lowest level of messages
    #[arg(long = "level", id = "access_level", value_name = "LEVEL", value_parser = security_level, help_heading = "Access")]
    level: SecurityLevel,

    /// Context, or its beginning with --prefix
    #[arg(
        long = "in-context",
        value_name = "NAME",
        default_value = "",
        hide_default_value = true,
        help_heading = "Access"
    )]
    in_context: String,
}

#[derive(Args, Debug)]
struct Access {
    #[command(flatten)]
    right: Right,

    /// All contexts that begin so
    #[arg(long, help_heading = "Access")]
    prefix: bool,

    /// View to read
    #[arg(
        long,
        value_name = "VIEW",
        default_value = "",
        hide_default_value = true,
        help_heading = "Access"
    )]
    read: String,

    /// View to write
    #[arg(
        long,
        value_name = "VIEW",
        default_value = "",
        hide_default_value = true,
        help_heading = "Access"
    )]
    write: String,

    /// View to be notified of
    #[arg(
        long,
        value_name = "VIEW",
        default_value = "",
        hide_default_value = true,
        help_heading = "Access"
    )]
    notify: String,
}

fn text(text: &str) -> Value {
    Value::OctetString(text.as_bytes().to_vec())
}

impl Member {
    fn row(&self) -> Row {
        Row::group(self.model as u32, &self.who)
    }
}

impl Subtree {
    fn row(&self, mib: &Mib) -> Result<Row, Failure> {
        let subtree = object_names::name(mib, &self.subtree)?;
        Ok(Row::view(&self.view, &subtree))
    }
}

impl View {
    fn cells(&self) -> Result<Vec<(u32, Value)>, Failure> {
        let digits = self.mask.replace([':', '.', ' '], "");
        let mask = match digits.as_str() {
            "" => Vec::new(),
            digits => credentials::key_octets("the mask", digits.as_bytes())?,
        };
        let kind = if self.excluded { 2 } else { 1 };
        Ok(vec![
            (3, Value::OctetString(mask)),
            (4, Value::Integer(kind)),
        ])
    }
}

impl Right {
    fn row(&self) -> Row {
        let level = match self.level {
            SecurityLevel::NoAuthNoPriv => 1,
            SecurityLevel::AuthNoPriv => 2,
            SecurityLevel::AuthPriv => 3,
        };
        Row::access(&self.group, &self.in_context, self.model as u32, level)
    }
}

impl Access {
    fn cells(&self) -> Vec<(u32, Value)> {
        vec![
            (4, Value::Integer(if self.prefix { 2 } else { 1 })),
            (5, text(&self.read)),
            (6, text(&self.write)),
            (7, text(&self.notify)),
        ]
    }
}

impl Arguments {
    pub(crate) fn find_host(&mut self) -> Result<(), Failure> {
        fleet::find_one_host(match &mut self.action {
            Action::CreateGroup(group) => &mut group.member.session,
            Action::DeleteGroup(member) => &mut member.session,
            Action::CreateView(view) => &mut view.subtree.session,
            Action::DeleteView(subtree) => &mut subtree.session,
            Action::CreateAccess(access) => &mut access.right.session,
            Action::DeleteAccess(right) => &mut right.session,
        })
    }

    pub(crate) fn run(&self) -> Result<(), Failure> {
        let mib = Mib::builtin();
        let (arguments, objects, outcome) = match &self.action {
            Action::CreateGroup(group) => {
                let member = &group.member;
                let objects = member.row().created(vec![(3, text(&group.group))])?;
                let outcome = format!("{} is in group {}", member.who, group.group);
                (&member.session, objects, outcome)
            }
            Action::DeleteGroup(member) => (
                &member.session,
                member.row().destroyed()?,
                format!("{} is in no group", member.who),
            ),
            Action::CreateView(view) => {
                let Subtree {
                    session,
                    view: name,
                    subtree,
                } = &view.subtree;
                let objects = view.subtree.row(&mib)?.created(view.cells()?)?;
                let verb = if view.excluded {
                    "excludes"
                } else {
                    "includes"
                };
                (session, objects, format!("view {name} {verb} {subtree}"))
            }
            Action::DeleteView(subtree) => (
                &subtree.session,
                subtree.row(&mib)?.destroyed()?,
                format!("view {} says nothing of {}", subtree.view, subtree.subtree),
            ),
            Action::CreateAccess(access) => {
                let objects = access.right.row().created(access.cells())?;
                let outcome = format!("group {} has access", access.right.group);
                (&access.right.session, objects, outcome)
            }
            Action::DeleteAccess(right) => (
                &right.session,
                right.row().destroyed()?,
                format!("group {} has no access by this rule", right.group),
            ),
        };
        let response = session::open(arguments)?.request(Command::Set(&objects))?;
        if response.error_status != ErrorStatus::NoError {
            let names = objects.iter().map(|object| &object.name);
            let options = OutputOptions::default();
            let text = session::error_text(arguments, &mib, &options, &response, names);
            return Err(Failure::ErrorStatus(text));
        }
        writeln!(std::io::stdout(), "{}: {outcome}", arguments.target)?;
        Ok(())
    }
}
