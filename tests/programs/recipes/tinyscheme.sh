# tinyscheme: an interpreter, with lists, strings, closures and a garbage collector.
programs=scheme
configure() { :; }
compile() {
    $CC $CFLAGS -w -DSTANDALONE=1 -DUSE_DL=0 -DUSE_MATH=1 -DSUN_DL=0 -DInitFile='"init.scm"' -o scheme \
        "$SRC"/scheme.c -lm
}
inputs() {
    cp "$SRC"/init.scm .
    cat >work.scm <<'END'
(define (fib n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))
(define (iota n) (let loop ((i (- n 1)) (l '())) (if (< i 0) l (loop (- i 1) (cons i l)))))
(define (queens board-size)
  (define (safe? q dist placed)
    (or (null? placed)
        (and (not (= (car placed) q)) (not (= (abs (- (car placed) q)) dist)) (safe? q (+ dist 1) (cdr placed)))))
  (define (place k placed)
    (if (= k 0) 1
        (apply + (map (lambda (q) (if (safe? q 1 placed) (place (- k 1) (cons q placed)) 0)) (iota board-size)))))
  (place board-size '()))
(define (join n) (let loop ((i 0) (s "")) (if (= i n) (string-length s) (loop (+ i 1) (string-append s (number->string i))))))
(display (fib 14)) (newline)
(display (queens 5)) (newline)
(display (join 150)) (newline)
(display (apply + (map (lambda (x) (* x x)) (iota 300)))) (newline)
END
    echo '(define (loop n) (if (= n 0) (loop 1000) (loop (- n 1)))) (loop 5)' >forever.scm
}
workload() { $RUN ./scheme work.scm >out; }
failures() {
    printf '(display (car 5))' >type.scm
    printf '(define (f x) (g (* x 2)))\n(display "before")\n(f 3)' >unbound.scm
    printf '(quit 3)' >quit.scm
    fails type ./scheme type.scm
    fails unbound ./scheme unbound.scm
    ends missing ./scheme nowhere.scm
    fails quit ./scheme quit.scm
    killed_reading reading TERM '(display 1)
' ./scheme -
    for i in 1 2 3; do killed_busy busy.$i TERM ./scheme forever.scm; done
}
