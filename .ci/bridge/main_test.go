package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// frame returns a gRPC message.
func frame(message string) string {
	return fmt.Sprintf("\x00\x00\x00\x00%c%s", len(message), message)
}

func TestLower(t *testing.T) {
	// ServerCapabilities as Bazel's protocol describes it: low_api_version is field 4 with
	// major (1) and minor (2), high_api_version is field 5.
	const from21to212 = "\x22\x04\x08\x02\x10\x01" + "\x2a\x04\x08\x02\x10\x0c"
	for _, test := range []struct{ name, answer, want string }{
		{"versions 2.1 to 2.12", frame(from21to212), frame(from21to212 + "\x22\x04\x08\x02\x10\x00")},
		{"no versions", frame(""), frame("\x22\x04\x08\x02\x10\x00")},
		{"nothing", "", ""},
		{"half of a frame's header", "\x00\x00\x00", ""},
		{"compressed", "\x01\x00\x00\x00\x00", ""},
		{"cut off", frame(from21to212)[:9], ""},
		{"two messages", frame(from21to212) + frame(from21to212), ""},
	} {
		got, err := lower([]byte(test.answer))
		if string(got) != test.want || (err != nil) != (test.want == "") {
			t.Errorf("%s: %q, %v, want %q", test.name, got, err, test.want)
		}
	}
}

// server starts an HTTP/2 server without TLS and returns its address.
func server(t *testing.T, handler http.Handler) string {
	t.Helper()
	s := httptest.NewUnstartedServer(handler)
	s.Config.Protocols = cleartext()
	s.Start()
	t.Cleanup(s.Close)
	return strings.TrimPrefix(s.URL, "http://")
}

// TestBridge checks that calls can send in both directions concurrently, and that errors are in the
// trailer.
func TestBridge(t *testing.T) {
	through := server(t, bridge(server(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/grpc")
		switch r.URL.Path {
		case "/Echo":
			w.WriteHeader(http.StatusOK)
			w.(http.Flusher).Flush()
			one := make([]byte, 1)
			for {
				if _, err := io.ReadFull(r.Body, one); err != nil {
					break
				}
				w.Write(bytes.ToUpper(one))
				w.(http.Flusher).Flush()
			}
			w.Header().Set(http.TrailerPrefix+"Grpc-Status", "0")
		case capabilities:
			io.WriteString(w, frame(""))
			w.Header().Set(http.TrailerPrefix+"Grpc-Status", "0")
		default:
			w.Header().Set("Grpc-Status", "5")
			w.Header().Set("Grpc-Message", "not found")
		}
	}))))
	client := &http.Client{Transport: &http.Transport{Protocols: cleartext()}}
	call := func(path string, body io.Reader) *http.Response {
		t.Helper()
		answer, err := client.Post("http://"+through+path, "application/grpc", body)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { answer.Body.Close() })
		return answer
	}
	// ended reads the rest of a response's body, and returns it with the status of the call.
	ended := func(answer *http.Response) (body, status string) {
		t.Helper()
		data, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(data), answer.Trailer.Get("Grpc-Status")
	}

	// The server returns each byte before the client sends the next one.
	requests, send := io.Pipe()
	echo := call("/Echo", requests)
	for _, c := range "xyz" {
		if _, err := fmt.Fprintf(send, "%c", c); err != nil {
			t.Fatal(err)
		}
		one := make([]byte, 1)
		if _, err := io.ReadFull(echo.Body, one); err != nil || one[0] != byte(c-'a'+'A') {
			t.Fatalf("%q came back for %q: %v", one, c, err)
		}
	}
	send.Close()
	if body, status := ended(echo); body != "" || status != "0" {
		t.Errorf("the end of a stream is %q with status %q, want nothing with 0", body, status)
	}

	if body, status := ended(call(capabilities, nil)); body != frame(string(lowVersion)) || status != "0" {
		t.Errorf("capabilities are %q with status %q, want %q with 0", body, status, frame(string(lowVersion)))
	}

	missing := call("/Missing", nil)
	if got := missing.Header.Get("Grpc-Status"); got != "" {
		t.Errorf("the header of an error has the status %q, which belongs into the trailer", got)
	}
	if _, status := ended(missing); status != "5" || missing.Trailer.Get("Grpc-Message") != "not found" {
		t.Errorf("the trailer of an error has status %q, message %q", status, missing.Trailer.Get("Grpc-Message"))
	}
}
