"""The default model as a graph of fewer and larger steps than its file has, for the machine that makes many vectors.

The file turns its 8-bit weights into floats and multiplies floats. Here three products of a layer are one, attention
is one step, and most matrices are multiplied as 8-bit integers. The states of each token are rounded with a factor of
their own, so that a vector does not depend on the other texts. Queries, keys and values of all layers but the first
stay floats, as most of the difference would come from them. The cosine with a vector of the file is about .9997.

Not for padded batches: the graph has no mask.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from memtui_core.search.embed.numpy_model import EMBEDDINGS, HEADS, LAYERS, mapped_tensors, matrices_of
from memtui_core.text.protobuf import field_of, four_bytes

if TYPE_CHECKING:
    from numpy.typing import NDArray

_OWN: Final = "com.microsoft"
"""The domain of the steps that only onnxruntime has."""
_OPSETS: Final = (("", 17), (_OWN, 1))
_IR_VERSION: Final = 10
_TYPES: Final = {"float32": 1, "uint8": 2, "int8": 3, "int64": 7}
"""The codes of element types in ONNX."""
_FLOAT_ATTRIBUTE, _NUMBER_ATTRIBUTE, _NUMBERS_ATTRIBUTE = 1, 2, 7
"""The codes of types of attributes."""
_EPSILON: Final = 1e-12
"""Added to a variance, as the model was trained."""
_SIZE: Final = 384
_LOWEST: Final = np.float32(0.17)
"""The activation between the two wide matrices gives at least -0.16997: with this added, nothing is negative."""


def minilm_graph(*, integers: bool) -> bytes:
    """The model as an ONNX file, with the input `input_ids` and the output `last_hidden_state`.

    Without `integers`, all products are of floats, and its vectors are those of the file but for rounding. Raises as
    `weights_file`.
    """
    return _Minilm(integers=integers).written()


class _Graph:
    """Steps and constants, as the bytes of their messages."""

    def __init__(self) -> None:
        self._fields: list[bytes] = []

    def constant(self, name: str, value: NDArray[Any] | np.generic) -> str:
        """Add a constant; returns its name."""
        array = np.ascontiguousarray(value)
        # A single number becomes an array of one here, which is not the same to a step.
        dims = b"".join(field_of(1, size) for size in np.shape(value))
        parts = (field_of(2, _TYPES[array.dtype.name]), field_of(8, name.encode()), field_of(9, array.tobytes()))
        self._fields.append(field_of(5, dims + b"".join(parts)))
        return name

    def step(self, kind: str, inputs: Sequence[str], output: str, domain: str = "", **attributes: Any) -> str:
        """Add a step with one output; returns its name."""
        return self.steps(kind, inputs, [output], domain, **attributes)[0]

    def steps(
        self, kind: str, inputs: Sequence[str], outputs: Sequence[str], domain: str = "", **attributes: Any
    ) -> Sequence[str]:
        """Add a step with several outputs; returns their names."""
        node = [field_of(1, name.encode()) for name in inputs]
        node += [field_of(2, name.encode()) for name in outputs]
        node += [field_of(4, kind.encode()), field_of(7, domain.encode())]
        node += [field_of(5, field_of(1, name.encode()) + _attribute(value)) for name, value in attributes.items()]
        self._fields.append(field_of(1, b"".join(node)))
        return outputs

    def written(self, source: str, output: str) -> bytes:
        """The model; its input are tokens, and its output has a row of floats for each."""
        fields = [*self._fields, field_of(2, b"minilm")]
        fields.append(field_of(11, _described(source, "int64", ("texts", "tokens"))))
        fields.append(field_of(12, _described(output, "float32", ("texts", "tokens", "size"))))
        opsets = (field_of(8, field_of(1, domain.encode()) + field_of(2, version)) for domain, version in _OPSETS)
        return field_of(1, _IR_VERSION) + b"".join(opsets) + field_of(7, b"".join(fields))


class _Minilm:
    """The graph of the default model."""

    def __init__(self, *, integers: bool) -> None:
        self._integers = integers
        self._tensors = mapped_tensors()
        self._matrices = matrices_of(self._tensors)
        self._graph = _Graph()

    def written(self) -> bytes:
        """The whole model."""
        graph = self._graph
        if self._integers:
            for name, value in (("one", 1), ("of 127", 1 / 127), ("of 255", 1 / 255), ("lowest", _LOWEST)):
                graph.constant(name, np.float32(value))
            graph.constant("least", np.float32(1e-9))
            graph.constant("middle", np.uint8(128))
            graph.constant("zero", np.uint8(0))
        graph.constant("thirds", np.array([_SIZE] * 3, np.int64))
        states = self._embedded()
        for layer in range(LAYERS):
            states = self._layer(states, layer)
        graph.step("Identity", [states], "last_hidden_state")
        return graph.written("input_ids", "last_hidden_state")

    def _embedded(self) -> str:
        """The states before the first layer: of the word and of the place of each token."""
        graph, words, places = self._graph, f"{EMBEDDINGS}word_embeddings", f"{EMBEDDINGS}position_embeddings"
        rows = graph.constant("words", self._tensors[f"{words}.weight_q"])
        factors = graph.constant("factors", self._tensors[f"{words}.weight_scale"].reshape(-1, 1))
        integers = graph.step("Gather", [rows, "input_ids"], "word rows", axis=0)
        floats = graph.step("Cast", [integers], "word floats", to=_TYPES["float32"])
        scaled = graph.step("Gather", [factors, "input_ids"], "word factors", axis=0)
        word = graph.step("Mul", [floats, scaled], "word states")
        table = self._tensors[f"{places}.weight_q"].astype(np.float32) * self._tensors[
            f"{places}.weight_scale"
        ].reshape(-1, 1)
        table = graph.constant("places", table + self._tensors[f"{EMBEDDINGS}token_type_embeddings.weight"][0])
        count = graph.step("Shape", ["input_ids"], "count", start=1, end=2)
        first = graph.constant("first", np.zeros(1, np.int64))
        place = graph.step("Slice", [table, first, count, first], "place states")
        return self._normed(graph.step("Add", [word, place], "embedded"), EMBEDDINGS, "states")

    def _layer(self, states: str, layer: int) -> str:
        name = f"inner.encoder.layer.{layer}."
        *three, output, wider, narrower = self._matrices[6 * layer : 6 * layer + 6]
        biases = [f"{name}attention.self.{part}" for part in ("query", "key", "value")]
        as_integers = self._integers and layer == 0
        graph = self._graph
        all_three = self._linear(states, three, biases, f"{name}three", integers=as_integers)
        parts = graph.steps("Split", [all_three, "thirds"], [f"{name}{part}" for part in "qkv"], axis=2)
        mixed = graph.step("MultiHeadAttention", parts, f"{name}mixed", _OWN, num_heads=HEADS)
        attended = self._linear(mixed, [output], [f"{name}attention.output.dense"], f"{name}attended")
        added = graph.step("Add", [states, attended], f"{name}added")
        states = self._normed(added, f"{name}attention.output.", f"{name}middle")
        hidden = self._linear(states, [wider], [f"{name}intermediate.dense"], f"{name}wide")
        hidden = graph.step("Gelu", [hidden], f"{name}hidden", _OWN)
        narrow = self._linear(hidden, [narrower], [f"{name}output.dense"], f"{name}narrow", lowest=_LOWEST)
        return self._normed(graph.step("Add", [states, narrow], f"{name}sum"), f"{name}output.", f"{name}states")

    def _linear(
        self,
        states: str,
        matrices: Sequence[str],
        biases: Sequence[str],
        output: str,
        *,
        lowest: np.float32 | None = None,
        integers: bool | None = None,
    ) -> str:
        """The product with matrices side by side, and the bias; with `lowest` no state is less than its negative."""
        graph = self._graph
        matrix = np.concatenate([self._tensors[f"{name}_q"] for name in matrices], 1)
        factors = np.concatenate([self._tensors[f"{name}_scale"].reshape(-1) for name in matrices])
        bias = np.concatenate([self._tensors[f"{name}.bias"] for name in biases])
        if not (self._integers if integers is None else integers):
            weights = graph.constant(f"{output} weights", matrix.astype(np.float32) * factors)
            product = graph.step("MatMul", [states, weights], f"{output} product")
        else:
            if lowest is not None:
                bias = bias - lowest * (matrix.astype(np.float32).sum(0) * factors)
            rounded, factor, zero = self._rounded(states, positive=lowest is not None)
            weights = graph.constant(f"{output} weights", matrix)
            scale = graph.constant(f"{output} factors", factors)
            inputs = [rounded, weights, "one", scale, zero]
            product = graph.step("MatMulIntegerToFloat", inputs, f"{output} integers", _OWN)
            product = graph.step("Mul", [product, factor], f"{output} product")
        return graph.step("Add", [product, graph.constant(f"{output} bias", bias)], output)

    def _rounded(self, states: str, *, positive: bool) -> tuple[str, str, str]:
        """States as integers, the factor of each token, and what stands for 0: all by their names."""
        graph = self._graph
        if positive:
            states = graph.step("Add", [states, "lowest"], f"{states} raised")
        size = states if positive else graph.step("Abs", [states], f"{states} size")
        most = graph.step("ReduceMax", [size], f"{states} most", axes=[2], keepdims=1)
        factor = graph.step("Mul", [most, "of 255" if positive else "of 127"], f"{states} share")
        factor = graph.step("Max", [factor, "least"], f"{states} factor")
        zero = "zero" if positive else "middle"
        scaled = graph.step("Div", [states, factor], f"{states} scaled")
        return graph.step("QuantizeLinear", [scaled, "one", zero], f"{states} rounded"), factor, zero

    def _normed(self, states: str, name: str, output: str) -> str:
        graph = self._graph
        weight = graph.constant(f"{output} weight", self._tensors[f"{name}LayerNorm.weight"])
        bias = graph.constant(f"{output} bias", self._tensors[f"{name}LayerNorm.bias"])
        return graph.step("LayerNormalization", [states, weight, bias], output, axis=-1, epsilon=_EPSILON)


def _attribute(value: float | Sequence[int]) -> bytes:
    """The value and the type of an attribute."""
    if isinstance(value, float):
        return four_bytes(2, struct.pack("<f", value)) + field_of(20, _FLOAT_ATTRIBUTE)
    if isinstance(value, int):
        # A negative number is written with 64 bits.
        return field_of(3, value % (1 << 64)) + field_of(20, _NUMBER_ATTRIBUTE)
    return b"".join(field_of(8, number) for number in value) + field_of(20, _NUMBERS_ATTRIBUTE)


def _described(name: str, kind: str, dims: Sequence[str]) -> bytes:
    """An input or output with the names of its dimensions."""
    shape = b"".join(field_of(1, field_of(2, dim.encode())) for dim in dims)
    tensor = field_of(1, _TYPES[kind]) + field_of(2, shape)
    return field_of(1, name.encode()) + field_of(2, field_of(1, tensor))
