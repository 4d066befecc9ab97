import { setTimeout as pause } from 'node:timers/promises';
import type { Locator, Page } from 'playwright-core';
import { actionSeconds, type Device, Effort } from './effort.ts';

const patienceMs = 20_000;
/** While a person decides, the page finishes what it began: the model has counted more time than this. */
const decidingMs = 500;
const tabsMax = 400;
const arrowsMax = 200;
/** One swipe, or turn of the wheel, moves the page by this part of the window. */
const scrolledPart = 0.8;

/** What a key does depends on it: the role, or for most buttons and links their element. */
async function kindOf(target: Locator): Promise<string> {
  const role = await target.getAttribute('role');
  if (role !== null) return role;
  const page = target.page();
  const kinds = ['button', 'a', 'input[type=radio]', 'input[type=checkbox]'];
  for (const kind of kinds) if ((await target.and(page.locator(kind)).count()) > 0) return kind;
  return 'field';
}

async function hasFocus(target: Locator): Promise<boolean> {
  return (await target.and(target.page().locator(':focus-within')).count()) > 0;
}

/** @returns how far an element is outside the window: windows across and down */
async function distanceOf(target: Locator): Promise<number> {
  const box = await target.boundingBox();
  const size = target.page().viewportSize();
  if (box === null || size === null) return 0;
  const away = (low: number, length: number, most: number): number =>
    low < 0 ? -low / most : Math.max(0, low + length - most) / most;
  return away(box.x, box.width, size.width) + away(box.y, box.height, size.height);
}

/** What a person does for each task, by its id, and what they have read where that is the task. */
export type Steps = Readonly<Record<string, (hand: Hand) => Promise<unknown>>>;

/**
 * A person's hand: does each action in a real browser and counts it. Before each press and each command the person
 * looks and decides (M); typing into the field that was just entered needs no decision, nor does repeating a key.
 */
export class Hand {
  readonly page: Page;
  readonly device: Device;
  readonly effort = new Effort();
  /** Where the hand is; a phone has its keys below the same thumb. */
  #isAtKeys: boolean;
  /** Where the pointer was pressed last, and is since, unless a phone's thumb has typed; null: nobody knows. */
  #pointer: { readonly x: number; readonly y: number } | null = null;

  constructor(page: Page, device: Device) {
    this.page = page;
    this.device = device;
    this.#isAtKeys = device === 'keyboard';
  }

  get hasKeys(): boolean {
    return this.device === 'keyboard';
  }

  /** Waits for something to show, and counts the time. */
  async awaits(target: Locator): Promise<void> {
    const began = performance.now();
    // Locator.waitFor looks twice a second after a while: this looks all the time.
    while (!(await target.first().isVisible())) {
      if (performance.now() - began > patienceMs) throw new Error(`${target} does not show`);
    }
    this.effort.waitedMs += performance.now() - began;
  }

  /** Waits for something, and reads it. */
  async reads(target: Locator): Promise<string> {
    await this.awaits(target);
    await this.#decide();
    return (await target.first().textContent()) ?? '';
  }

  /** Presses a button, a link, a tab, a switch, or enters a field. */
  async press(target: Locator): Promise<void> {
    await this.awaits(target);
    await this.#decide();
    if (this.hasKeys) await this.#pressByKeys(target.first());
    else await this.#pressByPointer(target.first());
  }

  /** Types into the field that has the focus. */
  async type(text: string): Promise<void> {
    this.#toKeys();
    await this.page.keyboard.type(text);
    this.#countKeys([...text].length);
  }

  /** Enters a field by a press, and types. */
  async fill(target: Locator, text: string): Promise<void> {
    await this.awaits(target);
    const isThere = await hasFocus(target.first());
    if (!isThere) await this.press(target);
    await this.type(text);
  }

  /** A command by key, such as `Control+k` or `Enter`. */
  async command(chord: string): Promise<void> {
    this.#toKeys();
    await this.#decide();
    await this.page.keyboard.press(chord);
    this.#countKeys(chord.split('+').length);
  }

  /** Replaces the text of a field. */
  async replace(target: Locator, text: string): Promise<void> {
    await this.press(target);
    await this.page.keyboard.press('Control+a');
    this.#countKeys(2);
    await this.type(text);
  }

  /** Chooses from a browser's own list. */
  async select(target: Locator, label: string): Promise<void> {
    await this.awaits(target);
    this.effort.charge(actionSeconds.think);
    if (this.hasKeys) {
      await this.#tabTo(target);
      await this.#pressUntil('ArrowDown', async () => (await shownIn(target)) === label);
      return;
    }
    await this.#scrollTo(target);
    this.#click(await this.#pointTo(target));
    // The list itself belongs to the system, where no script can press.
    this.effort.charge(actionSeconds.think);
    this.#click();
    this.#pointer = null;
    await target.selectOption({ label });
  }

  async #decide(): Promise<void> {
    this.effort.charge(actionSeconds.think);
    await pause(decidingMs);
  }

  /** @param isThere whether the pointer is on the target already */
  #click(isThere = false): void {
    const { point, button, home } = actionSeconds;
    if (this.device === 'mouse' && this.#isAtKeys) this.effort.charge(home);
    this.#isAtKeys = false;
    this.effort.clicks += 1;
    this.effort.charge((isThere ? 0 : point) + 2 * button);
  }

  #toKeys(): void {
    if (this.device === 'mouse' && !this.#isAtKeys) this.effort.charge(actionSeconds.home);
    this.#isAtKeys = true;
    if (this.device === 'phone') this.#pointer = null;
  }

  #countKeys(count: number): void {
    const { key, phoneKey } = actionSeconds;
    this.effort.keys += count;
    this.effort.charge(count * (this.device === 'phone' ? phoneKey : key));
  }

  async #scrollTo(target: Locator): Promise<void> {
    const windows = await distanceOf(target);
    this.effort.charge(Math.ceil(windows / scrolledPart) * actionSeconds.point);
    await target.scrollIntoViewIfNeeded();
  }

  async #pressByPointer(target: Locator): Promise<void> {
    await this.#scrollTo(target);
    this.#click(await this.#pointTo(target));
    // A switch is drawn above its own input.
    const force = ['switch', 'input[type=checkbox]'].includes(await kindOf(target));
    if (this.device === 'phone') await target.tap({ timeout: patienceMs, force });
    else await target.click({ timeout: patienceMs, force });
  }

  /** @returns whether the pointer was within the target before */
  async #pointTo(target: Locator): Promise<boolean> {
    const box = await target.boundingBox();
    const before = this.#pointer;
    if (box === null) throw new Error(`${target} has no place`);
    const { x, y, width, height } = box;
    this.#pointer = { x: x + width / 2, y: y + height / 2 };
    return (
      before !== null &&
      Math.abs(before.x - this.#pointer.x) <= width / 2 &&
      Math.abs(before.y - this.#pointer.y) <= height / 2
    );
  }

  /** Each role has its own keys: see the patterns of the ARIA Authoring Practices. */
  async #pressByKeys(target: Locator): Promise<void> {
    const isReached = () => hasFocus(target);
    switch (await kindOf(target)) {
      case 'menuitem':
      case 'option':
        await this.#pressUntil('ArrowDown', isReached);
        return this.#hit('Enter');
      case 'tab':
        await this.#tabTo(target.locator('xpath=..').getByRole('tab', { selected: true }));
        return await this.#pressUntil('ArrowRight', isReached);
      case 'input[type=radio]':
        await this.#tabTo(target.locator('xpath=ancestor::*[@role="radiogroup"][1]'));
        return await this.#pressUntil('ArrowDown', () => target.isChecked());
      case 'switch':
      case 'input[type=checkbox]':
        await this.#tabTo(target);
        return this.#hit('Space');
      case 'button':
      case 'a':
        await this.#tabTo(target);
        return this.#hit('Enter');
      default:
        return await this.#tabTo(target);
    }
  }

  async #hit(key: string): Promise<void> {
    await this.page.keyboard.press(key);
    this.#countKeys(1);
  }

  #tabTo(target: Locator): Promise<void> {
    return this.#pressUntil('Tab', () => hasFocus(target.first()));
  }

  async #pressUntil(key: string, isReached: () => Promise<boolean>): Promise<void> {
    const most = key === 'Tab' ? tabsMax : arrowsMax;
    for (let pressed = 0; !(await isReached()); pressed += 1) {
      if (pressed === most) throw new Error(`${most} times ${key} did not reach it`);
      await this.#hit(key);
    }
  }
}

async function shownIn(select: Locator): Promise<string> {
  return (await select.locator('option:checked').textContent()) ?? '';
}
