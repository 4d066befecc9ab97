/*
 * Loaded with `--import` before Burgee's own code, in every thread: a node that believes in leases which are 30 s longer than
 * they are. The memory of a lease is known by its length; the lower halves of its two bounds are at these places.
 */
const leaseCells = 5;
const lowerHalves = [2, 4];
const beliefMs = 30_000;
const { store } = Atomics;

Atomics.store = ((array: Int32Array, index: number, value: number): number => {
  const isBound = array.length === leaseCells && lowerHalves.includes(index) && value > 0;
  return store(array, index, isBound ? value + beliefMs : value);
}) as typeof Atomics.store;
