//! snmpusm.

use varbind::codec::smi::{Oid, Value, VarBind};
use varbind::engine::applications::command_generator::Command;
use varbind::engine::engine_id::EngineId;
use varbind::engine::security::usm::Password;
use varbind_terminal::Failure;

use super::command_line::{CommandLine, unknown_own_letter};
use super::console::Console;
use super::names::Names;
use super::session::Session;
use super::tool::Call;
use super::{Ended, FAILED, Stop};
use crate::command::usm::{Change, Column, Protocols, RowStatus, UserKeys};

/// The letters behind `-C`.
#[derive(Default)]
struct Letters {
    authentication: bool,
    privacy: bool,
    wait: bool,
    engine: Option<EngineId>,
    public: Option<String>,
}

const ENGINE_ID: &[u32] = &[1, 3, 6, 1, 6, 3, 10, 2, 1, 1, 0];

impl Letters {
    fn read(call: &Call, console: &mut Console) -> Result<(CommandLine, Self), Stop> {
        let mut own = Self::default();
        let line = CommandLine::read(call, console, &mut |letters, words, console| {
            for letter in letters.chars() {
                match letter {
                    'a' => own.authentication = true,
                    'x' => own.privacy = true,
                    'w' => own.wait = true,
                    'p' => own.public = words.take_word(),
                    'E' => {
                        let text = words.take_word().unwrap_or_default();
                        let Ok(engine) = format!("0x{}", text.trim_start_matches("0x")).parse()
                        else {
                            console.error("Bad usmUserEngineID value after -CE option.\n");
                            return Err(Stop::Exit(FAILED));
                        };
                        own.engine = Some(engine);
                    }
                    letter => return Err(unknown_own_letter(letter, console)),
                }
            }
            Ok(())
        })?;
        Ok((line, own))
    }
}

pub(super) fn run(call: &Call, console: &mut Console) -> Ended {
    let (line, letters) = Letters::read(call, console)?;
    if line.operands.is_empty() {
        return Err(Stop::Usage(
            "Please specify an operation to perform.\n".to_owned(),
        ));
    }
    let mut names = Names::new(&line.mib, &line.input);
    let mut session = Session::open(call, &line, &mut names, console)?;
    let engine = match letters.engine {
        Some(engine) => engine,
        None => match probe(&mut session) {
            Ok(Some(engine)) => engine,
            Ok(None) => return Ok(FAILED),
            Err(lost) => return Ok(session.print_lost(&lost, &mut names, console)),
        },
    };
    let words: Vec<&str> = line.operands.iter().map(String::as_str).collect();
    let (mut objects, done) = objects(&line, &letters, &engine, &words)?;
    if let Some(public) = &letters.public {
        let user = line.user.name().unwrap_or_default();
        let value = Value::OctetString(public.as_bytes().to_vec());
        objects.push(VarBind::new(cell(Column::Public, &engine, user)?, value));
    }
    let (_, is_done) = session.set(&objects, &line, &mut names, console);
    if is_done {
        console.print(&format!("{done}\n"))?;
    }
    // As there, whatever the agent says.
    Ok(0)
}

/// The engine that the session speaks to.
fn probe(session: &mut Session) -> Result<Option<EngineId>, super::session::Lost> {
    let Ok(name) = Oid::new(ENGINE_ID) else {
        return Ok(None);
    };
    let response = session.request(Command::Get(&[name]))?;
    let reported = match response.var_binds.first().map(|object| &object.value) {
        Some(Value::OctetString(octets)) => EngineId::new(octets).ok(),
        _ => None,
    };
    Ok(session.remote_engine().or(reported))
}

fn cell(column: Column, engine: &EngineId, user: &str) -> Result<Oid, Stop> {
    column
        .cell(engine, user)
        .map_err(|failure| Stop::Usage(format!("{failure}\n")))
}

/// What an operation sends, and what is told when it is done.
fn objects(
    line: &CommandLine,
    letters: &Letters,
    engine: &EngineId,
    words: &[&str],
) -> Result<(Vec<VarBind>, &'static str), Stop> {
    let status = |user: &str, status: RowStatus| -> Result<VarBind, Stop> {
        let name = cell(Column::Status, engine, user)?;
        Ok(VarBind::new(name, Value::Integer(status as i32)))
    };
    let clone = |user: &str, from: &str| -> Result<VarBind, Stop> {
        let template = cell(Column::SecurityName, engine, from)?;
        let name = cell(Column::CloneFrom, engine, user)?;
        Ok(VarBind::new(name, Value::from(&template)))
    };
    let first = match letters.wait {
        true => RowStatus::CreateAndWait,
        false => RowStatus::CreateAndGo,
    };
    let wrong = |text: &str| Err(Stop::Usage(format!("{text}\n")));
    Ok(match *words {
        ["create", user] => (
            vec![status(user, RowStatus::CreateAndWait)?],
            "User successfully created.",
        ),
        ["create", user, from, ..] => (
            vec![status(user, first)?, clone(user, from)?],
            "User successfully created.",
        ),
        ["cloneFrom", user, from, ..] => (
            vec![status(user, RowStatus::Active)?, clone(user, from)?],
            "User successfully cloned.",
        ),
        ["delete", user, ..] => (
            vec![status(user, RowStatus::Destroy)?],
            "User successfully deleted.",
        ),
        ["activate", user, ..] => (
            vec![status(user, RowStatus::Active)?],
            "User successfully activated.",
        ),
        ["deactivate", user, ..] => (
            vec![status(user, RowStatus::NotInService)?],
            "User successfully deactivated.",
        ),
        ["passwd", old, new, ref user @ ..] => (
            key_changes(line, letters, engine, (old, new, user.first().copied()))?,
            "SNMPv3 Key(s) successfully changed.",
        ),
        ["create"] => return wrong("You must specify the user name to create"),
        ["cloneFrom"] => return wrong("You must specify the user name to operate on"),
        ["cloneFrom", _] => return wrong("You must specify the user name to clone from"),
        [operation @ ("delete" | "activate" | "deactivate")] => {
            return wrong(&format!("You must specify the user name to {operation}"));
        }
        ["passwd", ..] => {
            return wrong("New passphrase must be greater than 8 characters in length.");
        }
        _ => return wrong("Unknown command"),
    })
}

/// The objects that change the keys of a user from those of one password to those of another.
fn key_changes(
    line: &CommandLine,
    letters: &Letters,
    engine: &EngineId,
    (old, new, user): (&str, &str, Option<&str>),
) -> Result<Vec<VarBind>, Stop> {
    let password = |text: &str, which: &str| {
        Password::new(text.as_bytes().to_vec()).map_err(|_| {
            Stop::Usage(format!(
                "{which} passphrase must be greater than 8 characters in length.\n"
            ))
        })
    };
    let (new, old) = (password(new, "New")?, password(old, "Old")?);
    let both = !letters.authentication && !letters.privacy;
    let (authentication, privacy) = line.user.protocols();
    let protocols = Protocols {
        authentication: Some(authentication),
        privacy: Some(privacy),
    };
    let keys = |password: &Password| {
        let wanted = |is_wanted: bool| (both || is_wanted).then(|| password.clone());
        let passwords = (wanted(letters.authentication), wanted(letters.privacy));
        UserKeys::of_passwords(protocols, passwords, engine)
    };
    let usage = |failure: Failure| Stop::Usage(format!("{failure}\n"));
    let changes = Change::between(&keys(&old), &keys(&new), protocols).map_err(usage)?;
    let name = user.or(line.user.name()).unwrap_or_default();
    let objects = changes.into_iter().map(|change| {
        let column = change.column(user.is_none());
        let name = cell(column, engine, name)?;
        Ok(VarBind::new(name, Value::OctetString(change.octets)))
    });
    objects.collect()
}
