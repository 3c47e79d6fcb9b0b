package main

const module = "github.com/spherelab/spherelab"

// own are the packages of this module that cells may import.
var own = []string{
	module + "/spherE",
	module + "/spherE/kg",
	module + "/spherE/eval",
	module + "/spherE/retrieve",
	module + "/experiments",
	module + "/experiments/lab",
	module + "/experiments/results",
	module + "/chart",
	module + "/tracker",
}

// foreign are linked packages of other modules.
var foreign = []string{
	"gonum.org/v1/gonum/floats",
	"gonum.org/v1/gonum/mat",
	"gonum.org/v1/gonum/stat",
}

// standard are the packages of the standard library that are bound as of today and documented. The interpreter's own
// tables have more (go/types, debug/elf, ...), as of Go 1.18. Packages that differ between systems (syscall) are left
// to them.
var standard = []string{
	"archive/zip", "bufio", "bytes", "compress/gzip", "container/heap", "container/list", "container/ring", "context",
	"crypto/hmac", "crypto/md5", "crypto/rand", "crypto/sha1", "crypto/sha256", "crypto/sha512", "database/sql",
	"encoding", "encoding/base64", "encoding/binary", "encoding/csv", "encoding/gob", "encoding/hex", "encoding/json",
	"encoding/xml",
	"errors", "flag", "fmt", "hash", "hash/crc32", "hash/fnv", "hash/maphash", "html", "html/template",
	"image", "image/color", "image/draw", "image/gif", "image/jpeg", "image/png", "io", "io/fs", "log", "log/slog",
	"math", "math/big", "math/bits", "math/cmplx", "math/rand", "math/rand/v2", "mime",
	"net", "net/http", "net/http/httptest", "net/netip", "net/url",
	"os", "os/exec", "os/signal", "os/user", "path", "path/filepath", "reflect", "regexp", "runtime", "runtime/debug",
	"sort", "strconv", "strings", "sync", "sync/atomic", "testing", "testing/fstest",
	"text/tabwriter", "text/template", "time",
	"unicode", "unicode/utf16", "unicode/utf8",
}
