"""Explain a model, correct one of its rules, patch it at once, edit it for good, and see what changed.

The cells run one after the other, here or in a notebook.
"""

# %% A model of how 1,500 loans were decided, and the rules that it follows
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

import frote

loans = frote.datasets.load_loans()
X, X_new, y, y_new = train_test_split(loans.X, loans.y, train_size=1500, random_state=0)
forest = frote.default_pipeline(RandomForestClassifier(min_samples_leaf=5, random_state=0))
model = clone(forest).fit(X, y)
explanation = frote.explain_model(model, X, lambda0=0.01, lambda1=0.01)
print("== The rules that the model follows\n")
print(explanation)

# %% The expert takes the rule that approves loans, and lets younger people without any default in
original = explanation.rules["approved 1"]
corrected = frote.parse_rules("younger: IF age > 23 AND defaults = 0 AND income >= 24K THEN approved")
print("\n== One rule corrected\n")
print(f"was:    {original}")
print(f"now:    {corrected}")
print()
print(corrected.check(X, y, model))

# %% For today: a patch over the model, which is not retrained
hard = frote.OverlayClassifier(model, corrected, mode="hard").fit(X)
soft = frote.OverlayClassifier(model, corrected, mode="soft", originals=[original]).fit(X)

# %% For good: the model retrained on data that agree with the rule
editor = frote.FROTE(forest, corrected, random_state=0).fit(X, y)

# %% On 500 loans that none of them has seen
print("\n== On unseen loans, before and after\n")
for name, one in {"model": model, "overlay, hard": hard, "overlay, soft": soft, "edited": editor.estimator_}.items():
    report = frote.score(one, X_new, y_new, corrected)
    print(f"{name:14} agreement {report.agreement:.3f}  F1 outside {report.f1:.3f}  by coverage {report.objective:.3f}")

# %% What the edit changed, as rules
print("\n== What the edit changed\n")
print(frote.compare_models(model, editor.estimator_, X_new, corrected, y_new))
