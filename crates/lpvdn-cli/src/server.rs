//! The explorer from a server, for those on this machine.
//!
//! It answers GET and HEAD for the page and its blobs, nothing else: there is no way to write, and no path reaches the
//! file system. Names in the Host header that nobody gave it are refused, so that a site elsewhere cannot have its own
//! name point here and read along.

mod door;
mod site;

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::time::Duration;

use lpvdn_report::explorer::Explorer;

use self::door::Door;
use self::site::Site;
use crate::console::stderr_line;
use crate::failure::Failure;
use crate::interrupt::{self, STOP};

/// Where the page is, if only a port is named.
const HERE: &str = "127.0.0.1";
/// And if none is.
const PORT: u16 = 8765;
/// How long the server may take to notice that it should stop.
const SOON: Duration = Duration::from_secs(1);

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
        let site = Site { html: page.served_page().map_err(failed)?, page, host: self.host };
        // A connection is what it waits for.
        interrupt::then(move || TcpStream::connect_timeout(&own(address), SOON).is_ok());
        if !quiet {
            tell(address);
        }
        Door::new(self.listener, Arc::new(move |peer| site.answer(peer))).open(&STOP);
        Ok(())
    }
}

/// The address at which this machine reaches the server.
fn own(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
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
