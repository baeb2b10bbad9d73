"""JSON of payloads, of whole events and of plain values (floor F2; the only user of cattrs in the runtime)."""

from runtime.codec._codec import Codec as Codec
from runtime.codec._codec import from_json as from_json
from runtime.codec._codec import to_json as to_json

__all__ = ["Codec", "from_json", "to_json"]
