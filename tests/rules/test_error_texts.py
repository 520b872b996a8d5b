"""The words of the errors, kept in error_texts.txt for people to read.

After a change on purpose, `python tests/rules/test_error_texts.py` writes the file anew; then read what changed.
"""

from pathlib import Path

import pandas as pd
import pytest

from frote import FroteError, parse_rules

SNAPSHOT = Path(__file__).with_name("error_texts.txt")

FORM = {
    "no IF": "age < 29 THEN approved",
    "no IF in a second rule": "IF age < 29 THEN approved\nincome > 5 THEN denied",
    "no THEN": "IF age < 29 approved",
    "no THEN and nothing more": "IF age < 29 AND income > 5",
    "no condition": "IF THEN approved",
    "nothing after THEN": "IF age < 29 THEN",
    "nothing after AND": "IF age < 29 AND THEN approved",
    "no comparison": "IF age THEN approved",
    "a pattern without a text": "IF purpose LIKE THEN approved",
    "STARTS without WITH": "IF purpose STARTS 'c' THEN approved",
    "a keyword for a pattern": "IF purpose NOT CONTAINS in THEN approved",
    "a pattern that holds for everything": "IF purpose ENDS WITH '' THEN approved",
    "a pattern that ends in a backslash": "IF purpose LIKE '50\\' THEN approved",
    "a level and a number": "IF purpose BETWEEN 3 AND 'M' THEN approved",
    "a column with a blank": "IF marital status = 'single' THEN approved",
    "a column in quotes": "IF 'marital status' = single THEN approved",
    "the number first": "IF 18 < age THEN approved",
    "two numbers around a column": "IF 0.3 < dir <= 0.5 THEN approved",
    "two dates around a column, the later first": "IF '2024-02-01' > `opened on` >= '2024-01-01' THEN approved",
    "two numbers around a column behind OR": "IF rooms = 2 OR 18 < age < 65 THEN approved",
    "a value alone behind OR": "IF rooms = 2 OR 3 THEN approved",
    "a quoted value alone behind OR": "IF (status != 'not known' OR 'not asked') THEN approved",
    "a word alone behind OR": "IF purpose = car OR boat THEN approved",
    "a number first behind OR": "IF rooms = 2 OR 18 < age THEN approved",
    "a hyphen for AND within BETWEEN": "IF age BETWEEN 18 - 29 THEN approved",
    "a dash for AND within BETWEEN": "IF age BETWEEN 18 – 29 THEN approved",  # noqa: RUF001
    "missing as a value": "IF income = missing THEN denied",
    "two rules on one line": "young: IF age < 29 THEN approved the old: IF age > 65 THEN denied",
    "what holds otherwise": "IF age < 29 THEN approved ELSE denied",
    "a chain": "IF age > 18 < 65 THEN approved",
    "an operator the wrong way round": "IF age => 29 THEN approved",
    "another one": "IF age =< 29 THEN approved",
    "and another": "IF age =! 29 THEN approved",
    "two ampersands": "IF age < 29 && income > 5 THEN approved",
    "two bars": "IF age < 29 || income > 5 THEN approved",
    "a dash for a minus": "IF balance < –500 THEN denied",  # noqa: RUF001
    "a dash for a range": "IF age = 18–29 THEN approved",  # noqa: RUF001
    "a dash in a name": "IF marital—status = single THEN approved",
    "the target behind THEN": "IF age < 29 THEN decision = approved",
    "the target behind THEN, with a colon": "IF age < 29 THEN decision: 1",
    "bullets": "- IF age < 29 THEN approved\n* IF age > 65 THEN denied\n• IF age = 40 THEN denied",
    "numbers": "1. IF age < 29 THEN approved\n2) IF age > 65 THEN denied\nok: IF age = 40 THEN denied",
    "rows of a spreadsheet in quotes": '"IF age < 29 THEN approved"\n"old: IF purpose = ""car"" THEN denied"',
    "rows of a spreadsheet with tabs": "young\tIF age < 29 THEN approved\nold\tIF age > 65 THEN denied",
    "a bullet below a rule, and a mistake below": "IF age < 29 THEN yes\n- IF age > 65 THEN no\nIF age THEN x",
    "two operators": "IF age <> = 29 THEN approved",
    "a word after <": "IF age < 4x4 THEN approved",
    "missing after <": "IF age < null THEN approved",
    "brackets among sums": "IF 0.4 * (income - rent) > 500 THEN approved",
    "columns multiplied": "IF bill > share * limit THEN denied",
    "columns divided": "IF instalment / income > 0.4 THEN denied",
    "a factor for all": "IF income - rent IN {500} THEN denied",
    "months": "IF end >= start + 3 months THEN denied",
    "a number and a duration": "IF end >= start + 3 days + 5 THEN denied",
    "a duration alone": "IF start > 30 days THEN denied",
    "no column left": "IF income > 2 * income - income THEN denied",
    "one column left": "IF -2 * income > 3K + rent - rent THEN denied",
    "one column left, and a number without an end": "IF 3 * income > 1000 THEN denied",
    "a number with a unit": "IF weight > 80kg THEN approved",
    "a number with commas": "IF income > 150,000 THEN approved",
    "a number with a decimal comma": "IF rate >= 9,5 THEN approved",
    "a decimal comma within BETWEEN": "IF rate BETWEEN 9,5 AND 12 THEN approved",
    "a comma for AND within BETWEEN": "IF rate BETWEEN 9,12 THEN approved",
    "a decimal comma that thousands cannot have": "IF rate >= 0,125 THEN approved",
    "a number too large": "IF income > 1e999 THEN approved",
    "a percentage": "IF rate > 20% THEN approved",
    "arithmetic": "IF income / 12 > 1000 THEN approved",
    "an unclosed quote": "IF status = 'single THEN approved\nIF status = 'married' THEN denied",
    "an unclosed backtick": "IF `status = single THEN approved",
    "an unclosed bracket": "IF (age < 29 OR income > 5 THEN approved",
    "a bracket too many": "IF age < 29) THEN approved",
    "brackets too deep": "IF " + "(" * 61 + "age < 29" + ")" * 61 + " THEN approved",
    "an unclosed list": "IF purpose IN {car, education THEN approved",
    "a list with a text of two words": "IF job IN {cadre, profession libérale} THEN approved",
    "a list with a text that starts with a number": "IF home IN {2 rooms, house} THEN approved",
    "a list in square brackets": "IF purpose IN [car] THEN approved",
    "a list in round brackets": "IF purpose IN (car, education) THEN approved",
    "a date that does not exist": "IF since >= 2024-02-30 THEN approved",
    "a date with a time zone": "IF since >= '2024-02-01T12:00Z' THEN approved",
    "a date with slashes": "IF since >= 01/06/2023 THEN approved",
    "a date with slashes that can be read in one way": "IF since BETWEEN 2023-01-01 AND 12/31/2023 THEN approved",
    "a date with slashes, the year first": "IF since >= 2023/6/1 THEN approved",
    "a date with slashes, of two digits": "IF since >= 01/06/23 THEN approved",
    "a date with slashes in quotes": "IF since >= '01/06/2023' THEN approved",
    "a date with points": "IF since >= 31.1.2023 THEN approved",
    "a date without zeros": "IF since >= 2023-6-1 THEN approved",
    "a date and time with slashes in quotes": "IF since >= '31/01/2023 9:30' THEN approved",
    "null for missing": "IF age IS NULL THEN approved",
    "not null for missing": "IF age IS NOT NULL THEN approved",
    "no list after IN": "IF purpose IN car THEN approved",
    "no list after NOT IN": "IF purpose NOT IN 'car' THEN approved",
    "NOT without IN": "IF purpose NOT car THEN approved",
    "IS without MISSING": "IF age IS 29 THEN approved",
    "BETWEEN without AND": "IF age BETWEEN 18, 29 THEN approved",
    "BETWEEN the wrong way round": "IF age BETWEEN 29 AND 18 THEN approved",
    "BETWEEN a number and a date": "IF age BETWEEN 18 AND 2024-01-31 THEN approved",
    "a keyword as a value": "IF answer = not THEN approved",
    "a keyword as a column": "IF in = 3 THEN approved",
    "a keyword as a label": "IF age < 29 THEN missing",
    "a value of two words": "IF purpose = new car THEN approved",
    "a label of two words": "IF age < 29 THEN not so fast",
    "another label of two words": "IF age < 29 THEN approved soon",
    "two rules on a line": "IF age < 29 THEN approved IF age > 65 THEN denied",
    "junk before the first rule": "Our policy of Monday\n\nIF age < 29 THEN approved",
    "typographic quotes": "IF status = \u2018single\u2019 THEN approved",
    "an ampersand": "IF age < 29 & income > 5 THEN approved",
    "a bar": "IF age < 29 | income > 5 THEN approved",
    "an exclamation mark": "IF !(age < 29) THEN approved",
    "a semicolon": "IF age < 29 THEN approved;",
    "an odd character": "IF income > €5 THEN approved",
    "an empty distribution": "IF age < 29 THEN {}",
    "a distribution without probabilities": "IF age < 29 THEN {approved, denied}",
    "a probability above 1": "IF age < 29 THEN {approved: 1.2, denied: 0.1}",
    "probabilities that sum to 0.9": "IF age < 29 THEN {approved: 0.7, denied: 0.2}",
    "probabilities with decimal commas": "IF age < 29 THEN {approved: 0,7, denied: 0,3}",
    "a distribution with a label of two words": "IF age < 29 THEN {very good: 0.7, bad: 0.3}",
    "a label twice": "IF age < 29 THEN {approved: 0.5, approved: 0.5}",
    "a confidence above 1": "IF age < 29 THEN approved WITH CONFIDENCE 80",
    "a confidence with a decimal comma": "IF age < 29 THEN approved WITH CONFIDENCE 0,8",
    "no confidence": "IF age < 29 THEN approved WITH 0.8",
    "a confidence in words": "IF age < 29 THEN approved WITH CONFIDENCE high",
    "a name twice": "young: IF age < 29 THEN approved\nyoung: IF age < 25 THEN denied",
    "a name twice, one of them in pieces": "n: IF a = 1 OR b = 1 THEN x\nn: IF c = 1 THEN x",
    "pieces with unlike outcomes": "24/7: IF age < 29 THEN approved\n24/8: IF age > 65 THEN denied",
    "a name that cannot be": "' young': IF age < 29 THEN approved",
    "never true": "IF NOT TRUE THEN approved",
    "too many pieces": "many: IF " + " AND ".join(f"(a{i} = 1 OR b{i} = 1)" for i in range(20)) + " THEN approved",
    "two errors at once": "IF age << 29 THEN approved\n\nok: IF age > 65 THEN denied\nlast:\n  IF age THEN denied",
}

FRAME = pd.DataFrame(
    {
        "age": [25, 40],
        "income": [1.5, 2.5],
        "purpose": ["car", "education"],
        "owner": [True, False],
        "since": pd.to_datetime(["2024-01-31", "2024-02-01"]),
        "since2": pd.to_datetime(["2024-01-31", "2024-02-01"]),
    }
)
CLASSES = ["approved", "denied"]
FIT = {
    "an unknown column with a near name": "IF agee < 29 THEN approved",
    "an unknown column without": "IF zzz < 29 THEN approved",
    "an unknown column in a rule of pieces": "young: IF agee < 29 OR income > 5 THEN approved",
    "an order on categories": "IF age < 29 AND purpose > 3 THEN approved",
    "a level in an order on categories": "IF age < 29 AND purpose > 'car' THEN approved",
    "a pattern on numbers": "IF age STARTS WITH 2 THEN approved",
    "a level below which a number column has nothing": "IF age < 'M' THEN approved",
    "an order on true and false": "IF owner >= 1 THEN approved",
    "a word against a number": "IF age = young THEN approved",
    "null against a number": "IF age = NULL THEN approved",
    "an empty text against a date": "IF since != '' THEN approved",
    "a word against a number, denied": "IF NOT (age = young OR age > 3) THEN approved",
    "a date against a number": "IF age < 2024-01-31 THEN approved",
    "a number against a date": "IF since > 2024 THEN approved",
    "a word against a date": "IF since = '31.1.2024' THEN approved",
    "a date that is none against a date": "IF since = '01/06/2023' THEN approved",
    "a strange word for true or false": "IF owner = maybe THEN approved",
    "a word that is no column after <": "IF age < old THEN approved",
    "a hyphen between columns": "IF age-income > 3 THEN approved",
    "a category compared with a column": "IF age > 2 * purpose THEN approved",
    "a date compared with a number": "IF since > age THEN approved",
    "numbers compared with a duration": "IF age > income + 3 days THEN approved",
    "dates added": "IF since + since2 > 3 days THEN approved",
    "a duration without its unit": "IF since > since2 + 30 THEN approved",
    "a label that is no class": "IF age < 29 THEN aproved",
    "a label of a distribution that is no class": "IF age < 29 THEN {approved: 0.5, other: 0.5}",
    "all at once": "a: IF agee < 29 AND purpose < 3 THEN aproved\nb: IF owner = 2 THEN denied",
}
DATES = pd.DataFrame(
    {
        "seen": ["02/08/2022", "31/12/2022", "unknown"],
        "paid": ["1.2.2022", "2.1.2022", "12.12.2022"],
        "sent": ["02/8/2022", "2/08/2022", "31/12/2022"],
    }
)
FIT_DATES = {
    "an order on dates as texts": "IF seen >= 2022-06-01 THEN approved",
    "an order on dates as texts that can be read in two ways": "IF paid >= 2022-06-01 THEN approved",
    "an order on dates as texts that are not alike": "IF sent >= 2022-06-01 THEN approved",
    "a date against dates as texts": "IF seen != 2022-12-31 THEN approved",
}


def message_of(call):
    with pytest.raises(FroteError) as caught:
        call()
    return f"{type(caught.value).__name__}: {caught.value}"


def cases():
    """Yield the title, the bad text and the whole message of each case."""
    for title, text in FORM.items():
        yield title, text, message_of(lambda text=text: parse_rules(text))
    for title, text in FIT.items():
        yield title, text, message_of(lambda text=text: parse_rules(text).bind(FRAME, CLASSES))
    for title, text in FIT_DATES.items():
        yield title, text, message_of(lambda text=text: parse_rules(text).bind(DATES, CLASSES))
    text = "IF age < 29 THEN 1"
    yield "two classes of one text", text, message_of(lambda: parse_rules(text).bind(FRAME, [1, "1"]))
    sure = "IF age < 29 THEN approved WITH CONFIDENCE 0.8"
    yield "a confidence with one class", sure, message_of(lambda: parse_rules(sure).bind(FRAME, ["approved"]))


def snapshot():
    return "\n".join(f"=== {title}\n{text}\n---\n{message}\n" for title, text, message in cases())


def test_error_texts_are_as_they_were_read():
    assert snapshot() == SNAPSHOT.read_text("utf-8")


def test_there_are_many_kinds():
    assert len(FORM) + len(FIT) >= 25


def test_every_error_of_form_has_a_place_and_a_caret():
    for _, text, message in cases():
        if message.startswith("RuleSyntaxError"):
            assert ": line " in message or "\nline " in message
            shown, carets = message.splitlines()[-2:]
            assert set(carets) <= set(" ^.")
            assert shown.removeprefix("  ") in text or "..." in shown


if __name__ == "__main__":
    SNAPSHOT.write_text(snapshot(), "utf-8")
