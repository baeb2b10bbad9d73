"""Errors of servers as failures with a kind, and words that say what to do."""

from typing import Any

import pytest

from tests.runtime.models.chunks import SERVER


def said(message: str, **codes: Any) -> dict[str, Any]:
    """The body of an error in the form of OpenAI."""
    return {"error": {"message": message, **codes}}


ANSWERS: dict[str, tuple[int, Any, str, bool, str]] = {
    "key": (401, said("Incorrect API key provided: topsecret"), "auth", False, "valid one into SOME_KEY"),
    "forbidden": (403, said("no access"), "auth", False, "no access; use a key in SOME_KEY"),
    "model": (404, said("The model `gpt-x` does not exist", code="model_not_found"), "bad_request", False,
              "is there a model 'gpt-x'"),
    "context": (400, said("too many", code="context_length_exceeded"), "length", False, "give it less text"),
    "context in words": (400, said("This model's maximum context length is 8192 tokens"), "length", False, "larger"),
    "large": (413, "", "length", False, "give it less text"),
    "quota": (429, said("You exceeded", code="insufficient_quota"), "quota", False, "top it up"),
    "credit": (402, said("Insufficient Balance"), "quota", False, "top it up"),
    "rate": (429, said("Rate limit reached", code="rate_limit_exceeded"), "rate_limit", True, "lower max_concurrent"),
    "server": (500, said("oops"), "server", True, "oops; try again later"),
    "gateway": (502, "<html>Bad gateway</html>", "server", True, "Bad gateway"),
    "nothing": (503, None, "server", True, "HTTP status 503"),
    "overloaded": (529, said("Overloaded"), "server", True, "try again later"),
    "late": (408, None, "timeout", True, "try again"),
    "filter": (400, said("filtered", code="content_filter"), "content_filter", False, "change the prompt"),
    "schema": (400, said("This response_format type is unavailable now"), "bad_request", False,
               "structured_output: instructions"),
    "else": (422, {"detail": "unknown field"}, "bad_request", False, "unknown field; the server does not take"),
    "list": (400, [{"error": {"message": "wrong", "status": "INVALID_ARGUMENT"}}], "bad_request", False, "wrong"),
    "router": (429, said("Provider returned error", metadata={"raw": "busy upstream"}), "rate_limit", True, "busy up"),
}  # fmt: skip


@pytest.mark.parametrize("name", ANSWERS)
def test_an_error_answer(name: str) -> None:
    """Status and body give kind, whether a retry makes sense, and what to do."""
    status, body, kind, retryable, words = ANSWERS[name]
    error = SERVER.answered(status, {}, body)
    assert (error.kind, error.retryable) == (kind, retryable)
    assert words in str(error)
    assert "topsecret" not in str(error)
    assert "host:1" in str(error)


DATE = "Tue, 01 Dec 2026 10:00:00 GMT"
WAITS: dict[str, tuple[dict[str, str], Any, float | None]] = {
    "seconds": ({"retry-after": "7"}, None, 7.0),
    "fraction": ({"retry-after": "0.5"}, None, 0.5),
    "milliseconds go first": ({"retry-after": "7", "retry-after-ms": "250"}, None, 0.25),
    "date": ({"retry-after": "Tue, 01 Dec 2026 10:01:30 GMT", "date": DATE}, None, 90.0),
    "date that is over": ({"retry-after": "Tue, 01 Dec 2026 09:00:00 GMT", "date": DATE}, None, 0.0),
    "date against no clock": ({"retry-after": DATE}, None, None),
    "date without a zone": ({"retry-after": "Tue, 01 Dec 2026 10:01:30 -0000", "date": DATE}, None, None),
    "nonsense": ({"retry-after": "soon"}, None, None),
    "endless": ({"retry-after": "inf"}, None, None),
    "in the body": ({}, said("slow", details=[{"retryDelay": "34.4s"}]), 34.4),
    "nothing": ({}, None, None),
}


@pytest.mark.parametrize("name", WAITS)
@pytest.mark.parametrize("status", [429, 503])
def test_how_long_to_wait(name: str, status: int) -> None:
    """A wait that the server asks for is kept, in whatever form it comes."""
    headers, body, seconds = WAITS[name]
    assert SERVER.answered(status, headers, body).retry_after == seconds


IN_STREAM: dict[str, tuple[Any, str]] = {
    "number": ({"code": 429, "message": "slow"}, "rate_limit"),
    "status": ({"status_code": 401, "message": "no"}, "auth"),
    "code": ({"code": "insufficient_quota", "message": "no"}, "quota"),
    "type": ({"type": "overloaded_error", "message": "no"}, "server"),
    "nothing known": ({"message": "no"}, "server"),
    "code that is no status": ({"code": 3, "message": "no"}, "server"),
    "a call that the model wrote wrongly": ({"code": "tool_use_failed", "status_code": 400}, "server"),
}


@pytest.mark.parametrize("name", IN_STREAM)
def test_an_error_in_a_stream(name: str) -> None:
    """It has no status of HTTP, so its codes say what it is."""
    error, kind = IN_STREAM[name]
    assert SERVER.failed(error).kind == kind


def test_words_of_a_server_are_shortened_and_without_keys() -> None:
    """A long page, line breaks and anything like a key do not go into messages."""
    error = SERVER.answered(500, {}, said("first\n\nkey sk-abc123 and topsecret " + "x" * 900))
    assert "first key … and … xxx" in str(error)
    assert len(str(error)) < 500
