"""Makes a scene, which is what a call needs: inputs on the device, names of the setup, modules.

A job makes a scene for its first call, and another one for each timing and each shape that must not
be affected by what an earlier call changed.
"""

from __future__ import annotations

import builtins
import contextlib
import itertools
import math
import os
from collections.abc import Iterator, Sequence
from typing import Any, Callable

from pmdriver import failure
from pmdriver.framework import Framework, Wanted
from pmdriver.job import blame, clocks, moving, source

Spec = dict[str, Any]  # an input as the RUN frame describes it

#: The most arrays and bytes that one request may ask for: the supervisor's limits.
MOST_ASKED, MOST_BYTES_ASKED = 4096, 1 << 30


class Scene:
    """The inputs and the setup of one call.

    Attributes
    ----------
    names
        The globals of the call.
    placed
        By the name of an input: its array as the case gets it before the setup, on the device or,
        for an input on the host, on the host.
    literals
        By the name of an input that is not an array: its value, a literal or a key.
    call, arguments
        The callable, and its positional arguments.
    modules
        The objects of the case's `modules`, on the device.
    """

    def __init__(self, names: dict[str, Any]) -> None:
        self.names = names
        self.placed: dict[str, Any] = {}
        self.literals: dict[str, Any] = {}
        self.call: Callable[..., Any] = lambda: None
        self.arguments: list[Any] = []
        self.modules: list[Any] = []


def _ignore(*_: Any) -> None:
    """Do nothing about a stage or an input."""


def _check_request(wanted: Sequence[Wanted]) -> None:
    """Raise `HarnessFault` if a request exceeds limits above which the supervisor refuses it."""
    bits = [int("".join(filter(str.isdigit, item.dtype))) for item in wanted]
    size = sum(math.prod(item.shape) * n // 8 for item, n in zip(wanted, bits))
    if len(wanted) > MOST_ASKED or size > MOST_BYTES_ASKED:
        arrays = "1 array" if len(wanted) == 1 else f"{len(wanted):,} arrays"
        raise failure.HarnessFault(
            f"the weights or cotangents of the case are {arrays} with {size:,} bytes "
            f"(portmeter's limits: {MOST_ASKED:,} and {MOST_BYTES_ASKED:,}): use smaller modules "
            "or outputs"
        )


def enter_all(
    context: Sequence[source.Manager], names: dict[str, Any], stack: contextlib.ExitStack
) -> None:
    """Enter the managers of a case's `context`, and bind the names after ``as``.

    Parameters
    ----------
    context
        The managers, the outermost first.
    names
        The globals of the expressions; the names are added here.
    stack
        Leaves the managers when it is closed.
    """
    for manager in context:
        found = stack.enter_context(eval(manager.code, names))
        if manager.name:
            names[manager.name] = found


class Maker:
    """Makes the scenes of one job.

    Parameters
    ----------
    framework
        Started in this process.
    job, body
        The header and the body of the RUN frame.
    channel
        Its ``ask(arrays)`` sends a request to the supervisor, its ``scratch`` is a folder; see
        `pmdriver.process.child.Channel`.

    Attributes
    ----------
    texts
        The case's texts, compiled.
    parameters
        The names of the inputs, in order.
    arguments
        The names of the setup that are also parameters of the call.
    series
        The inputs of each shape; the first is that of the first call.
    seed
        The seed of the framework's generators.
    elsewhere
        Whether `device` is bound to something that is not the host, although the target is the
        host. This shows whether a case that is declared `host_only` puts arrays on its device.
    names
        The globals of the scene that was begun last.
    is_set_up_on_host
        Whether the setup ran on the host, because the device could not run it, and its results
        were moved.

    Raises
    ------
    CaseError
        A text of the case is not Python.
    """

    def __init__(
        self, framework: Framework, job: dict[str, Any], body: memoryview, channel: Any
    ) -> None:
        self._framework = framework
        self._job = job
        self._body = body
        self._channel = channel
        self._filled: dict[str, tuple[Spec, bytes]] = {}
        self._first, self._later = contextlib.ExitStack(), contextlib.ExitStack()
        self._has_first = False
        self.names: dict[str, Any] = {}
        self.is_set_up_on_host = False
        self.seed = int(framework.setting.get("seed") or 0)
        self.series: list[list[Spec]] = job.get("series") or [job.get("inputs") or []]
        self.elsewhere = bool(job.get("host_only") and job.get("rehearse") and framework.is_host)
        self.parameters = [spec["name"] for spec in self.series[0]]
        self.arguments: list[str] = job.get("arguments") or []
        self._folder = self._scratch()
        self.texts = source.compile_job(job, self.parameters, self._folder)

    def _scratch(self) -> str:
        """Create the folder that replaces `$tmp`; return its path, or ``""`` if no text uses it."""
        if not any("$tmp" in (self._job.get(key) or "") for key in source.TEXTS):
            return ""
        folder = os.path.join(self._channel.scratch, f"execution-{self._job.get('execution')}")
        os.makedirs(folder, exist_ok=True)
        return folder

    def _empty_folder(self) -> None:
        """Empty the folder `$tmp` for a setup: many functions refuse to replace a file."""
        if self._folder:
            import shutil  # here: few drivers need it, and it would delay the start of all

            shutil.rmtree(self._folder, ignore_errors=True)
            os.makedirs(self._folder, exist_ok=True)

    def shown(self, value: Any) -> Any:
        """Return a value of an output in which `$tmp` replaces the folder, as in the case.

        The folder has another name in each execution, so that a path in it would never be equal.
        """
        if not self._folder:
            return value
        if isinstance(value, str):
            return value.replace(self._folder, "$tmp")
        if isinstance(value, list):
            return [self.shown(item) for item in value]
        if isinstance(value, dict):
            return {key: self.shown(item) for key, item in value.items()}
        return value

    def host_array(self, spec: Spec) -> Any:
        """Make an input on the host, as its spec describes it."""
        begin = spec["offset"]
        view = self._body[begin : begin + spec["bytes"]]
        return self._framework.make(spec["dtype"], spec["shape"], view)

    def scene(
        self,
        specs: Sequence[Spec],
        base: Scene | None = None,
        stage: Callable[[str], None] = _ignore,
        arrived: Callable[[Spec, Any], None] = _ignore,
        compiled: Scene | None = None,
    ) -> Scene:
        """Make a scene.

        Parameters
        ----------
        specs
            The inputs.
        base
            Keep the setup of this scene; only the inputs are new.
        stage
            Called with the name of each stage when it begins.
        arrived
            Called with the spec and the array of each input that is an array, before the case sees
            the array.
        compiled
            Make inputs and setup again, but call what this scene has compiled, if the framework
            can. Its names are then bound to the objects of the new scene.
        """
        framework = self._framework
        if compiled is not None and not framework.reuses_compiled:
            compiled = None
        scene = Scene(self._names() if base is None else base.names)
        if compiled is not None:
            compiled.names.update(scene.names)
            scene.names = compiled.names
        self.names = scene.names
        if base is None:
            self._empty_folder()
        if base is None and self.texts.context:
            self._enter(scene.names, stage)
        stage("inputs")
        self._place_inputs(scene, specs, arrived)
        if base is None:
            framework.seed(self.seed)
            if self.texts.setup is not None:
                stage("setup")
                self._set_up(scene, specs)
            if self.texts.modules:
                stage("place")
                self._place_modules(scene, specs)
            if compiled is not None:
                scene.call = compiled.call
            else:
                scene.call = framework.bind(source.function_of(self.texts.call, scene.names))
        else:
            scene.call, scene.modules = base.call, base.modules
        scene.arguments = [scene.names[name] for name in self.parameters]
        scene.arguments += [self._made(scene.names, name) for name in self.arguments]
        self._wait()
        return scene

    def timed_scenes(self, first: Scene) -> Callable[[], Scene]:
        """Return a function that makes a scene for a timing, as if nothing had been called.

        It calls what the first scene has compiled, if the framework can use this again.
        """
        specs = self.series[0]
        restore = self._restorer(first)
        if restore is None:
            return lambda: self.scene(specs, compiled=first)

        def again() -> Scene:
            restore()
            return self.scene(specs, base=first)

        return again

    def _restorer(self, first: Scene) -> Callable[[], None] | None:
        """Return what restores the state of a scene; None if a timing needs another setup."""
        given = {**first.placed, **first.literals}
        rebound = any(first.names.get(name) is not given[name] for name in self.parameters)
        if rebound or self.arguments or self.texts.context or self._folder:
            return None
        return self._framework.restorer(lambda: self.scene(self.series[0]).arguments)

    def _wait(self) -> None:
        """Wait until the device has finished the work of the inputs and the setup."""
        if self._framework.wait is not None:
            self._framework.wait()

    def _set_up(self, scene: Scene, specs: Sequence[Spec]) -> None:
        """Execute the setup; if the device cannot, execute it on the host and move the results.

        If the host cannot execute it either, or a result cannot be moved, the device's exception is
        raised. A setup that failed in a call of the case's own function is not repeated.
        """
        names = scene.names
        if self.is_set_up_on_host:
            self._set_up_on_host(scene, specs)
            return
        if not self._has_other_host():
            exec(self.texts.setup, names)  # type: ignore[arg-type]
            return
        before = dict(names)
        try:
            exec(self.texts.setup, names)  # type: ignore[arg-type]
            self._wait()  # a device may defer an exception until here
        except Exception as error:
            if not self._may_use_host(error, names):
                raise
            try:
                names.clear()
                names.update(before)
                self._set_up_on_host(scene, specs)
            except Exception:
                raise error from None
            self.is_set_up_on_host = True

    def _has_other_host(self) -> bool:
        """Return whether the setup, if it fails on the device, can also run on the host."""
        job = self._job
        bound = self.texts.context or job.get("host_only") or job.get("rehearse")
        return not (self._framework.is_host or bound)

    def _may_use_host(self, error: Exception, names: dict[str, Any]) -> bool:
        framework, job = self._framework, self._job
        if isinstance(error, failure.OWN) or framework.memory_kind(error):
            return False
        return not blame.is_own(error, framework, job["function"], names)

    def _set_up_on_host(self, scene: Scene, specs: Sequence[Spec]) -> None:
        """Execute the setup on the host with host inputs; move what it bound or changed."""
        framework, names = self._framework, scene.names
        own = framework.names()
        on_host = {spec["name"]: self._on_host(spec) for spec in specs if "dtype" in spec}
        digests = {name: framework.digest(array) for name, array in on_host.items()}
        given = {**names, **framework.host_names(), **on_host}
        names.update(given)
        self._empty_folder()
        framework.seed(self.seed)
        with framework.on_host():
            exec(self.texts.setup, names)  # type: ignore[arg-type]
        same = {name for name in on_host if names.get(name) is on_host[name]}
        same = {name for name in same if framework.digest(on_host[name]) == digests[name]}
        made = {
            name: value
            for name, value in names.items()
            if name not in same and (name in on_host or value is not given.get(name, self))
        }
        names.update({name: own[name] for name in own if names.get(name) is given[name]})
        names.update({name: scene.placed[name] for name in same})
        names.update(moving.moved(made, framework))
        self._wait()

    def _on_host(self, spec: Spec) -> Any:
        """Return an input on the host, as a setup on the host sees it."""
        differentiate = bool(self._job.get("backward")) and not spec.get("host")
        return self._framework.prepare(self.host_array(spec), differentiate)

    def _enter(self, names: dict[str, Any], stage: Callable[[str], None]) -> None:
        """Open the context of a scene; the contexts of the first and the latest scene stay open.

        A scene for a timing is used after the first scene, and inside the first scene's context.
        """
        self._later.close()
        stage("setup")
        is_first, self._has_first = not self._has_first, True
        enter_all(self.texts.context, names, self._first if is_first else self._later)

    @contextlib.contextmanager
    def contexts(self) -> Iterator[None]:
        """Leave the contexts of all scenes at the end, the latest one first.

        If the block raises, exceptions raised on leaving a context are ignored.
        """
        try:
            yield
        except BaseException:
            with contextlib.suppress(Exception), self._first:
                self._later.close()
            raise
        with self._first:
            self._later.close()

    def loop(self, scene: Scene) -> clocks.Loop:
        """Return a function that makes the call of a scene repeatedly, for one timing."""
        code = None
        if not self._framework.compiles:
            text = self._job["call"].replace("$tmp", self._folder)
            code = source.compile_loop(text, [*self.parameters, *self.arguments])
        if code is not None:
            timed = source.function_of(code, scene.names)
            arguments = scene.arguments
        else:
            timed, arguments = clocks.call_repeatedly, [scene.call, scene.arguments]
        return lambda times: timed(clocks.now, itertools.repeat(None, times), *arguments)

    def _value(self, spec: Spec) -> Any:
        """Make an input that is not an array: a key, or a copy of a literal."""
        if "key" in spec:
            return self._framework.key(spec["key"])
        return source.copy_literal(spec.get("literal"))

    def _made(self, names: dict[str, Any], name: str) -> Any:
        if name not in names:
            raise failure.CaseError(
                f"'{name}' of 'arguments' is not a name from 'setup': define it there"
            )
        return names[name]

    def _names(self) -> dict[str, Any]:
        framework = self._framework
        names = framework.elsewhere_names() if self.elsewhere else framework.names()
        names = source.namespace(names)
        names["__builtins__"] = builtins  # as in the globals of a module; tracers expect it
        return names

    def _place_inputs(
        self, scene: Scene, specs: Sequence[Spec], arrived: Callable[[Spec, Any], None]
    ) -> None:
        framework = self._framework
        for spec in specs:
            name = spec["name"]
            if "dtype" not in spec:
                value = self._value(spec)
                scene.literals[name] = scene.names[name] = value
                continue
            array = self.host_array(spec)
            if not spec.get("host"):
                if self._job.get("host_only"):
                    raise failure.HarnessFault(
                        f"the case has 'host_only', but the input '{name}' is on the device: "
                        "remove 'host_only'"
                    )
                array = framework.place(array)
            arrived(spec, array)
            differentiate = bool(self._job.get("backward")) and not spec.get("host")
            array = framework.prepare(array, differentiate)
            scene.placed[name] = scene.names[name] = array

    # ---------------------------------------------------------------- modules

    def _modules_of(self, names: dict[str, Any]) -> list[Any]:
        return [eval(code, names) for code in self.texts.modules]

    def _built(self, names: dict[str, Any]) -> list[Any]:
        """Return the modules; make the call once if a module gets its weights in its first call."""
        found = self._modules_of(names)
        if not all(map(self._framework.is_built, found)):
            function = source.function_of(self.texts.call, names)
            function(*[names[name] for name in [*self.parameters, *self.arguments]])
        return found

    def _place_modules(self, scene: Scene, specs: Sequence[Spec]) -> None:
        texts = self._job["modules"]
        modules = list(zip(texts, self._built(scene.names)))
        scene.modules = self._framework.place_modules(
            modules, lambda: self._constructed_on_host(specs), self.fill
        )
        for text, module in zip(texts, scene.modules):
            if text in scene.names:
                scene.names[text] = module

    def _constructed_on_host(self, specs: Sequence[Spec]) -> list[Any]:
        """Execute the setup again on the host, and return its modules."""
        with source.module_kept(), contextlib.ExitStack() as stack:
            names = source.namespace(self._framework.host_names())
            enter_all(self.texts.context, names, stack)
            for spec in specs:
                is_array = "dtype" in spec
                names[spec["name"]] = self.host_array(spec) if is_array else self._value(spec)
            self._framework.seed(self.seed)
            if self.texts.setup is not None:
                exec(self.texts.setup, names)
            return self._built(names)

    def fill(self, wanted: Sequence[Wanted]) -> list[Any]:
        """Return host arrays from the supervisor's generator; each name is requested only once."""
        missing = [item for item in wanted if item.name not in self._filled]
        if missing:
            _check_request(missing)
            asked = [
                {"name": w.name, "dtype": w.dtype, "shape": list(w.shape), "scale": w.scale}
                for w in missing
            ]
            for item, (spec, view) in zip(missing, self._channel.ask(asked)):
                self._filled[item.name] = (spec, bytes(view))
        return [
            self._framework.make(spec["dtype"], spec["shape"], memoryview(data))
            for spec, data in (self._filled[item.name] for item in wanted)
        ]
