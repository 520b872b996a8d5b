"""Check the embedded new lending policy against the embedded loan applications."""

from __future__ import annotations

from frote.datasets import load_loans


def main() -> None:
    loans = load_loans()
    print(loans.rules)
    print()
    print(loans.rules.check(loans.X, loans.y))


if __name__ == "__main__":
    main()
