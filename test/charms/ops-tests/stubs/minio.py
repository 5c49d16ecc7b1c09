"""A name that the tests import and only those of tracing use, which need a cluster of other charms."""
