package tracker

// Insist is insist, for the tests of this package that need a database.
var Insist = insist
