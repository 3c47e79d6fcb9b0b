"""Jupyter's standard kernel tests, unmodified, against the fake engine: what they check here is the wire."""
import unittest

import jupyter_kernel_test as jkt


class FakeKernelTests(jkt.KernelTests):
    kernel_name = "fake"
    language_name = "fake"
    file_extension = ".fake"
    code_hello_world = "print hello, world"
    code_stderr = "eprint oops"
    completion_samples = [{"text": "grö", "matches": {"gröone", "grötwo"}}]
    complete_code_samples = ["x"]
    incomplete_code_samples = ["f {"]
    invalid_code_samples = ["}"]
    code_page_something = "page a page"
    code_generate_error = "error ValueError wrong"
    code_execute_result = [{"code": "value 3", "result": "3"}, {"code": "value 6*7", "result": "6*7"}]
    code_display_data = [{"code": "plainshow <b>x</b>", "mime": "text/html"}]
    code_history_pattern = "value ?"
    supported_history_operations = ("tail", "range", "search")
    code_inspect_sample = "x"
    code_clear_output = "clear"


class FakeWelcomeTests(jkt.IopubWelcomeTests):
    kernel_name = "fake"
    support_iopub_welcome = True


if __name__ == "__main__":
    unittest.main(verbosity=2)
