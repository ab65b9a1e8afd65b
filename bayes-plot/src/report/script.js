"use strict";
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  for (const button of table.querySelectorAll("thead button")) {
    button.addEventListener("click", () => {
      const cell = button.closest("th");
      const down = cell.getAttribute("aria-sort") === "ascending";
      for (const other of table.querySelectorAll("thead th")) other.removeAttribute("aria-sort");
      cell.setAttribute("aria-sort", down ? "descending" : "ascending");
      const value = (row) => parseFloat(row.cells[cell.cellIndex].dataset.v);
      // numbers that are not known come last either way
      const order = (a, b) => {
        const [x, y] = [value(a), value(b)];
        if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y);
        return down ? y - x : x - y;
      };
      body.append(...[...body.rows].sort(order));
    });
  }
  const search = document.getElementById(table.dataset.search);
  const status = document.getElementById(table.dataset.status);
  search.addEventListener("input", () => {
    const wanted = search.value.trim().toLowerCase();
    let shown = 0;
    for (const row of body.rows) {
      row.hidden = !row.cells[0].textContent.toLowerCase().includes(wanted);
      if (!row.hidden) shown += 1;
    }
    status.textContent = `${shown} of ${body.rows.length} shown`;
  });
}
