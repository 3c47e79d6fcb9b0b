package web

import (
	"bytes"
	"html/template"
	"net/url"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// notes renders Markdown. HTML in a note is text: the parsers that would read it are left out, so nothing that is
// written is lost. A line of a note stays a line.
var notes = goldmark.New(
	goldmark.WithParser(parser.NewParser(
		parser.WithBlockParsers(without(parser.DefaultBlockParsers(), parser.NewHTMLBlockParser())...),
		parser.WithInlineParsers(without(parser.DefaultInlineParsers(), parser.NewRawHTMLParser())...),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
		parser.WithASTTransformers(util.Prioritized(tameNotes{}, 1000)),
	)),
	goldmark.WithExtensions(extension.Linkify, extension.Table, extension.Strikethrough),
	goldmark.WithRendererOptions(html.WithHardWraps()))

// without returns a list of parsers without one of them.
func without(list []util.PrioritizedValue, parser any) []util.PrioritizedValue {
	return slices.DeleteFunc(list, func(v util.PrioritizedValue) bool { return v.Value == parser })
}

// renderNote returns a note in Markdown as HTML.
func renderNote(note string) template.HTML {
	var b bytes.Buffer
	if err := notes.Convert([]byte(plain(oneEnd(note))), &b); err != nil {
		return template.HTML(template.HTMLEscapeString(note)) // cannot happen: a buffer takes everything
	}
	return template.HTML(b.String())
}

// tameNotes changes what a note may not have in a page: its headings are below that of the page, a picture, which the
// page would not load from elsewhere, is a link to it, and a link that does not lead to a page is its text.
type tameNotes struct{}

func (tameNotes) Transform(doc *ast.Document, from text.Reader, _ parser.Context) {
	var all []ast.Node
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // its function returns no error
		if entering {
			all = append(all, n)
		}
		return ast.WalkContinue, nil
	})
	for _, n := range all {
		switch n := n.(type) {
		case *ast.Heading:
			n.Level = min(n.Level+1, 6)
		case *ast.Image:
			link := ast.NewLink()
			link.Destination = n.Destination
			for n.HasChildren() {
				link.AppendChild(link, n.FirstChild())
			}
			n.Parent().ReplaceChild(n.Parent(), n, link)
			tameLink(link, link.Destination)
		case *ast.Link:
			tameLink(n, n.Destination)
		case *ast.AutoLink:
			if n.AutoLinkType == ast.AutoLinkURL && !leads(n.URL(from.Source())) {
				n.Parent().ReplaceChild(n.Parent(), n, ast.NewString(n.Label(from.Source())))
			}
		}
	}
}

// tameLink replaces a link that does not lead to a page by its text.
func tameLink(n ast.Node, to []byte) {
	if leads(to) {
		return
	}
	for n.HasChildren() {
		n.Parent().InsertBefore(n.Parent(), n, n.FirstChild())
	}
	n.Parent().RemoveChild(n.Parent(), n)
}

// leads reports whether an address leads to a page of this server, to one elsewhere, or to a mailbox.
func leads(address []byte) bool {
	to, err := url.Parse(strings.TrimSpace(string(util.URLEscape(address, true)))) // as the renderer writes it
	return err == nil && slices.Contains([]string{"", "http", "https", "mailto"}, strings.ToLower(to.Scheme))
}
