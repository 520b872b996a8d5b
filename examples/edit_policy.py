"""The main job on the embedded data: check the new lending policy, resolve its conflict, edit a model, compare."""

from __future__ import annotations

from sklearn.ensemble import RandomForestClassifier

import frote


def main() -> None:
    loans = frote.datasets.load_loans()
    print("The new policy:\n")
    print(loans.rules)
    print("\nChecked against 2,000 applications decided by the old one:\n")
    print(loans.rules.check(loans.X, loans.y))

    rules = loans.rules.resolve("priority", loans.X)
    past, future = slice(0, 1500), slice(1500, 2000)
    model = frote.default_pipeline(RandomForestClassifier(min_samples_leaf=5, random_state=0))
    before = model.fit(loans.X[past], loans.y[past])
    editor = frote.FROTE(model, rules, random_state=0, progress=True)
    editor.fit_resample(loans.X[past], loans.y[past])
    print("\nConflicts resolved by priority and the model edited on 1,500 applications; rows by what became of them:\n")
    print(editor.ledger_["status"].value_counts().to_string(header=False))
    print("\nOn 500 applications that it has not seen, before and after:\n")
    print(frote.score(before, loans.X[future], loans.y[future], rules))
    print(frote.score(editor.estimator_, loans.X[future], loans.y[future], rules))


if __name__ == "__main__":
    main()
