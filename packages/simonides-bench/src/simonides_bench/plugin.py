"""What this package adds to simonides: the verb `bench`."""

from simonides.plugins import Plugin, VerbModule

PLUGIN = Plugin(verbs=(VerbModule(name="bench", module="simonides_bench.verb"),))
