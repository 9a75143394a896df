use std::fmt::Write;

/// A statement of YANG (RFC 7950 section 6.3).
#[derive(Clone, Debug, Default)]
struct Statement {
    keyword: String,
    argument: String,
    children: Vec<Self>,
}

impl Statement {
    fn new(keyword: &str, argument: &str, children: Vec<Self>) -> Self {
        Self {
            keyword: keyword.to_owned(),
            argument: argument.to_owned(),
            children,
        }
    }

    fn write(&self, output: &mut String) {
        let Self {
            keyword, argument, ..
        } = self;
        // Nothing has a meaning in single quotes.
        let _ = write!(output, "{keyword} '{}'", argument.replace('\'', "`"));
        if self.children.is_empty() {
            output.push_str(";\n");
            return;
        }
        output.push_str(" {\n");
        for child in &self.children {
            child.write(output);
        }
        output.push_str("}\n");
    }
}

/// The statements of a text, which is one that smidump writes: strings are not put together, and have no escapes.
fn parse(text: &mut &str) -> Vec<Statement> {
    let mut statements = Vec::new();
    loop {
        let keyword = token(text);
        if keyword.is_empty() || keyword == "}" {
            return statements;
        }
        let mut statement = Statement::new(&keyword, "", Vec::new());
        let mut next = token(text);
        if next != ";" && next != "{" {
            statement.argument = std::mem::replace(&mut next, token(text));
        }
        if next == "{" {
            statement.children = parse(text);
        }
        statements.push(statement);
    }
}

/// The next word, string or sign; nothing at the end.
fn token(text: &mut &str) -> String {
    let mut rest = text.trim_start();
    while let Some(comment) = rest.strip_prefix("/*") {
        rest = comment.split_once("*/").unwrap().1.trim_start();
    }
    let (token, behind) = if let Some(quoted) = rest.strip_prefix('"') {
        quoted.split_once('"').unwrap()
    } else if rest.starts_with([';', '{', '}']) {
        rest.split_at(1)
    } else {
        let end = rest.find(|c: char| c.is_whitespace() || ";{".contains(c));
        rest.split_at(end.unwrap_or(rest.len()))
    };
    *text = behind;
    token.to_owned()
}

/// A module of libsmi 0.4.8, which is older than RFC 6643, in the form of the standard: one container of the module's name, in
/// it those of scalars and a container for each table, and nothing that can be set (RFC 6643 sections 5 and 6).
pub(super) fn translated(module: &str, text: &str) -> String {
    let mut statements = parse(&mut &*text);
    let module_statement = statements.pop().unwrap();
    assert_eq!(module_statement.argument, module, "{text:.500}");
    let mut header = Vec::new();
    let mut nodes = vec![Statement::new("config", "false", Vec::new())];
    let mut augments = Vec::new();
    let children: Vec<_> = module_statement.children;
    let prefixes = prefixes(module, &children);
    for child in children {
        let Some(child) = corrected(child, &prefixes) else {
            continue;
        };
        match child.keyword.as_str() {
            "container" => {
                let (lists, scalars): (Vec<_>, Vec<_>) = child
                    .children
                    .into_iter()
                    .partition(|child| child.keyword == "list");
                nodes.push(Statement::new("container", &child.argument, scalars));
                for list in lists {
                    let table = table(&list.argument);
                    nodes.push(Statement::new("container", &table, vec![list]));
                }
            }
            "augment" => augments.push(child),
            _ => header.push(child),
        }
    }
    // The statements of a module have an order (RFC 7950 section 7.1).
    let body = Statement::new("container", module, nodes);
    let children = [header, vec![body], augments].concat();
    let mut output = String::new();
    Statement::new("module", module, children).write(&mut output);
    output
}

/// The container of a list.
fn table(list: &str) -> String {
    format!("{}Table", list.strip_suffix("Entry").unwrap())
}

/// What prefixes stand for.
fn prefixes(module: &str, statements: &[Statement]) -> Vec<(String, String)> {
    let mut prefixes = Vec::new();
    for statement in statements {
        match statement.keyword.as_str() {
            "prefix" => prefixes.push((statement.argument.clone(), module.to_owned())),
            "import" => {
                let prefix = &statement.children[0].argument;
                prefixes.push((prefix.clone(), statement.argument.clone()));
            }
            _ => {}
        }
    }
    prefixes
}

fn corrected(mut statement: Statement, prefixes: &[(String, String)]) -> Option<Statement> {
    match statement.keyword.as_str() {
        // Texts, notifications, and what could be set.
        "description" | "organization" | "contact" | "reference" | "notification" | "config" => {
            return None;
        }
        // That of RFC 6991.
        "import" if ["yang-types", "inet-types"].contains(&&*statement.argument) => {
            statement.argument = format!("ietf-{}", statement.argument);
        }
        // The word of an early draft.
        "type" if statement.argument == "keyref" => statement.argument = "leafref".to_owned(),
        "augment" | "path" => statement.argument = path(&statement.argument, prefixes),
        _ => {}
    }
    let children = std::mem::take(&mut statement.children);
    statement.children = children
        .into_iter()
        .filter_map(|child| corrected(child, prefixes))
        .collect();
    Some(statement)
}

/// `/p:interfaces/p:ifEntry` is `/p:IF-MIB/p:ifTable/p:ifEntry` in the standard; a leaf may follow.
fn path(path: &str, prefixes: &[(String, String)]) -> String {
    let mut steps = path.split('/').skip(2);
    let (prefix, list) = steps.next().unwrap().split_once(':').unwrap();
    let (_, module) = prefixes.iter().find(|(known, _)| known == prefix).unwrap();
    let table = table(list);
    let mut path = format!("/{prefix}:{module}/{prefix}:{table}/{prefix}:{list}");
    for step in steps {
        let _ = write!(path, "/{step}");
    }
    path
}
