// The logic of data/panels/frame.js, without a browser: node --test tests/integration/frame.test.mjs
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

const source = await readFile(new URL("../../data/panels/frame.js", import.meta.url), "utf-8");
const { default: widget, linesInView, makeQueue, stepTo, turnsBetween } =
  await import(`data:text/javascript,${encodeURIComponent(source)}`);

// A kernel that answers when it is told to.
function makeKernel() {
  const sent = [];
  const kernel = { sent, view: 0, queue: makeQueue((...act) => sent.push(act) - 1, () => kernel.view) };
  return kernel;
}

test("the first decision is sent at once, the next ones when the view that they are meant for is shown", () => {
  const kernel = makeKernel(), { sent, queue: own } = kernel, shows = (view) => { kernel.view = view; };
  for (const key of ["yes", "no", "unsure"]) own.next("decide", key);
  assert.deepEqual(sent, [["decide", "yes"]]);
  own.next();  // something was drawn, but the kernel has not answered
  assert.equal(sent.length, 1);
  own.done(0, 1);  // it has answered; its view is not shown yet
  assert.equal(sent.length, 1);
  shows(1);
  own.next();
  assert.deepEqual(sent.at(-1), ["decide", "no"]);
  shows(2);  // the view comes before the answer
  own.next();
  assert.equal(sent.length, 2);
  own.done(1, 2);
  assert.deepEqual(sent.at(-1), ["decide", "unsure"]);
  own.done(2, 2);  // not saved: the view stays
  assert.equal(own.busy(), false);
});

test("sixteen quick decisions are sixteen acts in their order, each for another view", () => {
  const kernel = makeKernel(), keys = [...Array(16).keys()];
  keys.forEach((key) => kernel.queue.next("decide", key));
  for (const key of keys) {
    assert.equal(kernel.sent.length, key + 1);
    kernel.queue.done(key, key + 1);
    kernel.view = key + 1;
    kernel.queue.next();
  }
  assert.deepEqual(kernel.sent.map(([, key]) => key), keys);
  assert.equal(kernel.queue.busy(), false);
});

test("an answer to an act of another kind does not free the queue", () => {
  const kernel = makeKernel();
  kernel.queue.next("decide", "yes");
  kernel.queue.next("decide", "no");
  kernel.queue.done(7, 9);
  assert.equal(kernel.sent.length, 1);
});

test("steps stop at the ends of the list", () => {
  assert.equal(stepTo(3, 1, 5), 4);
  assert.equal(stepTo(4, 1, 5), null);
  assert.equal(stepTo(0, -1, 5), null);
  assert.equal(stepTo(2, 1e9, 5), 4);
  assert.equal(stepTo(2, -1e9, 5), 0);
  assert.equal(stepTo(-1, 1, 5), 0);  // nothing is in view yet
  assert.equal(stepTo(-1, 1, 0), null);
});

test("a list of ten thousand draws the lines around those in view", () => {
  assert.deepEqual(linesInView(0, 540, 10_000), [0, 18]);
  assert.deepEqual(linesInView(54 * 9000, 540, 10_000), [8996, 9014]);
  assert.deepEqual(linesInView(0, 540, 3), [0, 3]);
});

test("a stretch of a chart chooses its turns, in either direction; a click chooses none", () => {
  const stops = [[10, 1], [30, 2], [50, 3], [70, 4]];
  assert.equal(turnsBetween(stops, 25, 55), "2-3");
  assert.equal(turnsBetween(stops, 55, 25), "2-3");
  assert.equal(turnsBetween(stops, 0, 100), "1-4");
  assert.equal(turnsBetween(stops, 45, 55), "3");
  assert.equal(turnsBetween(stops, 31, 49), null);
  assert.equal(turnsBetween(stops, 30, 30.5), null);
});

test("the module has what a widget needs", () => assert.equal(typeof widget.render, "function"));
