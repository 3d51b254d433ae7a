"""Makes cases for a census: one call for each public function (docs/census.md)."""
