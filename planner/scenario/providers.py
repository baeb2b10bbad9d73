"""Who runs the models of a scenario: what the file says, and what `--model` puts in its place."""

from collections.abc import Mapping

import attrs

from planner.plan.faults import did_you_mean
from planner.scenario.document import ModelNode
from planner.scenario.shapes import Reading
from runtime.core.ports import Model
from runtime.errors import UsageError
from runtime.models import OpenAIModel, ScriptedModel

SCRIPTED = "scripted"
OPENAI = "openai"


def check_choices(chosen: Mapping[str, str], models: Mapping[str, ModelNode], *, offline: bool) -> None:
    """Refuse choices that cannot be meant.

    Args:
        chosen: `provider:model` by the name that the model has in the file.
        models: The models of the file.
        offline: Whether every model plays `scripts`.

    Raises:
        UsageError: With everything that is wrong with them.
    """
    wrong = [problem for name, written in chosen.items() if (problem := _problem(name, written, models))]
    if offline and chosen:
        wrong.append(f"--offline plays `scripts` for every model; leave it away, or the choice of {', '.join(chosen)}")
    if wrong:
        raise UsageError("\n".join(wrong))


def _problem(name: str, written: str, models: Mapping[str, ModelNode]) -> str | None:
    if name not in models:
        hint = did_you_mean(name, models, otherwise="" if models else "the scenario declares none")
        return f"there is no model `{name}` in the scenario" + (f"; {hint}" if hint else "")
    provider, _, model = written.partition(":")
    if provider == OPENAI and model:
        return None
    if provider == SCRIPTED and not model:
        return None
    if provider in (OPENAI, SCRIPTED) or not model:
        return f"{name}={written}: write it as name=provider:model, such as {name}=openai:gpt-5-mini"
    return f"{name}={written}: models of `{provider}` are not supported yet; write {name}=openai:{model}"


def choose(node: ModelNode, written: str | None) -> ModelNode:
    """Return the model as it was chosen; what the choice does not say stays as the file has it."""
    if written is None:
        return node
    provider, _, model = written.partition(":")
    return attrs.evolve(node, provider=provider, model=model or None)


def make_model(name: str, node: ModelNode, replies: Mapping[str, object], reading: Reading) -> Model | None:
    """Return the model; None, with a finding, if nobody can run it."""
    match node.provider:
        case "scripted":
            return ScriptedModel(name, scripts=replies, max_concurrent=node.max_concurrent)
        case "openai" if node.model is not None:
            return OpenAIModel(
                node.model,
                name=name,
                base_url=node.base_url,
                api_key_env=node.api_key_env,
                max_concurrent=node.max_concurrent,
                structured_output=node.structured_output,
            )
        case "openai" if (*node.path, "model") not in reading.refused:
            hint = "add the provider's name of it, such as `model: gpt-5-mini`"
            reading.refuse(
                "missing-key", (*node.path, "model"), f"`{name}` names no model", hint, key=True, at=node.path
            )
        case str() as provider if provider != OPENAI:
            message = f"models of `{provider}` are not supported yet"
            hint = "write `provider: openai`, or run it with --offline to play `scripts`"
            reading.refuse("provider", (*node.path, "provider"), message, hint)
    return None
