// A transaction enters a workspace through `enter_workspace` alone, which fails where the workspace is not open. A
// transaction that set the workspace for row-level security itself could change a workspace that was moved.

import { expect, test } from 'vitest'
import { readMigrations } from '../../src/platform/db/migrate.ts'
import { sourceFiles, withoutComments } from './support/repository.ts'

const setsWorkspace = (code: string) =>
  /set_config\(\s*'app\.workspace'|\bset\s+(local\s+|session\s+)?app\.workspace\b/i.test(code)

test('only enter_workspace sets the workspace of a transaction', async () => {
  const files = sourceFiles().map(({ path, text }) => ({ path, code: withoutComments(text) }))
  const migrations = (await readMigrations()).map(({ name, sql }) => ({ path: name, code: sql }))

  const found = [...files, ...migrations].filter(({ code }) => setsWorkspace(code))

  expect(found.map(({ path }) => path)).toEqual(['0540_placements.sql'])
})

test('only the fence enters a workspace', () => {
  const found = sourceFiles().filter(({ text }) => withoutComments(text).includes('enter_workspace('))

  expect(found.map(({ path }) => path)).toEqual(['platform/db/fence.ts'])
})
