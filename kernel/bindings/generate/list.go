package main

const module = "github.com/spherelab/spherelab"

// own are the packages of this module that cells may import.
var own = []string{
	module + "/spherE",
	module + "/spherE/kg",
	module + "/spherE/eval",
	module + "/spherE/retrieve",
	module + "/experiments",
	module + "/experiments/answer",
	module + "/experiments/config",
	module + "/experiments/progress",
	module + "/experiments/search",
	module + "/experiments/worker",
	module + "/experiments/lab/session",
	module + "/experiments/results",
	module + "/chart",
	module + "/tracker",
	module + "/tracker/open",
	module + "/tracker/postgres",
}

// foreign are linked packages of other modules. Where one names a type of a package, that is linked, too: interpreted
// from a module, it would declare another type.
var foreign = []string{
	"github.com/jmoiron/sqlx",
	"github.com/jmoiron/sqlx/reflectx",
	"github.com/lib/pq",
	"github.com/lib/pq/oid",
	"github.com/lib/pq/pqerror",
	"gonum.org/v1/gonum/blas",
	"gonum.org/v1/gonum/blas/blas64",
	"gonum.org/v1/gonum/blas/cblas128",
	"gonum.org/v1/gonum/floats",
	"gonum.org/v1/gonum/graph",
	"gonum.org/v1/gonum/graph/network",
	"gonum.org/v1/gonum/graph/path",
	"gonum.org/v1/gonum/graph/set/uid",
	"gonum.org/v1/gonum/graph/simple",
	"gonum.org/v1/gonum/graph/spectral",
	"gonum.org/v1/gonum/graph/topo",
	"gonum.org/v1/gonum/graph/traverse",
	"gonum.org/v1/gonum/lapack",
	"gonum.org/v1/gonum/lapack/lapack64",
	"gonum.org/v1/gonum/mat",
	"gonum.org/v1/gonum/optimize",
	"gonum.org/v1/gonum/spatial/r1",
	"gonum.org/v1/gonum/stat",
	"gonum.org/v1/gonum/stat/distmv",
	"gonum.org/v1/gonum/stat/distuv",
}

// standard are the packages of the standard library that cells can import. docs/kernel.md says why the others are left
// out.
var standard = []string{
	"archive/tar", "archive/zip", "bufio", "bytes", "compress/bzip2", "compress/flate", "compress/gzip",
	"compress/lzw", "compress/zlib", "container/heap", "container/list", "container/ring", "context", "crypto",
	"crypto/aes", "crypto/cipher", "crypto/des", "crypto/dsa", "crypto/ecdh", "crypto/ecdsa", "crypto/ed25519",
	"crypto/elliptic", "crypto/fips140", "crypto/hkdf", "crypto/hmac", "crypto/hpke", "crypto/md5", "crypto/mlkem",
	"crypto/pbkdf2", "crypto/rand", "crypto/rc4", "crypto/rsa", "crypto/sha1", "crypto/sha256", "crypto/sha3",
	"crypto/sha512", "crypto/subtle", "crypto/tls", "crypto/x509", "crypto/x509/pkix", "database/sql",
	"database/sql/driver", "debug/buildinfo", "debug/dwarf", "debug/elf", "debug/gosym", "debug/macho", "debug/pe",
	"debug/plan9obj", "embed", "encoding", "encoding/ascii85", "encoding/asn1", "encoding/base32", "encoding/base64",
	"encoding/binary", "encoding/csv", "encoding/gob", "encoding/hex", "encoding/json", "encoding/pem",
	"encoding/xml", "errors", "flag", "fmt", "go/ast", "go/build", "go/build/constraint", "go/constant", "go/doc",
	"go/doc/comment", "go/format", "go/importer", "go/parser", "go/printer", "go/scanner", "go/token", "go/types",
	"go/version", "hash", "hash/adler32", "hash/crc32", "hash/crc64", "hash/fnv", "hash/maphash", "html",
	"html/template", "image", "image/color", "image/color/palette", "image/draw", "image/gif", "image/jpeg",
	"image/png", "index/suffixarray", "io", "io/fs", "io/ioutil", "log", "log/slog", "math", "math/big", "math/bits",
	"math/cmplx", "math/rand", "math/rand/v2", "mime", "mime/multipart", "mime/quotedprintable", "net", "net/http",
	"net/http/cgi", "net/http/cookiejar", "net/http/fcgi", "net/http/httptest", "net/http/httptrace",
	"net/http/httputil", "net/mail", "net/netip", "net/smtp", "net/textproto", "net/url", "os", "os/exec",
	"os/signal", "os/user", "path", "path/filepath", "reflect", "regexp", "regexp/syntax", "runtime",
	"runtime/debug", "runtime/metrics", "runtime/pprof", "runtime/trace", "sort", "strconv", "strings", "structs",
	"sync", "sync/atomic", "testing", "testing/fstest", "testing/iotest", "testing/quick", "testing/slogtest",
	"text/scanner", "text/tabwriter", "text/template", "text/template/parse", "time", "unicode", "unicode/utf16",
	"unicode/utf8", "unique", "weak",
}
