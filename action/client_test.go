package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

const (
	testToken = "ghs_0123456789abcdefSECRET"
	marker    = "<!-- marker:v1:abc -->"
)

// A fakeGitHub is a server with the comments of a pull request, under the path that enterprise
// servers use.
type fakeGitHub struct {
	*httptest.Server
	token     string // required token, "" for any
	comments  []comment
	bodies    []string // written bodies
	perPage   int
	requests  []string
	viewer    string          // owner of the token, "" if the server does not report it
	minimized map[string]bool // comments, by node
	// fail answers a request instead of the server if it returns true.
	fail func(w http.ResponseWriter, r *http.Request, n int) bool
}

func newFake(t *testing.T, comments ...comment) *fakeGitHub {
	f := &fakeGitHub{token: testToken, comments: comments, perPage: 2, minimized: map[string]bool{}}
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Close)
	return f
}

func written(login, body string) (c comment) {
	c.User.Login, c.Body = login, body
	return c
}

func (f *fakeGitHub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.requests = append(f.requests, r.Method+" "+r.URL.Path)
	if f.fail != nil && f.fail(w, r, len(f.requests)) {
		return
	}
	if f.token != "" && r.Header.Get("Authorization") != "Bearer "+f.token {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	for i := range f.comments {
		f.comments[i].ID = int64(i + 1)
		f.comments[i].NodeID = fmt.Sprintf("node-%d", i+1)
		f.comments[i].Address = fmt.Sprintf("%s/o/r/pull/7#issuecomment-%d", f.URL, i+1)
	}
	var in struct {
		Body, Query string
		Variables   map[string]string
	}
	if r.Method == http.MethodPost || r.Method == http.MethodPatch {
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
	}
	if in.Body != "" {
		f.bodies = append(f.bodies, in.Body)
	}
	var id int
	switch {
	case r.URL.Path == "/api/v3/repos/o/r/issues/7/comments" && r.Method == http.MethodGet:
		page := 1
		fmt.Sscan(r.URL.Query().Get("page"), &page)
		from := min((page-1)*f.perPage, len(f.comments))
		to := min(from+f.perPage, len(f.comments))
		if to < len(f.comments) {
			w.Header().Set("Link", fmt.Sprintf(`<%s%s?per_page=100&page=%d>; rel="next", <%s/last>; rel="last"`, f.URL, r.URL.Path, page+1, f.URL))
		}
		list := append([]comment{}, f.comments[from:to]...)
		json.NewEncoder(w).Encode(list)
	case r.URL.Path == "/api/v3/repos/o/r/issues/7/comments" && r.Method == http.MethodPost:
		c := written(defaultAuthor, in.Body)
		c.ID = int64(len(f.comments) + 1)
		c.Address = fmt.Sprintf("%s/o/r/pull/7#issuecomment-%d", f.URL, c.ID)
		f.comments = append(f.comments, c)
		w.WriteHeader(http.StatusCreated)
		json.NewEncoder(w).Encode(c)
	case r.URL.Path == "/api/graphql" && strings.Contains(in.Query, "viewer") && f.viewer != "":
		fmt.Fprintf(w, `{"data": {"viewer": {"login": %q}}}`, f.viewer)
	case r.URL.Path == "/api/graphql" && in.Variables["id"] != "":
		f.minimized[in.Variables["id"]] = strings.Contains(in.Query, " minimizeComment(")
		fmt.Fprint(w, `{"data": {}}`)
	case r.Method == http.MethodDelete:
		if n, _ := fmt.Sscanf(r.URL.Path, "/api/v3/repos/o/r/issues/comments/%d", &id); n == 1 && id <= len(f.comments) {
			f.comments[id-1] = written("ghost", "-") // keeps its slot, so that numbers are stable
			w.WriteHeader(http.StatusNoContent)
			return
		}
		w.WriteHeader(http.StatusNotFound)
	case r.Method == http.MethodPatch:
		if n, _ := fmt.Sscanf(r.URL.Path, "/api/v3/repos/o/r/issues/comments/%d", &id); n == 1 && id <= len(f.comments) {
			f.comments[id-1].Body = in.Body
			json.NewEncoder(w).Encode(f.comments[id-1])
			return
		}
		fallthrough
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

// waits are the delays requested by a client.
type waits []time.Duration

func (w *waits) sleep(_ context.Context, d time.Duration) error {
	*w = append(*w, d)
	return nil
}

func testClient(t *testing.T, f *fakeGitHub, w *waits) *commentClient {
	t.Helper()
	c, err := newClient(f.URL+"/api/v3", testToken)
	testkit.NoError(t, err)
	c.sleep = w.sleep
	return c
}

func wantComment() wantedComment {
	return wantedComment{Repository: "o/r", Number: 7, Marker: marker, Body: "new"}
}

func TestKeep(t *testing.T) {
	old := marker + "\r\nold"
	for _, test := range []struct {
		name     string
		comments []comment
		change   func(*wantedComment)
		wrote    string // the last request
		changed  int    // number of the changed comment, or 0
	}{
		{"none yet", nil, nil, "POST", 1},
		{"others", []comment{written("a", "x"), written("b", "y"), written("c", "z")}, nil, "POST", 4},
		{"ours", []comment{written(defaultAuthor, old)}, nil, "PATCH", 1},
		{"ours on the third page", []comment{written("a", "x"), written("b", "y"), written("c", "z"), written("d", "x"), written(defaultAuthor, old)}, nil, "PATCH", 5},
		{"a different author with our marker", []comment{written("mallory", old), written("github-actions", old)}, nil, "POST", 3},
		{"an older comment by a different author with our marker", []comment{written("mallory", old), written(defaultAuthor, old)}, nil, "PATCH", 2},
		{"a quoted marker", []comment{written(defaultAuthor, "> "+old), written(defaultAuthor, "see\n"+old), written(defaultAuthor, marker+"x\nold")}, nil, "POST", 4},
		{"another author", []comment{written(defaultAuthor, old), written("my-app[bot]", old)}, func(c *wantedComment) { c.Author = "My-App[bot]" }, "PATCH", 2},
		{"unchanged", []comment{written(defaultAuthor, marker+"\r\nnew")}, nil, "GET", 1},
		{"only update, no comment", []comment{written("a", "x")}, func(c *wantedComment) { c.OnlyUpdate = true }, "GET", 0},
		{"only update, our comment", []comment{written(defaultAuthor, old)}, func(c *wantedComment) { c.OnlyUpdate = true }, "PATCH", 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := newFake(t, slices.Clone(test.comments)...)
			w := wantComment()
			if test.change != nil {
				test.change(&w)
			}
			kept, err := testClient(t, f, new(waits)).keep(t.Context(), w)
			testkit.NoError(t, err)
			address := kept.Address
			if last := f.requests[len(f.requests)-1]; !strings.HasPrefix(last, test.wrote+" ") {
				t.Errorf("requests %q", f.requests)
			}
			if test.changed == 0 {
				if address != "" {
					t.Errorf("address %q", address)
				}
				return
			}
			if !strings.HasSuffix(address, fmt.Sprintf("#issuecomment-%d", test.changed)) {
				t.Errorf("address %q", address)
			}
			for i, c := range f.comments {
				if changed := i+1 == test.changed; changed != (strings.ReplaceAll(c.Body, "\r\n", "\n") == marker+"\nnew") {
					t.Errorf("comment %d of %s is %q", i+1, c.User.Login, c.Body)
				}
			}
		})
	}
}

func answer(status int, header ...string) func(http.ResponseWriter, *http.Request, int) bool {
	return func(w http.ResponseWriter, _ *http.Request, _ int) bool {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"message": "no\n::error::%s"}`, testToken)
		return true
	}
}

// first limits f to the first n requests.
func first(n int, f func(http.ResponseWriter, *http.Request, int) bool) func(http.ResponseWriter, *http.Request, int) bool {
	return func(w http.ResponseWriter, r *http.Request, i int) bool { return i <= n && f(w, r, i) }
}

// hangUp closes the connection without a response.
func hangUp(w http.ResponseWriter, _ *http.Request, _ int) bool {
	if conn, _, err := w.(http.Hijacker).Hijack(); err == nil {
		conn.Close()
	}
	return true
}

func TestAnswers(t *testing.T) {
	for _, test := range []struct {
		name   string
		fail   func(http.ResponseWriter, *http.Request, int) bool
		status int    // status of the error, or 0
		text   string // part of the error
		calls  int
		waits  waits
	}{
		{"not a valid token", answer(401), 401, "invalid or expired token; set the input token", 1, nil},
		{"not accessible by integration", answer(403), 403, "pull-requests: write", 1, nil},
		{"not found", answer(404), 404, "cannot find the pull request", 1, nil},
		{"gone", answer(410), 410, "the pull request no longer exists; check its number, or set comment: never", 1, nil},
		{"validation", answer(422), 422, "GitHub does not accept the comment; rerun the job, or set comment: never", 1, nil},
		{"a status without advice", answer(409), 409, "conflict; rerun the job, or set comment: never", 1, nil},
		{"rate limit", first(1, answer(429, "Retry-After", "7")), 0, "", 3, waits{7 * time.Second}},
		{"rate limit with 403", first(2, answer(403, "Retry-After", "5")), 0, "", 4, waits{5 * time.Second, 5 * time.Second}},
		{"rate limit with a long delay", answer(429, "Retry-After", "100000"), 429, "has exceeded its rate limit", 1, nil},
		{"server error", first(2, answer(503)), 0, "", 4, waits{time.Second, 2 * time.Second}},
		{"permanent server error", answer(502), 502, "bad gateway; rerun the job later", 3, waits{time.Second, 2 * time.Second}},
		{"rate limit until a date", first(1, answer(429, "Retry-After", "Mon, 30 Nov 2026 12:00:07 GMT")), 0, "", 3, waits{7 * time.Second}},
		{"unavailable until a date", first(1, answer(503, "Retry-After", "Mon, 30 Nov 2026 12:00:07 GMT")), 0, "", 3, waits{7 * time.Second}},
		{"unavailable until a past date", first(1, answer(503, "Retry-After", "Mon, 30 Nov 2026 11:00:00 GMT")), 0, "", 3, waits{time.Second}},
		{"an invalid date", first(1, answer(503, "Retry-After", "soon")), 0, "", 3, waits{time.Second}},
		{"closed connection", first(1, hangUp), 0, "", 3, waits{time.Second}},
		{"not JSON", func(w http.ResponseWriter, _ *http.Request, _ int) bool { fmt.Fprint(w, "<html>"); return true }, 200, "the response is not JSON; check GITHUB_API_URL", 1, nil},
		{"endless response", func(w http.ResponseWriter, _ *http.Request, _ int) bool {
			for range 17 {
				w.Write(make([]byte, 1<<20))
			}
			return true
		}, 200, "response too large", 1, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := newFake(t)
			f.fail = test.fail
			var w waits
			c := testClient(t, f, &w)
			c.now = func() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) }
			_, err := c.keep(t.Context(), wantComment())
			var failed *apiError
			switch {
			case test.status == 0 && err != nil:
				t.Fatal(err)
			case test.status != 0 && (!errors.As(err, &failed) || failed.Status != test.status || !strings.Contains(err.Error(), test.text)):
				t.Errorf("error %v", err)
			}
			if err != nil && (strings.Contains(err.Error(), testToken) || strings.Contains(err.Error(), "\n")) {
				t.Errorf("error %q", err)
			}
			if len(f.requests) != test.calls || !slices.Equal(w, test.waits) {
				t.Errorf("%d requests, waited %v", len(f.requests), w)
			}
		})
	}
}

// TestNoSecondComment checks that there is no second comment if a request succeeded although its
// response was an error.
func TestNoSecondComment(t *testing.T) {
	f := newFake(t)
	f.fail = func(w http.ResponseWriter, r *http.Request, n int) bool {
		if n != 2 {
			return false
		}
		f.comments = append(f.comments, written(defaultAuthor, marker+"\nnew"))
		w.WriteHeader(http.StatusBadGateway)
		return true
	}
	kept, err := testClient(t, f, new(waits)).keep(t.Context(), wantComment())
	address := kept.Address
	if err != nil || len(f.comments) != 1 || !strings.HasSuffix(address, "-1") {
		t.Errorf("%q, %v, %d comments", address, err, len(f.comments))
	}
}

// TestDeletedComment checks that a comment that was deleted after it was found is created again.
func TestDeletedComment(t *testing.T) {
	f := newFake(t, written(defaultAuthor, marker+"\nold"))
	f.fail = func(w http.ResponseWriter, r *http.Request, _ int) bool {
		if r.Method == http.MethodPatch {
			f.comments = nil
			w.WriteHeader(http.StatusNotFound)
		}
		return r.Method == http.MethodPatch
	}
	kept, err := testClient(t, f, new(waits)).keep(t.Context(), wantComment())
	if err != nil || len(f.comments) != 1 || f.comments[0].Body != marker+"\nnew" || kept.Address == "" {
		t.Errorf("%q, %v, %+v", kept.Address, err, f.comments)
	}
}

// TestRedirectedWrite checks that a redirect which turns a write into a read is an error, because
// nothing would be written.
func TestRedirectedWrite(t *testing.T) {
	f := newFake(t, written(defaultAuthor, marker+"\nold"))
	f.fail = func(w http.ResponseWriter, r *http.Request, n int) bool {
		if r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/comments/") {
			json.NewEncoder(w).Encode(f.comments[0])
			return true
		}
		return r.Method == http.MethodPatch && answer(301, "Location", r.URL.Path)(w, r, n)
	}
	if _, err := testClient(t, f, new(waits)).keep(t.Context(), wantComment()); err == nil || !strings.Contains(err.Error(), "redirects a write request") || len(f.requests) != 2 {
		t.Errorf("%v, requests %q", err, f.requests)
	}
}

// TestUnknownAuthority checks that a certificate of an unknown authority is reported with a fix.
func TestUnknownAuthority(t *testing.T) {
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	c, err := newClient(server.URL, testToken)
	testkit.NoError(t, err)
	var w waits
	c.sleep = w.sleep
	if _, err := c.keep(t.Context(), wantComment()); err == nil || !strings.Contains(err.Error(), "set SSL_CERT_FILE") || w != nil {
		t.Errorf("%v, waited %v", err, w)
	}
}

func TestTokenNotForwarded(t *testing.T) {
	stolen := false
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		stolen = true
		fmt.Fprint(w, "[]")
	}))
	defer other.Close()
	elsewhere := strings.Replace(other.URL, "127.0.0.1", "localhost", 1)
	for name, fail := range map[string]func(http.ResponseWriter, *http.Request, int) bool{
		"a redirect":                   answer(302, "Location", elsewhere+"/x"),
		"a redirect of a POST request": answer(307, "Location", elsewhere+"/x"),
		"a different port":             answer(301, "Location", other.URL+"/x"),
		"a next page": func(w http.ResponseWriter, _ *http.Request, _ int) bool {
			w.Header().Set("Link", "<"+elsewhere+`/x>; rel="next"`)
			fmt.Fprint(w, "[]")
			return true
		},
	} {
		f := newFake(t)
		f.fail = fail
		if _, err := testClient(t, f, new(waits)).keep(t.Context(), wantComment()); !errors.Is(err, errElsewhere) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if stolen {
		t.Error("a request was sent to a different server")
	}
	f := newFake(t)
	f.fail = first(1, answer(307, "Location", "/api/v3/repos/o/r/issues/7/comments"))
	if _, err := testClient(t, f, new(waits)).keep(t.Context(), wantComment()); err != nil {
		t.Errorf("redirect on the same server: %v", err)
	}
	f.fail = answer(307, "Location", "/api/v3/x")
	if _, err := testClient(t, f, new(waits)).keep(t.Context(), wantComment()); err == nil || !strings.Contains(err.Error(), "too many redirects") {
		t.Errorf("redirect loop: %v", err)
	}
}

func TestSlow(t *testing.T) {
	release := make(chan struct{})
	f := newFake(t)
	f.fail = func(w http.ResponseWriter, r *http.Request, _ int) bool {
		w.Write([]byte("["))
		w.(http.Flusher).Flush()
		<-release
		return true
	}
	defer close(release)
	c := testClient(t, f, new(waits))
	c.http.Timeout = 50 * time.Millisecond
	_, err := c.keep(t.Context(), wantComment())
	var failed *apiError
	if !errors.As(err, &failed) || failed.Status != 0 || strings.Contains(err.Error(), testToken) {
		t.Errorf("error %v", err)
	}
}

func TestTooManyComments(t *testing.T) {
	f := newFake(t)
	f.perPage = 1
	for range maxPages + 1 {
		f.comments = append(f.comments, written("a", "x"))
	}
	if _, err := testClient(t, f, new(waits)).keep(t.Context(), wantComment()); err == nil || len(f.requests) != maxPages {
		t.Errorf("%v after %d requests", err, len(f.requests))
	}
}

func TestNewClient(t *testing.T) {
	for address, want := range map[string]bool{
		"":                               true,
		"https://api.github.com":         true,
		"https://ghe.example/api/v3":     true,
		"https://ghe.example/api/v3/":    true,
		"http://127.0.0.1:1/api/v3":      true,
		"http://[::1]:1/api/v3":          true,
		"http://localhost:1":             true,
		"http://ghe.example/api/v3":      false,
		"http://localhost.evil.example":  false,
		"http://127.0.0.1.evil.example/": false,
		"https://user:x@ghe.example":     false,
		"https://ghe.example?x=1":        false,
		"ftp://ghe.example":              false,
		"file:///etc/passwd":             false,
		"//ghe.example":                  false,
		"ghe.example":                    false,
		"https://":                       false,
		"https://a b":                    false,
	} {
		if _, err := newClient(address, testToken); (err == nil) != want {
			t.Errorf("%q: %v", address, err)
		} else if err != nil && strings.Contains(err.Error(), testToken) {
			t.Errorf("%q: %v", address, err)
		}
	}
	for _, token := range []string{"", "a b", "a\nb", "a\x00", "ü"} {
		if _, err := newClient("", token); err == nil {
			t.Errorf("token %q", token)
		}
	}
}

// TestAnotherAuthor checks that a token with a different owner is an error, because each run would
// create a new comment.
func TestAnotherAuthor(t *testing.T) {
	f := newFake(t)
	w := wantComment()
	w.Author = "my-app[bot]"
	kept, err := testClient(t, f, new(waits)).keep(t.Context(), w)
	address := kept.Address
	if err == nil || !strings.Contains(err.Error(), "the comment was created by github-actions[bot], not by my-app[bot]") || address == "" || len(f.requests) != 2 {
		t.Errorf("%q, %v, requests %q", address, err, f.requests)
	}
}

func TestInvalidRequests(t *testing.T) {
	f := newFake(t)
	for _, bad := range []wantedComment{
		{Repository: "o", Number: 7}, {Repository: "o/../x", Number: 7}, {Repository: "o/..", Number: 7}, {Repository: "o/r/x", Number: 7}, {Repository: "o/r?x", Number: 7},
		{Repository: "o/r", Number: 0}, {Repository: "o/r", Number: -1}, {Repository: "o/r", Number: 7, Body: strings.Repeat("x", maxComment)},
	} {
		if _, err := testClient(t, f, new(waits)).keep(t.Context(), bad); err == nil {
			t.Errorf("%.60v", bad)
		}
	}
	if len(f.requests) != 0 {
		t.Errorf("requests %q", f.requests)
	}
}
