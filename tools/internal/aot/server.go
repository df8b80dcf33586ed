package aot

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/tools/internal/buildstep"
)

// Servers are ocloc processes that compile one module after another, so the compiler is loaded
// once. The library that [Options.Server] names turns ocloc into such a process. Its source,
// rules/ocloc/server.c, documents the protocol.
type Servers struct {
	ctx    context.Context // of the processes
	slots  chan struct{}   // one for each running ocloc process
	wait   time.Duration   // idle time after which a server ends
	mu     sync.Mutex
	idle   map[kind][]*server
	unfit  map[kind]bool
	closed bool
}

// A kind identifies interchangeable servers: their files, and the sizes and times of ocloc and
// its libraries.
type kind struct{ library, ocloc, state string }

func kindOf(library, ocloc string) kind {
	state := buildstep.State(ocloc)
	for _, file := range libraries(ocloc) {
		state += fmt.Sprintf(" %q %s", file, buildstep.State(file))
	}
	return kind{library, ocloc, state}
}

// NewServers returns servers that live until ctx ends or Close is called. At most atOnce compile
// at a time, and an idle server ends after five minutes.
func NewServers(ctx context.Context, atOnce int) *Servers {
	return &Servers{
		ctx: ctx, slots: make(chan struct{}, atOnce), wait: 5 * time.Minute,
		idle: map[kind][]*server{}, unfit: map[kind]bool{},
	}
}

// slot waits until ocloc may run. The caller must call the returned function afterwards.
func (p *Servers) slot(ctx context.Context) (release func(), err error) {
	select {
	case p.slots <- struct{}{}:
		return func() { <-p.slots }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Close ends all idle servers, and the others when they are done.
func (p *Servers) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for _, waiting := range p.idle {
		for _, s := range waiting {
			s.end()
		}
	}
	p.idle = nil
}

// run runs a command line and returns ocloc's output. ok is false if there is no server, or if the
// run fails: the ocloc program then reports why.
func (p *Servers) run(ctx context.Context, k kind, args []string) (printed []byte, ok bool) {
	for {
		s := p.take(ctx, k)
		if s == nil {
			return nil, false
		}
		stop := context.AfterFunc(ctx, s.cancel)
		code, printed, err := s.request(append([]string{k.ocloc}, args...))
		if stop() && err == nil && code == 0 {
			p.put(k, s)
			return printed, true
		}
		s.end()
		// An idle server may have been killed in the meantime. A new one was not.
		if ctx.Err() != nil || err == nil || s.requests == 0 {
			return nil, false
		}
	}
}

// giveUp ends the idle servers of a kind, and starts no more.
func (p *Servers) giveUp(k kind) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unfit[k] = true
	for _, s := range p.idle[k] {
		s.end()
	}
	delete(p.idle, k)
}

// take returns an idle server, or nil.
func (p *Servers) take(ctx context.Context, k kind) *server {
	p.mu.Lock()
	if p.unfit[k] {
		p.mu.Unlock()
		return nil
	}
	if n := len(p.idle[k]); n > 0 {
		s := p.idle[k][n-1]
		p.idle[k] = p.idle[k][:n-1]
		p.mu.Unlock()
		s.timer.Stop()
		return s
	}
	p.mu.Unlock()
	s, err := start(ctx, p.ctx, k)
	if err != nil {
		if ctx.Err() == nil {
			p.giveUp(k)
		}
		return nil
	}
	return s
}

// put returns a server to the idle ones, or ends it if it has done enough.
func (p *Servers) put(k kind, s *server) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s.requests++; p.closed || p.unfit[k] || s.requests >= maxRequests {
		s.end()
		return
	}
	s.timer = time.AfterFunc(p.wait, func() { p.retire(k, s) })
	p.idle[k] = append(p.idle[k], s)
}

// retire ends a server unless it is busy.
func (p *Servers) retire(k kind, s *server) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.Index(p.idle[k], s); i >= 0 {
		p.idle[k] = slices.Delete(p.idle[k], i, i+1)
		s.end()
	}
}

const (
	maxRequests = 1000     // per server, because no compiler frees all of its memory
	maxPrinted  = 64 << 20 // bytes, for a request
)

// A server is an ocloc process.
type server struct {
	cancel   context.CancelFunc // kills it
	stdin    io.Writer
	stdout   *bufio.Reader
	wait     func() error
	requests int
	timer    *time.Timer // which ends it while it is idle
}

// start starts a server that lives until life ends. It waits for its greeting until ctx ends.
func start(ctx, life context.Context, k kind) (*server, error) {
	library, err := preloadable(k.library)
	if err != nil {
		return nil, err
	}
	life, cancel := context.WithCancel(life)
	// Without the library, which the loader may skip, ocloc prints its help and exits.
	cmd := cli.Program(life, k.ocloc, "--help")
	cmd.Env = append(os.Environ(), "LD_PRELOAD="+strings.TrimRight(library+":"+os.Getenv("LD_PRELOAD"), ":"))
	s := &server{cancel: cancel, wait: cmd.Wait}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		cancel()
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		cancel()
		return nil, err
	}
	if err := atFixedAddresses(cmd.Start); err != nil {
		cancel()
		return nil, err
	}
	s.stdin, s.stdout = stdin, bufio.NewReader(stdout)
	const ready = "ocloc-server 1\n"
	greeting := make([]byte, len(ready))
	stop := context.AfterFunc(ctx, cancel)
	defer stop()
	if _, err := io.ReadFull(s.stdout, greeting); err != nil || string(greeting) != ready {
		s.end()
		return nil, fmt.Errorf("%s is no server", k.ocloc)
	}
	return s, nil
}

// preloadable returns the path of a library for LD_PRELOAD, where a colon or a space ends the
// path.
func preloadable(path string) (string, error) {
	if absolute, err := filepath.Abs(path); err == nil && !strings.ContainsAny(absolute, ": ") {
		return absolute, nil
	}
	if filepath.IsAbs(path) || strings.ContainsAny(path, ": ") {
		return "", fmt.Errorf("%s cannot be preloaded", path)
	}
	return "." + string(filepath.Separator) + path, nil
}

// end ends the process.
func (s *server) end() {
	s.cancel()
	s.wait()
}

// request runs a command line and returns its exit code and output.
func (s *server) request(args []string) (code int, printed []byte, err error) {
	var text bytes.Buffer
	for _, arg := range args {
		if arg == "" || strings.ContainsRune(arg, 0) {
			return 0, nil, fmt.Errorf("argument %q cannot be sent", arg)
		}
		text.WriteString(arg + "\x00")
	}
	text.WriteByte(0)
	if _, err := text.WriteTo(s.stdin); err != nil {
		return 0, nil, err
	}
	line, err := s.stdout.ReadSlice('\n')
	if err != nil {
		return 0, nil, err
	}
	first, second, _ := strings.Cut(strings.TrimSuffix(string(line), "\n"), " ")
	code, err = strconv.Atoi(first)
	if err != nil {
		return 0, nil, err
	}
	size, err := strconv.ParseUint(second, 10, 64)
	if err != nil || size > maxPrinted {
		return 0, nil, fmt.Errorf("%q is not a number of bytes below %d", second, maxPrinted)
	}
	printed = make([]byte, size)
	_, err = io.ReadFull(s.stdout, printed)
	return code, printed, err
}
