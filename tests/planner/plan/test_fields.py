"""The field grammar: what it means, what is refused, and how values are read."""

from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.plan import FieldsInvalid, JsonSchema, apply_defaults, field_schema, fields_schema, parse_option
from runtime.errors import UsageError

TREE = {
    "$defs": {"node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}, "required": []}},
    "$ref": "#/$defs/node",
}


def faults_of(spec: Any) -> list[tuple[tuple[str | int, ...], str, str]]:
    """Where, what sort and which hint, for every fault of one field."""
    with pytest.raises(FieldsInvalid) as caught:
        field_schema(spec)
    return [(fault.path, fault.code, fault.hint) for fault in caught.value.faults]


@pytest.mark.parametrize(
    ("spec", "schema"),
    [
        ("string", {"type": "string"}),
        (" any ", {}),
        ("optional any", {"default": None}),
        ("optional optional integer", {"type": ["integer", "null"], "default": None}),
        ("[integer]", {"type": "array", "items": {"type": "integer"}}),
        (
            "optional [date]",
            {"type": ["array", "null"], "items": {"type": "string", "format": "date"}, "default": None},
        ),
        ([["boolean"]], {"type": "array", "items": {"type": "array", "items": {"type": "boolean"}}}),
        ({"type": "integer", "default": 6, "max": 20}, {"type": "integer", "maximum": 20, "default": 6}),
        ({"type": "string", "min": 1, "max": 3}, {"type": "string", "minLength": 1, "maxLength": 3}),
        ({"type": ["string"], "min": 1}, {"type": "array", "items": {"type": "string"}, "minItems": 1}),
        ({"type": "string", "enum": ["a", "b"]}, {"type": "string", "enum": ["a", "b"]}),
        (
            {"type": "optional string", "enum": ["a"]},
            {"type": ["string", "null"], "default": None, "enum": ["a", None]},
        ),
        (
            {"type": "string", "enum": ["a"], "default": None, "description": "d"},
            {"type": ["string", "null"], "default": None, "enum": ["a", None], "description": "d"},
        ),
        (JsonSchema({"type": "integer"}), {"type": "integer"}),
        (
            {"type": JsonSchema({"minimum": 3}), "default": None},
            {"anyOf": [{"minimum": 3}, {"type": "null"}], "default": None},
        ),
    ],
)
def test_fields_mean_json_schema(spec: Any, schema: dict[str, Any]) -> None:
    """Each way of writing a field has one meaning."""
    assert field_schema(spec) == schema


def test_objects_are_closed() -> None:
    """An object has the named fields and no others; a field may be left out if it is optional or has a default."""
    schema = fields_schema({"a": "string", "b": "optional string", "c": {"type": "integer", "default": 1}})
    assert schema["required"] == ["a"]
    assert schema["additionalProperties"] is False


@pytest.mark.parametrize("key", ["type", "schema", "description"])
def test_words_of_the_grammar_may_name_fields(key: str) -> None:
    """An object may have fields that are called like a word of the long form."""
    schema = field_schema({key: "string", "name": "string"})
    assert list(schema["properties"]) == [key, "name"]


def test_a_lone_schema_without_a_file_is_a_field() -> None:
    """`{schema: string}` is an object with a field called schema."""
    assert list(field_schema({"schema": "string"})["properties"]) == ["schema"]


def test_files_hold_full_schemas() -> None:
    """`{schema: file.json}` stands for what is in the file, for a field or for all of them."""
    files = {"count.json": {"type": "integer", "minimum": 0}}
    assert fields_schema({"n": {"schema": "count.json"}}, load=files.__getitem__)["properties"] == {
        "n": files["count.json"]
    }
    assert fields_schema({"schema": "count.json"}, load=files.__getitem__) == files["count.json"]


def test_schemas_that_refer_to_themselves_can_stand_inside() -> None:
    """References inside a full schema stay right wherever it is put, also twice."""
    schema = fields_schema({"tree": JsonSchema(TREE), "more": [JsonSchema(TREE)], "plain": JsonSchema({"items": []})})
    validator = jsonschema.Draft202012Validator(schema)
    good = {"tree": {"next": {"next": {}}}, "more": [{}], "plain": []}
    assert validator.is_valid(good)
    assert not validator.is_valid({**good, "tree": 3, "more": {}})


@pytest.mark.parametrize(
    ("spec", "faults"),
    [
        ("strng", [((), "unknown-type", "did you mean `string`?")]),
        ("string?", [((), "unknown-type", "write `optional string`")]),
        ("?", [((), "unknown-type", "write `optional string`")]),
        ("Bool", [((), "unknown-type", "write `boolean`")]),
        ("[strng]", [((), "unknown-type", "did you mean `string`?")]),
        (
            "zzz",
            [((), "unknown-type", "there is `string`, `number`, `integer`, `boolean`, `date`, `any`")],
        ),
        ({"a": 5}, [(("a",), "unknown-type", "there is `string`, `number`, `integer`, `boolean`, `date`, `any`")]),
        ({"a": ["string", "integer"]}, [(("a",), "bad-field", "write `[string]`")]),
        ({1: "string", "": "string"}, [((1,), "bad-field", ""), (("",), "bad-field", "")]),
        ({"type": "string", "enum": []}, [(("enum",), "bad-field", "")]),
        ({"type": "string", "enum": ["a", 3]}, [(("enum", 1), "bad-field", "")]),
        ({"type": "strng", "enum": []}, [(("type",), "unknown-type", "did you mean `string`?")]),
        ({"type": "integer", "defualt": 3}, [(("defualt",), "bad-field", "did you mean `default`?")]),
        ({"type": "integer", "default": "three"}, [(("default",), "bad-default", "")]),
        ({"type": "integer", "max": 5, "default": 6}, [(("default",), "bad-default", "")]),
        ({"type": "number", "min": 3, "max": 2}, [(("min",), "bad-field", "")]),
        ({"type": "number", "min": "3", "max": 2}, [(("min",), "bad-field", "")]),
        ({"type": "string", "min": 1.5}, [(("min",), "bad-field", "")]),
        ({"type": "boolean", "max": 2}, [(("max",), "bad-field", "")]),
        ({"type": "date", "max": 2}, [(("max",), "bad-field", "")]),
        (
            {"schema": "a.json"},
            [(("schema",), "schema-file", "write the fields here, or give a JsonSchema")],
        ),
    ],
)
def test_mistakes_are_named(spec: Any, faults: list[tuple[tuple[str | int, ...], str, str]]) -> None:
    """Everything that is wrong with a field is said at once, with its place and what to write instead."""
    assert faults_of(spec) == faults


def test_fields_are_a_map() -> None:
    """Fields that are no map are refused in words."""
    with pytest.raises(FieldsInvalid, match="a map of names to types; write"):
        fields_schema(["string"])


def test_unreadable_files_are_faults() -> None:
    """A schema file that cannot be read is a fault of the field that names it."""

    def load(name: str) -> dict[str, Any]:
        raise FileNotFoundError(f"no file {name}")

    with pytest.raises(FieldsInvalid, match=r"a\.schema: x\.json cannot be read: no file x\.json"):
        fields_schema({"a": {"schema": "x.json"}}, load=load)


def test_defaults_are_filled_in_at_every_depth() -> None:
    """What is left out gets its default, inside objects and lists too; what is there stays."""
    schema = fields_schema(
        {
            "rows": [{"n": {"type": "integer", "default": 1}}],
            "note": "optional string",
            "x": {"y": "optional string"},
            "must": "any",
        }
    )
    assert apply_defaults(schema, {"rows": [{}, {"n": 5}], "x": {}}) == {
        "rows": [{"n": 1}, {"n": 5}],
        "x": {"y": None},
        "note": None,
    }


def test_defaults_leave_odd_schemas_alone() -> None:
    """Schemas that are not ours have parts that say nothing on defaults."""
    assert apply_defaults({"properties": {"a": True}}, {"b": [1]}) == {"b": [1]}
    assert apply_defaults({"items": False}, [1]) == [1]


@pytest.mark.parametrize(
    ("spec", "text", "value"),
    [
        ("string", "007", "007"),
        ("optional string", "null", "null"),
        ("date", "2026-01-31", "2026-01-31"),
        ("integer", "7", 7),
        ("number", "1e2", 100.0),
        ("boolean", "true", True),
        (["string"], '["a"]', ["a"]),
        ({"a": "integer"}, '{"a": 1}', {"a": 1}),
        ("any", "[1]", [1]),
        ("any", "007", "007"),
    ],
)
def test_options_are_typed_by_their_field(spec: Any, text: str, value: Any) -> None:
    """A text from the command line becomes what its field asks for."""
    assert parse_option(field_schema(spec), text) == value


@pytest.mark.parametrize(
    ("spec", "text", "message"),
    [
        ("integer", "x", "`n` must be an integer, not 'x'"),
        ("integer", "1.5", "`n` must be an integer, not 1.5"),
        ("date", "today", "`n` must be a date such as 2026-01-31"),
        (["string"], "a", "`n` must be a list of strings, not 'a'; write lists and objects as JSON"),
        (["string"], "[1]", r"`n\[0\]` must be a string, not 1"),
        ({"a": "integer"}, "{}", "`n` has no `a`"),
        ({"type": "string", "enum": ["a", "b"]}, "c", '`n` must be one of "a", "b", not "c"'),
    ],
)
def test_options_that_do_not_fit_are_refused(spec: Any, text: str, message: str) -> None:
    """The message names the option and says what it takes."""
    with pytest.raises(UsageError, match=message):
        parse_option(field_schema(spec), text, name="n")


specs = st.recursive(
    st.sampled_from(["string", "number", "integer", "boolean", "date", "any", "optional string"]),
    lambda inner: st.lists(inner, min_size=1, max_size=1) | st.dictionaries(st.sampled_from("abc"), inner, min_size=1),
)


@given(st.dictionaries(st.sampled_from("abc"), specs))
def test_every_right_field_is_a_right_schema(fields: dict[str, Any]) -> None:
    """What comes out of the grammar is valid JSON Schema."""
    jsonschema.Draft202012Validator.check_schema(fields_schema(fields))
