"""Check a SARIF 2.1.0 file by the rules of its schema and of GitHub, as far as portmeter uses them.

Usage: sarif.py FILE. Prints the results of the file. At the first broken rule, prints a line and
returns status 1.
"""

import json
import re
import sys
from pathlib import Path
from urllib.parse import unquote_to_bytes

UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufffd]")
LEVELS = {"none", "note", "warning", "error"}


def need(condition, what):
    if not condition:
        sys.exit(f"not SARIF: {what}")


def only(value, required, optional, what):
    need(isinstance(value, dict), f"{what} is not an object")
    need(set(required) <= set(value), f"{what} lacks {set(required) - set(value)}")
    unknown = set(value) - set(required) - set(optional)
    need(not unknown, f"{what} has {unknown}")


def check_rule(rule):
    only(
        rule,
        ["id", "shortDescription", "fullDescription", "help"],  # GitHub requires these
        ["name", "defaultConfiguration", "properties"],
        "rule",
    )
    for key in ("shortDescription", "fullDescription", "help"):
        only(rule[key], ["text"], [], key)
        need(0 < len(rule[key]["text"]) <= 1024, f"the text of {key} is empty or too long")
    need(len(rule["name"]) <= 255, "name")
    need(rule["id"] and isinstance(rule["id"], str), "a rule has no id")
    need(rule["defaultConfiguration"]["level"] in LEVELS, "level")
    need(len(set(rule["properties"]["tags"])) <= 10, "more than 10 tags")


def print_of(result):
    return result["partialFingerprints"]["primaryLocationLineHash"]


def check_result(result, rules):
    only(
        result,
        ["message", "ruleId", "ruleIndex", "locations"],
        ["level", "partialFingerprints"],
        "result",
    )
    need(result["level"] in LEVELS, "level")
    need(rules[result["ruleIndex"]]["id"] == result["ruleId"], "ruleIndex")
    only(result["message"], ["text"], [], "message")
    need(not UNSAFE.search(result["message"]["text"]), "a control character in a message")
    need(len(result["locations"]) == 1, "locations")
    place = result["locations"][0]["physicalLocation"]
    only(place, ["artifactLocation", "region"], [], "physicalLocation")
    uri = place["artifactLocation"]["uri"]
    need(re.fullmatch(r"(?:[A-Za-z0-9/._~-]|%[0-9A-F]{2})+", uri), f"uri {uri}")
    region = place["region"]
    only(region, ["startLine", "startColumn"], [], "region")
    need(all(type(value) is int and value >= 1 for value in region.values()), "region")
    only(result["partialFingerprints"], ["primaryLocationLineHash"], [], "partialFingerprints")
    need(isinstance(print_of(result), str), "fingerprints")
    return unquote_to_bytes(uri), region["startLine"], region["startColumn"]


def main(path):
    text = Path(path).read_bytes()
    need(text.isascii(), "a character is not escaped")
    document = json.loads(text)
    only(document, ["version", "runs"], ["$schema"], "log")
    need(document["version"] == "2.1.0", "version")
    need(1 <= len(document["runs"]) <= 20, "runs")
    for run in document["runs"]:
        only(run, ["tool"], ["results", "columnKind", "properties"], "run")
        need(run["columnKind"] in ("utf16CodeUnits", "unicodeCodePoints"), "columnKind")
        driver = run["tool"]["driver"]
        only(driver, ["name"], ["semanticVersion", "rules"], "driver")
        rules = driver["rules"]
        need(len({rule["id"] for rule in rules}) == len(rules), "two rules with one id")
        for rule in rules:
            check_rule(rule)
        need(len(run["results"]) <= 25000, "more than 25,000 results")
        prints = {print_of(result) for result in run["results"]}
        need(len(prints) == len(run["results"]), "two results with one fingerprint")
        places = [check_result(result, rules) for result in run["results"]]
        print(f"{len(rules)} rules, {len(places)} results")
        for place in sorted(places):
            print(*place)


main(sys.argv[1])
