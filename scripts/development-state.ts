// What this clone's development database was set up with, and where its server runs: kept in a file that git
// ignores, so that it can be printed again and that other commands find it. A database of production never
// leaves such a file: there tokens are shown once.

import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { compose } from '../packages/server/src/compose.ts'
import { readConfig } from '../packages/server/src/config.ts'
import { makeSignInLink } from '../packages/server/src/domains/sign-in/service.ts'
import { migrate } from '../packages/server/src/platform/db/migrate.ts'
import { type SetUp, setUp } from '../packages/server/src/setup.ts'

export type DevelopmentState = SetUp & {
  /** `MASTER_KEYS` of this clone, made once. Without it the secrets in the database cannot be read again. */
  readonly masterKeys: string
  /** Of the `npm run dev` that runs now, or ran last. */
  readonly running?: { readonly pid: number; readonly testUrl: string; readonly databaseUrl: string }
}

const file = resolve(import.meta.dirname, '../.switchyard/development.json')

export type Addresses = {
  readonly databaseUrl: string
  readonly simulatorUrl: string
  readonly dashboardUrl: string
}

/** Migrates, makes what a first run makes, and answers the tokens, old or new, with a link to sign in by. */
export async function prepareDatabase(addresses: Addresses): Promise<DevelopmentState> {
  const { databaseUrl, simulatorUrl, dashboardUrl } = addresses
  await migrate(databaseUrl)
  const before = readState()
  const masterKeys = before?.masterKeys ?? `development:${randomBytes(32).toString('base64')}`
  const environment = {
    DATABASE_URL: databaseUrl,
    MASTER_KEYS: masterKeys,
    LOG_LEVEL: 'error',
    SIMULATOR_URL: simulatorUrl,
    WEBHOOK_ALLOW_LOOPBACK: 'true',
    DASHBOARD_BASE_URL: dashboardUrl,
  }
  const switchyard = compose(readConfig(environment))
  const made = await setUp(switchyard.deps, { organization: 'Development', email: 'admin@example.com' })
  const known = made ?? before
  const signInUrl = known && (await makeSignInLink(switchyard.deps, known.email))
  await switchyard.close()
  if (known === null) {
    throw new Error(
      'The database was set up before, but its tokens are lost. Remove the folder .switchyard and start again.',
    )
  }
  // Each start has a link of its own: one opens once, and only for a while.
  const state = { ...known, masterKeys, signInUrl: signInUrl ?? known.signInUrl }
  writeState(state)
  return state
}

export function readState(): DevelopmentState | null {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null
}

export function writeState(state: DevelopmentState): void {
  writeFileSync(file, JSON.stringify(state, null, 2), { mode: 0o600 })
}

/** The state of an `npm run dev` of this clone that is alive; null if none is. */
export function findRunning(): DevelopmentState | null {
  const state = readState()
  return state?.running !== undefined && isAlive(state.running.pid) ? state : null
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
