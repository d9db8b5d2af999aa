package cli

// alone has nothing to do: a console window that is asked shows it, and the
// test fails.
func alone() {}
