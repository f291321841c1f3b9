"use strict";
/**
 * Remembers objects as they are and puts them back. Comparing is on the path of every evaluation,
 * so what a plain read can compare is compared by reading; accessors are compared by descriptor.
 *
 * Watched are the objects that code is known to patch: the global object, classes and their
 * prototypes, namespaces such as Math. Properties that someone hangs on a single method are not;
 * the second evaluation of every question is there to find what they would change.
 */

/**
 * @typedef {{target: object, prototype: object | null, keys: (string | symbol)[],
 *   dataKeys: (string | symbol)[], data: PropertyDescriptor[], accessorKeys: (string | symbol)[],
 *   accessors: PropertyDescriptor[]}} Remembered
 * @typedef {{target: object, key: string | symbol,
 *   descriptor: PropertyDescriptor | undefined}} Change
 */

const {
  defineProperty: nativeReflectDefine,
  deleteProperty,
  getOwnPropertyDescriptor,
  getPrototypeOf,
  isExtensible,
  ownKeys,
  setPrototypeOf,
} = Reflect;
const is = Object.is;

/** Objects that some snapshot remembers. @type {WeakSet<object>} */
const watched = new WeakSet();

class Snapshot {
  constructor() {
    /** @type {Map<object, Remembered>} */
    this.remembered = new Map();
    /** Whether user code changed something that cannot be put back. */
    this.isSpoilt = false;
  }

  /** @param {object} target */
  add(target) {
    if (this.remembered.has(target) || !isExtensible(target)) return;
    /** @type {Remembered} */
    const own = {
      target,
      prototype: getPrototypeOf(target),
      keys: ownKeys(target),
      dataKeys: [],
      data: [],
      accessorKeys: [],
      accessors: [],
    };
    for (const key of own.keys) {
      const descriptor = /** @type {PropertyDescriptor} */ (getOwnPropertyDescriptor(target, key));
      // What cannot change need not be watched.
      if (!descriptor.configurable && !descriptor.writable) continue;
      if ("value" in descriptor) {
        own.dataKeys.push(key);
        own.data.push(descriptor);
      } else {
        own.accessorKeys.push(key);
        own.accessors.push(descriptor);
      }
    }
    this.remembered.set(target, own);
    watched.add(target);
  }

  /**
   * Add a value, its prototype property, and the prototypes of its members that are classes.
   *
   * @param {unknown} root
   */
  addWithMembers(root) {
    if (!isObject(root)) return;
    this.add(root);
    for (const key of ownKeys(root)) {
      const descriptor = getOwnPropertyDescriptor(root, key);
      const value = descriptor?.value;
      if (!isObject(value)) continue;
      if (key === "prototype") this.add(value);
      else if (typeof value === "function" && isObject(value.prototype)) {
        this.add(value);
        this.add(value.prototype);
      }
    }
  }

  /**
   * Put everything back.
   *
   * @returns {Change[]} what was changed, to be given to `redo`
   */
  undo() {
    /** @type {Change[]} */
    const changes = [];
    for (const own of this.remembered.values()) if (!isUnchanged(own)) this.restore(own, changes);
    return changes;
  }

  /**
   * @param {Remembered} own
   * @param {Change[]} changes
   */
  restore(own, changes) {
    const { target } = own;
    const keys = new Set(own.keys);
    for (const key of ownKeys(target)) {
      if (keys.has(key)) continue;
      changes.push({ target, key, descriptor: getOwnPropertyDescriptor(target, key) });
      if (!deleteProperty(target, key)) this.isSpoilt = true;
    }
    own.dataKeys.forEach((key, index) => {
      const now = getOwnPropertyDescriptor(target, key);
      if (now !== undefined && "value" in now && is(now.value, own.data[index].value)) return;
      changes.push({ target, key, descriptor: now });
      if (!nativeReflectDefine(target, key, own.data[index])) this.isSpoilt = true;
    });
    own.accessorKeys.forEach((key, index) => {
      const now = getOwnPropertyDescriptor(target, key);
      if (now?.get === own.accessors[index].get && now?.set === own.accessors[index].set) return;
      changes.push({ target, key, descriptor: now });
      if (!nativeReflectDefine(target, key, own.accessors[index])) this.isSpoilt = true;
    });
    if (getPrototypeOf(target) !== own.prototype && !setPrototypeOf(target, own.prototype)) {
      this.isSpoilt = true;
    }
    if (!isExtensible(target)) this.isSpoilt = true;
  }
}

/**
 * Let what is defined on watched objects stay configurable, whatever the definition says: a
 * property that cannot be deleted again would cost a new process after each evaluation.
 */
function keepWatchedConfigurable() {
  const { defineProperties: nativeDefineAll, defineProperty: nativeDefine } = Object;
  /** @type {(target: any, key: any, descriptor: any) => any} */
  const ofObject = function defineProperty(target, key, descriptor) {
    return nativeDefine(target, key, loosened(target, key, descriptor));
  };
  /** @type {(target: any, key: any, descriptor: any) => boolean} */
  const ofReflect = function defineProperty(target, key, descriptor) {
    return nativeReflectDefine(target, key, loosened(target, key, descriptor));
  };
  /** @type {(target: any, descriptors: any) => any} */
  const allOfObject = function defineProperties(target, descriptors) {
    if (!watched.has(target)) return nativeDefineAll(target, descriptors);
    for (const key of ownKeys(Object(descriptors))) ofObject(target, key, descriptors[key]);
    return target;
  };
  const hidden = { writable: true, configurable: true, enumerable: false };
  nativeDefine(Object, "defineProperties", { value: allOfObject, ...hidden });
  nativeDefine(Object, "defineProperty", { value: ofObject, ...hidden });
  nativeDefine(Reflect, "defineProperty", { value: ofReflect, ...hidden });
}

/**
 * @param {object} target
 * @param {string | symbol} key
 * @param {any} descriptor
 * @returns {any}
 */
function loosened(target, key, descriptor) {
  if (!watched.has(target) || !isObject(descriptor)) return descriptor;
  const now = getOwnPropertyDescriptor(target, key);
  const isBound = now === undefined || ("configurable" in descriptor && now.configurable);
  return isBound ? { ...descriptor, configurable: true } : descriptor;
}

/**
 * Repeat changes that were undone.
 *
 * @param {Change[]} changes
 */
function redo(changes) {
  for (const { target, key, descriptor } of changes) {
    if (descriptor === undefined) deleteProperty(target, key);
    else nativeReflectDefine(target, key, descriptor);
  }
}

/**
 * @param {Remembered} own
 * @returns {boolean}
 */
function isUnchanged({ target, prototype, keys, dataKeys, data, accessorKeys, accessors }) {
  if (ownKeys(target).length !== keys.length || !isExtensible(target)) return false;
  if (getPrototypeOf(target) !== prototype) return false;
  const members = /** @type {any} */ (target);
  try {
    for (let index = 0; index < dataKeys.length; index += 1) {
      if (!is(members[dataKeys[index]], data[index].value)) return false;
    }
  } catch {
    // A getter of user code in the place of a value.
    return false;
  }
  for (let index = 0; index < accessorKeys.length; index += 1) {
    const now = getOwnPropertyDescriptor(target, accessorKeys[index]);
    if (now?.get !== accessors[index].get || now?.set !== accessors[index].set) return false;
  }
  return true;
}

/**
 * @param {unknown} value
 * @returns {value is object}
 */
function isObject(value) {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}

module.exports = { Snapshot, keepWatchedConfigurable, redo };
