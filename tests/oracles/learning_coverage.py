"""The coverage simulation once more, in numpy: how often intervals miss under a look at every run, and wrong signs.

Spaces are simulated side by side, as tests/benches/learn/coverage.rs does one by one. Prints one line of JSON.
"""

import json
import sys

import numpy as np

ALPHA, Q, LESSONS = 0.05, 0.2, 4


def half_width(sigma, t):
    twice = -2 * np.log(ALPHA)
    rho2 = (twice + np.log(1 + twice)) / 400
    return sigma * np.sqrt(2 * (t * rho2 + 1) / (t**2 * rho2) * np.log(np.sqrt(t * rho2 + 1) / ALPHA))


def simulate(spaces, runs, seed):
    rng = np.random.default_rng(seed)
    base = rng.uniform(0.2, 0.8, (spaces, LESSONS))
    size = rng.uniform(0.05, 0.3, (spaces, LESSONS)) * rng.choice([-1, 1], (spaces, LESSONS))
    lift = np.where(rng.random((spaces, LESSONS)) < 1 / 3, 0.0, size)
    shown_rate = np.clip(base + lift, 0, 1)
    truth = shown_rate - base
    t = np.zeros((spaces, LESSONS))
    total, squares = np.zeros_like(t), np.zeros_like(t)
    well, arm_n, arm_s = np.zeros_like(t), np.zeros((2, spaces, LESSONS)), np.zeros((2, spaces, LESSONS))
    missed = np.zeros_like(t, dtype=bool)
    given = np.zeros_like(missed)
    every = np.arange(spaces)
    low, high = np.full_like(t, -1.0), np.full_like(t, 1.0)
    for run in range(runs):
        at = rng.integers(0, LESSONS, spaces)
        withheld = rng.random(spaces) < Q
        rate = np.where(withheld, base[every, at], shown_rate[every, at])
        y = (rng.random(spaces) < rate).astype(float)
        space_rate = np.full(spaces, 0.5) if run == 0 else well.sum(1) / run
        b = (10 * space_rate + well[every, at]) / (10 + t[every, at])
        phi = np.where(withheld, -1 / Q, 1 / (1 - Q)) * (y - b)
        t[every, at] += 1
        total[every, at] += phi
        squares[every, at] += phi**2
        well[every, at] += y
        arm = withheld.astype(int)
        arm_n[arm, every, at] += 1
        arm_s[arm, every, at] += y
        n, mean = t[every, at], total[every, at] / t[every, at]
        sigma = np.sqrt(np.maximum(squares[every, at] / n - mean**2, 0))
        half = half_width(sigma, n)
        counts, success = arm_n[:, every, at], arm_s[:, every, at]
        enough = ((counts >= 20) & (success >= 5) & (counts - success >= 5)).all(0)
        given[every, at] |= enough
        real = truth[every, at]
        missed[every, at] |= enough & ((real < mean - half) | (real > mean + half))
        low[every, at] = np.where(enough, mean - half, -1.0)
        high[every, at] = np.where(enough, mean + half, 1.0)
    told = (truth != 0) & ((low > 0) | (high < 0))
    wrong = told & ((low > 0) != (truth > 0))
    raw = arm_s[0] / np.maximum(arm_n[0], 1) > (well.sum(1) / runs)[:, None]
    raw_wrong = (truth != 0) & (raw != (truth > 0))
    return {
        "estimates": int(missed.size),
        "given": int(given.sum()),
        "missed": int(missed.sum()),
        "told": int(told.sum()),
        "wrong": int(wrong.sum()),
        "raw": int((truth != 0).sum()),
        "raw_wrong": int(raw_wrong.sum()),
    }


print(json.dumps(simulate(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))))
