package disk

import "errors"

// ErrLocked is the error of Lock for a file that another program has locked.
var ErrLocked = errors.New("another program has locked the file")
