// What a page does beyond showing: what is chosen is shown wherever it stands, tables sort and filter,
// stacks zoom, light becomes dark. It reads the document as text and makes elements; it never makes
// markup of what it reads.
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
    const button = made("button", "", {type: "button"});
    const show = () => {
        button.textContent = isDark() ? "Light" : "Dark";
    };
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

// What is about the same threads (data-t), or things (data-x), as "1 3-5"

const ranges = (words) => (words || "").split(" ").filter(Boolean).map((word) => word.split("-").map(Number));
const meet = (some, others) => some.some(([first, last = first]) =>
    others.some(([from, to = from]) => first <= to && from <= last));
const parts = [...document.querySelectorAll("[data-t], [data-x]")].map((element) => ({
    element, threads: ranges(element.dataset.t), things: ranges(element.dataset.x)}));
const chosen = made("output", "", {});

// Of an element that is about both threads are meant; none: nothing is chosen.
function choose(element) {
    const {threads, things} = parts.find((part) => part.element === element) || {threads: [], things: []};
    const name = element && (element.querySelector("title, td, h3") || element).textContent.trim();
    chosen.textContent = !element ? "" : threads.length ? `Chosen: thread ${element.dataset.t}` :
        `Chosen: ${name.slice(0, 80)}`;
    for (const part of parts)
        part.element.classList.toggle("chosen", meet(part.threads, threads) ||
                                      !threads.length && meet(part.things, things));
    for (const table of document.querySelectorAll(".tall")) {
        const row = table.querySelector("tr.chosen");
        if (row && !table.contains(element))
            table.scrollTop = row.offsetTop - row.parentElement.offsetTop;
    }
}

function addChoice() {
    const item = document.createElement("li");
    item.append(chosen);
    document.querySelector("nav ul").append(item);
    const near = (element) => [...element.closest(".picks").querySelectorAll("[data-t], [data-x]")];
    for (const group of document.querySelectorAll(".picks"))
        near(group).forEach((element, at) => element.setAttribute("tabindex", at ? "-1" : "0"));
    document.querySelectorAll("figure[data-t]").forEach((figure) => figure.setAttribute("tabindex", "0"));
    document.addEventListener("click", (event) => {
        const element = event.target.closest("[data-t], [data-x]");
        if (element && !event.target.closest("button, a") && !getSelection().toString())
            choose(element);
    });
    document.addEventListener("keydown", (event) => {
        const element = event.target;
        if (event.key === "Escape")
            choose(null);
        else if (event.key === "Enter" && element.matches("[data-t], [data-x]"))
            choose(element);
        else if (element.matches(".picks [data-t], .picks [data-x]") && event.key.startsWith("Arrow")) {
            const all = near(element).filter((one) => !one.hidden);
            const to = all[all.indexOf(element) + (/Down|Right/.test(event.key) ? 1 : -1)];
            if (!to)
                return;
            element.setAttribute("tabindex", "-1");
            to.setAttribute("tabindex", "0");
            to.focus();
            event.preventDefault();
        }
    });
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
        element, at: Number(element.dataset.at), width: Number(element.dataset.width),
        level: Number(element.getAttribute("aria-level"))}));
    const back = made("button", "Whole width", {type: "button", disabled: true});
    const told = made("output", "A click or Enter widens a frame, arrows move, Escape goes back.",
                      {});
    const frameOf = (element) => frames.find((frame) => frame.element === element);
    let tabbable = frames[0];

    function zoom(to) {
        const at = to ? to.at : 0, width = to ? to.width : total;
        for (const frame of frames) {
            const left = Math.max(frame.at, at);
            const right = Math.min(frame.at + frame.width, at + width);
            const isShown = right > left + total * 1e-6;
            frame.element.style.display = isShown ? "" : "none";
            frame.element.classList.toggle("above", Boolean(to) && frame.level < to.level);
            if (isShown) {
                frame.element.setAttribute("x", `${100 * (left - at) / width}%`);
                frame.element.setAttribute("width", `${100 * (right - left) / width}%`);
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
            inner.at + inner.width <= outer.at + outer.width * 1.00001;
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
            told.textContent = frame.element.querySelector("title").textContent;
    });
    icicle.addEventListener("keydown", (event) => {
        const frame = frameOf(event.target);
        if (!frame || event.ctrlKey || event.altKey || event.metaKey)
            return;
        if (event.key === "Enter")
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

addChoice();
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
