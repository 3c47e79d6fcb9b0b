"""What the scripts that write models share: a graph of ten entities, scores of all its triples, filtered ranks. Every formula
is in float64, over the float32 weights that are written."""
import json, os
import numpy as np

FOLDER = os.path.dirname(os.path.abspath(__file__))
ENTITIES = ["Ann", "Bob", "Cem", "Dora", "Eve", "Femi", "Gil", "Hana", "Ida", "Jo"]  # in the order of their rows
RELATIONS = ["teaches", "lives with", "wrote to"]
FACTS = {
    # A graph numbers names by their first fact, so that its order is not that of the rows.
    "train": [(7, 2, 5), (3, 2, 8), (9, 1, 4), (6, 2, 3), (0, 0, 1), (0, 0, 2), (1, 0, 3), (2, 0, 4),
              (5, 0, 6), (7, 0, 8), (8, 0, 9), (0, 1, 5), (1, 1, 6), (3, 1, 7), (2, 2, 0), (4, 2, 1), (6, 2, 9), (8, 2, 2)],
    "valid": [(0, 0, 4), (5, 1, 9), (9, 2, 7)],
    "test": [(0, 0, 3), (8, 0, 5), (2, 1, 7), (6, 2, 8), (4, 2, 9)],
}
DIMENSION = 4


def write_lines(path, lines):
    with open(os.path.join(FOLDER, path), "w") as f:
        f.write("".join(line + "\n" for line in lines))


def write_graph():
    os.makedirs(os.path.join(FOLDER, "ten"), exist_ok=True)
    for split, facts in FACTS.items():
        write_lines(f"ten/{split}.txt", ("\t".join((ENTITIES[h], RELATIONS[r], ENTITIES[t])) for h, r, t in facts))


def filtered_mrr(tail, head):
    """The mean of 1/rank of the test facts, asked on both sides; a rank is the mean of the best and the worst of a tie, among
    the entities that make no other fact. Scores are [relation, head, tail]."""
    known = set(sum(FACTS.values(), []))
    inverse = []
    for h, r, t in FACTS["test"]:
        for scores, of, fact in ((tail[r, h], t, lambda e: (h, r, e)), (head[r, :, t], h, lambda e: (e, r, t))):
            rivals = [scores[e] for e in range(len(ENTITIES)) if e != of and fact(e) not in known]
            above, same = sum(x > scores[of] for x in rivals), sum(x == scores[of] for x in rivals)
            inverse.append(1 / (1 + above + same / 2))
    return float(np.mean(inverse))


def write_scores(path, tail, head=None, mrr=None):
    """Writes the scores of all triples as [relation][head][tail]; those of head queries where they differ."""
    def rounded(x):
        return [[[float("%.9g" % s) for s in row] for row in one] for one in np.asarray(x)]
    out = {"entities": ENTITIES, "relations": RELATIONS, "tail": rounded(tail), "head": rounded(head) if head is not None else None,
           "mrr": filtered_mrr(tail, tail if head is None else head) if mrr is None else mrr}
    with open(os.path.join(FOLDER, path), "w") as f:
        json.dump(out, f)
        f.write("\n")


def as_complex(rows):
    """Rows that have the real parts first, then the imaginary parts."""
    rows = np.asarray(rows, np.float64)
    d = rows.shape[1] // 2
    return rows[:, :d] + 1j * rows[:, d:]


def grid(e, r):
    return e[None, :, None, :], r[:, None, None, :], e[None, None, :, :]


def transe(e, r, norm=1):
    h, r, t = grid(np.asarray(e, np.float64), np.asarray(r, np.float64))
    return -np.linalg.norm(h + r - t, norm, axis=-1)


def distmult(e, r):
    h, r, t = grid(np.asarray(e, np.float64), np.asarray(r, np.float64))
    return (h * r * t).sum(-1)


def rescal(e, r):
    e = np.asarray(e, np.float64)
    return np.einsum("hi,rij,tj->rht", e, np.asarray(r, np.float64).reshape(len(r), e.shape[1], e.shape[1]), e)


def complex_(e, r):
    h, r, t = grid(as_complex(e), as_complex(r))
    return (h * r * t.conj()).real.sum(-1)


def rotate(e, angle, norm=1):
    h, r, t = grid(as_complex(e), np.exp(1j * np.asarray(angle, np.float64)))
    return -np.linalg.norm(abs(h * r - t), norm, axis=-1)
