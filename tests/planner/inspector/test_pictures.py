"""Pictures of plans: the same boxes and arrows as Mermaid, Graphviz and SVG."""

import itertools
import re
import xml.etree.ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from planner import Ask, ForEach, Plan, Task
from planner.engine import events as p
from planner.inspector import TreeView, dot, mermaid, picture
from planner.inspector.layout import GAP_X, arrange
from planner.inspector.svg import svg
from runtime import Agent, tool
from runtime.models.scripted import ScriptedModel
from tests.planner.inspector.stories import ROOT, Story

READER = Agent("reader", model=ScriptedModel(scripts={}))


@tool
def fetch(url: str) -> str:
    """Fetch."""
    return url


PLAN = Plan(
    [
        Task("end", agent=READER, prompt="${tasks.read.output}", needs=["gate"], when="tasks.read.output != 'a < b'"),
        Task("read", ForEach(["a", "b"]), tool=fetch, inputs={"url": "${item}"}),
        Task("gate", ask=Ask("Go on?")),
    ],
    name="brief",
)


def test_mermaid_draws_data_solid_and_order_dashed() -> None:
    """Task names that are words of Mermaid cannot break the picture, nor can what expressions hold."""
    assert mermaid(picture(PLAN)).splitlines() == [
        "flowchart TD",
        '    t1[["read #91;each#93;<br/>tool fetch"]]',
        '    t2{{"gate<br/>ask"}}',
        '    t3["end<br/>agent reader<br/>when tasks.read.output #33;= #39;a #60; b#39;"]',
        "    t1 --> t3",
        "    t2 -.-> t3",
    ]


def test_a_run_shows_how_each_task_stands() -> None:
    """Statuses become classes; a task that has not begun is pending."""
    story = Story()
    story.begin(ROOT, "plan", agent="brief")
    story.tell(ROOT, p.TaskStarted("read", items=["a", "b"], item_keys=("0", "1")), p.TaskStarted("gate", 1))
    story.tell(ROOT, p.TaskCompleted("read", 2, 0), p.TaskFailed("read", 3, 1), p.TaskFailed("read"))
    drawn = picture(PLAN, TreeView.of(story.facts).root)
    assert {box.key: box.status for box in drawn.boxes} == {"read": "failed", "gate": "running", "end": "pending"}
    assert "read #91;2#93;<br/>tool fetch<br/>1 completed, 1 failed" in mermaid(drawn)
    assert "classDef failed" in mermaid(drawn)


def test_graphviz_gets_quoted_texts() -> None:
    """Quotes in expressions stay inside their labels."""
    lines = dot(picture(PLAN)).splitlines()
    assert '    "gate" -> "end" [style=dashed];' in lines
    assert '    "read" -> "end";' in lines
    assert lines[0] == 'digraph "brief" {'
    assert dot(picture(Plan([Task("a", when="'\"' == '\\\\'", ask=Ask("x"))], name='"'))).count('\\"') == 2


def test_svg_is_well_formed_and_shows_every_task() -> None:
    """Any program that reads XML can read it, whatever the texts hold."""
    root = ET.fromstring(svg(picture(PLAN)))
    texts = ["".join(element.itertext()) for element in root.iter() if element.tag.endswith("text")]
    assert {"read [each]", "gate", "end", "tool fetch"} <= set(texts)
    classes = [element.get("class") for element in root.iter() if element.tag.endswith("path")]
    assert classes.count("data") == 1
    assert classes.count("order") == 1


@given(
    st.integers(1, 60).flatmap(
        lambda size: st.tuples(
            st.lists(st.integers(20, 240), min_size=size, max_size=size),
            st.sets(st.tuples(st.integers(0, size - 1), st.integers(0, size - 1)), max_size=2 * size),
        )
    )
)
def test_boxes_never_overlap_and_arrows_point_down(drawn: tuple[list[int], set[tuple[int, int]]]) -> None:
    """Of any plan, boxes of a layer stand apart, nothing leaves the picture, and every arrow goes down beside them."""
    widths, pairs = drawn
    sizes = {str(index): (float(width), 30.0) for index, width in enumerate(widths)}
    arrows = [(str(a), str(b)) for a, b in sorted(pairs) if a < b]
    layout = arrange(sizes, arrows)
    boxes = {
        key: (x - sizes[key][0] / 2, y - 15, x + sizes[key][0] / 2, y + 15) for key, (x, y) in layout.centres.items()
    }
    assert len(boxes) == len(sizes)
    for key, (left, top, right, bottom) in boxes.items():
        assert min(left, top) > 0
        assert right < layout.width
        assert bottom < layout.height
        for other, (left2, top2, right2, bottom2) in boxes.items():
            apart = right + GAP_X / 2 < left2 or right2 + GAP_X / 2 < left or bottom < top2 or bottom2 < top
            assert key == other or apart
    for (source, target), points in layout.routes.items():
        ys = [y for _, y in points]
        assert ys == sorted(ys)
        assert points[0][1] == boxes[source][3]
        assert points[-1][1] == boxes[target][1]
        for (x1, y1), (x2, y2) in itertools.pairwise(points):
            crossed = [
                key
                for key, (left, top, right, bottom) in boxes.items()
                if x1 == x2 and left < x1 < right and min(y1, y2) < (top + bottom) / 2 < max(y1, y2)
            ]
            assert crossed == []


def test_labels_fit_their_boxes() -> None:
    """Long names are cut, so that no label runs into the next box."""
    plan = Plan([Task("a" * 80, ask=Ask("x")), Task("b" * 33, ask=Ask("x"))])
    drawn = svg(picture(plan))
    labels = re.findall(r"<text[^>]*>([^<]*)</text>", drawn)
    assert max(map(len, labels)) == 34
