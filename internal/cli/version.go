package cli

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// release is the version that is being made. A build from a checkout adds the
// revision.
const release = "0.1.0-dev"

type versionInfo struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	System   string `json:"system"`
}

func buildInfo() versionInfo {
	v := versionInfo{Version: release, Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Revision = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	return v
}

// programVersion is what the record and the clients are told.
func programVersion() string { return release }

func versionCommand(env *Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "version [--json]",
		Short:   "Show which Reeve this is",
		Long:    "Shows the version, the revision it was built from, the Go release and the system.",
		Example: "  reeve version --json",
		Args:    exactly(0, ""),
		RunE: func(*cobra.Command, []string) error {
			v := buildInfo()
			if asJSON {
				return printJSON(env.Stdout, v)
			}
			rev := ""
			if len(v.Revision) >= 12 {
				rev = " " + v.Revision[:12]
				if v.Modified {
					rev += ", changed since"
				}
				rev = " (" + rev[1:] + ")"
			}
			_, err := fmt.Fprintf(env.Stdout, "reeve %s%s %s %s\n", v.Version, rev, v.Go, v.System)
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	return cmd
}

// printJSON writes one value, indented, without HTML escapes.
func printJSON(w interface{ Write([]byte) (int, error) }, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
