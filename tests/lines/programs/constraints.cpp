static volatile int ran;
namespace sizes {
template <typename A> concept small = sizeof(A) <= 4;
template <typename A, typename B> concept same = sizeof(A) == sizeof(B);
}
template <typename A> concept tiny = sizeof(A) == 1;
template <sizes::small A> static int one_line(A) { return ran++; }
template <sizes::same<int> A>
static int several_lines(A a)
{
    if (a > 1)
        ran++;
    return ran;
}
template <typename A> requires tiny<A> || sizes::small<A> static int required(A) { return ran++; }
template <typename A> static int behind(A) requires requires(A a) { a + a; } { return ran++; }
template <auto N> static int number() { return N + ran; }
static int short_form(sizes::small auto a) { return a + ran; }
template <sizes::small A> struct box {
    int first(A) { return ran++; }
    template <sizes::small B> int second(B) { return ran++; }
};
int main()
{
    auto lambda = []<typename A>(A a) requires sizes::small<A> { return a + ran; };
    one_line(1), one_line(2), one_line('c');
    several_lines(1), several_lines(2u), several_lines(3);
    required(1), required('c'), required('d');
    behind(1), behind('c');
    number<1>(), number<'c'>(), number<2>();
    short_form(1), short_form('c');
    box<int>().first(1), box<char>().first('c');
    box<int>().second(1), box<char>().second('c'), box<int>().second('c');
    lambda(1), lambda('c');
}
