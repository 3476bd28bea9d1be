#!/usr/bin/env python3
# Validate what commands print by doc/json.schema.json, and see that it says of
# every key that there is: validate-json.py [--schema] SCHEMA FILE... With --schema
# it validates the schema, too. With --serve instead of files, it reads their names
# from stdin, one a line, and answers each with errors and a line "valid" or
# "invalid": a start of Python takes longer than a document.
# SPDX-License-Identifier: LGPL-2.1-or-later
import itertools
import json
import sys

import jsonschema


def close(schema):
    """Let objects have no other members than those that are described."""
    if isinstance(schema, dict):
        if "properties" in schema and "$defs" not in schema:
            schema.setdefault("additionalProperties", False)
        for part in schema.values():
            close(part)
    elif isinstance(schema, list):
        for part in schema:
            close(part)


def errors_of(validator, name):
    """The errors of one document, as lines."""
    try:
        with open(name) as file:
            document = json.load(file)
    except (OSError, ValueError) as error:
        yield f"{name}: {error}"
        return
    if list(document)[:2] != ["schema", "version"]:
        yield f"{name}: does not begin with schema and version"
    for error in validator.iter_errors(document):
        path = "/".join(str(part) for part in error.absolute_path)
        yield f"{name}: {path}: {error.message[:300]}"


def report(validator, name):
    """Print the first errors of one document; whether there are some."""
    errors = list(itertools.islice(errors_of(validator, name), 21))
    for error in errors:
        print(error)
    return bool(errors)


arguments = sys.argv[1:]
options = {argument for argument in arguments if argument.startswith("--")}
schema_name, *names = [argument for argument in arguments if argument not in options]
with open(schema_name) as file:
    schema = json.load(file)
if "--schema" in options:
    jsonschema.Draft202012Validator.check_schema(schema)
for definition in schema["$defs"].values():
    close(definition)
validator = jsonschema.Draft202012Validator(schema)
if "--serve" in options:
    for line in sys.stdin:
        print("invalid" if report(validator, line.rstrip("\n")) else "valid", flush=True)
    sys.exit()
bad = sum(report(validator, name) for name in names)
print(f"{len(names)} documents, {bad} with errors")
sys.exit(bad > 0)
