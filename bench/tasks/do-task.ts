import { setTimeout as pause } from 'node:timers/promises';
import type { Device, Effort } from './effort.ts';
import { Hand, type Steps } from './hand.ts';
import { buttonOf } from './steps-before.ts';
import type { TaskStage } from './task-stage.ts';
import type { Task } from './tasks.ts';

/** The page shows nothing that the last task left, and has read everything. */
async function begin(task: Task, stage: TaskStage, device: Device): Promise<Hand> {
  const page = stage.page(device);
  // Leaving a page may ask, where a task before this one has failed.
  page.removeAllListeners('dialog');
  page.on('dialog', (asked) => void asked.accept());
  await page.goto('about:blank');
  await page.goto(`${stage.origin}${task.start(stage)}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.getByRole('navigation').or(buttonOf(page, 'Navigation')).first().waitFor();
  if (task.id === 'undo') await mistake(page);
  await pause(500);
  return new Hand(page, device);
}

/** Switches a flag by mistake: what the task takes back. */
async function mistake(page: Hand['page']): Promise<void> {
  await page.getByRole('region', { name: 'staging', exact: true }).getByRole('switch').press('Space');
  await page
    .getByRole('region', { name: 'Notifications' })
    .getByText(/is off in staging/)
    .waitFor();
}

/**
 * Does a task once.
 *
 * @throws Error unless it is done then
 */
export async function doTask(task: Task, steps: Steps, stage: TaskStage, device: Device): Promise<Effort> {
  await task.prepare?.(stage);
  const hand = await begin(task, stage, device);
  const found = await steps[task.id]?.(hand);
  const read = typeof found === 'string' ? found : '';
  const isDone = await task.isDone(stage, hand, read);
  if (!isDone) throw new Error(`${task.id} with ${device} was not done; read: ${read}`);
  return hand.effort;
}
