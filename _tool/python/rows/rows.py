import functools
import io
import json
import math
import queue
import threading
from collections import defaultdict


class Point:
    __slots__ = ("x", "y")

    def __init__(self, x, y):
        self.x = x
        self.y = y

    def add(self, q):
        return Point(self.x + q.x, self.y + q.y)


class Square:
    def __init__(self, side):
        self.side = side

    def area(self):
        return self.side * self.side


class Circle:
    def __init__(self, radius):
        self.radius = radius

    def area(self):
        return 3 * self.radius * self.radius


def draws(n):
    out, x = [], 42
    for _ in range(n):
        x = (x * 1103515245 + 12345) % 2147483648
        out.append(x)
    return out


numbers = draws(300000)
words = [str(v % 100000) for v in numbers]
text = "the quick brown fox jümps over the lazy dog " * 5000
crowd = [{"name": "person %d" % i, "age": i % 90, "height": (i % 50) / 4 + 150.125, "city": "Ulm"} for i in range(100000)]
plain = json.dumps(crowd, separators=(",", ":"))
spots = [Point(v, i) for i, v in enumerate(numbers)]


def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


def additions(n):
    t = 0
    for i in range(n):
        t += i
    return t


def roots(n):
    t = 0.0
    for i in range(n):
        t += math.sqrt(i)
    return int(t)


def matmul(n):
    a = [[float(i + j) for j in range(n)] for i in range(n)]
    b = [[float(i - j) for j in range(n)] for i in range(n)]
    c = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            s = 0.0
            for k in range(n):
                s += a[i][k] * b[k][j]
            c[i][j] = s
    return int(c[n - 1][n - 1])


def appends(n):
    out = []
    for i in range(n):
        out.append(i)
    t = 0
    for v in out:
        t += v
    return t


def counts(n):
    m = defaultdict(int)
    for w in words[:n]:
        m[w] += 1
    return m[words[0]] + len(m)


def places(n):
    m = {}
    for i in range(n):
        key = (i % 100, i % 7)
        m[key] = m.get(key, 0) + 1
    return len(m)


def entries(n):
    m, t = {i: i for i in range(1000)}, 0
    for _ in range(n):
        for k, v in m.items():
            t += k - v + 1
    return t


def methods(n):
    p, step = Point(0, 0), Point(1, 2)
    for _ in range(n):
        p = p.add(step)
    return p.x + p.y


def interfaces(n):
    shapes, t = [Square(3), Circle(2)], 0
    for i in range(n):
        t += shapes[i & 1].area()
    return t


def closures(n):
    t = 0

    def add(k):
        nonlocal t
        t += k

    for i in range(n):
        add(i)
    return t


def sortedInts(n):
    out = numbers[:n]
    out.sort()
    return out[n // 2]


def sortedStrings(n):
    out = words[:n]
    out.sort()
    return len(out[n // 2])


def sortedSlice(n):
    out = spots[:n]
    out.sort(key=functools.cmp_to_key(lambda a, b: -1 if a.x < b.x else 0))
    return out[n // 2].x


def sortedBy(n):
    return sortedSlice(n)


def sortedFunc(n):
    out = spots[:n]
    out.sort(key=functools.cmp_to_key(lambda a, b: (a.x > b.x) - (a.x < b.x)))
    return out[n // 2].x


def encoded(n):
    return len(json.dumps(crowd[:n], separators=(",", ":"))) // n


def decoded(n):
    out = json.loads(plain)
    return len(out) + out[n - 1]["age"]


def printed(n):
    t = 0
    for i in range(n):
        t += len("%d: %s %.2f" % (i, "item", i / 3))
    return t


def passed(n, size):
    c, t = queue.Queue(size), 0

    def send():
        for i in range(n):
            c.put(i)
        c.put(None)

    sender = threading.Thread(target=send)
    sender.start()
    while (v := c.get()) is not None:
        t += v
    sender.join()
    return t


def handed(n):
    return passed(n, 1)


def buffered(n):
    return passed(n, 128)


def selects(n):
    c, t = queue.Queue(1), 0

    def send(sign):
        for i in range(n):
            c.put((sign, i))

    senders = [threading.Thread(target=send, args=(sign,)) for sign in (1, -1)]
    for sender in senders:
        sender.start()
    for _ in range(2 * n):
        sign, v = c.get()
        t += sign * v
    for sender in senders:
        sender.join()
    return t


def locks(n):
    mu, t = threading.Lock(), 0
    for i in range(n):
        mu.acquire()
        t += i
        mu.release()
    return t


def deferred(n):
    mu, t = threading.Lock(), 0

    def add(k):
        nonlocal t
        with mu:
            t += k

    for i in range(n):
        add(i)
    return t


def callbacks(n):
    return len("".join(map(lambda c: "i" if c == "e" else c, text.encode()[:n].decode())).encode())


def built(n):
    b = io.StringIO()
    for _ in range(n):
        b.write("word ")
    return len(b.getvalue())


def split(n):
    t = 0
    for _ in range(n):
        t += len(text.split()) + len(text.split(" "))
    return t


def characters(n):
    t = 0
    for _ in range(n):
        for r in text:
            if r == "ü":
                t += 1
    return t


def converted(n):
    t = 0
    for i in range(n):
        t += int(str(i))
    return t
