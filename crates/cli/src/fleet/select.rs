//! The hosts that a command line names.

use varbind_inventory::{Error, Host, Inventory};
use varbind_terminal::{Failure, print_message};

use super::layer::{Layers, fill};
use crate::arguments::SessionArguments;

impl From<Error> for SelectionFailure {
    fn from(error: Error) -> Self {
        Self(Failure::Usage(error.to_string()))
    }
}

/// A failure that is the user's to correct.
struct SelectionFailure(Failure);

/// Takes further selections from the front of the words behind the target: `get @routers @switches sysUpTime.0`.
pub(crate) fn take_selections(arguments: &mut SessionArguments, words: &mut Vec<String>) {
    if !arguments.target.is_selection() {
        return;
    }
    let count = words
        .iter()
        .take_while(|word| word.starts_with('@'))
        .count();
    for word in words.drain(..count) {
        arguments.target.text.push(',');
        arguments.target.text.push_str(&word);
    }
}

/// Finds the hosts of a selection, or the settings of a host that the inventory has. Any other target stays as it is.
pub(crate) fn find_hosts(arguments: &mut SessionArguments) -> Result<(), Failure> {
    find(arguments).map_err(|SelectionFailure(failure)| failure)
}

/// Finds the settings of a host that the inventory has, for a command that is about one host.
pub(crate) fn find_one_host(arguments: &mut SessionArguments) -> Result<(), Failure> {
    if arguments.target.is_selection() {
        let target = &arguments.target.text;
        return Err(Failure::Usage(format!(
            "{target}: this command is about one host; name it"
        )));
    }
    find_hosts(arguments)
}

/// The hosts of a target: those of a selection, or the one that it is, with the settings that hold for them.
pub(crate) fn select_all(arguments: &mut SessionArguments) -> Result<Vec<Host>, Failure> {
    if !arguments.target.is_selection() {
        // A list of one is a selection, too.
        arguments.target.text.push(',');
    }
    find_hosts(arguments)?;
    Ok(arguments.selected.take().unwrap_or_default())
}

fn find(arguments: &mut SessionArguments) -> Result<(), SelectionFailure> {
    let inventory = match arguments.inventory.files.as_slice() {
        [] => Inventory::of_user()?,
        files => Inventory::read(files)?,
    };
    if arguments.target.is_selection() {
        for warning in inventory.warnings() {
            print_message(format_args!("varbind: warning: {warning}"));
        }
        let hosts = inventory.select([&arguments.target.text])?;
        let layers = Layers::new(arguments).map_err(SelectionFailure)?;
        arguments.selected = Some(layers.apply(hosts));
        return Ok(());
    }
    if let Some(host) = inventory.host(&arguments.target.text) {
        fill(arguments, host, varbind_inventory::SecretSource::read).map_err(SelectionFailure)?;
    }
    Ok(())
}
