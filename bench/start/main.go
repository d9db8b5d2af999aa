// Command start measures how long a Reeve MCP server takes from being started
// to its initialize reply, and how much memory it holds after tools/list.
//
//	start [-max-ms N] [-max-mb N] REEVE DIR
//
// The flags are goals. More memory than -max-mb is a failure (exit code 1). A
// start longer than -max-ms is only said to be one, since other work on the
// machine slows it down; the memory does not depend on that.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"time"
)

const rounds = 15

func main() {
	maxMS := flag.Float64("max-ms", 0, "goal for the fastest start, in ms (0: none)")
	maxMB := flag.Float64("max-mb", 0, "bound of the median resident memory, in MB (0: none)")
	flag.Parse()
	if flag.NArg() != 2 {
		fmt.Fprintln(os.Stderr, "usage: start [-max-ms N] [-max-mb N] REEVE DIR")
		os.Exit(2)
	}
	state, err := os.MkdirTemp("", "reeve-bench-")
	if err != nil {
		fail(err)
	}
	defer os.RemoveAll(state)
	var took []time.Duration
	var rss []int
	for range rounds {
		d, kb, err := once(flag.Arg(0), flag.Arg(1), state)
		if err != nil {
			fail(err)
		}
		took, rss = append(took, d), append(rss, kb)
	}
	sort.Slice(took, func(i, j int) bool { return took[i] < took[j] })
	sort.Ints(rss)
	fmt.Printf("start to initialize reply: min %.2f ms, median %.2f ms (%d runs)\n", ms(took[0]), ms(took[rounds/2]), rounds)
	if rss[rounds/2] > 0 {
		fmt.Printf("resident after tools/list: min %.1f MB, median %.1f MB\n", float64(rss[0])/1024, float64(rss[rounds/2])/1024)
	}
	if *maxMS > 0 && ms(took[0]) > *maxMS {
		fmt.Fprintf(os.Stderr, "warning: the fastest start took %.2f ms, over the goal of %g ms\n", ms(took[0]), *maxMS)
	}
	if *maxMB > 0 {
		switch mb := float64(rss[rounds/2]) / 1024; {
		case mb == 0:
			fmt.Fprintln(os.Stderr, "warning: resident memory is not known on this system")
		case mb > *maxMB:
			os.RemoveAll(state) // fail does not come back
			fail(fmt.Errorf("%.1f MB resident after tools/list, over the bound of %g MB", mb, *maxMB))
		}
	}
}

func once(reeve, dir, state string) (time.Duration, int, error) {
	cmd := exec.Command(reeve, "mcp", dir)
	cmd.Env = append(os.Environ(), "REEVE_STATE="+state, "REEVE_CONFIG="+filepath.Join(state, "none.toml"))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return 0, 0, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, 0, err
	}
	lines := bufio.NewReaderSize(out, 1<<20)
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, 0, err
	}
	fmt.Fprintln(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`)
	if _, err := lines.ReadString('\n'); err != nil {
		return 0, 0, err
	}
	took := time.Since(began)
	fmt.Fprintln(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	fmt.Fprintln(in, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return 0, 0, err
		}
		if strings.Contains(line, `"id":2`) {
			break
		}
	}
	kb := resident(cmd.Process.Pid)
	in.Close()
	return took, kb, cmd.Wait()
}

// resident reads VmRSS in kB; 0 where there is no /proc.
func resident(pid int) int {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for _, line := range strings.Split(string(b), "\n") {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			n, _ := strconv.Atoi(strings.Fields(rest)[0])
			return n
		}
	}
	return 0
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func fail(err error) {
	fmt.Fprintln(os.Stderr, "start:", err)
	os.Exit(1)
}
