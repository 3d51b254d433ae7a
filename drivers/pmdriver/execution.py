"""Runs one job by the protocol (docs/protocol.md) on any framework.

What happens, in order, and which stage it is:

    inputs   made, put on the device, read back and digested
    setup    executed
    place    modules moved and filled
    compile  announced where the target's mode compiles: it does so within the first call
    run      the first call, on the cold clock; counters are read before outputs are fetched
    sync     waiting for the device
    run      gradients, the second call, samples: each only where the job asks for it

An exception of the framework ends the job and is its result; `CaseError` and `HarnessFault` are
faults of the case or of ours, `NotApplicable` says that the case does not concern this target.
"""

from __future__ import annotations

import builtins
import os
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any, Callable

from pmdriver import clocks, declared, failure, leaves, perturb, source
from pmdriver.digest import digest

if TYPE_CHECKING:
    from pmdriver.framework import Framework

#: How often a transfer is timed at most.
TRANSFERS = 5


def run(framework: Framework, job: dict[str, Any], body: memoryview, channel: Any) -> tuple:
    """Run one job.

    Parameters
    ----------
    framework
        Started in this process.
    job, body
        As the RUN frame brought them.
    channel
        ``stage(name)`` and ``ask(arrays)``; see `pmdriver.child.Channel`.

    Returns
    -------
    (dict, list)
        The header of the RESULT frame, and the buffers that follow it.
    """
    return Execution(framework, framework.texts(job), body, channel).run()


class Scene:
    """One making of inputs and setup: what a call needs.

    Attributes
    ----------
    names
        The globals of the call.
    placed
        Input name to the array on the device, as it was before the setup.
    call, arguments
        What is called with what.
    modules
        The objects of the case's `modules`, on the device.
    """

    def __init__(self, names: dict[str, Any]) -> None:
        self.names = names
        self.placed: dict[str, Any] = {}
        self.call: Callable[..., Any] = lambda: None
        self.arguments: list[Any] = []
        self.modules: list[Any] = []


class Execution:
    """One job while it runs; `run` is the whole of it."""

    def __init__(
        self, framework: Framework, job: dict[str, Any], body: memoryview, channel: Any
    ) -> None:
        self.framework = framework
        self.job = job
        self.body = body
        self.channel = channel
        setting = framework.setting
        self.seed = int(setting.get("seed") or 0)
        self.timed = bool(setting.get("clocks")) and not job.get("rehearse")
        self.rule = clocks.Rule(**(setting.get("warm") or {})) if self.timed else clocks.Rule()
        self.series: list[list[dict]] = job.get("series") or [job.get("inputs") or []]
        self.host_outputs: list[str] = job.get("host_outputs") or []
        #: On the host, where nothing else tells them apart, what names the device goes elsewhere.
        self.stands_in = bool(job.get("host_only") and job.get("rehearse") and framework.is_host)
        self.filled: dict[str, Any] = {}
        self.buffers: list[bytes] = []
        self.offset = 0
        self.timings: dict[str, list[int]] = {}
        self.compilations: dict[str, list[int]] = {}
        self.result: dict[str, Any] = {
            "execution": job.get("execution"),
            "stage": "inputs",
            "not_applicable": None,
            "absent": False,
            "raised": None,
            "harness": None,
            "inputs": [],
            "outputs": [],
            "gradients": [],
            "second": None,
            "check": None,
            "check_told": None,
            "fallback": [],
            "host_reads": 0,
            "extern_kernels": [],
            "timings": self.timings,
            "compilations": self.compilations,
            "shared": framework.jobs > 0,
            "device_memory": None,
            "poisoned": False,
        }

    # ------------------------------------------------------------------ whole

    def run(self) -> tuple[dict[str, Any], list[bytes]]:
        """Run the job; every exception becomes part of the result."""
        try:
            with source.module_kept():
                self._steps()
        except failure.NotApplicable as reason:
            self.result["not_applicable"] = failure.one_line(str(reason))
        except (failure.HarnessFault, source.CaseError) as fault:
            self.result["harness"] = failure.one_line(str(fault))
        except BaseException as error:
            self._raised(error)
        self.framework.jobs += 1
        return self.result, self.buffers

    def _raised(self, error: BaseException) -> None:
        framework = self.framework
        self.result["harness"] = failure.own_bug(error)
        if self.result["harness"]:
            return
        reason = None
        if self.result["stage"] in ("compile", "run", "sync"):
            reason = framework.not_traceable(error)
        if reason:
            self.result["not_applicable"] = failure.one_line(reason)
        else:
            self.result["raised"] = failure.describe(error, framework.memory_kind(error))
        self.result["poisoned"] = framework.poisoned()

    def _steps(self) -> None:
        missing = self.framework.missing(self.job.get("function") or "")
        if missing:
            self.result["absent"] = True
            raise failure.NotApplicable(missing)
        for requirement in self.job.get("requires") or []:
            reason = self.framework.unmet(requirement)
            if reason:
                raise failure.NotApplicable(reason)
        self._compile_texts()
        scene = self._scene(self.series[0], first=True)
        self._verify_host_only(scene.names)
        out = self._first_call(scene)
        self._verify_host_only({"out": out})
        self._outputs(scene, out)
        if self.job.get("backward"):
            self._first_gradients(scene)
        self._check(scene)
        if self._is_to_be_pure():
            self._second_call(scene)
        if self.job.get("rehearse"):
            return
        if self.timed:
            self._samples(scene)
        if len(self.series) > 1:
            self._rest_of_series(scene)

    def _is_to_be_pure(self) -> bool:
        pure = self.job.get("repeat") in (None, "", "pure")
        return pure and self.job.get("purity", True) and self.framework.has_values

    def _stage(self, name: str) -> None:
        self.result["stage"] = name
        self.channel.stage(name)

    def _compile_texts(self) -> None:
        scratch = os.environ.get("TMPDIR", "/tmp")
        if any("$tmp" in (self.job.get(key) or "") for key in ("setup", "call", "output", "check")):
            scratch = os.path.join(scratch, f"execution-{self.job.get('execution')}")
            os.makedirs(scratch, exist_ok=True)
        self.parameters = [spec["name"] for spec in self.series[0]]
        self.texts = source.compile_job(self.job, self.parameters, scratch)

    # ----------------------------------------------------------------- making

    def _host_array(self, spec: dict[str, Any]) -> Any:
        begin = spec["offset"]
        view = self.body[begin : begin + spec["bytes"]]
        return self.framework.make(spec["dtype"], spec["shape"], view)

    def _scene(self, specs: list[dict], first: bool = False, base: Scene | None = None) -> Scene:
        """Make inputs and setup.

        `first` announces the stages and checks what arrived on the device. With `base`, its setup
        is kept and only the inputs are new.
        """
        framework = self.framework
        scene = Scene(self._names() if base is None else base.names)
        if first:
            self._stage("inputs")
        self._place_inputs(scene, specs, first)
        if base is None:
            framework.seed(self.seed)
            if self.texts.setup is not None:
                if first:
                    self._stage("setup")
                exec(self.texts.setup, scene.names)
            if self.texts.modules:
                if first:
                    self._stage("place")
                self._place_modules(scene, specs)
            scene.call = framework.bind(source.function_of(self.texts.call, scene.names))
        else:
            scene.call, scene.modules = base.call, base.modules
        scene.arguments = [scene.names[name] for name in self.parameters]
        if framework.wait is not None:
            framework.wait()
        return scene

    def _names(self) -> dict[str, Any]:
        names = self.framework.elsewhere_names() if self.stands_in else self.framework.names()
        names = source.namespace(names)
        names["__builtins__"] = builtins  # as a module's globals; tracers look for it
        return names

    def _place_inputs(self, scene: Scene, specs: list[dict], first: bool) -> None:
        framework = self.framework
        for spec in specs:
            name = spec["name"]
            if "dtype" not in spec:
                scene.names[name] = source.copy_literal(spec.get("literal"))
                continue
            array = self._host_array(spec)
            if not spec.get("host"):
                if self.job.get("host_only"):
                    raise failure.HarnessFault(
                        f"declared host_only, but the input '{name}' is put on the device"
                    )
                array = framework.place(array)
            if first:
                self._check_input(spec, array)
            differentiate = bool(self.job.get("backward")) and not spec.get("host")
            array = framework.prepare(array, differentiate)
            scene.placed[name] = scene.names[name] = array

    def _check_input(self, spec: dict[str, Any], array: Any) -> None:
        dtype, found = self.framework.digest(array)
        if found is None:
            return
        self.result["inputs"].append({"name": spec["name"], "dtype": dtype, "digest": found})
        if found == spec.get("digest"):
            return
        if dtype != spec["dtype"]:
            raise TypeError(
                f"the device turned the input '{spec['name']}' from {spec['dtype']} into {dtype}"
            )
        raise failure.HarnessFault(
            f"the input '{spec['name']}' was read back from the device with other values"
        )

    def _modules_of(self, names: dict[str, Any]) -> list[Any]:
        return [eval(code, names) for code in self.texts.modules]

    def _place_modules(self, scene: Scene, specs: list[dict]) -> None:
        def construct() -> list[Any]:
            with source.module_kept():
                return constructed(source.namespace(self.framework.host_names()))

        def constructed(names: dict[str, Any]) -> list[Any]:
            for spec in specs:
                if "dtype" in spec:
                    names[spec["name"]] = self._host_array(spec)
                else:
                    names[spec["name"]] = source.copy_literal(spec["literal"])
            self.framework.seed(self.seed)
            if self.texts.setup is not None:
                exec(self.texts.setup, names)
            return self._modules_of(names)

        texts = self.job["modules"]
        modules = list(zip(texts, self._modules_of(scene.names)))
        scene.modules = self.framework.place_modules(modules, construct, self._fill)
        for text, module in zip(texts, scene.modules):
            if text in scene.names:
                scene.names[text] = module

    def _fill(self, wanted: Sequence[Any]) -> list[Any]:
        """Answer with host arrays from the supervisor's generator, each asked for once."""
        missing = [item for item in wanted if item.name not in self.filled]
        if missing:
            asked = [
                {"name": w.name, "dtype": w.dtype, "shape": list(w.shape), "scale": w.scale}
                for w in missing
            ]
            for item, (spec, view) in zip(missing, self.channel.ask(asked)):
                self.filled[item.name] = (spec, bytes(view))
        return [
            self.framework.make(spec["dtype"], spec["shape"], memoryview(data))
            for spec, data in (self.filled[item.name] for item in wanted)
        ]

    # -------------------------------------------------------------- first call

    def _first_call(self, scene: Scene) -> Any:
        framework = self.framework
        framework.seed(self.seed)
        framework.clear_counters()
        compiled = framework.count() if framework.count else 0
        self._stage("compile" if framework.compiles else "run")
        out, took = self._timed_call(scene.call, scene.arguments)
        if self.timed:
            self.timings["cold"] = [took]
            if framework.count:
                self.compilations["cold"] = [framework.count() - compiled]
        self._read_counters()
        self.result["device_memory"] = framework.peak_memory()
        self.result["extern_kernels"] = framework.after_first_call()
        if framework.compiles:
            self._stage("run")
        return out

    def _timed_call(self, call: Callable[..., Any], arguments: Sequence[Any]) -> tuple[Any, int]:
        """Call and wait, on one clock."""
        wait, clock = self.framework.wait, clocks.now
        begin = clock()
        out = call(*arguments)
        if wait is None:
            return out, clock() - begin
        self._stage("sync")
        wait()
        took = clock() - begin
        self._stage("run")
        return out, took

    def _read_counters(self) -> None:
        counters = self.framework.read_counters()
        known = self.result["fallback"]
        known += [name for name in counters.fallback if name not in known]
        self.result["host_reads"] += counters.host_reads

    # ----------------------------------------------------------------- outputs

    def _leaves(self, scene: Scene, out: Any, path: str = "out") -> list[leaves.Leaf]:
        """Evaluate `output` and walk it.

        Where that fails on a device and not on its control, the device is at fault; where it fails
        on the control too, the case is broken there. So its exceptions are the execution's own.
        """
        scene.names["out"] = out
        value = out
        if self.texts.output is not None:
            value = eval(self.texts.output, scene.names)
        return leaves.walk(value, self.framework, path)

    def _outputs(self, scene: Scene, out: Any, path: str = "out") -> None:
        self._stage("compare")
        found = self._leaves(scene, out, path)
        self._verify_host_only({leaf.path: leaf.value for leaf in found})
        strict = bool(self.framework.setting.get("control"))
        on_host = declared.host_outputs(self.host_outputs, found, path, strict)
        took = self._store(found, self.result["outputs"], on_host)
        if self.timed and path == "out" and took:
            self.timings["transfer_out"] = self._transfers(
                took, lambda: [self._read(leaf) for leaf in found if leaf.kind == leaves.ARRAY]
            )
        self.found = found

    def _verify_host_only(self, values: dict[str, Any]) -> None:
        if self.job.get("host_only") and (self.stands_in or not self.framework.is_host):
            declared.verify_host_only(values, self.framework)

    def _read(self, leaf: leaves.Leaf) -> Any:
        return self.framework.read(leaf.value)

    def _store(
        self,
        found: list[leaves.Leaf],
        target: list[dict[str, Any]],
        on_host: Collection[str] = (),
    ) -> int:
        """Fetch and describe leaves; answer how long reading from a device took, in ns."""
        took = 0
        for leaf in found:
            entry: dict[str, Any] = {"path": leaf.path}
            if leaf.kind != leaves.ARRAY:
                entry["value" if leaf.kind == leaves.VALUE else "type"] = leaf.value
                target.append(entry)
                continue
            entry["device"], on_device = self.framework.where(leaf.value)
            entry["on_device"] = on_device or leaf.path in on_host
            begin = clocks.now()
            buffer = self._read(leaf)
            took += clocks.now() - begin
            entry["dtype"], entry["shape"] = buffer.dtype, list(buffer.shape)
            if buffer.data is not None:
                entry["digest"] = digest(buffer.dtype, buffer.shape, buffer.data)
                entry["offset"], entry["bytes"] = self.offset, len(buffer.data)
                self.buffers.append(buffer.data)
                self.offset += len(buffer.data)
            target.append(entry)
        return 0 if self.framework.is_host or not self.framework.has_values else took

    def _transfers(self, first: int, again: Callable[[], Any]) -> list[int]:
        times = [first]
        while len(times) < TRANSFERS and sum(times) < self.rule.budget_ns:
            begin = clocks.now()
            kept = again()
            times.append(clocks.now() - begin)
            del kept
        return times

    def _check(self, scene: Scene) -> None:
        if self.texts.check is None or not self.framework.has_values:
            return
        self._stage("compare")
        self.result["check"] = source.truth(eval(self.texts.check, scene.names))
        if self.result["check"] and self.job.get("rehearse"):
            own = set(self.framework.names())
            self.result["check_told"] = perturb.told(
                self.texts.check, scene.names, own, self.framework
            )

    # ------------------------------------------------------------- second call

    def _input_digests(self, scene: Scene) -> dict[str, Any]:
        placed = [leaves.Leaf(name, leaves.ARRAY, array) for name, array in scene.placed.items()]
        return leaves.identities(placed, self.framework)

    def _second_call(self, scene: Scene) -> None:
        """Call again under the same seed: what changes makes `repeat: pure` an error."""
        self._stage("run")
        before = {entry["name"]: entry["digest"] for entry in self.result["inputs"]}
        first = {entry["path"]: leaves.identity(entry) for entry in self.result["outputs"]}
        self.framework.seed(self.seed)
        try:
            out, _ = self._timed_call(scene.call, scene.arguments)
        except Exception as error:
            if self.framework.memory_kind(error):
                raise
            raise failure.HarnessFault(
                f"repeat is pure, but the second call raised {failure.summary(error)}"
            ) from error
        second = leaves.identities(self._leaves(scene, out), self.framework)
        after = self._input_digests(scene)
        paths = list(dict.fromkeys([*first, *second]))
        self.result["second"] = {
            "inputs_changed": [name for name in before if before[name] != after.get(name)],
            "output_changed": [path for path in paths if first.get(path) != second.get(path)],
        }

    # ------------------------------------------------------------------ clocks

    def _samples(self, scene: Scene) -> None:
        """Take the warm samples, forward and backward, and those of putting inputs in."""
        self._stage("run")
        framework = self.framework
        repeat = self.job.get("repeat") or "pure"
        if repeat == "pure":
            found = clocks.sample(
                scene.call, scene.arguments, self.rule, framework.wait, framework.count
            )
            self._keep("warm", found)
        elif repeat == "fresh":
            found = clocks.sample_prepared(
                self._prepared, self.rule, framework.wait, framework.count
            )
            self._keep("warm", found)
        if self.job.get("backward") and repeat != "once":
            self._sample_gradients(scene)
        self._sample_transfer_in()

    def _keep(self, clock: str, found: clocks.Samples) -> None:
        self.timings[clock] = found.total
        if found.dispatch and clock == "warm":
            self.timings["dispatch"] = found.dispatch
        if found.compilations:
            self.compilations[clock] = found.compilations

    def _prepared(self) -> Callable[[], Any]:
        scene = self._scene(self.series[0])
        call, arguments = scene.call, scene.arguments
        return lambda: call(*arguments)

    def _sample_transfer_in(self) -> None:
        framework = self.framework
        specs = [s for s in self.series[0] if "dtype" in s and not s.get("host")]
        if framework.is_host or not framework.has_values or not specs:
            return
        arrays = [self._host_array(spec) for spec in specs]

        def put() -> list[Any]:
            placed = [framework.place(array) for array in arrays]
            if framework.wait is not None:
                framework.wait()
            return placed

        begin = clocks.now()
        put()
        self.timings["transfer_in"] = self._transfers(clocks.now() - begin, put)

    # --------------------------------------------------------------- gradients

    def _sources(self, scene: Scene) -> list[tuple[str, Any]]:
        """List what gradients are taken for: floating inputs, then parameters of modules."""
        framework = self.framework
        found = [
            (name, array) for name, array in scene.placed.items() if framework.differentiable(array)
        ]
        for text, module in zip(self.job.get("modules") or [], scene.modules):
            found += framework.parameters(text, module)
        return found

    def _gradient_call(self, found: list[leaves.Leaf], sources: list) -> Callable[[], list[Any]]:
        """Give the call that differentiates output leaves, its cotangents on the device."""
        framework = self.framework
        chosen = [
            leaf
            for leaf in found
            if leaf.kind == leaves.ARRAY and framework.differentiable(leaf.value)
        ]
        if not chosen or not sources:
            raise RuntimeError("backward: no gradient flows from an output to an input")
        cotangents = [framework.place(array) for array in self._fill(self._cotangents(chosen))]
        outputs = [leaf.value for leaf in chosen]
        arrays = [array for _, array in sources]
        if framework.wait is not None:
            framework.wait()
        return lambda: framework.gradients(outputs, arrays, cotangents)

    def _cotangents(self, chosen: list[leaves.Leaf]) -> list[Any]:
        return [self.framework.cotangent(leaf.path, leaf.value) for leaf in chosen]

    def _first_gradients(self, scene: Scene) -> None:
        self._stage("run")
        framework = self.framework
        sources = self._sources(scene)
        call = self._gradient_call(self.found, sources)
        framework.clear_counters()
        compiled = framework.count() if framework.count else 0
        gradients, took = self._timed_call(call, ())
        if self.timed:
            self.timings["backward_cold"] = [took]
            if framework.count:
                self.compilations["backward_cold"] = [framework.count() - compiled]
        self._read_counters()
        found: list[leaves.Leaf] = []
        for (name, _), gradient in zip(sources, gradients):
            found += leaves.walk(gradient, framework, f"{name}.grad")
        self._store(found, self.result["gradients"])

    def _sample_gradients(self, scene: Scene) -> None:
        fresh = self.job.get("repeat") == "fresh"

        def prepare() -> Callable[[], Any]:
            at = self._scene(self.series[0]) if fresh else scene
            found = self._leaves(at, at.call(*at.arguments))
            return self._gradient_call(found, self._sources(at))

        framework = self.framework
        found = clocks.sample_prepared(prepare, self.rule, framework.wait, framework.count)
        self._keep("backward", found)

    # ------------------------------------------------------------------ series

    def _rest_of_series(self, first: Scene) -> None:
        """Call with the other shapes, once each; the first one's time is the cold call's."""
        framework = self.framework
        again = bool(self.texts.setup_names.intersection(self.parameters))
        times, counts = list(self.timings.get("cold", [])), self.compilations.get("cold", [])
        counts = list(counts)
        for k, specs in enumerate(self.series[1:], start=1):
            scene = self._scene(specs, base=None if again else first)
            framework.clear_counters()
            compiled = framework.count() if framework.count else 0
            out, took = self._timed_call(scene.call, scene.arguments)
            times.append(took)
            if framework.count:
                counts.append(framework.count() - compiled)
            self._read_counters()
            self._outputs(scene, out, f"series[{k}].out")
        if self.timed:
            self.timings["series"] = times
            if framework.count:
                self.compilations["series"] = counts
