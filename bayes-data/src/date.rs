//! Dates as numbers.

mod format;

pub(crate) use format::Format;

use bayes_core::Error;
use bayes_core::run::TableError;
use std::fmt;
use std::str::FromStr;

/// Seconds of a day. Dates are in Coordinated Universal Time, without leap seconds.
const DAY: f64 = 86_400.0;
/// Seconds of an hour.
const HOUR: f64 = 3600.0;
/// The expected text of an ISO date.
const ISO: &str = "a date such as 2024-03-01 or 2024-03-01T14:30:05";

/// A day of the Gregorian calendar, optionally with a time of day. A model takes the numbers [`days_since`](Self::days_since) another
/// date, or [`decimal_year`](Self::decimal_year). [`Table::dates`](crate::Table::dates) and [`Table::dates_as`](crate::Table::dates_as)
/// read columns of dates, and `"2024-03-01".parse::<Date>()?` is one of a program.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Date {
    /// Days from 1 January 1970 on.
    day: i64,
    /// Seconds of the day, below 86,400.
    seconds: f64,
}

/// A date by its parts.
#[derive(Clone, Copy, Debug, Default)]
struct Parts {
    year: i64,
    /// From 1, like the day of the month.
    month: i64,
    day: i64,
    /// Replaces month and day, from 1.
    day_of_year: Option<i64>,
    hour: f64,
    minute: f64,
    second: f64,
    /// Seconds by which the clock is ahead of Coordinated Universal Time.
    ahead: f64,
}

impl Date {
    /// The beginning of 1 January 1970.
    pub const EPOCH: Self = Self {
        day: 0,
        seconds: 0.0,
    };

    /// Days from another date to this one, negative if this date is earlier; a time of day counts as a part of its day.
    #[must_use]
    pub fn days_since(&self, other: Self) -> f64 {
        (self.day - other.day) as f64 + (self.seconds - other.seconds) / DAY
    }

    /// The year plus the share of it that has passed: 2024.5 is the beginning of 2 July 2024, after 183 of 366 days.
    #[must_use]
    pub fn decimal_year(&self) -> f64 {
        let [year, ..] = civil(self.day);
        let [start, end] = [year, year + 1].map(|year| days(year, 1, 1));
        let passed = (self.day - start) as f64 + self.seconds / DAY;
        year as f64 + passed / (end - start) as f64
    }

    /// The date of an ISO 8601 text, with `T` or a blank before the time, and optionally `Z` or an offset such as `+02:00` after it.
    ///
    /// # Errors
    /// The expected text, in words.
    pub(crate) fn iso(text: &str) -> Result<Self, &'static str> {
        let (date, time) = match text.find(['T', 't', ' ']) {
            Some(at) => (&text[..at], Some(&text[at + 1..])),
            None => (text, None),
        };
        let mut parts = Parts::default();
        let numbers: Vec<&str> = date.split('-').collect();
        let [year, month, day] = numbers[..] else {
            return Err(ISO);
        };
        parts.year = digits(year, 4).ok_or(ISO)?;
        parts.month = digits(month, 2).ok_or(ISO)?;
        parts.day = digits(day, 2).ok_or(ISO)?;
        if let Some(time) = time {
            parts.read_time(time).ok_or(ISO)?;
        }
        parts.date()
    }
}

impl Parts {
    /// `14:30`, `14:30:05`, `14:30:05.25`, with an offset or without.
    fn read_time(&mut self, text: &str) -> Option<()> {
        let (time, offset) = match text.find(['Z', 'z', '+', '-']) {
            Some(at) => (text[..at].trim_end(), &text[at..]),
            None => (text, ""),
        };
        let mut numbers = time.split(':');
        self.hour = digits(numbers.next()?, 2)? as f64;
        self.minute = digits(numbers.next()?, 2)? as f64;
        if let Some(second) = numbers.next() {
            let (whole, part) = second.split_once('.').unwrap_or((second, "0"));
            let _: i64 = digits(whole, 2)?;
            let is_number = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
            self.second = is_number.then(|| second.parse().ok())??;
        }
        self.ahead = match offset {
            "" | "Z" | "z" => 0.0,
            _ => ahead(offset)?,
        };
        numbers.next().is_none().then_some(())
    }

    /// # Errors
    /// In words, if the calendar has no such day or the day has no such time.
    fn date(self) -> Result<Date, &'static str> {
        let is_time = self.hour < 24.0 && self.minute < 60.0 && self.second < 60.0;
        let day = self.days().filter(|_| is_time);
        let day = day.ok_or("a day of the calendar, with a time before 24:00 if it has one")?;
        let seconds = self.hour * HOUR + self.minute * 60.0 + self.second - self.ahead;
        // the offset may lead to the previous or the next day
        let more = (seconds / DAY).floor();
        Ok(Date {
            day: day + more as i64,
            seconds: seconds - more * DAY,
        })
    }

    /// Days from 1 January 1970 on; `None` if there is no such day.
    fn days(&self) -> Option<i64> {
        if let Some(day) = self.day_of_year {
            let start = days(self.year, 1, 1);
            let length = days(self.year + 1, 1, 1) - start;
            return (1..=length).contains(&day).then(|| start + day - 1);
        }
        let is_day = (1..=12).contains(&self.month)
            && (1..=days_of_month(self.year, self.month)).contains(&self.day);
        is_day.then(|| days(self.year, self.month, self.day))
    }
}

/// An ISO 8601 text, as in [`Table::dates`](crate::Table::dates): `2024-03-01`, or with a time of day `2024-03-01T14:30:05`. The error is
/// [`TableError::Date`].
impl FromStr for Date {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        Self::iso(text).map_err(|wanted| {
            let text = text.to_owned();
            TableError::Date { text, wanted }.into()
        })
    }
}

/// `2024-03-01`, with a time of day if it is not midnight.
impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [year, month, day] = civil(self.day);
        write!(f, "{year:04}-{month:02}-{day:02}")?;
        if self.seconds == 0.0 {
            return Ok(());
        }
        let (hour, rest) = ((self.seconds / HOUR) as u64, self.seconds % HOUR);
        let (minute, second) = ((rest / 60.0) as u64, rest % 60.0);
        let zero = if second < 10.0 { "0" } else { "" };
        write!(f, "T{hour:02}:{minute:02}:{zero}{second}")
    }
}

/// A number of exactly `count` digits.
fn digits(text: &str, count: usize) -> Option<i64> {
    let is_number = text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok())?
}

/// Seconds of an offset `+02:00`, `+0200` or `+02`.
fn ahead(offset: &str) -> Option<f64> {
    let sign = if offset.starts_with('-') { -1.0 } else { 1.0 };
    let numbers = offset.get(1..)?.replace(':', "");
    let hours = digits(numbers.get(..2)?, 2)?;
    let minutes = match numbers.get(2..)? {
        "" => 0,
        minutes => digits(minutes, 2)?,
    };
    let is_time = hours < 24 && minutes < 60;
    is_time.then_some(sign * (hours as f64 * HOUR + minutes as f64 * 60.0))
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_of_month(year: i64, month: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if is_leap(year) => 29,
        2 => 28,
        _ => 31,
    }
}

/// Days from 1 January 1970 to a date. The year begins in March, so that the leap day is its last; 400 years are a period of 146,097 days.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let from_march = (month + 9) % 12;
    let year = year - from_march / 10;
    let day_of_year = (153 * from_march + 2) / 5 + day - 1;
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    // 719,468 days from 1 March of year 0 to 1970
    365 * year + leap_days + day_of_year - 719_468
}

/// Year, month and day of a day from 1 January 1970 on.
fn civil(day: i64) -> [i64; 3] {
    // start from the mean year, then correct it
    let guess = 1970 + (day as f64 / 365.2425).floor() as i64;
    let starts = |year: &i64| days(*year, 1, 1) <= day;
    let year = (guess - 1..=guess + 1).rev().find(starts).unwrap_or(guess);
    let mut rest = day - days(year, 1, 1);
    let mut month = 1;
    while rest >= days_of_month(year, month) {
        rest -= days_of_month(year, month);
        month += 1;
    }
    [year, month, rest + 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn date(text: &str) -> Date {
        Date::iso(text).expect("it is a date")
    }

    #[test]
    fn every_day_of_400_years_follows_the_one_before() {
        let mut at = days(1800, 1, 1);
        for year in 1800..2200 {
            for month in 1..=12 {
                for day in 1..=days_of_month(year, month) {
                    assert_eq!(days(year, month, day), at);
                    assert_eq!(civil(at), [year, month, day]);
                    at += 1;
                }
            }
        }
        // 400 years of the Gregorian calendar
        assert_eq!(at - days(1800, 1, 1), 146_097);
        assert_eq!(days(1970, 1, 1), 0);
        assert_eq!(days(2000, 3, 1), 11_017);
        assert_eq!(days(0, 1, 1), -719_528);
    }

    #[test]
    fn dates_are_days_and_years() {
        assert_eq!(date("2024-03-01").days_since(date("2024-02-28")), 2.0);
        assert_eq!(date("2023-03-01").days_since(date("2023-02-28")), 1.0);
        assert_eq!(date("1969-12-31").days_since(date("1970-01-01")), -1.0);
        assert_eq!(date("2024-07-02").decimal_year(), 2024.5);
        assert_eq!(date("2023-07-02T12:00").decimal_year(), 2023.5);
        assert_eq!(date("2000-01-01").decimal_year(), 2000.0);
        assert!(date("2024-02-29T23:59:59") < date("2024-03-01"));
    }

    #[test]
    fn a_time_of_day_is_a_part_of_its_day() {
        let start = date("2024-03-01");
        let since = |text: &str| date(text).days_since(start);
        assert_eq!(since("2024-03-01T06:00"), 0.25);
        assert_eq!(since("2024-03-01 18:00:00.0"), 0.75);
        assert_eq!(since("2024-03-01T00:30:00+02:00"), -0.0625);
        assert_eq!(since("2024-02-29T23:00:00-0130"), 1.0 / 48.0);
        // as in Parquet files
        assert_eq!(since("2024-03-02 12:00:00 +00:00"), 1.5);
        assert_eq!(
            date("2024-03-01T06:05:04.5Z").to_string(),
            "2024-03-01T06:05:04.5"
        );
        assert_eq!(start.to_string(), "2024-03-01");
    }

    #[test]
    fn a_text_of_a_program_is_a_date_or_an_error_that_says_what_is() {
        assert_eq!("2024-02-29".parse(), Ok(date("2024-02-29")));
        let error = "2023-02-29".parse::<Date>().expect_err("no leap year");
        assert_eq!(
            error.to_string(),
            "`2023-02-29` is no date: it must be a day of the calendar, with a time before 24:00 if it has one"
        );
    }

    #[test]
    fn what_is_no_date_is_refused() {
        for text in [
            "2023-02-29",
            "1900-02-29",
            "2024-13-01",
            "2024-00-10",
            "2024-04-31",
            "2024-3-1",
            "24-03-01",
            "20240301",
            "2024-03",
            "2024-03-01T",
            "2024-03-01T24:00",
            "2024-03-01T6:00",
            "2024-03-01T06:60",
            "2024-03-01T06:00:5",
            "2024-03-01T06:00:05.",
            "2024-03-01T06:00+2",
            "2024-03-01x",
            "+024-03-01",
            "yesterday",
            "",
        ] {
            assert!(Date::iso(text).is_err(), "{text}");
        }
    }
}
