#include <stdio.h>
volatile int sink;
int f(int a, int b, int c) {
	int n = 0;
	if (!(a && b)) n++;
	if (!a || b) n++;
	if (!(a && b) || c) n++;
	if (a && !(b || c)) n++;
	if ((a || b) && c) n++;
	if (!(a || b) && c) n++;
	if (a || !(b && c)) n++;
	if (a && !b) n++;
	int x = !a || b, y = a && !b;
	n += a ? b : c;
	n += !a ? b : c;
	while (n > 3 && !b) { n--; if (!n) break; else continue; }
	for (int i = 0; !(i > 2); i++) n++;
	do n--; while (!(n < 0));
	if (a) ; else n++;
	switch (n + c) {
	default: n = 1; break;
	case 3:
	case 4: n = 2; break;
	case -1: n = 3;
	case 7 ... 9: n = 4; break;
	}
	static int *p[] = {0};
	sink = x + y + !p[0] + (a ? b && c : 0);
	return n;
}
int main(void) {
	for (int i = 0; i < 7; i++)
		f(i & 1, i & 2, i & 4);
	return 0;
}
