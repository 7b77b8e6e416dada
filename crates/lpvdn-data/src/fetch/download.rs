//! One address, asked once.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::time::{Duration, Instant};

use ureq::http::{Response, StatusCode, header};
use ureq::{Agent, Body, ResponseExt};

use super::part::Part;
use super::{FetchError, FetchEvent, FetchOptions};
use crate::known::Check;

const BUFFER: usize = 1 << 16;

/// Why a file did not come.
pub(super) enum Problem {
    /// It may come if the same address is asked again.
    Again(String),
    /// It will not come from this address.
    Here(String),
    /// It will not come from any.
    Fatal(FetchError),
}

type Observer<'a> = &'a mut dyn FnMut(&FetchEvent<'_>);

pub(super) struct Client(Agent);

impl Client {
    pub(super) fn new(options: &FetchOptions) -> Client {
        let config = Agent::config_builder()
            .timeout_resolve(Some(options.connect))
            .timeout_connect(Some(options.connect))
            .timeout_per_read(Some(options.stall))
            .timeout_per_write(Some(options.stall))
            .max_redirects(options.redirects)
            .http_status_as_error(false)
            // The bytes as they are stored: a checksum is of these.
            .accept_encoding("identity")
            .user_agent(concat!("lpvdn/", env!("CARGO_PKG_VERSION")))
            .build();
        Client(config.into())
    }

    /// Appends to the part what is missing, before the time is over; begins anew where the server cannot continue.
    pub(super) fn download(
        &self,
        url: &str,
        check: Check,
        end: Deadline,
        part: &mut Part,
        observe: Observer<'_>,
    ) -> Result<(), Problem> {
        let mut request = self.0.get(url).config().timeout_global(Some(end.left(url, part)?)).build();
        if part.len() > 0 {
            request = request.header(header::RANGE, format!("bytes={}-", part.len()));
        }
        let response = request.call().map_err(|e| broken(url, &e))?;
        if !matches!(response.get_uri().scheme_str(), Some("http" | "https")) {
            return Err(Problem::Here(format!("{url}: it points to {}", response.get_uri())));
        }
        let size = self.begin(url, &response, part)?;
        let most = check.most();
        match (size, check.exactly()) {
            (Some(said), Some(known)) if said != known => {
                Err(Problem::Here(format!("{url}: it announces {said} bytes, but the file has {known}")))
            }
            (Some(said), _) if said > most => Err(Problem::Here(format!(
                "{url}: it announces {said} bytes, but the file has at most {most}"
            ))),
            _ => append(url, response.into_body().into_reader(), (size, most), end, part, observe),
        }
    }

    /// Looks at the answer: how large the whole file is, where it says so. After that, the part is what
    /// the body continues.
    fn begin(&self, url: &str, response: &Response<Body>, part: &mut Part) -> Result<Option<u64>, Problem> {
        let length = response.body().content_length();
        match response.status() {
            StatusCode::OK => {
                part.clear()?;
                Ok(length)
            }
            StatusCode::PARTIAL_CONTENT if part.len() > 0 => match range(response) {
                Some((start, whole)) if start == part.len() => {
                    Ok(whole.or_else(|| length.map(|length| start.saturating_add(length))))
                }
                _ => {
                    part.clear()?;
                    Err(Problem::Again(format!("{url}: it continues at another place than it was asked for")))
                }
            },
            // Nothing of it may be continued: perhaps the file is another one now.
            StatusCode::RANGE_NOT_SATISFIABLE if part.len() > 0 => {
                part.clear()?;
                Err(Problem::Again(format!("{url}: it cannot be continued")))
            }
            status if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS => {
                Err(Problem::Again(format!("{url}: the server answers {status}")))
            }
            status => Err(Problem::Here(format!("{url}: the server answers {status}"))),
        }
    }
}

/// Copies a file; what is there of an earlier copy is not worth continuing.
pub(super) fn copy(
    path: &Path,
    check: Check,
    end: Deadline,
    part: &mut Part,
    observe: Observer<'_>,
) -> Result<(), Problem> {
    part.clear()?;
    let place = path.display().to_string();
    let here = |cause: io::Error| Problem::Here(format!("{place}: cannot be read: {cause}"));
    let file = File::open(path).map_err(here)?;
    let metadata = file.metadata().map_err(here)?;
    if !metadata.is_file() {
        return Err(Problem::Here(format!("{place}: it is not a file")));
    }
    if metadata.len() > check.most() {
        let (found, most) = (metadata.len(), check.most());
        return Err(Problem::Here(format!("{place}: it has {found} bytes, but the file has at most {most}")));
    }
    append(&place, file, (Some(metadata.len()), check.most()), end, part, observe)
}

/// Until when a file must have come from one place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deadline {
    start: Instant,
    time: Duration,
}

impl Deadline {
    pub(super) fn after(time: Duration) -> Deadline {
        Deadline { start: Instant::now(), time }
    }

    /// The time that is left.
    fn left(self, from: &str, part: &Part) -> Result<Duration, Problem> {
        match self.time.saturating_sub(self.start.elapsed()) {
            Duration::ZERO => {
                let (bytes, time) = (part.len(), self.time);
                Err(Problem::Here(format!("{from}: only {bytes} bytes have come within {time:?}")))
            }
            left => Ok(left),
        }
    }
}

/// Appends bytes up to the announced size, and no more than `most` in all.
fn append(
    from: &str,
    mut body: impl Read,
    (size, most): (Option<u64>, u64),
    end: Deadline,
    part: &mut Part,
    observe: Observer<'_>,
) -> Result<(), Problem> {
    let mut buffer = vec![0; BUFFER];
    let most = size.unwrap_or(most);
    loop {
        end.left(from, part)?;
        observe(&FetchEvent::Progress { done: part.len(), total: size });
        let count = match body.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => count,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(e) => {
                return Err(Problem::Again(format!("{from}: broken off after {} bytes: {e}", part.len())));
            }
        };
        if part.len() + count as u64 > most {
            part.clear()?;
            return Err(Problem::Here(format!("{from}: it sends more than the {most} bytes of the file")));
        }
        part.append(&buffer[..count])?;
    }
    match size {
        Some(size) if part.len() < size => {
            Err(Problem::Again(format!("{from}: broken off after {} of {size} bytes", part.len())))
        }
        _ => Ok(()),
    }
}

/// The first byte and the whole size in `Content-Range: bytes 5-9/10`.
fn range(response: &Response<Body>) -> Option<(u64, Option<u64>)> {
    let value = response.headers().get(header::CONTENT_RANGE)?.to_str().ok()?;
    let (range, whole) = value.trim().strip_prefix("bytes")?.trim_start().split_once('/')?;
    let (start, _) = range.split_once('-')?;
    Some((start.trim().parse().ok()?, whole.trim().parse().ok()))
}

/// Whether another try is worth it.
fn broken(url: &str, error: &ureq::Error) -> Problem {
    let problem = format!("{url}: {error}");
    match error {
        ureq::Error::Io(_) | ureq::Error::Timeout(_) | ureq::Error::ConnectionFailed => {
            Problem::Again(problem)
        }
        _ => Problem::Here(problem),
    }
}
