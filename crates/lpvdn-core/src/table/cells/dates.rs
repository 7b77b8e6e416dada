//! Points in time, as text has them: days since 1970-01-01.
//!
//! Accepted are dates that begin with the year (`2024-03-01`, `2024/03/01`), with a time after a `T` or a blank, and a
//! distance from UTC after that (`2024-03-01T12:30:00.5+01:00`); and dates that end with it (`31/12/2024`,
//! `12-31-2024`, `31.12.2024`), if the column shows whether the day or the month is the first.

use crate::table::DateOrder;

const SECONDS: f64 = 86_400.0;
/// Longer texts are no dates.
const LONGEST: usize = 48;

/// A point in time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Moment {
    /// Days since 1970-01-01.
    pub days: f64,
    /// In which order it must be read, where only one is possible.
    pub order: Option<DateOrder>,
    /// Whether its order must be known.
    pub needs_order: bool,
}

/// The point in time that a text is, if it is one. A date that ends with the year is read in this order, and as a day in
/// some order where none is given.
pub(super) fn parse(text: &str, order: Option<DateOrder>) -> Option<Moment> {
    let text = text.trim();
    if text.len() > LONGEST || !text.is_ascii() || !text.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let end = text.find(['T', 't', ' ']).unwrap_or(text.len());
    let (date, time) = text.split_at(end);
    let moment = parse_date(date, order)?;
    let seconds = if time.is_empty() { 0.0 } else { parse_time(time[1..].trim())? };
    Some(Moment { days: moment.days + seconds / SECONDS, ..moment })
}

fn parse_date(text: &str, order: Option<DateOrder>) -> Option<Moment> {
    let separator = text.chars().find(|c| !c.is_ascii_digit()).filter(|c| "-/.".contains(*c))?;
    let mut parts = text.split(separator);
    let (first, second, third) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() {
        return None;
    }
    if first.len() == 4 {
        let days = days(number(first, 4)?, number(second, 2)?, number(third, 2)?)?;
        return Some(Moment { days, order: None, needs_order: false });
    }
    let (first, second, year) = (number(first, 2)?, number(second, 2)?, number(third, 4)?);
    if third.len() != 4 {
        return None;
    }
    // Nobody writes the month first with points.
    let fixed = (separator == '.').then_some(DateOrder::DayFirst);
    let day_first = days(year, second, first);
    let month_first = days(year, first, second).filter(|_| fixed.is_none());
    let only = match (day_first, month_first) {
        (None, None) => return None,
        (Some(_), None) => Some(DateOrder::DayFirst),
        (None, Some(_)) => Some(DateOrder::MonthFirst),
        (Some(_), Some(_)) => None,
    };
    let days = match order.or(only) {
        Some(DateOrder::MonthFirst) => month_first?,
        Some(DateOrder::DayFirst) | None => day_first?,
    };
    // The same day in either order says nothing.
    Some(Moment { days, order: only, needs_order: true })
}

/// Seconds of the day: `12:30`, `12:30:00.5`, with a distance from UTC after it.
fn parse_time(text: &str) -> Option<f64> {
    let end = text.find(['Z', 'z', '+', '-', 'U']).unwrap_or(text.len());
    let (clock, zone) = text.split_at(end);
    let mut parts = clock.trim_end().split(':');
    let (hour, minute) = (number(parts.next()?, 2)?, number(parts.next()?, 2)?);
    let second: f64 = match parts.next() {
        None => 0.0,
        Some(text) if text.starts_with(|c: char| c.is_ascii_digit()) => {
            text.replace(',', ".").parse().ok()?
        }
        Some(_) => return None,
    };
    let valid = parts.next().is_none() && hour < 24 && minute < 60 && (0.0..60.0).contains(&second);
    let ahead = parse_zone(zone.trim())?;
    valid.then(|| f64::from(3600 * hour + 60 * minute) + second - ahead)
}

/// By how many seconds a clock is ahead of UTC.
fn parse_zone(text: &str) -> Option<f64> {
    if matches!(text, "" | "Z" | "z" | "UTC") {
        return Some(0.0);
    }
    let (sign, digits) = match text.split_at_checked(1)? {
        ("+", rest) => (1.0, rest),
        ("-", rest) => (-1.0, rest),
        _ => return None,
    };
    let (hours, minutes) = match digits.len() {
        2 => (digits, "0"),
        4 => digits.split_at(2),
        5 => digits.split_once(':')?,
        _ => return None,
    };
    let (hours, minutes) = (number(hours, 2)?, number(minutes, 2)?);
    (hours < 24 && minutes < 60).then(|| sign * f64::from(3600 * hours + 60 * minutes))
}

/// A number of at most `most` digits, and of nothing else.
fn number(text: &str, most: usize) -> Option<u32> {
    let digits = !text.is_empty() && text.len() <= most && text.bytes().all(|byte| byte.is_ascii_digit());
    if digits { text.parse().ok() } else { None }
}

/// Days since 1970-01-01 of a day that exists.
fn days(year: u32, month: u32, day: u32) -> Option<f64> {
    const LENGTHS: [u32; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let length = LENGTHS.get(month.checked_sub(1)? as usize)? + u32::from(leap && month == 2);
    if year == 0 || day == 0 || day > length {
        return None;
    }
    // Years that begin in March, so that a leap day is the last one.
    let (y, m) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let day_of_year = (153 * m + 2) / 5 + day - 1;
    let whole = 365 * i64::from(y) + i64::from(y / 4) - i64::from(y / 100) + i64::from(y / 400);
    Some((whole + i64::from(day_of_year) - 719_468) as f64)
}

/// A point in time in the usual form, for who needs it as text.
pub fn written(at: f64) -> String {
    let day = at.floor();
    let seconds = ((at - day) * SECONDS).round() as i64;
    let (day, seconds) = if seconds == 86_400 { (day as i64 + 1, 0) } else { (day as i64, seconds) };
    // The inverse of the above, in eras of 400 years.
    let z = day + 719_468;
    let era = z.div_euclid(146_097);
    let of_era = z.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let m = (5 * of_year + 2) / 153;
    let (day, month) = (of_year - (153 * m + 2) / 5 + 1, if m < 10 { m + 3 } else { m - 9 });
    let year = year_of_era + 400 * era + i64::from(month <= 2);
    let date = format!("{year:04}-{month:02}-{day:02}");
    match seconds {
        0 => date,
        s => format!("{date}T{:02}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> Option<f64> {
        parse(text, None).map(|moment| moment.days)
    }

    #[test]
    fn dates_are_days_since_1970() {
        for (text, days) in [
            ("1970-01-01", 0.0),
            ("1969-12-31", -1.0),
            ("2000-02-29", 11_016.0),
            ("2024-03-01", 19_783.0),
            ("2024/03/01", 19_783.0),
            ("2024-3-1", 19_783.0),
            ("0001-01-01", -719_162.0),
            ("9999-12-31", 2_932_896.0),
            ("2024-03-01T12:00:00Z", 19_783.5),
            ("2024-03-01 12:00", 19_783.5),
            ("2024-03-01 18:00:00.000", 19_783.75),
            ("2024-03-01T12:00:00+06:00", 19_783.25),
            ("2024-03-01T12:00:00-0600", 19_783.75),
            ("2024-03-01 12:00:00 UTC", 19_783.5),
        ] {
            assert_eq!(day(text), Some(days), "{text}");
        }
    }

    #[test]
    fn what_is_no_date_is_none() {
        for text in [
            "",
            "2024",
            "2024-03",
            "12/31",
            "2024-13-01",
            "2024-02-30",
            "2023-02-29",
            "1900-02-29",
            "0000-01-01",
            "2024-00-10",
            "2024-01-00",
            "32/01/2024",
            "13/13/2024",
            "1/2/24",
            "99999-01-01",
            "2024-03-01T25:00",
            "2024-03-01T12",
            "2024-03-01T12:60",
            "2024-03-01 noon",
            "2024-03-01T12:00:61",
            "2024-03-01T12:00+99:00",
            "1.5",
            "1.2.3.4",
            "-2024-01-01",
            "2024-03-01T12:00:00+",
            "2024-03-01T12:00:nan",
            "2024-03/01",
            "١٢/٠١/٢٠٢٤",
        ] {
            assert_eq!(parse(text, None), None, "{text}");
        }
    }

    #[test]
    fn a_day_above_12_tells_the_order() {
        let order = |text| parse(text, None).map(|moment| (moment.order, moment.needs_order));
        assert_eq!(order("31/12/2024"), Some((Some(DateOrder::DayFirst), true)));
        assert_eq!(order("12/31/2024"), Some((Some(DateOrder::MonthFirst), true)));
        assert_eq!(order("12-31-2024"), Some((Some(DateOrder::MonthFirst), true)));
        assert_eq!(order("01/02/2024"), Some((None, true)));
        assert_eq!(order("01.02.2024"), Some((Some(DateOrder::DayFirst), true)));
        assert_eq!(order("12.31.2024"), None);
        assert_eq!(order("2024-01-02"), Some((None, false)));
        let read = |order| parse("01/02/2024", Some(order)).map(|moment| written(moment.days));
        assert_eq!(read(DateOrder::DayFirst).as_deref(), Some("2024-02-01"));
        assert_eq!(read(DateOrder::MonthFirst).as_deref(), Some("2024-01-02"));
        assert_eq!(parse("31/12/2024", Some(DateOrder::MonthFirst)), None);
    }

    #[test]
    fn every_day_is_written_as_it_is_read() {
        for at in (-800_000..3_000_000).step_by(9973) {
            let text = written(f64::from(at));
            if (-719_162..2_932_897).contains(&at) {
                assert_eq!(day(&text), Some(f64::from(at)), "{text}");
            }
        }
        assert_eq!(written(19_783.5), "2024-03-01T12:00:00");
    }
}
