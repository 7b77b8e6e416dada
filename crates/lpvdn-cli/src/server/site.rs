//! What the server answers.

use std::borrow::Cow;
use std::io::{self, Read, Write};
use std::net::{IpAddr, TcpStream};
use std::time::{Duration, Instant};

use lpvdn_report::explorer::{Explorer, served_policy};

/// The longest head of a request.
const LONGEST_HEAD: usize = 16 * 1_024;
/// Its most lines.
const MOST_HEADERS: usize = 64;
/// How long a request may take to arrive, and an answer to be read in addition to its length.
const PATIENCE: Duration = Duration::from_secs(10);
/// Readers may be as slow as this many bytes a second, as through a tunnel.
const SLOWEST: u64 = 100_000;

/// What is served.
pub(super) struct Site {
    pub(super) html: Vec<u8>,
    pub(super) page: Explorer,
    /// The name it was asked to listen at.
    pub(super) host: String,
}

/// An answer: its status, what it holds, and what that is.
struct Answer<'a> {
    status: &'static str,
    kind: &'static str,
    body: Cow<'a, [u8]>,
}

impl Answer<'_> {
    fn refusal(status: &'static str, why: &str) -> Answer<'static> {
        Answer { status, kind: "text/plain; charset=utf-8", body: format!("{why}\n").into_bytes().into() }
    }
}

impl Site {
    pub(super) fn answer(&self, mut peer: TcpStream) -> io::Result<()> {
        let head = read_head(&mut peer, Instant::now() + PATIENCE)?;
        let (answer, body) = self.respond(&head);
        let head = format!(
            "HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nContent-Security-Policy: {}; frame-ancestors 'none'\r\n\
             Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n\
             Cross-Origin-Resource-Policy: same-origin\r\nCross-Origin-Opener-Policy: same-origin\r\nConnection: close\r\n\r\n",
            answer.status,
            answer.kind,
            answer.body.len(),
            served_policy()
        );
        let end = Instant::now() + time_for(answer.body.len());
        send(&mut peer, head.as_bytes(), end)?;
        if body {
            send(&mut peer, &answer.body, end)?;
        }
        peer.flush()
    }

    /// The answer to a request, and whether its body is sent.
    fn respond(&self, head: &[u8]) -> (Answer<'_>, bool) {
        let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
        let mut request = httparse::Request::new(&mut headers);
        if !matches!(request.parse(head), Ok(httparse::Status::Complete(_))) {
            return (Answer::refusal("400 Bad Request", "this is no request that can be understood"), true);
        }
        let hosts: Vec<&[u8]> =
            request.headers.iter().filter(|h| h.name.eq_ignore_ascii_case("host")).map(|h| h.value).collect();
        let ours =
            matches!(hosts[..], [host] if std::str::from_utf8(host).is_ok_and(|host| self.is_ours(host)));
        if !ours {
            let why = "the page is only shown under an address in numbers, as localhost, or by the name it was served at";
            return (Answer::refusal("403 Forbidden", why), true);
        }
        match (request.method, request.path) {
            (Some("GET"), Some(path)) => (self.get(path), true),
            (Some("HEAD"), Some(path)) => (self.get(path), false),
            _ => (Answer::refusal("405 Method Not Allowed", "only GET and HEAD are answered"), true),
        }
    }

    /// Whether a Host header names this server: by the name it was given, as localhost, or by an address in numbers, none of
    /// which another site can have point here. The port may be another, as through a tunnel.
    fn is_ours(&self, host: &str) -> bool {
        let name = match host.rsplit_once(':') {
            Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
            _ => host,
        };
        let name = name.trim_start_matches('[').trim_end_matches(']').to_lowercase();
        name == self.host || name == "localhost" || name.parse::<IpAddr>().is_ok()
    }

    fn get(&self, path: &str) -> Answer<'_> {
        let path = path.split(['?', '#']).next().unwrap_or_default();
        if path == "/" {
            return Answer { status: "200 OK", kind: "text/html; charset=utf-8", body: (&self.html).into() };
        }
        let blob = path.strip_prefix("/blob/").map_or(Ok(None), |name| self.page.blob(name));
        match blob {
            Ok(Some(body)) => {
                Answer { status: "200 OK", kind: "application/octet-stream", body: body.into() }
            }
            Ok(None) => Answer::refusal("404 Not Found", "there is nothing of that name"),
            Err(error) => Answer::refusal("500 Internal Server Error", &error.to_string()),
        }
    }
}

/// What a request says before its body, which nobody needs. A peer that takes its time is not waited for.
fn read_head(peer: &mut TcpStream, end: Instant) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    let mut some = [0_u8; 2_048];
    while !head.windows(4).any(|four| four == b"\r\n\r\n") && head.len() < LONGEST_HEAD {
        peer.set_read_timeout(Some(left(end)?))?;
        match peer.read(&mut some)? {
            0 => break,
            n => head.extend_from_slice(&some[..n]),
        }
    }
    Ok(head)
}

/// How long a whole answer of this length may take.
fn time_for(length: usize) -> Duration {
    PATIENCE + Duration::from_secs(length as u64 / SLOWEST)
}

/// Sends all of it before the time is over, however small the pieces are that the peer takes.
pub(super) fn send(peer: &mut TcpStream, mut bytes: &[u8], end: Instant) -> io::Result<()> {
    while !bytes.is_empty() {
        peer.set_write_timeout(Some(left(end)?))?;
        match peer.write(bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => bytes = &bytes[count..],
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(())
}

/// The time until then; an error if it is over.
fn left(end: Instant) -> io::Result<Duration> {
    match end.saturating_duration_since(Instant::now()) {
        Duration::ZERO => Err(io::ErrorKind::TimedOut.into()),
        left => Ok(left),
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    fn pair() -> (TcpStream, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let client = TcpStream::connect(listener.local_addr().expect("an address")).expect("a connection");
        (client, listener.accept().expect("a peer").0)
    }

    #[test]
    fn a_peer_that_takes_a_little_now_and_then_does_not_get_more_time() {
        let (mut client, mut server) = pair();
        let reading = std::thread::spawn(move || {
            let mut some = [0; 1_000];
            for _ in 0..50 {
                let _ = client.read(&mut some);
                std::thread::sleep(Duration::from_millis(20));
            }
        });
        let start = Instant::now();
        let body = vec![0; 50_000_000];
        let sent = send(&mut server, &body, start + Duration::from_millis(400));
        assert!(sent.is_err() && start.elapsed() < Duration::from_secs(3), "{:?}", start.elapsed());
        drop(server);
        reading.join().expect("no panic");
    }

    #[test]
    fn a_head_that_comes_byte_by_byte_is_not_waited_for_longer() {
        let (mut client, mut server) = pair();
        let writing = std::thread::spawn(move || {
            while client.write_all(b"a").is_ok() {
                std::thread::sleep(Duration::from_millis(20));
            }
        });
        let start = Instant::now();
        let head = read_head(&mut server, start + Duration::from_millis(400));
        assert!(head.is_err() && start.elapsed() < Duration::from_secs(3), "{:?}", start.elapsed());
        drop(server);
        writing.join().expect("no panic");
    }
}
