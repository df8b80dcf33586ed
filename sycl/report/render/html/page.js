"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const form = document.getElementById("filters");
  if (!form) return; // nothing to compare
  const region = document.getElementById("matrix");
  const table = region.querySelector("table");
  const heads = [...table.tHead.rows[0].cells].slice(1);
  const more = document.getElementById("more");
  const lower = (s) => s.toLowerCase();
  const rows = data.lazy ? [] : [...table.querySelectorAll("tbody tr:not(.group)")];
  // Each name is in the page once. A page with all rows has it there.
  rows.forEach((row, i) => { data.kernels[i].n = row.cells[0].textContent; });
  const names = data.kernels.map((k) => lower(k.n + "\n" + data.targets[k.g]));
  const devices = data.devices.map(lower);
  const fields = ["kernel", "device", "status", "rule"];

  // The address contains the filters, so that a link to a view can be sent to others.
  const read = () => {
    const asked = new URLSearchParams(location.hash.slice(1));
    for (const f of fields) form.elements[f].value = asked.get(f) || "";
    form.elements.problems.checked = asked.get("problems") === "1";
  };
  const write = () => {
    const asked = new URLSearchParams();
    for (const f of fields) if (form.elements[f].value) asked.set(f, form.elements[f].value);
    if (form.elements.problems.checked) asked.set("problems", "1");
    history.replaceState(null, "", "#" + asked);
  };

  // choose returns the numbers of the kernels and devices that fit the filters.
  const choose = () => {
    const kernel = lower(form.elements.kernel.value.trim());
    const terms = lower(form.elements.device.value).split(/[\s,]+/).filter(Boolean);
    const status = form.elements.status.value;
    const rule = form.elements.rule.value;
    const problems = form.elements.problems.checked;
    const fits = data.kinds.map((k) => (!status || k.c === status) && (!rule || (k.r || []).includes(rule)) &&
      (!problems || k.c === "x" || k.c === "m"));
    const all = fits.every(Boolean);
    const named = devices.map((d) => !terms.length || terms.some((t) => d.includes(t)));
    const hit = named.map((n) => n && all);
    const patterns = data.patterns.map((p) => all || p.some((kind, d) => named[d] && fits[kind]));
    const kernels = [];
    const used = new Set();
    names.forEach((name, i) => {
      const p = data.kernels[i].p;
      if (patterns[p] && (!kernel || name.includes(kernel))) {
        kernels.push(i);
        used.add(p);
      }
    });
    if (!all) for (const p of used) data.patterns[p].forEach((kind, d) => { if (named[d] && fits[kind]) hit[d] = true; });
    return { kernels, hit };
  };

  const make = (tag, text, className) => {
    const e = document.createElement(tag);
    if (text !== undefined) e.textContent = text;
    if (className) e.className = className;
    return e;
  };

  const show = new Array(devices.length).fill(true);
  const showColumns = (hit) => {
    const changed = [];
    hit.forEach((h, d) => {
      if (h !== show[d]) changed.push(d);
      show[d] = h;
      heads[d].hidden = !h;
    });
    for (const row of rows) for (const d of changed) row.cells[d + 1].hidden = !show[d];
  };

  // A page with all rows hides some.
  const hideRows = (kernels) => {
    const shown = new Set(kernels);
    for (const row of [...table.querySelectorAll("tr.detail")]) fold(row.previousElementSibling);
    rows.forEach((row, i) => { row.hidden = !shown.has(i); });
    for (const body of table.tBodies) body.hidden = [...body.rows].every((r) => r.hidden || r.className === "group");
  };

  const columns = () => [...show.keys()].filter((d) => show[d]);
  const number = (n) => n.toLocaleString("en");
  const most = 400; // characters of a name in a row; what unfolds has all
  const short = (s) => s.length > most ? s.slice(0, most - 80) + " … " + s.slice(-80) : s;

  // A page without all rows draws more rows when the last one comes into view. Kernels of a template
  // share a row, which can be expanded.
  let wanted = [];
  let total = 0;
  let drawn = 0;
  let target = -1;
  const group = (kernels) => {
    const list = [];
    const families = new Map();
    const each = kernels.length <= 25;
    for (const i of kernels) {
      const k = data.kernels[i];
      const key = k.b && !each ? k.g + "\n" + k.n.slice(0, k.b) : "";
      const family = key && families.get(key);
      if (family) {
        family.push(i);
        continue;
      }
      const item = [i];
      if (key) families.set(key, item);
      list.push(item);
    }
    return list;
  };
  const kernelRow = (i, from) => {
    const k = data.kernels[i];
    const row = make("tr", undefined, from ? "member" : undefined);
    const head = make("th");
    head.scope = "row";
    const link = make("a", short((from ? "…" : "") + k.n.slice(from)));
    link.href = "#k" + i;
    head.append(link);
    row.append(head);
    const cells = data.patterns[k.p];
    for (const d of columns()) {
      const kind = data.kinds[cells[d]];
      row.append(make("td", kind.t, kind.c));
    }
    return row;
  };
  const answers = { n: "yes", j: "yes", x: "no", m: "maybe", a: "n/a" };
  const familyRow = (kernels) => {
    const k = data.kernels[kernels[0]];
    const patterns = new Map();
    for (const i of kernels) patterns.set(data.kernels[i].p, (patterns.get(data.kernels[i].p) || 0) + 1);
    const row = make("tr", undefined, "family");
    const head = make("th");
    head.scope = "row";
    const button = make("button", short(k.n.slice(0, k.b)) + "… ");
    button.type = "button";
    button.setAttribute("aria-expanded", "false");
    button.append(make("span", `${number(kernels.length)} kernels`, "quiet"));
    head.append(button);
    row.append(head);
    for (const d of columns()) {
      const kinds = new Set();
      const n = {};
      for (const [p, count] of patterns) {
        const kind = data.kinds[data.patterns[p][d]];
        kinds.add(kind.t);
        const word = answers[kind.c];
        n[word] = (n[word] || 0) + count;
      }
      const worst = ["x", "m", "a", "j", "n"].find((c) => n[answers[c]]);
      const text = kinds.size === 1 ? [...kinds][0] : ["yes", "no", "maybe", "n/a"].filter((w) => n[w]).map((w) => `${number(n[w])} ${w}`).join(", ");
      row.append(make("td", text, kinds.size === 1 ? data.kinds[data.patterns[k.p][d]].c : worst));
    }
    button.addEventListener("click", () => unfold(row));
    row.kernels = kernels;
    return row;
  };
  const unfold = (row, always) => {
    const button = row.querySelector("button");
    const open = button.getAttribute("aria-expanded") === "true";
    if (open && always) return;
    button.setAttribute("aria-expanded", String(!open));
    if (open) {
      for (let next = row.nextElementSibling; next && /member|detail/.test(next.className); next = row.nextElementSibling) next.remove();
      return;
    }
    const from = data.kernels[row.kernels[0]].b;
    const members = document.createDocumentFragment();
    for (const i of row.kernels) members.append(kernelRow(i, from));
    row.after(members);
  };
  const draw = () => {
    const end = Math.min(wanted.length, drawn + Math.max(20, Math.floor(2500 / (columns().length + 1))));
    const body = table.tBodies[0] || table.createTBody();
    const newRows = document.createDocumentFragment();
    for (; drawn < end; drawn++) {
      const kernels = wanted[drawn];
      const k = data.kernels[kernels[0]];
      if (k.g !== target) {
        target = k.g;
        if (data.targets[target]) {
          const row = make("tr", undefined, "group");
          const head = make("th");
          head.scope = "rowgroup";
          head.colSpan = columns().length + 1;
          head.append(make("span", data.targets[target]));
          row.append(head);
          newRows.append(row);
        }
      }
      newRows.append(kernels.length > 1 ? familyRow(kernels) : kernelRow(kernels[0], 0));
    }
    body.append(newRows);
    more.hidden = drawn >= wanted.length;
    tell();
  };
  const redraw = (kernels) => {
    wanted = group(kernels);
    total = kernels.length;
    drawn = 0;
    target = -1;
    for (const body of [...table.tBodies]) body.remove();
    draw();
  };

  // fold shows or hides what is known about the kernel of a row, in a row below it.
  const fold = (row, always) => {
    const next = row.nextElementSibling;
    if (next && next.className === "detail") {
      if (!always) next.remove();
      return;
    }
    const i = Number(row.querySelector("a").hash.slice(2));
    const detail = make("tr", undefined, "detail");
    const cell = make("td");
    cell.colSpan = columns().length + 1;
    const body = make("div", undefined, "body");
    body.id = "k" + i;
    fill(body, data.kernels[i]);
    cell.append(body);
    detail.append(cell);
    row.after(detail);
  };
  const words = { x: "✕ no", m: "? maybe", a: "– n/a" };
  const fill = (body, k) => {
    const facts = make("dl");
    const fact = (name, text, tag) => {
      if (!text) return;
      const d = make("dd");
      d.append(make(tag, text));
      facts.append(make("dt", name), d);
    };
    fact("Target", data.targets[k.g], "code");
    if (k.n.length > most) fact("Kernel", k.n, "code");
    fact("Symbol", k.s, "code");
    fact("Source", k.l, "span");
    for (const u of k.u || []) fact("Used by", data.origins[u], "code");
    for (const f of k.f || []) fact("File", data.files[f], "code");
    for (const c of k.c ? data.constants[k.c - 1] : []) fact("Constant", c, "code");
    for (const m of k.m || []) fact("Form", m, "code");
    body.append(facts);
    const whys = new Map();
    data.patterns[k.p].forEach((kind, d) => {
      for (const w of data.kinds[kind].w || []) whys.set(w, (whys.get(w) || []).concat(data.devices[d]));
    });
    if (!whys.size) {
      body.append(make("p", "Runs on every device of this report."));
      return;
    }
    const reasons = make("table");
    const head = reasons.createTHead().insertRow();
    for (const t of ["Status", "The kernel needs", "The device offers", "Devices"]) {
      const h = make("th", t);
      h.scope = "col";
      head.append(h);
    }
    const rows = reasons.createTBody();
    for (const [w, on] of whys) {
      const why = data.whys[w];
      const row = rows.insertRow();
      const needs = make("td", why.n);
      needs.append(make("div", why.t + ".", "quiet"));
      const where = make("td");
      where.append(make("code", on.join(", ")));
      row.append(make("td", words[why.c], why.c), needs, make("td", why.o), where);
    }
    const wide = make("div", undefined, "wide");
    wide.tabIndex = 0;
    wide.setAttribute("role", "region");
    wide.setAttribute("aria-label", "Reasons");
    wide.append(reasons);
    body.append(wide);
  };

  let chosen;
  const tell = () => {
    let text = `${number(chosen.kernels.length)} of ${number(names.length)} kernels on ${number(chosen.hit.filter(Boolean).length)} of ${number(devices.length)} devices`;
    if (data.lazy && wanted.length < total) text += `, in ${number(wanted.length)} rows`;
    if (data.lazy && drawn < wanted.length) text += `, the first ${number(drawn)} drawn`;
    document.getElementById("shown").textContent = text;
  };
  const update = () => {
    chosen = choose();
    showColumns(chosen.hit);
    if (data.lazy) redraw(chosen.kernels); else hideRows(chosen.kernels);
    region.hidden = !chosen.kernels.length || !chosen.hit.includes(true);
    document.getElementById("none").hidden = !region.hidden;
    tell();
  };

  // open unfolds the kernel that an address names.
  const open = () => {
    const id = /^#k(\d+)$/.exec(location.hash);
    if (!id) return false;
    const i = Number(id[1]);
    if (i >= names.length) return true;
    const find = () => table.querySelector(`a[href="#k${i}"]`);
    if (data.lazy && !find()) {
      let at = wanted.findIndex((kernels) => kernels.includes(i));
      if (at < 0) {
        form.reset();
        update();
        at = wanted.findIndex((kernels) => kernels.includes(i));
      }
      while (drawn <= at) draw();
      const family = [...table.querySelectorAll("tr.family")].find((row) => row.kernels.includes(i));
      if (family) unfold(family, true);
    }
    const link = find();
    const row = link.closest("tr");
    row.hidden = row.closest("tbody").hidden = false;
    fold(row, true);
    row.scrollIntoView({ block: "start" });
    link.focus({ preventScroll: true });
    return true;
  };

  let timer;
  const changed = () => {
    clearTimeout(timer);
    timer = setTimeout(() => { write(); update(); }, data.lazy || names.length > 200 ? 120 : 0);
  };
  form.addEventListener("input", changed);
  form.addEventListener("reset", () => setTimeout(() => { write(); update(); }));
  form.addEventListener("submit", (e) => e.preventDefault());
  addEventListener("hashchange", () => {
    if (open() || (location.hash.length > 1 && !location.hash.includes("="))) return;
    read();
    update();
    form.scrollIntoView({ block: "start" });
  });
  // A click into a row unfolds what is known about its kernel, or the kernels of its template.
  table.addEventListener("click", (e) => {
    const row = e.target.closest("tbody tr");
    if (!row || row.className === "group" || row.className === "detail" || String(getSelection())) return;
    if (row.className === "family") {
      if (!e.target.closest("button")) unfold(row);
      return;
    }
    if (e.target.closest("a")) {
      if (e.ctrlKey || e.metaKey || e.shiftKey) return;
      e.preventDefault();
    }
    fold(row);
  });
  if (data.lazy) {
    more.addEventListener("click", draw);
    region.addEventListener("scroll", () => {
      if (drawn < wanted.length && region.scrollTop + 2 * region.clientHeight > region.scrollHeight) draw();
    }, { passive: true });
  }
  form.hidden = false;
  if (location.hash.includes("=")) read();
  if (data.lazy || location.hash.includes("=")) update(); else { chosen = choose(); tell(); }
  open();
})();
