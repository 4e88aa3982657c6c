"use strict";
// Draws every figure of the page, in the colours of the reader's light or dark.
(() => {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const tools = matchMedia("(hover: hover)").matches ? "hover" : false; // they would cover the figure where nothing hovers
  const palettes = JSON.parse(document.getElementById("palettes").textContent);
  const colours = () => {
    const style = getComputedStyle(document.documentElement);
    const of = (name) => style.getPropertyValue(name).trim();
    return { ink: of("--ink"), faint: of("--faint"), line: of("--line"), sans: of("--sans"), palette: palettes[dark.matches ? 1 : 0] };
  };

  function coloured(trace, look) {
    const drawn = structuredClone(trace);
    if (trace.type === "heatmap") return drawn;
    const shade = "palette" in trace ? look.palette[trace.palette] : look.faint;
    drawn.line = { ...drawn.line, color: shade };
    drawn.marker = { ...drawn.marker, color: shade };
    if (trace.fill) drawn.fillcolor = shade;
    if (trace.error_y) drawn.error_y.color = look.ink;
    delete drawn.palette;
    return drawn;
  }

  function layout(own, look, width) {
    const axis = (settings) => ({ gridcolor: look.line, zerolinecolor: look.line, linecolor: look.line, ...settings });
    return {
      ...own,
      xaxis: axis({ ...own.xaxis, title: { ...own.xaxis.title, standoff: 8, font: { size: 13 } } }),
      yaxis: axis({ ...own.yaxis, title: { ...own.yaxis.title, standoff: 8, font: { size: 13 } } }),
      font: { family: look.sans, size: 13, color: look.ink },
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      margin: { l: 64, r: 16, t: 12, b: 48 },
      legend: { orientation: "h", y: -0.22, x: 0 },
      hovermode: own.height ? "closest" : "x unified",
      modebar: { bgcolor: "rgba(0,0,0,0)", color: look.faint, activecolor: look.ink },
      hoverlabel: { bgcolor: getComputedStyle(document.body).backgroundColor },
      height: own.height || (width < 600 ? 600 : 420), // a legend of many lines
    };
  }

  function draw() {
    const look = colours();
    for (const place of document.querySelectorAll(".plot")) {
      const figure = JSON.parse(place.querySelector("script").textContent);
      const traces = figure.data.map((trace) => coloured(trace, look));
      const settings = { responsive: true, displaylogo: false, displayModeBar: tools };
      Plotly.react(place.querySelector(".canvas"), traces, layout(figure.layout, look, place.clientWidth), settings);
    }
  }

  document.documentElement.classList.add("live");
  draw();
  dark.addEventListener("change", draw);
})();
