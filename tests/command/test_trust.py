"""Files of models by someone who means harm: nothing of theirs is called, and nothing ends the program."""

from __future__ import annotations

import importlib
import io
import json
import os
import subprocess
import sys
import warnings
import zipfile
from contextlib import suppress

import numpy as np
import pytest
import skops.io
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier, ExtraTreesClassifier, VotingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier
from tests.examples import examples

import frote
from frote.edits.model_types import KNOWN
from frote.edits.models import make_estimator
from frote.edits.saved_models import load_model, model_for, save_model
from frote.exceptions import FroteError, ModelError

LOANS = frote.datasets.load_loans(120)
NUMBERS = LOANS.X[["age", "amount", "defaults"]]
RULES = frote.parse_rules("young: IF age < 29 AND defaults = 0 THEN approved")
FEW = {"forest": {"n_estimators": 3}, "hist-gradient-boosting": {"max_iter": 2, "min_samples_leaf": 2}}

# Names that do harm when they are called, or give a file a way to call something.
HARM = [
    *("os.system", "subprocess.Popen", "subprocess.check_output", "builtins.eval", "builtins.exec", "builtins.getattr"),
    *("sklearn.utils._testing.check_output", "sklearn.utils._testing.assert_run_python_script_without_output"),
    *("functools.partial", "operator.methodcaller", "builtins.map", "joblib.load", "pickle.loads", "numpy.load"),
    *("sklearn.tree._tree.Tree", "sklearn.neighbors._kd_tree.KDTree", "sklearn.svm._classes.SVC", "builtins.object"),
    *("frote.edits.models.make_estimator", "lightgbm.basic.Booster", "pathlib.Path", "numpy.random.mtrand.seed"),
]


def unpacked(model):
    """Return the plan of a model's file, and its other files."""
    with zipfile.ZipFile(io.BytesIO(skops.io.dumps(model))) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    return json.loads(files.pop("schema.json")), files


def packed(path, plan, files, **how):
    with zipfile.ZipFile(path, "w", **how) as archive:
        for name, content in {**files, "schema.json": json.dumps(plan)}.items():
            archive.writestr(name, content)
    return path


def parts(value, found=None):
    """Return all parts of a plan."""
    found = [] if found is None else found
    if isinstance(value, dict) and "__loader__" in value:
        found.append(value)
    for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        parts(one, found)
    return found


@pytest.fixture(scope="module")
def saved():
    """Models of each kind that is trained, taken apart."""
    made = {name: make_estimator(name, {**FEW.get(name, {}), "random_state": 0}) for name in ("logistic", *FEW)}
    return {name: unpacked(model.fit(LOANS.X, LOANS.y)) for name, model in made.items()}


def calling(name, *arguments):
    """Return a plan that has a loss of that name made with these arguments, as the file of a linear model holds one."""
    plan, files = unpacked(SGDClassifier(random_state=0).fit(NUMBERS, LOANS.y))
    [loss] = [part for part in parts(plan) if part["__loader__"] == "LossNode"]
    loss["__module__"], _, loss["__class__"] = name.rpartition(".")
    texts = [
        {"__class__": "str", "__module__": "builtins", "__loader__": "JsonNode", "content": json.dumps(one)}
        for one in arguments
    ]
    loss["__reduce__"]["args"] = {
        "__class__": "tuple",
        "__module__": "builtins",
        "__loader__": "TupleNode",
        "content": texts,
    }
    return plan, files


@pytest.mark.parametrize("name", ["sklearn.utils._testing.check_output", "subprocess.check_output", "os.mkdir"])
def test_a_file_that_names_a_command_does_not_run_it(tmp_path, name):
    canary = tmp_path / "canary"
    given = str(canary) if name == "os.mkdir" else ["touch", str(canary)]
    path = packed(tmp_path / "model.skops", *calling(name, given))
    with pytest.raises(ModelError, match="where that cannot be"):
        load_model(path)
    assert not canary.exists()


def test_what_is_trusted_is_a_class_or_the_one_function():
    for kind, names in KNOWN.items():
        for name in names:
            module, _, last = name.rpartition(".")
            found = getattr(importlib.import_module(module), last)
            assert isinstance(found, type) or kind == "FunctionNode", name
            assert "_testing" not in name
    assert KNOWN["FunctionNode"] == {"sklearn.utils.validation.check_array"}


@pytest.mark.parametrize("model", ["logistic", *FEW])
@settings(max_examples=examples(125))
@given(data=st.data())
def test_a_changed_plan_runs_nothing(tmp_path_factory, saved, model, data):
    """Any part becomes anything: it is refused, or it is read, and then nothing was called."""
    plan, files = saved[model]
    plan = json.loads(json.dumps(plan))
    every = parts(plan)
    folder = tmp_path_factory.mktemp("plan")
    for _ in range(data.draw(st.integers(1, 3))):
        part = data.draw(st.sampled_from(every))
        if data.draw(st.booleans()):
            part["__module__"], _, part["__class__"] = data.draw(st.sampled_from(HARM)).rpartition(".")
        if data.draw(st.booleans()):
            part["__loader__"] = data.draw(st.sampled_from([*KNOWN, "CachedNode", "QuantileForestNode", "nothing"]))
        if data.draw(st.booleans()):
            part["__id__"] = data.draw(st.sampled_from(every)).get("__id__")
        if data.draw(st.booleans()):
            part["content"] = data.draw(st.sampled_from(every))
        if data.draw(st.booleans()):
            part["content"] = json.dumps(
                data.draw(st.sampled_from([f"touch {folder}/canary", 2**40, -1, None, [], {}]))
            )
    try:
        path = packed(folder / "model.skops", plan, files)
    except (ValueError, RecursionError):
        return  # a part within itself is no JSON
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with suppress(FroteError):
            model_for(LOANS.X, path, table_path=path)
    assert not (folder / "canary").exists()


CHILD = """
import sys, warnings
warnings.simplefilter("ignore")
from pathlib import Path
import frote
from frote.edits.saved_models import model_for
from frote.exceptions import FroteError
X = frote.datasets.load_loans(120).X
for path in sorted(Path(sys.argv[1]).glob("*.skops")):
    try:
        model_for(X, path, table_path=path).predict(X)
    except FroteError as error:
        print(path.name, error)
"""


def arrays(files, wanted):
    """Yield the name and content of each array that has one of the fields wanted, or is of whole numbers."""
    for name, content in files.items():
        array = np.load(io.BytesIO(content))
        if wanted & set(array.dtype.names or ()) or (not wanted and array.dtype.kind in "iu"):
            yield name, array


def as_file(array):
    content = io.BytesIO()
    np.save(content, array)
    return content.getvalue()


FIELDS = {"left_child", "right_child", "feature", "left", "right", "feature_idx", "bitset_idx", "is_categorical"}
WRONG = [2**40, 2**31, 10**6, -5, 0]


def led_astray(plan, files):
    """Yield files in which one array, or one number, says something else."""
    trees = list(arrays(files, FIELDS))[:1]
    for name, array in [*trees, *arrays(files, set())]:
        for field in sorted(FIELDS & set(array.dtype.names or ())) or [None]:
            for wrong in WRONG if field else WRONG[2:4]:
                changed = array.copy()
                target = changed if field is None else changed[field]
                target[...] = np.array(wrong % 2 ** (8 * target.itemsize - 1)).astype(target.dtype)
                yield plan, {**files, name: as_file(changed)}
    for part in parts(plan)[::7]:
        if part["__loader__"] == "JsonNode" and part["content"].lstrip("-").isdigit():
            old, part["content"] = part["content"], str(10**6)
            yield plan, files
            part["content"] = old


def test_numbers_that_lead_astray_end_no_program(tmp_path, saved):
    """Trees and encoders with positions out of range, one at a time, and all asked in another process."""
    count = 0
    for model, (plan, files) in saved.items():
        for changed in led_astray(plan, files):
            packed(tmp_path / f"{model}-{count}.skops", *changed)
            count += 1
    assert count > 50
    done = subprocess.run(
        [sys.executable, "-c", CHILD, tmp_path], capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stderr
    assert "Tree is not sound" in done.stdout
    assert "HistGradientBoostingClassifier is not sound" in done.stdout
    assert "OneHotEncoder is not sound" in done.stdout


def test_nothing_stands_in_place_of_a_method(tmp_path):
    model = make_estimator("forest", FEW["forest"]).fit(LOANS.X, LOANS.y)
    model["model"]._validate_X_predict = np.float32
    with pytest.raises(ModelError, match="RandomForestClassifier is not sound"):
        load_model(packed(tmp_path / "model.skops", *unpacked(model)))


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("forest", lambda model: setattr(model["model"], "n_classes_", 10**9)),
        ("forest", lambda model: setattr(model["model"], "n_outputs_", 10**9)),
        ("logistic", lambda model: setattr(model["encode"]._one_hot, "dtype", "U999999")),
        ("hist-gradient-boosting", lambda model: setattr(model["model"], "n_trees_per_iteration_", 10**5)),
        ("hist-gradient-boosting", lambda model: numerical(model).func.keywords.update(dtype="U999999")),
        ("hist-gradient-boosting", lambda model: setattr(numerical(model), "kw_args", {"dtype": "U999999"})),
    ],
)
def test_a_model_says_nothing_far_wider_than_it_should(tmp_path, name, change):
    model = make_estimator(name, FEW.get(name, {})).fit(LOANS.X, LOANS.y)
    change(model)
    with pytest.raises(ModelError, match="is not sound"):
        load_model(packed(tmp_path / "model.skops", *unpacked(model)))


def numerical(model):
    """Return what takes numbers as they are in histogram gradient boosting."""
    return model["model"]._preprocessor.named_transformers_["numerical"]


def test_a_model_starts_no_more_workers_than_there_are_cores(tmp_path):
    model = make_estimator("forest", FEW["forest"]).fit(NUMBERS, LOANS.y)
    save_model(model.set_params(model__n_jobs=10**5), tmp_path / "model.skops")
    assert load_model(tmp_path / "model.skops")["model"].n_jobs == os.cpu_count()


def test_a_small_file_does_not_fill_the_memory(tmp_path, saved):
    plan, files = saved["logistic"]
    path = packed(tmp_path / "bomb.skops", plan, {**files, "zeros": bytes(1 << 28)}, compression=zipfile.ZIP_DEFLATED)
    with pytest.raises(ModelError, match="unfolds to far more than its own size"):
        load_model(path)
    first = next(part for part in parts(plan) if "file" in part)
    ten = [json.loads(json.dumps(first)) for _ in range(10)]
    plan = {**json.loads(json.dumps(plan)), "more": ten}
    large = {**files, first["file"]: as_file(np.zeros(1 << 21))}
    with pytest.raises(ModelError, match="unfolds to far more than its own size"):
        load_model(packed(path, plan, large, compression=zipfile.ZIP_DEFLATED))


@pytest.mark.parametrize("shape", [(1 << 40,), (0, 1 << 40), (3, -1)])
def test_an_array_that_says_more_than_it_has(tmp_path, saved, shape):
    plan, files = saved["logistic"]
    name = next(name for name, content in files.items() if np.load(io.BytesIO(content)).dtype == float)
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(head, {"descr": "<f8", "fortran_order": False, "shape": shape})
    with pytest.raises(ModelError, match="cannot be read as a model"):
        load_model(packed(tmp_path / "m.skops", plan, {**files, name: head.getvalue()}))


SOUND = [
    make_pipeline(StandardScaler(), LogisticRegression()),
    make_pipeline(KBinsDiscretizer(3, strategy="uniform"), SGDClassifier(loss="log_loss")),
    make_pipeline(SimpleImputer(add_indicator=True), ExtraTreesClassifier(3, n_jobs=2)),
    AdaBoostClassifier(n_estimators=3),
    BaggingClassifier(DecisionTreeClassifier(max_depth=3), n_estimators=3),
    CalibratedClassifierCV(GaussianNB()),
    MLPClassifier(4, max_iter=200, tol=1),
    VotingClassifier([("a", GaussianNB()), ("b", make_estimator("hist-gradient-boosting", {"max_iter": 2}))]),
]


@pytest.mark.parametrize("model", SOUND, ids=lambda model: type(model).__name__)
def test_what_people_put_into_pipelines_is_read(tmp_path, model):
    model.fit(NUMBERS, LOANS.y)
    save_model(model, tmp_path / "model.skops")
    assert (load_model(tmp_path / "model.skops").predict(NUMBERS) == model.predict(NUMBERS)).all()


@pytest.mark.parametrize("how", [{}, {"drop": "first"}, {"min_frequency": 20, "handle_unknown": "infrequent_if_exist"}])
def test_one_hot_codes_of_every_kind_are_read(tmp_path, how):
    columns = ["purpose", "channel", "defaults"]
    coded = ColumnTransformer([("codes", OneHotEncoder(**how), columns)], remainder="drop")
    model = make_pipeline(coded, LogisticRegression()).fit(LOANS.X, LOANS.y)
    save_model(model, tmp_path / "model.skops")
    assert (load_model(tmp_path / "model.skops").predict(LOANS.X) == model.predict(LOANS.X)).all()


def test_rules_laid_over_a_model_are_read(tmp_path):
    model = frote.OverlayClassifier(frote.default_pipeline(), RULES).fit(LOANS.X, LOANS.y)
    save_model(model, tmp_path / "model.skops")
    assert (load_model(tmp_path / "model.skops").predict(LOANS.X) == model.predict(LOANS.X)).all()


def test_what_cannot_be_checked_is_read_only_by_name(tmp_path):
    path = tmp_path / "model.skops"
    save_model(KNeighborsClassifier(algorithm="kd_tree").fit(NUMBERS, LOANS.y), path)
    with pytest.raises(ModelError, match="KNeighborsClassifier"):
        load_model(path)
