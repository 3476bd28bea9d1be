# SPDX-License-Identifier: LGPL-2.1-or-later
# The passes of ./check that PASSES names, in the order in which they start. As targets
# of one make they share its jobs: while one pass runs configure or has only a few tests
# left, another one compiles or runs its tests. A pass that fails is no error here.
all: $(PASSES)

# Only lint needs no configure.
$(filter-out lint, $(PASSES)): prepare

# These use the build of main. Without main it may be out of date: one after the other.
ifneq ($(filter main, $(PASSES)),)
$(filter release quickstart bench doc, $(PASSES)): main
else
quickstart: $(filter release, $(PASSES))
bench: $(filter release quickstart, $(PASSES))
doc: $(filter release quickstart bench, $(PASSES))
endif

$(PASSES) prepare:
	+@./check $(CHECK_OPTIONS) --one=$@

.PHONY: all prepare $(PASSES)
