"""What the filter of lift comes to in numpy: a JSON line per ledger in, a JSON line of numbers out.

Input: {"lessons": count, "rates": first base rate of each domain, "happened": list of
["outcome", at, domain, success, [[lesson, h], ...]] | ["late", at, domain, success, lesson, h] | ["rated", at, domain, lesson, helpful]
| ["unheeded", at, lesson] | ["edited", lesson] | ["merged", into, from], "until": time of reading}; times in milliseconds.
Output: {"lessons": [[mean, variance, optimism, low, high], ...] as of `until`, "domains": [[rate, variance], ...]}.
"""

import json
import sys

import numpy as np

FIRST_MEAN, FIRST_VARIANCE, FIRST_BASE = 0.03, 0.12**2, 0.05
HALF_LIFE = 180 * 86_400_000
LEAST = 1e-9


class Space:
    def __init__(self, lessons, rates):
        self.mean = np.full(lessons, FIRST_MEAN)
        self.variance = np.full(lessons, FIRST_VARIANCE)
        self.at = np.full(lessons, np.nan)
        self.rate = np.array(rates, dtype=float)
        self.doubt = np.full(len(rates), FIRST_BASE)

    def drifted(self, at):
        """Means and variances of all lessons, as believed at a time."""
        elapsed = np.maximum(np.nan_to_num(at - self.at, nan=0.0), 0)
        left = np.exp2(-elapsed / HALF_LIFE)
        return FIRST_MEAN + (self.mean - FIRST_MEAN) * left, FIRST_VARIANCE - (FIRST_VARIANCE - self.variance) * left**2

    def bring(self, lessons, at):
        mean, variance = self.drifted(at)
        self.mean[lessons], self.variance[lessons] = mean[lessons], variance[lessons]
        self.at[lessons] = np.fmax(self.at[lessons], at)

    def outcome(self, at, domain, success, applied, moves_base=True):
        places = np.array([lesson for lesson, _ in applied], dtype=int)
        h = np.clip(np.array([weight for _, weight in applied], dtype=float), 0, 1)
        places, h = places[h > 0.001], h[h > 0.001]
        self.bring(places, at)
        m, v, s = self.mean[places], self.variance[places], self.doubt[domain]
        expected = self.rate[domain] + h @ m
        p = np.clip(expected, 0.05, 0.95)
        spread = s + h**2 @ v + p * (1 - p)
        surprise = float(success) - expected
        self.mean[places] = np.clip(m + v * h / spread * surprise, -1, 1)
        self.variance[places] = np.clip(v - (v * h) ** 2 / spread, LEAST, FIRST_VARIANCE)
        if moves_base:
            self.rate[domain] = np.clip(self.rate[domain] + s / spread * surprise, 0, 1)
            self.doubt[domain] = np.clip(s - s**2 / spread + 2e-5, LEAST, FIRST_BASE)

    def unheeded(self, at, lesson):
        self.bring([lesson], at)
        gain = self.variance[lesson] / (self.variance[lesson] + NOISE)
        self.mean[lesson] -= gain * max(self.mean[lesson], 0)
        self.variance[lesson] = max(self.variance[lesson] * (1 - gain), LEAST)

    def edited(self, lesson):
        self.mean[lesson] = (self.mean[lesson] + FIRST_MEAN) / 2
        self.variance[lesson] = FIRST_VARIANCE

    def merged(self, into, other):
        both = [into, other]
        if not np.all(np.isnan(self.at[both])):
            self.bring(both, np.nanmax(self.at[both]))
        precision = np.sum(1 / self.variance[both]) - 1 / FIRST_VARIANCE
        self.mean[into] = np.clip((np.sum(self.mean[both] / self.variance[both]) - FIRST_MEAN / FIRST_VARIANCE) / precision, -1, 1)
        self.variance[into] = np.clip(1 / precision, LEAST, FIRST_VARIANCE)


def ledger(source):
    space = Space(source["lessons"], source["rates"])
    for what, *rest in source["happened"]:
        if what == "outcome":
            space.outcome(*rest)
        elif what == "late":
            at, domain, success, lesson, h = rest
            space.outcome(at, domain, success, [[lesson, h]], moves_base=False)
        elif what == "rated":
            at, domain, lesson, helpful = rest
            space.outcome(at, domain, helpful, [[lesson, 0.3]], moves_base=False)
        else:
            getattr(space, what)(*rest)
    mean, variance = space.drifted(source["until"])
    deviation = np.sqrt(variance)
    told = [mean, variance, mean + 0.2 * deviation, *np.clip([mean - 1.96 * deviation, mean + 1.96 * deviation], -1, 1)]
    return {"lessons": np.transpose(told).tolist(), "domains": np.transpose([space.rate, space.doubt]).tolist()}


# The noise of one showing that came to nothing is the product's to choose: it says which.
NOISE = float(sys.argv[1])
for line in sys.stdin:
    print(json.dumps(ledger(json.loads(line))))
