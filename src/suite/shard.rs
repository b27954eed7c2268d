//! Divides a suite among machines.

/// One of `count` parts of a suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// From 0.
    pub index: u64,
    /// At least 1.
    pub count: u64,
}

/// Where a job array says which of its jobs this one is.
struct JobArray {
    name: &'static str,
    index: &'static str,
    count: Option<&'static str>,
    /// The first index.
    first: u64,
    /// Variables of the first index and of the distance between indices, if a job array can set them.
    range: Option<[&'static str; 2]>,
}

const JOB_ARRAYS: [JobArray; 3] = [
    JobArray {
        name: "Slurm job array",
        index: "SLURM_ARRAY_TASK_ID",
        count: Some("SLURM_ARRAY_TASK_COUNT"),
        first: 0,
        range: Some(["SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_STEP"]),
    },
    JobArray {
        name: "GitLab parallel job",
        index: "CI_NODE_INDEX",
        count: Some("CI_NODE_TOTAL"),
        first: 1,
        range: None,
    },
    JobArray {
        name: "Kubernetes Indexed Job",
        index: "JOB_COMPLETION_INDEX",
        count: None,
        first: 0,
        range: None,
    },
];

impl Shard {
    /// All cases.
    pub const WHOLE: Self = Self { index: 0, count: 1 };

    /// Whether a case belongs to this part. Depends on the case's name alone, so that a case stays in its
    /// part when others are added.
    pub fn has(&self, case: &str) -> bool {
        spread(hash(case)) % self.count == self.index
    }

    /// Returns the number of the part from 1, and that of parts; `None` for all cases.
    pub fn part(self) -> Option<[u64; 2]> {
        (self != Self::WHOLE).then_some([self.index + 1, self.count])
    }

    /// Reads `K/N`, K from 1 to N; `auto/N` takes K from the job array (`variable` returns the value of
    /// an environment variable).
    ///
    /// # Errors
    /// In words, if the text has another form or K is out of range.
    pub fn parse(text: &str, variable: impl Fn(&str) -> Option<String>) -> Result<Self, String> {
        let wrong = || format!("--shard {text}: give K/N, K from 1 to N, or auto/N");
        let (k, n) = text.split_once('/').ok_or_else(wrong)?;
        let count: u64 = n.parse().ok().filter(|n| *n > 0).ok_or_else(wrong)?;
        if k == "auto" {
            return match of_job_array(variable, Some(count))? {
                Some((shard, _)) => Ok(shard),
                None => Err(format!("--shard {text}: no job array sets an index here; give K/N")),
            };
        }
        let index: u64 = k.parse().ok().filter(|k| (1..=count).contains(k)).ok_or_else(wrong)?;
        Ok(Self { index: index - 1, count })
    }

    /// Returns the part that the job array assigns to this job, and the array's name; `None` outside a job
    /// array.
    ///
    /// # Errors
    /// In words, if the variables contradict each other or the number of jobs is missing.
    pub fn of_job_array(
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Option<(Self, &'static str)>, String> {
        of_job_array(variable, None)
    }
}

fn of_job_array(
    variable: impl Fn(&str) -> Option<String>,
    count: Option<u64>,
) -> Result<Option<(Shard, &'static str)>, String> {
    let number = |name: &str| -> Result<Option<u64>, String> {
        // A variable that is set to nothing is as good as none.
        let text = variable(name).filter(|text| !text.trim().is_empty());
        let Some(text) = text else { return Ok(None) };
        let wrong = |_| format!("{name}={text}: not a number; give --shard K/N");
        text.trim().parse().map(Some).map_err(wrong)
    };
    for array in &JOB_ARRAYS {
        let Some(index) = number(array.index)? else { continue };
        let [first, step] = match array.range {
            Some([first, step]) => [number(first)?, number(step)?],
            None => [None, None],
        };
        let (first, step) = (first.unwrap_or(array.first), step.unwrap_or(1).max(1));
        let said = match array.count {
            Some(name) => number(name)?,
            None => None,
        };
        let Some(count) = count.or(said) else {
            return Err(format!(
                "{}={index} ({}), but the number of jobs is not known; give --shard auto/N, or --shard \
                 1/1 for all cases",
                array.index, array.name
            ));
        };
        let place = index.checked_sub(first).filter(|after| after % step == 0).map(|n| n / step);
        return match place.filter(|place| *place < count) {
            Some(index) => Ok(Some((Shard { index, count }, array.name))),
            None => Err(format!(
                "{}={index} ({}) is not one of {count} jobs from {first} on; give --shard K/N",
                array.index, array.name
            )),
        };
    }
    Ok(None)
}

/// Hashes a name (64-bit FNV-1a), the same on every machine and in every version.
fn hash(name: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    name.bytes().fold(0xcbf2_9ce4_8422_2325, step)
}

/// Folds the high bits of a hash into the low ones: the lowest bit of FNV-1a is only the parity of the name's bytes.
fn spread(hash: u64) -> u64 {
    let hash = (hash ^ (hash >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    hash ^ (hash >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables<'a>(set: &'a [(&str, &str)]) -> impl Fn(&str) -> Option<String> + 'a {
        |name| set.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value).to_owned())
    }

    #[test]
    fn every_case_is_in_one_part_whatever_the_others_are() {
        let names: Vec<String> = (0..1000).map(|i| format!("characters/fox-{i}")).collect();
        let mut sizes = [0; 8];
        for name in &names {
            let parts: Vec<u64> =
                (0..8).filter(|index| Shard { index: *index, count: 8 }.has(name)).collect();
            assert_eq!(parts.len(), 1, "{name}");
            sizes[parts[0] as usize] += 1;
        }
        assert!(sizes.iter().all(|size| (80..=170).contains(size)), "{sizes:?}");
        // Published test values of FNV-1a.
        assert_eq!((hash(""), hash("foobar")), (0xcbf2_9ce4_8422_2325, 0x8594_4171_f739_67e8));
    }

    /// The bytes of these names differ in an even number of lowest bits.
    #[test]
    fn names_of_one_parity_are_divided() {
        let names = ["walk/a3", "walk/b0", "walk/c1", "walk/d6", "walk/e7", "walk/f4", "walk/g5"];
        let parity = |name: &str| name.bytes().fold(0, |sum, byte| sum ^ (byte & 1));
        assert!(names.iter().all(|name| parity(name) == parity(names[0])));
        let halves = [0, 1]
            .map(|index| names.iter().filter(|name| Shard { index, count: 2 }.has(name)).count());
        assert!(halves.iter().all(|half| *half > 1), "{halves:?}");
    }

    #[test]
    fn parts_are_read_from_the_option_and_from_job_arrays() {
        let none = variables(&[]);
        assert_eq!(Shard::parse("3/8", &none), Ok(Shard { index: 2, count: 8 }));
        for wrong in ["0/8", "9/8", "8", "a/b", "1/0", "auto/4"] {
            assert!(Shard::parse(wrong, &none).is_err(), "{wrong}");
        }
        assert_eq!(Shard::of_job_array(&none), Ok(None));
        let slurm = [
            ("SLURM_ARRAY_TASK_ID", "12"),
            ("SLURM_ARRAY_TASK_COUNT", "8"),
            ("SLURM_ARRAY_TASK_MIN", "10"),
        ];
        let found = Shard::of_job_array(variables(&slurm)).unwrap().unwrap();
        assert_eq!(found, (Shard { index: 2, count: 8 }, "Slurm job array"));
        let stepped = [
            ("SLURM_ARRAY_TASK_ID", "12"),
            ("SLURM_ARRAY_TASK_COUNT", "4"),
            ("SLURM_ARRAY_TASK_STEP", "4"),
        ];
        let found = Shard::of_job_array(variables(&stepped)).unwrap().unwrap();
        assert_eq!(found.0, Shard { index: 3, count: 4 });
        let gitlab = [("CI_NODE_INDEX", "1"), ("CI_NODE_TOTAL", "4")];
        let found = Shard::of_job_array(variables(&gitlab)).unwrap().unwrap();
        assert_eq!(found.0, Shard { index: 0, count: 4 });
        let kubernetes = [("JOB_COMPLETION_INDEX", "3")];
        let error = Shard::of_job_array(variables(&kubernetes)).unwrap_err();
        assert!(error.contains("--shard auto/N"), "{error}");
        let found = Shard::parse("auto/4", variables(&kubernetes));
        assert_eq!(found, Ok(Shard { index: 3, count: 4 }));
        assert!(Shard::parse("auto/2", variables(&kubernetes)).is_err());
        assert!(Shard::of_job_array(variables(&[("CI_NODE_INDEX", "x")])).is_err());
        let empty = [("CI_NODE_INDEX", ""), ("SLURM_ARRAY_TASK_ID", " ")];
        assert_eq!(Shard::of_job_array(variables(&empty)), Ok(None));
    }
}
