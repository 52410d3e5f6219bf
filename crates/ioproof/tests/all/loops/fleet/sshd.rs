//! An sshd of the test's own on 127.0.0.1 and 127.0.0.2, ended when dropped. The clock behind the second address is an hour ahead.

use crate::common::loops::tool;
use crate::common::{Sandbox, wait_until};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

pub struct Sshd {
    place: PathBuf,
    folder: PathBuf,
    port: u32,
    child: Child,
}

impl Sshd {
    pub fn new(sandbox: &Sandbox) -> Self {
        let (place, folder) = (sandbox.state().join("ssh"), sandbox.state().join("remote"));
        for path in [&place.join("bin"), &folder, &PathBuf::from("/run/sshd")] {
            std::fs::create_dir_all(path).unwrap();
        }
        for name in ["host", "user"] {
            tool("ssh-keygen", &["-q", "-t", "ed25519", "-N", "", "-f", place.join(name).to_str().unwrap()]);
        }
        let date = place.join("bin/date");
        std::fs::write(&date, "#!/bin/sh\nexec /bin/date -d '+1 hour' \"$@\"\n").unwrap();
        std::fs::set_permissions(&date, std::fs::Permissions::from_mode(0o755)).unwrap();
        let (port, at) = (20000 + std::process::id() % 900, place.display());
        let config = format!(
            "ListenAddress 127.0.0.1:{port}\nListenAddress 127.0.0.2:{port}\nHostKey {at}/host\nAuthorizedKeysFile {at}/user.pub\nStrictModes no\nUsePAM no\n\
             PermitRootLogin yes\nPasswordAuthentication no\nPidFile none\nSubsystem sftp internal-sftp\n\
             Match LocalAddress 127.0.0.2\n    SetEnv PATH={at}/bin:/usr/sbin:/usr/bin:/sbin:/bin\n"
        );
        std::fs::write(place.join("config"), config).unwrap();
        let mut command = Command::new("/usr/sbin/sshd");
        command.args(["-D", "-e", "-f"]).arg(place.join("config")).stdin(Stdio::null()).stdout(Stdio::null());
        let child = command.stderr(std::fs::File::create(place.join("log")).unwrap()).spawn().unwrap();
        wait_until("sshd", || std::net::TcpStream::connect(("127.0.0.2", port as u16)).is_ok());
        Self { place, folder, port, child }
    }

    /// Folder in which nodes get theirs.
    pub fn folder(&self) -> &PathBuf {
        &self.folder
    }

    /// The lines of a plan about it.
    pub fn lines(&self) -> String {
        let options = [
            format!("Port={}", self.port),
            format!("IdentityFile={}", self.place.join("user").display()),
            "User=root".to_owned(),
            "StrictHostKeyChecking=no".to_owned(),
            "UserKnownHostsFile=/dev/null".to_owned(),
            "LogLevel=ERROR".to_owned(),
            "ConnectTimeout=30".to_owned(),
        ];
        format!("[ssh]\noptions = {options:?}\nfolder = \"{}\"", self.folder.display())
    }
}

impl Drop for Sshd {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
