"""The campaigns: each a module with cases and their judge."""

from __future__ import annotations

from campaigns.attacks import (
    disks,
    documents,
    estimators,
    files,
    kills,
    large_rule_texts,
    memory,
    model_files,
    rule_texts,
    tables,
    two_processes,
)

__all__ = ["CAMPAIGNS"]

CAMPAIGNS = (
    rule_texts.CAMPAIGN,
    *large_rule_texts.CAMPAIGNS,
    documents.CAMPAIGN,
    tables.CAMPAIGN,
    files.CAMPAIGN,
    estimators.CAMPAIGN,
    kills.CAMPAIGN,
    disks.CAMPAIGN,
    two_processes.CAMPAIGN,
    memory.CAMPAIGN,
    model_files.CAMPAIGN,
)
