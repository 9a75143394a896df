use varbind_testkit::web::{READER, Served, WRITER, program};

fn curl(arguments: &[&str]) -> Option<(bool, String)> {
    let usual = ["--silent", "--show-error", "--max-time", "60"];
    program("curl", &[&usual, arguments].concat())
}

#[test]
fn curl_reads_and_writes() {
    let served = Served::start();
    let credentials = format!("community:{READER}");
    let path = "/restconf/data/SNMPv2-MIB:SNMPv2-MIB/system/sysContact";
    let url = served.url(path);
    let Some(read) = curl(&["-u", &credentials, &url]) else {
        return;
    };
    let expected = |value: &str| (true, format!("{{\"SNMPv2-MIB:sysContact\":\"{value}\"}}"));
    assert_eq!(read, expected("admin"));
    let writer = format!("community:{WRITER}");
    let body = r#"{"SNMPv2-MIB:sysContact":"curl"}"#;
    let kind = "Content-Type: application/yang-data+json";
    let arguments = [
        "-u",
        &writer,
        "-X",
        "PUT",
        "-H",
        kind,
        "-d",
        body,
        "-w",
        "%{http_code}",
        &url,
    ];
    assert_eq!(curl(&arguments), Some((true, "204".to_owned())));
    assert_eq!(curl(&["-u", &credentials, &url]), Some(expected("curl")));
}

#[test]
fn curl_takes_what_is_compressed() {
    let served = Served::start();
    let credentials = format!("community:{READER}");
    let url = served.url("/restconf/data/IF-MIB:IF-MIB");
    let Some(plain) = curl(&["-u", &credentials, &url]) else {
        return;
    };
    for coding in ["gzip", "deflate"] {
        let header = format!("Accept-Encoding: {coding}");
        let arguments = ["-u", &credentials, "--compressed", "-H", &header, &url];
        assert_eq!(curl(&arguments), Some(plain.clone()));
        let size = [
            "-u",
            &credentials,
            "-H",
            &header,
            "-o",
            "/dev/null",
            "-w",
            "%{size_download}",
            &url,
        ];
        let (_, size) = curl(&size).unwrap();
        let size: usize = size.parse().unwrap();
        assert!(size < plain.1.len() / 2, "{size} of {}", plain.1.len());
    }
}
