"""A LangGraph agent that recalls lessons before it works and says afterwards what came of it.

Start `lessonloop serve --json`, which prints `url` and `token`, then:

    LESSONLOOP_URL=... LESSONLOOP_TOKEN=... python agent.py "keep user input out of SQL statements"

`think` and `check` stand for your model and your tests: put your own in their place. The rest stays as it is. Against a Worker
the same requests go to its address, with an agent's key in the place of the token.
"""

import json
import os
import sys
import urllib.error
import urllib.request
import uuid
from typing import TypedDict

from langgraph.graph import END, START, StateGraph


class Lessonloop:
    """The three requests of the loop, over HTTP."""

    def __init__(self, url: str, token: str) -> None:
        self.url, self.token = url.rstrip("/"), token

    def post(self, path: str, body: dict) -> dict:
        request = urllib.request.Request(
            self.url + path,
            data=json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as fault:
            error = json.load(fault)["error"]
            raise RuntimeError(f"{path}: {error['code']}: {error['message']}") from fault

    def recommend(self, query: str, decision: str) -> dict:
        return self.post("/v1/recommend", {"query": query, "decision_id": decision, "limit": 3})

    def track(self, decision: str, said: str) -> dict:
        return self.post("/v1/track", {"decision_id": decision, "reasoning": said})

    def outcome(self, decision: str, outcome: str) -> dict:
        return self.post("/v1/outcome", {"decision_id": decision, "outcome": outcome})


class State(TypedDict, total=False):
    task: str
    decision: str
    lessons: list[dict]
    prompt: str
    said: str
    passed: bool


loop = Lessonloop(os.environ["LESSONLOOP_URL"], os.environ["LESSONLOOP_TOKEN"])


def think(prompt: str, lessons: list[dict]) -> str:
    """Your model. This one applies the first lesson, and names it as the prompt asks: that is what counts it as applied."""
    if not lessons:
        return "No lesson fits; I go on without one."
    first = lessons[0]
    return f"Applying '{first['slug']}': {first['title']}."


def check(said: str) -> bool:
    """Your tests, a reviewer, a metric: whatever tells a success from a failure."""
    return "Applying" in said


def recall(state: State) -> State:
    answer = loop.recommend(state["task"], state["decision"])
    # The text for the model has the lessons between fences: they are data, not instructions.
    return {"lessons": answer["recommended"], "prompt": answer["prompt"]}


def work(state: State) -> State:
    return {"said": think(f"{state['task']}\n\n{state['prompt']}", state["lessons"])}


def judge(state: State) -> State:
    return {"passed": check(state["said"])}


def learn(state: State) -> State:
    loop.track(state["decision"], state["said"])
    loop.outcome(state["decision"], "success" if state["passed"] else "failure")
    return {}


def graph():
    """recall → work → judge → learn"""
    made = StateGraph(State)
    steps = [("recall", recall), ("work", work), ("judge", judge), ("learn", learn)]
    for name, step in steps:
        made.add_node(name, step)
    names = [START, *(name for name, _ in steps), END]
    for before, after in zip(names, names[1:]):
        made.add_edge(before, after)
    return made.compile()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit('say what the agent is to do: python agent.py "TASK"')
    end = graph().invoke({"task": sys.argv[1], "decision": f"langgraph-{uuid.uuid4()}"})
    print("recalled:", ", ".join(lesson["slug"] for lesson in end["lessons"]) or "nothing")
    print("said:", end["said"])
    print("outcome:", "success" if end["passed"] else "failure")
