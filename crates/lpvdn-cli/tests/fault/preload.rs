//! Makes calls of a program fail. `tests/faults.rs` compiles this file to a shared library and has it loaded before the C
//! library, through which Rust's standard library reaches the system.
//!
//! Calls that change something below the folder `LPVDN_FAULT_FOLDER` are counted from 1. What happens at number
//! `LPVDN_FAULT_AT` is `LPVDN_FAULT_KIND`:
//!
//! | kind | what happens |
//! |---|---|
//! | `count` | nothing; each call is noted in the file `LPVDN_FAULT_LOG` |
//! | `error` | this call fails with the error `LPVDN_FAULT_ERRNO` |
//! | `full` | from here on, whatever takes room fails with ENOSPC |
//! | `short` | half of what is to be written is; from then on, the disk is full |
//! | `kill` | the process is killed before the call |
//! | `memory` | counts allocations of at least `LPVDN_FAULT_SIZE` bytes instead, and this one fails |

use std::ffi::{CStr, c_char, c_int, c_long, c_uint, c_void};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicU8, AtomicU64, Ordering::SeqCst};

type Size = usize;

unsafe extern "C" {
    fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
    fn getenv(name: *const c_char) -> *mut c_char;
    fn __errno_location() -> *mut c_int;
    fn getpid() -> c_int;
    fn kill(process: c_int, signal: c_int) -> c_int;
    fn readlink(path: *const c_char, buffer: *mut c_char, size: Size) -> isize;
    fn __libc_malloc(size: Size) -> *mut c_void;
    fn __libc_calloc(count: Size, size: Size) -> *mut c_void;
    fn __libc_realloc(old: *mut c_void, size: Size) -> *mut c_void;
    fn __libc_memalign(alignment: Size, size: Size) -> *mut c_void;
}

const NEXT: *mut c_void = -1_isize as *mut c_void;
const CREATE: c_int = 0o100;
const APPEND: c_int = 0o2000;
const WRITE_ONLY: c_int = 1;
const KILL: c_int = 9;
const ENOMEM: c_int = 12;
const ENOSPC: c_int = 28;
/// "The working folder", where a path is relative to an open one.
const AT_FDCWD: c_int = -100;

const OFF: u8 = 0;
const COUNT: u8 = 1;
const ERROR: u8 = 2;
const FULL: u8 = 3;
const SHORT: u8 = 4;
const KILLED: u8 = 5;
const MEMORY: u8 = 6;

static KIND: AtomicU8 = AtomicU8::new(OFF);
static AT: AtomicU64 = AtomicU64::new(0);
static SIZE: AtomicU64 = AtomicU64::new(0);
static ERRNO: AtomicI32 = AtomicI32::new(5);
static FOLDER: AtomicPtr<c_char> = AtomicPtr::new(std::ptr::null_mut());
static LOG: AtomicI32 = AtomicI32::new(-1);
static CALLS: AtomicU64 = AtomicU64::new(0);
static NO_ROOM: AtomicBool = AtomicBool::new(false);

/// Runs when the library is loaded.
#[used]
#[unsafe(link_section = ".init_array")]
static START: extern "C" fn() = start;

extern "C" fn start() {
    let number = |name: &CStr| variable(name).and_then(|v| v.to_str().ok()?.parse::<u64>().ok());
    AT.store(number(c"LPVDN_FAULT_AT").unwrap_or(0), SeqCst);
    SIZE.store(number(c"LPVDN_FAULT_SIZE").unwrap_or(0), SeqCst);
    ERRNO.store(number(c"LPVDN_FAULT_ERRNO").unwrap_or(5) as i32, SeqCst);
    // SAFETY: the name ends with a zero.
    FOLDER.store(unsafe { getenv(c"LPVDN_FAULT_FOLDER".as_ptr()) }, SeqCst);
    if let Some(path) = variable(c"LPVDN_FAULT_LOG") {
        // SAFETY: the path ends with a zero.
        LOG.store(unsafe { real_open(path.as_ptr(), WRITE_ONLY | CREATE | APPEND, 0o600) }, SeqCst);
    }
    let kind = match variable(c"LPVDN_FAULT_KIND").map(CStr::to_bytes) {
        Some(b"count") => COUNT,
        Some(b"error") => ERROR,
        Some(b"full") => FULL,
        Some(b"short") => SHORT,
        Some(b"kill") => KILLED,
        Some(b"memory") => MEMORY,
        _ => OFF,
    };
    KIND.store(kind, SeqCst);
}

fn variable(name: &CStr) -> Option<&'static CStr> {
    // SAFETY: the name ends with a zero, and nobody changes the environment of the program.
    let value = unsafe { getenv(name.as_ptr()) };
    // SAFETY: as above.
    (!value.is_null()).then(|| unsafe { CStr::from_ptr(value) })
}

/// The function that this library stands before.
macro_rules! real {
    ($name:ident: fn($($type:ty),*) -> $result:ty) => {{
        static FOUND: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());
        let mut found = FOUND.load(SeqCst);
        if found.is_null() {
            let name = concat!(stringify!($name), "\0");
            found = dlsym(NEXT, name.as_ptr().cast());
            FOUND.store(found, SeqCst);
        }
        std::mem::transmute::<*mut c_void, unsafe extern "C" fn($($type),*) -> $result>(found)
    }};
}

// The mode, which is given only to create a file, is passed on as it came.
unsafe fn real_open(path: *const c_char, flags: c_int, mode: c_uint) -> c_int {
    unsafe { real!(open64: fn(*const c_char, c_int, c_uint) -> c_int)(path, flags, mode) }
}

/// What becomes of a call.
enum Fate {
    Passes,
    Fails(c_int),
    Halved,
}

fn is_below(path: &[u8]) -> bool {
    let folder = FOLDER.load(SeqCst);
    // SAFETY: a variable of the environment, which ends with a zero.
    !folder.is_null() && path.starts_with(unsafe { CStr::from_ptr(folder) }.to_bytes())
}

fn path_below(path: *const c_char) -> bool {
    // SAFETY: what the program gives for a path ends with a zero.
    !path.is_null() && is_below(unsafe { CStr::from_ptr(path) }.to_bytes())
}

fn file_below(file: c_int) -> bool {
    let mut name = *b"/proc/self/fd/\0\0\0\0\0\0\0\0\0\0\0\0";
    let (mut digits, mut rest, mut at) = ([0_u8; 10], file.max(0), 10);
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    name[14..14 + 10 - at].copy_from_slice(&digits[at..]);
    let mut target = [0_u8; 4096];
    // SAFETY: the name ends with a zero, and the size is that of the buffer.
    let length = unsafe { readlink(name.as_ptr().cast(), target.as_mut_ptr().cast(), target.len()) };
    length > 0 && is_below(&target[..length as usize])
}

fn fate(name: &str, takes_room: bool, concerned: impl FnOnce() -> bool) -> Fate {
    let kind = KIND.load(SeqCst);
    if kind == OFF || kind == MEMORY || !concerned() {
        return Fate::Passes;
    }
    let (number, at) = (CALLS.fetch_add(1, SeqCst) + 1, AT.load(SeqCst));
    if kind == COUNT {
        note(name);
    }
    if takes_room && NO_ROOM.load(SeqCst) {
        return Fate::Fails(ENOSPC);
    }
    match kind {
        ERROR if number == at => Fate::Fails(ERRNO.load(SeqCst)),
        FULL if number >= at && takes_room => Fate::Fails(ENOSPC),
        SHORT if number == at && name == "write" => {
            NO_ROOM.store(true, SeqCst);
            Fate::Halved
        }
        KILLED if number == at => {
            // SAFETY: it concerns this process alone.
            unsafe { kill(getpid(), KILL) };
            Fate::Passes
        }
        _ => Fate::Passes,
    }
}

/// Appends a line to the log.
fn note(name: &str) {
    let mut line = [b'\n'; 16];
    line[..name.len()].copy_from_slice(name.as_bytes());
    // SAFETY: so many bytes are there.
    unsafe {
        real!(write: fn(c_int, *const c_void, Size) -> isize)(
            LOG.load(SeqCst),
            line.as_ptr().cast(),
            name.len() + 1,
        )
    };
}

fn failed(errno: c_int) -> c_int {
    // SAFETY: the place of this thread.
    unsafe { *__errno_location() = errno };
    -1
}

/// A function that fails with -1.
macro_rules! stand_before {
    ($name:ident($($argument:ident: $type:ty),*), $room:expr, $concerned:expr) => {
        /// See the table.
        ///
        /// # Safety
        /// That of the function of this name in C.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: $type),*) -> c_int {
            match fate(stringify!($name), $room, || $concerned) {
                Fate::Fails(errno) => failed(errno),
                Fate::Passes | Fate::Halved => unsafe { real!($name: fn($($type),*) -> c_int)($($argument),*) },
            }
        }
    };
}

stand_before!(open64(path: *const c_char, flags: c_int, mode: c_uint), true, flags & CREATE != 0 && path_below(path));
stand_before!(open(path: *const c_char, flags: c_int, mode: c_uint), true, flags & CREATE != 0 && path_below(path));
stand_before!(mkdir(path: *const c_char, mode: c_uint), true, path_below(path));
stand_before!(rename(from: *const c_char, to: *const c_char), false, path_below(from) || path_below(to));
stand_before!(link(from: *const c_char, to: *const c_char), true, path_below(to));
stand_before!(unlink(path: *const c_char), false, path_below(path));
stand_before!(rmdir(path: *const c_char), false, path_below(path));
stand_before!(unlinkat(folder: c_int, path: *const c_char, flags: c_int), false,
    path_below(path) || folder != AT_FDCWD && file_below(folder));
stand_before!(fsync(file: c_int), false, file_below(file));
stand_before!(fdatasync(file: c_int), false, file_below(file));
stand_before!(ftruncate64(file: c_int, length: c_long), true, file_below(file));
stand_before!(fchmod(file: c_int, mode: c_uint), false, file_below(file));
stand_before!(chmod(path: *const c_char, mode: c_uint), false, path_below(path));

/// See the table.
///
/// # Safety
/// That of `write` in C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn write(file: c_int, bytes: *const c_void, count: Size) -> isize {
    let count = match fate("write", true, || file_below(file)) {
        Fate::Fails(errno) => return failed(errno) as isize,
        Fate::Halved => count.div_ceil(2),
        Fate::Passes => count,
    };
    unsafe { real!(write: fn(c_int, *const c_void, Size) -> isize)(file, bytes, count) }
}

/// Whether this allocation fails.
fn runs_out(size: Size) -> bool {
    if KIND.load(SeqCst) != MEMORY || (size as u64) < SIZE.load(SeqCst) {
        return false;
    }
    let number = CALLS.fetch_add(1, SeqCst) + 1;
    if AT.load(SeqCst) == 0 {
        note("allocation");
    }
    number == AT.load(SeqCst) && failed(ENOMEM) < 0
}

/// See the table.
///
/// # Safety
/// That of `malloc` in C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn malloc(size: Size) -> *mut c_void {
    if runs_out(size) { std::ptr::null_mut() } else { unsafe { __libc_malloc(size) } }
}

/// See the table.
///
/// # Safety
/// That of `calloc` in C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn calloc(count: Size, size: Size) -> *mut c_void {
    if runs_out(count.saturating_mul(size)) {
        std::ptr::null_mut()
    } else {
        unsafe { __libc_calloc(count, size) }
    }
}

/// See the table.
///
/// # Safety
/// That of `realloc` in C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn realloc(old: *mut c_void, size: Size) -> *mut c_void {
    if runs_out(size) { std::ptr::null_mut() } else { unsafe { __libc_realloc(old, size) } }
}

/// See the table.
///
/// # Safety
/// That of `posix_memalign` in C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posix_memalign(out: *mut *mut c_void, alignment: Size, size: Size) -> c_int {
    if runs_out(size) {
        return ENOMEM;
    }
    let found = unsafe { __libc_memalign(alignment, size) };
    if found.is_null() {
        return ENOMEM;
    }
    unsafe { *out = found };
    0
}
