# cxx_standard FILE: the C++ that a source of a test is compiled as. clang reads <thread> as C++20
# in half a second, as C++17 in a third of that, and makes the same of the source: what does not
# need C++20 is C++20 with COTREE_LEVELS=all only.
cxx_standard() {
    case ${COTREE_LEVELS-},${1##*/} in
    all,* | *,coroutine* | *,constraints*) echo c++20 ;;
    *) echo c++17 ;;
    esac
}
