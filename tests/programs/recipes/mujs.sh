# mujs: an interpreter of JavaScript; exceptions are thrown by longjmp.
programs=mujs
configure() { :; }
compile() { $CC $CFLAGS -w -I"$SRC" -o mujs "$SRC"/one.c "$SRC"/main.c -lm; }
inputs() {
    cat >work.js <<'END'
function Node(key) { this.key = key; this.left = null; this.right = null; }
Node.prototype.add = function (key) {
    var side = key < this.key ? 'left' : 'right';
    if (this[side]) this[side].add(key); else this[side] = new Node(key);
};
Node.prototype.depth = function () {
    return 1 + Math.max(this.left ? this.left.depth() : 0, this.right ? this.right.depth() : 0);
};
var seed = 1, root = new Node(0.5), i, caught = 0, words = {}, list = [];
function random() { seed = (seed * 16807) % 2147483647; return seed / 2147483647; }
for (i = 0; i < 1500; i++) root.add(random());
for (i = 0; i < 800; i++) try { if (i % 3) throw new Error('e' + i); else undefined_name(i); } catch (e) { caught++; } finally { list.push(i * 7 % 31); }
for (i = 0; i < 3000; i++) { var w = 'w' + Math.floor(random() * 200); words[w] = (words[w] || 0) + 1; }
list.sort(function (a, b) { return a - b; });
var text = list.join(' ').replace(/(\d)(\d)/g, '$2$1').split(/ +/).map(function (s) { return s.toUpperCase(); }).reverse().join('');
print(root.depth(), caught, Object.keys(words).length, text.length, JSON.stringify(JSON.parse('{"a":[1,2,{"b":null}]}')));
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
print(fib(19), eval('1+2*3'), new Date(0).toISOString());
END
    echo 'for (;;) { try { [1, 2].map(function (x) { if (x > 1) throw x; }); } catch (e) { } }' >forever.js
}
workload() { $RUN ./mujs work.js >out; }
failures() {
    echo 'var x = = 1;' >syntax.js
    echo 'function f(n) { if (n) f(n - 1); else throw new TypeError("deep"); } f(30);' >uncaught.js
    echo 'function f() { f(); } f();' >overflow.js
    echo 'print(1); (function () { quit(3); })();' >quit.js
    fails syntax ./mujs syntax.js
    fails uncaught ./mujs uncaught.js
    fails overflow ./mujs overflow.js
    fails quit ./mujs quit.js
    fails missing ./mujs nowhere.js
    for i in 1 2 3; do killed_busy busy.$i TERM ./mujs forever.js; done
}
