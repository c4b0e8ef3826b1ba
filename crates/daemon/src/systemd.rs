//! Status reports to systemd: one datagram to the socket that it names, see sd_notify(3).

#[cfg(unix)]
use std::os::unix::net::UnixDatagram;

/// Sends a status to the service manager, if there is one.
pub(crate) fn notify(message: &str) {
    #[cfg(target_os = "linux")]
    if let Some(path) = std::env::var_os("NOTIFY_SOCKET") {
        let sent = UnixDatagram::unbound().and_then(|socket| match path.as_encoded_bytes().strip_prefix(b"@") {
            // A leading @ stands for the zero byte of an abstract address.
            Some(name) => {
                use std::os::linux::net::SocketAddrExt;
                socket.send_to_addr(message.as_bytes(), &std::os::unix::net::SocketAddr::from_abstract_name(name)?)
            }
            None => socket.send_to(message.as_bytes(), &path),
        });
        if let Err(error) = sent {
            tracing::debug!(%error, "cannot notify the service manager");
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = message;
}

/// Says that a reload begins, and when: with `Type=notify-reload` the service manager waits for the `READY=1` after its own signal.
pub(crate) fn notify_reloading() {
    #[cfg(target_os = "linux")]
    if let Ok(now) = nix::time::clock_gettime(nix::time::ClockId::CLOCK_MONOTONIC) {
        notify(&format!("RELOADING=1\nMONOTONIC_USEC={}", std::time::Duration::from(now).as_micros()));
    }
}

/// The time between two reports to the service manager's watchdog: half of its limit.
pub(crate) fn watchdog_interval() -> Option<std::time::Duration> {
    let micros: u64 = std::env::var("WATCHDOG_USEC").ok()?.parse().ok()?;
    Some(std::time::Duration::from_micros(micros / 2))
}
