use std::io::{self, Read, Write};
use std::net::{SocketAddr, UdpSocket};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

/// How to start the echo as a process of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EchoProgram {
    /// The executable, which must call [`serve_echo`] when it gets `arguments`.
    pub executable: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
}

/// The floor under every agent: receives a datagram, sends it back, and does nothing else.
#[derive(Debug)]
pub struct Echo {
    child: Child,
    address: SocketAddr,
}

/// Serves as the echo until standard input ends: prints its address as one line, then answers every datagram with the
/// bare pair of system calls, recvfrom and sendto.
///
/// # Errors
/// If there is no socket to be had.
pub fn serve_echo() -> io::Result<()> {
    let socket = UdpSocket::bind("127.0.0.1:0")?;
    let mut output = io::stdout();
    writeln!(output, "{}", socket.local_addr()?)?;
    output.flush()?;
    std::thread::spawn(|| {
        let mut end = [0; 1];
        // The parent holds the other end: the process ends with it.
        while matches!(io::stdin().read(&mut end), Ok(length) if length > 0) {}
        std::process::exit(0);
    });
    let mut buffer = [0; 65_535];
    loop {
        let (length, peer) = socket.recv_from(&mut buffer)?;
        let message = buffer.get(..length).unwrap_or_default();
        // An answer that cannot be sent is a lost one.
        let _lost = socket.send_to(message, peer);
    }
}

impl Echo {
    /// Starts it as a process of its own, as the agents are.
    ///
    /// # Errors
    /// If it cannot be started or does not tell its address.
    pub fn start(program: &EchoProgram) -> io::Result<Self> {
        let mut child = Command::new(&program.executable)
            .args(&program.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let address = read_line(&mut child).and_then(|line| {
            line.trim()
                .parse()
                .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, line))
        });
        match address {
            Ok(address) => Ok(Self { child, address }),
            Err(error) => {
                let _ended = child.kill();
                let _reaped = child.wait();
                Err(error)
            }
        }
    }

    /// Where it listens, over UDP.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its process.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Echo {
    fn drop(&mut self) {
        let _ended = self.child.kill();
        let _reaped = self.child.wait();
    }
}

/// One line of its output.
pub(super) fn read_line(child: &mut Child) -> io::Result<String> {
    let output = child.stdout.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
    let mut line = Vec::new();
    let mut octet = [0; 1];
    while line.len() < 100 && output.read(&mut octet)? == 1 && octet != *b"\n" {
        line.extend(octet);
    }
    Ok(String::from_utf8_lossy(&line).into_owned())
}
