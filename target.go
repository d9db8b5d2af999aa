package reeve

// Target names a computer. It stands in every request, place, ledger and
// record key from the first day, so that a grant for one computer can never
// be used on another.
type Target string

// Local is the computer this process runs on.
const Local Target = "local"
