import type { Scrape } from '../admin/admin-fixture.ts';

/** Resources that requests take, and give back when they end. */
const taken = [
  'burgee_management_requests_in_flight',
  'burgee_console_requests_in_flight',
  'burgee_writer_queue_depth',
  'burgee_writer_queue_bytes',
  'burgee_long_answers_in_flight',
  'burgee_unsent_answer_bytes',
  'burgee_pinned_snapshots',
  'burgee_body_bytes',
];

/** @returns the resources that are still held, and how much of each; empty if none is */
export function stillTaken(scrape: Scrape): string {
  const held = taken.map((name) => [name, scrape.value(name)] as const).filter(([, value]) => value !== 0);
  return held.map(([name, value]) => `${name} is ${value}`).join(', ');
}
