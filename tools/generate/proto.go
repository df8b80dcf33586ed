package main

import (
	"fmt"
	"reflect"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
)

// The parts of a stardoc_output.ModuleInfo that the page needs. Bazel's
// src/main/protobuf/stardoc_output.proto defines the message. Tags are field numbers.
type (
	module struct {
		Rules      []rule      `proto:"1"`
		Providers  []provider  `proto:"2"`
		Functions  []function  `proto:"3"`
		Aspects    []aspect    `proto:"4"`
		Extensions []extension `proto:"7"`
	}
	rule struct {
		Name       string      `proto:"1"`
		Doc        string      `proto:"2"`
		Attributes []attribute `proto:"3"`
	}
	attribute struct {
		Name      string        `proto:"1"`
		Doc       string        `proto:"2"`
		Type      attributeType `proto:"3"`
		Mandatory bool          `proto:"4"`
		Default   string        `proto:"6"`
	}
	provider struct {
		Name   string  `proto:"1"`
		Doc    string  `proto:"2"`
		Fields []field `proto:"3"`
	}
	field struct {
		Name string `proto:"1"`
		Doc  string `proto:"2"`
	}
	function struct {
		Name       string      `proto:"1"`
		Parameters []parameter `proto:"2"`
		Doc        string      `proto:"3"`
		Returns    []returns   `proto:"4"` // at most one
	}
	returns struct {
		Doc string `proto:"1"`
	}
	parameter struct {
		Name      string `proto:"1"` // without the * of *args and **kwargs
		Doc       string `proto:"2"`
		Default   string `proto:"3"` // empty for *args and **kwargs
		Mandatory bool   `proto:"4"`
	}
	aspect struct {
		Name string `proto:"1"`
		Doc  string `proto:"2"`
	}
	extension struct {
		Name string `proto:"1"`
		Doc  string `proto:"2"`
		Tags []tag  `proto:"3"`
	}
	tag struct {
		Name       string      `proto:"1"`
		Doc        string      `proto:"2"`
		Attributes []attribute `proto:"3"`
	}
)

type attributeType int32

var attributeTypes = []string{
	"", "name", "int", "label", "string", "string list", "int list", "label list", "bool", "label keyed string dict",
	"string dict", "string list dict", "output", "output list", "string keyed label dict", "label list dict",
}

func (t attributeType) String() string {
	if t < 0 || int(t) >= len(attributeTypes) {
		return ""
	}
	return attributeTypes[t]
}

// unmarshal adds a message's fields to those of a struct.
func unmarshal(data []byte, message reflect.Value) error {
	for len(data) > 0 {
		number, wire, n := protowire.ConsumeTag(data)
		if n < 0 {
			return protowire.ParseError(n)
		}
		data = data[n:]
		n = protowire.ConsumeFieldValue(number, wire, data)
		if n < 0 {
			return protowire.ParseError(n)
		}
		if err := set(fieldOf(message, number), wire, data[:n]); err != nil {
			return err
		}
		data = data[n:]
	}
	return nil
}

// fieldOf returns a message's field, or the zero Value if the page does not need it.
func fieldOf(message reflect.Value, number protowire.Number) reflect.Value {
	for i := range message.NumField() {
		if message.Type().Field(i).Tag.Get("proto") == strconv.Itoa(int(number)) {
			return message.Field(i)
		}
	}
	return reflect.Value{}
}

// set sets a field, or appends to a repeated field.
func set(f reflect.Value, wire protowire.Type, value []byte) error {
	switch {
	case !f.IsValid():
	case f.Kind() == reflect.Int32 && wire == protowire.VarintType:
		n, _ := protowire.ConsumeVarint(value)
		f.SetInt(int64(n))
	case f.Kind() == reflect.Bool && wire == protowire.VarintType:
		n, _ := protowire.ConsumeVarint(value)
		f.SetBool(n != 0)
	case f.Kind() == reflect.String && wire == protowire.BytesType:
		text, _ := protowire.ConsumeString(value)
		f.SetString(text)
	case f.Kind() == reflect.Slice && wire == protowire.BytesType:
		data, _ := protowire.ConsumeBytes(value)
		element := reflect.New(f.Type().Elem()).Elem()
		if err := unmarshal(data, element); err != nil {
			return err
		}
		f.Set(reflect.Append(f, element))
	default:
		return fmt.Errorf("a %s field has wire type %d", f.Kind(), wire)
	}
	return nil
}
