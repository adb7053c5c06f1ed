# SPDX-License-Identifier: GPL-3.0-or-later
"""What Knative's webhook refuses of the annotations that set up its autoscaler.

Source: Knative Serving 0.48.1, pkg/apis/autoscaling/annotation_validation.go and register.go, pkg/apis/serving/metadata_validation.go.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import inf

from ....endpoint_picker.text.durations import parse_duration
from ....kube.did_you_mean import nearest
from ....kube.schema_faults import show
from .names import AUTOSCALING, USUAL_CLASS

#: The older spelling of what KServe always writes with a dash; of the two, Knative follows the dash.
MIN_SCALE = f"{AUTOSCALING}minScale"
_HOUR = 3600
_CLASS, _METRIC = f"{AUTOSCALING}class", f"{AUTOSCALING}metric"
_HPA = "hpa.autoscaling.knative.dev"
_CLASSES = (USUAL_CLASS, _HPA)
#: What each autoscaler measures by itself. An HPA takes other names, too: those of metrics that something in the cluster has to serve.
_METRICS: Mapping[str, tuple[str, ...]] = {
    USUAL_CLASS: ("concurrency", "rps"),
    _HPA: ("cpu", "memory"),
}
#: How Knative's own autoscaler may weigh what it measured.
_ALGORITHMS = ("linear", "weighted-exponential", "weightedExponential")
#: With fewer pods there is nothing to activate together.
_FEWEST_ACTIVATED = 2
#: Least and most, by the last part of the name, dashes and capitals aside.
_NUMBERS: Mapping[str, tuple[float, float]] = {
    "panicthresholdpercentage": (110, 1000),
    "panicwindowpercentage": (1, 100),
    "target": (0.01, inf),
    "targetutilizationpercentage": (1, 100),
}
#: Least and most seconds; those with True are whole.
_DURATIONS: Mapping[str, tuple[int, int, bool]] = {
    "scaledowndelay": (0, _HOUR, True),
    "scaletozeropodretentionperiod": (0, _HOUR, False),
    "window": (6, _HOUR, True),
}
#: Times of a rollout, under their whole names.
_ROLLOUT = (
    "serving.knative.dev/rollout-duration",
    "serving.knative.dev/progress-deadline",
)
#: What it knows beside those, written with dashes or with capitals.
KNOWN_NAMES = (
    "activation-scale",
    "class",
    "initial-scale",
    "max-scale",
    "metric",
    "metric-aggregation-algorithm",
    "min-scale",
    "panic-threshold-percentage",
    "panic-window-percentage",
    "scale-down-delay",
    "scale-to-zero-pod-retention-period",
    "target",
    "target-burst-capacity",
    "target-utilization-percentage",
    "window",
)
#: KServe writes these itself.
_OF_FIELDS = {"min-scale": "minReplicas", "max-scale": "maxReplicas"}


def unknown_annotations(annotations: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield names that Knative's own autoscaler does not know, and what to write in their place."""
    if annotations.get(f"{AUTOSCALING}class", _CLASSES[0]) not in _CLASSES:
        return
    known = {spelling for each in KNOWN_NAMES for spelling in (each, _capitals(each))}
    for name in annotations:
        last = name.removeprefix(AUTOSCALING)
        if last == name or last in known:
            continue
        near = nearest(last, KNOWN_NAMES)
        if near in _OF_FIELDS:
            yield name, f"set {_OF_FIELDS[near]} of the component"
        else:
            yield name, f'did you mean "{AUTOSCALING}{near}"?' if near else "leave it out"


def _capitals(name: str) -> str:
    first, *rest = name.split("-")
    return "".join([first, *map(str.capitalize, rest)])


def annotation_faults(
    annotations: Mapping[str, str], autoscaler: str = USUAL_CLASS
) -> Iterator[tuple[str, str]]:
    """Yield name and fault of annotations. autoscaler: the class that the revision has."""
    for name, text in annotations.items():
        prefix, dummy, last = name.rpartition("/")
        if name in _ROLLOUT and (fault := _time(text, 0, inf, whole=True)):
            yield name, f"{fault}, and this is {show(text)}"
        if f"{prefix}/" != AUTOSCALING:
            continue
        key = last.replace("-", "").lower()
        fault = _number(key, text) or _duration(key, text) or _count(key, text)
        if autoscaler == USUAL_CLASS:
            fault = fault or _word(key, text)
        if key == "targetburstcapacity" and not _is_burst(text):
            fault = "takes -1, 0 or more"
        if key == "class" and text.endswith(AUTOSCALING.rstrip("/")) and text not in _CLASSES:
            fault = f"takes {' or '.join(_CLASSES)}"
        if fault:
            yield name, f"{fault}, and this is {show(text)}"


def class_of(*annotated: Mapping[str, str]) -> str:
    """Return the class of the autoscaler of a revision. annotated: whose annotations it gets, the strongest last."""
    found = [each[_CLASS] for each in annotated if _CLASS in each]
    return found[-1] if found else USUAL_CLASS


def scaling_doubts(
    annotations: Mapping[str, str], autoscaler: str
) -> Iterator[tuple[str, str, str]]:
    """Yield what Knative takes and scales nothing by: the name, what comes of it, and what to do."""
    given = annotations.get(_CLASS, _CLASSES[0])
    meant = next((each for each in _CLASSES if given.lower() == each.partition(".")[0]), None)
    meant = meant or nearest(given, _CLASSES)
    if meant and given not in _CLASSES:
        effect = f"no autoscaler of Knative is called {show(given)}, so that nobody scales the pods"
        yield _CLASS, effect, f"write {meant}"
    metric = annotations.get(_METRIC, "")
    if autoscaler == _HPA and metric in _METRICS[USUAL_CLASS]:
        effect = f"an HPA does not measure {metric}, and nothing in Knative serves it as a metric of pods"
        way = f"write {' or '.join(_METRICS[_HPA])}, or use class {USUAL_CLASS}"
        yield _METRIC, effect, way


def _word(key: str, text: str) -> str:
    """Return what is wrong with a word that Knative's own autoscaler takes."""
    allowed = {"metric": _METRICS[USUAL_CLASS], "metricaggregationalgorithm": _ALGORITHMS[:2]}
    known = {"metric": _METRICS[USUAL_CLASS], "metricaggregationalgorithm": ("", *_ALGORITHMS)}
    if text in known.get(key, (text,)):
        return ""
    class_says = f" with class {USUAL_CLASS}" if text in _METRICS[_HPA] else ""
    return f"takes {' or '.join(allowed[key])}{class_says}"


def _count(key: str, text: str) -> str:
    """Return what is wrong with a number of pods."""
    if key != "activationscale":
        return ""
    whole = text.removeprefix("+").isdecimal() and int(text) >= _FEWEST_ACTIVATED
    return "" if whole else f"takes a whole number of {_FEWEST_ACTIVATED} or more"


def _number(key: str, text: str) -> str:
    if key not in _NUMBERS:
        return ""
    least, most = _NUMBERS[key]
    value = _float(text)
    if value is not None and least <= value <= most:
        return ""
    return f"takes a number of {least:g} or more" if most == inf else f"takes {least:g} to {most:g}"


def _duration(key: str, text: str) -> str:
    if key not in _DURATIONS:
        return ""
    least, most, whole = _DURATIONS[key]
    return _time(text, least, most, whole=whole)


def _time(text: str, least: int, most: float, *, whole: bool) -> str:
    value = parse_duration(text)
    if value is None:
        return "takes a time with its unit, for example 60s"
    if not least <= value <= most:
        return f"takes {least}s or more" if most == inf else f"takes {least}s to {most}s"
    return "takes whole seconds" if whole and value.denominator != 1 else ""


def _is_burst(text: str) -> bool:
    value = _float(text)
    return value is not None and (value >= 0 or value == -1)


def _float(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
