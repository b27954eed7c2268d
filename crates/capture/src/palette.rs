//! Palettes for pictures of few colours, by median cut: boxes of similar colours are split at their mean
//! until there are enough (P. Heckbert, "Color image quantization for frame buffer display", 1982; split by
//! variance as in X. Wu, "Color quantization by dynamic programming and principal analysis", 1992).

use std::ops::Range;

/// A colour in sRGB.
pub type Rgb = [u8; 3];

/// The eye's sensitivity to differences of red, green and blue, relative to each other.
pub const WEIGHTS: [f32; 3] = [2.0, 4.0, 3.0];

/// Bits per channel that distinguish two colours.
const BITS: u32 = 6;

/// Colours that share their upper bits.
#[derive(Clone, Copy, Debug, Default)]
struct Bin {
    count: u64,
    sum: [u64; 3],
}

impl Bin {
    fn mean(&self) -> [f64; 3] {
        self.sum.map(|sum| sum as f64 / self.count.max(1) as f64)
    }

    fn add(&mut self, count: u64, sum: [u64; 3]) {
        self.count += count;
        (0..3).for_each(|i| self.sum[i] += sum[i]);
    }
}

/// A group of bins that one palette colour represents.
#[derive(Clone, Debug)]
struct Group {
    bins: Range<usize>,
    mean: [f64; 3],
    /// The channel to split by.
    channel: usize,
    /// Sum of the squared distances from the mean, weighted.
    error: f64,
}

/// Returns at most `most` colours that represent these best, fewer if they have fewer. `exact` colours come
/// first and are in every palette.
pub fn palette(colors: impl Iterator<Item = Rgb>, exact: &[Rgb], most: usize) -> Vec<Rgb> {
    let mut bins = vec![Bin::default(); 1 << (3 * BITS)];
    for color in colors.filter(|color| !exact.contains(color)) {
        let index = color.iter().fold(0, |index, c| index << BITS | usize::from(c >> (8 - BITS)));
        bins[index].add(1, color.map(u64::from));
    }
    bins.retain(|bin| bin.count > 0);
    let mut palette = exact.to_vec();
    let room = most.saturating_sub(palette.len());
    if !bins.is_empty() && room > 0 {
        let rounded = |group: Group| group.mean.map(|x| x.round() as u8);
        palette.extend(groups(&mut bins, room).into_iter().map(rounded));
    }
    palette
}

/// Splits the bins into at most `most` groups: always the group with the largest error.
fn groups(bins: &mut [Bin], most: usize) -> Vec<Group> {
    let mut groups = vec![group(bins, 0..bins.len())];
    while groups.len() < most {
        let errors = groups.iter().enumerate().filter(|(_, group)| group.bins.len() > 1);
        let Some((worst, _)) = errors.max_by(|a, b| a.1.error.total_cmp(&b.1.error)) else { break };
        let Group { bins: range, mean, channel, .. } = groups.swap_remove(worst);
        let slice = &mut bins[range.clone()];
        slice.sort_by(|a, b| a.mean()[channel].total_cmp(&b.mean()[channel]));
        let below = slice.partition_point(|bin| bin.mean()[channel] <= mean[channel]);
        // Bins that differ in other channels only, within the rounding error of the mean.
        let middle = range.start + below.clamp(1, slice.len() - 1);
        groups.push(group(bins, range.start..middle));
        groups.push(group(bins, middle..range.end));
    }
    groups
}

fn group(bins: &[Bin], range: Range<usize>) -> Group {
    let mut all = Bin::default();
    bins[range.clone()].iter().for_each(|bin| all.add(bin.count, bin.sum));
    let mean = all.mean();
    let mut errors = [0.0; 3];
    for bin in &bins[range.clone()] {
        let at = bin.mean();
        for channel in 0..3 {
            let off = at[channel] - mean[channel];
            errors[channel] += bin.count as f64 * f64::from(WEIGHTS[channel]) * off * off;
        }
    }
    let channel = (0..3).max_by(|a, b| errors[*a].total_cmp(&errors[*b])).unwrap_or(0);
    Group { bins: range, mean, channel, error: errors.iter().sum() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_colours_are_kept_exactly() {
        let colors = [[0, 255, 0], [1, 2, 200], [43, 47, 54], [255, 0, 0]];
        let many = (0..1000).map(|i| colors[i % 4]);
        let mut found = palette(many.clone(), &[], 255);
        found.sort_unstable();
        assert_eq!(found, colors);
        assert_eq!(palette(many, &[[43, 47, 54]], 255)[0], [43, 47, 54]);
        assert_eq!(palette(std::iter::empty(), &[], 255), [[0; 3]; 0]);
    }

    #[test]
    fn a_gradient_is_divided_evenly() {
        let mut found = palette((0..=255).map(|i| [i, i, i]), &[], 16);
        found.sort_unstable();
        assert_eq!(found.len(), 16);
        let steps = found.windows(2).map(|pair| pair[1][0] - pair[0][0]);
        assert!(steps.clone().all(|step| (8..=28).contains(&step)), "{found:?}");
        for i in 0..=255_u8 {
            let nearest = found.iter().map(|c| c[0].abs_diff(i)).min().unwrap();
            assert!(nearest <= 16, "{i}: {nearest}");
        }
    }
}
