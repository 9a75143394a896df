use std::ffi::OsString;
use std::path::Path;

/// The option that makes a command of ours behave as the tool does.
const OPTION: &str = "--net-snmp-output";

/// A tool of Net-SNMP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tool {
    Get,
    GetNext,
    BulkGet,
    Set,
    Walk,
    BulkWalk,
    Table,
    Translate,
    Trap,
    Inform,
    Status,
    Df,
    Delta,
    Usm,
    Vacm,
}

/// The tools, their names, the commands of ours that they are like, and what stands behind their options.
const TOOLS: [(Tool, &str, &str, &str); 15] = [
    (Tool::Get, "snmpget", "get", "AGENT OID [OID]..."),
    (
        Tool::GetNext,
        "snmpgetnext",
        "getnext",
        "AGENT OID [OID]...",
    ),
    (
        Tool::BulkGet,
        "snmpbulkget",
        "getbulk",
        "AGENT OID [OID]...",
    ),
    (
        Tool::Set,
        "snmpset",
        "set",
        "AGENT OID TYPE VALUE [OID TYPE VALUE]...",
    ),
    (Tool::Walk, "snmpwalk", "walk", "AGENT [OID]"),
    (Tool::BulkWalk, "snmpbulkwalk", "bulkwalk", "AGENT [OID]"),
    (Tool::Table, "snmptable", "table", "AGENT TABLE-OID"),
    (
        Tool::Translate,
        "snmptranslate",
        "translate",
        "OID [OID]...",
    ),
    (Tool::Trap, "snmptrap", "trap", "AGENT TRAP-PARAMETERS"),
    (
        Tool::Inform,
        "snmpinform",
        "inform",
        "AGENT TRAP-PARAMETERS",
    ),
    (Tool::Status, "snmpstatus", "status", "AGENT"),
    (Tool::Df, "snmpdf", "df", "AGENT"),
    (Tool::Delta, "snmpdelta", "delta", "AGENT OID [OID]..."),
    (Tool::Usm, "snmpusm", "usm", "AGENT COMMAND"),
    (Tool::Vacm, "snmpvacm", "vacm", "AGENT COMMAND"),
];

impl Tool {
    fn row(self) -> (&'static str, &'static str) {
        let row = TOOLS.iter().find(|row| row.0 == self);
        row.map_or(("snmp", ""), |row| (row.1, row.3))
    }

    /// As its messages begin.
    pub(super) fn name(self) -> &'static str {
        self.row().0
    }

    /// What stands behind its options.
    pub(super) fn operands(self) -> &'static str {
        self.row().1
    }

    fn of_name(name: &str) -> Option<Self> {
        let row = TOOLS.iter().find(|row| row.1 == name);
        row.map(|row| row.0)
    }

    fn of_command(command: &str) -> Option<Self> {
        let row = TOOLS.iter().find(|row| row.2 == command);
        row.map(|row| row.0)
    }

    /// Whether options end at the first word that is none: values may begin with a hyphen.
    pub(super) const fn is_strict(self) -> bool {
        matches!(self, Self::Set | Self::Trap | Self::Inform)
    }
}

/// A tool, and the words that it is called with.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Call {
    pub(super) tool: Tool,
    /// As it was called, which a few messages begin with.
    pub(super) program: String,
    pub(super) words: Vec<String>,
}

impl Call {
    /// The tool that the first word names, or the command with the option.
    pub(super) fn of(words: &[OsString]) -> Option<Self> {
        let lossy = |word: &OsString| word.to_string_lossy().into_owned();
        let (program, rest) = words.split_first()?;
        let name = Path::new(program).file_name()?.to_str()?;
        if let Some(tool) = Tool::of_name(name) {
            return Some(Self {
                tool,
                program: lossy(program),
                words: rest.iter().map(lossy).collect(),
            });
        }
        let (command, rest) = rest.split_first()?;
        let tool = Tool::of_command(command.to_str()?)?;
        let end = rest.iter().position(|word| word == "--");
        let at = rest.iter().position(|word| word == OPTION)?;
        if end.is_some_and(|end| end < at) {
            return None;
        }
        let others = rest.iter().enumerate().filter(|(place, _)| *place != at);
        Some(Self {
            tool,
            program: tool.name().to_owned(),
            words: others.map(|(_, word)| lossy(word)).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn called(line: &str) -> Option<(Tool, String, String)> {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let call = Call::of(&words)?;
        Some((call.tool, call.program, call.words.join(" ")))
    }

    #[test]
    fn tools_are_called_by_name_or_by_the_option() {
        for (line, tool, program, words) in [
            (
                "/usr/bin/snmpget -v1 h",
                Tool::Get,
                "/usr/bin/snmpget",
                "-v1 h",
            ),
            (
                "varbind walk --net-snmp-output h",
                Tool::Walk,
                "snmpwalk",
                "h",
            ),
            (
                "varbind getbulk h --net-snmp-output o",
                Tool::BulkGet,
                "snmpbulkget",
                "h o",
            ),
        ] {
            let expected = (tool, program.to_owned(), words.to_owned());
            assert_eq!(called(line), Some(expected), "{line}");
        }
        for line in [
            "varbind get h o",
            "varbind receive --net-snmp-output",
            "varbind set h o s -- --net-snmp-output",
            "varbind",
        ] {
            assert_eq!(called(line), None, "{line}");
        }
    }
}
