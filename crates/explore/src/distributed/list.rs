//! The list of processes.

use std::str::FromStr;

/// Where the processes of a search are, in the order of their numbers.
///
/// One `host:port` a line; empty lines, and what follows a `#`, do not count.
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

/// More processes are more connections than one wants: each has two to every other.
const MOST: usize = 1000;

impl Hosts {
    /// How many processes there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Never: a list without processes is refused.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Where a process is.
    pub fn address(&self, process: usize) -> &str {
        &self.0[process]
    }
}

impl FromStr for Hosts {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let mut hosts: Vec<String> = vec![];
        for (number, line) in (1..).zip(text.lines()) {
            let address = line.split('#').next().unwrap_or_default().trim();
            if address.is_empty() {
                continue;
            }
            let port =
                address.rsplit_once(':').filter(|(host, _)| !host.is_empty()).and_then(|(_, port)| port.parse().ok());
            if port.is_none_or(|port: u16| port == 0) || address.contains(char::is_whitespace) {
                return Err(format!("line {number}: {address:?} is no host:port, such as 10.0.0.1:7100"));
            }
            if let Some(other) = hosts.iter().position(|other| other == address) {
                return Err(format!(
                    "line {number}: {address} is process {other} already; every process has its own port"
                ));
            }
            hosts.push(address.into());
        }
        match hosts.len() {
            0 => Err("it lists no process; it needs one host:port a line".into()),
            n if n > MOST => Err(format!("it lists {n} processes, and there may be {MOST}")),
            _ => Ok(Hosts(hosts)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let wrong = |text: &str| text.parse::<Hosts>().unwrap_err();
        assert!(wrong("a:1\nb").starts_with("line 2: \"b\" is no host:port"));
        assert!(wrong("a:0").contains("no host:port"));
        assert!(wrong(":7").contains("no host:port"));
        assert!(wrong("a:1 b:2").contains("no host:port"));
        assert!(wrong("a:1\n#\na:1").contains("line 3: a:1 is process 0 already"));
        assert!(wrong("# nobody\n").contains("no process"));
        assert_eq!("[::1]:7100".parse::<Hosts>().unwrap().address(0), "[::1]:7100");
    }
}
