package kernel

import (
	"crypto/sha256"
	"sync"
)

// signaturesKept is how many messages are remembered. Whoever can repeat a message can do so at once, so the newest matter.
const signaturesKept = 1 << 14

// signatures remembers which messages came, so that a message that somebody recorded and sends again is not obeyed: the signature of a repeated message is right.
type signatures struct {
	mu    sync.Mutex
	known map[[sha256.Size]byte]struct{}
	order [][sha256.Size]byte // a ring once it is full
	next  int
}

// first reports whether a signature was not seen before. Without a key there are no signatures, and everything is the first of its kind.
func (s *signatures) first(signature []byte) bool {
	if len(signature) == 0 {
		return true
	}
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
