//go:build unix

package attack_test

import "reeve/internal/attack"

func waitOnFIFO(path string) *attack.FIFOWriter { return attack.WaitOnFIFO(path) }
