//! The growth laws that papers claim, as data.

/// Expected steps proportional to n^`size` N^`bound`, N being a parameter called `bound`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Law {
    /// As the paper writes it.
    pub claim: &'static str,
    /// The exponent of n.
    pub size: i32,
    /// The exponent of the bound N.
    pub bound: i32,
    /// Where it is claimed.
    pub source: &'static str,
}

const YOKOTA_TABLE_1: &str = "D. Yokota, Y. Sudo, T. Masuzawa, IEICE Trans. Fundamentals E104-A(12), 2021, Table 1";

const LAWS: &[(&str, Law)] = &[
    ("angluin-ring", Law { claim: "Θ(n³)", size: 3, bound: 0, source: YOKOTA_TABLE_1 }),
    ("fischer-jiang-ring", Law { claim: "Θ(n³)", size: 3, bound: 0, source: YOKOTA_TABLE_1 }),
    ("yokota-ring", Law { claim: "O(nN)", size: 1, bound: 1, source: YOKOTA_TABLE_1 }),
    (
        "fischer-jiang-complete",
        Law {
            claim: "(n - 1)² from all leaders",
            size: 2,
            bound: 0,
            source: "k leaders lose one in n(n-1)/(k(k-1)) steps",
        },
    ),
];

/// The growth law claimed of an algorithm's expected steps, if one is.
pub fn law(name: &str) -> Option<Law> {
    LAWS.iter().find(|(known, _)| *known == name).map(|(_, law)| *law)
}

impl Law {
    /// The law's value, up to its constant.
    ///
    /// ```
    /// use ringleader_algorithms::law::law;
    /// assert_eq!(law("yokota-ring").unwrap().at(10.0, 20.0), 200.0);
    /// ```
    pub fn at(&self, size: f64, bound: f64) -> f64 {
        size.powi(self.size) * bound.powi(self.bound)
    }
}
