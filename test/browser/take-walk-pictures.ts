/*
 * npm run screenshots -- --walk [--before CHECKOUT] [NAME…]: takes the pictures of docs/console-walk.md, of this console
 * as NAME-after.png, or of a built checkout of an older commit as NAME-before.png.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { finishCommand, spawnBurgee } from '../support/burgee-command.ts';
import { type Lifetime, withLifetime } from '../support/lifetime.ts';
import { repositoryRoot } from '../support/repository-root.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { chooseByName } from './support/choose-by-name.ts';
import { type ConsoleStage, type ConsoleWindow, setStage } from './support/console-stage.ts';
import { makeSmall } from './support/make-small.ts';
import { owner, signIn } from './support/sign-in.ts';
import { type WalkPlace, type WalkScene, walkScenes } from './support/walk-scenes.ts';
import { editor, viewer, walkWorld } from './support/walk-world.ts';

const folder = join(repositoryRoot(), 'docs', 'screenshots', 'walk');
const margin = 12;
const sizes = { wide: { width: 1200, height: 860 }, 390: { width: 390, height: 844 } } as const;
const people = { owner, editor, viewer } as const;

interface Provisioned {
  readonly projects: Readonly<
    Record<string, { readonly id: string; readonly flags: Readonly<Record<string, string>> }>
  >;
}

function idsOf({ projects }: Provisioned): Record<string, string> {
  const pairs = Object.entries(projects).flatMap(([name, { id, flags }]) => [
    [name, id] as const,
    ...Object.entries(flags).map(([flag, flagId]) => [`${name}/${flag}`, flagId] as const),
  ]);
  return Object.fromEntries(pairs);
}

async function setWalk(t: Lifetime, checkout: string): Promise<WalkPlace> {
  const [dataDir, scratch] = [temporaryDirectory(t), temporaryDirectory(t)];
  const spawn: typeof spawnBurgee = (args, settings, before) => spawnBurgee(args, settings, before, checkout);
  const file = join(scratch, 'world.json');
  writeFileSync(file, JSON.stringify(walkWorld));
  const applied = await finishCommand(spawn(['apply', file, '--data-dir', dataDir]));
  if (applied.code !== 0) throw new Error(applied.stderr);
  const stage = await setStage(t, { dataDir, spawn });
  return { t, stage, ids: idsOf(JSON.parse(applied.stdout) as Provisioned) };
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The smallest rectangle with all of them, as far as the window shows it. */
async function clipOf(page: Page, shown: readonly Locator[]) {
  const boxes: Box[] = [];
  for (const locator of shown) {
    const box = await locator.first().boundingBox();
    if (box !== null && box.width > 0 && box.height > 0) boxes.push(box);
  }
  const size = page.viewportSize() ?? sizes.wide;
  const edge = (least: (box: Box) => number) => boxes.map(least);
  const x = Math.max(0, Math.min(...edge((box) => box.x)) - margin);
  const y = Math.max(0, Math.min(...edge((box) => box.y)) - margin);
  const right = Math.min(size.width, Math.max(...edge((box) => box.x + box.width)) + margin);
  const bottom = Math.min(size.height, Math.max(...edge((box) => box.y + box.height)) + margin);
  return { x, y, width: right - x, height: bottom - y };
}

async function windowFor(stage: ConsoleStage, { by, width }: WalkScene): Promise<ConsoleWindow> {
  const window = await stage.window({ viewport: sizes[width ?? 'wide'] });
  await signIn(window, people[by ?? 'owner']);
  await window.page.getByRole('heading', { level: 1, name: 'Flags' }).waitFor();
  return window;
}

async function takeOne(place: WalkPlace, scene: WalkScene, side: 'before' | 'after'): Promise<string> {
  const { page } = await windowFor(place.stage, scene);
  const take = side === 'before' ? scene.before : (scene.now ?? scene.before);
  const shown = await take(page, place);
  const pictured = shown[0]?.page() ?? page;
  await pictured.mouse.move(0, 0);
  await pictured.waitForTimeout(300);
  const file = `${scene.name}-${side}.png`;
  const clip = await clipOf(pictured, shown);
  await pictured.screenshot({ path: join(folder, file), clip, animations: 'disabled', caret: 'hide' });
  await page.context().close();
  return file;
}

async function takeAll(t: Lifetime, checkout: string | null, names: readonly string[]): Promise<number> {
  const scenes = chooseByName(walkScenes, names);
  const place = await setWalk(t, checkout ?? repositoryRoot());
  const files: string[] = [];
  let failed = 0;
  for (const scene of scenes) {
    try {
      files.push(await takeOne(place, scene, checkout === null ? 'after' : 'before'));
      console.log(scene.name);
    } catch (error) {
      failed += 1;
      console.error(`${scene.name}: ${error instanceof Error ? error.message : error}`);
    }
  }
  makeSmall(folder, files);
  return failed;
}

const [, ...words] = process.argv.slice(2);
const isBefore = words[0] === '--before';
const checkout = isBefore ? (words[1] ?? '') : null;
mkdirSync(folder, { recursive: true });
const failed = await withLifetime((t) => takeAll(t, checkout, isBefore ? words.slice(2) : words));
process.exitCode = failed === 0 ? 0 : 1;
