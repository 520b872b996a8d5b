"""Trying batches: fit the estimator to the data with a batch and compare; one after the other, or several at once.

Workers get the parts of a run and of its current state as bytes, which joblib ships once for as long as they stay the
same object; a worker unpacks them once.
"""

from __future__ import annotations

import time
import uuid
from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import cloudpickle
import numpy as np
from sklearn.utils.parallel import delayed  # unlike joblib's, it takes scikit-learn's settings along

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray
    from sklearn.utils.parallel import Parallel

    from frote.loop.evaluation import Evaluation, Incumbent, Verdict
    from frote.loop.task import Batch
    from frote.loop.training import Trainer

__all__ = ["Attempt", "Packed", "Parcel", "Workers", "attempt"]


@dataclass(frozen=True, slots=True, eq=False)
class Attempt:
    """What came of a batch.

    Parameters
    ----------
    model : estimator or None
        The new model; None if it could not be trained or asked.

    verdict : Verdict or None
        How it compares.

    error : Exception or None
        What the estimator raised.

    told : str
        The same in words; empty if it raised nothing.

    fit_seconds, predict_seconds, other_seconds : float
        Time in the estimator's own fit and predict, and in everything else.
    """

    model: Any
    verdict: Verdict | None
    error: Exception | None
    told: str
    fit_seconds: float
    predict_seconds: float
    other_seconds: float


def attempt(trainer: Trainer, evaluation: Evaluation, incumbent: Incumbent, batch: Batch) -> Attempt:
    """Fit the estimator to the data with a batch and compare it with the current model; failures are handed back."""
    start, trainer = time.perf_counter(), trainer.timed_anew()
    model, verdict, failure = None, None, None
    try:
        rows = incumbent.rows.stacked(batch.rows)
        with trainer.limited():  # a scorer asks the model too
            model = trainer.fit(rows.frame, rows.labels)
            verdict = evaluation.compare(trainer, incumbent, batch, rows, model)
    except Exception as error:  # whatever a user's estimator raises costs this batch alone
        model, verdict, failure = None, None, error
    told = "" if failure is None else f"{type(failure).__name__}: {failure}"
    clock = trainer.clock
    other = time.perf_counter() - start - clock.fit - clock.predict
    return Attempt(model, verdict, failure, told, clock.fit, clock.predict, other)


class Workers:
    """Tries several batches at the same time, on the assumption that none of them will be accepted.

    Parameters
    ----------
    pool : Parallel
        Where they are tried.

    trainer, evaluation
        Who fits, and how models are compared; the same for the whole run.
    """

    def __init__(self, pool: Parallel, trainer: Trainer, evaluation: Evaluation) -> None:
        self._pool = pool
        self._trainer = trainer
        self._run = Parcel((trainer, evaluation))
        self._state: Parcel | None = None

    def attempts(self, incumbent: Incumbent, batches: Iterable[Batch]) -> list[Attempt]:
        """Try batches that all follow the same current model; the next is made while those before it are tried."""
        if self._state is None or self._state.thing is not incumbent:
            self._state = Parcel(incumbent)
        run, state = self._run, self._state
        try:
            # The limit of thread pools is one for all threads: were it not held here, the first of several that is
            # done would lift it for the others.
            with self._trainer.limited():
                found: list[Attempt] = self._pool(delayed(_attempt)(run, state, batch) for batch in batches)
        except Exception:
            failure = run.failure or state.failure
            if failure is None:
                raise
            raise _alone("sent to", failure) from failure
        return found


def _attempt(run: Parcel | Packed, state: Parcel | Packed, batch: Batch) -> Attempt:
    """Try a batch in a worker."""
    try:
        (trainer, evaluation), incumbent = run.thing, state.thing
    except Exception as error:
        raise _alone("read in", error) from None
    found = attempt(trainer, evaluation, incumbent, batch)
    if found.verdict is not None:
        # A model that is not taken need not make the way back.
        return found if found.verdict.better else replace(found, model=None)
    try:
        cloudpickle.loads(cloudpickle.dumps(found.error))
    except Exception:  # an error that does not survive the way back would end the run
        return replace(found, error=RuntimeError(found.told))
    return found


def _alone(what: str, why: Exception) -> TypeError:
    return TypeError(
        f"The estimator cannot be {what} other processes ({why}); use n_jobs=1, or threads by "
        "joblib.parallel_config(backend='threading')."
    )


class Parcel:
    """Something for workers. Threads get the thing itself; processes its bytes, made once, and unpack them once.

    The bytes are an array, since joblib's backends keep large arrays and ship them once.

    Parameters
    ----------
    thing : object
        The thing.

    Attributes
    ----------
    failure : Exception or None
        Why it could not be made into bytes.
    """

    failure: Exception | None = None

    def __init__(self, thing: Any) -> None:
        self.thing = thing
        self._token = uuid.uuid4().hex
        self._bytes: NDArray[np.uint8] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        if self._bytes is None:
            try:
                self._bytes = np.frombuffer(cloudpickle.dumps(self.thing), dtype=np.uint8)
            except Exception as error:
                self.failure = error  # backends hide it
                raise
        return Packed, (self._token, self._bytes)


_UNPACKED: OrderedDict[str, Any] = OrderedDict()  # in a worker, what came last


@dataclass(frozen=True, slots=True, eq=False)
class Packed:
    """A parcel as a process gets it. It is unpacked when it is asked for its thing, so that failures are told.

    Parameters
    ----------
    token : str
        Which parcel it is.

    content : ndarray of uint8
        Its bytes.
    """

    token: str
    content: NDArray[np.uint8]

    @property
    def thing(self) -> Any:
        """The thing, unpacked unless it was one of the last."""
        # A worker may have threads: what one of them uses is held here, not looked up again.
        thing = _UNPACKED.pop(self.token, None)
        if thing is None:
            thing = cloudpickle.loads(self.content.tobytes())
        _UNPACKED[self.token] = thing
        while len(_UNPACKED) > 2:  # the run and its current state
            _UNPACKED.popitem(last=False)
        return thing
