"""Scenarios that the tests of the command line run."""

ASKS = """\
turntree: 1
name: asks
inputs:
  topic: {type: string, default: tea}
  count: {type: integer, default: 2, max: 9}
models: {m: {provider: scripted}}
agents:
  reader: {model: m, instructions: Read.}
plan:
  tasks:
    read: {for_each: "range(inputs.count)", agent: reader, prompt: "${inputs.topic} ${item}"}
    gate:
      ask:
        message: Go on with ${inputs.topic}?
        show: {topic: "${inputs.topic}"}
        form: {go: boolean, level: {type: string, enum: [low, high]}, note: optional string}
    end: {when: tasks.gate.output.go, agent: reader, prompt: "${tasks.read.output}"}
scripts:
  answers: {gate: {go: true, level: low}}
  reader: [{text: read, delay: 2s, usage: {input: 90, output: 10}}]
"""

WORKS = """\
turntree: 1
name: works
tools:
  work: {python: "my_tools:work", replay: safe}
plan:
  tasks:
    first: {tool: work, with: {name: first}}
    second: {tool: work, with: {name: second, seconds: 30}, needs: [first]}
  output: "${tasks.second.output}"
"""

ASKS_AND_WORKS = """\
turntree: 1
name: both
tools:
  work: {python: "my_tools:work", replay: safe}
plan:
  tasks:
    colour: {ask: {message: Which colour?}}
    work: {tool: work, with: {name: second, seconds: 30}}
"""

TOOLS = '''\
"""Tools that leave a trace outside the journal."""

from pathlib import Path

import trio


async def work(name: str, seconds: float = 0) -> str:
    """Note that it began, take some time once, and return the name."""
    trace = Path(__file__).with_name("trace")
    with trace.open("a") as file:
        file.write(name + "\\n")
    print("a tool prints")
    if trace.read_text().count(name) == 1:
        await trio.sleep(seconds)
    return name
'''
