/** The clone that this command runs from: its server, and the `npm run dev` that runs in it. */
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../../..')

export type Development = {
  readonly tokens: { readonly live: string; readonly test: string }
  readonly masterKeys: string
  readonly running?: { readonly pid: number; readonly testUrl: string; readonly databaseUrl: string }
}

/** What `npm run dev` has written down; null if it never ran here. */
export function findDevelopment(): Development | null {
  const file = resolve(root, '.switchyard/development.json')
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null
}

/** The command of the server; null where there is no clone around us. */
export function findServer(): string | null {
  const main = resolve(root, 'packages/server/src/main.ts')
  return existsSync(main) ? main : null
}
