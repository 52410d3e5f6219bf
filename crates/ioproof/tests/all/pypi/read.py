"""Reads reports as their usual readers do. Arguments: the schema of JSON reports, then reports. Any doubt is an exception."""

import json
import sys
import xml.etree.ElementTree

import duckdb
import jsonschema
import polars
from prometheus_client.openmetrics.parser import text_string_to_metric_families as openmetrics
from prometheus_client.parser import text_string_to_metric_families as prometheus

NUMBERS = ["value", "low", "high", "block_size_bytes", "workers", "queue_depth_per_worker", "queue_depth_total"]


def read_json(path, schema):
    jsonschema.Draft202012Validator(schema).validate(json.load(open(path)))


def read_metrics(path):
    text = open(path).read()
    names = [{family.name for family in parse(text)} for parse in (openmetrics, prometheus)]
    # The older format has no word for the stamp's missing type either.
    assert names[0] == names[1] and len(names[0]) > 5, names
    assert all(sample.timestamp is None for family in openmetrics(text) for sample in family.samples)


def read_junit(path):
    suites = xml.etree.ElementTree.parse(path).getroot()
    cases = suites.findall("testsuite/testcase")
    assert suites.tag == "testsuites" and len(cases) == int(suites.get("tests")) > 0
    assert len({case.get("name") for case in cases}) == len(cases)


def read_table(path):
    is_csv = path.endswith(".csv")
    frame = polars.read_csv(path, infer_schema_length=None) if is_csv else polars.read_parquet(path)
    rows = duckdb.sql(f"select * from '{path}'")
    assert frame.columns == rows.columns, (path, frame.columns, rows.columns)
    assert frame.height == rows.shape[0] > 0
    if path.endswith(("notes.csv", "notes.parquet")):
        return
    for name in NUMBERS:
        assert frame[name].dtype.is_numeric() or frame[name].is_null().all(), (path, name, frame[name].dtype)
    mine = frame["value"].sum()
    theirs = duckdb.sql(f"select sum(value) from '{path}'").fetchall()[0][0]
    assert abs(mine - theirs) <= 1e-9 * abs(mine), (path, mine, theirs)
    if not is_csv:
        same = polars.read_csv(path.replace("parquet", "csv"), infer_schema_length=None)
        for name in ["workload", "metric", "value", "unit"]:
            assert frame[name].to_list() == same[name].to_list(), (path, name)


def main(schema, *paths):
    schema = json.load(open(schema))
    jsonschema.Draft202012Validator.check_schema(schema)
    readers = {"json": lambda path: read_json(path, schema), "prom": read_metrics, "xml": read_junit}
    for path in paths:
        readers.get(path.rsplit(".", 1)[1], read_table)(path)
    print(len(paths), "read")


main(*sys.argv[1:])
