package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// defaultURL is the interface of github.com.
const defaultURL = "https://api.github.com"

// defaultAuthor is who writes with the token that a job has.
const defaultAuthor = "github-actions[bot]"

// maxComment is the size of a comment that is taken for sure; the limit is 65,536
// characters.
const maxComment = 65_000

// A commentClient keeps one comment on a pull request up to date through the REST interface of
// one server, GitHub's or a GitHub Enterprise Server, with one token.
//
// The token goes to one origin, over https, and nowhere else: a redirect to
// another host is an error, and so is an address of a next page that is
// elsewhere. Times and sizes are limited. No error has the token in it.
type commentClient struct {
	base  *url.URL
	token string
	http  *http.Client
	sleep func(context.Context, time.Duration) error // between attempts
}

// newClient returns a client of the interface at an address, defaultURL when it is empty. The
// address has to be one of https, or of this machine.
func newClient(address, token string) (*commentClient, error) {
	base, err := url.Parse(cmp.Or(address, defaultURL))
	switch {
	case err != nil || base.Host == "":
		return nil, errors.New("the address of the interface of GitHub is none")
	case base.User != nil || base.RawQuery != "" || base.Fragment != "":
		return nil, errors.New("the address of the interface of GitHub has more than a host and a path")
	case base.Scheme != "https" && !(base.Scheme == "http" && isLoopback(base.Hostname())):
		return nil, fmt.Errorf("the interface of GitHub at %s://%s is not reached over https, so it does not get the token", safetext.Escape(base.Scheme), safetext.Escape(base.Host))
	case token == "" || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }):
		return nil, errors.New("there is no token, or it is not one")
	}
	base.Path = strings.TrimSuffix(base.Path, "/")
	c := &commentClient{base: base, token: token, sleep: sleep}
	c.http = &http.Client{
		Timeout: 30 * time.Second,
		Transport: &http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			DialContext:            (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
			TLSHandshakeTimeout:    10 * time.Second,
			ResponseHeaderTimeout:  20 * time.Second,
			MaxResponseHeaderBytes: 64 << 10,
			DisableKeepAlives:      true, // a handful of requests
		},
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			switch {
			case !c.sameOrigin(req.URL):
				return errElsewhere
			case len(via) >= 3:
				return errors.New("too many redirects")
			}
			return nil
		},
	}
	return c, nil
}

var errElsewhere = errors.New("the server refers to another host, which does not get the token")

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func (c *commentClient) sameOrigin(u *url.URL) bool {
	return u.Scheme == c.base.Scheme && strings.EqualFold(u.Host, c.base.Host) && u.User == nil
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// A wantedComment says what is to be on a pull request.
type wantedComment struct {
	Repository string // owner/name
	Number     int    // of the pull request
	Author     string // whose comments may be changed; defaultAuthor when empty
	Marker     string // what the body begins with, and no other comment of the author
	Body       string // without the marker
	OnlyUpdate bool   // make no new one
}

var apiRepository = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9._-]+$`)

// Limits of one upsert.
const (
	maxAttempts = 3
	maxPages    = 50 // of 100 comments
	maxAnswer   = 16 << 20
	maxWait     = time.Minute // in all
)

// keep makes the comment what it should be: it changes the first one of the
// author that begins with the marker, else it makes one. It returns the address
// of the comment, "" when there is none. What others have written is never
// changed, whatever it begins with. When the token turns out to be of somebody
// else than the author, there is an error beside the address of the new comment.
func (c *commentClient) keep(ctx context.Context, want wantedComment) (address string, err error) {
	if checkRepository(want.Repository) != nil || want.Number <= 0 {
		return "", fmt.Errorf("%q and %d are not a repository and a pull request", want.Repository, want.Number)
	}
	if want.Author == "" {
		want.Author = defaultAuthor
	}
	want.Body = want.Marker + "\n" + want.Body
	if len(want.Body) > maxComment {
		return "", fmt.Errorf("the comment has %d bytes, and %d are taken", len(want.Body), maxComment)
	}
	// Each attempt looks again: the one before may have made the comment.
	err = c.retry(ctx, func() error {
		address, err = c.upsert(ctx, want)
		return err
	})
	return address, err
}

// retry tries again, some time later, as long as the server may answer otherwise.
func (c *commentClient) retry(ctx context.Context, try func() error) error {
	waited := time.Duration(0)
	for attempt := 1; ; attempt++ {
		err := try()
		var failed *apiError
		if err == nil || attempt == maxAttempts || !errors.As(err, &failed) || !failed.again {
			return err
		}
		wait := max(failed.after, time.Duration(attempt)*time.Second)
		if waited += wait; waited > maxWait {
			return err
		}
		if err := c.sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// A pullHead is what a pull request asks to take.
type pullHead struct{ Repository, Branch, Commit string }

// findPulls returns the numbers of the open pull requests of a repository with a head. The
// server looks for the branch; the commit and the repositories are compared here.
func (c *commentClient) findPulls(ctx context.Context, repository string, head pullHead) (numbers []int, err error) {
	var pulls []pullRequest
	if err := checkRepository(repository); err != nil {
		return nil, err
	}
	owner, _, _ := strings.Cut(head.Repository, "/")
	address := c.address("/repos/" + repository + "/pulls")
	address.RawQuery = url.Values{"head": {owner + ":" + head.Branch}, "per_page": {"100"}, "state": {"open"}}.Encode()
	err = c.retry(ctx, func() error {
		pulls = nil
		_, err := c.do(ctx, http.MethodGet, address, nil, &pulls)
		return err
	})
	for _, p := range pulls {
		if p.Number > 0 && p.Head.SHA == head.Commit && p.Head.Repo != nil && strings.EqualFold(p.Head.Repo.FullName, head.Repository) &&
			strings.EqualFold(p.Base.Repo.FullName, repository) {
			numbers = append(numbers, p.Number)
		}
	}
	return numbers, err
}

func checkRepository(name string) error {
	if !apiRepository.MatchString(name) || strings.Trim(path.Base(name), ".") == "" {
		return fmt.Errorf("%q is not a repository", name)
	}
	return nil
}

type comment struct {
	ID      int64  `json:"id"`
	Body    string `json:"body"`
	Address string `json:"html_url"`
	User    struct {
		Login string `json:"login"`
	} `json:"user"`
}

func (c *commentClient) upsert(ctx context.Context, want wantedComment) (string, error) {
	list := fmt.Sprintf("/repos/%s/issues/%d/comments", want.Repository, want.Number)
	old, err := c.find(ctx, list, want)
	if err != nil {
		return "", err
	}
	var now comment
	switch {
	case old == nil && want.OnlyUpdate:
		return "", nil
	case old == nil:
		_, err = c.do(ctx, http.MethodPost, c.address(list), map[string]string{"body": want.Body}, &now)
		if login := now.User.Login; err == nil && login != "" && !strings.EqualFold(login, want.Author) {
			err = fmt.Errorf("it is by %s and not by %s, so that it will not be found again; name the author", c.clean(login), c.clean(want.Author))
		}
	case strings.ReplaceAll(old.Body, "\r\n", "\n") == want.Body:
		return old.Address, nil
	default:
		_, err = c.do(ctx, http.MethodPatch, c.address(fmt.Sprintf("/repos/%s/issues/comments/%d", want.Repository, old.ID)), map[string]string{"body": want.Body}, &now)
	}
	return now.Address, err
}

// find returns the comment that is to be changed, nil when there is none.
func (c *commentClient) find(ctx context.Context, list string, want wantedComment) (*comment, error) {
	next := c.address(list)
	next.RawQuery = "per_page=100"
	for range maxPages {
		var page []comment
		header, err := c.do(ctx, http.MethodGet, next, nil, &page)
		if err != nil {
			return nil, err
		}
		for i := range page {
			// Anybody can write a comment with the marker.
			if strings.EqualFold(page[i].User.Login, want.Author) && beginsWith(page[i].Body, want.Marker) {
				return &page[i], nil
			}
		}
		address := nextPage(header)
		if address == "" {
			return nil, nil
		}
		if next, err = next.Parse(address); err != nil || !c.sameOrigin(next) {
			return nil, errElsewhere
		}
	}
	return nil, fmt.Errorf("there are more than %d comments, and the one to change is not among them", 100*maxPages)
}

func beginsWith(body, marker string) bool {
	line, _, _ := strings.Cut(body, "\n")
	return strings.TrimSuffix(line, "\r") == marker
}

// nextPage returns the address of the next page from a header "Link".
func nextPage(header http.Header) string {
	for link := range strings.SplitSeq(header.Get("Link"), ",") {
		address, parameters, _ := strings.Cut(link, ";")
		address = strings.TrimSpace(address)
		if strings.Contains(parameters, `rel="next"`) && strings.HasPrefix(address, "<") && strings.HasSuffix(address, ">") {
			return address[1 : len(address)-1]
		}
	}
	return ""
}

func (c *commentClient) address(rest string) *url.URL {
	u := *c.base
	u.Path += rest
	return &u
}

// An apiError is an answer that is not the one that was asked for.
type apiError struct {
	Status  int // 0 when there was no answer
	Message string

	again bool
	after time.Duration
}

func (e *apiError) Error() string {
	switch e.Status {
	case 0:
		return "GitHub cannot be reached: " + e.Message
	case http.StatusUnauthorized:
		return e.text("the token is not valid")
	case http.StatusForbidden:
		return e.text("the token may not do this; the job needs the permission pull-requests: write")
	case http.StatusNotFound:
		return e.text("there is no such pull request, or the token may not see it")
	}
	return e.text(strings.ToLower(http.StatusText(e.Status)))
}

func (e *apiError) text(what string) string {
	s := fmt.Sprintf("GitHub answers %d: %s", e.Status, what)
	if e.Message != "" {
		s += " (" + e.Message + ")"
	}
	return s
}

// do makes a request and reads the answer.
func (c *commentClient) do(ctx context.Context, method string, u *url.URL, body, answer any) (http.Header, error) {
	req, err := c.request(ctx, method, u, body)
	if err != nil {
		return nil, err
	}
	res, err := c.http.Do(req)
	if err != nil {
		if errors.Is(err, errElsewhere) {
			return nil, errElsewhere
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, &apiError{Message: c.clean(err.Error())}
	}
	defer res.Body.Close()
	data, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	switch {
	case len(data) > maxAnswer:
		return nil, &apiError{Status: res.StatusCode, Message: fmt.Sprintf("the answer has more than %d bytes", maxAnswer)}
	case err != nil:
		return nil, &apiError{Message: c.clean(err.Error())}
	case res.StatusCode < 200 || res.StatusCode > 299:
		return nil, c.failed(res, data)
	}
	if err := json.Unmarshal(data, answer); err != nil {
		return nil, &apiError{Status: res.StatusCode, Message: "the answer is not what was asked for"}
	}
	return res.Header, nil
}

// request makes a request with what each one has. The body may be nil.
func (c *commentClient) request(ctx context.Context, method string, u *url.URL, body any) (*http.Request, error) {
	var in io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		in = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, method, u.String(), in)
	if err != nil {
		return nil, &apiError{Message: c.clean(err.Error())}
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	req.Header.Set("Accept", "application/vnd.github+json")
	req.Header.Set("X-GitHub-Api-Version", "2022-11-28")
	req.Header.Set("User-Agent", "rules_sycl-action/"+cli.Version)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, nil
}

// failed returns the error that an answer is.
func (c *commentClient) failed(res *http.Response, data []byte) *apiError {
	e := &apiError{Status: res.StatusCode}
	var answer struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(data, &answer) == nil {
		e.Message = c.clean(answer.Message)
	}
	after, err := strconv.Atoi(res.Header.Get("Retry-After"))
	if err == nil && after >= 0 {
		e.after = time.Duration(min(after, 3600)) * time.Second
	}
	// GitHub also says with 403 that requests come too fast.
	e.again = e.Status == http.StatusTooManyRequests || e.Status >= 500 || e.Status == http.StatusForbidden && err == nil
	return e
}

// clean makes a text of others harmless to print.
func (c *commentClient) clean(s string) string {
	s = safetext.Escape(strings.ReplaceAll(s, c.token, "***"))
	if len(s) > 300 {
		s = strings.ToValidUTF8(s[:300], "") + "…"
	}
	return s
}
