use std::ops::{Deref, DerefMut};

use clap::builder::Resettable;
use clap::{ArgMatches, Args, Command, Error, FromArgMatches};

use crate::arguments::with_examples;

/// The arguments of a command. clap defines them when the command is named, or when all are shown: to define those of every
/// command takes longer than most requests.
#[derive(Debug)]
pub(crate) struct Deferred<A>(Box<A>);

impl<A> Deref for Deferred<A> {
    type Target = A;

    fn deref(&self) -> &A {
        &self.0
    }
}

impl<A> DerefMut for Deferred<A> {
    fn deref_mut(&mut self) -> &mut A {
        &mut self.0
    }
}

impl<A: Args> Args for Deferred<A> {
    fn augment_args(command: Command) -> Command {
        command.defer(|command| define(command, A::augment_args))
    }

    fn augment_args_for_update(command: Command) -> Command {
        command.defer(|command| define(command, A::augment_args_for_update))
    }
}

/// Adds arguments to a command. What the command is about stays: groups of arguments have a description too.
fn define(command: Command, augment: fn(Command) -> Command) -> Command {
    let about = command.get_about().cloned();
    let long_about = command.get_long_about().cloned();
    with_examples(augment(command))
        .about(Resettable::from(about))
        .long_about(Resettable::from(long_about))
}

impl<A: FromArgMatches> FromArgMatches for Deferred<A> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        A::from_arg_matches(matches).map(Box::new).map(Self)
    }

    fn from_arg_matches_mut(matches: &mut ArgMatches) -> Result<Self, Error> {
        A::from_arg_matches_mut(matches).map(Box::new).map(Self)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        self.0.update_from_arg_matches(matches)
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn commands_keep_their_descriptions_when_they_are_defined() {
        let named = crate::command::definition();
        let mut defined = named.clone();
        defined.build();
        for command in named.get_subcommands() {
            let name = command.get_name();
            let about = |command: &clap::Command| command.get_about().map(ToString::to_string);
            let built = defined.find_subcommand(name).and_then(about);
            assert_eq!(built, about(command), "{name}");
        }
    }
}
