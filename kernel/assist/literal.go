package assist

import (
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/spherelab/spherelab/kernel"
)

// Argument is a string literal that is being typed as an argument of a call, or in a composite literal that is one.
type Argument struct {
	// Function is what is called: the path of its package and its name, "example.com/lab.Train", or those of a method,
	// "example.com/lab.Run.Ask".
	Function string
	// Operand is what a method is called on, as written in the cell. A variable of the same cell is replaced by the
	// expression that declares it, if that is above.
	Operand string
	// Value is the value of the variable that Operand begins with, as the last cell left it; nil if it has none.
	Value any
	// Index is the index of the argument, or of the element of the innermost composite literal, from 0. Before has the
	// arguments or elements before it: the text of a string literal, "" for anything else.
	Index  int
	Before []string
	// Nested is true if the literal is in a composite literal.
	Nested bool
	// Typed is the text of the literal up to the cursor.
	Typed string
}

// Words returns the possible contents of an argument's literal, best first. From is how many characters of
// Argument.Typed stay; a word replaces the rest. Calls are never concurrent and may take long: after wordsPatience the
// front end gets no completions, and may ask again when the call has ended.
type Words func(a Argument) (words []string, from int)

// wordsPatience is how long a completion waits for Words.
const wordsPatience = 400 * time.Millisecond

// literalWords are words and how many characters stay before them.
type literalWords struct {
	words []string
	from  int
}

// askWords calls Words, after a call that is still running has ended.
func (a *Assistant) askWords(arg Argument) literalWords {
	patience := time.NewTimer(wordsPatience)
	defer patience.Stop()
	select {
	case a.asking <- struct{}{}:
	case <-patience.C:
		return literalWords{}
	}
	answer := make(chan literalWords, 1)
	go func() {
		defer func() {
			_ = recover() // nothing is offered
			<-a.asking
			close(answer)
		}()
		words, from := a.words(arg)
		answer <- literalWords{words, from}
	}()
	select {
	case w := <-answer:
		return w
	case <-patience.C:
		return literalWords{}
	}
}

// open is a bracket that is not closed.
type open struct {
	at     int // index of the bracket
	rune   rune
	from   int // where the current argument begins
	before []string
}

// openLiteral is a string literal that is not closed: where its text begins, its quote, and the open brackets around
// it.
type openLiteral struct {
	start    int
	quote    rune
	brackets []open
}

// openLiteralIn scans code up to the cursor. It returns false if the cursor is not in a string literal.
func openLiteralIn(head []rune) (openLiteral, bool) {
	var stack []open
	for i := 0; i < len(head); i++ {
		switch c := head[i]; c {
		case '/':
			end := ""
			if i+1 < len(head) && head[i+1] == '/' {
				end = "\n"
			} else if i+1 < len(head) && head[i+1] == '*' {
				end = "*/"
			} else {
				continue
			}
			for i += 2; !strings.HasPrefix(string(head[i:min(i+len(end), len(head))]), end); i++ {
				if i == len(head) {
					return openLiteral{}, false
				}
			}
			i += len(end) - 1
		case '"', '`', '\'':
			end := endOfLiteral(head, i)
			if end < 0 {
				return openLiteral{i + 1, c, stack}, c != '\''
			}
			i = end
		case '(', '[', '{':
			stack = append(stack, open{at: i, rune: c, from: i + 1})
		case ')', ']', '}':
			if len(stack) > 0 {
				stack = stack[:len(stack)-1]
			}
		case ',':
			if len(stack) > 0 {
				o := &stack[len(stack)-1]
				o.before = append(o.before, literalText(string(head[o.from:i])))
				o.from = i + 1
			}
		}
	}
	return openLiteral{}, false
}

// endOfLiteral is the index of the quote that closes the literal at i, -1 if none does.
func endOfLiteral(head []rune, i int) int {
	for j := i + 1; j < len(head); j++ {
		switch {
		case head[j] == '\\' && head[i] != '`':
			j++
		case head[j] == head[i]:
			return j
		case head[j] == '\n' && head[i] != '`':
			return j // not closed on its line: the code is wrong or incomplete
		}
	}
	return -1
}

// literalText is the text of a string literal, "" for anything else.
func literalText(code string) string {
	text, err := strconv.Unquote(strings.TrimSpace(code))
	if err != nil {
		return ""
	}
	return text
}

// typed returns the text of a literal up to the cursor. It returns false if it ends within an escape.
func (l openLiteral) typed(head []rune) (string, bool) {
	text := string(head[l.start:])
	if l.quote == '`' || !strings.Contains(text, `\`) {
		return text, true
	}
	text, err := strconv.Unquote(`"` + text + `"`)
	return text, err == nil
}

// completeLiteral returns completions of the string literal at the cursor. It returns false if the cursor is not in a
// literal.
func (a *Assistant) completeLiteral(head []rune, cursor int) (answer kernel.Completion, ok bool) {
	answer = kernel.Completion{Matches: []string{}, Start: cursor, End: cursor, Types: []string{}}
	l, in := openLiteralIn(head)
	if !in {
		return answer, false
	}
	typed, whole := l.typed(head)
	answer.Start = l.start
	arg, called := a.argument(head, l)
	if !called || !whole || a.words == nil {
		return answer, true
	}
	arg.Typed = typed
	offered := a.askWords(arg)
	stays := string([]rune(typed)[:max(0, min(offered.from, len([]rune(typed))))])
	escaped, _ := l.quoted(stays)
	answer.Start = min(cursor, l.start+len([]rune(escaped)))
	for _, text := range offered.words {
		if quoted, fits := l.quoted(text); fits {
			answer.Matches = append(answer.Matches, quoted)
			answer.Types = append(answer.Types, kindText)
		}
	}
	return answer, true
}

// quoted returns a text as written in the literal. It returns false if a raw literal cannot contain it.
func (l openLiteral) quoted(text string) (string, bool) {
	if l.quote == '`' {
		return text, strconv.CanBackquote(text)
	}
	text = strconv.Quote(text)
	return text[1 : len(text)-1], true
}

// argument returns the call that a literal is an argument of.
func (a *Assistant) argument(head []rune, l openLiteral) (arg Argument, ok bool) {
	if len(l.brackets) == 0 {
		return arg, false
	}
	inner := l.brackets[len(l.brackets)-1]
	if strings.TrimSpace(string(head[inner.from:l.start-1])) != "" {
		return arg, false // "a" + "b", or the value of a key
	}
	arg.Index, arg.Before = len(inner.before), inner.before
	call := len(l.brackets) - 1
	for call >= 0 && l.brackets[call].rune == '{' {
		call, arg.Nested = call-1, true
	}
	if call < 0 || l.brackets[call].rune != '(' {
		return arg, false
	}
	at := l.brackets[call].at
	callee := strings.TrimSpace(string(primary(head[:at])))
	dot := strings.LastIndexByte(callee, '.')
	if dot < 0 {
		return arg, false
	}
	operand, name := callee[:dot], callee[dot+1:]
	before := string(head[:at-len([]rune(callee))])
	if path, ok := a.language.Package(operand); ok {
		arg.Function = path + "." + name
		return arg, true
	}
	arg.Operand = declaredOperand(operand, before)
	typ, ok := a.language.TypeOf(arg.Operand)
	if !ok {
		return arg, false
	}
	arg.Value = a.language.Value(word.FindString(arg.Operand))
	arg.Function = typ + "." + name
	return arg, true
}

// declaredOperand replaces the variable that an operand begins with by what the code before declares it with, a few
// times.
func declaredOperand(operand, before string) string {
	for range 4 {
		root := word.FindString(operand)
		if root == "" || !strings.HasPrefix(operand, root) {
			break
		}
		all := regexp.MustCompile(`(?m)^[ \t]*`+regexp.QuoteMeta(root)+`[ \t]*:?=[ \t]*([^\n;]+)`).
			FindAllStringSubmatchIndex(before, -1)
		if len(all) == 0 {
			break
		}
		last := all[len(all)-1]
		right := strings.TrimRightFunc(before[last[2]:last[3]], unicode.IsSpace)
		operand, before = right+strings.TrimPrefix(operand, root), before[:last[0]]
	}
	return operand
}
