# glm: vectors as templates; a ray tracer of our own draws balls in a box with them. Virtual calls.
programs=rays
language=C++
configure() { :; }
compile() { $CXX $CXXFLAGS -I"$SRC" -o rays "$RECIPES"/glm.cpp; }
inputs() { :; }
workload() { $RUN ./rays 160 >out; }
failures() {
    fails operands ./rays
    fails size ./rays -5
    fails_full full ./rays 20
    cut_off cut ./rays 200
    for i in 1 2 3; do killed_busy busy.$i TERM ./rays 20000; done
}
