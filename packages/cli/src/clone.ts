/** Finds the server and the state of `npm run dev` in the clone this command runs from. */
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../../..')

export type Development = {
  readonly tokens: { readonly live: string; readonly test: string }
  readonly masterKeys: string
  readonly running?: { readonly pid: number; readonly testUrl: string; readonly databaseUrl: string }
}

/** The state file written by `npm run dev`, or null if it has never run in this clone. */
export function findDevelopment(): Development | null {
  const folder = process.env.SWITCHYARD_DEV_FOLDER ?? resolve(root, '.switchyard')
  const file = resolve(folder, 'development.json')
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null
}

/** The path of the server's entry point, or null outside a clone. */
export function findServer(): string | null {
  const main = resolve(root, 'packages/server/src/main.ts')
  return existsSync(main) ? main : null
}
