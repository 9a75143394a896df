"use strict";
// Fills each place of a plot with what the results say. A plot that is drawn has data-points, the number of its values.
(() => {
  const results = JSON.parse(document.getElementById("results").textContent);
  const dark = matchMedia("(prefers-color-scheme: dark)");
  // Okabe and Ito: distinct for all kinds of colour vision; symbols and dashes say the same again.
  const palette = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C6D31", "#7A6FAC"];
  const symbols = ["circle", "rect", "triangle", "diamond", "roundRect", "pin", "arrow"];
  const dashes = ["solid", "dashed", "dotted"];
  const lookup = (name, id) =>
    results.studies.find((study) => study.name === name).experiments.find((one) => one.id === id);
  const unique = (list) => [...new Set(list)];
  const format = (value) => {
    if (value === null || value === undefined) return "";
    const size = Math.abs(value);
    const digits = size >= 100 || size === 0 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 4;
    return value.toLocaleString("en", { maximumFractionDigits: digits });
  };
  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  // Values of one side, with the same shape: series, at, value, low, high, values.
  const side = (experiment, whose) => {
    if (whose === "theirs") return experiment.theirs.map((one) => ({ ...one, name: one.series }));
    const subjects = unique(experiment.ours.map((one) => one.subject));
    return experiment.ours.map((one) => ({
      name: subjects.length > 1 ? `${one.series} (${one.subject})` : one.series,
      series: one.series,
      subject: one.subject,
      at: one.at,
      value: one.estimate.value,
      low: one.estimate.low,
      high: one.estimate.high,
      values: one.values,
    }));
  };

  const looks = (names, values) => {
    const bases = unique(names.map((name) => values.find((one) => one.name === name)?.series ?? name));
    return (name) => {
      const one = values.find((value) => value.name === name);
      const at = bases.indexOf(one?.series ?? name);
      const second = one?.subject === "net-snmp" ? 1 : 0;
      return {
        color: palette[at % palette.length],
        symbol: symbols[at % symbols.length],
        dash: second ? "dashed" : dashes[Math.floor(at / palette.length) % dashes.length],
        opacity: second ? 0.55 : 1,
      };
    };
  };

  const axis = (label, isLogarithmic, more) => ({
    type: isLogarithmic ? "log" : "value",
    name: label,
    nameLocation: "middle",
    nameGap: 30,
    nameTextStyle: { color: css("--soft") },
    axisLabel: { color: css("--soft"), formatter: format, hideOverlap: true },
    axisLine: { lineStyle: { color: css("--line") } },
    splitLine: { lineStyle: { color: css("--line") } },
    ...more,
  });

  const base = (names) => ({
    animation: false,
    textStyle: { color: css("--text"), fontFamily: "system-ui, sans-serif" },
    aria: { enabled: true },
    legend: {
      type: "scroll", bottom: 0, data: names, textStyle: { color: css("--text") },
      pageTextStyle: { color: css("--soft") }, pageIconColor: css("--text"), pageIconInactiveColor: css("--line"),
    },
    grid: { left: 64, right: 18, top: 16, bottom: 84 },
  });

  // Bars or points with their interval, as a line with ends.
  const interval = (points, color) => ({
    type: "custom",
    silent: true,
    z: 5,
    data: points,
    encode: { x: 0, y: [1, 2] },
    renderItem: (params, api) => {
      const x = api.coord([api.value(0), api.value(1)])[0] + (api.value(3) || 0);
      const low = api.coord([api.value(0), api.value(1)])[1];
      const high = api.coord([api.value(0), api.value(2)])[1];
      const line = (x1, y1, x2, y2) => ({
        type: "line", shape: { x1, y1, x2, y2 }, style: { stroke: color, lineWidth: 1.3 },
      });
      return { type: "group", children: [line(x, low, x, high), line(x - 3, low, x + 3, low), line(x - 3, high, x + 3, high)] };
    },
  });

  const told = (one, unit) => {
    const range = one.low === undefined ? "" : ` [${format(one.low)}, ${format(one.high)}]`;
    const count = one.values === undefined ? "" : `, ${one.values.length} repetitions`;
    return `<b>${one.name}</b><br>${one.at}: ${format(one.value)}${range} ${unit}${count}`;
  };

  const spread = (values) => {
    const sizes = values.map((one) => one.value).filter((value) => value > 0);
    return sizes.length === values.length && Math.max(...sizes) / Math.min(...sizes) > 60;
  };

  const bars = (experiment, values, unit) => {
    const places = unique(values.map((one) => String(one.at)));
    const names = unique(values.map((one) => one.name));
    const look = looks(names, values);
    const isLogarithmic = spread(values);
    const option = base(names);
    option.xAxis = { type: "category", data: places, axisLabel: { color: css("--soft"), interval: 0, hideOverlap: true } };
    // On a logarithmic axis bars stand on the power of ten below the least of them.
    const least = 10 ** Math.floor(Math.log10(Math.min(...values.map((one) => one.value))));
    option.yAxis = axis(unit, isLogarithmic, { nameGap: 46, ...(isLogarithmic ? { min: least, startValue: least } : {}) });
    option.tooltip = { trigger: "item", confine: true, formatter: (item) => told(item.data.one, unit) };
    option.series = names.map((name) => ({
      type: "bar",
      name,
      barMaxWidth: 34,
      itemStyle: { color: look(name).color, opacity: look(name).opacity,
        decal: look(name).dash === "dashed" ? { symbol: "line", rotation: 0.7, dashArrayX: [1, 0], dashArrayY: [2, 5], color: css("--card") } : undefined },
      data: places.map((place) => {
        const one = values.find((value) => value.name === name && String(value.at) === place);
        return one ? { value: one.value, one } : { value: null };
      }),
    }));
    return option;
  };

  const lines = (experiment, values) => {
    const names = unique(values.map((one) => one.name));
    const look = looks(names, values);
    const { x, y } = experiment.form;
    const option = base(names);
    option.xAxis = axis(x.label, x.is_logarithmic, { scale: true });
    option.yAxis = axis(y.label, y.is_logarithmic, { nameGap: 48 });
    option.tooltip = { trigger: "item", confine: true, formatter: (item) => told(item.data.one, experiment.unit_name) };
    option.series = names.flatMap((name) => {
      const own = values.filter((one) => one.name === name).sort((a, b) => a.at - b.at);
      const { color, symbol, dash, opacity } = look(name);
      const line = {
        type: "line", name, symbol, symbolSize: 7, itemStyle: { color, opacity }, lineStyle: { color, type: dash, width: 1.8, opacity },
        data: own.map((one) => ({ value: [one.at, one.value], one })),
      };
      const outer = own.filter((one) => one.low !== undefined);
      return outer.length ? [line, interval(outer.map((one) => [one.at, one.low, one.high]), color)] : [line];
    });
    return option;
  };

  // One panel for each place, with a line for each series: how a run went.
  const progress = (experiment) => {
    const places = unique(experiment.traces.map((one) => String(one.at)));
    const subjects = unique(experiment.traces.map((one) => one.subject));
    const called = (one) => (subjects.length > 1 ? `${one.series} (${one.subject})` : one.series);
    const names = unique(experiment.traces.map(called));
    const values = experiment.traces.map((one) => ({ name: called(one), series: one.series, subject: one.subject }));
    const look = looks(names, values);
    const { x, y } = experiment.form;
    const option = base(names);
    const columns = Math.min(places.length, innerWidth > 900 ? 2 : 1);
    const rows = Math.ceil(places.length / columns);
    const [width, height] = [100 / columns, 86 / rows];
    const panel = (at) => ({ left: `${(at % columns) * width + 6}%`, top: `${Math.floor(at / columns) * height + 4}%`,
      width: `${width - 9}%`, height: `${height - 8}%` });
    option.rows = rows;
    option.grid = places.map((_, at) => panel(at));
    option.title = places.map((place, at) => ({ text: place, left: panel(at).left, top: `${Math.floor(at / columns) * height}%`,
      textStyle: { fontSize: 12, color: css("--text") } }));
    option.xAxis = places.map((_, gridIndex) => axis(x.label, x.is_logarithmic, { gridIndex, nameGap: 22, scale: true }));
    option.yAxis = places.map((_, gridIndex) => axis(y.label, y.is_logarithmic, { gridIndex, nameGap: 40 }));
    option.tooltip = { trigger: "item", confine: true,
      formatter: (item) => `<b>${item.seriesName}</b><br>${format(item.value[1])} after ${format(item.value[0])} s` };
    option.series = experiment.traces.map((one) => {
      const { color, dash, opacity } = look(called(one));
      return { type: "line", name: called(one), xAxisIndex: places.indexOf(String(one.at)), yAxisIndex: places.indexOf(String(one.at)),
        symbol: "none", step: "end", lineStyle: { color, type: dash, width: 1.5, opacity }, itemStyle: { color },
        triggerLineEvent: true, data: one.points };
    });
    return option;
  };

  const draw = (place) => {
    const experiment = lookup(place.dataset.study, place.dataset.experiment);
    const unit = { microseconds: "us", milliseconds: "ms", seconds: "s", kilobytes: "kB", "per-second": "1/s", ratio: "x", percent: "%", count: "" };
    experiment.unit_name = unit[experiment.unit] ?? experiment.unit;
    const values = side(experiment, place.dataset.whose);
    const isProgress = experiment.form.kind === "progress" && place.dataset.whose === "ours" && experiment.traces.length > 0;
    const kind = experiment.form.kind;
    const option = isProgress ? progress(experiment)
      : kind === "bars" || values.some((one) => typeof one.at === "string") ? bars(experiment, values, experiment.unit_name)
        : lines(kind === "lines" ? experiment : { ...experiment, form: { x: { label: "" }, y: { label: experiment.unit_name } } }, values);
    if (isProgress) {
      place.style.height = `${Math.max(360, option.rows * 250)}px`;
      place.closest("figure").style.gridColumn = "1 / -1";
    }
    const chart = echarts.getInstanceByDom(place) ?? echarts.init(place, null, { renderer: "svg" });
    chart.setOption(option, true);
    chart.resize();
    place.dataset.points = isProgress ? experiment.traces.reduce((sum, one) => sum + one.points.length, 0) : values.length;
    return chart;
  };

  const places = [...document.querySelectorAll(".plot")];
  const drawAll = () => places.forEach(draw);
  drawAll();
  dark.addEventListener("change", drawAll);
  addEventListener("resize", () => places.forEach((place) => echarts.getInstanceByDom(place)?.resize()));
  addEventListener("beforeprint", () => places.forEach((place) => echarts.getInstanceByDom(place)?.resize()));
})();
