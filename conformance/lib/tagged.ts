/**
 * The tagged form of values, as text-safe JSON trees: what plain JSON cannot say is an object with the
 * key `$`. It is the same form as `eutaxy._base.value` reads and writes, so that a program's log and a
 * driver's parameters mean the same to the recorder and to the model.
 */

type Tree = null | boolean | number | string | Tree[] | { [key: string]: Tree };

const BUILT_IN_ERRORS = ["EvalError", "RangeError", "ReferenceError", "SyntaxError", "TypeError", "URIError"];

/** Turn any value into a tagged tree. Functions and symbols become `{"$":"opaque"}`, which never decodes. */
export function encode(value: unknown, seen: Map<object, number> = new Map()): Tree {
  if (value === null || typeof value === "boolean" || typeof value === "string") return value;
  if (value === undefined) return { $: "undefined" };
  if (typeof value === "bigint") return { $: "bigint", of: value.toString() };
  if (typeof value === "number") {
    if (Number.isFinite(value) && !Object.is(value, -0)) return value;
    return { $: "number", of: Object.is(value, -0) ? "-0" : String(value) };
  }
  if (typeof value === "function" || typeof value === "symbol") return { $: "opaque", of: typeof value };
  const object = value as object;
  const met = seen.get(object);
  if (met !== undefined) return { $: "ref", to: met };
  seen.set(object, seen.size);
  return encodeObject(object, seen);
}

function encodeObject(object: object, seen: Map<object, number>): Tree {
  const inner = (value: unknown): Tree => encode(value, seen);
  if (Array.isArray(object)) return Array.from(object, inner);
  if (object instanceof Date) {
    const time = object.getTime();
    return { $: "date", of: Number.isNaN(time) ? null : time };
  }
  if (object instanceof Map) return { $: "map", of: [...object].map(([k, v]) => [inner(k), inner(v)]) };
  if (object instanceof Set) return { $: "set", of: [...object].map(inner) };
  if (object instanceof RegExp) return { $: "regexp", source: object.source, flags: object.flags };
  if (object instanceof ArrayBuffer) return bytesTree("ArrayBuffer", new Uint8Array(object));
  if (ArrayBuffer.isView(object)) {
    const bytes = new Uint8Array(object.buffer, object.byteOffset, object.byteLength);
    return bytesTree(object.constructor.name, bytes);
  }
  if (object instanceof Error) return errorTree(object, inner);
  const entries = Object.entries(object).map(([key, item]): [string, Tree] => [key, inner(item)]);
  if (Object.hasOwn(object, "$")) return { $: "object", of: entries };
  return Object.fromEntries(entries);
}

function bytesTree(as: string, bytes: Uint8Array): Tree {
  return { $: "bytes", as, of: btoa(String.fromCharCode(...bytes)) };
}

function errorTree(error: Error, inner: (value: unknown) => Tree): Tree {
  const tree: { [key: string]: Tree } = { $: "error", name: error.name, message: error.message };
  const builtIn = BUILT_IN_ERRORS.find((name) => error.constructor.name === name);
  if (builtIn !== undefined) tree.class = builtIn;
  const own = Object.entries(error).filter(([key]) => !["name", "message", "stack"].includes(key));
  if (own.length > 0) tree.of = Object.fromEntries(own.map(([key, item]) => [key, inner(item)]));
  return tree;
}

/** Turn a tagged tree back into the value it describes. */
export function decode(tree: unknown, met: unknown[] = []): unknown {
  if (tree === null || typeof tree !== "object") return tree;
  if (Array.isArray(tree)) {
    const list: unknown[] = [];
    met.push(list);
    for (const item of tree) list.push(decode(item, met));
    return list;
  }
  const tagged = tree as { $?: string; [key: string]: unknown };
  if (tagged.$ === undefined) return decodeEntries(Object.entries(tagged), met);
  switch (tagged.$) {
    case "undefined":
      return undefined;
    case "bigint":
      return BigInt(tagged.of as string);
    case "number":
      return Number(tagged.of);
    case "ref":
      return met[tagged.to as number];
    case "object":
      return decodeEntries(tagged.of as [string, unknown][], met);
    case "map":
      return decodeMap(tagged.of as [unknown, unknown][], met);
    case "set":
      return decodeSet(tagged.of as unknown[], met);
    default:
      return decodeLeaf(tagged, met);
  }
}

function decodeEntries(entries: [string, unknown][], met: unknown[]): object {
  const object: Record<string, unknown> = {};
  met.push(object);
  for (const [key, item] of entries) object[key] = decode(item, met);
  return object;
}

function decodeMap(entries: [unknown, unknown][], met: unknown[]): Map<unknown, unknown> {
  const map = new Map<unknown, unknown>();
  met.push(map);
  for (const [key, item] of entries) {
    const decodedKey = decode(key, met);
    map.set(decodedKey, decode(item, met));
  }
  return map;
}

function decodeSet(items: unknown[], met: unknown[]): Set<unknown> {
  const set = new Set<unknown>();
  met.push(set);
  for (const item of items) set.add(decode(item, met));
  return set;
}

function decodeLeaf(tagged: { $?: string; [key: string]: unknown }, met: unknown[]): unknown {
  const leaf = leafValue(tagged);
  met.push(leaf);
  return leaf;
}

function leafValue(tagged: { $?: string; [key: string]: unknown }): unknown {
  if (tagged.$ === "date") return new Date(tagged.of === null ? NaN : (tagged.of as number));
  if (tagged.$ === "regexp") return new RegExp(tagged.source as string, tagged.flags as string);
  if (tagged.$ === "bytes") {
    const bytes = Uint8Array.from(atob(tagged.of as string), (letter) => letter.charCodeAt(0));
    if (tagged.as === "Uint8Array") return bytes;
    if (tagged.as === "ArrayBuffer") return bytes.buffer;
  }
  throw new Error(`a driver file holds a value that cannot be decoded here: ${JSON.stringify(tagged)}`);
}
