//! Net-SNMP's tools and the MIB modules that they need, which need not be there.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use varbind_testkit::peers::{is_installed, skip};

/// The modules that are built in, but for those that these import.
const MODULES: &str = "TRANSPORT-ADDRESS-MIB:SNMP-TSM-MIB:SNMP-SSH-TM-MIB:SNMP-TLS-TM-MIB:SNMPv2-MIB:SNMPv2-TM:IF-MIB:IP-MIB:TCP-MIB:UDP-MIB:HOST-RESOURCES-MIB:HOST-RESOURCES-TYPES:\
     SNMP-FRAMEWORK-MIB:SNMP-MPD-MIB:SNMP-TARGET-MIB:SNMP-NOTIFICATION-MIB:SNMP-PROXY-MIB:SNMP-USER-BASED-SM-MIB:\
     SNMP-VIEW-BASED-ACM-MIB:SNMP-COMMUNITY-MIB:SNMP-USM-AES-MIB:SNMP-USM-HMAC-SHA2-MIB:IP-FORWARD-MIB:BRIDGE-MIB:EtherLike-MIB:\
     ENTITY-MIB:ENTITY-SENSOR-MIB:NET-SNMP-AGENT-MIB:NET-SNMP-EXTEND-MIB:UCD-SNMP-MIB:UCD-DISKIO-MIB:LM-SENSORS-MIB";

/// Where Net-SNMP keeps its own modules.
const OWN_MODULES: &str = "/usr/share/snmp/mibs";

/// Net-SNMP with a directory of MIB modules.
pub(crate) struct NetSnmp {
    modules: PathBuf,
}

impl NetSnmp {
    /// Finds the tools, and the modules in the directory that `VARBIND_MIB_DIRECTORY` names or where Debian keeps them.
    /// If one of them is missing, this is told as a skip.
    pub(crate) fn find() -> Option<Self> {
        if !is_installed("snmptranslate") {
            return None;
        }
        let named = env::var_os("VARBIND_MIB_DIRECTORY").map(PathBuf::from);
        let modules = named
            .into_iter()
            .chain([
                PathBuf::from("/var/lib/mibs/ietf"),
                PathBuf::from("/usr/share/snmp/mibs"),
                PathBuf::from("/usr/share/snmp/mibs/ietf"),
            ])
            .find(|directory| holds_module(directory, "IF-MIB"));
        if !holds_module(Path::new(OWN_MODULES), "UCD-SNMP-MIB") {
            skip("no modules of Net-SNMP in /usr/share/snmp/mibs");
            return None;
        }
        if modules.is_none() {
            skip("no MIB modules; VARBIND_MIB_DIRECTORY can name a directory that has IF-MIB");
        }
        modules.map(|modules| Self { modules })
    }

    /// Whether the tools find this module.
    pub(crate) fn has(&self, module: &str) -> bool {
        holds_module(&self.modules, module)
    }

    /// Runs a tool.
    pub(crate) fn run(&self, tool: &str, arguments: &[String]) -> Output {
        Command::new(tool)
            .arg("-M")
            .arg(format!("{}:{OWN_MODULES}", self.modules.display()))
            .args(["-m", MODULES])
            .args(arguments)
            .env("LC_ALL", "C")
            .env("SNMPCONFPATH", env!("CARGO_TARGET_TMPDIR"))
            .env("SNMP_PERSISTENT_DIR", env!("CARGO_TARGET_TMPDIR"))
            .output()
            .expect("the tool can be started")
    }
}

fn holds_module(directory: &Path, module: &str) -> bool {
    ["", ".txt"]
        .iter()
        .any(|ending| directory.join(format!("{module}{ending}")).is_file())
}

/// The directory of MIB modules that `VARBIND_MIB_DIRECTORY` names, and where the tool finds those of the system.
pub(crate) fn module_directories() -> Vec<PathBuf> {
    let named = env::var_os("VARBIND_MIB_DIRECTORY").map(PathBuf::from);
    let system = Path::new("/usr/share/snmp/mibs");
    let all = named.into_iter().chain([system.to_owned()]);
    let there: Vec<PathBuf> = all.filter(|directory| directory.is_dir()).collect();
    if !is_installed("snmptranslate") {
        return Vec::new();
    }
    if there.is_empty() {
        skip("no directory of MIB modules");
    }
    there
}

/// Each name that Net-SNMP knows of all modules in a directory, with its OBJECT IDENTIFIER.
pub(crate) fn all_names(directory: &Path) -> Vec<(String, String)> {
    let output = Command::new("snmptranslate")
        .arg("-M")
        .arg(directory)
        .args(["-m", "ALL", "-Tz"])
        .env("LC_ALL", "C")
        .env("SNMPCONFPATH", env!("CARGO_TARGET_TMPDIR"))
        .env("SNMP_PERSISTENT_DIR", env!("CARGO_TARGET_TMPDIR"))
        .output()
        .expect("the tool can be started");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let pairs = text.lines().filter_map(|line| {
        let mut quoted = line.split('"').skip(1).step_by(2);
        Some((quoted.next()?.to_owned(), quoted.next()?.to_owned()))
    });
    pairs.collect()
}
