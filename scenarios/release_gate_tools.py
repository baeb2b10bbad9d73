"""Tools of the release gate: they pretend to build and publish, so that the scenario runs anywhere."""

from typing import TypedDict

from runtime.core.ports import ToolContext


class Built(TypedDict):
    """What a build leaves behind."""

    artefact: str
    size: int


def build(version: str, platform: str, context: ToolContext) -> Built:
    """Build one version for one platform."""
    context.progress(f"building {version} for {platform}", 50)
    artefact = f"app-{version}-{platform}"
    return Built(artefact=artefact, size=len(artefact) * 1024)


def smoke(artefact: str) -> bool:
    """Start an artefact and tell whether it answers."""
    return artefact.startswith("app-")


def publish(artefact: str, context: ToolContext) -> str:
    """Publish an artefact and return its platform.

    The idempotency key would go to the store, so that it takes each artefact once.
    """
    context.output(f"uploading {artefact} as {context.idempotency_key}\n")
    return artefact.rpartition("-")[2]


def announce(title: str, text: str) -> str:
    """Announce a release and return the message."""
    return f"{title}: {text}"
