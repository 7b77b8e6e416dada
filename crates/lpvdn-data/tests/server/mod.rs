//! A small HTTP server that misbehaves as it is told.
#![allow(dead_code, unreachable_pub, missing_docs)]

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What it does with a request.
#[derive(Clone, Debug)]
pub enum Answer {
    /// Serves the file, or the range asked for.
    Good,
    /// Serves it in small pieces, slowly.
    Dribble,
    /// Sends a byte now and then, without an end.
    Drip,
    /// The same before the body begins.
    DripHead,
    /// Closes the connection after so many bytes.
    BreakAfter(usize),
    /// The same with bytes of another file.
    BreakAfterOther(usize),
    /// Serves the whole file whatever is asked for.
    NoRanges,
    /// Serves a range that was not asked for.
    OtherRange,
    /// Says that there is no such range.
    NotSatisfiable,
    /// Announces so many bytes, and sends those it has.
    Announce(u64),
    /// Announces no size, and closes the connection at the end.
    NoSize,
    /// Another status, and no file.
    Status(u16),
    /// Points to itself.
    RedirectLoop,
    /// Points elsewhere.
    RedirectTo(String),
    /// Never answers.
    Hang,
    /// Falls silent after so many bytes.
    HangAfter(usize),
    /// Closes the connection at once.
    HangUp,
    /// Does not speak HTTP.
    Rubbish,
}

/// A server that gives one answer after the other, the last one again and again.
pub struct Server {
    address: String,
    ranges: Arc<Mutex<Vec<Option<usize>>>>,
}

impl Server {
    /// Serves the same for every name.
    pub fn start(content: Vec<u8>, answers: Vec<Answer>) -> Server {
        Server::with_files(vec![(String::new(), content)], answers)
    }

    /// Serves files by their names, the last part of the path.
    pub fn with_files(files: Vec<(String, Vec<u8>)>, answers: Vec<Answer>) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address").to_string();
        let ranges = Arc::new(Mutex::new(Vec::new()));
        let (seen, files) = (Arc::clone(&ranges), Arc::new(files));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (seen, files, answers) = (Arc::clone(&seen), Arc::clone(&files), answers.clone());
                std::thread::spawn(move || drop(serve(stream, &files, &answers, &seen)));
            }
        });
        Server { address, ranges }
    }

    pub fn url(&self, name: &str) -> String {
        format!("http://{}/{name}", self.address)
    }

    pub fn requests(&self) -> usize {
        self.ranges().len()
    }

    /// Where each request asked to begin.
    pub fn ranges(&self) -> Vec<Option<usize>> {
        self.ranges.lock().expect("no panic").clone()
    }
}

/// One request a connection.
fn serve(
    mut stream: TcpStream,
    files: &[(String, Vec<u8>)],
    answers: &[Answer],
    seen: &Mutex<Vec<Option<usize>>>,
) -> std::io::Result<()> {
    let mut range = None;
    let mut content: Option<&[u8]> = None;
    for line in BufReader::new(stream.try_clone()?).lines() {
        let line = line?.to_lowercase();
        if let Some(path) = line.strip_prefix("get ").and_then(|rest| rest.split(' ').next()) {
            let name = path.rsplit('/').next().unwrap_or_default();
            let file = files.iter().find(|(file, _)| file.is_empty() || file == name);
            content = file.map(|(_, content)| content.as_slice());
        }
        if let Some(rest) = line.strip_prefix("range: bytes=") {
            range = rest.trim_end_matches('-').parse().ok();
        }
        if line.is_empty() {
            break;
        }
    }
    let Some(content) = content else { return status(&mut stream, 404) };
    let answer = {
        let mut seen = seen.lock().expect("no panic");
        seen.push(range);
        answers[(seen.len() - 1).min(answers.len() - 1)].clone()
    };
    let start = range.unwrap_or(0);
    let body = content.get(start..).unwrap_or_default();
    match answer {
        Answer::Good => {
            head(&mut stream, range, content.len())?;
            stream.write_all(body)
        }
        Answer::Dribble => {
            head(&mut stream, range, content.len())?;
            for piece in body.chunks(100_000) {
                stream.write_all(piece)?;
                std::thread::sleep(Duration::from_millis(100));
            }
            Ok(())
        }
        Answer::Drip => {
            head(&mut stream, range, content.len())?;
            drip(&mut stream)
        }
        Answer::DripHead => {
            write!(stream, "HTTP/1.1 200 OK\r\nX-Long: ")?;
            drip(&mut stream)
        }
        Answer::BreakAfter(count) => {
            head(&mut stream, range, content.len())?;
            stream.write_all(&body[..count.min(body.len())])
        }
        Answer::BreakAfterOther(count) => {
            head(&mut stream, range, content.len())?;
            stream.write_all(&vec![b'x'; count])
        }
        Answer::NoRanges => {
            head(&mut stream, None, content.len())?;
            stream.write_all(content)
        }
        Answer::OtherRange => {
            head(&mut stream, Some(start + 7), content.len())?;
            stream.write_all(&body[7..])
        }
        Answer::NotSatisfiable => status(&mut stream, 416),
        Answer::Announce(bytes) => {
            let left = bytes.saturating_sub(start as u64);
            let part = if range.is_some() {
                format!("206 Partial Content\r\nContent-Range: bytes {start}-{}/{bytes}", bytes - 1)
            } else {
                "200 OK".to_owned()
            };
            write!(stream, "HTTP/1.1 {part}\r\nContent-Length: {left}\r\nConnection: close\r\n\r\n")?;
            stream.write_all(body)
        }
        Answer::NoSize => {
            write!(stream, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")?;
            stream.write_all(content)
        }
        Answer::Status(code) => status(&mut stream, code),
        Answer::RedirectLoop => redirect(&mut stream, "/again"),
        Answer::RedirectTo(url) => redirect(&mut stream, &url),
        Answer::Hang => {
            std::thread::sleep(Duration::from_secs(5));
            Ok(())
        }
        Answer::HangAfter(count) => {
            head(&mut stream, range, content.len())?;
            stream.write_all(&body[..count.min(body.len())])?;
            stream.flush()?;
            std::thread::sleep(Duration::from_secs(5));
            Ok(())
        }
        Answer::HangUp => Ok(()),
        Answer::Rubbish => stream.write_all(b"\x00\x01 what? \r\n\r\n"),
    }
}

/// Until the other side has gone.
fn drip(stream: &mut TcpStream) -> std::io::Result<()> {
    loop {
        stream.write_all(b"a")?;
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn head(stream: &mut TcpStream, start: Option<usize>, whole: usize) -> std::io::Result<()> {
    match start {
        None => write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {whole}\r\nConnection: close\r\n\r\n"),
        Some(start) => write!(
            stream,
            "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes {start}-{}/{whole}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            whole - 1,
            whole - start
        ),
    }
}

fn status(stream: &mut TcpStream, code: u16) -> std::io::Result<()> {
    write!(stream, "HTTP/1.1 {code} Told\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
}

fn redirect(stream: &mut TcpStream, to: &str) -> std::io::Result<()> {
    write!(stream, "HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
}
