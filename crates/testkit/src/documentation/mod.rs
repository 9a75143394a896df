//! The pages of the documentation, and what tests check of them: links, headings, blocks of commands.

mod command_line;

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

pub use command_line::simple_commands;

/// The directory of the repository.
#[must_use]
pub fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().expect("the directory of the workspace")
}

/// A page in Markdown.
#[derive(Debug)]
pub struct Page {
    /// Its path below the repository.
    pub path: PathBuf,
    /// Its Markdown.
    pub text: String,
}

/// A block of code.
#[derive(Debug)]
pub struct Block {
    /// Page and line, for messages.
    pub place: String,
    /// The words behind the fence, as `console run`; none of an indented block.
    pub info: String,
    /// Its lines, without the indentation of the block.
    pub lines: Vec<String>,
}

/// A command of a block, and the output that the page shows.
#[derive(Debug, PartialEq, Eq)]
pub struct Command {
    /// The command line, without its prompt.
    pub line: String,
    /// The lines that follow it.
    pub output: Vec<String>,
}

/// A page that is made from the code is up to date. `make reference` writes it.
///
/// # Panics
///
/// If the page has another text.
pub fn assert_generated(page: &str, text: &str) {
    let file = root().join(page);
    if std::env::var_os("VARBIND_WRITE_REFERENCE").is_some() {
        fs::write(&file, text).expect("the page can be written");
    }
    let written = fs::read_to_string(&file).unwrap_or_default();
    let difference = (1..).zip(text.lines().zip(written.lines()));
    let mut differences = difference.filter(|(_, (new, old))| new != old);
    assert!(
        written == text,
        "{page} is out of date: run make reference. First difference: {:?}",
        differences.next()
    );
}

/// All pages: those of the repository's first directory and those below `docs`.
#[must_use]
pub fn pages() -> Vec<Page> {
    let root = root();
    let mut files: Vec<PathBuf> = markdown_in(&root);
    let mut directories = vec![root.join("docs")];
    while let Some(directory) = directories.pop() {
        files.extend(markdown_in(&directory));
        let entries = fs::read_dir(&directory).expect("a directory below docs");
        let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
        directories.extend(paths.filter(|path| path.is_dir()));
    }
    files.sort();
    let page = |file: PathBuf| Page {
        text: fs::read_to_string(&file).expect("a page"),
        path: file
            .strip_prefix(&root)
            .expect("a file below it")
            .to_owned(),
    };
    files.into_iter().map(page).collect()
}

fn markdown_in(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).expect("a directory of pages");
    let files = entries.filter_map(|entry| Some(entry.ok()?.path()));
    files
        .filter(|file| file.extension().is_some_and(|extension| extension == "md"))
        .collect()
}

impl Page {
    /// Its lines of prose, with their numbers; lines of code are left out.
    fn prose(&self) -> impl Iterator<Item = (usize, &str)> {
        let mut is_code = false;
        (1..).zip(self.text.lines()).filter(move |(_, line)| {
            let is_fence = line.trim_start().starts_with("```");
            is_code ^= is_fence;
            !is_code && !is_fence && !line.starts_with("    ")
        })
    }

    /// The anchors of its headings, as GitHub and mdBook make them.
    #[must_use]
    pub fn anchors(&self) -> HashSet<String> {
        let mut seen: HashMap<String, usize> = HashMap::new();
        let headings = self.prose().filter_map(|(_, line)| {
            let text = line.trim_start_matches('#');
            (text.len() < line.len() && text.starts_with(' ')).then(|| anchor(text))
        });
        headings
            .map(|anchor| {
                let count = seen.entry(anchor.clone()).or_default();
                *count += 1;
                match *count {
                    1 => anchor,
                    count => format!("{anchor}-{}", count - 1),
                }
            })
            .collect()
    }

    /// The targets of its links and images, with the numbers of their lines.
    #[must_use]
    pub fn links(&self) -> Vec<(usize, &str)> {
        let links_of = |(number, line)| {
            let parts = str::split(line, "](").skip(1);
            parts.filter_map(move |rest: &str| Some((number, rest.split_once(')')?.0)))
        };
        self.prose().flat_map(links_of).collect()
    }

    /// Its blocks of code, fenced or indented.
    #[must_use]
    pub fn blocks(&self) -> Vec<Block> {
        let mut blocks: Vec<Block> = Vec::new();
        let mut fence: Option<usize> = None;
        let mut was_indented = false;
        for (number, line) in (1..).zip(self.text.lines()) {
            let begin = |info: &str| Block {
                place: format!("{}:{number}", self.path.display()),
                info: info.to_owned(),
                lines: Vec::new(),
            };
            let trimmed = line.trim_start();
            if trimmed.starts_with("```") {
                was_indented = false;
                if fence.take().is_none() {
                    fence = Some(line.len() - trimmed.len());
                    blocks.push(begin(trimmed.trim_start_matches('`').trim()));
                }
            } else if let (Some(indent), Some(block)) = (fence, blocks.last_mut()) {
                block
                    .lines
                    .push(line.get(indent..).unwrap_or("").to_owned());
            } else if let Some(code) = line.strip_prefix("    ") {
                if !was_indented {
                    blocks.push(begin(""));
                }
                was_indented = true;
                blocks
                    .last_mut()
                    .expect("a block")
                    .lines
                    .push(code.to_owned());
            } else {
                was_indented = false;
            }
        }
        blocks
    }
}

/// A heading as GitHub and mdBook make an anchor of it.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().to_lowercase();
    let kept = kept.chars().filter_map(|character| match character {
        ' ' => Some('-'),
        '-' | '_' => Some(character),
        character => character.is_alphanumeric().then_some(character),
    });
    kept.collect()
}

impl Block {
    /// The value of a word behind the fence: `run=3` has the value 3 for `run`, and `run` has an empty one.
    #[must_use]
    pub fn mark(&self, name: &str) -> Option<&str> {
        let words = self.info.split_whitespace().skip(1);
        let mut marks = words.map(|word| word.split_once('=').unwrap_or((word, "")));
        marks.find_map(|(word, value)| (word == name).then_some(value))
    }

    /// Its commands: lines behind `$ ` or `# `, with the lines behind `> ` that go on. In a block without a language, the
    /// lines that begin with `varbind`; other languages have none.
    #[must_use]
    pub fn commands(&self) -> Vec<Command> {
        match self.info.split_whitespace().next() {
            Some("console") => {}
            Some(_) => return Vec::new(),
            None => {
                let lines = self
                    .lines
                    .iter()
                    .filter(|line| line.starts_with("varbind "));
                return lines.map(|line| Command::new(line)).collect();
            }
        }
        let mut commands: Vec<Command> = Vec::new();
        for line in &self.lines {
            let start = line.strip_prefix("$ ").or_else(|| line.strip_prefix("# "));
            match (start, commands.last_mut()) {
                (Some(start), _) => commands.push(Command::new(start)),
                (None, Some(command)) if command.goes_on(line) => {
                    let more = line.strip_prefix('>').unwrap_or(line);
                    let more = more.strip_prefix(' ').unwrap_or(more);
                    command.line = format!("{}\n{more}", command.line);
                }
                (None, Some(command)) => command.output.push(line.clone()),
                (None, None) => {}
            }
        }
        commands
    }
}

impl Command {
    fn new(line: &str) -> Self {
        Self {
            line: line.to_owned(),
            output: Vec::new(),
        }
    }

    fn goes_on(&self, line: &str) -> bool {
        self.output.is_empty() && (line.starts_with('>') || self.line.ends_with('\\'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(text: &str) -> Page {
        Page {
            path: "page.md".into(),
            text: text.to_owned(),
        }
    }

    #[test]
    fn anchors_are_those_of_github() {
        let page = page("# The `agent` (v1.2): here\n\n```\n# no heading\n```\n## Same\n## Same\n");
        let expected = ["the-agent-v12-here", "same", "same-1"];
        assert_eq!(page.anchors(), expected.map(str::to_owned).into());
    }

    #[test]
    fn links_in_code_are_left_out() {
        let page = page("a [b](c.md#d), ![e](f.svg)\n```\n[g](h)\n```\n");
        assert_eq!(page.links(), [(1, "c.md#d"), (1, "f.svg")]);
    }

    #[test]
    fn commands_have_continuations_and_output() {
        let text = "```console run=3\n$ for a in b; do\n>     c\n> done\nout\n# d \\\n  e\n```\n\n    varbind get x y\n    z\n";
        let blocks = page(text).blocks();
        let [fenced, indented] = &blocks[..] else {
            panic!("{blocks:?}");
        };
        assert_eq!(fenced.mark("run"), Some("3"));
        assert_eq!(indented.mark("run"), None);
        let commands = fenced.commands();
        assert_eq!(commands[0].line, "for a in b; do\n    c\ndone");
        assert_eq!(commands[0].output, ["out"]);
        assert_eq!(commands[1].line, "d \\\n e");
        assert_eq!(indented.commands(), [Command::new("varbind get x y")]);
    }
}
