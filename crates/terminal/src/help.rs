//! The short help of -h, with examples behind it.

use clap::Command;
use clap::builder::StyledStr;

/// What a command's -h shows besides its arguments.
#[derive(Debug)]
pub struct Page {
    /// The command.
    pub command: &'static str,
    /// Options of -h, by their names in the definition; --help has all.
    pub options: &'static [&'static str],
    /// Command lines, with what each does behind `#`.
    pub examples: &'static str,
}

impl Page {
    /// The page of a command.
    #[must_use]
    pub fn of<'p>(pages: &'p [Self], command: &str) -> Option<&'p Self> {
        pages.iter().find(|page| page.command == command)
    }

    /// Hides most options of its command from -h, and puts examples behind it.
    #[must_use]
    pub fn apply(&self, command: Command) -> Command {
        let more = command.get_after_help().map(StyledStr::to_string);
        let more_long = command.get_after_long_help().map(StyledStr::to_string);
        let examples = indented(self.examples);
        // The letters of types are half of what a command line of set says.
        let short = match (self.command, &more) {
            ("set", Some(more)) => format!("{more}\n\nExamples:\n{examples}"),
            _ => format!("Examples:\n{examples}"),
        };
        let long: Vec<String> = [more, more_long]
            .into_iter()
            .flatten()
            .chain([format!("Examples:\n{examples}")])
            .collect();
        command
            .mut_args(|argument| {
                let is_shown =
                    argument.is_positional() || self.options.contains(&argument.get_id().as_str());
                argument.hide_short_help(!is_shown)
            })
            .after_help(short)
            .after_long_help(long.join("\n\n"))
    }
}

fn indented(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| format!("  {line}")).collect();
    lines.join("\n")
}
