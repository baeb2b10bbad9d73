"""Models: the scripted one, which plays prepared replies, and the one behind the wire of OpenAI."""

from runtime.models.openai import OpenAIModel as OpenAIModel
from runtime.models.script import ScriptInvalid as ScriptInvalid
from runtime.models.scripted import ScriptedModel as ScriptedModel
