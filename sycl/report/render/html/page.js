"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const form = document.getElementById("filters");
  if (!form) return; // nothing to compare
  const region = document.getElementById("matrix");
  const table = region.querySelector("table");
  const heads = [...table.tHead.rows[0].cells].slice(1);
  const more = document.getElementById("more");
  const list = document.getElementById("kernels");
  const lower = (s) => s.toLowerCase();
  const names = data.kernels.map((k) => lower(k.n + "\n" + data.targets[k.g]));
  const devices = data.devices.map(lower);
  const rows = data.lazy ? [] : [...table.querySelectorAll("tbody tr:not(.group)")];
  const parts = data.lazy ? [] : [...list.children];
  const fields = ["kernel", "device", "status", "rule"];

  // What is asked for stands in the address, so that it can be sent to others.
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
    rows.forEach((row, i) => { row.hidden = parts[i].hidden = !shown.has(i); });
    for (const body of table.tBodies) body.hidden = [...body.rows].every((r) => r.hidden || r.className === "group");
  };

  // A page without draws some, and more when the end of them comes into view.
  let wanted = [];
  let drawn = 0;
  let target = -1;
  const draw = () => {
    const columns = [...show.keys()].filter((d) => show[d]);
    const end = Math.min(wanted.length, drawn + Math.max(20, Math.floor(2500 / (columns.length + 1))));
    const body = table.tBodies[0] || table.createTBody();
    const newRows = document.createDocumentFragment();
    const newParts = document.createDocumentFragment();
    for (; drawn < end; drawn++) {
      const i = wanted[drawn];
      const k = data.kernels[i];
      if (k.g !== target) {
        target = k.g;
        if (data.targets[target]) {
          const row = make("tr", undefined, "group");
          const head = make("th");
          head.scope = "rowgroup";
          head.colSpan = columns.length + 1;
          head.append(make("span", data.targets[target]));
          row.append(head);
          newRows.append(row);
        }
      }
      const row = make("tr");
      const head = make("th");
      head.scope = "row";
      const link = make("a", k.n);
      link.href = "#k" + i;
      head.append(link);
      row.append(head);
      const cells = data.patterns[k.p];
      for (const d of columns) {
        const kind = data.kinds[cells[d]];
        row.append(make("td", kind.t, kind.c));
      }
      newRows.append(row);
      newParts.append(part(i));
    }
    body.append(newRows);
    list.append(newParts);
    more.hidden = drawn >= wanted.length;
    tell();
  };
  const redraw = (kernels) => {
    wanted = kernels;
    drawn = 0;
    target = -1;
    for (const body of [...table.tBodies]) body.remove();
    list.replaceChildren();
    draw();
  };

  // part returns what unfolds about a kernel; it is filled when it does.
  const part = (i) => {
    const k = data.kernels[i];
    const out = make("details");
    const summary = make("summary");
    summary.append(make("code", k.n));
    const n = { x: 0, m: 0 };
    for (const kind of data.patterns[k.p]) n[data.kinds[kind].c]++;
    if (n.x) summary.append(" ", make("span", "✕ " + n.x + " no", "tag x"));
    if (n.m) summary.append(" ", make("span", "? " + n.m + " maybe", "tag m"));
    const body = make("div", undefined, "body");
    body.id = "k" + i;
    out.append(summary, body);
    out.addEventListener("toggle", () => { if (out.open && !body.firstChild) fill(body, k); });
    return out;
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
    fact("Symbol", k.s, "code");
    fact("Source", k.l, "span");
    for (const u of k.u || []) fact("Used by", u, "code");
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
    wide.setAttribute("aria-label", "Reasons of " + k.n);
    wide.append(reasons);
    body.append(wide);
  };

  let chosen;
  const number = (n) => n.toLocaleString("en");
  const tell = () => {
    let text = `${number(chosen.kernels.length)} of ${number(names.length)} kernels on ${number(chosen.hit.filter(Boolean).length)} of ${number(devices.length)} devices`;
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

  // open unfolds the part that a link in the page goes to.
  const open = () => {
    const id = /^#k(\d+)$/.exec(location.hash);
    if (!id) return false;
    const i = Number(id[1]);
    if (i >= names.length) return true;
    let body = document.getElementById("k" + i);
    if (!body && data.lazy) {
      list.append(part(i));
      body = document.getElementById("k" + i);
    }
    const details = body.parentElement;
    details.hidden = false;
    details.open = true;
    details.scrollIntoView({ block: "start" });
    details.firstElementChild.focus({ preventScroll: true });
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
  });
  // A click into a cell goes where the name of its kernel goes.
  table.addEventListener("click", (e) => {
    const cell = e.target.closest("td");
    if (cell && !String(getSelection())) cell.parentElement.querySelector("a").click();
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
