"use strict";
(() => {
  const make = (tag, text, className) => {
    const e = document.createElement(tag);
    if (text !== undefined) e.textContent = text;
    if (className) e.className = className;
    return e;
  };
  const lower = (s) => s.toLowerCase();

  // Searching hides elements whose names do not match, and sections without matches. The address contains the search.
  const form = document.querySelector(".search");
  if (form) {
    const input = form.querySelector("input");
    const output = form.querySelector("output");
    const named = [...document.querySelectorAll("[data-name]")];
    const sections = [...document.querySelectorAll("section")].filter((s) => s.querySelector("[data-name]"));
    const search = () => {
      const terms = lower(input.value).split(/\s+/).filter(Boolean);
      let n = 0;
      for (const e of named) {
        e.hidden = !terms.every((t) => lower(e.dataset.name).includes(t));
        if (!e.hidden) n++;
      }
      for (const s of sections) s.hidden = !s.querySelector("[data-name]:not([hidden])");
      output.textContent = terms.length ? `${n} of ${named.length}` : "";
    };
    input.addEventListener("input", () => {
      history.replaceState(null, "", "#" + new URLSearchParams(input.value ? { q: input.value } : {}));
      search();
    });
    form.addEventListener("submit", (e) => e.preventDefault());
    input.value = new URLSearchParams(location.hash.slice(1)).get("q") || "";
    form.hidden = false;
    search();
  }

  // Files with rows are scripts that call this function, because a page that is opened from a directory can load only scripts.
  const waiting = new Map();
  globalThis.siteRows = (key, part, data) => waiting.get(key + "/" + part)?.(data);
  const load = (key, path, part) => new Promise((done, fail) => {
    waiting.set(key + "/" + part, done);
    const script = make("script");
    script.src = path + "-" + part + ".js";
    script.addEventListener("error", () => fail(new Error("The kernels cannot be loaded.")));
    document.head.append(script);
  });

  const fill = async (details) => {
    const { rows: path, key } = details.dataset;
    const note = make("p", "Loading…", "quiet");
    details.append(note);
    let first;
    try {
      first = await load(key, path, 0);
    } catch (e) {
      note.textContent = e.message;
      return;
    }
    const rows = ({ patterns, rows }) => rows.map(([name, pattern]) => [name, patterns[pattern]]);
    const kernels = rows(first);
    let parts = 1;
    const label = make("label", "Kernel or reason ");
    const input = make("input");
    input.type = "search";
    label.append(input);
    const told = make("output");
    const box = make("form");
    box.append(label, told);
    box.addEventListener("submit", (e) => e.preventDefault());
    const region = make("div", undefined, "scroll");
    region.tabIndex = 0;
    region.setAttribute("role", "region");
    region.setAttribute("aria-label", details.firstElementChild.textContent);
    const table = make("table", undefined, "matrix");
    const head = table.createTHead().insertRow();
    for (const t of ["Kernel", ...first.devices]) {
      const h = make("th", t, t === "Kernel" ? "corner" : undefined);
      h.scope = "col";
      head.append(h);
    }
    const body = table.createTBody();
    region.append(table);
    const more = make("button", "Show more kernels");
    more.type = "button";
    let wanted = [];
    let drawn = 0;
    const draw = async () => {
      while (drawn + 200 > wanted.length && parts < first.parts) await next();
      const end = Math.min(wanted.length, drawn + 200);
      for (; drawn < end; drawn++) {
        const [name, pattern] = wanted[drawn];
        const row = body.insertRow();
        const h = make("th", name);
        h.scope = "row";
        row.append(h);
        for (const cell of pattern) row.append(make("td", first.cells[cell][1], first.cells[cell][0]));
      }
      more.hidden = drawn >= wanted.length && parts >= first.parts;
      const number = (n) => n.toLocaleString("en");
      const all = !input.value ? "" : parts < first.parts ? "those that fit, of " : `${number(wanted.length)} that fit, of `;
      told.textContent = `${number(drawn)} of ${all}${number(first.kernels)} kernels`;
    };
    const fits = ([name, pattern]) => {
      const terms = lower(input.value).split(/\s+/).filter(Boolean);
      const text = terms.length ? lower(name + pattern.map((cell) => first.cells[cell][1]).join("\n")) : "";
      return terms.every((t) => text.includes(t));
    };
    const next = async () => {
      for (const r of rows(await load(key, path, parts++))) {
        kernels.push(r);
        if (fits(r)) wanted.push(r);
      }
    };
    let timer;
    const update = () => {
      wanted = kernels.filter(fits);
      drawn = 0;
      body.replaceChildren();
      return draw();
    };
    input.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        history.replaceState(null, "", "#" + details.id + (input.value ? "=" + encodeURIComponent(input.value) : ""));
        update();
      }, 120);
    });
    more.addEventListener("click", draw);
    const asked = location.hash.startsWith("#" + details.id + "=") ? location.hash.slice(details.id.length + 2) : "";
    try { input.value = decodeURIComponent(asked); } catch { input.value = ""; }
    await update();
    note.replaceWith(box, region, more);
  };
  for (const details of document.querySelectorAll(".kernels")) {
    details.addEventListener("toggle", () => {
      if (!details.open || details.dataset.filled) return;
      details.dataset.filled = "1";
      fill(details);
    });
    if (location.hash.split("=")[0] === "#" + details.id) {
      details.open = true;
      details.scrollIntoView();
    }
  }
})();
