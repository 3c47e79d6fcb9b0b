package cell_test

import "testing"

// packageUses are cells that use a package each, and what they give.
var packageUses = [][2]string{
	{`import ("bytes"; "crypto/ecdh"; "fmt")
one, _ := ecdh.P256().NewPrivateKey(bytes.Repeat([]byte{1}, 32))
two, _ := ecdh.P256().NewPrivateKey(bytes.Repeat([]byte{2}, 32))
x, _ := one.ECDH(two.PublicKey())
y, _ := two.ECDH(one.PublicKey())
fmt.Sprint(len(x), bytes.Equal(x, y))`, "[32 true]"},
	// RFC 5869, first case
	{`import ("crypto/hkdf"; "crypto/sha256"; "hash")
secret, salt := bytes.Repeat([]byte{11}, 22), []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
key, _ := hkdf.Key(sha256.New, secret, salt, "\xf0\xf1\xf2\xf3\xf4\xf5\xf6\xf7\xf8\xf9", 6)
pseudo, _ := hkdf.Extract(func() hash.Hash { return sha256.New() }, secret, salt)
again, _ := hkdf.Expand(sha256.New, pseudo, "\xf0\xf1\xf2\xf3\xf4\xf5\xf6\xf7\xf8\xf9", 6)
fmt.Sprintf("%x %x", key, again)`, "[3cb25f25faac 3cb25f25faac]"},
	{`type own struct{ hash.Hash }
func ofCell() (why any) {
	defer func() { why = recover() }()
	_, err := hkdf.Key(func() own { return own{sha256.New()} }, secret, salt, "", 6)
	return err
}
ofCell()`, "[<nil>]"},
	// RFC 6070, second case
	{`import ("crypto/pbkdf2"; "crypto/sha1")
derived, err := pbkdf2.Key(sha1.New, "password", []byte("salt"), 2, 20)
fmt.Sprintf("%x %v", derived[:4], err)`, "[ea6c014d <nil>]"},
	{"import \"crypto/sha3\"\nfmt.Sprintf(\"%.4x\", sha3.Sum256([]byte(\"abc\")))", "[3a985da7]"},
	{"import \"crypto/des\"\n_, err = des.NewCipher(nil)\nerr", "[crypto/des: invalid key size 0]"},
	{"import \"crypto/rc4\"\n_, err = rc4.NewCipher(nil)\nerr", "[crypto/rc4: invalid key size 0]"},
	{"import \"crypto/dsa\"\ndsa.L2048N256", "[2]"},
	{"import \"crypto/fips140\"\nfips140.Enabled()", "[false]"},
	{"import \"crypto/hpke\"\nhpke.AES128GCM().ID()", "[1]"},
	{`import "crypto/mlkem"
decapsulation, _ := mlkem.GenerateKey768()
shared, sent := decapsulation.EncapsulationKey().Encapsulate()
opened, _ := decapsulation.Decapsulate(sent)
bytes.Equal(shared, opened)`, "[true]"},
	{"import (\"debug/buildinfo\"; \"os\")\nprogram, _ := os.Executable()\nb, err := buildinfo.ReadFile(program)\n" +
		"fmt.Sprint(b.Path, err)", "[github.com/spherelab/spherelab/kernel/golang/cell.test<nil>]"},
	{"import \"debug/dwarf\"\ndwarf.TagMember", "[Member]"},
	{"import \"debug/elf\"\n_, err = elf.NewFile(bytes.NewReader(make([]byte, 99)))\nerr",
		"[bad magic number '[0 0 0 0]' in record at byte 0x0]"},
	{"import \"debug/gosym\"\ngosym.NewLineTable(nil, 7).PC", "[7]"},
	{"import \"debug/macho\"\nmacho.CpuArm64", "[CpuArm64]"},
	{"import \"debug/pe\"\npe.IMAGE_FILE_DLL", "[8192]"},
	{"import \"debug/plan9obj\"\nplan9obj.MagicAMD64", "[35479]"},
	{"import \"embed\"\n_, err = embed.FS{}.ReadFile(\"a\")\nerr", "[open a: file does not exist]"},
	{"import \"go/build\"\nbuild.IsLocalImport(\"./x\")", "[true]"},
	{"import \"go/build/constraint\"\nparsed, _ := constraint.Parse(\"//go:build a && !b\")\nparsed.String()", "[a && !b]"},
	{"import \"go/doc/comment\"\nnew(comment.Parser).Parse(\"# A\\n\\ntext\").Content[1].(*comment.Paragraph).Text[0]",
		"[text]"},
	{"import \"go/version\"\nversion.Lang(\"go1.21rc2\")", "[go1.21]"},
	{"import (\"net/http/cgi\"; \"net/http/fcgi\")\nr, _ := cgi.RequestFromMap(map[string]string{" +
		"\"REQUEST_METHOD\": \"GET\", \"HTTP_HOST\": \"h\", \"REQUEST_URI\": \"/p\", \"SERVER_PROTOCOL\": \"HTTP/1.1\"})\n" +
		"fmt.Sprint(r.URL, fcgi.ProcessEnv(r))", "[http://h/p map[]]"},
	{"import \"structs\"\nstruct{ _ structs.HostLayout; N int }{N: 4}.N", "[4]"},
	{"import \"testing/slogtest\"\nslogtest.TestHandler != nil", "[true]"},
	{`import ("net/netip"; "unique")
type Name string
type pair struct{ A any; B Name }
words := []unique.Handle[Name]{unique.Make(Name("a" + fmt.Sprint(1))), unique.Make(Name("a1")), unique.Make(Name("b"))}
text, pairs := unique.Make("a1"), unique.Make(pair{words[0], "x"})
var none any
fmt.Sprint(words[0] == words[1], words[0] == words[2], words[2].Value(), text.Value(),
	any(text) == any(words[0]), pairs == unique.Make(pair{words[1], "x"}), pairs.Value().B, unique.Make(none).Value(),
	unique.Make[fmt.Stringer](netip.MustParseAddr("::1")).Value(), netip.MustParseAddr("::1") == netip.IPv6Loopback())`,
		"[true falseba1false truex<nil> ::1 true]"},
	{`import ("runtime"; "weak")
type node struct{ next *node; n [20]int }
func make1() weak.Pointer[node] { v := &node{}; v.n[3] = 5; return weak.Make(v) }
held := &node{n: [20]int{7}}
kept, lost := weak.Make(held), make1()
for range 3 { runtime.GC() }
fmt.Sprint(kept.Value().n[0], kept == weak.Make(held), kept == lost, lost.Value() == nil, weak.Pointer[node]{}.Value())`,
		"[7 true false true <nil>]"},

	{"import \"gonum.org/v1/gonum/stat/distuv\"\nfmt.Sprintf(\"%.6f\", distuv.Normal{Mu: 1, Sigma: 2}.CDF(3))", "[0.841345]"},
	{`import "gonum.org/v1/gonum/optimize"
best, err := optimize.Minimize(optimize.Problem{Func: func(x []float64) float64 { return (x[0]-3)*(x[0]-3) + x[1]*x[1] }},
	[]float64{0, 1}, nil, &optimize.NelderMead{})
fmt.Sprintf("%.3f %v", best.X[0], err)`, "[3.000 <nil>]"},
	{`import ("gonum.org/v1/gonum/graph"; "gonum.org/v1/gonum/graph/simple"; "gonum.org/v1/gonum/graph/topo")
g := simple.NewWeightedDirectedGraph(0, 0)
for _, e := range [][3]float64{{1, 2, 5}, {1, 3, 1}, {3, 2, 1}, {2, 4, 1}} {
	g.SetWeightedEdge(g.NewWeightedEdge(simple.Node(e[0]), simple.Node(e[1]), e[2]))
}
sorted, err := topo.Sort(g)
fmt.Sprint(sorted, err)`, "[[1 3 2 4] <nil>]"},
	{"import \"gonum.org/v1/gonum/graph/path\"\nway, cost := path.DijkstraFrom(g.Node(1), g).To(4)\n" +
		"fmt.Sprint(way, cost)", "[[1 3 2 4] 3]"},
	{"import \"gonum.org/v1/gonum/graph/network\"\nfmt.Sprint(network.Betweenness(g)[2])", "[2]"},
	{`type city struct{ id int64; name string }
func (c city) ID() int64 { return c.id }
roads := simple.NewUndirectedGraph()
roads.SetEdge(simple.Edge{F: city{1, "Ulm"}, T: city{2, "Jena"}})
var found graph.Node = roads.Node(2)
fmt.Sprint(found.(city).name, len(topo.ConnectedComponents(roads)))`, "[Jena1]"},

	{"import \"github.com/jmoiron/sqlx\"\nquery, args, err := sqlx.In(\"a in (?) and b = ?\", []int{3, 4}, \"x\")\n" +
		"fmt.Sprint(sqlx.Rebind(sqlx.DOLLAR, query), args, err)", "[a in ($1, $2) and b = $3[3 4 x] <nil>]"},
	{"import \"github.com/lib/pq\"\npq.QuoteIdentifier(`a\"b`)", "[\"a\"\"b\"]"},
}

// TestPackages uses linked packages in cells.
func TestPackages(t *testing.T) {
	t.Parallel()
	s := newSession(t)
	for _, c := range packageUses {
		if got := run1(t, s, c[0]); got != c[1] {
			t.Errorf("%s\ngave %s, want %s", c[0], got, c[1])
		}
	}
}
