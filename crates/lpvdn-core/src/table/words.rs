//! Columns of words.

use std::collections::HashMap;

use super::content::Content;
use super::reading::Missing;
use super::truth;
use super::verdict::{FEWEST_ROWS, Verdict};

/// More different words than this are text, or names of the rows, and no categories.
pub const MOST_WORDS: usize = 65_536;
/// As many of the most frequent words have a value of their own, however rare they are.
pub const MOST_FREQUENT: usize = 50;

/// Beyond the most frequent words, those in a smaller part of the rows share a value. A word of one row in two hundred
/// hardly makes a cluster, and with this part there are at most as many values again as [`MOST_FREQUENT`] four times.
const RARE: f64 = 0.005;
/// And those in fewer rows than this: a word that stands once says nothing about other rows.
const FEWEST: usize = 2;

/// As what the words of a column are to be taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WordKind {
    /// As a truth, if there are two words that deny each other, else as categories.
    #[default]
    Any,
    /// As categories.
    Category,
    /// As a truth: there must be two different words.
    Boolean,
}

/// A column of words, as its cells arrive. Every word has a code: the number of different words before it.
#[derive(Clone, Debug, Default)]
pub struct WordColumn {
    codes: HashMap<String, usize>,
    /// Of each word, how many cells hold it.
    counts: Vec<usize>,
    cells: usize,
    missing: usize,
    /// Whether the cells were declared to be truths.
    truths: bool,
}

impl WordColumn {
    /// A column that is known to hold `false`, with the code 0, and `true`, with the code 1.
    pub fn truths() -> WordColumn {
        let codes = [("false".to_owned(), 0), ("true".to_owned(), 1)].into_iter().collect();
        WordColumn { codes, counts: vec![0; 2], truths: true, ..WordColumn::default() }
    }

    /// The code of the next cell's word. `None` where it would be one word too many.
    pub fn push(&mut self, word: &str) -> Option<usize> {
        let code = match self.codes.get(word) {
            Some(&code) => code,
            None if self.counts.len() == MOST_WORDS => return None,
            None => {
                self.codes.insert(word.to_owned(), self.counts.len());
                self.counts.push(0);
                self.counts.len() - 1
            }
        };
        self.counts[code] += 1;
        self.cells += 1;
        Some(code)
    }

    /// The next cell is missing.
    pub fn push_missing(&mut self) {
        self.cells += 1;
        self.missing += 1;
    }

    /// How many different words have come.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// Whether none has come.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// The words that have come, in no order.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.codes.keys().map(String::as_str)
    }

    /// Whether every word stands in one cell only.
    pub fn all_differ(&self) -> bool {
        self.counts.iter().all(|&count| count <= 1)
    }

    /// Why the column says nothing about its rows, if it does not. To be missing says something where it is a category.
    pub fn verdict(&self, missing: Missing) -> Option<Verdict> {
        let present = self.cells - self.missing;
        if present == 0 {
            return Some(Verdict::Empty);
        }
        if self.cells < FEWEST_ROWS {
            return None;
        }
        let only = self.counts.iter().position(|&count| count == present);
        let says_more = missing == Missing::Category && self.missing > 0;
        match only {
            Some(code) if !says_more => {
                let word = self.codes.iter().find(|(_, other)| **other == code).map(|(word, _)| word);
                Some(Verdict::Constant(word.cloned().unwrap_or_default()))
            }
            _ if self.all_differ() && present >= FEWEST_ROWS => Some(Verdict::Ids),
            _ => None,
        }
    }

    /// What the column holds, and for each code of a word the value that is 1 for it, or for a truth the value itself.
    /// `None` where truths are wanted and there are not two words.
    pub fn finish(self, kind: WordKind, missing: Missing) -> Option<(Content, Vec<usize>)> {
        let category_of_missing = missing == Missing::Category && self.missing > 0;
        let may_be_truth = kind == WordKind::Boolean || (kind == WordKind::Any && !category_of_missing);
        if let Some((no, yes)) = self.pair(kind).filter(|_| may_be_truth) {
            return Some(self.truth(no, yes, missing));
        }
        (kind != WordKind::Boolean).then(|| self.categories(missing))
    }

    /// The words for 0 and 1, if these are all words.
    fn pair(&self, kind: WordKind) -> Option<(String, String)> {
        // Other words may have come after them.
        if self.truths && self.counts.len() == 2 {
            return Some(("false".to_owned(), "true".to_owned()));
        }
        let mut words: Vec<&String> = self.codes.keys().take(3).collect();
        words.sort_unstable();
        let [one, other] = words[..] else { return None };
        let known = truth::pair(one, other);
        let any = || (kind == WordKind::Boolean).then_some((one.as_str(), other.as_str()));
        known.or_else(any).map(|(no, yes)| (no.to_owned(), yes.to_owned()))
    }

    fn truth(self, no: String, yes: String, missing: Missing) -> (Content, Vec<usize>) {
        let (zero, one) = (self.codes[&no], self.codes[&yes]);
        let (zeros, ones) = (self.counts[zero] as f64, self.counts[one] as f64);
        let mean = if zeros + ones > 0.0 { (ones / (zeros + ones)) as f32 } else { 0.0 };
        let fill = match missing {
            Missing::Median if zeros == ones => Some(0.5),
            Missing::Median | Missing::MostFrequent => Some(if ones > zeros { 1.0 } else { 0.0 }),
            Missing::Error | Missing::Mean | Missing::Category => None,
        };
        let mut values = vec![0; 2];
        values[one] = 1;
        (Content::Booleans { no, yes, mean, fill }, values)
    }

    fn categories(self, missing: Missing) -> (Content, Vec<usize>) {
        let mut words: Vec<(String, usize)> = self.codes.into_iter().collect();
        words.sort_unstable();
        let kept = kept(&words, &self.counts, self.cells);
        let mut places = vec![0; words.len()];
        let shared = kept.iter().filter(|kept| **kept).count();
        let mut own = 0;
        for ((_, code), kept) in words.iter().zip(&kept) {
            places[*code] = if *kept { own } else { shared };
            own += usize::from(*kept);
        }
        let most = (0..self.counts.len()).max_by_key(|&code| (self.counts[code], places.len() - code));
        let pools = shared < words.len();
        let words: Vec<String> =
            words.into_iter().zip(kept).filter(|(_, kept)| *kept).map(|((word, _), _)| word).collect();
        let other = pools.then(|| free_name("other", &words));
        let is_category = missing == Missing::Category && self.missing > 0;
        let category = is_category.then(|| free_name("missing", &words));
        let fill = match missing {
            Missing::MostFrequent => most.map(|code| places[code]),
            Missing::Category => is_category.then_some(words.len() + usize::from(pools)),
            Missing::Error | Missing::Mean | Missing::Median => None,
        };
        (Content::Words { words, other, missing: category, fill }, places)
    }
}

/// Which of these words, in their order, have a value of their own. One rare word alone keeps its own, too.
fn kept(words: &[(String, usize)], counts: &[usize], cells: usize) -> Vec<bool> {
    let fewest = FEWEST.max((RARE * cells as f64).ceil() as usize);
    let mut by_count: Vec<usize> = (0..words.len()).collect();
    // The order of the words decides among equals.
    by_count.sort_by_key(|&at| std::cmp::Reverse(counts[words[at].1]));
    let mut kept = vec![true; words.len()];
    let rare = |at: &&usize| counts[words[**at].1] < fewest;
    let rare: Vec<usize> = by_count.iter().skip(MOST_FREQUENT).filter(rare).copied().collect();
    if rare.len() > 1 {
        rare.into_iter().for_each(|at| kept[at] = false);
    }
    kept
}

/// A name that none of the words has.
fn free_name(name: &str, words: &[String]) -> String {
    let taken = |name: &str| words.iter().any(|word| word == name);
    let numbered = (2..).map(|n| format!("{name} {n}"));
    let mut names = std::iter::once(name.to_owned()).chain(numbered);
    names.find(|name| !taken(name)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column<'a>(words: impl IntoIterator<Item = &'a str>) -> WordColumn {
        let mut column = WordColumn::default();
        for word in words {
            match word {
                "" => column.push_missing(),
                word => drop(column.push(word)),
            }
        }
        column
    }

    fn finished<'a>(words: impl IntoIterator<Item = &'a str>, missing: Missing) -> (Content, Vec<usize>) {
        column(words).finish(WordKind::Any, missing).expect("a content")
    }

    #[test]
    fn words_are_sorted_and_their_codes_follow() {
        let words = ["7", "a", "b"].map(str::to_owned).to_vec();
        let expected = (Content::words(words), vec![2, 0, 1]);
        assert_eq!(finished(["b", "7", "a", "b"], Missing::Error), expected);
    }

    #[test]
    fn two_words_that_deny_each_other_are_a_truth() {
        let (content, values) = finished(["Yes", "No", "Yes", ""], Missing::Mean);
        let Content::Booleans { no, yes, mean, fill } = content else { panic!("{content:?}") };
        assert_eq!((no.as_str(), yes.as_str(), fill, values), ("No", "Yes", None, vec![1, 0]));
        assert!((mean - 2.0 / 3.0).abs() < 1e-6);
        let of = |words: &[&'static str], kind| {
            column(words.iter().copied()).finish(kind, Missing::Error).map(|(content, _)| content)
        };
        assert!(matches!(of(&["m", "f"], WordKind::Any), Some(Content::Words { .. })));
        assert!(
            matches!(of(&["m", "f"], WordKind::Boolean), Some(Content::Booleans { no, .. }) if no == "f")
        );
        assert!(matches!(of(&["yes", "no"], WordKind::Category), Some(Content::Words { .. })));
        assert_eq!(of(&["yes", "no", "maybe"], WordKind::Boolean), None);
        assert_eq!(of(&["yes"], WordKind::Boolean), None);
        let (content, _) = finished(["t", "f", ""], Missing::Category);
        assert!(matches!(content, Content::Words { missing: Some(_), .. }), "three categories: {content:?}");
    }

    #[test]
    fn declared_truths_are_truths_though_all_are_the_same() {
        let mut column = WordColumn::truths();
        assert_eq!((column.push("true"), column.push("true")), (Some(1), Some(1)));
        let (content, values) = column.finish(WordKind::Any, Missing::Error).expect("a content");
        assert!(matches!(content, Content::Booleans { mean, .. } if mean == 1.0), "{content:?}");
        assert_eq!(values, [0, 1]);
    }

    #[test]
    fn truths_among_other_words_are_categories() {
        let mut column = WordColumn::truths();
        for word in ["true", "unknown", "false", "unknown"] {
            column.push(word);
        }
        let (content, places) = column.finish(WordKind::Any, Missing::Error).expect("a content");
        let words = ["false", "true", "unknown"].map(str::to_owned).to_vec();
        assert_eq!((content, places), (Content::words(words), vec![0, 1, 2]));
    }

    #[test]
    fn rare_words_beyond_the_most_frequent_share_a_value() {
        let common: Vec<String> = (0..50).map(|i| format!("c{i:02}")).collect();
        let rare: Vec<String> = (0..30).map(|i| format!("r{i:02}")).collect();
        let often = common.iter().flat_map(|word| std::iter::repeat_n(word.as_str(), 4));
        let all = || often.clone().chain(rare.iter().map(String::as_str));
        let (content, places) = finished(all(), Missing::Error);
        let Content::Words { words, other, .. } = &content else { panic!("{content:?}") };
        assert_eq!((words.len(), other.as_deref(), content.width()), (50, Some("other"), 51));
        assert_eq!((places[0], places[49], places[50], places[79]), (0, 49, 50, 50));
        // A single rare word has nobody to share with, and one in two rows is not rare.
        let (one, _) = finished(often.clone().chain(["x"]), Missing::Error);
        assert!(matches!(one, Content::Words { other: None, .. }));
        let twice = rare.iter().flat_map(|word| [word.as_str(); 2]);
        let (content, _) = finished(often.clone().chain(twice), Missing::Error);
        assert_eq!(content.width(), 80);
        let (content, _) = finished(all().chain(["other"; 9]), Missing::Error);
        assert!(matches!(content, Content::Words { other: Some(name), .. } if name == "other 2"));
    }

    #[test]
    fn in_a_long_table_rare_means_one_row_in_two_hundred() {
        let names: Vec<String> = (0..60).map(|i| format!("w{i:02}")).collect();
        // 50 words of 200 rows each, and ten of 10: less than 0.5 % of 10,100 rows.
        let count = |i: usize| if i < 50 { 200 } else { 10 };
        let all = (0..60).flat_map(|i| std::iter::repeat_n(names[i].as_str(), count(i)));
        assert_eq!(finished(all, Missing::Error).0.width(), 51);
    }

    #[test]
    fn what_stands_for_a_missing_word_is_as_it_was_asked_for() {
        let fill = |missing| match finished(["a", "b", "b", ""], missing).0 {
            content @ Content::Words { fill, .. } => (content.width(), fill),
            other => panic!("{other:?}"),
        };
        assert_eq!(fill(Missing::Mean), (2, None));
        assert_eq!(fill(Missing::Median), (2, None));
        assert_eq!(fill(Missing::MostFrequent), (2, Some(1)));
        assert_eq!(fill(Missing::Category), (3, Some(2)));
        let (content, _) = finished(["a", "missing", "b"], Missing::Category);
        assert_eq!(content.width(), 3, "nothing was missing");
        let (content, _) = finished(["a", "missing", ""], Missing::Category);
        assert!(matches!(content, Content::Words { missing: Some(name), .. } if name == "missing 2"));
        let truth = |missing| finished(["yes", "yes", "no", ""], missing).0.fill_number();
        assert_eq!((truth(Missing::Median), truth(Missing::MostFrequent)), (Some(1.0), Some(1.0)));
    }

    #[test]
    fn columns_that_say_nothing_are_known() {
        let names: Vec<String> = (0..20).map(|i| format!("n{i}")).collect();
        let names = || names.iter().map(String::as_str);
        let of = |column: WordColumn| column.verdict(Missing::Mean);
        assert_eq!(of(column(names())), Some(Verdict::Ids));
        assert_eq!(of(column(names().chain(["n0"]))), None);
        assert_eq!(of(column(names().take(19))), None, "too few to know");
        assert_eq!(of(column(["a"; 20])), Some(Verdict::Constant("a".into())));
        assert_eq!(of(column(["a"; 20].into_iter().chain([""]))), Some(Verdict::Constant("a".into())));
        let with_holes = column(["a"; 20].into_iter().chain([""]));
        assert_eq!(with_holes.verdict(Missing::Category), None, "to be missing says something");
        assert_eq!(of(column(["", ""])), Some(Verdict::Empty));
    }

    #[test]
    fn there_is_an_end_to_words() {
        let mut column = WordColumn::default();
        for i in 0..MOST_WORDS {
            assert_eq!(column.push(&i.to_string()), Some(i));
        }
        assert_eq!((column.push("x"), column.push("7"), column.all_differ()), (None, Some(7), false));
    }
}
