//! snmpvacm.

use varbind::codec::smi::{Value, VarBind};
use varbind_terminal::Failure;

use super::command_line::{CommandLine, unknown_own_letter};
use super::console::Console;
use super::names::Names;
use super::session::Session;
use super::tool::Call;
use super::{Ended, FAILED, Stop};
use crate::command::VacmRow;

/// What one of the operations sends, and what is told when it is done.
struct Change {
    objects: Result<Vec<VarBind>, Failure>,
    done: &'static str,
}

pub(super) fn run(call: &Call, console: &mut Console) -> Ended {
    let mut is_excluded = false;
    let line = CommandLine::read(call, console, &mut |letters, _, console| {
        for letter in letters.chars() {
            match letter {
                'e' => is_excluded = true,
                letter => return Err(unknown_own_letter(letter, console)),
            }
        }
        Ok(())
    })?;
    if line.operands.is_empty() {
        return Err(Stop::Usage(
            "Please specify an operation to perform.\n".to_owned(),
        ));
    }
    let mut names = Names::new(&line.mib, &line.input);
    let mut session = Session::open(call, &line, &mut names, console)?;
    let words: Vec<&str> = line.operands.iter().map(String::as_str).collect();
    let change = match change(&words, is_excluded, &mut names) {
        Ok(change) => change,
        Err(Wrong { text, has_usage }) => {
            console.print(&text)?;
            return Err(match has_usage {
                true => Stop::Usage(String::new()),
                false => Stop::Exit(FAILED),
            });
        }
    };
    let Ok(objects) = change.objects else {
        return Ok(FAILED);
    };
    let (code, is_done) = session.set(&objects, &line, &mut names, console);
    if is_done {
        console.error(&format!("{}\n", change.done));
    }
    Ok(code)
}

/// What is wrong with the words, which goes to standard output there.
struct Wrong {
    text: String,
    has_usage: bool,
}

impl Wrong {
    fn new(text: &str) -> Self {
        Self {
            text: format!("{text}\n"),
            has_usage: text != MASK,
        }
    }
}

fn change(words: &[&str], is_excluded: bool, names: &mut Names<'_>) -> Result<Change, Wrong> {
    match *words {
        ["createSec2Group" | "deleteSec2Group", ..] => group(words),
        ["createView" | "deleteView", ..] => view(words, is_excluded, names),
        ["createAccess" | "deleteAccess", ..] => access(words),
        _ => Err(Wrong::new("Unknown command")),
    }
}

fn number(text: &str, what: &str) -> Result<u32, Wrong> {
    text.parse()
        .map_err(|_| Wrong::new(&format!("invalid {what}")))
}

fn group(words: &[&str]) -> Result<Change, Wrong> {
    Ok(match *words {
        ["createSec2Group", model, name, group] => Change {
            objects: VacmRow::group(number(model, "security model")?, name)
                .created(vec![(3, text(group))]),
            done: "Sec2group successfully created.",
        },
        ["deleteSec2Group", model, name] => Change {
            objects: VacmRow::group(number(model, "security model")?, name).destroyed(),
            done: "Sec2group successfully deleted.",
        },
        _ => return Err(Wrong::new("You must specify model, name and group")),
    })
}

fn view(words: &[&str], is_excluded: bool, names: &mut Names<'_>) -> Result<Change, Wrong> {
    Ok(match *words {
        ["createView", view, subtree, ref mask @ ..] if mask.len() < 2 => {
            let root = names.read(subtree).ok_or_else(|| unreadable(subtree))?;
            let mask = match mask {
                [mask] => octets(mask).ok_or_else(|| Wrong::new(MASK))?,
                _ => Vec::new(),
            };
            let kind = if is_excluded { 2 } else { 1 };
            let cells = vec![(3, Value::OctetString(mask)), (4, Value::Integer(kind))];
            Change {
                objects: VacmRow::view(view, &root).created(cells),
                done: "View successfully created.",
            }
        }
        ["deleteView", view, subtree] => {
            let root = names.read(subtree).ok_or_else(|| unreadable(subtree))?;
            Change {
                objects: VacmRow::view(view, &root).destroyed(),
                done: "View successfully deleted.",
            }
        }
        _ => return Err(Wrong::new("You must specify name, subtree and mask")),
    })
}

fn access(words: &[&str]) -> Result<Change, Wrong> {
    let row = |group: &str, context: &[&str], model: &str, level: &str| {
        let context = context.first().copied().unwrap_or_default();
        let (model, level) = (
            number(model, "security model")?,
            number(level, "security level")?,
        );
        Ok(VacmRow::access(group, context, model, level))
    };
    Ok(match *words {
        [
            "createAccess",
            group,
            ref context @ ..,
            model,
            level,
            matching,
            read,
            write,
            notify,
        ] if context.len() < 2 => {
            let matching = number(matching, "contextMatch")?;
            let cells = vec![
                (
                    4,
                    Value::Integer(i32::try_from(matching).unwrap_or(i32::MAX)),
                ),
                (5, text(read)),
                (6, text(write)),
                (7, text(notify)),
            ];
            Change {
                objects: row(group, context, model, level)?.created(cells),
                done: "Access successfully created.",
            }
        }
        ["deleteAccess", group, ref context @ .., model, level] if context.len() < 2 => Change {
            objects: row(group, context, model, level)?.destroyed(),
            done: "Access successfully deleted.",
        },
        _ => return Err(Wrong::new("You must specify group, model, level and views")),
    })
}

const MASK: &str = "invalid MASK";

fn unreadable(subtree: &str) -> Wrong {
    Wrong {
        text: format!("Error parsing subtree ({subtree})\n"),
        has_usage: false,
    }
}

fn text(text: &str) -> Value {
    Value::OctetString(text.as_bytes().to_vec())
}

/// The octets of a mask: two digits for each, with colons or dots between.
fn octets(mask: &str) -> Option<Vec<u8>> {
    let parts = mask.split([':', '.']);
    parts
        .map(|part| u8::from_str_radix(part, 16).ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use varbind_mib::Mib;

    use super::super::names::InputOptions;
    use super::*;

    #[test]
    fn operations_become_rows() {
        let mib = Mib::builtin();
        let mut names = Names::new(&mib, &InputOptions::default());
        for (line, count) in [
            ("createSec2Group 3 jo guests", 2),
            ("deleteSec2Group 3 jo", 1),
            ("createView all .1.3 ff:a0", 3),
            ("createView all .1.3", 3),
            ("createAccess guests 3 1 1 all none none", 5),
            ("createAccess guests context 3 1 1 all none none", 5),
            ("deleteAccess guests 3 1", 1),
        ] {
            let words: Vec<&str> = line.split(' ').collect();
            let Ok(change) = change(&words, false, &mut names) else {
                panic!("{line}");
            };
            assert_eq!(change.objects.unwrap().len(), count, "{line}");
        }
        for line in ["createView all", "createSec2Group x jo guests", "nonsense"] {
            let words: Vec<&str> = line.split(' ').collect();
            assert!(change(&words, false, &mut names).is_err(), "{line}");
        }
    }
}
