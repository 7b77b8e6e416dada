//! What a fit takes beside its steps: fitting the mixture, searching for neighbours, clustering. With many
//! rows and small networks it is the larger part.
//!
//! All of it is counted in multiply-adds of a matrix product, because the speed of these is what is
//! measured before a fit. With AVX-512 products are half as fast again and the rest is not, so there it is
//! counted too low by as much. The constants come from one generated set (25,000 and 50,000 rows, codes of 10
//! numbers, 10 and 30 clusters): processor time on two threads of a busy machine, at the 180 GFLOP/s that
//! products reach there when it is quiet (ARCHITECTURE.md). They are good for the order of magnitude.

use lpvdn_cluster::Spectral;

use super::hyperparams::{Budget, FinalClustering, LpvdnParams, PriorStart};
use crate::train::districts::districts_of;

/// To pass over a pair of rows in the search for neighbours, beside their product.
const PAIR: f64 = 65.0;
/// EM, for each row, component, coordinate and start: some 60 in each of at most a hundred rounds.
const MIXTURE: f64 = 6_000.0;
/// K-means, for each row, centre, coordinate and start.
const K_MEANS: f64 = 1_000.0;
/// The cells of the graph, for each row, cell and coordinate: one start, and few rounds.
const CELLS: f64 = 450.0;

/// Rows of more values are compared by as many principal components.
const PROJECTED: usize = 50;

/// Rows that are searched and clustered together, and how many such groups there are.
#[derive(Clone, Copy, Debug)]
struct Groups {
    rows: f64,
    count: f64,
}

/// Multiply-adds that take as long as everything but the steps.
pub(super) fn beside_steps(params: &LpvdnParams, budget: Budget, rows: usize, columns: usize) -> f64 {
    let count = districts_of(rows, params.district);
    let groups = Groups { rows: rows.div_ceil(count) as f64, count: count as f64 };
    let size = |starts: u32, coordinates: usize| {
        groups.rows * params.clusters as f64 * f64::from(starts) * coordinates as f64
    };
    let by_cells =
        |coordinates: usize| by_cells(params.clusters, groups.rows as usize, params.latent_dim, coordinates);
    let fitted = MIXTURE * size(params.mixture_starts, params.latent_dim);
    let mixture = match params.prior_start {
        PriorStart::Em => fitted,
        PriorStart::Graph => by_cells(params.latent_dim).unwrap_or(fitted),
        // It is the initial clustering, or one of both.
        PriorStart::Rows | PriorStart::Auto => 0.0,
    };
    let initial = match params.divides_rows() {
        true => by_rows(params.clusters, groups.rows as usize, params.starts, columns),
        false => 0.0,
    };
    let mixture = mixture + initial;
    if params.alpha1 <= 0.0 {
        return mixture + K_MEANS * size(params.starts, params.latent_dim);
    }
    let clustering = match params.clustering {
        FinalClustering::KMeans => K_MEANS * size(params.starts, params.output_dim),
        FinalClustering::GaussianMixture => MIXTURE * size(params.starts, params.output_dim),
        // The communities of a graph cost about as much as K-means.
        FinalClustering::Leiden => {
            search(groups.rows, params.output_dim) + K_MEANS * size(params.starts, params.output_dim)
        }
        FinalClustering::Auto => {
            let codes = search(groups.rows, params.output_dim)
                + 2.0 * K_MEANS * size(params.starts, params.output_dim);
            codes + by_cells(params.output_dim).unwrap_or(0.0)
        }
        FinalClustering::Graph => {
            K_MEANS * size(params.starts, params.output_dim) + by_cells(params.output_dim).unwrap_or(0.0)
        }
    };
    mixture + clustering + graphs(params, budget, groups, columns)
}

/// Clusters by the graph of neighbours among codes, of cells of points of so many coordinates; `None` where there
/// are too few rows for cells.
pub(crate) fn by_cells(clusters: usize, rows: usize, latent: usize, coordinates: usize) -> Option<f64> {
    let cells = Spectral::params(clusters).cells_for(rows)?;
    Some(search(rows as f64, latent) + CELLS * rows as f64 * cells as f64 * coordinates as f64)
}

/// The initial clustering: a search for neighbours, and partitions that cost about as much as K-means twice.
pub(crate) fn by_rows(clusters: usize, rows: usize, starts: u32, columns: usize) -> f64 {
    let coordinates = columns.min(PROJECTED);
    search(rows as f64, coordinates) + 2.0 * by_k_means(clusters, rows, starts, coordinates)
}

/// K-means with so many starts.
pub(crate) fn by_k_means(clusters: usize, rows: usize, starts: u32, coordinates: usize) -> f64 {
    K_MEANS * (rows * clusters * coordinates) as f64 * f64::from(starts)
}

/// The graphs of training and settling. Where there is one district its graph stays; where there are
/// several, each is searched whenever it is visited.
fn graphs(params: &LpvdnParams, budget: Budget, groups: Groups, columns: usize) -> f64 {
    let (latent, rows) = (params.affinities.is_latent_graph(), params.affinities.is_row_graph());
    if !latent && !rows {
        return 0.0;
    }
    // The one between rows is the same in both phases.
    let settling = if latent { 1.0 } else { 0.0 };
    let one = |coordinates: usize| search(groups.rows, coordinates);
    let of_latent = if latent { one(params.latent_dim) } else { 0.0 };
    let of_rows = if rows { one(columns.min(PROJECTED)) } else { 0.0 };
    let refreshed = match (budget.epochs.saturating_sub(1)).checked_div(params.refresh) {
        Some(times) if settling > 0.0 => times as f64,
        _ => 0.0,
    };
    let times = if groups.count > 1.0 {
        groups.count * (budget.epochs + budget.settle_epochs) as f64
    } else {
        1.0 + refreshed + if budget.settle_epochs > 0 { settling } else { 0.0 }
    };
    times * of_latent + if groups.count > 1.0 { times } else { 1.0 } * of_rows
}

/// A search for the neighbours of all of `rows` rows.
fn search(rows: f64, coordinates: usize) -> f64 {
    rows * rows * (coordinates as f64 + PAIR)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Recipe;
    use crate::loss::affinities::AffinitySource;

    fn effort(rows: usize, change: impl Fn(&mut LpvdnParams)) -> f64 {
        let mut params = LpvdnParams::of_recipe(Recipe::Robust, 10);
        params.epochs = Some(4);
        params.settle_epochs = Some(4);
        change(&mut params);
        let valid = params.check().expect("good");
        beside_steps(valid.get(), valid.budget(rows), rows, 784)
    }

    #[test]
    fn neighbours_grow_with_the_square_of_the_rows_until_there_are_districts() {
        let (one, two) = (effort(50_000, |_| ()), effort(100_000, |_| ()));
        assert!(two > 2.5 * one && two < 4.0 * one, "{one} {two}");
        // Eight visits of each of ten districts instead of two searches.
        let ten = effort(1_000_000, |_| ());
        assert!(ten > 10.0 * two && ten < 40.0 * two, "{two} {ten}");
    }

    #[test]
    fn what_is_not_done_costs_nothing() {
        let all = effort(50_000, |_| ());
        let unsettled = effort(50_000, |p| p.settle_epochs = Some(0));
        let k_means = effort(50_000, |p| p.clustering = FinalClustering::KMeans);
        let without_graph = effort(50_000, |p| {
            (p.affinities, p.settle_epochs) = (AffinitySource::Latent, Some(0));
        });
        let without_locality = effort(50_000, |p| {
            (p.alpha1, p.settle_epochs, p.clustering) = (0.0, Some(0), FinalClustering::KMeans);
        });
        let divided = effort(50_000, |p| (p.alpha1, p.settle_epochs) = (0.0, Some(0)));
        assert!(without_locality < divided && divided < all);
        assert!(without_locality < k_means && k_means < all);
        assert!(without_locality < without_graph && without_graph < unsettled && unsettled < all);
        assert!(effort(50_000, |p| p.refresh = 1) > all);
    }
}
