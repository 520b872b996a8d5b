"""Rule sets: ordered, immutable collections of rules, with the questions that people ask of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, overload

from frote.exceptions import RuleError, nearest
from frote.layout import Column, as_sentence, as_shown, as_table
from frote.rules.rule import Rule
from frote.rules.text import shortened

if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike

    import numpy as np
    from numpy.typing import NDArray

    from frote.coverage.check import RuleCheck
    from frote.coverage.policies import PolicyDifference
    from frote.rules.conflicts import Conflict

__all__ = ["FreeNames", "RuleSet"]

MOST_SHOWN = 30  # rules in a repr


class FreeNames:
    """Names for rules that were given none: `rule 3`, or the next number that is free.

    Parameters
    ----------
    taken : set of str
        The names that others have; what is given is added to them.

    stem : str, default="rule"
        What stands before the number.

    Examples
    --------
    >>> names = FreeNames({"rule 2"})
    >>> names.give(2), names.give(2)
    ('rule 3', 'rule 4')
    """

    def __init__(self, taken: set[str], stem: str = "rule") -> None:
        self.taken = taken
        self.stem = stem
        self._after: dict[int, int] = {}  # where to look next, from numbers found taken: no stretch is gone over twice

    def give(self, number: int) -> str:
        """Return the name of this number, or of the next that is free, and take it."""
        passed = []
        while (name := f"{self.stem} {number}") in self.taken:
            passed.append(number)
            number = self._after.get(number, number + 1)
        self._after.update(dict.fromkeys(passed, number))
        self.taken.add(name)
        return name


class RuleSet(Sequence[Rule]):
    """An ordered collection of rules, each with a name of its own. It never changes: methods return new ones.

    Parameters
    ----------
    rules : iterable of Rule, default=()
        The rules. Those that are pieces of one rule (that share their origin) share their outcome.

    Examples
    --------
    >>> import frote
    >>> rules = frote.parse_rules("IF age < 29 OR income > 150K THEN approved")
    >>> rules.names
    ('rule 1/1', 'rule 1/2')
    >>> rules.origins
    ('rule 1',)
    >>> print(rules["rule 1/2"].clause)
    (age >= 29 OR age IS MISSING) AND income > 150000
    """

    __slots__ = ("_by_name", "_by_origin", "_rules")
    _rules: tuple[Rule, ...]
    _by_name: dict[str, Rule]
    _by_origin: dict[str, list[Rule]]

    def __init__(self, rules: Iterable[Rule] = ()) -> None:
        names: dict[str, Rule] = {}
        origins: dict[str, list[Rule]] = {}
        object.__setattr__(self, "_rules", tuple(rules))
        object.__setattr__(self, "_by_name", names)
        object.__setattr__(self, "_by_origin", origins)
        for rule in self._rules:
            if not isinstance(rule, Rule):
                raise RuleError(f"A rule set holds rules, not {type(rule).__name__}. Put rule sets together with +.")
            if rule.name in names:
                raise RuleError(f"Two rules are named {rule.name!r}. Give each rule a name of its own.")
            names[rule.name] = rule
            pieces = origins.setdefault(rule.origin, [])
            pieces.append(rule)
            first = pieces[0]
            if first.outcome is not rule.outcome and first.outcome != rule.outcome:
                raise RuleError(
                    f"{first.name!r} and {rule.name!r} are pieces of one rule, {rule.origin!r}, with unlike outcomes."
                )

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"A rule set never changes; {name!r} cannot be set. Make a new one.")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"A rule set never changes; {name!r} cannot be deleted. Make a new one.")

    def __reduce__(self) -> tuple[type[RuleSet], tuple[tuple[Rule, ...]]]:
        return RuleSet, (self._rules,)

    @property
    def names(self) -> tuple[str, ...]:
        """The rules' names, in order."""
        return tuple(self._by_name)

    @property
    def origins(self) -> tuple[str, ...]:
        """The names of the rules as they were written, before any was split into pieces."""
        return tuple(self._by_origin)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that the rules name, in order of appearance."""
        return tuple(dict.fromkeys(name for rule in self._rules for name in rule.clause.columns))

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels that the rules name, in order of appearance."""
        return tuple(dict.fromkeys(label for rule in self._rules for label in rule.outcome.labels))

    def pieces(self, origin: str) -> tuple[Rule, ...]:
        """Return the rules that share an origin."""
        return tuple(self._by_origin.get(origin, ()))

    def __len__(self) -> int:
        return len(self._rules)

    def __iter__(self) -> Iterator[Rule]:
        return iter(self._rules)

    @overload
    def __getitem__(self, key: int | str) -> Rule: ...
    @overload
    def __getitem__(self, key: slice) -> RuleSet: ...
    def __getitem__(self, key: int | str | slice) -> Rule | RuleSet:
        if isinstance(key, slice):
            return RuleSet(self._rules[key])
        if not isinstance(key, str):
            return self._rules[key]
        if key in self._by_name:
            return self._by_name[key]
        raise KeyError(f"No rule is named {key!r}. {nearest(key, self.names)}")

    def __add__(self, other: RuleSet) -> RuleSet:
        """Put two rule sets together; rules of the second that were never named are numbered on."""
        if not isinstance(other, RuleSet):
            return NotImplemented
        taken = {*self.names, *self.origins}
        unnamed = FreeNames(taken)
        renamed: dict[str, str] = {}
        for number, origin in enumerate(other.origins, len(self.origins) + 1):
            clash = {origin, *(rule.name for rule in other.pieces(origin))} & taken
            renamed[origin] = unnamed.give(number) if clash and re.fullmatch("rule [0-9]+", origin) else origin
            taken.add(renamed[origin])
        added = (
            Rule(
                renamed[rule.origin] + rule.name[len(rule.origin) :]
                if renamed[rule.origin] != rule.origin
                else rule.name,
                rule.clause,
                rule.outcome,
                renamed[rule.origin],
                rule.sources,
                rule.line,
                rule.dotted,
                rule.unasked_gaps,
                rule.remarks,
                rule.decided,
            )
            for rule in other
        )
        return RuleSet((*self._rules, *added))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RuleSet):
            return NotImplemented
        return self._rules == other._rules

    def __hash__(self) -> int:
        return hash(self._rules)

    def __str__(self) -> str:
        return "\n".join(map(str, self._rules))

    def __repr__(self) -> str:
        shown = [f"<RuleSet of {len(self)}>", *(shortened(str(rule)) for rule in self._rules[:MOST_SHOWN])]
        more = len(self) - MOST_SHOWN
        return "\n".join([*shown, f"... and {more:,} more"] if more > 0 else shown)

    def _repr_html_(self) -> str:
        if not self._rules:
            return as_shown(as_sentence("No rules."))
        columns = [
            Column("rule", self.names),
            Column("IF", [str(rule.clause) for rule in self._rules]),
            Column("THEN", [str(rule.outcome) for rule in self._rules]),
        ]
        return as_shown(as_table(columns))

    def save(self, path: str | PathLike[str]) -> None:
        """Write the rules to a file, in the form that its name says.

        Parameters
        ----------
        path : str or path
            Where to write: JSON (.json), a decision table (.xlsx, .csv), DMN (.dmn) or another form that others keep
            policies in; rule text otherwise. `frote.read_rules` reads it back.

        Raises
        ------
        RuleError
            If the form cannot say what some rule says.
        """
        from frote.rules.files import save_rules

        save_rules(self, path)

    def to_sql(self, dialect: str = "duckdb", schema: Any = None, *, where: bool = False) -> str:
        """Return the rules as SQL, to be run where the data are: a CASE, or the condition to be covered.

        Parameters
        ----------
        dialect : {"duckdb", "postgres", "snowflake", "spark", "bigquery"}, default="duckdb"
            Whose SQL to write.

        schema : Schema, Table or frame, default=None
            The columns that the rules speak of: then values are written by the types of their columns, what is asked
            of an order of levels as a list of them, and sums of columns so that they are added up as rules do it.

        where : bool, default=False
            Whether to write the condition that some rule covers a row, as it stands behind WHERE, and not the CASE.

        Returns
        -------
        str
            A CASE gives the label of the first rule that covers a row, and NULL where none does.

        Raises
        ------
        RuleError
            If SQL cannot say what some rule says, such as a distribution.

        Examples
        --------
        >>> import frote
        >>> rules = frote.parse_rules("young: IF age < 29 AND purpose != car THEN approved")
        >>> print(rules.to_sql())
        CASE
          WHEN age < 29 AND purpose <> 'car' THEN 'approved' -- rule: young
        END
        >>> print(rules.to_sql("snowflake", where=True))
        age < 29 AND purpose <> 'car'
        """
        from frote.exchange.warehouse import sql_of

        return sql_of(self, dialect, schema, where=where)

    def bind(self, schema: Any, classes: Iterable[Any] | None = None) -> RuleSet:
        """Settle what the rules mean for a table: check columns, values and labels, and drop impossible pieces.

        Parameters
        ----------
        schema : Schema, Table or frame
            The columns to bind to.

        classes : iterable, default=None
            The classes that labels must be among.

        Returns
        -------
        RuleSet
            Equal in meaning on that table.

        Raises
        ------
        BindingError
            With everything that does not fit.

        Examples
        --------
        >>> import frote, pandas as pd
        >>> rules = frote.parse_rules("IF agee < 29 THEN approved")
        >>> rules.bind(pd.DataFrame({"age": [25, 40]}))
        Traceback (most recent call last):
            ...
        frote.exceptions.BindingError: line 1, rule 'rule 1': the data have no column 'agee'. Did you mean 'age'?
          agee < 29
          ^^^^
        """
        from frote.rules.binding import bind

        return bind(self, schema, classes)

    def conflicts(self, schema: Any = None) -> list[Conflict]:
        """Find every pair of rules that overlap and send the overlap to different outcomes.

        Parameters
        ----------
        schema : Schema, Table or frame, also of Dask, default=None
            The columns that the rules speak of; with data, the rows in each overlap are counted.
            Without it, columns that are compared with numbers are continuous.

        Returns
        -------
        list of Conflict

        Examples
        --------
        >>> import frote
        >>> rules = frote.parse_rules('''
        ...     young: IF age < 29 THEN approved
        ...     poor: IF income < 10K THEN denied
        ... ''')
        >>> print(rules.conflicts()[0])
        young (approved) and poor (denied) conflict where age < 29 AND income < 10000, for example age=0, income=0
        """
        from frote.dask.frames import is_lazy
        from frote.rules.conflicts import find_conflicts

        if is_lazy(schema):
            from frote.dask.checking import conflicts_lazily

            return conflicts_lazily(self, schema)
        return find_conflicts(self, schema)

    def resolve(
        self,
        how: str,
        schema: Any = None,
        *,
        classes: Iterable[Any] | None = None,
        weights: Mapping[str, float] | Sequence[float] | None = None,
    ) -> RuleSet:
        """Return rules without conflicts, decided on all rules at once.

        Parameters
        ----------
        how : {"exclude", "mix", "priority"}
            ``"exclude"`` takes an overlap out of all rules that conflict there; ``"mix"`` makes a rule for it with the
            mean of their outcomes; ``"priority"`` leaves it to the first of them.

        schema : Schema, Table or frame, default=None
            The columns that the rules speak of; see the notes.

        classes : iterable, default=None
            All the classes; ``"mix"`` needs them where an outcome has a confidence.

        weights : mapping of names to numbers, or sequence of numbers, default=None
            How much each rule counts in ``"mix"``; 1 each by default.

        Returns
        -------
        RuleSet

        Notes
        -----
        What is resolved with a schema is for tables of its types. On columns whose types have no missing values, as
        ``int64`` and ``bool`` have none, nothing is said of missing ones. Where a table of other types has one there
        all the same, no condition on it holds, though the rules as written may cover that row.

        Examples
        --------
        >>> import frote, pandas as pd
        >>> rules = frote.parse_rules('''
        ...     young: IF age < 29 THEN approved
        ...     poor: IF income < 10K THEN denied
        ... ''')
        >>> print(rules.resolve("mix"))
        young: IF age < 29 AND (income >= 10000 OR income IS MISSING) THEN approved
        poor: IF income < 10000 AND (age >= 29 OR age IS MISSING) THEN denied
        young + poor: IF age < 29 AND income < 10000 THEN {approved: 0.5, denied: 0.5}
        >>> print(rules.resolve("priority", pd.DataFrame({"age": [25, 40], "income": [9000, 20000]})))
        young: IF age < 29 THEN approved
        poor: IF income < 10000 AND age >= 29 THEN denied
        """
        from frote.generation.possible import tell_uncovering
        from frote.rules.conflicts import resolve
        from frote.table import Schema, Table

        resolved = resolve(self, how, schema, classes=classes, weights=weights)
        if schema is not None and not isinstance(schema, Schema):
            tell_uncovering(self, Table.from_frame(schema))
        return resolved

    def disjoint(self, schema: Any = None) -> RuleSet:
        """Return rules that mean the same and no two of which overlap: the paper's merging of rules that agree.

        An overlap of rules with equal outcomes goes to the first of them, as rows do when they are counted: every row
        is sent to the same outcome as before, by the same rule, and now by that rule alone. A rule that earlier ones
        cover wholly is left out.

        Parameters
        ----------
        schema : Schema, Table or frame, default=None
            The columns that the rules speak of; what is said of missing values goes by their types, as in `resolve`.

        Returns
        -------
        RuleSet

        Raises
        ------
        ConflictError
            If rules with unlike outcomes overlap; see `resolve`.

        Examples
        --------
        >>> import frote
        >>> rules = frote.parse_rules('''
        ...     young: IF age < 29 THEN approved
        ...     rich: IF income > 150K THEN approved
        ... ''')
        >>> print(rules.disjoint())
        young: IF age < 29 THEN approved
        rich: IF income > 150000 AND (age >= 29 OR age IS MISSING) THEN approved
        """
        from frote.rules.conflicts import disjoint

        return disjoint(self, schema)

    def diff(self, other: RuleSet, schema: Any = None, y: Any = None) -> PolicyDifference:
        """Tell which possible rows another policy answers otherwise than this one, exactly, as disjoint regions.

        A policy answers a row with the outcome of the rules that cover it, with none, or, where they want different
        things, with a conflict. Names, texts and the order of rules count for nothing; rules that say the same under
        another name are listed.

        Parameters
        ----------
        other : RuleSet
            The new policy; this one is the old one.

        schema : Schema, Table or frame, default=None
            The columns that the rules speak of; with data, the rows in each region are counted.
            Without it, columns that are compared with numbers are continuous.

        y : array-like, default=None
            The labels of the data, to be counted too.

        Returns
        -------
        PolicyDifference
            Prints as a page; its ``equal`` tells whether the policies mean the same.

        Notes
        -----
        Policies are for rows to come. So data settle the kinds of columns (there is nothing between 28 and 29 in one
        of whole numbers) and are counted; but a category that they lack, or a missing value where they have none, is
        possible, and what is answered otherwise there is told.

        Examples
        --------
        >>> import frote
        >>> old = frote.parse_rules("young: IF age < 29 THEN approved")
        >>> new = frote.parse_rules("young: IF age < 31 AND debts = 0 THEN approved")
        >>> print(old.diff(new))
        2 regions are answered otherwise: 1 newly covered, 0 with another answer, 1 no longer covered.
        <BLANKLINE>
        newly covered where age >= 29 AND age < 31 AND debts = 0, for example age=29, debts=0
          was: no rule
          now: approved (young)
        <BLANKLINE>
        no longer covered where age < 29 AND (debts != 0 OR debts IS MISSING), for example age=0, debts=-1
          was: approved (young)
          now: no rule
        """
        from frote.coverage.policies import diff_rules

        return diff_rules(self, other, schema, y)

    def coverage(self, X: Any) -> NDArray[np.bool_]:
        """Return which rows each rule covers.

        Parameters
        ----------
        X : pandas, polars or Dask DataFrame, NumPy array, or Table
            The rows.

        Returns
        -------
        ndarray of bool, shape (rows, rules)
            Of a Dask frame a lazy array.

        Examples
        --------
        >>> import frote, pandas as pd
        >>> rules = frote.parse_rules("IF age < 29 THEN approved")
        >>> rules.coverage(pd.DataFrame({"age": [25, 40]}))
        array([[ True],
               [False]])
        """
        from frote.coverage.matrix import cover
        from frote.dask.frames import is_lazy

        if is_lazy(X):
            from frote.dask.checking import coverage_lazily

            lazy: NDArray[np.bool_] = coverage_lazily(self, X)
            return lazy
        return cover(self, X).T

    def check(
        self, X: Any, y: Any = None, model: Any = None, *, levels: Mapping[str, Iterable[Any]] | None = None
    ) -> RuleCheck:
        """Tell what the rules cover, whom they contradict, and what is wrong with them, in one table.

        Parameters
        ----------
        X : pandas, polars or Dask DataFrame, NumPy array, or Table
            The rows.

        y : array-like, default=None
            Their labels.

        model : classifier, default=None
            A fitted model whose predictions are compared with the rules.

        levels : mapping of str to iterable, default=None
            Levels that columns may have though no row has them, as for `FROTE`.

        Returns
        -------
        RuleCheck
            Prints as a table; its ``frame`` holds it as a DataFrame, its ``advice`` what it means in words.

        Examples
        --------
        >>> import frote, pandas as pd
        >>> rules = frote.parse_rules("young: IF age < 29 THEN approved")
        >>> check = rules.check(pd.DataFrame({"age": [25, 40]}), ["denied", "approved"])
        >>> check.frame.loc["young", ["rows", "share", "agreement"]].tolist()
        [1.0, 0.5, 0.0]
        """
        from frote.coverage.check import check_rules
        from frote.dask.frames import is_lazy

        if is_lazy(X):
            from frote.dask.checking import check_lazily

            return check_lazily(self, X, y, model, levels)
        return check_rules(self, X, y, model, levels)
