"""Fails where a field of a Job is none of Kubernetes' API, has another type, or a required one is missing."""

import sys

import yaml
from kubernetes.client import models


def check(kind, value, path):
    if kind.startswith("list["):
        for at, item in enumerate(value):
            check(kind[5:-1], item, f"{path}[{at}]")
    elif kind.startswith("dict("):
        for key, item in value.items():
            check(kind[5:-1].split(", ")[1], item, f"{path}.{key}")
    elif hasattr(models, kind):
        model = getattr(models, kind)
        fields = {name: field for field, name in model.attribute_map.items()}
        for name, item in value.items():
            check(model.openapi_types[fields[name]], item, f"{path}.{name}")
        model(**{fields[name]: item for name, item in value.items()})
    elif type(value).__name__ != kind:
        raise TypeError(f"{path} is {value!r}, and no {kind}")


check("V1Job", yaml.safe_load(sys.argv[1]), "Job")
