package main

import (
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

func TestBadInputs(t *testing.T) {
	gateWorkspace(t)
	t.Setenv("CI", "")
	testkit.BadInputs(t, tool, []string{
		"show INPUT", "show before.json INPUT", "check INPUT", "check before.json INPUT", "diff INPUT now.json", "diff before.json INPUT",
		"baseline update --baseline=b.json INPUT", "fix INPUT", "report --device-config=INPUT k.syclbin", "check @INPUT",
	}, "check @INPUT")
}
