// Command initcost measures what the package initialisers of a program cost
// before main: time as the minimum of 15 runs, memory as one run tells it. It
// only reads what the runtime says about itself under GODEBUG=inittrace=1,
// which leaves out the runtime's own start and the loading of the file.
package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"sort"
	"strings"
)

const rounds = 15

// goal is in milliseconds: what `reeve` may spend before main.
const goal = 3.0

type cost struct {
	name          string
	clock         float64 // milliseconds
	bytes, allocs int64
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: initcost REEVE")
		os.Exit(2)
	}
	var best []cost
	least := 0.0
	for range rounds {
		costs, err := once(os.Args[1])
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		sum := 0.0
		for _, c := range costs {
			sum += c.clock
		}
		if best == nil || sum < least {
			best, least = costs, sum
		}
	}
	var size, allocs int64
	for _, c := range best {
		size, allocs = size+c.bytes, allocs+c.allocs
	}
	fmt.Printf("initialisers: min %.3f ms of %d runs (goal %.0f ms), %d bytes, %d allocations, %d packages\n", least, rounds, goal, size, allocs, len(best))
	sort.Slice(best, func(i, j int) bool { return best[i].clock > best[j].clock })
	for _, c := range best[:min(10, len(best))] {
		fmt.Printf("%8.3f ms %8d bytes %6d allocations  %s\n", c.clock, c.bytes, c.allocs, c.name)
	}
	if least > goal {
		os.Exit(1)
	}
}

func once(program string) ([]cost, error) {
	cmd := exec.Command(program, "version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s version: %w\n%s", program, err, stderr.Bytes())
	}
	var costs []cost
	for line := range strings.Lines(stderr.String()) {
		var c cost
		var at float64
		if _, err := fmt.Sscanf(line, "init %s @%f ms, %f ms clock, %d bytes, %d allocs", &c.name, &at, &c.clock, &c.bytes, &c.allocs); err == nil {
			costs = append(costs, c)
		}
	}
	if len(costs) == 0 {
		return nil, fmt.Errorf("%s wrote no init lines", program)
	}
	return costs, nil
}
