use varbind_terminal::help::Page;

/// Options of all commands that ask an agent.
const SESSION: &[&str] = &[
    "version",
    "community",
    "name",
    "auth_protocol",
    "priv_protocol",
    "timeout",
    "retries",
    "letters",
    "json",
    "csv",
];

/// Commands that ask for values or are about names.
pub(super) const PAGES: &[Page] = &[
    Page {
        command: "get",
        options: SESSION,
        examples: "\
varbind get router1 sysDescr.0 ifOperStatus.2        # SNMPv2c with the community public
varbind get -c private tcp:router1:1161 sysUpTime.0  # over TCP, on another port
varbind get -v3 -u ops -x AES router1 sysUpTime.0    # SNMPv3; the terminal is asked for passwords
varbind get @routers sysUpTime.0                     # all hosts of a group, see docs/hosts.md",
    },
    Page {
        command: "getnext",
        options: SESSION,
        examples: "\
varbind getnext router1 sysDescr                     # the first instance below a name
varbind getnext router1 ifDescr.1 ifInOctets.1       # the next row of two columns
varbind getnext -v3 -u ops router1 sysUpTime
varbind getnext @routers ifDescr",
    },
    Page {
        command: "getbulk",
        options: SESSION,
        examples: "\
varbind getbulk router1 ifDescr                      # the first 10 instances
varbind getbulk -Cn1 -Cr5 router1 sysUpTime ifDescr  # sysUpTime once, ifDescr five times
varbind getbulk -v3 -u ops router1 ifTable
varbind getbulk tls:router1 ifXTable",
    },
    Page {
        command: "set",
        options: &["version", "community", "name", "auth_protocol", "priv_protocol", "no_range_check", "yes"],
        examples: "\
varbind set -c private router1 sysContact.0 s Jo     # s string, i integer, x hexadecimal, a address
varbind set -v3 -u ops router1 sysName.0 = router1   # = takes the type of the object
varbind set -c private router1 ifAdminStatus.2 = down
varbind set tls:router1 sysName.0 s r1 sysLocation.0 s lab",
    },
    Page {
        command: "walk",
        options: SESSION,
        examples: "\
varbind walk router1                                 # mib-2
varbind walk router1 .1                              # everything
varbind walk -v3 -u ops router1 ifDescr ifInOctets   # two columns
varbind walk --csv router1 ifTable > interfaces.csv",
    },
    Page {
        command: "bulkwalk",
        options: SESSION,
        examples: "\
varbind bulkwalk router1 ifTable
varbind bulkwalk -Cr25 router1 .1                    # 25 repetitions in each request
varbind bulkwalk -v3 -u ops router1 system
varbind bulkwalk tls:router1 ifXTable",
    },
    Page {
        command: "table",
        options: SESSION,
        examples: "\
varbind table router1 ifTable
varbind table --csv router1 ifXTable                 # a line for each row
varbind table -Cf '|' -CH router1 ipAddressTable     # no padding, no headings
varbind table @all ifTable --columns ifDescr,ifHCInOctets",
    },
    Page {
        command: "translate",
        options: &["listing", "letters", "json", "csv", "directories"],
        examples: "\
varbind translate -On sysDescr.0                     # .1.3.6.1.2.1.1.1.0
varbind translate 1.3.6.1.2.1.2.2.1.10.3             # IF-MIB::ifInOctets.3
varbind translate -Tp ifTable                        # the tree below
varbind translate -TB 'if.*Octets'                   # a search by pattern",
    },
    Page {
        command: "mib",
        options: &[],
        examples: "\
varbind mib show ifOperStatus                        # syntax, access, enumeration, description
varbind mib compile ~/mibs                           # read vendors' modules once, for all commands
varbind mib list                                     # the known modules
varbind mib lint ACME-MIB.txt                        # what is wrong with a module",
    },
    Page {
        command: "mib compile",
        options: &["output", "permissive", "quiet"],
        examples: "\
varbind mib compile ~/mibs /usr/share/snmp/mibs      # for all commands of this user
varbind mib compile -o vendor.catalog ~/mibs         # into a file, for -M vendor.catalog
varbind mib compile --permissive ~/mibs              # with modules that forget imports
varbind mib compile --quiet ~/mibs",
    },
    Page {
        command: "mib list",
        options: &["directories", "modules"],
        examples: "\
varbind mib list
varbind mib list -M ~/mibs                           # those of a directory too
varbind mib list -M vendor.catalog
varbind mib list -m ''                               # only those that are built in",
    },
    Page {
        command: "mib show",
        options: &["directories", "modules"],
        examples: "\
varbind mib show ifOperStatus
varbind mib show IF-MIB                              # a module
varbind mib show DisplayString                       # a textual convention
varbind mib show -M ~/mibs acmeTemperature",
    },
    Page {
        command: "mib lint",
        options: &["directories", "quiet"],
        examples: "\
varbind mib lint ACME-MIB.txt
varbind mib lint -M ~/mibs ACME-MIB.txt              # its imports are below this directory
varbind mib lint -q ACME-MIB.txt                     # errors alone
varbind mib lint ACME-MIB.txt ACME-TC.txt",
    },
    Page {
        command: "web",
        options: &[],
        examples: "\
varbind web get http://127.0.0.1:8080 IF-MIB:IF-MIB/ifTable
varbind web get http://127.0.0.1:8080 /metrics
varbind web put -c private http://127.0.0.1:8080 SNMPv2-MIB:SNMPv2-MIB/system/sysContact --value 'Jo Doe'
varbind web get https://router1:8443 SNMPv2-MIB:SNMPv2-MIB/system",
    },
    Page {
        command: "web get",
        options: &["community", "timeout", "fields", "accept", "compressed", "trust"],
        examples: "\
varbind web get http://127.0.0.1:8080 IF-MIB:IF-MIB/ifTable --fields 'ifEntry(ifDescr;ifOperStatus)'
varbind web get https://router1:8443 SNMPv2-MIB:SNMPv2-MIB/system --accept xml --compressed
varbind web get http://127.0.0.1:8080 /metrics
varbind web get -c public http://127.0.0.1:8080      # the whole datastore",
    },
    Page {
        command: "web put",
        options: &["community", "value", "timeout", "trust"],
        examples: "\
varbind web put -c private http://127.0.0.1:8080 SNMPv2-MIB:SNMPv2-MIB/system/sysContact --value 'Jo Doe'
varbind web put https://router1:8443 SNMPv2-MIB:SNMPv2-MIB/system/sysName --value router1
varbind web put http://127.0.0.1:8080 SNMPv2-MIB:SNMPv2-MIB/system/sysName @name.json
echo '{\"SNMPv2-MIB:sysName\":\"r1\"}' | varbind web put http://127.0.0.1:8080 SNMPv2-MIB:SNMPv2-MIB/system/sysName -",
    },
    Page {
        command: "web patch",
        options: &["community", "timeout", "trust"],
        examples: "\
varbind web patch -c private http://127.0.0.1:8080 SNMPv2-MIB:SNMPv2-MIB/system @system.json
varbind web patch https://router1:8443 SNMPv2-MIB:SNMPv2-MIB/system @system.xml
varbind web patch http://127.0.0.1:8080 SNMPv2-MIB:SNMPv2-MIB/system '{\"SNMPv2-MIB:system\":{\"sysName\":\"r1\"}}'
cat system.json | varbind web patch http://127.0.0.1:8080 SNMPv2-MIB:SNMPv2-MIB/system -",
    },
];
