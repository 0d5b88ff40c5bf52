// The first tokens of a development database, kept in a file that git ignores, so that they can be
// printed again. A database of production never leaves such a file: there they are shown once.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { compose } from '../packages/server/src/compose.ts'
import { readConfig } from '../packages/server/src/config.ts'
import { migrate } from '../packages/server/src/platform/db/migrate.ts'
import { type SetUp, setUp } from '../packages/server/src/setup.ts'

const file = resolve(import.meta.dirname, '../.switchyard/development.json')

/** Migrates, makes what a first run makes, and answers the tokens, old or new. */
export async function prepareDatabase(databaseUrl: string): Promise<SetUp> {
  await migrate(databaseUrl)
  const switchyard = compose(readConfig({ DATABASE_URL: databaseUrl, LOG_LEVEL: 'error' }))
  const made = await setUp(switchyard.deps, { organization: 'Development', email: 'admin@example.com' })
  await switchyard.close()
  if (made !== null) writeFileSync(file, JSON.stringify(made, null, 2), { mode: 0o600 })
  if (!existsSync(file)) {
    throw new Error(
      'The database was set up before, but its tokens are lost. Remove the folder .switchyard and start again.',
    )
  }
  return JSON.parse(readFileSync(file, 'utf8'))
}
