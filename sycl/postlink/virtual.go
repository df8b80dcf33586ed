package postlink

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/internal/llvmir"
	"github.com/rules-sycl/rules_sycl/sycl/postlink/internal/devicecode"
)

// findVirtualFunctions determines the sets of virtual functions that each kernel may call, and adds
// them to the kernel's attribute calls-indirectly. A vtable is a variable whose initial value names
// functions. A kernel that reaches the vtable of a class can create objects of the class and may
// call its functions.
//
// It warns about a kernel that reaches a virtual call but does not have the attribute, because the
// runtime then cannot determine what to link it with.
//
// The time is proportional to the size of the module plus, for each set, the number of symbols that
// reach it.
func findVirtualFunctions(m *llvmir.Module) []Diagnostic {
	v := newVirtualFunctions(m)
	v.addSets()
	return v.checkCalls()
}

// A virtualFunctions holds the state of one call of findVirtualFunctions.
type virtualFunctions struct {
	module *llvmir.Module
	set    map[llvmir.Symbol]string   // the set that a virtual function belongs to
	users  map[string][]llvmir.Symbol // by set: functions that declare calls to it, and its vtables
}

func newVirtualFunctions(m *llvmir.Module) *virtualFunctions {
	v := &virtualFunctions{m, map[llvmir.Symbol]string{}, map[string][]llvmir.Symbol{}}
	for _, f := range m.Functions() {
		if set, _ := f.Attribute(devicecode.AttrIndirectlyCallable); set != "" {
			v.set[f] = set
			v.users[set] = append(v.users[set], vtables(m, f)...)
		}
		calls, _ := f.Attribute(devicecode.AttrCallsIndirectly)
		for _, set := range devicecode.SetNames(calls) {
			v.users[set] = append(v.users[set], f)
		}
	}
	return v
}

// vtables returns the variables that refer to a function, directly or through an alias.
func vtables(m *llvmir.Module, f *llvmir.Function) []llvmir.Symbol {
	var tables []llvmir.Symbol
	seen := map[llvmir.Symbol]bool{f: true}
	for queue := []llvmir.Symbol{f}; len(queue) > 0; queue = queue[1:] {
		for _, user := range m.SymbolUsers(queue[0].Name()) {
			switch user := user.(type) {
			case *llvmir.Global:
				tables = append(tables, user)
			case *llvmir.Alias:
				if !seen[user] {
					seen[user] = true
					queue = append(queue, user)
				}
			}
		}
	}
	return tables
}

// addSets adds to kernels the sets that they reach.
func (v *virtualFunctions) addSets() {
	reached := map[llvmir.Symbol][]string{} // sets by kernel
	members := slices.Collect(maps.Values(v.set))
	slices.Sort(members)
	for _, set := range slices.Compact(members) {
		w := newWays()
		w.enterSet(v, set, nil)
		w.follow(v)
		for _, s := range w.from {
			if f, ok := s.(*llvmir.Function); ok && f.Kernel() {
				reached[f] = append(reached[f], set)
			}
		}
	}
	for _, k := range v.module.Kernels() {
		calls, _ := k.Attribute(devicecode.AttrCallsIndirectly)
		before := devicecode.SetNames(calls)
		sets := before
		for _, set := range reached[k] {
			if !slices.Contains(before, set) {
				sets = append(sets, set)
			}
		}
		if len(sets) > len(before) {
			k.SetAttribute(devicecode.AttrCallsIndirectly, strings.Join(sets, ","))
		}
	}
}

// checkCalls warns about kernels that make virtual calls but do not specify a set.
func (v *virtualFunctions) checkCalls() []Diagnostic {
	if !v.module.Mentions(devicecode.AttrVirtualCall) { // as in most modules
		return nil
	}
	w := newWays()
	places := map[llvmir.Symbol]llvmir.Frame{}
	for _, f := range v.module.Functions() {
		if where, ok := virtualCall(f); ok {
			places[f] = where
			w.add(f, nil)
		}
	}
	w.follow(v)
	var list []Diagnostic
	var sites devicecode.CallSites
	for _, k := range v.module.Kernels() {
		if _, ok := w.step[k]; !ok || k.HasAttribute(devicecode.AttrCallsIndirectly) {
			continue
		}
		where := places[w.step[k].end]
		list = append(list, Diagnostic{
			Location: devicecode.Place(where),
			Text:     fmt.Sprintf("kernel '%s' makes a virtual call, but does not specify the set of virtual functions", devicecode.BriefName(k.Name())),
			Notes: append([]string{"Missing property 'assume_indirect_calls' or 'assume_indirect_calls_to' of the kernel?"},
				w.chain(k, where, &sites).Notes(where)...),
		})
	}
	return list
}

// virtualCall reports whether a function makes a virtual call. It returns the location of the first
// such call that has a location, or else the function's location.
func virtualCall(f *llvmir.Function) (where llvmir.Frame, ok bool) {
	for in := range f.Calls() {
		if _, virtual := in.Attribute(devicecode.AttrVirtualCall); !virtual {
			continue
		}
		ok = true
		if at, has := in.DebugLoc(); has && devicecode.HasLine(at) {
			return at, true
		}
	}
	if ok {
		where = f.DebugLoc()
	}
	return where, ok
}

// ways holds the shortest path from each symbol to one of several symbols, the ends. A symbol that
// reaches a function of a set may call every function of the set.
type ways struct {
	step map[llvmir.Symbol]step
	from []llvmir.Symbol // the symbols of step, nearest first
	sets map[string]bool // sets that were entered
}

type step struct {
	next, end llvmir.Symbol // next is nil at the end
}

func newWays() *ways {
	return &ways{step: map[llvmir.Symbol]step{}, sets: map[string]bool{}}
}

// add adds a symbol. Its path continues at the symbol to; if to is nil, the symbol is an end.
func (w *ways) add(from, to llvmir.Symbol) {
	if _, ok := w.step[from]; ok {
		return
	}
	end := from
	if to != nil {
		end = w.step[to].end
	}
	w.step[from] = step{to, end}
	w.from = append(w.from, from)
}

// enterSet adds the users of a set. Their paths continue at the symbol to; if to is nil, they are
// ends.
func (w *ways) enterSet(v *virtualFunctions, set string, to llvmir.Symbol) {
	if w.sets[set] {
		return
	}
	w.sets[set] = true
	for _, user := range v.users[set] {
		w.add(user, to)
	}
}

// follow adds all symbols that reach an added symbol.
func (w *ways) follow(v *virtualFunctions) {
	for i := 0; i < len(w.from); i++ {
		s := w.from[i]
		for _, user := range v.module.SymbolUsers(s.Name()) {
			if user, ok := user.(llvmir.Symbol); ok {
				w.add(user, s)
			}
		}
		if set := v.set[s]; set != "" {
			w.enterSet(v, set, s)
		}
	}
}

// chain returns the functions on the path from a function to its end, and the location at the end.
func (w *ways) chain(f *llvmir.Function, where llvmir.Frame, sites *devicecode.CallSites) *devicecode.Chain {
	c := devicecode.NewChain(f)
	var from llvmir.Symbol = f
	for to := w.step[from].next; to != nil; from, to = to, w.step[to].next {
		end, _ := w.step[f].end.(*llvmir.Function)
		if c.Cut(end) {
			break
		}
		var call llvmir.Frame
		if caller, ok := from.(*llvmir.Function); ok {
			call = sites.Find(caller, to.Name())
		}
		callee, _ := to.(*llvmir.Function)
		c.AddCall(callee, call)
	}
	c.AddInlined(where)
	return c
}
