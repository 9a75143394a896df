//! Access rights on an agent, by SET requests to the tables of the view-based access control model (RFC 3415).

use std::io::Write;

use clap::{Args, Subcommand, ValueEnum};
use varbind::codec::pdu::ErrorStatus;
use varbind::codec::smi::{Oid, Value, VarBind};
use varbind::engine::applications::command_generator::Command;
use varbind::engine::security::SecurityLevel;
use varbind_mib::{Mib, OutputOptions};
use varbind_terminal::{Failure, object_names};

use crate::arguments::{SessionArguments, security_level};
use crate::{credentials, fleet, session};

const AFTER: &str = "\
A user has the rights of its group; a group reads and writes what views contain:
  varbind vacm create-group -v3 -u ops router1 usm jo guests
  varbind vacm create-view -v3 -u ops router1 traffic ifTable
  varbind vacm create-access -v3 -u ops router1 guests --level authPriv --read traffic
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

/// vacmSecurityToGroupEntry, vacmAccessEntry, vacmViewTreeFamilyEntry.
const GROUP_ENTRY: &[u32] = &[1, 3, 6, 1, 6, 3, 16, 1, 2, 1];
const ACCESS_ENTRY: &[u32] = &[1, 3, 6, 1, 6, 3, 16, 1, 4, 1];
const VIEW_ENTRY: &[u32] = &[1, 3, 6, 1, 6, 3, 16, 1, 5, 2, 1];

const CREATE_AND_GO: i32 = 4;
const DESTROY: i32 = 6;

/// A row: its table, its index, and the column of its RowStatus.
struct Row {
    entry: &'static [u32],
    index: Vec<u32>,
    status: u32,
}

impl Row {
    fn object(&self, column: u32, value: Value) -> Result<VarBind, Failure> {
        let name = Oid::new(&[self.entry, &[column], &self.index].concat());
        let name = name.map_err(|error| Failure::Usage(error.to_string()))?;
        Ok(VarBind::new(name, value))
    }

    fn created(&self, cells: Vec<(u32, Value)>) -> Result<Vec<VarBind>, Failure> {
        let mut objects = vec![self.object(self.status, Value::Integer(CREATE_AND_GO))?];
        for (column, value) in cells {
            objects.push(self.object(column, value)?);
        }
        Ok(objects)
    }

    fn destroyed(&self) -> Result<Vec<VarBind>, Failure> {
        Ok(vec![self.object(self.status, Value::Integer(DESTROY))?])
    }
}

/// Octets with their number in front, as they stand in an index.
fn counted(index: &mut Vec<u32>, octets: &[u8]) {
    index.push(u32::try_from(octets.len()).unwrap_or(u32::MAX));
    index.extend(octets.iter().copied().map(u32::from));
}

fn text(text: &str) -> Value {
    Value::OctetString(text.as_bytes().to_vec())
}

impl Member {
    fn row(&self) -> Row {
        let mut index = vec![self.model as u32];
        counted(&mut index, self.who.as_bytes());
        Row {
            entry: GROUP_ENTRY,
            index,
            status: 5,
        }
    }
}

impl Subtree {
    fn row(&self, mib: &Mib) -> Result<Row, Failure> {
        let subtree = object_names::name(mib, &self.subtree)?;
        let mut index = Vec::new();
        counted(&mut index, self.view.as_bytes());
        index.push(u32::try_from(subtree.arcs().len()).unwrap_or(u32::MAX));
        index.extend_from_slice(subtree.arcs());
        Ok(Row {
            entry: VIEW_ENTRY,
            index,
            status: 6,
        })
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
        let mut index = Vec::new();
        counted(&mut index, self.group.as_bytes());
        counted(&mut index, self.in_context.as_bytes());
        index.push(self.model as u32);
        index.push(match self.level {
            SecurityLevel::NoAuthNoPriv => 1,
            SecurityLevel::AuthNoPriv => 2,
            SecurityLevel::AuthPriv => 3,
        });
        Row {
            entry: ACCESS_ENTRY,
            index,
            status: 9,
        }
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
        let (arguments, objects, told) = match &self.action {
            Action::CreateGroup(group) => {
                let member = &group.member;
                let objects = member.row().created(vec![(3, text(&group.group))])?;
                let told = format!("{} is in group {}", member.who, group.group);
                (&member.session, objects, told)
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
                let told = format!("group {} has access", access.right.group);
                (&access.right.session, objects, told)
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
        writeln!(std::io::stdout(), "{}: {told}", arguments.target)?;
        Ok(())
    }
}
