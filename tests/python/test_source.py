"""Tests of compiling the texts of a case."""

import traceback
import unittest

import support  # noqa: F401
from pmdriver.job import source


def call(text: str, names: dict, **arguments: object) -> object:
    """Compile a call and run it."""
    code = source.compile_call(text, list(arguments))
    return source.function_of(code, names)(*arguments.values())


class Call(unittest.TestCase):
    """A call is one expression or statement."""

    def test_expression(self) -> None:
        self.assertEqual(call("x + k", {"k": 2}, x=1), 3)

    def test_expression_over_lines_with_a_comment(self) -> None:
        self.assertEqual(call("max(x,\n    k)  # the larger", {"k": 2, "max": max}, x=1), 2)

    def test_lambda_inside(self) -> None:
        self.assertEqual(call("(lambda a: a + x)(2)", {}, x=1), 3)

    def test_statement_binds_globals(self) -> None:
        names = {"k": 2}
        self.assertIsNone(call("y = x + k", names, x=1))
        self.assertEqual(names["y"], 3)

    def test_augmented_assignment_of_a_setup_name(self) -> None:
        names = {"k": 2}
        call("k += x", names, x=1)
        self.assertEqual(names["k"], 3)

    def test_item_assignment_and_blocks(self) -> None:
        values = [1, 2]
        call("v[0] = 5", {}, v=values)
        names: dict = {"total": 0}
        call("for i in v:\n    total += i", names, v=values)
        self.assertEqual((values, names["total"]), ([5, 2], 7))

    def test_assignment_to_an_input_stays_inside(self) -> None:
        names: dict = {"x": 9}
        call("x = x + 1", names, x=1)
        self.assertEqual(names["x"], 9)

    def test_names_of_inner_scopes_are_not_made_global(self) -> None:
        names: dict = {}
        call("y = [z for z in v]", names, v=[1])
        self.assertNotIn("z", names)

    def test_no_python(self) -> None:
        for text in ("x +", "f(x", "", "def", "x = = 1"):
            with self.subTest(text), self.assertRaisesRegex(source.CaseError, r"^call .*$"):
                source.compile_call(text, ["x"])

    def test_traceback_shows_the_text(self) -> None:
        try:
            call("x / 0", {}, x=1)
        except ZeroDivisionError as error:
            text = "".join(traceback.format_exception(type(error), error, error.__traceback__))
        self.assertIn("<call>", text)
        self.assertIn("x / 0", text)


class Job(unittest.TestCase):
    """All texts of a job."""

    def test_scratch_folder(self) -> None:
        texts = source.compile_job(
            {"call": "open", "setup": "p = '$tmp/a'", "output": "out"}, [], "/scratch"
        )
        names: dict = {}
        exec(texts.setup, names)
        self.assertEqual(names["p"], "/scratch/a")
        self.assertIsNone(texts.output)

    def test_names_of_the_setup(self) -> None:
        setup = "def f():\n    return x\nm = y + 1"
        texts = source.compile_job({"call": "f()", "setup": setup}, ["x", "y", "z"], "")
        self.assertEqual(texts.setup_names & {"x", "y", "z"}, {"x", "y"})

    def test_which_text_is_wrong(self) -> None:
        for key in ("setup", "output", "check"):
            with self.subTest(key), self.assertRaisesRegex(source.CaseError, key):
                source.compile_job({"call": "1", key: "a b"}, [], "")


if __name__ == "__main__":
    unittest.main()
