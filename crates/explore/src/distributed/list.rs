//! The list of processes.

use std::str::FromStr;

/// The addresses of the processes of a search, in the order of their numbers.
///
/// One `host:port` per line. Empty lines and comments after a `#` are ignored.
///
/// ```
/// use ringleader_explore::distributed::Hosts;
/// let hosts: Hosts = "# two\n10.0.0.1:7100\n\nnode-2.example:7100   # the large one\n".parse().unwrap();
/// assert_eq!(hosts.len(), 2);
/// assert_eq!(hosts.address(1), "node-2.example:7100");
/// assert!("10.0.0.1".parse::<Hosts>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hosts(Vec<String>);

/// The most processes. Each has a connection to every other.
const MOST: usize = 1000;

impl Hosts {
    /// The number of processes.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Always `false`: an empty list is refused.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The address of a process.
    pub fn address(&self, process: usize) -> &str {
        &self.0[process]
    }
}

/// The reason why a text is no list of processes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadHosts {
    /// A line is not an address.
    #[error("line {line}: {text:?} is not a host:port, such as 10.0.0.1:7100")]
    Address {
        /// The line, from 1.
        line: usize,
        /// Its text.
        text: String,
    },
    /// An address occurs twice.
    #[error("line {line}: {address} is process {process} already; every process needs its own port")]
    Twice {
        /// The line, from 1.
        line: usize,
        /// The address.
        address: String,
        /// The first process with this address.
        process: usize,
    },
    /// The list is empty.
    #[error("it lists no process; it needs one host:port per line")]
    Empty,
    /// The list is too long.
    #[error("it lists {0} processes; at most {MOST} are allowed")]
    TooMany(usize),
}

/// By hand: a list of lines with comments is no single name.
impl FromStr for Hosts {
    type Err = BadHosts;
    fn from_str(text: &str) -> Result<Self, BadHosts> {
        let mut hosts: Vec<String> = vec![];
        for (line, text) in (1..).zip(text.lines()) {
            let address = text.split('#').next().unwrap_or_default().trim();
            if address.is_empty() {
                continue;
            }
            let port =
                address.rsplit_once(':').filter(|(host, _)| !host.is_empty()).and_then(|(_, port)| port.parse().ok());
            if port.is_none_or(|port: u16| port == 0) || address.contains(char::is_whitespace) {
                return Err(BadHosts::Address { line, text: address.into() });
            }
            if let Some(process) = hosts.iter().position(|other| other == address) {
                return Err(BadHosts::Twice { line, address: address.into(), process });
            }
            hosts.push(address.into());
        }
        match hosts.len() {
            0 => Err(BadHosts::Empty),
            n if n > MOST => Err(BadHosts::TooMany(n)),
            _ => Ok(Hosts(hosts)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_the_line() {
        let wrong = |text: &str| text.parse::<Hosts>().unwrap_err().to_string();
        assert!(wrong("a:1\nb").starts_with("line 2: \"b\" is not a host:port"));
        assert!(wrong("a:0").contains("not a host:port"));
        assert!(wrong(":7").contains("not a host:port"));
        assert!(wrong("a:1 b:2").contains("not a host:port"));
        assert!(wrong("a:1\n#\na:1").contains("line 3: a:1 is process 0 already"));
        assert!(wrong("# nobody\n").contains("no process"));
        assert_eq!("[::1]:7100".parse::<Hosts>().unwrap().address(0), "[::1]:7100");
    }
}
