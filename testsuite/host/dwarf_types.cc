// SPDX-License-Identifier: MIT
//
// Names, types and variables of C++, in each way that a debugger has words for.
#include <initializer_list>

extern "C" __attribute__((noinline)) void stop(const void *what)
{
    __asm__ volatile("" ::"r"(what) : "memory");
}

namespace outer
{
namespace
{
struct Hidden {
    int value;
};
Hidden hidden;
__attribute__((noinline)) int reveal(const Hidden &one, unsigned long count)
{
    stop(&one);
    return one.value + int(count);
}
}

namespace inner
{
enum class Kind : short { one, two };
template <class T, int N> class Box
{
public:
    static int made;
    T values[N];
    Kind kind;
    Box *next;
    explicit Box(T value) : kind(Kind::two), next(nullptr)
    {
        for (T &one : values)
            one = value;
    }
    __attribute__((noinline)) T sum(const T &start) const
    {
        T result = start;
        for (const T &one : values)
            result += one;
        stop(this);
        return result;
    }
    __attribute__((noinline)) T operator()(T more)
    {
        stop(&more);
        return values[0] + more;
    }
    template <class U> __attribute__((noinline)) U as() const
    {
        stop(this);
        return U(values[0]);
    }
    operator bool() const { return kind == Kind::two; }
};
template <class T, int N> int Box<T, N>::made;
static int counter;
Box<int, 3> box(4);
}

class Base
{
public:
    virtual ~Base() {}
    virtual int run(int) { return 0; }
    long kept = 1;
};

class Derived : public Base
{
public:
    int run(int n) override
    {
        stop(this);
        return n + own;
    }
    int own = 2;
    int &alias = own;
};
Derived derived;
Base &base = derived;
}

template <class T> __attribute__((noinline)) T *find(T *from, T &&last)
{
    stop(&last);
    return from;
}

typedef outer::inner::Box<double, 2> boxes[2];

__attribute__((noinline)) static int local(int n, char **text, const outer::Base *what)
{
    struct Local {
        int n;
        int get() { return n; }
    } here = { n };
    auto add = [&here, n](int more) {
        stop(&more);
        return here.get() + n + more;
    };
    outer::inner::Box<double, 2> box(1.5);
    const outer::inner::Kind kind = outer::inner::Kind::two;
    stop(text);
    stop(&kind);
    return add(2) + int(box.sum(1.0)) + (what == nullptr);
}

int main(int argc, char **argv)
{
    using namespace outer;
    inner::counter++;
    int result = local(argc, argv, &base) + reveal(hidden, 2) + inner::box(2) + base.run(3) +
                 inner::box.as<short>() + *find(&argc, 5) + (inner::box ? 1 : 0);
    for (const auto &one : { 1, 2 }) {
        auto sum = [&](auto more) { return one + more; };
        result += sum(argc);
    }
    stop(&result);
    return result < 3 + inner::counter + inner::box.made;
}
