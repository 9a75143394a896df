use std::ops::Deref;

use clap::{ArgMatches, Args, Command, Error, FromArgMatches};

use crate::arguments::shorten;

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

impl<A: Args> Args for Deferred<A> {
    fn augment_args(command: Command) -> Command {
        command.defer(|command| shorten(A::augment_args(command)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        command.defer(|command| shorten(A::augment_args_for_update(command)))
    }
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
