//! Shell command lines, as far as the documentation has them.

/// Words that precede a command.
const PREFIXES: [&str; 7] = ["do", "then", "sudo", "exec", "!", "time", "{"];
/// Commands that run the command behind them, and how many words they take before it.
const WRAPPERS: [(&str, usize); 2] = [("taskset", 2), ("scripts/with-interfaces", 1)];

/// The words of each simple command of a line: without comments, redirections, assignments and what precedes a command.
#[must_use]
pub fn simple_commands(line: &str) -> Vec<Vec<String>> {
    let mut commands = vec![Vec::new()];
    let mut is_file = false;
    for token in tokens(line) {
        match token {
            Token::Word(_) if is_file => is_file = false,
            Token::Word(word) => commands.last_mut().expect("a command").push(word),
            Token::Redirection => is_file = true,
            Token::Separator => commands.push(Vec::new()),
        }
    }
    let commands = commands.into_iter().map(without_prefix);
    commands.filter(|words| !words.is_empty()).collect()
}

fn without_prefix(mut words: Vec<String>) -> Vec<String> {
    while let Some(first) = words.first() {
        let wrapper = WRAPPERS.iter().find(|(name, _)| name == first);
        let count = match wrapper {
            Some((_, arguments)) => 1 + arguments,
            None if PREFIXES.contains(&first.as_str()) || is_assignment(first) => 1,
            None => break,
        };
        words.drain(..count.min(words.len()));
    }
    words
}

fn is_assignment(word: &str) -> bool {
    let name = word.split_once('=').map_or("", |(name, _)| name);
    !name.is_empty() && name.chars().all(|c| c.is_ascii_uppercase() || c == '_')
}

enum Token {
    Word(String),
    Redirection,
    Separator,
}

fn tokens(line: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut word: Option<String> = None;
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\'' | '"' => {
                let word = word.get_or_insert_default();
                word.extend(characters.by_ref().take_while(|&other| other != character));
            }
            '\\' => match characters.next() {
                Some('\n') | None => {}
                Some(escaped) => word.get_or_insert_default().push(escaped),
            },
            '#' if word.is_none() => while characters.next_if(|&other| other != '\n').is_some() {},
            '|' | ';' | '&' | '\n' => {
                tokens.extend(word.take().map(Token::Word));
                tokens.push(Token::Separator);
            }
            '>' | '<' => {
                // The number of a descriptor is not a word.
                let descriptor = word.take();
                tokens.extend(descriptor.filter(|word| word != "2").map(Token::Word));
                while characters
                    .next_if(|&other| matches!(other, '>' | '<' | '&'))
                    .is_some()
                {}
                tokens.push(Token::Redirection);
            }
            character if character.is_whitespace() => tokens.extend(word.take().map(Token::Word)),
            character => word.get_or_insert_default().push(character),
        }
    }
    tokens.extend(word.map(Token::Word));
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_split_as_a_shell_does() {
        for (line, expected) in [
            ("varbind get a b # c", &["varbind get a b"][..]),
            (
                "varbind set a b s 'c d' > e 2>&1",
                &["varbind set a b s c d"],
            ),
            ("a | b && c; d &", &["a", "b", "c", "d"]),
            ("X=1 sudo taskset -c 0 varbind agent", &["varbind agent"]),
            (
                "for h in x y; do\nvarbind pki issue agent \"$h\"\ndone",
                &["for h in x y", "varbind pki issue agent $h", "done"],
            ),
            ("varbind get \\\nx y", &["varbind get x y"]),
        ] {
            let joined: Vec<_> = simple_commands(line)
                .iter()
                .map(|words| words.join(" "))
                .collect();
            assert_eq!(joined, expected, "{line}");
        }
    }
}
