//! The growth laws that papers claim, as data.

/// Expected steps proportional to n^`size` (log n)^`logs` N^`bound`; N is the parameter `bound`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Law {
    /// The claim in the paper's notation.
    pub claim: &'static str,
    /// The exponent of n.
    pub size: i32,
    /// The exponent of the natural logarithm of n.
    pub logs: i32,
    /// The exponent of the bound N.
    pub bound: i32,
    /// The place of the claim.
    pub source: &'static str,
}

impl Law {
    /// The law's value, up to its constant.
    ///
    /// ```
    /// use ringleader_erased::Law;
    /// let law = Law { claim: "O(nN)", size: 1, logs: 0, bound: 1, source: "Table 1" };
    /// assert_eq!(law.at(10.0, 20.0), 200.0);
    /// ```
    pub fn at(&self, size: f64, bound: f64) -> f64 {
        size.powi(self.size) * size.ln().powi(self.logs) * bound.powi(self.bound)
    }
}
