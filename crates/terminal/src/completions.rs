//! Completions for shells: the commands and options as clap writes them, and words that the program itself knows.

use std::io::Write;

use clap::{Args, Command};
use clap_complete::Shell;

use crate::Failure;

/// What `completions` takes.
#[derive(Args, Debug)]
pub struct CompletionsArguments {
    /// The shell
    shell: Shell,
}

/// The hidden command that the scripts run: `PROGRAM complete-words LINE` writes the words that the last one of a line may become,
/// one on each line.
pub const WORDS_COMMAND: &str = "complete-words";

impl CompletionsArguments {
    /// Writes the script for a program to standard output.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn run(&self, mut definition: Command) -> Result<(), Failure> {
        let program = definition.get_name().to_owned();
        let knows_words = definition.find_subcommand(WORDS_COMMAND).is_some();
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut definition, &program, &mut script);
        if knows_words {
            let text = String::from_utf8_lossy(&script);
            script = with_words(self.shell, &text, &program).into_bytes();
        }
        std::io::stdout().write_all(&script)?;
        Ok(())
    }
}

/// bash splits words at colons and `@`, and completes what is behind the last one.
const BASH: &str = r#"
_PROGRAM_words() {
    local IFS=$'\n'
    local line=${COMP_LINE:0:COMP_POINT} breaks=${COMP_WORDBREAKS//[!:@=]/} word
    COMPREPLY=($("${COMP_WORDS[0]}" complete-words "$line" 2>/dev/null))
    if (( ${#COMPREPLY[@]} == 0 )); then
        IFS=$' \t\n'
        _PROGRAM "$@"
        return
    fi
    word=${line##*[[:space:]]}
    if [[ -n $breaks && $word == *[$breaks]* ]]; then
        word=${word%"${word##*[$breaks]}"}
        COMPREPLY=("${COMPREPLY[@]#"$word"}")
    fi
}
complete -F _PROGRAM_words -o bashdefault -o default PROGRAM
"#;

const ZSH: &str = r#"
_PROGRAM() {
    local -a found
    found=("${(@f)$("${words[1]}" complete-words "${(j: :)words[1,CURRENT]}" 2>/dev/null)}")
    if [[ -n ${found[1]} ]]; then
        compadd -a found
    else
        _PROGRAM_commands_and_options "$@"
    fi
}

"#;

const FISH: &str = "
complete -c PROGRAM -a '(PROGRAM complete-words (commandline -cp) 2>/dev/null)'
complete -c PROGRAM -s u -l user -x -a '(PROGRAM complete-words (commandline -cp) 2>/dev/null)'
";

/// The script with what the program knows itself.
fn with_words(shell: Shell, script: &str, program: &str) -> String {
    let addition = |text: &str| text.replace("PROGRAM", program);
    match shell {
        Shell::Bash => format!("{script}{}", addition(BASH)),
        Shell::Fish => format!("{script}{}", addition(FISH)),
        Shell::Zsh => {
            let function = format!("\n_{program}() {{");
            let renamed = format!("\n_{program}_commands_and_options() {{");
            let script = script.replace(&function, &renamed);
            // What is last decides whether the file is loaded or run.
            match script.rfind("\nif [ \"$funcstack[1]\"") {
                Some(end) => {
                    let (functions, last) = script.split_at(end);
                    format!(
                        "{functions}\n{}{}",
                        addition(ZSH).trim_start(),
                        last.trim_start()
                    )
                }
                None => script,
            }
        }
        _ => script.to_owned(),
    }
}
