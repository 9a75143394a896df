//! Modules in SMIv1 and SMIv2 to catalogs.

mod definition;
mod files;
mod front;
mod problem;
mod repeated;
mod search_path;
mod standard;
mod strings;
mod write;

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Write};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;

pub use problem::{Problem, Severity};
pub use search_path::{Found, SearchPath, SearchPathError};

use definition::ModuleFacts;
use files::{Depth, Files};
use front::{Report, Settings};

/// So many modules are read at once: reading keeps a hundred times the memory of what is written in the end.
const BATCH: usize = 250;

/// What is compiled.
#[derive(Clone, Debug)]
pub struct CompileOptions {
    /// Directories. Of a module that several files have, that of the first directory counts, and within one the newest.
    pub directories: Vec<PathBuf>,
    /// Whether directories below them are read too.
    pub is_recursive: bool,
    /// Whether names that a module does not import are looked for in all modules. Without it, only usual mistakes are
    /// put right.
    pub is_permissive: bool,
}

/// How far it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompileProgress {
    /// Modules that were read.
    pub done: usize,
    /// Modules in all.
    pub total: usize,
}

/// A catalog, and what was wrong with the modules.
#[derive(Debug)]
pub struct Compilation {
    /// The catalog, for [`Catalog::from_words`](crate::Catalog::from_words) or [`Compilation::write`].
    pub words: Vec<u32>,
    /// Modules in the catalog.
    pub modules: usize,
    /// Objects in the catalog.
    pub objects: usize,
    /// What was wrong, by file and line.
    pub problems: Vec<Problem>,
}

/// Why nothing was compiled.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompileError {
    /// A directory that was named cannot be read.
    #[error("{path} cannot be read: {error}")]
    Unreadable {
        /// The directory.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// No file below the directories has a module.
    #[error("no file there has a MIB module")]
    NoModules,
    /// More than a catalog can hold (4 GiB of names, or of descriptions).
    #[error("the modules are too many for one catalog; name fewer directories")]
    TooLarge,
}

/// Reads all modules below directories, and makes a catalog of them.
///
/// # Errors
/// When a directory cannot be read, or there is no module. What is wrong with single files is in
/// [`Compilation::problems`] and costs no other file anything.
pub fn compile(
    options: &CompileOptions,
    progress: impl FnMut(CompileProgress),
) -> Result<Compilation, CompileError> {
    let depth = match options.is_recursive {
        true => Depth::Recursive,
        false => Depth::Flat,
    };
    let mut files = Files::in_directories(&options.directories, depth);
    let mut problems = Vec::new();
    for (path, error) in std::mem::take(&mut files.unreadable) {
        if options.directories.contains(&path) {
            return Err(CompileError::Unreadable { path, error });
        }
        problems.push(unreadable(path, &error));
    }
    let settings = Settings {
        is_permissive: options.is_permissive,
        report: Report::Losses,
    };
    let files = Arc::new(files);
    let (modules, more) = load_in_batches(&files, settings, progress);
    problems.extend(causes(more));
    if modules.is_empty() && problems.is_empty() {
        return Err(CompileError::NoModules);
    }
    sort(&mut problems);
    let objects = modules.iter().map(|module| module.objects.len()).sum();
    Ok(Compilation {
        modules: modules.len(),
        objects,
        problems,
        words: write::write(modules, &files.sources).map_err(|_| CompileError::TooLarge)?,
    })
}

/// Tells all that is wrong with files. What they import is looked for in `directories`.
///
/// # Errors
/// When a file cannot be read, or has no module.
pub fn lint(files: &[PathBuf], directories: &[PathBuf]) -> Result<Vec<Problem>, CompileError> {
    let mut own = Files::of_paths(files);
    if let Some((path, error)) = own.unreadable.pop() {
        return Err(CompileError::Unreadable { path, error });
    }
    let names: Vec<String> = own.module_names().map(str::to_owned).collect();
    let with_modules = own.first_modules();
    if let Some(path) = files
        .iter()
        .find(|path| !with_modules.contains_key(path.as_path()))
    {
        let error = io::Error::new(
            io::ErrorKind::InvalidData,
            "it has no MIB module (NAME DEFINITIONS ::= BEGIN)",
        );
        return Err(CompileError::Unreadable {
            path: path.clone(),
            error,
        });
    }
    let all = Arc::new(own.with_directories(directories));
    let settings = Settings {
        is_permissive: false,
        report: Report::Everything,
    };
    let (_, mut problems) = front::load(&all, &names, settings);
    for path in files {
        problems.extend(repeated_definitions(path)?);
    }
    sort(&mut problems);
    Ok(problems)
}

/// Names that a file defines more than once in a module.
fn repeated_definitions(path: &Path) -> Result<Vec<Problem>, CompileError> {
    let content = fs::read(path).map_err(|error| CompileError::Unreadable {
        path: path.to_owned(),
        error,
    })?;
    let repeated = repeated::repeated_definitions(&content).into_iter();
    let problem = |definition: repeated::Repeated| Problem {
        file: path.to_owned(),
        place: Some(place(&content, definition.range.start)),
        severity: Severity::Error,
        code: "name-repeated",
        module: String::new(),
        message: format!(
            "{} is defined a second time in this module; the first definition counts",
            definition.name
        ),
    };
    Ok(repeated.map(problem).collect())
}

/// Line and column of an octet, from 1.
fn place(content: &[u8], at: usize) -> (u32, u32) {
    let before = content.get(..at).unwrap_or(content);
    let lines = before.iter().filter(|&&octet| octet == b'\n').count();
    let column = before
        .iter()
        .rev()
        .take_while(|&&octet| octet != b'\n')
        .count();
    let number = |count: usize| u32::try_from(count + 1).unwrap_or(u32::MAX);
    (number(lines), number(column))
}

/// Without what follows from modules that are not there, and one line for each of these.
fn causes(mut problems: Vec<Problem>) -> Vec<Problem> {
    sort(&mut problems);
    let is_missing = |problem: &Problem| problem.code == front::IMPORT_MODULE_NOT_FOUND;
    let incomplete: HashSet<String> = problems
        .iter()
        .filter(|problem| is_missing(problem))
        .map(|problem| problem.module.clone())
        .collect();
    let mut told = HashSet::new();
    problems.retain_mut(|problem| {
        if !is_missing(problem) {
            let follows = matches!(
                problem.code,
                "import-not-found"
                    | "type-unknown"
                    | "oid-orphan"
                    | "index-unresolved"
                    | "objects-unresolved"
            );
            return !(follows && incomplete.contains(&problem.module));
        }
        // The message ends: from "IF-MIB" (module_not_found)
        let quoted = problem.message.rsplit('"').nth(1).unwrap_or_default();
        problem.message = format!("the module {quoted} is missing, and so are its definitions");
        told.insert((problem.module.clone(), problem.message.clone()))
    });
    problems
}

fn unreadable(file: PathBuf, error: &io::Error) -> Problem {
    Problem {
        file,
        place: None,
        severity: Severity::Error,
        code: "unreadable-file",
        module: String::new(),
        message: format!("it cannot be read: {error}"),
    }
}

fn sort(problems: &mut Vec<Problem>) {
    problems.sort_by(|a, b| {
        let key = |of: &Problem| (of.place, of.severity);
        (&a.file, key(a), &a.message).cmp(&(&b.file, key(b), &b.message))
    });
    problems.dedup();
}

/// Reads modules on all processors, a batch at a time on each.
fn load_in_batches(
    files: &Arc<Files>,
    settings: Settings,
    mut progress: impl FnMut(CompileProgress),
) -> (Vec<ModuleFacts>, Vec<Problem>) {
    let names: Vec<String> = files.module_names().map(str::to_owned).collect();
    let batches: Vec<&[String]> = names.chunks(BATCH).collect();
    let next = AtomicUsize::new(0);
    let threads = thread::available_parallelism()
        .map_or(1, NonZero::get)
        .clamp(1, 8);
    let (sender, receiver) = mpsc::channel();
    let mut modules = Vec::new();
    let mut problems = Vec::new();
    thread::scope(|scope| {
        for _ in 0..threads.min(batches.len()) {
            let (sender, next, batches) = (sender.clone(), &next, &batches);
            scope.spawn(move || {
                while let Some(batch) = batches.get(next.fetch_add(1, Ordering::Relaxed)) {
                    // The receiver outlives the threads.
                    let _ = sender.send((batch.len(), front::load(files, batch, settings)));
                }
            });
        }
        drop(sender);
        let mut done = 0;
        for (count, (found, more)) in receiver {
            done += count;
            modules.extend(found);
            problems.extend(more);
            let total = names.len();
            progress(CompileProgress { done, total });
        }
    });
    (modules, problems)
}

impl Compilation {
    /// Writes the catalog to a file: under another name first, so that whoever reads meanwhile sees the old one or the
    /// new one.
    ///
    /// # Errors
    /// What the system says.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let other = path.with_file_name(format!(".{name}.{}", std::process::id()));
        let written = File::create(&other).and_then(|mut file| {
            file.write_all(bytemuck::cast_slice(&self.words))?;
            file.sync_all()?;
            fs::rename(&other, path)
        });
        if written.is_err() {
            // What could not be written need not be there.
            let _ = fs::remove_file(&other);
        }
        written
    }
}
