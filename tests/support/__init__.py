"""What tests share."""

from memtui_core.system.startup.numeric import import_numpy

# As in memtui, without threads, before anything else imports it: on a busy machine they wait for each other.
import_numpy()
