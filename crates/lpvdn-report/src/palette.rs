//! Colours that those with colour-blindness tell apart.

/// Red, green, blue.
pub(crate) type Color = [u8; 3];

pub(crate) const BACKGROUND: Color = [255, 255, 255];
pub(crate) const INK: Color = [34, 34, 34];
pub(crate) const FAINT: Color = [102, 102, 102];
pub(crate) const GRID: Color = [224, 224, 224];

/// For series: those of Okabe and Ito, but for the yellow, which is hard to see on white.
const SERIES: [Color; 7] = [
    [0, 114, 178],
    [213, 94, 0],
    [0, 158, 115],
    [204, 121, 167],
    [230, 159, 0],
    [86, 180, 233],
    [85, 85, 85],
];

/// How many classes have a colour of their own; beyond, colours come again with another shape.
pub(crate) const COLORS: usize = 10;

/// For classes: the muted scheme of Paul Tol with its two palest colours darker, and grey.
const CLASSES: [Color; COLORS] = [
    [51, 34, 136],
    [70, 165, 220],
    [17, 119, 51],
    [195, 165, 50],
    [204, 102, 119],
    [68, 170, 153],
    [170, 68, 153],
    [153, 153, 51],
    [136, 34, 85],
    [119, 119, 119],
];

/// The colour of the i-th series.
pub(crate) fn series(i: usize) -> Color {
    SERIES[i % SERIES.len()]
}

/// The colour of the i-th class.
pub(crate) fn class(i: usize) -> Color {
    CLASSES[i % CLASSES.len()]
}

/// From pale (0) to dark blue (1), even to the eye and without hue to confuse.
pub(crate) fn heat(share: f64) -> Color {
    let (low, high): ([f64; 3], [f64; 3]) = ([237.0, 244.0, 250.0], [3.0, 60.0, 115.0]);
    let share = share.clamp(0.0, 1.0);
    let at = |i: usize| (low[i] + share * (high[i] - low[i])).round() as u8;
    [at(0), at(1), at(2)]
}

/// Black or white, whichever is read better on `ground`.
pub(crate) fn ink_on(ground: Color) -> Color {
    let [r, g, b] = ground.map(f64::from);
    if 0.299 * r + 0.587 * g + 0.114 * b > 140.0 { INK } else { BACKGROUND }
}
