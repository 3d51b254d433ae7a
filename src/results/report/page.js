"use strict";
// Adds sorting, filters and search to the tables whose rows open. Without this script, the page has the same content.

// Makes what a row opens to from its text. The text is in <noscript>, where a browser with scripts does not read markup.
const fill = (details) => {
  const closed = details.querySelector("noscript");
  if (closed) {
    closed.parentNode.innerHTML = closed.textContent;
    prepare(details);
  }
};
for (const table of document.querySelectorAll("table.pages")) {
  const rows = [...table.tBodies];
  const heads = [...table.tHead.rows[0].cells];
  const cell = (row, i) => row.rows[0].cells[i];
  const controls = document.createElement("div");
  controls.className = "controls";
  controls.setAttribute("role", "search");
  controls.setAttribute("aria-label", "Functions shown");
  const said = document.createElement("output");
  const make = (tag, name) => {
    const label = document.createElement("label");
    const control = document.createElement(tag);
    label.append(name, control);
    controls.append(label);
    control.addEventListener("input", show);
    return control;
  };
  const words = rows.map((row) => (row.rows[0].textContent + " " +
    row.querySelector("summary").textContent).toLowerCase());
  const search = make("input", "Search");
  search.type = "search";
  const filters = [];
  heads.forEach((head, i) => {
    if (!head.hasAttribute("data-few"))
      return;
    const filter = make("select", head.textContent);
    const texts = rows.map((row) => cell(row, i).textContent), few = [...new Set(texts)];
    if (few.length < 2) {
      filter.parentNode.remove();
      return;
    }
    filter.append(new Option("all", ""), ...few.filter(Boolean).map((word) => new Option(word, word)));
    filters.push([filter, texts]);
  });
  const all = document.createElement("button");
  all.type = "button";
  all.textContent = "Open all shown";
  all.addEventListener("click", () => {
    const open = all.textContent.startsWith("Open");
    for (const row of rows)
      if (!row.hidden)
        row.querySelector("details").open = open;
    all.textContent = open ? "Close all shown" : "Open all shown";
  });
  // Returns the shown rows as data: for each cell, its sort key or its text.
  const names = heads.map((head) => head.textContent.trim());
  const data = () => rows.filter((row) => !row.hidden).map((row) => names.map((_, i) => key(row, i)));
  const quoted = (value) => /[",\n]/.test(value) ? '"' + String(value).replaceAll('"', '""') + '"' : value;
  const save = (name, type, write) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Download " + name;
    button.addEventListener("click", () => {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([write()], {type}));
      link.download = "functions." + name.toLowerCase();
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    });
    return button;
  };
  controls.append(all,
    save("CSV", "text/csv", () => [names, ...data()].map((row) => row.map(quoted).join(",") + "\n").join("")),
    save("JSON", "application/json", () => JSON.stringify(
      data().map((row) => Object.fromEntries(names.map((name, i) => [name, row[i]]))), null, 1) + "\n"),
    said);
  table.parentNode.before(controls);
  table.addEventListener("toggle", ({target}) => fill(target), true);
  table.addEventListener("click", (event) => {
    const line = event.target.closest("tr");
    if (line === line?.parentNode.rows[0] && line.closest("table") === table && rows.includes(line.parentNode) &&
        !event.target.closest("a, button") && getSelection().isCollapsed) {
      const details = line.parentNode.querySelector("details");
      details.open = !details.open;
    }
  });
  function show() {
    const wanted = search.value.toLowerCase().split(/\s+/);
    let shown = 0;
    rows.forEach((row, at) => {
      row.hidden = !wanted.every((word) => words[at].includes(word)) ||
        filters.some(([filter, texts]) => filter.value && texts[at] !== filter.value);
      shown += !row.hidden;
    });
    said.textContent = shown + " of " + rows.length + " shown";
  }
  const key = (row, i) => {
    const {dataset: {v}, textContent} = cell(row, i);
    return v === undefined ? textContent : Number(v);
  };
  // Empty cells come last in both directions.
  const compare = (down) => ([x], [y]) => {
    if ((x === "") !== (y === ""))
      return x === "" ? 1 : -1;
    if (typeof x !== typeof y)
      return typeof x === "number" ? -1 : 1;
    const order = typeof x === "number" ? x - y : x < y ? -1 : Number(x > y);
    return down ? -order : order;
  };
  // Moves the rows to their places, some in each frame, because moving thousands takes long.
  let order;
  const place = (mine, from) => {
    const to = from + 250;
    if (mine !== order)
      return;
    (mine[from - 1] || table.tHead).after(...mine.slice(from, to));
    if (to < mine.length)
      requestAnimationFrame(() => place(mine, to));
  };
  heads.forEach((head, i) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending" ||
        (head.classList.contains("n") && !head.hasAttribute("aria-sort"));
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      order = rows.map((row) => [key(row, i), row]).sort(compare(down)).map(([, row]) => row);
      place(order, 0);
    });
  });
  show();
}
// Escape clears the search, or closes the opened part around the focus and moves the focus to its summary.
addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || event.defaultPrevented)
    return;
  const at = document.activeElement;
  const details = at.closest("details[open]");
  if (at.type === "search") {
    at.value = "";
    at.dispatchEvent(new Event("input"));
  } else if (details) {
    details.open = false;
    details.querySelector("summary").focus();
  }
});
// Only a table that scrolls is reachable with the keyboard, and has a name for screen readers.
const regions = new ResizeObserver((seen) => {
  for (const {target} of seen) {
    const named = target.querySelector("caption") || target.closest("details")?.querySelector("summary");
    if (target.scrollWidth > target.clientWidth) {
      target.tabIndex = 0;
      target.setAttribute("role", "region");
      target.setAttribute("aria-label", (named || document.querySelector("h1")).textContent);
    } else
      for (const name of ["tabindex", "role", "aria-label"])
        target.removeAttribute(name);
  }
});
// Shows the meaning of the cell of a picture that is under the mouse.
for (const picture of document.querySelectorAll(".picture"))
  picture.addEventListener("mouseover", ({target}) => {
    const head = target.closest("table")?.tHead.rows[0].cells[target.cellIndex];
    if (target.tagName === "TD" && !target.title)
      target.title = target.parentNode.cells[0].textContent + " on " + (head.getAttribute("aria-label") || head.textContent) + ": " + target.textContent;
  });
// Restores the scripts that the page stores as differences from the first script of their function.
const restore = (some) => {
  const lines = some.closest(".in").querySelector("pre").textContent.split("\n"), edited = new Set();
  const label = "# " + some.parentNode.querySelector("summary").textContent;
  for (const edit of some.textContent.trimEnd().split("\n")) {
    const [, from, to, text] = edit.match(/^(\d+)-?(\d*): ?(.*)$/) || [];
    if (edited.has(from))
      lines[from - 1] += "\n" + text;
    else
      for (let i = from - 1; i < (to || from); i++)
        lines[i] = i === from - 1 ? text : null;
    edited.add(from);
  }
  some.textContent = [label, ...lines.filter((line) => line !== null && !line.startsWith("#"))].join("\n");
  some.classList.remove("edits");
};
// Adds a button that copies a script through the clipboard or, if that fails, selects it.
const copyable = (code) => {
  const button = document.createElement("button"), text = code.querySelector("pre");
  button.type = "button";
  button.textContent = "Copy";
  const say = (done) => {
    button.textContent = done ? "Copied" : "Selected: press Ctrl+C";
    setTimeout(() => button.textContent = "Copy", 2000);
  };
  button.addEventListener("click", () => {
    getSelection().selectAllChildren(text);
    const old = () => say(document.execCommand("copy"));
    navigator.clipboard ? navigator.clipboard.writeText(text.textContent).then(() => say(true), old) : old();
  });
  text.tabIndex = 0;
  text.before(button);
};
function prepare(part) {
  part.querySelectorAll(".scroll").forEach((region) => regions.observe(region));
  part.querySelectorAll("pre.edits").forEach(restore);
  part.querySelectorAll("details.code").forEach(copyable);
}
prepare(document);
// Returns the element that the address names. An address such as "#%" cannot be decoded: it names nothing, and must not end the script.
const addressed = () => {
  try {
    return location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  } catch {
    return null;
  }
};
// Opens the function that the address names, for example after a click in the picture, even if a filter hides it.
const open = () => {
  const row = addressed();
  const details = row && row.querySelector("details");
  if (details) {
    row.hidden = false;
    fill(details);
    details.open = true;
    row.scrollIntoView();
    details.querySelector("summary").focus({preventScroll: true});
  }
};
addEventListener("hashchange", open);
open();
// The browser's own search finds texts of closed rows only if they have content: it is made when that search begins.
const unread = [...document.querySelectorAll(".pages > tbody > .more > td > details")].reverse();
const read = () => {
  const end = performance.now() + 20;
  while (unread.length && performance.now() < end)
    fill(unread.pop());
  if (unread.length)
    setTimeout(read);
};
addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key === "f")
    read();
});
