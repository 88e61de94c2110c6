"""Holds an exported ONNX model to golden sequences: onnx's checker, then onnxruntime step by step, with
the belief that the model itself keeps.   onnx_check.py MODEL GOLDEN"""
import json
import sys

import numpy as np
import onnx
import onnxruntime

BOUND = 5e-7  # half of what is promised


def gap(found, wanted):
    found, wanted = np.asarray(found, float).ravel(), np.asarray(wanted, float).ravel()
    assert found.shape == wanted.shape, (found.shape, wanted.shape)
    gaps = np.abs(found - wanted) / np.maximum(1.0, np.abs(wanted))
    return float(np.max(np.where(gaps >= 0.0, gaps, np.inf), initial=0.0))  # NaN is no agreement


def main(model, golden):
    onnx.checker.check_model(onnx.load(model), full_check=True)
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    contract = json.loads(session.get_modelmeta().custom_metadata_map["contract"])
    names = {value.name for value in session.get_inputs()}
    outputs = [value.name for value in session.get_outputs()]
    inside = "belief_in" in names
    assert inside == bool(contract["belief"].get("inside", False))
    steps, largest = 0, 0.0
    for sequence in json.load(open(golden)):
        state = before = None
        for step in sequence:
            observation = np.array(step["observation"], float)
            if step["first"]:
                time = 0
                before = {"observation": step["observation"], "executed": step["executed"]}
                if inside:
                    state = np.zeros(session.get_inputs()[
                        [v.name for v in session.get_inputs()].index("belief_in")].shape)
            given = {
                "observation": observation,
                "time": np.array([time], np.int64),
                "belief": np.array(step["belief"], float),
                "first": np.array([step["first"]]),
                "belief_in": state,
                "previous_observation": np.array(before["observation"], float),
                "executed_action": np.array(before["executed"], float),
            }
            found = dict(zip(outputs, session.run(None, {n: given[n] for n in names})))
            largest = max(largest, gap(found["output"], step["output"]))
            if inside:
                largest = max(largest, gap(found["belief"], step["belief"]))
                state = found["belief_out"]
            if sequence[0]["greedy"]:
                largest = max(largest, gap(found["action"], step["action"]))
            before, time, steps = step, time + 1, steps + 1
    print(f"onnx: {steps} steps, belief {'inside' if inside else 'given'}, "
          f"largest difference {largest:.3g} (bound {BOUND:g})")
    return 0 if largest <= BOUND else 1


sys.exit(main(*sys.argv[1:]))
