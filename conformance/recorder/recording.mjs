// The committed form of what was observed: normalised, written one fact per line, and compared.

const NOT_STABLE = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "<uuid>"],
  [/\b[0-9a-f]{64}\b/g, "<object id>"],
];

/** A copy in which everything that differs from run to run without meaning is replaced by a name for it. */
export function normalise(observed) {
  const text = NOT_STABLE.reduce((done, [pattern, name]) => done.replaceAll(pattern, name), JSON.stringify(observed));
  return JSON.parse(text);
}

/** Things without an order of their own, in the order of their text. */
export function inAnyOrder(things) {
  const texts = things.map((thing) => JSON.stringify(normalise(thing)));
  return texts.sort().map((text) => JSON.parse(text));
}

/** The text of a recording: JSON, with every call and every outcome on a line of its own. */
export function write(recording) {
  return `${layOut(recording, 0)}\n`;
}

function layOut(value, depth) {
  if (value === null || typeof value !== "object" || depth >= 3) return JSON.stringify(value);
  const pad = "  ".repeat(depth + 1);
  const close = "  ".repeat(depth);
  if (Array.isArray(value)) {
    if (value.length === 0) return "[]";
    return `[\n${value.map((item) => pad + JSON.stringify(item)).join(",\n")}\n${close}]`;
  }
  const entries = Object.entries(value);
  if (entries.length === 0) return "{}";
  const lines = entries.map(([key, item]) => `${pad}${JSON.stringify(key)}: ${layOut(item, depth + 1)}`);
  return `{\n${lines.join(",\n")}\n${close}}`;
}

/** Where two recordings of one program differ, as lines to print; the version of Node does not count. */
export function compare(before, after) {
  const withoutNode = ({ engine: { node: _, ...engine }, ...rest }) => ({ ...rest, engine });
  return differences(withoutNode(before), withoutNode(after));
}

function differences(before, after, path = "") {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (Array.isArray(before) && Array.isArray(after)) return [firstDifference(before, after, path)];
  if (!isTree(before) || !isTree(after)) return [`${path || "(all)"}: ${shown(before)} is now ${shown(after)}`];
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const found = keys.flatMap((key) => differences(before[key], after[key], path === "" ? key : `${path}.${key}`));
  return found.length > 0 ? found : [`${path}: the same keys in another order`];
}

/** In a list, what comes after the first difference is mostly shifted; it is not told. */
function firstDifference(before, after, path) {
  const same = (item, index) => JSON.stringify(item) === JSON.stringify(after[index]);
  const index = before.findIndex((item, at) => !same(item, at));
  const at = index === -1 ? before.length : index;
  return `${path}[${at}]: ${shown(before[at])} is now ${shown(after[at])}`;
}

function isTree(value) {
  return value !== null && typeof value === "object";
}

function shown(value) {
  return value === undefined ? "nothing" : JSON.stringify(value);
}
