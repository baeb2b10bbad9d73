"""Pure views of events and of plans (floor F7): what a person or a page shows, without showing it.

`TreeView` folds the events of a tree; `why` explains one of its Turns; `picture` with `mermaid`, `dot` and `svg` draws
a plan.
"""

from planner.inspector.activity import activity as activity
from planner.inspector.hints import answer_command as answer_command
from planner.inspector.hints import resume_command as resume_command
from planner.inspector.nodes import Node as Node
from planner.inspector.nodes import TaskView as TaskView
from planner.inspector.nodes import path_of as path_of
from planner.inspector.picture import Picture as Picture
from planner.inspector.picture import picture as picture
from planner.inspector.text_pictures import dot as dot
from planner.inspector.text_pictures import mermaid as mermaid
from planner.inspector.tree import TreeView as TreeView
from planner.inspector.why import Setting as Setting
from planner.inspector.why import why as why
