package postgres

// CancelWith is cancelWith, for the tests of this package that need a database.
var CancelWith = cancelWith

// ForgetSummary is forgetSummary, for a test of who waits for whom.
var ForgetSummary = forgetSummary

// SummaryLock is summaryLock.
const SummaryLock = summaryLock

// AsOneRun is asOneRun, for a test that looks into its transaction.
var AsOneRun = asOneRun
