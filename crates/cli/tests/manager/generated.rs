use std::fs;
use std::path::Path;
use std::process::Command;

use crate::program::run;

#[test]
fn completions_are_made_for_each_shell() {
    for (shell, part) in [
        ("bash", "complete -F _varbind"),
        ("zsh", "#compdef varbind"),
        ("fish", "complete -c varbind"),
    ] {
        let outcome = run(&["completions", shell]);
        assert_eq!(outcome.code, Some(0));
        assert!(outcome.output.contains(part), "{shell}");
        assert!(outcome.output.contains("bulkwalk"), "{shell}");
        assert!(outcome.output.contains("study"), "{shell}");
        assert!(outcome.output.contains("complete-words"), "{shell}");
    }
}

#[test]
fn bash_takes_its_completions() {
    let script = run(&["completions", "bash"]).output;
    // It is longer than an argument may be.
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), script).unwrap();
    let status = Command::new("bash").arg("-n").arg(file.path()).status();
    assert!(status.unwrap().success());
}

#[test]
fn manual_pages_are_written_for_each_command() {
    let directory = tempfile::tempdir().unwrap();
    let pages = directory.path().join("man1");
    let outcome = run(&["man", pages.to_str().unwrap()]);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    for page in [
        "varbind",
        "varbind-get",
        "varbind-walk",
        "varbind-table",
        "varbind-web-get",
    ] {
        let text = fs::read_to_string(pages.join(format!("{page}.1"))).unwrap();
        assert!(text.contains(".SH NAME"), "{page}");
    }
    let get = fs::read_to_string(pages.join("varbind-get.1")).unwrap();
    for part in [
        ".SH \"SYNOPSIS\"\n.PP\n.nf\nvarbind get [OPTIONS] TARGET OID...\n",
        ".SH \"EXAMPLES\"",
        ".SH ENVIRONMENT",
        "VARBIND_COMMUNITY",
        ".SH FILES",
        ".SH \"EXIT STATUS\"",
        ".SH \"SEE ALSO\"\n.PP\n.nf\nvarbind(1), varbind\\-doctor(1)\n",
    ] {
        assert!(get.contains(part), "{part}\n{get}");
    }
    assert!(!get.contains("EXTRA"), "{get}");
    let set = fs::read_to_string(pages.join("varbind-set.1")).unwrap();
    assert!(
        set.contains(".SH \"NOTES\"") && set.contains("d decimal string"),
        "{set}"
    );
    // Their pages are the laboratory's.
    assert!(!pages.join("varbind-bench.1").exists());
    let first = fs::read_to_string(pages.join("varbind.1")).unwrap();
    assert!(
        first.contains("varbind\\-lab(1), varbind\\-get(1)"),
        "{first}"
    );
}

/// The words that follow the program in all commands that are shown, by the manual pages.
fn commands(pages: &Path) -> Vec<Vec<String>> {
    let mut commands = Vec::new();
    let mut below = vec![Vec::new()];
    while let Some(above) = below.pop() {
        let name = [vec!["varbind".to_owned()], above.clone()]
            .concat()
            .join("-");
        let page = fs::read_to_string(pages.join(format!("{name}.1"))).unwrap();
        let see_also = page.split(".SH \"SEE ALSO\"").nth(1).unwrap_or_default();
        let see_also = see_also.replace("\\-", "-");
        for word in see_also.split([' ', ',', '\n']) {
            let last = word
                .strip_suffix("(1)")
                .and_then(|word| word.strip_prefix(&format!("{name}-")));
            // The laboratory's pages are its own.
            if let Some(last) = last.filter(|last| *last != "lab") {
                below.push([above.clone(), vec![last.to_owned()]].concat());
            }
        }
        commands.push(above);
    }
    commands
}

#[test]
fn each_command_has_a_short_help_and_a_whole_manual_page() {
    let directory = tempfile::tempdir().unwrap();
    let pages = directory.path().join("man1");
    let outcome = run(&["man", pages.to_str().unwrap()]);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    let commands = commands(&pages);
    assert!(commands.len() > 45, "{commands:?}");
    assert_eq!(commands.len(), fs::read_dir(&pages).unwrap().count());
    for command in &commands {
        let words: Vec<&str> = command.iter().map(String::as_str).collect();
        let short = run(&[&words[..], &["-h"]].concat());
        assert_eq!(short.code, Some(0), "{short:?}");
        let lines: Vec<&str> = short.output.lines().collect();
        assert!(
            lines.len() <= 25,
            "{command:?}: {} lines\n{}",
            lines.len(),
            short.output
        );
        assert!(
            lines.iter().all(|line| line.len() <= 130),
            "{}",
            short.output
        );
        let examples = lines.iter().skip_while(|line| **line != "Examples:");
        let examples = examples.filter(|line| line.contains("varbind ")).count();
        assert!(examples >= 4, "{command:?}\n{}", short.output);

        let name = [&["varbind"][..], &words].concat().join("-");
        let page = fs::read_to_string(pages.join(format!("{name}.1"))).unwrap();
        for section in [
            "EXAMPLES",
            "ENVIRONMENT",
            "FILES",
            "EXIT STATUS",
            "SEE ALSO",
        ] {
            let (plain, quoted) = (format!(".SH {section}\n"), format!(".SH {section:?}\n"));
            assert!(
                page.contains(&plain) || page.contains(&quoted),
                "{name}: {section}\n{page}"
            );
        }
    }
}

#[test]
fn the_long_help_has_everything_below_headings() {
    let long = run(&["get", "--help"]).output;
    for part in [
        "n  .1.3.6.1",
        "e  enumerations as numbers",
        "U  without units",
        "\nSession:\n",
        "\nSNMPv3:\n",
        "\nTLS and DTLS:\n",
        "\nExamples:\n  varbind get ",
    ] {
        assert!(long.contains(part), "{part}\n{long}");
    }
    assert_eq!(run(&["help", "get"]).output, long);
    assert_eq!(
        run(&["help", "pki", "issue", "agent"]),
        run(&["pki", "issue", "agent", "--help"])
    );
    let top = run(&["--help"]).output;
    for part in [
        "\nAsk:\n  get ",
        "\nLaboratory:\n  bench ",
        "  man ",
        "\nExit codes:\n",
    ] {
        assert!(top.contains(part), "{part}\n{top}");
    }
    assert_eq!(run(&["help"]).output, top);
}

/// Without a terminal there are no colours, whatever the environment says of the terminal.
#[test]
fn help_and_errors_have_no_colours_where_no_terminal_is() {
    for words in [
        &["get", "-h"][..],
        &["get", "--help"],
        &["-h"],
        &["get"],
        &["nonsense"],
    ] {
        let outcome = run(words);
        let all = format!("{}{}", outcome.output, outcome.errors);
        assert!(!all.contains('\u{1b}'), "{all}");
        if outcome.code != Some(0) {
            assert!(all.starts_with("varbind: "), "{all}");
        }
    }
}

const HOSTS: &str = "[hosts.router1]\ngroups = [\"routers\"]\nuser = \"ops\"\n[hosts.router2]\n";

/// What the completion of a shell offers for a line.
fn completed(shell: &str, script: &str, arguments: &[&str]) -> Option<Vec<String>> {
    if !varbind_testkit::peers::is_installed(shell) {
        return None;
    }
    let directory = tempfile::tempdir().unwrap();
    let hosts = directory.path().join("hosts.toml");
    fs::write(&hosts, HOSTS).unwrap();
    let completions = directory.path().join("completions");
    fs::write(&completions, run(&["completions", shell]).output).unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_varbind"));
    let path = std::env::var("PATH").unwrap();
    let output = Command::new(shell)
        .args(["-c", script])
        .args(arguments)
        .env("COMPLETIONS", &completions)
        .env("VARBIND_HOSTS", &hosts)
        .env("HOME", directory.path())
        .env(
            "PATH",
            format!("{}:{path}", program.parent().unwrap().display()),
        )
        .output()
        .unwrap();
    let output = crate::program::Outcome::from(output);
    let mut words: Vec<String> = output.output.lines().map(str::to_owned).collect();
    words.sort();
    assert_eq!(output.errors, "", "{output:?}");
    Some(words)
}

#[test]
fn bash_completes_hosts_objects_and_users() {
    const SCRIPT: &str = r#"
        source "$COMPLETIONS"
        COMP_LINE=$0 COMP_POINT=${#0} COMP_WORDS=($0) COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        _varbind_words varbind "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
        printf '%s\n' "${COMPREPLY[@]}"
    "#;
    for (line, expected) in [
        ("varbind get rou", "router1 router2"),
        ("varbind get tls:rou", "router1 router2"),
        ("varbind get @rou", "routers"),
        ("varbind get router1 sysDes", "sysDescr.0"),
        ("varbind get router1 IF-MIB::ifDes", "ifDescr"),
        ("varbind get -u o", "ops"),
        ("varbind bulkw", "bulkwalk"),
    ] {
        let Some(words) = completed("bash", SCRIPT, &[line]) else {
            return;
        };
        assert_eq!(words.join(" "), expected, "{line}");
    }
}

#[test]
fn fish_completes_hosts_objects_and_users() {
    for (line, expected) in [
        ("varbind get rou", "router1"),
        ("varbind get router1 sysDes", "sysDescr.0"),
        ("varbind get -u o", "ops"),
    ] {
        let script = format!("source $COMPLETIONS; complete -C '{line}'");
        let Some(words) = completed("fish", &script, &[]) else {
            return;
        };
        assert!(
            words.iter().any(|word| word == expected),
            "{line}: {words:?}"
        );
    }
}

#[test]
fn zsh_completes_hosts_objects_and_users() {
    const SCRIPT: &str = r#"
        compdef() { :; }
        compadd() { shift; print -l -- "${(@P)1}"; }
        source "$COMPLETIONS"
        words=(${=1}) CURRENT=${#words}
        _varbind
    "#;
    for (line, expected) in [
        ("varbind get tls:rou", "tls:router1 tls:router2"),
        ("varbind get router1 sysDes", "sysDescr.0"),
        ("varbind get -u o", "ops"),
    ] {
        let Some(words) = completed("zsh", SCRIPT, &["zsh", line]) else {
            return;
        };
        assert_eq!(words.join(" "), expected, "{line}");
    }
}
