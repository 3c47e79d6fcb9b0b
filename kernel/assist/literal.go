package assist

import (
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/spherelab/spherelab/kernel"
)

// Argument is a string literal that is being typed as an argument of a call, or in a composite literal that is an
// argument of a call.
type Argument struct {
	// Function is the function that is called, with the path of its package: "example.com/lab.Train". For a method it
	// has the type, too: "example.com/lab.Run.Ask".
	Function string
	// Operand is the operand that a method is called on, as written in the cell. If it begins with a variable that the
	// code above assigns to, the assigned expression stands in place of the variable.
	Operand string
	// Value is what Language.Value returns for the name that Operand begins with. It may be nil.
	Value any
	// Index is the index of the argument, or of the element of the innermost composite literal, from 0. Before has the
	// arguments or elements before it: for a string literal its text, for anything else "".
	Index  int
	Before []string
	// Nested is true if the literal is in a composite literal.
	Nested bool
	// Typed is the text of the literal up to the cursor.
	Typed string
}

// Words returns the possible contents of an argument's literal, best first. from is the number of characters of
// Argument.Typed that are kept; a word replaces the rest. Calls are never concurrent. If a call takes longer than 0.4
// seconds, the front end gets no completions. It may ask again when the call has ended.
type Words func(a Argument) (words []string, from int)

// wordsTimeout is how long a completion waits for Words.
const wordsTimeout = 400 * time.Millisecond

// literalWords is the result of Words.
type literalWords struct {
	words []string
	from  int
}

// askWords calls Words when an earlier call has ended. If waiting and calling take longer than wordsTimeout, or if
// Words panics, there are no words.
func (a *Assistant) askWords(arg Argument) literalWords {
	timeout := time.NewTimer(wordsTimeout)
	defer timeout.Stop()
	select {
	case a.asking <- struct{}{}:
	case <-timeout.C:
		return literalWords{}
	}
	answer := make(chan literalWords, 1)
	go func() {
		defer func() {
			_ = recover() // completion must not end the kernel
			<-a.asking
			close(answer)
		}()
		words, from := a.words(arg)
		answer <- literalWords{words, from}
	}()
	select {
	case w := <-answer:
		return w
	case <-timeout.C:
		return literalWords{}
	}
}

// openBracket is a bracket that is not closed.
type openBracket struct {
	at     int // index of the bracket
	rune   rune
	from   int // where the current argument begins
	before []string
}

// openLiteral is a string literal that is not closed.
type openLiteral struct {
	start    int // index of its first character
	quote    rune
	brackets []openBracket // around it, the outermost first
}

// openLiteralIn returns the string literal that the code up to the cursor ends in. It returns false if the cursor is
// not in a string literal.
func openLiteralIn(head []rune) (openLiteral, bool) {
	var stack []openBracket
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
			stack = append(stack, openBracket{at: i, rune: c, from: i + 1})
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

// endOfLiteral returns the index of the quote that closes the literal at i, or of the line end that cuts it off. It
// returns -1 if the code ends within the literal.
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

// literalText returns the text of a string literal. For other code it returns "".
func literalText(code string) string {
	text, err := strconv.Unquote(strings.TrimSpace(code))
	if err != nil {
		return ""
	}
	return text
}

// typed returns the text of a literal up to the cursor. It returns false if the cursor is within an escape sequence.
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
	l, ok := openLiteralIn(head)
	if !ok {
		return answer, false
	}
	typed, isWhole := l.typed(head)
	answer.Start = l.start
	arg, isArgument := a.argument(head, l)
	if !isArgument || !isWhole || a.words == nil {
		return answer, true
	}
	arg.Typed = typed
	offered := a.askWords(arg)
	kept := string([]rune(typed)[:max(0, min(offered.from, len([]rune(typed))))])
	escaped, _ := l.quoted(kept)
	answer.Start = min(cursor, l.start+len([]rune(escaped)))
	for _, text := range offered.words {
		if quoted, fits := l.quoted(text); fits {
			answer.Matches = append(answer.Matches, quoted)
			answer.Types = append(answer.Types, kindText)
		}
	}
	return answer, true
}

// quoted returns a text as it is written between the literal's quotes. It returns false if a raw literal cannot contain
// it.
func (l openLiteral) quoted(text string) (string, bool) {
	if l.quote == '`' {
		return text, strconv.CanBackquote(text)
	}
	text = strconv.Quote(text)
	return text[1 : len(text)-1], true
}

// argument describes a literal as an argument of a call. It returns false if the literal is not an argument, or if the
// language does not know what is called.
func (a *Assistant) argument(head []rune, l openLiteral) (arg Argument, ok bool) {
	if len(l.brackets) == 0 {
		return arg, false
	}
	inner := l.brackets[len(l.brackets)-1]
	if strings.TrimSpace(string(head[inner.from:l.start-1])) != "" {
		return arg, false // the literal is part of an expression such as "a" + "b", or the value of a key
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

// declaredOperand replaces the variable that an operand begins with by the expression that the code before assigns to
// it. That expression may begin with a variable, too, so up to four variables are replaced in turn.
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
