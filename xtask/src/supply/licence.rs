//! Expressions of licences, as in `(MIT OR Apache-2.0) AND Unicode-3.0`.

/// Whether what is allowed satisfies the expression. One that cannot be read is not satisfied.
pub(super) fn satisfied(expression: &str, allowed: &dyn Fn(&str) -> bool) -> bool {
    // Older crates write a slash for OR.
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let mut parser = Parser { words: spaced.split_whitespace().collect(), at: 0, allowed };
    parser.any() == Some(true) && parser.at == parser.words.len()
}

struct Parser<'a> {
    words: Vec<&'a str>,
    at: usize,
    allowed: &'a dyn Fn(&str) -> bool,
}

impl<'a> Parser<'a> {
    /// Takes the next word if it is this one.
    fn take(&mut self, word: &str) -> bool {
        let found = self.words.get(self.at) == Some(&word);
        self.at += usize::from(found);
        found
    }

    fn next(&mut self) -> Option<&'a str> {
        let word = self.words.get(self.at).copied();
        self.at += 1;
        word.filter(|word| !["OR", "AND", "WITH", ")"].contains(word))
    }

    fn any(&mut self) -> Option<bool> {
        let mut value = self.all()?;
        while self.take("OR") {
            value |= self.all()?;
        }
        Some(value)
    }

    fn all(&mut self) -> Option<bool> {
        let mut value = self.one()?;
        while self.take("AND") {
            value &= self.one()?;
        }
        Some(value)
    }

    fn one(&mut self) -> Option<bool> {
        if self.take("(") {
            let value = self.any()?;
            return self.take(")").then_some(value);
        }
        let name = self.next()?;
        if self.take("WITH") {
            let exception = self.next()?;
            return Some((self.allowed)(&format!("{name} WITH {exception}")));
        }
        Some((self.allowed)(name))
    }
}

#[cfg(test)]
mod tests {
    use super::satisfied;

    fn ok(expression: &str) -> bool {
        satisfied(expression, &|id| ["MIT", "Zlib", "Apache-2.0 WITH LLVM-exception"].contains(&id))
    }

    #[test]
    fn one_alternative_is_enough_and_every_condition_counts() {
        assert!(ok("MIT") && ok("GPL-3.0 OR MIT") && ok("GPL-3.0/MIT") && ok("MIT AND Zlib"));
        assert!(ok("(GPL-3.0 OR MIT) AND Zlib") && ok("GPL-3.0 OR MIT AND Zlib"));
        assert!(!ok("GPL-3.0") && !ok("MIT AND GPL-3.0") && !ok("(MIT OR Zlib) AND GPL-3.0"));
    }

    #[test]
    fn a_licence_with_an_exception_is_another_licence() {
        assert!(ok("Apache-2.0 WITH LLVM-exception") && !ok("Apache-2.0"));
    }

    #[test]
    fn what_cannot_be_read_is_not_satisfied() {
        for bad in ["", "(MIT", "MIT)", "MIT OR", "OR MIT", "MIT Zlib", "MIT WITH", "()"] {
            assert!(!ok(bad), "{bad:?}");
        }
    }
}
