package wire

import (
	"crypto/sha256"
	"sync"
)

// signaturesKept is how many messages are remembered. A recorded message can be repeated at once, so the newest matter.
const signaturesKept = 1 << 14

// signatures remembers received messages. A recorded message that is sent again has a right signature but must not be
// obeyed.
type signatures struct {
	mu    sync.Mutex
	known map[[sha256.Size]byte]struct{}
	order [][sha256.Size]byte // a ring once it is full
	next  int
}

// first reports whether a signature is new.
func (s *signatures) first(signature []byte) bool {
	sum := sha256.Sum256(signature) // of one length, whatever the scheme
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.known[sum]; ok {
		return false
	}
	if s.known == nil {
		s.known = make(map[[sha256.Size]byte]struct{})
	}
	if len(s.order) < signaturesKept {
		s.order = append(s.order, sum)
	} else {
		delete(s.known, s.order[s.next])
		s.order[s.next] = sum
		s.next = (s.next + 1) % signaturesKept
	}
	s.known[sum] = struct{}{}
	return true
}
