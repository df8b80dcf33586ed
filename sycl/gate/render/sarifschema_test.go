package render

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	_ "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

// sarifSchema returns the schema of SARIF 2.1.0, errata 01, as published by OASIS.
var sarifSchema = sync.OnceValues(func() ([]byte, error) {
	var name string
	if sources, bazel := os.LookupEnv("SARIF_SOURCES"); bazel {
		for source := range strings.FieldsSeq(sources) {
			if strings.HasSuffix(source, "/schema.go") {
				name = filepath.Join(os.Getenv("TEST_SRCDIR"), source)
			}
		}
	} else {
		out, err := exec.Command("go", "list", "-f", "{{.Dir}}", "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif").Output()
		if err != nil {
			return nil, err
		}
		name = filepath.Join(strings.TrimSpace(string(out)), "schema.go")
	}
	f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
	if err != nil {
		return nil, err
	}
	var schema string
	ast.Inspect(f, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok && v.Names[0].Name == "schema" {
			if lit, ok := v.Values[0].(*ast.BasicLit); ok {
				schema, err = strconv.Unquote(lit.Value)
			}
		}
		return true
	})
	if err == nil && schema == "" {
		err = errors.New(name + " has no schema")
	}
	return []byte(schema), err
})

// checkSARIFSchema validates a log against the official schema.
func checkSARIFSchema(t *testing.T, text string) {
	t.Helper()
	schema, err := sarifSchema()
	testkit.NoError(t, err)
	if err := testkit.ValidateJSON(schema, []byte(text)); err != nil {
		t.Error(err)
	}
}

func TestSARIFSchemaRejects(t *testing.T) {
	schema, err := sarifSchema()
	testkit.NoError(t, err)
	for _, text := range []string{
		`{}`,
		`{"version":"2.0.0","runs":[]}`,
		`{"version":"2.1.0","runs":[{"tool":{"driver":{}}}]}`,
		`{"version":"2.1.0","runs":[],"other":1}`,
	} {
		if testkit.ValidateJSON(schema, []byte(text)) == nil {
			t.Errorf("%s is accepted as SARIF", text)
		}
	}
}
