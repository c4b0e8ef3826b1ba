"""Columns as an Arrow C stream (https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html), without a dependency.

A stream owns its columns: they live in ``_kept`` until the reader calls the release functions, as the interface demands.
"""

from __future__ import annotations

import array
import ctypes
import itertools
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_int, c_int64, c_void_p, py_object
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple


class _Schema(ctypes.Structure):
    pass


class _Array(ctypes.Structure):
    pass


class _Stream(ctypes.Structure):
    pass


_ReleaseSchema = CFUNCTYPE(None, POINTER(_Schema))
_ReleaseArray = CFUNCTYPE(None, POINTER(_Array))
_ReleaseStream = CFUNCTYPE(None, POINTER(_Stream))
_GetSchema = CFUNCTYPE(c_int, POINTER(_Stream), POINTER(_Schema))
_GetNext = CFUNCTYPE(c_int, POINTER(_Stream), POINTER(_Array))
_GetError = CFUNCTYPE(c_void_p, POINTER(_Stream))

_Schema._fields_ = [
    ("format", c_char_p),
    ("name", c_char_p),
    ("metadata", c_char_p),
    ("flags", c_int64),
    ("n_children", c_int64),
    ("children", POINTER(POINTER(_Schema))),
    ("dictionary", POINTER(_Schema)),
    ("release", _ReleaseSchema),
    ("private_data", c_void_p),
]
_Array._fields_ = [
    ("length", c_int64),
    ("null_count", c_int64),
    ("offset", c_int64),
    ("n_buffers", c_int64),
    ("n_children", c_int64),
    ("buffers", POINTER(c_void_p)),
    ("children", POINTER(POINTER(_Array))),
    ("dictionary", POINTER(_Array)),
    ("release", _ReleaseArray),
    ("private_data", c_void_p),
]
_Stream._fields_ = [
    ("get_schema", _GetSchema),
    ("get_next", _GetNext),
    ("get_last_error", _GetError),
    ("release", _ReleaseStream),
    ("private_data", c_void_p),
]

_NULLABLE = 2
_kept: Dict[int, Any] = {}
_numbers = itertools.count(1)


def _keep(owned: Any) -> int:
    number = next(_numbers)
    _kept[number] = owned
    return number


def _release(pointer: Any) -> None:
    """Marks a structure as released and forgets what it owned; its children have releases of their own."""
    structure = pointer.contents
    for at in range(getattr(structure, "n_children", 0)):
        child = structure.children[at]
        if child.contents.release:
            child.contents.release(child)
    _kept.pop(structure.private_data, None)
    structure.release = type(structure.release)()


_release_schema = _ReleaseSchema(_release)
_release_array = _ReleaseArray(_release)


def _bits(values: Sequence[bool]) -> bytearray:
    packed = bytearray((len(values) + 7) // 8)
    for at, value in enumerate(values):
        if value:
            packed[at // 8] |= 1 << at % 8
    return packed


def _column(values: Sequence[Any]) -> Tuple[bytes, List[Any]]:
    """The format of a column, and its buffers after the bitmap of gaps."""
    known = [value for value in values if value is not None]
    if all(isinstance(value, bool) for value in known):
        return b"b", [_bits([bool(value) for value in values])]
    if all(isinstance(value, int) for value in known):
        large = any(value >= 1 << 63 for value in known)
        return (b"L" if large else b"l"), [array.array("Q" if large else "q", [value or 0 for value in values])]
    if all(isinstance(value, (int, float)) for value in known):
        return b"g", [array.array("d", [float("nan") if value is None else value for value in values])]
    texts = [b"" if value is None else str(value).encode() for value in values]
    offsets = array.array("q", itertools.accumulate(map(len, texts), initial=0))
    return b"U", [offsets, bytearray(b"".join(texts))]


def _address(buffer: Any) -> Optional[int]:
    if isinstance(buffer, array.array):
        return buffer.buffer_info()[0]
    return ctypes.addressof((ctypes.c_char * len(buffer)).from_buffer(buffer)) if buffer else None


def _fill_schema(schema: Any, form: bytes, name: bytes, children: Sequence[_Schema]) -> None:
    pointers = (POINTER(_Schema) * max(1, len(children)))(*(ctypes.pointer(child) for child in children))
    schema.format, schema.name, schema.metadata = form, name, None
    schema.flags = _NULLABLE if not children else 0
    schema.n_children = len(children)
    schema.children = ctypes.cast(pointers, POINTER(POINTER(_Schema))) if children else None
    schema.dictionary = None
    schema.release = _release_schema
    schema.private_data = _keep((form, name, pointers, list(children)))


def _fill_array(into: Any, length: int, gaps: int, buffers: Sequence[Any], children: Sequence[_Array]) -> None:
    addresses = (c_void_p * max(1, len(buffers)))(*(None if b is None else _address(b) for b in buffers))
    pointers = (POINTER(_Array) * max(1, len(children)))(*(ctypes.pointer(child) for child in children))
    into.length, into.null_count, into.offset = length, gaps, 0
    into.n_buffers, into.n_children = len(buffers), len(children)
    into.buffers = ctypes.cast(addresses, POINTER(c_void_p))
    into.children = ctypes.cast(pointers, POINTER(POINTER(_Array))) if children else None
    into.dictionary = None
    into.release = _release_array
    into.private_data = _keep((addresses, pointers, list(buffers), list(children)))


def stream(columns: Mapping[str, Sequence[Any]]) -> object:
    """A capsule with the Arrow C stream of some columns: one batch."""
    parts = [(name.encode(), values, *_column(values)) for name, values in columns.items()]
    length = len(parts[0][1]) if parts else 0
    left = [1]

    def get_schema(_: Any, into: Any) -> int:
        children = []
        for name, _values, form, _buffers in parts:
            child = _Schema()
            _fill_schema(child, form, name, [])
            children.append(child)
        _fill_schema(into.contents, b"+s", b"", children)
        return 0

    def get_next(_: Any, into: Any) -> int:
        if not left:
            into.contents.release = _ReleaseArray()
            return 0
        left.clear()
        children = []
        for _name, values, _form, buffers in parts:
            gaps = sum(value is None for value in values)
            valid = _bits([value is not None for value in values]) if gaps else None
            child = _Array()
            _fill_array(child, length, gaps, [valid, *buffers], [])
            children.append(child)
        _fill_array(into.contents, length, 0, [None], children)
        return 0

    made = _Stream()
    made.get_schema, made.get_next = _GetSchema(get_schema), _GetNext(get_next)
    made.get_last_error = _GetError(lambda _: None)
    made.release = _release_stream
    # The structure itself must outlive its release: it goes with the capsule.
    made.private_data = _keep((parts, made.get_schema, made.get_next, made.get_last_error))
    address = ctypes.addressof(made)
    _kept[-address] = made
    return _new_capsule(address, _NAME, ctypes.cast(_destroy, c_void_p))


_release_stream = _ReleaseStream(_release)
_NAME = b"arrow_array_stream"


def _destroyed(capsule: int) -> None:
    address = _pointer_of(c_void_p(capsule), _NAME)
    made = _kept.pop(-address, None)
    if made is not None and made.release:
        _release(ctypes.pointer(made))


_destroy = CFUNCTYPE(None, c_void_p)(_destroyed)
_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype, _new_capsule.argtypes = py_object, [c_void_p, c_char_p, c_void_p]
_pointer_of = ctypes.PYFUNCTYPE(c_void_p, c_void_p, c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))
