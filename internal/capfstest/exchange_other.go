//go:build !linux

package capfstest

// renameThree exchanges two names where the system cannot do it in one step.
func renameThree(a, b string, rename func(string, string) error) error {
	side := a + ".side"
	if err := rename(a, side); err != nil {
		return err
	}
	if err := rename(b, a); err != nil {
		return err
	}
	return rename(side, b)
}
