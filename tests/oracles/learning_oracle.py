"""What the formulas of learning come to in numpy: a JSON line per ledger in, a JSON line of numbers out.

Input: {"decisions": [{"domain", "success", "control": null | [q, bool], "drawn": [[lesson, q, withheld]]}],
"lessons": count}, the decisions in the order of their outcomes.
Output: a list per lesson, and the loop's numbers.
"""

import json
import sys

import numpy as np

ALPHA = 0.05


def half_width(sigma, t):
    twice = -2 * np.log(ALPHA)
    rho2 = (twice + np.log(1 + twice)) / 400
    return sigma * np.sqrt(2 * (t * rho2 + 1) / (t**2 * rho2) * np.log(np.sqrt(t * rho2 + 1) / ALPHA))


def ln_bet(terms, q):
    """ln of the product of 1 + lambda * term, lambda from earlier terms."""
    sums = np.concatenate([[0.0], np.cumsum(terms)[:-1]])
    squares = np.concatenate([[0.0], np.cumsum(terms**2)[:-1]])
    stake = np.clip(sums / (squares + 5 / q), 0, np.minimum(q, 1 - q) / 2)
    return float(np.sum(np.log1p(stake * terms)))


def ln_ratio(q, withheld):
    before = np.concatenate([[0.0], np.cumsum(withheld)[:-1]])
    n = np.arange(len(q))
    bet = (10 * q + before) / (10 + n)
    return float(np.sum(np.log(np.where(withheld == 1, bet / q, (1 - bet) / (1 - q)))))


def baselines(domains, y):
    """For each decision the expected rate, from earlier ones."""
    n = np.arange(len(y))
    space = np.concatenate([[0.0], np.cumsum(y)[:-1]])
    rate = np.where(n == 0, 0.5, space / np.maximum(n, 1))
    result = np.empty(len(y))
    for domain in np.unique(domains):
        at = np.flatnonzero(domains == domain)
        earlier = np.concatenate([[0.0], np.cumsum(y[at])[:-1]])
        result[at] = (10 * rate[at] + earlier) / (10 + np.arange(len(at)))
    return result


def loop_lift(q, control, surplus):
    """Mean of phi, half width and ln of the ratio check, over decisions that could be control runs."""
    if len(q) == 0:
        return None
    phi = ((1 - control) / (1 - q) - control / q) * surplus
    return [float(np.mean(phi)), float(half_width(np.std(phi), len(phi))), ln_ratio(q, control)]


def ledger(source):
    decisions = source["decisions"]
    y = np.array([float(d["success"]) for d in decisions])
    domains = np.array([d["domain"] for d in decisions])
    b = baselines(domains, y)
    lessons = []
    for lesson in range(source["lessons"]):
        rows = [
            (at, q, withheld)
            for at, d in enumerate(decisions)
            if not (d["control"] and d["control"][1])
            for name, q, withheld in d["drawn"]
            if name == lesson
        ]
        if not rows:
            lessons.append({"t": 0})
            continue
        at = np.array([row[0] for row in rows])
        q = np.array([row[1] for row in rows])
        withheld = np.array([float(row[2]) for row in rows])
        phi = ((1 - withheld) / (1 - q) - withheld / q) * (y[at] - b[at])
        t, sigma = len(phi), np.std(phi)
        ratio = ln_ratio(q, withheld)
        lessons.append(
            {
                "t": t,
                "tau": float(np.mean(phi)),
                "sigma": float(sigma),
                "half": float(half_width(sigma, t)),
                "helps": ln_bet(phi, q),
                "hurts": ln_bet(-phi, q),
                "ratio": ratio,
            }
        )
    values = [[one["helps"], one["hurts"]] if one["ratio"] < np.log(1000) else [-np.inf] * 2 for one in lessons if one["t"]]
    flat = np.array(values).ravel()
    order = np.sort(flat)[::-1]
    enough = np.flatnonzero(order >= np.log(len(flat) / (0.05 * np.arange(1, len(flat) + 1)))) if len(flat) else []
    least = order[enough[-1]] if len(enough) else np.inf
    for one in lessons:
        one["says"] = "nothing"
        if one["t"] and one["ratio"] < np.log(1000):
            one["says"] = "helps" if one["helps"] >= least else "hurts" if one["hurts"] >= least else "nothing"
    measured = [at for at, d in enumerate(decisions) if d["control"] and 0 < d["control"][0] < 1]
    q = np.array([decisions[at]["control"][0] for at in measured])
    control = np.array([float(decisions[at]["control"][1]) for at in measured])
    return {
        "lessons": lessons,
        "loop": loop_lift(q, control, (y - b)[np.array(measured, dtype=int)]),
    }


for line in sys.stdin:
    print(json.dumps(ledger(json.loads(line))))
