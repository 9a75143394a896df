"use strict";
// Fills each place of a plot with what the results say. A plot that is drawn has data-points, the number of its values.
(() => {
  const results = JSON.parse(document.getElementById("results").textContent);
  const dark = matchMedia("(prefers-color-scheme: dark)");
  // One colour for each transport in every plot, in light and in dark. The first pattern that the name of a series has counts.
  // For all kinds of colour vision, symbols and dashes say the same again.
  const transports = [
    [/\bSOAP\b|\bweb services\b/i, ["#B3123B", "#FF6B7F"]],
    [/\bRESTCONF\b/i, ["#6B7A00", "#C3D34A"]],
    [/\bDTLS\b/i, ["#C25400", "#F2813A"]],
    [/\bTLS\b/i, ["#008560", "#2BC79B"]],
    [/\bSSH\b/i, ["#B8478A", "#E39AC3"]],
    [/(\bUSM\b|Priv\b).*\bTCP\b|\bTCP\b.*\bUSM\b/i, ["#17788A", "#6FD3E3"]],
    [/\bUSM\b|Priv\b/i, ["#6B5FA8", "#ACA1EE"]],
    [/\bTCP\b|^SNMP GetBulk$/i, ["#6B4A1B", "#C4A368"]],
    [/\bUDP\b|^v1\b|^v2c\b|^SNMP Get$/i, ["#0072B2", "#4C9FE0"]],
  ];
  // Of series without a transport, in the order in which the page has them.
  const others = [
    ["#4A5563", "#AEB8C4"], ["#A67C00", "#E0C04C"], ["#3F7D20", "#8FCB6B"], ["#2F4B9C", "#8FA6F0"],
    ["#8A3FA0", "#D08FE3"], ["#B5651D", "#E8A76A"], ["#1B8F8F", "#63CFCF"], ["#7F1D4E", "#E07FAE"],
  ];
  // Series of the same colour differ in shade: mixed with so much of the text's colour, or below zero of the background's.
  const shades = [0, -0.4, 0.4, -0.6, 0.65, -0.2];
  // Outlines in a square of ten by ten, for the plots and their legends.
  const symbols = [
    "M5 0A5 5 0 1 1 5 10A5 5 0 1 1 5 0Z", "M.6 .6H9.4V9.4H.6Z", "M5 0L10 9H0Z", "M5 -.5L10.5 5L5 10.5L-.5 5Z",
    "M5 10L10 1H0Z", "M1.5 0L5 3.5L8.5 0L10 1.5L6.5 5L10 8.5L8.5 10L5 6.5L1.5 10L0 8.5L3.5 5L0 1.5Z",
    "M3.5 0H6.5V3.5H10V6.5H6.5V10H3.5V6.5H0V3.5H3.5Z", "M0 0H10L6.5 5L10 10H0L3.5 5Z",
  ];
  const dashes = { solid: "", dashed: "5 3", dotted: "1.5 2.5" };
  const second = "net-snmp";
  // Above so many series, and so many bars, a plot is divided by agents.
  const MOST = 8;
  const MOST_BARS = 24;
  // Pixels of the names at the ends of lines.
  const LABEL = 11;
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

  // Values of one side, with the same shape: name, series, at, value, and low, high and outliers where they are ours.
  const side = (experiment, whose) => {
    if (whose === "theirs") return theirs(experiment);
    const subjects = unique(experiment.ours.map((one) => one.subject));
    return experiment.ours.map((one) => ({ ...one, name: called(one, subjects) }));
  };
  // Where each of their series says of what it is, as in "v1 (3B)", that is taken for the subject.
  const theirs = (experiment) => {
    const parts = experiment.theirs.map((one) => one.series.match(/^(.+) \(([^()]+)\)$/));
    const areOfSubjects = parts.every(Boolean) && unique(experiment.theirs.map((one) => one.series)).length > MOST;
    return experiment.theirs.map((one, at) => (areOfSubjects
      ? { ...one, name: one.series, series: parts[at][1], subject: parts[at][2] } : { ...one, name: one.series }));
  };
  const called = (one, subjects) => (subjects.length > 1 ? `${one.series} (${one.subject})` : one.series);

  const seriesOf = (experiment) => unique([...theirs(experiment), ...experiment.ours, ...experiment.traces].map((one) => one.series));
  // A ratio has the transport of its dividend, as in "TLS by UDP".
  const transportOf = (series) => transports.find(([pattern]) => pattern.test(series.split(" by ")[0]));
  const withoutTransport = unique(results.studies.flatMap((study) => study.experiments.flatMap(seriesOf)))
    .filter((series) => !transportOf(series));
  const colorOf = (series) => {
    const [, colors] = transportOf(series) ?? ["", others[withoutTransport.indexOf(series) % others.length]];
    return colors[dark.matches ? 1 : 0];
  };
  const channels = (color) => [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));
  const shaded = (color, variant) => {
    const shade = shades[variant % shades.length];
    if (shade === 0) return color;
    const end = channels(css(shade > 0 ? "--text" : "--card"));
    const mixed = channels(color).map((part, at) => Math.round(part + (end[at] - part) * Math.abs(shade)));
    return `rgb(${mixed.join(",")})`;
  };

  // How a series looks: the same wherever it is in an experiment, of the paper or ours.
  const looks = (experiment) => {
    const names = seriesOf(experiment);
    const colors = names.map(colorOf);
    return (one) => {
      const at = names.indexOf(one.series);
      const variant = colors.slice(0, at).filter((other) => other === colors[at]).length;
      const isSecond = one.subject === second && one.name !== one.series;
      return {
        color: shaded(colors[at], variant),
        symbol: symbols[at % symbols.length],
        dash: isSecond ? "dashed" : ["solid", "dotted", "dashed"][variant % 3],
        isSecond,
        opacity: isSecond ? 0.6 : 1,
      };
    };
  };

  // Panels of a plot: one, or where there are many series one for each agent and one for what only one of them does.
  const panels = (values, isOfBars) => {
    const subjects = unique(values.map((one) => one.subject).filter(Boolean));
    const count = unique(values.map((one) => one.name)).length;
    if (subjects.length < 2 || count <= MOST || (isOfBars && values.length <= MOST_BARS)) return [{ title: "", values }];
    const of = (one) => subjects.filter((subject) => values.some((other) => other.series === one.series && other.subject === subject));
    const titled = (subject) => (values.some((one) => one.count || one.points) ? `with the agent of ${subject}` : subject);
    // What a panel is of needs not be in the names.
    const named = (list) => list.map((one) => ({ ...one, name: one.series }));
    const shared = values.filter((one) => of(one).length > 1);
    const all = subjects.map((subject) => ({
      title: titled(subject), values: named(shared.filter((one) => one.subject === subject)),
    }));
    const alone = subjects.map((subject) => ({
      title: `${titled(subject)} alone`, values: named(values.filter((one) => of(one).length === 1 && one.subject === subject)),
    }));
    return [...all, ...alone].filter((panel) => panel.values.length > 0);
  };

  const axis = (label, isLogarithmic, more) => ({
    type: isLogarithmic ? "log" : "value",
    name: label,
    nameLocation: "middle",
    nameGap: 28,
    nameTextStyle: { color: css("--soft") },
    axisLabel: { color: css("--soft"), formatter: format, hideOverlap: true },
    axisLine: { lineStyle: { color: css("--line") } },
    splitLine: { lineStyle: { color: css("--line") } },
    ...more,
  });

  // Where the panels are, in a place of that width; the place becomes as high as they need.
  const layout = (place, count) => {
    const width = place.clientWidth;
    const columns = Math.min(count, Math.max(1, Math.floor(width / 340)));
    const height = count > 1 ? 320 : 330;
    place.style.height = `${Math.ceil(count / columns) * height}px`;
    return (at) => {
      const left = (at % columns) * (width / columns);
      const top = Math.floor(at / columns) * height;
      return {
        title: { left: left + 52, top: top + 2 },
        grid: { left: left + 62, top: top + (count > 1 ? 28 : 12), width: width / columns - 78, height: height - (count > 1 ? 84 : 66) },
      };
    };
  };

  const base = (names, parts, at) => ({
    animation: false,
    textStyle: { color: css("--text"), fontFamily: "system-ui, sans-serif" },
    aria: { enabled: true },
    legend: { show: false, data: names },
    title: parts.map((part, index) => ({
      ...at(index).title, text: part.title, textStyle: { fontSize: 12, fontWeight: 600, color: css("--soft") },
    })),
    grid: parts.map((_, index) => at(index).grid),
    series: [],
  });

  const told = (one, unit) => {
    const lines = [`<b>${one.name}</b>`];
    const range = one.low === undefined ? "" : ` [${format(one.low)}, ${format(one.high)}]`;
    lines.push(`${one.at}: <b>${format(one.value)}</b>${range} ${unit}`);
    if (one.count !== undefined) lines.push(`${one.count} repetitions, ${format(one.least)} to ${format(one.most)}`);
    if (one.outliers?.length) lines.push(`outliers: ${one.outliers.map(format).join(", ")}`);
    return lines.join("<br>");
  };

  // The ends of the axis of values: the same in all panels, and of a linear one not where outliers would press everything else
  // together.
  const ends = (parts, isLogarithmic) => {
    const values = parts.flatMap((part) => part.values);
    const usual = values.flatMap((one) => [one.value, one.low ?? one.value, one.high ?? one.value]);
    const all = [...usual, ...values.flatMap((one) => one.outliers ?? [])].filter((value) => !isLogarithmic || value > 0);
    if (isLogarithmic) {
      const power = (value, round) => 10 ** round(Math.log10(value));
      return { min: power(Math.min(...all), Math.floor), max: power(Math.max(...all) * 1.0001, Math.ceil) };
    }
    const [most, outmost] = [Math.max(...usual), Math.max(...all)];
    const isClipped = outmost > 1.6 * most;
    if (Math.min(...all) < 0 || most <= 0 || (parts.length === 1 && !isClipped)) return {};
    const upper = isClipped ? most * 1.15 : outmost;
    const step = 10 ** Math.floor(Math.log10(upper)) / 2;
    return { min: 0, max: Math.ceil(upper / step) * step };
  };

  // The interval of each value, as a line with ends, and its outliers as rings, or as an arrow where they are beyond the edge.
  const marks = (name, index, own, { stroke, opacity }, offset) => ({
    type: "custom",
    name,
    xAxisIndex: index,
    yAxisIndex: index,
    z: 5,
    // The axis has room for all that is drawn.
    encode: { x: 0, y: [1, 2, 3] },
    data: own.map((one) => ({ value: [offset ? String(one.at) : one.at, one.value,
      Math.min(one.low, ...one.outliers), Math.max(one.high, ...one.outliers)], one })),
    renderItem: (params, api) => {
      const one = own[params.dataIndex];
      const place = api.value(0);
      const [middle] = api.coord([place, api.value(1)]);
      const x = middle + (offset ? offset(api) : 0);
      const { y: top, height } = params.coordSys;
      // Differences may be zero or less, for which a logarithmic axis has no place.
      const y = (value) => {
        const at = api.coord([place, value])[1];
        return Number.isFinite(at) ? at : top + height;
      };
      const inside = (value) => Math.min(Math.max(value, top), top + height);
      const line = (x1, y1, x2, y2) => ({ type: "line", shape: { x1, y1, x2, y2 }, style: { stroke, lineWidth: 1.2, opacity } });
      const children = [];
      if (one.high > one.low) {
        const [low, high] = [inside(y(one.low)), inside(y(one.high))];
        children.push(line(x, low, x, high), line(x - 3, low, x + 3, low), line(x - 3, high, x + 3, high));
      }
      for (const outlier of one.outliers ?? []) {
        const at = y(outlier);
        children.push(at < top
          ? { type: "polygon", shape: { points: [[x, top], [x - 3.5, top + 6], [x + 3.5, top + 6]] }, style: { fill: stroke, opacity: 0.7 } }
          : { type: "circle", shape: { cx: x, cy: inside(at), r: 2 }, style: { fill: "none", stroke, lineWidth: 1, opacity: 0.7 } });
      }
      return { type: "group", children };
    },
  });

  // Whether values need a logarithmic axis. Bars have no meaningful length there, so dots replace them.
  const spread = (values) => {
    const sizes = values.map((one) => one.value).filter((value) => value > 0);
    return sizes.length === values.length && Math.max(...sizes) / Math.min(...sizes) > 60;
  };

  const dots = (name, index, own, { color, symbol, isSecond, opacity }, offset) => ({
    type: "scatter", name, xAxisIndex: index, yAxisIndex: index,
    symbol: `path://${symbol}`, symbolSize: 9, symbolOffset: [offset, 0],
    itemStyle: { color: isSecond ? css("--card") : color, borderColor: color, borderWidth: 1.5, opacity },
    data: own.map((one) => ({ value: [String(one.at), one.value], one })),
  });

  const solids = (name, index, own, { color, isSecond, opacity }, places, width) => ({
    type: "bar", name, xAxisIndex: index, yAxisIndex: index, ...width,
    itemStyle: { color, opacity,
      decal: isSecond ? { symbol: "line", rotation: 0.7, dashArrayX: [1, 0], dashArrayY: [2, 5], color: css("--card") } : undefined },
    data: places.map((label) => {
      const one = own.find((value) => String(value.at) === label);
      return one ? { value: one.value, one } : { value: null };
    }),
  });

  const bars = (place, experiment, values) => {
    const look = looks(experiment);
    const parts = panels(values, true);
    const at = layout(place, parts.length);
    const isLogarithmic = spread(values);
    const option = base(unique(parts.flatMap((part) => part.values.map((one) => one.name))), parts, at);
    const range = ends(parts, isLogarithmic);
    option.xAxis = [];
    option.yAxis = [];
    parts.forEach((part, index) => {
      const places = unique(part.values.map((one) => String(one.at)));
      const names = unique(part.values.map((one) => one.name));
      const room = at(index).grid.width / places.length;
      const longest = Math.max(...places.flatMap((label) => label.split(" ").map((word) => word.length)));
      const fontSize = Math.max(8, Math.min(12, room / longest / 0.66));
      option.xAxis.push({ type: "category", gridIndex: index, data: places, axisTick: { show: false },
        axisLabel: { color: css("--soft"), interval: 0, width: room - 2, overflow: "break", fontSize, lineHeight: fontSize * 1.2 } });
      option.yAxis.push(axis(experiment.unit, isLogarithmic, { gridIndex: index, nameGap: 44, ...range }));
      const width = { barMaxWidth: 34, barGap: "12%", barCategoryGap: "24%" };
      names.forEach((name, number) => {
        const own = part.values.filter((one) => one.name === name);
        const measured = own.filter((one) => one.low !== undefined);
        const { color, opacity } = look(own[0]);
        const beside = (number - (names.length - 1) / 2) * Math.min(22, (0.76 * room) / names.length);
        const inBar = (api) => api.barLayout({ count: names.length, ...width })[number].offsetCenter;
        option.series.push(isLogarithmic
          ? dots(name, index, own, look(own[0]), beside) : solids(name, index, own, look(own[0]), places, width));
        if (measured.length) option.series.push(isLogarithmic
          ? marks(name, index, measured, { stroke: color, opacity }, () => beside)
          : marks(name, index, measured, { stroke: css("--text"), opacity: 1 }, inBar));
      });
    });
    return option;
  };

  // Room for the names of lines at their ends, or 0: in one panel, if no name is too long.
  const roomForNames = (names, parts, width) => {
    const room = 6.2 * Math.max(0, ...names.map((name) => name.length)) + 10;
    return parts.length === 1 && names.length > 1 && names.length <= MOST && room <= width / 3 ? room : 0;
  };

  // Places from top to bottom, as near to the wanted ones as the distance between neighbours allows.
  const apart = (wanted, distance) => {
    const groups = [];
    const mean = (group) => group.sum / group.count;
    wanted.forEach((place, index) => {
      groups.push({ sum: place - index * distance, count: 1 });
      while (groups.length > 1 && mean(groups.at(-2)) > mean(groups.at(-1))) {
        const last = groups.pop();
        groups.at(-1).sum += last.sum;
        groups.at(-1).count += last.count;
      }
    });
    return groups.flatMap((group) => Array(group.count).fill(mean(group))).map((place, index) => place + index * distance);
  };

  // Moves the names at the ends of lines so that none covers another.
  const shiftNames = (chart, option) => {
    const named = option.series.filter((one) => one.endLabel?.show);
    const height = (one) => chart.convertToPixel({ xAxisIndex: 0, yAxisIndex: 0 }, one.data.at(-1).value)[1];
    const ends = named.map((one) => ({ one, wanted: height(one) })).sort((one, other) => one.wanted - other.wanted);
    const places = apart(ends.map((end) => end.wanted), LABEL + 2);
    ends.forEach(({ one, wanted }, at) => (one.endLabel.offset = [0, places[at] - wanted]));
    if (named.length) chart.setOption(option, true);
  };

  const lines = (place, experiment, all) => {
    const look = looks(experiment);
    const { x, y } = experiment.form.kind === "lines" ? experiment.form : { x: { label: "" }, y: { label: experiment.unit } };
    const values = all.filter((one) => !y.is_logarithmic || one.value > 0);
    const parts = panels(values);
    const at = layout(place, parts.length);
    const names = unique(parts.flatMap((part) => part.values.map((one) => one.name)));
    const option = base(names, parts, at);
    const room = roomForNames(names, parts, option.grid[0].width);
    option.grid[0].width -= room;
    const along = values.map((one) => one.at);
    // A whole power of ten on either side of a few places is room for nothing.
    const range = x.is_logarithmic ? { min: Math.min(...along), max: Math.max(...along) } : { scale: true };
    option.xAxis = parts.map((_, gridIndex) => axis(x.label, x.is_logarithmic, { gridIndex, ...range }));
    const valueEnds = ends(parts, y.is_logarithmic);
    option.yAxis = parts.map((_, gridIndex) => axis(y.label, y.is_logarithmic, { gridIndex, nameGap: 46, ...valueEnds }));
    parts.forEach((part, index) => {
      for (const name of unique(part.values.map((one) => one.name))) {
        const own = part.values.filter((one) => one.name === name).sort((one, other) => one.at - other.at);
        const { color, symbol, dash, opacity } = look(own[0]);
        option.series.push({
          type: "line", name, xAxisIndex: index, yAxisIndex: index, symbol: `path://${symbol}`, symbolSize: 8,
          itemStyle: { color, opacity }, lineStyle: { color, type: dash, width: 1.8, opacity },
          endLabel: { show: room > 0, formatter: "{a}", valueAnimation: false, color, fontSize: LABEL },
          data: own.map((one) => ({ value: [one.at, one.value], one })),
        });
        const measured = own.filter((one) => one.low !== undefined);
        if (measured.length) option.series.push(marks(name, index, measured, { stroke: color, opacity }));
      }
    });
    return option;
  };

  // How runs went: a line for each.
  const progress = (place, experiment) => {
    const look = looks(experiment);
    const subjects = unique(experiment.traces.map((one) => one.subject));
    const traces = experiment.traces.map((one) => ({ ...one, name: called(one, subjects) }));
    const parts = panels(traces);
    const at = layout(place, parts.length);
    const { x, y } = experiment.form;
    const option = base(unique(parts.flatMap((part) => part.values.map((one) => one.name))), parts, at);
    // The same scales in all panels.
    const most = (end) => Math.max(...traces.flatMap((one) => one.points.map((point) => point[end])));
    option.xAxis = parts.map((_, gridIndex) => axis(x.label, x.is_logarithmic, { gridIndex, min: 0, max: Math.ceil(most(0)) }));
    option.yAxis = parts.map((_, gridIndex) => axis(y.label, y.is_logarithmic, { gridIndex, nameGap: 46, max: most(1) }));
    parts.forEach((part, index) => {
      for (const one of part.values) {
        const { color, symbol, dash, opacity } = look(one);
        option.series.push({ type: "line", name: one.name, xAxisIndex: index, yAxisIndex: index, step: "end",
          symbol: `path://${symbol}`, symbolSize: 8, showAllSymbol: false,
          lineStyle: { color, type: dash, width: 1.5, opacity }, itemStyle: { color, opacity }, triggerLineEvent: true,
          // The symbol is at the end of the run.
          data: one.points.map((value, number) => ({ value, symbol: number === one.points.length - 1 ? undefined : "none" })) });
      }
    });
    return option;
  };

  // A series in the legend: as a bar, as a dot, or as a line with a dot.
  const pictures = {
    bars: ({ color, isSecond, opacity }) => `<rect x="8" width="12" height="10" fill="${color}" opacity="${opacity}"/>`
      + (isSecond ? `<path d="M8 10L18 0M12 10L20 2" stroke="${css("--card")}"/>` : ""),
    dots: ({ color, symbol, isSecond }) => `<path transform="translate(9)" d="${symbol}" stroke="${color}" stroke-width="1.5" `
      + `fill="${isSecond ? css("--card") : color}"/>`,
    lines: ({ color, symbol, dash }) => `<path d="M0 5H28" stroke="${color}" stroke-width="1.8" stroke-dasharray="${dashes[dash]}"/>`
      + `<path transform="translate(9)" d="${symbol}" fill="${color}"/>`,
  };

  // The legend wraps, and can be printed; a click hides a series or shows it again.
  const legend = (place, chart, experiment, values, shape) => {
    const look = looks(experiment);
    const hidden = place.hiddenSeries ??= new Set();
    const items = unique(values.map((one) => one.name)).map((name) => {
      const own = look(values.find((one) => one.name === name));
      const item = document.createElement("button");
      item.type = "button";
      item.innerHTML = `<svg width="28" height="10" viewBox="0 0 28 10" opacity="${own.opacity}" aria-hidden="true">${pictures[shape](own)}</svg>`;
      item.append(name);
      item.setAttribute("aria-pressed", String(!hidden.has(name)));
      item.onclick = () => {
        if (!hidden.delete(name)) hidden.add(name);
        item.setAttribute("aria-pressed", String(!hidden.has(name)));
        chart.dispatchAction({ type: "legendToggleSelect", name });
      };
      return item;
    });
    place.parentElement.querySelector(".legend").replaceChildren(...items);
    return Object.fromEntries([...hidden].map((name) => [name, false]));
  };

  // What a place shows, and how.
  const shown = (place) => {
    const experiment = lookup(place.dataset.study, place.dataset.experiment);
    const values = side(experiment, place.dataset.whose);
    const kind = experiment.form.kind;
    const isProgress = kind === "progress" && place.dataset.whose === "ours" && experiment.traces.length > 0;
    const isOfBars = !isProgress && (kind === "bars" || values.some((one) => typeof one.at === "string"));
    const subjects = unique(experiment.traces.map((one) => one.subject));
    const drawn = isProgress ? experiment.traces.map((one) => ({ ...one, name: called(one, subjects) })) : values;
    const shape = !isOfBars ? "lines" : spread(values) ? "dots" : "bars";
    return { experiment, values, isProgress, shape, parts: panels(drawn, isOfBars) };
  };

  const draw = (place) => {
    const { experiment, values, isProgress, shape, parts } = shown(place);
    const option = (isProgress ? progress : shape === "lines" ? lines : bars)(place, experiment, values);
    option.tooltip = { trigger: "item", confine: true, formatter: (item) => (item.data.one ? told(item.data.one, experiment.unit)
      : `<b>${item.seriesName}</b><br>${format(item.value[1])} after ${format(item.value[0])} s`) };
    const chart = echarts.getInstanceByDom(place) ?? echarts.init(place, null, { renderer: "svg" });
    chart.resize();
    option.legend.selected = legend(place, chart, experiment, parts.flatMap((part) => part.values), shape);
    chart.setOption(option, true);
    shiftNames(chart, option);
    // On paper the drawing becomes as wide as its place.
    const drawing = place.querySelector("svg");
    drawing?.setAttribute("viewBox", `0 0 ${chart.getWidth()} ${chart.getHeight()}`);
    place.dataset.points = isProgress ? experiment.traces.reduce((sum, one) => sum + one.points.length, 0) : values.length;
  };

  const places = [...document.querySelectorAll(".plot")];
  // Plots of panels take the whole width, and those beside them too.
  for (const place of places) {
    if (shown(place).parts.length < 2) continue;
    for (const figure of place.closest(".pair").querySelectorAll("figure")) figure.classList.add("wide");
  }
  // What is in a closed chapter has no width: it is drawn when the chapter opens.
  const drawAll = (within = document) => places.filter((place) => within.contains(place) && place.clientWidth > 0).forEach(draw);

  // Files that a reader takes along.
  const save = (name, type, content) => {
    const link = document.createElement("a");
    link.download = name;
    link.href = typeof content === "string" && content.startsWith("data:") ? content : URL.createObjectURL(new Blob([content], { type }));
    link.click();
  };
  const savePicture = (place, asPixels) => {
    const chart = echarts.getInstanceByDom(place);
    const name = [place.dataset.study, place.dataset.experiment, place.dataset.whose].join("-");
    const svg = chart.renderToSVGString();
    if (!asPixels) return save(`${name}.svg`, "image/svg+xml", svg);
    const picture = new Image();
    picture.onload = () => {
      const canvas = document.createElement("canvas");
      const scale = 2;
      [canvas.width, canvas.height] = [chart.getWidth() * scale, chart.getHeight() * scale];
      const context = canvas.getContext("2d");
      context.fillStyle = css("--card");
      context.fillRect(0, 0, canvas.width, canvas.height);
      context.drawImage(picture, 0, 0, canvas.width, canvas.height);
      save(`${name}.png`, "image/png", canvas.toDataURL("image/png"));
    };
    picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
    return undefined;
  };
  const rowsOf = (table) => [...table.rows].map((row) => [...row.cells].map((cell) => cell.innerText.replace(/\s+/g, " ").trim()));
  const asCsv = (rows) => rows.map((row) => row.map((cell) => (/[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(",")).join("\r\n");
  const asLatex = (rows) => {
    const escaped = (cell) => cell.replace(/[\\&%$#_{}~^]/g, (one) => (/[\\~^]/.test(one) ? `\\char"${one.charCodeAt(0).toString(16).toUpperCase()}{}` : `\\${one}`));
    const [head, ...body] = rows.map((row) => `${row.map(escaped).join(" & ")} \\\\`);
    const columns = "l" + "r".repeat(Math.max(...rows.map((row) => row.length)) - 1);
    return ["% needs \\usepackage{booktabs}", `\\begin{tabular}{${columns}}`, "\\toprule", head, "\\midrule", ...body, "\\bottomrule", "\\end{tabular}", ""].join("\n");
  };
  const savers = (kinds) => {
    const all = document.createElement("span");
    all.className = "save";
    for (const [kind, action] of kinds) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = kind;
      button.title = `Save as ${kind}`;
      button.onclick = action;
      all.append(button);
    }
    return all;
  };
  for (const place of places) {
    const buttons = savers([["SVG", () => savePicture(place, false)], ["PNG", () => savePicture(place, true)]]);
    place.parentElement.append(buttons);
  }
  document.querySelectorAll(".scroll table").forEach((table, number) => {
    const name = (table.closest("article")?.id || `table-${number + 1}`);
    const buttons = savers([
      ["CSV", () => save(`${name}.csv`, "text/csv", asCsv(rowsOf(table)))],
      ["LaTeX", () => save(`${name}.tex`, "text/x-tex", asLatex(rowsOf(table)))],
    ]);
    table.closest(".scroll").after(buttons);
  });

  // A link into a closed chapter opens it; #all opens them all.
  const openTarget = () => {
    const id = decodeURIComponent(location.hash.slice(1));
    const chapters = [...document.querySelectorAll("details.chapter")];
    const target = id ? document.getElementById(id) : null;
    for (const chapter of chapters) if (id === "all" || (target && chapter.contains(target))) chapter.open = true;
    target?.scrollIntoView();
  };
  openTarget();
  addEventListener("hashchange", openTarget);
  document.addEventListener("toggle", (event) => event.target.open && drawAll(event.target), true);
  drawAll();
  dark.addEventListener("change", () => drawAll());
  let waiting;
  addEventListener("resize", () => {
    clearTimeout(waiting);
    waiting = setTimeout(drawAll, 150);
  });
})();
