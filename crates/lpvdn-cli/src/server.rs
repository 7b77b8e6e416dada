//! The explorer from a server, for those on this machine.
//!
//! It answers GET and HEAD for the page and its blobs, nothing else: there is no way to write, and no path reaches the
//! file system. Names in the Host header that nobody gave it are refused, so that a site elsewhere cannot have its own
//! name point here and read along.

use std::io::{self, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use lpvdn_report::explorer::{Explorer, served_policy};

use crate::console::stderr_line;
use crate::failure::Failure;
use crate::interrupt::STOP;

/// Where the page is, if only a port is named.
const HERE: &str = "127.0.0.1";
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
        let whole = if place.parse::<u16>().is_ok() { format!("{HERE}:{place}") } else { place.to_owned() };
        let whole = if whole.parse::<IpAddr>().is_ok() {
            SocketAddr::new(whole.parse().map_err(|e| wrong(&e))?, 0).to_string()
        } else {
            whole
        };
        let addresses: Vec<SocketAddr> = whole.to_socket_addrs().map_err(|e| wrong(&e))?.collect();
        let listener = TcpListener::bind(addresses.as_slice()).map_err(|e| match e.kind() {
            io::ErrorKind::AddrInUse => {
                Failure::Failed(format!("--serve {place}: that port is in use; name another, as --serve 8766"))
            }
            _ => wrong(&e),
        })?;
        let host = whole.rsplit_once(':').map_or(whole.as_str(), |(host, _)| host);
        Ok(Server { listener, host: host.trim_matches(['[', ']']).to_lowercase() })
    }

    /// Answers until a signal comes.
    pub(crate) fn serve(self, page: &Explorer, quiet: bool) -> Result<(), Failure> {
        let failed = |e: io::Error| Failure::Failed(format!("the server failed: {e}"));
        let address = self.listener.local_addr().map_err(failed)?;
        self.listener.set_nonblocking(true).map_err(failed)?;
        let site = Site { html: page.served_page().map_err(failed)?, page, host: self.host, address };
        if !quiet {
            stderr_line(&format!("the clusters are at http://{address}/ until Ctrl-C"));
            if !address.ip().is_loopback() {
                stderr_line("warning: whoever reaches this address sees the data");
            }
        }
        let busy = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            while !STOP.load(Ordering::SeqCst) {
                match self.listener.accept() {
                    Ok((peer, _)) if busy.load(Ordering::SeqCst) < AT_ONCE => {
                        busy.fetch_add(1, Ordering::SeqCst);
                        let (site, busy) = (&site, &busy);
                        scope.spawn(move || {
                            // Whoever went away does not wait for an answer.
                            let _ = site.answer(peer);
                            busy.fetch_sub(1, Ordering::SeqCst);
                        });
                    }
                    // More than a page ever asks for at once: closed without an answer.
                    Ok(_) => {}
                    Err(_) => std::thread::sleep(LOOK),
                }
            }
        });
        Ok(())
    }
}

/// What is served.
struct Site<'a> {
    html: Vec<u8>,
    page: &'a Explorer,
    host: String,
    address: SocketAddr,
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

impl Site<'_> {
    fn answer(&self, mut peer: TcpStream) -> io::Result<()> {
        peer.set_nonblocking(false)?;
        peer.set_read_timeout(Some(PATIENCE))?;
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
            return (Answer::refusal("403 Forbidden", "the page has another address"), true);
        }
        match (request.method, request.path) {
            (Some("GET"), Some(path)) => (self.get(path), true),
            (Some("HEAD"), Some(path)) => (self.get(path), false),
            _ => (Answer::refusal("405 Method Not Allowed", "only GET and HEAD are answered"), true),
        }
    }

    /// Whether a Host header names this server: by the name it was given, or, where that is an address, by any number or
    /// as localhost.
    fn is_ours(&self, host: &str) -> bool {
        let (name, port) = match host.rsplit_once(':') {
            Some((name, port)) if !port.ends_with(']') => (name, port.parse::<u16>().ok()),
            _ => (host, Some(80)),
        };
        let name = name.trim_start_matches('[').trim_end_matches(']').to_lowercase();
        let known = name == self.host
            || name == "localhost" && self.address.ip().is_loopback()
            || name.parse::<IpAddr>().is_ok();
        known && port == Some(self.address.port())
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

/// What a request says before its body, which nobody needs.
fn read_head(peer: &mut TcpStream) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    let mut some = [0_u8; 2_048];
    while !head.windows(4).any(|four| four == b"\r\n\r\n") && head.len() < LONGEST_HEAD {
        match peer.read(&mut some)? {
            0 => break,
            n => head.extend_from_slice(&some[..n]),
        }
    }
    Ok(head)
}
