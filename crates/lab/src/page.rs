//! The page: the modules of the folder `page`, inside of the program.

/// The type and the content of a file of the page.
pub type File = (&'static str, &'static str);

macro_rules! files {
    ($($name:literal: $kind:expr,)*) => {
        /// Every file of the page.
        pub const FILES: &[(&str, File)] = &[$(($name, ($kind, include_str!(concat!("../page/", $name))))),*];
    };
}

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const MARKDOWN: &str = "text/markdown; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

files! {
    "index.html": HTML,
    "style.css": CSS,
    "address.js": SCRIPT,
    "api.js": SCRIPT,
    "boxes.js": SCRIPT,
    "cluster.js": SCRIPT,
    "curves.js": SCRIPT,
    "diagram.js": SCRIPT,
    "dom.js": SCRIPT,
    "figure.js": SCRIPT,
    "judge.js": SCRIPT,
    "know.js": SCRIPT,
    "lab.js": SCRIPT,
    "map.js": SCRIPT,
    "marks.js": SCRIPT,
    "measure.js": SCRIPT,
    "messages.js": SCRIPT,
    "network.js": SCRIPT,
    "player.js": SCRIPT,
    "recorded.js": SCRIPT,
    "rules.js": SCRIPT,
    "run.js": SCRIPT,
    "scene.js": SCRIPT,
    "send.js": SCRIPT,
    "setup.js": SCRIPT,
    "steps.js": SCRIPT,
    "texts.js": SCRIPT,
    "tours.js": SCRIPT,
    "short-tours/bullets-and-shields.md": MARKDOWN,
    "short-tours/missing-bit.md": MARKDOWN,
    "short-tours/not-a-lock.md": MARKDOWN,
    "short-tours/self-stabilization.md": MARKDOWN,
    "short-tours/two-agents.md": MARKDOWN,
    "short-tours/why-prime.md": MARKDOWN,
    "tours/messages.md": MARKDOWN,
    "tours/oracles.md": MARKDOWN,
    "tours/self-stabilization.md": MARKDOWN,
}

/// The files of a page without a server, besides its engine and its opening. They replace those of [`FILES`] with the same name.
pub const EXPORTED: &[(&str, &str)] =
    &[("send.js", include_str!("../page/exported/send.js")), ("worker.js", include_str!("../page/exported/worker.js"))];

/// A file of the page by its name; the empty name is the page itself.
pub fn file(name: &str) -> Option<File> {
    let name = if name.is_empty() { "index.html" } else { name };
    FILES.iter().find(|(known, _)| *known == name).map(|(_, file)| *file)
}

/// The mark of the page of a recording.
pub(crate) const RECORDING: &str = "id=\"recording\"";

/// The page of a recording: the same modules, all in one file.
pub(crate) fn recorded(title: &str, recording: &serde_json::Value) -> String {
    let text = |name: &str| file(name).map_or("", |(_, text)| text);
    let modules = FILES.iter().filter(|(name, _)| name.ends_with(".js") && *name != "lab.js");
    let imports: serde_json::Map<_, _> =
        modules.map(|(name, (_, text))| (format!("lab/{name}"), address_of(text).into())).collect();
    let imports = serde_json::json!({"imports": imports}).to_string();
    // No text inside of a script may look like its end.
    let data = recording.to_string().replace('<', "\\u003c");
    let scripts = format!(
        "<script type=\"importmap\">{imports}</script>\n<script type=\"application/json\" {RECORDING}>{data}</script>\n\
         <script type=\"module\">import \"lab/recorded.js\";</script>"
    );
    text("index.html")
        .replace("<title>ringleader lab</title>", &format!("<title>{}</title>", title.replace('<', "&lt;")))
        .replace("<link rel=\"stylesheet\" href=\"style.css\">", &format!("<style>\n{}</style>", text("style.css")))
        .replace("<script type=\"module\" src=\"lab.js\"></script>", &scripts)
}

/// A module as a `data:` address: a page opened from a file can import nothing else.
fn address_of(module: &str) -> String {
    let mut address = "data:text/javascript;charset=utf-8,".to_string();
    for c in module.replace("from \"./", "from \"lab/").chars() {
        match c {
            '%' | '#' | '?' | '<' | '"' | '\\' | '\n' | '\t' => address += &format!("%{:02X}", u32::from(c)),
            c => address.push(c),
        }
    }
    address
}
