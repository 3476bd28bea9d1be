#!/usr/bin/env python3
# Validate what commands print by doc/json.schema.json, and see that it says of
# every key that there is: validate-json.py [--schema] SCHEMA FILE... With --schema
# it validates the schema, too.
# SPDX-License-Identifier: LGPL-2.1-or-later
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


checks_schema = sys.argv[1] == "--schema"
names = sys.argv[2 + checks_schema:]
with open(sys.argv[1 + checks_schema]) as file:
    schema = json.load(file)
if checks_schema:
    jsonschema.Draft202012Validator.check_schema(schema)
for definition in schema["$defs"].values():
    close(definition)
validator = jsonschema.Draft202012Validator(schema)
bad = 0
for name in names:
    with open(name) as file:
        document = json.load(file)
    if list(document)[:2] != ["schema", "version"]:
        print(f"{name}: does not begin with schema and version")
        bad += 1
    for error in validator.iter_errors(document):
        path = "/".join(str(part) for part in error.absolute_path)
        print(f"{name}: {path}: {error.message[:300]}")
        bad += 1
        if bad > 20:
            break
print(f"{len(names)} documents, {bad} errors")
sys.exit(bad > 0)
