"""What can go wrong with a chat completion, as `ModelError`s that say what to do. Pure: no network, no clock.

| what came | kind | retryable |
|---|---|---|
| no connection, or it broke | `transport` | yes |
| nothing came for too long; 408 | `timeout` | yes |
| 429 | `rate_limit`, with `retry_after` if the server named it | yes |
| 5xx, 409, an error in the middle of the stream | `server` | yes |
| something that is no chat completion | `malformed` | no |
| 401, 403 | `auth` | no |
| 402, no credit left | `quota` | no |
| more text than the model takes, or writes | `length` | no |
| a content filter | `content_filter` | no |
| the model refused | `refusal` | no |
| any other 4xx, such as an unknown model | `bad_request` | no |
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from email.utils import parsedate_to_datetime
from typing import Any, Final

import attrs

from runtime.errors import ModelError

_LONGEST: Final = 400
"""Characters of a server's own words that are shown."""
_NO_CREDIT: Final = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})
_TOO_LONG: Final = frozenset({"context_length_exceeded", "string_above_max_length"})
_FILTERED: Final = frozenset({"content_filter", "content_policy_violation", "responsibleaipolicyviolation"})
_TOO_LONG_WORDS: Final = re.compile(
    r"context (length|window|size)|maximum context|token limit|prompt is too long", re.IGNORECASE
)
_SECONDS: Final = re.compile(r"(\d+(?:\.\d+)?)s")
_KEY: Final = re.compile(r"\b(sk|gsk|xai|key)-[\w*.-]+")

_STATUS_OF: Final[Mapping[str, int]] = {
    "rate_limit_exceeded": 429, "rate_limit_error": 429, "requests": 429, "tokens": 429,
    "insufficient_quota": 429, "invalid_api_key": 401, "authentication_error": 401, "permission_error": 403,
    "context_length_exceeded": 400, "content_filter": 400, "overloaded_error": 503, "timeout": 408,
}  # fmt: skip
"""What an error in the middle of a stream, which has no status, would have been."""


@attrs.frozen(kw_only=True)
class Server:
    """Who was asked for what, so that an error can say it."""

    model: str
    address: str
    """Where the server is, without anything secret."""
    key_name: str
    """The environment variable that holds the key."""
    key: str = attrs.field(default="", repr=False)
    """Blotted out wherever a server repeats it."""

    def unreachable(self, cause: str) -> ModelError:
        """There is no connection."""
        message = f"cannot reach {self.address}: {self._clean(cause)}; is the server running, and base_url right?"
        return ModelError(message, kind="transport", retryable=True)

    def broken(self, cause: str) -> ModelError:
        """The connection was lost in the middle of the reply."""
        return ModelError(f"{self._name}: {self._clean(cause)}; try again", kind="transport", retryable=True)

    def silent(self, seconds: float, what: str) -> ModelError:
        """Nothing came for too long."""
        message = f"{self._name}: {what} within {seconds:g} s; try again, or give it more time"
        return ModelError(message, kind="timeout", retryable=True)

    def malformed(self, what: str) -> ModelError:
        """What came is no chat completion."""
        message = f"{self._name}: {self._clean(what)}; does {self.address} speak the chat completions wire of OpenAI?"
        return ModelError(message, kind="malformed")

    def refused(self, words: str) -> ModelError:
        """The model would not answer."""
        return ModelError(f"{self._name} refused: {self._clean(words)}", kind="refusal")

    def filtered(self, words: str = "") -> ModelError:
        """A content filter stopped the call."""
        said = f" ({self._clean(words)})" if words else ""
        message = f"{self._name}: a content filter stopped the reply{said}; change the prompt or the filter"
        return ModelError(message, kind="content_filter")

    def too_long(self, what: str) -> ModelError:
        """More text than the model takes or writes."""
        message = f"{self._name}: {self._clean(what)}; give it less text, or take a model with a larger context"
        return ModelError(message, kind="length")

    def failed(self, error: Any) -> ModelError:
        """Read an error that came in the middle of a stream."""
        words, codes = _said(error)
        inner: Any = error if isinstance(error, Mapping) else {}
        status: Any = inner.get("status_code") or inner.get("code")
        if not isinstance(status, int) or not 400 <= status < 600 or "tool_use_failed" in codes:
            # A call that the model wrote wrongly is its mistake, not the request's: the next try may be better.
            status = next((_STATUS_OF[code] for code in codes if code in _STATUS_OF), 500)
        return self.answered(status, {}, error, words)

    def answered(self, status: int, headers: Mapping[str, str], body: Any, otherwise: str = "") -> ModelError:
        """Read an answer that is an error.

        Args:
            status: Of HTTP.
            headers: With names in small letters.
            body: Parsed JSON, or what there is.
            otherwise: What to say if the body says nothing.
        """
        words, codes = _said(body)
        words = self._clean(words or otherwise or f"HTTP status {status}")
        if status == 402 or codes & _NO_CREDIT:
            return ModelError(f"{self._name}: {words}; the account has no credit: top it up", kind="quota")
        if codes & _FILTERED:
            return self.filtered(words)
        match status:
            case 401:
                message = f"{self.address} did not accept the key; put a valid one into {self.key_name}"
                return ModelError(message, kind="auth")
            case 403:
                message = f"{self._name}: {words}; use a key in {self.key_name} that may call this model"
                return ModelError(message, kind="auth")
            case 408:
                return ModelError(f"{self._name}: {words}; try again", kind="timeout", retryable=True)
            case 429:
                return ModelError(
                    f"{self._name}: {words}; wait, or lower max_concurrent", kind="rate_limit", retryable=True,
                    retry_after=_retry_after(headers, body),
                )  # fmt: skip
            case _ if status >= 500 or status == 409:
                return ModelError(
                    f"{self._name}: {words}; try again later", kind="server", retryable=True,
                    retry_after=_retry_after(headers, body),
                )  # fmt: skip
            case _ if codes & _TOO_LONG or status == 413 or _TOO_LONG_WORDS.search(words):
                return self.too_long(words)
            case 404:
                hint = f"is there a model {self.model!r}, and is base_url right?"
            case _ if "response_format" in words:
                hint = "a server that takes no JSON Schema needs `structured_output: instructions`"
            case _:
                hint = "the server does not take this request; look at the model's name and its options"
        return ModelError(f"{self._name}: {words}; {hint}", kind="bad_request")

    @property
    def _name(self) -> str:
        return f"{self.model} at {self.address}"

    def _clean(self, words: str) -> str:
        """Shorten a server's words, on one line and without keys."""
        if self.key:
            words = words.replace(self.key, "…")
        line = " ".join(_KEY.sub("…", words).split()).rstrip(".")
        return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


def _said(body: Any) -> tuple[str, set[str]]:
    """Return the words and the codes of an error, wherever a server puts them."""
    if isinstance(body, list) and body:
        body = body[0]
    if isinstance(body, str):
        return body, set()
    if not isinstance(body, Mapping):
        return "", set()
    inner = body.get("error")
    if isinstance(inner, Mapping):
        return _said(inner)
    words = next((body[name] for name in ("message", "error", "detail") if isinstance(body.get(name), str)), "")
    metadata = body.get("metadata")
    if isinstance(metadata, Mapping) and isinstance(metadata.get("raw"), str):
        words = f"{words}: {metadata['raw']}"  # a router passes on what the provider behind it said
    codes = {str(body[name]).lower() for name in ("code", "type", "status") if body.get(name) is not None}
    return words, codes


def _retry_after(headers: Mapping[str, str], body: Any) -> float | None:
    """Return the seconds that a server asks us to wait, if it says so."""
    try:
        if "retry-after-ms" in headers:
            return _sane(float(headers["retry-after-ms"]) / 1000)
        if "retry-after" in headers:
            return _sane(_seconds(headers["retry-after"], headers.get("date")))
    except (ValueError, TypeError):  # TypeError: one date names its time zone, the other does not
        return None
    for detail in _details(body):
        delay = _SECONDS.fullmatch(str(detail.get("retryDelay")))
        if delay is not None:
            return float(delay[1])
    return None


def _sane(seconds: float) -> float | None:
    return max(0.0, seconds) if math.isfinite(seconds) else None


def _seconds(written: str, date: str | None) -> float:
    """Read seconds, or a date, which is held against the server's own clock and not ours."""
    try:
        return float(written)
    except ValueError:
        if date is None:
            raise
        return (parsedate_to_datetime(written) - parsedate_to_datetime(date)).total_seconds()


def _details(body: Any) -> Iterable[Mapping[str, Any]]:
    if isinstance(body, list) and body:
        body = body[0]
    if isinstance(body, Mapping):
        if isinstance(body.get("error"), Mapping):
            return _details(body["error"])
        details = body.get("details")
        if isinstance(details, list):
            return [each for each in details if isinstance(each, Mapping)]
    return ()
