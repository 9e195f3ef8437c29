// What a page does beyond showing: tables sort and filter, stacks zoom, light becomes dark. It
// reads the document as text and makes elements; it never makes markup of what it reads.
"use strict";

function made(name, words, properties) {
    const element = Object.assign(document.createElement(name), properties);
    element.textContent = words;
    return element;
}

function addTheme() {
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const root = document.documentElement;
    const isDark = () => root.dataset.theme ? root.dataset.theme === "dark" : dark.matches;
    const button = made("button", "Dark", {type: "button"});
    const show = () => button.setAttribute("aria-pressed", String(isDark()));
    button.addEventListener("click", () => {
        root.dataset.theme = isDark() ? "light" : "dark";
        show();
    });
    dark.addEventListener("change", show);
    show();
    const item = document.createElement("li");
    item.append(button);
    document.querySelector("nav ul").append(item);
}

// Tables

const collator = new Intl.Collator("en", {numeric: true});

function sort(table, column) {
    const headings = [...table.tHead.rows[0].cells];
    const down = headings[column].getAttribute("aria-sort") === "ascending";
    headings.forEach((heading, number) => number === column ?
        heading.setAttribute("aria-sort", down ? "descending" : "ascending") :
        heading.removeAttribute("aria-sort"));
    const rows = [...table.tBodies[0].rows].map(
        (row) => [row.cells[column].textContent.replace(/^~/, ""), row]);
    rows.sort((one, other) => collator.compare(one[0], other[0]) * (down ? -1 : 1));
    table.tBodies[0].append(...rows.map((pair) => pair[1]));
}

function addSorting(table) {
    [...table.tHead.rows[0].cells].forEach((heading, column) => {
        const button = made("button", heading.textContent, {type: "button"});
        button.addEventListener("click", () => sort(table, column));
        heading.replaceChildren(button);
    });
}

function addFilter(table) {
    const rows = [...table.tBodies[0].rows];
    if (rows.length < 8)
        return;
    const input = made("input", "", {type: "search"});
    const label = made("label", "Filter ", {});
    const count = made("output", "", {});
    input.addEventListener("input", () => {
        const wanted = input.value.toLowerCase();
        let shown = 0;
        for (const row of rows) {
            row.hidden = !row.textContent.toLowerCase().includes(wanted);
            shown += !row.hidden;
        }
        count.textContent = wanted ? `${shown} of ${rows.length}` : "";
    });
    label.append(input);
    const tools = made("div", "", {className: "tools"});
    tools.append(label, count);
    table.parentElement.before(tools);
}

// Stacks

function addZoom(icicle) {
    const total = Number(icicle.dataset.total);
    const frames = [...icicle.querySelectorAll(".frame")].map((element) => ({
        element, at: Number(element.dataset.at), count: Number(element.dataset.count),
        level: Number(element.getAttribute("aria-level"))}));
    const back = made("button", "Whole width", {type: "button", disabled: true});
    const told = made("output", "A click or Enter widens a frame, arrows move, Escape goes back.",
                      {});
    const frameOf = (element) => frames.find((frame) => frame.element === element);
    let tabbable = frames[0];

    function zoom(to) {
        const at = to ? to.at : 0, count = to ? to.count : total;
        for (const frame of frames) {
            const left = Math.max(frame.at, at);
            const right = Math.min(frame.at + frame.count, at + count);
            const isShown = right > left;
            frame.element.style.display = isShown ? "" : "none";
            frame.element.classList.toggle("above", Boolean(to) && frame.level < to.level);
            if (isShown) {
                frame.element.setAttribute("x", `${100 * (left - at) / count}%`);
                frame.element.setAttribute("width", `${100 * (right - left) / count}%`);
            }
        }
        back.disabled = !to;
    }

    function focus(frame) {
        if (!frame)
            return;
        tabbable.element.setAttribute("tabindex", "-1");
        frame.element.setAttribute("tabindex", "0");
        tabbable = frame;
        frame.element.focus();
    }

    function near(frame, key) {
        const isShown = (other) => other.element.style.display !== "none";
        const within = (outer, inner) => outer.at <= inner.at &&
            inner.at + inner.count <= outer.at + outer.count;
        if (key === "ArrowUp")
            return frames.find((other) => other.level === frame.level - 1 && within(other, frame));
        if (key === "ArrowDown")
            return frames.find((other) => other.level === frame.level + 1 && isShown(other) &&
                               within(frame, other));
        const row = frames.filter((other) => other.level === frame.level && isShown(other));
        row.sort((one, other) => one.at - other.at);
        return row[row.indexOf(frame) + (key === "ArrowRight" ? 1 : -1)];
    }

    icicle.addEventListener("click", (event) => {
        const frame = frameOf(event.target.closest(".frame"));
        if (frame) {
            focus(frame);
            zoom(frame);
        }
    });
    icicle.addEventListener("focusin", (event) => {
        const frame = frameOf(event.target);
        if (frame)
            told.textContent = frame.element.getAttribute("aria-label");
    });
    icicle.addEventListener("keydown", (event) => {
        const frame = frameOf(event.target);
        if (!frame || event.ctrlKey || event.altKey || event.metaKey)
            return;
        if (event.key === "Enter" || event.key === " ")
            zoom(frame);
        else if (event.key === "Escape")
            zoom(null);
        else if (event.key.startsWith("Arrow"))
            focus(near(frame, event.key));
        else
            return;
        event.preventDefault();
    });
    back.addEventListener("click", () => zoom(null));
    const tools = made("div", "", {className: "tools"});
    tools.append(back, told);
    icicle.parentElement.before(tools);
}

addTheme();
for (const table of document.querySelectorAll("table.sortable")) {
    addSorting(table);
    addFilter(table);
}
for (const icicle of document.querySelectorAll("svg.icicle"))
    addZoom(icicle);
addEventListener("beforeprint", () => {
    for (const details of document.querySelectorAll("details"))
        details.open = true;
});
