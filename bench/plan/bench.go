package main

import (
	"fmt"
	"strings"

	"github.com/rules-sycl/rules_sycl/bench/internal/bench"
)

// What the design asks for.
const (
	mostSeconds = 5
	mostMiB     = 512
	mostOfPeer  = 3 // times as long
)

type measurement struct {
	*bench.Bench
	tool, self string // binaries
	targets    int
}

// part is what this program itself does as another process.
func (m *measurement) part(role string, rows int) bench.Contender {
	return bench.Contender{Name: role, Args: []string{m.self, "--role", role, fmt.Sprint("--rows=", rows), fmt.Sprint("--targets=", m.targets)}}
}

func (m *measurement) all() error {
	peer := m.part("peer", 1)
	peer.Name = "reading the files and writing JSON"
	names := strings.Join(targetNames(m.targets), ",")
	results, err := m.Compete(
		bench.Contender{Name: "aspectfilter --plan", Args: []string{m.tool, "--plan", "--device-config-file=" + configFile, "--targets=" + names, "--output=plan.json", tableFile}},
		bench.Contender{Name: "aspectfilter --target", Args: []string{m.tool, "--target=" + targetName(0), "--device-config-file=" + configFile, "--output=kept.table", tableFile}},
		peer,
	)
	if err != nil {
		return err
	}
	plan := results[0]
	m.AtMost("time of the plan", plan.Seconds, mostSeconds, "s")
	m.AtMost("memory of the plan", float64(plan.MaxRSS)/bench.MiB, mostMiB, "MiB")
	m.AtMost("time of the plan against reading and writing alone", plan.Seconds/results[2].Seconds, mostOfPeer, "x")
	return nil
}
