"""Write sklearn.json: trees by scikit-learn's HistGradientBoostingClassifier, version 1.9.1, on drawn data.

    python draw_trees.py > sklearn.json

Its leaves are Newton steps with a ridge, its splits have the greatest gain by first and second derivatives, and a leaf
needs a second derivative of .001, as ours do. Derivatives are in float32 there, so numbers agree to some digits, and of
splits with nearly the same gain it may take another one. A feature with more than 255 values would have other
thresholds there.
"""

import json
import sys

import numpy
import sklearn
from sklearn.ensemble import HistGradientBoostingClassifier


def case(seed, n, trees, depth, rate, ridge):
    draw = numpy.random.default_rng(seed)
    x = numpy.column_stack([
        draw.normal(size=n), draw.integers(0, 6, n), draw.random(n), draw.exponential(size=n) * 3, numpy.full(n, 2.0),
    ]).round(1)
    odds = 1.5 * (x[:, 0] > 0.3) + 1.2 * (x[:, 1] >= 3) * (x[:, 2] > 0.5) - 0.3 * x[:, 3]
    right = draw.random(n) < 1 / (1 + numpy.exp(-odds))
    model = HistGradientBoostingClassifier(
        max_iter=trees, max_depth=depth, max_leaf_nodes=None, min_samples_leaf=1, learning_rate=rate,
        l2_regularization=ridge, max_bins=255, early_stopping=False,
    ).fit(x, right)
    staged = [raw.ravel().tolist() for raw in model.staged_decision_function(x)]
    return {
        "trees": trees, "depth": depth, "rate": rate, "ridge": ridge, "features": x.shape[1],
        "x": x.ravel().tolist(), "right": [bool(r) for r in right],
        "base": float(numpy.log(right.mean() / (1 - right.mean()))),
        "first": staged[0], "last": staged[-1],
    }


cases = [case(1, 240, 12, 3, 0.3, 1.0), case(5, 400, 25, 5, 0.1, 1.0), case(3, 60, 6, 4, 0.5, 0.0)]
if sklearn.__version__ != "1.9.1":
    sys.exit("sklearn.json is of scikit-learn 1.9.1")
json.dump({"scikit-learn": sklearn.__version__, "cases": cases}, sys.stdout)
print()
