package main

import (
	"bufio"
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode"
)

func wordCount(s string) map[string]int {
	m := map[string]int{}
	for w := range strings.FieldsSeq(strings.ToLower(s)) {
		m[strings.Trim(w, ".,!")]++
	}
	return m
}

func caesar(s string, k int) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return 'a' + (r-'a'+rune(k)+26)%26
		case r >= 'A' && r <= 'Z':
			return 'A' + (r-'A'+rune(k)+26)%26
		}
		return r
	}, s)
}

func reverse(s string) string {
	r := []rune(s)
	for i, j := 0, len(r)-1; i < j; i, j = i+1, j-1 {
		r[i], r[j] = r[j], r[i]
	}
	return string(r)
}

func main() {
	m := wordCount("The cat. the dog! A cat, the end")
	fmt.Println(m)
	fmt.Println(caesar("Hello, World", 3), caesar(caesar("Hello", 3), -3), reverse("añb"))
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 8, 1, '.', 0)
	fmt.Fprintln(w, "a\tbbb\tc")
	fmt.Fprintln(w, "aaaa\tb\tc")
	w.Flush()
	fmt.Print(b.String())
	sc := bufio.NewScanner(strings.NewReader("1 2\n3 x"))
	sc.Split(bufio.ScanWords)
	sum := 0
	for sc.Scan() {
		if n, err := strconv.Atoi(sc.Text()); err == nil {
			sum += n
		} else {
			fmt.Println(err)
		}
	}
	fmt.Println(sum)
	r := strings.NewReplacer("a", "1", "b", "2")
	fmt.Println(r.Replace("abc"), strings.EqualFold("Go", "GO"), strings.Count("cheese", "e"))
	var x, y int
	n, err := fmt.Sscanf("10-20", "%d-%d", &x, &y)
	fmt.Println(n, err, x, y)
	before, after, ok := strings.Cut("k=v", "=")
	fmt.Println(before, after, ok, strings.TrimFunc("123abc456", unicode.IsDigit))
	re := regexp.MustCompile(`(\w+)@(\w+)`)
	fmt.Println(re.FindStringSubmatch("me@home"), re.ReplaceAllStringFunc("a@b c@d", strings.ToUpper))
	buf := bytes.NewBufferString("line1\nline2")
	line, err := buf.ReadString('\n')
	fmt.Printf("%q %v %d\n", line, err, buf.Len())
	fmt.Println(strconv.Quote("a\tb"), strconv.FormatFloat(1.5, 'f', 2, 64), strconv.FormatInt(255, 2))
}
