# Line and branch counts as clang's source-based coverage gives them at -O0: what `llvm-cov show`
# shows, in lcov's form. llvm_cov_build PROGRAM COMPILER FLAGS... : PROGRAM with clang's counters.
llvm_cov_build() {
    local program=$1 compiler=$2
    shift 2
    "$compiler" -O0 -fprofile-instr-generate -fcoverage-mapping -fprofile-update=atomic "$@" -o "$program"
}
# llvm_cov_info PROGRAM RAW... >INFO: of a program whose runs left RAW.
llvm_cov_info() {
    local program=$1
    shift
    llvm-profdata-${LLVM:-19} merge "$@" -o "$program.profdata" &&
        llvm-cov-${LLVM:-19} export -format=lcov -instr-profile="$program.profdata" "$program"
}
