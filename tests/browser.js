// Checks a report in the browser that shows it; `tests/browser.sh` appends it to the page and reads what it found.
"use strict";
window.addEventListener("load", () => {
  const problems = [];
  const check = (holds, problem) => {
    if (!holds) problems.push(problem);
  };
  const opened = performance.now();
  check(opened < 2000, `it took ${Math.round(opened)} ms to open`);
  const { scrollWidth, clientWidth } = document.documentElement;
  check(scrollWidth <= clientWidth, `it is ${scrollWidth} wide in a window of ${clientWidth}`);

  // what a screen reader says
  const named = (element) => {
    const ids = (element.getAttribute("aria-labelledby") ?? "").split(" ").filter(Boolean);
    const texts = ids.map((id) => document.getElementById(id)?.textContent ?? "");
    texts.push(element.getAttribute("aria-label") ?? "", element.textContent);
    return texts.some((text) => text.trim() !== "");
  };
  check(document.documentElement.lang !== "", "the page has no language");
  check(document.querySelectorAll("h1").length === 1, "there is not one title");
  const pictures = [...document.querySelectorAll("svg")].filter((svg) => !svg.closest("[aria-hidden=true]") && !svg.parentElement.closest("svg"));
  for (const svg of pictures) {
    const label = svg.getAttribute("aria-label") ?? svg.getAttribute("aria-labelledby");
    check(svg.getAttribute("role") === "img" && label, `a picture has no name: ${svg.outerHTML.slice(0, 80)}`);
  }
  for (const table of document.querySelectorAll("table")) {
    check(table.caption || table.getAttribute("aria-labelledby"), "a table has no name");
  }
  for (const button of document.querySelectorAll("button, summary, a[href]")) {
    check(named(button), `something to click has no name: ${button.outerHTML.slice(0, 80)}`);
  }
  for (const input of document.querySelectorAll("input")) {
    check(input.labels.length > 0 || input.getAttribute("aria-label"), "a field has no name");
  }

  // sorting and search, as by keyboard: a focused button that is pressed
  const table = document.querySelector("table.sortable");
  const rows = () => [...table.tBodies[0].rows];
  const button = table.querySelector("thead button");
  const column = button.closest("th").cellIndex;
  button.focus();
  check(document.activeElement === button, "the head of the table cannot be reached by keyboard");
  for (const [order, sign] of [["ascending", 1], ["descending", -1]]) {
    button.click();
    const values = rows().map((row) => parseFloat(row.cells[column].dataset.v)).filter((value) => !Number.isNaN(value));
    check(values.length > 1 && values.every((value, i) => i === 0 || sign * value >= sign * values[i - 1]), `it is not ${order}`);
    check(button.closest("th").getAttribute("aria-sort") === order, `the order ${order} is not told`);
  }
  const search = document.getElementById(table.dataset.search);
  const wanted = rows()[0].cells[0].textContent;
  search.value = wanted;
  search.dispatchEvent(new Event("input"));
  const shown = rows().filter((row) => !row.hidden);
  check(shown.length >= 1 && shown.length < rows().length, `the search for ${wanted} leaves ${shown.length} rows`);
  check(document.getElementById(table.dataset.status).textContent.startsWith(`${shown.length} of`), "the search says nothing");

  const found = document.createElement("pre");
  found.id = "browser-checks";
  found.textContent = problems.length === 0 ? `good: ${pictures.length} pictures, opened in ${Math.round(opened)} ms` : problems.slice(0, 5).join("; ");
  document.body.append(found);
});
