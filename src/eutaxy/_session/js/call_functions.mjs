/**
 * Keeps a bundled scenario loaded and calls its functions, by number, with values of the tagged
 * codec. Runs in a Node child under the permission model, and answers the frames of
 * `_session/functions.py`: `node call_functions.mjs <bundle> <read descriptor> <write descriptor>`.
 */

// First, since what follows takes the clock away.
import codec from "../../_hosts/js/codec.cjs";
import frames from "../../_hosts/js/frames.cjs";
import { declarationsOf, thrown } from "./declarations.mjs";

const [bundle, readDescriptor, writeDescriptor] = process.argv.slice(2);
const { functions } = await declarationsOf(bundle);

for (;;) {
  const question = frames.readFrame(Number(readDescriptor));
  if (question === null) process.exit(0);
  frames.writeFrame(Number(writeDescriptor), JSON.stringify(answerTo(JSON.parse(question))));
}

/** @param {{number: number, argument: string}} question */
function answerTo({ number, argument }) {
  let returned;
  try {
    returned = functions[number](codec.decode(argument));
  } catch (error) {
    return { threw: thrown(error) };
  }
  if (typeof returned?.then === "function") return { odd: "a promise" };
  try {
    return { value: codec.encode(returned) };
  } catch (error) {
    if (error instanceof codec.NotCloneable) return { odd: error.what };
    throw error;
  }
}
