// Command bridge makes buildbox-casd usable as a remote execution server for Bazel 7.
//
//	bridge -listen 127.0.0.1:8981 -server 127.0.0.1:8980
//
// buildbox-casd announces versions 2.1 and later of the API. Bazel 7 requests 2.0, which has
// the same messages, and rejects the server. The bridge forwards every call, and lowers the
// announced version in the response to GetCapabilities.
package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"time"
)

const capabilities = "/build.bazel.remote.execution.v2.Capabilities/GetCapabilities"

// lowVersion is appended to a ServerCapabilities message: field 4, low_api_version, is a SemVer
// with major 2 and minor 0. If a field is repeated, the last value counts.
var lowVersion = []byte{4<<3 | 2, 4, 1 << 3, 2, 2 << 3, 0}

const (
	frameHeader = 5       // bytes: whether the message is compressed, and its size
	maxMessage  = 1 << 20 // size of a response to GetCapabilities
)

// lower appends the lower version to the only message of a response.
func lower(answer []byte) ([]byte, error) {
	if len(answer) < frameHeader {
		return nil, errors.New("the response to GetCapabilities has no message")
	}
	if answer[0] != 0 {
		return nil, errors.New("the response to GetCapabilities is compressed")
	}
	size := uint64(binary.BigEndian.Uint32(answer[1:frameHeader]))
	if size != uint64(len(answer)-frameHeader) {
		return nil, fmt.Errorf("the response to GetCapabilities has %d bytes; its header says %d", len(answer)-frameHeader, size)
	}
	changed := bytes.Join([][]byte{answer, lowVersion}, nil)
	binary.BigEndian.PutUint32(changed[1:], uint32(len(changed)-frameHeader))
	return changed, nil
}

// changeAnswer changes responses that Bazel would not accept.
func changeAnswer(r *http.Response) error {
	// The header of a response without a body may contain an error. If the proxy sends the end of
	// that response after its header, the trailer must contain the error.
	for _, key := range []string{"Grpc-Status", "Grpc-Message", "Grpc-Status-Details-Bin"} {
		if values, ok := r.Header[key]; ok {
			if r.Trailer == nil {
				r.Trailer = http.Header{}
			}
			r.Trailer[key] = values
			r.Header.Del(key)
		}
	}
	if r.Request.URL.Path != capabilities {
		return nil
	}
	answer, err := io.ReadAll(io.LimitReader(r.Body, maxMessage))
	if err != nil {
		return err
	}
	if len(answer) == 0 {
		return nil // the trailer contains an error
	}
	if answer, err = lower(answer); err != nil {
		return err
	}
	// The body has been read, so the trailer is complete.
	r.Body = io.NopCloser(bytes.NewReader(answer))
	r.Header.Del("Content-Length")
	r.ContentLength = -1
	return nil
}

// cleartext returns the protocol HTTP/2 without TLS, which gRPC uses.
func cleartext() *http.Protocols {
	var p http.Protocols
	p.SetUnencryptedHTTP2(true)
	return &p
}

// bridge returns a handler that forwards calls to the server at an address.
func bridge(server string) http.Handler {
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: server})
	proxy.Transport = &http.Transport{Protocols: cleartext()}
	proxy.FlushInterval = -1 // responses are streams
	proxy.ModifyResponse = changeAnswer
	return proxy
}

func main() {
	listen := flag.String("listen", "127.0.0.1:8981", "address that Bazel connects to")
	server := flag.String("server", "127.0.0.1:8980", "address of buildbox-casd")
	flag.Parse()
	s := &http.Server{Addr: *listen, Handler: bridge(*server), Protocols: cleartext(), ReadHeaderTimeout: time.Minute}
	log.Fatal(s.ListenAndServe())
}
