"""Holds an exported ONNX model to golden sequences: onnx's checker, then onnxruntime step by step, with
the belief that the model itself keeps. Says what a step takes of one core.
  onnx_check.py MODEL GOLDEN"""
import json
import sys
import time

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
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    contract = json.loads(session.get_modelmeta().custom_metadata_map["contract"])
    names = {value.name for value in session.get_inputs()}
    outputs = [value.name for value in session.get_outputs()]
    inside = "belief_in" in names
    assert inside == bool(contract["belief"].get("inside", False))
    steps, largest, seconds = 0, 0.0, 0.0
    for sequence in json.load(open(golden)):
        state = before = None
        for step in sequence:
            observation = np.array(step["observation"], float)
            if step["first"]:
                t = 0
                before = {"observation": step["observation"], "executed": step["executed"]}
                if inside:
                    state = np.zeros(session.get_inputs()[
                        [v.name for v in session.get_inputs()].index("belief_in")].shape)
            given = {
                "observation": observation,
                "time": np.array([t], np.int64),
                "belief": np.array(step["belief"], float),
                "first": np.array([step["first"]]),
                "belief_in": state,
                "previous_observation": np.array(before["observation"], float),
                "executed_action": np.array(before["executed"], float),
            }
            inputs = {n: given[n] for n in names}
            begin = time.process_time()
            values = session.run(None, inputs)
            seconds += time.process_time() - begin
            found = dict(zip(outputs, values))
            largest = max(largest, gap(found["output"], step["output"]))
            if inside:
                largest = max(largest, gap(found["belief"], step["belief"]))
                state = found["belief_out"]
            if sequence[0]["greedy"]:
                largest = max(largest, gap(found["action"], step["action"]))
            before, t, steps = step, t + 1, steps + 1
    print(f"onnx: {steps} steps, belief {'inside' if inside else 'given'}, "
          f"largest difference {largest:.3g} (bound {BOUND:g}), "
          f"{1e3 * seconds / steps:.2f} ms of the processor per step")
    return 0 if largest <= BOUND else 1


sys.exit(main(*sys.argv[1:]))
