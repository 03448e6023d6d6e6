# cotree's one front door. `make help` lists the targets.
LLVM ?= 19
PREFIX ?= /usr/local
DESTDIR ?=
KIND ?= frames
B := build
VERSION := 0.1.0

ifneq ($(shell uname -sm) $(firstword $(shell getconf GNU_LIBC_VERSION 2>/dev/null)),Linux x86_64 glibc)
$(error cotree needs x86-64 Linux with glibc; this is $(shell uname -sm))
endif

LLVM_CONFIG ?= llvm-config-$(LLVM)
CLANG ?= clang-$(LLVM)
CC := $(CLANG)
CXX := clang++-$(LLVM)
AR := llvm-ar-$(LLVM)

ifneq ($(filter-out deps demo check check-programs check-builds check-crash check-weave stress bench papers help clean uninstall,$(or $(MAKECMDGOALS),all)),)
ifeq ($(shell command -v $(LLVM_CONFIG)),)
$(error $(LLVM_CONFIG) is missing: `make deps` installs what is needed)
endif
endif

WARN := -Wall -Wextra -Werror -Wshadow -Wno-missing-field-initializers
CFLAGS ?= -O2 -g
override CFLAGS += -std=gnu17 -fPIC -fvisibility=hidden $(WARN) -Isrc -D_GNU_SOURCE \
	-DCOTREE_VERSION='"$(VERSION)"' -DCOTREE_LLVM='"$(LLVM)"' $(SANITIZE)
# The runtime lives inside other people's programs: no stack protector, no sanitizer, nothing that
# calls back. Stacks are walked through its own frames, too, so they are described (-ffreestanding
# would leave that out).
RTFLAGS := -std=gnu17 -Oz -fvisibility=hidden $(WARN) -Isrc -D_GNU_SOURCE -fno-stack-protector -fno-builtin-malloc \
	-ffreestanding -fasynchronous-unwind-tables -fno-omit-frame-pointer -ffunction-sections -DCOTREE_VERSION='"$(VERSION)"'
# The C++ demangler comes from the archive: src/decode/lines/demangle.c says why.
LDLIBS := -ldw -lelf -lzstd -lm -l:libstdc++.a

# Every file of a kind below some folders, in the order of their names: rooms have rooms inside.
below = $(sort $(foreach entry,$(wildcard $(addsuffix /*,$(1))),$(call below,$(entry),$(2)) $(filter %$(2),$(entry))))
CORE_SRC := $(call below,src/base src/graph src/plan src/format,.c)
# The page of --format=html is kept as files and embedded.
PAGE := $(B)/gen/html_page.c
LIB_SRC := $(CORE_SRC) $(call below,src/decode src/follow src/report src/run src/weave,.c) $(PAGE)
CLI_SRC := $(call below,src/cli,.c)
PLUGIN_C := $(call below,src/instrument,.c)
PLUGIN_CXX := $(call below,src/instrument,.cpp)
# The runtime is compiled to be small; but for these files, which jumps and exceptions pass: there,
# functions that are rare say so (minsize).
RUNTIME_FAST := $(patsubst %,src/runtime/%.c,file/frame_counts frames/chains frames/frames frames/jumps frames/links frames/throws frames/unwind trace/%)
TRACE_SRC := $(filter-out src/runtime/trace/sleeper.c,$(call below,src/runtime/trace,.c))
RUNTIME_SRC := $(filter-out src/runtime/trace/%,$(call below,src/runtime,.c))
UNIT_SRC := $(wildcard tests/unit/*.c)
FUZZ_SRC := $(wildcard fuzz/*.c)
BRUTE_FORCED := $(call below,src/base src/graph src/plan,.c)
FUZZ ?= $(B)/fuzz
FUZZ_BIN := $(patsubst fuzz/%.c,$(FUZZ)/%,$(FUZZ_SRC))

obj = $(patsubst %,$(B)/obj/%.o,$(1))
RTDIR := $(B)/lib/cotree
RUNTIMES := $(addprefix $(RTDIR)/,runtime-exec.o runtime-exec.a runtime-static.o runtime-shared.o runtime-shared.a \
	trace-exec.a trace-none.a trace-static.a trace-shared.a)
EXPECT_SRC := $(call below,src/expect,.c)
EXPECTS := $(RTDIR)/expect.so $(RTDIR)/expect-static.o
STEM := $(RTDIR)/stem.so
PLUGIN := $(RTDIR)/plugin.so
MAN := $(patsubst docs/%.scd,$(B)/man/%,$(wildcard docs/*.scd))

.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: all asan demo check check-programs check-builds check-crash check-weave stress bench papers install uninstall format fuzz deps man help clean
all: $(B)/cotree $(B)/cotree-cc $(B)/cotree-c++ $(PLUGIN) $(RTDIR)/lto.so $(RUNTIMES) $(EXPECTS) $(STEM) $(RTDIR)/sleeper $(RTDIR)/cotree-ld $(B)/include/cotree.h

$(B)/obj/%.c.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -MMD -MP -c $< -o $@
$(B)/obj/src/instrument/%.c.o: override CFLAGS += -isystem $(shell $(LLVM_CONFIG) --includedir 2>/dev/null)
# Nearly all that the C++ files cost is reading LLVM's headers: those that any of them includes are
# read once.
PLUGIN_CXX_OBJ := $(call obj,$(PLUGIN_CXX))
PLUGIN_CXXFLAGS = $(filter-out -Isrc,$(shell $(LLVM_CONFIG) --cxxflags)) -fno-exceptions -O2 -g -fPIC \
	-fvisibility=hidden -Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers -Werror \
	-isystem $(shell $(LLVM_CONFIG) --includedir) -Isrc -DCOTREE_VERSION='"$(VERSION)"'
LLVM_HEADERS := $(B)/obj/llvm_headers.hpp
$(LLVM_HEADERS): $(PLUGIN_CXX) $(call below,src/instrument,.hpp)
	@mkdir -p $(@D)
	@awk '/^#include "llvm\// && !seen[$$2]++ { print "#if __has_include(" $$2 ")\n" $$0 "\n#endif" }' $^ >$@.new
	@cmp -s $@.new $@ || cp $@.new $@
$(LLVM_HEADERS).pch: $(LLVM_HEADERS)
	$(CXX) $(PLUGIN_CXXFLAGS) -fpch-instantiate-templates -MD -MP -MF $(@:.pch=.d) -MT $@ -x c++-header $< -o $@
$(B)/obj/src/instrument/%.cpp.o: src/instrument/%.cpp $(LLVM_HEADERS).pch
	@mkdir -p $(@D)
	$(CXX) $(PLUGIN_CXXFLAGS) -include-pch $(LLVM_HEADERS).pch -MMD -MP -c $< -o $@

PAGE_JS := $(patsubst %,src/report/html/%.js,elements index table overview diff source layout function paths crash page)
$(B)/gen/page.js: $(PAGE_JS)
	@mkdir -p $(@D)
	cat $^ >$@
$(PAGE): tools/embed src/report/html/page.html src/report/html/page.css $(B)/gen/page.js
	$^ >$@

$(B)/libcotree.a: $(call obj,$(LIB_SRC))
	@rm -f $@
	$(AR) rcs $@ $^

$(B)/cotree: $(call obj,$(CLI_SRC)) $(B)/obj/plugin_hash.o $(B)/libcotree.a
	$(CC) $(SANITIZE) $^ $(LDLIBS) -o $@
# cotree carries the hash of its plugin, so that whoever knows a compiler by its own file (ccache
# cotree-cc) sees a new one.
$(B)/obj/plugin_hash.o: $(PLUGIN)
	@mkdir -p $(@D)
	echo "const char cotree_plugin_hash[] = \"$$(sha256sum <$< | cut -c1-16)\";" | $(CC) $(SANITIZE) -x c -c - -o $@
$(B)/cotree-cc $(B)/cotree-c++: $(B)/cotree
	ln -sf cotree $@

# The linker of -fcotree-carry is cotree itself.
$(RTDIR)/cotree-ld: $(B)/cotree
	@mkdir -p $(@D)
	ln -sf ../../cotree $@

# A plugin resolves LLVM from the clang that loads it; it links nothing of LLVM itself.
$(RTDIR)/plugin.so: $(call obj,$(CORE_SRC) $(PLUGIN_C)) $(PLUGIN_CXX_OBJ)
	@mkdir -p $(@D)
	$(CXX) -shared -Wl,-z,nodelete $^ -lzstd -lm -o $@

# What linkers load (-flto): the plugin, and LLVM's library in front of it, whose symbols GNU ld and
# gold show to nobody. They take it for a plugin of theirs, which asks for nothing.
$(RTDIR)/lto.so: $(RTDIR)/plugin.so
	echo 'int onload(void *words) { (void)words; return 0; }' | $(CC) -shared -fPIC -nostdlib -x c - -Wl,--no-as-needed -Wl,-z,nodelete \
		-Wl,-rpath,'$$ORIGIN' -L$(@D) -l:plugin.so $(shell $(LLVM_CONFIG) --ldflags) $(shell $(LLVM_CONFIG) --libs --link-shared) -o $@

# One relocatable object per way of linking: an executable, a static executable, a shared library.
# Its files are compiled as one, and what nothing outside refers to is theirs alone: functions that
# are called once need no entry in tables. Outside are the C library and the program (names of
# theirs), the compiler's calls (format/counters.h), the trace, the functions of cotree.h, and tests
# of walks.
# (bitcode, objects that refer to it, output)
define runtime_link
	llvm-link-$(LLVM) $(1) -o $(3).bc
	@! llvm-dis-$(LLVM) <$(3).bc | grep -E '^@llvm(.compiler)?.used = .*@[a-z_]+[.][0-9]+[],]' # assembly refers to functions by these names
	@{ llvm-nm-$(LLVM) -j --extern-only --defined-only $(3).bc | grep -vE '^cotree_' | cat; \
		llvm-nm-$(LLVM) -j --defined-only $(3).bc | grep -E '^cotree_(own_|mem|runtime_|attach|delta|part_|is_in_parts|exception_|unseen_|cursor_|unwind$$|has_landing_pad|pic_module$$)'; \
		nm -u $(2) | sed -n 's/^ *[Uw] //p'; echo cotree_trace_hooks; } | sort -u >$(3).names
	opt-$(LLVM) -passes=internalize -internalize-public-api-file=$(3).names $(3).bc -o $(3).whole.bc
	$(CC) -Oz -ffunction-sections $(filter -f%,$(4)) -x ir -c $(3).whole.bc -o $(3)
endef
define runtime_rule
$(B)/obj/runtime-$(1)/%.c.o: src/runtime/%.c
	@mkdir -p $$(@D)
	$$(CC) $$(RTFLAGS) $(2) $$(if $$(filter $(RUNTIME_FAST),$$<),-O2) -MMD -MP -c $$< -o $$@
$(B)/obj/runtime-$(1)/%.c.bc: src/runtime/%.c
	@mkdir -p $$(@D)
	$$(CC) $$(RTFLAGS) $(2) $$(if $$(filter $(RUNTIME_FAST),$$<),-O2) -MMD -MP -MF $$@.d -emit-llvm -c $$< -o $$@
$(RTDIR)/runtime-$(1).o: $(patsubst src/runtime/%,$(B)/obj/runtime-$(1)/%.bc,$(RUNTIME_SRC)) \
		$(patsubst src/runtime/%,$(B)/obj/runtime-$(1)/%.o,$(TRACE_SRC))
	@mkdir -p $$(@D)
	$$(call runtime_link,$$(filter %.bc,$$^),$$(filter %.o,$$^),$(B)/obj/runtime-$(1)/runtime-$(1).o,$(2))
	cp $(B)/obj/runtime-$(1)/runtime-$(1).o $$@
# Taken by links in which something records a trace. Watched functions of traces are members by
# themselves.
$(RTDIR)/trace-$(1).a: $(patsubst src/runtime/%,$(B)/obj/runtime-$(1)/%.o,$(TRACE_SRC))
	@mkdir -p $$(@D)
	ld -r $$(filter-out $(B)/obj/runtime-$(1)/trace/watched_%,$$^) -o $(B)/obj/runtime-$(1)/trace-$(1).o
	$$(call follower_path,$(2),$(abspath $(B)/cotree),$(abspath $(RTDIR)/sleeper),$(B)/obj/runtime-$(1)/follower_path.o)
	@rm -f $$@
	$$(AR) rcs $$@ $(B)/obj/runtime-$(1)/trace-$(1).o $(B)/obj/runtime-$(1)/follower_path.o \
		$(if $(filter-out shared,$(1)),$$(filter $(B)/obj/runtime-$(1)/trace/watched_%,$$^))
endef
# Where a program that records its trace finds cotree and its sleeper: in the build tree, or where
# they are installed (flags, paths, object).
follower_path = echo 'const char cotree_follower_path[] = "$(2)", cotree_sleeper_path[] = "$(3)";' | $(CC) $(RTFLAGS) $(1) -x c -c - -o $(4)
$(eval $(call runtime_rule,exec,-fPIE -DCOTREE_RUNTIME_EXEC))
$(eval $(call runtime_rule,static,-fPIE -DCOTREE_RUNTIME_STATIC))
$(eval $(call runtime_rule,shared,-fPIC -DCOTREE_RUNTIME_SHARED))
# For links of -fcotree=none: a program that catches exceptions takes nothing of it.
$(RTDIR)/trace-none.a: $(RTDIR)/trace-exec.a $(RTDIR)/trace-static.a
	cp $< $@
	$(AR) rs $@ $(B)/obj/runtime-static/trace/watched_catch.c.o
# A program that waits beside traced ones: it is to start as fast as a program can.
$(RTDIR)/sleeper: src/runtime/trace/sleeper.c src/runtime/trace/sleeper.h src/runtime/system_calls.h src/format/trace/layout.h \
		$(wildcard src/runtime/arch/*.h src/runtime/arch/*/*.h)
	@mkdir -p $(@D)
	$(CC) $(RTFLAGS) -fno-asynchronous-unwind-tables -static -nostdlib -fno-pie -Wl,-z,noseparate-code -Wl,--build-id=none -s $< -o $@
# A library that counts nothing has no thread-local storage of its own for it, which could not be
# had for many libraries: a member by itself.
SHARED_BC := $(patsubst src/runtime/%,$(B)/obj/runtime-shared/%.bc,$(filter-out %/attach.c,$(RUNTIME_SRC)))
SHARED_ATTACH := $(B)/obj/runtime-shared/process/attach.c.o
$(RTDIR)/runtime-shared.a: $(SHARED_BC) $(SHARED_ATTACH) $(patsubst src/runtime/%,$(B)/obj/runtime-shared/%.o,$(TRACE_SRC))
	@mkdir -p $(@D)
	$(call runtime_link,$(SHARED_BC),$(filter %.o,$^),$(B)/obj/runtime-shared/runtime-without.o,-fPIC)
	@rm -f $@
	$(AR) rcs $@ $(B)/obj/runtime-shared/runtime-without.o $(SHARED_ATTACH)
# The same as archives: taken only by links in which something counts (src/cli/driver_link.c).
$(RTDIR)/runtime-%.a: $(RTDIR)/runtime-%.o
	@rm -f $@
	$(AR) rcs $@ $<

# What compares the output of a program inside of it (`cotree run --abort-at-output`): preloaded,
# before all other libraries begin, or linked into static programs.
EXPECT_FLAGS := -std=gnu17 -O2 -fvisibility=hidden $(WARN) -Isrc -D_GNU_SOURCE -fno-stack-protector \
	-fno-optimize-sibling-calls
$(B)/obj/expect-shared/%.c.o: %.c
	@mkdir -p $(@D)
	$(CC) $(EXPECT_FLAGS) -fPIC -MMD -MP -c $< -o $@
$(B)/obj/expect-static/%.c.o: %.c
	@mkdir -p $(@D)
	$(CC) $(EXPECT_FLAGS) -fPIE -DEXPECT_STATIC -MMD -MP -c $< -o $@
$(RTDIR)/expect.so: $(patsubst %,$(B)/obj/expect-shared/%.o,$(EXPECT_SRC))
	@mkdir -p $(@D)
	$(CC) -shared -Wl,-z,initfirst $^ -o $@
$(RTDIR)/expect-static.o: $(patsubst %,$(B)/obj/expect-static/%.o,$(EXPECT_SRC))
	@mkdir -p $(@D)
	ld -r $^ -o $@

# What loads a compiler once for all units that are woven: preloaded to clang, and so no part of LLVM.
$(STEM): src/stem/stem.c src/stem/layout.h
	@mkdir -p $(@D)
	$(CC) -std=gnu17 -O2 -fPIC -fvisibility=hidden $(WARN) -Isrc -D_GNU_SOURCE -shared $< -o $@

$(B)/include/cotree.h: src/runtime/cotree.h
	@mkdir -p $(@D)
	cp $< $@

# Tests: cmocka programs in tests/unit, shell tests tests/*/*.test.sh; tests/run prints one line
# each and the sum.
UNIT_BIN := $(patsubst tests/unit/%.c,$(B)/unit/%,$(UNIT_SRC))
$(B)/unit/%: $(B)/obj/tests/unit/%.c.o $(B)/libcotree.a
	@mkdir -p $(@D)
	$(CC) $(SANITIZE) $^ -lcmocka $(LDLIBS) -lz -o $@

# The same with ASan and UBSan, for tests/sanitizers. Its cotree uses the plain plugin;
# $(B)/asan/plugin.so is for a clang that has ASan's library preloaded. What works with LLVM's C++
# classes is not sanitized, as LLVM is not: these objects are the plain plugin's.
$(B)/plugin.so: $(call obj,$(CORE_SRC) $(PLUGIN_C)) $(PLUGIN_CXX_OBJ)
	$(CXX) -shared $(SANITIZE) -shared-libasan -Wl,-z,nodelete $^ -lzstd -lm -o $@
# The library also says what it executes, and fuzz targets are linked with it; but for what unit
# tests try by brute force, which takes four times as long then.
ASAN := SANITIZE='-fsanitize=address,undefined -fno-sanitize-recover=all' CFLAGS='-O1 -gline-tables-only -DPATH_CUT_BUDGET=1000000u' COVER=-fsanitize=fuzzer-no-link \
	B=$(B)/asan FUZZ=$(FUZZ) PLUGIN=$(PLUGIN) PLUGIN_CXX_OBJ='$(PLUGIN_CXX_OBJ)'
$(call obj,$(filter-out $(BRUTE_FORCED),$(LIB_SRC))): override CFLAGS += $(COVER)
asan: $(PLUGIN) $(RUNTIMES)
	@$(MAKE) --no-print-directory $(ASAN) $(patsubst $(B)/%,$(B)/asan/%,$(B)/cotree $(B)/cotree-cc $(B)/cotree-c++ $(B)/plugin.so $(UNIT_BIN)) $(FUZZ_BIN)
	@ln -sfn ../lib $(B)/asan/lib

# All cores, unless make was told how many.
BUILD = $(MAKE) --no-print-directory $(if $(findstring -j,$(MAKEFLAGS)),,-j$(shell nproc))
deps:
	@tools/deps
demo: deps
	@$(BUILD) -s all && tools/demo
# Programs are watched by gdb and strace, pages tried in a browser; npm comes with some builds of
# nodejs, not with Debian's.
check: deps
	@tools/deps gdb strace cmake chromium fonts-dejavu-core nodejs $$(command -v npm >/dev/null || echo npm)
	@$(BUILD) all $(UNIT_BIN) $(B)/bench/papers/placements $(B)/bench/papers/executed $(B)/check/flips $(B)/check/forge $(READY_CLANG) asan && tests/run
check-programs: deps
	@$(BUILD) all && tests/programs/run
check-builds: deps
	@$(BUILD) all && tests/builds/run
check-crash: deps
	@$(BUILD) all && tests/crash/on-programs.sh
check-weave: deps
	@$(BUILD) all && tests/weave/matrix.sh
# KIND is one of tests/stress/*.sh; RUNS and SEED choose how much, and what.
stress: deps
	@$(BUILD) all $(if $(filter frames,$(KIND)),,asan) $(if $(filter flips,$(KIND)),$(B)/check/flips) && tests/stress/$(KIND).sh "$(RUNS)" "$(SEED)"
bench: deps
	@$(BUILD) all && bench/run && bench/frames.sh && bench/planning.sh && bench/merge.sh && bench/pool.sh && bench/threads.sh && bench/optimise.sh && bench/trace.sh && bench/trace.sh --time && bench/libraries.sh && bench/weave.sh
papers: deps
	@$(BUILD) all && bench/papers/run

# Benchmarks that are programs of their own; bench/*.sh and bench/papers run them.
$(B)/bench/%: $(B)/obj/bench/%.c.o $(B)/libcotree.a
	@mkdir -p $(@D)
	$(CC) $(SANITIZE) $^ $(LDLIBS) -o $@
# What tests/programs/run and tests of traces judge with.
$(B)/check/chunks_alone: $(call obj,tests/programs/chunks_alone.c) $(B)/libcotree.a
	@mkdir -p $(@D)
	$(CC) $(SANITIZE) $^ $(LDLIBS) -o $@
# What tests/stress/flips.sh damages files with: the commands, without main.
$(B)/check/flips: $(call obj,tests/stress/flips.c) $(call obj,$(filter-out src/cli/main.c,$(CLI_SRC))) $(B)/obj/plugin_hash.o $(B)/libcotree.a
	@mkdir -p $(@D)
	$(CC) $(SANITIZE) $^ $(LDLIBS) -o $@
# What tests/weave/hostile.test.sh forges programs with.
$(B)/check/forge: $(call obj,tests/weave/forge.c) $(B)/libcotree.a
	@mkdir -p $(@D)
	$(CC) $(SANITIZE) $^ $(LDLIBS) -o $@
# A clang that tests/run keeps ready for the commands of a test (tests/clang/server.c).
READY_CLANG := $(addprefix $(B)/check/clang/,serve client server.so)
READY_CLANG_FLAGS := -std=gnu17 -O2 $(WARN) -D_GNU_SOURCE
$(B)/check/clang/%.so: tests/clang/%.c tests/clang/message.h
	@mkdir -p $(@D)
	$(CC) $(READY_CLANG_FLAGS) -fPIC -fvisibility=hidden -shared $< -o $@
$(B)/check/clang/%: tests/clang/%.c tests/clang/message.h
	@mkdir -p $(@D)
	$(CC) $(READY_CLANG_FLAGS) $(if $(filter client,$*),-static) $< -o $@
$(B)/bench/papers/placements: $(call obj,bench/papers/placements.c bench/papers/old_weights.c) $(B)/libcotree.a
	@mkdir -p $(@D)
	$(CC) $(SANITIZE) $^ $(LDLIBS) -o $@

# Made by the make of $(ASAN), as files of its library are. But for those that do not say what they
# execute there, and those that know how many streams a trace has: fewer here.
FUZZ_FLAGS := -std=gnu17 -gline-tables-only -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -Isrc -D_GNU_SOURCE -DCOTREE_VERSION='"fuzz"' \
	-DCOTREE_LLVM='"$(LLVM)"' -DTRACE_STREAMS_MOST=64u
FUZZ_OWN := $(sort $(BRUTE_FORCED) $(shell grep -lE 'TRACE_(STREAMS_MOST|ADDRESSES_OFFSET)' $(filter-out $(PAGE),$(LIB_SRC))))
$(B)/obj/fuzz/%.c.o: %.c
	@mkdir -p $(@D)
	$(CC) $(FUZZ_FLAGS) -MMD -MP -c $< -o $@
$(FUZZ_BIN): $(FUZZ)/%: $(B)/obj/fuzz/fuzz/%.c.o $(patsubst %,$(B)/obj/fuzz/%.o,$(FUZZ_OWN)) $(B)/libcotree.a
	@mkdir -p $(@D)
	$(CC) $(FUZZ_FLAGS) $^ $(LDLIBS) -o $@
fuzz:
	@$(BUILD) $(ASAN) $(FUZZ_BIN)
	fuzz/run

format:
	clang-format-19 -i $(shell git ls-files '*.c' '*.h' '*.cpp' '*.hpp' | grep -E '^(src|fuzz|bench|tests/unit)/')

man: $(MAN)
$(B)/man/%: docs/%.scd
	@mkdir -p $(@D)
	scdoc <$< >$@

TO := $(DESTDIR)$(PREFIX)
man_file = $(TO)/share/man/man$(subst .,,$(suffix $(1)))/$(notdir $(1))
install: all
	install -d $(TO)/bin $(TO)/lib/cotree $(TO)/lib/cmake/cotree $(TO)/include
	install $(B)/cotree $(TO)/bin/cotree
	ln -sf cotree $(TO)/bin/cotree-cc
	ln -sf cotree $(TO)/bin/cotree-c++
	install -m 644 $(PLUGIN) $(RTDIR)/lto.so $(RUNTIMES) $(EXPECTS) $(STEM) tools/cotree.gdb $(TO)/lib/cotree/
	install $(RTDIR)/sleeper $(TO)/lib/cotree/
	ln -sf ../../bin/cotree $(TO)/lib/cotree/cotree-ld
	$(call follower_path,-fPIC,$(PREFIX)/bin/cotree,$(PREFIX)/lib/cotree/sleeper,$(B)/obj/follower_path.o)
	for variant in exec none static shared; do $(AR) rs $(TO)/lib/cotree/trace-$$variant.a $(B)/obj/follower_path.o || exit; done
	install -m 644 src/runtime/cotree.h $(TO)/include/cotree.h
	install -m 644 cmake/toolchain.cmake cmake/cotree-config.cmake $(TO)/lib/cmake/cotree/
ifneq ($(shell command -v scdoc),)
	@$(MAKE) --no-print-directory man
	$(foreach page,$(MAN),install -D -m 644 $(page) $(call man_file,$(page)) &&) :
	ln -sf cotree-cc.1 $(TO)/share/man/man1/cotree-c++.1
else
	@echo 'scdoc is not installed: no man pages'
endif
uninstall:
	rm -rf $(TO)/lib/cotree $(TO)/lib/cmake/cotree
	rm -f $(TO)/bin/cotree $(TO)/bin/cotree-cc $(TO)/bin/cotree-c++ $(TO)/include/cotree.h
	rm -f $(foreach page,$(MAN),$(call man_file,$(page))) $(TO)/share/man/man1/cotree-c++.1

help:
	@echo 'make                 $(B)/cotree, the plugin and the runtime, usable from the build tree'
	@echo 'make demo            profile a small program and show its report'
	@echo 'make check           the tests (tests/run PATTERN runs some)'
	@echo 'make check-programs  the same comparisons on Debian programs (an hour or more)'
	@echo 'make check-builds    builds as people have them: CMake, Meson, Debian packages, thousands of processes (half an hour)'
	@echo 'make check-crash     crash histories of Debian programs, at many calls and faults, beside what they did (half an hour)'
	@echo 'make check-weave     woven variants of Debian programs beside those built from source (hours)'
	@echo 'make stress          interrupts programs at thousands of random instructions (KIND=frames RUNS=N SEED=N); KIND=flips damages files'
	@echo '                     KIND=programs judges random programs by counters of their own'
	@echo 'make bench           what profiling costs, beside clang and gcc'
	@echo 'make papers          docs/papers.md: experiments of the papers, made again (hours)'
	@echo 'make fuzz            fuzz every reader'
	@echo 'make man             man pages in $(B)/man'
	@echo 'make asan            $(B)/asan: the same with ASan and UBSan, and $(B)/fuzz, used by the tests'
	@echo 'make deps            install missing Debian packages (demo, check and bench do it too)'
	@echo 'make format          clang-format'
	@echo 'make clean           remove $(B)'
	@echo 'make install / uninstall PREFIX=$(PREFIX) DESTDIR=$(DESTDIR)'
	@echo 'LLVM=$(LLVM) chooses the LLVM version'

clean:
	rm -rf $(B)

-include $(shell find $(B)/obj -name '*.d' 2>/dev/null)
