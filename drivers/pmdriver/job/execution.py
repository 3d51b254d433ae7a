"""Runs one job by the protocol (docs/internals/protocol.md) on any framework.

The stages, in this order, and what happens in each:

    inputs   they are made, put on the device and read back, and their digests are compared
    setup    the setup is executed; if the case has a context, this stage also comes before
             ``inputs``, when the context is opened
    place    modules are moved to the device and filled
    compile  if the target's variant compiles, this is the stage of the first call
    run      the first call, on the cold clock; counters are read before outputs are fetched
    sync     the process waits for the device
    compare  outputs are read, and inputs are read again
    run      gradients are computed
    compare  the check is evaluated
    run      the second call, timings, other shapes, a watched call, a recorded call

Gradients, check, second call, timings, other shapes and the recorded call happen only if the job
requests them, and the watched call only if the framework needs it.

An exception of the framework or the case ends the job and is its result. `CaseError` and
`HarnessFault` mean that the execution says nothing about the function. `ValuesDestroyed` means that
an input was read back with other values than were sent: the device's fault, unless the same happens
on the reference. `NotApplicable` means that the case does not apply to this target.
"""

from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import Collection, Iterator, Sequence
from typing import Any, Callable

from pmdriver import failure
from pmdriver.digest import digest
from pmdriver.framework import Framework
from pmdriver.job import (
    blame,
    calling,
    captured,
    clocks,
    declared,
    effects,
    gradients,
    leaves,
    mutate,
    result,
    source,
)
from pmdriver.job.scene import Maker, Scene, Spec
from pmdriver.needs import Needs

#: The most timings of one transfer.
TRANSFERS = 5


def run(framework: Framework, job: dict[str, Any], body: memoryview, channel: Any) -> tuple:
    """Run one job.

    Parameters
    ----------
    framework
        Started in this process.
    job, body
        The header and the body (uint8) of the RUN frame.
    channel
        Has ``stage(name)``, ``ask(arrays)`` and ``scratch``; see `pmdriver.process.child.Channel`.

    Returns
    -------
    (dict, list of bytes)
        The header of the RESULT frame, and the buffers that follow it.
    """
    try:
        framework.begin_job(job, channel)
        return Execution(framework, framework.texts(job), body, channel).run()
    finally:
        framework.end_job()


class Execution:
    """One job while it runs; `run` executes all of it."""

    def __init__(
        self, framework: Framework, job: dict[str, Any], body: memoryview, channel: Any
    ) -> None:
        self.framework = framework
        self.job = job
        self.body = body
        self.channel = channel
        setting = framework.setting
        self.timed = bool(setting.get("clocks")) and not job.get("rehearse")
        self.rule = clocks.Rule(**(setting.get("warm") or {})) if self.timed else clocks.Rule()
        self.buffers: list[bytes] = []
        self.offset = 0
        self.result = result.blank(job)
        self.timings: dict[str, list[int]] = self.result["timings"]
        self.compilations: dict[str, list[int]] = self.result["compilations"]
        self.failed_text: str | None = None

    # ------------------------------------------------------------------ whole

    def run(self) -> tuple[dict[str, Any], list[bytes]]:
        """Run the job; every exception becomes part of the result."""
        try:
            with source.module_kept():
                self._steps()
        except failure.NotApplicable as reason:
            self.result["not_applicable"] = failure.one_line(str(reason))
        except failure.ValuesDestroyed as loss:
            self.result["destroyed"] = failure.one_line(str(loss))
        except (failure.HarnessFault, failure.CaseError) as fault:
            self.result["harness"] = failure.one_line(str(fault))
        except BaseException as error:
            self._raised(error)
        return self.result, self.buffers

    def _raised(self, error: BaseException) -> None:
        framework = self.framework
        if failure.is_own_bug(error):
            self.result["harness"] = failure.located(error)
            return
        reason = None
        if self.result["stage"] in ("compile", "run", "sync"):
            reason = framework.not_traceable(error)
        if reason:
            self.result["not_applicable"] = failure.one_line(reason)
        else:
            found = failure.evidence(error, framework.memory_kind(error))
            self.result["raised"] = {
                **found,
                "text": self.failed_text,
                "own": self._is_own(error),
                "other_types": framework.has_other_types(error),
                "operations": framework.operations_of(error),
            }
        self.result["poisoned"] = framework.poisoned()

    def _is_own(self, error: BaseException) -> bool:
        """Return whether the setup was calling the case's function itself."""
        if self.result["stage"] != "setup" or not hasattr(self, "maker"):
            return False
        return blame.is_own(error, self.framework, self.job["function"], self.maker.names)

    def _steps(self) -> None:
        declared.verify_applicable(self.job, self.framework, self.result)
        self.maker = Maker(self.framework, self.job, self.body, self.channel)
        with self.maker.contexts():
            self._whole_case()

    def _whole_case(self) -> None:
        scene = self.maker.scene(self.maker.series[0], None, self._stage, self._check_input)
        self.result["setup_on_host"] = self.maker.is_set_up_on_host
        self._verify_host_only(scene.names)
        state = self._state(scene) if self._must_be_pure() else {}
        out = self._first_call(scene)
        self._verify_host_only({"out": out})
        arrays = self._has_arrays(scene, out)
        found = self._outputs(scene, out)
        self.result["arrays"] = arrays or any(leaf.kind == leaves.ARRAY for leaf in found)
        if self._declared_pure():
            if not self.job.get("rehearse"):
                self.result["inputs_changed"] = effects.changed_inputs(
                    scene, self.maker.series[0], self.framework
                )
        elif self.framework.has_values:
            self._store_changed_inputs(scene, found)
        if self.job.get("backward"):
            self._first_gradients(scene, found)
        self._check(scene)
        if self._must_be_pure():
            self._second_call(scene, state)
        if not self.job.get("rehearse"):
            if self.timed:
                self._timings(scene)
            if len(self.maker.series) > 1:
                self._rest_of_series(scene)
        self._watched_call()
        self._recorded_call()

    def _declared_pure(self) -> bool:
        return self.job.get("repeat") in (None, "", "pure") and self.framework.has_values

    def _must_be_pure(self) -> bool:
        return self._declared_pure() and self.job.get("purity", True)

    def _stage(self, name: str) -> None:
        self.result["stage"] = name
        self.channel.stage(name)

    def _check_input(self, spec: Spec, array: Any) -> None:
        """Verify an input, and note its dtype and digest in the result."""
        dtype, found = self.framework.digest(array)
        if found is None:
            return
        self.result["inputs"].append({"name": spec["name"], "dtype": dtype, "digest": found})
        self._compare_input(spec, dtype, found)

    def _check_later_input(self, spec: Spec, array: Any) -> None:
        """Verify an input of a later shape of a series; the result does not list it."""
        dtype, found = self.framework.digest(array)
        if found is not None:
            self._compare_input(spec, dtype, found)

    def _compare_input(self, spec: Spec, dtype: str, found: str) -> None:
        """Raise if the digest of an input that was read back differs from the one that was sent."""
        if found == spec.get("digest"):
            return
        if dtype != spec["dtype"]:
            raise TypeError(
                f"the device changed input '{spec['name']}' from {spec['dtype']} to {dtype}"
            )
        raise failure.ValuesDestroyed(
            f"the input '{spec['name']}' was read back from the device with other values"
        )

    # -------------------------------------------------------------- first call

    def _first_call(self, scene: Scene) -> Any:
        framework = self.framework
        framework.seed(self.maker.seed)
        framework.clear_counters()
        compiled = framework.count() if framework.count else 0
        before = framework.before_running() if framework.before_running else {}
        self._stage("compile" if framework.compiles else "run")
        watch = (framework.watch() if self._is_once() else None) or contextlib.nullcontext()
        seen = calling.noted(framework, self.job, scene.names, self.result)
        recorder = self._recorder() if self._is_once() else None
        recorded = recorder.open() if recorder and not self.timed else contextlib.nullcontext()
        with watch, self._printing(scene), seen, recorded:
            out, took = self._timed_call("cold", scene.call, scene.arguments)
        if recorder:
            recorder.note({**scene.names, "out": out})
            self.result["needs"] = {"call": recorder.taken()}
            self._note_operations(recorder)
        if self.timed:
            self.timings["cold"] = [took]
            if framework.count:
                self.compilations["cold"] = [framework.count() - compiled]
            self.result["first_call"] = clocks.parts(before, framework.before_running, took)
        self._read_counters()
        self.result["device_memory"] = framework.peak_memory()
        self.result["extern_kernels"] = framework.after_first_call()
        if framework.compiles:
            self._stage("run")
        return out

    @contextlib.contextmanager
    def _printing(self, scene: Scene) -> Iterator[None]:
        """Store what a call prints in the name `captured`, if a text of the case uses this name."""
        if not self.maker.texts.captures:
            yield
            return
        capture = captured.Capture()
        with capture.open():
            yield
            self.framework.finish_printing()
        scene.names[captured.NAME] = capture.text

    def _timed_call(
        self, timing: str | None, call: Callable[..., Any], arguments: Sequence[Any]
    ) -> tuple[Any, int]:
        """Call and wait; return the output and the time that both took, in ns.

        Parameters
        ----------
        timing
            The clock that the time belongs to; None if it belongs to none.
        call, arguments
            The callable that is timed, and its positional arguments.
        """
        wait, clock = self.framework.wait, clocks.now
        modules = len(sys.modules)
        begin = clock()
        out = call(*arguments)
        if wait is None:
            took = clock() - begin
            self._note_imports(timing, modules)
            return out, took
        self._stage("sync")
        wait()
        took = clock() - begin
        self._note_imports(timing, modules)
        self._stage("run")
        return out, took

    def _note_imports(self, timing: str | None, before: int) -> None:
        """Note the modules that were imported since a clock began with `before` loaded modules."""
        if timing and self.timed and len(sys.modules) != before:
            self._describe(timing, imports=clocks.imported(before))

    def _describe(
        self, timing: str, warmup: int = 0, factor: int = 1, imports: clocks.Imports | None = None
    ) -> None:
        """Store details of a clock; the imports are added to those noted before."""
        known = self.result["clocks"].get(timing, {})
        seen = clocks.Imports(known.get("imports", 0), known.get("imported", ""))
        found = seen.and_then(imports) if imports else seen
        if warmup or factor > 1 or found.count:
            self.result["clocks"][timing] = {
                "warmup": warmup,
                "factor": factor,
                "imports": found.count,
                "imported": found.first,
            }

    def _read_counters(self) -> None:
        counters = self.framework.read_counters()
        known = self.result["fallback"]
        known += [name for name in counters.fallback if name not in known]
        others = self.result["host_operations"]
        others += [name for name in counters.on_constants if name not in (*known, *others)]
        self.result["host_reads"] += counters.host_reads

    # ----------------------------------------------------------------- outputs

    def _leaves(self, scene: Scene, out: Any, path: str = "out") -> list[leaves.Leaf]:
        """Evaluate `output` and walk its value.

        An exception of `output` says nothing about the call, which has returned: it is marked, and
        the judge blocks the case. An exception while the leaves are read counts like one of the
        call.
        """
        scene.names["out"] = out
        value = out
        if self.maker.texts.output is not None:
            with self._evaluated("output"):
                value = eval(self.maker.texts.output, scene.names)
        return leaves.walk(value, self.framework, path)

    @contextlib.contextmanager
    def _evaluated(self, text: str) -> Iterator[None]:
        """Note, for the judge, which text of the case raises an exception after the call."""
        try:
            yield
        except BaseException:
            self.failed_text = text
            raise

    def _outputs(self, scene: Scene, out: Any, path: str = "out") -> list[leaves.Leaf]:
        """Store the leaves of an output, and return them."""
        self._stage("compare")
        found = self._leaves(scene, out, path)
        self._verify_host_only({leaf.path: leaf.value for leaf in found})
        strict = bool(self.framework.setting.get("reference"))
        named = self.job.get("host_outputs") or []
        on_host = declared.host_outputs(named, found, path, strict)
        took = self._store(found, self.result["outputs"], on_host)
        if self.timed and path == "out" and took:
            arrays = [leaf for leaf in found if leaf.kind == leaves.ARRAY]
            self._transfers("transfer_out", took, lambda: [self._read(leaf) for leaf in arrays])
        return found

    def _has_arrays(self, scene: Scene, out: Any) -> bool:
        """Return whether the call gets or returns arrays."""
        given = any("dtype" in spec or "key" in spec for spec in self.maker.series[0])
        if given or self.job.get("modules"):
            return True
        return declared.has_arrays({**scene.names, "out": out}, self.framework)

    def _verify_host_only(self, values: dict[str, Any]) -> None:
        if self.job.get("host_only") and (self.maker.elsewhere or not self.framework.is_host):
            declared.verify_host_only(values, self.framework)

    def _read(self, leaf: leaves.Leaf) -> Any:
        return self.framework.read(leaf.value)

    def _store(
        self,
        found: list[leaves.Leaf],
        target: list[dict[str, Any]],
        on_host: Collection[str] = (),
    ) -> int:
        """Read leaves, and append a description of each to `target`.

        Returns
        -------
        int
            How long reading them from the device took, in ns; 0 if nothing was transferred.
        """
        took, modules = 0, len(sys.modules)
        for leaf in found:
            entry: dict[str, Any] = {"path": leaf.path}
            if leaf.kind != leaves.ARRAY:
                entry[leaf.kind] = self.maker.shown(leaf.value)
                target.append(entry)
                continue
            leaves.check_size(leaf, self.framework, self.offset)
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
        if not self.framework.transfers:
            return 0
        self._note_imports("transfer_out", modules)
        return took

    def _transfers(self, timing: str, first: int, again: Callable[[], Any]) -> None:
        """Repeat a transfer that took `first` ns; store the times of all repetitions in ns."""
        times, modules = [first], len(sys.modules)
        while len(times) < TRANSFERS and sum(times) < self.rule.budget_ns:
            begin = clocks.now()
            kept = again()
            times.append(clocks.now() - begin)
            del kept
        self.timings[timing] = times
        self._note_imports(timing, modules)

    def _check(self, scene: Scene) -> None:
        check = self.maker.texts.check
        if check is None or not self.framework.has_values:
            return
        self._stage("compare")
        with self._evaluated("check"):
            self.result["check"] = source.truth(eval(check, scene.names))
        if self.result["check"] and self.job.get("rehearse"):
            own = set(self.framework.names())
            self.result["check_detected"] = mutate.detections(
                check, scene.names, own, self.framework
            )

    def _store_changed_inputs(self, scene: Scene, found: Sequence[leaves.Leaf]) -> None:
        """Name and store the inputs that the call has changed, if it is allowed to change them.

        Parameters
        ----------
        scene
            The scene of the call.
        found
            The leaves of the output: an input that is one of them is stored already.
        """
        shown = {id(leaf.value) for leaf in found if leaf.kind == leaves.ARRAY}
        sent = {spec["name"]: spec.get("digest") for spec in self.maker.series[0]}
        changed = [
            (name, array)
            for name, array in scene.placed.items()
            if effects.digest_after(array, self.framework) not in (None, sent.get(name))
        ]
        self.result["inputs_changed"] = [name for name, _ in changed]
        self._store(
            [leaves.Leaf(name, leaves.ARRAY, array) for name, array in changed
             if id(array) not in shown],
            self.result["inputs_after"],
            on_host=sent,  # the case decides where its inputs are
        )  # fmt: skip

    # ----------------------------------------------------------- watched call

    def _watched_call(self) -> None:
        """Call and differentiate again in a new scene, if only this shows the devices used."""
        framework = self.framework
        watcher = framework.watch()
        if watcher is None or self._is_once():
            return
        maker = self.maker
        scene = maker.scene(maker.series[0])
        framework.clear_counters()
        framework.seed(maker.seed)
        try:
            with watcher:
                out, _ = self._timed_call(None, scene.call, scene.arguments)
            if self.job.get("backward"):
                call = self._gradient_call(scene, self._leaves(scene, out))
                with framework.watch() or contextlib.nullcontext():
                    self._timed_call(None, call, ())
        except Exception as error:
            if framework.memory_kind(error):
                raise
            raise failure.HarnessFault(
                f"the watched call failed ({failure.summary(error)}), but the first call did not: "
                "write 'repeat: once'"
            ) from error
        self._read_counters()

    def _recorded_call(self) -> None:
        """Call again in a new scene, to record on the reference what setup and call need.

        The first call decides the verdict: an exception of this call only ends the recording.
        """
        recorder = None if self._is_once() else self._recorder()
        if recorder is None:
            return
        maker, found = self.maker, self.result["needs"]
        with contextlib.suppress(Exception), recorder.open():
            scene = maker.scene(maker.series[0])
            found["setup"] = recorder.taken()
            self.framework.seed(maker.seed)
            recorder.note(scene.names)
            recorder.look(scene.call, scene.arguments)
            out, _ = self._timed_call(None, scene.call, scene.arguments)
            recorder.note(out)
        found["call" if "setup" in found else "setup"] = recorder.taken()
        self._note_operations(recorder)

    def _note_operations(self, recorder: Needs) -> None:
        """Store what each operation of setup and call needs."""
        found = recorder.operations.items()
        self.result["operation_needs"] = {kind: sorted(words) for kind, words in found}

    def _recorder(self) -> Needs | None:
        """Return a recorder of what the case needs; None if this is not recorded.

        A case that is declared `host_only` has needs too: a text is made on the host, but an
        operation on it fails on a device that has no texts.
        """
        return self.framework.needs() if self.job.get("needs") else None

    def _is_once(self) -> bool:
        return self.job.get("repeat") == "once"

    # ------------------------------------------------------------- second call

    def _second_call(self, scene: Scene, state: dict[str, Any]) -> None:
        """Call again with the same seed, and note what changed: nothing may under `repeat: pure`.

        Parameters
        ----------
        scene
            The scene of the first call.
        state
            What `_state` returned before the first call.
        """
        self._stage("run")
        inputs = {entry["name"]: entry["digest"] for entry in self.result["inputs"]}
        before = {**leaves.grouped(inputs.items()), **state}
        first = leaves.stored_identities(self.result["outputs"])
        self.framework.seed(self.maker.seed)
        try:
            with self._printing(scene):
                out, _ = self._timed_call(None, scene.call, scene.arguments)
        except Exception as error:
            if self.framework.memory_kind(error):
                raise
            raise failure.HarnessFault(
                f"the second call failed ({failure.summary(error)}): write 'repeat: fresh'"
            ) from error
        second = leaves.identities(self._leaves(scene, out), self.framework)
        after = {**effects.input_digests(scene, self.framework), **self._state(scene)}
        paths = list(dict.fromkeys([*first, *second]))
        self.result["second"] = {
            "inputs_changed": [name for name in before if before[name] != after.get(name)],
            "output_changed": [path for path in paths if first.get(path) != second.get(path)],
        }

    def _state(self, scene: Scene) -> dict[str, Any]:
        return effects.state(scene, self.maker.arguments, self.framework)

    # ------------------------------------------------------------------ clocks

    def _timings(self, scene: Scene) -> None:
        """Take the warm timings, those of the gradients, and those of transfers to the device."""
        self._stage("run")
        framework = self.framework
        repeat = self.job.get("repeat") or "pure"
        if repeat == "pure":
            # The paper times each call alone. An asynchronous device needs this too, because a loop
            # of calls would only queue work.
            alone = framework.setting.get("paper") or framework.wait is not None
            loop = None if alone else self.maker.loop(scene)
            found = clocks.time_calls(
                scene.call, scene.arguments, self.rule, framework.wait, framework.count, loop
            )
            self._keep("warm", found)
        elif repeat == "fresh":
            with self._names_kept(scene):
                found = clocks.time_prepared(
                    self._prepared(scene), self.rule, framework.wait, framework.count
                )
            self._keep("warm", found)
        if self.job.get("backward") and repeat != "once":
            self._time_gradients(scene)
        self._time_transfer_in()

    def _keep(self, clock: str, found: clocks.Timings) -> None:
        self.timings[clock] = found.total
        if found.dispatch and clock == "warm":
            self.timings["dispatch"] = found.dispatch
        if found.compilations:
            self.compilations[clock] = found.compilations
            if found.dispatch and clock == "warm":
                self.compilations["dispatch"] = found.compilations
        self._describe(clock, found.warmup, found.factor, found.imports)

    def _prepared(self, first: Scene) -> Callable[[], Callable[[], Any]]:
        """Return a function that prepares one call of a case with `repeat: fresh`."""
        make = self.maker.timed_scenes(first)

        def prepare() -> Callable[[], Any]:
            scene = make()
            return functools.partial(scene.call, *scene.arguments)

        return prepare

    @contextlib.contextmanager
    def _names_kept(self, scene: Scene) -> Iterator[None]:
        """Give the names of a scene their objects back after other scenes have used its call."""
        kept = dict(scene.names)
        try:
            yield
        finally:
            scene.names.update(kept)

    def _time_transfer_in(self) -> None:
        framework = self.framework
        specs = [s for s in self.maker.series[0] if "dtype" in s and not s.get("host")]
        if not framework.transfers or not specs:
            return
        arrays = [self.maker.host_array(spec) for spec in specs]

        def put() -> list[Any]:
            placed = [framework.place(array) for array in arrays]
            if framework.wait is not None:
                framework.wait()
            return placed

        modules = len(sys.modules)
        begin = clocks.now()
        put()
        took = clocks.now() - begin
        self._note_imports("transfer_in", modules)
        self._transfers("transfer_in", took, put)

    # --------------------------------------------------------------- gradients

    def _gradient_call(self, scene: Scene, found: list[leaves.Leaf]) -> Callable[[], list[Any]]:
        sources = gradients.sources(self.framework, self.job, scene)
        return gradients.call(self.framework, self.maker, found, sources)

    def _first_gradients(self, scene: Scene, found: list[leaves.Leaf]) -> None:
        self._stage("run")
        framework = self.framework
        sources = gradients.sources(framework, self.job, scene)
        call = gradients.call(framework, self.maker, found, sources)
        framework.clear_counters()
        compiled = framework.count() if framework.count else 0
        results, took = self._timed_call("backward_cold", call, ())
        if self.timed:
            self.timings["backward_cold"] = [took]
            if framework.count:
                self.compilations["backward_cold"] = [framework.count() - compiled]
        self._read_counters()
        stored: list[leaves.Leaf] = []
        for (name, _), gradient in zip(sources, results):
            stored += leaves.walk(gradient, framework, f"{name}.grad")
        self._store(stored, self.result["gradients"])

    def _time_gradients(self, scene: Scene) -> None:
        fresh = self.job.get("repeat") == "fresh"
        make = self.maker.timed_scenes(scene) if fresh else lambda: scene

        def prepare() -> Callable[[], Any]:
            at = make()
            found = self._leaves(at, at.call(*at.arguments))
            return self._gradient_call(at, found)

        framework = self.framework
        with self._names_kept(scene):
            found = clocks.time_prepared(prepare, self.rule, framework.wait, framework.count)
        self._keep("backward", found)

    # ------------------------------------------------------------------ series

    def _rest_of_series(self, first: Scene) -> None:
        """Call once with each other shape; the time for the first shape is the cold call's."""
        framework, maker = self.framework, self.maker
        again = bool(maker.texts.setup_names.intersection(maker.parameters))
        times, counts = list(self.timings.get("cold", [])), self.compilations.get("cold", [])
        counts = list(counts)
        for k, specs in enumerate(maker.series[1:], start=1):
            scene = maker.scene(
                specs, base=None if again else first, arrived=self._check_later_input
            )
            framework.clear_counters()
            compiled = framework.count() if framework.count else 0
            out, took = self._timed_call("series", scene.call, scene.arguments)
            times.append(took)
            if framework.count:
                counts.append(framework.count() - compiled)
            self._read_counters()
            self._outputs(scene, out, f"series[{k}].out")
            if self._declared_pure():
                changed = effects.changed_inputs(scene, specs, framework)
                self.result["inputs_changed"] += [f"series[{k}].{name}" for name in changed]
        if self.timed:
            self.timings["series"] = times
            if framework.count:
                self.compilations["series"] = counts
