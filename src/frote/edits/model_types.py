"""What a model's file may hold without being asked: exact names of types, for each kind of part that skops writes.

A type is here if models that frote trains hold it, or if people often put it into a pipeline, and only if an object of
it is safe whatever it is filled with: it is asked in Python and NumPy, which look where they read, or
`frote.edits.model_checks` can tell that it is sound. So search trees, kernel machines, nearest neighbours and sparse
matrices are not here, nor is anything that can be called, but for one function.
"""

from __future__ import annotations

__all__ = ["KNOWN", "OPEN"]

OBJECTS = """
frote.command.models.CodedLabels
frote.estimators.encoding.TabularEncoder
frote.estimators.overlay.OverlayClassifier
frote.rules.clause.Clause
frote.rules.condition.Condition
frote.rules.intervals.Intervals
frote.rules.level_tests.LevelTest
frote.rules.level_tests.Undecided
frote.rules.linear.Linear
frote.rules.outcome.Outcome
frote.rules.rule.Rule
frote.table.schema.Column
frote.estimators.ways.models.Anchored
frote.estimators.ways.models.Switched
sklearn._loss.link.Interval
sklearn._loss.link.LogitLink
sklearn._loss.link.MultinomialLogit
sklearn._loss.loss.HalfBinomialLoss
sklearn._loss.loss.HalfMultinomialLoss
sklearn.calibration.CalibratedClassifierCV
sklearn.calibration._CalibratedClassifier
sklearn.calibration._SigmoidCalibration
sklearn.compose._column_transformer.ColumnTransformer
sklearn.decomposition._pca.PCA
sklearn.decomposition._truncated_svd.TruncatedSVD
sklearn.discriminant_analysis.LinearDiscriminantAnalysis
sklearn.discriminant_analysis.QuadraticDiscriminantAnalysis
sklearn.dummy.DummyClassifier
sklearn.ensemble._bagging.BaggingClassifier
sklearn.ensemble._forest.ExtraTreesClassifier
sklearn.ensemble._forest.RandomForestClassifier
sklearn.ensemble._hist_gradient_boosting.binning._BinMapper
sklearn.ensemble._hist_gradient_boosting.gradient_boosting.HistGradientBoostingClassifier
sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor
sklearn.ensemble._stacking.StackingClassifier
sklearn.ensemble._voting.VotingClassifier
sklearn.ensemble._weight_boosting.AdaBoostClassifier
sklearn.feature_selection._from_model.SelectFromModel
sklearn.feature_selection._variance_threshold.VarianceThreshold
sklearn.frozen._frozen.FrozenEstimator
sklearn.impute._base.MissingIndicator
sklearn.impute._base.SimpleImputer
sklearn.isotonic.IsotonicRegression
sklearn.linear_model._logistic.LogisticRegression
sklearn.linear_model._logistic.LogisticRegressionCV
sklearn.linear_model._perceptron.Perceptron
sklearn.linear_model._ridge.RidgeClassifier
sklearn.linear_model._ridge.RidgeClassifierCV
sklearn.linear_model._stochastic_gradient.SGDClassifier
sklearn.naive_bayes.BernoulliNB
sklearn.naive_bayes.CategoricalNB
sklearn.naive_bayes.ComplementNB
sklearn.naive_bayes.GaussianNB
sklearn.naive_bayes.MultinomialNB
sklearn.neural_network._multilayer_perceptron.MLPClassifier
sklearn.neural_network._stochastic_optimizers.AdamOptimizer
sklearn.neural_network._stochastic_optimizers.SGDOptimizer
sklearn.pipeline.FeatureUnion
sklearn.pipeline.Pipeline
sklearn.preprocessing._data.Binarizer
sklearn.preprocessing._data.MaxAbsScaler
sklearn.preprocessing._data.MinMaxScaler
sklearn.preprocessing._data.Normalizer
sklearn.preprocessing._data.PowerTransformer
sklearn.preprocessing._data.QuantileTransformer
sklearn.preprocessing._data.RobustScaler
sklearn.preprocessing._data.StandardScaler
sklearn.preprocessing._discretization.KBinsDiscretizer
sklearn.preprocessing._encoders.OneHotEncoder
sklearn.preprocessing._encoders.OrdinalEncoder
sklearn.preprocessing._function_transformer.FunctionTransformer
sklearn.preprocessing._label.LabelBinarizer
sklearn.preprocessing._label.LabelEncoder
sklearn.svm._classes.LinearSVC
sklearn.tree._classes.DecisionTreeClassifier
sklearn.tree._classes.ExtraTreeClassifier
"""
LOSSES = """
sklearn._loss._loss.CyHalfBinomialLoss
sklearn._loss._loss.CyHalfMultinomialLoss
sklearn._loss._loss.CyHalfSquaredError
sklearn._loss._loss.CyHuberLoss
sklearn.linear_model._sgd_fast.EpsilonInsensitive
sklearn.linear_model._sgd_fast.Hinge
sklearn.linear_model._sgd_fast.ModifiedHuber
sklearn.linear_model._sgd_fast.SquaredEpsilonInsensitive
sklearn.linear_model._sgd_fast.SquaredHinge
"""
NUMBERS = frozenset(
    f"numpy.{name}"
    for name in (
        *("bool", "bool_", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
        *("float16", "float32", "float64", "str_"),
    )
)

# The parts that skops writes, and what each may be.
KNOWN: dict[str, frozenset[str]] = {
    "BytearrayNode": frozenset({"builtins.bytearray"}),
    "BytesNode": frozenset({"builtins.bytes"}),
    "ConstructorFromReduceNode": frozenset({"builtins.frozenset", "frote.rules.ruleset.RuleSet"}),
    "DTypeNode": frozenset({"numpy.dtype"}),
    "DefaultDictNode": frozenset({"collections.defaultdict"}),
    "DictNode": frozenset({"builtins.dict", "collections.OrderedDict", "sklearn.utils._bunch.Bunch"}),
    "FunctionNode": frozenset({"sklearn.utils.validation.check_array"}),  # histogram gradient boosting holds it
    "JsonNode": frozenset({"builtins.str"}),
    "ListNode": frozenset({"builtins.list"}),
    "LossNode": frozenset(LOSSES.split()),
    "MethodNode": frozenset(),
    "NdArrayNode": NUMBERS | {"numpy.ndarray"},
    "ObjectNode": frozenset(OBJECTS.split()),
    "OperatorFuncNode": frozenset(),
    "PartialNode": frozenset({"functools.partial"}),
    "RandomGeneratorNode": frozenset({"numpy.random._generator.Generator"}),
    "RandomStateNode": frozenset({"numpy.random.mtrand.RandomState"}),
    "SetNode": frozenset({"builtins.set"}),
    "SliceNode": frozenset({"builtins.slice"}),
    "SparseMatrixNode": frozenset(),
    "TreeNode": frozenset({"sklearn.tree._tree.Tree"}),
    "TupleNode": frozenset({"builtins.tuple"}),
    "TypeNode": NUMBERS
    | {"builtins.bool", "builtins.float", "builtins.int", "builtins.str", "collections.OrderedDict"},
}

# Parts of which the caller may allow more, by name. The others are these types and nothing else.
OPEN = frozenset(
    {
        *("ConstructorFromReduceNode", "FunctionNode", "MethodNode", "ObjectNode", "OperatorFuncNode"),
        *("SparseMatrixNode", "TypeNode"),
    }
)
