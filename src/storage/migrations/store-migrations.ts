import { firstFormat } from '../records/identity-record.ts';
import type { Migration } from './migration.ts';

/** Every step from the first format to the present one, in order. There is only one format so far. */
export const storeMigrations: readonly Migration[] = [];

/** @returns the format that these steps lead to. */
export function formatAfter(migrations: readonly Migration[]): number {
  return migrations.at(-1)?.to ?? firstFormat;
}
