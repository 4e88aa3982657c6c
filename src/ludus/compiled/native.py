"""The Numba side of compiling: NamedTuple classes whose methods, properties and constants run as machine code.

A class becomes a Numba type of its own, keyed by its name and the digest of what it runs, never by the class object:
Numba pickles all types it has seen into one index per function, and the class may be gone when that is read.
"""

from __future__ import annotations

import inspect
import threading
import warnings
from collections import namedtuple
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from types import CodeType, FunctionType, SimpleNamespace
from typing import Any, cast

import numpy as np
from llvmlite import binding, ir
from numba import njit, typeof, types
from numba.core import cgutils, event
from numba.core.boxing import box_tuple, unbox_tuple
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_lock import global_compiler_lock
from numba.core.datamodel import models
from numba.core.environment import lookup_environment
from numba.core.errors import NumbaTypeSafetyWarning, TypingError
from numba.core.imputils import impl_ret_borrowed
from numba.core.pythonapi import NativeValue, box, unbox
from numba.core.registry import cpu_target
from numba.core.typing import templates
from numba.core.typing.templates import AttributeTemplate, infer_getattr, make_callable_template, make_overload_template
from numba.core.typing.typeof import typeof_impl
from numba.extending import lower_builtin, overload_attribute, overload_method, register_model

from ludus.compiled import intrinsics as intrinsics  # registered before anything is compiled
from ludus.compiled.compiling import FRACTION, Twin
from ludus.compiled.digests import members, names_in, reached_from
from ludus.compiled.machine_code import Emitted

warnings.simplefilter("ignore", NumbaTypeSafetyWarning)  # the error that follows says what is wrong

# Options for what is inlined into kernels, always (tables of arrays are costly to pass): no entry points of its own.
_INLINED = {"nopython": True, "no_cpython_wrapper": True, "forceinline": True}
_RULES = ("player", "legal", "play", "score")  # kernels spend their time in these; what they call, LLVM may inline


class Compiled(types.NamedTuple):
    """The Numba type of a NamedTuple class; each class has a subclass of this one.

    A class without fields carries one hidden zero: Numba cannot pass an empty tuple.
    """

    instance_class: Any
    class_name: str
    digest: str

    def __init__(self, field_types: Iterable[Any]) -> None:
        super().__init__(tuple(field_types) or (types.int64,), self.instance_class)
        self.name = f"{self.class_name}@{self.digest}({', '.join(map(str, self.types))})"

    @property
    def key(self) -> Any:  # noqa: D102
        return self.class_name, self.digest, self.types

    def __reduce__(self) -> Any:
        return _restore, (self.class_name, self.digest, self.types)


class CompiledClass(types.NamedTupleClass):
    """The Numba type of the class itself, so that rules can call it to make a position."""


register_model(CompiledClass)(models.OpaqueModel)


class _ClassReference:
    """Pickles as the class registered under this name and digest, wherever its module is by then."""

    def __init__(self, class_name: str, digest: str) -> None:
        self.where = class_name, digest

    def __reduce__(self) -> Any:
        return _registered_class, self.where


_types_by_class: dict[type, type[Compiled]] = {}
_types_by_name: dict[tuple[str, str], type[Compiled]] = {}
_registering = threading.Lock()


def register(cls: type) -> type[Compiled]:
    """The Numba type class of a NamedTuple class; registers the NamedTuples that it uses as well."""
    with _registering:
        if cls not in _types_by_class:
            for met in reached_from(cls).classes:
                if met not in _types_by_class:
                    _register_one(met)
        return _types_by_class[cls]


def _register_one(cls: Any) -> None:
    made = _make_type(cls.__qualname__, reached_from(cls).digest, cls)
    _types_by_class[cls] = _types_by_name[made.class_name, made.digest] = made
    typeof_impl.register(cls)(lambda value, context: _tuple_type(value))
    for name, member in members(cls).items():
        if inspect.isfunction(member):
            options = _INLINED if name in _RULES else {}
            overload_method(made, name, strict=False, jit_options=options)(_always(member))
        elif isinstance(member, property):
            overload_attribute(made, name, strict=False)(_always(cast(Any, member.fget)))
        elif isinstance(member, (int, tuple)):
            value = int(member) if isinstance(member, int) else member
            overload_attribute(made, name, strict=False)(_always(_constant(value)))


def _make_type(class_name: str, digest: str, cls: Any) -> type[Compiled]:
    members = {"class_name": class_name, "digest": digest, "instance_class": cls}
    made = type(f"Compiled[{class_name}]", (Compiled,), members)
    register_model(made)(models.TupleModel)
    return made


def _restore(class_name: str, digest: str, field_types: tuple[Any, ...]) -> Compiled:
    if (class_name, digest) not in _types_by_name:
        gone = namedtuple("gone", [f"f{i}" for i in range(len(field_types))])  # type: ignore[misc]
        return _make_type(class_name, digest, gone)(field_types)
    return _types_by_name[class_name, digest](field_types)


def _registered_class(class_name: str, digest: str) -> Any:
    return _types_by_name[class_name, digest].instance_class


def _always(function: Callable[..., Any]) -> Callable[..., Any]:
    return _with_signature(function, lambda *types, **named: function)


def _with_signature(function: Callable[..., Any], choose: Callable[..., Any]) -> Callable[..., Any]:
    """Give the chooser of an implementation the signature of the function, as Numba requires."""

    def chooser(*args: Any, **kwargs: Any) -> Any:
        return _anchored(choose(*args, **kwargs))

    vars(chooser)["__signature__"] = inspect.signature(function)
    return chooser


@cache
def _anchored(function: Any) -> Any:
    """The same function as if it stood in this module.

    The machine code of a kernel remembers the module of each function in it, and imports it when it is read from disk;
    a game's own module may be called otherwise, or not be there, by then.
    """
    anchored = FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    anchored.__kwdefaults__, anchored.__module__ = function.__kwdefaults__, __name__
    anchored.__qualname__ = f"{function.__module__}.{function.__qualname__}"
    return anchored


def _constant(value: Any) -> Callable[..., Any]:
    return lambda self: value


# ---- making a position in compiled code: `Position(...)` ----

_typeof_type = typeof_impl.dispatch(type)


@typeof_impl.register(type)
def _typeof_class(value: Any, context: Any) -> Any:
    return CompiledClass(value) if value in _types_by_class else _typeof_type(value, context)


@infer_getattr
class _CompiledClassAttribute(AttributeTemplate):
    key = CompiledClass

    def resolve___call__(self, class_type: Any) -> Any:
        cls = class_type.instance_class
        made, parameters = _types_by_class[cls], inspect.signature(cls)

        def typer(*args: Any, **kwargs: Any) -> Any:
            bound = parameters.bind(*args, **kwargs)
            bound.apply_defaults()
            return made([_stored_type(cls, name, field) for name, field in bound.arguments.items()])

        vars(typer)["pysig"] = parameters
        return types.Function(make_callable_template(key=class_type, typer=typer))


def _stored_type(cls: type, name: str, given: Any) -> Any:
    """The type of a field, given the type or the default value that it gets."""
    if isinstance(given, (types.Integer, types.Boolean, types.IntEnumMember, types.IntegerLiteral, int)):
        return types.int64
    if isinstance(given, (types.Float, types.Optional, types.NoneType, types.UnicodeType)):
        raise TypingError(f"field {name} of {cls.__name__} gets a {given}; fields hold whole numbers")
    return types.unliteral(given)


@lower_builtin(CompiledClass, types.VarArg(types.Any))
def _construct(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    made = sig.return_type
    given = zip(args, sig.args, made.types, strict=False)
    fields = [context.cast(builder, value, kind, stored) for value, kind, stored in given]
    defaults = [made.instance_class._field_defaults[name] for name in made.fields[len(args) :]]
    fields += [ir.Constant(ir.IntType(64), int(default)) for default in defaults]
    value = context.make_tuple(builder, made, fields or [ir.Constant(ir.IntType(64), 0)])
    return impl_ret_borrowed(context, builder, made, value)  # an array among the fields is held once more


# ---- crossing between Python and compiled code ----


@box(Compiled)
def _box(typ: Any, value: Any, c: Any) -> Any:
    make = c.pyapi.unserialize(c.pyapi.serialize_object(_ClassReference(typ.class_name, typ.digest)))
    fields = box_tuple(typ, value, c) if typ.fields else c.pyapi.tuple_new(0)
    made = c.pyapi.call(make, fields)
    c.pyapi.decref(make)
    c.pyapi.decref(fields)
    return made


@unbox(Compiled)
def _unbox(typ: Any, value: Any, c: Any) -> Any:
    if typ.fields:
        return unbox_tuple(typ, value, c)
    return NativeValue(cgutils.pack_struct(c.builder, [ir.Constant(ir.IntType(64), 0)]))


# ---- functions ----


def compile_for(
    function: Callable[..., Any], args: tuple[Any, ...], on_function: Callable[[int], None]
) -> tuple[Callable[..., Any], Emitted | None]:
    """Compile a function for the types of these arguments; also what to keep of it, if it can be kept.

    What returns a NamedTuple is not kept: its machine code asks Numba for the class. `on_function` is called with the
    number of functions that have been compiled before one.
    """
    kinds = tuple(map(_type_of, args))
    with global_compiler_lock, _quickly(), event.install_listener("numba:compile", _Counter(on_function)):
        dispatcher = njit(nogil=True)(function)
        entry = dispatcher.compile(kinds)
    made = dispatcher.overloads[kinds]
    constants = any(environment.consts for environment in made._find_referenced_environments())
    if constants or made.library.has_dynamic_globals or _has_class(made.signature.return_type):
        return entry, None
    module, symbol = made.library._final_module, made.fndesc.llvm_cpython_wrapper_name
    needs = [each.name for each in module.functions if each.is_declaration and not each.name.startswith("llvm.")]
    environments = [each.name for each in _environments(module)]
    return entry, Emitted(made.library._get_compiled_object(), symbol, needs, environments)


def intermediate_code(function: Callable[..., Any], args: tuple[Any, ...]) -> tuple[str, str]:
    """LLVM's code of a function and all that it calls, not optimised for a processor, and the name of the function."""
    with global_compiler_lock, _quickly(_IntermediateLibrary):
        try:
            njit(nogil=True)(function).compile(tuple(map(_type_of, args)))
        except _LinkedError as linked:
            module = linked.args[0]
    entry = next(each for each in module.functions if _is_entry(each))
    return str(module), entry.name


def _is_entry(function: Any) -> bool:
    is_public = not function.is_declaration and function.linkage == binding.Linkage.external
    return is_public and not function.name.startswith("_ZN7cpython")


class _Counter(event.Listener):
    """Counts the functions whose compiling has begun, for whoever waits; refuses rules that return fractions."""

    def __init__(self, on_function: Callable[[int], None]) -> None:
        self.begun, self.on_function = 0, on_function

    def on_start(self, event: Any) -> None:
        self.on_function(self.begun)
        self.begun += 1
        compiled_codes.add(event.data["dispatcher"].py_func.__code__)

    def on_end(self, event: Any) -> None:
        function, made = event.data["dispatcher"].py_func, event.data["dispatcher"].overloads.values()
        is_rule = function.__module__ == __name__ and function.__name__ in ("player", "score")
        if is_rule and any(isinstance(each.signature.return_type, types.Float) for each in made):
            raise TypingError(FRACTION)  # arrays of whole numbers would cut it off


compiled_codes: set[CodeType] = set()  # of the functions that were compiled in this process


def codes_reached(function: Callable[..., Any], args: tuple[Any, ...]) -> frozenset[CodeType]:
    """About what is compiled for a kernel: itself, and the helpers and methods called by name."""
    methods: dict[str, list[Any]] = {}
    for cls in _classes_in(args):
        for name, member in members(cls).items():
            methods.setdefault(name, []).append(member.fget if isinstance(member, property) else member)
    seen, waiting = set(), [function]
    while waiting:
        called = waiting.pop()
        if not isinstance(called, FunctionType) or called.__code__ in seen:
            continue
        seen.add(called.__code__)
        for name in set(names_in(called.__code__)):
            known = called.__globals__.get(name)
            waiting += methods.get(name) or ([inspect.unwrap(known)] if isinstance(known, Twin) else [])
    return frozenset(seen)


def _classes_in(args: tuple[Any, ...]) -> set[Any]:
    """The NamedTuple classes of arguments, of what they hold, and of what these use."""
    found = {other for cls in (type(args),) if hasattr(cls, "_fields") for other in reached_from(cls).classes}
    return found.union(*(_classes_in(arg) for arg in args if isinstance(arg, tuple)))


def _environments(module: Any) -> list[Any]:
    """The variables that point at what a function may need of Python."""
    return [
        each for each in module.global_variables if each.name.startswith("_ZN08NumbaEnv") and not each.is_declaration
    ]


def _has_class(kind: Any) -> bool:
    return isinstance(kind, Compiled) or (isinstance(kind, types.BaseTuple) and any(map(_has_class, kind)))


def _type_of(value: Any) -> Any:
    """The Numba type of an argument: NamedTuples are known here, and arrays do not depend on who owns them."""
    if isinstance(value, tuple) and hasattr(type(value), "_fields"):
        return _tuple_type(value)
    if isinstance(value, np.ndarray) and value.flags.carray:
        return typeof(np.empty((0,) * value.ndim, value.dtype))
    return typeof(value)


def _tuple_type(value: Any) -> Any:
    # All whole numbers, truth values and IntEnum members are int64.
    return register(type(value))([types.int64 if isinstance(field, int) else _type_of(field) for field in value])


def function_type(function: Twin[..., Any]) -> Any:
    """The Numba type of a marked function, by which compiled code calls the twin chosen for its arguments."""
    chooser = _with_signature(function.plain, function.choose)
    return types.Function(make_overload_template(function, chooser, _INLINED, False, "never"))


# ---- linking ----


class _LateLibrary(JITCodeLibrary):
    """The code of one function, linked with what it calls when it is needed itself.

    Numba optimises and emits every function that a kernel calls, and each once more inside its callers; here only the
    kernel, with all that it calls, is optimised and emitted.
    """

    _shared_module: Any

    def add_linking_library(self, library: Any) -> None:
        self._linking_libraries.append(library)

    def get_pointer_to_function(self, name: str) -> Any:
        """Where a function is; zero if it is not defined here, as the entry points of what is inlined are not."""
        defined = self._finalized or any(each.name == name for each in self._final_module.functions)
        return super().get_pointer_to_function(name) if defined else 0

    def _get_module_for_linking(self) -> Any:
        """The code of the function alone, which may be linked several times."""
        if self._shared_module is not None:
            return self._shared_module
        if self._finalized:
            return super()._get_module_for_linking()
        module = self._final_module.clone()
        for each in module.functions:
            if not each.is_declaration and each.linkage == binding.Linkage.external:
                each.linkage = "linkonce_odr"
        self._shared_module = module
        return module

    def finalize(self) -> None:
        self._raise_if_finalized()
        for library in _callers_first(self):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._optimize_final_module()
        self._final_module.verify()
        self._finalize_final_module()
        for variable in _environments(self._final_module):
            type(self._codegen).set_env(self._codegen, variable.name, lookup_environment(variable.name))


class _LinkedError(Exception):
    """Ends the work of the compiler with a linked module."""


class _IntermediateLibrary(_LateLibrary):
    """The code of one function, linked, and then neither optimised nor emitted."""

    def _optimize_final_module(self) -> None:
        raise _LinkedError(self._final_module)


def _callers_first(library: Any) -> list[Any]:
    """All libraries that one needs, each before those that it needs: LLVM links only what is already asked for."""
    order: list[Any] = []
    seen = {library}

    def visit(other: Any) -> None:
        seen.add(other)
        for needed in other._linking_libraries:
            if needed not in seen:
                visit(needed)
        order.append(other)

    visit(library)
    return order[-2::-1]


@contextmanager
def _quickly(library: type[_LateLibrary] = _LateLibrary) -> Iterator[None]:
    """Let Numba leave out what kernels do not need.

    Code is linked late, and the environment of a function is set when it is emitted. Functions have no entry points for
    C. The modules that implement NumPy are asked for once, not before each function that a kernel calls. A function is
    compiled once, not for the options of each caller: all kernels have the same.
    """
    context, typing = cpu_target.target_context, cpu_target.typing_context
    context.refresh()
    with ExitStack() as stack:
        for owner, name, instead in (
            (context.codegen(), "_library_class", library),
            (context.codegen(), "set_env", _nothing),
            (context, "create_cfunc_wrapper", _nothing),
            (context, "load_additional_registries", lambda: _read_again(context)),
            (typing, "load_additional_registries", _nothing),
        ):
            setattr(owner, name, instead)
            stack.callback(delattr, owner, name)
        stack.callback(setattr, templates, "targetconfig", templates.targetconfig)
        templates.targetconfig = _ANY_CALLER
        lock = binding.ffi.lib._lock  # Numba counts how often it is taken
        stack.callback(setattr, lock, "_cblist", lock._cblist)
        lock._cblist = []
        yield


_ANY_CALLER: Any = SimpleNamespace(ConfigStack=SimpleNamespace(top_or_none=lambda: None))


def _read_again(context: Any) -> None:
    """Read what was added to known registries, without asking Python to import all of them."""
    for registry in list(context._registries):
        context.install_registry(registry)


def _nothing(*args: Any, **kwargs: Any) -> None:
    pass
