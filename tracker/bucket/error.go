package bucket

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strings"

	"github.com/minio/minio-go/v7"
)

// Kind is the kind of an Error.
type Kind int

// The kinds.
const (
	Away     Kind = iota // the storage cannot be reached, or fails
	Denied               // it refuses the credentials
	NoBucket             // there is no such bucket
	Missing              // there is no such object
	Invalid              // an address is wrong
)

// Error is an error of a storage. Text is one line for people: what is wrong and what helps.
type Error struct {
	Kind Kind
	Text string
	Err  error // the cause; may be nil
}

func (e *Error) Error() string { return e.Text }

func (e *Error) Unwrap() error { return e.Err }

// Is reports whether err is an Error of a kind.
func (k Kind) Is(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Kind == k
}

// fail returns the Error for an error of the client.
func (s *Store) fail(ctx context.Context, at Place, err error) error {
	if err == nil {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if _, ofFile := errors.AsType[*fs.PathError](err); ofFile { // of this machine
		return err
	}
	e := &Error{Kind: Away, Err: err}
	cause := strings.Join(strings.Fields(err.Error()), " ")
	answer, answered := errors.AsType[minio.ErrorResponse](err)
	if answered && answer.Code != "" && answer.Message != answer.Code {
		cause = answer.Code + ": " + strings.Join(strings.Fields(answer.Message), " ")
	}
	switch {
	case !answered || answer.StatusCode == 0:
		e.Text = fmt.Sprintf("%s: the storage %s cannot be reached (%s); AWS_ENDPOINT_URL says where it is", at.URI(),
			s.endpoint, cause)
	case answer.Code == minio.NoSuchBucket:
		e.Kind = NoBucket
		e.Text = fmt.Sprintf("%s: the storage %s has no bucket %s; create it, or name another one", at.URI(), s.endpoint,
			at.Bucket)
	case answer.Code == minio.NoSuchKey, answer.StatusCode == http.StatusNotFound:
		e.Kind = Missing
		e.Text = fmt.Sprintf("%s is not in the storage %s", at.URI(), s.endpoint)
	case answer.StatusCode == http.StatusForbidden, answer.StatusCode == http.StatusUnauthorized,
		answer.Code == "ExpiredToken", answer.Code == "InvalidToken":
		e.Kind = Denied
		e.Text = fmt.Sprintf("%s: the storage %s refuses access (%s); %s", at.URI(), s.endpoint, cause, s.remedy())
	default:
		e.Text = fmt.Sprintf("%s: the storage %s fails (status %d, %s)", at.URI(), s.endpoint, answer.StatusCode, cause)
	}
	return e
}

// remedy returns what helps if access is refused.
func (s *Store) remedy() string {
	const where = "AWS_ACCESS_KEY_ID with AWS_SECRET_ACCESS_KEY, or ~/.aws/credentials"
	if v, err := s.creds.GetWithContext(nil); err != nil || v.AccessKeyID == "" {
		return "no credentials were found: set " + where
	}
	return "check " + where + ", AWS_REGION, and what this key may do with the bucket"
}
