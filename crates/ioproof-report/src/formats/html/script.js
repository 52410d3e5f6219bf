// Values under the pointer, and folded parts that open for a link and for paper. The page says everything without it.
(() => {
  const tip = document.createElement("div");
  tip.className = "tip";
  tip.hidden = true;
  document.body.append(tip);
  const show = (text, x, y) => {
    tip.textContent = text;
    tip.hidden = false;
    const room = document.documentElement.clientWidth - tip.offsetWidth - 8;
    tip.style.left = Math.max(4, Math.min(x + 14, room)) + "px";
    tip.style.top = Math.max(4, y - tip.offsetHeight - 12) + "px";
  };
  const hide = () => { tip.hidden = true; };
  const linesOf = svg => [...svg.querySelectorAll("path[data-v]")].map(path => ({
    name: path.dataset.n,
    values: path.dataset.v.split("|"),
    labels: path.dataset.l ? path.dataset.l.split("|") : null,
    at: path.getAttribute("d").match(/[ML][^ML]+/g).map(part => {
      const [x, y, to] = part.slice(1).split(/[ H]/).map(Number);
      return [to === undefined ? x : (x + to) / 2, y];
    }),
  }));
  const LEFT = 52, RIGHT = 328;
  const nearest = (line, x) => line.at.reduce((best, at, n) => Math.abs(at[0] - x) < Math.abs(line.at[best][0] - x) ? n : best, 0);
  for (const svg of document.querySelectorAll("svg.plot")) {
    let lines = null, cursor = null;
    const look = (x, pageX, pageY) => {
      lines = lines || linesOf(svg);
      if (!lines.length) return;
      const all = lines.map(line => ({ line, n: nearest(line, x) }));
      const first = all.reduce((a, b) => Math.abs(b.line.at[b.n][0] - x) < Math.abs(a.line.at[a.n][0] - x) ? b : a);
      const at = first.line.at[first.n][0];
      const span = Number(svg.dataset.span);
      const head = span ? ((at - LEFT) / (RIGHT - LEFT) * span).toPrecision(3) + " " + svg.dataset.unit : "at " + first.line.labels[first.n];
      const seen = new Map();
      for (const { line, n } of all) {
        const isNear = Math.abs(line.at[n][0] - at) < 4 || line.name === "temperature" || line.name === "CPU busy";
        if (isNear && !seen.has(line.name)) seen.set(line.name, line.name + ": " + line.values[n]);
      }
      if (!cursor) {
        cursor = document.createElementNS(svg.namespaceURI, "line");
        cursor.setAttribute("class", "cursor");
        cursor.setAttribute("y1", 14);
        cursor.setAttribute("y2", svg.viewBox.baseVal.height - 30);
        svg.append(cursor);
      }
      cursor.setAttribute("x1", at);
      cursor.setAttribute("x2", at);
      cursor.style.display = "";
      show([head, ...seen.values()].join("\n"), pageX, pageY);
    };
    const leave = () => { hide(); if (cursor) cursor.style.display = "none"; };
    const scale = () => { const box = svg.getBoundingClientRect(); return { box, by: svg.viewBox.baseVal.width / box.width }; };
    const point = event => { const { box, by } = scale(); look((event.clientX - box.left) * by, event.clientX, event.clientY); };
    svg.addEventListener("pointermove", point);
    svg.addEventListener("pointerdown", point);
    svg.addEventListener("pointerleave", leave);
    svg.addEventListener("blur", leave);
    svg.tabIndex = 0;
    let x = LEFT;
    svg.addEventListener("keydown", event => {
      const step = { ArrowLeft: -4, ArrowRight: 4 }[event.key];
      if (!step) return;
      event.preventDefault();
      x = Math.min(RIGHT, Math.max(LEFT, x + step));
      const { box, by } = scale();
      look(x, box.left + x / by, box.top + 40);
    });
  }
  for (const dot of document.querySelectorAll("[data-tip]")) {
    dot.addEventListener("pointerenter", event => show(dot.dataset.tip, event.clientX, event.clientY));
    dot.addEventListener("pointerleave", hide);
  }
  const unfold = () => {
    let at = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
    for (; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
  };
  addEventListener("hashchange", unfold);
  unfold();
  addEventListener("beforeprint", () => document.querySelectorAll("details:not(.why details, .findings details)").forEach(one => { one.open = true; }));
})();
