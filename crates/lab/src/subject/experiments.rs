//! What only builds with the feature `experiments` measure, of this program and of varbind.

use std::borrow::Cow;
use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// Whether this build has them.
pub(crate) const HAS_EXPERIMENTS: bool = cfg!(feature = "experiments");

/// Why a task is not measured that this build has not.
pub(crate) const NO_EXPERIMENTS: &str =
    "this program has no experiments: build it and varbind with the feature experiments";

/// Why a task is not measured that needs a varbind with experiments.
pub(crate) fn without_experiments(varbind: &Path) -> String {
    format!(
        "{} has no experiments: build it with the feature experiments",
        varbind.display()
    )
}

/// What makes sessions over SSH slow on purpose, as the agent's option `--ssh-handicap` takes it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SshHandicap(Cow<'static, str>);

impl SshHandicap {
    /// Sessions are as fast as they can be.
    pub const NONE: Self = Self(Cow::Borrowed("nagle=never"));

    /// A handicap as it is written in commands: `nagle=always,window=200,packets=each`.
    #[must_use]
    pub fn new(text: impl Into<Cow<'static, str>>) -> Self {
        Self(text.into())
    }

    /// As it is written in commands.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for SshHandicap {
    fn default() -> Self {
        Self::NONE
    }
}

impl fmt::Display for SshHandicap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
