"use strict";
/**
 * Values that cross between user code and the model: the tagged JSON of
 * `src/eutaxy/_base/value.py`. What comes out of `decode` is always fresh, as after a structured
 * clone; what cannot be cloned makes `encode` throw `NotCloneable`.
 */

const { Buffer } = require("node:buffer");
const { types } = require("node:util");
const { StoredStream, replay } = require("./streams.cjs");

const NativeDate = Date;
const { parse, stringify } = JSON;

/** Error classes that keep their class when they cross; every other error becomes a plain Error. */
const ERROR_CLASSES = new Map(
  [EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError, AggregateError].map(
    (each) => [each.name, each],
  ),
);
const NativeDOMException = DOMException;

/** Classes of binary data by the name that the codec gives them. */
const BYTES_CLASSES = new Map(
  /** @type {any[]} */ ([
    Int8Array,
    Uint8Array,
    Uint8ClampedArray,
    Int16Array,
    Uint16Array,
    Int32Array,
    Uint32Array,
    Float32Array,
    Float64Array,
    BigInt64Array,
    BigUint64Array,
    DataView,
  ]).map((each) => [each.name, each]),
);
// Node 24 has it, Node 20 does not.
const float16 = Reflect.get(globalThis, "Float16Array");
if (float16) BYTES_CLASSES.set("Float16Array", float16);

/** Says what in a value cannot be cloned. */
class NotCloneable extends Error {
  /** @param {string} what */
  constructor(what) {
    super(`${what} could not be cloned.`);
    this.what = what;
  }
}

/**
 * @param {unknown} value
 * @param {{functionsAsObjects?: boolean}} [options] functionsAsObjects: write functions and symbols
 *   as `{}` (for step configurations, where they are merely of a wrong type)
 * @returns {string} canonical text
 */
function encode(value, options = {}) {
  return new Encoder(options.functionsAsObjects === true).write(value);
}

class Encoder {
  /** @param {boolean} functionsAsObjects */
  constructor(functionsAsObjects) {
    this.functionsAsObjects = functionsAsObjects;
    /** @type {Map<object, number>} */
    this.met = new Map();
  }

  /**
   * @param {any} value
   * @returns {string}
   */
  write(value) {
    switch (typeof value) {
      case "string":
        return stringify(value);
      case "boolean":
        return value ? "true" : "false";
      case "undefined":
        return '{"$":"undefined"}';
      case "number":
        if (Number.isFinite(value) && !Object.is(value, -0)) return String(value);
        return `{"$":"number","of":"${Object.is(value, -0) ? "-0" : value}"}`;
      case "bigint":
        return `{"$":"bigint","of":"${value}"}`;
      case "function":
      case "symbol":
        if (this.functionsAsObjects) return "{}";
        throw new NotCloneable(
          typeof value === "symbol" ? String(value) : `function ${value.name || "(anonymous)"}`,
        );
      default:
        return value === null ? "null" : this.writeObject(value);
    }
  }

  /**
   * @param {any} value
   * @returns {string}
   */
  writeObject(value) {
    if (types.isProxy(value)) throw new NotCloneable("a Proxy");
    const earlier = this.met.get(value);
    if (earlier !== undefined) return `{"$":"ref","to":${earlier}}`;
    this.met.set(value, this.met.size);
    if (Array.isArray(value)) return this.writeList(value);
    if (types.isNativeError(value) || value instanceof NativeDOMException) {
      return this.writeError(value);
    }
    if (types.isDate(value)) {
      const time = NativeDate.prototype.getTime.call(value);
      return `{"$":"date","of":${Number.isNaN(time) ? "null" : time}}`;
    }
    if (types.isMap(value)) {
      const pairs = [...value].map(([key, item]) => `[${this.write(key)},${this.write(item)}]`);
      return `{"$":"map","of":[${pairs.join(",")}]}`;
    }
    if (types.isSet(value)) {
      return `{"$":"set","of":[${[...value].map((item) => this.write(item)).join(",")}]}`;
    }
    if (types.isArrayBuffer(value) || ArrayBuffer.isView(value)) return writeBytes(value);
    if (value instanceof StoredStream) return writeStream(value);
    if (types.isBoxedPrimitive(value) && !types.isSymbolObject(value)) {
      return `{"$":"boxed","of":${this.write(value.valueOf())}}`;
    }
    if (types.isRegExp(value)) {
      return `{"$":"regexp","source":${stringify(value.source)},"flags":${stringify(value.flags)}}`;
    }
    const prototype = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) {
      throw new NotCloneable(nameOfInstance(value));
    }
    return this.writeMembers(value);
  }

  /**
   * @param {unknown[]} list
   * @returns {string}
   */
  writeList(list) {
    const items = [];
    for (let index = 0; index < list.length; index += 1) items.push(this.write(list[index]));
    return `[${items.join(",")}]`;
  }

  /**
   * @param {Record<string, unknown>} value
   * @returns {string}
   */
  writeMembers(value) {
    const keys = Object.keys(value);
    if (keys.includes("$")) {
      const pairs = keys.map((key) => `[${stringify(key)},${this.write(value[key])}]`);
      return `{"$":"object","of":[${pairs.join(",")}]}`;
    }
    return `{${keys.map((key) => `${stringify(key)}:${this.write(value[key])}`).join(",")}}`;
  }

  /**
   * Own properties that cannot be cloned are left out: an error must not be replaced by the news
   * that one of its decorations cannot cross.
   *
   * @param {any} error
   * @returns {string}
   */
  writeError(error) {
    let text = `{"$":"error","name":${stringify(String(error.name))}`;
    text += `,"message":${stringify(String(error.message))}`;
    const kind = errorClass(error);
    if (kind !== null) text += `,"class":${stringify(kind)}`;
    const members = [];
    for (const key of Object.getOwnPropertyNames(error)) {
      if (key === "stack" || key === "name" || key === "message") continue;
      const met = new Map(this.met);
      try {
        members.push(`${stringify(key)}:${this.write(error[key])}`);
      } catch (problem) {
        if (!(problem instanceof NotCloneable)) throw problem;
        this.met = met;
      }
    }
    return members.length === 0 ? `${text}}` : `${text},"of":{${members.join(",")}}}`;
  }
}

/**
 * @param {any} error
 * @returns {string | null} name of the built-in class; null for Error itself
 */
function errorClass(error) {
  if (error instanceof NativeDOMException) return "DOMException";
  for (const [name, each] of ERROR_CLASSES) if (error instanceof each) return name;
  return null;
}

/**
 * @param {ArrayBuffer | ArrayBufferView} value
 * @returns {string}
 */
function writeBytes(value) {
  const [buffer, start, length] = ArrayBuffer.isView(value)
    ? [value.buffer, value.byteOffset, value.byteLength]
    : [value, 0, value.byteLength];
  if (types.isSharedArrayBuffer(buffer)) throw new NotCloneable("a SharedArrayBuffer");
  const name = ArrayBuffer.isView(value) ? viewName(value) : "ArrayBuffer";
  const text = Buffer.from(buffer, start, length).toString("base64");
  return `{"$":"bytes","as":"${name}","of":"${text}"}`;
}

/**
 * @param {StoredStream} stream
 * @returns {string}
 */
function writeStream({ bytes, isText }) {
  const chunks = isText ? ',"chunks":"text"' : "";
  return `{"$":"stream","of":"${bytes.toString("base64")}"${chunks}}`;
}

/**
 * @param {any} view
 * @returns {string}
 */
function viewName(view) {
  for (const [name, each] of BYTES_CLASSES) if (view instanceof each) return name;
  throw new NotCloneable(nameOfInstance(view));
}

/**
 * @param {any} value
 * @returns {string}
 */
function nameOfInstance(value) {
  const name = value?.constructor?.name;
  return typeof name === "string" && name !== "" ? `an object of class ${name}` : "an object";
}

/**
 * @param {string} text canonical text
 * @returns {any} a fresh value
 */
function decode(text) {
  const tree = parse(text);
  return text.includes('"$"') ? new Decoder().read(tree) : tree;
}

class Decoder {
  constructor() {
    /** @type {object[]} */
    this.met = [];
  }

  /**
   * @param {any} tree
   * @returns {any}
   */
  read(tree) {
    if (typeof tree !== "object" || tree === null) return tree;
    if (Array.isArray(tree)) {
      const list = this.meet(/** @type {any[]} */ ([]));
      for (const item of tree) list.push(this.read(item));
      return list;
    }
    if (Object.hasOwn(tree, "$")) return this.readTagged(tree);
    return this.readMembers(this.meet({}), Object.entries(tree));
  }

  /**
   * @template {object} T
   * @param {T} object
   * @returns {T}
   */
  meet(object) {
    this.met.push(object);
    return object;
  }

  /**
   * @param {any} target
   * @param {[string, any][]} pairs
   * @returns {any}
   */
  readMembers(target, pairs) {
    for (const [key, item] of pairs) {
      const value = this.read(item);
      if (key === "__proto__") {
        Object.defineProperty(target, key, {
          value,
          writable: true,
          enumerable: true,
          configurable: true,
        });
      } else {
        target[key] = value;
      }
    }
    return target;
  }

  /**
   * @param {any} tree
   * @returns {any}
   */
  readTagged(tree) {
    switch (tree.$) {
      case "undefined":
        return undefined;
      case "number":
        return Number(tree.of);
      case "bigint":
        return BigInt(tree.of);
      case "date":
        return this.meet(new NativeDate(tree.of === null ? NaN : tree.of));
      case "map": {
        const map = this.meet(new Map());
        for (const [key, item] of tree.of) {
          const readKey = this.read(key);
          map.set(readKey, this.read(item));
        }
        return map;
      }
      case "set": {
        const set = this.meet(new Set());
        for (const item of tree.of) set.add(this.read(item));
        return set;
      }
      case "bytes":
        return this.meet(readBytes(tree));
      case "regexp":
        return this.meet(new RegExp(tree.source, tree.flags));
      case "stream":
        return this.meet(replay(Buffer.from(tree.of, "base64")));
      case "boxed":
        return this.meet(Object(this.read(tree.of)));
      case "error":
        return this.readError(tree);
      case "object":
        return this.readMembers(this.meet({}), tree.of);
      case "ref":
        return this.met[tree.to];
      default:
        throw new Error(`no value has the tag ${stringify(tree.$)}`);
    }
  }

  /**
   * @param {any} tree
   * @returns {any}
   */
  readError(tree) {
    const error = this.meet(newError(tree));
    for (const [key, item] of Object.entries(tree.of ?? {})) {
      const enumerable = key !== "cause" && key !== "errors";
      Object.defineProperty(error, key, {
        value: this.read(item),
        writable: true,
        configurable: true,
        enumerable,
      });
    }
    return error;
  }
}

/**
 * @param {{name: string, message: string, class?: string}} tree
 * @returns {any}
 */
function newError(tree) {
  if (tree.class === "DOMException") return new NativeDOMException(tree.message, tree.name);
  const Class = /** @type {any} */ (ERROR_CLASSES.get(tree.class ?? "") ?? Error);
  const error =
    tree.class === "AggregateError"
      ? new AggregateError([], tree.message)
      : new Class(tree.message);
  const hidden = { writable: true, configurable: true, enumerable: false };
  if (error.name !== tree.name)
    Object.defineProperty(error, "name", { value: tree.name, ...hidden });
  // Where the host decoded it says nothing about user code.
  const stack = tree.message === "" ? tree.name : `${tree.name}: ${tree.message}`;
  Object.defineProperty(error, "stack", { value: stack, ...hidden });
  return error;
}

/**
 * @param {{as: string, of: string}} tree
 * @returns {any}
 */
function readBytes(tree) {
  const bytes = Buffer.from(tree.of, "base64");
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  if (tree.as === "ArrayBuffer") return buffer;
  const Class = BYTES_CLASSES.get(tree.as);
  if (Class === undefined) throw new Error(`no binary data has the class ${tree.as}`);
  return new Class(buffer);
}

module.exports = { NotCloneable, decode, encode };
