package propset

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"strings"
)

// alphabet has the characters of encoded byte arrays. Character i of an encoding holds bits 6i to
// 6i+5 of the bytes, taken as one little-endian number. The encoding of n bytes has ceil(8n/6)
// characters.
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// digits maps each character of alphabet to its six bits, and other bytes to 0xff.
var digits = func() (d [256]byte) {
	for i := range d {
		d[i] = 0xff
	}
	for i, c := range []byte(alphabet) {
		d[c] = byte(i)
	}
	return d
}()

// prefixLen is the size of the bit count before the payload.
const prefixLen = 8

// bytesFor returns the number of bytes needed for a number of bits. It cannot overflow.
func bytesFor(bits uint64) uint64 {
	n := bits / 8
	if bits%8 != 0 {
		n++
	}
	return n
}

// unusedBits returns the bits of the last byte of b that are beyond the first bits bits.
func unusedBits(b []byte, bits uint64) byte {
	if bits%8 == 0 {
		return 0
	}
	return b[len(b)-1] >> (bits % 8) << (bits % 8)
}

// encode appends raw to dst.
func encode(dst, raw []byte) []byte {
	for len(raw) > 0 {
		n := min(3, len(raw))
		var group uint32
		for i, b := range raw[:n] {
			group |= uint32(b) << (8 * i)
		}
		for range n + 1 { // n bytes fill n+1 characters, for n from 1 to 3
			dst = append(dst, alphabet[group&0x3f])
			group >>= 6
		}
		raw = raw[n:]
	}
	return dst
}

// decode is the inverse of encode. It reports whether the unused bits of the last character are
// non-zero.
func decode(text string) (raw []byte, leftover bool, err error) {
	if len(text)%4 == 1 {
		return nil, false, fmt.Errorf("a byte array of %d characters is truncated: 4 characters encode 3 bytes", len(text))
	}
	raw = make([]byte, 0, len(text)/4*3+2)
	for at := 0; at < len(text); at += 4 {
		n := min(4, len(text)-at)
		var group uint32
		for i, c := range []byte(text[at : at+n]) {
			d := digits[c]
			if d == 0xff {
				return nil, false, fmt.Errorf("character %q at position %d of the byte array is not a letter, digit, + or /", c, at+i+1)
			}
			group |= uint32(d) << (6 * i)
		}
		for range n - 1 {
			raw = append(raw, byte(group))
			group >>= 8
		}
		leftover = group != 0
	}
	return raw, leftover, nil
}

// splitByteArray reads the bit count from raw and checks the payload against it.
func splitByteArray(raw []byte) (payload []byte, bits uint64, surplus int, err error) {
	if len(raw) < prefixLen {
		return nil, 0, 0, fmt.Errorf("a byte array begins with an 8-byte bit count, but this one has %d bytes in all", len(raw))
	}
	bits, payload = binary.LittleEndian.Uint64(raw), raw[prefixLen:]
	need := bytesFor(bits)
	if need > uint64(len(payload)) {
		return nil, 0, 0, fmt.Errorf("the byte array declares %d bits but holds %d bytes", bits, len(payload))
	}
	return payload[:need], bits, len(payload) - int(need), nil
}

// otherEncoding returns an explanation for text in the base64 encoding of RFC 4648, or "" for other
// text.
func otherEncoding(text string) string {
	const fix = "property sets store the least significant bits first and have no padding"
	bare := strings.TrimRight(text, "=")
	for _, e := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		raw, err := e.DecodeString(bare)
		if err != nil {
			continue
		}
		if _, _, surplus, err := splitByteArray(raw); err == nil && surplus == 0 {
			return "; the text is base64 of RFC 4648: " + fix
		}
		if bare != text {
			return "; the text looks like base64 of RFC 4648, without a bit count: " + fix + ", and a 64-bit count of bits comes before the payload"
		}
	}
	return ""
}
