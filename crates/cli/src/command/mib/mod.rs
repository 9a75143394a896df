//! MIB modules: making catalogs of them, and what they tell.

mod compile;
mod lint;
mod list;
mod show;

use clap::{Args, Subcommand};
use varbind_terminal::Failure;

pub(super) use show::append_description;

#[derive(Args, Debug)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Read all MIB modules below directories, and keep what they define in a catalog
    Compile(compile::Arguments),
    /// Tell which modules are known
    List(list::Arguments),
    /// Tell what is known of an object, a textual convention or a module
    Show(show::Arguments),
    /// Tell what is wrong with files of MIB modules
    Lint(lint::Arguments),
}

impl Arguments {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        match &self.action {
            Action::Compile(arguments) => arguments.run(),
            Action::List(arguments) => arguments.run(),
            Action::Show(arguments) => arguments.run(),
            Action::Lint(arguments) => arguments.run(),
        }
    }
}
