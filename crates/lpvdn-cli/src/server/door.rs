//! Who is answered, and when.
//!
//! Each peer has a thread. There are so many places; when all are taken, whoever has had one longest makes room, so that
//! peers that read slowly, or say nothing, keep nobody out.

use std::io::{self, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Peers that are answered at once: more than a page ever asks for.
const AT_ONCE: usize = 32;
/// How long nobody is sent away.
const GRACE: Duration = Duration::from_millis(250);
/// How long a refusal may take.
const BRIEF: Duration = Duration::from_millis(50);
/// How long to wait when the system gives no connection, as when too many files are open.
const PAUSE: Duration = Duration::from_millis(50);

/// Answers a peer.
pub(super) type Answer = Arc<dyn Fn(TcpStream) -> io::Result<()> + Send + Sync>;
/// Starts a thread.
type Start = fn(Box<dyn FnOnce() + Send>) -> io::Result<()>;

/// Where peers come in.
pub(super) struct Door {
    listener: TcpListener,
    answer: Answer,
    guests: Arc<Mutex<Guests>>,
    start: Start,
}

/// Those who are being answered, the first one first.
#[derive(Default)]
struct Guests {
    next: u64,
    all: Vec<Guest>,
}

struct Guest {
    number: u64,
    since: Instant,
    /// To send it away with.
    peer: TcpStream,
}

impl Guests {
    /// Takes a peer in, if need be in the place of the first one.
    fn admit(&mut self, peer: &TcpStream) -> Option<u64> {
        if self.all.len() >= AT_ONCE {
            let first = self.all.first().filter(|guest| guest.since.elapsed() >= GRACE)?;
            // Its thread ends with an error.
            let _ = first.peer.shutdown(Shutdown::Both);
            self.all.remove(0);
        }
        let guest = Guest { number: self.next, since: Instant::now(), peer: peer.try_clone().ok()? };
        self.next += 1;
        self.all.push(guest);
        Some(self.next - 1)
    }

    fn leave(&mut self, number: u64) {
        self.all.retain(|guest| guest.number != number);
    }
}

impl Door {
    pub(super) fn new(listener: TcpListener, answer: Answer) -> Door {
        let start: Start = |work| thread::Builder::new().spawn(work).map(drop);
        Door { listener, answer, guests: Arc::default(), start }
    }

    /// Answers whoever comes, until `stop` is set and one more has come.
    pub(super) fn open(&self, stop: &AtomicBool) {
        while !stop.load(Ordering::SeqCst) {
            match self.listener.accept() {
                Ok(_) if stop.load(Ordering::SeqCst) => {}
                Ok((peer, _)) => self.let_in(peer),
                Err(_) => thread::sleep(PAUSE),
            }
        }
    }

    fn guests(&self) -> MutexGuard<'_, Guests> {
        self.guests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whoever goes away does not wait for an answer: errors are theirs.
    fn let_in(&self, peer: TcpStream) {
        let Some(number) = self.guests().admit(&peer) else {
            let _ = refuse(peer);
            return;
        };
        let (hand_over, receive) = mpsc::channel::<TcpStream>();
        let (answer, leaving) = (Arc::clone(&self.answer), Leaving(Arc::clone(&self.guests), number));
        let started = (self.start)(Box::new(move || {
            let _leaving = leaving;
            if let Ok(peer) = receive.recv() {
                let _ = answer(peer);
            }
        }));
        // Where there is no thread for it, the peer is refused. Its place is free again: the work was dropped.
        let _ = match started {
            Ok(()) => hand_over.send(peer).map_err(|_| io::ErrorKind::BrokenPipe.into()),
            Err(_) => refuse(peer),
        };
    }
}

/// Frees a place, however the answer ends.
struct Leaving(Arc<Mutex<Guests>>, u64);

impl Drop for Leaving {
    fn drop(&mut self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).leave(self.1);
    }
}

fn refuse(mut peer: TcpStream) -> io::Result<()> {
    peer.set_write_timeout(Some(BRIEF))?;
    peer.write_all(
        b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
    )
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::net::SocketAddr;

    use super::super::site::send;
    use super::*;

    /// A door that is open until it is dropped.
    struct Opened {
        address: SocketAddr,
        stop: Arc<AtomicBool>,
        thread: Option<thread::JoinHandle<()>>,
    }

    /// Of one byte, `s`, it makes an endless answer; of any other a short one.
    fn answer(mut peer: TcpStream) -> io::Result<()> {
        let mut first = [0];
        peer.read_exact(&mut first)?;
        let end = Instant::now() + Duration::from_secs(60);
        match first {
            [b's'] => send(&mut peer, &vec![0; 100_000_000], end),
            [b'p'] => panic!("a fault"),
            _ => send(&mut peer, b"hello", end),
        }
    }

    impl Opened {
        fn new(start: Option<Start>) -> Opened {
            let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
            let address = listener.local_addr().expect("an address");
            let mut door = Door::new(listener, Arc::new(answer));
            door.start = start.unwrap_or(door.start);
            let stop = Arc::new(AtomicBool::new(false));
            let stopped = Arc::clone(&stop);
            let thread = Some(thread::spawn(move || door.open(&stopped)));
            Opened { address, stop, thread }
        }

        fn ask(&self, what: &[u8]) -> TcpStream {
            let mut peer = TcpStream::connect(self.address).expect("a connection");
            let _ = peer.write_all(what);
            peer
        }

        fn answer_to(&self, what: &[u8]) -> String {
            let mut text = String::new();
            let mut peer = self.ask(what);
            peer.set_read_timeout(Some(Duration::from_secs(10))).expect("a timeout");
            let _ = peer.read_to_string(&mut text);
            text
        }
    }

    impl Drop for Opened {
        fn drop(&mut self) {
            self.stop.store(true, Ordering::SeqCst);
            let _ = TcpStream::connect(self.address);
            if let Some(thread) = self.thread.take() {
                thread.join().expect("no panic");
            }
        }
    }

    #[test]
    fn many_peers_that_read_nothing_or_say_nothing_keep_nobody_out() {
        for what in [&b"s"[..], b""] {
            let opened = Opened::new(None);
            let slow: Vec<TcpStream> = (0..64).map(|_| opened.ask(what)).collect();
            thread::sleep(GRACE + Duration::from_millis(100));
            for _ in 0..40 {
                assert_eq!(opened.answer_to(b"x"), "hello");
            }
            drop(slow);
        }
    }

    #[test]
    fn a_peer_that_came_just_now_is_not_sent_away() {
        // On a busy machine the peers may not all come within the time that they are given: then they come again.
        loop {
            let opened = Opened::new(None);
            let started = Instant::now();
            let slow: Vec<TcpStream> = (0..AT_ONCE).map(|_| opened.ask(b"s")).collect();
            let answer = opened.answer_to(b"x");
            let in_time = started.elapsed() < GRACE;
            drop(slow);
            if in_time {
                assert!(answer.starts_with("HTTP/1.1 503"), "{answer}");
                return;
            }
        }
    }

    #[test]
    fn without_threads_peers_are_refused_and_the_server_lives() {
        let opened = Opened::new(Some(|_| Err(io::ErrorKind::WouldBlock.into())));
        for _ in 0..2 * AT_ONCE {
            assert!(opened.answer_to(b"x").starts_with("HTTP/1.1 503"));
        }
    }

    #[test]
    fn a_fault_in_an_answer_frees_its_place() {
        let opened = Opened::new(None);
        for _ in 0..2 * AT_ONCE {
            assert_eq!(opened.answer_to(b"p"), "");
        }
        assert_eq!(opened.answer_to(b"x"), "hello");
    }

    #[test]
    fn the_next_peer_does_not_wait() {
        let opened = Opened::new(None);
        let mut times: Vec<Duration> = (0..41)
            .map(|_| {
                let start = Instant::now();
                assert_eq!(opened.answer_to(b"x"), "hello");
                start.elapsed()
            })
            .collect();
        times.sort_unstable();
        assert!(times[20] < Duration::from_millis(5), "{:?}", times[20]);
    }
}
