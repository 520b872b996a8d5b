"""Boolean rules that explain labels or a model: column generation over conjunctions of simple conditions."""
