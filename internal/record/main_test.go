package record

import (
	"os"
	"testing"
)

// Some tests start this binary again, to be another process: in another place,
// as another user, or to be killed.
func TestMain(m *testing.M) {
	if what := os.Getenv("RECORD_TEST_CHILD"); what != "" {
		os.Exit(child(what))
	}
	os.Exit(m.Run())
}
