"""Builds the documentation's site: static pages with a search that needs no server.

usage: build.py PROGRAM OUT

PROGRAM is the built spherelab, whose help becomes the reference of commands. OUT is a folder for the pages. Go writes
the reference of cuts, metrics, paths, cells and packages from the sources, by _tool/site/reference.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
REPOSITORY = "https://github.com/spherelab/spherelab/blob/main/"

# The site's pages of documents, by their paths. Sphinx has a page search.html of its own.
PAGES = {f"docs/{page.name}": page.name for page in sorted((ROOT / "docs").glob("*.md"))} | {
    "README.md": "readme.md", "ARCHITECTURE.md": "architecture.md", "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md", "docs/search.md": "sweep.md"}
LINK = re.compile(r"(\]\()([^)#\s]+)(#[^)\s]*)?(\))")


def moved_links(text, folder):
    """Lets relative links of a page in folder lead to the site's page, or to the repository."""

    def moved(match):
        begin, target, anchor, end = match.groups()
        if "://" in target or target.startswith("mailto:"):
            return match[0]
        path = (ROOT / folder / target).resolve().relative_to(ROOT)
        if path.as_posix() in PAGES:
            target = PAGES[path.as_posix()]
        elif path.parent == pathlib.Path("docs") and path.suffix in (".png", ".svg"):
            target = path.name
        else:
            target = REPOSITORY + path.as_posix()
        return begin + target + (anchor or "") + end

    return LINK.sub(moved, text)


def help_of(program, path):
    return subprocess.run([program, *path, "--help"], check=True, capture_output=True, text=True,
                          env={"NO_COLOR": "1", "HOME": "/"}).stdout


def commands(program, path=()):
    """Yields each command as its words and its help, a group before its commands."""
    text = help_of(program, path)
    yield path, text
    listed = re.search(r"^Available Commands:\n((?:  .*\n)+)", text, re.MULTILINE)
    for line in listed[1].splitlines() if listed else []:
        name = line.split()[0]
        if name != "help":
            yield from commands(program, (*path, name))


def command_reference(program):
    lines = ["# Commands", "", "What `--help` prints. Options of all commands stand at the first one.", ""]
    shared = ""
    for path, text in commands(program):
        found = re.search(r"\nGlobal Flags:\n(?:  .*\n)+", text)
        if found:
            shared, text = found[0].strip(), text.replace(found[0], "\n")
        depth = min(len(path), 2) + 1
        title = " ".join(path) or "spherelab"
        if depth > 1:
            lines += ["#" * depth + " " + title, ""]
        lines += ["```text", text.strip(), "```", ""]
    return "\n".join(lines + ["## Options of all commands", "", "```text", shared, "```", ""])


def config_reference():
    text = (ROOT / "experiments/configs/default.yaml").read_text(encoding="utf-8")
    return ("# Keys of a config\n\nAll keys with their defaults, as in "
            f"[default.yaml]({REPOSITORY}experiments/configs/default.yaml). "
            "`--set key=value` sets any of them.\n\n```yaml\n" + text.strip() + "\n```\n")


def glossary():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    return "# Glossary\n" + re.search(r"^## Glossary\n(.*?)^## ", text, re.MULTILINE | re.DOTALL)[1]


def collect(program, source):
    """Writes the sources of all pages into a folder."""
    for name, page in PAGES.items():
        text = (ROOT / name).read_text(encoding="utf-8")
        (source / page).write_text(moved_links(text, pathlib.Path(name).parent), encoding="utf-8")
    for pattern in ("*.png", "*.svg"):
        for picture in (ROOT / "docs").glob(pattern):
            shutil.copy(picture, source)
    shutil.copy(HERE / "index.md", source)
    (source / "command.md").write_text(command_reference(program), encoding="utf-8")
    (source / "config.md").write_text(config_reference(), encoding="utf-8")
    (source / "glossary.md").write_text(glossary(), encoding="utf-8")
    subprocess.run(["go", "-C", ROOT / "_tool", "run", "./site/reference", source], check=True)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    from sphinx.cmd.build import main as sphinx

    program, out = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "source")
        source.mkdir()
        collect(program, source)
        # -W: a warning, such as a link to a heading that is gone, is an error.
        code = sphinx(["-q", "-W", "--keep-going", "-j", "auto", "-b", "html", "-c", str(HERE),
                       "-d", str(pathlib.Path(folder, "trees")), str(source), str(out)])
    if code:
        sys.exit(code)
    print(f"the site is in {out}; open {out / 'index.html'}")


if __name__ == "__main__":
    main()
