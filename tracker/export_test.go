package tracker

// CancelWith is cancelWith, for the tests of this package that need a database.
var CancelWith = cancelWith
