/*
 * The script of the pages that `cotree report`, `cotree diff` and `cotree crash` write (--format=html).
 * The Makefile joins its files: elements.js comes first, page.js last. The data are in islands
 * (report/html.h): compressed pieces of the page, each of which is unpacked when it is first needed.
 * Text that comes from the user's files is set by textContent, never as markup.
 */
'use strict';
const byId = id => document.getElementById(id);
const SVG = 'http://www.w3.org/2000/svg';
const LINE = 20; /* the height of a line of source in pixels, as in page.css */

/* ---- Elements, numbers ---- */

function fill(element, attributes, children) {
  for (const name in attributes) {
    const value = attributes[name];
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : value);
  }
  for (const child of children)
    if (child !== null && child !== undefined && child !== false) element.append(child);
  return element;
}
const make = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const draw = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

/* A count is a number; a string of digits where a number would not be exact; null if it is not known. */
const thousands = new Intl.NumberFormat('en-US');
const MOST = (1n << 63n) - 1n;
const shown = count => count === null || count === undefined ? '?' : thousands.format(typeof count === 'string' ? BigInt(count) : count);
function add(a, b) {
  if (a === null || b === null) return null;
  if (Number(a) + Number(b) < 2 ** 53) return Number(a) + Number(b);
  const sum = BigInt(a) + BigInt(b);
  return String(sum > MOST ? MOST : sum);
}
function percent(part, whole) {
  part = Number(part); whole = Number(whole);
  if (part >= whole) return '100%';
  if (part === 0) return '0%';
  const value = 100 * part / whole;
  return value > 99.9 ? '>99.9%' : value < 0.1 ? '<0.1%' : value.toFixed(1) + '%';
}
const plural = (n, word) => shown(n) + ' ' + word + (n === 1 ? '' : 's');
const percentWord = (part, whole) => make('span', {class: 'percent'}, percent(part, whole));
const bar = (value, most) => make('progress', {max: Number(most) || 1, value: Number(value), 'aria-hidden': 'true'});

/* ---- Islands ---- */

const parsed = new Promise(done => {
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', done, {once: true});
  else done();
});
async function unpack(number) {
  let element = byId('i' + number);
  if (!element || !element.nextSibling) { /* the browser has not read all of the island yet */
    await parsed;
    element = byId('i' + number);
  }
  const text = element.textContent;
  let bytes;
  if (Uint8Array.fromBase64) bytes = Uint8Array.fromBase64(text);
  else {
    const binary = atob(text);
    bytes = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  }
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw')));
}
const kept = new Map();
function island(number) {
  if (!kept.has(number)) kept.set(number, unpack(number).then(response => response.json()));
  return kept.get(number);
}
