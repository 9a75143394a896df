//! Options as getopt(3) reads them: letters that can be joined, and operands between options.

/// What comes next on a command line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Item {
    /// An option, with its argument if it takes one.
    Option(char, String),
    /// A letter that is not known.
    Unknown(char),
    /// An option that ends the command line, without the argument that it takes.
    NoArgument(char),
}

/// Words, and how far they are read.
#[derive(Debug)]
pub(super) struct GetOpt<'w> {
    words: &'w [String],
    /// Known letters; those that take an argument have a colon behind.
    letters: String,
    /// Whether options end at the first operand.
    is_strict: bool,
    next: usize,
    /// The letters of the present word that are not read yet.
    rest: &'w str,
    operands: Vec<String>,
}

impl<'w> GetOpt<'w> {
    pub(super) fn new(words: &'w [String], letters: &str, is_strict: bool) -> Self {
        Self {
            words,
            letters: letters.to_owned(),
            is_strict,
            next: 0,
            rest: "",
            operands: Vec::new(),
        }
    }

    /// The next option; `None` at the end.
    pub(super) fn next_item(&mut self) -> Option<Item> {
        while self.rest.is_empty() {
            let word = self.words.get(self.next)?;
            match word.strip_prefix('-') {
                Some("-") => {
                    self.next += 1;
                    return None;
                }
                Some(rest) if !rest.is_empty() => {
                    self.next += 1;
                    self.rest = rest;
                }
                _ if self.is_strict => return None,
                _ => {
                    self.operands.push(word.clone());
                    self.next += 1;
                }
            }
        }
        let letter = self.rest.chars().next()?;
        self.rest = self.rest.get(letter.len_utf8()..).unwrap_or_default();
        let known = self.letters.find(letter).filter(|_| letter != ':');
        let Some(at) = known else {
            return Some(Item::Unknown(letter));
        };
        let behind = self.letters.get(at + letter.len_utf8()..);
        if !behind.is_some_and(|behind| behind.starts_with(':')) {
            return Some(Item::Option(letter, String::new()));
        }
        let attached = std::mem::take(&mut self.rest);
        if !attached.is_empty() {
            return Some(Item::Option(letter, attached.to_owned()));
        }
        Some(match self.take_word() {
            Some(word) => Item::Option(letter, word),
            None => Item::NoArgument(letter),
        })
    }

    /// The next word, whatever it is: letters within an argument take arguments of their own.
    pub(super) fn take_word(&mut self) -> Option<String> {
        let word = self.words.get(self.next)?;
        self.next += 1;
        Some(word.clone())
    }

    /// All words that are no options.
    pub(super) fn into_operands(mut self) -> Vec<String> {
        let rest = self.words.get(self.next..).unwrap_or_default();
        self.operands.extend_from_slice(rest);
        self.operands
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str, is_strict: bool) -> (Vec<Item>, String) {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let mut options = GetOpt::new(&words, "v:dc:-:", is_strict);
        let items = std::iter::from_fn(|| options.next_item()).collect();
        (items, options.into_operands().join(" "))
    }

    #[test]
    fn options_are_found_between_operands() {
        let option = |letter, text: &str| Item::Option(letter, text.to_owned());
        assert_eq!(
            read("-v2c host -dc public - oid --help", false),
            (
                vec![
                    option('v', "2c"),
                    option('d', ""),
                    option('c', "public"),
                    option('-', "help")
                ],
                "host - oid".to_owned()
            )
        );
        assert_eq!(
            read("-d host -5", true),
            (vec![option('d', "")], "host -5".to_owned())
        );
        assert_eq!(read("-- -d", false), (Vec::new(), "-d".to_owned()));
        assert_eq!(read("-K", false).0, [Item::Unknown('K')]);
        assert_eq!(read("-c", false).0, [Item::NoArgument('c')]);
    }
}
