"""Tests of //rules/private/options:options.bzl."""

load("@bazel_skylib//lib:unittest.bzl", "asserts", "unittest")
load("//rules/private/options:options.bzl", "words")

_WORDS = {
    "": [],
    " \t ": [],
    "-O2": ["-O2"],
    " -O2\t-g ": ["-O2", "-g"],
    "''": [""],
    "a '' b": ["a", "", "b"],
    "-DX='a b'": ["-DX=a b"],
    "-DX=\"a b\"c": ["-DX=a bc"],
    "-DX=\\\"a\\\"": ["-DX=\"a\""],
    "\"a\\\\b\\\"c\\d\"": ["a\\b\"c\\d"],
    "'a\\b\"'": ["a\\b\""],
    "a\\ b": ["a b"],
    "\"'\"": ["'"],
}

_WRONG = {
    "'a": "lacks the closing '",
    "a \"b\\\"": "lacks the closing \"",
    "a\\": "ends with a backslash",
}

def _words_impl(ctx):
    env = unittest.begin(ctx)
    for text, want in _WORDS.items():
        asserts.equals(env, struct(words = want, error = ""), words(text))
    for text, want in _WRONG.items():
        got = words(text).error
        asserts.true(env, got.startswith(want), "%s: %s" % (text, got))
    return unittest.end(env)

_words_test = unittest.make(_words_impl)

def options_test_suite(name):
    unittest.suite(name, _words_test)
