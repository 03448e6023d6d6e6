#include "format/carry/compiler_words.h"
#include "base/text.h"

#include <string.h>

/* A list of patterns (text_matches). Where the next word is the option's argument, the pattern ends
 * with a blank. */
typedef const char *const patterns[];

/* What shapes code that is made of IR, and does nothing else. */
// clang-format off
static patterns shaping = {
    "-triple ", "-Ofast", "-fno-zero-initialized-in-bss", "-disable-red-zone", "-fxray-instrument",
    "-fxray-instruction-threshold=*", "-fxray-ignore-loops",
    "-fno-xray-function-index", "-mrelocation-model ", "-pic-level ", "-pic-is-pie", "-target-cpu ",
    "-tune-cpu ", "-target-feature ", "-target-abi ", "-stack-protector ", "-mstack-protector-guard*",
    "-stack-protector-buffer-size ",
    "-mthread-model ", "-mframe-pointer=*", "-O?", "-O", "-vectorize-*", "-fno-unroll-loops",
    "-funroll-loops", "-ffunction-sections", "-fno-function-sections", "-fdata-sections",
    "-fno-data-sections", "-faddrsig", "-fno-addrsig", "-funique-*-names", "-fno-unique-*-names",
    "-fbasic-block-sections=all", "-fbasic-block-sections=labels", "-fbasic-block-sections=none",
    "-fbasic-block-address-map", "-fsplit-machine-functions", "-fno-split-machine-functions",
    "-funwind-tables=*", "-fexceptions", "-fno-exceptions", "-exception-model=*", "-fseh-exceptions",
    "-fmath-errno", "-fno-math-errno", "-ffp-contract=*", "-frounding-math", "-fno-rounding-math",
    "-ffp-exception-behavior=*", "-fdenormal-fp-math*=*", "-ffast-math", "-ffinite-math-only",
    "-funsafe-math-optimizations", "-menable-*", "-fno-signed-zeros", "-mreassociate", "-freciprocal-math",
    "-fapprox-func", "-fveclib=*", "-mlimit-float-precision ", "-complex-range=*", "-debug-info-kind=*",
    "-dwarf-version=*", "-debugger-tuning=*", "-gdwarf32", "-gdwarf64", "-gpubnames", "-ggnu-pubnames",
    "-gstrict-dwarf", "-gsimple-template-names=*", "-gno-column-info", "-dwarf-ext-refs",
    "-dwarf-explicit-import", "-gsrc-hash=*", "-fdebug-info-for-profiling", "-fdebug-ranges-base-address",
    "-fno-split-dwarf-inlining", "-gtemplate-alias", "-gno-template-alias", "-femit-dwarf-unwind=*",
    "-femit-compact-unwind-non-canonical", "--compress-debug-sections=*", "-compress-debug-sections=*",
    "-fcf-protection=*", "-fcf-protection", "-mibt-seal", "-mfunction-return=*",
    "-mindirect-branch-cs-prefix", "-fpatchable-function-entry=*", "-fpatchable-function-entry-offset=*",
    "-pg", "-mfentry", "-mnop-mcount", "-mrecord-mcount", "-mpacked-stack", "-finstrument-functions*",
    "-fstack-clash-protection", "-fsplit-stack", "-fno-plt", "-fno-jump-tables", "-fjump-tables",
    "-fzero-call-used-regs=*", "-ftrivial-auto-var-init=*", "-ftrivial-auto-var-init-max-size=*",
    "-fstack-size-section", "-fno-stack-size-section", "-fdelete-null-pointer-checks",
    "-fno-delete-null-pointer-checks", "-fstrict-vtable-pointers", "-fstrict-return", "-fno-strict-return",
    "-fno-builtin", "-fno-builtin-*", "-ffreestanding", "-fno-inline-functions", "-finline-functions",
    "-finline-hint-functions", "-fno-inline", "-finline-max-stacksize=*", "-fmerge-all-constants",
    "-fno-semantic-interposition", "-fsemantic-interposition", "-fhalf-no-semantic-interposition",
    "-ftls-model=*", "-femulated-tls", "-fno-emulated-tls", "-mtls-size=*", "-mtls-dialect=*",
    "-enable-tlsdesc", "-fuse-init-array", "-fno-use-init-array", "-fuse-ctor-homing", "-ffixed-*",
    "-mcmodel=*", "-mlarge-data-threshold=*", "-mstack-alignment=*", "-mstack-probe-size=*",
    "-mno-stack-arg-probe", "-mstackrealign", "-mms-bitfields", "-msmall-data-limit ",
    "-mprefer-vector-width=*", "-malign-double", "-mstrict-align", "-msoft-float", "-no-implicit-float",
    "-mrelax-all", "-mno-relax-all", "-mrelax-relocations=*", "-msave-temp-labels", "-mnoexecstack",
    "-mno-exec-stack", "-mno-tls-direct-seg-refs", "-mdisable-tail-calls", "-fno-optimize-sibling-calls",
    "-fescaping-block-tail-calls", "-fno-escaping-block-tail-calls", "-mspeculative-load-hardening",
    "-fx86-*", "-mapx*", "-mbranches-within-32B-boundaries", "-fno-verbose-asm", "-masm-verbose",
    "-fverbose-asm", "-fno-lto-unit", "-flto=*", "-flto", "-flto-unit", "-fno-split-lto-unit",
    "-fsplit-lto-unit", "-fwhole-program-vtables", "-fvirtual-function-elimination", "-funified-lto",
    "-fno-unified-lto", "-ffat-lto-objects", "-fno-fat-lto-objects", "-fsanitize=*", "-fsanitize-recover=*",
    "-fsanitize-trap=*", "-fsanitize-merge=*", "-fsanitize-address-*", "-fno-sanitize-address-*",
    "-fno-sanitize-memory-*", "-fsanitize-memory-*", "-fsanitize-thread-*", "-fno-sanitize-thread-*",
    "-fsanitize-cfi-*", "-fsanitize-stats", "-fsanitize-coverage-type=*", "-fsanitize-coverage-trace-*",
    "-fsanitize-coverage-indirect-calls", "-fsanitize-coverage-no-prune", "-fsanitize-coverage-inline-*",
    "-fsanitize-coverage-pc-table", "-fsanitize-coverage-stack-depth", "-fno-sanitize-*",
    "-fprofile-instrument=*", "-fprofile-update=*", "-fpseudo-probe-for-profiling", "-mregparm ", "-fwrapv",
    "-ftrapv", "-fwrapv-pointer", "-relaxed-aliasing", "-pointer-tbaa", "-no-struct-path-tbaa",
    "-new-struct-path-tbaa", "-fcommon", "-fno-common", "-mms-hotpatch",
    "-fkeep-persistent-storage-variables", "-fkeep-static-consts", "-fno-keep-static-consts",
    "-fms-volatile", "-fforce-enable-int128", "-fopenmp-simd", "-fopenmp", "-fopenmp-version=*",
    "-finline-line-tables", "-gno-inline-line-tables",
    "-fdirect-access-external-data", "-fno-direct-access-external-data", "-fno-ms-tls-guards",
};
/* What is done with by the time there is IR, or says where something lies. */
static patterns before_ir = {
    "-cc1", "-static-define", "-pthread", "-save-temps=*", "-ftime-trace*", "-opt-record-file ",
    "-opt-record-passes ", "-opt-record-format ", "-femit-all-decls", "-main-file-name ", "-dumpdir ",
    "-resource-dir ", "-isysroot ", "-ferror-limit ", "-fmessage-length=*", "-fmessage-length ",
    "-fgnuc-version=*", "-std=*", "-disable-free", "-no-disable-free", "-clear-ast-before-backend",
    "-no-clear-ast-before-backend", "-disable-llvm-verifier", "-disable-llvm-passes",
    "-discard-value-names", "-fdebug-compilation-dir=*", "-fcoverage-compilation-dir=*",
    "-fdebug-prefix-map=*", "-fmacro-prefix-map=*", "-fcoverage-prefix-map=*", "-ffile-compilation-dir=*",
    "-ffile-prefix-map=*", "-ffile-reproducible", "-fno-file-reproducible", "-fembed-bitcode=*",
    "-fdepfile-entry=*", "-D ", "-U ", "-I ", "-F ", "-D?*", "-U?*", "-I?*", "-W*", "-w", "-R*", "-P", "-C",
    "-CC", "-E", "-MT ", "-MQ ", "-M*", "-dependency-file ", "-dependency-dot ", "-sys-header-deps",
    "-module-file-deps", "-header-include-file ", "-header-include-format=*", "-header-include-filtering=*",
    "-H", "-isystem ", "-iquote ", "-idirafter ", "-internal-isystem ", "-internal-externc-isystem ",
    "-c-isystem ", "-cxx-isystem ", "-include ", "-include-pch ", "-imacros ", "-iprefix ", "-iwithprefix ",
    "-iwithprefixbefore ", "-iwithsysroot ", "-nostdinc*", "-nostdsysteminc", "-nobuiltininc", "-undef",
    "-trigraphs", "-pedantic*", "-dM", "-dD", "-dI", "-fmodules*", "-fno-modules*", "-fmodule-*",
    "-fimplicit-*", "-fno-implicit-*", "-fprebuilt-*", "-fbuild-session*", "-fpch-*", "-fno-pch-*",
    "-building-pch-with-obj", "-fvalidate-*", "-fno-validate-*", "-fdiagnostics-*", "-fno-diagnostics-*",
    "-fcolor-diagnostics", "-fno-color-diagnostics", "-fansi-escape-codes", "-fcaret-diagnostics*",
    "-fno-caret-diagnostics*", "-fshow-*", "-fno-show-*", "-fno-elide-type", "-felide-type",
    "-fspell-checking*", "-fno-spell-checking", "-ftemplate-*", "-ftemplate-depth ", "-fconstexpr-*",
    "-fmacro-backtrace-limit *", "-fbracket-depth *", "-fcxx-exceptions", "-fobjc-exceptions",
    "-fignore-exceptions", "-fno-rtti", "-fno-rtti-data", "-frtti", "-fdeprecated-macro",
    "-fno-deprecated-macro", "-fskip-odr-check-in-gmf", "-fvisibility*", "-fno-visibility*",
    "-ftype-visibility=*", "-fapply-global-visibility-to-externs", "-fno-threadsafe-statics",
    "-fthreadsafe-statics", "-fsized-deallocation", "-fno-sized-deallocation", "-faligned-*",
    "-fno-aligned-*", "-fcoroutines*", "-fno-operator-names", "-fgnu-keywords", "-fno-gnu-keywords",
    "-fgnu89-inline", "-fno-gnu89-inline", "-fno-gnu-inline-asm", "-fasm", "-fno-asm", "-fms-extensions",
    "-fms-compatibility*", "-fno-ms-*", "-fdelayed-template-parsing", "-fno-delayed-template-parsing",
    "-fsigned-char", "-fno-signed-char", "-fsigned-wchar", "-fno-signed-wchar", "-fwchar-type=*",
    "-fshort-*", "-fno-short-*", "-fchar8_t", "-fno-char8_t", "-fconst-strings", "-fno-const-strings",
    "-fwritable-strings", "-fno-assume-*", "-fassume-*", "-fstrict-enums", "-fstrict-flex-arrays=*",
    "-fno-strict-flex-arrays", "-fstrict-overflow", "-fblocks", "-fencode-extended-block-signature",
    "-fno-knr-functions", "-fknr-functions", "-flax-vector-*", "-fno-lax-vector-*", "-fpascal-strings",
    "-fno-dollars-in-identifiers", "-fdollars-in-identifiers", "-fdouble-square-bracket-attributes",
    "-fno-double-square-bracket-attributes", "-fraw-string-literals", "-fc++-*", "-fno-c++-*", "-fcxx-*",
    "-fno-cxx-*", "-fclang-abi-compat=*", "-frelaxed-template-template-args",
    "-fno-relaxed-template-template-args", "-fno-elide-constructors", "-fno-access-control", "-fallow-*",
    "-fpreserve-as-comments", "-fno-preserve-as-comments", "-fretain-comments-from-system-headers",
    "-fparse-all-comments", "-ftabstop *", "-ftabstop=*", "-fexec-charset *", "-finput-charset=*",
    "-fno-temp-file", "-fno-use-cxa-atexit", "-fuse-cxa-atexit", "-fcomplete-member-pointers",
    "-fnext-runtime", "-fobjc-*", "-fgnu-runtime", "-fcreate-profile", "-mconstructor-aliases",
    "-mno-constructor-aliases", "-fno-limit-debug-info", "-flimit-debug-info", "-fstandalone-debug",
    "-fno-standalone-debug", "-feliminate-unused-debug-types", "-fno-eliminate-unused-debug-types",
    "-debug-info-macro", "-debug-forward-template-params", "-fno-recovery-ast*",
    "-frecovery-ast*", "-ftrack-macro*", "-ftime-report*", "-print-stats", "-fsyntax-only", "-v",
    "-verify*", "-fcoverage-mcdc", "-emit-obj", "-emit-llvm", "-emit-llvm-bc", "-S", "-fno-math-builtin",
    "-ffp-eval-method=*", "-ffloat16-excess-precision=*", "-fbfloat16-excess-precision=*",
    "-fnative-half-type", "-fnative-half-arguments-and-returns", "-fgpu-*", "-fcuda-*", "-fno-cuda-*",
    "-fsafe-buffer-usage-*", "-fexperimental-*", "-fno-experimental-*", "-fdefault-calling-conv=*",
    "-fno-use-line-directives", "-fuse-line-directives", "-fminimize-whitespace", "-fapinotes*",
    "-fno-apinotes*", "-fsanitize-ignorelist=*", "-fsanitize-system-ignorelist=*", "-stack-usage-file ",
    "-fbounds-safety*", "-fno-wrapv", "-fxray-modes=*", "-Qn",
    "-fxray-instrumentation-bundle=*", "-ffinite-loops", "-fno-finite-loops", "-fcoverage-mapping",
};
/* Options of LLVM (-mllvm) that tune passes. Their values are plain words and numbers. */
static patterns tuning = {
    "-enable-*", "-disable-*", "-generate-type-units", "-inline-*", "-inlinehint-threshold=*",
    "-inlinecold-threshold=*", "-unroll-*", "-loop-*", "-slp-*", "-vectorize*", "-force-vector-*",
    "-prefer-predicate-*", "-x86-*", "-align-*", "-hot-cold-split*", "-simplifycfg-*", "-instcombine-*",
    "-jump-threading-*", "-licm-*", "-early-cse-*", "-gvn-*", "-sroa-*", "-tail-*", "-split-*",
    "-partial-*", "-max-*", "-min-*", "-treat-*", "-two-entry-*", "-phi-node-*",
    "-function-specialization*", "-force-function-specialization", "-specialize-*", "-ifcvt-*",
    "-machine-sink-*", "-regalloc=*", "-global-isel=*", "-global-isel-abort=*",
    "-experimental-debug-variable-locations=*",
};
// clang-format on
#define COUNT(list) (sizeof list / sizeof *list)

/* Does the word match one of the patterns? Sets whether the next word is its argument. */
static bool is_among(const char *word, const char *const *list, size_t count, bool *takes_next)
{
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(list[i]);
        bool takes = list[i][length - 1] == ' ';
        if (takes ? strlen(word) == length - 1 && !strncmp(word, list[i], length - 1)
                  : text_matches(list[i], word)) {
            *takes_next = takes;
            return true;
        }
    }
    return false;
}

/* The plugin that carries the unit, and what was said to it; and where clang would report a crash.
 * Plugins of others stay, so that they are refused: the code was shaped by them. */
static bool is_own_pair(const char *option, const char *value)
{
    if (!strcmp(option, "-load") || !strcmp(option, "-plugin") || !strcmp(option, "-add-plugin"))
        return text_ends_with(value, "/cotree/plugin.so");
    if (!strcmp(option, "-mllvm"))
        return text_starts_with(value, "-cotree-") || text_starts_with(value, "-crash-diagnostics-dir=");
    return !strcmp(option, "-plugin-arg-cotree");
}

static bool takes_next_word(const char *word)
{
    static const char *const list[] = {"-load", "-plugin", "-add-plugin", "-mllvm"};
    for (size_t i = 0; i < COUNT(list); i++)
        if (!strcmp(word, list[i]))
            return true;
    return text_starts_with(word, "-plugin-arg-");
}

void compiler_words_keep(struct words *kept, const struct words *all)
{
    bool takes;
    for (size_t i = 0; i < all->count; i++) {
        const char *word = all->items[i], *next = i + 1 < all->count ? all->items[i + 1] : NULL;
        if (takes_next_word(word) && next) {
            i++;
            if (!is_own_pair(word, next)) {
                words_add(kept, word);
                words_add(kept, next);
            }
        } else if (is_among(word, shaping, COUNT(shaping), &takes)) {
            words_add(kept, word);
            if (takes && next)
                words_add(kept, all->items[++i]);
        } else if (is_among(word, before_ir, COUNT(before_ir), &takes)) {
            i += takes;
        } else if (!text_starts_with(word, "-fpass-plugin=") || !is_own_pair("-load", word)) {
            words_add(kept, word);
        }
    }
}

static bool check_tuning(const char *option, struct error *error)
{
    bool takes;
    if (!is_among(option, tuning, COUNT(tuning), &takes) || strchr(option, '/') ||
        text_matches("*plugin*", option)) /* -x86-lvi-load-opt-plugin */
        return error_set(error, "the option '-mllvm %s' is not one that tunes code and does nothing else",
                         option);
    return true;
}

bool compiler_words_check(const struct words *words, struct error *error)
{
    bool takes;
    for (size_t i = 0; i < words->count; i++) {
        const char *word = words->items[i];
        if (!strcmp(word, "-mllvm") && i + 1 < words->count) {
            if (!check_tuning(words->items[++i], error))
                return false;
        } else if (!strcmp(word, "-dwarf-debug-flags") || !strcmp(word, "-record-command-line")) {
            return error_set(error, "it holds the command that compiled it (%s), which is another one now",
                             word[1] == 'd' ? "-grecord-command-line" : "-frecord-command-line");
        } else if (!is_among(word, shaping, COUNT(shaping), &takes)) {
            return error_set(error, "the option '%s' is not one that shapes code and does nothing else",
                             word);
        } else if (takes && ++i == words->count) {
            return error_set(error, "the option '%s' has no value", word);
        }
        if (words->items[i][0] == '@')
            return error_set(error, "the word '%s' asks for a file of words", words->items[i]);
    }
    return true;
}
