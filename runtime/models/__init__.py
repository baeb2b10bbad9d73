"""Models: the scripted one, which plays prepared replies."""

from runtime.models.script import ScriptInvalid as ScriptInvalid
from runtime.models.scripted import ScriptedModel as ScriptedModel
