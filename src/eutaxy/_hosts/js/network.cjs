"use strict";
/**
 * A second wall around the machine. User code cannot reach Node's network modules in the first
 * place, and Node's permission model closes files, processes, workers and add-ons; before Node 25
 * it leaves the network open, so the calls that would use it are taken out as well.
 */

const dgram = require("node:dgram");
const dns = require("node:dns");
const net = require("node:net");

/** @returns {never} */
function refuse() {
  throw new Error("the network of the machine is closed to code under check");
}

function closeNetwork() {
  net.Socket.prototype.connect = refuse;
  net.Server.prototype.listen = refuse;
  for (const name of ["bind", "connect", "send"]) Reflect.set(dgram.Socket.prototype, name, refuse);
  for (const module of [dns, dns.promises]) {
    for (const [name, value] of Object.entries(module)) {
      if (typeof value === "function" && /^(lookup|resolve|reverse)/.test(name)) {
        Reflect.set(module, name, refuse);
      }
    }
  }
}

module.exports = { closeNetwork };
