package repotest

// StaleExceptions finds exceptions that nothing uses any more: a list of
// reasons is only worth reading while each of them is needed.
func StaleExceptions(t *Tree) []Finding {
	var out []Finding
	stale := func(list []May, file string, check func([]May) []Finding) {
		for i, m := range list {
			without := append(append([]May{}, list[:i]...), list[i+1:]...)
			if len(check(without)) <= len(check(list)) {
				out = append(out, Finding{file, "the exception for " + m.Package + " is not needed any more; take it out"})
			}
		}
	}
	stale(Globals(), "internal/repotest/state.go", func(l []May) []Finding { return NoGlobals(t, l) })
	stale(Unsafe(), "internal/repotest/state.go", func(l []May) []Finding { return NoUnsafe(t, l) })
	stale(WideInterfaces(), "internal/repotest/interfaces.go", func(l []May) []Finding { return Interfaces(t, l) })
	return out
}
