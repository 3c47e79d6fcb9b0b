"""Runs jupyter_kernel_test, as it comes from its package registry, against our
kernel and against Python's own, and prints a Markdown table on stdout: a line
for each test with what it made of either kernel. Why a test failed or was
skipped goes to stderr.

usage: kernel_suite.py KERNEL_NAME

The exit status is 1 if a test that applies does not pass on our kernel, or if
the installed suite is not what its package holds.
"""

import base64
import hashlib
import sys
import unittest
from importlib import metadata

from jupyter_kernel_test import IopubWelcomeTests, KernelTests

# Tests that do not apply to our kernel, with the reason.
EXEMPT = {
    "test_pager": "the pager is opened by a payload, which the protocol has deprecated; `?name` shows documentation below the cell",
}


class Go(KernelTests):
    kernel_name = sys.argv[1]
    language_name = "go"
    file_extension = ".go"
    code_hello_world = 'import "fmt"\nfmt.Println("hello, world")'
    code_stderr = 'import ("fmt"; "os")\nfmt.Fprintln(os.Stderr, "test")'
    completion_samples = [
        {"text": "kg.Bundl", "matches": {"Bundled"}},
        {"text": 'größe := "ü"; display.Markd', "matches": {"Markdown", "Markdowner"}},
        {"text": "kg.NoSuchName", "matches": set()},
    ]
    complete_code_samples = ["x := 1", "func f() int { return 1 }", "fmt.Println(1)", ""]
    incomplete_code_samples = ["func f() {", "fmt.Println(", "for i := 0; i < 3; i++ {", "s := `a"]
    invalid_code_samples = ["func ) {", "x := := 2"]
    code_generate_error = 'panic("wrong")'
    code_execute_result = [
        {"code": "1+2", "result": "3"},
        {"code": '"a" + "b"', "result": "ab"},
        {"code": "1 << 40", "result": "1099511627776"},
    ]
    code_display_data = [
        {"code": 'Display(display.HTML("<b>bold</b>"))', "mime": "text/html"},
        {"code": 'Display(display.Math("a^2"))', "mime": "text/latex"},
    ]
    code_history_pattern = "1?2*"
    supported_history_operations = ("tail", "range", "search")
    code_inspect_sample = "fmt.Println"
    code_clear_output = "ClearOutput(false)"


class GoWelcome(IopubWelcomeTests):
    kernel_name = sys.argv[1]
    support_iopub_welcome = True


class Python(KernelTests):
    kernel_name = "python3"
    language_name = "python"
    file_extension = ".py"
    code_hello_world = "print('hello, world')"
    code_stderr = "import sys; print('test', file=sys.stderr)"
    completion_samples = [{"text": "zi", "matches": {"zip"}}]
    complete_code_samples = ["1", "print('hello, world')", "def f(x):\n  return x*2\n\n\n"]
    incomplete_code_samples = ["print('''hello", "def f(x):\n  x*2"]
    invalid_code_samples = ["import = 7q"]
    code_generate_error = "raise"
    code_execute_result = [{"code": "1+2+3", "result": "6"}, {"code": "[n*n for n in range(1, 4)]", "result": "[1, 4, 9]"}, {"code": "1+2", "result": "3"}]
    code_display_data = [{"code": "from IPython.display import HTML, display; display(HTML('<b>test</b>'))", "mime": "text/html"}]
    code_history_pattern = "1?2*"
    supported_history_operations = ("tail", "range", "search")
    code_page_something = "zip?"
    code_inspect_sample = "zip"
    code_clear_output = "from IPython.display import clear_output; clear_output()"


class PythonWelcome(IopubWelcomeTests):
    kernel_name = "python3"
    support_iopub_welcome = True


class Outcomes(unittest.TestResult):
    """Keeps one word for each test; the first bad one of its parts counts."""

    def __init__(self, kernel):
        super().__init__()
        self.kernel = kernel
        self.word = {}

    def note(self, test, word, why=""):
        case = getattr(test, "test_case", test)  # of a subtest
        # setUpClass and the like fail as something that is no test case.
        name = getattr(case, "_testMethodName", str(case))
        self.word.setdefault(name, word)
        if why:
            print("%s: %s %s: %s" % (self.kernel, name, word, why), file=sys.stderr)

    def addSuccess(self, test):
        self.note(test, "passes")

    def addFailure(self, test, err):
        self.note(test, "fails", self._exc_info_to_string(err, test))

    addError = addFailure

    def addSkip(self, test, reason):
        self.note(test, "skipped", reason)

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self.note(test, "fails", "%s: %s" % (subtest._subDescription(), self._exc_info_to_string(err, test)))


def run(*cases):
    outcomes = Outcomes(cases[0].kernel_name)
    load = unittest.defaultTestLoader.loadTestsFromTestCase
    unittest.TestSuite(load(case) for case in cases).run(outcomes)
    return outcomes.word


def changed_files(package):
    """The files of an installed package that differ from its list of digests."""
    changed = []
    for file in metadata.files(package) or sys.exit("%s has no list of files" % package):
        if file.hash is None:
            continue
        digest = hashlib.new(file.hash.mode, file.locate().read_bytes()).digest()
        if base64.urlsafe_b64encode(digest).rstrip(b"=").decode() != file.hash.value:
            changed.append(str(file))
    return changed


def main():
    suite = "jupyter_kernel_test"
    changed = changed_files(suite)
    if changed:
        sys.exit("%s is not as its package has it: %s" % (suite, ", ".join(changed)))
    ours, python = run(Go, GoWelcome), run(Python, PythonWelcome)

    good = True
    for name, word in sorted(ours.items()):
        if name in EXEMPT:
            ours[name] = "not applicable"
        elif word != "passes":
            good = False
    head = ["%s %s" % (suite, metadata.version(suite)), Go.kernel_name, "ipykernel " + metadata.version("ipykernel")]
    rows = [[name, ours.get(name, "did not run"), python.get(name, "did not run")] for name in sorted(set(ours) | set(python))]
    widths = [max(len(row[i]) for row in [head] + rows) for i in range(3)]
    for row in [head, ["-" * width for width in widths]] + rows:
        print("| %s |" % " | ".join(text.ljust(width) for text, width in zip(row, widths)))
    for name, reason in sorted(EXEMPT.items()):
        print("\n`%s` is not applicable: %s." % (name, reason))
    sys.exit(0 if good else 1)


main()
