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

// Servers manages ocloc processes that each compile many modules, so that the compiler is loaded
// only once. The library [Options.Server] turns ocloc into such a process. Its source,
// rules/ocloc/server.c, documents the protocol.
type Servers struct {
	ctx    context.Context // lifetime of the processes
	slots  chan struct{}   // one element per running ocloc process
	wait   time.Duration   // idle time after which a server exits
	mu     sync.Mutex
	idle   map[kind][]*server
	unfit  map[kind]bool
	closed bool
}

// A kind identifies interchangeable servers: their files, and the sizes and modification times of
// ocloc and its libraries.
type kind struct{ library, ocloc, state string }

func kindOf(library, ocloc string) kind {
	state := buildstep.State(ocloc)
	for _, file := range libraries(ocloc) {
		state += fmt.Sprintf(" %q %s", file, buildstep.State(file))
	}
	return kind{library, ocloc, state}
}

// NewServers returns Servers whose processes run until ctx is canceled or Close is called. At most
// atOnce processes compile at the same time. An idle process exits after five minutes.
func NewServers(ctx context.Context, atOnce int) *Servers {
	return &Servers{
		ctx: ctx, slots: make(chan struct{}, atOnce), wait: 5 * time.Minute,
		idle: map[kind][]*server{}, unfit: map[kind]bool{},
	}
}

// slot waits until another ocloc process may run. The caller must call release when it is done.
func (p *Servers) slot(ctx context.Context) (release func(), err error) {
	select {
	case p.slots <- struct{}{}:
		return func() { <-p.slots }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Close stops all idle servers, and each busy server when it is done.
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

// run runs a command line in a server and returns ocloc's output. ok is false if there is no server
// or ocloc fails. The caller then runs the ocloc program, which reports the error.
func (p *Servers) run(ctx context.Context, k kind, args []string) (printed []byte, ok bool) {
	for {
		s := p.takeIdle(ctx, k)
		if s == nil {
			return nil, false
		}
		stop := context.AfterFunc(ctx, s.cancel)
		code, printed, err := s.request(append([]string{k.ocloc}, args...))
		if stop() && err == nil && code == 0 {
			p.putIdle(k, s)
			return printed, true
		}
		s.end()
		// An idle server may have been killed in the meantime. Try again unless the server is new.
		if ctx.Err() != nil || err == nil || s.requests == 0 {
			return nil, false
		}
	}
}

// giveUp stops the idle servers of a kind and prevents new ones.
func (p *Servers) giveUp(k kind) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unfit[k] = true
	for _, s := range p.idle[k] {
		s.end()
	}
	delete(p.idle, k)
}

// takeIdle removes and returns an idle server, or returns nil.
func (p *Servers) takeIdle(ctx context.Context, k kind) *server {
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

// putIdle makes a server idle, or stops it if it has served enough requests.
func (p *Servers) putIdle(k kind, s *server) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s.requests++; p.closed || p.unfit[k] || s.requests >= maxRequests {
		s.end()
		return
	}
	s.timer = time.AfterFunc(p.wait, func() { p.retire(k, s) })
	p.idle[k] = append(p.idle[k], s)
}

// retire stops a server unless it is busy.
func (p *Servers) retire(k kind, s *server) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.Index(p.idle[k], s); i >= 0 {
		p.idle[k] = slices.Delete(p.idle[k], i, i+1)
		s.end()
	}
}

const (
	maxRequests = 1000     // per server, because the compiler leaks memory
	maxPrinted  = 64 << 20 // bytes of output per request
)

// A server is an ocloc process.
type server struct {
	cancel   context.CancelFunc // kills the process
	stdin    io.Writer
	stdout   *bufio.Reader
	wait     func() error
	requests int
	timer    *time.Timer // stops the server if it stays idle
}

// start starts a server that runs until life is canceled, and waits for its greeting.
func start(ctx, life context.Context, k kind) (*server, error) {
	library, err := preloadable(k.library)
	if err != nil {
		return nil, err
	}
	life, cancel := context.WithCancel(life)
	// If the loader skips the library, ocloc prints its help and exits.
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
		return nil, fmt.Errorf("%s did not start as a server", k.ocloc)
	}
	return s, nil
}

// preloadable returns the path of a library for LD_PRELOAD, in which colons and spaces separate
// paths.
func preloadable(path string) (string, error) {
	if absolute, err := filepath.Abs(path); err == nil && !strings.ContainsAny(absolute, ": ") {
		return absolute, nil
	}
	if filepath.IsAbs(path) || strings.ContainsAny(path, ": ") {
		return "", fmt.Errorf("%s cannot be preloaded", path)
	}
	return "." + string(filepath.Separator) + path, nil
}

// end stops the process.
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
