// The script of a page: pointing at a figure tells its numbers, a click on a legend switches a
// series, a slider moves through time.
#include "bpo/report/page.h"

namespace bpo::report {

const std::string_view kPageScript = R"js(
'use strict';
(() => {
const all = (where, what) => [...where.querySelectorAll(what)];
const make = (name, attributes, parent) => {
  const node = document.createElement(name);
  for (const key in attributes) node.setAttribute(key, attributes[key]);
  parent.append(node);
  return node;
};

const tip = make('div', {id: 'tip', hidden: ''}, document.body);
const say = (event, text) => {
  tip.textContent = text;
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  const x = event.clientX + 14, y = event.clientY + 14;
  tip.style.left = Math.max(4, Math.min(x, innerWidth - box.width - 8)) + 'px';
  tip.style.top = (y + box.height > innerHeight ? y - box.height - 28 : y) + 'px';
};
const hush = () => { tip.hidden = true; };

// A mark's own words, in place of the browser's slow tool tip.
for (const mark of all(document, '.mark')) {
  const title = mark.querySelector(':scope > title');
  if (!title) continue;
  mark.setAttribute('aria-label', title.textContent);
  title.remove();
  mark.addEventListener('pointermove', event => say(event, mark.getAttribute('aria-label')));
  mark.addEventListener('pointerleave', hush);
}

// What a pixel means, by the scale that the plot carries.
const scale = (plot, axis) => {
  const [low, high, from, to] = plot.dataset[axis].split(' ').map(Number);
  const log = axis === 'x' && plot.dataset.log;
  return pixel => {
    const share = (pixel - from) / (to - from);
    return log ? low * Math.pow(high / low, share) : low + share * (high - low);
  };
};
const digits = value => String(Number(value.toPrecision(4)));

// Shows, of every line, the point that is nearest to the pointer along x.
for (const plot of all(document, '.plot[data-y]')) {
  const svg = plot.ownerSVGElement, x = scale(plot, 'x'), y = scale(plot, 'y');
  if (!plot.querySelector('polyline')) continue;
  svg.addEventListener('pointermove', event => {
    const at = new DOMPoint(event.clientX, event.clientY)
        .matrixTransform(svg.getScreenCTM().inverse()).x;
    let where = null;
    const lines = [];
    for (const series of all(plot, '.series:not(.off)')) {
      let best = null;
      for (const line of all(series, 'polyline')) {
        for (const p of line.points) {
          if (!best || Math.abs(p.x - at) < Math.abs(best.x - at)) best = p;
        }
      }
      if (!best || Math.abs(best.x - at) > 40) continue;
      where = where ?? best.x;
      lines.push(series.dataset.name + ': ' + digits(y(best.y)));
    }
    if (where === null) return hush();
    say(event, ['at ' + digits(x(where)), ...lines].join('\n'));
  });
  svg.addEventListener('pointerleave', hush);
}

for (const key of all(document, '.key[data-series]')) {
  const series = all(key.ownerSVGElement, `.series[data-series="${key.dataset.series}"]`);
  key.setAttribute('role', 'button');
  key.setAttribute('tabindex', '0');
  key.setAttribute('aria-pressed', 'true');
  const toggle = () => {
    const off = key.classList.toggle('off');
    key.setAttribute('aria-pressed', String(!off));
    for (const one of series) one.classList.toggle('off', off);
  };
  key.addEventListener('click', toggle);
  key.addEventListener('keydown', event => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    toggle();
  });
}

// A slider and a button over times 0..last; `show` draws one of them.
const controls = (parent, last, start, seconds, show) => {
  const bar = make('div', {class: 'controls'}, parent);
  const button = make('button', {type: 'button'}, bar);
  const slider = make('input', {type: 'range', min: 0, max: last, 'aria-label': 'time'}, bar);
  const output = make('output', {}, bar);
  let timer = 0;
  const set = t => { slider.value = t; output.textContent = show(t); };
  const stop = () => { clearInterval(timer); timer = 0; button.textContent = 'Play'; };
  button.addEventListener('click', () => {
    if (timer) return stop();
    if (Number(slider.value) >= last) set(0);
    button.textContent = 'Pause';
    timer = setInterval(() => {
      if (Number(slider.value) >= last) return stop();
      set(Number(slider.value) + 1);
    }, 1000 * seconds);
  });
  slider.addEventListener('input', () => { stop(); set(Number(slider.value)); });
  stop();
  set(start);
  return bar;
};

// A robot among the lines of its floor: each solid is a line with round ends, dark below and
// coloured above; the heat map beside it is repainted.
const play = figure => {
  const data = JSON.parse(figure.querySelector('script').textContent), frames = data.frames;
  const strip = figure.querySelector('.strip'), player = figure.querySelector('.player');
  const line = (colour, width, parent) => {
    const node = document.createElementNS('http://www.w3.org/2000/svg', 'line');
    node.setAttribute('stroke', colour);
    node.setAttribute('stroke-width', width);
    node.setAttribute('stroke-linecap', 'round');
    parent.append(node);
    return node;
  };
  const place = (node, [x1, y1, x2, y2]) => {
    node.setAttribute('x1', x1);
    node.setAttribute('y1', y1);
    node.setAttribute('x2', x2);
    node.setAttribute('y2', y2);
  };
  const stage = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  stage.classList.add('stage');
  stage.setAttribute('role', 'img');
  stage.setAttribute('aria-label', strip.querySelector('title').textContent);
  player.prepend(stage);
  const thin = data.width / 400;
  for (const ends of data.floor) place(line('#E3E3E3', thin, stage), ends);
  const solids = data.radius.map((radius, i) => {
    const group = document.createElementNS('http://www.w3.org/2000/svg', 'g');
    stage.append(group);
    return {group, nodes: [line('#000000', 2 * radius + 4 * thin, group),
                           line(i ? '#56B4E9' : '#0072B2', 2 * radius, group)]};
  });
  const cells = all(player, '[data-cell]').map(mark => {
    const [row, column] = mark.dataset.cell.split(' ').map(Number);
    return {row, column, mark, rect: mark.querySelector('rect'), text: mark.querySelector('text'),
            words: mark.getAttribute('aria-label').replace(/[^:]*$/, '')};
  });
  const columns = 1 + Math.max(-1, ...cells.map(cell => cell.column));
  const show = i => {
    const frame = frames[i];
    stage.setAttribute('viewBox', [frame.at[0] - data.width / 2, frame.at[1] - data.height / 2,
                                   data.width, data.height].join(' '));
    solids.forEach(({nodes}, k) => {
      for (const node of nodes) place(node, frame.solids.slice(4 * k, 4 * k + 4));
    });
    for (const k of frame.order ?? []) stage.append(solids[k].group);
    for (const cell of cells) {
      const value = frame.belief[cell.row * columns + cell.column] / 1000;
      cell.rect.setAttribute('fill-opacity', value);
      if (cell.text) {
        cell.text.textContent = value.toFixed(2);
        cell.text.setAttribute('fill', value > 0.5 ? '#FFFFFF' : '#000000');
      }
      cell.mark.setAttribute('aria-label', cell.words + ' ' + value);
    }
    const total = frame.total === null ? '?' : (frame.total / 100).toFixed(1);
    return `t = ${frame.t} (${(frame.t * data.seconds).toFixed(2)} s), return ${total}, ` +
        `entropy ${(frame.entropy / 1000).toFixed(2)}`;
  };
  strip.hidden = true;
  player.hidden = false;
  const pace = frames.length > 1 ? data.seconds * (frames[1].t - frames[0].t) : 1;
  // Slower than life where that is too fast to see.
  const bar = controls(figure, frames.length - 1, 0, Math.max(pace, 0.03), show);
  figure.insertBefore(bar, figure.querySelector('figcaption'));
};
for (const figure of all(document, '.replay')) play(figure);

for (const figure of all(document, 'figure:not(.replay)')) {
  const timed = all(figure, '[data-t]');
  if (!timed.length) continue;
  const last = Math.max(...timed.map(node => Number(node.dataset.t)));
  const bar = controls(figure, last, last, Math.min(0.5, 8 / (last + 1)), t => {
    for (const node of timed) node.classList.toggle('later', Number(node.dataset.t) > t);
    return 't = ' + t;
  });
  figure.insertBefore(bar, figure.querySelector('figcaption'));
}
})();
)js";

}  // namespace bpo::report
