"""Runs jupyter_kernel_test, as it comes from its package registry, against our
kernel and against Python's own, and prints a JSON object on stdout:

    {"spherelab": {"test_error": "ok", ...}, "python3": {...}}

usage: kernel_suite.py KERNEL_NAME
"""

import json
import sys
import unittest

from jupyter_kernel_test import KernelTests


class Go(KernelTests):
    kernel_name = sys.argv[1]
    language_name = "go"
    file_extension = ".go"
    code_hello_world = 'import "fmt"\nfmt.Println("hello, world")'
    code_stderr = 'import ("fmt"; "os")\nfmt.Fprintln(os.Stderr, "test")'
    completion_samples = [
        {"text": "strings.ToUppe"},
        {"text": "fmt.Printl"},
        {"text": 'größe := "ü"; fmt.Sprintl'},
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


class Outcomes(unittest.TestResult):
    def __init__(self):
        super().__init__()
        self.outcome = {}

    def note(self, test, text):
        case = getattr(test, "test_case", test)  # of a subtest
        # setUpClass and the like fail as something that is no test case.
        self.outcome.setdefault(getattr(case, "_testMethodName", str(case)), text)

    def addSuccess(self, test):
        self.note(test, "ok")

    def addFailure(self, test, err):
        self.note(test, "failed: " + self._exc_info_to_string(err, test))

    addError = addFailure

    def addSkip(self, test, reason):
        self.note(test, "skipped: " + reason)

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self.note(test, "failed: %s: %s" % (subtest._subDescription(), self._exc_info_to_string(err, test)))


def main():
    report = {}
    for case in (Go, Python):
        outcomes = Outcomes()
        unittest.defaultTestLoader.loadTestsFromTestCase(case).run(outcomes)
        report[case.kernel_name] = outcomes.outcome
    json.dump(report, sys.stdout, indent=1)


main()
