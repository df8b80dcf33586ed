package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// defaultURL is the URL of the github.com API.
const defaultURL = "https://api.github.com"

// defaultAuthor is the author of comments written with the token of a job.
const defaultAuthor = "github-actions[bot]"

// maxComment is the maximum size of a comment in bytes. GitHub's limit is 65,536 characters.
const maxComment = 65_000

// A commentClient keeps one comment on a pull request up to date through the API of one server,
// GitHub or GitHub Enterprise Server, with one token.
//
// The token is sent to one origin only, over https. Redirects and next pages on a different host
// are errors. Times and sizes are limited. No error contains the token.
type commentClient struct {
	base  *url.URL
	token string
	http  *http.Client
	sleep func(context.Context, time.Duration) error // between attempts
	now   func() time.Time
}

// newClient returns a client of the API at an address, which defaults to defaultURL. The address
// must use https or be on the local host.
func newClient(address, token string) (*commentClient, error) {
	base, err := url.Parse(cmp.Or(address, defaultURL))
	switch {
	case err != nil || base.Host == "":
		return nil, errors.New("GITHUB_API_URL is not a valid URL")
	case base.User != nil || base.RawQuery != "" || base.Fragment != "":
		return nil, errors.New("GITHUB_API_URL must contain only a host and a path")
	case base.Scheme != "https" && !(base.Scheme == "http" && isLoopback(base.Hostname())):
		return nil, fmt.Errorf("GITHUB_API_URL, %s://%s, does not use https; refusing to send the token", safetext.Escape(base.Scheme), safetext.Escape(base.Host))
	case token == "" || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }):
		return nil, errors.New("no valid token; set the input token")
	}
	base.Path = strings.TrimSuffix(base.Path, "/")
	c := &commentClient{base: base, token: token, sleep: sleep, now: time.Now}
	c.http = &http.Client{
		Timeout: 30 * time.Second,
		Transport: &http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			DialContext:            (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
			TLSHandshakeTimeout:    10 * time.Second,
			ResponseHeaderTimeout:  20 * time.Second,
			MaxResponseHeaderBytes: 64 << 10,
			DisableKeepAlives:      true, // only a few requests
		},
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			switch {
			case !c.sameOrigin(req.URL):
				return errElsewhere
			case len(via) >= 3:
				return errors.New("too many redirects")
			case req.Method != via[0].Method: // which Go turns into GET for the statuses 301 to 303
				return errRedirected
			}
			return nil
		},
	}
	return c, nil
}

var errElsewhere = errors.New("the server refers to a different host; refusing to send the token")

var errRedirected = errors.New("the server redirects a write request with a status that would turn it into a read")

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

// A wantedComment is the comment that a pull request should have.
type wantedComment struct {
	Repository string // owner/name
	Number     int    // of the pull request
	Author     string // whose comments may be changed; defaults to the owner of the token
	Marker     string // the first line of the body, unique among the author's comments
	Body       string // without the marker
	Short      string // the body of a duplicate that cannot be deleted
	OnlyUpdate bool   // do not create a comment
	// Commits are the commits that the comment is about. If set, the comment is written only while
	// one of them is the head of the pull request.
	Commits []string
	Solved  solvedMode // what to do with the comment once nothing is left to report
}

// A solvedMode selects what to do with a comment once all problems are solved.
type solvedMode string

const (
	solvedUpdate   solvedMode = "update" // update it, as for problems
	solvedDelete   solvedMode = "delete"
	solvedMinimize solvedMode = "minimize"
)

// A keptComment is the outcome of updating a comment.
type keptComment struct {
	Address string // "" if there is no comment
	WhyNot  string // why nothing was written, if this is not an error
}

var apiRepository = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]*/[A-Za-z0-9._-]+$`)

// Limits of one upsert.
const (
	maxAttempts = 3
	maxPages    = 50 // of 100 comments
	maxAnswer   = 16 << 20
	maxWait     = time.Minute // in total
)

// keep creates or updates the comment. It changes the author's first comment that begins with the
// marker, or creates one. It deletes duplicates, which concurrent runs may have created. It never
// changes comments by other authors, even if they begin with the marker. If the token belongs to a
// different author, keep returns an error in addition to the address of the new comment.
func (c *commentClient) keep(ctx context.Context, want wantedComment) (kept keptComment, err error) {
	if checkRepository(want.Repository) != nil || want.Number <= 0 {
		return kept, fmt.Errorf("invalid repository %q or pull request number %d", want.Repository, want.Number)
	}
	want.Body = want.Marker + "\n" + want.Body
	if len(want.Body) > maxComment {
		return kept, fmt.Errorf("the comment has %d bytes (limit %d)", len(want.Body), maxComment)
	}
	// Each attempt searches again, because the previous one may have created the comment.
	err = c.retry(ctx, func() error {
		kept, err = c.upsert(ctx, want)
		return err
	})
	return kept, err
}

// retry calls try again after a delay, as long as the error may be temporary.
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

// A pullHead is the head of a pull request.
type pullHead struct{ Repository, Branch, Commit string }

// findPulls returns the numbers of the open pull requests of a repository that have the given head.
// The server filters by branch; the commit and the repositories are compared here.
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
	NodeID  string `json:"node_id"`
	Body    string `json:"body"`
	Address string `json:"html_url"`
	User    struct {
		Login string `json:"login"`
	} `json:"user"`
}

// upsert is one attempt of keep.
func (c *commentClient) upsert(ctx context.Context, want wantedComment) (kept keptComment, err error) {
	if kept.WhyNot, err = c.isOutdated(ctx, want); kept.WhyNot != "" || err != nil {
		return kept, err
	}
	list := "/repos/" + want.Repository + "/issues/" + strconv.Itoa(want.Number) + "/comments"
	ours, err := c.find(ctx, list, want)
	if err != nil {
		return kept, err
	}
	if len(ours) == 0 {
		if want.OnlyUpdate || want.Solved == solvedDelete {
			return kept, nil
		}
		return c.create(ctx, list, want)
	}
	// Delete duplicates last, so that the comment is up to date even if deleting fails.
	kept, err = c.update(ctx, want, ours[0])
	for _, other := range ours[1:] {
		if err == nil {
			err = c.removeDuplicate(ctx, want, other)
		}
	}
	return kept, err
}

// update updates or deletes a comment.
func (c *commentClient) update(ctx context.Context, want wantedComment, old comment) (kept keptComment, err error) {
	if want.Solved == solvedDelete {
		return kept, c.delete(ctx, want, old)
	}
	kept.Address = old.Address
	if strings.ReplaceAll(old.Body, "\r\n", "\n") != want.Body {
		now, err := c.replaceBody(ctx, want, old, want.Body)
		if err != nil {
			return kept, err
		}
		kept.Address = now.Address
	}
	if isSolved := want.Solved == solvedMinimize; isSolved != strings.Contains(old.Body, minimizedMark) {
		return kept, c.minimize(ctx, old, isSolved)
	}
	return kept, nil
}

// isOutdated returns why a comment about these commits must not be written. A token that cannot
// read the pull request may still be able to write to it.
func (c *commentClient) isOutdated(ctx context.Context, want wantedComment) (whyNot string, err error) {
	if len(want.Commits) == 0 {
		return "", nil
	}
	var pull pullRequest
	_, err = c.do(ctx, http.MethodGet, c.address("/repos/"+want.Repository+"/pulls/"+strconv.Itoa(want.Number)), nil, &pull)
	if failed, ok := errors.AsType[*apiError](err); ok && !failed.again && (failed.Status == http.StatusForbidden || failed.Status == http.StatusNotFound) {
		return "", nil
	}
	if err == nil && commitName.MatchString(pull.Head.SHA) && !slices.Contains(want.Commits, pull.Head.SHA) {
		whyNot = fmt.Sprintf("the pull request is now at commit %.9s, but this run checked %.9s", pull.Head.SHA, want.Commits[0])
	}
	return whyNot, err
}

// create creates a comment.
func (c *commentClient) create(ctx context.Context, list string, want wantedComment) (kept keptComment, err error) {
	var now comment
	if _, err = c.do(ctx, http.MethodPost, c.address(list), map[string]string{"body": want.Body}, &now); err != nil {
		return kept, err
	}
	kept.Address = now.Address
	login, author := now.User.Login, cmp.Or(want.Author, defaultAuthor)
	// The next run finds a comment by a different author only if GitHub reports the token's owner.
	if login != "" && !strings.EqualFold(login, author) && (want.Author != "" || !strings.EqualFold(c.viewer(ctx), login)) {
		return kept, fmt.Errorf("the comment was created by %s, not by %s, so the next run will not find it; set comment-author: %s", c.clean(login), c.clean(author), c.clean(login))
	}
	if want.Solved == solvedMinimize {
		err = c.minimize(ctx, now, true)
	}
	return kept, err
}

func (c *commentClient) commentAddress(want wantedComment, of comment) *url.URL {
	return c.address(fmt.Sprintf("/repos/%s/issues/comments/%d", want.Repository, of.ID))
}

// replaceBody replaces the body of a comment.
func (c *commentClient) replaceBody(ctx context.Context, want wantedComment, old comment, body string) (now comment, err error) {
	_, err = c.do(ctx, http.MethodPatch, c.commentAddress(want, old), map[string]string{"body": body}, &now)
	if failed, ok := errors.AsType[*apiError](err); ok && failed.Status == http.StatusNotFound {
		failed.again = true // a person or another run has deleted it since it was found
	}
	return now, err
}

// delete deletes a comment. It is not an error if the comment no longer exists.
func (c *commentClient) delete(ctx context.Context, want wantedComment, old comment) error {
	_, err := c.do(ctx, http.MethodDelete, c.commentAddress(want, old), nil, nil)
	if failed, ok := errors.AsType[*apiError](err); ok && failed.Status == http.StatusNotFound {
		return nil
	}
	return err
}

// removeDuplicate deletes a duplicate. If it cannot be deleted, removeDuplicate replaces its body with a
// reference to the other comment.
func (c *commentClient) removeDuplicate(ctx context.Context, want wantedComment, other comment) error {
	_, err := c.do(ctx, http.MethodDelete, c.commentAddress(want, other), nil, nil)
	failed, ok := errors.AsType[*apiError](err)
	if !ok || failed.again {
		return err
	}
	_, err = c.replaceBody(ctx, want, other, want.Marker+"\n"+want.Short)
	if failed, ok := errors.AsType[*apiError](err); ok && failed.Status == http.StatusNotFound {
		return nil // another run has deleted it
	}
	return err
}

// minimizedMark marks the body of a minimized comment, so that a later run can show it again.
const minimizedMark = "<!-- minimized -->"

// minimize minimizes a comment as resolved, or shows it again.
func (c *commentClient) minimize(ctx context.Context, of comment, isSolved bool) error {
	query := `mutation($id: ID!) { unminimizeComment(input: {subjectId: $id}) { clientMutationId } }`
	if isSolved {
		query = `mutation($id: ID!) { minimizeComment(input: {subjectId: $id, classifier: RESOLVED}) { clientMutationId } }`
	}
	var answer struct{}
	if err := c.graphql(ctx, query, map[string]string{"id": of.NodeID}, &answer); err != nil {
		return fmt.Errorf("cannot minimize the comment: %w", err)
	}
	return nil
}

// viewer returns the login of the token's owner, or "" if unknown.
func (c *commentClient) viewer(ctx context.Context) string {
	var answer struct {
		Viewer struct {
			Login string `json:"login"`
		} `json:"viewer"`
	}
	if c.graphql(ctx, `query { viewer { login } }`, nil, &answer) != nil {
		return ""
	}
	return answer.Viewer.Login
}

// graphql sends a request that the REST API does not support.
func (c *commentClient) graphql(ctx context.Context, query string, variables map[string]string, data any) error {
	u := *c.base
	u.Path = strings.TrimSuffix(u.Path, "/v3") + "/graphql"
	var answer struct {
		Data   json.RawMessage `json:"data"`
		Errors []struct {
			Message string `json:"message"`
		} `json:"errors"`
	}
	_, err := c.do(ctx, http.MethodPost, &u, map[string]any{"query": query, "variables": variables}, &answer)
	switch {
	case err != nil:
		return err
	case len(answer.Errors) > 0:
		return &apiError{Status: http.StatusOK, Message: c.clean(answer.Errors[0].Message)}
	case json.Unmarshal(answer.Data, data) != nil:
		return &apiError{Status: http.StatusOK, Message: "unexpected response"}
	}
	return nil
}

// find returns the comments that may be changed, oldest first.
func (c *commentClient) find(ctx context.Context, list string, want wantedComment) (ours []comment, err error) {
	next := c.address(list)
	next.RawQuery = "per_page=100"
	var others []comment // with the marker, by other authors
	for page := 1; ; page++ {
		var comments []comment
		header, err := c.do(ctx, http.MethodGet, next, nil, &comments)
		if err != nil {
			return nil, err
		}
		for _, found := range comments {
			switch {
			case !beginsWith(found.Body, want.Marker):
			case strings.EqualFold(found.User.Login, cmp.Or(want.Author, defaultAuthor)):
				ours = append(ours, found)
			default: // any user can write a comment with the marker
				others = append(others, found)
			}
		}
		address := nextPage(header)
		if address == "" {
			break
		}
		if page == maxPages {
			if len(ours) > 0 {
				break
			}
			return nil, fmt.Errorf("the comment to change is not among the first %d comments of the pull request", 100*maxPages)
		}
		if next, err = next.Parse(address); err != nil || !c.sameOrigin(next) {
			return nil, errElsewhere
		}
	}
	if len(ours) == 0 && len(others) > 0 && want.Author == "" {
		// Only GitHub can tell which app or user the token belongs to.
		if login := c.viewer(ctx); login != "" {
			for _, found := range others {
				if strings.EqualFold(found.User.Login, login) {
					ours = append(ours, found)
				}
			}
		}
	}
	return ours, nil
}

func beginsWith(body, marker string) bool {
	line, _, _ := strings.Cut(body, "\n")
	return strings.TrimSuffix(line, "\r") == marker
}

// nextPage returns the URL of the next page from a Link header.
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

// An apiError is returned for an unexpected response.
type apiError struct {
	Status  int // 0 if there was no response
	Message string

	refusal string // why GitHub refuses the request, and how to fix it; for status 403 or 429
	again   bool
	after   time.Duration
}

const (
	noPermission = "the token does not have permission; the job needs the permission pull-requests: write"
	rateLimited  = "the token has exceeded its rate limit; rerun the job "
)

// refusals are the reasons for a response with status 403 by the words of its message.
var refusals = []struct{ words, text string }{
	{"access blocked", "GitHub has blocked access to the repository; contact GitHub Support"},
	{"locked", "the conversation of the pull request is locked; unlock it, or set comment: never"},
	{"ip allow list", "the organization allows only listed IP addresses; add the runner's address, or use a runner with a listed address"},
	{"archived", "the repository is archived; unarchive it, or set comment: never"},
	{"by personal access token", "the personal access token does not have permission; give it write access to pull requests, or pass github.token"},
	{"saml", "the organization requires single sign-on; authorize the token for it"},
}

func (e *apiError) Error() string {
	switch e.Status {
	case 0:
		return "cannot reach GitHub: " + e.Message
	case http.StatusOK:
		return "GitHub: " + e.Message
	case http.StatusUnauthorized:
		return e.text("invalid or expired token; set the input token")
	case http.StatusForbidden, http.StatusTooManyRequests:
		return e.text(e.refusal)
	case http.StatusNotFound:
		return e.text("cannot find the pull request; check its number and the token's permissions")
	case http.StatusGone:
		return e.text("the pull request no longer exists; check its number, or set comment: never")
	case http.StatusUnprocessableEntity:
		return e.text("GitHub does not accept the comment; rerun the job, or set comment: never")
	}
	what := cmp.Or(strings.ToLower(http.StatusText(e.Status)), "unexpected status")
	if e.Status >= http.StatusInternalServerError {
		return e.text(what + "; rerun the job later")
	}
	return e.text(what + "; rerun the job, or set comment: never")
}

func (e *apiError) text(what string) string {
	s := fmt.Sprintf("GitHub responded with status %d: %s", e.Status, what)
	if e.Message != "" {
		s += " (" + e.Message + ")"
	}
	return s
}

// do sends a request and reads the response.
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
		return nil, c.unreachable(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	switch {
	case len(data) > maxAnswer:
		return nil, &apiError{Status: res.StatusCode, Message: fmt.Sprintf("response too large (limit %d bytes)", maxAnswer)}
	case err != nil:
		return nil, c.unreachable(err)
	case res.StatusCode < 200 || res.StatusCode > 299:
		return nil, c.failed(res, data)
	}
	if answer == nil {
		return res.Header, nil
	}
	if err := json.Unmarshal(data, answer); err != nil {
		return nil, &apiError{Status: res.StatusCode, Message: "the response is not JSON; check GITHUB_API_URL and the runner's proxy"}
	}
	return res.Header, nil
}

// unreachable returns the error for a request without a complete response. Retrying can help unless the server's
// certificate is invalid.
func (c *commentClient) unreachable(err error) *apiError {
	e := &apiError{Message: c.clean(err.Error()), again: true}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		e.Message += "; if the server has its own certificate authority, install it on the runner, or set SSL_CERT_FILE"
		e.again = false
	}
	if errors.Is(err, errRedirected) {
		e.again = false
	}
	return e
}

// request creates a request with the common headers. The body may be nil.
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

// failed returns the error for a response.
func (c *commentClient) failed(res *http.Response, data []byte) *apiError {
	e := &apiError{Status: res.StatusCode}
	var answer struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(data, &answer) == nil {
		e.Message = c.clean(answer.Message)
	}
	e.explain(res.Header, c.now())
	return e
}

// explain determines why GitHub refuses a request, and when to retry. GitHub also uses 403 for rate
// limits.
func (e *apiError) explain(header http.Header, now time.Time) {
	message := strings.ToLower(e.Message)
	isRefused := e.Status == http.StatusForbidden || e.Status == http.StatusTooManyRequests
	after, hasAfter := retryAfter(header.Get("Retry-After"), now)
	switch {
	case hasAfter:
		e.after = after
	case isRefused && header.Get("X-RateLimit-Remaining") == "0":
		if reset, err := strconv.ParseInt(header.Get("X-RateLimit-Reset"), 10, 64); err == nil {
			e.after = time.Duration(min(max(reset, now.Unix())-now.Unix(), 3600)) * time.Second
		}
	case isRefused && strings.Contains(message, "secondary rate limit"):
		e.after = time.Minute // GitHub's documentation requires this if there is no header
	}
	isLimited := isRefused && (e.Status == http.StatusTooManyRequests || hasAfter || header.Get("X-RateLimit-Remaining") == "0" || strings.Contains(message, "rate limit"))
	e.again = e.Status >= 500 || isLimited
	if header.Get("X-GitHub-SSO") != "" {
		message += " saml"
	}
	e.refusal = noPermission
	for _, r := range refusals {
		if strings.Contains(message, r.words) {
			e.refusal = r.text
			break
		}
	}
	switch {
	case isLimited && e.after > 0:
		e.refusal = rateLimited + "in " + e.after.Round(time.Second).String()
	case isLimited:
		e.refusal = rateLimited + "later"
	}
}

// retryAfter returns the delay of a Retry-After header, which is a number of seconds or a date. It
// is at most one hour.
func retryAfter(value string, now time.Time) (delay time.Duration, ok bool) {
	seconds, err := strconv.Atoi(value)
	if err != nil {
		date, err := http.ParseTime(value)
		if err != nil {
			return 0, false
		}
		seconds = max(0, int(date.Sub(now).Round(time.Second)/time.Second))
	}
	return time.Duration(min(seconds, 3600)) * time.Second, seconds >= 0
}

// clean makes untrusted text safe to print.
func (c *commentClient) clean(s string) string {
	s = safetext.Escape(strings.ReplaceAll(s, c.token, "***"))
	if len(s) > 300 {
		s = strings.ToValidUTF8(s[:300], "") + "…"
	}
	return s
}
