// Bridge lets Bazel 7 use buildbox-casd as a Remote Execution server.
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

// Appended to a ServerCapabilities: field 4, low_api_version, is a SemVer with major 2 and minor 0.
// Of repeated fields, the last value counts.
var lowVersion = []byte{4<<3 | 2, 4, 1 << 3, 2, 2 << 3, 0}

const (
	frameHeader = 5       // whether the message is compressed, and its size
	maxMessage  = 1 << 20 // of an answer to GetCapabilities
)

// lower appends the lower version to the only message of an answer.
func lower(answer []byte) ([]byte, error) {
	if len(answer) < frameHeader {
		return nil, errors.New("the answer to GetCapabilities has no message")
	}
	if answer[0] != 0 {
		return nil, errors.New("the answer to GetCapabilities is compressed")
	}
	size := uint64(binary.BigEndian.Uint32(answer[1:frameHeader]))
	if size != uint64(len(answer)-frameHeader) {
		return nil, fmt.Errorf("the answer to GetCapabilities has %d bytes, and says %d", len(answer)-frameHeader, size)
	}
	changed := bytes.Join([][]byte{answer, lowVersion}, nil)
	binary.BigEndian.PutUint32(changed[1:], uint32(len(changed)-frameHeader))
	return changed, nil
}

// changeAnswer changes an answer where Bazel would not accept it.
func changeAnswer(r *http.Response) error {
	// An error may be in the header of an answer without a body. The proxy may send the end
	// of that answer later than its header, and then the error must be in the trailer.
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
		return nil // an error, which is in the trailer
	}
	if answer, err = lower(answer); err != nil {
		return err
	}
	// The trailer is known now that the body is read.
	r.Body = io.NopCloser(bytes.NewReader(answer))
	r.Header.Del("Content-Length")
	r.ContentLength = -1
	return nil
}

// cleartext is HTTP/2, which gRPC uses, without TLS.
func cleartext() *http.Protocols {
	var p http.Protocols
	p.SetUnencryptedHTTP2(true)
	return &p
}

// bridge returns a handler that passes calls on to the server at an address.
func bridge(server string) http.Handler {
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: server})
	proxy.Transport = &http.Transport{Protocols: cleartext()}
	proxy.FlushInterval = -1 // answers are streams
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
