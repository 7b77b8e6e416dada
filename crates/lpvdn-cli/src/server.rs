//! The explorer from a server, for those on this machine.
//!
//! It answers GET and HEAD for the page and its blobs, nothing else: there is no way to write, and no path reaches the
//! file system. Names in the Host header that nobody gave it are refused, so that a site elsewhere cannot have its own
//! name point here and read along.

use std::io::{self, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use lpvdn_report::explorer::{Explorer, served_policy};

use crate::console::stderr_line;
use crate::failure::Failure;
use crate::interrupt::STOP;

/// Where the page is, if only a port is named.
const HERE: &str = "127.0.0.1";
/// And if none is.
const PORT: u16 = 8765;
/// The longest head of a request.
const LONGEST_HEAD: usize = 16 * 1_024;
/// Its most lines.
const MOST_HEADERS: usize = 64;
/// How long a peer may be silent.
const PATIENCE: Duration = Duration::from_secs(10);
/// Requests that are answered at once.
const AT_ONCE: usize = 32;
/// How often the server looks whether it should stop.
const LOOK: Duration = Duration::from_millis(50);

/// A port that is ours.
#[derive(Debug)]
pub(crate) struct Server {
    listener: TcpListener,
    /// The name it was asked to listen at.
    host: String,
}

impl Server {
    /// `place` is a port, an address, or both.
    pub(crate) fn bind(place: &str) -> Result<Server, Failure> {
        let wrong = |why: &dyn std::fmt::Display| {
            Failure::Failed(format!(
                "--serve {place}: cannot be listened at: {why}; write it as 127.0.0.1:8765, or a port alone"
            ))
        };
        let whole = match (place.parse::<u16>(), place.parse::<IpAddr>()) {
            (Ok(port), _) => format!("{HERE}:{port}"),
            (_, Ok(address)) => SocketAddr::new(address, PORT).to_string(),
            _ if !place.contains(':') => format!("{place}:{PORT}"),
            _ => place.to_owned(),
        };
        let addresses: Vec<SocketAddr> = whole.to_socket_addrs().map_err(|e| wrong(&e))?.collect();
        let listener = TcpListener::bind(addresses.as_slice()).map_err(|e| match e.kind() {
            io::ErrorKind::AddrInUse => Failure::Failed(format!(
                "--serve {place}: that port is in use; name another, as --serve=8766"
            )),
            _ => wrong(&e),
        })?;
        let host = whole.rsplit_once(':').map_or(whole.as_str(), |(host, _)| host);
        Ok(Server { listener, host: host.trim_matches(['[', ']']).to_lowercase() })
    }

    /// Answers until a signal comes; whoever is being answered then is left alone.
    pub(crate) fn serve(self, page: Explorer, quiet: bool) -> Result<(), Failure> {
        let failed = |e: io::Error| Failure::Failed(format!("the server failed: {e}"));
        let address = self.listener.local_addr().map_err(failed)?;
        self.listener.set_nonblocking(true).map_err(failed)?;
        let site = Site { html: page.served_page().map_err(failed)?, page, host: self.host };
        if !quiet {
            tell(address);
        }
        let site = Arc::new(site);
        let busy = Arc::new(AtomicUsize::new(0));
        while !STOP.load(Ordering::SeqCst) {
            match self.listener.accept() {
                Ok((peer, _)) => {
                    let (site, own) = (Arc::clone(&site), Busy::new(&busy));
                    std::thread::spawn(move || {
                        // Whoever went away does not wait for an answer.
                        let _ = if own.too_many() { refuse(peer) } else { site.answer(peer) };
                    });
                }
                Err(_) => std::thread::sleep(LOOK),
            }
        }
        Ok(())
    }
}

/// Where the page is, in words.
fn tell(address: SocketAddr) {
    let port = address.port();
    match address.ip() {
        ip if ip.is_unspecified() => stderr_line(&format!(
            "the clusters are at http://{HERE}:{port}/, and at every other address of this machine, until Ctrl-C"
        )),
        _ => stderr_line(&format!("the clusters are at http://{address}/ until Ctrl-C")),
    }
    if !address.ip().is_loopback() {
        stderr_line("warning: whoever reaches this address sees the data");
    }
}

/// One of those who are being answered, until it is dropped.
struct Busy(Arc<AtomicUsize>);

impl Busy {
    fn new(count: &Arc<AtomicUsize>) -> Busy {
        count.fetch_add(1, Ordering::SeqCst);
        Busy(Arc::clone(count))
    }

    fn too_many(&self) -> bool {
        self.0.load(Ordering::SeqCst) > AT_ONCE
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// More than a page ever asks for at once.
fn refuse(mut peer: TcpStream) -> io::Result<()> {
    peer.set_write_timeout(Some(LOOK))?;
    peer.write_all(b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
}

/// What is served.
struct Site {
    html: Vec<u8>,
    page: Explorer,
    host: String,
}

/// An answer: its status, what it holds, and what that is.
struct Answer {
    status: &'static str,
    kind: &'static str,
    body: Vec<u8>,
}

impl Answer {
    fn refusal(status: &'static str, why: &str) -> Answer {
        Answer { status, kind: "text/plain; charset=utf-8", body: format!("{why}\n").into_bytes() }
    }
}

impl Site {
    fn answer(&self, mut peer: TcpStream) -> io::Result<()> {
        peer.set_nonblocking(false)?;
        peer.set_write_timeout(Some(PATIENCE))?;
        let head = read_head(&mut peer)?;
        let (answer, body) = self.respond(&head);
        write!(
            peer,
            "HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nContent-Security-Policy: {}; frame-ancestors 'none'\r\n\
             Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n\
             Cross-Origin-Resource-Policy: same-origin\r\nCross-Origin-Opener-Policy: same-origin\r\nConnection: close\r\n\r\n",
            answer.status,
            answer.kind,
            answer.body.len(),
            served_policy()
        )?;
        if body {
            peer.write_all(&answer.body)?;
        }
        peer.flush()
    }

    /// The answer to a request, and whether its body is sent.
    fn respond(&self, head: &[u8]) -> (Answer, bool) {
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

    fn get(&self, path: &str) -> Answer {
        let path = path.split(['?', '#']).next().unwrap_or_default();
        if path == "/" {
            return Answer { status: "200 OK", kind: "text/html; charset=utf-8", body: self.html.clone() };
        }
        let blob = path.strip_prefix("/blob/").map_or(Ok(None), |name| self.page.blob(name));
        match blob {
            Ok(Some(body)) => Answer { status: "200 OK", kind: "application/octet-stream", body },
            Ok(None) => Answer::refusal("404 Not Found", "there is nothing of that name"),
            Err(error) => Answer::refusal("500 Internal Server Error", &error.to_string()),
        }
    }
}

/// What a request says before its body, which nobody needs. A peer that takes its time is not waited for.
fn read_head(peer: &mut TcpStream) -> io::Result<Vec<u8>> {
    let end = Instant::now() + PATIENCE;
    let mut head = Vec::new();
    let mut some = [0_u8; 2_048];
    while !head.windows(4).any(|four| four == b"\r\n\r\n") && head.len() < LONGEST_HEAD {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        peer.set_read_timeout(Some(left))?;
        match peer.read(&mut some)? {
            0 => break,
            n => head.extend_from_slice(&some[..n]),
        }
    }
    Ok(head)
}
