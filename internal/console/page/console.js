'use strict';

// What the server sends is put in as text, never as markup.

const token = document.querySelector('meta[name=reeve-token]').content;
const $ = (id) => document.getElementById(id);
const shown = new Map(); // by question: its article, and when it was drawn

// A card that has just come or moved may have slid under a finger: an answer
// counts only when the page has stood still for a moment.
const still = 500;
let moved = performance.now();

function text(parent, selector, value) {
  const e = parent.querySelector(selector);
  e.textContent = value;
  return e;
}

function plural(n, one, many) { return n === 1 ? '1 ' + one : n.toLocaleString('en') + ' ' + many; }

function span(seconds) {
  if (seconds < 60) return plural(Math.floor(seconds), 'second', 'seconds');
  return plural(Math.floor(seconds / 60), 'minute', 'minutes');
}

function draw(c) {
  const e = $('card').content.firstElementChild.cloneNode(true);
  e.dataset.id = c.id;
  e.classList.toggle('destructive', !!c.destructive);
  text(e, '.title', c.title).id = 'title-' + c.id;
  e.setAttribute('aria-labelledby', 'title-' + c.id);
  text(e, '.path', c.path);
  for (const line of c.body) e.querySelector('.body').append(paragraph(line));
  if (c.detail) change(e, c);
  e.querySelector('.own').hidden = !c.ownerOnly;
  e.querySelector('.minutes').hidden = !c.lasting;
  const drawn = performance.now();
  const tick = () => {
    const passed = (performance.now() - drawn) / 1000;
    const age = c.age + passed;
    text(e, '.from', 'Asked by ' + c.agent + ' ' + (age < 5 ? 'just now. ' : span(age) + ' ago. ') +
      (c.left > passed ? 'It can be answered for ' + span(c.left - passed) + ' more.' : 'Its time is over.'));
  };
  tick();
  e.querySelector('.allow').addEventListener('click', () => answer(e, c, true, 0));
  e.querySelector('.decline').addEventListener('click', () => answer(e, c, false, 0));
  e.querySelector('.minutes').addEventListener('click', () => answer(e, c, true, 10));
  return { e, tick };
}

function paragraph(line) {
  const p = document.createElement('p');
  p.textContent = line;
  return p;
}

// fill puts lines of a change into a box, and counts them. They are put into
// sections, so that a browser draws only those that are looked at.
function fill(box, lines) {
  let plus = 0, minus = 0, part;
  box.replaceChildren();
  lines.forEach((line, i) => {
    if (i % 400 === 0) {
      part = document.createElement('section');
      part.style.containIntrinsicBlockSize = 'auto ' + 1.45 * Math.min(400, lines.length - i) + 'em';
      box.append(part);
    }
    const d = document.createElement('div');
    d.textContent = line;
    const head = line.startsWith('+++ ') || line.startsWith('--- ');
    if (line.startsWith('@@') || head) d.className = 'place';
    else if (line.startsWith('…')) d.className = 'gap';
    else if (line.startsWith('+')) { d.className = 'plus'; plus++; }
    else if (line.startsWith('-')) { d.className = 'minus'; minus++; }
    part.append(d);
  });
  return { plus, minus };
}

function change(e, c) {
  const lines = c.detail;
  e.querySelector('.change').hidden = false;
  const box = e.querySelector('.diff');
  const { plus, minus } = fill(box, lines);
  const left = c.out || { new: 0, gone: 0 };
  text(e, '.counts', plural(plus + (left.new || 0), 'line', 'lines') + ' new, ' + plural(minus + (left.gone || 0), 'line', 'lines') + ' gone');
  const whole = e.querySelector('.whole');
  if (c.out) {
    whole.hidden = false;
    whole.textContent = left.beyond ? 'Show as much as is kept' : 'Show the whole change';
    e.querySelector('.left').hidden = false;
    text(e, '.left', 'Left out here: ' + left.words + '.' + (left.beyond ? ' This change is too large to be kept whole.' : ''));
    whole.addEventListener('click', () => load(e, c, box, whole));
    return;
  }
  whole.hidden = lines.length < 16;
  const all = 'Show all ' + lines.length.toLocaleString('en') + ' lines';
  whole.textContent = all;
  whole.addEventListener('click', () => {
    const open = box.classList.toggle('open');
    whole.textContent = open ? 'Show less' : all;
    moved = performance.now();
  });
}

// load puts all of a change in the place of the part that is shown, and back.
async function load(e, c, box, whole) {
  const say = (s) => text(e, '.left', s);
  if (whole.dataset.busy) return;
  if (box.classList.contains('all')) {
    box.classList.remove('all');
    fill(box, c.detail);
    say('Left out here: ' + c.out.words + '.' + (c.out.beyond ? ' This change is too large to be kept whole.' : ''));
    whole.textContent = c.out.beyond ? 'Show as much as is kept' : 'Show the whole change';
    moved = performance.now();
    return;
  }
  whole.dataset.busy = 'yes';
  say('Loading…');
  try {
    const r = await fetch('/change?id=' + encodeURIComponent(c.id), { headers: { 'X-Reeve-Token': token } });
    const body = await r.text();
    if (!r.ok) {
      say(r.headers.get('Content-Type').startsWith('text/plain') ? body : 'This page is closed. `reeve approve ' + c.id + ' --diff` shows the whole change.');
    } else {
      const lines = body.replace(/\n$/, '').split('\n');
      fill(box, lines);
      box.classList.add('all');
      box.scrollTop = 0;
      box.focus({ preventScroll: true });
      say(c.out.beyond ? 'This is what is kept of it: ' + plural(lines.length, 'line', 'lines') + '. The rest can’t be shown.' : 'This is the whole change: ' + plural(lines.length, 'line', 'lines') + '.');
      whole.textContent = 'Show less';
      moved = performance.now();
    }
  } catch {
    say('Reeve can’t be reached. `reeve approve ' + c.id + ' --diff` shows the whole change.');
  }
  delete whole.dataset.busy;
}

async function answer(e, c, yes, minutes) {
  const say = (s) => text(e, '.said', s);
  if (performance.now() - moved < still) {
    say('The page has just changed. Look again, then press once more.');
    return;
  }
  if (e.dataset.busy) return;
  e.dataset.busy = 'yes';
  for (const b of e.querySelectorAll('.buttons button')) b.setAttribute('aria-disabled', 'true');
  say('…');
  let reply;
  try {
    const r = await fetch('/answer', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Reeve-Token': token },
      body: JSON.stringify({ id: c.id, yes, minutes }),
    });
    reply = r.headers.get('Content-Type') === 'application/json' ? await r.json() : { said: 'This page is closed. Nothing was answered.' };
  } catch {
    reply = { said: 'Reeve can’t be reached. Whether it was answered shows when it is back.' };
  }
  say(reply.said);
  if (!reply.ok) {
    delete e.dataset.busy;
    for (const b of e.querySelectorAll('.buttons button')) b.removeAttribute('aria-disabled');
  }
}

function show(m) {
  const fault = $('fault');
  fault.hidden = !m.fault;
  fault.textContent = m.fault || '';
  if (!m.fault) {
    const now = new Set(m.cards.map((c) => c.id));
    let focus = false;
    for (const [id, s] of shown) {
      if (now.has(id)) continue;
      focus = focus || s.e.contains(document.activeElement);
      s.e.remove();
      shown.delete(id);
      moved = performance.now();
    }
    for (const c of m.cards) { // the oldest first: what is new comes below
      if (shown.has(c.id)) continue;
      const s = draw(c);
      shown.set(c.id, s);
      $('cards').append(s.e);
      moved = performance.now();
    }
    if (focus) {
      const next = $('cards').querySelector('.card');
      if (next) next.focus();
    }
  }
  const done = $('done');
  done.replaceChildren();
  for (const s of m.settled) {
    const li = document.createElement('li');
    const b = document.createElement('b');
    b.textContent = s.title + ' ' + s.said;
    const p = document.createElement('span');
    p.textContent = s.path;
    li.append(b, p);
    done.append(li);
  }
  $('settled').hidden = m.settled.length === 0;
  $('empty').hidden = shown.size > 0 || !!m.fault;
  document.title = (shown.size ? '(' + shown.size + ') ' : '') + 'Waiting · Reeve';
}

function connect() {
  const link = $('link');
  const events = new EventSource('/events');
  const say = (s, lost) => { link.textContent = s; link.classList.toggle('lost', lost); };
  events.onopen = () => say('Connected. Questions appear by themselves.', false);
  events.onmessage = (m) => show(JSON.parse(m.data));
  events.onerror = () => {
    if (events.readyState === EventSource.CLOSED) say('This page is closed. Get a new link with `reeve console`.', true);
    else say('Reeve can’t be reached. Trying again…', true);
  };
}

setInterval(() => { for (const s of shown.values()) s.tick(); }, 5000);
connect();
