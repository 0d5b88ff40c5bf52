// The tokens of the development database and the URLs of its server, in a file that git ignores, so that other commands
// can find them. In production there is no such file: tokens are shown once.

import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { compose } from '../packages/server/src/compose.ts'
import { readConfig } from '../packages/server/src/config.ts'
import { createSignInLink } from '../packages/server/src/domains/access/sign-in/service.ts'
import { migrate } from '../packages/server/src/platform/db/migrate.ts'
import { type SetupResult, setUp } from '../packages/server/src/setup.ts'
import { developmentFolder } from './development-folder.ts'

export type DevelopmentState = SetupResult & {
  /** `MASTER_KEYS` of this clone, created once. Without it the secrets in the database cannot be decrypted. */
  readonly masterKeys: string
  /** The current or last run of `npm run dev`. */
  readonly running?: { readonly pid: number; readonly testUrl: string; readonly databaseUrl: string }
}

const file = resolve(developmentFolder, 'development.json')

export type Addresses = {
  readonly databaseUrl: string
  readonly simulatorUrl: string
  readonly dashboardUrl: string
}

/** Migrates the database, sets it up on the first run, and returns the tokens with a new sign-in link. */
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
  const created = await setUp(switchyard.deps, { organization: 'Development', email: 'admin@example.com' })
  const setup = created ?? before
  const signInUrl = setup && (await createSignInLink(switchyard.deps, setup.email))
  await switchyard.close()
  if (setup === null) {
    throw new Error(
      'The database was set up before, but its tokens are lost. Delete the folder .switchyard and start again.',
    )
  }
  // Each start creates a new sign-in link, because a link can be used once and expires.
  const state = { ...setup, masterKeys, signInUrl: signInUrl ?? setup.signInUrl }
  writeState(state)
  return state
}

export function readState(): DevelopmentState | null {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null
}

export function writeState(state: DevelopmentState): void {
  writeFileSync(file, JSON.stringify(state, null, 2), { mode: 0o600 })
}

/** The state of the running `npm run dev` of this clone, or null. */
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
